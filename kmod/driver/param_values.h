/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_PARAM_VALUES_H
#define SIMGPU_PARAM_VALUES_H

#include "driver.h"

int simgpu_params_apply(const struct simgpu_param_array *array,
			struct session_options *options,
			struct session_refusal *why);
int simgpu_constants_apply(u64 address, u32 bytes,
			   struct session_options *options,
			   struct session_refusal *why);
int simgpu_injections_read(const struct simgpu_injection_array *array,
			   struct session_injection **injections);

#endif /* SIMGPU_PARAM_VALUES_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_DECIDERS_H
#define SIMGPU_DECIDERS_H

#include "device.h"

int simgpu_device_options(struct simgpu_device *device,
			  struct session_options *options);
void simgpu_options_put(const struct session_options *options);
void *simgpu_constants_copy(const void *constants, u32 bytes);
void simgpu_options_begin(struct session_options *options, bool policy,
			  bool model);
void simgpu_device_use(struct simgpu_device *device,
		       const struct simgpu_policy *policy,
		       const struct simgpu_model *model);
void simgpu_device_use_memory(struct simgpu_device *device,
			      const struct simgpu_memory_policy *policy);
void simgpu_device_own_memory(struct simgpu_device *device,
			      const struct simgpu_memory_policy *policy);
void simgpu_device_memory_fell_back(struct simgpu_device *device,
				    const struct session_refusal *why);
void simgpu_device_fell_back(struct simgpu_device *device,
			     const struct session_refusal *why);
void simgpu_params_publish(struct simgpu_device *device);
void simgpu_params_read(struct simgpu_device *device, enum session_param_owner whose,
			struct simgpu_params *params);

#endif /* SIMGPU_DECIDERS_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_MASKS_H
#define SIMGPU_MASKS_H

#include "tenant.h"

int simgpu_tenant_masks(struct simgpu_ucmd *ucmd);
struct session_masks simgpu_masks_on(const struct simgpu_tenant *tenant,
				     const struct gpu_config *config);
void simgpu_masks_seat(struct simgpu_tenant *tenant);
bool simgpu_mask_of_sms(const __u64 *words, const __u64 *more,
			u64 sms[SESSION_MASK_WORDS]);

#endif /* SIMGPU_MASKS_H */

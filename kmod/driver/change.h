/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_CHANGE_H
#define SIMGPU_CHANGE_H

#include "device.h"

int simgpu_device_change(struct simgpu_device *device,
			 const struct simgpu_device_change *change);
void simgpu_devices_succeed(const struct simgpu_policy *old,
			    const struct simgpu_policy *new);
void simgpu_devices_succeed_memory(const struct simgpu_memory_policy *old,
				   const struct simgpu_memory_policy *new);

#endif /* SIMGPU_CHANGE_H */

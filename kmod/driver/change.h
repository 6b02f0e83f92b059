/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_CHANGE_H
#define SIMGPU_CHANGE_H

#include "device.h"
#include "plugins.h"

int simgpu_device_change(struct simgpu_device *device,
			 const struct simgpu_device_change *change);
void simgpu_devices_succeed(enum simgpu_plugin_kind kind, const void *old, const void *new);

#endif /* SIMGPU_CHANGE_H */

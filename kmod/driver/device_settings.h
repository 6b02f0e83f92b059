/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_DEVICE_SETTINGS_H
#define SIMGPU_DEVICE_SETTINGS_H

#include "device.h"

const struct session_setting *simgpu_setting(u32 index);
bool simgpu_setting_is_file(u32 index);
void simgpu_settings_begin(struct simgpu_device *device);
void simgpu_settings_publish(struct simgpu_device *device,
			     const struct session_options *shown);
bool simgpu_settings_fit(const struct simgpu_device_change *change);
int simgpu_settings_prepare(struct simgpu_device *device,
			    const struct simgpu_device_change *change);
void simgpu_settings_apply(struct simgpu_device *device,
			   const struct simgpu_device_change *change);

#endif /* SIMGPU_DEVICE_SETTINGS_H */

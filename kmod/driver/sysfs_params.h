/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_SYSFS_PARAMS_H
#define SIMGPU_SYSFS_PARAMS_H

#include "device.h"

extern const struct simgpu_observer simgpu_params_observer;
extern const struct attribute_group simgpu_policy_params_group;
extern const struct attribute_group simgpu_memory_params_group;
extern const struct attribute_group simgpu_model_params_group;

#endif /* SIMGPU_SYSFS_PARAMS_H */

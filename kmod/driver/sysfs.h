/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_SYSFS_H
#define SIMGPU_SYSFS_H

#include "driver.h"

extern const struct attribute_group *simgpu_device_groups[];
void simgpu_sysfs_init(void);

#endif /* SIMGPU_SYSFS_H */

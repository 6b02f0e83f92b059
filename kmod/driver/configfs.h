/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_CONFIGFS_H
#define SIMGPU_CONFIGFS_H

#include "driver.h"

int simgpu_configfs_init(void);
void simgpu_configfs_exit(void);

#endif /* SIMGPU_CONFIGFS_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_DEBUGFS_H
#define SIMGPU_DEBUGFS_H

#include "driver.h"

extern const struct simgpu_observer simgpu_debugfs_observer;
void simgpu_debugfs_init(void);
void simgpu_debugfs_exit(void);

#endif /* SIMGPU_DEBUGFS_H */

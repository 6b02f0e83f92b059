/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_SYSFS_TENANT_H
#define SIMGPU_SYSFS_TENANT_H

#include "tenant.h"

const struct kobj_type *simgpu_tenant_sysfs_init(void);

#endif /* SIMGPU_SYSFS_TENANT_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_TENANT_LIVE_H
#define SIMGPU_TENANT_LIVE_H

#include "tenant.h"

void simgpu_tenant_publish_live(struct simgpu_tenant *tenant);
int simgpu_tenant_mmap(struct file *file, struct vm_area_struct *vma);

#endif /* SIMGPU_TENANT_LIVE_H */

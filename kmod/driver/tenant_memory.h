/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_TENANT_MEMORY_H
#define SIMGPU_TENANT_MEMORY_H

#include "driver.h"

int simgpu_tenant_mem_prefetch(struct simgpu_ucmd *ucmd);
int simgpu_tenant_mem_advise(struct simgpu_ucmd *ucmd);

#endif /* SIMGPU_TENANT_MEMORY_H */

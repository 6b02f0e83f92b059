/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_TENANT_LAUNCH_H
#define SIMGPU_TENANT_LAUNCH_H

#include "tenant.h"

extern const struct simgpu_observer simgpu_launch_observer;
int simgpu_tenant_launch(struct simgpu_ucmd *ucmd);
int simgpu_tenant_copy(struct simgpu_ucmd *ucmd);
int simgpu_tenant_arrivals(struct simgpu_ucmd *ucmd);

#endif /* SIMGPU_TENANT_LAUNCH_H */

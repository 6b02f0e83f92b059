/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_CHARGE_H
#define SIMGPU_CHARGE_H

#include "tenant.h"

int simgpu_tenant_charge_file(struct simgpu_tenant *tenant);
void simgpu_tenant_uncharge_file(struct simgpu_tenant *tenant);
struct simgpu_wakers *simgpu_user_wakers(struct simgpu_user *user);
int simgpu_tenant_charge(struct simgpu_tenant *tenant, u64 bytes);
void simgpu_tenant_uncharge(struct simgpu_tenant *tenant, u64 bytes);
int simgpu_charge_ahead(void);

#endif /* SIMGPU_CHARGE_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_TENANT_OUTCOME_H
#define SIMGPU_TENANT_OUTCOME_H

#include "tenant.h"

void simgpu_tenant_begin_outcomes(struct simgpu_tenant *tenant);
void simgpu_tenant_end_outcomes(struct simgpu_tenant *tenant);
bool simgpu_tenant_has_eventfd_room(const struct simgpu_tenant *tenant);
void simgpu_tenant_ended(struct simgpu_tenant *tenant,
			 const struct simgpu_pending *pending, u64 sequence,
			 int status);
void simgpu_tenant_settle_all(struct simgpu_tenant *tenant, int status);
ssize_t simgpu_tenant_read(struct file *file, char __user *buffer, size_t count,
			   loff_t *position);
__poll_t simgpu_tenant_poll(struct file *file, poll_table *wait);
int simgpu_tenant_wait(struct simgpu_ucmd *ucmd);

#endif /* SIMGPU_TENANT_OUTCOME_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Which tenants have the session's slots, and which wait for one */
#ifndef SIMGPU_SEATS_H
#define SIMGPU_SEATS_H

#include <linux/types.h>

struct file;
struct gpu_config;
struct private_run;
struct simgpu_device;
struct simgpu_tenant;

/* A tenant keeps its slot for at least this many epochs while others wait. */
#define SIMGPU_TURN_EPOCHS	10

void simgpu_tenant_uses(struct simgpu_tenant *tenant,
			const struct gpu_config *config);
u64 simgpu_sm_ns(const struct simgpu_tenant *tenant, u64 sm_cycles);
void simgpu_tenant_seat(struct simgpu_tenant *tenant, u32 slot);
void simgpu_tenant_unseat(struct simgpu_tenant *tenant);
int simgpu_seat_take(struct simgpu_tenant *tenant, struct private_run *run);
void simgpu_seats_call(struct simgpu_device *device);
bool simgpu_launch_again(struct file *file, bool *in_line, int *ret);

#endif /* SIMGPU_SEATS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Questions about tenants and their kernels: which tenants are active or urgent, which
 * kernels there are, and how many SMs a kernel needs.
 */
#ifndef POLICY_TENANTS_H
#define POLICY_TENANTS_H

#include <simgpu/proposal.h>

u64 active_slots(const struct simgpu_snapshot *snapshot);
u32 next_active_slot(const struct simgpu_snapshot *snapshot, u32 slot);
bool comes_first(const struct simgpu_snapshot_tenant *tenant);
bool is_urgent(const struct simgpu_snapshot_tenant *tenant);
u64 urgent_slots(const struct simgpu_snapshot *snapshot);
bool kernel_is_present(const struct simgpu_snapshot_queue *queue);
bool kernel_is_running(const struct simgpu_snapshot_queue *queue);
u32 running_queues(const struct simgpu_snapshot_tenant *tenant);
u32 waiting_queues(const struct simgpu_snapshot_tenant *tenant);
u64 slots_with_kernels(const struct simgpu_snapshot *snapshot, u64 slots);
void say_urgent_first(u64 urgent, struct simgpu_proposal *proposal);
u32 kernel_sms(const struct simgpu_snapshot *snapshot,
	       const struct simgpu_snapshot_kernel *kernel, u64 slack_ppm);
u32 tenant_sms(const struct simgpu_snapshot *snapshot,
	       const struct simgpu_snapshot_tenant *tenant, u64 slack_ppm);
u32 kernel_sms_filled(const struct simgpu_snapshot_kernel *kernel);
u64 share_sm(u32 sm, u64 sharers, struct simgpu_proposal *proposal);

/*
 * The place in a table of @count where a policy remembers something about a kernel.
 * Kernels of several queues may have the same index in their traces.
 */
static inline u32 kernel_place(u32 queue, u32 kernel, u32 count)
{
	return (kernel % count + queue * (count / SIMGPU_QUEUES_MAX)) % count;
}

#endif /* POLICY_TENANTS_H */

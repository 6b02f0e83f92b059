// SPDX-License-Identifier: GPL-2.0
/*
 * Questions about tenants and their kernels: which tenants are active or urgent, which
 * kernels there are, and how many SMs a kernel needs.
 */
#include "tenants.h"

/* active_slots() - a bit for each tenant with work */
u64 active_slots(const struct simgpu_snapshot *snapshot)
{
	u64 mask = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].active)
			mask |= 1ULL << slot;
	return mask;
}

/*
 * next_active_slot() - the slot of the next active tenant after @slot, going round;
 *	SIMGPU_SLOTS_MAX: there is none
 */
u32 next_active_slot(const struct simgpu_snapshot *snapshot, u32 slot)
{
	u32 i;

	for (i = 1; i <= SIMGPU_SLOTS_MAX; i++)
		if (snapshot->tenants[(slot + i) % SIMGPU_SLOTS_MAX].active)
			return (slot + i) % SIMGPU_SLOTS_MAX;
	return SIMGPU_SLOTS_MAX;
}

/*
 * comes_first() - whether a tenant goes before the others: it is a QoS tenant, or one of
 *	its queues has a priority above 0. Of a tenant without work that is known if it has a
 *	copy
 */
bool comes_first(const struct simgpu_snapshot_tenant *tenant)
{
	u32 i;

	if (tenant->service == SIMGPU_QOS)
		return true;
	for (i = 0; i < tenant->queue_count; i++)
		if (tenant->queue[i].priority > 0)
			return true;
	return false;
}

/* is_urgent() - whether a tenant has work and goes before the others */
bool is_urgent(const struct simgpu_snapshot_tenant *tenant)
{
	return tenant->active && comes_first(tenant);
}

/* urgent_slots() - a bit for each urgent tenant with work */
u64 urgent_slots(const struct simgpu_snapshot *snapshot)
{
	u64 mask = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (is_urgent(&snapshot->tenants[slot]))
			mask |= 1ULL << slot;
	return mask;
}

/* kernel_is_present() - whether a queue has a kernel that runs or could run */
bool kernel_is_present(const struct simgpu_snapshot_queue *queue)
{
	return queue->head.flags & SIMGPU_KERNEL_PRESENT;
}

/* kernel_is_running() - whether the kernel at the head of a queue has started */
bool kernel_is_running(const struct simgpu_snapshot_queue *queue)
{
	return queue->head.flags & SIMGPU_KERNEL_RUNNING;
}

/* running_queues() - a bit for each queue of a tenant whose kernel has started */
u32 running_queues(const struct simgpu_snapshot_tenant *tenant)
{
	u32 mask = 0, i;

	for (i = 0; tenant->active && i < tenant->queue_count; i++)
		if (kernel_is_running(&tenant->queue[i]))
			mask |= 1U << i;
	return mask;
}

/* waiting_queues() - a bit for each queue of a tenant whose kernel has not started */
u32 waiting_queues(const struct simgpu_snapshot_tenant *tenant)
{
	u32 mask = 0, i;

	for (i = 0; tenant->active && i < tenant->queue_count; i++)
		if (kernel_is_present(&tenant->queue[i]) &&
		    !kernel_is_running(&tenant->queue[i]))
			mask |= 1U << i;
	return mask;
}

/* slots_with_kernels() - the slots of @slots that have a kernel that runs or could run */
u64 slots_with_kernels(const struct simgpu_snapshot *snapshot, u64 slots)
{
	u64 mask = 0;

	for (; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		if (running_queues(&snapshot->tenants[slot]) |
		    waiting_queues(&snapshot->tenants[slot]))
			mask |= 1ULL << slot;
	}
	return mask;
}

/* say_urgent_first() - thread blocks of urgent tenants begin before all others */
void say_urgent_first(u64 urgent, struct simgpu_proposal *proposal)
{
	u32 slot;

	proposal->flags |= SIMGPU_SAYS_BLOCK_ORDER | SIMGPU_SAYS_RANKS;
	proposal->block_order = SIMGPU_ORDER_RANK;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->rank[slot] = !(urgent >> slot & 1);
}

/*
 * kernel_sms() - SMs that a kernel needs
 * @slack_ppm: by which part of its time on all SMs the kernel may be slower
 *
 * With a profile (SIMGPU_NEEDS_PROFILES): the fewest SMs with which the kernel is no
 * slower than that. Without one: as many SMs as the kernel has thread blocks.
 *
 * Return: 1 to the device's SMs.
 */
u32 kernel_sms(const struct simgpu_snapshot *snapshot,
	       const struct simgpu_snapshot_kernel *kernel, u64 slack_ppm)
{
	const struct simgpu_profile_point *point;
	u32 sms = snapshot->sms, i;
	u64 most;

	if (!kernel->profile) {
		sms = min(sms, kernel->blocks);
		return sms ? sms : 1;
	}
	point = snapshot->profiles[kernel->profile - 1].point;
	most = fixed_mul_div(point[sms - 1].cycles,
			     fixed_add(SIMGPU_PPM, slack_ppm), SIMGPU_PPM);
	for (i = 1; i < sms; i++)
		if (point[i - 1].cycles <= most)
			return i;
	return sms;
}

/* tenant_sms() - sum of kernel_sms() over the heads of a tenant's queues; 0: no kernel */
u32 tenant_sms(const struct simgpu_snapshot *snapshot,
	       const struct simgpu_snapshot_tenant *tenant, u64 slack_ppm)
{
	u32 sms = 0, i;

	for (i = 0; tenant->active && i < tenant->queue_count; i++)
		if (kernel_is_present(&tenant->queue[i]))
			sms += kernel_sms(snapshot, &tenant->queue[i].head,
					  slack_ppm);
	return min(sms, snapshot->sms);
}

/* kernel_sms_filled() - SMs that a kernel's thread blocks fill if they are alone there */
u32 kernel_sms_filled(const struct simgpu_snapshot_kernel *kernel)
{
	u32 each = kernel->blocks_per_sm ? kernel->blocks_per_sm : 1;

	return kernel->blocks / each + !!(kernel->blocks % each);
}

/*
 * share_sm() - set the sharers of an SM; without sharers it gets no owner
 *
 * An SM with one sharer stays shared, too: so thread blocks of the tenants that go leave
 * it, and those of the tenant that stays need not.
 *
 * Return: slots that shared the SM before and do not any more.
 */
u64 share_sm(u32 sm, u64 sharers, struct simgpu_proposal *proposal)
{
	u64 had = 0;

	if (proposal->owner[sm] == SIMGPU_SHARED)
		had = proposal->sharers[sm];
	else if (proposal->owner[sm] < SIMGPU_SLOTS_MAX)
		had = 1ULL << proposal->owner[sm];
	proposal->owner[sm] = sharers ? SIMGPU_SHARED : SIMGPU_NO_OWNER;
	proposal->sharers[sm] = sharers;
	return had & ~sharers;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels run in slices of thread blocks, by issue limits. A slice takes no longer than
 * a bound. The number of blocks in a slice is found by measuring the slices of each
 * kernel.
 */
#include "slicing.h"
#include "tenants.h"

/* A slice should take AIM_PPM of the bound; from GOOD_PPM to the bound it is kept. */
#define AIM_PPM		875000ULL
#define GOOD_PPM	750000ULL

static struct slicing_kernel *known_at(struct slicing *slicing, u32 slot, u32 queue,
				       u32 kernel)
{
	return &slicing->known[slot][kernel_place(queue, kernel,
						  SLICING_KERNELS)];
}

static struct slicing_kernel *known_of(struct slicing *slicing, u32 slot, u32 queue,
				       const struct simgpu_snapshot_kernel *head)
{
	struct slicing_kernel *known = known_at(slicing, slot, queue, head->kernel);

	if (known->kernel == head->kernel && known->blocks == head->blocks &&
	    known->threads == head->threads && known->queue == queue)
		return known;
	*known = (struct slicing_kernel) {
		.kernel = head->kernel,
		.blocks = head->blocks,
		.threads = (u16)head->threads,
		.queue = (u16)queue,
	};
	return known;
}

/*
 * The size of the next slice, from the time that the last one took; it doubles at most.
 * @least is a block on each SM: a smaller slice takes as long as one block anyway.
 */
static u32 next_slice(u32 least, u32 blocks, u64 cycles, u64 bound)
{
	u64 aim = fixed_mul_div(bound, AIM_PPM, SIMGPU_PPM), next;

	if (cycles <= bound &&
	    cycles >= fixed_mul_div(bound, GOOD_PPM, SIMGPU_PPM))
		return blocks;
	next = fixed_mul_div(blocks, aim, cycles ? cycles : 1);
	if (cycles < bound && next > 2ULL * blocks)
		next = 2ULL * blocks;
	next = min_t(u64, next, SIMGPU_KEEP_ISSUE_LIMIT / 4);
	return (u32)max_t(u64, next, least);
}

static void end_run(const struct simgpu_snapshot *snapshot,
		    struct slicing *slicing, u32 slot, u32 queue, u64 bound)
{
	struct slicing_run *run = &slicing->run[slot][queue];
	struct slicing_kernel *known = known_at(slicing, slot, queue, run->kernel);
	u64 cycles = snapshot->cycle - run->began;
	/* Another kernel may have taken this place in the meantime. */
	bool same = known->kernel == run->kernel && known->queue == queue;

	/* A kernel's last slice is shorter, so it only shows that a slice is too long. */
	if (same && (run->blocks >= known->slice || cycles > bound))
		known->slice = next_slice(snapshot->sms, run->blocks, cycles,
					  bound);
	memset(run, 0, sizeof(*run));
}

/*
 * slicing_note() - take note of a tenant's slices that have ended
 * @bound: core cycles that a slice may take
 *
 * A slice ends with its last block, or with its kernel.
 */
void slicing_note(const struct simgpu_snapshot *snapshot, struct slicing *slicing,
		  u32 slot, u64 bound)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	const u32 ends = SIMGPU_ON_SLICE_END | SIMGPU_ON_KERNEL_END;
	u32 i;

	for (i = 0; i < SIMGPU_QUEUES_MAX; i++) {
		if (!slicing->run[slot][i].blocks)
			continue;
		if (!tenant->active || tenant->events & SIMGPU_ON_ARRIVAL)
			memset(&slicing->run[slot][i], 0,
			       sizeof(slicing->run[slot][i]));
		else if (tenant->queue[i].events & ends)
			end_run(snapshot, slicing, slot, i, bound);
	}
}

/* slicing_runs() - whether a slice of a tenant runs */
bool slicing_runs(const struct slicing *slicing, u32 slot)
{
	u32 i;

	for (i = 0; i < SIMGPU_QUEUES_MAX; i++)
		if (slicing->run[slot][i].blocks)
			return true;
	return false;
}

/*
 * slicing_give() - let each queue of a tenant begin a slice, if it has a kernel and no
 *	slice of it runs
 */
void slicing_give(const struct simgpu_snapshot *snapshot, struct slicing *slicing,
		  u32 slot, struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 i;

	proposal->flags |= SIMGPU_SAYS_ISSUE_LIMITS;
	for (i = 0; tenant->active && i < tenant->queue_count; i++) {
		const struct simgpu_snapshot_kernel *head = &tenant->queue[i].head;
		struct slicing_run *run = &slicing->run[slot][i];
		struct slicing_kernel *known;

		if (!kernel_is_present(&tenant->queue[i]) || run->blocks)
			continue;
		known = known_of(slicing, slot, i, head);
		if (!known->slice)
			known->slice = snapshot->sms;
		run->began = snapshot->cycle;
		run->kernel = head->kernel;
		run->blocks = min(known->slice, head->blocks_left);
		proposal->issue_limit[slot][i] = known->slice;
	}
}

/* slicing_end() - the tenant is no longer sliced: lift the issue limits of its queues */
void slicing_end(const struct simgpu_snapshot *snapshot, u32 slot,
		 struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 i;

	for (i = 0; tenant->active && i < tenant->queue_count; i++) {
		if (tenant->queue[i].issue_left == SIMGPU_NO_LIMIT)
			continue;
		proposal->flags |= SIMGPU_SAYS_ISSUE_LIMITS;
		proposal->issue_limit[slot][i] = 0;
	}
}

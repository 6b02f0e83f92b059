// SPDX-License-Identifier: GPL-2.0
/*
 * Workers: preemption by software inside a kernel (FLEP, ASPLOS'17). A kernel is
 * rewritten so that each place for a thread block on an SM is a worker, which runs one
 * block of the grid after another. Before every so many blocks it checks a flag, which
 * takes poll_cycles. If another tenant wants the SM, the worker leaves there, and not
 * before. Kernels have workers only while their tenant runs a single one; of several
 * kernels, thread blocks leave when they end.
 */
#include "sim.h"

/* worker_looks() - whether a place's worker checks the flag before its next block */
static bool worker_looks(const struct gpu *gpu, const struct sm *sm, u32 place)
{
	return sm->worker[place] >= gpu->worker_blocks;
}

/* The warps of a thread block that has just come begin when the flag has been checked. */
static void wait_for_flag(const struct gpu *gpu, struct sm *sm, u32 place)
{
	u64 until = gpu->now + sm_span(gpu, gpu->now, 1 + gpu->config.poll_cycles), mask;

	for (mask = sm->block[place].warps; mask; mask &= mask - 1)
		warp_sleep(sm, lowest_bit(mask), until, STALL_MEMORY);
}

/*
 * worker_begins() - a new thread block has come to a place of an SM
 */
void worker_begins(const struct gpu *gpu, struct sm *sm, u32 place)
{
	if (!gpu->worker_blocks)
		return;
	if (worker_looks(gpu, sm, place)) {
		sm->worker[place] = 0;
		if (gpu->config.poll_cycles)
			wait_for_flag(gpu, sm, place);
	}
	sm->worker[place]++;
}

/*
 * worker_goes_on() - a thread block has ended on an SM that another tenant waits for: its
 *	worker, which has not checked the flag yet, takes the next block
 */
void worker_goes_on(struct gpu *gpu, u32 index, u32 place)
{
	struct sm *sm = &gpu->sms[index];

	if (sm->draining && sm->reserved && !worker_looks(gpu, sm, place))
		block_start_at(gpu, index, place, sm->reserve_grid,
			       sm->reserve[--sm->reserved], NO_CONTEXT);
}

/*
 * workers_left() - thread blocks that the workers on an SM still run before each has
 *	checked the flag
 */
u32 workers_left(const struct gpu *gpu, const struct sm *sm)
{
	u32 left = 0, i;

	for (i = 0; i < SM_BLOCKS_MAX; i++)
		if (sm->block[i].used && sm->block[i].state == BLOCK_RUNS &&
		    !worker_looks(gpu, sm, i))
			left += gpu->worker_blocks - sm->worker[i];
	return left;
}

/* workers_begin() - an SM has another owner: its workers start to count blocks anew */
void workers_begin(struct sm *sm)
{
	memset(sm->worker, 0, sizeof(sm->worker));
}

/* workers_stop() - the hardware empties an SM: no worker on it goes on */
void workers_stop(struct sm *sm)
{
	u32 i;

	for (i = 0; i < SM_BLOCKS_MAX; i++)
		sm->worker[i] = GPU_WORKER_BLOCKS_MAX;
}

void gpu_set_worker_blocks(struct gpu *gpu, u32 blocks)
{
	u32 i;

	port_assert(blocks <= GPU_WORKER_BLOCKS_MAX);
	if (blocks == gpu->worker_blocks)
		return;
	gpu->worker_blocks = blocks;
	/* Blocks in the reserves of SMs that drain were counted by the old number. */
	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sms[i].draining)
			dispatch_take_back(gpu, i);
	gpu->dispatch |= gpu->running;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What a leap changes of thread blocks on SMs: their warps move on by whole trips of the loop
 * that they are in. All warps of a block move by the same trips, so that they stay consistent
 * with each other at barriers. What lies in flight stays as it is.
 */
#include "leap.h"
#include "sim.h"

/* A block is not moved nearer to its end than this: so ends are always simulated. */
#define TRIPS_KEPT	2

/* A queue's kernel, and the loop of its warps */
struct looping {
	struct gpu *gpu;
	struct grid *grid;
	u32 number;
	u32 slot;
	u32 queue;
	struct trace_trips trips;
};

/* Paces are warp instructions in so many cycles. */
#define PACE_CYCLES	1000000U

/*
 * struct paces - how fast the blocks of a queue on SMs have been since they came
 * @blocks: how many there are
 * @sum: of their paces
 */
struct paces {
	u64 blocks;
	u64 sum;
};

/* struct span - the trips in which a block's warps are, from the last to the first warp */
struct span {
	u64 least;
	u64 most;
};

static bool find_loop(struct gpu *gpu, u32 slot, u32 queue, struct looping *out)
{
	u32 number = grid_number(slot, queue);

	*out = (struct looping){
		.gpu = gpu, .grid = &gpu->grids[number], .number = number,
		.slot = slot, .queue = queue,
	};
	if (!(gpu->tenants[slot].running >> queue & 1) || out->grid->spins)
		return false;
	trace_trips(out->grid->trace, out->grid->kernel, &out->trips);
	return out->trips.trips;
}

static u64 trip_instructions(const struct looping *looping)
{
	return looping->trips.thread_instructions * looping->grid->kernel->block_warps;
}

static u64 block_instructions(const struct looping *looping)
{
	const struct trace_kernel *kernel = looping->grid->kernel;

	return kernel->instructions / kernel->blocks;
}

/* A block's life in trips: what is outside of the loop makes some, rounded up. */
static u64 life_of(const struct looping *looping)
{
	u64 each = trip_instructions(looping);

	return (block_instructions(looping) + each - 1) / each;
}

/* The trip in which a warp is. False if it is not within the loop. */
static bool trip_of(const struct looping *looping, const struct warp *warp, u64 *trip)
{
	const struct trace_trips *trips = &looping->trips;
	const struct trace_op *ops = looping->grid->ops;
	u32 place = warp->op - trips->first;
	u32 nest = place / trace_nest_ops(trips), op = place % trace_nest_ops(trips), i;
	const struct trace_op *loop = &ops[trips->first + nest * trace_nest_ops(trips)];

	/* A warp that has done its last op of a trip may stand at the end of the loop. */
	if (warp->op < trips->first || nest >= trips->nests || op < trips->depth ||
	    op > trips->depth + trips->ops || warp->loop_depth < trips->depth)
		return false;
	*trip = 0;
	for (i = 0; i < trips->depth; i++)
		*trip = *trip * loop[i].count + warp->loop_index[i];
	while (nest--)
		*trip += trace_nest_trips(trips, ops, nest);
	return true;
}

/* Move a warp that is in the trip @from to the same op of the trip @to. */
static void set_trip(const struct looping *looping, struct warp *warp, u64 from, u64 to)
{
	const struct trace_trips *trips = &looping->trips;
	const struct trace_op *ops = looping->grid->ops, *loop;
	u32 stride = trace_nest_ops(trips), nest = 0, i;

	warp->accesses += (u32)(to - from) * trips->accesses;
	for (; to >= trace_nest_trips(trips, ops, nest); nest++)
		to -= trace_nest_trips(trips, ops, nest);
	warp->op = trips->first + nest * stride + (warp->op - trips->first) % stride;
	loop = &ops[trips->first + nest * stride];
	for (i = trips->depth; i-- > 0; to /= loop[i].count)
		warp->loop_index[i] = (u32)(to % loop[i].count);
}

/* The trips of a block's warps. False unless it has all of them, and they are in the loop. */
static bool span_of(const struct looping *looping, const struct sm *sm,
		    const struct block *block, struct span *span)
{
	u64 mask = block->warps, trip;

	*span = (struct span){ .least = NEVER };
	if (block->warps_left != looping->grid->kernel->block_warps)
		return false;
	for (; mask; mask &= mask - 1) {
		if (!trip_of(looping, &sm->warp[lowest_bit(mask)], &trip))
			return false;
		span->least = min(span->least, trip);
		span->most = max(span->most, trip);
	}
	return true;
}

/* Move a block's warps by so many trips, ahead or back. */
static void move(const struct looping *looping, struct sm *sm, struct block *block, s64 trips)
{
	u64 mask, trip;

	for (mask = block->warps; mask; mask &= mask - 1) {
		struct warp *warp = &sm->warp[lowest_bit(mask)];

		if (trip_of(looping, warp, &trip))
			set_trip(looping, warp, trip, trip + (u64)trips);
	}
	block->issued += (u64)trips * looping->trips.warp_instructions *
			 looping->grid->kernel->block_warps;
}

/* Blocks of the queue are left out, which an SM would have had. */
static void leave_out(const struct looping *looping, u32 index, u32 blocks)
{
	struct gpu *gpu = looping->gpu;

	gpu_queue_skip(gpu, looping->slot, looping->queue, blocks);
	slot_counters(gpu, looping->slot)->blocks_finished += blocks;
	gpu->sm_counters[index].blocks_finished += blocks;
}

/* So many blocks end at a place, it being the first, and the next one, the youngest, is there. */
static void follow(const struct looping *looping, u32 index, struct block *block, u32 ends)
{
	struct sm *sm = &looping->gpu->sms[index];
	u64 mask;

	block_becomes(looping->gpu, block, looping->grid->next_block + ends - 1);
	leave_out(looping, index, ends);
	for (mask = block->warps; mask; mask &= mask - 1)
		sm->warp_age[lowest_bit(mask)] = sm->age++;
}

/* The next block of the queue at or behind a place on some SM; NULL behind the last one */
static struct block *next_resident(const struct looping *looping, u32 *place)
{
	struct gpu *gpu = looping->gpu;

	for (; *place < gpu->config.sms * SM_BLOCKS_MAX; ++*place) {
		struct block *block = &gpu->sms[*place / SM_BLOCKS_MAX].block[*place %
									      SM_BLOCKS_MAX];

		if (block->used && block->grid == looping->number &&
		    block->state == BLOCK_RUNS)
			return block;
	}
	return NULL;
}

static struct sm *sm_of(const struct looping *looping, u32 place)
{
	return &looping->gpu->sms[place / SM_BLOCKS_MAX];
}

static u64 pace_of(const struct looping *looping, const struct sm *sm,
		   const struct block *block)
{
	u64 cycles = looping->gpu->now - block->since;

	return fixed_mul_div(block_issued(sm, block), PACE_CYCLES, max(cycles, 1ULL));
}

static struct paces paces_of(const struct looping *looping)
{
	struct paces paces = { };
	struct block *block;
	u32 place;

	for (place = 0; (block = next_resident(looping, &place)); place++) {
		paces.sum += pace_of(looping, sm_of(looping, place), block);
		paces.blocks++;
	}
	return paces;
}

/*
 * A block's part of some trips of all. Blocks that came together drift apart, since some are
 * older, or on SMs that are faster; and what they find in caches and open rows depends on
 * how far apart they are. So each goes on as fast as it has been.
 */
static u64 share_of(const struct paces *paces, u64 pace, u64 trips)
{
	return fixed_mul_div(trips, pace, max(paces->sum, 1ULL));
}

/*
 * Move a block ahead. One that would end on the way becomes the next one of the grid, in an
 * earlier trip, as often as it would end. Without a next one it stops before its end, and
 * so does one that would stand outside of the loop.
 *
 * Return: thread instructions that this leaves out.
 */
static u64 advance(const struct looping *looping, u32 index, struct block *block, u64 trips)
{
	u32 left = gpu_queue_left(looping->gpu, looping->slot, looping->queue);
	struct sm *sm = &looping->gpu->sms[index];
	u64 life = life_of(looping), ends;
	struct span span;
	s64 by, most;

	if (!span_of(looping, sm, block, &span))
		return 0;
	ends = min((span.least + trips) / life, fixed_above(left, 1));
	most = (s64)(looping->trips.trips - 1 - span.most) - TRIPS_KEPT;
	by = min((s64)(trips - ends * life), most);
	if (!ends)
		by = max(by, 0LL);
	if (ends)
		follow(looping, index, block, (u32)ends);
	move(looping, sm, block, by);
	return ends * block_instructions(looping) +
	       (u64)by * trip_instructions(looping);
}

/* Move a block by its part, as if it had come when it would have at its pace. */
static u64 advance_at_pace(const struct looping *looping, u32 place, struct block *block,
			   const struct paces *paces, u64 trips)
{
	const struct sm *sm = sm_of(looping, place);
	u64 pace = pace_of(looping, sm, block);
	u64 done = advance(looping, place / SM_BLOCKS_MAX, block,
			   share_of(paces, pace, trips));

	if (done && pace)
		block->since = looping->gpu->now -
			       fixed_mul_div(block_issued(sm, block), PACE_CYCLES, pace);
	return done;
}

/* Ends of blocks on the way, if all together do so many trips */
static u64 ends_within(const struct looping *looping, const struct paces *paces, u64 trips)
{
	u64 life = life_of(looping), ends = 0;
	struct block *block;
	struct span span;
	u32 place;

	for (place = 0; (block = next_resident(looping, &place)); place++) {
		const struct sm *sm = sm_of(looping, place);
		u64 pace = pace_of(looping, sm, block);

		if (span_of(looping, sm, block, &span))
			ends += (span.most + TRIPS_KEPT + share_of(paces, pace, trips)) / life;
	}
	return ends;
}

void gpu_queue_trips(struct gpu *gpu, u32 slot, u32 queue, struct gpu_trips *out)
{
	u64 least = 0, most, blocks;
	struct looping looping;
	struct paces paces;

	*out = (struct gpu_trips){ };
	if (!find_loop(gpu, slot, queue, &looping))
		return;
	paces = paces_of(&looping);
	if (!paces.blocks)
		return;
	/* For each end on the way there has to be a block that has not begun, and one stays. */
	blocks = fixed_above(gpu_queue_left(gpu, slot, queue), 1);
	most = fixed_mul(blocks + paces.blocks, life_of(&looping));
	while (most - least > paces.blocks) {
		u64 middle = least + (most - least) / 2;

		if (ends_within(&looping, &paces, middle) <= blocks)
			least = middle;
		else
			most = middle;
	}
	out->left = least;
	out->trip_instructions = trip_instructions(&looping);
}

u64 gpu_queue_advance(struct gpu *gpu, u32 slot, u32 queue, u64 trips)
{
	struct looping looping;
	struct paces paces;
	struct block *block;
	u64 done = 0;
	u32 place;

	if (!find_loop(gpu, slot, queue, &looping))
		return 0;
	paces = paces_of(&looping);
	for (place = 0; (block = next_resident(&looping, &place)); place++)
		done += advance_at_pace(&looping, place, block, &paces, trips);
	return done;
}

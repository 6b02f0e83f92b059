// SPDX-License-Identifier: GPL-2.0
/*
 * Stretches of sampled time: in which units each queue's work is measured, and when a stretch has
 * whole units of all of them.
 */
#include "sampling_state.h"
#include "sampling_stretch.h"
#include "sampling_trips.h"

/* Calls a function for each queue with work, until it returns false; then so does this. */
bool sampling_all_queues(struct session *session, u32 way,
			 bool (*each)(const struct working *working))
{
	struct sampling *sampling = session->sampling;
	struct measure *measure = &sampling->measure[way];
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		mask = working_queues(&session->tenants[slot]);
		for (; mask; mask &= mask - 1) {
			u32 queue = (u32)__builtin_ctz(mask);
			struct working working = {
				.session = session,
				.known = &sampling->queue[slot][queue],
				.measure = measure,
				.part = &measure->part[slot][queue],
				.slot = slot, .queue = queue,
			};

			gpu_queue_status(session->gpu, slot, queue, &working.status);
			if (!each(&working))
				return false;
		}
	}
	return true;
}

/*
 * Where a queue is in its trace, in parts of a kernel since it was first seen. A thread
 * block that is on an SM counts as half done.
 */
u64 sampling_place(const struct working *working)
{
	const struct gpu_kernel_status *status = &working->status;
	u64 place = working->known->ended * KERNEL_PARTS;

	if (status->running)
		place += ((u64)status->blocks_issued + status->blocks_finished) *
			 KERNEL_PARTS / (2 * (u64)status->blocks);
	return place;
}

/* --- stretches --------------------------------------------------------------------- */

bool sampling_see_queue(const struct working *working)
{
	working->known->resident = max(working->known->resident,
				       resident_blocks(working));
	return true;
}

static bool mark_queue(const struct working *working)
{
	struct part *part = working->part;

	part->place[1] = sampling_place(working);
	part->blocks[1] = working->status.blocks_finished;
	return true;
}

static bool mark_first(const struct working *working)
{
	struct part *part = working->part;

	part->place[0] = part->place[1];
	part->blocks[0] = part->blocks[1];
	return true;
}

/* The next stretch begins. */
void sampling_begin_stretch(struct session *session, u32 way)
{
	struct measure *measure = &session->sampling->measure[way];
	struct simgpu_counters counters;
	u32 slot;

	measure->begin[1] = session_now(session);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		gpu_tenant_counters(session->gpu, slot, &counters);
		measure->issued[1][slot] = counters.thread_instructions;
	}
	sampling_all_queues(session, way, mark_queue);
}

/* The first stretch of a measurement begins, or what comes before it. */
void sampling_begin_phase(struct session *session, u32 way, u64 phase)
{
	struct measure *measure = &session->sampling->measure[way];
	u32 slot;

	sampling_begin_stretch(session, way);
	measure->phase = phase;
	measure->begin[0] = measure->begin[1];
	memcpy(measure->issued[0], measure->issued[1], sizeof(measure->issued[0]));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		measure->squares[slot] = session->sampling->doubt[slot].squares;
	measure->stretches = 0;
	measure->units = 1;
	gpu_tally(session->gpu, begin_tally(session, way));
	sampling_all_queues(session, way, mark_first);
}

/* What a tenant has issued is known, and of which queue it is if only one has work. */
static bool is_only_queue(const struct working *working)
{
	u32 mask = working_queues(&working->session->tenants[working->slot]);

	return !(mask & (mask - 1));
}

/* A kernel begins to warm up, or is seen first. */
static bool note_kernel(const struct working *working)
{
	working->part->fresh = !working->status.blocks_finished;
	working->part->trip = is_only_queue(working) ?
			      sampling_trip(queue_of(working)) : 0;
	return true;
}

void sampling_begin_warm(struct session *session, u32 way)
{
	session->sampling->measure[way].leaps = session->sampling->leaps;
	session->sampling->measure[way].known = false;
	sampling_begin_phase(session, way, PHASE_WARM);
	sampling_all_queues(session, way, note_kernel);
}

/* A queue that does nothing at all holds no stretch up. */
static bool does_nothing(const struct working *working)
{
	return !resident_blocks(working) &&
	       sampling_place(working) == working->part->place[1];
}

/* Whether a kernel of the queue has ended since the stretch began. */
static bool has_ended_kernel(const struct working *working)
{
	return working->known->ended > working->part->place[1] / KERNEL_PARTS;
}

/* Thread blocks of its kernel that have ended since then, if it is the same kernel */
static u64 ended_blocks(const struct working *working)
{
	return working->status.blocks_finished - working->part->blocks[1];
}

/* Thread instructions of the tenant in the present stretch */
static u64 issued_in_stretch(const struct working *working)
{
	struct simgpu_counters counters;

	gpu_tenant_counters(working->session->gpu, working->slot, &counters);
	return counters.thread_instructions - working->measure->issued[1][working->slot];
}

/* Whether each thread block has done enough trips since the stretch began, on the average. */
static bool has_done_trips(const struct working *working, u64 units)
{
	return issued_in_stretch(working) >=
	       fixed_mul(working->part->trip * TRIPS_LEAST,
			 working->known->resident * units);
}

/*
 * Whether the kernel's blocks live so long that trips of their loop are measured. How long they
 * live follows from what they have issued.
 */
static bool lives_long(const struct working *working)
{
	u64 issued = issued_in_stretch(working);

	return working->part->trip && issued &&
	       fixed_mul_div(cycles_of_stretch(working->session, working->measure),
			     working->known->resident * block_instructions(working),
			     issued) >= LONG_LIFE;
}

/*
 * Whether a kernel has ended since all began, or as many blocks as were on SMs at once; or, of
 * blocks that live long, as many trips.
 */
bool sampling_is_warm(const struct working *working)
{
	if (has_ended_kernel(working) || does_nothing(working))
		return true;
	if (working->measure != &working->session->sampling->measure[BY_PERIODS] &&
	    lives_long(working) && has_done_trips(working, 1))
		return true;
	return working->known->resident &&
	       ended_blocks(working) >= working->known->resident;
}

/*
 * Whether a stretch has whole units of the queue's work. Of short periods it ends near the end of
 * one: else one kind of kernels would count too much in it.
 */
bool sampling_is_whole(const struct working *working)
{
	const struct part *part = working->part;
	u64 done, period;

	if (does_nothing(working))
		return true;
	if (part->in_blocks && part->trip)
		return has_done_trips(working, working->measure->units);
	if (part->in_blocks)
		return ended_blocks(working) >=
		       working->known->resident * working->measure->units;
	done = sampling_place(working) - part->place[1];
	period = KERNEL_PARTS * period_of(working->session, working->slot, working->queue);
	return done >= period * working->measure->units &&
	       (done % period * ROUND_PART <= done ||
		cycles_of_stretch(working->session, working->measure) >= LASTING_CYCLES);
}

/* How long the queue's kernel takes, at the rate at which its blocks have ended or issued. */
static u64 kernel_cycles(const struct working *working)
{
	u64 ended = ended_blocks(working);
	u64 cycles = cycles_of_stretch(working->session, working->measure);

	if (lives_long(working))
		return fixed_mul_div(cycles, present_kernel(queue_of(working))->instructions,
				     issued_in_stretch(working));
	return ended ? fixed_mul_div(cycles, working->status.blocks, ended) : NEVER;
}

/*
 * Whether there is room for several stretches in the queue's kernel, and the period of its
 * trace would take a great part of an epoch. Its rate is known when no kernel has ended
 * since its way of measuring began to warm up.
 */
static bool lasts(const struct working *working)
{
	const struct sampled_queue *known = working->known;
	u64 cycles;

	if (has_ended_kernel(working) || !known->resident ||
	    present_kernel(queue_of(working))->instructions <= known->brief ||
	    (!lives_long(working) &&
	     working->status.blocks < known->resident * LASTING_GENERATIONS))
		return false;
	cycles = kernel_cycles(working);
	return cycles >= LASTING_CYCLES &&
	       fixed_mul(cycles, period_of(working->session, working->slot,
					   working->queue)) >=
	       working->session->epoch_cycles / LASTING_PART;
}

/*
 * How long a period of the queue's trace takes, at the rate at which its tenant has issued. So
 * those of several queues with work look shorter than they are.
 */
static u64 period_cycles(const struct working *working)
{
	u64 issued = issued_in_stretch(working);

	return issued ? fixed_mul_div(cycles_of_stretch(working->session, working->measure),
				      period_instructions(working), issued) : NEVER;
}

/* Choose how the queue's work is measured by blocks. */
static bool choose_unit(const struct working *working)
{
	working->part->in_blocks = lasts(working);
	if (!lives_long(working))
		working->part->trip = 0;
	return true;
}

static bool find_shortest(const struct working *working)
{
	struct measure *measure = &working->session->sampling->measure[BY_LONGEST];

	measure->shortest = min(measure->shortest, period_cycles(working));
	return true;
}

/* And how by the longest: what takes not much longer than the shortest goes by periods. */
static bool choose_if_longest(const struct working *working)
{
	choose_unit(working);
	if (period_cycles(working) < fixed_mul(LONGEST_TIMES, working->measure->shortest))
		working->part->in_blocks = false;
	return true;
}

/* Whether stretches by the longest would be those by blocks. */
static bool is_as_by_blocks(const struct working *working)
{
	return working->part->in_blocks == lasts(working);
}

static bool is_by_periods(const struct working *working)
{
	return !working->part->in_blocks;
}

/* Choose units. False if nothing is to be measured in this way. */
bool sampling_choose_units(struct session *session, u32 way)
{
	switch (way) {
	case BY_BLOCKS:
		sampling_all_queues(session, way, choose_unit);
		break;
	case BY_LONGEST:
		session->sampling->measure[way].shortest = NEVER;
		sampling_all_queues(session, way, find_shortest);
		sampling_all_queues(session, way, choose_if_longest);
		if (sampling_all_queues(session, way, is_as_by_blocks))
			return false;
		break;
	default:
		return true;
	}
	return !sampling_all_queues(session, way, is_by_periods);
}

/* Whether the kernel behind the present one takes long enough to be measured by blocks. */
static bool long_one_follows(const struct queue *queue, u64 brief)
{
	const struct trace *trace = present_launch(queue)->trace;

	return trace->kernels[(queue->kernel + 1) % trace->kernel_count].instructions > brief;
}

/* Whether a queue's kernel, whose beginning was seen, was too short to be measured by blocks. */
static bool was_short(const struct session *session, const struct sampled_queue *known)
{
	return known->ended && session_now(session) - known->since < LASTING_CYCLES;
}

/*
 * Whether measuring by blocks begins anew, since a queue's kernel has ended. If that one was
 * too short, or was there from the beginning and ended before enough was known of it, those that
 * are no longer would be so too: they are measured by periods.
 */
static bool ends_blocks(struct session *session, u32 slot, u32 number)
{
	const struct measure *measure = &session->sampling->measure[BY_BLOCKS];
	const struct queue *queue = &session->tenants[slot].queue[number];
	struct sampled_queue *known = &session->sampling->queue[slot][number];
	const struct part *part = &measure->part[slot][number];
	u64 instructions = present_kernel(queue)->instructions;
	bool in_vain = part->fresh && !measure->known &&
		       measure->leaps == session->sampling->leaps;

	if (was_short(session, known) ||
	    (in_vain && (measure->phase == PHASE_WARM || part->in_blocks)))
		known->brief = max(known->brief, instructions);
	if (part->in_blocks && measure->phase == PHASE_MEASURE)
		return true;
	if (instructions <= known->brief)
		return long_one_follows(queue, known->brief);
	return measure->phase != PHASE_MEASURE;
}

/*
 * Likewise by the longest, where ends of kernels are a part of the stretches of all others. If
 * nothing was to be measured, there may be something with the next kernel.
 */
static bool ends_longest(const struct session *session, u32 slot, u32 queue)
{
	const struct measure *measure = &session->sampling->measure[BY_LONGEST];

	return measure->phase == PHASE_OFF ||
	       (measure->phase == PHASE_MEASURE && measure->part[slot][queue].in_blocks);
}

static void kernel_ended(struct session *session, u32 slot, u32 queue)
{
	struct sampled_queue *known = &session->sampling->queue[slot][queue];

	if (ends_blocks(session, slot, queue))
		session->sampling->measure[BY_BLOCKS].phase = PHASE_OVER;
	if (ends_longest(session, slot, queue))
		session->sampling->measure[BY_LONGEST].phase = PHASE_OVER;
	known->ended++;
	known->resident = 0;
	known->since = session_now(session);
}

/* sampling_kernels_ended() - kernels have ended, and the next ones have not begun */
void sampling_kernels_ended(struct session *session, const struct ended *ended)
{
	u64 slots = session->sampled ? ended->slots : 0;
	u32 queues;

	for (; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		for (queues = ended->queues[slot]; queues; queues &= queues - 1)
			kernel_ended(session, slot, (u32)__builtin_ctz(queues));
	}
}

/* Note what each tenant issued in the stretch that is over. */
void sampling_note_rates(struct session *session, u32 way)
{
	struct measure *measure = &session->sampling->measure[way];
	u64 *rate = measure->rate[measure->stretches++];
	struct simgpu_counters counters;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		gpu_tenant_counters(session->gpu, slot, &counters);
		rate[slot] = fixed_mul_div(counters.thread_instructions -
					   measure->issued[1][slot], SIMGPU_PPM,
					   cycles_of_stretch(session, measure));
	}
}

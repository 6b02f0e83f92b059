// SPDX-License-Identifier: GPL-2.0
/* Leaps of sampled time: how far one may go, and what is left out meanwhile. */
#include "launch.h"
#include "sampling_leap.h"
#include "sampling_state.h"
#include "sampling_stretch.h"
#include "sampling_trips.h"

/*
 * Whether all is on SMs that was there before: if no thread block follows those that have ended,
 * the rest are faster, and become fewer. Only what is measured in trips sees that.
 */
bool sampling_is_full(const struct working *working)
{
	return !working->part->in_blocks || !working->part->trip ||
	       resident_blocks(working) >= working->known->resident ||
	       gpu_queue_left(working->session->gpu, working->slot, working->queue);
}

/* How long the queue's kernel would take at the rate by which the session leaps. */
static u64 leapt_cycles_of_kernel(const struct working *working)
{
	u64 done = done_of(working);

	return done ? fixed_mul_div(present_kernel(queue_of(working))->instructions,
				    kept_in_use(working->session)->cycles, done) : NEVER;
}

/* Thread blocks of its kernel that a queue can leave out: a generation stays. */
static u64 blocks_left(const struct working *working)
{
	u64 resident = max(working->known->resident, resident_blocks(working));

	return fixed_above(gpu_queue_left(working->session->gpu, working->slot,
					  working->queue), resident + 1);
}

/* Leave out as many blocks of a queue's kernel as it owes instructions. */
static void leave_out_blocks(const struct working *working)
{
	u64 each = block_instructions(working);
	u64 count = min(working->known->owed / each, blocks_left(working));

	gpu_queue_skip(working->session->gpu, working->slot, working->queue, (u32)count);
	working->known->owed -= count * each;
}

/* Leave out as many trips of its thread blocks, when it owes one of each. */
static void leave_out_trips(const struct working *working)
{
	u64 trips = working->known->owed / trip_of(working);

	if (trips && trips >= resident_blocks(working))
		working->known->owed -= gpu_queue_advance(working->session->gpu,
							  working->slot, working->queue,
							  trips);
}

/* The same, but short kernels stay whole: an end takes as long with one block as with many. */
bool sampling_skip_blocks(const struct working *working)
{
	if (trip_of(working))
		leave_out_trips(working);
	else if (is_in_blocks(working) || leapt_cycles_of_kernel(working) >= LASTING_CYCLES)
		leave_out_blocks(working);
	return true;
}

/* --- leaps ------------------------------------------------------------------------- */

/*
 * Kernels that a queue can leave out, whole periods: its launch must not end, nor its first
 * run. A launch that is launched again and again never ends.
 */
static u64 kernels_left(const struct session *session, u32 slot, u32 number)
{
	const struct queue *queue = &session->tenants[slot].queue[number];
	const struct launch *launch = present_launch(queue);
	u64 count = launch->trace->kernel_count;
	u64 runs = launch->repeats_left;

	if (!queue->ran)
		runs = 1;
	else if (runs == 1 && session->initial.relaunch && queue->launches == 1)
		return U32_MAX;
	return fixed_above(fixed_mul(runs, count), queue->kernel + 1);
}

/*
 * The thread instructions that a queue can leave out, trips or whole thread blocks of its
 * kernel or whole periods, when it has left out what it owes.
 */
static u64 work_left(const struct working *working)
{
	const struct session *session = working->session;
	u32 slot = working->slot, queue = working->queue;
	u64 count, each;

	if (trip_of(working)) {
		each = 1;
		count = sampling_trips_left(session, slot, queue);
	} else if (is_in_blocks(working)) {
		each = block_instructions(working);
		count = fixed_above(gpu_queue_left(session->gpu, slot, queue),
				    resident_blocks(working) + 1);
	} else {
		each = period_instructions(working);
		count = kernels_left(session, slot, queue) /
			period_of(session, slot, queue);
	}
	return fixed_above(fixed_mul(count, each), working->known->owed);
}

/*
 * Thread blocks that live long and begin together drift apart for as long as they live, and
 * with them what they find in caches and open rows. So what was measured in trips holds until
 * the kernel is twice as old as it was then: by then it is measured again.
 */
static bool limit_to_age(const struct working *working)
{
	struct sampling *sampling = working->session->sampling;
	const struct kept *kept = kept_in_use(working->session);
	u64 age = age_of(working);

	if (trip_of(working))
		sampling->left = min(sampling->left,
				     max(age, fixed_above(2 * kept->age[working->slot], age)));
	return true;
}

/*
 * Shorten the leap to what a queue has left, rounded up: else its last period would be one
 * instruction short, and thread blocks of it be left out in its place. False if it may leave
 * nothing out.
 */
static bool plan_queue(const struct working *working)
{
	const struct session *session = working->session;
	struct sampling *sampling = session->sampling;
	u64 left = work_left(working);

	if (done_of(working))
		sampling->left = min(sampling->left,
				     left ? ROUND_UP_CYCLES +
					    fixed_mul_div(left, kept_in_use(session)->cycles,
							  done_of(working)) : 0);
	return gpu_queue_issue_left(session->gpu, working->slot,
				    working->queue) == GPU_NO_LIMIT;
}

/* --- errors ------------------------------------------------------------------------ */

/* By how much a tenant's @squares grow if time leaps by @cycles. */
static u64 squares_of_leap(u64 leapt, u64 variance, u64 cycles)
{
	u64 before = min(leapt / ERROR_CYCLES, ERROR_TIME_MOST);
	u64 after = min((leapt + cycles) / ERROR_CYCLES, ERROR_TIME_MOST);

	return (after * after - before * before) * variance;
}

/*
 * sampling_error_allows() - whether a leap's error is within what is wanted of all that each
 *	tenant has done
 * @variance: of what is measured, by slot
 * @leapt: cycles that were leapt by that before
 * @cycles: of the leap
 */
bool sampling_error_allows(const struct session *session, const u64 *variance, u64 leapt,
			   u64 cycles)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct doubt *doubt = &session->sampling->doubt[slot];
		u64 time = (session_now(session) + cycles - doubt->from) / ERROR_CYCLES;
		u64 most = time * session->sampled * SAMPLING_ERROR_PARTS / 100;

		if (works(&session->tenants[slot]) &&
		    doubt->squares + squares_of_leap(leapt, variance[slot], cycles) >
		    most * most)
			return false;
	}
	return true;
}

/* sampling_count_errors() - remember the error of a part of a leap */
void sampling_count_errors(struct session *session, const u64 *variance, u64 leapt,
			   u64 cycles)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		session->sampling->doubt[slot].squares +=
			squares_of_leap(leapt, variance[slot], cycles);
}

/* --- a leap ------------------------------------------------------------------------- */

/* How long a generation of the thread blocks of any queue takes, the longest one */
static bool find_generation(const struct working *working)
{
	struct sampling *sampling = working->session->sampling;
	u64 resident = max(working->known->resident, resident_blocks(working));

	if (done_of(working))
		sampling->part = max(sampling->part,
				     fixed_mul_div(resident * block_instructions(working),
						   kept_in_use(working->session)->cycles,
						   done_of(working)));
	return true;
}

/*
 * A leap that would be cut short by a launch whose cycle is known has whole generations of
 * thread blocks, and the rest is simulated. Else all such launches would meet blocks
 * that are as far as they were when the leap began, and wait for their SMs always as long.
 */
static void end_before_launch(struct session *session, u32 way)
{
	struct sampling *sampling = session->sampling;
	u64 idle = fixed_above(launch_next_start(session), session_now(session));

	if (sampling->left < idle)
		return;
	sampling->part = 1;
	sampling_all_queues(session, way, find_generation);
	sampling->left = idle - idle % sampling->part;
}

/*
 * Leap as what is in use has measured, if that may be done. It pays if the leap is at least as
 * long as what was measured last, unless a queue has less left.
 */
bool sampling_begin_leap(struct session *session, u32 way)
{
	struct sampling *sampling = session->sampling;
	u64 least = kept_in_use(session)->least;

	sampling->left = kept_in_use(session)->cycles * LEAP_MOST;
	sampling_all_queues(session, way, limit_to_age);
	while (sampling->left >= least &&
	       !sampling_error_allows(session, kept_in_use(session)->variance,
				      kept_in_use(session)->leapt, sampling->left))
		sampling->left /= 2;
	if (sampling->left < least || gpu_has_quotas(session->gpu) ||
	    session_needs(session) & SIMGPU_NEEDS_PRIVATE_RUNS ||
	    !sampling_all_queues(session, way, sampling_is_full) ||
	    !sampling_all_queues(session, way, plan_queue))
		return false;
	end_before_launch(session, way);
	if (sampling->left < LOOK_CYCLES)
		return false;
	sampling->leaps++;
	sampling->leaping = true;
	sampling->way = way;
	return true;
}

/* Leave kernels out, whole periods: the queue stands where it would be after them. */
static void skip_kernels(const struct working *working, u64 kernels)
{
	struct queue *queue = &working->session->tenants[working->slot].queue[working->queue];
	struct launch *launch = &queue->launch[queue->head];
	u64 count = launch->trace->kernel_count, runs;

	gpu_count_kernels(working->session->gpu, working->slot, kernels);
	working->known->ended += kernels;
	runs = (queue->kernel + kernels) / count;
	queue->kernel = (u32)((queue->kernel + kernels) % count);
	if (launch->repeats_left > runs)
		launch->repeats_left -= runs;
	else
		launch->done |= !!runs;
}

static void skip_periods(const struct working *working)
{
	u64 each = period_instructions(working);
	u64 period = period_of(working->session, working->slot, working->queue);
	u64 left = kernels_left(working->session, working->slot, working->queue);
	u64 count = min(working->known->owed / each, left / period);

	skip_kernels(working, count * period);
	working->known->owed -= count * each;
}

/*
 * Leave a queue's work of the leap's part out: whole periods, if it is measured by them, so that
 * it stands where it stood, or thread blocks and trips. What it still owes then is left out later.
 */
static bool skip_work(const struct working *working)
{
	working->known->owed += fixed_mul_div(done_of(working),
					      working->session->sampling->part,
					      kept_in_use(working->session)->cycles);
	if (!is_in_blocks(working)) {
		skip_periods(working);
		/* It stands where it stood, and so its kernel is no older. */
		working->known->since += working->session->sampling->part;
		return true;
	}
	return sampling_skip_blocks(working);
}

/* sampling_pass() - device time has leapt */
void sampling_pass(struct session *session, u64 cycles)
{
	struct doubt *doubt = session->sampling->doubt;
	u32 slot;

	session->sampling->leapt += cycles;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!doubt[slot].works)
			continue;
		doubt[slot].until = session_now(session);
		doubt[slot].leapt += cycles;
	}
	if (session->hooks.leap)
		session->hooks.leap(session->hooks.context, cycles);
}

/* sampling_leap() - device time leaps to @until, or to the end of the leap */
void sampling_leap(struct session *session, u64 until)
{
	struct sampling *sampling = session->sampling;
	struct kept *kept = kept_in_use(session);

	sampling->part = min(until - session_now(session), sampling->left);
	gpu_count_leap(session->gpu, kept_tally(session, kept), kept->cycles,
		       sampling->part);
	sampling_all_queues(session, sampling->way, skip_work);
	sampling_count_errors(session, kept->variance, kept->leapt, sampling->part);
	kept->leapt += sampling->part;
	sampling->left -= sampling->part;
	sampling_pass(session, sampling->part);
}

/* --- for leaps over requests ---------------------------------------------------------- */

/* The queue with work of a tenant that has one such. */
static bool find_only_queue(struct session *session, u32 slot, struct working *out)
{
	u32 mask = working_queues(&session->tenants[slot]);
	u32 queue = mask ? (u32)__builtin_ctz(mask) : 0;

	*out = (struct working){
		.session = session, .slot = slot, .queue = queue,
		.known = &session->sampling->queue[slot][queue],
	};
	gpu_queue_status(session->gpu, slot, queue, &out->status);
	return mask && !(mask & (mask - 1));
}

/* Whether the present kernel takes long, so that blocks of it can be left out. */
static bool lasts_at(const struct working *working, const struct sampling_rate *rate)
{
	return working->status.running && rate->instructions &&
	       fixed_mul_div(present_kernel(queue_of(working))->instructions, rate->cycles,
			     rate->instructions) >= LASTING_CYCLES;
}

/*
 * sampling_can_leave_out() - thread instructions of a tenant that a leap can leave out
 * @rate: at which the tenant does them
 */
u64 sampling_can_leave_out(struct session *session, u32 slot,
			   const struct sampling_rate *rate)
{
	struct working working;
	u64 left;

	if (!find_only_queue(session, slot, &working) ||
	    gpu_queue_issue_left(session->gpu, slot, working.queue) != GPU_NO_LIMIT)
		return 0;
	left = fixed_mul(kernels_left(session, slot, working.queue) /
			 period_of(session, slot, working.queue),
			 period_instructions(&working));
	if (lasts_at(&working, rate))
		left = fixed_add(left, fixed_mul(blocks_left(&working),
						 block_instructions(&working)));
	return fixed_above(left, working.known->owed);
}

/*
 * sampling_leave_out() - leave out work of a tenant, up to sampling_can_leave_out()
 *
 * What is no whole period of its trace, or thread block, is left out later.
 */
void sampling_leave_out(struct session *session, u32 slot,
			const struct sampling_rate *rate, u64 instructions)
{
	struct working working;

	if (!find_only_queue(session, slot, &working))
		return;
	working.known->trace = trace_of(session, slot, working.queue)->checksum;
	working.known->owed += instructions;
	skip_periods(&working);
	if (lasts_at(&working, rate))
		leave_out_blocks(&working);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Sampled time. The session measures stretches in a row, two at least. Then device time
 * leaps: counters grow as they did in the stretches, and work is left out in proportion.
 * How far depends on how much the stretches differ: for each tenant, the standard error of
 * all that it has done is to be at most the wanted one. Errors of measurements are taken to be
 * independent of each other, so that they partly cancel out, those of leaps by the same
 * measurement to be the same.
 *
 * It measures in three ways at once, and leaps by the one that is ready first:
 * - by periods: a stretch has whole periods of every trace, after which it does the same
 *   again. Such a leap passes ends of kernels.
 * - by the longest: of traces whose period takes much longer than another one's a stretch has
 *   whole generations of thread blocks, as below, and whole periods of the others. So a leap
 *   passes ends of the others' kernels.
 * - by blocks: inside of a kernel that lasts a stretch has a whole generation of its thread
 *   blocks, as many as are on the SMs at once: blocks that began together end together, and
 *   a shorter stretch would be biased. Other queues are measured by periods meanwhile. It
 *   begins anew with each such kernel. Where blocks live long the unit is a trip of the loop
 *   of their warps, and leaps move the blocks that are on SMs.
 * What is leapt over in one of these ways is a part of the stretches of those before it.
 *
 * What was measured is kept. When the same kernels run again, on the same SMs, a leap
 * follows as soon as they have warmed up.
 *
 * A leap ends before a kernel runs out of blocks, and before a launch ends: these ends are
 * always simulated. It stops wherever a run of the hardware would: at the end of an epoch, an
 * arrival, a decision. If these change something, the session measures anew. Where leaps
 * begin and how long they are follows from the session's state alone, so that device,
 * offline run and replay agree.
 */
#include "commands.h"
#include "launch.h"
#include "sampling_kept.h"
#include "sampling_leap.h"
#include "sampling_state.h"
#include "sampling_stretch.h"

size_t sampling_bytes(const struct gpu_config *config)
{
	return sizeof(struct sampling) +
	       (WAYS + KEPT + 1) * sizeof(u64) * gpu_tally_count(config);
}

/*
 * sampling_begin() - begin to sample, or go on with another percentage
 *
 * What was measured for the one before is forgotten. What was leapt stays, since device time
 * must not go back, and so do the errors of that.
 */
void sampling_begin(struct session *session)
{
	const size_t kept = offsetof(struct sampling, look);
	struct sampling *sampling = session->sampling;

	if (!sampling)
		return;
	memset((char *)sampling + kept, 0,
	       sampling_bytes(&session->initial.config) - kept);
	sampling->look = session_now(session) + LOOK_CYCLES;
	sampling->epochs = session->epochs;
}

u64 sampling_leapt(const struct session *session)
{
	return session->sampling ? session->sampling->leapt : 0;
}

/*
 * An epoch that has ended between two runs of the hardware, as by an arrival, is looked at
 * before the next one: how far that goes is the owner's choice.
 */
u64 sampling_next_look(const struct session *session)
{
	if (!session->sampled)
		return NEVER;
	return session->epochs == session->sampling->epochs ?
	       session->sampling->look : session_now(session);
}

u64 sampling_hash(const struct session *session, u64 hash)
{
	const struct gpu_config *config = &session->initial.config;

	return session->sampling ? hash_bytes(hash, session->sampling,
					      sampling_bytes(config)) : hash;
}

u32 sampling_error_ppm(const struct session *session, u32 slot)
{
	const struct doubt *doubt;
	u64 time, seen, unseen;

	if (!session->sampling)
		return 0;
	doubt = &session->sampling->doubt[slot];
	time = max(doubt->until - doubt->from, 1ULL);
	seen = min(fixed_sqrt(doubt->squares) * (SIMGPU_PPM / SAMPLING_ERROR_PARTS) /
		   max(time / ERROR_CYCLES, 1ULL), 1ULL * SIMGPU_PPM);
	unseen = fixed_mul_div(UNSEEN_PPM, doubt->leapt, time);
	return (u32)fixed_sqrt(seen * seen + unseen * unseen);
}

void session_sampling(const struct session *session, struct session_sampling *out)
{
	const struct sampling *sampling = session->sampling;

	out->leaps = sampling ? sampling->leaps : 0;
	out->leapt_cycles = sampling_leapt(session);
}

/* --- what runs --------------------------------------------------------------------- */

/* All that a policy or a model can change, and what runs. */
static u64 situation_of(const struct session *session)
{
	/* What a policy says of the clock counts by what the clock is. */
	u64 hash = hash_bytes(0, &session->controls,
			      offsetof(struct simgpu_proposal, clock_mhz));
	u32 slot, mask, sm;

	for (sm = 0; sm < session->initial.config.sms; sm++)
		hash = hash_mix(hash, gpu_sm_next_owner(session->gpu, sm));
	hash = hash_bytes(hash, &session->probe, sizeof(session->probe));
	if (session->power.below)
		hash = hash_mix(hash, session->power.below);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		hash = hash_mix(hash, working_queues(tenant));
		hash = hash_bytes(hash, &tenant->masks, sizeof(tenant->masks));
		for (mask = working_queues(tenant); mask; mask &= mask - 1)
			hash = hash_mix(hash,
					trace_of(session, slot,
						 (u32)__builtin_ctz(mask))->checksum);
	}
	return hash;
}

/* Somebody may have left, and another one come with the same trace, between two looks. */
static u64 arrivals_of(const struct session *session)
{
	u64 hash = 0;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		hash = hash_mix(hash, session->tenants[slot].arrival_cycle);
	return hash;
}

/* Whether what was measured still holds. */
static bool goes_on(const struct session *session)
{
	return situation_of(session) == session->sampling->situation &&
	       arrivals_of(session) == session->sampling->arrivals;
}

/* Who begins to work has no errors yet; of a long time half is forgotten. */
static void see_doubts(struct session *session)
{
	u64 now = session_now(session);
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct doubt *doubt = &session->sampling->doubt[slot];

		if (!works(&session->tenants[slot])) {
			doubt->works = false;
			continue;
		}
		if (!doubt->works)
			*doubt = (struct doubt){ .from = now, .works = true };
		doubt->until = now;
		if ((now - doubt->from) / ERROR_CYCLES >= ERROR_TIME_MOST) {
			doubt->from += (now - doubt->from) / 2;
			doubt->leapt /= 2;
			doubt->squares /= 4;
		}
	}
}

/* All that is known of a queue is forgotten, but what it owes while the same trace runs. */
static void forget_queue(struct session *session, u32 slot, u32 queue)
{
	bool works = working_queues(&session->tenants[slot]) >> queue & 1;
	u64 trace = works ? trace_of(session, slot, queue)->checksum : 0;
	struct sampled_queue *known = &session->sampling->queue[slot][queue];
	u64 owed = trace == known->trace ? known->owed : 0;

	*known = (struct sampled_queue){
		.owed = owed, .trace = trace, .since = session_now(session),
	};
}

/* What was measured does not hold any more. */
static void begin_anew(struct session *session)
{
	struct sampling *sampling = session->sampling;
	u32 slot, queue, way;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		for (queue = 0; queue < SESSION_QUEUES_MAX; queue++)
			forget_queue(session, slot, queue);
	sampling->situation = situation_of(session);
	sampling->arrivals = arrivals_of(session);
	sampling->leaping = false;
	see_doubts(session);
	for (way = 0; way < WAYS; way++)
		sampling_begin_warm(session, way);
}

/*
 * sampling_leaps() - whether device time leaps now
 *
 * Since the last part of the leap somebody may have come or left, or changed a setting.
 */
bool sampling_leaps(struct session *session)
{
	struct sampling *sampling = session->sampling;

	if (!sampling || !sampling->leaping)
		return false;
	if (goes_on(session) && !commands_any(session))
		return true;
	sampling->look = session_now(session) + LOOK_CYCLES;
	begin_anew(session);
	return false;
}

/* --- the next step ------------------------------------------------------------------ */

/*
 * The leap is over. It belongs to the stretches of the ways before its own; its own and those
 * behind it go on with new stretches.
 */
static void end_leap(struct session *session)
{
	struct sampling *sampling = session->sampling;
	u32 way;

	sampling->leaping = false;
	for (way = sampling->way; way < WAYS; way++) {
		if (sampling->measure[way].phase == PHASE_MEASURE)
			sampling_begin_phase(session, way, PHASE_MEASURE);
		else if (sampling->measure[way].phase == PHASE_WARM)
			sampling_begin_warm(session, way);
	}
}

/* All has warmed up. Leap as was measured when the same ran before, or begin to measure. */
static void end_warm(struct session *session, u32 way)
{
	if (!sampling_choose_units(session, way)) {
		session->sampling->measure[way].phase = PHASE_OFF;
		return;
	}
	sampling_begin_phase(session, way, PHASE_MEASURE);
	if (sampling_use_kept(session->sampling, sampling_key(session, way)))
		sampling_begin_leap(session, way);
}

/*
 * Two stretches each become one. What is chance in short ones, since thread blocks come and go
 * in bunches, cancels out in long ones.
 */
static void join_stretches(struct measure *measure)
{
	u32 i, slot;

	measure->stretches /= 2;
	measure->units *= 2;
	for (i = 0; i < measure->stretches; i++)
		for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
			measure->rate[i][slot] = (measure->rate[2 * i][slot] +
						  measure->rate[2 * i + 1][slot]) / 2;
}

/* A stretch is over. Leap, if enough is known, or measure the next one. */
static void end_stretch(struct session *session, u32 way)
{
	struct measure *measure = &session->sampling->measure[way];
	bool full = sampling_all_queues(session, way, sampling_is_full);

	sampling_note_rates(session, way);
	measure->known |= !full || sampling_is_known(session, way);
	if (full && sampling_is_known(session, way)) {
		sampling_keep(session, way);
		sampling_begin_leap(session, way);
		/* These stretches are in what is kept, and must not be added again. */
		sampling_begin_phase(session, way, PHASE_MEASURE);
		return;
	}
	if (measure->stretches == STRETCHES_MOST)
		join_stretches(measure);
	sampling_begin_stretch(session, way);
}

static void next_phase(struct session *session, u32 way)
{
	const struct measure *measure = &session->sampling->measure[way];
	u64 cycles = cycles_of_stretch(session, measure);

	switch (measure->phase) {
	case PHASE_OVER:
		sampling_begin_warm(session, way);
		break;
	case PHASE_WARM:
		if (cycles >= WARM_CYCLES && sampling_all_queues(session, way, sampling_is_warm))
			end_warm(session, way);
		break;
	case PHASE_MEASURE:
		if (cycles >= STRETCH_CYCLES &&
		    sampling_all_queues(session, way, sampling_is_whole))
			end_stretch(session, way);
		break;
	}
}

/*
 * sampling_passed() - time has leapt over requests
 * @anew: not right behind the last such leap
 */
void sampling_passed(struct session *session, bool anew)
{
	struct sampling *sampling = session->sampling;

	sampling->leaps += anew;
	sampling->epochs = session->epochs;
	sampling->look = session_now(session) + LOOK_CYCLES;
	begin_anew(session);
}

/*
 * sampling_look() - look whether a stretch is over, or whether something has changed
 * @ended: kernels have ended
 *
 * Called after each run of the hardware. It acts at cycles that follow from the state
 * alone: its own, ends of kernels and of epochs, not where the owner paused.
 */
void sampling_look(struct session *session, bool ended)
{
	struct sampling *sampling = session->sampling;
	u32 way;

	if (!session->sampled || session->stopped ||
	    (!ended && session_now(session) < sampling->look &&
	     session->epochs == sampling->epochs && !sampling->leaping))
		return;
	sampling->epochs = session->epochs;
	sampling->look = session_now(session) + LOOK_CYCLES;
	/* Time does not leap over commands: nobody knows what the next ones are. */
	if (!goes_on(session) || !gpu_is_settled(session->gpu) || commands_any(session)) {
		begin_anew(session);
		return;
	}
	sampling_all_queues(session, BY_PERIODS, sampling_see_queue);
	see_doubts(session);
	if (sampling->leaping) {
		if (!sampling->left)
			end_leap(session);
		return;
	}
	sampling_all_queues(session, BY_PERIODS, sampling_skip_blocks);
	for (way = 0; way < WAYS && !sampling->leaping; way++)
		next_phase(session, way);
}

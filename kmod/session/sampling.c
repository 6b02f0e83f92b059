// SPDX-License-Identifier: GPL-2.0
/*
 * Sampled time. The session measures two stretches in a row. If every tenant issued as
 * many instructions a cycle in both, up to the wanted error, device time leaps: counters
 * grow as they did in the stretches, and work is left out in proportion.
 *
 * Work is counted in thread blocks where a kernel lasts, else in kernels: then a stretch has
 * whole periods of kernels, after which the trace does the same again. A stretch in blocks
 * has a whole generation of them, as many as are on the SMs at once: blocks that began
 * together end together, and a shorter stretch would be biased.
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
#include "../sim/leap.h"
#include "internal.h"
#include "sampling.h"
#include "session.h"

/* Cycles between two looks at the state of the stretch. */
#define LOOK_CYCLES	10000
/* A stretch has so many at least: what is rare, such as refreshes, has to show in it. */
#define STRETCH_CYCLES		50000
/* A leap is at most so many times as long as what was measured for it. */
#define LEAP_MOST	32
/* A kernel that lasts has so many generations of thread blocks, and takes so long. */
#define LASTING_GENERATIONS	8
#define LASTING_CYCLES		(8 * STRETCH_CYCLES)
/* And the period of its trace takes more than this part of an epoch. */
#define LASTING_PART		4
/* Measurements that are kept for when the same runs again. */
#define KEPT			32

/* Tallies of struct sampling: two of beginnings, then what was counted. */
#define COUNTED			2

enum phase {
	PHASE_WARM,		/* something has changed: nothing is measured */
	PHASE_FIRST,
	PHASE_SECOND,
	PHASE_LEAP,
};

PORT_NO_HOLES_BEGIN

/*
 * struct sampled_queue - a queue's part in a stretch
 * @kernels: kernels that have ended in the stretch
 * @before: kernels that ended in the one before
 * @blocks: thread blocks of its kernel that had ended when the two stretches began
 * @by_kernels: whether its work is measured in kernels; else in thread blocks
 * @done: work in the two stretches
 * @rest: of a leap's work, what is left over when whole units have been left out, times the
 *	cycles of the stretches
 * @owed: kernels that a leap has passed, and that are no whole period yet
 * @resident: most thread blocks of the kernel that were on SMs at a look
 * @fresh: the measurement began with its kernel
 * @brief: a kernel ended before enough of its blocks were measured: they are too brief
 */
struct sampled_queue {
	u64 kernels;
	u64 before;
	u64 blocks[2];
	u64 by_kernels;
	u64 done;
	u64 rest;
	u64 owed;
	u64 resident;
	u64 fresh;
	u64 brief;
};

/*
 * struct kept - what two stretches measured
 * @key: hash of what ran then
 * @stretch: cycles of both
 * @by_kernels: by slot, a bit for each queue
 * @done: work of each queue
 */
struct kept {
	u64 key;
	u64 stretch;
	u8 by_kernels[SESSION_SLOTS_MAX];
	u64 done[SESSION_SLOTS_MAX][SESSION_QUEUES_MAX];
};

/*
 * struct sampling - the state of a session's sampling
 * @leapt: device cycles that were leapt
 * @leaps: leaps
 * @look: device cycle of the next look
 * @situation: hash of all that a policy can change, and of what runs
 * @begin: device cycles at which the first and the second stretch began
 * @issued: thread instructions of each slot at these
 * @stretch: cycles of both stretches
 * @left: cycles that are left of the leap
 * @epochs: epochs that had ended at the last look
 * @leaps_before: leaps when the measurement began anew
 * @phase: &enum phase
 * @keep: the measurement that is replaced next
 * @tally: counts at the beginning of either stretch, what both counted, and what those
 *	did that are kept
 */
struct sampling {
	u64 leapt;
	u64 leaps;
	u64 look;
	u64 situation;
	u64 begin[2];
	u64 issued[2][SESSION_SLOTS_MAX];
	u64 stretch;
	u64 left;
	u64 epochs;
	u64 leaps_before;
	u32 phase;
	u32 keep;
	struct kept kept[KEPT];
	struct sampled_queue queue[SESSION_SLOTS_MAX][SESSION_QUEUES_MAX];
	u64 tally[];
};

PORT_NO_HOLES_END

size_t sampling_bytes(const struct gpu_config *config)
{
	return sizeof(struct sampling) +
	       (COUNTED + 1 + KEPT) * sizeof(u64) * gpu_tally_count(config);
}

/*
 * sampling_begin() - begin to sample, or go on with another percentage
 *
 * What was measured for the one before is forgotten. What was leapt stays: device time
 * must not go back.
 */
void sampling_begin(struct session *session)
{
	struct sampling *sampling = session->sampling;
	struct session_sampling before;

	if (!sampling)
		return;
	session_sampling(session, &before);
	memset(sampling, 0, sampling_bytes(&session->initial.config));
	sampling->leaps = before.leaps;
	sampling->leapt = before.leapt_cycles;
	sampling->look = session_now(session) + LOOK_CYCLES;
	sampling->epochs = session->epochs;
}

u64 sampling_leapt(const struct session *session)
{
	return session->sampling ? session->sampling->leapt : 0;
}

u64 sampling_next_look(const struct session *session)
{
	return session->sampled ? session->sampling->look : NEVER;
}

u64 sampling_hash(const struct session *session, u64 hash)
{
	const struct gpu_config *config = &session->initial.config;

	return session->sampling ? hash_bytes(hash, session->sampling,
					      sampling_bytes(config)) : hash;
}

void session_sampling(const struct session *session, struct session_sampling *out)
{
	const struct sampling *sampling = session->sampling;

	out->leaps = sampling ? sampling->leaps : 0;
	out->leapt_cycles = sampling_leapt(session);
}

/* --- what runs --------------------------------------------------------------------- */

static size_t tally_bytes(const struct session *session)
{
	return sizeof(u64) * gpu_tally_count(&session->initial.config);
}

static u64 *tally_of(const struct session *session, u32 number)
{
	return session->sampling->tally +
	       number * gpu_tally_count(&session->initial.config);
}

static const struct trace *trace_of(const struct session *session, u32 slot, u32 queue)
{
	return present_launch(&session->tenants[slot].queue[queue])->trace;
}

/* All that a policy or a model can change, and what runs. */
static u64 situation_of(const struct session *session)
{
	u64 hash = hash_bytes(0, &session->controls, sizeof(session->controls));
	u32 slot, mask;

	hash = hash_bytes(hash, &session->probe, sizeof(session->probe));
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

/* Calls a function for each queue with work, until it returns false; then so does this. */
static bool all_queues(struct session *session,
		       bool (*each)(struct session *session, u32 slot, u32 queue,
				    struct sampled_queue *part))
{
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		mask = working_queues(&session->tenants[slot]);
		for (; mask; mask &= mask - 1) {
			u32 queue = (u32)__builtin_ctz(mask);

			if (!each(session, slot, queue,
				  &session->sampling->queue[slot][queue]))
				return false;
		}
	}
	return true;
}

static u64 resident_blocks(const struct gpu_kernel_status *status)
{
	return status->blocks_issued - status->blocks_finished;
}

/* --- stretches --------------------------------------------------------------------- */

static bool mark_queue(struct session *session, u32 slot, u32 queue,
		       struct sampled_queue *part)
{
	struct gpu_kernel_status status;

	gpu_queue_status(session->gpu, slot, queue, &status);
	part->before = part->kernels;
	part->kernels = 0;
	part->blocks[0] = part->blocks[1];
	part->blocks[1] = status.blocks_finished;
	return true;
}

/* A stretch begins; the one before becomes the first of two. */
static void begin_stretch(struct session *session, u32 phase)
{
	struct sampling *sampling = session->sampling;
	struct simgpu_counters counters;
	u32 slot;

	sampling->phase = phase;
	sampling->begin[0] = sampling->begin[1];
	sampling->begin[1] = session_now(session);
	memcpy(tally_of(session, 0), tally_of(session, 1), tally_bytes(session));
	gpu_tally(session->gpu, tally_of(session, 1));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		gpu_tenant_counters(session->gpu, slot, &counters);
		sampling->issued[0][slot] = sampling->issued[1][slot];
		sampling->issued[1][slot] = counters.thread_instructions;
	}
	all_queues(session, mark_queue);
}

static bool forget_queue(struct session *session, u32 slot, u32 queue,
			 struct sampled_queue *part)
{
	struct gpu_kernel_status status;

	gpu_queue_status(session->gpu, slot, queue, &status);
	*part = (struct sampled_queue){
		.fresh = !status.blocks_finished, .brief = part->brief,
	};
	return true;
}

/*
 * What was measured does not hold any more: a kernel has ended that was measured in blocks,
 * or @situation is another.
 */
static void begin_anew(struct session *session, u64 situation)
{
	struct sampling *sampling = session->sampling;

	if (sampling->situation)
		memset(sampling->queue, 0, sizeof(sampling->queue));
	sampling->situation = situation;
	sampling->leaps_before = sampling->leaps;
	all_queues(session, forget_queue);
	begin_stretch(session, PHASE_WARM);
}

static u64 period_of(const struct session *session, u32 slot, u32 queue)
{
	return trace_of(session, slot, queue)->period;
}

static bool see_queue(struct session *session, u32 slot, u32 queue,
		      struct sampled_queue *part)
{
	struct gpu_kernel_status status;

	gpu_queue_status(session->gpu, slot, queue, &status);
	part->resident = max(part->resident, resident_blocks(&status));
	return true;
}

/* How long a queue's kernel takes, at the rate at which its blocks have ended since a cycle. */
static u64 kernel_cycles(const struct session *session, u64 since, u64 blocks,
			 const struct gpu_kernel_status *status)
{
	u64 ended = status->blocks_finished - blocks;

	return ended ? fixed_mul_div(session_now(session) - since, status->blocks, ended) :
	       NEVER;
}

/*
 * Whether a queue's work is measured by the thread blocks of its kernel: there is room for
 * several stretches in it, and the period of its trace would take a great part of an epoch.
 */
static bool lasts(const struct session *session, u32 slot, u32 queue,
		  const struct sampled_queue *part)
{
	u64 period = period_of(session, slot, queue);
	struct gpu_kernel_status status;
	u64 cycles;

	gpu_queue_status(session->gpu, slot, queue, &status);
	if (part->brief || !part->resident ||
	    status.blocks < part->resident * LASTING_GENERATIONS)
		return false;
	cycles = kernel_cycles(session, session->sampling->begin[1],
			       part->blocks[1], &status);
	return cycles >= LASTING_CYCLES &&
	       fixed_mul(cycles, period) >= session->epoch_cycles / LASTING_PART;
}

/* Choose how a queue's work is measured, until something changes. */
static bool choose_unit(struct session *session, u32 slot, u32 queue,
			struct sampled_queue *part)
{
	part->by_kernels = !lasts(session, slot, queue, part);
	return true;
}

/* Whether it is measured in blocks; while it warms up, whether it would be. */
static bool is_in_blocks(const struct session *session, u32 slot, u32 queue,
			 const struct sampled_queue *part)
{
	return session->sampling->phase == PHASE_WARM ?
	       lasts(session, slot, queue, part) : !part->by_kernels;
}

/* Whether a stretch has a whole unit of the queue's work, or the queue has nothing to do. */
static bool is_whole(struct session *session, u32 slot, u32 queue,
		     struct sampled_queue *part)
{
	struct gpu_kernel_status status;
	u64 done;

	if (part->kernels)
		return part->kernels >= period_of(session, slot, queue);
	gpu_queue_status(session->gpu, slot, queue, &status);
	done = status.blocks_finished - part->blocks[1];
	if (!status.running || (!resident_blocks(&status) && !done))
		return true;
	return done >= part->resident && is_in_blocks(session, slot, queue, part);
}

/* A kernel has ended that was measured in blocks. The next may be another, and warms up. */
static void end_lasting(struct sampling *sampling, struct sampled_queue *part)
{
	sampling->situation = 0;
	part->brief |= part->fresh && sampling->leaps == sampling->leaps_before;
}

/* sampling_kernels_ended() - kernels have ended, and the next ones have not begun */
void sampling_kernels_ended(struct session *session, const struct ended *ended)
{
	u64 slots = session->sampled ? ended->slots : 0;
	u32 queues;

	for (; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		for (queues = ended->queues[slot]; queues; queues &= queues - 1) {
			u32 queue = (u32)__builtin_ctz(queues);
			struct sampled_queue *part =
				&session->sampling->queue[slot][queue];

			if (!part->kernels &&
			    is_in_blocks(session, slot, queue, part))
				end_lasting(session->sampling, part);
			part->kernels++;
			part->resident = 0;
		}
	}
}

/*
 * Whether each tenant issued as many instructions a cycle in the first stretch as since. A
 * leap goes by both together, whose error is estimated by half of the difference.
 */
static bool stretches_agree(const struct session *session)
{
	const struct sampling *sampling = session->sampling;
	u64 first = sampling->begin[1] - sampling->begin[0];
	u64 second = session_now(session) - sampling->begin[1];
	struct simgpu_counters counters;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		u64 a, b;

		if (!has_work(&session->tenants[slot]))
			continue;
		gpu_tenant_counters(session->gpu, slot, &counters);
		a = fixed_mul_div(sampling->issued[1][slot] - sampling->issued[0][slot],
				  SIMGPU_PPM, first);
		b = fixed_mul_div(counters.thread_instructions - sampling->issued[1][slot],
				  SIMGPU_PPM, second);
		if (fixed_apart(a, b) / 2 > max(a, b) / 100 * session->sampled)
			return false;
	}
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

/* Note a queue's work in both stretches. */
static bool note_work(struct session *session, u32 slot, u32 number,
		      struct sampled_queue *part)
{
	struct gpu_kernel_status status;

	gpu_queue_status(session->gpu, slot, number, &status);
	part->done = part->by_kernels ? part->kernels + part->before :
		     status.blocks_finished - part->blocks[0];
	return true;
}

/* Shorten the leap to what a queue has left. False if it may leave nothing out. */
static bool plan_queue(struct session *session, u32 slot, u32 number,
		       struct sampled_queue *part)
{
	struct sampling *sampling = session->sampling;
	struct gpu_kernel_status status;
	u64 left;

	gpu_queue_status(session->gpu, slot, number, &status);
	part->rest = 0;
	left = part->by_kernels ?
	       fixed_above(kernels_left(session, slot, number), part->owed + 1) :
	       fixed_above(gpu_queue_left(session->gpu, slot, number),
			   resident_blocks(&status) + 1);
	if (part->done)
		sampling->left = min(sampling->left,
				     fixed_mul_div(left, sampling->stretch,
						   part->done));
	return gpu_queue_issue_left(session->gpu, slot, number) == GPU_NO_LIMIT;
}

/* Leap, if that pays and may be done. */
static bool begin_leap(struct session *session)
{
	struct sampling *sampling = session->sampling;

	sampling->left = sampling->stretch * LEAP_MOST;
	if (session_needs(session) & SIMGPU_NEEDS_PRIVATE_RUNS ||
	    gpu_has_quotas(session->gpu) || !all_queues(session, plan_queue) ||
	    sampling->left < LOOK_CYCLES)
		return false;
	sampling->leaps++;
	sampling->phase = PHASE_LEAP;
	return true;
}

/* --- what was measured is kept ------------------------------------------------------ */

/* What runs, and which kernels of it do that are measured by their thread blocks. */
static u64 key_of(const struct session *session)
{
	const struct sampling *sampling = session->sampling;
	u64 key = sampling->situation;
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		for (mask = working_queues(tenant); mask; mask &= mask - 1) {
			u32 queue = (u32)__builtin_ctz(mask);
			u64 kernel = tenant->queue[queue].kernel %
				     period_of(session, slot, queue);

			key = hash_mix(key, sampling->queue[slot][queue].by_kernels ?
					    0 : 1 + kernel);
		}
	}
	return key;
}

static struct kept *find_kept(struct sampling *sampling, u64 key)
{
	u32 i;

	for (i = 0; i < KEPT; i++)
		if (sampling->kept[i].stretch && sampling->kept[i].key == key)
			return &sampling->kept[i];
	return NULL;
}

/* Keep what both stretches measured, in place of what was kept of the same, or longest. */
static void keep(struct session *session)
{
	struct sampling *sampling = session->sampling;
	u64 key = key_of(session);
	struct kept *kept = find_kept(sampling, key);
	u32 slot, queue;

	if (!kept) {
		kept = &sampling->kept[sampling->keep];
		sampling->keep = (sampling->keep + 1) % KEPT;
	}
	kept->key = key;
	kept->stretch = sampling->stretch;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		kept->by_kernels[slot] = 0;
		for (queue = 0; queue < SESSION_QUEUES_MAX; queue++) {
			const struct sampled_queue *part =
				&sampling->queue[slot][queue];

			kept->done[slot][queue] = part->done;
			kept->by_kernels[slot] |= (u8)(part->by_kernels << queue);
		}
	}
	memcpy(tally_of(session, COUNTED + 1 + (u32)(kept - sampling->kept)),
	       tally_of(session, COUNTED), tally_bytes(session));
}

/* Leap as was measured when the same ran before. */
static bool leap_as_before(struct session *session)
{
	struct sampling *sampling = session->sampling;
	const struct kept *kept = find_kept(sampling, key_of(session));
	u32 slot, queue;

	if (!kept)
		return false;
	sampling->stretch = kept->stretch;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		for (queue = 0; queue < SESSION_QUEUES_MAX; queue++) {
			struct sampled_queue *part = &sampling->queue[slot][queue];

			part->done = kept->done[slot][queue];
			part->by_kernels = kept->by_kernels[slot] >> queue & 1;
		}
	}
	memcpy(tally_of(session, COUNTED),
	       tally_of(session, COUNTED + 1 + (u32)(kept - sampling->kept)),
	       tally_bytes(session));
	return begin_leap(session);
}

/* Leap as the two stretches have measured. */
static bool leap_as_measured(struct session *session)
{
	struct sampling *sampling = session->sampling;
	u64 *from = tally_of(session, 0), *counted = tally_of(session, COUNTED);
	size_t i;

	all_queues(session, note_work);
	sampling->stretch = session_now(session) - sampling->begin[0];
	gpu_tally(session->gpu, counted);
	for (i = 0; i < gpu_tally_count(&session->initial.config); i++)
		counted[i] -= from[i];
	keep(session);
	return begin_leap(session);
}

/* --- a leap ------------------------------------------------------------------------- */

/* Leave kernels out: the queue stands where it would be after so many periods. */
static void skip_kernels(struct session *session, u32 slot, u32 number,
			 struct sampled_queue *part, u64 kernels)
{
	struct queue *queue = &session->tenants[slot].queue[number];
	struct launch *launch = &queue->launch[queue->head];
	u64 count = launch->trace->kernel_count, runs;

	gpu_count_kernels(session->gpu, slot, kernels);
	part->owed += kernels;
	kernels = part->owed - part->owed % launch->trace->period;
	part->owed -= kernels;
	runs = (queue->kernel + kernels) / count;
	queue->kernel = (u32)((queue->kernel + kernels) % count);
	if (launch->repeats_left > runs)
		launch->repeats_left -= runs;
	else
		launch->done |= !!runs;
}

static void skip_work(struct session *session, u64 cycles)
{
	struct sampling *sampling = session->sampling;
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		mask = working_queues(&session->tenants[slot]);
		for (; mask; mask &= mask - 1) {
			u32 number = (u32)__builtin_ctz(mask);
			struct sampled_queue *part =
				&sampling->queue[slot][number];
			u64 work = part->rest + part->done * cycles;

			part->rest = work % sampling->stretch;
			work /= sampling->stretch;
			if (part->by_kernels)
				skip_kernels(session, slot, number, part, work);
			else
				gpu_queue_skip(session->gpu, slot, number, (u32)work);
		}
	}
}

/* sampling_leap() - device time leaps to @until, or to the end of the leap */
void sampling_leap(struct session *session, u64 until)
{
	struct sampling *sampling = session->sampling;
	u64 cycles = min(until - session_now(session), sampling->left);

	gpu_count_leap(session->gpu, tally_of(session, COUNTED), sampling->stretch,
		       cycles);
	skip_work(session, cycles);
	sampling->leapt += cycles;
	sampling->left -= cycles;
}

/*
 * sampling_leaps() - whether device time leaps now
 *
 * Since the last part of the leap somebody may have come or left, or changed a setting.
 */
bool sampling_leaps(struct session *session)
{
	struct sampling *sampling = session->sampling;
	u64 situation;

	if (!sampling || sampling->phase != PHASE_LEAP)
		return false;
	situation = situation_of(session);
	if (situation == sampling->situation)
		return true;
	sampling->look = session_now(session) + LOOK_CYCLES;
	begin_anew(session, situation);
	return false;
}

/* --- the next step ------------------------------------------------------------------ */

/* Whether the stretch is long enough, and has whole units of all work. */
static bool is_over(struct session *session)
{
	return session_now(session) - session->sampling->begin[1] >= STRETCH_CYCLES &&
	       all_queues(session, is_whole);
}

static void next_phase(struct session *session)
{
	struct sampling *sampling = session->sampling;

	switch (sampling->phase) {
	case PHASE_LEAP:
		if (!sampling->left)
			begin_stretch(session, PHASE_FIRST);
		return;
	case PHASE_WARM:
		if (!is_over(session))
			return;
		all_queues(session, choose_unit);
		if (!leap_as_before(session))
			begin_stretch(session, PHASE_FIRST);
		return;
	case PHASE_FIRST:
		if (is_over(session))
			begin_stretch(session, PHASE_SECOND);
		return;
	default:
		if (!is_over(session))
			return;
		if (!stretches_agree(session) || !leap_as_measured(session))
			begin_stretch(session, PHASE_SECOND);
	}
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
	u64 situation;

	if (!session->sampled || session->stopped ||
	    (!ended && session_now(session) < sampling->look &&
	     session->epochs == sampling->epochs && sampling->phase != PHASE_LEAP))
		return;
	sampling->epochs = session->epochs;
	sampling->look = session_now(session) + LOOK_CYCLES;
	situation = situation_of(session);
	if (situation != sampling->situation || !gpu_is_settled(session->gpu)) {
		begin_anew(session, situation);
		return;
	}
	all_queues(session, see_queue);
	next_phase(session);
}

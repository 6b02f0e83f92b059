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
 *   begins anew with each such kernel. Where blocks live long the unit is a trip of the loop of their warps, and leaps
 *   move the blocks that are on SMs.
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
#include "../sim/leap.h"
#include "commands.h"
#include "internal.h"
#include "launch.h"
#include "sampling.h"
#include "sampling_trips.h"
#include "session.h"

/* Cycles between two looks at the state of the stretches. */
#define LOOK_CYCLES	10000
/* After a change caches and queues fill for so long, and nothing is measured. */
#define WARM_CYCLES		100000
/* A stretch has so many at least: what is rare, such as refreshes, has to show in it. */
#define STRETCH_CYCLES		50000
/* So many times the wanted error may a measurement have that is to be used at all. */
#define ERROR_MOST		2
/* Of so many that differ too much two each become one, and those that follow are as long. */
#define STRETCHES_MOST		8
/* A leap is at most so many times as long as what was measured for it. */
#define LEAP_MOST	32
/* A kernel that lasts has so many generations of thread blocks, and takes so long. */
#define LASTING_GENERATIONS	8
#define LASTING_CYCLES		(8 * STRETCH_CYCLES)
/*
 * A kernel whose thread blocks live so long is measured by trips of their loop: so many for
 * each block at least, since phases of a trip may differ.
 */
#define LONG_LIFE	(8 * STRETCH_CYCLES)
#define TRIPS_LEAST	2
/* And the period of its trace takes more than this part of an epoch. */
#define LASTING_PART		4
/* What a stretch has beyond whole periods is at most this part of it, if they are short. */
#define ROUND_PART		8
/* By the longest, it takes so many times as long as the shortest period. */
#define LONGEST_TIMES		2
/* Measurements that are kept for when the same runs again. One more is the last one. */
#define KEPT			32
/* Two of the same differ by at most so many standard errors, else the older one is forgotten. */
#define AGREEMENT		3
/* Lengths of stretches are counted in units, and spreads of so many of them are remembered. */
#define SPREAD_CYCLES		10000
#define SPREADS_MOST		32
/*
 * Before anything is known stretches of 100,000 cycles are taken to differ by 3%, as if so many
 * had shown it. (In stretches of that length of the programs of HSM's pairs it is 0.1 to 10%.)
 */
#define EXPECTED_FREEDOMS	4
#define EXPECTED_SQUARES	(300 * 300 * 10ULL)
/* And measurements of the same to differ as their stretches do, as if so many had shown it. */
#define EXPECTED_APART		2
/* What a queue owes is rounded down at each part of a leap: so much longer is a leap. */
#define ROUND_UP_CYCLES		100
/* Places in a trace are counted in parts of a kernel. */
#define KERNEL_PARTS		1024
/*
 * Times are counted in units when they are multiplied with errors, in parts of a mean: the
 * square of this fits in 64 bits. What was long ago is forgotten in part.
 */
#define ERROR_CYCLES		100000
#define ERROR_TIME_MOST		1000000ULL

/* From the one with the longest stretches to the one with the shortest */
enum way {
	BY_PERIODS,
	BY_LONGEST,
	BY_BLOCKS,
	WAYS,
};

enum phase {
	PHASE_OVER,		/* a kernel has ended: begin anew */
	PHASE_WARM,		/* something has changed: nothing is measured */
	PHASE_MEASURE,
	PHASE_OFF,		/* no kernel lasts: there is nothing to measure by blocks */
};

PORT_NO_HOLES_BEGIN

/*
 * struct sampled_queue - what is known of a queue, however it is measured
 * @ended: kernels that have ended, or that leaps have passed
 * @resident: most thread blocks of its kernel that were on SMs at a look
 * @owed: thread instructions of @trace that leaps have passed, and that are no whole thread
 *	block, or period, yet
 * @trace: checksum of the trace that it runs
 * @since: device cycle from which on it has run its kernel beside the same others
 * @brief: kernels with so many thread instructions, or fewer, are not measured by blocks, since
 *	one that had so many ended too soon
 */
struct sampled_queue {
	u64 ended;
	u64 resident;
	u64 owed;
	u64 trace;
	u64 since;
	u64 brief;
};

/*
 * struct part - a queue's part in stretches: where the first began, and the present one
 * @place: its place in the trace, in parts of a kernel
 * @blocks: thread blocks of its kernel that had ended
 * @in_blocks: its work is measured in thread blocks; else in parts of kernels
 * @trip: thread instructions of a trip of a thread block, if it has trips that are alike; when
 *	@in_blocks is chosen, it stays if stretches are measured in trips
 * @fresh: its kernel began when all began to warm up
 */
struct part {
	u64 place[2];
	u64 blocks[2];
	u64 in_blocks;
	u64 trip;
	u64 fresh;
};

/*
 * struct measure - one of the ways of measuring
 * @phase: &enum phase
 * @begin: device cycles at which the first and the present stretch began
 * @stretches: stretches that are over
 * @units: units of each queue's work that a stretch has, at least
 * @leaps: leaps before all began to warm up
 * @known: whether there was time enough since then to measure what a leap needs
 * @shortest: cycles of the shortest period of a trace, when units are chosen
 * @issued: thread instructions of each slot where they began
 * @squares: of each slot's &struct doubt where the first began
 * @rate: thread instructions in a million cycles of each slot in each stretch
 * @part: of each queue
 */
struct measure {
	u64 phase;
	u64 begin[2];
	u64 stretches;
	u64 units;
	u64 leaps;
	u64 known;
	u64 shortest;
	u64 issued[2][SESSION_SLOTS_MAX];
	u64 squares[SESSION_SLOTS_MAX];
	u64 rate[STRETCHES_MOST][SESSION_SLOTS_MAX];
	struct part part[SESSION_SLOTS_MAX][SESSION_QUEUES_MAX];
};

/*
 * struct kept - what stretches measured
 * @key: hash of what ran then
 * @cycles: of all of them; 0: nothing is kept here
 * @least: of the last measurement
 * @count: measurements
 * @leapt: cycles that were leapt by it
 * @variance: of each tenant's mean rate: its standard error squared, in parts of it
 * @in_blocks: by slot, a bit for each queue
 * @trip: by slot, of its only queue: thread instructions of a trip of a thread block, if that
 *	is measured in trips
 * @age: by slot, with @trip: for how long its kernel had run then
 * @done: thread instructions of each queue
 */
struct kept {
	u64 key;
	u64 cycles;
	u64 least;
	u64 count;
	u64 leapt;
	u64 variance[SESSION_SLOTS_MAX];
	u8 in_blocks[SESSION_SLOTS_MAX];
	u64 trip[SESSION_SLOTS_MAX];
	u64 age[SESSION_SLOTS_MAX];
	u64 done[SESSION_SLOTS_MAX][SESSION_QUEUES_MAX];
};

/*
 * struct spread - how much a tenant's rate differs from stretch to stretch
 * @squares: deviations from the mean of their measurement in tenths of parts, squared, times
 *	the length of a stretch in units; added up
 * @freedoms: stretches, less one for each measurement
 *
 * Of many half is forgotten.
 */
struct spread {
	u64 squares;
	u64 freedoms;
};

/*
 * struct doubt - the error of all that a tenant has done since it began to work
 * @works: whether it had work at the last look
 * @from: device cycle at which it began
 * @until: device cycle at which it last had work
 * @squares: by measurement, the error in parts times the cycles that were leapt by it, in
 *	units, squared; added up
 * @spread: in each way of measuring, within a measurement
 * @apart: and between measurements of the same, of which each may be of other moments of a kernel:
 *	variances of a measurement in parts of its mean, added up
 */
struct doubt {
	u64 works;
	u64 from;
	u64 until;
	u64 squares;
	struct spread spread[WAYS];
	struct spread apart[WAYS];
};

/*
 * struct sampling - the state of a session's sampling
 * @leapt: device cycles that were leapt
 * @leaps: leaps
 * @doubt: of each slot's tenant
 * @look: device cycle of the next look; from here on all begins anew with a new percentage
 * @situation: hash of all that a policy can change, and of what runs
 * @arrivals: hash of since when each tenant has had work
 * @epochs: epochs that had ended at the last look
 * @left: cycles that are left of the leap
 * @part: cycles of its present part; as it begins, of a generation of thread blocks
 * @leaping: whether the session leaps
 * @way: how that was measured by which it leaps
 * @using: its number among those that are kept
 * @replace: the number of the one that is replaced next
 * @measure: the ways of measuring
 * @kept: what was measured, the last measurement behind all
 * @queue: what is known of each queue
 * @tally: counts where the first stretch of each way began; then what was counted in the
 *	stretches that are kept
 */
struct sampling {
	u64 leapt;
	u64 leaps;
	struct doubt doubt[SESSION_SLOTS_MAX];
	u64 look;
	u64 situation;
	u64 arrivals;
	u64 epochs;
	u64 left;
	u64 part;
	u32 leaping;
	u32 way;
	u32 using;
	u32 replace;
	struct measure measure[WAYS];
	struct kept kept[KEPT + 1];
	struct sampled_queue queue[SESSION_SLOTS_MAX][SESSION_QUEUES_MAX];
	u64 tally[];
};

PORT_NO_HOLES_END

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
	u64 time;

	if (!session->sampling)
		return 0;
	doubt = &session->sampling->doubt[slot];
	time = (doubt->until - doubt->from) / ERROR_CYCLES;
	return (u32)(fixed_sqrt(doubt->squares) * (SIMGPU_PPM / SAMPLING_ERROR_PARTS) /
		     max(time, 1ULL));
}

void session_sampling(const struct session *session, struct session_sampling *out)
{
	const struct sampling *sampling = session->sampling;

	out->leaps = sampling ? sampling->leaps : 0;
	out->leapt_cycles = sampling_leapt(session);
}

/* --- what runs --------------------------------------------------------------------- */

static u64 *tally_of(const struct session *session, size_t number)
{
	return session->sampling->tally +
	       number * gpu_tally_count(&session->initial.config);
}

/* The counts where a way's first stretch began */
static u64 *begin_tally(const struct session *session, u32 way)
{
	return tally_of(session, way);
}

/* What the session leaps by */
static struct kept *kept_in_use(const struct session *session)
{
	return &session->sampling->kept[session->sampling->using];
}

static u64 *kept_tally(const struct session *session, const struct kept *kept)
{
	return tally_of(session, WAYS + (size_t)(kept - session->sampling->kept));
}

static const struct trace *trace_of(const struct session *session, u32 slot, u32 queue)
{
	return present_launch(&session->tenants[slot].queue[queue])->trace;
}

/* All that a policy or a model can change, and what runs. */
static u64 situation_of(const struct session *session)
{
	/* What a policy says of the clock counts by what the clock is. */
	u64 hash = hash_bytes(0, &session->controls,
			      offsetof(struct simgpu_proposal, clock_mhz));
	u32 slot, mask;

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

static u64 period_of(const struct session *session, u32 slot, u32 queue)
{
	return trace_of(session, slot, queue)->period;
}

/* A queue with work */
struct working {
	struct session *session;
	struct sampled_queue *known;
	const struct measure *measure;
	struct part *part;
	u32 slot;
	u32 queue;
	struct gpu_kernel_status status;
};

/* Calls a function for each queue with work, until it returns false; then so does this. */
static bool all_queues(struct session *session, u32 way,
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

static u64 resident_blocks(const struct working *working)
{
	return working->status.blocks_issued - working->status.blocks_finished;
}

/*
 * Where a queue is in its trace, in parts of a kernel since it was first seen. A thread
 * block that is on an SM counts as half done.
 */
static u64 place_of(const struct working *working)
{
	const struct gpu_kernel_status *status = &working->status;
	u64 place = working->known->ended * KERNEL_PARTS;

	if (status->running)
		place += ((u64)status->blocks_issued + status->blocks_finished) *
			 KERNEL_PARTS / (2 * (u64)status->blocks);
	return place;
}

/* --- stretches --------------------------------------------------------------------- */

static bool see_queue(const struct working *working)
{
	working->known->resident = max(working->known->resident,
				       resident_blocks(working));
	return true;
}

static bool mark_queue(const struct working *working)
{
	struct part *part = working->part;

	part->place[1] = place_of(working);
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
static void begin_stretch(struct session *session, u32 way)
{
	struct measure *measure = &session->sampling->measure[way];
	struct simgpu_counters counters;
	u32 slot;

	measure->begin[1] = session_now(session);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		gpu_tenant_counters(session->gpu, slot, &counters);
		measure->issued[1][slot] = counters.thread_instructions;
	}
	all_queues(session, way, mark_queue);
}

/* The first stretch of a measurement begins, or what comes before it. */
static void begin_phase(struct session *session, u32 way, u64 phase)
{
	struct measure *measure = &session->sampling->measure[way];
	u32 slot;

	begin_stretch(session, way);
	measure->phase = phase;
	measure->begin[0] = measure->begin[1];
	memcpy(measure->issued[0], measure->issued[1], sizeof(measure->issued[0]));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		measure->squares[slot] = session->sampling->doubt[slot].squares;
	measure->stretches = 0;
	measure->units = 1;
	gpu_tally(session->gpu, begin_tally(session, way));
	all_queues(session, way, mark_first);
}

/* A queue's present launch and kernel */
static const struct queue *queue_of(const struct working *working)
{
	return &working->session->tenants[working->slot].queue[working->queue];
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

static void begin_warm(struct session *session, u32 way)
{
	session->sampling->measure[way].leaps = session->sampling->leaps;
	session->sampling->measure[way].known = false;
	begin_phase(session, way, PHASE_WARM);
	all_queues(session, way, note_kernel);
}

/* Whether a tenant has work, or requests that come by themselves. */
static bool works(const struct session_tenant *tenant)
{
	return has_work(tenant) || tenant->arrivals.trace;
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
		begin_warm(session, way);
}

static u64 cycles_of_stretch(const struct session *session, const struct measure *measure)
{
	return session_now(session) - measure->begin[1];
}

/* A queue that does nothing at all holds no stretch up. */
static bool does_nothing(const struct working *working)
{
	return !resident_blocks(working) &&
	       place_of(working) == working->part->place[1];
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

static u64 block_instructions(const struct working *working)
{
	const struct trace_kernel *kernel = present_kernel(queue_of(working));

	return max(kernel->instructions / kernel->blocks, 1ULL);
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
static bool is_warm(const struct working *working)
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
static bool is_whole(const struct working *working)
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
	done = place_of(working) - part->place[1];
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

static u64 period_instructions(const struct working *working)
{
	const struct trace *trace = trace_of(working->session, working->slot,
					     working->queue);

	return max(trace->period_instructions, 1ULL);
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
static bool choose_units(struct session *session, u32 way)
{
	switch (way) {
	case BY_BLOCKS:
		all_queues(session, way, choose_unit);
		break;
	case BY_LONGEST:
		session->sampling->measure[way].shortest = NEVER;
		all_queues(session, way, find_shortest);
		all_queues(session, way, choose_if_longest);
		if (all_queues(session, way, is_as_by_blocks))
			return false;
		break;
	default:
		return true;
	}
	return !all_queues(session, way, is_by_periods);
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
static void note_rates(struct session *session, u32 way)
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

/*
 * Deviations of rates from their mean, in tenths of parts of it, so that little ones count,
 * squared, added up
 */
static u64 squares_of_rates(const u64 *rates, u64 count)
{
	u64 mean = 0, squares = 0;
	u32 i;

	for (i = 0; i < count; i++)
		mean += rates[i];
	mean /= count;
	for (i = 0; mean && i < count; i++) {
		u64 apart = min(fixed_apart(rates[i], mean), 2 * mean);

		apart = fixed_mul_div(apart, 10 * SAMPLING_ERROR_PARTS, mean);
		squares += apart * apart;
	}
	return squares;
}

/* sampling_variance() - of the mean of some rates, in parts of it, squared, rounded up */
u64 sampling_variance(const u64 *rates, u64 count)
{
	return 1 + squares_of_rates(rates, count) / (100 * count * (count - 1));
}

/* What leaps within the stretches add to it: all stretches may be off by as much. */
static u64 variance_of_leaps(const struct session *session, const struct measure *measure,
			     u32 slot)
{
	u64 time = max((session_now(session) - measure->begin[0]) / ERROR_CYCLES, 1ULL);

	return fixed_above(session->sampling->doubt[slot].squares, measure->squares[slot]) /
	       (time * time);
}

/* The length of a stretch of a measurement, in units */
static u64 length_of(const struct session *session, const struct measure *measure)
{
	return max((session_now(session) - measure->begin[0]) / measure->stretches /
		   SPREAD_CYCLES, 1ULL);
}

/* How much a tenant's rates differ in a measurement of two stretches or more */
static struct spread spread_of(const struct session *session, const struct measure *measure,
			       u32 slot)
{
	u64 rates[STRETCHES_MOST];
	u32 i;

	for (i = 0; i < measure->stretches; i++)
		rates[i] = measure->rate[i][slot];
	return (struct spread){
		.squares = squares_of_rates(rates, measure->stretches) *
			   length_of(session, measure),
		.freedoms = measure->stretches - 1,
	};
}

/*
 * The variance of a tenant's mean rate. Two stretches may be alike by chance, so what others
 * have shown before counts, too: that of a longer stretch is taken to be so much smaller.
 */
static u64 variance_of(const struct session *session, u32 way, u32 slot)
{
	const struct measure *measure = &session->sampling->measure[way];
	const struct spread *before = &session->sampling->doubt[slot].spread[way];
	const struct spread spread = spread_of(session, measure, slot);
	u64 freedoms = EXPECTED_FREEDOMS + spread.freedoms + before->freedoms;
	u64 each = max(spread.squares / spread.freedoms,
		       (EXPECTED_FREEDOMS * EXPECTED_SQUARES + spread.squares +
			before->squares) / freedoms);

	each /= 100 * length_of(session, measure) * measure->stretches;
	/* As Student's t distribution has it: what few stretches say is not sure. */
	return 1 + fixed_mul_div(each, freedoms, freedoms - 2) +
	       variance_of_leaps(session, measure, slot);
}

static void add_spread(struct spread *all, u64 squares, u64 freedoms)
{
	all->squares += squares;
	all->freedoms += freedoms;
	if (all->freedoms > SPREADS_MOST) {
		all->squares /= 2;
		all->freedoms /= 2;
	}
}

/* Remember how much a tenant's rates differed. */
static void note_spread(struct session *session, u32 way, u32 slot)
{
	const struct spread spread = spread_of(session, &session->sampling->measure[way], slot);

	add_spread(&session->sampling->doubt[slot].spread[way], spread.squares,
		   spread.freedoms);
}

/* Whether what was measured is near enough to be used, for each tenant. */
static bool is_known(const struct session *session, u32 way)
{
	const struct measure *measure = &session->sampling->measure[way];
	u64 most = ERROR_MOST * session->sampled * SAMPLING_ERROR_PARTS / 100;
	u32 slot;

	for (slot = 0; measure->stretches > 1 && slot < SESSION_SLOTS_MAX; slot++)
		if (has_work(&session->tenants[slot]) &&
		    variance_of(session, way, slot) > most * most)
			return false;
	return measure->stretches > 1;
}

/* --- what was measured is kept ------------------------------------------------------ */

/* What runs, and which kernels of it do that are measured by their thread blocks. */
static u64 key_of(const struct session *session, u32 way)
{
	const struct sampling *sampling = session->sampling;
	u64 key = sampling->situation;
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		for (mask = working_queues(tenant); mask; mask &= mask - 1) {
			u32 queue = (u32)__builtin_ctz(mask);
			const struct part *part = &sampling->measure[way].part[slot][queue];
			u64 kernel = tenant->queue[queue].kernel %
				     period_of(session, slot, queue);

			key = hash_mix(key, part->in_blocks ? 1 + kernel : 0);
			key = hash_mix(key, part->in_blocks ? part->trip : 0);
		}
	}
	return key;
}

/* Use what was kept under a key. False if nothing was. */
static bool use_kept(struct sampling *sampling, u64 key)
{
	u32 i;

	for (i = 0; i < KEPT; i++) {
		if (sampling->kept[i].cycles && sampling->kept[i].key == key) {
			sampling->using = i;
			return true;
		}
	}
	return false;
}

/* What the leap goes by: a queue's thread instructions in all stretches */
static u64 done_of(const struct working *working)
{
	return kept_in_use(working->session)->done[working->slot][working->queue];
}

/* And whether they were measured in thread blocks */
static bool is_in_blocks(const struct working *working)
{
	return kept_in_use(working->session)->in_blocks[working->slot] >>
	       working->queue & 1;
}

/* Thread instructions of a trip of its thread blocks, if they were measured in trips */
static u64 trip_of(const struct working *working)
{
	return kept_in_use(working->session)->trip[working->slot];
}

/* For how long the queue's kernel has run beside the same others */
static u64 age_of(const struct working *working)
{
	return session_now(working->session) - working->known->since;
}

/*
 * Whether all is on SMs that was there before: if no thread block follows those that have ended,
 * the rest are faster, and become fewer. Only what is measured in trips sees that.
 */
static bool is_full(const struct working *working)
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
static bool skip_blocks(const struct working *working)
{
	if (trip_of(working))
		leave_out_trips(working);
	else if (is_in_blocks(working) || leapt_cycles_of_kernel(working) >= LASTING_CYCLES)
		leave_out_blocks(working);
	return true;
}

/* The thread instructions of a queue in all stretches, by what it has done. */
static bool note_work(const struct working *working)
{
	struct kept *kept = kept_in_use(working->session);
	const struct part *part = working->part;
	u64 parts = KERNEL_PARTS * period_of(working->session, working->slot,
					     working->queue);

	kept->done[working->slot][working->queue] = part->in_blocks ?
		fixed_mul(working->status.blocks_finished - part->blocks[0],
			  block_instructions(working)) :
		fixed_mul_div(place_of(working) - part->place[0],
			      period_instructions(working), parts);
	kept->in_blocks[working->slot] |= (u8)(part->in_blocks << working->queue);
	if (part->in_blocks) {
		kept->trip[working->slot] = part->trip;
		kept->age[working->slot] = age_of(working);
	}
	return true;
}

/*
 * How many instructions a tenant has issued is known exactly, which of them are a queue's only
 * by what it has done.
 */
static void share_work(struct session *session, struct kept *kept, u32 slot, u64 issued)
{
	u32 mask = working_queues(&session->tenants[slot]), rest;
	u64 *done = kept->done[slot], sum = 0;

	for (rest = mask; rest; rest &= rest - 1)
		sum = fixed_add(sum, done[__builtin_ctz(rest)]);
	for (rest = mask; rest; rest &= rest - 1) {
		u32 queue = (u32)__builtin_ctz(rest);

		done[queue] = mask & (mask - 1) ?
			      fixed_mul_div(issued, done[queue], max(sum, 1ULL)) : issued;
	}
}

/* What the stretches have measured, behind all that is kept. It is used until keep() is over. */
static struct kept *measured(struct session *session, u32 way)
{
	struct sampling *sampling = session->sampling;
	const struct measure *measure = &sampling->measure[way];
	u64 *from = begin_tally(session, way), *counted;
	struct kept *kept = &sampling->kept[KEPT];
	struct simgpu_counters now;
	size_t i;
	u32 slot;

	sampling->using = KEPT;
	memset(kept, 0, sizeof(*kept));
	kept->key = key_of(session, way);
	kept->cycles = session_now(session) - measure->begin[0];
	kept->least = kept->cycles;
	kept->count = 1;
	all_queues(session, way, note_work);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!has_work(&session->tenants[slot]))
			continue;
		kept->variance[slot] = variance_of(session, way, slot);
		note_spread(session, way, slot);
		gpu_tenant_counters(session->gpu, slot, &now);
		share_work(session, kept, slot,
			   now.thread_instructions - measure->issued[0][slot]);
	}
	counted = kept_tally(session, kept);
	gpu_tally(session->gpu, counted);
	for (i = 0; i < gpu_tally_count(&session->initial.config); i++)
		counted[i] -= from[i];
	/* Few blocks end in a stretch of trips, or many at once: a leap counts those it passes. */
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (kept->trip[slot])
			gpu_tally_without_blocks(session->gpu, slot, counted);
	return kept;
}

static u64 done_by_tenant(const struct kept *kept, u32 slot)
{
	u64 sum = 0;
	u32 queue;

	for (queue = 0; queue < SESSION_QUEUES_MAX; queue++)
		sum = fixed_add(sum, kept->done[slot][queue]);
	return sum;
}

/* By how much a tenant's rate in two measurements differs, in parts */
static u64 rates_apart(const struct kept *kept, const struct kept *now, u32 slot)
{
	u64 done = done_by_tenant(now, slot);
	u64 expected = fixed_mul_div(done_by_tenant(kept, slot), now->cycles, kept->cycles);
	u64 apart = fixed_mul_div(fixed_apart(done, expected), SAMPLING_ERROR_PARTS,
				  max(expected, 1ULL));

	return min(apart, 2ULL * SAMPLING_ERROR_PARTS);
}

/* Whether a tenant did as much a cycle, and where it is measured in trips, near the same age. */
static bool agrees_on(const struct kept *kept, const struct kept *now, u32 slot)
{
	u64 apart = rates_apart(kept, now, slot);

	return apart * apart <= AGREEMENT * AGREEMENT *
				(kept->variance[slot] + now->variance[slot]) &&
	       now->age[slot] <= 2 * kept->age[slot] && kept->age[slot] <= 2 * now->age[slot];
}

/* Whether a measurement is of the same as one that is kept. */
static bool agrees(const struct session *session, const struct kept *kept,
		   const struct kept *now)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (has_work(&session->tenants[slot]) && !agrees_on(kept, now, slot))
			return false;
	return true;
}

/* The mean of two figures of measurements, as long as each of them is */
static u64 mean_of(const struct kept *kept, u64 a, const struct kept *now, u64 b)
{
	u64 cycles = kept->cycles + now->cycles;

	return fixed_mul_div(a, kept->cycles, cycles) + fixed_mul_div(b, now->cycles, cycles);
}

/* Of the mean of two measurements: each counts by its part of the time, squared. */
static u64 mean_variance(const struct kept *kept, const struct kept *now, u32 slot)
{
	u64 cycles = kept->cycles + now->cycles;
	u64 before = fixed_mul_div(kept->variance[slot], kept->cycles, cycles);
	u64 behind = fixed_mul_div(now->variance[slot], now->cycles, cycles);

	return 1 + fixed_mul_div(before, kept->cycles, cycles) +
	       fixed_mul_div(behind, now->cycles, cycles);
}

/* A measurement of what is kept already makes that more certain. */
static void add_measured(struct session *session, struct kept *kept, const struct kept *now)
{
	const u64 *more = kept_tally(session, now);
	u64 *counted = kept_tally(session, kept);
	u32 slot, queue;
	size_t i;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		kept->variance[slot] = mean_variance(kept, now, slot);
		kept->age[slot] = mean_of(kept, kept->age[slot], now, now->age[slot]);
		for (queue = 0; queue < SESSION_QUEUES_MAX; queue++)
			kept->done[slot][queue] += now->done[slot][queue];
	}
	/* What was leapt by it has the errors of a part of what it is now. */
	kept->leapt = mean_of(kept, kept->leapt, now, 0);
	for (i = 0; i < gpu_tally_count(&session->initial.config); i++)
		counted[i] += more[i];
	kept->cycles += now->cycles;
	kept->count += now->count;
	kept->least = now->least;
}

/*
 * Another measurement of the same shows how sure one is: its stretches follow one another, and may
 * have more in common than the kernel has with them.
 */
static void note_apart(struct session *session, u32 way, const struct kept *kept,
		       const struct kept *now)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		u64 apart = has_work(&session->tenants[slot]) ?
			    rates_apart(kept, now, slot) : 0;

		if (done_by_tenant(now, slot))
			add_spread(&session->sampling->doubt[slot].apart[way],
				   apart * apart * kept->count / (kept->count + 1), 1);
	}
}

/* The variance of what is kept is at least what such differences have shown so far. */
static void raise_variance(struct session *session, u32 way, struct kept *kept,
			   const struct kept *now)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct spread *apart = &session->sampling->doubt[slot].apart[way];
		u64 each = (EXPECTED_APART * now->variance[slot] + apart->squares) /
			   (EXPECTED_APART + apart->freedoms);

		kept->variance[slot] = max(kept->variance[slot], each / kept->count);
	}
}

/*
 * Keep what the stretches have measured: together with what was kept of the same, if they
 * agree, or in place of it, or of what was kept first.
 */
static void keep(struct session *session, u32 way)
{
	struct sampling *sampling = session->sampling;
	const struct kept *now = measured(session, way);
	struct kept *kept;

	if (!use_kept(sampling, now->key)) {
		sampling->using = sampling->replace;
		sampling->replace = (sampling->replace + 1) % KEPT;
	}
	kept = kept_in_use(session);
	if (kept->key == now->key && kept->cycles)
		note_apart(session, way, kept, now);
	if (kept->key == now->key && kept->cycles && agrees(session, kept, now)) {
		add_measured(session, kept, now);
	} else {
		*kept = *now;
		memcpy(kept_tally(session, kept), kept_tally(session, now),
		       sizeof(u64) * gpu_tally_count(&session->initial.config));
	}
	raise_variance(session, way, kept, now);
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
	all_queues(session, way, find_generation);
	sampling->left = idle - idle % sampling->part;
}

/*
 * Leap as what is in use has measured, if that may be done. It pays if the leap is at least as
 * long as what was measured last, unless a queue has less left.
 */
static bool begin_leap(struct session *session, u32 way)
{
	struct sampling *sampling = session->sampling;
	u64 least = kept_in_use(session)->least;

	sampling->left = kept_in_use(session)->cycles * LEAP_MOST;
	all_queues(session, way, limit_to_age);
	while (sampling->left >= least &&
	       !sampling_error_allows(session, kept_in_use(session)->variance,
				      kept_in_use(session)->leapt, sampling->left))
		sampling->left /= 2;
	if (sampling->left < least || gpu_has_quotas(session->gpu) ||
	    session_needs(session) & SIMGPU_NEEDS_PRIVATE_RUNS ||
	    !all_queues(session, way, is_full) || !all_queues(session, way, plan_queue))
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
	return skip_blocks(working);
}

/* sampling_pass() - device time has leapt */
void sampling_pass(struct session *session, u64 cycles)
{
	struct doubt *doubt = session->sampling->doubt;
	u32 slot;

	session->sampling->leapt += cycles;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (doubt[slot].works)
			doubt[slot].until = session_now(session);
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
	all_queues(session, sampling->way, skip_work);
	sampling_count_errors(session, kept->variance, kept->leapt, sampling->part);
	kept->leapt += sampling->part;
	sampling->left -= sampling->part;
	sampling_pass(session, sampling->part);
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
			begin_phase(session, way, PHASE_MEASURE);
		else if (sampling->measure[way].phase == PHASE_WARM)
			begin_warm(session, way);
	}
}

/* All has warmed up. Leap as was measured when the same ran before, or begin to measure. */
static void end_warm(struct session *session, u32 way)
{
	if (!choose_units(session, way)) {
		session->sampling->measure[way].phase = PHASE_OFF;
		return;
	}
	begin_phase(session, way, PHASE_MEASURE);
	if (use_kept(session->sampling, key_of(session, way)))
		begin_leap(session, way);
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
	bool full = all_queues(session, way, is_full);

	note_rates(session, way);
	measure->known |= !full || is_known(session, way);
	if (full && is_known(session, way)) {
		keep(session, way);
		begin_leap(session, way);
		/* These stretches are in what is kept, and must not be added again. */
		begin_phase(session, way, PHASE_MEASURE);
		return;
	}
	if (measure->stretches == STRETCHES_MOST)
		join_stretches(measure);
	begin_stretch(session, way);
}

static void next_phase(struct session *session, u32 way)
{
	const struct measure *measure = &session->sampling->measure[way];
	u64 cycles = cycles_of_stretch(session, measure);

	switch (measure->phase) {
	case PHASE_OVER:
		begin_warm(session, way);
		break;
	case PHASE_WARM:
		if (cycles >= WARM_CYCLES && all_queues(session, way, is_warm))
			end_warm(session, way);
		break;
	case PHASE_MEASURE:
		if (cycles >= STRETCH_CYCLES && all_queues(session, way, is_whole))
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
	all_queues(session, BY_PERIODS, see_queue);
	see_doubts(session);
	if (sampling->leaping) {
		if (!sampling->left)
			end_leap(session);
		return;
	}
	all_queues(session, BY_PERIODS, skip_blocks);
	for (way = 0; way < WAYS && !sampling->leaping; way++)
		next_phase(session, way);
}

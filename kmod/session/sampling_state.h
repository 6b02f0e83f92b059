/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a session's sampling, for the files that make it up: sampling.c decides what comes
 * next, sampling_stretch.c says when a stretch is over, sampling_kept.c keeps what was measured and
 * how sure that is, sampling_leap.c leaves work out.
 */
#ifndef SESSION_SAMPLING_STATE_H
#define SESSION_SAMPLING_STATE_H

#include "../sim/leap.h"
#include "internal.h"
#include "sampling.h"
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
/*
 * What stretches do not show: ends of kernels, and thread blocks that drift apart. A standard error
 * of 1.25% in what is leapt over makes 28 of 30 intervals of the first 15 pairs of
 * tools/bench/sampled, under even, hold; without it 21 do.
 */
#define UNSEEN_PPM		12500
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
 * @leapt: cycles that were leapt since then
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
	u64 leapt;
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

static inline const struct trace *trace_of(const struct session *session, u32 slot, u32 queue)
{
	return present_launch(&session->tenants[slot].queue[queue])->trace;
}

/* A queue's present launch and kernel */
static inline const struct queue *queue_of(const struct working *working)
{
	return &working->session->tenants[working->slot].queue[working->queue];
}

static inline u64 period_of(const struct session *session, u32 slot, u32 queue)
{
	return trace_of(session, slot, queue)->period;
}

static inline u64 period_instructions(const struct working *working)
{
	const struct trace *trace = trace_of(working->session, working->slot,
					     working->queue);

	return max(trace->period_instructions, 1ULL);
}

static inline u64 block_instructions(const struct working *working)
{
	const struct trace_kernel *kernel = present_kernel(queue_of(working));

	return max(kernel->instructions / kernel->blocks, 1ULL);
}

static inline u64 resident_blocks(const struct working *working)
{
	return working->status.blocks_issued - working->status.blocks_finished;
}

/* Whether a tenant has work, or requests that come by themselves. */
static inline bool works(const struct session_tenant *tenant)
{
	return has_work(tenant) || tenant->arrivals.trace;
}

static inline u64 cycles_of_stretch(const struct session *session, const struct measure *measure)
{
	return session_now(session) - measure->begin[1];
}

static inline u64 *tally_of(const struct session *session, size_t number)
{
	return session->sampling->tally +
	       number * gpu_tally_count(&session->initial.config);
}

/* The counts where a way's first stretch began */
static inline u64 *begin_tally(const struct session *session, u32 way)
{
	return tally_of(session, way);
}

/* What the session leaps by */
static inline struct kept *kept_in_use(const struct session *session)
{
	return &session->sampling->kept[session->sampling->using];
}

static inline u64 *kept_tally(const struct session *session, const struct kept *kept)
{
	return tally_of(session, WAYS + (size_t)(kept - session->sampling->kept));
}

/* What the leap goes by: a queue's thread instructions in all stretches */
static inline u64 done_of(const struct working *working)
{
	return kept_in_use(working->session)->done[working->slot][working->queue];
}

/* And whether they were measured in thread blocks */
static inline bool is_in_blocks(const struct working *working)
{
	return kept_in_use(working->session)->in_blocks[working->slot] >>
	       working->queue & 1;
}

/* Thread instructions of a trip of its thread blocks, if they were measured in trips */
static inline u64 trip_of(const struct working *working)
{
	return kept_in_use(working->session)->trip[working->slot];
}

/* For how long the queue's kernel has run beside the same others */
static inline u64 age_of(const struct working *working)
{
	return session_now(working->session) - working->known->since;
}

#endif /* SESSION_SAMPLING_STATE_H */

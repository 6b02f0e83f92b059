/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long launches take from their arrival to their end: the time until their first
 * kernel starts (waiting), and the rest (running). And other times of a tenant, as those to and
 * between tokens, of which mean and percentiles are told.
 */
#ifndef SESSION_LATENCY_H
#define SESSION_LATENCY_H

#include <simgpu/snapshot.h>

#include "../sim/gpu.h"

/*
 * Buckets of a histogram of cycles: one each below 64, then 32 in each power of
 * two, so that a percentile is exact to 1.6%.
 */
#define LATENCY_EXACT		64
#define LATENCY_PARTS		32
#define LATENCY_POWER_FIRST	6
#define LATENCY_POWER_LAST	47
#define LATENCY_BUCKETS	(LATENCY_EXACT + LATENCY_PARTS *		\
			 (LATENCY_POWER_LAST - LATENCY_POWER_FIRST + 1))

/**
 * struct latency_figures - figures of a tenant's launches so far
 * @launches: launches that have run to their end; the rest is 0 while there is none
 * @deadline_misses: launches that ended after their deadline
 * @goodput_ppm: the other launches, for each second of device time from the first one's
 *	arrival to the last one's end
 * @latency_p50_ns: median of the time from arrival to end
 * @latency_p95_ns: its 95th percentile
 * @latency_p99_ns: its 99th percentile
 * @wait_p50_ns: median of the time from arrival to the start of the first kernel
 * @wait_p95_ns: its 95th percentile
 * @wait_p99_ns: its 99th percentile
 * @wait_mean_ns: its mean
 * @run_mean_ns: mean of the time from the first kernel's start to the end
 */
struct latency_figures {
	u64 launches;
	u64 deadline_misses;
	u64 goodput_ppm;
	u64 latency_p50_ns;
	u64 latency_p95_ns;
	u64 latency_p99_ns;
	u64 wait_p50_ns;
	u64 wait_p95_ns;
	u64 wait_p99_ns;
	u64 wait_mean_ns;
	u64 run_mean_ns;
};

/**
 * struct recent - the last launches that have ended
 * @cycles: their latencies, a ring
 * @sorted: the same, the shortest first
 * @next: place of the next one in the ring
 * @count: how many they are
 */
struct recent {
	u64 cycles[SIMGPU_RECENT_MAX];
	u64 sorted[SIMGPU_RECENT_MAX];
	u32 next;
	u32 count;
};

/**
 * struct latency - a tenant's launches that have ended
 * @launches: number of launches
 * @deadline_misses: launches that ended after their deadline
 * @first_arrival: device cycle at which the first of them came
 * @last_end: device cycle at which the last one ended
 * @wait_cycles: sum of the cycles that they waited
 * @run_cycles: sum of the cycles that they ran
 * @waits: by bucket
 * @latencies: by bucket
 * @recent: the last ones. It follows from what is hashed at their ends
 * @figures: figures of the number of launches that they name
 */
struct latency {
	struct_group(lasts,
		u64 launches;
		u64 deadline_misses;
		u64 first_arrival;
		u64 last_end;
		u64 wait_cycles;
		u64 run_cycles;
		u32 waits[LATENCY_BUCKETS];
		u32 latencies[LATENCY_BUCKETS];
	);
	struct recent recent;
	struct latency_figures figures;
};

/**
 * struct latency_shift - what it would change if some of the launches had taken another time
 * @cycles: of all their latencies together, longer
 * @latencies: by bucket, more launches
 */
struct latency_shift {
	s64 cycles;
	s32 latencies[LATENCY_BUCKETS];
};

/**
 * struct times_figures - figures of the times so far; all 0 while there is none
 * @count: how many
 * @mean_ns: mean
 * @p50_ns: median; percentiles are exact to 1.6%
 * @p99_ns: 99th percentile
 */
struct times_figures {
	u64 count;
	u64 mean_ns;
	u64 p50_ns;
	u64 p99_ns;
};

/**
 * struct times - times of a kind that a tenant has had
 * @count: how many
 * @cycles: their sum
 * @taken: by bucket
 * @figures: figures of as many as they say
 */
struct times {
	struct_group(lasts,
		u64 count;
		u64 cycles;
		u32 taken[LATENCY_BUCKETS];
	);
	struct times_figures figures;
};

/* Add one, of some cycles. */
void times_add(struct times *times, u64 cycles);

/* The figures so far, valid until the next call; @core_mhz of the device. */
const struct times_figures *times_figures(struct times *times, u32 core_mhz);

/**
 * latency_add() - add a launch that has ended
 * @latency: latencies of its tenant
 * @arrival: device cycle at which it came
 * @start: device cycle at which its first kernel started
 * @end: device cycle at which its last thread block ended
 * @deadline: device cycle by which it should have ended; 0: none
 */
void latency_add(struct latency *latency, u64 arrival, u64 start, u64 end,
		 u64 deadline);

/**
 * latency_fill_snapshot() - what policies see of a tenant's latencies
 * @latency: latencies of the tenant
 * @out: set, but for the target
 */
void latency_fill_snapshot(const struct latency *latency, struct simgpu_snapshot_latency *out);

/**
 * latency_figures() - figures of the launches so far
 * @latency: latencies of the tenant; keeps the figures
 * @core_mhz: of the device
 *
 * Return: the figures, valid until the next call.
 */
const struct latency_figures *latency_figures(struct latency *latency,
					      u32 core_mhz);

/**
 * latency_shift_add() - a launch might have taken another time
 * @shift: to which this is added
 * @cycles: the latency with which it was added to the tenant's latencies
 * @other: the other one
 */
void latency_shift_add(struct latency_shift *shift, u64 cycles, u64 other);

/**
 * latency_rank() - the nearest rank of a percentile
 * @launches: how many there are
 * @percent: of them, that took no longer
 *
 * Return: from 1 on; 0 without launches.
 */
u64 latency_rank(u64 launches, u32 percent);

/**
 * latency_mean() - mean latency of the launches so far
 * @latency: latencies of the tenant
 * @shift: of them; NULL: as they were added
 *
 * Return: in cycles; 0 without launches.
 */
u64 latency_mean(const struct latency *latency, const struct latency_shift *shift);

/**
 * latency_at() - the latency at a rank
 * @latency: latencies of the tenant
 * @shift: of them
 * @rank: from 1 on; more than there are launches: the last one
 *
 * Return: the middle of its bucket, in cycles.
 */
u64 latency_at(const struct latency *latency, const struct latency_shift *shift, u64 rank);

#endif /* SESSION_LATENCY_H */

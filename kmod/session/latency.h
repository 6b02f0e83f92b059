/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long launches take from their arrival to their end: waiting, until their
 * first kernel starts, apart from running.
 */
#ifndef SESSION_LATENCY_H
#define SESSION_LATENCY_H

#include "../sim/gpu.h"

/*
 * Buckets of a histogram of cycles: one each below 64, then 32 in each power of
 * two, so that a percentile is within 1.6% of the launch's that it stands for.
 */
#define LATENCY_EXACT		64
#define LATENCY_PARTS		32
#define LATENCY_POWER_FIRST	6
#define LATENCY_POWER_LAST	47
#define LATENCY_BUCKETS	(LATENCY_EXACT + LATENCY_PARTS *		\
			 (LATENCY_POWER_LAST - LATENCY_POWER_FIRST + 1))

/**
 * struct latency_figures - what the launches of a tenant have shown so far
 * @launches: that have run to their end; the rest is 0 while there is none
 * @deadline_misses: of these, ended after their deadline
 * @goodput_ppm: the others, for each second of device time from the first one's
 *	arrival to the last one's end
 * @latency_p50_ns: half of them took no longer from arrival to end
 * @latency_p95_ns: likewise, 95 of 100
 * @latency_p99_ns: likewise, 99 of 100
 * @wait_p50_ns: from arrival to the start of the first kernel
 * @wait_p95_ns: likewise
 * @wait_p99_ns: likewise
 * @wait_mean_ns: their mean
 * @run_mean_ns: mean from there to the end
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
 * struct latency - a tenant's launches that have ended
 * @launches: how many
 * @deadline_misses: of these, after their deadline
 * @first_arrival: device cycle at which the first of them came
 * @last_end: device cycle at which the last one ended
 * @wait_cycles: of all together
 * @run_cycles: likewise
 * @waits: by bucket
 * @latencies: by bucket
 * @figures: as of so many launches as they say
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
	struct latency_figures figures;
};

/**
 * latency_add() - a launch has ended
 * @latency: of its tenant
 * @arrival: device cycle at which it came
 * @start: at which its first kernel started
 * @end: at which its last thread block ended
 * @deadline: by which it should have; 0: none
 */
void latency_add(struct latency *latency, u64 arrival, u64 start, u64 end,
		 u64 deadline);

/**
 * latency_figures() - what the launches have shown so far
 * @latency: of the tenant; remembers them
 * @core_mhz: of the device
 *
 * Return: the figures, valid until the next call.
 */
const struct latency_figures *latency_figures(struct latency *latency,
					      u32 core_mhz);

#endif /* SESSION_LATENCY_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measurements of the engine: one memory channel alone with its queue kept
 * full (dram_bench.c); the speed of the whole GPU (bench.c), on many cores
 * (bench_path.c), and of a pair (bench_pair.c); and the host time of an epoch
 * (bench_epoch.c), of a plan (bench_plan.c) and of a prediction of Themis
 * (bench_predict.c).
 */
#ifndef OFFLINE_BENCH_H
#define OFFLINE_BENCH_H

#include "offline.h"

/* --- one channel alone --- */

/* Rows of a bank that random requests choose from. */
#define OFFLINE_DRAM_ROWS	32768U

/**
 * struct offline_dram_request - a line to move, to a bank's row
 * @row: any
 * @bank: below the configuration's banks
 * @write: 1 for a write, 0 for a read
 */
struct offline_dram_request {
	u32 row;
	u8 bank;
	u8 write;
};

/**
 * struct offline_dram_source - a source of requests, in order
 * @context: passed to @read
 * @read: puts up to @room requests into @requests; returns how many, 0 at the
 *	end, or a negative errno
 */
struct offline_dram_source {
	void *context;
	int (*read)(void *context, struct offline_dram_request *requests,
		    u32 room);
};

/**
 * struct offline_dram_result - what a channel has done
 * @requests: requests; all are served
 * @hits: requests for which no activate was issued
 * @activates: all activates; a row that a refresh or the other queue closed is
 *	activated again for the same request
 * @memory_clocks: clocks from clock 0 to the end of the last request's data
 * @busy_clocks: @memory_clocks with data on the bus
 * @wall_ns: host time of the engine, without reading the source
 */
struct offline_dram_result {
	u64 requests;
	u64 hits;
	u64 activates;
	u64 memory_clocks;
	u64 busy_clocks;
	u64 wall_ns;
};

/**
 * struct offline_dram_random - random requests, drawn by offline_dram_random()
 * @banks: banks of the channel
 * @hit_ppm: chance that a request asks for the same row as its bank's request
 *	before; otherwise all rows are equally likely
 * @write_ppm: chance that it is a write
 * @requests: how many are left
 * @state: state of the generator; at first the seed
 * @row: by bank, the row that the last request asked for; any values at first
 */
struct offline_dram_random {
	u32 banks;
	u32 hit_ppm;
	u32 write_ppm;
	u64 requests;
	u64 state;
	u32 row[256];
};

/* --- the whole GPU --- */

#define OFFLINE_RUNS	3

/**
 * struct offline_load - a trace alone on all SMs, and how fast it was simulated
 * @trace: relaunched when it ends
 * @cycles: core cycles to simulate, from a cold start
 * @wall_ns: host time of each run, ascending
 * @counters: of the device; the same in each run
 */
struct offline_load {
	const struct trace *trace;
	u64 cycles;
	u64 wall_ns[OFFLINE_RUNS];
	struct simgpu_counters counters;
};

/**
 * offline_measure() - simulate each load OFFLINE_RUNS times, the loads in turn
 * @config: the GPU
 * @loads: the loads; their times are filled in
 * @count: number of loads
 * @threads: threads that simulate each
 *
 * Return: 0 or a negative errno, see offline_run().
 */
int offline_measure(const struct gpu_config *config, struct offline_load *loads,
		    u32 count, u32 threads);

/* The median of a load's runs. */
u64 offline_median_ns(const u64 wall_ns[OFFLINE_RUNS]);

/**
 * offline_measure_channel() - one channel alone, OFFLINE_RUNS times
 * @config: the GPU
 * @random: the requests; each run begins with this state
 * @wall_ns: host time of each run, ascending
 *
 * Return: 0 or -ENOMEM.
 */
int offline_measure_channel(const struct gpu_config *config,
			    const struct offline_dram_random *random,
			    u64 wall_ns[OFFLINE_RUNS]);

/**
 * offline_device_bytes() - memory of a GPU with its session
 * @config: the GPU
 * @bytes: set to the memory, with the slots of all tenants but without traces
 *
 * Return: 0 or a negative errno.
 */
int offline_device_bytes(const struct gpu_config *config, u64 *bytes);

/* Options of a run of one trace alone on all SMs, relaunched, for so many cycles. */
void offline_bench_options(const struct gpu_config *config, u64 cycles,
			   struct session_options *options);

/* Inserts a time into @count ascending ones, so that the median stands in the middle. */
void offline_insert_ns(u64 *wall_ns, u32 count, u64 value);

#endif /* OFFLINE_BENCH_H */

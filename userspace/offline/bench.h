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
 * offline_dram_run() - one channel alone with its queue kept full
 * @config: checked; dram.trefi 0 turns refresh off
 * @source: read to its end
 * @result: filled in
 *
 * Requests enter in order, each as soon as its queue, of reads or of
 * writes, has a place. A request that finds its queue full holds back all
 * later ones, of either kind. So one of the two queues is always full, and
 * with reads alone it is the read queue.
 *
 * Return: 0, -ENOMEM, or what the source returned.
 */
int offline_dram_run(const struct gpu_config *config,
		     const struct offline_dram_source *source,
		     struct offline_dram_result *result);

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

/* A struct offline_dram_source.read; @context is a struct offline_dram_random. */
int offline_dram_random(void *context, struct offline_dram_request *requests,
			u32 room);

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

/**
 * offline_measure_path() - how long a load would take on many cores
 * @config: the GPU
 * @load: the load; its runs stay as they are
 * @threads: threads, one a core: 1 to GPU_VIEWS_MAX and to the SMs
 * @ns: set to the median of OFFLINE_RUNS: the processor time of work that one thread
 *	does alone, plus that of the longest part of each step
 *
 * One core does all the work, so the result does not include that threads have to meet
 * after each step.
 *
 * Return: 0 or a negative errno, see offline_run().
 */
int offline_measure_path(const struct gpu_config *config,
			 const struct offline_load *load, u32 threads, u64 *ns);

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
 * offline_measure_epoch() - host time that an epoch's end takes, the median of many
 * @config: the GPU, of hbm80's size or larger
 * @trace: trace of each tenant
 * @shared: false: 64 tenants under hsm-fair; true: 12 on all SMs with quotas and
 *	limits, a row for each on each SM
 * @ns: set to the time of snapshot, model, policy, check and application
 *
 * Return: 0 or a negative errno, see offline_run().
 */
int offline_measure_epoch(const struct gpu_config *config,
			  const struct trace *trace, bool shared, u64 *ns);

/**
 * offline_measure_pair() - host time of a pair, side by side and sharing SMs
 * @config: the GPU
 * @pair: two loads; the first has a goal, and its @cycles are those of the run
 * @shared_ns: set to the median of OFFLINE_RUNS under quota-rollover
 * @split_ns: set to the median of as many under even, which alternate with those
 *
 * Return: 0 or a negative errno, see offline_run().
 */
int offline_measure_pair(const struct gpu_config *config,
			 const struct offline_load pair[2], u64 *shared_ns,
			 u64 *split_ns);

/**
 * offline_measure_plan() - host time of a plan of spatial-temporal multitasking
 * @count: number of made-up kernels, 1 to PLAN_KERNELS_MAX, the same in each call
 * @sms: SMs of the GPU
 * @ns: set to the median of OFFLINE_RUNS plans by Algorithm 1
 *
 * Return: 0 or -ENOMEM.
 */
int offline_measure_plan(u32 count, u32 sms, u64 *ns);

/**
 * offline_measure_prediction() - host time of a prediction of the model themis
 * @config: the GPU
 * @ns: set to the median of OFFLINE_RUNS, for each of two tenants in an epoch
 *
 * Return: 0; -ENOENT if no weights for the GPU are built in; -ENOMEM.
 */
int offline_measure_prediction(const struct gpu_config *config, u64 *ns);

/**
 * offline_device_bytes() - memory of a GPU with its session
 * @config: the GPU
 * @bytes: set to the memory, with the slots of all tenants but without traces
 *
 * Return: 0 or a negative errno.
 */
int offline_device_bytes(const struct gpu_config *config, u64 *bytes);

#endif /* OFFLINE_BENCH_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu bench: the engine's speed on loads that it makes itself, compared with the
 * floors and goals of docs/device-model.md. userspace/offline/bench.c runs and times the
 * loads.
 */
/* For asprintf. */
#define _GNU_SOURCE
#include <simgpu/random.h>

#include "../../offline/bench.h"
#include "../../offline/bench_epoch.h"
#include "../../offline/bench_pair.h"
#include "../../offline/bench_plan.h"
#include "../../offline/bench_predict.h"
#include "../../offline/dram_bench.h"
#include "../../offline/run.h"
#include "../../workloads/benchmarks.h"
#include "../json.h"
#include "../options.h"
#include "bench_threads.h"
#include "../output.h"
#include "../table.h"
#include "../workload.h"

/* A quick run simulates 1 / this of the cycles. */
#define QUICK			20
#define MEMORY_CYCLES		300000
#define COMPUTE_CYCLES		6000000
#define CHANNEL_REQUESTS	2000000
/* Requests to one channel alone: reads at this RBH. */
#define CHANNEL_RBH_PPM		500000

#define THREADS			256
#define WARPS			(THREADS / 32)
#define REGISTERS		32
/* Thread blocks that fill the warps of an SM. */
#define BLOCKS_A_FULL_SM	8
#define LINE_BYTES		128

/* Trips that are enough for MEMORY_CYCLES. */
#define SCATTER_TRIPS		128
#define STREAM_TRIPS		4
#define STREAM_BLOCKS		50000

/* Warp instructions of a burst: 160 schedulers begin 0.8 bursts a cycle. */
#define BURST			200

enum { RBH20, RBH80, COMPUTE, LOADS };
/* From this load on, they are the memory-bound programs of HSM's Table 2. */
#define TABLE2			10
#define ALL_LOADS		(LOADS + TABLE2)
#define TABLE2_CYCLES		200000

/* Fine-grained QoS: a memory-bound program beside a compute-bound one, on its GPU. */
#define PAIR_CONFIG		"fg16"
#define PAIR_CYCLES		300000

static const char *const pair_names[2] = { "LBM", "SGEMM" };

/* Sets of kernels in STM's Table 1, on its GTX480. */
#define PLANS			5
#define PLAN_SMS		15

static const u32 plan_kernels[PLANS] = { 2, 5, 10, 20, 50 };

static const char about[] =
	"Measure how fast this machine simulates configuration hbm80, on one "
	"core: two streams of reads from all SMs that saturate the memory, at "
	"row buffer hit rates (RBH) of about 0.2 and 0.8; compute alone; and one "
	"memory channel alone, with reads at an RBH of 0.5; and the ten "
	"memory-bound programs of HSM's Table 2. Each is run three times; the "
	"median counts.\v"
	"ns_per_dram_request is the mean over the ten programs, "
	"streams_ns_per_dram_request over the two streams. "
	"plan_seconds is what a plan of spatial-temporal multitasking takes, by the "
	"number of its kernels, made up, on 15 SMs, "
	"ns_per_prediction what the model themis takes for one of two tenants. "
	"shared_cycles_per_second is the speed of LBM, with a goal, and SGEMM on fg16, which share "
	"their SMs under quota-rollover, side_by_side_cycles_per_second that of the two under even. "
	"bytes is the memory of the device with the slots "
	"of all tenants; their traces are not in it.\n"
	"\n"
	"Examples:\n"
	"  simgpu bench\n"
	"  taskset -c 0 simgpu bench --json | jq .ns_per_dram_request\n"
	"\n"
	"Exit status: 0; 1 if it failed; 2 for wrong usage.";

/**
 * struct arguments - the parsed command line
 * @threads: only run the measurements with several threads
 * @save: folder for the traces, or NULL
 */
struct arguments {
	bool quick;
	bool json;
	bool threads;
	const char *save;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "quick", 'q', NULL, "A twentieth of the work, for tests", TO_FLAG(quick) },
	{ "json", 'j', NULL, "Print one JSON document", TO_FLAG(json) },
	{ "save", 0, "DIR",
	  "Measure nothing: put the loads of the whole GPU into DIR, as "
	  "rbh20.trace, rbh80.trace and compute.trace", TO_TEXT(save) },
	{ "threads", 0, NULL,
	  "Measure the programs with one thread and with several, and what "
	  "many cores would take, instead", TO_FLAG(threads) },
	{ .name = NULL }
};

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;

	if (arguments->save && (arguments->quick || arguments->json ||
				arguments->threads))
		argp_error(state, "--save goes with no other option");
}

static const struct command_line command_line = {
	.options = options,
	.check = check_arguments,
	.about = about,
};

/* --- loads ---------------------------------------------------------------------- */

static void *finish(struct builder *builder, u64 footprint_bytes, size_t *bytes)
{
	void *encoded = builder_finish(builder, footprint_bytes, bytes);

	builder_free(builder);
	return encoded;
}

/* Any even line of the tenant's space, by splitmix64. */
static u32 random_pair(u64 *state)
{
	u64 value = simgpu_random_mix(*state += SIMGPU_RANDOM_STEP);

	return (u32)(value % (SIMGPU_TRACE_SPACE_BYTES / LINE_BYTES / 2)) * 2;
}

/* A warp's lines: the first of every four accesses touches a pair. */
static u32 add_lines(struct builder *builder, u64 *state)
{
	u32 next = 0, trip, load;

	for (trip = 0; trip < SCATTER_TRIPS; trip++) {
		for (load = 0; load < 4; load++) {
			u32 line = random_pair(state);

			next = builder_line(builder, line) + 1;
			if (!load)
				next = builder_line(builder, line + 1) + 1;
		}
	}
	return next;
}

/*
 * RBH 0.2: reads of random lines, each in a row of its own, except that every
 * fifth lies beside the line before it. A quarter of the warps that
 * would fit saturates the memory. With all of them, requests would pile up at a few
 * slices by chance; SMs would wait for those, and other channels would run dry.
 */
static void *scattered_reads(u32 sms, size_t *bytes)
{
	const struct simgpu_trace_pattern recorded = {
		.kind = SIMGPU_TRACE_RECORDED,
	};
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_LOAD, .active_lanes = 32, .count = 2,
		.consume_after = 4,
	};
	struct builder *builder = builder_new("rbh20", "simgpu bench");
	u32 blocks = sms * BLOCKS_A_FULL_SM / 4, first = 0, i;
	u64 state = 1;

	if (!builder)
		return NULL;
	builder_kernel(builder, "rbh20", blocks, THREADS, REGISTERS, 0);
	op.pattern = builder_pattern(builder, &recorded);
	builder_loop(builder, SCATTER_TRIPS);
	for (i = 0; i < 4; i++, op.count = 1)
		builder_op(builder, &op);
	builder_loop_end(builder);
	for (i = 0; i < blocks * WARPS; i++) {
		builder_warp(builder, 0, first);
		first = add_lines(builder, &state);
	}
	return finish(builder, SIMGPU_TRACE_SPACE_BYTES, bytes);
}

/*
 * RBH 0.8: a stream of reads. Each thread block reads 32 lines in a row, its
 * warps side by side; blocks are short, so that all SMs stay close together.
 */
static void *streaming_reads(size_t *bytes)
{
	struct builder *builder = builder_new("rbh80", "simgpu bench");
	const s64 sweep_bytes = WARPS * LINE_BYTES;
	const s64 block_bytes = sweep_bytes * STREAM_TRIPS;
	u32 pattern;

	if (!builder)
		return NULL;
	builder_kernel(builder, "rbh80", STREAM_BLOCKS, THREADS, REGISTERS, 0);
	pattern = builder_affine(builder, 0, block_bytes * STREAM_BLOCKS, 4,
				 block_bytes, LINE_BYTES, sweep_bytes);
	builder_loop(builder, STREAM_TRIPS);
	builder_load(builder, pattern, 32, 0);
	builder_loop_end(builder);
	return finish(builder, block_bytes * STREAM_BLOCKS, bytes);
}

static void *long_bursts(u32 sms, size_t *bytes)
{
	struct builder *builder = builder_new("compute", "simgpu bench");

	if (!builder)
		return NULL;
	builder_kernel(builder, "compute", sms * BLOCKS_A_FULL_SM, THREADS,
		       REGISTERS, 0);
	builder_loop(builder, 10000);
	builder_compute(builder, BURST, 32);
	builder_loop_end(builder);
	return finish(builder, 0, bytes);
}

/* A load's trace as in a file; NULL when memory ran out. */
static void *encode(u32 load, u32 sms, size_t *bytes)
{
	switch (load) {
	case RBH20:
		return scattered_reads(sms, bytes);
	case RBH80:
		return streaming_reads(bytes);
	default:
		return long_bursts(sms, bytes);
	}
}

/* The trace of the @nth memory-bound program. */
static void *encode_program(u32 nth, size_t *bytes)
{
	const struct benchmark *benchmark = benchmarks;

	for (;; benchmark++)
		if (benchmark->hsm == CLASS_MEMORY && !nth--)
			return benchmark_trace(benchmark, SIMGPU_PPM, bytes);
}

static const struct trace *decode(u32 load, u32 sms)
{
	struct trace_error error;
	struct trace *trace = NULL;
	size_t bytes;
	void *encoded = load < LOADS ? encode(load, sms, &bytes) :
				       encode_program(load - LOADS, &bytes);

	if (encoded && offline_load_trace(encoded, bytes, &error, &trace))
		trace = NULL;
	free(encoded);
	return trace;
}

static int save_load(u32 load, u32 sms, const char *folder)
{
	static const char * const names[LOADS] = { "rbh20", "rbh80", "compute" };
	size_t bytes;
	void *encoded = encode(load, sms, &bytes);
	char *path = NULL;
	int ret;

	if (asprintf(&path, "%s/%s.trace", folder, names[load]) < 0)
		path = NULL;
	ret = encoded && path ? write_file(path, encoded, bytes) :
				fail("out of memory");
	free(encoded);
	free(path);
	return ret;
}

static int save(const struct gpu_config *config, const char *folder)
{
	int ret = STATUS_OK;
	u32 i;

	for (i = 0; !ret && i < LOADS; i++)
		ret = save_load(i, config->sms, folder);
	return ret;
}

/* --- measuring -------------------------------------------------------------------- */

/* struct measured - the measurements from which all figures are computed */
struct measured {
	struct offline_load loads[ALL_LOADS];
	u64 channel_requests;
	u64 channel_ns[OFFLINE_RUNS];
	u64 bytes;
	u64 epoch_ns;
	u64 shared_ns;
	u64 pair_cycles;
	u64 pair_shared_ns;
	u64 pair_split_ns;
	u64 plan_ns[PLANS];
	u64 prediction_ns;
};

static int measure_channel(const struct gpu_config *config, u64 requests,
			   struct measured *measured)
{
	const struct offline_dram_random random = {
		.banks = config->banks,
		.hit_ppm = CHANNEL_RBH_PPM,
		.requests = requests,
		.state = 1,
	};

	measured->channel_requests = requests;
	return offline_measure_channel(config, &random, measured->channel_ns);
}

static int measure_pair(u64 cycles, struct measured *measured)
{
	struct offline_load pair[2] = { { .cycles = cycles } };
	struct trace_error error;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < 2; i++) {
		struct trace *trace = NULL;
		size_t bytes;
		void *encoded = benchmark_trace(benchmark_find(pair_names[i]),
						SIMGPU_PPM, &bytes);

		if (!encoded || offline_load_trace(encoded, bytes, &error, &trace))
			ret = -ENOMEM;
		free(encoded);
		pair[i].trace = trace;
	}
	measured->pair_cycles = cycles;
	if (!ret)
		ret = offline_measure_pair(gpu_config_find(PAIR_CONFIG), pair,
					   &measured->pair_shared_ns,
					   &measured->pair_split_ns);
	for (i = 0; i < 2; i++)
		offline_free_trace((struct trace *)pair[i].trace);
	return ret;
}

static int measure(const struct gpu_config *config, bool quick,
		   struct measured *measured)
{
	u64 less = quick ? QUICK : 1;
	struct offline_load *loads = measured->loads;
	int ret = 0;
	u32 i;

	loads[RBH20].cycles = MEMORY_CYCLES / less;
	loads[RBH80].cycles = MEMORY_CYCLES / less;
	loads[COMPUTE].cycles = COMPUTE_CYCLES / less;
	for (i = LOADS; i < ALL_LOADS; i++)
		loads[i].cycles = TABLE2_CYCLES / less;
	for (i = 0; i < ALL_LOADS; i++) {
		loads[i].trace = decode(i, config->sms);
		if (!loads[i].trace)
			ret = -ENOMEM;
	}
	if (!ret)
		ret = offline_measure(config, loads, ALL_LOADS, 1);
	if (!ret)
		ret = measure_channel(config, CHANNEL_REQUESTS / less,
				      measured);
	if (!ret)
		ret = offline_device_bytes(config, &measured->bytes);
	if (!ret)
		ret = offline_measure_epoch(config, loads[COMPUTE].trace,
					    false, &measured->epoch_ns);
	if (!ret)
		ret = offline_measure_epoch(config, loads[COMPUTE].trace, true,
					    &measured->shared_ns);
	if (!ret)
		ret = measure_pair(PAIR_CYCLES / less, measured);
	for (i = 0; !ret && i < PLANS; i++)
		ret = offline_measure_plan(plan_kernels[i], PLAN_SMS,
					   &measured->plan_ns[i]);
	if (!ret)
		ret = offline_measure_prediction(gpu_config_find("themis60"),
						 &measured->prediction_ns);
	for (i = 0; i < ALL_LOADS; i++)
		offline_free_trace((struct trace *)loads[i].trace);
	return ret;
}

/* Measure the programs with one thread, with several, and on many cores. */
static int measure_threads(const struct gpu_config *config, bool quick, bool json)
{
	struct offline_load programs[TABLE2] = { { .trace = NULL } };
	int ret = 0;
	u32 i;

	for (i = 0; i < TABLE2; i++) {
		programs[i].cycles = TABLE2_CYCLES / (quick ? QUICK : 1);
		programs[i].trace = decode(LOADS + i, config->sms);
		if (!programs[i].trace)
			ret = -ENOMEM;
	}
	if (!ret)
		ret = bench_threads(config, programs, TABLE2, json);
	for (i = 0; i < TABLE2; i++)
		offline_free_trace((struct trace *)programs[i].trace);
	return ret < 0 ? fail("%s", strerror(-ret)) : ret;
}

static u64 cycles_per_second(const struct offline_load *load)
{
	return fixed_mul_div(load->cycles, 1000000000,
			     offline_median_ns(load->wall_ns));
}

static u64 load_rbh_ppm(const struct offline_load *load)
{
	u64 requests = simgpu_dram_requests(&load->counters);
	u64 activates = load->counters.row_activates;

	return activates > requests ?
		       0 : fixed_ratio_ppm(requests - activates, requests);
}

static u64 load_bandwidth_ppm(const struct gpu_config *config,
			      const struct offline_load *load)
{
	u64 core_clocks = load->counters.bus_busy_clocks * config->core_mhz;

	return fixed_ratio_ppm(core_clocks, load->cycles * config->memory_mhz *
					    config->channels);
}

static u64 ns_per_request_ppm(const struct offline_load *load)
{
	return fixed_ratio_ppm(offline_median_ns(load->wall_ns),
			       simgpu_dram_requests(&load->counters));
}

/* The mean of a figure over @count loads beginning with @first. */
static u64 mean(const struct measured *measured, u32 first, u32 count,
		u64 (*figure)(const struct offline_load *load))
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < count; i++)
		sum += figure(&measured->loads[first + i]);
	return sum / count;
}

static u64 ns_per_burst_ppm(const struct offline_load *load)
{
	return fixed_ratio_ppm(offline_median_ns(load->wall_ns),
			       load->counters.warp_instructions / BURST);
}

static u64 channel_requests_per_second(const struct measured *measured)
{
	return fixed_mul_div(measured->channel_requests, 1000000000,
			     offline_median_ns(measured->channel_ns));
}

static u64 pair_per_second(const struct measured *measured, u64 ns)
{
	return fixed_mul_div(measured->pair_cycles, 1000000000, ns);
}

/* --- output -------------------------------------------------------------------- */

static struct json_object *plans_json(const struct measured *measured)
{
	struct json_object *object = json_object_new_object();
	char key[16];
	u32 i;

	for (i = 0; i < PLANS; i++) {
		snprintf(key, sizeof(key), "%u", plan_kernels[i]);
		json_set(object, key,
			 json_decimal_or_null(true, (double)measured->plan_ns[i] / 1e9));
	}
	return object;
}

/*
 * struct row - a figure of the result
 * @key: key in JSON; NULL: not in JSON
 * @ppm: JSON has it as a decimal made of parts per million
 * @what: text in the table for people; NULL: not in the table
 * @less_is_better: whether a lower value is better, as for a time
 * @scale: units of the figure in a printed unit
 * @floor: in printed units, like @goal; 0: none
 */
struct row {
	const char *key;
	bool ppm;
	const char *what;
	const char *unit;
	bool less_is_better;
	double scale;
	double floor;
	double goal;
};

static const struct row rows[] = {
	{ "ns_per_dram_request", true,
	  "host time per DRAM request, programs", "ns", true, 1e6, 250, 150 },
	{ "streams_ns_per_dram_request", true,
	  "the same, streams of reads", "ns", true, 1e6, 250, 150 },
	{ "table2_memory_cycles_per_second", false,
	  "programs of Table 2, cycles a second", "M", false, 1e6, 1.5, 3 },
	{ "memory_rbh20_cycles_per_second", false,
	  "reads at RBH 0.2, cycles a second", "M", false, 1e6, 1.6, 2.7 },
	{ "memory_rbh80_cycles_per_second", false,
	  "reads at RBH 0.8, cycles a second", "M", false, 1e6, 0.8, 1.4 },
	{ "compute_cycles_per_second", false,
	  "compute, cycles a second", "M", false, 1e6, 20, 40 },
	{ "ns_per_burst", true, "host time per burst", "ns", true, 1e6, 0, 0 },
	{ "channel_requests_per_second", false,
	  "one channel, requests a second", "M", false, 1e6, 5, 12 },
	{ "bytes", false, "memory", "MB", true, 1e6, 64, 16 },
	{ "epoch_ns_64_tenants", false,
	  "an epoch of 64 tenants (epoch_ns_64_tenants)", "us", true, 1e3, 0, 0 },
	{ "epoch_ns_shared_rows", false,
	  "one of 960 rows of shared SMs (epoch_ns_shared_rows)", "us", true, 1e3, 0, 0 },
	{ NULL, false,
	  "a pair under quotas beside the same side by side", "", false, 1e6, 0.7, 1 },
	{ NULL, false,
	  "a plan of 50 kernels on 15 SMs (plan_seconds)", "ms", true, 1e6, 0, 0 },
	{ "ns_per_prediction", false,
	  "a prediction of Themis' (ns_per_prediction)", "ns", true, 1, 0, 0 },
	{ .key = "shared_cycles_per_second" },
	{ .key = "side_by_side_cycles_per_second" },
	{ .key = "memory_rbh20_rbh", .ppm = true },
	{ .key = "memory_rbh20_bandwidth", .ppm = true },
	{ .key = "memory_rbh80_rbh", .ppm = true },
	{ .key = "memory_rbh80_bandwidth", .ppm = true },
};

/* The figures, in the order of the rows. */
static void fill_values(const struct gpu_config *config,
			const struct measured *measured,
			u64 values[ARRAY_SIZE(rows)])
{
	const struct offline_load *loads = measured->loads;
	const u64 figures[ARRAY_SIZE(rows)] = {
		mean(measured, LOADS, TABLE2, ns_per_request_ppm),
		mean(measured, RBH20, 2, ns_per_request_ppm),
		mean(measured, LOADS, TABLE2, cycles_per_second),
		cycles_per_second(&loads[RBH20]),
		cycles_per_second(&loads[RBH80]),
		cycles_per_second(&loads[COMPUTE]),
		ns_per_burst_ppm(&loads[COMPUTE]),
		channel_requests_per_second(measured),
		measured->bytes,
		measured->epoch_ns,
		measured->shared_ns,
		fixed_ratio_ppm(measured->pair_split_ns,
				measured->pair_shared_ns),
		measured->plan_ns[PLANS - 1],
		measured->prediction_ns,
		pair_per_second(measured, measured->pair_shared_ns),
		pair_per_second(measured, measured->pair_split_ns),
		load_rbh_ppm(&loads[RBH20]),
		load_bandwidth_ppm(config, &loads[RBH20]),
		load_rbh_ppm(&loads[RBH80]),
		load_bandwidth_ppm(config, &loads[RBH80]),
	};

	memcpy(values, figures, sizeof(figures));
}

static int print_json(const struct gpu_config *config,
		      const struct measured *measured)
{
	struct json_object *object = json_object_new_object();
	u64 values[ARRAY_SIZE(rows)];
	u32 i;

	fill_values(config, measured, values);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].key)
			json_set(object, rows[i].key, rows[i].ppm ?
				 json_ppm(values[i]) : json_u64(values[i]));
	json_set(object, "plan_seconds", plans_json(measured));
	return json_print(object);
}

static void add_ratio(struct table *table, const struct row *row, double figure,
		      double target)
{
	if (!target)
		table_cell(table, "-");
	else
		table_cell(table, "%.2f", row->less_is_better ?
			   target / figure : figure / target);
}

static void add_row(struct table *table, const struct row *row, u64 value)
{
	double figure = (double)value / row->scale;

	table_cell(table, "%s", row->what);
	table_cell(table, "%.*f %s", figure < 100 ? 2 : 0, figure, row->unit);
	if (row->floor) {
		table_cell(table, "%g", row->floor);
		table_cell(table, "%g", row->goal);
	} else {
		table_cell(table, "-");
		table_cell(table, "-");
	}
	add_ratio(table, row, figure, row->floor);
	add_ratio(table, row, figure, row->goal);
}

static int print_table(const struct gpu_config *config,
		       const struct measured *measured)
{
	const struct offline_load *loads = measured->loads;
	struct table *table = table_new("what|>measured|>floor|>goal|>of floor|>of goal");
	u64 values[ARRAY_SIZE(rows)];
	u32 i;

	fill_values(config, measured, values);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].what)
			add_row(table, &rows[i], values[i]);
	table_print(table);
	for (i = RBH20; i <= RBH80; i++)
		printf("%sRBH %s: achieved %.3f at %.3f of peak bandwidth, %.0f ns a request\n",
		       i == RBH20 ? "\n" : "", i == RBH20 ? "0.2" : "0.8",
		       (double)load_rbh_ppm(&loads[i]) / SIMGPU_PPM,
		       (double)load_bandwidth_ppm(config, &loads[i]) / SIMGPU_PPM,
		       (double)ns_per_request_ppm(&loads[i]) / SIMGPU_PPM);
	puts("A ratio of 1 or more: reached. Programs: the ten memory-bound ones of HSM's Table 2, means.");
	return STATUS_OK;
}

int bench_command(int argc, char **argv)
{
	const struct gpu_config *config = gpu_config_find("hbm80");
	struct arguments arguments = { .quick = false };
	struct measured measured = { .bytes = 0 };
	int ret;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	if (arguments.save)
		return save(config, arguments.save);
#ifndef __OPTIMIZE__
	warn("built without optimization; its speed says little");
#endif
	if (arguments.threads)
		return measure_threads(config, arguments.quick, arguments.json);
	ret = measure(config, arguments.quick, &measured);
	if (ret)
		return fail("%s", strerror(-ret));
	return arguments.json ? print_json(config, &measured) :
				print_table(config, &measured);
}

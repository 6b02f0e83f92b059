/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of `simgpu sweep`. Suites of mixes (sweep_suite.c) run at
 * points of axes (sweep_axes.c), under each policy and with each seed, and each
 * workload runs alone (sweep_runs.c, sweep_alone.c). Figures are kept in a folder, so that
 * an interrupted sweep goes on where it was (sweep_kept.c). sweep_figures.c computes
 * verdicts and means, sweep_report.c prints them.
 */
#ifndef SIMGPU_SWEEP_H
#define SIMGPU_SWEEP_H

#include "../contender.h"
#include "../memory_options.h"
#include "../workload.h"

/* Most tenants of a mix. */
#define MIX_TENANTS_MAX		8
#define MIX_NAME_BYTES		(MIX_TENANTS_MAX * (SIMGPU_NAME_MAX + 1))
#define SOURCE_BYTES		(2 * SIMGPU_NAME_MAX + 2)
#define SWEEP_POLICIES_MAX	16
#define SWEEP_SEEDS_MAX		1000
/* Most parts in which a sweep is divided, for hosts or cores. */
#define SWEEP_PARTS_MAX		10000

/* --- suites --- */

enum mix_category {
	MIX_MEMORY,	/* memory-bound tenants only */
	MIX_COMPUTE,	/* compute-bound ones only */
	MIX_HETERO,	/* both */
	MIX_OTHER,	/* papers do not give all of them one of the two classes */
	MIX_CATEGORIES
};

/**
 * struct mix - tenants that run together
 * @name: names of the tenants with '+' between them
 * @source: where its programs come from, an index in &struct suite.sources
 * @count: number of tenants; the first is in slot 0
 * @priority: slot of the tenant that HSM would promise an NP
 * @kernel_end_given: whether @kernel_end replaces --kernel-end
 * @kernel_end: SIMGPU_KERNEL_END_*
 * @workload: by tenant, index in &struct suite.workloads
 * @options: by tenant
 * @goal_ppm: by tenant, its goal as a part of what it does alone; 0: none
 * @arrivals: by tenant, requests that come by themselves, as the user gave them; their
 *	list is the suite's
 * @masks: by tenant, its masks beside others; alone it has the whole GPU
 * @start_cycle: by tenant, when it begins beside others; alone it begins at once
 */
struct mix {
	char name[MIX_NAME_BYTES];
	enum mix_category category;
	u32 source;
	u32 count;
	u32 priority;
	bool kernel_end_given;
	u32 kernel_end;
	u32 workload[MIX_TENANTS_MAX];
	struct session_tenant_options options[MIX_TENANTS_MAX];
	u64 goal_ppm[MIX_TENANTS_MAX];
	struct arrivals_words arrivals[MIX_TENANTS_MAX];
	struct session_masks masks[MIX_TENANTS_MAX];
	u64 start_cycle[MIX_TENANTS_MAX];
};

/**
 * struct suite - mixes, and the workloads that occur in them, each once
 * @config: the GPU; NULL: any
 * @workloads: without arrivals, which belong to the mixes; workloads with the same trace
 *	in other queues are different ones
 * @lists: memory of arrivals' lists, @list_count of them
 * @sources: where programs of mixes come from, if the suite has that
 * @once: each trace runs once, and the figure is the end of all (sweep_sets.h)
 * @serves: the first tenant of each mix is a service (sweep_serve.h)
 */
struct suite {
	const struct gpu_config *config;
	struct workload *workloads;
	u32 workload_count;
	u64 **lists;
	u32 list_count;
	struct mix *mixes;
	u32 mix_count;
	char (*sources)[SOURCE_BYTES];
	u32 source_count;
	bool once;
	bool serves;
};

/* --- axes --- */

#define SWEEP_AXES		6
/* Indices of --targets and --goals among the axes. */
#define SWEEP_AXIS_TARGETS	0
#define SWEEP_AXIS_GOALS	3
#define AXIS_POINTS_MAX		256
#define AXIS_TEXT_BYTES		64

/**
 * struct axis_point - a point of an axis
 * @text: text in output
 * @count: number of @values; 0: it is the word @text
 * @values: one number, or one by slot
 */
struct axis_point {
	char text[AXIS_TEXT_BYTES];
	u32 count;
	u64 values[MIX_TENANTS_MAX];
};

/**
 * struct axis_points - the points that were given; none if the axis was not given
 */
struct axis_points {
	struct axis_point *points;
	u32 count;
};

/**
 * struct sweep_axes - all axes, in the order of sweep_axes_table; also the input of
 *	sweep_axes_argp()
 */
struct sweep_axes {
	struct axis_points of[SWEEP_AXES];
};

/**
 * struct sweep_axis - a row of the table of axes
 * @option: its option
 * @key: key of a point in JSON, and of a column behind "at_"; parts have "by_" before it
 * @unit: unit in @help
 * @sets: AXIS_SETS_*: two axes that set the same exclude each other
 * @parse: parses one item of the option's list, which may be several points; false if it
 *	is not valid
 * @form: form of an item, for messages
 * @apply: changes a mix for a point; an exit status
 */
struct sweep_axis {
	const char *option;
	const char *key;
	const char *unit;
	const char *help;
	u32 sets;
	bool (*parse)(struct axis_points *points, const char *item);
	const char *form;
	int (*apply)(const struct axis_point *point, u32 sms, struct mix *mix);
};

#define AXIS_SETS_TARGET	1U
#define AXIS_SETS_WEIGHT	2U
#define AXIS_SETS_LOAD		4U
#define AXIS_SETS_KERNEL_END	8U

extern const struct sweep_axis sweep_axes_table[SWEEP_AXES];

/* --- runs --- */

/**
 * struct sweep_paging - what came to managed memory and went
 * @faults: faults on its pages
 * @pages_in: pages that came to the device
 * @pages_again: of @pages_in, those that had been evicted before
 * @copied_in_bytes: bytes of @pages_in
 * @copied_out_bytes: bytes of evicted pages that were copied to the host
 */
struct sweep_paging {
	u64 faults;
	u64 pages_in;
	u64 pages_again;
	u64 copied_in_bytes;
	u64 copied_out_bytes;
};

/**
 * struct sweep_tenant - a tenant's figures of one run, and of its private one
 * @instructions: thread instructions of its first run
 * @cycles: cycles in which these were issued
 * @sms_milli: SMs that it held on average, in thousandths
 * @class: class in the model's last prediction
 * @np_predicted_ppm: predicted NP of its first run; 0 without a prediction
 * @np_memory_ppm: predicted NP over the epochs in which the model classed it as
 *	memory-bound; 0 if there are none
 * @np_compute_ppm: predicted NP over the other epochs with a prediction; 0 if there are none
 * @np_memory_part_ppm: part of the predicted cycles that lies in the former
 * @first_run_done: 1 if that ended
 * @starved: 1 if it had work and issued nothing
 * @outlived: 1 if its first run, or the lack of one, went on after the warm-up
 * @late_instructions: of @instructions, those before the warm-up's end; 0 if its first
 *	run did not outlive that
 * @late_cycles: of @cycles, those before it; likewise
 * @window_instructions: of all its runs
 * @energy_pj: energy of its events by the GPU's table; 0 without a table
 * @context_lines: lines of thread blocks' contexts that were saved or restored
 * @sm_handovers: SMs that it got while thread blocks of others were on them
 * @sm_handover_cycles: sum of cycles from the order until these thread blocks were gone
 * @launches: launches that have ended; the latencies and @goodput_ppm are of these, see
 *	&struct simgpu_tenant_report
 * @launches_waiting: launches waiting at the end
 * @deadline_misses: of @launches
 * @first_tokens: first tokens of requests, by marks of the trace; ttft_*_ns are of these
 * @ttft_mean_ns: mean device time from arrival to first token
 * @ttft_p50_ns: its median
 * @ttft_p99_ns: its 99th percentile
 * @tokens: further tokens; tbt_*_ns are of these
 * @tbt_mean_ns: mean device time from a token to the next one
 * @tbt_p50_ns: its median
 * @tbt_p99_ns: its 99th percentile
 * @batch_mean_ppm: requests of a decode in the mean, where they are batched; else 0
 * @useful_instructions: of @window_instructions, those of no thread block that was reset
 * @requests: that have come; these and the rest as in &struct service_figures, of
 *	services of a suite that has them
 * @paging: of all its runs
 * @memory_replaced: of the run, and in slot 0 only: 1 if uvm has replaced the memory
 *	policy
 * @static_saved_pj: of the run, and in slot 0 only: static energy that lower clocks saved
 * @refused: of the run, and in slot 0 only: &enum session_refusal_kind, why its figures
 *	are not those of its policy and model
 * @alone: the private run at @instructions
 * @alone_late: and at @late_instructions
 */
struct sweep_tenant {
	u64 instructions;
	u64 cycles;
	u64 ipc_ppm;
	u64 rbh_ppm;
	u64 bandwidth_ppm;
	u64 llc_mpki_ppm;
	u64 sms_milli;
	u64 class;
	u64 np_predicted_ppm;
	u64 np_memory_ppm;
	u64 np_compute_ppm;
	u64 np_memory_part_ppm;
	u64 first_run_done;
	u64 starved;
	u64 outlived;
	u64 late_instructions;
	u64 late_cycles;
	u64 window_instructions;
	u64 energy_pj;
	u64 static_saved_pj;
	u64 context_lines;
	u64 sm_handovers;
	u64 sm_handover_cycles;
	u64 launches;
	u64 launches_waiting;
	u64 deadline_misses;
	u64 goodput_ppm;
	u64 latency_p50_ns;
	u64 latency_p95_ns;
	u64 latency_p99_ns;
	u64 wait_mean_ns;
	u64 first_tokens;
	u64 ttft_mean_ns;
	u64 ttft_p50_ns;
	u64 ttft_p99_ns;
	u64 tokens;
	u64 tbt_mean_ns;
	u64 tbt_p50_ns;
	u64 tbt_p99_ns;
	u64 batch_mean_ppm;
	u64 useful_instructions;
	u64 requests;
	u64 unfinished;
	u64 late;
	u64 met;
	u64 judged;
	u64 p50_ns;
	u64 p99_ns;
	struct sweep_paging paging;
	u64 memory_replaced;
	u64 refused;
	struct offline_mark alone;
	struct offline_mark alone_late;
};

/**
 * struct sweep_run - a mix at a point, under a policy and with a seed
 * @sweep: the sweep that it belongs to
 * @mix: the mix at @point
 * @policy: index of the policy and its model
 * @seed: index of the seed; the seed itself is that much above the first
 * @made: whether its figures are there, except for those of its tenants alone
 * @watches: the run, different only in its model, that its model watches; NULL: the run
 *	is made itself
 * @cycle: core cycles of the whole run
 * @estimated: time that its plan was expected to take; 0: it has none
 * @alone: whether it is its first tenant alone, in a suite of services
 */
struct sweep_run {
	const struct sweep *sweep;
	const struct mix *mix;
	u32 policy;
	u32 point;
	u32 seed;
	bool made;
	struct sweep_run *watches;
	u64 state_hash;
	u64 cycle;
	u64 estimated;
	const struct sweep_run *alone;
	struct sweep_tenant tenants[MIX_TENANTS_MAX];
};

/**
 * struct sweep_request - the time of a request alone on the GPU
 * @workload: index of the workload
 * @launches: launches of the request
 * @seed: index, as in &struct sweep_run
 * @cycles: core cycles from its arrival to its end
 */
struct sweep_request {
	u32 workload;
	u32 launches;
	u32 seed;
	u64 cycles;
};

/**
 * struct sweep - the command line, and all runs
 * @memory: managed memory
 * @traces: folder of traces that the suite draws from; NULL: none
 * @folder: folder where figures are kept
 * @policies: policies with their models, in the order given
 * @labels: POLICY@MODEL of each
 * @reference_name: policy that others are compared with; NULL: the first
 * @reference: index of that policy
 * @details: print the second table
 * @target_ppm: NP that the tenant with priority is promised; 0: nobody has one, or an
 *	axis says who has which
 * @seeds: that each mix is run with
 * @every: every so many-th mix of the suite is run
 * @sets: how many sets of how many programs are run, of --sets; NULL: all
 * @deadline_ppm: deadline of requests at a load without one of their own, in
 *	multiples of their time alone; 0: they have none
 * @warmup_cycles: where the late span begins, at the next epoch's end
 * @part: which part of the runs this command makes, from 0, of @parts
 * @incomplete: whether runs of other parts are still missing: then nothing is reported
 * @core_mhz: core clock of the GPU
 * @program: checksum of this program: figures of another one are not used
 * @mixes: the suite's mixes at each point, points x mixes
 * @requests: times alone of requests that come at a load
 * @request_count: number of @requests
 * @windows: figures of each workload alone in each slot, with each seed, in a span
 *	as long as a run; NULL if nothing needs them
 * @runs: policies x points x seeds x mixes, and behind these the services alone
 * @run_count: number of @runs, without those of services alone
 * @alone_count: number of runs of services alone
 * @alone_mixes: their mixes, at each point
 */
struct sweep {
	struct experiment experiment;
	struct memory_options memory;
	struct sweep_axes axes;
	const char *suite_name;
	const char *traces;
	const char *folder;
	char *policy_list;
	struct contender policies[SWEEP_POLICIES_MAX];
	char labels[SWEEP_POLICIES_MAX][CONTENDER_LABEL_BYTES];
	u32 policy_count;
	const char *reference_name;
	u32 reference;
	bool details;
	u64 target_ppm;
	bool target_given;
	u64 seeds;
	u64 every;
	const char *sets;
	u64 deadline_ppm;
	u64 warmup_cycles;
	u64 workers;
	u32 part;
	u32 parts;
	bool incomplete;
	bool list_suites;
	bool json;
	bool csv;
	u32 core_mhz;
	u32 program;
	struct suite suite;
	struct mix *mixes;
	struct sweep_request *requests;
	u32 request_count;
	struct session_figures *windows;
	struct sweep_run *runs;
	u32 run_count;
	u32 alone_count;
	struct mix *alone_mixes;
};

struct json_object;

#define SWEEP_ANY_POLICY	U32_MAX

#endif /* SIMGPU_SWEEP_H */

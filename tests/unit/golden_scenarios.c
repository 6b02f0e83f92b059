// SPDX-License-Identifier: GPL-2.0
/* The table of golden runs: see test_goldens.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/sim/sim.h"
#include "golden_lives.h"
#include "golden_policy.h"
#include "small.h"

#define EPOCH	10000ULL
#define STEP	1500ULL

/* @variant of live_with_traces(). */
#define RUN(a, b, c) \
	((GOLDEN_##a + 1) | (GOLDEN_##b + 1) << 8 | (GOLDEN_##c + 1) << 16)

/**
 * struct named - a run with a name of its own
 * @name: of it
 * @fields: in which its GPU is not small_config(): "name=number ..."
 * @live: what happens in it
 * @variant: of that
 * @policy: NULL: even
 * @model: NULL: hsm
 * @set: other options of the session
 * @steps: 0: 30, with other traces 16
 */
struct named {
	const char *name;
	const char *fields;
	void (*live)(struct golden_run *run);
	u32 variant;
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	void (*set)(struct session_options *options);
	u32 steps;
};

static void set_gang(struct session_options *options)
{
	options->gang_size = 3;
	options->stop_cycle = 33333;
	options->relaunch = true;
}

static void set_gang_even(struct session_options *options)
{
	set_gang(options);
	options->kernel_end = SESSION_KERNEL_END_EVEN;
}

static void set_gang_changed(struct session_options *options)
{
	set_gang(options);
	options->kernel_end = SESSION_KERNEL_END_CHANGED;
}

static void set_drain(struct session_options *options)
{
	options->preemption = SESSION_PREEMPTION_DRAIN;
}

static void set_adaptive(struct session_options *options)
{
	options->preemption = SESSION_PREEMPTION_ADAPTIVE;
}

static void set_sight(struct session_options *options)
{
	options->decision_cycles = 700;
	options->counter_noise = 30;
	options->counter_delay = 1;
}

static void set_late(struct session_options *options)
{
	options->decision_cycles = 13000;
	options->counter_delay = 2;
}

static void set_few(struct session_options *options)
{
	options->sms_most = 3;
}

static void set_hold(struct session_options *options)
{
	options->hold_cycles = SESSION_HOLD_CYCLES_MIN;
}

#define BOTH	"l1_sectors=4 llc_sectors=4 "

static const struct named named[] = {
	/* What a session can do. */
	{ "queues", "", live_in_queues, .steps = 32 },
	{ "queues-masked", "l1c_sets=4", live_in_queues, .variant = 1, .steps = 32 },
	{ "queues-by-turns", "", live_in_queues, .policy = &golden_by_turns, .steps = 32 },
	{ "arrivals", "", live_by_arrivals, .policy = &policy_concurrent, .steps = 32 },
	{ "arrivals-spart", "launch_cycles=90", live_by_arrivals, .policy = &policy_spart,
	  .steps = 32 },
	{ "settings", "", live_with_settings, .steps = 32 },
	{ "settings-oracle", "", live_with_settings, .policy = &policy_hsm_qos,
	  .model = &model_oracle, .steps = 20 },
	{ "masks", "", live_in_masks, .steps = 32 },
	{ "masks-sectors", BOTH "address_hash=0", live_in_masks,
	  .policy = &policy_concurrent },
	{ "masks-ipoly", "address_hash=2", live_in_masks, .policy = &golden_by_turns },
	{ "gang-carry", "", live_in_gang, .policy = &policy_hsm_fair, .set = set_gang,
	  .steps = 50 },
	{ "gang-even", "", live_in_gang, .variant = 1, .policy = &policy_hsm_qos,
	  .set = set_gang_even, .steps = 50 },
	{ "gang-changed", "", live_in_gang, .policy = &policy_themis_fair,
	  .model = &model_themis, .set = set_gang_changed, .steps = 50 },
	{ "memory", "memory_mb=17", live_in_memory, .steps = 32 },
	{ "now-and-then", "", live_now_and_then, .steps = 60 },
	{ "now-and-then-shared", "", live_now_and_then, .policy = &policy_sequential,
	  .steps = 40 },
	{ "holds", "", live_together, .policy = &golden_holds, .set = set_hold },
	{ "few-sms", "", live_together, .set = set_few, .steps = 16 },
	{ "sight", "", live_together, .policy = &policy_hsm_fair, .set = set_sight,
	  .steps = 48 },
	{ "late", "hardware_counters=1", live_together, .policy = &policy_hsm_qos,
	  .set = set_late, .steps = 72 },
	{ "mirrors", "mirrors=1 atd_sampling=2", live_with_traces,
	  .variant = RUN(RANDOM, COPY, COMPUTE), .policy = &policy_curve_fair,
	  .model = &model_mirror },
	/* All that policies can say. */
	{ "by-turns", "", live_together, .policy = &golden_by_turns, .steps = 80 },
	{ "by-turns-tpcs", "sms_per_tpc=2 boundary_cycles=7 poll_cycles=40", live_together,
	  .policy = &golden_by_turns, .steps = 60 },
	{ "by-turns-sight", "hardware_counters=1 l1_sectors=4", live_together,
	  .policy = &golden_by_turns, .set = set_sight, .steps = 60 },
	{ "resets", "poll_cycles=25", live_idempotent, .policy = &golden_resets,
	  .steps = 80 },
	{ "resets-flep", "", live_idempotent, .policy = &policy_flep },
	{ "resets-reef", "", live_idempotent, .policy = &policy_reef },
	{ "resets-tally", "", live_idempotent, .policy = &policy_tally },
	{ "policies", "", live_through_policies, .steps = 110 },
	{ "policies-back", "mirrors=1", live_through_policies, .variant = 18,
	  .model = &model_oracle, .steps = 60 },
	{ "probes", "", live_together, .policy = &golden_by_turns, .model = &model_bubble_flux,
	  .steps = 60 },
	{ "probes-spart", "", live_together, .policy = &policy_spart, .model = &model_bubble_flux,
	  .steps = 60 },
	/* How blocks leave. */
	{ "drain", "", live_long, .set = set_drain },
	{ "switch", "", live_long, .policy = &policy_even },
	{ "switch-free", "free_contexts=1", live_long, .policy = &policy_even },
	{ "switch-sectors", BOTH, live_long, .policy = &policy_hsm_fair },
	{ "adaptive", "", live_long, .policy = &policy_hsm_fair, .set = set_adaptive },
	/* GPUs of all sorts. */
	{ "sectors", BOTH, live_with_traces, .variant = RUN(MIXED, ODD, PARTIAL) },
	{ "sectors-lazy", BOTH "llc_write_allocate=2 l1_write_allocate=2",
	  live_with_traces, .variant = RUN(SCATTER, ODD, PARTIAL) },
	{ "sectors-fetch", "llc_sectors=4 llc_write_allocate=1", live_with_traces,
	  .variant = RUN(SCATTER, ODD, PARTIAL) },
	{ "lazy", "llc_write_allocate=2", live_with_traces,
	  .variant = RUN(SCATTER, ODD, PARTIAL) },
	{ "fetch", "llc_write_allocate=1", live_with_traces,
	  .variant = RUN(SCATTER, ODD, PARTIAL) },
	{ "always", "llc_write_allocate=3", live_with_traces,
	  .variant = RUN(SCATTER, ODD, COPY) },
	{ "none", "llc_write_allocate=0", live_with_traces,
	  .variant = RUN(SCATTER, ODD, COPY) },
	{ "arbitrate-first", "slice_arbitration=1 llc_mshrs=4 llc_write_credits=2",
	  live_with_traces, .variant = RUN(COPY, GATHER, SCATTER) },
	{ "arbitrate-sm", "slice_arbitration=2 llc_mshrs=4 llc_write_credits=2",
	  live_with_traces, .variant = RUN(COPY, GATHER, SCATTER) },
	{ "arbitrate-order", "slice_arbitration=0 llc_mshrs=4 llc_write_credits=2",
	  live_with_traces, .variant = RUN(COPY, GATHER, SCATTER) },
	{ "arbitrate-sectors", BOTH "slice_arbitration=2 llc_mshrs=6", live_with_traces,
	  .variant = RUN(PARTIAL, GATHER, ODD) },
	{ "queues-short",
	  "noc_queue_depth=2 noc_flit_bytes=16 sm_stores=8 noc_latency=4 llc_latency=4 l1_mshrs=16",
	  live_with_traces, .variant = RUN(COPY, GATHER, SCATTER) },
	{ "heads-block", "noc_head_blocking=1 noc_flit_bytes=16 sm_stores=64", live_with_traces,
	  .variant = RUN(COPY, GATHER, SCATTER) },
	{ "heads-block-sectors", BOTH "noc_head_blocking=1 noc_queue_depth=4",
	  live_with_traces, .variant = RUN(PARTIAL, GATHER, ODD) },
	{ "queues-end", "noc_head_blocking=1 slice_queue_flits=15 llc_mshrs=6",
	  live_with_traces, .variant = RUN(COPY, GATHER, SCATTER) },
	{ "constants", "l1c_sets=2 l1c_ways=2 l1_hit_latency=9", live_with_traces,
	  .variant = RUN(MIXED, COMPUTE, STREAM) },
	{ "constants-perfect", "l1c_sets=0", live_with_traces,
	  .variant = RUN(MIXED, DEPENDENT, ODD) },
	{ "round-robin", "warp_policy=1 schedulers_per_sm=4", live_with_traces,
	  .variant = RUN(DEPENDENT, SHARED, RANDOM) },
	{ "one-scheduler", "schedulers_per_sm=1 sms=4 llc_slices=4", live_with_traces,
	  .variant = RUN(DEPENDENT, SHARED, COMPUTE) },
	{ "small-sms",
	  "warps_per_sm=20 threads_per_sm=600 blocks_per_sm=3 registers_per_sm=24000 shared_bytes_per_sm=13000",
	  live_with_traces, .variant = RUN(DEPENDENT, SHARED, ODD) },
	{ "units",
	  "fp32_latency=9 fp64_interval=16 sfu_interval=5 tensor_latency=33 shared_latency=41 shared_interval=3 integer_interval=2",
	  live_with_traces, .variant = RUN(DEPENDENT, SHARED, MIXED),
	  .policy = &policy_concurrent },
	{ "hash-plain", "address_hash=0", live_with_traces,
	  .variant = RUN(RANDOM, COPY, PAIRS) },
	{ "hash-ipoly", "address_hash=2", live_with_traces,
	  .variant = RUN(RANDOM, COPY, PAIRS) },
	{ "channels-three", "channels=3 llc_slices=3 banks=8 bank_groups=2 row_lines=8",
	  live_with_traces, .variant = RUN(RANDOM, COPY, PAIRS) },
	{ "refresh", "dram.trefi=300 dram.trfc=60 row_hit_cap=2", live_with_traces,
	  .variant = RUN(STREAM, COPY, RANDOM) },
	{ "refresh-in-turn", "dram.trefi=960 dram.trfc_bank=40 dram.trrefd=4 row_hit_cap=2",
	  live_with_traces, .variant = RUN(STREAM, COPY, RANDOM) },
	{ "drains", "queue_entries=8 write_drain_start=6 write_drain_stop=1 row_hit_cap=0",
	  live_with_traces, .variant = RUN(COPY, PARTIAL, STREAM) },
	{ "columns",
	  "column_accesses_per_line=4 channel_bytes_per_clock=16 memory_mhz=1700 dram.read_to_write=17",
	  live_with_traces, .variant = RUN(COPY, PARTIAL, GATHER) },
	{ "slow-memory", "memory_mhz=200 core_mhz=1699 channel_batch_clocks=4", live_with_traces,
	  .variant = RUN(COPY, SCATTER, GATHER), .policy = &policy_concurrent },
	{ "tags", "atd_sampling=1 mirrors=1 hardware_counters=1", live_with_traces,
	  .variant = RUN(GATHER, SCATTER, ODD), .policy = &policy_concurrent },
	{ "sample", "", live_with_traces, .variant = RUN(SAMPLE, PAIRS, SHARED) },
	{ "bytes", BOTH, live_with_traces, .variant = RUN(BYTES, LOADS, DEEP) },
	{ "bytes-lazy", BOTH "llc_write_allocate=2 l1_write_allocate=2", live_with_traces,
	  .variant = RUN(BYTES, LOADS, DEEP) },
	{ "bytes-whole", "", live_with_traces, .variant = RUN(BYTES, LOADS, DEEP),
	  .policy = &policy_concurrent },
	/* More SMs than a word has bits. */
	{ "many-sms", "sms=72 slice_arbitration=2 llc_mshrs=4 l1_mshrs=4 sm_stores=4",
	  live_with_traces, .variant = RUN(GATHER, COPY, SCATTER), .steps = 8 },
	{ "many-sms-queues", "sms=80 memory_mb=64", live_in_queues, .variant = 2,
	  .policy = &policy_cumask, .steps = 16 },
	{ "many-sms-by-turns", "sms=70 sms_per_tpc=2", live_together,
	  .policy = &golden_by_turns, .steps = 20 },
	{ "sample-sectors", BOTH, live_with_traces,
	  .variant = RUN(SAMPLE, PAIRS, PROFILED) },
};

static void set_fields(struct gpu_config *config, const char *text)
{
	const char *bad;
	char name[40];
	u32 value, i;
	int length;

	for (; sscanf(text, " %39[^=]=%u%n", name, &value, &length) == 2; text += length) {
		const struct config_field *field;

		for (i = 0; (field = config_field_at(i)); i++)
			if (!strcmp(field->name, name))
				break;
		if (!field)
			fail_msg("there is no field %s", name);
		config_set(config, field, value);
	}
	if (gpu_config_check(config, &bad))
		fail_msg("%s is out of range", bad);
}

/* What most of them have. */
static void begin(struct golden_scenario *out, const char *kind, const char *name)
{
	*out = (struct golden_scenario) {
		.options = {
			.config = small_config(),
			.seed = 3,
			.epoch_cycles = EPOCH,
			.hold_cycles = SESSION_HOLD_CYCLES_DEFAULT,
			.model = &model_hsm,
			.policy = &policy_even,
			.preemption = SESSION_PREEMPTION_SWITCH,
		},
		.steps = 30,
		.step_cycles = STEP,
		.live = live_together,
	};
	snprintf(out->name, sizeof(out->name), "%s-%s", kind, name);
}

static void of_policy(u32 index, struct golden_scenario *out)
{
	const struct simgpu_policy *policy = registry_policy_at(index);

	begin(out, "policy", policy->name);
	out->options.policy = policy;
	if (policy->model[0])
		out->options.model = registry_model_find(policy->model);
	if (policy->needs & SIMGPU_NEEDS_CURVES)
		out->options.model = &model_mirror;
	out->steps = 60;
	session_default_params(&out->options);
}

/* Several queues, in which launches have masks. */
static void of_queues(u32 index, struct golden_scenario *out)
{
	of_policy(index, out);
	snprintf(out->name, sizeof(out->name), "queues-%s",
		 out->options.policy->name);
	out->live = live_in_queues;
	out->variant = 1;
	out->steps = 20;
}

/*
 * Parameters that are smaller than at first, so that things happen more often, and launches
 * that take time.
 */
static void of_params(u32 index, struct golden_scenario *out)
{
	const struct simgpu_param *param;
	u32 i;

	of_policy(index, out);
	snprintf(out->name, sizeof(out->name), "knobs-%s", out->options.policy->name);
	out->live = live_with_profiles;
	out->options.config.launch_cycles = 120;
	out->steps = 25;
	param = out->options.policy->params;
	for (i = 0; param && param[i].name; i++)
		out->options.policy_params[i] = param[i].least +
			(param[i].initial - param[i].least) / 16;
}

static void of_profiles(u32 index, struct golden_scenario *out)
{
	of_policy(index, out);
	snprintf(out->name, sizeof(out->name), "profiles-%s",
		 out->options.policy->name);
	out->live = live_with_profiles;
	out->steps = 30;
}

static void of_model(u32 index, struct golden_scenario *out)
{
	const struct simgpu_model *model = registry_model_at(index);

	begin(out, "model", model->name);
	out->options.model = model;
	out->options.policy = index % 2 ? &policy_hsm_fair : &policy_themis_qos;
	out->steps = 60;
	session_default_params(&out->options);
}

static void of_config(u32 index, struct golden_scenario *out)
{
	const struct gpu_config *config = gpu_config_at(index);

	begin(out, "config", config->name);
	out->options.config = *config;
	out->live = live_with_traces;
	out->variant = RUN(MIXED, GATHER, COPY);
	out->steps = 8;
	session_default_params(&out->options);
}

static void of_kind(u32 index, struct golden_scenario *out)
{
	begin(out, "kind", kinds[index].name);
	out->live = live_with_traces;
	out->variant = (GOLDEN_KINDS + index + 1) | (GOLDEN_STREAM + 1) << 8;
	out->options.policy = index % 2 ? &policy_concurrent : &policy_even;
	out->steps = 10;
	session_default_params(&out->options);
}

static void of_named(u32 index, struct golden_scenario *out)
{
	const struct named *run = &named[index];

	begin(out, "run", run->name);
	set_fields(&out->options.config, run->fields);
	out->live = run->live;
	out->variant = run->variant;
	if (run->policy)
		out->options.policy = run->policy;
	if (run->model)
		out->options.model = run->model;
	if (run->set)
		run->set(&out->options);
	if (run->live == live_with_traces)
		out->steps = 16;
	if (run->steps)
		out->steps = run->steps;
	session_default_params(&out->options);
}

static u32 count_policies(void)
{
	u32 count = 0;

	while (registry_policy_at(count))
		count++;
	return count;
}

static u32 count_models(void)
{
	u32 count = 0;

	while (registry_model_at(count))
		count++;
	return count;
}

static u32 count_configs(void)
{
	u32 count = 0;

	while (gpu_config_at(count))
		count++;
	return count;
}

bool golden_scenario(u32 index, struct golden_scenario *out)
{
	const struct {
		u32 count;
		void (*make)(u32 index, struct golden_scenario *out);
	} families[] = {
		{ ARRAY_SIZE(named), of_named },
		{ count_policies(), of_policy },
		{ count_policies(), of_queues },
		{ count_policies(), of_profiles },
		{ count_policies(), of_params },
		{ count_models(), of_model },
		{ count_configs(), of_config },
		{ KIND_COUNT, of_kind },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		if (index < families[i].count) {
			families[i].make(index, out);
			return true;
		}
		index -= families[i].count;
	}
	return false;
}

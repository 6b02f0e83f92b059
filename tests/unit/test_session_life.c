// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: tenants without a gang, options and params.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/models/hsm_line.h"
#include "../../kmod/session/goal.h"
#include "../../kmod/session/internal.h"
#include "bench.h"

/* --- tenants without a gang --- */

static void tenants_come_and_go(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *bench = bench_new(0);
	u32 i;

	for (i = 0; i < SESSION_SLOTS_MAX; i++)
		assert_int_equal(session_join(bench->session, SESSION_ANY_SLOT,
					      &options), i);
	assert_int_equal(session_join(bench->session, SESSION_ANY_SLOT,
				      &options), -EBUSY);
	session_leave(bench->session, 7);
	session_leave(bench->session, 3);
	assert_int_equal(session_join(bench->session, SESSION_ANY_SLOT,
				      &options), 3);
	/* A new tenant begins with nothing. */
	launch(bench, 3, brief, 1, 0);
	session_run(bench->session, ALL_AT_ONCE);
	session_leave(bench->session, 3);
	assert_true(report_of(bench, 3).counters.thread_instructions);
	assert_int_equal(session_join(bench->session, 3, &options), 3);
	assert_int_equal(report_of(bench, 3).counters.thread_instructions, 0);
	assert_false(report_of(bench, 3).first_run_done);
	bench_free(bench);
}

/* More tenants than SMs: nobody is lost, and all come to their end. */
static void crowds_come_to_their_end(void **state)
{
	struct bench *bench = bench_new(0);
	u32 slot;

	for (slot = 0; slot < 20; slot++) {
		join(bench, slot);
		launch(bench, slot, brief, 1, 0);
	}
	assert_int_equal(session_run(bench->session, ALL_AT_ONCE),
			 SESSION_IDLE);
	assert_int_equal(bench->done_count, 20);
	for (slot = 0; slot < 20; slot++)
		assert_true(report_of(bench, slot).first_run_done);
	bench_free(bench);
}

/* --- metrics --- */

/* The last epoch's, after @cycles with two tenants, of which @last came at a cycle. */
static struct metrics metrics_after(const struct simgpu_policy *policy, u64 last,
				    u64 cycles)
{
	struct bench *bench = malloc(sizeof(*bench));
	struct metrics metrics;

	bench_options(bench, 0);
	bench->options.policy = policy;
	session_default_params(&bench->options);
	bench->options.hold_cycles = 1000000;
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, last);
	session_run(bench->session, cycles);
	metrics = bench->epochs[bench->epoch_count - 1].metrics;
	bench_free(bench);
	return metrics;
}

static int decide_for_slot_0(const struct simgpu_snapshot *snapshot, void *state,
			     struct simgpu_proposal *proposal)
{
	proposal->hold = 2;
	proposal->flags |= SIMGPU_SAYS_HOLD;
	proposal->sms[0] = snapshot->sms;
	proposal->sms[1] = 0;
	return 0;
}

static const struct simgpu_policy policy_for_slot_0 = {
	.name = "for-slot-0", .decide = decide_for_slot_0,
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_KERNEL_READY,
};

/* Whoever has work and gets nothing done makes the worst fairness, not the best. */
static void the_starved_count(void **state)
{
	struct metrics metrics = metrics_after(&policy_for_slot_0, 0, 3 * EPOCH);

	assert_int_equal(metrics.fairness_ppm, 0);
	assert_int_equal(metrics.antt_ppm, 0);
	assert_true(metrics.stp_ppm);
	metrics = metrics_after(&policy_even, 0, 3 * EPOCH);
	assert_true(metrics.fairness_ppm > SIMGPU_PPM / 2);
	assert_true(metrics.antt_ppm);
}

/* Without work nobody starves, nor does one whose work came in the midst of an epoch. */
static void without_work_nobody_starves(void **state)
{
	assert_int_equal(metrics_after(&policy_for_slot_0, 10 * EPOCH,
				       3 * EPOCH).fairness_ppm, SIMGPU_PPM);
	assert_int_equal(metrics_after(&policy_for_slot_0, 2 * EPOCH + EPOCH / 2,
				       3 * EPOCH).fairness_ppm, SIMGPU_PPM);
	assert_int_equal(metrics_after(&policy_for_slot_0, 2 * EPOCH + EPOCH / 2,
				       4 * EPOCH).fairness_ppm, 0);
}

/* Traces are their owner's again at the stop cycle, while their blocks stay. */
static void tenants_leave_after_the_stop(void **state)
{
	struct trace *own[2] = { trace_compute(1000, 1, 100000),
				 trace_compute(1000, 1, 100000) };
	struct bench *bench = malloc(sizeof(*bench));
	u32 slot;

	bench_options(bench, 2);
	bench->options.preemption = SESSION_PREEMPTION_ADAPTIVE;
	bench_start(bench);
	for (slot = 0; slot < 2; slot++) {
		join(bench, slot);
		launch(bench, slot, own[slot], 1, 0);
	}
	assert_int_equal(session_run(bench->session, ALL_AT_ONCE),
			 SESSION_STOPPED);
	assert_int_equal(bench->done_count, 2);
	trace_free(own[0]);
	trace_free(own[1]);
	session_leave(bench->session, 0);
	session_leave(bench->session, 1);
	assert_true(report_of(bench, 1).left);
	bench_free(bench);
}

static void bad_tenants_are_refused(void **state)
{
	static const struct session_tenant_options bad[] = {
		{ .name = "t", .weight = 0 },
		{ .name = "t", .weight = 1001 },
		{ .name = "t", .weight = 1, .target_ppm = 1 },
		{ .name = "t", .weight = 1, .service = SIMGPU_QOS },
		{ .name = "t", .weight = 1, .service = SIMGPU_QOS,
		  .target_ppm = SIMGPU_PPM + 1 },
		{ .name = "t", .weight = 1, .service = 2 },
	};
	struct bench *bench = bench_new(0);
	struct session_tenant_options options = plain();
	u32 i;

	assert_int_equal(session_set_tenant(bench->session, 0, &options),
			 -EINVAL);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(session_join(bench->session, 0, &bad[i]),
				 -EINVAL);
	assert_int_equal(session_join(bench->session, SESSION_SLOTS_MAX,
				      &options), -EINVAL);
	join(bench, 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(session_set_tenant(bench->session, 0, &bad[i]),
				 -EINVAL);
	options.service = SIMGPU_QOS;
	options.target_ppm = SIMGPU_PPM;
	options.weight = 1000;
	assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
	assert_int_equal(report_of(bench, 0).options.weight, 1000);
	bench_free(bench);
}

/* --- options and params --- */

#define OPTIONS_REFUSED(statement)					\
	do {								\
		bench_options(bench, 1);				\
		statement;						\
		assert_int_equal(session_create(&bench->session,	\
						&bench->options,	\
						&bench->hooks), -EINVAL); \
	} while (0)

static void bad_options_are_refused(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));

	OPTIONS_REFUSED(bench->options.epoch_cycles =
			SESSION_EPOCH_CYCLES_MIN - 1);
	OPTIONS_REFUSED(bench->options.epoch_cycles =
			SESSION_EPOCH_CYCLES_MAX + 1);
	OPTIONS_REFUSED(bench->options.stop_cycle = 0);
	OPTIONS_REFUSED(bench->options.hold_cycles =
			SESSION_HOLD_CYCLES_MIN - 1);
	OPTIONS_REFUSED(bench->options.hold_cycles =
			SESSION_HOLD_CYCLES_MAX + 1);
	OPTIONS_REFUSED(bench->options.decision_cycles =
			SESSION_DECISION_LATENCY_MAX + 1);
	OPTIONS_REFUSED(bench->options.counter_noise =
			SESSION_COUNTER_NOISE_MAX + 1);
	OPTIONS_REFUSED(bench->options.counter_delay =
			SESSION_COUNTER_DELAY_MAX + 1);
	OPTIONS_REFUSED(bench->options.sampled = SESSION_SAMPLED_MAX + 1);
	OPTIONS_REFUSED(bench->options.kernel_end = SESSION_KERNEL_ENDS);
	OPTIONS_REFUSED(bench->options.preemption = 3);
	OPTIONS_REFUSED(bench->options.gang_size = SESSION_SLOTS_MAX + 1);
	OPTIONS_REFUSED(bench->options.model = NULL);
	OPTIONS_REFUSED(bench->options.policy = NULL);
	OPTIONS_REFUSED(bench->options.config.sms = 0);
	OPTIONS_REFUSED(bench->options.config.core_mhz = 0);
	OPTIONS_REFUSED(bench->options.config.noc_flit_bytes = 0);
	OPTIONS_REFUSED(bench->options.config.bank_groups = 0);
	OPTIONS_REFUSED(bench->options.config.channels = 0);
	free(bench);
}

static u32 sampling_of_a_model_with_tags(u32 llc_slices, u32 llc_sets)
{
	struct bench *bench = malloc(sizeof(*bench));
	const struct gpu_config *config;
	const char *field;
	u32 sampling;

	bench_options(bench, 1);
	bench->options.config.llc_slices = llc_slices;
	bench->options.config.llc_sets = llc_sets;
	bench->options.model = &model_hsm_atd;
	assert_int_equal(bench->options.config.atd_sampling, 0);
	bench_start(bench);
	config = &session_options(bench->session)->config;
	assert_int_equal(gpu_config_check(config, &field), 0);
	sampling = config->atd_sampling;
	bench_free(bench);
	return sampling;
}

/* With every 32nd set, the large cache would have twice the limit. */
static void tags_for_a_model_keep_the_limit(void **state)
{
	const struct gpu_config small = small_config();

	assert_int_equal(small.llc_ways, 16);
	assert_int_equal(sampling_of_a_model_with_tags(small.llc_slices,
						       small.llc_sets),
			 SESSION_ATD_SAMPLING);
	assert_int_equal(sampling_of_a_model_with_tags(16, 4096),
			 2 * SESSION_ATD_SAMPLING);
}

/* Tags of all sets, or as many as fit; what a configuration has it keeps. */
static void all_tags_are_as_many_as_fit(void **state)
{
	struct gpu_config config;
	const char *field;
	u32 sets, every;

	for (sets = 16; sets <= 4096; sets *= 2) {
		config = small_config();
		config.llc_slices = 16;
		config.llc_sets = sets;
		assert_int_equal(gpu_config_check(&config, &field), 0);
		every = session_all_tags_sampling(&config);
		config.atd_sampling = every;
		assert_int_equal(gpu_config_check(&config, &field), 0);
		assert_int_equal(session_all_tags_sampling(&config), every);
		if (every > SESSION_ATD_SAMPLING)
			continue;
		while (--config.atd_sampling)
			assert_true(gpu_config_check(&config, &field));
	}
	assert_true(every > 1);
}

static u32 mirrors_of_a_model(u32 llc_sets)
{
	struct bench *bench = malloc(sizeof(*bench));
	u32 mirrors;

	bench_options(bench, 1);
	bench->options.config.llc_sets = llc_sets;
	bench->options.model = &model_mirror;
	bench_start(bench);
	mirrors = session_options(bench->session)->config.mirrors;
	bench_free(bench);
	return mirrors;
}

static void mirrors_for_a_model_keep_the_limit(void **state)
{
	assert_int_equal(mirrors_of_a_model(16), 1);
	assert_int_equal(mirrors_of_a_model(4096), 0);
}

/* A param that can be set is no reason to refuse anything. */
static void good_params_have_no_refusal(void **state)
{
	struct session_refusal why;
	u32 index = 9;

	memset(&why, 0x5a, sizeof(why));
	assert_int_equal(session_check_param(model_hsm.params, SESSION_MODEL_PARAMS, "c2",
					     1, &index, &why), 0);
	assert_int_equal(index, HSM_C2);
	assert_int_equal(why.kind, SESSION_REFUSED_NOTHING);
	assert_int_equal(why.code, 0);
	assert_int_equal(why.field[0], 0);
}

static void params_act_from_the_next_epoch(void **state)
{
	struct bench *bench = bench_new(2);

	launch_gang(bench);
	session_run(bench->session, EPOCH / 2);
	assert_int_equal(session_set_epoch_cycles(bench->session,
						  SESSION_EPOCH_CYCLES_MIN - 1),
			 -EINVAL);
	assert_int_equal(session_set_epoch_cycles(bench->session,
						  SESSION_EPOCH_CYCLES_MAX + 1),
			 -EINVAL);
	assert_int_equal(session_set_epoch_cycles(bench->session,
						  SESSION_EPOCH_CYCLES_MAX), 0);
	assert_int_equal(session_set_epoch_cycles(bench->session,
						  SESSION_EPOCH_CYCLES_MIN), 0);
	assert_int_equal(session_set_epoch_cycles(bench->session, 2 * EPOCH),
			 0);
	session_set_policy(bench->session, &policy_even);
	session_set_model(bench->session, &model_hsm);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_PARAMS,
					   "c1", SIMGPU_PPM + 1), -EINVAL);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_PARAMS,
					   "c3", 1), -ENOENT);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_PARAMS,
					   "c1", 250000), 0);
	assert_int_equal(session_params(bench->session,
					SESSION_MODEL_PARAMS)[HSM_C1], 250000);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(bench->epochs[0].end_cycle, 2 * EPOCH);
	assert_int_equal(bench->epochs[0].tenants[0].sms_next, 4);
	bench_free(bench);
}

/* The present epoch ends at once if it is longer than the new length. */
static void shorter_epochs_act_at_once(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 2);
	bench->options.epoch_cycles = 50000;
	bench_start(bench);
	launch_gang(bench);
	session_run(bench->session, 30000);
	assert_int_equal(session_set_epoch_cycles(bench->session, EPOCH), 0);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(bench->epochs[0].end_cycle, 30000);
	assert_int_equal(bench->epochs[1].end_cycle, 40000);
	assert_int_equal(session_now(bench->session), STOP);
	bench_free(bench);
}

/* --- what launches cost ---------------------------------------------------------- */

/* Each kernel takes its launch in front: so many cycles more, whatever it does. */
static void launches_take_their_cycles(void **state)
{
	static const u32 costs[] = { 0, 1000, 5000 };
	u64 end[ARRAY_SIZE(costs)];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		struct bench *bench = malloc(sizeof(*bench));

		bench_options(bench, 0);
		bench->options.config.launch_cycles = costs[i];
		bench_start(bench);
		join(bench, 0);
		launch(bench, 0, brief, 10, 0);
		run_in_steps(bench, ALL_AT_ONCE, i ? 777 : ALL_AT_ONCE);
		end[i] = session_end_cycle(bench->session);
		assert_int_equal(report_of(bench, 0).counters.kernels_finished,
				 10);
		/* It ran while it was launched; it never waited. */
		assert_int_equal(report_of(bench, 0).latency.wait_mean_ns, 0);
		bench_free(bench);
	}
	assert_int_equal(end[1], end[0] + 10 * 1000);
	assert_int_equal(end[2], end[0] + 10 * 5000);
}

/* The end is that of who ends last, in whatever slot and queue. */
static void the_last_kernel_is_the_end(void **state)
{
	u32 late, slot, queue;

	for (late = 0; late < 4; late++) {
		struct bench *bench = bench_new(0);
		u64 end;

		for (slot = 0; slot < 2; slot++) {
			join(bench, slot);
			for (queue = 0; queue < 2; queue++) {
				const struct session_launch_options launch = {
					.trace = brief, .repeats = 1, .queue = queue,
					.not_before = late == 2 * slot + queue ?
						      50000 : 0,
				};
				u64 sequence;

				assert_int_equal(session_launch_with(bench->session,
								     slot, &launch,
								     &sequence), 0);
			}
		}
		session_run(bench->session, ALL_AT_ONCE);
		end = session_kernel_end(bench->session, late / 2, late % 2);
		assert_true(end > 50000);
		assert_int_equal(session_end_cycle(bench->session), end);
		bench_free(bench);
	}
}

/* A launch that lasts longer than progress may be missing is nobody's fault. */
static void launches_are_progress(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.config.launch_cycles = GPU_LAUNCH_CYCLES_MAX;
	bench->options.hold_cycles = SESSION_HOLD_CYCLES_MIN;
	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, brief, 3, 0);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_true(session_end_cycle(bench->session) >
		    3 * GPU_LAUNCH_CYCLES_MAX);
	bench_free(bench);
}

/* Footprints of 16 MiB in a memory for two of them, or none. */
static struct bench *bench_of_memory(u32 memory_mb)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.config.memory_mb = memory_mb;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench_start(bench);
	return bench;
}

static void what_does_not_fit_alone_is_refused(void **state)
{
	struct bench *bench = bench_of_memory(15);
	u64 sequence, hash;

	assert_int_equal(random_reads->footprint_bytes, 1 << 24);
	join(bench, 0);
	hash = session_state_hash(bench->session);
	assert_int_equal(session_launch(bench->session, 0, random_reads, 1, 0,
					&sequence), -ENOSPC);
	assert_int_equal(session_state_hash(bench->session), hash);
	bench_free(bench);
	bench = bench_of_memory(16);
	join(bench, 0);
	launch(bench, 0, random_reads, 1, 0);
	session_run(bench->session, 1000);
	assert_true(report_of(bench, 0).active);
	bench_free(bench);
}

static struct trace *few_reads;

/*
 * The third waits for one of the first two, and the fourth, which needs nothing, behind
 * it: in the order in which they came.
 */
static void what_does_not_fit_beside_others_waits(void **state)
{
	struct bench *bench = bench_of_memory(40), *roomy = bench_of_memory(0);
	struct bench *both[] = { bench, roomy };
	u32 i, slot;

	few_reads = trace_random(64, 20, 4, 1 << 24);
	for (i = 0; i < 2; i++) {
		for (slot = 0; slot < 4; slot++)
			join(both[i], slot);
		for (slot = 0; slot < 3; slot++)
			launch(both[i], slot, few_reads, slot + 1, 0);
		launch(both[i], 3, brief, 1, 100);
		session_run(both[i]->session, 500);
	}
	assert_true(report_of(bench, 0).active);
	assert_true(report_of(bench, 1).active);
	for (slot = 2; slot < 4; slot++) {
		assert_false(report_of(bench, slot).active);
		assert_true(report_of(bench, slot).waits_for_memory);
		assert_int_equal(report_of(bench, slot).sms, 0);
		assert_true(report_of(roomy, slot).active);
		assert_false(report_of(roomy, slot).waits_for_memory);
	}
	run_in_steps(bench, ALL_AT_ONCE, 333);
	session_run(roomy->session, ALL_AT_ONCE);
	for (slot = 0; slot < 4; slot++)
		assert_int_equal(report_of(bench, slot).latency.launches, 1);
	assert_int_equal(bench->done[0].slot, 0);
	assert_true(report_of(bench, 2).latency.wait_mean_ns > 0);
	assert_true(report_of(bench, 3).latency.wait_mean_ns > 0);
	assert_int_equal(report_of(roomy, 2).latency.wait_mean_ns, 0);
	bench_free(bench);
	bench_free(roomy);
	trace_free(few_reads);
}

/*
 * Of those that come in one cycle the lower slot is first, and of one tenant's the lower
 * queue: what needs nothing waits behind what does not fit, or goes before it.
 */
static void ties_go_by_slot_and_queue(void **state)
{
	static const struct {
		u32 slot[2], queue[2];	/* of the one that does not fit, and the other */
		bool waits;
	} cases[] = {
		{ { 1, 2 }, { 0, 0 }, true }, { { 2, 1 }, { 0, 0 }, false },
		{ { 1, 1 }, { 0, 1 }, true }, { { 1, 1 }, { 1, 0 }, false },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_of_memory(17);
		struct session_tenant_report report;
		u64 sequence;

		for (j = 0; j < 3; j++)
			join(bench, j);
		launch(bench, 0, random_reads, 1, 0);
		session_run(bench->session, 1000);
		for (j = 0; j < 2; j++) {
			const struct session_launch_options launch = {
				.trace = j ? brief : random_reads, .repeats = 1,
				.queue = cases[i].queue[j],
			};

			assert_int_equal(session_launch_with(bench->session,
							     cases[i].slot[j],
							     &launch, &sequence), 0);
		}
		session_run(bench->session, 300);
		report = report_of(bench, cases[i].slot[1]);
		assert_int_equal(report.queue[cases[i].queue[1]].state,
				 cases[i].waits ? SESSION_QUEUE_WAITING :
						  SESSION_QUEUE_RUNNING);
		bench_free(bench);
	}
}

/* The room that somebody leaves is for who came first, whatever its slot. */
static void room_goes_to_who_came_first(void **state)
{
	u32 first;

	for (first = 1; first <= 2; first++) {
		struct bench *bench = bench_of_memory(17);
		u32 slot;

		for (slot = 0; slot < 3; slot++)
			join(bench, slot);
		launch(bench, 0, random_reads, 1, 0);
		session_run(bench->session, 1000);
		launch(bench, first, random_reads, 1, 0);
		session_run(bench->session, 1000);
		launch(bench, 3 - first, random_reads, 1, 0);
		session_run(bench->session, 1000);
		session_leave(bench->session, 0);
		session_run(bench->session, 1000);
		assert_true(report_of(bench, first).active);
		assert_true(report_of(bench, 3 - first).waits_for_memory);
		bench_free(bench);
	}
}

/* Who leaves makes room; steps show in nothing. */
static void leaving_makes_room(void **state)
{
	static const u64 steps[] = { ALL_AT_ONCE, 333 };
	u64 hash[ARRAY_SIZE(steps)];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct bench *bench = bench_of_memory(17);

		join(bench, 0);
		join(bench, 1);
		launch(bench, 0, random_reads, 1, 0);
		launch(bench, 1, random_reads, 1, 0);
		run_in_steps(bench, 5000, steps[i]);
		assert_true(report_of(bench, 1).waits_for_memory);
		session_leave(bench->session, 0);
		run_in_steps(bench, 12000, steps[i]);
		assert_true(report_of(bench, 1).active);
		assert_int_equal(report_of(bench, 1).sms, 8);
		hash[i] = session_state_hash(bench->session);
		bench_free(bench);
	}
	assert_int_equal(hash[0], hash[1]);
}

/* Who asks of a session in which nothing has happened. */
/* Who has no goal is promised nothing, with work and without. */
static void without_a_goal_nothing_is_promised(void **state)
{
	struct bench *bench = bench_new(0);
	struct session_goal_figures goal;

	join(bench, 0);
	goal = report_of(bench, 0).goal;
	assert_int_equal(goal.ipc_ppm, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 2 * EPOCH);
	goal = report_of(bench, 0).goal;
	assert_int_equal(goal.ipc_ppm, 0);
	assert_int_equal(goal.cycles, 0);
	assert_int_equal(goal.instructions, 0);
	assert_int_equal(goal.promised, 0);
	assert_false(goal.met);
	assert_int_equal(bench->epochs[0].tenants[0].goal_ipc_ppm, 0);
	bench_free(bench);
}

static void nothing_has_happened_yet(void **state)
{
	struct bench *bench = bench_new(0);
	struct session_tenant_report report;

	memset(&report, 0x5a, sizeof(report));
	session_tenant_report(bench->session, 3, &report);
	assert_false(report.present);
	assert_int_equal(report.counters.thread_instructions, 0);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	assert_int_equal(session_now(bench->session), 0);
	assert_int_equal(session_end_cycle(bench->session), 0);
	bench_free(bench);
}

/* Every option changes, whichever else stays. */
static void each_option_of_a_tenant_changes_alone(void **state)
{
	struct bench *bench = bench_new(0);
	struct session_tenant_options options = plain(), now;
	u32 i;

	assert_int_equal(session_join(bench->session, 0, &options), 0);
	for (i = 0; i < 8; i++) {
		switch (i) {
		case 0:
			strcpy(options.name, "other");
			break;
		case 1:
			options.service = SIMGPU_QOS;
			options.target_ppm = 400000;
			break;
		case 2:
			options.weight = 7;
			break;
		case 3:
			options.target_ppm = 500000;
			break;
		case 4:
			options.cgroup = 5;
			break;
		case 5:
			options.share_ppm = 250000;
			break;
		case 6:
			options.goal_kind = SESSION_GOAL_IPC;
			options.goal = SIMGPU_PPM;
			break;
		default:
			options.goal++;
		}
		assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
		now = report_of(bench, 0).options;
		assert_string_equal(now.name, options.name);
		assert_int_equal(now.service, options.service);
		assert_int_equal(now.weight, options.weight);
		assert_int_equal(now.target_ppm, options.target_ppm);
		assert_int_equal(now.cgroup, options.cgroup);
		assert_int_equal(now.share_ppm, options.share_ppm);
		assert_int_equal(now.goal_kind, options.goal_kind);
		assert_int_equal(now.goal, options.goal);
	}
	bench_free(bench);
}

static void nobody_works_until_a_launch_may_begin(void **state)
{
	const struct session_launch_options later = {
		.trace = computing, .repeats = 1, .not_before = 5000,
	};
	struct bench *bench = bench_new(0);
	u64 sequence;

	join(bench, 0);
	assert_int_equal(session_empty_cycles(bench->session), 0);
	assert_int_equal(session_launch_with(bench->session, 0, &later, &sequence), 0);
	assert_int_equal(session_empty_cycles(bench->session), 5000);
	session_run(bench->session, 1800);
	assert_int_equal(session_empty_cycles(bench->session), 3200);
	session_run(bench->session, 3200);
	assert_int_equal(session_empty_cycles(bench->session), 0);
	session_run(bench->session, 1000);
	assert_int_equal(session_empty_cycles(bench->session), 0);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_goal_nothing_is_promised),
		cmocka_unit_test(nothing_has_happened_yet),
		cmocka_unit_test(tenants_come_and_go),
		cmocka_unit_test(crowds_come_to_their_end),
		cmocka_unit_test(the_starved_count),
		cmocka_unit_test(without_work_nobody_starves),
		cmocka_unit_test(tenants_leave_after_the_stop),
		cmocka_unit_test(bad_tenants_are_refused),
		cmocka_unit_test(good_params_have_no_refusal),
		cmocka_unit_test(params_act_from_the_next_epoch),
		cmocka_unit_test(shorter_epochs_act_at_once),
		cmocka_unit_test(launches_take_their_cycles),
		cmocka_unit_test(the_last_kernel_is_the_end),
		cmocka_unit_test(launches_are_progress),
		cmocka_unit_test(what_does_not_fit_alone_is_refused),
		cmocka_unit_test(what_does_not_fit_beside_others_waits),
		cmocka_unit_test(ties_go_by_slot_and_queue),
		cmocka_unit_test(room_goes_to_who_came_first),
		cmocka_unit_test(leaving_makes_room),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test(tags_for_a_model_keep_the_limit),
		cmocka_unit_test(all_tags_are_as_many_as_fit),
		cmocka_unit_test(mirrors_for_a_model_keep_the_limit),
		cmocka_unit_test(each_option_of_a_tenant_changes_alone),
		cmocka_unit_test(nobody_works_until_a_launch_may_begin),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("session_life", tests, make_traces,
					   free_traces);
}

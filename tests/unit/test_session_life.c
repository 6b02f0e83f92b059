// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: tenants without a gang, options and knobs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

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

/* --- options and knobs --- */

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

static void knobs_act_from_the_next_epoch(void **state)
{
	struct bench *bench = bench_new(2);

	launch_gang(bench);
	session_run(bench->session, EPOCH / 2);
	assert_int_equal(session_set_epoch_cycles(bench->session,
						  SESSION_EPOCH_CYCLES_MIN - 1),
			 -EINVAL);
	assert_int_equal(session_set_epoch_cycles(bench->session, 2 * EPOCH),
			 0);
	session_set_policy(bench->session, &policy_even);
	session_set_model(bench->session, &model_hsm);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_KNOBS,
					   "c1", SIMGPU_PPM + 1), -EINVAL);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_KNOBS,
					   "c3", 1), -ENOENT);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_KNOBS,
					   "c1", 250000), 0);
	assert_int_equal(session_params(bench->session,
					SESSION_MODEL_KNOBS)[HSM_C1], 250000);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tenants_come_and_go),
		cmocka_unit_test(crowds_come_to_their_end),
		cmocka_unit_test(tenants_leave_after_the_stop),
		cmocka_unit_test(bad_tenants_are_refused),
		cmocka_unit_test(knobs_act_from_the_next_epoch),
		cmocka_unit_test(shorter_epochs_act_at_once),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test(tags_for_a_model_keep_the_limit),
		cmocka_unit_test(mirrors_for_a_model_keep_the_limit),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("session_life", tests, make_traces,
					   free_traces);
}

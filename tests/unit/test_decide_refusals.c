// SPDX-License-Identifier: GPL-2.0
/*
 * Decisions: what is refused and why, what models ask for, constants and curves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/models/hsm.h"
#include "../../kmod/session/journal.h"
#include "looking.h"
#include "journal_of.h"

/* --- what is refused --- */

struct bad {
	const char *field;
	void (*say)(void);
};

static void bad_flags(void) { seen.say.flags = 1U << 30; }
static void bad_counts(void) { seen.say.sms[0] = 7; }
static void bad_starving(void) { seen.say.sms[1] = 0; }
static void bad_absent(void) { seen.say.sms[0] = 3; seen.say.sms[9] = 1; }

static void bad_owner(void)
{
	say_shared(3);
	seen.say.owner[5] = SIMGPU_SLOTS_MAX;
}

static void bad_nobody_shares(void)
{
	say_shared(3);
	seen.say.sharers[2] = 0;
}

static void bad_limits(void)
{
	say_shared(3);
	seen.say.flags |= SIMGPU_SAYS_BLOCK_LIMITS;
	memset(seen.say.block_limit, 0, sizeof(seen.say.block_limit));
}

static void bad_quota(void)
{
	seen.say.flags = SIMGPU_SAYS_QUOTAS;
	seen.say.quota[3] = -1;
}

static void bad_refill(void)
{
	seen.say.flags = SIMGPU_SAYS_QUOTAS;
	seen.say.refill[3] = SIMGPU_QUOTA_MAX + 1;
}

static void bad_quota_flags(void)
{
	seen.say.flags = SIMGPU_SAYS_QUOTAS;
	seen.say.quota_flags[63] = 16;
}

static void bad_order(void)
{
	seen.say.flags = SIMGPU_SAYS_BLOCK_ORDER;
	seen.say.block_order = SIMGPU_ORDER_RANK + 1;
}

static void bad_bucket(void)
{
	seen.say.flags = SIMGPU_SAYS_BLOCK_ORDER;
	seen.say.block_order = SIMGPU_ORDER_LEAKY_BUCKET;
}

static void bad_worker_blocks(void)
{
	seen.say.flags = SIMGPU_SAYS_WORKERS;
	seen.say.worker_blocks = SIMGPU_WORKER_BLOCKS_MAX + 1;
}

static void bad_sm_blocks(void)
{
	seen.say.flags = SIMGPU_SAYS_SM_BLOCKS;
	seen.say.sm_blocks = gpu_config_find("hbm80")->blocks_per_sm + 1;
}

static void bad_preemption(void)
{
	seen.say.flags = SIMGPU_SAYS_PREEMPTION;
	seen.say.preemption = SIMGPU_LEAVE_RESET + 1;
}

static void bad_reset(void)
{
	seen.say.flags = SIMGPU_SAYS_PREEMPTION;
	seen.say.preemption = SIMGPU_LEAVE_RESET;
	seen.say.sms[1] = 3;
}

static void bad_reset_of_sharer(void)
{
	say_shared(1);
	seen.say.owner[7] = 1;
	seen.say.flags |= SIMGPU_SAYS_PREEMPTION;
	seen.say.preemption = SIMGPU_LEAVE_RESET;
}

static void bad_samples(void)
{
	seen.say.flags = SIMGPU_SAYS_IDLE_SAMPLES;
	seen.say.idle_sample_cycles = SIMGPU_IDLE_SAMPLE_CYCLES_MIN - 1;
}

static void bad_priority(void)
{
	seen.say.flags = SIMGPU_SAYS_MEMORY_PRIORITY;
	seen.say.memory_priority[1] = SIMGPU_MEMORY_PRIORITY_MAX + 1;
}

static void bad_channels(void)
{
	seen.say.flags = SIMGPU_SAYS_CHANNELS;
	memset(seen.say.channels, 0xf, sizeof(seen.say.channels));
	seen.say.channels[2] = 0x10;
}

static void bad_no_channel(void)
{
	seen.say.flags = SIMGPU_SAYS_CHANNELS;
}

static void bad_ways(void)
{
	seen.say.flags = SIMGPU_SAYS_LLC_WAYS;
	memset(seen.say.llc_ways, 1, sizeof(seen.say.llc_ways));
}

static void bad_issue_limit(void)
{
	seen.say.flags = SIMGPU_SAYS_ISSUE_LIMITS;
	seen.say.issue_limit[9][3] = 1;
}

static void bad_wake(void) { seen.say.wake_cycle = 1; }
static void bad_near_wake(void) { seen.wake_after = 999; }

static const struct bad bad[] = {
	{ "flags", bad_flags },
	{ "sms", bad_counts }, { "sms", bad_starving }, { "sms", bad_absent },
	{ "owner", bad_owner }, { "sharers", bad_nobody_shares },
	{ "owner", bad_limits }, { "quota", bad_quota },
	{ "refill", bad_refill }, { "quota_flags", bad_quota_flags },
	{ "block_order", bad_order }, { "bucket", bad_bucket },
	{ "sm_blocks", bad_sm_blocks },
	{ "worker_blocks", bad_worker_blocks },
	{ "preemption", bad_preemption }, { "preemption", bad_reset },
	{ "preemption", bad_reset_of_sharer },
	{ "idle_sample_cycles", bad_samples },
	{ "memory_priority", bad_priority }, { "wake_cycle", bad_wake },
	{ "channels", bad_channels }, { "channels", bad_no_channel },
	{ "llc_ways", bad_ways },
	{ "wake_cycle", bad_near_wake }, { "issue_limit", bad_issue_limit },
};

static void expect_journalled(struct bench *bench, const char *field)
{
	const struct journal_event *events;
	char line[JOURNAL_LINE_BYTES];
	u64 lost;
	u32 count;

	events = journal_of(bench->session, &count, &lost);
	assert_int_equal(events[count - 1].kind, JOURNAL_FALLBACK);
	assert_int_equal(events[count - 1].cycle, EPOCH);
	journal_print_event(line, &events[count - 1]);
	assert_non_null(strstr(line, "10000 fallback kind=proposal code=-22"));
	assert_non_null(strstr(line, field));
}

static void what_cannot_be_done_is_refused(void **state)
{
	u32 i, sm;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct bench *bench = bench_with(&looking, 0);
		const struct session_refusal *why =
			session_last_refusal(bench->session);

		say_even(2);
		join(bench, 0);
		launch(bench, 0, computing, 1, 0);
		join(bench, 1);
		launch(bench, 1, random_reads, 1, 0);
		session_run(bench->session, EPOCH / 2);
		assert_int_equal(why->kind, SESSION_REFUSED_NOTHING);
		bad[i].say();
		session_run(bench->session, EPOCH);
		assert_int_equal(why->kind, SESSION_REFUSED_PROPOSAL);
		assert_int_equal(why->code, -EINVAL);
		assert_string_equal(why->field, bad[i].field);
		assert_true(*why->reason);
		assert_int_equal(why->cycle, EPOCH);
		/* In full: even is in force, and nothing else was done. */
		for (sm = 0; sm < 8; sm++)
			assert_true(owner_now(bench, sm) < 2);
		assert_true(bench->epochs[0].fell_back);
		expect_journalled(bench, bad[i].field);
		bench_free(bench);
	}
}

static void too_many_rows_are_refused(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	u32 sm, slot;

	memset(&seen, 0, sizeof(seen));
	bench_options(bench, 0);
	bench->options.config = *gpu_config_find("hbm80");
	bench->options.policy = &looking;
	session_default_params(&bench->options);
	bench_start(bench);
	for (slot = 0; slot < 13; slot++) {
		join(bench, slot);
		launch(bench, slot, computing, 1, 0);
	}
	say_shared(0);
	for (sm = 0; sm < 80; sm++) {
		seen.say.owner[sm] = SIMGPU_SHARED;
		/* 80 x 12 = 960 rows are fine, and 64 more. */
		seen.say.sharers[sm] = sm < 64 ? 0x1fff : 0xfff;
	}
	session_run(bench->session, 1);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_int_equal(report_of(bench, 12).shared_sms, 64);
	seen.say.sharers[64] = 0x1fff;
	session_run(bench->session, EPOCH + 1);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_PROPOSAL);
	assert_string_equal(session_last_refusal(bench->session)->field,
			    "sharers");
	bench_free(bench);
}

/* --- models --- */

#define SPAN	2000ULL

static struct {
	u32 calls;
	bool fails;
	u64 span;
	u32 probe;
	u32 class;
	u64 np_ppm;
	u64 constant;
} model;

static int probing_predict(const struct simgpu_snapshot *snapshot,
			   const void *constants, void *state,
			   struct simgpu_prediction *prediction)
{
	u64 *calls = state;

	model.calls++;
	if (model.fails)
		return -EIO;
	model.constant = constants ? *(const u64 *)constants : 0;
	prediction->probe = model.probe;
	prediction->probe_slot = (u32)(++*calls % 2);
	prediction->wake_cycle = snapshot->cycle + model.span;
	prediction->tenants[0].class = model.class;
	prediction->tenants[0].np_ppm = model.np_ppm;
	prediction->tenants[0].curve.knots = 1;
	return 0;
}

static const struct simgpu_model probing = {
	.name = "probe",
	.events = SIMGPU_ON_WAKE,
	.state_bytes = sizeof(u64),
	.constants_bytes = sizeof(u64),
	.constants_version = 3,
	.predict = probing_predict,
};

static struct bench *probe(u32 kind)
{
	struct bench *bench = malloc(sizeof(*bench));

	memset(&model, 0, sizeof(model));
	model.probe = kind;
	model.span = SPAN;
	model.np_ppm = 500000;
	model.class = SIMGPU_CLASS_COMPUTE;
	bench_options(bench, 2);
	bench->options.model = &probing;
	bench->options.policy = &policy_even;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, random_reads, 1, 0);
	return bench;
}

static void models_are_woken(void **state)
{
	struct bench *bench = probe(SIMGPU_PROBE_PRIORITY);

	session_run(bench->session, 3 * EPOCH + 1);
	/* At each epoch's end and four times in each, but for the first. */
	assert_int_equal(model.calls, 3 + 2 * 4);
	assert_int_equal(report_of(bench, 0).np_ppm, 500000);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

/* What a model that fails has asked for before is over: its probe, and its wake. */
static void a_model_that_fails_is_not_woken(void **state)
{
	struct bench *bench = probe(SIMGPU_PROBE_ALONE);

	model.span = EPOCH + SPAN;
	session_run(bench->session, EPOCH + 500);
	assert_int_equal(model.calls, 1);
	assert_int_equal(sms_of(bench, 1), 8);
	model.fails = true;
	session_run(bench->session, EPOCH);
	assert_int_equal(model.calls, 2);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_PREDICT);
	assert_string_equal(session_last_refusal(bench->session)->reason,
			    "the model returned an error");
	assert_int_equal(sms_of(bench, 0), 4);
	assert_int_equal(sms_of(bench, 1), 4);
	/* Its wake would have been at 22000. */
	session_run(bench->session, EPOCH - 1000);
	assert_int_equal(model.calls, 2);
	model.fails = false;
	session_run(bench->session, 1000);
	assert_int_equal(model.calls, 3);
	assert_int_equal(sms_of(bench, 0), 8);
	bench_free(bench);
}

/* What errs upwards is told as it is; only what no arithmetic could bear is not. */
static void predictions_may_be_above_1(void **state)
{
	struct bench *bench = probe(SIMGPU_PROBE_NONE);
	struct session_tenant_report report;

	model.np_ppm = 1700000;
	session_run(bench->session, EPOCH + 1);
	report = report_of(bench, 0);
	assert_int_equal(report.np_ppm, 1700000);
	assert_int_equal(report.np_run.run_ppm, 1700000);
	assert_int_equal(report.np_run.compute_ppm, 1700000);
	assert_int_equal(report.np_run.memory_ppm, 0);
	assert_int_equal(report.np_run.memory_part_ppm, 0);
	model.np_ppm = U64_MAX;
	session_run(bench->session, EPOCH);
	assert_int_equal(report_of(bench, 0).np_ppm, SIMGPU_NP_MOST_PPM);
	bench_free(bench);
}

/* An epoch of each class: each keeps its own mean, and the run has that of both. */
static void runs_know_their_classes(void **state)
{
	struct bench *bench = probe(SIMGPU_PROBE_NONE);
	struct session_tenant_report report;

	model.np_ppm = 400000;
	session_run(bench->session, EPOCH + 1);
	model.np_ppm = 800000;
	model.class = SIMGPU_CLASS_MEMORY;
	session_run(bench->session, EPOCH);
	report = report_of(bench, 0);
	assert_int_equal(report.np_run.run_ppm, 600000);
	assert_int_equal(report.np_run.compute_ppm, 400000);
	assert_int_equal(report.np_run.memory_ppm, 800000);
	assert_int_equal(report.np_run.memory_part_ppm, 500000);
	bench_free(bench);
}

/* All others are held for a while, and have what they had afterwards. */
static void models_may_see_a_tenant_alone(void **state)
{
	struct bench *bench = probe(SIMGPU_PROBE_ALONE);

	session_run(bench->session, EPOCH + 500);
	assert_int_equal(sms_of(bench, 1), 8);
	/* For everybody else it still has its own. */
	assert_int_equal(report_of(bench, 0).sms, 4);
	session_run(bench->session, SPAN);
	assert_int_equal(sms_of(bench, 0), 8);
	model.probe = SIMGPU_PROBE_NONE;
	session_run(bench->session, SPAN);
	assert_int_equal(sms_of(bench, 0), 4);
	assert_int_equal(sms_of(bench, 1), 4);
	bench_free(bench);
}

static void bad_probes_are_refused(void **state)
{
	struct bench *bench = probe(7);

	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_PREDICT);
	assert_int_equal(sms_of(bench, 0), 4);
	bench_free(bench);
}

/* --- constants --- */

struct constants {
	struct simgpu_constants_header header;
	u64 value;
};

static struct constants good_constants(void)
{
	struct constants c = {
		.header = {
			.magic = SIMGPU_CONSTANTS_MAGIC, .version = 3,
			.length = sizeof(c), .model = "probe",
			.config = "hbm80",
		},
		.value = 77,
	};

	c.header.checksum = port_crc32(0, &c.value, sizeof(c.value));
	return c;
}

static void expect_refused(struct bench *bench, const struct constants *c,
			   u32 bytes, const char *field)
{
	const struct session_refusal *why = session_last_refusal(bench->session);

	assert_int_equal(session_set_constants(bench->session, c, bytes),
			 -EINVAL);
	assert_int_equal(why->kind, SESSION_REFUSED_CONSTANTS);
	assert_string_equal(why->field, field);
	assert_true(*why->reason);
	assert_int_equal(why->cycle, session_now(bench->session));
}

static void constants_are_checked(void **state)
{
	struct bench *bench = probe(SIMGPU_PROBE_NONE);
	struct constants c = good_constants();

	assert_int_equal(session_set_constants(bench->session, &c, sizeof(c)),
			 0);
	session_run(bench->session, EPOCH + 1);
	assert_int_equal(model.constant, 77);
	c.value++;
	expect_refused(bench, &c, sizeof(c), "checksum");
	c = good_constants();
	expect_refused(bench, &c, sizeof(c) - 1, "length");
	expect_refused(bench, &c, sizeof(c.header) - 1, "length");
	c.header.version = 4;
	expect_refused(bench, &c, sizeof(c), "version");
	c = good_constants();
	strcpy(c.header.model, "hsm");
	expect_refused(bench, &c, sizeof(c), "model");
	c = good_constants();
	strcpy(c.header.config, "k20");
	expect_refused(bench, &c, sizeof(c), "config");
	c = good_constants();
	c.header.magic = 0;
	expect_refused(bench, &c, sizeof(c), "magic");
	session_run(bench->session, EPOCH);
	assert_int_equal(model.constant, 77);
	bench_free(bench);
}

/* --- curves --- */

static void curves_are_read(void **state)
{
	const struct simgpu_curve curve = {
		.knots = 3,
		.knot = { { 0, 0 }, { 40000, 800000 }, { 80000, 600000 } },
	};
	const struct simgpu_curve none = { .knots = 0 };

	assert_int_equal(simgpu_np_at(&curve, 0), 0);
	assert_int_equal(simgpu_np_at(&curve, 10), 200000);
	assert_int_equal(simgpu_np_at_milli(&curve, 1), 20);
	assert_int_equal(simgpu_np_at(&curve, 40), 800000);
	assert_int_equal(simgpu_np_at(&curve, 60), 700000);
	assert_int_equal(simgpu_np_at_milli(&curve, 40001), 799995);
	assert_int_equal(simgpu_np_at(&curve, 128), 600000);
	assert_int_equal(simgpu_np_at(&none, 5), 0);
}

/* Compute-bound, a tenant is on HSM's line through the origin, whatever is shared. */
static void models_answer_curves(void **state)
{
	struct bench *bench = bench_with(&looking, 0);
	const struct simgpu_snapshot_tenant *tenant = &seen.last.tenants[0];
	u64 np;

	say_even(2);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, EPOCH + 1);
	assert_int_equal(tenant->class, SIMGPU_CLASS_COMPUTE);
	assert_int_equal(tenant->np_ppm, 500000);
	assert_int_equal(tenant->curve.least_sms, 2);
	assert_int_equal(tenant->curve.most_sms, 6);
	assert_in_range(tenant->curve.error_ppm, HSM_ERROR_PPM, SIMGPU_PPM);
	for (np = 0; np <= 8; np++)
		assert_int_equal(simgpu_np_at(&tenant->curve, (u32)np),
				 np * 125000);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_done_is_refused),
		cmocka_unit_test(too_many_rows_are_refused),
		cmocka_unit_test(models_are_woken),
		cmocka_unit_test(a_model_that_fails_is_not_woken),
		cmocka_unit_test(predictions_may_be_above_1),
		cmocka_unit_test(runs_know_their_classes),
		cmocka_unit_test(models_may_see_a_tenant_alone),
		cmocka_unit_test(bad_probes_are_refused),
		cmocka_unit_test(constants_are_checked),
		cmocka_unit_test(curves_are_read),
		cmocka_unit_test(models_answer_curves),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("decide_refusals", tests, make_traces,
					   free_traces);
}

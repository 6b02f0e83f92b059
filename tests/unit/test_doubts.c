// SPDX-License-Identifier: GPL-2.0
/* A prediction that may be wrong is told as one, and why; nothing is decided by that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/internal.h"
#include "../../kmod/session/rows.h"
#include "bench.h"

#define OWN	SIMGPU_ASSUMES_OWN_SMS
#define HELD	SIMGPU_ASSUMES_NOT_HELD
#define WAITS	SIMGPU_ASSUMES_BUSY_SMS
#define OLD	SESSION_DOUBT_OLD

static int share_all(const struct simgpu_snapshot *snapshot, void *state,
		     struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags = SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < SIMGPU_SMS_MAX; sm++) {
		proposal->owner[sm] = sm < snapshot->sms ? SIMGPU_SHARED :
							   SIMGPU_NO_OWNER;
		proposal->sharers[sm] = sm < snapshot->sms ? 3 : 0;
	}
	return 0;
}

/* Slot 1 waits in two epochs of three. */
static int hold_in_turns(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	u64 epoch = snapshot->cycle / EPOCH;

	proposal->flags = SIMGPU_SAYS_HOLD;
	proposal->hold = epoch % 3 ? 2 : 0;
	return 0;
}

static const struct simgpu_policy sharing = { .name = "share", .decide = share_all };
static const struct simgpu_policy holding = { .name = "hold", .decide = hold_in_turns };

static struct bench *run(const struct simgpu_policy *policy,
			 const struct simgpu_model *model, const struct trace *second)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 2);
	bench->options.policy = policy;
	bench->options.model = model;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, second, 1, 0);
	run_in_steps(bench, STOP, ALL_AT_ONCE);
	assert_true(bench->epoch_count > 5);
	return bench;
}

static void expect_all(const struct bench *bench, u32 from, u32 slot, u32 doubts)
{
	u32 i;

	for (i = from; i < bench->epoch_count; i++)
		if (bench->epochs[i].predicted)
			assert_int_equal(bench->epochs[i].tenants[slot].np_doubts,
					 doubts);
}

static void nothing_speaks_against_tenants_of_their_own(void **state)
{
	struct bench *bench = run(&policy_even, &model_hsm, computing);

	expect_all(bench, 0, 0, 0);
	expect_all(bench, 0, 1, 0);
	assert_int_equal(report_of(bench, 0).np_doubts, 0);
	assert_int_equal(report_of(bench, 0).np_run_doubts, 0);
	assert_int_equal(bench->epochs[2].np_doubts, 0);
	bench_free(bench);
}

/* The first epoch is even's; from then on all SMs are shared. */
static void shared_sms_are_told(void **state)
{
	struct bench *bench = run(&sharing, &model_hsm, computing);

	expect_all(bench, 1, 0, OWN);
	expect_all(bench, 1, 1, OWN);
	assert_int_equal(bench->epochs[2].np_doubts, OWN);
	assert_int_equal(report_of(bench, 1).np_doubts, OWN);
	assert_int_equal(report_of(bench, 1).np_run_doubts, OWN);
	bench_free(bench);
	/* The truth is measured beside the device, whoever shares what. */
	bench = run(&sharing, &model_oracle, computing);
	expect_all(bench, 0, 0, 0);
	bench_free(bench);
}

/* In the second of two such epochs its thread blocks have ended, and it issues nothing. */
static void holds_are_told(void **state)
{
	struct bench *bench = run(&holding, &model_hsm, brief);
	u32 i, held = 0, old = 0;

	for (i = 1; i < bench->epoch_count; i++) {
		u32 doubts = bench->epochs[i].tenants[1].np_doubts;

		assert_int_equal(bench->epochs[i].tenants[0].np_doubts, 0);
		held += !!(doubts & HELD);
		if (!(doubts & OLD))
			continue;
		old++;
		assert_int_equal(bench->epochs[i].tenants[1].counters.thread_instructions,
				 0);
	}
	assert_in_range(held, 3, bench->epoch_count);
	assert_in_range(old, 1, held);
	bench_free(bench);
}

/* --- waiting for memory --- */

/* Of 1000 scheduler cycles, how many wait; of the memory's time, whose is how much. */
static u32 doubts_with(struct bench *bench, u32 class, u64 waits, u64 own, u64 others)
{
	struct session *session = bench->session;
	struct simgpu_snapshot *snapshot = &session->snapshot;

	session->tenants[0].predicted.class = class;
	snapshot->tenants[0].counters = (struct simgpu_counters) {
		.warp_instructions = 300, .idle_cycles = 700,
		.stall_memory_cycles = waits, .bus_busy_clocks = own,
	};
	snapshot->tenants[1].counters = (struct simgpu_counters) {
		.bus_busy_clocks = others,
	};
	return doubts_of(session, 0, true);
}

static void waits_for_memory_are_told(void **state)
{
	struct bench *bench = run(&policy_even, &model_hsm, computing);

	assert_int_equal(doubts_with(bench, SIMGPU_CLASS_COMPUTE, 201, 100, 102), WAITS);
	assert_int_equal(doubts_with(bench, SIMGPU_CLASS_COMPUTE, 200, 100, 102), 0);
	assert_int_equal(doubts_with(bench, SIMGPU_CLASS_COMPUTE, 201, 100, 101), 0);
	assert_int_equal(doubts_with(bench, SIMGPU_CLASS_MEMORY, 201, 100, 102), 0);
	assert_int_equal(doubts_with(bench, SIMGPU_CLASS_UNKNOWN, 201, 100, 102), 0);
	/* mirror counts such waiting. */
	session_set_model(bench->session, &model_mirror);
	assert_int_equal(doubts_with(bench, SIMGPU_CLASS_COMPUTE, 201, 100, 102), 0);
	bench_free(bench);
}

/* --- as others read it --- */

static void doubts_have_names(void **state)
{
	static const struct {
		u32 doubts;
		const char *text;
	} cases[] = {
		{ 0, "none" }, { OWN, "shared-sms" }, { HELD, "held" },
		{ WAITS, "memory-waits" }, { OLD, "old" },
		{ OWN | HELD | WAITS | OLD, "shared-sms,held,memory-waits,old" },
	};
	char text[ROW_SM_LIST_BYTES];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(doubts_text(cases[i].doubts, text),
				 strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
	}
}

static void doubts_are_in_the_rows(void **state)
{
	struct bench *bench = run(&sharing, &model_hsm, computing);
	struct session_tenant_report report = report_of(bench, 0);
	struct simgpu_epoch_record record;
	struct simgpu_tenant_report out;

	row_report(&report, &out);
	assert_int_equal(out.np_doubts, SIMGPU_DOUBT_SHARED_SMS);
	assert_int_equal(out.np_run_doubts, SIMGPU_DOUBT_SHARED_SMS);
	row_epoch(&bench->epochs[3], &bench->epochs[3].tenants[0], &record);
	assert_int_equal(record.np_doubts, SIMGPU_DOUBT_SHARED_SMS);
	assert_int_equal(record.gauge_count, 0);
	assert_int_equal(record.sm_mhz, 1400);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_speaks_against_tenants_of_their_own),
		cmocka_unit_test(shared_sms_are_told),
		cmocka_unit_test(holds_are_told),
		cmocka_unit_test(waits_for_memory_are_told),
		cmocka_unit_test(doubts_have_names),
		cmocka_unit_test(doubts_are_in_the_rows),
	};

	return cmocka_run_group_tests_name("doubts", tests, make_traces, free_traces);
}

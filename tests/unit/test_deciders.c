// SPDX-License-Identifier: GPL-2.0
/*
 * Which models, policies, params, constants and plans of arrivals a session takes, at the
 * limits; and what changes at once when it gets others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "looking.h"
#include "../../kmod/policy/models/hsm_line.h"
#include "../../kmod/session/arrivals.h"

/* --- models and policies ----------------------------------------------------------------- */

static int say_nothing(const struct simgpu_snapshot *snapshot, const void *constants,
		       void *state, struct simgpu_prediction *prediction)
{
	return 0;
}

#define HEADER_BYTES	((u32)sizeof(struct simgpu_constants_header))

static void policies_are_checked(void **state)
{
	static const struct {
		struct simgpu_policy policy;
		bool good;
	} cases[] = {
		{ { .decide = look }, true },
		{ { .decide = NULL }, false },
		{ { .decide = look, .events = SIMGPU_ON_KNOWN,
		    .needs = SIMGPU_NEEDS_KNOWN }, true },
		{ { .decide = look, .events = SIMGPU_ON_COPY_END << 1 }, false },
		{ { .decide = look, .needs = SIMGPU_NEEDS_DEPARTED << 1 }, false },
		{ { .decide = look, .reserved = 1 }, false },
		{ { .decide = look, .state_bytes = 131072 }, true },
		{ { .decide = look, .state_bytes = 131073 }, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(policy_is_good(&cases[i].policy), cases[i].good);
}

static void models_are_checked(void **state)
{
	static const struct {
		struct simgpu_model model;
		bool good;
	} cases[] = {
		{ { .predict = say_nothing }, true },
		{ { .predict = NULL }, false },
		{ { .predict = say_nothing, .needs = SIMGPU_NEEDS_KNOWN,
		    .events = SIMGPU_ON_WAKE | SIMGPU_ON_KERNEL_END }, true },
		{ { .predict = say_nothing, .events = SIMGPU_ON_EPOCH }, false },
		{ { .predict = say_nothing, .events = SIMGPU_ON_ARRIVAL }, false },
		{ { .predict = say_nothing,
		    .needs = SIMGPU_NEEDS_DEPARTED << 1 }, false },
		{ { .predict = say_nothing, .state_bytes = 131072 }, true },
		{ { .predict = say_nothing, .state_bytes = 131073 }, false },
		{ { .predict = say_nothing,
		    .constants_bytes = 61440 - HEADER_BYTES }, true },
		{ { .predict = say_nothing,
		    .constants_bytes = 61441 - HEADER_BYTES }, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(model_is_good(&cases[i].model), cases[i].good);
}

/* --- params ------------------------------------------------------------------------------- */

static const struct simgpu_param params[] = {
	{ .name = "first", .least = 3, .most = 5, .initial = 4 },
	{ .name = "last", .least = 1, .most = 1, .initial = 1 },
	{ .name = NULL, .initial = 9 },
};

static const struct simgpu_policy parambed = {
	.name = "parambed", .params = params, .decide = look,
};

static void sessions_begin_with_params_in_their_range(void **state)
{
	static const struct {
		u64 first;
		u64 last;
		bool good;
	} cases[] = {
		{ 3, 1, true }, { 5, 1, true }, { 2, 1, false }, { 6, 1, false },
		{ 4, 0, false }, { 4, 2, false },
	};
	struct bench *bench = malloc(sizeof(*bench));
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bench_options(bench, 0);
		bench->options.policy = &parambed;
		session_default_params(&bench->options);
		assert_int_equal(bench->options.policy_params[0], 4);
		assert_int_equal(bench->options.policy_params[1], 1);
		assert_int_equal(bench->options.policy_params[2], 0);
		bench->options.policy_params[0] = cases[i].first;
		bench->options.policy_params[1] = cases[i].last;
		/* Behind the table there are none. */
		bench->options.policy_params[2] = U64_MAX;
		assert_int_equal(session_create(&bench->session, &bench->options,
						&bench->hooks),
				 cases[i].good ? 0 : -EINVAL);
		if (!cases[i].good)
			continue;
		assert_int_equal(session_params(bench->session,
						SESSION_POLICY_PARAMS)[0],
				 cases[i].first);
		session_destroy(bench->session);
	}
	free(bench);
}

/* HSM's line as it was fitted on each device; elsewhere that of the paper. */
static void models_begin_with_what_was_trained(void **state)
{
	static const struct {
		const char *config;
		u64 c1;
		u64 c2;
	} cases[] = {
		{ "hbm80", 690735, 315347 }, { "themis60", 418335, 702525 },
		{ "fg16", 87337, 792271 }, { "fg56", 379362, 710618 },
		{ "gtx480", 103496, 652715 }, { "c2070", 108690, 634317 },
		{ "gtx680", 0, 740823 }, { "gddr5_40", 0, 926130 },
		{ "k20", 0, 789955 }, { "a100", 0, 0 },
	};
	struct bench *bench = malloc(sizeof(*bench));
	u64 *params = bench->options.model_params;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bool known = cases[i].c2;

		bench_options(bench, 0);
		snprintf(bench->options.config.name,
			 sizeof(bench->options.config.name), "%s",
			 cases[i].config);
		session_default_params(&bench->options);
		assert_int_equal(params[HSM_C1], known ? cases[i].c1 :
				 hsm_params[HSM_C1].initial);
		assert_int_equal(params[HSM_C2], known ? cases[i].c2 :
				 hsm_params[HSM_C2].initial);
		assert_int_equal(params[HSM_C2 + 1], 0);
	}
	free(bench);
}

static void params_are_set_within_their_range(void **state)
{
	static const struct {
		enum session_param_owner whose;
		const char *name;
		u64 value;
		int ret;
		const char *reason;
	} cases[] = {
		{ SESSION_POLICY_PARAMS, "first", 3, 0, "" },
		{ SESSION_POLICY_PARAMS, "first", 5, 0, "" },
		{ SESSION_POLICY_PARAMS, "last", 1, 0, "" },
		{ SESSION_POLICY_PARAMS, "first", 2, -EINVAL,
		  "the value is out of the parameter's range" },
		{ SESSION_POLICY_PARAMS, "first", 6, -EINVAL,
		  "the value is out of the parameter's range" },
		{ SESSION_POLICY_PARAMS, "c1", 1, -ENOENT,
		  "the policy has no such parameter" },
		{ SESSION_MODEL_PARAMS, "first", 3, -ENOENT,
		  "the model has no such parameter" },
		{ SESSION_MODEL_PARAMS, "c1", 1, 0, "" },
	};
	struct bench *bench = bench_with(&parambed, 0);
	const struct session_refusal *why = session_last_refusal(bench->session);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(session_set_param(bench->session, cases[i].whose,
						   cases[i].name, cases[i].value),
				 cases[i].ret);
		if (!cases[i].ret)
			continue;
		assert_int_equal(why->kind, SESSION_REFUSED_PARAM);
		assert_int_equal(why->code, cases[i].ret);
		assert_string_equal(why->field, cases[i].name);
		assert_string_equal(why->reason, cases[i].reason);
	}
	assert_int_equal(session_params(bench->session, SESSION_POLICY_PARAMS)[0],
			 5);
	assert_int_equal(session_params(bench->session, SESSION_MODEL_PARAMS)[0], 1);
	bench_free(bench);
}

/* --- constants --------------------------------------------------------------------------- */

static bool is_even(const void *constants)
{
	u64 value;

	memcpy(&value, constants, sizeof(value));
	return value % 2 == 0;
}

static const struct simgpu_model trained = {
	.name = "trained", .needs = SIMGPU_NEEDS_CONSTANTS,
	.constants_bytes = sizeof(u64), .constants_version = 2,
	.constants_are_good = is_even, .predict = say_nothing,
};

static const struct simgpu_model second = {
	.name = "second", .constants_of = "trained",
	.constants_bytes = sizeof(u64), .constants_version = 2,
	.predict = say_nothing,
};

static const struct simgpu_model simple = {
	.name = "trained", .predict = say_nothing,
};

struct constants {
	struct simgpu_constants_header header;
	u64 value;
};

static struct constants constants_with(u64 value)
{
	struct constants c = {
		.header = {
			.magic = SIMGPU_CONSTANTS_MAGIC, .version = 2,
			.length = sizeof(c), .model = "trained",
			.config = "hbm80",
		},
		.value = value,
	};

	c.header.checksum = port_crc32(0, &c.value, sizeof(c.value));
	return c;
}

static void expect_constants(const struct simgpu_model *model,
			     const struct constants *constants, u32 bytes,
			     const char *field, const char *reason)
{
	struct session_options options = {
		.config = small_config(), .model = model,
		.constants = constants, .constants_bytes = bytes,
	};
	struct session_refusal why;

	assert_int_equal(session_check_constants(&options, &why),
			 field ? -EINVAL : 0);
	if (!field)
		return;
	assert_int_equal(why.kind, SESSION_REFUSED_CONSTANTS);
	assert_string_equal(why.field, field);
	assert_string_equal(why.reason, reason);
}

static void constants_are_checked_to_the_end(void **state)
{
	static u8 large[SIMGPU_CONSTANTS_BYTES_MAX + 1];
	struct constants c = constants_with(4);
	const u32 all = sizeof(c);

	expect_constants(&trained, &c, all, NULL, NULL);
	expect_constants(&second, &c, all, NULL, NULL);
	expect_constants(&simple, &c, all, "model",
			 "the model has no constants, only parameters");
	expect_constants(&model_hsm, &c, all, "model",
			 "they are of another model than the one in force");
	c = constants_with(5);
	expect_constants(&trained, &c, all, "payload",
			 "a number in them is out of its range");
	expect_constants(&second, &c, all, NULL, NULL);
	c.header.length = all - 1;
	expect_constants(&trained, &c, all, "length",
			 "they have another length than their header says");
	expect_constants(&trained, &c, all - 1, "length",
			 "the model's constants have another size");
	c.header.length = HEADER_BYTES;
	expect_constants(&trained, &c, HEADER_BYTES, "length",
			 "the model's constants have another size");
	expect_constants(&trained, &c, HEADER_BYTES - 1, "length",
			 "they are shorter than their header, or longer than 60 KB");
	memcpy(large, &c, sizeof(c));
	expect_constants(&trained, (void *)large, sizeof(large), "length",
			 "they are shorter than their header, or longer than 60 KB");
	expect_constants(&trained, (void *)large, sizeof(large) - 1, "length",
			 "they have another length than their header says");
}

static void who_needs_constants_has_them_or_not(void **state)
{
	const struct constants c = constants_with(4);
	struct session_options options = {
		.config = small_config(), .model = &trained,
	};

	assert_false(session_has_constants(&options));
	options.constants = &c;
	assert_true(session_has_constants(&options));
	assert_ptr_equal(session_model_constants(&options), &c.value);
	options.constants = NULL;
	options.model = &simple;
	assert_true(session_has_constants(&options));
	assert_null(session_model_constants(&options));
}

/* Those of the options are those in force; bad ones are refused. */
static void sessions_begin_with_constants(void **state)
{
	struct constants c = constants_with(4);
	struct bench *bench = bench_prepared(&looking, 0);
	u32 bytes;

	bench->options.model = &trained;
	bench->options.constants = &c;
	bench->options.constants_bytes = sizeof(c);
	bench_start(bench);
	assert_memory_equal(session_constants(bench->session, &bytes), &c,
			    sizeof(c));
	assert_int_equal(bytes, sizeof(c));
	session_destroy(bench->session);
	c.value = 6;
	assert_int_equal(session_create(&bench->session, &bench->options,
					&bench->hooks), -EINVAL);
	free(bench);
}

/* --- what changes at once ------------------------------------------------------------------ */

/* A model that wants samples of idle warps gets them, 100 an epoch, as long as it is there. */
static void samples_come_and_go_with_their_model(void **state)
{
	static const struct simgpu_model sampling = {
		.name = "sampling", .needs = SIMGPU_NEEDS_IDLE_SAMPLES,
		.predict = say_nothing,
	};
	struct bench *bench = bench_with(&looking, 0);
	u64 before;

	say_even(1);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, EPOCH);
	assert_int_equal(report_of(bench, 0).counters.idle_warp_samples, 0);
	session_set_model(bench->session, &sampling);
	session_run(bench->session, EPOCH);
	/* One more where both ends of the epoch count; on each of 8 SMs. */
	before = report_of(bench, 0).counters.idle_warp_samples;
	assert_in_range(before, 8 * 99, 8 * 101);
	/* Longer epochs have as many. */
	assert_int_equal(session_set_epoch_cycles(bench->session, 2 * EPOCH), 0);
	session_run(bench->session, 2 * EPOCH);
	before = report_of(bench, 0).counters.idle_warp_samples - before;
	assert_in_range(before, 8 * 99, 8 * 101);
	session_set_model(bench->session, &model_hsm);
	before = report_of(bench, 0).counters.idle_warp_samples;
	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(report_of(bench, 0).counters.idle_warp_samples, before);
	bench_free(bench);
}

/* Who leaves in the middle of an epoch has what it had until then. */
static void last_figures_are_of_the_moment_of_leaving(void **state)
{
	struct session_tenant_report at_end, after;
	struct bench *benches[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		benches[i] = bench_with(&looking, 0);
		say_even(1);
		join(benches[i], 0);
		launch(benches[i], 0, computing, 1, 0);
		session_run(benches[i]->session, 5003);
	}
	at_end = report_of(benches[0], 0);
	session_leave(benches[1]->session, 0);
	after = report_of(benches[1], 0);
	assert_true(after.left);
	assert_true(at_end.counters.thread_instructions > 0);
	assert_memory_equal(&after.counters, &at_end.counters,
			    sizeof(after.counters));
	bench_free(benches[0]);
	bench_free(benches[1]);
}

/* --- arrivals ------------------------------------------------------------------------------ */

static void plans_are_taken_to_their_limits(void **state)
{
	static u64 list[ARRIVALS_LIST_MAX + 1];
	static const struct {
		struct arrivals_plan plan;
		const char *field;
	} cases[] = {
#define PLAN(_kind, _launches, _requests, _rate, _every, _deadline, _list) { \
	.kind = ARRIVALS_##_kind, .launches = _launches, .requests = _requests, \
	.rate = _rate, .every_cycles = _every, .deadline_cycles = _deadline, \
	.list = _list }
		{ PLAN(POISSON, 1000, 1, 1000, 1, 0, list),
		  NULL },
		{ PLAN(POISSON, 1001, 1, 1000, 1, 0, list),
		  "launches" },
		{ PLAN(POISSON, 0, 1, 1000, 1, 0, list),
		  "launches" },
		{ PLAN(POISSON, 1, U32_MAX, 1000, 1, 0, list),
		  NULL },
		{ PLAN(POISSON, 1, 1ULL << 32, 1000, 1, 0, list),
		  "requests" },
		{ PLAN(POISSON, 1, 0, 1000, 1, 0, list),
		  "requests" },
		{ PLAN(POISSON, 1, 1, 1000, 1, 1000000000, list),
		  NULL },
		{ PLAN(POISSON, 1, 1, 1000, 1, 1000000001, list),
		  "deadline_cycles" },
		{ PLAN(POISSON, 1, 1, 1000, 0, 0, NULL),
		  NULL },
		{ PLAN(POISSON, 1, 1, 999, 1, 0, list),
		  "rate" },
		{ PLAN(POISSON, 1, 1, 1000000000000, 1, 0, list),
		  NULL },
		{ PLAN(POISSON, 1, 1, 1000000000001, 1, 0, list),
		  "rate" },
		{ PLAN(EVERY, 1, 1, 0, 1, 0, list),
		  NULL },
		{ PLAN(EVERY, 1, 1, 1000, 0, 0, list),
		  "every_cycles" },
		{ PLAN(EVERY, 1, 1, 1000, 1000000000, 0, list),
		  NULL },
		{ PLAN(EVERY, 1, 1, 1000, 1000000001, 0, list),
		  "every_cycles" },
		{ PLAN(LIST, 1, 131072, 0, 0, 0, list),
		  NULL },
		{ PLAN(LIST, 1, 131073, 1000, 1, 0, list),
		  "list" },
		{ PLAN(LIST, 1, 1, 1000, 1, 0, NULL),
		  "list" },
		{ PLAN(KINDS, 1, 1, 1000, 1, 0, list),
		  "kind" },
#undef PLAN
	};
	struct arrivals_plan plan = cases[ARRAY_SIZE(cases) - 4].plan;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *field = arrivals_check(&cases[i].plan);

		if (!field || !cases[i].field)
			assert_ptr_equal(field, cases[i].field);
		else
			assert_string_equal(field, cases[i].field);
	}
	/* The last one may come so late, and none before the one ahead of it. */
	plan.requests = 2;
	list[1] = 1000000000ULL * 131072;
	list[0] = list[1];
	assert_null(arrivals_check(&plan));
	list[1]++;
	assert_string_equal(arrivals_check(&plan), "list");
	list[0] = 1;
	list[1] = 0;
	assert_string_equal(arrivals_check(&plan), "list");
	list[0] = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(policies_are_checked),
		cmocka_unit_test(models_are_checked),
		cmocka_unit_test(sessions_begin_with_params_in_their_range),
		cmocka_unit_test(models_begin_with_what_was_trained),
		cmocka_unit_test(params_are_set_within_their_range),
		cmocka_unit_test(constants_are_checked_to_the_end),
		cmocka_unit_test(who_needs_constants_has_them_or_not),
		cmocka_unit_test(sessions_begin_with_constants),
		cmocka_unit_test(samples_come_and_go_with_their_model),
		cmocka_unit_test(last_figures_are_of_the_moment_of_leaving),
		cmocka_unit_test(plans_are_taken_to_their_limits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("deciders", tests, make_traces,
					   free_traces);
}

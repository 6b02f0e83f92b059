// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of memory policies: where their values come from, what they change, and that a
 * journal repeats them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/journal_parse.h"
#include "../../kmod/session/journal_print.h"
#include "../../kmod/session/params.h"
#include "../../kmod/session/settings.h"
#include "journal_of.h"
#include "paged.h"

static struct trace *passing;

static int make_readers(void **state)
{
	passing = trace_steps(16, BLOCK_BYTES, false, 2);
	return make_traces(state);
}

static int free_readers(void **state)
{
	trace_free(passing);
	return free_traces(state);
}

/* A session whose slot 0 goes through 16 blocks, in 8 chunks */
static struct bench *bench_of(const struct simgpu_memory_policy *policy)
{
	return paged(16, 64, policy);
}

static void begin(struct bench *bench)
{
	bench_start(bench);
	join(bench, 0);
	launch_managed(bench, 0, passing);
}

static u64 param_of(const struct bench *bench, u32 index)
{
	return session_params(bench->session, SESSION_MEMORY_PARAMS)[index];
}

static int set(struct bench *bench, const char *name, u64 value)
{
	return session_set_param(bench->session, SESSION_MEMORY_PARAMS, name, value);
}

static u64 pages_in(struct bench *bench)
{
	run_to_end(bench);
	return counted(bench, 0).pages_in;
}

/* At a threshold of 100% no subtree is brought, at 0 each whole block. */
static void the_tree_has_a_threshold(void **state)
{
	static const u64 thresholds[] = { SIMGPU_PPM, 510000, 0 };
	u64 pages[ARRAY_SIZE(thresholds)];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(thresholds); i++) {
		struct bench *bench = bench_of(&memory_policy_uvm);

		session_preset_memory_param(&bench->options, 0, thresholds[i]);
		begin(bench);
		assert_int_equal(param_of(bench, 0), thresholds[i]);
		pages[i] = pages_in(bench);
		bench_free(bench);
	}
	/* Each block is accessed in one page, twice, and evicted between. */
	assert_int_equal(pages[0], 32);
	assert_int_equal(pages[1], 32);
	assert_int_equal(pages[2], 32 * 32);
}

static void strides_are_fetched_as_far_as_is_said(void **state)
{
	u64 fetched[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct bench *bench = bench_of(&memory_policy_stride);

		begin(bench);
		assert_int_equal(param_of(bench, 0), 16);
		assert_int_equal(set(bench, "ahead", i ? 4 : 1), 0);
		run_to_end(bench);
		fetched[i] = counted(bench, 0).pages_prefetched;
		bench_free(bench);
	}
	assert_true(fetched[0] > 0);
	assert_true(fetched[1] > fetched[0]);
}

/* A block that comes again at once thrashes: how often before it stays on the host. */
static void thrashing_has_thresholds(void **state)
{
	u64 evicted[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct trace *trace = trace_steps(3, BLOCK_BYTES, false, 60);
		struct bench *bench = paged(4, 64, &memory_policy_uvm_thrash);

		manage(bench, 3 * BLOCK_BYTES);
		launch_one(bench, 0, trace);
		if (i)
			assert_int_equal(set(bench, "pin_threshold", 0), 0);
		run_to_end(bench);
		evicted[i] = counted(bench, 0).chunks_evicted;
		bench_free(bench);
		trace_free(trace);
	}
	assert_true(evicted[1] > 0);
	assert_true(evicted[1] < evicted[0]);
}

static void values_out_of_their_range_are_refused(void **state)
{
	struct bench *bench = bench_of(&memory_policy_stride);
	struct session *session;
	u64 hash;

	begin(bench);
	hash = session_state_hash(bench->session);
	assert_int_equal(set(bench, "ahead", 0), -EINVAL);
	assert_int_equal(set(bench, "ahead", 65), -EINVAL);
	assert_int_equal(set(bench, "tree_threshold", 1), -ENOENT);
	assert_string_equal(session_last_refusal(bench->session)->reason,
			    "the memory policy has no such parameter");
	assert_int_equal(set(bench, "sure", 2), 0);
	assert_true(session_state_hash(bench->session) == hash);
	assert_int_equal(set(bench, "sure", 3), 0);
	assert_true(session_state_hash(bench->session) != hash);
	/* Another policy has its own, with their first values. */
	session_use_memory_policy(bench->session, &memory_policy_uvm_thrash);
	assert_int_equal(set(bench, "sure", 3), -ENOENT);
	assert_int_equal(param_of(bench, 1), 3);
	assert_int_equal(param_of(bench, 2), 10);
	session_use_memory_policy(bench->session, &memory_policy_stride);
	assert_int_equal(param_of(bench, 1), 2);
	assert_int_equal(param_of(bench, 2), 0);
	session_preset_memory_param(&bench->options, 1, 4);
	assert_int_equal(session_create(&session, &bench->options,
					&(struct session_hooks) {}), -EINVAL);
	bench->options.memory_params_set = 4;
	bench->options.memory_params[2] = 1;
	assert_int_equal(session_create(&session, &bench->options,
					&(struct session_hooks) {}), -EINVAL);
	bench->options.memory_params_set = 0;
	bench_free(bench);
}

static void live(struct bench *bench)
{
	begin(bench);
	session_run(bench->session, 500001);
	assert_int_equal(set(bench, "tree_threshold", 0), 0);
	session_run(bench->session, 500001);
	session_use_memory_policy(bench->session, &memory_policy_stride);
	assert_int_equal(set(bench, "ahead", 3), 0);
	session_run(bench->session, 500001);
}

static void journals_repeat_parameters(void **state)
{
	const struct trace *const traces[] = { passing };
	struct bench *bench = bench_of(&memory_policy_uvm);
	struct bench *replayed = bench_of(&memory_policy_uvm);
	const struct journal_event *journal;
	u32 count, set_params = 0;
	u64 lost;

	session_preset_memory_param(&bench->options, 0, 250000);
	session_preset_memory_param(&replayed->options, 0, 250000);
	live(bench);
	journal = journal_of(bench->session, &count, &lost);
	while (count--)
		set_params += journal[count].kind == JOURNAL_MEMORY_PARAM;
	assert_int_equal(set_params, 2);
	bench_start(replayed);
	replay_journal(bench->session, replayed->session, traces, ARRAY_SIZE(traces));
	assert_true(session_state_hash(replayed->session) ==
		    session_state_hash(bench->session));
	bench_free(replayed);
	bench_free(bench);
}

/* The first line has what was set, and only that. */
static void the_first_line_tells_parameters(void **state)
{
	struct bench *bench = bench_of(&memory_policy_uvm_thrash);
	char text[JOURNAL_LINE_BYTES];

	bench->options.memory_policy_index = SESSION_MEMORY_POLICY_uvm_thrash;
	journal_print_start(text, &bench->options, 0);
	assert_null(strstr(text, "memory."));
	session_preset_memory_param(&bench->options, 2, 7);
	journal_print_start(text, &bench->options, 0);
	assert_non_null(strstr(text, " memory.pin_threshold=7\n"));
	assert_null(strstr(text, "memory.threshold"));
	free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tree_has_a_threshold),
		cmocka_unit_test(strides_are_fetched_as_far_as_is_said),
		cmocka_unit_test(thrashing_has_thresholds),
		cmocka_unit_test(values_out_of_their_range_are_refused),
		cmocka_unit_test(journals_repeat_parameters),
		cmocka_unit_test(the_first_line_tells_parameters),
	};

	return cmocka_run_group_tests_name("memory params", tests, make_readers, free_readers);
}

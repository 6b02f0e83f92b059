// SPDX-License-Identifier: GPL-2.0
/*
 * Journals that repeat runs; limits of what policies get; private runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/journal.h"
#include "bench.h"
#include "journal_of.h"

/* --- the journal --- */

/* All kinds of events, at cycles of all sorts. */
static void live_through_everything(struct bench *bench, u64 step)
{
	struct session_tenant_options options = plain();

	launch_gang(bench);
	run_in_steps(bench, 7001, step);
	session_set_policy(bench->session, &policy_even);
	run_in_steps(bench, 12345, step);
	options.weight = 7;
	assert_int_equal(session_set_tenant(bench->session, 1, &options), 0);
	launch(bench, 0, brief, 2, 33333);
	run_in_steps(bench, 20000, step);
	session_leave(bench->session, 1);
	session_set_policy(bench->session, &policy_hsm_fair);
	run_in_steps(bench, 30001, step);
	assert_int_equal(session_set_param(bench->session, SESSION_POLICY_PARAMS,
					   "fair_threshold", 500000), 0);
	session_set_model(bench->session, &model_hsm);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_PARAMS,
					   "c2", 300000), 0);
	run_in_steps(bench, 41000, step);
	assert_int_equal(session_set_epoch_cycles(bench->session, 11111), 0);
	run_in_steps(bench, 65432, step);
	session_leave(bench->session, 0);
	run_in_steps(bench, ALL_AT_ONCE, step);
}

static const struct session_replay built_in = {
	.policy = registry_policy_find,
	.model = registry_model_find,
};

static void replay(struct bench *from, struct bench *to)
{
	const struct trace *const traces[] = { computing, random_reads, copying, brief };

	replay_journal(from->session, to->session, traces, ARRAY_SIZE(traces));
}

/* Whatever the steps, and whatever SMs change hands by (steps[i] with mode i). */
static void journals_repeat_a_run(void **state)
{
	static const u64 steps[] = { ALL_AT_ONCE, 2000, 777 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct bench *lived = malloc(sizeof(*lived));
		struct bench *replayed = malloc(sizeof(*replayed));

		bench_options(lived, 3);
		bench_options(replayed, 3);
		lived->options.preemption = i;
		replayed->options.preemption = i;
		bench_start(lived);
		bench_start(replayed);
		live_through_everything(lived, steps[i]);
		assert_int_equal(session_now(lived->session), STOP);
		replay(lived, replayed);
		expect_same(lived, replayed);
		/* A replay journals the same events. */
		assert_int_equal(lived->done_count, replayed->done_count);
		bench_free(lived);
		bench_free(replayed);
	}
}

static void journals_repeat_free_running_tenants(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *lived = bench_new(0), *replayed = bench_new(0);
	int slot;

	slot = session_join(lived->session, SESSION_ANY_SLOT, &options);
	launch(lived, slot, brief, 30, 0);
	session_run(lived->session, 2000);
	options.cgroup = 4711;
	slot = session_join(lived->session, SESSION_ANY_SLOT, &options);
	launch(lived, slot, computing, 1, 0);
	session_run(lived->session, 2000);
	session_leave(lived->session, 0);
	session_run(lived->session, 12345);
	session_leave(lived->session, slot);
	/* Idle here: time stands still. */
	session_run(lived->session, 1000);
	slot = session_join(lived->session, SESSION_ANY_SLOT, &options);
	launch(lived, slot, copying, 1, 0);
	session_run(lived->session, 5000);
	replay(lived, replayed);
	expect_same(lived, replayed);
	bench_free(lived);
	bench_free(replayed);
}

static void wrong_journals_are_refused(void **state)
{
	struct bench *bench = bench_new(2);
	struct journal_event event = { .kind = JOURNAL_JOIN };

	event.tenant = plain();
	event.cycle = 100;
	/* Nobody is at work: that cycle never comes. */
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in),
			 -EINVAL);
	event.cycle = 0;
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in), 0);
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in),
			 -EBUSY);
	event = (struct journal_event) { .kind = JOURNAL_LAUNCH };
	event.launch.repeats = 1;
	event.launch.sequence = 1;
	event.launch.checksum = brief->checksum;
	event.launch.trace_bytes = brief->bytes;
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in),
			 -EINVAL);
	assert_int_equal(session_replay_event(bench->session, &event,
					      computing, &built_in), -EINVAL);
	assert_int_equal(session_replay_event(bench->session, &event, brief,
					      &built_in),
			 0);
	event = (struct journal_event) { .kind = JOURNAL_POLICY,
					 .name = "nobody" };
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in),
			 -EINVAL);
	event.kind = 99;
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in),
			 -EINVAL);
	bench_free(bench);
}

/* More events than one chunk holds, or the first one, all in their order. */
static void journals_grow(void **state)
{
	const u32 changes = 20000;
	struct bench *bench = bench_new(0);
	const struct journal_event *events;
	struct journal_event last[2];
	u32 count, i;
	u64 lost;

	for (i = 0; i < changes; i++)
		session_set_epoch_cycles(bench->session, 20000 + i);
	events = journal_of(bench->session, &count, &lost);
	assert_int_equal(lost, 0);
	assert_int_equal(count, changes);
	for (i = 0; i < changes; i++)
		assert_int_equal(events[i].epoch_cycles, 20000 + i);
	assert_in_range(session_journal_room(bench->session), changes,
			changes + JOURNAL_CHUNK_EVENTS +
			(SESSION_SLOTS_MAX + 1) * SESSION_JOURNAL_SHARE);
	/* From any place on, and not past the end. */
	assert_int_equal(session_journal_read(bench->session, changes - 1, last, 2), 1);
	assert_int_equal(last[0].epoch_cycles, 20000 + changes - 1);
	assert_int_equal(session_journal_read(bench->session, changes, last, 2), 0);
	bench_free(bench);
}

static void journals_that_cannot_grow_count_what_they_lose(void **state)
{
	const u32 changes = JOURNAL_CHUNK_EVENTS + SESSION_JOURNAL_SHARE + 10;
	struct bench *bench = bench_without_room();
	const struct journal_event *events;
	u64 lost;
	u32 count, i;

	for (i = 0; i < changes; i++)
		session_set_policy(bench->session, &policy_even);
	events = journal_of(bench->session, &count, &lost);
	/* What is for everybody, and the settings' share. */
	assert_int_equal(count, changes - 10);
	assert_int_equal(lost, 10);
	assert_int_equal(events[count - 1].kind, JOURNAL_POLICY);
	bench_free(bench);
}

/* One fills all that is for everybody; of the others nothing is lost. */
static void each_tenant_has_its_share_of_a_journal(void **state)
{
	const u32 changes = JOURNAL_CHUNK_EVENTS + 2 * SESSION_JOURNAL_SHARE;
	struct bench *bench = bench_without_room();
	struct session_tenant_options options = plain();
	const struct journal_event *events;
	u32 count, before, i;
	u64 lost, lost_before;

	join(bench, 0);
	for (i = 0; i < changes; i++) {
		/* The state hash looks at what was said. */
		session_state_hash(bench->session);
		options.weight = 1 + i % 2;
		session_set_tenant(bench->session, 0, &options);
	}
	journal_of(bench->session, &before, &lost_before);
	assert_in_range(lost_before, 1, changes);
	join(bench, 1);
	launch(bench, 1, computing, 1, 0);
	events = journal_of(bench->session, &count, &lost);
	assert_int_equal(lost, lost_before);
	assert_int_equal(count, before + 2);
	assert_int_equal(events[count - 2].kind, JOURNAL_JOIN);
	assert_int_equal(events[count - 1].kind, JOURNAL_LAUNCH);
	assert_int_equal(events[count - 1].slot, 1);
	bench_free(bench);
}

/* What nobody has looked at is said once, with the last words. */
static void repeated_options_are_one_event(void **state)
{
	struct bench *bench = bench_new(0);
	struct session_tenant_options options = plain();
	const struct journal_event *events;
	u32 count, i;
	u64 lost;

	join(bench, 0);
	for (i = 0; i < 2000; i++) {
		options.weight = 1 + i % 7;
		assert_int_equal(session_set_tenant(bench->session, 0,
						    &options), 0);
	}
	events = journal_of(bench->session, &count, &lost);
	assert_int_equal(lost, 0);
	assert_int_equal(count, 2);
	assert_int_equal(events[1].tenant.weight, options.weight);
	session_state_hash(bench->session);
	/* The same again is no change; another one is an event. */
	session_set_tenant(bench->session, 0, &options);
	journal_of(bench->session, &count, &lost);
	assert_int_equal(count, 2);
	options.weight = 9;
	session_set_tenant(bench->session, 0, &options);
	journal_of(bench->session, &count, &lost);
	assert_int_equal(count, 3);
	bench_free(bench);
}

/* A policy that asks for everything, SM by SM. */
static int take_all(const struct simgpu_snapshot *snapshot, void *state,
		    struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags = SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < SIMGPU_SMS_MAX; sm++)
		proposal->owner[sm] = sm < snapshot->sms ? sm % 2 :
							   SIMGPU_NO_OWNER;
	return 0;
}

/* With a limit nobody holds more, whatever the policy proposes. */
static void no_tenant_gets_more_than_the_limit(void **state)
{
	static const struct simgpu_policy greedy = {
		.name = "greedy", .decide = take_all,
	};
	const struct simgpu_policy *policies[] = {
		&policy_even, &policy_hsm_fair, &greedy,
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		struct bench *bench = malloc(sizeof(*bench));

		bench_options(bench, 2);
		bench->options.sms_most = 3;
		bench->options.policy = policies[i];
		bench_start(bench);
		launch_gang(bench);
		run_in_steps(bench, STOP, ALL_AT_ONCE);
		assert_true(bench->epoch_count > 5);
		for (j = 0; j < bench->epoch_count; j++) {
			const struct session_epoch *epoch = &bench->epochs[j];
			u64 most = 3 * (epoch->end_cycle - epoch->start_cycle);

			assert_false(epoch->fell_back);
			assert_in_range(epoch->tenants[0].sms_next, 1, 3);
			assert_in_range(epoch->tenants[1].sms_next, 1, 3);
			/* All three, where none drains and waits for another. */
			if (policies[i] == &policy_even)
				assert_int_equal(epoch->tenants[0].counters.sm_cycles,
						 most);
		}
		assert_in_range(report_of(bench, 0).sms, 1, 3);
		bench_free(bench);
	}
}

/* A policy that changes nothing and notes the fewest thread blocks left. */
static u32 fewest_left;

static int note_left(const struct simgpu_snapshot *snapshot, void *state,
		     struct simgpu_proposal *proposal)
{
	if (snapshot->tenants[0].active &&
	    snapshot->tenants[0].blocks_left < fewest_left)
		fewest_left = snapshot->tenants[0].blocks_left;
	return 0;
}

/* Who is asked as a kernel ends must not think that no SM is of use. */
static void a_kernel_that_ended_leaves_blocks(void **state)
{
	static const struct simgpu_policy policy = {
		.name = "note", .decide = note_left,
	};
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 1);
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->options.policy = &policy;
	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, middling, 1, 0);
	fewest_left = U32_MAX;
	session_run(bench->session, ALL_AT_ONCE);
	assert_true(report_of(bench, 0).counters.kernels_finished > 1);
	assert_in_range(fewest_left, 1, 64);
	bench_free(bench);
}

/* --- private runs --- */

/* Three tenants under the oracle, in steps of so many cycles. */
static struct bench *run_oracle(u64 step)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 3);
	bench->options.model = &model_oracle;
	bench->options.policy = &policy_even;
	bench_start(bench);
	launch_gang(bench);
	run_in_steps(bench, STOP, step);
	assert_int_equal(session_now(bench->session), STOP);
	return bench;
}

/* Cycles in which a slot alone, on all SMs, executes so much of a trace. */
static u64 cycles_alone(u32 slot, const struct trace *trace, u64 instructions)
{
	struct bench *bench = malloc(sizeof(*bench));
	u64 cycles;

	bench_options(bench, 0);
	bench_start(bench);
	join(bench, slot);
	launch(bench, slot, trace, 1000, 0);
	while (report_of(bench, slot).counters.thread_instructions < instructions)
		session_run(bench->session, 10);
	cycles = session_now(bench->session);
	bench_free(bench);
	return cycles;
}

static void the_oracle_knows_the_truth(void **state)
{
	const struct trace *traces[] = { computing, random_reads, copying };
	struct bench *bench = run_oracle(ALL_AT_ONCE);
	u32 slot;

	for (slot = 0; slot < 3; slot++) {
		struct session_tenant_report report = report_of(bench, slot);
		u64 alone = cycles_alone(slot, traces[slot],
					 report.counters.thread_instructions);

		/* All epochs are in it: this is NP over the whole run. */
		assert_in_range(report.np_run.run_ppm,
				fixed_ratio_ppm(alone, STOP) - 10000,
				fixed_ratio_ppm(alone, STOP) + 10000);
	}
	bench_free(bench);
}

static void private_runs_do_not_depend_on_steps(void **state)
{
	struct bench *a = run_oracle(ALL_AT_ONCE), *b = run_oracle(777);
	u32 slot;

	for (slot = 0; slot < 3; slot++)
		assert_int_equal(report_of(a, slot).np_run.run_ppm,
				 report_of(b, slot).np_run.run_ppm);
	bench_free(a);
	bench_free(b);
}

/* A private run goes with its tenant, and the next one begins at 0. */
static void private_runs_end_with_their_tenants(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	size_t before;
	u32 round;

	bench_options(bench, 0);
	bench->options.model = &model_oracle;
	bench_start(bench);
	before = session_bytes(bench->session);
	for (round = 0; round < 3; round++) {
		join(bench, 5);
		assert_true(session_bytes(bench->session) >
			    before + gpu_bytes(&bench->options.config) / 2);
		launch(bench, 5, computing, 1, 0);
		session_run(bench->session, 3 * EPOCH);
		assert_in_range(report_of(bench, 5).np_ppm, 980000, SIMGPU_PPM);
		session_leave(bench->session, 5);
		assert_int_equal(session_bytes(bench->session), before);
	}
	/* One that is there at the end goes with the session. */
	join(bench, 5);
	bench_free(bench);
}

/* --- journals as text --- */

/* The plug-in that the page's example names. */
static const struct simgpu_policy remember = {
	.name = "remember",
	.source = SIMGPU_SOURCE_PLUGIN,
	.checksum = 0x6bbe682c,
};

static const struct simgpu_policy *policy_of_the_page(const char *name)
{
	return strcmp(name, remember.name) ? registry_policy_find(name) :
					     &remember;
}

/* What only people read of a fallback is not parsed. */
static const struct journal_event fallback_of_the_page = {
	.fallback = {
		.kind = SESSION_REFUSED_PROPOSAL,
		.code = -EINVAL,
		.slot = 1,
		.sm = SESSION_NOWHERE,
		.field = "sms",
		.reason = "a tenant with work that is not held gets no SM",
	},
};

static void print_again(char *text, struct journal_line *line)
{
	switch (line->kind) {
	case JOURNAL_LINE_START:
		journal_print_start(text, &line->start,
				    line->constants_checksum);
		break;
	case JOURNAL_LINE_EVENT:
		if (line->event.kind == JOURNAL_FALLBACK) {
			assert_string_equal(line->event.fallback.reason,
					    fallback_of_the_page.fallback.reason);
			line->event.fallback = fallback_of_the_page.fallback;
		}
		journal_print_event(text, &line->event);
		break;
	case JOURNAL_LINE_LOST:
		journal_print_lost(text, line->cycle, line->lost);
		break;
	case JOURNAL_LINE_END:
		journal_print_end(text, line->cycle, line->state_hash);
	}
}

/* What the page shows as an example is what is written, to the byte. */
/* Absent where there is none: a journal from before has no such key. */
static void cgroups_are_written_and_read(void **state)
{
	static const struct journal_names names = {
		gpu_config_find, policy_of_the_page, registry_model_find, NULL,
	};
	static const char text[] =
		"7 join slot=3 name=\"a\" service=best_effort weight=2 target_ppm=0 cgroup=4711\n";
	static const char none[] =
		"7 join slot=3 name=\"a\" service=best_effort weight=2 target_ppm=0 cgroup=0\n";
	char again[JOURNAL_LINE_BYTES], reason[256];
	struct journal_line line;
	const char *next = text;

	assert_int_equal(journal_parse_line(&next, &names, &line, reason,
					    sizeof(reason)), 0);
	assert_int_equal(line.event.tenant.cgroup, 4711);
	print_again(again, &line);
	assert_string_equal(again, text);
	next = none;
	assert_int_equal(journal_parse_line(&next, &names, &line, reason,
					    sizeof(reason)), -EINVAL);
	assert_non_null(strstr(reason, "cgroup"));
}

static void the_pages_example_is_what_is_written(void **state)
{
	static const struct journal_names names = {
		gpu_config_find, policy_of_the_page, registry_model_find, NULL,
	};
	static char page[32768], again[JOURNAL_LINE_BYTES];
	FILE *file = fopen("docs/journal.md", "r");
	const char *text, *end, *next;
	struct journal_line line;
	char reason[256];
	u32 lines = 0;

	assert_non_null(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	text = strstr(page, "```\n0 start");
	assert_non_null(text);
	text += strlen("```\n");
	end = strstr(text, "```");
	assert_non_null(end);
	for (; text < end; text = next, lines++) {
		next = text;
		if (journal_parse_line(&next, &names, &line, reason,
				       sizeof(reason)))
			fail_msg("line %u: %s", lines + 1, reason);
		print_again(again, &line);
		assert_int_equal(strlen(again), next - text);
		assert_memory_equal(again, text, next - text);
	}
	assert_int_equal(lines, 11);
	assert_int_equal(line.kind, JOURNAL_LINE_END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pages_example_is_what_is_written),
		cmocka_unit_test(cgroups_are_written_and_read),
		cmocka_unit_test(journals_repeat_a_run),
		cmocka_unit_test(journals_repeat_free_running_tenants),
		cmocka_unit_test(wrong_journals_are_refused),
		cmocka_unit_test(journals_grow),
		cmocka_unit_test(journals_that_cannot_grow_count_what_they_lose),
		cmocka_unit_test(each_tenant_has_its_share_of_a_journal),
		cmocka_unit_test(repeated_options_are_one_event),
		cmocka_unit_test(no_tenant_gets_more_than_the_limit),
		cmocka_unit_test(a_kernel_that_ended_leaves_blocks),
		cmocka_unit_test(the_oracle_knows_the_truth),
		cmocka_unit_test(private_runs_do_not_depend_on_steps),
		cmocka_unit_test(private_runs_end_with_their_tenants),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("journal", tests, make_traces,
					   free_traces);
}

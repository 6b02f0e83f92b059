// SPDX-License-Identifier: GPL-2.0
/*
 * The offline library: experiments as a session runs them, private runs that
 * are exact to the cycle, and journals as text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../userspace/offline/journal.h"
#include "../../userspace/offline/offline.h"
#include "../../userspace/offline/replay.h"
#include "../../userspace/offline/run.h"
#include "small.h"
#include "journal_of.h"
#include "traces.h"

#define EPOCH	10000ULL
#define STOP	60000ULL

static struct trace *computing, *random_reads, *brief;

static int make_traces(void **state)
{
	computing = trace_compute(100000, 10, 20);
	random_reads = trace_random(100000, 20, 4, 1 << 24);
	brief = trace_compute(64, 4, 10);
	return 0;
}

static int free_traces(void **state)
{
	trace_free(computing);
	trace_free(random_reads);
	trace_free(brief);
	return 0;
}

static const struct offline_observer nobody;

static struct offline_experiment *experiment_new(void)
{
	struct offline_experiment *e = calloc(1, sizeof(*e));
	const struct trace *traces[] = { computing, random_reads, brief };
	u32 slot;

	e->options = (struct session_options) {
		.config = small_config(),
		.seed = 3,
		.epoch_cycles = EPOCH,
		.stop_cycle = STOP,
		.relaunch = true,
		.model = &model_hsm,
		.policy = &policy_hsm_fair,
	};
	session_default_params(&e->options);
	e->count = 3;
	for (slot = 0; slot < e->count; slot++) {
		e->tenants[slot].options.weight = 1;
		e->tenants[slot].options.name[0] = (char)('a' + slot);
		e->tenants[slot].trace = traces[slot];
	}
	return e;
}

static struct session *session_of(const struct offline_experiment *e,
				  bool gang)
{
	struct session_options options = e->options;
	struct session_hooks hooks = { .context = NULL };
	struct session *session;

	options.gang_size = gang ? e->count : 0;
	assert_int_equal(session_create(&session, &options, &hooks), 0);
	return session;
}

static void enter(struct session *session, const struct offline_experiment *e,
		  u32 slot)
{
	u64 sequence;

	assert_int_equal(session_join(session, slot, &e->tenants[slot].options),
			 slot);
	assert_int_equal(session_launch(session, slot, e->tenants[slot].trace,
					1, 0, &sequence), 0);
}

static u64 instructions(struct session *session, u32 slot)
{
	struct session_tenant_report report;

	session_tenant_report(session, slot, &report);
	return report.counters.thread_instructions;
}

/* --- whole experiments --- */

/** struct told - what an observer was told */
struct told {
	u32 epochs;
	u32 tenants;
	u32 left;
	u64 cycle;
};

static void on_epoch(void *context, const struct session_epoch *epoch)
{
	((struct told *)context)->epochs++;
}

static void on_tenant(void *context, u32 slot,
		      const struct session_tenant_options *options,
		      const struct trace *trace)
{
	assert_non_null(trace);
	((struct told *)context)->tenants++;
}

static void on_left(void *context, u32 slot,
		    const struct session_tenant_report *report)
{
	assert_int_equal(slot, 1);
	assert_true(report->sms && report->counters.thread_instructions);
	((struct told *)context)->left++;
}

static void on_progress(void *context, u64 cycle)
{
	struct told *told = context;

	assert_true(cycle > told->cycle);
	told->cycle = cycle;
}

static struct offline_observer observe(struct told *told)
{
	memset(told, 0, sizeof(*told));
	return (struct offline_observer) {
		.context = told, .epoch = on_epoch, .tenant = on_tenant,
		.left = on_left, .progress = on_progress,
	};
}

static void runs_are_those_of_a_session(void **state)
{
	struct offline_experiment *e = experiment_new();
	struct offline_result *result = malloc(sizeof(*result));
	struct session *session = session_of(e, true);
	struct told told;
	struct offline_observer observer = observe(&told);
	u32 slot;

	for (slot = 0; slot < e->count; slot++)
		enter(session, e, slot);
	session_run(session, STOP);
	assert_int_equal(offline_run(e, &observer, result), 0);
	assert_int_equal(result->cycle, STOP);
	assert_int_equal(result->state_hash, session_state_hash(session));
	for (slot = 0; slot < e->count; slot++)
		assert_int_equal(result->reports[slot].counters.thread_instructions,
				 instructions(session, slot));
	assert_int_equal(told.tenants, 3);
	assert_int_equal(told.left, 0);
	assert_true(told.epochs >= STOP / EPOCH);
	assert_true(told.cycle);
	session_destroy(session);
	free(result);
	free(e);
}

static void bad_experiments_are_refused(void **state)
{
	struct offline_experiment *e = experiment_new();
	struct offline_result *result = malloc(sizeof(*result));
	struct offline_mark mark = { .instructions = 1 };

	e->tenants[1].options.weight = 0;
	assert_int_equal(offline_run(e, &nobody, result), -EINVAL);
	assert_int_equal(offline_private_run(e, 1, &mark, 1, &nobody),
			 -EINVAL);
	e->tenants[1].options.weight = 1;
	e->options.epoch_cycles = 1;
	assert_int_equal(offline_run(e, &nobody, result), -EINVAL);
	free(result);
	free(e);
}

/* --- private runs --- */

/* The definition, taken literally: cycle by cycle. */
static u64 cycles_counted(const struct offline_experiment *e, u32 slot,
			  u64 target)
{
	struct offline_experiment alone = *e;
	struct session *session;
	u64 cycles;

	alone.options.relaunch = false;
	alone.options.stop_cycle = 0;
	session = session_of(&alone, false);
	enter(session, &alone, slot);
	while (instructions(session, slot) < target)
		assert_int_equal(session_run(session, 1), SESSION_RUNNING);
	cycles = session_now(session);
	session_destroy(session);
	return cycles;
}

static void private_runs_are_exact(void **state)
{
	static const u64 targets[] = { 1, 31, 33, 5000, 123456, 1000001 };
	struct offline_mark marks[ARRAY_SIZE(targets)];
	struct offline_experiment *e = experiment_new();
	u32 slot, i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		marks[i].instructions = targets[i];
	for (slot = 0; slot < 2; slot++) {
		assert_int_equal(offline_private_run(e, slot, marks,
						     ARRAY_SIZE(targets),
						     &nobody), 0);
		for (i = 0; i < ARRAY_SIZE(targets); i++) {
			const struct session_figures *figures =
				&marks[i].figures;

			assert_int_equal(marks[i].cycles,
					 cycles_counted(e, slot, targets[i]));
			assert_int_equal(figures->cycles, marks[i].cycles);
			assert_true(figures->thread_instructions >= targets[i]);
		}
	}
	free(e);
}

static void private_runs_end_with_the_trace(void **state)
{
	const u64 all = 64 * 256 * 4 * 10;
	struct offline_mark marks[] = {
		{ .instructions = all }, { .instructions = all + 1 }
	};
	struct offline_experiment *e = experiment_new();
	struct offline_experiment alone = *e;
	struct session_tenant_report report;
	struct session *session;

	/* Whoever is alone in shared mode has an NP of 1, to the cycle. */
	alone.options.stop_cycle = 0;
	alone.options.relaunch = false;
	session = session_of(&alone, false);
	enter(session, &alone, 2);
	while (session_run(session, 1000) == SESSION_RUNNING)
		;
	session_tenant_report(session, 2, &report);
	assert_true(report.first_run_done);
	session_destroy(session);

	assert_int_equal(offline_private_run(e, 2, marks, 1, &nobody), 0);
	assert_int_equal(marks[0].cycles, report.figures.cycles);
	assert_int_equal(marks[0].figures.cycles, report.figures.cycles);
	/* Its last stores are under way when all is issued. */
	assert_true(marks[0].cycles > cycles_counted(e, 2, all));
	assert_int_equal(offline_private_run(e, 2, marks, 2, &nobody),
			 -ENODATA);
	free(e);
}

/* --- journals --- */

static const struct session_replay built_in = {
	.policy = registry_policy_find,
	.model = registry_model_find,
};

static const char good[] =
	"0 start version=3 config=\"hbm80\" seed=7 epoch_cycles=500000 stop_cycle=5000000 relaunch=1 kernel_end=carry preemption=switch hold_cycles=50000000 gang_size=2 model=\"hsm\" model_source=built-in model_checksum=0x00000000 model.c1=500000 model.c2=360000 constants=0x00000000 policy=\"hsm-fair\" policy_source=built-in policy_checksum=0x00000000 policy.fair_threshold=900000 later=\"key\"\n"
	"0 join slot=0 name=\"PVC\" service=best_effort weight=1 target_ppm=0\n"
	"0 join slot=1 name=\"a \\x22quoted\\x22 \\x5c\\xe9\" service=qos weight=1000 target_ppm=800000\n"
	"0 launch slot=0 sequence=1 checksum=0x1c291ca3 bytes=1528 repeats=1 not_before_cycle=0\n"
	"0 launch slot=1 sequence=18446744073709551615 checksum=0xffffffff bytes=904 repeats=3 not_before_cycle=77\n"
	"9 tenant slot=0 name=\"PVC\" service=best_effort weight=5 target_ppm=0\n"
	"10 policy name=\"even\" name_source=built-in name_checksum=0x00000000\n"
	"10 model name=\"hsm\" name_source=built-in name_checksum=0x00000000\n"
	"11 model_param name=\"c1\" value=3\n"
	"12 epoch_cycles epoch_cycles=10000\n"
	"1204000 leave slot=1\n"
	"5000000 end state_hash=0x90cf2aa3bb1f2d11\n";

static void journals_are_read(void **state)
{
	struct offline_journal_error error;
	struct offline_journal journal;

	assert_int_equal(offline_parse_journal(good, &offline_names, &journal,
					       &error), 0);
	assert_string_equal(journal.options.config.name, "hbm80");
	assert_int_equal(journal.options.seed, 7);
	assert_int_equal(journal.options.epoch_cycles, 500000);
	assert_int_equal(journal.options.stop_cycle, 5000000);
	assert_true(journal.options.relaunch);
	assert_int_equal(journal.options.kernel_end, SESSION_KERNEL_END_CARRY);
	assert_int_equal(journal.options.gang_size, 2);
	assert_ptr_equal(journal.options.model, &model_hsm);
	assert_ptr_equal(journal.options.policy, &policy_hsm_fair);
	assert_int_equal(journal.options.model_params[HSM_C2], 360000);
	assert_int_equal(journal.options.policy_params[0], 900000);
	assert_int_equal(journal.options.hold_cycles, 50000000);
	assert_int_equal(journal.count, 10);
	assert_int_equal(journal.events[0].kind, JOURNAL_JOIN);
	assert_string_equal(journal.events[1].tenant.name,
			    "a \"quoted\" \\\xe9");
	assert_int_equal(journal.events[1].tenant.service, SIMGPU_QOS);
	assert_int_equal(journal.events[1].tenant.target_ppm, 800000);
	assert_int_equal(journal.events[3].launch.sequence, U64_MAX);
	assert_int_equal(journal.events[3].launch.checksum, U32_MAX);
	assert_int_equal(journal.events[3].launch.not_before, 77);
	assert_int_equal(journal.events[4].kind, JOURNAL_TENANT);
	assert_int_equal(journal.events[4].tenant.weight, 5);
	assert_string_equal(journal.events[5].name, "even");
	assert_string_equal(journal.events[7].name, "c1");
	assert_int_equal(journal.events[7].value, 3);
	assert_int_equal(journal.events[8].epoch_cycles, 10000);
	assert_int_equal(journal.events[9].kind, JOURNAL_LEAVE);
	assert_int_equal(journal.events[9].cycle, 1204000);
	assert_int_equal(journal.lost, 0);
	assert_int_equal(journal.end_cycle, 5000000);
	assert_int_equal(journal.state_hash, 0x90cf2aa3bb1f2d11ULL);
	offline_free_journal(&journal);
}

/* Put @with in the place of the first @what. */
static char *edit(const char *what, const char *with)
{
	char *text = calloc(1, sizeof(good) + strlen(with));
	const char *at = strstr(good, what);

	assert_non_null(at);
	memcpy(text, good, (size_t)(at - good));
	strcat(text, with);
	strcat(text, at + strlen(what));
	return text;
}

static void expect_bad_line(const char *what, const char *with, u32 line)
{
	struct offline_journal_error error;
	struct offline_journal journal;
	char *text = edit(what, with);

	assert_int_equal(offline_parse_journal(text, &offline_names,
						       &journal, &error),
			 -EINVAL);
	assert_int_equal(error.line, line);
	assert_true(*error.reason);
	assert_null(journal.events);
	free(text);
}

static void journals_may_say_how_sms_change_hands(void **state)
{
	static const char *const words[] = { "drain", "switch", "adaptive" };
	u32 i;

	for (i = 0; i <= SESSION_PREEMPTION_ADAPTIVE; i++) {
		struct offline_journal_error error;
		struct offline_journal journal;
		char with[32];
		char *text;

		snprintf(with, sizeof(with), "preemption=%s", words[i]);
		text = edit("preemption=switch", with);
		assert_int_equal(offline_parse_journal(text, &offline_names,
						       &journal, &error),
				 0);
		assert_int_equal(journal.options.preemption, i);
		offline_free_journal(&journal);
		free(text);
	}
}

static void bad_journals_are_refused(void **state)
{
	expect_bad_line("start", "begin", 1);
	expect_bad_line("0 start", "1 start", 1);
	expect_bad_line("version=3", "version=2", 1);
	expect_bad_line("version=3", "version=4", 1);
	expect_bad_line("hbm80", "hbm81", 1);
	expect_bad_line("model=\"hsm\"", "model=hsm", 1);
	expect_bad_line("hsm-fair", "nobody", 1);
	expect_bad_line("kernel_end=carry", "kernel_end=maybe", 1);
	expect_bad_line("relaunch=1", "relaunch=2", 1);
	expect_bad_line("preemption=switch", "preemption=maybe", 1);
	expect_bad_line("preemption=switch", "preemption=\"switch\"", 1);
	expect_bad_line("policy_source=built-in", "policy_source=plug-in", 1);
	expect_bad_line("model_checksum=0x00000000", "model_checksum=0x1", 1);
	expect_bad_line("fair_threshold=900000", "fair_threshold=1000001", 1);
	expect_bad_line("policy.fair_threshold", "policy.threshold", 1);
	expect_bad_line("hold_cycles=50000000", "hold_cycles=7", 1);
	expect_bad_line("gang_size=2", "gang_size=65", 1);
	expect_bad_line("seed=7", "seed=-7", 1);
	expect_bad_line("seed=7", "seed=0x7", 1);
	expect_bad_line("seed=7", "seed=18446744073709551616", 1);
	expect_bad_line(" seed=7", "", 1);
	expect_bad_line(" seed=7", "  seed=7", 1);
	expect_bad_line("slot=0", "slot=64", 2);
	expect_bad_line("\"PVC\"", "\"PVC", 2);
	expect_bad_line("weight=1 ", "weight=0 ", 2);
	expect_bad_line("\"PVC\"", "\"0123456789012345678901234567890X\"", 2);
	expect_bad_line("\\x22", "\\n", 3);
	expect_bad_line("\\x22", "\\x2", 3);
	expect_bad_line("\\x22", "\\x00", 3);
	expect_bad_line("0x1c291ca3", "1c291ca3", 4);
	expect_bad_line("9 tenant", "9 renamed", 6);
	expect_bad_line("10 model", "8 model", 8);
	expect_bad_line("leave slot=1", "leave", 11);
	expect_bad_line("leave slot=1", "leave slot", 11);
	expect_bad_line("leave slot=1\n", "leave slot=1\n\n", 12);
	expect_bad_line("5000000 end", "end", 12);
	expect_bad_line("2d11\n", "2d11", 12);
	expect_bad_line("2d11\n", "2d11\n5000000 leave slot=0\n", 13);
	expect_bad_line("5000000 end state_hash=0x90cf2aa3bb1f2d11\n", "", 11);
}

/* Cut anywhere, a journal is refused, and nothing past its end is read. */
static void cut_journals_are_refused(void **state)
{
	size_t length;

	for (length = 0; length < sizeof(good) - 1; length++) {
		struct offline_journal_error error;
		struct offline_journal journal;
		char *text = malloc(length + 1);

		memcpy(text, good, length);
		text[length] = '\0';
		assert_int_equal(offline_parse_journal(text, &offline_names,
						       &journal, &error),
				 -EINVAL);
		free(text);
	}
}

static void lost_events_are_told(void **state)
{
	struct offline_journal_error error;
	struct offline_journal journal;
	char *text = edit("5000000 end", "5000000 lost events=12\n5000000 end");

	assert_int_equal(offline_parse_journal(text, &offline_names,
						       &journal, &error), 0);
	assert_int_equal(journal.lost, 12);
	offline_free_journal(&journal);
	free(text);
}

/* A gang that lives through a death; its journal in the parsed form. */
static void live(const struct offline_experiment *e,
		 struct offline_journal *journal)
{
	struct session *session = session_of(e, true);
	const struct journal_event *events;
	u64 lost;
	u32 slot;

	for (slot = 0; slot < e->count; slot++)
		enter(session, e, slot);
	session_run(session, 23456);
	session_leave(session, 1);
	session_run(session, STOP);
	memset(journal, 0, sizeof(*journal));
	journal->options = *session_options(session);
	events = journal_of(session, &journal->count, &lost);
	journal->events = malloc(journal->count * sizeof(*events));
	memcpy(journal->events, events, journal->count * sizeof(*events));
	journal->end_cycle = session_now(session);
	journal->state_hash = session_state_hash(session);
	session_destroy(session);
}

static void journals_are_repeated(void **state)
{
	const struct trace *traces[] = { brief, computing, random_reads };
	struct offline_experiment *e = experiment_new();
	struct offline_result *result = malloc(sizeof(*result));
	struct offline_journal journal;
	struct told told;
	struct offline_observer observer = observe(&told);
	u32 failed;

	live(e, &journal);
	assert_int_equal(offline_replay(&journal, traces, 3, &built_in, 1,
					&observer, result, &failed), 0);
	assert_int_equal(result->cycle, STOP);
	assert_int_equal(result->state_hash, journal.state_hash);
	assert_int_equal(told.tenants, 3);
	assert_int_equal(told.left, 1);
	assert_true(result->reports[1].counters.thread_instructions);
	/* Without the trace of slot 1, the second launch cannot be. */
	assert_int_equal(offline_replay(&journal, traces, 2, &built_in, 1,
					&nobody, result, &failed), -ENOENT);
	assert_int_equal(journal.events[failed].kind, JOURNAL_LAUNCH);
	assert_int_equal(journal.events[failed].slot, 1);
	/* A gang of another size does not start at cycle 0. */
	journal.options.gang_size = 4;
	assert_int_equal(offline_replay(&journal, traces, 3, &built_in, 1,
					&nobody, result, &failed), -EINVAL);
	assert_int_equal(journal.events[failed].kind, JOURNAL_LEAVE);
	offline_free_journal(&journal);
	free(result);
	free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_those_of_a_session),
		cmocka_unit_test(bad_experiments_are_refused),
		cmocka_unit_test(private_runs_are_exact),
		cmocka_unit_test(private_runs_end_with_the_trace),
		cmocka_unit_test(journals_are_read),
		cmocka_unit_test(journals_may_say_how_sms_change_hands),
		cmocka_unit_test(bad_journals_are_refused),
		cmocka_unit_test(cut_journals_are_refused),
		cmocka_unit_test(lost_events_are_told),
		cmocka_unit_test(journals_are_repeated),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("offline", tests, make_traces,
					   free_traces);
}

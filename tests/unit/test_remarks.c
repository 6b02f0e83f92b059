// SPDX-License-Identifier: GPL-2.0
/* What a policy tells of itself: gauges and notes, which change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/rows.h"
#include "bench.h"

enum {
	SHARE,
	CALLS,
};

/* What the policy does at its calls, from 1 on. */
static struct {
	u32 calls;
	u32 silent_from;	/* sets no gauge any more */
	u32 fails_at;
	u32 notes;		/* of each call */
	bool garbage;		/* texts without an end, counts without bounds */
	bool kept;		/* it found each gauge as SIMGPU_KEEP_GAUGE */
} talk;

/* The notes that the session told. */
static struct session_notes told;

static void write_notes(struct simgpu_proposal *proposal)
{
	u32 i;

	for (i = 0; i < talk.notes; i++)
		simgpu_note(proposal, "call and number:", talk.calls, -(s64)i);
	if (!talk.garbage)
		return;
	memset(proposal->notes[0].text, 'x', sizeof(proposal->notes[0].text));
	proposal->notes[0].text[3] = '\n';
	proposal->notes[0].text[4] = (char)0xe4;
	proposal->notes[0].count = U32_MAX;
}

static int talk_decide(const struct simgpu_snapshot *snapshot, void *state,
		       struct simgpu_proposal *proposal)
{
	u32 slot;

	talk.calls++;
	talk.kept = proposal->gauges[0][CALLS] == SIMGPU_KEEP_GAUGE &&
		    proposal->gauges[SIMGPU_SLOTS_MAX - 1][SHARE] == SIMGPU_KEEP_GAUGE &&
		    !proposal->note_count;
	for (slot = 0; slot < 2; slot++) {
		if (talk.silent_from && talk.calls >= talk.silent_from)
			break;
		proposal->gauges[slot][SHARE] = -250000 - (s64)slot;
		proposal->gauges[slot][CALLS] = talk.calls;
	}
	write_notes(proposal);
	return talk.calls == talk.fails_at ? -EIO : 0;
}

static const struct simgpu_gauge gauges[] = {
	[SHARE] = { "share", SIMGPU_UNIT_RATIO, "a ratio" },
	[CALLS] = { "calls", SIMGPU_UNIT_NUMBER, "calls so far" },
	{ .name = NULL }
};

static const struct simgpu_policy talking = {
	.name = "talk", .gauges = gauges, .decide = talk_decide,
};

/* Of the same name, since the hash has that. */
static int say_nothing(const struct simgpu_snapshot *snapshot, void *state,
		       struct simgpu_proposal *proposal)
{
	return 0;
}

static const struct simgpu_policy quiet = { .name = "talk", .decide = say_nothing };

static void on_note(void *context, const struct session_note *note)
{
	session_notes_add(&told, note);
}

/* A bench whose policy talks; what @talk has besides is set afterwards. */
static struct bench *bench_talking(const struct simgpu_policy *policy, u64 takes)
{
	struct bench *bench = malloc(sizeof(*bench));

	memset(&talk, 0, sizeof(talk));
	memset(&told, 0, sizeof(told));
	bench_options(bench, 2);
	bench->options.policy = policy;
	bench->options.decision_cycles = takes;
	bench->hooks.note = on_note;
	session_default_params(&bench->options);
	bench_start(bench);
	return bench;
}

/* --- gauges --- */

static void gauges_are_told_and_kept(void **state)
{
	struct bench *bench = bench_talking(&talking, 0);
	struct simgpu_epoch_record record;
	const struct session_epoch *epoch;

	talk.silent_from = 3;
	launch_gang(bench);
	session_run(bench->session, ALL_AT_ONCE);
	assert_true(bench->epoch_count >= 5);
	assert_true(talk.kept);
	epoch = &bench->epochs[1];
	assert_int_equal(epoch->gauge_count, 2);
	assert_string_equal(epoch->gauges[SHARE].name, "share");
	assert_int_equal(epoch->gauges[SHARE].unit, SIMGPU_UNIT_RATIO);
	assert_string_equal(epoch->gauges[CALLS].name, "calls");
	/* That of an epoch's end is in its row; what is not set again stays. */
	assert_int_equal(bench->epochs[0].tenants[1].gauges[CALLS], 1);
	assert_int_equal(epoch->tenants[1].gauges[CALLS], 2);
	assert_int_equal(bench->epochs[4].tenants[1].gauges[CALLS], 2);
	assert_int_equal(epoch->tenants[1].gauges[SHARE], -250001);
	row_epoch(epoch, &epoch->tenants[1], &record);
	assert_int_equal(record.gauge_count, 2);
	assert_int_equal(record.gauges[SHARE], -250001);
	assert_int_equal(record.gauges[CALLS], 2);
	bench_free(bench);
}

/* A policy that failed has none any more; what it said in the failing call is told. */
static void a_failure_ends_gauges(void **state)
{
	struct bench *bench = bench_talking(&talking, 0);

	talk.fails_at = 2;
	talk.notes = 1;
	launch_gang(bench);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_DECIDE);
	assert_int_equal(bench->epochs[0].gauge_count, 2);
	assert_int_equal(bench->epochs[1].gauge_count, 0);
	assert_int_equal(bench->epochs[1].tenants[0].gauges[CALLS], 0);
	assert_int_equal(told.count, 2);
	assert_int_equal(told.at[1].cycle, session_last_refusal(bench->session)->cycle);
	bench_free(bench);
}

/* Whoever comes to a slot does not find the gauges of the tenant before it. */
static void a_slot_begins_anew(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));

	memset(&talk, 0, sizeof(talk));
	bench_options(bench, 0);
	bench->options.policy = &talking;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, EPOCH + EPOCH / 2);
	assert_int_equal(bench->epochs[0].tenants[1].gauges[CALLS], 1);
	talk.silent_from = 1;
	session_leave(bench->session, 1);
	join(bench, 1);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(bench->epochs[bench->epoch_count - 1].tenants[1].slot, 1);
	assert_int_equal(bench->epochs[bench->epoch_count - 1].tenants[1].gauges[CALLS], 0);
	assert_int_equal(bench->epochs[bench->epoch_count - 1].tenants[0].gauges[CALLS], 1);
	bench_free(bench);
}

static u64 hash_in_flight(const struct simgpu_policy *policy)
{
	struct bench *bench = bench_talking(policy, 5000);
	u64 hash;

	talk.notes = 6;
	launch_gang(bench);
	/* A proposal is pending, which is hashed. */
	run_in_steps(bench, EPOCH + 1000, EPOCH);
	hash = session_state_hash(bench->session);
	run_in_steps(bench, 3 * EPOCH, EPOCH);
	hash ^= session_state_hash(bench->session) << 1;
	bench_free(bench);
	return hash;
}

static void the_state_has_no_remarks(void **state)
{
	u64 hash = hash_in_flight(&talking);

	assert_true(talk.calls >= 2 && told.count >= 8);
	assert_true(hash == hash_in_flight(&quiet));
}

static void bad_tables_are_refused(void **state)
{
	static const struct simgpu_gauge bad[][3] = {
		{ { "Upper", SIMGPU_UNIT_NUMBER, "" } },
		{ { "", SIMGPU_UNIT_NUMBER, "" } },
		{ { "two words", SIMGPU_UNIT_NUMBER, "" } },
		{ { "unit", SIMGPU_UNIT_CYCLES + 1, "" } },
		{ { "twice", 0, "" }, { "twice", 0, "" } },
		{ { "a_name_that_is_32_characters_long", 0, "" } },
	};
	struct simgpu_gauge many[SIMGPU_GAUGES_MAX + 2] = { { .name = NULL } };
	static char names[SIMGPU_GAUGES_MAX + 1][4];
	struct simgpu_policy policy = talking;
	u32 i;

	assert_true(policy_is_good(&policy));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		policy.gauges = bad[i];
		assert_false(policy_is_good(&policy));
	}
	policy.gauges = many;
	for (i = 0; i <= SIMGPU_GAUGES_MAX; i++) {
		assert_true(policy_is_good(&policy));
		snprintf(names[i], sizeof(names[i]), "g%u", i);
		many[i].name = names[i];
	}
	assert_false(policy_is_good(&policy));
}

static void values_are_decimals(void **state)
{
	char text[SESSION_GAUGE_TEXT_BYTES];

	session_gauge_text(SIMGPU_UNIT_RATIO, -1500000, text);
	assert_string_equal(text, "-1.500000");
	session_gauge_text(SIMGPU_UNIT_RATIO, 7, text);
	assert_string_equal(text, "0.000007");
	session_gauge_text(SIMGPU_UNIT_CYCLES, -3, text);
	assert_string_equal(text, "-3");
	session_gauge_text(SIMGPU_UNIT_RATIO, SIMGPU_KEEP_GAUGE, text);
	assert_string_equal(text, "-9223372036854.775808");
}

/* --- notes --- */

static void notes_have_their_cycle(void **state)
{
	struct bench *bench = bench_talking(&talking, 0);
	char text[SESSION_NOTE_TEXT_BYTES];

	talk.notes = SIMGPU_NOTES_MAX + 3;
	launch_gang(bench);
	session_run(bench->session, 2 * EPOCH + EPOCH / 2);
	assert_int_equal(told.count, 2 * SIMGPU_NOTES_MAX);
	assert_int_equal(told.at[0].cycle, EPOCH);
	assert_int_equal(told.at[SIMGPU_NOTES_MAX].cycle, 2 * EPOCH);
	session_note_text(&told.at[SIMGPU_NOTES_MAX + 1], text);
	assert_string_equal(text, "call and number: 2 -1");
	/* The last that had room says how many had none. */
	assert_int_equal(told.at[SIMGPU_NOTES_MAX - 2].dropped, 0);
	session_note_text(&told.at[SIMGPU_NOTES_MAX - 1], text);
	assert_string_equal(text, "call and number: 1 -3 (3 more were dropped)");
	bench_free(bench);
}

/* Whatever bytes a policy writes: what people see is one line. */
static void notes_are_printable(void **state)
{
	struct bench *bench = bench_talking(&talking, 0);
	char text[SESSION_NOTE_TEXT_BYTES];
	size_t i;

	talk.notes = 1;
	talk.garbage = true;
	launch_gang(bench);
	session_run(bench->session, EPOCH + EPOCH / 2);
	session_note_text(&told.at[0], text);
	assert_memory_equal(text, "xxx??x", 6);
	assert_int_equal(told.at[0].said.count, SIMGPU_NOTE_NUMBERS);
	assert_int_equal(strlen(told.at[0].said.text), SIMGPU_NOTE_BYTES - 1);
	for (i = 0; text[i]; i++)
		assert_in_range(text[i], ' ', '~');
	bench_free(bench);
}

static void the_last_notes_are_kept(void **state)
{
	struct session_note note = { .cycle = 0 };
	u64 first;

	memset(&told, 0, sizeof(told));
	assert_int_equal(session_notes_first(&told), told.count);
	for (note.cycle = 0; note.cycle < SESSION_NOTES_KEPT + 10; note.cycle++)
		session_notes_add(&told, &note);
	first = session_notes_first(&told);
	assert_int_equal(told.count - first, SESSION_NOTES_KEPT);
	assert_int_equal(told.at[first % SESSION_NOTES_KEPT].cycle, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gauges_are_told_and_kept),
		cmocka_unit_test(a_failure_ends_gauges),
		cmocka_unit_test(a_slot_begins_anew),
		cmocka_unit_test(the_state_has_no_remarks),
		cmocka_unit_test(bad_tables_are_refused),
		cmocka_unit_test(values_are_decimals),
		cmocka_unit_test(notes_have_their_cycle),
		cmocka_unit_test(notes_are_printable),
		cmocka_unit_test(the_last_notes_are_kept),
	};

	return cmocka_run_group_tests_name("remarks", tests, make_traces, free_traces);
}

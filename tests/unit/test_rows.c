// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of the UAPI: each figure of a session is in its place, each flag stands for one
 * thing, and what people read is written as it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/session/rows.h"

/* --- refusals --- */

static struct session_refusal refusal(u32 slot, u32 sm, const char *field)
{
	struct session_refusal why = {
		.kind = SESSION_REFUSED_PROPOSAL, .code = -EINVAL,
		.slot = slot, .sm = sm, .cycle = 12345,
		.reason = "it is so",
	};

	strcpy(why.field, field);
	return why;
}

static void refusals_cross_the_border_both_ways(void **state)
{
	struct session_refusal why = refusal(3, 4, "sms"), back;
	struct simgpu_refusal row;

	memset(why.field, 'f', sizeof(why.field));
	memset(why.reason, 'r', sizeof(why.reason));
	memset(&row, 0xff, sizeof(row));
	memset(&back, 0xff, sizeof(back));
	row_refusal(&why, &row);
	assert_int_equal(row.kind, SIMGPU_REFUSAL_PROPOSAL);
	assert_int_equal(row.code, -EINVAL);
	assert_int_equal(row.slot, 3);
	assert_int_equal(row.sm, 4);
	assert_int_equal(row.cycle, 12345);
	assert_memory_equal(row.field, why.field, sizeof(row.field));
	assert_memory_equal(row.reason, why.reason, sizeof(row.reason));
	row_refusal_read(&row, &back);
	assert_memory_equal(&back, &why, sizeof(back));
}

static void refusals_are_said_in_words(void **state)
{
	const struct {
		struct session_refusal why;
		const char *words;
	} cases[] = {
		{ { .kind = SESSION_REFUSED_NOTHING, .reason = "x" }, "none" },
		{ refusal(SESSION_NOWHERE, SESSION_NOWHERE, "flags"),
		  "proposal: flags: it is so (cycle 12345)" },
		{ refusal(0, SESSION_NOWHERE, "sms"),
		  "proposal: sms: it is so (slot 0, cycle 12345)" },
		{ refusal(SESSION_NOWHERE, 0, "owner"),
		  "proposal: owner: it is so (SM 0, cycle 12345)" },
		{ refusal(63, 127, "sms"),
		  "proposal: sms: it is so (slot 63, SM 127, cycle 12345)" },
		{ refusal(SESSION_NOWHERE, SESSION_NOWHERE, ""),
		  "proposal: it is so (cycle 12345)" },
	};
	char text[ROW_REFUSAL_BYTES];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(row_refusal_words(&cases[i].why, text),
				 strlen(cases[i].words));
		assert_string_equal(text, cases[i].words);
	}
}

static void each_kind_of_refusal_has_a_name(void **state)
{
	static const char *const kinds[] = {
		"none", "decide", "proposal", "hold", "slow", "predict", "param",
		"constants", "gone", "memory",
	};
	u32 i;

	assert_int_equal(ARRAY_SIZE(kinds), SESSION_REFUSED_KINDS);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		assert_string_equal(session_refusal_names[i], kinds[i]);
}

/* --- lists --- */

static void sets_are_written_as_lists(void **state)
{
	static const struct {
		u64 words[SESSION_MASK_WORDS];
		const char *list;
	} cases[] = {
		{ { 0, 0 }, "" }, { { 1, 0 }, "0" }, { { 3, 0 }, "0-1" },
		{ { 5, 0 }, "0,2" }, { { 0xfffffffff, 1 }, "0-35,64" },
		{ { 1ULL << 63, 1 }, "63-64" }, { { 1ULL << 63, 0 }, "63" },
		{ { 0, 1ULL << 63 }, "127" }, { { 0, 3ULL << 62 }, "126-127" },
		{ { U64_MAX, U64_MAX }, "0-127" }, { { U64_MAX, 0 }, "0-63" },
		{ { 0x16, 0 }, "1-2,4" }, { { 0, 1ULL << 63, 0xf }, "127-131" },
		{ { 0, 0, 0, 0, 1 << 12, 0, 0, 1ULL << 63 }, "268,511" },
	};
	char text[ROW_SM_LIST_BYTES];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(row_sm_list(cases[i].words, text),
				 strlen(cases[i].list));
		assert_string_equal(text, cases[i].list);
	}
	/* Of one word, what is behind it counts for nothing. */
	assert_int_equal(row_bit_list(1ULL << 63 | 0xb, text), 8);
	assert_string_equal(text, "0-1,3,63");
	assert_int_equal(row_bit_list(0, text), 0);
	assert_string_equal(text, "");
}

static void the_longest_list_has_room(void **state)
{
	const u64 pairs[SESSION_MASK_WORDS] = {
		0xb6db6db6db6db6dbULL, 0xdb6db6db6db6db6dULL,
		0x6db6db6db6db6db6ULL, 0xb6db6db6db6db6dbULL,
		0xdb6db6db6db6db6dULL, 0x6db6db6db6db6db6ULL,
		0xb6db6db6db6db6dbULL, 0xdb6db6db6db6db6dULL,
	};
	char text[ROW_SM_LIST_BYTES];
	size_t length = row_sm_list(pairs, text);

	assert_int_equal(length, strlen(text));
	assert_int_equal(length, 1293);
	assert_string_equal(text + length - 8, ",510-511");
}

static void states_of_queues_have_names(void **state)
{
	assert_string_equal(row_queue_state(SIMGPU_QUEUE_EMPTY), "empty");
	assert_string_equal(row_queue_state(SIMGPU_QUEUE_WAITING), "waiting");
	assert_string_equal(row_queue_state(SIMGPU_QUEUE_READY), "ready");
	assert_string_equal(row_queue_state(SIMGPU_QUEUE_RUNNING), "running");
	assert_string_equal(row_queue_state(SIMGPU_QUEUE_RUNNING + 1), "unknown");
}

/* --- rows --- */

/* Each 8 bytes another number, so that none stands for another. */
static void number(void *out, size_t bytes)
{
	u64 *words = out;
	u32 i;

	assert_int_equal(bytes % sizeof(u64), 0);
	for (i = 0; i < bytes / sizeof(u64); i++)
		words[i] = (i + 1) * 0x100000001ULL;
}

static void epochs_are_rows(void **state)
{
	struct session_epoch epoch = {
		.index = 1, .start_cycle = 2, .end_cycle = 3,
	};
	struct session_epoch_tenant row = { .class = SIMGPU_CLASS_COMPUTE };
	struct simgpu_epoch_record out;

	row.slot = 4;
	row.sms = 5;
	row.sms_next = 6;
	row.np_ppm = 7;
	number(&row.figures, sizeof(row.figures));
	row.goal_ipc_ppm = 8;
	row.alpha_ppm = 9;
	row.quota = 10;
	row.blocks = 11;
	memset(&out, 0xff, sizeof(out));
	row_epoch(&epoch, &row, &out);
	assert_int_equal(out.size, sizeof(out));
	assert_int_equal(out.epoch, 1);
	assert_int_equal(out.start_cycle, 2);
	assert_int_equal(out.end_cycle, 3);
	assert_int_equal(out.slot, 4);
	assert_int_equal(out.sms, 5);
	assert_int_equal(out.sms_next, 6);
	assert_int_equal(out.class, SIMGPU_CLASSIFIED_COMPUTE);
	assert_int_equal(out.np_ppm, 7);
	assert_int_equal(out.ipc_ppm, row.figures.ipc_ppm);
	assert_int_equal(out.rbh_ppm, row.figures.rbh_ppm);
	assert_int_equal(out.bandwidth_ppm, row.figures.bandwidth_ppm);
	assert_int_equal(out.llc_mpki_ppm, row.figures.llc_mpki_ppm);
	assert_int_equal(out.goal_ipc_ppm, 8);
	assert_int_equal(out.alpha_ppm, 9);
	assert_int_equal(out.quota, 10);
	assert_int_equal(out.blocks, 11);
	assert_int_equal(out.flags, 0);
	/* Nobody predicted: the number means nothing. */
	row.class = SIMGPU_CLASS_UNKNOWN;
	row.first_run = true;
	row_epoch(&epoch, &row, &out);
	assert_int_equal(out.np_ppm, 0);
	assert_int_equal(out.flags, SIMGPU_EPOCH_FIRST_RUN);
	epoch.predicted = true;
	row.first_run = false;
	row_epoch(&epoch, &row, &out);
	assert_int_equal(out.flags, SIMGPU_EPOCH_PREDICTED);
	epoch.fell_back = true;
	row_epoch(&epoch, &row, &out);
	assert_int_equal(out.flags,
			 SIMGPU_EPOCH_PREDICTED | SIMGPU_EPOCH_FELL_BACK);
}

static struct session_tenant_report numbered(void)
{
	struct session_tenant_report report;

	memset(&report, 0, sizeof(report));
	report.sms = 41;
	report.shared_sms = 42;
	report.class = SIMGPU_CLASS_MEMORY;
	report.np_ppm = 43;
	report.np_run.run_ppm = 44;
	number(&report.figures, sizeof(report.figures));
	report.goal.ipc_ppm = 45;
	report.goal.cycles = 46;
	report.goal.instructions = 47;
	report.goal.promised = 48;
	number(&report.quota, sizeof(report.quota));
	number(&report.shares, offsetof(struct session_shares, blocks));
	report.shares.blocks = 49;
	report.shares.quota_left = -50;
	number(&report.masks, sizeof(report.masks));
	number(&report.latency, sizeof(report.latency));
	report.shares.bounded = false;
	report.energy_pj = 51;
	report.waiting = 52;
	report.queue_count = 2;
	report.queue[1] = (struct session_queue_report) {
		.state = SESSION_QUEUE_RUNNING, .priority = -2, .waiting = 53,
		.kernel = 54,
	};
	report.queue[2].waiting = 55;
	report.leapt_error_ppm = 56;
	report.preemption = (struct times_figures) { .mean_ns = 62, .p99_ns = 63 };
	report.first_tokens = (struct times_figures) { 64, 65, 66, 67 };
	report.tokens = (struct times_figures) { 68, 69, 70, 71 };
	report.batch_ppm = 72;
	report.copies = (struct session_copies) {
		73, 74, 75, 76, 77, { .mean_ns = 78, .p99_ns = 79 },
	};
	report.passed = (struct session_passed) { 57, { 58, 59 }, { 60, 61 } };
	return report;
}

static void expect_figures(const struct session_tenant_report *report,
			   const struct simgpu_tenant_report *out)
{
	const struct latency_figures *latency = &report->latency;

	assert_int_equal(out->thread_instructions,
			 report->figures.thread_instructions);
	assert_int_equal(out->cycles, report->figures.cycles);
	assert_int_equal(out->ipc_ppm, report->figures.ipc_ppm);
	assert_int_equal(out->rbh_ppm, report->figures.rbh_ppm);
	assert_int_equal(out->bandwidth_ppm, report->figures.bandwidth_ppm);
	assert_int_equal(out->llc_mpki_ppm, report->figures.llc_mpki_ppm);
	assert_int_equal(out->np_run_ppm, 44);
	assert_int_equal(out->launches, latency->launches);
	assert_int_equal(out->launches_waiting, 52);
	assert_int_equal(out->deadline_misses, latency->deadline_misses);
	assert_int_equal(out->goodput_ppm, latency->goodput_ppm);
	assert_int_equal(out->latency_p50_ns, latency->latency_p50_ns);
	assert_int_equal(out->latency_p95_ns, latency->latency_p95_ns);
	assert_int_equal(out->latency_p99_ns, latency->latency_p99_ns);
	assert_int_equal(out->wait_p50_ns, latency->wait_p50_ns);
	assert_int_equal(out->wait_p95_ns, latency->wait_p95_ns);
	assert_int_equal(out->wait_p99_ns, latency->wait_p99_ns);
	assert_int_equal(out->wait_mean_ns, latency->wait_mean_ns);
	assert_int_equal(out->run_mean_ns, latency->run_mean_ns);
	assert_int_equal(out->leapt_error_ppm, 56);
	assert_int_equal(out->preempt_mean_ns, 62);
	assert_int_equal(out->preempt_p99_ns, 63);
	assert_int_equal(out->launches_leapt, 57);
	assert_int_equal(out->latency_mean_low_ns, 58);
	assert_int_equal(out->latency_mean_high_ns, 59);
	assert_int_equal(out->latency_p99_low_ns, 60);
	assert_int_equal(out->latency_p99_high_ns, 61);
	assert_int_equal(out->first_tokens, 64);
	assert_int_equal(out->ttft_mean_ns, 65);
	assert_int_equal(out->ttft_p50_ns, 66);
	assert_int_equal(out->ttft_p99_ns, 67);
	assert_int_equal(out->tokens, 68);
	assert_int_equal(out->tbt_mean_ns, 69);
	assert_int_equal(out->tbt_p50_ns, 70);
	assert_int_equal(out->tbt_p99_ns, 71);
	assert_int_equal(out->batch_mean_ppm, 72);
	assert_int_equal(out->copies, 73);
	assert_int_equal(out->copy_bytes, 74);
	assert_int_equal(out->copies_waiting, 75);
	assert_int_equal(out->copies_running, 76);
	assert_int_equal(out->copy_bytes_left, 77);
	assert_int_equal(out->copy_wait_mean_ns, 78);
	assert_int_equal(out->copy_wait_p99_ns, 79);
}

static void reports_are_rows(void **state)
{
	struct session_tenant_report report = numbered();
	struct simgpu_tenant_report out;

	memset(&out, 0xff, sizeof(out));
	row_report(&report, &out);
	expect_figures(&report, &out);
	assert_int_equal(out.class, SIMGPU_CLASSIFIED_MEMORY);
	assert_int_equal(out.sms, 41);
	assert_int_equal(out.shared_sms, 42);
	assert_int_equal(out.np_ppm, 43);
	assert_int_equal(out.goal_ipc_ppm, 45);
	assert_int_equal(out.goal_cycles, 46);
	assert_int_equal(out.goal_instructions, 47);
	assert_int_equal(out.goal_promised, 48);
	assert_int_equal(out.quota, report.quota.last);
	assert_int_equal(out.quota_used_ppm, report.quota.used_ppm);
	assert_int_equal(out.blocks_per_sm_ppm, report.quota.blocks_ppm);
	assert_int_equal(out.idle_blocks_ppm, report.quota.idle_blocks_ppm);
	assert_memory_equal(out.own_sms, report.shares.own, sizeof(out.own_sms));
	assert_memory_equal(out.own_sms_more, report.shares.own + SIMGPU_SM_WORDS,
			    sizeof(out.own_sms_more));
	assert_memory_equal(out.sharing_sms, report.shares.shared,
			    sizeof(out.sharing_sms));
	assert_memory_equal(out.sharing_sms_more, report.shares.shared + SIMGPU_SM_WORDS,
			    sizeof(out.sharing_sms_more));
	assert_int_equal(out.blocks, 49);
	assert_int_equal(out.quota_left, -50);
	assert_int_equal(out.energy_pj, 51);
	assert_memory_equal(out.mask_sms, report.masks.sms, sizeof(out.mask_sms));
	assert_memory_equal(out.mask_sms_more, report.masks.sms + SIMGPU_SM_WORDS,
			    sizeof(out.mask_sms_more));
	assert_int_equal(out.mask_channels, report.masks.channels);
	assert_int_equal(out.mask_llc_ways, report.masks.llc_ways);
	assert_int_equal(out.queue_count, 2);
	assert_int_equal(out.queue[0].state, SIMGPU_QUEUE_EMPTY);
	assert_int_equal(out.queue[1].state, SIMGPU_QUEUE_RUNNING);
	assert_int_equal(out.queue[1].priority, -2);
	assert_int_equal(out.queue[1].waiting, 53);
	assert_int_equal(out.queue[1].kernel, 54);
	/* Behind the last one that it has used there is nothing. */
	assert_int_equal(out.queue[2].waiting, 0);
	assert_int_equal(out.flags, 0);
	report.class = SIMGPU_CLASS_UNKNOWN;
	row_report(&report, &out);
	assert_int_equal(out.np_ppm, 0);
}

static void each_flag_stands_for_one_thing(void **state)
{
	static const struct {
		size_t at;
		u32 flag;
	} flags[] = {
#define FLAG(field, flag) { offsetof(struct session_tenant_report, field), flag }
		FLAG(active, SIMGPU_REPORT_ACTIVE),
		FLAG(first_run_done, SIMGPU_REPORT_FIRST_RUN_DONE),
		FLAG(held, SIMGPU_REPORT_HELD),
		FLAG(waits_for_memory, SIMGPU_REPORT_WAITS_FOR_MEMORY),
		FLAG(waits_for_sms, SIMGPU_REPORT_WAITS_FOR_SMS),
		FLAG(goal.met, SIMGPU_REPORT_GOAL_MET),
		FLAG(shares.bounded, SIMGPU_REPORT_QUOTA),
		FLAG(energy_known, SIMGPU_REPORT_ENERGY),
	};
	struct simgpu_tenant_report out;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		struct session_tenant_report report = numbered();

		*(bool *)((char *)&report + flags[i].at) = true;
		row_report(&report, &out);
		assert_int_equal(out.flags, flags[i].flag);
	}
}

/* A figure has a name, an attribute and a place of its own. */
static void no_two_figures_are_one(void **state)
{
	const struct figure *figure, *other;

	assert_in_range(tenant_figure_count, 1, FIGURES_MAX);
	each_figure(figure) {
		bool truth = figure->unit == FIGURE_TRUTH;

		assert_int_equal(truth, figure->source_bytes == sizeof(bool));
		assert_int_equal(figure->unit == FIGURE_SMS,
				 figure->source_bytes == SESSION_SM_WORDS * sizeof(u64));
		assert_true(!!figure->flag ==
			    (truth || figure->known == KNOWN_WITH_FLAG));
		assert_int_not_equal(figure->netlink, 0);
		for (other = tenant_figures; other < figure; other++) {
			assert_string_not_equal(figure->name, other->name);
			assert_true(figure->netlink != other->netlink ||
				    figure->in_latency != other->in_latency);
			assert_true(figure->source != other->source);
			assert_true(truth || other->unit == FIGURE_TRUTH ||
				    figure->offset != other->offset);
		}
	}
}

static const struct figure *find_figure(const char *name)
{
	const struct figure *figure;

	each_figure(figure)
		if (!strcmp(figure->name, name))
			return figure;
	fail_msg("there is no %s", name);
	return NULL;
}

static void expect_text(const struct simgpu_tenant_report *report, const char *name,
			const char *expected)
{
	const struct figure *figure = find_figure(name);
	char text[ROW_SM_LIST_BYTES];

	assert_true(figure_is_known(figure, report));
	assert_int_equal(figure_text(figure, report, text), strlen(expected));
	assert_string_equal(text, expected);
}

/* In the units of sysfs and JSON. */
static void figures_are_told_in_their_units(void **state)
{
	const struct simgpu_tenant_report report = {
		.cycles = 1,
		.flags = SIMGPU_REPORT_QUOTA | SIMGPU_REPORT_ENERGY |
			 SIMGPU_REPORT_GOAL_MET,
		.sms = 7,
		.own_sms = { 7, 1 },
		.own_sms_more = { 0, 0, 0, 0, 0, 1ULL << 63 },
		.mask_channels = 0x8001,
		.ipc_ppm = 1500000,
		.goal_ipc_ppm = 1,
		.quota_left = -20,
		.energy_pj = 2500000000000ULL,
		.launches = 3,
		.latency_p99_ns = 12345,
	};

	expect_text(&report, "sms", "7");
	expect_text(&report, "sm_list", "0-2,64,511");
	expect_text(&report, "shared_sm_list", "");
	expect_text(&report, "channel_mask", "0,15");
	expect_text(&report, "ipc", "1.500000");
	expect_text(&report, "goal_ipc", "0.000001");
	expect_text(&report, "goal_met", "1");
	expect_text(&report, "held", "0");
	expect_text(&report, "quota_left", "-20");
	expect_text(&report, "energy_joules", "2.500000");
	expect_text(&report, "launches", "3");
	expect_text(&report, "latency_p99_us", "12.345");
}

/* What a report of zeros says, and what makes the rest known. */
static void figures_are_known_with_what_they_are_of(void **state)
{
	static const struct {
		struct simgpu_tenant_report report;
		u32 known;
		const char *name;
	} with[] = {
		{ { 0 }, 12, "sm_list" },
		{ { .cycles = 1 }, 16, "llc_mpki" },
		{ { .goal_ipc_ppm = 1 }, 16, "goal_met" },
		{ { .launches = 1 }, 21, "wait_p95_us" },
		{ { .quota_used_ppm = 1 }, 15, "idle_blocks" },
		{ { .quota = 1 }, 13, "quota" },
		{ { .flags = SIMGPU_REPORT_QUOTA }, 13, "quota_left" },
		{ { .flags = SIMGPU_REPORT_ENERGY }, 13, "energy_joules" },
		{ { .mask_sms = { 0, 1 } }, 13, "sm_mask" },
		{ { .mask_sms_more = { 0, 0, 0, 0, 0, 1 } }, 13, "sm_mask" },
		{ { .mask_llc_ways = 1 }, 13, "llc_way_mask" },
		{ { .latency_mean_low_ns = 1 }, 13, "latency_mean_low_us" },
		{ { .copies = 1 }, 19, "copies_waiting" },
		{ { .copies_waiting = 1 }, 19, "copies" },
		{ { .copies_running = 1 }, 19, "copy_wait_p99_us" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(with); i++) {
		const struct figure *figure;
		u32 known = 0;

		each_figure(figure)
			known += figure_is_known(figure, &with[i].report);
		assert_int_equal(known, with[i].known);
		assert_true(figure_is_known(find_figure(with[i].name),
					    &with[i].report));
		if (i)
			assert_false(figure_is_known(find_figure(with[i].name),
						     &with[0].report));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals_cross_the_border_both_ways),
		cmocka_unit_test(refusals_are_said_in_words),
		cmocka_unit_test(each_kind_of_refusal_has_a_name),
		cmocka_unit_test(sets_are_written_as_lists),
		cmocka_unit_test(the_longest_list_has_room),
		cmocka_unit_test(states_of_queues_have_names),
		cmocka_unit_test(epochs_are_rows),
		cmocka_unit_test(reports_are_rows),
		cmocka_unit_test(each_flag_stands_for_one_thing),
		cmocka_unit_test(no_two_figures_are_one),
		cmocka_unit_test(figures_are_told_in_their_units),
		cmocka_unit_test(figures_are_known_with_what_they_are_of),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The table of a session's settings: each row reaches its own member and no other, is
 * held to its range by sessions and journals, and fits into a gang's struct.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/simgpu.h>

#include "../../kmod/session/journal.h"
#include "../../kmod/session/settings.h"
#include "looking.h"

static bool is_unsaid(const struct session_setting *setting, u64 value)
{
	return !(setting->flags & SESSION_SETTING_JOURNAL) ||
	       (!value && setting->flags & SESSION_SETTING_UNSAID_0);
}

/* Bytes that two structs have different. */
static size_t bytes_apart(const void *a, const void *b, size_t count)
{
	const unsigned char *x = a, *y = b;
	size_t apart = 0;

	while (count--)
		apart += *x++ != *y++;
	return apart;
}

static void rows_reach_their_own_members(void **state)
{
	struct session_options zero, options;
	struct simgpu_gang_create none, gang;

	session_for_each_setting(setting) {
		u64 all = setting->bytes == 8 ? U64_MAX :
			  setting->bytes == 4 ? U32_MAX : 1;
		size_t apart = setting->bytes == 1 ? 1 : setting->bytes;

		memset(&zero, 0, sizeof(zero));
		memset(&options, 0, sizeof(options));
		session_setting_set(setting, &options, all);
		assert_int_equal(session_setting_get(setting, &options), all);
		assert_int_equal(bytes_apart(&zero, &options, sizeof(zero)),
				 apart);
		if (!setting->gang)
			continue;
		memset(&none, 0, sizeof(none));
		memset(&gang, 0, sizeof(gang));
		session_setting_to_gang(setting, &gang, all);
		assert_int_equal(session_setting_of_gang(setting, &gang), all);
		assert_int_equal(bytes_apart(&none, &gang, sizeof(none)), apart);
	}
}

static void no_two_rows_share_a_member(void **state)
{
	session_for_each_setting(a) {
		session_for_each_setting(b) {
			if (a == b)
				continue;
			assert_string_not_equal(a->name, b->name);
			assert_int_not_equal(a->offset, b->offset);
			assert_true(!a->gang || a->gang != b->gang);
			assert_true(!a->netlink || a->netlink != b->netlink);
			assert_true(!a->option || !b->option ||
				    strcmp(a->option, b->option));
			assert_true(!a->key || a->key != b->key);
		}
	}
}

static void the_members_are_those_of_their_names(void **state)
{
	struct session_options options = {
		.seed = 1, .epoch_cycles = 2, .stop_cycle = 3, .relaunch = true,
		.kernel_end = SESSION_KERNEL_END_CHANGED, .gang_size = 4,
		.sms_most = 5, .preemption = SESSION_PREEMPTION_SWITCH,
		.hold_cycles = 6, .decision_cycles = 7, .counter_noise = 8,
		.counter_delay = 9, .sampled = 10,
	};
	static const struct {
		const char *name;
		u64 value;
	} known[] = {
		{ "seed", 1 }, { "epoch_cycles", 2 }, { "stop_cycle", 3 },
		{ "relaunch", 1 }, { "kernel_end", 2 }, { "preemption", 1 },
		{ "hold_cycles", 6 }, { "gang_size", 4 }, { "sms_most", 5 },
		{ "decision_cycles", 7 }, { "counter_noise", 8 },
		{ "counter_delay", 9 }, { "sampled", 10 },
	};
	u32 found = 0, i;

	session_for_each_setting(setting) {
		for (i = 0; i < ARRAY_SIZE(known); i++) {
			if (strcmp(known[i].name, setting->name))
				continue;
			found++;
			assert_int_equal(session_setting_get(setting, &options),
					 known[i].value);
		}
	}
	assert_int_equal(found, ARRAY_SIZE(known));
	assert_string_equal(session_settings[SESSION_SETTING_EPOCH_CYCLES].name,
			    "epoch_cycles");
}

/* Whether a session begins with this value of one setting. */
static bool begins_with(const struct session_setting *setting, u64 value)
{
	static const struct session_hooks none;
	struct session *session;
	static struct bench bench;

	bench_options(&bench, 0);
	bench.options.stop_cycle = 1000000;
	session_default_params(&bench.options);
	session_setting_set(setting, &bench.options, value);
	if (session_create(&session, &bench.options, &none))
		return false;
	session_destroy(session);
	return true;
}

static void sessions_keep_to_the_ranges(void **state)
{
	session_for_each_setting(setting) {
		u64 all = setting->bytes == 8 ? U64_MAX :
			  setting->bytes == 4 ? U32_MAX : 1;

		assert_true(begins_with(setting, setting->least));
		assert_true(begins_with(setting, setting->most));
		if (setting->most < all)
			assert_false(begins_with(setting, setting->most + 1));
		if (setting->least > 1)
			assert_false(begins_with(setting, setting->least - 1));
		if (setting->least)
			assert_int_equal(begins_with(setting, 0),
					 !!(setting->flags &
					    SESSION_SETTING_OR_0));
	}
}

static void initial_values_are_in_their_ranges(void **state)
{
	struct session_options options = { .gang_size = 0 };

	assert_false(session_settings_fit(&options));
	session_settings_begin(session_settings, session_settings_count,
			       &options);
	assert_true(session_settings_fit(&options));
	session_for_each_setting(setting)
		assert_int_equal(session_setting_get(setting, &options),
				 setting->initial);
	assert_int_equal(options.hold_cycles, SESSION_HOLD_CYCLES_DEFAULT);
	options.hold_cycles = 0;
	session_settings_complete(&options);
	assert_int_equal(options.hold_cycles, SESSION_HOLD_CYCLES_DEFAULT);
}

static void copies_are_of_all_rows(void **state)
{
	struct session_options from = { .gang_size = 0 }, to = from;

	session_for_each_setting(setting)
		session_setting_set(setting, &from, setting->most);
	session_settings_copy(&to, &from);
	session_for_each_setting(setting)
		assert_int_equal(session_setting_get(setting, &to),
				 setting->most);
}

static const struct simgpu_model *hsm(const char *name)
{
	return !strcmp(name, "hsm") ? &model_hsm : NULL;
}

static const struct simgpu_policy *even(const char *name)
{
	return !strcmp(name, "even") ? &policy_even : NULL;
}

static const struct gpu_config *shipped;

static const struct gpu_config *config(const char *name)
{
	return shipped;
}

static const struct journal_names names = {
	.config = config, .policy = even, .model = hsm,
};

static int parse(const char *text, struct journal_line *line)
{
	char reason[128];

	return journal_parse_line(&text, &names, line, reason, sizeof(reason));
}

/* @options as a journal's first line, and what is read of it. */
static void expect_said(const struct session_options *options)
{
	struct journal_line *line = calloc(1, sizeof(*line));
	char text[JOURNAL_LINE_BYTES], key[SIMGPU_NAME_BYTES + 2];

	shipped = &options->config;
	journal_print_start(text, options, 0);
	assert_int_equal(parse(text, line), 0);
	session_for_each_setting(setting) {
		u64 value = session_setting_get(setting, options);
		bool unsaid = is_unsaid(setting, value);

		snprintf(key, sizeof(key), " %s=", setting->name);
		assert_int_equal(!strstr(text, key), unsaid);
		assert_int_equal(session_setting_get(setting, &line->start),
				 unsaid ? 0 : value);
	}
	free(line);
}

static void journals_tell_them(void **state)
{
	static struct bench bench;

	bench_options(&bench, 0);
	bench.options.model = &model_hsm;
	bench.options.policy = &policy_even;
	session_default_params(&bench.options);
	session_for_each_setting(setting)
		session_setting_set(setting, &bench.options, setting->most);
	expect_said(&bench.options);
	session_for_each_setting(setting)
		session_setting_set(setting, &bench.options, setting->least);
	expect_said(&bench.options);
	session_for_each_setting(setting)
		session_setting_set(setting, &bench.options, setting->initial);
	expect_said(&bench.options);
}

/* A setting that is at most what the table says has one word for each value. */
static void words_have_values(void **state)
{
	u64 i, j;

	session_for_each_setting(setting) {
		for (i = 0; setting->words && i <= setting->most; i++) {
			assert_non_null(setting->words[i]);
			assert_true(!setting->argument ||
				    strstr(setting->argument, setting->words[i]));
			for (j = 0; j < i; j++)
				assert_string_not_equal(setting->words[i],
							setting->words[j]);
		}
		assert_true(!setting->option ||
			    (setting->argument && setting->help));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_reach_their_own_members),
		cmocka_unit_test(no_two_rows_share_a_member),
		cmocka_unit_test(the_members_are_those_of_their_names),
		cmocka_unit_test(sessions_keep_to_the_ranges),
		cmocka_unit_test(initial_values_are_in_their_ranges),
		cmocka_unit_test(copies_are_of_all_rows),
		cmocka_unit_test(journals_tell_them),
		cmocka_unit_test(words_have_values),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("settings", tests, make_traces,
					   free_traces);
}

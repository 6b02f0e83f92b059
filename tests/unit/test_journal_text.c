// SPDX-License-Identifier: GPL-2.0
/*
 * Journals as text: each kind of line, read and written again; the greatest and the
 * least that each key takes, and what is said of one more or less.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/session/journal.h"

/* --- who is named --- */

static const struct simgpu_param model_params[] = {
	{ .name = "a", .least = 3, .most = 9 },
	{ .name = NULL },
};

static const struct simgpu_param policy_params[] = {
	{ .name = "b", .least = 0, .most = U64_MAX },
	{ .name = "c", .least = 5, .most = 5 },
	{ .name = NULL },
};

static const struct simgpu_model models[] = {
	{ .name = "built", .params = model_params },
	{ .name = "bpf", .source = SIMGPU_SOURCE_BPF, .checksum = 7 },
};

static const struct simgpu_policy policies[] = {
	{ .name = "built", .params = policy_params },
	{ .name = "plug", .source = SIMGPU_SOURCE_PLUGIN, .checksum = 5 },
	{ .name = "unknown", .source = SIMGPU_SOURCE_PLUGIN },
};

static const struct simgpu_policy *policy_called(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(policies[i].name, name))
			return &policies[i];
	return NULL;
}

static const struct simgpu_model *model_called(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(models[i].name, name))
			return &models[i];
	return NULL;
}

static const struct simgpu_memory_policy *memory_policy_called(const char *name)
{
	static const struct simgpu_memory_policy policy = {
		.name = "paging", .source = SIMGPU_SOURCE_PLUGIN, .checksum = 9,
	};

	return strcmp(name, policy.name) ? NULL : &policy;
}

static const struct journal_names names = {
	gpu_config_find, policy_called, model_called, memory_policy_called,
};

/* --- reading, and writing again --- */

#define TEXT_MAX	(2 * JOURNAL_LINE_BYTES)

static int parse(const char *text, struct journal_line *line, char reason[256])
{
	const char *next = text;
	int ret = journal_parse_line(&next, &names, line, reason, 256);

	if (!ret)
		assert_ptr_equal(next, text + strlen(text));
	return ret;
}

static size_t print(char *text, const struct journal_line *line)
{
	switch (line->kind) {
	case JOURNAL_LINE_START:
		return journal_print_start(text, &line->start,
					   line->constants_checksum);
	case JOURNAL_LINE_EVENT:
		return journal_print_event(text, &line->event);
	case JOURNAL_LINE_LOST:
		return journal_print_lost(text, line->cycle, line->lost);
	default:
		return journal_print_end(text, line->cycle, line->state_hash);
	}
}

/* It is read, and written again as @written. */
static void expect_read(const char *text, const char *written)
{
	char again[JOURNAL_LINE_BYTES], reason[256] = "";
	struct journal_line line;

	if (parse(text, &line, reason))
		fail_msg("%s%s", text, reason);
	assert_int_equal(print(again, &line), strlen(written));
	assert_string_equal(again, written);
}

static void expect_refused(const char *text, const char *why)
{
	char reason[256] = "";
	struct journal_line line;

	if (!parse(text, &line, reason))
		fail_msg("not refused: %s", text);
	assert_string_equal(reason, why);
}

#define START	"0 start version=3 config=\"hbm80\" seed=7 epoch_cycles=20000 stop_cycle=5 relaunch=1 kernel_end=carry preemption=switch hold_cycles=10000 gang_size=2 decision_cycles=11 counter_noise=12 counter_delay=13 sampled=14 model=\"built\" model_source=built-in model_checksum=0x00000000 model.a=4 constants=0x0000000c policy=\"built\" policy_source=built-in policy_checksum=0x00000000 policy.b=8 policy.c=5\n"
#define JOIN	"1 join slot=3 name=\"x\" service=qos weight=2 target_ppm=9 cgroup=4 share_ppm=5 goal_kind=ipc goal=6\n"
#define TENANT	"2 tenant slot=4 name=\"y\" service=best_effort weight=3 target_ppm=0\n"
#define LAUNCH	"3 launch slot=5 sequence=6 checksum=0x00000007 bytes=8 repeats=9 not_before_cycle=10 deadline_cycle=11 queue=4 wait0=12 wait1=13 wait2=14 wait3=15 sms0=0x0000000000000010 sms1=0x0000000000000011 more=1 idempotent=1\n"
#define COPY	"3 copy slot=5 sequence=6 checksum=0x00000007 bytes=544 kind=out offset=4096 copied_bytes=9 queue=4 wait0=12 wait1=13 wait2=14 wait3=15 more=1\n"
#define QUEUE	"4 queue slot=6 queue=2 priority=-1\n"
#define ARRIVE	"5 arrivals slot=7 sequence=8 checksum=0x00000009 bytes=10 kind=every launches=11 requests=12 seed=13 rate=14 every_cycles=15 deadline_cycles=16 list=0x00000011\n"
#define LEAVE	"6 leave slot=8\n"
#define POLICY	"7 policy name=\"plug\" name_source=plug-in name_checksum=0x00000005\n"
#define MODEL	"8 model name=\"bpf\" name_source=bpf name_checksum=0x00000007\n"
#define MPARAM	"9 model_param name=\"c1\" value=10\n"
#define PPARAM	"10 policy_param name=\"c2\" value=11\n"
#define CONST	"11 constants bytes=12 checksum=0x0000000d\n"
#define EPOCHS	"12 epoch_cycles epoch_cycles=13\n"
#define SAMPLED	"12 sampled sampled=14\n"
#define MASKS	"13 masks slot=14 sms0=0x000000000000000f sms1=0x0000000000000010 channels=0x0000000000000011 llc_ways=0x0000000000000012\n"
#define PREFETCH	"13 prefetch slot=15 offset=16 bytes=17\n"
#define HINT	"14 hint slot=16 expected_cycle=18 laxity_cycles=19\n"
#define ADVISE	"14 advise slot=16 advice=2 offset=18 bytes=19\n"
#define POWER	"14 power clock_limit=20 power_cap=21 power_window=22\n"
#define MEMORY	"13 memory_plugin name=\"paging\" name_source=plug-in name_checksum=0x00000009\n"
#define LOST	"14 lost events=15\n"
#define END	"15 end state_hash=0x0000000000000010\n"

static void each_kind_is_read_and_written(void **state)
{
	static const char *const lines[] = {
		START, JOIN, TENANT, LAUNCH, COPY, QUEUE, ARRIVE, LEAVE, POLICY, MODEL,
		MPARAM, PPARAM, CONST, EPOCHS, SAMPLED, MASKS, PREFETCH, HINT, ADVISE, POWER, MEMORY, LOST,
		END,
		/* What is usual has no key. */
		"3 launch slot=5 sequence=6 checksum=0x00000007 bytes=8 repeats=9 not_before_cycle=10\n",
		"3 launch slot=5 sequence=6 checksum=0x00000007 bytes=8 repeats=9 not_before_cycle=10 wait2=3 sms1=0x0000000000000001\n",
		"3 copy slot=5 sequence=6 checksum=0x00000007 bytes=544 kind=in offset=0 copied_bytes=9\n",
		/* Words of masks that only GPUs of more than 128 SMs have */
		"3 launch slot=5 sequence=6 checksum=0x00000007 bytes=8 repeats=9 not_before_cycle=10 sms2=0x000000000000000f sms7=0x8000000000000000\n",
		"13 masks slot=14 sms0=0x0000000000000000 sms1=0x0000000000000000 sms3=0x0000000000000001 sms6=0x0000000000000002 channels=0x0000000000000011 llc_ways=0x0000000000000012\n",
		/* Only printable ASCII stands for itself, and not quite all. */
		"1 model_param name=\"\\x01\\x1f !#[]^~\\x7f\\x80\\xff\\x22\\x5c\" value=0\n",
		"1 model_param name=\"\" value=18446744073709551615\n",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		expect_read(lines[i], lines[i]);
}

/* One that is built in is a setting, a word, as before there were others. */
static void a_start_names_its_memory_policy(void **state)
{
	static const char *const said[] = {
		"managed_mib=16 memory_policy=lfu model=",
		"managed_mib=16 model=",
	};
	char text[TEXT_MAX];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(said); i++) {
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(strstr(START, "model=") - START),
			 START, said[i], strstr(START, "model=") + strlen("model="));
		expect_read(text, text);
	}
	snprintf(text + strlen(text) - 1, sizeof(text) - strlen(text),
		 " memory_plugin=\"paging\" memory_plugin_source=bpf memory_plugin_checksum=0x00000009\n");
	strcpy(strstr(text, "=bpf"), "=plug-in memory_plugin_checksum=0x00000009\n");
	expect_read(text, text);
	strcpy(strstr(text, "0x00000009"), "0x00000008\n");
	expect_refused(text, "the memory policy \"paging\" here is of another source (0x00000009) than the journal's (0x00000008)");
	strcpy(strstr(text, " memory_plugin_checksum"), "\n");
	expect_refused(text, "\"memory_plugin_checksum\" is missing");
	strcpy(strstr(text, "\"paging\""), "\"nobody\" memory_plugin_source=bpf memory_plugin_checksum=0x00000009\n");
	expect_refused(text, "there is no memory policy \"nobody\" here");
}

/* --- one key at a time --- */

/* @line with another value of a key; without the key, if that is NULL. */
static void change(char *out, const char *line, const char *key, const char *value)
{
	char start[64];
	const char *at;

	snprintf(start, sizeof(start), " %s=", key);
	at = strstr(line, start);
	assert_non_null(at);
	if (value)
		snprintf(out, TEXT_MAX, "%.*s%s%s%s", (int)(at - line), line,
			 start, value, at + 1 + strcspn(at + 1, " \n"));
	else
		snprintf(out, TEXT_MAX, "%.*s%s", (int)(at - line), line,
			 at + 1 + strcspn(at + 1, " \n"));
}

#define LONG_NAME	"\"1234567890123456789012345678901\""
#define LONGER_NAME	"\"12345678901234567890123456789012\""
#define MOST		"18446744073709551615"

static const struct {
	const char *line;
	const char *key;
	const char *value;
} taken[] = {
	{ START, "epoch_cycles", "10000" }, { START, "epoch_cycles", "50000000" },
	{ START, "relaunch", "0" },
	{ START, "kernel_end", "even" }, { START, "kernel_end", "changed" },
	{ START, "preemption", "drain" }, { START, "preemption", "adaptive" },
	{ START, "hold_cycles", "0" }, { START, "hold_cycles", "1000000000000" },
	{ START, "gang_size", "0" }, { START, "gang_size", "64" },
	{ START, "seed", MOST }, { START, "stop_cycle", MOST },
	{ START, "decision_cycles", "1" },
	{ START, "decision_cycles", "1000000000" },
	{ START, "counter_noise", "1" }, { START, "counter_noise", "100" },
	{ START, "counter_delay", "1" }, { START, "counter_delay", "16" },
	{ START, "sampled", "1" }, { START, "sampled", "50" },
	{ START, "sampled", NULL },
	{ START, "decision_cycles", NULL }, { START, "counter_noise", NULL },
	{ START, "counter_delay", NULL },
	{ START, "model.a", "3" }, { START, "model.a", "9" },
	{ START, "policy.b", "0" }, { START, "policy.b", MOST },
	{ JOIN, "slot", "0" }, { JOIN, "slot", "63" },
	{ JOIN, "name", LONG_NAME }, { JOIN, "weight", "1" },
	{ JOIN, "weight", "1000" }, { JOIN, "target_ppm", "0" },
	{ JOIN, "target_ppm", "1000000" }, { JOIN, "cgroup", "1" },
	{ JOIN, "cgroup", MOST }, { JOIN, "share_ppm", "1" },
	{ JOIN, "share_ppm", "1000000" }, { JOIN, "goal_kind", "kernel_time" },
	{ JOIN, "goal_kind", "rate" }, { JOIN, "goal", "1" },
	{ JOIN, "goal", MOST },
	{ JOIN, "cgroup", NULL }, { JOIN, "share_ppm", NULL },
	{ LAUNCH, "queue", "7" },
	{ LAUNCH, "deadline_cycle", MOST }, { LAUNCH, "wait3", MOST },
	{ LAUNCH, "checksum", "0xffffffff" },
	{ COPY, "kind", "in" }, { COPY, "kind", "device" }, { COPY, "kind", "set" },
	{ COPY, "offset", "0" }, { COPY, "offset", MOST }, { COPY, "copied_bytes", MOST },
	{ COPY, "queue", "7" }, { COPY, "wait2", MOST },
	{ QUEUE, "queue", "0" }, { QUEUE, "queue", "7" },
	{ QUEUE, "priority", "-3" }, { QUEUE, "priority", "3" },
	{ ARRIVE, "kind", "poisson" }, { ARRIVE, "kind", "list" },
	{ ARRIVE, "launches", "1" }, { ARRIVE, "launches", "1000" },
	{ ARRIVE, "requests", "1" }, { ARRIVE, "requests", "4294967295" },
	{ ARRIVE, "deadline_cycles", "0" },
	{ MPARAM, "name", LONG_NAME },
	{ CONST, "bytes", "1" }, { CONST, "bytes", "61440" },
	{ EPOCHS, "epoch_cycles", "0" },
	{ SAMPLED, "sampled", "0" }, { SAMPLED, "sampled", "50" },
	{ MASKS, "sms1", "0x8000000000000000" },
	{ PREFETCH, "offset", MOST }, { PREFETCH, "bytes", MOST },
	{ ADVISE, "advice", "3" }, { ADVISE, "offset", MOST }, { ADVISE, "bytes", MOST },
	{ HINT, "expected_cycle", MOST }, { HINT, "laxity_cycles", MOST },
	{ END, "state_hash", "0xffffffffffffffff" },
};

/* What is written otherwise: NULL: not at all, as nothing is said by it. */
static const struct {
	const char *line;
	const char *key;
	const char *value;
	const char *again;
} rewritten[] = {
	{ LAUNCH, "queue", "0", NULL },
	{ LAUNCH, "more", "0", NULL },
	{ LAUNCH, "idempotent", "0", NULL },
	{ LAUNCH, "deadline_cycle", "0", NULL },
	{ LAUNCH, "wait0", "0", NULL },
	{ LAUNCH, "sms0", "0x0", NULL },
	{ QUEUE, "priority", "-0", "0" },
	{ END, "state_hash", "0x9aAfF", "0x000000000009aaff" },
	{ LOST, "events", "00000000000000000000000000000000000000000015", "15" },
};

static void the_greatest_and_the_least_are_read(void **state)
{
	char text[TEXT_MAX], again[TEXT_MAX];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(taken); i++) {
		change(text, taken[i].line, taken[i].key, taken[i].value);
		expect_read(text, text);
	}
	for (i = 0; i < ARRAY_SIZE(rewritten); i++) {
		change(text, rewritten[i].line, rewritten[i].key,
		       rewritten[i].value);
		change(again, rewritten[i].line, rewritten[i].key,
		       rewritten[i].again);
		expect_read(text, again);
	}
}

/* By what its reason says of the key. */
enum wrong {
	NO_NUMBER,
	NO_STRING,
	NO_HEX,
	NO_WORD,
	MISSING,
};

static const struct {
	const char *line;
	const char *key;
	const char *value;
	enum wrong wrong;
} refused[] = {
	{ START, "epoch_cycles", "9999", NO_NUMBER },
	{ START, "epoch_cycles", "50000001", NO_NUMBER },
	{ START, "relaunch", "2", NO_WORD }, { START, "relaunch", "\"1\"", NO_WORD },
	{ START, "kernel_end", "odd", NO_WORD },
	{ START, "preemption", "reset", NO_WORD },
	{ START, "hold_cycles", "9999", NO_NUMBER },
	{ START, "hold_cycles", "1000000000001", NO_NUMBER },
	{ START, "gang_size", "65", NO_NUMBER },
	{ START, "seed", "18446744073709551616", NO_NUMBER },
	{ START, "seed", "18446744073709551620", NO_NUMBER },
	{ START, "seed", "99999999999999999999", NO_NUMBER },
	{ START, "seed", "\"1\"", NO_NUMBER }, { START, "seed", "-1", NO_NUMBER },
	{ START, "seed", "1a", NO_NUMBER }, { START, "seed", "/", NO_NUMBER },
	{ START, "seed", ":", NO_NUMBER },
	{ START, "decision_cycles", "0", NO_NUMBER },
	{ START, "decision_cycles", "1000000001", NO_NUMBER },
	{ START, "counter_noise", "0", NO_NUMBER },
	{ START, "counter_noise", "101", NO_NUMBER },
	{ START, "counter_delay", "0", NO_NUMBER },
	{ START, "counter_delay", "17", NO_NUMBER },
	{ START, "sampled", "0", NO_NUMBER },
	{ START, "sampled", "51", NO_NUMBER },
	{ START, "config", "hbm80", NO_STRING },
	{ START, "config", LONGER_NAME, NO_STRING },
	{ START, "model", LONGER_NAME, NO_STRING },
	{ START, "model_source", "loaded", NO_WORD },
	{ START, "model_checksum", "5", NO_HEX },
	{ START, "model.a", "2", NO_NUMBER }, { START, "model.a", "10", NO_NUMBER },
	{ START, "policy.c", "4", NO_NUMBER }, { START, "policy.c", "6", NO_NUMBER },
	{ START, "constants", "12", NO_HEX },
	{ JOIN, "slot", "64", NO_NUMBER }, { JOIN, "name", LONGER_NAME, NO_STRING },
	{ JOIN, "service", "best", NO_WORD }, { JOIN, "weight", "0", NO_NUMBER },
	{ JOIN, "weight", "1001", NO_NUMBER },
	{ JOIN, "target_ppm", "1000001", NO_NUMBER },
	{ JOIN, "cgroup", "0", NO_NUMBER }, { JOIN, "share_ppm", "0", NO_NUMBER },
	{ JOIN, "share_ppm", "1000001", NO_NUMBER },
	{ JOIN, "goal_kind", "speed", NO_WORD }, { JOIN, "goal", "0", NO_NUMBER },
	{ LAUNCH, "slot", "64", NO_NUMBER }, { LAUNCH, "queue", "8", NO_NUMBER },
	{ LAUNCH, "more", "2", NO_NUMBER }, { LAUNCH, "idempotent", "2", NO_NUMBER },
	{ LAUNCH, "wait0", "x", NO_NUMBER }, { LAUNCH, "wait3", "x", NO_NUMBER },
	{ LAUNCH, "deadline_cycle", "x", NO_NUMBER },
	{ LAUNCH, "sms0", "1", NO_HEX }, { LAUNCH, "sms1", "1", NO_HEX },
	{ LAUNCH, "checksum", "0y7", NO_HEX }, { LAUNCH, "checksum", "0x", NO_HEX },
	{ LAUNCH, "checksum", "\"0x7\"", NO_HEX },
	{ COPY, "slot", "64", NO_NUMBER }, { COPY, "kind", "kernel", NO_WORD },
	{ COPY, "kind", "2", NO_WORD }, { COPY, "queue", "8", NO_NUMBER },
	{ COPY, "more", "2", NO_NUMBER }, { COPY, "offset", "-1", NO_NUMBER },
	{ QUEUE, "slot", "64", NO_NUMBER }, { QUEUE, "queue", "8", NO_NUMBER },
	{ QUEUE, "priority", "4", NO_NUMBER }, { QUEUE, "priority", "-4", NO_NUMBER },
	{ QUEUE, "priority", "-", NO_NUMBER }, { QUEUE, "priority", "+1", NO_NUMBER },
	{ QUEUE, "priority", "\"1\"", NO_NUMBER },
	{ ARRIVE, "kind", "often", NO_WORD }, { ARRIVE, "launches", "0", NO_NUMBER },
	{ ARRIVE, "launches", "1001", NO_NUMBER },
	{ ARRIVE, "requests", "0", NO_NUMBER },
	{ ARRIVE, "requests", "4294967296", NO_NUMBER },
	{ LEAVE, "slot", "64", NO_NUMBER },
	{ PREFETCH, "slot", "64", NO_NUMBER }, { PREFETCH, "offset", "0x1", NO_NUMBER },
	{ PREFETCH, "bytes", "-1", NO_NUMBER }, { HINT, "slot", "64", NO_NUMBER },
	{ ADVISE, "slot", "64", NO_NUMBER }, { ADVISE, "advice", "4", NO_NUMBER },
	{ MPARAM, "name", LONGER_NAME, NO_STRING },
	{ CONST, "bytes", "0", NO_NUMBER }, { CONST, "bytes", "61441", NO_NUMBER },
	{ SAMPLED, "sampled", "51", NO_NUMBER },
	{ MASKS, "slot", "64", NO_NUMBER }, { MASKS, "channels", "1", NO_HEX },
	{ END, "state_hash", "0xg", NO_HEX }, { END, "state_hash", "0x@", NO_HEX },
	{ END, "state_hash", "0xG", NO_HEX }, { END, "state_hash", "0x`", NO_HEX },
	{ END, "state_hash", "0x10000000000000000", NO_HEX },
};

static void expect_key_refused(const char *line, const char *key,
			       const char *value, enum wrong wrong)
{
	static const char *const reasons[] = {
		[NO_NUMBER] = "\"%s\" is not a number in its range",
		[NO_STRING] = "\"%s\" is not a string, or too long",
		[NO_HEX] = "\"%s\" is not of the form 0x...",
		[NO_WORD] = "\"%s\" is not one of its words",
		[MISSING] = "\"%s\" is missing",
	};
	char text[TEXT_MAX], reason[256];

	change(text, line, key, value);
	snprintf(reason, sizeof(reason), reasons[wrong], key);
	expect_refused(text, reason);
}

static void one_more_or_less_is_refused(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		expect_key_refused(refused[i].line, refused[i].key,
				   refused[i].value, refused[i].wrong);
}

/* Of each line, what has to be there. */
static const struct {
	const char *line;
	const char *keys;
} needed[] = {
	{ START, "version config seed epoch_cycles stop_cycle relaunch kernel_end preemption hold_cycles gang_size model model_source model_checksum model.a constants policy policy_source policy_checksum policy.b policy.c" },
	{ JOIN, "slot name service weight target_ppm goal" },
	{ LAUNCH, "slot sequence checksum bytes repeats not_before_cycle" },
	{ COPY, "slot sequence checksum bytes kind offset copied_bytes" },
	{ QUEUE, "slot queue priority" },
	{ ARRIVE, "slot sequence checksum bytes kind launches requests seed rate every_cycles deadline_cycles list" },
	{ LEAVE, "slot" }, { POLICY, "name name_source name_checksum" },
	{ MODEL, "name name_source name_checksum" }, { MPARAM, "name value" },
	{ PPARAM, "name value" }, { CONST, "bytes checksum" },
	{ EPOCHS, "epoch_cycles" }, { SAMPLED, "sampled" }, { MASKS, "slot sms0 sms1 channels llc_ways" },
	{ PREFETCH, "slot offset bytes" },
	{ HINT, "slot expected_cycle laxity_cycles" }, { ADVISE, "slot advice offset bytes" },
	{ MEMORY, "name name_source name_checksum" },
	{ LOST, "events" }, { END, "state_hash" },
	{ "1 fallback kind=slow code=-1 field=\"\" reason=\"\"\n", "reason" },
};

static void what_is_missing_is_named(void **state)
{
	char keys[256], *key, *rest;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(needed); i++) {
		snprintf(keys, sizeof(keys), "%s", needed[i].keys);
		for (key = strtok_r(keys, " ", &rest); key;
		     key = strtok_r(NULL, " ", &rest))
			expect_key_refused(needed[i].line, key, NULL, MISSING);
	}
}

/* --- lines that are none --- */

static void what_is_no_line_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *reason;
	} bad[] = {
		{ "", "a word is missing or too long" },
		{ "x leave slot=1\n", "the line does not begin with a cycle" },
		{ "18446744073709551616 leave slot=1\n",
		  "the line does not begin with a cycle" },
		{ "000000000000000000000007 leave slot=1\n",
		  "a word is missing or too long" },
		{ "7\n", "the line names no kind" },
		{ "7=leave slot=1\n", "the line names no kind" },
		{ "7  leave slot=1\n", "the line names no kind" },
		{ "7 kind_kind_kind_kind_kind_kind_ki\n",
		  "the line names no kind" },
		{ "7 kind_kind_kind_kind_kind_kind_k\n",
		  "\"kind_kind_kind_kind_kind_kind_k\" is not a known kind" },
		{ "7 leave  slot=1\n", "a word is missing or too long" },
		{ "7 leave slot=\n", "a word is missing or too long" },
		{ "7 leave slot\n", "\"slot\" has no value" },
		{ "7 leave slot=1", "the line is not one of a journal" },
		{ "7 leave slot=1=2\n", "the line is not one of a journal" },
		{ "7 leave key=\"\"x slot=1\n", "the line is not one of a journal" },
		{ "7 leave key=\"a\n", "a string has no end" },
		{ "7 leave key=\"a", "a string has no end" },
		{ "7 leave key=\"\\n\"\n", "a string has an unknown escape" },
		{ "7 leave key=\"\\x", "a string has an unknown escape" },
		{ "7 leave key=\"\\x1", "a string has an unknown escape" },
		{ "7 leave key=\"\\x1\"", "a string has an unknown escape" },
		{ "7 leave key=\"\\x1g\"\n", "a string has an unknown escape" },
		{ "7 leave key=\"\\x00\"\n", "a string has an unknown escape" },
	};
	char text[TEXT_MAX];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		expect_refused(bad[i].text, bad[i].reason);
	change(text, START, "version", "2");
	expect_refused(text, "version 2 is of an older simgpu, whose state hashes left things out: record the run again");
	change(text, START, "version", "4");
	expect_refused(text, "version 4 is not known");
}

/* Whatever is not asked for is skipped, as long as it is not too long. */
static void keys_and_values_have_their_room(void **state)
{
	char text[TEXT_MAX], value[256];
	u32 i, length = 0;

	memset(value, 'v', sizeof(value));
	expect_read("00000000000000000000006 leave slot=8\n", LEAVE);
	expect_read("6 leave key_key_key_key_key_key_key_key=1 slot=8\n", LEAVE);
	expect_refused("6 leave key_key_key_key_key_key_key_key_=1 slot=8\n",
		       "a word is missing or too long");
	snprintf(text, sizeof(text), "6 leave key=%.159s slot=8\n", value);
	expect_read(text, LEAVE);
	snprintf(text, sizeof(text), "6 leave key=%.160s slot=8\n", value);
	expect_refused(text, "a word is missing or too long");
	snprintf(text, sizeof(text), "6 leave key=\"%.159s\" slot=8\n", value);
	expect_read(text, LEAVE);
	snprintf(text, sizeof(text), "6 leave key=\"%.160s\" slot=8\n", value);
	expect_refused(text, "a string is too long");
	/* 34 of the start, and three tables of 16 params. */
	length = (u32)snprintf(text, sizeof(text), "6 leave slot=8");
	for (i = 1; i < 82; i++)
		length += (u32)snprintf(text + length, sizeof(text) - length,
					" k=1");
	snprintf(text + length, sizeof(text) - length, "\n");
	expect_read(text, LEAVE);
	snprintf(text + length, sizeof(text) - length, " k=1\n");
	expect_refused(text, "the line has too many keys");
}

/* Where a key stands twice, the first one counts. */
static void escapes_are_read_in_both_cases(void **state)
{
	expect_read("9 model_param name=\"\\x4a\\x4A\\x61\" name=\"b\" value=10\n",
		    "9 model_param name=\"JJa\" value=10\n");
}

/* --- fallbacks --- */

static void fallbacks_say_where_they_know_it(void **state)
{
	struct journal_event event = {
		.cycle = 9, .kind = JOURNAL_FALLBACK,
		.fallback = {
			.kind = SESSION_REFUSED_SLOW, .code = -62,
			.slot = SESSION_NOWHERE, .sm = SESSION_NOWHERE,
			.field = "f", .reason = "too slow",
		},
	};
	char text[JOURNAL_LINE_BYTES];

	journal_print_event(text, &event);
	assert_string_equal(text, "9 fallback kind=slow code=-62 field=\"f\" reason=\"too slow\"\n");
	event.fallback.slot = 0;
	event.fallback.sm = 127;
	journal_print_event(text, &event);
	assert_string_equal(text, "9 fallback kind=slow code=-62 slot=0 sm=127 field=\"f\" reason=\"too slow\"\n");
}

/* The reason has room for 79 characters and what ends them. */
static void reasons_of_fallbacks_have_their_room(void **state)
{
	char text[TEXT_MAX], reason[256], of[128];
	struct journal_line line;

	memset(of, 'r', sizeof(of));
	snprintf(text, sizeof(text), "9 fallback reason=\"%.79s\"\n", of);
	assert_int_equal(parse(text, &line, reason), 0);
	assert_int_equal(line.kind, JOURNAL_LINE_EVENT);
	assert_int_equal(line.event.kind, JOURNAL_FALLBACK);
	assert_int_equal(line.event.cycle, 9);
	assert_int_equal(strlen(line.event.fallback.reason), 79);
	snprintf(text, sizeof(text), "9 fallback reason=\"%.80s\"\n", of);
	expect_refused(text, "\"reason\" is not a string, or too long");
}

/* --- who stands in for whom --- */

static void others_of_the_same_name_are_refused(void **state)
{
	static const struct {
		const char *said;
		const char *reason;
	} cases[] = {
		{ "policy name=\"plug\" name_source=bpf name_checksum=0x00000005", NULL },
		{ "policy name=\"unknown\" name_source=plug-in name_checksum=0x00000000",
		  NULL },
		{ "model name=\"bpf\" name_source=plug-in name_checksum=0x00000007", NULL },
		{ "policy name=\"nobody\" name_source=built-in name_checksum=0x00000000",
		  "there is no policy \"nobody\" here" },
		{ "model name=\"nobody\" name_source=built-in name_checksum=0x00000000",
		  "there is no model \"nobody\" here" },
		{ "policy name=\"plug\" name_source=bpf-maps name_checksum=0x00000005",
		  "the policy \"plug\" kept something in maps of its own, which are not in the journal: no replay finds it" },
		{ "memory_plugin name=\"paging\" name_source=bpf name_checksum=0x00000009", NULL },
		{ "memory_plugin name=\"nobody\" name_source=bpf name_checksum=0x00000009",
		  "there is no memory policy \"nobody\" here" },
		{ "memory_plugin name=\"paging\" name_source=plug-in name_checksum=0x00000008",
		  "the memory policy \"paging\" here is of another source (0x00000009) than the journal's (0x00000008)" },
		{ "memory_plugin name=\"paging\" name_source=bpf-maps name_checksum=0x00000009",
		  "the policy \"paging\" kept something in maps of its own, which are not in the journal: no replay finds it" },
		{ "policy name=\"plug\" name_source=built-in name_checksum=0x00000005",
		  "the journal's policy \"plug\" was built-in, the one here is plug-in" },
		{ "policy name=\"plug\" name_source=built-in name_checksum=0x00000006",
		  "the journal's policy \"plug\" was built-in, the one here is plug-in" },
		{ "policy name=\"built\" name_source=plug-in name_checksum=0x00000006",
		  "the journal's policy \"built\" was plug-in, the one here is built-in" },
		{ "policy name=\"unknown\" name_source=bpf name_checksum=0x00000000",
		  "the journal's policy \"unknown\" was bpf, the one here is plug-in" },
		{ "policy name=\"plug\" name_source=bpf name_checksum=0x00000006",
		  "the policy \"plug\" here is of another source (0x00000005) than the journal's (0x00000006)" },
		{ "policy name=\"plug\" name_source=plug-in name_checksum=0x00000004",
		  "the policy \"plug\" here is of another source (0x00000005) than the journal's (0x00000004)" },
		{ "model name=\"bpf\" name_source=plug-in name_checksum=0x00000008",
		  "the model \"bpf\" here is of another source (0x00000007) than the journal's (0x00000008)" },
	};
	char text[TEXT_MAX];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "1 %s\n", cases[i].said);
		if (cases[i].reason)
			expect_refused(text, cases[i].reason);
		else
			expect_read(text, text);
	}
	change(text, START, "config", "\"hbm81\"");
	expect_refused(text, "there is no configuration \"hbm81\" here");
	change(text, START, "model", "\"nobody\"");
	expect_refused(text, "there is no model \"nobody\" here");
	change(text, START, "policy", "\"nobody\"");
	expect_refused(text, "there is no policy \"nobody\" here");
}

/* Plug-ins and BPF programs do, of one source; what is built in for nobody. */
static void sources_stand_in_for_one_another(void **state)
{
	static const struct {
		struct journal_source said;
		struct journal_source here;
		bool same;
	} cases[] = {
		{ { SIMGPU_SOURCE_BUILT_IN, 0 }, { SIMGPU_SOURCE_BUILT_IN, 0 }, true },
		{ { SIMGPU_SOURCE_PLUGIN, 0 }, { SIMGPU_SOURCE_PLUGIN, 0 }, true },
		{ { SIMGPU_SOURCE_PLUGIN, 0 }, { SIMGPU_SOURCE_BPF, 0 }, false },
		{ { SIMGPU_SOURCE_PLUGIN, 1 }, { SIMGPU_SOURCE_BPF, 1 }, true },
		{ { SIMGPU_SOURCE_BPF, 1 }, { SIMGPU_SOURCE_PLUGIN, 1 }, true },
		{ { SIMGPU_SOURCE_PLUGIN, 1 }, { SIMGPU_SOURCE_PLUGIN, 2 }, false },
		{ { SIMGPU_SOURCE_BUILT_IN, 1 }, { SIMGPU_SOURCE_PLUGIN, 1 }, false },
		{ { SIMGPU_SOURCE_PLUGIN, 1 }, { SIMGPU_SOURCE_BUILT_IN, 1 }, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(journal_is_same(cases[i].said, cases[i].here),
				 cases[i].same);
}

/* --- room for a line --- */

/* Names and values of all params, as long as they can be, are more than a line has. */
static void what_finds_no_room_is_cut_off(void **state)
{
	struct simgpu_param params[SIMGPU_PARAMS_MAX];
	struct simgpu_policy policy = { .name = "p", .params = params };
	struct simgpu_model model = { .name = "m", .params = params };
	struct simgpu_memory_policy memory = { .name = "y", .params = params };
	struct session_options start = {
		.model = &model, .policy = &policy, .memory_policy = &memory,
		.memory_params_set = (1U << SIMGPU_PARAMS_MAX) - 1,
	};
	char text[JOURNAL_LINE_BYTES + 8];
	u32 i;

	for (i = 0; i < SIMGPU_PARAMS_MAX; i++) {
		params[i].name = "a_param_of_thirty_one_characters";
		start.model_params[i] = U64_MAX;
		start.policy_params[i] = U64_MAX;
		start.memory_params[i] = U64_MAX;
	}
	memset(text, 'x', sizeof(text));
	assert_int_equal(journal_print_start(text, &start, 0),
			 JOURNAL_LINE_BYTES - 1);
	assert_int_equal(text[JOURNAL_LINE_BYTES - 1], '\0');
	assert_int_equal(text[JOURNAL_LINE_BYTES], 'x');
	assert_int_equal(strlen(text), JOURNAL_LINE_BYTES - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_read_and_written),
		cmocka_unit_test(a_start_names_its_memory_policy),
		cmocka_unit_test(the_greatest_and_the_least_are_read),
		cmocka_unit_test(one_more_or_less_is_refused),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(what_is_no_line_is_refused),
		cmocka_unit_test(keys_and_values_have_their_room),
		cmocka_unit_test(escapes_are_read_in_both_cases),
		cmocka_unit_test(fallbacks_say_where_they_know_it),
		cmocka_unit_test(reasons_of_fallbacks_have_their_room),
		cmocka_unit_test(others_of_the_same_name_are_refused),
		cmocka_unit_test(sources_stand_in_for_one_another),
		cmocka_unit_test(what_finds_no_room_is_cut_off),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("journal_text", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * One memory channel of hbm80 alone: every command against the timing table
 * (dram_checker.c), the row-hit cap, and saturated bandwidth beside public
 * simulators.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dram_checker.h"

#define BANKS	16

static void hbm80_make(struct lone_channel *bench, bool refresh)
{
	struct gpu_config config = *gpu_config_find("hbm80");

	if (!refresh)
		config.dram.trefi = 0;
	lone_channel_make(bench, &config);
}

static double rbh(const struct lone_channel *bench)
{
	const struct dram_checker *c = &bench->checker;

	return 1 - (double)c->activates / (c->reads + c->writes);
}

static double utilization(const struct lone_channel *bench)
{
	const struct dram_checker *c = &bench->checker;

	return 2.0 * (c->reads + c->writes) / bench->gpu->channels[0].clock;
}

/* --- tests ------------------------------------------------------------------------------ */

/*
 * No constraint is ever violated, and each one is met to the clock somewhere:
 * a command is refused a clock earlier and accepted then.
 */
static void timings_are_kept_and_tight(void **state)
{
	s64 slack[DRAM_RULES];
	u32 hits, writes, refresh, i;

	for (i = 0; i < DRAM_RULES; i++)
		slack[i] = 1000000;
	for (hits = 0; hits <= 100; hits += 20) {
		for (writes = 0; writes <= 100; writes += 25) {
			for (refresh = 0; refresh <= 1; refresh++) {
				struct lone_channel bench;

				hbm80_make(&bench, refresh);
				lone_channel_saturate(&bench, hits, writes, 60000);
				for (i = 0; i < DRAM_RULES; i++)
					if (bench.checker.slack[i] < slack[i])
						slack[i] = bench.checker.slack[i];
				assert_int_equal(bench.checker.refreshes,
						 refresh ? 60000 / 1716 : 0);
				lone_channel_free(&bench);
			}
		}
	}
	for (i = 0; i < DRAM_RULES; i++) {
		if (slack[i])
			print_message("# rule %u has slack %lld\n", i, slack[i]);
		assert_int_equal(slack[i], 0);
	}
}

/**
 * struct point - saturated utilization at an achieved RBH
 *
 * DRAMsim3 with a write drain, set to Table 1's timings, reads only; the
 * other public simulators lie within 0.005 of it (0.02 near the corner).
 */
struct point {
	double rbh;
	double utilization;
};

static const struct point without_refresh[] = {
	{ 0.0001, 0.4000 }, { 0.1013, 0.4450 }, { 0.2003, 0.5001 },
	{ 0.2963, 0.5681 }, { 0.4052, 0.6722 }, { 0.5021, 0.8027 },
	{ 0.5996, 0.9737 }, { 0.6985, 1.0000 }, { 0.7967, 0.9999 },
	{ 0.9002, 1.0000 }, { 1.0000, 1.0000 },
};

static const struct point with_refresh[] = {
	{ -0.0030, 0.3681 }, { 0.0974, 0.4089 }, { 0.1964, 0.4593 },
	{ 0.2922, 0.5208 }, { 0.4001, 0.6149 }, { 0.4962, 0.7323 },
	{ 0.5900, 0.8829 }, { 0.6823, 0.9132 }, { 0.7784, 0.9162 },
	{ 0.8811, 0.9163 }, { 0.9796, 0.9162 }, { 1.0000, 0.9162 },
};

static double reference(const struct point *points, u32 count, double at)
{
	u32 i = 0;

	while (i + 2 < count && points[i + 1].rbh < at)
		i++;
	return points[i].utilization +
	       (points[i + 1].utilization - points[i].utilization) *
	       (at - points[i].rbh) / (points[i + 1].rbh - points[i].rbh);
}

/* The tolerances of the device model, on achieved RBH. */
static double tolerance(double at)
{
	return at <= 0.4 ? 0.02 : at <= 0.7 ? 0.05 : 0.01;
}

static void saturated_reads_follow_the_reference(void **state)
{
	u32 hits, refresh;

	for (refresh = 0; refresh <= 1; refresh++) {
		for (hits = 0; hits <= 100; hits += 10) {
			double at, got, want;
			struct lone_channel bench;

			hbm80_make(&bench, refresh);
			lone_channel_saturate(&bench, hits, 0, 200000);
			at = rbh(&bench);
			got = utilization(&bench);
			want = refresh ? reference(with_refresh,
						   ARRAY_SIZE(with_refresh), at) :
					 reference(without_refresh,
						   ARRAY_SIZE(without_refresh),
						   at);
			print_message("# refresh %u offered %3u%%: rbh %.4f utilization %.4f reference %.4f\n",
				      refresh, hits, at, got, want);
			assert_true(got - want < tolerance(at) &&
				    want - got < tolerance(at));
			lone_channel_free(&bench);
		}
	}
}

/*
 * Bank 0 has row 1 open; the oldest request wants row 2 and ten younger ones
 * want row 1. @cap of them are served first (all ten where the cap is 0).
 */
static void hits_past_an_older_request_are_capped(void **state)
{
	static const u32 caps[] = { 5, 3, 1, 0 };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		struct lone_channel bench;
		u64 hits;

		hbm80_make(&bench, false);
		bench.gpu->config.row_hit_cap = caps[i];
		lone_channel_post(&bench, false, 0, 1);
		channel_run(bench.gpu, 0, 50);
		assert_int_equal(bench.checker.reads, 1);
		lone_channel_post(&bench, false, 0, 2);
		for (j = 0; j < 10; j++)
			lone_channel_post(&bench, false, 0, 1);
		while (bench.checker.activates < 2)
			channel_run(bench.gpu, 0,
				    bench.gpu->channels[0].clock + 1);
		hits = bench.checker.reads - 1;
		assert_int_equal(hits, caps[i] ? caps[i] : 10);
		channel_run(bench.gpu, 0, 500);
		assert_int_equal(bench.checker.reads, 12);
		lone_channel_free(&bench);
	}
}

/* Writes wait for their drain, and then all of them go. */
static void writes_drain(void **state)
{
	struct lone_channel bench;
	u32 i;

	hbm80_make(&bench, false);
	for (i = 0; i < 200; i++)
		lone_channel_post(&bench, false, i % BANKS, i);
	for (i = 0; i < 31; i++)
		lone_channel_post(&bench, true, i % BANKS, 1000 + i);
	/* 31 writes do not start a drain while reads wait; 32 do. */
	channel_run(bench.gpu, 0, 300);
	assert_true(bench.checker.reads > 0);
	assert_int_equal(bench.checker.writes, 0);
	lone_channel_post(&bench, true, 0, 2000);
	channel_run(bench.gpu, 0, 500);
	assert_true(bench.checker.writes > 0);
	channel_run(bench.gpu, 0, 5000);
	assert_int_equal(bench.checker.reads, 200);
	assert_int_equal(bench.checker.writes, 32);
	lone_channel_free(&bench);
}

/*
 * Where no request hits, each is opened for once: turning from reads to writes
 * and back wastes no activate.
 */
static void no_row_is_opened_in_vain(void **state)
{
	struct lone_channel bench;

	hbm80_make(&bench, false);
	lone_channel_saturate(&bench, 0, 30, 100000);
	assert_true(bench.checker.writes > 5000);
	/* What was opened for requests that the run did not get to. */
	assert_in_range(bench.checker.activates,
			bench.checker.reads + bench.checker.writes - 20,
			bench.checker.reads + bench.checker.writes + BANKS);
	lone_channel_free(&bench);
}

/* --- bank groups ------------------------------------------------------------------------ */

/* Clocks from the first column access of 64 hits to the last, on two banks. */
static u64 hits_on(u32 first_bank, u32 second_bank, struct lone_channel *bench)
{
	u32 i;

	lone_channel_post(bench, false, first_bank, 1);
	lone_channel_post(bench, false, second_bank, 1);
	channel_run(bench->gpu, 0, 200);
	assert_int_equal(bench->checker.reads, 2);
	for (i = 0; i < 64; i++)
		lone_channel_post(bench, false, i % 2 ? first_bank : second_bank,
				  1);
	channel_run(bench->gpu, 0, 201);
	assert_int_equal(bench->checker.column_command, 200);
	channel_run(bench->gpu, 0, 3000);
	assert_int_equal(bench->checker.reads, 66);
	return bench->checker.column_command - 200;
}

/*
 * Between a line's accesses, tccd_l apart in their group, there is room for
 * those of another group, tccd_s apart: together they fill the bus.
 */
static void accesses_of_groups_interleave(void **state)
{
	const struct gpu_config *config = gpu_config_find("k20");
	const u64 accesses = 64 * config->column_accesses_per_line;
	struct lone_channel bench;

	assert_int_equal(config->dram.tccd_l, 2 * config->dram.tccd_s);
	lone_channel_make(&bench, config);
	assert_int_equal(hits_on(0, 1, &bench),
			 (accesses - 1) * config->dram.tccd_l);
	lone_channel_free(&bench);
	lone_channel_make(&bench, config);
	assert_int_equal(hits_on(0, 4, &bench),
			 (accesses - 1) * config->dram.tccd_s);
	lone_channel_free(&bench);
}

/* Each access is as early as the rules of columns allow, somewhere. */
static void single_accesses_are_tight(void **state)
{
	static const enum dram_rule rules[] = {
		TRTP, TWR, TRCD_READ, TRCD_WRITE, READ_READ, READ_READ_GROUP,
		WRITE_WRITE, WRITE_WRITE_GROUP, READ_WRITE, TWTR_S,
	};
	static const char *const names[] = { "gtx480", "gtx680", "k20" };
	u32 hits, writes, i, name;

	for (name = 0; name < ARRAY_SIZE(names); name++) {
		s64 slack[DRAM_RULES];

		memset(slack, 0x7f, sizeof(slack));
		for (hits = 0; hits <= 100; hits += 20) {
			for (writes = 0; writes <= 100; writes += 25) {
				struct lone_channel bench;

				lone_channel_make(&bench,
						  gpu_config_find(names[name]));
				lone_channel_saturate(&bench, hits, writes,
						      20000);
				for (i = 0; i < DRAM_RULES; i++)
					if (bench.checker.slack[i] < slack[i])
						slack[i] = bench.checker.slack[i];
				lone_channel_free(&bench);
			}
		}
		for (i = 0; i < ARRAY_SIZE(rules); i++) {
			if (slack[rules[i]])
				print_message("# %s: rule %u has slack %lld\n",
					      names[name], rules[i],
					      slack[rules[i]]);
			assert_int_equal(slack[rules[i]], 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timings_are_kept_and_tight),
		cmocka_unit_test(saturated_reads_follow_the_reference),
		cmocka_unit_test(hits_past_an_older_request_are_capped),
		cmocka_unit_test(writes_drain),
		cmocka_unit_test(no_row_is_opened_in_vain),
		cmocka_unit_test(accesses_of_groups_interleave),
		cmocka_unit_test(single_accesses_are_tight),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("dram", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The refresh of single banks in turn (dram.trfc_bank), on one memory channel alone. Every
 * command meets the checker (dram_checker.c): it knows whose turn it is and since when.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dram_checker.h"

#define BANKS	16
/* Of hbm80: 160 ns and 8 ns, Ramulator 2's HBM2. */
#define TRFC_BANK	71
#define TRREFD	4

static struct gpu_config in_turn(const char *name)
{
	struct gpu_config config = *gpu_config_find(name);

	config.dram.trfc_bank = TRFC_BANK;
	config.dram.trrefd = TRREFD;
	return config;
}

static void run_to(struct lone_channel *bench, u64 clock)
{
	channel_run(bench->gpu, 0, clock);
}

static u32 open_banks(const struct lone_channel *bench)
{
	u32 bank, open = 0;

	for (bank = 0; bank < BANKS; bank++)
		open |= (u32)bench->checker.open[bank] << bank;
	return open;
}

/* Each turn closes one bank more, and nothing else does. */
static void a_refresh_closes_its_bank_alone(void **state)
{
	struct gpu_config config = in_turn("hbm80");
	u64 interval = config.dram.trefi / BANKS;
	struct lone_channel bench;
	u32 bank;

	lone_channel_make(&bench, &config);
	run_to(&bench, 1);
	for (bank = 0; bank < BANKS; bank++)
		lone_channel_post(&bench, false, bank, 1);
	run_to(&bench, interval);
	assert_int_equal(bench.checker.reads, BANKS);
	assert_int_equal(open_banks(&bench), 0xffff);
	assert_int_equal(bench.checker.refreshes, 0);
	for (bank = 0; bank < BANKS; bank++) {
		/* Closed at once, refreshed as soon as it is closed. */
		run_to(&bench, (bank + 1) * interval + config.dram.trp + 1);
		assert_int_equal(bench.checker.precharge[bank],
				 (bank + 1) * interval);
		assert_int_equal(bench.checker.bank_refresh[bank],
				 (bank + 1) * interval + config.dram.trp);
		assert_int_equal(open_banks(&bench), 0xfffe << bank & 0xffff);
	}
	/* A second round: each bank once more. */
	run_to(&bench, 2 * BANKS * interval + 1);
	assert_int_equal(bench.checker.refreshes, 2 * BANKS);
	assert_int_equal(bench.checker.activates, BANKS);
	lone_channel_free(&bench);
}

/* While a bank is refreshed its requests wait, and those to others are served. */
static void others_go_on(void **state)
{
	struct gpu_config config = in_turn("hbm80");
	u64 interval = config.dram.trefi / BANKS;
	struct lone_channel bench;
	u32 i;

	lone_channel_make(&bench, &config);
	run_to(&bench, interval + 1);
	assert_int_equal(bench.checker.bank_refresh[0], interval);
	lone_channel_post(&bench, false, 0, 1);
	for (i = 0; i < 20; i++)
		lone_channel_post(&bench, false, 1 + i % 4, 7);
	run_to(&bench, interval + TRFC_BANK);
	assert_int_equal(bench.checker.reads, 20);
	assert_int_equal(bench.checker.activates, 4);
	run_to(&bench, interval + TRFC_BANK + 1);
	assert_int_equal(bench.checker.activate[0], interval + TRFC_BANK);
	run_to(&bench, interval + TRFC_BANK + 20);
	assert_int_equal(bench.checker.reads, 21);
	lone_channel_free(&bench);
}

/* A column command needs no row bus: reads go on in step through the clock of a refresh. */
static void columns_go_on(void **state)
{
	struct gpu_config config = in_turn("hbm80");
	u64 refreshed = config.dram.trefi / BANKS;
	struct lone_channel bench;
	u32 first;
	u64 clock;

	/* Reads of two clocks each, in even clocks and in odd ones. */
	for (first = 1; first <= 2; first++) {
		lone_channel_make(&bench, &config);
		run_to(&bench, first);
		for (clock = first; clock < refreshed + 20; clock += 2) {
			u64 reads = bench.checker.reads;

			lone_channel_post(&bench, false, 5, 1);
			run_to(&bench, clock + 2);
			/* The first of them opens the row. */
			if (clock >= first + 20)
				assert_int_equal(bench.checker.reads, reads + 1);
		}
		assert_int_equal(bench.checker.bank_refresh[0], refreshed);
		lone_channel_free(&bench);
	}
}

/* Where a line's accesses are commands of their own, none of a row that closes. */
static void a_line_is_finished_first(void **state)
{
	struct gpu_config config = in_turn("k20");
	u64 interval = config.dram.trefi / BANKS;
	struct lone_channel bench;
	u32 first;

	/* At each distance from the refresh that cuts a line somewhere. */
	for (first = 0; first < 40; first++) {
		lone_channel_make(&bench, &config);
		run_to(&bench, interval - first);
		lone_channel_post(&bench, false, 0, 1);
		run_to(&bench, interval + 3 * config.dram.trc);
		assert_int_equal(bench.checker.refreshes, 1);
		run_to(&bench, interval + TRFC_BANK + 5 * config.dram.trc);
		assert_int_equal(bench.checker.reads, 1);
		assert_in_range(bench.checker.activates, 1, 2);
		lone_channel_free(&bench);
	}
}

/* With the shortest tREFI that is accepted, and of all kinds of GPUs, no turn is missed. */
static void no_turn_is_missed(void **state)
{
	static const char *const names[] = { "hbm80", "k20", "a100-80", "h100" };
	u32 i, hits, writes;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct gpu_config config = in_turn(names[i]);
		const char *field;

		/* Even where another row command may follow in the next clock. */
		config.dram.trrefd = i % 2 ? 0 : TRREFD;
		config.dram.trefi = 0;
		while (!config.dram.trefi || gpu_config_check(&config, &field))
			config.dram.trefi += BANKS;
		for (hits = 0; hits <= 100; hits += 50) {
			for (writes = 0; writes <= 100; writes += 50) {
				struct lone_channel bench;

				lone_channel_make(&bench, &config);
				lone_channel_saturate(&bench, hits, writes, 20000);
				assert_true(bench.checker.reads +
					    bench.checker.writes > 1000);
				lone_channel_free(&bench);
			}
		}
	}
}

/* What all banks at once cost reads of open rows: their whole time. In turn, little of it. */
static void banks_in_turn_hide_their_refreshes(void **state)
{
	struct gpu_config config = in_turn("hbm80");
	u64 reads[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct lone_channel bench;

		if (i)
			config.dram.trfc_bank = 0;
		lone_channel_make(&bench, &config);
		lone_channel_saturate(&bench, 90, 0, 100000);
		reads[i] = bench.checker.reads;
		lone_channel_free(&bench);
	}
	print_message("# reads in 100000 clocks: %llu in turn, %llu at once\n",
		      reads[0], reads[1]);
	assert_in_range(reads[0], 49000, 50000);
	assert_in_range(reads[1], 45000, 47000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refresh_closes_its_bank_alone),
		cmocka_unit_test(others_go_on),
		cmocka_unit_test(columns_go_on),
		cmocka_unit_test(a_line_is_finished_first),
		cmocka_unit_test(no_turn_is_missed),
		cmocka_unit_test(banks_in_turn_hide_their_refreshes),
	};

	return cmocka_run_group_tests_name("refresh", tests, NULL, NULL);
}

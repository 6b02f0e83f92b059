// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of energies: each follows from its two sources by the rules that
 * docs/fgqos.md (Energy) names, and each event is paid once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/session/energy.h"
#include "snapshots.h"

#define PLACE(name)	(offsetof(struct simgpu_counters, name) / sizeof(u64))

enum memory {
	GDDR5,
	HBM2,
};

/* struct device - what a table is made of */
struct device {
	const char *config;
	u32 node_percent;	/* of 28 nm */
	enum memory memory;
	u32 board_mw;		/* of a GPU of its kind that was built */
	u32 board_sms;
	u32 sms;		/* of those it was built with, or would have been */
};

static const struct device devices[] = {
	{ "hbm80", 50, HBM2, 300000, 80, 80 },
	{ "gddr5_40", 100, GDDR5, 165000, 16, 40 },
	{ "themis60", 100, GDDR5, 165000, 16, 60 },
	{ "fg16", 100, GDDR5, 165000, 16, 16 },
	{ "fg56", 100, GDDR5, 165000, 16, 56 },
	{ "gtx480", 150, GDDR5, 250000, 15, 15 },
	{ "c2070", 150, GDDR5, 238000, 14, 14 },
	{ "gtx680", 100, GDDR5, 195000, 8, 8 },
	{ "k20", 100, GDDR5, 225000, 13, 13 },
	{ "a100", 35, HBM2, 400000, 108, 108 },
	{ "a100-80", 35, HBM2, 400000, 108, 108 },
	{ "h100", 25, HBM2, 700000, 132, 132 },
	{ "v100", 50, HBM2, 300000, 80, 80 },
	{ "a100-hw", 35, HBM2, 400000, 108, 108 },
	{ "h100-hw", 25, HBM2, 700000, 132, 132 },
};

/* On the chip all is as on 28 nm, where it was measured, times the node's part. */
static void nodes_scale_what_is_on_the_chip(void **state)
{
	static const u32 measured[] = {
		[ENERGY_THREAD_INSTRUCTION] = 60,
		[ENERGY_L1_LINE] = 5990,
		[ENERGY_SHARED_ACCESS] = 5450,
		[ENERGY_LLC_LINE] = 4 * 3960,
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		const struct device *device = &devices[i];
		const struct energy_table *table = energy_find(device->config);

		assert_non_null(table);
		for (j = 0; j < ARRAY_SIZE(measured); j++)
			assert_int_equal(table->entry[j],
					 (measured[j] * device->node_percent +
					  50) / 100);
	}
	assert_null(gpu_config_at(i));
}

/* Lines and rows cost what their memory takes, whatever the chip beside it. */
static void memories_cost_what_their_kind_does(void **state)
{
	static const u32 line_pj[] = { [GDDR5] = 4 * 7820, [HBM2] = 3994 };
	static const u32 row_pj[] = { [GDDR5] = 2 * 909, [HBM2] = 909 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		const struct device *device = &devices[i];
		const struct energy_table *table = energy_find(device->config);

		assert_int_equal(table->entry[ENERGY_DRAM_LINE],
				 line_pj[device->memory]);
		assert_int_equal(table->entry[ENERGY_ACTIVATE],
				 row_pj[device->memory]);
	}
}

/* A quarter of the board's power, by its SMs, in whole watts near that. */
static void static_power_is_a_quarter_of_the_boards(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		const struct device *device = &devices[i];
		u32 quarter = device->board_mw / 4 * device->sms /
			      device->board_sms;
		u32 mw = energy_find(device->config)->entry[ENERGY_STATIC];

		assert_int_equal(mw % 1000, 0);
		assert_in_range(mw, quarter / 100 * 96, quarter / 100 * 101);
	}
}

/* Which counters are paid, and as what; all others cost nothing. */
static void each_event_is_paid_once(void **state)
{
	static const struct {
		u32 place;
		enum energy_entry entry;
	} paid[] = {
		{ PLACE(thread_instructions), ENERGY_THREAD_INSTRUCTION },
		{ PLACE(l1_accesses), ENERGY_L1_LINE },
		{ PLACE(l1c_accesses), ENERGY_L1_LINE },
		{ PLACE(l1_stores), ENERGY_L1_LINE },
		{ PLACE(shared_accesses), ENERGY_SHARED_ACCESS },
		{ PLACE(llc_accesses), ENERGY_LLC_LINE },
		{ PLACE(dram_fills), ENERGY_DRAM_LINE },
		{ PLACE(dram_writebacks), ENERGY_DRAM_LINE },
		{ PLACE(row_activates), ENERGY_ACTIVATE },
	};
	const struct energy_table *table = energy_find("fg16");
	u32 i, j;

	for (i = 0; i < sizeof(struct simgpu_counters) / sizeof(u64); i++) {
		struct simgpu_counters counters = { 0 };
		u64 cost = 0;

		((u64 *)&counters)[i] = 3;
		for (j = 0; j < ARRAY_SIZE(paid); j++)
			if (paid[j].place == i)
				cost = 3 * table->entry[paid[j].entry];
		assert_int_equal(energy_dynamic_pj(table, &counters), cost);
	}
}

/* By name, as JSON and the documentation have them. */
static void entries_have_their_names(void **state)
{
	static const char *const names[] = {
		[ENERGY_THREAD_INSTRUCTION] = "thread_instruction",
		[ENERGY_L1_LINE] = "l1_line",
		[ENERGY_SHARED_ACCESS] = "shared_access",
		[ENERGY_LLC_LINE] = "llc_line",
		[ENERGY_DRAM_LINE] = "dram_line",
		[ENERGY_ACTIVATE] = "activate",
		[ENERGY_STATIC] = "static",
	};
	u32 i;

	for (i = 0; i < ENERGY_ENTRIES; i++)
		assert_string_equal(energy_entry_names[i], names[i]);
}

/* 41 W are 41 uJ in a microsecond: 1,216 cycles at 1,216 MHz. */
static void static_energy_goes_by_time(void **state)
{
	const struct energy_table *table = energy_find("fg16");

	assert_int_equal(energy_static_pj(table, 1216, 1216), 41000000);
	assert_int_equal(energy_static_pj(table, 608, 1216), 20500000);
	assert_int_equal(energy_static_pj(table, 0, 1216), 0);
	/* Years of it saturate. */
	assert_int_equal(energy_static_pj(table, U64_MAX, 1), U64_MAX);
}

/* Of any counters, on any GPU: the table has all that they cost. */
static void energy_is_events_times_table(void **state)
{
	struct simgpu_counters counters;
	u32 i, k;

	for (i = 0; gpu_config_at(i); i++) {
		const struct energy_table *table =
			energy_find(gpu_config_at(i)->name);
		u64 sum = 0;

		assert_non_null(table);
		for (k = 0; k < sizeof(counters) / 8; k++)
			((u64 *)&counters)[k] = random_up_to(1 << 30);
		for (k = 0; k < ENERGY_ENTRIES; k++) {
			assert_true(table->entry[k]);
			sum += energy_events(k, &counters) * table->entry[k];
		}
		assert_true(sum);
		assert_int_equal(energy_dynamic_pj(table, &counters), sum);
		/* A second at the clock is as many joules as watts. */
		assert_int_equal(energy_static_pj(table, 1000000ULL * 1400,
						  1400),
				 table->entry[ENERGY_STATIC] * 1000000000ULL);
	}
	assert_null(energy_find("mine"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_scale_what_is_on_the_chip),
		cmocka_unit_test(memories_cost_what_their_kind_does),
		cmocka_unit_test(static_power_is_a_quarter_of_the_boards),
		cmocka_unit_test(each_event_is_paid_once),
		cmocka_unit_test(entries_have_their_names),
		cmocka_unit_test(static_energy_goes_by_time),
		cmocka_unit_test_setup(energy_is_events_times_table,
				       restart_random),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}

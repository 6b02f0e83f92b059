// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that follow published GPU-sharing systems (docs/systems.md): of each, that
 * its mechanism is at work, and that without it things are otherwise. The device has
 * eight SMs, four channels and 16 ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "systems.h"

/* --- mig ------------------------------------------------------------------------------ */

/* Its knobs. */
enum {
	PARTITIONS,
	FIRST,
	MEMORY,
};

static u64 channels_of(const struct bench *bench, u32 slot)
{
	return gpu_channels(session_gpu(bench->session), slot);
}

static u64 ways_of(const struct bench *bench, u32 slot)
{
	return gpu_llc_ways(session_gpu(bench->session), slot);
}

/* Nothing is common to two tenants; without the knob, channels and ways are. */
static void partitions_have_their_own_of_everything(void **state)
{
	u64 memory;

	for (memory = 0; memory < 2; memory++) {
		struct bench *bench = bench_under(&policy_mig, 1);

		set_knob(bench, MEMORY, memory);
		come(bench, 0, PLAIN);
		come(bench, 1, URGENT);
		launch(bench, 0, random_reads, 1, 0);
		launch(bench, 1, random_reads, 1, 0);
		session_run(bench->session, MOMENT);
		assert_int_equal(set_of_sms(bench, 0), 0xf0);
		assert_int_equal(set_of_sms(bench, 1), 0x0f);
		assert_int_equal(channels_of(bench, 0), memory ? 0xc : 0xf);
		assert_int_equal(channels_of(bench, 1), memory ? 0x3 : 0xf);
		assert_int_equal(ways_of(bench, 0), memory ? 0xff00 : 0xffff);
		assert_int_equal(ways_of(bench, 1), memory ? 0x00ff : 0xffff);
		end(bench);
	}
}

/* Cycles of a launch in its partition, perhaps beside another tenant. */
static u64 cycles_beside(const struct trace *other, u64 memory)
{
	struct bench *bench = bench_under(&policy_mig, 1);
	u64 cycles;

	set_knob(bench, MEMORY, memory);
	come(bench, 0, URGENT);
	come(bench, 1, PLAIN);
	if (other)
		launch(bench, 1, other, 1, 0);
	launch(bench, 0, copying, 4, 0);
	while (!bench->done_count)
		session_run(bench->session, 100);
	cycles = session_now(bench->session);
	end(bench);
	return cycles;
}

/* Who reads as much as it can next door is not noticed, unless channels are shared. */
static void a_partition_is_quiet(void **state)
{
	u64 alone = cycles_beside(NULL, 1), beside = cycles_beside(random_reads, 1);

	assert_in_range(beside, alone, alone * 101 / 100);
	alone = cycles_beside(NULL, 0);
	beside = cycles_beside(random_reads, 0);
	assert_true(beside > alone * 11 / 10);
}

/* Seats are kept by those who rest; a third tenant shares the last partition. */
static void seats_never_change(void **state)
{
	struct bench *bench = bench_under(&policy_mig, 1);

	come(bench, 0, PLAIN);
	come(bench, 1, PLAIN);
	come(bench, 2, PLAIN);
	launch(bench, 0, brief, 1, 0);
	session_run(bench->session, 400);
	assert_int_equal(set_of_sms(bench, 0), 0xf0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, 20 * EPOCH);
	assert_int_equal(bench->done_count, 1);
	assert_int_equal(set_of_sms(bench, 0), 0);
	assert_int_equal(set_of_sms(bench, 1), 0x0f);
	launch(bench, 2, computing, 1, 0);
	session_run(bench->session, EPOCH);
	assert_int_equal(set_of_sms(bench, 1), 0x0f);
	assert_int_equal(set_of_sms(bench, 2), 0xf0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, EPOCH);
	assert_int_equal(set_of_sms(bench, 0), 0xf0);
	assert_int_equal(set_of_sms(bench, 1), 0x0f);
	assert_int_equal(set_of_sms(bench, 2), 0xf0);
	/* Who comes to a slot anew gets what is free. */
	session_leave(bench->session, 1);
	session_leave(bench->session, 2);
	come(bench, 2, PLAIN);
	launch(bench, 2, computing, 1, 0);
	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(set_of_sms(bench, 0), 0xf0);
	assert_int_equal(set_of_sms(bench, 2), 0x0f);
	end(bench);
}

/* Sizes by the knob, in whole TPCs; never without something of everything. */
static void partitions_have_sizes(void **state)
{
	struct bench *bench = bench_under(&policy_mig, 2);

	set_knob(bench, FIRST, 3 * SIMGPU_PPM / 4);
	come(bench, 0, URGENT);
	come(bench, 1, PLAIN);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, MOMENT);
	assert_int_equal(set_of_sms(bench, 0), 0x3f);
	assert_int_equal(set_of_sms(bench, 1), 0xc0);
	assert_int_equal(channels_of(bench, 0), 0x7);
	assert_int_equal(ways_of(bench, 1), 0xf000);
	set_knob(bench, FIRST, SIMGPU_PPM);
	set_knob(bench, PARTITIONS, 16);
	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(hweight64(set_of_sms(bench, 0)), 2);
	assert_int_equal(hweight64(set_of_sms(bench, 1)), 2);
	assert_int_equal(set_of_sms(bench, 0) & set_of_sms(bench, 1), 0);
	end(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(partitions_have_their_own_of_everything),
		cmocka_unit_test(a_partition_is_quiet),
		cmocka_unit_test(seats_never_change),
		cmocka_unit_test(partitions_have_sizes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("systems", tests, make_traces,
					   free_traces);
}

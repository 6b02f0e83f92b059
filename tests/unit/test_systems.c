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

/* Its params. */
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

/* Nothing is common to two tenants; without the param, channels and ways are. */
static void partitions_have_their_own_of_everything(void **state)
{
	u64 memory;

	for (memory = 0; memory < 2; memory++) {
		struct bench *bench = bench_under(&policy_mig, 1);

		set_param(bench, MEMORY, memory);
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

	set_param(bench, MEMORY, memory);
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

/* Sizes by the param, in whole TPCs; never without something of everything. */
static void partitions_have_sizes(void **state)
{
	struct bench *bench = bench_under(&policy_mig, 2);

	set_param(bench, FIRST, 3 * SIMGPU_PPM / 4);
	come(bench, 0, URGENT);
	come(bench, 1, PLAIN);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, MOMENT);
	assert_int_equal(set_of_sms(bench, 0), 0x3f);
	assert_int_equal(set_of_sms(bench, 1), 0xc0);
	assert_int_equal(channels_of(bench, 0), 0x7);
	assert_int_equal(ways_of(bench, 1), 0xf000);
	set_param(bench, FIRST, SIMGPU_PPM);
	set_param(bench, PARTITIONS, 16);
	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(hweight64(set_of_sms(bench, 0)), 2);
	assert_int_equal(hweight64(set_of_sms(bench, 1)), 2);
	assert_int_equal(set_of_sms(bench, 0) & set_of_sms(bench, 1), 0);
	end(bench);
}

/* --- reef ----------------------------------------------------------------------------- */

enum {
	RESET,
	PADDING,
};

/* A best-effort tenant all over the GPU, and a real-time kernel that comes. */
static struct bench *bench_reef(bool idempotent, u64 reset)
{
	struct bench *bench = bench_under(&policy_reef, 1);

	set_param(bench, RESET, reset);
	come(bench, 0, PLAIN);
	come(bench, 1, URGENT);
	launch_idempotent(bench, 0, slow_blocks, idempotent);
	session_run(bench->session, 20 * MOMENT);
	assert_int_equal(set_of_sms(bench, 0), 0xff);
	launch(bench, 1, brief, 1, 0);
	return bench;
}

/* Cycles of the real-time kernel; then the other one runs to its end. */
static u64 reef_cycles(bool idempotent, u64 reset, u64 *dropped)
{
	struct bench *bench = bench_reef(idempotent, reset);
	u64 start = session_now(bench->session), cycles;

	while (report_of(bench, 1).counters.kernels_finished < 1)
		session_run(bench->session, 50);
	cycles = session_now(bench->session) - start;
	*dropped = report_of(bench, 0).counters.reset_blocks;
	run_until_done(bench, 2);
	assert_int_equal(report_of(bench, 0).counters.blocks_finished, 64);
	assert_int_equal(report_of(bench, 1).counters.blocks_finished, 64);
	assert_int_equal(report_of(bench, 1).counters.reset_blocks, 0);
	end(bench);
	return cycles;
}

/* The others' blocks are waited for, as with the param at 0, and none is lost. */
static void only_idempotent_kernels_are_reset(void **state)
{
	u64 dropped, reset = reef_cycles(true, 1, &dropped);

	assert_true(dropped > 0);
	assert_true(reef_cycles(false, 1, &dropped) > 10 * reset);
	assert_int_equal(dropped, 0);
	assert_true(reef_cycles(true, 0, &dropped) > 10 * reset);
	assert_int_equal(dropped, 0);
}

/* A real-time kernel of three blocks leaves five SMs; without padding none. */
static void a_real_time_kernel_is_padded(void **state)
{
	u64 padding;

	for (padding = 0; padding < 2; padding++) {
		struct bench *bench = bench_under(&policy_reef, 1);

		set_param(bench, PADDING, padding);
		come(bench, 0, PLAIN);
		come(bench, 1, URGENT);
		launch_idempotent(bench, 0, slow_blocks, true);
		launch(bench, 1, three_blocks, 1, MOMENT);
		session_run(bench->session, MOMENT + 400);
		assert_int_equal(set_of_sms(bench, 1), padding ? 0x07 : 0xff);
		assert_int_equal(set_of_sms(bench, 0), padding ? 0xf8 : 0);
		assert_int_equal(busy_sms(bench, 0), padding ? 0xf8 : 0);
		run_until_done(bench, 1);
		session_run(bench->session, 400);
		assert_int_equal(set_of_sms(bench, 0), 0xff);
		end(bench);
	}
}

/*
 * Kernels that may be reset and others, urgent ones among them, come and go in several
 * queues: no proposal is refused, and no block is lost.
 */
static void resets_are_never_refused(void **state)
{
	struct bench *bench = bench_under(&policy_reef, 1);
	u64 launches[4] = { 0 }, random = 1;
	u32 i, slot;

	for (slot = 0; slot < 4; slot++)
		come(bench, slot, slot < 2 ? URGENT : PLAIN);
	for (i = 0; i < 400; i++) {
		struct session_launch_options options = {
			.trace = middling, .repeats = 1,
		};
		u64 sequence;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		slot = random >> 40 & 3;
		options.queue = random >> 42 & 1;
		options.idempotent = random >> 43 & 1;
		if (random >> 44 & 1)
			options.trace = few_blocks;
		if (!session_launch_with(bench->session, slot, &options,
					 &sequence))
			launches[slot] += options.trace->kernels[0].blocks;
		bench->done_count = 0;
		session_run(bench->session, random >> 50);
	}
	bench->done_count = 0;
	session_run(bench->session, ALL_AT_ONCE);
	for (slot = 0; slot < 4; slot++)
		assert_int_equal(report_of(bench, slot).counters.blocks_finished,
				 launches[slot]);
	assert_true(report_of(bench, 2).counters.reset_blocks +
		    report_of(bench, 3).counters.reset_blocks > 0);
	end(bench);
}

/* --- orion ---------------------------------------------------------------------------- */

enum {
	SM_THRESHOLD,
	DUR_THRESHOLD,
};

/* Whether a best-effort kernel starts beside a long high-priority one, or else later. */
static bool starts_beside(const struct trace *urgent, const struct trace *other,
			  u64 threshold_ppm)
{
	struct bench *bench = bench_under(&policy_orion, 1);
	bool started;

	set_param(bench, SM_THRESHOLD, threshold_ppm);
	come(bench, 0, PLAIN);
	come(bench, 1, URGENT);
	launch(bench, 1, urgent, 1, 0);
	launch(bench, 0, other, 1, 0);
	session_run(bench->session, 2000);
	assert_int_equal(report_of(bench, 1).counters.kernels_finished, 0);
	started = busy_sms(bench, 0);
	/* With nobody before it, it starts in any case. */
	run_until_done(bench, 2);
	if (!started)
		assert_int_equal(bench->done[1].slot, 0);
	end(bench);
	return started;
}

/* Small and of the other class: either alone does not do. */
static void the_gate_is_open_to_small_kernels_of_the_other_class(void **state)
{
	struct trace *computes = trace_profiled(24, 8, 100000);
	struct trace *small = trace_profiled(16, 8, 100000);
	struct trace *small_memory = trace_profiled(16, 8, 700000);
	struct trace *large_memory = trace_profiled(64, 8, 700000);

	assert_true(starts_beside(computes, small_memory, SIMGPU_PPM / 2));
	assert_false(starts_beside(computes, small, SIMGPU_PPM / 2));
	assert_false(starts_beside(computes, large_memory, SIMGPU_PPM / 2));
	assert_true(starts_beside(computes, large_memory, SIMGPU_PPM));
	assert_false(starts_beside(computes, small_memory, 0));
	trace_free(computes);
	trace_free(small);
	trace_free(small_memory);
	trace_free(large_memory);
}

/*
 * Best-effort tenants that are out at most at once, of three, when a high-priority
 * request of 10,000 cycles is known. Theirs take 20,000 by their profiles.
 */
static u32 most_out(u64 threshold_ppm)
{
	struct trace *request = trace_compute(64, 1, 2000);
	struct trace *other = trace_profiled(8, 4, 700000);
	struct bench *bench = bench_under(&policy_orion, 1);
	u32 most = 0, slot, out;

	set_param(bench, DUR_THRESHOLD, threshold_ppm);
	for (slot = 0; slot < 4; slot++)
		come(bench, slot, slot ? PLAIN : URGENT);
	launch(bench, 0, request, 1, 0);
	run_until_done(bench, 1);
	for (slot = 1; slot < 4; slot++)
		launch(bench, slot, other, 4, 0);
	while (bench->done_count < 4) {
		session_run(bench->session, 50);
		for (out = 0, slot = 1; slot < 4; slot++)
			out += !!busy_sms(bench, slot);
		most = out > most ? out : most;
	}
	/* All get on. */
	for (slot = 1; slot < 4; slot++)
		assert_int_equal(report_of(bench, slot).counters.kernels_finished,
				 4);
	end(bench);
	trace_free(request);
	trace_free(other);
	return most;
}

static void what_is_out_is_bounded(void **state)
{
	assert_int_equal(most_out(0), 1);
	assert_int_equal(most_out(SIMGPU_PPM / 40), 1);
	assert_int_equal(most_out(1000 * SIMGPU_PPM), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(partitions_have_their_own_of_everything),
		cmocka_unit_test(a_partition_is_quiet),
		cmocka_unit_test(seats_never_change),
		cmocka_unit_test(partitions_have_sizes),
		cmocka_unit_test(only_idempotent_kernels_are_reset),
		cmocka_unit_test(a_real_time_kernel_is_padded),
		cmocka_unit_test(resets_are_never_refused),
		cmocka_unit_test(the_gate_is_open_to_small_kernels_of_the_other_class),
		cmocka_unit_test(what_is_out_is_bounded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("systems", tests, make_all_traces,
					   free_all_traces);
}

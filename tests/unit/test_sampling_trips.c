// SPDX-License-Identifier: GPL-2.0
/*
 * Sampled time of kernels whose thread blocks live long: trips of their loops are the unit. The
 * loop is found where there is one, work ends when it would have, and nothing is counted twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/internal.h"
#include "../../kmod/sim/leap.h"
#include "bench.h"
#include "journal_of.h"

#define LINE	128
#define WARPS	8
/* Thread blocks that the SMs of the small GPU have at once */
#define ONE_WAVE	64

static struct bench *sampled_bench(u32 percent)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options_even(bench, 0, 500000);
	bench->options.sampled = (u8)percent;
	return bench;
}

/* --- programs ----------------------------------------------------------------------------- */

static struct builder *begin(u32 blocks)
{
	struct builder *b = builder_new("long", "test");

	builder_kernel(b, "k", blocks, WARPS * 32, 32, 0);
	return b;
}

/* A pattern of lines of a block's own, the next one with each trip of the outermost loop */
static u32 lines(struct builder *b, u32 blocks, u32 trips)
{
	return builder_affine(b, 0, (u64)blocks * WARPS * trips * LINE, 4,
			      (s64)trips * LINE * WARPS, (s64)trips * LINE, LINE);
}

static struct trace *finish(struct builder *b, u32 blocks, u32 trips)
{
	return trace_of(b, (u64)blocks * WARPS * trips * LINE);
}

/* Each trip reads a line and computes. */
static struct trace *reading(u32 blocks, u32 trips)
{
	struct builder *b = begin(blocks);
	u32 pattern = lines(b, blocks, trips);

	builder_loop(b, trips);
	builder_load(b, pattern, 32, 0);
	builder_compute(b, 100, 32);
	builder_loop_end(b);
	return finish(b, blocks, trips);
}

/* Each trip first reads, and then computes for longer, with a barrier behind either. */
static struct trace *phases_with_barriers(u32 blocks, u32 trips)
{
	struct builder *b = begin(blocks);
	u32 pattern = lines(b, blocks, trips);

	builder_loop(b, trips);
	builder_loop(b, 4);
	builder_load(b, pattern, 32, 0);
	builder_compute(b, 2, 32);
	builder_loop_end(b);
	builder_barrier(b);
	builder_compute(b, 200, 32);
	builder_barrier(b);
	builder_loop_end(b);
	return finish(b, blocks, trips);
}

/* Loops right behind each other, of fewer and fewer trips, which are alike */
static struct trace *triangle(u32 blocks, u32 rows)
{
	struct builder *b = begin(blocks);
	u32 i;

	for (i = rows; i; i--) {
		builder_loop(b, 5);
		builder_loop(b, i);
		builder_compute(b, 60, 32);
		builder_barrier(b);
		builder_loop_end(b);
		builder_loop_end(b);
	}
	return trace_of(b, 0);
}

/* Two loops of unlike trips, each of half of the work */
static struct trace *two_halves(u32 blocks, u32 trips)
{
	struct builder *b = begin(blocks);
	u32 pattern = lines(b, blocks, trips);

	builder_loop(b, trips);
	builder_load(b, pattern, 32, 0);
	builder_compute(b, 99, 32);
	builder_loop_end(b);
	builder_loop(b, trips);
	builder_compute(b, 100, 32);
	builder_loop_end(b);
	return finish(b, blocks, trips);
}

/* --- what is a loop of trips that are alike ---------------------------------------------- */

static struct trace_trips trips_of(const struct trace *trace)
{
	struct trace_trips trips;

	trace_trips(trace, &trace->kernels[0], &trips);
	return trips;
}

static void loops_are_found(void **state)
{
	struct trace *simple = reading(8, 1000), *nested = phases_with_barriers(8, 100);
	struct trace *rows = triangle(8, 6);
	struct trace_trips trips = trips_of(simple);

	assert_int_equal(trips.trips, 1000);
	assert_int_equal(trips.warp_instructions, 101);
	assert_int_equal(trips.thread_instructions, 101 * 32);
	assert_int_equal(trips.accesses, 0);
	trips = trips_of(nested);
	assert_int_equal(trips.trips, 100);
	assert_int_equal(trips.depth, 1);
	assert_int_equal(trips.warp_instructions, 4 * 3 + 202);
	trips = trips_of(rows);
	assert_int_equal(trips.depth, 2);
	assert_int_equal(trips.nests, 6);
	assert_int_equal(trips.trips, 5 * (6 + 5 + 4 + 3 + 2 + 1));
	assert_int_equal(trips.warp_instructions, 61);
	trips = trips_of(random_reads);
	assert_int_equal(trips.trips, 20);
	assert_int_equal(trips.accesses, 1);
	trace_free(simple);
	trace_free(nested);
	trace_free(rows);
}

/* Each trip's lanes are swapped at another distance. */
static struct trace *butterflies(void)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4, .region_bytes = 1 << 20,
		.lane_stride = 4, .xor_bytes = 4, .xor_loop = 1,
	};
	struct builder *b = begin(8);

	builder_loop(b, 16);
	builder_load(b, builder_pattern(b, &pattern), 32, 0);
	builder_loop_end(b);
	return trace_of(b, 1 << 20);
}

static void other_programs_have_no_trips(void **state)
{
	struct trace *halves = two_halves(8, 100), *few = reading(8, 15);
	struct trace *swapping = butterflies(), *recorded = trace_pairs(8, 20);

	assert_int_equal(trips_of(halves).trips, 0);
	assert_int_equal(trips_of(few).trips, 0);
	assert_int_equal(trips_of(swapping).trips, 0);
	assert_int_equal(trips_of(recorded).trips, 0);
	assert_int_equal(trips_of(long_blocks).trips, 0);
	trace_free(halves);
	trace_free(few);
	trace_free(swapping);
	trace_free(recorded);
}

/* --- when work ends ----------------------------------------------------------------------- */

struct ending {
	u64 cycle;
	u64 leapt;
	u32 error_ppm;
	struct simgpu_counters counters;
};

static struct ending run_to_end(const struct trace *trace, u32 percent)
{
	struct bench *bench = sampled_bench(percent);
	struct ending ending;

	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, trace, 1, 0);
	assert_int_equal(session_run(bench->session, ALL_AT_ONCE), SESSION_IDLE);
	assert_int_equal(bench->done_count, 1);
	ending = (struct ending){
		.cycle = session_end_cycle(bench->session), .leapt = leapt(bench),
		.counters = report_of(bench, 0).counters,
		.error_ppm = report_of(bench, 0).leapt_error_ppm,
	};
	bench_free(bench);
	return ending;
}

/*
 * Sampled, a launch has done the same work, and ends near when it ends else: @thousandths of that,
 * and the told interval, are the most.
 */
static struct ending expect_end_in_time(struct trace *trace, u32 thousandths)
{
	struct ending exact = run_to_end(trace, 0), sampled = run_to_end(trace, 5);
	u64 instructions = exact.counters.thread_instructions;
	u64 apart = fixed_apart(exact.cycle, sampled.cycle);

	assert_int_equal(exact.leapt, 0);
	assert_int_equal(instructions, trace->kernels[0].instructions);
	assert_true(apart <= exact.cycle * thousandths / 1000 +
			     fixed_mul_div(exact.cycle, 2 * sampled.error_ppm, SIMGPU_PPM));
	assert_true(fixed_apart(instructions, sampled.counters.thread_instructions) <=
		    instructions / 500);
	assert_int_equal(sampled.counters.blocks_finished, trace->kernels[0].blocks);
	assert_int_equal(sampled.counters.kernels_finished, 1);
	trace_free(trace);
	return sampled;
}

/* Of one wave no thread block is left to leave out. */
static void one_wave_ends_in_time(void **state)
{
	struct ending ending = expect_end_in_time(reading(ONE_WAVE, 2000), 2);

	assert_true(ending.leapt > ending.cycle / 10);
}

static void several_waves_end_in_time(void **state)
{
	struct ending ending = expect_end_in_time(reading(4 * ONE_WAVE + 7, 800), 20);

	assert_true(ending.leapt > ending.cycle / 2);
}

static void phases_alternate_within_trips(void **state)
{
	struct ending ending = expect_end_in_time(phases_with_barriers(ONE_WAVE, 1000), 2);

	assert_true(ending.leapt > ending.cycle / 8);
}

static void later_rows_are_shorter(void **state)
{
	struct ending ending = expect_end_in_time(triangle(3 * ONE_WAVE, 20), 2);

	assert_true(ending.leapt > ending.cycle / 4);
}

/* What was measured of the first loop says nothing of the second: this is simulated. */
static void unlike_halves_are_exact(void **state)
{
	struct ending ending = expect_end_in_time(two_halves(ONE_WAVE, 500), 0);

	assert_int_equal(ending.leapt, 0);
}

/* A leap as long as what was measured would be longer than the rest. */
static void short_ones_end_as_they_do(void **state)
{
	u32 trips;

	for (trips = 100; trips <= 700; trips += 200)
		expect_end_in_time(reading(ONE_WAVE, trips), 2);
}

/* --- where it pauses, and what may happen meanwhile -------------------------------------- */

#define CYCLES	4000000ULL

static struct trace *waves, *barriers;

static int make_long_ones(void **state)
{
	waves = reading(6 * ONE_WAVE, 1000);
	barriers = phases_with_barriers(3 * ONE_WAVE, 1000);
	return make_traces(state);
}

static int free_long_ones(void **state)
{
	trace_free(waves);
	trace_free(barriers);
	return free_traces(state);
}

static struct bench *start_two(u32 percent)
{
	struct bench *bench = sampled_bench(percent);

	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, waves, 1, 0);
	launch(bench, 1, barriers, 1, 0);
	return bench;
}

static void steps_do_not_matter(void **state)
{
	static const u64 steps[] = { 1000, 77777, 8000000 };
	struct bench *whole = start_two(5), *stepped;
	u32 i;

	run_in_steps(whole, CYCLES, CYCLES);
	assert_true(leapt(whole) > CYCLES / 2);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		stepped = start_two(5);
		run_in_steps(stepped, CYCLES, min(steps[i], CYCLES));
		expect_same(whole, stepped);
		bench_free(stepped);
	}
	bench_free(whole);
}

/* Beside each other, too, both do what they do else. */
static void neighbors_do_the_same(void **state)
{
	struct bench *exact = start_two(0), *sampled = start_two(5);
	u32 slot;

	run_in_steps(exact, CYCLES, CYCLES);
	run_in_steps(sampled, CYCLES, CYCLES);
	for (slot = 0; slot < 2; slot++) {
		u64 a = issued_by(exact, slot), b = issued_by(sampled, slot);

		assert_true(a && fixed_apart(a, b) <= a / 50);
	}
	bench_free(exact);
	bench_free(sampled);
}

/* Up to the end of a part of a leap, which goes on behind it: an epoch's end. */
static void run_into_a_leap(struct bench *bench)
{
	u64 before;

	do {
		before = leapt(bench);
		session_run(bench->session, 1);
	} while (leapt(bench) == before || session_now(bench->session) % 500000);
}

/* A kill and a knob between two parts of a leap; a replay does the same. */
static void kills_and_knobs_are_replayed(void **state)
{
	const struct trace *const traces[] = { waves, barriers };
	struct bench *bench = start_two(5), *replayed = sampled_bench(5);
	u64 issued, before;

	run_into_a_leap(bench);
	session_set_epoch_cycles(bench->session, 400000);
	run_in_steps(bench, session_now(bench->session) + CYCLES / 4, CYCLES);
	before = leapt(bench);
	assert_int_equal(session_set_sampled(bench->session, 4), 0);
	run_in_steps(bench, session_now(bench->session) + CYCLES / 4, CYCLES);
	assert_true(leapt(bench) > before);
	session_leave(bench->session, 0);
	issued = issued_by(bench, 0);
	before = leapt(bench);
	run_in_steps(bench, session_now(bench->session) + CYCLES / 4, CYCLES);
	assert_int_equal(issued_by(bench, 0), issued);
	assert_true(leapt(bench) > before);
	bench_start(replayed);
	replay_journal(bench->session, replayed->session, traces, ARRAY_SIZE(traces));
	assert_int_equal(leapt(replayed), leapt(bench));
	expect_same(bench, replayed);
	bench_free(bench);
	bench_free(replayed);
}

/* More tenants than SMs: those without one do nothing, and the others what they can. */
static void all_slots_have_work(void **state)
{
	struct bench *bench = sampled_bench(5);
	u32 slot, working = 0;

	bench_start(bench);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		join(bench, slot);
		launch(bench, slot, waves, 1, 0);
	}
	session_run(bench->session, CYCLES);
	assert_true(leapt(bench) > CYCLES / 4);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		working += issued_by(bench, slot) > 0;
	assert_int_equal(working, bench->options.config.sms);
	bench_free(bench);
}

/* --- the hardware's part -------------------------------------------------------------------- */

/* Blocks move on by what is asked for, in the sum; the counts of blocks say so too. */
static void blocks_move_by_whole_trips(void **state)
{
	struct bench *bench = sampled_bench(0);
	struct gpu_kernel_status status;
	struct simgpu_counters before;
	struct gpu_trips trips;
	struct gpu *gpu;
	u64 done, sum = 0;
	u32 i;

	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, waves, 1, 0);
	session_run(bench->session, 100000);
	gpu = bench->session->gpu;
	before = report_of(bench, 0).counters;
	gpu_queue_trips(gpu, 0, 0, &trips);
	assert_int_equal(trips.trip_instructions, 101 * 32 * WARPS);
	/* Four to five waves are to come, of which each block has 1000 trips. */
	assert_true(trips.left > 4ULL * ONE_WAVE * 1000 && trips.left < 6ULL * ONE_WAVE * 1000);
	for (i = 0; i < 20; i++) {
		done = gpu_queue_advance(gpu, 0, 0, 10000);
		assert_true(done <= 10000 * trips.trip_instructions);
		assert_true(done > 8000 * trips.trip_instructions);
		assert_int_equal(done % trips.trip_instructions, 0);
		sum += done;
	}
	gpu_queue_status(gpu, 0, 0, &status);
	assert_true(status.blocks_finished > 0);
	assert_int_equal(report_of(bench, 0).counters.blocks_finished - before.blocks_finished,
			 status.blocks_finished);
	/* What was left out is not done any more: the rest is, and no more. */
	assert_int_equal(session_run(bench->session, ALL_AT_ONCE), SESSION_IDLE);
	assert_int_equal(report_of(bench, 0).counters.thread_instructions + sum,
			 waves->kernels[0].instructions);
	assert_int_equal(report_of(bench, 0).counters.blocks_finished, 6 * ONE_WAVE);
	bench_free(bench);
}

/* A kernel that has no SM yet has nothing on one that could move. */
static void without_blocks_on_sms_none_move(void **state)
{
	struct gpu_config config = small_config();
	struct gpu_trips trips = { .left = 1 };
	void *memory = aligned_alloc(64, (gpu_bytes(&config) + 63) & ~63UL);
	struct gpu *gpu = gpu_init(memory, &config, 1);

	gpu_kernel_start(gpu, 0, waves, 0);
	gpu_queue_trips(gpu, 0, 0, &trips);
	assert_int_equal(trips.left, 0);
	assert_int_equal(gpu_queue_advance(gpu, 0, 0, 1000), 0);
	free(memory);
}

/* Blocks move by whole trips with barriers, too, at which warps of a block wait for each other. */
static void barriers_hold(void **state)
{
	struct bench *bench = sampled_bench(0);
	u64 sum = 0;

	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, barriers, 1, 0);
	do {
		session_run(bench->session, 12345);
		sum += gpu_queue_advance(bench->session->gpu, 0, 0, 2000);
	} while (session_run(bench->session, 777) == SESSION_RUNNING);
	assert_int_equal(report_of(bench, 0).counters.thread_instructions + sum,
			 barriers->kernels[0].instructions);
	assert_int_equal(report_of(bench, 0).counters.blocks_finished, 3 * ONE_WAVE);
	assert_true(sum > barriers->kernels[0].instructions / 4);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_are_found),
		cmocka_unit_test(other_programs_have_no_trips),
		cmocka_unit_test(blocks_move_by_whole_trips),
		cmocka_unit_test(without_blocks_on_sms_none_move),
		cmocka_unit_test(barriers_hold),
		cmocka_unit_test(one_wave_ends_in_time),
		cmocka_unit_test(several_waves_end_in_time),
		cmocka_unit_test(phases_alternate_within_trips),
		cmocka_unit_test(later_rows_are_shorter),
		cmocka_unit_test(unlike_halves_are_exact),
		cmocka_unit_test(short_ones_end_as_they_do),
		cmocka_unit_test(neighbors_do_the_same),
		cmocka_unit_test(steps_do_not_matter),
		cmocka_unit_test(kills_and_knobs_are_replayed),
		cmocka_unit_test(all_slots_have_work),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sampling_trips", tests, make_long_ones,
					   free_long_ones);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * How long a warp that is alone takes for its ops (trace_timing.c): programs drawn at
 * random beside a reckoning that issues each of their instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/sim/trace_format.h"
#include "random.h"
#include "traces.h"

#define ROUNDS		600
#define OPS		6
#define MIX		24
/* How far back a result is waited for: further back it has been there for long. */
#define RESULTS		128
#define INSTRUCTIONS	30000

/*
 * struct op - one that was drawn
 * @kind: COMPUTE, SHARED, BARRIER
 * @length: of its mix; 0: it has none
 * @cycles: an instruction, without one
 * @after: what a barrier waits for
 */
struct op {
	u32 kind;
	u32 count;
	u32 length;
	struct simgpu_trace_instruction mix[120];
	u32 cycles;
	u32 after;
};

/* struct timed - what is to come out */
struct timed {
	u32 per;
	u64 slots;
	u64 span;
	u64 shared_cycles;
	u32 shared_count;
};

/* struct warp - one that issues all of its instructions, one after the other */
struct warp {
	struct trace_unit units[TRACE_UNITS];
	u64 clock;
	u64 busy[TRACE_UNITS];
	u64 ready[INSTRUCTIONS];
	u32 issued;
};

static struct warp warp;

/* --- the slow reckoning --------------------------------------------------------------------- */

static u64 wait_for(u32 after)
{
	u64 ready = 0;

	if (after && after <= warp.issued && after <= RESULTS)
		ready = warp.ready[warp.issued - after];
	return ready > warp.clock ? ready : warp.clock;
}

static u64 issue_one(const struct simgpu_trace_instruction *i,
		     struct timed *timed, u64 *held)
{
	const struct trace_unit *unit = &warp.units[i->unit];
	u64 at = wait_for(i->after);

	if (warp.busy[i->unit] > at)
		at = warp.busy[i->unit];
	assert_true(warp.issued < INSTRUCTIONS);
	warp.ready[warp.issued++] = at + (i->passes - 1) * unit->interval +
				    unit->latency;
	warp.busy[i->unit] = at + i->passes * unit->interval;
	warp.clock = at + 1;
	held[i->unit] += i->passes * unit->interval;
	timed->shared_count += i->unit == SIMGPU_TRACE_UNIT_SHARED;
	return at;
}

static u64 issue_mix(const struct op *op, struct timed *timed)
{
	u64 held[TRACE_UNITS] = { 0 }, first = 0, at;
	u32 i;

	for (i = 0; i < timed->per; i++) {
		at = issue_one(&op->mix[i % op->length], timed, held);
		first = i ? first : at;
	}
	timed->slots = timed->per;
	for (i = 0; i < TRACE_UNITS; i++) {
		if (i == SIMGPU_TRACE_UNIT_SHARED)
			timed->shared_cycles = held[i];
		else if (held[i] > timed->slots)
			timed->slots = held[i];
	}
	return first;
}

/* Return: when its first instruction issues. */
static u64 issue_op(const struct op *op, struct timed *timed)
{
	u64 first;
	u32 i;

	*timed = (struct timed) { .per = 1, .slots = 1 };
	if (op->kind == SIMGPU_TRACE_BARRIER) {
		first = wait_for(op->after);
		warp.ready[warp.issued++] = first + 1;
		warp.clock = first + 1;
		return first;
	}
	timed->per = op->count < 4096 ? op->count : 4096;
	if (op->length)
		return issue_mix(op, timed);
	first = warp.clock;
	for (i = 0; i < timed->per; i++)
		warp.ready[warp.issued++] = 0;
	warp.clock += (u64)timed->per * op->cycles;
	timed->slots = (u64)timed->per * op->cycles;
	if (op->kind == SIMGPU_TRACE_SHARED) {
		timed->shared_cycles = timed->slots;
		timed->shared_count = timed->per;
		timed->slots = timed->per;
	}
	return first;
}

/* The span of an op is until the next one's first, of the last until its result. */
static void reckon(const struct op *ops, u32 count, struct timed *timed)
{
	u64 began = 0, first;
	u32 i;

	warp.clock = 0;
	warp.issued = 0;
	memset(warp.busy, 0, sizeof(warp.busy));
	for (i = 0; i < count; i++) {
		first = issue_op(&ops[i], &timed[i]);
		if (i)
			timed[i - 1].span = first - began;
		began = first;
	}
	timed[i - 1].span = warp.clock - began;
	if (ops[i - 1].count <= timed[i - 1].per && wait_for(1) > warp.clock)
		timed[i - 1].span = wait_for(1) - began;
	for (i = 0; i < count; i++)
		if (timed[i].span < timed[i].slots)
			timed[i].span = timed[i].slots;
}

/* --- drawing -------------------------------------------------------------------------------- */

static void draw_units(void)
{
	u32 i;

	for (i = 0; i < TRACE_UNITS; i++) {
		warp.units[i].latency = 1 + random_below(i % 2 ? 300 : 30);
		warp.units[i].interval = 1 + random_below(4);
	}
}

static void draw_op(struct op *op, u32 most)
{
	u32 i;

	memset(op, 0, sizeof(*op));
	op->count = 1 + random_below(most);
	switch (random_below(4)) {
	case 0:
		op->kind = SIMGPU_TRACE_BARRIER;
		op->count = 0;
		op->after = random_below(140);
		break;
	case 1:
		op->kind = random_below(2) ? SIMGPU_TRACE_SHARED :
					     SIMGPU_TRACE_COMPUTE;
		op->cycles = 1 + random_below(4);
		break;
	default:
		op->kind = SIMGPU_TRACE_COMPUTE;
		op->length = 1 + random_below(MIX);
		for (i = 0; i < op->length; i++) {
			op->mix[i].unit = (u8)random_below(TRACE_UNITS);
			op->mix[i].passes = (u8)(1 + random_below(3));
			op->mix[i].after = (u16)random_below(random_below(2) ?
							     140 : 4);
		}
	}
}

static struct trace *build(const struct op *ops, u32 count)
{
	struct builder *b = builder_new("timed", "test");
	u32 i;

	builder_kernel(b, "timed", 1, 32, 32, 0);
	for (i = 0; i < count; i++) {
		const struct op *op = &ops[i];

		if (op->kind == SIMGPU_TRACE_BARRIER) {
			builder_barrier(b);
			builder_after(b, op->after);
		} else if (op->length) {
			builder_mixed(b, builder_mix_of(b, op->mix, op->length),
				      op->count, 32);
		} else if (op->kind == SIMGPU_TRACE_SHARED) {
			builder_shared(b, op->count, 32, op->cycles);
		} else {
			builder_slow(b, op->count, 32, op->cycles);
		}
	}
	return trace_of(b, 0);
}

static void expect(const struct trace_op *op, const struct timed *want,
		   u32 round, u32 index)
{
	if (op->per != want->per || op->slots != want->slots ||
	    op->span != want->span || op->shared_cycles != want->shared_cycles ||
	    op->shared_count != want->shared_count)
		fail_msg("round %u, op %u: %u, %u, %u, %u, %u instead of %u, %llu, %llu, %llu, %u",
			 round, index, op->per, op->slots, op->span,
			 op->shared_cycles, op->shared_count, want->per,
			 want->slots, want->span, want->shared_cycles,
			 want->shared_count);
}

static void expect_ops(const struct op *ops, u32 count, u32 round)
{
	struct trace *trace = build(ops, count);
	struct timed timed[OPS];
	u32 i;

	reckon(ops, count, timed);
	trace_time(trace, warp.units);
	for (i = 0; i < count; i++)
		expect(&trace->ops[i], &timed[i], round, i);
	trace_free(trace);
}

/* --- what is held ---------------------------------------------------------------------------- */

/* Of up to 240 instructions each is looked at. */
static void short_ops_take_exactly_as_long_as_they_do(void **state)
{
	struct op ops[OPS];
	u32 round, count, i;

	random_state = 4711;
	for (round = 0; round < ROUNDS; round++) {
		draw_units();
		count = 1 + random_below(OPS);
		for (i = 0; i < count; i++)
			draw_op(&ops[i], round % 2 ? 240 : 20);
		expect_ops(ops, count, round);
	}
}

/* Of longer ones the rhythm: whole rounds go on as they did before. */
static void long_ops_go_on_in_their_rhythm(void **state)
{
	static const struct simgpu_trace_instruction rounds[][4] = {
		{ { 1, 1, 1 } }, { { 1, 1, 0 }, { 1, 1, 0 }, { 1, 1, 3 } },
		{ { 5, 8, 0 } }, { { 3, 2, 0 }, { 1, 1, 1 } },
		{ { 0, 1, 0 }, { 0, 1, 1 }, { 5, 3, 0 }, { 2, 1, 2 } },
	};
	static const u32 lengths[] = { 1, 3, 1, 2, 4 };
	static const u32 counts[] = { 240, 252, 480, 4092, 4095, 4096 };
	struct op ops[2];
	u32 i, j;

	random_state = 11;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (j = 0; j < ARRAY_SIZE(counts); j++) {
			draw_units();
			memset(ops, 0, sizeof(ops));
			ops[0].kind = SIMGPU_TRACE_COMPUTE;
			ops[0].count = counts[j] / lengths[i] * lengths[i];
			ops[0].length = lengths[i];
			memcpy(ops[0].mix, rounds[i], sizeof(rounds[i]));
			expect_ops(ops, 1, i * 10 + j);
			/* What follows waits for its units and results, too. */
			ops[1] = ops[0];
			ops[1].count = 7;
			expect_ops(ops, 2, i * 10 + j);
			ops[1].kind = SIMGPU_TRACE_BARRIER;
			ops[1].length = 0;
			ops[1].count = 0;
			ops[1].after = 1;
			expect_ops(ops, 2, 100 + i * 10 + j);
		}
	}
}

static void set_units(u16 latency)
{
	u32 i;

	for (i = 0; i < TRACE_UNITS; i++)
		warp.units[i] = (struct trace_unit) { latency, 1 };
}

/* Any of 128 results is waited for, none further back, and those of plain ones are there. */
static void results_are_remembered_for_128_instructions(void **state)
{
	static const u32 counts[] = { 1, 2, 126, 127, 128, 129, 255 };
	struct op ops[3];
	u32 i, j;

	set_units(1000);
	warp.units[1].latency = 9;
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		for (j = 0; j < 5; j++) {
			const u32 after[] = { 0, 1, counts[i], counts[i] + 1,
					      counts[i] + 2 };

			memset(ops, 0, sizeof(ops));
			ops[0] = (struct op) {
				.kind = SIMGPU_TRACE_COMPUTE, .count = 1,
				.length = 1, .mix = { { 3, 1, 0 } },
			};
			ops[1] = (struct op) {
				.kind = SIMGPU_TRACE_COMPUTE,
				.count = counts[i], .cycles = 1,
			};
			ops[2] = (struct op) {
				.kind = SIMGPU_TRACE_BARRIER, .after = after[j],
			};
			expect_ops(ops, 3, i * 10 + j);
			/* Or a mix that waits for nothing. */
			ops[1].length = 1;
			ops[1].mix[0] = (struct simgpu_trace_instruction) { 1, 1, 0 };
			expect_ops(ops, 3, 100 + i * 10 + j);
			/* And one plain instruction in the first one's place. */
			ops[2] = ops[1];
			ops[2].length = 0;
			ops[2].cycles = 1;
			ops[2].count = 1;
			expect_ops(ops, 3, 200 + i * 10 + j);
		}
	}
}

/* One plain instruction where a slow one was 128 before: nobody waits for that. */
static void plain_instructions_leave_no_results(void **state)
{
	struct op ops[4] = {
		{ .kind = SIMGPU_TRACE_COMPUTE, .count = 1, .length = 1,
		  .mix = { { 3, 1, 0 } } },
		{ .kind = SIMGPU_TRACE_COMPUTE, .length = 1,
		  .mix = { { 1, 1, 0 } } },
		{ .kind = SIMGPU_TRACE_COMPUTE, .cycles = 1 },
		{ .kind = SIMGPU_TRACE_BARRIER, .after = 1 },
	};
	u32 plain;

	set_units(1000);
	warp.units[1].latency = 9;
	for (plain = 1; plain < 128; plain++) {
		ops[1].count = 128 - plain;
		ops[2].count = plain;
		ops[3].after = 1;
		expect_ops(ops, 4, plain);
		/* The first of them is where it was, if one more is there. */
		ops[1].count++;
		ops[3].after = plain;
		expect_ops(ops, 4, 1000 + plain);
	}
}

/* What a long op's last 128 instructions bring comes as late as they do. */
static void long_ops_leave_their_results(void **state)
{
	struct op ops[2] = {
		{ .kind = SIMGPU_TRACE_COMPUTE, .count = 480, .length = 1,
		  .mix = { { 3, 1, 0 } } },
		{ .kind = SIMGPU_TRACE_BARRIER },
	};

	set_units(1000);
	for (ops[1].after = 1; ops[1].after <= 130; ops[1].after++)
		expect_ops(ops, 2, ops[1].after);
}

/*
 * 120 instructions, of which one holds its unit for 241 cycles: the two rounds that are
 * looked at hold it for 482, and a 120th of a round more for 3, rounded up.
 */
static void parts_of_a_round_are_rounded_up(void **state)
{
	struct op op = {
		.kind = SIMGPU_TRACE_COMPUTE, .count = 241, .length = 120,
	};
	struct trace *trace;
	u32 i;

	set_units(1);
	warp.units[3].interval = 241;
	for (i = 0; i < op.length; i++)
		op.mix[i] = (struct simgpu_trace_instruction) { i ? 1 : 3, 1, 0 };
	trace = build(&op, 1);
	trace_time(trace, warp.units);
	assert_int_equal(trace->ops[0].slots, 485);
	trace_free(trace);
}

/*
 * Of more than 4096 instructions the first 4096 are timed, until the next of them, and
 * what follows is not what the last of them waits for.
 */
static void longest_ops_are_timed_in_parts(void **state)
{
	struct op op = {
		.kind = SIMGPU_TRACE_COMPUTE, .count = 4097, .length = 1,
		.mix = { { 1, 1, 1 } },
	};
	struct timed want = { .per = 4096, .slots = 4096, .span = 4096 * 9 };
	struct trace *trace;
	u32 i;

	for (i = 0; i < TRACE_UNITS; i++)
		warp.units[i] = (struct trace_unit) { 9, 1 };
	trace = build(&op, 1);
	trace_time(trace, warp.units);
	expect(&trace->ops[0], &want, 0, 0);
	trace_free(trace);
	/* One in three holds its unit for 10 cycles: what 4096 of them are, rounded up. */
	op.length = 3;
	op.mix[0] = (struct simgpu_trace_instruction) { 3, 1, 0 };
	op.mix[1] = (struct simgpu_trace_instruction) { 1, 1, 0 };
	op.mix[2] = op.mix[1];
	warp.units[3].interval = 10;
	want.slots = (4096 * 10 + 2) / 3;
	want.span = want.slots;
	trace = build(&op, 1);
	trace_time(trace, warp.units);
	expect(&trace->ops[0], &want, 1, 0);
	trace_free(trace);
	/* Without a mix as well. */
	op.length = 0;
	op.cycles = 3;
	want.slots = 4096 * 3;
	want.span = 4096 * 3;
	trace = build(&op, 1);
	trace_time(trace, warp.units);
	expect(&trace->ops[0], &want, 2, 0);
	trace_free(trace);
}

/* All of an op, or an even number of rounds that has at least 240. */
static void ops_are_looked_at_until_they_are_steady(void **state)
{
	static const struct {
		u32 count;
		u32 length;
		u32 steps;
	} cases[] = {
		{ 1, 1, 1 }, { 239, 1, 239 }, { 240, 1, 240 }, { 241, 1, 240 },
		{ 9999, 2, 240 }, { 9999, 7, 252 }, { 9999, 80, 320 },
		{ 9999, 119, 476 }, { 9999, 120, 240 }, { 9999, 121, 242 },
		{ 9999, 239, 478 }, { 9999, 240, 480 }, { 9999, 241, 482 },
		{ 9999, 1024, 2048 }, { 2048, 1024, 2048 },
		{ 2047, 1024, 2047 }, { 300, 60, 240 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(mixed_steps(cases[i].count, cases[i].length),
				 cases[i].steps);
}

/* Any change of any unit is another GPU; the same units anew change nothing. */
static void traces_are_timed_for_the_units_at_hand(void **state)
{
	struct op op = { .kind = SIMGPU_TRACE_COMPUTE, .count = TRACE_UNITS,
			 .length = TRACE_UNITS };
	struct trace_unit units[TRACE_UNITS];
	struct trace *trace;
	struct timed timed;
	u32 i, field;

	for (i = 0; i < TRACE_UNITS; i++) {
		op.mix[i] = (struct simgpu_trace_instruction) { i, 2, 1 };
		units[i] = (struct trace_unit) { 10, 2 };
	}
	trace = build(&op, 1);
	for (i = 0; i < TRACE_UNITS; i++) {
		for (field = 0; field < 2; field++) {
			memcpy(warp.units, units, sizeof(units));
			trace_time(trace, units);
			if (field)
				warp.units[i].interval = 5;
			else
				warp.units[i].latency = 17;
			reckon(&op, 1, &timed);
			trace_time(trace, warp.units);
			expect(&trace->ops[0], &timed, i, 0);
			/* Not again: what another hand has set stays. */
			trace->ops[0].span = 1;
			trace_time(trace, warp.units);
			assert_int_equal(trace->ops[0].span, 1);
		}
	}
	trace_free(trace);
}

/* --- loops ----------------------------------------------------------------------------------- */

/* A loop of two ops, of @trips, within one of two where @nested, and one behind. */
static struct trace *looped(u32 trips, bool nested, const char *first,
			    const char *second)
{
	struct builder *b = builder_new("loop", "test");

	builder_kernel(b, "loop", 1, 32, 32, 0);
	if (nested)
		builder_loop(b, 2);
	builder_loop(b, trips);
	builder_mixed(b, builder_mix(b, first), 1, 32);
	builder_mixed(b, builder_mix(b, second), 1, 32);
	builder_loop_end(b);
	if (nested)
		builder_loop_end(b);
	builder_mixed(b, builder_mix(b, "F1"), 1, 32);
	return trace_of(b, 0);
}

static void expect_loop(u32 trips, bool nested, const char *first,
			const char *second, u32 span, int line)
{
	struct trace *trace = looped(trips, nested, first, second);
	const struct trace_op *op = trace->ops + 1 + nested;
	u32 i;

	for (i = 0; i < TRACE_UNITS; i++)
		warp.units[i] = (struct trace_unit) { 9, 1 };
	trace_time(trace, warp.units);
	if (op->span != span || op[1].span != 1)
		fail_msg("line %d: %u, %u", line, op->span, op[1].span);
	/* The last op's is until its result is there. */
	op += 3 + nested;
	assert_int_equal(op->span, 9);
	trace_free(trace);
}

/* The second op waits for what the trip before has left it, if there is one. */
static void loops_wait_for_the_trip_before(void **state)
{
	expect_loop(1, false, "F", "F", 1, __LINE__);
	expect_loop(2, false, "F", "F", 1, __LINE__);
	expect_loop(1, false, "F", "F1", 9, __LINE__);
	expect_loop(1, false, "F", "F2", 1, __LINE__);
	expect_loop(2, false, "F", "F2", 8, __LINE__);
	expect_loop(9, false, "F", "F2", 8, __LINE__);
	/* Within another it is what is gone through twice. */
	expect_loop(1, true, "F", "F2", 1, __LINE__);
	expect_loop(9, true, "F", "F2", 8, __LINE__);
}

/*
 * The first op waits for what the last one of the trip before has left it, and that
 * one's span is so long; after a single trip nothing is.
 */
static void a_loops_first_op_waits_for_the_last(void **state)
{
	static const u32 spans[] = { 0, 1, 9 };
	u32 count;

	for (count = 1; count < ARRAY_SIZE(spans); count++) {
		struct builder *b = builder_new("loops", "test");
		struct trace *trace;

		builder_kernel(b, "loops", 1, 32, 32, 0);
		builder_loop(b, count);
		builder_mixed(b, builder_mix(b, "F1"), 1, 32);
		builder_loop_end(b);
		/* Who does not wait, so that it does not hide what the loop does. */
		builder_mixed(b, builder_mix(b, "F"), 1, 32);
		trace = trace_of(b, 0);
		set_units(9);
		trace_time(trace, warp.units);
		assert_int_equal(trace->ops[trace->kernels[0].programs[0] + 1].span,
				 spans[count]);
		trace_free(trace);
	}
}

/* What follows the inner loop is no inner loop's last; and each program begins anew. */
static void outer_loops_and_programs_go_on(void **state)
{
	struct builder *b = builder_new("loops", "test");
	struct trace *trace;
	u32 i;

	for (i = 0; i < 2; i++) {
		builder_kernel(b, "loops", 1, 32, 32, 0);
		builder_mixed(b, builder_mix(b, "F1"), 1, 32);
		builder_loop(b, 2);
		builder_loop(b, 2);
		builder_mixed(b, builder_mix(b, "F"), 1, 32);
		builder_loop_end(b);
		builder_mixed(b, builder_mix(b, "F"), 1, 32);
		builder_loop_end(b);
		builder_mixed(b, builder_mix(b, "F1"), 1, 32);
	}
	trace = trace_of(b, 0);
	set_units(9);
	trace_time(trace, warp.units);
	for (i = 0; i < 2; i++) {
		const struct trace_op *op = trace->ops +
					    trace->kernels[i].programs[0];

		assert_int_equal(op[0].span, 1);
		assert_int_equal(op[3].span, 1);
		assert_int_equal(op[5].span, 9);
		assert_int_equal(op[7].span, 9);
	}
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_ops_take_exactly_as_long_as_they_do),
		cmocka_unit_test(long_ops_go_on_in_their_rhythm),
		cmocka_unit_test(results_are_remembered_for_128_instructions),
		cmocka_unit_test(plain_instructions_leave_no_results),
		cmocka_unit_test(long_ops_leave_their_results),
		cmocka_unit_test(parts_of_a_round_are_rounded_up),
		cmocka_unit_test(longest_ops_are_timed_in_parts),
		cmocka_unit_test(ops_are_looked_at_until_they_are_steady),
		cmocka_unit_test(traces_are_timed_for_the_units_at_hand),
		cmocka_unit_test(loops_wait_for_the_trip_before),
		cmocka_unit_test(a_loops_first_op_waits_for_the_last),
		cmocka_unit_test(outer_loops_and_programs_go_on),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trace_timing", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * How long a warp that is alone on its scheduler takes for its ops, by the units
 * and dependences of their instructions, on a GPU whose units' latencies and
 * intervals are known. It is computed once, before a trace is launched, and stored with
 * each op, so that a burst remains one event (sm.c).
 */
#include "trace_format.h"

/* How many instructions back a dependence can bind; older results are always ready. */
#define RESULTS			128
/* After so many instructions a repeated mix is assumed to be steady. */
#define STEADY			240

/*
 * struct timer - a warp that issues in order
 * @clock: cycle at which it may issue next
 * @issued: instructions so far
 * @busy: by unit, cycle at which the unit takes another instruction
 * @ready: by instruction, cycle at which its result is ready
 */
struct timer {
	const struct trace_mix *mixes;
	const struct trace_instruction *instructions;
	const struct trace_unit *units;
	u64 clock;
	u64 issued;
	u64 busy[TRACE_UNITS];
	u64 ready[RESULTS];
};

/* struct usage - for how many cycles instructions hold the issue slot and units */
struct usage {
	u64 unit[TRACE_UNITS];
	u64 shared_count;
};

/* struct loop - an open loop: whether it has no loop within, and is in its second pass */
struct loop {
	bool innermost;
	bool again;
};

/*
 * mixed_steps() - how many instructions of an op with a mix are timed one by one: all,
 *	or an even number of whole rounds of the mix, until it is steady
 * @count: instructions of the op
 * @length: instructions of the mix
 */
u64 mixed_steps(u32 count, u32 length)
{
	u64 rounds = (STEADY + length - 1) / length;
	u64 steps;

	rounds = max_t(u64, rounds, 2);
	steps = (rounds + (rounds & 1)) * length;
	return min_t(u64, count, steps);
}

static u64 ready_at(const struct timer *timer, u32 after)
{
	if (!after || after > timer->issued || after > RESULTS)
		return 0;
	return timer->ready[(timer->issued - after) % RESULTS];
}

/* Issue an instruction as soon as possible; Return: its cycle. */
static u64 issue(struct timer *timer, u32 after, u64 cycles, u64 latency)
{
	u64 ready = ready_at(timer, after);
	u64 at = max(timer->clock, ready);

	timer->ready[timer->issued++ % RESULTS] = at + latency;
	timer->clock = at + cycles;
	return at;
}

static u64 issue_mixed(struct timer *timer,
		       const struct trace_instruction *instruction,
		       struct usage *usage)
{
	const struct trace_unit *unit = &timer->units[instruction->unit];
	u64 holds = (u64)instruction->passes * unit->interval, at;
	u64 *busy = &timer->busy[instruction->unit];

	timer->clock = max(timer->clock, *busy);
	at = issue(timer, instruction->after, 1,
		   holds - unit->interval + unit->latency);
	*busy = at + holds;
	usage->unit[instruction->unit] += holds;
	usage->shared_count += instruction->unit == TRACE_SHARED_MEMORY;
	return at;
}

/* Scale what the second, steady half of @steps took, @part, to @more steps. */
static u64 extrapolate(u64 part, u64 steps, u64 more)
{
	return (part * more + steps / 2 - 1) / (steps / 2);
}

/*
 * Add more rounds of a mix than were timed: they take as long, and hold as much, as the
 * rounds of the second half.
 */
static void go_on(struct timer *timer, struct usage *usage,
		  const struct usage *half, u64 cycles, u64 steps, u64 more)
{
	u64 passes = extrapolate(cycles, steps, more);
	u32 i;

	timer->clock += passes;
	for (i = 0; i < RESULTS; i++)
		timer->ready[i] += passes;
	for (i = 0; i < TRACE_UNITS; i++) {
		timer->busy[i] += passes;
		usage->unit[i] += extrapolate(usage->unit[i] - half->unit[i],
					      steps, more);
	}
	usage->shared_count += extrapolate(usage->shared_count -
					   half->shared_count, steps, more);
}

/* Issue the first op->per instructions of a mix; Return: the cycle of the first. */
static u64 time_mix(struct timer *timer, const struct trace_mix *mix,
		    struct trace_op *op, struct usage *usage)
{
	const struct trace_instruction *instructions =
		timer->instructions + mix->first_instruction;
	u64 steps = mixed_steps(op->per, mix->instruction_count), i;
	u64 first = 0, middle = 0, at = 0;
	struct usage half = { };

	for (i = 0; i < steps; i++) {
		at = issue_mixed(timer,
				 &instructions[i % mix->instruction_count],
				 usage);
		if (!i)
			first = at;
		if (i + 1 == steps / 2) {
			middle = at;
			half = *usage;
		}
	}
	if (steps < op->per)
		go_on(timer, usage, &half, at - middle, steps, op->per - steps);
	/* More of the op follows, not the next op, which would wait longest. */
	if (op->per < op->count)
		timer->clock = issue_mixed(timer,
					   &instructions[op->per %
							 mix->instruction_count],
					   &half);
	return first;
}

/* Time independent instructions: each takes as many cycles as the trace says. */
static u64 time_plain(struct timer *timer, u32 count, u32 cycles)
{
	u64 first = timer->clock, i;

	for (i = count < RESULTS ? 0 : count - RESULTS; i < count; i++)
		timer->ready[(timer->issued + i) % RESULTS] = 0;
	timer->issued += count;
	timer->clock += (u64)count * cycles;
	return first;
}

/* Instructions hold the issue slot one by one, and as long as the busiest unit is busy. */
static u64 slots_of(const struct usage *usage, u32 count)
{
	u64 most = count;
	u32 i;

	for (i = 0; i < TRACE_UNITS; i++)
		if (i != TRACE_SHARED_MEMORY && usage->unit[i] > most)
			most = usage->unit[i];
	return most;
}

/* Time an op that issues; Return: the cycle of its first instruction. */
static u64 time_op(struct timer *timer, struct trace_op *op)
{
	struct usage usage = { };
	u64 first;

	op->per = 1;
	op->slots = 1;
	op->shared_count = 0;
	op->shared_cycles = 0;
	if (op->kind != TRACE_COMPUTE && op->kind != TRACE_SHARED)
		return issue(timer, op->after, 1, 1);
	op->per = min_t(u32, op->count, TRACE_PER_MAX);
	if (op->kind == TRACE_COMPUTE && op->mix) {
		first = time_mix(timer, &timer->mixes[op->mix - 1], op, &usage);
		op->slots = (u32)slots_of(&usage, op->per);
		op->shared_count = (u16)usage.shared_count;
		op->shared_cycles = (u32)usage.unit[TRACE_SHARED_MEMORY];
		return first;
	}
	op->slots = (u32)op->per * op->issue_cycles;
	if (op->kind == TRACE_SHARED) {
		op->shared_cycles = op->slots;
		op->shared_count = op->per;
		op->slots = op->per;
	}
	return time_plain(timer, op->per, op->issue_cycles);
}

static void set_span(struct trace_op *op, u64 cycles)
{
	op->span = (u32)max_t(u64, cycles, op->slots);
}

/*
 * The result of a program's last op has to come before the warp can end. (If the op has
 * more instructions than are timed at once, another part of it follows.)
 */
static void set_last_span(const struct timer *timer, struct trace_op *op,
			  u64 began)
{
	if (ready_at(timer, 1) > timer->clock && op->per >= op->count)
		set_span(op, ready_at(timer, 1) - began);
}

/*
 * Time a program beginning with an op. An innermost loop is passed through twice, so that
 * its first op waits for results of the trip before, and the time of that is kept as the
 * last op's span (@carried). Return: the op behind the program.
 */
static u64 time_program(struct timer *timer, struct trace_op *ops, u64 i)
{
	struct loop open[TRACE_LOOP_DEPTH_MAX];
	struct trace_op *before = NULL;
	u64 began = 0, carried = 0, first;
	u32 depth = 0;

	for (; ops[i].kind != TRACE_END; i++) {
		if (!(i % 4096))
			port_pause();
		if (ops[i].kind == TRACE_LOOP) {
			if (depth)
				open[depth - 1].innermost = false;
			open[depth++] = (struct loop) {
				.innermost = true, .again = ops[i].count > 1,
			};
		} else if (ops[i].kind == TRACE_LOOP_END) {
			struct loop *loop = &open[depth - 1];

			if (loop->innermost && loop->again) {
				loop->again = false;
				i = ops[i].body - 1;
				continue;
			}
			if (loop->innermost) {
				if (before && carried > before->span)
					set_span(before, carried);
				carried = 0;
				/* What follows the last trip is no general rule. */
				before = NULL;
			}
			depth--;
		} else {
			first = time_op(timer, &ops[i]);
			if (before) {
				set_span(before, first - began);
				/* The second pass is back at the first op. */
				if (before >= &ops[i])
					carried = before->span;
			}
			before = &ops[i];
			began = first;
			set_span(before, timer->clock - began);
		}
	}
	if (before)
		set_last_span(timer, before, began);
	return i + 1;
}

bool trace_is_timed(const struct trace *trace, const struct trace_unit *units)
{
	return !memcmp(trace->timed_for, units, TRACE_UNITS * sizeof(*units));
}

void trace_time(const struct trace *trace, const struct trace_unit *units)
{
	u64 next = 0;

	if (trace_is_timed(trace, units))
		return;
	while (next < trace->op_count) {
		struct timer timer = {
			.mixes = trace->mixes,
			.instructions = trace->instructions,
			.units = units,
		};

		next = time_program(&timer, trace->ops, next);
	}
	memcpy(trace->timed_for, units, TRACE_UNITS * sizeof(*units));
}

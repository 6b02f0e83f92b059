// SPDX-License-Identifier: GPL-2.0
/*
 * The validator of traces: programs, op by op, and that no memory op leaves
 * the trace's memory, whichever warp runs it.
 */
#include "trace_check.h"

#define ISSUE_CYCLES_MAX	1024

/* --- mixes ---------------------------------------------------------------------------------- */

#define MIX(code, field, reason) ELEMENT(code, "mixes", index, m, field, reason)
#define INSTRUCTION(field, reason) \
	ELEMENT(-EINVAL, "instructions", index, i, field, reason)

static int check_instruction(struct checker *c, u64 index)
{
	const struct simgpu_trace_instruction *i = &c->instructions[index];

	if (i->unit >= SIMGPU_TRACE_UNITS)
		return INSTRUCTION(unit, "is unknown");
	if (!i->passes || i->passes > SIMGPU_TRACE_PASSES_MAX)
		return INSTRUCTION(passes, "is not 1 to 64");
	return 0;
}

int check_mixes(struct checker *c)
{
	u64 instructions = section_count(c->header, SIMGPU_TRACE_INSTRUCTIONS);
	u64 mixes = section_count(c->header, SIMGPU_TRACE_MIXES);
	u64 index, next = 0;
	int ret;

	for (index = 0; index < mixes; index++) {
		const struct simgpu_trace_mix *m = &c->mixes[index];

		if (look(c))
			return -EINTR;
		if (m->first_instruction != next)
			return MIX(-EINVAL, first_instruction,
				   "does not follow the mix before");
		if (!m->instruction_count)
			return MIX(-EINVAL, instruction_count, "is zero");
		if (m->instruction_count > SIMGPU_TRACE_MIX_MAX)
			return MIX(-E2BIG, instruction_count,
				   "is more than 1024");
		next += m->instruction_count;
		if (next > instructions)
			return MIX(-EINVAL, instruction_count,
				   "reaches past the instructions");
	}
	if (next != instructions)
		return refuse_rest(c, SIMGPU_TRACE_INSTRUCTIONS,
				   "has instructions of no mix");
	for (index = 0; index < instructions; index++) {
		ret = look(c) ?: check_instruction(c, index);
		if (ret)
			return ret;
	}
	return 0;
}

/* --- programs ------------------------------------------------------------------------------- */

/*
 * struct walk - a program that is being checked, op by op
 * @depth: number of open loops
 * @trips: trips of each open loop
 * @times: how often the present op runs
 * @issues: by depth, whether the present body issues an instruction
 * @instructions: warp instructions so far
 * @lines: recorded lines so far
 * @spins: whether the last op spins
 */
struct walk {
	const struct bounds *bounds;
	u32 depth;
	u32 trips[SIMGPU_TRACE_LOOP_DEPTH_MAX];
	u64 times[SIMGPU_TRACE_LOOP_DEPTH_MAX + 1];
	bool issues[SIMGPU_TRACE_LOOP_DEPTH_MAX + 1];
	u64 instructions;
	u64 lines;
	bool spins;
};

#define OP(code, field, reason) ELEMENT(code, "ops", index, op, field, reason)

/* Add stride * (first ... last) to a range of addresses; false: overflow. */
static bool extend(s64 *low, s64 *high, s64 stride, u32 first, u32 last)
{
	s64 begin, end;

	if (__builtin_mul_overflow(stride, (s64)first, &begin) ||
	    __builtin_mul_overflow(stride, (s64)last, &end))
		return false;
	return !__builtin_add_overflow(*low, stride < 0 ? end : begin, low) &&
	       !__builtin_add_overflow(*high, stride < 0 ? begin : end, high);
}

static bool extend_lanes(const struct simgpu_trace_pattern *p, u32 lanes,
			 s64 *low, s64 *high)
{
	u32 group = p->group_lanes && p->group_lanes < lanes ?
		    p->group_lanes : lanes;

	return extend(low, high, p->lane_stride, 0, group - 1) &&
	       extend(low, high, p->group_stride, 0, (lanes - 1) / group);
}

/*
 * The least address of an affine access and the end of the greatest; false:
 * overflow. Terms are added in the engine's order, so that the engine cannot overflow.
 */
static bool affine_range(const struct simgpu_trace_pattern *p,
			 const struct walk *walk, u32 lanes, s64 *low, s64 *high)
{
	const struct bounds *bounds = walk->bounds;
	u32 i;

	*low = (s64)p->base;
	*high = (s64)p->base;
	for (i = 0; i < 3; i++)
		if (!extend(low, high, p->block_stride[i], bounds->low[i],
			    bounds->high[i]))
			return false;
	if (!extend(low, high, p->warp_stride, bounds->warp_low,
		    bounds->warp_high))
		return false;
	for (i = 0; i < walk->depth; i++)
		if (!extend(low, high, p->loop_stride[i], 0, walk->trips[i] - 1))
			return false;
	return extend_lanes(p, lanes, low, high) &&
	       !__builtin_add_overflow(*high, (s64)p->access_bytes, high);
}

static int check_affine_use(struct checker *c, const struct walk *walk,
			    u64 index, const struct simgpu_trace_op *op)
{
	const struct simgpu_trace_pattern *p = &c->patterns[op->pattern];
	u64 mask = p->xor_bytes;
	s64 low, high;

	if (p->xor_loop) {
		u32 shift;

		if (p->xor_loop > walk->depth)
			return OP(-EINVAL, pattern, "XORs with a loop that is not open");
		shift = walk->trips[p->xor_loop - 1] - 1;
		if (shift > 32 || mask > (SIMGPU_TRACE_SPACE_BYTES >> shift))
			return OP(-EINVAL, pattern, "XORs beyond its region");
		mask <<= shift;
	}
	/* a ^ b <= a + b, and a ^ b is never negative. */
	if (!affine_range(p, walk, op->active_lanes, &low, &high) || low < 0 ||
	    __builtin_add_overflow(high, (s64)mask, &high) ||
	    high > (s64)(p->base + p->region_bytes))
		return OP(-EINVAL, pattern, "leaves its region");
	return 0;
}

static int check_memory_op(struct checker *c, struct walk *walk, u64 index,
			   const struct simgpu_trace_op *op)
{
	const struct simgpu_trace_pattern *p;

	if (op->pattern >= section_count(c->header, SIMGPU_TRACE_PATTERNS))
		return OP(-EINVAL, pattern, "names no pattern");
	p = &c->patterns[op->pattern];
	if (op->consume_after && op->kind == SIMGPU_TRACE_STORE)
		return OP(-EINVAL, consume_after, "is set on a store");
	if (p->kind == SIMGPU_TRACE_RECORDED) {
		if (!op->count || op->count > LANES)
			return OP(-EINVAL, count, "is not 1 to 32 lines");
		walk->lines = fixed_add(walk->lines,
					fixed_mul(walk->times[walk->depth],
						  op->count));
		return 0;
	}
	if (op->count)
		return OP(-EINVAL, count, "is not zero");
	if (p->kind == SIMGPU_TRACE_AFFINE)
		return check_affine_use(c, walk, index, op);
	return 0;
}

static int check_loop(struct checker *c, struct walk *walk, u64 index,
		      const struct simgpu_trace_op *op)
{
	if (op->active_lanes || op->issue_cycles || op->pattern ||
	    op->consume_after)
		return OP(-EINVAL, kind, "is a loop's, yet a field is set");
	if (op->kind == SIMGPU_TRACE_LOOP) {
		if (!op->count)
			return OP(-EINVAL, count, "is zero");
		if (walk->depth == SIMGPU_TRACE_LOOP_DEPTH_MAX)
			return OP(-E2BIG, kind, "nests loops too deep");
		walk->trips[walk->depth] = op->count;
		walk->times[walk->depth + 1] =
			fixed_mul(walk->times[walk->depth], op->count);
		walk->depth++;
		walk->issues[walk->depth] = false;
		return 0;
	}
	if (op->count)
		return OP(-EINVAL, count, "is not zero");
	if (!walk->depth)
		return OP(-EINVAL, kind, "ends a loop that was not begun");
	if (!walk->issues[walk->depth])
		return OP(-EINVAL, kind, "ends a loop that issues nothing");
	walk->depth--;
	walk->issues[walk->depth] = true;
	return 0;
}

static int check_mixed_op(struct checker *c, u64 index,
			  const struct simgpu_trace_op *op)
{
	if (op->mix > section_count(c->header, SIMGPU_TRACE_MIXES))
		return OP(-EINVAL, mix, "names no mix");
	if (op->issue_cycles)
		return OP(-EINVAL, issue_cycles, "is set beside a mix");
	c->mixed += mixed_steps(op->count,
				c->mixes[op->mix - 1].instruction_count);
	if (c->mixed > SIMGPU_TRACE_MIXED_MAX)
		return OP(-E2BIG, mix,
			  "is one too many: ops name 2^26 instructions");
	return 0;
}

static int check_issuing_op(struct checker *c, struct walk *walk, u64 index,
			    const struct simgpu_trace_op *op)
{
	bool burst = op->kind == SIMGPU_TRACE_COMPUTE ||
		     op->kind == SIMGPU_TRACE_SHARED;
	u64 instructions = burst ? op->count : 1;

	if (!op->active_lanes || op->active_lanes > LANES)
		return OP(-EINVAL, active_lanes, "is not 1 to 32");
	walk->issues[walk->depth] = true;
	instructions = fixed_mul(instructions, walk->times[walk->depth]);
	walk->instructions = fixed_add(walk->instructions, instructions);
	if (walk->instructions > SIMGPU_TRACE_WARP_INSTRUCTIONS_MAX)
		return OP(-E2BIG, count, "makes the program too long");
	if (!burst && op->after && c->header->version == 1)
		return OP(-EINVAL, issue_cycles, "is not zero");
	if (!burst && op->kind != SIMGPU_TRACE_BARRIER)
		return check_memory_op(c, walk, index, op);
	if (op->consume_after)
		return OP(-EINVAL, consume_after, "is not zero");
	if (burst && !op->count)
		return OP(-EINVAL, count, "is zero");
	if (op->kind == SIMGPU_TRACE_COMPUTE && op->mix)
		return check_mixed_op(c, index, op);
	if (op->pattern)
		return OP(-EINVAL, pattern, "is not zero");
	if (burst && (!op->issue_cycles || op->issue_cycles > ISSUE_CYCLES_MAX))
		return OP(-EINVAL, issue_cycles, "is not 1 to 1024");
	if (!burst && op->count)
		return OP(-EINVAL, count, "is set on a barrier");
	return 0;
}

/* Whether it is the last one of its program, check_program() says. */
static int check_spin(struct checker *c, struct walk *walk, u64 index,
		      const struct simgpu_trace_op *op)
{
	if (c->header->version < 5)
		return OP(-EINVAL, kind, "is of version 5");
	if (walk->depth)
		return OP(-EINVAL, kind, "spins in a loop");
	if (!op->active_lanes || op->active_lanes > LANES)
		return OP(-EINVAL, active_lanes, "is not 1 to 32");
	if (op->issue_cycles || op->count || op->pattern || op->consume_after)
		return OP(-EINVAL, kind, "spins, yet a field is set");
	walk->spins = true;
	return 0;
}

static int check_op(struct checker *c, struct walk *walk, u64 index)
{
	const struct simgpu_trace_op *op = &c->ops[index];

	if (walk->spins)
		return OP(-EINVAL, kind, "stands behind one that spins");
	switch (op->kind) {
	case SIMGPU_TRACE_LOOP:
	case SIMGPU_TRACE_LOOP_END:
		return check_loop(c, walk, index, op);
	case SIMGPU_TRACE_COMPUTE:
	case SIMGPU_TRACE_LOAD:
	case SIMGPU_TRACE_STORE:
	case SIMGPU_TRACE_ATOMIC:
	case SIMGPU_TRACE_SHARED:
	case SIMGPU_TRACE_BARRIER:
	case SIMGPU_TRACE_CONSTANT:
		return check_issuing_op(c, walk, index, op);
	case SIMGPU_TRACE_SPIN:
		return check_spin(c, walk, index, op);
	default:
		return OP(-EINVAL, kind, "is unknown");
	}
}

#define PROGRAM(field, reason) \
	ELEMENT(-EINVAL, "programs", index, p, field, reason)

/* @next_op: where the program must begin; set to where the next program must begin. */
static int check_program(struct checker *c, u64 index, u64 *next_op)
{
	const struct simgpu_trace_program *p = &c->programs[index];
	u64 ops = section_count(c->header, SIMGPU_TRACE_OPS), i;
	struct walk walk = { .bounds = &c->bounds[index], .times = { 1 } };
	int ret;

	if (p->first_op != *next_op)
		return PROGRAM(first_op, "does not follow the program before");
	if (!p->op_count)
		return PROGRAM(op_count, "is zero");
	*next_op += p->op_count;
	if (*next_op > ops)
		return PROGRAM(op_count, "reaches past the ops");
	for (i = p->first_op; i < *next_op; i++) {
		ret = look(c) ?: check_op(c, &walk, i);
		if (ret)
			return ret;
	}
	if (walk.depth)
		return PROGRAM(op_count, "leaves a loop open");
	c->lines_needed[index] = walk.lines;
	return 0;
}

int check_programs(struct checker *c)
{
	u64 programs = section_count(c->header, SIMGPU_TRACE_PROGRAMS);
	u64 index, next_op = 0;
	int ret;

	for (index = 0; index < programs; index++) {
		ret = look(c) ?: check_program(c, index, &next_op);
		if (ret)
			return ret;
	}
	if (next_op != section_count(c->header, SIMGPU_TRACE_OPS))
		return refuse_rest(c, SIMGPU_TRACE_OPS, "has ops of no program");
	return 0;
}

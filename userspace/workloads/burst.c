// SPDX-License-Identifier: GPL-2.0
/* Bursts that repeat themselves, nominal latencies; see burst.h. */
#include <stdbool.h>
#include <string.h>

#include "burst.h"

/* Instructions that a separate op must save: an op takes as much room as four. */
#define WORTH_AN_OP	64

/* An op that repeats its mix counts as whole rounds, of about this many instructions. */
#define ROUNDS_OF	240

/* Close to those of recent GPUs. */
const uint32_t nominal_latency[SIMGPU_TRACE_UNITS] = {
	[SIMGPU_TRACE_UNIT_INTEGER] = 5,
	[SIMGPU_TRACE_UNIT_FP32] = 5,
	[SIMGPU_TRACE_UNIT_FP64] = 9,
	[SIMGPU_TRACE_UNIT_SFU] = 20,
	[SIMGPU_TRACE_UNIT_TENSOR] = 9,
	[SIMGPU_TRACE_UNIT_SHARED] = 25,
	[SIMGPU_TRACE_UNIT_CONTROL] = 5,
};

static bool is_same(const struct simgpu_trace_instruction *a,
		    const struct simgpu_trace_instruction *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/*
 * The longest row of instructions that each equal the one @period before; *end is
 * set to its end.
 */
static size_t longest_row(const struct simgpu_trace_instruction *list,
			  size_t count, size_t period, size_t *end)
{
	size_t row = 0, longest = 0, i;

	*end = 0;
	for (i = period; i < count; i++) {
		row = is_same(&list[i], &list[i - period]) ? row + 1 : 0;
		if (row > longest) {
			longest = row;
			*end = i + 1;
		}
	}
	return longest;
}

/* The longest repetition, with the shortest period that gives it. */
static struct stretch find_repeating(const struct simgpu_trace_instruction *list,
				     size_t count)
{
	struct stretch best = { .count = 0 };
	size_t saved = 0, period, row, end;

	for (period = 1; period <= SIMGPU_TRACE_MIX_MAX &&
			 period + saved < count; period++) {
		row = longest_row(list, count, period, &end);
		if (row <= saved)
			continue;
		saved = row;
		best = (struct stretch) {
			.first = end - row - period, .count = row + period,
			.period = period,
		};
	}
	return best;
}

struct stretch burst_stretch(const struct simgpu_trace_instruction *list,
			     size_t count)
{
	struct stretch found;

	for (;;) {
		found = find_repeating(list, count);
		if (!found.first && found.count == count)
			return found;
		if (found.count < found.period + WORTH_AN_OP)
			break;
		if (!found.first)
			return found;
		/* The repetition comes later, so only the part before it is used now. */
		count = found.first;
	}
	if (count > SIMGPU_TRACE_MIX_MAX)
		count = SIMGPU_TRACE_MIX_MAX;
	return (struct stretch) { .count = count, .period = count };
}

uint64_t burst_named(uint32_t count, uint32_t period)
{
	uint64_t rounds = (ROUNDS_OF + period - 1) / period;

	if (rounds < 2)
		rounds = 2;
	rounds += rounds & 1;
	return count < rounds * period ? count : rounds * period;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the writers of real programs' traces (the recorder, the conversion of
 * Accel-Sim's): which instructions of a list repeat, and nominal latencies.
 */
#ifndef WORKLOADS_BURST_H
#define WORKLOADS_BURST_H

#include <stddef.h>
#include <stdint.h>
#include <linux/simgpu_trace.h>

/*
 * Which of an instruction's producers is ready last depends on latencies, which a trace
 * does not have. Nominal latencies decide it, for a warp that is alone
 * and issues an instruction a cycle, as soon as its operands are ready. In cycles from
 * issue to use, by unit, and for a load that hits in an L1.
 */
extern const uint32_t nominal_latency[SIMGPU_TRACE_UNITS];
#define NOMINAL_LOAD	30
/*
 * A result is assumed to be ready on any device after this many times its nominal
 * latency.
 */
#define NOMINAL_REACH	2

/* Most instructions of a burst before it is turned into ops. */
#define BURST_MAX	8192

/**
 * struct stretch - instructions that repeat
 * @first: index of the first one
 * @count: number of instructions; each, from @period on, equals the one @period before it
 * @period: at most SIMGPU_TRACE_MIX_MAX
 */
struct stretch {
	size_t first;
	size_t count;
	size_t period;
};

/**
 * burst_stretch() - the instructions of a list that make its first op
 * @list: instructions, with their distances
 * @count: number of instructions, at least 1
 *
 * A list that repeats throughout is one op. In any other list, a part that repeats
 * becomes an op of its own if that saves at least 64 instructions, and the rest is cut
 * where it is longer than a mix.
 *
 * Return: a stretch that begins at 0; call again for the rest of the list.
 */
struct stretch burst_stretch(const struct simgpu_trace_instruction *list,
			     size_t count);

/*
 * burst_named() - instructions of mixes that an op counts for, by the rule of
 *	SIMGPU_TRACE_MIXED_MAX
 * @count: instructions of the op
 * @period: length of its mix
 */
uint64_t burst_named(uint32_t count, uint32_t period);

#endif /* WORKLOADS_BURST_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What those who write traces of real programs share: which instructions of a list
 * repeat themselves, and nominal latencies.
 */
#ifndef WORKLOADS_BURST_H
#define WORKLOADS_BURST_H

#include <stddef.h>
#include <stdint.h>
#include <linux/simgpu_trace.h>

/*
 * Which of an instruction's producers comes last depends on latencies, which are
 * the device's and not the trace's. Nominal ones decide it: a warp that is alone
 * and issues an instruction a cycle, as soon as its operands are there. Cycles from
 * issue to use, by unit, and of a load that hits in an L1.
 */
extern const uint32_t nominal_latency[SIMGPU_TRACE_UNITS];
#define NOMINAL_LOAD	30
/*
 * What was issued before so many times its nominal latency is there, whatever the
 * device.
 */
#define NOMINAL_REACH	2

/* Instructions of a burst that are held before it becomes ops. */
#define BURST_MAX	8192

/**
 * struct stretch - instructions that repeat themselves
 * @first: index of the first one
 * @count: how many; each but the first @period is as that @period before it
 * @period: at most SIMGPU_TRACE_MIX_MAX
 */
struct stretch {
	size_t first;
	size_t count;
	size_t period;
};

/**
 * burst_stretch() - the first op's worth of a list of instructions
 * @list: instructions, with their distances
 * @count: how many, at least 1
 *
 * A list that repeats itself throughout is one op. Of any other, what repeats
 * itself inside is set apart if that saves 64 instructions at least, and what is
 * longer than a mix is cut.
 *
 * Return: a stretch that begins at 0; the rest of the list is to be asked for
 * in turn.
 */
struct stretch burst_stretch(const struct simgpu_trace_instruction *list,
			     size_t count);

/*
 * burst_named() - instructions of mixes that an op counts for, by the rule of
 *	SIMGPU_TRACE_MIXED_MAX
 * @count: the op's
 * @period: its mix's length
 */
uint64_t burst_named(uint32_t count, uint32_t period);

#endif /* WORKLOADS_BURST_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* A burst of arithmetic and shared memory as ops with mixes. */
#ifndef ACCELSIM_BURST_H
#define ACCELSIM_BURST_H

#include <stddef.h>
#include <stdint.h>
#include <linux/simgpu_trace.h>

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

#endif /* ACCELSIM_BURST_H */

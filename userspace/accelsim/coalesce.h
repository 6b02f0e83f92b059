/* SPDX-License-Identifier: GPL-2.0 */
/* The lines that a memory instruction touches, and which of their sectors. */
#ifndef ACCELSIM_COALESCE_H
#define ACCELSIM_COALESCE_H

#include <stdint.h>

#include "instruction.h"

/* An access of 16 bytes may cross from one line to the next. */
#define TOUCHED_MAX	(2 * WARP_LANES)

/**
 * struct touched - lines in the order in which lanes first touch them
 * @line: its number in the traced program's addresses
 * @flags: SIMGPU_TRACE_LINE_SKIP, SIMGPU_TRACE_LINE_PARTIAL
 * @count: 1 to 32
 */
struct touched {
	uint64_t line[TOUCHED_MAX];
	uint32_t flags[TOUCHED_MAX];
	uint32_t count;
};

/**
 * coalesce() - the lines of the lanes' bytes
 *
 * Each line comes once, but of atomics: there each sector of 32 bytes is a
 * transaction of its own, and so are lanes that want the same bytes of it. A lane
 * goes with the first transaction of its sector that leaves its bytes alone.
 * That is GPGPU-Sim's rule.
 */
void coalesce(const struct instruction *instruction, struct touched *touched);

#endif /* ACCELSIM_COALESCE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The lines that a memory instruction touches, and which of their sectors. */
#ifndef ACCELSIM_COALESCE_H
#define ACCELSIM_COALESCE_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/simgpu_trace.h>

#include "instruction.h"

#define SECTOR_BYTES	32
#define SECTORS		(SIMGPU_TRACE_LINE_BYTES / SECTOR_BYTES)
/* An access of 16 bytes may cross from one line to the next. */
#define TOUCHED_MAX	(2 * WARP_LANES)

/**
 * struct touched - lines in the order in which lanes first touch them
 * @line: number of each line in the traced program's addresses
 * @flags: SIMGPU_TRACE_LINE_SKIP, SIMGPU_TRACE_LINE_PARTIAL
 * @count: 1 to 32
 */
struct touched {
	uint64_t line[TOUCHED_MAX];
	uint32_t flags[TOUCHED_MAX];
	uint32_t count;
};

/**
 * coalesce() - the lines that the lanes' bytes are in
 *
 * Each line comes once, except for atomics (GPGPU-Sim's rule). For these each sector of
 * 32 bytes is a transaction of its own, and lanes that access the same bytes of a sector
 * need several transactions. A lane joins the first transaction of its sector that does
 * not have its bytes.
 */
void coalesce(const struct instruction *instruction, struct touched *touched);

/* Those of the bytes from @first to before @end of a line that lie in a sector, a bit each. */
uint32_t sector_bytes(uint32_t sector, uint32_t first, uint32_t end);

/* Flags of a line of which these bytes are touched: SECTORS words, as of sector_bytes(). */
uint32_t sector_flags(const uint32_t *sectors, bool is_store);

#endif /* ACCELSIM_COALESCE_H */

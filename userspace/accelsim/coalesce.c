// SPDX-License-Identifier: GPL-2.0
/* The lines that a memory instruction touches; see coalesce.h. */
#include <stdbool.h>
#include <linux/simgpu_trace.h>

#include "coalesce.h"

/**
 * struct parts - the bytes that are touched of each line
 * @sector: a bit for each byte of each sector
 */
struct parts {
	uint32_t sector[TOUCHED_MAX][SECTORS];
};

uint32_t sector_bytes(uint32_t sector, uint32_t first, uint32_t end)
{
	uint32_t begin = sector * SECTOR_BYTES;
	uint64_t bits;

	if (end <= begin || first >= begin + SECTOR_BYTES)
		return 0;
	first = first > begin ? first - begin : 0;
	end = end - begin < SECTOR_BYTES ? end - begin : SECTOR_BYTES;
	bits = (1ULL << end) - (1ULL << first);
	return (uint32_t)bits;
}

/* Whether a lane's bytes may join a transaction of an atomic: same sector, other bytes. */
static bool goes_with(const uint32_t *sectors, uint32_t first, uint32_t end)
{
	uint32_t bytes, i;

	for (i = 0; i < SECTORS; i++) {
		bytes = sector_bytes(i, first, end);
		if (!bytes != !sectors[i] || (sectors[i] & bytes))
			return false;
	}
	return true;
}

/* Add the bytes from @first to @end of a line. */
static void touch(struct touched *touched, struct parts *parts, uint64_t line,
		  uint32_t first, uint32_t end, bool is_atomic)
{
	uint32_t at, i;

	for (at = 0; at < touched->count; at++)
		if (touched->line[at] == line &&
		    (!is_atomic || goes_with(parts->sector[at], first, end)))
			break;
	if (at == touched->count) {
		touched->line[touched->count++] = line;
		for (i = 0; i < SECTORS; i++)
			parts->sector[at][i] = 0;
	}
	for (i = 0; i < SECTORS; i++)
		parts->sector[at][i] |= sector_bytes(i, first, end);
}

uint32_t sector_flags(const uint32_t *sectors, bool is_store)
{
	uint32_t flags = 0, i;

	for (i = 0; i < SECTORS; i++) {
		if (!sectors[i])
			flags |= 1U << (SIMGPU_TRACE_LINE_SKIP_SHIFT + i);
		else if (is_store && sectors[i] != UINT32_MAX)
			flags |= SIMGPU_TRACE_LINE_PARTIAL;
	}
	return flags;
}

void coalesce(const struct instruction *instruction, struct touched *touched)
{
	bool is_atomic = instruction->kind == INSTRUCTION_ATOMIC;
	bool is_store = instruction->kind == INSTRUCTION_STORE;
	struct parts parts;
	uint32_t i;

	touched->count = 0;
	for (i = 0; i < instruction->addresses; i++) {
		uint64_t line = instruction->address[i] /
				SIMGPU_TRACE_LINE_BYTES;
		uint32_t first = instruction->address[i] %
				 SIMGPU_TRACE_LINE_BYTES;
		uint32_t end = first + instruction->width;

		if (end <= SIMGPU_TRACE_LINE_BYTES) {
			touch(touched, &parts, line, first, end, is_atomic);
			continue;
		}
		touch(touched, &parts, line, first, SIMGPU_TRACE_LINE_BYTES,
		      is_atomic);
		touch(touched, &parts, line + 1, 0,
		      end - SIMGPU_TRACE_LINE_BYTES, is_atomic);
	}
	if (touched->count > WARP_LANES)
		touched->count = WARP_LANES;
	for (i = 0; i < touched->count; i++)
		touched->flags[i] = sector_flags(parts.sector[i], is_store);
}

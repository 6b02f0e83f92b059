// SPDX-License-Identifier: GPL-2.0
/* The lines that a bulk copy touches; see bulk.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <linux/simgpu_trace.h>

#include "bulk.h"
#include "coalesce.h"
#include "words.h"

static const char no_memory[] = "has no memory for its addresses";

/* --- the addresses ------------------------------------------------------------------- */

static const char *read_addresses(const struct bulk *bulk, struct bulk_lines *lines)
{
	struct words words = { .rest = bulk->text };
	uint64_t address = bulk->base;
	int64_t value;
	uint32_t i;

	for (i = 0; i < bulk->count; i++) {
		if (!bulk->is_delta || i) {
			if (!words_number(&words, bulk->is_delta ? 10 : 16, &value))
				return "has transfers without an address";
			address = bulk->is_delta ? address + (uint64_t)value :
						   (uint64_t)value;
		}
		lines->address[i] = address;
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* --- the lines ----------------------------------------------------------------------- */

static bool grow(struct bulk_lines *lines)
{
	size_t room = lines->line_room ? lines->line_room * 2 : 256;
	uint64_t *line = realloc(lines->line, room * sizeof(*line));
	uint32_t *flags;

	if (!line)
		return false;
	lines->line = line;
	flags = realloc(lines->flags, room * sizeof(*flags));
	if (!flags)
		return false;
	lines->flags = flags;
	lines->line_room = room;
	return true;
}

static bool add_line(struct bulk_lines *lines, uint64_t line, uint32_t flags)
{
	if (lines->count == lines->line_room && !grow(lines))
		return false;
	lines->line[lines->count] = line;
	lines->flags[lines->count++] = flags;
	return true;
}

/* Add a line, or of a reduction its sectors. */
static bool add_parts(struct bulk_lines *lines, uint64_t line, const uint32_t *sectors,
		      uint32_t kind)
{
	uint32_t one[SECTORS], i;

	if (kind != INSTRUCTION_ATOMIC)
		return add_line(lines, line,
				sector_flags(sectors, kind == INSTRUCTION_STORE));
	for (i = 0; i < SECTORS; i++) {
		if (!sectors[i])
			continue;
		memset(one, 0, sizeof(one));
		one[i] = sectors[i];
		if (!add_line(lines, line, sector_flags(one, false)))
			return false;
	}
	return true;
}

/* Addresses are in ascending order, so a line is complete when the next one begins. */
static bool merge(const struct instruction *instruction, struct bulk_lines *lines)
{
	uint32_t sectors[SECTORS] = { 0 }, i, part;
	uint64_t line = lines->address[0] / SIMGPU_TRACE_LINE_BYTES;
	bool ok = true;

	for (i = 0; i < instruction->bulk.count; i++) {
		uint64_t at = lines->address[i], end = at + instruction->bulk.width;

		while (at < end && ok) {
			uint64_t here = at / SIMGPU_TRACE_LINE_BYTES;
			uint64_t next = (here + 1) * SIMGPU_TRACE_LINE_BYTES;
			uint32_t first = at % SIMGPU_TRACE_LINE_BYTES;
			uint32_t bytes = (uint32_t)((end < next ? end : next) - at);

			/* A transfer of several lines may have gone past this one. */
			if (here > line) {
				ok = add_parts(lines, line, sectors, instruction->kind);
				memset(sectors, 0, sizeof(sectors));
				line = here;
			}
			for (part = 0; here == line && part < SECTORS; part++)
				sectors[part] |= sector_bytes(part, first, first + bytes);
			at += bytes;
		}
	}
	return ok && add_parts(lines, line, sectors, instruction->kind);
}

const char *bulk_coalesce(const struct instruction *instruction, struct bulk_lines *lines)
{
	const struct bulk *bulk = &instruction->bulk;
	const char *problem;
	uint64_t *address;

	lines->count = 0;
	if (bulk->count > lines->address_room) {
		address = realloc(lines->address, bulk->count * sizeof(*address));
		if (!address)
			return no_memory;
		lines->address = address;
		lines->address_room = bulk->count;
	}
	problem = read_addresses(bulk, lines);
	if (problem)
		return problem;
	qsort(lines->address, bulk->count, sizeof(*lines->address), compare);
	if (lines->address[bulk->count - 1] > UINT64_MAX - TRANSFER_BYTES_MAX)
		return "has an address at the end of the address space";
	return merge(instruction, lines) ? NULL : no_memory;
}

void bulk_lines_free(struct bulk_lines *lines)
{
	free(lines->line);
	free(lines->flags);
	free(lines->address);
}

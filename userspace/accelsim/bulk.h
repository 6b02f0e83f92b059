/* SPDX-License-Identifier: GPL-2.0 */
/* The lines that a bulk copy touches, and which of their sectors. */
#ifndef ACCELSIM_BULK_H
#define ACCELSIM_BULK_H

#include <stddef.h>
#include <stdint.h>

#include "instruction.h"

/**
 * struct bulk_lines - the lines of a bulk copy, in ascending order
 * @line: number of each line in the traced program's addresses
 * @flags: as of &struct touched
 * @count: number of them
 * @address: the transfers' addresses, for bulk_coalesce() alone
 */
struct bulk_lines {
	uint64_t *line;
	uint32_t *flags;
	size_t count;
	size_t line_room;
	uint64_t *address;
	size_t address_room;
};

/**
 * bulk_coalesce() - the lines that the transfers' bytes are in
 * @instruction: an instruction with a bulk copy; the line that it was parsed from is
 *	still there, and is cut into words
 * @lines: filled in; zeroed before the first call. It keeps its memory for the next one
 *
 * Each line comes once, but for reductions, of which each sector of 32 bytes is a
 * transaction of its own, as of atomics (coalesce.h).
 *
 * Return: NULL, or in a few words what is wrong.
 */
const char *bulk_coalesce(const struct instruction *instruction, struct bulk_lines *lines);

void bulk_lines_free(struct bulk_lines *lines);

#endif /* ACCELSIM_BULK_H */

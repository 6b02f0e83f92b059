// SPDX-License-Identifier: GPL-2.0
/* The different programs of a kernel's warps; see programs.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "programs.h"

/* Two checksums of 32 bits; equal ones are compared in full. */
static uint64_t hash_of(const struct simgpu_trace_op *ops, size_t count)
{
	size_t bytes = count * sizeof(*ops);

	return (uint64_t)crc32_z(0, (const void *)ops, bytes) << 32 |
	       adler32_z(1, (const void *)ops, bytes);
}

static void put(struct programs *programs, size_t index)
{
	size_t at = programs->list[index].hash & (programs->slots - 1);

	while (programs->slot[at])
		at = (at + 1) & (programs->slots - 1);
	programs->slot[at] = (uint32_t)index + 1;
}

static int make_room(struct programs *programs, size_t ops)
{
	size_t i;

	while (programs->op_count + ops > programs->op_room) {
		size_t room = programs->op_room ? programs->op_room * 2 : 1024;
		void *list = realloc(programs->ops,
				     room * sizeof(*programs->ops));

		if (!list)
			return -ENOMEM;
		programs->ops = list;
		programs->op_room = room;
	}
	if (programs->count == programs->room) {
		size_t room = programs->room ? programs->room * 2 : 64;
		void *list = realloc(programs->list,
				     room * sizeof(*programs->list));
		uint32_t *slot = calloc(room * 2, sizeof(*slot));

		if (list)
			programs->list = list;
		if (!list || !slot) {
			free(slot);
			return -ENOMEM;
		}
		free(programs->slot);
		programs->slot = slot;
		programs->slots = room * 2;
		programs->room = room;
		for (i = 0; i < programs->count; i++)
			put(programs, i);
	}
	return 0;
}

static int is_equal(const struct programs *programs, size_t index, uint64_t hash,
		    const struct simgpu_trace_op *ops, size_t count)
{
	const struct program *program = &programs->list[index];

	return program->hash == hash && program->count == count &&
	       !memcmp(&programs->ops[program->first], ops,
		       count * sizeof(*ops));
}

int64_t programs_find(struct programs *programs,
		      const struct simgpu_trace_op *ops, size_t count)
{
	uint64_t hash = hash_of(ops, count);
	size_t at, index;

	if (programs->slots) {
		at = hash & (programs->slots - 1);
		for (; programs->slot[at]; at = (at + 1) & (programs->slots - 1)) {
			index = programs->slot[at] - 1;
			if (is_equal(programs, index, hash, ops, count))
				return (int64_t)index;
		}
	}
	if (make_room(programs, count))
		return -ENOMEM;
	programs->list[programs->count] = (struct program) {
		.hash = hash, .first = programs->op_count, .count = count,
	};
	memcpy(&programs->ops[programs->op_count], ops, count * sizeof(*ops));
	programs->op_count += count;
	put(programs, programs->count);
	return (int64_t)programs->count++;
}

void programs_free(struct programs *programs)
{
	free(programs->list);
	free(programs->ops);
	free(programs->slot);
}

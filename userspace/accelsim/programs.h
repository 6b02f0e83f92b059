/* SPDX-License-Identifier: GPL-2.0 */
/* The different programs of a kernel's warps, each kept once. */
#ifndef ACCELSIM_PROGRAMS_H
#define ACCELSIM_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>
#include <linux/simgpu_trace.h>

/** struct program - @count ops from @first on */
struct program {
	uint64_t hash;
	size_t first;
	size_t count;
};

struct programs {
	struct program *list;
	size_t count;
	size_t room;
	struct simgpu_trace_op *ops;
	size_t op_count;
	size_t op_room;
	uint32_t *slot;		/* hash table of indices + 1 */
	size_t slots;
};

/* Index of the program with these ops, added if it is new; -ENOMEM. */
int64_t programs_find(struct programs *programs,
		      const struct simgpu_trace_op *ops, size_t count);
void programs_free(struct programs *programs);

#endif /* ACCELSIM_PROGRAMS_H */

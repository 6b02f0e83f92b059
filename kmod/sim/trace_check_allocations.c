// SPDX-License-Identifier: GPL-2.0
/* The validator of traces: allocations. */
#include "trace_check.h"

#define ALLOCATION(code, field, reason) \
	ELEMENT(code, "allocations", index, a, field, reason)

/* Check what an allocation says by itself. */
static int check_allocation(struct checker *c, u64 index)
{
	const struct simgpu_trace_allocation *a = &c->allocations[index];

	if (!name_is_good(a->name))
		return ALLOCATION(-EINVAL, name, "is not a printable name");
	if (a->base % SIMGPU_TRACE_ALLOCATION_ALIGN)
		return ALLOCATION(-EINVAL, base, "is not a multiple of 4096");
	if (!a->bytes)
		return ALLOCATION(-EINVAL, bytes, "is zero");
	if (fixed_add(a->base, a->bytes) > c->header->footprint_bytes)
		return ALLOCATION(-EINVAL, bytes, "reaches past the footprint");
	if (a->kind != SIMGPU_TRACE_DEVICE && a->kind != SIMGPU_TRACE_MANAGED)
		return ALLOCATION(-EINVAL, kind, "is unknown");
	if (a->flags)
		return ALLOCATION(-EINVAL, flags, "is not zero");
	if (a->first_command)
		return ALLOCATION(-EINVAL, first_command, "is not zero");
	if (a->last_command != SIMGPU_TRACE_TO_END)
		return ALLOCATION(-EINVAL, last_command,
				  "is not that of the end");
	return 0;
}

/* Check where an allocation lies beside the one before it. Both are good by themselves. */
static int check_place(struct checker *c, u64 index)
{
	const struct simgpu_trace_allocation *a = &c->allocations[index];
	const struct simgpu_trace_allocation *before = a - 1;
	u64 last = before->base + before->bytes - 1;

	if (a->base < before->base)
		return ALLOCATION(-EINVAL, base, "is not in ascending order");
	if (a->base <= last)
		return ALLOCATION(-EINVAL, base, "lies in the allocation before");
	if (a->kind != before->kind &&
	    a->base / SIMGPU_TRACE_MEMORY_BLOCK_BYTES == last / SIMGPU_TRACE_MEMORY_BLOCK_BYTES)
		return ALLOCATION(-EINVAL, base,
				  "shares a block of 2 MiB with an allocation of another kind");
	return 0;
}

int check_allocations(struct checker *c)
{
	u64 count = section_count(c->header, SIMGPU_TRACE_ALLOCATIONS), index;
	int ret = 0;

	for (index = 0; !ret && index < count; index++) {
		if (look(c))
			return -EINTR;
		ret = check_allocation(c, index);
		if (!ret && index)
			ret = check_place(c, index);
	}
	return ret;
}

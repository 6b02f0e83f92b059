// SPDX-License-Identifier: GPL-2.0
/* The allocations of a trace; see allocations.h. */
#include "../workloads/builder.h"
#include "allocations.h"

/* The allocations of a trace that may not be checked yet; @count of them lie in the file. */
static struct simgpu_trace_allocation *find(const void *bytes, size_t size, u64 *count)
{
	const struct simgpu_trace_header *header = bytes;
	const struct simgpu_trace_section *section;

	*count = 0;
	if (size < sizeof(*header) || header->magic != SIMGPU_TRACE_MAGIC ||
	    header->version < SIMGPU_TRACE_VERSION_V4 ||
	    header->version > SIMGPU_TRACE_VERSION)
		return NULL;
	section = &header->sections[SIMGPU_TRACE_ALLOCATIONS];
	if (section->offset % 8 || section->offset > size ||
	    section->count > (size - section->offset) / sizeof(struct simgpu_trace_allocation))
		return NULL;
	*count = section->count;
	return (struct simgpu_trace_allocation *)((char *)bytes + section->offset);
}

bool allocations_managed(const void *bytes, size_t size)
{
	const struct simgpu_trace_allocation *allocation;
	u64 count, i;

	allocation = find(bytes, size, &count);
	for (i = 0; i < count; i++)
		if (allocation[i].kind == SIMGPU_TRACE_MANAGED)
			return true;
	return false;
}

/* Make the allocations of one name managed; whether there are any. */
static bool manage(struct simgpu_trace_allocation *allocation, u64 count, const char *name,
		   size_t length)
{
	bool found = false;
	u64 i;

	for (i = 0; i < count; i++) {
		if (length >= SIMGPU_TRACE_NAME_BYTES || allocation[i].name[length] ||
		    strncmp(allocation[i].name, name, length))
			continue;
		allocation[i].kind = SIMGPU_TRACE_MANAGED;
		found = true;
	}
	return found;
}

int allocations_manage(const char *path, void *bytes, size_t size, const char *names)
{
	u64 count;
	struct simgpu_trace_allocation *allocation = find(bytes, size, &count);
	size_t length;

	if (!count)
		return fail("%s says nothing of its allocations: managed=1 manages all of its memory",
			    path);
	for (;; names += length + 1) {
		length = strcspn(names, "+");
		if (!manage(allocation, count, names, length))
			return fail("%s has no allocation \"%.*s\"; simgpu trace info lists them",
				    path, (int)length, names);
		if (!names[length])
			break;
	}
	builder_seal(bytes, size);
	return STATUS_OK;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Gives buffers their places: see address_space.h.
 */
#include "address_space.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include <oclgrind/Memory.h>

#include "give_up.h"

namespace record {

/* Buffers begin at multiples of this in the tenant's space. */
constexpr uint64_t BUFFER_ALIGN_BYTES = SIMGPU_TRACE_ALLOCATION_ALIGN;

void AddressSpace::allocated(const oclgrind::Memory *memory, size_t address, size_t size)
{
	buffers[key(memory, address)] = {size, UNPLACED, created++};
}

void AddressSpace::deallocated(const oclgrind::Memory *memory, size_t address)
{
	buffers.erase(key(memory, address));
	last_key = {nullptr, 0};
}

uint64_t AddressSpace::translate(const oclgrind::Memory *memory, size_t address,
				 size_t size)
{
	size_t offset = memory->extractOffset(address);
	Buffer *buffer = find(key(memory, address));

	if (!buffer)
		give_up("a kernel accesses memory that is in no buffer");
	if (buffer->base == UNPLACED)
		place(*buffer);
	if (offset >= buffer->size || size > buffer->size - offset) {
		accesses_outside++;
		offset = buffer->size - std::min(size, buffer->size);
	}
	return buffer->base + offset;
}

AddressSpace::Key AddressSpace::key(const oclgrind::Memory *memory, size_t address)
{
	return {memory, memory->extractBuffer(address)};
}

AddressSpace::Buffer *AddressSpace::find(const Key &wanted)
{
	if (wanted == last_key)
		return last_buffer;

	auto found = buffers.find(wanted);

	if (found == buffers.end())
		return nullptr;
	last_key = wanted;
	last_buffer = &found->second;
	return last_buffer;
}

void AddressSpace::place(Buffer &buffer)
{
	uint64_t size = (buffer.size + BUFFER_ALIGN_BYTES - 1) &
			~(BUFFER_ALIGN_BYTES - 1);

	if (size > SIMGPU_TRACE_SPACE_BYTES - end)
		give_up("the kernels touch more than %llu bytes of memory",
			SIMGPU_TRACE_SPACE_BYTES);
	buffer.base = end;
	end += size;
	list(buffer);
}

/* Buffers are named by the order in which the program made them, from 0 on. */
void AddressSpace::list(const Buffer &buffer)
{
	simgpu_trace_allocation allocation = {};

	if (placed.size() == SIMGPU_TRACE_ALLOCATIONS_MAX) {
		unlisted++;
		return;
	}
	snprintf(allocation.name, sizeof(allocation.name), "buffer %" PRIu64, buffer.number);
	allocation.base = buffer.base;
	allocation.bytes = buffer.size;
	allocation.kind = SIMGPU_TRACE_DEVICE;
	allocation.last_command = SIMGPU_TRACE_TO_END;
	placed.push_back(allocation);
}

} /* namespace record */

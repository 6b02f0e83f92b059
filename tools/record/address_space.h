// SPDX-License-Identifier: GPL-2.0
/*
 * The tenant's address space, into which Oclgrind's global buffers are packed.
 * Not here: local memory, which has addresses of its own, and accesses.
 */
#ifndef SIMGPU_RECORD_ADDRESS_SPACE_H
#define SIMGPU_RECORD_ADDRESS_SPACE_H

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <linux/simgpu_trace.h>

/* Not its headers: they cannot be included twice. */
namespace oclgrind {
class Memory;
}

namespace record {

class AddressSpace {
public:
	void allocated(const oclgrind::Memory *memory, size_t address, size_t size);
	void deallocated(const oclgrind::Memory *memory, size_t address);

	/*
	 * Where an access lies in the tenant's space. A buffer gets its place
	 * when a kernel first touches it, and keeps it; nothing moves into the
	 * place of a freed buffer. What lies outside of a buffer is taken to
	 * its end, and counted.
	 */
	uint64_t translate(const oclgrind::Memory *memory, size_t address, size_t size);

	/* Accesses outside of a buffer since the last call. */
	uint64_t take_accesses_outside()
	{
		uint64_t count = accesses_outside;

		accesses_outside = 0;
		return count;
	}

	uint64_t footprint() const
	{
		return end;
	}

	/* Buffers that kernels have touched, those freed since too, in the order of places. */
	const std::vector<simgpu_trace_allocation> &allocations() const
	{
		return placed;
	}

	/* Touched buffers beyond those, of which a trace cannot tell. */
	uint64_t left_out() const
	{
		return unlisted;
	}

private:
	typedef std::pair<const oclgrind::Memory *, size_t> Key;

	struct Buffer {
		size_t size;
		uint64_t base;
		uint64_t number;
	};

	struct KeyHash {
		size_t operator()(const Key &key) const
		{
			return (size_t)key.first * 31 + key.second;
		}
	};

	static constexpr uint64_t UNPLACED = ~0ULL;

	static Key key(const oclgrind::Memory *memory, size_t address);
	Buffer *find(const Key &wanted);
	void place(Buffer &buffer);
	void list(const Buffer &buffer);

	/* References into the map stay valid while others come and go. */
	std::unordered_map<Key, Buffer, KeyHash> buffers;
	Key last_key = {nullptr, 0};
	Buffer *last_buffer = nullptr;
	std::vector<simgpu_trace_allocation> placed;
	uint64_t end = 0;
	uint64_t created = 0;
	uint64_t unlisted = 0;
	uint64_t accesses_outside = 0;
};

} /* namespace record */

#endif

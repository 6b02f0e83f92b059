// SPDX-License-Identifier: GPL-2.0
/*
 * What one access of a warp costs the memory system: lines of global memory, and
 * cycles of shared memory.
 * Not here: which lanes access together (warp.h), and the ops (warp_program.h).
 */
#ifndef SIMGPU_RECORD_COALESCER_H
#define SIMGPU_RECORD_COALESCER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace record {

enum class AccessKind : uint8_t {
	LOAD,
	STORE,
	ATOMIC,
	CONSTANT,
	SHARED,
	SHARED_ATOMIC,
};

/* What one lane accesses at once: at most Instruction.piece_bytes. */
struct Access {
	uint64_t address;
	uint32_t instruction;	/* in its segment */
	uint8_t bytes;
	AccessKind kind;
};

/*
 * How far the lanes' addresses are from the first one's, as an affine pattern
 * says it: &struct simgpu_trace_pattern.
 */
struct LaneForm {
	uint32_t access_bytes;
	uint32_t group_lanes;
	int64_t lane_stride;
	int64_t group_stride;
};

/* The accesses of a warp's lanes to global memory, as lines of 128 bytes. */
class Coalescer {
public:
	void clear()
	{
		lines.clear();
		addresses.clear();
	}

	void add(const Access &access);

	/*
	 * Whether the lanes' addresses have a form from which the device makes
	 * the same lines, with the same sectors of them touched or partly written.
	 */
	bool find_form(bool is_store, LaneForm &form) const;

	/* The address of the first lane. */
	uint64_t address() const
	{
		return addresses.front();
	}

	/*
	 * Lines in the order in which the lanes first touch them. Sectors of an
	 * atomic are lines of their own, and so are lanes that meet in a byte.
	 */
	void append_to(std::vector<uint32_t> &list, bool is_store) const;

	size_t count() const
	{
		return lines.size();
	}

private:
	struct Line {
		uint32_t index;
		uint64_t touched[2];	/* a bit a byte */
	};

	void touch(uint32_t index, uint32_t first_byte, uint32_t bytes,
		   bool is_atomic);
	static bool goes_with(const Line &line, uint32_t first_byte,
			      const uint64_t mask[2]);
	bool has_form(const LaneForm &form) const;
	bool overlaps() const;

	std::vector<Line> lines;
	std::vector<uint64_t> addresses;
	uint32_t lane_bytes = 0;	/* of each lane */
};

/*
 * Cycles that a shared-memory instruction takes: the largest number of
 * different words that the lanes want from one bank. Lanes that read or write
 * the same word are served together, but for atomics, which take turns.
 */
class BankConflicts {
public:
	void clear()
	{
		words.clear();
	}

	void add(const Access &access);
	uint32_t cycles(bool is_atomic);

private:
	std::vector<uint64_t> words;
};

} /* namespace record */

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The ops of one warp, as they grow, and how far its loads are from their use.
 * Not here: what makes the warp execute an op (warp.h), and what makes loops and
 * patterns of them (folder.h, kernel_table.h).
 */
#ifndef SIMGPU_RECORD_WARP_PROGRAM_H
#define SIMGPU_RECORD_WARP_PROGRAM_H

#include <cstdint>
#include <vector>

#include <linux/simgpu_trace.h>

#include "coalescer.h"
#include "interner.h"

namespace record {

/**
 * struct WarpOp - an op of a warp
 * @op: as in the trace; a memory op's count is that of its lines, and it has
 *	no pattern yet
 * @site: which of the kernel's accesses it is, for memory ops
 * @has_form: whether @address and @form say all about its lines
 */
struct WarpOp {
	simgpu_trace_op op;
	uint32_t site;
	bool has_form;
	uint64_t address;
	LaneForm form;
};

/* The different mixes of all kernels. */
class Mixes {
public:
	/* As ops name it: from 1 on. */
	uint32_t number(const std::vector<simgpu_trace_instruction> &list)
	{
		return 1 + lists.intern(list);
	}

	std::vector<simgpu_trace_mix> all() const;

	size_t count() const
	{
		return lists.count();
	}

	const std::vector<simgpu_trace_instruction> &instructions() const
	{
		return lists.all();
	}

	/* Of those that COMPUTE ops name, as the format counts them. */
	uint64_t named_by(const simgpu_trace_op &op) const;

private:
	Interner<simgpu_trace_instruction> lists;
};

/**
 * struct Result - what an arithmetic instruction brings, or one on shared memory
 * @at: its number in the warp, from 1; 0: nothing that is waited for
 * @ready: nominal cycle in which it is there, see burst.h
 * @latency: nominal
 */
struct Result {
	uint64_t at = 0;
	uint64_t ready = 0;
	uint32_t latency = 0;

	/* Of two, the one that comes last. */
	void join(const Result &other)
	{
		if (other.at && (!at || other.ready > ready ||
				 (other.ready == ready && other.at > at)))
			*this = other;
	}
};

inline bool is_memory(const simgpu_trace_op &op)
{
	return op.kind == SIMGPU_TRACE_LOAD || op.kind == SIMGPU_TRACE_STORE ||
	       op.kind == SIMGPU_TRACE_ATOMIC || op.kind == SIMGPU_TRACE_CONSTANT;
}

class WarpProgram {
public:
	/* A load, constant or not, or an atomic whose value has not been used yet. */
	typedef uint32_t Pending;

	/* Begin a warp, whose mixes are among these. */
	void clear(Mixes &mixes);

	/* One instruction, which needs what an earlier one brings. */
	Result compute(uint8_t unit, uint32_t passes, const Result &needed,
		       uint32_t active_lanes);

	void barrier(uint32_t active_lanes);

	/*
	 * One warp access to global or constant memory. More than 32 lines, which only
	 * misaligned accesses can touch, are several ops.
	 */
	void global(uint8_t kind, uint32_t active_lanes, uint32_t site,
		    const Result &needed, const Coalescer &access);

	/* The op just pushed is a load; its user is still to come. */
	Pending await();

	bool is_used(Pending load) const
	{
		return pending[load].used;
	}

	/* The next instruction needs the load's value. */
	void use(Pending load);

	void finish();

	const std::vector<WarpOp> &program() const
	{
		return ops;
	}

	const std::vector<uint32_t> &recorded_lines() const
	{
		return lines;
	}

	uint64_t instructions() const
	{
		return issued;
	}

private:
	struct Load {
		uint32_t op;
		uint64_t issued;	/* instructions so far, with the load */
		uint64_t ready;		/* nominal cycle */
		bool used;
	};

	/* Instructions so far, those of the burst included. */
	uint64_t instructions_now() const
	{
		return issued + burst.size();
	}

	uint16_t distance(const Result &needed);
	void flush(bool goes_on = false);
	void push(uint8_t kind, uint32_t active_lanes, uint32_t count);

	std::vector<WarpOp> ops;
	std::vector<uint32_t> lines;
	std::vector<Load> pending;
	uint64_t issued = 0;
	uint64_t cycle = 0;	/* nominal, of the last instruction */
	std::vector<simgpu_trace_instruction> burst;	/* no ops yet */
	int64_t burst_lanes = 0;	/* active in all, and what rounding left */
	Mixes *mixes = nullptr;
};

} /* namespace record */

#endif

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

inline bool is_memory(const simgpu_trace_op &op)
{
	return op.kind == SIMGPU_TRACE_LOAD || op.kind == SIMGPU_TRACE_STORE ||
	       op.kind == SIMGPU_TRACE_ATOMIC || op.kind == SIMGPU_TRACE_CONSTANT;
}

class WarpProgram {
public:
	/* A load, constant or not, or an atomic whose value has not been used yet. */
	typedef uint32_t Pending;

	void clear();

	void compute(uint32_t milli, uint32_t active_lanes)
	{
		compute_milli += milli;
		lane_milli += (int64_t)milli * active_lanes;
	}

	void barrier(uint32_t active_lanes);
	void shared(uint32_t active_lanes, uint32_t issue_cycles);

	/*
	 * One warp access to global or constant memory. More than 32 lines, which only
	 * misaligned accesses can touch, are several ops.
	 */
	void global(uint8_t kind, uint32_t active_lanes, uint32_t site,
		    const Coalescer &access);

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
		bool used;
	};

	void flush();
	void push(uint8_t kind, uint32_t active_lanes, uint32_t issue_cycles,
		  uint64_t count);

	std::vector<WarpOp> ops;
	std::vector<uint32_t> lines;
	std::vector<Load> pending;
	uint64_t issued = 0;
	uint64_t compute_milli = 0;
	int64_t lane_milli = 0;
};

} /* namespace record */

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * One warp: 32 work-items that Oclgrind runs one after another, merged into what
 * a GPU executes in lockstep.
 * Not here: which work-items make a warp, and when they have run (launch.h).
 */
#ifndef SIMGPU_RECORD_WARP_H
#define SIMGPU_RECORD_WARP_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "coalescer.h"
#include "kernel_code.h"
#include "lanes.h"
#include "warp_program.h"
#include "weights.h"

namespace record {

/* What a work-item did since its warp was last advanced. */
struct LaneBuffer {
	struct Step {
		uint32_t segment;
		uint32_t first_access;
	};

	std::vector<Step> steps;
	std::vector<Access> accesses;
	size_t next_step = 0;

	void clear()
	{
		steps.clear();
		accesses.clear();
		next_step = 0;
	}
};

typedef std::array<LaneBuffer, WARP_LANES> LaneBuffers;

/*
 * Oclgrind runs the work-items one after another; each leaves the list of
 * segments that it went through. The warp runs these lists in lockstep, as a
 * GPU with a reconvergence stack does: lanes that go different ways run one
 * after another, the earliest place in the program first, and meet again at
 * the immediate post-dominator of the branch.
 */
class Warp {
public:
	void begin(const KernelCode &kernel_code, uint32_t lane_count,
		   Mixes &mixes);

	void lane_finished(uint32_t lane)
	{
		finished |= lane_bit(lane);
	}

	/*
	 * Run as far as the lanes' lists go. The warp stops where a lane is
	 * waiting at a barrier, and goes on when the lane has gone on.
	 */
	void advance(LaneBuffers &buffers, Executed &executed);

	bool is_finished() const
	{
		return stack.empty() && finished == all_lanes;
	}

	WarpProgram &program()
	{
		return output;
	}

private:
	/**
	 * struct Frame - an entry of the reconvergence stack
	 * @lanes: that run together
	 * @reconverge: segment at which they leave the entry
	 * @function_exit: where the function that they are in returns to
	 * @last: the last segment that they ran
	 */
	struct Frame {
		uint32_t lanes;
		uint32_t reconverge;
		uint32_t function_exit;
		uint32_t last;
	};

	/* A pending load whose value is in the registers of some lanes. */
	struct Carry {
		WarpProgram::Pending load;
		uint32_t lanes;
	};

	/* What a value waits for; of another visit to a segment it is not known. */
	struct Made {
		uint64_t visit = 0;
		Result result;
	};

	bool has_step(uint32_t lane) const;
	uint32_t next_segment(uint32_t lane) const;
	bool advance_top();
	void diverge(uint32_t running);
	void run(uint32_t index, uint32_t lanes);
	void load_accesses(uint32_t lanes);
	void leave(const Segment &segment, uint32_t lanes);
	void run_instruction(const Instruction &instruction, uint32_t place,
			     uint32_t lanes);
	Result operands_of(const Instruction &instruction) const;
	Result compute(const Instruction &instruction, const Result &operands,
		       uint32_t active);
	Result share_load(const Instruction &instruction, uint32_t place,
			  uint32_t lanes);
	Result run_accesses(const Instruction &instruction, uint32_t place,
			    uint32_t lanes, const Result &operands);
	const Access *access_of(uint32_t lane, uint32_t place) const;
	void add_access(const Access &access);
	Result emit_access(const Instruction &instruction, AccessKind kind,
			   uint32_t piece, uint32_t group,
			   const Result &operands);
	void run_phis(const Segment &segment, uint32_t lanes);
	void read_phi(const Instruction &phi, uint32_t lanes);
	uint32_t coming_from(uint32_t block, uint32_t lanes) const;
	void use_operands(const Instruction &instruction, uint32_t lanes);
	void redefine(uint32_t value, uint32_t lanes);
	void copy(uint32_t from, uint32_t to, uint32_t lanes);
	void move(uint32_t from, uint32_t to, uint32_t lanes);

	const KernelCode *code = nullptr;
	LaneBuffers *lanes_now = nullptr;
	Executed *executed_now = nullptr;
	uint32_t all_lanes = 0;
	uint32_t finished = 0;
	std::array<uint32_t, WARP_LANES> previous_block;
	std::array<size_t, WARP_LANES> next_access;
	std::array<size_t, WARP_LANES> end_access;
	std::vector<Frame> stack;
	std::vector<std::vector<Carry>> carried;	/* by value */
	std::vector<std::pair<uint32_t, Carry>> phi_values;
	std::vector<Made> made;		/* by value */
	uint64_t visit = 0;		/* number of the segment's run */
	std::vector<Result> recipe_results;
	Coalescer coalescer;
	BankConflicts conflicts;
	WarpProgram output;
};

} /* namespace record */

#endif

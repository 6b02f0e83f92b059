// SPDX-License-Identifier: GPL-2.0
/*
 * Makes ops of what a warp executes: see warp_program.h.
 */
#include "warp_program.h"

#include <algorithm>

#include "give_up.h"
#include "lanes.h"

namespace record {

constexpr uint32_t MILLI = 1000;

void WarpProgram::clear()
{
	ops.clear();
	lines.clear();
	pending.clear();
	issued = 0;
	compute_milli = 0;
	lane_milli = 0;
}

void WarpProgram::barrier(uint32_t active_lanes)
{
	flush();
	push(SIMGPU_TRACE_BARRIER, active_lanes, 0, 0);
}

void WarpProgram::shared(uint32_t active_lanes, uint32_t issue_cycles)
{
	flush();
	if (!ops.empty() && ops.back().op.kind == SIMGPU_TRACE_SHARED &&
	    ops.back().op.active_lanes == active_lanes &&
	    ops.back().op.issue_cycles == issue_cycles) {
		ops.back().op.count++;
		issued++;
		return;
	}
	push(SIMGPU_TRACE_SHARED, active_lanes, issue_cycles, 1);
}

void WarpProgram::global(uint8_t kind, uint32_t active_lanes, uint32_t site,
			 const Coalescer &access)
{
	size_t left = access.count();
	LaneForm form;
	bool has_form = access.find_form(kind == SIMGPU_TRACE_STORE, form);

	flush();
	access.append_to(lines, kind == SIMGPU_TRACE_STORE);
	while (left) {
		size_t now = std::min<size_t>(left, WARP_LANES);

		push(kind, active_lanes, 0, now);
		ops.back().site = site;
		ops.back().has_form = has_form;
		ops.back().address = access.address();
		ops.back().form = form;
		left -= now;
	}
}

WarpProgram::Pending WarpProgram::await()
{
	pending.push_back({(uint32_t)ops.size() - 1, issued, false});
	return pending.size() - 1;
}

void WarpProgram::use(Pending load)
{
	pending[load].used = true;
	ops[pending[load].op].op.consume_after =
		issued + compute_milli / MILLI - pending[load].issued;
}

void WarpProgram::finish()
{
	flush();
	/* Round what is left; a program has at least one op. */
	if (ops.empty() || compute_milli >= MILLI / 2) {
		lane_milli = compute_milli
			   ? lane_milli * MILLI / (int64_t)compute_milli : MILLI;
		compute_milli = MILLI;
		flush();
	}
	for (Pending load = 0; load < pending.size(); load++)
		if (!is_used(load))
			ops[pending[load].op].op.consume_after = SIMGPU_TRACE_NEVER;
}

/*
 * Turn whole instructions into a COMPUTE op. What is left of an
 * instruction, and of the lanes, counts for the next one.
 */
void WarpProgram::flush()
{
	uint64_t count = compute_milli / MILLI;

	if (!count)
		return;

	int64_t whole_milli = count * MILLI;
	int64_t lanes = (lane_milli + whole_milli / 2) / whole_milli;

	lanes = std::min<int64_t>(std::max<int64_t>(lanes, 1), WARP_LANES);
	compute_milli -= whole_milli;
	lane_milli -= whole_milli * lanes;
	push(SIMGPU_TRACE_COMPUTE, lanes, 1, count);
	issued += count - 1;
}

void WarpProgram::push(uint8_t kind, uint32_t active_lanes, uint32_t issue_cycles,
		       uint64_t count)
{
	WarpOp added = {};
	simgpu_trace_op &op = added.op;

	if (count > UINT32_MAX)
		give_up("a warp computes for more than %u instructions at once",
			UINT32_MAX);
	op.kind = kind;
	op.active_lanes = active_lanes;
	op.issue_cycles = issue_cycles;
	op.count = count;
	ops.push_back(added);
	issued++;
}

} /* namespace record */

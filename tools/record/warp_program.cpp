// SPDX-License-Identifier: GPL-2.0
/*
 * Makes ops of what a warp executes: see warp_program.h.
 */
#include "warp_program.h"

#include <algorithm>

#include "lanes.h"

extern "C" {
#include "../../userspace/workloads/burst.h"
}

namespace record {

std::vector<simgpu_trace_mix> Mixes::all() const
{
	std::vector<simgpu_trace_mix> mixes;

	for (uint32_t i = 0; i < lists.count(); i++)
		mixes.push_back({lists.list(i).first, lists.list(i).count});
	return mixes;
}

uint64_t Mixes::named_by(const simgpu_trace_op &op) const
{
	if (op.kind != SIMGPU_TRACE_COMPUTE)
		return 0;
	return burst_named(op.count, lists.list(op.mix - 1).count);
}

void WarpProgram::clear(Mixes &shared_mixes)
{
	ops.clear();
	lines.clear();
	pending.clear();
	issued = 0;
	cycle = 0;
	burst.clear();
	burst_lanes = 0;
	mixes = &shared_mixes;
}

/*
 * How far before the next instruction that is which brings the result; 0 if it
 * was there long ago. The nominal cycle goes to where the instruction can issue.
 */
uint16_t WarpProgram::distance(const Result &needed)
{
	uint64_t number = instructions_now() + 1;

	cycle++;
	if (!needed.at || number - needed.at > NOMINAL_REACH * needed.latency)
		return 0;
	cycle = std::max(cycle, needed.ready);
	return number - needed.at;
}

Result WarpProgram::compute(uint8_t unit, uint32_t passes, const Result &needed,
			    uint32_t active_lanes)
{
	uint32_t latency = nominal_latency[unit] + passes - 1;

	if (burst.size() == BURST_MAX)
		flush(true);
	burst.push_back({unit, (uint8_t)passes, distance(needed)});
	burst_lanes += active_lanes;
	return {instructions_now(), cycle + latency, latency};
}

void WarpProgram::barrier(uint32_t active_lanes)
{
	flush();
	push(SIMGPU_TRACE_BARRIER, active_lanes, 0);
	cycle++;
}

void WarpProgram::global(uint8_t kind, uint32_t active_lanes, uint32_t site,
			 const Result &needed, const Coalescer &access)
{
	bool is_store = kind == SIMGPU_TRACE_STORE;
	size_t left = access.count();
	LaneForm form;
	bool has_form = access.find_form(is_store, form);

	flush();
	access.append_to(lines, is_store);
	while (left) {
		size_t now = std::min<size_t>(left, WARP_LANES);
		uint16_t after = distance(needed);

		push(kind, active_lanes, now);
		ops.back().op.after = after;
		ops.back().site = site;
		ops.back().has_form = has_form;
		ops.back().address = access.address();
		ops.back().form = form;
		left -= now;
	}
}

WarpProgram::Pending WarpProgram::await()
{
	pending.push_back({(uint32_t)ops.size() - 1, issued,
			   cycle + NOMINAL_LOAD, false});
	return pending.size() - 1;
}

void WarpProgram::use(Pending load)
{
	pending[load].used = true;
	ops[pending[load].op].op.consume_after =
		instructions_now() - pending[load].issued;
	cycle = std::max(cycle, pending[load].ready);
}

void WarpProgram::finish()
{
	/* A program has at least one op. */
	if (ops.empty() && burst.empty())
		compute(SIMGPU_TRACE_UNIT_CONTROL, 1, {}, 1);
	flush();
	for (Pending load = 0; load < pending.size(); load++)
		if (!is_used(load))
			ops[pending[load].op].op.consume_after = SIMGPU_TRACE_NEVER;
}

/*
 * Turn the burst into COMPUTE ops; what is left of a lane counts for the next one.
 * If it goes on, what it repeats at its end is cut between two repetitions, and
 * the rest is left: so the next op may have the same mix.
 */
void WarpProgram::flush(bool goes_on)
{
	int64_t all = burst.size();
	size_t at = 0, end = 0;

	if (!all)
		return;

	int64_t lanes = (burst_lanes + all / 2) / all;

	lanes = std::min<int64_t>(std::max<int64_t>(lanes, 1), WARP_LANES);
	while (end < burst.size()) {
		struct stretch stretch = burst_stretch(&burst[at],
						       burst.size() - at);

		end = at + stretch.count;
		if (goes_on && end == burst.size())
			stretch.count -= stretch.count % stretch.period;
		push(SIMGPU_TRACE_COMPUTE, lanes, stretch.count);
		ops.back().op.mix = mixes->number({burst.begin() + at,
			burst.begin() + at + stretch.period});
		issued += stretch.count - 1;
		at += stretch.count;
	}
	burst.erase(burst.begin(), burst.begin() + at);
	burst_lanes -= lanes * (int64_t)at;
}

void WarpProgram::push(uint8_t kind, uint32_t active_lanes, uint32_t count)
{
	WarpOp added = {};
	simgpu_trace_op &op = added.op;

	op.kind = kind;
	op.active_lanes = active_lanes;
	op.count = count;
	ops.push_back(added);
	issued++;
}

} /* namespace record */

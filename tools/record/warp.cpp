// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the lanes of a warp in lockstep: see warp.h.
 */
#include "warp.h"

#include <algorithm>

#include <linux/simgpu_trace.h>

namespace record {

/* Accesses of one instruction that are told apart; float16 makes 4. */
constexpr uint32_t PIECES = 16;

static bool is_shared(AccessKind kind)
{
	return kind == AccessKind::SHARED || kind == AccessKind::SHARED_ATOMIC;
}

void Warp::begin(const KernelCode &kernel_code, uint32_t lane_count,
		 Mixes &mixes)
{
	code = &kernel_code;
	all_lanes = lane_count == WARP_LANES ? ~0U : lane_bit(lane_count) - 1;
	finished = 0;
	previous_block.fill(NONE);
	stack.clear();
	if (all_lanes)
		stack.push_back({all_lanes, NONE, NONE, NONE});
	carried.resize(code->value_count());
	for (auto &list : carried)
		list.clear();
	made.assign(code->value_count(), {});
	output.clear(mixes);
}

void Warp::advance(LaneBuffers &buffers, Executed &executed)
{
	lanes_now = &buffers;
	executed_now = &executed;
	while (!stack.empty() && advance_top())
		;
	for (LaneBuffer &buffer : buffers)
		if (buffer.next_step == buffer.steps.size())
			buffer.clear();
}

bool Warp::has_step(uint32_t lane) const
{
	const LaneBuffer &buffer = (*lanes_now)[lane];

	return buffer.next_step < buffer.steps.size();
}

uint32_t Warp::next_segment(uint32_t lane) const
{
	const LaneBuffer &buffer = (*lanes_now)[lane];

	return buffer.steps[buffer.next_step].segment;
}

/* One step of the top of the stack; false if a lane's list has ended. */
bool Warp::advance_top()
{
	Frame &top = stack.back();
	uint32_t left = top.lanes;
	uint32_t running = 0;
	uint32_t segment = NONE;
	bool together = true;

	while (left) {
		uint32_t lane = pop_lane(left);

		if (!has_step(lane)) {
			if (!(finished & lane_bit(lane)))
				return false;
			continue;
		}
		if (next_segment(lane) == top.reconverge)
			continue;
		running |= lane_bit(lane);
		if (segment == NONE)
			segment = next_segment(lane);
		else if (segment != next_segment(lane))
			together = false;
	}

	if (!running)
		stack.pop_back();
	else if (together)
		run(segment, running);
	else
		diverge(running);
	return true;
}

void Warp::diverge(uint32_t running)
{
	Frame top = stack.back();
	uint32_t meeting = code->segment(top.last).reconverge;

	if (meeting == NONE)
		meeting = top.function_exit;
	/* The last in the program goes lowest on the stack. */
	while (running) {
		uint32_t left = running;
		uint32_t latest = 0;
		uint32_t group = 0;

		while (left) {
			uint32_t lane = pop_lane(left);

			if (!group || next_segment(lane) > latest) {
				latest = next_segment(lane);
				group = 0;
			}
			if (next_segment(lane) == latest)
				group |= lane_bit(lane);
		}
		running &= ~group;
		if (latest != meeting)
			stack.push_back({group, meeting, top.function_exit,
					 top.last});
	}
}

void Warp::run(uint32_t index, uint32_t lanes)
{
	const Segment &segment = code->segment(index);

	stack.back().last = index;
	visit++;
	if (segment.result != NONE)
		move(segment.returned, segment.result, lanes);
	run_phis(segment, lanes);
	load_accesses(lanes);
	for (uint32_t i = 0; i < segment.count; i++)
		run_instruction(code->instruction(segment.first + i), i, lanes);
	for (const auto &argument : segment.arguments)
		move(argument.first, argument.second, lanes);
	if (segment.return_to != NONE)
		move(segment.return_from, segment.return_to, lanes);
	leave(segment, lanes);
	if (segment.call_next != NONE)
		stack.push_back({lanes, segment.call_next,
				 segment.call_next, index});
}

/* Where each lane's accesses in this segment begin and end. */
void Warp::load_accesses(uint32_t lanes)
{
	while (lanes) {
		uint32_t lane = pop_lane(lanes);
		const LaneBuffer &buffer = (*lanes_now)[lane];
		size_t step = buffer.next_step;

		next_access[lane] = buffer.steps[step].first_access;
		end_access[lane] = step + 1 < buffer.steps.size()
				 ? buffer.steps[step + 1].first_access
				 : buffer.accesses.size();
	}
}

void Warp::leave(const Segment &segment, uint32_t lanes)
{
	while (lanes) {
		uint32_t lane = pop_lane(lanes);

		previous_block[lane] = segment.block;
		(*lanes_now)[lane].next_step++;
	}
}

void Warp::run_instruction(const Instruction &instruction, uint32_t place,
			   uint32_t lanes)
{
	uint32_t active = count_lanes(lanes);

	if (!instruction.from.empty())
		return;
	if (!instruction.memory || instruction.milli)
		(*executed_now)[instruction.row] +=
			(uint64_t)instruction.units * active;
	use_operands(instruction, lanes);

	Result result = operands_of(instruction);

	if (instruction.milli)
		result = compute(instruction, result, active);
	if (instruction.access_bytes && instruction.access_place < place)
		result = share_load(instruction, place, lanes);
	else if (instruction.memory)
		result = run_accesses(instruction, place, lanes, result);
	if (instruction.barrier)
		output.barrier(active);
	made[instruction.value] = {visit, result};
}

/* What comes last of its operands; loads from global memory are waited for apart. */
Result Warp::operands_of(const Instruction &instruction) const
{
	Result result;

	for (uint32_t value : instruction.uses)
		if (made[value].visit == visit)
			result.join(made[value].result);
	return result;
}

/* The GPU instructions that it counts for; the last one brings its value. */
Result Warp::compute(const Instruction &instruction, const Result &operands,
		     uint32_t active)
{
	auto &results = recipe_results;

	results.clear();
	for (uint32_t unit = 0; unit < instruction.units; unit++)
		for (const RecipeStep &step : *instruction.recipe) {
			bool inside = step.after && step.after <= results.size();

			results.push_back(output.compute(
				step.unit == SIMGPU_TRACE_UNIT_FP32
					? instruction.float_unit : step.unit, 1,
				inside ? results[results.size() - step.after]
				       : operands, active));
		}
	return results.empty() ? operands : results.back();
}

/* A load whose value an earlier one has brought: it is waited for as that one is. */
Result Warp::share_load(const Instruction &instruction, uint32_t place,
			uint32_t lanes)
{
	const Instruction &loader = code->instruction(
		code->number_of(instruction) - place + instruction.access_place);

	copy(loader.value, instruction.value, lanes);
	return made[loader.value].result;
}

/*
 * The accesses that the lanes make with one instruction. What those to shared
 * memory bring comes back; loads from global memory are waited for apart.
 */
Result Warp::run_accesses(const Instruction &instruction, uint32_t place,
			  uint32_t lanes, const Result &operands)
{
	Result result;

	for (uint32_t piece = 0;; piece++) {
		uint32_t left = lanes;
		uint32_t group = 0;
		const Access *leader = nullptr;

		coalescer.clear();
		conflicts.clear();
		while (left) {
			uint32_t lane = pop_lane(left);
			const Access *access = access_of(lane, place);

			if (!access)
				continue;
			if (!leader)
				leader = access;
			if (access->kind != leader->kind ||
			    access->bytes != leader->bytes)
				continue;
			group |= lane_bit(lane);
			next_access[lane]++;
			add_access(*access);
		}
		if (!leader)
			return result;
		result.join(emit_access(instruction, leader->kind, piece, group,
					operands));
	}
}

const Access *Warp::access_of(uint32_t lane, uint32_t place) const
{
	const LaneBuffer &buffer = (*lanes_now)[lane];

	if (next_access[lane] == end_access[lane])
		return nullptr;

	const Access *access = &buffer.accesses[next_access[lane]];

	return access->instruction == place ? access : nullptr;
}

void Warp::add_access(const Access &access)
{
	if (is_shared(access.kind))
		conflicts.add(access);
	else
		coalescer.add(access);
}

Result Warp::emit_access(const Instruction &instruction, AccessKind kind,
			 uint32_t piece, uint32_t group, const Result &operands)
{
	static const std::array<uint8_t, 4> ops = {
		SIMGPU_TRACE_LOAD, SIMGPU_TRACE_STORE, SIMGPU_TRACE_ATOMIC,
		SIMGPU_TRACE_CONSTANT,
	};
	uint32_t active = count_lanes(group);
	uint32_t site = code->number_of(instruction) * PIECES + piece % PIECES;

	/* What a copy stores is what it has loaded. */
	if (instruction.copies && kind != AccessKind::LOAD)
		for (const Carry &carry : carried[instruction.value])
			if (!output.is_used(carry.load))
				output.use(carry.load);
	if (is_shared(kind))
		return output.compute(SIMGPU_TRACE_UNIT_SHARED,
			std::min<uint32_t>(conflicts.cycles(
				kind == AccessKind::SHARED_ATOMIC),
				SIMGPU_TRACE_PASSES_MAX), operands, active);
	output.global(ops[(size_t)kind], active, site, operands, coalescer);
	if (kind != AccessKind::STORE)
		carried[instruction.value].push_back({output.await(), group});
	return {};
}

/* Phis read their operands all at once, before any of them is set. */
void Warp::run_phis(const Segment &segment, uint32_t lanes)
{
	uint32_t count = 0;

	phi_values.clear();
	while (count < segment.count &&
	       !code->instruction(segment.first + count).from.empty())
		read_phi(code->instruction(segment.first + count++), lanes);
	for (uint32_t i = 0; i < count; i++)
		redefine(code->instruction(segment.first + i).value, lanes);
	for (const auto &value : phi_values)
		carried[value.first].push_back(value.second);
}

void Warp::read_phi(const Instruction &phi, uint32_t lanes)
{
	(*executed_now)[phi.row] += (uint64_t)phi.units * count_lanes(lanes);
	for (size_t i = 0; i < phi.uses.size(); i++) {
		if (carried[phi.uses[i]].empty())
			continue;

		uint32_t from = coming_from(phi.from[i], lanes);

		for (const Carry &carry : carried[phi.uses[i]])
			if ((carry.lanes & from) && !output.is_used(carry.load))
				phi_values.push_back({phi.value,
					{carry.load, carry.lanes & from}});
	}
}

uint32_t Warp::coming_from(uint32_t block, uint32_t lanes) const
{
	uint32_t from = 0;

	while (lanes) {
		uint32_t lane = pop_lane(lanes);

		if (previous_block[lane] == block)
			from |= lane_bit(lane);
	}
	return from;
}

/*
 * An instruction that costs something waits for the loads in its
 * operands; one that costs nothing hands them on.
 */
void Warp::use_operands(const Instruction &instruction, uint32_t lanes)
{
	for (uint32_t value : instruction.uses)
		for (const Carry &carry : carried[value])
			if (!instruction.carries && (carry.lanes & lanes) &&
			    !output.is_used(carry.load))
				output.use(carry.load);
	redefine(instruction.value, lanes);
	if (instruction.carries)
		for (uint32_t value : instruction.uses)
			copy(value, instruction.value, lanes);
}

/* The lanes' value is overwritten; forget what is no longer needed. */
void Warp::redefine(uint32_t value, uint32_t lanes)
{
	auto &list = carried[value];

	if (list.empty())
		return;
	for (Carry &carry : list)
		carry.lanes = output.is_used(carry.load)
			    ? 0 : carry.lanes & ~lanes;
	list.erase(std::remove_if(list.begin(), list.end(),
		[](const Carry &carry) { return !carry.lanes; }), list.end());
}

void Warp::copy(uint32_t from, uint32_t to, uint32_t lanes)
{
	if (from == to)
		return;
	for (const Carry &carry : carried[from])
		if ((carry.lanes & lanes) && !output.is_used(carry.load))
			carried[to].push_back({carry.load, carry.lanes & lanes});
}

void Warp::move(uint32_t from, uint32_t to, uint32_t lanes)
{
	redefine(to, lanes);
	if (from != NONE)
		copy(from, to, lanes);
}

} /* namespace record */

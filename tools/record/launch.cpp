// SPDX-License-Identifier: GPL-2.0
/*
 * Follows the work-items of a launch: see launch.h.
 */
#include "launch.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

#include "give_up.h"
#include "lanes.h"

namespace record {

/* LLVM IR has no register allocation; a usual figure for small kernels. */
constexpr uint32_t REGISTERS_PER_THREAD = 32;
/* Of a larger grid only a part is recorded, unless the user says otherwise. */
constexpr uint64_t BLOCKS_RECORDED = 65536;
/* Fewer thread blocks do not tell how addresses change from one to the next. */
constexpr uint64_t BLOCKS_SAMPLED_LEAST = 8;
/* Thread block for a kernel whose work-group size was left to us. */
constexpr size_t OWN_BLOCK_THREADS = 256;

/* Largest divisor of a number that is at most a limit. */
static size_t largest_divisor(size_t number, size_t limit)
{
	size_t divisor = std::min(number, limit);

	while (number % divisor)
		divisor--;
	return divisor;
}

static AccessKind access_kind(const Instruction &instruction, bool is_local,
			      bool is_store, bool is_atomic)
{
	if (is_local)
		return is_atomic ? AccessKind::SHARED_ATOMIC : AccessKind::SHARED;
	if (is_atomic)
		return AccessKind::ATOMIC;
	if (is_store)
		return AccessKind::STORE;
	return instruction.constant ? AccessKind::CONSTANT : AccessKind::LOAD;
}

Launch::Launch(Recording &recording, const oclgrind::KernelInvocation *invocation)
	: recording(recording), name(invocation->getKernel()->getName()),
	  code(invocation->getKernel()->getFunction(), recording.table)
{
	simgpu_trace_kernel described = {};

	shape(invocation, described);
	set_name(described.name, name);
	described.registers_per_thread = REGISTERS_PER_THREAD;
	described.shared_bytes = invocation->getKernel()->getLocalMemorySize();
	block_threads = (size_t)described.block[0] * described.block[1] *
			described.block[2];
	blocks = groups / groups_per_block;
	if (block_threads > SIMGPU_TRACE_BLOCK_THREADS_MAX)
		give_up("kernel '%s' has work-groups of %zu work-items, more than %d",
			name.c_str(), block_threads,
			SIMGPU_TRACE_BLOCK_THREADS_MAX);
	if (blocks > SIMGPU_TRACE_BLOCKS_MAX)
		give_up("kernel '%s' has too many work-groups", name.c_str());
	choose_sample(invocation);
	described.sample_n = sample_n;
	warps.resize((block_threads + WARP_LANES - 1) / WARP_LANES);
	warp_buffers.resize(warps.size());
	recording.trace.begin_kernel(described);
}

void Launch::group_begins(const oclgrind::WorkGroup *group)
{
	oclgrind::Size3 id = group->getGroupID();

	if (id.x + grid_groups[0] * (id.y + grid_groups[1] * id.z) != next_group)
		give_up("Oclgrind does not run all work-groups of kernel '%s' in order",
			name.c_str());
	watching = is_recorded(next_group / groups_per_block);
	if (watching && next_group % groups_per_block == 0)
		begin_warps(group);
	current_item = nullptr;
	current_group = group;
}

/* Work-groups at the grid's end may be smaller; their last warps do nothing. */
void Launch::begin_warps(const oclgrind::WorkGroup *group)
{
	oclgrind::Size3 size = group->getGroupSize();
	size_t threads = size.x * size.y * size.z * groups_per_block;

	for (size_t w = 0; w < warps.size(); w++)
		warps[w].begin(code, std::min<size_t>(WARP_LANES,
				threads - std::min(threads, w * WARP_LANES)),
			       recording.trace.all_mixes());
}

void Launch::barrier()
{
	if (current_buffers)
		advance_current();
}

void Launch::group_completes()
{
	uint64_t block = next_group / groups_per_block;
	bool last = (next_group + 1) % groups_per_block == 0;

	if (current_buffers)
		advance_current();
	next_group = group_after(next_group);
	if (!last)
		return;
	if (watching)
		add_block(block);
	recording.check_size(name, block + 1, blocks);
	recording.progress.show(name, recording.trace.kernel_count(), block + 1,
				blocks, sample_n);
}

void Launch::add_block(uint64_t block)
{
	recording.trace.begin_block(block / sample_n, block);
	for (Warp &warp : warps) {
		if (!warp.is_finished())
			give_up("the work-items of a warp of kernel '%s' did not all end",
				name.c_str());
		warp.program().finish();
		recording.trace.add_warp(warp.program(),
					 recording.space.footprint());
	}
	recording.trace.end_block();
}

void Launch::ends()
{
	if (next_group != groups) {
		recording.kernel_stopped(name);
		return;
	}
	recording.progress.show(name, recording.trace.kernel_count(), blocks,
				blocks, sample_n);
	recording.trace.end_kernel(recording.space.footprint());

	uint64_t outside = recording.space.take_accesses_outside();

	if (outside)
		fprintf(stderr, "simgpu-record: warning: %" PRIu64
			" accesses of kernel '%s' lie outside of their buffers; "
			"they are recorded at the buffers' ends\n", outside,
			name.c_str());
}

void Launch::executed(const oclgrind::WorkItem *item, const llvm::Instruction *ir)
{
	if (!watching)
		return;
	enter(item, ir);
	if (code.instruction(code.segment(segment).first + place).copies)
		copies(item, llvm::cast<llvm::CallInst>(ir));
	if (place + 1 == code.segment(segment).count)
		segment = NONE;
}

void Launch::item_completes(const oclgrind::WorkItem *item)
{
	if (!watching)
		return;
	switch_to(item);
	warps[current_warp].lane_finished(current_lane);
}

void Launch::accesses(const oclgrind::WorkItem *item, const oclgrind::Memory *memory,
		      bool is_store, bool is_atomic, size_t address, size_t size)
{
	unsigned int memory_space = memory->getAddressSpace();

	if (!watching || memory_space == oclgrind::AddrSpacePrivate)
		return;
	enter(item, item->getCurrentInstruction());
	add_access(memory, is_store, is_atomic, address, size);
}

/* Whether nothing needs so many bytes of what an instruction accesses. */
static bool is_left_out(const Instruction &instruction, size_t at, size_t bytes)
{
	uint64_t wanted = bytes < 64 ? (1ULL << bytes) - 1 : ~0ULL;

	return at < 64 && !(wanted << at & ~instruction.left_out);
}

/* By the present work-item, at the instruction where it is. */
void Launch::add_access(const oclgrind::Memory *memory, bool is_store,
			bool is_atomic, size_t address, size_t size)
{
	const Instruction &instruction =
		code.instruction(code.segment(segment).first + place);
	bool local = memory->getAddressSpace() == oclgrind::AddrSpaceLocal;

	if (instruction.left_out == ALL_LEFT_OUT)
		return;
	if (!local)
		address = recording.space.translate(memory, address, size);

	AccessKind kind = access_kind(instruction, local, is_store, is_atomic);
	uint32_t row = kind == AccessKind::CONSTANT ? recording.constant_row :
		       recording.access_rows[local][is_atomic ? 2 : is_store];
	uint32_t piece = instruction.piece_bytes;
	LaneBuffer &lane = (*current_buffers)[current_lane];

	if (instruction.access_bytes) {
		if (add_joined(instruction, address, kind))
			recording.executed[row]++;
		return;
	}
	if (instruction.pixels && add_channel(address, size, kind))
		return;
	for (size_t at = 0; at < size; at += piece) {
		if (is_left_out(instruction, at, piece))
			continue;
		lane.accesses.push_back({address + at, place,
			(uint8_t)std::min<size_t>(piece, size - at), kind});
		recording.executed[row]++;
	}
}

/*
 * Oclgrind accesses a pixel channel by channel; a GPU does it at once. Return: whether
 * the channel lies beside what the same instruction accessed last, and is part of that.
 */
bool Launch::add_channel(size_t address, size_t size, AccessKind kind)
{
	LaneBuffer &lane = (*current_buffers)[current_lane];

	if (lane.accesses.size() == lane.steps.back().first_access)
		return false;

	Access &last = lane.accesses.back();

	if (last.instruction != place || last.kind != kind ||
	    last.bytes + size > ACCESS_BYTES_MAX ||
	    (address != last.address + last.bytes && address + size != last.address))
		return false;
	last.address = std::min<uint64_t>(last.address, address);
	last.bytes += size;
	return true;
}

/*
 * An access that is part of a wider one. The first part brings the whole, to the
 * place at which it is made: a store's comes behind what is between. Return:
 * whether this was the first part.
 */
bool Launch::add_joined(const Instruction &instruction, size_t address,
			AccessKind kind)
{
	LaneBuffer &lane = (*current_buffers)[current_lane];
	size_t first = lane.steps.back().first_access;
	size_t at = lane.accesses.size();
	Access access = {address - std::min<size_t>(address, instruction.access_offset),
			 instruction.access_place,
			 (uint8_t)instruction.access_bytes, kind};

	for (size_t i = first; i < at; i++)
		if (lane.accesses[i].instruction == access.instruction)
			return false;
	while (at > first && lane.accesses[at - 1].instruction > access.instruction)
		at--;
	lane.accesses.insert(lane.accesses.begin() + at, access);
	return true;
}

/*
 * async_work_group_copy() and its strided form, as GPUs do it: the work-items
 * copy neighbouring elements in turns, first all loads, then all stores. The
 * events are waited for at a barrier.
 */
void Launch::copies(const oclgrind::WorkItem *item, const llvm::CallInst *call)
{
	const oclgrind::Memory *global = global_memory;
	const oclgrind::Memory *local = current_group->getLocalMemory();
	oclgrind::Size3 group = current_group->getGroupSize();
	GroupCopy copy = group_copy_of(*call);
	size_t threads = group.x * group.y * group.z;
	size_t count = item->getOperand(copy.count).getUInt();
	size_t stride = copy.stride ? item->getOperand(copy.stride).getUInt() : 1;
	size_t to = item->getOperand(copy.to).getPointer();
	size_t from = item->getOperand(copy.from).getPointer();

	for (size_t i = lane_in_block(item); i < count; i += threads)
		add_access(copy.to_local ? global : local, false, false, from + i *
			   copy.bytes * (copy.to_local ? stride : 1), copy.bytes);
	for (size_t i = lane_in_block(item); i < count; i += threads)
		add_access(copy.to_local ? local : global, true, false, to + i *
			   copy.bytes * (copy.to_local ? 1 : stride), copy.bytes);
}

/*
 * The grid and the block. OpenCL lets a program leave the work-group
 * size open; Oclgrind then takes 1. If the kernel cannot tell, make
 * thread blocks of neighbours in the order in which they run.
 */
void Launch::shape(const oclgrind::KernelInvocation *invocation,
		   simgpu_trace_kernel &described)
{
	oclgrind::Size3 global = invocation->getGlobalSize();
	oclgrind::Size3 local = invocation->getLocalSize();
	size_t required[3];
	size_t free_threads = OWN_BLOCK_THREADS;
	bool own = local.x * local.y * local.z == 1 &&
		   !code.knows_its_group();

	invocation->getKernel()->getRequiredWorkGroupSize(required);
	own = own && !required[0];
	groups = 1;
	groups_per_block = 1;
	for (unsigned int i = 0; i < 3; i++) {
		size_t joined = own ? largest_divisor(global[i], free_threads) : 1;

		grid_groups[i] = (global[i] + local[i] - 1) / local[i];
		groups *= grid_groups[i];
		groups_per_block *= joined;
		described.block[i] = local[i] * joined;
		described.grid[i] = grid_groups[i] / joined;
		if (grid_groups[i] / joined > UINT32_MAX)
			give_up("kernel '%s' has too many work-groups", name.c_str());
		/* Neighbours in y follow each other only after all of x. */
		free_threads = described.grid[i] == 1 ? free_threads / joined : 1;
	}
}

/* The vector of work-groups to run, which Oclgrind fills before it runs them. */
typedef std::vector<oclgrind::Size3> oclgrind::KernelInvocation::*WorkGroups;

/*
 * C++ lets explicit instantiations name private members: the only way to leave
 * work-groups out, as Oclgrind's own --quick does.
 */
template <WorkGroups MEMBER>
struct Reach {
	friend WorkGroups work_groups_to_run()
	{
		return MEMBER;
	}
};
WorkGroups work_groups_to_run();
template struct Reach<&oclgrind::KernelInvocation::m_workGroups>;

/*
 * Every thread block is recorded unless there are very many or the user says
 * so; then one of every n that follow each other, at a place that moves so
 * that it is not always in the same column of the grid. Of a kernel that has too few
 * for that, more.
 */
void Launch::choose_sample(const oclgrind::KernelInvocation *invocation)
{
	sample_n = recording.sample_n ? recording.sample_n :
		   (blocks + BLOCKS_RECORDED - 1) / BLOCKS_RECORDED;
	sample_n = std::min<uint64_t>(sample_n, std::max<uint64_t>(
		blocks / BLOCKS_SAMPLED_LEAST, 1));
	only_sampled = recording.only_sampled && sample_n > 1;
	global_memory = invocation->getContext()->getGlobalMemory();
	if (!only_sampled)
		return;

	std::vector<oclgrind::Size3> &all =
		const_cast<oclgrind::KernelInvocation *>(invocation)
			->*work_groups_to_run();
	std::vector<oclgrind::Size3> wanted;

	for (size_t group = 0; group < all.size(); group++)
		if (is_recorded(group / groups_per_block))
			wanted.push_back(all[group]);
	all = std::move(wanted);
	next_group = group_after(-1);
}

bool Launch::is_recorded(uint64_t block) const
{
	uint64_t number = block / sample_n;
	uint64_t among = std::min<uint64_t>(sample_n, blocks - number * sample_n);

	/* Multiples of the golden ratio are spread evenly. */
	return block % sample_n ==
	       ((number * 0x9e3779b97f4a7c15ULL >> 32) * among) >> 32;
}

/* The next one that runs. */
uint64_t Launch::group_after(uint64_t group) const
{
	group++;
	while (only_sampled && group < groups &&
	       !is_recorded(group / groups_per_block))
		group++;
	return group;
}

size_t Launch::lane_in_block(const oclgrind::WorkItem *item) const
{
	oclgrind::Size3 id = item->getLocalID();
	oclgrind::Size3 size = current_group->getGroupSize();

	return next_group % groups_per_block + id.x +
	       size.x * (id.y + size.y * id.z);
}

/* Oclgrind goes on with another work-item. */
void Launch::switch_to(const oclgrind::WorkItem *item)
{
	if (item == current_item)
		return;

	size_t lane = lane_in_block(item);
	size_t warp = lane / WARP_LANES;

	if (current_buffers && warp != current_warp)
		advance_current();
	current_item = item;
	current_lane = lane % WARP_LANES;
	current_warp = warp;
	if (!current_buffers)
		take_buffers();
	segment = NONE;
}

/*
 * The work-items of a warp run one after another, each up to a barrier
 * or its end, so buffers for one warp are enough; only a warp whose
 * lanes wait at different barriers keeps its own until they go on.
 */
void Launch::take_buffers()
{
	if (warp_buffers[current_warp]) {
		current_buffers = std::move(warp_buffers[current_warp]);
	} else if (!free_buffers.empty()) {
		current_buffers = std::move(free_buffers.back());
		free_buffers.pop_back();
	} else {
		current_buffers = std::make_unique<LaneBuffers>();
	}
}

void Launch::advance_current()
{
	bool empty = true;

	warps[current_warp].advance(*current_buffers, recording.executed);
	for (const LaneBuffer &buffer : *current_buffers)
		empty = empty && buffer.steps.empty();
	if (empty)
		free_buffers.push_back(std::move(current_buffers));
	else
		warp_buffers[current_warp] = std::move(current_buffers);
	current_buffers.reset();
	current_item = nullptr;
}

/* Follow the work-item to an instruction, once for each execution. */
void Launch::enter(const oclgrind::WorkItem *item, const llvm::Instruction *ir)
{
	switch_to(item);
	if (segment != NONE) {
		uint32_t at = code.segment(segment).first + place;

		if (code.instruction(at).ir == ir)
			return;
		if (code.instruction(at + 1).ir == ir) {
			place++;
			return;
		}
		give_up("kernel '%s' leaves a basic block in the middle",
			name.c_str());
	}
	segment = code.segment_at(ir);
	if (segment == NONE)
		give_up("kernel '%s' enters a basic block in the middle",
			name.c_str());
	place = 0;

	LaneBuffer &lane = (*current_buffers)[current_lane];

	lane.steps.push_back({segment, (uint32_t)lane.accesses.size()});
}

} /* namespace record */

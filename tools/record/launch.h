// SPDX-License-Identifier: GPL-2.0
/*
 * One kernel launch: which work-items make a thread block and a warp, and which
 * instruction each of them is at.
 * Not here: merging the work-items of a warp (warp.h), and Oclgrind's calls
 * (plugin.cpp).
 */
#ifndef SIMGPU_RECORD_LAUNCH_H
#define SIMGPU_RECORD_LAUNCH_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <linux/simgpu_trace.h>

#include "kernel_code.h"
#include "recording.h"
#include "warp.h"

/* Not its headers: they cannot be included twice. */
namespace oclgrind {
class KernelInvocation;
class Memory;
class WorkGroup;
class WorkItem;
}

namespace record {

class Launch {
public:
	Launch(Recording &recording, const oclgrind::KernelInvocation *invocation);
	void group_begins(const oclgrind::WorkGroup *group);

	/* All work-items of the group have come to a barrier. */
	void barrier();

	void group_completes();
	void ends();
	void executed(const oclgrind::WorkItem *item, const llvm::Instruction *ir);
	void item_completes(const oclgrind::WorkItem *item);

	/* Before the instruction that makes the access is reported executed. */
	void accesses(const oclgrind::WorkItem *item, const oclgrind::Memory *memory,
		      bool is_store, bool is_atomic, size_t address, size_t size);

private:
	void shape(const oclgrind::KernelInvocation *invocation,
		   simgpu_trace_kernel &described);
	void choose_sample(const oclgrind::KernelInvocation *invocation);
	bool is_recorded(uint64_t block) const;
	uint64_t group_after(uint64_t group) const;
	void begin_warps(const oclgrind::WorkGroup *group);
	void add_block(uint64_t block);
	void copies(const oclgrind::WorkItem *item, const llvm::CallInst *call);
	size_t lane_in_block(const oclgrind::WorkItem *item) const;
	void add_access(const oclgrind::Memory *memory, bool is_store,
			bool is_atomic, size_t address, size_t size);
	bool add_channel(size_t address, size_t size, AccessKind kind);
	bool add_joined(const Instruction &instruction, size_t address,
			AccessKind kind);
	void switch_to(const oclgrind::WorkItem *item);
	void take_buffers();
	void advance_current();
	void enter(const oclgrind::WorkItem *item, const llvm::Instruction *ir);

	Recording &recording;
	std::string name;
	KernelCode code;
	size_t block_threads = 0;
	uint64_t blocks = 0;
	uint64_t groups = 0;
	uint64_t next_group = 0;	/* in the order of all */
	uint32_t sample_n = 1;
	bool only_sampled = false;	/* the others do not run */
	bool watching = true;		/* the present group is recorded */
	uint64_t groups_per_block = 1;
	uint64_t grid_groups[3] = {};
	const oclgrind::Memory *global_memory = nullptr;
	std::vector<Warp> warps;
	/* What warps with lanes at different barriers have left over. */
	std::vector<std::unique_ptr<LaneBuffers>> warp_buffers;
	std::vector<std::unique_ptr<LaneBuffers>> free_buffers;
	const oclgrind::WorkGroup *current_group = nullptr;
	const oclgrind::WorkItem *current_item = nullptr;
	std::unique_ptr<LaneBuffers> current_buffers;
	size_t current_warp = 0;
	uint32_t current_lane = 0;
	uint32_t segment = NONE;	/* that the work-item is in, or NONE */
	uint32_t place = 0;		/* of its last instruction in the segment */
};

} /* namespace record */

#endif

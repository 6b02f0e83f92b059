// SPDX-License-Identifier: GPL-2.0
/*
 * The recorder: an Oclgrind plugin that writes a simgpu trace of the kernels
 * that an unmodified OpenCL program launches. No GPU is needed.
 *
 * Here live what Oclgrind calls, and the environment's variables. The files
 * beside this one, from the bottom up; each uses only those above it:
 *
 *	give_up		ending the program with a message
 *	lanes		the lanes of a warp
 *	weights		the table of instruction weights
 *	classifier	what one LLVM instruction is and costs
 *	kernel_code	the static view of a kernel's code
 *	joiner		accesses that a GPU makes with one instruction
 *	address_space	the tenant's memory
 *	coalescer	lines and bank conflicts of one access
 *	warp_program	the ops of one warp
 *	warp		merging work-items into a warp
 *	interner	lists that are kept once
 *	folder		loops in a warp
 *	address_model	addresses as functions of thread block and warp
 *	kernel_table	what the warps of a kernel have in common
 *	trace_writer	the sections of the file
 *	recording	what outlives a kernel; writing the file
 *	launch		one kernel launch
 *	intrinsics	a few that Oclgrind lacks
 *
 * Not here: starting the program and the command line (`simgpu trace record`),
 * checking a trace (kmod/sim/trace_check.c), and any timing: a trace says what a
 * warp does, never how long it takes. docs/recorder-internals.md explains the method.
 *
 * How to run it:
 *
 *	SIMGPU_RECORD_OUTPUT=FILE oclgrind --plugins librecorder.so PROGRAM ARGS
 *
 * Environment:
 *	SIMGPU_RECORD_OUTPUT	where the trace goes; required. It appears only
 *				when the program has exited with status 0, and
 *				whole: it is written as FILE.partial and renamed
 *	SIMGPU_RECORD_EACH	1: each process that launches kernels writes a trace of
 *				its own, OUTPUT.1, OUTPUT.2, ... in the order of their
 *				first launches, and when it launches its first its
 *				name into OUTPUT.1.program, ...; else the last one that
 *				ends has the only trace
 *	SIMGPU_RECORD_NAME	name in the trace (default: the program's name)
 *	SIMGPU_RECORD_MAX_BYTES	largest trace, decimal (default and most:
 *				SIMGPU_TRACE_BYTES_MAX)
 *	SIMGPU_RECORD_SAMPLE	N: record one of N thread blocks (default: one, or
 *				in a large grid as few as make 65536)
 *	SIMGPU_RECORD_ONLY_SAMPLED
 *				1: do not run the others, nor have their results
 *	SIMGPU_RECORD_PLAIN	1: no loops and no affine patterns
 *	SIMGPU_RECORD_PROGRESS	1: a line per kernel on standard error, rewritten
 *				with the thread blocks done, and a summary at
 *				the end; 2: a line every ten seconds
 *
 * Exit status: the program's own; 125 if the recorder gave up, which it says
 * in a line on standard error that begins with "simgpu-record: ". A program
 * that fails, is killed, or calls _exit() leaves no file.
 */
#include <memory>
#include <utility>
#include <vector>

#include <oclgrind/Context.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>

#include "give_up.h"
#include "intrinsics.h"
#include "launch.h"
#include "recording.h"

namespace record {

class Recorder : public oclgrind::Plugin {
public:
	explicit Recorder(const oclgrind::Context *context)
		: Plugin(context), recording(Recording::get())
	{
	}

	/* Makes Oclgrind run the work-groups one after another, in order. */
	bool isThreadSafe() const override
	{
		return false;
	}

	/* A launch of no work-items, which OpenCL 2.1 allows, does nothing. */
	void kernelBegin(const oclgrind::KernelInvocation *invocation) override
	{
		oclgrind::Size3 items = invocation->getGlobalSize();

		guarded([&] {
			if (items.x && items.y && items.z &&
			    recording.takes_kernel())
				launch = std::make_unique<Launch>(recording,
								  invocation);
		});
	}

	void kernelEnd(const oclgrind::KernelInvocation *) override
	{
		watched([&] {
			launch->ends();
			launch.reset();
		});
	}

	void workGroupBegin(const oclgrind::WorkGroup *group) override
	{
		watched([&] { launch->group_begins(group); });
	}

	void workGroupBarrier(const oclgrind::WorkGroup *, uint32_t) override
	{
		watched([&] { launch->barrier(); });
	}

	void workGroupComplete(const oclgrind::WorkGroup *) override
	{
		watched([&] { launch->group_completes(); });
	}

	void workItemComplete(const oclgrind::WorkItem *item) override
	{
		watched([&] { launch->item_completes(item); });
	}

	void instructionExecuted(const oclgrind::WorkItem *item,
				 const llvm::Instruction *instruction,
				 const oclgrind::TypedValue &) override
	{
		watched([&] { launch->executed(item, instruction); });
	}

	void memoryAllocated(const oclgrind::Memory *memory, size_t address,
			     size_t size, cl_mem_flags, const uint8_t *) override
	{
		guarded([&] {
			if (memory->getAddressSpace() == oclgrind::AddrSpaceGlobal)
				recording.space.allocated(memory, address, size);
		});
	}

	void memoryDeallocated(const oclgrind::Memory *memory, size_t address) override
	{
		guarded([&] {
			if (memory->getAddressSpace() == oclgrind::AddrSpaceGlobal)
				recording.space.deallocated(memory, address);
		});
	}

	using Plugin::memoryLoad;
	using Plugin::memoryStore;

	void memoryLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
			size_t address, size_t size) override
	{
		watched([&] {
			launch->accesses(item, memory, false, false, address, size);
		});
	}

	void memoryStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *item,
			 size_t address, size_t size, const uint8_t *) override
	{
		watched([&] {
			launch->accesses(item, memory, true, false, address, size);
		});
	}

	/* The store half of an atomic, which follows, is the same access. */
	void memoryAtomicLoad(const oclgrind::Memory *memory,
			      const oclgrind::WorkItem *item, oclgrind::AtomicOp,
			      size_t address, size_t size) override
	{
		watched([&] {
			launch->accesses(item, memory, true, true, address, size);
		});
	}

private:
	/* Kernels past the format's limit run without being watched. */
	template <typename Callback>
	void watched(Callback callback)
	{
		if (launch)
			guarded(callback);
	}

	Recording &recording;
	std::unique_ptr<Launch> launch;
};

typedef std::vector<std::pair<oclgrind::Context *, std::unique_ptr<Recorder>>> Recorders;

/* One for each OpenCL context; kept, since contexts may outlive destructors. */
Recorders &recorders = *new Recorders;

} /* namespace record */

/* The two names that Oclgrind looks up; all others stay inside the plugin. */
#define OCLGRIND_LOOKS_UP extern "C" __attribute__((visibility("default")))

OCLGRIND_LOOKS_UP void initializePlugins(oclgrind::Context *context)
{
	using namespace record;

	guarded([context] {
		if (recorders.empty())
			teach_intrinsics();
		recorders.emplace_back(context, std::make_unique<Recorder>(context));
		context->registerPlugin(recorders.back().second.get());
	});
}

OCLGRIND_LOOKS_UP void releasePlugins(oclgrind::Context *context)
{
	using namespace record;

	for (auto entry = recorders.begin(); entry != recorders.end(); ++entry) {
		if (entry->first != context)
			continue;
		context->unregisterPlugin(entry->second.get());
		recorders.erase(entry);
		return;
	}
}

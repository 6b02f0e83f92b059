// SPDX-License-Identifier: GPL-2.0
/*
 * The sections of the trace: kernels, programs and warps as they are recorded,
 * and at the end the whole file in memory.
 * Not here: the file on disk (recording.h), and how a warp's ops come about.
 */
#ifndef SIMGPU_RECORD_TRACE_WRITER_H
#define SIMGPU_RECORD_TRACE_WRITER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <linux/simgpu_trace.h>

#include "interner.h"
#include "kernel_table.h"
#include "warp_program.h"
#include "weights.h"

namespace record {

/* Copy a name as the format wants it: printable ASCII, padded with NULs. */
void set_name(char (&field)[SIMGPU_TRACE_NAME_BYTES], const std::string &name);

class TraceWriter {
public:
	/*
	 * @plain: no loops, no affine patterns, every warp in the table. Else a kernel
	 * is kept with loops and patterns or without, whatever is smaller.
	 */
	explicit TraceWriter(bool plain) : plain(plain) {}

	void begin_kernel(const simgpu_trace_kernel &described);

	/* Recorded thread block number @recorded, @block of the grid: its warps. */
	void begin_block(uint32_t recorded, uint32_t block);
	void add_warp(const WarpProgram &warp, uint64_t footprint);
	void end_block();

	/* A kernel that repeats an earlier one shares what is the same. */
	void end_kernel(uint64_t footprint);

	/* As if the kernel had not begun. */
	void drop_kernel();

	/* Kernels so far, with the one that is being recorded. */
	size_t kernel_count() const
	{
		return kernels.size() + in_kernel;
	}

	/* Of the warps that are added. */
	Mixes &all_mixes()
	{
		return mixes;
	}

	bool is_in_kernel() const
	{
		return in_kernel;
	}

	uint64_t warp_instruction_count() const
	{
		return warp_instructions;
	}

	size_t warp_count() const
	{
		return recorded_warps;
	}

	size_t line_count() const
	{
		return lines.all().size();
	}

	/* At most this many bytes, rows of the weights and padding included. */
	uint64_t bytes() const;

	/* The whole file, in memory. */
	std::vector<uint8_t> file(const std::string &name, uint64_t footprint,
				  const Executed &executed,
				  const std::vector<simgpu_trace_allocation> &allocations);

private:
	void number_parts(KernelSections &sections);
	uint64_t bytes_of(const KernelSections &sections) const;
	void place_programs(const KernelSections &sections);
	bool has_programs(const simgpu_trace_kernel &earlier,
			  const KernelSections &sections) const;
	void place_warps(KernelSections &sections);
	bool has_warps(const simgpu_trace_kernel &earlier,
		       const KernelSections &sections) const;

	bool plain;
	std::vector<simgpu_trace_kernel> kernels;
	std::vector<simgpu_trace_program> programs;
	std::vector<simgpu_trace_op> ops;
	Patterns patterns;
	std::vector<simgpu_trace_warp> warps;
	std::vector<simgpu_trace_row> rows;
	std::vector<simgpu_trace_run> runs;
	Interner<uint32_t> lines;
	Mixes mixes;
	uint64_t mixed = 0;	/* instructions of mixes that ops name */
	/* The kernel that is being recorded */
	bool in_kernel = false;
	simgpu_trace_kernel kernel = {};
	std::unique_ptr<KernelTable> table;
	std::unique_ptr<KernelTable> plain_table;	/* while it may be smaller */
	uint64_t recorded_warps = 0;
	uint64_t warp_instructions = 0;
};

} /* namespace record */

#endif

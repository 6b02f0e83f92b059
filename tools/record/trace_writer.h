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
#include <string>
#include <vector>

#include <linux/simgpu_trace.h>

#include "interner.h"
#include "warp_program.h"
#include "weights.h"

namespace record {

/* Copy a name as the format wants it: printable ASCII, padded with NULs. */
void set_name(char (&field)[SIMGPU_TRACE_NAME_BYTES], const std::string &name);

class TraceWriter {
public:
	void begin_kernel(const simgpu_trace_kernel &described);
	void add_warp(const WarpProgram &warp);

	/* A kernel that repeats an earlier one shares what is the same. */
	void end_kernel();

	/* Kernels so far, with the one that is being recorded. */
	size_t kernel_count() const
	{
		return kernels.size() + in_kernel;
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
				  const Executed &executed);

private:
	void place_programs();
	bool has_programs(const simgpu_trace_kernel &earlier) const;
	void place_warps();
	bool has_warps(const simgpu_trace_kernel &earlier) const;

	std::vector<simgpu_trace_kernel> kernels;
	std::vector<simgpu_trace_program> programs;
	std::vector<simgpu_trace_op> ops;
	std::vector<simgpu_trace_warp> warps;
	Interner<uint32_t> lines;
	/* The kernel that is being recorded */
	bool in_kernel = false;
	simgpu_trace_kernel kernel = {};
	Interner<simgpu_trace_op> kernel_ops;
	std::vector<simgpu_trace_warp> kernel_warps;
	uint64_t recorded_warps = 0;
	uint64_t warp_instructions = 0;
};

} /* namespace record */

#endif

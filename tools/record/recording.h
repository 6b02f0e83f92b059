// SPDX-License-Identifier: GPL-2.0
/*
 * Everything that outlives a kernel, one for the process: what the environment
 * asks for, the trace so far, and the file when the program ends.
 * Not here: what the variables mean (plugin.cpp), the sections of the file
 * (trace_writer.h), and a kernel's launch (launch.h).
 */
#ifndef SIMGPU_RECORD_RECORDING_H
#define SIMGPU_RECORD_RECORDING_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

#include <linux/simgpu_trace.h>

#include "address_space.h"
#include "trace_writer.h"
#include "weights.h"

namespace record {

/* The line on standard error, rewritten often, or a new one now and then. */
class Progress {
public:
	Progress();

	void show(const std::string &kernel, size_t number, uint64_t done,
		  uint64_t blocks, uint32_t sample_n);
	void summary(const std::string &path, const TraceWriter &trace, size_t bytes);

private:
	uint64_t now() const;

	enum { NONE, REWRITTEN, LINES } form = NONE;
	uint64_t next_ns = 0;
};

class Recording {
public:
	static Recording &get();

	const WeightTable table;
	/* Rows of the weights: [is local][load, store, atomic] */
	const uint32_t access_rows[2][3] = {
		{table.opcode("load.global"), table.opcode("store.global"),
		 table.opcode("atomic.global")},
		{table.opcode("load.local"), table.opcode("store.local"),
		 table.opcode("atomic.local")},
	};
	const uint32_t constant_row = table.opcode("load.constant");
	AddressSpace space;
	TraceWriter trace;
	Executed executed = Executed(WEIGHTS);
	Progress progress;
	/* One of so many thread blocks is recorded; 0: by the grid's size. */
	uint32_t sample_n = 0;
	/* The others do not run at all. */
	bool only_sampled = false;

	/* Whether the next kernel is recorded: as many are as a trace can hold. */
	bool takes_kernel();

	/* Oclgrind has met an error in it, of which the program learns nothing. */
	void kernel_stopped(const std::string &kernel);

	/* Give up if the trace has grown over the limit. */
	void check_size(const std::string &kernel, uint64_t done,
			uint64_t blocks) const;

private:
	Recording();
	void begin_anew();
	void claim();
	void exited(int status);
	void write_file(const std::vector<uint8_t> &image) const;

	const std::string output;
	std::string path;	/* of the trace: @output, or with a number behind it */
	std::string name;
	bool each = false;	/* each program writes a trace of its own */
	uint64_t max_bytes = SIMGPU_TRACE_BYTES_MAX;
	pid_t owner;		/* the process whose kernels @trace has */
	bool claimed = false;
	uint64_t kernels_left_out = 0;
	uint64_t kernels_stopped = 0;
	std::string last_stopped;
};

} /* namespace record */

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Puts the sections of a trace together: see trace_writer.h.
 */
#include "trace_writer.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

namespace record {

void set_name(char (&field)[SIMGPU_TRACE_NAME_BYTES], const std::string &name)
{
	size_t length = std::min(name.size(), sizeof(field) - 1);

	memset(field, 0, sizeof(field));
	for (size_t i = 0; i < length; i++)
		field[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
}

template <typename Element>
static void append(std::vector<uint8_t> &image, simgpu_trace_section &section,
		   const std::vector<Element> &elements)
{
	const auto *bytes = reinterpret_cast<const uint8_t *>(elements.data());

	image.resize((image.size() + 7) & ~(size_t)7);
	section.count = elements.size();
	section.offset = elements.empty() ? 0 : image.size();
	image.insert(image.end(), bytes,
		     bytes + elements.size() * sizeof(Element));
}

static std::vector<simgpu_trace_weight> executed_weights(const Executed &executed)
{
	std::vector<simgpu_trace_weight> rows;

	for (size_t row = 0; row < WEIGHTS; row++) {
		simgpu_trace_weight weight = {};

		if (!executed[row])
			continue;
		set_name(weight.name, weights[row].name);
		weight.milli_instructions = weights[row].milli;
		weight.executed = executed[row];
		rows.push_back(weight);
	}
	return rows;
}

void TraceWriter::begin_kernel(const simgpu_trace_kernel &described)
{
	kernel = described;
	kernel.sample_n = 1;
	kernel_ops = Interner<simgpu_trace_op>();
	kernel_warps.clear();
	in_kernel = true;
}

void TraceWriter::add_warp(const WarpProgram &warp)
{
	uint32_t program = kernel_ops.intern(warp.program());
	uint32_t line_list = lines.intern(warp.recorded_lines());

	kernel_warps.push_back({program, lines.list(line_list).first});
	recorded_warps++;
	warp_instructions += warp.instructions();
}

void TraceWriter::end_kernel()
{
	place_programs();
	place_warps();
	kernels.push_back(kernel);
	kernel_ops = Interner<simgpu_trace_op>();
	kernel_warps.clear();
	in_kernel = false;
}

uint64_t TraceWriter::bytes() const
{
	return sizeof(simgpu_trace_header) +
	       kernel_count() * sizeof(simgpu_trace_kernel) +
	       (programs.size() + kernel_ops.count()) *
			sizeof(simgpu_trace_program) +
	       (ops.size() + kernel_ops.all().size()) *
			sizeof(simgpu_trace_op) +
	       sizeof(simgpu_trace_pattern) +
	       (warps.size() + kernel_warps.size()) *
			sizeof(simgpu_trace_warp) +
	       lines.all().size() * sizeof(uint32_t) +
	       WEIGHTS * sizeof(simgpu_trace_weight) +
	       SIMGPU_TRACE_SECTIONS * 8;
}

std::vector<uint8_t> TraceWriter::file(const std::string &name, uint64_t footprint,
				       const Executed &executed)
{
	simgpu_trace_header header = {};
	simgpu_trace_pattern recorded = {};
	std::vector<uint8_t> image(sizeof(header));

	header.magic = SIMGPU_TRACE_MAGIC;
	header.version = SIMGPU_TRACE_VERSION;
	header.header_bytes = sizeof(header);
	set_name(header.name, name);
	set_name(header.source, "simgpu-record 1");
	header.footprint_bytes = footprint;
	recorded.kind = SIMGPU_TRACE_RECORDED;

	append(image, header.sections[SIMGPU_TRACE_KERNELS], kernels);
	append(image, header.sections[SIMGPU_TRACE_PROGRAMS], programs);
	append(image, header.sections[SIMGPU_TRACE_OPS], ops);
	append(image, header.sections[SIMGPU_TRACE_PATTERNS],
	       std::vector<simgpu_trace_pattern>(1, recorded));
	append(image, header.sections[SIMGPU_TRACE_WARPS], warps);
	append(image, header.sections[SIMGPU_TRACE_LINES], lines.all());
	append(image, header.sections[SIMGPU_TRACE_WEIGHTS],
	       executed_weights(executed));

	header.total_bytes = image.size();
	memcpy(image.data(), &header, sizeof(header));
	header.checksum = crc32(0, image.data(), image.size());
	memcpy(image.data(), &header, sizeof(header));
	return image;
}

/* The programs of the kernel: an earlier kernel's, or new ones. */
void TraceWriter::place_programs()
{
	kernel.program_count = kernel_ops.count();
	for (const simgpu_trace_kernel &earlier : kernels) {
		if (!has_programs(earlier))
			continue;
		kernel.first_program = earlier.first_program;
		return;
	}
	kernel.first_program = programs.size();
	for (uint32_t i = 0; i < kernel_ops.count(); i++)
		programs.push_back({(uint32_t)ops.size() + kernel_ops.list(i).first,
				    kernel_ops.list(i).count});
	ops.insert(ops.end(), kernel_ops.all().begin(), kernel_ops.all().end());
}

bool TraceWriter::has_programs(const simgpu_trace_kernel &earlier) const
{
	const simgpu_trace_program *known = &programs[earlier.first_program];

	if (earlier.program_count != kernel.program_count)
		return false;
	for (uint32_t i = 0; i < kernel.program_count; i++)
		if (known[i].op_count != kernel_ops.list(i).count)
			return false;
	return !memcmp(&ops[known->first_op], kernel_ops.all().data(),
		       kernel_ops.all().size() * sizeof(simgpu_trace_op));
}

/* Likewise the warp table, whose entries count programs from the first. */
void TraceWriter::place_warps()
{
	for (const simgpu_trace_kernel &earlier : kernels) {
		if (!has_warps(earlier))
			continue;
		kernel.first_warp = earlier.first_warp;
		return;
	}
	kernel.first_warp = warps.size();
	warps.insert(warps.end(), kernel_warps.begin(), kernel_warps.end());
}

bool TraceWriter::has_warps(const simgpu_trace_kernel &earlier) const
{
	return earlier.first_program == kernel.first_program &&
	       !memcmp(earlier.grid, kernel.grid, sizeof(kernel.grid)) &&
	       !memcmp(earlier.block, kernel.block, sizeof(kernel.block)) &&
	       !memcmp(&warps[earlier.first_warp], kernel_warps.data(),
		       kernel_warps.size() * sizeof(simgpu_trace_warp));
}

} /* namespace record */

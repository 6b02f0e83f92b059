// SPDX-License-Identifier: GPL-2.0
/*
 * Puts the sections of a trace together: see trace_writer.h.
 */
#include "trace_writer.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

#include "give_up.h"

namespace record {

/* A plain form of so many bytes is kept in any case, else up to so many times the other. */
constexpr uint64_t PLAIN_BYTES_FREE = 1 << 20;
constexpr uint64_t PLAIN_TIMES = 2;

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
	table = std::make_unique<KernelTable>(kernel, plain, !plain);
	/* In a sample, patterns say what the thread blocks between do; lines do not. */
	if (!plain && kernel.sample_n == 1)
		plain_table = std::make_unique<KernelTable>(kernel, true, true);
	in_kernel = true;
}

void TraceWriter::begin_block(uint32_t recorded, uint32_t block)
{
	table->begin_block(recorded, block);
	if (plain_table)
		plain_table->begin_block(recorded, block);
}

void TraceWriter::add_warp(const WarpProgram &warp, uint64_t footprint)
{
	table->add_warp(warp, footprint);
	if (plain_table)
		plain_table->add_warp(warp, footprint);
	recorded_warps++;
	warp_instructions += warp.instructions();
}

void TraceWriter::end_block()
{
	table->end_block();
	if (!plain_table)
		return;
	plain_table->end_block();
	/* Most kernels are regular: then it would only take memory. */
	if (plain_table->bytes() > PLAIN_BYTES_FREE &&
	    plain_table->bytes() / PLAIN_TIMES > table->bytes())
		plain_table.reset();
}

void TraceWriter::end_kernel(uint64_t footprint)
{
	size_t runs_left = SIMGPU_TRACE_RUNS_MAX - std::max(rows.size(), runs.size());
	KernelSections sections = table->finish(runs_left, footprint);

	if (plain_table) {
		KernelSections other = plain_table->finish(runs_left, footprint);

		if (bytes_of(other) < bytes_of(sections))
			sections = std::move(other);
	}
	kernel = sections.kernel;
	number_parts(sections);
	place_programs(sections);
	if (kernel.first_warp != SIMGPU_TRACE_NO_WARPS)
		place_warps(sections);
	kernels.push_back(kernel);
	table.reset();
	plain_table.reset();
	in_kernel = false;
}

void TraceWriter::drop_kernel()
{
	table.reset();
	plain_table.reset();
	in_kernel = false;
}

/* What a kernel adds to the file, if it shares no programs or warps with another. */
uint64_t TraceWriter::bytes_of(const KernelSections &sections) const
{
	uint64_t bytes = sections.ops.size() * sizeof(simgpu_trace_op) +
			 sections.op_counts.size() * sizeof(simgpu_trace_program) +
			 sections.warps.size() * sizeof(simgpu_trace_warp) +
			 sections.rows.size() * sizeof(simgpu_trace_row) +
			 sections.runs.size() * sizeof(simgpu_trace_run);

	for (const simgpu_trace_pattern &pattern : sections.patterns.all())
		bytes += patterns.knows(pattern) ? 0 : sizeof(pattern);
	for (uint32_t i = 0; i < sections.lines.count(); i++)
		if (!lines.knows(sections.lines.elements_of(i)))
			bytes += sections.lines.list(i).count * sizeof(uint32_t);
	return bytes;
}

/* Patterns and lists of lines get the numbers that they have in the file. */
void TraceWriter::number_parts(KernelSections &sections)
{
	std::vector<uint32_t> numbers;

	for (const simgpu_trace_pattern &pattern : sections.patterns.all())
		numbers.push_back(patterns.number(pattern));
	for (simgpu_trace_op &op : sections.ops)
		if (is_memory(op))
			op.pattern = numbers[op.pattern];
	numbers = {0};
	for (uint32_t i = 0; i < sections.lines.count(); i++) {
		uint32_t list = lines.intern(sections.lines.elements_of(i));

		numbers.push_back(lines.list(list).first);
	}
	for (simgpu_trace_warp &warp : sections.warps)
		warp.first_line = numbers[warp.first_line];
}

uint64_t TraceWriter::bytes() const
{
	return sizeof(simgpu_trace_header) +
	       kernel_count() * sizeof(simgpu_trace_kernel) +
	       programs.size() * sizeof(simgpu_trace_program) +
	       ops.size() * sizeof(simgpu_trace_op) +
	       patterns.count() * sizeof(simgpu_trace_pattern) +
	       warps.size() * sizeof(simgpu_trace_warp) +
	       rows.size() * sizeof(simgpu_trace_row) +
	       runs.size() * sizeof(simgpu_trace_run) +
	       lines.all().size() * sizeof(uint32_t) +
	       mixes.count() * sizeof(simgpu_trace_mix) +
	       mixes.instructions().size() *
			sizeof(simgpu_trace_instruction) +
	       WEIGHTS * sizeof(simgpu_trace_weight) +
	       SIMGPU_TRACE_SECTIONS * 8 + (table ? table->bytes() : 0);
}

std::vector<uint8_t>
TraceWriter::file(const std::string &name, uint64_t footprint, const Executed &executed,
		  const std::vector<simgpu_trace_allocation> &allocations)
{
	simgpu_trace_header header = {};
	std::vector<uint8_t> image(sizeof(header));

	header.magic = SIMGPU_TRACE_MAGIC;
	header.version = SIMGPU_TRACE_VERSION_V4;
	header.header_bytes = sizeof(header);
	set_name(header.name, name);
	set_name(header.source, "simgpu-record 1");
	header.footprint_bytes = footprint;

	append(image, header.sections[SIMGPU_TRACE_KERNELS], kernels);
	append(image, header.sections[SIMGPU_TRACE_PROGRAMS], programs);
	append(image, header.sections[SIMGPU_TRACE_OPS], ops);
	append(image, header.sections[SIMGPU_TRACE_PATTERNS],
	       patterns.all(footprint));
	append(image, header.sections[SIMGPU_TRACE_WARPS], warps);
	append(image, header.sections[SIMGPU_TRACE_LINES], lines.all());
	append(image, header.sections[SIMGPU_TRACE_WEIGHTS],
	       executed_weights(executed));
	append(image, header.sections[SIMGPU_TRACE_ROWS], rows);
	append(image, header.sections[SIMGPU_TRACE_RUNS], runs);
	append(image, header.sections[SIMGPU_TRACE_MIXES], mixes.all());
	append(image, header.sections[SIMGPU_TRACE_INSTRUCTIONS],
	       mixes.instructions());
	append(image, header.sections[SIMGPU_TRACE_ALLOCATIONS], allocations);

	header.total_bytes = image.size();
	memcpy(image.data(), &header, sizeof(header));
	header.checksum = crc32(0, image.data(), image.size());
	memcpy(image.data(), &header, sizeof(header));
	return image;
}

/* The programs of the kernel: an earlier kernel's, or new ones. */
void TraceWriter::place_programs(const KernelSections &sections)
{
	for (const simgpu_trace_kernel &earlier : kernels) {
		if (!has_programs(earlier, sections))
			continue;
		kernel.first_program = earlier.first_program;
		return;
	}
	kernel.first_program = programs.size();

	uint32_t first = ops.size();

	for (uint32_t count : sections.op_counts) {
		programs.push_back({first, count});
		first += count;
	}
	ops.insert(ops.end(), sections.ops.begin(), sections.ops.end());
	for (const simgpu_trace_op &op : sections.ops)
		mixed += mixes.named_by(op);
	if (mixed > SIMGPU_TRACE_MIXED_MAX)
		give_up("the programs of the warps name more than %llu different "
			"instructions; give the program a smaller problem, or "
			"record fewer thread blocks", SIMGPU_TRACE_MIXED_MAX);
}

template <typename Element>
static bool is_at(const std::vector<Element> &all, size_t first,
		  const std::vector<Element> &part)
{
	return first + part.size() <= all.size() &&
	       (part.empty() || !memcmp(&all[first], part.data(),
					part.size() * sizeof(Element)));
}

bool TraceWriter::has_programs(const simgpu_trace_kernel &earlier,
			       const KernelSections &sections) const
{
	const simgpu_trace_program *known = &programs[earlier.first_program];

	if (earlier.program_count != kernel.program_count)
		return false;
	for (uint32_t i = 0; i < kernel.program_count; i++)
		if (known[i].op_count != sections.op_counts[i])
			return false;
	return is_at(ops, known->first_op, sections.ops);
}

/* Likewise the warp table, whose entries count programs from the first. */
void TraceWriter::place_warps(KernelSections &sections)
{
	for (const simgpu_trace_kernel &earlier : kernels) {
		if (!has_warps(earlier, sections))
			continue;
		kernel.first_warp = earlier.first_warp;
		kernel.first_row = earlier.first_row;
		return;
	}
	kernel.first_warp = warps.size();
	kernel.first_row = kernel.row_count ? rows.size() : 0;
	for (simgpu_trace_row &row : sections.rows)
		row.first_run += runs.size();
	warps.insert(warps.end(), sections.warps.begin(), sections.warps.end());
	rows.insert(rows.end(), sections.rows.begin(), sections.rows.end());
	runs.insert(runs.end(), sections.runs.begin(), sections.runs.end());
}

bool TraceWriter::has_warps(const simgpu_trace_kernel &earlier,
			    const KernelSections &sections) const
{
	if (earlier.first_warp == SIMGPU_TRACE_NO_WARPS ||
	    earlier.first_program != kernel.first_program ||
	    memcmp(earlier.grid, kernel.grid, sizeof(kernel.grid)) ||
	    memcmp(earlier.block, kernel.block, sizeof(kernel.block)) ||
	    earlier.sample_n != kernel.sample_n ||
	    earlier.table_blocks != kernel.table_blocks ||
	    earlier.row_count != kernel.row_count ||
	    !is_at(warps, earlier.first_warp, sections.warps))
		return false;
	if (!kernel.row_count)
		return true;

	uint32_t first_run = rows[earlier.first_row].first_run;

	for (uint32_t i = 0; i < kernel.row_count; i++) {
		simgpu_trace_row row = rows[earlier.first_row + i];

		row.first_run -= first_run;
		if (memcmp(&row, &sections.rows[i], sizeof(row)))
			return false;
	}
	return is_at(runs, first_run, sections.runs);
}

} /* namespace record */

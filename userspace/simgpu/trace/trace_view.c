// SPDX-License-Identifier: GPL-2.0
/* Access to the contents of a checked trace file; see trace_view.h. */
#include "../../workloads/builder.h"
#include "trace_view.h"

/* A section; NULL if the file's version does not have it. */
static const void *section(const void *bytes, u32 id)
{
	const struct simgpu_trace_header *header = bytes;

	return id < trace_sections(header->version) ?
	       (const char *)bytes + header->sections[id].offset : NULL;
}

struct view view_of(const void *bytes)
{
	return (struct view) {
		.header = bytes,
		.kernels = section(bytes, SIMGPU_TRACE_KERNELS),
		.programs = section(bytes, SIMGPU_TRACE_PROGRAMS),
		.ops = section(bytes, SIMGPU_TRACE_OPS),
		.patterns = section(bytes, SIMGPU_TRACE_PATTERNS),
		.warps = section(bytes, SIMGPU_TRACE_WARPS),
		.lines = section(bytes, SIMGPU_TRACE_LINES),
		.weights = section(bytes, SIMGPU_TRACE_WEIGHTS),
		.rows = section(bytes, SIMGPU_TRACE_ROWS),
		.runs = section(bytes, SIMGPU_TRACE_RUNS),
		.mixes = section(bytes, SIMGPU_TRACE_MIXES),
		.instructions = section(bytes, SIMGPU_TRACE_INSTRUCTIONS),
		.profiles = section(bytes, SIMGPU_TRACE_PROFILES),
		.points = section(bytes, SIMGPU_TRACE_POINTS),
		.allocations = section(bytes, SIMGPU_TRACE_ALLOCATIONS),
		.commands = section(bytes, SIMGPU_TRACE_COMMANDS),
	};
}

u64 section_count(const struct view *view, u32 id)
{
	return id < trace_sections(view->header->version) ?
	       view->header->sections[id].count : 0;
}

u64 kernel_blocks(const struct simgpu_trace_kernel *kernel)
{
	return (u64)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
}

u32 kernel_threads(const struct simgpu_trace_kernel *kernel)
{
	return kernel->block[0] * kernel->block[1] * kernel->block[2];
}

u32 kernel_warps(const struct simgpu_trace_kernel *kernel)
{
	return (kernel_threads(kernel) + GPU_LANES - 1) / GPU_LANES;
}

bool touches_memory(u32 kind)
{
	return kind == SIMGPU_TRACE_LOAD || kind == SIMGPU_TRACE_STORE ||
	       kind == SIMGPU_TRACE_ATOMIC || kind == SIMGPU_TRACE_CONSTANT;
}

/* The thread block of the warp table that a thread block is like. */
static u64 table_block(const struct view *view,
		       const struct simgpu_trace_kernel *kernel, u64 block)
{
	const struct simgpu_trace_row *row = &view->rows[kernel->first_row];
	const struct simgpu_trace_run *run;
	u64 number = 0;

	block /= kernel->sample_n;
	if (!kernel->row_count)
		return block;
	if (kernel->sample_n == 1) {
		number = block / kernel->grid[0];
		block %= kernel->grid[0];
	}
	while (row->end <= number)
		row++;
	for (run = &view->runs[row->first_run]; run->end <= block; run++)
		;
	return run->block;
}

struct simgpu_trace_warp view_warp(const struct view *view,
				   const struct simgpu_trace_kernel *kernel,
				   u64 warp)
{
	u32 warps = kernel_warps(kernel);

	if (kernel->first_warp == SIMGPU_TRACE_NO_WARPS)
		return (struct simgpu_trace_warp) { .program = 0 };
	return view->warps[kernel->first_warp + warp % warps +
			   table_block(view, kernel, warp / warps) * warps];
}

u64 view_affine_address(const struct simgpu_trace_kernel *kernel, u64 warp,
			const struct simgpu_trace_pattern *p, u32 depth,
			const u32 *loop, u32 lane)
{
	u32 group = p->group_lanes ? p->group_lanes : GPU_LANES;
	u64 block = warp / kernel_warps(kernel);
	u64 address = p->base, mask = p->xor_bytes;
	u32 i;

	address += (u64)p->warp_stride * (warp % kernel_warps(kernel));
	for (i = 0; i < 3; i++) {
		address += (u64)p->block_stride[i] * (block % kernel->grid[i]);
		block /= kernel->grid[i];
	}
	for (i = 0; i < depth; i++)
		address += (u64)p->loop_stride[i] * loop[i];
	if (p->xor_loop)
		mask <<= loop[p->xor_loop - 1];
	address += (u64)p->lane_stride * (lane % group) +
		   (u64)p->group_stride * (lane / group);
	return address ^ mask;
}

char *trace_name_of(const char *path, const char *other)
{
	const char *file = strrchr(path, '/');
	size_t length;
	char *name, *at;

	file = file ? file + 1 : path;
	length = min_t(size_t, strcspn(file, "."), SIMGPU_TRACE_NAME_BYTES - 1);
	name = length ? strndup(file, length) : strdup(other);
	for (at = name; at && *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '_';
	return name;
}

const char *op_kind_name(u32 kind)
{
	static const char *const names[] = {
		[SIMGPU_TRACE_COMPUTE] = "compute",
		[SIMGPU_TRACE_LOAD] = "load",
		[SIMGPU_TRACE_STORE] = "store",
		[SIMGPU_TRACE_ATOMIC] = "atomic",
		[SIMGPU_TRACE_SHARED] = "shared",
		[SIMGPU_TRACE_BARRIER] = "barrier",
		[SIMGPU_TRACE_LOOP] = "loop",
		[SIMGPU_TRACE_LOOP_END] = "end of loop",
		[SIMGPU_TRACE_CONSTANT] = "constant",
		[SIMGPU_TRACE_SPIN] = "spin",
	};

	return names[kind];
}

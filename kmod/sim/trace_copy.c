// SPDX-License-Identifier: GPL-2.0
/*
 * A copy that a program asks for without a trace of its own, as a trace: it has this one
 * command, and a kernel that no command launches, since each trace has one.
 */
#include "trace_format.h"

/* struct encoded - the trace, section by section */
struct encoded {
	struct simgpu_trace_header header;
	struct simgpu_trace_kernel kernel;
	struct simgpu_trace_program program;
	struct simgpu_trace_op op;
	struct simgpu_trace_allocation allocation;
	struct simgpu_trace_command command;
};

static_assert(sizeof(struct encoded) == TRACE_COPY_BYTES, "what callers have room for");

static const char names[][SIMGPU_TRACE_NAME_BYTES] = {
	[TRACE_COMMAND_COPY_IN] = "copy in",
	[TRACE_COMMAND_COPY_OUT] = "copy out",
	[TRACE_COMMAND_COPY] = "copy",
	[TRACE_COMMAND_SET] = "set",
};

int trace_copy_check(const struct trace_copy *copy)
{
	if (copy->kind < TRACE_COMMAND_COPY_IN || copy->kind > TRACE_COMMAND_SET ||
	    copy->offset % SIMGPU_TRACE_ALLOCATION_ALIGN || !copy->bytes)
		return -EINVAL;
	return fixed_add(copy->offset, copy->bytes) > SIMGPU_TRACE_SPACE_BYTES ? -E2BIG : 0;
}

static void place(struct encoded *out, enum simgpu_trace_section_id section, const void *data)
{
	out->header.sections[section] = (struct simgpu_trace_section) {
		.offset = (u64)((const u8 *)data - (const u8 *)out),
		.count = 1,
	};
}

void trace_make_copy(const struct trace_copy *copy, void *memory)
{
	struct encoded *out = memory;

	static_assert((u32)TRACE_COMMAND_COPY_IN == (u32)SIMGPU_TRACE_COMMAND_COPY_IN &&
		      (u32)TRACE_COMMAND_SET == (u32)SIMGPU_TRACE_COMMAND_SET, "kinds");
	*out = (struct encoded) {
		.header = {
			.magic = SIMGPU_TRACE_MAGIC,
			.version = SIMGPU_TRACE_VERSION_V4,
			.header_bytes = sizeof(out->header),
			.total_bytes = sizeof(*out),
			.source = "SIMGPU_IOC_COPY",
			.footprint_bytes = copy->offset + copy->bytes,
		},
		.kernel = {
			.name = "none",
			.grid = { 1, 1, 1 },
			.block = { 1, 1, 1 },
			.registers_per_thread = 1,
			.program_count = 1,
			.first_warp = SIMGPU_TRACE_NO_WARPS,
			.sample_n = 1,
		},
		.program = { .op_count = 1 },
		.op = {
			.kind = SIMGPU_TRACE_COMPUTE,
			.active_lanes = 1,
			.issue_cycles = 1,
			.count = 1,
		},
		.allocation = {
			.name = "copied",
			.base = copy->offset,
			.bytes = copy->bytes,
			.kind = SIMGPU_TRACE_DEVICE,
			.last_command = SIMGPU_TRACE_TO_END,
		},
		.command = {
			.kind = (u16)copy->kind,
			.repeat = 1,
			.amount = copy->bytes,
		},
	};
	memcpy(out->header.name, names[copy->kind], sizeof(out->header.name));
	place(out, SIMGPU_TRACE_KERNELS, &out->kernel);
	place(out, SIMGPU_TRACE_PROGRAMS, &out->program);
	place(out, SIMGPU_TRACE_OPS, &out->op);
	place(out, SIMGPU_TRACE_ALLOCATIONS, &out->allocation);
	place(out, SIMGPU_TRACE_COMMANDS, &out->command);
	out->header.checksum = port_crc32(0, out, sizeof(*out));
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An encoded trace: how the validator and the decoder find its parts. Only these two
 * know the format, include/uapi/linux/simgpu_trace.h.
 */
#ifndef SIM_TRACE_FORMAT_H
#define SIM_TRACE_FORMAT_H

#include <linux/simgpu_trace.h>

#include <simgpu/fixed.h>
#include <simgpu/port.h>

#include "trace.h"

#define LANES			32

/* How many sections a header has, by its version; 0: unknown version. */
static inline u32 section_total(const struct simgpu_trace_header *header)
{
	switch (header->version) {
	case 1:
		return SIMGPU_TRACE_SECTIONS_V1;
	case 2:
		return SIMGPU_TRACE_SECTIONS_V2;
	case 3:
		return SIMGPU_TRACE_SECTIONS_V3;
	case SIMGPU_TRACE_VERSION_V4:
	case SIMGPU_TRACE_VERSION:
		return SIMGPU_TRACE_SECTIONS;
	default:
		return 0;
	}
}

static inline u64 section_count(const struct simgpu_trace_header *header,
				u32 section)
{
	return section < section_total(header) ?
	       header->sections[section].count : 0;
}

static inline const void *
section_data(const struct simgpu_trace_header *header, u32 section)
{
	return section < section_total(header) ?
	       (const u8 *)header + header->sections[section].offset : NULL;
}

static inline u64 threads_of(const struct simgpu_trace_kernel *k)
{
	return fixed_mul(fixed_mul(k->block[0], k->block[1]), k->block[2]);
}

static inline u64 blocks_of(const struct simgpu_trace_kernel *k)
{
	return fixed_mul(fixed_mul(k->grid[0], k->grid[1]), k->grid[2]);
}

static inline u32 warps_of(const struct simgpu_trace_kernel *k)
{
	return (u32)((threads_of(k) + LANES - 1) / LANES);
}

/* trace_decode.c: the size of the decoded trace. */
u64 trace_decoded_bytes(const struct simgpu_trace_header *header);

/* trace_commands.c */
u64 trace_commands_bytes(const struct simgpu_trace_header *header);
void trace_decode_commands(const struct simgpu_trace_header *header, struct trace *trace,
			   void *memory);

/* trace_timing.c: how many instructions of an op with a mix are timed one by one. */
u64 mixed_steps(u32 count, u32 length);

/* trace_count.c */
u64 trace_count_program(const struct trace_op *op);
u64 trace_count_kernel(const struct trace_kernel *kernel, const u64 *programs,
		       u64 *lists);

#endif /* SIM_TRACE_FORMAT_H */

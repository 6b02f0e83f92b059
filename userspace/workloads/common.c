// SPDX-License-Identifier: GPL-2.0
/* Shared by the benchmarks' kernels; see common.h. */
#include "common.h"

__u32 own_element(struct builder *b, __u64 array, __u32 threads, __u32 bytes,
		  __s64 stride)
{
	return ACCESS(b, .base = array, .access_bytes = bytes,
		      .block_stride = { threads * stride },
		      .warp_stride = WARP * stride, .lane_stride = stride);
}

void load_own(struct builder *b, __u64 array, __u32 threads, __u32 bytes,
	      __u32 consume_after)
{
	builder_load(b, own_element(b, array, threads, bytes, bytes), WARP,
		     consume_after);
}

void store_own(struct builder *b, __u64 array, __u32 threads, __u32 bytes)
{
	builder_store(b, own_element(b, array, threads, bytes, bytes), WARP);
}

__u32 anywhere(struct builder *b, __u64 array, __u64 size, __u32 lines,
	       __u32 bytes, __u32 seed)
{
	const struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = bytes,
		.base = array, .region_bytes = size,
		.lines = lines, .seed = seed,
	};

	return builder_pattern(b, &pattern);
}

void burst(struct builder *b, const char *mix, __u32 count, __u32 lanes)
{
	builder_mixed(b, builder_mix(b, mix), count, lanes);
}

void add_up_block(struct builder *b, __u32 threads, __u32 values)
{
	__u32 levels = 0, lanes;

	while (1U << levels < threads)
		levels++;
	/* The active lanes of all levels together are as many as there are threads. */
	lanes = levels ? (WARP + levels - 1) / levels : WARP;
	builder_loop(b, levels ? levels : 1);
	builder_barrier(b);
	/* Which threads take part; then two values in, one out. */
	burst(b, "I I1 C1", 3, WARP);
	burst(b, "M M F1 M1", 4 * values, lanes);
	builder_loop_end(b);
	builder_barrier(b);
}

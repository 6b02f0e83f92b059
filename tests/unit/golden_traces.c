// SPDX-License-Identifier: GPL-2.0
/* What the golden runs run: see test_goldens.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "goldens.h"
#include "trace_sample.h"
#include "traces.h"

struct trace *golden_traces[GOLDEN_TRACES];

/* All units, distances of all sorts, and memory that waits for them. */
static struct trace *trace_dependent(void)
{
	struct builder *b = builder_new("dependent", "test");
	u32 pattern = builder_affine(b, 0, 1 << 22, 4, 4096, 512, 128);
	u32 mix = builder_mix(b, "I F1 F4 M2*8 D1*2 S3 T1 C I7");
	u32 chain = builder_mix(b, "F1");

	builder_kernel(b, "dependent", 700, 192, 40, 2048);
	builder_loop(b, 6);
	builder_load(b, pattern, 32, 1);
	builder_mixed(b, mix, 27, 32);
	builder_store(b, pattern, 32);
	builder_after(b, 2);
	builder_mixed(b, chain, 11, 24);
	builder_barrier(b);
	builder_after(b, 1);
	builder_loop_end(b);
	return trace_of(b, 1 << 22);
}

/* Lanes 12 bytes apart that read 8 bytes off the line, in a box of blocks. */
static struct trace *trace_odd(void)
{
	struct simgpu_trace_pattern odd = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 8, .base = 72,
		.region_bytes = 1000008, .block_stride = { 40008, 1016, 120 },
		.warp_stride = 4104, .lane_stride = 24, .loop_stride = { 392, 56 },
	};
	struct simgpu_trace_pattern down = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 16, .base = 1 << 20,
		.region_bytes = 1 << 18, .block_stride = { -4096, 256, 0 },
		.warp_stride = -512, .lane_stride = -16, .loop_stride = { -64 },
		.xor_bytes = 1024, .xor_loop = 1,
	};
	struct builder *b = builder_new("odd", "test");
	u32 first = builder_pattern(b, &odd), second = builder_pattern(b, &down);

	builder_kernel(b, "odd", 1, 1, 20, 100);
	builder_grid(b, 13, 7, 5);
	builder_block(b, 10, 5, 3);
	builder_loop(b, 3);
	builder_loop(b, 2);
	builder_load(b, first, 29, 0);
	builder_load(b, second, 32, 3);
	builder_compute(b, 5, 31);
	builder_store(b, second, 7);
	builder_store(b, first, 32);
	builder_loop_end(b);
	builder_loop_end(b);
	return trace_of(b, (1 << 20) + (1 << 18));
}

/* Single bytes, a sector or nearly so from each other, and pairs of bytes. */
static struct trace *trace_bytes(void)
{
	struct simgpu_trace_pattern one = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 1, .base = 31,
		.region_bytes = 1 << 19, .block_stride = { 1055 },
		.warp_stride = 129, .lane_stride = 33, .loop_stride = { 4097 },
	};
	struct simgpu_trace_pattern two = one;
	struct builder *b = builder_new("bytes", "test");
	u32 first, second;

	two.access_bytes = 2;
	two.base = 62;
	two.block_stride[0] = 1056;
	two.warp_stride = 130;
	two.loop_stride[0] = 4098;
	two.lane_stride = 64;
	two.group_lanes = 4;
	two.group_stride = 222;
	first = builder_pattern(b, &one);
	second = builder_pattern(b, &two);
	builder_kernel(b, "bytes", 300, 224, 32, 0);
	builder_loop(b, 5);
	builder_load(b, first, 32, 0);
	builder_store(b, second, 31);
	builder_load(b, second, 5, 1);
	builder_store(b, first, 1);
	builder_compute(b, 4, 32);
	builder_loop_end(b);
	return trace_of(b, 1 << 20);
}

/* More loads than a warp can wait for, of which the last are needed first. */
static struct trace *trace_loads(void)
{
	struct simgpu_trace_pattern random = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 4,
		.region_bytes = 1 << 22, .lines = 1, .seed = 13,
	};
	struct builder *b = builder_new("loads", "test");
	u32 pattern = builder_pattern(b, &random), i;

	builder_kernel(b, "loads", 400, 64, 64, 0);
	builder_loop(b, 3);
	for (i = 0; i < 50; i++) {
		builder_load(b, pattern, 32, 130 - i % 32 * 2);
		if (i % 16 == 15)
			builder_compute(b, 1, 32);
	}
	builder_compute(b, 150, 32);
	builder_loop_end(b);
	return trace_of(b, 1 << 22);
}

/* Loops as deep as they may be, and an end whose result is late. */
static struct trace *trace_deep(void)
{
	struct builder *b = builder_new("deep", "test");
	u32 pattern = builder_affine(b, 0, 1 << 21, 4, 4096, 512, 128);
	u32 mix = builder_mix(b, "D1 S1 T1"), i;

	builder_kernel(b, "deep", 300, 96, 24, 0);
	for (i = 0; i < SIMGPU_TRACE_LOOP_DEPTH_MAX; i++) {
		builder_loop(b, 2);
		builder_compute(b, 3 + i, 32);
	}
	builder_load(b, pattern, 32, 1);
	builder_mixed(b, mix, 5, 32);
	for (i = 0; i < SIMGPU_TRACE_LOOP_DEPTH_MAX; i++)
		builder_loop_end(b);
	builder_store(b, pattern, 32);
	builder_compute(b, 7, 32);
	builder_mixed(b, mix, 3, 32);
	return trace_of(b, 1 << 21);
}

/* Shared memory of many banks' conflicts, slow units, barriers, large blocks. */
static struct trace *trace_shared(void)
{
	struct builder *b = builder_new("shared", "test");

	builder_kernel(b, "shared", 300, 512, 32, 12000);
	builder_loop(b, 8);
	builder_shared(b, 7, 32, 4);
	builder_slow(b, 3, 17, 8);
	builder_barrier(b);
	builder_shared(b, 2, 32, 1);
	builder_loop_end(b);
	return trace_of(b, 0);
}

/* Partial stores, atomics with and without a result, and reads of the same lines. */
static struct trace *trace_scatter(void)
{
	struct simgpu_trace_pattern random = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 4,
		.region_bytes = 1 << 17, .lines = 3, .seed = 11,
	};
	struct builder *b = builder_new("scatter", "test");
	u32 pattern = builder_pattern(b, &random);

	builder_kernel(b, "scatter", 3000, 128, 16, 0);
	builder_loop(b, 4);
	builder_store(b, pattern, 3);
	builder_atomic(b, pattern, 32, 2);
	builder_compute(b, 3, 32);
	builder_load(b, pattern, 8, 0);
	builder_loop_end(b);
	return trace_of(b, 1 << 17);
}

/*
 * Journals and hashes of launches under way have the checksum of a trace. So the sample has
 * the version that it had when they were recorded, whose header is shorter.
 */
static u64 make_version_3(struct sample *s)
{
	u64 header_bytes = offsetof(struct simgpu_trace_header,
				    sections[SIMGPU_TRACE_SECTIONS_V3]);
	u64 less = sizeof(s->header) - header_bytes, bytes = sizeof(*s) - less;
	u32 i;

	for (i = 0; i < SIMGPU_TRACE_SECTIONS_V3; i++)
		if (s->header.sections[i].count)
			s->header.sections[i].offset -= less;
	s->header.version = 3;
	s->header.header_bytes = (u16)header_bytes;
	s->header.total_bytes = bytes;
	memmove((u8 *)s + header_bytes, s->kernels, sizeof(*s) - sizeof(s->header));
	builder_seal(s, bytes);
	return bytes;
}

static struct trace *trace_sample(void)
{
	struct sample *s = sample_new();
	u64 memory_bytes, bytes = make_version_3(s);
	struct trace_error error;
	struct trace *trace;

	assert_int_equal(trace_check(s, bytes, &memory_bytes, &error), 0);
	trace = trace_decode(s, port_alloc(memory_bytes));
	free(s);
	return trace;
}

/*
 * Kernels whose profiles say up to how many SMs they gain, and what memory they need;
 * only the first @known have one.
 */
static struct trace *trace_profiled(u32 kernels, u32 known, u32 blocks, u32 knee,
				    u32 bandwidth_ppm)
{
	struct builder *b = builder_new("profiled", "test");
	struct simgpu_trace_point points[8];
	u32 kernel, i;

	builder_footprint(b, 4096);
	for (kernel = 0; kernel < kernels; kernel++) {
		builder_kernel(b, kernel ? "then" : "first", blocks + kernel, 256, 32, 0);
		builder_compute(b, 900, 32);
	}
	for (kernel = 0; kernel < known; kernel++, knee += 2) {
		struct simgpu_trace_profile profile = {
			.kernel = kernel, .config = "hbm80", .sms = ARRAY_SIZE(points),
			.blocks = blocks + kernel, .memory_bytes = 4096,
		};

		for (i = 0; i < ARRAY_SIZE(points); i++) {
			points[i].cycles = 330 * blocks / (i < knee ? i + 1 : knee) + i;
			points[i].bandwidth_ppm = bandwidth_ppm * (i < knee ? i + 1 : knee);
		}
		profile.first_point = builder_points(b, points, ARRAY_SIZE(points));
		builder_profile(b, &profile);
	}
	return trace_of(b, 4096);
}

void golden_traces_make(void)
{
	struct trace **t = golden_traces;
	u32 i;

	t[GOLDEN_COMPUTE] = trace_compute(4000, 10, 20);
	t[GOLDEN_TWICE] = trace_compute_twice(60, 20, 20);
	t[GOLDEN_STREAM] = trace_stream(3000, 8, 6);
	t[GOLDEN_COPY] = trace_copy(2000, 8, 32);
	t[GOLDEN_PARTIAL] = trace_copy(2000, 8, 9);
	t[GOLDEN_RANDOM] = trace_random(2000, 20, 4, 1 << 24);
	t[GOLDEN_GATHER] = trace_random(2000, 20, 32, 1 << 22);
	t[GOLDEN_PAIRS] = trace_pairs(40, 8);
	t[GOLDEN_MIXED] = trace_varied(2000, 5, 1 << 24);
	t[GOLDEN_DEPENDENT] = trace_dependent();
	t[GOLDEN_ODD] = trace_odd();
	t[GOLDEN_SHARED] = trace_shared();
	t[GOLDEN_SCATTER] = trace_scatter();
	t[GOLDEN_SAMPLE] = trace_sample();
	t[GOLDEN_BYTES] = trace_bytes();
	t[GOLDEN_LOADS] = trace_loads();
	t[GOLDEN_DEEP] = trace_deep();
	t[GOLDEN_PROFILED] = trace_profiled(2, 2, 90, 3, 1000);
	t[GOLDEN_GREEDY] = trace_profiled(1, 1, 200, 8, 90000);
	t[GOLDEN_MODEST] = trace_profiled(3, 3, 11, 1, 30000);
	t[GOLDEN_HALF] = trace_profiled(3, 2, 40, 2, 20000);
	t[GOLDEN_BRIEF] = trace_compute(64, 4, 10);
	t[GOLDEN_LONG] = trace_compute(200, 1, 100000);
	t[GOLDEN_FEW] = trace_compute(5, 20, 20);
	for (i = 0; i < KIND_COUNT; i++) {
		u64 footprint;
		struct builder *b = kind_build(&kinds[i], (__u64 *)&footprint);

		t[GOLDEN_KINDS + i] = trace_of(b, footprint);
	}
}

void golden_traces_free(void)
{
	u32 i;

	for (i = 0; i < GOLDEN_TRACES; i++)
		trace_free(golden_traces[i]);
}

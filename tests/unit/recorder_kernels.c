// SPDX-License-Identifier: GPL-2.0
/*
 * Small OpenCL kernels whose traces tests/unit/test_recorder.c knows by heart.
 * Without an argument, all of KERNELS run once, in order, which is the order
 * of the kernels in the trace. With the argument "exit-3", "abort", "no-kernel",
 * "async-copy", "out-of-bounds" or "uneven", one way in which a recording ends
 * without a trace. Of the results only the last kernel's are checked; the
 * programs in tools/record/programs check theirs.
 */
#include "host.h"

#include <string.h>

#define BUFFER_BYTES	65536
#define BUFFERS		4

static const char *const source =
"#define GLOBAL __global float *\n"
"#define ARGUMENTS GLOBAL a, GLOBAL b, GLOBAL c, GLOBAL d\n"
"\n"
"__kernel void vector_add(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	c[i] = a[i] + b[i];\n"
"}\n"
"__kernel void strided(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	b[i * 32] = a[i * 64];\n"
"}\n"
"__kernel void odd_lanes(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	if (i & 1)\n"
"		b[i] = a[i];\n"
"}\n"
"__kernel void two_sides(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	if (i % 4 == 3)\n"
"		b[i + 64] = a[i] * 2;\n"
"	else\n"
"		c[i] = a[i + 32] + d[i];\n"
"	d[i] = 1;\n"
"}\n"
"__kernel void trips(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	float sum = 0;\n"
"	for (uint j = 0; j < i % 4; j++)\n"
"		sum += a[i + 32 * j];\n"
"	b[i] = sum;\n"
"}\n"
"__kernel void nested_trips(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	for (uint outer = 0; outer < 2; outer++)\n"
"		for (uint inner = 0; inner <= (i & 1); inner++)\n"
"			a[i + 32 * inner] = outer;\n"
"}\n"
"__kernel void banks(ARGUMENTS)\n"
"{\n"
"	__local float tile[1024];\n"
"	size_t i = get_local_id(0);\n"
"	tile[i * 2] = 1;\n"
"	tile[i * 32] = 2;\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	a[i] = tile[0] + tile[i];\n"
"}\n"
"__kernel void atomics(ARGUMENTS)\n"
"{\n"
"	__local int sum[32];\n"
"	size_t i = get_local_id(0);\n"
"	__global int *counter = (__global int *)a;\n"
"	sum[i] = 0;\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	atomic_add(&sum[0], 1);\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	atomic_add(counter, sum[i]);\n"
"	b[i] = atomic_inc(counter + 32 * i);\n"
"}\n"
"__kernel void wide(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	((__global float4 *)b)[i] = ((__global float4 *)a)[i];\n"
"	((__global float8 *)d)[i] = ((__global float8 *)c)[i];\n"
"}\n"
"__kernel void vectors(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	vstore2(vload2(i, a), i, b);\n"
"}\n"
"__kernel void uniform(ARGUMENTS)\n"
"{\n"
"	a[get_global_id(0)] = b[5];\n"
"}\n"
"__kernel void part_warp(ARGUMENTS)\n"
"{\n"
"	a[get_local_id(0) + 64 * get_group_id(0)] = 1;\n"
"}\n"
"__kernel void own_size(ARGUMENTS)\n"
"{\n"
"	a[get_global_id(0)] = 1;\n"
"}\n"
"__attribute__((noinline)) float pick(GLOBAL a, uint i)\n"
"{\n"
"	if (i & 1)\n"
"		return a[i];\n"
"	return a[i * 32] + 1;\n"
"}\n"
"__kernel void functions(ARGUMENTS)\n"
"{\n"
"	uint i = get_global_id(0);\n"
"	b[i] = pick(a, i);\n"
"	c[i] = pick(a, i + 2) * 3;\n"
"}\n"
"__kernel void early_return(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	if (i >= 40)\n"
"		return;\n"
"	a[i] = 1;\n"
"}\n"
"__kernel void fetch_ahead(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	float next = a[i];\n"
"	for (uint j = 1; j < 3; j++) {\n"
"		float now = next;\n"
"		next = a[i + 32 * j];\n"
"		b[i + 32 * j] = now * 2;\n"
"	}\n"
"	c[i] = next;\n"
"}\n"
"__kernel void plane(ARGUMENTS)\n"
"{\n"
"	a[get_local_id(1) * 8 + get_local_id(0)] = 1;\n"
"}\n"
"/* LLVM makes intrinsics of these, which Oclgrind learns from the recorder. */\n"
"__kernel void intrinsics(ARGUMENTS)\n"
"{\n"
"	uint i = get_global_id(0);\n"
"	uint x = i * (i + 12345);\n"
"	((__global uint *)b)[i] = (x << 7 | x >> 25) ^ (x > 1000 ? x - 1000 : 0);\n"
"}\n"
"__constant float table[32] = { 1, 2, 3, 4, 5, 6, 7, 8 };\n"
"__kernel void constants(__constant float *a, GLOBAL b, GLOBAL c, GLOBAL d)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	d[i] = a[7] + table[i] + c[i];\n"
"}\n"
"struct pair { float4 x, y; };\n"
"__kernel void constant_copies(__constant float *a, GLOBAL b, GLOBAL c, GLOBAL d)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	vstore2(vload2(i, a), i, c);\n"
"	((__global struct pair *)d)[i] = *(__constant struct pair *)a;\n"
"}\n"
"__kernel void async_copy(ARGUMENTS)\n"
"{\n"
"	__local float tile[32];\n"
"	event_t event = async_work_group_copy(tile, a, 32, 0);\n"
"	wait_group_events(1, &event);\n"
"	b[get_local_id(0)] = tile[get_local_id(0)];\n"
"}\n"
"__kernel void out_of_bounds(ARGUMENTS)\n"
"{\n"
"	a[get_global_id(0) + 65536 / 4] = 1;\n"
"}\n";

struct launch {
	const char *name;
	size_t global[2];
	size_t local[2];	/* 0: left to the implementation */
};

static const struct launch launches[] = {
	{ "vector_add", { 128, 1 }, { 64, 1 } },
	{ "strided", { 32, 1 }, { 32, 1 } },
	{ "odd_lanes", { 32, 1 }, { 32, 1 } },
	{ "two_sides", { 32, 1 }, { 32, 1 } },
	{ "trips", { 32, 1 }, { 32, 1 } },
	{ "nested_trips", { 32, 1 }, { 32, 1 } },
	{ "banks", { 32, 1 }, { 32, 1 } },
	{ "atomics", { 32, 1 }, { 32, 1 } },
	{ "wide", { 32, 1 }, { 32, 1 } },
	{ "vectors", { 32, 1 }, { 32, 1 } },
	{ "uniform", { 32, 1 }, { 32, 1 } },
	{ "part_warp", { 80, 1 }, { 40, 1 } },
	{ "own_size", { 768, 1 }, { 0, 0 } },
	{ "functions", { 32, 1 }, { 32, 1 } },
	{ "early_return", { 96, 1 }, { 96, 1 } },
	{ "fetch_ahead", { 32, 1 }, { 32, 1 } },
	{ "plane", { 16, 16 }, { 8, 8 } },
	{ "vector_add", { 128, 1 }, { 64, 1 } },
	{ "intrinsics", { 32, 1 }, { 32, 1 } },
	{ "constants", { 32, 1 }, { 32, 1 } },
	{ "constant_copies", { 32, 1 }, { 32, 1 } },
};

static void launch_one(struct host *host, const cl_mem *buffers,
		       const struct launch *launch)
{
	cl_kernel kernel = host_kernel(host, launch->name);
	int i;

	for (i = 0; i < BUFFERS; i++)
		host_argument(kernel, i, sizeof(buffers[i]), &buffers[i]);
	check(clEnqueueNDRangeKernel(host->queue, kernel, 2, NULL, launch->global,
				     launch->local[0] ? launch->local : NULL, 0,
				     NULL, NULL), launch->name);
	check(clFinish(host->queue), "clFinish");
	clReleaseKernel(kernel);
}

/* One launch that a recording does not survive, or an early end after one. */
static int misbehave(struct host *host, const cl_mem *buffers, const char *way)
{
	static const struct launch async_copy = { "async_copy", { 32, 1 }, { 32, 1 } };
	static const struct launch out = { "out_of_bounds", { 32, 1 }, { 32, 1 } };
	static const struct launch uneven = { "vector_add", { 40, 1 }, { 32, 1 } };

	if (!strcmp(way, "no-kernel"))
		return 0;
	if (!strcmp(way, "async-copy"))
		launch_one(host, buffers, &async_copy);
	else if (!strcmp(way, "out-of-bounds"))
		launch_one(host, buffers, &out);
	else if (!strcmp(way, "uneven"))
		launch_one(host, buffers, &uneven);
	else
		launch_one(host, buffers, &launches[0]);
	if (!strcmp(way, "abort"))
		abort();
	return !strcmp(way, "exit-3") ? 3 : 0;
}

static int intrinsics_are_right(struct host *host, cl_mem buffer)
{
	uint32_t results[32];
	uint32_t i;

	host_read(host, buffer, sizeof(results), results);
	for (i = 0; i < 32; i++) {
		uint32_t x = i * (i + 12345);

		if (results[i] != ((x << 7 | x >> 25) ^ (x > 1000 ? x - 1000 : 0)))
			return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct host host = host_open(source);
	cl_mem buffers[BUFFERS];
	size_t i;

	for (i = 0; i < BUFFERS; i++)
		buffers[i] = host_buffer(&host, BUFFER_BYTES, NULL);
	if (argc > 1)
		return misbehave(&host, buffers, argv[1]);
	for (i = 0; i < sizeof(launches) / sizeof(launches[0]); i++)
		launch_one(&host, buffers, &launches[i]);
	if (!intrinsics_are_right(&host, buffers[1])) {
		fprintf(stderr, "recorder_kernels: an intrinsic is wrong\n");
		return 1;
	}
	for (i = 0; i < BUFFERS; i++)
		clReleaseMemObject(buffers[i]);
	host_close(&host);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Small OpenCL kernels whose traces tests/unit/test_recorder.c knows by heart.
 * Without an argument, all of KERNELS run once, in order, which is the order
 * of the kernels in the trace. With one of these arguments, other launches:
 *	uneven		the last work-groups are smaller; kernels must be built as
 *			OpenCL 2.0
 *	many, million	so many work-groups
 *	launches	more of them than a trace can hold
 *	device		one, if the device is a GPU
 *	out-of-bounds	one that leaves its buffer
 *	wait		one that takes long
 *	exit-3, abort, no-kernel
 *			a way in which a recording ends without a trace
 * Of the results only those of intrinsics are checked; the programs in
 * tools/record/programs check theirs.
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
"__kernel void group_copy(ARGUMENTS)\n"
"{\n"
"	__local float tile[80];\n"
"	event_t event = async_work_group_copy(tile, a, 80, 0);\n"
"	wait_group_events(1, &event);\n"
"	c[get_local_id(0)] = tile[get_local_id(0)];\n"
"	event = async_work_group_strided_copy(b, tile, 32, 4, 0);\n"
"	wait_group_events(1, &event);\n"
"}\n"
"/* A warp is two rows of its thread block. */\n"
"__kernel void tiles(ARGUMENTS)\n"
"{\n"
"	uint i = get_global_id(0) + 128 * get_global_id(1);\n"
"	b[i] = a[i] + c[get_global_id(1)];\n"
"}\n"
"/* Borders differ from the inside, which reads around itself. */\n"
"__kernel void borders(ARGUMENTS)\n"
"{\n"
"	uint x = get_global_id(0), y = get_global_id(1), i = x + 128 * y;\n"
"	if (x > 0 && y > 0 && x < 127 && y < 63)\n"
"		b[i] = a[i - 1] + a[i + 1] + a[i - 128] + a[i + 128];\n"
"}\n"
"__kernel void products(ARGUMENTS)\n"
"{\n"
"	uint x = get_global_id(0), y = get_global_id(1);\n"
"	float sum = 0;\n"
"	for (uint i = 0; i < 4; i++) {\n"
"		for (uint j = 0; j < 8; j++)\n"
"			sum += a[y * 64 + i * 8 + j] * b[(i * 8 + j) * 128 + x];\n"
"		c[(y * 4 + i) * 64 + x] = sum;\n"
"	}\n"
"}\n"
"/* Some of the addresses follow no rule, and some trip counts. */\n"
"__kernel void gather(ARGUMENTS)\n"
"{\n"
"	uint i = get_global_id(0), at = i * 2654435761u >> 19;\n"
"	float sum = c[i];\n"
"	for (uint j = 0; j < 3 + (i >> 5) * 7 % 5; j++)\n"
"		sum += a[at + j * 16] + c[i + 512 * j];\n"
"	b[i] = sum;\n"
"}\n"
"/* A product of doubles, a root, a division, a conversion and a maximum. */\n"
"__kernel void units(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	((__global double *)b)[i] = ((__global double *)a)[i] * 3;\n"
"	c[i] = native_sqrt(d[i]) / d[i + 32];\n"
"	((__global int *)d)[i] = max((int)i, (int)c[i + 64]);\n"
"}\n"
"/* A lane is off the others' line; all lanes store the same. */\n"
/* No two warps do the same. */
"__kernel void scattered(ARGUMENTS)\n"
"{\n"
"	uint i = get_global_id(0);\n"
"	for (uint j = 0; j <= i >> 5; j++)\n"
"		b[(i ^ j) * 2654435761u >> 19] = a[(i ^ j) * 2246822519u >> 19];\n"
"}\n"
"__kernel void off(ARGUMENTS)\n"
"{\n"
"	uint i = get_global_id(0);\n"
"	b[i % 32 == 7 ? i + 3 : i] = a[i];\n"
"	c[5] = a[1];\n"
"}\n"
"__kernel void stream(ARGUMENTS)\n"
"{\n"
"	uint i = get_global_id(0);\n"
"	b[i & 16383] = a[i & 16383];\n"
"}\n"
"__kernel void million(ARGUMENTS)\n"
"{\n"
"	a[get_global_id(0)] = get_local_id(0);\n"
"}\n"
"__kernel void wait(ARGUMENTS)\n"
"{\n"
"	for (uint j = 0; j < 1000000; j++)\n"
"		((__global volatile float *)a)[get_global_id(0)] = j;\n"
"}\n"
"__kernel void uneven(ARGUMENTS)\n"
"{\n"
"	__local float last;\n"
"	a[get_global_id(0)] = 1;\n"
"	if (get_local_id(0) == 0)\n"
"		last = b[get_group_id(0)];\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	c[get_global_id(0)] = last;\n"
"}\n"
/* What LLVM's code makes of a vector element by element. */
"__kernel void elements(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	float4 v = ((__global float4 *)a)[i];\n"
"	b[i] = v.x + v.y + v.z;\n"
"}\n"
"__kernel void built(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	float x = a[i];\n"
"	((__global float4 *)b)[i] = (float4)(x, x + 1, x + 2, 1);\n"
"	((__global uchar4 *)c)[i] = (uchar4)(x, 1, 2, x + 3);\n"
"}\n"
"__kernel void three(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	((__global float3 *)b)[i] = ((__global float3 *)a)[i] * 2;\n"
"}\n"
"__kernel void moved(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	float4 at = ((__global float4 *)a)[i], v = ((__global float4 *)b)[i];\n"
"	at.xyz += v.xyz;\n"
"	((__global float4 *)a)[i] = at;\n"
"	v.x = -v.x;\n"
"	((__global float4 *)b)[i] = v;\n"
"}\n"
"struct place { float2 at; int count, kind; };\n"
"__kernel void pairs(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	struct place p = ((__global struct place *)a)[i];\n"
"	p.count++;\n"
"	((__global struct place *)b)[i] = p;\n"
"}\n"
"__kernel void singles(ARGUMENTS)\n"
"{\n"
"	size_t i = 2 * get_global_id(0);\n"
"	b[i] = a[i];\n"
"	b[i + 1] = a[i + 1];\n"
"}\n"
"__kernel void apart(ARGUMENTS)\n"
"{\n"
"	size_t i = get_global_id(0);\n"
"	__global float4 *v = (__global float4 *)a;\n"
"	b[i] = v[i].x;\n"
"	c[i] = v[i].y;\n"
"}\n"
"__kernel void shared_vectors(ARGUMENTS)\n"
"{\n"
"	__local float4 tile[32];\n"
"	size_t i = get_local_id(0);\n"
"	tile[i] = (float4)(a[i], 0, 1, 2);\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	b[i] = tile[31 - i].x + tile[31 - i].z;\n"
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
	{ "group_copy", { 64, 1 }, { 64, 1 } },
	{ "tiles", { 128, 64 }, { 16, 16 } },
	{ "borders", { 128, 64 }, { 16, 8 } },
	{ "products", { 64, 8 }, { 64, 1 } },
	{ "gather", { 512, 1 }, { 64, 1 } },
	{ "scattered", { 256, 1 }, { 64, 1 } },
	{ "off", { 128, 1 }, { 64, 1 } },
	{ "units", { 32, 1 }, { 32, 1 } },
	{ "elements", { 32, 1 }, { 32, 1 } },
	{ "built", { 32, 1 }, { 32, 1 } },
	{ "three", { 32, 1 }, { 32, 1 } },
	{ "moved", { 32, 1 }, { 32, 1 } },
	{ "pairs", { 32, 1 }, { 32, 1 } },
	{ "singles", { 32, 1 }, { 32, 1 } },
	{ "apart", { 32, 1 }, { 32, 1 } },
	{ "shared_vectors", { 32, 1 }, { 32, 1 } },
};

static const struct launch many_launches[] = {
	{ "stream", { 1280, 1 }, { 32, 1 } },
	{ "tiles", { 128, 64 }, { 16, 2 } },
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

/* Whether the device is what programs for GPUs look for. */
static int device_is_gpu(const struct host *host)
{
	cl_ulong memory = 0, buffer = 0;
	cl_device_type type = 0;
	cl_uint units = 0;
	size_t most = 0;

	check(clGetDeviceInfo(host->device, CL_DEVICE_TYPE, sizeof(type), &type,
			      NULL), "type");
	check(clGetDeviceInfo(host->device, CL_DEVICE_MAX_COMPUTE_UNITS,
			      sizeof(units), &units, NULL), "compute units");
	check(clGetDeviceInfo(host->device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
			      sizeof(most), &most, NULL), "work-group size");
	check(clGetDeviceInfo(host->device, CL_DEVICE_GLOBAL_MEM_SIZE,
			      sizeof(memory), &memory, NULL), "memory");
	check(clGetDeviceInfo(host->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
			      sizeof(buffer), &buffer, NULL), "largest buffer");
	/* Oclgrind has been given more than 32 bits of it, and said 0. */
	return type == CL_DEVICE_TYPE_GPU && units == 80 && most == 1024 &&
	       memory > 4000000000U && buffer > 1000000000U;
}

/* With a buffer in which each work-item has a place of its own. */
static void launch_large(struct host *host, const struct launch *launch)
{
	cl_mem buffer = host_buffer(host, launch->global[0] * sizeof(float), NULL);
	cl_mem buffers[BUFFERS] = { buffer, buffer, buffer, buffer };

	launch_one(host, buffers, launch);
	clReleaseMemObject(buffer);
}

/* Launches apart from the others, some of which a recording does not survive. */
static int run_way(struct host *host, const cl_mem *buffers, const char *way)
{
	static const struct launch wait = { "wait", { 32, 1 }, { 32, 1 } };
	static const struct launch out = { "out_of_bounds", { 32, 1 }, { 32, 1 } };
	static const struct launch uneven = { "uneven", { 150, 1 }, { 64, 1 } };
	size_t i;

	static const struct launch million = { "million", { 1 << 23, 1 }, { 8, 1 } };

	if (!strcmp(way, "no-kernel"))
		return 0;
	if (!strcmp(way, "wait"))
		launch_one(host, buffers, &wait);
	else if (!strcmp(way, "out-of-bounds"))
		launch_one(host, buffers, &out);
	else if (!strcmp(way, "million"))
		launch_large(host, &million);
	else if (!strcmp(way, "uneven"))
		launch_one(host, buffers, &uneven);
	else if (!strcmp(way, "launches"))
		for (i = 0; i < 1030; i++)
			launch_one(host, buffers, &launches[1]);
	else if (!strcmp(way, "many"))
		for (i = 0; i < sizeof(many_launches) / sizeof(many_launches[0]); i++)
			launch_one(host, buffers, &many_launches[i]);
	else
		launch_one(host, buffers, &launches[0]);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "device") && !device_is_gpu(host))
		return 1;
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
		return run_way(&host, buffers, argv[1]);
	for (i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
		launch_one(&host, buffers, &launches[i]);
		if (!strcmp(launches[i].name, "intrinsics") &&
		    !intrinsics_are_right(&host, buffers[1])) {
			fprintf(stderr, "recorder_kernels: an intrinsic is wrong\n");
			return 1;
		}
	}
	for (i = 0; i < BUFFERS; i++)
		clReleaseMemObject(buffers[i]);
	host_close(&host);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels beside what a person counts of them: global loads and stores as warp
 * instructions, and the lines that they touch together. Each runs on 256 work-items
 * in blocks of 64, which are 8 warps, and each buffer begins a line.
 *
 *	recorder_counts			runs all, for the recorder
 *	recorder_counts --expected	prints the counts: NAME LOADS STORES LINES
 *	recorder_counts --stopped	runs one that Oclgrind stops at between two others
 */
#include <stdio.h>
#include <string.h>

#include "host.h"

#define ITEMS		256
#define BLOCK		64
#define BUFFER_BYTES	65536

/*
 * struct counted - a kernel with its counts
 * @loads, @stores: of the 8 warps
 */
struct counted {
	const char *name;
	unsigned int loads;
	unsigned int stores;
	unsigned int lines;
	const char *body;
};

static const struct counted kernels[] = {
	/* 32 lanes of 4 bytes are a line. */
	{ "scalars", 8, 8, 8 * (1 + 1), "b[i] = a[i];" },
	{ "reversed", 8, 8, 8 * (1 + 1), "b[255 - i] = a[i];" },
	{ "uniform", 8, 8, 8 * (1 + 1), "b[i] = a[0];" },
	{ "odd", 8, 8, 8 * (1 + 1), "if (i & 1) b[i] = a[i];" },
	/* One lane in 16 words: two lanes a line. */
	{ "strided", 8, 8, 8 * (16 + 1), "b[i] = a[16 * i];" },
	/* What does not begin a line ends in the next. */
	{ "three_points", 24, 8, 8 * (1 + 2 + 2 + 2),
	  "b[i + 1] = a[i] + a[i + 1] + a[i + 2];" },
	{ "loop", 32, 8, 8 * (4 + 1),
	  "float sum = 0;\n"
	  "for (int j = 0; j < 4; j++) sum += a[i + 256 * j];\n"
	  "b[i] = sum;" },
	{ "bytes", 8, 8, 8 * (1 + 1),
	  "((__global uchar *)b)[i] = ((__global uchar *)a)[i];" },
	{ "doubles", 8, 8, 8 * (2 + 2),
	  "((__global double *)b)[i] = ((__global double *)a)[i];" },

	/* A vector of up to 16 bytes is one access, a larger one is one for each 16. */
	{ "float2", 8, 8, 8 * (2 + 2), "((__global float2 *)b)[i] = ((__global float2 *)a)[i];" },
	{ "float3", 8, 8, 8 * (4 + 4), "((__global float3 *)b)[i] = ((__global float3 *)a)[i];" },
	{ "float4", 8, 8, 8 * (4 + 4), "((__global float4 *)b)[i] = ((__global float4 *)a)[i];" },
	{ "float8", 16, 16, 16 * (8 + 8), "((__global float8 *)b)[i] = ((__global float8 *)a)[i];" },
	{ "double2", 8, 8, 8 * (4 + 4),
	  "((__global double2 *)b)[i] = ((__global double2 *)a)[i] * 2;" },
	{ "uchar4", 8, 8, 8 * (1 + 1),
	  "uchar4 v = ((__global uchar4 *)a)[i];\n"
	  "((__global uchar4 *)b)[i] = v.wzyx;" },
	{ "short2", 8, 8, 8 * (1 + 1),
	  "short2 v = ((__global short2 *)a)[i];\n"
	  "((__global short2 *)b)[i] = (short2)(v.y, v.x + 1);" },
	/* Elements that are not used are loaded with the others. */
	{ "two_of_four", 8, 8, 8 * (4 + 1),
	  "float4 v = ((__global float4 *)a)[i];\n"
	  "b[i] = v.x + v.w;" },
	{ "put_together", 8, 8, 8 * (1 + 4),
	  "((__global float4 *)b)[i] = (float4)(a[i], i, 1, a[i] + 1);" },
	/* A body's place and speed: every second 16 bytes, so 8 lines each. */
	{ "bodies", 16, 8, 8 * (8 + 8 + 4),
	  "float4 at = ((__global float4 *)a)[2 * i], v = ((__global float4 *)a)[2 * i + 1];\n"
	  "at.xyz += v.xyz * v.w;\n"
	  "((__global float4 *)b)[i] = at;" },
	{ "same_vectors", 64, 8, 8 * (8 + 1),
	  "float sum = 0;\n"
	  "for (int j = 0; j < 8; j++) {\n"
	  "	float4 v = ((__global float4 *)a)[j];\n"
	  "	sum += v.x * v.y + v.z * v.w;\n"
	  "}\n"
	  "b[i] = sum;" },
	/* What is changed before it is stored is stored once. */
	{ "changed", 8, 8, 8 * (4 + 4),
	  "float4 v = ((__global float4 *)a)[i];\n"
	  "v.x += 1; v.w = 2;\n"
	  "((__global float4 *)b)[i] = v;" },
	{ "changed_three", 8, 8, 8 * (4 + 4),
	  "float3 v = ((__global float3 *)a)[i];\n"
	  "v.x += 1; v.z = 2;\n"
	  "((__global float3 *)b)[i] = v;" },
	{ "changed_eight", 16, 16, 16 * (8 + 8),
	  "float8 v = ((__global float8 *)a)[i];\n"
	  "v.s0 += 1; v.s7 = 2;\n"
	  "((__global float8 *)b)[i] = v;" },
	{ "changed_bytes", 8, 8, 8 * (1 + 1),
	  "uchar4 v = ((__global uchar4 *)a)[i];\n"
	  "v.x += 1; v.w = 7;\n"
	  "((__global uchar4 *)b)[i] = v;" },
	{ "changed_doubles", 8, 8, 8 * (4 + 4),
	  "double2 v = ((__global double2 *)a)[i];\n"
	  "v.x += 1;\n"
	  "((__global double2 *)b)[i] = v;" },
	{ "changed_in_memory", 8, 8, 8 * (4 + 4),
	  "((__global float4 *)b)[i] = ((__global float4 *)a)[i];\n"
	  "((__global float4 *)b)[i].w = 1;" },
	{ "in_a_struct", 8, 8, 8 * (8 + 8),
	  "struct body { float4 v; int n, m; };\n"
	  "float4 v = ((__global struct body *)a)[i].v;\n"
	  "v.x += 1;\n"
	  "((__global struct body *)b)[i].v = v;" },
	/* And nothing is loaded for components that stay as they are. */
	{ "components", 8, 8, 8 * (1 + 4),
	  "__global float4 *to = (__global float4 *)b;\n"
	  "float x = a[i];\n"
	  "to[i].x = x; to[i].y = 2; to[i].zw = (float2)(x, 3);" },
	{ "three_bytes", 8, 8, 8 * (1 + 1),
	  "__global uchar4 *to = (__global uchar4 *)b;\n"
	  "int x = a[i];\n"
	  "to[i].x = 1; to[i].y = x; to[i].z = 3;" },
	{ "low_half", 8, 8, 8 * (4 + 8),
	  "((__global float8 *)b)[i].lo = ((__global float4 *)a)[i];" },
	/* Unless they are needed. */
	{ "one_added", 16, 8, 8 * (4 + 1 + 4),
	  "__global float4 *to = (__global float4 *)b;\n"
	  "float x = a[i];\n"
	  "to[i].x += x; to[i].y += x;" },
	/* What a may be of, is stored before it is loaded, and not again behind it. */
	{ "stored_before", 8, 16, 8 * (8 + 1 + 8),
	  "__global float8 *to = (__global float8 *)b;\n"
	  "to[i].s0 = 1; to[i].s7 = a[i];" },
	/* Halves: aligned as the vector, as they are, and one. */
	{ "loaded_halves", 8, 8, 8 * (2 + 4),
	  "((__global float4 *)b)[i] = vloada_half4(i, (__global half *)a);" },
	{ "stored_halves", 8, 8, 8 * (4 + 2),
	  "vstorea_half4(((__global float4 *)a)[i], i, (__global half *)b);" },
	{ "eight_halves", 8, 8, 8 * (4 + 1),
	  "b[i] = vloada_half8(i, (__global half *)a).s7;" },
	{ "packed_halves", 32, 8, 8 * (4 * 2 + 4),
	  "((__global float4 *)b)[i] = vload_half4(i, (__global half *)a);" },
	{ "one_half", 8, 8, 8 * (1 + 1),
	  "vstore_half(vload_half(i, (__global half *)a), i, (__global half *)b);" },
	/* What public programs do: a filter, a transposition, rows of a sparse matrix, a sum. */
	{ "taps", 8 * 32, 8, 8 * (16 + 1 + 15 * 2 + 1),
	  "float sum = 0;\n"
	  "for (int t = 0; t < 16; t++)\n"
	  "	sum += b[1024 + t] * (i >= t ? a[i - t] : a[2048 + 16 + i - t]);\n"
	  "b[i] = sum;" },
	{ "transposed", 8 * 7, 8 * 7, 8 * 7 * (7 + 1),
	  "for (int f = 0; f < 7; f++) b[256 * f + i] = a[7 * i + f];" },
	/*
	 * Of each block's two warps one has the five elements of its row. The compiler
	 * knows what was stored before.
	 */
	{ "rows", 4 * 2, 8 + 4, 8 + 4 * (1 + 5) + 4,
	  "float sum = 0;\n"
	  "b[i / 64] = 0;\n"
	  "for (int j = i % 64; j < 5; j += 64) sum += a[j] * a[1024 + 64 * j];\n"
	  "if (i % 64 == 0) b[i / 64] += sum;" },
	{ "reduced", 8 * 2, 4, 8 * 2 + 4,
	  "__local float sums[64];\n"
	  "int l = get_local_id(0);\n"
	  "sums[l] = fabs(a[i]) + fabs(a[i + 256]);\n"
	  "barrier(CLK_LOCAL_MEM_FENCE);\n"
	  "for (int s = 32; s > 0; s >>= 1) {\n"
	  "	if (l < s) sums[l] += sums[l + s];\n"
	  "	barrier(CLK_LOCAL_MEM_FENCE);\n"
	  "}\n"
	  "if (l == 0) b[get_group_id(0)] = sums[0];" },
	{ "prices", 8, 16, 8 * (1 + 2),
	  "float s = 10 * a[i] + 100 * (1 - a[i]), d = log(s) / sqrt(s);\n"
	  "b[i] = s * exp(-d); b[1024 + i] = s - d;" },
	/* Of a pointer to float nobody knows that 16 bytes are aligned. */
	{ "vload", 32, 8, 8 * (4 * 4 + 1),
	  "float4 v = vload4(i, a);\n"
	  "b[i] = v.x + v.y + v.z + v.w;" },
};

#define KERNELS	(sizeof(kernels) / sizeof(kernels[0]))

/* It reads pixels of floats as integers, at which Oclgrind stops, and no GPU. */
static void run_stopped(void)
{
	static const char *const source =
		"__kernel void good(__global float *a) { a[get_global_id(0)] = 1; }\n"
		"__kernel void stopped(__global float *a, read_only image2d_t image)\n"
		"{\n"
		"	const sampler_t sampler = CLK_FILTER_NEAREST | CLK_ADDRESS_NONE;\n"
		"	a[get_global_id(0)] = 2;\n"
		"	a[0] = read_imagei(image, sampler, (int2)(0, 0)).x;\n"
		"}\n";
	static const char *const names[] = { "good", "stopped", "good" };
	cl_image_format format = { CL_RGBA, CL_FLOAT };
	cl_image_desc shape = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = 4, .image_height = 4,
	};
	struct host host = host_open(source);
	cl_mem buffer = host_buffer(&host, BUFFER_BYTES, NULL), image;
	size_t global = ITEMS, local = BLOCK, i;
	cl_int error;

	image = clCreateImage(host.context, CL_MEM_READ_ONLY, &format, &shape, NULL,
			      &error);
	check(error, "clCreateImage");
	for (i = 0; i < 3; i++) {
		cl_kernel kernel = host_kernel(&host, names[i]);

		host_argument(kernel, 0, sizeof(buffer), &buffer);
		if (i == 1)
			host_argument(kernel, 1, sizeof(image), &image);
		check(clEnqueueNDRangeKernel(host.queue, kernel, 1, NULL, &global,
					     &local, 0, NULL, NULL), names[i]);
		check(clFinish(host.queue), "clFinish");
		clReleaseKernel(kernel);
	}
	clReleaseMemObject(image);
	clReleaseMemObject(buffer);
	host_close(&host);
}

static void run_all(void)
{
	static char source[16384] = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
	size_t global = ITEMS, local = BLOCK, i;
	cl_mem buffers[2];
	struct host host;

	for (i = 0; i < KERNELS; i++) {
		size_t length = strlen(source);

		snprintf(source + length, sizeof(source) - length,
			 "__kernel void %s_(__global float *a, __global float *b)\n"
			 "{\n"
			 "	int i = get_global_id(0);\n"
			 "	%s\n"
			 "}\n", kernels[i].name, kernels[i].body);
	}
	host = host_open(source);
	for (i = 0; i < 2; i++)
		buffers[i] = host_buffer(&host, BUFFER_BYTES, NULL);
	for (i = 0; i < KERNELS; i++) {
		char name[64];
		cl_kernel kernel;

		snprintf(name, sizeof(name), "%s_", kernels[i].name);
		kernel = host_kernel(&host, name);
		host_argument(kernel, 0, sizeof(buffers[0]), &buffers[0]);
		host_argument(kernel, 1, sizeof(buffers[1]), &buffers[1]);
		check(clEnqueueNDRangeKernel(host.queue, kernel, 1, NULL, &global,
					     &local, 0, NULL, NULL), name);
		check(clFinish(host.queue), "clFinish");
		clReleaseKernel(kernel);
	}
	for (i = 0; i < 2; i++)
		clReleaseMemObject(buffers[i]);
	host_close(&host);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		run_all();
		return 0;
	}
	if (!strcmp(argv[1], "--stopped")) {
		run_stopped();
		return 0;
	}
	for (i = 0; i < KERNELS; i++)
		printf("%s_ %u %u %u\n", kernels[i].name, kernels[i].loads,
		       kernels[i].stores, kernels[i].lines);
	return 0;
}

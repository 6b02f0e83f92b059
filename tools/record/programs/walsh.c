// SPDX-License-Identifier: GPL-2.0
/*
 * walsh [LOG2_LENGTH]: the fast Walsh-Hadamard transform of two signals at
 * once. Large strides are radix-4 passes over global memory, one kernel each;
 * small strides are done in local memory by one last kernel. The result is
 * checked against the host's. Two arrays of 8-byte pairs: input and output.
 */
#include "host.h"

#include <string.h>

#define GROUP		256
/* The last kernel transforms this many elements in local memory. */
#define LOCAL_LOG2	10
#define DEFAULT_LOG2	20

static const char *const source =
"#define LOCAL_LOG2 " TEXT(LOCAL_LOG2) "\n"
"#define LOCAL_LENGTH (1u << LOCAL_LOG2)\n"
"\n"
"/* Four elements, stride apart, of the transform; the stride is 1 << log2. */\n"
"__kernel void walsh_global(__global float2 *out, const __global float2 *in,\n"
"			    uint log2)\n"
"{\n"
"	uint item = get_global_id(0);\n"
"	uint stride = 1u << log2;\n"
"	uint low = item & (stride - 1);\n"
"	uint i0 = ((item - low) << 2) + low;\n"
"	uint i1 = i0 + stride;\n"
"	uint i2 = i1 + stride;\n"
"	uint i3 = i2 + stride;\n"
"	float2 d0 = in[i0], d1 = in[i1], d2 = in[i2], d3 = in[i3];\n"
"	float2 s02 = d0 + d2, t02 = d0 - d2;\n"
"	float2 s13 = d1 + d3, t13 = d1 - d3;\n"
"\n"
"	out[i0] = s02 + s13;\n"
"	out[i1] = s02 - s13;\n"
"	out[i2] = t02 + t13;\n"
"	out[i3] = t02 - t13;\n"
"}\n"
"\n"
"/* All strides below LOCAL_LENGTH; LOCAL_LENGTH / 4 work-items a group. */\n"
"__kernel void walsh_local(__global float2 *out, const __global float2 *in)\n"
"{\n"
"	__local float2 data[LOCAL_LENGTH];\n"
"	uint item = get_local_id(0);\n"
"	uint threads = LOCAL_LENGTH / 4;\n"
"	uint base = get_group_id(0) * LOCAL_LENGTH;\n"
"\n"
"	for (uint i = 0; i < 4; i++)\n"
"		data[item + i * threads] = in[base + item + i * threads];\n"
"	for (int log2 = LOCAL_LOG2 - 2; log2 >= 0; log2 -= 2) {\n"
"		uint stride = 1u << log2;\n"
"		uint low = item & (stride - 1);\n"
"		uint i0 = ((item - low) << 2) + low;\n"
"		uint i1 = i0 + stride;\n"
"		uint i2 = i1 + stride;\n"
"		uint i3 = i2 + stride;\n"
"\n"
"		barrier(CLK_LOCAL_MEM_FENCE);\n"
"		float2 d0 = data[i0], d1 = data[i1], d2 = data[i2], d3 = data[i3];\n"
"		float2 s02 = d0 + d2, t02 = d0 - d2;\n"
"		float2 s13 = d1 + d3, t13 = d1 - d3;\n"
"\n"
"		data[i0] = s02 + s13;\n"
"		data[i1] = s02 - s13;\n"
"		data[i2] = t02 + t13;\n"
"		data[i3] = t02 - t13;\n"
"	}\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	for (uint i = 0; i < 4; i++)\n"
"		out[base + item + i * threads] = data[item + i * threads];\n"
"}\n";

static void transform_on_host(cl_float2 *data, size_t length)
{
	size_t stride, i;

	for (stride = 1; stride < length; stride *= 2) {
		for (i = 0; i < length; i++) {
			cl_float2 a, b;

			if (i & stride)
				continue;
			a = data[i];
			b = data[i + stride];
			data[i].s[0] = a.s[0] + b.s[0];
			data[i].s[1] = a.s[1] + b.s[1];
			data[i + stride].s[0] = a.s[0] - b.s[0];
			data[i + stride].s[1] = a.s[1] - b.s[1];
		}
	}
}

static void transform_on_device(struct host *host, cl_mem out, cl_mem in,
				cl_uint length_log2)
{
	cl_kernel global = host_kernel(host, "walsh_global");
	cl_kernel local = host_kernel(host, "walsh_local");
	size_t work_items = ((size_t)1 << length_log2) / 4;
	cl_uint log2;

	for (log2 = length_log2; log2 > LOCAL_LOG2; ) {
		log2 -= 2;
		host_argument(global, 0, sizeof(out), &out);
		host_argument(global, 1, sizeof(in), &in);
		host_argument(global, 2, sizeof(log2), &log2);
		host_launch(host, global, work_items, GROUP);
		in = out;
	}
	host_argument(local, 0, sizeof(out), &out);
	host_argument(local, 1, sizeof(in), &in);
	host_launch(host, local, work_items, GROUP);
	clReleaseKernel(global);
	clReleaseKernel(local);
}

int main(int argc, char **argv)
{
	cl_uint length_log2 = argument(argc, argv, 1, DEFAULT_LOG2);
	size_t length = (size_t)1 << length_log2;
	size_t bytes = length * sizeof(cl_float2);
	struct host host;
	cl_float2 *expected, *result;
	cl_mem in, out;
	size_t i;

	if (length_log2 < LOCAL_LOG2 || length_log2 > 24 || length_log2 % 2) {
		fprintf(stderr, "walsh: LOG2_LENGTH is an even number from %d to 24\n",
			LOCAL_LOG2);
		return 2;
	}
	host = host_open(source);
	expected = host_memory(bytes);
	result = host_memory(bytes);
	/* Small whole numbers, so that floats are exact. */
	for (i = 0; i < length; i++) {
		expected[i].s[0] = (uint32_t)i * 2654435761u >> 30;
		expected[i].s[1] = i % 3;
	}
	in = host_buffer(&host, bytes, expected);
	out = host_buffer(&host, bytes, NULL);
	transform_on_device(&host, out, in, length_log2);
	transform_on_host(expected, length);

	host_read(&host, out, bytes, result);
	if (memcmp(expected, result, bytes)) {
		fprintf(stderr, "walsh: the result is wrong\n");
		return 1;
	}
	printf("walsh: %zu elements: ok\n", length);

	clReleaseMemObject(in);
	clReleaseMemObject(out);
	host_close(&host);
	free(expected);
	free(result);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * stream [ELEMENTS]: the copy, scale, add and triad loops of STREAM, each one
 * kernel. Nothing is used twice, so that memory bandwidth is all that counts.
 * The result is checked against the host's. Three arrays of 4-byte floats.
 */
#include "host.h"

#define GROUP		256
#define GROUPS		320
#define DEFAULT_ELEMENTS (1024 * 1024)
#define FACTOR		3.0f

static const char *const source =
"__kernel void copy(__global float *c, const __global float *a, uint n)\n"
"{\n"
"	for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
"		c[i] = a[i];\n"
"}\n"
"__kernel void scale(__global float *b, const __global float *c, float f, uint n)\n"
"{\n"
"	for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
"		b[i] = f * c[i];\n"
"}\n"
"__kernel void add(__global float *c, const __global float *a,\n"
"		   const __global float *b, uint n)\n"
"{\n"
"	for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
"		c[i] = a[i] + b[i];\n"
"}\n"
"__kernel void triad(__global float *a, const __global float *b,\n"
"		     const __global float *c, float f, uint n)\n"
"{\n"
"	for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
"		a[i] = b[i] + f * c[i];\n"
"}\n";

static void launch(struct host *host, const char *name, const cl_mem *buffers,
		   int buffer_count, int has_factor, cl_uint n)
{
	cl_kernel kernel = host_kernel(host, name);
	cl_float factor = FACTOR;
	int i;

	for (i = 0; i < buffer_count; i++)
		host_argument(kernel, i, sizeof(buffers[i]), &buffers[i]);
	if (has_factor)
		host_argument(kernel, i++, sizeof(factor), &factor);
	host_argument(kernel, i, sizeof(n), &n);
	host_launch(host, kernel, GROUPS * GROUP, GROUP);
	clReleaseKernel(kernel);
}

/* What the four loops make of the first array's element. */
static float expected(float a)
{
	float c = a;
	float b = FACTOR * c;

	c = a + b;
	return b + FACTOR * c;
}

int main(int argc, char **argv)
{
	cl_uint n = argument(argc, argv, 1, DEFAULT_ELEMENTS);
	size_t bytes = (size_t)n * sizeof(float);
	struct host host = host_open(source);
	float *data = host_memory(bytes);
	cl_mem a, b, c;
	cl_uint i;

	for (i = 0; i < n; i++)
		data[i] = i % 1000;
	a = host_buffer(&host, bytes, data);
	b = host_buffer(&host, bytes, NULL);
	c = host_buffer(&host, bytes, NULL);

	launch(&host, "copy", (cl_mem[]){ c, a }, 2, 0, n);
	launch(&host, "scale", (cl_mem[]){ b, c }, 2, 1, n);
	launch(&host, "add", (cl_mem[]){ c, a, b }, 3, 0, n);
	launch(&host, "triad", (cl_mem[]){ a, b, c }, 3, 1, n);

	host_read(&host, a, bytes, data);
	for (i = 0; i < n; i++) {
		if (data[i] != expected(i % 1000)) {
			fprintf(stderr, "stream: element %u is %g, not %g\n", i,
				data[i], expected(i % 1000));
			return 1;
		}
	}
	printf("stream: %u elements: ok\n", n);

	clReleaseMemObject(a);
	clReleaseMemObject(b);
	clReleaseMemObject(c);
	host_close(&host);
	free(data);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs beside this file share: opening an OpenCL device, building
 * kernels, buffers, launches, and ending with a message when a call fails.
 * Nothing about recording: they are ordinary OpenCL programs.
 */
#ifndef SIMGPU_RECORD_PROGRAMS_HOST_H
#define SIMGPU_RECORD_PROGRAMS_HOST_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The value of a macro as text, for a kernel's source. */
#define TEXT_OF(value)	#value
#define TEXT(macro)	TEXT_OF(macro)

struct host {
	cl_context context;
	cl_device_id device;
	cl_command_queue queue;
	cl_program program;
};

static inline void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: OpenCL error %d\n", what, error);
	exit(1);
}

/* A number from the command line, or the default. */
static inline size_t argument(int argc, char **argv, int index, size_t value)
{
	char *end;

	if (argc <= index)
		return value;
	value = strtoull(argv[index], &end, 0);
	if (!value || *end) {
		fprintf(stderr, "%s: '%s' is not a positive number\n",
			argv[0], argv[index]);
		exit(2);
	}
	return value;
}

static inline struct host host_open(const char *source)
{
	struct host host;
	cl_platform_id platform;
	cl_int error;

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &host.device, NULL),
	      "clGetDeviceIDs");
	host.context = clCreateContext(NULL, 1, &host.device, NULL, NULL, &error);
	check(error, "clCreateContext");
	host.queue = clCreateCommandQueue(host.context, host.device, 0, &error);
	check(error, "clCreateCommandQueue");
	host.program = clCreateProgramWithSource(host.context, 1, &source, NULL,
						 &error);
	check(error, "clCreateProgramWithSource");
	error = clBuildProgram(host.program, 1, &host.device, "", NULL, NULL);
	if (error != CL_SUCCESS) {
		char log[4096] = "";

		clGetProgramBuildInfo(host.program, host.device,
				      CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
		fprintf(stderr, "%s\n", log);
	}
	check(error, "clBuildProgram");
	return host;
}

static inline void host_close(struct host *host)
{
	clReleaseProgram(host->program);
	clReleaseCommandQueue(host->queue);
	clReleaseContext(host->context);
}

static inline cl_kernel host_kernel(struct host *host, const char *name)
{
	cl_int error;
	cl_kernel kernel = clCreateKernel(host->program, name, &error);

	check(error, name);
	return kernel;
}

/* A buffer on the device, with a copy of the host's data if there is any. */
static inline cl_mem host_buffer(struct host *host, size_t bytes, void *data)
{
	cl_int error;
	cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
	cl_mem buffer = clCreateBuffer(host->context, flags, bytes, data, &error);

	check(error, "clCreateBuffer");
	return buffer;
}

static inline void host_argument(cl_kernel kernel, cl_uint index, size_t bytes,
				 const void *value)
{
	check(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

static inline void host_launch(struct host *host, cl_kernel kernel,
			       size_t work_items, size_t group)
{
	check(clEnqueueNDRangeKernel(host->queue, kernel, 1, NULL, &work_items,
				     &group, 0, NULL, NULL),
	      "clEnqueueNDRangeKernel");
}

static inline void host_read(struct host *host, cl_mem buffer, size_t bytes,
			     void *data)
{
	check(clEnqueueReadBuffer(host->queue, buffer, CL_TRUE, 0, bytes, data, 0,
				  NULL, NULL), "clEnqueueReadBuffer");
}

static inline void *host_memory(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return memory;
}

#endif

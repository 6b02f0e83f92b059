// SPDX-License-Identifier: GPL-2.0
/*
 * What programs do that Oclgrind by itself, or the recorder once, did not bear:
 *
 *	recorder_corners images		a pixel read through a sampler, and without
 *	recorder_corners intrinsics	what clang makes of loops and comparisons
 *	recorder_corners nothing	a launch of no work-items before another one
 *	recorder_corners late		releases its objects after main()
 *	recorder_corners threads	two threads launch, one waits for the other
 *	recorder_corners newest		is built as OpenCL C 3.0
 *	recorder_corners forks		a child launches with what its parent has made
 *	recorder_corners killed		launches, and is killed
 *	recorder_corners loaded		loads its OpenCL library with dlopen()
 *	recorder_corners unbuilt	has a program that does not compile
 *	recorder_corners atomics	adds to words of its own and to shared ones
 *
 * Each ends with status 0 if its results are right.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

#define ITEMS	64

/* Runs the kernel @name on a buffer of integers, and an image. */
static void run(struct host *host, const char *name, cl_mem buffer, cl_mem image,
		size_t items)
{
	cl_kernel kernel = host_kernel(host, name);
	size_t local = 32;

	host_argument(kernel, 0, sizeof(buffer), &buffer);
	if (image)
		host_argument(kernel, 1, sizeof(image), &image);
	check(clEnqueueNDRangeKernel(host->queue, kernel, 1, NULL, &items,
				     items ? &local : NULL, 0, NULL, NULL), name);
	check(clFinish(host->queue), "clFinish");
	clReleaseKernel(kernel);
}

static void read_back(struct host *host, cl_mem buffer, int *values)
{
	check(clEnqueueReadBuffer(host->queue, buffer, CL_TRUE, 0, ITEMS * sizeof(*values),
				  values, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static int images(void)
{
	static const char *const source =
		"__kernel void sampled(__global int *out, read_only image2d_t image)\n"
		"{\n"
		"	const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE |\n"
		"				  CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
		"	int x = get_global_id(0);\n"
		"	out[x] = read_imagei(image, sampler, (int2)(x, 0)).y;\n"
		"}\n"
		"__kernel void plain(__global int *out, read_only image2d_t image)\n"
		"{\n"
		"	int x = get_global_id(0);\n"
		"	out[x] = read_imagei(image, (int2)(x, 0)).y;\n"
		"}\n"
		"__kernel void written(__global int *out, write_only image2d_t image)\n"
		"{\n"
		"	int x = get_global_id(0);\n"
		"	write_imagei(image, (int2)(x, 0), (int4)(4 * x, out[x], 0, 0));\n"
		"}\n";
	const cl_image_format format = { CL_RGBA, CL_SIGNED_INT32 };
	const cl_image_desc shape = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = ITEMS, .image_height = 1,
	};
	struct host host = host_open(source);
	cl_mem buffer = host_buffer(&host, ITEMS * sizeof(int), NULL), image;
	const size_t origin[3] = { 0 }, region[3] = { ITEMS, 1, 1 };
	int pixels[4 * ITEMS], values[ITEMS], wrong = 0, i;
	cl_int error;

	for (i = 0; i < 4 * ITEMS; i++)
		pixels[i] = i;
	image = clCreateImage(host.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
			      &format, &shape, pixels, &error);
	check(error, "clCreateImage");
	run(&host, "sampled", buffer, image, ITEMS);
	run(&host, "plain", buffer, image, ITEMS);
	run(&host, "written", buffer, image, ITEMS);
	read_back(&host, buffer, values);
	check(clEnqueueReadImage(host.queue, image, CL_TRUE, origin, region, 0, 0, pixels,
				 0, NULL, NULL), "clEnqueueReadImage");
	for (i = 0; i < ITEMS; i++)
		wrong += values[i] != 4 * i + 1 || pixels[4 * i] != 4 * i ||
			 pixels[4 * i + 1] != 4 * i + 1 || pixels[4 * i + 2];
	clReleaseMemObject(image);
	clReleaseMemObject(buffer);
	host_close(&host);
	return wrong;
}

/* Each computes one value of the extremes, which stand in the buffer. */
static int intrinsics(void)
{
	static const char *const source =
		"__kernel void all(__global int *a)\n"
		"{\n"
		"	int x = a[0], y = a[1], sum;\n"
		"	uint u = a[2], difference;\n"
		"	if (get_global_id(0))\n"
		"		return;\n"
		"	a[3] = add_sat(x, y);\n"
		"	a[4] = sub_sat(-x, y);\n"
		"	short s = a[4], t = a[0];\n"
		"	int wide = s + t;\n"
		"	wide = wide > 32767 ? 32767 : wide;\n"
		"	a[5] = wide < -32768 ? -32768 : wide;\n"
		"	u = (u >> 1 & 0x55555555) | (u & 0x55555555) << 1;\n"
		"	u = (u >> 2 & 0x33333333) | (u & 0x33333333) << 2;\n"
		"	u = (u >> 4 & 0x0f0f0f0f) | (u & 0x0f0f0f0f) << 4;\n"
		"	u = (u >> 8 & 0x00ff00ff) | (u & 0x00ff00ff) << 8;\n"
		"	a[6] = u >> 16 | u << 16;\n"
		"	a[7] = __builtin_sadd_overflow(x, y, &sum);\n"
		"	a[8] = sum;\n"
		"	a[9] = __builtin_usub_overflow(1, (uint)a[2], &difference);\n"
		"	a[10] = difference;\n"
		"	a[11] = __builtin_smul_overflow(3, y, &sum);\n"
		"	a[12] = sum;\n"
		"}\n";
	static const int expected[] = {
		INT_MAX, 1, 3, INT_MAX, INT_MIN, -1, (int)0xc0000000, 1, INT_MIN,
		1, -2, 0, 3,
	};
	int values[ITEMS] = { INT_MAX, 1, 3 };
	struct host host = host_open(source);
	cl_mem buffer = host_buffer(&host, sizeof(values), NULL);
	int wrong = 0;
	size_t i;

	check(clEnqueueWriteBuffer(host.queue, buffer, CL_TRUE, 0, sizeof(values), values,
				   0, NULL, NULL), "clEnqueueWriteBuffer");
	run(&host, "all", buffer, NULL, 32);
	read_back(&host, buffer, values);
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		if (values[i] != expected[i])
			printf("value %zu is %d, not %d\n", i, values[i], expected[i]);
		wrong += values[i] != expected[i];
	}
	clReleaseMemObject(buffer);
	host_close(&host);
	return wrong;
}

static const char *const one =
	"__kernel void one(__global int *a) { a[get_global_id(0)] = 1; }\n";

static int nothing(void)
{
	struct host host = host_open(one);
	cl_mem buffer = host_buffer(&host, ITEMS * sizeof(int), NULL);

	run(&host, "one", buffer, NULL, 0);
	run(&host, "one", buffer, NULL, ITEMS);
	run(&host, "one", buffer, NULL, 0);
	clReleaseMemObject(buffer);
	host_close(&host);
	return 0;
}

static struct host late_host;
static cl_mem late_buffer;

/* As destructors of objects with static storage duration are, after main(). */
__attribute__((destructor))
static void release_late(void)
{
	if (!late_buffer)
		return;
	check(clFinish(late_host.queue), "clFinish");
	check(clReleaseMemObject(late_buffer), "clReleaseMemObject");
	host_close(&late_host);
}

static int late(void)
{
	late_host = host_open(one);
	late_buffer = host_buffer(&late_host, ITEMS * sizeof(int), NULL);
	run(&late_host, "one", late_buffer, NULL, ITEMS);
	return 0;
}

static struct host shared;
static cl_event ready;

/* With a queue and a kernel of its own, twenty launches. */
static void launch_many(void)
{
	size_t items = ITEMS, local = 32;
	struct host own = shared;
	cl_kernel kernel;
	cl_mem buffer;
	cl_int error;
	int i;

	own.queue = clCreateCommandQueue(own.context, own.device, 0, &error);
	check(error, "clCreateCommandQueue");
	kernel = host_kernel(&own, "one");
	buffer = host_buffer(&own, ITEMS * sizeof(int), NULL);
	host_argument(kernel, 0, sizeof(buffer), &buffer);
	for (i = 0; i < 20; i++)
		check(clEnqueueNDRangeKernel(own.queue, kernel, 1, NULL, &items, &local,
					     0, NULL, NULL), "clEnqueueNDRangeKernel");
	check(clFinish(own.queue), "clFinish");
	clReleaseKernel(kernel);
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(own.queue);
}

static void *launch_first(void *unused)
{
	launch_many();
	check(clSetUserEventStatus(ready, CL_COMPLETE), "clSetUserEventStatus");
	launch_many();
	return unused;
}

static void *launch_second(void *unused)
{
	check(clWaitForEvents(1, &ready), "clWaitForEvents");
	launch_many();
	return unused;
}

static int threads(void)
{
	pthread_t running[2];
	cl_int error;

	shared = host_open(one);
	ready = clCreateUserEvent(shared.context, &error);
	check(error, "clCreateUserEvent");
	if (pthread_create(&running[1], NULL, launch_second, NULL) ||
	    pthread_create(&running[0], NULL, launch_first, NULL))
		return 1;
	pthread_join(running[0], NULL);
	pthread_join(running[1], NULL);
	clReleaseEvent(ready);
	host_close(&shared);
	return 0;
}

static int newest(void)
{
	struct host host = host_open(one);
	cl_mem buffer = host_buffer(&host, ITEMS * sizeof(int), NULL);

	check(clBuildProgram(host.program, 1, &host.device, "-cl-std=CL3.0", NULL, NULL),
	      "clBuildProgram");
	run(&host, "one", buffer, NULL, ITEMS);
	clReleaseMemObject(buffer);
	host_close(&host);
	return 0;
}

static int forks(void)
{
	struct host host = host_open(one);
	cl_mem buffer = host_buffer(&host, ITEMS * sizeof(int), NULL);
	int status = 1;

	run(&host, "one", buffer, NULL, ITEMS);
	switch (fork()) {
	case -1:
		return 1;
	case 0:
		run(&host, "one", buffer, NULL, ITEMS);
		run(&host, "one", buffer, NULL, ITEMS);
		exit(0);
	}
	wait(&status);
	run(&host, "one", buffer, NULL, ITEMS);
	return status;
}

static int killed(void)
{
	struct host host = host_open(one);
	cl_mem buffer = host_buffer(&host, ITEMS * sizeof(int), NULL);

	run(&host, "one", buffer, NULL, ITEMS);
	return raise(SIGKILL);
}

static int loaded(void)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
	cl_int (*get_platforms)(cl_uint, cl_platform_id *, cl_uint *) =
		library ? dlsym(library, "clGetPlatformIDs") : NULL;
	cl_uint count = 0;

	if (!get_platforms)
		return 1;
	check(get_platforms(0, NULL, &count), "clGetPlatformIDs");
	return nothing() || !count;
}

static int unbuilt(void)
{
	struct host host = host_open(one);
	const char *wrong = "__kernel void two(__global int *a) { a[0] = b; }\n";
	cl_mem buffer = host_buffer(&host, ITEMS * sizeof(int), NULL);
	cl_program program;
	cl_int error;

	program = clCreateProgramWithSource(host.context, 1, &wrong, NULL, &error);
	check(error, "clCreateProgramWithSource");
	error = clBuildProgram(program, 1, &host.device, "", NULL, NULL);
	run(&host, "one", buffer, NULL, ITEMS);
	clReleaseProgram(program);
	clReleaseMemObject(buffer);
	host_close(&host);
	return error != CL_BUILD_PROGRAM_FAILURE;
}

static int atomics(void)
{
	static const char *const names[] = { "own", "apart", "pairs", "hot" };
	struct host host = host_open(
		"__kernel void own(__global int *a) { atomic_inc(&a[get_global_id(0)]); }\n"
		"__kernel void apart(__global int *a) { atomic_inc(&a[16 * get_global_id(0)]); }\n"
		"__kernel void pairs(__global int *a) { atomic_inc(&a[get_global_id(0) / 2]); }\n"
		"__kernel void hot(__global int *a) { atomic_inc(a); }\n");
	cl_mem buffer = host_buffer(&host, 16 * ITEMS * sizeof(int), NULL);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		run(&host, names[i], buffer, NULL, ITEMS);
	clReleaseMemObject(buffer);
	host_close(&host);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {
		{ "images", images }, { "intrinsics", intrinsics },
		{ "nothing", nothing }, { "late", late },
		{ "threads", threads }, { "newest", newest },
		{ "forks", forks }, { "killed", killed }, { "atomics", atomics },
		{ "unbuilt", unbuilt }, { "loaded", loaded },
	};
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name))
			return !!modes[i].run();
	fprintf(stderr, "usage: recorder_corners images|intrinsics|nothing|late|threads|newest|forks|killed|atomics|unbuilt|loaded\n");
	return 2;
}

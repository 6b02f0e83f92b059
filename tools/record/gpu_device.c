// SPDX-License-Identifier: GPL-2.0
/*
 * What stands between a program and Oclgrind, loaded before the program's OpenCL
 * library:
 *
 * Oclgrind's device says that it is a processor, a GPU and an accelerator at
 * once, at which programs that compare its type with one of them stop. Here it is
 * a GPU.
 *
 * Oclgrind keeps a stack of API calls in a variable of each thread. Objects with static
 * storage duration, such as caches of contexts, release what they hold when that
 * variable is gone, which corrupts the heap. Here such releases do nothing: the
 * process ends anyway.
 *
 * Not here: the recorder, which Oclgrind loads (plugin.cpp).
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdbool.h>

typedef cl_int (*get_device_info)(cl_device_id, cl_device_info, size_t, void *,
				  size_t *);

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t room,
		       void *value, size_t *bytes)
{
	get_device_info next = (get_device_info)dlsym(RTLD_NEXT, "clGetDeviceInfo");
	cl_int error;

	if (!next)
		return CL_INVALID_DEVICE;
	error = next(device, name, room, value, bytes);
	if (!error && name == CL_DEVICE_TYPE && value)
		*(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
	return error;
}

/* Of glibc: calls when the thread's variables are destroyed, at exit() for the first. */
extern int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *module);

enum life { NEW, USED, GONE };

/* Of the calling thread's variables; this one has no destructor. */
static __thread enum life variables;

static void variables_are_gone(void *object)
{
	(void)object;
	variables = GONE;
}

/* Whether Oclgrind may be called in this thread; if so, its end is heard of. */
static bool may_call(void)
{
	if (variables == NEW) {
		variables = USED;
		__cxa_thread_atexit_impl(variables_are_gone, NULL, NULL);
	}
	return variables != GONE;
}

/* What programs begin with, in each of their threads. */
cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
				      cl_command_queue_properties properties,
				      cl_int *error)
{
	cl_command_queue (*next)(cl_context, cl_device_id, cl_command_queue_properties,
				 cl_int *) = dlsym(RTLD_NEXT, "clCreateCommandQueue");

	may_call();
	return next(context, device, properties, error);
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
			   const cl_device_id *devices,
			   void (CL_CALLBACK *notify)(const char *, const void *, size_t,
						      void *),
			   void *data, cl_int *error)
{
	cl_context (*next)(const cl_context_properties *, cl_uint, const cl_device_id *,
			   void (CL_CALLBACK *)(const char *, const void *, size_t, void *),
			   void *, cl_int *) = dlsym(RTLD_NEXT, "clCreateContext");

	may_call();
	return next(properties, count, devices, notify, data, error);
}

cl_context clCreateContextFromType(const cl_context_properties *properties,
				   cl_device_type type,
				   void (CL_CALLBACK *notify)(const char *, const void *,
							      size_t, void *),
				   void *data, cl_int *error)
{
	cl_context (*next)(const cl_context_properties *, cl_device_type,
			   void (CL_CALLBACK *)(const char *, const void *, size_t, void *),
			   void *, cl_int *) = dlsym(RTLD_NEXT, "clCreateContextFromType");

	may_call();
	return next(properties, type, notify, data, error);
}

/* What destructors call. */
#define WHILE_IT_MAY(function, object)						\
	cl_int function(object handle)						\
	{									\
		cl_int (*next)(object) = dlsym(RTLD_NEXT, #function);		\
										\
		return may_call() ? next(handle) : CL_SUCCESS;			\
	}

WHILE_IT_MAY(clReleaseCommandQueue, cl_command_queue)
WHILE_IT_MAY(clReleaseContext, cl_context)
WHILE_IT_MAY(clReleaseDevice, cl_device_id)
WHILE_IT_MAY(clReleaseEvent, cl_event)
WHILE_IT_MAY(clReleaseKernel, cl_kernel)
WHILE_IT_MAY(clReleaseMemObject, cl_mem)
WHILE_IT_MAY(clReleaseProgram, cl_program)
WHILE_IT_MAY(clReleaseSampler, cl_sampler)
WHILE_IT_MAY(clFinish, cl_command_queue)
WHILE_IT_MAY(clFlush, cl_command_queue)

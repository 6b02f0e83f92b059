// SPDX-License-Identifier: GPL-2.0
/*
 * Oclgrind's device says that it is a processor, a GPU and an accelerator at
 * once, at which programs that compare its type with one of them stop. Loaded
 * before the program's OpenCL library, this makes it a GPU.
 * Not here: the recorder, which Oclgrind loads (plugin.cpp).
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

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

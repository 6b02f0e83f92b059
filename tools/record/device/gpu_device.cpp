// SPDX-License-Identifier: GPL-2.0
/*
 * What stands between a program and Oclgrind, loaded before the program's OpenCL
 * library:
 *
 * Oclgrind's device says that it is a processor, a GPU and an accelerator at
 * once, at which programs that compare its type with one of them stop. Here it is
 * a GPU.
 *
 * OpenCL lets the host's threads call at the same time; Oclgrind keeps its memory,
 * its commands and the kernel that runs without locks. Here one thread calls it at
 * a time.
 *
 * Oclgrind keeps a stack of API calls in a variable of each thread. Objects with static
 * storage duration, such as caches of contexts, release what they hold when that
 * variable is gone, which corrupts the heap. Here such releases do nothing: the
 * process ends anyway.
 *
 * Oclgrind returns errors, or NULL, for what it does not have, such as shared virtual
 * memory, at which programs stop or crash without a word. Here it is said.
 *
 * Programs may load an OpenCL library themselves, with dlopen(), and look its functions
 * up there, past what was loaded before. Here they get those of Oclgrind.
 *
 * clang takes -cl-std=CL3.0 only with the features that the device's extensions
 * imply, which Oclgrind does not name. Here they are added.
 *
 * Not here: the recorder, which Oclgrind loads (plugin.cpp).
 */
/* All of OpenCL, old and new: a program may have been written for any. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tuple>

namespace {

/* Recursive: Oclgrind calls the functions below itself, and the program's callbacks. */
pthread_mutex_t one_at_a_time = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

struct Turn {
	Turn()
	{
		pthread_mutex_lock(&one_at_a_time);
	}

	~Turn()
	{
		pthread_mutex_unlock(&one_at_a_time);
	}
};

/* Of glibc: calls when the thread's variables are destroyed, at exit() for the first. */
extern "C" int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object,
					void *module);
/* Of this library, for glibc. */
extern "C" void *__dso_handle __attribute__((visibility("hidden")));

enum Life { NEW, USED, GONE };

/* Of the calling thread's variables; this one has no destructor. */
__thread Life variables;

void variables_are_gone(void *)
{
	variables = GONE;
}

/* Whether Oclgrind may be called in this thread; if so, its end is heard of. */
bool may_call()
{
	if (variables == NEW) {
		variables = USED;
		__cxa_thread_atexit_impl(variables_are_gone, nullptr, &__dso_handle);
	}
	return variables != GONE;
}

/* Oclgrind's function of a name. */
template <typename Function>
Function *next_of(const char *name)
{
	return (Function *)dlsym(RTLD_NEXT, name);
}

/* Says once of each function that the program calls what it cannot have. */
void say_missing(const char *function, bool *said)
{
	if (!*said)
		fprintf(stderr, "simgpu-record: warning: the program calls %s(), which Oclgrind does not have or refuses\n",
			function);
	*said = true;
}

/* A function that is called by one thread at a time. */
template <typename Name, typename Function>
struct Locked;

template <typename Name, typename Result, typename... Arguments>
struct Locked<Name, Result(Arguments...)> {
	static Result call(Arguments... arguments)
	{
		static Result (*next)(Arguments...);
		Turn turn;

		may_call();
		if (!next)
			next = next_of<Result(Arguments...)>(Name::text);
		return next(arguments...);
	}
};

bool has_failed(const void *result)
{
	return !result;
}

bool has_failed(cl_int result)
{
	return result != CL_SUCCESS;
}

/* One that Oclgrind may not have. */
template <typename Name, typename Function>
struct Missing;

template <typename Name, typename Result, typename... Arguments>
struct Missing<Name, Result(Arguments...)> {
	static Result call(Arguments... arguments)
	{
		static bool said;
		Result result = Locked<Name, Result(Arguments...)>::call(arguments...);

		if (has_failed(result))
			say_missing(Name::text, &said);
		return result;
	}
};

/* One that destructors call. */
template <typename Name, typename Function>
struct Late;

template <typename Name, typename... Arguments>
struct Late<Name, cl_int(Arguments...)> {
	static cl_int call(Arguments... arguments)
	{
		return may_call() ?
		       Locked<Name, cl_int(Arguments...)>::call(arguments...) :
		       CL_SUCCESS;
	}
};

/* The type of a function's argument. */
template <unsigned int N, typename Function>
struct ArgumentOf;

template <unsigned int N, typename Result, typename... Arguments>
struct ArgumentOf<N, Result(Arguments...)> {
	typedef typename std::tuple_element<N, std::tuple<Arguments...>>::type type;
};

template <typename Function>
struct ResultOf;

template <typename Result, typename... Arguments>
struct ResultOf<Result(Arguments...)> {
	typedef Result type;
};

} /* namespace */

/* The arguments of a function with so many, each with its number in CL/cl.h. */
#define A(n, function)		ArgumentOf<n, decltype(function)>::type a##n
#define PARAMETERS_1(f)		A(0, f)
#define PARAMETERS_2(f)		PARAMETERS_1(f), A(1, f)
#define PARAMETERS_3(f)		PARAMETERS_2(f), A(2, f)
#define PARAMETERS_4(f)		PARAMETERS_3(f), A(3, f)
#define PARAMETERS_5(f)		PARAMETERS_4(f), A(4, f)
#define PARAMETERS_6(f)		PARAMETERS_5(f), A(5, f)
#define PARAMETERS_7(f)		PARAMETERS_6(f), A(6, f)
#define PARAMETERS_8(f)		PARAMETERS_7(f), A(7, f)
#define PARAMETERS_9(f)		PARAMETERS_8(f), A(8, f)
#define PARAMETERS_10(f)	PARAMETERS_9(f), A(9, f)
#define PARAMETERS_11(f)	PARAMETERS_10(f), A(10, f)
#define PARAMETERS_12(f)	PARAMETERS_11(f), A(11, f)
#define PARAMETERS_13(f)	PARAMETERS_12(f), A(12, f)
#define PARAMETERS_14(f)	PARAMETERS_13(f), A(13, f)
#define PASSED_1		a0
#define PASSED_2		PASSED_1, a1
#define PASSED_3		PASSED_2, a2
#define PASSED_4		PASSED_3, a3
#define PASSED_5		PASSED_4, a4
#define PASSED_6		PASSED_5, a5
#define PASSED_7		PASSED_6, a6
#define PASSED_8		PASSED_7, a7
#define PASSED_9		PASSED_8, a8
#define PASSED_10		PASSED_9, a9
#define PASSED_11		PASSED_10, a10
#define PASSED_12		PASSED_11, a11
#define PASSED_13		PASSED_12, a12
#define PASSED_14		PASSED_13, a13

/* Defines an OpenCL function of @count arguments as one of the above. */
#define DEFINED_AS(kind, count, function)					\
	struct function##_name {						\
		static constexpr const char *text = #function;			\
	};									\
	extern "C" __attribute__((visibility("default")))			\
	ResultOf<decltype(function)>::type function(PARAMETERS_##count(function)) \
	{									\
		return kind<function##_name, decltype(function)>::call(		\
			PASSED_##count);					\
	}
#define LOCKED(count, function)	DEFINED_AS(Locked, count, function)
#define MISSING(count, function) DEFINED_AS(Missing, count, function)
#define LATE(count, function)	DEFINED_AS(Late, count, function)

/*
 * What reads no more than its own object is not here, nor clSetUserEventStatus(),
 * for which another thread may wait with the lock.
 */
MISSING(5, clCreateSubDevices)
LOCKED(6, clCreateContext)
LOCKED(5, clCreateContextFromType)
LOCKED(4, clCreateCommandQueue)
LOCKED(4, clCreateCommandQueueWithProperties)
LOCKED(5, clCreateBuffer)
LOCKED(6, clCreateBufferWithProperties)
LOCKED(5, clCreateSubBuffer)
LOCKED(6, clCreateImage)
LOCKED(7, clCreateImageWithProperties)
LOCKED(8, clCreateImage2D)
LOCKED(10, clCreateImage3D)
MISSING(6, clCreatePipe)
LOCKED(5, clCreateSampler)
LOCKED(3, clCreateSamplerWithProperties)
LOCKED(5, clCreateProgramWithSource)
LOCKED(7, clCreateProgramWithBinary)
MISSING(5, clCreateProgramWithBuiltInKernels)
MISSING(4, clCreateProgramWithIL)
LOCKED(9, clLinkProgram)
LOCKED(3, clCreateKernel)
LOCKED(4, clCreateKernelsInProgram)
LOCKED(2, clCloneKernel)
LOCKED(2, clCreateUserEvent)
LOCKED(4, clSetKernelArg)
MISSING(3, clSetKernelArgSVMPointer)
LOCKED(4, clSetKernelExecInfo)
LOCKED(4, clSetEventCallback)
LOCKED(3, clSetMemObjectDestructorCallback)
MISSING(4, clSVMAlloc)
LOCKED(2, clSVMFree)
LOCKED(9, clEnqueueReadBuffer)
LOCKED(14, clEnqueueReadBufferRect)
LOCKED(9, clEnqueueWriteBuffer)
LOCKED(14, clEnqueueWriteBufferRect)
LOCKED(9, clEnqueueFillBuffer)
LOCKED(9, clEnqueueCopyBuffer)
LOCKED(13, clEnqueueCopyBufferRect)
LOCKED(11, clEnqueueReadImage)
LOCKED(11, clEnqueueWriteImage)
LOCKED(8, clEnqueueFillImage)
LOCKED(9, clEnqueueCopyImage)
LOCKED(9, clEnqueueCopyImageToBuffer)
LOCKED(9, clEnqueueCopyBufferToImage)
LOCKED(10, clEnqueueMapBuffer)
LOCKED(12, clEnqueueMapImage)
LOCKED(6, clEnqueueUnmapMemObject)
LOCKED(7, clEnqueueMigrateMemObjects)
LOCKED(9, clEnqueueNDRangeKernel)
LOCKED(5, clEnqueueTask)
LOCKED(10, clEnqueueNativeKernel)
LOCKED(2, clEnqueueMarker)
LOCKED(4, clEnqueueMarkerWithWaitList)
LOCKED(1, clEnqueueBarrier)
LOCKED(4, clEnqueueBarrierWithWaitList)
LOCKED(3, clEnqueueWaitForEvents)
MISSING(8, clEnqueueSVMFree)
MISSING(8, clEnqueueSVMMemcpy)
MISSING(8, clEnqueueSVMMemFill)
MISSING(8, clEnqueueSVMMap)
MISSING(5, clEnqueueSVMUnmap)
MISSING(8, clEnqueueSVMMigrateMem)
LOCKED(1, clRetainDevice)
LOCKED(1, clRetainContext)
LOCKED(1, clRetainCommandQueue)
LOCKED(1, clRetainMemObject)
LOCKED(1, clRetainSampler)
LOCKED(1, clRetainProgram)
LOCKED(1, clRetainKernel)
LOCKED(1, clRetainEvent)
LATE(1, clReleaseDevice)
LATE(1, clReleaseContext)
LATE(1, clReleaseCommandQueue)
LATE(1, clReleaseMemObject)
LATE(1, clReleaseSampler)
LATE(1, clReleaseProgram)
LATE(1, clReleaseKernel)
LATE(1, clReleaseEvent)
LATE(1, clFlush)
LATE(1, clFinish)

extern "C" {

/*
 * The handle of the program itself has what was loaded before it. Others are loaded by a
 * jump, since dlopen() looks at who has called it.
 */
__attribute__((visibility("default")))
void *dlopen(const char *name, int flags)
{
	auto next = next_of<decltype(dlopen)>("dlopen");
	const char *base = name ? strrchr(name, '/') : nullptr;

	base = base ? base + 1 : name;
	if (base && !strncmp(base, "libOpenCL.so", strlen("libOpenCL.so")))
		name = nullptr;
	return next(name, flags);
}

__attribute__((visibility("default")))
cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t room,
		       void *value, size_t *bytes)
{
	auto next = next_of<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
	cl_int error;

	if (!next)
		return CL_INVALID_DEVICE;
	error = next(device, name, room, value, bytes);
	if (!error && name == CL_DEVICE_TYPE && value)
		*(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
	return error;
}

/* An event that a thread of the program completes, and has not yet. */
static bool waits_for_program(cl_event event)
{
	cl_command_type type = 0;
	cl_int status = CL_COMPLETE;

	return !clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type,
			       nullptr) && type == CL_COMMAND_USER &&
	       !clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
			       sizeof(status), &status, nullptr) &&
	       status > CL_COMPLETE;
}

/* That thread may have to call first, so it is waited for without the lock. */
__attribute__((visibility("default")))
cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
	const struct timespec pause = { .tv_sec = 0, .tv_nsec = 100000 };
	Turn turn;

	may_call();
	for (cl_uint i = 0; events && i < count; i++)
		while (events[i] && waits_for_program(events[i])) {
			pthread_mutex_unlock(&one_at_a_time);
			nanosleep(&pause, nullptr);
			pthread_mutex_lock(&one_at_a_time);
		}
	return next_of<decltype(clWaitForEvents)>("clWaitForEvents")(count, events);
}

/* What OpenCL C 3.0 calls the extensions of Oclgrind's device. */
static const char features[] =
	" -cl-ext=+__opencl_c_fp64,+__opencl_c_images,+__opencl_c_3d_image_writes,"
	"+__opencl_c_read_write_images";

/* The options of a build with what 3.0 needs; nullptr: it needs nothing, or no room. */
static char *options_with_features(const char *options)
{
	const char *more = getenv("OCLGRIND_BUILD_OPTIONS");
	bool is_3 = (options && strstr(options, "-cl-std=CL3.")) ||
		    (more && strstr(more, "-cl-std=CL3."));
	size_t length = options ? strlen(options) : 0;
	char *all = is_3 ? (char *)malloc(length + sizeof(features)) : nullptr;

	if (!all)
		return nullptr;
	memcpy(all, options, length);
	memcpy(all + length, features, sizeof(features));
	return all;
}

/* The first error of a build, which many programs do not print. */
static void say_build_error(cl_program program, const cl_device_id *devices)
{
	static char log[1 << 16];
	cl_device_id device = devices ? devices[0] : nullptr;
	const char *error, *end;

	if (!device && clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof(device), &device,
					nullptr))
		return;
	if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log,
				  nullptr))
		return;
	error = strstr(log, "error:");
	if (!error)
		return;
	end = strchr(error, '\n');
	fprintf(stderr, "simgpu-record: warning: a program of kernels was not built: %.*s\n",
		end ? (int)(end - error) : (int)strlen(error), error);
}

__attribute__((visibility("default")))
cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
		      const char *options,
		      void (CL_CALLBACK *notify)(cl_program, void *), void *data)
{
	auto next = next_of<decltype(clBuildProgram)>("clBuildProgram");
	char *all = options_with_features(options);
	Turn turn;
	cl_int error;

	may_call();
	error = next(program, count, devices, all ? all : options, notify, data);
	if (error)
		say_build_error(program, devices);
	free(all);
	return error;
}

__attribute__((visibility("default")))
cl_int clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices,
			const char *options, cl_uint headers, const cl_program *programs,
			const char **names,
			void (CL_CALLBACK *notify)(cl_program, void *), void *data)
{
	auto next = next_of<decltype(clCompileProgram)>("clCompileProgram");
	char *all = options_with_features(options);
	Turn turn;
	cl_int error;

	may_call();
	error = next(program, count, devices, all ? all : options, headers, programs,
		     names, notify, data);
	free(all);
	return error;
}

} /* extern "C" */

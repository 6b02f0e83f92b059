/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles of the kernels of workloads (STM 3.2): measured, or found in their
 * traces, and written into them.
 */
#ifndef SIMGPU_PROFILE_H
#define SIMGPU_PROFILE_H

#include "../workload.h"

/**
 * struct kernel_profile - the profile of one kernel of a workload
 * @workload: index of the workload
 * @kernel: index in its trace
 * @same_as: index of the profile of an equal kernel, whose points it shares; its
 *	own index if it is the first
 * @ret: 0 or the negative errno of its measurement
 * @points: R[m] and B[m] by SMs
 * @dummy: the same beside a dummy kernel, for all counts but the full one; else zero
 */
struct kernel_profile {
	u32 workload;
	u32 kernel;
	u32 same_as;
	int ret;
	struct simgpu_profile_point points[SIMGPU_SMS_MAX];
	struct simgpu_profile_point dummy[SIMGPU_SMS_MAX];
};

/**
 * struct profiles - the profiles of all kernels of some workloads
 * @config: configuration of the GPU
 * @workloads: decoded workloads
 * @workload_count: number of workloads
 * @rows: by workload, then by kernel
 * @count: number of rows
 */
struct profiles {
	struct gpu_config config;
	struct workload *workloads;
	u32 workload_count;
	struct kernel_profile *rows;
	u32 count;
};

/**
 * profiles_open() - read workloads and list their kernels
 * @profiles: @config is set; the rest is filled in, without points
 * @names: built-in workloads and files
 * @count: number of names
 *
 * Return: an exit status; a message has been printed on failure. profiles_free() frees
 * what it holds in either case.
 */
int profiles_open(struct profiles *profiles, char **names, u32 count);
void profiles_free(struct profiles *profiles);

/**
 * profiles_measure() - measure all points
 * @profiles: open
 * @workers: most measurements at a time
 * @seed: seed of all random numbers
 * @dummy: measure beside a dummy kernel, too
 *
 * Return: an exit status; a message has been printed on failure.
 */
int profiles_measure(struct profiles *profiles, u64 workers, u64 seed, bool dummy);

/**
 * profile_dummy() - a kernel's points for all numbers of SMs but the full one, measured
 *	beside a dummy kernel
 * @config: configuration of the GPU
 * @trace: trace with the kernel
 * @kernel: its index in the trace
 * @seed: seed of all random numbers
 * @cycles: cycles that the kernel takes alone on all SMs
 * @out: set to R[m] and B[m] / Pb, at index m - 1
 *
 * The dummy has the same threads, registers and shared memory a thread block,
 * blocks of the same latency, and ceil(TB (M - m) / m) of them.
 *
 * Return: see offline_profile(); -ERANGE also if the dummy has too many blocks.
 */
int profile_dummy(const struct gpu_config *config, const struct trace *trace,
		  u32 kernel, u64 seed, u32 cycles,
		  struct simgpu_profile_point *out);

/**
 * profiles_write() - write a workload's trace with these profiles
 * @profiles: with points, of that one workload
 * @path: file to write; the trace's profiles for other GPUs are kept
 *
 * Return: an exit status; a message has been printed on failure.
 */
int profiles_write(const struct profiles *profiles, const char *path);

#endif /* SIMGPU_PROFILE_H */

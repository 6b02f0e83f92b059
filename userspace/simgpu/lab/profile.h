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

#endif /* SIMGPU_PROFILE_H */

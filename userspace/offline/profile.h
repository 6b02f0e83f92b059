/* SPDX-License-Identifier: GPL-2.0 */
/* How fast a trace is at each number of SMs. */
#ifndef OFFLINE_PROFILE_H
#define OFFLINE_PROFILE_H

#include "offline.h"

/**
 * offline_profile() - a kernel alone on a number of SMs, from empty caches
 * @config: configuration of the GPU
 * @trace: trace with the kernel
 * @kernel: its index in the trace
 * @sms: 1 to all SMs of the GPU
 * @seed: seed of all random numbers
 * @out: set to R[sms] and B[sms] / Pb
 *
 * Return: 0; -E2BIG if a thread block does not fit on an SM; -ERANGE if it takes
 * more than 2^32 cycles; -ENOMEM.
 */
int offline_profile(const struct gpu_config *config, const struct trace *trace,
		    u32 kernel, u32 sms, u64 seed,
		    struct simgpu_profile_point *out);

/**
 * offline_profile_beside() - a kernel on all SMs beside one that only computes, so
 *	that it has a number of them on average
 * @config: configuration of the GPU
 * @trace: trace with the kernel
 * @kernel: its index in the trace
 * @dummy: trace whose first kernel runs beside it
 * @sms: SMs that the kernel should have on average: 1 to one less than all
 * @seed: seed of all random numbers
 * @out: set to R[sms] and B[sms] / Pb
 *
 * Thread blocks of both are interleaved by leaky buckets.
 *
 * Return: see offline_profile().
 */
int offline_profile_beside(const struct gpu_config *config,
			   const struct trace *trace, u32 kernel,
			   const struct trace *dummy, u32 sms, u64 seed,
			   struct simgpu_profile_point *out);

#endif /* OFFLINE_PROFILE_H */

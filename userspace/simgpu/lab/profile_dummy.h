/* SPDX-License-Identifier: GPL-2.0 */
/* A made-up neighbour for profiles. */
#ifndef SIMGPU_PROFILE_DUMMY_H
#define SIMGPU_PROFILE_DUMMY_H

#include "profile.h"

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

#endif /* SIMGPU_PROFILE_DUMMY_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles as cards can be measured (STM 3.2), whose SMs cannot be set apart: beside
 * a dummy kernel of the same shape, which computes only.
 */
#include <errno.h>

#include "../workloads/builder.h"
#include "profile.h"

/* Rounds in which a dummy's thread blocks are brought to the kernel's latency. */
#define TUNING_ROUNDS	4
/* Instructions of a dummy's thread block at first. */
#define STEPS_FIRST	1000

/* Its first warp computes, each instruction with the result of the one before. */
static void build_programs(struct builder *builder,
			   const struct trace_kernel *kernel, u32 blocks,
			   u32 steps)
{
	u32 lanes = kernel->block_threads < GPU_LANES ? kernel->block_threads :
							GPU_LANES;
	u32 mix = builder_mix(builder, "S1"), warp;

	builder_kernel(builder, "dummy", blocks, kernel->block_threads,
		       kernel->registers_per_thread, kernel->shared_bytes);
	builder_mixed(builder, mix, steps, lanes);
	if (kernel->block_warps == 1)
		return;
	builder_program(builder);
	builder_compute(builder, 1, lanes);
	for (warp = 0; warp < kernel->block_warps; warp++)
		builder_warp(builder, warp ? 1 : 0, 0);
	/* All thread blocks are like the first. */
	builder_row(builder, 1);
	builder_run(builder, blocks, 0);
}

static struct trace *make_dummy(const struct trace_kernel *kernel, u32 blocks,
				u32 steps)
{
	struct builder *builder = builder_new("dummy", "simgpu profile");
	struct trace *trace = NULL;
	struct trace_error error;
	void *file = NULL;
	size_t bytes;

	if (builder) {
		build_programs(builder, kernel, blocks, steps);
		file = builder_finish(builder, 0, &bytes);
	}
	if (file && offline_load_trace(file, bytes, &error, &trace))
		trace = NULL;
	builder_free(builder);
	free(file);
	return trace;
}

/*
 * How many instructions a dummy's thread block needs so that as many of them as the
 * kernel has take as long as the kernel, alone on all SMs.
 */
static int tune_dummy(const struct gpu_config *config,
		      const struct trace_kernel *kernel, u64 seed, u32 cycles,
		      u32 *steps)
{
	u32 round;
	int ret = 0;

	*steps = STEPS_FIRST;
	for (round = 0; !ret && round < TUNING_ROUNDS; round++) {
		struct trace *dummy = make_dummy(kernel, kernel->blocks, *steps);
		struct simgpu_profile_point point;
		u64 next;

		if (!dummy)
			return -ENOMEM;
		ret = offline_profile(config, dummy, 0, config->sms, seed, &point);
		offline_free_trace(dummy);
		if (ret)
			break;
		next = fixed_mul_div(*steps, cycles, point.cycles);
		*steps = next > U32_MAX / 2 ? U32_MAX / 2 : next ? (u32)next : 1;
	}
	return ret;
}

int profile_dummy(const struct gpu_config *config,
		  const struct trace *trace, u32 kernel, u64 seed, u32 cycles,
		  struct simgpu_profile_point *out)
{
	const struct trace_kernel *shape = &trace->kernels[kernel];
	u32 steps, sms;
	int ret;

	ret = tune_dummy(config, shape, seed, cycles, &steps);
	for (sms = 1; !ret && sms < config->sms; sms++) {
		u64 blocks = ((u64)shape->blocks * (config->sms - sms) + sms - 1) /
			     sms;
		struct trace *dummy;

		if (blocks > SIMGPU_TRACE_BLOCKS_MAX)
			return -ERANGE;
		dummy = make_dummy(shape, (u32)blocks, steps);
		if (!dummy)
			return -ENOMEM;
		ret = offline_profile_beside(config, trace, kernel, dummy, sms,
					     seed, &out[sms - 1]);
		offline_free_trace(dummy);
	}
	return ret;
}

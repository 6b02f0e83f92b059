// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles of kernels (STM 3.2): alone on a number of SMs, or, as on a card that can
 * only be shared, beside a dummy kernel that holds the other SMs.
 */
#include <errno.h>
#include <stdlib.h>

#include "../workloads/builder.h"
#include "internal.h"

/* Cycles between two looks at whether a kernel has ended. */
#define LOOK_CYCLES	10000
/* Slots of the kernel and of the dummy. */
enum {
	KERNEL,
	DUMMY,
};

/* A GPU of its own, for one measurement. */
struct home {
	void *memory;
	struct gpu *gpu;
};

static int open_home(struct home *home, const struct gpu_config *config, u64 seed)
{
	home->memory = port_alloc(gpu_bytes(config));
	if (!home->memory)
		return -ENOMEM;
	home->gpu = gpu_init(home->memory, config, seed);
	return 0;
}

/* Run the kernel to its end. */
static int run_to_end(struct gpu *gpu, u64 *cycles)
{
	struct gpu_kernel_status status;

	do {
		gpu_run(gpu, gpu_now(gpu) + LOOK_CYCLES);
		gpu_kernel_status(gpu, KERNEL, &status);
		if (gpu_now(gpu) > U32_MAX)
			return -ERANGE;
	} while (status.running);
	*cycles = status.ended_at;
	return 0;
}

/* What a kernel that has ended says of @sms SMs. */
static int read_point(struct gpu *gpu, struct simgpu_profile_point *out)
{
	const struct gpu_config *config = gpu_config(gpu);
	struct simgpu_counters counters;
	u64 cycles;
	int ret;

	ret = run_to_end(gpu, &cycles);
	if (ret)
		return ret;
	gpu_tenant_counters(gpu, KERNEL, &counters);
	out->cycles = cycles ? (u32)cycles : 1;
	out->bandwidth_ppm = (u32)fixed_ratio_ppm(counters.bus_busy_clocks,
			gpu_memory_clocks(gpu, out->cycles) * config->channels);
	if (out->bandwidth_ppm > SIMGPU_PPM)
		out->bandwidth_ppm = SIMGPU_PPM;
	return 0;
}

int offline_profile(const struct gpu_config *config, const struct trace *trace,
		    u32 kernel, u32 sms, u64 seed,
		    struct simgpu_profile_point *out)
{
	struct home home;
	u32 sm;
	int ret;

	if (!gpu_kernel_fits(config, &trace->kernels[kernel]))
		return -E2BIG;
	ret = open_home(&home, config, seed);
	if (ret)
		return ret;
	for (sm = 0; sm < sms; sm++)
		gpu_sm_assign(home.gpu, sm, KERNEL, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(home.gpu, KERNEL, trace, kernel);
	ret = read_point(home.gpu, out);
	port_free(home.memory);
	return ret;
}

/* --- beside a dummy kernel ------------------------------------------------------- */

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

/* Both on all SMs, thread blocks interleaved so that the kernel has @sms of them. */
static int profile_beside(const struct gpu_config *config,
			  const struct trace *trace, u32 kernel,
			  const struct trace *dummy, u32 sms, u64 seed,
			  struct simgpu_profile_point *out)
{
	struct home home;
	u32 sm;
	int ret;

	ret = open_home(&home, config, seed);
	if (ret)
		return ret;
	for (sm = 0; sm < config->sms; sm++)
		gpu_sm_share(home.gpu, sm);
	gpu_set_block_order(home.gpu, GPU_ORDER_LEAKY_BUCKET);
	gpu_set_bucket(home.gpu, KERNEL, config->sms - sms);
	gpu_set_bucket(home.gpu, DUMMY, sms);
	gpu_kernel_start(home.gpu, KERNEL, trace, kernel);
	gpu_kernel_start(home.gpu, DUMMY, dummy, 0);
	ret = read_point(home.gpu, out);
	port_free(home.memory);
	return ret;
}

int offline_profile_dummy(const struct gpu_config *config,
			  const struct trace *trace, u32 kernel, u64 seed,
			  u32 cycles, struct simgpu_profile_point *out)
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
		ret = profile_beside(config, trace, kernel, dummy, sms, seed,
				     &out[sms - 1]);
		offline_free_trace(dummy);
	}
	return ret;
}

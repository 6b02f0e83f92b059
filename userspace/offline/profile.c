// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles of kernels (STM 3.2): alone on a number of SMs, or beside a kernel that holds
 * the other SMs, as on a card where SMs can only be shared.
 */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"
#include "profile.h"

/* Cycles between two checks of whether a kernel has ended. */
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
		/* The GPU stops until each end is taken, also that of the dummy. */
		gpu_take_finished(gpu);
		gpu_kernel_status(gpu, KERNEL, &status);
		if (gpu_now(gpu) > U32_MAX)
			return -ERANGE;
	} while (status.running);
	*cycles = status.ended_at;
	return 0;
}

/* Fill in the point of a kernel that has ended. */
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

int offline_profile_beside(const struct gpu_config *config,
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

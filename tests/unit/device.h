/* SPDX-License-Identifier: GPL-2.0 */
/* A bare GPU, without a session, for tests of what it counts. */
#ifndef TESTS_DEVICE_H
#define TESTS_DEVICE_H

#include "../../kmod/sim/sim.h"

#define LONG_ENOUGH	20000000ULL

static inline struct gpu *gpu_make(const struct gpu_config *config)
{
	const char *field;
	void *memory;

	assert_int_equal(gpu_config_check(config, &field), 0);
	memory = aligned_alloc(64, (gpu_bytes(config) + 63) & ~63UL);
	memset(memory, 0x5a, gpu_bytes(config));
	return gpu_init(memory, config, 1);
}

static inline void own(struct gpu *gpu, u32 first, u32 count, u32 slot)
{
	u32 i;

	for (i = first; i < first + count; i++)
		gpu_sm_assign(gpu, i, slot, GPU_PREEMPT_DRAIN);
}

/* Run until a slot's kernel has finished; another's is begun again. */
static inline void finish(struct gpu *gpu, u32 slot, const struct trace *other)
{
	u64 done = 0;

	while (!(done & 1ULL << slot)) {
		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		gpu_run(gpu, LONG_ENOUGH);
		done = gpu_take_finished(gpu);
		if (other && (done & 2))
			gpu_kernel_start(gpu, 1, other, 0);
	}
}

static inline struct simgpu_counters counters_of(struct gpu *gpu, u32 slot)
{
	struct simgpu_counters counters;

	gpu_tenant_counters(gpu, slot, &counters);
	return counters;
}

/* The cycle in which a slot's last thread block ended. */
static inline u64 ended(const struct gpu *gpu, u32 slot)
{
	struct gpu_kernel_status status;

	gpu_kernel_status(gpu, slot, &status);
	return status.ended_at;
}

/* One tenant alone, to its end. The caller frees the device. */
static inline struct gpu *run_alone(const struct gpu_config *config,
				    const struct trace *trace)
{
	struct gpu *gpu = gpu_make(config);

	own(gpu, 0, config->sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 0, NULL);
	gpu_run(gpu, gpu_now(gpu) + 20000);
	return gpu;
}

#endif /* TESTS_DEVICE_H */

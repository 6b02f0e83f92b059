/* SPDX-License-Identifier: GPL-2.0 */
/* A bare GPU whose SMs change hands, for tests of preemption. */
#ifndef TESTS_PREEMPTED_H
#define TESTS_PREEMPTED_H

#include "../../kmod/sim/sim.h"

#define LONG_ENOUGH	20000000ULL
/* Of the blocks of traces.h: 256 threads with 32 registers each. */
#define BLOCK_LINES	(256 * 32 * 4 / 128)

/** struct device - a GPU */
struct device {
	struct gpu *gpu;
	struct gpu_config config;
	void *memory;
};

static inline void device_make(struct device *device, const struct gpu_config *config)
{
	device->config = *config;
	device->memory = aligned_alloc(64, (gpu_bytes(config) + 63) & ~63UL);
	memset(device->memory, 0x5a, gpu_bytes(config));
	device->gpu = gpu_init(device->memory, config, 1);
}

static inline void device_free(struct device *device)
{
	free(device->memory);
}

static inline void own(struct device *device, u32 first, u32 count, u32 slot,
		       enum gpu_preemption mode)
{
	u32 i;

	for (i = first; i < first + count; i++)
		gpu_sm_assign(device->gpu, i, slot, mode);
}

static inline struct simgpu_counters counters_of(struct device *device, u32 slot)
{
	struct simgpu_counters counters;

	gpu_tenant_counters(device->gpu, slot, &counters);
	return counters;
}

static inline struct gpu_sm_status sm_of(struct device *device, u32 sm)
{
	struct gpu_sm_status status;

	gpu_sm_status(device->gpu, sm, &status);
	return status;
}

static inline void finish(struct device *device, u64 mask)
{
	u64 done = 0;

	while ((done & mask) != mask) {
		assert_true(gpu_now(device->gpu) < LONG_ENOUGH);
		gpu_run(device->gpu, LONG_ENOUGH);
		done |= gpu_take_finished(device->gpu);
	}
}

#endif /* TESTS_PREEMPTED_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* A GPU all of whose SMs are shared. */
#ifndef TESTS_SHARED_DEVICE_H
#define TESTS_SHARED_DEVICE_H

#include "../../kmod/sim/gpu.h"

#define LONG_ENOUGH	20000000ULL

/** struct device - a GPU */
struct device {
	struct gpu *gpu;
	void *memory;
};

/* All SMs are shared. */
static inline void device_make(struct device *device,
			       const struct gpu_config *config)
{
	u32 i;

	device->memory = aligned_alloc(64, (gpu_bytes(config) + 63) & ~63UL);
	memset(device->memory, 0x5a, gpu_bytes(config));
	device->gpu = gpu_init(device->memory, config, 1);
	for (i = 0; i < config->sms; i++)
		gpu_sm_share(device->gpu, i);
}

static inline void device_free(struct device *device)
{
	free(device->memory);
}

static inline struct simgpu_counters counters_of(struct device *device,
						 u32 slot)
{
	struct simgpu_counters counters;

	gpu_tenant_counters(device->gpu, slot, &counters);
	return counters;
}

static inline struct gpu_sm_tenant registers_of_slot(struct device *device,
						     u32 sm, u32 slot)
{
	struct gpu_sm_tenant registers;

	gpu_sm_tenant(device->gpu, sm, slot, &registers);
	return registers;
}

static inline u32 blocks_on(struct device *device, u32 sm, u32 slot)
{
	return registers_of_slot(device, sm, slot).blocks;
}

static inline void limit_all(struct device *device, u32 slot, u32 blocks,
			     enum gpu_preemption mode)
{
	u32 i;

	for (i = 0; i < gpu_config(device->gpu)->sms; i++)
		gpu_sm_set_block_limit(device->gpu, i, slot, blocks, mode);
}

static inline void finish(struct device *device, u64 mask)
{
	struct gpu_kernel_status kernel;
	u32 slot;

	for (slot = 0; slot < GPU_SLOTS_MAX; slot++) {
		if (!(mask & (1ULL << slot)))
			continue;
		for (;;) {
			gpu_kernel_status(device->gpu, slot, &kernel);
			if (!kernel.running)
				break;
			assert_true(gpu_now(device->gpu) < LONG_ENOUGH);
			gpu_run(device->gpu, LONG_ENOUGH);
			gpu_take_finished(device->gpu);
		}
	}
}

#endif /* TESTS_SHARED_DEVICE_H */

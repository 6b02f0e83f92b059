/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A checker of masks, apart from the engine: it sees each request to memory, each line
 * that gets a way of the last-level cache and each thread block that begins, and fails
 * the test if that is where its slot may not be.
 */
#ifndef TESTS_MASK_CHECKER_H
#define TESTS_MASK_CHECKER_H

#include "../../kmod/sim/gpu.h"

/**
 * struct mask_checker - what slots may use
 * @gpu: whose registers count; NULL: those below do
 * @channels: by slot, a bit for each
 * @ways: likewise
 * @sms: likewise, of the first 64; 0: any
 * @requests: to memory, so far
 * @fills: lines that got a way
 * @blocks: that began
 */
struct mask_checker {
	const struct gpu *gpu;
	u64 channels[GPU_SLOTS_MAX];
	u64 ways[GPU_SLOTS_MAX];
	u64 sms[GPU_SLOTS_MAX];
	u64 requests;
	u64 fills;
	u64 blocks;
};

static inline void mask_checker_see(void *context, u32 slot, enum gpu_place place,
				    u32 index)
{
	struct mask_checker *checker = context;
	const struct gpu *gpu = checker->gpu;
	u64 mask;

	switch (place) {
	case GPU_PLACE_CHANNEL:
		mask = gpu ? gpu_channels(gpu, slot) : checker->channels[slot];
		checker->requests++;
		break;
	case GPU_PLACE_WAY:
		mask = gpu ? gpu_llc_ways(gpu, slot) : checker->ways[slot];
		checker->fills++;
		break;
	default:
		mask = checker->sms[slot] ? checker->sms[slot] : U64_MAX;
		checker->blocks++;
	}
	assert_true(mask >> index & 1);
}

/* From now on, what @gpu does is checked against its registers. */
static inline void mask_checker_follow(struct mask_checker *checker,
				       struct gpu *gpu)
{
	memset(checker, 0, sizeof(*checker));
	checker->gpu = gpu;
	gpu_set_place_hook(gpu, mask_checker_see, checker);
}

#endif /* TESTS_MASK_CHECKER_H */

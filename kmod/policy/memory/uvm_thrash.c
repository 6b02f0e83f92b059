// SPDX-License-Identifier: GPL-2.0
/*
 * As uvm, and what NVIDIA's driver does against thrashing between processors
 * (uvm_perf_thrashing.c), done where a block faults soon after its eviction: from the third
 * time in a row on its faults are answered later, and when that was done ten times, the block
 * stays on the host for a while. NVIDIA's driver itself leaves evictions out there, so it does
 * none of this where a GPU alone is short of memory: uvm is like it, and this policy shows
 * what the same answers would bring.
 */
#include <simgpu/memory_policy.h>

#include "../common/prefetch.h"
#include "../common/rank.h"
#include "../registry.h"

/* The defaults of uvm_perf_thrashing_threshold, _pin_threshold and _lapse_usec. */
#define THRESHOLD		3
#define PIN_THRESHOLD		10
#define LAPSE_US		500
/* Of uvm_perf_thrashing_nap and _pin, in lapses. */
#define NAP_LAPSES		1
#define PIN_LAPSES		300

static int uvm_thrash_place(const struct simgpu_place *place, void *state,
			    struct simgpu_placement *placement)
{
	u32 i;

	prefetch_tree(place, state, placement);
	for (i = 0; i < place->count; i++) {
		const struct simgpu_fault_block *block = &place->block[i];

		if (block->thrashes < THRESHOLD)
			continue;
		if (block->throttled < PIN_THRESHOLD) {
			placement->action[i] = SIMGPU_MEMORY_THROTTLE;
			placement->us[i] = NAP_LAPSES * LAPSE_US;
		} else {
			placement->action[i] = SIMGPU_MEMORY_REMOTE;
			placement->us[i] = PIN_LAPSES * LAPSE_US;
		}
	}
	return 0;
}

const struct simgpu_memory_policy memory_policy_uvm_thrash = {
	.name = "uvm-thrash",
	.events = SIMGPU_RANK_ON_ARRIVAL,
	.lapse_us = LAPSE_US,
	.place = uvm_thrash_place,
	.rank = rank_by_arrival,
};

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

/* The default of uvm_perf_thrashing_lapse_usec; _nap and _pin count in lapses. */
#define LAPSE_US		500
#define NAP_LAPSES		1
#define PIN_LAPSES		300

enum { TREE_THRESHOLD, THRESHOLD, PIN_THRESHOLD, NAP_US, PIN_US };

/* The first values are those of uvm_perf_thrashing_threshold, _pin_threshold, _nap and _pin. */
static const struct simgpu_param params[] = {
	PREFETCH_PARAM,
	{ "threshold", SIMGPU_UNIT_NUMBER, 1, 1000, 3,
	  "times in a row that a block thrashes before it is throttled" },
	{ "pin_threshold", SIMGPU_UNIT_NUMBER, 0, 1000, 10,
	  "times that it is throttled before it stays on the host" },
	{ "nap_us", SIMGPU_UNIT_NUMBER, 1, SIMGPU_MEMORY_US_MAX, NAP_LAPSES * LAPSE_US,
	  "by how many microseconds its faults are answered later" },
	{ "pin_us", SIMGPU_UNIT_NUMBER, 1, SIMGPU_MEMORY_US_MAX, PIN_LAPSES * LAPSE_US,
	  "for how many microseconds it stays on the host" },
	{ .name = NULL }
};

static int uvm_thrash_place(const struct simgpu_place *place, void *state,
			    struct simgpu_placement *placement)
{
	u32 i;

	prefetch_tree(place, state, placement);
	for (i = 0; i < place->count; i++) {
		const struct simgpu_fault_block *block = &place->block[i];

		if (block->thrashes < place->params[THRESHOLD])
			continue;
		if (block->throttled < place->params[PIN_THRESHOLD]) {
			placement->action[i] = SIMGPU_MEMORY_THROTTLE;
			placement->us[i] = (u32)place->params[NAP_US];
		} else {
			placement->action[i] = SIMGPU_MEMORY_REMOTE;
			placement->us[i] = (u32)place->params[PIN_US];
		}
	}
	return 0;
}

const struct simgpu_memory_policy memory_policy_uvm_thrash = {
	.name = "uvm-thrash",
	.about = "uvm, and pages that thrash are pinned or throttled",
	.events = SIMGPU_RANK_ON_ARRIVAL,
	.lapse_us = LAPSE_US,
	.place = uvm_thrash_place,
	.rank = rank_by_arrival,
	.params = params,
};

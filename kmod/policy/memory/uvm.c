// SPDX-License-Identifier: GPL-2.0
/*
 * NVIDIA's driver: the tree prefetcher, and eviction of the chunk into which pages were
 * brought least recently (uvm_pmm_gpu.c: a chunk goes to the end of its list when it is
 * allocated for a fault; accesses that hit are not seen). The pager uses it in place of a
 * policy that fails. What NVIDIA's driver does against thrashing is left out.
 */
#include <simgpu/memory_policy.h>

#include "../common/prefetch.h"
#include "../common/rank.h"
#include "../registry.h"

const struct simgpu_memory_policy memory_policy_uvm = {
	.name = "uvm",
	.about = "NVIDIA's: a tree of pages in use says what is prefetched",
	.events = SIMGPU_RANK_ON_ARRIVAL,
	.place = prefetch_tree,
	.rank = rank_by_arrival,
	.params = prefetch_params,
};

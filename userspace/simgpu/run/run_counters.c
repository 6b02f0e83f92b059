// SPDX-License-Identifier: GPL-2.0
/* A tenant's counters by name, as JSON; what they count stands in the uAPI. */
#include "../output.h"
#include "run.h"

#define NAME(upper, lower) [SIMGPU_COUNTER_##upper] = lower

static const char *const names[] = {
	NAME(THREAD_INSTRUCTIONS, "thread_instructions"),
	NAME(WARP_INSTRUCTIONS, "warp_instructions"),
	NAME(L1_ACCESSES, "l1_accesses"),
	NAME(L1_MISSES, "l1_misses"),
	NAME(L1C_ACCESSES, "l1c_accesses"),
	NAME(L1C_MISSES, "l1c_misses"),
	NAME(LLC_ACCESSES, "llc_accesses"),
	NAME(LLC_MISSES, "llc_misses"),
	NAME(ATD_ACCESSES, "atd_accesses"),
	NAME(ATD_HITS, "atd_hits"),
	NAME(DRAM_FILLS, "dram_fills"),
	NAME(DRAM_WRITEBACKS, "dram_writebacks"),
	NAME(ROW_ACTIVATES, "row_activates"),
	NAME(BUS_BUSY_CLOCKS, "bus_busy_clocks"),
	NAME(ROW_INTERFERENCE, "row_interference"),
	NAME(MIRROR_ACCESSES, "mirror_accesses"),
	NAME(MIRROR_REQUESTS, "mirror_requests"),
	NAME(MIRROR_CLOCKS, "mirror_clocks"),
	NAME(LOAD_REQUESTS, "load_requests"),
	NAME(LOAD_CYCLES, "load_cycles"),
	NAME(BANK_INTERFERENCE_CLOCKS, "bank_interference_clocks"),
	NAME(QUEUE_FULL_STALLS, "queue_full_stalls"),
	NAME(IDLE_CYCLES, "idle_cycles"),
	NAME(STALL_MEMORY_CYCLES, "stall_memory_cycles"),
	NAME(STALL_LSU_CYCLES, "stall_lsu_cycles"),
	NAME(STALL_BARRIER_CYCLES, "stall_barrier_cycles"),
	NAME(STALL_EMPTY_CYCLES, "stall_empty_cycles"),
	NAME(SM_CYCLES, "sm_cycles"),
	NAME(BLOCKS_FINISHED, "blocks_finished"),
	NAME(KERNELS_FINISHED, "kernels_finished"),
	NAME(CONTEXT_LINES, "context_lines"),
	NAME(PREEMPTED_BLOCKS, "preempted_blocks"),
	NAME(IDLE_WARP_SAMPLES, "idle_warp_samples"),
	NAME(IDLE_WARPS, "idle_warps"),
	NAME(BUS_WAIT_CLOCKS, "bus_wait_clocks"),
	NAME(BANK_BUSY_CLOCKS, "bank_busy_clocks"),
	NAME(BANK_ACTIVE_CLOCKS, "bank_active_clocks"),
	NAME(NOC_REQUEST_FLITS, "noc_request_flits"),
	NAME(NOC_REPLY_FLITS, "noc_reply_flits"),
	NAME(L1_STORES, "l1_stores"),
	NAME(SHARED_ACCESSES, "shared_accesses"),
	NAME(REFRESHES, "refreshes"),
	NAME(SM_ACTIVE_CYCLES, "sm_active_cycles"),
	NAME(STALL_DEPENDENCE_CYCLES, "stall_dependence_cycles"),
	NAME(RESET_BLOCKS, "reset_blocks"),
	NAME(RESET_WARP_INSTRUCTIONS, "reset_warp_instructions"),
	NAME(RESET_BLOCK_CYCLES, "reset_block_cycles"),
	NAME(SM_HANDOVERS, "sm_handovers"),
	NAME(SM_HANDOVER_CYCLES, "sm_handover_cycles"),
	NAME(DRAIN_CYCLES, "drain_cycles"),
};

static_assert(ARRAY_SIZE(names) == SIMGPU_COUNTER_COUNT, "each has a name");

struct json_object *counters_json(const struct result_tenant *tenant)
{
	struct json_object *counters = json_object_new_object();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		json_set(counters, names[i], json_u64(tenant->counters[i]));
	return counters;
}

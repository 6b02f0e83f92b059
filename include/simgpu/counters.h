/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The event counts of the register file. The hardware counts them, models and
 * policies read their differences: the one thing that both rooms name.
 */
#ifndef SIMGPU_COUNTERS_H
#define SIMGPU_COUNTERS_H

#include <simgpu/fixed.h>

/**
 * struct simgpu_counters - event counts of a tenant, as docs/glossary.md has them
 *
 * Where an L1 or the last-level cache has sectors (l1_sectors, llc_sectors), what
 * it looks up, asks for, fetches and writes back is counted in sectors of 32 B.
 *
 * @thread_instructions: active lanes of issued warp instructions
 * @warp_instructions: issued warp instructions
 * @l1_accesses: 128 B lines looked up in an L1 by loads
 * @l1_misses: of these, not there (merges into a pending miss included)
 * @l1c_accesses: lines looked up in an SM's constant cache by constant loads
 *	(Themis, Table I: L1cAcc)
 * @l1c_misses: of these, not there, as above (L1cMiss)
 * @llc_accesses: requests looked up in the last-level cache
 * @llc_misses: of these, those whose line was neither there nor on its way
 *	(full-line stores included, which fetch nothing); all others are hits
 * @atd_accesses: of @llc_accesses, those to sets that its auxiliary tag
 *	directory samples; 0 without one
 * @atd_hits: of these, those that would have hit with the cache to itself:
 *	private-mode misses are about llc_accesses * (1 - atd_hits / atd_accesses)
 * @dram_fills: lines fetched from DRAM
 * @dram_writebacks: dirty lines written to DRAM
 * @row_activates: activates issued for its requests; its row hits are
 *	dram_fills + dram_writebacks - row_activates
 * @bus_busy_clocks: memory clocks of channels whose data bus carried its data
 * @row_interference: of its activates, those of a row that would still have been
 *	open if other tenants had not used the bank
 * @mirror_accesses: of @llc_accesses, those that its mirror has seen, which has
 *	the cache and a channel to itself; 0 without one
 * @mirror_requests: lines that the mirror moved between the two for them
 * @mirror_clocks: memory clocks that its channel needed for that
 * @load_requests: 128 B lines that its SMs asked the last-level cache for
 * @load_cycles: from the L1 to the reply, added up; those that have not come
 *	are counted up to now
 * @bank_interference_clocks: memory clocks in which its requests waited at a
 *	memory controller while their bank served other tenants, added up
 * @queue_full_stalls: requests that waited at their last-level cache slice for
 *	more cycles than its queue has places
 * @idle_cycles: scheduler cycles on its SMs in which no warp could issue
 * @stall_memory_cycles: of these, those that ended when a warp's data came;
 *	causes are told apart by what the warp that issued next had waited for,
 *	and counted when it issues. On a shared SM all are the tenant's that issued
 *	next, also those from before it had work, and may be more than its
 *	@idle_cycles, which are divided as @sm_cycles are
 * @stall_lsu_cycles: when the load/store unit, full of earlier accesses, took
 *	a warp's next one
 * @stall_barrier_cycles: when a barrier opened
 * @stall_empty_cycles: when a thread block started
 * @sm_cycles: cycles of SMs that it held: of a shared SM, each cycle counts for
 *	one of those that issue in it, or if nobody does that may use it, in turn
 * @blocks_finished: thread blocks that ran to their end
 * @kernels_finished: kernels that ran to their end
 * @context_lines: 128 B lines of thread blocks' contexts saved or restored
 * @preempted_blocks: thread blocks that were saved by context switches
 * @idle_warp_samples: samples of idle warps, on SMs where it had thread blocks
 * @idle_warps: warps that could issue in these but did not (FGQoS 3.6)
 * @bus_wait_clocks: memory clocks for which its column accesses, whose row was
 *	open and whose bank allowed them, waited, as far as the data bus was given
 *	to other tenants' lines since the bank's last access or activate; added up
 *	over the accesses (for DASE: interference on the bus)
 * @bank_busy_clocks: memory clocks in which a bank's queue held requests of it,
 *	from their entry to the last column access, added up over the banks
 * @bank_active_clocks: memory clocks in which any bank of a channel did, added up
 *	over the channels; bank_busy_clocks / bank_active_clocks is how many banks
 *	work for it at a time (for DASE: bank level parallelism). What has passed up to
 *	when a bank last became its or ceased to be, and of bus_wait_clocks all, is
 *	counted with its next request of that channel that is done
 * @noc_request_flits: flits of the packets that its SMs sent to the last-level
 *	cache, counted when they are sent
 * @noc_reply_flits: flits of the packets that came back, counted when an SM has
 *	them
 * @l1_stores: 128 B lines that its store instructions wrote through an L1,
 *	counted when these are issued; without contexts that are saved
 * @shared_accesses: warp instructions on shared memory, counted when the burst
 *	begins that they are in
 * @refreshes: refreshes that fell due in the channels, all of them, while a
 *	kernel of it ran: what the device did in its time, not for it alone
 * @sm_active_cycles: cycles of SMs on which it had a thread block, of a shared
 *	SM all of them for each
 * @stall_dependence_cycles: of @idle_cycles, those that ended when the result of
 *	an earlier arithmetic or shared-memory instruction came
 * @reset_blocks: thread blocks that were dropped, to begin again from nothing
 * @reset_warp_instructions: of @warp_instructions, those that dropped thread blocks
 *	had issued: work that is done twice
 * @reset_block_cycles: cycles that dropped thread blocks had been on SMs, added up
 *	over the blocks
 * @sm_handovers: SMs that it got from others' thread blocks, which had to leave
 * @sm_handover_cycles: from the orders until the last of these blocks was gone, added
 *	up over the SMs
 * @drain_cycles: cycles in which a kernel had issued all of its instructions, and
 *	waited for acknowledgments of its stores; counted when it ends
 */
struct simgpu_counters {
	u64 thread_instructions;
	u64 warp_instructions;
	u64 l1_accesses;
	u64 l1_misses;
	u64 l1c_accesses;
	u64 l1c_misses;
	u64 llc_accesses;
	u64 llc_misses;
	u64 atd_accesses;
	u64 atd_hits;
	u64 dram_fills;
	u64 dram_writebacks;
	u64 row_activates;
	u64 bus_busy_clocks;
	u64 row_interference;
	u64 mirror_accesses;
	u64 mirror_requests;
	u64 mirror_clocks;
	u64 load_requests;
	u64 load_cycles;
	u64 bank_interference_clocks;
	u64 queue_full_stalls;
	u64 idle_cycles;
	u64 stall_memory_cycles;
	u64 stall_lsu_cycles;
	u64 stall_barrier_cycles;
	u64 stall_empty_cycles;
	u64 sm_cycles;
	u64 blocks_finished;
	u64 kernels_finished;
	u64 context_lines;
	u64 preempted_blocks;
	u64 idle_warp_samples;
	u64 idle_warps;
	u64 bus_wait_clocks;
	u64 bank_busy_clocks;
	u64 bank_active_clocks;
	u64 noc_request_flits;
	u64 noc_reply_flits;
	u64 l1_stores;
	u64 shared_accesses;
	u64 refreshes;
	u64 sm_active_cycles;
	u64 stall_dependence_cycles;
	u64 reset_blocks;
	u64 reset_warp_instructions;
	u64 reset_block_cycles;
	u64 sm_handovers;
	u64 sm_handover_cycles;
	u64 drain_cycles;
};

/**
 * simgpu_dram_requests() - 128 B lines moved between LLC and DRAM
 * @counters: event counts
 *
 * Return: fills and write-backs.
 */
static inline u64 simgpu_dram_requests(const struct simgpu_counters *counters)
{
	return fixed_add(counters->dram_fills, counters->dram_writebacks);
}

#endif /* SIMGPU_COUNTERS_H */

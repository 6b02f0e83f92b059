/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* Made by tools/counters of include/simgpu/counter_list.h: do not edit. */
#ifndef _UAPI_LINUX_SIMGPU_COUNTERS_H
#define _UAPI_LINUX_SIMGPU_COUNTERS_H

/**
 * enum simgpu_counter - numbers of a tenant's event counts
 * @SIMGPU_COUNTER_THREAD_INSTRUCTIONS: active lanes of issued warp
 *	instructions
 * @SIMGPU_COUNTER_WARP_INSTRUCTIONS: issued warp instructions
 * @SIMGPU_COUNTER_L1_ACCESSES: 128 B lines looked up in an L1 by loads
 * @SIMGPU_COUNTER_L1_MISSES: of %SIMGPU_COUNTER_L1_ACCESSES, those not there
 *	(merges into a pending miss included)
 * @SIMGPU_COUNTER_L1C_ACCESSES: lines looked up in an SM's constant cache by
 *	constant loads (Themis, Table I: L1cAcc)
 * @SIMGPU_COUNTER_L1C_MISSES: of %SIMGPU_COUNTER_L1C_ACCESSES, those not
 *	there, merges included (L1cMiss)
 * @SIMGPU_COUNTER_LLC_ACCESSES: requests looked up in the last-level cache
 * @SIMGPU_COUNTER_LLC_MISSES: of %SIMGPU_COUNTER_LLC_ACCESSES, those whose
 *	line was neither there nor on its way (full-line stores included, which
 *	fetch nothing); all others are hits
 * @SIMGPU_COUNTER_ATD_ACCESSES: of %SIMGPU_COUNTER_LLC_ACCESSES, those to sets
 *	that its auxiliary tag directory samples; 0 without one
 * @SIMGPU_COUNTER_ATD_HITS: of %SIMGPU_COUNTER_ATD_ACCESSES, those that would
 *	have hit with the cache to itself: private-mode misses are about
 *	%SIMGPU_COUNTER_LLC_ACCESSES * (1 - %SIMGPU_COUNTER_ATD_HITS /
 *	%SIMGPU_COUNTER_ATD_ACCESSES)
 * @SIMGPU_COUNTER_DRAM_FILLS: lines fetched from DRAM
 * @SIMGPU_COUNTER_DRAM_WRITEBACKS: dirty lines written to DRAM
 * @SIMGPU_COUNTER_ROW_ACTIVATES: activates issued for its requests; its row
 *	hits are %SIMGPU_COUNTER_DRAM_FILLS + %SIMGPU_COUNTER_DRAM_WRITEBACKS -
 *	%SIMGPU_COUNTER_ROW_ACTIVATES
 * @SIMGPU_COUNTER_BUS_BUSY_CLOCKS: memory clocks of channels whose data bus
 *	carried its data
 * @SIMGPU_COUNTER_ROW_INTERFERENCE: of %SIMGPU_COUNTER_ROW_ACTIVATES, those of
 *	a row that would still have been open if other tenants had not used the bank
 * @SIMGPU_COUNTER_MIRROR_ACCESSES: of %SIMGPU_COUNTER_LLC_ACCESSES, those that
 *	its mirror has seen, which has the cache and a channel to itself; 0 without
 *	one
 * @SIMGPU_COUNTER_MIRROR_REQUESTS: lines that the mirror moved between its
 *	cache and its channel for %SIMGPU_COUNTER_MIRROR_ACCESSES
 * @SIMGPU_COUNTER_MIRROR_CLOCKS: memory clocks that the mirror's channel
 *	needed for %SIMGPU_COUNTER_MIRROR_REQUESTS
 * @SIMGPU_COUNTER_LOAD_REQUESTS: 128 B lines that its SMs asked the last-level
 *	cache for
 * @SIMGPU_COUNTER_LOAD_CYCLES: cycles that %SIMGPU_COUNTER_LOAD_REQUESTS took
 *	from the L1 to the reply, added up; those under way are counted up to now
 * @SIMGPU_COUNTER_BANK_INTERFERENCE_CLOCKS: memory clocks in which its
 *	requests waited at a memory controller while their bank served other
 *	tenants, added up
 * @SIMGPU_COUNTER_QUEUE_FULL_STALLS: requests that waited at their last-level
 *	cache slice for more cycles than its queue has places
 * @SIMGPU_COUNTER_IDLE_CYCLES: scheduler cycles on its SMs in which no warp
 *	could issue
 * @SIMGPU_COUNTER_STALL_MEMORY_CYCLES: of %SIMGPU_COUNTER_IDLE_CYCLES, those
 *	that ended when a warp's data came. Causes are told apart by what the warp
 *	that issued next had waited for, and counted when it issues. On a shared SM
 *	the tenant that issued next has them all, also those from before it had
 *	work; they may be more than its %SIMGPU_COUNTER_IDLE_CYCLES, which are
 *	divided as %SIMGPU_COUNTER_SM_CYCLES are
 * @SIMGPU_COUNTER_STALL_LSU_CYCLES: of %SIMGPU_COUNTER_IDLE_CYCLES, those that
 *	ended when the load/store unit, full of earlier accesses, took a warp's next
 *	one
 * @SIMGPU_COUNTER_STALL_BARRIER_CYCLES: of %SIMGPU_COUNTER_IDLE_CYCLES, those
 *	that ended when a barrier opened
 * @SIMGPU_COUNTER_STALL_EMPTY_CYCLES: of %SIMGPU_COUNTER_IDLE_CYCLES, those
 *	that ended when a thread block started
 * @SIMGPU_COUNTER_SM_CYCLES: cycles of SMs that it held: of a shared SM, each
 *	cycle counts for one of the tenants that issue in it, or if none does that
 *	may use it, in turn
 * @SIMGPU_COUNTER_BLOCKS_FINISHED: thread blocks that ran to their end
 * @SIMGPU_COUNTER_KERNELS_FINISHED: kernels that ran to their end
 * @SIMGPU_COUNTER_CONTEXT_LINES: 128 B lines of thread blocks' contexts saved
 *	or restored
 * @SIMGPU_COUNTER_PREEMPTED_BLOCKS: thread blocks that were saved by context
 *	switches
 * @SIMGPU_COUNTER_IDLE_WARP_SAMPLES: samples of idle warps, on SMs where it
 *	had thread blocks; 0 while none are taken
 * @SIMGPU_COUNTER_IDLE_WARPS: warps that could issue in
 *	%SIMGPU_COUNTER_IDLE_WARP_SAMPLES but did not, added up (FGQoS 3.6)
 * @SIMGPU_COUNTER_BUS_WAIT_CLOCKS: memory clocks for which its column
 *	accesses, whose row was open and whose bank allowed them, waited, as far as
 *	the data bus was given to other tenants' lines since the bank's last access
 *	or activate; added up over the accesses (for DASE: interference on the bus)
 * @SIMGPU_COUNTER_BANK_BUSY_CLOCKS: memory clocks in which a bank's queue held
 *	requests of it, from their entry to the last column access, added up over
 *	the banks
 * @SIMGPU_COUNTER_BANK_ACTIVE_CLOCKS: memory clocks in which any bank of a
 *	channel held requests of it, added up over the channels;
 *	%SIMGPU_COUNTER_BANK_BUSY_CLOCKS / %SIMGPU_COUNTER_BANK_ACTIVE_CLOCKS is how
 *	many banks work for it at a time (for DASE: bank level parallelism). The
 *	clocks up to when a bank last became its or ceased to be, and all
 *	%SIMGPU_COUNTER_BUS_WAIT_CLOCKS, are counted with its next request of that
 *	channel that is done
 * @SIMGPU_COUNTER_NOC_REQUEST_FLITS: flits of the packets that its SMs, and
 *	copies of its pages, sent to the last-level cache, counted when they are
 *	sent
 * @SIMGPU_COUNTER_NOC_REPLY_FLITS: flits of the packets that came back,
 *	counted when they have arrived
 * @SIMGPU_COUNTER_L1_STORES: 128 B lines that its store instructions wrote
 *	through an L1, counted when these are issued; without contexts that are
 *	saved
 * @SIMGPU_COUNTER_SHARED_ACCESSES: warp instructions on shared memory, counted
 *	when the burst begins that they are in
 * @SIMGPU_COUNTER_REFRESHES: %SIMGPU_COUNTER_REFRESHES that fell due in all
 *	channels while a kernel of it ran: what the device did in its time, not for
 *	it alone
 * @SIMGPU_COUNTER_SM_ACTIVE_CYCLES: cycles of SMs on which it had a thread
 *	block; of a shared SM all of them for each tenant
 * @SIMGPU_COUNTER_STALL_DEPENDENCE_CYCLES: of %SIMGPU_COUNTER_IDLE_CYCLES,
 *	those that ended when the result of an earlier arithmetic or shared-memory
 *	instruction came
 * @SIMGPU_COUNTER_RESET_BLOCKS: thread blocks that were dropped, to begin
 *	again from nothing
 * @SIMGPU_COUNTER_RESET_WARP_INSTRUCTIONS: of
 *	%SIMGPU_COUNTER_WARP_INSTRUCTIONS, those that dropped thread blocks had
 *	issued: work that is done twice
 * @SIMGPU_COUNTER_RESET_BLOCK_CYCLES: cycles that dropped thread blocks had
 *	been on SMs, added up over the blocks
 * @SIMGPU_COUNTER_SM_HANDOVERS: SMs that it got from others' thread blocks,
 *	which had to leave
 * @SIMGPU_COUNTER_SM_HANDOVER_CYCLES: cycles from the orders for
 *	%SIMGPU_COUNTER_SM_HANDOVERS until the last of those thread blocks was gone,
 *	added up over the SMs
 * @SIMGPU_COUNTER_DRAIN_CYCLES: cycles in which a kernel had issued all of its
 *	instructions, and waited for acknowledgments of its stores; counted when it
 *	ends
 * @SIMGPU_COUNTER_FAULTS: accesses to pages of managed memory that were not on
 *	the device: each SM notes a page once; counted when the pager takes them
 * @SIMGPU_COUNTER_FAULT_BATCHES: batches that the pager has taken with
 *	%SIMGPU_COUNTER_FAULTS of it
 * @SIMGPU_COUNTER_STALL_FAULT_CYCLES: of %SIMGPU_COUNTER_IDLE_CYCLES, those
 *	that ended when the page of a warp's access, and its data, came
 * @SIMGPU_COUNTER_PAGES_IN: pages of managed memory that were brought to the
 *	device
 * @SIMGPU_COUNTER_PAGES_PREFETCHED: of %SIMGPU_COUNTER_PAGES_IN, those that no
 *	access had asked for
 * @SIMGPU_COUNTER_PAGES_AGAIN: of %SIMGPU_COUNTER_PAGES_IN, those that had
 *	been evicted before
 * @SIMGPU_COUNTER_PAGES_EVICTED: pages that have left the device
 * @SIMGPU_COUNTER_PAGES_UNUSED: of %SIMGPU_COUNTER_PAGES_EVICTED, those that
 *	were brought without having been asked for, and that no access found there
 * @SIMGPU_COUNTER_CHUNKS_EVICTED: chunks of 2 MiB of device memory that were
 *	taken from it
 * @SIMGPU_COUNTER_COPIED_IN_BYTES: bytes copied from the host: of
 *	%SIMGPU_COUNTER_PAGES_IN, and by commands of traces
 * @SIMGPU_COUNTER_COPIED_OUT_BYTES: bytes copied to the host: of
 *	%SIMGPU_COUNTER_PAGES_EVICTED that had been written, and by commands of
 *	traces
 * @SIMGPU_COUNTER_COUNT: how many this header names. Not a promise: it grows with
 *	each that is appended, and a kernel may have fewer or more, which it says
 *	wherever it gives counters
 *
 * A number never changes and is never used again. Where an L1 or the last-level cache has
 * sectors (l1_sectors, llc_sectors), what it looks up, asks for, fetches and writes back
 * is counted in sectors of 32 B.
 */
enum simgpu_counter {
	SIMGPU_COUNTER_THREAD_INSTRUCTIONS = 0,
	SIMGPU_COUNTER_WARP_INSTRUCTIONS = 1,
	SIMGPU_COUNTER_L1_ACCESSES = 2,
	SIMGPU_COUNTER_L1_MISSES = 3,
	SIMGPU_COUNTER_L1C_ACCESSES = 4,
	SIMGPU_COUNTER_L1C_MISSES = 5,
	SIMGPU_COUNTER_LLC_ACCESSES = 6,
	SIMGPU_COUNTER_LLC_MISSES = 7,
	SIMGPU_COUNTER_ATD_ACCESSES = 8,
	SIMGPU_COUNTER_ATD_HITS = 9,
	SIMGPU_COUNTER_DRAM_FILLS = 10,
	SIMGPU_COUNTER_DRAM_WRITEBACKS = 11,
	SIMGPU_COUNTER_ROW_ACTIVATES = 12,
	SIMGPU_COUNTER_BUS_BUSY_CLOCKS = 13,
	SIMGPU_COUNTER_ROW_INTERFERENCE = 14,
	SIMGPU_COUNTER_MIRROR_ACCESSES = 15,
	SIMGPU_COUNTER_MIRROR_REQUESTS = 16,
	SIMGPU_COUNTER_MIRROR_CLOCKS = 17,
	SIMGPU_COUNTER_LOAD_REQUESTS = 18,
	SIMGPU_COUNTER_LOAD_CYCLES = 19,
	SIMGPU_COUNTER_BANK_INTERFERENCE_CLOCKS = 20,
	SIMGPU_COUNTER_QUEUE_FULL_STALLS = 21,
	SIMGPU_COUNTER_IDLE_CYCLES = 22,
	SIMGPU_COUNTER_STALL_MEMORY_CYCLES = 23,
	SIMGPU_COUNTER_STALL_LSU_CYCLES = 24,
	SIMGPU_COUNTER_STALL_BARRIER_CYCLES = 25,
	SIMGPU_COUNTER_STALL_EMPTY_CYCLES = 26,
	SIMGPU_COUNTER_SM_CYCLES = 27,
	SIMGPU_COUNTER_BLOCKS_FINISHED = 28,
	SIMGPU_COUNTER_KERNELS_FINISHED = 29,
	SIMGPU_COUNTER_CONTEXT_LINES = 30,
	SIMGPU_COUNTER_PREEMPTED_BLOCKS = 31,
	SIMGPU_COUNTER_IDLE_WARP_SAMPLES = 32,
	SIMGPU_COUNTER_IDLE_WARPS = 33,
	SIMGPU_COUNTER_BUS_WAIT_CLOCKS = 34,
	SIMGPU_COUNTER_BANK_BUSY_CLOCKS = 35,
	SIMGPU_COUNTER_BANK_ACTIVE_CLOCKS = 36,
	SIMGPU_COUNTER_NOC_REQUEST_FLITS = 37,
	SIMGPU_COUNTER_NOC_REPLY_FLITS = 38,
	SIMGPU_COUNTER_L1_STORES = 39,
	SIMGPU_COUNTER_SHARED_ACCESSES = 40,
	SIMGPU_COUNTER_REFRESHES = 41,
	SIMGPU_COUNTER_SM_ACTIVE_CYCLES = 42,
	SIMGPU_COUNTER_STALL_DEPENDENCE_CYCLES = 43,
	SIMGPU_COUNTER_RESET_BLOCKS = 44,
	SIMGPU_COUNTER_RESET_WARP_INSTRUCTIONS = 45,
	SIMGPU_COUNTER_RESET_BLOCK_CYCLES = 46,
	SIMGPU_COUNTER_SM_HANDOVERS = 47,
	SIMGPU_COUNTER_SM_HANDOVER_CYCLES = 48,
	SIMGPU_COUNTER_DRAIN_CYCLES = 49,
	SIMGPU_COUNTER_FAULTS = 50,
	SIMGPU_COUNTER_FAULT_BATCHES = 51,
	SIMGPU_COUNTER_STALL_FAULT_CYCLES = 52,
	SIMGPU_COUNTER_PAGES_IN = 53,
	SIMGPU_COUNTER_PAGES_PREFETCHED = 54,
	SIMGPU_COUNTER_PAGES_AGAIN = 55,
	SIMGPU_COUNTER_PAGES_EVICTED = 56,
	SIMGPU_COUNTER_PAGES_UNUSED = 57,
	SIMGPU_COUNTER_CHUNKS_EVICTED = 58,
	SIMGPU_COUNTER_COPIED_IN_BYTES = 59,
	SIMGPU_COUNTER_COPIED_OUT_BYTES = 60,
	SIMGPU_COUNTER_COUNT
};

#endif /* _UAPI_LINUX_SIMGPU_COUNTERS_H */

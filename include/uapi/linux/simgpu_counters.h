/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Event counts of simgpu's tenants: their numbers, and how a call asks for them.
 * The calls themselves: linux/simgpu.h, whose rules hold here.
 */
#ifndef _UAPI_LINUX_SIMGPU_COUNTERS_H
#define _UAPI_LINUX_SIMGPU_COUNTERS_H

#include <linux/types.h>

/**
 * enum simgpu_counter - numbers of a tenant's event counts; definitions in docs/
 * @SIMGPU_COUNTER_THREAD_INSTRUCTIONS: active lanes of issued warp instructions
 * @SIMGPU_COUNTER_WARP_INSTRUCTIONS: issued warp instructions
 * @SIMGPU_COUNTER_L1_ACCESSES: lines looked up in an L1 by loads
 * @SIMGPU_COUNTER_L1_MISSES: of these, not there
 * @SIMGPU_COUNTER_L1C_ACCESSES: lines looked up in a constant cache by constant
 *	loads
 * @SIMGPU_COUNTER_L1C_MISSES: of these, not there
 * @SIMGPU_COUNTER_LLC_ACCESSES: requests looked up in the last-level cache
 * @SIMGPU_COUNTER_LLC_MISSES: of these, to lines neither there nor on their way
 * @SIMGPU_COUNTER_ATD_ACCESSES: of %SIMGPU_COUNTER_LLC_ACCESSES, to sets that
 *	are sampled; 0 if none is
 * @SIMGPU_COUNTER_ATD_HITS: of these, would have hit with the cache to itself
 * @SIMGPU_COUNTER_DRAM_FILLS: lines fetched from DRAM
 * @SIMGPU_COUNTER_DRAM_WRITEBACKS: dirty lines written to DRAM
 * @SIMGPU_COUNTER_ROW_ACTIVATES: activates issued for them
 * @SIMGPU_COUNTER_BUS_BUSY_CLOCKS: memory clocks of channels that carried its
 *	data
 * @SIMGPU_COUNTER_ROW_INTERFERENCE: of its activates, those that other tenants
 *	made necessary
 * @SIMGPU_COUNTER_MIRROR_ACCESSES: of %SIMGPU_COUNTER_LLC_ACCESSES, those that
 *	its mirror has seen; 0 without one
 * @SIMGPU_COUNTER_MIRROR_REQUESTS: lines that the mirror moved for them between
 *	its own cache and channel
 * @SIMGPU_COUNTER_MIRROR_CLOCKS: memory clocks that its channel needed for that
 * @SIMGPU_COUNTER_LOAD_REQUESTS: lines that its SMs asked the last-level cache
 *	for
 * @SIMGPU_COUNTER_LOAD_CYCLES: that these took, added up, those under way up to
 *	now
 * @SIMGPU_COUNTER_BANK_INTERFERENCE_CLOCKS: memory clocks in which its requests
 *	waited while their bank served other tenants
 * @SIMGPU_COUNTER_QUEUE_FULL_STALLS: requests that waited at their LLC slice
 *	for more cycles than its queue has places
 * @SIMGPU_COUNTER_IDLE_CYCLES: scheduler cycles on its SMs without an issue
 * @SIMGPU_COUNTER_STALL_MEMORY_CYCLES: of these, ended by the data of a load;
 *	counted once they have ended
 * @SIMGPU_COUNTER_STALL_LSU_CYCLES: by the load/store unit, which was full
 * @SIMGPU_COUNTER_STALL_BARRIER_CYCLES: by a barrier
 * @SIMGPU_COUNTER_STALL_EMPTY_CYCLES: by the start of a thread block
 * @SIMGPU_COUNTER_SM_CYCLES: cycles of SMs that it held
 * @SIMGPU_COUNTER_BLOCKS_FINISHED: thread blocks run to their end
 * @SIMGPU_COUNTER_KERNELS_FINISHED: kernels run to their end
 * @SIMGPU_COUNTER_CONTEXT_LINES: lines of thread blocks' contexts saved or
 *	restored
 * @SIMGPU_COUNTER_PREEMPTED_BLOCKS: thread blocks saved by context switches
 * @SIMGPU_COUNTER_IDLE_WARP_SAMPLES: samples of idle warps; 0 while they are
 *	not taken
 * @SIMGPU_COUNTER_IDLE_WARPS: sum over the samples
 * @SIMGPU_COUNTER_BUS_WAIT_CLOCKS: memory clocks that its accesses waited for
 *	the data bus while it carried other tenants' data
 * @SIMGPU_COUNTER_BANK_BUSY_CLOCKS: memory clocks in which a bank had requests of
 *	it, over all banks
 * @SIMGPU_COUNTER_BANK_ACTIVE_CLOCKS: memory clocks in which any bank of a channel
 *	had, over all channels
 * @SIMGPU_COUNTER_NOC_REQUEST_FLITS: crossbar flits from its SMs
 * @SIMGPU_COUNTER_NOC_REPLY_FLITS: crossbar flits to its SMs
 * @SIMGPU_COUNTER_L1_STORES: 128 B lines written through an L1 by stores
 * @SIMGPU_COUNTER_SHARED_ACCESSES: warp instructions on shared memory
 * @SIMGPU_COUNTER_REFRESHES: of all channels, while a kernel of it ran
 * @SIMGPU_COUNTER_SM_ACTIVE_CYCLES: cycles of SMs on which it had a thread block
 * @SIMGPU_COUNTER_STALL_DEPENDENCE_CYCLES: by the latency of an earlier result
 * @SIMGPU_COUNTER_RESET_BLOCKS: thread blocks that were dropped, to begin again
 * @SIMGPU_COUNTER_RESET_WARP_INSTRUCTIONS: warp instructions that these had issued
 * @SIMGPU_COUNTER_RESET_BLOCK_CYCLES: cycles that these had been on SMs, added up
 * @SIMGPU_COUNTER_SM_HANDOVERS: SMs that it got from others' thread blocks
 * @SIMGPU_COUNTER_SM_HANDOVER_CYCLES: until the last of these was gone, added up
 * @SIMGPU_COUNTER_DRAIN_CYCLES: that kernels waited for their last stores
 * @SIMGPU_COUNTER_COUNT: how many this header names. Not a promise: it grows with
 *	each that is appended, and a kernel may have fewer or more, which it says
 *	wherever it gives counters
 *
 * A number never changes and is never used again.
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
	SIMGPU_COUNTER_COUNT
};

/**
 * struct simgpu_counter_array - where a call writes a tenant's counters
 * @count: in: words that there is room for, up to SIMGPU_COUNTERS_ROOM_MAX; 0: only
 *	@count is asked for. out: words that the kernel has, whatever the room
 * @stride: in: bytes from one word to the next, 8 to 4096, a multiple of 8; what
 *	lies between is left as it is
 * @array: in: user pointer to the first word, aligned to 8 bytes; 0: as with a
 *	@count of 0
 *
 * A word's place is its &enum simgpu_counter. Words that the kernel does not have
 * are set to zero. Errors: EINVAL stride or alignment; E2BIG too much room; EFAULT
 * a word cannot be written.
 */
struct simgpu_counter_array {
	__u32 count;
	__u32 stride;
	__u64 array;
};

/* Words that a caller may give room for. */
#define SIMGPU_COUNTERS_ROOM_MAX	1024
#define SIMGPU_COUNTERS_STRIDE_MAX	4096

#endif /* _UAPI_LINUX_SIMGPU_COUNTERS_H */

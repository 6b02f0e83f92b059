/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The event counts of a tenant, a row each. A file defines this macro before it includes
 * the list:
 *
 *	COUNTER(number, name, seen, whole, text)
 *
 * The list undefines the macro at its end, so that a file may include it several times.
 *
 * number: of &enum simgpu_counter, and the place in &struct simgpu_counters. Rows stand
 *	in that order; a number never changes and is never used again
 * name: in C, JSON and, with dashes, in netlink
 * seen: how a policy sees the counter where counter_noise is set
 *	EXACT: without noise, as the driver itself keeps the count
 *	NOISY: with noise
 *	PART: with noise, but never more than @whole
 *	SHARE: with noise, but all shares of @whole together are never more than @whole
 * whole: the counter of which this one counts a part, or none
 * text: what is counted. Names of other counters in it become links
 *
 * A new counter is a row here, and the code that counts it. tools/counters then writes the
 * enumeration of the UAPI, the attributes of netlink and the lists in the pages.
 */
#ifndef COUNTER
#error "COUNTER() is to be defined before this list is included"
#endif

COUNTER(0, thread_instructions, NOISY, none,
	"active lanes of issued warp instructions")
COUNTER(1, warp_instructions, NOISY, none, "issued warp instructions")
COUNTER(2, l1_accesses, NOISY, none, "128 B lines looked up in an L1 by loads")
COUNTER(3, l1_misses, PART, l1_accesses,
	"of l1_accesses, those not there (merges into a pending miss included)")
COUNTER(4, l1c_accesses, NOISY, none,
	"lines looked up in an SM's constant cache by constant loads (Themis, Table I: L1cAcc)")
COUNTER(5, l1c_misses, PART, l1c_accesses,
	"of l1c_accesses, those not there, merges included (L1cMiss)")
COUNTER(6, llc_accesses, NOISY, none, "requests looked up in the last-level cache")
COUNTER(7, llc_misses, PART, llc_accesses,
	"of llc_accesses, those whose line was neither there nor on its way (full-line stores "
	"included, which fetch nothing); all others are hits")
COUNTER(8, atd_accesses, PART, llc_accesses,
	"of llc_accesses, those to sets that its auxiliary tag directory samples; 0 without one")
COUNTER(9, atd_hits, PART, atd_accesses,
	"of atd_accesses, those that would have hit with the cache to itself: private-mode "
	"misses are about llc_accesses * (1 - atd_hits / atd_accesses)")
COUNTER(10, dram_fills, NOISY, none, "lines fetched from DRAM")
COUNTER(11, dram_writebacks, NOISY, none, "dirty lines written to DRAM")
COUNTER(12, row_activates, NOISY, none,
	"activates issued for its requests; its row hits are dram_fills + dram_writebacks - "
	"row_activates")
COUNTER(13, bus_busy_clocks, NOISY, none,
	"memory clocks of channels whose data bus carried its data")
COUNTER(14, row_interference, PART, row_activates,
	"of row_activates, those of a row that would still have been open if other tenants "
	"had not used the bank")
COUNTER(15, mirror_accesses, PART, llc_accesses,
	"of llc_accesses, those that its mirror has seen, which has the cache and a channel "
	"to itself; 0 without one")
COUNTER(16, mirror_requests, NOISY, none,
	"lines that the mirror moved between its cache and its channel for mirror_accesses")
COUNTER(17, mirror_clocks, NOISY, none,
	"memory clocks that the mirror's channel needed for mirror_requests")
COUNTER(18, load_requests, NOISY, none,
	"128 B lines that its SMs asked the last-level cache for")
COUNTER(19, load_cycles, NOISY, none,
	"cycles that load_requests took from the L1 to the reply, added up; those under way "
	"are counted up to now")
COUNTER(20, bank_interference_clocks, NOISY, none,
	"memory clocks in which its requests waited at a memory controller while their bank "
	"served other tenants, added up")
COUNTER(21, queue_full_stalls, NOISY, none,
	"requests that waited at their last-level cache slice for more cycles than its queue "
	"has places")
COUNTER(22, idle_cycles, NOISY, none,
	"scheduler cycles on its SMs in which no warp could issue")
COUNTER(23, stall_memory_cycles, SHARE, idle_cycles,
	"of idle_cycles, those that ended when a warp's data came. Causes are told apart by "
	"what the warp that issued next had waited for, and counted when it issues. On a "
	"shared SM the tenant that issued next has them all, also those from before it had "
	"work; they may be more than its idle_cycles, which are divided as sm_cycles are")
COUNTER(24, stall_lsu_cycles, SHARE, idle_cycles,
	"of idle_cycles, those that ended when the load/store unit, full of earlier accesses, "
	"took a warp's next one")
COUNTER(25, stall_barrier_cycles, SHARE, idle_cycles,
	"of idle_cycles, those that ended when a barrier opened")
COUNTER(26, stall_empty_cycles, SHARE, idle_cycles,
	"of idle_cycles, those that ended when a thread block started")
COUNTER(27, sm_cycles, EXACT, none,
	"cycles of SMs that it held: of a shared SM, each cycle counts for one of the tenants "
	"that issue in it, or if none does that may use it, in turn")
COUNTER(28, blocks_finished, EXACT, none, "thread blocks that ran to their end")
COUNTER(29, kernels_finished, EXACT, none, "kernels that ran to their end")
COUNTER(30, context_lines, EXACT, none,
	"128 B lines of thread blocks' contexts saved or restored")
COUNTER(31, preempted_blocks, EXACT, none,
	"thread blocks that were saved by context switches")
COUNTER(32, idle_warp_samples, EXACT, none,
	"samples of idle warps, on SMs where it had thread blocks; 0 while none are taken")
COUNTER(33, idle_warps, NOISY, none,
	"warps that could issue in idle_warp_samples but did not, added up (FGQoS 3.6)")
COUNTER(34, bus_wait_clocks, NOISY, none,
	"memory clocks for which its column accesses, whose row was open and whose bank "
	"allowed them, waited, as far as the data bus was given to other tenants' lines since "
	"the bank's last access or activate; added up over the accesses (for DASE: "
	"interference on the bus)")
COUNTER(35, bank_busy_clocks, NOISY, none,
	"memory clocks in which a bank's queue held requests of it, from their entry to the "
	"last column access, added up over the banks")
COUNTER(36, bank_active_clocks, PART, bank_busy_clocks,
	"memory clocks in which any bank of a channel held requests of it, added up over the "
	"channels; bank_busy_clocks / bank_active_clocks is how many banks work for it at a "
	"time (for DASE: bank level parallelism). The clocks up to when a bank last became "
	"its or ceased to be, and all bus_wait_clocks, are counted with its next request of "
	"that channel that is done")
COUNTER(37, noc_request_flits, NOISY, none,
	"flits of the packets that its SMs, and copies of its pages, sent to the last-level "
	"cache, counted when they are sent")
COUNTER(38, noc_reply_flits, NOISY, none,
	"flits of the packets that came back, counted when they have arrived")
COUNTER(39, l1_stores, NOISY, none,
	"128 B lines that its store instructions wrote through an L1, counted when these are "
	"issued; without contexts that are saved")
COUNTER(40, shared_accesses, NOISY, none,
	"warp instructions on shared memory, counted when the burst begins that they are in")
COUNTER(41, refreshes, EXACT, none,
	"refreshes that fell due in all channels while a kernel of it ran: what the device "
	"did in its time, not for it alone")
COUNTER(42, sm_active_cycles, NOISY, none,
	"cycles of SMs on which it had a thread block; of a shared SM all of them for each "
	"tenant")
COUNTER(43, stall_dependence_cycles, SHARE, idle_cycles,
	"of idle_cycles, those that ended when the result of an earlier arithmetic or "
	"shared-memory instruction came")
COUNTER(44, reset_blocks, EXACT, none,
	"thread blocks that were dropped, to begin again from nothing")
COUNTER(45, reset_warp_instructions, PART, warp_instructions,
	"of warp_instructions, those that dropped thread blocks had issued: work that is done "
	"twice")
COUNTER(46, reset_block_cycles, EXACT, none,
	"cycles that dropped thread blocks had been on SMs, added up over the blocks")
COUNTER(47, sm_handovers, EXACT, none,
	"SMs that it got from others' thread blocks, which had to leave")
COUNTER(48, sm_handover_cycles, EXACT, none,
	"cycles from the orders for sm_handovers until the last of those thread blocks was "
	"gone, added up over the SMs")
COUNTER(49, drain_cycles, NOISY, none,
	"cycles in which a kernel had issued all of its instructions, and waited for "
	"acknowledgments of its stores; counted when it ends")
COUNTER(50, faults, EXACT, none,
	"accesses to pages of managed memory that were not on the device: each SM notes a "
	"page once; counted when the pager takes them")
COUNTER(51, fault_batches, EXACT, none, "batches that the pager has taken with faults of it")
COUNTER(52, stall_fault_cycles, SHARE, idle_cycles,
	"of idle_cycles, those that ended when the page of a warp's access, and its data, came")
COUNTER(53, pages_in, EXACT, none, "pages of managed memory that were brought to the device")
COUNTER(54, pages_prefetched, EXACT, none,
	"of pages_in, those that no access had asked for")
COUNTER(55, pages_again, EXACT, none, "of pages_in, those that had been evicted before")
COUNTER(56, pages_evicted, EXACT, none, "pages that have left the device")
COUNTER(57, pages_unused, EXACT, none,
	"of pages_evicted, those that were brought without having been asked for, and that no "
	"access found there")
COUNTER(58, chunks_evicted, EXACT, none,
	"chunks of 2 MiB of device memory that were taken from it")
COUNTER(59, copied_in_bytes, EXACT, none,
	"bytes copied from the host: of pages_in, and by commands of traces")
COUNTER(60, copied_out_bytes, EXACT, none,
	"bytes copied to the host: of pages_evicted that had been written, and by commands of "
	"traces")

#undef COUNTER

/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * What a slowdown model and a policy see when they are asked. All structs are
 * plain, fixed in size and versioned, without pointers, so that another module
 * or a BPF program can read them.
 */
#ifndef SIMGPU_SNAPSHOT_H
#define SIMGPU_SNAPSHOT_H

#include <simgpu/counters.h>
#include <simgpu/curve.h>
#include <simgpu/params.h>

/*
 * A new counter moves all fields behind the counters, and so makes a new version by
 * itself. Any other change of the snapshot raises the first number.
 */
#define SIMGPU_SNAPSHOT_VERSION	(21 + SIMGPU_COUNTER_PLACES - 50)
/* Tenants resident on a device; a slot is an index below it. */
#define SIMGPU_SLOTS_MAX	64
/* SMs of the largest configuration. */
#define SIMGPU_SMS_MAX		512
/* Queues of a tenant: each runs its launches in order, and all of them at once. */
#define SIMGPU_QUEUES_MAX	8
/* In place of a limit of thread blocks: no limit. */
#define SIMGPU_NO_LIMIT		U32_MAX
/* Rows of @shared in a snapshot. */
#define SIMGPU_SHARED_ROWS_MAX	1024

#define SIMGPU_CLASS_UNKNOWN	0
#define SIMGPU_CLASS_COMPUTE	1
#define SIMGPU_CLASS_MEMORY	2

#define SIMGPU_BEST_EFFORT	0
#define SIMGPU_QOS		1

/*
 * Events: when a model or a policy is asked. EPOCH always; the others if the model or
 * policy lists them. One call reports all events since the last call.
 */
#define SIMGPU_ON_EPOCH		(1U << 0)	/* an epoch has ended */
#define SIMGPU_ON_ARRIVAL	(1U << 1)	/* a tenant has got work */
#define SIMGPU_ON_DEPARTURE	(1U << 2)	/* a tenant has no work any more */
#define SIMGPU_ON_KERNEL_READY	(1U << 3)	/* a kernel could start, and waits */
#define SIMGPU_ON_KERNEL_END	(1U << 4)	/* a kernel has run to its end */
#define SIMGPU_ON_WAKE		(1U << 5)	/* a cycle that it has named */
#define SIMGPU_ON_SLICE_END	(1U << 6)	/* the blocks of an issue limit ended */
#define SIMGPU_ON_QUOTA_OUT	(1U << 7)	/* all quotas of a tenant are out */
#define SIMGPU_ON_TIMEOUT	(1U << 8)	/* a launch has timed out, or failed */
#define SIMGPU_ON_HINT		(1U << 9)	/* a tenant expects a launch */
/* Of managed memory; of a tenant the first two come at most once an epoch. */
#define SIMGPU_ON_MEMORY_PRESSURE (1U << 10)	/* a chunk of a tenant was taken away */
#define SIMGPU_ON_THRASHING	(1U << 11)	/* it faulted on that soon after */
#define SIMGPU_ON_PREFETCH_END	(1U << 12)	/* pages asked for ahead have come */
#define SIMGPU_ON_COPY_READY	(1U << 13)	/* a copy could begin, and waits */
#define SIMGPU_ON_COPY_END	(1U << 14)	/* a copy has ended */
/* All events. */
#define SIMGPU_ON_KNOWN		(SIMGPU_ON_EPOCH | SIMGPU_ON_ARRIVAL | \
				 SIMGPU_ON_DEPARTURE | \
				 SIMGPU_ON_KERNEL_READY | \
				 SIMGPU_ON_KERNEL_END | SIMGPU_ON_WAKE | \
				 SIMGPU_ON_SLICE_END | SIMGPU_ON_QUOTA_OUT | \
				 SIMGPU_ON_TIMEOUT | SIMGPU_ON_HINT | \
				 SIMGPU_ON_MEMORY_PRESSURE | \
				 SIMGPU_ON_THRASHING | \
				 SIMGPU_ON_PREFETCH_END | \
				 SIMGPU_ON_COPY_READY | SIMGPU_ON_COPY_END)

/*
 * A block thrashes that faults within so many microseconds of its eviction, unless the memory
 * policy has a @lapse_us of its own.
 */
#define SIMGPU_LAPSE_US		500

/*
 * Needs: what a session has to provide for a model or a policy. Tags, mirrors and
 * private runs are part of the device: a session has them only if the model or policy is
 * named when the session starts.
 */
#define SIMGPU_NEEDS_TAGS	(1U << 0)	/* auxiliary tag directories */
#define SIMGPU_NEEDS_MIRRORS	(1U << 1)	/* mirrors of a channel */
#define SIMGPU_NEEDS_PRIVATE_RUNS (1U << 2)	/* each tenant alone, beside it */
#define SIMGPU_NEEDS_IDLE_SAMPLES (1U << 3)	/* 100 samples an epoch */
#define SIMGPU_NEEDS_SHARED_ROWS (1U << 4)	/* @shared of the snapshot */
#define SIMGPU_NEEDS_CURVES	(1U << 5)	/* @curve of the predictions */
#define SIMGPU_NEEDS_CONSTANTS	(1U << 6)	/* without them it predicts nothing */
#define SIMGPU_NEEDS_ALL_TAGS	(1U << 7)	/* tags of as many sets as there can be */
#define SIMGPU_NEEDS_PROFILES	(1U << 8)	/* @profiles of the snapshot */
/* A policy that reads no prediction: its proposals at an epoch's end wait for none. */
#define SIMGPU_NEEDS_NO_MODEL	(1U << 9)
/* Figures of tenants that have just departed, in their rows: see @active of a tenant. */
#define SIMGPU_NEEDS_DEPARTED	(1U << 10)
#define SIMGPU_NEEDS_KNOWN	(SIMGPU_NEEDS_TAGS | SIMGPU_NEEDS_MIRRORS | \
				 SIMGPU_NEEDS_PRIVATE_RUNS | \
				 SIMGPU_NEEDS_IDLE_SAMPLES | \
				 SIMGPU_NEEDS_SHARED_ROWS | \
				 SIMGPU_NEEDS_CURVES | \
				 SIMGPU_NEEDS_CONSTANTS | \
				 SIMGPU_NEEDS_ALL_TAGS | \
				 SIMGPU_NEEDS_PROFILES | \
				 SIMGPU_NEEDS_NO_MODEL | \
				 SIMGPU_NEEDS_DEPARTED)

/* In @flags of a kernel. */
#define SIMGPU_KERNEL_PRESENT	(1U << 0)	/* there is one */
#define SIMGPU_KERNEL_RUNNING	(1U << 1)	/* it has started */
#define SIMGPU_KERNEL_IDEMPOTENT (1U << 2)	/* its blocks may run twice */

/* In @flags of a copy. */
#define SIMGPU_COPY_PRESENT	(1U << 0)	/* there is one */
#define SIMGPU_COPY_RUNNING	(1U << 1)	/* it has begun */

/* In @way of a copy: what it takes, and shares with others of the same way. */
#define SIMGPU_COPY_WAY_IN	0	/* the link to the device */
#define SIMGPU_COPY_WAY_OUT	1	/* the link to the host */
#define SIMGPU_COPY_WAY_DEVICE	2	/* the device's memory: copies on it, and sets */

/* In @failure of a tenant: what has happened to a queue's launch. */
#define SIMGPU_FAILED_NOT	0	/* nothing that is known */
#define SIMGPU_FAILED_TIMEOUT	1	/* its kernel or copy took longer than its timeout */
#define SIMGPU_FAILED_ADDRESS	2	/* its kernel used an illegal address */
#define SIMGPU_FAILED_MEMORY	3	/* the device's memory failed under it */

/**
 * struct simgpu_snapshot_kernel - a kernel at the head of a queue, or next
 * @flags: SIMGPU_KERNEL_*; the rest is zero without SIMGPU_KERNEL_PRESENT
 * @kernel: its index in its trace
 * @blocks: thread blocks of its grid, at most U32_MAX
 * @blocks_left: thread blocks that have not ended
 * @threads: threads of a thread block
 * @registers: registers of a thread
 * @shared_bytes: shared memory of a thread block
 * @blocks_per_sm: thread blocks that an SM can hold if it holds no others
 * @profile: 1 + its index in @profiles of the snapshot; 0: the trace has no profile for
 *	this device, or neither model nor policy needs profiles
 *	(SIMGPU_NEEDS_PROFILES), or @profiles is full
 * @launch_profile: 1 + the index of the profile of what its launch has left of its
 *	trace, from this kernel on, one kernel after another; only at the head of a
 *	queue; 0: none, for the same reasons
 * @sequence: number of its launch
 * @arrival_cycle: device cycle at which that launch arrived
 */
struct simgpu_snapshot_kernel {
	u32 flags;
	u32 kernel;
	u32 blocks;
	u32 blocks_left;
	u32 threads;
	u32 registers;
	u32 shared_bytes;
	u32 blocks_per_sm;
	u32 profile;
	u32 launch_profile;
	u64 sequence;
	u64 arrival_cycle;
};

/* Launches that a tenant's recent latencies are of, at most. */
#define SIMGPU_RECENT_MAX	128

/**
 * struct simgpu_snapshot_latency - how long a tenant's launches took from arrival to end
 * @ended: launches that have ended since it joined, as in reports: of a trace with marks of
 *	iterations, the marks that were passed
 * @misses: of these, those that ended after their deadline
 * @recent: the last of them, at most SIMGPU_RECENT_MAX, of which the next three are
 * @p50_cycles: core cycles that half of them did not exceed (nearest rank); 0 without any
 * @p95_cycles: that 95 of 100 did not exceed
 * @p99_cycles: that 99 of 100 did not exceed
 * @target_cycles: core cycles that 99 of 100 launches are to stay within, as the tenant asks;
 *	0: it asks for nothing
 */
struct simgpu_snapshot_latency {
	u64 ended;
	u64 misses;
	u64 recent;
	u64 p50_cycles;
	u64 p95_cycles;
	u64 p99_cycles;
	u64 target_cycles;
};

/**
 * struct simgpu_snapshot_copy - a copy, or a set, that a queue has come to
 * @flags: SIMGPU_COPY_*; the rest is zero without SIMGPU_COPY_PRESENT. Without
 *	SIMGPU_COPY_RUNNING it waits for the policy
 * @way: SIMGPU_COPY_WAY_*
 * @bytes: bytes of it
 * @bytes_left: of these, bytes that have not been given to what it takes; they may be 0 while
 *	the last of them are under way
 */
struct simgpu_snapshot_copy {
	u32 flags;
	u32 way;
	u64 bytes;
	u64 bytes_left;
};

/**
 * struct simgpu_snapshot_queue - a queue of a tenant
 * @waiting: launches behind the one at the head
 * @priority: -3 to 3; of a tenant's thread blocks, those of the queue with the highest
 *	priority go first
 * @deadline_cycle: deadline of the launch at the head; 0: none
 * @sm_mask: SMs on which the kernel at the head may begin thread blocks, a bit each:
 *	those in both its launch's and its tenant's mask; 0: any
 * @head: the kernel that runs or could start; not present while the first launch
 *	waits: for its cycle, for another queue's launch, or for memory
 * @next: the kernel after @head, of the same launch or the next one
 * @events: SIMGPU_ON_KERNEL_READY, _KERNEL_END, _SLICE_END, _TIMEOUT, _COPY_READY and
 *	_COPY_END that concern the queue
 * @issue_left: thread blocks that it may still begin; SIMGPU_NO_LIMIT: any number
 * @blocks_left: thread blocks that have not ended of the run that the launch at the head does,
 *	those of the kernels behind @head among them; 0 without @head
 * @oldest_cycle: device cycle at which the oldest launch of @waiting arrived, or is to arrive;
 *	0: none waits
 * @oldest_blocks: thread blocks of a run of that launch; with requests of a size of their own,
 *	of its request
 * @copy: the copy to which it has come; it then has no @head
 */
struct simgpu_snapshot_queue {
	u32 waiting;
	s32 priority;
	u64 deadline_cycle;
	u64 sm_mask[SIMGPU_SMS_MAX / 64];
	struct simgpu_snapshot_kernel head;
	struct simgpu_snapshot_kernel next;
	u32 events;
	u32 issue_left;
	u64 blocks_left;
	u64 oldest_cycle;
	u64 oldest_blocks;
	struct simgpu_snapshot_copy copy;
};

/**
 * struct simgpu_snapshot_tenant - one tenant
 * @active: 1 if the tenant has work and so may be given SMs. For an inactive tenant
 *	only @events is set; if it has given a hint also @service, @hint_cycle and
 *	@hint_laxity; if it has a copy also @service, the counts of copies, @queue_count, and of
 *	its queues @priority, @events and @copy; and with SIMGPU_NEEDS_DEPARTED, where @events
 *	has SIMGPU_ON_DEPARTURE, also @service, @weight, @latency, @counters and @total, once
 * @events: SIMGPU_ON_* that concern the tenant
 * @service: SIMGPU_BEST_EFFORT or SIMGPU_QOS
 * @weight: 1 and up
 * @sms: SMs that it alone has
 * @shared_sms: shared SMs on which it may place thread blocks
 * @held: 1 if the policy holds it
 * @blocks: thread blocks of its present kernels, at most U32_MAX: on a GPU with
 *	more SMs than that it cannot use all of them
 * @blocks_left: thread blocks of its kernels that have not finished, at most
 *	U32_MAX: it cannot use more SMs than that. Right after a kernel's end it is
 *	all blocks of that kernel
 * @class: the model's; SIMGPU_CLASS_UNKNOWN before the first prediction
 * @target_ppm: the NP that a QoS tenant is promised
 * @np_ppm: the model's predicted NP, for policies; 0 while class is unknown
 * @sd_scal_ppm: the model's slowdown for want of SMs; 0: not predicted
 * @sd_inter_ppm: the model's slowdown by interference; 0: not predicted
 * @private_cycles: core cycles that the epoch's instructions take alone, on all
 *	SMs; 0 without private runs
 * @arrival_cycle: device cycle since which it has had work
 * @service_cycles: SM-cycles that it has held since it joined, over the SMs of
 *	the device: what fair queueing calls service
 * @footprint_bytes: device memory of the trace that it runs
 * @queue_count: queues up to the last one that it has used, at least 1
 * @memory_priority: priority of its memory requests
 * @goal_ipc_ppm: thread instructions a cycle that it is to reach, in parts per
 *	million, at most the device's peak; of a goal in time or rate, what the
 *	present kernel needs for it (FGQoS 3.2). 0: it has no goal
 * @goal_cycles: core cycles in which it has had work since the goal was set
 * @goal_instructions: thread instructions that it has issued in these cycles
 * @goal_promised: thread instructions that the goal asked for in these cycles
 * @share_ppm: part of the SMs that it asks for; 0: it asks for none
 * @sm_mask: SMs that it keeps to, a bit each; 0: any
 * @channel_mask: memory channels that it keeps to, a bit each; 0: any
 * @llc_way_mask: ways of the last-level cache that it keeps to, a bit each; 0: any
 * @cgroup: number of the cgroup (version 2) in which its file was opened; 0: none,
 *	as offline without a journal, and in gangs, whose results must not depend
 *	on where they run
 * @managed_bytes: its memory whose pages come and go; 0: none, and the next two are 0
 * @resident_bytes: device memory that its blocks of 2 MiB take
 * @wanted_bytes: pages that the kernels at the heads of its queues may access, its working
 *	set as their traces tell it; of a kernel with recorded warps, all of its memory.
 *	Faults, pages and copied bytes are among @counters
 * @strikes: its guilty launches that count; at three it is banned
 * @failed_queues: queues with a @failure, for each of which the policy may say a @recovery, a
 *	bit each
 * @failure: by queue, SIMGPU_FAILED_*
 * @failure_cycles: by queue with a @failure, core cycles since its kernel or copy began
 * @hint_cycle: device cycle at which it expects a launch, as it has said itself; it may be
 *	past, and may be wrong. 0: it has given no hint since a launch of it last began
 * @hint_laxity: core cycles by which that launch may begin later than it comes; 0: at once,
 *	or it has not said
 * @latency: of its launches
 * @copies_waiting: queues with a copy that waits for the policy
 * @copies_running: queues with a copy that has begun
 * @copy_bytes_left: sum of @bytes_left of these copies
 * @counters: differences over this epoch, up to now; with registers of limited
 *	width (hardware_counters), DRAM counts may be too small, and all
 *	requests are reported as fills
 * @total: counters since it joined, in full
 * @curve: the model's curve; without knots if the model predicts none
 * @queue: its queues; those from @queue_count on are zero
 */
struct simgpu_snapshot_tenant {
	u32 active;
	u32 events;
	u32 service;
	u32 weight;
	u32 sms;
	u32 shared_sms;
	u32 held;
	u32 blocks;
	u32 blocks_left;
	u32 class;
	u32 queue_count;
	u32 memory_priority;
	u64 target_ppm;
	u64 np_ppm;
	u64 sd_scal_ppm;
	u64 sd_inter_ppm;
	u64 private_cycles;
	u64 arrival_cycle;
	u64 service_cycles;
	u64 footprint_bytes;
	u64 goal_ipc_ppm;
	u64 goal_cycles;
	u64 goal_instructions;
	u64 goal_promised;
	u64 share_ppm;
	u64 sm_mask[SIMGPU_SMS_MAX / 64];
	u64 channel_mask;
	u64 llc_way_mask;
	u64 cgroup;
	u64 managed_bytes;
	u64 resident_bytes;
	u64 wanted_bytes;
	u32 strikes;
	u32 failed_queues;
	u8 failure[SIMGPU_QUEUES_MAX];
	u64 failure_cycles[SIMGPU_QUEUES_MAX];
	u64 hint_cycle;
	u64 hint_laxity;
	struct simgpu_snapshot_latency latency;
	u32 copies_waiting;
	u32 copies_running;
	u64 copy_bytes_left;
	struct simgpu_counters counters;
	struct simgpu_counters total;
	struct simgpu_curve curve;
	struct simgpu_snapshot_queue queue[SIMGPU_QUEUES_MAX];
};

/**
 * struct simgpu_snapshot_shared - a tenant on a shared SM
 * @sm: the SM
 * @slot: the tenant's slot
 * @blocks: thread blocks that it has there
 * @block_limit: thread blocks that it may have there; SIMGPU_NO_LIMIT: as many as fit
 * @quota_left: thread instructions that it may still issue there; below zero by
 *	less than a warp instruction a scheduler; SIMGPU_NO_QUOTA: any number
 * @thread_instructions: instructions that it has issued there since it joined
 * @idle_warp_samples: samples of its idle warps there, since it joined
 * @idle_warps: sum of the idle warps in these samples
 */
struct simgpu_snapshot_shared {
	u32 sm;
	u32 slot;
	u32 blocks;
	u32 block_limit;
	s64 quota_left;
	u64 thread_instructions;
	u64 idle_warp_samples;
	u64 idle_warps;
};

#define SIMGPU_NO_QUOTA		((s64)(U64_MAX >> 1))

/**
 * struct simgpu_profile_point - a kernel alone on a number of SMs (STM 3.2)
 * @cycles: core cycles that it takes, R[m]; at least 1
 * @bandwidth_ppm: part of the device's peak bandwidth that it reaches, B[m] / Pb
 */
struct simgpu_profile_point {
	u32 cycles;
	u32 bandwidth_ppm;
};

/**
 * struct simgpu_snapshot_profile - the profile of a kernel, or of several in a row
 * @point: for m SMs at index m - 1, up to all SMs of the device; zero behind them
 */
struct simgpu_snapshot_profile {
	struct simgpu_profile_point point[SIMGPU_SMS_MAX];
};

/**
 * struct simgpu_snapshot_dram - timings and geometry of a memory channel
 * @banks: banks of a channel
 * @bank_groups: bank groups of a channel
 * @row_lines: 128 B lines of a row
 * @queue_entries: entries of a channel's read queue
 * @trc: activate to activate of a bank, in memory clocks like all fields below
 * @trcd: activate to read
 * @trp: precharge to activate
 * @tcl: read to the first of its data
 * @tras: activate to precharge
 * @tfaw: window of four activates
 * @trefi: refresh to refresh; 0: no refresh
 * @trfc: refresh to activate
 */
struct simgpu_snapshot_dram {
	u32 banks;
	u32 bank_groups;
	u32 row_lines;
	u32 queue_entries;
	u32 trc;
	u32 trcd;
	u32 trp;
	u32 tcl;
	u32 tras;
	u32 tfaw;
	u32 trefi;
	u32 trfc;
};

/* Most clocks that a device can have. */
#define SIMGPU_CLOCKS_MAX	16

/**
 * struct simgpu_clock - a clock that the SMs can have
 * @mhz: the clock
 * @mv: core voltage that it needs, in millivolts: an event in an SM takes energy in proportion
 *	to its square, static power in proportion to it
 */
struct simgpu_clock {
	u32 mhz;
	u32 mv;
};

/**
 * struct simgpu_snapshot - the device since the epoch began
 * @version: SIMGPU_SNAPSHOT_VERSION
 * @bytes: sizeof(struct simgpu_snapshot)
 * @events: SIMGPU_ON_* for which this call is made
 * @sms: SMs of the device
 * @schedulers: warp schedulers of an SM
 * @issue_lanes: thread instructions that an SM can issue a cycle (schedulers x
 *	lanes)
 * @channels: memory channels
 * @line_bytes: bytes of a DRAM request (ReqSize of Eq. 2)
 * @peak_clocks_per_line: memory clocks for which a request holds a data bus
 * @llc_hit_cycles: core cycles from an L1 to the reply for a line that the
 *	last-level cache has, without contention
 * @dram_cycles: core cycles from an L1 to the reply for a line that the last-level cache
 *	fetches, from a bank without an open row, without contention
 * @sm_threads: resident threads that an SM can hold
 * @sm_blocks: resident thread blocks that an SM can hold
 * @sm_registers: 32-bit registers of an SM
 * @sm_shared_bytes: shared memory of an SM
 * @tenants_active: how many tenants have @active set
 * @slot_count: rows of @tenants up to the last one that is filled in; later rows are
 *	zero
 * @mirrors: 1 if tenants have mirrors
 * @shared_rows: rows of @shared that are filled in
 * @profile_count: entries of @profiles that are filled in
 * @llc_ways: ways of the last-level cache
 * @sms_per_tpc: SMs that change hands together
 * @seed: seed of the run, for random numbers (simgpu_random()): the exclusive or of its
 *	halves
 * @core_mhz: core clock
 * @memory_mhz: memory clock
 * @llc_slices: slices of the last-level cache, each with a port to the crossbar that
 *	carries a flit a core cycle each way
 * @l1_sectors: sectors of a line of an L1, in which its counters count; 1: whole lines
 * @llc_sectors: sectors of a line of the last-level cache, as @l1_sectors
 * @memory_bytes: device memory; 0: unlimited
 * @managed_bytes: device memory for managed memory of tenants; 0: there is none
 * @managed_free_bytes: what of that no tenant's block takes
 * @clock_mhz: clock of the SMs now, which may be below @core_mhz. All cycles are cycles of
 *	@core_mhz in any case
 * @clock_count: entries of @clocks that are filled in; 0: the clock is fixed
 * @power_mw: mean power of the device since the epoch began, in milliwatts; 0: not known
 * @power_cap_mw: what the device may take, in milliwatts; 0: any
 * @clocks: clocks that the SMs can have, the lowest first
 * @link_in_mb_per_s: rate of the link from the host, in million bytes a second
 * @link_out_mb_per_s: the same to the host
 * @epoch: number of the present epoch, from 0
 * @cycle: device cycle
 * @epoch_cycles: core cycles since the epoch began; with SIMGPU_ON_EPOCH its
 *	length
 * @epoch_length_cycles: the length that epochs are set to
 * @memory_clocks: memory clocks in @epoch_cycles; a tenant's bandwidth is
 *	bus_busy_clocks / (channels * memory_clocks)
 * @model_params: values of the model's parameters, in the order of its table
 * @policy_params: values of the policy's parameters, in the order of its table
 * @dram: timings and geometry
 * @tenants: by slot
 * @shared: with SIMGPU_NEEDS_SHARED_ROWS, tenants on shared SMs, by SM, then by
 *	slot
 * @profiles: with SIMGPU_NEEDS_PROFILES, profiles of kernels at the heads of queues, in
 *	the order of slots; then, as far as there is room, of what their launches have
 *	left and of the kernels behind them
 */
struct simgpu_snapshot {
	u32 version;
	u32 bytes;
	u32 events;
	u32 sms;
	u32 schedulers;
	u32 issue_lanes;
	u32 channels;
	u32 line_bytes;
	u32 peak_clocks_per_line;
	u32 llc_hit_cycles;
	u32 dram_cycles;
	u32 sm_threads;
	u32 sm_blocks;
	u32 sm_registers;
	u32 sm_shared_bytes;
	u32 tenants_active;
	u32 slot_count;
	u32 mirrors;
	u32 shared_rows;
	u32 profile_count;
	u32 llc_ways;
	u32 sms_per_tpc;
	u32 seed;
	u32 core_mhz;
	u32 memory_mhz;
	u32 llc_slices;
	u32 l1_sectors;
	u32 llc_sectors;
	u64 memory_bytes;
	u64 managed_bytes;
	u64 managed_free_bytes;
	u32 clock_mhz;
	u32 clock_count;
	u32 power_mw;
	u32 power_cap_mw;
	struct simgpu_clock clocks[SIMGPU_CLOCKS_MAX];
	u32 link_in_mb_per_s;
	u32 link_out_mb_per_s;
	u64 epoch;
	u64 cycle;
	u64 epoch_cycles;
	u64 epoch_length_cycles;
	u64 memory_clocks;
	u64 model_params[SIMGPU_PARAMS_MAX];
	u64 policy_params[SIMGPU_PARAMS_MAX];
	struct simgpu_snapshot_dram dram;
	struct simgpu_snapshot_tenant tenants[SIMGPU_SLOTS_MAX];
	struct simgpu_snapshot_shared shared[SIMGPU_SHARED_ROWS_MAX];
	struct simgpu_snapshot_profile profiles[SIMGPU_SLOTS_MAX];
};

/**
 * simgpu_each_slot() - for each row of tenants up to the last one that is filled in
 * @slot: a u32 variable, the row's index
 * @snapshot: of the device
 */
#define simgpu_each_slot(slot, snapshot) \
	simgpu_each_below(slot, (snapshot)->slot_count, SIMGPU_SLOTS_MAX)

/*
 * The layout is the same in all builds, 32-bit ones among them: no padding, and a
 * multiple of 8 bytes.
 */
static_assert(sizeof(struct simgpu_curve) == 80, "no padding");
static_assert(sizeof(struct simgpu_snapshot_kernel) == 56, "no padding");
static_assert(sizeof(struct simgpu_snapshot_latency) == 56, "no padding");
static_assert(sizeof(struct simgpu_snapshot_queue) == 248, "no padding");
static_assert(sizeof(struct simgpu_snapshot_tenant) ==
	      2496 + 2 * sizeof(struct simgpu_counters), "no padding");
static_assert(sizeof(struct simgpu_snapshot_shared) == 48, "no padding");
static_assert(sizeof(struct simgpu_snapshot_dram) == 48, "no padding");
static_assert(sizeof(struct simgpu_snapshot_profile) == 4096, "no padding");
static_assert(sizeof(struct simgpu_snapshot) == 311928 +
	      SIMGPU_SLOTS_MAX * sizeof(struct simgpu_snapshot_tenant), "no padding");

#endif /* SIMGPU_SNAPSHOT_H */

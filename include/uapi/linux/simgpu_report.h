/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What simgpu reports about a tenant: figures, queues, goal and quotas, and how a
 * call asks for counters. linux/simgpu_counters.h has the numbers of counters.
 * linux/simgpu.h has the calls, and its rules hold here.
 */
#ifndef _UAPI_LINUX_SIMGPU_REPORT_H
#define _UAPI_LINUX_SIMGPU_REPORT_H

#include <linux/types.h>

/*
 * Queues of a tenant. Each queue runs its launches in order, the queues run at once;
 * 16 launches of each queue may be under way.
 */
#define SIMGPU_TENANT_QUEUES_MAX	8
/* Words of a set of SMs, and of what follows of the same set at the report's end. */
#define SIMGPU_SM_WORDS		2
#define SIMGPU_SM_MORE_WORDS	6

/**
 * struct simgpu_counter_array - where a call writes a tenant's counters
 * @count: in: words that there is room for, up to SIMGPU_COUNTERS_ROOM_MAX; 0: the call
 *	only returns @count. out: words that the kernel has, whatever the room
 * @stride: in: bytes from one word to the next, 8 to 4096, a multiple of 8; the
 *	call does not change the bytes between
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

/* Most words that a caller may give room for. */
#define SIMGPU_COUNTERS_ROOM_MAX	1024
#define SIMGPU_COUNTERS_STRIDE_MAX	4096

/**
 * enum simgpu_queue_state - state of the first launch of a queue
 * @SIMGPU_QUEUE_EMPTY: the queue has no launch
 * @SIMGPU_QUEUE_WAITING: the launch waits for its cycle, for a launch of another queue,
 *	or for memory that other tenants' footprints take
 * @SIMGPU_QUEUE_READY: its kernel could start, and waits for the policy
 * @SIMGPU_QUEUE_RUNNING: its kernel is on the device
 */
enum simgpu_queue_state {
	SIMGPU_QUEUE_EMPTY = 0,
	SIMGPU_QUEUE_WAITING = 1,
	SIMGPU_QUEUE_READY = 2,
	SIMGPU_QUEUE_RUNNING = 3
};

/**
 * struct simgpu_queue_report - a queue of a tenant
 * @state: &enum simgpu_queue_state
 * @priority: see &struct simgpu_queue
 * @waiting: launches behind the first one
 * @kernel: index in its trace of the kernel that the first launch has come to, from 0
 */
struct simgpu_queue_report {
	__u32 state;
	__s32 priority;
	__u32 waiting;
	__u32 kernel;
};

/**
 * struct simgpu_tenant_report - a tenant's own figures
 * @thread_instructions: thread instructions of its first run, or so far if that has not
 *	ended
 * @cycles: device cycles of that run
 * @ipc_ppm: thread instructions a cycle
 * @rbh_ppm: row buffer hit rate, 1 - activates / requests
 * @bandwidth_ppm: part of the device's peak bandwidth
 * @llc_mpki_ppm: LLC misses per 1000 thread instructions
 * @np_run_ppm: predicted NP of that run, epochs weighted by their cycles
 * @np_ppm: predicted NP of the last finished epoch
 * @class: &enum simgpu_class of the last finished epoch
 * @sms: SM count now, with shared SMs on which it may place thread blocks
 * @flags: SIMGPU_REPORT_*
 * @shared_sms: how many of @sms are shared
 * @launches: launches that have run to their end since it took its slot; of a trace with
 *	marks (SIMGPU_TRACE_COMMAND_MARK), these in their place. The next fields,
 *	up to @run_mean_ns, are about these, and 0 while there is none. A launch waits
 *	from its arrival (@not_before_cycle of &struct simgpu_launch, or when it was
 *	made if that is later) to its first kernel's start, and then runs
 * @launches_waiting: launches behind those at the heads of queues; SIMGPU_WAITING_MAX:
 *	as many, or more
 * @deadline_misses: launches that ended after their deadline
 * @goodput_ppm: the other launches, for each second of device time from the arrival of the
 *	first launch to the end of the last one
 * @latency_p50_ns: median of the device time from arrival to end; percentiles are exact
 *	to 1.6%
 * @latency_p95_ns: its 95th percentile
 * @latency_p99_ns: its 99th percentile
 * @wait_p50_ns: median of the time that launches waited
 * @wait_p95_ns: its 95th percentile
 * @wait_p99_ns: its 99th percentile
 * @wait_mean_ns: mean of the time that launches waited
 * @run_mean_ns: mean of the time that launches ran
 * @queue_count: queues up to the last one that it has used, 1 and up
 * @reserved: zero
 * @queue: its queues; entries from @queue_count on are zero
 * @goal_ipc_ppm: thread instructions a cycle that it is to reach now, or was to when
 *	it last had work, at most the device's peak; 0: it has no goal
 * @goal_cycles: device cycles with work since its goal was set
 * @goal_instructions: thread instructions that it has issued in these cycles
 * @goal_promised: thread instructions that its goal asked for in these cycles
 * @quota: thread instructions on all shared SMs that a policy allowed it when it
 *	last set quotas; 0: any number
 * @quota_used_ppm: thread instructions issued, over the sum of all quotas so far; above 1
 *	where quotas were refilled
 * @blocks_per_sm_ppm: mean number of thread blocks on a shared SM that it may use, when
 *	quotas were last set
 * @idle_blocks_ppm: warps on an SM that could have issued and did not, in thread blocks'
 *	worth: the mean of all samples; 0 without samples
 * @own_sms: SMs that are its alone, a bit each: SM n is bit n % 64 of word n / 64; those
 *	from 128 on are in @own_sms_more
 * @sharing_sms: shared SMs on which it may place thread blocks, a bit each as @own_sms
 * @blocks: thread blocks that it has on SMs
 * @quota_left: thread instructions that are left of its quotas on shared SMs, with
 *	SIMGPU_REPORT_QUOTA; below 0 where it issued more than they allow
 * @energy_pj: energy of its events since it took its slot in picojoules, with
 *	SIMGPU_REPORT_ENERGY
 * @mask_sms: SMs that it keeps to (SIMGPU_IOC_MASKS), a bit each as @own_sms; none: any
 * @mask_channels: memory channels that it keeps to, a bit each; 0: any
 * @mask_llc_ways: ways of the last-level cache that it keeps to, a bit each; 0: any
 * @np_doubts: SIMGPU_DOUBT_*: why @np_ppm may be wrong; 0: the model holds
 * @np_run_doubts: SIMGPU_DOUBT_* of any epoch that @np_run_ppm is made of
 * @own_sms_more: @own_sms from SM 128 on: SM n is bit n % 64 of word n / 64 - 2
 * @sharing_sms_more: @sharing_sms from SM 128 on
 * @mask_sms_more: @mask_sms from SM 128 on
 * @managed_bytes: bytes of its memory that are managed
 * @resident_bytes: bytes of them that are on the device, or on their way
 * @page_faults: faults of its managed memory that were taken since it took its slot
 * @paged_in_bytes: bytes of pages that came to the device since then
 * @paged_out_bytes: bytes of written pages that left it since then
 * @leapt_error_ppm: in sampled time, by how much what it has done since it began to work may
 *	be off, as a part of that: two standard errors; 0 where nothing was leapt over
 * @launches_leapt: how many of @launches were leapt over: their latencies are estimates
 * @latency_mean_low_ns: lower end of the 95% interval of the mean latency; 0, as the next
 *	three, while @launches_leapt is 0
 * @latency_mean_high_ns: its upper end
 * @latency_p99_low_ns: lower end of the 95% interval of the 99th percentile; 0 with fewer
 *	launches than a percentile needs
 * @latency_p99_high_ns: its upper end
 * @timeouts: kernels and copies of it that have timed out since it took its slot
 * @faults: kernels of it that used an illegal address, or met an error of the device's memory
 * @kills: launches of it that were killed for that
 * @resets: resets of SMs or the device that took thread blocks or kernels from it
 * @launches_repeated: launches of it that began again, in part or as a whole, after resets for
 *	which others were guilty
 * @launches_canceled: launches of it that such resets ended, or the loss of the device
 * @strikes: guilty launches that count against it; at three it is banned: further launches
 *	end with -EIO until it loses its slot
 * @preempt_mean_ns: mean device time from the decision that gave it an SM on which others had
 *	thread blocks until the last of these had left; 0: it has never waited so
 * @preempt_p99_ns: its 99th percentile, exact to 1.6%
 * @first_tokens: first tokens of requests, by marks of traces (SIMGPU_TRACE_MARK_FIRST_TOKEN);
 *	the next three are 0 while there is none
 * @ttft_mean_ns: mean of the device time from a request's arrival to its first token
 * @ttft_p50_ns: its median; percentiles are exact to 1.6%
 * @ttft_p99_ns: its 99th percentile
 * @tokens: further tokens (SIMGPU_TRACE_MARK_TOKEN); the next three are 0 while there is none
 * @tbt_mean_ns: mean of the device time between a token and the one before it
 * @tbt_p50_ns: its median
 * @tbt_p99_ns: its 99th percentile
 * @batch_mean_ppm: of a service that batches requests (@batching of &struct simgpu_arrivals):
 *	requests of a decode in the mean, in millionths; 0: there was none
 * @copies: copies and sets of memory of its launches (SIMGPU_TRACE_COMMAND_COPY_IN to _SET) that
 *	have ended since it took its slot
 * @copies_waiting: copies that its queues have come to, and of which no piece has had its turn
 * @copies_running: copies of which a piece has had its turn, and that have not ended
 * @copy_bytes: bytes of @copies
 * @copy_bytes_left: bytes of @copies_waiting and @copies_running that are left to send
 * @copy_wait_mean_ns: mean device time from when its queue came to a copy until the link, or the
 *	device's memory, was free for the copy's first piece, of @copies
 * @copy_wait_p99_ns: its 99th percentile, exact to 1.6%
 */
struct simgpu_tenant_report {
	__u64 thread_instructions;
	__u64 cycles;
	__u64 ipc_ppm;
	__u64 rbh_ppm;
	__u64 bandwidth_ppm;
	__u64 llc_mpki_ppm;
	__u64 np_run_ppm;
	__u64 np_ppm;
	__u32 class;
	__u32 sms;
	__u32 flags;
	__u32 shared_sms;
	__u64 launches;
	__u64 launches_waiting;
	__u64 deadline_misses;
	__u64 goodput_ppm;
	__u64 latency_p50_ns;
	__u64 latency_p95_ns;
	__u64 latency_p99_ns;
	__u64 wait_p50_ns;
	__u64 wait_p95_ns;
	__u64 wait_p99_ns;
	__u64 wait_mean_ns;
	__u64 run_mean_ns;
	__u32 queue_count;
	__u32 reserved;
	struct simgpu_queue_report queue[SIMGPU_TENANT_QUEUES_MAX];
	__u64 goal_ipc_ppm;
	__u64 goal_cycles;
	__u64 goal_instructions;
	__u64 goal_promised;
	__u64 quota;
	__u64 quota_used_ppm;
	__u64 blocks_per_sm_ppm;
	__u64 idle_blocks_ppm;
	__u64 own_sms[SIMGPU_SM_WORDS];
	__u64 sharing_sms[SIMGPU_SM_WORDS];
	__u64 blocks;
	__s64 quota_left;
	__u64 energy_pj;
	__u64 mask_sms[SIMGPU_SM_WORDS];
	__u64 mask_channels;
	__u64 mask_llc_ways;
	__u32 np_doubts;
	__u32 np_run_doubts;
	__u64 own_sms_more[SIMGPU_SM_MORE_WORDS];
	__u64 sharing_sms_more[SIMGPU_SM_MORE_WORDS];
	__u64 mask_sms_more[SIMGPU_SM_MORE_WORDS];
	__u64 managed_bytes;
	__u64 resident_bytes;
	__u64 page_faults;
	__u64 paged_in_bytes;
	__u64 paged_out_bytes;
	__u64 leapt_error_ppm;
	__u64 launches_leapt;
	__u64 latency_mean_low_ns;
	__u64 latency_mean_high_ns;
	__u64 latency_p99_low_ns;
	__u64 latency_p99_high_ns;
	__u64 timeouts;
	__u64 faults;
	__u64 kills;
	__u64 resets;
	__u64 launches_repeated;
	__u64 launches_canceled;
	__u64 strikes;
	__u64 preempt_mean_ns;
	__u64 preempt_p99_ns;
	__u64 first_tokens;
	__u64 ttft_mean_ns;
	__u64 ttft_p50_ns;
	__u64 ttft_p99_ns;
	__u64 tokens;
	__u64 tbt_mean_ns;
	__u64 tbt_p50_ns;
	__u64 tbt_p99_ns;
	__u64 batch_mean_ppm;
	__u64 copies;
	__u64 copies_waiting;
	__u64 copies_running;
	__u64 copy_bytes;
	__u64 copy_bytes_left;
	__u64 copy_wait_mean_ns;
	__u64 copy_wait_p99_ns;
};

/* The tenant had SMs that it shared with others, which the model does not see. */
#define SIMGPU_DOUBT_SHARED_SMS		(1U << 0)
/* The policy held all of its work for a time. */
#define SIMGPU_DOUBT_HELD		(1U << 1)
/*
 * The model takes the tenant for compute-bound, but its SMs wait for memory that others use more
 * than it does, for a fifth of their cycles or longer.
 */
#define SIMGPU_DOUBT_MEMORY_WAITS	(1U << 2)
/* The tenant issued nothing in the last epoch: the NP is that of an earlier one. */
#define SIMGPU_DOUBT_OLD		(1U << 3)

/* In @launches_waiting: as many, or more. */
#define SIMGPU_WAITING_MAX		256

/* The tenant has work. */
#define SIMGPU_REPORT_ACTIVE		(1U << 0)
/* The tenant's first run has ended, and the figures are of that run. */
#define SIMGPU_REPORT_FIRST_RUN_DONE	(1U << 1)
/* The policy holds the tenant: its kernels do not start. */
#define SIMGPU_REPORT_HELD		(1U << 2)
/* The next launch waits until the footprints of other tenants leave it room. */
#define SIMGPU_REPORT_WAITS_FOR_MEMORY	(1U << 3)
/* @goal_instructions are at least @goal_promised, and there were cycles. */
#define SIMGPU_REPORT_GOAL_MET		(1U << 4)
/* A quota bounds the tenant on some shared SM. */
#define SIMGPU_REPORT_QUOTA		(1U << 5)
/* The GPU has a table of energies. */
#define SIMGPU_REPORT_ENERGY		(1U << 6)
/* The tenant has work, the policy does not hold it, and others have all SMs. */
#define SIMGPU_REPORT_WAITS_FOR_SMS	(1U << 7)
/* The tenant is banned, see @strikes. */
#define SIMGPU_REPORT_BANNED		(1U << 8)

#endif /* _UAPI_LINUX_SIMGPU_REPORT_H */

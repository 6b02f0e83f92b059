/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * simgpu: a simulated GPU with processes as tenants. The ioctl interface.
 *
 * An open file of /dev/simgpuN is a tenant. When its last reference goes (a
 * file may be shared by fork, dup or SCM_RIGHTS), its work ends and everything
 * that it held is freed.
 *
 * Rules of evolution: each argument struct begins with its size. For a caller
 * with a shorter struct the missing fields count as zero; a caller with a
 * longer struct is served if the fields that the kernel does not know are
 * zero (else E2BIG). Unknown flags and non-zero padding are refused with
 * EINVAL. The layout is the same for 32- and 64-bit callers. Arrays cross as
 * count, stride and address, so that the caller's elements may be fewer or more,
 * shorter or longer than the kernel's. Counters are words with numbers that
 * never change; a record, a message and the live page say how many they hold.
 * Errors that any call may return:
 *   ENOTTY  no such ioctl
 *   EFAULT  a pointer cannot be read or written
 *   EINVAL  a size, flag, padding or value is out of its range
 *   E2BIG   a known limit of a struct or of the trace format is exceeded
 *   ENODEV  the device is going away
 *   EINTR   the caller was killed while it waited
 *   ENOMEM  no memory, or the caller's memory cgroup is full
 * Errors of a single call stand beside it.
 *
 * Ratios are in parts per million (_ppm), times in core cycles of the device
 * (_cycles) or in nanoseconds (_ns), sizes in bytes.
 */
#ifndef _UAPI_LINUX_SIMGPU_H
#define _UAPI_LINUX_SIMGPU_H

#include <linux/ioctl.h>
#include <linux/simgpu_counters.h>
#include <linux/simgpu_report.h>
#include <linux/types.h>

#define SIMGPU_NAME_MAX		32
#define SIMGPU_TENANTS_MAX	64
/*
 * Bytes that a tenant may make the kernel hold: its traces (encoded and
 * decoded), and the records of gangs that it made whose files are open. The files
 * of one user together, and those of all users of a device, have limits of their
 * own (user_mib, device_mib).
 */
#define SIMGPU_TENANT_BYTES_MAX	(512ULL << 20)
/* Traces that a tenant may keep uploaded. */
#define SIMGPU_TENANT_TRACES_MAX 64
/* How many cycles ahead a launch may name its start. */
#define SIMGPU_LAUNCH_AHEAD_MAX	100000000ULL
/* Launches of other queues that a launch may wait for. */
#define SIMGPU_LAUNCH_WAITS_MAX	4
/*
 * Words of a mask of SMs: bit i % 64 of word i / 64 is SM i. Those from 256 on are in more
 * words at the end of the struct.
 */
#define SIMGPU_MASK_WORDS	4
#define SIMGPU_MASK_MORE_WORDS	4
/* Different masks of SMs that a tenant's launches may have at a time. */
#define SIMGPU_LAUNCH_MASKS_MAX	8
/* Priorities of queues are -SIMGPU_PRIORITY_MAX to SIMGPU_PRIORITY_MAX. */
#define SIMGPU_PRIORITY_MAX	3
/* Ranges of managed memory that a tenant may have asked for and that wait. */
#define SIMGPU_PREFETCHES_MAX	16
/* Epoch records that a gang keeps for its reader. */
#define SIMGPU_GANG_RECORDS_MAX	65536

enum simgpu_service {
	SIMGPU_SERVICE_BEST_EFFORT = 0,
	SIMGPU_SERVICE_QOS = 1
};

enum simgpu_class {
	SIMGPU_CLASSIFIED_UNKNOWN = 0,
	SIMGPU_CLASSIFIED_COMPUTE = 1,
	SIMGPU_CLASSIFIED_MEMORY = 2
};

/**
 * enum simgpu_kernel_end - what a kernel's end does to the SMs
 * @SIMGPU_KERNEL_END_CARRY: nothing
 * @SIMGPU_KERNEL_END_EVEN: an even split, until a policy says otherwise
 * @SIMGPU_KERNEL_END_CHANGED: an even split if the tenant's next kernel is not
 *	the one that has ended; else nothing
 */
enum simgpu_kernel_end {
	SIMGPU_KERNEL_END_CARRY = 0,
	SIMGPU_KERNEL_END_EVEN = 1,
	SIMGPU_KERNEL_END_CHANGED = 2
};

/*
 * How thread blocks leave an SM that changes hands: they run to their end, or
 * their contexts are saved in memory, or the driver chooses for each SM, by
 * how many of them ended there in the last epoch (HSM 4.2).
 */
enum simgpu_preemption {
	SIMGPU_PREEMPTION_DRAIN = 0,
	SIMGPU_PREEMPTION_SWITCH = 1,
	SIMGPU_PREEMPTION_ADAPTIVE = 2
};

/**
 * struct simgpu_device_info - SIMGPU_IOC_DEVICE_INFO
 * @size: in: sizeof(struct simgpu_device_info)
 * @sms: SMs of the device
 * @schedulers_per_sm: warp schedulers of an SM; each issues a warp
 *	instruction of up to 32 lanes a cycle
 * @core_mhz: core clock
 * @memory_mhz: memory clock
 * @channels: memory channels
 * @config: name of its configuration, NUL-terminated
 * @epoch_cycles: present length of an epoch
 * @cycle: device time at the last quantum
 * @tenants_max: SIMGPU_TENANTS_MAX
 * @reserved: zero
 */
struct simgpu_device_info {
	__u32 size;
	__u32 sms;
	__u32 schedulers_per_sm;
	__u32 core_mhz;
	__u32 memory_mhz;
	__u32 channels;
	char config[SIMGPU_NAME_MAX];
	__u64 epoch_cycles;
	__u64 cycle;
	__u32 tenants_max;
	__u32 reserved;
};

/**
 * enum simgpu_goal_kind - the unit of a tenant's goal
 * @SIMGPU_GOAL_NONE: the tenant has no goal
 * @SIMGPU_GOAL_IPC: thread instructions a cycle, in parts per million, at most the
 *	peak of all SMs
 * @SIMGPU_GOAL_KERNEL_TIME: nanoseconds of device time that a kernel may take
 * @SIMGPU_GOAL_RATE: kernels a second of device time, in parts per million
 *
 * Time and rate become instructions a cycle by the thread instructions of the present
 * kernel, at most the peak.
 */
enum simgpu_goal_kind {
	SIMGPU_GOAL_NONE = 0,
	SIMGPU_GOAL_IPC = 1,
	SIMGPU_GOAL_KERNEL_TIME = 2,
	SIMGPU_GOAL_RATE = 3,
};

/**
 * struct simgpu_tenant_config - SIMGPU_IOC_TENANT_CONFIG
 * @size: in: sizeof(struct simgpu_tenant_config)
 * @service: &enum simgpu_service
 * @weight: 1 to 1000
 * @reserved: zero
 * @target_ppm: NP that a QoS tenant is to reach, 1 to 1000000; 0 for best effort, and
 *	if the tenant has a goal
 * @name: for people: printable ASCII, NUL-terminated, not empty
 * @goal_kind: &enum simgpu_goal_kind; SIMGPU_GOAL_NONE for best effort. A new goal takes
 *	effect at the next decision or epoch's end, and counts from there
 * @share_ppm: part of the SMs that the tenant asks for, 1 to 1000000, for policies with
 *	such shares (mps-share); 0: it asks for none
 * @goal: in the unit of @goal_kind, above 0; 0 without a goal
 * @memory_min: bytes of device memory for managed pages of the tenant that others take
 *	nothing of; rounded up to 2 MiB
 * @memory_low: the same, while another tenant has more than its own @memory_low
 * @memory_max: bytes of it at which the tenant gives up memory of its own for what it needs,
 *	not below @memory_min; rounded down to 2 MiB, but not to 0. 0: no limit
 * @p99_cycles: core cycles, at most 10^9, that 99 of 100 of its launches are to take from
 *	arrival to end, for policies that look at latencies; 0: it asks for nothing
 *
 * Errors: EINVAL a value is out of range. EPERM without CAP_SYS_NICE, for a value
 * above what the tenant has now: a weight above the device's weight_limit, a target
 * above its target_limit, a goal for a greater part of the device's peak than
 * target_limit, or a limit of memory, of which no @memory_max is the highest. A goal in
 * time or a rate may ask for the whole peak, so it is refused if target_limit is below 1,
 * as is a @p99_cycles where there was none, or a greater one.
 */
struct simgpu_tenant_config {
	__u32 size;
	__u32 service;
	__u32 weight;
	__u32 reserved;
	__u64 target_ppm;
	char name[SIMGPU_NAME_MAX];
	__u32 goal_kind;
	__u32 share_ppm;
	__u64 goal;
	__u64 memory_min;
	__u64 memory_low;
	__u64 memory_max;
	__u64 p99_cycles;
};

/**
 * struct simgpu_trace_refusal - why a trace was refused
 * @offset: bytes from the start of the trace to the field
 * @field: name of the field, NUL-terminated, such as "kernels[2].grid"
 * @reason: a few words, NUL-terminated
 */
struct simgpu_trace_refusal {
	__u64 offset;
	char field[64];
	char reason[64];
};

/**
 * struct simgpu_trace_upload - SIMGPU_IOC_TRACE_UPLOAD
 * @size: in: sizeof(struct simgpu_trace_upload)
 * @handle: out: names the trace in later calls of this file, 1 and up
 * @data: in: user pointer to the trace (&struct simgpu_trace_header)
 * @bytes: in: its size
 * @refusal: in: user pointer to a &struct simgpu_trace_refusal that is filled
 *	in if the trace is refused, or 0
 *
 * The trace is copied and checked to its last field before anything is kept.
 * Errors: EINVAL malformed; E2BIG beyond a limit of the format; ENOSPC beyond
 * SIMGPU_TENANT_BYTES_MAX or SIMGPU_TENANT_TRACES_MAX; EDQUOT beyond the module's
 * user_mib; ENOBUFS beyond the device's device_mib.
 */
struct simgpu_trace_upload {
	__u32 size;
	__u32 handle;
	__u64 data;
	__u64 bytes;
	__u64 refusal;
};

/**
 * struct simgpu_trace_remove - SIMGPU_IOC_TRACE_REMOVE
 * @size: in: sizeof(struct simgpu_trace_remove)
 * @handle: in: from the upload; launches of it still run to their end
 *
 * Errors: ENOENT no such trace.
 */
struct simgpu_trace_remove {
	__u32 size;
	__u32 handle;
};

/**
 * struct simgpu_launch - SIMGPU_IOC_LAUNCH
 * @size: in: sizeof(struct simgpu_launch)
 * @handle: in: from the upload
 * @repeats: in: how often the trace runs, 1 and up
 * @not_before_cycle: in: device cycle before which the launch does not start, at most
 *	SIMGPU_LAUNCH_AHEAD_MAX ahead of device time (else ERANGE)
 * @sequence: out: number of the launch, 1 and up, for all queues of the tenant
 * @flags: in: SIMGPU_LAUNCH_*
 * @eventfd: in: with SIMGPU_LAUNCH_EVENTFD, an eventfd to which 1 is added once the
 *	launch has ended or was dropped; else zero
 * @deadline_cycle: in: device cycle by which the launch should have ended, not before
 *	@not_before_cycle and not in the past (else EINVAL); 0: none. Missed deadlines
 *	are only counted, in &struct simgpu_tenant_report
 * @queue: in: below SIMGPU_TENANT_QUEUES_MAX: launches of a queue run in order, those of
 *	several queues at once. A launch of a trace with commands takes the queues behind it,
 *	too, that these name, from its beginning to its end; each has to be below
 *	SIMGPU_TENANT_QUEUES_MAX
 * @reserved: zero
 * @wait_for: in: numbers of earlier launches in other queues of the tenant, which have
 *	to end before this one starts; 0: none
 * @sm_mask: in: with SIMGPU_LAUNCH_MASKED, SMs on which thread blocks of its kernels
 *	begin, at least one of them in the tenant's own mask (SIMGPU_IOC_MASKS), which it
 *	narrows; else zero. It stays the same while the launch waits and runs
 * @sm_mask_more: in: @sm_mask from SM 256 on
 *
 * Kernels of several queues share the tenant's SMs as the device's policy and the
 * queues' priorities (SIMGPU_IOC_QUEUE) say. A launch that arrives in a running
 * device starts at the next quantum of the simulation: only a gang is repeatable
 * to the bit.
 *
 * A tenant's first launch outside a gang takes one of the device's slots, unless it
 * fails. While other tenants have all slots, the call waits, in the order of calls,
 * until one of these tenants has no launches left. That tenant loses its slot, and
 * takes one again with its next launch. While other tenants wait, a tenant keeps its
 * slot for at least ten epochs; after that its next launch waits, too. With O_NONBLOCK
 * the call returns EBUSY instead of waiting.
 *
 * Errors: ENOENT no such trace; EINVAL, too, for a queue that does not exist; for
 * waiting for an unknown launch, or one in the same queue (a launch may wait only for
 * earlier launches, so waits never form a cycle); and for a mask that is empty, has an
 * SM that the device does not have or only a part of a TPC, or has none of the tenant's
 * SMs. EAGAIN too many launches wait in its queue, or thousands have been made since
 * the oldest one under way, or launches under way have SIMGPU_LAUNCH_MASKS_MAX other
 * masks. EINTR a signal came while the call waited for a slot. EBUSY all slots are taken
 * and the file is O_NONBLOCK, or the tenant's cgroups have all slots that they may have,
 * or requests of SIMGPU_IOC_ARRIVALS still come, or a gang without this tenant holds the
 * device. EIO the tenant is banned, and has lost its slot since. EOPNOTSUPP the trace has
 * STEPs, which only SIMGPU_IOC_ARRIVALS runs. With
 * SIMGPU_LAUNCH_MANAGED, or a trace with MANAGED allocations, EOPNOTSUPP the device has
 * no memory for managed pages, or samples time; EBUSY launches have not ended to which
 * memory was on the device that would be managed; ENOSPC, EDQUOT and ENOBUFS as for
 * SIMGPU_IOC_TRACE_UPLOAD, for tables of the pages. Without either,
 * EINVAL some of the tenant's memory is managed, and the trace's footprint is larger
 * than that of all traces that have done that. With SIMGPU_LAUNCH_PREFETCH, ENXIO none of
 * the tenant's memory would be managed; ENOSPC SIMGPU_PREFETCHES_MAX ranges of it wait.
 * E2BIG a thread block does not fit on an
 * SM; ENOSPC what is not managed of the trace's footprint is larger than the device's
 * memory; ECANCELED the tenant's gang has stopped; EBADF or EINVAL @eventfd is not an
 * eventfd.
 */
struct simgpu_launch {
	__u32 size;
	__u32 handle;
	__u64 repeats;
	__u64 not_before_cycle;
	__u64 sequence;
	__u32 flags;
	__s32 eventfd;
	__u64 deadline_cycle;
	__u32 queue;
	__u32 reserved;
	__u64 wait_for[SIMGPU_LAUNCH_WAITS_MAX];
	__u64 sm_mask[SIMGPU_MASK_WORDS];
	__u64 sm_mask_more[SIMGPU_MASK_MORE_WORDS];
};

/* Signal @eventfd. */
#define SIMGPU_LAUNCH_EVENTFD	(1U << 0)
/*
 * More launches of the tenant follow: its gang does not start before a launch without
 * this flag. Outside a gang the flag has no effect.
 */
#define SIMGPU_LAUNCH_MORE	(1U << 1)
/* The policy may drop thread blocks of the launch; they run again from their beginning. */
#define SIMGPU_LAUNCH_IDEMPOTENT (1U << 2)
/* Use @sm_mask and @sm_mask_more. */
#define SIMGPU_LAUNCH_MASKED	(1U << 4)
/*
 * The tenant's memory is managed from now on, up to the footprint of the trace, or of an
 * earlier such launch if that is larger: pages come to the device when they are accessed,
 * and leave it for others (managed_mib). At first none is there. It holds for as long as the
 * tenant has its slot. Launches without the flag run in managed memory then, too. A trace
 * with MANAGED allocations (&struct simgpu_trace_allocation) makes these managed without the
 * flag.
 */
#define SIMGPU_LAUNCH_MANAGED	(1U << 5)
/*
 * With the launch, all managed memory of the trace's footprint is asked for, as
 * SIMGPU_IOC_MEM_PREFETCH does: in a gang that begins with this launch there is no other time
 * for it.
 */
#define SIMGPU_LAUNCH_PREFETCH	(1U << 6)

/**
 * enum simgpu_copy_kind - what a copy does
 * @SIMGPU_COPY_IN: it copies from the host to the device
 * @SIMGPU_COPY_OUT: it copies from the device to the host
 * @SIMGPU_COPY_ON_DEVICE: it copies on the device: what is read is written where it was
 * @SIMGPU_COPY_SET: it writes the same value everywhere
 *
 * As SIMGPU_TRACE_COMMAND_COPY_IN to SIMGPU_TRACE_COMMAND_SET of traces.
 */
enum simgpu_copy_kind {
	SIMGPU_COPY_IN = 1,
	SIMGPU_COPY_OUT = 2,
	SIMGPU_COPY_ON_DEVICE = 3,
	SIMGPU_COPY_SET = 4
};

/* What the offset of a copy is a multiple of. */
#define SIMGPU_COPY_ALIGN	4096

/**
 * struct simgpu_copy - SIMGPU_IOC_COPY
 * @size: in: sizeof(struct simgpu_copy)
 * @kind: in: &enum simgpu_copy_kind
 * @offset: in: first byte in the tenant's space, as its traces address it, a multiple of
 *	SIMGPU_COPY_ALIGN
 * @bytes: in: how many bytes, 1 and up; they end within the space of 8 GiB less 128 bytes
 * @sequence: out: number of the copy, 1 and up: launches and copies of the tenant have one
 *	count of numbers
 * @flags: in: SIMGPU_LAUNCH_EVENTFD, SIMGPU_LAUNCH_MORE
 * @eventfd: in: with SIMGPU_LAUNCH_EVENTFD, as in &struct simgpu_launch; else zero
 * @queue: in: below SIMGPU_TENANT_QUEUES_MAX
 * @reserved: zero
 * @wait_for: in: numbers of earlier launches or copies in other queues of the tenant, which
 *	have to end before this one begins; 0: none
 *
 * A copy goes through a queue as a launch does: in order with all others of the queue, beside
 * those of other queues. Its number is good where that of a launch is: for @wait_for of launches
 * and copies, SIMGPU_IOC_WAIT, eventfds and the records of read(). It does what a copy in a trace
 * does, and makes no memory: offsets are where the tenant's traces have their data. It is no
 * launch in the tenant's figures, but among those that wait behind others: it has no latency,
 * belongs to no first run, and a gang does not launch it again when it ends. What is told of
 * copies, of traces and by themselves, is @copies and what follows it in
 * &struct simgpu_tenant_report.
 *
 * The first launch or copy of a tenant takes a slot. Until a copy has ended, the kernel holds
 * some 800 bytes for it, which count for the tenant.
 *
 * Errors: those of SIMGPU_IOC_LAUNCH that do not speak of its trace, its flags or its mask;
 * E2BIG, too, the bytes end behind the space; EOPNOTSUPP memory of the tenant is managed;
 * ENOSPC the bytes end behind the device's memory; ENOSPC, EDQUOT and ENOBUFS as for
 * SIMGPU_IOC_TRACE_UPLOAD.
 */
struct simgpu_copy {
	__u32 size;
	__u32 kind;
	__u64 offset;
	__u64 bytes;
	__u64 sequence;
	__u32 flags;
	__s32 eventfd;
	__u32 queue;
	__u32 reserved;
	__u64 wait_for[SIMGPU_LAUNCH_WAITS_MAX];
};

/**
 * struct simgpu_queue - SIMGPU_IOC_QUEUE
 * @size: in: sizeof(struct simgpu_queue)
 * @queue: in: below SIMGPU_TENANT_QUEUES_MAX
 * @priority: in: priority of the queue from now on, -SIMGPU_PRIORITY_MAX to
 *	SIMGPU_PRIORITY_MAX, the highest; 0 until it is set
 * @reserved: zero
 * @timeout_cycles: in: core cycles after which a kernel of the queue has timed out, from then
 *	on, up to SIMGPU_TIMEOUT_CYCLES_MAX; 0: the device's timeout_cycles
 *
 * While a kernel has thread blocks that have not begun, no thread block begins in a queue
 * of the same tenant with a lower priority. Between tenants priorities count where the
 * policy orders thread blocks by rank, among tenants of the same rank. A priority holds
 * for as long as the file is open.
 * Errors: EINVAL a value is out of its range; EPERM without CAP_SYS_NICE, a priority
 * above 0 and above the queue's present one.
 */
struct simgpu_queue {
	__u32 size;
	__u32 queue;
	__s32 priority;
	__u32 reserved;
	__u64 timeout_cycles;
};

/**
 * struct simgpu_hint - SIMGPU_IOC_HINT
 * @size: in: sizeof(struct simgpu_hint)
 * @reserved: zero
 * @expected_cycle: in: device cycle at which the tenant expects to launch, at most
 *	100,000,000 cycles ahead; one that has passed means: at any moment. 0: it takes back
 *	what it said
 * @laxity_cycles: in: core cycles by which that launch may begin later than it comes, up to
 *	100,000,000; 0: at once, or it is not known. Zero without @expected_cycle
 *
 * The tenant says when its next launch comes, so that a policy that hears of hints
 * (SIMGPU_ON_HINT) may preempt others ahead. The last hint counts, until a launch of the
 * tenant begins. It promises nothing: no launch need follow, and a policy need not heed it.
 * Any process may call it for its own file.
 * Errors: EINVAL @reserved is not zero, or a laxity without a cycle; ERANGE a value is too
 * large; ENXIO the tenant has no slot: it has not launched yet, or others have taken its
 * place; ECANCELED its gang has ended; ENOBUFS there is no room in the journal.
 */
struct simgpu_hint {
	__u32 size;
	__u32 reserved;
	__u64 expected_cycle;
	__u64 laxity_cycles;
};

/**
 * struct simgpu_masks - SIMGPU_IOC_MASKS
 * @size: in: sizeof(struct simgpu_masks)
 * @flags: in: SIMGPU_MASK_*: which of the following masks are set; the others have to be
 *	zero here, and stay as they are
 * @sms: in: SMs on which thread blocks of its kernels begin, for kernels that start from
 *	then on
 * @channels: in: memory channels that have its lines. This takes effect at once, and all
 *	its lines in the last-level cache are lost
 * @llc_ways: in: ways of the last-level cache in which its lines are put, from then on
 * @sms_more: in: @sms from SM 256 on
 *
 * A tenant keeps to its masks, within what the device's policy gives it. A mask does not
 * count while it has nothing in common with that. Until a mask is set, a tenant may use
 * everything. Masks hold for as long as the file is open. On a gang's GPU that lacks a
 * part of a mask, the rest of it counts.
 * Errors: EINVAL a mask is empty, has a bit beyond the device, or only a part of a TPC's
 * SMs; EPERM without CAP_SYS_NICE, an SM, a channel or a way that the tenant's mask did
 * not have so far.
 */
struct simgpu_masks {
	__u32 size;
	__u32 flags;
	__u64 sms[SIMGPU_MASK_WORDS];
	__u64 channels;
	__u64 llc_ways;
	__u64 sms_more[SIMGPU_MASK_MORE_WORDS];
};

#define SIMGPU_MASK_SMS		(1U << 0)
#define SIMGPU_MASK_CHANNELS	(1U << 1)
#define SIMGPU_MASK_LLC_WAYS	(1U << 2)

/**
 * struct simgpu_mem_prefetch - SIMGPU_IOC_MEM_PREFETCH
 * @size: in: sizeof(struct simgpu_mem_prefetch)
 * @flags: in: 0
 * @offset: in: first byte of a range of the tenant's managed memory (SIMGPU_LAUNCH_MANAGED),
 *	as its traces address it, from 0 on
 * @bytes: in: length of the range, 1 and up
 *
 * The pages with these bytes are brought to the device before anything accesses them. The
 * call does not wait for them. They come behind the pages that accesses wait for, and in turn
 * with those that other tenants ask for, as fast as they can be copied. They may take the
 * place of other pages, as those that are accessed do, and other pages may take theirs; a page
 * that finds no place stays on the host, and so does one that the device's memory policy keeps
 * there. Pages that are on the device already stay. Nothing is copied while no tenant of the
 * device has a launch, since device time stands still then.
 * Errors: EINVAL, too, for bytes behind the tenant's managed memory; ENXIO none of its memory
 * is managed; ENOSPC SIMGPU_PREFETCHES_MAX ranges of it wait; ECANCELED its gang has stopped.
 */
struct simgpu_mem_prefetch {
	__u32 size;
	__u32 flags;
	__u64 offset;
	__u64 bytes;
};

/**
 * enum simgpu_mem_advice - what a tenant says of its managed memory
 * @SIMGPU_MEM_NORMAL: nothing: earlier advice is taken back
 * @SIMGPU_MEM_ON_DEVICE: it is to stay on the device: it is taken away only if nothing else can
 *	be
 * @SIMGPU_MEM_ON_HOST: it is to stay on the host: what is accessed from then on, and is not on
 *	the device, is not brought, but accessed over the link
 * @SIMGPU_MEM_FREE: what is in its pages is of no use any more: they are not copied to the
 *	host, and chunks that have no other pages are the first to be taken away. The advice
 *	given before stays
 */
enum simgpu_mem_advice {
	SIMGPU_MEM_NORMAL = 0,
	SIMGPU_MEM_ON_DEVICE = 1,
	SIMGPU_MEM_ON_HOST = 2,
	SIMGPU_MEM_FREE = 3
};

/**
 * struct simgpu_mem_advise - SIMGPU_IOC_MEM_ADVISE
 * @size: in: sizeof(struct simgpu_mem_advise)
 * @advice: in: &enum simgpu_mem_advice
 * @offset: in: first byte of a range of the tenant's managed memory (SIMGPU_LAUNCH_MANAGED),
 *	as its traces address it, from 0 on
 * @bytes: in: length of the range, 1 and up
 *
 * The device's memory policy sees the advice; unless it decides otherwise, it is followed.
 * Advice is kept by the block of 2 MiB: of blocks of which the range has a byte, SIMGPU_MEM_FREE
 * frees the pages that lie in the range as a whole. It counts from then on, for as long as the
 * tenant has its slot. Pages that are on the device stay there until they are taken away, and
 * those that are accessed on the host fault again once the advice to stay there is taken back.
 * A chunk that was freed is in use again when pages come to it.
 * Errors: EINVAL, too, for bytes behind the tenant's managed memory, or an unknown advice;
 * ENXIO none of its memory is managed; EPERM SIMGPU_MEM_ON_DEVICE without CAP_SYS_NICE, as
 * it is at the expense of others; ECANCELED its gang has stopped.
 */
struct simgpu_mem_advise {
	__u32 size;
	__u32 advice;
	__u64 offset;
	__u64 bytes;
};

/**
 * enum simgpu_arrivals_kind - when requests come
 * @SIMGPU_ARRIVALS_POISSON: independently of one another, at a mean rate
 * @SIMGPU_ARRIVALS_EVERY: at equal distances, the first one at once
 * @SIMGPU_ARRIVALS_LIST: at cycles that the caller lists
 */
enum simgpu_arrivals_kind {
	SIMGPU_ARRIVALS_POISSON = 0,
	SIMGPU_ARRIVALS_EVERY = 1,
	SIMGPU_ARRIVALS_LIST = 2
};

/* Most cycles of a list. */
#define SIMGPU_ARRIVALS_LIST_MAX	131072

/**
 * struct simgpu_arrivals - SIMGPU_IOC_ARRIVALS
 * @size: in: sizeof(struct simgpu_arrivals)
 * @handle: in: from the upload
 * @kind: in: &enum simgpu_arrivals_kind
 * @launches: in: how often the trace runs for each request, 1 to 1000
 * @requests: in: how many requests come, 1 to 4294967295; of a list, its length
 * @seed: in: POISSON: seed of the random numbers, beside the tenant's slot; else zero
 * @rate: in: POISSON: requests in 10^12 cycles, 1000 to 10^12; else zero
 * @every_cycles: in: EVERY: cycles from one request to the next, 1 to 10^9; else zero
 * @deadline_cycles: in: cycles from a request's arrival to its deadline, up to 10^9; 0:
 *	requests have no deadline
 * @list: in: LIST: user pointer to @requests __u64, each the arrival in cycles from now
 *	on, in rising order (equal ones allowed); up to SIMGPU_ARRIVALS_LIST_MAX (else
 *	E2BIG); else zero
 * @sequence: out: number of the last request, for SIMGPU_IOC_WAIT. The others have
 *	the numbers before it
 * @hint_cycles: in: cycles before its arrival in which each request is announced, as by
 *	SIMGPU_IOC_HINT, up to 10^9, but not before the request before it has ended; 0: none is
 * @batching: in: requests that run at once at most, up to SIMGPU_TRACE_BATCH_MAX; 0: each runs
 *	when those before it have ended. A trace with STEPs (SIMGPU_TRACE_COMMAND_STEP) needs
 *	it, with no more than its largest STEP decodes together, and @launches 1; other
 *	traces have none
 * @reserved: in: zero
 *
 * From now on (in a gang: from its cycle 0) requests of a tenant without launches come by
 * themselves, whether earlier requests have ended or not. Each request is a launch
 * with a completion of its own. Requests run in order, and any number may wait. In a gang
 * they are repeatable to the bit. With @batching a request that ends is told as ended once all
 * before it have; if one is killed, so are all that run, and those that wait to be told.
 * Errors: those of SIMGPU_IOC_LAUNCH; EBUSY, too, if launches have not ended; EOPNOTSUPP,
 * too, for a trace with MANAGED allocations that no launch has made managed, and for one with
 * STEPs without @batching or of a tenant with managed memory; for the
 * list, ENOSPC, EDQUOT and ENOBUFS as for SIMGPU_IOC_TRACE_UPLOAD.
 */
struct simgpu_arrivals {
	__u32 size;
	__u32 handle;
	__u32 kind;
	__u32 launches;
	__u64 requests;
	__u64 seed;
	__u64 rate;
	__u64 every_cycles;
	__u64 deadline_cycles;
	__u64 list;
	__u64 sequence;
	__u64 hint_cycles;
	__u32 batching;
	__u32 reserved;
};

/**
 * struct simgpu_completion - what read() of a tenant's file returns
 * @sequence: number of a launch that has ended
 * @status: 0; or a negative errno, which &enum simgpu_launch_status lists
 * @lost: how many earlier completions were dropped because the reader was too slow;
 *	at most 65535
 * @queue: queue of the launch
 *
 * There is one record for each launch that has ended. Of several records read() returns
 * the lowest number first; within a queue launches end in that order.
 * read() returns whole records, blocks until there is one (EAGAIN with
 * O_NONBLOCK; EINVAL for a buffer shorter than one), and returns 0 once the
 * device has gone and all were read. poll() reports POLLIN when there is a
 * record, and POLLHUP once the device has gone. Processes that share the file share
 * the records.
 */
struct simgpu_completion {
	__u64 sequence;
	__s32 status;
	__u16 lost;
	__u16 queue;
};

/**
 * enum simgpu_launch_status - how a launch has ended
 * @SIMGPU_LAUNCH_OK: it has run to its end, or the stop cycle was reached; status 0
 * @SIMGPU_LAUNCH_CANCELED: it was dropped, or it was the victim of a reset and may not run
 *	twice; -ECANCELED
 * @SIMGPU_LAUNCH_TIMED_OUT: a kernel or a copy of it took longer than its timeout; -ETIME.
 *	The launch is guilty
 * @SIMGPU_LAUNCH_BAD_ADDRESS: a kernel of it used an illegal address; -EFAULT. It is guilty
 * @SIMGPU_LAUNCH_MEMORY_ERROR: the device's memory failed under it, or its tenant is banned
 *	(see &struct simgpu_tenant_report.strikes); -EIO
 * @SIMGPU_LAUNCH_LOST: the device fell off the bus; -ENODEV
 *
 * Completions, SIMGPU_IOC_WAIT and events name the errno.
 */
enum simgpu_launch_status {
	SIMGPU_LAUNCH_OK = 0,
	SIMGPU_LAUNCH_CANCELED = 1,
	SIMGPU_LAUNCH_TIMED_OUT = 2,
	SIMGPU_LAUNCH_BAD_ADDRESS = 3,
	SIMGPU_LAUNCH_MEMORY_ERROR = 4,
	SIMGPU_LAUNCH_LOST = 5
};

/**
 * struct simgpu_wait - SIMGPU_IOC_WAIT
 * @size: in: sizeof(struct simgpu_wait)
 * @reserved: zero
 * @sequence: in: number of a launch
 * @timeout_ns: in: how long to wait; 0: do not wait; negative: for ever
 *
 * Returns 0 once the launch has run to its end or the gang's stop cycle was
 * reached. Errors: ENOENT no such launch, or thousands have ended since;
 * ETIMEDOUT; ECANCELED the launch was dropped (a member of the gang left before
 * its start, or the gang's file was closed), or a reset ended it; ETIME, EFAULT, EIO and
 * ENODEV as in &enum simgpu_launch_status; EINTR a signal came (with a
 * timeout), else the call is restarted.
 */
struct simgpu_wait {
	__u32 size;
	__u32 reserved;
	__u64 sequence;
	__s64 timeout_ns;
};

/**
 * struct simgpu_report - SIMGPU_IOC_REPORT
 * @size: in: sizeof(struct simgpu_report)
 * @slot: out: the tenant's slot; 0xffffffff: another tenant has it now, and the figures
 *	are the last ones from there
 * @counters: in, out: where the counters go; they count since the tenant took its slot
 * @report: out: the tenant's figures
 * @report: out: its figures
 *
 * Counters and figures are those of the last publication, like the live page. While the
 * device runs, they are at most some 10 ms old. Once a launch of the tenant has ended,
 * they include it.
 * Errors: ENODATA the tenant has had no slot yet.
 */
struct simgpu_report {
	__u32 size;
	__u32 slot;
	struct simgpu_counter_array counters;
	struct simgpu_tenant_report report;
};

/**
 * struct simgpu_param_value - a parameter of a policy or model, and its value
 * @name: name of its file in sysfs, NUL-terminated
 * @value: in the parameter's unit and range; ratios in parts per million
 */
struct simgpu_param_value {
	char name[SIMGPU_NAME_MAX];
	__u64 value;
};

/**
 * struct simgpu_param_array - parameters that a call is to set
 * @count: in: elements, up to SIMGPU_PARAM_VALUES_MAX (else E2BIG)
 * @stride: in: size of the caller's elements, a multiple of 8, at least that of
 *	the first version of &struct simgpu_param_value; bytes that the kernel does not
 *	know must be zero (else E2BIG). Not read if @count is 0
 * @array: in: user pointer to the first element; 0 if @count is 0
 */
struct simgpu_param_array {
	__u32 count;
	__u32 stride;
	__u64 array;
};

#define SIMGPU_PARAM_VALUES_MAX	64

/* Core cycles of a timeout, and of a recovery, at most. */
#define SIMGPU_TIMEOUT_CYCLES_MAX	1000000000000ULL
/* Limits of what a gang sets about clock and power: MHz, watts, core cycles */
#define SIMGPU_CLOCK_MAX	10000
#define SIMGPU_POWER_CAP_MAX	100000
#define SIMGPU_POWER_WINDOW_MAX	1000000000ULL

/**
 * enum simgpu_failure - what can fail
 * @SIMGPU_FAILURE_NONE: nothing
 * @SIMGPU_FAILURE_HANG: a kernel never ends: its warps issue instructions until it is killed
 * @SIMGPU_FAILURE_ADDRESS: a kernel uses an illegal address
 * @SIMGPU_FAILURE_MEMORY: an error of the device's memory that cannot be corrected
 * @SIMGPU_FAILURE_COPY: a copy of a trace with commands does not end
 * @SIMGPU_FAILURE_LOST: the device falls off the bus
 */
enum simgpu_failure {
	SIMGPU_FAILURE_NONE = 0,
	SIMGPU_FAILURE_HANG = 1,
	SIMGPU_FAILURE_ADDRESS = 2,
	SIMGPU_FAILURE_MEMORY = 3,
	SIMGPU_FAILURE_COPY = 4,
	SIMGPU_FAILURE_LOST = 5
};

/**
 * struct simgpu_injection - a failure that is to happen
 * @kind: &enum simgpu_failure; SIMGPU_FAILURE_NONE: all earlier ones are forgotten, and the
 *	other fields are zero
 * @slot: the tenant's slot, or SIMGPU_INJECT_ANY
 * @launch: the tenant's run of a trace in which it happens, from 1; runs count from when the
 *	tenant took its slot, in the order in which they begin, each repeat and each relaunch as
 *	one. 0: any
 * @after: so many runs of which @slot and @launch speak pass before
 * @times: it happens in so many runs at most; 0: any number
 * @after_cycles: core cycles from the begin of the run's first kernel (or copy) until it
 *	happens, up to SIMGPU_TIMEOUT_CYCLES_MAX. Nothing happens if the run has ended before
 * @probability_ppm: in parts per million, with which it happens in each of these runs, drawn
 *	from the seed; 0: in each
 * @survives: of a hang: &enum simgpu_survives; else 0
 */
struct simgpu_injection {
	__u32 kind;
	__u32 slot;
	__u64 launch;
	__u64 after;
	__u64 times;
	__u64 after_cycles;
	__u32 probability_ppm;
	__u32 survives;
};

/**
 * enum simgpu_survives - what does not end a kernel that hangs
 * @SIMGPU_SURVIVES_NOTHING: killing its launch ends it
 * @SIMGPU_SURVIVES_KILL: it takes a reset of its SMs
 * @SIMGPU_SURVIVES_SM_RESET: it takes a reset of the device
 */
enum simgpu_survives {
	SIMGPU_SURVIVES_NOTHING = 0,
	SIMGPU_SURVIVES_KILL = 1,
	SIMGPU_SURVIVES_SM_RESET = 2
};

/* In @slot of an injection: each tenant. */
#define SIMGPU_INJECT_ANY	0xffffffffU
/* Injections that a device has at most. */
#define SIMGPU_INJECTIONS_MAX	16

/**
 * struct simgpu_injection_array - failures that a call asks for
 * @count: in: elements, up to SIMGPU_INJECTIONS_MAX (else E2BIG)
 * @stride: in: size of the caller's elements, a multiple of 8, at least that of the first
 *	version of &struct simgpu_injection; bytes that the kernel does not know must be zero
 *	(else E2BIG). Not read if @count is 0
 * @array: in: user pointer to the first element; 0 if @count is 0
 */
struct simgpu_injection_array {
	__u32 count;
	__u32 stride;
	__u64 array;
};

/**
 * struct simgpu_gang_create - SIMGPU_IOC_GANG_CREATE
 * @size: in: sizeof(struct simgpu_gang_create)
 * @members: in: tenants that the gang waits for, 1 to SIMGPU_TENANTS_MAX
 * @seed: in: seed of all random numbers
 * @epoch_cycles: in: length of an epoch, 10000 to 50000000; 0: 500000
 * @stop_cycle: in: the cycle at which the device stops exactly; 0: when all launches
 *	have ended
 * @flags: in: SIMGPU_GANG_*
 * @kernel_end: in: &enum simgpu_kernel_end
 * @config: in: name of the configuration; empty: the device's own
 * @policy: in: name; empty: the device's own
 * @model: in: name; empty: the device's own
 * @fd: out: a file that stands for the gang (O_CLOEXEC)
 * @reserved: zero
 * @preemption: in: &enum simgpu_preemption
 * @reserved2: zero
 * @params: in: values of parameters of the policy, model and memory policy from the cold
 *	start on. A name stands for that parameter of each of them that has it. The
 *	last value of a name counts. Parameters that are not named have the device's
 *	values if its own policy or model is used, else their first values; those of the
 *	memory policy always have these
 * @constants: in: user pointer to the model's constants, header and payload; 0: the
 *	device's if its own model and configuration are used, else none
 * @hold_cycles: in: how long a tenant with work may go without progress before the
 *	policy even replaces the gang's policy, 10000 to 1000000000000; 0: the device's
 * @constants_bytes: in: bytes of @constants, up to 61440
 * @reserved3: zero
 * @decision_cycles: in: core cycles from a snapshot until the policy's proposal takes
 *	effect, beside the model's latency, up to 1000000000; until then the policy
 *	is not asked again. 0: at once
 * @counter_noise: in: percent by which each counter that model and policy see may
 *	be wrong, up to 100
 * @counter_delay: in: epochs by which these counters are old, up to 16
 * @sampled: in: device time leaps where what was measured of it is off by at most so many
 *	percent, up to 50; 0: all time is simulated
 * @reserved4: zero
 * @managed_mib: in: MiB of device memory for managed pages, an even number up to 131072;
 *	0: as the configuration says
 * @memory_policy: in: place of a built-in memory policy among those that the device's file
 *	memory_policies_available lists first, from 0, uvm; 0 with @memory_policy_name
 * @reserved5: zero
 * @memory_policy_name: in: name of the memory policy, NUL-terminated, the rest zeros; empty:
 *	the one of @memory_policy
 * @injections: in: failures that are to happen, from the cold start on
 * @timeout_cycles: in: core cycles after which a kernel or a copy has timed out, up to
 *	SIMGPU_TIMEOUT_CYCLES_MAX; 0: never. Queues may have others (&struct simgpu_queue)
 * @kill_cycles: in: core cycles that it takes to kill a launch, up to
 *	SIMGPU_TIMEOUT_CYCLES_MAX; 0: as docs/failures.md says, like the next two
 * @reset_sm_cycles: in: those of a reset of SMs
 * @reset_device_cycles: in: those of a reset of the device
 * @clock_limit: in: what the clock of the SMs may be at most, up to SIMGPU_CLOCK_MAX; 0: any
 * @power_cap: in: watts that the GPU may take in the mean of a window, up to
 *	SIMGPU_POWER_CAP_MAX; 0: any
 * @power_window: in: core cycles of such a window, up to SIMGPU_POWER_WINDOW_MAX; 0: as
 *	docs/power.md says
 *
 * The call resets the idle device cold. Policy, model and their parameters may be changed
 * during the run through sysfs; the journal records that. Closing the last
 * reference to the gang's file ends the work of its members. A gang that has
 * not started within the device's gang_wait_seconds is canceled.
 * Errors: EPERM the caller lacks CAP_SYS_NICE, which the device's gang_makers asks for;
 * EBUSY a tenant of another file has a slot, or another gang holds the device;
 * ENOENT no such configuration, policy, model or memory policy; EINVAL, too, for an unknown
 * parameter, a value out of its range, a clock or a power cap of a GPU without clocks to
 * choose from, and constants of another model, version
 * or configuration (the device's last_refusal says which); ENOSPC,
 * EDQUOT, ENOBUFS as for SIMGPU_IOC_TRACE_UPLOAD.
 */
struct simgpu_gang_create {
	__u32 size;
	__u32 members;
	__u64 seed;
	__u64 epoch_cycles;
	__u64 stop_cycle;
	__u32 flags;
	__u32 kernel_end;
	char config[SIMGPU_NAME_MAX];
	char policy[SIMGPU_NAME_MAX];
	char model[SIMGPU_NAME_MAX];
	__s32 fd;
	__u32 reserved;
	__u32 preemption;
	__u32 reserved2;
	struct simgpu_param_array params;
	__u64 constants;
	__u64 hold_cycles;
	__u32 constants_bytes;
	__u32 reserved3;
	__u64 decision_cycles;
	__u32 counter_noise;
	__u32 counter_delay;
	__u8 sampled;
	__u8 reserved4[7];
	__u32 managed_mib;
	__u8 memory_policy;
	__u8 reserved5[3];
	char memory_policy_name[SIMGPU_NAME_MAX];
	struct simgpu_injection_array injections;
	__u64 timeout_cycles;
	__u64 kill_cycles;
	__u64 reset_sm_cycles;
	__u64 reset_device_cycles;
	__u32 clock_limit;
	__u32 power_cap;
	__u64 power_window;
};

/* A trace that ends is launched again until the stop cycle. */
#define SIMGPU_GANG_RELAUNCH	(1U << 0)

/**
 * struct simgpu_gang_join - SIMGPU_IOC_GANG_JOIN, on a tenant's file
 * @size: in: sizeof(struct simgpu_gang_join)
 * @gang_fd: in: from SIMGPU_IOC_GANG_CREATE, of the same device
 * @slot: in: 0 to members - 1
 * @reserved: zero
 *
 * Errors: EBADF not a gang of this device; EBUSY the slot is taken, or the
 * tenant already has one; ECANCELED the gang has ended.
 */
struct simgpu_gang_join {
	__u32 size;
	__s32 gang_fd;
	__u32 slot;
	__u32 reserved;
};

enum simgpu_gang_state {
	SIMGPU_GANG_WAITING = 0,
	SIMGPU_GANG_RUNNING = 1,
	SIMGPU_GANG_DONE = 2,
	SIMGPU_GANG_CANCELED = 3
};

/**
 * struct simgpu_gang_status - SIMGPU_IOC_GANG_STATUS, on a gang's file
 * @size: in: sizeof(struct simgpu_gang_status)
 * @state: out: &enum simgpu_gang_state
 * @cycle: out: device time
 * @state_hash: out: state hash of the device once the gang has ended, to be
 *	compared with an offline run; 0 before
 * @records_lost: out: epoch records that were not read in time
 * @wall_ns: out: host time spent simulating
 * @leaps: out: leaps of sampled time
 * @leapt_cycles: out: device time in them, which was not simulated
 * @memory_chunks: out: chunks of 2 MiB that the device has for managed pages; 0: no tenant has
 *	had managed memory
 * @memory_chunks_used: out: those that hold pages
 * @memory_policy: out: name of the memory policy in force, NUL-terminated
 * @memory_refusal: out: why uvm has replaced another memory policy, NUL-terminated; empty: it
 *	has not. These are known once the gang has ended, as are the next ones
 * @power_flags: out: SIMGPU_POWER_*
 * @sm_mhz: out: clock of the SMs
 * @mean_sm_mhz: out: its mean since the cold start, by time
 * @reserved: out: zero
 * @clock_changes: out: how often it has changed
 * @mean_power_uw: out: mean power since the cold start, in microwatts; 0: the GPU's energies
 *	are not known
 * @static_saved_pj: out: static energy that lower clocks have saved, in picojoules
 */
struct simgpu_gang_status {
	__u32 size;
	__u32 state;
	__u64 cycle;
	__u64 state_hash;
	__u64 records_lost;
	__u64 wall_ns;
	__u64 leaps;
	__u64 leapt_cycles;
	__u32 memory_chunks;
	__u32 memory_chunks_used;
	char memory_policy[SIMGPU_NAME_MAX];
	char memory_refusal[128];
	__u32 power_flags;
	__u32 sm_mhz;
	__u32 mean_sm_mhz;
	__u32 reserved;
	__u64 clock_changes;
	__u64 mean_power_uw;
	__u64 static_saved_pj;
};

/* A clock or a power cap was set, or the clock has changed. */
#define SIMGPU_POWER_USED	(1U << 0)

/**
 * struct simgpu_gang_report - SIMGPU_IOC_GANG_REPORT, on a gang's file
 * @size: in: sizeof(struct simgpu_gang_report)
 * @slot: in: the member's slot
 * @counters: in, out: where the counters go; they count since the member took its slot
 * @report: out: as in &struct simgpu_report; of a member that left, its last figures
 *
 * Errors: ENODATA no member has taken that slot.
 */
struct simgpu_gang_report {
	__u32 size;
	__u32 slot;
	struct simgpu_counter_array counters;
	struct simgpu_tenant_report report;
};

/**
 * enum simgpu_refusal_kind - what was refused, or why a policy was replaced
 * @SIMGPU_REFUSAL_NONE: nothing was refused
 * @SIMGPU_REFUSAL_DECIDE: the policy returned an error
 * @SIMGPU_REFUSAL_PROPOSAL: the policy's proposal failed a check
 * @SIMGPU_REFUSAL_HOLD: the policy kept a tenant with work from all progress
 * @SIMGPU_REFUSAL_SLOW: the policy took too long
 * @SIMGPU_REFUSAL_PREDICT: the model returned an error, or asked for an impossible probe or wake
 * @SIMGPU_REFUSAL_PARAM: the value of a parameter
 * @SIMGPU_REFUSAL_CONSTANTS: the constants of a model
 * @SIMGPU_REFUSAL_GONE: the policy was unloaded while it was in force
 * @SIMGPU_REFUSAL_MEMORY: the memory policy failed, or was unloaded while it was in force
 *
 * A program treats a kind that it does not know as a refusal.
 */
enum simgpu_refusal_kind {
	SIMGPU_REFUSAL_NONE = 0,
	SIMGPU_REFUSAL_DECIDE = 1,
	SIMGPU_REFUSAL_PROPOSAL = 2,
	SIMGPU_REFUSAL_HOLD = 3,
	SIMGPU_REFUSAL_SLOW = 4,
	SIMGPU_REFUSAL_PREDICT = 5,
	SIMGPU_REFUSAL_PARAM = 6,
	SIMGPU_REFUSAL_CONSTANTS = 7,
	SIMGPU_REFUSAL_GONE = 8,
	SIMGPU_REFUSAL_MEMORY = 9
};

/**
 * struct simgpu_refusal - why something was refused, or a policy was replaced
 * @kind: &enum simgpu_refusal_kind
 * @code: negative errno
 * @slot: tenant that it concerns, or SIMGPU_REFUSAL_ANY
 * @sm: SM that it concerns, or SIMGPU_REFUSAL_ANY
 * @field: field of the proposal or the constants, or name of the parameter,
 *	NUL-terminated; empty if it concerns no single field
 * @reason: a sentence for people, NUL-terminated
 * @cycle: device time
 */
struct simgpu_refusal {
	__u32 kind;
	__s32 code;
	__u32 slot;
	__u32 sm;
	char field[32];
	char reason[128];
	__u64 cycle;
};

/* In @slot or @sm: no single tenant or SM. */
#define SIMGPU_REFUSAL_ANY	0xffffffffU

/**
 * struct simgpu_gang_refusal - SIMGPU_IOC_GANG_REFUSAL, on a gang's file
 * @size: in: sizeof(struct simgpu_gang_refusal)
 * @reserved: zero
 * @refusal: out: the last refusal of the gang's session, by whichever policy, or of a
 *	write to sysfs that concerned the gang
 *
 * Errors: ENODATA nothing has been refused so far.
 */
struct simgpu_gang_refusal {
	__u32 size;
	__u32 reserved;
	struct simgpu_refusal refusal;
};

/* Places for gauges in an epoch record. */
#define SIMGPU_EPOCH_GAUGES	16

/**
 * struct simgpu_epoch_record - what read() of a gang's file returns
 * @size: bytes from here to the next record: this struct and its counters
 * @counter_offset: bytes from here to the first counter, aligned to 8 bytes
 * @counter_count: counters, each a __u64 with the difference over the epoch; the place of
 *	a counter is its number in &enum simgpu_counter
 * @flags: SIMGPU_EPOCH_*
 * @epoch: number of the epoch, from 0
 * @start_cycle: device cycle at its start
 * @end_cycle: device cycle at its end
 * @slot: slot of the tenant
 * @sms: SM count that the tenant held
 * @sms_next: SM count that the tenant was given for the next epoch
 * @class: &enum simgpu_class
 * @np_ppm: predicted NP; 0 while the class is unknown
 * @ipc_ppm: thread instructions a cycle
 * @rbh_ppm: row buffer hit rate
 * @bandwidth_ppm: of the device's peak
 * @llc_mpki_ppm: LLC misses per 1000 thread instructions
 * @cgroup: number of the cgroup in which the tenant's file was opened
 * @goal_ipc_ppm: thread instructions a cycle that the tenant was to reach at the epoch's
 *	end; 0: it has no goal
 * @alpha_ppm: goal / thread instructions a cycle since the goal was set, at least 1; 0
 *	without a goal
 * @quota: as in &struct simgpu_tenant_report
 * @blocks: its thread blocks on shared SMs when @quota was set
 * @np_doubts: SIMGPU_DOUBT_*: why @np_ppm may be wrong; 0: the model holds
 * @gauge_count: gauges of the policy that was in force at the epoch's end, figures that it
 *	tells of itself
 * @gauges: their values after the decision at that end, each in its unit; the device's file
 *	policy_gauges has names and units, in the same order
 * @sm_mhz: clock of the device's SMs at the epoch's end
 * @power_uw: the device's mean power in the epoch, in microwatts; 0: the GPU's energies are
 *	not known
 * @reserved: zero
 *
 * One record for each epoch and tenant with work, in order of epochs and
 * slots; read() returns whole records, blocks until there is one (EAGAIN with
 * O_NONBLOCK; EINVAL for a buffer shorter than the first) and returns 0 once the
 * gang has ended and all were read. No record is longer than
 * SIMGPU_EPOCH_RECORD_MAX. New fields of this struct stand between its present last
 * field and the counters.
 */
struct simgpu_epoch_record {
	__u32 size;
	__u32 counter_offset;
	__u32 counter_count;
	__u32 flags;
	__u64 epoch;
	__u64 start_cycle;
	__u64 end_cycle;
	__u32 slot;
	__u32 sms;
	__u32 sms_next;
	__u32 class;
	__u64 np_ppm;
	__u64 ipc_ppm;
	__u64 rbh_ppm;
	__u64 bandwidth_ppm;
	__u64 llc_mpki_ppm;
	__u64 cgroup;
	__u64 goal_ipc_ppm;
	__u64 alpha_ppm;
	__u64 quota;
	__u64 blocks;
	__u32 np_doubts;
	__u32 gauge_count;
	__s64 gauges[SIMGPU_EPOCH_GAUGES];
	__u32 sm_mhz;
	__u32 reserved;
	__u64 power_uw;
};

/* A buffer of this size for read() has room for any record. */
#define SIMGPU_EPOCH_RECORD_MAX	4096

/* Model and policy ran at the epoch's end (it was not too short). */
#define SIMGPU_EPOCH_PREDICTED	(1U << 0)
/* The policy failed, and the policy even replaced it. */
#define SIMGPU_EPOCH_FELL_BACK	(1U << 1)
/* The epoch belongs to the tenant's first run. */
#define SIMGPU_EPOCH_FIRST_RUN	(1U << 2)

/**
 * struct simgpu_live - the page that mmap() of a tenant's file shows
 * @sequence: odd while the kernel writes the rest; see below
 * @flags: SIMGPU_LIVE_*
 * @cycle: device time
 * @epochs: epochs of the device that have ended
 * @slot: the tenant's slot, with SIMGPU_LIVE_SEATED
 * @sms: SM count assigned now
 * @class: &enum simgpu_class of the last finished epoch
 * @reserved: zero
 * @counter_offset: bytes from the page's start to the first counter, aligned to 8
 *	bytes; never changes in a mapping
 * @counter_count: counters since the tenant took its slot, each a __u64 whose place
 *	is its &enum simgpu_counter; never changes in a mapping
 * @np_ppm: predicted NP of the last finished epoch; 0 while the class is unknown
 * @ipc_ppm: thread instructions a cycle in the last finished epoch
 * @rbh_ppm: row buffer hit rate in the last finished epoch
 * @bandwidth_ppm: part of the device's peak bandwidth in the last finished epoch
 * @llc_mpki_ppm: LLC misses per 1000 thread instructions in the last finished epoch
 * mmap() takes one page at offset 0, PROT_READ alone (else EPERM, and EACCES
 * from mprotect(); mremap() makes it no larger). The counters stand at the page's
 * end; the bytes between the struct and the counters are zero. The kernel writes the page
 * at each end of an epoch, and every few milliseconds while the device runs. A reader
 * reads @sequence (again while it is odd), then what it wants, then @sequence again,
 * with barriers between; the copy is good if both are the same. A mapping holds
 * the file, and so the tenant.
 */
struct simgpu_live {
	__u32 sequence;
	__u32 flags;
	__u64 cycle;
	__u64 epochs;
	__u32 slot;
	__u32 sms;
	__u32 class;
	__u32 reserved;
	__u32 counter_offset;
	__u32 counter_count;
	__u64 np_ppm;
	__u64 ipc_ppm;
	__u64 rbh_ppm;
	__u64 bandwidth_ppm;
	__u64 llc_mpki_ppm;
};

/* The tenant has a slot. */
#define SIMGPU_LIVE_SEATED	(1U << 0)

#define SIMGPU_IOC_TYPE		'G'

/* On a tenant's file. */
#define SIMGPU_IOC_DEVICE_INFO	_IO(SIMGPU_IOC_TYPE, 0x40)
#define SIMGPU_IOC_TENANT_CONFIG _IO(SIMGPU_IOC_TYPE, 0x41)
#define SIMGPU_IOC_TRACE_UPLOAD	_IO(SIMGPU_IOC_TYPE, 0x42)
#define SIMGPU_IOC_TRACE_REMOVE	_IO(SIMGPU_IOC_TYPE, 0x43)
#define SIMGPU_IOC_LAUNCH	_IO(SIMGPU_IOC_TYPE, 0x44)
#define SIMGPU_IOC_WAIT		_IO(SIMGPU_IOC_TYPE, 0x45)
#define SIMGPU_IOC_REPORT	_IO(SIMGPU_IOC_TYPE, 0x46)
#define SIMGPU_IOC_GANG_CREATE	_IO(SIMGPU_IOC_TYPE, 0x47)
#define SIMGPU_IOC_GANG_JOIN	_IO(SIMGPU_IOC_TYPE, 0x48)
#define SIMGPU_IOC_ARRIVALS	_IO(SIMGPU_IOC_TYPE, 0x49)
#define SIMGPU_IOC_QUEUE	_IO(SIMGPU_IOC_TYPE, 0x4a)
#define SIMGPU_IOC_HINT		_IO(SIMGPU_IOC_TYPE, 0x4b)
#define SIMGPU_IOC_MASKS	_IO(SIMGPU_IOC_TYPE, 0x4c)
#define SIMGPU_IOC_MEM_PREFETCH	_IO(SIMGPU_IOC_TYPE, 0x4d)
#define SIMGPU_IOC_MEM_ADVISE	_IO(SIMGPU_IOC_TYPE, 0x4e)
#define SIMGPU_IOC_COPY		_IO(SIMGPU_IOC_TYPE, 0x4f)

/* On a gang's file. */
#define SIMGPU_IOC_GANG_STATUS	_IO(SIMGPU_IOC_TYPE, 0x60)
#define SIMGPU_IOC_GANG_REPORT	_IO(SIMGPU_IOC_TYPE, 0x61)
#define SIMGPU_IOC_GANG_REFUSAL	_IO(SIMGPU_IOC_TYPE, 0x62)

#endif /* _UAPI_LINUX_SIMGPU_H */

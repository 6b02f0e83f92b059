/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: /sys/kernel/tracing/events/simgpu. All values are numbers; @cycle is device
 * time, @slot and @sequence are the session's, ratios are in parts per
 * million.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM simgpu

#if !defined(SIMGPU_TRACE_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define SIMGPU_TRACE_EVENTS_H

#include <linux/tracepoint.h>

#include "cgroups.h"
#include "device.h"
#include "tenant.h"

/* A tenant has queued a trace; @sequence is the tenant's own number for it. */
TRACE_EVENT(simgpu_launch,
	TP_PROTO(const struct simgpu_tenant *tenant, u64 cycle, u32 queue,
		 u64 sequence, u64 repeats),
	TP_ARGS(tenant, cycle, queue, sequence, repeats),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u32, slot)
		__field(u64, tenant)
		__field(u64, cycle)
		__field(u64, sequence)
		__field(u64, repeats)
		__field(u64, cgroup)
		__field(u32, queue)
	),
	TP_fast_assign(
		__entry->device = tenant->device->index;
		__entry->slot = tenant->slot;
		__entry->tenant = tenant->id;
		__entry->cycle = cycle;
		__entry->sequence = sequence;
		__entry->repeats = repeats;
		__entry->cgroup = simgpu_cgroup_id(tenant->cgroup);
		__entry->queue = queue;
	),
	TP_printk("device=%u cycle=%llu tenant=%llu slot=%u queue=%u sequence=%llu repeats=%llu cgroup=%llu",
		  __entry->device, __entry->cycle, __entry->tenant,
		  __entry->slot, __entry->queue, __entry->sequence,
		  __entry->repeats, __entry->cgroup)
);

DECLARE_EVENT_CLASS(simgpu_kernel,
	TP_PROTO(const struct simgpu_tenant *tenant, u64 cycle, u32 queue,
		 u64 sequence, u32 kernel),
	TP_ARGS(tenant, cycle, queue, sequence, kernel),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u32, slot)
		__field(u64, tenant)
		__field(u64, cycle)
		__field(u64, sequence)
		__field(u32, kernel)
		__field(u32, queue)
	),
	TP_fast_assign(
		__entry->device = tenant->device->index;
		__entry->slot = tenant->slot;
		__entry->tenant = tenant->id;
		__entry->cycle = cycle;
		__entry->sequence = sequence;
		__entry->kernel = kernel;
		__entry->queue = queue;
	),
	TP_printk("device=%u cycle=%llu tenant=%llu slot=%u queue=%u sequence=%llu kernel=%u",
		  __entry->device, __entry->cycle, __entry->tenant,
		  __entry->slot, __entry->queue, __entry->sequence,
		  __entry->kernel)
);

/* A kernel of a launch has started. */
DEFINE_EVENT(simgpu_kernel, simgpu_kernel_start,
	TP_PROTO(const struct simgpu_tenant *tenant, u64 cycle, u32 queue,
		 u64 sequence, u32 kernel),
	TP_ARGS(tenant, cycle, queue, sequence, kernel)
);

/* A kernel has run to its end; one that is dropped with its tenant never does. */
DEFINE_EVENT(simgpu_kernel, simgpu_kernel_finish,
	TP_PROTO(const struct simgpu_tenant *tenant, u64 cycle, u32 queue,
		 u64 sequence, u32 kernel),
	TP_ARGS(tenant, cycle, queue, sequence, kernel)
);

/* An epoch has ended: one event for each tenant with work. */
TRACE_EVENT(simgpu_epoch,
	TP_PROTO(const struct simgpu_tenant *tenant,
		 const struct session_epoch *epoch,
		 const struct session_epoch_tenant *row),
	TP_ARGS(tenant, epoch, row),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u32, slot)
		__field(u64, tenant)
		__field(u64, epoch)
		__field(u64, start_cycle)
		__field(u64, cycle)
		__field(u32, sms)
		__field(u32, sms_next)
		__field(u32, class)
		__field(bool, predicted)
		__field(bool, fell_back)
		__field(u64, np_ppm)
		__field(u64, ipc_ppm)
		__field(u64, rbh_ppm)
		__field(u64, bandwidth_ppm)
		__field(u64, llc_mpki_ppm)
		__field(u64, thread_instructions)
		__field(u64, cgroup)
		__field(u64, goal_ipc_ppm)
		__field(u64, alpha_ppm)
		__field(u64, quota)
		__field(u64, blocks)
	),
	TP_fast_assign(
		__entry->device = tenant->device->index;
		__entry->slot = row->slot;
		__entry->tenant = tenant->id;
		__entry->epoch = epoch->index;
		__entry->start_cycle = epoch->start_cycle;
		__entry->cycle = epoch->end_cycle;
		__entry->sms = row->sms;
		__entry->sms_next = row->sms_next;
		__entry->class = row->class;
		__entry->predicted = epoch->predicted;
		__entry->fell_back = epoch->fell_back;
		__entry->np_ppm = row->np_ppm;
		__entry->ipc_ppm = row->figures.ipc_ppm;
		__entry->rbh_ppm = row->figures.rbh_ppm;
		__entry->bandwidth_ppm = row->figures.bandwidth_ppm;
		__entry->llc_mpki_ppm = row->figures.llc_mpki_ppm;
		__entry->thread_instructions = row->figures.thread_instructions;
		__entry->cgroup = simgpu_cgroup_id(tenant->cgroup);
		__entry->goal_ipc_ppm = row->goal_ipc_ppm;
		__entry->alpha_ppm = row->alpha_ppm;
		__entry->quota = row->quota;
		__entry->blocks = row->blocks;
	),
	TP_printk("device=%u epoch=%llu cycle=%llu tenant=%llu slot=%u class=%s np_ppm=%llu sms=%u sms_next=%u ipc_ppm=%llu rbh_ppm=%llu bandwidth_ppm=%llu llc_mpki_ppm=%llu thread_instructions=%llu cgroup=%llu goal_ipc_ppm=%llu alpha_ppm=%llu quota=%llu blocks=%llu%s",
		  __entry->device, __entry->epoch, __entry->cycle,
		  __entry->tenant, __entry->slot,
		  __print_symbolic(__entry->class,
				   { SIMGPU_CLASS_UNKNOWN, "unknown" },
				   { SIMGPU_CLASS_COMPUTE, "compute" },
				   { SIMGPU_CLASS_MEMORY, "memory" }),
		  __entry->np_ppm, __entry->sms, __entry->sms_next,
		  __entry->ipc_ppm, __entry->rbh_ppm, __entry->bandwidth_ppm,
		  __entry->llc_mpki_ppm, __entry->thread_instructions,
		  __entry->cgroup, __entry->goal_ipc_ppm,
		  __entry->alpha_ppm, __entry->quota, __entry->blocks,
		  __entry->fell_back ? " fell_back" : "")
);

/*
 * SMs were assigned anew: one event for each tenant with a slot. @shared_sms of its @sms
 * are shared. @own and @sharing have a bit for each SM from 0 to 63 that the tenant has
 * alone, or shares; @own_high and @sharing_high for those from 64 on.
 */
TRACE_EVENT(simgpu_repartition,
	TP_PROTO(const struct simgpu_tenant *tenant, u64 cycle,
		 const struct session_tenant_report *report),
	TP_ARGS(tenant, cycle, report),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u32, slot)
		__field(u64, tenant)
		__field(u64, cycle)
		__field(u32, sms)
		__field(u32, shared_sms)
		__field(u64, own)
		__field(u64, own_high)
		__field(u64, sharing)
		__field(u64, sharing_high)
	),
	TP_fast_assign(
		__entry->device = tenant->device->index;
		__entry->slot = tenant->slot;
		__entry->tenant = tenant->id;
		__entry->cycle = cycle;
		__entry->sms = report->sms;
		__entry->shared_sms = report->shared_sms;
		__entry->own = report->shares.own[0];
		__entry->own_high = report->shares.own[1];
		__entry->sharing = report->shares.shared[0];
		__entry->sharing_high = report->shares.shared[1];
	),
	TP_printk("device=%u cycle=%llu tenant=%llu slot=%u sms=%u shared_sms=%u own=%016llx%016llx sharing=%016llx%016llx",
		  __entry->device, __entry->cycle, __entry->tenant,
		  __entry->slot, __entry->sms, __entry->shared_sms,
		  __entry->own_high, __entry->own, __entry->sharing_high,
		  __entry->sharing)
);

/* An SM with thread blocks changes hands; @to is 255 if it gets no owner. */
TRACE_EVENT(simgpu_preempt,
	TP_PROTO(u32 device, u64 cycle, u32 sm, u32 from, u32 to, u32 how),
	TP_ARGS(device, cycle, sm, from, to, how),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u64, cycle)
		__field(u32, sm)
		__field(u32, from)
		__field(u32, to)
		__field(u32, how)
	),
	TP_fast_assign(
		__entry->device = device;
		__entry->cycle = cycle;
		__entry->sm = sm;
		__entry->from = from;
		__entry->to = to;
		__entry->how = how;
	),
	TP_printk("device=%u cycle=%llu sm=%u from=%u to=%u mode=%s",
		  __entry->device, __entry->cycle, __entry->sm, __entry->from,
		  __entry->to,
		  __print_symbolic(__entry->how,
				   { SIMGPU_LEAVE_DRAIN, "drain" },
				   { SIMGPU_LEAVE_SWITCH, "switch" },
				   { SIMGPU_LEAVE_RESET, "reset" }))
);

/* The pager has taken a batch of faults in some blocks of 2 MiB, of one tenant or several. */
TRACE_EVENT(simgpu_fault_batch,
	TP_PROTO(u32 device, u64 cycle, u32 faults, u32 blocks),
	TP_ARGS(device, cycle, faults, blocks),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u64, cycle)
		__field(u32, faults)
		__field(u32, blocks)
	),
	TP_fast_assign(
		__entry->device = device;
		__entry->cycle = cycle;
		__entry->faults = faults;
		__entry->blocks = blocks;
	),
	TP_printk("device=%u cycle=%llu faults=%u blocks=%u", __entry->device,
		  __entry->cycle, __entry->faults, __entry->blocks)
);

/* A block of a tenant's managed memory leaves the device. */
TRACE_EVENT(simgpu_evicted,
	TP_PROTO(const struct simgpu_tenant *tenant, u64 cycle, u32 block),
	TP_ARGS(tenant, cycle, block),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u32, slot)
		__field(u64, tenant)
		__field(u64, cycle)
		__field(u32, block)
	),
	TP_fast_assign(
		__entry->device = tenant->device->index;
		__entry->slot = tenant->slot;
		__entry->tenant = tenant->id;
		__entry->cycle = cycle;
		__entry->block = block;
	),
	TP_printk("device=%u cycle=%llu tenant=%llu slot=%u block=%u",
		  __entry->device, __entry->cycle, __entry->tenant,
		  __entry->slot, __entry->block)
);

/* A failure was found; of a device that is lost @slot is 255, and what follows it is 0. */
TRACE_EVENT(simgpu_failure,
	TP_PROTO(u32 device, u64 tenant, u64 cycle,
		 const struct session_failed *failed),
	TP_ARGS(device, tenant, cycle, failed),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u32, slot)
		__field(u64, tenant)
		__field(u64, cycle)
		__field(u64, sequence)
		__field(u64, cycles)
		__field(u32, queue)
		__field(u32, kernel)
		__field(u32, kind)
	),
	TP_fast_assign(
		__entry->device = device;
		__entry->slot = failed->slot;
		__entry->tenant = tenant;
		__entry->cycle = cycle;
		__entry->sequence = failed->sequence;
		__entry->cycles = failed->cycles;
		__entry->queue = failed->queue;
		__entry->kernel = failed->kernel;
		__entry->kind = failed->kind;
	),
	TP_printk("device=%u cycle=%llu tenant=%llu slot=%u queue=%u sequence=%llu kernel=%u kind=%s cycles=%llu",
		  __entry->device, __entry->cycle, __entry->tenant,
		  __entry->slot, __entry->queue, __entry->sequence,
		  __entry->kernel,
		  __print_symbolic(__entry->kind,
				   { SIMGPU_FAILED_NOT, "lost" },
				   { SIMGPU_FAILED_TIMEOUT, "timeout" },
				   { SIMGPU_FAILED_ADDRESS, "address" },
				   { SIMGPU_FAILED_MEMORY, "memory" }),
		  __entry->cycles)
);

/*
 * A step was taken about it. What it holds up goes on after @cycles if the failure is @over; else
 * the next step follows then.
 */
TRACE_EVENT(simgpu_recovery,
	TP_PROTO(u32 device, u64 tenant, u64 cycle,
		 const struct session_acted *acted),
	TP_ARGS(device, tenant, cycle, acted),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u32, slot)
		__field(u64, tenant)
		__field(u64, cycle)
		__field(u64, cycles)
		__field(u32, queue)
		__field(u32, step)
		__field(u32, sms)
		__field(u32, blocks)
		__field(u32, repeated)
		__field(u32, canceled)
		__field(bool, over)
	),
	TP_fast_assign(
		__entry->device = device;
		__entry->slot = acted->slot;
		__entry->tenant = tenant;
		__entry->cycle = cycle;
		__entry->cycles = acted->cycles;
		__entry->queue = acted->queue;
		__entry->step = acted->step;
		__entry->sms = acted->sms;
		__entry->blocks = acted->blocks;
		__entry->repeated = acted->repeated;
		__entry->canceled = acted->canceled;
		__entry->over = acted->over;
	),
	TP_printk("device=%u cycle=%llu tenant=%llu slot=%u queue=%u step=%s over=%u cycles=%llu sms=%u blocks=%u repeated=%u canceled=%u",
		  __entry->device, __entry->cycle, __entry->tenant,
		  __entry->slot, __entry->queue,
		  __print_symbolic(__entry->step,
				   { SESSION_RECOVERY_WAITED, "waited" },
				   { SESSION_RECOVERY_KILLED, "killed" },
				   { SESSION_RECOVERY_KILLED_TENANT, "killed-tenant" },
				   { SESSION_RECOVERY_RESET_SMS, "reset-sms" },
				   { SESSION_RECOVERY_RESET_DEVICE, "reset-device" }),
		  __entry->over, __entry->cycles, __entry->sms,
		  __entry->blocks, __entry->repeated, __entry->canceled)
);

/* A tenant is banned: its launches end from now on, until its file is closed. */
TRACE_EVENT(simgpu_tenant_banned,
	TP_PROTO(const struct simgpu_tenant *tenant, u64 cycle),
	TP_ARGS(tenant, cycle),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u32, slot)
		__field(u64, tenant)
		__field(u64, cycle)
		__field(u64, cgroup)
	),
	TP_fast_assign(
		__entry->device = tenant->device->index;
		__entry->slot = tenant->slot;
		__entry->tenant = tenant->id;
		__entry->cycle = cycle;
		__entry->cgroup = simgpu_cgroup_id(tenant->cgroup);
	),
	TP_printk("device=%u cycle=%llu tenant=%llu slot=%u cgroup=%llu",
		  __entry->device, __entry->cycle, __entry->tenant,
		  __entry->slot, __entry->cgroup)
);

/* The policy was changed: by a user, or because the one before it failed. */
TRACE_EVENT(simgpu_policy,
	TP_PROTO(u32 device, u64 cycle, const char *name, bool failed),
	TP_ARGS(device, cycle, name, failed),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u64, cycle)
		__array(char, name, SIMGPU_NAME_MAX)
		__field(bool, failed)
	),
	TP_fast_assign(
		__entry->device = device;
		__entry->cycle = cycle;
		strscpy(__entry->name, name, SIMGPU_NAME_MAX);
		__entry->failed = failed;
	),
	TP_printk("device=%u cycle=%llu policy=%s%s", __entry->device,
		  __entry->cycle, __entry->name,
		  __entry->failed ? " (the one before it failed)" : "")
);

#endif /* SIMGPU_TRACE_EVENTS_H */

/* Kbuild puts the top folder on the include path of trace_events.c. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH kmod/driver
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_events
#include <trace/define_trace.h>

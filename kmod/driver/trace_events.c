// SPDX-License-Identifier: GPL-2.0
/* The tracepoints' code, and the observer that hits them; trace_events.h declares them. */
#include "device.h"
#include "observers.h"
#include "tenant.h"

/* Included after all others, some of which declare tracepoints of their own. */
#define CREATE_TRACE_POINTS
#include "trace_events.h"

static void simgpu_trace_epoch(struct simgpu_device *device,
			       const struct session_epoch *epoch)
{
	u32 i;

	for (i = 0; i < epoch->tenant_count; i++) {
		const struct session_epoch_tenant *row = &epoch->tenants[i];

		if (!WARN_ON_ONCE(!device->slots[row->slot]))
			trace_simgpu_epoch(device->slots[row->slot], epoch,
					   row);
	}
}

static void simgpu_trace_kernel_start(struct simgpu_device *device, u32 slot,
				      u32 queue, u64 sequence, u32 kernel)
{
	if (!WARN_ON_ONCE(!device->slots[slot]))
		trace_simgpu_kernel_start(device->slots[slot],
					  session_now(device->session), queue,
					  sequence, kernel);
}

static void simgpu_trace_kernel_finish(struct simgpu_device *device, u32 slot,
				       u32 queue, u64 sequence, u32 kernel)
{
	if (!WARN_ON_ONCE(!device->slots[slot]))
		trace_simgpu_kernel_finish(device->slots[slot],
					   session_now(device->session), queue,
					   sequence, kernel);
}

static void simgpu_trace_repartition(struct simgpu_device *device)
{
	struct session_tenant_report report;
	u32 slot;

	if (!trace_simgpu_repartition_enabled())
		return;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!device->slots[slot])
			continue;
		session_tenant_report(device->session, slot, &report);
		trace_simgpu_repartition(device->slots[slot],
					 session_now(device->session), &report);
	}
}

static void simgpu_trace_preempt(struct simgpu_device *device, u32 sm, u32 from,
				 u32 to, u32 how)
{
	trace_simgpu_preempt(device->index, session_now(device->session), sm,
			     from, to, how);
}

static void simgpu_trace_faults_taken(struct simgpu_device *device, u64 cycle,
				      u32 faults, u32 blocks)
{
	trace_simgpu_fault_batch(device->index, cycle, faults, blocks);
}

static void simgpu_trace_evicted(struct simgpu_device *device, u64 cycle, u32 slot,
				 u32 block)
{
	if (!WARN_ON_ONCE(!device->slots[slot]))
		trace_simgpu_evicted(device->slots[slot], cycle, block);
}

/* Number of the tenant in a slot; 0: the slot is none, since the device was lost. */
static u64 simgpu_trace_tenant(const struct simgpu_device *device, u32 slot)
{
	if (slot >= SESSION_SLOTS_MAX || WARN_ON_ONCE(!device->slots[slot]))
		return 0;
	return device->slots[slot]->id;
}

static void simgpu_trace_failed(struct simgpu_device *device,
				const struct session_failed *failed)
{
	trace_simgpu_failure(device->index, simgpu_trace_tenant(device, failed->slot),
			     session_now(device->session), failed);
}

static void simgpu_trace_acted(struct simgpu_device *device,
			       const struct session_acted *acted)
{
	trace_simgpu_recovery(device->index, simgpu_trace_tenant(device, acted->slot),
			      session_now(device->session), acted);
}

static void simgpu_trace_banned(struct simgpu_device *device, u32 slot)
{
	if (!WARN_ON_ONCE(!device->slots[slot]))
		trace_simgpu_tenant_banned(device->slots[slot],
					   session_now(device->session));
}

static void simgpu_trace_policy(struct simgpu_device *device, const char *name,
				bool failed)
{
	trace_simgpu_policy(device->index, session_now(device->session), name,
			    failed);
}

static void simgpu_trace_launched(struct simgpu_tenant *tenant, u32 queue,
				  u64 sequence, u64 repeats)
{
	trace_simgpu_launch(tenant, session_now(tenant->device->session), queue,
			    sequence, repeats);
}

const struct simgpu_observer simgpu_trace_observer = {
	.epoch = simgpu_trace_epoch,
	.launched = simgpu_trace_launched,
	.kernel_start = simgpu_trace_kernel_start,
	.kernel_finish = simgpu_trace_kernel_finish,
	.repartition = simgpu_trace_repartition,
	.preempt = simgpu_trace_preempt,
	.faults_taken = simgpu_trace_faults_taken,
	.evicted = simgpu_trace_evicted,
	.failed = simgpu_trace_failed,
	.acted = simgpu_trace_acted,
	.banned = simgpu_trace_banned,
	.policy = simgpu_trace_policy,
};

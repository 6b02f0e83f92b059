// SPDX-License-Identifier: GPL-2.0
/*
 * A tenant's launches: queueing them, and dropping their references.
 * tenant_outcome.c has those that wait for their end.
 */
#include <linux/eventfd.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "charge.h"
#include "compat.h"
#include "device.h"
#include "ioctl.h"
#include "journal_room.h"
#include "masks.h"
#include "observe.h"
#include "observers.h"
#include "seats.h"
#include "tenant.h"
#include "tenant_launch.h"
#include "tenant_outcome.h"
#include "upload.h"

static struct simgpu_pending *simgpu_pending_find(struct simgpu_tenant *tenant,
						  u64 sequence)
{
	u32 i;

	for (i = 0; i < SIMGPU_PENDING_MAX; i++) {
		struct simgpu_pending *pending = &tenant->pending[i];

		if (pending->trace && sequence >= pending->first &&
		    sequence <= pending->sequence)
			return pending;
	}
	return NULL;
}

/* The session does not need a launch, or the last request, any more. */
static void simgpu_pending_end(struct simgpu_tenant *tenant,
			       struct simgpu_pending *pending)
{
	simgpu_trace_put_later(pending->trace);
	pending->trace = NULL;
	if (!pending->list)
		return;
	port_free(pending->list);
	simgpu_tenant_uncharge(tenant, pending->list_bytes);
	pending->list = NULL;
}

/* The session has ended a launch. */
static void simgpu_tenant_launch_done(struct simgpu_device *device, u32 slot,
				      u32 queue, u64 sequence, int status)
{
	struct simgpu_tenant *tenant = device->slots[slot];
	struct simgpu_pending *pending, ended = { .queue = queue };

	lockdep_assert_held(&device->lock);
	if (WARN_ON_ONCE(!tenant))
		return;
	pending = simgpu_pending_find(tenant, sequence);
	/* A caller that has waited for it and removes the trace then frees the trace. */
	if (!WARN_ON_ONCE(!pending)) {
		ended = *pending;
		if (pending->sequence == sequence)
			simgpu_pending_end(tenant, pending);
	}
	simgpu_seats_call(device);
	/* A caller that is woken finds the launch's figures there. */
	simgpu_tenant_publish_counters(tenant);
	/* With the last launch it also finds that the gang has ended: that settles it. */
	if (!status && simgpu_device_has_gang(device) &&
	    session_state(device->session) != SESSION_RUNNING)
		return;
	simgpu_tenant_ended(tenant, &ended, sequence, status);
}

/*
 * Outside a gang, the first launch takes a slot. -ESTALE: the device has to be
 * renewed first; -EXFULL: the tenant has to wait; -EUNATCH: the trace has to be prepared
 * for the session's GPU.
 */
static int simgpu_tenant_take_slot(struct simgpu_tenant *tenant,
				   const struct simgpu_trace *trace,
				   struct private_run *run)
{
	struct simgpu_device *device = tenant->device;

	lockdep_assert_held(&device->lock);
	if (tenant->in_gang && device->ending.over)
		return -ECANCELED;
	if (!tenant->in_gang && simgpu_device_has_gang(device))
		return -EBUSY;
	if (!tenant->in_gang && simgpu_device_is_stale(device))
		return -ESTALE;
	if (!simgpu_trace_is_ready(device, trace))
		return -EUNATCH;
	return tenant->in_gang ? 0 : simgpu_seat_take(tenant, run);
}

/* A launch that cannot be must not cost others a slot. */
static int simgpu_tenant_may_launch(struct simgpu_tenant *tenant,
				    const struct session_launch_options *options)
{
	struct simgpu_device *device = tenant->device;
	struct session_masks masks;

	if (tenant->slot != SIMGPU_NO_SLOT ||
	    simgpu_device_has_gang(device) || simgpu_device_is_stale(device))
		return 0;
	masks = simgpu_masks_on(tenant, &device->start.config);
	if (!session_masks_meet(&masks, options->sms))
		return -EINVAL;
	return session_launch_check(device->session, SESSION_ANY_SLOT, options);
}

static struct simgpu_pending *simgpu_pending_free(struct simgpu_tenant *tenant)
{
	u32 i;

	for (i = 0; i < SIMGPU_PENDING_MAX; i++)
		if (!tenant->pending[i].trace)
			return &tenant->pending[i];
	return NULL;
}

/* The session has taken a launch of the number @sequence, or requests up to it. */
static void simgpu_tenant_launched(struct simgpu_tenant *tenant,
				   struct simgpu_pending *pending,
				   struct simgpu_trace *trace, u64 repeats)
{
	struct simgpu_device *device = tenant->device;

	pending->trace = trace;
	spin_lock(&device->publish_lock);
	tenant->launched = tenant->sequence_base + pending->sequence;
	spin_unlock(&device->publish_lock);
	simgpu_tell(launched, tenant, pending->queue, tenant->launched,
		    repeats);
	/* Others notice nothing of it before the next quantum. */
	simgpu_tenant_publish_counters(tenant);
	simgpu_device_settle_one(device);
}

/* Whether the tenant has made all launches that a launch waits for. */
static bool simgpu_waits_are_known(const struct simgpu_tenant *tenant,
				   const struct simgpu_launch *cmd)
{
	u32 i;

	for (i = 0; i < SIMGPU_LAUNCH_WAITS_MAX; i++)
		if (cmd->wait_for[i] > tenant->launched)
			return false;
	return true;
}

/* The session's numbers for them; those of earlier sessions have ended. */
static void simgpu_launch_waits(const struct simgpu_tenant *tenant,
				const struct simgpu_launch *cmd,
				struct session_launch_options *options)
{
	u32 i;

	static_assert(SIMGPU_LAUNCH_WAITS_MAX == SESSION_WAITS_MAX, "waits");
	for (i = 0; i < SIMGPU_LAUNCH_WAITS_MAX; i++)
		if (cmd->wait_for[i] > tenant->sequence_base)
			options->wait[i] = cmd->wait_for[i] -
					   tenant->sequence_base;
}

/*
 * Whether there is a place for the outcome of one more launch. If there is none because
 * of requests, the session refuses the launch for these.
 */
static bool simgpu_tenant_has_outcome(const struct simgpu_tenant *tenant)
{
	lockdep_assert_held(&tenant->device->lock);
	return tenant->launched - tenant->settled != SIMGPU_OUTCOMES_KEPT - 1;
}

/**
 * struct simgpu_launching - a launch, or requests, on the way into the session
 * @tenant: the tenant
 * @trace: what it launches
 * @run: from simgpu_tenant_private_make()
 * @cmd: the launch; of a copy what it has in common with one
 * @copy: what @trace was made of, if it is a copy alone
 * @eventfd: signaled when it has ended; or NULL
 * @lacks: tables of managed memory that the launch was found to lack
 * @tables: tables for that, for which the tenant is charged; NULL: there are none
 * @has: what they are like
 * @arrivals: the requests
 * @plan: when they come
 */
struct simgpu_launching {
	struct simgpu_tenant *tenant;
	struct simgpu_trace *trace;
	struct private_run *run;
	struct simgpu_launch *cmd;
	struct trace_copy copy;
	struct eventfd_ctx *eventfd;
	struct session_tables_need lacks;
	struct session_tables *tables;
	struct session_tables_need has;
	struct simgpu_arrivals *arrivals;
	struct arrivals_plan plan;
};

/*
 * Whether a launch needs tables of managed memory that it does not bring along: -ENODATA.
 * They are made without the device's lock, as that may take long, and in the session they are
 * charged to the tenant until it loses its slot.
 */
static int simgpu_launch_lacks(struct simgpu_launching *launching,
			       const struct session_launch_options *options)
{
	const struct simgpu_tenant *tenant = launching->tenant;
	struct simgpu_device *device = tenant->device;
	struct session_tables_need need;
	u32 slot = tenant->slot == SIMGPU_NO_SLOT ? SESSION_ANY_SLOT : tenant->slot;

	lockdep_assert_held(&device->lock);
	if (!session_launch_manages(options) ||
	    simgpu_device_is_stale(device) ||
	    (!tenant->in_gang && simgpu_device_has_gang(device)) ||
	    !session_options(device->session)->config.managed_mb)
		return 0;
	need = session_tables_need(device->session, slot, options->trace->footprint_bytes);
	if (!need.pages || (launching->tables && need.page_kib == launching->has.page_kib &&
			    need.pages <= launching->has.pages))
		return 0;
	launching->lacks = need;
	return -ENODATA;
}

static void simgpu_launch_free_tables(struct simgpu_launching *launching)
{
	if (!launching->tables)
		return;
	port_free(launching->tables);
	launching->tables = NULL;
	simgpu_tenant_uncharge(launching->tenant, session_tables_bytes(launching->has));
}

/* Make the tables that a launch was found to lack; whether it is to be tried again. */
static bool simgpu_launch_tables(struct simgpu_launching *launching, int *ret)
{
	size_t bytes;

	if (*ret != -ENODATA)
		return false;
	simgpu_launch_free_tables(launching);
	launching->has = launching->lacks;
	bytes = session_tables_bytes(launching->has);
	*ret = simgpu_tenant_charge(launching->tenant, bytes);
	if (*ret)
		return false;
	launching->tables = session_tables_make(launching->has);
	if (launching->tables)
		return true;
	simgpu_tenant_uncharge(launching->tenant, bytes);
	*ret = -ENOMEM;
	return false;
}

/* The session has taken over the tables, in the place of smaller ones. */
static void simgpu_launch_tables_taken(struct simgpu_launching *launching)
{
	struct simgpu_tenant *tenant = launching->tenant;

	lockdep_assert_held(&tenant->device->lock);
	if (tenant->tables_bytes)
		simgpu_tenant_uncharge(tenant, tenant->tables_bytes);
	tenant->tables_bytes = session_tables_bytes(launching->has);
}

/* Takes over the references to @trace and @eventfd if it succeeds. */
static int simgpu_tenant_launch_trace(void *arg)
{
	struct simgpu_launching *launching = arg;
	struct simgpu_tenant *tenant = launching->tenant;
	struct simgpu_trace *trace = launching->trace;
	struct eventfd_ctx *eventfd = launching->eventfd;
	struct simgpu_launch *cmd = launching->cmd;
	struct session_launch_options options = {
		.trace = trace->decoded,
		.repeats = cmd->repeats,
		.not_before = cmd->not_before_cycle,
		.deadline = cmd->deadline_cycle,
		.queue = cmd->queue,
		.more = cmd->flags & SIMGPU_LAUNCH_MORE,
		.idempotent = cmd->flags & SIMGPU_LAUNCH_IDEMPOTENT,
		.managed = cmd->flags & SIMGPU_LAUNCH_MANAGED,
		.prefetch = cmd->flags & SIMGPU_LAUNCH_PREFETCH,
		.copy = launching->copy,
		.tables = &launching->tables,
	};
	struct simgpu_device *device = tenant->device;
	bool brought = launching->tables;
	struct simgpu_pending *pending;
	int ret;

	lockdep_assert_held(&device->lock);
	if (cmd->flags & SIMGPU_LAUNCH_MASKED)
		simgpu_mask_of_sms(cmd->sm_mask, cmd->sm_mask_more, options.sms);
	ret = simgpu_tenant_may_launch(tenant, &options);
	if (!ret && !simgpu_waits_are_known(tenant, cmd))
		ret = -EINVAL;
	pending = simgpu_pending_free(tenant);
	if (!ret && (!pending || !simgpu_tenant_has_outcome(tenant) ||
		     (eventfd && !simgpu_tenant_has_eventfd_room(tenant))))
		ret = -EAGAIN;
	ret = ret ?: simgpu_launch_lacks(launching, &options);
	ret = ret ?: simgpu_tenant_take_slot(tenant, trace, launching->run);
	if (ret)
		return ret;
	simgpu_launch_waits(tenant, cmd, &options);
	ret = session_launch_with(device->session, tenant->slot, &options,
				  &pending->sequence);
	if (ret)
		return ret;
	if (brought && !launching->tables)
		simgpu_launch_tables_taken(launching);
	pending->first = pending->sequence;
	pending->queue = cmd->queue;
	pending->eventfd = eventfd;
	simgpu_tenant_launched(tenant, pending, trace, cmd->repeats);
	cmd->sequence = tenant->launched;
	return 0;
}

/* A launch, or requests, with a slot; errors as in simgpu_tenant_take_slot(). */
static int simgpu_tenant_try(struct simgpu_launching *launching, int (*function)(void *arg))
{
	struct simgpu_tenant *tenant = launching->tenant;
	int ret;

	launching->run = simgpu_tenant_private_make(tenant);
	if (IS_ERR(launching->run))
		return PTR_ERR(launching->run);
	ret = simgpu_device_call_to_note(tenant->device, function, launching);
	simgpu_tenant_private_free(tenant, launching->run);
	return ret;
}

/* Whether a launch failed only because its trace had to be prepared, which it is now. */
static bool simgpu_launch_prepared(struct simgpu_tenant *tenant,
				   struct simgpu_trace *trace, int *ret)
{
	if (*ret != -EUNATCH)
		return false;
	*ret = simgpu_trace_prepare(tenant->device, trace);
	return !*ret;
}

/* Whether members that a launch does not use are zero. */
static bool simgpu_launch_is_clean(const struct simgpu_launch *cmd)
{
	const u32 known = SIMGPU_LAUNCH_EVENTFD | SIMGPU_LAUNCH_MORE |
			  SIMGPU_LAUNCH_IDEMPOTENT | SIMGPU_LAUNCH_MASKED |
			  SIMGPU_LAUNCH_MANAGED | SIMGPU_LAUNCH_PREFETCH;
	u64 sms[SESSION_MASK_WORDS];

	if (cmd->reserved || cmd->flags & ~known ||
	    (!(cmd->flags & SIMGPU_LAUNCH_EVENTFD) && cmd->eventfd))
		return false;
	return simgpu_mask_of_sms(cmd->sm_mask, cmd->sm_mask_more, sms) ==
	       !!(cmd->flags & SIMGPU_LAUNCH_MASKED);
}

/*
 * Hand a launch, or a copy, to the session, which may take several tries. Takes over the
 * reference to the trace, also if it fails.
 */
static int simgpu_launch_enqueue(struct file *file, struct simgpu_launching *launching)
{
	const struct simgpu_launch *cmd = launching->cmd;
	struct simgpu_tenant *tenant = launching->tenant;
	struct simgpu_trace *trace = launching->trace;
	bool in_line = false;
	int ret;

	if (cmd->flags & SIMGPU_LAUNCH_EVENTFD) {
		launching->eventfd = eventfd_ctx_fdget(cmd->eventfd);
		if (IS_ERR(launching->eventfd)) {
			ret = PTR_ERR(launching->eventfd);
			goto err_trace;
		}
	}
	do {
		ret = simgpu_tenant_try(launching, simgpu_tenant_launch_trace);
	} while (simgpu_launch_prepared(tenant, trace, &ret) ||
		 simgpu_launch_tables(launching, &ret) ||
		 simgpu_launch_again(file, &in_line, &ret));
	simgpu_launch_free_tables(launching);
	if (!ret)
		return 0;
	if (launching->eventfd)
		eventfd_ctx_put(launching->eventfd);
err_trace:
	simgpu_trace_put(trace);
	return ret;
}

/* SIMGPU_IOC_LAUNCH */
int simgpu_tenant_launch(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_launch *cmd = ucmd->cmd;
	struct simgpu_launching launching = { .tenant = tenant, .cmd = cmd };
	int ret;

	if (!cmd->repeats || cmd->queue >= SESSION_QUEUES_MAX ||
	    !simgpu_launch_is_clean(cmd))
		return -EINVAL;
	cmd->sequence = 0;
	ret = simgpu_ucmd_respond(ucmd);
	if (ret)
		return ret;
	launching.trace = simgpu_trace_get(tenant, cmd->handle);
	if (!launching.trace)
		return -ENOENT;
	ret = simgpu_launch_enqueue(ucmd->file, &launching);
	return ret ?: simgpu_ucmd_respond(ucmd);
}

/* What the session copies; its kind is 0 if the call's is unknown. */
static struct trace_copy simgpu_copy_of(const struct simgpu_copy *cmd)
{
	static const u32 kinds[] = {
		[SIMGPU_COPY_IN] = TRACE_COMMAND_COPY_IN,
		[SIMGPU_COPY_OUT] = TRACE_COMMAND_COPY_OUT,
		[SIMGPU_COPY_ON_DEVICE] = TRACE_COMMAND_COPY,
		[SIMGPU_COPY_SET] = TRACE_COMMAND_SET,
	};

	return (struct trace_copy) {
		.offset = cmd->offset,
		.bytes = cmd->bytes,
		.kind = cmd->kind < ARRAY_SIZE(kinds) ?
			kinds[array_index_nospec(cmd->kind, ARRAY_SIZE(kinds))] : 0,
	};
}

/* SIMGPU_IOC_COPY */
int simgpu_tenant_copy(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_copy *cmd = ucmd->cmd;
	struct simgpu_launch launch = {
		.repeats = 1,
		.flags = cmd->flags,
		.eventfd = cmd->eventfd,
		.queue = cmd->queue,
	};
	struct simgpu_launching launching = {
		.tenant = tenant, .cmd = &launch, .copy = simgpu_copy_of(cmd),
	};
	int ret;

	if (cmd->reserved || cmd->queue >= SESSION_QUEUES_MAX ||
	    cmd->flags & ~(SIMGPU_LAUNCH_EVENTFD | SIMGPU_LAUNCH_MORE) ||
	    !simgpu_launch_is_clean(&launch))
		return -EINVAL;
	memcpy(launch.wait_for, cmd->wait_for, sizeof(launch.wait_for));
	ret = trace_copy_check(&launching.copy);
	if (ret)
		return ret;
	cmd->sequence = 0;
	ret = simgpu_ucmd_respond(ucmd);
	if (ret)
		return ret;
	launching.trace = simgpu_trace_of_copy(tenant, &launching.copy);
	if (IS_ERR(launching.trace))
		return PTR_ERR(launching.trace);
	ret = simgpu_launch_enqueue(ucmd->file, &launching);
	if (ret)
		return ret;
	cmd->sequence = launch.sequence;
	return simgpu_ucmd_respond(ucmd);
}

/* Takes over the reference to @trace and the plan's list if it succeeds. */
static int simgpu_tenant_arrive(void *arg)
{
	struct simgpu_launching *launching = arg;
	const struct arrivals_plan *plan = &launching->plan;
	struct simgpu_tenant *tenant = launching->tenant;
	struct simgpu_trace *trace = launching->trace;
	const struct session_launch_options first = {
		.trace = trace->decoded, .repeats = 1, .batching = plan->batching,
	};
	struct simgpu_device *device = tenant->device;
	struct simgpu_pending *pending;
	int ret;

	lockdep_assert_held(&device->lock);
	ret = simgpu_tenant_may_launch(tenant, &first);
	pending = simgpu_pending_free(tenant);
	if (!ret && !pending)
		ret = -EBUSY;
	ret = ret ?: simgpu_tenant_take_slot(tenant, trace, launching->run);
	if (ret)
		return ret;
	ret = session_arrivals(device->session, tenant->slot, trace->decoded,
			       plan, &pending->sequence);
	if (ret)
		return ret;
	pending->first = pending->sequence - plan->requests + 1;
	pending->queue = 0;
	pending->eventfd = NULL;
	pending->list = (u64 *)plan->list;
	pending->list_bytes = plan->requests * sizeof(u64);
	simgpu_tenant_launched(tenant, pending, trace, plan->launches);
	launching->arrivals->sequence = tenant->launched;
	return 0;
}

/* Copies the plan's list, and charges the tenant for it; NULL: there is no list. */
static int simgpu_arrivals_take_list(struct simgpu_tenant *tenant,
				     const struct simgpu_arrivals *cmd,
				     struct arrivals_plan *plan)
{
	u64 bytes = cmd->requests * sizeof(u64);
	u64 *list;
	int ret;

	if (cmd->kind != SIMGPU_ARRIVALS_LIST)
		return cmd->list ? -EINVAL : 0;
	if (!cmd->requests || !cmd->list)
		return -EINVAL;
	if (cmd->requests > SIMGPU_ARRIVALS_LIST_MAX)
		return -E2BIG;
	ret = simgpu_tenant_charge(tenant, bytes);
	if (ret)
		return ret;
	list = port_alloc(bytes);
	ret = list ? 0 : -ENOMEM;
	if (list && copy_from_user(list, u64_to_user_ptr(cmd->list), bytes))
		ret = -EFAULT;
	if (ret) {
		port_free(list);
		simgpu_tenant_uncharge(tenant, bytes);
		return ret;
	}
	plan->list = list;
	return 0;
}

static void simgpu_arrivals_drop_list(struct simgpu_tenant *tenant,
				      const struct arrivals_plan *plan)
{
	if (!plan->list)
		return;
	port_free(plan->list);
	simgpu_tenant_uncharge(tenant, plan->requests * sizeof(u64));
}

/* Whether members that a plan of this kind does not use are zero. */
static bool simgpu_arrivals_are_clean(const struct simgpu_arrivals *cmd)
{
	if (cmd->reserved ||
	    (cmd->kind != SIMGPU_ARRIVALS_POISSON && (cmd->seed || cmd->rate)))
		return false;
	return cmd->kind == SIMGPU_ARRIVALS_EVERY || !cmd->every_cycles;
}

/* SIMGPU_IOC_ARRIVALS */
int simgpu_tenant_arrivals(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_arrivals *cmd = ucmd->cmd;
	struct simgpu_launching launching = {
		.tenant = tenant,
		.arrivals = cmd,
		.plan = {
			.kind = cmd->kind,
			.launches = cmd->launches,
			.requests = cmd->requests,
			.seed = cmd->seed,
			.rate = cmd->rate,
			.every_cycles = cmd->every_cycles,
			.deadline_cycles = cmd->deadline_cycles,
			.hint_cycles = cmd->hint_cycles,
			.batching = cmd->batching,
		},
	};
	struct arrivals_plan *plan = &launching.plan;
	struct simgpu_trace *trace;
	bool in_line = false;
	int ret;

	cmd->sequence = 0;
	ret = simgpu_ucmd_respond(ucmd);
	if (ret)
		return ret;
	if (!simgpu_arrivals_are_clean(cmd))
		return -EINVAL;
	ret = simgpu_arrivals_take_list(tenant, cmd, plan);
	if (ret)
		return ret;
	ret = -EINVAL;
	if (arrivals_check(plan))
		goto err_list;
	ret = -ENOENT;
	trace = simgpu_trace_get(tenant, cmd->handle);
	if (!trace)
		goto err_list;
	launching.trace = trace;
	do {
		ret = simgpu_tenant_try(&launching, simgpu_tenant_arrive);
	} while (simgpu_launch_prepared(tenant, trace, &ret) ||
		 simgpu_launch_again(ucmd->file, &in_line, &ret));
	if (ret)
		goto err_trace;
	return simgpu_ucmd_respond(ucmd);

err_trace:
	simgpu_trace_put(trace);
err_list:
	simgpu_arrivals_drop_list(tenant, plan);
	return ret;
}

const struct simgpu_observer simgpu_launch_observer = {
	.launch_done = simgpu_tenant_launch_done,
};

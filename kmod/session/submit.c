// SPDX-License-Identifier: GPL-2.0
/*
 * What tenants hand in: launches, each to one of their queues; requests that
 * come by themselves; and the priorities of queues. It is checked and journalled here.
 * launch.c begins launches.
 */
#include "affinity.h"
#include "batching.h"
#include "commands.h"
#include "copies.h"
#include "internal.h"
#include "launch.h"
#include "managed.h"
#include "pager_parts.h"
#include "submit.h"

/* A tenant has all queues up to the last one that it used, and those of a trace's commands. */
static void use_queue(struct session_tenant *tenant, u32 queue)
{
	if (tenant->queues <= queue)
		tenant->queues = queue + 1;
}

static u32 last_queue(u32 queues)
{
	return 31 - (u32)__builtin_clz(queues);
}

static bool gang_is_ready(const struct session *session)
{
	u32 slot;

	for (slot = 0; slot < session->initial.gang_size; slot++)
		if (!session->tenants[slot].pending ||
		    session->tenants[slot].more)
			return false;
	return true;
}

/* A launch that its deadline could not be met by, whatever happens. */
static bool deadline_is_good(const struct session *session, u64 not_before,
			     u64 deadline)
{
	return !deadline || (deadline >= not_before &&
			     deadline >= session_now(session));
}

/* The queues that a launch takes, a bit each. */
static u32 queues_of(const struct session_launch_options *options)
{
	const struct launch launch = { .trace = options->trace };

	return launch_queues_of(&launch, options->queue);
}

/* Whether memory of a tenant is managed, if it has a slot. */
static bool is_managed(const struct session *session, u32 slot)
{
	return slot != SESSION_ANY_SLOT && managed_is(session, slot);
}

/* Whether requests are batched exactly where the trace has steps, and no more than these. */
static int check_batching(const struct session *session, u32 slot,
			  const struct session_launch_options *options)
{
	u32 most = options->trace->batch_most;

	if (options->batching > most)
		return -EINVAL;
	/* The pager does not know which step is next. */
	if (most && (!options->batching || is_managed(session, slot)))
		return -EOPNOTSUPP;
	return 0;
}

int session_launch_check(const struct session *session, u32 slot,
			 const struct session_launch_options *options)
{
	const struct gpu_config *config = &session->initial.config;
	const struct trace *trace = options->trace;
	u32 i;

	if (!options->repeats || options->queue >= SESSION_QUEUES_MAX ||
	    queues_of(options) >> SESSION_QUEUES_MAX)
		return -EINVAL;
	if (session->stopped || session->canceled)
		return -ECANCELED;
	if (options->not_before > fixed_add(session_now(session),
					    SESSION_AHEAD_CYCLES_MAX))
		return -ERANGE;
	if (config->memory_mb &&
	    managed_room(session, slot, options) > (u64)config->memory_mb << 20)
		return -ENOSPC;
	for (i = 0; i < trace->kernel_count; i++)
		if (!gpu_kernel_fits(config, &trace->kernels[i]))
			return -E2BIG;
	if (!deadline_is_good(session, options->not_before, options->deadline) ||
	    !session_sms_are_good(config, options->sms))
		return -EINVAL;
	/* Copies go to memory that is on the device. */
	if (trace->copies && (session_launch_manages(options) || is_managed(session, slot)))
		return -EOPNOTSUPP;
	/* A private run would never end, and time does not leap over what has no end. */
	if (trace->spins && (session->sampled || session_private_bytes(&session->initial)))
		return -EOPNOTSUPP;
	return check_batching(session, slot, options) ?: managed_check(session, options);
}

int session_launch(struct session *session, u32 slot, const struct trace *trace,
		   u64 repeats, u64 not_before, u64 *sequence)
{
	const struct session_launch_options options = {
		.trace = trace,
		.repeats = repeats,
		.not_before = not_before,
	};

	return session_launch_with(session, slot, &options, sequence);
}

/*
 * A tenant's launch with some number that has not run to its end; @number is set to its
 * queue; NULL: there is none.
 */
static const struct launch *find_launch(const struct session_tenant *tenant,
					u64 sequence, u32 *number)
{
	u32 mask, i;

	for (mask = tenant->pending; mask; mask &= mask - 1) {
		const struct queue *queue;

		*number = (u32)__builtin_ctz(mask);
		queue = &tenant->queue[*number];
		for (i = 0; i < queue->launches; i++) {
			const struct launch *launch =
				&queue->launch[(queue->head + i) %
					       SESSION_LAUNCHES_MAX];

			/* Copies of a launch in other queues than its own do not count. */
			if (launch->sequence == sequence && !launch->done &&
			    (!launch->trace->queues || launch->lead == *number))
				return launch;
		}
	}
	return NULL;
}

/*
 * Whether a launch may wait for the launches that it names. A launch may wait only for
 * earlier launches, so waits never form a cycle.
 */
static bool waits_are_good(const struct session_tenant *tenant,
			   const struct session_launch_options *options)
{
	u32 i, number;

	for (i = 0; i < SESSION_WAITS_MAX; i++) {
		if (options->wait[i] >= tenant->next_sequence)
			return false;
		if (find_launch(tenant, options->wait[i], &number) &&
		    number == options->queue)
			return false;
	}
	return true;
}

/* Copy the launches to wait for, without those that have ended. */
static void set_waits(struct session_tenant *tenant, struct launch *launch,
		      const struct session_launch_options *options)
{
	u32 i, number;

	for (i = 0; i < SESSION_WAITS_MAX; i++) {
		launch->wait[i] = 0;
		if (!find_launch(tenant, options->wait[i], &number))
			continue;
		launch->wait[i] = options->wait[i];
		tenant->waits++;
	}
}

static void journal_launch(struct session *session, u32 slot, u64 sequence,
			   const struct session_launch_options *options)
{
	struct journal_event *event = journal_add(session, JOURNAL_LAUNCH,
						  slot);

	event->launch.sequence = sequence;
	event->launch.checksum = options->trace->checksum;
	event->launch.trace_bytes = options->trace->bytes;
	event->launch.repeats = options->repeats;
	event->launch.not_before = options->not_before;
	event->launch.deadline = options->deadline;
	event->launch.queue = (u8)options->queue;
	event->launch.more = options->more;
	event->launch.idempotent = options->idempotent;
	event->launch.managed = options->managed;
	memcpy(event->launch.wait, options->wait, sizeof(options->wait));
	memcpy(event->launch.sms, options->sms, sizeof(options->sms));
}

static void journal_copy(struct session *session, u32 slot, u64 sequence,
			 const struct session_launch_options *options)
{
	struct journal_event *event = journal_add(session, JOURNAL_COPY, slot);

	event->copy.sequence = sequence;
	event->copy.checksum = options->trace->checksum;
	event->copy.trace_bytes = options->trace->bytes;
	event->copy.is = options->copy;
	event->copy.queue = (u8)options->queue;
	event->copy.more = options->more;
	memcpy(event->copy.wait, options->wait, sizeof(options->wait));
}

static void start_gang(struct session *session)
{
	if (session->initial.gang_size && !session->gang_started)
		session->gang_started = gang_is_ready(session);
}

static bool queues_have_room(const struct session_tenant *tenant, u32 queues)
{
	for (; queues; queues &= queues - 1)
		if (tenant->queue[__builtin_ctz(queues)].launches == SESSION_LAUNCHES_MAX)
			return false;
	return true;
}

/* Whether the tenant's state keeps it from launching. */
static int check_tenant(const struct session *session, u32 slot,
			const struct session_launch_options *options)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	if (!waits_are_good(tenant, options) ||
	    !session_masks_meet(&tenant->masks, options->sms))
		return -EINVAL;
	if (tenant->arrivals.trace)
		return -EBUSY;
	if (!queues_have_room(tenant, queues_of(options)) ||
	    masks_place(tenant, options->sms) < 0)
		return -EAGAIN;
	return managed_check_tenant(session, slot, options) ?:
	       managed_check_prefetch(session, slot, options);
}

/* Keep the mask of a launch in the tenant's table. */
static void set_mask(struct session_tenant *tenant, struct launch *launch,
		     const struct session_launch_options *options)
{
	launch->mask = (u8)masks_place(tenant, options->sms);
	if (launch->mask)
		memcpy(tenant->launch_masks[launch->mask - 1], options->sms,
		       sizeof(options->sms));
}

int session_launch_with(struct session *session, u32 slot,
			const struct session_launch_options *options,
			u64 *sequence)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch launch;
	int ret;

	if (!is_member(session, slot) || options->batching)
		return -EINVAL;
	ret = session_launch_check(session, slot, options);
	ret = ret ? ret : check_tenant(session, slot, options);
	ret = ret ? ret : copies_provide(session, options->trace);
	ret = ret ? ret : managed_provide(session, slot, options);
	if (ret)
		return ret;
	launch = (struct launch) {
		.trace = options->trace,
		.sequence = tenant->next_sequence++,
		.repeats_left = options->repeats,
		.not_before = options->not_before,
		.arrival_cycle = session_now(session),
		.deadline = options->deadline,
		.start_cycle = NEVER,
		.idempotent = options->idempotent,
		.lead = options->trace->queues ? (u8)options->queue : 0,
		.copy = options->copy.kind,
	};
	set_waits(tenant, &launch, options);
	set_mask(tenant, &launch, options);
	launch_push(tenant, options->queue, &launch);
	tenant->more = options->more;
	use_queue(tenant, last_queue(queues_of(options)));
	*sequence = launch.sequence;
	if (launch.copy)
		journal_copy(session, slot, launch.sequence, options);
	else
		journal_launch(session, slot, launch.sequence, options);
	start_gang(session);
	return options->prefetch ?
	       session_prefetch(session, slot, 0,
				max_t(u64, options->trace->footprint_bytes, 1)) : 0;
}

int session_set_queue(struct session *session, u32 slot, u32 queue, s32 priority)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct journal_event *event;

	if (!is_member(session, slot) || queue >= SESSION_QUEUES_MAX ||
	    priority < -SESSION_QUEUE_PRIORITY_MAX ||
	    priority > SESSION_QUEUE_PRIORITY_MAX)
		return -EINVAL;
	if (tenant->queue[queue].priority == priority)
		return 0;
	event = journal_add(session, JOURNAL_QUEUE, slot);
	event->queue.number = queue;
	event->queue.priority = priority;
	tenant->queue[queue].priority = priority;
	use_queue(tenant, queue);
	gpu_queue_set_priority(session->gpu, slot, queue, priority);
	return 0;
}

int session_arrivals(struct session *session, u32 slot,
		     const struct trace *trace, const struct arrivals_plan *plan,
		     u64 *sequence)
{
	const struct session_launch_options options = {
		.trace = trace, .repeats = 1, .batching = plan->batching,
	};
	struct session_tenant *tenant = &session->tenants[slot];
	struct arrivals *arrivals = &tenant->arrivals;
	struct journal_event *event;
	int ret;

	if (!is_member(session, slot) || arrivals_check(plan))
		return -EINVAL;
	ret = session_launch_check(session, slot, &options);
	if (ret)
		return ret;
	if (tenant->pending)
		return -EBUSY;
	ret = managed_check_requests(session, slot, &options);
	if (ret)
		return ret;
	ret = copies_provide(session, trace);
	if (ret)
		return ret;
	*arrivals = (struct arrivals) {
		.trace = trace,
		.plan = *plan,
		.begin = session_now(session),
		.checksum = arrivals_checksum(plan),
		.sequence = tenant->next_sequence,
		.more = true,
	};
	tenant->next_sequence += plan->requests;
	*sequence = tenant->next_sequence - 1;
	arrivals_first(plan, slot, &arrivals->next);
	use_queue(tenant, last_queue(queues_of(&options)));
	if (plan->batching)
		batching_begin(tenant);
	launch_arrive(session, slot);
	event = journal_add(session, JOURNAL_ARRIVALS, slot);
	event->arrivals.sequence = *sequence;
	event->arrivals.checksum = trace->checksum;
	event->arrivals.trace_bytes = trace->bytes;
	event->arrivals.plan = *plan;
	event->arrivals.plan.list = NULL;
	event->arrivals.list_checksum = arrivals->checksum;
	start_gang(session);
	return 0;
}

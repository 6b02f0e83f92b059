// SPDX-License-Identifier: GPL-2.0
/*
 * Launches: what waits in a tenant's queues, which kernel of each runs, and what
 * follows when a kernel ends. This file changes the hardware's kernels and returns the
 * events (SIMGPU_ON_*), which it also adds to tenants' and queues' own. Others decide
 * what follows from events.
 */
#include "affinity.h"
#include "batching.h"
#include "commands.h"
#include "copies.h"
#include "failures.h"
#include "goal.h"
#include "internal.h"
#include "launch.h"
#include "launch_turn.h"
#include "pager_parts.h"
#include "private_run.h"
#include "snapshot.h"

#define ALL_QUEUES	((1U << SESSION_QUEUES_MAX) - 1)

static void pop(struct session_tenant *tenant, u32 number)
{
	struct queue *queue = &tenant->queue[number];

	queue->head = (queue->head + 1) % SESSION_LAUNCHES_MAX;
	if (!--queue->launches)
		tenant->pending &= ~(1U << number);
}

static void tell_end(struct session *session, u32 slot, u32 number,
		     const struct launch *launch, int status)
{
	if (session->hooks.launch_done)
		session->hooks.launch_done(session->hooks.context, slot, number,
					   launch->sequence, launch->trace,
					   status);
}

/*
 * End the launch at the head of a queue, and of all others that it takes, and tell the
 * session's owner.
 */
static void launch_end(struct session *session, u32 slot, u32 number, int status)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch launch = *present_launch(&tenant->queue[number]);
	u32 queues = launch_queues_of(&launch, number);

	tenant->between &= ~queues;
	for (; queues; queues &= queues - 1)
		pop(tenant, (u32)__builtin_ctz(queues));
	batching_over(tenant, &launch);
	tell_end(session, slot, number, &launch, status);
}

/* Drop the launch at the head of a queue. */
static void launch_drop(struct session *session, u32 slot, u32 number, int status)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch launch = *present_launch(&tenant->queue[number]);

	pop(tenant, number);
	batching_over(tenant, &launch);
	if (launch_is_lead(&launch, number))
		tell_end(session, slot, number, &launch, status);
}

/* launch_push() - put a launch behind all others of a queue, and of those that it takes */
void launch_push(struct session_tenant *tenant, u32 number, const struct launch *launch)
{
	u32 queues = launch_queues_of(launch, number);

	for (; queues; queues &= queues - 1) {
		u32 other = (u32)__builtin_ctz(queues);
		struct queue *queue = &tenant->queue[other];
		struct launch *place = &queue->launch[(queue->head + queue->launches) %
						      SESSION_LAUNCHES_MAX];

		*place = *launch;
		if (other != number)
			memset(place->wait, 0, sizeof(place->wait));
		queue->launches++;
		tenant->pending |= 1U << other;
	}
}

/* Drop the requests that have not come; the last one's end stands for all of them. */
static void arrivals_end(struct session *session, u32 slot, int status)
{
	struct arrivals *arrivals = &session->tenants[slot].arrivals;
	struct arrivals ended = *arrivals;

	arrivals->trace = NULL;
	arrivals->more = false;
	if (ended.trace && ended.more && session->hooks.launch_done)
		session->hooks.launch_done(session->hooks.context, slot, 0,
					   ended.sequence +
					   ended.plan.requests - 1,
					   ended.trace, status);
}

/* launch_drop_all() - end all launches and arrivals of a tenant */
void launch_drop_all(struct session *session, u32 slot, int status)
{
	struct session_tenant *tenant = &session->tenants[slot];

	tenant->running = 0;
	tenant->ready = 0;
	tenant->launching = 0;
	tenant->slicing = 0;
	tenant->waits = 0;
	tenant->between = 0;
	copies_forget(session, slot, ALL_QUEUES);
	failures_forget(session, slot);
	while (tenant->pending)
		launch_drop(session, slot, (u32)__builtin_ctz(tenant->pending),
			    status);
	arrivals_end(session, slot, status);
}

/* launch_end_all() - launch_drop_all(), and drop the kernels that run */
void launch_end_all(struct session *session, u32 slot, int status)
{
	gpu_tenant_drop(session->gpu, slot);
	launch_drop_all(session, slot, status);
}

/* The next request of a tenant's arrivals, as a launch. */
static struct launch next_request(const struct arrivals *arrivals)
{
	const u64 cycle = fixed_add(arrivals->begin, arrivals->next.cycle);
	const u64 deadline = arrivals->plan.deadline_cycles;

	return (struct launch) {
		.trace = arrivals->trace,
		.sequence = arrivals->sequence + arrivals->next.request,
		.repeats_left = arrivals->plan.launches,
		.not_before = cycle,
		.arrival_cycle = cycle,
		.deadline = deadline ? fixed_add(cycle, deadline) : 0,
		.start_cycle = NEVER,
	};
}

/*
 * launch_arrive() - queue the next request of a tenant's arrivals, if all launches
 *	before it have ended
 *
 * The request's cycle may be ahead, or long past. Requests behind it are not stored, so
 * their number has no bound.
 */
void launch_arrive(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct arrivals *arrivals = &tenant->arrivals;
	struct launch request;

	if (tenant->queue[0].launches)
		return;
	if (!arrivals->more) {
		arrivals->trace = NULL;
		return;
	}
	request = next_request(arrivals);
	launch_push(tenant, 0, &request);
	arrivals->more = arrivals_next(&arrivals->plan, slot, &arrivals->next);
}

/*
 * launch_pass() - time leaps over a tenant's next request, which has not begun
 * @start: when it is taken to have begun
 * @end: and to have ended
 */
void launch_pass(struct session *session, u32 slot, u64 start, u64 end)
{
	struct session_tenant *tenant = &session->tenants[slot];
	const struct launch *launch = present_launch(&tenant->queue[0]);

	latency_add(&tenant->latency, launch->arrival_cycle, start, end, launch->deadline);
	if (session->hooks.passed)
		session->hooks.passed(session->hooks.context, slot, launch->sequence,
				      start, end);
	tenant->hint = (struct session_hint) { 0 };
	launch_end(session, slot, 0, 0);
	launch_arrive(session, slot);
}

/*
 * launch_following() - the launch behind the present one of a queue
 *
 * Return: false if there is none, or, for requests that have not come, none that is known
 * yet.
 */
bool launch_following(const struct session *session, u32 slot, u32 number,
		      struct launch *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct queue *queue = &tenant->queue[number];

	if (queue->launches > 1) {
		*out = queue->launch[(queue->head + 1) % SESSION_LAUNCHES_MAX];
		return true;
	}
	if (number || !tenant->arrivals.more)
		return false;
	*out = next_request(&tenant->arrivals);
	return out->not_before <= session_now(session);
}

/*
 * How many requests from the next one on have come, up to @most. The cursor stays where
 * it was: a request's cycle takes a logarithm, and reports would else compute the same 256
 * cycles again and again.
 */
static u32 requests_come(struct arrivals *arrivals, u32 slot, u64 now, u32 most)
{
	struct arrivals_cursor *ahead = &arrivals->ahead;
	u64 come;

	if (ahead->request < arrivals->next.request) {
		*ahead = arrivals->next;
		arrivals->all_come = false;
	}
	come = ahead->request - arrivals->next.request;
	while (!arrivals->all_come && come < most &&
	       arrivals->begin + ahead->cycle <= now) {
		arrivals->all_come = !arrivals_next(&arrivals->plan, slot,
						    ahead);
		come++;
	}
	if (arrivals->all_come)
		come = arrivals->plan.requests - arrivals->next.request;
	return (u32)min_t(u64, come, most);
}

/*
 * launch_waiting() - launches of a queue behind the present one
 *
 * Return: their number; for arrivals, SESSION_WAITING_MAX if there are as many or more.
 */
u32 launch_waiting(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	u32 launches = tenant->queue[number].launches;
	u32 waiting = launches ? launches - 1 : 0;

	if (number || !tenant->arrivals.more)
		return waiting;
	return waiting + requests_come(&tenant->arrivals, slot,
				       session_now(session),
				       SESSION_WAITING_MAX - waiting);
}

/* launch_waiting_all() - launches behind the present ones of all queues of a tenant */
u32 launch_waiting_all(struct session *session, u32 slot)
{
	u32 waiting = 0, i;

	for (i = 0; i < SESSION_QUEUES_MAX; i++)
		waiting += launch_waiting(session, slot, i);
	return waiting;
}

/* The queue of the launch at the head of a queue. */
static u32 lead_of(const struct session *session, u32 slot, u32 number)
{
	const struct queue *queue = &session->tenants[slot].queue[number];
	const struct launch *launch = present_launch(queue);

	return queue->launches && launch->trace->queues ? launch->lead : number;
}

static void start_kernel(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct queue *queue = &tenant->queue[number];
	const struct launch *launch = present_launch(queue);
	u64 sms[SESSION_MASK_WORDS];

	tenant->launching &= ~(1U << number);
	tenant->running |= 1U << number;
	gpu_queue_start(session->gpu, slot, number, launch->trace,
			queue->kernel);
	if (masks_of_launch(tenant, launch, sms))
		gpu_queue_set_mask(session->gpu, slot, number, sms);
	private_run_start(session, slot, number, launch->trace, queue->kernel);
	failures_begin(session, slot, number, lead_of(session, slot, number), false);
	if (session->hooks.kernel_start)
		session->hooks.kernel_start(session->hooks.context, slot,
					    number, launch->sequence,
					    launch->trace, queue->kernel);
}

/* A launch does something for the first time, unless it has before. */
static void note_start(struct session *session, u32 slot, struct launch *launch)
{
	struct session_tenant *tenant = &session->tenants[slot];

	if (launch->start_cycle == NEVER)
		launch->start_cycle = session_now(session);
	if (!tenant->started && !launch->copy) {
		tenant->started = true;
		tenant->start_cycle = session_now(session);
	}
}

/* Begin a kernel, which takes the configuration's launch_cycles. */
static void launch_kernel(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct queue *queue = &tenant->queue[number];
	u64 cycles = max_t(u64, session->initial.config.launch_cycles,
			   failures_delay(session, slot, number));

	note_start(session, slot, &queue->launch[queue->head]);
	tenant->ready &= ~(1U << number);
	if (!cycles) {
		start_kernel(session, slot, number);
		return;
	}
	tenant->launching |= 1U << number;
	queue->launch_cycle = session_now(session) + cycles;
}

/*
 * launch_slice() - let a queue begin so many more thread blocks (0: any number)
 *
 * If a kernel's slice is over, its next slice is a launch, and takes the configuration's
 * launch_cycles.
 */
void launch_slice(struct session *session, u32 slot, u32 number, u32 blocks)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct queue *queue = &tenant->queue[number];
	u32 cycles = session->initial.config.launch_cycles;

	tenant->slicing &= ~(1U << number);
	if (cycles && tenant->running >> number & 1 &&
	    !gpu_queue_issue_left(session->gpu, slot, number)) {
		tenant->slicing |= 1U << number;
		queue->launch_cycle = session_now(session) + cycles;
		queue->slice_blocks = blocks ? blocks : GPU_NO_LIMIT;
		return;
	}
	gpu_queue_set_issue_limit(session->gpu, slot, number,
				  blocks ? blocks : GPU_NO_LIMIT);
}

/* launch_next_launched() - when the next launching of a kernel or slice is over; or NEVER */
u64 launch_next_launched(const struct session *session)
{
	u64 next = NEVER;
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		for (mask = tenant->launching | tenant->slicing; mask;
		     mask &= mask - 1) {
			u32 number = (u32)__builtin_ctz(mask);

			next = min(next, tenant->queue[number].launch_cycle);
		}
	}
	return next;
}

static void begin_launched(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];

	tenant->progress_cycle = session_now(session);
	if (tenant->launching >> number & 1) {
		start_kernel(session, slot, number);
		return;
	}
	tenant->slicing &= ~(1U << number);
	gpu_queue_set_issue_limit(session->gpu, slot, number,
				  tenant->queue[number].slice_blocks);
}

/* launch_launched() - begin kernels and slices whose launching is over */
void launch_launched(struct session *session)
{
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		for (mask = tenant->launching | tenant->slicing; mask;
		     mask &= mask - 1) {
			u32 number = (u32)__builtin_ctz(mask);

			if (tenant->queue[number].launch_cycle <=
			    session_now(session))
				begin_launched(session, slot, number);
		}
	}
}

/*
 * A kernel has come to the head of a queue. It starts at once, unless the policy lists
 * that event, or holds its tenant or its queue.
 */
static u32 offer_kernel(struct session *session, u32 slot, u32 number, u32 kernel)
{
	struct session_tenant *tenant = &session->tenants[slot];

	goal_account(session, slot);
	tenant->queue[number].kernel = kernel;
	if (!lists(session, SIMGPU_ON_KERNEL_READY) &&
	    !is_held(session, slot, number)) {
		launch_kernel(session, slot, number);
		return 0;
	}
	tenant->ready |= 1U << number;
	tenant->queue[number].events |= SIMGPU_ON_KERNEL_READY;
	return SIMGPU_ON_KERNEL_READY;
}

static void begin_copy(struct session *session, u32 slot, u32 number)
{
	session->tenants[slot].part[number].state = PART_COPIES;
	copies_begin(session, slot, number);
	failures_begin(session, slot, number, lead_of(session, slot, number), true);
}

/* A queue has come to a copy, which begins as offer_kernel() says of kernels. */
static u32 offer_copy(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];

	copies_come(session, slot, number);
	if (!lists(session, SIMGPU_ON_COPY_READY) && !copy_is_held(session, slot, number)) {
		begin_copy(session, slot, number);
		return 0;
	}
	tenant->part[number].state = PART_COPY_READY;
	tenant->part[number].until = session_now(session);
	tenant->queue[number].events |= SIMGPU_ON_COPY_READY;
	return SIMGPU_ON_COPY_READY;
}

/* Start the kernels of some of a tenant's queues, except held ones. */
static void launch_queues(struct session *session, u32 slot, u32 queues)
{
	for (; queues; queues &= queues - 1) {
		u32 number = (u32)__builtin_ctz(queues);

		if (!is_held(session, slot, number))
			launch_kernel(session, slot, number);
	}
}

/* Begin the copies of some of a tenant's queues, except held ones. */
static void copy_queues(struct session *session, u32 slot, u32 queues)
{
	for (; queues; queues &= queues - 1) {
		u32 number = (u32)__builtin_ctz(queues);

		if (!copy_is_held(session, slot, number))
			begin_copy(session, slot, number);
	}
}

/* launch_ready() - begin kernels and copies that waited for a decision, except held ones */
void launch_ready(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		launch_queues(session, slot, tenant->ready);
		copy_queues(session, slot, commands_copies_ready(tenant));
	}
}

/*
 * launch_decided() - begin those of them that the policy knew of when it was asked, where it
 *	wants to be asked about them
 */
void launch_decided(struct session *session)
{
	bool kernels = lists(session, SIMGPU_ON_KERNEL_READY);
	bool copies = lists(session, SIMGPU_ON_COPY_READY);
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];
		u32 decided = tenant->decided;

		launch_queues(session, slot, kernels ? tenant->ready & decided : tenant->ready);
		copy_queues(session, slot, copies ? commands_copies_ready(tenant) & decided :
						    commands_copies_ready(tenant));
	}
}

/* The request, or step, that the next run of a queue's first launch does. */
static u64 next_request_of(const struct session_tenant *tenant, u32 lead)
{
	if (!batching_is_on(tenant))
		return tenant->requests[lead].begun;
	return tenant->batch.running ? tenant->batch.step : batching_prefill(tenant);
}

/* The step behind the present one of a service that batches; TRACE_NO_COMMAND: none */
static u32 next_step(const struct session *session, u32 slot)
{
	struct launch request;

	return batching_next(&session->tenants[slot],
			     launch_following(session, slot, 0, &request));
}

/* How a launch with commands, of which this is the lead, goes on. */
static struct commands_walk walk_of(const struct session *session, u32 slot, u32 lead)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	return (struct commands_walk) {
		.trace = present_launch(&tenant->queue[lead])->trace,
		.part = (struct launch_part *)&tenant->part[lead],
		.now = session_now(session),
		.core_mhz = session->initial.config.core_mhz,
		.request = next_request_of(tenant, lead),
		.lead = lead,
	};
}

/* Whether a queue has nothing but copies. */
static bool has_only_copies(const struct queue *queue)
{
	u32 i;

	for (i = 0; i < queue->launches; i++)
		if (!queue->launch[(queue->head + i) % SESSION_LAUNCHES_MAX].copy)
			return false;
	return true;
}

/* Whether each queue that has launches of traces has run one. */
static bool all_ran(const struct session_tenant *tenant)
{
	u32 mask;

	for (mask = tenant->pending; mask; mask &= mask - 1) {
		const struct queue *queue = &tenant->queue[__builtin_ctz(mask)];

		if (!queue->ran && !has_only_copies(queue))
			return false;
	}
	return true;
}

/* The cycle in which the last run at the head of a queue ended. */
static u64 run_end(const struct session *session, u32 slot, u32 number)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct commands_walk walk = walk_of(session, slot, number);

	if (!walk.trace->command_count)
		return session_kernel_end(session, slot, number);
	return max(commands_end(&walk), tenant->start_cycle);
}

static void end_first_run(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	u32 queues = launch_queues_of(present_launch(&tenant->queue[number]), number);

	for (; queues; queues &= queues - 1)
		tenant->queue[__builtin_ctz(queues)].ran = true;
	if (tenant->first_run_done || !all_ran(tenant))
		return;
	tenant->first_run_done = true;
	tenant->first_run_end = run_end(session, slot, number);
	gpu_tenant_counters(session->gpu, slot, &tenant->last);
	figures_compute(session->gpu, &tenant->last,
			tenant->first_run_end - tenant->start_cycle,
			&tenant->first_run);
}

/*
 * The present launch has run to its end: count its latency, unless marks have counted theirs, or
 * it is a copy, of which the tenant's copies tell.
 */
static void note_latency(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	const struct launch *launch = present_launch(&tenant->queue[number]);

	if (!launch->trace->marks && !launch->copy)
		latency_add(&tenant->latency, launch_arrival_cycle(launch), launch->start_cycle,
			    run_end(session, slot, number), launch->deadline);
}

/*
 * Marks of the present launch were passed. The first one counts from the launch's arrival,
 * each other one from the mark before it.
 */
static void note_marks(struct session *session, u32 slot, u32 lead,
		       const struct commands_walk *walk)
{
	struct session_tenant *tenant = &session->tenants[slot];
	const struct launch *launch = present_launch(&tenant->queue[lead]);
	struct launch_part *part = &tenant->part[lead];
	u32 i;

	for (i = 0; i < walk->marks; i++) {
		u64 arrival = part->marked ? part->marked : launch_arrival_cycle(launch);
		u64 start = part->marked ? part->marked : launch->start_cycle;
		/* Other queues' marks may be of cycles that this one has behind it. */
		u64 end = max(walk->marked, max(start, arrival));

		latency_add(&tenant->latency, arrival, max(start, arrival), end,
			    launch->deadline);
		part->marked = end;
	}
}

/* Whether a queue has one launch only, and all others that this takes have. */
static bool is_only_one(const struct session_tenant *tenant, u32 number)
{
	const struct launch *launch = present_launch(&tenant->queue[number]);
	u32 lead = launch->trace->queues ? launch->lead : number;
	u32 queues = launch_queues_of(launch, lead);

	for (; queues; queues &= queues - 1)
		if (tenant->queue[__builtin_ctz(queues)].launches != 1)
			return false;
	return true;
}

/* launch_is_relaunched() - whether the launch at the head is relaunched when it ends */
bool launch_is_relaunched(const struct session *session, u32 slot, u32 number)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	return session->initial.relaunch && !tenant->arrivals.trace &&
	       tenant->queue[number].launches && is_only_one(tenant, number) &&
	       !present_launch(&tenant->queue[number])->copy;
}

/* The first kernel of a launch's next run in a queue. Return: false if it has none there. */
static bool first_kernel(const struct session_tenant *tenant, const struct launch *launch,
			 u32 number, u32 *kernel)
{
	*kernel = 0;
	if (launch->trace->command_count)
		*kernel = commands_first_kernel(launch->trace, number - launch->lead,
						tenant->requests[launch->lead].begun);
	return *kernel != TRACE_NO_COMMAND;
}

/* The kernel after the present one in this run of a queue. Return: false if there is none. */
static bool next_of_run(const struct session_tenant *tenant, u32 number,
			const struct trace *trace, u32 *kernel)
{
	*kernel = tenant->queue[number].kernel + 1;
	if (trace->command_count)
		*kernel = commands_next_kernel(trace, &tenant->part[number]);
	return *kernel < trace->kernel_count;
}

/*
 * launch_next_kernel() - find the kernel after the present one: in its trace, in the next
 *	repeat, or in the next launch. Returns false if there is none
 */
bool launch_next_kernel(const struct session *session, u32 slot, u32 number,
			struct launch *launch, u32 *kernel)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 lead;

	*launch = *present_launch(&tenant->queue[number]);
	if (next_of_run(tenant, number, launch->trace, kernel))
		return true;
	if (batching_is_on(tenant)) {
		u32 step = next_step(session, slot);

		*kernel = step == TRACE_NO_COMMAND ? step :
			  commands_first_kernel(launch->trace, 0, step);
		return *kernel != TRACE_NO_COMMAND;
	}
	lead = launch->trace->queues ? launch->lead : number;
	if (present_launch(&tenant->queue[lead])->repeats_left <= 1 &&
	    !launch_is_relaunched(session, slot, number) &&
	    !launch_following(session, slot, number, launch))
		return false;
	return first_kernel(tenant, launch, number, kernel);
}

/* launch_rest_blocks() - thread blocks of the present run behind the present kernel of a queue */
u64 launch_rest_blocks(const struct session *session, u32 slot, u32 number)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct queue *queue = &tenant->queue[number];
	const struct trace *trace = present_launch(queue)->trace;
	const struct trace_kernel *kernel = &trace->kernels[queue->kernel];

	return trace->command_count ? commands_rest_blocks(trace, &tenant->part[number]) :
	       kernel->rest_blocks - kernel->blocks;
}

/*
 * launch_run_blocks() - thread blocks of the next run of a launch that waits in a queue, behind
 *	the present one
 */
u64 launch_run_blocks(const struct session *session, u32 slot, u32 number,
		      const struct launch *launch)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct trace *trace = launch->trace;
	u64 request = batching_is_on(tenant) ? batching_prefill(tenant) :
		      tenant->requests[launch->lead].begun;

	return trace->command_count ?
	       commands_run_blocks(trace, number - launch->lead, request) :
	       trace->kernels[0].rest_blocks;
}

/* --- beginning ------------------------------------------------------------------------- */

/* When a part without a kernel goes on; NEVER: others have to go on first. */
static u64 part_next(const struct session *session, u32 slot, u32 number)
{
	const struct launch_part *part = &session->tenants[slot].part[number];

	switch (part->state) {
	case PART_COPIES:
		return failures_stall(session, slot, number) ? NEVER :
		       copies_next(session, slot, number);
	case PART_RESTS:
	case PART_PAUSES:
		return part->until;
	default:
		return NEVER;
	}
}

/* --- going on ------------------------------------------------------------------------ */

static u32 end_run(struct session *session, u32 slot, u32 number);

/* Begin what the parts of a launch have come to, queue by queue. */
static u32 begin_commands(struct session *session, u32 slot, u32 lead, u32 begun)
{
	struct session_tenant *tenant = &session->tenants[slot];
	const struct trace *trace = present_launch(&tenant->queue[lead])->trace;
	u32 events = 0;

	for (; begun; begun &= begun - 1) {
		u32 number = lead + (u32)__builtin_ctz(begun);
		const struct launch_part *part = &tenant->part[number];

		if (part->state == PART_COPIES) {
			events |= offer_copy(session, slot, number);
			continue;
		}
		tenant->between &= ~(1U << number);
		events |= offer_kernel(session, slot, number,
				       commands_present(trace, part)->what);
	}
	return events;
}

/* Let the parts of a launch with commands go as far as they can. */
static u32 go_on(struct session *session, u32 slot, u32 lead)
{
	struct commands_walk walk = walk_of(session, slot, lead);
	u32 events;
	bool over;

	walk.tenant = &session->tenants[slot];
	over = commands_go(&walk);
	note_marks(session, slot, lead, &walk);
	events = begin_commands(session, slot, lead, walk.begun);
	return over ? events | end_run(session, slot, lead) : events;
}

/*
 * Requests and tokens of a run that begins.
 * @counted: device cycle from which its first token counts
 */
static void begin_request(struct session_tenant *tenant, u32 lead, u64 counted)
{
	const struct trace *trace = present_launch(&tenant->queue[lead])->trace;
	struct requests *requests = &tenant->requests[lead];

	/* A run is a step, not a request, where these are batched. */
	requests->begun += trace->request_count && !batching_is_on(tenant);
	if (trace->tokens)
		requests->counted = counted;
}

/* Begin a run of a trace. @since: device cycle in which the run before ended, or it arrived */
static u32 begin_run(struct session *session, u32 slot, u32 number, u64 since)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch *launch = &tenant->queue[number].launch[tenant->queue[number].head];
	struct commands_walk walk;

	failures_run_begins(session, slot, number);
	if (!launch->trace->command_count)
		return offer_kernel(session, slot, number, 0);
	goal_account(session, slot);
	walk = walk_of(session, slot, number);
	note_start(session, slot, launch);
	tenant->between |= launch_queues_of(launch, number);
	commands_begin(&walk);
	begin_request(tenant, number, since);
	return go_on(session, slot, number);
}

/* A launch begins. */
static u32 begin_launch(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	u32 queues = launch_queues_of(present_launch(&tenant->queue[number]), number);

	/* What was expected has come. */
	if (!present_launch(&tenant->queue[number])->copy)
		tenant->hint = (struct session_hint) { 0 };
	for (; queues; queues &= queues - 1) {
		u32 other = (u32)__builtin_ctz(queues);

		tenant->part[other].marked = 0;
		tenant->queue[other].kernel = 0;
	}
	if (batching_is_on(tenant))
		batching_admit(tenant, present_launch(&tenant->queue[number]),
			       session_now(session));
	return begin_run(session, slot, number,
			 launch_arrival_cycle(present_launch(&tenant->queue[number])));
}

/*
 * Begin launches that waited for one that has ended, so that the tenant keeps its work. If it
 * had none, they begin as all others do (launch_start_due()).
 */
static u32 begin_let_go(struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 mask = tenant->pending & ~begun_queues(tenant), events = 0;
	struct launch_memory memory;

	if (!mask)
		return 0;
	launch_look_at_memory(session, &memory);
	for (; mask; mask &= mask - 1) {
		u32 number = (u32)__builtin_ctz(mask);

		if (!launch_can_begin(session, &memory, slot, number))
			continue;
		events |= begin_launch(session, slot, number);
		launch_look_at_memory(session, &memory);
	}
	return events;
}

/* The next request of a service that batches has come, and begins while others may run. */
static void admit_next(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct queue *queue = &tenant->queue[0];
	struct arrivals *arrivals = &tenant->arrivals;

	queue->launch[queue->head] = next_request(arrivals);
	arrivals->more = arrivals_next(&arrivals->plan, slot, &arrivals->next);
	tenant->hint = (struct session_hint) { 0 };
	batching_admit(tenant, present_launch(queue), session_now(session));
}

/* A step of a service that batches has ended: its requests have tokens, and another one begins. */
static u32 end_step(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct queue *queue = &tenant->queue[0];
	u32 step = next_step(session, slot);
	struct launch ended = { .trace = tenant->arrivals.trace };
	u64 end = run_end(session, slot, 0);

	if (batching_end_step(tenant, end))
		end_first_run(session, slot, 0);
	failures_run_over(session, slot, 1);
	if (step == TRACE_NO_COMMAND) {
		launch_end(session, slot, 0, 0);
		launch_arrive(session, slot);
		return 0;
	}
	if (trace_step(tenant->arrivals.trace, step)->what)
		batching_decode(tenant, &queue->launch[queue->head], step);
	else
		admit_next(session, slot);
	ended.sequence = batching_tell(tenant);
	if (ended.sequence)
		tell_end(session, slot, 0, &ended, 0);
	return begin_run(session, slot, 0, end);
}

/* A trace has run: begin it again, or take the next launch. */
static u32 end_run(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct queue *queue = &tenant->queue[number];
	struct launch *launch = &queue->launch[queue->head];
	u32 events = 0;

	if (batching_is_on(tenant))
		return end_step(session, slot);
	if (!launch->copy)
		end_first_run(session, slot, number);
	failures_run_over(session, slot, launch_queues_of(launch, number));
	launch->repeats_left--;
	if (!launch->repeats_left) {
		launch_tell_waiting(tenant, launch->sequence);
		if (launch_is_relaunched(session, slot, number)) {
			launch->repeats_left = 1;
			launch->done = true;
		}
	}
	if (launch->repeats_left) {
		events = begin_run(session, slot, number, run_end(session, slot, number));
	} else {
		note_latency(session, slot, number);
		launch_end(session, slot, number, 0);
		launch_arrive(session, slot);
	}
	return events;
}

/* Whether a queue's launch ends with the kernel that has ended, for launches that wait. */
static bool is_over(const struct queue *queue)
{
	const struct launch *launch = present_launch(queue);

	return queue->kernel + 1 == launch->trace->kernel_count &&
	       launch->repeats_left <= 1;
}

/* Whether all launches that a launch waits for have ended, or are among @queues. */
static bool is_let_go(const struct session_tenant *tenant, u32 queues,
		      const struct launch *launch)
{
	struct launch rest = *launch;
	u32 i;

	for (; queues; queues &= queues - 1) {
		const struct queue *queue = &tenant->queue[__builtin_ctz(queues)];
		u64 sequence = present_launch(queue)->sequence;

		for (i = 0; i < SESSION_WAITS_MAX; i++)
			if (rest.wait[i] == sequence)
				rest.wait[i] = 0;
	}
	return !launch_waits(&rest);
}

/* What comes of a launch with commands. */
enum ahead {
	AHEAD_ENDS,
	AHEAD_RESTS,
	AHEAD_WORKS,
};

/* Whether what a part did has ended, and the session has not heard of it. */
static bool part_has_ended(const struct session *session, u32 slot, u32 number, u32 ended)
{
	const struct launch_part *part = &session->tenants[slot].part[number];

	return ended >> number & 1 ||
	       (part->state == PART_COPIES && !failures_stall(session, slot, number) &&
		copies_are_done(session, slot, number));
}

/*
 * Whether another run of a launch follows the present one.
 * @request: of the next run; set to the step, where requests are batched
 */
static bool run_follows(const struct session *session, u32 slot, u32 lead, u64 *request)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	if (!batching_is_on(tenant))
		return present_launch(&tenant->queue[lead])->repeats_left > 1 ||
		       launch_is_relaunched(session, slot, lead);
	*request = next_step(session, slot);
	return *request != TRACE_NO_COMMAND;
}

/*
 * Whether a launch with commands will have a kernel in this cycle.
 * @ended: queues whose kernels have ended
 * @begins: it begins
 */
static enum ahead look_ahead(const struct session *session, u32 slot, u32 lead, u32 ended,
			     bool begins)
{
	struct commands_walk walk = walk_of(session, slot, lead);
	struct launch_part parts[SESSION_QUEUES_MAX];
	u32 queues;

	memcpy(parts, walk.part, (SESSION_QUEUES_MAX - lead) * sizeof(parts[0]));
	walk.part = parts;
	if (begins)
		commands_begin(&walk);
	for (queues = begins ? 0 : walk.trace->queues; queues; queues &= queues - 1) {
		u32 queue = (u32)__builtin_ctz(queues);

		if (part_has_ended(session, slot, lead + queue, ended))
			commands_done(walk.trace, &parts[queue], queue, walk.now);
	}
	if (commands_go(&walk)) {
		if (!run_follows(session, slot, lead, &walk.request))
			return AHEAD_ENDS;
		commands_begin(&walk);
		commands_go(&walk);
	}
	return commands_have_kernel(&walk) ? AHEAD_WORKS : AHEAD_RESTS;
}

/* The first launch of a queue when those of @over have ended; NULL: none */
static const struct launch *first_without(const struct queue *queue, u32 number, u32 over)
{
	u32 index = over >> number & 1;

	return queue->launches <= index ? NULL :
	       &queue->launch[(queue->head + index) % SESSION_LAUNCHES_MAX];
}

/* Whether a launch would begin, and with a kernel, when the launches of @over have ended. */
static bool next_works(const struct session *session, u32 slot, u32 number, u32 over,
		       const struct launch *next)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	struct launch_part parts[SESSION_QUEUES_MAX];
	struct commands_walk walk = {
		.trace = next->trace,
		.part = parts,
		.now = session_now(session),
		.core_mhz = session->initial.config.core_mhz,
		.request = next_request_of(tenant, number),
	};
	u32 queues = launch_queues_of(next, number);

	if (!next->trace->command_count)
		return true;
	if (!launch_is_lead(next, number))
		return false;
	for (; queues; queues &= queues - 1) {
		u32 other = (u32)__builtin_ctz(queues);
		const struct launch *first = first_without(&tenant->queue[other], other, over);

		/* Requests that come by themselves enter their queues when those are empty. */
		if (first ? first->sequence != next->sequence : !tenant->arrivals.trace)
			return false;
	}
	commands_begin(&walk);
	commands_go(&walk);
	return commands_have_kernel(&walk);
}

/*
 * Whether a queue still has work when the kernels of @over, and their launches, have ended,
 * and those of @resting, of which the launches go on without a kernel.
 */
static bool goes_on(const struct session *session, const struct launch_memory *memory,
		    u32 slot, u32 number, u32 over, u32 resting)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct queue *queue = &tenant->queue[number];
	struct launch next = *present_launch(queue);

	if (working_queues(tenant) & ~over & ~resting & 1U << number)
		return true;
	if (begun_queues(tenant) & ~over & 1U << number)
		return false;
	if (over >> number & 1 && launch_is_relaunched(session, slot, number))
		return true;
	if (over >> number & 1 &&
	    !launch_following(session, slot, number, &next))
		return false;
	return next.not_before <= session_now(session) &&
	       is_let_go(tenant, over, &next) &&
	       next_works(session, slot, number, over, &next) &&
	       !launch_must_wait(session, memory, slot, number, &next);
}

/*
 * launch_departs() - whether a tenant has no work left when its kernels that @ended have
 *	been replaced by the next ones
 */
bool launch_departs(const struct session *session, const struct ended *ended,
		    u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 over = 0, resting = 0, mask;
	struct launch_memory memory;

	for (mask = ended->queues[slot]; mask; mask &= mask - 1) {
		u32 number = (u32)__builtin_ctz(mask);
		const struct launch *launch = present_launch(&tenant->queue[number]);
		enum ahead ahead;

		if (!launch->trace->command_count) {
			if (is_over(&tenant->queue[number]))
				over |= mask & -mask;
			continue;
		}
		ahead = look_ahead(session, slot, launch->lead, ended->queues[slot], false);
		if (ahead == AHEAD_WORKS)
			return false;
		resting |= mask & -mask;
		if (ahead == AHEAD_ENDS)
			over |= launch_queues_of(launch, launch->lead);
	}
	if (working_queues(tenant) & tenant->pending & ~over & ~resting)
		return false;
	launch_look_at_memory(session, &memory);
	for (mask = tenant->pending; mask; mask &= mask - 1)
		if (goes_on(session, &memory, slot, (u32)__builtin_ctz(mask),
			    over, resting))
			return false;
	return true;
}

/* A queue's kernel has ended: go on to the next one of its run, or the next run. */
static u32 advance(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct queue *queue = &tenant->queue[number];
	const struct launch *launch = present_launch(queue);
	bool commands = launch->trace->command_count;
	u32 events;

	if (!commands && queue->kernel + 1 < launch->trace->kernel_count)
		return offer_kernel(session, slot, number, queue->kernel + 1);
	if (commands) {
		tenant->between |= 1U << number;
		commands_done(launch->trace, &tenant->part[number], number - launch->lead,
			      session_kernel_end(session, slot, number));
		events = go_on(session, slot, launch->lead);
	} else {
		events = end_run(session, slot, number);
	}
	events |= begin_let_go(session, slot);
	return has_work(tenant) ? events : events | SIMGPU_ON_DEPARTURE;
}

/*
 * launch_advance() - a queue's kernel has ended: go on to the next one of its trace, the
 *	next run, the next launch, or nothing
 *
 * Return: SIMGPU_ON_KERNEL_END, and further events.
 */
u32 launch_advance(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct queue *queue = &tenant->queue[number];
	const struct launch *launch = present_launch(queue);
	u32 events = SIMGPU_ON_KERNEL_END;

	if (session->hooks.kernel_finish)
		session->hooks.kernel_finish(session->hooks.context, slot,
					     number, launch->sequence,
					     launch->trace, queue->kernel,
					     session_kernel_end(session, slot,
								number));
	failures_end(session, slot, number);
	tenant->running &= ~(1U << number);
	queue->events |= SIMGPU_ON_KERNEL_END;
	events |= advance(session, slot, number);
	tenant->events |= events;
	return events;
}

/* A tenant may have got work that it did not have. Return: SIMGPU_ON_ARRIVAL, or 0. */
static u32 note_work(struct session *session, u32 slot, bool had_work)
{
	struct session_tenant *tenant = &session->tenants[slot];

	if (had_work || !has_work(tenant))
		return 0;
	tenant->arrival_cycle = session_now(session);
	tenant->progress_cycle = session_now(session);
	return SIMGPU_ON_ARRIVAL;
}

/* Whether a part that has no kernel can go on now. */
static bool part_is_due(const struct session *session, u32 slot, u32 number)
{
	return part_next(session, slot, number) <= session_now(session);
}

/* Let a part go on that has waited for a cycle, or for its copy. */
static u32 go_on_part(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	const struct launch *launch = present_launch(&tenant->queue[number]);
	struct launch_part *part = &tenant->part[number];
	u32 events = 0;

	if (part->state == PART_COPIES) {
		if (!copies_are_done(session, slot, number)) {
			copies_go_on(session, slot, number);
			return 0;
		}
		failures_end(session, slot, number);
		copies_note_end(session, slot, number);
		commands_done(launch->trace, part, number - launch->lead,
			      copies_end(session, slot, number));
		if (lists(session, SIMGPU_ON_COPY_END))
			events = SIMGPU_ON_COPY_END;
		tenant->queue[number].events |= events;
	}
	return events | go_on(session, slot, launch->lead);
}

/* Let a tenant's launches go on that have no kernel now. */
static u32 go_on_tenant(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	bool had_work = has_work(tenant);
	u32 events = 0, number;

	for (number = 0; tenant->between >> number; number++)
		if (tenant->between >> number & 1 && part_is_due(session, slot, number))
			events |= go_on_part(session, slot, number);
	events |= note_work(session, slot, had_work);
	tenant->events |= events;
	return events;
}

/* Begin the launches of a tenant's queues that can begin. */
static u32 start_tenant(struct session *session, struct launch_memory *memory, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	u32 events = 0, mask;

	for (mask = tenant->pending; mask; mask &= mask - 1) {
		u32 number = (u32)__builtin_ctz(mask);
		bool had_work = has_work(tenant);

		if (!launch_can_begin(session, memory, slot, number))
			continue;
		tenant->events |= begin_launch(session, slot, number);
		tenant->events |= note_work(session, slot, had_work);
		events |= tenant->events;
		launch_look_at_memory(session, memory);
	}
	return events;
}

/* Begin all that can begin; then others may be next in turn for memory. */
static u32 start_due_once(struct session *session)
{
	u32 events = 0, slot;
	struct launch_memory memory;

	launch_look_at_memory(session, &memory);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		events |= start_tenant(session, &memory, slot);
	return events;
}

/*
 * launch_start_due() - begin launches whose cycle has come and that wait for nothing, and let
 *	those go on whose commands have
 *
 * Return: SIMGPU_ON_ARRIVAL if they are of tenants without work, and further
 * events.
 */
u32 launch_start_due(struct session *session)
{
	u32 events = 0, more, slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (session->tenants[slot].between)
			events |= go_on_tenant(session, slot);
	do {
		more = start_due_once(session);
		events |= more;
	} while (more && session->initial.config.memory_mb);
	return events;
}

/* Whether a launch that begins, or goes on, has a kernel in this cycle. */
static bool would_work(const struct session *session, u32 slot, u32 number, bool begins)
{
	const struct launch *launch =
		present_launch(&session->tenants[slot].queue[number]);

	return !launch->trace->command_count ||
	       look_ahead(session, slot, launch->lead, 0, begins) == AHEAD_WORKS;
}

/* Whether some queue of a tenant can begin, and with a kernel. */
static bool some_can_begin(const struct session *session,
			   const struct launch_memory *memory, u32 slot)
{
	u32 mask;

	for (mask = session->tenants[slot].pending; mask; mask &= mask - 1) {
		u32 number = (u32)__builtin_ctz(mask);

		if (launch_can_begin(session, memory, slot, number) &&
		    would_work(session, slot, number, true))
			return true;
	}
	return false;
}

/* Whether some launch of a tenant that has no kernel comes to one. */
static bool some_go_on(const struct session *session, u32 slot)
{
	u32 mask;

	for (mask = session->tenants[slot].between; mask; mask &= mask - 1) {
		u32 number = (u32)__builtin_ctz(mask);

		if (part_is_due(session, slot, number) &&
		    would_work(session, slot, number, false))
			return true;
	}
	return false;
}

/* launch_brings_work() - whether launch_start_due() would give a tenant work */
bool launch_brings_work(const struct session *session)
{
	struct launch_memory memory;
	u32 slot;

	launch_look_at_memory(session, &memory);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (!has_work(&session->tenants[slot]) &&
		    (some_can_begin(session, &memory, slot) ||
		     some_go_on(session, slot)))
			return true;
	return false;
}

/* launch_copies_wait() - whether some copy waits for the policy */
bool launch_copies_wait(const struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (commands_copies_ready(&session->tenants[slot]))
			return true;
	return false;
}

/* launch_next_start() where launches wait for memory: only the first that is due can begin. */
static u64 next_with_memory(const struct session *session)
{
	const struct queue *queue;
	struct launch_memory memory;

	launch_look_at_memory(session, &memory);
	if (memory.arrival == NEVER ||
	    !launch_can_begin(session, &memory, memory.slot, memory.number))
		return memory.next_start;
	queue = &session->tenants[memory.slot].queue[memory.number];
	return present_launch(queue)->not_before;
}

/* When the next launch without a kernel goes on. */
static u64 next_part(const struct session *session)
{
	u64 next = NEVER;
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		for (mask = session->tenants[slot].between; mask; mask &= mask - 1)
			next = min(next, part_next(session, slot, (u32)__builtin_ctz(mask)));
	return next;
}

/*
 * launch_next_start() - when the next waiting launch starts, or goes on; NEVER: none does, or
 *	another one has to end first
 */
u64 launch_next_start(const struct session *session)
{
	u64 next = next_part(session);
	u32 slot, mask;

	if (session->initial.config.memory_mb)
		return min(next, next_with_memory(session));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		mask = tenant->pending & ~begun_queues(tenant);
		for (; mask; mask &= mask - 1) {
			u32 number = (u32)__builtin_ctz(mask);
			const struct launch *launch =
				present_launch(&tenant->queue[number]);

			if (launch->not_before < next && !launch_waits_for_others(tenant, number))
				next = launch->not_before;
		}
	}
	return next;
}

/* --- launches that end before their end ------------------------------------------------- */

/* launch_queues_at() - the queues that the launch at the head of a queue takes, a bit each */
u32 launch_queues_at(const struct session *session, u32 slot, u32 number)
{
	const struct queue *queue = &session->tenants[slot].queue[number];

	return queue->launches ?
	       launch_queues_of(present_launch(queue), lead_of(session, slot, number)) :
	       1U << number;
}

/* launch_may_repeat() - whether the thread blocks of a queue's launch may run twice */
bool launch_may_repeat(const struct session *session, u32 slot, u32 number)
{
	return present_launch(&session->tenants[slot].queue[number])->idempotent;
}

/* launch_leads() - the queues of a tenant's launches that have begun, a bit each */
u32 launch_leads(const struct session *session, u32 slot)
{
	u32 mask, leads = 0;

	for (mask = begun_queues(&session->tenants[slot]); mask; mask &= mask - 1)
		leads |= 1U << lead_of(session, slot, (u32)__builtin_ctz(mask));
	return leads;
}

static void tell_dropped(struct session *session, u32 slot, u32 number)
{
	const struct queue *queue = &session->tenants[slot].queue[number];
	const struct launch *launch = present_launch(queue);

	if (session->hooks.kernel_drop)
		session->hooks.kernel_drop(session->hooks.context, slot, number,
					   launch->sequence, launch->trace, queue->kernel);
}

/* Take kernels and copies of some queues from the device, and from the private run. */
static void take_off(struct session *session, u32 slot, u32 queues)
{
	struct session_tenant *tenant = &session->tenants[slot];
	u32 mask;

	goal_account(session, slot);
	for (mask = queues & tenant->running; mask; mask &= mask - 1) {
		tell_dropped(session, slot, (u32)__builtin_ctz(mask));
		gpu_queue_drop(session->gpu, slot, (u32)__builtin_ctz(mask));
	}
	private_run_drop(session, slot, queues & tenant->running);
	tenant->running &= ~queues;
	tenant->ready &= ~queues;
	tenant->launching &= ~queues;
	tenant->slicing &= ~queues;
	tenant->between &= ~queues;
	copies_forget(session, slot, queues);
	failures_run_over(session, slot, queues);
}

/* What happens to a tenant's launches: events that concern it, and whether it has work left. */
static u32 note_events(struct session *session, u32 slot, bool had_work, u32 events)
{
	struct session_tenant *tenant = &session->tenants[slot];

	if (had_work && !has_work(tenant))
		events |= SIMGPU_ON_DEPARTURE;
	tenant->events |= events;
	return events;
}

/*
 * launch_kill() - end the launch at the head of a queue, which has begun, on the spot
 * @status: which its owner is told
 * @again: where launches are launched again when they end, so is this one. Then its owner is
 *	not told
 *
 * Launches that wait for it do not wait any more; launch_go_on() begins them, and the next one
 * of the queue.
 *
 * Return: events.
 */
u32 launch_kill(struct session *session, u32 slot, u32 number, int status, bool again)
{
	struct session_tenant *tenant = &session->tenants[slot];
	u32 lead = lead_of(session, slot, number), events = 0;
	struct queue *queue = &tenant->queue[lead];
	struct launch *launch = &queue->launch[queue->head];
	bool had_work = has_work(tenant);

	take_off(session, slot, launch_queues_of(launch, lead));
	launch_tell_waiting(tenant, launch->sequence);
	if (again && launch_is_relaunched(session, slot, lead)) {
		launch->repeats_left = 1;
		launch->done = true;
		events = begin_run(session, slot, lead, session_now(session));
	} else {
		launch_end(session, slot, lead, status);
		launch_arrive(session, slot);
	}
	return note_events(session, slot, had_work, events);
}

/* launch_go_on() - begin a tenant's launches that waited for one that was killed */
u32 launch_go_on(struct session *session, u32 slot)
{
	bool had_work = has_work(&session->tenants[slot]);

	return note_events(session, slot, had_work, begin_let_go(session, slot));
}

/* launch_kill_all() - end all launches of a tenant on the spot. Return: events */
u32 launch_kill_all(struct session *session, u32 slot, int status)
{
	bool had_work = has_work(&session->tenants[slot]);

	take_off(session, slot, ALL_QUEUES);
	launch_drop_all(session, slot, status);
	return note_events(session, slot, had_work, 0);
}

/* launch_restart() - the present run of a launch that has begun begins again. Return: events */
u32 launch_restart(struct session *session, u32 slot, u32 number)
{
	struct session_tenant *tenant = &session->tenants[slot];
	u32 lead = lead_of(session, slot, number);
	const struct launch *launch = present_launch(&tenant->queue[lead]);
	bool had_work = has_work(tenant);

	take_off(session, slot, launch_queues_of(launch, lead));
	/* It does the same request, or step, once more. */
	tenant->requests[lead].begun -= launch->trace->request_count && !batching_is_on(tenant);
	return note_events(session, slot, had_work, begin_run(session, slot, lead,
						tenant->requests[lead].counted));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Launches: what waits in a tenant's queue, which kernel of it runs, and what
 * follows when one ends. It changes the hardware's kernels and tells which events
 * (SIMGPU_ON_*) that were, here and in the tenants' own; what follows from them is
 * decided elsewhere.
 */
#include "core.h"

/* present_launch() - the one at the head of a tenant's queue, or NULL */
struct launch *present_launch(struct session_tenant *tenant)
{
	return tenant->launches ? &tenant->launch[tenant->head] : NULL;
}

/* launch_end() - the launch at the head is over; its owner hears of it */
void launch_end(struct session *session, u32 slot, int status)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch launch = tenant->launch[tenant->head];

	tenant->head = (tenant->head + 1) % SESSION_LAUNCHES_MAX;
	tenant->launches--;
	if (session->hooks.launch_done)
		session->hooks.launch_done(session->hooks.context, slot,
					   launch.sequence, launch.trace,
					   status);
}

/* Requests that have not come do not; the last one's end is that of all. */
static void arrivals_end(struct session *session, u32 slot, int status)
{
	struct arrivals *arrivals = &session->tenants[slot].arrivals;
	struct arrivals ended = *arrivals;

	arrivals->trace = NULL;
	arrivals->more = false;
	if (ended.trace && ended.more && session->hooks.launch_done)
		session->hooks.launch_done(session->hooks.context, slot,
					   ended.sequence +
					   ended.plan.requests - 1,
					   ended.trace, status);
}

/* launch_drop_all() - launches that have not ended do so, and none come any more */
void launch_drop_all(struct session *session, u32 slot, int status)
{
	struct session_tenant *tenant = &session->tenants[slot];

	tenant->running = false;
	tenant->ready = false;
	tenant->launching = false;
	while (tenant->launches)
		launch_end(session, slot, status);
	arrivals_end(session, slot, status);
}

/* launch_end_all() - the same, and what runs is dropped */
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
 * Its cycle may be to come, or long over: requests are as many as they are, and
 * none is kept that has not begun.
 */
void launch_arrive(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct arrivals *arrivals = &tenant->arrivals;

	if (tenant->launches)
		return;
	if (!arrivals->more) {
		arrivals->trace = NULL;
		return;
	}
	tenant->launch[tenant->head] = next_request(arrivals);
	tenant->launches = 1;
	arrivals->more = arrivals_next(&arrivals->plan, slot, &arrivals->next);
}

/*
 * launch_following() - the launch behind the present one
 *
 * Return: false if there is none so far; that which will be is not known of
 * requests that have not come.
 */
bool launch_following(const struct session *session, u32 slot,
		      struct launch *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	if (tenant->launches > 1) {
		*out = tenant->launch[(tenant->head + 1) % SESSION_LAUNCHES_MAX];
		return true;
	}
	if (!tenant->arrivals.more)
		return false;
	*out = next_request(&tenant->arrivals);
	return out->not_before <= session_now(session);
}

/*
 * launch_waiting() - launches behind the one whose turn it is
 *
 * Return: how many; of arrivals, SESSION_WAITING_MAX if there are as many or more.
 */
u32 launch_waiting(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct arrivals *arrivals = &tenant->arrivals;
	struct arrivals_cursor cursor = arrivals->next;
	u32 waiting = tenant->launches ? tenant->launches - 1 : 0;

	if (!arrivals->more)
		return waiting;
	while (arrivals->begin + cursor.cycle <= session_now(session) &&
	       ++waiting < SESSION_WAITING_MAX)
		if (!arrivals_next(&arrivals->plan, slot, &cursor))
			break;
	return waiting;
}

static void start_kernel(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch *launch = present_launch(tenant);

	tenant->launching = false;
	tenant->running = true;
	gpu_kernel_start(session->gpu, slot, launch->trace, tenant->kernel);
	private_run_start(session, slot, launch->trace, tenant->kernel);
	if (session->hooks.kernel_start)
		session->hooks.kernel_start(session->hooks.context, slot,
					    launch->sequence, tenant->kernel);
}

/* A kernel begins, which takes the launch_cycles of the configuration. */
static void launch_kernel(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch *launch = present_launch(tenant);
	u32 cycles = session->initial.config.launch_cycles;

	if (launch->start_cycle == NEVER)
		launch->start_cycle = session_now(session);
	if (!tenant->started) {
		tenant->started = true;
		tenant->start_cycle = session_now(session);
	}
	tenant->ready = false;
	if (!cycles) {
		start_kernel(session, slot);
		return;
	}
	tenant->launching = true;
	tenant->launch_cycle = session_now(session) + cycles;
}

/* launch_next_launched() - when a kernel has been launched next; NEVER: none is */
u64 launch_next_launched(const struct session *session)
{
	u64 next = NEVER;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (session->tenants[slot].launching &&
		    session->tenants[slot].launch_cycle < next)
			next = session->tenants[slot].launch_cycle;
	return next;
}

/* launch_launched() - kernels whose launch is over start */
void launch_launched(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (session->tenants[slot].launching &&
		    session->tenants[slot].launch_cycle <= session_now(session)) {
			session->tenants[slot].progress_cycle =
				session_now(session);
			start_kernel(session, slot);
		}
}

/*
 * A kernel has come to the head. It starts at once, unless the policy wants to
 * hear of it first, or holds the tenant.
 */
static u32 offer_kernel(struct session *session, u32 slot, u32 kernel)
{
	struct session_tenant *tenant = &session->tenants[slot];

	tenant->kernel = kernel;
	if (!lists(session, SIMGPU_ON_KERNEL_READY) &&
	    !(session->controls.hold >> slot & 1)) {
		launch_kernel(session, slot);
		return 0;
	}
	tenant->ready = true;
	return SIMGPU_ON_KERNEL_READY;
}

/* launch_ready() - kernels that waited for a decision start, but for held ones */
void launch_ready(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (session->tenants[slot].ready &&
		    !(session->controls.hold >> slot & 1))
			launch_kernel(session, slot);
}

static void end_first_run(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];

	if (tenant->first_run_done)
		return;
	tenant->first_run_done = true;
	tenant->first_run_end = session_kernel_end(session, slot);
	gpu_tenant_counters(session->gpu, slot, &tenant->last);
	figures_compute(session->gpu, &tenant->last,
			tenant->first_run_end - tenant->start_cycle,
			&tenant->first_run);
}

/* When a launch came, or comes. */
static u64 arrival_of(const struct launch *launch)
{
	return launch->arrival_cycle > launch->not_before ?
	       launch->arrival_cycle : launch->not_before;
}

/* The present launch has run to its end. */
static void note_latency(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	const struct launch *launch = present_launch(tenant);

	latency_add(&tenant->latency, arrival_of(launch), launch->start_cycle,
		    session_kernel_end(session, slot), launch->deadline);
}

/* launch_is_relaunched() - whether the one at the head begins anew when it ends */
bool launch_is_relaunched(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	return session->initial.relaunch && tenant->launches == 1 &&
	       !tenant->arrivals.trace;
}

/* --- device memory ------------------------------------------------------------------- */

static u64 footprint_of(const struct session_tenant *tenant)
{
	return tenant->launch[tenant->head].trace->footprint_bytes;
}

/* Whether its launch could begin, but for the memory. */
static bool is_due(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	return tenant->launches && !has_work(tenant) &&
	       tenant->launch[tenant->head].not_before <= session_now(session);
}

/* Whether somebody's launch that is due came before one of @slot. */
static bool others_are_first(const struct session *session, u32 slot,
			     const struct launch *launch)
{
	u64 mine = arrival_of(launch), theirs;
	u32 i;

	for (i = 0; i < SESSION_SLOTS_MAX; i++) {
		const struct session_tenant *tenant = &session->tenants[i];

		if (i == slot || !is_due(session, i))
			continue;
		theirs = arrival_of(&tenant->launch[tenant->head]);
		if (theirs < mine || (theirs == mine && i < slot))
			return true;
	}
	return false;
}

/* Footprints of other tenants' launches under way leave too little for this one. */
static bool lacks_memory(const struct session *session, u32 slot,
			 const struct launch *launch)
{
	u64 used = launch->trace->footprint_bytes;
	u32 i;

	for (i = 0; i < SESSION_SLOTS_MAX; i++)
		if (i != slot && has_work(&session->tenants[i]))
			used += footprint_of(&session->tenants[i]);
	return used > (u64)session->initial.config.memory_mb << 20;
}

/*
 * launch_waits_for_memory() - whether a tenant's launch cannot begin for that alone
 *
 * Those that are due begin in the order in which they came: none that is smaller goes
 * before one that waits, which would else wait for ever.
 */
bool launch_waits_for_memory(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct launch *launch = &tenant->launch[tenant->head];

	return session->initial.config.memory_mb && is_due(session, slot) &&
	       (others_are_first(session, slot, launch) ||
		lacks_memory(session, slot, launch));
}

/* The trace has run; whether it, or the next launch, begins. */
static u32 end_run(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch *launch = present_launch(tenant);

	end_first_run(session, slot);
	launch->repeats_left--;
	if (!launch->repeats_left && launch_is_relaunched(session, slot))
		launch->repeats_left = 1;
	if (launch->repeats_left)
		return offer_kernel(session, slot, 0);
	note_latency(session, slot);
	launch_end(session, slot, 0);
	launch_arrive(session, slot);
	if (is_due(session, slot) && !launch_waits_for_memory(session, slot))
		return offer_kernel(session, slot, 0);
	return SIMGPU_ON_DEPARTURE;
}

/*
 * launch_departs() - whether a tenant has no work once its kernel has ended
 */
bool launch_departs(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch *launch = present_launch(tenant), next;

	if (tenant->kernel + 1 < launch->trace->kernel_count ||
	    launch->repeats_left > 1 || launch_is_relaunched(session, slot))
		return false;
	return !launch_following(session, slot, &next) ||
	       next.not_before > session_now(session) ||
	       (session->initial.config.memory_mb &&
		(others_are_first(session, slot, &next) ||
		 lacks_memory(session, slot, &next)));
}

/*
 * launch_advance() - a kernel has ended: the next of its trace follows, the next
 *	run, the next launch, or nothing
 *
 * Return: SIMGPU_ON_KERNEL_END, and what else it was.
 */
u32 launch_advance(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch *launch = present_launch(tenant);
	u32 events = SIMGPU_ON_KERNEL_END;

	if (session->hooks.kernel_finish)
		session->hooks.kernel_finish(session->hooks.context, slot,
					     launch->sequence, tenant->kernel);
	tenant->running = false;
	if (tenant->kernel + 1 < launch->trace->kernel_count)
		events |= offer_kernel(session, slot, tenant->kernel + 1);
	else
		events |= end_run(session, slot);
	tenant->events |= events;
	return events;
}

/* Those that can begin; if one does, others may be next in turn for the memory. */
static u32 start_due_once(struct session *session)
{
	u32 events = 0, slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];

		if (!is_due(session, slot) ||
		    launch_waits_for_memory(session, slot))
			continue;
		tenant->arrival_cycle = session_now(session);
		tenant->progress_cycle = session_now(session);
		tenant->events |= SIMGPU_ON_ARRIVAL |
				  offer_kernel(session, slot, 0);
		events |= tenant->events;
	}
	return events;
}

/*
 * launch_start_due() - launches whose cycle has come, of tenants without work
 *
 * Return: SIMGPU_ON_ARRIVAL if there are any, and what else it was.
 */
u32 launch_start_due(struct session *session)
{
	u32 events = 0, more;

	do {
		more = start_due_once(session);
		events |= more;
	} while (more && session->initial.config.memory_mb);
	return events;
}

/*
 * launch_next_start() - when a waiting launch starts next; NEVER: none does, or
 *	not before another one has ended
 */
u64 launch_next_start(struct session *session)
{
	u64 next = NEVER;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];
		struct launch *launch = present_launch(tenant);

		if (launch && !has_work(tenant) && launch->not_before < next &&
		    !launch_waits_for_memory(session, slot))
			next = launch->not_before;
	}
	return next;
}

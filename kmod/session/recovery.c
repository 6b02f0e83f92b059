// SPDX-License-Identifier: GPL-2.0
/*
 * Recovery: what was injected happens, what has timed out is found, the policy is told, and
 * what it says is done: launches are killed, SMs and the device are reset. Without an answer
 * each step of the ladder is tried: a kill, a reset of the launch's SMs, a reset of the
 * device (docs/failures.md). failures.c keeps the state.
 */
#include "apply.h"
#include "commands.h"
#include "copies.h"
#include "decide.h"
#include "epoch.h"
#include "failures.h"
#include "internal.h"
#include "launch.h"
#include "recovery.h"

/* A queue's launch, as this file goes about it */
struct at {
	u32 slot;
	u32 number;
};

static struct failing *failing_at(struct session *session, struct at at)
{
	return &session->failures.tenant[at.slot].queue[at.number];
}

static u64 kill_cycles(const struct session *session)
{
	u64 set = session->initial.kill_cycles;

	return set ? set : SESSION_KILL_CYCLES_DEFAULT;
}

static u64 reset_sm_cycles(const struct session *session)
{
	u64 set = session->initial.reset_sm_cycles;

	return set ? set : SESSION_RESET_SM_CYCLES_DEFAULT;
}

static u64 reset_device_cycles(const struct session *session)
{
	u64 set = session->initial.reset_device_cycles;

	return set ? set : SESSION_RESET_DEVICE_CYCLES_DEFAULT;
}

/* Whether a queue's launch has a kernel on the device, or a copy under way. */
static bool is_under_way(const struct session *session, u32 slot, u32 number)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	return tenant->running >> number & 1 ||
	       (tenant->between >> number & 1 &&
		tenant->part[number].state == PART_COPIES);
}

/* --- when -------------------------------------------------------------------------------- */

static u64 next_of_queue(const struct session *session, u32 slot, u32 number)
{
	const struct failing *failing = &session->failures.tenant[slot].queue[number];
	u64 next = NEVER;

	switch ((enum failing_stage)failing->stage) {
	case FAILING_ANSWERED:
		return session_now(session);
	case FAILING_KILLING:
	case FAILING_RESETTING:
		return failing->next_at;
	default:
		break;
	}
	if (!is_under_way(session, slot, number))
		return NEVER;
	if (failing->armed && failing->timed)
		next = failing->fails_at;
	if (failing->due && !failing->found)
		next = min(next, failing->due);
	return next;
}

/* recovery_next() - the next cycle at which something fails, is found, or is done; or NEVER */
u64 recovery_next(const struct session *session)
{
	u64 next = NEVER, slots;
	u32 number;

	for (slots = session->failures.watched; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		for (number = 0; number < session->tenants[slot].queues; number++)
			next = min(next, next_of_queue(session, slot, number));
	}
	return next;
}

/* --- what ends ---------------------------------------------------------------------------- */

/* Launches are to end: the epoch before ends first if the session splits SMs after that. */
static void begin_change(struct session *session)
{
	if (!lists(session, SIMGPU_ON_DEPARTURE))
		epoch_end(session, false);
}

static void end_change(struct session *session, u32 events)
{
	if (decide_events(session, events) & SIMGPU_ON_DEPARTURE)
		split_even_now(session);
}

/* Thread blocks that are on SMs, of whomever */
static u32 resident_blocks(const struct session *session)
{
	struct gpu_sm_status status;
	u32 blocks = 0, sm;

	for (sm = 0; sm < session->initial.config.sms; sm++) {
		gpu_sm_status(session->gpu, sm, &status);
		blocks += status.blocks;
	}
	return blocks;
}

/*
 * A step of the recovery begins: what it does is noted until it is over.
 * @cycles: see &struct session_acted, as @over
 */
static void begin_step(struct session *session, struct at at, u32 recovery, u64 cycles,
		       bool over)
{
	session->acting = (struct session_acted) {
		.slot = at.slot,
		.queue = at.number,
		.step = recovery,
		.over = over,
		.cycles = cycles,
		.blocks = session->hooks.acted ? resident_blocks(session) : 0,
	};
}

/* The step is over, and nothing has begun since. */
static void end_step(struct session *session)
{
	struct session_acted *acted = &session->acting;

	if (!session->hooks.acted)
		return;
	acted->blocks -= resident_blocks(session);
	if (acted->slot < SESSION_SLOTS_MAX) {
		acted->strikes = session->failures.tenant[acted->slot].strikes;
		acted->banned = session->failures.tenant[acted->slot].banned;
	}
	session->hooks.acted(session->hooks.context, acted);
}

/* The status of a guilty launch, by what was found */
static int status_of(u32 found)
{
	switch (found) {
	case SIMGPU_FAILED_ADDRESS:
		return session_launch_ends[SESSION_LAUNCH_BAD_ADDRESS].status;
	case SIMGPU_FAILED_MEMORY:
		return session_launch_ends[SESSION_LAUNCH_MEMORY_ERROR].status;
	default:
		return session_launch_ends[SESSION_LAUNCH_TIMED_OUT].status;
	}
}

/* No kernel of a launch's queues begins for a time. */
static void delay(struct session *session, struct at at, u64 cycles)
{
	u32 queues = launch_queues_at(session, at.slot, at.number);

	for (; queues; queues &= queues - 1)
		failing_at(session, (struct at) { at.slot, (u32)__builtin_ctz(queues) })
			->ready_at = session_now(session) + cycles;
}

/*
 * End a launch that has failed. Its tenant may be banned for it: then all its launches end.
 *
 * Return: events.
 */
static u32 end_guilty(struct session *session, struct at at)
{
	struct tenant_failures *tenant = &session->failures.tenant[at.slot];
	u32 found = failing_at(session, at)->found, events;

	tenant->kills++;
	/* The device's memory has failed, not the tenant. */
	if (found != SIMGPU_FAILED_MEMORY)
		failures_strike(session, at.slot, at.number);
	events = launch_kill(session, at.slot, at.number, status_of(found), !tenant->banned);
	return tenant->banned ?
	       events | launch_kill_all(session, at.slot,
					session_launch_ends[SESSION_LAUNCH_MEMORY_ERROR].status) :
	       events | launch_go_on(session, at.slot);
}

/* The queue of a launch that something was found of, or @at's own. */
static struct at failed_of_launch(struct session *session, struct at at)
{
	u32 queues = launch_queues_at(session, at.slot, at.number);

	for (; queues; queues &= queues - 1) {
		struct at other = { at.slot, (u32)__builtin_ctz(queues) };

		if (failing_at(session, other)->found)
			return other;
	}
	return at;
}

/*
 * A reset takes a launch's thread blocks or kernels. Guilty ones end as they would have ended.
 * @restart: an innocent one that may run twice begins its run again; else the reset of SMs has
 *	its blocks begin again
 */
static u32 end_victim(struct session *session, struct at at, bool restart)
{
	struct tenant_failures *tenant = &session->failures.tenant[at.slot];

	at = failed_of_launch(session, at);
	if (failing_at(session, at)->found)
		return end_guilty(session, at);
	tenant->resets++;
	if (launch_may_repeat(session, at.slot, at.number)) {
		tenant->repeated++;
		session->acting.repeated++;
		return restart ? launch_restart(session, at.slot, at.number) : 0;
	}
	tenant->canceled++;
	session->acting.canceled++;
	return launch_kill(session, at.slot, at.number,
			   session_launch_ends[SESSION_LAUNCH_CANCELED].status, true) |
	       launch_go_on(session, at.slot);
}

/* --- the ladder ------------------------------------------------------------------------------ */

/*
 * A step ends what has failed, or does not: then the next one comes after its time.
 * @stage: of the next step, or FAILING_NOT
 */
static void take_step(struct session *session, struct at at, u64 cycles, u32 recovery,
		      u32 stage)
{
	struct failing *failing = failing_at(session, at);

	begin_step(session, at, recovery, cycles, stage == FAILING_NOT);
	if (stage == FAILING_NOT) {
		failures_recovered(session, session_now(session) - failing->found_at + cycles);
		return;
	}
	failing->stage = (u8)stage;
	failing->next_at = session_now(session) + cycles;
}

/* Whether a kernel hangs in such a way that a kill, or a reset of SMs, does not end it. */
static bool goes_on(struct session *session, struct at at, enum session_survives what)
{
	const struct failing *failing = failing_at(session, at);

	return failing->hangs && failing->survives >= what;
}

/* @as: SESSION_RECOVERY_KILLED, or _KILLED_TENANT of a tenant that is banned for it */
static void kill_launch(struct session *session, struct at at, u32 as)
{
	u64 cycles = kill_cycles(session);

	if (goes_on(session, at, SESSION_SURVIVES_KILL)) {
		take_step(session, at, cycles, as, FAILING_KILLING);
		end_step(session);
		return;
	}
	take_step(session, at, cycles, as, FAILING_NOT);
	begin_change(session);
	delay(session, at, cycles);
	end_change(session, end_guilty(session, at));
	end_step(session);
}

/* SMs that have thread blocks of a launch; returns their number */
static u32 sms_of(const struct session *session, struct at at, u64 *sms)
{
	u32 queues = launch_queues_at(session, at.slot, at.number), count = 0, sm;

	memset(sms, 0, SESSION_MASK_WORDS * sizeof(*sms));
	for (sm = 0; sm < session->initial.config.sms; sm++) {
		if (!(gpu_sm_queues(session->gpu, sm, at.slot) & queues))
			continue;
		sms[sm / 64] |= 1ULL << sm % 64;
		count++;
	}
	return count;
}

/* Queues of a slot that have thread blocks on some of these SMs, a bit each */
static u32 queues_on(const struct session *session, u32 slot, const u64 *sms)
{
	u32 queues = 0, sm;

	for (sm = 0; sm < session->initial.config.sms; sm++)
		if (sms[sm / 64] >> sm % 64 & 1)
			queues |= gpu_sm_queues(session->gpu, sm, slot);
	return queues;
}

/* All launches but one that have thread blocks on SMs which are to be reset. */
static u32 end_victims_on(struct session *session, struct at but, const u64 *sms)
{
	u32 events = 0, slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		u32 queues = queues_on(session, slot, sms);

		if (slot == but.slot)
			queues &= ~launch_queues_at(session, slot, but.number);
		while (queues) {
			struct at at = { slot, (u32)__builtin_ctz(queues) };

			queues &= ~launch_queues_at(session, slot, at.number);
			events |= end_victim(session, at, false);
			/* A guilty one may have ended others of its tenant. */
			queues &= begun_queues(&session->tenants[slot]);
		}
	}
	return events;
}

static void reset_sms_of(struct session *session, const u64 *sms, u64 cycles)
{
	u32 sm;

	for (sm = 0; sm < session->initial.config.sms; sm++) {
		if (!(sms[sm / 64] >> sm % 64 & 1))
			continue;
		gpu_sm_reset(session->gpu, sm, cycles);
		session->failures.sm_ready_at[sm] = session_now(session) + cycles;
		session->failures.sm_resets++;
	}
}

static void reset_sms(struct session *session, struct at at)
{
	bool stays = goes_on(session, at, SESSION_SURVIVES_SM_RESET);
	u64 cycles = reset_sm_cycles(session), sms[SESSION_MASK_WORDS];
	u32 events;

	take_step(session, at, cycles, SESSION_RECOVERY_RESET_SMS,
		  stays ? FAILING_RESETTING : FAILING_NOT);
	session->acting.sms = sms_of(session, at, sms);
	begin_change(session);
	events = end_victims_on(session, at, sms);
	/* Another guilty launch of the tenant may have ended this one with it. */
	if (!stays && begun_queues(&session->tenants[at.slot]) >> at.number & 1) {
		delay(session, at, cycles);
		events |= end_guilty(session, at);
	}
	reset_sms_of(session, sms, cycles);
	end_change(session, events);
	end_step(session);
}

/* All launches that have begun; those behind them wait. */
static u32 end_victims(struct session *session)
{
	u32 events = 0, slot, queues;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		queues = begun_queues(&session->tenants[slot]);
		while (queues) {
			struct at at = { slot, (u32)__builtin_ctz(queues) };

			queues &= ~launch_queues_at(session, slot, at.number);
			events |= end_victim(session, at, true);
			/* A guilty one may have ended others of its tenant. */
			queues &= begun_queues(&session->tenants[slot]);
		}
	}
	return events;
}

/* Nothing begins on the device for a time. */
static void hold_device(struct session *session, u64 cycles)
{
	session->failures.down_until = session_now(session) + cycles;
	copies_hold(session, session->failures.down_until);
}

static void reset_device(struct session *session, struct at at)
{
	u64 cycles = reset_device_cycles(session);

	take_step(session, at, cycles, SESSION_RECOVERY_RESET_DEVICE, FAILING_NOT);
	begin_change(session);
	session->failures.device_resets++;
	hold_device(session, cycles);
	end_change(session, end_victims(session));
	gpu_reset(session->gpu);
	end_step(session);
}

static void kill_tenant(struct session *session, struct at at)
{
	failures_ban(session, at.slot);
	/* What cannot be killed goes with a reset. */
	if (goes_on(session, at, SESSION_SURVIVES_SM_RESET))
		reset_device(session, at);
	else if (goes_on(session, at, SESSION_SURVIVES_KILL))
		reset_sms(session, at);
	else
		kill_launch(session, at, SESSION_RECOVERY_KILLED_TENANT);
}

/* The timeout once more. */
static void wait_on(struct session *session, struct at at)
{
	struct failing *failing = failing_at(session, at);

	failing->due = session_now(session) +
		       failures_timeout(session, at.slot, at.number);
	failing->found = SIMGPU_FAILED_NOT;
	failing->found_at = 0;
	failing->stage = FAILING_NOT;
	begin_step(session, at, SESSION_RECOVERY_WAITED, failing->due - session_now(session),
		   false);
	end_step(session);
}

static void recover(struct session *session, struct at at)
{
	struct failing *failing = failing_at(session, at);
	u32 said = failing->said;

	failing->said = SIMGPU_RECOVER_AS_USUAL;
	switch (said) {
	case SIMGPU_RECOVER_WAIT:
		wait_on(session, at);
		break;
	case SIMGPU_RECOVER_KILL_TENANT:
		kill_tenant(session, at);
		break;
	case SIMGPU_RECOVER_RESET_SMS:
		reset_sms(session, at);
		break;
	case SIMGPU_RECOVER_RESET_DEVICE:
		reset_device(session, at);
		break;
	default:
		kill_launch(session, at, SESSION_RECOVERY_KILLED);
		break;
	}
}

/* --- what happens, and is found --------------------------------------------------------- */

static void tell_failed(struct session *session, struct at at, u32 kind)
{
	const struct session_tenant *tenant = &session->tenants[at.slot];
	const struct queue *queue = &tenant->queue[at.number];
	const struct launch *launch = present_launch(queue);
	struct session_failed failed = {
		.slot = at.slot,
		.queue = at.number,
		.kind = kind,
		.kernel = queue->kernel,
		.sequence = launch->sequence,
		.trace_name = launch->trace->name,
		/* Behind the last kernel there may be a copy. */
		.kernel_name = queue->kernel < launch->trace->kernel_count ?
			       present_kernel(queue)->name : "",
		.copies = !(tenant->running >> at.number & 1),
		.cycles = session_now(session) - failing_at(session, at)->begin,
	};
	struct gpu_kernel_status status;

	if (!session->hooks.failed)
		return;
	failed.sm_count = sms_of(session, at, failed.sms);
	if (!failed.copies) {
		gpu_queue_status(session->gpu, at.slot, at.number, &status);
		failed.blocks = status.blocks;
		failed.blocks_begun = status.blocks_issued;
		failed.blocks_ended = status.blocks_finished;
		failed.blocks_saved = status.blocks_preempted;
	}
	session->hooks.failed(session->hooks.context, &failed);
}

/* Something is found: the policy decides what is done, if it handles that event. */
static void find(struct session *session, struct at at, u32 kind)
{
	struct tenant_failures *tenant = &session->failures.tenant[at.slot];
	struct failing *failing = failing_at(session, at);
	u64 now = session_now(session);

	failing->found = (u8)kind;
	failing->found_at = now;
	failures_found(session, now - (failing->failed_at ? failing->failed_at :
							    failing->begin));
	if (kind == SIMGPU_FAILED_TIMEOUT)
		tenant->timeouts++;
	else
		tenant->faults++;
	tell_failed(session, at, kind);
	failing->stage = FAILING_ANSWERED;
	if (!lists(session, SIMGPU_ON_TIMEOUT))
		return;
	failing->stage = FAILING_TOLD;
	session->tenants[at.slot].events |= SIMGPU_ON_TIMEOUT;
	session->tenants[at.slot].queue[at.number].events |= SIMGPU_ON_TIMEOUT;
	decide_events(session, SIMGPU_ON_TIMEOUT);
}

/*
 * All launches of a tenant are lost with the device. Where launches are launched again when they
 * end, those that have begun begin again, and those behind them wait on.
 */
static u32 lose_launches(struct session *session, u32 slot)
{
	const int status = session_launch_ends[SESSION_LAUNCH_LOST].status;
	u32 leads = launch_leads(session, slot), events = 0;

	session->failures.tenant[slot].canceled += hweight64((u64)leads);
	session->acting.canceled += hweight64((u64)leads);
	if (!session->initial.relaunch)
		return launch_kill_all(session, slot, status);
	for (; leads; leads &= leads - 1)
		events |= launch_kill(session, slot, (u32)__builtin_ctz(leads), status, true);
	return events | launch_go_on(session, slot);
}

/* The device is lost: all launches end, and it is back after the time of a reset. */
static void lose_device(struct session *session)
{
	const struct session_failed failed = { .slot = SESSION_ANY_SLOT };
	const struct at device = { SESSION_ANY_SLOT, 0 };
	u64 cycles = reset_device_cycles(session);
	u32 events = 0, slot;

	if (session->hooks.failed)
		session->hooks.failed(session->hooks.context, &failed);
	begin_step(session, device, SESSION_RECOVERY_RESET_DEVICE, cycles, true);
	failures_found(session, 0);
	failures_recovered(session, cycles);
	session->failures.lost++;
	hold_device(session, cycles);
	begin_change(session);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		events |= lose_launches(session, slot);
	gpu_reset(session->gpu);
	end_change(session, events);
	end_step(session);
}

/* What was injected happens. Return: whether the device is lost. */
static bool happen(struct session *session, struct at at)
{
	struct failing *failing = failing_at(session, at);
	u32 kind = failing->armed;

	failures_struck(session, at.slot, at.number);
	failing->armed = SESSION_FAILURE_NONE;
	failing->timed = false;
	failing->fails_at = 0;
	if (kind == SESSION_FAILURE_LOST) {
		lose_device(session);
		return true;
	}
	failing->failed_at = session_now(session);
	failing->hangs = kind == SESSION_FAILURE_HANG || kind == SESSION_FAILURE_COPY;
	/* A kernel with a fault does not go on either, until it is killed. */
	if (kind != SESSION_FAILURE_COPY)
		gpu_queue_spin(session->gpu, at.slot, at.number);
	if (kind == SESSION_FAILURE_ADDRESS)
		find(session, at, SIMGPU_FAILED_ADDRESS);
	else if (kind == SESSION_FAILURE_MEMORY)
		find(session, at, SIMGPU_FAILED_MEMORY);
	return false;
}

/* Whether the policy, or the want of an SM, keeps a kernel from progress. */
static bool is_kept(const struct session *session, struct at at)
{
	u64 sms[SESSION_MASK_WORDS];

	if (!(session->tenants[at.slot].running >> at.number & 1))
		return false;
	return is_held(session, at.slot, at.number) || !sms_of(session, at, sms);
}

/*
 * When the last reset of an SM that has thread blocks of a kernel was over. What was dropped
 * there begins again then, and what was dispatched to it meanwhile begins.
 */
static u64 ready_at(const struct session *session, struct at at)
{
	u64 sms[SESSION_MASK_WORDS], latest = 0;
	u32 sm;

	sms_of(session, at, sms);
	for (sm = 0; sm < session->initial.config.sms; sm++)
		if (sms[sm / 64] >> sm % 64 & 1)
			latest = max(latest, session->failures.sm_ready_at[sm]);
	return latest;
}

/* The time is over. What could not be used of it does not count. */
static void time_out(struct session *session, struct at at)
{
	u64 timeout = failures_timeout(session, at.slot, at.number);
	struct failing *failing = failing_at(session, at);
	u64 now = session_now(session), from;

	if (is_kept(session, at)) {
		/* A queue may have lost its timeout since. */
		failing->due = timeout ? now + timeout : 0;
		return;
	}
	from = ready_at(session, at);
	if (from > failing->begin && from + timeout > now)
		failing->due = from + timeout;
	else
		find(session, at, SIMGPU_FAILED_TIMEOUT);
}

/* Look at a queue. Return: whether the device was lost, with which all launches have ended. */
static bool look_at(struct session *session, struct at at)
{
	const struct failing *failing = failing_at(session, at);
	u64 now = session_now(session);

	if (!is_under_way(session, at.slot, at.number))
		return false;
	if (failing->armed && failing->timed && failing->fails_at <= now &&
	    happen(session, at))
		return true;
	if (failing->due && !failing->found && failing->due <= now)
		time_out(session, at);
	return false;
}

/* recovery_find() - let happen what was injected for this cycle, and find what has timed out */
void recovery_find(struct session *session)
{
	u64 slots;
	u32 number;

	for (slots = session->failures.watched; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		for (number = 0; number < session->tenants[slot].queues; number++)
			if (look_at(session, (struct at) { slot, number }))
				return;
	}
}

/* Do what is to be done about a queue in this cycle. */
static void act_at(struct session *session, struct at at)
{
	const struct failing *failing = failing_at(session, at);
	bool due = failing->next_at <= session_now(session);

	if (failing->stage == FAILING_ANSWERED)
		recover(session, at);
	else if (failing->stage == FAILING_KILLING && due)
		reset_sms(session, at);
	else if (failing->stage == FAILING_RESETTING && due)
		reset_device(session, at);
}

/* recovery_act() - do what is to be done in this cycle about what was found */
void recovery_act(struct session *session)
{
	u64 slots;
	u32 number;

	for (slots = session->failures.watched; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		for (number = 0; number < session->tenants[slot].queues; number++)
			act_at(session, (struct at) { slot, number });
	}
}

/* recovery_turn_away() - launches of banned tenants end at once */
void recovery_turn_away(struct session *session)
{
	u64 slots;

	for (slots = session->failures.banned; slots; slots &= slots - 1)
		launch_drop_all(session, (u32)__builtin_ctzll(slots),
				session_launch_ends[SESSION_LAUNCH_MEMORY_ERROR].status);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Failures that were asked for, timeouts, guilt and counts. launch.c tells when kernels and
 * copies begin and end; recovery.c finds what has failed and does something about it.
 */
#include <simgpu/random.h>

#include "failures.h"
#include "internal.h"
#include "journal.h"

const char *const session_failure_names[SESSION_FAILURES] = {
	[SESSION_FAILURE_NONE] = "none",
	[SESSION_FAILURE_HANG] = "hang",
	[SESSION_FAILURE_ADDRESS] = "address",
	[SESSION_FAILURE_MEMORY] = "memory",
	[SESSION_FAILURE_COPY] = "copy",
	[SESSION_FAILURE_LOST] = "lost",
};

const char *const session_survives_names[SESSION_SURVIVES] = {
	[SESSION_SURVIVES_NOTHING] = "nothing",
	[SESSION_SURVIVES_KILL] = "kill",
	[SESSION_SURVIVES_SM_RESET] = "sm-reset",
};

const char *const session_recovery_names[SESSION_RECOVERIES] = {
	[0] = "none",
	[SESSION_RECOVERY_WAITED] = "waited",
	[SESSION_RECOVERY_KILLED] = "killed",
	[SESSION_RECOVERY_KILLED_TENANT] = "killed-tenant",
	[SESSION_RECOVERY_RESET_SMS] = "reset-sms",
	[SESSION_RECOVERY_RESET_DEVICE] = "reset-device",
};

const char *const session_found_names[SESSION_FOUND] = {
	[SIMGPU_FAILED_NOT] = "lost",
	[SIMGPU_FAILED_TIMEOUT] = "timeout",
	[SIMGPU_FAILED_ADDRESS] = "address",
	[SIMGPU_FAILED_MEMORY] = "memory",
};

const struct session_launch_end session_launch_ends[SESSION_LAUNCH_STATUSES] = {
	[SESSION_LAUNCH_OK] = { 0, "ok" },
	[SESSION_LAUNCH_CANCELED] = { -ECANCELED, "canceled" },
	[SESSION_LAUNCH_TIMED_OUT] = { -ETIME, "timed-out" },
	[SESSION_LAUNCH_BAD_ADDRESS] = { -EFAULT, "bad-address" },
	[SESSION_LAUNCH_MEMORY_ERROR] = { -EIO, "memory-error" },
	[SESSION_LAUNCH_LOST] = { -ENODEV, "lost" },
};

enum session_launch_status session_launch_status(int status)
{
	u32 i;

	for (i = 0; i < SESSION_LAUNCH_STATUSES; i++)
		if (session_launch_ends[i].status == status)
			return i;
	return SESSION_LAUNCH_CANCELED;
}

/* --- what may fail -------------------------------------------------------------------- */

static struct failing *failing_of(struct session *session, u32 slot, u32 number)
{
	return &session->failures.tenant[slot].queue[number];
}

bool session_injection_is_good(const struct session_injection *injection)
{
	const struct session_injection none = { .kind = SESSION_FAILURE_NONE };

	if (injection->kind == SESSION_FAILURE_NONE)
		return !memcmp(injection, &none, sizeof(none));
	return injection->kind < SESSION_FAILURES &&
	       (injection->slot < SESSION_SLOTS_MAX ||
		injection->slot == SESSION_INJECT_ANY) &&
	       injection->after_cycles <= SESSION_TIMEOUT_CYCLES_MAX &&
	       injection->probability_ppm <= SIMGPU_PPM &&
	       injection->survives < (injection->kind == SESSION_FAILURE_HANG ?
				      SESSION_SURVIVES : 1);
}

int session_inject(struct session *session, const struct session_injection *injection)
{
	struct failures *failures = &session->failures;
	struct journal_event *event;

	if (!session_injection_is_good(injection) || session->sampled)
		return -EINVAL;
	if (injection->kind != SESSION_FAILURE_NONE &&
	    failures->injections == SESSION_INJECTIONS_MAX)
		return -ENOSPC;
	if (injection->kind == SESSION_FAILURE_NONE) {
		memset(failures->list, 0, sizeof(failures->list));
		memset(&session->struck, 0, sizeof(session->struck));
		failures->injections = 0;
	} else {
		failures->list[failures->injections++].is = *injection;
	}
	event = journal_add(session, JOURNAL_INJECT, 0);
	event->injection = *injection;
	return 0;
}

static bool has_own_timeout(const struct session *session, u32 slot)
{
	u32 i;

	for (i = 0; i < SESSION_QUEUES_MAX; i++)
		if (session->failures.tenant[slot].queue[i].timeout)
			return true;
	return false;
}

/* Whether a session can take injections, with those that it has. */
static int check_injections(const struct session *session,
			    const struct session_injection *injections, u32 count)
{
	u32 have = session->failures.injections, i;

	if (count && session->sampled)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		if (!session_injection_is_good(&injections[i]))
			return -EINVAL;
		have = injections[i].kind == SESSION_FAILURE_NONE ? 0 : have + 1;
		if (have > SESSION_INJECTIONS_MAX)
			return -ENOSPC;
	}
	return 0;
}

int session_inject_all(struct session *session, const struct session_injection *injections,
		       u32 count)
{
	int ret = check_injections(session, injections, count);
	u32 i;

	for (i = 0; i < count && !ret; i++)
		ret = session_inject(session, &injections[i]);
	return ret;
}

u32 session_injections(const struct session *session,
		       struct session_injected out[SESSION_INJECTIONS_MAX])
{
	const struct failures *failures = &session->failures;
	u32 i;

	for (i = 0; i < failures->injections; i++)
		out[i] = (struct session_injected) {
			.is = failures->list[i].is,
			.passed = failures->list[i].passed,
			.struck = session->struck.times[i],
		};
	return failures->injections;
}

/* failures_struck() - what a queue's run was to have has happened */
void failures_struck(struct session *session, u32 slot, u32 number)
{
	u32 by = session->struck.by[slot][number];

	/* 0: the injection has been forgotten since the run began. */
	if (by)
		session->struck.times[by - 1]++;
}

int session_set_timeout(struct session *session, u32 slot, u32 queue, u64 cycles)
{
	struct failures *failures = &session->failures;
	struct journal_event *event;

	if (!is_member(session, slot) || queue >= SESSION_QUEUES_MAX ||
	    cycles > SESSION_TIMEOUT_CYCLES_MAX || (cycles && session->sampled))
		return -EINVAL;
	if (failing_of(session, slot, queue)->timeout == cycles)
		return 0;
	event = journal_add(session, JOURNAL_TIMEOUT, slot);
	event->timeout.queue = queue;
	event->timeout.cycles = cycles;
	failing_of(session, slot, queue)->timeout = cycles;
	failures->timeouts &= ~(1ULL << slot);
	failures->timeouts |= (u64)has_own_timeout(session, slot) << slot;
	return 0;
}

/* failures_may_come() - whether a kernel or copy may fail, or have a timeout */
bool failures_may_come(const struct session *session)
{
	return session->initial.timeout_cycles || session->failures.injections ||
	       session->failures.timeouts;
}

/* failures_timeout() - core cycles after which a queue's kernel has timed out; 0: never */
u64 failures_timeout(const struct session *session, u32 slot, u32 number)
{
	u64 own = session->failures.tenant[slot].queue[number].timeout;

	return own ? own : session->initial.timeout_cycles;
}

/* --- runs, kernels and copies --------------------------------------------------------- */

/* A number below a million, from the session's seed. */
static u32 draw(struct session *session)
{
	u64 state = session->initial.seed + ++session->failures.draws * SIMGPU_RANDOM_STEP;

	return (u32)(simgpu_random_mix(state) % SIMGPU_PPM);
}

/* Whether an injection happens in a tenant's run number @run. */
static bool hits(struct session *session, struct injected *injected, u32 slot, u64 run)
{
	const struct session_injection *is = &injected->is;

	if ((is->slot != SESSION_INJECT_ANY && is->slot != slot) ||
	    (is->launch && is->launch != run) ||
	    (is->times && injected->times == is->times))
		return false;
	if (injected->passed < is->after) {
		injected->passed++;
		return false;
	}
	if (is->probability_ppm && draw(session) >= is->probability_ppm)
		return false;
	injected->times += !!is->times;
	return true;
}

/* A queue's run is to have no failure. */
static void disarm(struct failing *failing)
{
	failing->armed = SESSION_FAILURE_NONE;
	failing->survives = 0;
	failing->timed = false;
	failing->fails_at = 0;
}

/*
 * failures_run_begins() - a run of a trace begins; the first injection that hits it counts
 * @lead: the queue of its launch
 */
void failures_run_begins(struct session *session, u32 slot, u32 lead)
{
	struct failures *failures = &session->failures;
	struct failing *failing = failing_of(session, slot, lead);
	u64 run = ++session->runs[slot];
	u32 i;

	disarm(failing);
	for (i = 0; i < failures->injections; i++) {
		if (!hits(session, &failures->list[i], slot, run))
			continue;
		failing->armed = (u8)failures->list[i].is.kind;
		failing->survives = (u8)failures->list[i].is.survives;
		failing->fails_at = failures->list[i].is.after_cycles;
		session->struck.by[slot][lead] = (u8)(i + 1);
		return;
	}
}

/*
 * The run's failure counts from its first kernel or copy, in the queue in which that begins.
 * Until then its time stands in the lead's @fails_at, without @timed.
 */
static void set_time(struct session *session, u32 slot, u32 number, u32 lead, bool copy)
{
	struct failing *from = failing_of(session, slot, lead);
	struct failing *to = failing_of(session, slot, number);
	struct failing armed = *from;
	bool is_copy = armed.armed == SESSION_FAILURE_COPY;

	if (!armed.armed || armed.timed || copy != is_copy)
		return;
	disarm(from);
	to->armed = armed.armed;
	to->survives = armed.survives;
	to->fails_at = session_now(session) + armed.fails_at;
	to->timed = true;
	session->struck.by[slot][number] = session->struck.by[slot][lead];
}

/*
 * failures_begin() - a queue's kernel has begun, or a copy
 * @lead: the queue of its launch
 */
void failures_begin(struct session *session, u32 slot, u32 number, u32 lead, bool copy)
{
	struct failing *failing = failing_of(session, slot, number);
	u64 timeout = failures_timeout(session, slot, number);

	if (!failures_may_come(session))
		return;
	session->failures.watched |= 1ULL << slot;
	set_time(session, slot, number, lead, copy);
	failing->begin = session_now(session);
	failing->due = timeout ? failing->begin + timeout : 0;
}

/* failures_end() - a queue's kernel or copy has ended, or was ended */
void failures_end(struct session *session, u32 slot, u32 number)
{
	struct failing *failing = failing_of(session, slot, number);

	failing->begin = 0;
	failing->due = 0;
	failing->failed_at = 0;
	failing->found_at = 0;
	failing->next_at = 0;
	failing->hangs = false;
	failing->found = SIMGPU_FAILED_NOT;
	failing->stage = FAILING_NOT;
	failing->said = SIMGPU_RECOVER_AS_USUAL;
}

/* failures_run_over() - a run is over in some queues, and what it was to have has not come */
void failures_run_over(struct session *session, u32 slot, u32 queues)
{
	for (; queues; queues &= queues - 1) {
		u32 number = (u32)__builtin_ctz(queues);

		failures_end(session, slot, number);
		disarm(failing_of(session, slot, number));
	}
}

/* failures_forget() - all launches of a slot have ended */
void failures_forget(struct session *session, u32 slot)
{
	failures_run_over(session, slot, (1U << SESSION_QUEUES_MAX) - 1);
	session->failures.watched &= ~(1ULL << slot);
}

/* failures_delay() - core cycles for which a recovery keeps a queue's next kernel waiting */
u64 failures_delay(const struct session *session, u32 slot, u32 number)
{
	u64 ready_at = max(session->failures.tenant[slot].queue[number].ready_at,
			   session->failures.down_until);

	return fixed_above(ready_at, session_now(session));
}

/* failures_stall() - whether a queue's copy is one that does not end */
bool failures_stall(const struct session *session, u32 slot, u32 number)
{
	return session->failures.tenant[slot].queue[number].hangs;
}

/* --- the policy's answer -------------------------------------------------------------- */

/* failures_asked() - the policy is asked now about all that it was told of */
void failures_asked(struct session *session)
{
	u64 slots;
	u32 i;

	for (slots = session->failures.watched; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		for (i = 0; i < SESSION_QUEUES_MAX; i++)
			if (failing_of(session, slot, i)->stage == FAILING_TOLD)
				failing_of(session, slot, i)->stage = FAILING_ASKED;
	}
}

/*
 * failures_answered() - a proposal takes effect: what it does not say is done as usual
 * @least: the earliest stage that it answers: FAILING_TOLD: nobody will be asked any more
 */
void failures_answered(struct session *session, const struct simgpu_proposal *proposal,
		       u32 least)
{
	u64 slots;
	u32 i;

	for (slots = session->failures.watched; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		for (i = 0; i < SESSION_QUEUES_MAX; i++) {
			struct failing *failing = failing_of(session, slot, i);

			if (failing->stage < least || failing->stage > FAILING_ASKED)
				continue;
			failing->stage = FAILING_ANSWERED;
			if (proposal && proposal->flags & SIMGPU_SAYS_RECOVERY)
				failing->said = proposal->recovery[slot][i];
		}
	}
}

/* --- guilt ------------------------------------------------------------------------------ */

/* failures_join() - a slot has a new tenant */
void failures_join(struct session *session, u32 slot, u32 strikes)
{
	struct tenant_failures *tenant = &session->failures.tenant[slot];

	memset(tenant, 0, sizeof(*tenant));
	session->runs[slot] = 0;
	session->failures.watched &= ~(1ULL << slot);
	session->failures.timeouts &= ~(1ULL << slot);
	session->failures.banned &= ~(1ULL << slot);
	for (; strikes; strikes--)
		tenant->strike_at[tenant->strikes++] = session_now(session);
}

/* Forget strikes that are too old. */
static void age_strikes(struct tenant_failures *tenant, u64 now, u64 window)
{
	u32 i, kept = 0;

	for (i = 0; i < tenant->strikes; i++)
		if (!window || tenant->strike_at[i] + window >= now)
			tenant->strike_at[kept++] = tenant->strike_at[i];
	for (i = kept; i < SESSION_STRIKES_MAX; i++)
		tenant->strike_at[i] = 0;
	tenant->strikes = kept;
}

/* failures_ban() - a tenant's launches end at once from now on, until it leaves */
void failures_ban(struct session *session, u32 slot)
{
	if (session->failures.tenant[slot].banned)
		return;
	session->failures.tenant[slot].banned = true;
	session->failures.banned |= 1ULL << slot;
	if (session->hooks.banned)
		session->hooks.banned(session->hooks.context, slot);
}

/* failures_strike() - a launch of a tenant's queue is guilty: the tenant may be banned for it */
void failures_strike(struct session *session, u32 slot, u32 number)
{
	struct tenant_failures *tenant = &session->failures.tenant[slot];
	u64 now = session_now(session);

	age_strikes(tenant, now, fixed_mul(failures_timeout(session, slot, number),
					   SESSION_STRIKES_TIMEOUTS));
	if (tenant->strikes < SESSION_STRIKES_MAX)
		tenant->strike_at[tenant->strikes++] = now;
	if (tenant->strikes == SESSION_STRIKES_MAX)
		failures_ban(session, slot);
}

/* --- what is told ----------------------------------------------------------------------- */

/* failures_found() - count a failure that was found, @cycles after it happened */
void failures_found(struct session *session, u64 cycles)
{
	struct failures *failures = &session->failures;

	failures->found++;
	failures->detection += cycles;
	failures->detection_max = max(failures->detection_max, cycles);
}

/* failures_recovered() - what a failure held up can go on @cycles after it was found */
void failures_recovered(struct session *session, u64 cycles)
{
	struct failures *failures = &session->failures;

	failures->recovered++;
	failures->recovery += cycles;
	failures->recovery_max = max(failures->recovery_max, cycles);
}

void session_failure_times(const struct session *session, struct session_failure_times *out)
{
	const struct failures *failures = &session->failures;

	*out = (struct session_failure_times) {
		.found = failures->found,
		.lost = failures->lost,
		.sm_resets = failures->sm_resets,
		.device_resets = failures->device_resets,
		.detection_max_cycles = failures->detection_max,
		.recovery_max_cycles = failures->recovery_max,
	};
	if (failures->found)
		out->detection_mean_cycles = failures->detection / failures->found;
	if (failures->recovered)
		out->recovery_mean_cycles = failures->recovery / failures->recovered;
}

/* failures_report() - a tenant's failures */
void failures_report(const struct session *session, u32 slot, struct session_failures *out)
{
	const struct tenant_failures *tenant = &session->failures.tenant[slot];

	*out = (struct session_failures) {
		.timeouts = tenant->timeouts,
		.faults = tenant->faults,
		.kills = tenant->kills,
		.resets = tenant->resets,
		.launches_repeated = tenant->repeated,
		.launches_canceled = tenant->canceled,
		.strikes = tenant->strikes,
		.banned = tenant->banned,
	};
}

/* failures_fill_snapshot() - what the policy sees of them */
void failures_fill_snapshot(const struct session *session, u32 slot,
			    struct simgpu_snapshot_tenant *out)
{
	const struct tenant_failures *tenant = &session->failures.tenant[slot];
	u32 i;

	out->strikes = tenant->strikes;
	for (i = 0; i < SESSION_QUEUES_MAX; i++) {
		if (!tenant->queue[i].found)
			continue;
		out->failed_queues |= 1U << i;
		out->failure[i] = tenant->queue[i].found;
		out->failure_cycles[i] = session_now(session) - tenant->queue[i].begin;
	}
}

/* failures_hash() - what is not 0, so that nothing changes where nothing can fail */
u64 failures_hash(const struct session *session, u64 hash)
{
	const struct session_options *options = &session->initial;
	const u64 settings[] = { options->timeout_cycles, options->kill_cycles,
				 options->reset_sm_cycles, options->reset_device_cycles };
	struct hash_walk walk = { hash, (const u8 *)&session->failures };
	u32 i;

	hash_walk_over(&walk, &session->failures, sizeof(session->failures), 0, 0);
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (settings[i])
			walk.hash = hash_mix(hash_mix(walk.hash, i), settings[i]);
	return session->failures.injections ?
	       hash_bytes(walk.hash, session->runs, sizeof(session->runs)) : walk.hash;
}

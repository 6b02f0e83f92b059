// SPDX-License-Identifier: GPL-2.0
/*
 * Decisions. Events are collected until the next decision boundary. Then the model
 * predicts, the policy decides, and its proposal is checked and applied. If the policy
 * fails, even replaces it.
 */
#include "../policy/common/split.h"
#include "../policy/registry.h"
#include "apply.h"
#include "check.h"
#include "commands.h"
#include "decide.h"
#include "epoch.h"
#include "failures.h"
#include "internal.h"
#include "launch.h"
#include "pager.h"
#include "params.h"
#include "remarks.h"
#include "snapshot.h"

/* --- who decides ------------------------------------------------------------------ */

static void forget_decisions(struct session *session)
{
	session->events = 0;
	session->decision_cycle = NEVER;
	session->wake_cycle = NEVER;
	session->apply_cycle = NEVER;
}

/*
 * use_policy() - set another policy, with cleared controls and zeroed state
 *
 * Kernels that waited for the old policy's decision start.
 */
void use_policy(struct session *session, const struct simgpu_policy *policy)
{
	session->policy = policy;
	params_initial(policy->params, session->policy_params);
	memset(session->policy_state, 0, policy->state_bytes);
	remarks_clear(session);
	forget_decisions(session);
	failures_answered(session, NULL, FAILING_TOLD);
	probe_end(session);
	controls_clear(session);
	gpu_watch_quotas(session->gpu, lists(session, SIMGPU_ON_QUOTA_OUT));
	launch_ready(session);
}

/* use_model() - set another model, with zeroed state and without constants */
void use_model(struct session *session, const struct simgpu_model *model)
{
	probe_end(session);
	session->model = model;
	session->model_wake_cycle = NEVER;
	session->constants_bytes = 0;
	params_of_model(model, session->initial.config.name,
			session->model_params);
	memset(session->model_state, 0, model->state_bytes);
	controls_idle_samples(session);
}

/*
 * split_even_now() - give each tenant with work an equal share of the SMs at once, and
 *	all tenants the same memory priority
 */
void split_even_now(struct session *session)
{
	struct simgpu_proposal *proposal = &session->proposal;

	snapshot_fill(session);
	memset(proposal->sms, 0, sizeof(proposal->sms));
	policy_split_even(&session->snapshot, proposal);
	proposal->flags = SIMGPU_SAYS_MEMORY_PRIORITY;
	proposal_fit(session);
	proposal_apply(session);
	session->apply_cycle = NEVER;
}

/*
 * fall_back() - the policy has failed: replace it by even at once
 * @why: what happened; its cycle is set here
 */
void fall_back(struct session *session, const struct session_refusal *why)
{
	session->refusal = *why;
	session->refusal.cycle = session_now(session);
	session->fell_back = true;
	if (session->policy != &policy_even) {
		journal_fallback(session);
		use_policy(session, &policy_even);
		if (session->hooks.fell_back)
			session->hooks.fell_back(session->hooks.context,
						 &session->refusal);
	}
	split_even_now(session);
}

/* --- the model ---------------------------------------------------------------------- */

/* Add an epoch's prediction to a tenant's first run. */
static void add_to_run(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	const struct session_hooks *hooks = &session->hooks;
	u64 cycles = epoch_first_run_cycles(session, slot);
	u64 epoch = session_now(session) - session->epoch_start;
	const struct session_counted counted = {
		.cycles = cycles,
		.last_bit = tenant->first_run_done && cycles < epoch / 5,
	};

	if (cycles)
		tenant->np_run_doubts |= tenant->np_doubts;
	session_np_add(&tenant->np_run, tenant->predicted.class,
		       tenant->predicted.np_ppm, &counted);
	if (hooks->counted)
		hooks->counted(hooks->context, slot, &counted);
}

static void take_prediction(struct session *session, u32 slot, bool epoch)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct simgpu_prediction_tenant *said =
		&session->prediction.tenants[slot];
	bool known = session_said(said);

	if (known)
		tenant->predicted = *said;
	if (known || epoch)
		tenant->np_doubts = doubts_of(session, slot, known);
	snapshot_predicted(session, slot);
	if (epoch)
		add_to_run(session, slot);
}

/* Whether the model's wake is ahead, and its probe is for a tenant with work. */
static bool model_asks_well(const struct session *session)
{
	const struct simgpu_prediction *said = &session->prediction;

	if (said->wake_cycle &&
	    said->wake_cycle < session_now(session) + SIMGPU_WAKE_CYCLES_MIN)
		return false;
	if (said->probe == SIMGPU_PROBE_NONE)
		return true;
	return said->probe <= SIMGPU_PROBE_ALONE && said->wake_cycle &&
	       said->probe_slot < SIMGPU_SLOTS_MAX &&
	       session->snapshot.tenants[said->probe_slot].active;
}

/* Whether the model asks for the present probe: beginning it anew would preempt twice. */
static bool probe_goes_on(const struct session *session)
{
	const struct simgpu_prediction *said = &session->prediction;

	return said->probe != SIMGPU_PROBE_NONE &&
	       said->probe == session->probe.kind &&
	       said->probe_slot == session->probe.slot;
}

static void refuse_model(struct session *session, const char *field, u32 slot,
			 int error, const char *reason)
{
	struct session_refusal *why = &session->refusal;

	refusal_say(why, field, slot, SESSION_NOWHERE, reason);
	why->kind = SESSION_REFUSED_PREDICT;
	why->code = error;
	why->cycle = session_now(session);
}

static void take_probe(struct session *session)
{
	session->model_wake_cycle = NEVER;
	if (!model_asks_well(session)) {
		probe_end(session);
		refuse_model(session, "probe", session->prediction.probe_slot, -EINVAL,
			     "the model's probe or wake cannot be done");
		return;
	}
	if (session->prediction.wake_cycle)
		session->model_wake_cycle = session->prediction.wake_cycle;
	if (probe_goes_on(session))
		return;
	probe_end(session);
	probe_begin(session);
}

static int ask_model(struct session *session)
{
	const struct session_hooks *hooks = &session->hooks;
	const void *constants = constants_payload(session);

	memset(&session->prediction, 0, sizeof(session->prediction));
	if (hooks->predict)
		return hooks->predict(hooks->context, session->model,
				      &session->snapshot, constants,
				      session->model_state,
				      &session->prediction);
	return session->model->predict(&session->snapshot, constants,
				       session->model_state,
				       &session->prediction);
}

/* Ask the model about session->snapshot. @epoch: at the end of an epoch. */
static void predict(struct session *session, bool epoch)
{
	int ret = ask_model(session);
	u32 slot;

	if (ret) {
		probe_end(session);
		session->model_wake_cycle = NEVER;
		refuse_model(session, "", SESSION_NOWHERE, ret < 0 ? ret : -EINVAL,
			     "the model returned an error");
		return;
	}
	doubts_note(session);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (session->snapshot.tenants[slot].active)
			take_prediction(session, slot, epoch);
	if (session->model->events & SIMGPU_ON_WAKE)
		take_probe(session);
}

/* --- the policy --------------------------------------------------------------------- */

static int ask(struct session *session)
{
	const struct session_hooks *hooks = &session->hooks;

	if (hooks->decide)
		return hooks->decide(hooks->context, session->policy,
				     &session->snapshot, session->policy_state,
				     &session->proposal);
	return session->policy->decide(&session->snapshot,
				       session->policy_state,
				       &session->proposal);
}

/* Record which kernels and copies wait for the policy's next decision. */
static void note_ready(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];

		tenant->decided = (u8)(tenant->ready | commands_copies_ready(tenant));
	}
}

/* Take the events that the policy hears of now. */
static u32 take_events(struct session *session)
{
	u32 events = session->events, slot, queue;

	if (session->wake_cycle <= session_now(session)) {
		events |= SIMGPU_ON_WAKE;
		session->wake_cycle = NEVER;
	}
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];

		tenant->events = 0;
		for (queue = 0; queue < tenant->queues; queue++)
			tenant->queue[queue].events = 0;
	}
	session->events = 0;
	session->decision_cycle = NEVER;
	return events;
}

/* Ask the policy for a proposal; without a valid one it is replaced. */
static bool ask_policy(struct session *session, u32 events)
{
	struct session_refusal why = { .kind = SESSION_REFUSED_PROPOSAL };
	int ret;

	session->snapshot.events = events;
	note_ready(session);
	failures_asked(session);
	proposal_present(session);
	remarks_ask(session);
	ret = ask(session);
	remarks_take(session);
	if (ret) {
		/* The owner's hook has not waited for the answer. */
		bool slow = ret == -ETIMEDOUT;

		refusal_say(&why, "", SESSION_NOWHERE, SESSION_NOWHERE,
			    slow ? "the policy took too long" :
				   "the policy returned an error");
		why.kind = slow ? SESSION_REFUSED_SLOW : SESSION_REFUSED_DECIDE;
		why.code = ret < 0 ? ret : -EINVAL;
	} else if (proposal_is_sound(session, &why)) {
		session->wake_cycle = session->proposal.wake_cycle ?: NEVER;
		proposal_fit(session);
		return true;
	}
	fall_back(session, &why);
	return false;
}

/* Whether the policy is deciding, or its proposal is pending. */
static bool is_busy(const struct session *session)
{
	return session->initial.decision_cycles && session->apply_cycle != NEVER;
}

/* Cycles, for all tenants together, until a decision at an epoch's end takes effect. */
static u64 latency_of(const struct session *session)
{
	return session->policy->needs & SIMGPU_NEEDS_NO_MODEL ?
	       0 : session->model->latency_cycles;
}

/*
 * decide_epoch() - decide at the end of an epoch, whose snapshot is filled in
 * @ask: whether the policy is asked, too
 *
 * The proposal takes effect after the time of the prediction and of the policy. The policy
 * is not asked while an earlier proposal is pending.
 *
 * Return: whether session->proposal was made now.
 */
bool decide_epoch(struct session *session, bool ask)
{
	u32 tenants;

	session->snapshot.events = SIMGPU_ON_EPOCH;
	predict(session, true);
	if (!ask || is_busy(session))
		return false;
	tenants = session->snapshot.tenants_active;
	if (ask_policy(session, SIMGPU_ON_EPOCH | take_events(session)))
		session->apply_cycle = session_now(session) +
				       session->initial.decision_cycles +
				       latency_of(session) * tenants;
	return true;
}

/* --- events ------------------------------------------------------------------------- */

/* The first decision boundary that has not passed. */
static u64 next_boundary(const struct session *session)
{
	const struct gpu_config *config = gpu_config(session->gpu);
	u32 window = gpu_window(config), distance = config->boundary_cycles;
	u64 past;

	distance = max(distance, window);
	past = session_now(session) % distance;
	return session_now(session) + (past ? distance - past : 0);
}

/*
 * decide_events() - collect events for the policy, if it lists them
 * @events: SIMGPU_ON_*
 *
 * Return: the events that it does not list.
 */
u32 decide_events(struct session *session, u32 events)
{
	u32 listed = events & session->policy->events;

	session->events |= listed;
	if (listed && session->decision_cycle == NEVER)
		session->decision_cycle = next_boundary(session);
	return events & ~listed;
}

/*
 * The cycle at which the policy is asked about events; NEVER: something else has to happen
 * first. A policy that takes time is not asked before its last proposal has taken effect,
 * and must be free when the epoch ends: an event too close to the end is reported with it.
 */
static u64 next_asked(const struct session *session)
{
	u64 next = min(session->decision_cycle, session->wake_cycle);
	u64 takes = session->initial.decision_cycles, free;

	if (!takes || next == NEVER)
		return next;
	if (is_busy(session))
		return NEVER;
	next = max(next, session_now(session));
	free = session->epoch_start + session->epoch_cycles;
	return next + takes > free ? NEVER : next;
}

/* decide_next() - the next cycle at which there is something to decide or apply */
u64 decide_next(const struct session *session)
{
	u64 next = min(session->apply_cycle, next_asked(session));

	next = min(next, session->watch_cycle);
	return min(next, session->model_wake_cycle);
}

/* decide_kernel_end() - a kernel has ended: ask a model that lists that event */
void decide_kernel_end(struct session *session)
{
	if (!(session->model->events & SIMGPU_ON_KERNEL_END))
		return;
	snapshot_fill(session);
	session->snapshot.events = SIMGPU_ON_KERNEL_END;
	predict(session, false);
}

/* The model's wake: end its probe, and ask it. */
static void wake_model(struct session *session)
{
	session->model_wake_cycle = NEVER;
	snapshot_fill(session);
	session->snapshot.events = SIMGPU_ON_WAKE;
	predict(session, false);
}

/* Apply the pending proposal; kernels and copies that it lets go begin. */
static void apply_now(struct session *session)
{
	proposal_apply(session);
	session->apply_cycle = NEVER;
	if (session->initial.decision_cycles)
		launch_decided(session);
	else
		launch_ready(session);
}

/* Ask the policy about events; its proposal takes effect at once, or after its time. */
static void decide_now(struct session *session)
{
	u64 takes = session->initial.decision_cycles;

	snapshot_fill(session);
	if (!ask_policy(session, take_events(session)))
		return;
	if (takes)
		session->apply_cycle = session_now(session) + takes;
	else
		apply_now(session);
}

/* Whether a tenant has had work for too long without issuing any of it. */
static bool is_stuck(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	u64 now = session_now(session);

	/* A kernel that is being launched is not kept from progress by the policy. */
	if (!(tenant->running | tenant->ready))
		return false;
	gpu_tenant_counters(session->gpu, slot, &tenant->last);
	/* Nor does the policy keep it from pages that it waits for. */
	if (tenant->last.thread_instructions != tenant->progress_issued ||
	    pager_waits(session, slot)) {
		tenant->progress_issued = tenant->last.thread_instructions;
		tenant->progress_cycle = now;
	}
	return now - tenant->progress_cycle >= session->initial.hold_cycles;
}

/* Whether the policy has held a copy of a tenant for too long. */
static bool keeps_copy(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 ready = commands_copies_ready(tenant);

	for (; ready; ready &= ready - 1)
		if (session_now(session) - tenant->part[__builtin_ctz(ready)].until >=
		    session->initial.hold_cycles)
			return true;
	return false;
}

/* Whether some queue of a tenant may begin no more thread blocks. */
static bool has_used_up_limit(const struct session *session, u32 slot)
{
	u32 queue;

	for (queue = 0; queue < session->tenants[slot].queues; queue++)
		if (!gpu_queue_issue_left(session->gpu, slot, queue))
			return true;
	return false;
}

/* Whether the policy keeps tenants from SMs, other than by too few SMs for all. */
static bool sms_are_kept(const struct session *session)
{
	u32 slot;

	if (session->controls.hold || session->any_shared)
		return true;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (has_work(&session->tenants[slot]) &&
		    has_used_up_limit(session, slot))
			return true;
	return false;
}

/* The field of the proposal by which the policy keeps a tenant from progress, or "". */
static const char *what_keeps(const struct session *session, u32 slot)
{
	if (session->controls.hold >> slot & 1)
		return "hold";
	return has_used_up_limit(session, slot) ? "issue_limit" : "";
}

/* Check all tenants' progress, eight times in the limit on holding. */
static void watch(struct session *session)
{
	struct session_refusal why = { .kind = SESSION_REFUSED_HOLD };
	const struct gpu_config *config = &session->initial.config;
	u32 stuck = SESSION_NOWHERE, active = 0, slot;

	session->watch_cycle = session_now(session) +
			       session->initial.hold_cycles / 8;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		active += has_work(&session->tenants[slot]);
		if (keeps_copy(session, slot)) {
			refusal_say(&why, "hold_copies", slot, SESSION_NOWHERE,
				    "a copy was kept from beginning for too long");
			fall_back(session, &why);
			return;
		}
		if (is_stuck(session, slot) && stuck == SESSION_NOWHERE)
			stuck = slot;
	}
	if (stuck == SESSION_NOWHERE || session->policy == &policy_even)
		return;
	/* If there are too few SMs for all, the policy is not at fault. */
	if (active > config->sms / config->sms_per_tpc && !sms_are_kept(session))
		return;
	refusal_say(&why, what_keeps(session, stuck), stuck,
		    SESSION_NOWHERE,
		    "a tenant with work made no progress for too long");
	fall_back(session, &why);
}

/* decide_apply() - apply a proposal made at an epoch's end, if it is time */
void decide_apply(struct session *session)
{
	if (session->apply_cycle <= session_now(session))
		apply_now(session);
}

/* decide_due() - make all decisions of this cycle, except for an epoch's end */
void decide_due(struct session *session)
{
	u64 now = session_now(session);

	if (session->model_wake_cycle <= now)
		wake_model(session);
	if (next_asked(session) <= now)
		decide_now(session);
	if (session->watch_cycle <= now)
		watch(session);
}

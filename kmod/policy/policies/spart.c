// SPDX-License-Identifier: GPL-2.0
/*
 * spart: the spatial rival of fine-grained QoS (FGQoS 4.1): whole SMs, and hill climbing
 * towards goals in instructions a cycle (Aguilera et al., ASP-DAC 2014, of which only the
 * abstract is public). What follows was chosen here. The policy begins with an even
 * split. A tenant that issued less than alpha x goal gets the SMs that a line through the
 * origin says, at least one more. A tenant that would still reach it with one SM less
 * gives that SM back. The other tenants divide the rest evenly.
 */
#include "../common/goals.h"
#include "../common/split.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	PERIOD,
	HISTORY,
};

/**
 * struct climb - the state of the policy
 * @next: device cycle of the next step
 * @start: device cycle of the last step
 * @active: slots with work at the last step
 * @issued: by slot, thread instructions at @start, since it joined
 */
struct climb {
	u64 next;
	u64 start;
	u64 active;
	u64 issued[SIMGPU_SLOTS_MAX];
};

static u64 asked_ppm(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_snapshot_tenant *tenant)
{
	return goal_asked_ppm(snapshot, tenant,
			      snapshot->policy_params[HISTORY]);
}

/* SMs that a tenant with a goal should have, by its progress with the present ones. */
static u32 step(const struct simgpu_snapshot *snapshot,
		const struct climb *state, u32 slot)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u64 issued = tenant->total.thread_instructions - state->issued[slot];
	u64 ipc = fixed_ratio_ppm(issued, snapshot->cycle - state->start);
	u64 asked = asked_ppm(snapshot, tenant), wanted;

	if (!tenant->sms)
		return 1;
	if (ipc >= asked)
		return tenant->sms > 1 &&
		       fixed_mul_div(ipc, tenant->sms - 1, tenant->sms) >=
		       asked ? tenant->sms - 1 : tenant->sms;
	wanted = ipc ? fixed_mul_div(asked, tenant->sms, ipc) + 1 :
		       tenant->sms + 1;
	if (wanted <= tenant->sms)
		wanted = tenant->sms + 1;
	return (u32)min_t(u64, wanted, snapshot->sms);
}

/* Take SMs from the tenant that has most, until enough are left for the others. */
static u32 take_back(struct simgpu_proposal *proposal, u32 sum, u32 most)
{
	while (sum > most) {
		u32 best = 0, slot;

		for (slot = 1; slot < SIMGPU_SLOTS_MAX; slot++)
			if (proposal->sms[slot] >= proposal->sms[best])
				best = slot;
		if (proposal->sms[best] <= 1)
			break;
		proposal->sms[best]--;
		sum--;
	}
	return sum;
}

/* Give SMs that are left, in turn, to tenants without a goal; to all if all have one. */
static void hand_out(const struct simgpu_snapshot *snapshot,
		     struct simgpu_proposal *proposal, u32 rest, bool others)
{
	u32 slot;

	while (rest)
		for (slot = 0; slot < SIMGPU_SLOTS_MAX && rest; slot++)
			if (snapshot->tenants[slot].active &&
			    (!others || !goal_has(&snapshot->tenants[slot]))) {
				proposal->sms[slot]++;
				rest--;
			}
}

static void climb(const struct simgpu_snapshot *snapshot,
		  const struct climb *state, struct simgpu_proposal *proposal)
{
	u32 others = 0, sum = 0, slot;

	memset(proposal->sms, 0, sizeof(proposal->sms));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!snapshot->tenants[slot].active)
			continue;
		if (goal_has(&snapshot->tenants[slot]))
			proposal->sms[slot] = step(snapshot, state, slot);
		else
			others++;
		sum += proposal->sms[slot];
	}
	sum = take_back(proposal, sum, snapshot->sms - others);
	hand_out(snapshot, proposal, snapshot->sms - sum, others);
}

static void begin_period(const struct simgpu_snapshot *snapshot,
			 struct climb *state)
{
	goal_note_issued(snapshot, state->issued);
	state->start = snapshot->cycle;
	state->next = snapshot->cycle + snapshot->policy_params[PERIOD];
}

/* Whether a tenant lacks SMs: it has come in the slot of one that has just left. */
static bool somebody_lacks(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_proposal *proposal)
{
	u32 slot;

	if (snapshot->tenants_active > snapshot->sms)
		return false;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].active && !proposal->sms[slot])
			return true;
	return false;
}

static int spart_decide(const struct simgpu_snapshot *snapshot, void *memory,
			struct simgpu_proposal *proposal)
{
	struct climb *state = memory;
	u64 active = active_slots(snapshot);

	if (active != state->active || somebody_lacks(snapshot, proposal)) {
		policy_split_even(snapshot, proposal);
		begin_period(snapshot, state);
		state->active = active;
	} else if (active && snapshot->cycle >= state->next) {
		if (snapshot->tenants_active <= snapshot->sms)
			climb(snapshot, state, proposal);
		begin_period(snapshot, state);
	}
	proposal->flags |= SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = SIMGPU_LEAVE_SWITCH;
	proposal->wake_cycle = active ? state->next : 0;
	return 0;
}

static const struct simgpu_param params[] = {
	[PERIOD] = {
		"period", SIMGPU_UNIT_CYCLES, 1000, 10000000, 20000,
		"cycles between two steps"
	},
	[HISTORY] = {
		"history", SIMGPU_UNIT_NUMBER, 0, 1, 1,
		"1: ask for more than the goal by goal / history while it is missed, as quotas do"
	},
	{ .name = NULL }
};

const struct simgpu_policy policy_spart = {
	.name = "spart",
	.about = "goals by whole SMs, hill climbing",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_END | SIMGPU_ON_WAKE,
	.needs = SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct climb),
	.params = params,
	.decide = spart_decide,
};

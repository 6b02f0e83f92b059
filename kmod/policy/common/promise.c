// SPDX-License-Identifier: GPL-2.0
/*
 * QoS tenants get the SMs that they want. SMs of best-effort tenants move to the one to
 * which they are worth most. Policies differ in the rules (struct promise_rules).
 */
#include "promise.h"
#include "split.h"

/*
 * balance() takes an SM from the best-effort tenant to which it is worth least, and
 * gives an SM to the one to which it is worth most; ties go to the lowest slot. An SM
 * that is worth nothing to all of them goes to the lowest slot, so that none lies idle.
 */
static u32 cheapest_to_take(const struct simgpu_snapshot *snapshot,
			    const struct promise_rules *rules,
			    const struct simgpu_proposal *proposal)
{
	u32 best = SIMGPU_SLOTS_MAX, slot;
	u64 least = U64_MAX;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u64 worth;

		if (!tenant->active || tenant->service == SIMGPU_QOS ||
		    proposal->sms[slot] < 2)
			continue;
		worth = rules->worth(snapshot, slot, proposal->sms[slot] - 1);
		if (worth < least) {
			best = slot;
			least = worth;
		}
	}
	return best;
}

static u32 dearest_to_give(const struct simgpu_snapshot *snapshot,
			   const struct promise_rules *rules,
			   const struct simgpu_proposal *proposal)
{
	u32 best = SIMGPU_SLOTS_MAX, slot;
	u64 most = 0;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u64 worth;

		if (!tenant->active || tenant->service == SIMGPU_QOS)
			continue;
		worth = fixed_add(1, rules->worth(snapshot, slot,
						  proposal->sms[slot]));
		if (worth > most) {
			best = slot;
			most = worth;
		}
	}
	return best;
}

/* Make the sum equal to the device's SMs by moving SMs of best-effort tenants. */
static void balance(const struct simgpu_snapshot *snapshot,
		    const struct promise_rules *rules,
		    struct simgpu_proposal *proposal)
{
	u32 sum = 0, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		sum += proposal->sms[slot];
	for (; sum > snapshot->sms; sum--) {
		slot = cheapest_to_take(snapshot, rules, proposal);
		if (slot == SIMGPU_SLOTS_MAX)
			return;
		proposal->sms[slot]--;
	}
	for (; sum < snapshot->sms; sum++) {
		slot = dearest_to_give(snapshot, rules, proposal);
		if (slot == SIMGPU_SLOTS_MAX)
			return;
		proposal->sms[slot]++;
	}
}

/*
 * The targets cannot all be met: best-effort tenants keep an SM each, and QoS tenants
 * divide the others in proportion to what they want.
 */
static void split_shortage(const struct simgpu_snapshot *snapshot,
			   struct simgpu_proposal *proposal)
{
	u64 weights[SIMGPU_SLOTS_MAX] = { 0 };
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].service == SIMGPU_QOS)
			weights[slot] = proposal->sms[slot];
	policy_split(snapshot, weights, proposal);
}

/*
 * promise_decide() - QoS tenants get the SMs that they want, best-effort ones the rest
 * @state: the policy's state, which is passed to its rules
 * @proposal: has the present counts; new ones on return
 */
void promise_decide(const struct simgpu_snapshot *snapshot,
		    const struct promise_rules *rules, void *state,
		    struct simgpu_proposal *proposal)
{
	u32 promised = 0, others = 0, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (!tenant->active)
			continue;
		if (tenant->service == SIMGPU_QOS) {
			proposal->sms[slot] = rules->wanted(snapshot, slot, state);
			promised += proposal->sms[slot];
		} else {
			others++;
		}
	}
	if (promised + others > snapshot->sms)
		split_shortage(snapshot, proposal);
	else
		balance(snapshot, rules, proposal);
}

/* SPDX-License-Identifier: GPL-2.0 */
/* SMs for QoS tenants first, then for the best-effort tenants that gain most. */
#ifndef POLICY_PROMISE_H
#define POLICY_PROMISE_H

#include <simgpu/proposal.h>

/**
 * struct promise_rules - what differs between policies that keep promises
 * @wanted: SMs that a QoS tenant should have; @state is the policy's
 * @worth: how much NP a tenant gains by one SM more than @sms
 */
struct promise_rules {
	u32 (*wanted)(const struct simgpu_snapshot *snapshot, u32 slot, void *state);
	u64 (*worth)(const struct simgpu_snapshot *snapshot, u32 slot, u32 sms);
};

void promise_decide(const struct simgpu_snapshot *snapshot,
		    const struct promise_rules *rules, void *state,
		    struct simgpu_proposal *proposal);

#endif /* POLICY_PROMISE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * promise: tenants that ask for a 99th percentile of their latency (p99=CYCLES) get as many
 * SMs as that takes; the others share the rest. At the end of each epoch such a tenant gets a
 * quarter more SMs if its last launches took longer than it asks for, or if the oldest request
 * that waits has waited as long already; it gives one back if they took less than three quarters
 * of that. Each tenant with work keeps an SM.
 */
#include <simgpu/policy.bpf.h>

/* Its parameters */
enum {
	SWITCH,
};

/**
 * struct promises - the state
 * @sms: by slot, SMs for a tenant with a target; 0: it has not been seen
 * @ended: by slot, launches of it that had ended when @sms was looked at last
 * @left: scratch: SMs that nobody has yet
 * @others: scratch: tenants without a target that have work
 */
struct promises {
	u32 sms[SIMGPU_SLOTS_MAX];
	u64 ended[SIMGPU_SLOTS_MAX];
	u32 left;
	u32 others;
};

static inline bool has_target(const struct simgpu_snapshot_tenant *tenant)
{
	return tenant->active && tenant->latency.target_cycles;
}

static inline bool is_late(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_snapshot_tenant *tenant)
{
	u64 target = tenant->latency.target_cycles;
	u64 oldest = tenant->queue[0].oldest_cycle;

	return tenant->latency.p99_cycles > target ||
	       (oldest && oldest + target < snapshot->cycle);
}

/* What a tenant gets from the next epoch on, once it has ended launches with what it has. */
static inline void look(const struct simgpu_snapshot *snapshot, struct promises *all, u32 slot)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

	if (!all->sms[slot]) {
		all->sms[slot] = (snapshot->sms + 1) / 2;
		return;
	}
	if (is_late(snapshot, tenant))
		all->sms[slot] += (all->sms[slot] + 3) / 4;
	else if (tenant->latency.ended > all->ended[slot] && all->sms[slot] > 1 &&
		 tenant->latency.p99_cycles < tenant->latency.target_cycles / 4 * 3)
		all->sms[slot]--;
	if (all->sms[slot] > snapshot->sms)
		all->sms[slot] = snapshot->sms;
	all->ended[slot] = tenant->latency.ended;
}

/* An SM for each tenant with work, while there are enough. */
static inline void begin(const struct simgpu_snapshot *snapshot, struct promises *all,
			 struct simgpu_proposal *proposal)
{
	u32 slot;

	all->left = snapshot->sms;
	all->others = 0;
	simgpu_each_slot(slot, snapshot) {
		proposal->sms[slot] = 0;
		if (!snapshot->tenants[slot].active)
			continue;
		if (!has_target(&snapshot->tenants[slot]))
			all->others++;
		if (all->left) {
			proposal->sms[slot] = 1;
			all->left--;
		}
	}
}

static inline void keep_promises(const struct simgpu_snapshot *snapshot, struct promises *all,
				 struct simgpu_proposal *proposal)
{
	u32 slot;

	simgpu_each_slot(slot, snapshot) {
		u32 more;

		if (!has_target(&snapshot->tenants[slot]))
			continue;
		if (!all->sms[slot] || snapshot->events & SIMGPU_ON_EPOCH)
			look(snapshot, all, slot);
		more = all->sms[slot] - 1;
		if (more > all->left)
			more = all->left;
		proposal->sms[slot] += more;
		all->left -= more;
	}
}

/* Evenly to the others, the remainder to the lowest slots; without others to all. */
static inline void share_rest(const struct simgpu_snapshot *snapshot, struct promises *all,
			      struct simgpu_proposal *proposal)
{
	u32 among = all->others ? all->others : snapshot->tenants_active;
	u32 each = among ? all->left / among : 0, slot;
	u32 over = among ? all->left % among : 0;

	simgpu_each_slot(slot, snapshot) {
		const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

		if (!tenant->active || (all->others && has_target(tenant)))
			continue;
		proposal->sms[slot] += each;
		if (over) {
			proposal->sms[slot]++;
			over--;
		}
	}
}

static inline int promise_decide(const struct simgpu_snapshot *snapshot, struct promises *all,
				 struct simgpu_proposal *proposal)
{
	begin(snapshot, all, proposal);
	keep_promises(snapshot, all, proposal);
	share_rest(snapshot, all, proposal);
	proposal->flags |= SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = snapshot->policy_params[SWITCH] ?
			       SIMGPU_LEAVE_SWITCH : SIMGPU_LEAVE_DRAIN;
	return 0;
}

SIMGPU_POLICY(promise_decide, struct promises,
	      .name = "promise",
	      .events = SIMGPU_ON_EPOCH | SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE,
	      .needs = SIMGPU_NEEDS_NO_MODEL,
	      .params = SIMGPU_PARAMS({ "switch", SIMGPU_UNIT_NUMBER, 0, 1, 1,
					"1: thread blocks leave by a context switch; 0: they run to their end" }));

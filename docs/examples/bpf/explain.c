// SPDX-License-Identifier: GPL-2.0
/*
 * explain: a policy that shows what it thinks. Each epoch a quarter of a tenant's debt is
 * forgiven, and it grows by how far the tenant's predicted NP is below the mean of all, or
 * shrinks by how far it is above. SMs go from
 * the tenant with the least debt to the one with the greatest, while these are far enough
 * apart. The debts are gauges, so that every view of a run has them; a note says who gave how
 * many SMs to whom. Good to begin a policy of one's own with.
 */
#include <simgpu/policy.bpf.h>

/* Its parameters */
enum {
	MOVED,
	PATIENCE,
};

/* Its gauges */
enum {
	DEBT,
	EPOCHS_BEHIND,
};

/**
 * struct explain - the state
 * @arrival_cycle: by slot, since when the tenant has had work: another one begins anew
 * @debt: by slot, in parts per million of NP, summed over epochs
 * @behind: by slot, epochs in a row in which the tenant had the greatest debt
 */
struct explain {
	u64 arrival_cycle[SIMGPU_SLOTS_MAX];
	s64 debt[SIMGPU_SLOTS_MAX];
	u64 behind[SIMGPU_SLOTS_MAX];
};

static inline bool is_known(const struct simgpu_snapshot_tenant *tenant)
{
	return tenant->active && tenant->class != SIMGPU_CLASS_UNKNOWN;
}

/* The mean of the predicted NPs; 0: no tenant has one. */
static inline u64 mean_np(const struct simgpu_snapshot *snapshot)
{
	u64 sum = 0, count = 0;
	u32 slot;

	simgpu_each_slot(slot, snapshot) {
		if (!is_known(&snapshot->tenants[slot]))
			continue;
		sum += snapshot->tenants[slot].np_ppm;
		count++;
	}
	return count ? sum / count : 0;
}

static inline void add_debts(const struct simgpu_snapshot *snapshot,
			     struct explain *explain)
{
	u64 mean = mean_np(snapshot);
	u32 slot;

	simgpu_each_slot(slot, snapshot) {
		const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

		if (explain->arrival_cycle[slot] != tenant->arrival_cycle) {
			explain->arrival_cycle[slot] = tenant->arrival_cycle;
			explain->debt[slot] = 0;
			explain->behind[slot] = 0;
		}
		/* A shift: BPF has no signed division. */
		explain->debt[slot] -= explain->debt[slot] >> 2;
		if (is_known(tenant))
			explain->debt[slot] += (s64)mean - (s64)tenant->np_ppm;
	}
}

/* The tenant with the greatest debt, or with the least; SIMGPU_SLOTS_MAX: there is none. */
static inline u32 extreme(const struct simgpu_snapshot *snapshot,
			  const struct explain *explain, bool greatest)
{
	u32 found = SIMGPU_SLOTS_MAX, slot;
	s64 best = 0;

	simgpu_each_slot(slot, snapshot) {
		s64 debt = explain->debt[slot];

		if (!is_known(&snapshot->tenants[slot]))
			continue;
		if (found == SIMGPU_SLOTS_MAX || (greatest ? debt > best : debt < best)) {
			found = slot;
			best = debt;
		}
	}
	return found;
}

/* What all views show. */
static inline void tell(const struct simgpu_snapshot *snapshot, struct explain *explain,
			u32 debtor, struct simgpu_proposal *proposal)
{
	u32 slot;

	simgpu_each_slot(slot, snapshot) {
		if (slot == debtor)
			explain->behind[slot]++;
		else
			explain->behind[slot] = 0;
		proposal->gauges[slot][DEBT] = explain->debt[slot];
		proposal->gauges[slot][EPOCHS_BEHIND] = (s64)explain->behind[slot];
	}
}

static inline int explain_decide(const struct simgpu_snapshot *snapshot,
				 struct explain *explain,
				 struct simgpu_proposal *proposal)
{
	u32 moved = (u32)snapshot->policy_params[MOVED], giver, debtor;
	s64 apart;

	add_debts(snapshot, explain);
	debtor = extreme(snapshot, explain, true);
	giver = extreme(snapshot, explain, false);
	tell(snapshot, explain, debtor, proposal);
	if (debtor == giver)
		return 0;
	debtor = simgpu_index(debtor, SIMGPU_SLOTS_MAX);
	giver = simgpu_index(giver, SIMGPU_SLOTS_MAX);
	apart = explain->debt[debtor] - explain->debt[giver];
	if (apart < (s64)snapshot->policy_params[PATIENCE])
		return 0;
	if (proposal->sms[giver] <= moved) {
		simgpu_note(proposal, "nothing to give (slot, SMs that it has):",
			    giver, proposal->sms[giver]);
		return 0;
	}
	proposal->sms[giver] -= moved;
	proposal->sms[debtor] += moved;
	simgpu_note(proposal, "SMs move (number, from slot, to slot, debts apart in ppm):",
		    moved, giver, debtor, apart);
	return 0;
}

SIMGPU_POLICY(explain_decide, struct explain,
	      .name = "explain",
	      .params = SIMGPU_PARAMS({ "moved", SIMGPU_UNIT_NUMBER, 1, 64, 4,
					"SMs that change hands at once" },
				      { "patience", SIMGPU_UNIT_RATIO, 0, 100000000, 100000,
					"how far apart debts are before SMs move" }),
	      .gauges = SIMGPU_GAUGES({ "debt", SIMGPU_UNIT_RATIO,
					"NP that the tenant is short of the mean, of the last epochs" },
				      { "epochs_behind", SIMGPU_UNIT_NUMBER,
					"epochs in a row with the greatest debt of all" }));

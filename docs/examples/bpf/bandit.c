// SPDX-License-Identifier: GPL-2.0
/*
 * bandit: learns how to split the SMs by trying (epsilon-greedy; Sutton and Barto,
 * chapter 2). It knows nine splits, its arms: the first tenant with work has 1 to 9
 * tenths of the SMs, the others share the rest evenly. Each is tried once; then mostly
 * the one is played whose reward was best in the mean, and now and then any. A reward
 * is the STP that the model predicts, a tenant, and as much of the fairness as the parameter
 * fairness says. All that it has learned is in its state, and its chance comes from the run's
 * seed, so that a run repeats. Good where nobody knows how the tenants' progress depends
 * on SMs, and they stay long enough to find out; who comes or goes begins it anew.
 */
#include <simgpu/policy.bpf.h>

#define ARMS	9

/* Its parameters */
enum {
	EPSILON,
	FAIRNESS,
	EPOCHS,
	MEMORY,
	ARM,
};

/**
 * struct bandit - the state
 * @place: in the sequence of random numbers
 * @tenants: a bit for each slot with work, for whom it has learned
 * @value: by arm, the mean of its rewards
 * @weights: by slot, scratch
 * @plays: by arm, how many rewards are in the mean
 * @arm: that is played
 * @epochs: for how long
 * @best: arm, scratch
 */
struct bandit {
	u64 place;
	u64 tenants;
	u64 value[ARMS];
	u64 weights[SIMGPU_SLOTS_MAX];
	u32 plays[ARMS];
	u32 arm;
	u32 epochs;
	u32 best;
};

static inline u64 tenants_of(const struct simgpu_snapshot *snapshot)
{
	u64 tenants = 0;
	u32 slot;

	simgpu_each_slot(slot, snapshot)
		if (snapshot->tenants[slot].active)
			tenants |= 1ULL << slot;
	return tenants;
}

/* Nothing has been tried yet; the even split of two tenants comes first. */
static inline void forget(struct bandit *bandit, u64 tenants)
{
	u32 arm;

	bandit->tenants = tenants;
	bandit->arm = ARMS / 2;
	bandit->epochs = 0;
	simgpu_each(arm, ARMS) {
		bandit->value[arm] = 0;
		bandit->plays[arm] = 0;
	}
}

static inline u64 reward_of(const struct simgpu_snapshot *snapshot,
			    const struct simgpu_metrics *metrics)
{
	u64 fairness = snapshot->policy_params[FAIRNESS];
	u64 stp = fixed_mul_div(metrics->stp_ppm, 1, metrics->tenants);

	return fixed_mul_div(stp, SIMGPU_PPM - fairness, SIMGPU_PPM) +
	       fixed_mul_div(metrics->fairness_ppm, fairness, SIMGPU_PPM);
}

/* The mean, in which what was long ago counts less and less. */
static inline void learn(const struct simgpu_snapshot *snapshot,
			 struct bandit *bandit, u64 reward)
{
	u32 arm = simgpu_index(bandit->arm, ARMS);
	u64 value = bandit->value[arm];

	if (bandit->plays[arm] < snapshot->policy_params[MEMORY])
		bandit->plays[arm]++;
	if (reward > value)
		value += fixed_mul_div(reward - value, 1, bandit->plays[arm]);
	else
		value -= fixed_mul_div(value - reward, 1, bandit->plays[arm]);
	bandit->value[arm] = value;
}

/* What was never tried is better than all that was. */
static inline bool is_better(const struct bandit *bandit, u32 arm, u32 than)
{
	arm = simgpu_index(arm, ARMS);
	than = simgpu_index(than, ARMS);
	if (!bandit->plays[than])
		return false;
	return !bandit->plays[arm] || bandit->value[arm] > bandit->value[than];
}

static inline void choose(const struct simgpu_snapshot *snapshot,
			  struct bandit *bandit)
{
	u64 chance = simgpu_random(snapshot, &bandit->place);
	u32 arm;

	bandit->best = 0;
	simgpu_each(arm, ARMS)
		if (is_better(bandit, arm, bandit->best))
			bandit->best = arm;
	if (chance % SIMGPU_PPM < snapshot->policy_params[EPSILON])
		bandit->best = (u32)(simgpu_random(snapshot, &bandit->place) % ARMS);
	bandit->arm = bandit->best;
	bandit->epochs = 0;
}

static inline void play(const struct simgpu_snapshot *snapshot,
			struct bandit *bandit, struct simgpu_proposal *proposal)
{
	u64 tenths = bandit->arm + 1;
	bool first = true;
	u32 slot;

	simgpu_each_slot(slot, snapshot) {
		bandit->weights[slot] = ARMS + 1 - tenths;
		if (first && snapshot->tenants[slot].active) {
			bandit->weights[slot] =
				tenths * (snapshot->tenants_active - 1);
			first = false;
		}
	}
	simgpu_split_weights(snapshot, bandit->weights, proposal);
}

static inline int bandit_decide(const struct simgpu_snapshot *snapshot,
				struct bandit *bandit,
				struct simgpu_proposal *proposal)
{
	u64 tenants = tenants_of(snapshot);
	struct simgpu_metrics metrics;

	if (tenants != bandit->tenants)
		forget(bandit, tenants);
	simgpu_metrics_of(snapshot, &metrics);
	/* While SMs change hands the rewards are not the arm's yet. */
	if (++bandit->epochs >= snapshot->policy_params[EPOCHS] &&
	    metrics.tenants == snapshot->tenants_active) {
		learn(snapshot, bandit, reward_of(snapshot, &metrics));
		choose(snapshot, bandit);
	}
	if (snapshot->policy_params[ARM])
		bandit->arm = (u32)snapshot->policy_params[ARM] - 1;
	play(snapshot, bandit, proposal);
	return 0;
}

SIMGPU_POLICY(bandit_decide, struct bandit,
	      .name = "bandit",
	      .params = SIMGPU_PARAMS({ "epsilon", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 100000,
					"part of the choices that are left to chance" },
				      { "fairness", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 0,
					"part of the reward that is fairness; the rest is STP" },
				      { "epochs", SIMGPU_UNIT_NUMBER, 1, 1000, 2,
					"epochs that an arm is played; its reward is the last one's" },
				      { "memory", SIMGPU_UNIT_NUMBER, 1, 1000, 20,
					"rewards of an arm that its mean remembers" },
				      { "arm", SIMGPU_UNIT_NUMBER, 0, ARMS, 0,
					"0: it learns; else this arm is played, the first tenant's tenths" }));

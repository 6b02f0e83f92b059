/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The built-in models and policies by name, the helpers that they share, and
 * the metrics over their predictions.
 */
#ifndef SIMGPU_REGISTRY_H
#define SIMGPU_REGISTRY_H

#include <simgpu/fixed.h>
#include <simgpu/model.h>
#include <simgpu/policy.h>

extern const struct simgpu_model model_hsm;
extern const struct simgpu_policy policy_even;
extern const struct simgpu_policy policy_hsm_fair;

/* By index, in the order in which they are listed; NULL past the last one. */
const struct simgpu_model *registry_model_at(unsigned int index);
const struct simgpu_policy *registry_policy_at(unsigned int index);
/* By name; NULL if there is none. */
const struct simgpu_model *registry_model_find(const char *name);
const struct simgpu_policy *registry_policy_find(const char *name);

/* Constants and thresholds that hold until somebody sets others. */
extern const struct simgpu_tunables registry_default_tunables;

void policy_split_even(const struct simgpu_snapshot *snapshot,
		       struct simgpu_proposal *proposal);

/**
 * struct metrics - over the predicted (or actual) NPs of the active tenants
 * @fairness_ppm: smallest NP / largest NP
 * @stp_ppm: sum of the NPs
 * @antt_ppm: mean of 1 / NP; 0 where an NP is 0
 */
struct metrics {
	u64 fairness_ppm;
	u64 stp_ppm;
	u64 antt_ppm;
};

void metrics_compute(const u64 *np_ppm, unsigned int count, struct metrics *out);

#endif /* SIMGPU_REGISTRY_H */

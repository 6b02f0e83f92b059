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
extern const struct simgpu_model model_hsm_atd;
extern const struct simgpu_model model_mirror;
extern const struct simgpu_model model_oracle;
extern const struct simgpu_policy policy_bw_app;
extern const struct simgpu_policy policy_even;
extern const struct simgpu_policy policy_hsm_fair;
extern const struct simgpu_policy policy_hsm_qos;
extern const struct simgpu_policy policy_proportional;

/* By index, in the order in which they are listed; NULL past the last one. */
const struct simgpu_model *registry_model_at(unsigned int index);
const struct simgpu_policy *registry_policy_at(unsigned int index);
/* By name; NULL if there is none. */
const struct simgpu_model *registry_model_find(const char *name);
const struct simgpu_policy *registry_policy_find(const char *name);

/* models/hsm_line.c: what models that read HSM's line have in common. */
enum {
	HSM_C1,
	HSM_C2,
};

extern const struct simgpu_param hsm_params[];
extern const struct simgpu_trained hsm_trained[];

/* common/split.c */
void policy_split(const struct simgpu_snapshot *snapshot, const u64 *weights,
		  struct simgpu_proposal *proposal);
void policy_split_even(const struct simgpu_snapshot *snapshot,
		       struct simgpu_proposal *proposal);
u64 policy_held_milli(const struct simgpu_snapshot *snapshot,
		      const struct simgpu_snapshot_tenant *tenant);
bool policy_has_gradient(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_snapshot_tenant *tenant);

/* common/curve.c */
void curve_through_origin(u64 held_milli, u64 np_ppm, u32 sms,
			  struct simgpu_curve *out);
void curve_of_tenant(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_snapshot_tenant *tenant,
		     struct simgpu_prediction_tenant *said);

/* HSM 4.2, Prediction Latency: for one kernel, in core cycles. */
#define HSM_LATENCY_CYCLES	181

/* models/hsm.c */
u64 hsm_supply_ppm(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_counters *counters);
u64 hsm_compute_np_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant);
u64 hsm_blocks_np_ppm(const struct simgpu_snapshot *snapshot,
		      const struct simgpu_snapshot_tenant *tenant);
u64 hsm_idle_latency_ppm(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters, u64 misses);
void hsm_predict_tenant(const struct simgpu_snapshot *snapshot,
			const struct simgpu_snapshot_tenant *tenant, u64 supply,
			u64 private_ppm, struct simgpu_prediction_tenant *out);

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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The built-in models and policies by name, the helpers that they share, and
 * the metrics over their predictions.
 */
#ifndef SIMGPU_REGISTRY_H
#define SIMGPU_REGISTRY_H

#include <simgpu/fixed.h>
#include <simgpu/metrics.h>
#include <simgpu/model.h>
#include <simgpu/policy.h>
#include <simgpu/split.h>

extern const struct simgpu_model model_asm;
extern const struct simgpu_model model_asm_gpm;
extern const struct simgpu_model model_bubble_flux;
extern const struct simgpu_model model_dase;
extern const struct simgpu_model model_dase_capped;
extern const struct simgpu_model model_hsm;
extern const struct simgpu_model model_hsm_atd;
extern const struct simgpu_model model_mirror;
extern const struct simgpu_model model_oracle;
extern const struct simgpu_model model_themis;
extern const struct simgpu_model model_themis_capped;
extern const struct simgpu_policy policy_bubble_flux;
extern const struct simgpu_policy policy_bubble_psp;
extern const struct simgpu_policy policy_bw_app;
extern const struct simgpu_policy policy_concurrent;
extern const struct simgpu_policy policy_cumask;
extern const struct simgpu_policy policy_curve_fair;
extern const struct simgpu_policy policy_curve_qos;
extern const struct simgpu_policy policy_dase_fair;
extern const struct simgpu_policy policy_dase_qos;
extern const struct simgpu_policy policy_even;
extern const struct simgpu_policy policy_flep;
extern const struct simgpu_policy policy_hsm_fair;
extern const struct simgpu_policy policy_hsm_qos;
extern const struct simgpu_policy policy_krisp;
extern const struct simgpu_policy policy_lithos;
extern const struct simgpu_policy policy_mig;
extern const struct simgpu_policy policy_mps_share;
extern const struct simgpu_policy policy_orion;
extern const struct simgpu_policy policy_proportional;
extern const struct simgpu_policy policy_quota_elastic;
extern const struct simgpu_policy policy_quota_history;
extern const struct simgpu_policy policy_quota_naive;
extern const struct simgpu_policy policy_quota_rollover;
extern const struct simgpu_policy policy_quota_rollover_time;
extern const struct simgpu_policy policy_quota_mixed;
extern const struct simgpu_policy policy_slices;
extern const struct simgpu_policy policy_spart;
extern const struct simgpu_policy policy_reef;
extern const struct simgpu_policy policy_sequential;
extern const struct simgpu_policy policy_stm;
extern const struct simgpu_policy policy_stm_merged;
extern const struct simgpu_policy policy_stm_partition;
extern const struct simgpu_policy policy_tally;
extern const struct simgpu_policy policy_themis_fair;
extern const struct simgpu_policy policy_themis_qos;
extern const struct simgpu_policy policy_time_slice;

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

/* A GPU that was not trained has HSM's Figure 3, about what hbm80 has. */
#define HSM_C1_PARAM { \
	"c1", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 500000, \
	"slope of HSM's line: utilization of peak bandwidth per RBH (Eq. 3)" \
}

#define HSM_C2_PARAM { \
	"c2", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 360000, \
	"its value at RBH 0" \
}

/* Of policies for fairness, with HSM's words and number. */
#define FAIR_THRESHOLD_PARAM { \
	"fair_threshold", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 900000, \
	"predicted fairness below which SMs move (HSM 4.3)" \
}

extern const struct simgpu_param hsm_params[];
extern const struct simgpu_trained hsm_trained[];

/* common/split.c */
void policy_split(const struct simgpu_snapshot *snapshot, const u64 *weights,
		  struct simgpu_proposal *proposal);
void policy_share_all(const struct simgpu_snapshot *snapshot, u64 sharers,
		      struct simgpu_proposal *proposal);
u64 policy_sharers(const struct simgpu_snapshot *snapshot, u64 first);
void policy_own_or_share(const struct simgpu_snapshot *snapshot,
			 struct simgpu_proposal *proposal);
void policy_split_even(const struct simgpu_snapshot *snapshot,
		       struct simgpu_proposal *proposal);

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
/* Loads are often small beside others'. */
#define PARTS_PER_BILLION	1000000000ULL

u64 hsm_own_load_ppb(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_counters *counters);
u64 hsm_load_ppb(const struct simgpu_snapshot *snapshot);
bool hsm_is_memory_bound(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters,
			 u64 private_ppm);
void hsm_predict_tenant(const struct simgpu_snapshot *snapshot,
			const struct simgpu_snapshot_tenant *tenant, u64 load,
			u64 private_ppm, struct simgpu_prediction_tenant *out);

/* models/hsm_waiting.c */
u64 hsm_idle_latency_ppm(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters, u64 misses);
u64 hsm_waiting_np_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant, bool memory,
		       u64 misses, u64 load);

/* common/factors.c */
u64 active_slots(const struct simgpu_snapshot *snapshot);
u32 next_active_slot(const struct simgpu_snapshot *snapshot, u32 slot);
void factors_say(u64 scal_ppm, u64 inter_ppm,
		 struct simgpu_prediction_tenant *out);
void factors_class(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_snapshot_tenant *tenant,
		   struct simgpu_prediction_tenant *out);
u64 factors_sms_ppm(const struct simgpu_snapshot *snapshot,
		    const struct simgpu_snapshot_tenant *tenant);

/* models/themis_net.c: Themis, Eq. 7 and Table IV. */
#define THEMIS_INPUTS		12
#define THEMIS_HIDDEN		12
#define THEMIS_OUTPUTS		2
/* Of these inputs, SMs and Table I's events are a tenant's own. */
#define THEMIS_OWN		9
#define THEMIS_WEIGHTS		(THEMIS_INPUTS * THEMIS_HIDDEN + \
				 THEMIS_HIDDEN * THEMIS_HIDDEN + \
				 THEMIS_HIDDEN * THEMIS_OUTPUTS)
/* Bits behind the point: of rates a cycle, of weights, of what neurons say. */
#define THEMIS_RATE_BITS	32
#define THEMIS_WEIGHT_BITS	24
#define THEMIS_VALUE_BITS	20
/* The greatest rate, standardized input, weight and value, either way. */
#define THEMIS_RATE_MOST	(1LL << (THEMIS_RATE_BITS + 13))
#define THEMIS_INPUT_MOST	(16LL << THEMIS_VALUE_BITS)
#define THEMIS_WEIGHT_MOST	(8LL << THEMIS_WEIGHT_BITS)
#define THEMIS_VALUE_MOST	(2048LL << THEMIS_VALUE_BITS)
/* A leaky ReLU's slope below 0 is 1 / this. */
#define THEMIS_LEAK		100
/* The greatest of either factor of a slowdown. */
#define THEMIS_SD_MOST_PPM	(1000 * SIMGPU_PPM)

/**
 * struct themis_constants - what `simgpu train --model themis` has found
 * @origin: what is subtracted from an input's rate, Q32
 * @deviation: what the difference is divided by, Q32, above 0
 * @weights: Q24, by layer, then by neuron, then by its inputs
 */
struct themis_constants {
	s64 origin[THEMIS_INPUTS];
	s64 deviation[THEMIS_INPUTS];
	s32 weights[THEMIS_WEIGHTS];
};

static_assert(THEMIS_WEIGHTS == 312, "Table IV");
static_assert(sizeof(struct themis_constants) == 192 + 1248, "no padding");

extern const struct simgpu_constants_built_in themis_weights[];

bool themis_constants_are_good(const void *constants);
void themis_events(const struct simgpu_counters *counters,
		   u64 events[THEMIS_OWN]);
void themis_rates(const struct simgpu_snapshot *snapshot, u64 cycles,
		  const u64 own[THEMIS_OWN], const u64 others[THEMIS_OWN],
		  s64 rates[THEMIS_INPUTS]);
void themis_infer(const struct themis_constants *constants,
		  const s64 rates[THEMIS_INPUTS], u64 sd_ppm[THEMIS_OUTPUTS]);

/* models/gpm.c: scalability by clusters of curves (GPM, HPCA'15). */
#define GPM_CLUSTERS		8
/* SM counts at which training programs ran alone; the last is all. */
#define GPM_COUNTS		6
#define GPM_EVENTS		(THEMIS_OWN - 1)
#define GPM_RATE_MOST		(1ULL << (THEMIS_RATE_BITS + 13))

/**
 * struct gpm_cluster - training programs that scale alike
 * @progress_ppm: scalability progress at each of the SM counts, the mean of theirs
 * @rates: their events there for each cycle of an SM, likewise, Q32
 */
struct gpm_cluster {
	u32 progress_ppm[GPM_COUNTS];
	u64 rates[GPM_COUNTS][GPM_EVENTS];
};

/**
 * struct gpm_constants - what `simgpu train --model asm-gpm` has found
 * @sms: SM counts, in rising order
 * @clusters: how many
 * @reserved: zero
 * @deviation: of each event over all programs and SM counts, Q32, above 0
 * @cluster: by number
 */
struct gpm_constants {
	u32 sms[GPM_COUNTS];
	u32 clusters;
	u32 reserved;
	u64 deviation[GPM_EVENTS];
	struct gpm_cluster cluster[GPM_CLUSTERS];
};

static_assert(sizeof(struct gpm_constants) == 32 + 64 + 8 * 408, "no padding");

extern const struct simgpu_constants_built_in gpm_clusters[];

bool gpm_constants_are_good(const void *constants);
void gpm_rates(const u64 events[THEMIS_OWN], u64 rates[GPM_EVENTS]);
u32 gpm_choose(const struct gpm_constants *gpm, u64 held_milli,
	       const u64 rates[GPM_EVENTS]);
u64 gpm_progress_ppm(const struct gpm_constants *gpm, u32 cluster,
		     u64 held_milli);
u64 gpm_scal_ppm(const struct simgpu_snapshot *snapshot,
		 const void *constants,
		 const struct simgpu_snapshot_tenant *tenant);

/* common/psp.c: Themis' proactive slowdown predictor (VII.A). */
#define PSP_POINTS_MAX	7

/**
 * struct psp_curve - what is known of a kernel's scalability
 * @kernel: which one, in its trace
 * @blocks: its thread blocks
 * @threads: of one of these
 * @count: of @points; they are forgotten when the kernel changes
 * @points: SM counts that were tried and the scalability progress there, oldest
 *	first; none contradicts a later one
 * @inter_ppm: present slowdown by interference; 0: nothing is known
 */
struct psp_curve {
	u32 kernel;
	u32 blocks;
	u32 threads;
	u32 count;
	struct simgpu_knot points[PSP_POINTS_MAX];
	u64 inter_ppm;
};

void psp_follow(struct psp_curve *curve,
		const struct simgpu_snapshot_kernel *kernel);
void psp_add_point(struct psp_curve *curve, u32 sms_milli, u32 np_ppm);
bool psp_learn(struct psp_curve *curve, const struct simgpu_snapshot *snapshot,
	       const struct simgpu_snapshot_tenant *tenant);
u64 psp_progress_ppm(const struct psp_curve *curve, u32 all, u32 sms);
u64 psp_slowdown_ppm(const struct psp_curve *curve, u32 all, u32 sms);

/* common/seen.c: curves through what was seen. */

/**
 * struct seen_curve - what is known of a tenant's kernel
 * @points: SM counts that it had, and its NP there; @points.inter_ppm is not used
 * @shape_ppm: how far NP was from the curve at counts that were new to it, as a part of
 *	NP, averaged
 * @learned: whether it was seen at such a count yet
 */
struct seen_curve {
	struct psp_curve points;
	u32 shape_ppm;
	u32 learned;
};

/**
 * struct seen_curves - the state of a model that answers them
 * @slot: by slot
 */
struct seen_curves {
	struct seen_curve slot[SIMGPU_SLOTS_MAX];
};

/* Mean errors of NP on Table 2's pairs, 1,000,000 cycles under an even split. */
#define HSM_ERROR_PPM		112000
#define MIRROR_ERROR_PPM	41000

void seen_curve_answer(struct seen_curve *curve,
		       const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant,
		       u32 error_ppm, struct simgpu_prediction_tenant *said);

/* common/promise.c: tenants with promises first, then who gains most. */

/**
 * struct promise_rules - what differs between policies that keep promises
 * @wanted: SMs that a QoS tenant should have; the state is the policy's
 * @worth: what one more SM than @sms is worth to a tenant, in NP
 */
struct promise_rules {
	u32 (*wanted)(const struct simgpu_snapshot *snapshot, u32 slot, void *state);
	u64 (*worth)(const struct simgpu_snapshot *snapshot, u32 slot, u32 sms);
};

void promise_decide(const struct simgpu_snapshot *snapshot,
		    const struct promise_rules *rules, void *state,
		    struct simgpu_proposal *proposal);

/* common/engine.c: Themis' allocation engine (VII.B, Algorithm 1). */

/**
 * struct engine - the state of a policy that searches with it
 * @curves: by slot
 * @count: tenants among whom SMs move: those of which something is known
 * @reserved: zero
 * @slot: of each
 * @before: SMs that it has
 * @sms: and would have
 * @sd_ppm: its slowdown with these
 */
struct engine {
	struct psp_curve curves[SIMGPU_SLOTS_MAX];
	u32 count;
	u32 reserved;
	u32 slot[SIMGPU_SLOTS_MAX];
	u32 before[SIMGPU_SLOTS_MAX];
	u32 sms[SIMGPU_SLOTS_MAX];
	u64 sd_ppm[SIMGPU_SLOTS_MAX];
};

/**
 * struct engine_rules - what an allocation is worth (Algorithm 1)
 * @score: more is better
 * @good_enough: whether to stop searching; @gain is what the last round brought
 */
struct engine_rules {
	s64 (*score)(const struct simgpu_snapshot *snapshot,
		     const struct engine *engine);
	bool (*good_enough)(const struct simgpu_snapshot *snapshot,
			    const struct engine *engine, s64 gain);
};

/* The first knob of all that search with it. */
enum {
	ENGINE_MAX_DISTANCE,
};

#define ENGINE_MAX_DISTANCE_PARAM {					\
	"max_distance", SIMGPU_UNIT_NUMBER, 1, SIMGPU_SMS_MAX, 5,	\
	"SMs that a tenant gains or loses in a decision at most (Themis, maxDist)" \
}

void engine_decide(const struct simgpu_snapshot *snapshot,
		   struct engine *engine, const struct engine_rules *rules,
		   struct simgpu_proposal *proposal);

/* common/goals.c: what policies of fine-grained QoS (FGQoS) ask of a tenant's goal. */
bool goal_has(const struct simgpu_snapshot_tenant *tenant);
bool goal_lags(const struct simgpu_snapshot_tenant *tenant);
u64 goal_asked_ppm(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_snapshot_tenant *tenant, bool history);
void goal_note_issued(const struct simgpu_snapshot *snapshot, u64 *issued);
u64 goal_peak_ppm(const struct simgpu_snapshot *snapshot);

/* common/blocks.c: static resources (FGQoS 3.6). */

/**
 * struct blocks_kernel - what a tenant's thread blocks need
 * @present: it has work
 * @qos: it has a goal
 * @threads: of a thread block, in whole warps
 * @registers: of a thread block
 * @shared_bytes: of a thread block
 * @most: thread blocks that an SM can hold of it, alone
 */
struct blocks_kernel {
	u32 present;
	u32 qos;
	u32 threads;
	u32 registers;
	u32 shared_bytes;
	u32 most;
};

/**
 * struct blocks_row - idle warps of a tenant on a shared SM
 * @key: SM x slots + slot
 * @idle: thread blocks' worth of idle warps over the last epoch (FGQoS 3.6)
 * @samples: taken since it joined, modulo 2^32
 * @warps: idle warps in these, likewise
 */
struct blocks_row {
	u32 key;
	u32 idle;
	u32 samples;
	u32 warps;
};

/**
 * struct blocks - who may have how many thread blocks where
 * @kernels: by slot
 * @sharers: by SM
 * @limit: by SM and slot
 * @alone: by SM: those without a goal have left it
 * @row_count: of @rows
 * @known: whether their @idle means something: no row has come or gone
 * @swaps: thread blocks that were taken from a victim
 * @reserved: zero
 * @rows: as in the snapshot
 */
struct blocks {
	struct blocks_kernel kernels[SIMGPU_SLOTS_MAX];
	u64 sharers[SIMGPU_SMS_MAX];
	u8 limit[SIMGPU_SMS_MAX][SIMGPU_SLOTS_MAX];
	u8 alone[SIMGPU_SMS_MAX];
	u32 row_count;
	u32 known;
	u32 swaps;
	u32 reserved;
	struct blocks_row rows[SIMGPU_SHARED_ROWS_MAX];
};

bool blocks_changed(const struct simgpu_snapshot *snapshot,
		    struct blocks *blocks);
void blocks_split(const struct simgpu_snapshot *snapshot,
		  struct blocks *blocks);
void blocks_sample(const struct simgpu_snapshot *snapshot,
		   struct blocks *blocks);
void blocks_adjust(const struct simgpu_snapshot *snapshot,
		   struct blocks *blocks, bool one_swap);
void blocks_share_all(struct blocks *blocks);
void blocks_leave(const struct simgpu_snapshot *snapshot, struct blocks *blocks,
		  u32 count);
bool blocks_return(const struct simgpu_snapshot *snapshot,
		   struct blocks *blocks);
void blocks_give_back(const struct simgpu_snapshot *snapshot,
		      struct blocks *blocks);
void blocks_say(const struct simgpu_snapshot *snapshot,
		const struct blocks *blocks, struct simgpu_proposal *proposal);

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

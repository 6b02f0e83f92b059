// SPDX-License-Identifier: GPL-2.0
/*
 * asm: the Application Slowdown Model (Subramanian et al., MICRO'15), as Themis compares
 * itself with it. Each tenant in turn has the highest memory priority for a span of
 * 10,000 cycles. The model estimates the tenant's rate of cache accesses alone from its
 * own spans, corrected for misses that are hits in its auxiliary tags. The slowdown is
 * that rate over its rate in the whole epoch. ASM does not model a lack of SMs: SD_scal
 * is 1. asm-gpm is Themis' combination of ASM with GPM (gpm.c), which predicts SD_scal
 * alone.
 */
#include "../common/curve.h"
#include "../common/tenants.h"
#include "../registry.h"
#include "factors.h"
#include "gpm.h"
#include "hsm.h"

#define SPAN_CYCLES	10000
/* The correction leaves at least 1 / this of a span, however many misses there were. */
#define LEAST_PART	8

/* struct alone - what a tenant has done in its own spans of this epoch */
struct alone {
	u64 cycles;
	u64 accesses;
	u64 load_cycles;
	u64 extra_misses;
};

/*
 * struct state - the state of the model
 * @epoch: epoch of the spans in @tenants
 * @spans: 1 while a span lasts
 * @slot: slot of the present span
 * @end: device cycle at which the span ends
 * @start: cycle of the epoch at which the span began
 * @base: the tenant's counters at that time
 */
struct state {
	u64 epoch;
	u32 spans;
	u32 slot;
	u64 end;
	u64 start;
	struct simgpu_counters base;
	struct alone tenants[SIMGPU_SLOTS_MAX];
};

static u64 since(u64 now, u64 before)
{
	return fixed_above(now, before);
}

/* Misses in the cache that are hits in the auxiliary tags. */
static u64 contention_misses(u64 accesses, u64 misses, u64 tag_accesses,
			     u64 tag_hits)
{
	u64 hits = since(accesses, misses);

	return since(fixed_mul_div(accesses, tag_hits, tag_accesses), hits);
}

/* Add what has passed of the span to its tenant's sums. */
static void add_span(const struct simgpu_snapshot *snapshot,
		     struct state *state)
{
	const struct simgpu_counters *now =
		&snapshot->tenants[state->slot].counters;
	const struct simgpu_counters *base = &state->base;
	struct alone *alone = &state->tenants[state->slot];
	u64 accesses = since(now->llc_accesses, base->llc_accesses);
	u64 extra;

	extra = contention_misses(accesses,
				  since(now->llc_misses, base->llc_misses),
				  since(now->atd_accesses, base->atd_accesses),
				  since(now->atd_hits, base->atd_hits));
	alone->cycles = fixed_add(alone->cycles, since(snapshot->epoch_cycles,
						       state->start));
	alone->accesses = fixed_add(alone->accesses, accesses);
	alone->load_cycles = fixed_add(alone->load_cycles,
				       since(now->load_cycles,
					     base->load_cycles));
	alone->extra_misses = fixed_add(alone->extra_misses, extra);
}

/*
 * Cycles of a tenant's spans that contention misses took: by how much a miss takes
 * longer than a hit, with as many loads under way at a time as there were.
 */
static u64 extra_cycles(const struct simgpu_snapshot *snapshot,
			const struct alone *alone)
{
	u64 fetch = since(snapshot->dram_cycles, snapshot->llc_hit_cycles);
	u64 extra = fixed_mul(alone->extra_misses, fetch);
	u64 most = alone->cycles - alone->cycles / LEAST_PART;

	if (alone->load_cycles > alone->cycles)
		extra = fixed_mul_div(extra, alone->cycles, alone->load_cycles);
	return min(extra, most);
}

/* The slowdown by interference is CAR_alone / CAR_shared. */
static void predict_tenant(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_snapshot_tenant *tenant,
			   const struct alone *alone, u64 scal_ppm,
			   struct simgpu_prediction_tenant *out)
{
	u64 shared = tenant->counters.llc_accesses, cycles, expected;

	if (!alone->cycles || !alone->accesses || !shared)
		return;
	cycles = alone->cycles - extra_cycles(snapshot, alone);
	expected = fixed_mul_div(alone->accesses, snapshot->epoch_cycles,
				 cycles);
	factors_say(scal_ppm, fixed_ratio_ppm(expected, shared), out);
	out->class = out->np_ppm > hsm_compute_np_ppm(snapshot, tenant) ?
		     SIMGPU_CLASS_MEMORY : SIMGPU_CLASS_COMPUTE;
	curve_of_tenant(snapshot, tenant, out);
}

/* Go on with a span that has not ended, or begin a span of the next tenant. */
static void ask_for_span(const struct simgpu_snapshot *snapshot,
			 struct state *state, bool new_epoch,
			 struct simgpu_prediction *prediction)
{
	u32 slot = state->slot;

	if (!state->spans || state->end < snapshot->cycle + SIMGPU_WAKE_CYCLES_MIN ||
	    !snapshot->tenants[slot].active) {
		slot = next_active_slot(snapshot, slot);
		state->end = snapshot->cycle + SPAN_CYCLES;
	}
	state->spans = slot < SIMGPU_SLOTS_MAX;
	if (!state->spans)
		return;
	state->slot = slot;
	state->start = new_epoch ? 0 : snapshot->epoch_cycles;
	memset(&state->base, 0, sizeof(state->base));
	if (!new_epoch)
		state->base = snapshot->tenants[slot].counters;
	prediction->probe = SIMGPU_PROBE_PRIORITY;
	prediction->probe_slot = slot;
	prediction->wake_cycle = state->end;
}

/* @gpm: GPM's constants; NULL: without GPM */
static void predict_all(const struct simgpu_snapshot *snapshot,
			const void *gpm, struct state *state,
			struct simgpu_prediction *prediction)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (tenant->active)
			predict_tenant(snapshot, tenant, &state->tenants[slot],
				       gpm ? gpm_scal_ppm(snapshot, gpm, tenant) :
					     SIMGPU_PPM,
				       &prediction->tenants[slot]);
	}
}

static int predict(const struct simgpu_snapshot *snapshot, const void *gpm,
		   struct state *state, struct simgpu_prediction *prediction)
{
	bool over = snapshot->events & SIMGPU_ON_EPOCH;

	/* A short epoch is skipped, so spans of an earlier epoch may be left. */
	if (snapshot->epoch != state->epoch) {
		memset(state->tenants, 0, sizeof(state->tenants));
		memset(&state->base, 0, sizeof(state->base));
		state->start = 0;
		state->epoch = snapshot->epoch;
	}
	if (state->spans)
		add_span(snapshot, state);
	if (over)
		predict_all(snapshot, gpm, state, prediction);
	ask_for_span(snapshot, state, over, prediction);
	if (over) {
		memset(state->tenants, 0, sizeof(state->tenants));
		state->epoch = snapshot->epoch + 1;
	}
	return 0;
}

static int asm_predict(const struct simgpu_snapshot *snapshot,
		       const void *constants, void *memory,
		       struct simgpu_prediction *prediction)
{
	return predict(snapshot, NULL, memory, prediction);
}

/* Without clusters for the GPU, asm-gpm predicts nothing rather than what asm would. */
static int asm_gpm_predict(const struct simgpu_snapshot *snapshot,
			   const void *constants, void *memory,
			   struct simgpu_prediction *prediction)
{
	return constants ? predict(snapshot, constants, memory, prediction) : 0;
}

const struct simgpu_model model_asm = {
	.name = "asm",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD,
	.latency_cycles = HSM_LATENCY_CYCLES,
	.events = SIMGPU_ON_WAKE,
	.needs = SIMGPU_NEEDS_ALL_TAGS,
	.state_bytes = sizeof(struct state),
	.predict = asm_predict,
};

const struct simgpu_model model_asm_gpm = {
	.name = "asm-gpm",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD,
	.latency_cycles = HSM_LATENCY_CYCLES,
	.events = SIMGPU_ON_WAKE,
	.needs = SIMGPU_NEEDS_ALL_TAGS | SIMGPU_NEEDS_CONSTANTS,
	.state_bytes = sizeof(struct state),
	.constants_bytes = sizeof(struct gpm_constants),
	.constants_version = 1,
	.built_in = gpm_clusters,
	.constants_are_good = gpm_constants_are_good,
	.predict = asm_gpm_predict,
};

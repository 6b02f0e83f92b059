// SPDX-License-Identifier: GPL-2.0
/*
 * themis: the slowdown predictor of Themis (IPDPS'19). An epoch is divided into phases,
 * which end where any kernel ends. For each phase the net (themis_net.c) predicts SD_scal
 * and SD_inter of each tenant. NP over the epoch is Eq. 5: the sum of the phases' T / SD
 * over the sum of their T. themis-capped caps a slowdown at S_max / S_k, as HSM does when
 * it compares itself with Themis (HSM 5).
 */
#include "../common/curve.h"
#include "../registry.h"
#include "factors.h"
#include "themis_net.h"

/* A shorter phase is joined with the next one. */
#define PHASE_CYCLES	10000
/* "within 1 us" (VI.B), at the core clock of a P100. */
#define LATENCY_CYCLES	1400

/*
 * struct phases - the phases of a tenant's epoch so far
 * @base: its events at the present phase's start
 * @cycles: sum of the cycles of predicted phases
 * @np: sum of their NP times cycles, in ppm
 * @scal: sum of their 1 / SD_scal times cycles, in ppm
 */
struct phases {
	u64 base[THEMIS_OWN];
	u64 cycles;
	u64 np;
	u64 scal;
};

/*
 * struct state - what the model remembers within an epoch
 * @epoch: number of the epoch
 * @start: cycle of the epoch at which the present phase began
 */
struct state {
	u64 epoch;
	u64 start;
	struct phases tenants[SIMGPU_SLOTS_MAX];
};

/* Events since the phase began; those of a tenant new in the slot began at 0. */
static void phase_events(const struct state *state, u32 slot,
			 const struct simgpu_counters *counters,
			 u64 events[THEMIS_OWN])
{
	u32 i;

	themis_events(counters, events);
	for (i = 0; i < THEMIS_OWN; i++)
		if (events[i] >= state->tenants[slot].base[i])
			events[i] -= state->tenants[slot].base[i];
}

/* All tenants' events of the phase. */
static void sum_events(const struct simgpu_snapshot *snapshot,
		       const struct state *state, u32 except,
		       u64 sums[THEMIS_OWN])
{
	u64 events[THEMIS_OWN];
	u32 slot, i;

	memset(sums, 0, THEMIS_OWN * sizeof(*sums));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!snapshot->tenants[slot].active || slot == except)
			continue;
		phase_events(state, slot, &snapshot->tenants[slot].counters,
			     events);
		for (i = 0; i < THEMIS_OWN; i++)
			sums[i] = fixed_add(sums[i], events[i]);
	}
}

/* Predict one tenant's phase, which ends now; false if the tenant did nothing in it. */
static bool predict_phase(const struct simgpu_snapshot *snapshot,
			  const struct themis_constants *constants,
			  const struct state *state, u32 slot, bool capped,
			  struct simgpu_prediction_tenant *out)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u64 own[THEMIS_OWN], others[THEMIS_OWN], sd[THEMIS_OUTPUTS], most;
	s64 rates[THEMIS_INPUTS];

	phase_events(state, slot, &tenant->counters, own);
	if (!own[0] || !own[1])
		return false;
	sum_events(snapshot, state, slot, others);
	themis_rates(snapshot, snapshot->epoch_cycles - state->start, own,
		     others, rates);
	themis_infer(constants, rates, sd);
	factors_say(sd[0], sd[1], out);
	most = factors_sms_ppm(snapshot, tenant);
	if (capped && fixed_mul(out->np_ppm, most) < SIMGPU_PPM * SIMGPU_PPM) {
		if (out->sd_scal_ppm > most)
			factors_say(most, SIMGPU_PPM, out);
		else
			factors_say(out->sd_scal_ppm,
				    fixed_ratio_ppm(most, out->sd_scal_ppm),
				    out);
	}
	return true;
}

/* Add a phase to the epoch (Eq. 5). */
static void add_phase(struct phases *phases, u64 cycles,
		      const struct simgpu_prediction_tenant *said)
{
	phases->cycles = fixed_add(phases->cycles, cycles);
	phases->np = fixed_add(phases->np, fixed_mul(said->np_ppm, cycles));
	phases->scal = fixed_add(phases->scal,
				 fixed_mul_div(SIMGPU_PPM * SIMGPU_PPM, cycles,
					       said->sd_scal_ppm));
}

/* Set the prediction of the epoch from all phases that were predicted. */
static void say_epoch(const struct phases *phases,
		      struct simgpu_prediction_tenant *out)
{
	u64 np, scal;

	if (!phases->cycles)
		return;
	np = phases->np / phases->cycles;
	scal = phases->scal / phases->cycles;
	factors_say(fixed_ratio_ppm(SIMGPU_PPM, scal),
		    fixed_ratio_ppm(scal, np), out);
	if (np && np <= SIMGPU_PPM)
		out->np_ppm = np;
}

static void end_phase(const struct simgpu_snapshot *snapshot,
		      const struct themis_constants *constants,
		      struct state *state, bool capped,
		      struct simgpu_prediction *prediction)
{
	u64 cycles = snapshot->epoch_cycles - state->start;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].active &&
		    predict_phase(snapshot, constants, state, slot, capped,
				  &prediction->tenants[slot]))
			add_phase(&state->tenants[slot], cycles,
				  &prediction->tenants[slot]);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		themis_events(&snapshot->tenants[slot].counters,
			      state->tenants[slot].base);
	state->start = snapshot->epoch_cycles;
}

static void say_all(const struct simgpu_snapshot *snapshot,
		    const struct state *state,
		    struct simgpu_prediction *prediction)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (!tenant->active || !state->tenants[slot].cycles)
			continue;
		say_epoch(&state->tenants[slot], &prediction->tenants[slot]);
		factors_class(snapshot, tenant, &prediction->tenants[slot]);
		curve_of_tenant(snapshot, tenant, &prediction->tenants[slot]);
	}
}

static int predict(const struct simgpu_snapshot *snapshot,
		   const void *constants, struct state *state, bool capped,
		   struct simgpu_prediction *prediction)
{
	bool over = snapshot->events & SIMGPU_ON_EPOCH;
	u64 cycles;

	if (!constants)
		return 0;
	if (snapshot->epoch != state->epoch ||
	    snapshot->epoch_cycles < state->start) {
		memset(state, 0, sizeof(*state));
		state->epoch = snapshot->epoch;
	}
	cycles = snapshot->epoch_cycles - state->start;
	if (cycles >= PHASE_CYCLES || (over && cycles && !state->start))
		end_phase(snapshot, constants, state, capped, prediction);
	say_all(snapshot, state, prediction);
	return 0;
}

static int themis_predict(const struct simgpu_snapshot *snapshot,
			  const void *constants, void *state,
			  struct simgpu_prediction *prediction)
{
	return predict(snapshot, constants, state, false, prediction);
}

static int themis_capped_predict(const struct simgpu_snapshot *snapshot,
				 const void *constants, void *state,
				 struct simgpu_prediction *prediction)
{
	return predict(snapshot, constants, state, true, prediction);
}

const struct simgpu_model model_themis = {
	.name = "themis",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD,
	.latency_cycles = LATENCY_CYCLES,
	.events = SIMGPU_ON_KERNEL_END,
	.needs = SIMGPU_NEEDS_CONSTANTS,
	.state_bytes = sizeof(struct state),
	.constants_bytes = sizeof(struct themis_constants),
	.constants_version = 1,
	.built_in = themis_weights,
	.constants_are_good = themis_constants_are_good,
	.predict = themis_predict,
};

const struct simgpu_model model_themis_capped = {
	.name = "themis-capped",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD,
	.latency_cycles = LATENCY_CYCLES,
	.events = SIMGPU_ON_KERNEL_END,
	.needs = SIMGPU_NEEDS_CONSTANTS,
	.state_bytes = sizeof(struct state),
	.constants_bytes = sizeof(struct themis_constants),
	.constants_version = 1,
	.constants_of = "themis",
	.built_in = themis_weights,
	.constants_are_good = themis_constants_are_good,
	.predict = themis_capped_predict,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * bubble-flux: Bubble-Flux (Yang et al., ISCA'13) as Themis has it on a GPU (VI). In a
 * stage of 300,000 cycles tenants share the device; in the next one a single tenant runs
 * alone, each tenant in turn. The other tenants are preempted, with all costs of that.
 * A tenant's slowdown is its instructions a cycle alone over its instructions a cycle in
 * all the time since its last stage alone, which includes the stages of others. A model
 * that sees only speeds cannot tell Eq. 4's factors apart.
 */
#include "../common/curve.h"
#include "../common/tenants.h"
#include "../registry.h"
#include "factors.h"
#include "hsm.h"

#define STAGE_CYCLES	300000

enum { SHARED, ALONE };

/*
 * struct speed - how fast a tenant was when it ran alone last
 * @instructions: instructions that it issued then
 * @cycles: cycles in which it issued them
 */
struct speed {
	u64 instructions;
	u64 cycles;
};

/*
 * struct state - where in the rotation the model is
 * @running: 1 once the rotation has begun
 * @stage: SHARED or ALONE
 * @slot: slot that runs or ran alone last
 * @start: device cycle at which the stage began
 * @end: device cycle at which it ends
 * @base: instructions of @slot at the stage's start, since it joined
 */
struct state {
	u32 running;
	u32 stage;
	u32 slot;
	u32 reserved;
	u64 start;
	u64 end;
	u64 base;
	struct speed tenants[SIMGPU_SLOTS_MAX];
};

static u64 instructions_of(const struct simgpu_snapshot *snapshot, u32 slot)
{
	return snapshot->tenants[slot].total.thread_instructions;
}

/* A stage alone has ended: record its tenant's speed. */
static void note_speed(const struct simgpu_snapshot *snapshot,
		       struct state *state)
{
	u64 now = instructions_of(snapshot, state->slot);

	if (!snapshot->tenants[state->slot].active || now <= state->base ||
	    snapshot->cycle <= state->start)
		return;
	state->tenants[state->slot] = (struct speed) {
		.instructions = now - state->base,
		.cycles = snapshot->cycle - state->start,
	};
}

/* Begin the next stage; if it is one alone, with the next tenant. */
static void next_stage(const struct simgpu_snapshot *snapshot,
		       struct state *state)
{
	if (state->running && state->stage == ALONE)
		note_speed(snapshot, state);
	if (state->running && state->stage == SHARED) {
		state->stage = ALONE;
		state->slot = next_active_slot(snapshot, state->slot);
		if (state->slot == SIMGPU_SLOTS_MAX) {
			memset(state, 0, sizeof(*state));
			return;
		}
		state->base = instructions_of(snapshot, state->slot);
	} else {
		state->stage = SHARED;
		if (!state->running)
			state->slot = SIMGPU_SLOTS_MAX - 1;
	}
	state->running = 1;
	state->start = snapshot->cycle;
	state->end = snapshot->cycle + STAGE_CYCLES;
}

/* NP is the IPC of the epoch over the IPC alone. */
static void predict_tenant(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_snapshot_tenant *tenant,
			   const struct speed *alone,
			   struct simgpu_prediction_tenant *out)
{
	u64 issued = tenant->counters.thread_instructions, expected;

	if (!alone->cycles || !issued)
		return;
	expected = fixed_mul_div(alone->instructions, snapshot->epoch_cycles,
				 alone->cycles);
	factors_say(fixed_ratio_ppm(expected, issued), SIMGPU_PPM, out);
	out->sd_scal_ppm = 0;
	out->sd_inter_ppm = 0;
	out->class = out->np_ppm > hsm_compute_np_ppm(snapshot, tenant) ?
		     SIMGPU_CLASS_MEMORY : SIMGPU_CLASS_COMPUTE;
	curve_of_tenant(snapshot, tenant, out);
}

static int bubble_flux_predict(const struct simgpu_snapshot *snapshot,
			       const void *constants, void *memory,
			       struct simgpu_prediction *prediction)
{
	struct state *state = memory;
	bool over = snapshot->events & SIMGPU_ON_EPOCH;
	u32 slot;

	if (!state->running || snapshot->cycle >= state->end ||
	    (state->stage == ALONE && !snapshot->tenants[state->slot].active))
		next_stage(snapshot, state);
	for (slot = 0; over && slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].active)
			predict_tenant(snapshot, &snapshot->tenants[slot],
				       &state->tenants[slot],
				       &prediction->tenants[slot]);
	if (!state->running)
		return 0;
	prediction->wake_cycle = state->end;
	if (state->end < snapshot->cycle + SIMGPU_WAKE_CYCLES_MIN)
		prediction->wake_cycle = snapshot->cycle +
					 SIMGPU_WAKE_CYCLES_MIN;
	if (state->stage == ALONE) {
		prediction->probe = SIMGPU_PROBE_ALONE;
		prediction->probe_slot = state->slot;
	}
	return 0;
}

const struct simgpu_model model_bubble_flux = {
	.name = "bubble-flux",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD,
	.latency_cycles = HSM_LATENCY_CYCLES,
	.events = SIMGPU_ON_WAKE,
	.state_bytes = sizeof(struct state),
	.predict = bubble_flux_predict,
};

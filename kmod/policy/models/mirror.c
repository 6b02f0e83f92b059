// SPDX-License-Identifier: GPL-2.0
/*
 * mirror: our own model, without constants to train. Alone, a tenant would need
 * for an epoch's work at least
 *
 *  - the time for which that work keeps the memory channels busy. Its mirror, a
 *    channel and its part of the last-level cache that see only this tenant's
 *    accesses, has measured it;
 *  - the time that its SMs need. All SMs together need the share S_k / S of the
 *    epoch (HSM's Eq. 4), less what they waited because lines took longer than
 *    in an idle GPU: of the cycles without an issue, the part L0 / L would be
 *    left, L the mean time of a line and L0 what it would be with nothing in
 *    the way and the mirror's misses. A kernel of few thread blocks waits by
 *    these, not by SMs.
 *
 *  - the time that the crossbar's ports of the last-level cache need for its flits.
 *
 * NP is the longest of these over the epoch, and whether the channels are longest says
 * the class. On a device that began without mirrors it is hsm.
 *
 * What a channel needs for an access may change with the SMs that the kernel has: more
 * warps find more rows open, or miss more. With the knob mirror_learns the model keeps,
 * while policies move SMs, what it saw at each count, for each kernel, and goes on to
 * all SMs from the two greatest counts, on a line in 1 / SMs: a kernel that has saturated
 * is level there, and one that has not changes less and less.
 */
#include "../registry.h"

/* Behind HSM's line, for devices without mirrors. */
enum {
	MIRROR_LEARNS = HSM_C2 + 1,
};

static const struct simgpu_param params[] = {
	[HSM_C1] = HSM_C1_PARAM,
	[HSM_C2] = HSM_C2_PARAM,
	[MIRROR_LEARNS] = {
		"mirror_learns", SIMGPU_UNIT_NUMBER, 0, 1, 0,
		"1: learn how accesses change with SMs while policies move these"
	},
	{ .name = NULL }
};

/* Counts at which an access was seen, the latest ones. */
#define COUNTS			4
/* Nearer than this they are one count, in thousandths of an SM. */
#define COUNT_APART		4000
/* Epochs of a tenant that nothing is learned from. */
#define COLD_EPOCHS		2
/* How far the line may go from what was seen last, to either side. */
#define DRAWN_MOST		4

/**
 * struct access_seen - what an access needed at a number of SMs
 * @sms_milli: SMs, in thousandths
 * @clocks_ppm: clocks of a channel, in millionths
 */
struct access_seen {
	u32 sms_milli;
	u32 clocks_ppm;
};

/**
 * struct access_curve - of a tenant's kernel
 * @kernel: which one, in its trace
 * @blocks: its thread blocks
 * @epochs: of the tenant that were looked at
 * @count: of @seen
 * @seen: in rising order of SMs
 */
struct access_curve {
	u32 kernel;
	u32 blocks;
	u32 epochs;
	u32 count;
	struct access_seen seen[COUNTS];
};

struct state {
	struct seen_curves curves;
	struct access_curve accesses[SIMGPU_SLOTS_MAX];
};

/* Clocks of a channel for an access, as its mirror saw it. */
static u64 access_ppm(const struct simgpu_counters *counters)
{
	return fixed_ratio_ppm(counters->mirror_clocks,
			       counters->mirror_accesses);
}

static u32 apart(u32 a, u32 b)
{
	return a > b ? a - b : b - a;
}

/* Where a count is, or would be; one that is there already has *@found. */
static u32 find_count(const struct access_curve *curve, u32 sms_milli,
		      bool *found)
{
	u32 i;

	for (i = 0; i < curve->count; i++) {
		*found = apart(curve->seen[i].sms_milli, sms_milli) < COUNT_APART;
		if (*found || curve->seen[i].sms_milli > sms_milli)
			return i;
	}
	*found = false;
	return i;
}

/* The later of two epochs at one count moves it half the way. */
static void learn_access(struct access_curve *curve,
			 const struct simgpu_snapshot_tenant *tenant,
			 u32 sms_milli, u32 clocks_ppm)
{
	const struct simgpu_snapshot_kernel *head = &tenant->queue[0].head;
	struct access_seen *at;
	bool found;
	u32 place;

	if (curve->kernel != head->kernel || curve->blocks != head->blocks)
		curve->count = 0;
	curve->kernel = head->kernel;
	curve->blocks = head->blocks;
	place = find_count(curve, sms_milli, &found);
	at = &curve->seen[place];
	if (found) {
		at->clocks_ppm = (u32)(((u64)at->clocks_ppm + clocks_ppm) / 2);
		return;
	}
	/* The least count says least of all SMs. */
	if (curve->count == COUNTS) {
		if (!place)
			return;
		memmove(&curve->seen[0], &curve->seen[1],
			(place - 1) * sizeof(*at));
		at--;
	} else {
		memmove(at + 1, at, (curve->count - place) * sizeof(*at));
		curve->count++;
	}
	*at = (struct access_seen) { sms_milli, clocks_ppm };
}

/*
 * Of what an access needs with @from SMs, the part that it needs with @all: c + k / S through
 * the counts a < b is at S, beyond b, (c_a - c_b) a (S - b) / (S (b - a)) below c_b.
 */
static u64 drawn_ppm(const struct access_curve *curve, u32 from_ppm, u32 all)
{
	const struct access_seen *a, *b;
	u64 width, change, least, drawn;

	if (curve->count < 2 || !from_ppm)
		return SIMGPU_PPM;
	a = &curve->seen[curve->count - 2];
	b = &curve->seen[curve->count - 1];
	if (b->sms_milli >= all)
		return fixed_ratio_ppm(b->clocks_ppm, from_ppm);
	width = b->sms_milli - a->sms_milli;
	change = fixed_mul_div(apart(a->clocks_ppm, b->clocks_ppm),
			       (u64)a->sms_milli * (all - b->sms_milli),
			       (u64)all * width);
	least = b->clocks_ppm / DRAWN_MOST;
	drawn = fixed_add(b->clocks_ppm, change);
	if (b->clocks_ppm < a->clocks_ppm)
		drawn = b->clocks_ppm > fixed_add(change, least) ?
			b->clocks_ppm - change : least;
	else if (drawn > DRAWN_MOST * (u64)b->clocks_ppm)
		drawn = DRAWN_MOST * (u64)b->clocks_ppm;
	return fixed_ratio_ppm(drawn, from_ppm);
}

/* What the kernel's accesses would need alone, over what they need here. */
static u64 alone_ppm(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_snapshot_tenant *tenant,
		     struct access_curve *curve)
{
	u64 held = simgpu_held_milli(snapshot, tenant);
	u64 clocks = access_ppm(&tenant->counters);

	if (!snapshot->model_params[MIRROR_LEARNS] || !clocks ||
	    clocks > U32_MAX || simgpu_in_tail(tenant))
		return SIMGPU_PPM;
	/* Cold caches have no dirty lines to write back: accesses need less. */
	if (curve->epochs++ < COLD_EPOCHS)
		return SIMGPU_PPM;
	learn_access(curve, tenant, (u32)held, (u32)clocks);
	return drawn_ppm(curve, (u32)clocks, 1000 * snapshot->sms);
}

/* The mirror's clocks, of one channel, for all accesses of the epoch. */
static u64 channel_time_ppm(const struct simgpu_snapshot *snapshot,
			    const struct simgpu_counters *counters)
{
	u64 seen = fixed_mul(counters->mirror_accesses, snapshot->channels);
	u64 clocks;

	if (!seen)
		return 0;
	clocks = fixed_mul_div(counters->mirror_clocks, counters->llc_accesses,
			       seen);
	return fixed_ratio_ppm(clocks, snapshot->memory_clocks);
}

/* A port carries a flit a cycle each way; all slices get as many. */
static u64 port_time_ppm(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters)
{
	u64 flits = counters->noc_reply_flits;

	if (flits < counters->noc_request_flits)
		flits = counters->noc_request_flits;
	return fixed_ratio_ppm(flits, fixed_mul(snapshot->llc_slices,
						snapshot->epoch_cycles));
}

/* L0 / L, at most 1; of few thread blocks L alone takes L0's place. */
static u64 alone_latency_ppm(const struct simgpu_snapshot *snapshot,
			     const struct simgpu_snapshot_tenant *tenant,
			     u64 load)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 misses = fixed_ratio_ppm(counters->mirror_requests,
				     counters->mirror_accesses);

	if (tenant->blocks <= 2 * snapshot->sms)
		return hsm_alone_latency_ppm(snapshot, counters, misses,
					     load);
	return hsm_idle_latency_ppm(snapshot, counters, misses);
}

/* The share of an epoch that the SMs of the whole GPU would need. */
static u64 sm_time_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant, u64 load)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 idle = fixed_ratio_ppm(counters->idle_cycles,
				   fixed_mul(counters->sm_cycles,
					     snapshot->schedulers));
	u64 waiting;

	if (idle > SIMGPU_PPM)
		idle = SIMGPU_PPM;
	waiting = fixed_mul_div(idle, alone_latency_ppm(snapshot, tenant, load),
				SIMGPU_PPM);
	return (hsm_compute_np_ppm(snapshot, tenant) * (SIMGPU_PPM - idle) +
		hsm_blocks_np_ppm(snapshot, tenant) * waiting) / SIMGPU_PPM;
}

static void predict_tenant(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_snapshot_tenant *tenant, u64 load,
			   struct access_curve *accesses,
			   struct simgpu_prediction_tenant *out)
{
	u64 channels = channel_time_ppm(snapshot, &tenant->counters);
	u64 sms = sm_time_ppm(snapshot, tenant, load);
	u64 ports = port_time_ppm(snapshot, &tenant->counters);

	if (!snapshot->mirrors) {
		hsm_predict_tenant(snapshot, tenant, load, SIMGPU_PPM, out);
		return;
	}
	if (!tenant->counters.thread_instructions)
		return;
	channels = fixed_mul_div(channels, alone_ppm(snapshot, tenant, accesses),
				 SIMGPU_PPM);
	if (sms < ports)
		sms = ports;
	out->class = channels > sms ? SIMGPU_CLASS_MEMORY :
				      SIMGPU_CLASS_COMPUTE;
	out->np_ppm = channels > sms ? channels : sms;
}

static int mirror_predict(const struct simgpu_snapshot *snapshot,
			  const void *constants, void *state,
			  struct simgpu_prediction *prediction)
{
	struct state *seen = state;
	u64 load = hsm_load_ppb(snapshot);
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		struct simgpu_prediction_tenant *out =
			&prediction->tenants[slot];

		if (!tenant->active)
			continue;
		predict_tenant(snapshot, tenant, load, &seen->accesses[slot],
			       out);
		if (out->class != SIMGPU_CLASS_UNKNOWN)
			seen_curve_answer(&seen->curves.slot[slot], snapshot,
					  tenant, MIRROR_ERROR_PPM, out);
	}
	return 0;
}

const struct simgpu_model model_mirror = {
	.name = "mirror",
	.latency_cycles = HSM_LATENCY_CYCLES,
	.params = params,
	.trained = hsm_trained,
	.needs = SIMGPU_NEEDS_MIRRORS,
	.state_bytes = sizeof(struct state),
	.predict = mirror_predict,
};

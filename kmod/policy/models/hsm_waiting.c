// SPDX-License-Identifier: GPL-2.0
/*
 * hsm-waiting: HSM, and a law of our own for kernels that mostly wait: kernels of few
 * thread blocks, and short ones. HSM's two laws assume that SMs (Eq. 4) or the memory
 * (Eq. 5) limit a kernel alone. A kernel with few thread blocks is limited by its own
 * latency: more SMs would not make it faster. The models hsm-atd and mirror have this law
 * too, unless their parameter "waiting" is 0.
 */
#include "../common/curve.h"
#include "../common/seen_curve.h"
#include "../registry.h"
#include "hsm.h"
#include "hsm_line.h"
#include "hsm_waiting.h"

/* A tenant's kernels are short if this many end in an epoch. */
#define SHORT_KERNELS	4

/* struct waiting - how a tenant's SMs spend their time, in parts per million of it */
struct waiting {
	u64 busy;	/* a warp issues */
	u64 start;	/* short kernels begin and end */
	u64 stores;	/* waiting for the last stores of kernels */
	u64 own;	/* waiting for the warps' own results */
	u64 memory;	/* waiting for loads, own ones or those of other warps */
};

/*
 * hsm_idle_latency_ppm() - the latency of a load in an idle GPU, over its latency here;
 *	at most 1
 * @misses: part of the accesses to the last-level cache that miss
 */
u64 hsm_idle_latency_ppm(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters, u64 misses)
{
	u64 least, mean;

	/* Write-backs may be counted among the misses. */
	misses = min(misses, SIMGPU_PPM);
	least = snapshot->llc_hit_cycles * (SIMGPU_PPM - misses) +
		snapshot->dram_cycles * misses;
	mean = fixed_ratio_ppm(counters->load_cycles, counters->load_requests);
	return mean > least ? fixed_ratio_ppm(least, mean) : SIMGPU_PPM;
}

/*
 * The part of the waiting time of a tenant's requests that would remain alone. As in an
 * open queue, waiting grows with load / (1 - load).
 */
static u64 own_waiting_ppm(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_counters *counters, u64 all)
{
	u64 own = hsm_own_load_ppb(snapshot, counters);

	if (all <= own)
		return SIMGPU_PPM;
	if (all >= PARTS_PER_BILLION)
		return 0;
	return fixed_mul_div(fixed_ratio_ppm(own, all), PARTS_PER_BILLION - all,
			     PARTS_PER_BILLION - own);
}

/*
 * The latency of a load alone, over its latency here, for a kernel that has about as
 * many loads under way alone.
 */
static u64 alone_latency_ppm(const struct simgpu_snapshot *snapshot,
			     const struct simgpu_counters *counters, u64 misses,
			     u64 load)
{
	u64 idle = hsm_idle_latency_ppm(snapshot, counters, misses);

	return idle + fixed_mul_div(SIMGPU_PPM - idle,
				    own_waiting_ppm(snapshot, counters, load),
				    SIMGPU_PPM);
}

/*
 * The same ratio for the last stores of kernels. An idle GPU acknowledges a store as
 * fast as it answers a load that hits. The rest of the stores' time may be due to other
 * tenants or to the number of the stores. The part of time in which the memory is busy
 * says how much is due to other tenants.
 */
static u64 alone_drain_ppm(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_counters *counters, u64 load)
{
	u64 least = fixed_mul(counters->kernels_finished,
			      snapshot->llc_hit_cycles);
	u64 others = SIMGPU_PPM - own_waiting_ppm(snapshot, counters, load);

	if (least >= counters->drain_cycles)
		return SIMGPU_PPM;
	if (load < PARTS_PER_BILLION)
		others = fixed_mul_div(others, load, PARTS_PER_BILLION);
	return SIMGPU_PPM - fixed_mul_div(counters->drain_cycles - least, others,
					  counters->drain_cycles);
}

static bool is_short(const struct simgpu_snapshot_tenant *tenant)
{
	return tenant->counters.kernels_finished >= SHORT_KERNELS;
}

/* Thread blocks of a kernel of this epoch: the mean, if several kernels have ended. */
static u64 blocks_of(const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_counters *counters = &tenant->counters;

	if (!is_short(tenant))
		return tenant->blocks;
	return counters->blocks_finished / counters->kernels_finished;
}

/* Thread blocks that are on so many SMs at once: all of them, or what the SMs hold. */
static u64 blocks_at_once(const struct simgpu_snapshot_tenant *tenant, u64 sms)
{
	u64 most = fixed_mul(sms, tenant->queue[0].head.blocks_per_sm);
	u64 blocks = blocks_of(tenant);

	return min(most, blocks);
}

/* Thread blocks that run at once here, over those that would run at once alone. */
static u64 at_once_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant)
{
	u64 sms = tenant->counters.sm_cycles / snapshot->epoch_cycles;

	/* A tenant with SMs for a part of the epoch had at least one. */
	if (!sms)
		sms = 1;
	return fixed_ratio_ppm(blocks_at_once(tenant, sms),
			       blocks_at_once(tenant, snapshot->sms));
}

static u64 take(u64 *left, u64 part, u64 whole)
{
	u64 ppm = fixed_ratio_ppm(part, whole);

	ppm = min(ppm, *left);
	*left -= ppm;
	return ppm;
}

/* Only SMs that have thread blocks count: others do not wait for anything. */
static void find_waiting(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_snapshot_tenant *tenant,
			 struct waiting *out)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 held = counters->sm_cycles, left = SIMGPU_PPM, issued, empty;
	u64 used = fixed_mul(blocks_of(tenant), snapshot->epoch_cycles);

	/* If kernels differ, the mean may be too small. */
	used = max(used, counters->sm_active_cycles);
	used = min(used, held);
	held = fixed_mul(held, snapshot->schedulers);
	used = fixed_mul(used, snapshot->schedulers);
	issued = held > counters->idle_cycles ?
		 held - counters->idle_cycles : 0;
	out->busy = take(&left, issued, used);
	/*
	 * While a kernel waits for its last stores, all its SMs are empty. In a long
	 * kernel, an SM without a thread block waits for thread blocks of other SMs.
	 */
	out->stores = take(&left, counters->drain_cycles,
			   snapshot->epoch_cycles);
	empty = fixed_mul_div(counters->drain_cycles, used,
			      snapshot->epoch_cycles);
	empty = counters->stall_empty_cycles > empty ?
		counters->stall_empty_cycles - empty : 0;
	out->start = is_short(tenant) ?
		     take(&left, empty, used) : 0;
	out->own = take(&left, counters->stall_dependence_cycles, used);
	out->memory = left;
}

/*
 * The least time that the SMs which the tenant could use alone need for its traffic.
 * Their ports to the crossbar carry a flit a cycle each way, and their load/store units
 * take a line a cycle. A tenant that waits for these waits alone, too.
 */
static u64 units_time_ppm(const struct simgpu_snapshot *snapshot,
			  const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 cycles = counters->noc_reply_flits, sms = tenant->blocks;
	/* A line takes the same time for one sector as for all. */
	u64 lines = fixed_add(counters->l1_accesses / snapshot->l1_sectors,
			      counters->l1_stores);

	/* A kernel that has ended may have had more thread blocks. */
	if (counters->kernels_finished)
		return 0;
	cycles = max(cycles, counters->noc_request_flits);
	cycles = max(cycles, lines);
	sms = min_t(u64, sms, snapshot->sms);
	return fixed_ratio_ppm(cycles, fixed_mul(sms, snapshot->epoch_cycles));
}

/*
 * Whether a kernel is outside Eq. 4 and 5: of few thread blocks, or short. A memory-bound
 * kernel with more than two thread blocks for each SM saturates the memory alone.
 */
static bool mostly_waits(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_snapshot_tenant *tenant,
			 bool memory)
{
	u64 blocks = blocks_of(tenant);

	if (is_short(tenant))
		return true;
	if (memory)
		return blocks <= 2 * snapshot->sms;
	return blocks <= blocks_at_once(tenant, snapshot->sms);
}

/*
 * hsm_waiting_np_ppm() - NP of a kernel that mostly waits
 * @memory: what hsm_is_memory_bound() returns
 * @misses: see hsm_idle_latency_ppm()
 * @load: what hsm_load_ppb() returns
 *
 * NP is the time that the kernel would take alone, over the epoch. Its parts:
 *
 *  - The time of a kernel's start and end stays.
 *  - Time spent waiting for the kernel's own results goes by the number of thread blocks
 *    that run at once, which is larger alone if they do not all fit here.
 *  - Time spent waiting for loads also goes by how much faster loads are alone.
 *  - Issue time goes by SMs (Eq. 4) as far as warps hinder one another: a warp that could
 *    issue finds its scheduler busy with the probability that the scheduler is busy. The
 *    rest of the issue time is the warp's own and stays.
 *
 * Return: NP in ppm; 0 if Eq. 4 and 5 hold for the kernel.
 */
u64 hsm_waiting_np_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant, bool memory,
		       u64 misses, u64 load)
{
	u64 at_once, contended, latency, own, all, units;
	struct waiting time;

	if (!mostly_waits(snapshot, tenant, memory))
		return 0;
	find_waiting(snapshot, tenant, &time);
	at_once = at_once_ppm(snapshot, tenant);
	latency = alone_latency_ppm(snapshot, &tenant->counters, misses, load);
	contended = fixed_mul_div(time.busy, time.busy, SIMGPU_PPM);
	own = time.own + time.busy - contended +
	      fixed_mul_div(time.memory, latency, SIMGPU_PPM) +
	      fixed_mul_div(time.stores,
			    alone_drain_ppm(snapshot, &tenant->counters, load),
			    SIMGPU_PPM);
	all = time.start + fixed_mul_div(own, at_once, SIMGPU_PPM) +
	      fixed_mul_div(contended, hsm_compute_np_ppm(snapshot, tenant),
			    SIMGPU_PPM);
	units = units_time_ppm(snapshot, tenant);
	return max(all, units);
}

/*
 * hsm_waiting_predict_tenant() - class and NP of one tenant: those of hsm, but a kernel
 *	that mostly waits has the NP that its own law says. A memory-bound one has the NP
 *	of Eq. 5 if that is more
 * @load: what hsm_load_ppb() returns
 * @private_ppm: see hsm_predict_tenant()
 */
void hsm_waiting_predict_tenant(const struct simgpu_snapshot *snapshot,
				const struct simgpu_snapshot_tenant *tenant,
				u64 load, u64 private_ppm,
				struct simgpu_prediction_tenant *out)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 misses = fixed_ratio_ppm(counters->llc_misses,
				     counters->llc_accesses);
	bool memory;
	u64 np;

	hsm_predict_tenant(snapshot, tenant, private_ppm, out);
	if (out->class == SIMGPU_CLASS_UNKNOWN)
		return;
	memory = out->class == SIMGPU_CLASS_MEMORY;
	np = hsm_waiting_np_ppm(snapshot, tenant, memory, misses, load);
	if (!np || (memory && np <= out->np_ppm))
		return;
	out->np_ppm = np;
	curve_of_tenant(snapshot, tenant, out);
}

static int hsm_waiting_predict(const struct simgpu_snapshot *snapshot,
			       const void *constants, void *state,
			       struct simgpu_prediction *prediction)
{
	u64 load = hsm_load_ppb(snapshot);
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (tenant->active)
			hsm_waiting_predict_tenant(snapshot, tenant, load,
						   SIMGPU_PPM,
						   &prediction->tenants[slot]);
	}
	seen_curves_answer(state, snapshot, HSM_ERROR_PPM, prediction);
	return 0;
}

const struct simgpu_model model_hsm_waiting = {
	.name = "hsm-waiting",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD |
		   SIMGPU_ASSUMES_BUSY_SMS,
	.latency_cycles = HSM_LATENCY_CYCLES,
	.params = hsm_params,
	.trained = hsm_trained,
	.state_bytes = sizeof(struct seen_curves),
	.predict = hsm_waiting_predict,
};

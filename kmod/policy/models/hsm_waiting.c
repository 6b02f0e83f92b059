// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels whose time is mostly waiting: of few thread blocks, or short. HSM's two laws
 * take it for granted that a kernel alone is held up by its SMs (Eq. 4) or by the
 * memory (Eq. 5). Where its thread blocks are few, its own latency is what takes
 * time: SMs that it does not have would not make it faster.
 */
#include "hsm.h"
#include "hsm_waiting.h"

/* Kernels that end in an epoch, from which on they are short. */
#define SHORT_KERNELS	4

/* struct waiting - where the time of a tenant's SMs goes, in parts per million of it */
struct waiting {
	u64 busy;	/* a warp issues */
	u64 start;	/* kernels that are short begin and end */
	u64 stores;	/* for the last stores of kernels */
	u64 own;	/* for the warps' own results */
	u64 memory;	/* for loads, and for others that wait for theirs */
};

/*
 * hsm_idle_latency_ppm() - how long a load would take in an idle GPU, where
 *	@misses of the accesses to the last-level cache miss, over how long it takes
 *	here; at most 1
 */
u64 hsm_idle_latency_ppm(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters, u64 misses)
{
	u64 least, mean;

	/* Write-backs may be counted, too. */
	misses = min(misses, SIMGPU_PPM);
	least = snapshot->llc_hit_cycles * (SIMGPU_PPM - misses) +
		snapshot->dram_cycles * misses;
	mean = fixed_ratio_ppm(counters->load_cycles, counters->load_requests);
	return mean > least ? fixed_ratio_ppm(least, mean) : SIMGPU_PPM;
}

/*
 * Of the time that a tenant's requests wait here, the part that they would wait alone:
 * as in an open queue, whose waiting goes by load / (1 - load).
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
 * How long a load would take alone, over how long it takes here, of a kernel that has
 * about as many under way alone.
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
 * The same of the last stores of kernels, which in an idle GPU are acknowledged after
 * as long as a load that hits takes. What they take longer may be their number, too:
 * as often as the memory is busy it is waiting.
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

/* Thread blocks of a kernel of this epoch: in the mean, where several have ended. */
static u64 blocks_of(const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_counters *counters = &tenant->counters;

	if (!is_short(tenant))
		return tenant->blocks;
	return counters->blocks_finished / counters->kernels_finished;
}

/* Thread blocks that are on so many SMs at once: all, or what they can hold. */
static u64 blocks_at_once(const struct simgpu_snapshot_tenant *tenant, u64 sms)
{
	u64 most = fixed_mul(sms, tenant->queue[0].head.blocks_per_sm);
	u64 blocks = blocks_of(tenant);

	return min(most, blocks);
}

/* Thread blocks that run at once, over those that would alone. */
static u64 at_once_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant)
{
	u64 sms = tenant->counters.sm_cycles / snapshot->epoch_cycles;

	/* Who had them for a part of the epoch had one at least. */
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

/* Of the SMs that have thread blocks: others do not wait for anything. */
static void find_waiting(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_snapshot_tenant *tenant,
			 struct waiting *out)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 held = counters->sm_cycles, left = SIMGPU_PPM, issued, empty;
	u64 used = fixed_mul(blocks_of(tenant), snapshot->epoch_cycles);

	/* Of kernels that differ the mean may be too small. */
	used = max(used, counters->sm_active_cycles);
	used = min(used, held);
	held = fixed_mul(held, snapshot->schedulers);
	used = fixed_mul(used, snapshot->schedulers);
	issued = held > counters->idle_cycles ?
		 held - counters->idle_cycles : 0;
	out->busy = take(&left, issued, used);
	/*
	 * While a kernel waits for its last stores all its SMs are empty. In a long one
	 * an SM without a thread block waits for the others' to end.
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
 * The time that the SMs that it could use alone need for what it moved, at least: their
 * ports to the crossbar carry a flit a cycle each way, their load/store units take a line
 * a cycle. Who waits for these waits alone, too.
 */
static u64 units_time_ppm(const struct simgpu_snapshot *snapshot,
			  const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 cycles = counters->noc_reply_flits, sms = tenant->blocks;
	/* A line takes as long whether all of its sectors are wanted or one. */
	u64 lines = fixed_add(counters->l1_accesses / snapshot->l1_sectors,
			      counters->l1_stores);

	/* An earlier kernel may have had more thread blocks. */
	if (counters->kernels_finished)
		return 0;
	cycles = max(cycles, counters->noc_request_flits);
	cycles = max(cycles, lines);
	sms = min_t(u64, sms, snapshot->sms);
	return fixed_ratio_ppm(cycles, fixed_mul(sms, snapshot->epoch_cycles));
}

/*
 * Whether a kernel's thread blocks, which may be few, are what Eq. 4 and 5 do not know.
 * A memory-bound one with more than two for each SM saturates the memory alone.
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
 * @memory: hsm_is_memory_bound()
 * @misses: as of hsm_idle_latency_ppm()
 * @load: of hsm_load_ppb()
 *
 * The time that it would take alone, over the epoch. A kernel's start stays. What it
 * waits for itself goes by the thread blocks that run at once, which are more alone
 * if they do not fit here; what it waits for loads also by how much faster these are
 * alone. Time in which it issues goes by SMs (Eq. 4) as far as warps hinder one
 * another: a warp that could issue finds its scheduler busy with the probability that
 * it is. What is left of it is the warp's own time.
 *
 * Return: 0 where Eq. 4 and 5 hold.
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

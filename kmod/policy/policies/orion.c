// SPDX-License-Identifier: GPL-2.0
/*
 * orion: a gate for best-effort kernels (Strati et al., Orion, EuroSys 2024). Such a
 * kernel starts only if no high-priority kernel is there, or if it is small and needs
 * other resources than the high-priority kernel. The time of all best-effort kernels that
 * have started is bounded by a part of the time of a high-priority request. All tenants
 * share all SMs, and thread blocks of high-priority tenants go first. A best-effort copy
 * begins only if no high-priority one takes, or waits to take, the same way.
 */
#include "../common/durations.h"
#include "../common/split.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	SM_THRESHOLD,
	DUR_THRESHOLD,
	MEMORY_BOUND,
	FREE_COPIES,
};

static const struct simgpu_param params[] = {
	[SM_THRESHOLD] = {
		"sm_threshold", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 500000,
		"part of the SMs that a best-effort kernel may need beside a high-priority one (Orion, SM_THRESHOLD)"
	},
	[DUR_THRESHOLD] = {
		"dur_threshold", SIMGPU_UNIT_RATIO, 0, 1000 * SIMGPU_PPM, 25000,
		"time of best-effort kernels that are out, beside a high-priority request's (Orion, DUR_THRESHOLD)"
	},
	[MEMORY_BOUND] = {
		"memory_bound", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 600000,
		"part of the peak bandwidth from which on a kernel with a profile is memory-bound"
	},
	[FREE_COPIES] = {
		"free_copies", SIMGPU_UNIT_NUMBER, 0, 1, 0,
		"0: best-effort copies wait while high-priority ones take the same way; 1: no copy waits"
	},
	{ .name = NULL }
};

/**
 * struct orion - the state of the policy
 * @next: slot whose kernels are considered first
 * @reserved: zero
 * @request_began: by slot, 1 + device cycle at which the first kernel of its trace came
 * @request_cycles: by slot, the shortest run of its trace so far; 0: none yet
 * @durations: how long kernels took
 */
struct orion {
	u32 next;
	u32 reserved;
	u64 request_began[SIMGPU_SLOTS_MAX];
	u64 request_cycles[SIMGPU_SLOTS_MAX];
	struct durations durations;
};

/* --- what requests and best-effort kernels take ------------------------------------------ */

/* A request is a run of the trace in the tenant's first queue, from its first kernel on. */
static void note_request(const struct simgpu_snapshot *snapshot, struct orion *orion,
			 u32 slot)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 events = tenant->active ? tenant->queue[0].events : tenant->events;
	u64 *began = &orion->request_began[slot];
	u64 *least = &orion->request_cycles[slot], cycles;

	if (tenant->active && !is_urgent(tenant)) {
		*began = 0;
		*least = 0;
		return;
	}
	if (events & SIMGPU_ON_KERNEL_END && *began && !tenant->queue[0].head.kernel) {
		cycles = snapshot->cycle + 1 - *began;
		if (!*least || cycles < *least)
			*least = cycles;
		*began = 0;
	}
	if (tenant->active && events & SIMGPU_ON_KERNEL_READY &&
	    !tenant->queue[0].head.kernel)
		*began = snapshot->cycle + 1;
}

/* The time of all best-effort kernels that have started. */
static u64 outstanding(const struct simgpu_snapshot *snapshot,
		       const struct orion *orion, u64 others)
{
	u64 sum = 0;

	for (; others; others &= others - 1) {
		u32 slot = (u32)__builtin_ctzll(others), i;
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		for (i = 0; i < tenant->queue_count; i++)
			if (durations_goes_on(snapshot, &orion->durations, slot, i))
				sum = fixed_add(sum, kernel_cycles(snapshot,
								   &orion->durations,
								   slot, i));
	}
	return sum;
}

/* The bound on that time; without a high-priority tenant so far, there is none. */
static u64 bound_of(const struct simgpu_snapshot *snapshot, const struct orion *orion,
		    u64 urgent)
{
	u64 least = DURATION_UNKNOWN;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (orion->request_cycles[slot] &&
		    orion->request_cycles[slot] < least)
			least = orion->request_cycles[slot];
	if (least == DURATION_UNKNOWN)
		return urgent ? 0 : DURATION_UNKNOWN;
	return fixed_mul_div(least, snapshot->policy_params[DUR_THRESHOLD],
			     SIMGPU_PPM);
}

/* --- the gate --------------------------------------------------------------------------- */

/* A kernel's class: by its profile, or the class that the model says of its tenant. */
static u32 class_of(const struct simgpu_snapshot *snapshot, u32 slot,
		    const struct simgpu_snapshot_kernel *kernel)
{
	u32 bandwidth_ppm;

	if (!kernel->profile)
		return snapshot->tenants[slot].class;
	bandwidth_ppm = snapshot->profiles[kernel->profile - 1]
				.point[snapshot->sms - 1].bandwidth_ppm;
	return bandwidth_ppm >= snapshot->policy_params[MEMORY_BOUND] ?
	       SIMGPU_CLASS_MEMORY : SIMGPU_CLASS_COMPUTE;
}

/* Whether a high-priority tenant has a kernel of the class; an unknown class differs. */
static bool meets_its_class(const struct simgpu_snapshot *snapshot, u64 urgent,
			    u32 class)
{
	for (; urgent && class != SIMGPU_CLASS_UNKNOWN; urgent &= urgent - 1) {
		u32 slot = (u32)__builtin_ctzll(urgent), i;
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		for (i = 0; i < tenant->queue_count; i++)
			if (kernel_is_present(&tenant->queue[i]) &&
			    class_of(snapshot, slot,
				     &tenant->queue[i].head) == class)
				return true;
	}
	return false;
}

static bool may_start(const struct simgpu_snapshot *snapshot, u64 urgent, u32 slot,
		      const struct simgpu_snapshot_kernel *kernel)
{
	u64 most = fixed_mul_div(snapshot->sms,
				 snapshot->policy_params[SM_THRESHOLD],
				 SIMGPU_PPM);

	if (!slots_with_kernels(snapshot, urgent))
		return true;
	return kernel_sms_filled(kernel) <= most &&
	       !meets_its_class(snapshot, urgent,
				class_of(snapshot, slot, kernel));
}

/* Let a best-effort tenant's kernels start if they may, and hold its other queues. */
static void open_gate(const struct simgpu_snapshot *snapshot, struct orion *orion,
		      u32 slot, u64 urgent, u64 bound, u64 *out,
		      struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 waiting = waiting_queues(tenant), i;

	for (i = 0; waiting >> i; i++) {
		u64 cycles = kernel_cycles(snapshot, &orion->durations, slot, i);

		if (!(waiting >> i & 1) ||
		    durations_goes_on(snapshot, &orion->durations, slot, i))
			continue;
		if (!may_start(snapshot, urgent, slot, &tenant->queue[i].head) ||
		    (*out && fixed_add(*out, cycles) > bound)) {
			proposal->hold_queues[slot] |= (u8)(1U << i);
			continue;
		}
		*out = fixed_add(*out, cycles);
		durations_begin(snapshot, &orion->durations, slot, i);
		orion->next = (slot + 1) % SIMGPU_SLOTS_MAX;
	}
}

/* --- copies ------------------------------------------------------------------------------ */

static bool has_copy(const struct simgpu_snapshot_tenant *tenant, u32 queue)
{
	return queue < tenant->queue_count &&
	       tenant->queue[queue].copy.flags & SIMGPU_COPY_PRESENT;
}

/* The ways that copies of high-priority tenants take, or wait to take, a bit each. */
static u32 ways_taken(const struct simgpu_snapshot *snapshot)
{
	u32 ways = 0, slot, i;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

		for (i = 0; comes_first(tenant) && i < SIMGPU_QUEUES_MAX; i++)
			if (has_copy(tenant, i))
				ways |= 1U << tenant->queue[i].copy.way;
	}
	return ways;
}

/* Whether the proposal holds some copy. */
static bool holds_copies(const struct simgpu_proposal *proposal)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (proposal->hold_copies[slot])
			return true;
	return false;
}

/* A copy takes all of its way, so a best-effort one waits until the way is free. */
static void gate_copies(const struct simgpu_snapshot *snapshot,
			struct simgpu_proposal *proposal)
{
	u32 taken = snapshot->policy_params[FREE_COPIES] ? 0 : ways_taken(snapshot), slot, i;
	bool held = holds_copies(proposal);

	memset(proposal->hold_copies, 0, sizeof(proposal->hold_copies));
	for (slot = 0; taken && slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

		for (i = 0; !comes_first(tenant) && i < SIMGPU_QUEUES_MAX; i++)
			if (has_copy(tenant, i) && taken >> tenant->queue[i].copy.way & 1)
				proposal->hold_copies[slot] |= (u8)(1U << i);
	}
	if (held || holds_copies(proposal))
		proposal->flags |= SIMGPU_SAYS_HOLD_COPIES;
}

static int orion_decide(const struct simgpu_snapshot *snapshot, void *state,
			struct simgpu_proposal *proposal)
{
	u64 urgent = urgent_slots(snapshot), others, bound, out;
	u64 sharers = policy_sharers(snapshot, urgent);
	struct orion *orion = state;
	u32 slot, first, i;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		durations_note(snapshot, &orion->durations, slot);
		note_request(snapshot, orion, slot);
	}
	proposal->flags = SIMGPU_SAYS_HOLD | SIMGPU_SAYS_HOLD_QUEUES;
	proposal->hold = ~sharers;
	memset(proposal->hold_queues, 0, sizeof(proposal->hold_queues));
	say_urgent_first(urgent, proposal);
	policy_share_all(snapshot, sharers, proposal);
	others = sharers & ~urgent;
	bound = bound_of(snapshot, orion, urgent);
	out = outstanding(snapshot, orion, others);
	first = orion->next % SIMGPU_SLOTS_MAX;
	for (i = 0; i < SIMGPU_SLOTS_MAX; i++) {
		slot = (first + i) % SIMGPU_SLOTS_MAX;
		if (others >> slot & 1)
			open_gate(snapshot, orion, slot, urgent, bound, &out,
				  proposal);
	}
	gate_copies(snapshot, proposal);
	return 0;
}

const struct simgpu_policy policy_orion = {
	.name = "orion",
	.about = "a best-effort kernel starts where it fits (after Orion)",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_READY | SIMGPU_ON_KERNEL_END |
		  SIMGPU_ON_COPY_READY | SIMGPU_ON_COPY_END,
	.needs = SIMGPU_NEEDS_PROFILES,
	.state_bytes = sizeof(struct orion),
	.params = params,
	.decide = orion_decide,
};

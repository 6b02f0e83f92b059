// SPDX-License-Identifier: GPL-2.0
/*
 * concurrent: what GPUs do by themselves (STM 6): kernels run at once, by the left-over
 * policy. Thread blocks of the kernel that started first go first; the next kernel gets
 * the room that they leave.
 *
 * With enough hardware queues each queue of an application has one of its own (Hyper-Q):
 * a kernel starts as soon as the one before it in its queue has ended. With fewer
 * hardware queues, one on Fermi, the kernels of several queues stand in line in one, in
 * the order of their launches, all kernels of a launch one behind the other. Only the
 * first in line can start. While it waits for the kernel before it in its application's
 * own queue, the kernels behind it in line wait, too, though nothing of their own
 * applications delays them (a false wait).
 */
#include "../common/split.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	HARDWARE_QUEUES,
	KERNELS,
};

static const struct simgpu_param params[] = {
	[HARDWARE_QUEUES] = {
		"hardware_queues", SIMGPU_UNIT_NUMBER, 0, 32, 0,
		"that kernels wait in: 1 as on Fermi; 0: one for each queue of a tenant (Hyper-Q)"
	},
	[KERNELS] = {
		"kernels", SIMGPU_UNIT_NUMBER, 1, 128, 32,
		"that may run at a time: 16 on Fermi, 32 on Kepler"
	},
	{ .name = NULL }
};

/**
 * struct place - where a kernel stands in its hardware queue
 * @came: device cycle at which the application handed the kernel in: the launch's
 *	arrival or, for a trace that is repeated, the end of the run before
 * @number: number of the tenant's queue; among kernels that came at once the lowest
 *	goes first
 */
struct place {
	u64 came;
	u32 number;
};

/**
 * struct seen - a tenant's queue at the last call
 * @sequence: launch whose kernel was at its head; 0: none yet
 * @came: when the present run of that launch was handed in
 */
struct seen {
	u64 sequence;
	u64 came;
};

/** struct concurrent - the state of the policy, by slot and queue */
struct concurrent {
	struct seen seen[SIMGPU_SLOTS_MAX][SIMGPU_QUEUES_MAX];
};

static bool is_before(struct place a, struct place b)
{
	return a.came < b.came || (a.came == b.came && a.number < b.number);
}

static u32 number_of(u32 slot, u32 queue)
{
	return slot * SIMGPU_QUEUES_MAX + queue;
}

/* The hardware queue that a tenant's queue uses. */
static u32 hardware_queue(const struct simgpu_snapshot *snapshot, u32 number)
{
	u32 queues = (u32)snapshot->policy_params[HARDWARE_QUEUES];

	if (!queues)
		return number;
	return (number / SIMGPU_QUEUES_MAX + number % SIMGPU_QUEUES_MAX) % queues;
}

static const struct simgpu_snapshot_queue *
queue_at(const struct simgpu_snapshot *snapshot, u32 number)
{
	return &snapshot->tenants[number / SIMGPU_QUEUES_MAX]
			.queue[number % SIMGPU_QUEUES_MAX];
}

static struct place head_place(const struct concurrent *it, u32 number)
{
	return (struct place) {
		.came = it->seen[number / SIMGPU_QUEUES_MAX]
				[number % SIMGPU_QUEUES_MAX].came,
		.number = number,
	};
}

/* Record launches and runs that are new at the heads of queues. */
static void look(const struct simgpu_snapshot *snapshot, struct concurrent *it)
{
	u32 slot, i;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (!tenant->active || tenant->events & SIMGPU_ON_ARRIVAL)
			memset(it->seen[slot], 0, sizeof(it->seen[slot]));
		for (i = 0; tenant->active && i < tenant->queue_count; i++) {
			const struct simgpu_snapshot_queue *queue =
				&tenant->queue[i];
			struct seen *seen = &it->seen[slot][i];

			if (!kernel_is_present(queue))
				continue;
			if (seen->sequence != queue->head.sequence)
				seen->came = queue->head.arrival_cycle;
			else if (!queue->head.kernel &&
				 queue->events & SIMGPU_ON_KERNEL_END)
				seen->came = snapshot->cycle;
			seen->sequence = queue->head.sequence;
		}
	}
}

/*
 * Whether the kernel behind a queue's head has been handed in, and its place in line. A
 * repeated run is handed in when the run before has ended.
 */
static bool next_place(const struct simgpu_snapshot *snapshot,
		       const struct concurrent *it, u32 number, struct place *out)
{
	const struct simgpu_snapshot_queue *queue = queue_at(snapshot, number);

	*out = head_place(it, number);
	if (!(queue->next.flags & SIMGPU_KERNEL_PRESENT))
		return false;
	if (queue->next.sequence == queue->head.sequence)
		return queue->next.kernel > queue->head.kernel;
	out->came = queue->next.arrival_cycle;
	return true;
}

/* Whether a kernel in line before @place waits for the one before it in its own queue. */
static bool waits_in_front(const struct simgpu_snapshot *snapshot,
			   const struct concurrent *it, struct place place)
{
	u32 mine = hardware_queue(snapshot, place.number), slot, i;

	if (!snapshot->policy_params[HARDWARE_QUEUES])
		return false;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		for (i = 0; tenant->active && i < tenant->queue_count; i++) {
			u32 number = number_of(slot, i);
			struct place next;

			if (kernel_is_present(&tenant->queue[i]) &&
			    hardware_queue(snapshot, number) == mine &&
			    next_place(snapshot, it, number, &next) &&
			    is_before(next, place))
				return true;
		}
	}
	return false;
}

/*
 * The first kernel that can start: it has not started, is first in line in its hardware
 * queue, and is not among @let_go, which already may start. False if there is none.
 */
static bool first_to_start(const struct simgpu_snapshot *snapshot,
			   const struct concurrent *it, const u32 *let_go,
			   struct place *first)
{
	bool found = false;
	u32 slot, i;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		for (i = 0; tenant->active && i < tenant->queue_count; i++) {
			struct place place = head_place(it, number_of(slot, i));

			if (!kernel_is_present(&tenant->queue[i]) ||
			    kernel_is_running(&tenant->queue[i]) ||
			    let_go[slot] >> i & 1 ||
			    (found && is_before(*first, place)) ||
			    waits_in_front(snapshot, it, place))
				continue;
			*first = place;
			found = true;
		}
	}
	return found;
}

/*
 * Returns slots with kernels that run or may start now, and by slot a bit for each queue
 * of these kernels. Kernels start in the order in which they were handed in. Two limits
 * hold: kernels at a time, and tenants that there are rows of shared SMs for.
 */
static u64 let_kernels_go(const struct simgpu_snapshot *snapshot,
			  const struct concurrent *it, u32 *let_go)
{
	u32 most = SIMGPU_SHARED_ROWS_MAX / snapshot->sms, kernels = 0, slot;
	struct place place;
	u64 slots = 0;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		let_go[slot] = snapshot->tenants[slot].active ?
			       running_queues(&snapshot->tenants[slot]) : 0;
		kernels += hweight64((u64)let_go[slot]);
		if (let_go[slot])
			slots |= 1ULL << slot;
	}
	while (kernels < snapshot->policy_params[KERNELS] &&
	       first_to_start(snapshot, it, let_go, &place)) {
		slot = place.number / SIMGPU_QUEUES_MAX;
		if (!(slots >> slot & 1) && hweight64(slots) == most)
			break;
		let_go[slot] |= 1U << place.number % SIMGPU_QUEUES_MAX;
		slots |= 1ULL << slot;
		kernels++;
	}
	return slots;
}

static int concurrent_decide(const struct simgpu_snapshot *snapshot, void *state,
			     struct simgpu_proposal *proposal)
{
	u32 let_go[SIMGPU_SLOTS_MAX], slot;
	u64 sharers;

	look(snapshot, state);
	sharers = policy_sharers(snapshot,
				 let_kernels_go(snapshot, state, let_go));
	proposal->flags = SIMGPU_SAYS_HOLD | SIMGPU_SAYS_HOLD_QUEUES |
			  SIMGPU_SAYS_BLOCK_ORDER;
	proposal->block_order = SIMGPU_ORDER_ARRIVAL;
	proposal->hold = ~sharers;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->hold_queues[slot] = (u8)~let_go[slot];
	policy_share_all(snapshot, sharers, proposal);
	return 0;
}

const struct simgpu_policy policy_concurrent = {
	.name = "concurrent",
	.about = "kernels at once, left-over, as cards do by themselves",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_READY | SIMGPU_ON_KERNEL_END,
	.state_bytes = sizeof(struct concurrent),
	.params = params,
	.decide = concurrent_decide,
};

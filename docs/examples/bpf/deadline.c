// SPDX-License-Identifier: GPL-2.0
/*
 * deadline: earliest deadline first (Liu and Layland, JACM 1973), over the launches at
 * the heads of tenants' queues. Each tenant with work keeps an SM; the others go to the
 * tenant whose deadline comes first, as many as it has thread blocks for, then to the
 * next one. What is left is shared by those that wait for no deadline, among whom are
 * those that have missed theirs: they would make others miss theirs, too. Good for
 * requests with different times to their deadlines, beside work that has none.
 */
#include <simgpu/policy.bpf.h>

/* Its parameters */
enum {
	SWITCH,
};

/* In place of a deadline: there is none to be met; the tenant is not to be looked at. */
#define NO_DEADLINE	U64_MAX
#define NOT_HERE	0

/**
 * struct deadlines - the state: scratch, for nothing is kept from call to call
 * @due: by slot, its first deadline that can be met, NO_DEADLINE or NOT_HERE
 * @first: slot whose deadline comes first
 * @left: SMs that nobody has yet
 * @idle: tenants without a deadline
 */
struct deadlines {
	u64 due[SIMGPU_SLOTS_MAX];
	u32 first;
	u32 left;
	u32 idle;
	u32 reserved;
};

/* Of the launches that run or could start. */
static inline u64 first_due(const struct simgpu_snapshot *snapshot, u32 slot)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u64 first = NO_DEADLINE;
	u32 q;

	simgpu_each(q, SIMGPU_QUEUES_MAX) {
		const struct simgpu_snapshot_queue *queue = &tenant->queue[q];

		if (queue->head.flags & SIMGPU_KERNEL_PRESENT &&
		    queue->deadline_cycle > snapshot->cycle &&
		    queue->deadline_cycle < first)
			first = queue->deadline_cycle;
	}
	return first;
}

/* Everybody's deadline, and an SM for each tenant with work while there are enough. */
static inline void begin(const struct simgpu_snapshot *snapshot,
			 struct deadlines *all, struct simgpu_proposal *proposal)
{
	u32 slot;

	all->left = snapshot->sms;
	all->idle = 0;
	simgpu_each_slot(slot, snapshot) {
		all->due[slot] = NOT_HERE;
		proposal->sms[slot] = 0;
		if (!snapshot->tenants[slot].active)
			continue;
		all->due[slot] = first_due(snapshot, slot);
		if (all->due[slot] == NO_DEADLINE)
			all->idle++;
		if (all->left) {
			proposal->sms[slot] = 1;
			all->left--;
		}
	}
}

static inline u64 due_of(const struct deadlines *all, u32 slot)
{
	return all->due[simgpu_index(slot, SIMGPU_SLOTS_MAX)];
}

/* Whose deadline comes first, of those that have not had their turn. */
static inline bool find_first(const struct simgpu_snapshot *snapshot,
			      struct deadlines *all)
{
	u32 slot;

	all->first = SIMGPU_SLOTS_MAX;
	simgpu_each_slot(slot, snapshot) {
		if (all->due[slot] == NOT_HERE || all->due[slot] == NO_DEADLINE)
			continue;
		if (all->first == SIMGPU_SLOTS_MAX ||
		    all->due[slot] < due_of(all, all->first))
			all->first = slot;
	}
	return all->first < SIMGPU_SLOTS_MAX;
}

/* As many SMs as it has thread blocks for; it has one already. */
static inline void serve(const struct simgpu_snapshot *snapshot,
			 struct deadlines *all, struct simgpu_proposal *proposal)
{
	u32 slot = simgpu_index(all->first, SIMGPU_SLOTS_MAX);
	u32 more = snapshot->tenants[slot].blocks_left;

	more = more ? more - 1 : 0;
	if (more > all->left)
		more = all->left;
	proposal->sms[slot] += more;
	all->left -= more;
	all->due[slot] = NOT_HERE;
}

/* What is left, evenly, the remainder to the lowest slots. */
static inline void share_rest(const struct simgpu_snapshot *snapshot,
			      struct deadlines *all, struct simgpu_proposal *proposal)
{
	u32 each = all->idle ? all->left / all->idle : 0, slot;
	u32 over = all->left - each * all->idle;

	simgpu_each_slot(slot, snapshot) {
		if (all->due[slot] != NO_DEADLINE)
			continue;
		proposal->sms[slot] += each;
		if (over) {
			proposal->sms[slot]++;
			over--;
		}
	}
}

static inline int deadline_decide(const struct simgpu_snapshot *snapshot,
				  struct deadlines *all,
				  struct simgpu_proposal *proposal)
{
	u32 turn;

	begin(snapshot, all, proposal);
	simgpu_each(turn, SIMGPU_SLOTS_MAX) {
		if (!all->left || !find_first(snapshot, all))
			break;
		serve(snapshot, all, proposal);
	}
	share_rest(snapshot, all, proposal);
	proposal->flags |= SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = snapshot->policy_params[SWITCH] ?
			       SIMGPU_LEAVE_SWITCH : SIMGPU_LEAVE_DRAIN;
	return 0;
}

SIMGPU_POLICY(deadline_decide, struct deadlines,
	      .name = "deadline",
	      .events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
			SIMGPU_ON_KERNEL_READY | SIMGPU_ON_KERNEL_END,
	      .needs = SIMGPU_NEEDS_NO_MODEL,
	      .params = SIMGPU_PARAMS({ "switch", SIMGPU_UNIT_NUMBER, 0, 1, 1,
					"1: thread blocks leave by a context switch; 0: they run to their end" }));

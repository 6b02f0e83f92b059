// SPDX-License-Identifier: GPL-2.0
/*
 * lottery: SMs are raffled off (Waldspurger and Weihl, OSDI'94). Each tenant with work
 * gets one; for each of the others a ticket is drawn, of which a tenant has as many as
 * its weight. In the mean shares are as the weights, and nobody can foresee who is next
 * to whom. Good for experiments that need splits nobody has chosen.
 */
#include <simgpu/policy.bpf.h>

/* Its parameters */
enum {
	EVERY,
};

/**
 * struct lottery - the state
 * @place: in the sequence of random numbers
 * @tickets: of all tenants with work, in this draw
 * @draw: the ticket that is looked for
 * @winner: who has it
 * @epochs: since the last draw
 */
struct lottery {
	u64 place;
	u64 tickets;
	u64 draw;
	u32 winner;
	u32 epochs;
};

static inline u64 tickets_of(const struct simgpu_snapshot *snapshot, u32 slot)
{
	return snapshot->tenants[slot].active ? snapshot->tenants[slot].weight : 0;
}

/* One SM each, while there are enough; returns how many are left. */
static inline u32 enter(const struct simgpu_snapshot *snapshot,
			struct lottery *lottery, struct simgpu_proposal *proposal)
{
	u32 left = snapshot->sms, slot;

	lottery->tickets = 0;
	simgpu_each_slot(slot, snapshot) {
		u64 tickets = tickets_of(snapshot, slot);

		lottery->tickets += tickets;
		proposal->sms[slot] = tickets && left;
		if (tickets && left)
			left--;
	}
	return left;
}

static inline void find_winner(const struct simgpu_snapshot *snapshot,
			       struct lottery *lottery)
{
	u32 slot;

	simgpu_each_slot(slot, snapshot) {
		u64 tickets = tickets_of(snapshot, slot);

		if (lottery->draw < tickets) {
			lottery->winner = slot;
			break;
		}
		lottery->draw -= tickets;
	}
}

static inline int lottery_decide(const struct simgpu_snapshot *snapshot,
				 struct lottery *lottery,
				 struct simgpu_proposal *proposal)
{
	u32 left, turn;

	/* Who has just come waits for no draw. */
	if (snapshot->events == SIMGPU_ON_EPOCH &&
	    ++lottery->epochs < snapshot->policy_params[EVERY])
		return 0;
	lottery->epochs = 0;
	left = enter(snapshot, lottery, proposal);
	if (!lottery->tickets)
		return 0;
	simgpu_each(turn, SIMGPU_SMS_MAX) {
		if (turn >= left)
			break;
		lottery->draw = simgpu_random(snapshot, &lottery->place) %
				(lottery->tickets ?: 1);
		find_winner(snapshot, lottery);
		proposal->sms[simgpu_index(lottery->winner, SIMGPU_SLOTS_MAX)]++;
	}
	return 0;
}

SIMGPU_POLICY(lottery_decide, struct lottery,
	      .name = "lottery",
	      .events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE,
	      .needs = SIMGPU_NEEDS_NO_MODEL,
	      .params = SIMGPU_PARAMS({ "every", SIMGPU_UNIT_NUMBER, 1, 1000, 1,
					"epochs from one draw to the next" }));

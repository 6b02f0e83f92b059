// SPDX-License-Identifier: GPL-2.0
/*
 * Static resources of shared SMs (FGQoS 3.6). At first tenants with goals are on all
 * SMs, the others on equal parts of the SMs, and each tenant of an SM has equal threads.
 * While a tenant lags behind its goal, it gets one thread block more on an SM, which a
 * victim gives up if there is no room.
 */
#include "blocks.h"
#include "goals.h"

#define WARP_THREADS	32

/* --- what is to be placed ----------------------------------------------------------- */

static struct blocks_kernel kernel_of(const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_snapshot_kernel *head = &tenant->queue[0].head;
	u32 threads = (head->threads + WARP_THREADS - 1) / WARP_THREADS *
		      WARP_THREADS;

	if (!tenant->active || !threads)
		return (struct blocks_kernel) { .present = tenant->active };
	return (struct blocks_kernel) {
		.present = 1,
		.qos = goal_has(tenant),
		.threads = threads,
		.registers = threads * head->registers,
		.shared_bytes = head->shared_bytes,
		.most = head->blocks_per_sm,
	};
}

/*
 * blocks_changed() - whether tenants have other kernels than at the last call
 *
 * Later functions work with the kernels of this call.
 */
bool blocks_changed(const struct simgpu_snapshot *snapshot,
		    struct blocks *blocks)
{
	bool changed = false;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		struct blocks_kernel now = kernel_of(&snapshot->tenants[slot]);

		if (!memcmp(&now, &blocks->kernels[slot], sizeof(now)))
			continue;
		blocks->kernels[slot] = now;
		changed = true;
	}
	return changed;
}

/* What an SM needs if all sharers have as many thread blocks as they may. */
struct need {
	u64 threads;
	u64 blocks;
	u64 registers;
	u64 shared_bytes;
};

static void add_need(struct need *need, const struct blocks_kernel *kernel,
		     u64 count)
{
	need->threads += count * kernel->threads;
	need->blocks += count;
	need->registers += count * kernel->registers;
	need->shared_bytes += count * kernel->shared_bytes;
}

static bool there_is(const struct simgpu_snapshot *snapshot,
		     const struct need *need)
{
	return need->threads <= snapshot->sm_threads &&
	       need->blocks <= snapshot->sm_blocks &&
	       need->registers <= snapshot->sm_registers &&
	       need->shared_bytes <= snapshot->sm_shared_bytes;
}

/* Whether the slots of @mask fit on an SM if all have as many blocks as they may. */
static bool fits(const struct simgpu_snapshot *snapshot,
		 const struct blocks *blocks, u32 sm, u64 mask)
{
	struct need need = { .threads = 0 };

	for (; mask; mask &= mask - 1) {
		u32 slot = (u32)__builtin_ctzll(mask);

		add_need(&need, &blocks->kernels[slot],
			 blocks->limit[sm][slot]);
	}
	return there_is(snapshot, &need);
}

/* --- the symmetric split ---------------------------------------------------------------- */

static u64 slots_of(const struct blocks *blocks, bool qos)
{
	u64 mask = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (blocks->kernels[slot].present &&
		    !!blocks->kernels[slot].qos == qos)
			mask |= 1ULL << slot;
	return mask;
}

/* The slots of @mask whose part of the SMs has @sm in it, for equal parts. */
static u64 in_part(u64 mask, u32 sm, u32 sms)
{
	u32 count = hweight64(mask), index = 0;
	u64 here = 0;

	for (; mask; mask &= mask - 1, index++)
		if (count <= sms ? sm * count / sms == index :
				   index % sms == sm)
			here |= 1ULL << __builtin_ctzll(mask);
	return here;
}

/* Give each slot of @mask equal threads, but one thread block at least. */
static void equal_threads(const struct simgpu_snapshot *snapshot,
			  struct blocks *blocks, u32 sm, u64 mask)
{
	u32 threads = snapshot->sm_threads / hweight64(mask);

	for (; mask; mask &= mask - 1) {
		u32 slot = (u32)__builtin_ctzll(mask);
		const struct blocks_kernel *kernel = &blocks->kernels[slot];
		u32 limit = kernel->threads ? threads / kernel->threads : 0;

		limit = min(limit, min(kernel->most,
				       SIMGPU_ANY_BLOCKS - 1));
		blocks->limit[sm][slot] = limit ? (u8)limit : 1;
	}
}

/*
 * The slot with the most threads among those with more than one thread block;
 * SIMGPU_SLOTS_MAX: none has more than one.
 */
static u32 most_threads(const struct blocks *blocks, u32 sm, u64 mask)
{
	u32 best = SIMGPU_SLOTS_MAX;
	u64 most = 0;

	for (; mask; mask &= mask - 1) {
		u32 slot = (u32)__builtin_ctzll(mask);
		u32 limit = blocks->limit[sm][slot];
		u64 threads = (u64)limit * blocks->kernels[slot].threads;

		if (limit > 1 && threads >= most) {
			best = slot;
			most = threads;
		}
	}
	return best;
}

/* The slot with the largest thread block; slots without a goal are preferred. */
static u32 largest_block(const struct blocks *blocks, u64 mask)
{
	u64 others = mask & slots_of(blocks, false);
	u32 best = 0, most = 0;

	for (mask = others ? others : mask; mask; mask &= mask - 1) {
		u32 slot = (u32)__builtin_ctzll(mask);

		if (blocks->kernels[slot].threads >= most) {
			best = slot;
			most = blocks->kernels[slot].threads;
		}
	}
	return best;
}

/*
 * Where equal threads do not fit, the slot with the most threads gives up blocks. Where
 * not even one thread block of each slot fits, the slot with the largest block waits
 * until there is room, and the others are placed without it.
 */
static void place(const struct simgpu_snapshot *snapshot, struct blocks *blocks,
		  u32 sm, u64 mask)
{
	equal_threads(snapshot, blocks, sm, mask);
	while (!fits(snapshot, blocks, sm, mask)) {
		u32 slot = most_threads(blocks, sm, mask);

		if (slot < SIMGPU_SLOTS_MAX) {
			blocks->limit[sm][slot]--;
			continue;
		}
		mask &= ~(1ULL << largest_block(blocks, mask));
		if (!mask)
			return;
		equal_threads(snapshot, blocks, sm, mask);
	}
}

/*
 * blocks_split() - the symmetric start (FGQoS 3.6)
 *
 * If the snapshot has too few rows of shared SM and tenant for that, tenants with goals
 * have equal parts of the SMs as well.
 */
void blocks_split(const struct simgpu_snapshot *snapshot,
		  struct blocks *blocks)
{
	u64 qos = slots_of(blocks, true), others = slots_of(blocks, false);
	u32 sm;

	if (!(qos | others))
		return;
	if ((hweight64(qos) + hweight64(others) / snapshot->sms + 1) *
	    snapshot->sms > SIMGPU_SHARED_ROWS_MAX) {
		others |= qos;
		qos = 0;
	}
	memset(blocks->limit, SIMGPU_ANY_BLOCKS,
	       snapshot->sms * sizeof(blocks->limit[0]));
	for (sm = 0; sm < snapshot->sms; sm++) {
		blocks->sharers[sm] = qos;
		if (!qos || !blocks->alone[sm])
			blocks->sharers[sm] |= in_part(others, sm, snapshot->sms);
		place(snapshot, blocks, sm, blocks->sharers[sm]);
	}
}

/* Whether a preemption is pending: an SM has more thread blocks than its limit allows. */
static bool somebody_leaves(const struct simgpu_snapshot *snapshot)
{
	u32 i;

	for (i = 0; i < snapshot->shared_rows; i++)
		if (snapshot->shared[i].blocks > snapshot->shared[i].block_limit)
			return true;
	return false;
}

/* --- SMs that are left to tenants with goals ------------------------------------------- */

/*
 * blocks_share_all() - forget which SMs tenants without a goal have left
 *
 * The next blocks_split() places them on these SMs again.
 */
void blocks_share_all(struct blocks *blocks)
{
	memset(blocks->alone, 0, sizeof(blocks->alone));
}

/* The least number of SMs that a slot of @mask is on. */
static u32 fewest_sms(const struct simgpu_snapshot *snapshot,
		      const struct blocks *blocks, u64 mask)
{
	u32 fewest = SIMGPU_SMS_MAX, sm;

	for (; mask; mask &= mask - 1) {
		u32 slot = (u32)__builtin_ctzll(mask), count = 0;

		for (sm = 0; sm < snapshot->sms; sm++)
			count += blocks->sharers[sm] >> slot & 1;
		fewest = min(fewest, count);
	}
	return fewest;
}

/* The SM whose tenants without a goal are on most SMs; SIMGPU_SMS_MAX: none. */
static u32 sm_to_leave(const struct simgpu_snapshot *snapshot,
		       const struct blocks *blocks)
{
	u64 others = slots_of(blocks, false);
	u32 best = SIMGPU_SMS_MAX, most = 2, sm;

	for (sm = 0; sm < snapshot->sms; sm++) {
		u64 here = blocks->sharers[sm] & others;
		u32 count;

		if (!here || here == blocks->sharers[sm])
			continue;
		count = fewest_sms(snapshot, blocks, here);
		if (count >= most) {
			best = sm;
			most = count;
		}
	}
	return best;
}

/*
 * blocks_leave() - tenants without a goal leave up to @count SMs that they share with
 *	tenants that have one
 *
 * Each tenant keeps one SM. While a preemption is pending, nothing changes.
 */
void blocks_leave(const struct simgpu_snapshot *snapshot, struct blocks *blocks,
		  u32 count)
{
	if (somebody_leaves(snapshot))
		return;
	for (; count; count--) {
		u32 sm = sm_to_leave(snapshot, blocks);

		if (sm == SIMGPU_SMS_MAX)
			return;
		blocks->alone[sm] = 1;
		blocks->sharers[sm] &= slots_of(blocks, true);
		place(snapshot, blocks, sm, blocks->sharers[sm]);
	}
}

/*
 * blocks_return() - tenants without a goal come back to one SM that they have left
 *
 * Return: whether there was such an SM.
 */
bool blocks_return(const struct simgpu_snapshot *snapshot,
		   struct blocks *blocks)
{
	u64 others = slots_of(blocks, false);
	u32 sm;

	for (sm = 0; sm < snapshot->sms; sm++) {
		if (!blocks->alone[sm])
			continue;
		blocks->alone[sm] = 0;
		blocks->sharers[sm] |= in_part(others, sm, snapshot->sms);
		place(snapshot, blocks, sm, blocks->sharers[sm]);
		return true;
	}
	return false;
}

/* --- idle warps --------------------------------------------------------------------------- */

static u32 key_of(const struct simgpu_snapshot_shared *row)
{
	return row->sm * SIMGPU_SLOTS_MAX + row->slot;
}

/* The mean of the samples since the last call, in whole thread blocks. */
static u32 idle_blocks(const struct blocks *blocks,
		       const struct blocks_row *before,
		       const struct simgpu_snapshot_shared *row)
{
	u32 samples = (u32)row->idle_warp_samples - before->samples;
	u32 warps = (u32)row->idle_warps - before->warps;
	u32 each = blocks->kernels[row->slot].threads / WARP_THREADS;

	return samples && each ? warps / samples / each : 0;
}

/*
 * blocks_sample() - idle thread blocks of each row since the last call
 *
 * If a row has come or gone since the last call, idle blocks are unknown until the
 * next one.
 */
void blocks_sample(const struct simgpu_snapshot *snapshot,
		   struct blocks *blocks)
{
	u32 i;

	blocks->known = blocks->row_count == snapshot->shared_rows;
	for (i = 0; i < snapshot->shared_rows; i++) {
		const struct simgpu_snapshot_shared *row = &snapshot->shared[i];
		struct blocks_row *mine = &blocks->rows[i];
		u32 idle = idle_blocks(blocks, mine, row);

		blocks->known &= mine->key == key_of(row);
		*mine = (struct blocks_row) {
			.key = key_of(row),
			.idle = idle,
			.samples = (u32)row->idle_warp_samples,
			.warps = (u32)row->idle_warps,
		};
	}
	blocks->row_count = snapshot->shared_rows;
}

/* --- one thread block more -------------------------------------------------------------- */

static u32 idle_on(const struct blocks *blocks, u32 sm, u32 slot)
{
	u32 i;

	for (i = 0; i < blocks->row_count; i++)
		if (blocks->rows[i].key == sm * SIMGPU_SLOTS_MAX + slot)
			return blocks->rows[i].idle;
	return 0;
}

/* Thread blocks that a tenant has on all SMs (N of the third rule). */
static u32 resident(const struct simgpu_snapshot *snapshot, u32 slot)
{
	u32 count = 0, i;

	for (i = 0; i < snapshot->shared_rows; i++)
		if (snapshot->shared[i].slot == slot)
			count += snapshot->shared[i].blocks;
	return count;
}

/*
 * How many thread blocks the victim has to give up to make room; 0: not even all but
 * one of them would do.
 */
static u32 needed_of(const struct simgpu_snapshot *snapshot,
		     struct blocks *blocks, u32 sm, u32 victim)
{
	u8 limit = blocks->limit[sm][victim];
	u32 count = 0;

	while (blocks->limit[sm][victim] > 1 &&
	       !fits(snapshot, blocks, sm, blocks->sharers[sm])) {
		blocks->limit[sm][victim]--;
		count++;
	}
	if (!fits(snapshot, blocks, sm, blocks->sharers[sm]))
		count = 0;
	blocks->limit[sm][victim] = limit;
	return count;
}

/* Third rule: IPC_history x (1 - n / N) > IPC_goal */
static bool can_lose(const struct simgpu_snapshot *snapshot, u32 slot, u32 n)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 all = resident(snapshot, slot);

	return all > n && fixed_mul_div(tenant->goal_instructions, all - n,
					all) > tenant->goal_promised;
}

/* Rules for victims, in the order in which they are tried. */
enum rule {
	RULE_BEST_EFFORT,
	RULE_IDLE,
	RULE_HISTORY,
	RULES
};

static bool obeys(const struct simgpu_snapshot *snapshot,
		  const struct blocks *blocks, u32 sm, u32 slot, u32 n,
		  enum rule rule)
{
	switch (rule) {
	case RULE_BEST_EFFORT:
		return !blocks->kernels[slot].qos;
	case RULE_IDLE:
		return idle_on(blocks, sm, slot) >= n + 1;
	default:
		return blocks->kernels[slot].qos &&
		       can_lose(snapshot, slot, n);
	}
}

/*
 * The victim that makes room for a thread block of @slot, whose limit is raised
 * already; *@count is set to the blocks that the victim gives up. The first rule that a
 * tenant meets decides. Of several tenants that meet it, the one with the most idle
 * thread blocks is the victim, then the lowest slot. SIMGPU_SLOTS_MAX: no victim.
 */
static u32 find_victim(const struct simgpu_snapshot *snapshot,
		       struct blocks *blocks, u32 sm, u32 slot, u32 *count)
{
	u32 best = SIMGPU_SLOTS_MAX, most = 0, rule;
	u64 mask;

	for (rule = 0; rule < RULES && best == SIMGPU_SLOTS_MAX; rule++) {
		mask = blocks->sharers[sm] & ~(1ULL << slot);
		for (; mask; mask &= mask - 1) {
			u32 other = (u32)__builtin_ctzll(mask);
			u32 n = needed_of(snapshot, blocks, sm, other);
			u32 idle = idle_on(blocks, sm, other);

			if (!n || !obeys(snapshot, blocks, sm, other, n, rule))
				continue;
			if (best != SIMGPU_SLOTS_MAX && idle <= most)
				continue;
			best = other;
			most = idle;
			*count = n;
		}
	}
	return best;
}

/* Whether a slot lags, has a thread block on @sm and could use one more there. */
static bool wants_more(const struct simgpu_snapshot *snapshot,
		       const struct blocks *blocks, u32 sm, u32 slot)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

	return goal_lags(tenant) && idle_on(blocks, sm, slot) <= 1 &&
	       blocks->limit[sm][slot] < blocks->kernels[slot].most &&
	       blocks->limit[sm][slot] < SIMGPU_ANY_BLOCKS - 1 &&
	       tenant->blocks_left > resident(snapshot, slot);
}

/* Give a tenant one thread block more on an SM; *@swapped is set if a victim gave one up. */
static bool give_one(const struct simgpu_snapshot *snapshot,
		     struct blocks *blocks, u32 sm, u32 slot, bool *swapped)
{
	u32 victim, count = 0;

	blocks->limit[sm][slot]++;
	if (fits(snapshot, blocks, sm, blocks->sharers[sm]))
		return true;
	victim = find_victim(snapshot, blocks, sm, slot, &count);
	if (victim == SIMGPU_SLOTS_MAX) {
		blocks->limit[sm][slot]--;
		return false;
	}
	blocks->limit[sm][victim] -= (u8)count;
	blocks->swaps += count;
	*swapped = true;
	return true;
}

/*
 * blocks_adjust() - at an epoch's start, on each SM give one thread block more to the
 *	first tenant that lags and can use it
 * @one_swap: at most one victim on the whole device
 *
 * While a preemption is pending, nothing changes.
 */
void blocks_adjust(const struct simgpu_snapshot *snapshot,
		   struct blocks *blocks, bool one_swap)
{
	bool swapped = false;
	u32 sm;

	if (!blocks->known || somebody_leaves(snapshot))
		return;
	for (sm = 0; sm < snapshot->sms; sm++) {
		u64 mask = blocks->sharers[sm];

		for (; mask; mask &= mask - 1) {
			u32 slot = (u32)__builtin_ctzll(mask);

			if (wants_more(snapshot, blocks, sm, slot) &&
			    give_one(snapshot, blocks, sm, slot, &swapped))
				break;
		}
		if (one_swap && swapped)
			return;
	}
}

/* --- and one back ------------------------------------------------------------------------- */

/* Tenants without a goal get all thread blocks that there is room for on an SM. */
static bool take_back(const struct simgpu_snapshot *snapshot,
		      struct blocks *blocks, u32 sm)
{
	u64 mask = blocks->sharers[sm] & slots_of(blocks, false);
	bool taken = false;

	for (; mask; mask &= mask - 1) {
		u32 slot = (u32)__builtin_ctzll(mask);
		u32 most = min(blocks->kernels[slot].most,
			       SIMGPU_ANY_BLOCKS - 1);

		while (blocks->limit[sm][slot] < most) {
			blocks->limit[sm][slot]++;
			if (!fits(snapshot, blocks, sm, blocks->sharers[sm])) {
				blocks->limit[sm][slot]--;
				break;
			}
			taken = true;
		}
	}
	return taken;
}

/* The slot with a goal that has most thread blocks on an SM, and more than one. */
static u32 find_giver(const struct blocks *blocks, u32 sm)
{
	u64 mask = blocks->sharers[sm] & slots_of(blocks, true);
	u32 best = SIMGPU_SLOTS_MAX, most = 1;

	for (; mask; mask &= mask - 1) {
		u32 slot = (u32)__builtin_ctzll(mask);

		if (blocks->limit[sm][slot] <= most)
			continue;
		best = slot;
		most = blocks->limit[sm][slot];
	}
	return best;
}

/*
 * blocks_give_back() - on each SM a tenant with a goal gives up one thread block, if that
 *	makes room for one of a tenant without a goal
 *
 * While a preemption is pending, nothing changes.
 */
void blocks_give_back(const struct simgpu_snapshot *snapshot,
		      struct blocks *blocks)
{
	u32 sm;

	if (somebody_leaves(snapshot))
		return;
	for (sm = 0; sm < snapshot->sms; sm++) {
		u32 slot = find_giver(blocks, sm);

		if (slot == SIMGPU_SLOTS_MAX)
			continue;
		blocks->limit[sm][slot]--;
		if (!take_back(snapshot, blocks, sm))
			blocks->limit[sm][slot]++;
	}
}

/*
 * blocks_say() - propose that all SMs are shared, with their sharers and block limits
 *
 * Thread blocks above a limit are saved (partial context switch).
 */
void blocks_say(const struct simgpu_snapshot *snapshot,
		const struct blocks *blocks, struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags |= SIMGPU_SAYS_OWNERS | SIMGPU_SAYS_BLOCK_LIMITS |
			   SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = SIMGPU_LEAVE_SWITCH;
	for (sm = 0; sm < snapshot->sms; sm++) {
		proposal->owner[sm] = SIMGPU_SHARED;
		proposal->sharers[sm] = blocks->sharers[sm];
	}
	memcpy(proposal->block_limit, blocks->limit,
	       snapshot->sms * sizeof(blocks->limit[0]));
}

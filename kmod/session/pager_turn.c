// SPDX-License-Identifier: GPL-2.0
/*
 * Several tenants fault: the pager serves them in turn, so that one that thrashes does not keep
 * the others waiting. Each has an even part of a batch's faults, and a block in turn. One whose
 * faults come while a batch is served has not to wait for its end: it joins it at the next block
 * or, with many tenants, when they have had a block each. So that this helps, copies of a batch
 * queue at the link no further than one chunk's takes. With one tenant nothing of this is done.
 */
#include "pager_chunks.h"
#include "pager_turn.h"

/* pager_is_shared() - whether several tenants have managed memory */
bool pager_is_shared(const struct pager *pager)
{
	u32 slot, count = 0;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		count += pager->memory[slot].page_count != 0;
	return count > 1;
}

static u32 take_from(struct pager *pager, u32 slot, u32 count, u32 most)
{
	return count + gpu_take_faults_of(pager->session->gpu, slot, PAGER_NEVER,
					  &pager->faults[count], most);
}

/*
 * pager_collect() - take the faults of a batch: of each tenant up to its part, and what that
 *	leaves of tenants that have more
 *
 * Return: how many there are, in pager->faults.
 */
u32 pager_collect(struct pager *pager, u32 most)
{
	u64 slots = pager_is_shared(pager) ? gpu_faulting(pager->session->gpu, PAGER_NEVER) : 0;
	u32 tenants = hweight64(slots), count = 0;
	u64 left;

	if (tenants < 2)
		return gpu_take_faults(pager->session->gpu, pager->faults, most);
	for (left = slots; left; left &= left - 1)
		count = take_from(pager, (u32)__builtin_ctzll(left), count, most / tenants);
	for (left = slots; left; left &= left - 1)
		count = take_from(pager, (u32)__builtin_ctzll(left), count, most - count);
	return count;
}

/* The next block of a slot with faults, from @first on; @blocks of the batch: there is none. */
static u32 next_of(const struct pager *pager, u32 slot, u32 first)
{
	for (; first < pager->blocks; first++)
		if (pager->asked[first].slot == slot && pager->asked[first].faults)
			break;
	return first;
}

/* Move a block of the batch forward to a place. */
static void move_to(struct pager *pager, u32 place, u32 from)
{
	struct asked asked = pager->asked[from];

	memmove(&pager->asked[place + 1], &pager->asked[place],
		(from - place) * sizeof(asked));
	pager->asked[place] = asked;
}

/*
 * pager_turn() - the slot whose turn is next while a batch is served: the one after the slot that
 *	was served last. Nobody's turn begins anew because another tenant joins
 */
u32 pager_turn(const struct pager *pager)
{
	u32 slot = pager->block ? pager->asked[pager->block - 1].slot + 1 :
				  pager->asked[0].slot;

	return slot % SESSION_SLOTS_MAX;
}

/*
 * pager_by_turns() - bring the blocks of a batch with faults, which nobody has served yet, into
 *	an order by turns: one of each tenant, in the order of slots from @first on, then the
 *	next one of each. A tenant's own order stays, and what is fetched stays behind
 */
void pager_by_turns(struct pager *pager, u32 first)
{
	u32 place = 0, before, i;

	if (!pager_is_shared(pager))
		return;
	do {
		before = place;
		for (i = 0; i < SESSION_SLOTS_MAX; i++) {
			u32 next = next_of(pager, (first + i) % SESSION_SLOTS_MAX, place);

			if (next < pager->blocks)
				move_to(pager, place++, next);
		}
	} while (place > before);
}

/* Tenants with blocks with faults in what is left of the batch, a bit each */
static u64 tenants_in_batch(const struct pager *pager)
{
	u64 slots = 0;
	u32 i;

	for (i = pager->block; i < pager->blocks; i++)
		if (pager->asked[i].slot < SESSION_SLOTS_MAX && pager->asked[i].faults)
			slots |= 1ULL << pager->asked[i].slot;
	return slots;
}

/*
 * pager_collect_late() - take the faults of tenants that join the batch: of each up to an even part
 *	of the room, so that the first ones leave some to the others
 *
 * Return: how many there are, in pager->faults.
 */
u32 pager_collect_late(struct pager *pager, u64 slots, u32 most)
{
	u32 tenants = hweight64(slots), count = 0;
	u32 part = max(most / tenants, 1U);

	for (; slots; slots &= slots - 1)
		count += gpu_take_faults_of(pager->session->gpu,
					    (u32)__builtin_ctzll(slots), pager->clock,
					    &pager->faults[count], min(part, most - count));
	return count;
}

/*
 * pager_begin_round() - nobody joins the batch before each tenant in it but the last one has had a
 *	block: to join costs the fixed time of a batch, and with many tenants somebody is always
 *	late
 */
void pager_begin_round(struct pager *pager)
{
	u32 tenants = pager_is_shared(pager) ? hweight64(tenants_in_batch(pager)) : 0;

	pager->round = (u8)(tenants - !!tenants);
}

/*
 * pager_late() - tenants with faults that have no block in what is left of the batch, a bit each,
 *	and may join it now; none while a chunk was taken away for the next block, which nobody
 *	else is to get
 */
u64 pager_late(const struct pager *pager)
{
	u64 slots;
	u32 i;

	if (pager->owed || pager->round || pager->blocks - pager->block >= GPU_FAULT_BATCH_MAX ||
	    !pager_is_shared(pager))
		return 0;
	slots = gpu_faulting(pager->session->gpu, pager->clock);
	for (i = pager->block; slots && i < pager->blocks; i++)
		if (pager->asked[i].slot < SESSION_SLOTS_MAX)
			slots &= ~(1ULL << pager->asked[i].slot);
	return slots;
}

/* pager_drop_served() - make room in the batch: the blocks that have been served leave it */
void pager_drop_served(struct pager *pager)
{
	pager->blocks -= pager->block;
	memmove(&pager->asked[0], &pager->asked[pager->block],
		pager->blocks * sizeof(pager->asked[0]));
	pager->block = 0;
}

/*
 * pager_link_from() - the cycle from which on the next block's copies may be queued at the link
 */
u64 pager_link_from(const struct pager *pager)
{
	u64 most = pager_copy_cycles(pager, pager->block_pages,
				     pager_config(pager)->link_in_mb_per_s);

	return pager_is_shared(pager) && pager->link_in > most ? pager->link_in - most : 0;
}

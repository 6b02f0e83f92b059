// SPDX-License-Identifier: GPL-2.0
/*
 * Whose chunks are taken away. What the memory policy said last (low, high) and what the SM
 * policy's proposal said (min, low, max) count together. Only numbers of chunks decide: a
 * chunk that cannot go yet is waited for, rather than taking one of a tenant that is spared.
 */
#include "pager_limits.h"

/* Chunks that hold so many bytes. */
static u64 chunks_up(u64 bytes)
{
	return bytes / GPU_CHUNK_BYTES + !!(bytes % GPU_CHUNK_BYTES);
}

/* Chunks below which others take none from a tenant. */
static u64 min_of(const struct pager *pager, u32 slot)
{
	return chunks_up(pager->session->controls.memory_min[slot]);
}

/* Chunks up to which a tenant is spared while others have more than theirs. */
static u64 low_of(const struct pager *pager, u32 slot)
{
	u64 low = chunks_up(pager->session->controls.memory_low[slot]);

	return max_t(u64, low, pager->said.low[slot]);
}

/* pager_at_most() - whether a tenant may have no further chunk */
bool pager_at_most(const struct pager *pager, u32 slot)
{
	u64 most = pager->session->controls.memory_max[slot];

	return most && pager->used[slot] >= max(most / GPU_CHUNK_BYTES, 1ULL);
}

/*
 * pager_needs() - chunks that are to be kept free of others for a tenant with a minimum, or
 *	without one: with managed memory it needs one
 */
u64 pager_needs(const struct session *session, u32 slot, u64 least)
{
	return max_t(u64, chunks_up(least), managed_is(session, slot));
}

/* Whether a tenant that needs a chunk gives up one of its own. */
static bool gives_own(const struct pager *pager, u32 slot)
{
	u32 high = pager->said.high[slot], used = pager->used[slot];

	return used && (pager_at_most(pager, slot) || (high && used >= high));
}

/*
 * pager_givers() - the tenants of which one gives up a chunk
 * @slot: the tenant that needs it
 *
 * Return: a bit each. Never none while chunks are in use: a tenant without any gets one even
 * if all others are at their min.
 */
u64 pager_givers(const struct pager *pager, u32 slot)
{
	u64 holders = 0, givers = 0, above = 0;
	u32 i;

	if (gives_own(pager, slot))
		return 1ULL << slot;
	for (i = 0; i < SESSION_SLOTS_MAX; i++) {
		u32 used = pager->used[i];

		if (!used)
			continue;
		holders |= 1ULL << i;
		if (i != slot && used <= min_of(pager, i))
			continue;
		givers |= 1ULL << i;
		if (used > low_of(pager, i))
			above |= 1ULL << i;
	}
	if (above)
		return above;
	return givers ? givers : holders;
}

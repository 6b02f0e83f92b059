// SPDX-License-Identifier: GPL-2.0
/*
 * Whose chunks are taken away. Three say it, and count together: the memory policy at its last
 * call (low, high), the SM policy's proposal (min, low, max), and the session's owner, for tenants
 * and groups of them (min, low, max). Only numbers of chunks decide: a chunk that cannot go yet is
 * waited for, rather than taking one of a tenant that is spared.
 */
#include "pager_limits.h"

/* Chunks that hold so many bytes. */
static u64 chunks_up(u64 bytes)
{
	return bytes / GPU_CHUNK_BYTES + !!(bytes % GPU_CHUNK_BYTES);
}

/* The lower one of two limits, of which 0 is none. */
static u64 lower_of(u64 a, u64 b)
{
	return a && b ? min(a, b) : a + b;
}

/* The limits of a tenant that the session's owner has set */
static const struct session_memory_limits *limits_of(const struct pager *pager, u32 slot)
{
	return &pager->session->tenants[slot].options.memory;
}

/* Chunks below which others take none from a tenant. */
static u64 min_of(const struct pager *pager, u32 slot)
{
	return chunks_up(max(pager->session->controls.memory_min[slot],
			     limits_of(pager, slot)->min));
}

/* Bytes up to which there is a reason to take from others rather than from these tenants. */
static u64 spared(const struct session_memory_limits *limits)
{
	return max(limits->low, limits->min);
}

/* Chunks up to which a tenant is spared while others have more than theirs. */
static u64 low_of(const struct pager *pager, u32 slot)
{
	u64 low = chunks_up(max(pager->session->controls.memory_low[slot],
				spared(limits_of(pager, slot))));

	return max_t(u64, low, pager->said.low[slot]);
}

/* Whether so many chunks are all that a limit allows; 0: there is none. */
static bool is_most(u64 chunks, u64 most)
{
	return most && chunks >= max(most / GPU_CHUNK_BYTES, 1ULL);
}

/* Bytes that a tenant may have for itself; 0: any number */
static u64 most_of(const struct pager *pager, u32 slot)
{
	return lower_of(pager->session->controls.memory_max[slot],
			limits_of(pager, slot)->max);
}

/* pager_most() - chunks that a tenant may have for itself, of those that there are */
u32 pager_most(const struct pager *pager, u32 slot)
{
	u64 most = most_of(pager, slot);

	return most ? (u32)min_t(u64, pager->chunks, max(most / GPU_CHUNK_BYTES, 1ULL)) :
		      pager->chunks;
}

/* Whether a tenant has all that it may have for itself. */
static bool has_most(const struct pager *pager, u32 slot)
{
	return is_most(pager->used[slot], most_of(pager, slot));
}

/* Chunks of all tenants of a group */
static u64 used_by(const struct pager *pager, const struct session_memory_group *group)
{
	u64 slots = group->slots, chunks = 0;

	for (; slots; slots &= slots - 1)
		chunks += pager->used[__builtin_ctzll(slots)];
	return chunks;
}

/*
 * The tenants of the innermost group of a slot that has all that it may have, a bit each; all,
 * if there is no such group.
 */
static u64 full_group(const struct pager *pager, u32 slot)
{
	u64 slots = U64_MAX;
	u32 i;

	for (i = 0; i < SESSION_MEMORY_GROUPS_MAX; i++) {
		const struct session_memory_group *group =
			&pager->session->memory_groups[i];

		if (group->slots >> slot & 1 && !(group->slots & ~slots) &&
		    is_most(used_by(pager, group), group->limits.max))
			slots = group->slots;
	}
	return slots;
}

/* pager_at_most() - whether a tenant may have no further chunk */
bool pager_at_most(const struct pager *pager, u32 slot)
{
	return has_most(pager, slot) || full_group(pager, slot) != U64_MAX;
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

	return used && (has_most(pager, slot) || (high && used >= high));
}

/*
 * The tenants that groups keep from giving up chunks: below the min of a group without @slot,
 * and, while others are above theirs, below the low or min of any group.
 */
static void kept_by_groups(const struct pager *pager, u32 slot, u64 *by_min, u64 *by_low)
{
	u32 i;

	*by_min = 0;
	*by_low = 0;
	for (i = 0; i < SESSION_MEMORY_GROUPS_MAX; i++) {
		const struct session_memory_group *group =
			&pager->session->memory_groups[i];
		u64 used = used_by(pager, group);

		if (!(group->slots >> slot & 1) && used <= chunks_up(group->limits.min))
			*by_min |= group->slots;
		if (used <= chunks_up(spared(&group->limits)))
			*by_low |= group->slots;
	}
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
	u64 holders = 0, givers = 0, above = 0, by_min, by_low, asked;
	u32 i;

	if (gives_own(pager, slot))
		return 1ULL << slot;
	kept_by_groups(pager, slot, &by_min, &by_low);
	asked = full_group(pager, slot);
	for (i = 0; i < SESSION_SLOTS_MAX; i++) {
		u32 used = pager->used[i];
		u64 bit = 1ULL << i;

		if (!used || !(asked & bit))
			continue;
		holders |= bit;
		if (i != slot && (used <= min_of(pager, i) || by_min & bit))
			continue;
		givers |= bit;
		if (used > low_of(pager, i) && !(by_low & bit))
			above |= bit;
	}
	if (above)
		return above;
	return givers ? givers : holders;
}

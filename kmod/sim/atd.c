// SPDX-License-Identifier: GPL-2.0
/*
 * Auxiliary tag directories (ATDs): what each tenant would find in the
 * last-level cache if it were alone (Qureshi and Patt's sampled tags, as HSM
 * 4.1 tries them). A slot's directory has the tags of every n-th set of the cache,
 * with as many ways and true LRU, and sees only that tenant's accesses. Directories
 * only count: no timing depends on them.
 *
 * A directory does what the cache does, so that for a tenant alone both agree to the
 * last access. An access to a line that is being fetched counts as a hit, since it
 * fetches nothing, but does not make the line younger; such a line is no victim.
 */
#include "sim.h"

/*
 * An entry is the tenant's own line (LINE_SLOT_SHIFT bits) and these flags; 0 is an
 * empty one. A set's entries are in the order of use, the youngest first.
 */
#define ATD_VALID	0x80000000U
#define ATD_PENDING	0x40000000U

/*
 * atd_sets() - sets of the last-level cache that are sampled: the first, and
 *	every n-th after it, counted through all slices
 */
u32 atd_sets(const struct gpu_config *config)
{
	u32 sets = config->llc_slices * config->llc_sets;

	if (!config->atd_sampling)
		return 0;
	return (sets + config->atd_sampling - 1) / config->atd_sampling;
}

/* A tenant's directory of a set, or NULL if the set is not sampled. */
static u32 *find_set(const struct gpu *gpu, u32 slot, u32 set)
{
	u32 sampling = gpu->config.atd_sampling;

	if (set % sampling)
		return NULL;
	return &gpu->atd_tags[(slot * gpu->shape.atd_sets + set / sampling) *
			      gpu->config.llc_ways];
}

/* The way that holds a line, or @ways. */
static u32 find_way(const u32 *tags, u32 ways, u32 line)
{
	u32 tag = ATD_VALID | (line & ((1U << LINE_SLOT_SHIFT) - 1)), way;

	for (way = 0; way < ways; way++)
		if ((tags[way] & ~ATD_PENDING) == tag)
			break;
	return way;
}

/* The oldest way that is not being fetched (the oldest of all if all are). */
static u32 find_victim(const u32 *tags, u32 ways)
{
	u32 way;

	for (way = ways; way-- > 0;)
		if (!(tags[way] & ATD_PENDING))
			return way;
	return ways - 1;
}

/*
 * atd_access() - show a directory an access that the cache has taken
 * @set: set of the whole cache
 * @pending: whether the cache fetches the line, for this access or an earlier one
 */
void atd_access(struct gpu *gpu, u32 set, u32 line, bool pending)
{
	struct simgpu_counters *counters;
	u32 ways = gpu->config.llc_ways, slot = line_slot(line), way;
	u32 *tags = find_set(gpu, slot, set);

	if (!tags)
		return;
	counters = slot_counters(gpu, slot);
	counters->atd_accesses++;
	way = find_way(tags, ways, line);
	if (way == ways) {
		u32 tag = ATD_VALID | (line & ((1U << LINE_SLOT_SHIFT) - 1));

		tags_put_first(tags, find_victim(tags, ways),
			       tag | (pending ? ATD_PENDING : 0));
		return;
	}
	counters->atd_hits++;
	if (!(tags[way] & ATD_PENDING))
		tags_put_first(tags, way, tags[way]);
}

/* atd_fill() - a line that the cache fetched has arrived */
void atd_fill(struct gpu *gpu, u32 set, u32 line)
{
	u32 *tags = find_set(gpu, line_slot(line), set);
	u32 ways = gpu->config.llc_ways, way;

	if (!tags)
		return;
	way = find_way(tags, ways, line);
	if (way < ways)
		tags[way] &= ~ATD_PENDING;
}

/* atd_drop() - empty a slot's directories */
void atd_drop(struct gpu *gpu, u32 slot)
{
	u32 tags = gpu->shape.atd_sets * gpu->config.llc_ways;

	memset(&gpu->atd_tags[slot * tags], 0, tags * sizeof(*gpu->atd_tags));
}

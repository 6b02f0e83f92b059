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
 *
 * If the cache has sectors, so do directories; accesses and hits are those of sectors. What
 * differs then: a sector that several stores have written in parts never counts as whole.
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

/* --- sectors -------------------------------------------------------------------------- */

static struct tag_sectors *sectors_of_set(const struct gpu *gpu, const u32 *tags)
{
	return &gpu->atd_sectors[tags - gpu->atd_tags];
}

/* The oldest way of which no sector is being fetched (the oldest of all if all are). */
static u32 find_sector_victim(const struct tag_sectors *sectors, u32 ways)
{
	u32 way;

	for (way = ways; way-- > 0;)
		if (!sectors[way].coming)
			return way;
	return ways - 1;
}

/* What an access makes of a sector that it does not find. */
static void add_sector(const struct gpu *gpu, struct tag_sectors *sectors, u32 kind,
		       u32 bit, bool pending)
{
	if (!llc_fetches(gpu, kind) && !writes_whole(kind)) {
		sectors->partial |= bit;
		return;
	}
	sectors->partial &= ~bit;
	if (pending)
		sectors->coming |= bit;
	else
		sectors->valid |= bit;
}

/*
 * atd_access_sector() - as atd_access(), for the first of a request's sectors
 * @pending: whether the cache fetches the sector, for this access or an earlier one
 */
void atd_access_sector(struct gpu *gpu, u32 set, const struct request *request,
		       bool pending)
{
	u32 line = request->line, slot = line_slot(line);
	u32 bit = request->sectors & -request->sectors;
	u32 tag = ATD_VALID | (line & ((1U << LINE_SLOT_SHIFT) - 1));
	u32 ways = gpu->config.llc_ways, way;
	struct simgpu_counters *counters = slot_counters(gpu, slot);
	struct tag_sectors found = { 0 }, *sectors;
	u32 *tags = find_set(gpu, slot, set);

	if (!tags)
		return;
	sectors = sectors_of_set(gpu, tags);
	counters->atd_accesses++;
	way = find_way(tags, ways, line);
	if (way < ways)
		found = sectors[way];
	else
		way = find_sector_victim(sectors, ways);
	if (found.coming & bit) {
		counters->atd_hits++;
		return;
	}
	if (found.valid & bit) {
		counters->atd_hits++;
	} else if ((found.partial & bit) && !llc_fetches(gpu, request->kind)) {
		counters->atd_hits++;
		if (writes_whole(request->kind))
			add_sector(gpu, &found, request->kind, bit, false);
	} else {
		add_sector(gpu, &found, request->kind, bit, pending);
	}
	tags_put_first(tags, way, tag);
	tag_sectors_put_first(sectors, way, found);
}

/* atd_fill_sector() - a sector that the cache fetched has arrived */
void atd_fill_sector(struct gpu *gpu, u32 set, u32 line, u32 sector)
{
	u32 *tags = find_set(gpu, line_slot(line), set);
	u32 ways = gpu->config.llc_ways, way;
	struct tag_sectors *sectors;

	if (!tags)
		return;
	way = find_way(tags, ways, line);
	if (way == ways)
		return;
	sectors = &sectors_of_set(gpu, tags)[way];
	if (!(sectors->coming >> sector & 1))
		return;
	sectors->coming &= ~(1U << sector);
	sectors->valid |= 1U << sector;
}

/* atd_drop() - empty a slot's directories */
void atd_drop(struct gpu *gpu, u32 slot)
{
	u32 tags = gpu->shape.atd_sets * gpu->config.llc_ways;

	memset(&gpu->atd_tags[slot * tags], 0, tags * sizeof(*gpu->atd_tags));
	if (gpu->config.llc_sectors > 1)
		memset(&gpu->atd_sectors[slot * tags], 0,
		       tags * sizeof(*gpu->atd_sectors));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Mirrors: what each tenant would ask of a memory channel, and how long the
 * channel would need for it, if the tenant were alone. A tenant's mirror is an
 * additional channel, with the tags of a channel's part of the last-level cache in
 * front of it. It sees only the tenant's own accesses to channel 0, in the order in
 * which they come. Its queues are kept full, and its clock only goes on to make
 * room in them, so the clock says for how long an epoch's work keeps a channel
 * busy. Addresses are spread over all channels alike, so one channel
 * stands for all. Mirrors only count: no timing depends on them.
 */
#include "sim.h"

/*
 * A tag is the tenant's own line (LINE_SLOT_SHIFT bits) and these flags; 0 is an
 * empty way. A set's tags are in the order of use, the youngest first.
 */
#define MIRROR_VALID	0x80000000U
#define MIRROR_DIRTY	0x40000000U
#define MIRROR_LINE	((1U << LINE_SLOT_SHIFT) - 1)

/* mirror_sets() - sets of the last-level cache of which a mirror has tags */
u32 mirror_sets(const struct gpu_config *config)
{
	if (!config->mirrors)
		return 0;
	return config->llc_slices / config->channels * config->llc_sets;
}

static u32 *find_set(const struct gpu *gpu, u32 slot, u32 set)
{
	return &gpu->mirror_tags[(slot * gpu->shape.mirror_sets + set) *
				 gpu->config.llc_ways];
}

/*
 * Send a line, or as many of its sectors, to a tenant's mirror, whose clock goes on until
 * there is room for it.
 */
static void move_sectors(struct gpu *gpu, u32 slot, u32 line, u32 sectors,
			 bool write)
{
	struct simgpu_counters *counters = slot_counters(gpu, slot);
	u32 index = gpu->config.channels + slot;
	struct channel *channel = &gpu->channels[index];
	u64 begin = channel->clock;
	u8 bank;
	u32 row = address_row(gpu, line, &bank);
	struct dram_request request = {
		.sectors = sectors,
		.bank = bank,
		.row = row,
		.tag.slot = slot,
	};

	while (channel->queue[write].count + channel->inbox[write].count >=
	       gpu->config.queue_entries)
		channel_run(gpu, index, channel->clock + gpu->limits.burst);
	request.ready_clock = channel->clock;
	channel_post(gpu, index, write, &request);
	/* In lines, or in sectors where the cache has them. */
	counters->mirror_requests +=
		sectors * gpu->config.llc_sectors / TRACE_SECTORS;
	counters->mirror_clocks += channel->clock - begin;
}

static void move_line(struct gpu *gpu, u32 slot, u32 line, bool write)
{
	move_sectors(gpu, slot, line, TRACE_SECTORS, write);
}

/* The way of a set that holds a line; if none does, the oldest way. */
static u32 find_way(const u32 *tags, u32 ways, u32 tag)
{
	u32 way;

	for (way = 0; way < ways - 1; way++)
		if ((tags[way] & ~MIRROR_DIRTY) == tag)
			break;
	return way;
}

/*
 * mirror_access() - show a mirror an access that the cache has taken
 * @kind: &enum request_kind
 */
void mirror_access(struct gpu *gpu, u32 set, u32 line, u32 kind)
{
	u32 slot = line_slot(line), tag = MIRROR_VALID | (line & MIRROR_LINE);
	u32 *tags = find_set(gpu, slot, set);
	u32 way = find_way(tags, gpu->config.llc_ways, tag);
	u32 victim = tags[way];

	slot_counters(gpu, slot)->mirror_accesses++;
	if ((victim & ~MIRROR_DIRTY) == tag) {
		tag = victim;
	} else {
		if (victim & MIRROR_DIRTY)
			move_line(gpu, slot, (line & ~MIRROR_LINE) |
					     (victim & MIRROR_LINE), true);
		if (llc_fetches(gpu, kind))
			move_line(gpu, slot, line, false);
	}
	if (kind != REQUEST_READ)
		tag |= MIRROR_DIRTY;
	tags_put_first(tags, way, tag);
}

/*
 * mirror_access_sector() - as mirror_access(), for the first of a request's sectors
 */
void mirror_access_sector(struct gpu *gpu, u32 set, const struct request *request)
{
	u32 line = request->line, slot = line_slot(line), kind = request->kind;
	u32 tag = MIRROR_VALID | (line & MIRROR_LINE);
	u32 bit = request->sectors & -request->sectors;
	u32 *tags = find_set(gpu, slot, set);
	struct tag_sectors *sectors =
		&gpu->mirror_sectors[tags - gpu->mirror_tags];
	u32 way = find_way(tags, gpu->config.llc_ways, tag);
	struct tag_sectors found = sectors[way];

	slot_counters(gpu, slot)->mirror_accesses++;
	if (tags[way] != tag) {
		if (found.dirty)
			move_sectors(gpu, slot, (line & ~MIRROR_LINE) |
						(tags[way] & MIRROR_LINE),
				     sector_count(found.dirty), true);
		found = (struct tag_sectors) { 0 };
	}
	if (!(found.valid & bit)) {
		if (llc_fetches(gpu, kind))
			move_sectors(gpu, slot, line, 1, false);
		if (llc_fetches(gpu, kind) || writes_whole(kind))
			found.valid |= bit;
	}
	if (kind != REQUEST_READ)
		found.dirty |= bit;
	tags_put_first(tags, way, tag);
	tag_sectors_put_first(sectors, way, found);
}

/* mirror_drop() - reset a slot's mirror, if there are mirrors */
void mirror_drop(struct gpu *gpu, u32 slot)
{
	u32 tags = gpu->shape.mirror_sets * gpu->config.llc_ways;
	u32 index = gpu->config.channels + slot;

	if (!tags)
		return;
	memset(&gpu->mirror_tags[slot * tags], 0,
	       tags * sizeof(*gpu->mirror_tags));
	if (gpu->config.llc_sectors > 1)
		memset(&gpu->mirror_sectors[slot * tags], 0,
		       tags * sizeof(*gpu->mirror_sectors));
	memset(&gpu->channels[index], 0, sizeof(gpu->channels[index]));
	channel_init(gpu, index);
}

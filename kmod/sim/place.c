// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of masks. address.c maps lines to a mask's channels, cache.c chooses ways
 * within a mask, and dispatch.c SMs for thread blocks.
 */
#include "sim.h"

/* Four bits for each way, as in a set of the last-level cache. */
static u64 spread_ways(u32 ways)
{
	u64 spread = 0;

	for (; ways; ways &= ways - 1)
		spread |= (u64)TRACE_ALL_SECTORS << lowest_bit(ways) * 4;
	return spread;
}

static void settle_bounded(struct gpu *gpu)
{
	u32 i;

	gpu->bounded = gpu->place_hook || gpu->remote;
	for (i = 0; i < GPU_SLOTS_MAX; i++)
		gpu->bounded |= gpu->tenants[i].channels ||
				gpu->tenants[i].closed_ways;
}

u64 gpu_channels(const struct gpu *gpu, u32 slot)
{
	u64 channels = gpu->tenants[slot].channels;

	return channels ? channels : first_bits(gpu->config.channels);
}

u32 gpu_llc_ways(const struct gpu *gpu, u32 slot)
{
	u32 ways = 0, i;

	for (i = 0; i < gpu->config.llc_ways; i++)
		if (!(gpu->tenants[slot].closed_ways >> i * 4 & 1))
			ways |= 1U << i;
	return ways;
}

/* List the channels of a mask, so that the n-th is found at once. */
static void list_channels(struct gpu *gpu, u32 slot, u64 channels)
{
	u8 *list = channel_list(gpu, slot);
	u32 count = 0;

	for (; channels; channels &= channels - 1)
		list[count++] = lowest_bit(channels);
}

void gpu_set_channels(struct gpu *gpu, u32 slot, u64 channels)
{
	const u64 all = first_bits(gpu->config.channels);
	struct tenant *tenant = &gpu->tenants[slot];

	port_assert(channels && !(channels & ~all));
	if (channels == gpu_channels(gpu, slot))
		return;
	tenant->channels = channels == all ? 0 : channels;
	list_channels(gpu, slot, tenant->channels);
	/* Requests on their way go to a wrong place now, like those of a dropped slot. */
	tenant->generation++;
	llc_drop(gpu, slot);
	atd_drop(gpu, slot);
	mirror_drop(gpu, slot);
	settle_bounded(gpu);
}

void gpu_set_llc_ways(struct gpu *gpu, u32 slot, u32 ways)
{
	const u32 all = (u32)first_bits(gpu->config.llc_ways);

	port_assert(ways && !(ways & ~all));
	gpu->tenants[slot].closed_ways = spread_ways(all & ~ways);
	settle_bounded(gpu);
}

/* masks_forget() - a slot was dropped: it may use everything again */
void masks_forget(struct gpu *gpu, u32 slot)
{
	gpu->tenants[slot].channels = 0;
	gpu->tenants[slot].closed_ways = 0;
	settle_bounded(gpu);
}

void gpu_queue_set_mask(struct gpu *gpu, u32 slot, u32 queue,
			const u64 sms[GPU_MASK_WORDS])
{
	struct grid *grid = &gpu->grids[grid_number(slot, queue)];

	port_assert(gpu->tenants[slot].running >> queue & 1);
	grid->masked = true;
	memcpy(grid->sms, sms, sizeof(grid->sms));
	gpu->dispatch |= 1ULL << slot;
	gpu->dispatch_shared = true;
}

/* tell_place() - call the hook that checks masks, if there is one */
void tell_place(const struct gpu *gpu, u32 slot, enum gpu_place place, u32 index)
{
	if (gpu->place_hook)
		gpu->place_hook(gpu->place_context, slot, place, index);
}

void gpu_set_place_hook(struct gpu *gpu, gpu_place_hook hook, void *context)
{
	gpu->place_hook = hook;
	gpu->place_context = context;
	settle_bounded(gpu);
}

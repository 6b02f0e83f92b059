/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a slot's lines and thread blocks may be put, by masks: in which memory channels
 * and ways of the last-level cache, and on which SMs. Part of the register file of gpu.h,
 * which includes it.
 */
#ifndef SIM_PLACE_H
#define SIM_PLACE_H

#include <simgpu/port.h>

struct gpu;

/* The mask of the first @count things, at most 64. */
static inline u64 first_bits(u32 count)
{
	return count >= 64 ? U64_MAX : (1ULL << count) - 1;
}

/* Words of a mask of SMs: bit i % 64 of word i / 64 is SM i. */
#define GPU_MASK_WORDS		8

/**
 * gpu_set_channels() - set the memory channels that have a slot's lines
 * @gpu: the device
 * @slot: the tenant
 * @channels: a bit for each, at least one, and only channels that exist; all of them at
 *	first and after gpu_tenant_drop()
 *
 * It applies at once and to every request to memory. With k channels a line lies where a
 * GPU of these k alone would have it, by the same address_hash (where k is no power of
 * two and GPU_HASH_IPOLY needs one, by GPU_HASH_PAE). So the slot has the capacity, the
 * bandwidth and the slices of the last-level cache of k channels. Slots that have a
 * channel in common share its banks, not its rows.
 *
 * If the mask changes, all of the slot's lines have other places, and their data is
 * assumed to be there already: the copying is not modelled. The slot's lines in the
 * last-level cache are dropped without a write-back. Requests that have not reached the
 * cache are answered when they come there. These requests, and those of the slot at the
 * memory, are not counted any more.
 */
void gpu_set_channels(struct gpu *gpu, u32 slot, u64 channels);

/* The mask of a slot's channels, see gpu_set_channels(). */
u64 gpu_channels(const struct gpu *gpu, u32 slot);

/**
 * gpu_set_llc_ways() - set the ways of the last-level cache for a slot's lines
 * @gpu: the device
 * @slot: the tenant
 * @ways: a bit for each way of a set, at least one, and only ways that exist; all of
 *	them at first and after gpu_tenant_drop()
 *
 * It applies to lines that enter the cache from now on: each replaces the oldest line in
 * these ways, of whatever slot. Lines in other ways stay there, and are found, until
 * other lines replace them. Missing sectors of such a line are put beside the ones that
 * are there.
 */
void gpu_set_llc_ways(struct gpu *gpu, u32 slot, u32 ways);

/* The mask of a slot's ways, see gpu_set_llc_ways(). */
u32 gpu_llc_ways(const struct gpu *gpu, u32 slot);

/**
 * gpu_queue_set_mask() - set the SMs on which the blocks of a queue's kernel may begin
 * @gpu: the device
 * @slot: the tenant
 * @queue: a queue with a kernel; the mask holds until that kernel has ended
 * @sms: a bit for each SM, GPU_MASK_WORDS words; bits beyond the device's SMs are ignored
 *
 * The kernel uses the SMs in the mask among those that the slot owns, gets, or shares
 * with a block limit above 0. If there is none, the mask does not count, so
 * that no mask keeps a kernel from running. Thread blocks that run elsewhere stay
 * there. gpu_queue_start() begins without a mask.
 */
void gpu_queue_set_mask(struct gpu *gpu, u32 slot, u32 queue,
			const u64 sms[GPU_MASK_WORDS]);

/* What a &typedef gpu_place_hook is called for. */
enum gpu_place {
	GPU_PLACE_CHANNEL,	/* a request to memory, and to which channel */
	GPU_PLACE_WAY,		/* a line of the last-level cache, and in which way */
	GPU_PLACE_SM,		/* a thread block that begins, and on which SM */
};

/**
 * typedef gpu_place_hook - is called where a slot's lines and thread blocks are put
 * @context: as given to gpu_set_place_hook()
 * @slot: the tenant
 * @place: kind of place
 * @index: index of the channel, the way or the SM
 */
typedef void (*gpu_place_hook)(void *context, u32 slot, enum gpu_place place,
			       u32 index);

/**
 * gpu_set_place_hook() - let a test check masks
 * @gpu: the device, of one view
 * @hook: called for each request, line and thread block; NULL: none
 * @context: passed to the hook
 */
void gpu_set_place_hook(struct gpu *gpu, gpu_place_hook hook, void *context);

#endif /* SIM_PLACE_H */

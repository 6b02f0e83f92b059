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

/* The mask that has all of @count things, of which there are 64 at most. */
static inline u64 first_bits(u32 count)
{
	return count >= 64 ? U64_MAX : (1ULL << count) - 1;
}

/* Words of a mask of SMs: bit i % 64 of word i / 64 is SM i. */
#define GPU_MASK_WORDS		2

/**
 * gpu_set_channels() - which memory channels have a slot's lines
 * @gpu: the device
 * @slot: the tenant
 * @channels: a bit for each, at least one and none that there is not; all of them at
 *	first and after gpu_tenant_drop()
 *
 * Holds at once and for every request to memory. With k channels a line lies where a
 * GPU of these k alone would have it, by the same address_hash (where k is no power of
 * two and GPU_HASH_IPOLY needs one, by GPU_HASH_PAE), so the slot has the capacity, the
 * bandwidth and the slices of the last-level cache of k channels. Slots that have a
 * channel in common share its banks, not its rows.
 *
 * Where the mask changes, all of the slot's lines have other places: its data are taken
 * to lie there already. What the last-level cache has of it is gone, without a
 * write-back. Requests that have not reached the cache are answered as they come
 * there, and they, and what the memory has of the slot, are not counted any more.
 * Neither is the copying modelled.
 */
void gpu_set_channels(struct gpu *gpu, u32 slot, u64 channels);

/* The mask of a slot's channels. */
u64 gpu_channels(const struct gpu *gpu, u32 slot);

/**
 * gpu_set_llc_ways() - in which ways of the last-level cache a slot's lines are put
 * @gpu: the device
 * @slot: the tenant
 * @ways: a bit for each way of a set, at least one and none that there is not; all of
 *	them at first and after gpu_tenant_drop()
 *
 * Holds for lines that find a place from now on: each takes the place of the oldest in
 * these ways, whoever's that is. What is in other ways stays there until others take
 * its place, and is found there; of a line that is there, sectors that were missing
 * are put beside the others.
 */
void gpu_set_llc_ways(struct gpu *gpu, u32 slot, u32 ways);

/* The mask of a slot's ways. */
u32 gpu_llc_ways(const struct gpu *gpu, u32 slot);

/**
 * gpu_queue_set_mask() - on which SMs the thread blocks of a queue's kernel may begin
 * @gpu: the device
 * @slot: the tenant
 * @queue: one with a kernel, whose mask holds until it has ended
 * @sms: a bit for each SM, GPU_MASK_WORDS words; those that there are not do not count
 *
 * Of the SMs that the slot owns, gets, or shares with a block limit above 0, its
 * kernel uses those in the mask; while none of them is, the mask does not count, so
 * that no mask keeps a kernel from running. Thread blocks that run elsewhere stay
 * there. gpu_queue_start() begins without a mask.
 */
void gpu_queue_set_mask(struct gpu *gpu, u32 slot, u32 queue,
			const u64 sms[GPU_MASK_WORDS]);

/* What a &typedef gpu_place_hook is told of. */
enum gpu_place {
	GPU_PLACE_CHANNEL,	/* a request to memory, and to which channel */
	GPU_PLACE_WAY,		/* a line of the last-level cache, and in which way */
	GPU_PLACE_SM,		/* a thread block that begins, and on which SM */
};

/**
 * typedef gpu_place_hook - sees where a slot's lines and thread blocks are put
 * @context: as given to gpu_set_place_hook()
 * @slot: whose
 * @place: what
 * @index: of the channel, the way or the SM
 */
typedef void (*gpu_place_hook)(void *context, u32 slot, enum gpu_place place,
			       u32 index);

/**
 * gpu_set_place_hook() - have masks checked from outside
 * @gpu: the device, of one view
 * @hook: called for each request, line and thread block; NULL: none
 * @context: passed to it
 */
void gpu_set_place_hook(struct gpu *gpu, gpu_place_hook hook, void *context);

#endif /* SIM_PLACE_H */

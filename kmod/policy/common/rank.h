/* SPDX-License-Identifier: GPL-2.0 */
/* Orders in which chunks of device memory are taken away. */
#ifndef SIMGPU_RANK_H
#define SIMGPU_RANK_H

#include <simgpu/memory_policy.h>

/*
 * The rank() of policies that evict as NVIDIA's driver does, with SIMGPU_RANK_ON_ARRIVAL: the
 * chunk into which pages came least recently goes first.
 */
static inline u64 rank_by_arrival(u32 event, const struct simgpu_chunk *chunk, void *state)
{
	return chunk->arrived;
}

#endif /* SIMGPU_RANK_H */

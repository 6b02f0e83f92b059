/* SPDX-License-Identifier: GPL-2.0 */
/* Which pages of a block are brought beside those that faulted. */
#ifndef SIMGPU_PREFETCH_H
#define SIMGPU_PREFETCH_H

#include <simgpu/memory_policy.h>

/**
 * prefetch_tree() - NVIDIA's tree prefetcher: the place() of policies that bring as it does
 * @place: the batch
 * @state: not used
 * @placement: gets the pages
 *
 * First each faulted page stands for the 64 KiB around it. Then, of the tree over the pages of
 * a block, each subtree that holds a faulted page is brought if more than 51% of its pages are
 * resident, faulted or brought already, from the smallest to the largest
 * (uvm_perf_prefetch.c of NVIDIA's open kernel modules; the threshold is its default).
 *
 * Return: 0.
 */
int prefetch_tree(const struct simgpu_place *place, void *state,
		  struct simgpu_placement *placement);

#endif /* SIMGPU_PREFETCH_H */

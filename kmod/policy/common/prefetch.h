/* SPDX-License-Identifier: GPL-2.0 */
/* Which pages of a block are brought beside those that faulted. */
#ifndef SIMGPU_PREFETCH_H
#define SIMGPU_PREFETCH_H

#include <simgpu/memory_policy.h>

/* The row of a parameter of policies that call prefetch_tree(): their first one */
#define PREFETCH_PARAM								\
	{ "tree_threshold", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 510000,		\
	  "a subtree of a block is brought if more than this part of its pages is there or comes" }

/* The parameters of policies that have no others */
extern const struct simgpu_param prefetch_params[];

/**
 * prefetch_tree() - NVIDIA's tree prefetcher: the place() of policies that bring as it does
 * @place: the batch, of a policy whose first parameter is PREFETCH_PARAM
 * @state: not used
 * @placement: gets the pages
 *
 * First each faulted page stands for the 64 KiB around it. Then, of the tree over the pages of
 * a block, each subtree that holds a faulted page is brought if a greater part of its pages
 * than the threshold is resident, faulted or brought already, from the smallest to the largest
 * (uvm_perf_prefetch.c of NVIDIA's open kernel modules; 51% is its default).
 *
 * Return: 0.
 */
int prefetch_tree(const struct simgpu_place *place, void *state,
		  struct simgpu_placement *placement);

#endif /* SIMGPU_PREFETCH_H */

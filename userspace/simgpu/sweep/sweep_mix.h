/* SPDX-License-Identifier: GPL-2.0 */
/* Mixes of a suite, made of workload arguments as on command lines. */
#ifndef SIMGPU_SWEEP_MIX_H
#define SIMGPU_SWEEP_MIX_H

#include "sweep.h"

const char *mix_category_name(enum mix_category category);

/* Adds a mix without tenants to a suite. */
struct mix *mix_add(struct suite *suite);
/* Adds a tenant, given as on command lines; an exit status. */
int mix_add_tenant(struct suite *suite, struct mix *mix, const char *argument);
/* The category of a mix, by the classes of its tenants' programs. */
enum mix_category mix_categorize(const struct suite *suite,
				 const struct mix *mix);
/*
 * Chooses the tenant that gets a target (HSM 6.3): the first memory-bound tenant of a mix
 * of both classes, else one chosen by the seed.
 */
void mix_find_priority(const struct suite *suite, u64 seed, u32 index);

/**
 * suite_add_mix() - add a mix of workloads that are given as on command lines
 * @suite: the suite
 * @arguments: workloads of the tenants
 * @count: number of tenants
 * @source: where the programs come from
 *
 * Return: an exit status; a message has been printed on failure.
 */
int suite_add_mix(struct suite *suite, const char *const *arguments, u32 count,
		  const char *source);

#endif /* SIMGPU_SWEEP_MIX_H */

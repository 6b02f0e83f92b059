/* SPDX-License-Identifier: GPL-2.0 */
/* Mixes of a suite, made of what command lines say of tenants. */
#ifndef SIMGPU_SWEEP_MIX_H
#define SIMGPU_SWEEP_MIX_H

#include "sweep.h"

const char *mix_category_name(enum mix_category category);

/* One more mix of a suite, which has no tenants yet. */
struct mix *mix_add(struct suite *suite);
/* One more tenant, as it is said on command lines; an exit status. */
int mix_add_tenant(struct suite *suite, struct mix *mix, const char *argument);
/* What kind of mix it is, by the classes of its tenants' programs. */
enum mix_category mix_categorize(const struct suite *suite,
				 const struct mix *mix);
/*
 * Who gets a target (HSM 6.3): the first memory-bound tenant of a mix of both
 * kinds, else one chosen by the seed.
 */
void mix_find_priority(const struct suite *suite, u64 seed, u32 index);

/**
 * suite_add_mix() - one more, of workloads as they are said on command lines
 * @suite: that was begun
 * @arguments: of the tenants
 * @count: how many
 * @source: where they come from
 *
 * Return: an exit status; what was wrong has been said.
 */
int suite_add_mix(struct suite *suite, const char *const *arguments, u32 count,
		  const char *source);

#endif /* SIMGPU_SWEEP_MIX_H */

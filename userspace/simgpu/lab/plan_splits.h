/* SPDX-License-Identifier: GPL-2.0 */
/* Every split of a phase, measured beside its estimate; what simgpu plan --splits prints. */
#ifndef SIMGPU_PLAN_SPLITS_H
#define SIMGPU_PLAN_SPLITS_H

#include "../../offline/optimal.h"

/**
 * plan_splits() - divide the SMs among all kernels of a set in every way
 * @search: kernels, and how to measure
 * @names: theirs
 * @config: name of the GPU
 * @division: how the SMs are divided in what is measured
 * @json: one document, in place of a table
 *
 * Figures 2 and 8 of STM.
 */
int plan_splits(const struct optimal_search *search, const char *const *names,
		const char *config, const char *division, bool json);

#endif /* SIMGPU_PLAN_SPLITS_H */

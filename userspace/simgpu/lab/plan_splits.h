/* SPDX-License-Identifier: GPL-2.0 */
/* simgpu plan --splits: measured and estimated times of every split of a phase. */
#ifndef SIMGPU_PLAN_SPLITS_H
#define SIMGPU_PLAN_SPLITS_H

#include "../../offline/optimal.h"

/**
 * plan_splits() - print all ways to divide the SMs among all kernels of a set
 * @search: kernels, and how to measure
 * @names: names of the kernels
 * @config: name of the GPU
 * @division: how measured runs divide the SMs
 * @json: print one JSON document instead of a table
 *
 * Figures 2 and 8 of STM.
 */
int plan_splits(const struct optimal_search *search, const char *const *names,
		const char *config, const char *division, bool json);

#endif /* SIMGPU_PLAN_SPLITS_H */

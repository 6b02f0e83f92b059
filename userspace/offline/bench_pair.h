/* SPDX-License-Identifier: GPL-2.0 */
/* Speed of a pair of tenants. */
#ifndef OFFLINE_BENCH_PAIR_H
#define OFFLINE_BENCH_PAIR_H

#include "bench.h"

/**
 * offline_measure_pair() - host time of a pair, side by side and sharing SMs
 * @config: the GPU
 * @pair: two loads; the first has a goal, and its @cycles are those of the run
 * @shared_ns: set to the median of OFFLINE_RUNS under quota-rollover
 * @split_ns: set to the median of as many under even, which alternate with those
 *
 * Return: 0 or a negative errno, see offline_run().
 */
int offline_measure_pair(const struct gpu_config *config,
			 const struct offline_load pair[2], u64 *shared_ns,
			 u64 *split_ns);

#endif /* OFFLINE_BENCH_PAIR_H */

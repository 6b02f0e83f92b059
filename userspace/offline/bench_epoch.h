/* SPDX-License-Identifier: GPL-2.0 */
/* Host time of an epoch. */
#ifndef OFFLINE_BENCH_EPOCH_H
#define OFFLINE_BENCH_EPOCH_H

#include "bench.h"

/**
 * offline_measure_epoch() - host time that an epoch's end takes, the median of many
 * @config: the GPU, of hbm80's size or larger
 * @trace: trace of each tenant
 * @shared: false: 64 tenants under hsm-fair; true: 12 on all SMs with quotas and
 *	limits, a row for each on each SM
 * @ns: set to the time of snapshot, model, policy, check and application
 *
 * Return: 0 or a negative errno, see offline_run().
 */
int offline_measure_epoch(const struct gpu_config *config,
			  const struct trace *trace, bool shared, u64 *ns);

#endif /* OFFLINE_BENCH_EPOCH_H */

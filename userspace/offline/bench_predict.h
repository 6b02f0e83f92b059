/* SPDX-License-Identifier: GPL-2.0 */
/* Host time of a prediction of Themis. */
#ifndef OFFLINE_BENCH_PREDICT_H
#define OFFLINE_BENCH_PREDICT_H

#include "bench.h"

/**
 * offline_measure_prediction() - host time of a prediction of the model themis
 * @config: the GPU
 * @ns: set to the median of OFFLINE_RUNS, for each of two tenants in an epoch
 *
 * Return: 0; -ENOENT if no weights for the GPU are built in; -ENOMEM.
 */
int offline_measure_prediction(const struct gpu_config *config, u64 *ns);

#endif /* OFFLINE_BENCH_PREDICT_H */

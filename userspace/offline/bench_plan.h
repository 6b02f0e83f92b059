/* SPDX-License-Identifier: GPL-2.0 */
/* Host time of a plan of spatial-temporal multitasking. */
#ifndef OFFLINE_BENCH_PLAN_H
#define OFFLINE_BENCH_PLAN_H

#include "bench.h"

/**
 * offline_measure_plan() - host time of a plan of spatial-temporal multitasking
 * @count: number of made-up kernels, 1 to PLAN_KERNELS_MAX, the same in each call
 * @sms: SMs of the GPU
 * @ns: set to the median of OFFLINE_RUNS plans by Algorithm 1
 *
 * Return: 0 or -ENOMEM.
 */
int offline_measure_plan(u32 count, u32 sms, u64 *ns);

#endif /* OFFLINE_BENCH_PLAN_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Speed of the GPU on many cores. */
#ifndef OFFLINE_BENCH_PATH_H
#define OFFLINE_BENCH_PATH_H

#include "bench.h"

/**
 * offline_measure_path() - how long a load would take on many cores
 * @config: the GPU
 * @load: the load; its runs stay as they are
 * @threads: threads, one a core: 1 to GPU_VIEWS_MAX and to the SMs
 * @ns: set to the median of OFFLINE_RUNS: the processor time of work that one thread
 *	does alone, plus that of the longest part of each step
 *
 * One core does all the work, so the result does not include that threads have to meet
 * after each step.
 *
 * Return: 0 or a negative errno, see offline_run().
 */
int offline_measure_path(const struct gpu_config *config,
			 const struct offline_load *load, u32 threads, u64 *ns);

/* Processor time that this thread has used, in nanoseconds. */
u64 offline_processor_ns(void);

#endif /* OFFLINE_BENCH_PATH_H */

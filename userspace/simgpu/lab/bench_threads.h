/* SPDX-License-Identifier: GPL-2.0 */
/* Part of simgpu bench: how much faster threads make the engine. */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include "../../offline/bench.h"

/**
 * bench_threads() - measure programs with one thread and more, and print it
 * @config: the GPU
 * @programs: traces and cycles; their times are overwritten
 * @count: number of programs
 * @json: print one JSON document, not a table
 *
 * Return: an exit status, or a negative errno of offline_measure().
 */
int bench_threads(const struct gpu_config *config, struct offline_load *programs,
		  u32 count, bool json);

#endif /* BENCH_THREADS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Part of simgpu bench: what threads do for the engine's speed. */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include "../../offline/bench.h"

/**
 * bench_threads() - measure programs with one thread and more, and print it
 * @config: the GPU
 * @programs: traces and cycles; their times are overwritten
 * @count: how many
 * @json: one document, not a table
 *
 * Return: an exit status, or a negative errno as offline_measure().
 */
int bench_threads(const struct gpu_config *config, struct offline_load *programs,
		  u32 count, bool json);

#endif /* BENCH_THREADS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* One memory channel alone, with its queue kept full. */
#ifndef OFFLINE_DRAM_BENCH_H
#define OFFLINE_DRAM_BENCH_H

#include "bench.h"

/**
 * offline_dram_run() - one channel alone with its queue kept full
 * @config: checked; dram.trefi 0 turns refresh off
 * @source: read to its end
 * @result: filled in
 *
 * Requests enter in order, each as soon as its queue, of reads or of
 * writes, has a place. A request that finds its queue full holds back all
 * later ones, of either kind. So one of the two queues is always full, and
 * with reads alone it is the read queue.
 *
 * Return: 0, -ENOMEM, or what the source returned.
 */
int offline_dram_run(const struct gpu_config *config,
		     const struct offline_dram_source *source,
		     struct offline_dram_result *result);

/* A struct offline_dram_source.read; @context is a struct offline_dram_random. */
int offline_dram_random(void *context, struct offline_dram_request *requests,
			u32 room);

#endif /* OFFLINE_DRAM_BENCH_H */

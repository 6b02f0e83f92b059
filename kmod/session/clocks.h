/* SPDX-License-Identifier: GPL-2.0 */
/* The clocks that the SMs of shipped GPUs can have, and the core voltages that they need. */
#ifndef SESSION_CLOCKS_H
#define SESSION_CLOCKS_H

#include <simgpu/snapshot.h>

/**
 * struct clock_table - the clocks of a GPU
 * @config: name of the GPU
 * @count: number of clocks
 * @clock: these, the lowest first; the last one is the configuration's core_mhz
 */
struct clock_table {
	const char *config;
	u32 count;
	struct simgpu_clock clock[SIMGPU_CLOCKS_MAX];
};

/**
 * clocks_find() - the clocks of a GPU
 * @config: name of the GPU
 * @core_mhz: its highest clock
 *
 * Return: NULL for a GPU whose clock is fixed: one that is not shipped, or has another highest
 * clock than the shipped one of its name, or of which no table is known.
 */
const struct clock_table *clocks_find(const char *config, u32 core_mhz);

/**
 * clocks_below() - how far below the highest clock one has to go
 * @table: clocks of the GPU
 * @mhz: what the clock may be at most; 0: any
 *
 * Return: how many clocks the greatest one that is not above @mhz is below the highest; that
 * of the lowest one if all are above it.
 */
u32 clocks_below(const struct clock_table *table, u32 mhz);

#endif /* SESSION_CLOCKS_H */

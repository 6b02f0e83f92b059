/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Energy: what a GPU's events cost, and what the GPU takes while time
 * passes (FGQoS 4.7 has instructions a watt, by GPUWattch).
 */
#ifndef SESSION_ENERGY_H
#define SESSION_ENERGY_H

#include "../sim/gpu.h"

/* Entries of a table. */
enum energy_entry {
	ENERGY_THREAD_INSTRUCTION,	/* pJ, each active lane */
	ENERGY_L1_LINE,			/* pJ, a line of an L1, constants' too */
	ENERGY_SHARED_ACCESS,		/* pJ, a warp instruction */
	ENERGY_LLC_LINE,		/* pJ, a request with its flits */
	ENERGY_DRAM_LINE,		/* pJ, a fill or a write-back */
	ENERGY_ACTIVATE,		/* pJ, a row */
	ENERGY_STATIC,			/* mW, the whole GPU, all the time */
	ENERGY_ENTRIES
};

/**
 * struct energy_table - energies of a GPU
 * @config: name of the GPU
 * @entry: by &enum energy_entry
 */
struct energy_table {
	const char *config;
	u32 entry[ENERGY_ENTRIES];
};

extern const char *const energy_entry_names[ENERGY_ENTRIES];

/**
 * energy_find() - the table of a GPU
 * @config: name of the GPU
 *
 * Return: NULL for a GPU that is not shipped: its energy is not known.
 */
const struct energy_table *energy_find(const char *config);

/* Number of events of an entry; 0 for ENERGY_STATIC, which no tenant is charged for. */
u64 energy_events(enum energy_entry entry,
		  const struct simgpu_counters *counters);

/* Energy of a tenant's events, in pJ, saturating. */
u64 energy_dynamic_pj(const struct energy_table *table,
		      const struct simgpu_counters *counters);

/* Energy of those of them that happen in SMs, whose voltage follows their clock. */
u64 energy_sm_pj(const struct energy_table *table,
		 const struct simgpu_counters *counters);

/* Static energy of the GPU in so many core cycles at a clock, in pJ. */
u64 energy_static_pj(const struct energy_table *table, u64 cycles,
		     u32 core_mhz);

#endif /* SESSION_ENERGY_H */

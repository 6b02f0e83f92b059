/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The event counts of the register file. The hardware counts them; models and policies
 * read their differences. No other type is known to both rooms.
 */
#ifndef SIMGPU_COUNTERS_H
#define SIMGPU_COUNTERS_H

#include <simgpu/fixed.h>

/*
 * struct simgpu_counters - event counts of a tenant, as docs/glossary.md defines them
 *
 * Members have the names of the list, which says what each one counts. Where an L1 or the
 * last-level cache has sectors (l1_sectors, llc_sectors), its lookups, requests, fetches
 * and write-backs are counted in sectors of 32 B.
 */
struct simgpu_counters {
#define COUNTER(number, name, seen, whole, text) u64 name;
#include <simgpu/counter_list.h>
};

/* The index of each counter in struct simgpu_counters, and their number. */
enum simgpu_counter_place {
#define COUNTER(number, name, seen, whole, text) SIMGPU_PLACE_##name,
#include <simgpu/counter_list.h>
	SIMGPU_COUNTER_PLACES
};

#define COUNTER(number, name, seen, whole, text)			\
	static_assert(SIMGPU_PLACE_##name == (number), "rows stand in order");
#include <simgpu/counter_list.h>

/**
 * simgpu_dram_requests() - 128 B lines moved between LLC and DRAM
 * @counters: event counts
 *
 * Return: fills and write-backs.
 */
static inline u64 simgpu_dram_requests(const struct simgpu_counters *counters)
{
	return fixed_add(counters->dram_fills, counters->dram_writebacks);
}

#endif /* SIMGPU_COUNTERS_H */

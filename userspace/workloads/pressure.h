/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Themis' pressure producers (IPDPS'19, Listing 1): programs that press on the shared
 * cache or on the memory bandwidth as hard as a level says.
 */
#ifndef WORKLOADS_PRESSURE_H
#define WORKLOADS_PRESSURE_H

#include "common.h"

enum pressure {
	PRESSURE_CACHE,
	PRESSURE_BANDWIDTH,
	PRESSURES
};

/* Levels are 1, the greatest pressure and Themis' meter, to this. */
#define PRESSURE_LEVELS		12
/* Bytes that the cache producer walks in unless it is told otherwise. */
#define PRESSURE_BYTES		(1ULL << 20)

/* Their names, without a level. */
extern const char *const pressure_names[PRESSURES];

/*
 * Which one a name such as CACHE-PRESSURE or bandwidth-pressure-7 means, and its level,
 * 1 where it has none. 0 if it is neither or has no such level.
 */
int pressure_find(const char *name, enum pressure *pressure,
		  unsigned int *level);

/**
 * pressure_trace() - a producer's trace
 * @pressure: on what
 * @level: 1 to PRESSURE_LEVELS; each doubles the computing between two accesses
 * @bytes: that the cache producer walks in: half of the cache that is meant
 * @count: set to the trace's size
 *
 * Return: the trace, for the caller to free(); NULL when memory ran out.
 */
void *pressure_trace(enum pressure pressure, unsigned int level, __u64 bytes,
		     size_t *count);

#endif /* WORKLOADS_PRESSURE_H */

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

/* Levels are 1 (the greatest pressure, Themis' meter) to this. */
#define PRESSURE_LEVELS		12
/* Default size of the array that the cache producer walks through. */
#define PRESSURE_BYTES		(1ULL << 20)

/* Names of the producers, without a level. */
extern const char *const pressure_names[PRESSURES];

/*
 * Finds the producer and level of a name such as CACHE-PRESSURE or bandwidth-pressure-7;
 * without a level, it is 1. Returns 0 for another name or level.
 */
int pressure_find(const char *name, enum pressure *pressure,
		  unsigned int *level);

/**
 * pressure_trace() - a producer's trace
 * @pressure: the resource that it presses on
 * @level: 1 to PRESSURE_LEVELS; each doubles the computing between two accesses
 * @bytes: size of the array that the cache producer walks through: half of a cache
 * @count: set to the trace's size
 *
 * Return: the trace, which the caller frees; NULL when memory ran out.
 */
void *pressure_trace(enum pressure pressure, unsigned int level, __u64 bytes,
		     size_t *count);

#endif /* WORKLOADS_PRESSURE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Pressure producers; see pressure.h. Listing 1's loops: the one on the cache reads an
 * index and then what lies there, in an array that is shuffled by warps, so each access
 * is one line and waits for the one before; the one on the bandwidth reads a vector and
 * writes another, row by row. C computations lie between two accesses: 16 at level 1, and
 * twice as many at each further one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pressure.h"

#define BLOCKS		4096
#define THREADS		256
#define REGISTERS	32
#define LEAST_COMPUTING	16
#define STEPS		4096
/* Dimension of a vector, and how many there are. */
#define DIMENSION	256
#define VECTORS		((__u64)BLOCKS * THREADS)
#define ARRAY_BYTES	(VECTORS * DIMENSION * FLOAT)

const char *const pressure_names[PRESSURES] = {
	[PRESSURE_CACHE] = "CACHE-PRESSURE",
	[PRESSURE_BANDWIDTH] = "BANDWIDTH-PRESSURE",
};

int pressure_find(const char *name, enum pressure *pressure,
		  unsigned int *level)
{
	unsigned int i;

	for (i = 0; i < PRESSURES; i++) {
		size_t length = strlen(pressure_names[i]);
		unsigned long number = 1;
		char *end = "";

		if (strncasecmp(name, pressure_names[i], length))
			continue;
		if (name[length] == '-' && name[length + 1] >= '1' &&
		    name[length + 1] <= '9')
			number = strtoul(name + length + 1, &end, 10);
		else if (name[length])
			return 0;
		*pressure = (enum pressure)i;
		*level = (unsigned int)number;
		return !*end && number <= PRESSURE_LEVELS;
	}
	return 0;
}

/* C computations of either loop. */
static void compute(struct builder *b, unsigned int level)
{
	burst(b, FOUR_CHAINS, LEAST_COMPUTING << (level - 1), WARP);
}

static void build_cache(struct builder *b, unsigned int level, __u64 bytes)
{
	builder_footprint(b, bytes);
	builder_kernel(b, "cache", BLOCKS, THREADS, REGISTERS, 0);
	builder_loop(b, STEPS);
	builder_load(b, anywhere(b, 0, bytes, 1, FLOAT, 1), WARP, 0);
	compute(b, level);
	builder_loop_end(b);
}

static void build_bandwidth(struct builder *b, unsigned int level)
{
	const __s64 row = VECTORS * FLOAT;
	__u32 read, written;

	builder_footprint(b, 2 * ARRAY_BYTES);
	builder_kernel(b, "bandwidth", BLOCKS, THREADS, REGISTERS, 0);
	read = ACCESS(b, .base = ARRAY_BYTES, SIDE_BY_SIDE(FLOAT),
		      .block_stride = { THREADS * FLOAT },
		      .loop_stride = { row });
	written = ACCESS(b, .base = 0, SIDE_BY_SIDE(FLOAT),
			 .block_stride = { THREADS * FLOAT },
			 .loop_stride = { row });
	builder_loop(b, DIMENSION);
	builder_load(b, read, WARP, 0);
	burst(b, CHAIN, 1, WARP);
	builder_store(b, written, WARP);
	compute(b, level);
	builder_loop_end(b);
}

void *pressure_trace(enum pressure pressure, unsigned int level, __u64 bytes,
		     size_t *count)
{
	struct builder *builder;
	char name[32];
	void *trace;

	snprintf(name, sizeof(name), "%s-%u", pressure_names[pressure], level);
	builder = builder_new(name, "simgpu workloads 1");
	if (!builder)
		return NULL;
	if (pressure == PRESSURE_CACHE)
		build_cache(builder, level, bytes);
	else
		build_bandwidth(builder, level);
	trace = builder_finish(builder, 0, count);
	builder_free(builder);
	return trace;
}

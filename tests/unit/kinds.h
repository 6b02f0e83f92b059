/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernels that each access memory in a way of their own, for tests of
 * properties that all have, and for docs/scaling.md. Each runs for more than
 * 100,000 cycles on hbm80.
 */
#ifndef TESTS_KINDS_H
#define TESTS_KINDS_H

#include <stdbool.h>

#include "../../userspace/workloads/builder.h"

enum kind_class {
	COMPUTE_BOUND,
	MEMORY_BOUND,
	/* Memory-bound, and slower with more SMs: see test_properties.c. */
	LOSES_ROWS,
};

/**
 * struct kind - a kernel
 * @name: of the kind, without blanks
 * @make: builds it
 * @stride: what @make says it is
 * @trips: turns of a warp's loop
 * @blocks: thread blocks of 8 warps
 * @registers: of a thread: 32 fills an SM, 128 leaves room for 2 blocks
 * @class: how its speed depends on its SMs
 */
struct kind {
	const char *name;
	struct builder *(*make)(const struct kind *kind, __u64 *footprint);
	__s64 stride;
	__u32 trips;
	__u32 blocks;
	__u32 registers;
	enum kind_class class;
};

#define KIND_COUNT	15

extern const struct kind kinds[KIND_COUNT];

/* A builder that holds the kernel; @footprint_bytes is set for its end. */
struct builder *kind_build(const struct kind *kind, __u64 *footprint_bytes);
/* Whether a warp's place is its number times @stride. */
bool kind_is_strided(const struct kind *kind);

#endif /* TESTS_KINDS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the benchmarks' kernels. */
#ifndef WORKLOADS_COMMON_H
#define WORKLOADS_COMMON_H

#include "builder.h"

#define WARP		32
#define FLOAT		4
#define DOUBLE		8
#define MIB		(1ULL << 20)

/* An affine access; the arguments are fields of its pattern. */
#define ACCESS(builder, ...) \
	builder_access(builder, &(struct simgpu_trace_pattern){ __VA_ARGS__ })

/* Fields of an access: lanes of a warp, and warps, access @bytes side by side. */
#define SIDE_BY_SIDE(bytes) \
	.access_bytes = (bytes), .warp_stride = WARP * (bytes), \
	.lane_stride = (bytes)

/*
 * The pattern of a thread's own element of an array: @bytes of its @stride bytes, with the
 * @threads of a block and the blocks, in x, side by side.
 */
__u32 own_element(struct builder *b, __u64 array, __u32 threads, __u32 bytes,
		  __s64 stride);
/* Read or write a thread's own element, with elements close together. */
void load_own(struct builder *b, __u64 array, __u32 threads, __u32 bytes,
	      __u32 consume_after);
void store_own(struct builder *b, __u64 array, __u32 threads, __u32 bytes);

/* Pattern: @bytes of each of @lines lines, anywhere in an array of @size bytes */
__u32 anywhere(struct builder *b, __u64 array, __u64 size, __u32 lines,
	       __u32 bytes, __u32 seed);

/*
 * Parts of mixes, for builder_mix(). Indices, addresses and the
 * conditions of loops: integers, in two chains side by side.
 */
#define INDEXING	"I2"
/* Accesses to shared memory that wait for each other's issue only */
#define SHARED		"M"
/* Additions in a register, or a polynomial: each waits for the one before. */
#define CHAIN		"F1"
/* Two and four such chains side by side */
#define TWO_CHAINS	"F2"
#define FOUR_CHAINS	"F4"
/* A chain in double precision */
#define DOUBLE_CHAIN	"D1"

/* Add @count instructions of a mix, in turn */
void burst(struct builder *b, const char *mix, __u32 count, __u32 lanes);

/*
 * The threads of a block add up @values values each: a tree in shared memory, with
 * half as many threads after each barrier.
 */
void add_up_block(struct builder *b, __u32 threads, __u32 values);

#endif /* WORKLOADS_COMMON_H */

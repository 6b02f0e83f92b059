/* SPDX-License-Identifier: GPL-2.0 */
/* Builds traces in memory, field by field of include/uapi/linux/simgpu_trace.h. */
#ifndef WORKLOADS_BUILDER_H
#define WORKLOADS_BUILDER_H

#include <stddef.h>
#include <linux/simgpu_trace.h>

struct builder;

/* Calls after a failed allocation do nothing; builder_finish() then says so. */
struct builder *builder_new(const char *name, const char *source);
void builder_free(struct builder *builder);

/**
 * builder_kernel() - begin a kernel with a program of its own
 *
 * The ops that follow, up to the next builder_kernel() or builder_program(),
 * are its first program.
 */
void builder_kernel(struct builder *builder, const char *name, __u32 blocks,
		    __u32 threads, __u32 registers, __u32 shared_bytes);

/* The present kernel's grid and block in x, y, z, where they are not flat. */
void builder_grid(struct builder *builder, __u32 x, __u32 y, __u32 z);
void builder_block(struct builder *builder, __u32 x, __u32 y, __u32 z);
/* Launch the last @kernels kernels again, @times times; they keep no lines. */
void builder_again(struct builder *builder, __u32 kernels, __u32 times);

/* Begin one more program of the present kernel; returns its index there. */
__u32 builder_program(struct builder *builder);

/* Add a pattern; returns its index. */
__u32 builder_pattern(struct builder *builder,
		      const struct simgpu_trace_pattern *pattern);
/* The usual one: lanes, warps and blocks side by side in a region. */
__u32 builder_affine(struct builder *builder, __u64 base, __u64 region_bytes,
		     __u32 access_bytes, __s64 block_stride, __s64 warp_stride,
		     __s64 loop_stride);
/* Device memory that is touched; before the first builder_access(). */
void builder_footprint(struct builder *builder, __u64 bytes);
/* An affine one: kind and region, to the footprint's end, are filled in. */
__u32 builder_access(struct builder *builder,
		     const struct simgpu_trace_pattern *pattern);

void builder_op(struct builder *builder, const struct simgpu_trace_op *op);
void builder_compute(struct builder *builder, __u32 count, __u32 lanes);
/* Instructions that hold the issue slot for several cycles each. */
void builder_slow(struct builder *builder, __u32 count, __u32 lanes,
		  __u32 issue_cycles);
void builder_shared(struct builder *builder, __u32 count, __u32 lanes,
		    __u32 issue_cycles);
void builder_load(struct builder *builder, __u32 pattern, __u32 lanes,
		  __u32 consume_after);
void builder_constant(struct builder *builder, __u32 pattern, __u32 lanes,
		      __u32 consume_after);
void builder_atomic(struct builder *builder, __u32 pattern, __u32 lanes,
		    __u32 consume_after);
void builder_store(struct builder *builder, __u32 pattern, __u32 lanes);
void builder_barrier(struct builder *builder);
void builder_loop(struct builder *builder, __u32 trips);
void builder_loop_end(struct builder *builder);

/* Record a warp of the present kernel, and lines. */
void builder_warp(struct builder *builder, __u32 program, __u32 first_line);
__u32 builder_line(struct builder *builder, __u32 line);
/* Of the present kernel one of every @n thread blocks was recorded. */
void builder_sample(struct builder *builder, __u32 n);
/* Rows of the present kernel up to @end; their runs follow, the last row's end. */
void builder_row(struct builder *builder, __u32 end);
void builder_run(struct builder *builder, __u32 end, __u32 block);

/**
 * builder_finish() - the finished trace
 * @footprint_bytes: device memory that it touches; 0: as builder_footprint()
 *	said
 * @bytes: set to its size
 *
 * Return: memory for the caller to free(), or NULL when memory ran out.
 */
void *builder_finish(struct builder *builder, __u64 footprint_bytes,
		     size_t *bytes);

/* Set the checksum of a trace whose header can be read; for tests. */
void builder_seal(void *trace, size_t bytes);

#endif /* WORKLOADS_BUILDER_H */

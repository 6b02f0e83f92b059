/* SPDX-License-Identifier: GPL-2.0 */
/* Builds traces in memory, field by field of include/uapi/linux/simgpu_trace.h. */
#ifndef WORKLOADS_BUILDER_H
#define WORKLOADS_BUILDER_H

#include <stddef.h>
#include <linux/simgpu_trace.h>

struct builder;

/* Calls after one that failed do nothing; builder_finish() then says so. */
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

/**
 * builder_size() - make a benchmark smaller than it is written down
 * @ppm: part of its data, above 0 up to 1,000,000, as at first
 */
void builder_size(struct builder *builder, __u32 ppm);
/* So many of @count, to a multiple of @unit, at least one @unit. */
__u32 builder_sized(const struct builder *builder, __u32 count, __u32 unit);
/* The same of a power of two, by its logarithm, which is at least @least. */
__u32 builder_sized_log2(const struct builder *builder, __u32 log2, __u32 least);
/* Launches of the same kernels: one, where the data are not all. */
__u32 builder_launches(const struct builder *builder, __u32 count);

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
/* A burst without a mix: instructions that wait for none. */
void builder_compute(struct builder *builder, __u32 count, __u32 lanes);
/* Instructions that hold the issue slot for several cycles each. */
void builder_slow(struct builder *builder, __u32 count, __u32 lanes,
		  __u32 issue_cycles);
void builder_shared(struct builder *builder, __u32 count, __u32 lanes,
		    __u32 issue_cycles);
/**
 * builder_mix() - what the instructions of a burst are
 * @text: the instructions, in the order in which they issue, with blanks
 *	between them. Each is a letter, the unit (I integer, F FP32, D FP64, S
 *	special functions, T tensor, M shared memory, C control), then the
 *	distance to the instruction whose result it needs, 0 or nothing for none,
 *	then, if there are more than one, "*" and its passes: "I F1 F4 M2*8"
 *
 * A text that is none makes builder_finish() fail, as if memory had run out.
 *
 * Return: the mix's number for builder_mixed(), from 1 on; equal mixes are kept
 * once.
 */
__u32 builder_mix(struct builder *builder, const char *text);
/* The same of @count instructions, 1 to SIMGPU_TRACE_MIX_MAX. */
__u32 builder_mix_of(struct builder *builder,
		     const struct simgpu_trace_instruction *instructions,
		     __u32 count);
/* Bytes of all mixes so far. */
size_t builder_mix_bytes(const struct builder *builder);
/* @count instructions of a mix, in turn from its first on. */
void builder_mixed(struct builder *builder, __u32 mix, __u32 count, __u32 lanes);
/* The last op, of memory or a barrier, needs what so many before it computes. */
void builder_after(struct builder *builder, __u32 after);
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

/* Sections of a version of the format, which it is known to be. */
__u32 trace_sections(__u32 version);
/* A trace that is good, to go on with; NULL when memory ran out. */
struct builder *builder_of(const void *trace);
/* Take away all profiles and their points. */
void builder_no_profiles(struct builder *builder);
/* Add points; returns the first one's index. */
__u32 builder_points(struct builder *builder,
		     const struct simgpu_trace_point *points, __u32 count);
/* Add a profile, as it is; they must come in the order of the format. */
void builder_profile(struct builder *builder,
		     const struct simgpu_trace_profile *profile);

/*
 * Write the format's version 1, which has no mixes; else it is version 2, or 3 with
 * profiles: the oldest that can say what the trace says.
 */
void builder_version_1(struct builder *builder);

/**
 * builder_finish() - the finished trace
 * @footprint_bytes: device memory that it touches; 0: as builder_footprint()
 *	said
 * @bytes: set to its size
 *
 * Return: memory for the caller to free(), or NULL when memory ran out, and
 * where a call could not be done (a mix's text, a mix in version 1).
 */
void *builder_finish(struct builder *builder, __u64 footprint_bytes,
		     size_t *bytes);

/* Set the checksum of a trace whose header can be read; for tests. */
void builder_seal(void *trace, size_t bytes);

#endif /* WORKLOADS_BUILDER_H */

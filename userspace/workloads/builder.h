/* SPDX-License-Identifier: GPL-2.0 */
/* Builds traces in memory, field by field of include/uapi/linux/simgpu_trace.h. */
#ifndef WORKLOADS_BUILDER_H
#define WORKLOADS_BUILDER_H

#include <stddef.h>
#include <linux/simgpu_trace.h>

struct builder;

/* After a call has failed, all others do nothing, and builder_finish() fails. */
struct builder *builder_new(const char *name, const char *source);
void builder_free(struct builder *builder);
/* What made the trace, if it is known only at the end. */
void builder_source(struct builder *builder, const char *source);

/**
 * builder_kernel() - begin a kernel with a program of its own
 *
 * The ops that follow, up to the next builder_kernel() or builder_program(),
 * are its first program.
 */
void builder_kernel(struct builder *builder, const char *name, __u32 blocks,
		    __u32 threads, __u32 registers, __u32 shared_bytes);

/* Set the present kernel's grid and block in x, y, z, if they have several dimensions. */
void builder_grid(struct builder *builder, __u32 x, __u32 y, __u32 z);
void builder_block(struct builder *builder, __u32 x, __u32 y, __u32 z);
/* Launch the last @kernels kernels @times more times; lines are not repeated. */
void builder_again(struct builder *builder, __u32 kernels, __u32 times);

/**
 * builder_size() - make a benchmark smaller than its default
 * @ppm: part of its data, above 0, up to 1,000,000, the first value
 */
void builder_size(struct builder *builder, __u32 ppm);
/*
 * Keep the first kernel of this name alone, launched once; call it before builder_kernel().
 * builder_finish() fails if there is none.
 */
void builder_only(struct builder *builder, const char *kernel);
/* The kernel that is kept alone, by its index if all were; -1: all are kept. */
int builder_kept(const struct builder *builder);
/* The part of @count, rounded to a multiple of @unit, at least one @unit. */
__u32 builder_sized(const struct builder *builder, __u32 count, __u32 unit);
/* The same for a power of two, by its logarithm, which is at least @least. */
__u32 builder_sized_log2(const struct builder *builder, __u32 log2, __u32 least);
/* How often to launch the same kernels: @count times, but once with a part of the data. */
__u32 builder_launches(const struct builder *builder, __u32 count);

/* Begin one more program of the present kernel; returns its index there. */
__u32 builder_program(struct builder *builder);

/* Add a pattern; returns its index. */
__u32 builder_pattern(struct builder *builder,
		      const struct simgpu_trace_pattern *pattern);
/* Add the usual pattern: lanes, warps and blocks side by side in a region. */
__u32 builder_affine(struct builder *builder, __u64 base, __u64 region_bytes,
		     __u32 access_bytes, __s64 block_stride, __s64 warp_stride,
		     __s64 loop_stride);
/* Set the device memory that is touched; call it before the first builder_access(). */
void builder_footprint(struct builder *builder, __u64 bytes);
/* Add an affine pattern; its kind and its region, up to the footprint's end, are set here. */
__u32 builder_access(struct builder *builder,
		     const struct simgpu_trace_pattern *pattern);

void builder_op(struct builder *builder, const struct simgpu_trace_op *op);
/* Add a burst without a mix: its instructions do not depend on each other. */
void builder_compute(struct builder *builder, __u32 count, __u32 lanes);
/* Add instructions that each hold the issue slot for several cycles. */
void builder_slow(struct builder *builder, __u32 count, __u32 lanes,
		  __u32 issue_cycles);
void builder_shared(struct builder *builder, __u32 count, __u32 lanes,
		    __u32 issue_cycles);
/**
 * builder_mix() - define a mix, the instructions of bursts
 * @text: the instructions, in the order in which they issue, with blanks
 *	between them. Each is a letter, the unit (I integer, F FP32, D FP64, S
 *	special functions, T tensor, M shared memory, C control), then the
 *	distance to the instruction whose result it needs, 0 or nothing for none,
 *	then, if there are more than one, "*" and its passes: "I F1 F4 M2*8"
 *
 * An invalid text makes builder_finish() fail, as if memory had run out.
 *
 * Return: the mix's number for builder_mixed(), from 1 on; equal mixes are kept
 * once.
 */
__u32 builder_mix(struct builder *builder, const char *text);
/* Define a mix of @count instructions, 1 to SIMGPU_TRACE_MIX_MAX. */
__u32 builder_mix_of(struct builder *builder,
		     const struct simgpu_trace_instruction *instructions,
		     __u32 count);
/* Bytes of all mixes so far. */
size_t builder_mix_bytes(const struct builder *builder);
/* Add @count instructions of a mix, in turn, beginning with its first one. */
void builder_mixed(struct builder *builder, __u32 mix, __u32 count, __u32 lanes);
/* Let the last op, of memory or a barrier, need the result of an earlier instruction. */
void builder_after(struct builder *builder, __u32 after);
void builder_load(struct builder *builder, __u32 pattern, __u32 lanes,
		  __u32 consume_after);
void builder_constant(struct builder *builder, __u32 pattern, __u32 lanes,
		      __u32 consume_after);
void builder_atomic(struct builder *builder, __u32 pattern, __u32 lanes,
		    __u32 consume_after);
void builder_store(struct builder *builder, __u32 pattern, __u32 lanes);
void builder_barrier(struct builder *builder);
/* The warp issues instructions for ever; the last op of its program. Version 5 of the format. */
void builder_spin(struct builder *builder, __u32 lanes);
void builder_loop(struct builder *builder, __u32 trips);
void builder_loop_end(struct builder *builder);

/* Record a warp of the present kernel, and lines of it. */
void builder_warp(struct builder *builder, __u32 program, __u32 first_line);
__u32 builder_line(struct builder *builder, __u32 line);
/* Say that one of every @n thread blocks of the present kernel was recorded. */
void builder_sample(struct builder *builder, __u32 n);
/* Add rows of the present kernel up to @end; add their runs next, up to the row's end. */
void builder_row(struct builder *builder, __u32 end);
void builder_run(struct builder *builder, __u32 end, __u32 block);

/* Number of sections in a known version of the format. */
__u32 trace_sections(__u32 version);
/* Copy a valid trace, to go on with; NULL when memory ran out. */
struct builder *builder_of(const void *trace);
/* Remove all profiles and their points. */
void builder_no_profiles(struct builder *builder);
/* Add points; returns the first one's index. */
__u32 builder_points(struct builder *builder,
		     const struct simgpu_trace_point *points, __u32 count);
/* Add a profile as it is; profiles must be added in the order of the format. */
void builder_profile(struct builder *builder,
		     const struct simgpu_trace_profile *profile);

/* Add an allocation that lives to the end; they must be added in ascending order. */
void builder_allocation(struct builder *builder, const char *name, __u64 base, __u64 bytes,
			enum simgpu_trace_allocation_kind kind);

/**
 * builder_command() - add a command, behind the others
 * @queue: counted from the launch's
 * @what: as in &struct simgpu_trace_command
 * @repeat: how often it is done
 * @amount: as in &struct simgpu_trace_command
 */
void builder_command(struct builder *builder, enum simgpu_trace_command_kind kind,
		     __u32 queue, __u32 what, __u32 repeat, __u64 amount);

/*
 * Write version 1 of the format, which has no mixes; to be called last. By default it is
 * version 2, 3 with profiles or 4 with allocations or commands: the oldest that the trace fits.
 */
void builder_version_1(struct builder *builder);

/**
 * builder_finish() - finish the trace
 * @footprint_bytes: device memory that it touches; 0: the value of
 *	builder_footprint()
 * @bytes: set to its size
 *
 * Return: memory that the caller frees, or NULL when memory ran out or a call was
 * invalid (a mix's text, a mix in version 1).
 */
void *builder_finish(struct builder *builder, __u64 footprint_bytes,
		     size_t *bytes);

/* Set the checksum of a trace whose header can be read; for tests. */
void builder_seal(void *trace, size_t bytes);

#endif /* WORKLOADS_BUILDER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The sections of a checked trace file, for commands that show its contents. */
#ifndef SIMGPU_TRACE_VIEW_H
#define SIMGPU_TRACE_VIEW_H

#include <linux/simgpu_trace.h>

#include "../command.h"

/** struct view - the sections of a checked trace */
struct view {
	const struct simgpu_trace_header *header;
	const struct simgpu_trace_kernel *kernels;
	const struct simgpu_trace_program *programs;
	const struct simgpu_trace_op *ops;
	const struct simgpu_trace_pattern *patterns;
	const struct simgpu_trace_warp *warps;
	const u32 *lines;
	const struct simgpu_trace_weight *weights;
	const struct simgpu_trace_row *rows;
	const struct simgpu_trace_run *runs;
	const struct simgpu_trace_mix *mixes;
	const struct simgpu_trace_instruction *instructions;
	const struct simgpu_trace_profile *profiles;
	const struct simgpu_trace_point *points;
	const struct simgpu_trace_allocation *allocations;
	const struct simgpu_trace_command *commands;
};

struct view view_of(const void *bytes);
/* Number of elements of a section; 0 if the file's version does not have it. */
u64 section_count(const struct view *view, u32 id);
u64 kernel_blocks(const struct simgpu_trace_kernel *kernel);
u32 kernel_threads(const struct simgpu_trace_kernel *kernel);
u32 kernel_warps(const struct simgpu_trace_kernel *kernel);
bool touches_memory(u32 kind);

/* A warp, by its number in its kernel: its program and first line. */
struct simgpu_trace_warp view_warp(const struct view *view,
				   const struct simgpu_trace_kernel *kernel,
				   u64 warp);

/**
 * view_affine_address() - the address that a lane of a warp touches
 * @kernel: the kernel
 * @warp: number of the warp in the kernel
 * @p: an affine pattern
 * @depth: number of loops around the op
 * @loop: their indices, outermost first
 * @lane: number among the op's active lanes
 *
 * Return: byte address in the tenant's space.
 */
u64 view_affine_address(const struct simgpu_trace_kernel *kernel, u64 warp,
			const struct simgpu_trace_pattern *p, u32 depth,
			const u32 *loop, u32 lane);

/**
 * trace_name_of() - a name for a trace that is made of a file
 * @path: the file; its folder's name is not taken
 * @other: the name if the file's begins with a dot
 *
 * Return: the file's name up to its first dot, as far as a trace's name has room, with _ for
 * what is not printable ASCII; NULL: out of memory. The caller frees it.
 */
char *trace_name_of(const char *path, const char *other);

/* Name of a kind of op, such as "load"; loops have names, too. */
const char *op_kind_name(u32 kind);

#endif /* SIMGPU_TRACE_VIEW_H */

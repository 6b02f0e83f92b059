/* SPDX-License-Identifier: GPL-2.0 */
/* Accel-Sim's traces (kernelslist.g, kernel-N.traceg) as a simgpu trace. */
#ifndef ACCELSIM_H
#define ACCELSIM_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct accelsim_counts - how much was converted
 * @kernels: kernels
 * @warp_instructions: warp instructions with an active lane; others are not issued
 * @thread_instructions: their active lanes
 * @memory_instructions: warp instructions that touch device memory
 * @lines: 128 B lines that these touch, summed over them
 * @streams: CUDA streams that its kernels were launched in
 */
struct accelsim_counts {
	uint64_t kernels;
	uint64_t warp_instructions;
	uint64_t thread_instructions;
	uint64_t memory_instructions;
	uint64_t lines;
	uint64_t streams;
};

/**
 * struct accelsim_listener - functions that are called during a conversion; may be NULL
 * @warning: a value was replaced
 * @progress: @done of @total bytes of a kernel's file have been read
 */
struct accelsim_listener {
	void *context;
	void (*warning)(void *context, const char *text);
	void (*progress)(void *context, const char *file, uint64_t done,
			 uint64_t total);
};

/**
 * accelsim_convert() - convert traces of Accel-Sim to one trace of simgpu
 * @path: a kernelslist.g, whose kernels lie beside it, or a single kernel's
 *	.traceg, as the first line tells; plain, .gz, .xz, .zst or .bz2. "-" is
 *	standard input; the kernels of a list that comes there lie in the working folder
 * @name: name of the trace
 * @max_bytes: most bytes that it may have
 * @bytes: set to its size
 * @error: set to what was wrong, "FILE:LINE: reason"; the caller frees it
 *
 * Memory is bounded by the size of the result, not of the input.
 *
 * Return: the trace, which the caller frees, or NULL.
 */
void *accelsim_convert(const char *path, const char *name, size_t max_bytes,
		       const struct accelsim_listener *listener,
		       struct accelsim_counts *counts, size_t *bytes,
		       char **error);

#endif /* ACCELSIM_H */

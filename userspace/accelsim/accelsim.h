/* SPDX-License-Identifier: GPL-2.0 */
/* Accel-Sim's traces (kernelslist.g, kernel-N.traceg) as a simgpu trace. */
#ifndef ACCELSIM_H
#define ACCELSIM_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct accelsim_counts - what was converted
 * @kernels: kernels
 * @warp_instructions: with an active lane; others are not issued
 * @thread_instructions: their active lanes
 * @memory_instructions: of them, those that touch device memory
 * @lines: 128 B lines that these touch, summed over them
 */
struct accelsim_counts {
	uint64_t kernels;
	uint64_t warp_instructions;
	uint64_t thread_instructions;
	uint64_t memory_instructions;
	uint64_t lines;
};

/**
 * struct accelsim_listener - who hears of the work; each may be NULL
 * @warning: about a value that was replaced
 * @progress: read @done of @total bytes of a kernel's file
 */
struct accelsim_listener {
	void *context;
	void (*warning)(void *context, const char *text);
	void (*progress)(void *context, const char *file, uint64_t done,
			 uint64_t total);
};

/**
 * accelsim_convert() - read traces, make one
 * @path: a kernelslist.g, whose kernels lie beside it, or a single kernel's
 *	.traceg; plain, .gz or .xz
 * @name: of the result
 * @max_bytes: it may have
 * @bytes: set to its size
 * @error: set to what was wrong, "FILE:LINE: reason"; for free()
 *
 * Memory is bounded by the size of the result, not of the input.
 *
 * Return: the trace, for free(), or NULL.
 */
void *accelsim_convert(const char *path, const char *name, size_t max_bytes,
		       const struct accelsim_listener *listener,
		       struct accelsim_counts *counts, size_t *bytes,
		       char **error);

#endif /* ACCELSIM_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Accel-Sim's traces (kernelslist.g, kernel-N.traceg) as a simgpu trace. */
#ifndef ACCELSIM_H
#define ACCELSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct accelsim_counts - how much was converted
 * @kernels: kernels
 * @warp_instructions: warp instructions with an active lane; others are not issued
 * @thread_instructions: their active lanes
 * @memory_instructions: warp instructions that touch device memory
 * @lines: 128 B lines that these touch, summed over them
 * @unknown_opcodes: warp instructions, of the first, whose opcode is not known; they count as
 *	integer arithmetic
 * @streams: CUDA streams that its kernels were launched in
 * @queues: queues that these became
 * @copies: copies between host and device that became commands
 * @copied_bytes: their bytes
 */
struct accelsim_counts {
	uint64_t kernels;
	uint64_t warp_instructions;
	uint64_t thread_instructions;
	uint64_t memory_instructions;
	uint64_t lines;
	uint64_t unknown_opcodes;
	uint64_t streams;
	uint64_t queues;
	uint64_t copies;
	uint64_t copied_bytes;
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
 *	.traceg, as the first line tells, or .tracez; text may be .gz, .xz, .zst or .bz2. "-" is
 *	standard input; the kernels of a list that comes there lie in the working folder
 * @name: name of the trace
 * @max_bytes: most bytes that it may have
 * @kernels_alone: leave copies out, and let the kernels of all streams run one after the
 *	other; else a list with copies or several streams makes a trace with commands
 * @bytes: set to its size
 * @error: set to what was wrong, "FILE:LINE: reason"; the caller frees it
 *
 * Memory is bounded by the size of the result, not of the input.
 *
 * Return: the trace, which the caller frees, or NULL.
 */
void *accelsim_convert(const char *path, const char *name, size_t max_bytes,
		       bool kernels_alone,
		       const struct accelsim_listener *listener,
		       struct accelsim_counts *counts, size_t *bytes,
		       char **error);

#endif /* ACCELSIM_H */

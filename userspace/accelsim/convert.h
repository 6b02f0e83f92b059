/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a conversion; inside userspace/accelsim only. */
#ifndef ACCELSIM_CONVERT_H
#define ACCELSIM_CONVERT_H

#include <stdarg.h>
#include <stdbool.h>

#include "../workloads/builder.h"
#include "accelsim.h"
#include "bulk.h"
#include "pages.h"
#include "script.h"
#include "source.h"
#include "warp.h"

/* How many unknown opcodes are named in warnings. */
#define UNKNOWN_MAX	16

/**
 * enum remark - what is said once in a conversion, however often it comes
 * @REMARK_LOST: a bulk copy has no address
 * @REMARK_BARRIER: a barrier is for a part of the thread block
 */
enum remark {
	REMARK_LOST,
	REMARK_BARRIER,
	REMARKS
};

/**
 * struct conversion - a trace that is being made
 * @lines: recorded lines: index of the page, then of the line in it, with
 *	its flags (SIMGPU_TRACE_LINE_SKIP, SIMGPU_TRACE_LINE_PARTIAL)
 * @pattern: the recorded pattern, which all memory ops name
 * @max_bytes: most bytes of the result
 * @used_bytes: bytes that the result has so far, at least
 * @mix_bytes: bytes of mixes, in @used_bytes
 * @mixed: instructions of mixes that the programs name
 * @script: launches and copies so far
 * @kernels_alone: the trace gets no commands
 * @bulk: lines of the present bulk copy
 * @unknown: unknown opcodes that a warning has named
 * @remarked: by &enum remark, whether it was said
 * @file: the file that is being read, for messages
 */
struct conversion {
	struct builder *builder;
	struct pages pages;
	struct warp_ops warp;
	struct bulk_lines bulk;
	uint32_t *lines;
	size_t line_count;
	size_t line_room;
	uint32_t pattern;
	size_t max_bytes;
	size_t used_bytes;
	size_t mix_bytes;
	uint64_t mixed;
	struct script script;
	bool kernels_alone;
	char unknown[UNKNOWN_MAX][OPCODE_BYTES];
	size_t unknown_count;
	bool remarked[REMARKS];
	const struct accelsim_listener *listener;
	struct accelsim_counts *counts;
	struct source *source;
	const char *file;
	char **error;
};

/* Set the error, with file and line if a file is open. Returns -1. */
__attribute__((format(printf, 2, 3)))
int refuse(struct conversion *conversion, const char *format, ...);
/* Set the error to why source_line() has failed. Returns -1. */
int refuse_line(struct conversion *conversion, int error);
__attribute__((format(printf, 2, 3)))
void caution(struct conversion *conversion, const char *format, ...);
void caution_list(struct conversion *conversion, const char *format, va_list arguments);
/* Count bytes of the result; -1 if they are too many. */
int account(struct conversion *conversion, size_t bytes);

#endif /* ACCELSIM_CONVERT_H */

// SPDX-License-Identifier: GPL-2.0
/* An Accel-Sim trace, kernel by kernel, as one simgpu trace; see accelsim.h. */
/* For vasprintf. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "kernel.h"

/* --- messages ------------------------------------------------------------------------ */

/* The reason behind its place: FILE:LINE, or FILE if no line of it was read. */
static char *place_text(const struct conversion *conversion, const char *format,
			va_list arguments)
{
	uint64_t line = conversion->source ?
			source_line_number(conversion->source) : 0;
	char *reason = NULL, *text = NULL, number[24] = "";

	if (vasprintf(&reason, format, arguments) < 0)
		return NULL;
	if (line)
		snprintf(number, sizeof(number), ":%llu",
			 (unsigned long long)line);
	if (asprintf(&text, "%s%s: %s", conversion->file, number, reason) < 0)
		text = NULL;
	free(reason);
	return text;
}

int refuse(struct conversion *conversion, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	free(*conversion->error);
	*conversion->error = place_text(conversion, format, arguments);
	va_end(arguments);
	return -1;
}

void caution(struct conversion *conversion, const char *format, ...)
{
	const struct accelsim_listener *listener = conversion->listener;
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = place_text(conversion, format, arguments);
	va_end(arguments);
	if (text && listener->warning)
		listener->warning(listener->context, text);
	free(text);
}

int account(struct conversion *conversion, size_t bytes)
{
	if (bytes <= conversion->max_bytes - conversion->used_bytes) {
		conversion->used_bytes += bytes;
		return 0;
	}
	return refuse(conversion, "the trace becomes larger than %zu bytes",
		      conversion->max_bytes);
}

/* --- files ---------------------------------------------------------------------------- */

/* The file becomes what is read, and named in messages. */
static int open_source(struct conversion *conversion, const char *path)
{
	struct source *outer = conversion->source;
	const char *missing;

	conversion->source = source_open(path, &missing);
	if (conversion->source) {
		conversion->file = path;
		return 0;
	}
	conversion->source = outer;
	if (missing)
		return refuse(conversion, "%s, which would decompress %s, is not installed",
			      missing, outer ? path : "it");
	return outer ? refuse(conversion, "%s: %s", path, strerror(errno)) :
	       refuse(conversion, "%s", strerror(errno));
}

static int convert_file(struct conversion *conversion, const char *path)
{
	const char *outer_file = conversion->file;
	struct source *outer = conversion->source;
	int ret;

	if (open_source(conversion, path))
		return -1;
	ret = convert_kernel(conversion);
	source_close(conversion->source);
	conversion->source = outer;
	conversion->file = outer_file;
	return ret;
}

/* How much of a list's path is the folder where its kernels lie; a pipe has none. */
static int folder_length(const char *list)
{
	const char *slash = strrchr(list, '/');

	return slash && strncmp(list, "/dev/", 5) && strncmp(list, "/proc/", 6) ?
	       (int)(slash - list + 1) : 0;
}

/* Convert a kernel that a list names; its file lies beside the list. */
static int convert_listed(struct conversion *conversion, const char *list,
			  const char *name)
{
	char *path;
	int ret;

	if (asprintf(&path, "%.*s%s", folder_length(list), list, name) < 0)
		return refuse(conversion, "no memory");
	ret = convert_file(conversion, path);
	free(path);
	return ret;
}

static int convert_list(struct conversion *conversion, const char *path)
{
	char *line;
	int ret;

	while ((ret = source_line(conversion->source, &line)) > 0) {
		line[strcspn(line, " \t")] = '\0';
		if (strncmp(line, "kernel-", 7) || !strstr(line, ".traceg"))
			continue;
		if (conversion->counts->kernels == SIMGPU_TRACE_KERNELS_MAX)
			return refuse(conversion, "more than %u kernels",
				      SIMGPU_TRACE_KERNELS_MAX);
		ret = convert_listed(conversion, path, line);
		if (ret)
			return ret;
	}
	if (ret < 0)
		return refuse(conversion, "the list cannot be read");
	if (!conversion->counts->kernels)
		return refuse(conversion, "the list names no kernel-N.traceg");
	return 0;
}

static bool has_kernel_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strstr(slash ? slash : path, ".traceg");
}

/*
 * A kernel begins with lines such as "-kernel name = NAME". Return: 1, 0 if the file
 * is a list, or -1.
 */
static int is_kernel(struct conversion *conversion, const char *path)
{
	const char *compression;
	char *line;
	int ret;

	if (has_kernel_name(path))
		return 1;
	do
		ret = source_line(conversion->source, &line);
	while (ret > 0 && !*line);
	if (ret <= 0)
		return 0;
	source_push_back(conversion->source);
	compression = source_compression(line);
	if (compression)
		return refuse(conversion, "what comes through a pipe may be compressed by gzip, not by %s",
			      compression);
	return *line == '-';
}

static int convert_any(struct conversion *conversion, const char *path)
{
	int ret;

	if (open_source(conversion, path))
		return -1;
	ret = is_kernel(conversion, path);
	if (ret >= 0)
		ret = ret ? convert_kernel(conversion) : convert_list(conversion, path);
	source_close(conversion->source);
	conversion->source = NULL;
	return ret;
}

/* --- the result ---------------------------------------------------------------------- */

/*
 * Pages get their places here, when all of them are known.
 * @footprint: bytes up to the last line
 */
static int add_lines(struct conversion *conversion, uint64_t *footprint)
{
	uint32_t *order = pages_order(&conversion->pages), lines = 0;
	size_t i;

	if (!order)
		return refuse(conversion, "no memory");
	for (i = 0; i < conversion->line_count; i++) {
		uint32_t line = conversion->lines[i];
		uint32_t index = line & SIMGPU_TRACE_LINE_INDEX;
		uint32_t place = order[index / PAGE_LINES] * PAGE_LINES +
				 index % PAGE_LINES;

		builder_line(conversion->builder,
			     place | (line & ~SIMGPU_TRACE_LINE_INDEX));
		lines = lines > place ? lines : place + 1;
	}
	*footprint = (uint64_t)lines * SIMGPU_TRACE_LINE_BYTES;
	free(order);
	return 0;
}

/* The trace has one queue, so what ran side by side runs one after the other. */
static void mention_streams(struct conversion *conversion)
{
	char source[SIMGPU_TRACE_NAME_BYTES];
	uint64_t streams = conversion->counts->streams;

	if (streams < 2)
		return;
	caution(conversion, "its kernels are of %llu CUDA streams, which may run side by side; in the trace they run one after the other",
		(unsigned long long)streams);
	snprintf(source, sizeof(source), "Accel-Sim, %u streams as one",
		 (unsigned int)streams);
	builder_source(conversion->builder, source);
}

static void *convert(struct conversion *conversion, const char *path,
		     size_t *bytes)
{
	const struct simgpu_trace_pattern recorded = {
		.kind = SIMGPU_TRACE_RECORDED,
	};
	uint64_t footprint = 0;
	void *trace;

	builder_pattern(conversion->builder, &recorded);
	if (account(conversion, sizeof(struct simgpu_trace_header) +
				sizeof(recorded)))
		return NULL;
	if (convert_any(conversion, path))
		return NULL;
	mention_streams(conversion);
	if (add_lines(conversion, &footprint))
		return NULL;
	trace = builder_finish(conversion->builder, footprint, bytes);
	if (!trace)
		refuse(conversion, "no memory");
	return trace;
}

void *accelsim_convert(const char *path, const char *name, size_t max_bytes,
		       const struct accelsim_listener *listener,
		       struct accelsim_counts *counts, size_t *bytes,
		       char **error)
{
	struct conversion conversion = {
		.builder = builder_new(name, "Accel-Sim"),
		.max_bytes = max_bytes, .listener = listener,
		.counts = counts, .file = path, .error = error,
	};
	void *trace = NULL;

	*error = NULL;
	memset(counts, 0, sizeof(*counts));
	if (conversion.builder)
		trace = convert(&conversion, path, bytes);
	else
		refuse(&conversion, "no memory");
	builder_free(conversion.builder);
	pages_free(&conversion.pages);
	warp_free(&conversion.warp);
	free(conversion.lines);
	return trace;
}

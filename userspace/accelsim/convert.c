// SPDX-License-Identifier: GPL-2.0
/* An Accel-Sim trace, kernel by kernel, as one simgpu trace; see accelsim.h. */
/* For vasprintf. */
#define _GNU_SOURCE
#include <ctype.h>
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

int refuse_line(struct conversion *conversion, int error)
{
	const char *problem = source_problem(conversion->source);

	switch (error) {
	case -E2BIG:
		return refuse(conversion, "the line is longer than %d bytes", SOURCE_LINE_MAX);
	case -EILSEQ:
		return refuse(conversion, "the line has a byte 0: a .tracez is read from a file of such a name");
	case -ENOMEM:
		return refuse(conversion, "no memory");
	default:
		return refuse(conversion, "%s", problem ? problem :
			      "the file is broken off or not what its name says");
	}
}

void caution_list(struct conversion *conversion, const char *format, va_list arguments)
{
	const struct accelsim_listener *listener = conversion->listener;
	char *text = place_text(conversion, format, arguments);

	if (text && listener->warning)
		listener->warning(listener->context, text);
	free(text);
}

void caution(struct conversion *conversion, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	caution_list(conversion, format, arguments);
	va_end(arguments);
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

static bool has_kernel_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash : path;

	return strstr(name, ".traceg") || strstr(name, ".tracez");
}

static const struct copy_line {
	const char *name;
	enum simgpu_trace_command_kind kind;
} copy_lines[] = {
	{ "MemcpyHtoD,", SIMGPU_TRACE_COMMAND_COPY_IN },
	{ "MemcpyDtoH,", SIMGPU_TRACE_COMMAND_COPY_OUT },
};

/* Read "0xADDRESS,BYTES". */
static bool read_copy(const char *text, unsigned long long *address, unsigned long long *bytes)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 16);
	if (*text == '-' || !*address || *end != ',' || !isdigit((unsigned char)end[1]))
		return false;
	*bytes = strtoull(end + 1, &end, 10);
	return !errno && !*end;
}

static int add_copy(struct conversion *conversion, enum simgpu_trace_command_kind kind,
		    const char *text)
{
	unsigned long long address, bytes;

	if (!read_copy(text, &address, &bytes))
		return refuse(conversion, "\"%s\" is no address and number of bytes of a copy",
			      text);
	if (!bytes) {
		caution(conversion, "a copy of 0 bytes is left out");
		return 0;
	}
	if (bytes > SIMGPU_TRACE_COPY_BYTES_MAX || address > UINT64_MAX - bytes)
		return refuse(conversion, "a copy of %llu bytes, more than 2^40 or than there are addresses",
			      bytes);
	if (script_copy(&conversion->script, kind, address, bytes))
		return refuse(conversion, "no memory");
	return account(conversion, sizeof(struct simgpu_trace_command));
}

/* A line of a list that is no kernel's: a copy, or something that is left out. */
static int convert_copy(struct conversion *conversion, const char *line)
{
	size_t i;

	if (conversion->kernels_alone || strncmp(line, "Memcpy", 6))
		return 0;
	for (i = 0; i < sizeof(copy_lines) / sizeof(copy_lines[0]); i++) {
		size_t length = strlen(copy_lines[i].name);

		if (!strncmp(line, copy_lines[i].name, length))
			return add_copy(conversion, copy_lines[i].kind, line + length);
	}
	caution(conversion, "\"%.40s\" is neither MemcpyHtoD nor MemcpyDtoH, and is left out",
		line);
	return 0;
}

static int convert_list(struct conversion *conversion, const char *path)
{
	char *line;
	int ret;

	while ((ret = source_line(conversion->source, &line)) > 0) {
		line[strcspn(line, " \t")] = '\0';
		if (strncmp(line, "kernel-", 7) || !has_kernel_name(line))
			ret = convert_copy(conversion, line);
		else if (conversion->counts->kernels == SIMGPU_TRACE_KERNELS_MAX)
			return refuse(conversion, "more than %u kernels",
				      SIMGPU_TRACE_KERNELS_MAX);
		else
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
	compression = ret > 0 || ret == -EILSEQ ? source_compression(line) : NULL;
	if (compression)
		return refuse(conversion, "what comes through a pipe may be compressed by gzip, not by %s",
			      compression);
	if (ret == -EILSEQ)
		return refuse_line(conversion, ret);
	if (ret <= 0)
		return 0;
	source_push_back(conversion->source);
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

/* @footprint: bytes up to the last line */
static void add_lines(struct conversion *conversion, const uint32_t *order,
		      uint64_t *footprint)
{
	uint32_t lines = 0;
	size_t i;

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
}

/* Launches and copies become commands, unless the trace is to have none. */
static int add_script(struct conversion *conversion, const uint32_t *order,
		      uint64_t *footprint)
{
	const struct script *script = &conversion->script;
	int ret;

	if (conversion->kernels_alone || !script_needs_commands(script))
		return 0;
	ret = script_build(script, conversion->builder, &conversion->pages, order,
			   footprint);
	if (ret == -E2BIG)
		return refuse(conversion, "more than %u commands, or copies to more than %u places",
			      SIMGPU_TRACE_COMMANDS_MAX, SIMGPU_TRACE_ALLOCATIONS_MAX);
	return ret ? refuse(conversion, "no memory") : 0;
}

/* What of several streams the trace cannot say stands where people see it. */
static void mention_streams(struct conversion *conversion)
{
	struct accelsim_counts *counts = conversion->counts;
	char source[SIMGPU_TRACE_NAME_BYTES];

	counts->streams = conversion->script.stream_count;
	counts->queues = conversion->kernels_alone ? 1 : script_queues(&conversion->script);
	counts->copies = conversion->script.copies;
	counts->copied_bytes = conversion->script.copied_bytes;
	if (counts->streams == counts->queues)
		return;
	if (conversion->kernels_alone)
		caution(conversion, "its kernels are of %llu CUDA streams, which may run side by side; in the trace they run one after the other",
			(unsigned long long)counts->streams);
	else
		caution(conversion, "its kernels are of %llu CUDA streams, which share the %llu queues that a trace may have",
			(unsigned long long)counts->streams,
			(unsigned long long)counts->queues);
	snprintf(source, sizeof(source), counts->queues == 1 ?
		 "Accel-Sim, %u streams as one" : "Accel-Sim, %u streams as %u",
		 (unsigned int)counts->streams, (unsigned int)counts->queues);
	builder_source(conversion->builder, source);
}

static void *convert(struct conversion *conversion, const char *path,
		     size_t *bytes)
{
	const struct simgpu_trace_pattern recorded = {
		.kind = SIMGPU_TRACE_RECORDED,
	};
	uint64_t footprint = 0;
	uint32_t *order;
	void *trace;
	int ret;

	builder_pattern(conversion->builder, &recorded);
	if (account(conversion, sizeof(struct simgpu_trace_header) +
				sizeof(recorded)))
		return NULL;
	if (convert_any(conversion, path))
		return NULL;
	mention_streams(conversion);
	/* Pages get their places here, when all of them are known. */
	order = pages_order(&conversion->pages);
	if (!order) {
		refuse(conversion, "no memory");
		return NULL;
	}
	add_lines(conversion, order, &footprint);
	ret = add_script(conversion, order, &footprint);
	free(order);
	if (ret)
		return NULL;
	trace = builder_finish(conversion->builder, footprint, bytes);
	if (!trace)
		refuse(conversion, "no memory");
	return trace;
}

void *accelsim_convert(const char *path, const char *name, size_t max_bytes,
		       bool kernels_alone, const struct accelsim_listener *listener,
		       struct accelsim_counts *counts, size_t *bytes,
		       char **error)
{
	struct conversion conversion = {
		.builder = builder_new(name, "Accel-Sim"),
		.max_bytes = max_bytes, .kernels_alone = kernels_alone,
		.listener = listener,
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
	bulk_lines_free(&conversion.bulk);
	script_free(&conversion.script);
	free(conversion.lines);
	return trace;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * CSV files of rocprofv3, a file a kind of activity. Fields may stand between quotes, where a
 * quote is doubled; names of kernels have commas.
 */
/* For asprintf and getline. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocprof.h"

#define FIELDS_MAX	64

/**
 * struct csv - a file that is read
 * @file: the file
 * @line: the present line, whose fields end in NULs
 * @room: of @line
 * @number: of the line, from 1
 * @fields: of the line
 * @count: number of them
 * @headings: the first line
 * @heading: its fields
 * @heading_count: number of them
 * @activities: what is filled in
 * @reason: of a failure
 */
struct csv {
	FILE *file;
	char *line;
	size_t room;
	uint64_t number;
	char *fields[FIELDS_MAX];
	size_t count;
	char *headings;
	char *heading[FIELDS_MAX];
	size_t heading_count;
	struct activities *activities;
	char *reason;
};

static int refuse(struct csv *csv, const char *what)
{
	snprintf(csv->reason, IMPORT_REASON_BYTES, "line %llu: %s",
		 (unsigned long long)csv->number, what);
	return -EINVAL;
}

/* Take the quotes off a field; returns what follows it, or NULL if the second quote is missing. */
static char *unquote(char *from, char *to)
{
	for (; *from; from++) {
		if (*from == '"' && *++from != '"') {
			*to = '\0';
			return *from && *from != ',' ? NULL : from;
		}
		*to++ = *from;
	}
	return NULL;
}

static int split(struct csv *csv)
{
	char *at = csv->line, *end;

	csv->count = 0;
	for (;;) {
		if (csv->count == FIELDS_MAX)
			return refuse(csv, "more than 64 fields");
		if (*at == '"') {
			csv->fields[csv->count++] = at;
			end = unquote(at + 1, at);
			if (!end)
				return refuse(csv, "a quote is missing, or within a field");
		} else {
			csv->fields[csv->count++] = at;
			end = at + strcspn(at, ",");
		}
		if (!*end)
			return 0;
		*end = '\0';
		at = end + 1;
	}
}

/* The next line that is not empty: 1; 0 at the end; a negative errno. */
static int read_line(struct csv *csv)
{
	ssize_t length;

	do {
		length = getline(&csv->line, &csv->room, csv->file);
		if (length < 0)
			return ferror(csv->file) ? refuse(csv, "it cannot be read") : 0;
		csv->number++;
		if (memchr(csv->line, 0, (size_t)length))
			return refuse(csv, "a NUL");
		csv->line[strcspn(csv->line, "\r\n")] = '\0';
	} while (!*csv->line);
	length = split(csv);
	return length ? (int)length : 1;
}

static int read_headings(struct csv *csv)
{
	int ret = read_line(csv);

	if (ret <= 0)
		return ret ? ret : refuse(csv, "no headings");
	csv->headings = csv->line;
	csv->line = NULL;
	csv->room = 0;
	memcpy(csv->heading, csv->fields, sizeof(csv->heading));
	csv->heading_count = csv->count;
	return 0;
}

/* A field by its heading; NULL if there is none */
static const char *field(const struct csv *csv, const char *heading)
{
	size_t i;

	for (i = 0; i < csv->heading_count && i < csv->count; i++)
		if (strcmp(csv->heading[i], heading) == 0)
			return csv->fields[i];
	return NULL;
}

/* A whole number of a field, from 0 up to @most; false if it is none */
static bool read_number(const struct csv *csv, const char *heading, int64_t most, int64_t *value)
{
	const char *text = field(csv, heading);
	char *end;

	if (!text || !*text)
		return false;
	errno = 0;
	*value = strtoll(text, &end, 10);
	return !errno && !*end && *value >= 0 && *value <= most;
}

static int64_t number_or(const struct csv *csv, const char *heading, int64_t otherwise)
{
	int64_t value;

	return read_number(csv, heading, INT64_MAX, &value) ? value : otherwise;
}

/* Time, call and stream of a line */
static int read_common(struct csv *csv, struct activity *activity)
{
	int64_t end;

	*activity = (struct activity){ .record = ACTIVITY_NONE };
	if (!read_number(csv, "Start_Timestamp", INT64_MAX / 4, &activity->start_ns) ||
	    !read_number(csv, "End_Timestamp", INT64_MAX / 4, &end) || end < activity->start_ns)
		return refuse(csv, "no valid Start_Timestamp and End_Timestamp");
	activity->duration_ns = end - activity->start_ns;
	activity->correlation = number_or(csv, "Correlation_Id", ACTIVITY_NONE);
	activity->stream = number_or(csv, "Stream_Id", number_or(csv, "Queue_Id", 0));
	return 0;
}

static int add_kernel(struct csv *csv, struct activity *activity)
{
	static const char *const block[] = { "Workgroup_Size_X", "Workgroup_Size_Y",
					     "Workgroup_Size_Z" };
	static const char *const grid[] = { "Grid_Size_X", "Grid_Size_Y", "Grid_Size_Z" };
	int64_t threads, items;
	int i;

	activity->kind = ACTIVITY_KERNEL;
	activity->name = field(csv, "Kernel_Name");
	if (!activity->name)
		return refuse(csv, "no Kernel_Name");
	for (i = 0; i < 3; i++) {
		if (!read_number(csv, block[i], INT32_MAX, &threads) || !threads ||
		    !read_number(csv, grid[i], INT64_MAX / 2, &items) || !items ||
		    (items + threads - 1) / threads > INT32_MAX)
			return refuse(csv, "no valid Workgroup_Size and Grid_Size");
		activity->block[i] = (uint32_t)threads;
		activity->grid[i] = (uint32_t)((items + threads - 1) / threads);
	}
	items = number_or(csv, "VGPR_Count", 0);
	activity->registers = items > 255 ? 255 : (uint32_t)items;
	items = number_or(csv, "LDS_Block_Size", number_or(csv, "Group_Segment_Size", 0));
	activity->shared_bytes = items > UINT32_MAX ? UINT32_MAX : (uint32_t)items;
	return activities_add(csv->activities, activity);
}

static int add_copy(struct csv *csv, struct activity *activity)
{
	const char *direction = field(csv, "Direction");

	if (!direction)
		return refuse(csv, "no Direction");
	activity->kind = ACTIVITY_COPY;
	activity->direction = strstr(direction, "HOST_TO_DEVICE") ? ACTIVITY_TO_DEVICE :
			      strstr(direction, "DEVICE_TO_HOST") ? ACTIVITY_TO_HOST :
								    ACTIVITY_ON_DEVICE;
	activity->bytes = (uint64_t)number_or(csv, "Size", 0);
	return activities_add(csv->activities, activity);
}

static int add_call(struct csv *csv, struct activity *activity)
{
	activity->kind = ACTIVITY_CALL;
	activity->name = field(csv, "Function");
	if (!activity->name)
		return refuse(csv, "no Function");
	if (!activity_call_matters(activity->name))
		return 0;
	return activities_add(csv->activities, activity);
}

static int read_rows(struct csv *csv, int (*add)(struct csv *csv, struct activity *activity))
{
	struct activity activity;
	int ret = read_headings(csv);

	while (!ret) {
		ret = read_line(csv);
		if (ret <= 0)
			return ret;
		ret = read_common(csv, &activity);
		if (!ret)
			ret = add(csv, &activity);
	}
	return ret;
}

static int read_file(const char *path, struct activities *activities,
		     char reason[IMPORT_REASON_BYTES],
		     int (*add)(struct csv *csv, struct activity *activity))
{
	struct csv csv = { .activities = activities, .reason = reason };
	int ret;

	csv.file = fopen(path, "re");
	if (!csv.file) {
		ret = -errno;
		snprintf(reason, IMPORT_REASON_BYTES, "%s", strerror(-ret));
		return ret;
	}
	snprintf(reason, IMPORT_REASON_BYTES, "out of memory");
	ret = read_rows(&csv, add);
	fclose(csv.file);
	free(csv.line);
	free(csv.headings);
	return ret;
}

/* Read a file beside the one of kernels, if there is one. */
static int read_beside(const char *path, const char *kind, struct activities *activities,
		       char reason[IMPORT_REASON_BYTES],
		       int (*add)(struct csv *csv, struct activity *activity))
{
	static const char kernels[] = "kernel_trace";
	char what[IMPORT_REASON_BYTES], *other;
	const char *at = strrchr(path, '/');
	int ret;

	at = strstr(at ? at : path, kernels);
	if (!at)
		return 0;
	if (asprintf(&other, "%.*s%s%s", (int)(at - path), path, kind, at + strlen(kernels)) < 0)
		return -ENOMEM;
	ret = read_file(other, activities, what, add);
	free(other);
	if (ret == -ENOENT)
		return 0;
	if (ret)
		snprintf(reason, IMPORT_REASON_BYTES, "%s beside it: %.180s", kind, what);
	return ret;
}

int rocprof_read(const char *path, struct activities *activities,
		 char reason[IMPORT_REASON_BYTES])
{
	int ret = read_file(path, activities, reason, add_kernel);

	if (!ret)
		ret = read_beside(path, "memory_copy_trace", activities, reason, add_copy);
	if (!ret)
		ret = read_beside(path, "hip_api_trace", activities, reason, add_call);
	return ret;
}

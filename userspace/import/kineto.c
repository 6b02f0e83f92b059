// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles of PyTorch: an object with "traceEvents", or Chrome's bare array of events. The
 * file is a stream: json-c parses an event at a time. Which categories there are, and what
 * their arguments are called, is Kineto's (libkineto/src/output_json.cpp).
 */
#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "kineto.h"

#define CHUNK_BYTES	65536
/* Most bytes of a value that is parsed at once, an event or a property of the file */
#define VALUE_BYTES_MAX	(16 << 20)
#define NAME_BYTES	64

/**
 * struct stream - the file
 * @file: zlib's; it reads what is not compressed, too
 * @tokener: json-c's parser
 * @activities: what is filled in
 * @reason: of a failure
 * @at: the next byte in @chunk
 * @have: bytes in @chunk
 * @offset: of the chunk's first byte in the text, for messages
 * @chunk: bytes of the text
 */
struct stream {
	gzFile file;
	struct json_tokener *tokener;
	struct activities *activities;
	char *reason;
	size_t at;
	size_t have;
	uint64_t offset;
	char chunk[CHUNK_BYTES];
};

static int refuse(struct stream *stream, const char *what)
{
	snprintf(stream->reason, IMPORT_REASON_BYTES, "byte %llu: %s",
		 (unsigned long long)(stream->offset + stream->at), what);
	return -EINVAL;
}

/* Read the next bytes once all are used. Returns 1; 0 at the end; a negative errno. */
static int fill(struct stream *stream)
{
	int got, error;

	if (stream->at < stream->have)
		return 1;
	stream->offset += stream->have;
	stream->at = 0;
	stream->have = 0;
	got = gzread(stream->file, stream->chunk, sizeof(stream->chunk));
	if (got > 0) {
		stream->have = (size_t)got;
		return 1;
	}
	/* Within a compressed file zlib tells a missing end as an error only here. */
	gzerror(stream->file, &error);
	if (got < 0 || (error != Z_OK && error != Z_STREAM_END))
		return refuse(stream, "the compressed file is damaged or cut off");
	return 0;
}

/* The next byte that is no white space, which is not used up; 0 at the end; an errno. */
static int peek(struct stream *stream)
{
	int ret;

	while ((ret = fill(stream)) > 0) {
		char byte = stream->chunk[stream->at];

		if (!isspace((unsigned char)byte))
			return (unsigned char)byte;
		stream->at++;
	}
	return ret;
}

/* Use up a byte, which has to be @wanted. */
static int expect(struct stream *stream, int wanted)
{
	char text[40];
	int byte = peek(stream);

	if (byte < 0)
		return byte;
	if (byte == wanted) {
		stream->at++;
		return 0;
	}
	snprintf(text, sizeof(text), byte ? "\"%c\" is missing" :
		 "the file ends where \"%c\" is missing", wanted);
	return refuse(stream, text);
}

/* Parse the next value, of any kind. */
static int read_value(struct stream *stream, struct json_object **value)
{
	enum json_tokener_error error = json_tokener_continue;
	size_t bytes = 0;
	int ret;

	json_tokener_reset(stream->tokener);
	while (error == json_tokener_continue) {
		ret = fill(stream);
		if (ret < 0)
			return ret;
		if (!ret)
			return refuse(stream, "the file ends within a value");
		*value = json_tokener_parse_ex(stream->tokener, stream->chunk + stream->at,
					       (int)(stream->have - stream->at));
		error = json_tokener_get_error(stream->tokener);
		stream->at += json_tokener_get_parse_end(stream->tokener);
		bytes += json_tokener_get_parse_end(stream->tokener);
		if (bytes > VALUE_BYTES_MAX + CHUNK_BYTES)
			return refuse(stream, "a value of more than 16 MiB");
	}
	if (error == json_tokener_success)
		return 0;
	return refuse(stream, json_tokener_error_desc(error));
}

/* --- members of an event --------------------------------------------------------------- */

static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (json_object_is_type(object, json_type_object))
		json_object_object_get_ex(object, key, &value);
	return value;
}

static const char *text_of(struct json_object *object, const char *key)
{
	struct json_object *value = member(object, key);

	return json_object_is_type(value, json_type_string) ?
		json_object_get_string(value) : "";
}

/* A whole number, which may be written as a text; @otherwise if there is none. */
static int64_t number_of(struct json_object *object, const char *key, int64_t otherwise)
{
	struct json_object *value = member(object, key);

	if (json_object_is_type(value, json_type_string)) {
		char *end;
		const char *text = json_object_get_string(value);
		int64_t number = strtoll(text, &end, 0);

		return end == text || *end ? otherwise : number;
	}
	if (json_object_is_type(value, json_type_int) ||
	    json_object_is_type(value, json_type_double))
		return json_object_get_int64(value);
	return otherwise;
}

static uint64_t size_of(struct json_object *object, const char *key)
{
	int64_t number = number_of(object, key, 0);

	return number > 0 ? (uint64_t)number : 0;
}

/*
 * Microseconds with decimals as nanoseconds. Times since 1970 have more digits than a double, so
 * that the text is read. False if it is no such number, or too large.
 */
static bool read_time(struct json_object *object, const char *key, int64_t *ns)
{
	struct json_object *value = member(object, key);
	const char *text;
	int64_t whole, part = 0, unit = 100;
	char *end;

	if (!json_object_is_type(value, json_type_int) &&
	    !json_object_is_type(value, json_type_double))
		return false;
	text = json_object_get_string(value);
	errno = 0;
	whole = strtoll(text, &end, 10);
	if (end == text || errno || whole > INT64_MAX / 4000 || whole < -(INT64_MAX / 4000))
		return false;
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end); end++, unit /= 10)
			part += (*end - '0') * unit;
	/* An exponent: of so large or small a number no decimals are told. */
	if (*end == 'e' || *end == 'E') {
		double number = json_object_get_double(value);

		if (!(number < 1e15 && number > -1e15))
			return false;
		*ns = (int64_t)(number * 1000);
		return true;
	}
	*ns = whole * 1000 + (*text == '-' ? -part : part);
	return true;
}

static void read_sizes(struct json_object *arguments, const char *key, uint32_t sizes[3])
{
	struct json_object *array = member(arguments, key);
	size_t i;

	if (!json_object_is_type(array, json_type_array) || json_object_array_length(array) != 3)
		return;
	for (i = 0; i < 3; i++) {
		int64_t size = json_object_get_int64(json_object_array_get_idx(array, i));

		if (size < 1 || size > INT32_MAX) {
			memset(sizes, 0, 3 * sizeof(*sizes));
			return;
		}
		sizes[i] = (uint32_t)size;
	}
}

/* --- events ---------------------------------------------------------------------------- */

static enum activity_direction direction_of(const char *name)
{
	if (strstr(name, "HtoD"))
		return ACTIVITY_TO_DEVICE;
	if (strstr(name, "DtoH"))
		return ACTIVITY_TO_HOST;
	return ACTIVITY_ON_DEVICE;
}

static int add_kernel(struct stream *stream, struct activity *activity,
		      struct json_object *arguments)
{
	uint64_t registers = size_of(arguments, "registers per thread");
	uint64_t shared = size_of(arguments, "shared memory");

	activity->kind = ACTIVITY_KERNEL;
	read_sizes(arguments, "grid", activity->grid);
	read_sizes(arguments, "block", activity->block);
	if (!activity->block[0])
		activity->grid[0] = 0;
	activity->registers = registers > 255 ? 255 : (uint32_t)registers;
	activity->shared_bytes = shared > UINT32_MAX ? UINT32_MAX : (uint32_t)shared;
	return activities_add(stream->activities, activity);
}

static int add_copy(struct stream *stream, struct activity *activity,
		    struct json_object *arguments)
{
	/* A copy from host to host keeps no GPU busy. */
	if (strstr(activity->name, "HtoH"))
		return activities_unknown(stream->activities, activity->name);
	activity->kind = ACTIVITY_COPY;
	activity->direction = direction_of(activity->name);
	return activities_add(stream->activities, activity);
}

static int add_set(struct stream *stream, struct activity *activity,
		   struct json_object *arguments)
{
	activity->kind = ACTIVITY_SET;
	return activities_add(stream->activities, activity);
}

static int add_call(struct stream *stream, struct activity *activity,
		    struct json_object *arguments)
{
	if (!activity_call_matters(activity->name))
		return 0;
	activity->kind = ACTIVITY_CALL;
	/* ROCm's copies say their bytes only here. */
	activity->bytes = size_of(arguments, "size");
	return activities_add(stream->activities, activity);
}

static int add_sync(struct stream *stream, struct activity *activity,
		    struct json_object *arguments)
{
	activity->record = number_of(arguments, "wait_on_cuda_event_record_corr_id",
				     ACTIVITY_NONE);
	activity->record_stream = number_of(arguments, "wait_on_stream", ACTIVITY_NONE);
	activity->stream = number_of(arguments, "stream", ACTIVITY_NONE);
	if (strcmp(activity->name, "Stream Wait Event") == 0)
		activity->kind = ACTIVITY_WAIT;
	else if (strcmp(activity->name, "Event Sync") == 0 ||
		 strcmp(activity->name, "Stream Sync") == 0 ||
		 strcmp(activity->name, "Context Sync") == 0)
		activity->kind = ACTIVITY_SYNC;
	else
		return activities_unknown(stream->activities, activity->name);
	/* An event that was recorded before the profile began, or of which nothing is known */
	if (strstr(activity->name, "Event") && activity->record < 0) {
		stream->activities->silent_waits += activity->kind == ACTIVITY_WAIT;
		return 0;
	}
	return activities_add(stream->activities, activity);
}

static int add_mark(struct stream *stream, struct activity *activity,
		    struct json_object *arguments)
{
	if (strncmp(activity->name, "ProfilerStep#", strlen("ProfilerStep#")))
		return 0;
	activity->kind = ACTIVITY_MARK;
	return activities_add(stream->activities, activity);
}

/**
 * struct category - what becomes of a category of events
 * @name: the category; older profiles have other names
 * @add: adds an event; NULL: none is needed
 */
struct category {
	const char *name;
	int (*add)(struct stream *stream, struct activity *activity,
		   struct json_object *arguments);
};

static const struct category categories[] = {
	{ "kernel", add_kernel }, { "Kernel", add_kernel },
	{ "gpu_memcpy", add_copy }, { "Memcpy", add_copy },
	{ "gpu_memset", add_set }, { "Memset", add_set },
	{ "cuda_runtime", add_call }, { "cuda_driver", add_call }, { "Runtime", add_call },
	{ "cuda_sync", add_sync },
	{ "user_annotation", add_mark },
	{ "cpu_op", NULL }, { "Operator", NULL }, { "python_function", NULL },
	{ "gpu_user_annotation", NULL }, { "Trace", NULL }, { "overhead", NULL },
	{ "ac2g", NULL }, { "fwdbwd", NULL }, { "async_cpu_to_gpu", NULL },
	{ "cpu_instant_event", NULL }, { "mtia_runtime", NULL },
};

static const struct category *category_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(categories) / sizeof(*categories); i++)
		if (strcmp(categories[i].name, name) == 0)
			return &categories[i];
	return NULL;
}

static int add_event(struct stream *stream, struct json_object *event)
{
	const char *name = text_of(event, "cat");
	const struct category *category = category_of(name);
	struct json_object *arguments = member(event, "args");
	struct activity activity = { .name = text_of(event, "name") };

	/* Events with a duration alone; the others are names, arrows and moments. */
	if (strcmp(text_of(event, "ph"), "X"))
		return 0;
	if (!category)
		return activities_unknown(stream->activities, *name ? name : activity.name);
	if (!category->add)
		return 0;
	if (!read_time(event, "ts", &activity.start_ns) ||
	    !read_time(event, "dur", &activity.duration_ns) || activity.duration_ns < 0)
		return refuse(stream, "an event before here has no valid \"ts\" or \"dur\"");
	activity.stream = number_of(arguments, "stream", number_of(event, "tid", 0));
	activity.correlation = number_of(arguments, "correlation", ACTIVITY_NONE);
	activity.record = ACTIVITY_NONE;
	activity.bytes = size_of(arguments, "bytes");
	return category->add(stream, &activity, arguments);
}

static int read_events(struct stream *stream)
{
	struct json_object *event;
	int ret = expect(stream, '[');

	if (!ret && peek(stream) == ']') {
		stream->at++;
		return 0;
	}
	while (!ret) {
		ret = read_value(stream, &event);
		if (ret)
			return ret;
		ret = add_event(stream, event);
		json_object_put(event);
		if (ret || peek(stream) != ',')
			break;
		stream->at++;
	}
	return ret ? ret : expect(stream, ']');
}

/* --- the rest of the file --------------------------------------------------------------- */

static int read_device(struct stream *stream, struct json_object *devices)
{
	struct json_object *first;
	const char *name;

	if (!json_object_is_type(devices, json_type_array) || !json_object_array_length(devices))
		return 0;
	first = json_object_array_get_idx(devices, 0);
	name = text_of(first, "name");
	if (!*name)
		return 0;
	stream->activities->device = activities_text(stream->activities, name);
	stream->activities->device_bytes = size_of(first, "totalGlobalMem");
	return stream->activities->device ? 0 : -ENOMEM;
}

/* A member of the file's object. Sets *found if it is the events. */
static int read_member(struct stream *stream, bool *found)
{
	struct json_object *value;
	char key[NAME_BYTES];
	int ret = read_value(stream, &value);

	if (ret)
		return ret;
	snprintf(key, sizeof(key), "%s", json_object_is_type(value, json_type_string) ?
		 json_object_get_string(value) : "");
	json_object_put(value);
	ret = expect(stream, ':');
	if (ret)
		return ret;
	if (strcmp(key, "traceEvents") == 0) {
		*found = true;
		return read_events(stream);
	}
	ret = read_value(stream, &value);
	if (ret)
		return ret;
	if (strcmp(key, "deviceProperties") == 0)
		ret = read_device(stream, value);
	json_object_put(value);
	return ret;
}

static int read_object(struct stream *stream)
{
	bool found = false;
	int ret = expect(stream, '{');

	while (!ret && peek(stream) == '"') {
		ret = read_member(stream, &found);
		if (ret || peek(stream) != ',')
			break;
		stream->at++;
	}
	if (!ret)
		ret = expect(stream, '}');
	if (!ret && !found)
		ret = refuse(stream, "the file has no \"traceEvents\"");
	return ret;
}

static int read_file(struct stream *stream)
{
	int byte = peek(stream);

	if (byte == '{')
		return read_object(stream);
	if (byte == '[')
		return read_events(stream);
	return byte < 0 ? byte : refuse(stream, "no JSON of trace events begins here");
}

int kineto_read(const char *path, struct activities *activities,
		char reason[IMPORT_REASON_BYTES])
{
	struct stream *stream = calloc(1, sizeof(*stream));
	int ret = -ENOMEM;

	snprintf(reason, IMPORT_REASON_BYTES, "out of memory");
	if (!stream)
		return ret;
	stream->activities = activities;
	stream->reason = reason;
	stream->tokener = json_tokener_new();
	errno = 0;
	stream->file = gzopen(path, "rbe");
	if (!stream->file) {
		ret = errno ? -errno : -ENOMEM;
		snprintf(reason, IMPORT_REASON_BYTES, "%s", strerror(-ret));
	} else if (stream->tokener) {
		ret = read_file(stream);
	}
	if (stream->file)
		gzclose(stream->file);
	if (stream->tokener)
		json_tokener_free(stream->tokener);
	free(stream);
	return ret;
}

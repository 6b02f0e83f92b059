// SPDX-License-Identifier: GPL-2.0
/* JSON output by json-c; see output.h. */
#include "json.h"
#include "output.h"

struct json_object *json_ppm(u64 value_ppm)
{
	char text[40];

	snprintf(text, sizeof(text), "%llu.%06llu", value_ppm / SIMGPU_PPM,
		 value_ppm % SIMGPU_PPM);
	return json_object_new_double_s((double)value_ppm / SIMGPU_PPM, text);
}

struct json_object *json_ppm_or_null(bool known, u64 value_ppm)
{
	return known ? json_ppm(value_ppm) : NULL;
}

struct json_object *json_decimal_or_null(bool known, double value)
{
	char text[40];

	if (!known)
		return NULL;
	snprintf(text, sizeof(text), "%.6f", value);
	return json_object_new_double_s(value, text);
}

struct json_object *json_interval(bool known, const struct interval *interval)
{
	struct json_object *array;

	if (!known)
		return NULL;
	array = json_object_new_array();
	json_object_array_add(array, json_decimal_or_null(true, interval->low));
	json_object_array_add(array, json_decimal_or_null(true, interval->high));
	return array;
}

struct json_object *json_u64(u64 value)
{
	return json_object_new_uint64(value);
}

struct json_object *json_hex(u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016llx", value);
	return json_object_new_string(text);
}

struct json_object *json_doubts(u32 doubts)
{
	char text[ROW_SM_LIST_BYTES];

	doubts_text(doubts, text);
	return json_object_new_string(text);
}

void json_set_checksum(struct json_object *object, const char *key, u32 value)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%08x", value);
	json_set_string(object, key, text);
}

void json_set(struct json_object *object, const char *key,
	      struct json_object *value)
{
	json_object_object_add(object, key, value);
}

void json_set_string(struct json_object *object, const char *key,
		     const char *value)
{
	json_set(object, key, json_object_new_string(value));
}

void json_set_suffixed(struct json_object *object, const char *key,
		       const char *suffix, struct json_object *value)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", key, suffix);
	json_set(object, name, value);
}

int flush_output(void)
{
	static bool told;

	if (!fflush(stdout) && !ferror(stdout))
		return STATUS_OK;
	if (!told)
		warn("standard output: %s", strerror(errno));
	told = true;
	return STATUS_FAILED;
}

int json_write(struct json_object *object, FILE *out)
{
	fprintf(out, "%s\n",
		json_object_to_json_string_ext(object,
					       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	return STATUS_OK;
}

int json_print(struct json_object *object)
{
	json_write(object, stdout);
	return flush_output();
}

const char *class_name(u32 class)
{
	switch (class) {
	case SIMGPU_CLASSIFIED_COMPUTE:
		return "compute";
	case SIMGPU_CLASSIFIED_MEMORY:
		return "memory";
	default:
		return "unknown";
	}
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Values and documents of JSON. */
#ifndef SIMGPU_JSON_H
#define SIMGPU_JSON_H

#include "output.h"

/* A decimal with six places; the same text in kernel and userspace. */
struct json_object *json_ppm(u64 value_ppm);
struct json_object *json_ppm_or_null(bool known, u64 value_ppm);

/* A decimal that is not made of parts per million, such as an interval's end; or null. */
struct json_object *json_decimal_or_null(bool known, double value);

/* [low, high], or null. */
struct json_object *json_interval(bool known, const struct interval *interval);
struct json_object *json_u64(u64 value);
struct json_object *json_hex(u64 value);

/* SIMGPU_DOUBT_*, why a predicted NP may be wrong, in words. */
struct json_object *json_doubts(u32 doubts);

/* Eight hexadecimal digits, as trace info prints a trace's checksum. */
void json_set_checksum(struct json_object *object, const char *key, u32 value);

/* Add a member to @object; shorthands for json_object_object_add(). */
void json_set(struct json_object *object, const char *key,
	      struct json_object *value);
void json_set_string(struct json_object *object, const char *key,
		     const char *value);

/* A member whose name has two parts. */
void json_set_suffixed(struct json_object *object, const char *key,
		       const char *suffix, struct json_object *value);

/* Writes the document, and frees it. */
int json_write(struct json_object *object, FILE *out);

/* Writes the document to standard output, and frees it. */
int json_print(struct json_object *object);

/* Flushes standard output; prints a message if the output was lost. */
int flush_output(void);

const char *class_name(u32 class);

#endif /* SIMGPU_JSON_H */

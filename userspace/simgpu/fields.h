/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of struct members that are written as JSON and as CSV: one row for each member. */
#ifndef SIMGPU_FIELDS_H
#define SIMGPU_FIELDS_H

#include "output.h"

/*
 * What a member is; FIELD_US: nanoseconds, written as microseconds; FIELD_MILLI:
 * thousandths, written as a decimal; FIELD_TEXT: a const char *;
 * FIELD_TRUTH: a u32, in CSV 0 or 1.
 */
enum field_kind {
	FIELD_U32,
	FIELD_U64,
	FIELD_PPM,
	FIELD_US,
	FIELD_MILLI,
	FIELD_DECIMAL,
	FIELD_TEXT,
	FIELD_TRUTH,
};

/**
 * struct field - a member of a struct
 * @key: in JSON, and the heading in CSV; NULL: the end of a table
 * @kind: what it is
 * @at: where it stands
 * @known: where a u32 stands that is 0 if the value is not known, plus 1: it may be the
 *	struct's first member. The value's own place: it is not known if it is 0. 0: it
 *	always is known
 */
struct field {
	const char *key;
	enum field_kind kind;
	size_t at;
	size_t known;
};

/* A row for a member, for one that is 0 if it is not known, and for one that depends on another. */
#define FIELD(key, kind, type, member)	{ key, kind, offsetof(type, member), 0 }
#define FIELD_OR_0(key, kind, type, member) \
	FIELD_IF(key, kind, type, member, member)
#define FIELD_IF(key, kind, type, member, known) \
	{ key, kind, offsetof(type, member), offsetof(type, known) + 1 }

/*
 * All of a table, as members of an object, as headings and as values behind commas. A
 * value that is not known is null, or nothing between commas; without a struct none is.
 */
void json_fields(struct json_object *object, const struct field *fields,
		 const void *from);
void csv_headings(FILE *file, const struct field *fields);
void csv_fields(FILE *file, const struct field *fields, const void *from);

#endif /* SIMGPU_FIELDS_H */

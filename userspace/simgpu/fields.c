// SPDX-License-Identifier: GPL-2.0
/* Members of structs as JSON and CSV; see fields.h. */
#include "fields.h"
#include "json.h"
#include "table.h"

static const void *member(const void *from, size_t at)
{
	return (const char *)from + at;
}

static u64 number_of(const struct field *field, const void *from)
{
	const void *at = member(from, field->at);

	return field->kind == FIELD_U32 || field->kind == FIELD_TRUTH ?
	       *(const u32 *)at : *(const u64 *)at;
}

static double decimal_of(const struct field *field, const void *from)
{
	return *(const double *)member(from, field->at);
}

static const char *text_of(const struct field *field, const void *from)
{
	return *(const char *const *)member(from, field->at);
}

static bool is_known(const struct field *field, const void *from)
{
	if (!from)
		return false;
	if (field->known == field->at + 1)
		return number_of(field, from);
	return !field->known || *(const u32 *)member(from, field->known - 1);
}

/* In parts per million, of a ratio, a time, or thousandths. */
static u64 ppm_of(const struct field *field, const void *from)
{
	u64 value = number_of(field, from);

	return field->kind == FIELD_PPM ? value : fixed_mul(value, SIMGPU_PPM / 1000);
}

static struct json_object *field_json(const struct field *field, const void *from)
{
	switch (field->kind) {
	case FIELD_U32:
	case FIELD_U64:
		return json_u64(number_of(field, from));
	case FIELD_DECIMAL:
		return json_decimal_or_null(true, decimal_of(field, from));
	case FIELD_TRUTH:
		return json_object_new_boolean((int)number_of(field, from));
	case FIELD_TEXT:
		return json_object_new_string(text_of(field, from));
	default:
		return json_ppm(ppm_of(field, from));
	}
}

void json_fields(struct json_object *object, const struct field *fields,
		 const void *from)
{
	for (; fields->key; fields++)
		json_set(object, fields->key, is_known(fields, from) ?
			 field_json(fields, from) : NULL);
}

void csv_headings(FILE *file, const struct field *fields)
{
	for (; fields->key; fields++)
		fprintf(file, ",%s", fields->key);
}

static void csv_field(FILE *file, const struct field *field, const void *from)
{
	switch (field->kind) {
	case FIELD_U32:
	case FIELD_U64:
	case FIELD_TRUTH:
		fprintf(file, ",%llu", number_of(field, from));
		return;
	case FIELD_DECIMAL:
		csv_decimal(file, true, decimal_of(field, from));
		return;
	case FIELD_TEXT:
		fprintf(file, ",%s", text_of(field, from));
		return;
	default:
		csv_ppm(file, true, ppm_of(field, from));
	}
}

void csv_fields(FILE *file, const struct field *fields, const void *from)
{
	for (; fields->key; fields++)
		if (is_known(fields, from))
			csv_field(file, fields, from);
		else
			fputc(',', file);
}

// SPDX-License-Identifier: GPL-2.0
/* Members of structs as JSON and CSV; see fields.h. */
#include "fields.h"

static const void *member(const void *from, size_t at)
{
	return (const char *)from + at;
}

static bool is_known(const struct field *field, const void *from)
{
	if (field->known == field->at + 1)
		return *(const u64 *)member(from, field->at);
	return !field->known || *(const u32 *)member(from, field->known - 1);
}

/* In parts per million, of a ratio or a time. */
static u64 ppm_of(const struct field *field, const void *from)
{
	u64 value = *(const u64 *)member(from, field->at);

	return field->kind == FIELD_US ? fixed_mul(value, SIMGPU_PPM / 1000) : value;
}

static struct json_object *field_json(const struct field *field, const void *from)
{
	const void *value = member(from, field->at);

	switch (field->kind) {
	case FIELD_U32:
		return json_u64(*(const u32 *)value);
	case FIELD_U64:
		return json_u64(*(const u64 *)value);
	case FIELD_DECIMAL:
		return json_decimal_or_null(true, *(const double *)value);
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

void csv_fields(FILE *file, const struct field *fields, const void *from)
{
	for (; fields->key; fields++) {
		const void *value = member(from, fields->at);
		bool known = is_known(fields, from);

		if (fields->kind == FIELD_DECIMAL)
			csv_decimal(file, known, known ? *(const double *)value : 0);
		else if (fields->kind == FIELD_PPM || fields->kind == FIELD_US)
			csv_ppm(file, known, ppm_of(fields, from));
		else
			fprintf(file, ",%llu", fields->kind == FIELD_U32 ?
				*(const u32 *)value : *(const u64 *)value);
	}
}

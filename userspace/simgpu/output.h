/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output: one JSON document for programs, tables for people. Ratios are
 * printed from integers in parts per million, exact in JSON.
 */
#ifndef SIMGPU_OUTPUT_H
#define SIMGPU_OUTPUT_H

#include <json-c/json.h>
#include <stdio.h>

#include "command.h"
#include "statistics.h"

/* A decimal with six places; the same text in kernel and userspace. */
struct json_object *json_ppm(u64 value_ppm);
struct json_object *json_ppm_or_null(bool known, u64 value_ppm);
/* A decimal that is no integer of parts per million, such as an interval's end. */
struct json_object *json_decimal_or_null(bool known, double value);
/* [low, high], or null. */
struct json_object *json_interval(bool known, const struct interval *interval);
struct json_object *json_u64(u64 value);
struct json_object *json_hex(u64 value);
/* Eight hexadecimal digits, as trace info has a trace's. */
void json_set_checksum(struct json_object *object, const char *key, u32 value);
/* Member of @object; shorthands for json_object_object_add(). */
void json_set(struct json_object *object, const char *key,
	      struct json_object *value);
void json_set_string(struct json_object *object, const char *key,
		     const char *value);
/* A member whose name has two parts. */
void json_set_suffixed(struct json_object *object, const char *key,
		       const char *suffix, struct json_object *value);
/* Write the document, and free it. */
int json_write(struct json_object *object, FILE *out);
/* The same to standard output. */
int json_print(struct json_object *object);

/* The end of what goes to standard output; says so if it did not get there. */
int flush_output(void);

const char *class_name(u32 class);

/* A tenant's colour, 0xRRGGBB, by its place among the tenants of a run. */
u32 tenant_colour(u32 index);

/* A field of CSV: a comma and a ratio, which is left out if it is not known. */
void csv_ppm(FILE *file, bool known, u64 value_ppm);
/* The same of a decimal. */
void csv_decimal(FILE *file, bool known, double value);

struct table;

/**
 * table_new() - begin a table
 * @headings: separated by '|'; one that begins with '>' is of a column that is
 *	aligned to the right
 */
struct table *table_new(const char *headings);
/* The next cell, row by row. */
__attribute__((format(printf, 2, 3)))
void table_cell(struct table *table, const char *format, ...);
/* A kernel's name as its source has it, without parameters. */
void table_kernel(struct table *table, const char *name);
/* A ratio with @places decimals, rounded; "-" if it is not known. */
void table_ppm(struct table *table, bool known, u64 value_ppm,
	       unsigned int places);
/* A predicted NP: with a '~' before it if @doubts, SIMGPU_DOUBT_*, say that it may be wrong. */
void table_np(struct table *table, bool known, u64 np_ppm, u32 doubts);
/* A decimal, or "-" if it is not known. */
void table_decimal(struct table *table, bool known, double value,
		   unsigned int places);
/* "LOW-HIGH", or "-". */
void table_interval(struct table *table, bool known,
		    const struct interval *interval);
/*
 * Write it, and free it. A table that is wider than 80 letters is written in parts, one
 * below the other; --wide has it in one.
 */
void table_write(struct table *table, FILE *out);
/* The same to standard output. */
void table_print(struct table *table);
void table_free(struct table *table);

/* A paragraph, in lines of 80 letters at most unless --wide is given. */
__attribute__((format(printf, 1, 2)))
void print_paragraph(const char *format, ...);

#endif /* SIMGPU_OUTPUT_H */

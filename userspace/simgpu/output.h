/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output: one JSON document for programs, tables for people. Ratios are
 * printed from integers in parts per million, so they are exact in JSON.
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
/* A decimal that is not made of parts per million, such as an interval's end; or null. */
struct json_object *json_decimal_or_null(bool known, double value);
/* [low, high], or null. */
struct json_object *json_interval(bool known, const struct interval *interval);
struct json_object *json_u64(u64 value);
struct json_object *json_hex(u64 value);
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

/* A tenant's colour, 0xRRGGBB, by its index among the tenants of a run. */
u32 tenant_colour(u32 index);

static inline double ppm_ratio(u64 value_ppm)
{
	return (double)value_ppm / SIMGPU_PPM;
}

/* Writes a field of CSV: a comma and a ratio; the ratio is left out if it is not known. */
void csv_ppm(FILE *file, bool known, u64 value_ppm);
/* Writes a field of CSV: a comma and a decimal, which is left out if it is not known. */
void csv_decimal(FILE *file, bool known, double value);

struct table;

/**
 * table_new() - begin a table
 * @headings: separated by '|'; a column whose heading begins with '>' is aligned to the
 *	right
 */
struct table *table_new(const char *headings);
/* Adds the next cell, row by row. */
__attribute__((format(printf, 2, 3)))
void table_cell(struct table *table, const char *format, ...);
/*
 * Adds the next cells: the format has a '|' between two. Arguments have no control
 * characters but those that are escaped.
 */
__attribute__((format(printf, 2, 3)))
void table_row(struct table *table, const char *format, ...);
/* Adds a kernel's name as in its source, without parameters. */
void table_kernel(struct table *table, const char *name);
/* Adds a ratio with @places decimals, rounded; "-" if it is not known. */
void table_ppm(struct table *table, bool known, u64 value_ppm,
	       unsigned int places);
/* Adds a predicted NP, with a '~' before it if @doubts, SIMGPU_DOUBT_*, say that it may be wrong. */
void table_np(struct table *table, bool known, u64 np_ppm, u32 doubts);
/* Adds a decimal, or "-" if it is not known. */
void table_decimal(struct table *table, bool known, double value,
		   unsigned int places);
/* Adds "LOW-HIGH", or "-". */
void table_interval(struct table *table, bool known,
		    const struct interval *interval);
/*
 * Writes the table, and frees it. A table wider than 80 letters is written in parts, one
 * below the other; with --wide it is written in one.
 */
void table_write(struct table *table, FILE *out);
/* Writes the table to standard output, and frees it. */
void table_print(struct table *table);
void table_free(struct table *table);

/* Prints a paragraph, in lines of at most 80 letters unless --wide is given. */
__attribute__((format(printf, 1, 2)))
void print_paragraph(const char *format, ...);

#endif /* SIMGPU_OUTPUT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Tables, paragraphs and CSV. */
#ifndef SIMGPU_TABLE_H
#define SIMGPU_TABLE_H

#include "output.h"

/* Writes a field of CSV: a comma and a ratio; the ratio is left out if it is not known. */
void csv_ppm(FILE *file, bool known, u64 value_ppm);

/* Writes a field of CSV: a comma and a decimal, which is left out if it is not known. */
void csv_decimal(FILE *file, bool known, double value);

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

#endif /* SIMGPU_TABLE_H */

// SPDX-License-Identifier: GPL-2.0
/* Tables for people, and fields of CSV; see output.h. */
/* For vasprintf. */
#define _GNU_SOURCE
#include <stdarg.h>

#include "demangle.h"
#include "output.h"

#define COLUMNS_MAX	16

/**
 * struct table - cells row by row, the headings first
 * @right: columns that are aligned to the right
 */
struct table {
	u32 columns;
	bool right[COLUMNS_MAX];
	size_t count;
	size_t room;
	char **cells;
};

static void add_cell(struct table *table, char *cell)
{
	if (table->count == table->room) {
		table->room = table->room ? table->room * 2 : 64;
		table->cells = realloc(table->cells,
				       table->room * sizeof(*table->cells));
	}
	if (!cell || !table->cells) {
		fputs("simgpu: out of memory\n", stderr);
		exit(STATUS_FAILED);
	}
	table->cells[table->count++] = cell;
}

struct table *table_new(const char *headings)
{
	struct table *table = calloc(1, sizeof(*table));
	size_t length;

	while (table && *headings && table->columns < COLUMNS_MAX) {
		table->right[table->columns] = *headings == '>';
		headings += *headings == '>';
		length = strcspn(headings, "|");
		add_cell(table, strndup(headings, length));
		table->columns++;
		headings += length + (headings[length] == '|');
	}
	return table;
}

void table_cell(struct table *table, const char *format, ...)
{
	va_list arguments;
	char *cell = NULL;

	va_start(arguments, format);
	if (vasprintf(&cell, format, arguments) < 0)
		cell = NULL;
	va_end(arguments);
	add_cell(table, cell);
}

void table_ppm(struct table *table, bool known, u64 value_ppm,
	       unsigned int places)
{
	if (known)
		table_cell(table, "%.*f", (int)places,
			   (double)value_ppm / SIMGPU_PPM);
	else
		table_cell(table, "-");
}

void table_kernel(struct table *table, const char *name)
{
	add_cell(table, demangle_short(name));
}

static void write_row(const struct table *table, size_t first,
		      const size_t *width, FILE *out)
{
	u32 column;

	for (column = 0; column < table->columns; column++) {
		const char *cell = table->cells[first + column];
		int room = (int)width[column];

		if (table->right[column])
			fprintf(out, "%*s", room, cell);
		else if (column + 1 < table->columns)
			fprintf(out, "%-*s", room, cell);
		else
			fputs(cell, out);
		fputs(column + 1 < table->columns ? "  " : "\n", out);
	}
}

void table_free(struct table *table)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table);
}

void table_write(struct table *table, FILE *out)
{
	size_t width[COLUMNS_MAX] = { 0 }, i;

	for (i = 0; i < table->count; i++) {
		size_t length = strlen(table->cells[i]);
		size_t *room = &width[i % table->columns];

		if (length > *room)
			*room = length;
	}
	for (i = 0; i + table->columns <= table->count; i += table->columns)
		write_row(table, i, width, out);
	table_free(table);
}

void table_print(struct table *table)
{
	table_write(table, stdout);
}

void csv_ppm(FILE *file, bool known, u64 value_ppm)
{
	if (known)
		fprintf(file, ",%llu.%06llu", value_ppm / SIMGPU_PPM,
			value_ppm % SIMGPU_PPM);
	else
		fputc(',', file);
}

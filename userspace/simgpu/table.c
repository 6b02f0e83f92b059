// SPDX-License-Identifier: GPL-2.0
/* Tables for people, and fields of CSV; see output.h. */
/* For vasprintf. */
#define _GNU_SOURCE
#include <stdarg.h>

#include "demangle.h"
#include "output.h"
#include "table.h"

#define COLUMNS_MAX	16
/* Between two cells of a row that is being made. */
#define CELL_END	'\x1f'
#define CELL_ENDS	"\x1f"
/* Letters of a line, without --wide */
#define LINE_MAX_LETTERS	80
/* Least letters for a column of words */
#define WORDS_LEAST	20

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
	add_cell(table, cell ? escape_controls(cell) : NULL);
	free(cell);
}

void table_row(struct table *table, const char *format, ...)
{
	char *cells = strdup(format), *text = NULL, *rest, *cell;
	va_list arguments;

	for (rest = cells; rest && (rest = strchr(rest, '|')); )
		*rest++ = CELL_END;
	va_start(arguments, format);
	if (!cells || vasprintf(&text, cells, arguments) < 0)
		text = NULL;
	va_end(arguments);
	rest = text;
	do
		add_cell(table, (cell = strsep(&rest, CELL_ENDS)) ? escape_controls(cell) : NULL);
	while (rest);
	free(cells);
	free(text);
}

void table_decimal(struct table *table, bool known, double value,
		   unsigned int places)
{
	if (known)
		table_cell(table, "%.*f", (int)places, value);
	else
		table_cell(table, "-");
}

void table_ppm(struct table *table, bool known, u64 value_ppm,
	       unsigned int places)
{
	table_decimal(table, known, (double)value_ppm / SIMGPU_PPM, places);
}

void table_np(struct table *table, bool known, u64 np_ppm, u32 doubts)
{
	if (known)
		table_cell(table, "%s%.3f", doubts ? "~" : "",
			   (double)np_ppm / SIMGPU_PPM);
	else
		table_cell(table, "-");
}

void table_interval(struct table *table, bool known,
		    const struct interval *interval)
{
	if (known)
		table_cell(table, "%.3f-%.3f", interval->low, interval->high);
	else
		table_cell(table, "-");
}

void table_kernel(struct table *table, const char *name)
{
	add_cell(table, demangle_short(name));
}

/* How many letters of a text fit on a line: whole words, unless the first is too long. */
static size_t words_that_fit(const char *text, size_t room)
{
	size_t length = strlen(text), cut;

	if (length <= room)
		return length;
	for (cut = room; cut && text[cut] != ' '; cut--)
		;
	return cut ? cut : strcspn(text, " ");
}

/* Write words over as many lines as needed; @indent: of all lines but the first. */
static void write_words(FILE *out, const char *text, size_t room, size_t indent)
{
	size_t length = words_that_fit(text, room);

	fprintf(out, "%.*s\n", (int)length, text);
	for (text += length; *text == ' '; text += length) {
		text++;
		length = words_that_fit(text, room);
		fprintf(out, "%*s%.*s\n", (int)indent, "", (int)length, text);
	}
}

/**
 * struct layout - how a table is written
 * @width: width of each column
 * @gap: letters between two columns
 * @room: letters for the last column's words
 */
struct layout {
	size_t width[COLUMNS_MAX];
	size_t gap;
	size_t room;
};

/* Write the first column, and the columns from @first to before @end. */
static void write_row(const struct table *table, const struct layout *layout,
		      char *const *cells, u32 first, u32 end, FILE *out)
{
	size_t indent = 0;
	u32 column;

	for (column = 0; column < end; column++) {
		int room = (int)layout->width[column];

		if (column && column < first)
			continue;
		if (table->right[column])
			fprintf(out, "%*s", room, cells[column]);
		else if (column + 1 < end)
			fprintf(out, "%-*s", room, cells[column]);
		else
			write_words(out, cells[column], layout->room, indent);
		indent += layout->width[column] + layout->gap;
		if (column + 1 < end)
			fprintf(out, "%*s", (int)layout->gap, "");
		else if (table->right[column])
			fputc('\n', out);
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

static size_t width_of(const struct layout *layout, u32 columns)
{
	size_t width = 0;
	u32 i;

	for (i = 0; i < columns; i++)
		width += layout->width[i] + (i ? layout->gap : 0);
	return width;
}

/* The end of the columns from @first on that fit on a line behind the first column */
static u32 columns_that_fit(const struct table *table,
			    const struct layout *layout, u32 first)
{
	size_t width = layout->width[0];
	u32 end = first;

	if (tables_are_wide)
		return table->columns;
	while (end < table->columns) {
		width += layout->width[end] + layout->gap;
		if (width > LINE_MAX_LETTERS && end > first)
			break;
		end++;
	}
	return end;
}

/* If the table is too wide, break the last column's words; if that cannot help, narrow gaps. */
static void choose_layout(const struct table *table, struct layout *layout)
{
	u32 last = table->columns - 1;
	size_t others, i;

	for (i = 0; i < table->count; i++) {
		size_t length = strlen(table->cells[i]);
		size_t *width = &layout->width[i % table->columns];

		if (length > *width)
			*width = length;
	}
	layout->gap = 2;
	layout->room = SIZE_MAX;
	if (tables_are_wide ||
	    width_of(layout, table->columns) <= LINE_MAX_LETTERS)
		return;
	others = width_of(layout, last) + layout->gap;
	if (!table->right[last] && others + WORDS_LEAST <= LINE_MAX_LETTERS) {
		layout->room = LINE_MAX_LETTERS - others;
		layout->width[last] = layout->room;
		return;
	}
	layout->gap = 1;
}

/* Columns that do not fit follow below, behind the first column again. */
void table_write(struct table *table, FILE *out)
{
	struct layout layout = { .gap = 0 };
	u32 first, end;
	size_t i;

	choose_layout(table, &layout);
	for (first = 1; first <= table->columns; first = end) {
		end = columns_that_fit(table, &layout, first);
		if (first > 1)
			fputc('\n', out);
		for (i = 0; i + table->columns <= table->count; i += table->columns)
			write_row(table, &layout, &table->cells[i], first, end,
				  out);
		if (end == table->columns)
			break;
	}
	table_free(table);
}

void table_print(struct table *table)
{
	table_write(table, stdout);
}

void print_paragraph(const char *format, ...)
{
	char *text = NULL, *escaped;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	escaped = text ? escape_controls(text) : NULL;
	if (escaped)
		write_words(stdout, escaped, tables_are_wide ? SIZE_MAX :
			    LINE_MAX_LETTERS - 1, 0);
	free(escaped);
	free(text);
}

void csv_ppm(FILE *file, bool known, u64 value_ppm)
{
	if (known)
		fprintf(file, ",%llu.%06llu", value_ppm / SIMGPU_PPM,
			value_ppm % SIMGPU_PPM);
	else
		fputc(',', file);
}

void csv_decimal(FILE *file, bool known, double value)
{
	if (known)
		fprintf(file, ",%.6f", value);
	else
		fputc(',', file);
}

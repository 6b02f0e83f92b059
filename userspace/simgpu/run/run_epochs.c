// SPDX-License-Identifier: GPL-2.0
/* The epochs of a run as a table; consecutive epochs that are alike share a row. */
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "run.h"
#include "run_epochs.h"

/* Figures are alike if they differ by at most 1 / this, or look the same in the table. */
#define ALIKE_PART	50
#define LABEL_LETTERS	12
/* Below this part of the peak bandwidth, the row buffer hit rate means little. */
#define IDLE_PPM	10000

/** struct column - a figure of an epoch, NP first; @places: decimals in the table */
static const struct column {
	size_t offset;
	unsigned int places;
} columns[] = {
	{ offsetof(struct simgpu_epoch_record, np_ppm), 3 },
	{ offsetof(struct simgpu_epoch_record, ipc_ppm), 1 },
	{ offsetof(struct simgpu_epoch_record, rbh_ppm), 3 },
	{ offsetof(struct simgpu_epoch_record, bandwidth_ppm), 3 },
	{ offsetof(struct simgpu_epoch_record, llc_mpki_ppm), 2 },
};

static u64 figure_of(const struct result_epoch *epoch, size_t column)
{
	return *(const u64 *)((const char *)&epoch->record +
			      columns[column].offset);
}

/* The value of the last decimal that is shown. */
static u64 unit_of(size_t column)
{
	u64 unit = SIMGPU_PPM;
	unsigned int i;

	for (i = 0; i < columns[column].places; i++)
		unit /= 10;
	return unit;
}

static bool is_near(u64 a, u64 b, size_t column)
{
	u64 apart = a > b ? a - b : b - a;

	return apart <= a / ALIKE_PART || apart <= unit_of(column);
}

/* Whether a tenant's state is the same in two epochs, and its figures are near. */
static bool is_alike(const struct result_epoch *a, const struct result_epoch *b)
{
	const struct simgpu_epoch_record *x = &a->record, *y = &b->record;
	size_t i;

	if (a->tenant != b->tenant || x->class != y->class ||
	    x->sms != y->sms || x->sms_next != y->sms_next ||
	    x->flags != y->flags || x->np_doubts != y->np_doubts)
		return false;
	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		/* With hardly any accesses, the row buffer hit rate is chance. */
		if (columns[i].offset == offsetof(typeof(*x), rbh_ppm) &&
		    x->bandwidth_ppm < IDLE_PPM && y->bandwidth_ppm < IDLE_PPM)
			continue;
		if (!is_near(figure_of(a, i), figure_of(b, i), i))
			return false;
	}
	return true;
}

/* The number of rows of the epoch that begins at @first. */
static size_t rows_of(const struct result *result, size_t first)
{
	size_t end = first;

	while (end < result->epoch_count &&
	       result->epochs[end].record.epoch ==
	       result->epochs[first].record.epoch)
		end++;
	return end - first;
}

/* How many epochs from @first on are alike; each has @rows rows. */
static size_t count_alike(const struct result *result, size_t first, size_t rows)
{
	size_t count = 1, i;

	for (;; count++) {
		size_t next = first + count * rows;

		if (next >= result->epoch_count || rows_of(result, next) != rows)
			return count;
		for (i = 0; i < rows; i++)
			if (!is_alike(&result->epochs[first + i],
				      &result->epochs[next + i]))
				return count;
	}
}

static u64 mean_of(const struct result_epoch *first, size_t rows, size_t count,
		   size_t column)
{
	u64 sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum = fixed_add(sum, figure_of(&first[i * rows], column));
	return sum / count;
}

/* Adds a row for a tenant in @count epochs, each of @rows rows. */
static void add_row(struct table *table, const struct result *result,
		    const struct result_epoch *first, size_t rows, size_t count)
{
	const struct simgpu_epoch_record *record = &first->record;
	const struct simgpu_epoch_record *last =
		&first[(count - 1) * rows].record;
	const struct result_tenant *tenant = &result->tenants[first->tenant];
	bool fell_back = record->flags & SIMGPU_EPOCH_FELL_BACK;
	size_t i;

	if (count > 1)
		table_cell(table, "%llu-%llu", record->epoch, last->epoch);
	else
		table_cell(table, "%llu", record->epoch);
	table_row(table, "%llu|%u:%.*s|%s|%u|%s%u", (u64)last->end_cycle, record->slot,
		  LABEL_LETTERS, tenant->options.name, class_name(record->class),
		  record->sms, fell_back ? "!" : "", record->sms_next);
	table_np(table, record->class != SIMGPU_CLASSIFIED_UNKNOWN,
		 mean_of(first, rows, count, 0), record->np_doubts);
	for (i = 1; i < ARRAY_SIZE(columns); i++)
		table_ppm(table, true, mean_of(first, rows, count, i),
			  columns[i].places);
}

void print_epochs(const struct result *result)
{
	struct table *table = table_new(
		">EPOCH|>UNTIL|TENANT|CLASS|>SMS|>NEXT|>NP|>IPC|>RBH|>BANDW.|>MPKI");
	size_t first, rows, count, i;
	bool folded = false;

	for (first = 0; first < result->epoch_count; first += rows * count) {
		rows = rows_of(result, first);
		count = count_alike(result, first, rows);
		folded |= count > 1;
		for (i = 0; i < rows; i++)
			add_row(table, result, &result->epochs[first + i], rows,
				count);
	}
	putchar('\n');
	table_print(table);
	if (folded)
		puts("\nEpochs in a row that are within 2% of the first one are one line, with means.");
}

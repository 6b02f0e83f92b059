// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the runs of a sweep from its sweep.csv, where each tenant of a run has a row, and
 * makes the figures of each run, as the sweep made them for its means.
 */
#include "../output.h"
#include "../sweep/sweep.h"
#include "plot_points.h"

/* Columns of sweep.csv that are read. Later versions may have more columns, or others between. */
enum column {
	COLUMN_POLICY,
	COLUMN_SLOT,
	COLUMN_NP,
	COLUMN_ERROR,
	COLUMN_REFUSED,
	COLUMNS
};

static const char *const headings[COLUMNS] = {
	"policy", "slot", "np_actual", "error", "refused"
};

/**
 * struct reader - a file that is read
 * @line: number of the line that is read, from 1 on
 * @columns: number of columns in the first line
 * @at: place of each column that is needed
 * @runs: runs that have begun
 * @policy: of the run that is read
 * @refused: the run that is read was refused
 * @tenants: tenants of that run so far
 * @nps: NPs of those that have one, in ppm; @np_count of them
 */
struct reader {
	const char *path;
	struct json_object *policies;
	struct plot_points *out;
	unsigned int line;
	u32 columns;
	u32 at[COLUMNS];
	u64 runs;
	size_t policy;
	bool refused;
	u64 tenants;
	u64 nps[MIX_TENANTS_MAX];
	u32 np_count;
};

static void add_point(struct reader *reader, enum plot_figure figure, u64 ppm)
{
	struct plot_points *out = reader->out;

	/* grow() is called for every 1024th point. */
	if (out->count % 1024 == 0)
		out->points = grow(out->points, out->count + 1024, sizeof(*out->points));
	out->points[out->count++] = (struct plot_point) {
		.policy = reader->policy, .figure = figure,
		.value = (double)ppm / SIMGPU_PPM,
	};
}

/* All tenants of a run have been read. */
static void end_run(struct reader *reader)
{
	struct metrics metrics;

	if (!reader->tenants || reader->refused)
		return;
	metrics_compute(reader->nps, reader->np_count, &metrics);
	add_point(reader, PLOT_FAIRNESS, metrics.fairness_ppm);
	add_point(reader, PLOT_STP, metrics.stp_ppm);
	/* It is infinite if a tenant starved. */
	if (metrics.antt_ppm)
		add_point(reader, PLOT_ANTT, metrics.antt_ppm);
}

static int not_a_row(const struct reader *reader)
{
	return fail("%s: line %u is no row of a sweep.csv", reader->path, reader->line);
}

static int read_headings(struct reader *reader, char *line)
{
	u32 found = 0, i;
	char *field;

	for (; (field = strsep(&line, ",")); reader->columns++)
		for (i = 0; i < COLUMNS; i++)
			if (!strcmp(field, headings[i])) {
				reader->at[i] = reader->columns;
				found |= 1U << i;
			}
	for (i = 0; i < COLUMNS; i++)
		if (!(found & 1U << i))
			return fail("%s: there is no column \"%s\"; is it the sweep.csv of simgpu sweep --out?",
				    reader->path, headings[i]);
	return STATUS_OK;
}

static int begin_run(struct reader *reader, const char *policy)
{
	size_t count = json_object_array_length(reader->policies), i;

	for (i = 0; i < count; i++) {
		struct json_object *it = json_object_array_get_idx(reader->policies, i);

		if (!strcmp(json_object_get_string(json_object_object_get(it, "policy")), policy))
			break;
	}
	if (i == count)
		return fail("%s: line %u: the sweep has no policy %s", reader->path,
			    reader->line, policy);
	reader->policy = i;
	reader->refused = false;
	reader->tenants = 0;
	reader->np_count = 0;
	reader->runs++;
	return STATUS_OK;
}

/* The row of a tenant; the one in slot 0 begins another run. */
static int read_tenant(struct reader *reader, const char *const *field)
{
	u64 slot, ppm;

	if (!parse_number(field[COLUMN_SLOT], 0, MIX_TENANTS_MAX - 1, &slot))
		return not_a_row(reader);
	if (!slot) {
		end_run(reader);
		if (begin_run(reader, field[COLUMN_POLICY]))
			return STATUS_FAILED;
	} else if (slot != reader->tenants) {
		return not_a_row(reader);
	}
	reader->tenants++;
	reader->refused |= *field[COLUMN_REFUSED] != '\0';
	if (*field[COLUMN_NP]) {
		if (!parse_ppm(field[COLUMN_NP], &ppm))
			return not_a_row(reader);
		reader->nps[reader->np_count++] = ppm;
	}
	if (*field[COLUMN_ERROR]) {
		if (!parse_ppm(field[COLUMN_ERROR], &ppm))
			return not_a_row(reader);
		add_point(reader, PLOT_ERROR, ppm);
	}
	return STATUS_OK;
}

static int read_row(struct reader *reader, char *line)
{
	const char *fields[COLUMNS];
	u32 count = 0, i;
	char *field;

	for (; (field = strsep(&line, ",")); count++)
		for (i = 0; i < COLUMNS; i++)
			if (reader->at[i] == count)
				fields[i] = field;
	return count == reader->columns ? read_tenant(reader, fields) : not_a_row(reader);
}

static int read_lines(struct reader *reader, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	int ret = STATUS_OK;
	ssize_t length;

	while (!ret && (length = getline(&line, &room, file)) >= 0) {
		if (length && line[length - 1] == '\n')
			line[length - 1] = '\0';
		reader->line++;
		ret = reader->line == 1 ? read_headings(reader, line) :
					  read_row(reader, line);
	}
	if (!ret && ferror(file))
		ret = fail("%s: %s", reader->path, strerror(errno));
	else if (!ret && !reader->line)
		ret = fail("%s: the file is empty", reader->path);
	free(line);
	return ret;
}

int plot_points_read(const char *path, struct json_object *sweep, struct plot_points *out)
{
	struct reader reader = {
		.path = path, .out = out,
		.policies = json_object_object_get(sweep, "policies"),
	};
	u64 made = json_object_get_uint64(json_object_object_get(sweep, "runs_made"));
	FILE *file = fopen(path, "r");
	int ret;

	if (!file)
		return fail("%s: %s", path, strerror(errno));
	ret = read_lines(&reader, file);
	fclose(file);
	if (ret)
		return ret;
	end_run(&reader);
	if (reader.runs != made)
		return fail("%s: it has %llu runs, and the sweep %llu: they are of different sweeps",
			    path, reader.runs, made);
	return STATUS_OK;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu plot of a sweep: a panel for each figure, in it a bar for each policy, with its
 * 95% interval and, if they were given, its single runs as points. A policy has the same
 * colour in all panels.
 */
#include "../colour.h"
#include "../gnuplot.h"
#include "../output.h"
#include "plot_points.h"
#include "plot_sweep.h"

#define WIDTH_LEAST	960
/* What a policy needs in a panel, so that its name is not drawn over the next one, in pixels. */
#define WIDTH_POLICY	36
/* What stands to the left of the bars of a panel, in pixels. */
#define WIDTH_AXIS	80
/* A letter, in pixels. */
#define WIDTH_LETTER	7
/* Letters to the right of a panel, at least: names slope down into this margin. */
#define MARGIN_LEAST	11
#define HEIGHT		720
#define TITLE_MAX	256
#define LENGTH_MAX	32
#define LABEL_MAX	128
/* How wide a bar is; the distance between two is 1. */
#define BAR		0.7

/* An interval of a figure, which a sweep may have or not: over what it is, and its key. */
enum interval_kind {
	INTERVAL_PROGRAMS,
	INTERVAL_SEEDS,
	INTERVALS
};

static const char *const interval_names[INTERVALS + 1] = {
	"; black lines: 95% intervals over programs",
	"; black lines: 95% intervals over seeds",
	"; without intervals",
};

/**
 * struct panel - a figure of the policies
 * @mean: its key in a policy's summary
 * @intervals: keys of its intervals; NULL: sweeps of that kind have none
 * @label: what stands at its axis
 * @scale: the axis has the figure times this
 */
struct panel {
	const char *mean;
	const char *intervals[INTERVALS];
	const char *label;
	double scale;
};

/**
 * struct picture - what is drawn of a kind of sweep
 * @panels: its figures, from the left to the right and from the top down
 * @has_points: the sweep's file has a figure of each run, which may be drawn, too; then
 *	the panels stand in the order of &enum plot_figure
 */
struct picture {
	struct panel panels[PLOT_FIGURES];
	bool has_points;
};

static const struct picture pictures[] = {
	/* Mixes of programs. */
	{ { [PLOT_FAIRNESS] = { "fairness", { "fairness_interval", "fairness_ci95" },
			"fairness: least over greatest NP", 1 },
	    [PLOT_STP] = { "stp", { "stp_interval", "stp_ci95" }, "STP: the sum of NPs", 1 },
	    [PLOT_ANTT] = { "antt", { "antt_interval", "antt_ci95" },
			"ANTT: the mean of 1 / NP", 1 },
	    [PLOT_ERROR] = { "error_mean", { "error_interval", "error_mean_ci95" },
			"mean error of predicted NP, %", 100 } }, true },
	/* Services beside best-effort programs. */
	{ { { "p99_us", { NULL }, "P99 of the requests' latency, us", 1 },
	    { "p99_over_alone", { NULL }, "P99 over that of the service alone", 1 },
	    { "goodput", { NULL }, "requests within their deadline, %", 100 },
	    { "best_effort", { NULL }, "best-effort work, % of that alone", 100 } }, false },
	/* Sets of programs that run to their ends. */
	{ { { "cycles_mean", { NULL }, "until all have ended, M cycles", 1e-6 },
	    { "gain_over_sequential", { NULL }, "gain over sequential, %", 100 },
	    { "gain_over_concurrent", { NULL }, "gain over concurrent, %", 100 },
	    { "estimate_error_mean", { NULL }, "mean error of the plan's estimate, %", 100 } }, false },
};

#define BARS	"plot $bars using 1:2:(%g):5 with boxes linecolor rgb variable notitle"
/* Points have a white rim, so that they are seen on bars of all colours and on lines. */
#define DOTS	", $dots using 1:2 with points pointtype 7 pointsize 0.55 linecolor rgb 'white' notitle" \
	", $dots using 1:2 with points pointtype 7 pointsize 0.4 linecolor rgb '#404040' notitle"
#define LINES	", $bars using 1:3:(0):($4-$3) with vectors heads size graph 0.015,90 linecolor rgb 'black' linewidth 1.5 notitle"

static bool is_number(struct json_object *value)
{
	return json_object_is_type(value, json_type_double) ||
	       json_object_is_type(value, json_type_int);
}

static size_t policy_count(struct json_object *sweep)
{
	return json_object_array_length(json_object_object_get(sweep, "policies"));
}

static struct json_object *policy_at(struct json_object *sweep, size_t index)
{
	return json_object_array_get_idx(json_object_object_get(sweep, "policies"), index);
}

static struct json_object *interval_of(struct json_object *policy,
				       const struct panel *panel, enum interval_kind kind)
{
	return kind == INTERVALS || !panel->intervals[kind] ? NULL :
	       json_object_object_get(policy, panel->intervals[kind]);
}

/* --- what is drawn --- */

static bool has_figure(struct json_object *sweep, const struct picture *picture)
{
	size_t i, j;

	for (i = 0; i < policy_count(sweep); i++)
		for (j = 0; j < PLOT_FIGURES; j++)
			if (json_object_object_get(policy_at(sweep, i), picture->panels[j].mean))
				return true;
	return false;
}

/* The picture of the sweep's kind, which its figures tell; NULL: it has no figure. */
static const struct picture *picture_of(struct json_object *sweep)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pictures); i++)
		if (has_figure(sweep, &pictures[i]))
			return &pictures[i];
	return NULL;
}

static int check_interval(struct json_object *policy, const char *key)
{
	struct json_object *ends = key ? json_object_object_get(policy, key) : NULL;

	if (!ends || (json_object_is_type(ends, json_type_array) &&
		      json_object_array_length(ends) == 2 &&
		      is_number(json_object_array_get_idx(ends, 0)) &&
		      is_number(json_object_array_get_idx(ends, 1))))
		return STATUS_OK;
	return fail("the sweep's policy %s: \"%s\" is no pair of numbers",
		    json_object_get_string(json_object_object_get(policy, "policy")), key);
}

static int check_figure(struct json_object *policy, const struct panel *panel)
{
	struct json_object *mean = json_object_object_get(policy, panel->mean);
	int ret = STATUS_OK;
	u32 i;

	if (mean && !is_number(mean))
		return fail("the sweep's policy %s: \"%s\" is no number",
			    json_object_get_string(json_object_object_get(policy, "policy")),
			    panel->mean);
	for (i = 0; !ret && i < INTERVALS; i++)
		ret = check_interval(policy, panel->intervals[i]);
	return ret;
}

/* Whether each policy is an object with a name. */
static int check_policies(struct json_object *sweep)
{
	size_t i;

	for (i = 0; i < policy_count(sweep); i++) {
		struct json_object *policy = policy_at(sweep, i);

		if (!json_object_is_type(policy, json_type_object) ||
		    !json_object_is_type(json_object_object_get(policy, "policy"),
					 json_type_string))
			return fail("the sweep's policies[%zu] has no name, \"policy\"", i);
	}
	return STATUS_OK;
}

int plot_sweep_check(struct json_object *sweep, bool points)
{
	struct json_object *policies = json_object_object_get(sweep, "policies");
	const struct picture *picture;
	size_t i, j;

	if (!json_object_is_type(policies, json_type_array) ||
	    !json_object_array_length(policies))
		return fail("the sweep has no policies");
	if (!json_object_is_type(json_object_object_get(sweep, "suite"), json_type_string) ||
	    !json_object_is_type(json_object_object_get(sweep, "config"), json_type_string))
		return fail("the sweep has no \"suite\" or no \"config\"; is it of simgpu sweep --json?");
	if (check_policies(sweep))
		return STATUS_FAILED;
	picture = picture_of(sweep);
	if (!picture)
		return fail("no policy of the sweep has a fairness, STP, ANTT or error, nor a figure of services or of sets of programs");
	if (points && !picture->has_points)
		return fail("--points is for sweeps of mixes, and this one is of services or of sets of programs");
	for (i = 0; i < policy_count(sweep); i++)
		for (j = 0; j < PLOT_FIGURES; j++)
			if (check_figure(policy_at(sweep, i), &picture->panels[j]))
				return STATUS_FAILED;
	return STATUS_OK;
}

/* One kind for the whole picture, so that intervals can be compared: the first that there is. */
static enum interval_kind choose_interval(struct json_object *sweep, const struct picture *picture)
{
	u32 kind;
	size_t i, j;

	for (kind = 0; kind < INTERVALS; kind++)
		for (i = 0; i < policy_count(sweep); i++)
			for (j = 0; j < PLOT_FIGURES; j++)
				if (interval_of(policy_at(sweep, i), &picture->panels[j], kind))
					return kind;
	return INTERVALS;
}

/* --- bars and points --- */

/* The mean and its interval, which is the mean alone where the sweep has none. */
static void write_bar(FILE *gnuplot, struct json_object *policy, size_t index,
		      const struct panel *panel, enum interval_kind kind)
{
	struct json_object *ends = interval_of(policy, panel, kind);
	double mean = json_object_get_double(json_object_object_get(policy, panel->mean));
	double low = ends ? json_object_get_double(json_object_array_get_idx(ends, 0)) : mean;
	double high = ends ? json_object_get_double(json_object_array_get_idx(ends, 1)) : mean;

	fprintf(gnuplot, "%zu %.6f %.6f %.6f %u\n", index, mean * panel->scale,
		low * panel->scale, high * panel->scale, tenant_colour((u32)index));
}

/* Writes the bars; where a policy has no figure, it says so in the bar's place. */
static size_t write_bars(FILE *gnuplot, struct json_object *sweep,
			 const struct panel *panel, enum interval_kind kind)
{
	size_t bars = 0, i;

	fputs("$bars << EOD\n", gnuplot);
	for (i = 0; i < policy_count(sweep); i++) {
		if (!json_object_object_get(policy_at(sweep, i), panel->mean))
			continue;
		write_bar(gnuplot, policy_at(sweep, i), i, panel, kind);
		bars++;
	}
	fputs("EOD\n", gnuplot);
	for (i = 0; bars && i < policy_count(sweep); i++)
		if (!json_object_object_get(policy_at(sweep, i), panel->mean))
			fprintf(gnuplot, "set label 'no figure' at first %zu,graph 0.02 rotate by 90 left\n",
				i);
	return bars;
}

static size_t count_points(const struct plot_points *points, size_t policy,
			   enum plot_figure figure)
{
	size_t count = 0, i;

	for (i = 0; i < points->count; i++)
		count += points->points[i].policy == policy &&
			 points->points[i].figure == figure;
	return count;
}

/* Writes the points, those of a policy beside one another over the width of its bar. */
static size_t write_points(FILE *gnuplot, struct json_object *sweep,
			   const struct plot_points *points, enum plot_figure figure,
			   double scale)
{
	size_t all = 0, policy, i;

	fputs("$dots << EOD\n", gnuplot);
	for (policy = 0; policy < policy_count(sweep); policy++) {
		size_t count = count_points(points, policy, figure), at = 0;

		for (i = 0; i < points->count; i++) {
			const struct plot_point *point = &points->points[i];

			if (point->policy != policy || point->figure != figure)
				continue;
			fprintf(gnuplot, "%.4f %.6f\n", (double)policy +
				BAR * (((double)at++ + 0.5) / (double)count - 0.5),
				point->value * scale);
		}
		all += count;
	}
	fputs("EOD\n", gnuplot);
	return all;
}

/* Whether a bar goes down from 0, as a gain does where a policy takes longer. */
static bool has_negative(struct json_object *sweep, const struct panel *panel)
{
	size_t i;

	for (i = 0; i < policy_count(sweep); i++)
		if (json_object_get_double(json_object_object_get(policy_at(sweep, i),
								  panel->mean)) < 0)
			return true;
	return false;
}

/* A panel says so where no policy has its figure. */
static void draw_panel(FILE *gnuplot, struct json_object *sweep,
		       const struct plot_points *points, const struct picture *picture,
		       enum plot_figure figure, enum interval_kind kind)
{
	const struct panel *panel = &picture->panels[figure];
	size_t bars = write_bars(gnuplot, sweep, panel, kind);
	size_t dots = write_points(gnuplot, sweep, points, figure, panel->scale);

	fputs("set ylabel ", gnuplot);
	gnuplot_quote(gnuplot, panel->label);
	if (bars) {
		fputs(has_negative(sweep, panel) ?
		      "\nset yrange [*:*]\nset offsets 0, 0, graph 0.05, graph 0.05\nset xzeroaxis linetype -1\n" :
		      "\nset yrange [0:*]\nset offsets 0, 0, graph 0.05, 0\nunset xzeroaxis\n", gnuplot);
		fprintf(gnuplot, BARS, BAR);
		fputs(LINES, gnuplot);
		fputs(dots ? DOTS "\n" : "\n", gnuplot);
	} else {
		fputs("\nset label 'no policy has it' at graph 0.5,0.5 center\n"
		      "set yrange [0:1]\nplot -1 notitle\n", gnuplot);
	}
	fputs("unset label\n", gnuplot);
}

/* --- the picture --- */

/* A policy's name, and how many of its runs are in no mean. */
static void make_label(struct json_object *policy, char label[LABEL_MAX])
{
	const char *name = json_object_get_string(json_object_object_get(policy, "policy"));
	int refused = json_object_get_int(json_object_object_get(policy, "refused"));

	if (refused)
		snprintf(label, LABEL_MAX, "%s, %d refused", name, refused);
	else
		snprintf(label, LABEL_MAX, "%s", name);
}

/* Letters to the right of a panel, for the name that goes farthest; names slope by 25 degrees. */
static unsigned int margin_of(struct json_object *sweep)
{
	size_t count = policy_count(sweep), most = MARGIN_LEAST, i;

	for (i = 0; i < count; i++) {
		size_t before = (count - 1 - i) * WIDTH_POLICY / WIDTH_LETTER, letters;
		char label[LABEL_MAX];

		make_label(policy_at(sweep, i), label);
		letters = strlen(label) * 9 / 10;
		if (letters > before + most)
			most = letters - before;
	}
	return (unsigned int)most;
}

static void write_names(FILE *gnuplot, struct json_object *sweep)
{
	size_t i;

	fputs("set xlabel 'policy@model' noenhanced\nset xtics rotate by -25 noenhanced (", gnuplot);
	for (i = 0; i < policy_count(sweep); i++) {
		char label[LABEL_MAX];

		make_label(policy_at(sweep, i), label);
		fputs(i ? ", " : "", gnuplot);
		gnuplot_quote(gnuplot, label);
		fprintf(gnuplot, " %zu", i);
	}
	fprintf(gnuplot, ")\nset xrange [-0.6:%zu.6]\n", policy_count(sweep) - 1);
}

static void write_title(FILE *gnuplot, struct json_object *sweep,
			const struct plot_points *points, enum interval_kind kind,
			const char *title)
{
	char made[TITLE_MAX], length[LENGTH_MAX] = "";

	if (!title) {
		/* Sets of programs run until all have ended. */
		if (json_object_object_get(sweep, "cycles"))
			snprintf(length, sizeof(length), "%lld cycles, ",
				 (long long)json_object_get_int64(json_object_object_get(sweep, "cycles")));
		snprintf(made, sizeof(made), "%s on %s, %s%lld runs%s%s",
			 json_object_get_string(json_object_object_get(sweep, "suite")),
			 json_object_get_string(json_object_object_get(sweep, "config")), length,
			 (long long)json_object_get_int64(json_object_object_get(sweep, "runs")),
			 interval_names[kind],
			 points->count ? "; points: runs (of errors: tenants)" : "");
		title = made;
	}
	fputs("set multiplot layout 2,2 title ", gnuplot);
	gnuplot_quote(gnuplot, title);
	fputs(" noenhanced\n", gnuplot);
}

static unsigned int width_of(struct json_object *sweep)
{
	unsigned int panel = (unsigned int)policy_count(sweep) * WIDTH_POLICY + WIDTH_AXIS +
			     margin_of(sweep) * WIDTH_LETTER;

	return 2 * panel > WIDTH_LEAST ? 2 * panel : WIDTH_LEAST;
}

int plot_sweep(struct json_object *sweep, const struct plot_points *points,
	       const char *title, const char *path)
{
	const struct picture *picture = picture_of(sweep);
	enum interval_kind kind = choose_interval(sweep, picture);
	FILE *gnuplot = gnuplot_open(path, width_of(sweep), HEIGHT);
	u32 figure;

	if (!gnuplot)
		return STATUS_FAILED;
	write_title(gnuplot, sweep, points, kind, title);
	fprintf(gnuplot, "set rmargin %u\nset grid ytics\nset tics out nomirror\nset style fill solid 0.85 noborder\n",
		margin_of(sweep));
	write_names(gnuplot, sweep);
	for (figure = 0; figure < PLOT_FIGURES; figure++)
		draw_panel(gnuplot, sweep, points, picture, figure, kind);
	fputs("unset multiplot\n", gnuplot);
	return gnuplot_close(gnuplot, path);
}

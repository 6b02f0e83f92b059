// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu plot of a sweep: a panel for each figure, in it a bar for each policy, with its
 * 95% interval. A policy has the same colour in all panels.
 */
#include "../colour.h"
#include "../gnuplot.h"
#include "../output.h"
#include "plot_sweep.h"

#define WIDTH		960
#define HEIGHT		720
#define TITLE_MAX	256

/* The figures, by their keys in a policy's summary; an interval may be missing. */
static const struct panel {
	const char *mean;
	const char *interval;
	const char *label;
	double scale;
} panels[] = {
	{ "fairness", "fairness_interval", "fairness: least over greatest NP", 1 },
	{ "stp", "stp_interval", "STP: the sum of NPs", 1 },
	{ "antt", "antt_interval", "ANTT: the mean of 1 / NP", 1 },
	{ "error_mean", "error_interval", "mean error of predicted NP, %", 100 },
};

#define BARS	"\nset yrange [0:*]\nset offsets 0, 0, graph 0.05, 0\n" \
	"plot $bars using 1:2:(0.7):5 with boxes linecolor rgb variable notitle, " \
	"$bars using 1:3:(0):($4-$3) with vectors heads size graph 0.015,90 linecolor rgb 'black' linewidth 1.5 notitle\n"
#define NO_BARS	"\nset label 'no policy has it' at graph 0.5,0.5 center\n" \
	"set yrange [0:1]\nplot -1 notitle\nunset label\n"

static struct json_object *policies_of(struct json_object *sweep)
{
	return json_object_object_get(sweep, "policies");
}

static bool has_figure(struct json_object *policy, const struct panel *panel)
{
	return json_object_object_get(policy, panel->mean);
}

/* The mean and its interval, which is the mean alone where the sweep has none. */
static void write_bar(FILE *gnuplot, struct json_object *policy, size_t index,
		      const struct panel *panel)
{
	struct json_object *ends = json_object_object_get(policy, panel->interval);
	double mean = json_object_get_double(json_object_object_get(policy, panel->mean));
	bool known = ends && json_object_array_length(ends) == 2;
	double low = known ? json_object_get_double(json_object_array_get_idx(ends, 0)) : mean;
	double high = known ? json_object_get_double(json_object_array_get_idx(ends, 1)) : mean;

	fprintf(gnuplot, "%zu %.6f %.6f %.6f %u\n", index, mean * panel->scale,
		low * panel->scale, high * panel->scale, tenant_colour((u32)index));
}

static void write_names(FILE *gnuplot, struct json_object *policies)
{
	size_t i;

	fputs("set xtics rotate by -25 noenhanced (", gnuplot);
	for (i = 0; i < json_object_array_length(policies); i++) {
		struct json_object *policy = json_object_array_get_idx(policies, i);

		fputs(i ? ", " : "", gnuplot);
		gnuplot_quote(gnuplot, json_object_get_string(
				json_object_object_get(policy, "policy")));
		fprintf(gnuplot, " %zu", i);
	}
	fprintf(gnuplot, ")\nset xrange [-0.6:%zu.6]\n",
		json_object_array_length(policies) - 1);
}

/* A panel says so where no policy has its figure. */
static void draw_panel(FILE *gnuplot, struct json_object *policies,
		       const struct panel *panel)
{
	size_t i, bars = 0;

	fputs("$bars << EOD\n", gnuplot);
	for (i = 0; i < json_object_array_length(policies); i++) {
		struct json_object *policy = json_object_array_get_idx(policies, i);

		if (!has_figure(policy, panel))
			continue;
		write_bar(gnuplot, policy, i, panel);
		bars++;
	}
	fputs("EOD\nset ylabel ", gnuplot);
	gnuplot_quote(gnuplot, panel->label);
	fputs(bars ? BARS : NO_BARS, gnuplot);
}

static void write_title(FILE *gnuplot, struct json_object *sweep, const char *title)
{
	char made[TITLE_MAX];

	if (!title) {
		snprintf(made, sizeof(made), "%s on %s, %lld cycles, %lld runs; black lines: 95%% intervals",
			 json_object_get_string(json_object_object_get(sweep, "suite")),
			 json_object_get_string(json_object_object_get(sweep, "config")),
			 (long long)json_object_get_int64(json_object_object_get(sweep, "cycles")),
			 (long long)json_object_get_int64(json_object_object_get(sweep, "runs")));
		title = made;
	}
	fputs("set multiplot layout 2,2 title ", gnuplot);
	gnuplot_quote(gnuplot, title);
	fputs(" noenhanced\n", gnuplot);
}

int plot_sweep(struct json_object *sweep, const char *title, const char *path)
{
	struct json_object *policies = policies_of(sweep);
	FILE *gnuplot;
	size_t i;

	if (!json_object_is_type(policies, json_type_array) ||
	    !json_object_array_length(policies))
		return fail("the sweep has no policies");
	gnuplot = gnuplot_open(path, WIDTH, HEIGHT);
	if (!gnuplot)
		return STATUS_FAILED;
	write_title(gnuplot, sweep, title);
	fputs("set rmargin 11\nset grid ytics\nset tics out nomirror\nset style fill solid 0.85 noborder\n",
	      gnuplot);
	write_names(gnuplot, policies);
	for (i = 0; i < ARRAY_SIZE(panels); i++)
		draw_panel(gnuplot, policies, &panels[i]);
	fputs("unset multiplot\n", gnuplot);
	return gnuplot_close(gnuplot, path);
}

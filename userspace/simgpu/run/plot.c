// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu plot: draws a run over time: the SMs of each tenant, NP, and bandwidth, with a
 * colour for each tenant. plot_sweep.c draws the results of a sweep.
 */
#include <math.h>

#include "../colour.h"
#include "../gnuplot.h"
#include "../options.h"
#include "../output.h"
#include "../recorded.h"
#include "plot_points.h"
#include "plot_sweep.h"

#define PICTURES_MAX	8
#define WIDTH		960
#define HEIGHT_LEAST	720
/* Height of each panel beyond the first three. */
#define HEIGHT_PANEL	240
/* A line of the legend, in pixels. */
#define LEGEND_LINE	18
/* Letters of a tenant's name in the legend. */
#define NAME_SHOWN	16

static const char about[] =
	"Draw a run with gnuplot: the SMs that each tenant held, its normalized "
	"progress as the model predicted it, and its share of the memory's peak "
	"bandwidth, over device time. Where tenants had goals, their instructions a "
	"cycle beside them; where they shared SMs under quotas, their thread blocks there; "
	"where they had several launches, the launches' latencies, and how long they "
	"waited and ran; and each figure that the policy tells of itself. RUN is what simgpu run --json or --csv has "
	"printed; without one, or with -, it is read from standard input. RUN may also be what "
	"simgpu sweep --json has printed: then the picture has the fairness, STP, ANTT and error "
	"of prediction of each policy, with their 95% intervals; of services latency, goodput and "
	"what the best-effort work came to; of sets of programs the time until all have ended, "
	"gains and the error of the estimate.\v"
	"SMs, bandwidth and thread blocks are stacked: the height of a colour is that "
	"tenant's share; of shared SMs, that of their issue slots. A tenant has the same colour as in simgpu top.\n"
	"\n"
	"Examples:\n"
	"  simgpu run --offline --json LBM DXTC >run.json\n"
	"  simgpu plot -o run.svg -o run.png run.json\n"
	"  simgpu run --offline --csv LBM DXTC | simgpu plot -o run.svg\n"
	"  simgpu sweep --policy even,hsm-fair --json | simgpu plot -o sweep.pdf\n"
	"  simgpu sweep --policy even,hsm-fair --out pairs --json >sweep.json\n"
	"  simgpu plot --points pairs/sweep.csv -o sweep.pdf sweep.json\n"
	"\n"
	"Exit status: 0; 1 if it failed; 2 for wrong usage.";

/** struct arguments - the parsed command line */
struct arguments {
	const char *pictures[PICTURES_MAX];
	u32 picture_count;
	const char *title;
	const char *points;
	const char *run;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "output", 'o', "FILE",
	  "The picture, which ends in .svg, .png or .pdf; may be repeated",
	  .kind = OPTION_OWN },
	{ "points", 'p', "FILE",
	  "Of a sweep: draw each run as a point, too, and each tenant's error; FILE is the sweep.csv in the folder of the sweep's --out",
	  TO_TEXT(points) },
	{ "title", 't', "TEXT", "What stands above it (default: GPU, policy and model; of a sweep suite, GPU, length and kind of interval)",
	  TO_TEXT(title) },
	{ .name = NULL }
};

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;

	if (!arguments->picture_count)
		argp_error(state, "--output says where the picture goes");
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'o':
		if (arguments->picture_count == PICTURES_MAX)
			argp_error(state, "there can be %d pictures",
				   PICTURES_MAX);
		arguments->pictures[arguments->picture_count++] = text;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			argp_error(state, "it draws one run");
		arguments->run = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = check_arguments,
	.words = "[RUN]",
	.about = about,
};

/* --- what is drawn of an epoch --- */

typedef double figure(const struct recorded_epoch *epoch);

static double sms_of(const struct recorded_epoch *epoch)
{
	return epoch->sms;
}

static double bandwidth_of(const struct recorded_epoch *epoch)
{
	return epoch->bandwidth;
}

static double blocks_of(const struct recorded_epoch *epoch)
{
	return epoch->blocks;
}

static double million(u64 cycles)
{
	return (double)cycles / 1e6;
}

/* Prints gnuplot's name for the data of a panel and tenant. */
static void print_block_name(FILE *gnuplot, const char *panel, size_t tenant)
{
	fprintf(gnuplot, "$%s_%zu", panel, tenant);
}

static void begin_block(FILE *gnuplot, const char *panel, size_t tenant)
{
	print_block_name(gnuplot, panel, tenant);
	fputs(" << EOD\n", gnuplot);
}

/*
 * Writes both ends of each epoch: the height below the tenant, and with it. @below has
 * a place for each epoch of the device, and grows.
 */
static void write_stacked(FILE *gnuplot, const struct recorded *run,
			  size_t index, const char *panel, figure *of,
			  double *below)
{
	const struct recorded_tenant *tenant = &run->tenants[index];
	size_t i, at = 0;

	begin_block(gnuplot, panel, index);
	for (i = 0; i < tenant->count; i++) {
		const struct recorded_epoch *epoch = &tenant->epochs[i];
		double height = of(epoch);

		if (i && epoch->start != tenant->epochs[i - 1].end)
			putc('\n', gnuplot);
		while (run->ends[at] < epoch->end)
			at++;
		fprintf(gnuplot, "%.6f %.6f %.6f\n%.6f %.6f %.6f\n",
			million(epoch->start), below[at], below[at] + height,
			million(epoch->end), below[at], below[at] + height);
		below[at] += height;
	}
	fputs("EOD\n", gnuplot);
}

/* Returns whether an epoch has the figure that is drawn as a line, and its value. */
typedef bool line(const struct recorded_epoch *epoch, u32 at, double *value);

static bool np_of(const struct recorded_epoch *epoch, u32 at, double *value)
{
	*value = epoch->np;
	return epoch->np_known;
}

static bool ipc_of(const struct recorded_epoch *epoch, u32 at, double *value)
{
	*value = epoch->ipc;
	return epoch->goal_ipc > 0;
}

static bool goal_of(const struct recorded_epoch *epoch, u32 at, double *value)
{
	*value = epoch->goal_ipc;
	return epoch->goal_ipc > 0;
}

/* @at: index of the policy's gauge. */
static bool gauge_of(const struct recorded_epoch *epoch, u32 at, double *value)
{
	*value = epoch->gauges[at];
	return !isnan(*value);
}

/*
 * Writes a line of steps, with gaps where an epoch has no such figure. @at is for figures of
 * which there are several.
 */
static void write_line(FILE *gnuplot, const struct recorded *run, size_t index,
		       const char *panel, line *of, u32 at)
{
	const struct recorded_tenant *tenant = &run->tenants[index];
	bool gap = true, any = false;
	double value;
	size_t i;

	begin_block(gnuplot, panel, index);
	for (i = 0; i < tenant->count; i++) {
		const struct recorded_epoch *epoch = &tenant->epochs[i];
		bool known = of(epoch, at, &value);

		if (!gap && (!known ||
			     epoch->start != tenant->epochs[i - 1].end)) {
			putc('\n', gnuplot);
			gap = true;
		}
		if (!known)
			continue;
		fprintf(gnuplot, "%.6f %.6f\n%.6f %.6f\n",
			million(epoch->start), value, million(epoch->end),
			value);
		gap = false;
		any = true;
	}
	if (!any)
		fputs("NaN NaN\n", gnuplot);
	fputs("EOD\n", gnuplot);
}

/* Writes the data of stacked panels. */
static int write_stacks(FILE *gnuplot, const struct recorded *run,
			const char *panel, figure *of)
{
	double *below = calloc(run->end_count, sizeof(*below));
	size_t i;

	if (!below)
		return fail("out of memory");
	for (i = 0; i < run->tenant_count; i++)
		write_stacked(gnuplot, run, i, panel, of, below);
	free(below);
	return STATUS_OK;
}

/* The name of a gauge's panel, until the next call. */
static const char *gauge_panel(u32 at)
{
	static char name[16];

	snprintf(name, sizeof(name), "gauge%u", at);
	return name;
}

static int write_data(FILE *gnuplot, const struct recorded *run)
{
	size_t i;
	u32 at;

	if (write_stacks(gnuplot, run, "sms", sms_of) ||
	    write_stacks(gnuplot, run, "bandwidth", bandwidth_of) ||
	    write_stacks(gnuplot, run, "blocks", blocks_of))
		return STATUS_FAILED;
	for (i = 0; i < run->tenant_count; i++) {
		write_line(gnuplot, run, i, "np", np_of, 0);
		write_line(gnuplot, run, i, "ipc", ipc_of, 0);
		write_line(gnuplot, run, i, "goal", goal_of, 0);
		for (at = 0; at < run->gauge_count; at++)
			write_line(gnuplot, run, i, gauge_panel(at), gauge_of, at);
	}
	return STATUS_OK;
}

/* --- panels --- */

/* Adds a layer for each tenant that has ended an epoch, drawn in @style. */
static const char *add_blocks(FILE *gnuplot, const struct recorded *run,
			      const char *panel, const char *style,
			      const char *comma)
{
	size_t i;

	for (i = 0; i < run->tenant_count; i++) {
		if (!run->tenants[i].count)
			continue;
		fputs(comma, gnuplot);
		print_block_name(gnuplot, panel, i);
		fprintf(gnuplot, " %s linecolor rgb '#%06x' notitle", style,
			tenant_colour((u32)i));
		comma = ", ";
	}
	return comma;
}

static void plot_blocks(FILE *gnuplot, const struct recorded *run,
			const char *panel, const char *style)
{
	add_blocks(gnuplot, run, panel, style, "plot ");
	putc('\n', gnuplot);
}

/* Whether any tenant had a goal. */
static bool has_goals(const struct recorded *run)
{
	size_t i, j;

	for (i = 0; i < run->tenant_count; i++)
		for (j = 0; j < run->tenants[i].count; j++)
			if (run->tenants[i].epochs[j].goal_ipc > 0)
				return true;
	return false;
}

/* Whether tenants shared SMs under quotas. */
static bool has_quotas(const struct recorded *run)
{
	size_t i, j;

	for (i = 0; i < run->tenant_count; i++)
		for (j = 0; j < run->tenants[i].count; j++)
			if (run->tenants[i].epochs[j].quota > 0)
				return true;
	return false;
}

/* Latencies are of interest if any tenant has several launches; each has at least one. */
static bool has_latencies(const struct recorded *run)
{
	size_t i;

	for (i = 0; i < run->tenant_count; i++)
		if (run->tenants[i].report.launches > 1)
			return true;
	return false;
}

/* For each tenant with launches: a point at the 95th percentile, a bar around it. */
static void plot_latencies(FILE *gnuplot, const struct recorded *run)
{
	const char *comma = "";
	size_t i;

	fputs("set ylabel 'latency, us: 50, 95, 99 of 100'\nset yrange [*:*]\n"
	      "set logscale y\nset xlabel 'tenant'\nset xtics (", gnuplot);
	for (i = 0; i < run->tenant_count; i++) {
		fputs(i ? ", " : "", gnuplot);
		gnuplot_quote(gnuplot, run->tenants[i].name);
		fprintf(gnuplot, " %zu", i);
	}
	fprintf(gnuplot, ") noenhanced\nset xrange [-0.5:%zu.5]\nplot ",
		run->tenant_count - 1);
	for (i = 0; i < run->tenant_count; i++) {
		const struct simgpu_tenant_report *report =
			&run->tenants[i].report;

		if (!report->launches)
			continue;
		fprintf(gnuplot, "%s'+' every ::::0 using (%zu):(%.3f):(%.3f):(%.3f) with yerrorbars linewidth 3 pointtype 7 linecolor rgb '#%06x' notitle",
			comma, i, (double)report->latency_p95_ns / 1e3,
			(double)report->latency_p50_ns / 1e3,
			(double)report->latency_p99_ns / 1e3,
			tenant_colour((u32)i));
		comma = ", ";
	}
	putc('\n', gnuplot);
}

/* Draws a part of a bar of means, between two heights in microseconds. */
static void plot_mean(FILE *gnuplot, size_t tenant, double from, double to,
		      const char *style)
{
	fprintf(gnuplot, "'+' every ::::0 using (%zu):(%.3f):(%zu-0.2):(%zu+0.2):(%.3f):(%.3f) with boxxyerror %s linecolor rgb '#%06x' notitle",
		tenant, to, tenant, tenant, from, to, style,
		tenant_colour((u32)tenant));
}

/* Draws how long launches waited, in a pale colour, and ran; and how many missed deadlines. */
static void plot_means(FILE *gnuplot, const struct recorded *run)
{
	const char *comma = "";
	size_t i;

	fputs("unset logscale\nset ylabel 'mean, us: waiting, running'\n"
	      "set yrange [0:*]\nset offsets 0, 0, graph 0.15, 0\n", gnuplot);
	for (i = 0; i < run->tenant_count; i++) {
		const struct simgpu_tenant_report *report =
			&run->tenants[i].report;

		if (report->launches)
			fprintf(gnuplot, "set label '%llu launches, %llu missed, %.1f/s' at first %zu,graph 0.94 center\n",
				(u64)report->launches,
				(u64)report->deadline_misses,
				(double)report->goodput_ppm / SIMGPU_PPM, i);
	}
	fputs("plot ", gnuplot);
	for (i = 0; i < run->tenant_count; i++) {
		const struct simgpu_tenant_report *report =
			&run->tenants[i].report;
		double wait = (double)report->wait_mean_ns / 1e3;
		double whole = wait + (double)report->run_mean_ns / 1e3;

		if (!report->launches)
			continue;
		fputs(comma, gnuplot);
		plot_mean(gnuplot, i, 0, wait, "fillstyle solid 0.3 noborder");
		fputs(", ", gnuplot);
		plot_mean(gnuplot, i, wait, whole, "fillstyle solid 0.85 noborder");
		comma = ", ";
	}
	fputs("\nunset label\n", gnuplot);
}

/* Writes one legend for all panels, beside them. */
static void write_legend(FILE *gnuplot, const struct recorded *run,
			 unsigned int height)
{
	double top = 1 - 60.0 / height, step = (double)LEGEND_LINE / height;
	size_t i;

	for (i = 0; i < run->tenant_count; i++) {
		char name[SIMGPU_NAME_MAX + 16];

		snprintf(name, sizeof(name), "%.*s", NAME_SHOWN,
			 run->tenants[i].name);
		fprintf(gnuplot, "set object %zu rectangle from screen 0.815,screen %.5f to screen 0.83,screen %.5f fillcolor rgb '#%06x' fillstyle solid noborder\nset label %zu ",
			i + 1, top - (double)i * step - step * 0.35,
			top - (double)i * step + step * 0.35,
			tenant_colour((u32)i), i + 1);
		gnuplot_quote(gnuplot, name);
		fprintf(gnuplot, " at screen 0.838,screen %.5f left noenhanced\n",
			top - (double)i * step);
	}
}

static void clear_legend(FILE *gnuplot)
{
	fputs("unset label\nunset object\n", gnuplot);
}

static unsigned int more_panels(const struct recorded *run)
{
	return (has_goals(run) ? 1U : 0) + (has_quotas(run) ? 1U : 0) +
	       (has_latencies(run) ? 2U : 0) + run->gauge_count;
}

static void write_title(FILE *gnuplot, const struct arguments *arguments,
			const struct recorded *run)
{
	char title[4 * SIMGPU_NAME_MAX] = "";

	if (arguments->title)
		snprintf(title, sizeof(title), "%s%s", arguments->title,
			 recorded_mark(run));
	else if (*run->config)
		snprintf(title, sizeof(title), "%s, policy %s%s, model %s",
			 run->config, run->policy, recorded_mark(run), run->model);
	else
		snprintf(title, sizeof(title), "%s", recorded_mark(run));
	fprintf(gnuplot, "set multiplot layout %u,1 title ", 3 + more_panels(run));
	gnuplot_quote(gnuplot, title);
	fputs(" noenhanced\n", gnuplot);
}

/* An NP may be above 1: a tenant may do better beside others than alone. */
static double greatest_np(const struct recorded *run)
{
	double most = 1;
	size_t i, j;

	for (i = 0; i < run->tenant_count; i++)
		for (j = 0; j < run->tenants[i].count; j++)
			if (run->tenants[i].epochs[j].np_known &&
			    run->tenants[i].epochs[j].np > most)
				most = run->tenants[i].epochs[j].np;
	return most;
}

/* A panel for each figure that the policy tells of itself; it may be below 0. */
static void plot_gauges(FILE *gnuplot, const struct recorded *run)
{
	char label[SIMGPU_NAME_MAX + 16];
	u32 at;

	fputs("set yrange [*:*]\nset offsets 0, 0, graph 0.1, graph 0.1\n", gnuplot);
	for (at = 0; at < run->gauge_count; at++) {
		snprintf(label, sizeof(label), "policy: %s", run->gauges[at]);
		fputs("set ylabel ", gnuplot);
		gnuplot_quote(gnuplot, label);
		fputs(" noenhanced\n", gnuplot);
		plot_blocks(gnuplot, run, gauge_panel(at),
			    "using 1:2 with lines linewidth 2");
	}
	fputs("set ylabel enhanced\nunset offsets\n", gnuplot);
}

static void write_panels(FILE *gnuplot, const struct recorded *run,
			 unsigned int height)
{
	fprintf(gnuplot, "set lmargin at screen 0.09\nset rmargin at screen 0.79\n"
		"set xrange [0:%.6f]\nset grid\nset tics out nomirror\n"
		"set style fill solid 0.85 noborder\nset key off\n",
		million(run->ends[run->end_count - 1]));
	write_legend(gnuplot, run, height);
	fputs("set ylabel 'SMs'\nset yrange [0:*]\n", gnuplot);
	plot_blocks(gnuplot, run, "sms", "using 1:2:3 with filledcurves");
	clear_legend(gnuplot);
	fprintf(gnuplot, "set ylabel 'predicted NP'\nset yrange [0:%.6f]\n",
		1.05 * greatest_np(run));
	plot_blocks(gnuplot, run, "np", "using 1:2 with lines linewidth 2");
	if (has_goals(run)) {
		fputs("set ylabel 'IPC, and goals (dashed)'\nset yrange [0:*]\n"
		      "set offsets 0, 0, graph 0.1, 0\n", gnuplot);
		add_blocks(gnuplot, run, "goal", "using 1:2 with lines dashtype 2",
			   add_blocks(gnuplot, run, "ipc",
				      "using 1:2 with lines linewidth 2",
				      "plot "));
		fputs("\nunset offsets\n", gnuplot);
	}
	if (has_quotas(run)) {
		fputs("set ylabel 'blocks on shared SMs'\nset yrange [0:*]\n",
		      gnuplot);
		plot_blocks(gnuplot, run, "blocks",
			    "using 1:2:3 with filledcurves");
	}
	if (run->gauge_count)
		plot_gauges(gnuplot, run);
	fputs("set ylabel 'share of peak bandwidth'\nset yrange [0:1.05<*]\n"
	      "set xlabel 'device time, million core cycles'\n", gnuplot);
	plot_blocks(gnuplot, run, "bandwidth", "using 1:2:3 with filledcurves");
	if (has_latencies(run)) {
		plot_latencies(gnuplot, run);
		plot_means(gnuplot, run);
	}
	fputs("unset multiplot\n", gnuplot);
}

static int draw(const struct arguments *arguments, const struct recorded *run,
		const char *path)
{
	unsigned int legend = (unsigned int)run->tenant_count * LEGEND_LINE + 80;
	unsigned int least = HEIGHT_LEAST + more_panels(run) * HEIGHT_PANEL;
	unsigned int height = legend > least ? legend : least;
	FILE *gnuplot = gnuplot_open(path, WIDTH, height);
	int ret, closed;

	if (!gnuplot)
		return STATUS_FAILED;
	ret = write_data(gnuplot, run);
	if (!ret) {
		write_title(gnuplot, arguments, run);
		write_panels(gnuplot, run, height);
	}
	closed = gnuplot_close(gnuplot, path);
	return ret ? ret : closed;
}

static int draw_sweep(const struct arguments *arguments, struct json_object *sweep)
{
	struct plot_points points = { .count = 0 };
	int ret = plot_sweep_check(sweep, arguments->points != NULL);
	u32 i;

	if (!ret && arguments->points)
		ret = plot_points_read(arguments->points, sweep, &points);
	for (i = 0; !ret && i < arguments->picture_count; i++)
		ret = plot_sweep(sweep, &points, arguments->title, arguments->pictures[i]);
	free(points.points);
	return ret;
}

static int draw_run(const struct arguments *arguments, const struct recorded *run)
{
	int ret = STATUS_OK;
	u32 i;

	if (arguments->points)
		return fail("--points is for a sweep, and this is a run");
	if (run->refused)
		warn("in this run the policy or the model was refused: it shows what even did");
	for (i = 0; !ret && i < arguments->picture_count; i++)
		ret = draw(arguments, run, arguments->pictures[i]);
	return ret;
}

int plot_command(int argc, char **argv)
{
	struct arguments arguments = { .run = "-" };
	struct json_object *sweep;
	struct recorded run;
	int ret = STATUS_OK;
	u32 i;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	for (i = 0; !ret && i < arguments.picture_count; i++)
		ret = gnuplot_is_picture(arguments.pictures[i]);
	if (ret)
		return ret;
	ret = recorded_read(arguments.run, &run, &sweep);
	if (!ret)
		ret = sweep ? draw_sweep(&arguments, sweep) : draw_run(&arguments, &run);
	json_object_put(sweep);
	recorded_free(&run);
	return ret;
}

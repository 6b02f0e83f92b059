// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu plot: draws a run: who held which SMs, NP, and bandwidth over time, a
 * colour for each tenant.
 */
#include "gnuplot.h"
#include "output.h"
#include "recorded.h"

#define PICTURES_MAX	8
#define WIDTH		960
#define HEIGHT_LEAST	720
#define HEIGHT_LATENCIES	240
/* A line of the legend, in pixels. */
#define LEGEND_LINE	18
/* Of the name in the legend. */
#define NAME_SHOWN	16

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "The picture, which ends in .svg or .png; may be repeated", 0 },
	{ "title", 't', "TEXT", 0,
	  "What stands above it (default: GPU, policy and model)", 0 },
	{ 0 }
};

static const char about[] =
	"Draw a run with gnuplot: the SMs that each tenant held, its normalized "
	"progress as the model predicted it, and its share of the memory's peak "
	"bandwidth, over device time; and, where tenants had several launches, the "
	"launches' latencies. RUN is what simgpu run --json or --csv has "
	"printed; without one, or with -, it is read from standard input.\v"
	"SMs and bandwidth are stacked: the height of a colour is that tenant's "
	"share. A tenant has the same colour as in simgpu top.\n"
	"\n"
	"Examples:\n"
	"  simgpu run --offline --json LBM DXTC >run.json\n"
	"  simgpu plot -o run.svg -o run.png run.json\n"
	"  simgpu run --offline --csv LBM DXTC | simgpu plot -o run.svg\n"
	"\n"
	"Exit status: 0; 1 if it failed; 2 for wrong usage.";

/** struct arguments - the parsed command line */
struct arguments {
	const char *pictures[PICTURES_MAX];
	u32 picture_count;
	const char *title;
	const char *run;
};

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
	case 't':
		arguments->title = text;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			argp_error(state, "it draws one run");
		arguments->run = text;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->picture_count)
			argp_error(state, "--output says where the picture goes");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_argument,
	.args_doc = "[RUN]",
	.doc = about,
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

static double million(u64 cycles)
{
	return (double)cycles / 1e6;
}

/* What gnuplot calls the data of a panel and tenant. */
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
 * Both ends of each epoch with what is below the tenant and with it; @below has
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

/* Steps, with gaps where there is no prediction. */
static void write_np(FILE *gnuplot, const struct recorded *run, size_t index)
{
	const struct recorded_tenant *tenant = &run->tenants[index];
	bool gap = true;
	size_t i;

	begin_block(gnuplot, "np", index);
	for (i = 0; i < tenant->count; i++) {
		const struct recorded_epoch *epoch = &tenant->epochs[i];

		if (!gap && (!epoch->np_known ||
			     epoch->start != tenant->epochs[i - 1].end)) {
			putc('\n', gnuplot);
			gap = true;
		}
		if (!epoch->np_known)
			continue;
		fprintf(gnuplot, "%.6f %.6f\n%.6f %.6f\n",
			million(epoch->start), epoch->np, million(epoch->end),
			epoch->np);
		gap = false;
	}
	if (gap && !tenant->count)
		fputs("NaN NaN\n", gnuplot);
	fputs("EOD\n", gnuplot);
}

static int write_data(FILE *gnuplot, const struct recorded *run)
{
	double *sms = calloc(run->end_count, sizeof(*sms));
	double *bandwidth = calloc(run->end_count, sizeof(*bandwidth));
	size_t i;

	if (!sms || !bandwidth) {
		free(sms);
		free(bandwidth);
		return fail("out of memory");
	}
	for (i = 0; i < run->tenant_count; i++) {
		write_stacked(gnuplot, run, i, "sms", sms_of, sms);
		write_stacked(gnuplot, run, i, "bandwidth", bandwidth_of,
			      bandwidth);
		write_np(gnuplot, run, i);
	}
	free(sms);
	free(bandwidth);
	return STATUS_OK;
}

/* --- panels --- */

/* A layer for each tenant that has ended an epoch, drawn in @style. */
static void plot_blocks(FILE *gnuplot, const struct recorded *run,
			const char *panel, const char *style)
{
	const char *comma = "plot ";
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
	putc('\n', gnuplot);
}

/* A single launch is every tenant's; what more there are, somebody looks at. */
static bool has_latencies(const struct recorded *run)
{
	size_t i;

	for (i = 0; i < run->tenant_count; i++)
		if (run->tenants[i].launches > 1)
			return true;
	return false;
}

/* Of each tenant with launches: a point at the 95th percentile, a bar around it. */
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
		const struct recorded_tenant *tenant = &run->tenants[i];

		if (!tenant->launches)
			continue;
		fprintf(gnuplot, "%s'+' every ::::0 using (%zu):(%.3f):(%.3f):(%.3f) with yerrorbars linewidth 3 pointtype 7 linecolor rgb '#%06x' notitle",
			comma, i, tenant->latency_us[1], tenant->latency_us[0],
			tenant->latency_us[2], tenant_colour((u32)i));
		comma = ", ";
	}
	fputs("\nunset logscale\n", gnuplot);
}

/* One legend for all panels, beside them. */
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

static void write_title(FILE *gnuplot, const struct arguments *arguments,
			const struct recorded *run)
{
	char title[4 * SIMGPU_NAME_MAX] = "";

	if (arguments->title)
		snprintf(title, sizeof(title), "%s", arguments->title);
	else if (*run->config)
		snprintf(title, sizeof(title), "%s, policy %s, model %s",
			 run->config, run->policy, run->model);
	fprintf(gnuplot, "set multiplot layout %d,1 title ",
		has_latencies(run) ? 4 : 3);
	gnuplot_quote(gnuplot, title);
	fputs(" noenhanced\n", gnuplot);
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
	fputs("set ylabel 'predicted NP'\nset yrange [0:1.05]\n", gnuplot);
	plot_blocks(gnuplot, run, "np", "using 1:2 with lines linewidth 2");
	fputs("set ylabel 'share of peak bandwidth'\nset yrange [0:1.05]\n"
	      "set xlabel 'device time, million core cycles'\n", gnuplot);
	plot_blocks(gnuplot, run, "bandwidth", "using 1:2:3 with filledcurves");
	if (has_latencies(run))
		plot_latencies(gnuplot, run);
	fputs("unset multiplot\n", gnuplot);
}

static int draw(const struct arguments *arguments, const struct recorded *run,
		const char *path)
{
	unsigned int legend = (unsigned int)run->tenant_count * LEGEND_LINE + 80;
	unsigned int least = HEIGHT_LEAST + (has_latencies(run) ? HEIGHT_LATENCIES : 0);
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

int plot_command(int argc, char **argv)
{
	struct arguments arguments = { .run = "-" };
	struct recorded run;
	int ret = STATUS_OK;
	u32 i;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	for (i = 0; !ret && i < arguments.picture_count; i++)
		ret = gnuplot_is_picture(arguments.pictures[i]);
	if (ret)
		return ret;
	ret = recorded_read(arguments.run, &run);
	for (i = 0; !ret && i < arguments.picture_count; i++)
		ret = draw(&arguments, &run, arguments.pictures[i]);
	recorded_free(&run);
	return ret;
}

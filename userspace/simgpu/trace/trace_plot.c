// SPDX-License-Identifier: GPL-2.0
/*
 * Draws a trace's access pattern with gnuplot: a panel for each different
 * kernel, its warps in order from left to right, addresses from bottom to top.
 * For a large kernel only some warps and some of their accesses are drawn,
 * evenly spread: an address for each line, or for some lines.
 */
#include "../demangle.h"
#include "../gnuplot.h"
#include "../output.h"
#include "trace_plot.h"
#include "trace_view.h"

#define PANELS_MAX	64
#define POINTS		3000
/* Most points of all panels: a point takes some 100 bytes of SVG, which a page has to load. */
#define POINTS_ALL	12000
#define WARPS_MAX	120
/* A loop of at most this many trips is drawn whole. */
#define TRIPS_DRAWN	16
#define LANES_DRAWN	4
#define COLUMNS		3

/** struct point - one access */
struct point {
	double warp;
	u64 address;
	u32 kind;
};

struct points {
	struct point *points;
	size_t count;
	size_t room;
	bool failed;
};

/**
 * struct site - a memory op of a program
 * @trips: trips of the loops around it, outermost first
 * @at: instructions before it, in the first trip of all loops
 * @way: by loop, instructions of a trip
 * @line: recorded lines before it
 * @line_way: by loop, recorded lines of a trip
 */
struct site {
	const struct simgpu_trace_op *op;
	u32 depth;
	u32 trips[SIMGPU_TRACE_LOOP_DEPTH_MAX];
	double at;
	double way[SIMGPU_TRACE_LOOP_DEPTH_MAX];
	u64 line;
	u64 line_way[SIMGPU_TRACE_LOOP_DEPTH_MAX];
};

/**
 * struct program - the sites of a program
 * @length: number of its instructions
 */
struct program {
	struct site *sites;
	size_t count;
	double length;
};

/* --- programs --- */

/* The number of instructions that one op issues, and of recorded lines that it takes. */
static void measure(const struct view *view, const struct simgpu_trace_op *op,
		    double *instructions, u64 *lines)
{
	*instructions = 1;
	*lines = 0;
	if (touches_memory(op->kind))
		*lines = view->patterns[op->pattern].kind == SIMGPU_TRACE_RECORDED ?
			 op->count : 0;
	else if (op->kind != SIMGPU_TRACE_BARRIER)
		*instructions = op->count;
}

/* A loop ends: set the length of its trips in all sites within it. */
static void end_loop(struct program *program, size_t first, u32 depth, u32 trips,
		     double way, u64 line_way)
{
	size_t i;

	for (i = first; i < program->count; i++) {
		program->sites[i].trips[depth] = trips;
		program->sites[i].way[depth] = way;
		program->sites[i].line_way[depth] = line_way;
	}
}

static int read_program(const struct view *view, u32 number,
			struct program *program)
{
	const struct simgpu_trace_program *from = &view->programs[number];
	struct {
		double at;
		u64 line;
		size_t site;
		u32 trips;
	} open[SIMGPU_TRACE_LOOP_DEPTH_MAX];
	double at = 0, instructions;
	u64 line = 0, lines;
	u32 depth = 0, i;

	program->count = 0;
	program->sites = calloc(from->op_count, sizeof(*program->sites));
	if (!program->sites)
		return fail("out of memory");
	for (i = 0; i < from->op_count; i++) {
		const struct simgpu_trace_op *op = &view->ops[from->first_op + i];

		if (op->kind == SIMGPU_TRACE_LOOP) {
			open[depth].at = at;
			open[depth].line = line;
			open[depth].site = program->count;
			open[depth++].trips = op->count;
			continue;
		}
		if (op->kind == SIMGPU_TRACE_LOOP_END) {
			double way = at - open[--depth].at;
			u64 line_way = line - open[depth].line;

			end_loop(program, open[depth].site, depth,
				 open[depth].trips, way, line_way);
			at = open[depth].at + way * open[depth].trips;
			line = open[depth].line + line_way * open[depth].trips;
			continue;
		}
		if (touches_memory(op->kind))
			program->sites[program->count++] = (struct site) {
				.op = op, .depth = depth, .at = at, .line = line,
			};
		measure(view, op, &instructions, &lines);
		at += instructions;
		line += lines;
	}
	program->length = at;
	return STATUS_OK;
}

/* --- points --- */

static void add_point(struct points *points, double warp, u64 address, u32 kind)
{
	if (points->count == points->room) {
		size_t room = points->room ? 2 * points->room : 1024;
		void *larger = realloc(points->points,
				       room * sizeof(*points->points));

		if (!larger) {
			points->failed = true;
			return;
		}
		points->points = larger;
		points->room = room;
	}
	points->points[points->count++] = (struct point) { warp, address, kind };
}

/**
 * struct runner - a warp that is drawn
 * @width: distance to the next one, in warps
 */
struct runner {
	const struct view *view;
	const struct simgpu_trace_kernel *kernel;
	const struct program *program;
	u64 number;
	u64 first_line;
	double width;
};

/* Adds one lane if lanes share lines; else some lanes, evenly spread. */
static void add_lanes(struct points *points, const struct runner *warp,
		      const struct simgpu_trace_pattern *p,
		      const struct site *site, const u32 *loop, double at)
{
	u32 lanes = site->op->active_lanes, step = lanes / LANES_DRAWN + 1, lane;
	u64 address;

	if (llabs(p->lane_stride) < SIMGPU_TRACE_LINE_BYTES && !p->group_lanes)
		step = lanes;
	for (lane = 0; lane < lanes; lane += step) {
		address = view_affine_address(warp->kernel, warp->number, p,
					      site->depth, loop, lane);
		add_point(points, at, address, site->op->kind);
	}
}

/* Adds access number @index of all that a warp makes at a site. */
static void add_access(struct points *points, const struct runner *warp,
		       const struct site *site, u64 index)
{
	const struct simgpu_trace_pattern *p =
		&warp->view->patterns[site->op->pattern];
	u32 loop[SIMGPU_TRACE_LOOP_DEPTH_MAX], i;
	u64 line = warp->first_line + site->line;
	double at = site->at;

	for (i = site->depth; i-- > 0;) {
		loop[i] = index % site->trips[i];
		index /= site->trips[i];
		at += site->way[i] * loop[i];
		line += site->line_way[i] * loop[i];
	}
	at = warp->number + at / warp->program->length * warp->width;
	if (p->kind == SIMGPU_TRACE_AFFINE)
		add_lanes(points, warp, p, site, loop, at);
	/* Random lines are drawn by the device, so any lines will do here. */
	else if (p->kind == SIMGPU_TRACE_RANDOM)
		add_point(points, at, p->base + (u64)random() * 64 % p->region_bytes,
			  site->op->kind);
	else
		for (i = 0; i < site->op->count; i++)
			add_point(points, at, (u64)(warp->view->lines[line + i] &
						    SIMGPU_TRACE_LINE_INDEX) *
				  SIMGPU_TRACE_LINE_BYTES, site->op->kind);
}

static void add_warp(struct points *points, const struct runner *warp, u64 room)
{
	size_t i;
	u64 j;

	for (i = 0; i < warp->program->count; i++) {
		const struct site *site = &warp->program->sites[i];
		u64 times = 1, drawn = room / warp->program->count;
		u32 k;

		for (k = 0; k < site->depth; k++)
			times = fixed_mul(times, site->trips[k]);
		if (drawn < TRIPS_DRAWN)
			drawn = TRIPS_DRAWN;
		if (drawn > times)
			drawn = times;
		for (j = 0; j < drawn; j++)
			add_access(points, warp, site,
				   fixed_mul_div(times, j, drawn));
	}
}

/* Programs are read once, when their first warp comes. */
static int add_warps(const struct view *view,
		     const struct simgpu_trace_kernel *kernel,
		     struct program *programs, struct points *points)
{
	u64 all = kernel_blocks(kernel) * kernel_warps(kernel);
	u64 drawn = all < WARPS_MAX ? all : WARPS_MAX, i;

	for (i = 0; i < drawn; i++) {
		struct runner runner = {
			.view = view, .kernel = kernel,
			.number = fixed_mul_div(all, i, drawn),
			.width = (double)all / (double)drawn,
		};
		struct simgpu_trace_warp warp = view_warp(view, kernel,
							  runner.number);
		struct program *program = &programs[warp.program];

		if (!program->sites &&
		    read_program(view, kernel->first_program + warp.program,
				 program))
			return STATUS_FAILED;
		runner.program = program;
		runner.first_line = warp.first_line;
		add_warp(points, &runner, POINTS / drawn);
	}
	return points->failed ? fail("out of memory") : STATUS_OK;
}

static int points_of(const struct view *view,
		     const struct simgpu_trace_kernel *kernel,
		     struct points *points)
{
	struct program *programs = calloc(kernel->program_count,
					  sizeof(*programs));
	int ret;
	u32 i;

	if (!programs)
		return fail("out of memory");
	ret = add_warps(view, kernel, programs, points);
	for (i = 0; i < kernel->program_count; i++)
		free(programs[i].sites);
	free(programs);
	return ret;
}

/* Keep every so many-th point, so that at most @most are left. */
static void thin(struct points *points, size_t most)
{
	size_t i;

	if (points->count <= most)
		return;
	for (i = 0; i < most; i++)
		points->points[i] =
			points->points[fixed_mul_div(points->count, i, most)];
	points->count = most;
}

/* --- panels --- */

static const struct {
	u32 kind;
	const char *name;
	const char *colour;
} layers[] = {
	{ SIMGPU_TRACE_LOAD, "load", "#3b6fb6" },
	{ SIMGPU_TRACE_CONSTANT, "constant", "#4b9b58" },
	{ SIMGPU_TRACE_STORE, "store", "#c8442e" },
	{ SIMGPU_TRACE_ATOMIC, "atomic", "#8a4fa3" },
};

static bool has_kind(const struct points *points, u32 kind)
{
	size_t i;

	for (i = 0; i < points->count; i++)
		if (points->points[i].kind == kind)
			return true;
	return false;
}

static void draw_layers(FILE *gnuplot, const struct points *points)
{
	bool first = true;
	size_t i, j;

	fputs("plot ", gnuplot);
	for (i = 0; i < ARRAY_SIZE(layers); i++) {
		if (!has_kind(points, layers[i].kind))
			continue;
		fprintf(gnuplot, "%s'-' with points pointtype 7 pointsize 0.25 "
			"linecolor rgb '%s' notitle, NaN with points pointtype 7 "
			"linecolor rgb '%s' title '%s'", first ? "" : ", ",
			layers[i].colour, layers[i].colour, layers[i].name);
		first = false;
	}
	fputs(first ? "NaN title 'no access'\n" : "\n", gnuplot);
	for (i = 0; i < ARRAY_SIZE(layers); i++) {
		if (!has_kind(points, layers[i].kind))
			continue;
		for (j = 0; j < points->count; j++)
			if (points->points[j].kind == layers[i].kind)
				fprintf(gnuplot, "%.3f %.6f\n",
					points->points[j].warp,
					(double)points->points[j].address /
					(1 << 20));
		fputs("e\n", gnuplot);
	}
}

static int draw_panel(FILE *gnuplot, const struct view *view,
		      const struct simgpu_trace_kernel *kernel, u64 launches,
		      u32 panels)
{
	u64 warps = kernel_blocks(kernel) * kernel_warps(kernel);
	struct points points = { .count = 0 };
	char title[128], *name;
	int ret = points_of(view, kernel, &points);

	if (!ret) {
		thin(&points, POINTS_ALL / panels);
		name = demangle_short(kernel->name);
		snprintf(title, sizeof(title), "%s%s", name,
			 kernel->sample_n > 1 ? " (sampled)" : "");
		free(name);
		if (launches > 1)
			snprintf(title + strlen(title),
				 sizeof(title) - strlen(title),
				 ", %llu launches", launches);
		fputs("set title ", gnuplot);
		gnuplot_quote(gnuplot, title);
		fprintf(gnuplot, " noenhanced\nset xrange [0:%llu]\n", warps);
		draw_layers(gnuplot, &points);
	}
	free(points.points);
	return ret;
}

/* Equal launches are drawn once, and launches beyond the last panel not at all. */
static u32 choose_panels(const struct view *view, u64 *panels, u64 *launches)
{
	u64 kernels = section_count(view, SIMGPU_TRACE_KERNELS), left = 0, i;
	u32 count = 0, j;

	for (i = 0; i < kernels; i++) {
		for (j = 0; j < count; j++)
			if (!memcmp(&view->kernels[i], &view->kernels[panels[j]],
				    sizeof(*view->kernels)))
				break;
		if (j == PANELS_MAX) {
			left++;
			continue;
		}
		if (j == count) {
			panels[count] = i;
			launches[count++] = 0;
		}
		launches[j]++;
	}
	if (left)
		warn("%llu launches are not drawn: a picture has the first %d that differ",
		     left, PANELS_MAX);
	return count;
}

static u32 columns_of(u32 panels)
{
	return panels < COLUMNS ? panels : COLUMNS;
}

static u32 rows_of(u32 panels)
{
	return (panels + columns_of(panels) - 1) / columns_of(panels);
}

static int draw(FILE *gnuplot, const struct view *view, const u64 *panels,
		const u64 *launches, u32 count)
{
	u32 i;

	fprintf(gnuplot, "set multiplot layout %u,%u title ", rows_of(count),
		columns_of(count));
	gnuplot_quote(gnuplot, view->header->name);
	fprintf(gnuplot, " noenhanced\nset xlabel 'warp, in order of thread "
		"blocks'\nset ylabel 'address (MiB)'\nset yrange [0:%.6f]\n"
		"set key bmargin center horizontal samplen 1\nset bmargin 5.5\n",
		(double)view->header->footprint_bytes / (1 << 20) + 1e-6);
	for (i = 0; i < count; i++)
		if (draw_panel(gnuplot, view, &view->kernels[panels[i]],
			       launches[i], count))
			return STATUS_FAILED;
	fputs("unset multiplot\n", gnuplot);
	return STATUS_OK;
}

int plot_trace(const struct view *view, const char *path)
{
	u64 panels[PANELS_MAX], launches[PANELS_MAX];
	u32 count = choose_panels(view, panels, launches);
	FILE *gnuplot = gnuplot_open(path, columns_of(count) * 420 + 60,
				     rows_of(count) * 320 + 30);
	int ret, closed;

	if (!gnuplot)
		return STATUS_FAILED;
	ret = draw(gnuplot, view, panels, launches, count);
	closed = gnuplot_close(gnuplot, path);
	return ret ? ret : closed;
}

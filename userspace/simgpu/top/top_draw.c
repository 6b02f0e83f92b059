// SPDX-License-Identifier: GPL-2.0
/* Drawing a state of simgpu top, from whatever feed; see top.h. */
#include <curses.h>

#include "../colour.h"
#include "../json.h"
#include "../output.h"
#include "screen.h"
#include "top.h"
#include "top_draw.h"
#include "top_state.h"
#include "top_views.h"

/* On a screen with fewer columns, only a word is shown. */
#define COLUMNS_LEAST	80
#define LINES_LEAST	10
/* From this width on, there is room for process numbers. */
#define COLUMNS_WIDE	100
/* From this width on, also for cgroups, and for latencies if there are any. */
#define COLUMNS_WIDEST	150

/* Width of the energy that the device has taken. */
#define ENERGY_COLUMNS	29

#define HEAD_LINES	4
#define FOOT_LINES	2
#define EIGHTHS		8

/**
 * struct layout - widths of the table's columns, in characters
 * @name: tenant's name
 * @pid: its process, or 0
 * @cgroup: end of its cgroup's path, or 0
 * @latency: launches and their latency, or 0
 * @bar: bar of SMs
 * @history: history of NP
 */
struct layout {
	int name;
	int pid;
	int cgroup;
	int latency;
	int bar;
	int history;
};

/* Width of the columns of fixed width, with the blanks between them. */
#define COLUMNS_FIXED	52

/* Width of " LAUNCHES  WAIT    P99 us". */
#define COLUMNS_LATENCY	26

/* Latencies are of interest if any tenant has several launches; each has at least one. */
static bool has_latencies(const struct top_device *device)
{
	u32 i;

	for (i = 0; i < device->tenant_count; i++)
		if (device->tenants[i].report.launches > 1 ||
		    device->tenants[i].report.launches_waiting)
			return true;
	return false;
}

static struct layout lay_out(const struct top_device *device)
{
	struct layout layout = { .name = 10 };
	int rest;

	if (COLS >= COLUMNS_WIDE) {
		layout.name = 20;
		layout.pid = 8;
	}
	if (COLS >= COLUMNS_WIDEST)
		layout.cgroup = TOP_CGROUP_BYTES;
	if (COLS >= COLUMNS_WIDEST && has_latencies(device))
		layout.latency = COLUMNS_LATENCY;
	rest = COLS - COLUMNS_FIXED - layout.name - layout.pid -
	       layout.cgroup - layout.latency;
	layout.history = rest * 2 / 5;
	if (layout.history > TOP_HISTORY)
		layout.history = TOP_HISTORY;
	layout.bar = rest - layout.history;
	return layout;
}

/* --- the head --- */

static double ratio(u64 value_ppm)
{
	return (double)value_ppm / SIMGPU_PPM;
}

static void draw_head(const struct top_state *state,
		      const struct top_device *device)
{
	attron(A_BOLD);
	mvprintw(0, 0, "simgpu%u", device->number);
	attroff(A_BOLD);
	printw("  %s  %s", device->config, device->state);
	if (device->failures)
		printw("  %llu failures", device->failures);
	mvprintw(0, COLS - 16, "device %2u of %2u", state->device + 1,
		 state->device_count);
	mvprintw(1, 0, "policy %s  model %s", device->policy, device->model);
	if (device->energy_joules > 0 && getcurx(stdscr) < COLS - ENERGY_COLUMNS)
		mvprintw(1, COLS - ENERGY_COLUMNS, " %9.3f J %8.2e instr/J",
			 device->energy_joules, device->instructions_per_joule);
	move(2, 0);
	if (!device->epoch_known) {
		addstr("no epoch has ended yet");
		return;
	}
	printw("epoch %llu, %.1f Mcycles", device->epoch,
	       (double)device->cycle / 1e6);
	if (device->predicted)
		printw("   fairness %.3f  STP %.3f  ANTT %.3f",
		       ratio(device->fairness_ppm), ratio(device->stp_ppm),
		       ratio(device->antt_ppm));
	if (device->missed)
		printw("   %llu missed", device->missed);
}

static void draw_headings(const struct layout *layout, u32 view)
{
	attron(A_REVERSE);
	mvhline(HEAD_LINES - 1, 0, ' ', COLS);
	mvprintw(HEAD_LINES - 1, 0, " %-*s", layout->name, "NAME");
	if (layout->pid)
		printw("%*s", layout->pid, "PID");
	if (layout->cgroup)
		printw(" %-*s", layout->cgroup - 1, "CGROUP");
	if (view != TOP_PROGRESS) {
		addstr(top_columns_of(view)->headings);
		attroff(A_REVERSE);
		return;
	}
	printw(" %-7s %4s %6s %3s %-*s %5s %-*s %6s %5s %5s", "CLASS", "WGT",
	       "TARGET", "SMS", layout->bar, "", "NP", layout->history,
	       "HISTORY", "IPC", "RBH", "BW");
	if (layout->latency)
		printw(" %8s %5s %10s", "LAUNCHES", "WAIT", "P99 us");
	attroff(A_REVERSE);
}

/* --- a tenant --- */

/* Draws a bar from the left, to an eighth of a character where that can be shown. */
static void draw_bar(u32 part, u32 whole, int width)
{
	static const char *const parts[EIGHTHS] = {
		" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"
	};
	bool utf8 = screen_is_utf8();
	int filled, i;

	if (part > whole)
		part = whole;
	filled = whole ? (int)((u64)part * (u32)width * EIGHTHS / whole) : 0;
	for (i = 0; i < width; i++, filled -= EIGHTHS) {
		if (filled >= EIGHTHS)
			addstr(utf8 ? "█" : "#");
		else if (filled > 0)
			addstr(utf8 ? parts[filled] :
			       filled >= EIGHTHS / 2 ? "#" : ".");
		else
			addstr(utf8 ? "·" : ".");
	}
}

/* Draws the history of NP, the newest value on the right. */
static void draw_history(const struct top_tenant *tenant, int width)
{
	static const char *const levels[EIGHTHS] = {
		"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
	};
	static const char ascii[EIGHTHS + 1] = "_.,-~=+#";
	bool utf8 = screen_is_utf8();
	u64 back;

	for (back = (u64)width; back > 0; back--) {
		u64 np = back > tenant->history_count ? TOP_NP_UNKNOWN :
			 tenant->history[(tenant->history_count - back) %
					 TOP_HISTORY];
		u64 at = np / (SIMGPU_PPM / EIGHTHS);

		if (at >= EIGHTHS)
			at = EIGHTHS - 1;
		if (np == TOP_NP_UNKNOWN)
			addch(' ');
		else if (utf8)
			addstr(levels[at]);
		else
			addch((chtype)ascii[at]);
	}
}

/* A tenant's name, behind a sign if launches of it have failed. */
static void name_of(const struct top_tenant *tenant, char *name, size_t room)
{
	const struct simgpu_tenant_report *report = &tenant->report;
	u64 failed = report->timeouts + report->faults;

	if (report->flags & SIMGPU_REPORT_BANNED)
		snprintf(name, room, "!banned %s", tenant->name);
	else if (failed)
		snprintf(name, room, "!%llu %s", failed, tenant->name);
	else
		snprintf(name, room, "%s", tenant->name);
}

static void draw_name(const struct top_tenant *tenant,
		      const struct layout *layout, bool selected)
{
	char name[SIMGPU_NAME_MAX + 24];

	name_of(tenant, name, sizeof(name));
	if (selected)
		attron(A_REVERSE);
	printw("%c%-*.*s", selected ? '>' : ' ', layout->name, layout->name, name);
	if (layout->pid && tenant->pid)
		printw("%*u", layout->pid, tenant->pid);
	else if (layout->pid)
		printw("%*s", layout->pid, "-");
	if (layout->cgroup)
		printw(" %-*s", layout->cgroup - 1,
		       tenant->cgroup[0] ? tenant->cgroup : "-");
	if (selected)
		attroff(A_REVERSE);
}

static void draw_settings(const struct top_tenant *tenant)
{
	printw(" %-7s ", tenant->known ? class_name(tenant->class) : "-");
	if (tenant->weight)
		printw("%4u ", tenant->weight);
	else
		printw("%4s ", "-");
	if (tenant->qos)
		printw("%6.3f", ratio(tenant->target_ppm));
	else
		printw("%6s", "-");
	printw(" %3u ", tenant->sms);
}

static void draw_figures(const struct top_tenant *tenant)
{
	int places = tenant->ipc_ppm >= 10000ULL * SIMGPU_PPM ? 0 : 1;

	if (!tenant->known) {
		printw(" %6s %5s %5s", "-", "-", "-");
		return;
	}
	printw(" %6.*f %5.3f %5.3f", places, ratio(tenant->ipc_ppm),
	       ratio(tenant->rbh_ppm), ratio(tenant->bandwidth_ppm));
}

static void draw_latency(const struct top_tenant *tenant)
{
	const struct simgpu_tenant_report *report = &tenant->report;

	printw(" %8llu %5llu", (u64)report->launches,
	       (u64)report->launches_waiting);
	if (report->launches)
		printw(" %10.0f", (double)report->latency_p99_ns / 1e3);
	else
		printw(" %10s", "-");
}

static void draw_progress(const struct top_device *device,
			  const struct top_tenant *tenant,
			  const struct layout *layout)
{
	attr_t colour = (attr_t)COLOR_PAIR(screen_pair(tenant_colour(tenant->colour)));

	draw_settings(tenant);
	attron(colour);
	draw_bar(tenant->sms, device->sms, layout->bar);
	attroff(colour);
	if (tenant->np_ppm == TOP_NP_UNKNOWN)
		printw(" %5s ", "-");
	else
		printw("%c%5.3f ", tenant->np_doubted ? '~' : ' ',
		       ratio(tenant->np_ppm));
	attron(colour);
	draw_history(tenant, layout->history);
	attroff(colour);
	draw_figures(tenant);
	if (layout->latency)
		draw_latency(tenant);
}

static void draw_tenant(const struct top_state *state,
			const struct top_device *device,
			const struct top_tenant *tenant,
			const struct layout *layout)
{
	const struct top_columns *columns;

	draw_name(tenant, layout, tenant->id == state->tenant);
	if (state->view == TOP_PROGRESS) {
		draw_progress(device, tenant, layout);
		return;
	}
	columns = top_columns_of(state->view);
	columns->draw(tenant, COLS - 1 - layout->name - layout->pid -
			      layout->cgroup - (int)strlen(columns->headings));
}

/* --- all of them --- */

static u32 lines_between(const struct top_device *device, u32 first, u32 last)
{
	u32 lines = 0;

	for (; first <= last && first < device->tenant_count; first++)
		lines += top_lines_of(&device->tenants[first]);
	return lines;
}

/* Scrolls so that the selected tenant is seen; if none is selected, the first one is. */
static void scroll_to(struct top_state *state, const struct top_device *device,
		      u32 rows)
{
	u32 at = 0;

	while (at < device->tenant_count &&
	       device->tenants[at].id != state->tenant)
		at++;
	if (at == device->tenant_count) {
		at = 0;
		state->tenant = device->tenant_count ? device->tenants[0].id : 0;
	}
	if (state->first > at)
		state->first = at;
	while (state->first < at &&
	       lines_between(device, state->first, at) > rows)
		state->first++;
	if (lines_between(device, 0, device->tenant_count) <= rows)
		state->first = 0;
}

static void draw_tenants(struct top_state *state,
			 const struct top_device *device)
{
	u32 rows = (u32)(LINES - HEAD_LINES - FOOT_LINES), row = 0, at;
	struct layout layout = lay_out(device);

	draw_headings(&layout, state->view);
	scroll_to(state, device, rows);
	for (at = state->first; at < device->tenant_count && row < rows; at++) {
		const struct top_tenant *tenant = &device->tenants[at];

		move(HEAD_LINES + (int)row, 0);
		draw_tenant(state, device, tenant, &layout);
		if (tenant->unfolded)
			top_draw_queues(tenant, HEAD_LINES + (int)row + 1,
					rows - row - 1);
		row += top_lines_of(tenant);
	}
	if (!device->tenant_count)
		mvaddstr(HEAD_LINES + 1, 2, "There is no tenant.");
	if (state->first || at < device->tenant_count)
		mvprintw(LINES - FOOT_LINES, COLS - 26, "tenants %3u to %3u of %3u",
			 state->first + 1, at, device->tenant_count);
}

static void draw_foot(const struct top_state *state)
{
	mvaddnstr(LINES - FOOT_LINES, 0, state->message, COLS - 28);
	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	mvaddnstr(LINES - 1, 0, state->epochs ?
		  " q quit  Space pause  Left Right step  g epoch  c cycle  Enter queues  h help" :
		  " q quit  Tab device  Enter queues  v view  p policy  w weight  t target  h help",
		  COLS - 1);
	attroff(A_REVERSE);
}

/* --- windows above it --- */

/* Draws a frame in the middle; returns its first line and column inside. */
static void draw_frame(int lines, int columns, const char *title, int *line,
		       int *column)
{
	int top = (LINES - lines - 2) / 2, left = (COLS - columns - 4) / 2, i;

	if (top < 0)
		top = 0;
	for (i = 0; i < lines + 2; i++)
		mvhline(top + i, left, ' ', columns + 4);
	mvhline(top, left, ACS_HLINE, columns + 4);
	mvhline(top + lines + 1, left, ACS_HLINE, columns + 4);
	mvvline(top, left, ACS_VLINE, lines + 2);
	mvvline(top, left + columns + 3, ACS_VLINE, lines + 2);
	mvaddch(top, left, ACS_ULCORNER);
	mvaddch(top, left + columns + 3, ACS_URCORNER);
	mvaddch(top + lines + 1, left, ACS_LLCORNER);
	mvaddch(top + lines + 1, left + columns + 3, ACS_LRCORNER);
	mvprintw(top, left + 2, " %s ", title);
	*line = top + 1;
	*column = left + 2;
}

static void draw_choice(const struct top_state *state)
{
	int line, column, rows = (int)state->name_count, first = 0, i;

	if (rows > LINES - 4)
		rows = LINES - 4;
	if ((int)state->chosen >= rows)
		first = (int)state->chosen - rows + 1;
	draw_frame(rows, 34, state->title, &line, &column);
	for (i = 0; i < rows; i++) {
		bool chosen = first + i == (int)state->chosen;

		if (chosen)
			attron(A_REVERSE);
		mvprintw(line + i, column, "%-34.34s", state->names[first + i]);
		if (chosen)
			attroff(A_REVERSE);
	}
}

static void draw_entry(const struct top_state *state)
{
	int line, column;

	draw_frame(2, 44, state->title, &line, &column);
	mvprintw(line, column, "%s_", state->entry);
	mvaddstr(line + 1, column, "Enter takes it, Escape leaves it");
}

/* The meaning of a view's columns, with NULL at the end. */
static const char *const *help_of(u32 view)
{
	static const char *const progress[] = {
		"CLASS    what limits the tenant, by the model",
		"WGT      its weight; TARGET: the NP it is promised",
		"SMS      streaming multiprocessors that it holds",
		"NP       normalized progress, predicted: 1 is as",
		"         fast as alone; HISTORY: of its epochs",
		"IPC      thread instructions a cycle",
		"RBH      row buffer hit rate",
		"BW       its share of peak memory bandwidth",
		"!2 NAME  two of its launches have failed; !banned:",
		"         all of them end at once",
		NULL
	};

	return view == TOP_PROGRESS ? progress : top_columns_of(view)->help;
}

static void draw_help(u32 view)
{
	static const char *const keys[] = {
		"",
		"Up Down  choose a tenant      Tab  next device",
		"Enter    its queues           v    other columns",
		"p  policy    w  weight    t  target    q  quit",
		"Ctrl-L   draw the screen again",
		"",
		"Of a recorded run:",
		"Space    pause, go on         Left Right  one epoch",
		"Home End  first, last epoch   g  epoch  c  cycle",
	};
	const char *const *words = help_of(view);
	int columns = 0, rows, line, column, i;

	while (words[columns])
		columns++;
	rows = columns + (int)ARRAY_SIZE(keys);
	if (rows > LINES - 2)
		rows = LINES - 2;
	draw_frame(rows, 50, "simgpu top", &line, &column);
	for (i = 0; i < rows; i++)
		mvaddstr(line + i, column, i < columns ? words[i] :
					   keys[i - columns]);
}

void top_draw(struct top_state *state)
{
	struct top_device *device = top_shown(state);

	erase();
	if (COLS < COLUMNS_LEAST || LINES < LINES_LEAST) {
		mvprintw(0, 0, "%dx%d is too small: %dx%d", COLS, LINES,
			 COLUMNS_LEAST, LINES_LEAST);
		refresh();
		return;
	}
	if (device) {
		draw_head(state, device);
		draw_tenants(state, device);
	} else {
		mvaddstr(0, 0, "There is no device. It appears here when there is one.");
	}
	draw_foot(state);
	if (state->mode == TOP_HELP)
		draw_help(state->view);
	else if (state->mode == TOP_CHOOSE)
		draw_choice(state);
	else if (state->mode == TOP_ENTER)
		draw_entry(state);
	refresh();
}

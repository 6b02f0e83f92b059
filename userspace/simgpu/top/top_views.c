// SPDX-License-Identifier: GPL-2.0
/*
 * Views of simgpu top beside the one of progress: launches and their latency; shared SMs,
 * quotas, goals and energy; managed memory; and tokens. Also what is below an unfolded
 * tenant: queues, and gauges of the policy. See top.h.
 */
#include <curses.h>

#include "../queue_rows.h"
#include "../report_fields.h"
#include "top.h"
#include "top_views.h"

/* With at least this room, lists of SMs are shown. */
#define LISTS_ROOM	16

/* --- numbers in few characters --- */

/* Prints a number, in thousands if it is too wide: "123456", "1234567k". */
static void print_count(int width, double value)
{
	static const char units[] = " kMGTPE";
	double limit = 1;
	u32 unit = 0;
	int i;

	for (i = 0; i < width - 1; i++)
		limit *= 10;
	if (value < limit * 10 && value > -limit) {
		printw(" %*.0f", width, value);
		return;
	}
	while ((value >= limit || value <= -limit / 10) &&
	       unit + 2 < sizeof(units)) {
		value /= 1000;
		unit++;
	}
	printw(" %*.0f%c", width - 1, value, units[unit]);
}

static void print_if(bool known, int width, double value)
{
	if (known)
		print_count(width, value);
	else
		printw(" %*s", width, "-");
}

/* --- launches --- */

static const char *const launches_help[] = {
	"LAUNCHES that have ended, and those that WAIT",
	"P50 us   from arrival to end, in device time:",
	"         half took no longer; P95, P99: of 100",
	"WAIT us  mean from arrival to start; RUN us: to end",
	"MISS     ended after their deadline",
	"GOOD/s   the others, a second of device time",
	NULL
};

static void draw_launches(const struct top_tenant *tenant, int room)
{
	const struct simgpu_tenant_report *report = &tenant->report;
	const u64 times[] = {
		report->latency_p50_ns, report->latency_p95_ns,
		report->latency_p99_ns, report->wait_mean_ns,
		report->run_mean_ns,
	};
	bool any = report->launches;
	u32 i;

	(void)room;
	print_count(8, (double)report->launches);
	print_count(4, (double)report->launches_waiting);
	for (i = 0; i < ARRAY_SIZE(times); i++)
		print_if(any, 7, (double)times[i] / 1e3);
	print_count(4, (double)report->deadline_misses);
	print_if(any, 7, (double)report->goodput_ppm / SIMGPU_PPM);
}

/* --- shared SMs, quotas, goals and energy --- */

static const char *const sharing_help[] = {
	"SMS      that it may use; SHARED: of these, shared",
	"BLOCKS   thread blocks that it has on SMs",
	"QUOTA    thread instructions that it may issue on",
	"         all of them; LEFT: what is left of that",
	"GOAL     thread instructions a cycle; IPC: those of",
	"         its last epoch; MET: since it was set",
	"JOULES   of its events; last: own SMs | shared SMs",
	NULL
};

static void draw_lists(const struct top_tenant *tenant, int room)
{
	char text[2 * ROW_SM_LIST_BYTES + 8];

	if (room < LISTS_ROOM)
		return;
	snprintf(text, sizeof(text), "%s%s%s", tenant->sm_list,
		 tenant->shared_sm_list[0] ? " | " : "", tenant->shared_sm_list);
	printw(" %-*.*s", room - 1, room - 1, text);
}

static void draw_sharing(const struct top_tenant *tenant, int room)
{
	const struct simgpu_tenant_report *report = &tenant->report;
	bool goal = report->goal_ipc_ppm;

	printw(" %3u %6u", report->sms, report->shared_sms);
	print_count(6, (double)report->blocks);
	print_if(report->quota, 8, (double)report->quota);
	print_if(report->flags & SIMGPU_REPORT_QUOTA, 8,
		 (double)report->quota_left);
	print_if(goal, 6, (double)report->goal_ipc_ppm / SIMGPU_PPM);
	print_if(tenant->known, 6, (double)tenant->ipc_ppm / SIMGPU_PPM);
	printw(" %3s", !goal ? "-" : report->flags & SIMGPU_REPORT_GOAL_MET ?
	       "yes" : "no");
	if (report->flags & SIMGPU_REPORT_ENERGY)
		printw(" %9.4f", (double)report->energy_pj / 1e12);
	else
		printw(" %9s", "-");
	draw_lists(tenant, room);
}

/* --- managed memory --- */

static const char *const memory_help[] = {
	"MANAGED  MiB of its memory that are managed",
	"RESIDENT MiB of them that are on the device",
	"FAULTS   accesses that found their page missing",
	"IN, OUT  MiB that came to the device, and left it",
	NULL
};

static double mib(u64 bytes)
{
	return (double)bytes / (1 << 20);
}

static void draw_memory(const struct top_tenant *tenant, int room)
{
	const struct simgpu_tenant_report *report = &tenant->report;
	bool managed = report->managed_bytes;

	(void)room;
	print_if(managed, 9, mib(report->managed_bytes));
	print_if(managed, 9, mib(report->resident_bytes));
	print_if(managed, 9, (double)report->page_faults);
	print_if(managed, 9, mib(report->paged_in_bytes));
	print_if(managed, 9, mib(report->paged_out_bytes));
}

/* --- tokens --- */

static const char *const tokens_help[] = {
	"FIRST    requests of a language model with a token",
	"MEAN us  from arrival to first token, in device time;",
	"         half took no longer than P50; P99: of 100",
	"TOKENS   further ones, and times between tokens",
	"BATCH    requests with a token in a decode, where they are batched",
	NULL
};

static void draw_tokens(const struct top_tenant *tenant, int room)
{
	const struct simgpu_tenant_report *report = &tenant->report;
	const u64 first[] = {
		report->ttft_mean_ns, report->ttft_p50_ns, report->ttft_p99_ns,
	};
	const u64 further[] = {
		report->tbt_mean_ns, report->tbt_p50_ns, report->tbt_p99_ns,
	};
	u32 i;

	(void)room;
	print_if(report->first_tokens, 6, (double)report->first_tokens);
	for (i = 0; i < ARRAY_SIZE(first); i++)
		print_if(report->first_tokens, 7, (double)first[i] / 1e3);
	print_if(report->tokens, 7, (double)report->tokens);
	for (i = 0; i < ARRAY_SIZE(further); i++)
		print_if(report->tokens, 7, (double)further[i] / 1e3);
	if (report->batch_mean_ppm)
		printw(" %5.1f", (double)report->batch_mean_ppm / SIMGPU_PPM);
	else
		printw(" %5s", "-");
}

const struct top_columns *top_columns_of(u32 view)
{
	static const struct top_columns views[TOP_VIEWS] = {
		[TOP_LAUNCHES] = {
			" LAUNCHES WAIT  P50 us  P95 us  P99 us WAIT us  RUN us MISS  GOOD/s",
			draw_launches, launches_help
		},
		[TOP_SHARING] = {
			" SMS SHARED BLOCKS    QUOTA     LEFT   GOAL    IPC MET    JOULES",
			draw_sharing, sharing_help
		},
		[TOP_MEMORY] = {
			"   MANAGED  RESIDENT    FAULTS    MiB IN   MiB OUT",
			draw_memory, memory_help
		},
		[TOP_TOKENS] = {
			"  FIRST MEAN us  P50 us  P99 us  TOKENS MEAN us  P50 us  P99 us BATCH",
			draw_tokens, tokens_help
		},
	};

	return &views[view];
}

/* --- queues --- */

u32 top_lines_of(const struct top_tenant *tenant)
{
	u32 queues = tenant->report.queue_count;

	if (!tenant->unfolded)
		return 1;
	return 1 + (tenant->gauges[0] ? 1 : 0) + report_has_copies(&tenant->report) +
	       (queues ? queues : 1);
}

void top_draw_queues(const struct top_tenant *tenant, int line, u32 rows)
{
	const struct simgpu_tenant_report *report = &tenant->report;
	u32 i;

	if (tenant->gauges[0] && rows) {
		mvprintw(line++, 3, "policy: %.*s", COLS - 12, tenant->gauges);
		rows--;
	}
	if (report_has_copies(report) && rows) {
		mvprintw(line++, 3,
			 "copies: %llu ended, %llu running, %llu waiting; wait %.1f us, P99 %.1f",
			 report->copies, report->copies_running, report->copies_waiting,
			 (double)report->copy_wait_mean_ns / 1e3,
			 (double)report->copy_wait_p99_ns / 1e3);
		rows--;
	}
	if (!report->queue_count && rows)
		mvaddstr(line, 3, "it has no queue yet, or they are not told");
	for (i = 0; i < report->queue_count && i < rows; i++) {
		const struct simgpu_queue_report *queue = &report->queue[i];

		mvprintw(line + (int)i, 3,
			 "queue %u  %-7s  priority %2d  kernel %u, %u more waiting",
			 i, row_queue_state(queue->state), queue->priority,
			 queue->kernel, queue->waiting);
	}
}

/* --- from sysfs --- */

static bool read_text(unsigned int device, const struct top_tenant *tenant,
		      const char *file, char *value)
{
	return !simgpu_read_tenant_value(device, tenant->id, file, value,
					 SIMGPU_VALUE_BYTES);
}

static void read_list(unsigned int device, const struct top_tenant *tenant,
		      const char *file, char *list)
{
	char value[SIMGPU_VALUE_BYTES] = "";

	read_text(device, tenant, file, value);
	snprintf(list, ROW_SM_LIST_BYTES, "%.*s", ROW_SM_LIST_BYTES - 1, value);
}

void top_read_report(unsigned int device, struct top_tenant *tenant)
{
	struct simgpu_tenant_report *report = &tenant->report;
	const struct figure *figure;
	char value[SIMGPU_VALUE_BYTES];

	memset(report, 0, sizeof(*report));
	each_figure(figure)
		if (!report_field_is_list(figure) &&
		    read_text(device, tenant, figure->name, value))
			report_field_set(report, figure, strtod(value, NULL));
	if (read_text(device, tenant, "queues", value))
		report->queue_count = queues_from_text(value, report->queue);
	read_list(device, tenant, "sm_list", tenant->sm_list);
	read_list(device, tenant, "shared_sm_list", tenant->shared_sm_list);
}

// SPDX-License-Identifier: GPL-2.0
/* Requests and their deadlines; see service.h. */
#include "internal.h"
#include "service.h"

u64 service_deadline(u64 times_ppm, u64 alone_cycles)
{
	u64 cycles = fixed_mul_div(times_ppm, alone_cycles, SIMGPU_PPM);

	return cycles ? cycles : 1;
}

static int compare_cycles(const void *a, const void *b)
{
	u64 left = *(const u64 *)a, right = *(const u64 *)b;

	return left < right ? -1 : left > right;
}

/* The value at the nearest rank. */
static u64 percentile(const u64 *sorted, u64 count, u64 percent)
{
	return count ? sorted[(count * percent + 99) / 100 - 1] : 0;
}

/* Whether an unfinished request has passed its deadline; before that it may be in time. */
static bool is_late(const struct service_run *run, u64 arrival)
{
	u64 deadline = run->plan->deadline_cycles;

	return deadline && fixed_add(arrival, deadline) < run->stop;
}

static bool is_met(const struct service_run *run, u64 latency)
{
	u64 deadline = run->plan->deadline_cycles;

	return !deadline || latency <= deadline;
}

/* Judge the request that came at @arrival; add its latency, or age, to @latencies. */
static int judge_one(const struct service_run *run, u64 arrival,
		     struct service_figures *out, u64 *latencies)
{
	u64 index = out->requests++;

	if (index < run->ended) {
		if (run->ends[index] < arrival)
			return -EINVAL;
		latencies[out->judged] = run->ends[index] - arrival;
		out->met += is_met(run, latencies[out->judged++]);
		return 0;
	}
	out->unfinished++;
	if (!is_late(run, arrival))
		return 0;
	out->late++;
	latencies[out->judged++] = run->stop - arrival;
	return 0;
}

static u64 count_requests(const struct service_run *run)
{
	struct arrivals_cursor cursor;
	u64 count = 0;

	arrivals_first(run->plan, run->slot, &cursor);
	while (cursor.cycle < run->stop) {
		count++;
		if (!arrivals_next(run->plan, run->slot, &cursor))
			break;
	}
	return count;
}

int service_judge(const struct service_run *run, struct service_figures *out)
{
	u64 count = count_requests(run), i;
	struct arrivals_cursor cursor;
	u64 *latencies;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	if (run->ended > count)
		return -EINVAL;
	latencies = calloc(count + 1, sizeof(*latencies));
	if (!latencies)
		return -ENOMEM;
	arrivals_first(run->plan, run->slot, &cursor);
	for (i = 0; !ret && i < count; i++) {
		ret = judge_one(run, cursor.cycle, out, latencies);
		arrivals_next(run->plan, run->slot, &cursor);
	}
	qsort(latencies, out->judged, sizeof(*latencies), compare_cycles);
	out->p50_cycles = percentile(latencies, out->judged, 50);
	out->p99_cycles = percentile(latencies, out->judged, 99);
	free(latencies);
	return ret;
}

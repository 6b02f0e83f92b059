// SPDX-License-Identifier: GPL-2.0
/* A saved run, shown as simgpu top would have shown it live. */
#include <math.h>

#include "../recorded.h"
#include "top.h"
#include "top_replay.h"
#include "top_state.h"

/**
 * struct replay - data of this feed
 * @sms: most SMs that tenants held at once
 * @at: index of the epoch that is shown
 * @paused: whether it stays; else the next one follows at @next_ms
 */
struct replay {
	struct recorded run;
	u32 sms;
	size_t at;
	bool paused;
	int interval_ms;
	s64 next_ms;
};

static u64 ppm(double value)
{
	return value > 0 ? (u64)(value * SIMGPU_PPM + 0.5) : 0;
}

static u64 np_of(const struct recorded_epoch *epoch)
{
	return epoch->np_known ? ppm(epoch->np) : TOP_NP_UNKNOWN;
}

static int compare_end(const void *end, const void *epoch)
{
	u64 left = *(const u64 *)end;
	u64 right = ((const struct recorded_epoch *)epoch)->end;

	return left < right ? -1 : left > right;
}

static const struct recorded_epoch *
epoch_ending_at(const struct recorded_tenant *tenant, u64 end)
{
	return bsearch(&end, tenant->epochs, tenant->count,
		       sizeof(*tenant->epochs), compare_end);
}

/* Fill in the history of NP, back to the tenant's arrival or as far as is shown. */
static void take_history(struct top_tenant *tenant,
			 const struct recorded_tenant *from,
			 const struct recorded_epoch *last)
{
	const struct recorded_epoch *epoch = last;

	while (epoch > from->epochs && last - epoch < TOP_HISTORY - 1 &&
	       epoch[-1].end == epoch->start)
		epoch--;
	tenant->history_count = 0;
	for (; epoch <= last; epoch++)
		top_add_np(tenant, np_of(epoch));
}

static void take_gauges(struct top_tenant *tenant, const struct recorded *run,
			const struct recorded_epoch *epoch)
{
	char text[SESSION_GAUGE_TEXT_BYTES];
	u32 i;

	tenant->gauges[0] = '\0';
	for (i = 0; i < run->gauge_count; i++) {
		if (isnan(epoch->gauges[i]))
			continue;
		snprintf(text, sizeof(text), "%.12g", epoch->gauges[i]);
		top_add_gauge(tenant, run->gauges[i], text);
	}
}

static struct top_tenant *take_tenant(struct top_device *device, u64 id,
			const struct recorded_tenant *from,
			const struct recorded_epoch *epoch)
{
	struct top_tenant *tenant = top_find_tenant(device, id);

	if (!tenant) {
		tenant = top_add_tenant(device, id);
		tenant->colour = (u32)id;
		snprintf(tenant->name, sizeof(tenant->name), "%s", from->name);
	}
	tenant->known = true;
	tenant->report = from->report;
	snprintf(tenant->sm_list, sizeof(tenant->sm_list), "%s", from->sm_list);
	snprintf(tenant->shared_sm_list, sizeof(tenant->shared_sm_list), "%s",
		 from->shared_sm_list);
	tenant->class = epoch->class;
	tenant->np_doubted = epoch->np_doubted;
	tenant->sms = epoch->sms;
	tenant->ipc_ppm = ppm(epoch->ipc);
	tenant->rbh_ppm = ppm(epoch->rbh);
	tenant->bandwidth_ppm = ppm(epoch->bandwidth);
	take_history(tenant, from, epoch);
	return tenant;
}

/* Compute the metrics of the predictions, as the device would. */
static void find_metrics(struct top_device *device)
{
	double least = 0, most = 0, sum = 0, slow = 0;
	u32 i;

	device->predicted = false;
	for (i = 0; i < device->tenant_count; i++) {
		const struct top_tenant *tenant = &device->tenants[i];
		double np = (double)tenant->np_ppm / SIMGPU_PPM;

		/* A tenant that issued nothing made no progress. */
		if (!tenant->ipc_ppm)
			np = 0;
		else if (tenant->np_ppm == TOP_NP_UNKNOWN)
			return;
		least = !i || np < least ? np : least;
		most = np > most ? np : most;
		sum += np;
		slow += np > 0 ? 1 / np : 0;
	}
	if (!(most > 0))
		return;
	device->predicted = true;
	device->fairness_ppm = ppm(least / most);
	device->stp_ppm = ppm(sum);
	device->antt_ppm = least > 0 ? ppm(slow / device->tenant_count) : 0;
}

/* Fill the device from the run alone, whatever was shown before. */
static void show(const struct replay *replay, struct top_device *device)
{
	const struct recorded *run = &replay->run;
	u64 end = run->ends[replay->at];
	size_t i;

	for (i = 0; i < run->tenant_count; i++) {
		const struct recorded_epoch *epoch =
			epoch_ending_at(&run->tenants[i], end);
		struct top_tenant *tenant = top_find_tenant(device, i);

		if (epoch)
			take_gauges(take_tenant(device, i, &run->tenants[i], epoch), run,
				    epoch);
		else if (tenant)
			top_remove_tenant(device, tenant);
	}
	strcpy(device->state, replay->paused ? "paused" : "recorded");
	device->epoch_known = true;
	device->epoch = replay->at;
	device->cycle = end;
	find_metrics(device);
}

/* --- which epoch --- */

static size_t last_of(const struct replay *replay)
{
	return replay->run.end_count - 1;
}

/* The first epoch that ends at this cycle or later, or one behind the last. */
static size_t epoch_of(const struct recorded *run, u64 cycle)
{
	size_t low = 0, high = run->end_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (run->ends[middle] < cycle)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void go_to(struct replay *replay, struct top_state *state, u64 epoch)
{
	if (epoch >= last_of(replay)) {
		epoch = last_of(replay);
		strcpy(state->message, "This is the run's last epoch.");
	}
	replay->at = epoch;
}

static void go(struct top_feed *feed, struct top_state *state,
	       enum top_move to, u64 value)
{
	struct replay *replay = feed->context;

	if (to == TOP_PAUSE) {
		replay->paused = !replay->paused;
		replay->next_ms = top_now_ms() + replay->interval_ms;
		return;
	}
	replay->paused = true;
	if (to == TOP_BACK && !replay->at)
		strcpy(state->message, "This is the run's first epoch.");
	else if (to == TOP_BACK)
		replay->at--;
	else if (to == TOP_AHEAD)
		go_to(replay, state, replay->at + 1);
	else if (to == TOP_LAST)
		go_to(replay, state, last_of(replay));
	else if (to == TOP_CYCLE)
		go_to(replay, state, epoch_of(&replay->run, value));
	else
		go_to(replay, state, value);
}

static void begin(struct replay *replay, struct top_state *state)
{
	struct top_device *device = top_add_device(state, 0);

	snprintf(device->config, sizeof(device->config), "%s",
		 replay->run.config);
	snprintf(device->policy, sizeof(device->policy), "%.*s%s",
		 SIMGPU_NAME_MAX - 16, replay->run.policy,
		 recorded_mark(&replay->run));
	snprintf(device->model, sizeof(device->model), "%s", replay->run.model);
	device->energy_joules = replay->run.energy_joules;
	device->instructions_per_joule = replay->run.instructions_per_joule;
	device->sms = replay->sms;
	state->epochs = replay->run.end_count;
	replay->next_ms = top_now_ms() + replay->interval_ms;
	go_to(replay, state, 0);
}

/* Go on to the epoch that is due; epochs that were due meanwhile are skipped. */
static int update(struct top_feed *feed, struct top_state *state)
{
	struct replay *replay = feed->context;
	s64 late;

	if (!state->device_count)
		begin(replay, state);
	late = top_now_ms() - replay->next_ms;
	if (!replay->paused && replay->at < last_of(replay) && late >= 0) {
		s64 due = 1 + late / replay->interval_ms;

		go_to(replay, state, replay->at + (u64)due);
		replay->next_ms += due * replay->interval_ms;
	}
	show(replay, top_shown(state));
	feed->interval_ms = replay->paused || replay->at == last_of(replay) ?
			    -1 : replay->interval_ms;
	return STATUS_OK;
}

/* The length of bars, which is the same in all epochs. */
static u32 most_sms(const struct recorded *run)
{
	u32 *held = grow(NULL, run->end_count, sizeof(*held)), most = 0;
	size_t i, j;

	memset(held, 0, run->end_count * sizeof(*held));
	for (i = 0; i < run->tenant_count; i++)
		for (j = 0; j < run->tenants[i].count; j++) {
			const struct recorded_epoch *epoch =
				&run->tenants[i].epochs[j];

			held[epoch_of(run, epoch->end)] += epoch->sms;
		}
	for (i = 0; i < run->end_count; i++)
		if (held[i] > most)
			most = held[i];
	free(held);
	return most;
}

static void close_replay(struct top_feed *feed)
{
	struct replay *replay = feed->context;

	recorded_free(&replay->run);
	free(replay);
}

int top_replay_open(struct top_feed *feed, const char *path, int interval_ms)
{
	struct replay *replay = grow(NULL, 1, sizeof(*replay));

	memset(replay, 0, sizeof(*replay));
	replay->interval_ms = interval_ms;
	*feed = (struct top_feed) {
		.context = replay,
		.interval_ms = interval_ms,
		.update = update,
		.go = go,
		.close = close_replay,
	};
	if (recorded_read(path, &replay->run, NULL)) {
		close_replay(feed);
		return STATUS_FAILED;
	}
	replay->sms = most_sms(&replay->run);
	return STATUS_OK;
}

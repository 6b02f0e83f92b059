// SPDX-License-Identifier: GPL-2.0
/* A run that was written down, as simgpu top would have shown it. */
#include "recorded.h"
#include "top.h"

/**
 * struct replay - the feed's own
 * @at: epochs that have been shown
 */
struct replay {
	struct recorded run;
	size_t at;
	int interval_ms;
	s64 next_ms;
};

static u64 ppm(double value)
{
	return value > 0 ? (u64)(value * SIMGPU_PPM + 0.5) : 0;
}

static const struct recorded_epoch *
epoch_ending_at(const struct recorded_tenant *tenant, u64 end)
{
	size_t i;

	for (i = 0; i < tenant->count; i++)
		if (tenant->epochs[i].end == end)
			return &tenant->epochs[i];
	return NULL;
}

static void take_tenant(struct top_device *device, u64 id,
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
	tenant->sms = epoch->sms;
	tenant->ipc_ppm = ppm(epoch->ipc);
	tenant->rbh_ppm = ppm(epoch->rbh);
	tenant->bandwidth_ppm = ppm(epoch->bandwidth);
	top_add_np(tenant, epoch->np_known ? ppm(epoch->np) : TOP_NP_UNKNOWN);
}

/* Of the predictions, as the device would have them. */
static void find_metrics(struct top_device *device)
{
	double least = 0, most = 0, sum = 0, slow = 0;
	u32 i;

	device->predicted = false;
	for (i = 0; i < device->tenant_count; i++) {
		double np = (double)device->tenants[i].np_ppm / SIMGPU_PPM;

		if (device->tenants[i].np_ppm == TOP_NP_UNKNOWN || !(np > 0))
			return;
		least = !i || np < least ? np : least;
		most = np > most ? np : most;
		sum += np;
		slow += 1 / np;
	}
	if (!device->tenant_count)
		return;
	device->predicted = true;
	device->fairness_ppm = ppm(least / most);
	device->stp_ppm = ppm(sum);
	device->antt_ppm = ppm(slow / device->tenant_count);
}

static void step(struct replay *replay, struct top_device *device)
{
	const struct recorded *run = &replay->run;
	u64 end = run->ends[replay->at];
	u32 sms = 0, j;
	size_t i;

	for (i = 0; i < run->tenant_count; i++) {
		const struct recorded_epoch *epoch =
			epoch_ending_at(&run->tenants[i], end);
		struct top_tenant *tenant = top_find_tenant(device, i);

		if (epoch)
			take_tenant(device, i, &run->tenants[i], epoch);
		else if (tenant)
			top_remove_tenant(device, tenant);
	}
	for (j = 0; j < device->tenant_count; j++)
		sms += device->tenants[j].sms;
	if (sms > device->sms)
		device->sms = sms;
	device->epoch_known = true;
	device->epoch = replay->at++;
	device->cycle = end;
	find_metrics(device);
}

static void begin(struct replay *replay, struct top_state *state)
{
	struct top_device *device = top_add_device(state, 0);

	snprintf(device->config, sizeof(device->config), "%s",
		 replay->run.config);
	snprintf(device->policy, sizeof(device->policy), "%s",
		 replay->run.policy);
	snprintf(device->model, sizeof(device->model), "%s", replay->run.model);
	strcpy(device->state, "recorded");
	device->energy_joules = replay->run.energy_joules;
	device->instructions_per_joule = replay->run.instructions_per_joule;
	replay->next_ms = top_now_ms();
}

/* One epoch at a time; those that were due are made up for. */
static int update(struct top_feed *feed, struct top_state *state)
{
	struct replay *replay = feed->context;

	if (!state->device_count)
		begin(replay, state);
	while (replay->at < replay->run.end_count &&
	       top_now_ms() >= replay->next_ms) {
		step(replay, top_shown(state));
		replay->next_ms += replay->interval_ms;
		if (replay->at == replay->run.end_count)
			strcpy(state->message, "This is the run's last epoch.");
	}
	feed->interval_ms = replay->at < replay->run.end_count ?
			    replay->interval_ms : -1;
	return STATUS_OK;
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
		.close = close_replay,
	};
	if (!recorded_read(path, &replay->run))
		return STATUS_OK;
	close_replay(feed);
	return STATUS_FAILED;
}

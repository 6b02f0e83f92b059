// SPDX-License-Identifier: GPL-2.0
/*
 * The devices of this machine for simgpu top. Figures come with the messages at
 * the ends of epochs, changed settings with their own messages. No message reports that a
 * device, or a tenant that is still silent, has come or gone, so the
 * folders of sysfs are listed once a second.
 */
#include "top.h"
#include "top_live.h"
#include "top_state.h"
#include "top_views.h"

#define LOOK_MS		1000

/**
 * struct live - data of this feed
 * @listener: connection that listens to epochs
 * @changes: connection that listens to changes of settings
 * @setter: connection for changes by the user
 * @looked_ms: time at which the folders were listed
 */
struct live {
	struct simgpu_netlink *listener;
	struct simgpu_netlink *changes;
	struct simgpu_netlink *setter;
	s64 looked_ms;
};

/* --- sysfs --- */

static void read_device_name(const struct top_device *device, const char *file,
			     char *to)
{
	char value[SIMGPU_VALUE_BYTES];

	if (!simgpu_read_device_value(device->number, file, value,
				      sizeof(value)))
		snprintf(to, SIMGPU_NAME_MAX, "%.*s", SIMGPU_NAME_MAX - 1,
			 value);
}

static u64 read_device_number(const struct top_device *device, const char *file)
{
	char value[SIMGPU_VALUE_BYTES];
	u64 number = 0;

	if (!simgpu_read_device_value(device->number, file, value,
				      sizeof(value)))
		parse_number(value, 0, U64_MAX, &number);
	return number;
}

static double read_device_decimal(const struct top_device *device,
				  const char *file)
{
	char value[SIMGPU_VALUE_BYTES];

	if (simgpu_read_device_value(device->number, file, value,
				     sizeof(value)))
		return 0;
	return strtod(value, NULL);
}

/* The number of SMs: that of a shipped GPU, or the sum of what tenants have. */
static u32 count_sms(const struct top_device *device)
{
	const struct gpu_config *config = gpu_config_find(device->config);
	u32 sum = 0, i;

	for (i = 0; i < device->tenant_count; i++)
		sum += device->tenants[i].sms;
	if (config && config->sms > sum)
		return config->sms;
	return sum > device->sms ? sum : device->sms;
}

static bool read_tenant_text(const struct top_device *device, u64 id,
			     const char *file, char *value)
{
	return !simgpu_read_tenant_value(device->number, id, file, value,
					 SIMGPU_VALUE_BYTES);
}

static u64 read_tenant_number(const struct top_device *device, u64 id,
			      const char *file)
{
	char value[SIMGPU_VALUE_BYTES];
	u64 number = 0;

	if (read_tenant_text(device, id, file, value))
		parse_number(value, 0, U64_MAX, &number);
	return number;
}

static void read_settings(const struct top_device *device,
			  struct top_tenant *tenant)
{
	char value[SIMGPU_VALUE_BYTES];

	if (read_tenant_text(device, tenant->id, "name", value))
		snprintf(tenant->name, sizeof(tenant->name), "%.*s",
			 SIMGPU_NAME_MAX - 1, value);
	if (read_tenant_text(device, tenant->id, "cgroup", value)) {
		size_t length = strlen(value), room = TOP_CGROUP_BYTES - 1;

		snprintf(tenant->cgroup, sizeof(tenant->cgroup), "%s",
			 value + (length > room ? length - room : 0));
	}
	top_read_report(device->number, tenant);
	tenant->pid = (u32)read_tenant_number(device, tenant->id, "pid");
	tenant->weight = (u32)read_tenant_number(device, tenant->id, "weight");
	tenant->sms = (u32)read_tenant_number(device, tenant->id, "sms");
	tenant->qos = read_tenant_text(device, tenant->id, "service", value) &&
		      !strcmp(value, "qos");
	tenant->target_ppm = 0;
	if (tenant->qos &&
	    read_tenant_text(device, tenant->id, "target", value))
		parse_ppm(value, &tenant->target_ppm);
}

static bool is_among(const uint64_t *ids, int count, u64 id)
{
	int i;

	for (i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static void look_at_tenants(struct top_device *device)
{
	int count = simgpu_list_tenants(device->number, NULL, 0), room, i;
	uint64_t *ids;
	u32 j;

	room = count < 0 ? 0 : count;
	ids = grow(NULL, (size_t)room + 1, sizeof(*ids));
	count = simgpu_list_tenants(device->number, ids, (size_t)room);
	if (count > room)
		count = room;
	for (j = device->tenant_count; j-- > 0;)
		if (!is_among(ids, count, device->tenants[j].id))
			top_remove_tenant(device, &device->tenants[j]);
	for (i = 0; i < count; i++) {
		struct top_tenant *tenant = top_find_tenant(device, ids[i]);

		if (!tenant)
			tenant = top_add_tenant(device, ids[i]);
		read_settings(device, tenant);
	}
	free(ids);
}

static void look_at_device(struct top_device *device)
{
	read_device_name(device, "config", device->config);
	read_device_name(device, "policy", device->policy);
	read_device_name(device, "model", device->model);
	read_device_name(device, "state", device->state);
	device->cycle = read_device_number(device, "cycles");
	device->failures = read_device_number(device, "failures");
	device->energy_joules = read_device_decimal(device, "energy_joules");
	device->instructions_per_joule =
		read_device_decimal(device, "instructions_per_joule");
	look_at_tenants(device);
	device->sms = count_sms(device);
}

/* Lists devices and tenants. A device that was reset counts its epochs from 0 again. */
static int look(struct live *live, struct top_state *state)
{
	unsigned int numbers[SIMGPU_DEVICES_MAX];
	int count = simgpu_list_devices(numbers, SIMGPU_DEVICES_MAX), i;
	u32 j;

	if (count < 0)
		return fail("the devices cannot be listed: %s",
			    strerror(-count));
	for (j = state->device_count; j-- > 0;) {
		for (i = 0; i < count; i++)
			if (numbers[i] == state->devices[j].number)
				break;
		if (i == count)
			top_remove_device(state, &state->devices[j]);
	}
	for (i = 0; i < count; i++) {
		struct top_device *device = top_find_device(state, numbers[i]);

		if (!device)
			device = top_add_device(state, numbers[i]);
		look_at_device(device);
	}
	live->looked_ms = top_now_ms();
	return STATUS_OK;
}

/* --- epochs --- */

static void take_gauges(struct top_tenant *tenant, const struct simgpu_netlink_epoch *epoch,
			const struct simgpu_netlink_epoch_tenant *from)
{
	char text[SESSION_GAUGE_TEXT_BYTES];
	u32 i;

	tenant->gauges[0] = '\0';
	for (i = 0; i < epoch->gauge_count; i++) {
		session_gauge_text(epoch->gauges[i].unit, from->gauges[i], text);
		top_add_gauge(tenant, epoch->gauges[i].name, text);
	}
}

static void take_tenant(struct top_device *device, const struct simgpu_netlink_epoch *epoch,
			const struct simgpu_netlink_epoch_tenant *from)
{
	struct top_tenant *tenant = top_find_tenant(device, from->id);
	bool unknown = from->class == SIMGPU_CLASSIFIED_UNKNOWN;

	/* The tenant has left, or will be found when the folders are listed next. */
	if (!tenant)
		return;
	tenant->known = true;
	tenant->class = from->class;
	tenant->sms = from->sms_next;
	tenant->ipc_ppm = from->ipc_ppm;
	tenant->rbh_ppm = from->rbh_ppm;
	tenant->bandwidth_ppm = from->bandwidth_ppm;
	tenant->np_doubted = from->np_doubts;
	take_gauges(tenant, epoch, from);
	top_add_np(tenant, unknown ? TOP_NP_UNKNOWN : from->np_ppm);
}

static void take_epoch(struct top_state *state,
		       const struct simgpu_netlink_epoch *epoch)
{
	struct top_device *device = top_find_device(state, epoch->device);
	u32 i;

	if (!device)
		return;
	if (device->epoch_known && epoch->index > device->epoch + 1)
		device->missed += epoch->index - device->epoch - 1;
	device->epoch_known = true;
	device->epoch = epoch->index;
	device->cycle = epoch->end_cycle;
	device->predicted = epoch->stp_ppm;
	device->fairness_ppm = epoch->fairness_ppm;
	device->stp_ppm = epoch->stp_ppm;
	device->antt_ppm = epoch->antt_ppm;
	for (i = 0; i < epoch->tenant_count; i++)
		take_tenant(device, epoch, &epoch->tenants[i]);
	device->sms = count_sms(device);
}

/* Whether an epoch has a tenant that the state does not have yet. */
static bool has_news(struct top_state *state,
		     const struct simgpu_netlink_epoch *epoch)
{
	struct top_device *device = top_find_device(state, epoch->device);
	u32 i;

	for (i = 0; device && i < epoch->tenant_count; i++)
		if (!top_find_tenant(device, epoch->tenants[i].id))
			return true;
	return !device;
}

/* Takes all waiting messages; missed ones show in the epochs' numbers. */
static int take_epochs(struct live *live, struct top_state *state)
{
	struct simgpu_netlink_epoch epoch;
	int ret;

	for (;;) {
		ret = simgpu_netlink_next_epoch(live->listener, 0, &epoch);
		if (ret == -ENOBUFS)
			continue;
		if (ret == -ETIMEDOUT || ret == -EINTR)
			return STATUS_OK;
		if (ret)
			return fail("listening to epochs: %s", strerror(-ret));
		if (has_news(state, &epoch) && look(live, state))
			return STATUS_FAILED;
		take_epoch(state, &epoch);
	}
}

static bool take_changes(struct live *live)
{
	struct simgpu_netlink_change change;
	bool any = false;
	int ret;

	do {
		ret = simgpu_netlink_next_change(live->changes, 0, &change);
		any |= !ret || ret == -ENOBUFS;
	} while (!ret || ret == -ENOBUFS);
	return any;
}

/* If there is no device, the module may have been unloaded, and its family with it. */
static int check_module(void)
{
	struct simgpu_netlink *netlink;

	if (simgpu_netlink_open(&netlink))
		return fail("the module has been unloaded");
	simgpu_netlink_close(netlink);
	return STATUS_OK;
}

static int update(struct top_feed *feed, struct top_state *state)
{
	struct live *live = feed->context;
	bool changed = take_changes(live);
	int ret = STATUS_OK;

	if (changed || !live->looked_ms || top_now_ms() >= live->looked_ms + LOOK_MS)
		ret = look(live, state);
	if (!ret && !state->device_count)
		ret = check_module();
	return ret ? ret : take_epochs(live, state);
}

/* --- what the user changes --- */

static int policies(struct top_feed *feed, struct top_state *state)
{
	char value[SIMGPU_VALUE_BYTES], *rest = value, *name;
	int ret = simgpu_read_device_value(top_shown(state)->number,
					   "policies_available", value,
					   sizeof(value));

	(void)feed;
	state->name_count = 0;
	while (!ret && (name = strsep(&rest, " ")) &&
	       state->name_count < TOP_NAMES_MAX)
		snprintf(state->names[state->name_count++], SIMGPU_NAME_MAX,
			 "%s", name);
	return ret;
}

static int set_policy(struct top_feed *feed, struct top_device *device,
		      const char *policy)
{
	struct live *live = feed->context;

	return simgpu_netlink_set_policy(live->setter, device->number, policy,
					 NULL);
}

static int set_weight(struct top_feed *feed, struct top_device *device,
		      u64 tenant, u32 weight)
{
	struct live *live = feed->context;

	return simgpu_netlink_set_tenant(live->setter, device->number, tenant,
					 &weight, NULL);
}

static int set_target(struct top_feed *feed, struct top_device *device,
		      u64 tenant, u64 target_ppm)
{
	struct live *live = feed->context;
	uint64_t target = target_ppm;

	return simgpu_netlink_set_tenant(live->setter, device->number, tenant,
					 NULL, &target);
}

static void close_live(struct top_feed *feed)
{
	struct live *live = feed->context;

	if (live->setter)
		simgpu_netlink_close(live->setter);
	if (live->changes)
		simgpu_netlink_close(live->changes);
	if (live->listener)
		simgpu_netlink_close(live->listener);
	free(live);
}

int top_live_open(struct top_feed *feed)
{
	struct live *live = grow(NULL, 1, sizeof(*live));
	int ret;

	memset(live, 0, sizeof(*live));
	*feed = (struct top_feed) {
		.context = live,
		.interval_ms = LOOK_MS,
		.update = update,
		.policies = policies,
		.set_policy = set_policy,
		.set_weight = set_weight,
		.set_target = set_target,
		.close = close_live,
	};
	ret = simgpu_netlink_open(&live->listener);
	if (!ret)
		ret = simgpu_netlink_open(&live->changes);
	if (!ret)
		ret = simgpu_netlink_open(&live->setter);
	if (!ret)
		ret = simgpu_netlink_listen(live->listener);
	if (!ret)
		ret = simgpu_netlink_listen_changes(live->changes);
	if (ret) {
		close_live(feed);
		return explain_listening(ret);
	}
	feed->fds[feed->fd_count++] = simgpu_netlink_fd(live->listener);
	feed->fds[feed->fd_count++] = simgpu_netlink_fd(live->changes);
	return STATUS_OK;
}

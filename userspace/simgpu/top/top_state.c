// SPDX-License-Identifier: GPL-2.0
/* The lists of devices and tenants that simgpu top shows, and its clock; see top.h. */
#include "../../offline/run.h"
#include "top.h"
#include "top_state.h"

s64 top_now_ms(void)
{
	return (s64)(offline_wall_ns() / 1000000);
}

struct top_device *top_find_device(struct top_state *state, unsigned int number)
{
	u32 i;

	for (i = 0; i < state->device_count; i++)
		if (state->devices[i].number == number)
			return &state->devices[i];
	return NULL;
}

/* Devices are in the order of their numbers, as in simgpu list. */
struct top_device *top_add_device(struct top_state *state, unsigned int number)
{
	u32 at = state->device_count, i;

	state->devices = grow(state->devices, state->device_count + 1,
			      sizeof(*state->devices));
	while (at && state->devices[at - 1].number > number)
		at--;
	for (i = state->device_count++; i > at; i--)
		state->devices[i] = state->devices[i - 1];
	memset(&state->devices[at], 0, sizeof(*state->devices));
	state->devices[at].number = number;
	if (state->device >= at && state->device_count > 1)
		state->device++;
	return &state->devices[at];
}

void top_remove_device(struct top_state *state, struct top_device *device)
{
	u32 at = (u32)(device - state->devices);

	free(device->tenants);
	state->device_count--;
	memmove(device, device + 1,
		(state->device_count - at) * sizeof(*device));
	if (state->device > at || state->device == state->device_count)
		state->device -= state->device > 0;
}

struct top_tenant *top_find_tenant(struct top_device *device, u64 id)
{
	u32 i;

	for (i = 0; i < device->tenant_count; i++)
		if (device->tenants[i].id == id)
			return &device->tenants[i];
	return NULL;
}

struct top_tenant *top_add_tenant(struct top_device *device, u64 id)
{
	u32 at = device->tenant_count++;
	struct top_tenant *tenant;

	device->tenants = grow(device->tenants, device->tenant_count,
			       sizeof(*tenant));
	for (; at && device->tenants[at - 1].id > id; at--)
		device->tenants[at] = device->tenants[at - 1];
	tenant = &device->tenants[at];
	memset(tenant, 0, sizeof(*tenant));
	tenant->id = id;
	tenant->np_ppm = TOP_NP_UNKNOWN;
	tenant->colour = device->colours++;
	return tenant;
}

void top_remove_tenant(struct top_device *device, struct top_tenant *tenant)
{
	device->tenant_count--;
	memmove(tenant, tenant + 1,
		(size_t)(device->tenants + device->tenant_count - tenant) *
		sizeof(*tenant));
}

void top_add_np(struct top_tenant *tenant, u64 np_ppm)
{
	tenant->np_ppm = np_ppm;
	tenant->history[tenant->history_count++ % TOP_HISTORY] = np_ppm;
}

void top_add_gauge(struct top_tenant *tenant, const char *name, const char *value)
{
	size_t length = strlen(tenant->gauges);

	snprintf(tenant->gauges + length, sizeof(tenant->gauges) - length, "%s%s %s",
		 length ? "  " : "", name, value);
}

struct top_device *top_shown(struct top_state *state)
{
	return state->device_count ? &state->devices[state->device] : NULL;
}

void top_free(struct top_state *state)
{
	while (state->device_count)
		top_remove_device(state, state->devices);
	free(state->devices);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What a device's GPU has taken since its cold start: the events of all tenants, those
 * that have gone among them, and static power; and its files in sysfs. Like counters
 * they tell what tenants do.
 */
#include <linux/sysfs.h>

#include "device.h"
#include "tenant.h"

#define PJ_PER_UJ	1000000ULL
#define PJ_PER_J	1000000000000ULL

/**
 * simgpu_energy_start() - a session begins at its cold start
 * @device: the device, with its @start in place
 */
void simgpu_energy_start(struct simgpu_device *device)
{
	lockdep_assert_held(&device->publish_lock);
	device->energy = (struct simgpu_energy) {
		.table = energy_find(device->start.config.name),
		.core_mhz = device->start.config.core_mhz,
	};
}

/**
 * simgpu_energy_leave() - a tenant leaves its slot; what it took stays the device's
 * @device: the device
 * @report: the tenant's last
 */
void simgpu_energy_leave(struct simgpu_device *device,
			 const struct session_tenant_report *report)
{
	struct simgpu_energy *energy = &device->energy;

	lockdep_assert_held(&device->publish_lock);
	energy->left_pj = fixed_add(energy->left_pj, report->energy_pj);
	energy->left_instructions =
		fixed_add(energy->left_instructions,
			  report->counters.thread_instructions);
}

/**
 * simgpu_device_energy() - what a device has taken, as of what was published last
 * @device: the device
 * @out: set to it
 *
 * Takes no lock that is held for long.
 *
 * Return: 0; -ENODATA for a GPU without a table of energies.
 */
int simgpu_device_energy(struct simgpu_device *device,
			 struct simgpu_energy_figures *out)
{
	const struct simgpu_energy *energy = &device->energy;
	u64 instructions;
	u32 slot;

	*out = (struct simgpu_energy_figures) {};
	spin_lock(&device->publish_lock);
	if (!energy->table) {
		spin_unlock(&device->publish_lock);
		return -ENODATA;
	}
	out->static_pj = energy_static_pj(energy->table,
					  device->published.cycle,
					  energy->core_mhz);
	out->all_pj = fixed_add(out->static_pj, energy->left_pj);
	instructions = energy->left_instructions;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct simgpu_tenant *tenant = device->slots[slot];

		if (!tenant)
			continue;
		out->all_pj = fixed_add(out->all_pj,
					tenant->published.report.energy_pj);
		instructions = fixed_add(instructions,
					 tenant->published.counters.thread_instructions);
	}
	spin_unlock(&device->publish_lock);
	if (out->all_pj)
		out->instructions_per_joule =
			fixed_mul_div(instructions, PJ_PER_J, out->all_pj);
	return 0;
}

/* --- sysfs --- */

static ssize_t energy_joules_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	struct simgpu_energy_figures figures;
	int ret = simgpu_device_energy(simgpu_device_of(dev), &figures);

	return ret ?: simgpu_emit_ppm(buf, figures.all_pj / PJ_PER_UJ);
}
static DEVICE_ATTR_RO(energy_joules);

static ssize_t static_joules_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	struct simgpu_energy_figures figures;
	int ret = simgpu_device_energy(simgpu_device_of(dev), &figures);

	return ret ?: simgpu_emit_ppm(buf, figures.static_pj / PJ_PER_UJ);
}
static DEVICE_ATTR_RO(static_joules);

static ssize_t instructions_per_watt_show(struct device *dev,
					  struct device_attribute *attr,
					  char *buf)
{
	struct simgpu_energy_figures figures;
	int ret = simgpu_device_energy(simgpu_device_of(dev), &figures);

	return ret ?: sysfs_emit(buf, "%llu\n",
				 figures.instructions_per_joule);
}
static DEVICE_ATTR_RO(instructions_per_watt);

static struct attribute *simgpu_energy_attrs[] = {
	&dev_attr_energy_joules.attr,
	&dev_attr_static_joules.attr,
	&dev_attr_instructions_per_watt.attr,
	NULL
};

static umode_t simgpu_energy_mode(struct kobject *kobj, struct attribute *attr,
				  int index)
{
	return simgpu_counters_public ? 0444 : 0400;
}

const struct attribute_group simgpu_energy_group = {
	.attrs = simgpu_energy_attrs,
	.is_visible = simgpu_energy_mode,
};

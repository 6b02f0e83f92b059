// SPDX-License-Identifier: GPL-2.0
/*
 * The energy of a device's GPU since its cold start: the events of all tenants, also of
 * those that have left, and static power. And the files of a device's figures in
 * sysfs.
 */
#include <linux/sysfs.h>

#include "device.h"
#include "device_energy.h"
#include "rights.h"
#include "tenant.h"
#include "turn.h"

/**
 * simgpu_device_report() - a device's figures, as last published
 * @device: the device
 * @reader: who reads them
 * @out: set to them; without metrics where the reader may not know them
 *
 * Takes no lock that is held for long.
 *
 * Return: whether the reader may know metrics.
 */
bool simgpu_device_report(struct simgpu_device *device,
			  const struct simgpu_reader *reader,
			  struct device_report *out)
{
	const struct simgpu_energy *energy = &device->energy;
	u64 events_pj, static_pj, instructions;
	bool may;
	u32 slot;

	*out = (struct device_report) {};
	spin_lock(&device->publish_lock);
	may = simgpu_may_read_aggregates(reader, device);
	if (may && device->published.metrics_valid) {
		out->metrics = device->published.metrics;
		out->np_doubts = device->published.np_doubts;
		out->flags |= DEVICE_METRICS;
	}
	events_pj = energy->left_pj;
	instructions = energy->left_instructions;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct simgpu_tenant *tenant = device->slots[slot];

		if (!tenant)
			continue;
		events_pj = fixed_add(events_pj,
				      tenant->published.report.energy_pj);
		instructions = fixed_add(instructions,
					 tenant->published.counters.thread_instructions);
	}
	out->power = device->published.power;
	out->flags |= DEVICE_CLOCK | (out->power.known ? DEVICE_POWER : 0);
	if (energy->table) {
		static_pj = energy_static_pj(energy->table, device->published.cycle,
					     energy->core_mhz);
		device_report_energy(out, fixed_above(static_pj,
						      out->power.static_saved_pj),
				     events_pj, instructions);
	}
	if (device->published.chunks)
		out->flags |= DEVICE_MEMORY;
	out->memory_bytes = (u64)device->published.chunks * GPU_CHUNK_BYTES;
	out->memory_used_bytes = (u64)device->published.chunks_used * GPU_CHUNK_BYTES;
	out->failures = device->published.failures;
	if (out->failures.found)
		out->flags |= DEVICE_FAILURES;
	spin_unlock(&device->publish_lock);
	return may;
}

/* --- sysfs --- */

struct simgpu_figure_file {
	struct device_attribute attr;
	const struct figure *figure;
};

static struct simgpu_figure_file simgpu_figure_files[DEVICE_FIGURES_MAX];
static struct attribute *simgpu_figure_attrs[DEVICE_FIGURES_MAX + 1];

static ssize_t simgpu_figure_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	const struct figure *figure =
		container_of(attr, struct simgpu_figure_file, attr)->figure;
	struct simgpu_device *device = simgpu_device_of(dev);
	const struct simgpu_reader caller = {};
	struct device_report report;
	int length;

	simgpu_device_admit(device, SIMGPU_CALL_LIGHT);
	if (!simgpu_device_report(device, &caller, &report) &&
	    figure->flag == DEVICE_METRICS)
		return -EACCES;
	if (!device_figure_is_known(figure, &report))
		return -ENODATA;
	length = figure_text(figure, &report, buf);
	return length + sysfs_emit_at(buf, length, "\n");
}

/* simgpu_figures_init() - a file for each figure of a device */
void __init simgpu_figures_init(void)
{
	u32 i;

	for (i = 0; i < device_figure_count; i++) {
		struct simgpu_figure_file *file = &simgpu_figure_files[i];

		file->figure = &device_figures[i];
		file->attr.attr.name = file->figure->name;
		file->attr.attr.mode = 0444;
		file->attr.show = simgpu_figure_show;
		simgpu_figure_attrs[i] = &file->attr.attr;
	}
}

/* Like counters, energies show what tenants do, so their files have the same mode. */
static umode_t simgpu_figure_mode(struct kobject *kobj, struct attribute *attr,
				  int index)
{
	return simgpu_counters_public ||
	       device_figures[index].flag == DEVICE_METRICS ? 0444 : 0400;
}

const struct attribute_group simgpu_figures_group = {
	.attrs = simgpu_figure_attrs,
	.is_visible = simgpu_figure_mode,
};

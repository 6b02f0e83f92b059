// SPDX-License-Identifier: GPL-2.0
/*
 * Power, energy and clock of a device as the kernel's interface for sensors has them
 * (Documentation/hwmon/sysfs-interface.rst), for programs that read all sensors of a machine.
 * The values and the rights are those of the device's own files (device_energy.c,
 * device_settings.c), in hwmon's units. Built where the kernel has CONFIG_HWMON.
 */
#include <linux/err.h>
#include <linux/hwmon.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sysfs.h>
#include <linux/units.h>

#include "change.h"
#include "device.h"
#include "device_energy.h"
#include "hwmon.h"
#include "observe.h"
#include "rights.h"
#include "turn.h"

#define PJ_PER_UJ	1000000ULL

/* Like the device's own files of these figures, for who may read counters. */
static umode_t simgpu_hwmon_mode(void)
{
	return simgpu_counters_public ? 0444 : 0400;
}

/* Return: 0; or -ENODATA where the figures with @flag are not known. */
static int simgpu_hwmon_report(struct simgpu_device *device, u32 flag,
			       struct device_report *report)
{
	const struct simgpu_reader caller = {};

	simgpu_device_admit(device, SIMGPU_CALL_LIGHT);
	simgpu_device_report(device, &caller, report);
	return report->flags & flag ? 0 : -ENODATA;
}

/* --- the cap ------------------------------------------------------------------------------ */

/* The index of simgpu_setting(); the table has that row. */
static u32 simgpu_hwmon_cap(void)
{
	u32 i = 0;

	while (session_settings[i].offset != offsetof(struct session_options, power_cap))
		i++;
	return i;
}

static u64 simgpu_hwmon_read_cap(struct simgpu_device *device)
{
	simgpu_device_admit(device, SIMGPU_CALL_LIGHT);
	return simgpu_device_published(device).settings[simgpu_hwmon_cap()];
}

/* Less than a watt would be no cap at all, which 0 says. */
static int simgpu_hwmon_write_cap(struct simgpu_device *device, long uw)
{
	u32 index = simgpu_hwmon_cap();
	struct simgpu_device_change change = { .given = BIT(index) };

	if (uw < 0 || (uw && uw < MICROWATT_PER_WATT))
		return -EINVAL;
	change.settings[index] = uw / MICROWATT_PER_WATT;
	return simgpu_device_change(device, &change);
}

/* --- power and energy --------------------------------------------------------------------- */

static umode_t simgpu_hwmon_is_visible(const void *data, enum hwmon_sensor_types type,
				       u32 attr, int channel)
{
	if (type == hwmon_power && attr == hwmon_power_cap)
		return 0644;
	if (type == hwmon_power && attr == hwmon_power_cap_max)
		return 0444;
	return simgpu_hwmon_mode();
}

static int simgpu_hwmon_read_power(struct simgpu_device *device, u32 attr, u64 *uw)
{
	struct device_report report;
	int ret;

	switch (attr) {
	case hwmon_power_cap:
		*uw = simgpu_hwmon_read_cap(device) * MICROWATT_PER_WATT;
		return 0;
	case hwmon_power_cap_max:
		*uw = (u64)SESSION_POWER_CAP_MAX * MICROWATT_PER_WATT;
		return 0;
	default:
		ret = simgpu_hwmon_report(device, DEVICE_POWER, &report);
		*uw = report.power.epoch_uw;
		return ret;
	}
}

static int simgpu_hwmon_read(struct device *dev, enum hwmon_sensor_types type, u32 attr,
			     int channel, long *value)
{
	struct simgpu_device *device = dev_get_drvdata(dev);
	struct device_report report;
	u64 wide;
	int ret;

	if (type == hwmon_power) {
		ret = simgpu_hwmon_read_power(device, attr, &wide);
	} else {
		ret = simgpu_hwmon_report(device, DEVICE_ENERGY, &report);
		wide = div64_u64(report.energy_pj, PJ_PER_UJ);
	}
	*value = min_t(u64, wide, LONG_MAX);
	return ret;
}

/* Nothing but the cap is visible as writable. */
static int simgpu_hwmon_write(struct device *dev, enum hwmon_sensor_types type, u32 attr,
			      int channel, long value)
{
	return simgpu_hwmon_write_cap(dev_get_drvdata(dev), value);
}

static const struct hwmon_ops simgpu_hwmon_ops = {
	.is_visible = simgpu_hwmon_is_visible,
	.read = simgpu_hwmon_read,
	.write = simgpu_hwmon_write,
};

/* Older kernels want the array without const. */
static const struct hwmon_channel_info *simgpu_hwmon_channels[] = {
	HWMON_CHANNEL_INFO(power, HWMON_P_AVERAGE | HWMON_P_CAP | HWMON_P_CAP_MAX),
	HWMON_CHANNEL_INFO(energy, HWMON_E_INPUT),
	NULL
};

static const struct hwmon_chip_info simgpu_hwmon_chip = {
	.ops = &simgpu_hwmon_ops,
	.info = simgpu_hwmon_channels,
};

/* --- clock -------------------------------------------------------------------------------- */

/* hwmon knows no sensors of frequencies: drivers add this file themselves, in hertz. */
static ssize_t freq1_input_show(struct device *dev, struct device_attribute *attr,
				char *buf)
{
	struct device_report report;
	int ret = simgpu_hwmon_report(dev_get_drvdata(dev), DEVICE_CLOCK, &report);

	return ret ?: sysfs_emit(buf, "%llu\n", report.power.clock_mhz * HZ_PER_MHZ);
}
static DEVICE_ATTR_RO(freq1_input);

static struct attribute *simgpu_hwmon_attrs[] = {
	&dev_attr_freq1_input.attr,
	NULL
};

static umode_t simgpu_hwmon_attr_mode(struct kobject *kobj, struct attribute *attr,
				      int index)
{
	return simgpu_hwmon_mode();
}

static const struct attribute_group simgpu_hwmon_group = {
	.attrs = simgpu_hwmon_attrs,
	.is_visible = simgpu_hwmon_attr_mode,
};

static const struct attribute_group *simgpu_hwmon_groups[] = {
	&simgpu_hwmon_group,
	NULL
};

/* --- the device's life -------------------------------------------------------------------- */

/* A device is of use without it. */
static void simgpu_hwmon_add(struct simgpu_device *device)
{
	struct device *hwmon =
		hwmon_device_register_with_info(&device->dev, "simgpu", device,
						&simgpu_hwmon_chip, simgpu_hwmon_groups);

	if (IS_ERR(hwmon))
		dev_warn(&device->dev, "no files for sensors (hwmon): error %ld\n",
			 PTR_ERR(hwmon));
	else
		device->hwmon = hwmon;
}

static void simgpu_hwmon_remove(struct simgpu_device *device)
{
	if (device->hwmon)
		hwmon_device_unregister(device->hwmon);
}

const struct simgpu_observer simgpu_hwmon_observer = {
	.add = simgpu_hwmon_add,
	.remove = simgpu_hwmon_remove,
};

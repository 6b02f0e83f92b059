// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/simgpu/simgpuN: one value a file. Reading shows what was published
 * last and takes no lock that is held for long; writing goes through change.c.
 * sysfs_tenant.c has the folders of tenants.
 */
#include <linux/kstrtox.h>
#include <linux/math64.h>
#include <linux/sysfs.h>

#include "bpf.h"
#include "cgroups.h"
#include "change.h"
#include "constants.h"
#include "device.h"
#include "device_energy.h"
#include "device_settings.h"
#include "sysfs_params.h"
#include "observe.h"
#include "plugins.h"
#include "ppm.h"
#include "rights.h"
#include "sysfs.h"
#include "threads.h"
#include "turn.h"

/* A name as echo writes it, without its newline. */
static int simgpu_parse_name(const char *buf, size_t count, char *name)
{
	if (count && buf[count - 1] == '\n')
		count--;
	if (!count || count >= SIMGPU_NAME_MAX)
		return -EINVAL;
	memcpy(name, buf, count);
	name[count] = '\0';
	return 0;
}

/* Reading counts as a call, like an ioctl; a caller that was killed may read, and exits. */
static struct simgpu_published simgpu_published_of(struct device *dev)
{
	simgpu_device_admit(simgpu_device_of(dev), SIMGPU_CALL_LIGHT);
	return simgpu_device_published(simgpu_device_of(dev));
}

/* The files of a device. */

#define DEVICE_SHOW_STRING(_name)					\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *buf)	\
{									\
	struct simgpu_published published = simgpu_published_of(dev);	\
									\
	return sysfs_emit(buf, "%s\n", published._name);		\
}

#define DEVICE_SHOW_U64(_name, _field)					\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *buf)	\
{									\
	struct simgpu_published published = simgpu_published_of(dev);	\
									\
	return sysfs_emit(buf, "%llu\n", published._field);		\
}

DEVICE_SHOW_STRING(config)
static DEVICE_ATTR_RO(config);
DEVICE_SHOW_U64(cycles, cycle)
static DEVICE_ATTR_RO(cycles);
DEVICE_SHOW_U64(epochs, epochs)
static DEVICE_ATTR_RO(epochs);
DEVICE_SHOW_U64(leaps, sampling.leaps)
static DEVICE_ATTR_RO(leaps);
DEVICE_SHOW_U64(leapt_cycles, sampling.leapt_cycles)
static DEVICE_ATTR_RO(leapt_cycles);

DEVICE_SHOW_STRING(policy)

static ssize_t policy_store(struct device *dev, struct device_attribute *attr,
			    const char *buf, size_t count)
{
	struct simgpu_device_change change = {};
	char name[SIMGPU_NAME_MAX];
	int ret;

	change.policy = name;
	ret = simgpu_parse_name(buf, count, name);
	if (!ret)
		ret = simgpu_device_change(simgpu_device_of(dev), &change);
	return ret ?: count;
}
static DEVICE_ATTR_RW(policy);

static ssize_t policies_available_show(struct device *dev,
				       struct device_attribute *attr, char *buf)
{
	return simgpu_plugins_emit(buf, SIMGPU_PLUGIN_POLICY);
}
static DEVICE_ATTR_RO(policies_available);

static ssize_t policies_bpf_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return simgpu_bpf_is_there() ? simgpu_plugins_emit_bpf(buf) :
				       -EOPNOTSUPP;
}
static DEVICE_ATTR_RO(policies_bpf);

DEVICE_SHOW_STRING(model)

static ssize_t model_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	struct simgpu_device_change change = {};
	char name[SIMGPU_NAME_MAX];
	int ret;

	change.model = name;
	ret = simgpu_parse_name(buf, count, name);
	if (!ret)
		ret = simgpu_device_change(simgpu_device_of(dev), &change);
	return ret ?: count;
}
static DEVICE_ATTR_RW(model);

static ssize_t models_available_show(struct device *dev,
				     struct device_attribute *attr, char *buf)
{
	return simgpu_plugins_emit(buf, SIMGPU_PLUGIN_MODEL);
}
static DEVICE_ATTR_RO(models_available);

DEVICE_SHOW_STRING(memory_policy)

/* Where a built-in one's name has a '-', users may write what journals have: a '_'. */
static ssize_t memory_policy_store(struct device *dev, struct device_attribute *attr,
				   const char *buf, size_t count)
{
	struct simgpu_device_change change = {};
	char name[SIMGPU_NAME_MAX];
	int ret, place;

	change.memory_policy = name;
	ret = simgpu_parse_name(buf, count, name);
	if (ret)
		return ret;
	place = match_string(session_memory_policies, SESSION_MEMORY_POLICIES, name);
	if (place >= 0)
		change.memory_policy = registry_memory_policy_at(place)->name;
	ret = simgpu_device_change(simgpu_device_of(dev), &change);
	return ret ?: count;
}
static DEVICE_ATTR_RW(memory_policy);

/* First the built-in ones, in the order by which gangs and netlink number them. */
static ssize_t memory_policies_available_show(struct device *dev,
					      struct device_attribute *attr,
					      char *buf)
{
	return simgpu_plugins_emit(buf, SIMGPU_PLUGIN_MEMORY_POLICY);
}
static DEVICE_ATTR_RO(memory_policies_available);

static ssize_t last_refusal_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	struct simgpu_published published = simgpu_published_of(dev);
	char words[ROW_REFUSAL_BYTES];

	row_refusal_words(&published.refusal, words);
	return sysfs_emit(buf, "%s\n", words);
}
static DEVICE_ATTR_RO(last_refusal);

static ssize_t policy_gauges_show(struct device *dev, struct device_attribute *attr,
				  char *buf)
{
	struct simgpu_device *device = simgpu_device_of(dev);
	int length = 0;
	u32 i;

	simgpu_device_admit(device, SIMGPU_CALL_LIGHT);
	spin_lock(&device->publish_lock);
	for (i = 0; i < device->gauge_count; i++) {
		const struct session_gauge *gauge = &device->gauges[i];

		length += sysfs_emit_at(buf, length, "%s %s\n", gauge->name,
					session_unit_names[gauge->unit]);
	}
	spin_unlock(&device->publish_lock);
	return length;
}
static DEVICE_ATTR_RO(policy_gauges);

static ssize_t threads_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	u32 count = READ_ONCE(simgpu_device_of(dev)->thread_count);

	return sysfs_emit(buf, "%u\n", count ?: 1);
}

static ssize_t threads_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	u32 threads;
	int ret;

	if (kstrtou32(buf, 10, &threads))
		return -EINVAL;
	ret = simgpu_threads_set(simgpu_device_of(dev), threads);
	return ret ?: count;
}
static DEVICE_ATTR_RW(threads);

/* Of a pace that the worker does not go by yet, nothing. */
static ssize_t pace_behind_ms_show(struct device *dev,
				   struct device_attribute *attr, char *buf)
{
	struct simgpu_device *device = simgpu_device_of(dev);
	u64 pace_ppm = READ_ONCE(device->pace_ppm), behind_ns = 0;

	if (pace_ppm && pace_ppm == READ_ONCE(device->paced_ppm))
		behind_ns = READ_ONCE(device->pace_behind_ns);
	return sysfs_emit(buf, "%llu\n", div_u64(behind_ns, NSEC_PER_MSEC));
}
static DEVICE_ATTR_RO(pace_behind_ms);

static ssize_t bytes_held_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	struct simgpu_device *device = simgpu_device_of(dev);

	return sysfs_emit(buf, "%lld\n",
			  (long long)atomic64_read(&device->bytes_held));
}
static DEVICE_ATTR_RO(bytes_held);

static ssize_t state_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	static const char * const names[] = {
		[SESSION_WAITING] = "waiting",
		[SESSION_RUNNING] = "running",
		[SESSION_IDLE] = "idle",
		[SESSION_STOPPED] = "stopped",
		[SESSION_CANCELED] = "canceled",
	};
	struct simgpu_published published = simgpu_published_of(dev);

	return sysfs_emit(buf, "%s\n", names[published.state]);
}
static DEVICE_ATTR_RO(state);

/* Settings: a file for each row that is a device's. */

/**
 * struct simgpu_setting_file - a setting's file
 * @attr: the file
 * @index: index of the setting
 */
struct simgpu_setting_file {
	struct device_attribute attr;
	u32 index;
};

static ssize_t simgpu_setting_show(struct device *dev,
				   struct device_attribute *attr, char *buf)
{
	u32 index = container_of(attr, struct simgpu_setting_file, attr)->index;
	u64 value = simgpu_published_of(dev).settings[index];
	const struct session_setting *setting = simgpu_setting(index);

	if (setting->unit == SIMGPU_UNIT_RATIO)
		return simgpu_emit_ppm(buf, value);
	return setting->words ? sysfs_emit(buf, "%s\n", setting->words[value]) :
				sysfs_emit(buf, "%llu\n", value);
}

static int simgpu_parse_setting(const struct session_setting *setting,
				const char *buf, u64 *value)
{
	int word;

	if (setting->unit == SIMGPU_UNIT_RATIO)
		return simgpu_parse_ppm(buf, value);
	if (!setting->words)
		return kstrtou64(buf, 10, value);
	word = __sysfs_match_string(setting->words, setting->most + 1, buf);
	*value = word;
	return min(word, 0);
}

static ssize_t simgpu_setting_store(struct device *dev,
				    struct device_attribute *attr,
				    const char *buf, size_t count)
{
	u32 index = container_of(attr, struct simgpu_setting_file, attr)->index;
	struct simgpu_device_change change = { .given = BIT(index) };
	int ret;

	if (simgpu_parse_setting(simgpu_setting(index), buf,
				 &change.settings[index]))
		return -EINVAL;
	ret = simgpu_device_change(simgpu_device_of(dev), &change);
	return ret ?: count;
}

static struct simgpu_setting_file simgpu_setting_files[SIMGPU_SETTINGS_MAX];
static struct attribute *simgpu_setting_attrs[SIMGPU_SETTINGS_MAX + 1];

static const struct attribute_group simgpu_settings_group = {
	.attrs = simgpu_setting_attrs,
};

/**
 * simgpu_sysfs_init() - set up the files of settings, before there are devices
 */
void __init simgpu_sysfs_init(void)
{
	struct attribute **attr = simgpu_setting_attrs;
	const struct session_setting *setting;
	u32 i;

	for (i = 0; (setting = simgpu_setting(i)); i++) {
		struct simgpu_setting_file *file = &simgpu_setting_files[i];
		bool changes = setting->flags & SESSION_SETTING_CHANGES;

		if (!simgpu_setting_is_file(i))
			continue;
		file->index = i;
		file->attr.attr.name = setting->name;
		file->attr.attr.mode = changes ? 0644 : 0444;
		file->attr.show = simgpu_setting_show;
		file->attr.store = changes ? simgpu_setting_store : NULL;
		*attr++ = &file->attr.attr;
	}
}

static struct attribute *simgpu_device_attrs[] = {
	&dev_attr_config.attr,
	&dev_attr_policy.attr,
	&dev_attr_policies_available.attr,
	&dev_attr_policies_bpf.attr,
	&dev_attr_model.attr,
	&dev_attr_models_available.attr,
	&dev_attr_memory_policy.attr,
	&dev_attr_memory_policies_available.attr,
	&dev_attr_cycles.attr,
	&dev_attr_epochs.attr,
	&dev_attr_leaps.attr,
	&dev_attr_leapt_cycles.attr,
	&dev_attr_pace_behind_ms.attr,
	&dev_attr_bytes_held.attr,
	&dev_attr_threads.attr,
	&dev_attr_last_refusal.attr,
	&dev_attr_policy_gauges.attr,
	&dev_attr_state.attr,
	NULL
};

static struct bin_attribute *simgpu_device_bin_attrs[] = {
	&simgpu_constants_attr,
	NULL
};

/* What all tenants hold together tells what one more of them has uploaded. */
static umode_t simgpu_device_mode(struct kobject *kobj, struct attribute *attr,
				  int index)
{
	return attr == &dev_attr_bytes_held.attr && !simgpu_counters_public ?
	       0400 : attr->mode;
}

static const struct attribute_group simgpu_device_group = {
	.attrs = simgpu_device_attrs,
	.is_visible = simgpu_device_mode,
	.bin_attrs = simgpu_device_bin_attrs,
};

const struct attribute_group *simgpu_device_groups[] = {
	&simgpu_device_group,
	&simgpu_settings_group,
	&simgpu_cgroups_group,
	&simgpu_figures_group,
	&simgpu_policy_params_group,
	&simgpu_memory_params_group,
	&simgpu_model_params_group,
	NULL
};

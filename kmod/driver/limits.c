// SPDX-License-Identifier: GPL-2.0
/*
 * What an administrator leaves to those without privilege: files of a device in
 * sysfs, which only root writes. What they decide is decided in rights.c, charge.c
 * and gang.c.
 */
#include <linux/kstrtox.h>
#include <linux/sysfs.h>

#include "device.h"

static struct simgpu_limits *simgpu_limits_of(struct device *dev)
{
	return &simgpu_device_of(dev)->limits;
}

/**
 * struct simgpu_limit - a limit that is a number, and its file
 * @attr: the file
 * @offset: of the number in &struct simgpu_limits
 * @least: that it may be
 * @most: likewise
 */
struct simgpu_limit {
	struct device_attribute attr;
	size_t offset;
	u32 least;
	u32 most;
};

static const struct simgpu_limit *simgpu_limit_of(struct device_attribute *attr)
{
	return container_of(attr, struct simgpu_limit, attr);
}

static u32 *simgpu_limit_at(struct device *dev, const struct simgpu_limit *limit)
{
	return (void *)simgpu_limits_of(dev) + limit->offset;
}

static ssize_t simgpu_limit_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n",
			  READ_ONCE(*simgpu_limit_at(dev,
						     simgpu_limit_of(attr))));
}

static ssize_t simgpu_limit_store(struct device *dev,
				  struct device_attribute *attr,
				  const char *buf, size_t count)
{
	const struct simgpu_limit *limit = simgpu_limit_of(attr);
	u32 value;

	if (kstrtou32(buf, 10, &value) || value < limit->least ||
	    value > limit->most)
		return -EINVAL;
	WRITE_ONCE(*simgpu_limit_at(dev, limit), value);
	return count;
}

#define LIMIT(_name, _field, _least, _most)				\
	static struct simgpu_limit dev_attr_##_name = {			\
		.attr = __ATTR(_name, 0644, simgpu_limit_show,		\
			       simgpu_limit_store),			\
		.offset = offsetof(struct simgpu_limits, _field),	\
		.least = (_least),					\
		.most = (_most),					\
	}

LIMIT(weight_limit, weight, SIMGPU_WEIGHT_MIN, SIMGPU_WEIGHT_MAX);
LIMIT(gang_wait_seconds, gang_wait_seconds, 1, SIMGPU_GANG_WAIT_SECONDS_MAX);
LIMIT(device_mib, device_mib, 1, U32_MAX);
LIMIT(journal_events, journal_events, 1, U32_MAX);

static ssize_t target_limit_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return simgpu_emit_ppm(buf,
			       READ_ONCE(simgpu_limits_of(dev)->target_ppm));
}

static ssize_t target_limit_store(struct device *dev,
				  struct device_attribute *attr,
				  const char *buf, size_t count)
{
	u64 target_ppm;

	if (simgpu_parse_ppm(buf, &target_ppm) || target_ppm > SIMGPU_PPM)
		return -EINVAL;
	WRITE_ONCE(simgpu_limits_of(dev)->target_ppm, target_ppm);
	return count;
}
static DEVICE_ATTR_RW(target_limit);

static const char * const simgpu_gang_makers[] = { "privileged", "everybody" };

static ssize_t gang_makers_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	bool gangs = READ_ONCE(simgpu_limits_of(dev)->gangs);

	return sysfs_emit(buf, "%s\n", simgpu_gang_makers[gangs]);
}

static ssize_t gang_makers_store(struct device *dev,
				 struct device_attribute *attr,
				 const char *buf, size_t count)
{
	int gangs = sysfs_match_string(simgpu_gang_makers, buf);

	if (gangs < 0)
		return gangs;
	WRITE_ONCE(simgpu_limits_of(dev)->gangs, gangs);
	return count;
}
static DEVICE_ATTR_RW(gang_makers);

static struct attribute *simgpu_limits_attrs[] = {
	&dev_attr_weight_limit.attr.attr,
	&dev_attr_target_limit.attr,
	&dev_attr_gang_makers.attr,
	&dev_attr_gang_wait_seconds.attr.attr,
	&dev_attr_device_mib.attr.attr,
	&dev_attr_journal_events.attr.attr,
	NULL
};

const struct attribute_group simgpu_limits_group = {
	.attrs = simgpu_limits_attrs,
};

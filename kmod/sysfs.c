// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/simgpu/simgpuN and its tenants/<id>: one value a file. Reading
 * shows what was published last and takes no lock that is held for long;
 * writing goes through change.c and tenant.c.
 */
#include <linux/cred.h>
#include <linux/kstrtox.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "cgroups.h"
#include "compat.h"
#include "device.h"
#include "goals.h"
#include "rights.h"
#include "tenant.h"

#define PPM_DIGITS	6

/**
 * simgpu_emit_ppm() - a ratio as a decimal
 * @buf: of a file in sysfs
 * @value_ppm: the ratio
 *
 * Return: the text's length.
 */
ssize_t simgpu_emit_ppm(char *buf, u64 value_ppm)
{
	return sysfs_emit(buf, "%llu.%06llu\n", value_ppm / SIMGPU_PPM,
			  value_ppm % SIMGPU_PPM);
}

static bool simgpu_is_digits(const char *text, size_t length)
{
	return length && strspn(text, "0123456789") == length;
}

/**
 * simgpu_parse_ppm() - a decimal as a ratio
 * @buf: "0.9", "1", "0.874000": up to six decimals, and nothing else
 * @value_ppm: set to it
 *
 * Return: 0 or -EINVAL.
 */
int simgpu_parse_ppm(const char *buf, u64 *value_ppm)
{
	char text[40], *fraction;
	u64 whole, parts = 0;
	size_t length, i;

	if (strscpy(text, buf, sizeof(text)) < 0)
		return -EINVAL;
	length = strlen(text);
	if (length && text[length - 1] == '\n')
		text[--length] = '\0';
	fraction = strchr(text, '.');
	if (fraction) {
		*fraction++ = '\0';
		length = strlen(fraction);
		if (!simgpu_is_digits(fraction, length) ||
		    length > PPM_DIGITS || kstrtou64(fraction, 10, &parts))
			return -EINVAL;
		for (i = length; i < PPM_DIGITS; i++)
			parts *= 10;
	}
	if (!simgpu_is_digits(text, strlen(text)) ||
	    kstrtou64(text, 10, &whole) || whole > U32_MAX)
		return -EINVAL;
	*value_ppm = whole * SIMGPU_PPM + parts;
	return 0;
}

/* A name as written by echo, without its newline. */
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

/* Reading is a call as an ioctl is; who is killed reads on, and leaves. */
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

#define DEVICE_SHOW_METRIC(_name)					\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *buf)	\
{									\
	struct simgpu_published published = simgpu_published_of(dev);	\
									\
	if (!simgpu_may_read_aggregates(NULL, simgpu_device_of(dev)))	\
		return -EACCES;						\
	if (!published.metrics_valid)					\
		return -ENODATA;					\
	return simgpu_emit_ppm(buf, published.metrics._name##_ppm);	\
}

DEVICE_SHOW_STRING(config)
static DEVICE_ATTR_RO(config);
DEVICE_SHOW_U64(cycles, cycle)
static DEVICE_ATTR_RO(cycles);
DEVICE_SHOW_U64(epochs, epochs)
static DEVICE_ATTR_RO(epochs);
DEVICE_SHOW_U64(seed, seed)
static DEVICE_ATTR_RO(seed);
DEVICE_SHOW_METRIC(fairness)
static DEVICE_ATTR_RO(fairness);
DEVICE_SHOW_METRIC(stp)
static DEVICE_ATTR_RO(stp);
DEVICE_SHOW_METRIC(antt)
static DEVICE_ATTR_RO(antt);

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
	return simgpu_plugins_emit(buf, true);
}
static DEVICE_ATTR_RO(policies_available);

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
	return simgpu_plugins_emit(buf, false);
}
static DEVICE_ATTR_RO(models_available);

DEVICE_SHOW_U64(epoch_cycles, epoch_cycles)

static ssize_t epoch_cycles_store(struct device *dev,
				  struct device_attribute *attr,
				  const char *buf, size_t count)
{
	struct simgpu_device_change change = {};
	int ret;

	if (kstrtou64(buf, 10, &change.epoch_cycles) || !change.epoch_cycles)
		return -EINVAL;
	ret = simgpu_device_change(simgpu_device_of(dev), &change);
	return ret ?: count;
}
static DEVICE_ATTR_RW(epoch_cycles);

static ssize_t hold_cycles_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	struct simgpu_device *device = simgpu_device_of(dev);

	return sysfs_emit(buf, "%llu\n",
			  READ_ONCE(device->defaults.hold_cycles));
}

static ssize_t hold_cycles_store(struct device *dev,
				 struct device_attribute *attr,
				 const char *buf, size_t count)
{
	struct simgpu_device_change change = {};
	int ret;

	if (kstrtou64(buf, 10, &change.hold_cycles) || !change.hold_cycles)
		return -EINVAL;
	ret = simgpu_device_change(simgpu_device_of(dev), &change);
	return ret ?: count;
}
static DEVICE_ATTR_RW(hold_cycles);

static ssize_t last_refusal_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	struct simgpu_published published = simgpu_published_of(dev);
	char words[ROW_REFUSAL_BYTES];

	row_refusal_words(&published.refusal, words);
	return sysfs_emit(buf, "%s\n", words);
}
static DEVICE_ATTR_RO(last_refusal);

static ssize_t pace_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return simgpu_emit_ppm(buf,
			       READ_ONCE(simgpu_device_of(dev)->pace_ppm));
}

static ssize_t pace_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t count)
{
	u64 pace_ppm;
	const struct simgpu_device_change change = { .pace_ppm = &pace_ppm };
	int ret;

	ret = simgpu_parse_ppm(buf, &pace_ppm);
	if (!ret)
		ret = simgpu_device_change(simgpu_device_of(dev), &change);
	return ret ?: count;
}
static DEVICE_ATTR_RW(pace);

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

static ssize_t cpu_percent_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n",
			  READ_ONCE(simgpu_device_of(dev)->cpu_percent));
}

static ssize_t cpu_percent_store(struct device *dev,
				 struct device_attribute *attr,
				 const char *buf, size_t count)
{
	struct simgpu_device_change change = {};
	int ret;

	if (kstrtou32(buf, 10, &change.cpu_percent) || !change.cpu_percent)
		return -EINVAL;
	ret = simgpu_device_change(simgpu_device_of(dev), &change);
	return ret ?: count;
}
static DEVICE_ATTR_RW(cpu_percent);

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

static struct attribute *simgpu_device_attrs[] = {
	&dev_attr_config.attr,
	&dev_attr_policy.attr,
	&dev_attr_policies_available.attr,
	&dev_attr_model.attr,
	&dev_attr_models_available.attr,
	&dev_attr_epoch_cycles.attr,
	&dev_attr_cycles.attr,
	&dev_attr_epochs.attr,
	&dev_attr_fairness.attr,
	&dev_attr_stp.attr,
	&dev_attr_antt.attr,
	&dev_attr_bytes_held.attr,
	&dev_attr_pace.attr,
	&dev_attr_threads.attr,
	&dev_attr_cpu_percent.attr,
	&dev_attr_hold_cycles.attr,
	&dev_attr_last_refusal.attr,
	&dev_attr_seed.attr,
	&dev_attr_state.attr,
	NULL
};

static struct bin_attribute *simgpu_device_bin_attrs[] = {
	&simgpu_constants_attr,
	NULL
};

static const struct attribute_group simgpu_device_group = {
	.attrs = simgpu_device_attrs,
	.bin_attrs = simgpu_device_bin_attrs,
};

const struct attribute_group *simgpu_device_groups[] = {
	&simgpu_device_group,
	&simgpu_limits_group,
	&simgpu_cgroups_group,
	&simgpu_policy_params_group,
	&simgpu_model_params_group,
	NULL
};

/* The files of a tenant. */

static struct simgpu_tenant_published
simgpu_tenant_published_of(struct kobject *kobj)
{
	return simgpu_tenant_published(simgpu_tenant_of(kobj));
}

#define TENANT_RO(_name)						\
	static struct kobj_attribute tenant_attr_##_name =		\
		__ATTR(_name, 0444, tenant_##_name##_show, NULL)
#define TENANT_RW(_name)						\
	static struct kobj_attribute tenant_attr_##_name =		\
		__ATTR(_name, 0644, tenant_##_name##_show,		\
		       tenant_##_name##_store)

#define TENANT_FIGURE(_name)						\
static ssize_t tenant_##_name##_show(struct kobject *kobj,		\
				     struct kobj_attribute *attr,	\
				     char *buf)				\
{									\
	struct simgpu_tenant_published published =			\
		simgpu_tenant_published_of(kobj);			\
									\
	if (!published.figures_valid)					\
		return -ENODATA;					\
	return simgpu_emit_ppm(buf, published.figures._name##_ppm);	\
}									\
TENANT_RO(_name)

TENANT_FIGURE(ipc);
TENANT_FIGURE(rbh);
TENANT_FIGURE(bandwidth);
TENANT_FIGURE(llc_mpki);

static ssize_t tenant_name_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	return sysfs_emit(buf, "%s\n", published.options.name);
}

TENANT_RO(name);

/* As the reader's PID namespace numbers it; 0 if it does not. */
static ssize_t tenant_pid_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", pid_vnr(simgpu_tenant_of(kobj)->pid));
}

TENANT_RO(pid);

/* In which it was opened, as the reader's cgroup namespace has it. */
static ssize_t tenant_cgroup_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *buf)
{
	int ret = simgpu_cgroup_path(simgpu_tenant_of(kobj)->cgroup, buf,
				     PAGE_SIZE - 1);
	size_t length = strlen(buf);

	return ret ?: length + sysfs_emit_at(buf, length, "\n");
}

TENANT_RO(cgroup);

static ssize_t tenant_cgroup_id_show(struct kobject *kobj,
				     struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n",
			  simgpu_cgroup_id(simgpu_tenant_of(kobj)->cgroup));
}

TENANT_RO(cgroup_id);

static ssize_t tenant_slot_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	if (published.slot == SIMGPU_NO_SLOT)
		return -ENODATA;
	return sysfs_emit(buf, "%u\n", published.slot);
}

TENANT_RO(slot);

static ssize_t tenant_np_show(struct kobject *kobj,
			      struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	if (published.class == SIMGPU_CLASS_UNKNOWN)
		return -ENODATA;
	return simgpu_emit_ppm(buf, published.np_ppm);
}

TENANT_RO(np);

static ssize_t tenant_class_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	switch (published.class) {
	case SIMGPU_CLASS_MEMORY:
		return sysfs_emit(buf, "memory\n");
	case SIMGPU_CLASS_COMPUTE:
		return sysfs_emit(buf, "compute\n");
	default:
		return sysfs_emit(buf, "unknown\n");
	}
}

TENANT_RO(class);

static ssize_t tenant_service_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	return sysfs_emit(buf, "%s\n", published.options.service == SIMGPU_QOS ?
			  "qos" : "best_effort");
}

TENANT_RO(service);

static ssize_t tenant_sms_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	return sysfs_emit(buf, "%u\n", published.sms);
}

TENANT_RO(sms);

static ssize_t tenant_shared_sms_show(struct kobject *kobj,
				      struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	return sysfs_emit(buf, "%u\n", published.shared_sms);
}

TENANT_RO(shared_sms);

static ssize_t tenant_held_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	return sysfs_emit(buf, "%u\n", published.held);
}

TENANT_RO(held);

static ssize_t tenant_target_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	return simgpu_emit_ppm(buf, published.options.target_ppm);
}

static ssize_t tenant_target_store(struct kobject *kobj,
				   struct kobj_attribute *attr,
				   const char *buf, size_t count)
{
	u64 target_ppm;
	int ret;

	ret = simgpu_parse_ppm(buf, &target_ppm);
	if (!ret)
		ret = simgpu_tenant_change(simgpu_tenant_of(kobj), NULL, NULL,
					   &target_ppm, NULL);
	return ret ?: count;
}

TENANT_RW(target);

static ssize_t tenant_goal_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	return simgpu_goal_emit(buf, &published.options);
}

static ssize_t tenant_goal_store(struct kobject *kobj,
				 struct kobj_attribute *attr, const char *buf,
				 size_t count)
{
	struct simgpu_goal goal;
	int ret;

	ret = simgpu_goal_parse(buf, &goal);
	if (!ret)
		ret = simgpu_tenant_change(simgpu_tenant_of(kobj), NULL, NULL,
					   NULL, &goal);
	return ret ?: count;
}

TENANT_RW(goal);

static ssize_t tenant_goal_ipc_show(struct kobject *kobj,
				    struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	if (!published.report.goal_ipc_ppm)
		return -ENODATA;
	return simgpu_emit_ppm(buf, published.report.goal_ipc_ppm);
}

TENANT_RO(goal_ipc);

static ssize_t tenant_goal_met_show(struct kobject *kobj,
				    struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	if (!published.report.goal_ipc_ppm)
		return -ENODATA;
	return sysfs_emit(buf, "%d\n",
			  !!(published.report.flags & SIMGPU_REPORT_GOAL_MET));
}

TENANT_RO(goal_met);

static ssize_t tenant_weight_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	return sysfs_emit(buf, "%u\n", published.options.weight);
}

static ssize_t tenant_weight_store(struct kobject *kobj,
				   struct kobj_attribute *attr,
				   const char *buf, size_t count)
{
	u32 weight;
	int ret;

	if (kstrtou32(buf, 10, &weight))
		return -EINVAL;
	ret = simgpu_tenant_change(simgpu_tenant_of(kobj), NULL, &weight,
				   NULL, NULL);
	return ret ?: count;
}

TENANT_RW(weight);

/* Of launches that have ended: their number, and times that none has without one. */

#define TENANT_COUNT(_name, _field)					\
static ssize_t tenant_##_name##_show(struct kobject *kobj,		\
				     struct kobj_attribute *attr,	\
				     char *buf)				\
{									\
	struct simgpu_tenant_published published =			\
		simgpu_tenant_published_of(kobj);			\
									\
	return sysfs_emit(buf, "%llu\n", published.report._field);	\
}									\
TENANT_RO(_name)

TENANT_COUNT(launches, launches);
TENANT_COUNT(launches_waiting, launches_waiting);
TENANT_COUNT(deadline_misses, deadline_misses);

static ssize_t tenant_goodput_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	if (!published.report.launches)
		return -ENODATA;
	return simgpu_emit_ppm(buf, published.report.goodput_ppm);
}

TENANT_RO(goodput);

/* Microseconds, to the nanosecond. */
static ssize_t simgpu_emit_us(struct kobject *kobj, char *buf, size_t offset)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);
	u64 ns = *(const u64 *)((const char *)&published.report + offset);

	if (!published.report.launches)
		return -ENODATA;
	return sysfs_emit(buf, "%llu.%03llu\n", ns / 1000, ns % 1000);
}

#define TENANT_TIME(_name, _field)					\
static ssize_t tenant_##_name##_show(struct kobject *kobj,		\
				     struct kobj_attribute *attr,	\
				     char *buf)				\
{									\
	return simgpu_emit_us(kobj, buf,				\
			      offsetof(struct simgpu_tenant_report,	\
				       _field));			\
}									\
TENANT_RO(_name)

TENANT_TIME(latency_p50_us, latency_p50_ns);
TENANT_TIME(latency_p95_us, latency_p95_ns);
TENANT_TIME(latency_p99_us, latency_p99_ns);
TENANT_TIME(wait_p50_us, wait_p50_ns);
TENANT_TIME(wait_p95_us, wait_p95_ns);
TENANT_TIME(wait_p99_us, wait_p99_ns);
TENANT_TIME(wait_mean_us, wait_mean_ns);
TENANT_TIME(run_mean_us, run_mean_ns);

static struct attribute *simgpu_tenant_attrs[] = {
	&tenant_attr_name.attr,
	&tenant_attr_pid.attr,
	&tenant_attr_cgroup.attr,
	&tenant_attr_cgroup_id.attr,
	&tenant_attr_slot.attr,
	&tenant_attr_service.attr,
	&tenant_attr_target.attr,
	&tenant_attr_goal.attr,
	&tenant_attr_weight.attr,
	NULL
};

static const struct attribute_group simgpu_tenant_group = {
	.attrs = simgpu_tenant_attrs,
};

/*
 * A tenant's counters tell the others what it does: a side channel. So does what a
 * policy gives it for that.
 */
static struct attribute *simgpu_tenant_counter_attrs[] = {
	&tenant_attr_sms.attr,
	&tenant_attr_shared_sms.attr,
	&tenant_attr_held.attr,
	&tenant_attr_goal_ipc.attr,
	&tenant_attr_goal_met.attr,
	&tenant_attr_np.attr,
	&tenant_attr_class.attr,
	&tenant_attr_ipc.attr,
	&tenant_attr_rbh.attr,
	&tenant_attr_bandwidth.attr,
	&tenant_attr_llc_mpki.attr,
	&tenant_attr_launches.attr,
	&tenant_attr_launches_waiting.attr,
	&tenant_attr_deadline_misses.attr,
	&tenant_attr_goodput.attr,
	&tenant_attr_latency_p50_us.attr,
	&tenant_attr_latency_p95_us.attr,
	&tenant_attr_latency_p99_us.attr,
	&tenant_attr_wait_p50_us.attr,
	&tenant_attr_wait_p95_us.attr,
	&tenant_attr_wait_p99_us.attr,
	&tenant_attr_wait_mean_us.attr,
	&tenant_attr_run_mean_us.attr,
	NULL
};

static umode_t simgpu_tenant_counter_mode(struct kobject *kobj,
					  struct attribute *attr, int index)
{
	return simgpu_counters_public ? 0444 : 0400;
}

static const struct attribute_group simgpu_tenant_counter_group = {
	.attrs = simgpu_tenant_counter_attrs,
	.is_visible = simgpu_tenant_counter_mode,
};

static const struct attribute_group *simgpu_tenant_groups[] = {
	&simgpu_tenant_group,
	&simgpu_tenant_counter_group,
	NULL
};

static void simgpu_tenant_kobj_release(struct kobject *kobj)
{
	simgpu_tenant_free(simgpu_tenant_of(kobj));
}

static void __maybe_unused
simgpu_tenant_ownership_const(const struct kobject *kobj, kuid_t *uid,
			      kgid_t *gid)
{
	const struct simgpu_tenant *tenant =
		container_of(kobj, const struct simgpu_tenant, kobj);

	*uid = tenant->uid;
	*gid = tenant->gid;
}

static void __maybe_unused
simgpu_tenant_ownership_plain(struct kobject *kobj, kuid_t *uid, kgid_t *gid)
{
	simgpu_tenant_ownership_const(kobj, uid, gid);
}

/* Each file of a tenant, read or written, is a call as an ioctl is. */

static ssize_t simgpu_tenant_attr_show(struct kobject *kobj,
				       struct attribute *attr, char *buf)
{
	int ret = simgpu_device_admit(simgpu_tenant_of(kobj)->device,
				      SIMGPU_CALL_LIGHT);

	return ret ?: kobj_sysfs_ops.show(kobj, attr, buf);
}

static ssize_t simgpu_tenant_attr_store(struct kobject *kobj,
					struct attribute *attr,
					const char *buf, size_t count)
{
	int ret = simgpu_device_admit(simgpu_tenant_of(kobj)->device,
				      SIMGPU_CALL_LIGHT);

	return ret ?: kobj_sysfs_ops.store(kobj, attr, buf, count);
}

static const struct sysfs_ops simgpu_tenant_sysfs_ops = {
	.show = simgpu_tenant_attr_show,
	.store = simgpu_tenant_attr_store,
};

const struct kobj_type simgpu_tenant_ktype = {
	.release = simgpu_tenant_kobj_release,
	.sysfs_ops = &simgpu_tenant_sysfs_ops,
	.default_groups = simgpu_tenant_groups,
	.get_ownership = compat_pick(const struct kobj_type, get_ownership,
				     simgpu_tenant_ownership),
};

// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/simgpu/simgpuN/tenants/ID: one value a file, but for lists. Reading shows
 * what was published last and takes no lock that is held for long; writing goes
 * through tenant.c.
 */
#include <linux/kstrtox.h>
#include <linux/pid.h>
#include <linux/sysfs.h>

#include "cgroups.h"
#include "compat.h"
#include "device.h"
#include "goals.h"
#include "tenant.h"

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

/* What keeps a tenant without an SM from one. */
static ssize_t tenant_waits_for_show(struct kobject *kobj,
				     struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);
	u32 flags = published.report.flags;

	if (flags & SIMGPU_REPORT_WAITS_FOR_MEMORY)
		return sysfs_emit(buf, "memory\n");
	if (flags & SIMGPU_REPORT_WAITS_FOR_SMS)
		return sysfs_emit(buf, "sms\n");
	if (flags & SIMGPU_REPORT_HELD && flags & SIMGPU_REPORT_ACTIVE &&
	    !published.report.sms)
		return sysfs_emit(buf, "policy\n");
	return sysfs_emit(buf, "nothing\n");
}

TENANT_RO(waits_for);

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

/* What is there with a goal only, or with quotas, or with a table of energies. */

#define TENANT_NUMBER_IF(_name, _known, _field)				\
static ssize_t tenant_##_name##_show(struct kobject *kobj,		\
				     struct kobj_attribute *attr,	\
				     char *buf)				\
{									\
	const struct simgpu_tenant_report report =			\
		simgpu_tenant_published_of(kobj).report;		\
									\
	if (!(report._known))						\
		return -ENODATA;					\
	return sysfs_emit(buf, "%llu\n", report._field);		\
}									\
TENANT_RO(_name)

#define TENANT_RATIO_IF(_name, _known)					\
static ssize_t tenant_##_name##_show(struct kobject *kobj,		\
				     struct kobj_attribute *attr,	\
				     char *buf)				\
{									\
	const struct simgpu_tenant_report report =			\
		simgpu_tenant_published_of(kobj).report;		\
									\
	if (!(report._known))						\
		return -ENODATA;					\
	return simgpu_emit_ppm(buf, report._name##_ppm);		\
}									\
TENANT_RO(_name)

TENANT_NUMBER_IF(goal_instructions, goal_ipc_ppm, goal_instructions);
TENANT_NUMBER_IF(goal_promised, goal_ipc_ppm, goal_promised);
TENANT_NUMBER_IF(quota, quota, quota);
TENANT_RATIO_IF(quota_used, quota_used_ppm);
TENANT_RATIO_IF(blocks_per_sm, quota_used_ppm);
TENANT_RATIO_IF(idle_blocks, quota_used_ppm);

static ssize_t tenant_quota_left_show(struct kobject *kobj,
				      struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	if (!(published.report.flags & SIMGPU_REPORT_QUOTA))
		return -ENODATA;
	return sysfs_emit(buf, "%lld\n", published.report.quota_left);
}

TENANT_RO(quota_left);

static ssize_t tenant_energy_joules_show(struct kobject *kobj,
					 struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	if (!(published.report.flags & SIMGPU_REPORT_ENERGY))
		return -ENODATA;
	/* Picojoules as parts per million of a joule. */
	return simgpu_emit_ppm(buf, published.report.energy_pj / SIMGPU_PPM);
}

TENANT_RO(energy_joules);

/* SMs as lists, as those of processors are written. */
static ssize_t simgpu_emit_sms(char *buf, const u64 *words)
{
	char list[ROW_SM_LIST_BYTES];

	row_sm_list(words, list);
	return sysfs_emit(buf, "%s\n", list);
}

static ssize_t tenant_sm_list_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	return simgpu_emit_sms(buf, published.report.own_sms);
}

TENANT_RO(sm_list);

static ssize_t tenant_shared_sm_list_show(struct kobject *kobj,
					  struct kobj_attribute *attr,
					  char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);

	return simgpu_emit_sms(buf, published.report.sharing_sms);
}

TENANT_RO(shared_sm_list);

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
TENANT_COUNT(blocks, blocks);

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

/* A line for each queue, all of one moment. */
static ssize_t tenant_queues_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *buf)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published_of(kobj);
	ssize_t length = 0;
	u32 i;

	if (!published.report.queue_count)
		return -ENODATA;
	for (i = 0; i < published.report.queue_count; i++) {
		const struct simgpu_queue_report *queue =
			&published.report.queue[i];

		length += sysfs_emit_at(buf, length,
					"%u state=%s priority=%d waiting=%u kernel=%u\n",
					i, row_queue_state(queue->state),
					queue->priority, queue->waiting,
					queue->kernel);
	}
	return length;
}

TENANT_RO(queues);

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
	&tenant_attr_waits_for.attr,
	&tenant_attr_goal_ipc.attr,
	&tenant_attr_goal_met.attr,
	&tenant_attr_goal_instructions.attr,
	&tenant_attr_goal_promised.attr,
	&tenant_attr_sm_list.attr,
	&tenant_attr_shared_sm_list.attr,
	&tenant_attr_blocks.attr,
	&tenant_attr_quota.attr,
	&tenant_attr_quota_left.attr,
	&tenant_attr_quota_used.attr,
	&tenant_attr_blocks_per_sm.attr,
	&tenant_attr_idle_blocks.attr,
	&tenant_attr_energy_joules.attr,
	&tenant_attr_np.attr,
	&tenant_attr_class.attr,
	&tenant_attr_ipc.attr,
	&tenant_attr_rbh.attr,
	&tenant_attr_bandwidth.attr,
	&tenant_attr_llc_mpki.attr,
	&tenant_attr_queues.attr,
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

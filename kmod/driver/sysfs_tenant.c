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

/**
 * struct simgpu_tenant_attr - a file
 * @attr: its name and mode
 * @show: writes the text; @now: what was published last. Returns its length, or an
 *	error
 * @store: takes what was written. Returns 0 or an error
 */
struct simgpu_tenant_attr {
	struct attribute attr;
	ssize_t (*show)(const struct simgpu_tenant *tenant,
			const struct simgpu_tenant_published *now, char *buf);
	int (*store)(struct simgpu_tenant *tenant, const char *buf);
};

#define TENANT_RO(_name)						\
	static struct simgpu_tenant_attr tenant_attr_##_name =		\
		__ATTR(_name, 0444, tenant_##_name##_show, NULL)
#define TENANT_RW(_name)						\
	static struct simgpu_tenant_attr tenant_attr_##_name =		\
		__ATTR(_name, 0644, tenant_##_name##_show,		\
		       tenant_##_name##_store)
#define TENANT_SHOW(_name)						\
	static ssize_t							\
	tenant_##_name##_show(const struct simgpu_tenant *tenant,	\
			      const struct simgpu_tenant_published *now,\
			      char *buf)

/* A number, and one that there is only with something else; a ratio likewise. */

#define TENANT_NUMBER(_name, _value)					\
static ssize_t								\
tenant_##_name##_show(const struct simgpu_tenant *tenant,		\
		      const struct simgpu_tenant_published *now,	\
		      char *buf)					\
{									\
	return sysfs_emit(buf, "%llu\n", (u64)(_value));		\
}									\
TENANT_RO(_name)

#define TENANT_NUMBER_IF(_name, _known, _value)				\
static ssize_t								\
tenant_##_name##_show(const struct simgpu_tenant *tenant,		\
		      const struct simgpu_tenant_published *now,	\
		      char *buf)					\
{									\
	if (!(_known))							\
		return -ENODATA;					\
	return sysfs_emit(buf, "%llu\n", (u64)(_value));		\
}									\
TENANT_RO(_name)

#define TENANT_RATIO_IF(_name, _known, _ppm)				\
static ssize_t								\
tenant_##_name##_show(const struct simgpu_tenant *tenant,		\
		      const struct simgpu_tenant_published *now,	\
		      char *buf)					\
{									\
	if (!(_known))							\
		return -ENODATA;					\
	return simgpu_emit_ppm(buf, _ppm);				\
}									\
TENANT_RO(_name)

TENANT_RATIO_IF(ipc, now->figures_valid, now->figures.ipc_ppm);
TENANT_RATIO_IF(rbh, now->figures_valid, now->figures.rbh_ppm);
TENANT_RATIO_IF(bandwidth, now->figures_valid, now->figures.bandwidth_ppm);
TENANT_RATIO_IF(llc_mpki, now->figures_valid, now->figures.llc_mpki_ppm);

TENANT_SHOW(name)
{
	return sysfs_emit(buf, "%s\n", now->options.name);
}

TENANT_RO(name);

/* As the reader's PID namespace numbers it; 0 if it does not. */
TENANT_SHOW(pid)
{
	return sysfs_emit(buf, "%d\n", pid_vnr(tenant->pid));
}

TENANT_RO(pid);

/* In which it was opened, as the reader's cgroup namespace has it. */
TENANT_SHOW(cgroup)
{
	int ret = simgpu_cgroup_path(tenant->cgroup, buf, PAGE_SIZE - 1);
	size_t length = strlen(buf);

	return ret ?: length + sysfs_emit_at(buf, length, "\n");
}

TENANT_RO(cgroup);

TENANT_SHOW(cgroup_id)
{
	return sysfs_emit(buf, "%llu\n", simgpu_cgroup_id(tenant->cgroup));
}

TENANT_RO(cgroup_id);

TENANT_SHOW(slot)
{
	if (now->slot == SIMGPU_NO_SLOT)
		return -ENODATA;
	return sysfs_emit(buf, "%u\n", now->slot);
}

TENANT_RO(slot);

TENANT_SHOW(np)
{
	if (now->class == SIMGPU_CLASS_UNKNOWN)
		return -ENODATA;
	return simgpu_emit_ppm(buf, now->np_ppm);
}

TENANT_RO(np);

TENANT_SHOW(class)
{
	switch (now->class) {
	case SIMGPU_CLASS_MEMORY:
		return sysfs_emit(buf, "memory\n");
	case SIMGPU_CLASS_COMPUTE:
		return sysfs_emit(buf, "compute\n");
	default:
		return sysfs_emit(buf, "unknown\n");
	}
}

TENANT_RO(class);

TENANT_SHOW(service)
{
	return sysfs_emit(buf, "%s\n", now->options.service == SIMGPU_QOS ?
			  "qos" : "best_effort");
}

TENANT_RO(service);

TENANT_NUMBER(sms, now->sms);
TENANT_NUMBER(shared_sms, now->shared_sms);
TENANT_NUMBER(held, now->held);

/* What keeps a tenant without an SM, or a launch without a slot, from one. */
TENANT_SHOW(waits_for)
{
	u32 flags = now->report.flags;

	if (now->in_line)
		return sysfs_emit(buf, "slot\n");
	if (flags & SIMGPU_REPORT_WAITS_FOR_MEMORY)
		return sysfs_emit(buf, "memory\n");
	if (flags & SIMGPU_REPORT_WAITS_FOR_SMS)
		return sysfs_emit(buf, "sms\n");
	if (flags & SIMGPU_REPORT_HELD && flags & SIMGPU_REPORT_ACTIVE &&
	    !now->report.sms)
		return sysfs_emit(buf, "policy\n");
	return sysfs_emit(buf, "nothing\n");
}

TENANT_RO(waits_for);

TENANT_SHOW(target)
{
	return simgpu_emit_ppm(buf, now->options.target_ppm);
}

static int tenant_target_store(struct simgpu_tenant *tenant, const char *buf)
{
	u64 target_ppm;
	const struct simgpu_tenant_wish wish = { .target_ppm = &target_ppm };
	int ret = simgpu_parse_ppm(buf, &target_ppm);

	return ret ?: simgpu_tenant_change(tenant, NULL, &wish);
}

TENANT_RW(target);

TENANT_SHOW(share)
{
	return simgpu_emit_ppm(buf, now->options.share_ppm);
}

static int tenant_share_store(struct simgpu_tenant *tenant, const char *buf)
{
	u64 share_ppm;
	const struct simgpu_tenant_wish wish = { .share_ppm = &share_ppm };
	int ret = simgpu_parse_ppm(buf, &share_ppm);

	return ret ?: simgpu_tenant_change(tenant, NULL, &wish);
}

TENANT_RW(share);

TENANT_SHOW(goal)
{
	return simgpu_goal_emit(buf, &now->options);
}

static int tenant_goal_store(struct simgpu_tenant *tenant, const char *buf)
{
	struct simgpu_goal goal;
	const struct simgpu_tenant_wish wish = { .goal = &goal };
	int ret = simgpu_goal_parse(buf, &goal);

	return ret ?: simgpu_tenant_change(tenant, NULL, &wish);
}

TENANT_RW(goal);

TENANT_RATIO_IF(goal_ipc, now->report.goal_ipc_ppm, now->report.goal_ipc_ppm);

TENANT_SHOW(goal_met)
{
	if (!now->report.goal_ipc_ppm)
		return -ENODATA;
	return sysfs_emit(buf, "%d\n",
			  !!(now->report.flags & SIMGPU_REPORT_GOAL_MET));
}

TENANT_RO(goal_met);

/* What is there with a goal only, or with quotas, or with a table of energies. */

TENANT_NUMBER_IF(goal_instructions, now->report.goal_ipc_ppm,
		 now->report.goal_instructions);
TENANT_NUMBER_IF(goal_promised, now->report.goal_ipc_ppm, now->report.goal_promised);
TENANT_NUMBER_IF(quota, now->report.quota, now->report.quota);
TENANT_RATIO_IF(quota_used, now->report.quota_used_ppm, now->report.quota_used_ppm);
TENANT_RATIO_IF(blocks_per_sm, now->report.quota_used_ppm,
		now->report.blocks_per_sm_ppm);
TENANT_RATIO_IF(idle_blocks, now->report.quota_used_ppm,
		now->report.idle_blocks_ppm);

TENANT_SHOW(quota_left)
{
	if (!(now->report.flags & SIMGPU_REPORT_QUOTA))
		return -ENODATA;
	return sysfs_emit(buf, "%lld\n", now->report.quota_left);
}

TENANT_RO(quota_left);

TENANT_SHOW(energy_joules)
{
	if (!(now->report.flags & SIMGPU_REPORT_ENERGY))
		return -ENODATA;
	/* Picojoules as parts per million of a joule. */
	return simgpu_emit_ppm(buf, now->report.energy_pj / SIMGPU_PPM);
}

TENANT_RO(energy_joules);

/* SMs as lists, as those of processors are written. */
static ssize_t simgpu_emit_sms(char *buf, const u64 *words)
{
	char list[ROW_SM_LIST_BYTES];

	row_sm_list(words, list);
	return sysfs_emit(buf, "%s\n", list);
}

TENANT_SHOW(sm_list)
{
	return simgpu_emit_sms(buf, now->report.own_sms);
}

TENANT_RO(sm_list);

TENANT_SHOW(shared_sm_list)
{
	return simgpu_emit_sms(buf, now->report.sharing_sms);
}

TENANT_RO(shared_sm_list);

/* What it keeps to; there is nothing where that is everything. */

TENANT_SHOW(sm_mask)
{
	const u64 *sms = now->report.mask_sms;

	if (!memchr_inv(sms, 0, sizeof(now->report.mask_sms)))
		return -ENODATA;
	return simgpu_emit_sms(buf, sms);
}

TENANT_RO(sm_mask);

static ssize_t simgpu_emit_mask(char *buf, u64 bits)
{
	char list[ROW_SM_LIST_BYTES];

	if (!bits)
		return -ENODATA;
	row_bit_list(bits, list);
	return sysfs_emit(buf, "%s\n", list);
}

TENANT_SHOW(channel_mask)
{
	return simgpu_emit_mask(buf, now->report.mask_channels);
}

TENANT_RO(channel_mask);

TENANT_SHOW(llc_way_mask)
{
	return simgpu_emit_mask(buf, now->report.mask_llc_ways);
}

TENANT_RO(llc_way_mask);

TENANT_SHOW(weight)
{
	return sysfs_emit(buf, "%u\n", now->options.weight);
}

static int tenant_weight_store(struct simgpu_tenant *tenant, const char *buf)
{
	u32 weight;
	const struct simgpu_tenant_wish wish = { .weight = &weight };

	if (kstrtou32(buf, 10, &weight))
		return -EINVAL;
	return simgpu_tenant_change(tenant, NULL, &wish);
}

TENANT_RW(weight);

/* Of launches that have ended: their number, and times that none has without one. */

TENANT_NUMBER(launches, now->report.launches);
TENANT_NUMBER(launches_waiting, now->report.launches_waiting);
TENANT_NUMBER(deadline_misses, now->report.deadline_misses);
TENANT_NUMBER(blocks, now->report.blocks);

TENANT_RATIO_IF(goodput, now->report.launches, now->report.goodput_ppm);

/* Microseconds, to the nanosecond. */
static ssize_t simgpu_emit_us(const struct simgpu_tenant_published *now, char *buf,
			      u64 ns)
{
	if (!now->report.launches)
		return -ENODATA;
	return sysfs_emit(buf, "%llu.%03llu\n", ns / 1000, ns % 1000);
}

#define TENANT_TIME(_name, _field)					\
static ssize_t								\
tenant_##_name##_show(const struct simgpu_tenant *tenant,		\
		      const struct simgpu_tenant_published *now,	\
		      char *buf)					\
{									\
	return simgpu_emit_us(now, buf, now->report._field);		\
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
TENANT_SHOW(queues)
{
	ssize_t length = 0;
	u32 i;

	if (!now->report.queue_count)
		return -ENODATA;
	for (i = 0; i < now->report.queue_count; i++) {
		const struct simgpu_queue_report *queue =
			&now->report.queue[i];

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
	&tenant_attr_share.attr,
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
	&tenant_attr_sm_mask.attr,
	&tenant_attr_channel_mask.attr,
	&tenant_attr_llc_way_mask.attr,
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
	const struct simgpu_tenant_attr *file =
		container_of(attr, struct simgpu_tenant_attr, attr);
	struct simgpu_tenant *tenant = simgpu_tenant_of(kobj);
	struct simgpu_tenant_published now;
	int ret = simgpu_device_admit(tenant->device, SIMGPU_CALL_LIGHT);

	if (ret)
		return ret;
	simgpu_tenant_published(tenant, &now);
	return file->show(tenant, &now, buf);
}

static ssize_t simgpu_tenant_attr_store(struct kobject *kobj,
					struct attribute *attr,
					const char *buf, size_t count)
{
	const struct simgpu_tenant_attr *file =
		container_of(attr, struct simgpu_tenant_attr, attr);
	struct simgpu_tenant *tenant = simgpu_tenant_of(kobj);
	int ret;

	if (!file->store)
		return -EIO;
	ret = simgpu_device_admit(tenant->device, SIMGPU_CALL_LIGHT);
	ret = ret ?: file->store(tenant, buf);
	return ret ?: count;
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

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
#include "ppm.h"
#include "report.h"
#include "rights.h"
#include "sysfs_tenant.h"
#include "tenant.h"
#include "turn.h"

/**
 * struct simgpu_tenant_attr - a file
 * @attr: its name and mode
 * @figure: figure in the file; NULL: @show writes another text
 * @show: writes the text; @now: what was published last. Returns its length, or an
 *	error
 * @store: parses and sets what was written. Returns 0 or an error
 */
struct simgpu_tenant_attr {
	struct attribute attr;
	const struct figure *figure;
	ssize_t (*show)(const struct simgpu_tenant *tenant,
			const struct simgpu_tenant_published *now, char *buf);
	int (*store)(struct simgpu_tenant *tenant, const char *buf);
};

#define TENANT_RO(_name)						\
	static struct simgpu_tenant_attr tenant_attr_##_name =		\
		{ .attr = { .name = #_name, .mode = 0444 },		\
		  .show = tenant_##_name##_show }
#define TENANT_RW(_name)						\
	static struct simgpu_tenant_attr tenant_attr_##_name =		\
		{ .attr = { .name = #_name, .mode = 0644 },		\
		  .show = tenant_##_name##_show,			\
		  .store = tenant_##_name##_store }
#define TENANT_SHOW(_name)						\
	static ssize_t							\
	tenant_##_name##_show(const struct simgpu_tenant *tenant,	\
			      const struct simgpu_tenant_published *now,\
			      char *buf)

TENANT_SHOW(name)
{
	return sysfs_emit(buf, "%s\n", now->options.name);
}

TENANT_RO(name);

/* The process's number in the reader's PID namespace; 0 if it has none there. */
TENANT_SHOW(pid)
{
	return sysfs_emit(buf, "%d\n", pid_vnr(tenant->pid));
}

TENANT_RO(pid);

/* The cgroup in which the file was opened, in the reader's cgroup namespace. */
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

/* Why a tenant has no SM, or a launch no slot. */
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

TENANT_SHOW(p99_cycles)
{
	return sysfs_emit(buf, "%llu\n", now->options.p99_cycles);
}

static int tenant_p99_cycles_store(struct simgpu_tenant *tenant, const char *buf)
{
	u64 cycles;
	const struct simgpu_tenant_wish wish = { .p99_cycles = &cycles };

	if (kstrtou64(buf, 10, &cycles))
		return -EINVAL;
	return simgpu_tenant_change(tenant, NULL, &wish);
}

TENANT_RW(p99_cycles);

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

/* Limits of its managed memory, in bytes */
#define TENANT_LIMIT(_limit)						\
TENANT_SHOW(memory_##_limit)						\
{									\
	return sysfs_emit(buf, "%llu\n", now->options.memory._limit);	\
}									\
									\
static int tenant_memory_##_limit##_store(struct simgpu_tenant *tenant,	\
					  const char *buf)		\
{									\
	u64 bytes;							\
	const struct simgpu_tenant_wish wish = { .memory_##_limit = &bytes }; \
									\
	if (kstrtou64(buf, 10, &bytes))					\
		return -EINVAL;						\
	return simgpu_tenant_change(tenant, NULL, &wish);		\
}									\
									\
TENANT_RW(memory_##_limit)

TENANT_LIMIT(min);
TENANT_LIMIT(low);
TENANT_LIMIT(max);

/* A line for each queue, all of the same moment. */
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
	&tenant_attr_p99_cycles.attr,
	&tenant_attr_goal.attr,
	&tenant_attr_weight.attr,
	&tenant_attr_memory_min.attr,
	&tenant_attr_memory_low.attr,
	&tenant_attr_memory_max.attr,
	NULL
};

static const struct attribute_group simgpu_tenant_group = {
	.attrs = simgpu_tenant_attrs,
};

/*
 * A tenant's counters and figures show other users what it does: a side channel. So does
 * what a policy gives the tenant for that.
 */
static struct attribute *simgpu_tenant_counter_attrs[FIGURES_MAX + 5] = {
	&tenant_attr_waits_for.attr,
	&tenant_attr_np.attr,
	&tenant_attr_class.attr,
	&tenant_attr_queues.attr,
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

static ssize_t simgpu_emit_figure(const struct figure *figure,
				  const struct simgpu_tenant_published *now, char *buf)
{
	struct simgpu_tenant_report shown;
	int length;

	simgpu_tenant_shown(now, &shown);
	if (!figure_is_known(figure, &shown))
		return -ENODATA;
	/* A list of SMs is too long for the stack. */
	length = figure_text(figure, &shown, buf);
	return length + sysfs_emit_at(buf, length, "\n");
}

/* Each read and write of a tenant's file counts as a call, like an ioctl. */

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
	return file->figure ? simgpu_emit_figure(file->figure, &now, buf) :
			      file->show(tenant, &now, buf);
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

static const struct kobj_type simgpu_tenant_ktype = {
	.release = simgpu_tenant_kobj_release,
	.sysfs_ops = &simgpu_tenant_sysfs_ops,
	.default_groups = simgpu_tenant_groups,
	.get_ownership = compat_pick(const struct kobj_type, get_ownership,
				     simgpu_tenant_ownership),
};

/**
 * simgpu_tenant_sysfs_init() - add a file for each figure, behind the other files
 *
 * Return: the type of tenants in sysfs.
 */
const struct kobj_type *__init simgpu_tenant_sysfs_init(void)
{
	static struct simgpu_tenant_attr files[FIGURES_MAX];
	struct attribute **to = simgpu_tenant_counter_attrs;
	u32 i;

	while (*to)
		to++;
	for (i = 0; i < tenant_figure_count; i++) {
		files[i].figure = &tenant_figures[i];
		files[i].attr.name = tenant_figures[i].name;
		files[i].attr.mode = 0444;
		*to++ = &files[i].attr;
	}
	return &simgpu_tenant_ktype;
}

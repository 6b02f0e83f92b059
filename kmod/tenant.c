// SPDX-License-Identifier: GPL-2.0
/*
 * Tenants: opening and closing, taking and losing a slot, what they say of
 * themselves, and what is published of them. Their traces are in upload.c, their
 * launches in tenant_launch.c, the page that they map in tenant_live.c, their
 * reports in report.c, their entries in sysfs in sysfs.c.
 */
#include <linux/ctype.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "device.h"
#include "tenant.h"

static void simgpu_tenant_default_options(struct session_tenant_options *options)
{
	char comm[TASK_COMM_LEN], *c;

	get_task_comm(comm, current);
	strscpy(options->name, comm, sizeof(options->name));
	for (c = options->name; *c; c++)
		if (!isascii(*c) || !isprint(*c))
			*c = '?';
	if (!options->name[0])
		strscpy(options->name, "tenant", sizeof(options->name));
	options->service = SIMGPU_BEST_EFFORT;
	options->weight = SIMGPU_WEIGHT_MIN;
}

/* From now on others see it, unless the device is going away. */
static int simgpu_tenant_add(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	int ret = -ENODEV;

	mutex_lock(&device->open_lock);
	if (device->gone)
		goto out;
	ret = kobject_add(&tenant->kobj, device->tenants_dir, "%llu",
			  tenant->id);
	if (ret)
		goto out;
	ret = xa_insert(&device->tenants, tenant->id, tenant,
			GFP_KERNEL_ACCOUNT);
	if (ret)
		kobject_del(&tenant->kobj);
out:
	mutex_unlock(&device->open_lock);
	return ret;
}

/**
 * simgpu_tenant_create() - a tenant for a file that is being opened
 * @device: the device
 * @cred: of the opener
 *
 * Return: the tenant, or an ERR_PTR().
 */
struct simgpu_tenant *simgpu_tenant_create(struct simgpu_device *device,
					   const struct cred *cred)
{
	struct simgpu_tenant *tenant;
	int ret;

	tenant = kzalloc(sizeof(*tenant), GFP_KERNEL_ACCOUNT);
	if (!tenant)
		return ERR_PTR(-ENOMEM);
	tenant->device = device;
	get_device(&device->dev);
	tenant->id = atomic64_inc_return(&device->last_tenant_id);
	tenant->pid = get_pid(task_tgid(current));
	tenant->uid = cred->fsuid;
	tenant->gid = cred->fsgid;
	tenant->slot = SIMGPU_NO_SLOT;
	xa_init_flags(&tenant->traces, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	init_waitqueue_head(&tenant->settle_wait);
	simgpu_tenant_default_options(&tenant->options);
	tenant->published.options = tenant->options;
	tenant->published.slot = SIMGPU_NO_SLOT;
	simgpu_device_charge(device, sizeof(*tenant));

	kobject_init(&tenant->kobj, &simgpu_tenant_ktype);
	ret = simgpu_tenant_add(tenant);
	if (!ret)
		return tenant;
	kobject_put(&tenant->kobj);
	return ERR_PTR(ret);
}

/**
 * simgpu_tenant_find() - look up a tenant whose file is open
 * @device: the device
 * @id: its number; with @or_next set to that of the one found
 * @or_next: or the next higher one, if there is none of that number
 *
 * Return: the tenant with a reference that kobject_put() gives up, or NULL.
 */
struct simgpu_tenant *simgpu_tenant_find(struct simgpu_device *device,
					 unsigned long *id, bool or_next)
{
	struct simgpu_tenant *tenant;

	/* Closing erases it under this lock before its reference goes. */
	xa_lock(&device->tenants);
	tenant = or_next ? xa_find(&device->tenants, id, ULONG_MAX, XA_PRESENT) :
			   xa_load(&device->tenants, *id);
	if (tenant)
		kobject_get(&tenant->kobj);
	xa_unlock(&device->tenants);
	return tenant;
}

/**
 * simgpu_tenant_published() - what a tenant shows of itself
 * @tenant: the tenant
 *
 * Takes no lock that is held for long.
 *
 * Return: a copy.
 */
struct simgpu_tenant_published
simgpu_tenant_published(struct simgpu_tenant *tenant)
{
	struct simgpu_tenant_published published;

	spin_lock(&tenant->device->publish_lock);
	published = tenant->published;
	spin_unlock(&tenant->device->publish_lock);
	return published;
}

/**
 * simgpu_tenant_free() - the last reference to a tenant's kobject has gone
 * @tenant: the tenant
 */
void simgpu_tenant_free(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;

	xa_destroy(&tenant->traces);
	if (tenant->live) {
		free_page((unsigned long)tenant->live);
		simgpu_tenant_uncharge(tenant, PAGE_SIZE);
	}
	put_pid(tenant->pid);
	kfree(tenant);
	simgpu_device_charge(device, -(s64)sizeof(*tenant));
	put_device(&device->dev);
}

/**
 * simgpu_tenant_charge() - count memory that a tenant makes the kernel hold
 * @tenant: the tenant
 * @bytes: how many
 *
 * Return: 0, or -ENOSPC beyond SIMGPU_TENANT_BYTES_MAX.
 */
int simgpu_tenant_charge(struct simgpu_tenant *tenant, u64 bytes)
{
	if (bytes > SIMGPU_TENANT_BYTES_MAX)
		return -ENOSPC;
	if (atomic64_add_return(bytes, &tenant->bytes_held) >
	    SIMGPU_TENANT_BYTES_MAX) {
		atomic64_sub(bytes, &tenant->bytes_held);
		return -ENOSPC;
	}
	simgpu_device_charge(tenant->device, bytes);
	return 0;
}

/**
 * simgpu_tenant_uncharge() - that memory is free again
 * @tenant: the tenant
 * @bytes: how many
 */
void simgpu_tenant_uncharge(struct simgpu_tenant *tenant, u64 bytes)
{
	atomic64_sub(bytes, &tenant->bytes_held);
	simgpu_device_charge(tenant->device, -(s64)bytes);
}

/**
 * simgpu_tenant_close() - the last reference to a tenant's file has gone
 * @tenant: the tenant; do not use it afterwards
 */
void simgpu_tenant_close(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;

	xa_erase(&device->tenants, tenant->id);
	/* Only calls on the file seat it, and there are none any more. */
	if (tenant->was_seated) {
		simgpu_device_lock_closing(device);
		if (tenant->slot != SIMGPU_NO_SLOT) {
			simgpu_tenant_unseat(tenant);
			simgpu_device_settle(device);
		}
		simgpu_device_unlock(device);
	}
	simgpu_traces_drop(tenant);
	kobject_del(&tenant->kobj);
	kobject_put(&tenant->kobj);
}

/**
 * simgpu_tenant_seat() - record that the session gave a tenant a slot
 * @tenant: the tenant
 * @slot: the slot
 */
void simgpu_tenant_seat(struct simgpu_tenant *tenant, u32 slot)
{
	struct simgpu_device *device = tenant->device;

	lockdep_assert_held(&device->lock);
	tenant->slot = slot;
	tenant->was_seated = true;
	tenant->sequence_base = tenant->launched;
	spin_lock(&device->publish_lock);
	device->slots[slot] = tenant;
	tenant->published.slot = slot;
	simgpu_tenant_publish_live(tenant);
	spin_unlock(&device->publish_lock);
}

/**
 * simgpu_tenant_unseat() - end a tenant's work and take its slot
 * @tenant: a tenant with a slot
 *
 * The caller settles the device, unless it replaces the session.
 */
void simgpu_tenant_unseat(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	u32 i;

	lockdep_assert_held(&device->lock);
	simgpu_tell(leave, device, tenant->slot);
	session_leave(device->session, tenant->slot);
	for (i = 0; i < SESSION_LAUNCHES_MAX; i++)
		WARN_ON_ONCE(tenant->pending[i].trace);
	tenant->in_gang = false;
	spin_lock(&device->publish_lock);
	device->slots[tenant->slot] = NULL;
	tenant->slot = SIMGPU_NO_SLOT;
	tenant->published = (struct simgpu_tenant_published) {
		.options = tenant->options,
		.slot = SIMGPU_NO_SLOT,
	};
	simgpu_tenant_publish_live(tenant);
	spin_unlock(&device->publish_lock);
}

static bool simgpu_options_valid(const struct session_tenant_options *options)
{
	if (options->weight < SIMGPU_WEIGHT_MIN ||
	    options->weight > SIMGPU_WEIGHT_MAX)
		return false;
	switch (options->service) {
	case SIMGPU_BEST_EFFORT:
		return !options->target_ppm;
	case SIMGPU_QOS:
		return options->target_ppm && options->target_ppm <= SIMGPU_PPM;
	default:
		return false;
	}
}

/**
 * simgpu_tenant_set_options() - change what a tenant says of itself
 * @tenant: the tenant
 * @options: checked here
 *
 * Return: 0 or -EINVAL; then nothing has changed.
 */
int simgpu_tenant_set_options(struct simgpu_tenant *tenant,
			      const struct session_tenant_options *options)
{
	struct simgpu_device *device = tenant->device;
	int ret;

	lockdep_assert_held(&device->lock);
	if (!simgpu_options_valid(options))
		return -EINVAL;
	if (tenant->slot != SIMGPU_NO_SLOT) {
		ret = session_set_tenant(device->session, tenant->slot,
					 options);
		if (ret)
			return ret;
	}
	tenant->options = *options;
	spin_lock(&device->publish_lock);
	tenant->published.options = *options;
	spin_unlock(&device->publish_lock);
	return 0;
}

/**
 * simgpu_tenant_change() - change weight and target, both or none
 * @tenant: the tenant
 * @weight: the new one; NULL: as it is
 * @target_ppm: likewise
 *
 * Return: 0, -EINVAL for values that do not go together, -ENODEV.
 */
int simgpu_tenant_change(struct simgpu_tenant *tenant, const u32 *weight,
			 const u64 *target_ppm)
{
	struct session_tenant_options options;
	int ret;

	ret = simgpu_device_lock(tenant->device);
	if (ret)
		return ret;
	options = tenant->options;
	if (weight)
		options.weight = *weight;
	if (target_ppm)
		options.target_ppm = *target_ppm;
	ret = simgpu_tenant_set_options(tenant, &options);
	simgpu_device_unlock(tenant->device);
	if (!ret)
		simgpu_tell(tenant_settings, tenant);
	return ret;
}

static bool simgpu_name_valid(const char *name, size_t bytes)
{
	size_t length = strnlen(name, bytes);
	size_t i;

	if (!length || length == bytes)
		return false;
	for (i = 0; i < length; i++)
		if (!isascii(name[i]) || !isprint(name[i]))
			return false;
	return !memchr_inv(name + length, 0, bytes - length);
}

/* SIMGPU_IOC_TENANT_CONFIG */
int simgpu_tenant_config(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_tenant_config *cmd = ucmd->cmd;
	struct session_tenant_options options = {
		.service = cmd->service,
		.weight = cmd->weight,
		.target_ppm = cmd->target_ppm,
	};
	int ret;

	if (cmd->reserved || !simgpu_name_valid(cmd->name, sizeof(cmd->name)))
		return -EINVAL;
	strscpy(options.name, cmd->name, sizeof(options.name));
	ret = simgpu_device_lock(tenant->device);
	if (ret)
		return ret;
	ret = simgpu_tenant_set_options(tenant, &options);
	simgpu_device_unlock(tenant->device);
	if (!ret)
		simgpu_tell(tenant_settings, tenant);
	return ret;
}

/**
 * simgpu_tenant_fdinfo() - the keys of the DRM usage statistics
 * @tenant: the tenant
 * @seq: its file in /proc/PID/fdinfo
 *
 * Its engines are the SMs; their time is the device's, not the host's.
 */
void simgpu_tenant_fdinfo(struct simgpu_tenant *tenant, struct seq_file *seq)
{
	struct simgpu_tenant_published published =
		simgpu_tenant_published(tenant);
	const struct gpu_config *config = &tenant->device->defaults.config;
	u64 sm_cycles = published.counters.sm_cycles;

	seq_puts(seq, "drm-driver:\tsimgpu\n");
	seq_printf(seq, "drm-client-id:\t%llu\n",
		   (u64)tenant->device->index << 32 | tenant->id);
	seq_printf(seq, "drm-engine-sm:\t%llu ns\n",
		   mul_u64_u32_div(sm_cycles, 1000, config->core_mhz));
	seq_printf(seq, "drm-engine-capacity-sm:\t%u\n", config->sms);
	seq_printf(seq, "drm-cycles-sm:\t%llu\n", sm_cycles);
	seq_printf(seq, "drm-maxfreq-sm:\t%u MHz\n", config->core_mhz);
	seq_printf(seq, "drm-total-traces:\t%llu KiB\n",
		   (u64)atomic64_read(&tenant->bytes_held) >> 10);
	seq_printf(seq, "drm-resident-traces:\t%llu KiB\n",
		   (u64)atomic64_read(&tenant->bytes_held) >> 10);
}

/* SIMGPU_IOC_DEVICE_INFO */
int simgpu_device_info(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_device *device = tenant->device;
	struct simgpu_device_info *cmd = ucmd->cmd;
	struct simgpu_published published;

	if (cmd->reserved)
		return -EINVAL;
	if (READ_ONCE(device->gone))
		return -ENODEV;
	published = simgpu_device_published(device);
	cmd->sms = published.sms;
	cmd->schedulers_per_sm = published.schedulers_per_sm;
	cmd->core_mhz = published.core_mhz;
	cmd->memory_mhz = published.memory_mhz;
	cmd->channels = published.channels;
	memset(cmd->config, 0, sizeof(cmd->config));
	strscpy(cmd->config, published.config, sizeof(cmd->config));
	cmd->epoch_cycles = published.epoch_cycles;
	cmd->cycle = published.cycle;
	cmd->tenants_max = SIMGPU_TENANTS_MAX;
	return simgpu_ucmd_respond(ucmd);
}

/* The session of a device ends: nobody has a slot any more. */
static void simgpu_tenants_unseat(struct simgpu_device *device)
{
	u32 slot;

	lockdep_assert_held(&device->lock);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (device->slots[slot])
			simgpu_tenant_unseat(device->slots[slot]);
}

/* Who waits for a launch, or reads, learns that the device has gone. */
static void simgpu_tenants_wake(struct simgpu_device *device)
{
	struct simgpu_tenant *tenant;
	unsigned long id;

	xa_lock(&device->tenants);
	xa_for_each(&device->tenants, id, tenant)
		wake_up_all(&tenant->settle_wait);
	xa_unlock(&device->tenants);
}

static void simgpu_tenants_publish_epoch(struct simgpu_device *device,
					 const struct session_epoch *epoch)
{
	u32 i;

	lockdep_assert_held(&device->publish_lock);
	for (i = 0; i < epoch->tenant_count; i++) {
		const struct session_epoch_tenant *row = &epoch->tenants[i];
		struct simgpu_tenant *tenant = device->slots[row->slot];

		if (WARN_ON_ONCE(!tenant))
			continue;
		tenant->published.class = row->class;
		tenant->published.np_ppm = row->np_ppm;
		tenant->published.figures_valid = true;
		tenant->published.figures = row->figures;
		simgpu_tenant_publish_live(tenant);
	}
}

/**
 * simgpu_tenant_publish_counters() - publish a tenant's counters and figures
 * @tenant: with a slot
 */
void simgpu_tenant_publish_counters(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	struct session_tenant_report report;

	lockdep_assert_held(&device->lock);
	session_tenant_report(device->session, tenant->slot, &report);
	spin_lock(&device->publish_lock);
	tenant->published.sms = report.sms;
	tenant->published.shared_sms = report.shared_sms;
	tenant->published.held = report.held;
	row_report(&report, &tenant->published.report);
	tenant->published.counters = report.counters;
	simgpu_tenant_publish_live(tenant);
	spin_unlock(&device->publish_lock);
}

static void simgpu_tenants_publish_counters(struct simgpu_device *device)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (device->slots[slot])
			simgpu_tenant_publish_counters(device->slots[slot]);
}

const struct simgpu_observer simgpu_tenant_observer = {
	.session_end = simgpu_tenants_unseat,
	.gone = simgpu_tenants_wake,
	.publish_epoch = simgpu_tenants_publish_epoch,
	.publish_counters = simgpu_tenants_publish_counters,
	.launch_done = simgpu_tenant_launch_done,
};

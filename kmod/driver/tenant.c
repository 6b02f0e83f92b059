// SPDX-License-Identifier: GPL-2.0
/*
 * Tenants: opening and closing, taking and losing a slot, their settings, and what is
 * published of them. upload.c has their traces, tenant_launch.c their
 * launches, tenant_live.c the page that they map, report.c their
 * reports, and sysfs_tenant.c their entries in sysfs.
 */
#include <linux/ctype.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "by_thread.h"
#include "cgroups.h"
#include "charge.h"
#include "device.h"
#include "goals.h"
#include "ioctl.h"
#include "journal_room.h"
#include "observe.h"
#include "observers.h"
#include "report.h"
#include "rights.h"
#include "seats.h"
#include "tenant.h"
#include "tenant_live.h"
#include "tenant_outcome.h"
#include "turn.h"
#include "upload.h"

/* The type of their entries in sysfs. */
static const struct kobj_type *simgpu_tenants_ktype;

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

/*
 * Makes the tenant visible to others, unless the device is going away. A thread does it
 * for the opener, since others wait for the lock, and for those of sysfs.
 */
static int simgpu_tenant_add(void *arg)
{
	struct simgpu_tenant *tenant = arg;
	struct simgpu_device *device = tenant->device;
	int ret = -ENODEV;

	mutex_lock(&device->open_lock);
	if (device->gone)
		goto out;
	ret = kobject_add(&tenant->kobj, device->tenants_dir, "%llu",
			  tenant->id);
	if (ret)
		goto out;
	/* The opener has reserved the place, and paid for it. */
	ret = xa_err(xa_store(&device->tenants, tenant->id, tenant, PORT_GFP));
	if (ret)
		kobject_del(&tenant->kobj);
out:
	mutex_unlock(&device->open_lock);
	return ret;
}

static int simgpu_tenant_remove(void *arg)
{
	struct simgpu_tenant *tenant = arg;

	kobject_del(&tenant->kobj);
	return 0;
}

/**
 * simgpu_tenant_create() - make a tenant for a file that is being opened
 * @device: the device
 * @cred: credentials of the opener
 *
 * Return: the tenant, or an ERR_PTR().
 */
struct simgpu_tenant *simgpu_tenant_create(struct simgpu_device *device,
					   const struct cred *cred)
{
	struct simgpu_tenant *tenant;
	int ret;

	tenant = port_alloc(sizeof(*tenant));
	if (!tenant)
		return ERR_PTR(-ENOMEM);
	tenant->device = device;
	get_device(&device->dev);
	tenant->id = atomic64_inc_return(&device->last_tenant_id);
	tenant->pid = get_pid(task_tgid(current));
	tenant->cgroup = simgpu_cgroup_get();
	tenant->uid = cred->fsuid;
	tenant->gid = cred->fsgid;
	tenant->slot = SIMGPU_NO_SLOT;
	xa_init_flags(&tenant->traces, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	init_waitqueue_head(&tenant->line_wait);
	INIT_LIST_HEAD(&tenant->in_line);
	simgpu_tenant_default_options(&tenant->options);
	tenant->published.options = tenant->options;
	tenant->published.slot = SIMGPU_NO_SLOT;
	simgpu_tenant_uses(tenant, &device->defaults.config);
	ret = simgpu_tenant_charge_file(tenant);
	if (ret)
		goto err_free;
	simgpu_tenant_begin_outcomes(tenant);

	kobject_init(&tenant->kobj, simgpu_tenants_ktype);
	ret = xa_reserve(&device->tenants, tenant->id, PORT_GFP);
	if (ret)
		goto err_put;
	ret = simgpu_by_thread(system_unbound_wq, simgpu_tenant_add, tenant);
	if (!ret)
		return tenant;
	xa_release(&device->tenants, tenant->id);
err_put:
	kobject_put(&tenant->kobj);
	return ERR_PTR(ret);

err_free:
	simgpu_cgroup_put(tenant->cgroup);
	put_pid(tenant->pid);
	port_free(tenant);
	put_device(&device->dev);
	return ERR_PTR(ret);
}

/**
 * simgpu_tenant_find() - look up a tenant whose file is open
 * @device: the device
 * @id: its number; with @or_next it is set to that of the tenant that is found
 * @or_next: whether to find the next higher number if there is none of that number
 *
 * Return: the tenant with a reference that kobject_put() gives up, or NULL.
 */
struct simgpu_tenant *simgpu_tenant_find(struct simgpu_device *device,
					 unsigned long *id, bool or_next)
{
	struct simgpu_tenant *tenant;

	/* Closing erases the tenant under this lock before its reference is dropped. */
	xa_lock(&device->tenants);
	tenant = or_next ? xa_find(&device->tenants, id, ULONG_MAX, XA_PRESENT) :
			   xa_load(&device->tenants, *id);
	if (tenant)
		kobject_get(&tenant->kobj);
	xa_unlock(&device->tenants);
	return tenant;
}

/**
 * simgpu_tenant_published() - what is published of a tenant
 * @tenant: the tenant
 * @out: set to a copy. The struct is large: as a return value it would be on the stack twice
 *
 * Takes no lock that is held for long.
 */
void simgpu_tenant_published(struct simgpu_tenant *tenant,
			     struct simgpu_tenant_published *out)
{
	spin_lock(&tenant->device->publish_lock);
	*out = tenant->published;
	spin_unlock(&tenant->device->publish_lock);
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
	simgpu_cgroup_put(tenant->cgroup);
	simgpu_tenant_uncharge_file(tenant);
	port_free(tenant);
	put_device(&device->dev);
}

/**
 * struct simgpu_private - what a tenant's private GPU is like
 * @device: the device
 * @options: of the session whose tenant has it
 */
struct simgpu_private {
	struct simgpu_device *device;
	struct session_options options;
};

/* A tenant that is closing gives up its slot, if it has one. */
static int simgpu_tenant_leave(void *arg)
{
	struct simgpu_tenant *tenant = arg;

	if (tenant->banned)
		simgpu_cgroup_strike(tenant);
	if (tenant->slot == SIMGPU_NO_SLOT)
		return 0;
	simgpu_tenant_unseat(tenant);
	simgpu_cgroups_weigh(tenant->device);
	simgpu_device_settle_later(tenant->device);
	return 0;
}

/**
 * simgpu_tenant_close() - the last reference to a tenant's file has gone
 * @tenant: the tenant; do not use it afterwards
 */
void simgpu_tenant_close(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;

	xa_erase(&device->tenants, tenant->id);
	/* Only calls on the file give it a slot, and there are no more calls. */
	if (tenant->was_seated)
		simgpu_device_call_closing(device, simgpu_tenant_leave, tenant);
	simgpu_tenant_end_outcomes(tenant);
	simgpu_traces_drop(tenant);
	simgpu_by_thread(system_unbound_wq, simgpu_tenant_remove, tenant);
	kobject_put(&tenant->kobj);
}

/* The options of a private GPU for the device's present session; -ENOENT: it needs none. */
static int simgpu_private_options(void *arg)
{
	struct simgpu_private *private = arg;

	if (!private->device->private_runs)
		return -ENOENT;
	private->options = private->device->start;
	return 0;
}

/**
 * simgpu_tenant_private_make() - make the private GPU that a tenant may need
 * @tenant: the tenant, which is about to take a slot
 *
 * This takes long, so it is done before the device's lock is taken. The memory is charged
 * to the tenant until simgpu_tenant_private_free(). If the session is another one when
 * the caller has the lock, that session makes its own.
 *
 * Return: the run; NULL if none is needed, or an ERR_PTR().
 */
struct private_run *simgpu_tenant_private_make(struct simgpu_tenant *tenant)
{
	struct simgpu_private private = { .device = tenant->device };
	struct private_run *run;
	size_t bytes;
	int ret;

	if (!READ_ONCE(private.device->private_runs) ||
	    READ_ONCE(tenant->slot) != SIMGPU_NO_SLOT)
		return NULL;
	ret = simgpu_device_call(private.device, simgpu_private_options, &private);
	if (ret)
		return ret == -ENOENT ? NULL : ERR_PTR(ret);
	bytes = session_private_bytes(&private.options);
	ret = simgpu_tenant_charge(tenant, bytes);
	if (ret)
		return ERR_PTR(ret);
	run = session_private_make(&private.options);
	if (run)
		return run;
	simgpu_tenant_uncharge(tenant, bytes);
	return ERR_PTR(-ENOMEM);
}

/**
 * simgpu_tenant_private_free() - free a run, or account for one that the session took over
 * @tenant: the tenant
 * @run: from simgpu_tenant_private_make()
 */
void simgpu_tenant_private_free(struct simgpu_tenant *tenant,
				struct private_run *run)
{
	if (!run)
		return;
	simgpu_tenant_uncharge(tenant, session_private_size(run));
	session_private_free(run);
}

/* Tells the session a tenant's options; its cgroups may decide about the weight. */
static int simgpu_tenant_tell_session(struct simgpu_tenant *tenant)
{
	struct session_tenant_options options =
		simgpu_tenant_session_options(tenant);
	struct simgpu_device *device = tenant->device;
	int ret;

	ret = session_set_tenant(device->session, tenant->slot, &options);
	if (ret)
		return ret;
	tenant->weight = tenant->options.weight;
	simgpu_cgroups_weigh(device);
	return 0;
}

/**
 * simgpu_tenant_set_options() - change a tenant's options
 * @tenant: the tenant
 * @request: the message that asks for it, or NULL: the caller does
 * @options: checked here
 *
 * Return: 0; -EINVAL, -EPERM: then nothing has changed.
 */
int simgpu_tenant_set_options(struct simgpu_tenant *tenant,
			      const struct sk_buff *request,
			      const struct session_tenant_options *options)
{
	struct simgpu_device *device = tenant->device;
	struct session_tenant_options before = tenant->options;
	int ret;

	lockdep_assert_held(&device->lock);
	if (!session_tenant_options_are_good(&device->defaults.config, options))
		return -EINVAL;
	ret = simgpu_check_claim(request, device, &tenant->options, options);
	if (ret)
		return ret;
	tenant->options = *options;
	if (tenant->slot != SIMGPU_NO_SLOT) {
		ret = simgpu_tenant_tell_session(tenant);
		if (ret) {
			tenant->options = before;
			return ret;
		}
	}
	spin_lock(&device->publish_lock);
	tenant->published.options = *options;
	spin_unlock(&device->publish_lock);
	return 0;
}

/**
 * struct simgpu_asked - options that are asked for
 * @tenant: the tenant
 * @request: the message that asks for them, or NULL: the caller does
 * @wish: some of them; NULL: @options are all
 * @options: all of them
 */
struct simgpu_asked {
	struct simgpu_tenant *tenant;
	const struct sk_buff *request;
	const struct simgpu_tenant_wish *wish;
	struct session_tenant_options options;
};

/* The tenant's present options, but for what is wished. */
static void simgpu_tenant_wishes(struct simgpu_asked *asked)
{
	const struct simgpu_tenant_wish *wish = asked->wish;
	struct session_tenant_options *options = &asked->options;

	*options = asked->tenant->options;
	if (wish->weight)
		options->weight = *wish->weight;
	if (wish->target_ppm)
		options->target_ppm = *wish->target_ppm;
	if (wish->share_ppm)
		options->share_ppm = (u32)min(*wish->share_ppm, (u64)U32_MAX);
	if (wish->p99_cycles)
		options->p99_cycles = *wish->p99_cycles;
	if (wish->goal) {
		options->goal_kind = wish->goal->kind;
		options->goal = wish->goal->value;
	}
	if (wish->memory_min)
		options->memory.min = *wish->memory_min;
	if (wish->memory_low)
		options->memory.low = *wish->memory_low;
	if (wish->memory_max)
		options->memory.max = *wish->memory_max;
}

static int simgpu_tenant_answer(void *arg)
{
	struct simgpu_asked *asked = arg;

	if (asked->wish)
		simgpu_tenant_wishes(asked);
	return simgpu_tenant_set_options(asked->tenant, asked->request,
					 &asked->options);
}

static int simgpu_tenant_ask(struct simgpu_asked *asked)
{
	int ret = simgpu_device_call_to_note(asked->tenant->device,
					     simgpu_tenant_answer, asked);

	if (!ret)
		simgpu_tell(tenant_settings, asked->tenant);
	return ret;
}

/**
 * simgpu_tenant_change() - change weight, target, share, goal and limits, all or none
 * @tenant: the tenant
 * @request: the message that asks for it, or NULL: the caller does
 * @wish: the new values
 *
 * Return: 0, -EINVAL for values that do not go together, -EPERM for a claim that the
 * caller may not make, -ENODEV.
 */
int simgpu_tenant_change(struct simgpu_tenant *tenant,
			 const struct sk_buff *request,
			 const struct simgpu_tenant_wish *wish)
{
	struct simgpu_asked asked = {
		.tenant = tenant, .request = request, .wish = wish,
	};

	return simgpu_tenant_ask(&asked);
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
	struct simgpu_asked asked = {
		.tenant = tenant,
		.options = {
			.service = cmd->service,
			.weight = cmd->weight,
			.target_ppm = cmd->target_ppm,
			.share_ppm = cmd->share_ppm,
			.goal_kind = cmd->goal_kind,
			.goal = cmd->goal,
			.memory = { cmd->memory_min, cmd->memory_low, cmd->memory_max },
			.p99_cycles = cmd->p99_cycles,
		},
	};

	if (cmd->reserved ||
	    !simgpu_name_valid(cmd->name, sizeof(cmd->name)))
		return -EINVAL;
	strscpy(asked.options.name, cmd->name, sizeof(asked.options.name));
	return simgpu_tenant_ask(&asked);
}

static int simgpu_tenant_set_queue(void *arg)
{
	const struct simgpu_ucmd *ucmd = arg;
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	const struct simgpu_queue *cmd = ucmd->cmd;
	int ret = 0;

	if (cmd->priority > max_t(s32, tenant->priority[cmd->queue], 0) &&
	    !simgpu_may_claim(NULL))
		return -EPERM;
	if (tenant->slot != SIMGPU_NO_SLOT)
		ret = session_set_timeout(tenant->device->session, tenant->slot, cmd->queue,
					  cmd->timeout_cycles) ?:
		      session_set_queue(tenant->device->session, tenant->slot,
					cmd->queue, cmd->priority);
	if (ret)
		return ret;
	tenant->priority[cmd->queue] = cmd->priority;
	tenant->timeout[cmd->queue] = cmd->timeout_cycles;
	return 0;
}

/* SIMGPU_IOC_QUEUE */
int simgpu_tenant_queue(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	const struct simgpu_queue *cmd = ucmd->cmd;

	if (cmd->reserved || cmd->queue >= SESSION_QUEUES_MAX ||
	    cmd->priority < -SESSION_QUEUE_PRIORITY_MAX ||
	    cmd->priority > SESSION_QUEUE_PRIORITY_MAX ||
	    cmd->timeout_cycles > SESSION_TIMEOUT_CYCLES_MAX)
		return -EINVAL;
	return simgpu_device_call_to_note(tenant->device, simgpu_tenant_set_queue, ucmd);
}

static int simgpu_tenant_give_hint(void *arg)
{
	const struct simgpu_ucmd *ucmd = arg;
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	const struct simgpu_hint *cmd = ucmd->cmd;
	const struct session_hint hint = {
		.cycle = cmd->expected_cycle,
		.laxity = cmd->laxity_cycles,
	};

	static_assert(SESSION_AHEAD_CYCLES_MAX == 100000000, "as the header says");
	if (tenant->in_gang && tenant->device->ending.over)
		return -ECANCELED;
	if (tenant->slot == SIMGPU_NO_SLOT)
		return -ENXIO;
	return session_hint(tenant->device->session, tenant->slot, &hint);
}

/* SIMGPU_IOC_HINT. It may come from anybody: it concerns the caller's own tenant. */
int simgpu_tenant_hint(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	const struct simgpu_hint *cmd = ucmd->cmd;

	if (cmd->reserved)
		return -EINVAL;
	return simgpu_device_call_to_note(tenant->device, simgpu_tenant_give_hint, ucmd);
}

/**
 * simgpu_tenant_fdinfo() - print the keys of the DRM usage statistics
 * @tenant: the tenant
 * @seq: its file in /proc/PID/fdinfo
 *
 * The tenant's engines are the SMs; their time is the device's, not the host's. It only
 * grows, also through gangs on other GPUs.
 */
void simgpu_tenant_fdinfo(struct simgpu_tenant *tenant, struct seq_file *seq)
{
	struct simgpu_device *device = tenant->device;
	u64 sm_cycles, managed = 0, resident = 0;
	struct simgpu_usage usage;

	spin_lock(&device->publish_lock);
	usage = tenant->usage;
	/* In a slot that it has given up nothing is left. */
	if (!tenant->published.had_slot) {
		managed = tenant->published.report.managed_bytes;
		resident = tenant->published.report.resident_bytes;
	}
	/* Cycles in a slot that it has given up are already in its usage. */
	sm_cycles = tenant->published.had_slot ? 0 :
		    tenant->published.counters.sm_cycles;
	usage.sm_ns += simgpu_sm_ns(tenant, sm_cycles);
	spin_unlock(&device->publish_lock);

	seq_puts(seq, "drm-driver:\tsimgpu\n");
	seq_printf(seq, "drm-client-id:\t%llu\n",
		   (u64)device->index << 32 | tenant->id);
	seq_printf(seq, "drm-engine-sm:\t%llu ns\n", usage.sm_ns);
	seq_printf(seq, "drm-engine-capacity-sm:\t%u\n", usage.sms);
	seq_printf(seq, "drm-cycles-sm:\t%llu\n",
		   usage.sm_cycles + sm_cycles);
	seq_printf(seq, "drm-maxfreq-sm:\t%u MHz\n", usage.core_mhz);
	seq_printf(seq, "drm-total-traces:\t%llu KiB\n",
		   (u64)atomic64_read(&tenant->bytes_held) >> 10);
	seq_printf(seq, "drm-total-managed:\t%llu KiB\n", managed >> 10);
	seq_printf(seq, "drm-resident-managed:\t%llu KiB\n", resident >> 10);
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
	cmd->epoch_cycles = published.settings[SESSION_SETTING_EPOCH_CYCLES];
	cmd->cycle = published.cycle;
	cmd->tenants_max = SIMGPU_TENANTS_MAX;
	return simgpu_ucmd_respond(ucmd);
}

/* The session of a device ends: all tenants lose their slots. */
static void simgpu_tenants_unseat(struct simgpu_device *device)
{
	u32 slot;

	lockdep_assert_held(&device->lock);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (device->slots[slot])
			simgpu_tenant_unseat(device->slots[slot]);
}

/* Wake callers that wait for a launch or read: the device has gone. */
static void simgpu_tenants_wake(struct simgpu_device *device)
{
	struct simgpu_tenant *tenant;
	unsigned long id;

	xa_lock(&device->tenants);
	xa_for_each(&device->tenants, id, tenant) {
		simgpu_waker_due(&tenant->waker);
		wake_up_interruptible(&tenant->line_wait);
	}
	xa_unlock(&device->tenants);
}

/**
 * simgpu_tenant_shown() - a tenant's figures for sysfs and netlink
 * @published: what is published of it
 * @out: set to the report, but with the figures of the last epoch instead of
 *	those of the first run, and without SMs if the tenant has no slot
 */
void simgpu_tenant_shown(const struct simgpu_tenant_published *published,
			 struct simgpu_tenant_report *out)
{
	const struct session_figures *figures = &published->figures;

	*out = published->report;
	out->sms = published->sms;
	out->shared_sms = published->shared_sms;
	/* Zero until an epoch has ended. */
	out->cycles = figures->cycles;
	out->ipc_ppm = figures->ipc_ppm;
	out->rbh_ppm = figures->rbh_ppm;
	out->bandwidth_ppm = figures->bandwidth_ppm;
	out->llc_mpki_ppm = figures->llc_mpki_ppm;
}

/* Record the users of the tenants that the metrics of an epoch are about. */
static void simgpu_tenants_measured(struct simgpu_device *device,
				    const struct session_epoch *epoch)
{
	u32 count = 0, i;

	for (i = 0; i < epoch->tenant_count; i++)
		if (epoch->tenants[i].class != SIMGPU_CLASS_UNKNOWN)
			device->measured[count++] =
				device->slots[epoch->tenants[i].slot]->uid;
	/* If there are none, the metrics of the epoch before stay published. */
	if (count)
		device->measured_count = count;
}

static void simgpu_tenants_publish_epoch(struct simgpu_device *device,
					 const struct session_epoch *epoch)
{
	u32 i;

	lockdep_assert_held(&device->publish_lock);
	simgpu_tenants_measured(device, epoch);
	for (i = 0; i < epoch->tenant_count; i++) {
		const struct session_epoch_tenant *row = &epoch->tenants[i];
		struct simgpu_tenant *tenant = device->slots[row->slot];

		if (WARN_ON_ONCE(!tenant))
			continue;
		tenant->published.class = row->class;
		tenant->published.np_ppm = row->np_ppm;
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

/**
 * simgpu_tenants_init() - prepare for the first tenant
 * @ktype: type of their entries in sysfs
 */
void __init simgpu_tenants_init(const struct kobj_type *ktype)
{
	simgpu_tenants_ktype = ktype;
}

const struct simgpu_observer simgpu_tenant_observer = {
	.session_end = simgpu_tenants_unseat,
	.gone = simgpu_tenants_wake,
	.publish_epoch = simgpu_tenants_publish_epoch,
	.publish_counters = simgpu_tenants_publish_counters,
};

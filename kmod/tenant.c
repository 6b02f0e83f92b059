// SPDX-License-Identifier: GPL-2.0
/*
 * Tenants: opening and closing, taking and losing a slot, launches and the
 * waiting for them, reports. Their traces are in upload.c, their entries in
 * sysfs in sysfs.c.
 */
#include <linux/ctype.h>
#include <linux/eventfd.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "device.h"
#include "gang.h"
#include "tenant.h"
#include "trace_events.h"

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
	simgpu_device_lock_closing(device);
	if (tenant->slot != SIMGPU_NO_SLOT) {
		simgpu_tenant_unseat(tenant);
		simgpu_device_settle(device);
	}
	simgpu_device_unlock(device);
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
	device->slots[slot] = tenant;
	tenant->slot = slot;
	tenant->sequence_base = tenant->launched;
	spin_lock(&device->publish_lock);
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
	if (tenant->gang && !tenant->gang->over)
		simgpu_gang_keep_report(tenant->gang, tenant->slot);
	session_leave(device->session, tenant->slot);
	for (i = 0; i < SESSION_LAUNCHES_MAX; i++)
		WARN_ON_ONCE(tenant->pending[i].trace);
	device->slots[tenant->slot] = NULL;
	tenant->slot = SIMGPU_NO_SLOT;
	tenant->gang = NULL;
	spin_lock(&device->publish_lock);
	tenant->published = (struct simgpu_tenant_published) {
		.options = tenant->options,
		.slot = SIMGPU_NO_SLOT,
	};
	simgpu_tenant_publish_live(tenant);
	spin_unlock(&device->publish_lock);
}

/* Tells the eventfds of launches that have ended. */
static void simgpu_tenant_signal(struct simgpu_tenant *tenant)
{
	u32 i;

	for (i = 0; i < SESSION_LAUNCHES_MAX; i++) {
		struct simgpu_pending *pending = &tenant->pending[i];

		if (!pending->eventfd || tenant->sequence_base +
		    pending->sequence > tenant->settled)
			continue;
		compat_eventfd_signal(pending->eventfd);
		eventfd_ctx_put(pending->eventfd);
		pending->eventfd = NULL;
	}
}

/* Launches up to @sequence have ended; @status counts for those that had not. */
static void simgpu_tenant_settle(struct simgpu_tenant *tenant, u64 sequence,
				 int status)
{
	struct simgpu_device *device = tenant->device;

	lockdep_assert_held(&device->lock);
	spin_lock(&device->publish_lock);
	while (tenant->settled < sequence)
		__assign_bit(++tenant->settled % SIMGPU_OUTCOMES_KEPT,
			     tenant->canceled, status);
	spin_unlock(&device->publish_lock);
	simgpu_tenant_signal(tenant);
	wake_up_all(&tenant->settle_wait);
}

/**
 * simgpu_tenant_launch_done() - the session has ended a launch
 * @tenant: whose
 * @sequence: the session's number for it
 * @status: 0 or -ECANCELED
 */
void simgpu_tenant_launch_done(struct simgpu_tenant *tenant, u64 sequence,
			       int status)
{
	u32 i;

	lockdep_assert_held(&tenant->device->lock);
	/* Who has waited for it, and removes the trace then, frees it. */
	for (i = 0; i < SESSION_LAUNCHES_MAX; i++) {
		struct simgpu_pending *pending = &tenant->pending[i];

		if (pending->trace && pending->sequence == sequence) {
			simgpu_trace_put(pending->trace);
			pending->trace = NULL;
			break;
		}
	}
	WARN_ON_ONCE(i == SESSION_LAUNCHES_MAX);
	simgpu_tenant_settle(tenant, tenant->sequence_base + sequence, status);
}

/**
 * simgpu_tenant_settle_all() - the gang has ended: no launch goes on
 * @tenant: a member of the gang
 * @status: of launches that had not ended: 0 or -ECANCELED
 *
 * The session lets go of the traces later, when the tenant leaves.
 */
void simgpu_tenant_settle_all(struct simgpu_tenant *tenant, int status)
{
	simgpu_tenant_settle(tenant, tenant->launched, status);
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
		simgpu_netlink_tenant_changed(tenant);
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
		simgpu_netlink_tenant_changed(tenant);
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
	const struct gpu_config *config = &device->start.config;
	int ret;

	if (cmd->reserved)
		return -EINVAL;
	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	cmd->sms = config->sms;
	cmd->schedulers_per_sm = config->schedulers_per_sm;
	cmd->core_mhz = config->core_mhz;
	cmd->memory_mhz = config->memory_mhz;
	cmd->channels = config->channels;
	memset(cmd->config, 0, sizeof(cmd->config));
	strscpy(cmd->config, config->name, sizeof(cmd->config));
	cmd->epoch_cycles = device->published.epoch_cycles;
	cmd->cycle = session_now(device->session);
	cmd->tenants_max = SIMGPU_TENANTS_MAX;
	simgpu_device_unlock(device);
	return simgpu_ucmd_respond(ucmd);
}

/* Outside a gang, the first launch takes a slot. */
static int simgpu_tenant_take_slot(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	int slot;
	int ret;

	lockdep_assert_held(&device->lock);
	if (tenant->gang)
		return tenant->gang->over ? -ECANCELED : 0;
	ret = simgpu_device_free_of_gang(device);
	if (ret || tenant->slot != SIMGPU_NO_SLOT)
		return ret;
	slot = session_join(device->session, SESSION_ANY_SLOT,
			    &tenant->options);
	if (slot < 0)
		return slot;
	simgpu_tenant_seat(tenant, slot);
	return 0;
}

static struct simgpu_pending *simgpu_pending_free(struct simgpu_tenant *tenant)
{
	u32 i;

	for (i = 0; i < SESSION_LAUNCHES_MAX; i++)
		if (!tenant->pending[i].trace)
			return &tenant->pending[i];
	return NULL;
}

/* Takes over the references to @trace and @eventfd if it succeeds. */
static int simgpu_tenant_launch_trace(struct simgpu_tenant *tenant,
				      struct simgpu_trace *trace,
				      struct eventfd_ctx *eventfd,
				      struct simgpu_launch *cmd)
{
	struct simgpu_device *device = tenant->device;
	struct simgpu_pending *pending;
	int ret;

	lockdep_assert_held(&device->lock);
	ret = simgpu_tenant_take_slot(tenant);
	if (ret)
		return ret;
	pending = simgpu_pending_free(tenant);
	if (!pending)
		return -EAGAIN;
	ret = session_launch(device->session, tenant->slot, trace->decoded,
			     cmd->repeats, cmd->not_before_cycle,
			     &pending->sequence);
	if (ret)
		return ret;
	pending->trace = trace;
	pending->eventfd = eventfd;
	cmd->sequence = tenant->sequence_base + pending->sequence;
	spin_lock(&device->publish_lock);
	tenant->launched = cmd->sequence;
	spin_unlock(&device->publish_lock);
	trace_simgpu_launch(tenant, session_now(device->session), cmd->sequence,
			    cmd->repeats);
	simgpu_device_settle(device);
	return 0;
}

/* SIMGPU_IOC_LAUNCH */
int simgpu_tenant_launch(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_launch *cmd = ucmd->cmd;
	struct eventfd_ctx *eventfd = NULL;
	struct simgpu_trace *trace;
	int ret;

	if (!cmd->repeats || cmd->flags & ~SIMGPU_LAUNCH_EVENTFD ||
	    (!(cmd->flags & SIMGPU_LAUNCH_EVENTFD) && cmd->eventfd))
		return -EINVAL;
	cmd->sequence = 0;
	ret = simgpu_ucmd_respond(ucmd);
	if (ret)
		return ret;
	trace = simgpu_trace_get(tenant, cmd->handle);
	if (!trace)
		return -ENOENT;
	if (cmd->flags & SIMGPU_LAUNCH_EVENTFD) {
		eventfd = eventfd_ctx_fdget(cmd->eventfd);
		if (IS_ERR(eventfd)) {
			ret = PTR_ERR(eventfd);
			goto err_trace;
		}
	}
	ret = simgpu_device_lock(tenant->device);
	if (ret)
		goto err_eventfd;
	ret = simgpu_tenant_launch_trace(tenant, trace, eventfd, cmd);
	simgpu_device_unlock(tenant->device);
	if (ret)
		goto err_eventfd;
	return simgpu_ucmd_respond(ucmd);

err_eventfd:
	if (eventfd)
		eventfd_ctx_put(eventfd);
err_trace:
	simgpu_trace_put(trace);
	return ret;
}

/* What became of a launch: 0, -ECANCELED, -ENOENT, or -EBUSY: it goes on. */
static int simgpu_tenant_outcome(struct simgpu_tenant *tenant, u64 sequence)
{
	struct simgpu_device *device = tenant->device;
	int ret = 0;

	spin_lock(&device->publish_lock);
	if (!sequence || sequence > tenant->launched)
		ret = -ENOENT;
	else if (sequence > tenant->settled)
		ret = -EBUSY;
	else if (tenant->settled - sequence >= SIMGPU_OUTCOMES_KEPT)
		ret = -ENOENT;
	else if (test_bit(sequence % SIMGPU_OUTCOMES_KEPT, tenant->canceled))
		ret = -ECANCELED;
	spin_unlock(&device->publish_lock);
	return ret;
}

static bool simgpu_tenant_settled(struct simgpu_tenant *tenant, u64 sequence,
				  int *outcome)
{
	*outcome = simgpu_tenant_outcome(tenant, sequence);
	return *outcome != -EBUSY;
}

/* SIMGPU_IOC_WAIT */
int simgpu_tenant_wait(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_wait *cmd = ucmd->cmd;
	u64 sequence = cmd->sequence;
	int outcome;
	int ret;

	if (cmd->reserved)
		return -EINVAL;
	if (simgpu_tenant_settled(tenant, sequence, &outcome))
		return outcome;
	if (!cmd->timeout_ns)
		return -ETIMEDOUT;
	if (cmd->timeout_ns < 0) {
		ret = wait_event_interruptible(tenant->settle_wait,
					       simgpu_tenant_settled(tenant, sequence, &outcome));
		return ret ?: outcome;
	}
	ret = wait_event_interruptible_hrtimeout(tenant->settle_wait,
						 simgpu_tenant_settled(tenant, sequence, &outcome),
						 ns_to_ktime(cmd->timeout_ns));
	if (ret == -ETIME)
		return -ETIMEDOUT;
	/* Restarting would wait the whole time again. */
	return ret ? -EINTR : outcome;
}

static bool simgpu_tenant_readable(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	bool readable;

	spin_lock(&device->publish_lock);
	readable = tenant->settled != tenant->reported;
	spin_unlock(&device->publish_lock);
	return readable || READ_ONCE(device->gone);
}

/* The next record and what it leaves behind; false if there is none. */
static bool simgpu_tenant_next_completion(struct simgpu_tenant *tenant,
					  struct simgpu_completion *completion)
{
	struct simgpu_device *device = tenant->device;
	bool found = false;
	u64 lost = 0;

	spin_lock(&device->publish_lock);
	if (tenant->settled != tenant->reported) {
		if (tenant->settled - tenant->reported > SIMGPU_OUTCOMES_KEPT)
			lost = tenant->settled - tenant->reported -
			       SIMGPU_OUTCOMES_KEPT;
		tenant->reported += lost + 1;
		*completion = (struct simgpu_completion) {
			.sequence = tenant->reported,
			.lost = min_t(u64, lost, U32_MAX),
		};
		if (test_bit(tenant->reported % SIMGPU_OUTCOMES_KEPT,
			     tenant->canceled))
			completion->status = -ECANCELED;
		found = true;
	}
	spin_unlock(&device->publish_lock);
	return found;
}

/**
 * simgpu_tenant_read() - read() of a tenant's file: completions
 * @file: the file
 * @buffer: of the caller
 * @count: its size
 * @position: not used
 *
 * Return: bytes read; 0 once the device has gone; a negative errno.
 */
ssize_t simgpu_tenant_read(struct file *file, char __user *buffer, size_t count,
			   loff_t *position)
{
	struct simgpu_tenant *tenant = file->private_data;
	struct simgpu_completion completion;
	ssize_t copied = 0;
	int ret;

	if (count < sizeof(completion))
		return -EINVAL;
	/* A record that cannot be copied is lost, as with a pipe's. */
	do {
		if (!(file->f_flags & O_NONBLOCK)) {
			ret = wait_event_interruptible(tenant->settle_wait,
						       simgpu_tenant_readable(tenant));
			if (ret)
				return ret;
		}
		while (count - copied >= sizeof(completion) &&
		       simgpu_tenant_next_completion(tenant, &completion)) {
			if (copy_to_user(buffer + copied, &completion,
					 sizeof(completion)))
				return copied ?: -EFAULT;
			copied += sizeof(completion);
		}
		if (copied || READ_ONCE(tenant->device->gone))
			return copied;
	} while (!(file->f_flags & O_NONBLOCK));
	return -EAGAIN;
}

/**
 * simgpu_tenant_poll() - poll() of a tenant's file
 * @file: the file
 * @wait: where to wait
 *
 * Return: EPOLLIN while there is a completion, EPOLLHUP without a device.
 */
__poll_t simgpu_tenant_poll(struct file *file, poll_table *wait)
{
	struct simgpu_tenant *tenant = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &tenant->settle_wait, wait);
	if (READ_ONCE(tenant->device->gone))
		events |= EPOLLHUP;
	spin_lock(&tenant->device->publish_lock);
	if (tenant->settled != tenant->reported)
		events |= EPOLLIN | EPOLLRDNORM;
	spin_unlock(&tenant->device->publish_lock);
	return events;
}

/**
 * simgpu_tenant_publish_live() - bring the page up to date that processes map
 * @tenant: whose @published has changed
 */
void simgpu_tenant_publish_live(struct simgpu_tenant *tenant)
{
	const struct simgpu_tenant_published *published = &tenant->published;
	const struct simgpu_device *device = tenant->device;
	struct simgpu_live *live = tenant->live;
	u32 sequence;

	lockdep_assert_held(&device->publish_lock);
	if (!live)
		return;
	sequence = live->sequence;
	WRITE_ONCE(live->sequence, sequence + 1);
	/* Pairs with the reader's barriers around its copy. */
	smp_wmb();
	live->cycle = device->published.cycle;
	live->epochs = device->published.epochs;
	live->flags = 0;
	live->slot = 0;
	if (published->slot != SIMGPU_NO_SLOT) {
		live->flags = SIMGPU_LIVE_SEATED;
		live->slot = published->slot;
	}
	live->sms = published->sms;
	live->class = published->class;
	live->np_ppm = published->class == SIMGPU_CLASS_UNKNOWN ?
		       0 : published->np_ppm;
	live->ipc_ppm = published->figures.ipc_ppm;
	live->rbh_ppm = published->figures.rbh_ppm;
	live->bandwidth_ppm = published->figures.bandwidth_ppm;
	live->llc_mpki_ppm = published->figures.llc_mpki_ppm;
	simgpu_counters_fill(&live->counters, &published->counters);
	/* As above. */
	smp_wmb();
	WRITE_ONCE(live->sequence, sequence + 2);
}

/* Only the first page is there. */
static vm_fault_t simgpu_live_fault(struct vm_fault *fault)
{
	struct simgpu_tenant *tenant = fault->vma->vm_private_data;

	if (fault->pgoff)
		return VM_FAULT_SIGBUS;
	fault->page = virt_to_page(tenant->live);
	get_page(fault->page);
	return 0;
}

static int simgpu_live_mprotect(struct vm_area_struct *vma, unsigned long start,
				unsigned long end, unsigned long flags)
{
	return flags & VM_WRITE ? -EACCES : 0;
}

static const struct vm_operations_struct simgpu_live_ops = {
	.fault = simgpu_live_fault,
	.mprotect = simgpu_live_mprotect,
};

/* The tenant has its page from now on. */
static int simgpu_live_provide(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	struct simgpu_live *live;
	int ret;

	BUILD_BUG_ON(sizeof(*live) > PAGE_SIZE);
	ret = simgpu_tenant_charge(tenant, PAGE_SIZE);
	if (ret)
		return ret;
	live = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (live) {
		spin_lock(&device->publish_lock);
		if (!tenant->live) {
			swap(tenant->live, live);
			simgpu_tenant_publish_live(tenant);
			spin_unlock(&device->publish_lock);
			return 0;
		}
		spin_unlock(&device->publish_lock);
		free_page((unsigned long)live);
	} else {
		ret = -ENOMEM;
	}
	simgpu_tenant_uncharge(tenant, PAGE_SIZE);
	return ret;
}

/**
 * simgpu_tenant_mmap() - mmap() of a tenant's file: the live page
 * @file: the file
 * @vma: the mapping
 *
 * Return: 0, -EINVAL, -EPERM, -ENOSPC, -ENOMEM.
 */
int simgpu_tenant_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct simgpu_tenant *tenant = file->private_data;
	int ret;

	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	ret = simgpu_live_provide(tenant);
	if (ret)
		return ret;
	vma->vm_private_data = tenant;
	vma->vm_ops = &simgpu_live_ops;
	return 0;
}

/**
 * simgpu_counters_fill() - the engine's counters as the UAPI has them
 * @out: set to them
 * @counters: the engine's
 */
void simgpu_counters_fill(struct simgpu_tenant_counters *out,
			  const struct simgpu_counters *counters)
{
	/* Fields in the same order and of the same type. */
	memcpy(out, counters, sizeof(*out));
}

/**
 * simgpu_report_fill() - a tenant's report as the UAPI has it
 * @out: set to it
 * @report: the session's, of a slot with a tenant
 */
void simgpu_report_fill(struct simgpu_tenant_report *out,
			const struct session_tenant_report *report)
{
	*out = (struct simgpu_tenant_report) {
		.thread_instructions = report->figures.thread_instructions,
		.cycles = report->figures.cycles,
		.ipc_ppm = report->figures.ipc_ppm,
		.rbh_ppm = report->figures.rbh_ppm,
		.bandwidth_ppm = report->figures.bandwidth_ppm,
		.llc_mpki_ppm = report->figures.llc_mpki_ppm,
		.np_run_ppm = report->np_run_ppm,
		.class = report->class,
		.sms = report->sms,
	};
	if (report->class != SIMGPU_CLASS_UNKNOWN)
		out->np_ppm = report->np_ppm;
	if (report->active)
		out->flags |= SIMGPU_REPORT_ACTIVE;
	if (report->first_run_done)
		out->flags |= SIMGPU_REPORT_FIRST_RUN_DONE;
	simgpu_counters_fill(&out->counters, &report->counters);
}

/* SIMGPU_IOC_REPORT */
int simgpu_tenant_report(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_device *device = tenant->device;
	struct simgpu_report *cmd = ucmd->cmd;
	struct session_tenant_report report;
	int ret;

	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	if (tenant->slot == SIMGPU_NO_SLOT) {
		simgpu_device_unlock(device);
		return -ENODATA;
	}
	cmd->slot = tenant->slot;
	session_tenant_report(device->session, tenant->slot, &report);
	simgpu_device_unlock(device);
	simgpu_report_fill(&cmd->report, &report);
	return simgpu_ucmd_respond(ucmd);
}

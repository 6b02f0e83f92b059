// SPDX-License-Identifier: GPL-2.0
/*
 * Gangs: making one on an idle device, joining, the end, and the gang's file
 * with its epoch records. session/session.c decides when the clock starts and
 * stops.
 */
#include <linux/anon_inodes.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "by_thread.h"
#include "cgroups.h"
#include "charge.h"
#include "deciders.h"
#include "device.h"
#include "gang.h"
#include "ioctl.h"
#include "journal_room.h"
#include "observe.h"
#include "observers.h"
#include "param_values.h"
#include "plugins.h"
#include "report.h"
#include "rights.h"
#include "seats.h"
#include "tenant.h"
#include "tenant_outcome.h"
#include "turn.h"
#include "../session/journal.h"

static_assert(sizeof(struct simgpu_gang_record) <= SIMGPU_EPOCH_RECORD_MAX);

#define SIMGPU_GANG_BYTES	sizeof(struct simgpu_gang)
/* Until memory that was not to be had is asked for again. */
#define SIMGPU_GANG_STARVED_JIFFIES	msecs_to_jiffies(100)

static struct simgpu_gang_record **simgpu_gang_chunk(struct simgpu_gang *gang,
						     unsigned long record)
{
	return &gang->chunks[record / SIMGPU_GANG_CHUNK % SIMGPU_GANG_CHUNKS];
}

/* Free a chunk that is not being written. */
static void simgpu_gang_chunk_free(struct simgpu_gang *gang,
				   struct simgpu_gang_record **chunk)
{
	if (!*chunk)
		return;
	vfree(*chunk);
	WRITE_ONCE(*chunk, NULL);
	simgpu_tenant_uncharge(gang->maker, SIMGPU_GANG_CHUNK_BYTES);
}

/*
 * A chunk on behalf of the gang's maker, or NULL. Above memory.high of the maker's cgroup
 * this sleeps for seconds, so no lock is held that others wait for.
 */
static struct simgpu_gang_record *simgpu_gang_chunk_make(struct simgpu_gang *gang)
{
	struct simgpu_gang_record *chunk;
	struct mem_cgroup *before;

	lockdep_assert_held(&gang->chunks_lock);
	if (simgpu_tenant_charge(gang->maker, SIMGPU_GANG_CHUNK_BYTES))
		return NULL;
	before = set_active_memcg(gang->memcg);
	chunk = __vmalloc(SIMGPU_GANG_CHUNK_BYTES, GFP_KERNEL_ACCOUNT | __GFP_ZERO |
			  __GFP_NORETRY | __GFP_NOWARN);
	set_active_memcg(before);
	if (!chunk)
		simgpu_tenant_uncharge(gang->maker, SIMGPU_GANG_CHUNK_BYTES);
	return chunk;
}

/* Makes the chunk of a record unless it is there; false if it is not to be had. */
static bool simgpu_gang_chunk_provide(struct simgpu_gang *gang, unsigned long record)
{
	struct simgpu_gang_record **at = simgpu_gang_chunk(gang, record);
	struct simgpu_gang_record *chunk;

	if (READ_ONCE(*at))
		return true;
	chunk = simgpu_gang_chunk_make(gang);
	/* Pairs with the acquire by the writer: the chunk is zero. */
	smp_store_release(at, chunk);
	return chunk;
}

/*
 * Makes the chunks that the next epochs need. Those that the reader has not given back are
 * left alone: they are no further ahead than the writer may be.
 */
static void simgpu_gang_provide(struct simgpu_gang *gang)
{
	unsigned long tail, record;
	const struct cred *before;
	bool had = true;
	u32 i;

	if (mutex_lock_killable(&gang->chunks_lock))
		return;
	before = override_creds(gang->cred);
	record = READ_ONCE(gang->head);
	/* Pairs with the release by the reader: chunks before it are free. */
	tail = smp_load_acquire(&gang->tail);
	record = max(record, tail);
	for (i = 0; i <= SIMGPU_GANG_AHEAD(gang->members) && had; i++) {
		/* The end of the gang waits for this. */
		if (record - tail >= SIMGPU_GANG_RECORDS_MAX || READ_ONCE(gang->over) ||
		    fatal_signal_pending(current))
			break;
		had = simgpu_gang_chunk_provide(gang, record);
		record = round_down(record, SIMGPU_GANG_CHUNK) + SIMGPU_GANG_CHUNK;
	}
	WRITE_ONCE(gang->starved, !had);
	revert_creds(before);
	mutex_unlock(&gang->chunks_lock);
}

static void simgpu_gang_chunks_work(struct work_struct *work)
{
	simgpu_gang_provide(container_of(to_delayed_work(work), struct simgpu_gang,
					 chunks_work));
}

/* Have chunks made; soon, unless there was no memory. */
static void simgpu_gang_need(struct simgpu_gang *gang)
{
	queue_delayed_work(system_unbound_wq, &gang->chunks_work,
			   READ_ONCE(gang->starved) ? SIMGPU_GANG_STARVED_JIFFIES : 0);
}

static void simgpu_gang_free(struct simgpu_gang *gang)
{
	struct simgpu_tenant *maker = gang->maker;
	u32 i;

	simgpu_waker_end(&gang->waker);
	cancel_delayed_work_sync(&gang->chunks_work);
	for (i = 0; i < SIMGPU_GANG_CHUNKS; i++)
		simgpu_gang_chunk_free(gang, &gang->chunks[i]);
	mem_cgroup_put(gang->memcg);
	put_cred(gang->cred);
	port_free(gang);
	simgpu_tenant_uncharge(maker, SIMGPU_GANG_BYTES);
	kobject_put(&maker->kobj);
}

static struct simgpu_gang *simgpu_gang_alloc(struct simgpu_tenant *maker,
					     u32 members)
{
	struct simgpu_gang *gang;
	int ret;

	ret = simgpu_tenant_charge(maker, SIMGPU_GANG_BYTES);
	if (ret)
		return ERR_PTR(ret);
	gang = port_alloc(sizeof(*gang));
	if (!gang)
		goto err_charge;
	kobject_get(&maker->kobj);
	gang->memcg = get_mem_cgroup_from_mm(current->mm);
	gang->cred = get_current_cred();
	gang->maker = maker;
	gang->device = maker->device;
	gang->members = members;
	simgpu_waker_init(&gang->waker, simgpu_user_wakers(maker->user), NULL);
	mutex_init(&gang->chunks_lock);
	INIT_DELAYED_WORK(&gang->chunks_work, simgpu_gang_chunks_work);
	mutex_init(&gang->read_lock);
	return gang;

err_charge:
	simgpu_tenant_uncharge(maker, SIMGPU_GANG_BYTES);
	return ERR_PTR(-ENOMEM);
}

/* The place of the next record, or NULL. */
static struct simgpu_gang_record *simgpu_gang_room(struct simgpu_gang *gang)
{
	struct simgpu_gang_record *chunk;

	/* Pairs with the release by the reader: records up to it may be overwritten. */
	if (gang->head - smp_load_acquire(&gang->tail) ==
	    SIMGPU_GANG_RECORDS_MAX)
		return NULL;
	/* Pairs with the release of who makes chunks. */
	chunk = smp_load_acquire(simgpu_gang_chunk(gang, gang->head));
	if (!chunk || !(gang->head % SIMGPU_GANG_CHUNK))
		simgpu_gang_need(gang);
	return chunk ? &chunk[gang->head % SIMGPU_GANG_CHUNK] : NULL;
}

static void simgpu_record_fill(struct simgpu_gang_record *out,
			       const struct simgpu_device *device,
			       const struct session_epoch *epoch, u32 index)
{
	const struct session_epoch_tenant *row = &epoch->tenants[index];
	struct simgpu_epoch_record *record = &out->record;

	row_epoch(epoch, row, record);
	record->size = sizeof(*out);
	record->counter_offset = offsetof(struct simgpu_gang_record, counters);
	record->counter_count = SIMGPU_COUNTER_COUNT;
	record->cgroup = simgpu_cgroup_id(device->slots[row->slot]->cgroup);
	out->counters = row->counters;
}

/* Keeps the records of a finished epoch for the reader. */
static void simgpu_gang_epoch(struct simgpu_device *device,
			      const struct session_epoch *epoch)
{
	struct simgpu_gang *gang = device->gang;
	struct simgpu_gang_record *record;
	u32 i;

	lockdep_assert_held(&device->lock);
	if (!simgpu_device_has_gang(device))
		return;
	for (i = 0; i < epoch->tenant_count; i++) {
		record = simgpu_gang_room(gang);
		if (!record) {
			WRITE_ONCE(gang->lost, gang->lost + 1);
			continue;
		}
		simgpu_record_fill(record, device, epoch, i);
		/* Pairs with the acquire of the reader. */
		smp_store_release(&gang->head, gang->head + 1);
	}
	/* Pairs with the barriers of callers that begin to wait. */
	if (wq_has_sleeper(&gang->waker.watchers) ||
	    wq_has_sleeper(&gang->waker.readers))
		simgpu_waker_due(&gang->waker);
}

/* Keep the figures of the tenant in a slot. */
static void simgpu_gang_keep_report(struct simgpu_gang *gang, u32 slot)
{
	struct simgpu_device *device = gang->device;
	struct session_tenant_report report;

	lockdep_assert_held(&device->lock);
	session_tenant_report(device->session, slot, &report);
	spin_lock(&device->publish_lock);
	row_report(&report, &gang->reports[slot]);
	gang->counters[slot] = report.counters;
	__set_bit(slot, gang->reported);
	spin_unlock(&device->publish_lock);
}

static void simgpu_gang_tell_leaps(struct simgpu_gang_status *status,
				   const struct session_sampling *sampling)
{
	status->leaps = sampling->leaps;
	status->leapt_cycles = sampling->leapt_cycles;
}

static void simgpu_gang_tell_power(struct simgpu_gang_status *status,
				   const struct session *session)
{
	struct session_power power;

	session_power_so_far(session, &power);
	status->power_flags = power.used ? SIMGPU_POWER_USED : 0;
	status->sm_mhz = power.clock_mhz;
	status->mean_sm_mhz = power.mean_mhz;
	status->clock_changes = power.changes;
	status->mean_power_uw = power.mean_uw;
	status->static_saved_pj = power.static_saved_pj;
}

static void simgpu_gang_tell_memory(struct simgpu_gang_status *status,
				    const struct session *session)
{
	struct session_memory memory;

	session_memory_report(session, &memory);
	status->memory_chunks = memory.chunks;
	status->memory_chunks_used = memory.chunks_used;
	static_assert(sizeof(status->memory_policy) == sizeof(memory.policy));
	static_assert(sizeof(status->memory_refusal) == sizeof(memory.fell_back));
	memcpy(status->memory_policy, memory.policy, sizeof(memory.policy));
	memcpy(status->memory_refusal, memory.fell_back, sizeof(memory.fell_back));
}

/* The status that a gang's file answers once the gang has ended. */
static void simgpu_gang_last_status(struct simgpu_gang *gang,
				    struct simgpu_gang_status *status)
{
	struct session *session = gang->device->session;
	struct session_sampling sampling;

	session_sampling(session, &sampling);
	simgpu_gang_tell_leaps(status, &sampling);
	simgpu_gang_tell_memory(status, session);
	simgpu_gang_tell_power(status, session);
	status->cycle = session_end_cycle(session);
	status->state_hash = session_state_hash(session);
	status->records_lost = gang->lost;
	status->wall_ns = gang->wall_ns;
}

/*
 * The gang has ended: DONE or CANCELED. Keep everything that its file can be asked for, so
 * that the device may go on without it.
 */
static void simgpu_gang_end(struct simgpu_gang *gang,
			    enum simgpu_gang_state state)
{
	struct simgpu_device *device = gang->device;
	struct simgpu_ending *ending = &device->ending;
	int status = state == SIMGPU_GANG_CANCELED ? -ECANCELED : 0;
	u32 slot;

	lockdep_assert_held(&device->lock);
	simgpu_gang_last_status(gang, &gang->status);
	gang->status.state = state;
	gang->refusal = device->refusal;
	ending->over = true;
	ending->cycle = session_now(device->session);
	ending->state_hash = gang->status.state_hash;
	ending->journal_events = session_journal_count(device->session,
						       &ending->journal_lost);
	for (slot = 0; slot < gang->members; slot++)
		if (device->slots[slot])
			simgpu_gang_keep_report(gang, slot);
	/* Pairs with the reader's acquire: it sees all records. */
	smp_store_release(&gang->over, true);
	simgpu_waker_due(&gang->waker);
	/* Callers that are woken find the gang over. */
	for (slot = 0; slot < gang->members; slot++)
		if (device->slots[slot])
			simgpu_tenant_settle_all(device->slots[slot], status);
}

static bool simgpu_gang_readable(struct simgpu_gang *gang)
{
	/* Pairs with the release in simgpu_gang_end(). */
	return smp_load_acquire(&gang->over) ||
	       READ_ONCE(gang->head) != READ_ONCE(gang->tail);
}

/* Returns bytes read; 0 if there is nothing to read. */
static ssize_t simgpu_gang_copy_records(struct simgpu_gang *gang,
					char __user *buffer, size_t count)
{
	const size_t record_bytes = sizeof(struct simgpu_gang_record);
	unsigned long head, tail = gang->tail;
	ssize_t copied = 0;

	lockdep_assert_held(&gang->read_lock);
	/* Pairs with the release of the writer. */
	head = smp_load_acquire(&gang->head);
	while (tail != head && count - copied >= record_bytes) {
		struct simgpu_gang_record **chunk = simgpu_gang_chunk(gang, tail);

		if (copy_to_user(buffer + copied,
				 &(*chunk)[tail % SIMGPU_GANG_CHUNK],
				 record_bytes))
			break;
		copied += record_bytes;
		tail++;
		/* The writer is beyond this chunk, and reuses it after the release. */
		if (!(tail % SIMGPU_GANG_CHUNK))
			simgpu_gang_chunk_free(gang, chunk);
	}
	if (!copied && tail != head)
		return -EFAULT;
	/* Pairs with the acquire by the writer: the room is free. */
	smp_store_release(&gang->tail, tail);
	return copied;
}

static ssize_t simgpu_gang_read_records(struct file *file, char __user *buffer,
					size_t count)
{
	struct simgpu_gang *gang = file->private_data;
	ssize_t ret;
	bool over;

	for (;;) {
		if (!(file->f_flags & O_NONBLOCK)) {
			ret = wait_event_interruptible_exclusive(gang->waker.readers,
								 simgpu_gang_readable(gang));
			if (ret)
				return ret;
		}
		/* Read before the records: if it is set, they are complete. */
		over = smp_load_acquire(&gang->over);
		if (mutex_lock_interruptible(&gang->read_lock))
			return -ERESTARTSYS;
		ret = simgpu_gang_copy_records(gang, buffer, count);
		mutex_unlock(&gang->read_lock);
		if (ret || over)
			return ret;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
	}
}

static ssize_t simgpu_gang_read(struct file *file, char __user *buffer,
				size_t count, loff_t *position)
{
	struct simgpu_gang *gang = file->private_data;
	ssize_t ret;

	if (count < sizeof(struct simgpu_gang_record))
		return -EINVAL;
	ret = simgpu_device_admit(gang->device, SIMGPU_CALL_LIGHT);
	if (ret)
		return ret;
	ret = simgpu_gang_read_records(file, buffer, count);
	/* Only one reader was woken for all records. */
	if (simgpu_gang_readable(gang))
		simgpu_waker_next_reader(&gang->waker);
	return ret;
}

static __poll_t simgpu_gang_poll(struct file *file, poll_table *wait)
{
	struct simgpu_gang *gang = file->private_data;

	poll_wait(file, &gang->waker.watchers, wait);
	/* Pairs with the barrier in simgpu_gang_epoch(): the caller is seen there. */
	smp_mb();
	return simgpu_gang_readable(gang) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* SIMGPU_IOC_GANG_STATUS */
static int simgpu_gang_status(struct simgpu_ucmd *ucmd)
{
	struct simgpu_gang *gang = ucmd->file->private_data;
	struct simgpu_gang_status *cmd = ucmd->cmd;
	struct simgpu_published published;

	if (READ_ONCE(gang->device->gone))
		return -ENODEV;
	/* Read first: if it is of another session, the gang is over. */
	published = simgpu_device_published(gang->device);
	/* Pairs with the release in simgpu_gang_end(): nothing changes after it. */
	if (smp_load_acquire(&gang->over)) {
		*cmd = gang->status;
	} else {
		cmd->state = published.state == SESSION_WAITING ?
			     SIMGPU_GANG_WAITING : SIMGPU_GANG_RUNNING;
		cmd->cycle = published.cycle;
		cmd->state_hash = 0;
		cmd->records_lost = READ_ONCE(gang->lost);
		cmd->wall_ns = READ_ONCE(gang->wall_ns);
		simgpu_gang_tell_leaps(cmd, &published.sampling);
	}
	cmd->size = ucmd->user_size;
	return simgpu_ucmd_respond(ucmd);
}

/* The published figures of a member, or those kept of one that has left; -ENODATA. */
static int simgpu_gang_find_report(struct simgpu_gang *gang, u32 slot,
				   struct simgpu_tenant_report *report,
				   struct simgpu_counters *counters)
{
	const struct simgpu_tenant *tenant = NULL;
	int ret = 0;

	spin_lock(&gang->device->publish_lock);
	/* A tenant in the slot of a gang that is not over is its member. */
	if (!READ_ONCE(gang->over))
		tenant = gang->device->slots[slot];
	if (tenant) {
		*report = tenant->published.report;
		*counters = tenant->published.counters;
	} else if (test_bit(slot, gang->reported)) {
		*report = gang->reports[slot];
		*counters = gang->counters[slot];
	} else {
		ret = -ENODATA;
	}
	spin_unlock(&gang->device->publish_lock);
	return ret;
}

/* SIMGPU_IOC_GANG_REPORT */
static int simgpu_gang_report(struct simgpu_ucmd *ucmd)
{
	struct simgpu_gang *gang = ucmd->file->private_data;
	struct simgpu_gang_report *cmd = ucmd->cmd;
	struct simgpu_counters counters;
	int ret;

	if (cmd->slot >= gang->members)
		return -EINVAL;
	ret = simgpu_counters_check(&cmd->counters);
	if (ret)
		return ret;
	if (READ_ONCE(gang->device->gone))
		return -ENODEV;
	ret = simgpu_gang_find_report(gang, cmd->slot, &cmd->report, &counters);
	ret = ret ?: simgpu_counters_answer(&cmd->counters, &counters);
	return ret ?: simgpu_ucmd_respond(ucmd);
}

/* SIMGPU_IOC_GANG_REFUSAL */
static int simgpu_gang_refusal(struct simgpu_ucmd *ucmd)
{
	struct simgpu_gang *gang = ucmd->file->private_data;
	struct simgpu_gang_refusal *cmd = ucmd->cmd;
	struct simgpu_published published;
	bool over;

	if (cmd->reserved)
		return -EINVAL;
	if (READ_ONCE(gang->device->gone))
		return -ENODEV;
	/* Read first, as in simgpu_gang_status(). */
	published = simgpu_device_published(gang->device);
	/* Pairs with the release in simgpu_gang_end(), too. */
	over = smp_load_acquire(&gang->over);
	row_refusal(over ? &gang->refusal : &published.refusal, &cmd->refusal);
	if (cmd->refusal.kind == SIMGPU_REFUSAL_NONE)
		return -ENODATA;
	return simgpu_ucmd_respond(ucmd);
}

#define GANG_IOCTL_BASE	_IOC_NR(SIMGPU_IOC_GANG_STATUS)
#define GANG_OP(_ioctl, _fn, _struct, _last) \
	SIMGPU_IOCTL_OP(GANG_IOCTL_BASE, _ioctl, _fn, _struct, _last)

static const struct simgpu_ioctl_op simgpu_gang_ops[] = {
	GANG_OP(SIMGPU_IOC_GANG_STATUS, simgpu_gang_status,
		struct simgpu_gang_status, wall_ns),
	GANG_OP(SIMGPU_IOC_GANG_REPORT, simgpu_gang_report,
		struct simgpu_gang_report, report.shared_sms),
	GANG_OP(SIMGPU_IOC_GANG_REFUSAL, simgpu_gang_refusal,
		struct simgpu_gang_refusal, refusal.cycle),
};

static long simgpu_gang_ioctl(struct file *file, unsigned int cmd,
			      unsigned long arg)
{
	const struct simgpu_gang *gang = file->private_data;

	return simgpu_ioctl_dispatch(file, gang->device, cmd, arg,
				     simgpu_gang_ops,
				     GANG_IOCTL_BASE,
				     ARRAY_SIZE(simgpu_gang_ops));
}

/* End the work of the gang's members, and leave the device. */
static int simgpu_gang_detach(void *arg)
{
	struct simgpu_gang *gang = arg;
	struct simgpu_device *device = gang->device;
	u32 slot;

	lockdep_assert_held(&device->lock);
	if (device->gang != gang)
		return 0;
	for (slot = 0; slot < gang->members && !gang->over; slot++)
		if (device->slots[slot])
			simgpu_tenant_unseat(device->slots[slot]);
	simgpu_device_settle(device);
	if (!gang->over)
		simgpu_gang_end(gang, SIMGPU_GANG_CANCELED);
	for (slot = 0; slot < gang->members; slot++)
		if (device->slots[slot])
			device->slots[slot]->in_gang = false;
	device->gang = NULL;
	simgpu_device_leave(device);
	simgpu_device_settle(device);
	return 0;
}

/* The gang has held the device long enough without starting. */
static void simgpu_gang_expire(struct work_struct *work)
{
	struct simgpu_gang *gang = container_of(to_delayed_work(work),
						struct simgpu_gang, expiry);
	struct simgpu_device *device = gang->device;

	simgpu_device_lock_closing(device);
	if (device->gang == gang && !gang->over &&
	    session_state(device->session) == SESSION_WAITING)
		simgpu_gang_detach(gang);
	simgpu_device_unlock(device);
}

static int simgpu_gang_release(struct inode *inode, struct file *file)
{
	struct simgpu_gang *gang = file->private_data;

	cancel_delayed_work_sync(&gang->expiry);
	simgpu_device_call_closing(gang->device, simgpu_gang_detach, gang);
	simgpu_gang_free(gang);
	return 0;
}

static const struct file_operations simgpu_gang_fops = {
	.owner = THIS_MODULE,
	.release = simgpu_gang_release,
	.read = simgpu_gang_read,
	.poll = simgpu_gang_poll,
	.unlocked_ioctl = simgpu_gang_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* Whether a name is valid or empty, with zeros behind its NUL. */
static bool simgpu_gang_name_valid(const char *name)
{
	size_t length = strnlen(name, SIMGPU_NAME_MAX);

	return length < SIMGPU_NAME_MAX &&
	       !memchr_inv(name + length, 0, SIMGPU_NAME_MAX - length);
}

/* Whether each setting is 0, for the device's own, or in its range. */
static bool simgpu_gang_settings_fit(const struct simgpu_gang_create *cmd)
{
	session_for_each_setting(setting) {
		u64 value = session_setting_of_gang(setting, cmd);

		if (value && !session_setting_fits(setting, value))
			return false;
	}
	return true;
}

static int simgpu_gang_check(const struct simgpu_gang_create *cmd)
{
	if (!cmd->members || cmd->members > SIMGPU_TENANTS_MAX ||
	    cmd->flags & ~SIMGPU_GANG_RELAUNCH ||
	    cmd->reserved || cmd->reserved2 || cmd->reserved3 ||
	    memchr_inv(cmd->reserved4, 0, sizeof(cmd->reserved4)) ||
	    memchr_inv(cmd->reserved5, 0, sizeof(cmd->reserved5)) ||
	    !cmd->constants != !cmd->constants_bytes ||
	    !simgpu_gang_settings_fit(cmd))
		return -EINVAL;
	if (cmd->flags & SIMGPU_GANG_RELAUNCH && !cmd->stop_cycle)
		return -EINVAL;
	if (!simgpu_gang_name_valid(cmd->config) ||
	    !simgpu_gang_name_valid(cmd->policy) ||
	    !simgpu_gang_name_valid(cmd->model) ||
	    !simgpu_gang_name_valid(cmd->memory_policy_name) ||
	    (cmd->memory_policy && cmd->memory_policy_name[0]))
		return -EINVAL;
	return 0;
}

/* The memory policy that the caller names, by its place or else by its name; held, or NULL. */
static void simgpu_gang_memory_policy(const struct simgpu_gang_create *cmd,
				      struct session_options *options)
{
	simgpu_plugin_put(options->memory_policy);
	options->memory_policy = cmd->memory_policy_name[0] ?
		simgpu_memory_policy_get(cmd->memory_policy_name) :
		registry_memory_policy_at(cmd->memory_policy);
	options->memory_policy_index =
		registry_memory_policy_place(options->memory_policy);
	options->memory_params_set = 0;
}

/* Look up policy, model and GPU that the caller names; they are held, or NULL. */
static int simgpu_gang_names(const struct simgpu_gang_create *cmd,
			     struct session_options *options)
{
	const struct simgpu_policy *policy = options->policy;
	const struct simgpu_model *model = options->model;
	const struct gpu_config *config;

	if (cmd->policy[0]) {
		options->policy = simgpu_policy_get(cmd->policy);
		simgpu_plugin_put(policy);
	}
	if (cmd->model[0]) {
		options->model = simgpu_model_get(cmd->model);
		simgpu_plugin_put(model);
	}
	simgpu_gang_memory_policy(cmd, options);
	if (cmd->config[0]) {
		config = gpu_config_find(cmd->config);
		if (!config)
			return -ENOENT;
		options->config = *config;
	}
	return options->policy && options->model && options->memory_policy ? 0 : -ENOENT;
}

/* Take parameters and constants of the device if its own policy and model are used. */
static int simgpu_gang_deciders(const struct simgpu_gang_create *cmd,
				struct session_options *options)
{
	const struct simgpu_policy *policy = options->policy;
	const struct simgpu_model *model = options->model;
	char config[SIMGPU_NAME_MAX];
	bool other_model;
	int ret;

	strscpy(config, options->config.name, sizeof(config));
	ret = simgpu_gang_names(cmd, options);
	if (ret)
		return ret;
	other_model = options->model != model ||
		      strcmp(options->config.name, config);
	simgpu_options_begin(options, options->policy != policy, other_model);
	return 0;
}

static void simgpu_gang_settings(const struct simgpu_gang_create *cmd,
				 struct session_options *options)
{
	options->epoch_cycles = SESSION_EPOCH_CYCLES_DEFAULT;
	options->relaunch = cmd->flags & SIMGPU_GANG_RELAUNCH;
	options->gang_size = cmd->members;
	session_for_each_setting(setting) {
		u64 value = session_setting_of_gang(setting, cmd);

		if (setting->gang && (value || !setting->least))
			session_setting_set(setting, options, value);
	}
}

/* The device's own options, changed by the caller's. */
static int simgpu_gang_options(const struct simgpu_gang_create *cmd,
			       struct session_options *options,
			       struct session_refusal *why)
{
	int ret;

	simgpu_gang_settings(cmd, options);
	ret = simgpu_gang_deciders(cmd, options);
	if (!ret && !session_power_fits(options))
		ret = -EINVAL;
	ret = ret ?: simgpu_params_apply(&cmd->params, options, why);
	return ret ?: simgpu_constants_apply(cmd->constants,
					     cmd->constants_bytes, options,
					     why);
}

/*
 * Whether a gang may take the device. A tenant with a slot would lose it, so there may be
 * none, not even an idle one. In the session of a gang that has ended none counts.
 */
static int simgpu_gang_available(struct simgpu_device *device,
				 const struct simgpu_tenant *maker)
{
	u32 slot;

	lockdep_assert_held(&device->lock);
	if (simgpu_device_has_gang(device) ||
	    session_state(device->session) == SESSION_RUNNING)
		return -EBUSY;
	if (device->start.gang_size)
		return 0;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (device->slots[slot] && device->slots[slot] != maker)
			return -EBUSY;
	return 0;
}

/**
 * struct simgpu_making - a gang that is being made
 * @maker: its maker
 * @gang: the gang
 * @options: its session's
 * @why: what is wrong with them
 * @injections: failures that are to happen, or NULL
 * @injection_count: elements of @injections
 */
struct simgpu_making {
	const struct simgpu_tenant *maker;
	struct simgpu_gang *gang;
	struct session_options options;
	struct session_refusal why;
	struct session_injection *injections;
	u32 injection_count;
};

/* The device's own options; the caller gives back their policy, model and constants. */
static int simgpu_gang_defaults(void *arg)
{
	struct simgpu_making *making = arg;
	struct simgpu_device *device = making->maker->device;
	int ret = simgpu_gang_available(device, making->maker);

	return ret ?: simgpu_device_options(device, &making->options);
}

/* Record what was wrong with a gang's options in last_refusal, too. */
static int simgpu_gang_refused(void *arg)
{
	struct simgpu_making *making = arg;

	simgpu_device_refused(making->maker->device, &making->why);
	return 0;
}

/*
 * Check before memory is allocated; another gang may still take the device before attach.
 * The policy and model of its options are held if this succeeds.
 */
static int simgpu_gang_prepare(struct simgpu_making *making,
			       const struct simgpu_gang_create *cmd)
{
	struct simgpu_device *device = making->maker->device;
	int ret;

	ret = simgpu_device_call(device, simgpu_gang_defaults, making);
	if (ret)
		return ret;
	ret = simgpu_gang_options(cmd, &making->options, &making->why);
	if (!ret)
		return 0;
	simgpu_options_put(&making->options);
	if (making->why.kind != SESSION_REFUSED_NOTHING)
		simgpu_device_call(device, simgpu_gang_refused, making);
	return ret;
}

static int simgpu_gang_attach_locked(struct simgpu_making *making)
{
	struct simgpu_gang *gang = making->gang;
	struct simgpu_device *device = gang->device;
	struct session *session;
	int ret;

	lockdep_assert_held(&device->gang_lock);
	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	ret = simgpu_gang_available(device, gang->maker);
	simgpu_device_unlock(device);
	if (ret)
		return ret;
	ret = simgpu_device_session_create(device, &making->options, &session);
	if (ret)
		return ret;
	ret = session_inject_all(session, making->injections, making->injection_count) ?:
	      simgpu_device_lock(device);
	if (ret)
		goto err_session;
	ret = simgpu_gang_available(device, gang->maker);
	if (ret)
		goto err_lock;
	session = simgpu_device_replace_session(device, session, &making->options);
	device->gang = gang;
	simgpu_device_settle(device);
	simgpu_device_unlock(device);
	session_destroy(session);
	schedule_delayed_work(&gang->expiry, HZ * (unsigned long)
			      READ_ONCE(device->limits.gang_wait_seconds));
	return 0;

err_lock:
	simgpu_device_unlock(device);
err_session:
	session_destroy(session);
	return ret;
}

/*
 * Puts the gang and its cold session on the device. Of many that are made at once, one
 * has the memory of a session; the others find the device taken before they make theirs.
 * A thread does it for the maker.
 */
static int simgpu_gang_attach(void *arg)
{
	struct simgpu_making *making = arg;
	struct simgpu_device *device = making->gang->device;
	int ret;

	mutex_lock(&device->gang_lock);
	ret = simgpu_gang_attach_locked(making);
	mutex_unlock(&device->gang_lock);
	return ret;
}

static struct file *simgpu_gang_open(struct simgpu_tenant *maker, u32 members)
{
	struct simgpu_gang *gang = simgpu_gang_alloc(maker, members);
	struct file *file;
	unsigned int flags;
	int ret;

	if (IS_ERR(gang))
		return ERR_CAST(gang);
	INIT_DELAYED_WORK(&gang->expiry, simgpu_gang_expire);
	ret = simgpu_charge_ahead();
	/* What was charged ahead may be gone: then the file goes beyond the cgroup's limit. */
	flags = memalloc_noreclaim_save();
	file = ret ? ERR_PTR(ret) :
		     anon_inode_getfile("[simgpu-gang]", &simgpu_gang_fops, gang,
					O_RDONLY);
	memalloc_noreclaim_restore(flags);
	if (IS_ERR(file))
		simgpu_gang_free(gang);
	else
		nonseekable_open(NULL, file);
	return file;
}

/* SIMGPU_IOC_GANG_CREATE */
int simgpu_gang_create(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_gang_create *cmd = ucmd->cmd;
	struct simgpu_making making = {
		.maker = tenant, .injection_count = cmd->injections.count,
	};
	struct file *file;
	int ret;

	ret = simgpu_gang_check(cmd);
	if (ret)
		return ret;
	if (!READ_ONCE(tenant->device->limits.gangs) && !simgpu_may_claim(NULL))
		return -EPERM;
	cmd->fd = -1;
	ret = simgpu_ucmd_respond(ucmd);
	if (ret)
		return ret;
	ret = simgpu_injections_read(&cmd->injections, &making.injections);
	if (ret)
		goto err_injections;
	ret = simgpu_gang_prepare(&making, cmd);
	if (ret)
		goto err_injections;
	cmd->fd = get_unused_fd_flags(O_CLOEXEC);
	if (cmd->fd < 0) {
		ret = cmd->fd;
		goto err_options;
	}
	file = simgpu_gang_open(tenant, cmd->members);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto err_fd;
	}
	making.gang = file->private_data;
	ret = simgpu_by_thread(system_unbound_wq, simgpu_gang_attach, &making);
	if (ret)
		goto err_file;
	ret = simgpu_ucmd_respond(ucmd);
	if (ret)
		goto err_file;
	fd_install(cmd->fd, file);
	kfree(making.injections);
	simgpu_options_put(&making.options);
	simgpu_tell(deciders, tenant->device);
	return 0;

err_file:
	fput(file);
err_fd:
	put_unused_fd(cmd->fd);
err_options:
	simgpu_options_put(&making.options);
err_injections:
	kfree(making.injections);
	return ret;
}

/**
 * struct simgpu_joining - a tenant that joins a gang
 * @gang: the gang
 * @tenant: the tenant
 * @slot: the slot that it asks for
 * @run: from simgpu_tenant_private_make()
 */
struct simgpu_joining {
	struct simgpu_gang *gang;
	struct simgpu_tenant *tenant;
	u32 slot;
	struct private_run *run;
};

static int simgpu_gang_seat(void *arg)
{
	struct simgpu_joining *joining = arg;
	struct simgpu_gang *gang = joining->gang;
	struct simgpu_tenant *tenant = joining->tenant;
	struct simgpu_device *device = gang->device;
	struct session_tenant_options options;
	int ret;

	if (gang->over)
		return -ECANCELED;
	if (tenant->slot != SIMGPU_NO_SLOT)
		return -EBUSY;
	options = simgpu_tenant_session_options(tenant);
	ret = session_join_with(device->session, joining->slot, &options, joining->run);
	if (ret < 0)
		return ret;
	simgpu_tenant_seat(tenant, joining->slot);
	tenant->in_gang = true;
	simgpu_device_settle(device);
	return 0;
}

/* SIMGPU_IOC_GANG_JOIN */
int simgpu_gang_join(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_gang_join *cmd = ucmd->cmd;
	struct simgpu_joining joining = { .tenant = tenant, .slot = cmd->slot };
	struct simgpu_gang *gang;
	struct file *file;
	int ret = -EBADF;

	if (cmd->reserved)
		return -EINVAL;
	file = fget(cmd->gang_fd);
	if (!file)
		return -EBADF;
	if (file->f_op != &simgpu_gang_fops)
		goto out;
	gang = file->private_data;
	if (gang->device != tenant->device)
		goto out;
	ret = -EINVAL;
	if (cmd->slot >= gang->members)
		goto out;
	/* If there is none, records are lost. */
	simgpu_gang_provide(gang);
	joining.gang = gang;
	joining.run = simgpu_tenant_private_make(tenant);
	ret = PTR_ERR_OR_ZERO(joining.run);
	if (ret)
		goto out;
	ret = simgpu_device_call_to_note(gang->device, simgpu_gang_seat, &joining);
	simgpu_tenant_private_free(tenant, joining.run);
out:
	fput(file);
	return ret;
}

static void simgpu_gang_session_end(struct simgpu_device *device)
{
	lockdep_assert_held(&device->lock);
	if (simgpu_device_has_gang(device))
		simgpu_gang_end(device->gang, SIMGPU_GANG_CANCELED);
	device->gang = NULL;
}

static void simgpu_gang_state(struct simgpu_device *device,
			      enum session_state state)
{
	lockdep_assert_held(&device->lock);
	if (!simgpu_device_has_gang(device))
		return;
	if (state == SESSION_CANCELED)
		simgpu_gang_end(device->gang, SIMGPU_GANG_CANCELED);
	else if (state == SESSION_IDLE || state == SESSION_STOPPED)
		simgpu_gang_end(device->gang, SIMGPU_GANG_DONE);
}

static void simgpu_gang_stepped(struct simgpu_device *device, u64 took_ns)
{
	if (simgpu_device_has_gang(device))
		WRITE_ONCE(device->gang->wall_ns,
			   device->gang->wall_ns + took_ns);
}

static void simgpu_gang_leave(struct simgpu_device *device, u32 slot)
{
	if (simgpu_device_has_gang(device))
		simgpu_gang_keep_report(device->gang, slot);
}

const struct simgpu_observer simgpu_gang_observer = {
	.session_end = simgpu_gang_session_end,
	.state = simgpu_gang_state,
	.stepped = simgpu_gang_stepped,
	.epoch = simgpu_gang_epoch,
	.leave = simgpu_gang_leave,
};

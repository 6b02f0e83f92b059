// SPDX-License-Identifier: GPL-2.0
/*
 * The outcomes of a tenant's launches, and callers that wait for them: by ioctl, eventfd,
 * read() and poll(). Launches of several queues end in any order. waker.c wakes callers.
 */
#include <linux/eventfd.h>
#include <linux/hrtimer.h>
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "charge.h"
#include "compat.h"
#include "device.h"
#include "tenant.h"
#include "tenant_outcome.h"
#include "turn.h"

/* Bits of an outcome: 1 + enum session_launch_status, or 0 for a launch that has not ended. */
#define SIMGPU_OUTCOME_STATUS	GENMASK(2, 0)
#define SIMGPU_OUTCOME_READ	BIT(3)
/* Above them is the queue. */
#define SIMGPU_OUTCOME_QUEUE	4

static_assert(SESSION_LAUNCH_STATUSES <= SIMGPU_OUTCOME_STATUS);
static_assert(SESSION_QUEUES_MAX <= 1 << (8 - SIMGPU_OUTCOME_QUEUE));

static bool simgpu_outcome_ended(u8 outcome)
{
	return outcome & SIMGPU_OUTCOME_STATUS;
}

/* 0 or a negative errno; of a launch that has ended */
static int simgpu_outcome_status(u8 outcome)
{
	return session_launch_ends[(outcome & SIMGPU_OUTCOME_STATUS) - 1].status;
}

static u8 *simgpu_outcome(struct simgpu_tenant *tenant, u64 number)
{
	return &tenant->outcome[number % SIMGPU_OUTCOMES];
}

/* All launches up to one more have ended: the oldest outcome is forgotten. */
static void simgpu_outcomes_advance(struct simgpu_tenant *tenant)
{
	u64 old;

	if (++tenant->settled <= SIMGPU_OUTCOMES_KEPT)
		return;
	old = tenant->settled - SIMGPU_OUTCOMES_KEPT;
	if (tenant->reported < old) {
		tenant->reported = old;
		if (!(*simgpu_outcome(tenant, old) & SIMGPU_OUTCOME_READ)) {
			tenant->lost++;
			tenant->unread--;
		}
	}
	*simgpu_outcome(tenant, old) = 0;
}

/* Requests that never came end at once; only the last ones are kept one by one. */
static void simgpu_outcomes_skip(struct simgpu_tenant *tenant, u64 number)
{
	if (number <= tenant->settled)
		return;
	tenant->lost += tenant->unread + number - tenant->settled;
	tenant->unread = 0;
	tenant->settled = number;
	tenant->reported = number;
	memset(tenant->outcome, 0, sizeof(tenant->outcome));
}

static void simgpu_outcome_set(struct simgpu_tenant *tenant, u64 number,
			       u32 queue, int status)
{
	u8 *outcome = simgpu_outcome(tenant, number);

	if (number <= tenant->settled || simgpu_outcome_ended(*outcome))
		return;
	*outcome = (1 + session_launch_status(status)) | queue << SIMGPU_OUTCOME_QUEUE;
	tenant->unread++;
	while (tenant->settled < tenant->launched &&
	       simgpu_outcome_ended(*simgpu_outcome(tenant, tenant->settled + 1)))
		simgpu_outcomes_advance(tenant);
}

/* With the publish lock held; see simgpu_tenant_outcome(). */
static int simgpu_outcome_of(struct simgpu_tenant *tenant, u64 sequence)
{
	u8 outcome = *simgpu_outcome(tenant, sequence);

	lockdep_assert_held(&tenant->device->publish_lock);
	if (!sequence || sequence > tenant->launched)
		return -ENOENT;
	if (sequence > tenant->settled + SIMGPU_OUTCOMES_KEPT)
		return -EBUSY;
	if (sequence <= tenant->settled &&
	    tenant->settled - sequence >= SIMGPU_OUTCOMES_KEPT)
		return -ENOENT;
	return simgpu_outcome_ended(outcome) ? simgpu_outcome_status(outcome) : -EBUSY;
}

/*
 * The outcome of a launch: 0, an errno of session_launch_ends, -ENOENT, or -EBUSY: it has not
 * ended.
 */
static int simgpu_tenant_outcome(struct simgpu_tenant *tenant, u64 sequence)
{
	struct simgpu_device *device = tenant->device;
	int ret;

	spin_lock(&device->publish_lock);
	ret = simgpu_outcome_of(tenant, sequence);
	spin_unlock(&device->publish_lock);
	return ret;
}

/* An eventfd that is to be signaled, with its reference; NULL if there is none. */
static struct eventfd_ctx *simgpu_eventfd_next(struct simgpu_tenant *tenant)
{
	struct simgpu_eventfds *due = &tenant->eventfds;
	struct eventfd_ctx *eventfd = NULL;

	spin_lock(&tenant->device->publish_lock);
	if (due->count) {
		eventfd = due->at[due->first];
		due->first = (due->first + 1) % SIMGPU_EVENTFDS_DUE_MAX;
		due->count--;
	}
	spin_unlock(&tenant->device->publish_lock);
	return eventfd;
}

static bool simgpu_eventfd_signal(struct simgpu_waker *waker)
{
	struct simgpu_tenant *tenant = container_of(waker, struct simgpu_tenant, waker);
	struct eventfd_ctx *eventfd = simgpu_eventfd_next(tenant);

	if (!eventfd)
		return false;
	compat_eventfd_signal(eventfd);
	eventfd_ctx_put(eventfd);
	return READ_ONCE(tenant->eventfds.count);
}

/* Have the eventfds of launches that have ended signaled; with the publish lock held. */
static void simgpu_eventfds_due(struct simgpu_tenant *tenant)
{
	struct simgpu_eventfds *due = &tenant->eventfds;
	u32 i;

	lockdep_assert_held(&tenant->device->publish_lock);
	for (i = 0; i < SIMGPU_PENDING_MAX; i++) {
		struct simgpu_pending *pending = &tenant->pending[i];

		if (!pending->eventfd ||
		    simgpu_outcome_of(tenant, tenant->sequence_base +
					      pending->sequence) == -EBUSY)
			continue;
		due->at[(due->first + due->count) % SIMGPU_EVENTFDS_DUE_MAX] =
			pending->eventfd;
		due->count++;
		pending->eventfd = NULL;
	}
}

/*
 * Launches have ended: callers that wait are to be woken, and eventfds to be signaled, but
 * not here. A caller that does not wait yet will find the outcomes.
 */
static void simgpu_tenant_signal(struct simgpu_tenant *tenant)
{
	lockdep_assert_held(&tenant->device->lock);
	/* After the publish lock was held: who began to wait before it is seen. */
	if (READ_ONCE(tenant->eventfds.count) ||
	    /* As above. */
	    waitqueue_active(&tenant->waker.watchers) ||
	    /* As above. */
	    waitqueue_active(&tenant->waker.readers))
		simgpu_waker_due(&tenant->waker);
}

/**
 * simgpu_tenant_begin_outcomes() - prepare for callers that wait for launches
 * @tenant: a tenant that is being made, whose user is known
 */
void simgpu_tenant_begin_outcomes(struct simgpu_tenant *tenant)
{
	simgpu_waker_init(&tenant->waker, simgpu_user_wakers(tenant->user),
			  simgpu_eventfd_signal);
}

/**
 * simgpu_tenant_end_outcomes() - a tenant's file is being closed, and has no launches
 * @tenant: the tenant
 *
 * The caller signals the eventfds of the last launches. No lock is held.
 */
void simgpu_tenant_end_outcomes(struct simgpu_tenant *tenant)
{
	simgpu_waker_end(&tenant->waker);
	while (simgpu_eventfd_signal(&tenant->waker))
		cond_resched();
}

/**
 * simgpu_tenant_has_eventfd_room() - whether the end of one more launch can be told
 * @tenant: the tenant, whose eventfds of launches that have ended may wait to be signaled
 *
 * Return: whether a launch may have an eventfd.
 */
bool simgpu_tenant_has_eventfd_room(const struct simgpu_tenant *tenant)
{
	/* Each launch that the session has may have one, too. */
	return READ_ONCE(tenant->eventfds.count) <=
	       SIMGPU_EVENTFDS_DUE_MAX - SIMGPU_PENDING_MAX;
}

/* Launches under way in one of the queues, up to a number, have ended. */
static void simgpu_outcomes_set_all(struct simgpu_tenant *tenant, u64 last,
				    u32 queue, int status)
{
	u64 number;

	if (last > tenant->settled + SIMGPU_OUTCOMES_KEPT)
		simgpu_outcomes_skip(tenant, last - SIMGPU_OUTCOMES_KEPT);
	for (number = tenant->settled + 1; number <= last; number++)
		simgpu_outcome_set(tenant, number, queue, status);
}

/**
 * simgpu_tenant_ended() - the session has ended a launch: note its outcome
 * @tenant: the tenant
 * @pending: the launch, or the arrivals of which it is one
 * @sequence: the session's number for it
 * @status: of session_launch_ends
 *
 * The end of a request is also the end of all before it, some of which may never have come.
 */
void simgpu_tenant_ended(struct simgpu_tenant *tenant,
			 const struct simgpu_pending *pending, u64 sequence,
			 int status)
{
	struct simgpu_device *device = tenant->device;
	u64 number = tenant->sequence_base + sequence;

	lockdep_assert_held(&device->lock);
	spin_lock(&device->publish_lock);
	if (pending->first != pending->sequence)
		simgpu_outcomes_set_all(tenant, number, pending->queue, status);
	else
		simgpu_outcome_set(tenant, number, pending->queue, status);
	simgpu_eventfds_due(tenant);
	spin_unlock(&device->publish_lock);
	simgpu_tenant_signal(tenant);
}

/**
 * simgpu_tenant_settle_all() - the gang has ended: so have all launches
 * @tenant: a member of the gang
 * @status: outcome of launches that had not ended: 0 or -ECANCELED
 *
 * The session drops its references to traces later, when the tenant leaves.
 */
void simgpu_tenant_settle_all(struct simgpu_tenant *tenant, int status)
{
	struct simgpu_device *device = tenant->device;
	u32 i;

	lockdep_assert_held(&device->lock);
	spin_lock(&device->publish_lock);
	/* Each names its queue, if the session has it. */
	for (i = 0; i < SIMGPU_PENDING_MAX; i++) {
		const struct simgpu_pending *pending = &tenant->pending[i];

		if (pending->trace && pending->first == pending->sequence)
			simgpu_outcome_set(tenant, tenant->sequence_base +
						   pending->sequence,
					   pending->queue, status);
	}
	simgpu_outcomes_set_all(tenant, tenant->launched, 0, status);
	simgpu_eventfds_due(tenant);
	spin_unlock(&device->publish_lock);
	simgpu_tenant_signal(tenant);
}

static bool simgpu_tenant_settled(struct simgpu_tenant *tenant, u64 sequence,
				  int *outcome)
{
	*outcome = simgpu_tenant_outcome(tenant, sequence);
	return *outcome != -EBUSY;
}

/**
 * struct simgpu_waiter - a call that waits for a launch
 * @entry: in the tenant's waker
 * @tenant: the tenant
 * @sequence: number of the launch
 */
struct simgpu_waiter {
	wait_queue_entry_t entry;
	struct simgpu_tenant *tenant;
	u64 sequence;
};

/* A call whose launch goes on sleeps on. */
static int simgpu_waiter_wake(struct wait_queue_entry *entry, unsigned int mode, int flags,
			      void *key)
{
	struct simgpu_waiter *waiter = container_of(entry, struct simgpu_waiter, entry);

	if (simgpu_tenant_outcome(waiter->tenant, waiter->sequence) == -EBUSY)
		return 0;
	return autoremove_wake_function(entry, mode, flags, key);
}

/* Sleeps until the launch has ended, a signal comes, -ERESTARTSYS, or @until, -ETIMEDOUT. */
static int simgpu_tenant_sleep(struct simgpu_tenant *tenant, u64 sequence, ktime_t *until,
			       int *outcome)
{
	struct simgpu_waiter waiter = { .tenant = tenant, .sequence = sequence };
	bool expired = false, settled;
	int ret;

	init_wait_entry(&waiter.entry, 0);
	waiter.entry.func = simgpu_waiter_wake;
	for (;;) {
		ret = prepare_to_wait_event(&tenant->waker.watchers, &waiter.entry,
					    TASK_INTERRUPTIBLE);
		settled = simgpu_tenant_settled(tenant, sequence, outcome);
		if (ret || settled || expired)
			break;
		expired = !schedule_hrtimeout_range(until, current->timer_slack_ns,
						    HRTIMER_MODE_ABS);
	}
	finish_wait(&tenant->waker.watchers, &waiter.entry);
	if (settled)
		return 0;
	return ret ?: -ETIMEDOUT;
}

/* SIMGPU_IOC_WAIT */
int simgpu_tenant_wait(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_wait *cmd = ucmd->cmd;
	u64 sequence = cmd->sequence;
	int outcome, ret;
	ktime_t until;

	if (cmd->reserved)
		return -EINVAL;
	if (simgpu_tenant_settled(tenant, sequence, &outcome))
		return outcome;
	if (!cmd->timeout_ns)
		return -ETIMEDOUT;
	until = ktime_add_safe(ktime_get(), ns_to_ktime(cmd->timeout_ns));
	ret = simgpu_tenant_sleep(tenant, sequence, cmd->timeout_ns < 0 ? NULL : &until,
				  &outcome);
	/* A restart would wait for the whole time again. */
	if (ret == -ERESTARTSYS && cmd->timeout_ns > 0)
		ret = -EINTR;
	return ret ?: outcome;
}

static bool simgpu_tenant_readable(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	bool readable;

	spin_lock(&device->publish_lock);
	readable = tenant->unread;
	spin_unlock(&device->publish_lock);
	return readable || READ_ONCE(device->gone);
}

/* The number of the first launch that has ended and was not read; there must be one. */
static u64 simgpu_tenant_first_unread(struct simgpu_tenant *tenant)
{
	u64 number = tenant->reported + 1;

	u8 outcome = *simgpu_outcome(tenant, number);

	while (!simgpu_outcome_ended(outcome) || outcome & SIMGPU_OUTCOME_READ)
		outcome = *simgpu_outcome(tenant, ++number);
	return number;
}

/* Takes the next record; false if there is none. */
static bool simgpu_tenant_next_completion(struct simgpu_tenant *tenant,
					  struct simgpu_completion *completion)
{
	struct simgpu_device *device = tenant->device;
	bool found = false;
	u8 *outcome;
	u64 number;

	spin_lock(&device->publish_lock);
	if (tenant->unread) {
		number = simgpu_tenant_first_unread(tenant);
		outcome = simgpu_outcome(tenant, number);
		*completion = (struct simgpu_completion) {
			.sequence = number,
			.status = simgpu_outcome_status(*outcome),
			.lost = min_t(u64, tenant->lost, U16_MAX),
			.queue = *outcome >> SIMGPU_OUTCOME_QUEUE,
		};
		*outcome |= SIMGPU_OUTCOME_READ;
		tenant->lost = 0;
		tenant->unread--;
		while (tenant->reported < tenant->settled &&
		       *simgpu_outcome(tenant, tenant->reported + 1) &
		       SIMGPU_OUTCOME_READ)
			tenant->reported++;
		found = true;
	}
	spin_unlock(&device->publish_lock);
	return found;
}

static ssize_t simgpu_tenant_read_records(struct file *file, char __user *buffer,
					  size_t count)
{
	struct simgpu_tenant *tenant = file->private_data;
	struct simgpu_completion completion;
	ssize_t copied = 0;
	int ret;

	/* A record that cannot be copied to the caller is lost, as with a pipe. */
	do {
		if (!(file->f_flags & O_NONBLOCK)) {
			ret = wait_event_interruptible_exclusive(tenant->waker.readers,
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
 * simgpu_tenant_read() - read() of a tenant's file: completions
 * @file: the file
 * @buffer: the caller's buffer
 * @count: its size
 * @position: not used
 *
 * Return: bytes read; 0 once the device has gone; a negative errno.
 */
ssize_t simgpu_tenant_read(struct file *file, char __user *buffer, size_t count,
			   loff_t *position)
{
	struct simgpu_tenant *tenant = file->private_data;
	ssize_t ret;

	if (count < sizeof(struct simgpu_completion))
		return -EINVAL;
	ret = simgpu_device_admit(tenant->device, SIMGPU_CALL_LIGHT);
	if (ret)
		return ret;
	ret = simgpu_tenant_read_records(file, buffer, count);
	/* Only one reader was woken for all records. */
	if (simgpu_tenant_readable(tenant))
		simgpu_waker_next_reader(&tenant->waker);
	return ret;
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

	poll_wait(file, &tenant->waker.watchers, wait);
	if (READ_ONCE(tenant->device->gone))
		events |= EPOLLHUP;
	spin_lock(&tenant->device->publish_lock);
	if (tenant->unread)
		events |= EPOLLIN | EPOLLRDNORM;
	spin_unlock(&tenant->device->publish_lock);
	return events;
}

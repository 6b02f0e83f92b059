// SPDX-License-Identifier: GPL-2.0
/*
 * The outcomes of a tenant's launches, and callers that wait for them: by ioctl, eventfd,
 * read() and poll(). Launches of several queues end in any order.
 */
#include <linux/eventfd.h>
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "device.h"
#include "tenant.h"
#include "tenant_outcome.h"
#include "turn.h"

/* Bits of an outcome; above them is the queue. */
#define SIMGPU_OUTCOME_ENDED	BIT(0)
#define SIMGPU_OUTCOME_CANCELED	BIT(1)
#define SIMGPU_OUTCOME_READ	BIT(2)
#define SIMGPU_OUTCOME_QUEUE	4

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

	if (number <= tenant->settled || *outcome & SIMGPU_OUTCOME_ENDED)
		return;
	*outcome = SIMGPU_OUTCOME_ENDED | queue << SIMGPU_OUTCOME_QUEUE |
		   (status ? SIMGPU_OUTCOME_CANCELED : 0);
	tenant->unread++;
	while (tenant->settled < tenant->launched &&
	       *simgpu_outcome(tenant, tenant->settled + 1) &
	       SIMGPU_OUTCOME_ENDED)
		simgpu_outcomes_advance(tenant);
}

/* The outcome of a launch: 0, -ECANCELED, -ENOENT, or -EBUSY: it has not ended. */
static int simgpu_tenant_outcome(struct simgpu_tenant *tenant, u64 sequence)
{
	struct simgpu_device *device = tenant->device;
	int ret = 0;
	u8 outcome;

	spin_lock(&device->publish_lock);
	outcome = *simgpu_outcome(tenant, sequence);
	if (!sequence || sequence > tenant->launched)
		ret = -ENOENT;
	else if (sequence > tenant->settled + SIMGPU_OUTCOMES_KEPT)
		ret = -EBUSY;
	else if (sequence <= tenant->settled &&
		 tenant->settled - sequence >= SIMGPU_OUTCOMES_KEPT)
		ret = -ENOENT;
	else if (!(outcome & SIMGPU_OUTCOME_ENDED))
		ret = -EBUSY;
	else if (outcome & SIMGPU_OUTCOME_CANCELED)
		ret = -ECANCELED;
	spin_unlock(&device->publish_lock);
	return ret;
}

/* Wake callers that wait, and signal the eventfds of launches that have ended. */
static void simgpu_tenant_signal(struct simgpu_tenant *tenant)
{
	u32 i;

	lockdep_assert_held(&tenant->device->lock);
	for (i = 0; i < SIMGPU_PENDING_MAX; i++) {
		struct simgpu_pending *pending = &tenant->pending[i];

		if (!pending->eventfd ||
		    simgpu_tenant_outcome(tenant, tenant->sequence_base +
						  pending->sequence) == -EBUSY)
			continue;
		compat_eventfd_signal(pending->eventfd);
		eventfd_ctx_put(pending->eventfd);
		pending->eventfd = NULL;
	}
	wake_up_all(&tenant->settle_wait);
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
 * @status: 0 or -ECANCELED
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
	spin_unlock(&device->publish_lock);
	simgpu_tenant_signal(tenant);
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
	/* A restart would wait for the whole time again. */
	return ret ? -EINTR : outcome;
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

	while ((*simgpu_outcome(tenant, number) &
		(SIMGPU_OUTCOME_ENDED | SIMGPU_OUTCOME_READ)) !=
	       SIMGPU_OUTCOME_ENDED)
		number++;
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
			.status = *outcome & SIMGPU_OUTCOME_CANCELED ?
				  -ECANCELED : 0,
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
	struct simgpu_completion completion;
	ssize_t copied = 0;
	int ret;

	if (count < sizeof(completion))
		return -EINVAL;
	ret = simgpu_device_admit(tenant->device, SIMGPU_CALL_LIGHT);
	if (ret)
		return ret;
	/* A record that cannot be copied to the caller is lost, as with a pipe. */
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
	if (tenant->unread)
		events |= EPOLLIN | EPOLLRDNORM;
	spin_unlock(&tenant->device->publish_lock);
	return events;
}

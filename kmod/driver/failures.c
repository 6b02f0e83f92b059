// SPDX-License-Identifier: GPL-2.0
/*
 * The last failures of a device, for people (docs/failures.md). Records are made with the
 * device's lock held, as the session reports; a work item writes the sentence in the kernel's
 * log, sends the event, and makes the coredump. trace_events.c has the tracepoints.
 */
#include <linux/devcoredump.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/seq_buf.h>
#include <linux/simgpu_trace.h>

#include "cgroups.h"
#include "failures.h"
#include "tenant.h"

/* So many failures of a device are kept, and so many steps of each: the ladder has three. */
#define SIMGPU_FAILURES_KEPT	8
#define SIMGPU_FAILURE_STEPS	4
/* Room for the text of a failure */
#define SIMGPU_FAILURE_BYTES	2048

/*
 * A tenant can have its launches fail as fast as it can make them. Of so many steps in so much
 * time people are told; the files have the others.
 */
#define SIMGPU_FAILURES_BURST	10
#define SIMGPU_FAILURES_JIFFIES	(5 * HZ)

/**
 * struct simgpu_failure_step - a step that was taken about a failure
 * @cycle: device time
 * @acted: what was done
 */
struct simgpu_failure_step {
	u64 cycle;
	struct session_acted acted;
};

/**
 * struct simgpu_failed - a failure
 * @number: its number on the device, from 1
 * @session: number of the session
 * @cycle: device time at which it was found
 * @tenant: number of the tenant; 0: the device was lost
 * @cgroup: number of the tenant's cgroup
 * @launch: the tenant's number for the launch
 * @pid: process that opened the tenant's file, in the first PID namespace
 * @command: name of that process, or of the tenant if the process has gone
 * @found: what the session reported, without names
 * @trace: name of the launch's trace
 * @kernel: name of the kernel
 * @over: the launch has ended, with @status
 * @status: as in launch_done of &struct session_hooks
 * @steps: steps that were taken
 * @told: of how many of @step people were told
 * @step: the first of them
 */
struct simgpu_failed {
	u64 number;
	u64 session;
	u64 cycle;
	u64 tenant;
	u64 cgroup;
	u64 launch;
	pid_t pid;
	char command[TASK_COMM_LEN];
	struct session_failed found;
	char trace[SIMGPU_TRACE_NAME_BYTES];
	char kernel[SIMGPU_TRACE_NAME_BYTES];
	bool over;
	int status;
	u32 steps;
	u32 told;
	struct simgpu_failure_step step[SIMGPU_FAILURE_STEPS];
};

/**
 * struct simgpu_failures - the last failures of a device
 * @device: the device
 * @work: tells people of steps
 * @rate: how often
 * @telling: what it tells; only @work uses it
 * @lock: protects what follows; a leaf, inside the device's lock or without
 * @count: failures so far
 * @at: the last of them, by their number modulo SIMGPU_FAILURES_KEPT
 */
struct simgpu_failures {
	struct simgpu_device *device;
	struct work_struct work;
	struct ratelimit_state rate;
	struct simgpu_failed telling;
	spinlock_t lock;	/* the records */
	u64 count;
	struct simgpu_failed at[SIMGPU_FAILURES_KEPT];
};

/* --- text ------------------------------------------------------------------------------- */

static const char *simgpu_failure_kind(const struct simgpu_failed *failure)
{
	return session_found_names[failure->found.kind];
}

static void simgpu_failure_who(struct seq_buf *text, const struct simgpu_failed *failure)
{
	const struct session_failed *found = &failure->found;

	seq_buf_printf(text, "tenant %llu\npid %d\ncommand %s\ncgroup %llu\n",
		       failure->tenant, failure->pid, failure->command, failure->cgroup);
	seq_buf_printf(text, "slot %u\nqueue %u\nlaunch %llu %s\n", found->slot, found->queue,
		       failure->launch, failure->trace);
	seq_buf_printf(text, "kernel %u %s\ncopy %u\nran_cycles %llu\n", found->kernel,
		       failure->kernel, found->copies, found->cycles);
	seq_buf_printf(text, "blocks %u begun %u ended %u saved %u\n", found->blocks,
		       found->blocks_begun, found->blocks_ended, found->blocks_saved);
	seq_buf_printf(text, "sms %u %016llx%016llx\n", found->sm_count, found->sms[1],
		       found->sms[0]);
}

static void simgpu_failure_steps(struct seq_buf *text, const struct simgpu_failed *failure)
{
	u32 i;

	for (i = 0; i < failure->steps; i++) {
		const struct simgpu_failure_step *step = &failure->step[i];
		const struct session_acted *acted = &step->acted;

		seq_buf_printf(text, "step %s cycle %llu cycles %llu over %u\n",
			       session_recovery_names[acted->step], step->cycle,
			       acted->cycles, acted->over);
		seq_buf_printf(text, "took sms %u blocks %u repeated %u canceled %u\n",
			       acted->sms, acted->blocks, acted->repeated,
			       acted->canceled);
		if (failure->tenant)
			seq_buf_printf(text, "strikes %u banned %u\n", acted->strikes,
				       acted->banned);
	}
	if (failure->over)
		seq_buf_printf(text, "launch_ended %s\n",
			       session_launch_ends[session_launch_status(failure->status)].name);
}

static void simgpu_failure_print(struct seq_buf *text, const struct simgpu_failed *failure)
{
	seq_buf_printf(text, "failure %llu\nkind %s\nsession %llu\ncycle %llu\n",
		       failure->number, simgpu_failure_kind(failure), failure->session,
		       failure->cycle);
	if (failure->tenant)
		simgpu_failure_who(text, failure);
	simgpu_failure_steps(text, failure);
	seq_buf_printf(text, "\n");
}

/* The number of the first failure that is kept. */
static u64 simgpu_failures_first(const struct simgpu_failures *failures)
{
	return fixed_above(failures->count, SIMGPU_FAILURES_KEPT) + 1;
}

static struct simgpu_failed *simgpu_failure_at(struct simgpu_failures *failures, u64 number)
{
	return &failures->at[number % SIMGPU_FAILURES_KEPT];
}

/**
 * simgpu_failures_text() - the last failures of a device as text, the oldest first
 * @device: the device
 * @length: set to the text's length
 *
 * Takes no lock that is held for long.
 *
 * Return: the text, which port_free() frees; empty if nothing has failed; NULL without memory.
 */
char *simgpu_failures_text(struct simgpu_device *device, size_t *length)
{
	const size_t bytes = SIMGPU_FAILURES_KEPT * SIMGPU_FAILURE_BYTES;
	/* Pairs with simgpu_failures_add(). */
	struct simgpu_failures *failures = smp_load_acquire(&device->failures);
	char *text = port_alloc(bytes);
	struct seq_buf out;
	u64 number;

	if (!text)
		return NULL;
	seq_buf_init(&out, text, bytes);
	if (failures) {
		spin_lock(&failures->lock);
		for (number = simgpu_failures_first(failures); number <= failures->count;
		     number++)
			simgpu_failure_print(&out, simgpu_failure_at(failures, number));
		spin_unlock(&failures->lock);
	}
	*length = seq_buf_used(&out);
	return text;
}

/* --- records ---------------------------------------------------------------------------- */

/* The name of the process that opened a tenant's file. */
static void simgpu_failure_command(struct simgpu_failed *failure,
				   const struct simgpu_tenant *tenant)
{
	struct task_struct *task;
	char *c;

	strscpy(failure->command, tenant->options.name, sizeof(failure->command));
	rcu_read_lock();
	task = pid_task(tenant->pid, PIDTYPE_TGID);
	if (task)
		get_task_comm(failure->command, task);
	rcu_read_unlock();
	/* A process can name itself as it likes; the log has a line for each sentence. */
	for (c = failure->command; *c; c++)
		if (!isascii(*c) || !isgraph(*c))
			*c = '?';
}

static void simgpu_failure_of(struct simgpu_failed *failure,
			      const struct simgpu_tenant *tenant,
			      const struct session_failed *failed)
{
	failure->tenant = tenant->id;
	failure->cgroup = simgpu_cgroup_id(tenant->cgroup);
	failure->launch = failed->sequence + tenant->sequence_base;
	failure->pid = pid_nr(tenant->pid);
	simgpu_failure_command(failure, tenant);
	strscpy(failure->trace, failed->trace_name, sizeof(failure->trace));
	strscpy(failure->kernel, failed->kernel_name, sizeof(failure->kernel));
}

static void simgpu_failures_failed(struct simgpu_device *device,
				   const struct session_failed *failed)
{
	struct simgpu_failures *failures = device->failures;
	struct simgpu_failed *failure;

	if (!failures)
		return;
	spin_lock(&failures->lock);
	failure = simgpu_failure_at(failures, ++failures->count);
	*failure = (struct simgpu_failed) {
		.number = failures->count,
		.session = device->sessions,
		.cycle = session_now(device->session),
		.found = *failed,
	};
	failure->found.trace_name = NULL;
	failure->found.kernel_name = NULL;
	if (failed->slot < SESSION_SLOTS_MAX && !WARN_ON_ONCE(!device->slots[failed->slot]))
		simgpu_failure_of(failure, device->slots[failed->slot], failed);
	spin_unlock(&failures->lock);
}

/* The last failure of a slot in the present session, of a launch or else a queue; or NULL */
static struct simgpu_failed *simgpu_failure_find(struct simgpu_failures *failures, u32 slot,
						 u32 queue, u64 sequence)
{
	const struct simgpu_device *device = failures->device;
	u64 first = simgpu_failures_first(failures), number;

	for (number = failures->count; number >= first; number--) {
		struct simgpu_failed *failure = simgpu_failure_at(failures, number);
		const struct session_failed *found = &failure->found;

		if (failure->session == device->sessions && found->slot == slot &&
		    (sequence ? found->sequence == sequence : found->queue == queue))
			return failure;
	}
	return NULL;
}

static void simgpu_failures_acted(struct simgpu_device *device,
				  const struct session_acted *acted)
{
	struct simgpu_failures *failures = device->failures;
	struct simgpu_failed *failure;

	if (!failures)
		return;
	spin_lock(&failures->lock);
	failure = simgpu_failure_find(failures, acted->slot, acted->queue, 0);
	if (failure && failure->steps < SIMGPU_FAILURE_STEPS) {
		failure->step[failure->steps].cycle = session_now(device->session);
		failure->step[failure->steps++].acted = *acted;
	}
	spin_unlock(&failures->lock);
	queue_work(system_unbound_wq, &failures->work);
}

static void simgpu_failures_launch_done(struct simgpu_device *device, u32 slot, u32 queue,
					u64 sequence, int status)
{
	struct simgpu_failures *failures = device->failures;
	struct simgpu_failed *failure;

	if (!failures || !failures->count)
		return;
	spin_lock(&failures->lock);
	/* One with commands may have failed in another queue than the one that is told. */
	failure = simgpu_failure_find(failures, slot, queue, sequence);
	if (failure && !failure->over) {
		failure->over = true;
		failure->status = status;
	}
	spin_unlock(&failures->lock);
}

/* Bans of a gang's session, an experiment of its maker's, end with it. */
static void simgpu_failures_banned(struct simgpu_device *device, u32 slot)
{
	if (!device->start.gang_size && !WARN_ON_ONCE(!device->slots[slot]))
		device->slots[slot]->banned = true;
}

/* --- telling people --------------------------------------------------------------------- */

/* Copies the next step of which people are to be told. */
static bool simgpu_failures_next(struct simgpu_failures *failures)
{
	u64 number;
	bool is = false;

	spin_lock(&failures->lock);
	for (number = simgpu_failures_first(failures); number <= failures->count && !is;
	     number++) {
		struct simgpu_failed *failure = simgpu_failure_at(failures, number);

		is = failure->told < failure->steps;
		failure->told += is;
		if (is)
			failures->telling = *failure;
	}
	spin_unlock(&failures->lock);
	return is;
}

static void simgpu_failure_log(const struct device *dev, const struct simgpu_failed *failure,
			       const struct session_acted *acted)
{
	const struct session_failed *found = &failure->found;
	const char *done = session_recovery_names[acted->step];

	if (!failure->tenant) {
		dev_warn(dev, "the device was lost: %s, %u launches ended\n", done,
			 acted->canceled);
		return;
	}
	dev_warn(dev, "%s: tenant %llu (pid %d, %s), queue %u, launch %llu, %skernel %u (%s): %s%s%s\n",
		 simgpu_failure_kind(failure), failure->tenant, failure->pid,
		 failure->command, found->queue, failure->launch,
		 found->copies ? "a copy by " : "", found->kernel, failure->kernel, done,
		 acted->over ? "" : ", which did not end it",
		 acted->banned ? "; the tenant is banned" : "");
}

/* The keys of the event, which docs/ABI/uevent-simgpu lists */
#define SIMGPU_EVENT_KEYS	8
#define SIMGPU_EVENT_BYTES	48

static void simgpu_failure_event(struct device *dev, const struct simgpu_failed *failure,
				 const struct session_acted *acted)
{
	char key[SIMGPU_EVENT_KEYS][SIMGPU_EVENT_BYTES];
	char *keys[SIMGPU_EVENT_KEYS + 1] = {};
	u32 i;

	for (i = 0; i < SIMGPU_EVENT_KEYS; i++)
		keys[i] = key[i];
	snprintf(key[0], sizeof(key[0]), "FAILURE=%s", simgpu_failure_kind(failure));
	snprintf(key[1], sizeof(key[1]), "RECOVERY=%s",
		 session_recovery_names[acted->step]);
	snprintf(key[2], sizeof(key[2]), "OVER=%u", acted->over);
	snprintf(key[3], sizeof(key[3]), "TENANT=%llu", failure->tenant);
	snprintf(key[4], sizeof(key[4]), "PID=%d", failure->pid);
	snprintf(key[5], sizeof(key[5]), "QUEUE=%u", failure->found.queue);
	snprintf(key[6], sizeof(key[6]), "LAUNCH=%llu", failure->launch);
	snprintf(key[7], sizeof(key[7]), "BANNED=%u", acted->banned);
	/* Without memory there is no event. */
	kobject_uevent_env(&dev->kobj, KOBJ_CHANGE, keys);
}

static ssize_t simgpu_coredump_read(char *buffer, loff_t offset, size_t count, void *data,
				    size_t bytes)
{
	return memory_read_from_buffer(buffer, count, &offset, data, bytes);
}

static void simgpu_coredump_free(void *data)
{
	port_free(data);
}

/*
 * The first coredump stays until it is deleted, or for five minutes; later ones are dropped
 * meanwhile. As it refers to the device, the module stays, too.
 */
static void simgpu_failure_dump(struct simgpu_device *device)
{
	size_t length;
	char *text;

	if (!IS_ENABLED(CONFIG_DEV_COREDUMP))
		return;
	text = simgpu_failures_text(device, &length);
	if (text)
		dev_coredumpm(&device->dev, THIS_MODULE, text, length, GFP_KERNEL,
			      simgpu_coredump_read, simgpu_coredump_free);
}

static void simgpu_failures_work(struct work_struct *work)
{
	struct simgpu_failures *failures = container_of(work, struct simgpu_failures, work);
	struct simgpu_device *device = failures->device;
	const struct simgpu_failed *failure = &failures->telling;

	while (simgpu_failures_next(failures)) {
		const struct session_acted *acted = &failure->step[failure->told - 1].acted;

		/* Nothing has happened: the policy has given it more time. */
		if (acted->step == SESSION_RECOVERY_WAITED ||
		    !__ratelimit(&failures->rate))
			continue;
		simgpu_failure_log(&device->dev, failure, acted);
		simgpu_failure_event(&device->dev, failure, acted);
		if (acted->over)
			simgpu_failure_dump(device);
	}
}

/* --- a device comes and goes ------------------------------------------------------------ */

static void simgpu_failures_add(struct simgpu_device *device)
{
	struct simgpu_failures *failures = port_alloc(sizeof(*failures));

	if (!failures)
		return;
	failures->device = device;
	INIT_WORK(&failures->work, simgpu_failures_work);
	ratelimit_state_init(&failures->rate, SIMGPU_FAILURES_JIFFIES, SIMGPU_FAILURES_BURST);
	spin_lock_init(&failures->lock);
	/* Pairs with simgpu_failures_text(): debugfs can already be read. */
	smp_store_release(&device->failures, failures);
}

/* The session has gone, so nothing fails any more. */
static void simgpu_failures_gone(struct simgpu_device *device)
{
	if (device->failures)
		cancel_work_sync(&device->failures->work);
}

static void simgpu_failures_remove(struct simgpu_device *device)
{
	port_free(device->failures);
	device->failures = NULL;
}

const struct simgpu_observer simgpu_failures_observer = {
	.add = simgpu_failures_add,
	.gone = simgpu_failures_gone,
	.remove = simgpu_failures_remove,
	.failed = simgpu_failures_failed,
	.acted = simgpu_failures_acted,
	.launch_done = simgpu_failures_launch_done,
	.banned = simgpu_failures_banned,
};

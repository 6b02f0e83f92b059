// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/simgpu/simgpuN: the journal (format: docs/journal.md), the
 * device's state hash, the tables of HSM's Figure 8, and failures. For root only;
 * reading may take the device's lock, for one look.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "../session/journal.h"
#include "debugfs.h"
#include "device.h"
#include "failures.h"
#include "inject.h"
#include "notes.h"
#include "plugins.h"
#include "turn.h"

static struct dentry *simgpu_debugfs_root;

/**
 * struct simgpu_journal - a journal as it was when its file was opened
 * @start: its first line, as text, since the policies that it names may go
 * @line: the line that is being read
 * @session: number of its session on the device
 * @cycle: device time
 * @state_hash: state hash of the device at that time
 * @lost: events that found no room
 * @count: number of events
 * @events: the events
 */
struct simgpu_journal {
	char start[JOURNAL_LINE_BYTES];
	char line[JOURNAL_LINE_BYTES];
	u64 session;
	u64 cycle;
	u64 state_hash;
	u64 lost;
	u32 count;
	struct journal_event *events;
};

/* Events that are copied at a time, so that other calls need not wait long for the lock. */
#define SIMGPU_JOURNAL_COPY	1024U
/* How often a reader starts again because another session has begun. */
#define SIMGPU_JOURNAL_TRIES	8

/* Copy all but the events; the events up to now do not change any more. */
static int simgpu_journal_begin(struct simgpu_device *device,
				struct simgpu_journal *journal)
{
	const struct simgpu_ending *ending = &device->ending;
	int ret = simgpu_device_lock(device);

	if (ret)
		return ret;
	journal_print_start(journal->start, &device->start,
			    device->start_constants);
	journal->session = device->sessions;
	if (ending->over) {
		journal->count = ending->journal_events;
		journal->lost = ending->journal_lost;
		journal->cycle = ending->cycle;
		journal->state_hash = ending->state_hash;
	} else {
		journal->count = session_journal_count(device->session,
						       &journal->lost);
		journal->cycle = session_now(device->session);
		journal->state_hash = session_state_hash(device->session);
	}
	simgpu_device_unlock(device);
	return 0;
}

static int simgpu_journal_copy(struct simgpu_device *device,
			       struct simgpu_journal *journal)
{
	u32 done = 0;
	int ret = 0;

	while (!ret && done < journal->count) {
		ret = simgpu_device_lock(device);
		if (ret)
			break;
		if (device->sessions != journal->session)
			ret = -EAGAIN;
		else
			done += session_journal_read(device->session, done,
						     journal->events + done,
						     min(journal->count - done,
							 SIMGPU_JOURNAL_COPY));
		simgpu_device_unlock(device);
		cond_resched();
	}
	return ret;
}

static int simgpu_journal_take(struct simgpu_device *device,
			       struct simgpu_journal *journal)
{
	int ret = simgpu_journal_begin(device, journal);

	if (ret)
		return ret;
	port_free(journal->events);
	journal->events = port_alloc(array_size(max(journal->count, 1U),
						sizeof(*journal->events)));
	return journal->events ? simgpu_journal_copy(device, journal) : -ENOMEM;
}

static void simgpu_journal_free(struct simgpu_journal *journal)
{
	port_free(journal->events);
	port_free(journal);
}

/* Line 0 is the start, then comes an event a line, then the end. */
static void *simgpu_journal_seq_start(struct seq_file *seq, loff_t *position)
{
	const struct simgpu_journal *journal = seq->private;

	return *position < journal->count + 2ULL ? position : NULL;
}

static void *simgpu_journal_seq_next(struct seq_file *seq, void *item,
				     loff_t *position)
{
	++*position;
	return simgpu_journal_seq_start(seq, position);
}

static void simgpu_journal_seq_stop(struct seq_file *seq, void *item)
{
}

static int simgpu_journal_seq_show(struct seq_file *seq, void *item)
{
	struct simgpu_journal *journal = seq->private;
	u64 line = *(loff_t *)item;

	if (!line) {
		seq_puts(seq, journal->start);
		return 0;
	}
	if (line <= journal->count) {
		journal_print_event(journal->line, &journal->events[line - 1]);
		seq_puts(seq, journal->line);
		return 0;
	}
	if (journal->lost) {
		journal_print_lost(journal->line, journal->cycle,
				   journal->lost);
		seq_puts(seq, journal->line);
	}
	journal_print_end(journal->line, journal->cycle, journal->state_hash);
	seq_puts(seq, journal->line);
	return 0;
}

static const struct seq_operations simgpu_journal_seq_ops = {
	.start = simgpu_journal_seq_start,
	.next = simgpu_journal_seq_next,
	.stop = simgpu_journal_seq_stop,
	.show = simgpu_journal_seq_show,
};

static int simgpu_journal_open(struct inode *inode, struct file *file)
{
	struct simgpu_device *device = inode->i_private;
	struct simgpu_journal *journal;
	int ret, tries = 0;

	journal = port_alloc(sizeof(*journal));
	if (!journal)
		return -ENOMEM;
	do {
		ret = simgpu_journal_take(device, journal);
	} while (ret == -EAGAIN && ++tries < SIMGPU_JOURNAL_TRIES);
	ret = ret ?: seq_open(file, &simgpu_journal_seq_ops);
	if (ret)
		simgpu_journal_free(journal);
	else
		((struct seq_file *)file->private_data)->private = journal;
	return ret;
}

static int simgpu_journal_release(struct inode *inode, struct file *file)
{
	simgpu_journal_free(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

static const struct file_operations simgpu_journal_fops = {
	.owner = THIS_MODULE,
	.open = simgpu_journal_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = simgpu_journal_release,
};

static int simgpu_state_hash_show(struct seq_file *seq, void *item)
{
	struct simgpu_device *device = seq->private;
	u64 hash;
	int ret;

	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	hash = device->ending.over ? device->ending.state_hash :
	       session_state_hash(device->session);
	simgpu_device_unlock(device);
	seq_printf(seq, "0x%016llx\n", hash);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(simgpu_state_hash);

static void simgpu_seq_slot(struct seq_file *seq, u32 slot)
{
	if (slot == GPU_NO_TENANT)
		seq_puts(seq, " -");
	else if (slot == GPU_SHARED)
		seq_puts(seq, " shared");
	else
		seq_printf(seq, " %u", slot);
}

static const char *simgpu_sm_state_name(enum gpu_sm_state state)
{
	switch (state) {
	case GPU_SM_RESTORING:
		return "restoring";
	case GPU_SM_DRAINING:
		return "draining";
	case GPU_SM_SAVING:
		return "saving";
	default:
		return "running";
	}
}

/* Tenants that may have thread blocks on a shared SM: slot:blocks/what is left of its quota. */
static void simgpu_seq_sharers(struct seq_file *seq, struct simgpu_device *device,
			       u32 sm)
{
	const struct gpu *gpu = session_gpu(device->session);
	struct gpu_sm_tenant row;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!device->slots[slot])
			continue;
		gpu_sm_tenant(gpu, sm, slot, &row);
		if (!row.block_limit)
			continue;
		seq_printf(seq, " %u:%u/", slot, row.blocks);
		if (row.quota_left == GPU_NO_QUOTA)
			seq_puts(seq, "-");
		else
			seq_printf(seq, "%lld", row.quota_left);
	}
}

static int simgpu_ssrt_show(struct seq_file *seq, void *item)
{
	struct simgpu_device *device = seq->private;
	struct gpu_sm_status status;
	u32 sm;
	int ret;

	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	seq_puts(seq, "sm owner next_owner blocks state sharers\n");
	for (sm = 0; sm < device->start.config.sms; sm++) {
		gpu_sm_status(session_gpu(device->session), sm, &status);
		seq_printf(seq, "%u", sm);
		simgpu_seq_slot(seq, status.owner);
		simgpu_seq_slot(seq, status.next_owner);
		seq_printf(seq, " %u %s", status.blocks,
			   simgpu_sm_state_name(status.state));
		if (status.owner == GPU_SHARED)
			simgpu_seq_sharers(seq, device, sm);
		seq_putc(seq, '\n');
	}
	simgpu_device_unlock(device);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(simgpu_ssrt);

/* A queue with work: its kernel, or, if that has not started, the one before. */
static void simgpu_ksrt_row(struct seq_file *seq,
			    const struct simgpu_device *device, u32 slot,
			    u32 queue, const struct session_queue_report *report)
{
	struct gpu_kernel_status status;

	if (report->state < SESSION_QUEUE_READY)
		return;
	gpu_queue_status(session_gpu(device->session), slot, queue, &status);
	seq_printf(seq, "%u %u %u %u %u %u %u\n", slot, status.kernel,
		   status.blocks, status.blocks_issued, status.blocks_finished,
		   status.blocks_preempted, queue);
}

static int simgpu_ksrt_show(struct seq_file *seq, void *item)
{
	struct simgpu_device *device = seq->private;
	struct session_tenant_report report;
	u32 slot, queue;
	int ret;

	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	seq_puts(seq, "slot kernel blocks blocks_issued blocks_finished blocks_preempted queue\n");
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		/* The table points into traces, which are valid while they run. */
		session_tenant_report(device->session, slot, &report);
		if (!report.active)
			continue;
		for (queue = 0; queue < report.queue_count; queue++)
			simgpu_ksrt_row(seq, device, slot, queue,
					&report.queue[queue]);
	}
	simgpu_device_unlock(device);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(simgpu_ksrt);

static int simgpu_queues_show(struct seq_file *seq, void *item)
{
	struct simgpu_device *device = seq->private;
	struct gpu_channel_status status;
	u32 channel;
	int ret;

	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	seq_puts(seq, "channel reads writes arriving slice_requests slice_waiting\n");
	for (channel = 0; channel < device->start.config.channels; channel++) {
		gpu_channel_status(session_gpu(device->session), channel,
				   &status);
		seq_printf(seq, "%u %u %u %u %u %u\n", channel, status.reads,
			   status.writes, status.arriving,
			   status.slice_requests, status.slice_waiting);
	}
	simgpu_device_unlock(device);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(simgpu_queues);

/* State of the worker; takes no lock. */
static int simgpu_worker_show(struct seq_file *seq, void *item)
{
	const struct simgpu_device *device = seq->private;

	seq_printf(seq, "quanta %llu\nran_ns %llu\nlongest_ns %llu\n",
		   READ_ONCE(device->quanta), READ_ONCE(device->ran_ns),
		   READ_ONCE(device->longest_ns));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(simgpu_worker);

/* Calls of the policy so far, and their host time. */
static int simgpu_decisions_show(struct seq_file *seq, void *item)
{
	struct simgpu_device *device = seq->private;
	const struct simgpu_decisions *decisions = &device->decisions;
	int ret;

	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	seq_printf(seq, "policy %s\ncalls %llu\nns %llu\nlongest_ns %llu\n",
		   device->policy->name, decisions->calls, decisions->ns,
		   decisions->longest_ns);
	seq_printf(seq, "refused %llu %s\n", device->refusals.count,
		   device->refusals.policy);
	simgpu_device_unlock(device);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(simgpu_decisions);

/* Calls of the model so far, and their host time. */
static int simgpu_predictions_show(struct seq_file *seq, void *item)
{
	struct simgpu_device *device = seq->private;
	const struct simgpu_decisions *predictions = &device->predictions;
	int ret;

	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	seq_printf(seq, "model %s\ncalls %llu\nns %llu\nlongest_ns %llu\n",
		   device->model->name, predictions->calls, predictions->ns,
		   predictions->longest_ns);
	simgpu_device_unlock(device);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(simgpu_predictions);

/* Calls of the memory policy so far, and their host time. */
static int simgpu_placements_show(struct seq_file *seq, void *item)
{
	struct simgpu_device *device = seq->private;
	const struct simgpu_decisions *placements = &device->placements;
	const struct simgpu_decisions *ranks = &device->ranks;
	int ret;

	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	seq_printf(seq, "memory_policy %s\ncalls %llu\nns %llu\nlongest_ns %llu\n",
		   device->memory_policy->name, placements->calls, placements->ns,
		   placements->longest_ns);
	seq_printf(seq, "ranks %llu\nranks_ns %llu\nranks_longest_ns %llu\n",
		   ranks->calls, ranks->ns, ranks->longest_ns);
	simgpu_device_unlock(device);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(simgpu_placements);

/* The last failures. */
static int simgpu_failure_show(struct seq_file *seq, void *item)
{
	size_t length;
	char *text = simgpu_failures_text(seq->private, &length);

	if (!text)
		return -ENOMEM;
	seq_write(seq, text, length);
	port_free(text);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(simgpu_failure);

/* The last notes of the policy. */
static int simgpu_notes_show(struct seq_file *seq, void *item)
{
	return simgpu_notes_print(seq->private, seq);
}
DEFINE_SHOW_ATTRIBUTE(simgpu_notes);

/* The policies that are not built in. */
static int simgpu_policies_show(struct seq_file *seq, void *unused)
{
	simgpu_plugins_describe(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(simgpu_policies);

/**
 * simgpu_debugfs_init() - make the module's directory
 */
void simgpu_debugfs_init(void)
{
	simgpu_debugfs_root = debugfs_create_dir("simgpu", NULL);
	debugfs_create_file("policies", 0400, simgpu_debugfs_root, NULL,
			    &simgpu_policies_fops);
}

/**
 * simgpu_debugfs_exit() - remove the module's directory
 */
void simgpu_debugfs_exit(void)
{
	debugfs_remove(simgpu_debugfs_root);
}

/* Makes a device's files; if debugfs fails, they are just missing. */
static void simgpu_debugfs_add(struct simgpu_device *device)
{
	struct dentry *dir = debugfs_create_dir(dev_name(&device->dev),
						simgpu_debugfs_root);

	debugfs_create_file("journal", 0400, dir, device, &simgpu_journal_fops);
	debugfs_create_file("state_hash", 0400, dir, device,
			    &simgpu_state_hash_fops);
	debugfs_create_file("ssrt", 0400, dir, device, &simgpu_ssrt_fops);
	debugfs_create_file("ksrt", 0400, dir, device, &simgpu_ksrt_fops);
	debugfs_create_file("queues", 0400, dir, device, &simgpu_queues_fops);
	debugfs_create_file("worker", 0400, dir, device, &simgpu_worker_fops);
	debugfs_create_file("decisions", 0400, dir, device,
			    &simgpu_decisions_fops);
	debugfs_create_file("predictions", 0400, dir, device,
			    &simgpu_predictions_fops);
	debugfs_create_file("placements", 0400, dir, device,
			    &simgpu_placements_fops);
	debugfs_create_file("inject", 0600, dir, device, &simgpu_inject_fops);
	debugfs_create_file("failure", 0400, dir, device, &simgpu_failure_fops);
	debugfs_create_file("notes", 0400, dir, device, &simgpu_notes_fops);
	device->debugfs = dir;
}

/* Removes the files. The device's lock must not be held, since a reader may wait for it. */
static void simgpu_debugfs_remove(struct simgpu_device *device)
{
	debugfs_remove(device->debugfs);
}

const struct simgpu_observer simgpu_debugfs_observer = {
	.add = simgpu_debugfs_add,
	.remove = simgpu_debugfs_remove,
};

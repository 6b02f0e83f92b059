// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/simgpu/simgpuN/inject: failures for the session that runs. A write adds
 * injections, one a line, in the words of --inject (docs/failures.md); "none" forgets all
 * before it. All lines count, or none. A read shows each injection, and how often it has struck.
 */
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "device.h"
#include "inject.h"
#include "journal_room.h"
#include "turn.h"

/* Lines of a write: as many as a session can have, behind one that forgets those before */
#define SIMGPU_INJECT_LINES	(SESSION_INJECTIONS_MAX + 1)
#define SIMGPU_INJECT_BYTES	(SIMGPU_INJECT_LINES * SESSION_INJECTION_BYTES)

static int simgpu_inject_show(struct seq_file *seq, void *item)
{
	struct simgpu_device *device = seq->private;
	struct session_injected *list;
	char text[SESSION_INJECTION_BYTES];
	u32 count, i;
	int ret;

	list = kcalloc(SESSION_INJECTIONS_MAX, sizeof(*list), GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	ret = simgpu_device_lock(device);
	if (ret)
		goto out;
	count = session_injections(device->session, list);
	simgpu_device_unlock(device);
	for (i = 0; i < count; i++) {
		session_injection_print(&list[i].is, text);
		seq_printf(seq, "%s passed %llu struck %llu\n", text, list[i].passed,
			   list[i].struck);
	}
out:
	kfree(list);
	return ret;
}

static int simgpu_inject_refuse(struct simgpu_device *device, u32 line, const char *why)
{
	dev_notice(&device->dev, "inject, line %u: %s\n", line, why);
	return -EINVAL;
}

/* Reads a line unless it is empty. */
static int simgpu_inject_line(struct simgpu_device *device, const char *text,
			      struct session_injection *list, u32 *count)
{
	char why[SESSION_INJECTION_BYTES];

	if (!*text)
		return 0;
	if (*count == SIMGPU_INJECT_LINES)
		return -ENOSPC;
	/* All of it is 0 then. */
	if (!strcmp(text, session_failure_names[SESSION_FAILURE_NONE])) {
		++*count;
		return 0;
	}
	if (session_injection_parse(text, &list[*count], why))
		return simgpu_inject_refuse(device, *count + 1, why);
	++*count;
	return 0;
}

/* Has the device's own session if a gang has left one behind, as a launch has. */
static int simgpu_inject_all(struct simgpu_device *device,
			     const struct session_injection *list, u32 count)
{
	int ret = simgpu_device_lock_to_note(device);

	if (ret)
		return ret;
	if (simgpu_device_is_stale(device))
		ret = -ESTALE;
	else
		ret = session_inject_all(device->session, list, count);
	simgpu_device_unlock(device);
	return ret;
}

static int simgpu_inject(struct simgpu_device *device, char *text)
{
	struct session_injection *list;
	char *line;
	u32 count = 0;
	int ret = 0;

	list = kcalloc(SIMGPU_INJECT_LINES, sizeof(*list), GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	while (!ret && (line = strsep(&text, "\n")))
		ret = simgpu_inject_line(device, strim(line), list, &count);
	while (!ret) {
		ret = simgpu_inject_all(device, list, count);
		if (ret != -ESTALE)
			break;
		ret = simgpu_device_renew(device);
	}
	kfree(list);
	return ret;
}

static ssize_t simgpu_inject_write(struct file *file, const char __user *data, size_t bytes,
				   loff_t *position)
{
	struct simgpu_device *device = ((struct seq_file *)file->private_data)->private;
	char *text;
	int ret;

	if (bytes > SIMGPU_INJECT_BYTES)
		return -E2BIG;
	text = memdup_user_nul(data, bytes);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = simgpu_inject(device, text);
	kfree(text);
	return ret ?: bytes;
}

static int simgpu_inject_open(struct inode *inode, struct file *file)
{
	return single_open(file, simgpu_inject_show, inode->i_private);
}

const struct file_operations simgpu_inject_fops = {
	.owner = THIS_MODULE,
	.open = simgpu_inject_open,
	.read = seq_read,
	.write = simgpu_inject_write,
	.llseek = seq_lseek,
	.release = single_release,
};

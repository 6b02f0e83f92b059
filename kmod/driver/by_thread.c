// SPDX-License-Identifier: GPL-2.0
/*
 * What a thread of the kernel does for a caller. A caller may be stopped inside the
 * driver when its cgroup has used up its cpu.max: anywhere in a kernel that preempts
 * everywhere, and where it sleeps in others. Others would wait for what it holds there
 * until it may run again. A thread of the kernel is never stopped so.
 */
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/workqueue.h>

#include "by_thread.h"

/**
 * struct simgpu_deed - what a thread does for a caller
 * @work: in the queue
 * @function: what is to be done
 * @arg: its argument
 * @cred: the caller's rights
 * @done: it has been done
 * @ret: the result
 */
struct simgpu_deed {
	struct work_struct work;
	int (*function)(void *arg);
	void *arg;
	const struct cred *cred;
	struct completion done;
	int ret;
};

static void simgpu_deed_work(struct work_struct *work)
{
	struct simgpu_deed *deed = container_of(work, struct simgpu_deed, work);
	const struct cred *before = override_creds(deed->cred);

	deed->ret = deed->function(deed->arg);
	revert_creds(before);
	complete(&deed->done);
}

/**
 * simgpu_by_thread() - have a thread of the kernel call a function, and wait for its end
 * @queue: where the thread takes its work from
 * @function: called with the caller's rights, but without its memory, and charged to none
 *	of its cgroups
 * @arg: the function's argument, which may be on the caller's stack
 *
 * The caller waits for a completion, not in flush_work(), where it would be stopped
 * inside of an RCU read section. It ignores signals.
 *
 * Return: what the function returns.
 */
int simgpu_by_thread(struct workqueue_struct *queue, int (*function)(void *arg),
		     void *arg)
{
	struct simgpu_deed deed = {
		.function = function,
		.arg = arg,
		.cred = current_cred(),
	};

	init_completion(&deed.done);
	INIT_WORK_ONSTACK(&deed.work, simgpu_deed_work);
	queue_work(queue, &deed.work);
	wait_for_completion(&deed.done);
	destroy_work_on_stack(&deed.work);
	return deed.ret;
}

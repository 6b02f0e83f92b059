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
 * struct simgpu_thread_call - a function that a thread calls for a caller
 * @work: in the queue
 * @function: the function
 * @arg: its argument
 * @cred: the caller's rights
 * @done: the function has returned
 * @ret: what it returned
 */
struct simgpu_thread_call {
	struct work_struct work;
	int (*function)(void *arg);
	void *arg;
	const struct cred *cred;
	struct completion done;
	int ret;
};

static void simgpu_thread_work(struct work_struct *work)
{
	struct simgpu_thread_call *call = container_of(work, struct simgpu_thread_call, work);
	const struct cred *before = override_creds(call->cred);

	call->ret = call->function(call->arg);
	revert_creds(before);
	complete(&call->done);
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
	struct simgpu_thread_call call = {
		.function = function,
		.arg = arg,
		.cred = current_cred(),
	};

	init_completion(&call.done);
	INIT_WORK_ONSTACK(&call.work, simgpu_thread_work);
	queue_work(queue, &call.work);
	wait_for_completion(&call.done);
	destroy_work_on_stack(&call.work);
	return call.ret;
}

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_BY_THREAD_H
#define SIMGPU_BY_THREAD_H

struct workqueue_struct;

int simgpu_by_thread(struct workqueue_struct *queue, int (*function)(void *arg),
		     void *arg);

#endif /* SIMGPU_BY_THREAD_H */

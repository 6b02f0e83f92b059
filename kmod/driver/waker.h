/* SPDX-License-Identifier: GPL-2.0 */
/* Waking callers that wait for a file: outside locks, and of each user within a share. */
#ifndef SIMGPU_WAKER_H
#define SIMGPU_WAKER_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

/**
 * struct simgpu_wakers - the files of a user for which somebody is to be woken
 * @lock: protects @due, and of each waker what its struct says; a leaf
 * @due: wakers that are due, in the order of their turns
 * @turn: held while callers are woken; outside @lock
 * @free_ns: host time from which on callers are woken again; under @turn
 * @work: wakes them
 */
struct simgpu_wakers {
	spinlock_t lock;	/* which wakers are due */
	struct list_head due;
	struct mutex turn;	/* one waker wakes */
	u64 free_ns;
	struct delayed_work work;
};

/**
 * struct simgpu_waker - callers that wait for a file
 * @wakers: those of the user who pays; outlives it
 * @link: in the user's list while it is due; wakers' lock
 * @again: became due since the present round began; wakers' lock
 * @ended: nobody waits any more; wakers' lock
 * @walking: a round is under way, and @bookmark is in @watchers; wakers' turn
 * @bookmark: before the next one to be woken
 * @watchers: poll(), and callers with a function of their own that says whether their
 *	condition holds. A round wakes each of them that was there when it began
 * @readers: callers of read(), which wait exclusively. A round wakes one; a reader that
 *	leaves something to read wakes the next one by simgpu_waker_next_reader()
 * @first: NULL, or does one thing at the beginning of a turn, and returns whether there is
 *	more to do
 */
struct simgpu_waker {
	struct simgpu_wakers *wakers;
	struct list_head link;
	bool again;
	bool ended;
	bool walking;
	wait_queue_entry_t bookmark;
	wait_queue_head_t watchers;
	wait_queue_head_t readers;
	bool (*first)(struct simgpu_waker *waker);
};

int simgpu_waker_start(void);
void simgpu_waker_stop(void);
void simgpu_wakers_init(struct simgpu_wakers *wakers);
void simgpu_wakers_end(struct simgpu_wakers *wakers);
void simgpu_waker_init(struct simgpu_waker *waker, struct simgpu_wakers *wakers,
		       bool (*first)(struct simgpu_waker *waker));
void simgpu_waker_due(struct simgpu_waker *waker);
void simgpu_waker_next_reader(struct simgpu_waker *waker);
void simgpu_waker_end(struct simgpu_waker *waker);

#endif /* SIMGPU_WAKER_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Waking callers that wait for a file. How many wait is up to a tenant, and each may have
 * any number of watchers behind it. So nobody is woken where an event happens, with the
 * device's lock held: there a waker only becomes due. A work item of the user wakes
 * a few callers at a time, and then rests for a multiple of the time that this took. So all
 * files of a user together cost other users no more than a share of one processor. A
 * user who stays below the share is woken at once.
 */
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "waker.h"

/* To wake callers may take one part of this many of a user's time: 5%. */
#define SIMGPU_WAKE_REST		20
/* Time that a user has not used, and may use at once: a half millisecond of waking. */
#define SIMGPU_WAKE_BURST_NS		(10 * NSEC_PER_MSEC)
/* A host that was suspended meanwhile did not wake callers for so long. */
#define SIMGPU_WAKE_TOOK_NS_MAX		(100 * NSEC_PER_MSEC)
/* Callers that are woken, or asked, with interrupts off. */
#define SIMGPU_WAKE_BATCH		32

static struct workqueue_struct *simgpu_wake_queue;

/* Not called: entries are told apart by their address. */
static int simgpu_bookmark_wake(struct wait_queue_entry *entry, unsigned int mode,
				int flags, void *key)
{
	return 0;
}

/* The first watcher of this turn, or the list's head; the bookmark is taken away. */
static struct list_head *simgpu_round_next(struct simgpu_waker *waker)
{
	struct list_head *next = waker->watchers.head.next;

	lockdep_assert_held(&waker->watchers.lock);
	if (waker->walking) {
		next = waker->bookmark.entry.next;
		list_del(&waker->bookmark.entry);
	}
	return next;
}

/*
 * Wakes some watchers from where the last turn stopped. Who comes while a round is under
 * way stands before its place in the list, and has seen what the round is about.
 */
static bool simgpu_waker_walk(struct simgpu_waker *waker)
{
	struct wait_queue_head *head = &waker->watchers;
	struct list_head *at, *next;
	unsigned int left = SIMGPU_WAKE_BATCH;

	spin_lock_irq(&head->lock);
	for (at = simgpu_round_next(waker); at != &head->head && left--; at = next) {
		wait_queue_entry_t *entry = list_entry(at, wait_queue_entry_t, entry);

		/* It may take itself off the list. */
		next = at->next;
		entry->func(entry, TASK_NORMAL, 0, NULL);
	}
	waker->walking = at != &head->head;
	if (waker->walking)
		list_add_tail(&waker->bookmark.entry, at);
	spin_unlock_irq(&head->lock);
	return waker->walking;
}

/* Takes the waker off the list of those that are due if it has nothing more to do. */
static void simgpu_waker_done(struct simgpu_waker *waker, bool more)
{
	struct simgpu_wakers *wakers = waker->wakers;

	spin_lock(&wakers->lock);
	if (more || waker->again)
		list_move_tail(&waker->link, &wakers->due);
	else
		list_del_init(&waker->link);
	spin_unlock(&wakers->lock);
}

/* The waker whose turn it is; NULL if none is due. */
static struct simgpu_waker *simgpu_wakers_next(struct simgpu_wakers *wakers)
{
	struct simgpu_waker *waker;

	spin_lock(&wakers->lock);
	waker = list_first_entry_or_null(&wakers->due, struct simgpu_waker, link);
	/* What happens from now on is for the next round, if this one begins here. */
	if (waker && !waker->walking)
		waker->again = false;
	spin_unlock(&wakers->lock);
	return waker;
}

/* A turn of a waker that is due; false if none is. */
static bool simgpu_wakers_turn(struct simgpu_wakers *wakers)
{
	struct simgpu_waker *waker = simgpu_wakers_next(wakers);
	bool more;

	lockdep_assert_held(&wakers->turn);
	if (!waker)
		return false;
	more = waker->first && waker->first(waker);
	if (!waker->walking)
		wake_up_interruptible(&waker->readers);
	more |= simgpu_waker_walk(waker);
	simgpu_waker_done(waker, more);
	return true;
}

/* How long until callers may be woken again, in jiffies; 0: now. */
static unsigned long simgpu_wakers_rest(struct simgpu_wakers *wakers, u64 now_ns)
{
	if (now_ns >= wakers->free_ns)
		return 0;
	return nsecs_to_jiffies(wakers->free_ns - now_ns) + 1;
}

/* Callers have been woken since @start_ns. */
static void simgpu_wakers_took(struct simgpu_wakers *wakers, u64 start_ns)
{
	u64 took_ns = min_t(u64, ktime_get_ns() - start_ns, SIMGPU_WAKE_TOOK_NS_MAX);

	lockdep_assert_held(&wakers->turn);
	wakers->free_ns = max(wakers->free_ns, start_ns - SIMGPU_WAKE_BURST_NS) +
			  SIMGPU_WAKE_REST * took_ns;
}

static void simgpu_wakers_work(struct work_struct *work)
{
	struct simgpu_wakers *wakers = container_of(to_delayed_work(work),
						    struct simgpu_wakers, work);
	unsigned long rest = 0;
	bool any = true;
	u64 start_ns;

	mutex_lock(&wakers->turn);
	while (any) {
		start_ns = ktime_get_ns();
		rest = simgpu_wakers_rest(wakers, start_ns);
		if (rest)
			break;
		any = simgpu_wakers_turn(wakers);
		simgpu_wakers_took(wakers, start_ns);
		cond_resched();
	}
	mutex_unlock(&wakers->turn);
	if (any)
		queue_delayed_work(simgpu_wake_queue, &wakers->work, rest);
}

/**
 * simgpu_waker_due() - wake the callers that wait for a file
 * @waker: the file's; it may have ended
 *
 * Each caller that waits now is woken, or told by its function, some time after this
 * call, which takes no lock for long. Many calls may come to one waking.
 */
void simgpu_waker_due(struct simgpu_waker *waker)
{
	struct simgpu_wakers *wakers = waker->wakers;
	bool ended;

	spin_lock(&wakers->lock);
	ended = waker->ended;
	waker->again = !ended;
	if (!ended && list_empty(&waker->link))
		list_add_tail(&waker->link, &wakers->due);
	spin_unlock(&wakers->lock);
	/* Not sooner, if it waits for the end of a rest. */
	if (!ended)
		queue_delayed_work(simgpu_wake_queue, &wakers->work, 0);
}

/**
 * simgpu_waker_next_reader() - a reader leaves something for another one
 * @waker: the waker of the file that was read
 */
void simgpu_waker_next_reader(struct simgpu_waker *waker)
{
	/* Pairs with the barrier of readers that begin to sleep. */
	if (wq_has_sleeper(&waker->readers))
		wake_up_interruptible(&waker->readers);
}

/**
 * simgpu_waker_init() - prepare the waker of a file
 * @waker: the waker
 * @wakers: those of the user who pays for it
 * @first: see &struct simgpu_waker; NULL: nothing comes first
 */
void simgpu_waker_init(struct simgpu_waker *waker, struct simgpu_wakers *wakers,
		       bool (*first)(struct simgpu_waker *waker))
{
	waker->wakers = wakers;
	waker->first = first;
	INIT_LIST_HEAD(&waker->link);
	init_waitqueue_head(&waker->watchers);
	init_waitqueue_head(&waker->readers);
	init_waitqueue_func_entry(&waker->bookmark, simgpu_bookmark_wake);
}

/**
 * simgpu_waker_end() - a file is being closed: nobody waits for it any more
 * @waker: its waker, which wakes nobody from now on, and may be freed
 *
 * Waits for a turn of the user that is under way. No lock is held.
 */
void simgpu_waker_end(struct simgpu_waker *waker)
{
	struct simgpu_wakers *wakers = waker->wakers;

	mutex_lock(&wakers->turn);
	spin_lock(&wakers->lock);
	waker->ended = true;
	list_del_init(&waker->link);
	spin_unlock(&wakers->lock);
	mutex_unlock(&wakers->turn);
}

/**
 * simgpu_wakers_init() - prepare the wakers of a user
 * @wakers: the wakers
 */
void simgpu_wakers_init(struct simgpu_wakers *wakers)
{
	spin_lock_init(&wakers->lock);
	INIT_LIST_HEAD(&wakers->due);
	mutex_init(&wakers->turn);
	INIT_DELAYED_WORK(&wakers->work, simgpu_wakers_work);
}

/**
 * simgpu_wakers_end() - a user has no file any more
 * @wakers: the wakers of the user, each of which has ended
 */
void simgpu_wakers_end(struct simgpu_wakers *wakers)
{
	cancel_delayed_work_sync(&wakers->work);
	mutex_destroy(&wakers->turn);
}

/**
 * simgpu_waker_start() - the module begins
 *
 * Return: 0 or -ENOMEM.
 */
int __init simgpu_waker_start(void)
{
	simgpu_wake_queue = alloc_workqueue("simgpu_wake", WQ_UNBOUND, 0);
	return simgpu_wake_queue ? 0 : -ENOMEM;
}

/**
 * simgpu_waker_stop() - the module ends; all files are closed
 */
void simgpu_waker_stop(void)
{
	destroy_workqueue(simgpu_wake_queue);
}

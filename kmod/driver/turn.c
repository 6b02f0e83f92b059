// SPDX-License-Identifier: GPL-2.0
/*
 * Turns on a device: how its lock passes between the worker and callers, and how many
 * calls there may be while the worker wants a processor.
 */
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "by_thread.h"
#include "device.h"
#include "rights.h"
#include "turn.h"

/*
 * Most calls of all callers on a device between two ends of its quanta. Further calls
 * wait for the next end, where that many may go on. Answers of calls are
 * published then and do not change before. The worker has the lowest priority:
 * without this limit, a few processes that only make calls would keep it from running.
 * Each kind waits on its own: light calls do not wait behind uploads.
 */
static const unsigned int simgpu_calls_each_quantum[SIMGPU_CALL_KINDS] = {
	[SIMGPU_CALL_LIGHT] = 8,
	[SIMGPU_CALL_HEAVY] = 2,
};

/*
 * Processors differ in how much of their time a call takes beside a quantum. If the
 * worker had less than the one part of a processor, in percent, fewer calls are let
 * through; if it had more than the other, more. It must have two thirds.
 */
#define SIMGPU_PERCENT_TOO_LITTLE	80
#define SIMGPU_PERCENT_ENOUGH		90
/* Host time over which its part is counted: several of the scheduler's ticks. */
#define SIMGPU_LEFT_NS			(32 * NSEC_PER_MSEC)

/*
 * How long a call waits for a quantum to end: the worker may have no processor. While
 * quanta end it looks less and less often: hundreds of calls that wait would take a
 * processor only to look.
 */
#define SIMGPU_ADMIT_JIFFIES		msecs_to_jiffies(20)
#define SIMGPU_ADMIT_JIFFIES_MAX	msecs_to_jiffies(640)

/*
 * So many users have a call go on at each quantum's end, however few calls are let through:
 * a user with hundreds of callers keeps its own calls waiting, and not those of others.
 */
static const unsigned int simgpu_users_each_quantum[SIMGPU_CALL_KINDS] = {
	[SIMGPU_CALL_LIGHT] = 2,
	[SIMGPU_CALL_HEAVY] = 1,
};

/*
 * How long the worker waits for callers that have asked for the lock, which may have no
 * processor either: this part of the quantum that has just ended. It is less than half, so
 * that they cost the worker less than a third.
 */
#define SIMGPU_TURN_PART(_quantum_ns)	((_quantum_ns) * 2 / 5)

/*
 * The priority that the worker is lent while a caller waits for its quantum to
 * end: with the lowest priority it might hardly run beside busy processes. Few
 * administrators would choose this value, so a priority that an administrator has set in
 * the meantime can be told apart, and stays.
 */
#define SIMGPU_LENT_NICE		(-1)

/**
 * simgpu_turn_init() - prepare turns on a device
 * @device: a device that is being made
 */
void simgpu_turn_init(struct simgpu_device *device)
{
	u32 kind, line;

	for (kind = 0; kind < SIMGPU_CALL_KINDS; kind++) {
		device->calls[kind].limit = simgpu_calls_each_quantum[kind];
		for (line = 0; line < SIMGPU_CALL_LINES; line++)
			init_waitqueue_head(&device->calls[kind].lines[line]);
	}
	init_waitqueue_head(&device->turn_wait);
	spin_lock_init(&device->lend_lock);
}

static void simgpu_turn_lend(struct simgpu_device *device)
{
	int nice;

	if (!READ_ONCE(device->stepping))
		return;
	spin_lock(&device->lend_lock);
	nice = task_nice(device->worker);
	if (!device->lent && nice > SIMGPU_LENT_NICE) {
		device->lent = true;
		device->own_nice = nice;
		set_user_nice(device->worker, SIMGPU_LENT_NICE);
	}
	spin_unlock(&device->lend_lock);
}

/* Gives back the lent priority, unless an administrator has set another one. */
static void simgpu_turn_give_back(struct simgpu_device *device)
{
	spin_lock(&device->lend_lock);
	if (device->lent && task_nice(current) == SIMGPU_LENT_NICE)
		set_user_nice(current, device->own_nice);
	device->lent = false;
	spin_unlock(&device->lend_lock);
}

/* Whether as many callers as had asked for the lock have had it, or given up. */
static bool simgpu_turns_had(struct simgpu_device *device, u64 asked)
{
	return (s64)(asked - atomic64_read(&device->turns_had)) <= 0;
}

static int simgpu_turn_wait(struct simgpu_device *device, bool killable)
{
	int ret = 0;

	atomic64_inc(&device->turns_asked);
	simgpu_turn_lend(device);
	if (killable)
		ret = mutex_lock_killable(&device->lock);
	else
		mutex_lock(&device->lock);
	atomic64_inc_return(&device->turns_had);
	/* After a full barrier: a sleeper has seen the change, or is seen here. */
	if (waitqueue_active(&device->turn_wait))
		wake_up(&device->turn_wait);
	return ret;
}

/**
 * simgpu_device_lock_closing() - take the lock of a device that may be gone
 * @device: the device
 *
 * It ignores signals, since the last reference to a file is being dropped.
 */
void simgpu_device_lock_closing(struct simgpu_device *device)
{
	if (!mutex_trylock(&device->lock))
		simgpu_turn_wait(device, false);
}

/**
 * simgpu_device_lock() - take the device's lock
 * @device: the device
 *
 * Waits for the end of the present quantum, and of the next one if it comes while
 * the lock is handed over. A caller that is killed waits no longer.
 *
 * Return: 0 with the lock held; -ENODEV or -EINTR without it.
 */
int simgpu_device_lock(struct simgpu_device *device)
{
	int ret = 0;

	if (!mutex_trylock(&device->lock))
		ret = simgpu_turn_wait(device, true);
	if (ret)
		return ret;
	/* Who removes the device waits for no more callers than have it now. */
	if (!device->session || READ_ONCE(device->gone)) {
		mutex_unlock(&device->lock);
		return -ENODEV;
	}
	return 0;
}

/**
 * simgpu_device_unlock() - release the device's lock
 * @device: the device
 */
void simgpu_device_unlock(struct simgpu_device *device)
{
	mutex_unlock(&device->lock);
}

/**
 * struct simgpu_locked - a call that a thread makes with a device's lock held
 * @device: the device
 * @function: the call
 * @arg: its argument
 */
struct simgpu_locked {
	struct simgpu_device *device;
	int (*function)(void *arg);
	void *arg;
};

static int simgpu_locked_call_closing(void *arg)
{
	const struct simgpu_locked *locked = arg;
	int ret;

	simgpu_device_lock_closing(locked->device);
	ret = locked->function(locked->arg);
	simgpu_device_unlock(locked->device);
	return ret;
}

enum simgpu_wait_state {
	SIMGPU_WAITS,
	SIMGPU_IS_CALLED,
	SIMGPU_GAVE_UP
};

/**
 * struct simgpu_killable - a call whose caller may be killed while it waits for the lock
 * @work: in simgpu_calls_queue
 * @refs: the caller's reference, and the thread's
 * @state: &enum simgpu_wait_state: whichever comes first, the call or the caller's end
 * @locked: the call; once the caller gave up, its argument is gone
 * @cred: the caller's rights
 * @done: the thread has finished
 * @ret: the result
 */
struct simgpu_killable {
	struct work_struct work;
	refcount_t refs;
	atomic_t state;
	struct simgpu_locked locked;
	const struct cred *cred;
	struct completion done;
	int ret;
};

static struct workqueue_struct *simgpu_calls_queue;

static void simgpu_killable_put(struct simgpu_killable *call)
{
	if (!refcount_dec_and_test(&call->refs))
		return;
	put_cred(call->cred);
	put_device(&call->locked.device->dev);
	kfree(call);
}

/* Whether the call came to @state before anything else. */
static bool simgpu_killable_becomes(struct simgpu_killable *call,
				    enum simgpu_wait_state state)
{
	return atomic_cmpxchg(&call->state, SIMGPU_WAITS, state) == SIMGPU_WAITS;
}

static void simgpu_killable_work(struct work_struct *work)
{
	struct simgpu_killable *call = container_of(work, struct simgpu_killable, work);
	const struct simgpu_locked *locked = &call->locked;
	const struct cred *before = override_creds(call->cred);

	call->ret = simgpu_device_lock(locked->device);
	if (!call->ret) {
		if (simgpu_killable_becomes(call, SIMGPU_IS_CALLED))
			call->ret = locked->function(locked->arg);
		simgpu_device_unlock(locked->device);
	}
	revert_creds(before);
	complete(&call->done);
	simgpu_killable_put(call);
}

/* Waits until the call has been made, or the caller is killed before that: -EINTR. */
static int simgpu_killable_wait(struct simgpu_killable *call)
{
	if (!wait_for_completion_killable(&call->done))
		return call->ret;
	if (simgpu_killable_becomes(call, SIMGPU_GAVE_UP))
		return -EINTR;
	wait_for_completion(&call->done);
	return call->ret;
}

/**
 * simgpu_device_call() - call a function with the device's lock held
 * @device: the device
 * @function: what a tenant asks for; it takes no memory on its behalf
 * @arg: the function's argument, which may be on the stack
 *
 * A thread of the kernel takes the lock and calls, so that no tenant is ever stopped with
 * the lock held.
 *
 * Return: what the function returns; -ENODEV: the device has gone, -EINTR: the caller was
 * killed, or -ENOMEM: then it was not called.
 */
int simgpu_device_call(struct simgpu_device *device, int (*function)(void *arg), void *arg)
{
	struct simgpu_killable *call = kzalloc(sizeof(*call), PORT_GFP);
	int ret;

	if (!call)
		return -ENOMEM;
	INIT_WORK(&call->work, simgpu_killable_work);
	refcount_set(&call->refs, 2);
	call->locked = (struct simgpu_locked) { device, function, arg };
	get_device(&device->dev);
	call->cred = get_current_cred();
	init_completion(&call->done);
	queue_work(simgpu_calls_queue, &call->work);
	ret = simgpu_killable_wait(call);
	simgpu_killable_put(call);
	return ret;
}

/**
 * simgpu_device_call_closing() - call a function with the lock of a device that may be gone
 * @device: the device
 * @function: see simgpu_device_call(); it is called in any case
 * @arg: the function's argument
 *
 * Return: what the function returns.
 */
int simgpu_device_call_closing(struct simgpu_device *device, int (*function)(void *arg),
			       void *arg)
{
	struct simgpu_locked locked = { device, function, arg };

	return simgpu_by_thread(system_unbound_wq, simgpu_locked_call_closing, &locked);
}

/**
 * simgpu_turns_start() - prepare for calls of tenants
 *
 * Return: 0 or -ENOMEM.
 */
int simgpu_turns_start(void)
{
	simgpu_calls_queue = alloc_workqueue("simgpu_calls", WQ_UNBOUND, 0);
	return simgpu_calls_queue ? 0 : -ENOMEM;
}

/**
 * simgpu_turns_stop() - all devices have gone; wait for the last calls
 */
void simgpu_turns_stop(void)
{
	destroy_workqueue(simgpu_calls_queue);
}

/*
 * Waits in a line until a quantum's end lets the call go on, or for as long as quanta end.
 * @quanta had ended when the call was held up.
 */
static void simgpu_call_wait(struct simgpu_device *device, wait_queue_head_t *line,
			     u64 quanta)
{
	long patience = SIMGPU_ADMIT_JIFFIES;
	DEFINE_WAIT(wait);
	u64 seen;

	/* Callers go on in the order in which they came. */
	prepare_to_wait_exclusive(line, &wait, TASK_KILLABLE);
	if (READ_ONCE(device->stepping) && READ_ONCE(device->quanta) == quanta) {
		do {
			seen = READ_ONCE(device->quanta);
			schedule_timeout(patience);
			patience = min_t(long, 2 * patience,
					 SIMGPU_ADMIT_JIFFIES_MAX);
			/* It keeps its place, unless it was woken from there. */
			set_current_state(TASK_KILLABLE);
		} while (!list_empty_careful(&wait.entry) &&
			 READ_ONCE(device->stepping) &&
			 READ_ONCE(device->quanta) != seen &&
			 !fatal_signal_pending(current));
	}
	finish_wait(line, &wait);
	/* While the worker sleeps each caller lets the next one go on. */
	if (!READ_ONCE(device->stepping) && wq_has_sleeper(line))
		wake_up_nr(line, 1);
}

/**
 * simgpu_device_admit() - begin a call
 * @device: device of the call
 * @kind: kind of the call
 *
 * Waits for the end of the present quantum if there were many calls of its kind
 * since the last one, unless the caller may claim more of the device than others.
 * Users take turns, each with its calls in the order in which they came. No lock is held.
 *
 * Return: 0; -EINTR if the caller is killed.
 */
int simgpu_device_admit(struct simgpu_device *device, enum simgpu_call_kind kind)
{
	struct simgpu_calls *calls = &device->calls[kind];
	u64 quanta = READ_ONCE(device->quanta);
	u32 line;

	if (!READ_ONCE(device->stepping) ||
	    atomic_inc_return(&calls->count) <= READ_ONCE(calls->limit) ||
	    simgpu_may_claim(NULL))
		return 0;
	simgpu_turn_lend(device);
	line = hash_32(__kuid_val(current_fsuid()), SIMGPU_CALL_LINES_BITS);
	simgpu_call_wait(device, &calls->lines[line], quanta);
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/*
 * Let a call of each line go on in turn: @count calls, or one of @users lines if that is more.
 * They count among those of the quantum that begins.
 */
static void simgpu_calls_admit(struct simgpu_calls *calls, unsigned int count,
			       unsigned int users)
{
	unsigned int admitted = 0, most = max(count, users), before;
	u32 i;

	do {
		before = admitted;
		for (i = 0; i < SIMGPU_CALL_LINES && admitted < most; i++) {
			wait_queue_head_t *line =
				&calls->lines[calls->next++ % SIMGPU_CALL_LINES];

			/* After the caller's barrier. */
			if (!waitqueue_active(line))
				continue;
			wake_up_nr(line, 1);
			admitted++;
		}
		most = count;
	} while (admitted > before && admitted < most);
	atomic_add(admitted, &calls->count);
}

/* Admit some of the callers that wait. */
static void simgpu_turn_admit(struct simgpu_device *device)
{
	u32 kind;

	/* Pairs with the barrier of callers that begin to sleep there. */
	smp_mb();
	for (kind = 0; kind < SIMGPU_CALL_KINDS; kind++)
		simgpu_calls_admit(&device->calls[kind],
				   max(device->calls[kind].limit, 1U),
				   simgpu_users_each_quantum[kind]);
}

/* Set how many calls go on in a quantum, by what callers have left the worker. */
static void simgpu_turn_limit(struct simgpu_device *device)
{
	u64 now_ns = ktime_get_ns(), used_ns = current->se.sum_exec_runtime;
	u64 span_ns = now_ns - device->had.now_ns, percent;
	u32 kind;

	if (device->had.now_ns && span_ns < SIMGPU_LEFT_NS)
		return;
	percent = div64_u64((used_ns - device->had.used_ns) * 100, span_ns);
	for (kind = 0; kind < SIMGPU_CALL_KINDS && device->had.now_ns; kind++) {
		struct simgpu_calls *calls = &device->calls[kind];

		if (percent < SIMGPU_PERCENT_TOO_LITTLE)
			WRITE_ONCE(calls->limit, calls->limit / 2);
		else if (percent > SIMGPU_PERCENT_ENOUGH &&
			 calls->limit < simgpu_calls_each_quantum[kind])
			WRITE_ONCE(calls->limit, calls->limit + 1);
	}
	device->had.now_ns = now_ns;
	device->had.used_ns = used_ns;
}

/**
 * simgpu_turn_take() - the worker takes the lock for a quantum
 * @device: its device
 */
void simgpu_turn_take(struct simgpu_device *device)
{
	WRITE_ONCE(device->stepping, true);
	mutex_lock(&device->lock);
}

/**
 * simgpu_turn_end() - the worker's quantum is over
 * @device: its device
 * @took_ns: host time that it took
 *
 * Releases the lock, and lets callers have it that have asked for it until now.
 */
void simgpu_turn_end(struct simgpu_device *device, u64 took_ns)
{
	u64 asked;
	u32 kind;

	WRITE_ONCE(device->quanta, device->quanta + 1);
	for (kind = 0; kind < SIMGPU_CALL_KINDS; kind++)
		atomic_set(&device->calls[kind].count, 0);
	mutex_unlock(&device->lock);
	simgpu_turn_admit(device);
	asked = atomic64_read(&device->turns_asked);
	if (!simgpu_turns_had(device, asked))
		wait_event_hrtimeout(device->turn_wait,
				     simgpu_turns_had(device, asked),
				     ns_to_ktime(SIMGPU_TURN_PART(took_ns)));
	if (READ_ONCE(device->lent))
		simgpu_turn_give_back(device);
	simgpu_turn_limit(device);
}

/**
 * simgpu_turn_rest() - the worker is going to sleep
 * @device: its device
 *
 * Until it takes the lock again, calls are not held up.
 */
void simgpu_turn_rest(struct simgpu_device *device)
{
	u32 kind;

	WRITE_ONCE(device->stepping, false);
	/* Pairs with the barrier of callers that begin to sleep. */
	smp_mb();
	/* Time asleep must not count as taken by callers. */
	device->had.now_ns = 0;
	/* The first of each line; each lets the next one go on. */
	for (kind = 0; kind < SIMGPU_CALL_KINDS; kind++)
		simgpu_calls_admit(&device->calls[kind], SIMGPU_CALL_LINES, 0);
	if (READ_ONCE(device->lent))
		simgpu_turn_give_back(device);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The worker: a kernel thread of each device that lets device time pass, quantum by
 * quantum and at the device's pace, and replaces a policy that is too slow between two
 * quanta.
 */
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "deciders.h"
#include "device.h"
#include "observe.h"
#include "observers.h"
#include "turn.h"
#include "worker.h"

/*
 * How long the worker simulates with the lock held, and so how long a system call may have
 * to wait for the device. It asks for as many device cycles as have lately passed in the
 * time that it runs in a quantum. Where they take longer than those (a hundredfold when
 * tenants begin to launch), it stops at the clock, but finishes the part of a window
 * (gpu_window()) that has begun. Results do not depend on it.
 */
#define SIMGPU_QUANTUM_NS		((u64)NSEC_PER_MSEC)
#define SIMGPU_QUANTUM_RUN_NS		(SIMGPU_QUANTUM_NS * 3 / 4)
#define SIMGPU_RUN_CYCLES_MIN		10
#define SIMGPU_RUN_CYCLES_MAX		8000000

/*
 * While no tenant has work, a cycle costs a thousandth of the time, and the worker
 * sleeps this many times as long as its quantum was, or should have been. There is a least
 * number of cycles that pass: if a quantum is slow whatever it simulates, as in a debug
 * kernel, time would otherwise hardly pass at all.
 */
#define SIMGPU_EMPTY_CYCLES_MIN		20000
#define SIMGPU_EMPTY_REST		3

/*
 * The longest time that a quantum counts for, when the worker lets others go first or
 * rests for a multiple of it: a host that was suspended meanwhile did not work.
 */
#define SIMGPU_TOOK_NS_MAX		(100 * NSEC_PER_MSEC)

/* How old the counters that are published may become while the device runs. */
#define SIMGPU_COUNTERS_NS		(10 * NSEC_PER_MSEC)

/*
 * To publish all tenants takes at most one part of this many of the worker's time. A tenant
 * whose launches come and go ends an epoch each time.
 */
#define SIMGPU_PUBLISH_REST		10

/* Host time that the worker does not make up for if it had no processor. */
#define SIMGPU_SHARE_NS			(100 * NSEC_PER_MSEC)

/* Let device time pass until the quantum's time is over, or nothing is left to run. */
static u64 simgpu_device_quantum(struct simgpu_device *device)
{
	u64 start_ns = ktime_get_ns(), empty, first, passed, took_ns;

	/* Up to the next launch's start. */
	empty = session_empty_cycles(device->session);
	if (empty) {
		device->quantum_end_ns = U64_MAX;
		session_run(device->session,
			    min_t(u64, empty, SIMGPU_EMPTY_CYCLES_MIN));
	}
	device->quantum_end_ns = start_ns + SIMGPU_QUANTUM_RUN_NS;
	first = session_now(device->session);
	do {
		session_run(device->session, device->run_cycles);
	} while (session_state(device->session) == SESSION_RUNNING &&
		 !simgpu_quantum_is_over(device));
	took_ns = ktime_get_ns() - start_ns;
	passed = session_now(device->session) - first;
	passed = fixed_mul_div(passed, SIMGPU_QUANTUM_RUN_NS, took_ns ?: 1);
	device->run_cycles = clamp_t(u64, passed, SIMGPU_RUN_CYCLES_MIN,
				     SIMGPU_RUN_CYCLES_MAX);
	WRITE_ONCE(device->ran_ns, device->ran_ns + took_ns);
	if (took_ns > device->longest_ns)
		WRITE_ONCE(device->longest_ns, took_ns);
	return took_ns;
}

/* Replace a policy that took too long, for good and in the journal. */
static void simgpu_device_watch(struct simgpu_device *device)
{
	const bool slow = device->slow;

	lockdep_assert_held(&device->lock);
	if (device->memory_slow &&
	    device->memory_policy->source != SIMGPU_SOURCE_BUILT_IN) {
		session_memory_policy_is_slow(device->session);
		simgpu_device_memory_fell_back(device,
					       session_last_refusal(device->session));
	}
	device->memory_slow = false;
	device->slow = false;
	if (!slow || device->policy == &policy_even)
		return;
	session_policy_is_slow(device->session);
	simgpu_device_fell_back(device, session_last_refusal(device->session));
}

/* Whether the tenants' counters and figures are to be published after this quantum. */
static bool simgpu_counters_are_due(const struct simgpu_device *device)
{
	u64 age_ns = ktime_get_ns() - device->counters_ns;

	if (session_state(device->session) != SESSION_RUNNING)
		return true;
	if (age_ns < SIMGPU_PUBLISH_REST * device->publishing_ns)
		return false;
	return device->behind || age_ns > SIMGPU_COUNTERS_NS;
}

static u64 simgpu_device_step(struct simgpu_device *device)
{
	u64 epochs = device->published.epochs;
	u64 took_ns;

	lockdep_assert_held(&device->lock);
	took_ns = simgpu_device_quantum(device);
	simgpu_device_watch(device);
	simgpu_tell(stepped, device, took_ns);
	if (device->published.epochs != epochs)
		WRITE_ONCE(device->behind, true);
	simgpu_device_publish(device, simgpu_counters_are_due(device));
	device->empty = session_empty_cycles(device->session);
	return min_t(u64, took_ns, SIMGPU_TOOK_NS_MAX);
}

/* The worker is going to sleep: what it would have published after its next quantum comes now. */
static void simgpu_worker_rest(struct simgpu_device *device)
{
	simgpu_turn_rest(device);
	simgpu_device_catch_up(device);
}

/* Count from now on. What the device is behind by, it does not make up for. */
static void simgpu_pace_begin(struct simgpu_device *device, u64 cycle,
			      u64 now_ns)
{
	device->pace_cycle = cycle;
	device->pace_ns = now_ns;
	device->pace_session = READ_ONCE(device->sessions);
	device->pace_lost_ns = device->pace_behind_ns;
}

static void simgpu_pace_change(struct simgpu_device *device, u64 pace_ppm)
{
	WRITE_ONCE(device->pace_behind_ns, 0);
	WRITE_ONCE(device->paced_ppm, pace_ppm);
	device->pace_ns = 0;
}

/* Whether the time from which is counted is of another session, or of none. */
static bool simgpu_pace_is_old(const struct simgpu_device *device)
{
	return !device->pace_ns ||
	       READ_ONCE(device->sessions) != device->pace_session;
}

/*
 * Count by how much the device is behind, without @idle_ns in which nobody had work.
 * Returns the host time at which, at its pace, it should have its present time.
 */
static u64 simgpu_pace_count(struct simgpu_device *device, u64 idle_ns)
{
	u64 now_ns = ktime_get_ns(), cycle, device_ns, due_ns, late_ns;

	spin_lock(&device->publish_lock);
	cycle = device->published.cycle;
	spin_unlock(&device->publish_lock);
	if (simgpu_pace_is_old(device) || cycle < device->pace_cycle)
		simgpu_pace_begin(device, cycle, now_ns);
	device_ns = mul_u64_u32_div(cycle - device->pace_cycle, 1000,
				    device->defaults.config.core_mhz);
	due_ns = device->pace_ns +
		 fixed_mul_div(device_ns, SIMGPU_PPM, device->paced_ppm);
	late_ns = fixed_above(now_ns, due_ns);
	idle_ns = min(idle_ns, late_ns);
	device->pace_ns += idle_ns;
	late_ns -= idle_ns;
	WRITE_ONCE(device->pace_behind_ns, device->pace_lost_ns + late_ns);
	if (late_ns > NSEC_PER_SEC)
		simgpu_pace_begin(device, cycle, now_ns);
	return due_ns;
}

/* Wait until host time has caught up with device time. */
static void simgpu_device_pace(struct simgpu_device *device, u64 idle_ns)
{
	u64 pace_ppm = READ_ONCE(device->pace_ppm), due_ns, now_ns;

	if (pace_ppm != device->paced_ppm)
		simgpu_pace_change(device, pace_ppm);
	if (!pace_ppm)
		return;
	due_ns = simgpu_pace_count(device, idle_ns);
	now_ns = ktime_get_ns();
	if (now_ns >= due_ns)
		return;
	simgpu_worker_rest(device);
	/* Rounded up, and the present jiffy is not a whole one. */
	wait_event_freezable_timeout(device->worker_wait,
				     kthread_should_stop() ||
				     READ_ONCE(device->pace_ppm) != pace_ppm ||
				     simgpu_pace_is_old(device),
				     nsecs_to_jiffies(due_ns - now_ns) + 2);
}

/*
 * Sleep until the worker's processor time is at most its share of host time since @since.
 * That is set anew if the worker has fallen behind, slept, or was given
 * another share.
 */
static void simgpu_device_share(struct simgpu_device *device,
				struct simgpu_share *since)
{
	u32 percent = READ_ONCE(device->cpu_percent);
	u64 now_ns = ktime_get_ns(), used_ns = current->se.sum_exec_runtime;
	u64 due_ns;

	due_ns = since->now_ns +
		 div_u64((used_ns - since->used_ns) * 100, percent);
	if (percent == SIMGPU_CPU_PERCENT_MAX || percent != since->percent ||
	    now_ns > due_ns + SIMGPU_SHARE_NS) {
		*since = (struct simgpu_share) { percent, now_ns, used_ns };
		return;
	}
	if (now_ns + jiffies_to_nsecs(1) > due_ns)
		return;
	simgpu_worker_rest(device);
	wait_event_freezable_timeout(device->worker_wait,
				     kthread_should_stop() ||
				     READ_ONCE(device->cpu_percent) != percent,
				     nsecs_to_jiffies(due_ns - now_ns));
}

/* No tenant has work, so there is no hurry. */
static void simgpu_device_rest(struct simgpu_device *device, u64 took_ns)
{
	u64 rest_ns = SIMGPU_EMPTY_REST * max(took_ns, SIMGPU_QUANTUM_NS);

	if (!device->empty)
		return;
	device->empty = false;
	simgpu_worker_rest(device);
	wait_event_freezable_timeout(device->worker_wait, kthread_should_stop(),
				     nsecs_to_jiffies(rest_ns) ?: 1);
}

/* Sleep until some tenant has work. Returns for how long that was. */
static u64 simgpu_worker_idle(struct simgpu_device *device)
{
	u64 start_ns;

	if (READ_ONCE(device->runnable))
		return 0;
	simgpu_worker_rest(device);
	start_ns = ktime_get_ns();
	wait_event_freezable(device->worker_wait,
			     READ_ONCE(device->runnable) ||
			     kthread_should_stop());
	return ktime_get_ns() - start_ns;
}

/*
 * The worker has the lowest priority, unless an administrator sets another one; it gives
 * back a priority that turn.c has lent it.
 */
static int simgpu_worker(void *data)
{
	struct simgpu_device *device = data;
	struct simgpu_share since = {};
	u64 took_ns = 0, idle_ns;

	set_user_nice(current, MAX_NICE);
	set_freezable();
	while (!kthread_should_stop()) {
		idle_ns = simgpu_worker_idle(device);
		try_to_freeze();
		simgpu_device_pace(device, idle_ns);
		simgpu_device_share(device, &since);
		simgpu_device_rest(device, took_ns);
		simgpu_turn_take(device);
		took_ns = device->runnable ? simgpu_device_step(device) : 0;
		simgpu_turn_end(device, took_ns);
		/* cond_resched() alone would hold up tasks that wait for RCU-tasks. */
		cond_resched_tasks_rcu_qs();
	}
	simgpu_turn_rest(device);
	return 0;
}

/**
 * simgpu_worker_start() - start a device's worker
 * @device: the device, with a session; kthread_stop() ends the worker
 *
 * Return: 0 or a negative errno.
 */
int simgpu_worker_start(struct simgpu_device *device)
{
	struct task_struct *worker;

	device->run_cycles = SIMGPU_RUN_CYCLES_MIN;
	worker = kthread_run(simgpu_worker, device, "simgpu%u", device->index);
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	/* Callers may lend it their priority even after its end. */
	device->worker = get_task_struct(worker);
	return 0;
}

/**
 * simgpu_worker_stop() - end a device's worker
 * @device: the device, which is going away
 *
 * With the worker's own, lowest priority whoever removes a device beside busy processes
 * would wait for seconds until it has had a processor.
 */
void simgpu_worker_stop(struct simgpu_device *device)
{
	set_user_nice(device->worker, MIN_NICE);
	kthread_stop(device->worker);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The worker: one kernel thread a device that lets device time pass, quantum by
 * quantum and at its pace, and replaces a policy that is too slow between two.
 */
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "device.h"

/*
 * How long the worker simulates with the lock held: what a system call may have
 * to wait for the device. How many device cycles that is depends on the host
 * and on the kernels (a hundredfold between a memory-bound one in an emulated
 * machine and a compute-bound one on bare metal), so it is found by doubling
 * and halving. Results do not depend on it.
 */
#define SIMGPU_QUANTUM_NS		(1 * NSEC_PER_MSEC)
#define SIMGPU_QUANTUM_CYCLES_START	2000
#define SIMGPU_QUANTUM_CYCLES_MIN	125
#define SIMGPU_QUANTUM_CYCLES_MAX	128000

/* How old the counters that are published may become while the device runs. */
#define SIMGPU_COUNTERS_NS		(10 * NSEC_PER_MSEC)

static void simgpu_device_adapt_quantum(struct simgpu_device *device,
					u64 took_ns)
{
	if (took_ns > SIMGPU_QUANTUM_NS &&
	    device->quantum_cycles > SIMGPU_QUANTUM_CYCLES_MIN)
		device->quantum_cycles /= 2;
	else if (took_ns < SIMGPU_QUANTUM_NS / 4 &&
		 device->quantum_cycles < SIMGPU_QUANTUM_CYCLES_MAX)
		device->quantum_cycles *= 2;
}

/* A policy that took too long is replaced, for good and in the journal. */
static void simgpu_device_watch(struct simgpu_device *device)
{
	lockdep_assert_held(&device->lock);
	if (!device->slow || device->policy == &policy_even)
		return;
	session_policy_is_slow(device->session);
	simgpu_device_fell_back(device, session_last_refusal(device->session));
}

static void simgpu_device_step(struct simgpu_device *device)
{
	u64 epochs = device->published.epochs;
	u64 start_ns = ktime_get_ns();
	u64 took_ns, now_ns;

	lockdep_assert_held(&device->lock);
	session_run(device->session, device->quantum_cycles);
	now_ns = ktime_get_ns();
	took_ns = now_ns - start_ns;
	simgpu_device_watch(device);
	simgpu_device_adapt_quantum(device, took_ns);
	simgpu_tell(stepped, device, took_ns);
	simgpu_device_publish(device);
	if (device->published.epochs != epochs ||
	    now_ns - device->counters_ns > SIMGPU_COUNTERS_NS)
		simgpu_device_publish_counters(device);
}

/* Host time at which device time, at its pace, is where it is; 0: now. */
static u64 simgpu_pace_due(struct simgpu_device *device, u64 pace_ppm)
{
	u64 cycle, device_ns, now_ns = ktime_get_ns();

	spin_lock(&device->publish_lock);
	cycle = device->published.cycle;
	spin_unlock(&device->publish_lock);
	if (!device->pace_ns || cycle < device->pace_cycle) {
		device->pace_cycle = cycle;
		device->pace_ns = now_ns;
	}
	device_ns = mul_u64_u32_div(cycle - device->pace_cycle, 1000,
				    device->defaults.config.core_mhz);
	return device->pace_ns + fixed_mul_div(device_ns, SIMGPU_PPM, pace_ppm);
}

/* Waits until the host's time has come up with the device's. */
static void simgpu_device_pace(struct simgpu_device *device)
{
	u64 pace_ppm = READ_ONCE(device->pace_ppm), due_ns, now_ns;

	if (!pace_ppm) {
		device->pace_ns = 0;
		return;
	}
	due_ns = simgpu_pace_due(device, pace_ppm);
	now_ns = ktime_get_ns();
	/* Behind by much: do not make up for it. */
	if (now_ns > due_ns + NSEC_PER_SEC)
		device->pace_ns = 0;
	if (now_ns < due_ns)
		wait_event_idle_timeout(device->worker_wait,
					kthread_should_stop() ||
					READ_ONCE(device->pace_ppm) != pace_ppm,
					nsecs_to_jiffies(due_ns - now_ns) + 1);
	if (READ_ONCE(device->pace_ppm) != pace_ppm)
		device->pace_ns = 0;
}

static int simgpu_worker(void *data)
{
	struct simgpu_device *device = data;

	set_user_nice(current, MAX_NICE);
	while (!kthread_should_stop()) {
		wait_event_idle(device->worker_wait,
				READ_ONCE(device->runnable) ||
				kthread_should_stop());
		simgpu_device_pace(device);
		mutex_lock(&device->lock);
		if (device->runnable)
			simgpu_device_step(device);
		mutex_unlock(&device->lock);
		/* Nothing if nobody had to wait. */
		set_user_nice(current, MAX_NICE);
		/* Alone, cond_resched() holds up those who wait for RCU-tasks. */
		cond_resched_tasks_rcu_qs();
	}
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

	device->quantum_cycles = SIMGPU_QUANTUM_CYCLES_START;
	worker = kthread_run(simgpu_worker, device, "simgpu%u", device->index);
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	/* For those who wait for the lock, even after its end. */
	device->worker = get_task_struct(worker);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Threads beside a device's worker. The engine runs in steps (kmod/sim/gpu.h,
 * gpu_next_step()); if the administrator allows it, kernel threads take
 * parts of each step. No result depends on them.
 *
 * Each thread takes its own part first, then parts that no other thread has begun. So
 * the worker only waits for parts under way, never for a thread that sleeps, is frozen, or
 * has no processor. Steps follow each other within microseconds while the device runs, so
 * a waiting thread spins for that long before it sleeps.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "device.h"
#include "threads.h"
#include "turn.h"

/* How long to spin for a change before sleeping. */
#define SIMGPU_SPIN_NS		(20 * NSEC_PER_USEC)
/* A shorter run is not worth waking a thread. */
#define SIMGPU_THREADS_CYCLES	100
#define SIMGPU_VIEW_ALIGN	64

/*
 * struct simgpu_part - a part of each step
 * @taken: number of the last step in which a thread took it
 */
struct simgpu_part {
	atomic_t taken;
} ____cacheline_aligned_in_smp;

/*
 * struct simgpu_helper - a thread beside the worker
 * @number: number of the part that it takes first
 */
struct simgpu_helper {
	struct simgpu_threads *threads;
	struct task_struct *task;
	u32 number;
};

/*
 * struct simgpu_threads - the threads of a device
 * @device: the device
 * @count: number of threads, with the worker
 * @views: views of the device, one a thread
 * @gpu: in a step: the GPU that is stepped
 * @step: number of the present step, or of the last one
 * @step_wait: where helpers sleep until the next step
 * @left: parts of the step that have not ended
 * @left_wait: where the worker sleeps until there are none
 */
struct simgpu_threads {
	struct simgpu_device *device;
	u32 count;
	void *memory;
	void *views;
	struct gpu *gpu;
	struct simgpu_helper helper[GPU_VIEWS_MAX];
	wait_queue_head_t step_wait;
	wait_queue_head_t left_wait;
	atomic_t step ____cacheline_aligned_in_smp;
	atomic_t left ____cacheline_aligned_in_smp;
	struct simgpu_part part[GPU_VIEWS_MAX];
};

/* Spins with preemption enabled, and stops if another task wants the processor. */
static void simgpu_spin(const atomic_t *value, int old)
{
	u64 end_ns = ktime_get_ns() + SIMGPU_SPIN_NS;

	if (current->nr_cpus_allowed == 1)
		return;
	while (atomic_read_acquire(value) == old && !need_resched() &&
	       ktime_get_ns() < end_ns)
		cpu_relax();
}

static void simgpu_take_parts(struct simgpu_threads *threads, u32 number,
			      int step)
{
	u32 i;

	for (i = 0; i < threads->count; i++) {
		u32 part = (number + i) % threads->count;

		/* If the step is long over, this fails, too. */
		if (atomic_cmpxchg(&threads->part[part].taken, step - 1,
				   step) != step - 1)
			continue;
		gpu_take_step(threads->gpu, part);
		if (atomic_dec_and_test(&threads->left) &&
		    wq_has_sleeper(&threads->left_wait))
			wake_up(&threads->left_wait);
	}
}

static int simgpu_help(void *data)
{
	struct simgpu_helper *helper = data;
	struct simgpu_threads *threads = helper->threads;
	int step = 0;

	set_user_nice(current, MAX_NICE);
	/* Begin on the worker's processors; later each thread's are set on their own. */
	set_cpus_allowed_ptr(current, threads->device->worker->cpus_ptr);
	set_freezable();
	while (!kthread_should_stop()) {
		simgpu_spin(&threads->step, step);
		wait_event_freezable(threads->step_wait,
				     atomic_read(&threads->step) != step ||
				     kthread_should_stop());
		step = atomic_read_acquire(&threads->step);
		simgpu_take_parts(threads, helper->number, step);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void simgpu_take_together(struct simgpu_threads *threads)
{
	int step, left;

	atomic_set(&threads->left, threads->count);
	step = atomic_inc_return(&threads->step);
	if (wq_has_sleeper(&threads->step_wait))
		wake_up(&threads->step_wait);
	simgpu_take_parts(threads, 0, step);
	left = atomic_read_acquire(&threads->left);
	if (!left)
		return;
	simgpu_spin(&threads->left, left);
	wait_event_idle(threads->left_wait,
			!atomic_read_acquire(&threads->left));
}

/**
 * simgpu_threads_run() - the session's run_gpu hook
 * @context: the device
 * @gpu: a GPU of the session: the device's, or a private run's
 * @until: as for gpu_run()
 * @may_pause: whether to end sooner if the worker's time is over
 */
void simgpu_threads_run(void *context, struct gpu *gpu, u64 until, bool may_pause)
{
	struct simgpu_device *device = context;
	struct simgpu_threads *threads = device->threads;

	lockdep_assert_held(&device->lock);
	if (until - gpu_now(gpu) < SIMGPU_THREADS_CYCLES)
		threads = NULL;
	if (threads) {
		gpu_set_views(gpu, threads->views, threads->count);
		threads->gpu = gpu;
	}
	while (gpu_next_step(gpu, until) != GPU_STEP_DONE) {
		if (threads)
			simgpu_take_together(threads);
		else
			gpu_take_step(gpu, 0);
		if (may_pause && simgpu_quantum_is_over(device))
			until = gpu_soonest_end(gpu);
	}
	if (threads)
		gpu_set_views(gpu, NULL, 1);
}

/* Ends the threads that have been started; none may be in a step. */
static void simgpu_threads_destroy(struct simgpu_threads *threads)
{
	u32 i;

	if (!threads)
		return;
	for (i = 1; i < threads->count && threads->helper[i].task; i++) {
		/* With the lowest priority it might not get a processor for seconds. */
		set_user_nice(threads->helper[i].task, MIN_NICE);
		kthread_stop(threads->helper[i].task);
	}
	port_free(threads->memory);
	port_free(threads);
}

static int simgpu_threads_start(struct simgpu_threads *threads)
{
	u32 i;

	for (i = 1; i < threads->count; i++) {
		struct simgpu_helper *helper = &threads->helper[i];
		struct task_struct *task;

		helper->threads = threads;
		helper->number = i;
		task = kthread_run(simgpu_help, helper, "simgpu%u/w%u",
				   threads->device->index, i);
		if (IS_ERR(task))
			return PTR_ERR(task);
		helper->task = task;
	}
	return 0;
}

static struct simgpu_threads *
simgpu_threads_create(struct simgpu_device *device, u32 count)
{
	struct simgpu_threads *threads = port_alloc(sizeof(*threads));
	size_t bytes = gpu_view_bytes(&device->defaults.config, count);
	int ret = -ENOMEM;

	if (!threads)
		return ERR_PTR(-ENOMEM);
	threads->device = device;
	threads->count = count;
	init_waitqueue_head(&threads->step_wait);
	init_waitqueue_head(&threads->left_wait);
	threads->memory = port_alloc(bytes + SIMGPU_VIEW_ALIGN);
	threads->views = PTR_ALIGN(threads->memory, SIMGPU_VIEW_ALIGN);
	if (threads->memory)
		ret = simgpu_threads_start(threads);
	if (ret) {
		simgpu_threads_destroy(threads);
		return ERR_PTR(ret);
	}
	return threads;
}

/* Puts other threads on the device; returns those before. */
static struct simgpu_threads *
simgpu_threads_replace(struct simgpu_device *device,
		       struct simgpu_threads *threads)
{
	struct simgpu_threads *old = device->threads;

	lockdep_assert_held(&device->lock);
	device->threads = threads;
	WRITE_ONCE(device->thread_count, threads ? threads->count : 1);
	return old;
}

/**
 * simgpu_threads_set() - set how many threads simulate a device
 * @device: the device
 * @count: with the worker: 1 to the online processors, at most one an SM
 *
 * They are started and ended while the device's lock is not held.
 *
 * Return: 0; -EINVAL for another count; -ENODEV if the device is gone; -ENOMEM,
 * -EINTR or -EAGAIN if a thread cannot be made: then all is as before.
 */
int simgpu_threads_set(struct simgpu_device *device, u32 count)
{
	struct simgpu_threads *threads = NULL;
	int ret;

	if (!count || count > num_online_cpus() || count > GPU_VIEWS_MAX ||
	    count > device->defaults.config.sms)
		return -EINVAL;
	if (count > 1)
		threads = simgpu_threads_create(device, count);
	if (IS_ERR(threads))
		return PTR_ERR(threads);
	ret = simgpu_device_lock(device);
	if (!ret) {
		threads = simgpu_threads_replace(device, threads);
		simgpu_device_unlock(device);
	}
	simgpu_threads_destroy(threads);
	return ret;
}

static void simgpu_threads_gone(struct simgpu_device *device)
{
	struct simgpu_threads *threads;

	simgpu_device_lock_closing(device);
	threads = simgpu_threads_replace(device, NULL);
	simgpu_device_unlock(device);
	simgpu_threads_destroy(threads);
}

const struct simgpu_observer simgpu_threads_observer = {
	.gone = simgpu_threads_gone,
};

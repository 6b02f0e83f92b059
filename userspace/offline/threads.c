// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that run a device together; see threads.h.
 *
 * A step has as many parts as there are threads. Each thread takes its own part first, so
 * that it finds the same SMs in its caches again. A thread that is done takes parts that
 * other threads have not begun, for these may have lost their processor: no thread waits
 * for one that sleeps. Steps are short, some hundred microseconds, so a waiting thread
 * spins at first.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

#define CACHE_LINE	64
/* Checks before a thread yields, and how often it yields before it sleeps. */
#define SPINS		2000
#define YIELDS		50
/* Runs that are shorter than this are not worth waking a thread. */
#define CYCLES_LEAST	100

/*
 * struct bell - a number that threads wait for to change
 * @sleepers: number of threads that sleep until then
 */
struct bell {
	_Alignas(CACHE_LINE) atomic_uint value;
	atomic_uint sleepers;
	pthread_mutex_t lock;
	pthread_cond_t rung;
};

/* struct part - a part of a step; @taken: number of the last step in which it was taken */
struct part {
	_Alignas(CACHE_LINE) atomic_uint taken;
};

/*
 * struct helper - a thread beside the caller's
 * @number: number of the part that it takes first
 */
struct helper {
	struct threads *threads;
	pthread_t thread;
	u32 number;
};

/*
 * struct threads - see threads.h
 * @count: threads, with the caller's
 * @started: helpers that have been started
 * @spins: SPINS, or 0 if there are fewer processors than threads
 * @memory: memory of the views
 * @gpu: in a step: the device
 * @over: no further step follows
 * @step: number of the present step, or of the last one
 * @left: parts of the step that have not ended
 */
struct threads {
	u32 count;
	u32 started;
	u32 spins;
	void *memory;
	struct gpu *gpu;
	atomic_bool over;
	struct bell step;
	struct bell left;
	struct part part[GPU_VIEWS_MAX];
	struct helper helper[GPU_VIEWS_MAX];
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void bell_init(struct bell *bell)
{
	pthread_mutex_init(&bell->lock, NULL);
	pthread_cond_init(&bell->rung, NULL);
}

static void bell_destroy(struct bell *bell)
{
	pthread_mutex_destroy(&bell->lock);
	pthread_cond_destroy(&bell->rung);
}

/*
 * Announces that the value has changed. Either the caller sees a sleeper here, or the
 * sleeper sees the value after it has registered: all four accesses are in one order.
 */
static void bell_ring(struct bell *bell)
{
	if (!atomic_load(&bell->sleepers))
		return;
	pthread_mutex_lock(&bell->lock);
	pthread_cond_broadcast(&bell->rung);
	pthread_mutex_unlock(&bell->lock);
}

static void bell_sleep(struct bell *bell, u32 old)
{
	pthread_mutex_lock(&bell->lock);
	atomic_fetch_add(&bell->sleepers, 1);
	while (atomic_load(&bell->value) == old)
		pthread_cond_wait(&bell->rung, &bell->lock);
	atomic_fetch_sub(&bell->sleepers, 1);
	pthread_mutex_unlock(&bell->lock);
}

/* Waits until the value differs from @old, and returns it. */
static u32 bell_wait(struct bell *bell, u32 old, u32 spins)
{
	u32 i;

	for (i = 0; i < spins + YIELDS; i++) {
		u32 value = atomic_load(&bell->value);

		if (value != old)
			return value;
		if (i < spins)
			relax();
		else
			sched_yield();
	}
	bell_sleep(bell, old);
	return atomic_load(&bell->value);
}

/* Takes a part, unless another thread has taken it in this step. */
static bool claim(struct part *part, u32 step)
{
	u32 before = step - 1;

	return atomic_compare_exchange_strong(&part->taken, &before, step);
}

/* Takes the thread's own part first, then parts that no thread has begun. */
static void take_parts(struct threads *threads, u32 number, u32 step)
{
	u32 i;

	for (i = 0; i < threads->count; i++) {
		u32 part = (number + i) % threads->count;

		if (!claim(&threads->part[part], step))
			continue;
		gpu_take_step(threads->gpu, part);
		if (atomic_fetch_sub(&threads->left.value, 1) == 1)
			bell_ring(&threads->left);
	}
}

static void *help(void *context)
{
	struct helper *helper = context;
	struct threads *threads = helper->threads;
	u32 step = 0;

	for (;;) {
		step = bell_wait(&threads->step, step, threads->spins);
		if (atomic_load(&threads->over))
			return NULL;
		take_parts(threads, helper->number, step);
	}
}

static u32 next_step(struct threads *threads)
{
	u32 step = atomic_fetch_add(&threads->step.value, 1) + 1;

	bell_ring(&threads->step);
	return step;
}

static void take_step(struct threads *threads)
{
	u32 left;

	atomic_store(&threads->left.value, threads->count);
	take_parts(threads, 0, next_step(threads));
	left = atomic_load(&threads->left.value);
	while (left)
		left = bell_wait(&threads->left, left, threads->spins);
}

void threads_run(struct threads *threads, struct gpu *gpu, u64 until)
{
	if (threads->count == 1 || until - gpu_now(gpu) < CYCLES_LEAST) {
		gpu_run(gpu, until);
		return;
	}
	gpu_set_views(gpu, threads->memory, threads->count);
	threads->gpu = gpu;
	while (gpu_next_step(gpu, until) != GPU_STEP_DONE)
		take_step(threads);
	gpu_set_views(gpu, NULL, 1);
}

static u32 processors(void)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return GPU_VIEWS_MAX;
	return (u32)CPU_COUNT(&allowed);
}

static int start(struct threads *threads)
{
	u32 i;

	for (i = 1; i < threads->count; i++) {
		struct helper *helper = &threads->helper[i];

		helper->threads = threads;
		helper->number = i;
		if (pthread_create(&helper->thread, NULL, help, helper))
			return -EAGAIN;
		threads->started = i;
	}
	return 0;
}

/* Memory in whole cache lines. */
static void *allocate(size_t bytes)
{
	return aligned_alloc(CACHE_LINE,
			     (bytes + CACHE_LINE - 1) & ~(CACHE_LINE - 1UL));
}

int threads_create(struct threads **out, const struct gpu_config *config,
		   u32 count)
{
	struct threads *threads;
	int ret = -ENOMEM;

	if (!count || count > GPU_VIEWS_MAX || count > config->sms)
		return -EINVAL;
	threads = allocate(sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	memset(threads, 0, sizeof(*threads));
	threads->count = count;
	threads->spins = processors() < count ? 0 : SPINS;
	bell_init(&threads->step);
	bell_init(&threads->left);
	if (count > 1)
		threads->memory = allocate(gpu_view_bytes(config, count));
	if (threads->memory || count == 1)
		ret = start(threads);
	if (ret) {
		threads_destroy(threads);
		return ret;
	}
	*out = threads;
	return 0;
}

void threads_destroy(struct threads *threads)
{
	u32 i;

	if (!threads)
		return;
	atomic_store(&threads->over, true);
	next_step(threads);
	for (i = 1; i <= threads->started; i++)
		pthread_join(threads->helper[i].thread, NULL);
	bell_destroy(&threads->step);
	bell_destroy(&threads->left);
	free(threads->memory);
	free(threads);
}

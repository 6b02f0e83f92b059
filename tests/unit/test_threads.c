// SPDX-License-Identifier: GPL-2.0
/*
 * Views and threads show in no result: the same device is run by gpu_run(), by
 * several views one after the other in all sorts of orders, and by threads, and
 * comes to the same state, wherever it pauses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "small.h"
#include "traces.h"
#include "../../userspace/offline/threads.h"

#define TENANTS		4

static u32 random_below(u64 *state, u32 bound)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (u32)(*state >> 20) % bound;
}

/* --- ways to run a device --------------------------------------------------------------- */

enum way {
	PLAIN,		/* gpu_run() */
	UP,		/* views in order */
	DOWN,		/* the last first */
	MIXED,		/* in another order in each step */
	THREADS,
};

/* ThreadSanitizer has nothing to find where one thread takes all views. */
#ifdef __SANITIZE_THREAD__
#define FIRST_WAY	THREADS
#else
#define FIRST_WAY	UP
#endif

/*
 * struct home - who runs the device of a test
 * @memory: of its views
 * @orders: from which the next order of MIXED follows
 * @pauses: from which follows where it pauses; the same for all ways
 */
struct home {
	enum way way;
	u32 count;
	void *memory;
	struct threads *threads;
	u64 orders;
	u64 pauses;
};

/* Sixteen SMs, so that there can be as many threads. */
static struct gpu_config wide_config(void)
{
	struct gpu_config config = small_config();

	config.sms = 16;
	return config;
}

static void home_open(struct home *home, const struct gpu_config *config)
{
	size_t bytes = gpu_view_bytes(config, home->count);

	home->orders = 1;
	home->pauses = 1;
	home->memory = aligned_alloc(64, (bytes + 127) & ~63UL);
	memset(home->memory, 0x5a, bytes);
	if (home->way == THREADS)
		assert_int_equal(threads_create(&home->threads, config,
						home->count), 0);
}

static void home_close(struct home *home)
{
	threads_destroy(home->threads);
	home->threads = NULL;
	free(home->memory);
}

/* All views once, in the order that follows from @home. */
static void take_views(struct home *home, struct gpu *gpu)
{
	u32 order[GPU_VIEWS_MAX], i;

	for (i = 0; i < home->count; i++)
		order[i] = home->way == DOWN ? home->count - 1 - i : i;
	for (i = home->count - 1; home->way == MIXED && i; i--) {
		u32 other = random_below(&home->orders, i + 1);
		u32 view = order[i];

		order[i] = order[other];
		order[other] = view;
	}
	for (i = 0; i < home->count; i++)
		gpu_take_step(gpu, order[i]);
}

static void run(struct home *home, struct gpu *gpu, u64 until)
{
	if (home->way == PLAIN) {
		gpu_run(gpu, until);
	} else if (home->way == THREADS) {
		threads_run(home->threads, gpu, until);
	} else {
		gpu_set_views(gpu, home->memory, home->count);
		while (gpu_next_step(gpu, until) != GPU_STEP_DONE)
			take_views(home, gpu);
	}
}

/* Short and long pauses by turns; few of 1 cycle. */
static void run_on(struct home *home, struct gpu *gpu)
{
	static const u32 bounds[] = { 1, 90, 400, 3000 };
	u32 bound = bounds[random_below(&home->pauses, ARRAY_SIZE(bounds))];

	run(home, gpu, gpu_now(gpu) + 1 + random_below(&home->pauses, bound));
}

/* --- devices and what happens on them --------------------------------------------------- */

/*
 * struct scene - a device that runs up to some cycle
 * @traces: one a tenant, NULL where there is none
 * @begin: prepares it
 * @change: is called at each pause; may be NULL
 * @end: says whether what is tested has happened
 */
struct scene {
	struct gpu_config config;
	struct trace *traces[TENANTS];
	u64 cycles;
	void (*begin)(const struct scene *scene, struct gpu *gpu);
	void (*change)(const struct scene *scene, struct gpu *gpu, u64 *random);
	bool (*end)(const struct simgpu_counters *all);
};

static void add_counters(struct simgpu_counters *all, struct gpu *gpu, u32 slot)
{
	struct simgpu_counters more = counters_of(gpu, slot);
	u32 i;

	for (i = 0; i < sizeof(more) / sizeof(u64); i++)
		((u64 *)all)[i] += ((u64 *)&more)[i];
}

static u64 scene_play(const struct scene *scene, struct home *home)
{
	struct gpu *gpu = gpu_make(&scene->config);
	u64 hash = 0, random = 99;
	struct simgpu_counters all;
	u32 slot;

	home_open(home, &scene->config);
	scene->begin(scene, gpu);
	while (gpu_now(gpu) < scene->cycles) {
		u64 done;

		run_on(home, gpu);
		hash = hash_mix(hash, gpu_state_hash(gpu));
		done = gpu_take_finished(gpu);
		/* What has ended begins again. */
		for (; done; done &= done - 1) {
			slot = (u32)__builtin_ctzll(done);
			gpu_kernel_start(gpu, slot, scene->traces[slot], 0);
			hash = hash_mix(hash, gpu_now(gpu));
		}
		if (scene->change)
			scene->change(scene, gpu, &random);
	}
	all = counters_of(gpu, 0);
	for (slot = 1; slot < TENANTS; slot++)
		add_counters(&all, gpu, slot);
	assert_true(scene->end(&all));
	home_close(home);
	free(gpu);
	return hash;
}

static void all_ways_agree(const struct scene *scene)
{
	static const u32 counts[] = { 1, 2, 3, 7, 16 };
	struct home plain = { .way = PLAIN, .count = 1 };
	u64 hash = scene_play(scene, &plain);
	enum way way;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		for (way = FIRST_WAY; way <= THREADS; way++) {
			struct home home = { .way = way, .count = counts[i] };

			if (scene_play(scene, &home) == hash)
				continue;
			fail_msg("way %d with %u views: another state", way,
				 counts[i]);
		}
	}
	for (i = 0; i < TENANTS; i++)
		trace_free(scene->traces[i]);
}

static void start_all(const struct scene *scene, struct gpu *gpu)
{
	u32 slot;

	for (slot = 0; slot < TENANTS; slot++)
		if (scene->traces[slot])
			gpu_kernel_start(gpu, slot, scene->traces[slot], 0);
}

/* Each tenant has the same number of SMs. */
static void begin_apart(const struct scene *scene, struct gpu *gpu)
{
	u32 i, count = 0, sms = scene->config.sms;

	for (i = 0; i < TENANTS; i++)
		count += scene->traces[i] != NULL;
	for (i = 0; i < count; i++)
		own(gpu, i * (sms / count), sms / count, i);
	start_all(scene, gpu);
}

static void begin_shared(const struct scene *scene, struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < scene->config.sms; i++) {
		gpu_sm_share(gpu, i);
		gpu_sm_set_quota(gpu, i, i % 3, 4000, 900);
	}
	gpu_set_block_order(gpu, GPU_ORDER_LEAKY_BUCKET);
	gpu_set_memory_priority(gpu, 1, 2);
	gpu_set_idle_sampling(gpu, 177);
	for (i = 0; i < TENANTS; i++)
		gpu_set_bucket(gpu, i, i + 1);
	start_all(scene, gpu);
}

static bool much_memory(const struct simgpu_counters *all)
{
	return all->dram_fills > 5000 && all->dram_writebacks > 500;
}

static bool much_issued(const struct simgpu_counters *all)
{
	return all->warp_instructions > 500000;
}

static bool some_idle(const struct simgpu_counters *all)
{
	return all->idle_warps && all->atd_accesses && all->mirror_accesses;
}

static bool many_kernels(const struct simgpu_counters *all)
{
	return all->kernels_finished > 30;
}

static bool many_switches(const struct simgpu_counters *all)
{
	return all->preempted_blocks > 50;
}

/* --- the tests --------------------------------------------------------------------------- */

static struct scene memory_scene(void)
{
	return (struct scene) {
		.config = wide_config(),
		.traces = { trace_copy(100, 20, 32),
			    trace_random(60, 20, 8, 1ULL << 26),
			    trace_stream(100, 30, 1), trace_pairs(60, 20) },
		.cycles = 25000,
		.begin = begin_apart,
		.end = much_memory,
	};
}

static void memory_bound(void **state)
{
	struct scene scene = memory_scene();

	all_ways_agree(&scene);
}

/*
 * Messages wait for those before them, at ports that several views fill; and then until
 * there is room in queues that the other side empties.
 */
static void heads_block(void **state)
{
	static const u32 depths[] = { 0, 120 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		struct scene scene = memory_scene();

		scene.config.noc_head_blocking = 1;
		scene.config.slice_queue_flits = depths[i];
		all_ways_agree(&scene);
	}
}

static void compute_bound(void **state)
{
	all_ways_agree(&(struct scene) {
		.config = wide_config(),
		.traces = { trace_compute(300, 30, 60),
			    trace_stream(100, 30, 300) },
		.cycles = 40000,
		.begin = begin_apart,
		.end = much_issued,
	});
}

/* Windows of a few cycles; all that a configuration can have. */
static struct gpu_config narrow_config(void)
{
	struct gpu_config config = wide_config();

	config.l1c_sets = 4;
	config.l1_mshrs = 32;
	config.l1_sectors = 4;
	config.atd_sampling = 4;
	config.mirrors = 1;
	config.noc_queue_depth = 2;
	config.sm_stores = 64;
	config.noc_latency = 4;
	config.llc_latency = 4;
	config.hardware_counters = 1;
	config.dram.trefi = 300;
	return config;
}

static void short_windows(void **state)
{
	all_ways_agree(&(struct scene) {
		.config = narrow_config(),
		.traces = { trace_pairs(60, 20), trace_copy(60, 20, 16),
			    trace_random(60, 20, 8, 1ULL << 26),
			    trace_compute(300, 20, 30) },
		.cycles = 5000,
		.begin = begin_shared,
		.end = some_idle,
	});
}

/* As long as windows can be: one of them has messages of thousands of cycles. */
static void long_windows(void **state)
{
	struct gpu_config config = wide_config();

	config.noc_latency = 1000;
	config.llc_latency = 1000;
	all_ways_agree(&(struct scene) {
		.config = config,
		.traces = { trace_pairs(2000, 20), trace_copy(2000, 20, 16),
			    trace_random(2000, 20, 8, 1ULL << 26),
			    trace_compute(300, 20, 30) },
		.cycles = 60000,
		.begin = begin_apart,
		.end = much_memory,
	});
}

/* Kernels of few and short thread blocks end all the time, and begin again. */
static void kernels_end(void **state)
{
	all_ways_agree(&(struct scene) {
		.config = wide_config(),
		.traces = { trace_compute(5, 2, 30), trace_copy(3, 1, 32),
			    trace_pairs(7, 1), trace_compute(1, 1, 5) },
		.cycles = 25000,
		.begin = begin_apart,
		.end = many_kernels,
	});
}

/* One thing after another: SMs, limits, quotas, orders, and tenants that go. */
static void change_one(const struct scene *scene, struct gpu *gpu, u64 *random)
{
	u32 sm = random_below(random, scene->config.sms);
	u32 slot = random_below(random, TENANTS);
	enum gpu_preemption mode = random_below(random, 3) ?
		GPU_PREEMPT_SWITCH : GPU_PREEMPT_DRAIN;

	switch (random_below(random, 12)) {
	case 0:
	case 1:
	case 2:
		gpu_sm_assign(gpu, sm, slot, mode);
		break;
	case 3:
		gpu_sm_share(gpu, sm);
		break;
	case 4:
	case 5:
		gpu_sm_set_block_limit(gpu, sm, slot, random_below(random, 4),
				       mode);
		break;
	case 6:
		gpu_sm_set_quota(gpu, sm, slot, random_below(random, 9999),
				 random_below(random, 9999));
		break;
	case 7:
		gpu_set_block_order(gpu, random_below(random, 2));
		break;
	case 8:
		gpu_set_idle_sampling(gpu, random_below(random, 500));
		break;
	case 9:
		gpu_set_memory_priority(gpu, slot, random_below(random, 4));
		break;
	case 10:
		if (random_below(random, 8))
			break;
		gpu_tenant_drop(gpu, slot);
		gpu_tenant_reset_counters(gpu, slot);
		own(gpu, sm, 1, slot);
		gpu_kernel_start(gpu, slot, scene->traces[slot], 0);
		break;
	}
}

static void change(const struct scene *scene, struct gpu *gpu, u64 *random)
{
	u32 count = random_below(random, 12);

	while (count--)
		change_one(scene, gpu, random);
}

static void changes(void **state)
{
	all_ways_agree(&(struct scene) {
		.config = wide_config(),
		.traces = { trace_compute(400, 9, 50), trace_copy(60, 20, 16),
			    trace_random(60, 20, 4, 1ULL << 26),
			    trace_pairs(60, 6) },
		.cycles = 70000,
		.begin = begin_shared,
		.change = change,
		.end = many_switches,
	});
}

/* All SMs go to and fro between two tenants, whose contexts are saved. */
static void swap(const struct scene *scene, struct gpu *gpu, u64 *random)
{
	u32 i, turn = random_below(random, 2);

	if (random_below(random, 3))
		return;
	for (i = 0; i < scene->config.sms; i++)
		gpu_sm_assign(gpu, i, (i + turn) % 2, GPU_PREEMPT_SWITCH);
}

static void context_switches(void **state)
{
	all_ways_agree(&(struct scene) {
		.config = wide_config(),
		.traces = { trace_compute(400, 90, 50),
			    trace_copy(200, 60, 32) },
		.cycles = 40000,
		.begin = begin_apart,
		.change = swap,
		.end = many_switches,
	});
}

/* --- threads themselves ------------------------------------------------------------------ */

static void numbers_out_of_range_are_refused(void **state)
{
	struct gpu_config config = wide_config();
	struct threads *threads;

	assert_int_equal(threads_create(&threads, &config, 0), -EINVAL);
	assert_int_equal(threads_create(&threads, &config, 17), -EINVAL);
	config.sms = 80;
	assert_int_equal(threads_create(&threads, &config, GPU_VIEWS_MAX + 1),
			 -EINVAL);
	/* One that has had nothing to do ends. */
	assert_int_equal(threads_create(&threads, &config, GPU_VIEWS_MAX), 0);
	threads_destroy(threads);
}

/* The same threads run several devices by turns, as with private runs. */
static void threads_run_several_devices(void **state)
{
	struct gpu_config config = wide_config();
	struct trace *trace = trace_copy(200, 60, 32);
	struct threads *threads;
	struct gpu *gpus[3];
	u64 at;
	u32 i;

	assert_int_equal(threads_create(&threads, &config, 3), 0);
	for (i = 0; i < ARRAY_SIZE(gpus); i++) {
		gpus[i] = gpu_make(&config);
		own(gpus[i], 0, config.sms, 0);
		gpu_kernel_start(gpus[i], 0, trace, 0);
	}
	for (at = 0; at < 10000; at += 500) {
		threads_run(threads, gpus[0], at);
		threads_run(threads, gpus[1], at);
	}
	threads_destroy(threads);
	for (i = 0; i < ARRAY_SIZE(gpus); i++)
		gpu_run(gpus[i], 10000);
	for (i = 0; i < ARRAY_SIZE(gpus) - 1; i++)
		assert_true(gpu_state_hash(gpus[i]) == gpu_state_hash(gpus[2]));
	for (i = 0; i < ARRAY_SIZE(gpus); i++)
		free(gpus[i]);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_bound),
		cmocka_unit_test(heads_block),
		cmocka_unit_test(compute_bound),
		cmocka_unit_test(short_windows),
		cmocka_unit_test(long_windows),
		cmocka_unit_test(kernels_end),
		cmocka_unit_test(changes),
		cmocka_unit_test(context_switches),
		cmocka_unit_test(numbers_out_of_range_are_refused),
		cmocka_unit_test(threads_run_several_devices),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}

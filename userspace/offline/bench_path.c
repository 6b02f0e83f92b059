// SPDX-License-Identifier: GPL-2.0
/*
 * How long the engine would take on many cores, measured on one. The parts of each step
 * run one after the other, and only the longest of a step counts. The time that
 * threads lose when they meet is not included. Time is processor time: otherwise a part
 * during which another process had the core would be the longest of its step.
 */
#include "bench.h"
#include "bench_path.h"
#include "internal.h"

/*
 * struct path - a run of which only the longest part of each step counts
 * @views: parts of a step
 * @memory: memory of the views
 * @other_ns: time of parts that were not the longest of their step
 */
struct path {
	u32 views;
	void *memory;
	u64 other_ns;
};

u64 offline_processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (u64)now.tv_sec * 1000000000ULL + (u64)now.tv_nsec;
}

/* Run the parts of a step; Return: the time of all but the longest. */
static u64 take_step(struct gpu *gpu, u32 views)
{
	u64 before = offline_processor_ns(), longest = 0, all = 0;
	u32 i;

	for (i = 0; i < views; i++) {
		u64 now, took;

		gpu_take_step(gpu, i);
		now = offline_processor_ns();
		took = now - before;
		before = now;
		all += took;
		longest = took > longest ? took : longest;
	}
	return all - longest;
}

static void run_parts(void *context, struct gpu *gpu, u64 until, bool may_pause)
{
	struct path *path = context;

	gpu_set_views(gpu, path->memory, path->views);
	while (gpu_next_step(gpu, until) != GPU_STEP_DONE)
		path->other_ns += take_step(gpu, path->views);
	gpu_set_views(gpu, NULL, 1);
}

/* Run the trace on all SMs, again and again, like offline_measure(). */
static int run_session(struct session *session, const struct trace *trace,
		       u64 cycles)
{
	const struct session_tenant_options options = { .weight = 1 };
	u64 sequence;
	int ret = session_join(session, SESSION_ANY_SLOT, &options);

	if (ret < 0)
		return ret;
	ret = session_launch(session, (u32)ret, trace, 1, 0, &sequence);
	if (!ret)
		session_run(session, cycles);
	return ret;
}

static int run_path(const struct gpu_config *config, const struct offline_load *load,
		    struct path *path, u64 *ns)
{
	const struct session_hooks hooks = {
		.context = path,
		.run_gpu = run_parts,
	};
	struct session_options options;
	struct session *session;
	u64 start_ns;
	int ret;

	offline_bench_options(config, load->cycles, &options);
	ret = session_create(&session, &options, &hooks);
	if (ret)
		return ret;
	path->other_ns = 0;
	start_ns = offline_processor_ns();
	ret = run_session(session, load->trace, load->cycles);
	*ns = offline_processor_ns() - start_ns - path->other_ns;
	session_destroy(session);
	return ret;
}

int offline_measure_path(const struct gpu_config *config,
			 const struct offline_load *load, u32 threads, u64 *ns)
{
	/* Never 0, not even for one view. */
	size_t bytes = gpu_view_bytes(config, threads) + 64;
	struct path path = { .views = threads };
	u64 runs[OFFLINE_RUNS];
	int ret = 0;
	u32 i;

	path.memory = aligned_alloc(64, bytes & ~(size_t)63);
	if (!path.memory)
		return -ENOMEM;
	for (i = 0; !ret && i < OFFLINE_RUNS; i++) {
		u64 took;

		ret = run_path(config, load, &path, &took);
		offline_insert_ns(runs, i, took);
	}
	free(path.memory);
	if (!ret)
		*ns = offline_median_ns(runs);
	return ret;
}

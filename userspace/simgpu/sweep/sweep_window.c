// SPDX-License-Identifier: GPL-2.0
/*
 * Goals of a sweep are parts of what tenants do alone in a window as long as the
 * runs, and the throughput of best-effort work beside services is, too. So each workload
 * runs alone, in each slot where it occurs, with each seed.
 */
#include "../../offline/run.h"
#include "../interrupt.h"
#include "sweep_alone.h"
#include "sweep_axes.h"
#include "sweep_serve.h"
#include "sweep_window.h"

#define FIELD(name) offsetof(struct session_figures, name)

static const size_t window_fields[] = {
	FIELD(thread_instructions), FIELD(cycles), FIELD(ipc_ppm),
	FIELD(rbh_ppm), FIELD(bandwidth_ppm), FIELD(llc_mpki_ppm),
};

static struct session_figures *window_at(const struct sweep *sweep, u32 workload,
					 u32 slot, u32 seed)
{
	return &sweep->windows[(workload * MIX_TENANTS_MAX + slot) *
			       sweep->seeds + seed];
}

const struct session_figures *sweep_window(const struct sweep_run *run, u32 slot)
{
	if (!run->sweep->windows)
		return NULL;
	return window_at(run->sweep, run->mix->workload[slot], slot,
			 run->seed);
}

bool sweep_has_goals(const struct sweep *sweep)
{
	u32 i, slot;

	for (i = 0; i < sweep_axes_points(&sweep->axes) *
			sweep->suite.mix_count; i++)
		for (slot = 0; slot < sweep->mixes[i].count; slot++)
			if (sweep->mixes[i].goal_ppm[slot])
				return true;
	return false;
}

/* Whether some mix has a workload in a slot where its window is needed; not for services. */
static bool occurs(const struct sweep *sweep, u32 workload, u32 slot)
{
	u32 i;

	if (sweep->suite.serves && slot == SERVE_SERVICE)
		return false;

	for (i = 0; i < sweep->suite.mix_count; i++) {
		const struct mix *mix = &sweep->suite.mixes[i];

		if (slot < mix->count && mix->workload[slot] == workload)
			return true;
	}
	return false;
}

/* struct which - the workload, slot and seed of an index of the table */
struct which {
	u32 workload;
	u32 slot;
	u32 seed;
};

static struct which which_of(const struct sweep *sweep, u32 index)
{
	u32 seeds = (u32)sweep->seeds;

	return (struct which) {
		.workload = index / seeds / MIX_TENANTS_MAX,
		.slot = index / seeds % MIX_TENANTS_MAX,
		.seed = index % seeds,
	};
}

static int window_options(const struct sweep *sweep, struct which which,
			  struct session_options *options, struct kept *kept)
{
	char name[SIMGPU_NAME_MAX + 16];

	if (sweep_alone_options(sweep, which.seed, options))
		return -EINVAL;
	kept_append(kept, "window=%llu ", sweep->experiment.settings.session.stop_cycle);
	sweep_describe_alone(sweep, options, which.workload, which.slot, kept);
	snprintf(name, sizeof(name), "%s.%u",
		 sweep->suite.workloads[which.workload].name, which.slot);
	kept_locate(kept, sweep->folder, "windows", name);
	return 0;
}

static int make_window(struct sweep *sweep, struct which which,
		       const struct session_options *options,
		       struct kept *kept)
{
	const struct settings *settings = &sweep->experiment.settings;
	struct session_figures *out = window_at(sweep, which.workload,
						which.slot, which.seed);
	const struct workload *workload =
		&sweep->suite.workloads[which.workload];
	const struct offline_tenant tenant = {
		.trace = workload->trace, .queues = workload->queues,
		.managed = workload->managed,
	};
	FILE *file;
	int ret;

	ret = offline_alone_window(options, which.slot, &tenant,
				   settings->session.stop_cycle, settings->threads,
				   &interrupt_observer, out);
	if (ret)
		return ret;
	file = kept_create(kept);
	if (!file)
		return -errno;
	kept_write_row(file, out, window_fields, ARRAY_SIZE(window_fields));
	return kept_close(file, kept);
}

static void run_window(struct jobs *jobs, u32 index, void *context)
{
	struct sweep_work *work = context;
	struct which which = which_of(work->sweep, work->todo[index]);
	struct kept *kept = calloc(1, sizeof(*kept));
	struct session_options options;
	int ret = -ENOMEM;

	if (kept)
		ret = window_options(work->sweep, which, &options, kept);
	if (!ret)
		ret = make_window(work->sweep, which, &options, kept);
	if (ret)
		sweep_report_failure(jobs, work, "alone",
				     work->sweep->suite.workloads[which.workload].name,
				     ret);
	else
		jobs_progress(jobs, work->sweep->experiment.settings.session.stop_cycle);
	free(kept);
}

static bool read_window(struct sweep *sweep, struct which which)
{
	struct kept *kept = calloc(1, sizeof(*kept));
	struct session_options options;
	FILE *file = NULL;
	bool done = false;

	if (kept && !window_options(sweep, which, &options, kept))
		file = kept_open(kept);
	if (file) {
		done = kept_read_row(file, window_at(sweep, which.workload,
						     which.slot, which.seed),
				     window_fields, ARRAY_SIZE(window_fields));
		fclose(file);
	}
	free(kept);
	return done;
}

int sweep_find_windows(struct sweep *sweep)
{
	u32 most = sweep->suite.workload_count * MIX_TENANTS_MAX *
		   (u32)sweep->seeds, i;
	struct sweep_work work = { .sweep = sweep };

	if (!sweep_has_goals(sweep) && !sweep->suite.serves)
		return STATUS_OK;
	sweep->windows = calloc(most, sizeof(*sweep->windows));
	work.todo = calloc(most, sizeof(u32));
	if (!sweep->windows || !work.todo) {
		free(work.todo);
		return fail("out of memory");
	}
	for (i = 0; i < most; i++) {
		struct which which = which_of(sweep, i);

		/* There are few of them, and all hosts need them. */
		if (occurs(sweep, which.workload, which.slot) &&
		    !read_window(sweep, which))
			work.todo[work.todo_count++] = i;
	}
	jobs_run("windows", work.todo_count, sweep->workers, run_window,
		 &work, sweep->experiment.settings.session.stop_cycle *
		 work.todo_count);
	free(work.todo);
	return work.failed ? STATUS_FAILED : STATUS_OK;
}

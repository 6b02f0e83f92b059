// SPDX-License-Identifier: GPL-2.0
/*
 * The private runs of a sweep: each workload alone in each slot, with each seed.
 * One run serves all mixes, policies, models and points of axes.
 */
#include "../../offline/run.h"
#include "../interrupt.h"
#include "sweep_alone.h"
#include "sweep_kept.h"

#define FIELD(name) offsetof(struct offline_mark, name)

static const size_t mark_fields[] = {
	FIELD(instructions), FIELD(cycles), FIELD(figures.ipc_ppm),
	FIELD(figures.rbh_ppm), FIELD(figures.bandwidth_ppm),
	FIELD(figures.llc_mpki_ppm),
};

/**
 * struct alone - the private run of a workload in a slot, for all runs of the sweep
 * @seed: index, as in &struct sweep_run
 * @count: number of @marks
 * @marks: points where figures are taken, in order
 */
struct alone {
	struct sweep *sweep;
	u32 workload;
	u32 slot;
	u32 seed;
	u32 count;
	struct offline_mark *marks;
	bool done;
};

/* struct privates - all private runs */
struct privates {
	struct sweep_work work;
	struct alone *runs;
	u32 count;
};

/* Whether a tenant of that run needs this private run. */
static bool is_asked_by(const struct alone *alone, const struct sweep_run *run)
{
	return run->seed == alone->seed && alone->slot < run->mix->count &&
	       run->mix->workload[alone->slot] == alone->workload;
}

static int compare_marks(const void *a, const void *b)
{
	u64 left = ((const struct offline_mark *)a)->instructions;
	u64 right = ((const struct offline_mark *)b)->instructions;

	return left < right ? -1 : left > right;
}

static void add_mark(struct alone *alone, u64 instructions)
{
	if (instructions)
		alone->marks[alone->count++].instructions = instructions;
}

static u32 count_runs(const struct alone *alone)
{
	u32 count = 0, i;

	for (i = 0; i < alone->sweep->run_count; i++)
		count += is_asked_by(alone, &alone->sweep->runs[i]);
	return count;
}

/* Collect the points that runs of the sweep need, each once. */
static int collect_marks(struct alone *alone)
{
	const struct sweep *sweep = alone->sweep;
	u32 unique = 0, i;

	alone->marks = calloc(2 * count_runs(alone) + 1, sizeof(*alone->marks));
	if (!alone->marks)
		return fail("out of memory");
	for (i = 0; i < sweep->run_count; i++) {
		const struct sweep_run *run = &sweep->runs[i];
		const struct sweep_tenant *tenant = &run->tenants[alone->slot];

		if (!is_asked_by(alone, run))
			continue;
		add_mark(alone, tenant->instructions);
		add_mark(alone, tenant->late_instructions);
	}
	qsort(alone->marks, alone->count, sizeof(*alone->marks), compare_marks);
	for (i = 0; i < alone->count; i++)
		if (!unique || alone->marks[unique - 1].instructions !=
			       alone->marks[i].instructions)
			alone->marks[unique++] = alone->marks[i];
	alone->count = unique;
	return STATUS_OK;
}

/* --- its file --- */

/*
 * A private run is the same under every model. It is made with HSM's, which needs nothing
 * of the session that would slow the run, such as oracle's private runs. Settings that
 * change what policies see do not matter for a tenant alone.
 */
int sweep_alone_options(const struct sweep *sweep, u32 seed,
			struct session_options *options)
{
	struct settings settings = sweep->experiment.settings;

	strcpy(settings.policy, "even");
	strcpy(settings.model, "hsm");
	session_for_each_setting(setting)
		if (setting->flags & SESSION_SETTING_SIGHT)
			session_setting_set(setting, &settings.session, 0);
	settings.session.seed += seed;
	return settings_options(&settings, options);
}

void sweep_describe_alone(const struct sweep *sweep,
			  const struct session_options *options, u32 workload,
			  u32 slot, struct kept *kept)
{
	const struct workload *from = &sweep->suite.workloads[workload];
	const struct offline_queues *queues = &from->queues;
	u32 i;

	kept_append(kept, "program=%08x config=%s/%08x seed=%llu slot=%u trace=%08x",
		    sweep->program, options->config.name,
		    kept_checksum(&options->config, sizeof(options->config)),
		    options->seed, slot, from->trace->checksum);
	if (from->paged)
		kept_append(kept, " managed=%s", options->memory_policy ?
			    options->memory_policy->name : "default");
	if (queues->count < 2)
		return;
	kept_append(kept, " queues=%u", queues->count);
	for (i = 0; i < queues->count; i++)
		kept_append(kept, " %02x/%d", queues->waits[i],
			    queues->priority[i]);
}

static void locate(const struct alone *alone,
		   const struct session_options *options, struct kept *kept)
{
	const struct sweep *sweep = alone->sweep;
	char name[SIMGPU_NAME_MAX + 16];

	sweep_describe_alone(sweep, options, alone->workload, alone->slot,
			     kept);
	snprintf(name, sizeof(name), "%s.%u",
		 sweep->suite.workloads[alone->workload].name, alone->slot);
	kept_locate(kept, sweep->folder, "private", name);
}

/* Whether the file has all marks; then they are filled in. */
static bool read_marks(struct alone *alone, const struct kept *kept)
{
	FILE *file = kept_open(kept);
	struct offline_mark mark;
	u32 next = 0;

	if (!file)
		return false;
	memset(&mark, 0, sizeof(mark));
	while (next < alone->count &&
	       kept_read_row(file, &mark, mark_fields, ARRAY_SIZE(mark_fields)))
		if (mark.instructions == alone->marks[next].instructions)
			alone->marks[next++] = mark;
	fclose(file);
	return next == alone->count;
}

/* Keep the marks that the file has already: another suite may need them. */
static int merge_known(struct alone *alone, const struct kept *kept)
{
	FILE *file = kept_open(kept);
	struct offline_mark mark;

	memset(&mark, 0, sizeof(mark));
	while (file &&
	       kept_read_row(file, &mark, mark_fields, ARRAY_SIZE(mark_fields))) {
		void *more;

		if (bsearch(&mark, alone->marks, alone->count, sizeof(mark),
			    compare_marks))
			continue;
		more = realloc(alone->marks,
			       (alone->count + 1) * sizeof(mark));
		if (!more) {
			fclose(file);
			return -ENOMEM;
		}
		alone->marks = more;
		alone->marks[alone->count++] = mark;
		qsort(alone->marks, alone->count, sizeof(mark), compare_marks);
	}
	if (file)
		fclose(file);
	return 0;
}

static int write_marks(const struct alone *alone, struct kept *kept)
{
	FILE *file = kept_create(kept);
	u32 i;

	if (!file)
		return -errno;
	for (i = 0; i < alone->count; i++)
		kept_write_row(file, &alone->marks[i], mark_fields,
			       ARRAY_SIZE(mark_fields));
	return kept_close(file, kept);
}

/* --- running it --- */

static int simulate_alone(struct alone *alone, struct jobs *jobs,
			  const struct session_options *options)
{
	struct offline_experiment *experiment = calloc(1, sizeof(*experiment));
	struct jobs_watch watch = { .jobs = jobs };
	const struct offline_observer observer = {
		.context = &watch,
		.progress = jobs_follow,
		.stop = interrupted,
	};
	struct offline_tenant *tenant;
	int ret;

	if (!experiment)
		return -ENOMEM;
	experiment->options = *options;
	experiment->threads = alone->sweep->experiment.settings.threads;
	tenant = &experiment->tenants[alone->slot];
	tenant->options.weight = 1;
	tenant->trace = alone->sweep->suite.workloads[alone->workload].trace;
	tenant->queues = alone->sweep->suite.workloads[alone->workload].queues;
	tenant->managed = alone->sweep->suite.workloads[alone->workload].managed;
	ret = offline_private_run(experiment, alone->slot, alone->marks,
				  alone->count, &observer);
	free(experiment);
	return ret;
}

static void run_alone(struct jobs *jobs, u32 index, void *context)
{
	struct privates *privates = context;
	struct sweep_work *work = &privates->work;
	struct alone *alone = &privates->runs[work->todo[index]];
	struct kept *kept = calloc(1, sizeof(*kept));
	struct session_options options;
	int ret = -ENOMEM;

	if (kept && !sweep_alone_options(alone->sweep, alone->seed, &options)) {
		locate(alone, &options, kept);
		ret = merge_known(alone, kept);
		if (!ret)
			ret = simulate_alone(alone, jobs, &options);
		if (!ret)
			ret = write_marks(alone, kept);
		alone->done = !ret;
	}
	if (ret)
		sweep_report_failure(jobs, work, "alone",
				     work->sweep->suite.workloads[alone->workload].name,
				     ret);
	free(kept);
}

static bool alone_is_done(struct alone *alone)
{
	struct kept *kept = calloc(1, sizeof(*kept));
	struct session_options options;
	bool done = false;

	if (kept && !sweep_alone_options(alone->sweep, alone->seed, &options)) {
		locate(alone, &options, kept);
		done = read_marks(alone, kept);
	}
	free(kept);
	return done;
}

static void find_mark(const struct alone *alone, u64 instructions,
		      struct offline_mark *out)
{
	const struct offline_mark *found;

	out->instructions = instructions;
	found = bsearch(out, alone->marks, alone->count, sizeof(*found),
			compare_marks);
	if (found)
		*out = *found;
}

/* Give each run the marks that it needs. */
static void distribute(const struct alone *alone)
{
	const struct sweep *sweep = alone->sweep;
	u32 i;

	for (i = 0; i < sweep->run_count; i++) {
		struct sweep_run *run = &sweep->runs[i];
		struct sweep_tenant *tenant = &run->tenants[alone->slot];

		if (!is_asked_by(alone, run))
			continue;
		find_mark(alone, tenant->instructions, &tenant->alone);
		find_mark(alone, tenant->late_instructions,
			  &tenant->alone_late);
	}
}

/* --- all of them --- */

static int add_alone(struct privates *privates, u32 workload, u32 slot, u32 seed)
{
	struct alone *alone = &privates->runs[privates->count];

	*alone = (struct alone) {
		.sweep = privates->work.sweep, .workload = workload,
		.slot = slot, .seed = seed,
	};
	if (collect_marks(alone))
		return STATUS_FAILED;
	privates->count++;
	alone->done = !alone->count || alone_is_done(alone);
	return STATUS_OK;
}

static int add_all(struct privates *privates)
{
	struct sweep *sweep = privates->work.sweep;
	u32 workload, slot, seed;

	for (workload = 0; workload < sweep->suite.workload_count; workload++)
		for (slot = 0; slot < MIX_TENANTS_MAX; slot++)
			for (seed = 0; seed < sweep->seeds; seed++)
				if (add_alone(privates, workload, slot, seed))
					return STATUS_FAILED;
	return STATUS_OK;
}

static u64 instructions_of(const struct alone *alone)
{
	return alone->count ? alone->marks[alone->count - 1].instructions : 0;
}

static int run_privates(struct privates *privates)
{
	struct sweep *sweep = privates->work.sweep;
	struct sweep_work *work = &privates->work;
	u64 total = 0;
	u32 i;

	if (add_all(privates))
		return STATUS_FAILED;
	for (i = 0; i < privates->count; i++) {
		if (privates->runs[i].done || !sweep_is_of_part(sweep, i))
			continue;
		work->todo[work->todo_count++] = i;
		total += instructions_of(&privates->runs[i]);
	}
	jobs_run("alone", work->todo_count, sweep->workers, run_alone,
		 privates, total);
	for (i = 0; i < privates->count; i++)
		if (privates->runs[i].done)
			distribute(&privates->runs[i]);
	return work->failed ? STATUS_FAILED : STATUS_OK;
}

int sweep_find_truth(struct sweep *sweep)
{
	u32 most = sweep->suite.workload_count * MIX_TENANTS_MAX *
		   (u32)sweep->seeds, i;
	struct privates privates = {
		.work = { .sweep = sweep,
			  .todo = calloc(most, sizeof(u32)) },
		.runs = calloc(most, sizeof(struct alone)),
	};
	int ret;

	if (!privates.work.todo || !privates.runs)
		ret = fail("out of memory");
	else
		ret = run_privates(&privates);
	for (i = 0; i < privates.count; i++)
		free(privates.runs[i].marks);
	free(privates.runs);
	free(privates.work.todo);
	return ret;
}

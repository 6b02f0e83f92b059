// SPDX-License-Identifier: GPL-2.0
/*
 * The runs of a sweep. Each leaves a small file in the sweep's folder when it is
 * done; a run whose file is there is not made again. A file is named after what
 * was run and a checksum of all that decides the result, this program included,
 * so figures of another experiment are never taken for this one's.
 */
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "jobs.h"
#include "sweep.h"

#define PATH_BYTES		4096
#define FINGERPRINT_BYTES	4096
#define LINE_BYTES		1024

/* --- what decides a result --- */

static u32 checksum(const void *bytes, size_t count)
{
	return (u32)crc32(crc32(0, NULL, 0), bytes, (uInt)count);
}

/* struct text - a line that grows */
struct text {
	char bytes[FINGERPRINT_BYTES];
	size_t count;
};

__attribute__((format(printf, 2, 3)))
static void append(struct text *text, const char *format, ...)
{
	va_list arguments;
	int added;

	va_start(arguments, format);
	added = vsnprintf(text->bytes + text->count,
			  sizeof(text->bytes) - text->count, format, arguments);
	va_end(arguments);
	if (added > 0 && text->count + (size_t)added < sizeof(text->bytes))
		text->count += (size_t)added;
}

/* What a private run depends on. */
static void describe_alone(const struct sweep *sweep,
			   const struct session_options *options, u32 workload,
			   u32 slot, struct text *out)
{
	append(out, "program=%08x config=%s/%08x seed=%llu slot=%u trace=%08x",
	       sweep->program, options->config.name,
	       checksum(&options->config, sizeof(options->config)),
	       options->seed, slot,
	       sweep->suite.workloads[workload].trace->checksum);
}

static void describe_knobs(const struct simgpu_param *params, const u64 *values,
			   struct text *out)
{
	u32 i;

	for (i = 0; params && params[i].name; i++)
		append(out, " %s=%llu", params[i].name, values[i]);
}

static void describe_run(const struct sweep_run *run,
			 const struct session_options *options, struct text *out)
{
	const struct mix *mix = run->mix;
	u32 slot;

	append(out, "policy=%s model=%s cycles=%llu epoch=%llu kernel_end=%u preemption=%u warmup=%llu",
	       run->policy, options->model->name, options->stop_cycle,
	       options->epoch_cycles, options->kernel_end, options->preemption,
	       run->sweep->warmup_cycles);
	describe_knobs(options->policy->params, options->policy_params, out);
	describe_knobs(options->model->params, options->model_params, out);
	for (slot = 0; slot < mix->count; slot++) {
		append(out, " [weight=%u target=%llu ",
		       mix->options[slot].weight,
		       mix->options[slot].target_ppm);
		describe_alone(run->sweep, options, mix->workload[slot], slot,
			       out);
		append(out, "]");
	}
}

/* --- files --- */

/* Workloads' names may hold anything. */
static void path_of(const struct sweep *sweep, const char *kind,
		    const char *name, const struct text *fingerprint,
		    char path[PATH_BYTES])
{
	char *c;
	size_t start;

	start = (size_t)snprintf(path, PATH_BYTES, "%s/%s/", sweep->folder,
				 kind);
	snprintf(path + start, PATH_BYTES - start, "%s.%08x", name,
		 checksum(fingerprint->bytes, fingerprint->count));
	for (c = path + start; *c; c++)
		if (*c == '/' || *c == ' ')
			*c = '_';
}

static FILE *open_known(const char *path, const struct text *fingerprint)
{
	char line[FINGERPRINT_BYTES];
	FILE *file = fopen(path, "r");

	if (file && fgets(line, sizeof(line), file) &&
	    !strncmp(line, fingerprint->bytes, fingerprint->count) &&
	    line[fingerprint->count] == '\n')
		return file;
	if (file)
		fclose(file);
	return NULL;
}

/* A temporary name first: a file that is there is whole. */
static FILE *open_new(const char *path, char temporary[PATH_BYTES + 8],
		      const struct text *fingerprint)
{
	FILE *file;

	snprintf(temporary, PATH_BYTES + 8, "%s.%d", path, getpid());
	file = fopen(temporary, "w");
	if (file)
		fprintf(file, "%s\n", fingerprint->bytes);
	return file;
}

static int close_new(FILE *file, const char *path, const char *temporary)
{
	bool bad = ferror(file);

	if (fclose(file) || bad || rename(temporary, path)) {
		unlink(temporary);
		return -EIO;
	}
	return 0;
}

#define FIELD(name) offsetof(struct sweep_tenant, name)

static const size_t run_fields[] = {
	FIELD(instructions), FIELD(cycles), FIELD(ipc_ppm), FIELD(rbh_ppm),
	FIELD(bandwidth_ppm), FIELD(llc_mpki_ppm), FIELD(sms_milli),
	FIELD(class), FIELD(np_predicted_ppm), FIELD(first_run_done),
	FIELD(late_instructions), FIELD(late_cycles),
};

#undef FIELD
#define FIELD(name) offsetof(struct offline_mark, name)

static const size_t mark_fields[] = {
	FIELD(instructions), FIELD(cycles), FIELD(class), FIELD(figures.ipc_ppm),
	FIELD(figures.rbh_ppm), FIELD(figures.bandwidth_ppm),
	FIELD(figures.llc_mpki_ppm),
};

/* Fields are all u64; one row a line, separated by commas. */
static void write_row(FILE *file, const void *row, const size_t *fields,
		      size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		fprintf(file, "%s%llu", i ? "," : "",
			*(const u64 *)((const char *)row + fields[i]));
	fputc('\n', file);
}

static bool read_row(FILE *file, void *row, const size_t *fields, size_t count)
{
	char line[LINE_BYTES], *rest = line;
	size_t i;

	if (!fgets(line, sizeof(line), file))
		return false;
	for (i = 0; i < count; i++) {
		char *end;

		*(u64 *)((char *)row + fields[i]) = strtoull(rest, &end, 10);
		if (end == rest || *end != (i + 1 < count ? ',' : '\n'))
			return false;
		rest = end + 1;
	}
	return true;
}

/* --- runs of mixes --- */

static int run_options(const struct sweep_run *run,
		       struct session_options *options)
{
	struct settings settings = run->sweep->experiment.settings;

	strcpy(settings.policy, run->policy);
	return settings_options(&settings, options);
}

/* What decides a run, and the file of its figures. */
static void locate_run(const struct sweep_run *run,
		       const struct session_options *options,
		       struct text *fingerprint, char path[PATH_BYTES])
{
	describe_run(run, options, fingerprint);
	path_of(run->sweep, "runs", run->mix->name, fingerprint, path);
}

static bool read_run(struct sweep_run *run, const char *path,
		     const struct text *fingerprint)
{
	FILE *file = open_known(path, fingerprint);
	bool good;
	u32 slot;

	if (!file)
		return false;
	good = fscanf(file, "state_hash=%llx\n", &run->state_hash) == 1;
	for (slot = 0; good && slot < run->mix->count; slot++)
		good = read_row(file, &run->tenants[slot], run_fields,
				ARRAY_SIZE(run_fields));
	fclose(file);
	return good;
}

static int write_run(const struct sweep_run *run, const char *path,
		     const struct text *fingerprint)
{
	char temporary[PATH_BYTES + 8];
	FILE *file = open_new(path, temporary, fingerprint);
	u32 slot;

	if (!file)
		return -errno;
	fprintf(file, "state_hash=%016llx\n", run->state_hash);
	for (slot = 0; slot < run->mix->count; slot++)
		write_row(file, &run->tenants[slot], run_fields,
			  ARRAY_SIZE(run_fields));
	return close_new(file, path, temporary);
}

/* struct watch - a run that is going on */
struct watch {
	struct jobs *jobs;
	struct sweep_run *run;
	u64 cycle;
};

static void on_progress(void *context, u64 cycle)
{
	struct watch *watch = context;

	jobs_progress(watch->jobs, cycle - watch->cycle);
	watch->cycle = cycle;
}

/* Count what lies before the warm-up's end, while it is not reached. */
static void on_epoch(void *context, const struct session_epoch *epoch)
{
	const struct watch *watch = context;
	u64 warmup = watch->run->sweep->warmup_cycles;
	u32 i;

	if (epoch->start_cycle >= warmup)
		return;
	for (i = 0; i < epoch->tenant_count; i++) {
		const struct session_epoch_tenant *row = &epoch->tenants[i];
		struct sweep_tenant *tenant = &watch->run->tenants[row->slot];

		if (!row->first_run)
			continue;
		tenant->late_instructions += row->counters.thread_instructions;
		tenant->late_cycles += epoch->end_cycle - epoch->start_cycle;
	}
}

static void fill_tenant(struct sweep_tenant *tenant, u64 cycle,
			const struct session_tenant_report *report)
{
	const struct session_figures *figures = &report->figures;

	tenant->instructions = figures->thread_instructions;
	tenant->cycles = figures->cycles;
	tenant->ipc_ppm = figures->ipc_ppm;
	tenant->rbh_ppm = figures->rbh_ppm;
	tenant->bandwidth_ppm = figures->bandwidth_ppm;
	tenant->llc_mpki_ppm = figures->llc_mpki_ppm;
	tenant->sms_milli = fixed_mul_div(report->counters.sm_cycles, 1000,
					  cycle);
	tenant->class = report->class;
	tenant->np_predicted_ppm = report->np_run_ppm;
	tenant->first_run_done = report->first_run_done;
	/* It did not outlive the warm-up. */
	if (tenant->late_instructions >= tenant->instructions)
		tenant->late_instructions = tenant->late_cycles = 0;
}

static int simulate(struct watch *watch, const struct session_options *options,
		    struct offline_experiment *experiment,
		    struct offline_result *result)
{
	const struct offline_observer observer = {
		.context = watch, .epoch = on_epoch, .progress = on_progress,
	};
	struct sweep_run *run = watch->run;
	const struct mix *mix = run->mix;
	u32 slot;
	int ret;

	experiment->options = *options;
	experiment->count = mix->count;
	for (slot = 0; slot < mix->count; slot++) {
		experiment->tenants[slot].options = mix->options[slot];
		experiment->tenants[slot].trace =
			run->sweep->suite.workloads[mix->workload[slot]].trace;
	}
	ret = offline_run(experiment, &observer, result);
	if (ret)
		return ret;
	run->state_hash = result->state_hash;
	for (slot = 0; slot < mix->count; slot++)
		fill_tenant(&run->tenants[slot], result->cycle,
			    &result->reports[slot]);
	return 0;
}

/* struct work - what the jobs of a phase have in common */
struct work {
	struct sweep *sweep;
	u32 *todo;
	u32 todo_count;
	bool failed;
};

/* Say it once a run; jobs share standard error. */
static void report_failure(struct jobs *jobs, struct work *work,
			   const char *policy, const char *name, int error)
{
	jobs_lock(jobs);
	progress_end();
	work->failed = true;
	fail("%s, %s: %s", policy, name, error == -E2BIG ?
	     "a thread block does not fit on an SM" : strerror(-error));
	jobs_unlock(jobs);
}

static void run_mix(struct jobs *jobs, u32 index, void *context)
{
	struct work *work = context;
	struct sweep_run *run = &work->sweep->runs[work->todo[index]];
	struct watch watch = { .jobs = jobs, .run = run };
	struct offline_experiment *experiment = calloc(1, sizeof(*experiment));
	struct offline_result *result = calloc(1, sizeof(*result));
	struct text *fingerprint = calloc(1, sizeof(*fingerprint));
	struct session_options options;
	char path[PATH_BYTES];
	int ret = -ENOMEM;

	memset(run->tenants, 0, sizeof(run->tenants));
	if (experiment && result && fingerprint) {
		ret = run_options(run, &options) ? -EINVAL : 0;
		if (!ret)
			ret = simulate(&watch, &options, experiment, result);
	}
	if (!ret) {
		locate_run(run, &options, fingerprint, path);
		ret = write_run(run, path, fingerprint);
	}
	if (ret)
		report_failure(jobs, work, run->policy, run->mix->name, ret);
	free(experiment);
	free(result);
	free(fingerprint);
}

static bool is_done(struct sweep_run *run)
{
	struct text *fingerprint = calloc(1, sizeof(*fingerprint));
	struct session_options options;
	char path[PATH_BYTES];
	bool done = false;

	if (fingerprint && !run_options(run, &options)) {
		locate_run(run, &options, fingerprint, path);
		done = read_run(run, path, fingerprint);
	}
	free(fingerprint);
	return done;
}

/* Whether a run is this command's to make; if not, it is missed. */
static bool is_of_part(struct sweep *sweep, u32 index)
{
	if (index % sweep->parts == sweep->part)
		return true;
	sweep->incomplete = true;
	return false;
}

static int run_mixes(struct sweep *sweep)
{
	struct work work = { .sweep = sweep };
	u64 cycles = sweep->experiment.settings.cycles;
	u32 i;

	work.todo = calloc(sweep->run_count, sizeof(*work.todo));
	if (!work.todo)
		return fail("out of memory");
	for (i = 0; i < sweep->run_count; i++)
		if (!is_done(&sweep->runs[i]) && is_of_part(sweep, i))
			work.todo[work.todo_count++] = i;
	if (work.todo_count)
		warn("%u runs, %u of them to be made", sweep->run_count,
		     work.todo_count);
	jobs_run("mixes", work.todo_count, sweep->workers, run_mix, &work,
		 cycles * work.todo_count);
	free(work.todo);
	return work.failed ? STATUS_FAILED : STATUS_OK;
}

/* --- private runs --- */

/**
 * struct alone - the private run of a workload in a slot, for all its runs
 * @marks: where it is looked at, in order
 */
struct alone {
	struct sweep *sweep;
	u32 workload;
	u32 slot;
	u32 count;
	struct offline_mark *marks;
	bool done;
};

/* struct privates - all of them */
struct privates {
	struct work work;
	struct alone *runs;
	u32 count;
};

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

/* All points that runs of the sweep ask for, each once. */
static void collect_marks(struct alone *alone)
{
	const struct sweep *sweep = alone->sweep;
	u32 unique = 0, i;

	for (i = 0; i < sweep->run_count; i++) {
		const struct sweep_run *run = &sweep->runs[i];
		const struct sweep_tenant *tenant = &run->tenants[alone->slot];

		if (alone->slot >= run->mix->count ||
		    run->mix->workload[alone->slot] != alone->workload)
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
}

static void describe(const struct alone *alone,
		     const struct session_options *options, char *path,
		     struct text *fingerprint)
{
	const struct sweep *sweep = alone->sweep;
	char name[SIMGPU_NAME_MAX + 16];

	describe_alone(sweep, options, alone->workload, alone->slot,
		       fingerprint);
	snprintf(name, sizeof(name), "%s.%u",
		 sweep->suite.workloads[alone->workload].name, alone->slot);
	path_of(sweep, "private", name, fingerprint, path);
}

/* Whether the file knows all marks; then they are filled in. */
static bool read_marks(struct alone *alone, const char *path,
		       const struct text *fingerprint)
{
	FILE *file = open_known(path, fingerprint);
	struct offline_mark mark;
	u32 next = 0;

	if (!file)
		return false;
	memset(&mark, 0, sizeof(mark));
	while (next < alone->count &&
	       read_row(file, &mark, mark_fields, ARRAY_SIZE(mark_fields)))
		if (mark.instructions == alone->marks[next].instructions)
			alone->marks[next++] = mark;
	fclose(file);
	return next == alone->count;
}

/* The marks that are known already are kept: another suite may need them. */
static int merge_known(struct alone *alone, const char *path,
		       const struct text *fingerprint)
{
	FILE *file = open_known(path, fingerprint);
	struct offline_mark mark;

	memset(&mark, 0, sizeof(mark));
	while (file &&
	       read_row(file, &mark, mark_fields, ARRAY_SIZE(mark_fields))) {
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

static int write_marks(const struct alone *alone, const char *path,
		       const struct text *fingerprint)
{
	char temporary[PATH_BYTES + 8];
	FILE *file = open_new(path, temporary, fingerprint);
	u32 i;

	if (!file)
		return -errno;
	for (i = 0; i < alone->count; i++)
		write_row(file, &alone->marks[i], mark_fields,
			  ARRAY_SIZE(mark_fields));
	return close_new(file, path, temporary);
}

/* struct alone_watch - a private run that is going on */
struct alone_watch {
	struct jobs *jobs;
	u64 done;
};

static void on_alone_progress(void *context, u64 done)
{
	struct alone_watch *watch = context;

	jobs_progress(watch->jobs, done - watch->done);
	watch->done = done;
}

static int simulate_alone(struct alone *alone, struct jobs *jobs,
			  const struct session_options *options)
{
	struct offline_experiment *experiment = calloc(1, sizeof(*experiment));
	struct alone_watch watch = { .jobs = jobs };
	struct offline_tenant *tenant;
	int ret;

	if (!experiment)
		return -ENOMEM;
	experiment->options = *options;
	tenant = &experiment->tenants[alone->slot];
	tenant->options.weight = 1;
	tenant->trace = alone->sweep->suite.workloads[alone->workload].trace;
	ret = offline_private_run(experiment, alone->slot, alone->marks,
				  alone->count, on_alone_progress, &watch);
	free(experiment);
	return ret;
}

static void run_alone(struct jobs *jobs, u32 index, void *context)
{
	struct privates *privates = context;
	struct work *work = &privates->work;
	struct alone *alone = &privates->runs[work->todo[index]];
	struct text *fingerprint = calloc(1, sizeof(*fingerprint));
	struct session_options options;
	char path[PATH_BYTES];
	int ret = -ENOMEM;

	if (fingerprint && !run_options(&work->sweep->runs[0], &options)) {
		describe(alone, &options, path, fingerprint);
		ret = merge_known(alone, path, fingerprint);
		if (!ret)
			ret = simulate_alone(alone, jobs, &options);
		if (!ret)
			ret = write_marks(alone, path, fingerprint);
	}
	if (ret)
		report_failure(jobs, work, "alone",
			       work->sweep->suite.workloads[alone->workload].name,
			       ret);
	free(fingerprint);
}

static bool alone_is_done(struct alone *alone)
{
	struct text *fingerprint = calloc(1, sizeof(*fingerprint));
	struct session_options options;
	char path[PATH_BYTES];
	bool done = false;

	if (fingerprint && !run_options(&alone->sweep->runs[0], &options)) {
		describe(alone, &options, path, fingerprint);
		done = read_marks(alone, path, fingerprint);
	}
	free(fingerprint);
	return done;
}

/* Give each run the marks that it asked for. */
static void distribute(const struct alone *alone)
{
	const struct sweep *sweep = alone->sweep;
	u32 i;

	for (i = 0; i < sweep->run_count; i++) {
		struct sweep_run *run = &sweep->runs[i];
		struct sweep_tenant *tenant = &run->tenants[alone->slot];
		const struct offline_mark *found;

		if (alone->slot >= run->mix->count ||
		    run->mix->workload[alone->slot] != alone->workload)
			continue;
		tenant->alone.instructions = tenant->instructions;
		tenant->alone_late.instructions = tenant->late_instructions;
		found = bsearch(&tenant->alone, alone->marks, alone->count,
				sizeof(*found), compare_marks);
		if (found)
			tenant->alone = *found;
		found = bsearch(&tenant->alone_late, alone->marks, alone->count,
				sizeof(*found), compare_marks);
		if (found)
			tenant->alone_late = *found;
	}
}

static int add_alone(struct privates *privates, u32 workload, u32 slot)
{
	struct sweep *sweep = privates->work.sweep;
	struct alone *alone = &privates->runs[privates->count];

	*alone = (struct alone) {
		.sweep = sweep, .workload = workload, .slot = slot,
		.marks = calloc(2 * sweep->run_count,
				sizeof(*alone->marks)),
	};
	if (!alone->marks)
		return fail("out of memory");
	privates->count++;
	collect_marks(alone);
	alone->done = !alone->count || alone_is_done(alone);
	return STATUS_OK;
}

static u64 instructions_of(const struct alone *alone)
{
	return alone->count ? alone->marks[alone->count - 1].instructions : 0;
}

static int run_privates(struct privates *privates)
{
	struct sweep *sweep = privates->work.sweep;
	struct work *work = &privates->work;
	u64 total = 0;
	u32 workload, slot, i;

	for (workload = 0; workload < sweep->suite.workload_count; workload++)
		for (slot = 0; slot < MIX_TENANTS_MAX; slot++)
			if (add_alone(privates, workload, slot))
				return STATUS_FAILED;
	for (i = 0; i < privates->count; i++) {
		if (privates->runs[i].done || !is_of_part(sweep, i))
			continue;
		work->todo[work->todo_count++] = i;
		total += instructions_of(&privates->runs[i]);
	}
	jobs_run("alone", work->todo_count, sweep->workers, run_alone,
		 privates, total);
	for (i = 0; i < privates->count; i++)
		distribute(&privates->runs[i]);
	return work->failed ? STATUS_FAILED : STATUS_OK;
}

static int find_truth(struct sweep *sweep)
{
	u32 most = sweep->suite.workload_count * MIX_TENANTS_MAX, i;
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

/* --- all of it --- */

static int make_folder(const char *folder, const char *name)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s%s%s", folder, *name ? "/" : "", name);
	if (mkdir(path, 0777) && errno != EEXIST)
		return fail("%s: %s", path, strerror(errno));
	return STATUS_OK;
}

int sweep_run_all(struct sweep *sweep)
{
	if (make_folder(sweep->folder, "") ||
	    make_folder(sweep->folder, "runs") ||
	    make_folder(sweep->folder, "private"))
		return STATUS_FAILED;
	if (run_mixes(sweep))
		return STATUS_FAILED;
	return sweep->incomplete ? STATUS_OK : find_truth(sweep);
}

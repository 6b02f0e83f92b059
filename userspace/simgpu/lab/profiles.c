// SPDX-License-Identifier: GPL-2.0
/* Profiles of kernels; see profile.h. */
#include "../../offline/profile.h"
#include "../../offline/run.h"
#include "../../workloads/builder.h"
#include "../interrupt.h"
#include "../jobs.h"
#include "profile.h"
#include "profile_dummy.h"
#include "profiles.h"
#include "../trace/trace_view.h"

/* --- which kernels ----------------------------------------------------------- */

/* Whether two kernels of a trace do the same; their names may differ. */
static bool are_equal(const struct simgpu_trace_kernel *a,
		      const struct simgpu_trace_kernel *b)
{
	struct simgpu_trace_kernel named = *b;

	memcpy(named.name, a->name, sizeof(named.name));
	return !memcmp(a, &named, sizeof(named));
}

/* Add the rows of a workload; equal kernels refer to the first of them. */
static void list_kernels(struct profiles *profiles, u32 index)
{
	const struct workload *workload = &profiles->workloads[index];
	const struct simgpu_trace_kernel *kernels =
		view_of(workload->bytes).kernels;
	u32 first = profiles->count, kernel, i;

	for (kernel = 0; kernel < workload->trace->kernel_count; kernel++) {
		struct kernel_profile *row = &profiles->rows[profiles->count];

		row->workload = index;
		row->kernel = kernel;
		for (i = first; i < profiles->count; i++)
			if (are_equal(&kernels[profiles->rows[i].kernel],
				      &kernels[kernel]))
				break;
		row->same_as = i;
		profiles->count++;
	}
}

int profiles_open(struct profiles *profiles, char **names, u32 count)
{
	u32 kernels = 0, i;
	int ret;

	profiles->workloads = grow(NULL, count, sizeof(*profiles->workloads));
	for (i = 0; i < count; i++) {
		struct workload *workload = &profiles->workloads[i];

		ret = workload_read(names[i], &profiles->config, workload);
		if (ret)
			return ret;
		profiles->workload_count++;
		ret = workload_decode(workload, &profiles->config);
		if (ret)
			return ret;
		kernels += workload->trace->kernel_count;
	}
	profiles->rows = calloc(kernels, sizeof(*profiles->rows));
	if (!profiles->rows)
		return fail("out of memory");
	for (i = 0; i < count; i++)
		list_kernels(profiles, i);
	return STATUS_OK;
}

void profiles_free(struct profiles *profiles)
{
	u32 i;

	for (i = 0; i < profiles->workload_count; i++)
		workload_free(&profiles->workloads[i]);
	free(profiles->workloads);
	free(profiles->rows);
}

/* --- measuring ------------------------------------------------------------------- */

/**
 * struct measurement - the measurement of all kernels that differ
 * @rows: indices of their rows
 * @count: number of rows
 * @seed: seed of all random numbers
 */
struct measurement {
	struct profiles *profiles;
	u32 *rows;
	u32 count;
	u64 seed;
};

/* Measure one kernel on one SM count; the lowest counts, which take longest, come first. */
static void measure_point(struct jobs *jobs, u32 index, void *context)
{
	struct measurement *measurement = context;
	struct profiles *profiles = measurement->profiles;
	struct kernel_profile *row =
		&profiles->rows[measurement->rows[index % measurement->count]];
	const struct trace *trace = profiles->workloads[row->workload].trace;
	u32 sms = index / measurement->count + 1;
	int ret;

	ret = offline_profile(&profiles->config, trace, row->kernel, sms,
			      measurement->seed, &row->points[sms - 1]);
	jobs_lock(jobs);
	if (ret)
		row->ret = ret;
	jobs_unlock(jobs);
	jobs_progress(jobs, 1);
}

/* Measure one kernel beside a dummy kernel, on all SM counts. */
static void measure_dummy(struct jobs *jobs, u32 index, void *context)
{
	struct measurement *measurement = context;
	struct profiles *profiles = measurement->profiles;
	struct kernel_profile *row = &profiles->rows[measurement->rows[index]];
	const struct trace *trace = profiles->workloads[row->workload].trace;

	if (!row->ret)
		row->ret = profile_dummy(&profiles->config, trace, row->kernel,
				measurement->seed,
				row->points[profiles->config.sms - 1].cycles,
				row->dummy);
	jobs_progress(jobs, 1);
}

static int explain(const struct profiles *profiles,
		   const struct kernel_profile *row)
{
	const char *name = profiles->workloads[row->workload].name;

	if (row->ret == -ERANGE)
		return fail("%s: kernel %u takes more than 2^32 cycles; a profile has room for less",
			    name, row->kernel);
	return fail("%s: %s", name, offline_error(row->ret));
}

/* Copy the points of a kernel to all kernels that equal it. */
static int share_points(struct profiles *profiles)
{
	u32 i;

	for (i = 0; i < profiles->count; i++) {
		struct kernel_profile *row = &profiles->rows[i];
		const struct kernel_profile *first = &profiles->rows[row->same_as];

		if (first->ret)
			return explain(profiles, first);
		memcpy(row->points, first->points, sizeof(row->points));
		memcpy(row->dummy, first->dummy, sizeof(row->dummy));
	}
	return STATUS_OK;
}

int profiles_measure(struct profiles *profiles, u64 workers, u64 seed, bool dummy)
{
	struct measurement measurement = {
		.profiles = profiles, .seed = seed,
	};
	u32 total, i;

	measurement.rows = grow(NULL, profiles->count, sizeof(u32));
	for (i = 0; i < profiles->count; i++)
		if (profiles->rows[i].same_as == i)
			measurement.rows[measurement.count++] = i;
	total = measurement.count * profiles->config.sms;
	jobs_run("profiling", total, workers, measure_point, &measurement, total);
	if (dummy)
		jobs_run("profiling beside a dummy", measurement.count, workers,
			 measure_dummy, &measurement, measurement.count);
	free(measurement.rows);
	if (interrupted())
		return fail("stopped by %s while kernels were profiled",
			    interrupt_name());
	return share_points(profiles);
}

/* --- writing ----------------------------------------------------------------------- */

/* Add the profiles for the present GPU; rows that share points refer to them. */
static void add_measured(struct builder *builder, const struct profiles *profiles)
{
	const struct workload *workload = &profiles->workloads[0];
	u32 *first = grow(NULL, profiles->count, sizeof(*first)), i;

	for (i = 0; i < profiles->count; i++) {
		const struct kernel_profile *row = &profiles->rows[i];
		struct simgpu_trace_profile profile = {
			.kernel = row->kernel,
			.sms = profiles->config.sms,
			.blocks = workload->trace->kernels[row->kernel].blocks,
			.memory_bytes = workload->trace->footprint_bytes,
		};

		memcpy(profile.config, profiles->config.name,
		       sizeof(profile.config));
		first[i] = row->same_as < i ? first[row->same_as] :
			   builder_points(builder, (const void *)row->points,
					  profiles->config.sms);
		profile.first_point = first[i];
		builder_profile(builder, &profile);
	}
	free(first);
}

/* Keep a profile for another GPU, with points of its own or those of the last one. */
static void keep_profile(struct builder *builder, const struct view *view, u64 index,
			 u32 *next, u32 *kept)
{
	struct simgpu_trace_profile profile = view->profiles[index];

	if (profile.first_point >= *next) {
		*next = profile.first_point + profile.sms;
		*kept = builder_points(builder, view->points + profile.first_point,
				       profile.sms) - profile.first_point;
	}
	profile.first_point += *kept;
	builder_profile(builder, &profile);
}

/*
 * Write all profiles in the order of names; those for the present GPU replace those of the
 * same name.
 */
static void replace_profiles(struct builder *builder, const struct view *view,
			     const struct profiles *profiles)
{
	u64 count = section_count(view, SIMGPU_TRACE_PROFILES), i;
	u32 next = 0, kept = 0;
	bool added = false;

	builder_no_profiles(builder);
	for (i = 0; i < count; i++) {
		int order = strcmp(view->profiles[i].config,
				   profiles->config.name);

		if (order >= 0 && !added) {
			add_measured(builder, profiles);
			added = true;
		}
		if (order)
			keep_profile(builder, view, i, &next, &kept);
	}
	if (!added)
		add_measured(builder, profiles);
}

int profiles_write(const struct profiles *profiles, const char *path)
{
	struct view view = view_of(profiles->workloads[0].bytes);
	struct builder *builder = builder_of(view.header);
	void *trace = NULL;
	size_t bytes;
	int ret;

	if (builder) {
		replace_profiles(builder, &view, profiles);
		trace = builder_finish(builder, 0, &bytes);
	}
	ret = trace ? write_file(path, trace, bytes) : fail("out of memory");
	builder_free(builder);
	free(trace);
	return ret;
}

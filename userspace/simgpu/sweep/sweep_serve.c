// SPDX-License-Identifier: GPL-2.0
/* The runs of services beside best-effort work; see sweep_serve.h. */
#include "../../offline/service.h"
#include "sweep_axes.h"
#include "sweep_serve.h"

int sweep_serve_check(const struct sweep *sweep)
{
	u32 sets = sweep_axes_set(&sweep->axes);

	if (!sweep->suite.serves)
		return STATUS_OK;
	if (!sweep->experiment.settings.session.stop_cycle)
		return fail_usage("--cycles 0 is not for %s, whose requests come until then",
				  sweep->suite_name);
	if (sets & ~AXIS_SETS_LOAD)
		return fail_usage("targets, weights, splits and goals are no axes of %s, but --load is",
				  sweep->suite_name);
	return STATUS_OK;
}

/* --- services alone ------------------------------------------------------------------ */

bool sweep_serve_is_alone(const struct sweep_run *run)
{
	return run->policy == run->sweep->policy_count;
}

/* The first mix with the same service as this one. */
static u32 first_with(const struct sweep *sweep, u32 mix)
{
	const struct mix *mixes = sweep->suite.mixes;
	u32 i;

	for (i = 0; i < mix; i++)
		if (mixes[i].workload[SERVE_SERVICE] ==
		    mixes[mix].workload[SERVE_SERVICE])
			break;
	return i;
}

/* The number of a mix's service among the suite's different services. */
static u32 service_of(const struct sweep *sweep, u32 mix)
{
	u32 first = first_with(sweep, mix), count = 0, i;

	for (i = 0; i < first; i++)
		count += first_with(sweep, i) == i;
	return count;
}

static u32 count_services(const struct sweep *sweep)
{
	u32 count = 0, i;

	for (i = 0; i < sweep->suite.mix_count; i++)
		count += first_with(sweep, i) == i;
	return count;
}

static struct mix mix_alone(const struct mix *beside)
{
	struct mix mix = *beside;

	mix.count = 1;
	snprintf(mix.name, sizeof(mix.name), "%s",
		 mix.options[SERVE_SERVICE].name);
	return mix;
}

static void make_mixes(struct sweep *sweep, u32 services)
{
	u32 points = sweep_axes_points(&sweep->axes);
	u32 mixes = sweep->suite.mix_count, point, i;

	sweep->alone_mixes = grow(NULL, points * services, sizeof(struct mix));
	for (point = 0; point < points; point++)
		for (i = 0; i < mixes; i++)
			sweep->alone_mixes[point * services +
					   service_of(sweep, i)] =
				mix_alone(&sweep->mixes[point * mixes + i]);
}

int sweep_serve_add_alone(struct sweep *sweep)
{
	u32 points = sweep_axes_points(&sweep->axes), i;
	u32 seeds = (u32)sweep->seeds, services = count_services(sweep);
	u32 mixes = sweep->suite.mix_count;
	struct sweep_run *runs;

	make_mixes(sweep, services);
	sweep->alone_count = points * seeds * services;
	sweep->runs = grow(sweep->runs, sweep->run_count + sweep->alone_count,
			   sizeof(*sweep->runs));
	runs = &sweep->runs[sweep->run_count];
	memset(runs, 0, sweep->alone_count * sizeof(*runs));
	for (i = 0; i < sweep->alone_count; i++) {
		runs[i].sweep = sweep;
		runs[i].policy = sweep->policy_count;
		runs[i].seed = i / services % seeds;
		runs[i].point = i / services / seeds;
		runs[i].mix = &sweep->alone_mixes[runs[i].point * services +
						  i % services];
	}
	for (i = 0; i < sweep->run_count; i++) {
		struct sweep_run *run = &sweep->runs[i];

		run->alone = &runs[(run->point * seeds + run->seed) * services +
				   service_of(sweep, i % mixes)];
	}
	return STATUS_OK;
}

/* --- their requests ------------------------------------------------------------------ */

/**
 * struct serve_ends - cycles in which requests ended
 * @last: number in the trace of the kernel with which a request ends
 */
struct serve_ends {
	u32 last;
	u32 room;
	u32 count;
	u64 *cycles;
};

struct serve_ends *serve_ends_new(const struct trace *trace)
{
	struct serve_ends *ends = grow(NULL, 1, sizeof(*ends));

	*ends = (struct serve_ends) { .last = trace->kernel_count - 1 };
	return ends;
}

void serve_ends_free(struct serve_ends *ends)
{
	if (ends)
		free(ends->cycles);
	free(ends);
}

static void add_end(struct serve_ends *ends, u64 end)
{
	if (ends->count == ends->room) {
		ends->room = ends->room ? 2 * ends->room : 64;
		ends->cycles = grow(ends->cycles, ends->room,
				    sizeof(*ends->cycles));
	}
	ends->cycles[ends->count++] = end;
}

void serve_ends_add(struct serve_ends *ends, const struct offline_kernel *kernel)
{
	if (kernel->slot == SERVE_SERVICE && kernel->ended &&
	    kernel->number == ends->last)
		add_end(ends, kernel->end);
}

void serve_ends_pass(struct serve_ends *ends, u32 slot, u64 end)
{
	if (slot == SERVE_SERVICE)
		add_end(ends, end);
}

int sweep_serve_judge(struct sweep_run *run, const struct serve_ends *ends,
		      const struct arrivals_plan *plan, u32 core_mhz)
{
	const struct service_run service = {
		.plan = plan, .slot = SERVE_SERVICE, .stop = run->cycle,
		.ends = ends->cycles, .ended = ends->count,
	};
	struct sweep_tenant *tenant = &run->tenants[SERVE_SERVICE];
	struct service_figures figures;
	int ret = service_judge(&service, &figures);

	if (ret == -EINVAL || ends->count != tenant->launches ||
	    (!ret && figures.met !=
		     tenant->launches - tenant->deadline_misses))
		return -EPROTO;
	tenant->requests = figures.requests;
	tenant->unfinished = figures.unfinished;
	tenant->late = figures.late;
	tenant->met = figures.met;
	tenant->judged = figures.judged;
	tenant->p50_ns = fixed_mul_div(figures.p50_cycles, 1000, core_mhz);
	tenant->p99_ns = fixed_mul_div(figures.p99_cycles, 1000, core_mhz);
	return ret;
}

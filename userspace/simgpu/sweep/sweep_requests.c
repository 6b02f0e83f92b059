// SPDX-License-Identifier: GPL-2.0
/*
 * Tenants of a sweep whose requests come by themselves. A load is a multiple of the rate
 * at which requests complete alone. So each workload runs alone, with each number of
 * launches of a request and each seed.
 */
#include "../../offline/run.h"
#include "../../offline/service.h"
#include "../interrupt.h"
#include "sweep_alone.h"
#include "sweep_axes.h"
#include "sweep_kept.h"
#include "sweep_requests.h"

static const size_t request_fields[] = { offsetof(struct sweep_request, cycles) };

static u32 count_mixes(const struct sweep *sweep)
{
	return sweep_axes_points(&sweep->axes) * sweep->suite.mix_count;
}

bool sweep_has_services(const struct sweep *sweep)
{
	u32 i, slot;

	for (i = 0; i < count_mixes(sweep); i++)
		for (slot = 0; slot < sweep->mixes[i].count; slot++)
			if (sweep->mixes[i].arrivals[slot].given)
				return true;
	return false;
}

static bool takes_deadline(const struct arrivals_words *words)
{
	return words->load_ppm && !words->plan.deadline_cycles;
}

bool sweep_takes_deadline(const struct sweep *sweep)
{
	u32 i, slot;

	for (i = 0; i < count_mixes(sweep); i++)
		for (slot = 0; slot < sweep->mixes[i].count; slot++)
			if (takes_deadline(&sweep->mixes[i].arrivals[slot]))
				return true;
	return false;
}

static struct sweep_request *find_request(const struct sweep *sweep, u32 workload,
					  u32 launches, u32 seed)
{
	u32 i;

	for (i = 0; i < sweep->request_count; i++) {
		struct sweep_request *request = &sweep->requests[i];

		if (request->workload == workload && request->seed == seed &&
		    request->launches == launches)
			return request;
	}
	return NULL;
}

/* Set the deadline, in multiples of the time of a request alone. */
static int set_deadline(const struct sweep *sweep, u64 alone_cycles,
			struct arrivals_words *words)
{
	u64 *deadline = &words->plan.deadline_cycles;

	if (!sweep->deadline_ppm || !takes_deadline(words))
		return STATUS_OK;
	*deadline = service_deadline(sweep->deadline_ppm, alone_cycles);
	if (*deadline > ARRIVALS_CYCLES_MAX)
		return fail("a deadline of %llu cycles is too far away; there can be %llu",
			    *deadline, ARRIVALS_CYCLES_MAX);
	return STATUS_OK;
}

int sweep_arrivals(const struct sweep_run *run, u32 slot,
		   const struct session_options *options,
		   struct arrivals_plan *plan)
{
	struct arrivals_words words = run->mix->arrivals[slot];
	const struct sweep_request *request =
		find_request(run->sweep, run->mix->workload[slot],
			     arrivals_launches(&words), run->seed);
	u64 alone = request ? request->cycles : 0;
	int ret = set_deadline(run->sweep, alone, &words);

	if (!ret)
		ret = arrivals_settle_known(&words, options, alone);
	*plan = words.plan;
	return ret;
}

/* --- how long they take alone --- */

static int locate(const struct sweep *sweep, const struct sweep_request *request,
		  struct session_options *options, struct kept *kept)
{
	if (sweep_alone_options(sweep, request->seed, options))
		return -EINVAL;
	kept_append(kept, "launches=%u ", request->launches);
	sweep_describe_alone(sweep, options, request->workload, 0, kept);
	kept_locate(kept, sweep->folder, "requests",
		    sweep->suite.workloads[request->workload].name);
	return 0;
}

static int make_request(const struct sweep *sweep, struct sweep_request *request,
			const struct session_options *options, struct kept *kept)
{
	FILE *file;
	int ret;

	ret = offline_alone_cycles(options,
				   sweep->suite.workloads[request->workload].trace,
				   request->launches,
				   sweep->experiment.settings.threads,
				   &interrupt_observer, &request->cycles);
	if (ret)
		return ret;
	file = kept_create(kept);
	if (!file)
		return -errno;
	kept_write_row(file, request, request_fields,
		       ARRAY_SIZE(request_fields));
	return kept_close(file, kept);
}

static void run_request(struct jobs *jobs, u32 index, void *context)
{
	struct sweep_work *work = context;
	struct sweep *sweep = work->sweep;
	struct sweep_request *request = &sweep->requests[work->todo[index]];
	struct kept *kept = calloc(1, sizeof(*kept));
	struct session_options options;
	int ret = -ENOMEM;

	if (kept)
		ret = locate(sweep, request, &options, kept);
	if (!ret)
		ret = make_request(sweep, request, &options, kept);
	if (ret)
		sweep_report_failure(jobs, work, "alone",
				     sweep->suite.workloads[request->workload].name,
				     ret);
	else
		jobs_progress(jobs, 1);
	free(kept);
}

static bool read_request(const struct sweep *sweep, struct sweep_request *request)
{
	struct kept *kept = calloc(1, sizeof(*kept));
	struct session_options options;
	FILE *file = NULL;
	bool done = false;

	if (kept && !locate(sweep, request, &options, kept))
		file = kept_open(kept);
	if (file) {
		done = kept_read_row(file, request, request_fields,
				     ARRAY_SIZE(request_fields));
		fclose(file);
	}
	free(kept);
	return done;
}

/* --- all of them --- */

static void add_request(struct sweep *sweep, u32 workload, u32 launches)
{
	u32 seed;

	for (seed = 0; seed < sweep->seeds; seed++) {
		if (find_request(sweep, workload, launches, seed))
			continue;
		sweep->requests = grow(sweep->requests, sweep->request_count + 1,
				       sizeof(*sweep->requests));
		sweep->requests[sweep->request_count++] = (struct sweep_request) {
			.workload = workload, .launches = launches, .seed = seed,
		};
	}
}

static void collect(struct sweep *sweep)
{
	u32 i, slot;

	for (i = 0; i < count_mixes(sweep); i++) {
		const struct mix *mix = &sweep->mixes[i];

		for (slot = 0; slot < mix->count; slot++)
			if (mix->arrivals[slot].load_ppm)
				add_request(sweep, mix->workload[slot],
					    arrivals_launches(&mix->arrivals[slot]));
	}
}

int sweep_find_requests(struct sweep *sweep)
{
	struct sweep_work work = { .sweep = sweep };
	u32 i;

	collect(sweep);
	work.todo = calloc(sweep->request_count + 1, sizeof(u32));
	if (!work.todo)
		return fail("out of memory");
	/* There are few of them, and all hosts need them. */
	for (i = 0; i < sweep->request_count; i++)
		if (!read_request(sweep, &sweep->requests[i]))
			work.todo[work.todo_count++] = i;
	jobs_run("requests", work.todo_count, sweep->workers, run_request, &work,
		 work.todo_count);
	free(work.todo);
	return work.failed ? STATUS_FAILED : STATUS_OK;
}

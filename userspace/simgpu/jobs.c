// SPDX-License-Identifier: GPL-2.0
/* Independent runs on all cores; see jobs.h. */
#include <pthread.h>
#include <unistd.h>

#include "../offline/run.h"
#include "interrupt.h"
#include "jobs.h"

#define WORKERS_MAX	1024

/**
 * struct jobs - data that the threads share
 * @lock: protects @next, @done, the line of progress, and the results of jobs
 * @next: index of the first job that no thread has taken
 */
struct jobs {
	const char *what;
	void (*run)(struct jobs *jobs, u32 index, void *context);
	void *context;
	u32 count;
	u64 total;
	pthread_mutex_t lock;
	u32 next;
	u64 done;
};

void jobs_lock(struct jobs *jobs)
{
	pthread_mutex_lock(&jobs->lock);
}

void jobs_unlock(struct jobs *jobs)
{
	pthread_mutex_unlock(&jobs->lock);
}

void jobs_progress(struct jobs *jobs, u64 more)
{
	jobs_lock(jobs);
	jobs->done += more;
	progress(jobs->what, jobs->done < jobs->total ? jobs->done :
		 jobs->total, jobs->total);
	jobs_unlock(jobs);
}

void jobs_follow(void *context, u64 done)
{
	struct jobs_watch *watch = context;

	jobs_progress(watch->jobs, done - watch->done);
	watch->done = done;
}

int fail_alone(const char *name, int error)
{
	return fail("%s: %s", name, offline_error(error));
}

static void *work(void *context)
{
	struct jobs *jobs = context;

	for (;;) {
		u32 next;

		jobs_lock(jobs);
		next = jobs->next++;
		jobs_unlock(jobs);
		if (next >= jobs->count || interrupted())
			return NULL;
		jobs->run(jobs, next, jobs->context);
	}
}

void jobs_run(const char *what, u32 count, u64 workers,
	      void (*run)(struct jobs *jobs, u32 index, void *context),
	      void *context, u64 total)
{
	struct jobs jobs = {
		.what = what, .count = count, .run = run, .context = context,
		.total = total, .lock = PTHREAD_MUTEX_INITIALIZER,
	};
	pthread_t threads[WORKERS_MAX];
	u32 started = 0, i;

	while (started + 1 < workers && started + 1 < count &&
	       started < WORKERS_MAX &&
	       !pthread_create(&threads[started], NULL, work, &jobs))
		started++;
	work(&jobs);
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	progress_end();
}

u64 jobs_workers_default(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores > 0 ? (u64)cores : 1;
}

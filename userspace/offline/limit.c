// SPDX-License-Identifier: GPL-2.0
/* Plug-ins that do not come back; see limit.h. */
/* For SIGEV_THREAD_ID. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "limit.h"

#define NS_PER_SECOND	1000000000ULL
/*
 * Of the thread's processor time, which neither other work on the machine nor a
 * debugger uses up; the driver's limit is a second, too.
 */
#define CALL_NS		NS_PER_SECOND
/* How often a call that has not come back is looked at. */
#define TICK_NS		(NS_PER_SECOND / 10)
/* Nothing else here uses it. */
#define TICK_SIGNAL	SIGVTALRM

/* glibc 2.36 has no name for it. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id	_sigev_un._tid
#endif

/**
 * struct call - a call of a plug-in
 * @back: where it is left to
 * @start_ns: the thread's processor time when it began
 * @stop: whether the run is to stop
 */
struct call {
	sigjmp_buf back;
	u64 start_ns;
	bool (*stop)(void);
};

/* That the thread is in; NULL: in none. */
static __thread struct call *volatile present;

static u64 processor_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (u64)time.tv_sec * NS_PER_SECOND + (u64)time.tv_nsec;
}

/* A plug-in allocates nothing and takes no lock, so it can be left anywhere. */
static void look(int signal_number)
{
	struct call *call = present;

	(void)signal_number;
	if (!call)
		return;
	if (call->stop && call->stop())
		siglongjmp(call->back, ECANCELED);
	if (processor_ns() - call->start_ns > CALL_NS)
		siglongjmp(call->back, ETIMEDOUT);
}

static int start_looking(timer_t *timer)
{
	const struct sigaction action = { .sa_handler = look, .sa_flags = SA_RESTART };
	const struct itimerspec ticks = {
		.it_interval.tv_nsec = TICK_NS, .it_value.tv_nsec = TICK_NS,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL,
	};

	event.sigev_notify_thread_id = gettid();
	if (sigaction(TICK_SIGNAL, &action, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, timer))
		return -errno;
	if (!timer_settime(*timer, 0, &ticks, NULL))
		return 0;
	timer_delete(*timer);
	return -errno;
}

/* What one call needs, whichever it is. */
struct question {
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	const struct simgpu_snapshot *snapshot;
	const struct simgpu_memory_policy *memory_policy;
	const struct simgpu_place *place;
	const struct simgpu_chunk *chunk;
	u32 event;
	const void *constants;
	void *state;
	void *answer;
};

static int put_to_memory_policy(const struct question *question)
{
	const struct simgpu_memory_policy *policy = question->memory_policy;

	if (question->place)
		return policy->place(question->place, question->state, question->answer);
	*(u64 *)question->answer = policy->rank(question->event, question->chunk,
						question->state);
	return 0;
}

static int put(const struct question *question)
{
	if (question->policy)
		return question->policy->decide(question->snapshot, question->state,
						question->answer);
	if (question->memory_policy)
		return put_to_memory_policy(question);
	return question->model->predict(question->snapshot, question->constants,
					question->state, question->answer);
}

static int put_limited(bool (*stop)(void), const struct question *question)
{
	struct call call = { .start_ns = processor_ns(), .stop = stop };
	timer_t timer;
	int ret = start_looking(&timer), why;

	if (ret)
		return ret;
	why = sigsetjmp(call.back, 1);
	if (!why) {
		present = &call;
		ret = put(question);
	} else {
		ret = -why;
	}
	present = NULL;
	timer_delete(timer);
	return ret;
}

int limit_decide(bool (*stop)(void), const struct simgpu_policy *policy,
		 const struct simgpu_snapshot *snapshot, void *state,
		 struct simgpu_proposal *proposal)
{
	const struct question question = {
		.policy = policy, .snapshot = snapshot, .state = state,
		.answer = proposal,
	};

	return policy->source == SIMGPU_SOURCE_PLUGIN ?
	       put_limited(stop, &question) : put(&question);
}

int limit_predict(bool (*stop)(void), const struct simgpu_model *model,
		  const struct simgpu_snapshot *snapshot, const void *constants,
		  void *state, struct simgpu_prediction *prediction)
{
	const struct question question = {
		.model = model, .snapshot = snapshot, .constants = constants,
		.state = state, .answer = prediction,
	};

	return model->source == SIMGPU_SOURCE_PLUGIN ?
	       put_limited(stop, &question) : put(&question);
}

int limit_place(bool (*stop)(void), const struct simgpu_memory_policy *policy,
		const struct simgpu_place *place, void *state,
		struct simgpu_placement *placement)
{
	const struct question question = {
		.memory_policy = policy, .place = place, .state = state,
		.answer = placement,
	};

	return put_limited(stop, &question);
}

int limit_rank(bool (*stop)(void), const struct simgpu_memory_policy *policy, u32 event,
	       const struct simgpu_chunk *chunk, void *state, u64 *rank)
{
	const struct question question = {
		.memory_policy = policy, .event = event, .chunk = chunk,
		.state = state, .answer = rank,
	};

	return put_limited(stop, &question);
}

// SPDX-License-Identifier: GPL-2.0
/* The words for requests that come by themselves; see arrivals.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include "../offline/run.h"
#include "arrivals.h"
#include "interrupt.h"

/* The plan's unit is launches in 10^12 cycles, so parts per million of the user's unit. */
static int parse_rate(struct arrivals_plan *plan, const char *value)
{
	if (!parse_ppm(value, &plan->rate) || plan->rate < ARRIVALS_RATE_MIN ||
	    plan->rate > ARRIVALS_RATE_MAX)
		return fail_usage("arrivals=poisson:RATE takes 0.001 to 1000000 requests in a million cycles (one a cycle), not \"%s\"",
				  value);
	plan->kind = ARRIVALS_POISSON;
	return STATUS_OK;
}

static int parse_every(struct arrivals_plan *plan, const char *value)
{
	if (!parse_number(value, 1, ARRIVALS_CYCLES_MAX, &plan->every_cycles))
		return fail_usage("arrivals=every:CYCLES takes 1 to %llu, not \"%s\"",
				  ARRIVALS_CYCLES_MAX, value);
	plan->kind = ARRIVALS_EVERY;
	return STATUS_OK;
}

/* Parse a line of a list: a number with blanks around it. */
static bool parse_line(char *line, u64 *cycle)
{
	size_t length = strcspn(line, "\r\n");

	line[length] = '\0';
	return parse_number(line, 0, ARRIVALS_CYCLES_MAX * ARRIVALS_LIST_MAX,
			    cycle);
}

static int read_lines(struct arrivals_words *words, const char *path, FILE *file)
{
	char line[64];
	u64 count;

	for (count = 0; fgets(line, sizeof(line), file); count++) {
		if (count == ARRIVALS_LIST_MAX)
			return fail_usage("%s: there can be %d cycles", path,
					  ARRIVALS_LIST_MAX);
		words->list = grow(words->list, count + 1, sizeof(u64));
		if (!parse_line(line, &words->list[count]))
			return fail_usage("%s, line %llu: \"%s\" is not a cycle",
					  path, count + 1, line);
		if (count && words->list[count] < words->list[count - 1])
			return fail_usage("%s, line %llu: %llu is before the cycle ahead of it",
					  path, count + 1, words->list[count]);
	}
	if (ferror(file))
		return fail("%s: %s", path, strerror(errno));
	if (!count)
		return fail_usage("%s: no cycle is in it", path);
	words->plan.kind = ARRIVALS_LIST;
	words->plan.list = words->list;
	words->list_count = count;
	return STATUS_OK;
}

static int read_list(struct arrivals_words *words, const char *path)
{
	FILE *file = fopen(path, "re");
	int ret;

	if (!file)
		return fail_usage("arrivals=%s is neither poisson:RATE nor every:CYCLES nor a file: %s",
				  path, strerror(errno));
	ret = read_lines(words, path, file);
	fclose(file);
	return ret;
}

static int parse_arrivals(struct arrivals_words *words, const char *value)
{
	if (words->plan.kind != ARRIVALS_POISSON || words->plan.rate)
		return fail_usage("arrivals is given twice");
	if (!strncmp(value, "poisson:", 8))
		return parse_rate(&words->plan, value + 8);
	if (!strncmp(value, "every:", 6))
		return parse_every(&words->plan, value + 6);
	return read_list(words, value);
}

static int parse_count(const char *key, const char *value, u64 most, u64 *out)
{
	if (!parse_number(value, 1, most, out))
		return fail_usage("%s is 1 to %llu, not \"%s\"", key, most,
				  value);
	return STATUS_OK;
}

static int parse_load(struct arrivals_words *words, const char *value)
{
	if (!parse_ppm(value, &words->load_ppm) || !words->load_ppm ||
	    words->load_ppm > ARRIVALS_LOAD_MAX_PPM)
		return fail_usage("load is above 0 up to 1000, not \"%s\"",
				  value);
	return STATUS_OK;
}

int arrivals_key(struct arrivals_words *words, const char *key,
		 const char *value, bool *known)
{
	u64 launches = 0, batching = 0;
	int ret;

	*known = true;
	if (!strcmp(key, "arrivals")) {
		ret = parse_arrivals(words, value);
	} else if (!strcmp(key, "load")) {
		ret = parse_load(words, value);
	} else if (!strcmp(key, "requests")) {
		ret = parse_count(key, value, ARRIVALS_REQUESTS_MAX,
				  &words->plan.requests);
	} else if (!strcmp(key, "launches")) {
		ret = parse_count(key, value, ARRIVALS_LAUNCHES_MAX, &launches);
		words->plan.launches = (u32)launches;
	} else if (!strcmp(key, "deadline")) {
		ret = parse_count(key, value, ARRIVALS_CYCLES_MAX,
				  &words->plan.deadline_cycles);
	} else if (!strcmp(key, "hint")) {
		ret = parse_count(key, value, ARRIVALS_CYCLES_MAX,
				  &words->plan.hint_cycles);
	} else if (!strcmp(key, "batching")) {
		ret = parse_count(key, value, TRACE_BATCH_MAX, &batching);
		words->plan.batching = (u32)batching;
	} else {
		*known = false;
		return STATUS_OK;
	}
	words->given = true;
	return ret;
}

int arrivals_words_check(const struct arrivals_words *words)
{
	const struct arrivals_plan *plan = &words->plan;
	bool timed = plan->kind != ARRIVALS_POISSON || plan->rate;

	if (!words->given)
		return STATUS_OK;
	if (timed && words->load_ppm)
		return fail_usage("arrivals and load both say how often requests come");
	if (!timed && !words->load_ppm)
		return fail_usage("requests, launches, deadline, hint and batching need arrivals or load");
	if (plan->batching && arrivals_launches(words) != 1)
		return fail_usage("launches and batching go without each other: tokens say how long a request runs");
	if (words->list && plan->requests)
		return fail_usage("requests and the file of arrivals both say how many come");
	return STATUS_OK;
}

int arrivals_check_batching(const struct arrivals_words *words, const char *path,
			    const struct trace *trace)
{
	u32 batching = words->plan.batching;

	if (batching && !trace->batch_most)
		return fail_usage("batching is for traces with steps, which simgpu trace llm --batching makes; %s has none",
				  path);
	if (batching > trace->batch_most)
		return fail_usage("batching=%u: steps of %s are for %u requests at once at most",
				  batching, path, trace->batch_most);
	if (trace->batch_most && !batching)
		return fail_usage("%s is for a service that batches requests: it needs arrivals or load, and batching=1 to %u",
				  path, trace->batch_most);
	return STATUS_OK;
}

/* A load of 1 is one request in the time that a request takes alone. */
static int settle_load(struct arrivals_words *words, u64 cycles)
{
	u64 *rate = &words->plan.rate;

	*rate = fixed_mul_div(words->load_ppm, ARRIVALS_RATE_MAX / SIMGPU_PPM,
			      cycles);
	if (*rate < ARRIVALS_RATE_MIN || *rate > ARRIVALS_RATE_MAX)
		return fail("a load of %.6f of requests of %llu cycles is too seldom or too often",
			    (double)words->load_ppm / SIMGPU_PPM, cycles);
	return STATUS_OK;
}

u32 arrivals_launches(const struct arrivals_words *words)
{
	return words->plan.launches ? words->plan.launches : 1;
}

int arrivals_settle_known(struct arrivals_words *words,
			  const struct session_options *options, u64 cycles)
{
	struct arrivals_plan *plan = &words->plan;

	plan->launches = arrivals_launches(words);
	if (words->list)
		plan->requests = words->list_count;
	if (!plan->requests && !options->stop_cycle)
		return fail_usage("requests come for ever: say requests=N, or --cycles");
	if (!plan->requests)
		plan->requests = ARRIVALS_REQUESTS_MAX;
	plan->seed = plan->kind == ARRIVALS_POISSON ? options->seed : 0;
	return words->load_ppm ? settle_load(words, cycles) : STATUS_OK;
}

int arrivals_settle(struct arrivals_words *words,
		    const struct session_options *options,
		    const struct trace *trace, u32 threads)
{
	u64 cycles = 0;
	int ret = 0;

	if (words->load_ppm)
		ret = offline_alone_cycles(options, trace,
					   arrivals_launches(words), threads,
					   &interrupt_observer, &cycles);
	if (ret == -EINTR)
		return fail("stopped by %s before the run began",
			    interrupt_name());
	if (ret)
		return fail("a load cannot be made of what runs alone: %s",
			    strerror(-ret));
	return arrivals_settle_known(words, options, cycles);
}

struct simgpu_arrivals arrivals_request(const struct arrivals_plan *plan,
					int handle)
{
	return (struct simgpu_arrivals) {
		.handle = (u32)handle,
		.kind = plan->kind,
		.launches = plan->launches,
		.requests = plan->requests,
		.seed = plan->seed,
		.rate = plan->rate,
		.every_cycles = plan->every_cycles,
		.deadline_cycles = plan->deadline_cycles,
		.list = (uintptr_t)plan->list,
		.hint_cycles = plan->hint_cycles,
		.batching = plan->batching,
	};
}

void arrivals_free(struct arrivals_words *words)
{
	free(words->list);
	words->list = NULL;
}

// SPDX-License-Identifier: GPL-2.0
/* Lists of requests to a language model; see llm_requests.h. */
/* For timegm. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../workloads/llm.h"
#include "../arrivals.h"
#include "llm_requests.h"

#define NS_PER_S	1000000000ULL
/* Seconds of a time, so that nanoseconds fit; dates up to the year 2262 */
#define SECONDS_MAX	9000000000ULL

/* Digits, up to some number. Return: false if there is none, or it is greater. */
static bool read_digits(const char **at, u64 most, u64 *number)
{
	const char *from = *at;

	for (*number = 0; isdigit((unsigned char)**at); ++*at) {
		*number = *number * 10 + (u64)(**at - '0');
		if (*number > most)
			return false;
	}
	return *at > from;
}

/* What follows a decimal point, if there is one: nanoseconds, and digits that are too many */
static u64 read_fraction(const char **at)
{
	u64 ns = 0, unit = NS_PER_S;

	if (**at != '.')
		return 0;
	for (++*at; isdigit((unsigned char)**at); ++*at) {
		unit /= 10;
		ns += unit * (u64)(**at - '0');
	}
	return ns;
}

static bool is_tm(const struct tm *tm)
{
	return tm->tm_mon >= 0 && tm->tm_mon < 12 && tm->tm_mday >= 1 && tm->tm_mday <= 31 &&
	       tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec <= 60 && tm->tm_year >= 70 &&
	       tm->tm_year < 362;
}

/* 2023-11-16 18:17:03 */
static bool read_date(const char **at, u64 *seconds)
{
	struct tm tm = { 0 };
	int length = 0;

	if (sscanf(*at, "%4d-%2d-%2d%*1[ T]%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &length) != 6 || !length)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	if (!is_tm(&tm))
		return false;
	*at += length;
	*seconds = (u64)timegm(&tm);
	return true;
}

static bool read_time(const char **at, u64 *ns)
{
	u64 seconds;

	if (!read_date(at, &seconds) && !read_digits(at, SECONDS_MAX, &seconds))
		return false;
	*ns = seconds * NS_PER_S;
	*ns += read_fraction(at);
	return true;
}

/* A comma, and a number of tokens */
static bool read_tokens(const char **at, u32 *tokens)
{
	u64 number;

	if (*(*at)++ != ',' || !read_digits(at, LLM_CONTEXT_MAX, &number) || !number)
		return false;
	*tokens = (u32)number;
	return true;
}

static bool read_request(const char *line, struct llm_request *request)
{
	return read_time(&line, &request->ns) && read_tokens(&line, &request->context) &&
	       read_tokens(&line, &request->generated) && !line[strspn(line, "\r\n")];
}

static bool says_nothing(const char *line, bool first)
{
	return *line == '#' || (first && !isdigit((unsigned char)*line));
}

static int read_lines(const char *path, FILE *file, u32 every, u32 limit,
		      struct llm_requests *requests)
{
	u64 number, seen = 0, last = 0;
	struct llm_request request;
	char line[128];

	for (number = 1; requests->count < limit && fgets(line, sizeof(line), file); number++) {
		if (says_nothing(line, !seen))
			continue;
		if (!read_request(line, &request))
			return fail_usage("%s, line %llu: not a time, tokens of context and generated tokens, 1 to %u each, with commas between",
					  path, number, LLM_CONTEXT_MAX);
		if (request.ns < last)
			return fail_usage("%s, line %llu: its time is before that of the request ahead of it",
					  path, number);
		last = request.ns;
		if (seen++ % every)
			continue;
		requests->list = grow(requests->list, requests->count + 1,
				      sizeof(*requests->list));
		requests->list[requests->count++] = request;
	}
	if (ferror(file))
		return fail("%s: %s", path, strerror(errno));
	if (!requests->count)
		return fail_usage("%s: no request is in it", path);
	return STATUS_OK;
}

int llm_requests_read(const char *path, u32 every, u32 limit, struct llm_requests *requests)
{
	FILE *file = fopen(path, "re");
	u64 first;
	u32 i;
	int ret;

	if (!file)
		return fail_usage("%s: %s", path, strerror(errno));
	ret = read_lines(path, file, every, limit, requests);
	fclose(file);
	if (ret)
		return ret;
	first = requests->list[0].ns;
	for (i = 0; i < requests->count; i++)
		requests->list[i].ns -= first;
	return STATUS_OK;
}

/* The cycle at which a request comes */
static u64 cycle_of(u64 ns, u32 core_mhz, u64 speed_ppm)
{
	return fixed_mul_div(fixed_mul_div(ns, core_mhz, 1000), SIMGPU_PPM, speed_ppm);
}

int llm_requests_write_arrivals(const struct llm_requests *requests, const char *path,
				u32 core_mhz, u64 speed_ppm)
{
	FILE *file;
	bool bad;
	u32 i;

	if (requests->count > ARRIVALS_LIST_MAX ||
	    cycle_of(requests->list[requests->count - 1].ns, core_mhz, speed_ppm) >
	    ARRIVALS_CYCLES_MAX * ARRIVALS_LIST_MAX)
		return fail("%s: the last request comes too late for a list of arrivals", path);
	file = fopen(path, "we");
	if (!file)
		return fail("%s: %s", path, strerror(errno));
	for (i = 0; i < requests->count; i++)
		fprintf(file, "%llu\n", cycle_of(requests->list[i].ns, core_mhz, speed_ppm));
	bad = ferror(file);
	if (fclose(file) || bad)
		return fail("%s: cannot be written", path);
	return STATUS_OK;
}

void llm_requests_free(struct llm_requests *requests)
{
	free(requests->list);
	*requests = (struct llm_requests){ 0 };
}

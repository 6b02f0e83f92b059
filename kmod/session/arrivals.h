/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open arrivals: requests of a tenant that come by themselves, whether those
 * before them have ended or not. A request's cycle follows from the description
 * alone, so a run with arrivals repeats to the bit.
 */
#ifndef SESSION_ARRIVALS_H
#define SESSION_ARRIVALS_H

#include "../sim/gpu.h"

/* Requests that come one after another. */
#define ARRIVALS_REQUESTS_MAX	U32_MAX
/* Runs of the trace for each request. */
#define ARRIVALS_LAUNCHES_MAX	1000
/* Cycles of a list, and how long it is. */
#define ARRIVALS_LIST_MAX	131072
/* Cycles between two requests, or from one to its deadline; 0.7 s and more. */
#define ARRIVALS_CYCLES_MAX	1000000000ULL
/* Requests in 10^12 cycles: one in ARRIVALS_CYCLES_MAX to one a cycle. */
#define ARRIVALS_RATE_MIN	1000ULL
#define ARRIVALS_RATE_MAX	1000000000000ULL

enum arrivals_kind {
	ARRIVALS_POISSON,	/* independent of one another */
	ARRIVALS_EVERY,		/* at equal distances, the first at once */
	ARRIVALS_LIST,		/* at cycles that somebody has written down */
	ARRIVALS_KINDS
};

/**
 * struct arrivals_plan - which requests come, and when
 * @kind: &enum arrivals_kind
 * @launches: runs of the trace for each request, 1 to ARRIVALS_LAUNCHES_MAX
 * @requests: how many come, 1 to ARRIVALS_REQUESTS_MAX
 * @seed: POISSON: of its numbers, beside the tenant's slot
 * @rate: POISSON: requests in 10^12 cycles, ARRIVALS_RATE_MIN to _MAX
 * @every_cycles: EVERY: from one to the next, 1 to ARRIVALS_CYCLES_MAX
 * @deadline_cycles: from a request's arrival to its deadline, up to
 *	ARRIVALS_CYCLES_MAX; 0: it has none
 * @list: LIST: @requests cycles, from the plan's begin on, none before the one
 *	ahead of it
 */
struct arrivals_plan {
	const u64 *list;
	struct_group(lasts,
		u32 kind;
		u32 launches;
		u64 requests;
		u64 seed;
		u64 rate;
		u64 every_cycles;
		u64 deadline_cycles;
	);
};

/**
 * struct arrivals_cursor - a request, and when it comes
 * @request: its number, from 0
 * @cycle: from the plan's begin on
 * @position: POISSON: that cycle, in 2^-16 cycles
 */
struct arrivals_cursor {
	u64 request;
	u64 cycle;
	u64 position;
};

/**
 * arrivals_check() - whether requests can come so
 * @plan: any
 *
 * Return: NULL, or the name of the field that is out of its range.
 */
const char *arrivals_check(const struct arrivals_plan *plan);

/**
 * arrivals_first() - the first request of a plan
 * @plan: a good one
 * @slot: of its tenant: two tenants with one seed get different numbers
 * @cursor: set to it
 */
void arrivals_first(const struct arrivals_plan *plan, u32 slot,
		    struct arrivals_cursor *cursor);

/* The next request; false if there is none, and then nothing has changed. */
bool arrivals_next(const struct arrivals_plan *plan, u32 slot,
		   struct arrivals_cursor *cursor);

/* CRC-32 of a LIST's cycles; 0 for the other kinds. */
u32 arrivals_checksum(const struct arrivals_plan *plan);

#endif /* SESSION_ARRIVALS_H */

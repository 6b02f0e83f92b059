/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open arrivals: requests of a tenant that come by themselves, whether earlier
 * requests have ended or not. A request's cycle follows from the plan alone, so a run
 * with arrivals repeats to the bit.
 */
#ifndef SESSION_ARRIVALS_H
#define SESSION_ARRIVALS_H

#include "../sim/gpu.h"

/* Most requests of a plan. */
#define ARRIVALS_REQUESTS_MAX	U32_MAX
/* Most runs of the trace for each request. */
#define ARRIVALS_LAUNCHES_MAX	1000
/* Most cycles of a list, and so most requests in it. */
#define ARRIVALS_LIST_MAX	131072
/* Most cycles between two requests, or from one to its deadline; 0.7 s and more. */
#define ARRIVALS_CYCLES_MAX	1000000000ULL
/* Requests in 10^12 cycles: one in ARRIVALS_CYCLES_MAX to one a cycle. */
#define ARRIVALS_RATE_MIN	1000ULL
#define ARRIVALS_RATE_MAX	1000000000000ULL

enum arrivals_kind {
	ARRIVALS_POISSON,	/* independently of one another, at a mean rate */
	ARRIVALS_EVERY,		/* at equal distances, the first at once */
	ARRIVALS_LIST,		/* at listed cycles */
	ARRIVALS_KINDS
};

/**
 * struct arrivals_plan - the requests, and when they come
 * @kind: &enum arrivals_kind
 * @launches: runs of the trace for each request, 1 to ARRIVALS_LAUNCHES_MAX
 * @requests: number of requests, 1 to ARRIVALS_REQUESTS_MAX
 * @seed: POISSON: seed of the random numbers, beside the tenant's slot
 * @rate: POISSON: requests in 10^12 cycles, ARRIVALS_RATE_MIN to _MAX
 * @every_cycles: EVERY: cycles from one request to the next, 1 to ARRIVALS_CYCLES_MAX
 * @deadline_cycles: cycles from a request's arrival to its deadline, up to
 *	ARRIVALS_CYCLES_MAX; 0: no deadline
 * @hint_cycles: cycles before its arrival in which a request is announced, as by
 *	session_hint(), up to ARRIVALS_CYCLES_MAX; 0: none is. Hashed if it is set
 * @batching: requests that run at once at most, of a trace with steps (batching.h), up to
 *	TRACE_BATCH_MAX; 0: they run one after the other. Hashed if it is set
 * @unused: zero
 * @list: LIST: @requests cycles, counted from the plan's begin, in rising order (equal
 *	ones allowed)
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
	u64 hint_cycles;
	u32 batching;
	u32 unused;
};

/**
 * struct arrivals_cursor - a request, and when it comes
 * @request: its number, from 0
 * @cycle: cycle at which it comes, counted from the plan's begin
 * @position: POISSON: that cycle, in 2^-16 cycles
 */
struct arrivals_cursor {
	u64 request;
	u64 cycle;
	u64 position;
};

/**
 * arrivals_check() - check a plan
 * @plan: any
 *
 * Return: NULL, or the name of the field that is out of its range.
 */
const char *arrivals_check(const struct arrivals_plan *plan);

/**
 * arrivals_first() - the first request of a plan
 * @plan: a valid one
 * @slot: slot of its tenant: two tenants with the same seed get different numbers
 * @cursor: set to the first request
 */
void arrivals_first(const struct arrivals_plan *plan, u32 slot,
		    struct arrivals_cursor *cursor);

/* Go on to the next request; if there is none, returns false and changes nothing. */
bool arrivals_next(const struct arrivals_plan *plan, u32 slot,
		   struct arrivals_cursor *cursor);

/* CRC-32 of a LIST's cycles; 0 for the other kinds. */
u32 arrivals_checksum(const struct arrivals_plan *plan);

#endif /* SESSION_ARRIVALS_H */

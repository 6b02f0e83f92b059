/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the requests of a service show at the end of a run, those among them that have
 * not ended: a scheduler that never runs them must not look good for it.
 */
#ifndef OFFLINE_SERVICE_H
#define OFFLINE_SERVICE_H

#include "offline.h"

/**
 * struct service_run - the requests of a run
 * @plan: when they come
 * @slot: of their tenant
 * @stop: cycle in which the run ended
 * @ends: in which they ended, one after the other; the last ones have not
 * @ended: how many have
 */
struct service_run {
	const struct arrivals_plan *plan;
	u32 slot;
	u64 stop;
	const u64 *ends;
	u64 ended;
};

/**
 * struct service_figures - what they show
 * @requests: that have come
 * @unfinished: requests that have not ended
 * @late: of @unfinished, those whose deadline has passed
 * @met: ended within their deadline; all that have ended if there is none
 * @judged: those that have ended, and @late: what @met is a part of
 * @p50_cycles: half of @judged took no longer; a late one counts as old as it is, so
 *	this is a lower bound where there are some; 0 of nothing
 * @p99_cycles: likewise, 99 of 100
 */
struct service_figures {
	u64 requests;
	u64 unfinished;
	u64 late;
	u64 met;
	u64 judged;
	u64 p50_cycles;
	u64 p99_cycles;
};

/**
 * service_deadline() - a deadline in multiples of what a request takes alone
 * @times_ppm: how many times, above 0
 * @alone_cycles: what it takes
 *
 * Return: cycles, at least 1: 0 would be no deadline.
 */
u64 service_deadline(u64 times_ppm, u64 alone_cycles);

/**
 * service_judge() - hold requests against their deadlines
 * @run: the requests
 * @out: filled in
 *
 * Return: 0; -ENOMEM; -EINVAL if more have ended than came, or one before it came.
 */
int service_judge(const struct service_run *run, struct service_figures *out);

#endif /* OFFLINE_SERVICE_H */

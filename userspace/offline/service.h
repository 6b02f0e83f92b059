/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures of a service's requests at the end of a run. Requests that have not ended count,
 * too, so that a scheduler that never runs them does not look good.
 */
#ifndef OFFLINE_SERVICE_H
#define OFFLINE_SERVICE_H

#include "offline.h"

/**
 * struct service_run - the requests of a run
 * @plan: when requests come
 * @slot: slot of their tenant
 * @stop: cycle in which the run ended
 * @ends: cycles in which requests ended, in order; the last requests may have none
 * @ended: number of requests that have ended
 */
struct service_run {
	const struct arrivals_plan *plan;
	u32 slot;
	u64 stop;
	const u64 *ends;
	u64 ended;
};

/**
 * struct service_figures - figures of requests
 * @requests: requests that have come
 * @unfinished: requests that have not ended
 * @late: unfinished requests whose deadline has passed
 * @met: requests that ended within their deadline; without a deadline, all that ended
 * @judged: requests that have ended, and @late ones: @met is a part of these
 * @p50_cycles: half of @judged took no longer. A late request counts with its age, so
 *	this is a lower bound if there are some; 0 if @judged is 0
 * @p99_cycles: 99 of 100 of @judged took no longer
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
 * service_deadline() - a deadline in multiples of the time that a request takes alone
 * @times_ppm: how many times, above 0
 * @alone_cycles: time of a request alone
 *
 * Return: cycles, at least 1: 0 would be no deadline.
 */
u64 service_deadline(u64 times_ppm, u64 alone_cycles);

/**
 * service_judge() - compute the figures of requests and their deadlines
 * @run: the requests
 * @out: filled in
 *
 * Return: 0; -ENOMEM; -EINVAL if more have ended than came, or one before it came.
 */
int service_judge(const struct service_run *run, struct service_figures *out);

#endif /* OFFLINE_SERVICE_H */

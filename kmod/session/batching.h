/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Services that batch their requests, as those of language models do. Requests come by
 * themselves (arrivals.h), and run in steps of the tenant's trace, one step after the other:
 *
 * - a step is the prefill of one request, which gives its first token, or a decode, which gives
 *   each request that runs one more;
 * - a request runs from its prefill to the last token that it generates;
 * - which step is next is said at the end of the one before, and when a request comes while
 *   none runs: the prefill of the request that came first, if one has come and fewer than the
 *   plan's @batching run; else a decode of all that run.
 *
 * Of the steps of the trace it is the first one, in the order of the trace, that is for as many
 * requests and as many tokens of context, those of all requests together; else the last one
 * that is for as many requests.
 *
 * At the head of the queue is one launch, for as long as requests run. It has the number of the
 * last request that began, and each of its runs is a step. launch.c lets it run; here is what
 * the requests come to.
 */
#ifndef SESSION_BATCHING_H
#define SESSION_BATCHING_H

#include "internal.h"

/* Whether requests of a tenant are batched. */
static inline bool batching_is_on(const struct session_tenant *tenant)
{
	return tenant->arrivals.trace && tenant->arrivals.plan.batching;
}

void batching_begin(struct session_tenant *tenant);
u32 batching_prefill(const struct session_tenant *tenant);
u32 batching_next(const struct session_tenant *tenant, bool come);
void batching_admit(struct session_tenant *tenant, const struct launch *request, u64 now);
bool batching_end_step(struct session_tenant *tenant, u64 end);
void batching_decode(struct session_tenant *tenant, struct launch *launch, u32 step);
void batching_over(struct session_tenant *tenant, const struct launch *launch);
u64 batching_tell(struct session_tenant *tenant);
u64 batching_mean_ppm(const struct session_tenant *tenant);
u64 batching_hash(const struct session_tenant *tenant, u64 hash);

#endif /* SESSION_BATCHING_H */

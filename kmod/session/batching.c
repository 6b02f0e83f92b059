// SPDX-License-Identifier: GPL-2.0
/* Requests of services that batch them: which step is next, and what it brings; see batching.h. */
#include "batching.h"

/* The step for so many requests, 0: a prefill, that have so many tokens of context together */
static u32 find_step(const struct trace *trace, u32 requests, u64 tokens)
{
	u32 step, last = TRACE_NO_COMMAND;

	for (step = 0; step < trace->request_count; step++) {
		const struct trace_command *found = trace_step(trace, step);

		if (requests ? found->what < requests : found->what)
			continue;
		last = step;
		if (max_t(u64, found->what, 1) * found->amount >= tokens)
			break;
	}
	return last;
}

/* Whether the present step is a prefill, which is that of the request that began last. */
static bool is_prefill(const struct session_tenant *tenant)
{
	return !trace_step(tenant->arrivals.trace, tenant->batch.step)->what;
}

/* The first of the requests that have a token when the present step ends; all behind it do. */
static u32 first_of_step(const struct session_tenant *tenant)
{
	return is_prefill(tenant) ? tenant->batch.running - 1 : 0;
}

/* batching_begin() - requests of a plan will come */
void batching_begin(struct session_tenant *tenant)
{
	tenant->batch.told = tenant->arrivals.sequence;
	tenant->batch.running = 0;
	tenant->batch.step = 0;
}

/* batching_prefill() - the step with which the next request begins */
u32 batching_prefill(const struct session_tenant *tenant)
{
	const struct trace *trace = tenant->arrivals.trace;

	return find_step(trace, 0, trace_request(trace, tenant->requests[0].begun)->what);
}

/*
 * batching_next() - the step behind the present one, as far as is known now
 * @come: whether a request has come that has not begun
 *
 * Return: TRACE_NO_COMMAND if no request runs then, and none has come.
 */
u32 batching_next(const struct session_tenant *tenant, bool come)
{
	const struct batch *batch = &tenant->batch;
	u32 i, running = 0, first = first_of_step(tenant);
	u64 tokens = 0;

	for (i = 0; i < batch->running; i++) {
		const struct batched *request = &batch->request[i];
		u32 made = i >= first;

		if (request->left == made)
			continue;
		running++;
		tokens += request->context + made;
	}
	if (come && running < tenant->arrivals.plan.batching)
		return batching_prefill(tenant);
	return running ? find_step(tenant->arrivals.trace, running, tokens) : TRACE_NO_COMMAND;
}

/* batching_admit() - the next request begins with its prefill */
void batching_admit(struct session_tenant *tenant, const struct launch *request, u64 now)
{
	struct batch *batch = &tenant->batch;
	const struct trace_command *asked = trace_request(tenant->arrivals.trace,
							  tenant->requests[0].begun);

	batch->step = batching_prefill(tenant);
	tenant->requests[0].begun++;
	batch->request[batch->running++] = (struct batched) {
		.sequence = request->sequence,
		.arrival = request->arrival_cycle,
		.deadline = request->deadline,
		.start = now,
		.counted = request->arrival_cycle,
		.context = asked->what,
		.left = (u32)asked->amount,
	};
}

/* batching_decode() - all requests that run have their next token in a step */
void batching_decode(struct session_tenant *tenant, struct launch *launch, u32 step)
{
	const struct batch *batch = &tenant->batch;
	u32 i;

	tenant->batch.step = step;
	/* Policies see the deadline that comes first. */
	launch->deadline = 0;
	for (i = 0; i < batch->running; i++) {
		u64 deadline = batch->request[i].deadline;

		if (deadline && (!launch->deadline || deadline < launch->deadline))
			launch->deadline = deadline;
	}
}

/* Requests behind the first @running are over, and do not show in the state. */
static void forget(struct batch *batch, u32 running)
{
	memset(&batch->request[running], 0,
	       (batch->running - running) * sizeof(batch->request[0]));
	batch->running = running;
}

/* A request has a token. */
static void count_token(struct session_tenant *tenant, struct batched *request, u64 end,
			bool first)
{
	times_add(first ? &tenant->first_tokens : &tenant->tokens, end - request->counted);
	request->counted = end;
	request->context++;
	request->left--;
}

/*
 * batching_end_step() - the present step has ended: requests have their tokens, and some end
 * @end: device cycle in which it ended
 *
 * Return: whether a request has ended.
 */
bool batching_end_step(struct session_tenant *tenant, u64 end)
{
	struct batch *batch = &tenant->batch;
	u32 i, running = 0, first = first_of_step(tenant), before = batch->running;
	bool prefill = is_prefill(tenant);

	if (!prefill) {
		batch->decodes++;
		batch->decoded += before;
	}
	for (i = 0; i < before; i++) {
		struct batched *request = &batch->request[i];

		if (i >= first)
			count_token(tenant, request, end, prefill);
		if (request->left)
			batch->request[running++] = *request;
		else
			latency_add(&tenant->latency, request->arrival, request->start, end,
				    request->deadline);
	}
	forget(batch, running);
	return running < before;
}

/*
 * batching_tell() - the last request whose end, and that of all before it, is to be told now
 *
 * A request that ends before one that came earlier is told with that one: so launches of the
 * queue end in order, for those who wait for them.
 *
 * Return: its number; 0: there is none.
 */
u64 batching_tell(struct session_tenant *tenant)
{
	struct batch *batch = &tenant->batch;
	u64 oldest = batch->request[0].sequence;

	if (!batch->running || oldest == batch->told)
		return 0;
	batch->told = oldest;
	return oldest - 1;
}

/* batching_over() - a launch has left its queue, and so have all requests that ran */
void batching_over(struct session_tenant *tenant, const struct launch *launch)
{
	struct batch *batch = &tenant->batch;

	if (!batching_is_on(tenant))
		return;
	forget(batch, 0);
	batch->told = launch->sequence + 1;
}

/* batching_mean_ppm() - requests of a decode in the mean, in millionths; 0: there was none */
u64 batching_mean_ppm(const struct session_tenant *tenant)
{
	const struct batch *batch = &tenant->batch;

	return batch->decodes ? fixed_mul_div(batch->decoded, SIMGPU_PPM, batch->decodes) : 0;
}

/* batching_hash() - add the requests of a tenant that batches them to a hash */
u64 batching_hash(const struct session_tenant *tenant, u64 hash)
{
	return tenant->batch.told ? hash_bytes(hash, &tenant->batch, sizeof(tenant->batch)) : hash;
}

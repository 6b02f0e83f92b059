// SPDX-License-Identifier: GPL-2.0
/* A replay makes the calls that were journalled, at their cycles. */
#include "hints.h"
#include "internal.h"
#include "journal_replay.h"
#include "managed.h"
#include "memory_policy.h"

/* Whether a trace is the one that was journalled. */
static bool is_trace(const struct trace *trace, u32 checksum, u64 bytes)
{
	return trace && trace->checksum == checksum && trace->bytes == bytes;
}

/* Launch what was launched, which has to get the same number. */
static int launch_again(struct session *session, u32 slot,
			const struct session_launch_options *options, u64 expected)
{
	u64 sequence;
	int ret = session_launch_with(session, slot, options, &sequence);

	return !ret && sequence != expected ? -EINVAL : ret;
}

static int replay_launch(struct session *session,
			 const struct journal_event *event,
			 const struct trace *trace)
{
	struct session_launch_options options = {
		.trace = trace,
		.repeats = event->launch.repeats,
		.not_before = event->launch.not_before,
		.deadline = event->launch.deadline,
		.queue = event->launch.queue,
		.more = event->launch.more,
		.idempotent = event->launch.idempotent,
		.managed = event->launch.managed,
	};

	if (!is_trace(trace, event->launch.checksum, event->launch.trace_bytes))
		return -EINVAL;
	memcpy(options.wait, event->launch.wait, sizeof(options.wait));
	memcpy(options.sms, event->launch.sms, sizeof(options.sms));
	return launch_again(session, event->slot, &options, event->launch.sequence);
}

static int replay_copy(struct session *session, const struct journal_event *event,
		       const struct trace *trace)
{
	struct session_launch_options options = {
		.trace = trace,
		.repeats = 1,
		.queue = event->copy.queue,
		.more = event->copy.more,
		.copy = event->copy.is,
	};

	if (!is_trace(trace, event->copy.checksum, event->copy.trace_bytes))
		return -EINVAL;
	memcpy(options.wait, event->copy.wait, sizeof(options.wait));
	return launch_again(session, event->slot, &options, event->copy.sequence);
}

static int replay_arrivals(struct session *session,
			   const struct journal_event *event,
			   const struct trace *trace,
			   const struct session_replay *given)
{
	struct arrivals_plan plan = event->arrivals.plan;
	u64 sequence;
	int ret;

	if (!is_trace(trace, event->arrivals.checksum, event->arrivals.trace_bytes))
		return -EINVAL;
	if (plan.kind == ARRIVALS_LIST) {
		plan.list = given->list ?
			    given->list(given->lists, plan.requests,
					event->arrivals.list_checksum) : NULL;
		if (!plan.list)
			return -ENOENT;
	}
	ret = session_arrivals(session, event->slot, trace, &plan, &sequence);
	if (!ret && sequence != event->arrivals.sequence)
		return -EINVAL;
	return ret;
}

static int replay_policy(struct session *session,
			 const struct journal_event *event,
			 const struct session_replay *given)
{
	const struct simgpu_policy *policy = given->policy(event->name);

	if (!policy ||
	    !journal_is_same(journal_source_of(event), (struct journal_source) {
			policy->source, policy->checksum }))
		return -EINVAL;
	session_set_policy(session, policy);
	return 0;
}

static int replay_model(struct session *session,
			const struct journal_event *event,
			const struct session_replay *given)
{
	const struct simgpu_model *model = given->model(event->name);

	if (!model ||
	    !journal_is_same(journal_source_of(event), (struct journal_source) {
			model->source, model->checksum }))
		return -EINVAL;
	session_set_model(session, model);
	return 0;
}

static int replay_memory_policy(struct session *session,
				const struct journal_event *event,
				const struct session_replay *given)
{
	const struct simgpu_memory_policy *policy =
		given->memory_policy ? given->memory_policy(event->name) : NULL;

	if (!policy ||
	    !journal_is_same(journal_source_of(event), (struct journal_source) {
			policy->source, policy->checksum }))
		return -EINVAL;
	session_use_memory_policy(session, policy);
	return 0;
}

static int replay_constants(struct session *session,
			    const struct journal_event *event,
			    const struct session_replay *given)
{
	if (!given->constants ||
	    given->constants_bytes != event->constants.bytes ||
	    port_crc32(0, given->constants, given->constants_bytes) !=
	    event->constants.checksum)
		return -ENODATA;
	return session_set_constants(session, given->constants,
				     given->constants_bytes);
}

int session_replay_event(struct session *session,
			 const struct journal_event *event,
			 const struct trace *trace,
			 const struct session_replay *given)
{
	u64 now = session_now(session);
	int ret;

	if (event->cycle < now)
		return -EINVAL;
	if (event->cycle > now) {
		session_run(session, event->cycle - now);
		if (session_now(session) != event->cycle)
			return -EINVAL;
	}
	switch (event->kind) {
	case JOURNAL_JOIN:
		ret = session_join(session, event->slot, &event->tenant);
		return ret < 0 ? ret : 0;
	case JOURNAL_TENANT:
		return session_set_tenant(session, event->slot, &event->tenant);
	case JOURNAL_LAUNCH:
		return replay_launch(session, event, trace);
	case JOURNAL_COPY:
		return replay_copy(session, event, trace);
	case JOURNAL_QUEUE:
		return session_set_queue(session, event->slot,
					 event->queue.number,
					 event->queue.priority);
	case JOURNAL_MASKS:
		return session_set_masks(session, event->slot, &event->masks);
	case JOURNAL_ARRIVALS:
		return replay_arrivals(session, event, trace, given);
	case JOURNAL_LEAVE:
		session_leave(session, event->slot);
		return 0;
	case JOURNAL_POLICY:
		return replay_policy(session, event, given);
	case JOURNAL_MODEL:
		return replay_model(session, event, given);
	case JOURNAL_CONSTANTS:
		return replay_constants(session, event, given);
	case JOURNAL_MODEL_PARAM:
		return session_set_param(session, SESSION_MODEL_PARAMS,
					 event->name, event->value);
	case JOURNAL_POLICY_PARAM:
		return session_set_param(session, SESSION_POLICY_PARAMS,
					 event->name, event->value);
	case JOURNAL_MEMORY_PARAM:
		return session_set_param(session, SESSION_MEMORY_PARAMS,
					 event->name, event->value);
	case JOURNAL_EPOCH_CYCLES:
		return session_set_epoch_cycles(session, event->epoch_cycles);
	case JOURNAL_SAMPLED:
		return session_set_sampled(session, event->sampled);
	case JOURNAL_MANAGED_MIB:
		return session_set_managed_mib(session, event->managed_mib);
	case JOURNAL_MEMORY_POLICY:
		return session_set_memory_policy(session, event->memory_policy);
	case JOURNAL_MEMORY_PLUGIN:
		return replay_memory_policy(session, event, given);
	case JOURNAL_PREFETCH:
		return session_prefetch(session, event->slot, event->prefetch.offset,
					event->prefetch.bytes);
	case JOURNAL_ADVISE:
		return session_advise(session, event->slot, (u32)event->advise.advice,
				      event->advise.offset, event->advise.bytes);
	case JOURNAL_HINT:
		return session_hint(session, event->slot, &event->hint);
	case JOURNAL_POWER:
		return session_set_power(session, &event->power);
	case JOURNAL_MEMORY_GROUP:
		return session_set_memory_group(session, (u32)event->memory_group.index,
						&event->memory_group.is);
	case JOURNAL_INJECT:
		return session_inject(session, &event->injection);
	case JOURNAL_TIMEOUT:
		return session_set_timeout(session, event->slot, event->timeout.queue,
					   event->timeout.cycles);
	case JOURNAL_FALLBACK:
		return 0;
	default:
		return -EINVAL;
	}
}

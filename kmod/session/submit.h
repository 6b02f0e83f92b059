/* SPDX-License-Identifier: GPL-2.0 */
/* What tenants hand in: launches, requests that come by themselves, priorities of queues. */
#ifndef SESSION_SUBMIT_H
#define SESSION_SUBMIT_H

#include "session.h"

/**
 * session_launch() - queue a trace
 * @session: the session
 * @slot: the tenant
 * @trace: stays valid until launch_done
 * @repeats: how often it runs, at least 1
 * @not_before: device cycle before which it does not start
 * @sequence: set to the launch's number, from 1 for each tenant
 *
 * Return: 0; -ENOSPC if what is not managed of its footprint is larger than the device's
 * memory; -EAGAIN when SESSION_LAUNCHES_MAX wait; -E2BIG if an SM cannot hold one of its
 * thread blocks; -ERANGE if @not_before is more than
 * SESSION_AHEAD_CYCLES_MAX ahead; -EINVAL; -ECANCELED after the stop cycle or
 * on a canceled gang.
 */
int session_launch(struct session *session, u32 slot, const struct trace *trace,
		   u64 repeats, u64 not_before, u64 *sequence);

/**
 * struct session_launch_options - all options of a launch
 * @trace: see session_launch()
 * @repeats: see session_launch()
 * @not_before: see session_launch()
 * @deadline: device cycle by which it should end, not before @not_before and not
 *	in the past; 0: none
 * @queue: below SESSION_QUEUES_MAX. Launches of a queue run in order, those of
 *	several queues at once. A trace with commands takes this queue and those behind it
 *	that its commands name, from its beginning to its end, and begins when it is the first
 *	launch of all of them
 * @more: further launches of the tenant follow: its gang does not start before one
 *	without this. It has no effect outside a gang
 * @wait: numbers of earlier launches of the tenant's other queues that have
 *	to end before it starts; 0: none
 * @sms: mask of SMs of its kernels, with at least one of the tenant's; all zero: none
 * @idempotent: its thread blocks may be dropped, and begin again from nothing
 * @managed: the tenant's memory is managed from now on, up to the footprint of @trace or
 *	of an earlier such launch. Without it that of the trace's MANAGED allocations is
 *	(&struct trace.managed). A launch of which neither is said runs in what is managed, too
 * @batching: of requests that come by themselves: as in &struct arrivals_plan; of others 0
 * @prefetch: it asks for all managed memory of its footprint, as session_prefetch() does, before
 *	a gang begins with it. -ENXIO if none is managed then; -ENOSPC as there
 * @copy: what @trace was made of, if it is a copy alone; its kind is 0: it is none. Then
 *	@repeats is 1, and only @queue, @more and @wait say more
 * @tables: if memory is to be managed, tables from session_tables_make() for what is missing;
 *	set to NULL if they are taken over. NULL, or too small: the session makes them, and
 *	may sleep
 */
struct session_launch_options {
	const struct trace *trace;
	u64 repeats;
	u64 not_before;
	u64 deadline;
	u32 queue;
	u32 batching;
	bool more;
	bool idempotent;
	bool managed;
	bool prefetch;
	struct trace_copy copy;
	struct session_tables **tables;
	u64 wait[SESSION_WAITS_MAX];
	u64 sms[SESSION_MASK_WORDS];
};

/* Whether a launch makes memory managed, by its flag or as its trace says. */
static inline bool session_launch_manages(const struct session_launch_options *options)
{
	return options->managed || options->trace->managed_count;
}

/**
 * session_launch_with() - queue a trace
 * @session: the session
 * @slot: the tenant
 * @options: copied
 * @sequence: set to the launch's number, from 1 for each tenant, for all queues
 *
 * Return: see session_launch(); -EINVAL, too, for a queue that does not exist, a deadline
 * that is too early, waiting for an unknown launch or one in the same queue, and an
 * invalid mask; -EOPNOTSUPP for a trace with steps, for one that copies, if memory of the tenant
 * is managed or would be, and for one that spins (&struct trace.spins), where time leaps or
 * tenants have private runs; -EAGAIN, too, for a ninth mask; if it makes memory managed,
 * -EOPNOTSUPP without managed_mib, or where time leaps, and -EBUSY while launches have not
 * ended to which that memory was on the device; else -EINVAL for a footprint beyond what the
 * tenant's tables have, if some of its memory is managed; -ENOMEM: then nothing has changed.
 */
int session_launch_with(struct session *session, u32 slot,
			const struct session_launch_options *options,
			u64 *sequence);

/**
 * session_set_queue() - set the priority of a tenant's queue, from now on
 * @session: the session
 * @slot: the tenant
 * @queue: below SESSION_QUEUES_MAX
 * @priority: -SESSION_QUEUE_PRIORITY_MAX to SESSION_QUEUE_PRIORITY_MAX, the highest,
 *	see gpu_queue_set_priority()
 *
 * Return: 0 or -EINVAL.
 */
int session_set_queue(struct session *session, u32 slot, u32 queue, s32 priority);

/**
 * session_arrivals() - let requests of a tenant come by themselves
 * @session: the session
 * @slot: the tenant, without launches
 * @trace: trace of each request; stays valid, like the plan's list, until
 *	launch_done has reported the last one
 * @plan: which requests come, and when, from now on; copied, except for its list
 * @sequence: set to the last request's number; requests are numbered in order
 *
 * Each request is a launch. It comes even if earlier ones have not ended, and starts
 * when they have, or shares steps with them (batching.h); their number has no bound. Further
 * launches are refused with -EBUSY until the last request has ended. If launches are dropped,
 * launch_done only reports the one under way, of those that share steps the last, and the last
 * one of all.
 *
 * Return: 0; -EBUSY if the tenant has launches; -EOPNOTSUPP if the trace has MANAGED
 * allocations, and no launch has made them managed yet, or if it has steps and the plan no
 * batching, or the tenant managed memory; -EINVAL, too, for batching of more requests than a
 * step of the trace is for; else see session_launch().
 */
int session_arrivals(struct session *session, u32 slot,
		     const struct trace *trace, const struct arrivals_plan *plan,
		     u64 *sequence);

/**
 * session_launch_check() - whether a tenant could queue a trace, that has none yet
 * @session: the session
 * @slot: the tenant; SESSION_ANY_SLOT: one that has no slot yet
 * @options: its launch
 *
 * Return: as session_launch(), but for what the tenant has done before.
 */
int session_launch_check(const struct session *session, u32 slot,
			 const struct session_launch_options *options);

#endif /* SESSION_SUBMIT_H */

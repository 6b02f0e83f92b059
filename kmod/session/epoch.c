// SPDX-License-Identifier: GPL-2.0
/*
 * Epochs: how one begins and ends, and its report to the session's owner. decide.c makes
 * the decisions at its end.
 */
#include "apply.h"
#include "decide.h"
#include "epoch.h"
#include "goal.h"
#include "internal.h"
#include "power.h"
#include "private_run.h"
#include "registers.h"
#include "remarks.h"
#include "sight.h"
#include "snapshot.h"

/* An epoch is over: count what each SM finished in it, which decides how blocks leave. */
static void count_finished_blocks(struct session *session)
{
	struct simgpu_counters counters;
	u32 sm;

	for (sm = 0; sm < session->initial.config.sms; sm++) {
		gpu_sm_counters(session->gpu, sm, &counters);
		session->sm_finished[sm] = counters.blocks_finished -
					   session->sm_base[sm];
		session->sm_base[sm] = counters.blocks_finished;
	}
}

/* epoch_begin() - the present epoch begins now */
void epoch_begin(struct session *session)
{
	u32 slot;

	if (session_now(session) > session->epoch_start) {
		count_finished_blocks(session);
		sight_epoch_end(session);
		power_epoch(session);
	}
	session->epoch_start = session_now(session);
	session->fell_back = false;
	doubts_begin(session);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!is_member(session, slot))
			continue;
		gpu_tenant_counters(session->gpu, slot,
				    &session->tenants[slot].epoch_base);
		registers_clear(session, slot);
		private_run_epoch_begin(session, slot);
	}
}

/* epoch_first_run_cycles() - cycles of the epoch so far that belong to a slot's first run */
u64 epoch_first_run_cycles(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u64 start = session->epoch_start, end = session_now(session);

	if (!tenant->started)
		return 0;
	if (tenant->first_run_done && tenant->first_run_end < end)
		end = tenant->first_run_end;
	start = max(start, tenant->start_cycle);
	return fixed_above(end, start);
}

static void fill_epoch_tenant(struct session *session, u32 slot, bool decided,
			      struct session_epoch_tenant *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct simgpu_snapshot *snapshot = &session->snapshot;
	u64 cycles = snapshot->cycle - session->epoch_start;
	struct session_goal_figures goal;

	out->slot = slot;
	/* Exact counts, even if the model sees registers of limited width. */
	counters_subtract(&tenant->last, &tenant->epoch_base, &out->counters);
	out->sms = (out->counters.sm_cycles + cycles / 2) / cycles;
	out->sms_next = decided ? proposal_count(snapshot, &session->proposal,
						 slot) :
				  snapshot->tenants[slot].sms +
				  snapshot->tenants[slot].shared_sms;
	out->class = tenant->predicted.class;
	out->np_ppm = tenant->predicted.np_ppm;
	out->np_doubts = tenant->np_doubts;
	out->first_run = epoch_first_run_cycles(session, slot) != 0;
	figures_compute(session->gpu, &out->counters, cycles, &out->figures);
	goal_figures(session, slot, &goal);
	out->goal_ipc_ppm = goal.ipc_ppm;
	out->alpha_ppm = goal_alpha(&goal);
	out->quota = tenant->quota.last;
	out->blocks = tenant->quota.blocks;
	memcpy(out->gauges, session->gauges[slot], sizeof(out->gauges));
}

/*
 * Note whether a tenant had work all through the epoch and issued none of it. A short
 * epoch is no proof of that, so it leaves what was found before.
 */
static void note_starved(struct session *session, bool predicted,
			 const struct session_epoch_tenant *row)
{
	struct session_tenant *tenant = &session->tenants[row->slot];

	if (row->counters.thread_instructions ||
	    !(tenant->running | tenant->ready) ||
	    tenant->arrival_cycle > session->epoch_start)
		tenant->starved = false;
	else if (predicted)
		tenant->starved = true;
}

/* Tell the owner what the epoch was. @decided: a proposal waits. */
static void publish(struct session *session, bool predicted, bool decided)
{
	const struct simgpu_snapshot *snapshot = &session->snapshot;
	struct session_epoch *epoch = &session->epoch;
	u64 nps[SESSION_SLOTS_MAX];
	u32 known = 0, slot;

	epoch->index = session->epochs;
	epoch->start_cycle = session->epoch_start;
	epoch->end_cycle = snapshot->cycle;
	epoch->predicted = predicted;
	epoch->fell_back = session->fell_back;
	epoch->gauge_count = remarks_gauges(session->policy, epoch->gauges);
	epoch->tenant_count = 0;
	epoch->np_doubts = 0;
	epoch->clock_mhz = power_clock_mhz(session);
	epoch->power_uw = power_epoch_uw(session);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_epoch_tenant *row;

		if (!snapshot->tenants[slot].active)
			continue;
		row = &epoch->tenants[epoch->tenant_count++];
		fill_epoch_tenant(session, slot, decided, row);
		note_starved(session, predicted, row);
		/* Whatever the model said of it before, it makes no progress now. */
		if (session->tenants[slot].starved) {
			nps[known++] = 0;
		} else if (row->class != SIMGPU_CLASS_UNKNOWN) {
			nps[known++] = row->np_ppm;
			epoch->np_doubts |= row->np_doubts;
		}
	}
	metrics_compute(nps, known, &epoch->metrics);
	if (session->hooks.epoch)
		session->hooks.epoch(session->hooks.context, epoch);
}

/*
 * epoch_end() - end the present epoch
 * @ask: whether the policy is asked for the next epoch's assignment
 *
 * Model and policy skip an epoch shorter than a fifth of the set length.
 */
void epoch_end(struct session *session, bool ask)
{
	u64 cycles = session_now(session) - session->epoch_start;
	bool predicted = cycles >= session->epoch_cycles / 5;
	bool decided;

	if (!cycles)
		return;
	snapshot_fill(session);
	if (!session->snapshot.tenants_active) {
		epoch_begin(session);
		return;
	}
	decided = predicted && decide_epoch(session, ask);
	publish(session, predicted, decided);
	session->epochs++;
	epoch_begin(session);
}

/*
 * epoch_pass() - end an epoch in which time has leapt over requests
 *
 * In it epochs ended that were too short for model and policy. They skip this one, too.
 * Services had work in it, though they have none now.
 */
void epoch_pass(struct session *session)
{
	struct simgpu_snapshot *snapshot = &session->snapshot;
	u32 slot;

	snapshot_fill(session);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!session->tenants[slot].arrivals.trace)
			continue;
		snapshot->tenants[slot].active = true;
		session->snapshot_used |= 1ULL << slot;
	}
	publish(session, false, false);
	session->epochs++;
	epoch_begin(session);
}

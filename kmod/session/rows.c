// SPDX-License-Identifier: GPL-2.0
/* Rows: a session's reports, as structs of the UAPI */
#include "rows.h"

/* The enums of the UAPI and of the session have the same values. */
#define SAME(theirs, ours)						\
	static_assert((int)(theirs) == (int)(ours), #theirs)
SAME(SIMGPU_CLASSIFIED_UNKNOWN, SIMGPU_CLASS_UNKNOWN);
SAME(SIMGPU_CLASSIFIED_COMPUTE, SIMGPU_CLASS_COMPUTE);
SAME(SIMGPU_CLASSIFIED_MEMORY, SIMGPU_CLASS_MEMORY);
SAME(SIMGPU_SERVICE_BEST_EFFORT, SIMGPU_BEST_EFFORT);
SAME(SIMGPU_SERVICE_QOS, SIMGPU_QOS);
SAME(SIMGPU_GOAL_NONE, SESSION_GOAL_NONE);
SAME(SIMGPU_GOAL_IPC, SESSION_GOAL_IPC);
SAME(SIMGPU_GOAL_KERNEL_TIME, SESSION_GOAL_KERNEL_TIME);
SAME(SIMGPU_GOAL_RATE, SESSION_GOAL_RATE);
SAME(SIMGPU_KERNEL_END_CARRY, SESSION_KERNEL_END_CARRY);
SAME(SIMGPU_KERNEL_END_EVEN, SESSION_KERNEL_END_EVEN);
SAME(SIMGPU_KERNEL_END_CHANGED, SESSION_KERNEL_END_CHANGED);
SAME(SIMGPU_PREEMPTION_DRAIN, SESSION_PREEMPTION_DRAIN);
SAME(SIMGPU_PREEMPTION_SWITCH, SESSION_PREEMPTION_SWITCH);
SAME(SIMGPU_PREEMPTION_ADAPTIVE, SESSION_PREEMPTION_ADAPTIVE);
SAME(SIMGPU_REFUSAL_NONE, SESSION_REFUSED_NOTHING);
SAME(SIMGPU_REFUSAL_DECIDE, SESSION_REFUSED_DECIDE);
SAME(SIMGPU_REFUSAL_PROPOSAL, SESSION_REFUSED_PROPOSAL);
SAME(SIMGPU_REFUSAL_HOLD, SESSION_REFUSED_HOLD);
SAME(SIMGPU_REFUSAL_SLOW, SESSION_REFUSED_SLOW);
SAME(SIMGPU_REFUSAL_PREDICT, SESSION_REFUSED_PREDICT);
SAME(SIMGPU_REFUSAL_PARAM, SESSION_REFUSED_PARAM);
SAME(SIMGPU_REFUSAL_CONSTANTS, SESSION_REFUSED_CONSTANTS);
SAME(SIMGPU_REFUSAL_GONE, SESSION_REFUSED_GONE);
SAME(SIMGPU_REFUSAL_MEMORY, SESSION_REFUSED_MEMORY);
SAME(SIMGPU_DOUBT_SHARED_SMS, SIMGPU_ASSUMES_OWN_SMS);
SAME(SIMGPU_DOUBT_HELD, SIMGPU_ASSUMES_NOT_HELD);
SAME(SIMGPU_DOUBT_MEMORY_WAITS, SIMGPU_ASSUMES_BUSY_SMS);
SAME(SIMGPU_DOUBT_OLD, SESSION_DOUBT_OLD);
static_assert(SIMGPU_REFUSAL_ANY == SESSION_NOWHERE, "no tenant, no SM");
static_assert(SIMGPU_NAME_MAX == SIMGPU_NAME_BYTES, "names");
static_assert(SIMGPU_TENANTS_MAX == SESSION_SLOTS_MAX, "tenants");
SAME(SIMGPU_ARRIVALS_POISSON, ARRIVALS_POISSON);
SAME(SIMGPU_ARRIVALS_EVERY, ARRIVALS_EVERY);
SAME(SIMGPU_ARRIVALS_LIST, ARRIVALS_LIST);
static_assert(SIMGPU_ARRIVALS_LIST_MAX == ARRIVALS_LIST_MAX, "lists");
static_assert(SIMGPU_WAITING_MAX == SESSION_WAITING_MAX, "waiting launches");
static_assert(SIMGPU_EPOCH_GAUGES == SIMGPU_GAUGES_MAX, "gauges");
static_assert(SIMGPU_LAUNCH_AHEAD_MAX == SESSION_AHEAD_CYCLES_MAX, "starts");

static_assert((int)SIMGPU_COUNTER_COUNT == (int)SIMGPU_COUNTER_PLACES,
	      "tools/counters writes the UAPI's enumeration from the list");

void row_epoch(const struct session_epoch *epoch,
	       const struct session_epoch_tenant *row,
	       struct simgpu_epoch_record *out)
{
	*out = (struct simgpu_epoch_record) {
		.size = sizeof(*out),
		.epoch = epoch->index,
		.start_cycle = epoch->start_cycle,
		.end_cycle = epoch->end_cycle,
		.slot = row->slot,
		.sms = row->sms,
		.sms_next = row->sms_next,
		.class = row->class,
		.ipc_ppm = row->figures.ipc_ppm,
		.rbh_ppm = row->figures.rbh_ppm,
		.bandwidth_ppm = row->figures.bandwidth_ppm,
		.llc_mpki_ppm = row->figures.llc_mpki_ppm,
		.goal_ipc_ppm = row->goal_ipc_ppm,
		.alpha_ppm = row->alpha_ppm,
		.quota = row->quota,
		.blocks = row->blocks,
		.np_doubts = row->np_doubts,
		.gauge_count = epoch->gauge_count,
		.sm_mhz = epoch->clock_mhz,
		.power_uw = epoch->power_uw,
	};
	memcpy(out->gauges, row->gauges, sizeof(out->gauges));
	if (row->class != SIMGPU_CLASS_UNKNOWN)
		out->np_ppm = row->np_ppm;
	if (epoch->predicted)
		out->flags |= SIMGPU_EPOCH_PREDICTED;
	if (epoch->fell_back)
		out->flags |= SIMGPU_EPOCH_FELL_BACK;
	if (row->first_run)
		out->flags |= SIMGPU_EPOCH_FIRST_RUN;
}

const char *row_queue_state(u32 state)
{
	static const char *const names[] = {
		[SIMGPU_QUEUE_EMPTY] = "empty",
		[SIMGPU_QUEUE_WAITING] = "waiting",
		[SIMGPU_QUEUE_READY] = "ready",
		[SIMGPU_QUEUE_RUNNING] = "running",
	};

	return state < sizeof(names) / sizeof(*names) ? names[state] : "unknown";
}

static void row_queues(const struct session_tenant_report *report,
		       struct simgpu_tenant_report *out)
{
	u32 i;

	/* The states have the same numbers in the UAPI. */
	static_assert((u32)SIMGPU_QUEUE_RUNNING + 1 == SESSION_QUEUE_STATES,
		      "states");
	out->queue_count = report->queue_count;
	for (i = 0; i < report->queue_count; i++) {
		const struct session_queue_report *queue = &report->queue[i];

		out->queue[i] = (struct simgpu_queue_report) {
			.state = queue->state,
			.priority = queue->priority,
			.waiting = queue->waiting,
			.kernel = queue->kernel,
		};
	}
}

static bool has_bit(const u64 *words, u32 count, u32 bit)
{
	return bit < count && simgpu_has_bit(words, bit);
}

/* A list such as "0-39,64", in the form of lists of processors */
static size_t row_list(const u64 *words, u32 count, char *text)
{
	size_t length = 0;
	u32 first, last;

	text[0] = '\0';
	for (first = 0; first < count; first = last + 1) {
		last = first;
		if (!has_bit(words, count, first))
			continue;
		while (has_bit(words, count, last + 1))
			last++;
		length += (size_t)snprintf(text + length, ROW_SM_LIST_BYTES - length,
					   last > first ? "%s%u-%u" : "%s%u",
					   length ? "," : "", first, last);
	}
	return length;
}

size_t row_sm_list(const u64 *words, char *text)
{
	return row_list(words, SESSION_SM_WORDS * 64, text);
}

size_t row_bit_list(u64 bits, char *text)
{
	return row_list(&bits, 64, text);
}

void row_report(const struct session_tenant_report *report,
		struct simgpu_tenant_report *out)
{
	*out = (struct simgpu_tenant_report) {
		.thread_instructions = report->figures.thread_instructions,
		.cycles = report->figures.cycles,
		.np_run_ppm = report->np_run.run_ppm,
		.class = report->class,
		.goal_cycles = report->goal.cycles,
		.np_run_doubts = report->np_run_doubts,
	};
	if (report->class != SIMGPU_CLASS_UNKNOWN)
		out->np_ppm = report->np_ppm;
	if (report->active)
		out->flags |= SIMGPU_REPORT_ACTIVE;
	if (report->first_run_done)
		out->flags |= SIMGPU_REPORT_FIRST_RUN_DONE;
	if (report->waits_for_memory)
		out->flags |= SIMGPU_REPORT_WAITS_FOR_MEMORY;
	if (report->waits_for_sms)
		out->flags |= SIMGPU_REPORT_WAITS_FOR_SMS;
	if (report->shares.bounded)
		out->flags |= SIMGPU_REPORT_QUOTA;
	if (report->energy_known)
		out->flags |= SIMGPU_REPORT_ENERGY;
	figures_report(report, out);
	row_queues(report, out);
}

void row_refusal(const struct session_refusal *why, struct simgpu_refusal *out)
{
	*out = (struct simgpu_refusal) {
		.kind = why->kind,
		.code = why->code,
		.slot = why->slot,
		.sm = why->sm,
		.cycle = why->cycle,
	};
	static_assert(sizeof(out->field) == sizeof(why->field), "fields");
	static_assert(sizeof(out->reason) == sizeof(why->reason), "reasons");
	memcpy(out->field, why->field, sizeof(out->field));
	memcpy(out->reason, why->reason, sizeof(out->reason));
}

void row_refusal_read(const struct simgpu_refusal *row,
		      struct session_refusal *out)
{
	*out = (struct session_refusal) {
		.kind = row->kind,
		.code = row->code,
		.slot = row->slot,
		.sm = row->sm,
		.cycle = row->cycle,
	};
	memcpy(out->field, row->field, sizeof(out->field));
	memcpy(out->reason, row->reason, sizeof(out->reason));
}

/* For example "proposal: sms: a tenant with work gets no SM (slot 3, cycle 12345)" */
size_t row_refusal_words(const struct session_refusal *why, char *text)
{
	char slot[24] = "", sm[24] = "";
	int length;

	if (why->kind == SESSION_REFUSED_NOTHING)
		return (size_t)snprintf(text, ROW_REFUSAL_BYTES, "none");
	if (why->slot != SESSION_NOWHERE)
		snprintf(slot, sizeof(slot), "slot %u, ", why->slot);
	if (why->sm != SESSION_NOWHERE)
		snprintf(sm, sizeof(sm), "SM %u, ", why->sm);
	length = snprintf(text, ROW_REFUSAL_BYTES, "%s: %s%s%s (%s%scycle %llu)",
			  session_refusal_names[why->kind], why->field,
			  why->field[0] ? ": " : "", why->reason, slot, sm,
			  why->cycle);
	return length < ROW_REFUSAL_BYTES ? (size_t)length :
					    ROW_REFUSAL_BYTES - 1;
}

/* --- failures --------------------------------------------------------------------------- */

static_assert((int)SIMGPU_FAILURE_LOST == (int)SESSION_FAILURE_LOST);
static_assert((int)SIMGPU_SURVIVES_SM_RESET == (int)SESSION_SURVIVES_SM_RESET);
static_assert((int)SIMGPU_LAUNCH_LOST == (int)SESSION_LAUNCH_LOST);
static_assert(SIMGPU_INJECT_ANY == SESSION_INJECT_ANY);
static_assert(SIMGPU_INJECTIONS_MAX == SESSION_INJECTIONS_MAX);
static_assert(SIMGPU_TIMEOUT_CYCLES_MAX == SESSION_TIMEOUT_CYCLES_MAX);
static_assert(SIMGPU_CLOCK_MAX == SESSION_CLOCK_MAX);
static_assert(SIMGPU_POWER_CAP_MAX == SESSION_POWER_CAP_MAX);
static_assert(SIMGPU_POWER_WINDOW_MAX == SESSION_POWER_WINDOW_MAX);

void row_injection(const struct session_injection *injection, struct simgpu_injection *out)
{
	*out = (struct simgpu_injection) {
		.kind = injection->kind,
		.slot = injection->slot,
		.launch = injection->launch,
		.after = injection->after,
		.times = injection->times,
		.after_cycles = injection->after_cycles,
		.probability_ppm = injection->probability_ppm,
		.survives = injection->survives,
	};
}

void row_injection_read(const struct simgpu_injection *row, struct session_injection *out)
{
	*out = (struct session_injection) {
		.kind = row->kind,
		.slot = row->slot,
		.launch = row->launch,
		.after = row->after,
		.times = row->times,
		.after_cycles = row->after_cycles,
		.probability_ppm = row->probability_ppm,
		.survives = row->survives,
	};
}

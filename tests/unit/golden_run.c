// SPDX-License-Identifier: GPL-2.0
/* A golden run, and the digests of what it shows: see test_goldens.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/rows.h"
#include "../../userspace/offline/journal.h"
#include "../../userspace/offline/offline.h"
#include "goldens.h"
#include "journal_of.h"

const char *const golden_parts[GOLDEN_PARTS] = {
	[GOLDEN_SEEN] = "seen",
	[GOLDEN_SAID] = "said",
	[GOLDEN_TOLD] = "told",
	[GOLDEN_REPORTS] = "reports",
	[GOLDEN_COUNTERS] = "counters",
	[GOLDEN_JOURNAL] = "journal",
};

#define SLOTS	8	/* as many as any scenario has */

static void add(struct golden_run *run, enum golden_part part, const void *bytes,
		size_t count)
{
	u32 *digest = &run->result.digest[part];

	*digest = port_crc32(*digest, bytes, count);
}

__printf(3, 4)
static void say(struct golden_run *run, enum golden_part part, const char *format, ...)
{
	char text[512];
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	assert_in_range(length, 1, sizeof(text) - 1);
	add(run, part, text, (size_t)length);
}

/* Counters of managed memory, which come last, are added where they are not 0. */
static void add_counters(struct golden_run *run, enum golden_part part,
			 const struct simgpu_counters *counters)
{
	const u64 *count = (const u64 *)counters;
	u32 i;

	add(run, part, counters, SIMGPU_PLACE_faults * sizeof(u64));
	for (i = SIMGPU_PLACE_faults; i < SIMGPU_COUNTER_PLACES; i++)
		if (count[i])
			say(run, part, "%u %llu\n", i, count[i]);
}

void golden_note(struct golden_run *run, const char *what, s64 value)
{
	say(run, GOLDEN_TOLD, "%s %lld\n", what, (long long)value);
}

void golden_join(struct golden_run *run, u32 slot,
		 const struct session_tenant_options *options)
{
	golden_note(run, "join", session_join(run->session, slot, options));
}

void golden_launch(struct golden_run *run, u32 slot,
		   const struct session_launch_options *options)
{
	u64 sequence = 0;

	golden_note(run, "launch", session_launch_with(run->session, slot, options,
						       &sequence));
	golden_note(run, "sequence", (s64)sequence);
}

/* --- what model and policy see and say ------------------------------------------------- */

/*
 * A tenant, with what is not 0 of its managed memory, the counters of that, failures, its
 * hint and its copies.
 */
static void see_tenant(struct golden_run *run, const struct simgpu_snapshot_tenant *tenant)
{
	size_t first = offsetof(struct simgpu_snapshot_tenant, managed_bytes);
	size_t rest = offsetof(struct simgpu_snapshot_tenant, total) +
		      sizeof(tenant->total);
	u32 i;

	add(run, GOLDEN_SEEN, tenant, first);
	if (tenant->managed_bytes)
		say(run, GOLDEN_SEEN, "%llu %llu %llu\n", tenant->managed_bytes,
		    tenant->resident_bytes, tenant->wanted_bytes);
	if (tenant->failed_queues || tenant->strikes)
		say(run, GOLDEN_SEEN, "%u %u\n", tenant->failed_queues, tenant->strikes);
	if (tenant->hint_cycle)
		say(run, GOLDEN_SEEN, "%llu %llu\n", tenant->hint_cycle,
		    tenant->hint_laxity);
	add_counters(run, GOLDEN_SEEN, &tenant->counters);
	add_counters(run, GOLDEN_SEEN, &tenant->total);
	add(run, GOLDEN_SEEN, (const u8 *)tenant + rest,
	    offsetof(struct simgpu_snapshot_tenant, queue) - rest);
	for (i = 0; i < ARRAY_SIZE(tenant->queue); i++) {
		add(run, GOLDEN_SEEN, &tenant->queue[i],
		    offsetof(struct simgpu_snapshot_queue, blocks_left));
		if (tenant->queue[i].copy.flags)
			say(run, GOLDEN_SEEN, "copy %u %u %u %llu\n", i,
			    tenant->queue[i].copy.flags, tenant->queue[i].copy.way,
			    tenant->queue[i].copy.bytes_left);
	}
}

/*
 * All that is filled in; what is behind that only now and then: it is large, and the
 * same every time.
 */
static void see(struct golden_run *run, const struct simgpu_snapshot *snapshot)
{
	size_t head = offsetof(struct simgpu_snapshot, managed_bytes);
	size_t next = offsetof(struct simgpu_snapshot, epoch);
	struct simgpu_snapshot *old = malloc(sizeof(*old));
	bool epoch = snapshot->events & SIMGPU_ON_EPOCH;
	u32 slots = epoch ? ARRAY_SIZE(snapshot->tenants) : snapshot->slot_count, i;

	/*
	 * As before managed memory, failures, hints, clocks, copies and sizes of launches; the
	 * version counts counters.
	 */
	memcpy(old, snapshot, sizeof(*old));
	old->version -= SIMGPU_COUNTER_PLACES - SIMGPU_PLACE_faults + 7;
	old->bytes -= ARRAY_SIZE(old->tenants) * ARRAY_SIZE(old->tenants->queue) *
		      (sizeof(old->tenants->queue[0]) -
		       offsetof(struct simgpu_snapshot_queue, blocks_left));
	old->bytes -= next - head + ARRAY_SIZE(old->tenants) *
		      (offsetof(struct simgpu_snapshot_tenant, counters) -
		       offsetof(struct simgpu_snapshot_tenant, managed_bytes));
	old->bytes -= ARRAY_SIZE(old->tenants) * 2 *
		      (sizeof(old->tenants->total) - SIMGPU_PLACE_faults * sizeof(u64));
	add(run, GOLDEN_SEEN, old, head);
	add(run, GOLDEN_SEEN, (const u8 *)old + next,
	    offsetof(struct simgpu_snapshot, tenants) - next);
	free(old);
	for (i = 0; i < slots; i++)
		see_tenant(run, &snapshot->tenants[i]);
	if (epoch) {
		head = offsetof(struct simgpu_snapshot, tenants) +
		       sizeof(snapshot->tenants);
		add(run, GOLDEN_SEEN, (const u8 *)snapshot + head,
		    sizeof(*snapshot) - head);
		return;
	}
	add(run, GOLDEN_SEEN, snapshot->shared,
	    snapshot->shared_rows * sizeof(*snapshot->shared));
	add(run, GOLDEN_SEEN, snapshot->profiles,
	    snapshot->profile_count * sizeof(*snapshot->profiles));
}

/* What it says of managed memory, which comes last, only if it says that. */
static void add_proposal(struct golden_run *run, enum golden_part part,
			 const struct simgpu_proposal *proposal)
{
	add(run, part, proposal, proposal->flags & SIMGPU_SAYS_MEMORY ?
	    offsetof(struct simgpu_proposal, recovery) :
	    offsetof(struct simgpu_proposal, memory_min));
}

static int on_decide(void *context, const struct simgpu_policy *policy,
		     const struct simgpu_snapshot *snapshot, void *state,
		     struct simgpu_proposal *proposal)
{
	struct golden_run *run = context;
	int result;

	see(run, snapshot);
	add_proposal(run, GOLDEN_SEEN, proposal);
	result = policy->decide(snapshot, state, proposal);
	say(run, GOLDEN_SAID, "decide %s %d\n", policy->name, result);
	add_proposal(run, GOLDEN_SAID, proposal);
	add(run, GOLDEN_SAID, state, policy->state_bytes);
	return result;
}

static int on_predict(void *context, const struct simgpu_model *model,
		      const struct simgpu_snapshot *snapshot, const void *constants,
		      void *state, struct simgpu_prediction *prediction)
{
	struct golden_run *run = context;
	int result;

	see(run, snapshot);
	result = model->predict(snapshot, constants, state, prediction);
	say(run, GOLDEN_SAID, "predict %s %d\n", model->name, result);
	add(run, GOLDEN_SAID, prediction, sizeof(*prediction));
	add(run, GOLDEN_SAID, state, model->state_bytes);
	return result;
}

static void say_doubts(struct golden_run *run, enum golden_part part, u32 doubts)
{
	if (doubts)
		say(run, part, "doubts %u\n", doubts);
}

/* --- what the session tells ------------------------------------------------------------- */

/*
 * Metrics of what the model said, which the digests in the file are of. The session's
 * own count a tenant that has issued nothing as one without progress; they differ in
 * nothing else.
 */
static void metrics_of_predictions(const struct session_epoch *epoch,
				   struct metrics *out)
{
	u64 nps[SESSION_SLOTS_MAX];
	u32 known = 0, i;

	for (i = 0; i < epoch->tenant_count; i++)
		if (epoch->tenants[i].class != SIMGPU_CLASS_UNKNOWN)
			nps[known++] = epoch->tenants[i].np_ppm;
	metrics_compute(nps, known, out);
	if (memcmp(out, &epoch->metrics, sizeof(*out)) &&
	    (epoch->metrics.fairness_ppm || epoch->metrics.antt_ppm))
		abort();
}

static void on_epoch(void *context, const struct session_epoch *epoch)
{
	struct golden_run *run = context;
	struct metrics metrics;
	u32 i;

	metrics_of_predictions(epoch, &metrics);
	say(run, GOLDEN_TOLD, "epoch %u %llu %llu %llu\n", epoch->tenant_count,
	    metrics.fairness_ppm, metrics.stp_ppm, metrics.antt_ppm);
	for (i = 0; i < epoch->tenant_count; i++) {
		const struct session_epoch_tenant *tenant = &epoch->tenants[i];
		struct simgpu_epoch_record row;

		row_epoch(epoch, tenant, &row);
		/* As long as it was before it had doubts: without any nothing changes. */
		row.size = offsetof(struct simgpu_epoch_record, np_doubts);
		add(run, GOLDEN_TOLD, &row, row.size);
		say_doubts(run, GOLDEN_TOLD, row.np_doubts);
		add(run, GOLDEN_TOLD, &tenant->figures, sizeof(tenant->figures));
		add_counters(run, GOLDEN_COUNTERS, &tenant->counters);
	}
}

static void on_done(void *context, u32 slot, u32 queue, u64 sequence,
		    const struct trace *trace, int status)
{
	say(context, GOLDEN_TOLD, "done %u %u %llu %s %d\n", slot, queue, sequence,
	    trace->name, status);
}

static void on_start(void *context, u32 slot, u32 queue, u64 sequence,
		     const struct trace *trace, u32 kernel)
{
	say(context, GOLDEN_TOLD, "start %u %u %llu %s %u\n", slot, queue, sequence,
	    trace->name, kernel);
}

static void on_finish(void *context, u32 slot, u32 queue, u64 sequence,
		      const struct trace *trace, u32 kernel, u64 ended)
{
	say(context, GOLDEN_TOLD, "finish %u %u %llu %s %u %llu\n", slot, queue,
	    sequence, trace->name, kernel, ended);
}

static void on_repartition(void *context)
{
	struct golden_run *run = context;

	say(run, GOLDEN_TOLD, "repartition %llu\n", session_now(run->session));
}

static void on_preempt(void *context, u32 sm, u32 from, u32 to, u32 how)
{
	say(context, GOLDEN_TOLD, "preempt %u %u %u %u\n", sm, from, to, how);
}

static void on_counted(void *context, u32 slot, const struct session_counted *counted)
{
	say(context, GOLDEN_TOLD, "counted %u %llu %d\n", slot, counted->cycles,
	    counted->last_bit);
}

static void say_refusal(struct golden_run *run, enum golden_part part,
			const struct session_refusal *why)
{
	char text[ROW_REFUSAL_BYTES];

	row_refusal_words(why, text);
	say(run, part, "refusal %d %s\n", why->code, text);
}

static void on_fell_back(void *context, const struct session_refusal *why)
{
	say_refusal(context, GOLDEN_TOLD, why);
}

/* --- what one can ask ------------------------------------------------------------------- */

static void say_queues(struct golden_run *run,
		       const struct session_tenant_report *report)
{
	u32 i;

	for (i = 0; i < report->queue_count; i++) {
		const struct session_queue_report *queue = &report->queue[i];

		say(run, GOLDEN_REPORTS, "queue %s %d %llu\n",
		    row_queue_state(queue->state), queue->held, queue->sequence);
	}
}

static void say_report(struct golden_run *run, u32 slot)
{
	struct session_tenant_report report;
	struct simgpu_tenant_report row;
	char own[ROW_SM_LIST_BYTES], channels[ROW_SM_LIST_BYTES];

	memset(&report, 0x5a, sizeof(report));
	session_tenant_report(run->session, slot, &report);
	say(run, GOLDEN_REPORTS, "slot %u %d\n", slot, report.present);
	if (!report.present)
		return;
	row_report(&report, &row);
	add(run, GOLDEN_REPORTS, &row, offsetof(struct simgpu_tenant_report, np_doubts));
	say_doubts(run, GOLDEN_REPORTS, row.np_doubts);
	say_doubts(run, GOLDEN_REPORTS, row.np_run_doubts);
	row_sm_list(report.shares.own, own);
	row_bit_list(row.mask_channels, channels);
	say(run, GOLDEN_REPORTS, "%s|%s|%d\n", own, channels, report.left);
	say(run, GOLDEN_REPORTS, "%llu %llu %llu %llu\n", report.np_run.run_ppm,
	    report.np_run.memory_ppm, report.np_run.compute_ppm,
	    report.np_run.memory_part_ppm);
	say(run, GOLDEN_REPORTS, "%u %u %llu %llu %u\n", report.options.service,
	    report.options.weight, report.options.target_ppm, report.options.goal,
	    report.options.share_ppm);
	say_queues(run, &report);
	add_counters(run, GOLDEN_COUNTERS, &report.counters);
}

/* What slots have there. */
static void say_shares(struct golden_run *run, u32 sm)
{
	const struct gpu *gpu = session_gpu(run->session);
	struct gpu_sm_tenant tenant;
	u32 slot;

	for (slot = 0; slot < SLOTS; slot++) {
		gpu_sm_tenant(gpu, sm, slot, &tenant);
		add(run, GOLDEN_REPORTS, &tenant, sizeof(tenant));
	}
}

static void say_sms(struct golden_run *run)
{
	struct gpu *gpu = (struct gpu *)session_gpu(run->session);
	struct simgpu_counters counters;
	struct gpu_sm_status status;
	u32 sm;

	for (sm = 0; sm < gpu_config(gpu)->sms; sm++) {
		gpu_sm_status(gpu, sm, &status);
		say(run, GOLDEN_REPORTS, "SM %u %u %u %u %u\n", sm, status.owner,
		    status.next_owner, status.blocks, status.state);
		gpu_sm_counters(gpu, sm, &counters);
		add_counters(run, GOLDEN_COUNTERS, &counters);
		say_shares(run, sm);
	}
}

static void say_channel_queues(struct golden_run *run)
{
	const struct gpu *gpu = session_gpu(run->session);
	struct gpu_channel_status status;
	u32 channel;

	for (channel = 0; channel < gpu_config(gpu)->channels; channel++) {
		gpu_channel_status(gpu, channel, &status);
		say(run, GOLDEN_REPORTS, "channel %u %u %u %u %u\n", status.reads,
		    status.writes, status.arriving, status.slice_requests,
		    status.slice_waiting);
	}
}

static void say_channels(struct golden_run *run, u32 slot)
{
	const struct gpu *gpu = session_gpu(run->session);
	struct gpu_channel_counters counters;
	u32 channel;

	for (channel = 0; channel < gpu_config(gpu)->channels; channel++) {
		gpu_channel_counters(gpu, channel, slot, &counters);
		add(run, GOLDEN_COUNTERS, &counters, sizeof(counters));
	}
}

static void say_all(struct golden_run *run)
{
	struct session *session = run->session;
	u64 overruns, checks = session_quota_checks(session, &overruns);
	u32 slot;

	say(run, GOLDEN_REPORTS, "now %llu %llu %u %llu %llu %llu\n",
	    session_now(session), session_end_cycle(session), session_state(session),
	    checks, overruns, session_empty_cycles(session));
	say_refusal(run, GOLDEN_REPORTS, session_last_refusal(session));
	for (slot = 0; slot < SLOTS; slot++) {
		say_report(run, slot);
		say_channels(run, slot);
	}
	say_sms(run);
	say_channel_queues(run);
}

/* --- the journal ------------------------------------------------------------------------ */

static const struct golden_scenario *scenario_now;

static const struct gpu_config *find_config(const char *name)
{
	return &scenario_now->options.config;
}

static const struct simgpu_policy *find_policy(const char *name)
{
	const struct simgpu_policy *own = scenario_now->options.policy;

	return strcmp(own->name, name) ? registry_policy_find(name) : own;
}

static const struct journal_names names = {
	.config = find_config, .policy = find_policy, .model = registry_model_find,
};

static void print_journal(struct golden_run *run, FILE *out)
{
	struct session *session = run->session;
	char line[JOURNAL_LINE_BYTES];
	const struct journal_event *events;
	u32 count, i;
	u64 lost;

	journal_print_start(line, session_options(session), 0);
	fputs(line, out);
	events = journal_of(session, &count, &lost);
	for (i = 0; i < count; i++) {
		journal_print_event(line, &events[i]);
		fputs(line, out);
	}
	if (lost) {
		journal_print_lost(line, session_now(session), lost);
		fputs(line, out);
	}
	journal_print_end(line, session_now(session), run->result.hash);
	fputs(line, out);
}

static void expect_line(const char *text, const char *line)
{
	if (strncmp(text, line, strlen(line)))
		fail_msg("%s: read back, the journal says %s", scenario_now->name, line);
}

/* What is read says what was written; of a fallback, only why is read. */
static void expect_same_text(const struct offline_journal *journal, const char *text)
{
	char line[JOURNAL_LINE_BYTES];
	u32 i;

	journal_print_start(line, &journal->options, journal->constants_checksum);
	expect_line(text, line);
	for (i = 0; i < journal->count; i++) {
		text = strchr(text, '\n') + 1;
		if (journal->events[i].kind == JOURNAL_FALLBACK)
			continue;
		journal_print_event(line, &journal->events[i]);
		expect_line(text, line);
	}
}

static void say_journal(struct golden_run *run)
{
	struct offline_journal_error error;
	struct offline_journal journal;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print_journal(run, out);
	fclose(out);
	add(run, GOLDEN_JOURNAL, text, size);
	if (offline_parse_journal(text, &names, &journal, &error))
		fail_msg("%s: line %u of the journal: %s", scenario_now->name,
			 error.line, error.reason);
	expect_same_text(&journal, text);
	offline_free_journal(&journal);
	free(text);
}

/* --- the run ---------------------------------------------------------------------------- */

static struct session *session_of(const struct golden_scenario *scenario,
				  struct golden_run *run)
{
	struct session_hooks hooks = {
		.context = run, .epoch = on_epoch, .launch_done = on_done,
		.kernel_start = on_start, .kernel_finish = on_finish,
		.repartition = on_repartition, .preempt = on_preempt,
		.decide = on_decide, .predict = on_predict, .counted = on_counted,
		.fell_back = on_fell_back,
	};
	struct session *session;

	if (session_create(&session, &scenario->options, &hooks))
		fail_msg("%s cannot be", scenario->name);
	return session;
}

void golden_run(const struct golden_scenario *scenario, struct golden_result *result)
{
	struct golden_run run = { .variant = scenario->variant };

	scenario_now = scenario;
	run.session = session_of(scenario, &run);
	for (; run.step < scenario->steps; run.step++) {
		scenario->live(&run);
		session_run(run.session, scenario->step_cycles);
		say_all(&run);
	}
	run.result.hash = session_state_hash(run.session);
	say_journal(&run);
	session_destroy(run.session);
	*result = run.result;
}

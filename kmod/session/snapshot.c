// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: what models and policies see. They are filled from the hardware's counters
 * and the session's tables. This file also computes the figures derived from counters.
 */
#include "affinity.h"
#include "copies.h"
#include "goal.h"
#include "internal.h"
#include "launch.h"
#include "launch_turn.h"
#include "pager_wanted.h"
#include "power.h"
#include "private_run.h"
#include "registers.h"
#include "sight.h"
#include "snapshot.h"

void counters_subtract(const struct simgpu_counters *from,
		       const struct simgpu_counters *what,
		       struct simgpu_counters *out)
{
	const u64 *a = (const u64 *)from, *b = (const u64 *)what;
	u64 *difference = (u64 *)out;
	u32 i;

	for (i = 0; i < sizeof(*out) / sizeof(u64); i++)
		difference[i] = a[i] - b[i];
}

void session_figures(const struct session *session,
		     const struct simgpu_counters *counters, u64 cycles,
		     struct session_figures *out)
{
	figures_compute(session->gpu, counters, cycles, out);
}

/*
 * figures_compute() - IPC, RBH, bandwidth and MPKI of a span of cycles
 * @counters: differences over the span
 *
 * ipc = thread instructions / cycles; rbh = 1 - activates / requests;
 * bandwidth = busy clocks / (channels * memory clocks);
 * llc_mpki = LLC misses * 1000 / thread instructions. A figure whose divisor is 0 is 0.
 */
void figures_compute(const struct gpu *gpu, const struct simgpu_counters *counters,
		     u64 cycles, struct session_figures *out)
{
	u64 requests = simgpu_dram_requests(counters);
	u64 clocks = gpu_memory_clocks(gpu, cycles);

	out->thread_instructions = counters->thread_instructions;
	out->cycles = cycles;
	out->ipc_ppm = fixed_ratio_ppm(counters->thread_instructions, cycles);
	out->rbh_ppm = 0;
	if (requests && counters->row_activates < requests)
		out->rbh_ppm = SIMGPU_PPM -
			       fixed_ratio_ppm(counters->row_activates, requests);
	out->bandwidth_ppm = fixed_ratio_ppm(counters->bus_busy_clocks,
					     clocks * gpu_config(gpu)->channels);
	out->llc_mpki_ppm = fixed_mul_div(counters->llc_misses,
					  1000 * SIMGPU_PPM,
					  counters->thread_instructions);
}

/* --- kernels and queues ---------------------------------------------------------- */

static void fill_kernel(const struct session *session, const struct launch *launch,
			u32 kernel, struct simgpu_snapshot_kernel *out)
{
	const struct trace_kernel *from = &launch->trace->kernels[kernel];

	out->flags = SIMGPU_KERNEL_PRESENT;
	if (launch->idempotent)
		out->flags |= SIMGPU_KERNEL_IDEMPOTENT;
	out->kernel = kernel;
	out->blocks = from->blocks;
	out->blocks_left = from->blocks;
	out->threads = from->block_threads;
	out->registers = from->registers_per_thread;
	out->shared_bytes = from->shared_bytes;
	out->blocks_per_sm =
		gpu_kernel_blocks_per_sm(&session->initial.config, from);
	out->sequence = launch->sequence;
	out->arrival_cycle = launch->arrival_cycle;
}

/* Returns 1 + the index of a new, zeroed profile, or 0 if there is no room. */
static u32 add_profile(struct session *session)
{
	struct simgpu_snapshot *snapshot = &session->snapshot;

	if (snapshot->profile_count == ARRAY_SIZE(snapshot->profiles))
		return 0;
	/* Points for more SMs than the device has are never set. */
	memset(&snapshot->profiles[snapshot->profile_count], 0,
	       snapshot->sms * sizeof(struct simgpu_profile_point));
	return ++snapshot->profile_count;
}

/* Copy the kernel's profile (its times by number of SMs) from its trace, if there is one. */
static void fill_profile(struct session *session, const struct trace *trace,
			 struct simgpu_snapshot_kernel *kernel)
{
	const struct gpu_config *config = &session->initial.config;
	const struct trace_point *points =
		trace_profile(trace, config->name, config->sms, kernel->kernel);

	if (points)
		kernel->profile = add_profile(session);
	if (kernel->profile)
		memcpy(session->snapshot.profiles[kernel->profile - 1].point,
		       points, config->sms * sizeof(*points));
}

/* The profile of the launch's remaining kernels; of a single one it is the kernel's own. */
static void fill_launch_profile(struct session *session, const struct trace *trace,
				struct simgpu_snapshot_kernel *head)
{
	const struct gpu_config *config = &session->initial.config;
	struct simgpu_snapshot *snapshot = &session->snapshot;
	struct simgpu_profile_point *to;

	head->launch_profile = head->profile;
	if (head->kernel + 1 == trace->kernel_count || !head->profile)
		return;
	head->launch_profile = add_profile(session);
	if (!head->launch_profile)
		return;
	to = snapshot->profiles[head->launch_profile - 1].point;
	static_assert(sizeof(*to) == sizeof(struct trace_point), "points");
	if (trace_rest(trace, config->name, config->sms, head->kernel,
		       (struct trace_point *)to))
		return;
	head->launch_profile = 0;
	snapshot->profile_count--;
}

/*
 * Thread blocks that have not ended. If the kernel has not started, or has just ended,
 * the answer is @blocks: the next one is assumed to be as large.
 */
static u32 blocks_left_of(const struct session *session, u32 slot, u32 queue,
			  u32 blocks)
{
	struct gpu_kernel_status status;

	if (!(session->tenants[slot].running >> queue & 1))
		return blocks;
	gpu_queue_status(session->gpu, slot, queue, &status);
	return status.blocks == status.blocks_finished ?
	       blocks : status.blocks - status.blocks_finished;
}

/* The launch behind the present one, if it has been made. */
static void fill_oldest(const struct session *session, u32 slot, u32 queue,
			struct simgpu_snapshot_queue *out)
{
	struct launch oldest;

	if (!launch_following(session, slot, queue, &oldest))
		return;
	out->oldest_cycle = oldest.arrival_cycle;
	out->oldest_blocks = launch_run_blocks(session, slot, queue, &oldest);
}

/* Fill a queue. It has no head kernel until its first launch can begin. */
static void fill_queue(struct session *session, u32 slot, u32 queue,
		       struct simgpu_snapshot_queue *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct queue *from = &tenant->queue[queue];
	const struct launch *launch = present_launch(from);
	struct launch next;
	u32 kernel;

	out->waiting = launch_waiting(session, slot, queue);
	out->priority = from->priority;
	out->events = from->events;
	out->issue_left = tenant->slicing >> queue & 1 ? from->slice_blocks :
			  gpu_queue_issue_left(session->gpu, slot, queue);
	fill_oldest(session, slot, queue, out);
	if (!(working_queues(tenant) >> queue & 1))
		return;
	out->deadline_cycle = launch->deadline;
	masks_of_launch(tenant, launch, out->sm_mask);
	fill_kernel(session, launch, from->kernel, &out->head);
	if (session_needs(session) & SIMGPU_NEEDS_PROFILES)
		fill_profile(session, launch->trace, &out->head);
	out->head.blocks_left = blocks_left_of(session, slot, queue,
					       out->head.blocks);
	out->blocks_left = out->head.blocks_left + launch_rest_blocks(session, slot, queue);
	if (tenant->running >> queue & 1)
		out->head.flags |= SIMGPU_KERNEL_RUNNING;
	if (launch_next_kernel(session, slot, queue, &next, &kernel))
		fill_kernel(session, &next, kernel, &out->next);
}

/* The profiles of what follows the head of a queue. The heads have theirs already. */
static void fill_more_profiles(struct session *session, u32 slot, u32 number)
{
	struct simgpu_snapshot_queue *queue =
		&session->snapshot.tenants[slot].queue[number];
	struct launch next;
	u32 kernel;

	if (!(queue->head.flags & SIMGPU_KERNEL_PRESENT))
		return;
	fill_launch_profile(session,
			    present_launch(&session->tenants[slot]
						    .queue[number])->trace,
			    &queue->head);
	if (launch_next_kernel(session, slot, number, &next, &kernel))
		fill_profile(session, next.trace, &queue->next);
}

/* --- tenants ------------------------------------------------------------------------ */

static u32 add_most(u32 a, u32 b)
{
	return a + b < a ? U32_MAX : a + b;
}

static void fill_queues(struct session *session, u32 slot,
			struct simgpu_snapshot_tenant *out)
{
	u32 i;

	out->queue_count = session->tenants[slot].queues;
	for (i = 0; i < out->queue_count; i++) {
		struct simgpu_snapshot_queue *queue = &out->queue[i];

		fill_queue(session, slot, i, queue);
		out->blocks = add_most(out->blocks, queue->head.blocks);
		out->blocks_left = add_most(out->blocks_left,
					    queue->head.blocks_left);
	}
}

static void fill_goal(const struct session *session, u32 slot,
		      struct simgpu_snapshot_tenant *out)
{
	struct session_goal_figures figures;

	goal_figures(session, slot, &figures);
	out->goal_ipc_ppm = figures.ipc_ppm;
	out->goal_cycles = figures.cycles;
	out->goal_instructions = figures.instructions;
	out->goal_promised = figures.promised;
}

/* snapshot_predicted() - copy the model's prediction of a tenant */
void snapshot_predicted(struct session *session, u32 slot)
{
	const struct simgpu_prediction_tenant *said =
		&session->tenants[slot].predicted;
	struct simgpu_snapshot_tenant *out = &session->snapshot.tenants[slot];

	out->class = said->class;
	out->np_ppm = said->np_ppm;
	out->sd_scal_ppm = said->sd_scal_ppm;
	out->sd_inter_ppm = said->sd_inter_ppm;
	out->curve = said->curve;
}

/* A tenant that expects a launch is seen before it has work. */
static void fill_hint(struct session *session, u32 slot,
		      struct simgpu_snapshot_tenant *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	if (!tenant->hint.cycle)
		return;
	out->service = tenant->options.service;
	out->hint_cycle = tenant->hint.cycle;
	out->hint_laxity = tenant->hint.laxity;
	session->snapshot_used |= 1ULL << slot;
}

static void fill_counters(struct session *session, u32 slot,
			  struct simgpu_snapshot_tenant *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	latency_fill_snapshot(&tenant->latency, &out->latency);
	out->latency.target_cycles = tenant->options.p99_cycles;
	out->total = tenant->last;
	counters_subtract(&tenant->last, &tenant->epoch_base, &out->counters);
	if (gpu_config(session->gpu)->hardware_counters)
		registers_read(session, slot, &out->counters);
	sight_tenant(session, slot, out);
}

/* A tenant that has just departed is seen once more. */
static void fill_departed(struct session *session, u32 slot,
			  struct simgpu_snapshot_tenant *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	if (!(tenant->events & SIMGPU_ON_DEPARTURE) ||
	    !(session_needs(session) & SIMGPU_NEEDS_DEPARTED))
		return;
	out->service = tenant->options.service;
	out->weight = tenant->options.weight;
	fill_counters(session, slot, out);
}

static void fill_tenant(struct session *session, u32 slot, u32 sms,
			struct simgpu_snapshot_tenant *out)
{
	struct session_tenant *tenant = &session->tenants[slot];

	out->active = 1;
	tenant->unseen = NULL;
	goal_follow(session, slot);
	fill_goal(session, slot, out);
	out->service = tenant->options.service;
	out->weight = tenant->options.weight;
	out->target_ppm = tenant->options.target_ppm;
	out->share_ppm = tenant->options.share_ppm;
	out->cgroup = tenant->options.cgroup;
	memcpy(out->sm_mask, tenant->masks.sms, sizeof(out->sm_mask));
	out->channel_mask = tenant->masks.channels;
	out->llc_way_mask = tenant->masks.llc_ways;
	out->sms = sms;
	out->shared_sms = sms_shared(session, slot);
	out->held = session->controls.hold >> slot & 1;
	fill_queues(session, slot, out);
	snapshot_predicted(session, slot);
	out->private_cycles = private_run_cycles(session, slot);
	out->arrival_cycle = tenant->arrival_cycle;
	out->service_cycles = tenant->last.sm_cycles /
			      session->initial.config.sms;
	out->footprint_bytes = launch_footprint(tenant);
	pager_fill_snapshot(session, slot, out);
	failures_fill_snapshot(session, slot, out);
	out->memory_priority = session->controls.memory_priority[slot];
	fill_counters(session, slot, out);
}

/* Profiles of what follows the heads, in order of slot and queue, while there is room */
static void fill_all_profiles(struct session *session)
{
	u64 rest;
	u32 i;

	if (!(session_needs(session) & SIMGPU_NEEDS_PROFILES))
		return;
	for (rest = session->snapshot_used; rest; rest &= rest - 1) {
		u32 slot = (u32)__builtin_ctzll(rest);

		for (i = 0; i < session->snapshot.tenants[slot].queue_count; i++)
			fill_more_profiles(session, slot, i);
	}
}

/* --- shared SMs --------------------------------------------------------------------- */

static void fill_shared(struct session *session, u32 sm, u32 slot)
{
	struct simgpu_snapshot *snapshot = &session->snapshot;
	struct simgpu_snapshot_shared *row =
		&snapshot->shared[snapshot->shared_rows++];
	struct gpu_sm_tenant registers;

	gpu_sm_tenant(session->gpu, sm, slot, &registers);
	row->sm = sm;
	row->slot = slot;
	row->blocks = registers.blocks;
	row->block_limit = registers.block_limit;
	row->quota_left = registers.quota_left;
	row->thread_instructions = registers.thread_instructions;
	row->idle_warp_samples = registers.idle_warp_samples;
	row->idle_warps = registers.idle_warps;
}

/* The rows always fit: proposal_is_sound() limits their number. */
static void fill_shared_rows(struct session *session)
{
	const struct simgpu_proposal *controls = &session->controls;
	u32 sm;

	session->snapshot.shared_rows = 0;
	if (!session->any_shared ||
	    !(session_needs(session) & SIMGPU_NEEDS_SHARED_ROWS))
		return;
	for (sm = 0; sm < session->initial.config.sms; sm++) {
		u64 rest;

		for (rest = controls->sharers[sm]; rest; rest &= rest - 1)
			fill_shared(session, sm, (u32)__builtin_ctzll(rest));
	}
}

/* --- the whole ---------------------------------------------------------------------- */

static void fill_dram(const struct gpu_config *config,
		      struct simgpu_snapshot_dram *out)
{
	out->banks = config->banks;
	out->bank_groups = config->bank_groups;
	out->row_lines = config->row_lines;
	out->queue_entries = config->queue_entries;
	out->trc = config->dram.trc;
	out->trcd = config->dram.trcd_read;
	out->trp = config->dram.trp;
	out->tcl = config->dram.tcl;
	out->tras = config->dram.tras;
	out->tfaw = config->dram.tfaw;
	out->trefi = config->dram.trefi;
	out->trfc = config->dram.trfc;
}

/* snapshot_begin() - fill in what never changes */
void snapshot_begin(struct session *session)
{
	const struct gpu_config *config = gpu_config(session->gpu);
	struct simgpu_snapshot *snapshot = &session->snapshot;

	snapshot->version = SIMGPU_SNAPSHOT_VERSION;
	snapshot->bytes = sizeof(*snapshot);
	snapshot->sms = config->sms;
	snapshot->schedulers = config->schedulers_per_sm;
	snapshot->issue_lanes = config->schedulers_per_sm * GPU_LANES;
	snapshot->channels = config->channels;
	snapshot->llc_ways = config->llc_ways;
	snapshot->sms_per_tpc = config->sms_per_tpc;
	snapshot->seed = (u32)(session->initial.seed ^
			       session->initial.seed >> 32);
	snapshot->line_bytes = GPU_LINE_BYTES;
	snapshot->peak_clocks_per_line = GPU_LINE_BYTES /
					 config->channel_bytes_per_clock;
	snapshot->llc_hit_cycles = gpu_llc_hit_cycles(session->gpu);
	snapshot->dram_cycles = gpu_dram_cycles(session->gpu);
	snapshot->sm_threads = config->threads_per_sm;
	snapshot->sm_blocks = config->blocks_per_sm;
	snapshot->sm_registers = config->registers_per_sm;
	snapshot->sm_shared_bytes = config->shared_bytes_per_sm;
	snapshot->mirrors = config->mirrors;
	snapshot->memory_bytes = (u64)config->memory_mb << 20;
	snapshot->managed_bytes = (u64)config->managed_mb << 20;
	snapshot->core_mhz = config->core_mhz;
	snapshot->memory_mhz = config->memory_mhz;
	snapshot->llc_slices = config->llc_slices;
	snapshot->l1_sectors = config->l1_sectors;
	snapshot->llc_sectors = config->llc_sectors;
	snapshot->link_in_mb_per_s = config->link_in_mb_per_s;
	snapshot->link_out_mb_per_s = config->link_out_mb_per_s;
	fill_dram(config, &snapshot->dram);
	power_clocks(session, snapshot);
}

/* Zero the rows of tenants that the last snapshot filled. The others are zero already. */
static void clear_tenants(struct session *session)
{
	u64 rest;

	for (rest = session->snapshot_used; rest; rest &= rest - 1) {
		struct simgpu_snapshot_tenant *row =
			&session->snapshot.tenants[__builtin_ctzll(rest)];

		memset(row, 0, (char *)&row->queue[row->queue_count] -
			       (char *)row);
	}
	session->snapshot_used = 0;
}

/*
 * snapshot_fill() - fill the snapshot: the present epoch up to now
 *
 * A tenant is active if it has work or had some in this epoch.
 */
void snapshot_fill(struct session *session)
{
	struct simgpu_snapshot *snapshot = &session->snapshot;
	u32 sms[SESSION_SLOTS_MAX], slot;

	sms_of_each(session, sms);
	clear_tenants(session);
	snapshot->tenants_active = 0;
	snapshot->profile_count = 0;
	snapshot->epoch = session->epochs;
	snapshot->cycle = session_now(session);
	snapshot->epoch_cycles = snapshot->cycle - session->epoch_start;
	snapshot->epoch_length_cycles = session->epoch_cycles;
	snapshot->memory_clocks = gpu_memory_clocks(session->gpu,
						    snapshot->epoch_cycles);
	sight_time(session);
	memcpy(snapshot->model_params, session->model_params,
	       sizeof(snapshot->model_params));
	memcpy(snapshot->policy_params, session->policy_params,
	       sizeof(snapshot->policy_params));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];
		struct simgpu_snapshot_tenant *row = &snapshot->tenants[slot];

		if (!tenant->joined)
			continue;
		row->events = tenant->events;
		if (tenant->events)
			session->snapshot_used |= 1ULL << slot;
		if (!tenant->left) {
			fill_hint(session, slot, row);
			copies_fill_snapshot(session, slot, row);
			gpu_tenant_counters(session->gpu, slot, &tenant->last);
		}
		if (tenant->left || !has_work(tenant)) {
			fill_departed(session, slot, row);
			continue;
		}
		fill_tenant(session, slot, sms[slot], row);
		session->snapshot_used |= 1ULL << slot;
		snapshot->tenants_active++;
	}
	snapshot->slot_count = session->snapshot_used ?
		64 - (u32)__builtin_clzll(session->snapshot_used) : 0;
	fill_all_profiles(session);
	fill_shared_rows(session);
	pager_fill_free(session, snapshot);
	power_fill(session, snapshot);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The device's clock. Two sides take turns: all SMs run a window of cycles, then
 * all channels with their slices. What an SM sends now changes nothing at a slice
 * before it has crossed the crossbar and the slice's pipeline, so the memory side
 * may run ahead of the SMs by that time. SMs may run ahead of the memory side by the time
 * of the way back. A window also ends where the driver looks at the device: there both
 * sides stand at the same cycle.
 *
 * A step is a window of one side. Each view (struct gpu) does its part: each
 * of its SMs, or channels, runs the whole window, one after the other. Between
 * steps one thread alone does the work that concerns all of them.
 */
#include "sim.h"

/* --- a side's window ---------------------------------------------------------------- */

static void run_sm(struct gpu *gpu, u32 index)
{
	const struct gpu *main = gpu->main;
	u64 until = main->step_end, sample = main->sample_at;
	struct sm *sm = &gpu->sms[index];

	gpu->now = main->sms_done;
	if (has_replies(gpu, index))
		noc_take_replies(gpu, index);
	for (;;) {
		u64 next = sm->turn_at;

		for (; sample < next && sample <= until;
		     sample += main->sample_interval)
			idle_sample(gpu, index, sample);
		if (next > until)
			return;
		sm->turn_at = NEVER;
		gpu->now = next;
		sm_turn(gpu, index);
	}
}

/* In a cycle a channel takes its turn before its slices. */
static void run_channel(struct gpu *gpu, u32 index)
{
	u32 slices = gpu->shape.slices_per_channel, first = index * slices, i;
	struct channel *channel = &gpu->channels[index];
	u64 until = gpu->main->step_end;

	if (has_requests(gpu, index))
		noc_take_requests(gpu, index);
	for (;;) {
		u64 next = channel->turn_at;

		for (i = first; i < first + slices; i++)
			next = min(next, gpu->slices[i].turn_at);
		if (next > until)
			return;
		gpu->now = next;
		if (channel->turn_at == next) {
			channel->turn_at = NEVER;
			channel_turn(gpu, index);
		}
		for (i = first; i < first + slices; i++) {
			if (gpu->slices[i].turn_at > next)
				continue;
			gpu->slices[i].turn_at = NEVER;
			slice_turn(gpu, i);
		}
	}
}

/*
 * Prefetch what the next part's window begins with, while this part's window runs: all
 * parts together have several times the size of the host's caches.
 */
static void ask_for(const void *from, size_t bytes)
{
	size_t at;

	for (at = 0; at < bytes; at += 64)
		__builtin_prefetch((const u8 *)from + at, 1);
}

static void prefetch_sm(const struct sm *sm)
{
	u64 warps;

	ask_for(sm, offsetof(struct sm, mshr_bucket));
	for (warps = sm->sleeping; warps;
	     warps &= warps - 1)
		__builtin_prefetch(&sm->warp[lowest_bit(warps)], 1);
}

static void prefetch_channel(const struct gpu *gpu, u32 index)
{
	const struct channel *channel = &gpu->channels[index];
	u32 slices = gpu->shape.slices_per_channel, i;

	ask_for(channel, offsetof(struct channel, share));
	ask_for(channel->queue, sizeof(channel->queue));
	for (i = index * slices; i < (index + 1) * slices; i++) {
		const struct slice *slice = &gpu->slices[i];

		ask_for(slice, offsetof(struct slice, done));
		ask_for(slice->mshr, gpu->config.llc_mshrs *
				      sizeof(*slice->mshr));
	}
}

static void run_sms(struct gpu *gpu)
{
	u32 i, next;

	for (i = gpu->view; i < gpu->config.sms; i = next) {
		next = i + gpu->views;
		if (next < gpu->config.sms)
			prefetch_sm(&gpu->sms[next]);
		run_sm(gpu, i);
	}
}

static void run_channels(struct gpu *gpu)
{
	u32 i, next;

	for (i = gpu->view; i < gpu->config.channels; i = next) {
		next = i + gpu->views;
		if (next < gpu->config.channels && gpu->channels[next].pending)
			prefetch_channel(gpu, next);
		run_channel(gpu, i);
	}
}

void gpu_take_step(struct gpu *gpu, u32 number)
{
	if (gpu->step == GPU_STEP_SMS)
		run_sms(gpu->view_of[number]);
	else
		run_channels(gpu->view_of[number]);
}

/* --- between steps ------------------------------------------------------------------ */

/* Copy to the other views what the driver and the last run have changed. */
static void renew_views(struct gpu *gpu)
{
	u32 i;

	for (i = 1; i < gpu->views; i++) {
		struct gpu *view = gpu->view_of[i];
		const struct gpu own = {
			.view_of = NULL,
			.counts = view->counts,
			.outbox = view->outbox,
			.reply_outbox = view->reply_outbox,
			.cycles = view->cycles,
			.cycles_used = view->cycles_used,
		};

		*view = *gpu;
		view->view = i;
		view->counts = own.counts;
		view->outbox = own.outbox;
		view->reply_outbox = own.reply_outbox;
		view->cycles = own.cycles;
		view->cycles_used = own.cycles_used;
	}
}

static void add_counts(struct tenant_counts *to, struct tenant_counts *from)
{
	u64 *sum = (u64 *)to, *more = (u64 *)from;
	u32 i;

	for (i = 0; i < sizeof(*to) / sizeof(u64); i++)
		sum[i] += more[i];
	memset(from, 0, sizeof(*from));
}

static void gather_counts(struct gpu *gpu)
{
	u32 i, slot;

	for (i = 1; i < gpu->views; i++)
		for (slot = 0; slot < GPU_SLOTS_MAX; slot++)
			add_counts(&gpu->counts[slot],
				   &gpu->view_of[i]->counts[slot]);
}

static void end_kernels(struct gpu *gpu)
{
	u64 mask;

	for (mask = gpu->ending; mask; mask &= mask - 1) {
		u32 slot = lowest_bit(mask);
		struct tenant *tenant = &gpu->tenants[slot];

		slot_counters(gpu, slot)->kernels_finished +=
			hweight64((u64)tenant->ending);
		tenant->running &= ~tenant->ending;
		tenant->finished |= tenant->ending;
		tenant->ending = 0;
		gpu->finished |= 1ULL << slot;
		if (tenant->running)
			continue;
		slot_counters(gpu, slot)->refreshes += refreshes_due(gpu);
		gpu->running &= ~(1ULL << slot);
	}
	gpu->ending = 0;
}

static bool window_is_over(const struct gpu *gpu)
{
	return !(gpu->sms_done % gpu->shape.window);
}

/* Take messages; none has an effect before its time. */
static void take_messages(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.channels + gpu->remote; i++)
		noc_take_requests(gpu, i);
	for (i = 0; i < gpu_senders(gpu); i++)
		noc_take_replies(gpu, i);
}

/*
 * Both sides have come to the same cycle. Counts of spans that go on are brought up to now,
 * for the slots that ran until now, before kernels end and others start.
 */
static void settle(struct gpu *gpu)
{
	u32 i;

	gpu->now = gpu->sms_done;
	take_messages(gpu);
	gather_counts(gpu);
	for (i = 0; i < gpu->config.sms; i++) {
		sm_take_events(gpu, i, gpu->now);
		sm_account(gpu, i);
	}
	if (window_is_over(gpu))
		end_kernels(gpu);
}

/* The step of the parts of managed memory beside SMs and channels, when those have ended. */
static noinline void run_managed(struct gpu *gpu)
{
	u32 i;

	if (gpu->step == GPU_STEP_MEMORY) {
		if (gpu->remote)
			remote_run(gpu, gpu->step_end);
		return;
	}
	for (i = 0; i < gpu->engines; i++) {
		gpu->now = gpu->sms_done;
		if (has_replies(gpu, gpu->config.sms + i))
			noc_take_replies(gpu, gpu->config.sms + i);
		copy_run(gpu, i, gpu->step_end);
	}
}

static void end_step(struct gpu *gpu)
{
	if (gpu->managed_memory || gpu->copies)
		run_managed(gpu);
	if (gpu->step == GPU_STEP_MEMORY) {
		if (gpu->config.noc_head_blocking)
			noc_pass_replies(gpu, gpu->memory_done, gpu->step_end);
		gpu->memory_done = gpu->step_end;
		return;
	}
	if (gpu->config.noc_head_blocking)
		noc_pass_requests(gpu, gpu->sms_done, gpu->step_end);
	gpu->sms_done = gpu->step_end;
	while (gpu->sample_at <= gpu->sms_done)
		gpu->sample_at += gpu->sample_interval;
	dispatch_hear(gpu);
	preempt_hear(gpu);
	gpu->now = gpu->sms_done;
	if (window_is_over(gpu)) {
		preempt_window(gpu);
		dispatch_window(gpu);
		issue_window(gpu);
	}
}

/* Whether the driver has not taken all interrupt status yet. */
static bool driver_has_to_hear(const struct gpu *gpu)
{
	return gpu->finished | gpu->sliced | gpu->quotas_out || pages_tell(gpu);
}

/*
 * The next cycle at which both sides meet: where the driver looks, or where thread
 * blocks are issued. Kernels whose blocks have ended end for the driver there.
 */
static u64 next_meeting(const struct gpu *gpu, u64 until)
{
	u32 window = gpu->shape.window;

	if (driver_has_to_hear(gpu) || (gpu->ending && window_is_over(gpu)) ||
	    pages_due(gpu))
		return gpu->sms_done;
	return min(until, (gpu->sms_done / window + 1) * window);
}

/*
 * Whether no kernel runs, and no part has anything left to do up to @until, such as a
 * write-back. Then one step of each side is enough, however long.
 */
static bool is_quiet(struct gpu *gpu, u64 until)
{
	u32 slices = gpu->config.channels * gpu->shape.slices_per_channel, i;

	if (gpu->running || driver_has_to_hear(gpu) || pages_busy(gpu) || copies_busy(gpu))
		return false;
	take_messages(gpu);
	if (noc_ports_wait(gpu) || (gpu->remote && remote_busy(gpu)))
		return false;
	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sms[i].turn_at <= until)
			return false;
	for (i = 0; i < gpu->config.channels; i++)
		if (gpu->channels[i].turn_at <= until)
			return false;
	for (i = 0; i < slices; i++)
		if (gpu->slices[i].turn_at <= until)
			return false;
	return true;
}

enum gpu_step gpu_next_step(struct gpu *gpu, u64 until)
{
	u64 sms, memory;

	if (gpu->step != GPU_STEP_DONE) {
		end_step(gpu);
	} else {
		dispatch_waiting(gpu);
		renew_views(gpu);
	}
	if (pages_due(gpu) && gpu->memory_done == gpu->sms_done)
		pages_window(gpu);
	if (is_quiet(gpu, until)) {
		memory = until;
		sms = until;
	} else {
		u64 end = next_meeting(gpu, until);

		memory = min(end, gpu->sms_done + gpu->shape.memory_ahead);
		sms = min(end, gpu->memory_done + gpu->shape.sm_ahead);
	}
	if (memory > gpu->memory_done) {
		gpu->step = GPU_STEP_MEMORY;
		gpu->step_end = memory;
	} else if (sms > gpu->sms_done) {
		gpu->step = GPU_STEP_SMS;
		gpu->step_end = sms;
	} else {
		gpu->step = GPU_STEP_DONE;
		settle(gpu);
	}
	return gpu->step;
}

u64 gpu_soonest_end(const struct gpu *gpu)
{
	return max(gpu->step_end, max(gpu->sms_done, gpu->memory_done));
}

void gpu_run(struct gpu *gpu, u64 until)
{
	u32 i;

	while (gpu_next_step(gpu, until) != GPU_STEP_DONE)
		for (i = 0; i < gpu->views; i++)
			gpu_take_step(gpu, i);
}

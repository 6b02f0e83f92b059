// SPDX-License-Identifier: GPL-2.0
/* Snapshots: an epoch's counter differences and the figures made of them. */
#include "core.h"

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

/*
 * figures_compute() - IPC, RBH, bandwidth and MPKI of a span of cycles
 * @counters: differences over the span
 *
 * ipc = thread instructions / cycles; rbh = 1 - activates / requests;
 * bandwidth = busy clocks / (channels * memory clocks);
 * llc_mpki = LLC misses * 1000 / thread instructions. Nothing over nothing is 0.
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

/* --- registers of HSM's widths ------------------------------------------------------ */

/*
 * HSM 4.1 and Fig. 8: for each channel and co-runner a counter of requests and
 * one of row hits, 16 bits each, and one of bandwidth, 19 bits. With 32
 * channels and 4 co-runners that is (2 * 16 + 19) * 32 * 4 bits = 816 bytes,
 * the paper's 0.8 KB; a bandwidth counter a co-runner alone would make 0.5 KB.
 * Its unit is the core cycle with the data bus in use: 19 bits are what it
 * takes to count the 500,000 cycles of an epoch, where 18 would do for as many
 * in memory clocks.
 */
#define ROW_REGISTER_MAX	0xffffULL
#define BANDWIDTH_REGISTER_MAX	0x7ffffULL

size_t registers_bytes(const struct gpu_config *config)
{
	if (!config->hardware_counters)
		return 0;
	return (size_t)SESSION_SLOTS_MAX * config->channels *
	       sizeof(struct gpu_channel_counters);
}

static struct gpu_channel_counters *registers_of(struct session *session,
						 u32 slot)
{
	return &session->registers[slot * gpu_config(session->gpu)->channels];
}

/* registers_clear() - an epoch begins for a slot */
void registers_clear(struct session *session, u32 slot)
{
	const struct gpu_config *config = gpu_config(session->gpu);
	u32 i;

	if (!config->hardware_counters)
		return;
	for (i = 0; i < config->channels; i++)
		gpu_channel_counters(session->gpu, i, slot,
				     &registers_of(session, slot)[i]);
}

static u64 cut(u64 value, u64 most)
{
	return value < most ? value : most;
}

/*
 * Replace what the registers count by what they hold: the difference since
 * they were cleared, or the greatest value that fits. They do not tell fills
 * from write-backs: all requests are given as fills.
 */
static void registers_read(struct session *session, u32 slot,
			   struct simgpu_counters *counters)
{
	const struct gpu_config *config = gpu_config(session->gpu);
	u64 most_clocks = gpu_memory_clocks(session->gpu,
					    BANDWIDTH_REGISTER_MAX);
	u32 i;

	counters->dram_fills = 0;
	counters->dram_writebacks = 0;
	counters->row_activates = 0;
	counters->bus_busy_clocks = 0;
	for (i = 0; i < config->channels; i++) {
		const struct gpu_channel_counters *base =
			&registers_of(session, slot)[i];
		struct gpu_channel_counters now;
		u64 requests, activates, hits;

		gpu_channel_counters(session->gpu, i, slot, &now);
		requests = now.requests - base->requests;
		activates = now.row_activates - base->row_activates;
		hits = cut(requests - cut(activates, requests),
			   ROW_REGISTER_MAX);
		requests = cut(requests, ROW_REGISTER_MAX);
		counters->dram_fills += requests;
		counters->row_activates += requests - hits;
		counters->bus_busy_clocks +=
			cut(now.bus_busy_clocks - base->bus_busy_clocks,
			    most_clocks);
	}
}

/* --- snapshots ------------------------------------------------------------------------ */

static void fill_tenant(struct session *session, u32 slot,
			struct simgpu_snapshot_tenant *out)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct gpu_kernel_status kernel;

	gpu_kernel_status(session->gpu, slot, &kernel);
	out->active = 1;
	out->service = tenant->options.service;
	out->weight = tenant->options.weight;
	out->target_ppm = tenant->options.target_ppm;
	out->sms = sms_assigned(session->gpu, slot);
	out->blocks = kernel.blocks;
	out->blocks_left = kernel.blocks - kernel.blocks_finished;
	/* It has just ended: the next one is taken to be as large. */
	if (!out->blocks_left)
		out->blocks_left = kernel.blocks;
	out->class = tenant->class;
	out->np_ppm = tenant->np_ppm;
	out->private_cycles = oracle_cycles(session, slot);
	counters_subtract(&tenant->last, &tenant->epoch_base, &out->counters);
	if (gpu_config(session->gpu)->hardware_counters)
		registers_read(session, slot, &out->counters);
}

/*
 * snapshot_fill() - the device over the present epoch, up to now
 *
 * Tenants are active if they had work in it.
 */
void snapshot_fill(struct session *session)
{
	const struct gpu_config *config = gpu_config(session->gpu);
	struct simgpu_snapshot *snapshot = &session->snapshot;
	u32 slot;

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->version = SIMGPU_SNAPSHOT_VERSION;
	snapshot->bytes = sizeof(*snapshot);
	snapshot->sms = config->sms;
	snapshot->schedulers = config->schedulers_per_sm;
	snapshot->issue_lanes = config->schedulers_per_sm * GPU_LANES;
	snapshot->channels = config->channels;
	snapshot->line_bytes = GPU_LINE_BYTES;
	snapshot->peak_clocks_per_line = GPU_LINE_BYTES /
					 config->channel_bytes_per_clock;
	snapshot->llc_hit_cycles = gpu_llc_hit_cycles(session->gpu);
	snapshot->dram_cycles = gpu_dram_cycles(session->gpu);
	snapshot->mirrors = config->mirrors;
	snapshot->epoch = session->epochs;
	snapshot->cycle = session_now(session);
	snapshot->epoch_cycles = snapshot->cycle - session->epoch_start;
	snapshot->memory_clocks = gpu_memory_clocks(session->gpu,
						    snapshot->epoch_cycles);
	snapshot->tunables = session->tunables;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];

		if (!tenant->joined || tenant->left)
			continue;
		gpu_tenant_counters(session->gpu, slot, &tenant->last);
		if (!tenant->running)
			continue;
		fill_tenant(session, slot, &snapshot->tenants[slot]);
		snapshot->tenants_active++;
	}
}

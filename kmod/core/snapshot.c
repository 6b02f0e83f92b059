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
	out->blocks_left = kernel.blocks - kernel.blocks_finished;
	out->class = tenant->class;
	out->np_ppm = tenant->np_ppm;
	counters_subtract(&tenant->last, &tenant->epoch_base, &out->counters);
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
	snapshot->issue_lanes = config->schedulers_per_sm * GPU_LANES;
	snapshot->channels = config->channels;
	snapshot->line_bytes = GPU_LINE_BYTES;
	snapshot->peak_clocks_per_line = GPU_LINE_BYTES /
					 config->channel_bytes_per_clock;
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

// SPDX-License-Identifier: GPL-2.0
/* Reading the register file: event counts of tenants, SMs and channels. */
#include "sim.h"

static u64 idle_slots(u64 sm_cycles, u32 schedulers, u64 issue_slots)
{
	u64 slots = sm_cycles * schedulers;

	return fixed_above(slots, issue_slots);
}

/*
 * refreshes_due() - refreshes that have fallen due in all channels up to now
 */
u64 refreshes_due(const struct gpu *gpu)
{
	u32 interval = gpu->config.dram.trefi;

	return interval ? gpu_memory_clocks(gpu, gpu->now) / interval *
			  gpu->config.channels : 0;
}

/*
 * For spans that have not ended, counters have the beginning subtracted and no end added
 * yet: here they are counted as if they ended now.
 */
void gpu_tenant_counters(struct gpu *gpu, u32 slot, struct simgpu_counters *out)
{
	const struct tenant_counts *tenant = &gpu->counts[slot];

	*out = tenant->counters;
	out->load_cycles += tenant->loads * gpu->now;
	out->sm_active_cycles += tenant->sms_active * gpu->now;
	out->refreshes += gpu->tenants[slot].running ? refreshes_due(gpu) : 0;
	out->idle_cycles = idle_slots(out->sm_cycles,
				      gpu->config.schedulers_per_sm,
				      tenant->issue_slots);
}

void gpu_sm_counters(struct gpu *gpu, u32 sm, struct simgpu_counters *out)
{
	*out = gpu->sm_counters[sm];
	out->sm_active_cycles += gpu->sms[sm].blocks ? gpu->now : 0;
	out->idle_cycles = idle_slots(out->sm_cycles,
				      gpu->config.schedulers_per_sm,
				      gpu->sm_issue_slots[sm]);
}

static struct gpu_channel_counters *find_channel(const struct gpu *gpu,
						 u32 channel, u32 slot)
{
	return &gpu->channel_counters[channel * GPU_SLOTS_MAX + slot];
}

void gpu_channel_counters(const struct gpu *gpu, u32 channel, u32 slot,
			  struct gpu_channel_counters *out)
{
	*out = *find_channel(gpu, channel, slot);
}

void gpu_channel_status(const struct gpu *gpu, u32 channel,
			struct gpu_channel_status *out)
{
	const struct channel *from = &gpu->channels[channel];
	u32 slices = gpu->shape.slices_per_channel, i;

	memset(out, 0, sizeof(*out));
	out->reads = from->queue[DRAM_READS].count;
	out->writes = from->queue[DRAM_WRITES].count;
	out->arriving = from->inbox[DRAM_READS].count +
			from->inbox[DRAM_WRITES].count;
	for (i = channel * slices; i < (channel + 1) * slices; i++) {
		out->slice_requests += gpu->slices[i].request_count;
		if (gpu->slices[i].request_count > gpu->shape.slice_queue)
			out->slice_waiting += gpu->slices[i].request_count -
					      gpu->shape.slice_queue;
	}
}

/*
 * count_request() - count a request of a slice's channel, at the cycle at which the
 *	completion reaches the slice
 * @count: its lines, or sectors
 */
void count_request(struct gpu *gpu, u32 slice, const struct dram_done *done,
		   u32 count)
{
	struct gpu_channel_counters *counters =
		find_channel(gpu, slice / gpu->shape.slices_per_channel,
			     done->tag.slot);

	counters->requests += count;
	counters->row_activates += done->activated;
	counters->bus_busy_clocks += gpu->limits.burst_of[done->sectors];
}

void gpu_tenant_reset_counters(struct gpu *gpu, u32 slot)
{
	struct tenant_counts *tenant = &gpu->counts[slot];
	u32 i;

	for (i = 0; i < gpu->config.channels; i++)
		memset(find_channel(gpu, i, slot), 0,
		       sizeof(*gpu->channel_counters));
	memset(&tenant->counters, 0, sizeof(tenant->counters));
	tenant->counters.sm_active_cycles = -(u64)tenant->sms_active * gpu->now;
	tenant->counters.refreshes = gpu->tenants[slot].running ?
				     -refreshes_due(gpu) : 0;
	tenant->issue_slots = 0;
	for (i = 0; i < gpu->config.sms; i++) {
		sm_tenant(gpu, i, slot)->thread_instructions = 0;
		sm_tenant(gpu, i, slot)->idle_warp_samples = 0;
		sm_tenant(gpu, i, slot)->idle_warps = 0;
	}
}

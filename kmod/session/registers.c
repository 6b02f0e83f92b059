// SPDX-License-Identifier: GPL-2.0
/* Registers of HSM's widths, for configurations with hardware_counters. */
#include "internal.h"
#include "registers.h"

/*
 * HSM 4.1 and Fig. 8: for each channel and co-runner a counter of requests and
 * one of row hits, 16 bits each, and one of bandwidth, 19 bits. With 32
 * channels and 4 co-runners that is (2 * 16 + 19) * 32 * 4 bits = 816 bytes,
 * the paper's 0.8 KB; a bandwidth counter a co-runner alone would make 0.5 KB.
 * Its unit is a core cycle in which the data bus is in use: 19 bits can count
 * the 500,000 cycles of an epoch, where 18 would do for memory
 * clocks.
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

/* registers_clear() - clear a slot's registers at an epoch's begin */
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
	return min(value, most);
}

/*
 * registers_read() - replace counts by what registers hold: the difference since they were
 *	cleared, or the greatest value that fits
 *
 * Registers do not tell fills from write-backs: all requests are reported as fills.
 */
void registers_read(struct session *session, u32 slot,
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

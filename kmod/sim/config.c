// SPDX-License-Identifier: GPL-2.0
/*
 * Configurations: the list of the shipped ones (values: spec_*.c), and what a
 * configuration must keep to be simulated.
 */
#include "sim.h"

static const struct gpu_config *const configs[] = {
	&spec_hbm80,
};

const struct gpu_config *gpu_config_at(unsigned int index)
{
	return index < ARRAY_SIZE(configs) ? configs[index] : NULL;
}

const struct gpu_config *gpu_config_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(configs); i++)
		if (!strcmp(configs[i]->name, name))
			return configs[i];
	return NULL;
}

/* struct field_range - a field's name, place, and least and greatest value */
struct field_range {
	const char *field;
	size_t offset;
	u32 least;
	u32 greatest;
};

#define RANGE(field, least, greatest) \
	{ #field, offsetof(struct gpu_config, field), least, greatest }

static const struct field_range ranges[] = {
	RANGE(sms, 1, GPU_SMS_MAX),
	RANGE(core_mhz, 1, 10000),
	RANGE(schedulers_per_sm, 1, SM_SCHEDULERS_MAX),
	RANGE(warps_per_sm, 1, SM_WARPS_MAX),
	RANGE(threads_per_sm, 32, SM_WARPS_MAX * GPU_LANES),
	RANGE(blocks_per_sm, 1, SM_BLOCKS_MAX),
	RANGE(registers_per_sm, 1024, 1U << 20),
	RANGE(shared_bytes_per_sm, 0, 1U << 20),
	RANGE(l1_sets, 1, 1024),
	RANGE(l1_ways, 1, CACHE_WAYS_MAX),
	RANGE(l1_mshrs, 1, SM_MSHRS_MAX),
	RANGE(l1_hit_latency, 1, 1000),
	RANGE(noc_latency, 1, 1000),
	RANGE(noc_flit_bytes, 1, 256),
	RANGE(noc_queue_depth, 1, 1024),
	RANGE(llc_slices, 1, GPU_SLICES_MAX),
	RANGE(llc_sets, 1, 4096),
	RANGE(llc_ways, 1, CACHE_WAYS_MAX),
	RANGE(llc_mshrs, 1, LLC_MSHRS_MAX),
	RANGE(llc_latency, 1, 1000),
	RANGE(llc_write_credits, 1, LLC_WRITES_MAX),
	RANGE(llc_to_dram_latency, 1, 1000),
	RANGE(memory_mhz, 1, 10000),
	RANGE(channels, 1, GPU_CHANNELS_MAX),
	RANGE(banks, 1, DRAM_BANKS_MAX),
	RANGE(bank_groups, 1, DRAM_GROUPS_MAX),
	RANGE(row_lines, 2, 1024),
	RANGE(channel_bytes_per_clock, 1, GPU_LINE_BYTES),
	RANGE(column_accesses_per_line, 1, 16),
	RANGE(queue_entries, 1, DRAM_QUEUE_MAX),
	RANGE(write_drain_start, 1, DRAM_QUEUE_MAX),
	RANGE(write_drain_stop, 0, DRAM_QUEUE_MAX - 1),
	RANGE(row_hit_cap, 0, 255),
	RANGE(address_hash, 0, 1),
	RANGE(channel_batch_clocks, 1, 1000),
};

static bool power_of_two(u32 value)
{
	return !(value & (value - 1));
}

/* What ranges alone do not say; NULL if all is well. */
static const char *contradiction(const struct gpu_config *config)
{
	const struct dram_timing *t = &config->dram;
	u32 per_channel = config->llc_slices / config->channels;

	if (!power_of_two(config->l1_sets))
		return "l1_sets";
	if (!power_of_two(config->banks))
		return "banks";
	if (!power_of_two(config->row_lines))
		return "row_lines";
	if (!power_of_two(config->bank_groups) ||
	    config->bank_groups > config->banks)
		return "bank_groups";
	if (config->llc_slices % config->channels)
		return "llc_slices";
	if (per_channel * config->llc_mshrs > DRAM_INBOX)
		return "llc_mshrs";
	if (per_channel * config->llc_write_credits > DRAM_INBOX)
		return "llc_write_credits";
	if (config->write_drain_start > config->queue_entries)
		return "write_drain_start";
	if (config->write_drain_stop >= config->write_drain_start)
		return "write_drain_stop";
	if (GPU_LINE_BYTES % config->channel_bytes_per_clock)
		return "channel_bytes_per_clock";
	/* A channel may run ahead by no more than the link's latency. */
	if ((u64)config->channel_batch_clocks * config->core_mhz >
	    (u64)config->llc_to_dram_latency * config->memory_mhz)
		return "channel_batch_clocks";
	if (!t->trc || !t->trcd_read || !t->trcd_write || !t->trp || !t->tcl ||
	    !t->tras || !t->trrd_s || !t->tccd_l || !t->tccd_s)
		return "dram";
	if (t->trefi && t->trefi < t->trfc + t->trc)
		return "dram.trefi";
	return NULL;
}

int gpu_config_check(const struct gpu_config *config, const char **field)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		u32 value = *(const u32 *)((const u8 *)config +
					   ranges[i].offset);

		if (value < ranges[i].least || value > ranges[i].greatest) {
			*field = ranges[i].field;
			return -EINVAL;
		}
	}
	*field = contradiction(config);
	return *field ? -EINVAL : 0;
}

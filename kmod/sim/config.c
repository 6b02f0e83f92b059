// SPDX-License-Identifier: GPL-2.0
/*
 * Configurations: the table of their fields, and what a configuration must keep to be
 * simulated. tools/make-specs reads the table for the C names of fields. specs.c has the
 * shipped configurations, config_text.c reads and writes configurations as text.
 */
#include "sim.h"

#include <simgpu/member.h>

const struct gpu_config *gpu_config_at(unsigned int index)
{
	return index < gpu_config_count ? &gpu_configs[index] : NULL;
}

const struct gpu_config *gpu_config_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < gpu_config_count; i++)
		if (!strcmp(gpu_configs[i].name, name))
			return &gpu_configs[i];
	return NULL;
}

/* --- fields ------------------------------------------------------------------- */

#define FIELD(field, least, greatest) \
	{ #field, offsetof(struct gpu_config, field), sizeof(u32), \
	  least, greatest, NULL }
#define WORDS(field, words, least, greatest) \
	{ #field, offsetof(struct gpu_config, field), sizeof(u32), \
	  least, greatest, words }
#define TIMING(field, least, greatest) \
	{ "dram." #field, offsetof(struct gpu_config, dram.field), \
	  sizeof(u16), least, greatest, NULL }

static const char *const allocations[] = {
	[GPU_ALLOCATE_NONE] = "none",
	[GPU_ALLOCATE_FETCH] = "fetch",
	[GPU_ALLOCATE_LAZY] = "lazy",
	[GPU_ALLOCATE_ALWAYS] = "always",
};

static const char *const arbitrations[] = {
	[GPU_ARBITRATE_ORDER] = "order",
	[GPU_ARBITRATE_FIRST] = "first",
	[GPU_ARBITRATE_SM] = "sm",
};

static const char *const levels[] = {
	[GPU_LEVEL_WITHIN] = "within",
	[GPU_LEVEL_BLOCKS] = "blocks",
	[GPU_LEVEL_KERNELS] = "kernels",
};

#define UNIT(name, id) \
	{ name "_latency", offsetof(struct gpu_config, unit[id].latency), \
	  sizeof(u16), 1, 1000, NULL }, \
	{ name "_interval", offsetof(struct gpu_config, unit[id].interval), \
	  sizeof(u16), 1, 1000, NULL }

/* All fields but the name. The sum of timings has to fit in a u16. */
static const struct config_field fields[] = {
	FIELD(sms, 1, GPU_SMS_MAX),
	FIELD(core_mhz, 1, 10000),
	FIELD(schedulers_per_sm, 1, SM_SCHEDULERS_MAX),
	FIELD(warp_policy, GPU_WARP_GTO, GPU_WARP_LRR),
	FIELD(warps_per_sm, 1, SM_WARPS_MAX),
	FIELD(threads_per_sm, 32, SM_WARPS_MAX * GPU_LANES),
	FIELD(blocks_per_sm, 1, SM_BLOCKS_MAX),
	FIELD(registers_per_sm, 1024, 1U << 20),
	FIELD(shared_bytes_per_sm, 0, 1U << 20),
	FIELD(l1_sets, 1, 1024),
	FIELD(l1_ways, 1, L1_WAYS_MAX),
	FIELD(l1_sectors, 1, TRACE_SECTORS),
	WORDS(l1_write_allocate, allocations, GPU_ALLOCATE_NONE,
	      GPU_ALLOCATE_LAZY),
	FIELD(l1c_sets, 0, 1024),
	FIELD(l1c_ways, 1, CACHE_WAYS_MAX),
	FIELD(l1_mshrs, 1, SM_MSHRS_MAX),
	FIELD(l1_hit_latency, 1, 1000),
	FIELD(sm_stores, 1, SM_STORES_MAX),
	FIELD(noc_latency, 1, 1000),
	FIELD(noc_flit_bytes, 1, 256),
	FIELD(noc_queue_depth, 1, 1024),
	FIELD(noc_head_blocking, 0, 1),
	FIELD(slice_queue_flits, 0, SLICE_QUEUE_MAX),
	WORDS(slice_arbitration, arbitrations, GPU_ARBITRATE_ORDER,
	      GPU_ARBITRATE_SM),
	FIELD(llc_slices, 1, GPU_SLICES_MAX),
	FIELD(llc_sets, 1, 4096),
	FIELD(llc_ways, 1, CACHE_WAYS_MAX),
	FIELD(llc_sectors, 1, TRACE_SECTORS),
	WORDS(llc_write_allocate, allocations, GPU_ALLOCATE_NONE,
	      GPU_ALLOCATE_ALWAYS),
	FIELD(llc_mshrs, 1, LLC_MSHRS_MAX),
	FIELD(llc_latency, 1, 1000),
	FIELD(llc_write_credits, 1, LLC_WRITES_MAX),
	FIELD(atd_sampling, 0, 4096),
	FIELD(mirrors, 0, 1),
	FIELD(llc_to_dram_latency, 1, 1000),
	FIELD(memory_mhz, 1, 10000),
	FIELD(channels, 1, GPU_CHANNELS_MAX),
	FIELD(banks, 1, DRAM_BANKS_MAX),
	FIELD(bank_groups, 1, DRAM_GROUPS_MAX),
	FIELD(row_lines, 2, 1024),
	FIELD(channel_bytes_per_clock, 1, GPU_LINE_BYTES),
	FIELD(column_accesses_per_line, 1, 16),
	FIELD(queue_entries, 1, DRAM_QUEUE_MAX),
	FIELD(write_drain_start, 1, DRAM_QUEUE_MAX),
	FIELD(write_drain_stop, 0, DRAM_QUEUE_MAX - 1),
	FIELD(row_hit_cap, 0, 255),
	FIELD(address_hash, GPU_HASH_PLAIN, GPU_HASH_IPOLY),
	FIELD(channel_batch_clocks, 1, 1000),
	FIELD(hardware_counters, 0, 1),
	FIELD(launch_cycles, 0, GPU_LAUNCH_CYCLES_MAX),
	FIELD(poll_cycles, 0, GPU_LAUNCH_CYCLES_MAX),
	FIELD(free_contexts, 0, 1),
	FIELD(memory_mb, 0, 1U << 20),
	FIELD(sms_per_tpc, 1, GPU_SMS_MAX),
	FIELD(boundary_cycles, 1, GPU_BOUNDARY_CYCLES_MAX),
	FIELD(managed_mb, 0, 1U << 20),
	FIELD(page_kb, 4, GPU_CHUNK_BYTES >> 10),
	FIELD(fault_batch, 1, GPU_FAULT_BATCH_MAX),
	FIELD(fault_buffer, 1, GPU_FAULT_BUFFER_MAX),
	FIELD(fault_batch_ns, 1, GPU_FAULT_NS_MAX),
	FIELD(fault_block_ns, 0, GPU_FAULT_NS_MAX),
	FIELD(fault_page_ns, 0, GPU_FAULT_NS_MAX),
	FIELD(evict_ns, 0, GPU_FAULT_NS_MAX),
	FIELD(copy_engines, 0, GPU_COPY_ENGINES_MAX),
	FIELD(link_in_mb_per_s, 1, GPU_LINK_MB_PER_S_MAX),
	FIELD(link_out_mb_per_s, 1, GPU_LINK_MB_PER_S_MAX),
	FIELD(link_latency_ns, 0, GPU_FAULT_NS_MAX),
	FIELD(link_setup_ns, 0, GPU_FAULT_NS_MAX),
	WORDS(preempt_level, levels, GPU_LEVEL_WITHIN, GPU_LEVEL_KERNELS),
	FIELD(yield_ns, 0, GPU_SWITCH_NS_MAX),
	FIELD(save_setup_ns, 0, GPU_SWITCH_NS_MAX),
	FIELD(restore_setup_ns, 0, GPU_SWITCH_NS_MAX),
	FIELD(context_bytes_per_cycle, 0, GPU_CONTEXT_BYTES_MAX),
	UNIT("integer", TRACE_INTEGER),
	UNIT("fp32", TRACE_FP32),
	UNIT("fp64", TRACE_FP64),
	UNIT("sfu", TRACE_SFU),
	UNIT("tensor", TRACE_TENSOR),
	UNIT("shared", TRACE_SHARED_MEMORY),
	UNIT("control", TRACE_CONTROL),
	TIMING(trc, 1, 1000),
	TIMING(trcd_read, 1, 1000),
	TIMING(trcd_write, 1, 1000),
	TIMING(trp, 1, 1000),
	TIMING(tcl, 1, 1000),
	TIMING(twl, 0, 1000),
	TIMING(tras, 1, 1000),
	TIMING(trrd_l, 0, 1000),
	TIMING(trrd_s, 1, 1000),
	TIMING(tfaw, 0, 1000),
	TIMING(trtp, 0, 1000),
	TIMING(tccd_l, 1, 1000),
	TIMING(tccd_s, 1, 1000),
	TIMING(twtr_l, 0, 1000),
	TIMING(twtr_s, 0, 1000),
	TIMING(twr, 0, 1000),
	TIMING(trefi, 0, 65535),
	TIMING(trfc, 0, 10000),
	TIMING(read_to_write, 0, 10000),
	TIMING(trfc_bank, 0, 10000),
	TIMING(trrefd, 0, 10000),
};

static_assert(ARRAY_SIZE(fields) <= CONFIG_FIELDS_MAX, "too many fields");

const struct config_field *config_field_at(u32 index)
{
	return index < ARRAY_SIZE(fields) ? &fields[index] : NULL;
}

u32 config_get(const struct gpu_config *config, const struct config_field *field)
{
	return (u32)member_get(config, field->offset, field->bytes);
}

void config_set(struct gpu_config *config, const struct config_field *field,
		u32 value)
{
	member_set(config, field->offset, field->bytes, value);
}

/* --- what must hold ------------------------------------------------------------- */

static bool power_of_two(u32 value)
{
	return !(value & (value - 1));
}

/*
 * The sum of all timings but tREFI, and of a line's column accesses and data. It is more
 * than any request takes, with a refresh and a turn-around.
 */
static u32 longest_request(const struct gpu_config *config)
{
	const struct dram_timing *t = &config->dram;
	u32 sum = config->column_accesses_per_line * t->tccd_l +
		  GPU_LINE_BYTES / config->channel_bytes_per_clock;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].offset >= offsetof(struct gpu_config, dram))
			sum += config_get(config, &fields[i]);
	return sum - t->trefi;
}

/*
 * The most that a bank needs from when its refresh is due until the next bank's may begin:
 * to finish a row that has just been opened, or a line that is being written.
 */
static u32 longest_refresh_turn(const struct gpu_config *config)
{
	const struct dram_timing *t = &config->dram;
	u32 line = config->column_accesses_per_line * t->tccd_l +
		   GPU_LINE_BYTES / config->channel_bytes_per_clock;

	return t->trc + t->twl + line + t->twr + t->trp + t->trrefd;
}

/* Conditions among several fields; each field is in its range already. */
static int check_together(const struct gpu_config *config, const char **field,
			  const char **reason)
{
	const struct dram_timing *t = &config->dram;
	u32 per_channel = config->llc_slices / config->channels;
	u32 burst = GPU_LINE_BYTES / config->channel_bytes_per_clock;
	const struct {
		bool broken;
		const char *field;
		const char *reason;
	} rules[] = {
		{ !power_of_two(config->schedulers_per_sm), "schedulers_per_sm",
		  "must be a power of two" },
		{ config->sms % config->sms_per_tpc, "sms_per_tpc",
		  "must divide sms" },
		{ !power_of_two(config->l1_sets), "l1_sets",
		  "must be a power of two" },
		{ config->l1_ways > CACHE_WAYS_MAX &&
		  !power_of_two(config->l1_ways), "l1_ways",
		  "must be a power of two if it is more than 16" },
		{ config->l1_ways > CACHE_WAYS_MAX && config->l1_sectors == 1,
		  "l1_ways", "must be 16 or fewer where l1_sectors is 1" },
		{ config->l1_ways > CACHE_WAYS_MAX &&
		  config->l1_sets > L1_BIG_SETS_MAX, "l1_sets",
		  "must be 16 or fewer if l1_ways is more than 16" },
		{ config->l1_sectors != 1 && config->l1_sectors != TRACE_SECTORS,
		  "l1_sectors", "must be 1 or 4" },
		{ config->llc_sectors != 1 &&
		  config->llc_sectors != TRACE_SECTORS,
		  "llc_sectors", "must be 1 or 4" },
		{ config->l1_write_allocate == GPU_ALLOCATE_FETCH,
		  "l1_write_allocate", "must be none or lazy" },
		{ config->l1_write_allocate && config->l1_sectors == 1,
		  "l1_write_allocate", "must be none where l1_sectors is 1" },
		/* Packets that find no room wait at the ports that block. */
		{ config->slice_queue_flits && !config->noc_head_blocking,
		  "slice_queue_flits",
		  "must be 0 where noc_head_blocking is 0" },
		{ config->slice_queue_flits &&
		  config->slice_queue_flits * config->noc_flit_bytes <
			  GPU_LINE_BYTES + PACKET_CONTROL_BYTES,
		  "slice_queue_flits", "must be a line's packet at least" },
		/* Directories and mirrors only model these kinds of stores. */
		{ config->llc_write_allocate != GPU_ALLOCATE_FETCH &&
		  config->llc_write_allocate != GPU_ALLOCATE_ALWAYS &&
		  !(config->llc_write_allocate == GPU_ALLOCATE_LAZY &&
		    config->llc_sectors > 1) &&
		  (config->atd_sampling || config->mirrors),
		  "llc_write_allocate",
		  "must be fetch, always or lazy with sectors, for tags or mirrors" },
		{ config->managed_mb % (GPU_CHUNK_BYTES >> 20), "managed_mb",
		  "must be even: chunks have 2 MiB" },
		{ config->page_kb != 4 && config->page_kb != 64 &&
		  config->page_kb != GPU_CHUNK_BYTES >> 10, "page_kb",
		  "must be 4, 64 or 2048" },
		{ !power_of_two(config->l1c_sets), "l1c_sets",
		  "must be a power of two" },
		{ !power_of_two(config->banks), "banks",
		  "must be a power of two" },
		{ config->address_hash == GPU_HASH_IPOLY &&
		  (!power_of_two(config->channels) ||
		   !power_of_two(config->llc_slices)), "address_hash",
		  "must not be 2 but with powers of two of channels and slices" },
		{ !power_of_two(config->row_lines), "row_lines",
		  "must be a power of two" },
		{ !power_of_two(config->bank_groups), "bank_groups",
		  "must be a power of two" },
		{ config->bank_groups > config->banks, "bank_groups",
		  "must not be more than banks" },
		{ config->llc_slices % config->channels, "llc_slices",
		  "must be a multiple of channels" },
		{ per_channel * config->llc_mshrs > DRAM_INBOX, "llc_mshrs",
		  "is too much for the slices of a channel together" },
		{ per_channel * config->llc_write_credits > DRAM_INBOX,
		  "llc_write_credits",
		  "is too much for the slices of a channel together" },
		{ atd_sets(config) * config->llc_ways > ATD_TAGS_MAX,
		  "atd_sampling", "must be 0, or leave 16384 tags a tenant or fewer" },
		{ mirror_sets(config) * config->llc_ways > MIRROR_TAGS_MAX,
		  "mirrors", "must be 0 where a channel caches over 16384 lines" },
		{ config->write_drain_start > config->queue_entries,
		  "write_drain_start", "must not be more than queue_entries" },
		{ config->write_drain_stop >= config->write_drain_start,
		  "write_drain_stop", "must be less than write_drain_start" },
		{ GPU_LINE_BYTES % config->channel_bytes_per_clock,
		  "channel_bytes_per_clock", "must divide a line of 128 bytes" },
		/* A channel may run ahead by no more than the link's latency. */
		{ (u64)config->channel_batch_clocks * config->core_mhz >
		  (u64)config->llc_to_dram_latency * config->memory_mhz,
		  "channel_batch_clocks",
		  "must not be longer than llc_to_dram_latency" },
		{ t->read_to_write + t->twl < t->tcl + burst,
		  "dram.read_to_write", "lets a write's data meet a read's" },
		/* Otherwise refreshes would leave no time for requests. */
		{ t->trefi && t->trefi <= longest_request(config), "dram.trefi",
		  "must be 0 or more than all other timings together" },
		{ t->trfc_bank && t->trefi &&
		  t->trefi / config->banks <= longest_refresh_turn(config),
		  "dram.trfc_bank",
		  "must be 0 where dram.trefi has no time for banks in turn" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		if (rules[i].broken) {
			*field = rules[i].field;
			*reason = rules[i].reason;
			return -EINVAL;
		}
	}
	return 0;
}

int config_check(const struct gpu_config *config, const char **field,
		 const char **reason)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		u32 value = config_get(config, &fields[i]);

		if (value < fields[i].least || value > fields[i].greatest) {
			*field = fields[i].name;
			*reason = "is out of range";
			return -EINVAL;
		}
	}
	return check_together(config, field, reason);
}

int gpu_config_check(const struct gpu_config *config, const char **field)
{
	const char *reason;

	return config_check(config, field, &reason);
}

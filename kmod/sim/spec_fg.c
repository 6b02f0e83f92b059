// SPDX-License-Identifier: GPL-2.0
/*
 * fg16 and fg56: the GPUs that fine-grained QoS simulates (Wang et al., ISCA'17),
 * Table 1 and section 4.6. The table's clocks and counts are the GTX 980's;
 * Themis' Table II and GPGPU-Sim fill what it leaves open.
 *
 * Each value with its unit and source: docs/configs/. What is not of the paper
 * itself has a remark here.
 */
#include "sim.h"

const struct gpu_config spec_fg16 = {
	.name = "fg16",
	.sms = 16,
	.core_mhz = 1216,
	.schedulers_per_sm = 4,
	.warp_policy = GPU_WARP_GTO,
	.warps_per_sm = 64,		/* 2048 threads / 32 */
	.threads_per_sm = 2048,
	.blocks_per_sm = 32,
	.registers_per_sm = 65536,
	.shared_bytes_per_sm = 96 << 10,
	.l1_sets = 32,			/* assumed, as Themis */
	.l1_ways = 6,			/* assumed */
	.l1_sectors = 1,		/* GPGPU-Sim 3 */
	.l1_write_allocate = GPU_ALLOCATE_NONE,
	.l1c_sets = 0,			/* GPGPU-Sim: all hit */
	.l1c_ways = 2,			/* GPGPU-Sim */
	.l1_mshrs = 128,		/* assumed, as hbm80 */
	.l1_hit_latency = 82,		/* GPGPU-Sim */
	.sm_stores = 256,		/* assumed */
	.noc_latency = 40,		/* assumed, as hbm80 */
	.noc_flit_bytes = 40,		/* GPGPU-Sim */
	.noc_queue_depth = 16,		/* assumed, as hbm80 */
	.slice_arbitration = GPU_ARBITRATE_ORDER,
	.llc_slices = 8,		/* assumed, as Themis */
	.llc_sets = 256,		/* assumed, as Themis */
	.llc_ways = 8,			/* assumed, as Themis */
	.llc_sectors = 1,		/* GPGPU-Sim 3 */
	.llc_write_allocate = GPU_ALLOCATE_FETCH,
	.llc_mshrs = 64,		/* assumed, as hbm80 */
	.llc_latency = 120,		/* GPGPU-Sim */
	.llc_write_credits = 64,	/* assumed */
	.atd_sampling = 0,		/* off */
	.mirrors = 0,			/* off */
	.llc_to_dram_latency = 50,	/* GPGPU-Sim */
	.memory_mhz = 1750,		/* command clock */
	.channels = 4,
	.banks = 16,			/* GPGPU-Sim */
	.bank_groups = 4,		/* GPGPU-Sim */
	.row_lines = 32,		/* GPGPU-Sim */
	.channel_bytes_per_clock = 32,	/* assumed: 64 bits, as the GTX 980 */
	.column_accesses_per_line = 2,
	.queue_entries = 64,		/* assumed, as hbm80 */
	.write_drain_start = 32,	/* assumed, as hbm80 */
	.write_drain_stop = 8,		/* assumed, as hbm80 */
	.row_hit_cap = 0,		/* none in GPGPU-Sim */
	.address_hash = 1,		/* assumed */
	.channel_batch_clocks = 64,	/* no result depends on it */
	.hardware_counters = 0,
	.launch_cycles = 0,		/* not modelled */
	.poll_cycles = 0,		/* not modelled */
	.memory_mb = 0,			/* unlimited */
	.sms_per_tpc = 1,
	.boundary_cycles = GPU_BOUNDARY_CYCLES,
	/* As GPGPU-Sim; see docs/configs. */
	.unit = {
		[TRACE_INTEGER] = { 9, 1 },
		[TRACE_FP32] = { 9, 1 },
		[TRACE_FP64] = { 13, 2 },
		[TRACE_SFU] = { 25, 4 },
		[TRACE_TENSOR] = { 13, 2 },
		[TRACE_SHARED_MEMORY] = { 25, 1 },
		[TRACE_CONTROL] = { 9, 1 },
	},
	.dram = {
		.trc = 40,		/* GPGPU-Sim */
		.trcd_read = 12,	/* GPGPU-Sim */
		.trcd_write = 7,	/* GPGPU-Sim */
		.trp = 12,		/* GPGPU-Sim */
		.tcl = 12,		/* GPGPU-Sim */
		.twl = 4,		/* GPGPU-Sim */
		.tras = 28,		/* GPGPU-Sim */
		.trrd_l = 6,		/* GPGPU-Sim */
		.trrd_s = 6,		/* GPGPU-Sim */
		.tfaw = 23,		/* gem5 */
		.trtp = 2,		/* GPGPU-Sim */
		.tccd_l = 3,		/* GPGPU-Sim */
		.tccd_s = 2,		/* GPGPU-Sim */
		.twtr_l = 5,		/* GPGPU-Sim */
		.twtr_s = 5,		/* GPGPU-Sim */
		.twr = 12,		/* GPGPU-Sim */
		.trefi = 0,		/* off, as GPGPU-Sim */
		.trfc = 0,		/* off, as GPGPU-Sim */
		.read_to_write = 14,	/* GPGPU-Sim */
	},
};

const struct gpu_config spec_fg56 = {
	.name = "fg56",
	.sms = 56,
	.core_mhz = 1216,
	.schedulers_per_sm = 2,
	.warp_policy = GPU_WARP_GTO,
	.warps_per_sm = 64,		/* 2048 threads / 32 */
	.threads_per_sm = 2048,
	.blocks_per_sm = 32,
	.registers_per_sm = 65536,
	.shared_bytes_per_sm = 96 << 10,
	.l1_sets = 32,			/* assumed, as Themis */
	.l1_ways = 6,			/* assumed */
	.l1_sectors = 1,		/* GPGPU-Sim 3 */
	.l1_write_allocate = GPU_ALLOCATE_NONE,
	.l1c_sets = 0,			/* GPGPU-Sim: all hit */
	.l1c_ways = 2,			/* GPGPU-Sim */
	.l1_mshrs = 128,		/* assumed, as hbm80 */
	.l1_hit_latency = 82,		/* GPGPU-Sim */
	.sm_stores = 256,		/* assumed */
	.noc_latency = 40,		/* assumed, as hbm80 */
	.noc_flit_bytes = 40,		/* GPGPU-Sim */
	.noc_queue_depth = 16,		/* assumed, as hbm80 */
	.slice_arbitration = GPU_ARBITRATE_ORDER,
	.llc_slices = 8,		/* assumed, as Themis */
	.llc_sets = 256,		/* assumed, as Themis */
	.llc_ways = 8,			/* assumed, as Themis */
	.llc_sectors = 1,		/* GPGPU-Sim 3 */
	.llc_write_allocate = GPU_ALLOCATE_FETCH,
	.llc_mshrs = 64,		/* assumed, as hbm80 */
	.llc_latency = 120,		/* GPGPU-Sim */
	.llc_write_credits = 64,	/* assumed */
	.atd_sampling = 0,		/* off */
	.mirrors = 0,			/* off */
	.llc_to_dram_latency = 50,	/* GPGPU-Sim */
	.memory_mhz = 1750,		/* command clock */
	.channels = 4,
	.banks = 16,			/* GPGPU-Sim */
	.bank_groups = 4,		/* GPGPU-Sim */
	.row_lines = 32,		/* GPGPU-Sim */
	.channel_bytes_per_clock = 32,	/* assumed: 64 bits, as the GTX 980 */
	.column_accesses_per_line = 2,
	.queue_entries = 64,		/* assumed, as hbm80 */
	.write_drain_start = 32,	/* assumed, as hbm80 */
	.write_drain_stop = 8,		/* assumed, as hbm80 */
	.row_hit_cap = 0,		/* none in GPGPU-Sim */
	.address_hash = 1,		/* assumed */
	.channel_batch_clocks = 64,	/* no result depends on it */
	.hardware_counters = 0,
	.launch_cycles = 0,		/* not modelled */
	.poll_cycles = 0,		/* not modelled */
	.memory_mb = 0,			/* unlimited */
	.sms_per_tpc = 1,
	.boundary_cycles = GPU_BOUNDARY_CYCLES,
	/* As GPGPU-Sim; see docs/configs. */
	.unit = {
		[TRACE_INTEGER] = { 9, 1 },
		[TRACE_FP32] = { 9, 1 },
		[TRACE_FP64] = { 13, 2 },
		[TRACE_SFU] = { 25, 4 },
		[TRACE_TENSOR] = { 13, 2 },
		[TRACE_SHARED_MEMORY] = { 25, 1 },
		[TRACE_CONTROL] = { 9, 1 },
	},
	.dram = {
		.trc = 40,		/* GPGPU-Sim */
		.trcd_read = 12,	/* GPGPU-Sim */
		.trcd_write = 7,	/* GPGPU-Sim */
		.trp = 12,		/* GPGPU-Sim */
		.tcl = 12,		/* GPGPU-Sim */
		.twl = 4,		/* GPGPU-Sim */
		.tras = 28,		/* GPGPU-Sim */
		.trrd_l = 6,		/* GPGPU-Sim */
		.trrd_s = 6,		/* GPGPU-Sim */
		.tfaw = 23,		/* gem5 */
		.trtp = 2,		/* GPGPU-Sim */
		.tccd_l = 3,		/* GPGPU-Sim */
		.tccd_s = 2,		/* GPGPU-Sim */
		.twtr_l = 5,		/* GPGPU-Sim */
		.twtr_s = 5,		/* GPGPU-Sim */
		.twr = 12,		/* GPGPU-Sim */
		.trefi = 0,		/* off, as GPGPU-Sim */
		.trfc = 0,		/* off, as GPGPU-Sim */
		.read_to_write = 14,	/* GPGPU-Sim */
	},
};

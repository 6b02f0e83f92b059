// SPDX-License-Identifier: GPL-2.0
/*
 * gddr5_40: the GDDR5-based GPU of HSM (Zhao et al., ASPLOS'20), Table 1. HSM's
 * simulator is GPGPU-Sim, whose configuration of the GTX 1080 Ti has the same
 * memory; its numbers fill what the table leaves open.
 *
 * Each value with its unit and source: docs/configs/. What is not of the paper
 * itself has a remark here.
 */
#include "sim.h"

const struct gpu_config spec_gddr5_40 = {
	.name = "gddr5_40",
	.sms = 40,
	.core_mhz = 1400,
	.schedulers_per_sm = 2,
	.warp_policy = GPU_WARP_GTO,
	.warps_per_sm = 64,
	.threads_per_sm = 2048,
	.blocks_per_sm = 32,		/* GPGPU-Sim */
	.registers_per_sm = 65536,	/* GPGPU-Sim */
	.shared_bytes_per_sm = 96 << 10,
	.l1_sets = 64,
	.l1_ways = 6,
	.l1_sectors = 1,		/* GPGPU-Sim 3 */
	.l1_write_allocate = GPU_ALLOCATE_NONE,
	.l1c_sets = 0,			/* assumed, as hbm80 */
	.l1c_ways = 8,			/* assumed, as hbm80 */
	.l1_mshrs = 128,
	.l1_hit_latency = 28,		/* assumed, as hbm80 */
	.sm_stores = 256,		/* assumed */
	.noc_latency = 40,		/* assumed, as hbm80 */
	.noc_flit_bytes = 32,
	.noc_queue_depth = 16,		/* assumed, as hbm80 */
	.slice_arbitration = GPU_ARBITRATE_ORDER,
	.llc_slices = 22,
	.llc_sets = 64,
	.llc_ways = 16,
	.llc_sectors = 1,		/* GPGPU-Sim 3 */
	.llc_write_allocate = GPU_ALLOCATE_FETCH,
	.llc_mshrs = 64,		/* assumed, as hbm80 */
	.llc_latency = 120,
	.llc_write_credits = 64,	/* assumed */
	.atd_sampling = 0,		/* off */
	.mirrors = 0,			/* off */
	.llc_to_dram_latency = 60,	/* assumed, as hbm80 */
	.memory_mhz = 2750,		/* command clock */
	.channels = 11,
	.banks = 16,
	.bank_groups = 1,		/* GPGPU-Sim, bank groups off */
	.row_lines = 16,		/* GPGPU-Sim */
	.channel_bytes_per_clock = 16,
	.column_accesses_per_line = 4,	/* GPGPU-Sim */
	.queue_entries = 64,
	.write_drain_start = 32,	/* assumed, as hbm80 */
	.write_drain_stop = 8,		/* assumed, as hbm80 */
	.row_hit_cap = 5,
	.address_hash = 1,
	.channel_batch_clocks = 96,	/* no result depends on it */
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
		.trcd_read = 12,
		.trcd_write = 7,	/* GPGPU-Sim */
		.trp = 12,
		.tcl = 12,
		.twl = 4,		/* GPGPU-Sim */
		.tras = 28,		/* GPGPU-Sim */
		.trrd_l = 6,		/* GPGPU-Sim */
		.trrd_s = 6,		/* GPGPU-Sim */
		.tfaw = 23,		/* gem5 */
		.trtp = 2,		/* GPGPU-Sim */
		.tccd_l = 2,		/* GPGPU-Sim, bank groups off */
		.tccd_s = 2,		/* GPGPU-Sim */
		.twtr_l = 5,		/* GPGPU-Sim */
		.twtr_s = 5,		/* GPGPU-Sim */
		.twr = 12,		/* GPGPU-Sim */
		.trefi = 10725,		/* assumed: 3.9 us */
		.trfc = 179,		/* 65 ns, gem5 */
		.read_to_write = 18,	/* GPGPU-Sim */
	},
};

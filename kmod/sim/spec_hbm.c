// SPDX-License-Identifier: GPL-2.0
/*
 * hbm80: the HBM-based GPU of HSM (Zhao et al., ASPLOS'20), Table 1. What the
 * table leaves open is marked "assumed" or names another source; each value
 * with its unit and source: docs/configs/.
 */
#include "sim.h"

const struct gpu_config spec_hbm80 = {
	.name = "hbm80",
	.sms = 80,
	.core_mhz = 1400,
	.schedulers_per_sm = 2,
	.warp_policy = GPU_WARP_GTO,
	.warps_per_sm = 64,
	.threads_per_sm = 2048,
	.blocks_per_sm = 16,		/* by evidence: docs/configurations.md */
	.registers_per_sm = 65536,	/* V100-class GPU */
	.shared_bytes_per_sm = 96 << 10,
	.l1_sets = 64,
	.l1_ways = 6,
	.l1_sectors = 1,		/* GPGPU-Sim 3 */
	.l1_write_allocate = GPU_ALLOCATE_NONE,
	.l1c_sets = 0,			/* GPGPU-Sim: all hit */
	.l1c_ways = 8,			/* GPGPU-Sim */
	.l1_mshrs = 128,
	.l1_hit_latency = 28,		/* GPGPU-Sim, V100 configuration */
	.sm_stores = 256,		/* assumed */
	.noc_latency = 40,		/* assumed, one way */
	.noc_flit_bytes = 32,
	.noc_queue_depth = 16,		/* assumed, packets a port */
	.slice_arbitration = GPU_ARBITRATE_ORDER,
	.llc_slices = 64,
	.llc_sets = 48,
	.llc_ways = 16,
	.llc_sectors = 1,		/* GPGPU-Sim 3 */
	.llc_write_allocate = GPU_ALLOCATE_FETCH,
	.llc_mshrs = 64,		/* assumed */
	.llc_latency = 120,
	.llc_write_credits = 64,	/* assumed: as many as fetches */
	.atd_sampling = 0,		/* off */
	.mirrors = 0,			/* off */
	.llc_to_dram_latency = 60,	/* assumed, one way */
	.memory_mhz = 440,
	.channels = 32,
	.banks = 16,
	.bank_groups = 4,		/* JEDEC HBM */
	.row_lines = 16,		/* JEDEC HBM: a page of 2048 bytes */
	.channel_bytes_per_clock = 64,
	.column_accesses_per_line = 2,
	.queue_entries = 64,		/* of reads, and as many of writes */
	.write_drain_start = 32,	/* ours */
	.write_drain_stop = 8,		/* ours */
	.row_hit_cap = 5,
	.address_hash = 1,
	.channel_batch_clocks = 16,
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
		.trc = 24,
		.trcd_read = 7,
		.trcd_write = 7,	/* assumed: as for reads */
		.trp = 7,
		.tcl = 7,
		.twl = 2,
		.tras = 17,
		.trrd_l = 5,
		.trrd_s = 4,
		.tfaw = 20,
		.trtp = 7,
		.tccd_l = 1,
		.tccd_s = 1,
		.twtr_l = 4,
		.twtr_s = 2,
		.twr = 8,		/* assumed */
		.trefi = 1716,		/* 3.9 us, JEDEC HBM */
		.trfc = 115,		/* 260 ns, JEDEC HBM 4 Gb */
		.read_to_write = 9,	/* tCL + burst - tWL + 2, as DRAMsim3 */
	},
};

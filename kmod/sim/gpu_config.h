/* SPDX-License-Identifier: GPL-2.0 */
/* The configuration of a GPU: all sizes, latencies and rates, as text and by name. */
#ifndef SIM_GPU_CONFIG_H
#define SIM_GPU_CONFIG_H

#include "trace.h"

#define GPU_LANES		32
#define GPU_LINE_BYTES		128
/* Of a packet beside its data, as in GPGPU-Sim */
#define PACKET_CONTROL_BYTES	8
#define GPU_WARP_GTO		0
#define GPU_WARP_LRR		1
/* Address hashes: none; randomized (PAE style); GPGPU-Sim's for SM7_QV100 (IPOLY). */
#define GPU_HASH_PLAIN		0
#define GPU_HASH_PAE		1
#define GPU_HASH_IPOLY		2
/*
 * Which request a slice looks up next. ORDER: the first; all others wait while it
 * waits for an MSHR entry, a way or a write credit. FIRST: the first that need not
 * wait. SM: the first that need not wait of the SM whose turn it is.
 */
#define GPU_ARBITRATE_ORDER	0
#define GPU_ARBITRATE_FIRST	1
#define GPU_ARBITRATE_SM	2
/*
 * What a store does that misses. NONE: it goes on to the memory. FETCH: it fetches the
 * line if it writes only a part. LAZY: it writes, and a later read of a part-written
 * sector fetches it. ALWAYS: it fetches the line in any case.
 */
#define GPU_ALLOCATE_NONE	0
#define GPU_ALLOCATE_FETCH	1
#define GPU_ALLOCATE_LAZY	2
#define GPU_ALLOCATE_ALWAYS	3

/**
 * struct dram_timing - a DRAM standard's timings, in memory clocks
 *
 * Names as in JEDEC's standards and HSM's Table 1; _l binds within a bank
 * group, _s across groups.
 *
 * @trc: activate to activate, same bank
 * @trcd_read: activate to read, same bank
 * @trcd_write: activate to write, same bank
 * @trp: precharge to activate, same bank
 * @tcl: read to the first of its data
 * @twl: write to the first of its data
 * @tras: activate to precharge, same bank
 * @trrd_l: activate to activate
 * @trrd_s: activate to activate
 * @tfaw: window in which there are at most four activates
 * @trtp: last column access of a read to precharge, same bank
 * @tccd_l: column access to column access of the same kind
 * @tccd_s: column access to column access of the same kind
 * @twtr_l: end of a write's data to read
 * @twtr_s: end of a write's data to read
 * @twr: end of a write's data to precharge, same bank
 * @trefi: refresh to refresh; 0 turns refresh off
 * @trfc: refresh of all banks to activate
 * @read_to_write: read to write
 * @trfc_bank: refresh of one bank to activate, same bank: banks are refreshed in turn, each
 *	once in @trefi. 0: all banks at once, in @trfc
 * @trrefd: refresh of one bank to activate or refresh, other bank
 */
struct dram_timing {
	u16 trc;
	u16 trcd_read;
	u16 trcd_write;
	u16 trp;
	u16 tcl;
	u16 twl;
	u16 tras;
	u16 trrd_l;
	u16 trrd_s;
	u16 tfaw;
	u16 trtp;
	u16 tccd_l;
	u16 tccd_s;
	u16 twtr_l;
	u16 twtr_s;
	u16 twr;
	u16 trefi;
	u16 trfc;
	u16 read_to_write;
	u16 trfc_bank;
	u16 trrefd;
};

/*
 * Most core cycles that a configuration may give a kernel's launch, or a check of a
 * worker's flag: 0.1 ms at 1 GHz.
 */
#define GPU_LAUNCH_CYCLES_MAX	100000
/*
 * The finest place at which an SM's work can be interrupted for another tenant: within a
 * thread block, between thread blocks, between kernels.
 */
#define GPU_LEVEL_WITHIN	0
#define GPU_LEVEL_BLOCKS	1
#define GPU_LEVEL_KERNELS	2
/* Most time that a configuration may give a part of a context switch: 1 ms. */
#define GPU_SWITCH_NS_MAX	1000000
/* Most bytes of contexts that it may let an SM move a cycle: a warp's lines at once. */
#define GPU_CONTEXT_BYTES_MAX	(GPU_LANES * GPU_LINE_BYTES)
/* Core cycles between decision boundaries: in the shipped configurations, and at most. */
#define GPU_BOUNDARY_CYCLES	200
#define GPU_BOUNDARY_CYCLES_MAX	100000

/*
 * Managed memory: a chunk of device memory, and a block of a tenant's addresses, which has
 * a chunk while any of its pages is on the device.
 */
#define GPU_CHUNK_BYTES		(2U << 20)
/* Most faults of a batch, and of an SM that nobody has taken yet. */
#define GPU_FAULT_BATCH_MAX	1024
#define GPU_FAULT_BUFFER_MAX	256
/* Most time that a configuration may give a part of a fault's handling: 10 ms. */
#define GPU_FAULT_NS_MAX	10000000
#define GPU_LINK_MB_PER_S_MAX	1000000
#define GPU_COPY_ENGINES_MAX	8

/**
 * struct gpu_config - every size, latency and rate of a GPU
 *
 * Times are in core cycles unless the name says otherwise. config.c has the ranges,
 * docs/configs the values of the shipped configurations and their sources.
 *
 * @name: name of the configuration
 * @sms: streaming multiprocessors
 * @core_mhz: core clock
 * @schedulers_per_sm: warp schedulers, a power of two; each issues a warp
 *	instruction a cycle
 * @warp_policy: how a scheduler picks a warp: GPU_WARP_GTO (greedy, then oldest) or
 *	GPU_WARP_LRR (loose round robin)
 * @warps_per_sm: resident warps
 * @threads_per_sm: resident threads
 * @blocks_per_sm: resident thread blocks
 * @registers_per_sm: 32-bit registers
 * @shared_bytes_per_sm: shared memory
 * @l1_sets: sets of an SM's L1, a power of two
 * @l1_ways: ways of a set; more than 16 are a power of two, and l1_big.c says what is
 *	different with them
 * @l1_sectors: parts in which a line of it is fetched: 1, or 4 of 32 bytes; the constant
 *	cache fetches whole lines
 * @l1_write_allocate: GPU_ALLOCATE_NONE or GPU_ALLOCATE_LAZY; a store is written
 *	through in any case
 * @l1c_sets: sets of an SM's constant cache, a power of two, of 128 B lines like
 *	all caches; 0: every access hits
 * @l1c_ways: ways of a set
 * @l1_mshrs: lines, or sectors, that an SM may wait for, in both L1s together
 * @l1_hit_latency: cycles from the access to the data, in both
 * @sm_stores: stores and reductions of an SM that may wait for the last-level
 *	cache to acknowledge them, counted in lines
 * @noc_latency: crossbar, one way
 * @noc_flit_bytes: bytes that a port carries a cycle
 * @noc_queue_depth: packets that may wait at a port
 * @noc_head_blocking: 1: at a port, a packet waits for all that came before it, wherever
 *	they go; 0: only for those to the same port
 * @slice_queue_flits: flits that may be on their way to a slice, or wait there, with
 *	@noc_head_blocking; a request counts as the longer one of its packet and its reply's.
 *	0: any number
 * @slice_arbitration: GPU_ARBITRATE_ORDER, _FIRST or _SM
 * @llc_slices: slices of the last-level cache, a multiple of @channels
 * @llc_sets: sets of a slice
 * @llc_ways: ways of a set
 * @llc_sectors: as @l1_sectors; requests to memory are in sectors, too
 * @llc_write_allocate: GPU_ALLOCATE_NONE, _FETCH, _LAZY or _ALWAYS
 * @llc_mshrs: lines, or sectors, that a slice may wait for
 * @llc_latency: cycles from a request's arrival to its lookup
 * @llc_write_credits: write-backs that a slice may have under way
 * @atd_sampling: each tenant has auxiliary tag directories (atd.c) for every
 *	so many-th set of the cache; 0: none
 * @mirrors: 1: each tenant has a mirror of a channel (mirror.c); 0: none
 * @llc_to_dram_latency: link between slice and channel, one way
 * @memory_mhz: memory clock
 * @channels: memory channels
 * @banks: banks of a channel, a power of two
 * @bank_groups: bank groups of a channel, a power of two
 * @row_lines: 128 B lines of a row, a power of two
 * @channel_bytes_per_clock: bytes that a channel's data bus carries a memory clock
 * @column_accesses_per_line: column accesses of a 128 B request
 * @queue_entries: entries of a channel's read queue, and of its write queue
 * @write_drain_start: number of writes at which a drain begins while reads wait
 * @write_drain_stop: number of writes at which a drain ends
 * @row_hit_cap: hits served past an older request of their bank; 0: no cap
 * @address_hash: how lines are spread: GPU_HASH_PLAIN, _PAE or _IPOLY
 * @channel_batch_clocks: how far a channel may run ahead; no result depends on it
 * @hardware_counters: 1: models see row hits and bandwidth as counted in
 *	registers of HSM's widths, cleared at an epoch's start; 0: exact counts
 * @launch_cycles: core cycles from a kernel's start, as a driver sees it, until its
 *	first thread blocks can be handed out
 * @poll_cycles: core cycles that a worker needs to check its flag: see
 *	gpu_set_worker_blocks()
 * @free_contexts: 1: contexts of thread blocks are saved and restored without traffic,
 *	which no GPU can do: it shows what the traffic costs
 * @memory_mb: MiB of device memory for the footprints of launches under way; 0: any
 * @sms_per_tpc: SMs that change hands together, as a driver sees them: those of a
 *	texture processing cluster; divides @sms
 * @boundary_cycles: policies hear of events at multiples of so many core cycles, so
 *	that parts of the device may run ahead between them; of gpu_window(), if that
 *	is more
 * @managed_mb: MiB of device memory for managed memory (pages.h), a multiple of a chunk; 0:
 *	there is none
 * @page_kb: KiB of a page of managed memory: 4, 64 or 2048
 * @fault_batch: faults that the pager takes at a time, at most
 * @fault_buffer: faults that an SM may have noted and the pager not taken; its load/store
 *	unit stops at the next one
 * @fault_batch_ns: nanoseconds that the pager needs for a batch of faults
 * @fault_block_ns: and for each block of addresses in it
 * @fault_page_ns: and for each page that it brings
 * @evict_ns: and for each chunk that it takes away, before the copies
 * @copy_engines: ports of the crossbar behind the SMs, by which copies go through the
 *	last-level cache to the memory; the pager uses one. 0: its copies take the link alone
 * @link_in_mb_per_s: million bytes a second from the host to the device
 * @link_out_mb_per_s: from the device to the host
 * @link_latency_ns: nanoseconds from the request for a line on the host, at the link, to its
 *	first byte
 * @link_setup_ns: nanoseconds of each copy, before its first byte
 * @preempt_level: GPU_LEVEL_WITHIN, _BLOCKS or _KERNELS; with the last two there are neither
 *	context switches nor resets: thread blocks run to their end
 * @yield_ns: nanoseconds from the driver's word that an SM with thread blocks shall change
 *	hands by a context switch until the SM stops them; until then it goes on
 * @save_setup_ns: nanoseconds from there to the first line of a context that is stored
 * @restore_setup_ns: nanoseconds from the first saved thread block's return to an SM to the
 *	first line that is read
 * @context_bytes_per_cycle: bytes of contexts that an SM moves in a core cycle, at most; 0:
 *	as many as its load/store unit and the crossbar can
 * @unit: latency and interval of each unit, by &enum trace_unit_id; an SM has one
 *	shared memory, and each of its schedulers the others
 * @dram: timings
 */
struct gpu_config {
	char name[32];
	u32 sms;
	u32 core_mhz;
	u32 schedulers_per_sm;
	u32 warp_policy;
	u32 warps_per_sm;
	u32 threads_per_sm;
	u32 blocks_per_sm;
	u32 registers_per_sm;
	u32 shared_bytes_per_sm;
	u32 l1_sets;
	u32 l1_ways;
	u32 l1_sectors;
	u32 l1_write_allocate;
	u32 l1c_sets;
	u32 l1c_ways;
	u32 l1_mshrs;
	u32 l1_hit_latency;
	u32 sm_stores;
	u32 noc_latency;
	u32 noc_flit_bytes;
	u32 noc_queue_depth;
	u32 noc_head_blocking;
	u32 slice_queue_flits;
	u32 slice_arbitration;
	u32 llc_slices;
	u32 llc_sets;
	u32 llc_ways;
	u32 llc_sectors;
	u32 llc_write_allocate;
	u32 llc_mshrs;
	u32 llc_latency;
	u32 llc_write_credits;
	u32 atd_sampling;
	u32 mirrors;
	u32 llc_to_dram_latency;
	u32 memory_mhz;
	u32 channels;
	u32 banks;
	u32 bank_groups;
	u32 row_lines;
	u32 channel_bytes_per_clock;
	u32 column_accesses_per_line;
	u32 queue_entries;
	u32 write_drain_start;
	u32 write_drain_stop;
	u32 row_hit_cap;
	u32 address_hash;
	u32 channel_batch_clocks;
	u32 hardware_counters;
	u32 launch_cycles;
	u32 poll_cycles;
	u32 free_contexts;
	u32 memory_mb;
	u32 sms_per_tpc;
	u32 boundary_cycles;
	u32 managed_mb;
	u32 page_kb;
	u32 fault_batch;
	u32 fault_buffer;
	u32 fault_batch_ns;
	u32 fault_block_ns;
	u32 fault_page_ns;
	u32 evict_ns;
	u32 copy_engines;
	u32 link_in_mb_per_s;
	u32 link_out_mb_per_s;
	u32 link_latency_ns;
	u32 link_setup_ns;
	u32 preempt_level;
	u32 yield_ns;
	u32 save_setup_ns;
	u32 restore_setup_ns;
	u32 context_bytes_per_cycle;
	struct trace_unit unit[TRACE_UNITS];
	struct dram_timing dram;
} __aligned(8);

/* The shipped configurations, by index (NULL past the last) and by name. */
const struct gpu_config *gpu_config_at(unsigned int index);
const struct gpu_config *gpu_config_find(const char *name);

/* Nanoseconds in core cycles of a clock, rounded up. */
static inline u64 gpu_cycles_of_ns(u32 core_mhz, u64 ns)
{
	return (ns * core_mhz + 999) / 1000;
}

/* Thread instructions that all SMs of a GPU can issue a cycle. */
static inline u64 gpu_peak_ipc(const struct gpu_config *config)
{
	return (u64)config->sms * config->schedulers_per_sm * GPU_LANES;
}

/* Million bytes a second that all channels together carry. */
static inline u64 gpu_peak_mb_per_s(const struct gpu_config *config)
{
	return (u64)config->channels * config->memory_mhz * config->channel_bytes_per_clock;
}

/**
 * gpu_config_check() - whether a configuration can be simulated
 * @config: any values
 * @field: set to the name of the first bad field
 *
 * Return: 0 or -EINVAL.
 */
int gpu_config_check(const struct gpu_config *config, const char **field);

/**
 * struct config_error - why a configuration's text was refused
 * @line: number of the line, from 1; 0 if it is what no line says
 * @field: the name that stands there, such as "dram.trcd_read"; may be empty
 * @reason: a few words that follow it, such as "is given twice"
 */
struct config_error {
	u32 line;
	char field[32];
	char reason[64];
};

/**
 * gpu_config_parse() - a configuration of a user's text
 * @text: lines "name = value", with # comments; need not end in NUL; it may
 *	come from anybody
 * @length: its size in bytes
 * @config: set, and checked as by gpu_config_check(), if the text is good
 * @error: set if it is not
 *
 * "base = hbm80", before all others, takes what the text leaves out from a
 * shipped configuration; without it every field must be given, but those of managed memory and
 * of preemption's cost, which are as in the shipped configuration of the same name, or else as
 * in hbm80. "name = ..."
 * names the configuration, else it is "custom"; a shipped configuration's name
 * needs that configuration's values. Each line is given once.
 *
 * Return: 0 or -EINVAL.
 */
int gpu_config_parse(const char *text, size_t length, struct gpu_config *config,
		     struct config_error *error);

/**
 * gpu_config_print() - the text of a configuration
 * @config: any
 * @text: gets it, cut to fit and ended by NUL; may be NULL if @room is 0
 * @room: bytes at @text
 *
 * gpu_config_parse() makes an equal configuration of it. What a text may leave out is left
 * out where it need not be said.
 *
 * Return: the whole text's length without the NUL.
 */
size_t gpu_config_print(const struct gpu_config *config, char *text, size_t room);

#endif /* SIM_GPU_CONFIG_H */

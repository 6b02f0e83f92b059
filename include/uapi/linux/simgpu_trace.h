/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The simgpu trace format, version 5: what a tenant uploads. Files of older versions
 * load too: 3 has no allocations and no commands, 2 has no profiles either, and 1 has no
 * mixes, and so no dependences between instructions.
 *
 * A trace is one file of little-endian, naturally aligned structs: a header,
 * then sections in any order. A kernel is a grid of thread blocks; each of its
 * warps runs a program, a list of ops. Ops that touch memory name a pattern,
 * which says which addresses the warp's lanes use. Where warps differ, a warp
 * table says which program each warp runs, and where its recorded lines begin; rows
 * and runs say which thread blocks share the table's entries.
 *
 * The validator (kmod/sim/trace_check.c) checks every field before anything is
 * kept. Reserved and padding fields must be zero.
 */
#ifndef _UAPI_LINUX_SIMGPU_TRACE_H
#define _UAPI_LINUX_SIMGPU_TRACE_H

#include <linux/types.h>

/* The bytes "SGTR" at the start of the file. */
#define SIMGPU_TRACE_MAGIC		0x52544753U
#define SIMGPU_TRACE_VERSION		5
/* The same without SIMGPU_TRACE_SPIN. */
#define SIMGPU_TRACE_VERSION_V4		4

/* Limits of the format; beyond them a trace is refused with E2BIG. */
#define SIMGPU_TRACE_BYTES_MAX		(256ULL << 20)
#define SIMGPU_TRACE_KERNELS_MAX	1024
#define SIMGPU_TRACE_BLOCKS_MAX		(1ULL << 31)
#define SIMGPU_TRACE_BLOCK_THREADS_MAX	1024
#define SIMGPU_TRACE_LOOP_DEPTH_MAX	4
#define SIMGPU_TRACE_ALLOCATIONS_MAX	(1U << 16)
#define SIMGPU_TRACE_COMMANDS_MAX	(1U << 20)
/* Queues that commands may name, and events: numbers below these. */
#define SIMGPU_TRACE_QUEUES_MAX		8
#define SIMGPU_TRACE_EVENTS_MAX		(1U << 16)
/* STEPs of a trace, requests that one of them decodes together, and tokens of a request. */
#define SIMGPU_TRACE_STEPS_MAX		1024
#define SIMGPU_TRACE_BATCH_MAX		64
#define SIMGPU_TRACE_CONTEXT_MAX	(1U << 20)
/* What the repeats of all commands may add up to. */
#define SIMGPU_TRACE_REPEATS_MAX	(1ULL << 32)
/* Bytes of a copy, and nanoseconds of a delay. */
#define SIMGPU_TRACE_COPY_BYTES_MAX	(1ULL << 40)
#define SIMGPU_TRACE_DELAY_NS_MAX	(1ULL << 40)
/* Most elements of the rows section, and of the runs section. */
#define SIMGPU_TRACE_RUNS_MAX		(1U << 20)
/* Most instructions of a mix. */
#define SIMGPU_TRACE_MIX_MAX		1024
/*
 * Most instructions of mixes that all ops together may name. For each op that is its
 * count or, if less, whole rounds of its mix, an even number, that are 240 or more.
 */
#define SIMGPU_TRACE_MIXED_MAX		(1ULL << 26)
/* Passes of its unit that an instruction of a mix may take. */
#define SIMGPU_TRACE_PASSES_MAX		64
/* Warp instructions that one warp may execute in one kernel. */
#define SIMGPU_TRACE_WARP_INSTRUCTIONS_MAX (1ULL << 40)
/*
 * A tenant's device address space: 2^26 lines of 128 bytes, 8 GiB, less the
 * last line, whose number stands for "empty" in the caches.
 */
#define SIMGPU_TRACE_LINE_BYTES		128
#define SIMGPU_TRACE_SPACE_BYTES	((1ULL << 33) - SIMGPU_TRACE_LINE_BYTES)

#define SIMGPU_TRACE_NAME_BYTES		32

/**
 * enum simgpu_trace_section_id - the sections of a trace, index in
 *	&simgpu_trace_header.sections
 * @SIMGPU_TRACE_KERNELS: &struct simgpu_trace_kernel, in launch order; 1 or more
 * @SIMGPU_TRACE_PROGRAMS: &struct simgpu_trace_program; 1 or more
 * @SIMGPU_TRACE_OPS: &struct simgpu_trace_op; 1 or more
 * @SIMGPU_TRACE_PATTERNS: &struct simgpu_trace_pattern
 * @SIMGPU_TRACE_WARPS: &struct simgpu_trace_warp
 * @SIMGPU_TRACE_LINES: __u32, see SIMGPU_TRACE_LINE_INDEX
 * @SIMGPU_TRACE_WEIGHTS: &struct simgpu_trace_weight, informative
 * @SIMGPU_TRACE_ROWS: &struct simgpu_trace_row
 * @SIMGPU_TRACE_RUNS: &struct simgpu_trace_run
 * @SIMGPU_TRACE_MIXES: &struct simgpu_trace_mix; from version 2 on
 * @SIMGPU_TRACE_INSTRUCTIONS: &struct simgpu_trace_instruction; from version 2 on
 * @SIMGPU_TRACE_PROFILES: &struct simgpu_trace_profile; from version 3 on
 * @SIMGPU_TRACE_POINTS: &struct simgpu_trace_point; from version 3 on
 * @SIMGPU_TRACE_ALLOCATIONS: &struct simgpu_trace_allocation; from version 4 on
 * @SIMGPU_TRACE_COMMANDS: &struct simgpu_trace_command, in the order in which the program on
 *	the host gives them; from version 4 on. Without any, the kernels run in the order of
 *	their section
 * @SIMGPU_TRACE_SECTIONS: number of sections
 */
enum simgpu_trace_section_id {
	SIMGPU_TRACE_KERNELS,
	SIMGPU_TRACE_PROGRAMS,
	SIMGPU_TRACE_OPS,
	SIMGPU_TRACE_PATTERNS,
	SIMGPU_TRACE_WARPS,
	SIMGPU_TRACE_LINES,
	SIMGPU_TRACE_WEIGHTS,
	SIMGPU_TRACE_ROWS,
	SIMGPU_TRACE_RUNS,
	SIMGPU_TRACE_MIXES,
	SIMGPU_TRACE_INSTRUCTIONS,
	SIMGPU_TRACE_PROFILES,
	SIMGPU_TRACE_POINTS,
	SIMGPU_TRACE_ALLOCATIONS,
	SIMGPU_TRACE_COMMANDS,
	SIMGPU_TRACE_SECTIONS
};

/* Sections of versions 1 to 3; their headers end here. */
#define SIMGPU_TRACE_SECTIONS_V1	(SIMGPU_TRACE_RUNS + 1)
#define SIMGPU_TRACE_SECTIONS_V2	(SIMGPU_TRACE_INSTRUCTIONS + 1)
#define SIMGPU_TRACE_SECTIONS_V3	(SIMGPU_TRACE_POINTS + 1)

/**
 * struct simgpu_trace_section - where a section lies
 * @offset: bytes from the start of the file; a multiple of 8
 * @count: elements, not bytes; 0 for an absent section
 */
struct simgpu_trace_section {
	__u64 offset;
	__u64 count;
};

/**
 * struct simgpu_trace_header - the first bytes of a trace
 * @magic: SIMGPU_TRACE_MAGIC
 * @version: 1 to SIMGPU_TRACE_VERSION
 * @header_bytes: sizeof(struct simgpu_trace_header), less the sections that
 *	its version does not have
 * @total_bytes: size of the whole file
 * @checksum: CRC-32 (IEEE 802.3, as zlib's crc32()) of the whole file with
 *	this field taken as zero
 * @reserved: zero
 * @name: what ran, for people: printable ASCII, NUL-terminated, NUL-padded
 * @source: what wrote the trace, the same form ("simgpu-record 1")
 * @footprint_bytes: device memory that the trace touches, at most
 *	SIMGPU_TRACE_SPACE_BYTES; every address lies below it
 * @sections: indexed by &enum simgpu_trace_section_id; they may not overlap
 *	each other or the header
 */
struct simgpu_trace_header {
	__u32 magic;
	__u16 version;
	__u16 header_bytes;
	__u64 total_bytes;
	__u32 checksum;
	__u32 reserved;
	char name[SIMGPU_TRACE_NAME_BYTES];
	char source[SIMGPU_TRACE_NAME_BYTES];
	__u64 footprint_bytes;
	struct simgpu_trace_section sections[SIMGPU_TRACE_SECTIONS];
};

/* In @first_warp: no warp table; every warp runs the kernel's first program. */
#define SIMGPU_TRACE_NO_WARPS		(~0ULL)

/**
 * struct simgpu_trace_kernel - one kernel launch of the traced program
 * @name: for people, as in the header
 * @grid: thread blocks in x, y, z; each at least 1, their product at most
 *	SIMGPU_TRACE_BLOCKS_MAX
 * @block: threads of a thread block in x, y, z; each at least 1, their
 *	product at most SIMGPU_TRACE_BLOCK_THREADS_MAX
 * @registers_per_thread: 32-bit registers, 1 to 255
 * @shared_bytes: shared memory of a thread block; what an SM can hold is
 *	checked at launch, against the device's configuration
 * @first_program: index of its first program. The first kernel's is 0; each
 *	later kernel's programs either follow those of the kernels before it
 *	without a gap or are exactly those of an earlier kernel. Every program
 *	belongs to a kernel
 * @program_count: how many programs its warps may run; at least 1
 * @first_warp: index in the warp table of the kernel's first entry, or
 *	SIMGPU_TRACE_NO_WARPS. The table describes thread blocks in order, each
 *	with an entry a warp. As with programs, a table follows those before it
 *	without a gap, or is that of an earlier kernel with the same programs,
 *	grid, block, sampling and rows. Every entry belongs to a kernel
 * @sample_n: 1: every thread block was recorded. n: one of every n was, in the
 *	order b = x + grid.x * (y + grid.y * z). Thread blocks r * n to
 *	r * n + n - 1 run the same programs and touch the same recorded lines as
 *	the recorded one among them, but have their own affine addresses
 * @table_blocks: thread blocks that the table describes, if there are rows;
 *	else 0: the table describes each recorded thread block, in order (all of
 *	them if @sample_n is 1)
 * @first_row: index in the rows section of the first of the kernel's rows; 0
 *	if it has none. They follow those of the kernels before it without a
 *	gap, or are those of the earlier kernel whose warp table it has
 * @row_count: number of the kernel's rows; 0: no thread block shares another's entries
 */
struct simgpu_trace_kernel {
	char name[SIMGPU_TRACE_NAME_BYTES];
	__u32 grid[3];
	__u32 block[3];
	__u32 registers_per_thread;
	__u32 shared_bytes;
	__u32 first_program;
	__u32 program_count;
	__u64 first_warp;
	__u32 sample_n;
	__u32 table_blocks;
	__u32 first_row;
	__u32 row_count;
};

/**
 * struct simgpu_trace_row - rows of thread blocks that are alike
 * @end: number of the first row behind these. The kernel's first element begins at
 *	row 0, each other one where the one before it ended. The last one ends at
 *	the number of rows: grid.y * grid.z with row y + grid.y * z, or 1 if
 *	@sample_n of the kernel is not 1
 * @first_run: index in the runs section of the first run of each of these rows;
 *	a row's runs follow those before them without a gap, or are exactly
 *	those of an earlier row of the same kernel
 * @run_count: number of runs; at least 1
 */
struct simgpu_trace_row {
	__u32 end;
	__u32 first_run;
	__u32 run_count;
};

/**
 * struct simgpu_trace_run - thread blocks of a row that are alike
 * @end: place in the row of the first thread block behind these. The row's first
 *	run begins at 0, each other one where the one before it ended. The last
 *	one ends at the row's length: grid.x or, if @sample_n of the kernel is not
 *	1, the number of recorded thread blocks
 * @block: the thread block of the warp table that these are like, below table_blocks
 *	of the kernel
 */
struct simgpu_trace_run {
	__u32 end;
	__u32 block;
};

/**
 * struct simgpu_trace_program - what a warp executes, from first to last op
 * @first_op: index in the ops section; programs follow one another without a
 *	gap, the first at 0, the last to the section's end
 * @op_count: at least 1; loops are closed inside
 */
struct simgpu_trace_program {
	__u32 first_op;
	__u32 op_count;
};

/**
 * enum simgpu_trace_op_kind - what an op does
 * @SIMGPU_TRACE_COMPUTE: @count warp instructions. With a mix they are its
 *	instructions in turn; without one they are independent, and each holds the
 *	warp's issue slot for @issue_cycles
 * @SIMGPU_TRACE_LOAD: one warp instruction that reads global memory. The warp
 *	goes on and waits for the data before its instruction number
 *	@consume_after + 1 after this one (0: before the very next)
 * @SIMGPU_TRACE_STORE: one warp instruction that writes; nothing waits for it
 * @SIMGPU_TRACE_ATOMIC: one read-modify-write at the last-level cache; a warp
 *	waits for it as for a load. With @consume_after SIMGPU_TRACE_NEVER only
 *	an acknowledgment comes back (RED). Each recorded line is a transaction
 *	of its own; the same line may come again
 * @SIMGPU_TRACE_SHARED: @count independent shared-memory warp instructions, each
 *	holding the SM's shared memory for @issue_cycles (bank conflicts make it
 *	more than 1). A mix can describe shared-memory instructions in more detail
 * @SIMGPU_TRACE_BARRIER: one warp instruction; the warp waits until every
 *	unfinished warp of its thread block has arrived
 * @SIMGPU_TRACE_LOOP: run the ops up to the matching SIMGPU_TRACE_LOOP_END
 *	@count times; takes no time itself. A body must issue an instruction
 * @SIMGPU_TRACE_LOOP_END: ends the innermost loop
 * @SIMGPU_TRACE_CONSTANT: one warp instruction that reads memory which its
 *	kernel does not write, through the SM's constant cache; a warp waits for
 *	it as for a load
 * @SIMGPU_TRACE_SPIN: the warp issues instructions for ever, one a cycle if it is alone, until
 *	its launch is killed; from version 5 on. It is the last op of its program, and in no
 *	loop
 */
enum simgpu_trace_op_kind {
	SIMGPU_TRACE_COMPUTE = 1,
	SIMGPU_TRACE_LOAD,
	SIMGPU_TRACE_STORE,
	SIMGPU_TRACE_ATOMIC,
	SIMGPU_TRACE_SHARED,
	SIMGPU_TRACE_BARRIER,
	SIMGPU_TRACE_LOOP,
	SIMGPU_TRACE_LOOP_END,
	SIMGPU_TRACE_CONSTANT,
	SIMGPU_TRACE_SPIN
};

/* In @consume_after: nothing needs the data; only the warp's end waits for it. */
#define SIMGPU_TRACE_NEVER		(~0U)

/**
 * struct simgpu_trace_op - one step of a warp program
 * @kind: &enum simgpu_trace_op_kind
 * @active_lanes: lanes that execute it, 1 to 32; 0 for LOOP and LOOP_END
 * @issue_cycles: COMPUTE without a mix, and SHARED: core cycles an instruction,
 *	1 to 1024; COMPUTE with a mix, LOOP, LOOP_END and SPIN: 0
 * @after: LOAD, STORE, ATOMIC, CONSTANT and BARRIER: the op needs the result of an
 *	earlier instruction, as in &struct simgpu_trace_instruction
 * @count: COMPUTE and SHARED: warp instructions, at least 1; LOOP: trips, at
 *	least 1; LOAD, STORE, ATOMIC and CONSTANT with a RECORDED pattern: how
 *	many of the warp's recorded lines it touches, 1 to 32; else 0
 * @pattern: LOAD, STORE, ATOMIC, CONSTANT: index in the patterns section;
 *	else 0
 * @mix: COMPUTE: 1 + index in the mixes section, or 0
 * @consume_after: LOAD, ATOMIC, CONSTANT: warp instructions that may issue
 *	before the data is needed, or SIMGPU_TRACE_NEVER; else 0
 */
struct simgpu_trace_op {
	__u8 kind;
	__u8 active_lanes;
	union {
		__u16 issue_cycles;
		__u16 after;
	};
	__u32 count;
	union {
		__u32 pattern;
		__u32 mix;
	};
	__u32 consume_after;
};

/**
 * struct simgpu_trace_mix - instructions that COMPUTE ops issue in turn: from the first to
 *	the last, then again from the first
 * @first_instruction: index in the instructions section; mixes follow one
 *	another without a gap, the first at 0, the last to the section's end
 * @instruction_count: 1 to SIMGPU_TRACE_MIX_MAX
 */
struct simgpu_trace_mix {
	__u32 first_instruction;
	__u32 instruction_count;
};

/**
 * enum simgpu_trace_unit - the unit that executes an instruction. The configuration
 *	has its latency, and how soon it takes another warp's instruction
 * @SIMGPU_TRACE_UNIT_INTEGER: integers, addresses, comparisons, moves
 * @SIMGPU_TRACE_UNIT_FP32: single precision
 * @SIMGPU_TRACE_UNIT_FP64: double precision
 * @SIMGPU_TRACE_UNIT_SFU: special functions: reciprocals, roots, sines,
 *	conversions
 * @SIMGPU_TRACE_UNIT_TENSOR: products of matrices
 * @SIMGPU_TRACE_UNIT_SHARED: shared memory, one unit an SM
 * @SIMGPU_TRACE_UNIT_CONTROL: branches, and all other instructions
 * @SIMGPU_TRACE_UNITS: number of units
 */
enum simgpu_trace_unit {
	SIMGPU_TRACE_UNIT_INTEGER,
	SIMGPU_TRACE_UNIT_FP32,
	SIMGPU_TRACE_UNIT_FP64,
	SIMGPU_TRACE_UNIT_SFU,
	SIMGPU_TRACE_UNIT_TENSOR,
	SIMGPU_TRACE_UNIT_SHARED,
	SIMGPU_TRACE_UNIT_CONTROL,
	SIMGPU_TRACE_UNITS
};

/**
 * struct simgpu_trace_instruction - an instruction of a mix
 * @unit: &enum simgpu_trace_unit
 * @passes: passes of the unit, 1 to SIMGPU_TRACE_PASSES_MAX: bank conflicts of shared
 *	memory make it more than 1
 * @after: which earlier instruction's result it needs, counted backwards in the order
 *	in which the warp issues, with ops of all kinds: 1 is the instruction just
 *	before. 0: it needs none. Of several, the latest counts. Results of loads do
 *	not count here: the load's op says which instruction waits for it
 */
struct simgpu_trace_instruction {
	__u8 unit;
	__u8 passes;
	__u16 after;
};

/**
 * enum simgpu_trace_pattern_kind - how an access finds its addresses
 * @SIMGPU_TRACE_AFFINE: byte address of a lane = base + x * block_stride[0] +
 *	y * block_stride[1] + z * block_stride[2] + warp * warp_stride +
 *	sum of loop index i * loop_stride[i] + lane's part, all XOR mask.
 *	x, y, z is the thread block, loop 0 the outermost. The op's active lanes
 *	count from 0; lane's part is lane * lane_stride if group_lanes is 0, else
 *	lane % group_lanes * lane_stride + lane / group_lanes * group_stride. The
 *	mask is xor_bytes if xor_loop is 0, else xor_bytes << index of loop
 *	(xor_loop - 1). The lanes' addresses are coalesced into 128-byte lines,
 *	in the order in which lanes first touch them. Base, strides and
 *	xor_bytes are multiples of @access_bytes
 * @SIMGPU_TRACE_RANDOM: @lines lines an access, uniform over the region
 *	[base, base + region_bytes), from a hash of @seed, the run's seed, the
 *	thread block, the warp, and how many accesses the warp has made
 * @SIMGPU_TRACE_RECORDED: the next op.count entries of the warp's recorded lines
 */
enum simgpu_trace_pattern_kind {
	SIMGPU_TRACE_AFFINE = 1,
	SIMGPU_TRACE_RANDOM,
	SIMGPU_TRACE_RECORDED
};

/**
 * struct simgpu_trace_pattern - the addresses of memory ops
 * @kind: &enum simgpu_trace_pattern_kind; fields that a kind does not name are 0
 * @access_bytes: AFFINE: bytes a lane touches, 1, 2, 4, 8 or 16; RANDOM: bytes
 *	of the line that are touched, 1 to 128
 * @base: AFFINE, RANDOM: byte address in the tenant's space. For AFFINE it is
 *	a signed number. It may lie outside of the space if no thread block that runs
 *	the op has the indices 0
 * @region_bytes: AFFINE: no address is negative, or at or above base +
 *	region_bytes (signed too). That is checked at upload for all loop indices and
 *	lanes, and for all thread blocks and warps within the bounds, in x, y, z and
 *	warp, of those that run the op. RANDOM: see the kind, at least 128
 * @block_stride: AFFINE: bytes a thread block in x, y, z
 * @warp_stride: AFFINE: bytes a warp of the thread block
 * @lane_stride: AFFINE: bytes a lane
 * @group_stride: AFFINE: bytes a group of lanes; 0 if @group_lanes is
 * @loop_stride: AFFINE: bytes an iteration, outermost loop first
 * @xor_bytes: AFFINE: XOR mask, below region_bytes
 * @xor_loop: AFFINE: 0, or 1 + the loop whose index shifts the mask
 * @seed: RANDOM: any
 * @lines: RANDOM: lines an access, 1 to 32
 * @group_lanes: AFFINE: lanes of a group, 1 to 31; 0: the warp is one group
 */
struct simgpu_trace_pattern {
	__u32 kind;
	__u32 access_bytes;
	__u64 base;
	__u64 region_bytes;
	__s64 block_stride[3];
	__s64 warp_stride;
	__s64 lane_stride;
	__s64 group_stride;
	__s64 loop_stride[SIMGPU_TRACE_LOOP_DEPTH_MAX];
	__u64 xor_bytes;
	__u32 xor_loop;
	__u32 seed;
	__u32 lines;
	__u32 group_lanes;
};

/**
 * struct simgpu_trace_warp - what a warp of the warp table does
 * @program: index into its kernel's programs, below program_count
 * @first_line: index in the lines section of the first line that it touches;
 *	its program consumes lines in order from here
 */
struct simgpu_trace_warp {
	__u32 program;
	__u32 first_line;
};

/* An entry of the lines section: a line index in the tenant's space, and ... */
#define SIMGPU_TRACE_LINE_INDEX		0x03ffffffU
/* ... which of its four sectors of 32 bytes are NOT touched, a bit each; not all. */
#define SIMGPU_TRACE_LINE_SKIP		0x3c000000U
#define SIMGPU_TRACE_LINE_SKIP_SHIFT	26
/* ... for a store that does not write all bytes of a touched sector, this flag. */
#define SIMGPU_TRACE_LINE_PARTIAL	0x80000000U

/**
 * struct simgpu_trace_weight - how many GPU instructions a recorded instruction counts for
 * @name: the recorder's name for the instruction (for LLVM IR, the opcode: "fmul", "load")
 * @milli_instructions: GPU instructions, in thousandths
 * @reserved: zero
 * @executed: how often it was executed in the recording, over all work-items of the
 *	thread blocks that were recorded
 */
struct simgpu_trace_weight {
	char name[SIMGPU_TRACE_NAME_BYTES];
	__u32 milli_instructions;
	__u32 reserved;
	__u64 executed;
};

/* Most SMs of a profile. */
#define SIMGPU_TRACE_PROFILE_SMS_MAX	512

/**
 * struct simgpu_trace_profile - the speed of a kernel on each number of SMs of a GPU
 *	(STM 3.2), which `simgpu profile` measures. Profiles are in ascending order
 *	of @config, then of @kernel, at most one each
 * @config: name of the GPU's configuration
 * @kernel: index of the kernel
 * @sms: SMs of the GPU, and number of points: 1 to SIMGPU_TRACE_PROFILE_SMS_MAX
 * @first_point: index of the point for one SM; those for more SMs follow. The points are
 *	either new, and then follow those of the profiles before, or those of an earlier
 *	profile
 * @reserved: zero
 * @blocks: thread blocks of the kernel
 * @memory_bytes: device memory that the kernel needs: the trace's footprint
 */
struct simgpu_trace_profile {
	char config[SIMGPU_TRACE_NAME_BYTES];
	__u32 kernel;
	__u32 sms;
	__u32 first_point;
	__u32 reserved;
	__u64 blocks;
	__u64 memory_bytes;
};

/**
 * struct simgpu_trace_point - a kernel alone on a number of SMs
 * @cycles: core cycles that it takes, R[m] of STM; at least 1
 * @bandwidth_ppm: part of the GPU's peak bandwidth that it reaches, B[m] / Pb of
 *	STM, in parts per million: at most 1,000,000
 */
struct simgpu_trace_point {
	__u32 cycles;
	__u32 bandwidth_ppm;
};

/* What the base of an allocation is a multiple of, the smallest page. */
#define SIMGPU_TRACE_ALLOCATION_ALIGN	4096
/* Memory is managed by the block, so allocations of different kinds share none. */
#define SIMGPU_TRACE_MEMORY_BLOCK_BYTES	(2U << 20)

/**
 * enum simgpu_trace_allocation_kind - where the memory of an allocation is
 * @SIMGPU_TRACE_DEVICE: on the device, as memory in no allocation is
 * @SIMGPU_TRACE_MANAGED: managed: its pages come to the device when they are accessed
 */
enum simgpu_trace_allocation_kind {
	SIMGPU_TRACE_DEVICE = 1,
	SIMGPU_TRACE_MANAGED
};

/* In @last_command: the allocation lives to the end of the launch. */
#define SIMGPU_TRACE_TO_END		(~0U)

/**
 * struct simgpu_trace_allocation - memory that the program allocated: it exists from the
 *	beginning of a launch of the trace to its end
 *
 * Allocations are in ascending order of @base and do not overlap. Accesses need not lie in
 * one. A launch makes each block of SIMGPU_TRACE_MEMORY_BLOCK_BYTES managed that has a byte of a
 * MANAGED allocation; with SIMGPU_LAUNCH_MANAGED all memory is managed, whatever the kinds.
 * @name: for people, as in the header
 * @base: first byte in the tenant's space, a multiple of SIMGPU_TRACE_ALLOCATION_ALIGN
 * @bytes: its size, at least 1; it ends within the footprint
 * @kind: &enum simgpu_trace_allocation_kind. Allocations of different kinds have no byte in
 *	the same block of SIMGPU_TRACE_MEMORY_BLOCK_BYTES
 * @flags: zero
 * @first_command: index of the command from which on it exists: has to be 0 yet
 * @last_command: index of the last command for which it exists: has to be
 *	SIMGPU_TRACE_TO_END yet
 */
struct simgpu_trace_allocation {
	char name[SIMGPU_TRACE_NAME_BYTES];
	__u64 base;
	__u64 bytes;
	__u32 kind;
	__u32 flags;
	__u32 first_command;
	__u32 last_command;
};

/**
 * enum simgpu_trace_command_kind - what a command does
 * @SIMGPU_TRACE_COMMAND_KERNEL: launch a kernel
 * @SIMGPU_TRACE_COMMAND_COPY_IN: copy from the host to the device
 * @SIMGPU_TRACE_COMMAND_COPY_OUT: copy from the device to the host
 * @SIMGPU_TRACE_COMMAND_COPY: copy on the device: what is read is written where it was
 * @SIMGPU_TRACE_COMMAND_SET: write the same value everywhere
 * @SIMGPU_TRACE_COMMAND_RECORD: record an event, in no time
 * @SIMGPU_TRACE_COMMAND_WAIT: wait until the last RECORD of the event that stands before this
 *	command in the section is done, in whatever queue. There is none: go on at once
 * @SIMGPU_TRACE_COMMAND_DELAY: the queue has nothing to do, as the host does something else
 * @SIMGPU_TRACE_COMMAND_MARK: an iteration, a token or a request ends, in no time
 *	(&enum simgpu_trace_mark)
 * @SIMGPU_TRACE_COMMAND_STEP: a step of a service that batches requests ends here, in no time: a
 *	prefill or a decode, which begins behind the STEP before it. Only SIMGPU_IOC_ARRIVALS with
 *	batching runs such a trace, and says which step when. It has STEPs of both kinds,
 *	SIMGPU_TRACE_STEPS_MAX at most, then REQUESTs and nothing else, no MARKs, and commands
 *	of queue 0 alone. Each step has a command that takes time
 * @SIMGPU_TRACE_COMMAND_REQUEST: a request to that service, which is nothing to do. The first
 *	request that comes is that of the first REQUEST, and behind the last one the first one
 *	follows
 */
enum simgpu_trace_command_kind {
	SIMGPU_TRACE_COMMAND_KERNEL = 1,
	SIMGPU_TRACE_COMMAND_COPY_IN,
	SIMGPU_TRACE_COMMAND_COPY_OUT,
	SIMGPU_TRACE_COMMAND_COPY,
	SIMGPU_TRACE_COMMAND_SET,
	SIMGPU_TRACE_COMMAND_RECORD,
	SIMGPU_TRACE_COMMAND_WAIT,
	SIMGPU_TRACE_COMMAND_DELAY,
	SIMGPU_TRACE_COMMAND_MARK,
	SIMGPU_TRACE_COMMAND_STEP,
	SIMGPU_TRACE_COMMAND_REQUEST
};

/**
 * enum simgpu_trace_mark - what a MARK ends
 * @SIMGPU_TRACE_MARK_LATENCY: an iteration: the time since the last such mark of the launch, or
 *	since its arrival, is one of the tenant's latencies
 * @SIMGPU_TRACE_MARK_FIRST_TOKEN: the first token of a request: the time since the last mark of a
 *	token in this run of the trace, or since the run's beginning, is one of the tenant's times
 *	to first token. The first run of a launch begins with its arrival, another one with the
 *	end of the run before it
 * @SIMGPU_TRACE_MARK_TOKEN: a further token: a time between tokens, which counts likewise
 * @SIMGPU_TRACE_MARK_REQUEST: a request: a run of the trace ends here, and the next run in the
 *	same queue goes on behind it; behind the last such mark it begins with the first command.
 *	A trace with such marks ends with one, and has commands of queue 0 alone. Each request
 *	has a command that takes time
 */
enum simgpu_trace_mark {
	SIMGPU_TRACE_MARK_LATENCY,
	SIMGPU_TRACE_MARK_FIRST_TOKEN,
	SIMGPU_TRACE_MARK_TOKEN,
	SIMGPU_TRACE_MARK_REQUEST
};

/**
 * struct simgpu_trace_command - a step of the program on the host
 *
 * A launch of a trace with commands does these and nothing else: a kernel that no command
 * names does not run. With MARKs that end requests a run does those of one request. Commands of
 * a queue are done in the order of the section, each when the one before it has ended; queues
 * run beside each other. At least one command has to take time.
 * @kind: &enum simgpu_trace_command_kind
 * @queue: the queue that it is for, below SIMGPU_TRACE_QUEUES_MAX, counted from the queue of
 *	the launch
 * @what: KERNEL: index of the kernel; copies and SET: index of a DEVICE allocation; RECORD and
 *	WAIT: number of the event, below SIMGPU_TRACE_EVENTS_MAX; MARK: &enum
 *	simgpu_trace_mark; STEP: requests that decode a token each, 1 to
 *	SIMGPU_TRACE_BATCH_MAX, or 0: it is the prefill of one; REQUEST: tokens of its context, 1
 *	to SIMGPU_TRACE_CONTEXT_MAX; else 0
 * @repeat: how often it is done, one time after the other, at least 1; of kinds that take no
 *	time: 1
 * @reserved: zero
 * @amount: copies and SET: bytes, 1 to SIMGPU_TRACE_COPY_BYTES_MAX, from the allocation's base
 *	on, and from there again where it ends; DELAY: nanoseconds, 1 to
 *	SIMGPU_TRACE_DELAY_NS_MAX; STEP: tokens of context of each of its requests; REQUEST:
 *	tokens that it generates, both 1 to SIMGPU_TRACE_CONTEXT_MAX; else 0
 */
struct simgpu_trace_command {
	__u16 kind;
	__u16 queue;
	__u32 what;
	__u32 repeat;
	__u32 reserved;
	__u64 amount;
};

#endif /* _UAPI_LINUX_SIMGPU_TRACE_H */

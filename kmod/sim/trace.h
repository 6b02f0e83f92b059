/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A decoded trace, as the engine runs it. The file format is
 * include/uapi/linux/simgpu_trace.h; only trace_*.c know both.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <simgpu/fixed.h>
#include <simgpu/port.h>

#define TRACE_NAME_BYTES	32
#define TRACE_LOOP_DEPTH_MAX	4
#define TRACE_LINE_INDEX	0x03ffffffU
#define TRACE_LINE_PARTIAL	0x80000000U
/* From this bit on, a bit for each sector that the line's access does not touch. */
#define TRACE_LINE_SKIP_SHIFT	26
#define TRACE_SECTORS		4
#define TRACE_ALL_SECTORS	((1U << TRACE_SECTORS) - 1)
/* Memory is managed by the block. */
#define TRACE_MEMORY_BLOCK_BYTES	(2U << 20)
/* In consume_after: only the warp's end waits for the data. */
#define TRACE_NEVER		(1U << 30)

enum trace_op_kind {
	TRACE_END,
	TRACE_COMPUTE,
	TRACE_LOAD,
	TRACE_STORE,
	TRACE_ATOMIC,
	TRACE_SHARED,
	TRACE_BARRIER,
	TRACE_LOOP,
	TRACE_LOOP_END,
	TRACE_CONSTANT,
};

/* Units that execute instructions: &enum simgpu_trace_unit. */
enum trace_unit_id {
	TRACE_INTEGER,
	TRACE_FP32,
	TRACE_FP64,
	TRACE_SFU,
	TRACE_TENSOR,
	TRACE_SHARED_MEMORY,
	TRACE_CONTROL,
	TRACE_UNITS
};

/**
 * struct trace_unit - the speed of a unit of a GPU
 * @latency: core cycles from an instruction's issue to the issue of one that needs its
 *	result; at least 1
 * @interval: core cycles after which a scheduler may give the unit another
 *	instruction (the SM's shared memory: another pass); at least 1. A unit of 32
 *	lanes takes one cycle, one of 16 lanes two
 */
struct trace_unit {
	u16 latency;
	u16 interval;
};

/**
 * struct trace_op - one step of a warp program
 * @kind: &enum trace_op_kind; each program ends with TRACE_END. One that spins ends with a
 *	COMPUTE op, to which its TRACE_END goes back
 * @active_lanes: lanes of a warp instruction
 * @issue_cycles: COMPUTE without a mix and SHARED: core cycles an instruction
 * @after: other ops that issue: how many instructions before it the one is whose result
 *	it needs; 0: none
 * @count: instructions, trips or recorded lines, by kind
 * @pattern: index of a memory op's pattern
 * @mix: COMPUTE: 1 + index of its mix; 0: none
 * @body: LOOP_END: index of the first op within its loop; TRACE_END of a program that spins:
 *	1 + index of the op before it; of others 0
 * @consume_after: warp instructions that may issue before the warp waits for a load
 * @per: COMPUTE and SHARED: the number of instructions to which @slots and all
 *	later fields apply: @count or TRACE_PER_MAX, whichever is less; else 1
 * @slots: core cycles for which they hold their scheduler's issue slot: as many as
 *	there are instructions, or as the busiest unit needs
 * @span: core cycles from the first of them to the first instruction behind
 *	them, if the warp is alone and waits for no data; at least @slots
 * @shared_cycles: core cycles for which they hold the SM's shared memory
 * @shared_count: how many of them use shared memory
 */
struct trace_op {
	u8 kind;
	u8 active_lanes;
	union {
		u16 issue_cycles;
		u16 after;
	};
	u32 count;
	union {
		u32 pattern;
		u32 mix;
		u32 body;
	};
	u32 consume_after;
	u32 slots;
	u32 span;
	u32 shared_cycles;
	u16 shared_count;
	u16 per;
};

static inline bool trace_op_is_memory(const struct trace_op *op)
{
	return op->kind == TRACE_LOAD || op->kind == TRACE_STORE ||
	       op->kind == TRACE_ATOMIC || op->kind == TRACE_CONSTANT;
}

/* Warp instructions of one pass over an op */
static inline u32 trace_op_instructions(const struct trace_op *op)
{
	switch (op->kind) {
	case TRACE_COMPUTE:
	case TRACE_SHARED:
		return op->count;
	case TRACE_LOOP:
	case TRACE_LOOP_END:
		return 0;
	default:
		return 1;
	}
}

#define TRACE_PER_MAX		4096
/* Instructions of an op that spins, after which it begins again. */
#define TRACE_SPIN_COUNT	1024
/* In place of a number of thread instructions: the kernel has no end. */
#define TRACE_NO_END		U64_MAX

/** struct trace_mix - see &struct simgpu_trace_mix */
struct trace_mix {
	u32 first_instruction;
	u32 instruction_count;
};

/** struct trace_instruction - see &struct simgpu_trace_instruction */
struct trace_instruction {
	u8 unit;
	u8 passes;
	u16 after;
};

enum trace_pattern_kind {
	TRACE_AFFINE = 1,
	TRACE_RANDOM,
	TRACE_RECORDED,
};

/** struct trace_pattern - see &struct simgpu_trace_pattern */
struct trace_pattern {
	u32 kind;
	u32 access_bytes;
	u64 base;
	u64 region_bytes;
	s64 block_stride[3];
	s64 warp_stride;
	s64 lane_stride;
	s64 group_stride;
	s64 loop_stride[TRACE_LOOP_DEPTH_MAX];
	u64 xor_bytes;
	u32 xor_loop;
	u32 seed;
	u32 lines;
	u32 group_lanes;
};

/** struct trace_warp - the program of a recorded warp, and its first line */
struct trace_warp {
	u32 program;
	u32 first_line;
};

/** struct trace_profile - see &struct simgpu_trace_profile */
struct trace_profile {
	char config[TRACE_NAME_BYTES];
	u32 kernel;
	u32 sms;
	u32 first_point;
	u32 reserved;
	u64 blocks;
	u64 memory_bytes;
};

/** struct trace_point - see &struct simgpu_trace_point */
struct trace_point {
	u32 cycles;
	u32 bandwidth_ppm;
};

/* Queues that commands may name. */
#define TRACE_QUEUES_MAX	8
/* A place at which there is no command */
#define TRACE_NO_COMMAND	(~0U)
/* Requests that a step decodes together: SIMGPU_TRACE_BATCH_MAX */
#define TRACE_BATCH_MAX		64

/* What a command does: &enum simgpu_trace_command_kind. */
enum trace_command_kind {
	TRACE_COMMAND_KERNEL = 1,
	TRACE_COMMAND_COPY_IN,
	TRACE_COMMAND_COPY_OUT,
	TRACE_COMMAND_COPY,
	TRACE_COMMAND_SET,
	TRACE_COMMAND_RECORD,
	TRACE_COMMAND_WAIT,
	TRACE_COMMAND_DELAY,
	TRACE_COMMAND_MARK,
	TRACE_COMMAND_STEP,
	TRACE_COMMAND_REQUEST,
};

/* What a MARK ends: &enum simgpu_trace_mark. */
enum trace_mark {
	TRACE_MARK_LATENCY,
	TRACE_MARK_FIRST_TOKEN,
	TRACE_MARK_TOKEN,
	TRACE_MARK_REQUEST,
};

/**
 * struct trace_command - a step of a queue
 * @kind: &enum trace_command_kind
 * @queue: WAIT: the queue of the RECORD that it is for; its own without one
 * @unused: zero
 * @what: KERNEL: index of the kernel; WAIT: the place behind the RECORD, 0 without one; MARK:
 *	&enum trace_mark; STEP: requests that decode, 0 of a prefill; REQUEST: tokens of context
 * @repeat: how often it is done
 * @next_kernel: place of the next KERNEL behind it in its queue and request, or
 *	TRACE_NO_COMMAND
 * @line: copies and SET: first line of the allocation
 * @lines: copies and SET: lines of the allocation
 * @amount: copies and SET: bytes; DELAY: nanoseconds; STEP: tokens of context of each request;
 *	REQUEST: tokens that it generates
 * @rest_blocks: thread blocks of the kernels behind it in its queue and request
 */
struct trace_command {
	u8 kind;
	u8 queue;
	u16 unused;
	u32 what;
	u32 repeat;
	u32 next_kernel;
	u32 line;
	u32 lines;
	u64 amount;
	u64 rest_blocks;
};

/**
 * struct trace_record - the last RECORD of an event that the decoder has seen
 * @queue: its queue
 * @behind: the place behind it; 0: there was none
 */
struct trace_record {
	u32 queue;
	u32 behind;
};

/* Whether a run of a trace with requests, or with steps, ends here. */
static inline bool trace_command_ends_run(const struct trace_command *command)
{
	return command->kind == TRACE_COMMAND_STEP ||
	       (command->kind == TRACE_COMMAND_MARK && command->what == TRACE_MARK_REQUEST);
}

static inline bool trace_command_copies(const struct trace_command *command)
{
	return command->kind >= TRACE_COMMAND_COPY_IN && command->kind <= TRACE_COMMAND_SET;
}

/** struct trace_span - bytes of a tenant's memory, from @first up to @end */
struct trace_span {
	u64 first;
	u64 end;
};

/**
 * struct trace_found - the GPU for which trace_find_profiles() was called last
 * @config: name of its configuration; "": it was not called
 * @sms: its SMs
 * @whole: index of the first kernel from which on all have a profile
 */
struct trace_found {
	char config[TRACE_NAME_BYTES];
	u32 sms;
	u32 whole;
};

/** struct trace_row - see &struct simgpu_trace_row */
struct trace_row {
	u32 end;
	u32 first_run;
	u32 run_count;
};

/** struct trace_run - see &struct simgpu_trace_run */
struct trace_run {
	u32 end;
	u32 block;
};

/**
 * struct trace_kernel - one kernel
 * @name: for people
 * @grid: thread blocks in x, y, z
 * @blocks: their product
 * @block_threads: threads of a thread block
 * @block_warps: warps of a thread block
 * @registers_per_thread: 32-bit registers
 * @shared_bytes: shared memory of a thread block
 * @programs: index of the first op of each of its programs
 * @warps: its warp table, or NULL: every warp runs programs[0]
 * @sample_n: thread blocks for each that was recorded
 * @row_count: rows that say which thread blocks share entries; 0: no block does
 * @rows: rows of the kernel
 * @runs: runs of the whole trace
 * @instructions: thread instructions of all its warps
 * @rest_blocks: thread blocks of the kernel and of those behind it in the trace
 */
struct trace_kernel {
	char name[TRACE_NAME_BYTES];
	u32 grid[3];
	u32 blocks;
	u32 block_threads;
	u32 block_warps;
	u32 registers_per_thread;
	u32 shared_bytes;
	const u32 *programs;
	const struct trace_warp *warps;
	u32 sample_n;
	u32 row_count;
	const struct trace_row *rows;
	const struct trace_run *runs;
	u64 instructions;
	u64 rest_blocks;
};

/**
 * struct trace - a decoded trace; constant once made, but for what trace_time() and
 *	trace_find_profiles() set
 * @name: from the header
 * @checksum: from the header; with @bytes it names the trace in a journal
 * @kernel_count: number of kernels
 * @period: see trace_period()
 * @period_instructions: thread instructions of so many kernels
 * @bytes: size of the encoded trace
 * @memory_bytes: size of the decoded trace, this struct included
 * @footprint_bytes: device memory that it touches
 * @kernels: in launch order
 * @op_count: number of ops, with a TRACE_END behind each program; the last program is one that
 *	the trace does not have, of warps that are made to spin
 * @spin: index of the first op of that program
 * @spins: whether a program of the trace spins, so that kernels may have no end
 * @timed_for: the units for which trace_time() was called last
 * @ops: ops of all programs
 * @mixes: mixes of COMPUTE ops
 * @instructions: instructions of the mixes
 * @patterns: patterns of memory ops
 * @lines: recorded lines, with TRACE_LINE_PARTIAL and the bits from TRACE_LINE_SKIP_SHIFT
 * @profiles: by configuration, then by kernel
 * @profile_count: number of profiles
 * @points: points of profiles
 * @found: for which GPU the next two are
 * @of_kernel: by kernel, 1 + the first of its points; 0: the GPU has no profile of it
 * @rest: points of all kernels from one on, from the last kernel backwards
 * @rest_points: points of each kernel in @rest
 * @managed: memory that a launch makes managed, in whole blocks, in ascending order; the last
 *	one may end behind the footprint
 * @managed_count: number of these
 * @commands: by queue, then in the order in which they are done
 * @command_count: number of these; 0: the kernels run in the order of their section
 * @queue_first: by queue, the place of its first command; last the number of commands
 * @queues: queues that a launch takes, a bit each: those that commands name, and the first.
 *	0 without commands
 * @request_first: by request, or by step, the place of its first command; last the place behind
 *	the last one, from which on a trace with steps has its REQUESTs
 * @request_count: requests or steps, of which a run does one; 0: a run does all commands
 * @batch_most: requests that a step decodes together at most; 0: the trace has no steps
 * @marks: whether there is a MARK of latencies
 * @tokens: whether there is one of tokens
 * @copies: whether there is a copy or a SET
 */
struct trace {
	char name[TRACE_NAME_BYTES];
	u32 checksum;
	u32 kernel_count;
	u32 period;
	u64 period_instructions;
	u64 bytes;
	u64 memory_bytes;
	u64 footprint_bytes;
	const struct trace_kernel *kernels;
	u64 op_count;
	u32 spin;
	bool spins;
	struct trace_unit *timed_for;
	struct trace_op *ops;
	const struct trace_mix *mixes;
	const struct trace_instruction *instructions;
	const struct trace_pattern *patterns;
	const u32 *lines;
	const struct trace_profile *profiles;
	u64 profile_count;
	const struct trace_point *points;
	struct trace_found *found;
	u32 *of_kernel;
	struct trace_point *rest;
	u64 rest_points;
	const struct trace_span *managed;
	u32 managed_count;
	const struct trace_command *commands;
	u32 command_count;
	u32 queue_first[TRACE_QUEUES_MAX + 1];
	u32 queues;
	const u32 *request_first;
	u32 request_count;
	u32 batch_most;
	bool marks;
	bool tokens;
	bool copies;
};

/* The STEP of a trace that has steps; @step is its number */
static inline const struct trace_command *trace_step(const struct trace *trace, u32 step)
{
	return &trace->commands[trace->request_first[step + 1] - 1];
}

/* REQUESTs of a trace that has steps */
static inline u32 trace_requests(const struct trace *trace)
{
	return trace->command_count - trace->request_first[trace->request_count];
}

/* The REQUEST for the request that comes after so many others */
static inline const struct trace_command *trace_request(const struct trace *trace, u64 request)
{
	return &trace->commands[trace->request_first[trace->request_count] +
				request % trace_requests(trace)];
}

/* Thread blocks that a KERNEL runs, all repeats together */
static inline u64 trace_command_blocks(const struct trace *trace,
				       const struct trace_command *command)
{
	return (u64)trace->kernels[command->what].blocks * command->repeat;
}

/**
 * struct trace_error - why a trace was refused
 * @offset: bytes from its start to the field
 * @field: the field's name, such as "kernels[2].grid"
 * @reason: a few words, such as "is zero"
 */
struct trace_error {
	u64 offset;
	char field[64];
	char reason[64];
};

/**
 * trace_check_start() - validate what needs no memory: header, patterns and kernels
 * @bytes: the trace, 8-byte aligned; it may come from any process
 * @count: its size in bytes
 * @scratch_bytes: set to what trace_check_finish() needs; bounded by @count, as each
 *	program has an op
 * @error: filled in on failure
 *
 * Return: as trace_check().
 */
int trace_check_start(const void *bytes, u64 count, u64 *scratch_bytes,
		      struct trace_error *error);

/**
 * trace_check_finish() - validate the rest
 * @bytes: what trace_check_start() accepted, unchanged since
 * @count: its size in bytes
 * @scratch: 8-byte aligned, as many bytes as trace_check_start() said; zeroed
 * @memory_bytes: set to what trace_decode() needs
 * @error: filled in on failure
 *
 * Return: as trace_check().
 */
int trace_check_finish(const void *bytes, u64 count, void *scratch,
		       u64 *memory_bytes, struct trace_error *error);

/**
 * trace_check() - validate an encoded trace to its last field
 * @bytes: the trace, 8-byte aligned; it may come from any process
 * @count: its size in bytes
 * @memory_bytes: set to what trace_decode() needs
 * @error: filled in on failure
 *
 * Time is linear in @count.
 *
 * Return: 0; -EINVAL for a malformed trace; -E2BIG for one beyond a limit of
 * the format.
 */
int trace_check(const void *bytes, u64 count, u64 *memory_bytes,
		struct trace_error *error);

/**
 * trace_decode() - make a runnable trace of a checked one
 * @bytes: what trace_check() accepted, unchanged since
 * @memory: 8-byte aligned, as many bytes as trace_check() said; zeroed
 *
 * The result points into @memory only; @bytes may be freed.
 *
 * Return: the trace, at the start of @memory.
 */
struct trace *trace_decode(const void *bytes, void *memory);

/**
 * struct trace_copy - a copy that is no part of a program
 * @offset: first byte in the tenant's space, a multiple of 4096
 * @bytes: how many, at least 1
 * @kind: TRACE_COMMAND_COPY_IN to _SET; 0: there is none
 * @unused: zero
 */
struct trace_copy {
	u64 offset;
	u64 bytes;
	u32 kind;
	u32 unused;
};

/* Size of the encoded trace of such a copy. */
#define TRACE_COPY_BYTES	544

/**
 * trace_copy_check() - whether there can be such a copy
 * @copy: the copy
 *
 * Return: 0; -EINVAL for a value out of its range; -E2BIG if it reaches past the space.
 */
int trace_copy_check(const struct trace_copy *copy);

/**
 * trace_make_copy() - encode a copy as a trace whose only command it is
 * @copy: what trace_copy_check() accepts
 * @memory: 8-byte aligned; TRACE_COPY_BYTES, set to a trace that trace_check() accepts
 */
void trace_make_copy(const struct trace_copy *copy, void *memory);

/**
 * trace_time() - compute how long a warp alone takes for each op on a GPU, unless
 *	the last call was for the same units
 * @trace: a decoded trace, which no GPU with other units runs
 * @units: units of the GPU that will run it, by &enum trace_unit_id
 *
 * Sets @slots and later fields of &struct trace_op. gpu_kernel_start() calls it; a
 * caller that cannot afford the time then calls it before. Time is linear in what
 * trace_check() accepts.
 */
void trace_time(const struct trace *trace, const struct trace_unit *units);

/**
 * trace_warp() - the program and first line of a warp, for a kernel with a warp table
 * @kernel: the kernel
 * @block: number of its thread block, x + grid.x * (y + grid.y * z)
 * @warp: number of the warp in the thread block
 *
 * Return: the entry of the table.
 */
const struct trace_warp *trace_warp(const struct trace_kernel *kernel, u32 block,
				    u32 warp);

/* Most spans that trace_reach() tells apart. */
#define TRACE_SPANS_MAX	8

/**
 * trace_reach() - the memory that a kernel may access
 * @trace: a decoded trace
 * @kernel: index of the kernel
 * @span: spans that do not overlap, TRACE_SPANS_MAX at most, to which its own are added
 * @count: how many there are already
 *
 * No access lies outside, but not all inside need be accessed: a kernel with a warp table
 * may access all of the trace's footprint, and spans with less than 2 MiB between them
 * become one. Time is linear in the ops of the kernel's program.
 *
 * Return: how many there are now.
 */
u32 trace_reach(const struct trace *trace, u32 kernel, struct trace_span *span, u32 count);

/**
 * trace_is_timed() - whether trace_time() was called last for these units
 * @trace: a decoded trace
 * @units: units of a GPU
 *
 * Return: whether it was.
 */
bool trace_is_timed(const struct trace *trace, const struct trace_unit *units);

/**
 * trace_find_profiles() - look up the profiles of all kernels for a GPU, and add up those
 *	of what remains of a launch, unless the last call was for the same GPU
 * @trace: a decoded trace that nobody else looks at meanwhile
 * @config: name of the GPU's configuration
 * @sms: its SMs
 *
 * It makes trace_profile() and trace_rest() fast for that GPU. Time is quadratic in the
 * number of kernels, of which a trace has 1,024 at most.
 */
void trace_find_profiles(const struct trace *trace, const char *config, u32 sms);

/**
 * trace_profiles_are_found() - whether trace_find_profiles() has nothing to do for a GPU
 * @trace: a decoded trace
 * @config: name of the GPU's configuration
 * @sms: its SMs
 *
 * Return: whether it has nothing to do.
 */
bool trace_profiles_are_found(const struct trace *trace, const char *config,
			      u32 sms);

/**
 * trace_profile() - the speed of a kernel on each number of SMs
 * @trace: a decoded trace
 * @config: name of the GPU's configuration
 * @sms: its SMs
 * @kernel: index of the kernel
 *
 * Return: @sms points, from one SM on; NULL if the trace has no profile of the
 * kernel for that GPU.
 */
const struct trace_point *trace_profile(const struct trace *trace,
					const char *config, u32 sms, u32 kernel);

/**
 * trace_rest() - the speed of a kernel and all that follow it in the trace, one after the
 *	other
 * @trace: a decoded trace
 * @config: name of the GPU's configuration
 * @sms: its SMs
 * @kernel: index of the first kernel
 * @out: set to @sms points, from one SM on
 *
 * Return: false if one of the kernels has no profile for that GPU; @out is unchanged.
 */
bool trace_rest(const struct trace *trace, const char *config, u32 sms, u32 kernel,
		struct trace_point *out);

/* Longer periods than this are not looked for. */
#define TRACE_PERIOD_MAX	64

/**
 * trace_period() - after how many kernels a trace does the same again
 * @trace: decoded
 *
 * Kernels are the same if their sizes and programs are; recorded warps are taken to differ.
 *
 * Return: a divisor of the number of kernels; that number itself if no shorter period is
 * found.
 */
u32 trace_period(const struct trace *trace);

/* Whether two ops of a trace do the same; of a memory op, with the same pattern. */
bool trace_same_op(const struct trace *trace, const struct trace_op *a,
		   const struct trace_op *b);

/**
 * struct trace_trips - the loop in which a warp does nearly all of its work
 * @first: index of its first op
 * @depth: loops of which each has nothing but the next one: their trips are counted together
 * @ops: ops of a trip, the loops within it included
 * @nests: how many such loops follow each other, with trips that are alike
 * @trips: trips of all of them; 0: a warp has no such loop
 * @warp_instructions: of a trip
 * @thread_instructions: of a trip
 * @accesses: random accesses of a trip
 */
struct trace_trips {
	u32 first;
	u32 depth;
	u32 ops;
	u32 nests;
	u64 trips;
	u64 warp_instructions;
	u64 thread_instructions;
	u32 accesses;
};

/**
 * trace_trips() - find the loop in which the warps of a kernel do nearly all of their work
 * @trace: decoded
 * @kernel: of the trace. Recorded warps are taken to have none
 * @out: filled in; its @trips is 0 if there is none
 *
 * The loop has at least 16 trips and seven eighths of the instructions. Time is linear in
 * the program, of which no more than some thousand ops are searched.
 */
void trace_trips(const struct trace *trace, const struct trace_kernel *kernel,
		 struct trace_trips *out);

/* Ops from the first one of a nest to the first one of the next. */
static inline u32 trace_nest_ops(const struct trace_trips *trips)
{
	return trips->ops + 2 * trips->depth;
}

/* Trips of one of the nests */
static inline u64 trace_nest_trips(const struct trace_trips *trips,
				   const struct trace_op *ops, u32 nest)
{
	const struct trace_op *loop = &ops[trips->first + nest * trace_nest_ops(trips)];
	u64 count = 1;
	u32 i;

	for (i = 0; i < trips->depth; i++)
		count = fixed_mul(count, loop[i].count);
	return count;
}

/* Thread instructions of a warp, on the average of its kernel */
static inline u64 trace_warp_instructions(const struct trace_kernel *kernel)
{
	return kernel->instructions / kernel->blocks / kernel->block_warps;
}

#endif /* SIM_TRACE_H */

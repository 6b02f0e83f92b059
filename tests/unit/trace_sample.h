/* SPDX-License-Identifier: GPL-2.0 */
/* A trace with every section and kind of op, to be broken field by field. */
#ifndef TESTS_TRACE_SAMPLE_H
#define TESTS_TRACE_SAMPLE_H

#include "../../kmod/sim/trace.h"
#include "../../userspace/workloads/builder.h"

/*
 * The sample: its file is this struct. Kernel 0 has affine patterns, 1 random
 * ones, 2 recorded lines, and 3 runs as 2 does, from the same programs and
 * warps. Kernel 4 has a 4x3 grid whose warps are told by rows and runs: all of
 * row 0, and the first of each other row, run program 0, the others program 1,
 * which touches what lies a row further up. Of kernel 5, one of three thread
 * blocks was recorded; kernel 6 has no rows, and two of its five.
 */
struct sample {
	struct simgpu_trace_header header;
	struct simgpu_trace_kernel kernels[7];
	struct simgpu_trace_program programs[6];
	struct simgpu_trace_op ops[20];
	struct simgpu_trace_pattern patterns[6];
	struct simgpu_trace_warp warps[11];
	__u32 lines[8];
	struct simgpu_trace_weight weights[2];
	struct simgpu_trace_row rows[4];
	struct simgpu_trace_run runs[6];
	struct simgpu_trace_mix mixes[2];
	struct simgpu_trace_instruction instructions[4];
};

enum { AFFINE, SHUFFLED, RANDOM, RECORDED, PLAIN, UPWARD };
enum { GRID_KERNEL = 4, SAMPLED_KERNEL, TABLE_KERNEL };

/* Where ops are in the sample. */
enum {
	LOOP, LOAD, COMPUTE, SHARED, STORE, LOOP_END, BARRIER,
	RANDOM_LOAD, RANDOM_ATOMIC,
	RECORDED_LOAD, RECORDED_COMPUTE,
	RECORDED_LOOP, RECORDED_STORE, RECORDED_LOOP_END,
	LAST_COMPUTE, LAST_STORE, LAST_CONSTANT,
	EDGE_COMPUTE, INNER_LOAD, INNER_COMPUTE,
};

/* A good one, which the caller frees; builder_seal() repairs its checksum. */
struct sample *sample_new(void);
/* Set an op; set which ops a program has. */
void sample_op(struct sample *s, u32 index, u8 kind, u32 count, u32 pattern);
void sample_program(struct sample *s, u32 index, u32 first, u32 last);

/*
 * A file of @count bytes is good, for a @code of 0, or is refused, and both by name. Who
 * fails says the @line.
 */
void expect_verdict(const void *bytes, u64 count, int code, const char *field,
		    const char *reason, int line);
/* Likewise what a builder has, which is freed, with @patch applied to it unless NULL. */
void expect_built(struct builder *b, void (*patch)(void *file), int code,
		  const char *field, const char *reason, int line);

#endif /* TESTS_TRACE_SAMPLE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a trace says that a warp does, op by op: loops unrolled, addresses
 * coalesced. It reads the trace format by itself and shares no code with the
 * recorder or the engine, so that it can judge both.
 */
#ifndef TEST_RECORDER_EXPAND_H
#define TEST_RECORDER_EXPAND_H

#include <linux/simgpu_trace.h>
#include <stdbool.h>
#include <stddef.h>

struct trace_file {
	unsigned char *bytes;
	size_t size;
	const struct simgpu_trace_header *header;
	const struct simgpu_trace_kernel *kernels;
	const struct simgpu_trace_program *programs;
	const struct simgpu_trace_op *ops;
	const struct simgpu_trace_pattern *patterns;
	const struct simgpu_trace_warp *warps;
	const __u32 *lines;
	const struct simgpu_trace_weight *weights;
	const struct simgpu_trace_row *rows;
	const struct simgpu_trace_run *runs;
	const struct simgpu_trace_mix *mixes;
	const struct simgpu_trace_instruction *instructions;
};

/* Find the sections; nothing is checked. */
bool open_trace(struct trace_file *trace);
/* 0 for a section that the file's version does not have. */
__u64 section_count(const struct trace_file *trace, int id);

/**
 * struct step - one op of a warp
 * @op: memory ops count their lines, and none has a pattern or a mix
 * @mix: of compute ops with a mix, its instructions
 * @mix_length: how many
 * @lines: of memory ops, with SIMGPU_TRACE_LINE_SKIP, and
 *	SIMGPU_TRACE_LINE_PARTIAL for stores
 */
struct step {
	struct simgpu_trace_op op;
	const struct simgpu_trace_instruction *mix;
	__u32 mix_length;
	__u32 lines[32];
};

/**
 * struct steps - what a warp does
 * @most: more are left out; 0: none are
 */
struct steps {
	struct step *steps;
	size_t count;
	size_t room;
	size_t most;
};

/* The errors of what the validator of traces must not let pass. */
extern const char past_footprint[];
extern const char past_mixes[];

__u64 blocks_of(const struct simgpu_trace_kernel *kernel);
__u32 warps_of(const struct simgpu_trace_kernel *kernel);
bool is_memory(const struct simgpu_trace_op *op);

/**
 * expand_warp() - all that a warp does
 * @steps: replaced; for free_steps()
 *
 * Return: NULL, or what is wrong with the trace.
 */
const char *expand_warp(const struct trace_file *trace,
			const struct simgpu_trace_kernel *kernel, __u64 block,
			__u32 warp, struct steps *steps);
void free_steps(struct steps *steps);
/* Whether two steps, of one trace or of two, are the same. */
bool is_same_step(const struct step *a, const struct step *b);

#endif /* TEST_RECORDER_EXPAND_H */

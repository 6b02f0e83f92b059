/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A warp's instructions as the ops of a trace program, with the dependences of each
 * instruction.
 */
#ifndef ACCELSIM_WARP_H
#define ACCELSIM_WARP_H

#include <stddef.h>
#include <linux/simgpu_trace.h>

#include "../workloads/builder.h"
#include "../workloads/burst.h"
#include "instruction.h"

/**
 * struct pending - a load whose data has not been used yet
 * @op: its op
 * @at: number of its warp instruction, from 0
 * @ready: nominal cycle at which its data comes
 * @group: for a copy to shared memory, number of its group of copies; else unused
 */
struct pending {
	size_t op;
	uint64_t at;
	uint64_t ready;
	uint32_t group;
};

/**
 * struct writer - the arithmetic instruction that wrote a register last
 * @at: number of the instruction, from 1; 0: there is none
 * @ready: nominal cycle of its result
 * @latency: its nominal latency, in cycles
 */
struct writer {
	uint64_t at;
	uint64_t ready;
	uint32_t latency;
};

/**
 * struct warp_ops - the ops so far
 * @builder: takes the mixes
 * @instructions: warp instructions
 * @cycle: nominal cycle in which the last one issued, see warp.c
 * @loaded: by register: 1 + index in @loads of the load that writes it, or 0
 * @written: by register, its last writer
 * @loads: loads that no instruction has waited for yet
 * @first_copy: index in @loads of the first that may be an unsettled copy
 * @groups: groups of copies that are closed
 * @burst: arithmetic and shared-memory instructions that are not in an op yet
 * @burst_lanes: their lanes
 * @mixed: instructions of mixes that the ops name, for SIMGPU_TRACE_MIXED_MAX
 * @failed: memory has run out
 */
struct warp_ops {
	struct builder *builder;
	struct simgpu_trace_op *ops;
	size_t count;
	size_t room;
	uint64_t instructions;
	uint64_t cycle;
	struct pending *loads;
	size_t load_count;
	size_t load_room;
	size_t first_copy;
	uint32_t groups;
	size_t loaded[256];
	struct writer written[256];
	struct simgpu_trace_instruction burst[BURST_MAX];
	size_t burst_count;
	uint32_t burst_lanes;
	uint64_t mixed;
	int failed;
};

void warp_begin(struct warp_ops *warp, struct builder *builder);

/**
 * warp_add() - add an instruction
 * @lines: recorded lines that it touches, 0 if it touches none
 *
 * Instructions without an active lane are not issued and leave no op.
 */
void warp_add(struct warp_ops *warp, const struct instruction *instruction,
	      uint32_t lines);

/* Ends the warp: settles bursts and loads that are open. */
void warp_end(struct warp_ops *warp);

void warp_free(struct warp_ops *warp);

#endif /* ACCELSIM_WARP_H */

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

/* Most lines of an op. */
#define OP_LINES_MAX	32
/* Most groups of products that a warp may have under way behind a wait. */
#define PRODUCT_GROUPS	8
/* Barriers in shared memory that are told apart in a warp, of those that copies complete. */
#define BARRIERS_MAX	64

/**
 * struct pending - a load whose data has not been used yet
 * @op: its op
 * @at: number of its warp instruction, from 0
 * @ready: nominal cycle at which its data comes
 * @group: for a copy to shared memory, number of its group of copies; else unused
 * @next: of what completes a barrier, 1 + index of the load before it that does, or 0
 */
struct pending {
	size_t op;
	uint64_t at;
	uint64_t ready;
	uint32_t group;
	size_t next;
};

/**
 * struct barrier - a barrier in shared memory that copies complete
 * @address: where it lies in the thread block's shared memory
 * @last: 1 + index of its last copy that was not waited for there, or 0
 */
struct barrier {
	uint32_t address;
	size_t last;
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
 * @first_alone: index in @loads of the first that may be a copy of no barrier
 * @barriers: barriers that copies complete, @barrier_count of them
 * @product_group: by number modulo PRODUCT_GROUPS, the last product of each group
 * @product_groups: groups of products that are closed
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
	size_t first_alone;
	struct barrier barriers[BARRIERS_MAX];
	uint32_t barrier_count;
	struct writer product_group[PRODUCT_GROUPS];
	uint64_t product_groups;
	size_t loaded[REGISTERS];
	struct writer written[REGISTERS];
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
 * Instructions without an active lane are not issued and leave no op. A bulk copy becomes
 * an op of one lane for every OP_LINES_MAX lines, which issues as one instruction.
 */
void warp_add(struct warp_ops *warp, const struct instruction *instruction,
	      uint32_t lines);

/* Ends the warp: settles bursts and loads that are open. */
void warp_end(struct warp_ops *warp);

void warp_free(struct warp_ops *warp);

#endif /* ACCELSIM_WARP_H */

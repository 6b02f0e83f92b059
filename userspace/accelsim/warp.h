/* SPDX-License-Identifier: GPL-2.0 */
/* A warp's instructions as the ops of a trace program. */
#ifndef ACCELSIM_WARP_H
#define ACCELSIM_WARP_H

#include <stddef.h>
#include <linux/simgpu_trace.h>

#include "instruction.h"

/**
 * struct pending - a load whose data nobody has used yet
 * @op: its op
 * @at: its warp instruction, from 0
 */
struct pending {
	size_t op;
	uint64_t at;
};

/**
 * struct warp_ops - the ops so far
 * @instructions: warp instructions
 * @loaded: by register: 1 + index in @loads of what will write it, or 0
 * @loads: loads that are waited for by nothing yet
 * @failed: memory has run out
 */
struct warp_ops {
	struct simgpu_trace_op *ops;
	size_t count;
	size_t room;
	uint64_t instructions;
	struct pending *loads;
	size_t load_count;
	size_t load_room;
	size_t loaded[256];
	int failed;
};

void warp_begin(struct warp_ops *warp);

/**
 * warp_add() - add an instruction
 * @lines: recorded lines that it touches, 0 if it touches none
 *
 * Instructions without an active lane are not issued and leave no op.
 */
void warp_add(struct warp_ops *warp, const struct instruction *instruction,
	      uint32_t lines);

/* The last instruction was added: loads that nothing uses are settled. */
void warp_end(struct warp_ops *warp);

void warp_free(struct warp_ops *warp);

#endif /* ACCELSIM_WARP_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The kind of each SASS opcode, and the unit that executes it. */
#ifndef ACCELSIM_OPCODES_H
#define ACCELSIM_OPCODES_H

#include <stdbool.h>
#include <stdint.h>

enum instruction_kind {
	INSTRUCTION_COMPUTE,
	INSTRUCTION_LOAD,
	INSTRUCTION_STORE,
	INSTRUCTION_ATOMIC,
	INSTRUCTION_SHARED,
	INSTRUCTION_CONSTANT,
	INSTRUCTION_BARRIER,
	INSTRUCTION_COPY,	/* from global to shared memory (LDGSTS) */
	INSTRUCTION_GROUP,	/* makes the copies so far a group (LDGDEPBAR) */
	INSTRUCTION_WAIT,	/* waits for such groups (DEPBAR) */
	INSTRUCTION_PRODUCT,	/* of matrices, of four warps together (HGMMA) */
	INSTRUCTION_PRODUCT_WAIT,	/* waits for groups of products (WARPGROUP.DEPBAR) */
	INSTRUCTION_PHASE,	/* waits at a barrier in shared memory (SYNCS.PHASECHK) */
	INSTRUCTION_ARRIVE,	/* such a barrier gets the copies so far (ARRIVES.LDGSTSBAR) */
	INSTRUCTION_MARKER,	/* of the tracer, nothing that a GPU executes */
};

/**
 * struct opcode - an opcode
 * @name: name without modifiers
 * @kind: &enum instruction_kind with addresses; without addresses, a memory instruction
 *	counts as arithmetic
 * @unit: &enum simgpu_trace_unit, unless it is an access to global memory
 * @bulk: whether the tensor memory accelerator executes it, and a trace has the addresses
 *	in the form of struct bulk
 */
struct opcode {
	const char *name;
	uint8_t kind;
	uint8_t unit;
	bool bulk;
};

/* Finds an opcode with or without modifiers ("LDG.E.64"); NULL if it is unknown. */
const struct opcode *opcode_find(const char *text);

#endif /* ACCELSIM_OPCODES_H */

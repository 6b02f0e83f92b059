/* SPDX-License-Identifier: GPL-2.0 */
/* What each SASS opcode does, and which unit does it. */
#ifndef ACCELSIM_OPCODES_H
#define ACCELSIM_OPCODES_H

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
	INSTRUCTION_GROUP,	/* the copies so far are a group (LDGDEPBAR) */
	INSTRUCTION_WAIT,	/* for such groups (DEPBAR) */
};

/**
 * struct opcode - an opcode
 * @name: without modifiers
 * @kind: &enum instruction_kind of what has addresses; those of memory are
 *	arithmetic without them
 * @unit: &enum simgpu_trace_unit of what is no access to global memory
 */
struct opcode {
	const char *name;
	uint8_t kind;
	uint8_t unit;
};

/* Of a text with or without modifiers ("LDG.E.64"); NULL if it is not known. */
const struct opcode *opcode_find(const char *text);

#endif /* ACCELSIM_OPCODES_H */

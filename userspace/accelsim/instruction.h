/* SPDX-License-Identifier: GPL-2.0 */
/* One line of an Accel-Sim trace: a warp instruction. */
#ifndef ACCELSIM_INSTRUCTION_H
#define ACCELSIM_INSTRUCTION_H

#include <stdint.h>

#define WARP_LANES		32
#define INSTRUCTION_REGISTERS	8
#define OPCODE_BYTES		64

/* What a trace's instruction lines look like, by its header. */
struct dialect {
	uint32_t tracer_version;
	uint32_t lineinfo;
};

enum instruction_kind {
	INSTRUCTION_COMPUTE,
	INSTRUCTION_LOAD,
	INSTRUCTION_STORE,
	INSTRUCTION_ATOMIC,
	INSTRUCTION_SHARED,
	INSTRUCTION_CONSTANT,
	INSTRUCTION_BARRIER,
};

/**
 * struct instruction - a warp instruction
 * @kind: &enum instruction_kind, by the opcode and the addresses
 * @mask: active lanes
 * @lanes: how many
 * @issue_cycles: core cycles that it holds an issue slot
 * @width: bytes that a lane touches
 * @dests: registers that it writes
 * @sources: registers that it reads
 * @address: of each active lane, in order of lanes; as many as @lanes, or none
 */
struct instruction {
	uint32_t kind;
	uint32_t mask;
	uint32_t lanes;
	uint32_t issue_cycles;
	uint32_t width;
	uint32_t dest_count;
	uint32_t source_count;
	uint32_t addresses;
	uint8_t dest[INSTRUCTION_REGISTERS];
	uint8_t source[INSTRUCTION_REGISTERS];
	uint64_t address[WARP_LANES];
	char opcode[OPCODE_BYTES];
};

/**
 * instruction_parse() - read an instruction line
 * @line: the text, which is cut into words
 * @out: set
 *
 * Return: NULL, or what is wrong in a few words.
 */
const char *instruction_parse(char *line, const struct dialect *dialect,
			      struct instruction *out);

#endif /* ACCELSIM_INSTRUCTION_H */

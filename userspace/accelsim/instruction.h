/* SPDX-License-Identifier: GPL-2.0 */
/* One line of an Accel-Sim trace: a warp instruction. */
#ifndef ACCELSIM_INSTRUCTION_H
#define ACCELSIM_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "opcodes.h"

#define WARP_LANES		32
#define INSTRUCTION_REGISTERS	8
#define OPCODE_BYTES		64

/* The form of a trace's instruction lines, by its header. */
struct dialect {
	uint32_t tracer_version;
	uint32_t lineinfo;
};

/**
 * struct instruction - a warp instruction
 * @kind: &enum instruction_kind, by the opcode and the addresses
 * @mask: active lanes
 * @lanes: number of active lanes
 * @unit: &enum simgpu_trace_unit; not used for an access to global memory
 * @is_known: whether the table of opcodes has its opcode; else it counts as an
 *	integer instruction
 * @width: bytes that a lane touches
 * @dests: registers that it writes
 * @sources: registers that it reads
 * @immediate: the number behind its addresses, 0 if there is none
 * @address: address of each active lane, in order of lanes; @lanes of them, or none
 */
struct instruction {
	uint32_t kind;
	uint32_t mask;
	uint32_t lanes;
	uint32_t unit;
	bool is_known;
	uint32_t width;
	uint32_t dest_count;
	uint32_t source_count;
	uint32_t addresses;
	int64_t immediate;
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
 * Return: NULL, or in a few words what is wrong.
 */
const char *instruction_parse(char *line, const struct dialect *dialect,
			      struct instruction *out);

#endif /* ACCELSIM_INSTRUCTION_H */

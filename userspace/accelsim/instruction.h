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

/* First binary version (compute capability times 10) that has more than 63 uniform registers. */
#define BINARY_BLACKWELL	100

/* The form of a trace's instruction lines, by its header. */
struct dialect {
	uint32_t tracer_version;
	uint32_t lineinfo;
	uint32_t binary_version;
};

/**
 * enum register_kind - the registers that an instruction names
 *
 * The number of a register is kind * REGISTERS_OF_KIND + the number in its name.
 */
enum register_kind {
	REGISTER_LANE,		/* R, one a lane */
	REGISTER_UNIFORM,	/* UR, one a warp */
	REGISTER_PREDICATE,	/* P */
	REGISTER_UNIFORM_PREDICATE,	/* UP */
	REGISTER_KINDS
};

#define REGISTERS_OF_KIND	256
#define REGISTERS		(REGISTER_KINDS * REGISTERS_OF_KIND)
/* In each kind, the one that reads as zero or as true, and ignores what is written to it. */
#define REGISTER_ZERO		(REGISTERS_OF_KIND - 1)

/* Most bytes of a transfer: it lies in shared memory. */
#define TRANSFER_BYTES_MAX	(256U << 10)

/**
 * struct bulk - a bulk copy of the tensor memory accelerator
 * @text: rest of the line, from its first address on; it lives as long as the line
 * @count: transfers that are listed; 0: there is no bulk copy, or nothing of it lies inside
 *	the tensor
 * @width: bytes of a transfer
 * @base: address of the first transfer, if @is_delta
 * @is_delta: whether @text has differences, one less than @count; else addresses
 * @is_lost: the tracer wrote a single transfer without its address
 * @barrier: address in shared memory of the barrier that the data's arrival completes
 */
struct bulk {
	char *text;
	uint32_t count;
	uint32_t width;
	uint64_t base;
	bool is_delta;
	bool is_lost;
	uint32_t barrier;
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
 * @dest: registers that it writes, @dest_count of them, numbered as in &enum register_kind
 * @source: registers that it reads
 * @immediate: the number behind its addresses, 0 if there is none
 * @ends_group: of an INSTRUCTION_PRODUCT: the products so far become a group
 * @columns: of an INSTRUCTION_PRODUCT: columns of the product, N of MxNxK; 0: unknown
 * @barrier_threads: of an INSTRUCTION_BARRIER: threads that it is for; 0: all
 * @bulk: the addresses of a bulk copy
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
	bool ends_group;
	uint32_t columns;
	uint32_t barrier_threads;
	struct bulk bulk;
	uint16_t dest[INSTRUCTION_REGISTERS];
	uint16_t source[INSTRUCTION_REGISTERS];
	uint64_t address[WARP_LANES];
	char opcode[OPCODE_BYTES];
};

/* Whether an instruction of a kind accesses global memory: without addresses it has another. */
bool needs_addresses(uint32_t kind);

/**
 * instruction_parse() - read an instruction line
 * @line: the text, which is cut into words, up to the addresses of a bulk copy
 * @out: set
 *
 * Return: NULL, or in a few words what is wrong.
 */
const char *instruction_parse(char *line, const struct dialect *dialect,
			      struct instruction *out);

#endif /* ACCELSIM_INSTRUCTION_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Reading an Accel-Sim instruction line:
 *
 *   [tbx tby tbz warp] [line] PC MASK ND Rn*ND OPCODE NS Rn*NS MW [addresses] [IMM]
 *
 * The first group is there before tracer version 3, the source line with lineinfo
 * 1. Addresses follow if MW is above 0: "0" and an address for each lane; "1", base and
 * stride; or "2", base and the difference of each lane to the one before it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <linux/simgpu_trace.h>

#include "instruction.h"

enum { LIST_ALL, BASE_STRIDE, BASE_DELTA };

/* The words of a line, which are taken one after the other. */
struct words {
	char *rest;
};

static const char *next_word(struct words *words)
{
	return strtok_r(NULL, " \t", &words->rest);
}

static bool read_number(struct words *words, int base, int64_t *value)
{
	const char *word = next_word(words);
	char *end;

	if (!word)
		return false;
	errno = 0;
	*value = word[0] == '-' ? strtoll(word, &end, base) :
				  (int64_t)strtoull(word, &end, base);
	return !errno && !*end && end != word;
}

static bool read_count(struct words *words, int64_t most, uint32_t *count)
{
	int64_t value;

	if (!read_number(words, 10, &value) || value < 0 || value > most)
		return false;
	*count = (uint32_t)value;
	return true;
}

static bool read_registers(struct words *words, uint32_t *count, uint8_t *list)
{
	uint32_t i;

	if (!read_count(words, INSTRUCTION_REGISTERS, count))
		return false;
	for (i = 0; i < *count; i++) {
		const char *word = next_word(words);
		unsigned long number;
		char *end;

		if (!word || word[0] != 'R')
			return false;
		number = strtoul(word + 1, &end, 10);
		if (end == word + 1 || *end || number > 255)
			return false;
		list[i] = (uint8_t)number;
	}
	return true;
}

static bool read_addresses(struct words *words, struct instruction *out)
{
	uint64_t address;
	int64_t value, step = 0;
	uint32_t mode, i;

	if (!read_count(words, BASE_DELTA, &mode))
		return false;
	if (mode != LIST_ALL && !read_number(words, 16, &value))
		return false;
	if (mode == BASE_STRIDE && !read_number(words, 10, &step))
		return false;
	address = mode == LIST_ALL ? 0 : (uint64_t)value;
	for (i = 0; i < out->lanes; i++) {
		if (mode == LIST_ALL) {
			if (!read_number(words, 16, &value))
				return false;
			address = (uint64_t)value;
		} else if (i && mode == BASE_DELTA &&
			   !read_number(words, 10, &step)) {
			return false;
		}
		if (i && mode != LIST_ALL)
			address += (uint64_t)step;
		out->address[i] = address;
	}
	out->addresses = out->lanes;
	return true;
}

/* --- opcodes ---------------------------------------------------------------------- */

static bool needs_addresses(uint32_t kind)
{
	return kind == INSTRUCTION_LOAD || kind == INSTRUCTION_STORE ||
	       kind == INSTRUCTION_ATOMIC || kind == INSTRUCTION_CONSTANT ||
	       kind == INSTRUCTION_COPY;
}

static void classify(struct instruction *out)
{
	const struct opcode *opcode = opcode_find(out->opcode);

	out->is_known = opcode;
	out->kind = opcode ? opcode->kind : INSTRUCTION_COMPUTE;
	out->unit = opcode ? opcode->unit : SIMGPU_TRACE_UNIT_INTEGER;
	/* A warp that only arrives at a barrier does not wait. */
	if (!strncmp(out->opcode, "BAR.ARV", 7))
		out->kind = INSTRUCTION_COMPUTE;
	/* Operands from constant banks have no address. */
	if (needs_addresses(out->kind) && !out->addresses)
		out->kind = INSTRUCTION_COMPUTE;
}

/* Bytes of a lane, by the opcode: ".U8", ".64"; without a width, 4. */
static uint32_t width_of(const char *opcode)
{
	const char *part;

	for (part = strchr(opcode, '.'); part; part = strchr(part, '.')) {
		unsigned long bits;
		char *end;

		part++;
		if (*part == 'U' || *part == 'S')
			part++;
		bits = strtoul(part, &end, 10);
		if (end == part || (*end && *end != '.'))
			continue;
		if (bits == 8 || bits == 16 || bits == 32 || bits == 64 ||
		    bits == 128)
			return (uint32_t)bits / 8;
	}
	return 4;
}

/* --- the line --------------------------------------------------------------------- */

static const char *skip_prefix(struct words *words,
			       const struct dialect *dialect)
{
	uint32_t skip = (dialect->tracer_version < 3 ? 4 : 0) +
			(dialect->lineinfo ? 1 : 0);

	for (; skip; skip--)
		if (!next_word(words))
			return "ends before its program counter";
	return NULL;
}

const char *instruction_parse(char *line, const struct dialect *dialect,
			      struct instruction *out)
{
	struct words words = { .rest = line };
	const char *problem = skip_prefix(&words, dialect), *opcode;
	int64_t value;
	uint32_t width;

	memset(out, 0, offsetof(struct instruction, address));
	if (problem)
		return problem;
	if (!read_number(&words, 16, &value))
		return "has no program counter";
	if (!read_number(&words, 16, &value) || value < 0 || value > UINT32_MAX)
		return "has no mask of lanes";
	out->mask = (uint32_t)value;
	out->lanes = (uint32_t)__builtin_popcount(out->mask);
	if (!read_registers(&words, &out->dest_count, out->dest))
		return "has no list of destination registers";
	opcode = next_word(&words);
	if (!opcode || strlen(opcode) >= OPCODE_BYTES)
		return "has no opcode";
	strcpy(out->opcode, opcode);
	if (!read_registers(&words, &out->source_count, out->source))
		return "has no list of source registers";
	if (!read_count(&words, 1024, &width))
		return "has no memory width";
	if (width && !read_addresses(&words, out))
		return "has no addresses for its lanes";
	if (!read_number(&words, 10, &out->immediate))
		out->immediate = 0;
	out->width = width_of(out->opcode);
	classify(out);
	/* If it were taken as arithmetic, its access would be lost. */
	return out->addresses && !out->is_known ?
	       "has addresses, and an opcode that is not known" : NULL;
}

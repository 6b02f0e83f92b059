// SPDX-License-Identifier: GPL-2.0
/*
 * Reading an Accel-Sim instruction line:
 *
 *   [tbx tby tbz warp] [line] PC MASK ND REG*ND OPCODE NS REG*NS [COMMIT]
 *	MW [addresses] [IMM [IMM2]] [Val|NoVal ...]
 *
 * The first group is there before tracer version 3, the source line with lineinfo
 * 1. COMMIT is there if the opcode has GMMA in it and Accel-Sim 2.0 wrote the line: its
 * tracer says version 6 or, if it keeps no values of registers, 5. Addresses follow if MW
 * is above 0: "0" and an address for each lane; "1", base and stride; or "2", base and the
 * difference of each lane to the one before it. For bulk copies it has instead
 *
 *	MW BARRIER MULTICAST [CTAS] BYTES OUTSIDE
 *	(3 COUNT addresses | 4 BASE COUNT differences)
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/simgpu_trace.h>

#include "instruction.h"
#include "words.h"

enum { LIST_ALL, BASE_STRIDE, BASE_DELTA, BULK_LIST_ALL, BULK_BASE_DELTA };

/* Words behind the registers of a line that an older tracer wrote: MW and IMM. */
#define WORDS_OF_OLD_PRODUCT	2
/* Fewest words behind the registers of a bulk copy: up to BASE COUNT. */
#define WORDS_OF_BULK		8
/* Most bytes of a bulk copy, far more than shared memory has. */
#define BULK_BYTES_MAX		(64U << 20)

/* --- registers -------------------------------------------------------------------- */

/**
 * struct register_names - the names of a kind of registers
 * @prefix: what its names begin with
 * @last: highest number in a name, that of RZ, URZ, PT and UPT
 */
static const struct register_names {
	const char *prefix;
	unsigned long last;
} register_names[REGISTER_KINDS] = {
	[REGISTER_LANE] = { "R", 255 },
	[REGISTER_UNIFORM] = { "UR", 255 },
	[REGISTER_PREDICATE] = { "P", 7 },
	[REGISTER_UNIFORM_PREDICATE] = { "UP", 7 },
};

/* URZ before Blackwell. */
#define UNIFORM_ZERO	63

static bool is_zero(uint32_t kind, unsigned long number, const struct dialect *dialect)
{
	return number == register_names[kind].last ||
	       (kind == REGISTER_UNIFORM && number == UNIFORM_ZERO &&
		dialect->binary_version < BINARY_BLACKWELL);
}

static bool read_register(const char *word, const struct dialect *dialect, uint16_t *out)
{
	uint32_t kind;

	for (kind = 0; kind < REGISTER_KINDS; kind++) {
		size_t length = strlen(register_names[kind].prefix);
		unsigned long number;
		char *end;

		if (strncmp(word, register_names[kind].prefix, length) ||
		    word[length] < '0' || word[length] > '9')
			continue;
		number = strtoul(word + length, &end, 10);
		if (*end || number > register_names[kind].last)
			return false;
		if (is_zero(kind, number, dialect))
			number = REGISTER_ZERO;
		*out = (uint16_t)(kind * REGISTERS_OF_KIND + number);
		return true;
	}
	return false;
}

static bool read_registers(struct words *words, const struct dialect *dialect,
			   uint32_t *count, uint16_t *list)
{
	uint32_t i;

	if (!words_count(words, INSTRUCTION_REGISTERS, count))
		return false;
	for (i = 0; i < *count; i++) {
		const char *word = words_next(words);

		if (!word || !read_register(word, dialect, &list[i]))
			return false;
	}
	return true;
}

/* --- addresses -------------------------------------------------------------------- */

static bool read_addresses(struct words *words, struct instruction *out)
{
	uint64_t address;
	int64_t value, step = 0;
	uint32_t mode, i;

	if (!words_count(words, BASE_DELTA, &mode))
		return false;
	if (mode != LIST_ALL && !words_number(words, 16, &value))
		return false;
	if (mode == BASE_STRIDE && !words_number(words, 10, &step))
		return false;
	address = mode == LIST_ALL ? 0 : (uint64_t)value;
	for (i = 0; i < out->lanes; i++) {
		if (mode == LIST_ALL) {
			if (!words_number(words, 16, &value))
				return false;
			address = (uint64_t)value;
		} else if (i && mode == BASE_DELTA &&
			   !words_number(words, 10, &step)) {
			return false;
		}
		if (i && mode != LIST_ALL)
			address += (uint64_t)step;
		out->address[i] = address;
	}
	out->addresses = out->lanes;
	return true;
}

/*
 * Words behind the addresses: two immediates, then, from tracer version 6 on, a word that
 * says that there are no values of registers.
 */
static uint32_t words_behind_bulk(const struct words *words)
{
	size_t length = strlen(words->rest);

	while (length && (words->rest[length - 1] == ' ' || words->rest[length - 1] == '\t'))
		length--;
	return length >= 5 && !memcmp(words->rest + length - 5, "NoVal", 5) ? 3 : 2;
}

/*
 * How many transfers a bulk copy lists. COUNT may or may not have those in it that lie
 * outside the tensor, which are not listed. If a single one is left, differences say
 * nothing, and the tracer writes 0 for its address.
 */
static const char *count_transfers(struct bulk *bulk, uint32_t listed, uint32_t said,
				   uint64_t outside_bytes)
{
	uint64_t outside = bulk->width ? outside_bytes / bulk->width : 0;

	if (bulk->is_delta && !listed && !bulk->base) {
		bulk->is_lost = said && outside != said;
		return NULL;
	}
	bulk->count = listed + bulk->is_delta;
	if (bulk->count && !bulk->width)
		return "has transfers of no bytes";
	if ((uint64_t)bulk->count * bulk->width > BULK_BYTES_MAX)
		return "copies more than 64 MiB";
	return bulk->count == said || bulk->count + outside == said ? NULL :
	       "has more or less addresses than transfers";
}

/* Read what stands before the addresses of a bulk copy. */
static const char *read_bulk(struct words *words, struct bulk *bulk)
{
	static const char broken[] = "has no bulk copy behind its registers";
	uint32_t multicast, mode, said, behind, left;
	int64_t barrier, unused, outside, base = 0;

	if (words_left(words) < WORDS_OF_BULK ||
	    !words_count(words, TRANSFER_BYTES_MAX, &bulk->width) ||
	    !words_number(words, 16, &barrier) || !words_count(words, 1, &multicast) ||
	    (multicast && !words_number(words, 16, &unused)) ||
	    !words_number(words, 10, &unused) || !words_number(words, 10, &outside) ||
	    !words_count(words, BULK_BASE_DELTA, &mode))
		return broken;
	bulk->is_delta = mode == BULK_BASE_DELTA;
	if (mode < BULK_LIST_ALL || (bulk->is_delta && !words_number(words, 16, &base)) ||
	    !words_count(words, INT32_MAX, &said) || outside < 0)
		return broken;
	bulk->base = (uint64_t)base;
	bulk->barrier = (uint32_t)barrier;
	bulk->text = words->rest;
	behind = words_behind_bulk(words);
	left = words_left(words);
	if (left < behind)
		return broken;
	return count_transfers(bulk, left - behind, said, (uint64_t)outside);
}

/* --- opcodes ---------------------------------------------------------------------- */

bool needs_addresses(uint32_t kind)
{
	return kind == INSTRUCTION_LOAD || kind == INSTRUCTION_STORE ||
	       kind == INSTRUCTION_ATOMIC || kind == INSTRUCTION_CONSTANT ||
	       kind == INSTRUCTION_COPY;
}

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Kinds that modifiers of the opcode make different. */
static const struct special {
	const char *opcode;
	uint32_t kind;
} specials[] = {
	/* A warp that only arrives at a barrier does not wait. */
	{ "BAR.ARV", INSTRUCTION_COMPUTE },
	/* From shared to global memory, and inside shared memory. */
	{ "UBLKCP.G.S", INSTRUCTION_STORE },
	{ "UBLKCP.S.S", INSTRUCTION_COMPUTE },
	{ "SYNCS.PHASECHK", INSTRUCTION_PHASE },
	{ "ARRIVES.LDGSTSBAR", INSTRUCTION_ARRIVE },
	{ "WARPGROUP.DEPBAR", INSTRUCTION_PRODUCT_WAIT },
};

/* @is_group: the line says of a product whether it ends a group. */
static void classify(struct instruction *out, const struct opcode *opcode, bool is_group)
{
	size_t i;

	out->is_known = opcode;
	out->kind = opcode ? opcode->kind : INSTRUCTION_COMPUTE;
	out->unit = opcode ? opcode->unit : SIMGPU_TRACE_UNIT_INTEGER;
	for (i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (begins_with(out->opcode, specials[i].opcode))
			out->kind = specials[i].kind;
	if (!needs_addresses(out->kind))
		out->bulk.is_lost = false;
	/* Operands from constant banks have no address. */
	if (needs_addresses(out->kind) && !out->addresses && !out->bulk.count)
		out->kind = INSTRUCTION_COMPUTE;
	/* Older tracers do not say which products are one group. */
	if (out->kind == INSTRUCTION_PRODUCT && !is_group)
		out->kind = INSTRUCTION_COMPUTE;
}

/* Columns of a product: N in "HGMMA.64xNx16.F32"; 0 if the opcode does not say. */
static uint32_t columns_of(const char *opcode)
{
	unsigned int rows, columns, depth;
	const char *shape = strchr(opcode, '.');

	return shape && sscanf(shape, ".%3ux%3ux%3u", &rows, &columns, &depth) == 3 ?
	       columns : 0;
}

/*
 * Threads that a barrier is for. With a register for the barrier's number, which counts as
 * written since it is the first operand, their number is the first immediate, else the
 * second one.
 */
static uint32_t barrier_threads(const struct instruction *instruction, int64_t second)
{
	int64_t threads = instruction->dest_count && !second ? instruction->immediate :
							       second;

	return threads > 0 && threads <= UINT32_MAX ? (uint32_t)threads : 0;
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
		if (!words_next(words))
			return "ends before its program counter";
	return NULL;
}

/*
 * Read the flag of a product that ends a group. Accel-Sim 2.0 writes it; a line of an
 * older tracer goes on with MW and IMM alone.
 */
static bool read_flag(struct words *words, const struct dialect *dialect,
		      struct instruction *out, bool *is_group)
{
	uint32_t flag;

	*is_group = strstr(out->opcode, "GMMA") &&
		    (dialect->tracer_version > 5 ||
		     words_left(words) > WORDS_OF_OLD_PRODUCT);
	if (!*is_group)
		return true;
	if (!words_count(words, 1, &flag))
		return false;
	out->ends_group = flag;
	out->columns = columns_of(out->opcode);
	return true;
}

/* Read what stands behind the addresses. */
static const char *read_rest(struct words *words, const struct dialect *dialect,
			     const struct opcode *opcode, struct instruction *out)
{
	int64_t second;
	const char *word;

	if (!words_number(words, 10, &out->immediate)) {
		out->immediate = 0;
		return NULL;
	}
	if (!words_number(words, 10, &second))
		return NULL;
	if (opcode && opcode->kind == INSTRUCTION_BARRIER)
		out->barrier_threads = barrier_threads(out, second);
	word = dialect->tracer_version > 5 ? words_next(words) : NULL;
	return word && strcmp(word, "Val") && strcmp(word, "NoVal") ?
	       "has neither Val nor NoVal behind its immediates" : NULL;
}

const char *instruction_parse(char *line, const struct dialect *dialect,
			      struct instruction *out)
{
	struct words words = { .rest = line };
	const char *problem = skip_prefix(&words, dialect), *name;
	const struct opcode *opcode;
	bool is_group;
	int64_t value;
	uint32_t width;

	memset(out, 0, offsetof(struct instruction, address));
	if (problem)
		return problem;
	if (!words_number(&words, 16, &value))
		return "has no program counter";
	if (!words_number(&words, 16, &value) || value < 0 || value > UINT32_MAX)
		return "has no mask of lanes";
	out->mask = (uint32_t)value;
	out->lanes = (uint32_t)__builtin_popcount(out->mask);
	if (!read_registers(&words, dialect, &out->dest_count, out->dest))
		return "has no list of destination registers";
	name = words_next(&words);
	if (!name || strlen(name) >= OPCODE_BYTES)
		return "has no opcode";
	strcpy(out->opcode, name);
	opcode = opcode_find(name);
	if (!read_registers(&words, dialect, &out->source_count, out->source))
		return "has no list of source registers";
	if (!read_flag(&words, dialect, out, &is_group))
		return "does not say whether it ends a group of products";
	if (opcode && opcode->bulk && (dialect->tracer_version > 5 ||
				       words_left(&words) >= WORDS_OF_BULK)) {
		problem = read_bulk(&words, &out->bulk);
	} else {
		if (!words_count(&words, 1024, &width))
			return "has no memory width";
		if (width && !read_addresses(&words, out))
			return "has no addresses for its lanes";
		problem = read_rest(&words, dialect, opcode, out);
	}
	out->width = width_of(out->opcode);
	classify(out, opcode, is_group);
	/* If it were taken as arithmetic, its access would be lost. */
	if (!problem && out->addresses && !out->is_known)
		problem = "has addresses, and an opcode that is not known";
	return problem;
}

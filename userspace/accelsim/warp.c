// SPDX-License-Identifier: GPL-2.0
/* A warp's instructions as the ops of a trace program; see warp.h. */
#include <stdlib.h>
#include <string.h>

#include "warp.h"

/* Reads as zero, takes what is written to it away. */
#define REGISTER_ZERO	255
#define BANKS		32
#define BANK_BYTES	4

static void *grow(void *list, size_t count, size_t *room, size_t bytes)
{
	if (count < *room)
		return list;
	*room = *room ? *room * 2 : 256;
	return realloc(list, *room * bytes);
}

static struct simgpu_trace_op *add_op(struct warp_ops *warp)
{
	struct simgpu_trace_op *ops = grow(warp->ops, warp->count, &warp->room,
					   sizeof(*ops));

	if (!ops) {
		warp->failed = 1;
		return NULL;
	}
	warp->ops = ops;
	return memset(&ops[warp->count++], 0, sizeof(*ops));
}

void warp_begin(struct warp_ops *warp)
{
	warp->count = 0;
	warp->instructions = 0;
	warp->load_count = 0;
	memset(warp->loaded, 0, sizeof(warp->loaded));
}

void warp_free(struct warp_ops *warp)
{
	free(warp->ops);
	free(warp->loads);
}

/* --- loads and their first use -------------------------------------------------------- */

static void settle(struct warp_ops *warp, struct pending *load, uint64_t used_at)
{
	uint64_t between = used_at - load->at - 1;

	warp->ops[load->op].consume_after = between < UINT32_MAX ?
					    (uint32_t)between : UINT32_MAX;
	load->op = SIZE_MAX;
}

/* An instruction touches registers: it needs what is still on its way there. */
static void use(struct warp_ops *warp, const uint8_t *registers, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		size_t number = warp->loaded[registers[i]];

		if (!number)
			continue;
		if (warp->loads[number - 1].op != SIZE_MAX)
			settle(warp, &warp->loads[number - 1],
			       warp->instructions);
		warp->loaded[registers[i]] = 0;
	}
}

static void expect(struct warp_ops *warp, const struct instruction *instruction)
{
	struct pending *loads = grow(warp->loads, warp->load_count,
				     &warp->load_room, sizeof(*loads));
	uint32_t i;

	if (!loads) {
		warp->failed = 1;
		return;
	}
	warp->loads = loads;
	loads[warp->load_count++] = (struct pending) {
		.op = warp->count - 1, .at = warp->instructions,
	};
	for (i = 0; i < instruction->dest_count; i++)
		if (instruction->dest[i] != REGISTER_ZERO)
			warp->loaded[instruction->dest[i]] = warp->load_count;
}

void warp_end(struct warp_ops *warp)
{
	size_t i;

	for (i = 0; i < warp->load_count; i++)
		if (warp->loads[i].op != SIZE_MAX)
			settle(warp, &warp->loads[i], warp->instructions);
}

/* --- ops ---------------------------------------------------------------------------------- */

/*
 * How often a bank of shared memory is asked for another word: each time costs
 * an issue cycle.
 */
static uint32_t bank_conflicts(const struct instruction *instruction)
{
	uint64_t words[BANKS][WARP_LANES];
	uint32_t counts[BANKS] = { 0 }, most = 1, i, j;

	for (i = 0; i < instruction->addresses; i++) {
		uint64_t word = instruction->address[i] / BANK_BYTES;
		uint32_t bank = word % BANKS;

		for (j = 0; j < counts[bank]; j++)
			if (words[bank][j] == word)
				break;
		if (j < counts[bank])
			continue;
		words[bank][counts[bank]++] = word;
		if (counts[bank] > most)
			most = counts[bank];
	}
	return most;
}

/* A burst, or one instruction more of the burst before. */
static void add_burst(struct warp_ops *warp, uint32_t kind, uint32_t lanes,
		      uint32_t issue_cycles)
{
	struct simgpu_trace_op *op = warp->count ? &warp->ops[warp->count - 1] :
						   NULL;

	if (op && op->kind == kind && op->active_lanes == lanes &&
	    op->issue_cycles == issue_cycles && op->count < UINT32_MAX) {
		op->count++;
		return;
	}
	op = add_op(warp);
	if (!op)
		return;
	op->kind = kind;
	op->active_lanes = lanes;
	op->issue_cycles = issue_cycles;
	op->count = 1;
}

static void add_memory(struct warp_ops *warp,
		       const struct instruction *instruction, uint32_t lines)
{
	static const uint8_t kinds[] = {
		[INSTRUCTION_LOAD] = SIMGPU_TRACE_LOAD,
		[INSTRUCTION_STORE] = SIMGPU_TRACE_STORE,
		[INSTRUCTION_ATOMIC] = SIMGPU_TRACE_ATOMIC,
		[INSTRUCTION_CONSTANT] = SIMGPU_TRACE_CONSTANT,
	};
	struct simgpu_trace_op *op = add_op(warp);

	if (!op)
		return;
	op->kind = kinds[instruction->kind];
	op->active_lanes = instruction->lanes;
	op->count = lines;
	if (instruction->kind != INSTRUCTION_STORE)
		expect(warp, instruction);
}

static void add_barrier(struct warp_ops *warp, uint32_t lanes)
{
	struct simgpu_trace_op *op = add_op(warp);

	if (!op)
		return;
	op->kind = SIMGPU_TRACE_BARRIER;
	op->active_lanes = lanes;
}

void warp_add(struct warp_ops *warp, const struct instruction *instruction,
	      uint32_t lines)
{
	if (!instruction->lanes)
		return;
	use(warp, instruction->source, instruction->source_count);
	use(warp, instruction->dest, instruction->dest_count);
	if (lines)
		add_memory(warp, instruction, lines);
	else if (instruction->kind == INSTRUCTION_BARRIER)
		add_barrier(warp, instruction->lanes);
	else if (instruction->kind == INSTRUCTION_SHARED)
		add_burst(warp, SIMGPU_TRACE_SHARED, instruction->lanes,
			  bank_conflicts(instruction));
	else
		add_burst(warp, SIMGPU_TRACE_COMPUTE, instruction->lanes,
			  instruction->issue_cycles);
	warp->instructions++;
}

// SPDX-License-Identifier: GPL-2.0
/* A warp's instructions as the ops of a trace program; see warp.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "warp.h"

/* A register that reads as zero, and ignores what is written to it. */
#define REGISTER_ZERO	255
/* In @group of a load that is not a copy. */
#define NO_GROUP	UINT32_MAX
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

void warp_begin(struct warp_ops *warp, struct builder *builder)
{
	warp->builder = builder;
	warp->count = 0;
	warp->instructions = 0;
	warp->cycle = 0;
	warp->load_count = 0;
	warp->first_copy = 0;
	warp->groups = 0;
	warp->burst_count = 0;
	warp->mixed = 0;
	memset(warp->loaded, 0, sizeof(warp->loaded));
	memset(warp->written, 0, sizeof(warp->written));
}

void warp_free(struct warp_ops *warp)
{
	free(warp->ops);
	free(warp->loads);
}

/* --- bursts --------------------------------------------------------------------------- */

/*
 * Turns the burst into ops. If the burst goes on, it is cut between two repetitions of
 * what it repeats at its end, and the rest stays: so the next op may have the same mix.
 */
static void flush_burst(struct warp_ops *warp, bool goes_on)
{
	struct simgpu_trace_op *op;
	struct stretch stretch;
	size_t at = 0, end;

	for (end = 0; end < warp->burst_count; at += stretch.count) {
		stretch = burst_stretch(&warp->burst[at],
					warp->burst_count - at);
		end = at + stretch.count;
		if (goes_on && end == warp->burst_count)
			stretch.count -= stretch.count % stretch.period;
		op = add_op(warp);
		if (!op) {
			warp->burst_count = 0;
			return;
		}
		op->kind = SIMGPU_TRACE_COMPUTE;
		op->active_lanes = warp->burst_lanes;
		op->count = stretch.count;
		op->mix = builder_mix_of(warp->builder, &warp->burst[at],
					 stretch.period);
		warp->mixed += burst_named(stretch.count, stretch.period);
	}
	warp->burst_count -= at;
	memmove(warp->burst, &warp->burst[at],
		warp->burst_count * sizeof(warp->burst[0]));
}

static void add_to_burst(struct warp_ops *warp, uint32_t lanes, uint32_t unit,
			 uint32_t passes, uint32_t after)
{
	if (warp->burst_lanes != lanes)
		flush_burst(warp, false);
	else if (warp->burst_count == BURST_MAX)
		flush_burst(warp, true);
	warp->burst_lanes = lanes;
	warp->burst[warp->burst_count++] = (struct simgpu_trace_instruction) {
		.unit = unit, .passes = passes, .after = after,
	};
}

/* --- arithmetic and its use ----------------------------------------------------------- */

/* Keep the writer of a register if its result comes later than that of @last. */
static void consider(const struct warp_ops *warp, uint8_t number,
		     const struct writer **last)
{
	const struct writer *writer = &warp->written[number];

	if (!writer->at ||
	    warp->instructions + 1 - writer->at > NOMINAL_REACH * writer->latency)
		return;
	if (!*last || writer->ready > (*last)->ready ||
	    (writer->ready == (*last)->ready && writer->at > (*last)->at))
		*last = writer;
}

/*
 * How many instructions before the next one the one is whose result the next one needs;
 * registers that it overwrites count, too. The nominal cycle moves to where it can issue.
 */
static uint32_t find_after(struct warp_ops *warp,
			   const struct instruction *instruction)
{
	const struct writer *last = NULL;
	uint32_t i;

	for (i = 0; i < instruction->source_count; i++)
		consider(warp, instruction->source[i], &last);
	for (i = 0; i < instruction->dest_count; i++)
		consider(warp, instruction->dest[i], &last);
	warp->cycle++;
	if (!last)
		return 0;
	if (last->ready > warp->cycle)
		warp->cycle = last->ready;
	return (uint32_t)(warp->instructions + 1 - last->at);
}

/* Note that arithmetic or, without latency, a load writes these registers. */
static void set_writer(struct warp_ops *warp,
		       const struct instruction *instruction, uint32_t latency)
{
	uint32_t i;

	for (i = 0; i < instruction->dest_count; i++)
		if (instruction->dest[i] != REGISTER_ZERO)
			warp->written[instruction->dest[i]] = (struct writer) {
				.at = latency ? warp->instructions + 1 : 0,
				.ready = warp->cycle + latency,
				.latency = latency,
			};
}

/* --- loads and their first use -------------------------------------------------------- */

static void settle(struct warp_ops *warp, struct pending *load, uint64_t used_at)
{
	uint64_t between = used_at - load->at - 1;

	warp->ops[load->op].consume_after = between < UINT32_MAX ?
					    (uint32_t)between : UINT32_MAX;
	load->op = SIZE_MAX;
	if (load->ready > warp->cycle)
		warp->cycle = load->ready;
}

/* An instruction uses registers: it needs the data of loads that write them. */
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
	bool is_copy = instruction->kind == INSTRUCTION_COPY;
	uint32_t i;

	if (!loads) {
		warp->failed = 1;
		return;
	}
	warp->loads = loads;
	loads[warp->load_count++] = (struct pending) {
		.op = warp->count - 1, .at = warp->instructions,
		.ready = warp->cycle + NOMINAL_LOAD,
		.group = is_copy ? warp->groups : NO_GROUP,
	};
	for (i = 0; i < instruction->dest_count; i++)
		if (instruction->dest[i] != REGISTER_ZERO)
			warp->loaded[instruction->dest[i]] = warp->load_count;
	set_writer(warp, instruction, 0);
}

/*
 * The warp waits until at most @open groups of copies are under way: all older groups
 * have come.
 */
static void wait_for_copies(struct warp_ops *warp, int64_t open)
{
	struct pending *load;
	size_t i;

	for (i = warp->first_copy; i < warp->load_count; i++) {
		load = &warp->loads[i];
		if (load->op == SIZE_MAX || load->group == NO_GROUP)
			continue;
		/* Groups of copies come in order; the newest group has no number yet. */
		if (open < 0 || (int64_t)load->group >= warp->groups - open)
			break;
		settle(warp, load, warp->instructions);
	}
	warp->first_copy = i;
}

void warp_end(struct warp_ops *warp)
{
	size_t i;

	flush_burst(warp, false);
	for (i = 0; i < warp->load_count; i++)
		if (warp->loads[i].op != SIZE_MAX)
			settle(warp, &warp->loads[i], warp->instructions);
}

/* --- ops ---------------------------------------------------------------------------------- */

/*
 * The passes that an access to shared memory needs: the most different words that lanes
 * want of one bank.
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

/* Whether an instruction gets data back, not just an acknowledgment. */
static bool has_result(const struct instruction *instruction)
{
	uint32_t i;

	for (i = 0; i < instruction->dest_count; i++)
		if (instruction->dest[i] != REGISTER_ZERO)
			return true;
	return false;
}

static void add_memory(struct warp_ops *warp,
		       const struct instruction *instruction, uint32_t lines,
		       uint32_t after)
{
	static const uint8_t kinds[] = {
		[INSTRUCTION_LOAD] = SIMGPU_TRACE_LOAD,
		[INSTRUCTION_COPY] = SIMGPU_TRACE_LOAD,
		[INSTRUCTION_STORE] = SIMGPU_TRACE_STORE,
		[INSTRUCTION_ATOMIC] = SIMGPU_TRACE_ATOMIC,
		[INSTRUCTION_CONSTANT] = SIMGPU_TRACE_CONSTANT,
	};
	struct simgpu_trace_op *op;

	flush_burst(warp, false);
	op = add_op(warp);
	if (!op)
		return;
	op->kind = kinds[instruction->kind];
	op->active_lanes = instruction->lanes;
	op->after = after;
	op->count = lines;
	if (op->kind == SIMGPU_TRACE_ATOMIC && !has_result(instruction))
		op->consume_after = SIMGPU_TRACE_NEVER;
	else if (op->kind != SIMGPU_TRACE_STORE)
		expect(warp, instruction);
}

static void add_barrier(struct warp_ops *warp, uint32_t lanes, uint32_t after)
{
	struct simgpu_trace_op *op;

	flush_burst(warp, false);
	op = add_op(warp);
	if (!op)
		return;
	op->kind = SIMGPU_TRACE_BARRIER;
	op->active_lanes = lanes;
	op->after = after;
}

static void add_arithmetic(struct warp_ops *warp,
			   const struct instruction *instruction,
			   uint32_t after)
{
	uint32_t passes = 1;

	if (instruction->kind == INSTRUCTION_SHARED)
		passes = bank_conflicts(instruction);
	else if (instruction->kind == INSTRUCTION_GROUP)
		warp->groups++;
	add_to_burst(warp, instruction->lanes, instruction->unit, passes,
		     after);
	set_writer(warp, instruction,
		   nominal_latency[instruction->unit] + passes - 1);
}

void warp_add(struct warp_ops *warp, const struct instruction *instruction,
	      uint32_t lines)
{
	uint32_t after;

	if (!instruction->lanes)
		return;
	use(warp, instruction->source, instruction->source_count);
	use(warp, instruction->dest, instruction->dest_count);
	if (instruction->kind == INSTRUCTION_WAIT)
		wait_for_copies(warp, instruction->immediate);
	after = find_after(warp, instruction);
	if (lines)
		add_memory(warp, instruction, lines, after);
	else if (instruction->kind == INSTRUCTION_BARRIER)
		add_barrier(warp, instruction->lanes, after);
	else
		add_arithmetic(warp, instruction, after);
	warp->instructions++;
}

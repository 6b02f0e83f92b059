// SPDX-License-Identifier: GPL-2.0
/* A warp's instructions as the ops of a trace program; see warp.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "warp.h"

/* In @group of a load that is not a copy. */
#define NO_GROUP	UINT32_MAX
#define BANKS		32
#define BANK_BYTES	4
/* Columns of a product that one warp instruction (HMMA.16816) has. */
#define COLUMNS_OF_PASS	8
/* Bytes of the window in which each thread block of a cluster has its shared memory. */
#define BLOCK_WINDOW	(16U << 20)

static bool is_zero(uint16_t number)
{
	return number % REGISTERS_OF_KIND == REGISTER_ZERO;
}

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
	warp->first_alone = 0;
	warp->barrier_count = 0;
	warp->product_groups = 0;
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

/* Keep a writer if its result comes later than that of @last. */
static void consider(const struct warp_ops *warp, const struct writer *writer,
		     const struct writer **last)
{
	if (!writer->at ||
	    warp->instructions + 1 - writer->at > NOMINAL_REACH * writer->latency)
		return;
	if (!*last || writer->ready > (*last)->ready ||
	    (writer->ready == (*last)->ready && writer->at > (*last)->at))
		*last = writer;
}

/*
 * The last product that a wait for products waits for: all groups but the last @open ones
 * are done behind it. NULL: there are no more.
 */
static const struct writer *awaited_product(const struct warp_ops *warp, int64_t open)
{
	if (open < 0 || open >= PRODUCT_GROUPS || (uint64_t)open >= warp->product_groups)
		return NULL;
	return &warp->product_group[(warp->product_groups - 1 - (uint64_t)open) %
				    PRODUCT_GROUPS];
}

/*
 * How many instructions before the next one the one is whose result the next one needs;
 * registers that it overwrites count, too. The nominal cycle moves to where it can issue.
 */
static uint32_t find_after(struct warp_ops *warp,
			   const struct instruction *instruction)
{
	const struct writer *last = NULL, *product = NULL;
	uint32_t i;

	for (i = 0; i < instruction->source_count; i++)
		consider(warp, &warp->written[instruction->source[i]], &last);
	for (i = 0; i < instruction->dest_count; i++)
		consider(warp, &warp->written[instruction->dest[i]], &last);
	if (instruction->kind == INSTRUCTION_PRODUCT_WAIT)
		product = awaited_product(warp, instruction->immediate);
	if (product)
		consider(warp, product, &last);
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
		if (!is_zero(instruction->dest[i]))
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
static void use(struct warp_ops *warp, const uint16_t *registers, uint32_t count)
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
		if (!is_zero(instruction->dest[i]))
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

/* --- copies and their barriers -------------------------------------------------------- */

/*
 * The barrier at an address. NULL: no copy completes it, and it is not to be added, or there
 * is no room left.
 */
static struct barrier *find_barrier(struct warp_ops *warp, uint64_t address, bool adds)
{
	uint32_t place = (uint32_t)(address % BLOCK_WINDOW), i;

	for (i = 0; i < warp->barrier_count; i++)
		if (warp->barriers[i].address == place)
			return &warp->barriers[i];
	if (!adds || i == BARRIERS_MAX)
		return NULL;
	warp->barriers[i] = (struct barrier) { .address = place };
	warp->barrier_count++;
	return &warp->barriers[i];
}

/* When a load arrives it completes a barrier. */
static void complete_barrier(struct warp_ops *warp, size_t index, uint64_t address)
{
	struct barrier *barrier;

	/* Prefetches complete none. The first bytes of shared memory are the system's. */
	if (!address)
		return;
	barrier = find_barrier(warp, address, true);
	if (!barrier)
		return;
	warp->loads[index].next = barrier->last;
	barrier->last = index + 1;
}

/* Copies that complete no barrier yet complete this one; lanes have the same one. */
static void arrive(struct warp_ops *warp, const struct instruction *instruction)
{
	size_t i;

	for (i = warp->first_alone; instruction->addresses && i < warp->load_count; i++)
		if (warp->loads[i].group != NO_GROUP)
			complete_barrier(warp, i, instruction->address[0]);
	warp->first_alone = warp->load_count;
}

/* The warp waits at barriers: what its copies bring to these is there. */
static void wait_for_barriers(struct warp_ops *warp, const struct instruction *instruction)
{
	uint32_t i;

	for (i = 0; i < instruction->addresses; i++) {
		struct barrier *barrier = find_barrier(warp, instruction->address[i], false);
		struct pending *load;

		for (; barrier && barrier->last; barrier->last = load->next) {
			load = &warp->loads[barrier->last - 1];
			/* A DEPBAR may have waited for it. */
			if (load->op != SIZE_MAX)
				settle(warp, load, warp->instructions);
		}
	}
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
		if (!is_zero(instruction->dest[i]))
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
	bool is_bulk = instruction->bulk.count;
	struct simgpu_trace_op *op;

	flush_burst(warp, false);
	op = add_op(warp);
	if (!op)
		return;
	op->kind = kinds[instruction->kind];
	op->active_lanes = is_bulk ? 1 : instruction->lanes;
	op->after = after;
	op->count = lines;
	if (op->kind == SIMGPU_TRACE_ATOMIC && !has_result(instruction))
		op->consume_after = SIMGPU_TRACE_NEVER;
	else if (op->kind != SIMGPU_TRACE_STORE)
		expect(warp, instruction);
	if (is_bulk && op->kind == SIMGPU_TRACE_LOAD && !warp->failed)
		complete_barrier(warp, warp->load_count - 1, instruction->bulk.barrier);
}

/* The ops of a bulk copy but for the last one. Returns the lines that are left. */
static uint32_t add_first_parts(struct warp_ops *warp, const struct instruction *instruction,
				uint32_t lines, uint32_t *after)
{
	for (; lines > OP_LINES_MAX && !warp->failed; lines -= OP_LINES_MAX) {
		add_memory(warp, instruction, OP_LINES_MAX, *after);
		*after = 0;
		warp->instructions++;
		warp->cycle++;
	}
	return lines;
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

/* Passes of the unit that an instruction takes. */
static uint32_t passes_of(const struct instruction *instruction)
{
	uint32_t passes = 1;

	if (instruction->unit == SIMGPU_TRACE_UNIT_SHARED)
		passes = bank_conflicts(instruction);
	else if (instruction->kind == INSTRUCTION_PRODUCT)
		passes = (instruction->columns + COLUMNS_OF_PASS - 1) / COLUMNS_OF_PASS;
	if (passes > SIMGPU_TRACE_PASSES_MAX)
		passes = SIMGPU_TRACE_PASSES_MAX;
	return passes ? passes : 1;
}

/*
 * A product is done behind the wait for its group, not where its registers are used.
 * Products are done in order, so the last one of a group stands for all.
 */
static void end_products(struct warp_ops *warp, uint32_t latency)
{
	warp->product_group[warp->product_groups++ % PRODUCT_GROUPS] = (struct writer) {
		.at = warp->instructions + 1,
		.ready = warp->cycle + latency,
		.latency = latency,
	};
}

static void add_arithmetic(struct warp_ops *warp,
			   const struct instruction *instruction,
			   uint32_t after)
{
	uint32_t passes = passes_of(instruction);
	uint32_t latency = nominal_latency[instruction->unit] + passes - 1;

	if (instruction->kind == INSTRUCTION_GROUP)
		warp->groups++;
	add_to_burst(warp, instruction->lanes, instruction->unit, passes,
		     after);
	if (instruction->kind != INSTRUCTION_PRODUCT)
		set_writer(warp, instruction, latency);
	else if (instruction->ends_group)
		end_products(warp, latency);
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
	else if (instruction->kind == INSTRUCTION_PHASE)
		wait_for_barriers(warp, instruction);
	else if (instruction->kind == INSTRUCTION_ARRIVE)
		arrive(warp, instruction);
	after = find_after(warp, instruction);
	if (instruction->bulk.count)
		lines = add_first_parts(warp, instruction, lines, &after);
	if (lines)
		add_memory(warp, instruction, lines, after);
	else if (instruction->kind == INSTRUCTION_BARRIER)
		add_barrier(warp, instruction->lanes, after);
	else
		add_arithmetic(warp, instruction, after);
	warp->instructions++;
}

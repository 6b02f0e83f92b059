// SPDX-License-Identifier: GPL-2.0
/* Launches and copies as the commands of a trace; see script.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

/* The queue of the copies, of those that streams become. */
#define COPY_QUEUE	0

/* --- the list ------------------------------------------------------------------------- */

static struct step *add_step(struct script *script)
{
	if (script->count == script->room) {
		size_t room = script->room ? script->room * 2 : 64;
		struct step *steps = realloc(script->steps, room * sizeof(*steps));

		if (!steps)
			return NULL;
		script->steps = steps;
		script->room = room;
	}
	return &script->steps[script->count++];
}

static uint32_t stream_index(struct script *script, uint64_t stream)
{
	uint32_t i;

	for (i = 0; i < script->stream_count; i++)
		if (script->streams[i] == stream)
			return i;
	script->streams[script->stream_count] = stream;
	return script->stream_count++;
}

int script_kernel(struct script *script, uint64_t stream)
{
	struct step *step = add_step(script);

	if (!step)
		return -ENOMEM;
	*step = (struct step) {
		.kind = SIMGPU_TRACE_COMMAND_KERNEL, .what = stream_index(script, stream),
	};
	return 0;
}

int script_copy(struct script *script, enum simgpu_trace_command_kind kind, uint64_t address,
		uint64_t bytes)
{
	struct step *step = add_step(script);

	if (!step)
		return -ENOMEM;
	*step = (struct step) { .kind = kind, .address = address, .bytes = bytes };
	script->copies++;
	script->copied_bytes += bytes;
	return 0;
}

uint32_t script_queues(const struct script *script)
{
	return script->stream_count < SIMGPU_TRACE_QUEUES_MAX ? script->stream_count :
								SIMGPU_TRACE_QUEUES_MAX;
}

bool script_needs_commands(const struct script *script)
{
	return script->copies || script->stream_count > 1;
}

void script_free(struct script *script)
{
	free(script->steps);
}

/* --- where copies lie ------------------------------------------------------------------- */

/**
 * struct place - memory that is copied, in the tenant's space
 * @base: first byte, a multiple of SIMGPU_TRACE_ALLOCATION_ALIGN
 * @end: behind the last byte
 * @address: first byte in the traced program's memory
 */
struct place {
	uint64_t base;
	uint64_t end;
	uint64_t address;
};

/**
 * struct build - commands that are made
 * @sorted: numbers of the pages that the kernels touch, in ascending order
 * @page_count: number of them
 * @places: allocations, in ascending order, @place_count of them. If there is memory that no
 *	kernel touches, the last one stands for it
 * @commands: commands so far
 * @busy: queues, as bits, that have got work since the last copy
 * @behind: queues that have to wait for the last copies before their next kernel
 * @copying: the last step was a copy
 */
struct build {
	const struct script *script;
	struct builder *builder;
	uint64_t *sorted;
	uint32_t page_count;
	struct place *places;
	size_t place_count;
	uint64_t commands;
	uint32_t busy;
	uint32_t behind;
	bool copying;
};

static uint64_t *sort_pages(const struct pages *pages, const uint32_t *order)
{
	uint64_t *sorted = malloc((pages->count + 1) * sizeof(*sorted));
	uint32_t i;

	for (i = 0; sorted && i < pages->count; i++)
		sorted[order[i]] = pages->number[i];
	return sorted;
}

/* The first page that is not before a number. */
static uint32_t find_page(const struct build *build, uint64_t number)
{
	uint32_t low = 0, high = build->page_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (build->sorted[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t align_down(uint64_t address)
{
	return address - address % SIMGPU_TRACE_ALLOCATION_ALIGN;
}

/* Where a copy lies; pages that no kernel touches are left out. Return: false: all are. */
static bool find_place(const struct build *build, const struct step *step, struct place *place)
{
	uint64_t last_byte = step->address + step->bytes - 1;
	uint32_t first = find_page(build, step->address / PAGE_BYTES);
	uint32_t behind = find_page(build, last_byte / PAGE_BYTES + 1);
	bool is_whole;

	if (first == behind)
		return false;
	is_whole = build->sorted[first] != step->address / PAGE_BYTES;
	place->base = (uint64_t)first * PAGE_BYTES +
		      (is_whole ? 0 : align_down(step->address % PAGE_BYTES));
	is_whole = build->sorted[behind - 1] != last_byte / PAGE_BYTES;
	place->end = (uint64_t)(behind - 1) * PAGE_BYTES +
		     (is_whole ? PAGE_BYTES : last_byte % PAGE_BYTES + 1);
	place->address = step->address;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	if (left->base != right->base)
		return (left->base > right->base) - (left->base < right->base);
	return (left->address > right->address) - (left->address < right->address);
}

/* Places that begin alike become one, and each ends where the next one begins at the latest. */
static void part_places(struct build *build)
{
	struct place *places = build->places;
	uint64_t end = 0;
	size_t count = 0, i;

	for (i = 0; i < build->place_count; i++) {
		if (count && places[count - 1].base == places[i].base) {
			if (places[count - 1].end < places[i].end)
				places[count - 1].end = places[i].end;
			continue;
		}
		places[count++] = places[i];
	}
	for (i = 0; i < count; i++) {
		if (end < places[i].end)
			end = places[i].end;
		places[i].end = i + 1 < count && places[i + 1].base < end ?
				places[i + 1].base : end;
	}
	build->place_count = count;
}

/* The block for memory that no kernel touches; the space has room for it (PAGES_MAX). */
static void add_rest(struct build *build)
{
	uint64_t base = (uint64_t)build->page_count * PAGE_BYTES;

	build->places[build->place_count++] = (struct place) {
		.base = base,
		.end = base + PAGE_BYTES < SIMGPU_TRACE_SPACE_BYTES ?
		       base + PAGE_BYTES : SIMGPU_TRACE_SPACE_BYTES,
	};
}

static int find_places(struct build *build)
{
	const struct script *script = build->script;
	bool has_rest = false;
	size_t i;

	build->places = malloc((script->copies + 1) * sizeof(*build->places));
	if (!build->places)
		return -ENOMEM;
	for (i = 0; i < script->count; i++) {
		const struct step *step = &script->steps[i];

		if (step->kind == SIMGPU_TRACE_COMMAND_KERNEL)
			continue;
		if (find_place(build, step, &build->places[build->place_count]))
			build->place_count++;
		else
			has_rest = true;
	}
	qsort(build->places, build->place_count, sizeof(*build->places), compare);
	part_places(build);
	if (has_rest)
		add_rest(build);
	return build->place_count > SIMGPU_TRACE_ALLOCATIONS_MAX ? -E2BIG : 0;
}

static void add_allocations(const struct build *build, uint64_t *footprint)
{
	char name[SIMGPU_TRACE_NAME_BYTES];
	size_t i;

	for (i = 0; i < build->place_count; i++) {
		const struct place *place = &build->places[i];

		if (place->address)
			snprintf(name, sizeof(name), "0x%llx",
				 (unsigned long long)place->address);
		else
			strcpy(name, "copied, not touched");
		builder_allocation(build->builder, name, place->base,
				   place->end - place->base, SIMGPU_TRACE_DEVICE);
		if (*footprint < place->end)
			*footprint = place->end;
	}
}

/* --- commands --------------------------------------------------------------------------- */

static void add_command(struct build *build, enum simgpu_trace_command_kind kind,
			uint32_t queue, uint32_t what, uint64_t amount)
{
	if (build->commands++ < SIMGPU_TRACE_COMMANDS_MAX)
		builder_command(build->builder, kind, queue, what, 1, amount);
}

/* Events have the numbers of the queues that record them. */
static void add_record(struct build *build, uint32_t queue)
{
	add_command(build, SIMGPU_TRACE_COMMAND_RECORD, queue, queue, 0);
}

static void add_wait(struct build *build, uint32_t queue, uint32_t other)
{
	add_command(build, SIMGPU_TRACE_COMMAND_WAIT, queue, other, 0);
}

/* What comes behind copies waits for them, in whatever queue. */
static void end_copies(struct build *build)
{
	if (!build->copying || script_queues(build->script) < 2)
		return;
	add_record(build, COPY_QUEUE);
	build->behind = ~(1U << COPY_QUEUE);
}

static void add_kernel(struct build *build, uint32_t kernel, uint32_t queue)
{
	end_copies(build);
	build->copying = false;
	if (build->behind & 1U << queue)
		add_wait(build, queue, COPY_QUEUE);
	build->behind &= ~(1U << queue);
	add_command(build, SIMGPU_TRACE_COMMAND_KERNEL, queue, kernel, 0);
	build->busy |= 1U << queue;
}

/* The index of the place that begins at @base. */
static size_t find_base(const struct build *build, uint64_t base)
{
	size_t low = 0, high = build->place_count - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (build->places[middle].base < base)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Copies wait for what came before them, in whatever queue. */
static void begin_copies(struct build *build)
{
	uint32_t queue;

	for (queue = 0; queue < SIMGPU_TRACE_QUEUES_MAX; queue++) {
		if (queue == COPY_QUEUE || !(build->busy & 1U << queue))
			continue;
		add_record(build, queue);
		add_wait(build, COPY_QUEUE, queue);
	}
	build->busy = 0;
	build->copying = true;
}

/*
 * A copy over several places is a command for each. The last one copies what is left, so
 * some of it to the same place again: what is in no place, and what alignment has moved.
 */
static void add_copy(struct build *build, const struct step *step)
{
	struct place whole = { 0 };
	size_t at = find_place(build, step, &whole) ? find_base(build, whole.base) :
						      build->place_count - 1;
	uint64_t left = step->bytes;

	begin_copies(build);
	for (; build->places[at].end + SIMGPU_TRACE_ALLOCATION_ALIGN <= whole.end; at++) {
		uint64_t bytes = build->places[at].end - build->places[at].base;

		if (build->commands > SIMGPU_TRACE_COMMANDS_MAX)
			return;
		add_command(build, step->kind, COPY_QUEUE, (uint32_t)at, bytes);
		left -= bytes;
	}
	add_command(build, step->kind, COPY_QUEUE, (uint32_t)at, left);
}

static void add_commands(struct build *build)
{
	const struct script *script = build->script;
	uint32_t kernels = 0;
	size_t i;

	for (i = 0; i < script->count; i++) {
		const struct step *step = &script->steps[i];

		if (step->kind == SIMGPU_TRACE_COMMAND_KERNEL)
			add_kernel(build, kernels++,
				   step->what % SIMGPU_TRACE_QUEUES_MAX);
		else
			add_copy(build, step);
	}
}

int script_build(const struct script *script, struct builder *builder,
		 const struct pages *pages, const uint32_t *order, uint64_t *footprint)
{
	struct build build = {
		.script = script, .builder = builder,
		.sorted = sort_pages(pages, order), .page_count = pages->count,
	};
	int ret = build.sorted ? find_places(&build) : -ENOMEM;

	if (!ret) {
		add_allocations(&build, footprint);
		add_commands(&build);
		if (build.commands > SIMGPU_TRACE_COMMANDS_MAX)
			ret = -E2BIG;
	}
	free(build.sorted);
	free(build.places);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/* Counting and printing the units of a trace's instructions; see trace_units.h. */
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "trace_units.h"

static const char *const unit_names[SIMGPU_TRACE_UNITS] = {
	[SIMGPU_TRACE_UNIT_INTEGER] = "integer",
	[SIMGPU_TRACE_UNIT_FP32] = "fp32",
	[SIMGPU_TRACE_UNIT_FP64] = "fp64",
	[SIMGPU_TRACE_UNIT_SFU] = "sfu",
	[SIMGPU_TRACE_UNIT_TENSOR] = "tensor",
	[SIMGPU_TRACE_UNIT_SHARED] = "shared",
	[SIMGPU_TRACE_UNIT_CONTROL] = "control",
};

const char *unit_name(u32 unit)
{
	return unit_names[unit];
}

static void add_to(u64 *sum, u64 value, u64 times)
{
	*sum = fixed_add(*sum, fixed_mul(value, times));
}

void count_units(const struct view *view, const struct simgpu_trace_op *op,
		 u64 times, struct unit_counts *units)
{
	const struct simgpu_trace_instruction *instruction;
	const struct simgpu_trace_mix *mix;
	u32 i;

	if (op->kind != SIMGPU_TRACE_COMPUTE || !op->mix)
		return;
	mix = &view->mixes[op->mix - 1];
	instruction = &view->instructions[mix->first_instruction];
	for (i = 0; i < mix->instruction_count; i++, instruction++) {
		struct unit_counts *unit = &units[instruction->unit];
		u64 rounds = op->count / mix->instruction_count +
			     (i < op->count % mix->instruction_count);
		u64 count = fixed_mul(rounds, times);

		add_to(&unit->warp, 1, count);
		add_to(&unit->thread, op->active_lanes, count);
		add_to(&unit->passes, instruction->passes, count);
		if (!instruction->after)
			continue;
		add_to(&unit->waiting, 1, count);
		add_to(&unit->distance, instruction->after, count);
	}
}

void add_units(struct unit_counts *to, const struct unit_counts *from,
	       u64 times)
{
	u32 i;

	for (i = 0; i < SIMGPU_TRACE_UNITS; i++) {
		add_to(&to[i].warp, from[i].warp, times);
		add_to(&to[i].thread, from[i].thread, times);
		add_to(&to[i].passes, from[i].passes, times);
		add_to(&to[i].waiting, from[i].waiting, times);
		add_to(&to[i].distance, from[i].distance, times);
	}
}

static bool has_units(const struct unit_counts *units)
{
	u32 i;

	for (i = 0; i < SIMGPU_TRACE_UNITS; i++)
		if (units[i].warp)
			return true;
	return false;
}

static double a_warp(u64 value, const struct unit_counts *unit)
{
	return ppm_ratio(fixed_ratio_ppm(value, unit->warp));
}

void print_units(const struct unit_counts *units)
{
	struct table *table;
	u32 i;

	if (!has_units(units))
		return;
	table = table_new("UNIT|>WARP|>THREAD|>LANES|>PASSES|>WAITING|>DISTANCE");
	for (i = 0; i < SIMGPU_TRACE_UNITS; i++) {
		const struct unit_counts *unit = &units[i];

		if (!unit->warp)
			continue;
		table_row(table, "%s|%llu|%llu|%.1f|%.2f|%.2f", unit_names[i],
			  unit->warp, unit->thread, a_warp(unit->thread, unit),
			  a_warp(unit->passes, unit), a_warp(unit->waiting, unit));
		table_ppm(table, unit->waiting != 0,
			  fixed_ratio_ppm(unit->distance, unit->waiting), 1);
	}
	putchar('\n');
	table_print(table);
}

struct json_object *units_json(const struct unit_counts *units)
{
	struct json_object *all = json_object_new_object();
	u32 i;

	for (i = 0; i < SIMGPU_TRACE_UNITS; i++) {
		const struct unit_counts *unit = &units[i];
		struct json_object *one = json_object_new_object();

		json_set(one, "warp_instructions", json_u64(unit->warp));
		json_set(one, "thread_instructions", json_u64(unit->thread));
		json_set(one, "passes", json_u64(unit->passes));
		json_set(one, "waiting", json_u64(unit->waiting));
		json_set(one, "distance", json_ppm_or_null(unit->waiting != 0,
			fixed_ratio_ppm(unit->distance, unit->waiting)));
		json_set(all, unit_names[i], one);
	}
	return all;
}

// SPDX-License-Identifier: GPL-2.0
/* The search of the best schedule; see optimal.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "optimal.h"

#define SETS	(1U << OPTIMAL_KERNELS_MAX)

/**
 * struct table - what is known of each set of kernels; an index has a bit for each kernel
 * @search: the search
 * @phase: best phase of the set, if it is better than the set in several phases
 * @best: time of its best schedule
 * @first: phase of that schedule with the set's lowest kernel
 * @done: phases and splits that were measured or skipped
 * @total: number of all phases and splits
 * @out: gets the counts
 */
struct table {
	const struct optimal_search *search;
	struct optimal_phase phase[SETS];
	u64 best[SETS];
	u32 first[SETS];
	u32 done;
	u32 total;
	struct optimal *out;
};

/* --- splits -------------------------------------------------------------------------- */

static u32 kernels_of(u32 set)
{
	return (u32)__builtin_popcount(set);
}

/* The number of splits: kernels - 1 borders out of SMs - 1. */
u32 optimal_splits(u32 sms, u32 kernels)
{
	u64 ways = 1;
	u32 i;

	for (i = 1; i < kernels; i++)
		ways = ways * (sms - i) / i;
	return (u32)ways;
}

/* Each kernel has one SM, and the last one the rest. */
void optimal_first_split(struct plan_choice *choice, u32 set, u32 sms)
{
	u32 i;

	memset(choice, 0, sizeof(*choice));
	for (; set; set &= set - 1) {
		choice->kernel[choice->count] = (u8)__builtin_ctz(set);
		choice->sms[choice->count++] = 1;
	}
	for (i = 1; i < choice->count; i++)
		sms--;
	choice->sms[choice->count - 1] = (u16)sms;
}

/*
 * The next split, in the order of the first kernel's SMs, then of the second's, and so
 * on. The rightmost kernel that can takes an SM from the last one; the kernels between
 * them start again with one SM.
 */
bool optimal_next_split(struct plan_choice *choice)
{
	u32 last = choice->count - 1, i = last;

	while (i--) {
		if (choice->sms[last] > 1) {
			choice->sms[last]--;
			choice->sms[i]++;
			return true;
		}
		choice->sms[last] = (u16)(choice->sms[last] + choice->sms[i] - 1);
		choice->sms[i] = 1;
	}
	return false;
}

/* --- bounds --------------------------------------------------------------------------- */

static const struct simgpu_profile_point *
points_of(const struct plan_set *set, u32 kernel)
{
	return set->profiles[set->kernels[kernel].profile].point;
}

/* The least time of a kernel alone, or the least memory time. */
static u64 least_of(const struct plan_set *set, u32 kernel, bool memory)
{
	const struct simgpu_profile_point *points = points_of(set, kernel);
	u64 least = PLAN_NEVER;
	u32 i;

	for (i = 0; i < set->sms; i++) {
		u64 cycles = points[i].cycles;

		if (memory)
			cycles = fixed_mul_div(cycles, points[i].bandwidth_ppm,
					       SIMGPU_PPM);
		if (cycles < least)
			least = cycles;
	}
	return least;
}

/* A lower bound for a phase of these kernels; PLAN_NEVER: they do not fit together. */
static u64 bound_of(const struct plan_set *set, u32 kernels)
{
	u64 longest = 0, memory = 0, bytes = 0;

	for (; kernels; kernels &= kernels - 1) {
		u32 kernel = (u32)__builtin_ctz(kernels);
		u64 least = least_of(set, kernel, false);

		if (least > longest)
			longest = least;
		memory += least_of(set, kernel, true);
		bytes += set->kernels[kernel].memory_bytes;
	}
	if (set->memory_bytes && bytes > set->memory_bytes)
		return PLAN_NEVER;
	return longest > memory ? longest : memory;
}

/* --- Algorithm 2: one phase --------------------------------------------------------------- */

static void tell(struct table *table, u32 done)
{
	const struct optimal_search *search = table->search;

	table->done += done;
	if (search->progress)
		search->progress(search->context, table->done, table->total);
}

/* Measure the splits of a set; its best phase is kept if it takes less than @limit. */
static int measure_splits(struct table *table, u32 set, u64 limit)
{
	const struct optimal_search *search = table->search;
	struct plan_choice choice;
	int ret;

	optimal_first_split(&choice, set, search->set->sms);
	do {
		u64 cycles;

		ret = search->measure(search->context, &choice, limit - 1, &cycles);
		if (ret)
			return ret;
		table->out->measured++;
		if (cycles < limit) {
			table->phase[set].cycles = limit = cycles;
			table->phase[set].choice = choice;
		} else {
			table->out->cut++;
		}
		tell(table, 1);
	} while (optimal_next_split(&choice));
	return 0;
}

/* --- Algorithm 3: all divisions into phases --------------------------------------------------- */

/* The best schedule of @set in several phases, one of which has its lowest kernel. */
static void find_parts(struct table *table, u32 set)
{
	u32 lowest = set & -set, rest = set ^ lowest, part;

	table->best[set] = PLAN_NEVER;
	/* All proper subsets of the other kernels, each with the lowest kernel. */
	for (part = rest; part; ) {
		u32 phase, others;

		part = (part - 1) & rest;
		phase = part | lowest;
		others = set ^ phase;
		if (table->phase[phase].cycles != PLAN_NEVER &&
		    table->phase[phase].cycles + table->best[others] < table->best[set]) {
			table->best[set] = table->phase[phase].cycles +
					   table->best[others];
			table->first[set] = phase;
		}
	}
}

/* Whether nothing has to be measured: a set cannot win, or its result is known. */
static bool is_settled(struct table *table, u32 set, u32 splits)
{
	const struct optimal_search *search = table->search;
	struct optimal_phase known;

	if (!splits || (kernels_of(set) > 1 &&
			bound_of(search->set, set) >= table->best[set]))
		return true;
	if (!search->recall || !search->recall(search->context, set, &known))
		return false;
	table->phase[set] = known;
	return true;
}

static int try_set(struct table *table, u32 set)
{
	const struct optimal_search *search = table->search;
	u32 sms = search->set->sms, count = kernels_of(set);
	u32 splits = count > sms || count > SIMGPU_SHARED_ROWS_MAX / sms ? 0 :
		     optimal_splits(sms, count);
	int ret = 0;

	find_parts(table, set);
	table->phase[set].cycles = PLAN_NEVER;
	if (is_settled(table, set, splits)) {
		table->out->skipped += splits;
		tell(table, splits);
	} else {
		ret = measure_splits(table, set, table->best[set]);
		if (!ret && search->keep)
			search->keep(search->context, set, &table->phase[set]);
	}
	if (table->phase[set].cycles < table->best[set]) {
		table->best[set] = table->phase[set].cycles;
		table->first[set] = set;
	}
	return ret;
}

/* Try all sets of @count kernels. */
static int try_sets(struct table *table, u32 count)
{
	u32 sets = 1U << table->search->set->count, set;
	int ret = 0;

	for (set = 1; !ret && set < sets; set++)
		if (kernels_of(set) == count)
			ret = try_set(table, set);
	return ret;
}

static u32 count_all(const struct plan_set *set)
{
	u32 total = 0, i;

	for (i = 1; i < 1U << set->count; i++)
		total += kernels_of(i) > set->sms ? 0 :
			 optimal_splits(set->sms, kernels_of(i));
	return total;
}

static void read_schedule(const struct table *table, struct optimal *out)
{
	u32 set = (1U << table->search->set->count) - 1, i;

	out->cycles = table->best[set];
	for (i = 0; i < table->search->set->count; i++)
		out->sequential += table->phase[1U << i].cycles;
	for (; set; set ^= table->first[set]) {
		const struct optimal_phase *phase =
			&table->phase[table->first[set]];

		out->phase[out->phases] = phase->choice;
		out->phase_cycles[out->phases] = phase->cycles;
		out->phases++;
	}
}

int optimal_find(const struct optimal_search *search, struct optimal *out)
{
	struct table *table;
	u32 count;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	if (search->set->count > OPTIMAL_KERNELS_MAX)
		return -E2BIG;
	table = calloc(1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	table->search = search;
	table->out = out;
	table->total = count_all(search->set);
	for (count = 1; !ret && count <= search->set->count; count++)
		ret = try_sets(table, count);
	if (!ret)
		read_schedule(table, out);
	free(table);
	return ret;
}

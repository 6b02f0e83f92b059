/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The best schedule of a few kernels, found by measuring (STM, Algorithms 2 and 3):
 * all ways to divide them among phases, and in each phase all ways to divide the SMs.
 */
#ifndef OFFLINE_OPTIMAL_H
#define OFFLINE_OPTIMAL_H

#include "offline.h"

/* Most kernels: on 15 SMs five have 3,871 phases and splits of two and more. */
#define OPTIMAL_KERNELS_MAX	5

/**
 * struct optimal_phase - the best split of some kernels as one phase
 * @cycles: its time; PLAN_NEVER: the kernels in several phases take no longer
 * @choice: the kernels and their SMs; empty if @cycles is PLAN_NEVER
 */
struct optimal_phase {
	u64 cycles;
	struct plan_choice choice;
};

/**
 * struct optimal_search - the kernels, and functions of the caller
 * @set: kernels, at most OPTIMAL_KERNELS_MAX; their profiles bound the times of sets
 * @context: passed to the functions
 * @measure: sets @cycles to the time of a phase, or to PLAN_NEVER if that is more than
 *	@limit; @count, @kernel and @sms of the choice are filled in. Returns 0, or a
 *	negative errno that ends the search
 * @progress: NULL, or called with how many of all phases and splits are done
 * @recall: NULL, or fills in the result of an earlier search for some kernels, a bit each
 *	of the set; returns false if there is none
 * @keep: NULL, or called with each result, to be kept for other searches
 */
struct optimal_search {
	const struct plan_set *set;
	void *context;
	int (*measure)(void *context, const struct plan_choice *choice, u64 limit,
		       u64 *cycles);
	void (*progress)(void *context, u32 done, u32 total);
	bool (*recall)(void *context, u32 kernels, struct optimal_phase *out);
	void (*keep)(void *context, u32 kernels, const struct optimal_phase *phase);
};

/**
 * struct optimal - the best schedule, and how it was found
 * @cycles: core cycles of all phases, as measured
 * @sequential: core cycles of all kernels one after another, as measured
 * @phases: number of phases
 * @phase: the kernels and the SMs of each phase
 * @phase_cycles: core cycles of each phase, as measured
 * @measured: phases and splits that were run, to their ends or to the limit
 * @cut: runs among them that were stopped at the limit
 * @skipped: phases and splits that did not run, because they could not be better than a
 *	known one, or were recalled
 */
struct optimal {
	u64 cycles;
	u64 sequential;
	u32 phases;
	struct plan_choice phase[OPTIMAL_KERNELS_MAX];
	u64 phase_cycles[OPTIMAL_KERNELS_MAX];
	u32 measured;
	u32 cut;
	u32 skipped;
};

/**
 * optimal_find() - find the schedule that takes least time
 * @search: kernels, and how to measure
 * @out: filled in
 *
 * Each set of kernels and each of its splits is measured at most once. The best schedule
 * of a set is either the best of its splits as one phase, or the best two parts of it one
 * after the other. Small sets come first, so that a larger one is measured only as far
 * as it beats its parts. A set that cannot beat them is skipped: no kernel takes less
 * beside others than alone on its best number of SMs, and the memory has to carry the
 * traffic of all. Of equally good schedules it is the one with more phases, then the one
 * whose split comes first.
 *
 * Return: 0, what @measure returned, -E2BIG for too many kernels, -ENOMEM.
 */
int optimal_find(const struct optimal_search *search, struct optimal *out);

/**
 * optimal_splits() - the number of ways to divide SMs
 * @sms: SMs of the device
 * @kernels: kernels, each of which gets at least one SM; at most @sms
 */
u32 optimal_splits(u32 sms, u32 kernels);

/**
 * optimal_first_split() - the first way to divide SMs
 * @choice: filled in: one SM for each kernel, and the rest for the last
 * @set: kernels, a bit each
 * @sms: SMs of the device
 */
void optimal_first_split(struct plan_choice *choice, u32 set, u32 sms);

/**
 * optimal_next_split() - the next way to divide SMs; false if there is none
 * @choice: the present one; becomes the next one
 */
bool optimal_next_split(struct plan_choice *choice);

/**
 * struct offline_program - a program in a phase
 * @trace: with profiles for the GPU
 * @kernels: how many of its first kernels run, one after another
 * @sms: SMs that leaky buckets give it
 */
struct offline_program {
	const struct trace *trace;
	u32 kernels;
	u32 sms;
};

/**
 * enum offline_division - how the programs of a phase share the SMs
 * @OFFLINE_BUCKETS: they share all SMs, in the order of the leaky buckets
 * @OFFLINE_HANDOVER: each has SMs of its own; SMs of a program that has ended go to the
 *	one that has fewest in proportion to what it was given
 * @OFFLINE_PARTITION: each has SMs of its own, to the end
 */
enum offline_division {
	OFFLINE_BUCKETS,
	OFFLINE_HANDOVER,
	OFFLINE_PARTITION,
	OFFLINE_DIVISIONS
};

#endif /* OFFLINE_OPTIMAL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The best schedule of a few kernels, found by measuring (STM, Algorithms 2 and 3):
 * all ways to divide them among phases, and in each phase all ways to divide the SMs.
 */
#ifndef OFFLINE_OPTIMAL_H
#define OFFLINE_OPTIMAL_H

#include "offline.h"

/* Kernels: on 15 SMs five have 3,871 phases and splits of two and more. */
#define OPTIMAL_KERNELS_MAX	5

/**
 * struct optimal_phase - the best split of some kernels as one phase
 * @cycles: that it takes; PLAN_NEVER: the same kernels in several phases take no more
 * @choice: the kernels and their SMs; of nothing where @cycles is PLAN_NEVER
 */
struct optimal_phase {
	u64 cycles;
	struct plan_choice choice;
};

/**
 * struct optimal_search - what is searched
 * @set: kernels, at most OPTIMAL_KERNELS_MAX; their profiles bound what sets can take
 * @context: passed to the functions
 * @measure: set @cycles to what a phase takes, or to PLAN_NEVER where that is more than
 *	@limit; of the choice @count, @kernel and @sms are filled in. 0, or a negative
 *	errno that ends the search
 * @progress: NULL, or told how many of all phases and splits are done
 * @recall: NULL, or fills in what is known of some kernels, which has a bit for each of
 *	the set, from another search; false if nothing is
 * @keep: NULL, or told of what has been found, for other searches
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
 * struct optimal - the best schedule, and what it took to find it
 * @cycles: core cycles of all phases, as measured
 * @sequential: of all kernels alone, as measured
 * @phases: how many there are
 * @phase: the kernels and the SMs of each
 * @phase_cycles: of each, as measured
 * @measured: phases and splits that were run, to their ends or to the limit
 * @cut: @measured runs that were stopped at the limit
 * @skipped: those that could not be better than what is known, or were recalled, and
 *	did not run
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
 * optimal_find() - the schedule that takes least
 * @search: kernels, and how to measure
 * @out: filled in
 *
 * Each set of kernels and each of its splits is measured at most once. A set is as
 * good as the best of its splits as one phase, or as the best two parts of it one after
 * the other; small sets come first, so that a larger one is measured only as far
 * as it beats its parts. A set that cannot is skipped: no kernel takes less beside
 * others than alone on its best number of SMs, and the memory has to carry what all of
 * them ask for. Of equal schedules it is the one with more phases, then the one whose
 * split comes first.
 *
 * Return: 0, what @measure returned, -E2BIG for too many kernels, -ENOMEM.
 */
int optimal_find(const struct optimal_search *search, struct optimal *out);

/**
 * optimal_splits() - how many ways there are to divide SMs
 * @sms: of the device
 * @kernels: each of which gets at least one; at most @sms
 */
u32 optimal_splits(u32 sms, u32 kernels);

/**
 * optimal_first_split() - the first of these ways
 * @choice: filled in: one SM for each kernel, and the rest for the last
 * @set: kernels, a bit each
 * @sms: of the device
 */
void optimal_first_split(struct plan_choice *choice, u32 set, u32 sms);

/**
 * optimal_next_split() - the one after @choice; false if that is the last
 * @choice: becomes it
 */
bool optimal_next_split(struct plan_choice *choice);

/**
 * struct offline_program - what takes part in a phase
 * @trace: with profiles of the GPU
 * @kernels: of its kernels, so many of the first, one after another
 * @sms: that leaky buckets give it
 */
struct offline_program {
	const struct trace *trace;
	u32 kernels;
	u32 sms;
};

/**
 * enum offline_division - how the programs of a phase share the SMs
 * @OFFLINE_BUCKETS: all SMs are everybody's, in the order of the leaky buckets
 * @OFFLINE_HANDOVER: each has SMs of its own; those of one that has ended go to who has
 *	fewest of what it was given, in proportion
 * @OFFLINE_PARTITION: each has SMs of its own, to the end
 */
enum offline_division {
	OFFLINE_BUCKETS,
	OFFLINE_HANDOVER,
	OFFLINE_PARTITION,
	OFFLINE_DIVISIONS
};

/**
 * offline_phase() - how long programs take together
 * @config: of the GPU
 * @seed: of everything random
 * @programs: in the order of their slots
 * @count: of them, up to SIMGPU_SLOTS_MAX
 * @division: of the SMs; but for OFFLINE_BUCKETS the programs have no more SMs together
 *	than there are
 * @limit: core cycles after which nobody waits for the end
 * @cycles: set to core cycles until all have ended, or to PLAN_NEVER past @limit
 *
 * From empty caches. Under OFFLINE_BUCKETS on all SMs, in the order of the leaky buckets,
 * whose capacities are as the policy stm sets them; where a program goes on to another
 * kernel they become those of the kernels that run then.
 *
 * Return: 0; -ENODATA if a kernel has no profile for the GPU; -E2BIG if a thread block
 * does not fit on an SM; -ENOMEM.
 */
int offline_phase(const struct gpu_config *config, u64 seed,
		  const struct offline_program *programs, u32 count,
		  enum offline_division division, u64 limit, u64 *cycles);

#endif /* OFFLINE_OPTIMAL_H */

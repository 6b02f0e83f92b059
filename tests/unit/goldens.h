/* SPDX-License-Identifier: GPL-2.0 */
/* Short runs, and digests of all that they show: see test_goldens.c. */
#ifndef TESTS_GOLDENS_H
#define TESTS_GOLDENS_H

#include "../../kmod/session/journal.h"
#include "kinds.h"

/* Traces that scenarios run, then one of each of kinds.h. */
enum golden_trace {
	GOLDEN_COMPUTE,
	GOLDEN_TWICE,
	GOLDEN_STREAM,
	GOLDEN_COPY,
	GOLDEN_PARTIAL,
	GOLDEN_RANDOM,
	GOLDEN_GATHER,
	GOLDEN_PAIRS,
	GOLDEN_MIXED,
	GOLDEN_DEPENDENT,
	GOLDEN_ODD,
	GOLDEN_SHARED,
	GOLDEN_SCATTER,
	GOLDEN_SAMPLE,
	GOLDEN_BYTES,
	GOLDEN_LOADS,
	GOLDEN_DEEP,
	GOLDEN_PROFILED,
	GOLDEN_GREEDY,
	GOLDEN_MODEST,
	GOLDEN_HALF,
	GOLDEN_BRIEF,
	GOLDEN_LONG,
	GOLDEN_FEW,
	GOLDEN_KINDS,
	GOLDEN_TRACES = GOLDEN_KINDS + KIND_COUNT,
};

extern struct trace *golden_traces[GOLDEN_TRACES];

void golden_traces_make(void);
void golden_traces_free(void);

/* Parts of a run that have a digest of their own. */
enum golden_part {
	GOLDEN_SEEN,		/* snapshots, as model and policy had them */
	GOLDEN_SAID,		/* predictions and proposals */
	GOLDEN_TOLD,		/* rows of epochs, and what else the session tells */
	GOLDEN_REPORTS,		/* of tenants, as rows and as text; the last refusal */
	GOLDEN_COUNTERS,	/* of tenants, SMs and channels */
	GOLDEN_JOURNAL,		/* its text */
	GOLDEN_PARTS,
};

extern const char *const golden_parts[GOLDEN_PARTS];

/** struct golden_result - what a run was like */
struct golden_result {
	u64 hash;
	u32 digest[GOLDEN_PARTS];
};

/**
 * struct golden_run - a run that goes on
 * @session: of it
 * @step: that comes next, from 0; each is so long as the scenario says
 * @variant: of the scenario
 */
struct golden_run {
	struct session *session;
	u32 step;
	u32 variant;
	struct golden_result result;
};

/**
 * struct golden_scenario - a run
 * @name: without blanks
 * @options: of its session
 * @steps: how many it has
 * @step_cycles: of each
 * @variant: what @live goes by
 * @live: what happens before a step
 */
struct golden_scenario {
	char name[64];
	struct session_options options;
	u32 steps;
	u64 step_cycles;
	u32 variant;
	void (*live)(struct golden_run *run);
};

/* By index; false: there are no more. */
bool golden_scenario(u32 index, struct golden_scenario *out);

/* What tenants do; each call's answer is part of the run. */
void golden_join(struct golden_run *run, u32 slot,
		 const struct session_tenant_options *options);
void golden_launch(struct golden_run *run, u32 slot,
		   const struct session_launch_options *options);
void golden_note(struct golden_run *run, const char *what, s64 value);

void golden_run(const struct golden_scenario *scenario, struct golden_result *result);

#endif /* TESTS_GOLDENS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of `simgpu sweep` share. Suites of mixes (sweep_suite.c); runs
 * of each mix under each policy, and private runs, whose figures are kept in a
 * folder so that an interrupted sweep goes on where it was (sweep_runs.c); what
 * follows from them (sweep_report.c).
 */
#ifndef SIMGPU_SWEEP_H
#define SIMGPU_SWEEP_H

#include "experiment.h"
#include "workload.h"

/* Tenants of a mix. */
#define MIX_TENANTS_MAX		8
#define MIX_NAME_BYTES		(MIX_TENANTS_MAX * (SIMGPU_NAME_MAX + 1))
#define SWEEP_POLICIES_MAX	16
/* Hosts, or cores of hosts, that a sweep is divided among. */
#define SWEEP_PARTS_MAX		10000

enum mix_category {
	MIX_MEMORY,	/* memory-bound tenants only */
	MIX_COMPUTE,	/* compute-bound ones only */
	MIX_HETERO,	/* both */
	MIX_OTHER,	/* papers do not give all of them one of the two classes */
	MIX_CATEGORIES
};

/**
 * struct mix - tenants that run together
 * @name: their names with '+' between them
 * @count: how many; the first is in slot 0
 * @workload: of each, an index in &struct suite.workloads
 * @options: of each
 */
struct mix {
	char name[MIX_NAME_BYTES];
	enum mix_category category;
	u32 count;
	u32 workload[MIX_TENANTS_MAX];
	struct session_tenant_options options[MIX_TENANTS_MAX];
};

/**
 * struct suite - mixes, and the workloads that occur in them, each once
 */
struct suite {
	struct workload *workloads;
	u32 workload_count;
	struct mix *mixes;
	u32 mix_count;
};

/**
 * suite_load() - a suite by name, or from a file with a mix a line
 * @name: hsm-pairs, hsm-memory, hsm-compute, hsm-hetero, hsm-quads, or a file
 * @seed: chooses who has priority where the paper does at random
 * @target_ppm: NP that the tenant with priority is promised; 0: nobody has
 * @out: filled in; suite_free() frees what it holds
 *
 * Return: an exit status; what was wrong has been said.
 */
int suite_load(const char *name, u64 seed, u64 target_ppm, struct suite *out);
void suite_free(struct suite *suite);
const char *mix_category_name(enum mix_category category);

/**
 * struct sweep_tenant - a tenant's figures of one run, and of its private one
 * @instructions: thread instructions of its first run
 * @cycles: that these took
 * @sms_milli: SMs that it held on average, in thousandths
 * @class: the model's last word
 * @np_predicted_ppm: of its first run; 0 if the model said nothing
 * @first_run_done: 1 if that ended
 * @late_instructions: of @instructions, those before the warm-up's end
 * @late_cycles: of @cycles, those before it; 0 if the first run ended earlier
 * @alone: the private run at @instructions
 * @alone_late: and at @late_instructions
 */
struct sweep_tenant {
	u64 instructions;
	u64 cycles;
	u64 ipc_ppm;
	u64 rbh_ppm;
	u64 bandwidth_ppm;
	u64 llc_mpki_ppm;
	u64 sms_milli;
	u64 class;
	u64 np_predicted_ppm;
	u64 first_run_done;
	u64 late_instructions;
	u64 late_cycles;
	struct offline_mark alone;
	struct offline_mark alone_late;
};

/**
 * struct sweep_run - a mix under a policy
 * @sweep: that it belongs to
 */
struct sweep_run {
	const struct sweep *sweep;
	const struct mix *mix;
	const char *policy;
	u64 state_hash;
	struct sweep_tenant tenants[MIX_TENANTS_MAX];
};

/**
 * struct sweep - the command line, and all runs
 * @folder: where figures are kept
 * @warmup_cycles: where the late span begins, at the next epoch's end
 * @part: which share of the runs this command makes, from 0, of @parts
 * @incomplete: runs of other parts are missing still: there is nothing to report
 * @program: checksum of this program: figures of another one are not used
 * @runs: of policies x mixes
 */
struct sweep {
	struct experiment experiment;
	const char *suite_name;
	const char *folder;
	const char *policies[SWEEP_POLICIES_MAX];
	u32 policy_count;
	u64 target_ppm;
	u64 warmup_cycles;
	u64 workers;
	u32 part;
	u32 parts;
	bool incomplete;
	bool json;
	bool csv;
	u32 program;
	struct suite suite;
	struct sweep_run *runs;
	u32 run_count;
};

/*
 * Run what is not in the folder yet, or of that this command's part: mixes first,
 * private runs once all mixes are there. An exit status.
 */
int sweep_run_all(struct sweep *sweep);

/* sweep.csv in the folder, and a summary on standard output; an exit status. */
int sweep_report(const struct sweep *sweep);

#endif /* SIMGPU_SWEEP_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run that was written down: what `simgpu run --json` or --csv printed, read
 * again by those who show it (plot, top --replay).
 */
#ifndef SIMGPU_RECORDED_H
#define SIMGPU_RECORDED_H

#include "command.h"

/**
 * struct recorded_epoch - what an epoch was for a tenant
 * @start: device cycle at its start: where the epoch before it ended
 * @end: device cycle at its end
 * @np_known: whether @np means something
 * @goal_ipc: what @ipc was to be; 0: it had no goal
 * @quota: thread instructions on shared SMs that it was allowed; 0: any number
 * @blocks: thread blocks on shared SMs when that was said
 */
struct recorded_epoch {
	u64 start;
	u64 end;
	u32 sms;
	u32 class;
	bool np_known;
	bool np_doubted;
	double np;
	double ipc;
	double rbh;
	double bandwidth;
	double goal_ipc;
	double quota;
	double blocks;
};

/**
 * struct recorded_tenant - a tenant of a run
 * @report: its launches, queues, goal, quotas and energy at the run's end; 0 where
 *	the run does not say so
 * @sm_list: SMs that were its alone then
 * @shared_sm_list: SMs that it shared then
 * @epochs: in order of their ends, @count of them
 */
struct recorded_tenant {
	char name[SIMGPU_NAME_MAX];
	struct simgpu_tenant_report report;
	char sm_list[ROW_SM_LIST_BYTES];
	char shared_sm_list[ROW_SM_LIST_BYTES];
	struct recorded_epoch *epochs;
	size_t count;
};

/**
 * struct recorded - a whole run
 * @config: name of the GPU; empty if it is not known, as from CSV
 * @policy: name of the policy; empty if it is not known
 * @model: name of the model; empty if it is not known
 * @energy_joules: of the GPU and all tenants; 0 if it is not known
 * @instructions_per_joule: likewise
 * @ends: ends of all epochs, ascending, each once
 */
struct recorded {
	char config[SIMGPU_NAME_MAX];
	char policy[SIMGPU_NAME_MAX];
	char model[SIMGPU_NAME_MAX];
	double energy_joules;
	double instructions_per_joule;
	struct recorded_tenant *tenants;
	size_t tenant_count;
	u64 *ends;
	size_t end_count;
};

/**
 * recorded_read() - read a run
 * @path: of a file with JSON or CSV; "-": standard input
 * @run: filled in; recorded_free() frees what it holds, also after a failure
 *
 * Return: an exit status; what was wrong has been said.
 */
int recorded_read(const char *path, struct recorded *run);
void recorded_free(struct recorded *run);

#endif /* SIMGPU_RECORDED_H */

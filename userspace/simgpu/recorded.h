/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run that was saved: reads the output of `simgpu run --json` or --csv, for the
 * commands that show it (plot, top --replay).
 */
#ifndef SIMGPU_RECORDED_H
#define SIMGPU_RECORDED_H

#include "command.h"

struct json_object;

/**
 * struct recorded_epoch - an epoch of a tenant
 * @start: device cycle at its start: the end of the epoch before
 * @end: device cycle at its end
 * @np_known: whether @np is known
 * @goal_ipc: thread instructions a cycle that @ipc should have been; 0: no goal
 * @quota: thread instructions on shared SMs that the tenant was allowed; 0: any number
 * @blocks: its thread blocks on shared SMs when the quota was set
 * @gauges: values of the run's gauges, in their order; NAN where the epoch has none
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
	double gauges[SIMGPU_GAUGES_MAX];
};

/**
 * struct recorded_tenant - a tenant of a run
 * @report: its launches, queues, goal, quotas and energy at the run's end; 0 where
 *	the run does not have them
 * @sm_list: SMs that it alone had at the end
 * @shared_sm_list: SMs that it shared at the end
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
 * @refused: the policy was refused and even ran in its place, or the model failed: the
 *	figures are not the policy's
 * @energy_joules: energy of the GPU with all tenants; 0 if it is not known
 * @instructions_per_joule: 0 if it is not known
 * @gauges: names of the gauges of its policy, @gauge_count of them
 * @ends: ends of all epochs, ascending, each once
 */
struct recorded {
	char config[SIMGPU_NAME_MAX];
	char policy[SIMGPU_NAME_MAX];
	char model[SIMGPU_NAME_MAX];
	bool refused;
	double energy_joules;
	double instructions_per_joule;
	struct recorded_tenant *tenants;
	size_t tenant_count;
	char gauges[SIMGPU_GAUGES_MAX][SIMGPU_NAME_MAX];
	u32 gauge_count;
	u64 *ends;
	size_t end_count;
};

/**
 * recorded_read() - read a saved run
 * @path: path of a file with JSON or CSV; "-": standard input
 * @run: filled in; recorded_free() frees what it holds, also after a failure
 * @sweep: NULL: only runs are read; else set to the JSON of a sweep, to be put, and @run
 *	is empty, if it is one
 *
 * Return: an exit status; a message has been printed on failure.
 */
int recorded_read(const char *path, struct recorded *run, struct json_object **sweep);
/* What stands behind the policy's name where a run is shown. */
const char *recorded_mark(const struct recorded *run);
void recorded_free(struct recorded *run);

#endif /* SIMGPU_RECORDED_H */

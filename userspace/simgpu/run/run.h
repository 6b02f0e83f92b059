/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of `simgpu run`. An experiment runs on a device
 * (run_device.c) or in this process (run_offline.c); both fill the same
 * result, which run_output.c prints. The same code of kmod/session computes the figures
 * of both, and they are passed in the structs of the UAPI.
 */
#ifndef SIMGPU_RUN_H
#define SIMGPU_RUN_H

#include "../experiment.h"
#include "../statistics.h"
#include "../workload.h"

/**
 * struct result_spread - a figure over several seeds
 * @known: whether there were several seeds, and each has it
 */
struct result_spread {
	bool known;
	u64 mean_ppm;
	double deviation;
	struct interval ci95;
};

/**
 * struct result_tenant - a tenant and its figures
 * @slot: slot of the device
 * @options: settings of the tenant
 * @trace: its trace, if that is decoded; for private runs
 * @checksum: checksum of its trace
 * @draining: offline: SMs that it still has at the end, but has to give up
 * @report: its last report
 * @counters: its last counters, by &enum simgpu_counter
 * @actual_known: whether its private run was made
 * @np_actual_ppm: cycles alone / cycles shared, for the same instructions
 * @error_ppm: |predicted - actual| / actual; see result_error()
 * @ipc: over seeds, as are the others
 */
struct result_tenant {
	u32 slot;
	struct session_tenant_options options;
	const struct trace *trace;
	u32 checksum;
	u32 draining;
	struct simgpu_tenant_report report;
	u64 counters[SIMGPU_COUNTER_COUNT];
	bool actual_known;
	u64 np_actual_ppm;
	u64 error_ppm;
	struct result_spread ipc;
	struct result_spread cycles;
	struct result_spread np_predicted;
	struct result_spread np_actual;
};

/**
 * struct result_epoch - an epoch record, and its tenant
 * @tenant: index in &struct result.tenants
 */
struct result_epoch {
	u32 tenant;
	struct simgpu_epoch_record record;
};

/**
 * struct result_note - a note of the policy
 * @cycle: device cycle of its decision
 * @text: the note with its numbers
 */
struct result_note {
	u64 cycle;
	char text[SESSION_NOTE_TEXT_BYTES];
};

/* Most kernels of a run that are kept; a run of short ones may have more. */
#define RESULT_KERNELS_MAX	200000

/**
 * struct result_kernel - a kernel of the run, and its tenant
 * @tenant: index in &struct result.tenants
 */
struct result_kernel {
	u32 tenant;
	struct offline_kernel kernel;
};

struct json_object;
struct timeline;

/**
 * struct result - how an experiment went
 * @complete: it came to its end, or was stopped, and the rest is to be printed
 * @partial: it was stopped before its end, or before the end of its private runs
 * @sampling: leaps of sampled time
 * @memory: offline: managed memory at the end
 * @failures: offline: what has failed; a device tells it in sysfs
 * @power: clock and power at the end; of a device without what epochs have
 * @device: "simgpu0", or "offline"
 * @policy_params: on a device: parameters of the policy when the gang was made
 * @memory_params: the same of the memory policy; NULL: no memory is managed
 * @model_params: on a device: parameters of the model when the gang was made
 * @tenants: in the order in which they came
 * @present: by slot, the index of its present tenant
 * @kernels: offline: those that were on the device, in the order in which they ended
 * @kernels_lost: those for which there was no room
 * @gauges: names and units of the policy's gauges, @gauge_count of them
 * @notes_wanted: whether the policy's notes are asked for
 * @notes: the last of them, @note_count
 * @timeline: is told of what happens; NULL: there is none
 * @refusal: why even has taken the policy's place, or else the last one; of kind
 *	SESSION_REFUSED_NOTHING if there was none
 * @refused: even has run in the policy's place, or the model has failed, in this run or
 *	with another seed: the figures are not theirs
 * @refused_from: device cycle from which on
 * @queued: it is of a journal whose tenants used several queues
 * @quota_checks: offline: quotas on an SM that were held against what was issued
 * @quota_overruns: checks that found more issued than allowed
 * @predicted_known: whether each tenant's NP is predicted; then @predicted is set
 * @predicted: metrics over predicted NPs
 * @truth: whether private runs were made; then @metrics and @error_ppm are set
 * @error_known: whether some tenant has both figures
 * @error_ppm: mean of its tenants' errors
 * @seeds: of how many this is the first; 0: of one
 * @cycles_spread: over seeds, as are the others
 * @stp: of actual NPs, as are the next three
 * @stp_predicted: of predicted ones, as are the next two
 */
struct result {
	bool complete;
	bool partial;
	char device[SIMGPU_NAME_MAX];
	struct json_object *policy_params;
	struct json_object *memory_params;
	struct json_object *model_params;
	u64 cycle;
	u64 state_hash;
	struct session_sampling sampling;
	struct session_memory memory;
	struct session_failure_times failures;
	struct session_power power;
	u64 wall_ns;
	u64 records_lost;
	struct result_tenant *tenants;
	size_t tenant_count;
	size_t present[SESSION_SLOTS_MAX];
	struct result_epoch *epochs;
	size_t epoch_count;
	size_t epoch_room;
	struct result_kernel *kernels;
	size_t kernel_count;
	size_t kernel_room;
	u64 kernels_lost;
	struct session_gauge gauges[SIMGPU_GAUGES_MAX];
	u32 gauge_count;
	bool notes_wanted;
	struct result_note *notes;
	size_t note_count;
	struct timeline *timeline;
	struct session_refusal refusal;
	bool refused;
	u64 refused_from;
	bool queued;
	u64 quota_checks;
	u64 quota_overruns;
	bool predicted_known;
	struct simgpu_metrics predicted;
	bool truth;
	struct metrics metrics;
	bool error_known;
	u64 error_ppm;
	u32 seeds;
	struct result_spread cycles_spread;
	struct result_spread stp;
	struct result_spread antt;
	struct result_spread fairness;
	struct result_spread error;
	struct result_spread stp_predicted;
	struct result_spread antt_predicted;
	struct result_spread fairness_predicted;
};

/* Whether launches of a tenant have failed, or were ended or repeated for what others did. */
static inline bool report_has_failed(const struct simgpu_tenant_report *report)
{
	return report->timeouts || report->faults || report->resets ||
	       report->launches_canceled || report->strikes;
}

/* The predicted NP of the run; 0 means that there was no prediction. */
static inline bool result_predicted(const struct result_tenant *tenant)
{
	return tenant->report.np_run_ppm != 0;
}

#endif /* SIMGPU_RUN_H */

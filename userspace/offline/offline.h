/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Experiments without a device: the portable rooms (kmod/sim, kmod/policy,
 * kmod/session), the same files that the module is built from, run inside the
 * calling process: runs of whole experiments, private runs (truth), and
 * replays of journals. There is no global state: experiments may run in parallel
 * threads.
 */
#ifndef OFFLINE_OFFLINE_H
#define OFFLINE_OFFLINE_H

#include "../../kmod/session/journal.h"
#include "../../kmod/session/journal_lines.h"
#include "../../kmod/session/pager.h"
#include "../../kmod/session/rows.h"
#include "../../kmod/session/settings.h"
#include "../../kmod/policy/common/plan.h"
#include "../../kmod/policy/models/hsm_line.h"
#include "../../kmod/policy/registry.h"

/**
 * struct offline_kernel - a kernel that was on the device
 * @slot: slot of its tenant
 * @queue: queue of the tenant
 * @sequence: number of the launch
 * @number: index of the kernel in its trace
 * @kernel: the kernel
 * @start: device cycle in which it started
 * @end: device cycle in which its last thread block ended, or in which the run did
 * @ended: whether it ran to its end
 */
struct offline_kernel {
	u32 slot;
	u32 queue;
	u64 sequence;
	u32 number;
	const struct trace_kernel *kernel;
	u64 start;
	u64 end;
	bool ended;
};

/**
 * struct offline_observer - functions that are called during a run; members may be
 *	NULL
 * @context: passed to each
 * @epoch: an epoch has ended; the struct is only valid during the call
 * @tenant: a tenant has taken a slot; later epochs of that slot are its own
 * @left: a tenant leaves before the end (replay only); @report has its last figures
 * @progress: some device time has passed, up to @cycle
 * @stop: called now and then; once it returns true the run ends where it is
 * @kernel: a kernel has ended, or the run has while the kernel was on the device
 * @preempt: as in &struct session_hooks, at @cycle
 * @leap: in sampled time: the cycles from @from to @until were leapt
 * @passed: in sampled time: a leap passes a request of a slot's arrivals, as in &struct
 *	session_hooks
 * @note: the policy has written a note, as in &struct session_hooks
 * @look: called every @look_cycles, also at the beginning and at the end
 * @look_cycles: cycles between two calls of @look, but for leaps; 0: never
 */
struct offline_observer {
	void *context;
	void (*epoch)(void *context, const struct session_epoch *epoch);
	void (*tenant)(void *context, u32 slot,
		       const struct session_tenant_options *options,
		       const struct trace *trace);
	void (*left)(void *context, u32 slot,
		     const struct session_tenant_report *report);
	void (*progress)(void *context, u64 cycle);
	bool (*stop)(void);
	void (*kernel)(void *context, const struct offline_kernel *kernel);
	void (*preempt)(void *context, u64 cycle, u32 sm, u32 from, u32 to,
			u32 how);
	void (*leap)(void *context, u64 from, u64 until);
	void (*passed)(void *context, u32 slot, u64 sequence, u64 start, u64 end);
	void (*note)(void *context, const struct session_note *note);
	void (*look)(void *context, u64 cycle, const struct gpu *gpu);
	u64 look_cycles;
};

/**
 * struct offline_queues - how a tenant uses its queues
 * @count: queues, 1 and up, each of which gets one launch; 0: as 1
 * @waits: by queue, a bit for each queue whose launch its own launch waits for; at most
 *	SESSION_WAITS_MAX
 * @priority: by queue, as for session_set_queue()
 * @sms: by queue, mask of SMs of its launch; all zero: none
 * @idempotent: for all its launches, as in &struct session_launch_options
 */
struct offline_queues {
	u32 count;
	u8 waits[SESSION_QUEUES_MAX];
	s8 priority[SESSION_QUEUES_MAX];
	u64 sms[SESSION_QUEUES_MAX][SESSION_MASK_WORDS];
	bool idempotent;
};

/**
 * struct offline_tenant - a member of an experiment
 * @options: settings of the tenant
 * @trace: trace that it launches, once; options.relaunch repeats it
 * @arrives: requests come by themselves in place of that one launch
 * @arrivals: the requests, and when they come
 * @queues: queues in which it launches the trace
 * @masks: masks of the tenant; private runs have none, nor those of @queues
 * @start_cycle: device cycle before which its launch does not start; private runs begin
 *	at once
 * @managed: the footprint of its trace is managed memory, in private runs too
 * @prefetch: with @managed, it asks for all of that when it has launched, at cycle 0
 * @advice: &enum simgpu_memory_advice on all of its managed memory, from cycle 0 on; private
 *	runs have none
 */
struct offline_tenant {
	struct session_tenant_options options;
	const struct trace *trace;
	bool arrives;
	struct arrivals_plan arrivals;
	struct offline_queues queues;
	struct session_masks masks;
	u64 start_cycle;
	bool managed;
	bool prefetch;
	u32 advice;
};

/* Most models that can watch a run of another one. */
#define OFFLINE_WATCHED_MAX	15

/**
 * struct offline_experiment - a gang's experiment
 * @options: gang_size is taken from @count
 * @threads: threads that run the device together, on which no result depends: at most
 *	GPU_VIEWS_MAX and the device's SMs; 0: as 1
 * @count: tenants, in slots 0 to @count - 1
 * @tenants: by slot
 * @injection_count: failures that are to happen
 * @injections: these
 * @watched_count: entries of @watched, at most OFFLINE_WATCHED_MAX
 * @watched: models that are asked beside that of @options over the same run, with their
 *	parameters and constants; watch_allows() says which models can be
 */
struct offline_experiment {
	struct session_options options;
	u32 threads;
	u32 count;
	struct offline_tenant tenants[SESSION_SLOTS_MAX];
	u32 injection_count;
	struct session_injection injections[SESSION_INJECTIONS_MAX];
	u32 watched_count;
	const struct session_options *watched[OFFLINE_WATCHED_MAX];
};

/**
 * struct offline_watched - the predictions of a watching model for a tenant
 * @failed: whether the model has returned an error, so that predictions are missing
 * @class: the last class
 * @np_run: predicted NP of its first run
 */
struct offline_watched {
	bool failed;
	u32 class;
	struct session_np_figures np_run;
};

/**
 * struct offline_result - how a run ended
 * @cycle: device time at its end
 * @state_hash: state hash of the device there
 * @sampling: its leaps
 * @wall_ns: host time that it took
 * @refusal: why even has taken the policy's place, or else the last refusal or error of
 *	the model; of kind SESSION_REFUSED_NOTHING if there was none
 * @quota_checks: quotas on an SM that were compared with what was issued
 * @quota_overruns: checks that found more issued than allowed
 * @memory: managed memory at its end
 * @failures: what has failed
 * @power: clock and power at its end
 * @stopped: whether &struct offline_observer.stop ended it before its end
 * @draining: by slot, SMs that change hands once its thread blocks there have ended
 * @reports: by slot
 * @watched: by model, in the experiment's order, and slot
 */
struct offline_result {
	u64 cycle;
	u64 state_hash;
	struct session_sampling sampling;
	u64 wall_ns;
	struct session_refusal refusal;
	u64 quota_checks;
	u64 quota_overruns;
	struct session_memory memory;
	struct session_failure_times failures;
	struct session_power power;
	bool stopped;
	u32 draining[SESSION_SLOTS_MAX];
	struct session_tenant_report reports[SESSION_SLOTS_MAX];
	struct offline_watched watched[OFFLINE_WATCHED_MAX][SESSION_SLOTS_MAX];
};

/**
 * refusal_spoils() - whether a run's figures are not those of its policy and model
 * @why: its refusal
 *
 * A write that was refused has changed nothing; of a memory policy its report tells.
 */
static inline bool refusal_spoils(const struct session_refusal *why)
{
	return why->kind != SESSION_REFUSED_NOTHING &&
	       why->kind != SESSION_REFUSED_PARAM &&
	       why->kind != SESSION_REFUSED_CONSTANTS &&
	       why->kind != SESSION_REFUSED_MEMORY;
}

/**
 * struct offline_mark - a point of a private run
 * @instructions: number of thread instructions at which it lies; given
 * @cycles: device cycle at whose end the tenant has executed them; if they are its last
 *	ones, the end of its last kernel
 * @class: the model's, of the last epoch before it; SIMGPU_CLASS_UNKNOWN if the
 *	run was too short for one
 * @figures: figures of the run up to here
 */
struct offline_mark {
	u64 instructions;
	u64 cycles;
	u64 class;
	struct session_figures figures;
};

/*
 * A goal in thread instructions a cycle, in parts per million, for a part of a tenant's
 * speed alone. It is rounded up, so that a tenant that reaches the goal reaches the part.
 */
static inline u64 offline_goal_ipc_ppm(u64 part_ppm,
				       const struct session_figures *alone)
{
	u64 whole = fixed_mul(alone->cycles, SIMGPU_PPM);
	u64 asked = fixed_mul_div(part_ppm, alone->thread_instructions,
				  SIMGPU_PPM);

	/* Two divisions, each rounded up. */
	if (fixed_mul_div(asked, SIMGPU_PPM, part_ppm) !=
	    alone->thread_instructions)
		asked++;
	return fixed_mul_div(asked, SIMGPU_PPM * SIMGPU_PPM, whole) + 1;
}

/* --- journals (docs/journal.md) --- */

/**
 * struct offline_journal - a parsed journal
 * @options: options of the cold start
 * @constants_checksum: checksum of the model's constants there; 0: it had none
 * @events: in order
 * @count: number of events
 * @lost: events that found no room in the journal; with such it cannot be replayed
 * @end_cycle: device time at its end
 * @state_hash: state hash of the device there
 */
struct offline_journal {
	struct session_options options;
	u32 constants_checksum;
	struct journal_event *events;
	u32 count;
	u64 lost;
	u64 end_cycle;
	u64 state_hash;
};

/**
 * struct offline_journal_error - why a journal was refused
 * @line: number of the line, from 1; 0 for the whole journal
 * @reason: a sentence
 */
struct offline_journal_error {
	u32 line;
	char reason[200];
};

/* The built-in models, policies and configurations. */
extern const struct journal_names offline_names;

#endif /* OFFLINE_OFFLINE_H */

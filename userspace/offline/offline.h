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
 * @look: called every @look_cycles, also at the beginning and at the end
 * @look_cycles: cycles between two calls of @look; 0: never
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
	void (*look)(void *context, const struct gpu *gpu);
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
 * offline_queues_order() - the order in which the launches have to be made
 * @queues: any
 * @order: filled in with queues, each behind those that it waits for, the lowest first
 *
 * Return: how many; fewer than there are if some wait for one another in a circle,
 * or for queues that do not exist.
 */
u32 offline_queues_order(const struct offline_queues *queues,
			 u8 order[SESSION_QUEUES_MAX]);

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
 */
struct offline_tenant {
	struct session_tenant_options options;
	const struct trace *trace;
	bool arrives;
	struct arrivals_plan arrivals;
	struct offline_queues queues;
	struct session_masks masks;
	u64 start_cycle;
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
 * @watched_count: entries of @watched, at most OFFLINE_WATCHED_MAX
 * @watched: models that are asked beside that of @options over the same run, with their
 *	parameters and constants; watch_allows() says which models can be
 */
struct offline_experiment {
	struct session_options options;
	u32 threads;
	u32 count;
	struct offline_tenant tenants[SESSION_SLOTS_MAX];
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
 * @wall_ns: host time that it took
 * @refusal: why even has taken the policy's place, or else the last refusal or error of
 *	the model; of kind SESSION_REFUSED_NOTHING if there was none
 * @quota_checks: quotas on an SM that were compared with what was issued
 * @quota_overruns: checks that found more issued than allowed
 * @stopped: whether &struct offline_observer.stop ended it before its end
 * @draining: by slot, SMs that change hands once its thread blocks there have ended
 * @reports: by slot
 * @watched: by model, in the experiment's order, and slot
 */
struct offline_result {
	u64 cycle;
	u64 state_hash;
	u64 wall_ns;
	struct session_refusal refusal;
	u64 quota_checks;
	u64 quota_overruns;
	bool stopped;
	u32 draining[SESSION_SLOTS_MAX];
	struct session_tenant_report reports[SESSION_SLOTS_MAX];
	struct offline_watched watched[OFFLINE_WATCHED_MAX][SESSION_SLOTS_MAX];
};

/**
 * refusal_spoils() - whether a run's figures are not those of its policy and model
 * @why: its refusal
 *
 * A write that was refused has changed nothing.
 */
static inline bool refusal_spoils(const struct session_refusal *why)
{
	return why->kind != SESSION_REFUSED_NOTHING &&
	       why->kind != SESSION_REFUSED_PARAM &&
	       why->kind != SESSION_REFUSED_CONSTANTS;
}

/**
 * offline_load_trace() - decode a trace file's bytes
 * @bytes: the file, 8-byte aligned; may be freed afterwards
 * @count: its size
 * @error: filled in if the trace is refused (-EINVAL, -E2BIG)
 * @out: set to the trace, which offline_free_trace() frees
 *
 * Return: 0, -EINVAL, -E2BIG or -ENOMEM.
 */
int offline_load_trace(const void *bytes, size_t count,
		       struct trace_error *error, struct trace **out);
void offline_free_trace(struct trace *trace);

/**
 * offline_run() - run an experiment to its stop cycle, or without one until
 *	all launches have ended
 * @experiment: the experiment
 * @observer: is called with its progress
 * @result: filled in
 *
 * Return: 0; a negative errno if the options are bad (-EINVAL), a thread block
 * does not fit on an SM (-E2BIG), no further thread can be started (-EAGAIN), or
 * memory ran out.
 */
int offline_run(const struct offline_experiment *experiment,
		const struct offline_observer *observer,
		struct offline_result *result);

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

/**
 * offline_run_one() - run a trace as the only tenant of a GPU
 * @options: options of the experiment
 * @tenant: the tenant
 * @threads: as in &struct offline_experiment
 * @observer: is called with its progress
 * @report: set to the tenant's report
 * @wall_ns: set to the host time that it took
 *
 * Return: see offline_run().
 */
int offline_run_one(const struct session_options *options,
		    const struct offline_tenant *tenant, u32 threads,
		    const struct offline_observer *observer,
		    struct session_tenant_report *report, u64 *wall_ns);

/**
 * offline_private_run() - how long a tenant takes alone
 * @experiment: the shared experiment
 * @slot: the tenant
 * @marks: in order of @instructions, such as the number that the
 *	tenant's first run executed in shared mode; the rest is filled in
 * @count: number of marks
 * @observer: its @progress gets the number of instructions so far; it may stop the run
 *
 * Private mode (docs/glossary.md, Actual NP): the same configuration and seed,
 * the tenant alone in its slot with all SMs, from device cycle 0. One run serves
 * all shared runs of the tenant in that slot, whatever their policy.
 *
 * The answers are exact: the first cycle at whose end the tenant has executed
 * @instructions or more. The clock is advanced by no more than the remaining
 * instructions divided by the GPU's peak rate, so it cannot pass that cycle;
 * near it the steps are single cycles. The last cycle may execute more than
 * the last mark asks for, at most one cycle's worth. If the mark's instructions are all
 * that the tenant has, the answer is the cycle at which its last kernel ends: the shared
 * first run, which executed as many, was measured up to that point, too.
 *
 * Return: 0; -ENODATA if its run has fewer instructions; -EINTR if it was stopped; another
 * negative errno, see offline_run().
 */
int offline_private_run(const struct offline_experiment *experiment, u32 slot,
			struct offline_mark *marks, u32 count,
			const struct offline_observer *observer);

/**
 * offline_alone_window() - figures of a tenant alone over a span of time
 * @options: options of the shared experiment
 * @slot: the tenant's slot
 * @tenant: its trace, which runs again and again, and queues; the rest is ignored
 * @cycles: the span, from device cycle 0
 * @threads: as in &struct offline_experiment
 * @observer: may stop the run
 * @figures: set to those of the whole span
 *
 * Return: 0, -EINTR if it was stopped, or a negative errno, see offline_run().
 */
int offline_alone_window(const struct session_options *options, u32 slot,
			 const struct offline_tenant *tenant, u64 cycles,
			 u32 threads, const struct offline_observer *observer,
			 struct session_figures *figures);

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

/**
 * offline_alone_cycles() - how long a request takes alone on the GPU
 * @options: options of the experiment
 * @trace: trace of the request
 * @launches: how often the trace runs
 * @threads: as in &struct offline_experiment
 * @observer: may stop the run
 * @cycles: set to the core cycles from its arrival to its end
 *
 * Return: 0, -EINTR if it was stopped, or a negative errno, see offline_run().
 */
int offline_alone_cycles(const struct session_options *options,
			 const struct trace *trace, u64 launches, u32 threads,
			 const struct offline_observer *observer, u64 *cycles);

/* Why an experiment could not be run, from a negative errno that a function here returned. */
const char *offline_error(int error);

/* Host time in nanoseconds, from an arbitrary start. */
u64 offline_wall_ns(void);
/* Processor time that this thread has used, in nanoseconds. */
u64 offline_processor_ns(void);

/* --- profiles of kernels (STM 3.2) --- */

/**
 * offline_profile() - a kernel alone on a number of SMs, from empty caches
 * @config: configuration of the GPU
 * @trace: trace with the kernel
 * @kernel: its index in the trace
 * @sms: 1 to all SMs of the GPU
 * @seed: seed of all random numbers
 * @out: set to R[sms] and B[sms] / Pb
 *
 * Return: 0; -E2BIG if a thread block does not fit on an SM; -ERANGE if it takes
 * more than 2^32 cycles; -ENOMEM.
 */
int offline_profile(const struct gpu_config *config, const struct trace *trace,
		    u32 kernel, u32 sms, u64 seed,
		    struct simgpu_profile_point *out);

/**
 * offline_profile_beside() - a kernel on all SMs beside one that only computes, so
 *	that it has a number of them on average
 * @config: configuration of the GPU
 * @trace: trace with the kernel
 * @kernel: its index in the trace
 * @dummy: trace whose first kernel runs beside it
 * @sms: SMs that the kernel should have on average: 1 to one less than all
 * @seed: seed of all random numbers
 * @out: set to R[sms] and B[sms] / Pb
 *
 * Thread blocks of both are interleaved by leaky buckets.
 *
 * Return: see offline_profile().
 */
int offline_profile_beside(const struct gpu_config *config,
			   const struct trace *trace, u32 kernel,
			   const struct trace *dummy, u32 sms, u64 seed,
			   struct simgpu_profile_point *out);

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

/**
 * offline_parse_journal() - read a journal's text
 * @text: the file, NUL-terminated
 * @names: where models, policies and so on are looked up, such as &offline_names
 * @out: filled in; offline_free_journal() frees what it holds
 * @error: filled in if the text is refused
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int offline_parse_journal(const char *text, const struct journal_names *names,
			  struct offline_journal *out,
			  struct offline_journal_error *error);
void offline_free_journal(struct offline_journal *journal);

/* The built-in models, policies and configurations. */
extern const struct journal_names offline_names;

/**
 * offline_replay() - repeat a journalled run up to its end
 * @journal: parsed, without lost events
 * @traces: the traces that its launches name, in any order
 * @count: number of traces
 * @given: where policies and models that it changes to are looked up, and the constants
 *	that it names
 * @threads: as in &struct offline_experiment
 * @observer: is called with the progress
 * @result: filled in; the caller compares its state_hash with the journal's. Reports of
 *	slots whose tenant has left are the tenant's last ones
 * @failed: set to the index of the event that could not be repeated
 *
 * Return: 0; -ENOENT if a trace is missing, -ENODATA if constants are; -EINVAL if an event
 * cannot be repeated; another negative errno.
 */
int offline_replay(const struct offline_journal *journal,
		   const struct trace *const *traces, u32 count,
		   const struct session_replay *given, u32 threads,
		   const struct offline_observer *observer,
		   struct offline_result *result, u32 *failed);

#endif /* OFFLINE_OFFLINE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session runs an experiment: it steps the hardware to each epoch's end,
 * fills the snapshot, asks model and policy, checks the proposal, applies it,
 * relaunches traces, keeps the gang, and writes the journal. Portable: the
 * driver and the offline command use it alike.
 *
 * Calls are not thread-safe: the caller serializes them. None of them sleeps
 * but session_create(), session_join() and session_destroy().
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <simgpu/memory_policy.h>
#include <simgpu/model.h>
#include <simgpu/policy.h>
#include "../policy/common/metrics.h"
#include "../sim/gpu.h"
#include "affinity.h"
#include "arrivals.h"
#include "energy.h"
#include "latency.h"
#include "doubts.h"
#include "failures.h"
#include "np.h"
#include "power.h"
#include "refusal.h"
#include "remarks.h"
#include "services.h"
#include "shares.h"

#define SESSION_SLOTS_MAX		SIMGPU_SLOTS_MAX
#define SESSION_ANY_SLOT		0xffU
/* Most core cycles that a tenant can ask its launches to stay within. */
#define SESSION_P99_MAX		1000000000ULL
/* How far ahead of device time a launch may start. Simulating empty time is not free. */
#define SESSION_AHEAD_CYCLES_MAX	100000000ULL
/* The greatest weight of a tenant. */
#define SESSION_WEIGHT_MAX		1000
/* Queues of a tenant. */
#define SESSION_QUEUES_MAX		SIMGPU_QUEUES_MAX
/* Launches of a queue that have not ended. A further one gets -EAGAIN. */
#define SESSION_LAUNCHES_MAX		16
/* Launches of other queues that a launch may wait for. */
#define SESSION_WAITS_MAX		4
/* Highest priority of a queue; the lowest is its negative. A queue begins with 0. */
#define SESSION_QUEUE_PRIORITY_MAX	GPU_QUEUE_PRIORITY_MAX
/* A report counts waiting requests up to this number. */
#define SESSION_WAITING_MAX		256
/*
 * Events that the journal keeps free for each slot and for the device's settings. They
 * are used when the journal cannot grow, so that no tenant can fill the others' share.
 */
#define SESSION_JOURNAL_SHARE		16
#define SESSION_EPOCH_CYCLES_MIN	10000ULL
#define SESSION_EPOCH_CYCLES_MAX	50000000ULL
#define SESSION_EPOCH_CYCLES_DEFAULT	500000ULL
/* One set in so many has auxiliary tags if only a model asks for them. */
#define SESSION_ATD_SAMPLING		32
/* How long a tenant with work may go without progress: limits and default. */
#define SESSION_HOLD_CYCLES_MIN		10000ULL
#define SESSION_HOLD_CYCLES_MAX		1000000000000ULL
#define SESSION_HOLD_CYCLES_DEFAULT	50000000ULL
/* Limits: latency of a decision in cycles, counter noise in percent, delay in epochs. */
#define SESSION_DECISION_LATENCY_MAX	1000000000ULL
#define SESSION_COUNTER_NOISE_MAX	100
#define SESSION_COUNTER_DELAY_MAX	16
/* Percent by which what sampled time measures may be off. */
#define SESSION_SAMPLED_MAX		50
/* Most MiB of device memory for managed pages that a setting asks for. */
#define SESSION_MANAGED_MIB_MAX		131072

/* What happens to the SMs when a kernel ends (docs/glossary.md, Tenants) */
enum session_kernel_end {
	SESSION_KERNEL_END_CARRY,	/* nothing */
	SESSION_KERNEL_END_EVEN,	/* the epoch ends, an even split begins */
	SESSION_KERNEL_END_CHANGED,	/* an even split, if another kernel follows */
	SESSION_KERNEL_ENDS
};

/* The unit in which a tenant states its goal (FGQoS 3.2) */
enum session_goal {
	SESSION_GOAL_NONE,
	SESSION_GOAL_IPC,		/* thread instructions a cycle, in ppm */
	SESSION_GOAL_KERNEL_TIME,	/* nanoseconds that a kernel may take */
	SESSION_GOAL_RATE,		/* kernels a second, in ppm */
	SESSION_GOALS
};

/* How thread blocks leave an SM that changes owner, until a policy sets another way */
enum session_preemption {
	SESSION_PREEMPTION_DRAIN = SIMGPU_LEAVE_DRAIN,
	SESSION_PREEMPTION_SWITCH = SIMGPU_LEAVE_SWITCH,
	/*
	 * HSM 4.2: an SM drains if in the last epoch more thread blocks ended
	 * on it than it can run concurrently; else it switches contexts.
	 */
	SESSION_PREEMPTION_ADAPTIVE = SIMGPU_LEAVE_ADAPTIVE,
	SESSION_PREEMPTIONS
};

/**
 * struct session_options - an experiment, fixed at its cold start
 * @config: the GPU
 * @seed: seeds everything random
 * @epoch_cycles: SESSION_EPOCH_CYCLES_MIN to _MAX
 * @stop_cycle: the device stops exactly there; 0: it never does
 * @relaunch: relaunch a tenant's last trace when it ends (needs @stop_cycle)
 * @kernel_end: what a finished kernel does to the assignment
 * @gang_size: tenants that must have launched before the clock starts, in
 *	slots 0 to gang_size - 1; 0: no gang, the clock starts at once
 * @sms_most: SMs that a tenant is given at most, whatever the policy says; 0:
 *	no limit
 * @model: predicts
 * @policy: proposes
 * @memory_policy: of managed memory (pager.h); NULL: the one of @memory_policy_index
 * @model_params: values of the model's parameters, in the order of its table;
 *	session_default_params() sets the defaults
 * @policy_params: values of the policy's parameters
 * @constants: the model's constants, header and payload; NULL: none. The session copies them
 * @constants_bytes: bytes of @constants
 * @preemption: how SMs change hands
 * @hold_cycles: how long a tenant with work may go without progress. Then the policy
 *	"even" replaces the policy that holds it: SESSION_HOLD_CYCLES_MIN to _MAX
 * @decision_cycles: delay from a snapshot until the policy's proposal takes effect,
 *	beside the model's latency: 0 to SESSION_DECISION_LATENCY_MAX. The session does
 *	not ask the policy again before
 * @counter_noise: by how many percent each counter that model and policy see may be
 *	wrong: 0 to SESSION_COUNTER_NOISE_MAX
 * @counter_delay: age of these counters in epochs: 0 to SESSION_COUNTER_DELAY_MAX
 * @sampled: device time may leap where the mean of the instructions a cycle of two
 *	stretches in a row is off by at most so many percent, which is estimated by half of
 *	their difference: 0 (it never leaps) to SESSION_SAMPLED_MAX
 * @unused: 0
 * @managed_mib: MiB of device memory for managed pages, an even number up to
 *	SESSION_MANAGED_MIB_MAX; 0: as @config says. The hash has it as a part of @config
 * @memory_policy_index: place of a built-in memory policy among these; 0: uvm
 * @unused2: 0
 * @memory_params_set: which parameters of the memory policy @memory_params has, a bit each; the
 *	others have their first values. Both are dropped when another memory policy is chosen
 * @unused3: 0
 * @memory_params: values of parameters of the memory policy, in the order of its table. The
 *	hash has those that are not first values
 * @timeout_cycles: core cycles after which a kernel or a copy has timed out, up to
 *	SIMGPU_TIMEOUT_CYCLES_MAX; 0: never. The hash has it, like the next three, unless it is 0
 * @kill_cycles: core cycles that it takes to kill a launch: as long the queue's next kernel
 *	waits; 0: SESSION_KILL_CYCLES_DEFAULT
 * @reset_sm_cycles: for which SMs that are reset issue nothing; 0:
 *	SESSION_RESET_SM_CYCLES_DEFAULT
 * @reset_device_cycles: for which no kernel and no copy begins after a reset of the device;
 *	0: SESSION_RESET_DEVICE_CYCLES_DEFAULT
 * @clock_limit: as in &struct power_settings, like the next two; none of them has an effect on a
 *	GPU without clocks to choose from (clocks.h)
 * @power_cap: watts
 * @power_window: core cycles
 */
struct session_options {
	struct gpu_config config;
	const struct simgpu_model *model;
	const struct simgpu_policy *policy;
	const struct simgpu_memory_policy *memory_policy;
	const void *constants;
	struct_group(lasts,
		u64 seed;
		u64 epoch_cycles;
		u64 stop_cycle;
		u64 hold_cycles;
		u64 decision_cycles;
		u64 model_params[SIMGPU_PARAMS_MAX];
		u64 policy_params[SIMGPU_PARAMS_MAX];
		enum session_kernel_end kernel_end;
		enum session_preemption preemption;
		u32 gang_size;
		u32 sms_most;
		u32 counter_noise;
		u32 counter_delay;
		u32 constants_bytes;
		bool relaunch;
		u8 sampled;
		u8 unused[2];
	);
	u32 managed_mib;
	u8 memory_policy_index;
	u8 unused2[3];
	u32 memory_params_set;
	u32 unused3;
	u64 memory_params[SIMGPU_PARAMS_MAX];
	u64 timeout_cycles;
	u64 kill_cycles;
	u64 reset_sm_cycles;
	u64 reset_device_cycles;
	u32 clock_limit;
	u32 power_cap;
	u64 power_window;
};

/**
 * struct session_memory_limits - limits of managed memory, with the meaning of those of the
 *	dmem cgroup controller
 * @min: bytes below which what others need takes no device memory away; what the tenant needs
 *	itself takes others' first, as with @low
 * @low: the same, while others have device memory above their @low
 * @max: bytes of device memory at which what is needed takes the place of own memory, not of
 *	others'; not below @min. 0: no limit
 *
 * Device memory counts in chunks of 2 MiB: @min and @low are rounded up, @max down, but to a
 * chunk at least. Nobody waits for ever: a tenant without a chunk gets one, even if all
 * others are at their @min.
 */
struct session_memory_limits {
	u64 min;
	u64 low;
	u64 max;
};

/* Groups of tenants with limits together, such as cgroups, at most */
#define SESSION_MEMORY_GROUPS_MAX	32

/**
 * struct session_memory_group - tenants with limits of their memory together
 * @slots: a bit for each; a tenant that leaves is taken out
 * @limits: of what they have together
 */
struct session_memory_group {
	u64 slots;
	struct session_memory_limits limits;
};

/**
 * struct session_hint - what a tenant says of its next launch, without any promise
 * @cycle: device cycle at which it expects to launch; 0: it says nothing (any more)
 * @laxity: core cycles by which that launch may begin later than it comes, up to
 *	SESSION_AHEAD_CYCLES_MAX; 0: at once, or not known
 */
struct session_hint {
	u64 cycle;
	u64 laxity;
};

/**
 * struct session_tenant_options - what a tenant asks for
 * @name: for people to read
 * @service: SIMGPU_BEST_EFFORT or SIMGPU_QOS
 * @weight: 1 to SESSION_WEIGHT_MAX
 * @target_ppm: target NP of a SIMGPU_QOS tenant, 1 to 1000000; with a goal it may be 0.
 *	0 for SIMGPU_BEST_EFFORT
 * @share_ppm: part of the SMs that it asks for, up to 1000000; 0: it asks for none.
 *	Only some policies use it
 * @goal_kind: &enum session_goal; other than SESSION_GOAL_NONE for SIMGPU_QOS only
 * @goal: in the goal's unit, above 0; an IPC may be at most the peak of all SMs. It takes
 *	effect, and counts, when the session next looks at the tenant: at a decision or
 *	an epoch's end
 * @cgroup: number of its cgroup, given by the session's owner; 0: none
 * @memory: limits of its managed memory
 * @p99_cycles: core cycles that 99 of 100 of its launches are to take at most from arrival to
 *	end, up to SESSION_P99_MAX; 0: it asks for nothing. Only some policies use it
 * @strikes: guilty launches that count against it from the beginning, below
 *	SESSION_STRIKES_MAX: those of others in its cgroup. Only session_join() uses it
 * @unused: 0
 */
struct session_tenant_options {
	char name[SIMGPU_NAME_BYTES];
	struct_group(lasts,
		u32 service;
		u32 weight;
		u64 target_ppm;
		u64 cgroup;
		u32 share_ppm;
		u32 goal_kind;
		u64 goal;
	);
	struct session_memory_limits memory;
	u64 p99_cycles;
	u32 strikes;
	u32 unused;
};

/* Figures over a span of cycles, derived from counters (docs/glossary.md) */
struct session_figures {
	u64 thread_instructions;
	u64 cycles;
	u64 ipc_ppm;
	u64 rbh_ppm;
	u64 bandwidth_ppm;
	u64 llc_mpki_ppm;
};

/**
 * struct session_epoch_tenant - one tenant's row of a finished epoch
 * @slot: slot of the tenant
 * @sms: SMs that it held: SM-cycles divided by cycles, rounded to the nearest
 * @sms_next: SM count that the policy gave it for the next epoch
 * @class: SIMGPU_CLASS_*; UNKNOWN where the model has not spoken yet
 * @np_ppm: predicted NP (0 while the class is unknown)
 * @np_doubts: SIMGPU_ASSUMES_* of the model that did not hold: it may be wrong
 * @first_run: whether the epoch belongs to its first run
 * @figures: over the epoch
 * @counters: differences over the epoch
 * @goal_ipc_ppm: IPC, in thread instructions, that it was to reach at the epoch's end;
 *	0: it has no goal
 * @alpha_ppm: max(goal / history, 1), by which the goal grows to make up for what the
 *	tenant missed (FGQoS 3.4.2); 0 without a goal
 * @quota: its last quota, as in &struct session_quota_figures
 * @blocks: thread blocks on shared SMs when @quota was set
 * @gauges: values of the policy's gauges at the epoch's end, after its decision
 */
struct session_epoch_tenant {
	u32 slot;
	u32 sms;
	u32 sms_next;
	u32 class;
	u64 np_ppm;
	u32 np_doubts;
	bool first_run;
	struct session_figures figures;
	struct simgpu_counters counters;
	u64 goal_ipc_ppm;
	u64 alpha_ppm;
	u64 quota;
	u64 blocks;
	s64 gauges[SIMGPU_GAUGES_MAX];
};

/**
 * struct session_epoch - a finished epoch
 * @index: from 0
 * @start_cycle: device cycle at which it began
 * @end_cycle: device cycle at which it ended
 * @predicted: whether model and policy ran; they skip an epoch that is too short
 * @fell_back: whether the policy failed in it, and even took its place
 * @metrics: over the predicted NPs of the tenants that have one; the NP of a tenant that
 *	had work all the time and issued nothing is 0
 * @np_doubts: of any NP that @metrics are made of
 * @gauge_count: gauges of the policy that is in force at the end
 * @gauges: their names and units
 * @clock_mhz: clock of the SMs at its end
 * @power_uw: mean power, in microwatts; 0 on a GPU whose energies are not known
 * @tenant_count: rows in @tenants
 * @tenants: those that had work in it, in order of slots
 */
struct session_epoch {
	u64 index;
	u64 start_cycle;
	u64 end_cycle;
	bool predicted;
	bool fell_back;
	struct metrics metrics;
	u32 np_doubts;
	u32 gauge_count;
	struct session_gauge gauges[SIMGPU_GAUGES_MAX];
	u32 clock_mhz;
	u64 power_uw;
	u32 tenant_count;
	struct session_epoch_tenant tenants[SESSION_SLOTS_MAX];
};

/**
 * struct session_hooks - calls by which the session informs its owner, from inside
 *	session_run(), session_leave(), session_set_policy() and similar calls
 * @context: passed to each hook
 * @epoch: an epoch ended; the struct is only valid during the call
 * @launch_done: a launch ended; the launches of a queue end in order. Of requests that come by
 *	themselves it is also the end of all before it that were not told. The session no
 *	longer uses the trace, unless requests are still to end. @status: as session_launch_ends
 *	lists it
 * @kernel_start: kernel number @kernel of a launch of @trace has started
 * @kernel_finish: the kernel ended normally, at the cycle @ended
 * @kernel_drop: the kernel was taken from the device before its end: its launch was killed, or
 *	begins again
 * @repartition: SMs changed owner; the reports have the new assignment
 * @preempt: the SM @sm, which has thread blocks of slot @from, goes to slot @to
 *	(or to nobody); @how they leave it: SIMGPU_LEAVE_DRAIN, _SWITCH or _RESET
 * @leap: in sampled time: the last @cycles up to now were leapt
 * @passed: in sampled time: a leap passes a request of a slot's arrivals, which is taken to
 *	have begun at the cycle @start and ended at @end. @launch_done follows. The leap's
 *	end is still to come
 * @decide: asks the policy on the session's behalf, so that the owner can see
 *	how long it takes; does nothing else, but -ETIMEDOUT says that it was not
 *	waited for. Without it the session asks
 * @predict: likewise asks the model
 * @counted: an epoch's prediction of a slot counts for its first run. Called after
 *	@predict and before @epoch, for each slot that has work
 * @fell_back: even has taken the policy's place; session_last_refusal() says why
 * @place: asks a memory policy that is not built in; as @decide
 * @rank: likewise for the rank of a chunk; returns 0, or a negative errno without a rank
 * @memory_fell_back: uvm takes the memory policy's place, which is in force until this returns
 * @faults_taken: the pager has taken a batch of @faults faults in @blocks blocks; its time
 *	begins at @cycle
 * @evicted: the pager takes away block @block of a slot from @cycle on
 * @failed: a failure was found; nothing is done about it before this returns
 * @acted: a step of a recovery is over: what it has done; the struct is only valid during the
 *	call. launch_done has come for launches that it ended
 * @banned: a tenant is banned; @acted of the step in which that happens follows
 * @note: the policy has written a note in the call that is just over; the struct is only
 *	valid during the call
 * @run_gpu: does exactly what gpu_run() does, for the device or a private run. The owner
 *	can add threads here. If @may_pause, it may also return at gpu_soonest_end().
 *	Without it the session calls gpu_run()
 * @time_is_over: asked often in session_run(): true to have that return soon, wherever
 *	device time is. Without it, session_run() lets all cycles pass
 * @journal_chunk: returns another chunk for the journal, from journal_chunk_alloc(), or
 *	NULL: then events use up the share of their slot, and after that are lost. Without
 *	this hook the session allocates chunks itself
 */
struct session_hooks {
	void *context;
	void (*epoch)(void *context, const struct session_epoch *epoch);
	void (*launch_done)(void *context, u32 slot, u32 queue, u64 sequence,
			    const struct trace *trace, int status);
	void (*kernel_start)(void *context, u32 slot, u32 queue, u64 sequence,
			     const struct trace *trace, u32 kernel);
	void (*kernel_finish)(void *context, u32 slot, u32 queue, u64 sequence,
			      const struct trace *trace, u32 kernel, u64 ended);
	void (*kernel_drop)(void *context, u32 slot, u32 queue, u64 sequence,
			    const struct trace *trace, u32 kernel);
	void (*repartition)(void *context);
	void (*preempt)(void *context, u32 sm, u32 from, u32 to, u32 how);
	void (*leap)(void *context, u64 cycles);
	void (*passed)(void *context, u32 slot, u64 sequence, u64 start, u64 end);
	int (*decide)(void *context, const struct simgpu_policy *policy,
		      const struct simgpu_snapshot *snapshot, void *state,
		      struct simgpu_proposal *proposal);
	int (*predict)(void *context, const struct simgpu_model *model,
		       const struct simgpu_snapshot *snapshot,
		       const void *constants, void *state,
		       struct simgpu_prediction *prediction);
	void (*counted)(void *context, u32 slot,
			const struct session_counted *counted);
	void (*fell_back)(void *context, const struct session_refusal *why);
	int (*place)(void *context, const struct simgpu_memory_policy *policy,
		     const struct simgpu_place *place, void *state,
		     struct simgpu_placement *placement);
	int (*rank)(void *context, const struct simgpu_memory_policy *policy, u32 event,
		    const struct simgpu_chunk *chunk, void *state, u64 *rank);
	void (*memory_fell_back)(void *context, const struct session_refusal *why);
	void (*faults_taken)(void *context, u64 cycle, u32 faults, u32 blocks);
	void (*evicted)(void *context, u64 cycle, u32 slot, u32 block);
	void (*failed)(void *context, const struct session_failed *failed);
	void (*acted)(void *context, const struct session_acted *acted);
	void (*banned)(void *context, u32 slot);
	void (*note)(void *context, const struct session_note *note);
	void (*run_gpu)(void *context, struct gpu *gpu, u64 until, bool may_pause);
	bool (*time_is_over)(void *context);
	struct journal_chunk *(*journal_chunk)(void *context);
};

enum session_state {
	SESSION_WAITING,	/* the gang is not complete */
	SESSION_RUNNING,	/* some tenant has work */
	SESSION_IDLE,		/* no tenant has work; device time stands still */
	SESSION_STOPPED,	/* at the stop cycle */
	SESSION_CANCELED,	/* a member of the gang left before the start */
};

/* The state of a queue's first launch */
enum session_queue_state {
	SESSION_QUEUE_EMPTY,	/* the queue has no launch */
	SESSION_QUEUE_WAITING,	/* for its cycle, for memory, or for other launches to end */
	SESSION_QUEUE_READY,	/* its kernel could start: the policy decides */
	SESSION_QUEUE_RUNNING,	/* its kernel is on the device */
	SESSION_QUEUE_STATES
};

/**
 * struct session_queue_report - a tenant's queue
 * @state: &enum session_queue_state
 * @priority: see session_set_queue()
 * @waiting: launches behind the first one
 * @kernel: index, in its trace, of the first launch's present kernel
 * @held: whether the policy holds the queue, or its tenant
 * @sequence: number of the first launch; 0: the queue is empty
 */
struct session_queue_report {
	u32 state;
	s32 priority;
	u32 waiting;
	u32 kernel;
	bool held;
	u64 sequence;
};

/**
 * struct session_goal_figures - how far a tenant reaches its goal
 * @ipc_ppm: IPC that it is to reach now, as in &struct simgpu_snapshot_tenant, or was to
 *	reach when it last had work; 0: it has no goal
 * @cycles: cycles with work since the goal was set
 * @instructions: thread instructions issued in @cycles
 * @promised: thread instructions that the goal asked for in @cycles
 * @met: whether @cycles is not 0 and @instructions are at least @promised, without
 *	tolerance
 */
struct session_goal_figures {
	u64 ipc_ppm;
	u64 cycles;
	u64 instructions;
	u64 promised;
	bool met;
};

/**
 * struct session_quota_figures - a tenant on shared SMs, when quotas were last set
 * @last: quota, in thread instructions on all SMs; 0: none
 * @used_ppm: instructions issued, divided by the sum of all quotas so far; above 1 if
 *	quotas were refilled
 * @blocks_ppm: thread blocks that it may use on a shared SM, on average
 * @idle_blocks_ppm: idle warps on an SM in units of thread blocks, mean of all samples
 *	so far (FGQoS 3.6)
 */
struct session_quota_figures {
	u64 last;
	u64 used_ppm;
	u64 blocks_ppm;
	u64 idle_blocks_ppm;
};

/**
 * struct session_copies - copies of a tenant's launches, with the sets of memory
 * @ended: copies that have ended since it joined
 * @bytes: bytes of these
 * @waiting: copies that its queues have come to, and of which no piece has had its turn, now or
 *	when the session stopped; as the next two. To a policy copies that wait for no decision
 *	run already (&struct simgpu_snapshot_tenant)
 * @running: copies of which a piece has had its turn
 * @bytes_left: bytes that are left to send of both
 * @waits: of ended copies: the times from when their queues came to them until their first
 *	piece had its turn
 */
struct session_copies {
	u64 ended;
	u64 bytes;
	u64 waiting;
	u64 running;
	u64 bytes_left;
	struct times_figures waits;
};

/**
 * struct session_tenant_report - a tenant's own figures so far
 * @present: whether the slot has or had a tenant; else nothing below is set
 * @left: it has left; the figures are its last
 * @active: whether it has work
 * @options: as set when it joined or later
 * @sms: SMs assigned to it now, with the shared SMs on which it may place thread blocks
 * @shared_sms: shared SMs among @sms
 * @held: whether the policy holds it
 * @waits_for_memory: its next launch waits until the footprints of others leave room
 * @waits_for_sms: it has work and is not held, but others have all SMs
 * @class: the last prediction's
 * @np_ppm: the last prediction; meaningless while @class is unknown
 * @np_doubts: SIMGPU_ASSUMES_* of the model that did not hold then: it may be wrong
 * @np_run: predicted of its first run
 * @np_run_doubts: those that did not hold in any epoch of that run
 * @first_run_done: whether the figures are those of its finished first run
 * @figures: over its first run, or so far if that has not ended
 * @counters: since it joined
 * @leapt_error_ppm: in sampled time, two standard errors of what it has done since it began
 *	to work, as a part of that; from how much measurements differed
 * @goal: figures of its goal
 * @quota: figures of its quotas; 0 if it has none
 * @shares: its shares of SMs, now or when the session stopped
 * @masks: the masks that limit it
 * @energy_known: whether the GPU has a table of energies
 * @energy_pj: energy of its events by that table
 * @latency: of its launches that have run to their end since it joined
 * @first_tokens: times to first token since it joined, by marks of traces
 * @tokens: times between tokens, likewise
 * @batch_ppm: requests of a decode in the mean, of a service that batches them; 0: none
 * @preemption: how long it has waited for SMs since it joined
 * @copies: its copies
 * @passed: in sampled time, what leaps over requests have changed of that
 * @managed_bytes: bytes of managed memory that it has
 * @resident_bytes: bytes of them on the device or on their way
 * @failures: what has failed, and was done about it
 * @waiting: launches behind the first of each queue. Of a queue with arrivals it counts
 *	at most SESSION_WAITING_MAX
 * @queue_count: 1 + number of the last queue that it has used
 * @queue: reports of these queues
 */
struct session_tenant_report {
	bool present;
	bool left;
	bool active;
	struct session_tenant_options options;
	u32 sms;
	u32 shared_sms;
	bool held;
	bool waits_for_memory;
	bool waits_for_sms;
	u32 class;
	u64 np_ppm;
	u32 np_doubts;
	u32 np_run_doubts;
	struct session_np_figures np_run;
	bool first_run_done;
	struct session_figures figures;
	struct simgpu_counters counters;
	u32 leapt_error_ppm;
	struct session_goal_figures goal;
	struct session_quota_figures quota;
	struct session_shares shares;
	struct session_masks masks;
	bool energy_known;
	u64 energy_pj;
	struct latency_figures latency;
	struct times_figures first_tokens;
	struct times_figures tokens;
	u64 batch_ppm;
	struct times_figures preemption;
	struct session_copies copies;
	struct session_passed passed;
	u64 managed_bytes;
	u64 resident_bytes;
	struct session_failures failures;
	u32 waiting;
	u32 queue_count;
	struct session_queue_report queue[SESSION_QUEUES_MAX];
};

struct private_run;
struct session;

/**
 * session_create() - a session on a cold device
 * @out: set on success
 * @options: checked, then copied
 * @hooks: copied; a NULL member is not called
 *
 * Return: 0, -EINVAL for bad options, -ENOMEM.
 */
int session_create(struct session **out, const struct session_options *options,
		   const struct session_hooks *hooks);

/* Ends all launches with -ECANCELED, then frees everything. */
void session_destroy(struct session *session);

/* Bytes that the session and its GPU occupy. */
size_t session_bytes(const struct session *session);

/* The options at the cold start. Policy, model and parameters may have changed since. */
const struct session_options *session_options(const struct session *session);
enum session_state session_state(const struct session *session);
u64 session_now(const struct session *session);

/**
 * session_end_cycle() - when the work of a session ended
 * @session: the session
 *
 * The device learns of a kernel's end a little later than it ends (see gpu_run()); this
 * time is not counted.
 *
 * Return: the cycle in which the last thread block ended, if no tenant has work and no
 *	stop cycle came first; else session_now().
 */
u64 session_end_cycle(const struct session *session);

/**
 * struct session_sampling - how much of device time was leapt
 * @leaps: leaps so far
 * @leapt_cycles: device cycles that were not simulated
 */
struct session_sampling {
	u64 leaps;
	u64 leapt_cycles;
};

const struct gpu *session_gpu(const struct session *session);

/**
 * session_tenant_options_are_good() - check the options of a tenant
 * @config: the GPU on which the tenant would have a slot
 * @options: the options
 *
 * Return: whether weight, service, target, share and goal are in range and go
 * together.
 */
bool session_tenant_options_are_good(const struct gpu_config *config,
				     const struct session_tenant_options *options);

/**
 * session_join() - take a slot
 * @session: the session
 * @slot: the gang's slot, or SESSION_ANY_SLOT outside a gang
 * @options: copied
 *
 * Return: the slot; -EINVAL for bad options or slot; -EBUSY if the slot is
 * taken, all are, or the gang has started.
 */
int session_join(struct session *session, u32 slot,
		 const struct session_tenant_options *options);

/**
 * session_join_with() - take a slot, with a private run made before
 * @session: the session
 * @slot: see session_join()
 * @options: copied
 * @run: a private run or NULL. The session takes it over if it needs private runs and
 *	the GPU of @run is the session's
 *
 * Return: see session_join().
 */
int session_join_with(struct session *session, u32 slot,
		      const struct session_tenant_options *options,
		      struct private_run *run);

/* Change weight, service, target and share of a tenant from the next epoch on. */
int session_set_tenant(struct session *session, u32 slot,
		       const struct session_tenant_options *options);

/**
 * session_leave() - end a tenant's work on the spot and free its slot
 * @session: the session
 * @slot: the tenant
 *
 * Its launches end with -ECANCELED. Before a gang starts, leaving cancels the gang: the
 * launches of all members end with -ECANCELED.
 */
void session_leave(struct session *session, u32 slot);

/*
 * Both take effect at once. A new policy starts from cleared controls and an even split,
 * a new model without predictions. Both start with zeroed state and the defaults of
 * their parameters.
 */
void session_set_policy(struct session *session,
			const struct simgpu_policy *policy);
void session_set_model(struct session *session,
		       const struct simgpu_model *model);

/**
 * session_all_tags_sampling() - the sampling of auxiliary tags for a model that wants
 *	tags of all sets
 * @config: the GPU; must be valid
 *
 * Return: 1: all sets have tags; n: one set in n, because more do not fit. A sampling
 * that the configuration sets is kept.
 */
u32 session_all_tags_sampling(const struct gpu_config *config);

const struct session_refusal *session_last_refusal(const struct session *session);

/* Whether a session can use it: known events and needs, sizes within their range */
bool policy_is_good(const struct simgpu_policy *policy);
bool model_is_good(const struct simgpu_model *model);
bool memory_policy_is_good(const struct simgpu_memory_policy *policy);

/*
 * The policy was too slow, or was unloaded while in force. The policy "even" replaces it,
 * and the journal records that.
 */
void session_policy_is_slow(struct session *session);
void session_policy_is_gone(struct session *session);

int session_set_epoch_cycles(struct session *session, u64 epoch_cycles);

/**
 * session_set_sampled() - sample from now on, with another percentage, or no more
 * @session: the session
 * @percent: as in &struct session_options
 *
 * What was measured so far is forgotten. With the percentage in force nothing happens.
 *
 * Return: 0; or, with nothing changed, -EINVAL, or -ENOMEM if the session has not sampled
 * before and there is no memory for it.
 */
int session_set_sampled(struct session *session, u64 percent);

/*
 * The same errors, before anything is changed: takes the memory with which
 * session_set_sampled(), which has to follow, does not fail.
 */
int session_prepare_sampled(struct session *session, u64 percent);

/**
 * session_run() - let device time pass
 * @session: the session
 * @cycles: at most that many core cycles; a leap of sampled time may end later
 *
 * Returns early when nothing is left to run, or the owner's time is over. Epochs,
 * predictions and relaunches happen inside, at their exact cycles: results depend neither
 * on @cycles of each call nor on where it returned.
 *
 * Return: the state reached.
 */
enum session_state session_run(struct session *session, u64 cycles);

/* Cycles until a launch starts, while no tenant has work and no page comes; else 0. */
u64 session_empty_cycles(struct session *session);

void session_tenant_report(struct session *session, u32 slot,
			   struct session_tenant_report *out);

/* Used only in kmod/session */
u64 session_kernel_end(const struct session *session, u32 slot, u32 queue);

/* Functions of the session's other files that its owner may call */
#include "advice.h"
#include "hints.h"
#include "injection_text.h"
#include "managed.h"
#include "memory_policy.h"
#include "pager.h"
#include "params.h"
#include "private_run.h"
#include "quotas.h"
#include "sampling.h"
#include "snapshot.h"
#include "state_hash.h"
#include "submit.h"

#endif /* SESSION_SESSION_H */

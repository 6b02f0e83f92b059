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

#include <simgpu/model.h>
#include <simgpu/policy.h>
#include "../policy/common/metrics.h"
#include "../sim/gpu.h"
#include "affinity.h"
#include "arrivals.h"
#include "energy.h"
#include "latency.h"
#include "doubts.h"
#include "np.h"
#include "refusal.h"
#include "shares.h"

#define SESSION_SLOTS_MAX		SIMGPU_SLOTS_MAX
#define SESSION_ANY_SLOT		0xffU
/* How far ahead of device time a launch's start may be named: empty time is not free. */
#define SESSION_AHEAD_CYCLES_MAX	100000000ULL
/* The greatest weight of a tenant. */
#define SESSION_WEIGHT_MAX		1000
/* Queues of a tenant. */
#define SESSION_QUEUES_MAX		SIMGPU_QUEUES_MAX
/* Launches of a queue that have not ended; a further one gets -EAGAIN. */
#define SESSION_LAUNCHES_MAX		16
/* Launches of other queues that a launch may wait for. */
#define SESSION_WAITS_MAX		4
/* Priorities of queues, up and down; they begin with 0. */
#define SESSION_QUEUE_PRIORITY_MAX	GPU_QUEUE_PRIORITY_MAX
/* Requests that have come and wait are counted up to here. */
#define SESSION_WAITING_MAX		256
/*
 * Events of a journal that are kept free for each slot, and for the device's settings,
 * for when the journal can grow no more: nobody can lose them for the others.
 */
#define SESSION_JOURNAL_SHARE		16
#define SESSION_EPOCH_CYCLES_MIN	10000ULL
#define SESSION_EPOCH_CYCLES_MAX	50000000ULL
#define SESSION_EPOCH_CYCLES_DEFAULT	500000ULL
/* Every so many-th set has auxiliary tags, if nobody but a model asks for them. */
#define SESSION_ATD_SAMPLING		32
/* How long a tenant with work may go without progress: least, most, and as set. */
#define SESSION_HOLD_CYCLES_MIN		10000ULL
#define SESSION_HOLD_CYCLES_MAX		1000000000000ULL
#define SESSION_HOLD_CYCLES_DEFAULT	50000000ULL
/* How late a policy's word may be, how wrong counters, in percent, how old, in epochs. */
#define SESSION_DECISION_LATENCY_MAX	1000000000ULL
#define SESSION_COUNTER_NOISE_MAX	100
#define SESSION_COUNTER_DELAY_MAX	16

/* What happens to the SMs when a kernel ends (docs/glossary.md, Tenants). */
enum session_kernel_end {
	SESSION_KERNEL_END_CARRY,	/* nothing */
	SESSION_KERNEL_END_EVEN,	/* the epoch ends, an even split begins */
	SESSION_KERNEL_END_CHANGED,	/* an even split, if another kernel follows */
	SESSION_KERNEL_ENDS
};

/* In which form a tenant says what it wants to reach (FGQoS 3.2). */
enum session_goal {
	SESSION_GOAL_NONE,
	SESSION_GOAL_IPC,		/* thread instructions a cycle, in ppm */
	SESSION_GOAL_KERNEL_TIME,	/* nanoseconds that a kernel may take */
	SESSION_GOAL_RATE,		/* kernels a second, in ppm */
	SESSION_GOALS
};

/* How thread blocks leave an SM that changes hands, until a policy says so. */
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
 * @seed: of everything random
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
 * @model_params: values of the model's knobs, in the order of its table;
 *	session_default_params() gives those to begin with
 * @policy_params: of the policy's
 * @constants: the model's constants, header and payload; NULL: none. Copied
 * @constants_bytes: of these
 * @preemption: how SMs change hands
 * @hold_cycles: how long a tenant with work may go without progress before the
 *	policy even takes the place of the one that keeps it so:
 *	SESSION_HOLD_CYCLES_MIN to _MAX
 * @decision_cycles: from a snapshot until what the policy says about it takes
 *	effect, beside the model's latency: 0 to SESSION_DECISION_LATENCY_MAX. Until
 *	then it is not asked again
 * @counter_noise: percent by which each counter that model and policy see may be
 *	wrong, 0 to SESSION_COUNTER_NOISE_MAX
 * @counter_delay: epochs by which they are old, 0 to SESSION_COUNTER_DELAY_MAX
 * @unused: 0
 */
struct session_options {
	struct gpu_config config;
	const struct simgpu_model *model;
	const struct simgpu_policy *policy;
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
		u8 unused[3];
	);
};

/**
 * struct session_tenant_options - what a tenant says of itself
 * @name: for people
 * @service: SIMGPU_BEST_EFFORT or SIMGPU_QOS
 * @weight: 1 to SESSION_WEIGHT_MAX
 * @target_ppm: NP, 1 to 1000000, for SIMGPU_QOS; else 0; with a goal it may be
 *	0 in any case
 * @share_ppm: part of the SMs that it asks for, up to 1000000; 0: it asks for none.
 *	Only some policies go by it
 * @goal_kind: &enum session_goal; other than SESSION_GOAL_NONE for SIMGPU_QOS only
 * @goal: in the goal's unit, above 0; instructions a cycle at most the peak of
 *	all SMs. It takes effect, and is counted, from the next time on that the
 *	tenant is looked at: a decision or an epoch's end
 * @cgroup: number of the cgroup that it belongs to, which its owner knows; 0: none
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
};

/* Figures over a span of cycles, derived from counters; docs/glossary.md. */
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
 * @slot: which
 * @sms: SM count that it held: SM-cycles over cycles, to the nearest
 * @sms_next: SM count that the policy gave it for the next epoch
 * @class: SIMGPU_CLASS_*; UNKNOWN where the model has not spoken yet
 * @np_ppm: predicted NP (0 while the class is unknown)
 * @np_doubts: SIMGPU_ASSUMES_* of the model that did not hold: it may be wrong
 * @first_run: whether the epoch belongs to its first run
 * @figures: over the epoch
 * @counters: differences over the epoch
 * @goal_ipc_ppm: thread instructions a cycle that it was to reach at its end; 0: it
 *	has no goal
 * @alpha_ppm: how much of the goal it needs to make up for what it missed until
 *	then: max(goal / history, 1); 0 without a goal (FGQoS 3.4.2)
 * @quota: its last quota, as in &struct session_quota_figures
 * @blocks: thread blocks on shared SMs when that was set
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
};

/**
 * struct session_epoch - a finished epoch
 * @index: from 0
 * @start_cycle: device cycle at its start
 * @end_cycle: and at its end
 * @predicted: whether model and policy ran (it was long enough)
 * @fell_back: whether the policy failed in it, and even took its place
 * @metrics: over the predicted NPs of the tenants that have one
 * @np_doubts: of any of these
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
	u32 tenant_count;
	struct session_epoch_tenant tenants[SESSION_SLOTS_MAX];
};

/**
 * struct session_hooks - what the session tells its owner, from inside
 *	session_run(), session_leave(), session_set_policy() and their like
 * @context: passed to each
 * @epoch: an epoch ended; the struct is only valid during the call
 * @launch_done: a launch ended, in order for each queue of a slot; the session has
 *	let go of its trace. @status: 0, or -ECANCELED if it was dropped
 * @kernel_start: kernel number @kernel of a launch of @trace has started
 * @kernel_finish: it has run to its end, at the cycle @ended
 * @repartition: SMs were assigned anew; the present assignment is in the reports
 * @preempt: the SM @sm, which has thread blocks of slot @from, goes to slot @to
 *	(or to nobody); @how they leave it: SIMGPU_LEAVE_DRAIN, _SWITCH or _RESET
 * @decide: asks the policy on the session's behalf, so that the owner can see
 *	how long it takes; does nothing else, but -ETIMEDOUT says that it was not
 *	waited for. Without it the session asks
 * @predict: likewise asks the model
 * @counted: an epoch's prediction of a slot counts for its first run; comes after
 *	@predict, for each slot that has work, before @epoch
 * @fell_back: even has taken the policy's place; session_last_refusal() says why
 * @run_gpu: does what gpu_run() does, for the device or a private run, and nothing
 *	else, so that the owner can bring threads; without it the session runs it
 * @journal_chunk: gives the journal another chunk, from journal_chunk_alloc(), or NULL:
 *	then events take from their owner's share, and are lost after that. Without it
 *	the session takes memory itself
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
	void (*repartition)(void *context);
	void (*preempt)(void *context, u32 sm, u32 from, u32 to, u32 how);
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
	void (*run_gpu)(void *context, struct gpu *gpu, u64 until);
	struct journal_chunk *(*journal_chunk)(void *context);
};

enum session_state {
	SESSION_WAITING,	/* a gang that is not complete */
	SESSION_RUNNING,	/* some tenant has work */
	SESSION_IDLE,		/* no tenant has work; device time stands still */
	SESSION_STOPPED,	/* at its stop cycle */
	SESSION_CANCELED,	/* a member of the gang left before the start */
};

/* What the first launch of a queue does. */
enum session_queue_state {
	SESSION_QUEUE_EMPTY,	/* there is none */
	SESSION_QUEUE_WAITING,	/* for its cycle, for others' memory or their end */
	SESSION_QUEUE_READY,	/* its kernel could start: the policy decides */
	SESSION_QUEUE_RUNNING,	/* its kernel is on the device */
	SESSION_QUEUE_STATES
};

/**
 * struct session_queue_report - a tenant's queue
 * @state: &enum session_queue_state
 * @priority: see session_set_queue()
 * @waiting: launches behind the first one
 * @kernel: which one of its trace the first one has come to
 * @held: whether the policy holds the queue, or its tenant
 * @sequence: number of the first launch; 0: there is none
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
 * struct session_goal_figures - what has become of a tenant's goal
 * @ipc_ppm: that it is to reach now, as in &struct simgpu_snapshot_tenant, or was
 *	to reach when it last had work; 0: it has no goal
 * @cycles: in which it has had work since the goal was set
 * @instructions: thread instructions that it has issued in these
 * @promised: that the goal asked for in these
 * @met: @instructions are at least @promised, and there were cycles; no tolerance
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
 * @used_ppm: issued of all quotas so far; above 1 where quotas were refilled
 * @blocks_ppm: thread blocks on a shared SM that it may use, in the mean
 * @idle_blocks_ppm: thread blocks' worth of idle warps on an SM, mean of all samples
 *	so far (FGQoS 3.6)
 */
struct session_quota_figures {
	u64 last;
	u64 used_ppm;
	u64 blocks_ppm;
	u64 idle_blocks_ppm;
};

/**
 * struct session_tenant_report - a tenant's own figures so far
 * @present: whether the slot has or had a tenant; else nothing below is set
 * @left: it has left; the figures are its last
 * @active: whether it has work
 * @options: as it joined
 * @sms: SM count assigned now, shared ones too on which it may place blocks
 * @shared_sms: of these, the shared ones
 * @held: whether the policy holds it
 * @waits_for_memory: its next launch waits until others' footprints leave room
 * @waits_for_sms: it has work, nobody holds it, and others have all SMs
 * @class: the last prediction's
 * @np_ppm: the last prediction; meaningless while @class is unknown
 * @np_doubts: SIMGPU_ASSUMES_* of the model that did not hold then: it may be wrong
 * @np_run: predicted of its first run
 * @np_run_doubts: those that did not hold in any epoch of that run
 * @first_run_done: whether the figures are those of its finished first run
 * @figures: over its first run, or so far if that has not ended
 * @counters: since it joined
 * @goal: of its goal
 * @quota: of its quotas; zero without
 * @shares: what it has on SMs now, or had when the session stopped
 * @masks: what it keeps to
 * @energy_known: whether the GPU has a table of energies
 * @energy_pj: what its events cost by that table
 * @latency: of its launches that have run to their end since it joined
 * @waiting: launches behind those whose turn it is; of arrivals,
 *	SESSION_WAITING_MAX stands for that many and more
 * @queue_count: queues up to the last one that it has used, 1 and up
 * @queue: these
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
	struct session_goal_figures goal;
	struct session_quota_figures quota;
	struct session_shares shares;
	struct session_masks masks;
	bool energy_known;
	u64 energy_pj;
	struct latency_figures latency;
	u32 waiting;
	u32 queue_count;
	struct session_queue_report queue[SESSION_QUEUES_MAX];
};

struct private_run;
struct session;

/**
 * session_create() - a session on a cold device
 * @out: set on success
 * @options: copied; checked
 * @hooks: copied; NULL members are not called
 *
 * Return: 0, -EINVAL for bad options, -ENOMEM.
 */
int session_create(struct session **out, const struct session_options *options,
		   const struct session_hooks *hooks);

/* Ends all launches with -ECANCELED, then frees everything. */
void session_destroy(struct session *session);

/* Bytes that the session and its GPU occupy. */
size_t session_bytes(const struct session *session);

/* As at the cold start; policy, model and knobs may have changed since. */
const struct session_options *session_options(const struct session *session);
enum session_state session_state(const struct session *session);
u64 session_now(const struct session *session);

/**
 * session_end_cycle() - when a session was over
 * @session: any
 *
 * The device hears of a kernel's end a little later (gpu_run()), which is not
 * counted here.
 *
 * Return: the cycle in which the last thread block of all ended, if nobody has
 *	work and no stop cycle came first; else session_now().
 */
u64 session_end_cycle(const struct session *session);

const struct gpu *session_gpu(const struct session *session);

/**
 * session_tenant_options_are_good() - whether a tenant could have them
 * @config: of the GPU on which it would have a slot
 * @options: all of them
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
 * session_join_with() - take a slot, as session_join()
 * @session: the session
 * @slot: as there
 * @options: copied
 * @run: taken over if the session needs private runs and it is as they are here;
 *	or NULL
 *
 * Return: as session_join().
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
 * Its launches end with -ECANCELED. Before a gang's start this cancels the
 * gang: the launches of all members end so.
 */
void session_leave(struct session *session, u32 slot);

/*
 * Take effect at once. A new policy starts from cleared controls and an even
 * split, a new model without predictions of its own; both from zeroed state and
 * the knobs' first values.
 */
void session_set_policy(struct session *session,
			const struct simgpu_policy *policy);
void session_set_model(struct session *session,
		       const struct simgpu_model *model);

/**
 * session_all_tags_sampling() - how many auxiliary tags a model gets that wants those of
 *	all sets
 * @config: the GPU, which is a good one
 *
 * Return: 1: of all; n: of every n-th, as more do not fit. What the configuration itself
 * says goes first.
 */
u32 session_all_tags_sampling(const struct gpu_config *config);

const struct session_refusal *session_last_refusal(const struct session *session);

/* Whether a session can use one: known events and needs, sizes in their range. */
bool policy_is_good(const struct simgpu_policy *policy);
bool model_is_good(const struct simgpu_model *model);

/*
 * The policy was too slow, or was unloaded while it was in force: even takes its
 * place, and the journal says so.
 */
void session_policy_is_slow(struct session *session);
void session_policy_is_gone(struct session *session);

int session_set_epoch_cycles(struct session *session, u64 epoch_cycles);

/**
 * session_run() - let device time pass
 * @session: the session
 * @cycles: at most that many core cycles
 *
 * Returns early when nothing is left to run. Epochs, predictions and
 * relaunches happen inside, at their exact cycles, wherever the calls' limits
 * fall: results do not depend on @cycles.
 *
 * Return: the state reached.
 */
enum session_state session_run(struct session *session, u64 cycles);

/* Cycles until a launch starts, while no tenant has work; else 0. */
u64 session_empty_cycles(struct session *session);

void session_tenant_report(struct session *session, u32 slot,
			   struct session_tenant_report *out);

/* For kmod/session alone. */
u64 session_kernel_end(const struct session *session, u32 slot, u32 queue);

/* What the other files of the session give to all; each stands in the header of its file. */
#include "params.h"
#include "private_run.h"
#include "quotas.h"
#include "snapshot.h"
#include "state_hash.h"
#include "submit.h"

#endif /* SESSION_SESSION_H */

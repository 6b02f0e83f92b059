/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of the session; only kmod/session includes this. Calls lead one way:
 * session -> epoch -> decide -> apply, and session -> launch. The other files are called
 * by these.
 */
#ifndef SESSION_INTERNAL_H
#define SESSION_INTERNAL_H

#include "journal.h"

#define NEVER	U64_MAX
/* Owners of shares of the journal: each slot, and the device with its settings. */
#define JOURNAL_OWNERS	(SESSION_SLOTS_MAX + 1)

/*
 * State that lasts from one call to the next decides the future or is a count. It
 * is in structs without pointers or holes, or in groups of fields with the name
 * @lasts. The state hash takes each of them whole (state_hash.c). Fields outside
 * are listed there, with the reason.
 */
PORT_NO_HOLES_BEGIN

/*
 * struct launch - a trace that waits or runs
 * @arrival_cycle: when it was handed in
 * @deadline: device cycle by which it should have ended; 0: none
 * @start_cycle: when its first kernel started; NEVER: it has not
 * @wait: numbers of launches in other queues that have to end before it starts; 0:
 *	none
 * @done: it has run to its end, for launches that wait for it, and runs again
 * @idempotent: its thread blocks may run twice
 * @mask: place of its mask in the tenant's @launch_masks, from 1; 0: it has none
 * @lead: of a trace with commands: the queue of the launch. Others that it takes have a copy
 *	of it, of which nobody is told
 * @copy: it is a copy alone (&struct trace_copy): no latency and no run of the tenant
 */
struct launch {
	const struct trace *trace;
	struct_group(lasts,
		u64 sequence;
		u64 repeats_left;
		u64 not_before;
		u64 arrival_cycle;
		u64 deadline;
		u64 start_cycle;
		u64 wait[SESSION_WAITS_MAX];
		bool done;
		u8 mask;
		bool idempotent;
		u8 lead;
		bool copy;
		u8 unused[3];
	);
};

/*
 * struct launch_part - how far a launch with commands has come in one of its queues (commands.h)
 * @until: device cycle for which it waits, by @state
 * @ended: device cycle in which its last command ended
 * @marked: of the lead: device cycle of the launch's last MARK; 0: there was none
 * @sent: bytes of the present copy that the link was given
 * @place: its command in the trace, that goes on or is next; behind its last one: it is over
 * @left: how often that is still to be done
 * @state: &enum part_state
 * @flying: pieces of the present copy that have not been copied yet
 */
struct launch_part {
	u64 until;
	u64 ended;
	u64 marked;
	u64 sent;
	u32 place;
	u32 left;
	u32 state;
	u32 flying;
};

/*
 * struct copy_turn - the copy that a queue has come to
 * @came: device cycle in which the session found the queue there
 * @turn: device cycle in which what it takes was free for its first piece; NEVER: not yet. A
 *	copy over the link is set up from then on
 */
struct copy_turn {
	u64 came;
	u64 turn;
};

/*
 * struct tenant_copies - what is told of a tenant's copies. Hashed if there were any
 * @come: copies that its queues have come to
 * @bytes: bytes of those that have ended
 * @queue: by queue
 * @waits: of those that have ended
 * @stopped: those that had not when the session stopped
 */
struct tenant_copies {
	struct_group(lasts,
		u64 come;
		u64 bytes;
		struct copy_turn queue[SESSION_QUEUES_MAX];
	);
	struct times waits;
	struct session_copies stopped;
};

/*
 * struct requests - what lasts of requests and tokens in a queue, of traces that have such marks
 *	and launches in it
 * @begun: runs of traces with requests that have begun, or requests of a service that batches
 *	them: the next one is that of this number, modulo those of its trace
 * @counted: device cycle from which the next token counts
 */
struct requests {
	u64 begun;
	u64 counted;
};

/*
 * struct batched - a request of a service that batches them, from its prefill to its end
 * @sequence: its launch number
 * @arrival: device cycle at which it came
 * @deadline: device cycle by which it should have ended; 0: none
 * @start: device cycle at which its prefill began
 * @counted: device cycle from which its next token counts
 * @context: tokens that its next step reads
 * @left: tokens that it has still to generate
 */
struct batched {
	u64 sequence;
	u64 arrival;
	u64 deadline;
	u64 start;
	u64 counted;
	u32 context;
	u32 left;
};

/*
 * struct batch - the requests of such a service (batching.h). Hashed if @told is not 0
 * @told: number of the first request of which nobody was told that it has ended; 0: there
 *	was never a plan
 * @decodes: decodes that have ended
 * @decoded: requests that had a token in one of them, each time
 * @step: the present one, of the trace
 * @running: requests that run
 * @request: these, in the order in which they came
 */
struct batch {
	u64 told;
	u64 decodes;
	u64 decoded;
	u32 step;
	u32 running;
	struct batched request[TRACE_BATCH_MAX];
};

/*
 * struct queue - launches of a tenant that run one after the other
 * @kernel: index of the first launch's kernel that runs, is ready or is being launched
 * @launch: a ring of launches that have not ended, the present one at @head
 * @launch_cycle: when the launching of the kernel, or of its next slice, will be over
 * @slice_blocks: thread blocks of that slice
 * @events: SIMGPU_ON_* that concern the queue since the last decision
 * @priority: see session_set_queue()
 * @ran: whether a trace has run to its end in it
 */
struct queue {
	struct_group(lasts,
		u64 launch_cycle;
		u32 kernel;
		u32 head;
		u32 launches;
		s32 priority;
		u32 events;
		u32 slice_blocks;
		bool ran;
		u8 unused[7];
	);
	struct launch launch[SESSION_LAUNCHES_MAX];
};

/*
 * struct arrivals - requests of a tenant that come by themselves
 * @trace: trace of each request; NULL: no more requests come
 * @plan: which requests come, and when
 * @begin: device cycle from which the plan counts
 * @checksum: checksum of the plan's list; 0: it has none
 * @sequence: launch number of the first request
 * @next: the request that is queued next
 * @more: whether @next is valid; else the last request is under way
 * @ahead: the first request, from @next on, that had not come when somebody last asked,
 *	or behind which nobody has looked; follows from the plan
 * @all_come: there is none: the last request has come, too
 */
struct arrivals {
	const struct trace *trace;
	struct arrivals_plan plan;
	struct arrivals_cursor ahead;
	bool all_come;
	u8 unused2[7];
	struct_group(lasts,
		u64 begin;
		u64 sequence;
		struct arrivals_cursor next;
		u32 checksum;
		bool more;
		u8 unused[3];
	);
};

/*
 * struct goal - the goal of a tenant, and what is counted for it
 * @kind: &enum session_goal, as in its options at the last call
 * @value: value of the goal, as in its options at the last call
 * @seen: device cycle up to which is counted
 * @issued: thread instructions that it had issued when the goal was set
 * @cycles: cycles with work since then
 * @promised: thread instructions that the goal asked for in these cycles
 * @ipc_ppm: IPC that it asked for last; for reports
 */
struct goal {
	u32 kind;
	u32 unused;
	u64 value;
	u64 seen;
	u64 issued;
	u64 cycles;
	u64 promised;
	u64 ipc_ppm;
};

/*
 * struct quota_watch - a quota on an SM, to compare with what is issued
 * @bounded: whether there is one
 * @late: whether instructions are charged when they complete
 * @given: thread instructions when it was set
 * @refill: refill when it was set
 * @issued: thread instructions of the slot there that had been charged at that time
 */
struct quota_watch {
	bool bounded;
	bool late;
	u8 unused[6];
	s64 given;
	s64 refill;
	u64 issued;
};

/*
 * struct quota_note - a tenant's quotas when they were last set, for reports
 * @last: thread instructions on all SMs; 0: it may issue any number
 * @given: sum of its quotas since it joined, without refills
 * @blocks: its thread blocks on shared SMs
 * @sms: shared SMs on which it may have thread blocks
 * @block_warps: warps of a thread block of its kernel
 */
struct quota_note {
	u64 last;
	u64 given;
	u64 blocks;
	u32 sms;
	u32 block_warps;
};

/*
 * struct session_tenant - the tenant in a slot
 * @joined: whether a tenant ever was in it; else nothing else is set
 * @left: it has left; its figures stay
 * @running: queues with a kernel of their first launch on the device, a bit each
 * @ready: queues with a kernel that could start, and waits for the policy
 * @launching: queues with a kernel that is being launched
 * @slicing: queues with a kernel whose next slice is being launched
 * @pending: queues that have launches
 * @between: queues of which the launch has begun and has no kernel now: it copies, or waits
 *	for an event, the end of a delay, or its other queues
 * @queues: how many it has used, from the first one on
 * @more: further launches come before its gang may start
 * @waits: how many launches its launches wait for
 * @part: of launches with commands, by queue
 * @copies: of these
 * @requests: by queue, of launches whose lead it is
 * @batch: requests that run, of a service that batches them
 * @arrivals: requests that come by themselves; the first one that has not ended is in
 *	the first queue, even if its cycle has not come
 * @latency: latencies of launches that have ended
 * @first_tokens: times to first token, by marks of traces; hashed if there was one
 * @tokens: times between tokens, likewise
 * @handovers: how long it has waited for SMs, from the decision that gives it an SM until the
 *	last thread block of others has left that
 * @hint: what it said of its next launch, until one begins; hashed if it said anything
 * @waiting: launches behind present ones when the session stopped
 * @waits_for_memory: whether its launch waited for that then; @waits_for_sms likewise
 * @np_doubts: SIMGPU_ASSUMES_* that did not hold when the model spoke last
 * @np_run_doubts: and in any epoch of its first run
 * @starved: whether it had work all through the last epoch and issued nothing; decides
 *	nothing, but is told with the metrics of an epoch
 * @stopped: what its queues did then
 * @shares: its SMs at that time
 * @started: whether its first run has begun, at @start_cycle
 * @first_run_done: whether its first run has ended, at @first_run_end
 * @arrival_cycle: since when it has had work
 * @first_run: figures of its first run, once that has ended
 * @predicted: the model's last prediction for it
 * @np_run: predictions of its first run
 * @events: SIMGPU_ON_* that concern it since the last decision
 * @unseen: event of its options, if no decision has used them yet
 * @progress_cycle: when it was last seen to have issued something new
 * @progress_issued: thread instructions that it had issued then
 * @goal: goal in force
 * @masks: its masks
 * @launch_masks: masks of its launches, which name them by their place
 * @quota: its quotas when they were last set
 * @decided: queues whose kernels or copies were ready when the policy was asked last, a
 *	bit each
 * @epoch_base: its counters at the start of the present epoch
 * @seen: its counters of finished epochs, as model and policy saw them; only kept
 *	if they are noisy or old
 */
struct session_tenant {
	struct_group(lasts,
		u64 next_sequence;
		u64 start_cycle;
		u64 first_run_end;
		u64 arrival_cycle;
		u64 progress_cycle;
		u64 progress_issued;
		u64 launch_masks[SESSION_LAUNCH_MASKS_MAX][SESSION_MASK_WORDS];
		struct session_masks masks;
		struct session_np np_run;
		struct simgpu_prediction_tenant predicted;
		struct goal goal;
		struct quota_note quota;
		struct session_figures first_run;
		struct simgpu_counters epoch_base;
		struct simgpu_counters seen;
		u32 queues;
		u32 waits;
		u32 events;
		bool joined;
		bool left;
		bool more;
		bool started;
		bool first_run_done;
		u8 running;
		u8 ready;
		u8 launching;
		u8 slicing;
		u8 pending;
		u8 decided;
		u8 between;
	);
	struct session_tenant_options options;
	struct queue queue[SESSION_QUEUES_MAX];
	struct launch_part part[SESSION_QUEUES_MAX];
	struct tenant_copies copies;
	struct requests requests[SESSION_QUEUES_MAX];
	struct batch batch;
	struct arrivals arrivals;
	struct latency latency;
	struct times first_tokens;
	struct times tokens;
	struct session_hint hint;
	struct times handovers;
	struct journal_event *unseen;
	struct simgpu_counters last;
	u32 waiting;
	u32 np_doubts;
	u32 np_run_doubts;
	bool waits_for_memory;
	bool waits_for_sms;
	bool starved;
	u8 unused2[1];
	struct session_queue_report stopped[SESSION_QUEUES_MAX];
	struct session_shares shares;
};

/*
 * struct private_run - a tenant alone on a GPU of its own (private_run.c)
 * @gpu: NULL if there is none
 * @memory: memory of the GPU, not aligned
 * @bytes: size of that
 * @seed: seed of the GPU
 * @epoch_start: its cycle at the start of the present epoch
 * @runs: queues with a kernel on it, a bit each
 */
struct private_run {
	struct_group(lasts,
		u64 seed;
		u64 epoch_start;
		u8 runs;
		u8 unused[7];
	);
	struct gpu *gpu;
	void *memory;
	size_t bytes;
};

/*
 * struct past - what model and policy would have seen at the end of an epoch
 * @cycles: cycles of the epoch; 0: there was none yet
 * @memory_clocks: memory clocks of the epoch
 * @private_cycles: by slot
 * @counters: by slot, over the epoch
 * @total: by slot, since the tenant joined
 */
struct past {
	u64 cycles;
	u64 memory_clocks;
	u64 private_cycles[SESSION_SLOTS_MAX];
	struct simgpu_counters counters[SESSION_SLOTS_MAX];
	struct simgpu_counters total[SESSION_SLOTS_MAX];
};

/* What becomes of a failure that was found */
enum failing_stage {
	FAILING_NOT,
	FAILING_TOLD,		/* the policy will be asked */
	FAILING_ASKED,		/* its proposal is pending */
	FAILING_ANSWERED,	/* it is to be done what it said */
	FAILING_KILLING,	/* a kill has not helped: a reset of SMs is next */
	FAILING_RESETTING,	/* neither has that: a reset of the device is next */
};

/*
 * struct failing - what a queue's present kernel or copy may come to, and has come to. All is 0
 *	while nothing can fail
 * @timeout: the queue's own; 0: the session's
 * @ready_at: device cycle before which no kernel of the queue begins
 * @begin: device cycle in which the kernel or copy began, if it has a timeout or may fail
 * @due: device cycle in which it has timed out; 0: it has no timeout
 * @fails_at: device cycle in which the injected failure happens, once that is known
 * @failed_at: device cycle in which it did
 * @found_at: device cycle in which the failure was found
 * @next_at: device cycle of the next step, in the stages of &enum failing_stage that wait
 * @armed: the failure that the run is to have, &enum session_failure
 * @survives: &enum session_survives of it
 * @timed: whether @fails_at is known
 * @hangs: whether the failure has happened: a hang of a kernel, or a copy that does not end
 * @found: SIMGPU_FAILED_* of the snapshot
 * @stage: &enum failing_stage
 * @said: SIMGPU_RECOVER_*: the policy's answer
 */
struct failing {
	u64 timeout;
	u64 ready_at;
	u64 begin;
	u64 due;
	u64 fails_at;
	u64 failed_at;
	u64 found_at;
	u64 next_at;
	u8 armed;
	u8 survives;
	bool timed;
	bool hangs;
	u8 found;
	u8 stage;
	u8 said;
	u8 unused;
};

/*
 * struct tenant_failures - those of a tenant; the counts are those of &struct session_failures
 * @strike_at: device cycles of its last guilty launches
 * @queue: by queue
 */
struct tenant_failures {
	u64 timeouts;
	u64 faults;
	u64 kills;
	u64 resets;
	u64 repeated;
	u64 canceled;
	u64 strike_at[SESSION_STRIKES_MAX];
	u32 strikes;
	bool banned;
	u8 unused[3];
	struct failing queue[SESSION_QUEUES_MAX];
};

/* struct injected - an injection; @passed: runs that matched; @times: in how many it happened */
struct injected {
	struct session_injection is;
	u64 passed;
	u64 times;
};

/*
 * struct failures - the failures of a session (failures.c). The state hash takes words of it
 *	that are not 0
 * @list: injections, @injections of them
 * @draws: random numbers that were drawn for them
 * @down_until: device cycle before which no kernel and no copy begins
 * @watched: slots of which some kernel or copy runs that may fail, or has, a bit each
 * @timeouts: slots with a queue that has a timeout of its own
 * @banned: slots of banned tenants
 * @found: failures that were found; @lost: of these, losses of the device
 * @sm_resets: SMs that were reset
 * @device_resets: resets of the device
 * @detection: sum of the cycles until failures were found, and their maximum
 * @recovery: the same of what was done about them, which were @recovered failures
 * @sm_ready_at: by SM: device cycle before which it issues nothing after its last reset
 */
struct failures {
	struct injected list[SESSION_INJECTIONS_MAX];
	u64 draws;
	u64 down_until;
	u64 watched;
	u64 timeouts;
	u64 banned;
	u64 found;
	u64 lost;
	u64 sm_resets;
	u64 device_resets;
	u64 recovered;
	u64 detection;
	u64 detection_max;
	u64 recovery;
	u64 recovery_max;
	u32 injections;
	u32 unused;
	struct tenant_failures tenant[SESSION_SLOTS_MAX];
	u64 sm_ready_at[SIMGPU_SMS_MAX];
};

/*
 * struct struck - where injections have struck. The state hash leaves it out, since it is for
 *	people alone
 * @times: by place of the injection
 * @by: by slot and queue: 1 + the place of the injection that the run is to have; 0: it was
 *	forgotten
 */
struct struck {
	u64 times[SESSION_INJECTIONS_MAX];
	u8 by[SESSION_SLOTS_MAX][SESSION_QUEUES_MAX];
};

/*
 * struct power_tenant - energies of a slot's tenant
 * @settled_pj: what its events in SMs would have taken at the highest clock when the clock last
 *	changed
 * @saved_pj: how much less they took until then
 */
struct power_tenant {
	u64 settled_pj;
	u64 saved_pj;
};

/*
 * struct power - clock and power (power.c)
 * @settings: in force
 * @window_start: device cycle at which the window of the cap began
 * @window_pj: energy that the GPU had taken by then
 * @epoch_pj: and by the beginning of the present epoch
 * @epoch_uw: mean power of the last epoch that has ended
 * @settled_cycle: device cycle at which the clock last changed
 * @static_saved_pj: static energy that was saved until then
 * @mhz_cycles: and by how many MHz the clock was below the highest, times the cycles
 * @left_pj: energy of tenants whose slots others have now
 * @changes: how often the clock has changed
 * @below: how many steps the clock is below the highest
 * @capped: and has to be, by the cap
 * @tenant: by slot
 */
struct power {
	struct power_settings settings;
	u64 window_start;
	u64 window_pj;
	u64 epoch_pj;
	u64 epoch_uw;
	u64 settled_cycle;
	u64 static_saved_pj;
	u64 mhz_cycles;
	u64 left_pj;
	u64 changes;
	u32 below;
	u32 capped;
	struct power_tenant tenant[SESSION_SLOTS_MAX];
};

/*
 * What copies of launches with commands take: the link to the device, to the host, the memory. As
 * SIMGPU_COPY_WAY_*.
 */
enum copy_way {
	COPY_WAY_IN,
	COPY_WAY_OUT,
	COPY_WAY_DEVICE,
	COPY_WAYS,
};

/* struct ended - kernels that have ended: their slots in @slots, and by slot their queues */
struct ended {
	u64 slots;
	u8 queues[SESSION_SLOTS_MAX];
};

/*
 * struct probe - the model's probe
 * @kind: SIMGPU_PROBE_*
 * @slot: tenant of the probe
 * @before: owner of each SM before all other tenants were held
 */
struct probe {
	u32 kind;
	u32 slot;
	u8 before[SIMGPU_SMS_MAX];
};

/*
 * struct journal - the events so far
 * @first: the first chunk of events; further ones follow as they are needed
 * @last: the chunk that is being filled
 * @count: number of events
 * @room: number of events that there is memory for
 * @kept: room that is reserved for what is left of all shares
 * @shares: events charged to the share of each slot, and last of the device
 * @lost: events that found no room
 * @spill: takes such an event instead
 */
struct journal {
	struct journal_chunk *first;
	struct journal_chunk *last;
	u32 count;
	u32 room;
	u32 kept;
	u32 shares[JOURNAL_OWNERS];
	u64 lost;
	struct journal_event spill;
};

/*
 * struct session - see session.h
 * @initial: the options of the cold start
 * @policy: policy in force; likewise @model, @epoch_cycles, @sampled and the parameters'
 *	values
 * @policy_state: SIMGPU_STATE_BYTES_MAX bytes; as @model_state
 * @constants: constants of the model, SIMGPU_CONSTANTS_BYTES_MAX; its first
 *	@constants_bytes are set
 * @epoch_start: device cycle at which the present epoch began
 * @epochs: number of epochs that have ended
 * @registers: hardware_counters: by slot and channel, the channels' counters
 *	when the registers were last cleared
 * @proposal: pending until @apply_cycle (NEVER: it is not)
 * @events: SIMGPU_ON_* that the policy will be asked about at @decision_cycle (NEVER:
 *	there are none)
 * @wake_cycle: wake that the policy has named; NEVER: none
 * @model_wake_cycle: wake that the model has named; NEVER: none
 * @watch_cycle: when tenants' progress is checked next
 * @controls: what lasts of the policy's proposals: the fields of the table in
 *	controls.c, and sharers of shared SMs
 * @any_shared: whether some SM is shared, or becomes so when it has drained
 * @fell_back: the policy has failed since the epoch began
 * @held_slots: slots of which all work was held at some time in this epoch, a bit each
 * @sharing_slots: slots that had shared SMs at some time in it
 * @snapshot_used: slots of @snapshot that are not zero
 * @past: a ring of the last epochs, as many as counters are old; the oldest is at
 *	@past_at. NULL: counters are not old
 * @sampling: sampled time, see sampling.c; NULL: all time was simulated so far
 * @services: and of request streams, see services.c; NULL, too
 * @pager: brings pages of managed memory, see pager.c; NULL: no tenant had any
 * @copy_free: device cycle from which on copies of launches with commands find free what they
 *	take, by &enum copy_way
 * @copies: lines of these copies on their way (copies.c); NULL: there were none, or the device
 *	has no copy engine
 * @failures: what fails, and may fail
 * @power: clock and power; the state hash has it once a clock or a cap was set, or a clock
 *	changed
 * @runs: by slot, runs of traces that its tenant has begun, which injections count. The state
 *	hash has them if there are injections
 * @struck: in which runs injections have struck
 * @acting: the step of a recovery that is being taken, and what it has done so far; of others
 *	than the step counts, only @repeated and @canceled
 * @pager_spare: memory for one that is to come; NULL: there is none
 * @configured_mib: managed_mb of the configuration at the cold start, before a setting
 * @gpu_memory: memory of the device, not aligned
 * @sm_base: thread blocks that each SM had finished at @epoch_start
 * @sm_finished: thread blocks that each SM finished in the last epoch
 * @quota_checks: quotas that were compared with what was issued
 * @quota_overruns: quotas of which more was issued than they allowed
 * @quota_watch: quotas in force, by SM and slot
 */
struct session {
	struct_group(lasts,
		u64 epoch_cycles;
		u64 epoch_start;
		u64 epochs;
		u64 apply_cycle;
		u64 decision_cycle;
		u64 wake_cycle;
		u64 model_wake_cycle;
		u64 watch_cycle;
		u64 model_params[SIMGPU_PARAMS_MAX];
		u64 policy_params[SIMGPU_PARAMS_MAX];
		u64 sm_base[SIMGPU_SMS_MAX];
		u64 sm_finished[SIMGPU_SMS_MAX];
		u64 quota_checks;
		u64 quota_overruns;
		struct quota_watch quota_watch[SIMGPU_SMS_MAX][SESSION_SLOTS_MAX];
		struct simgpu_proposal controls;
		struct probe probe;
		u32 events;
		u32 last_slot;
		u32 past_at;
		u32 constants_bytes;
		bool fell_back;
		bool gang_started;
		bool canceled;
		bool stopped;
		bool any_shared;
		u8 sampled;
		u8 unused1[2];
	);
	struct session_options initial;
	struct session_hooks hooks;
	struct gpu *gpu;
	void *gpu_memory;
	size_t bytes;
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	void *policy_state;
	void *model_state;
	void *constants;
	struct gpu_channel_counters *registers;
	struct past *past;
	struct sampling *sampling;
	struct services *services;
	struct pager *pager;
	struct pager *pager_spare;
	struct session_memory_group memory_groups[SESSION_MEMORY_GROUPS_MAX];
	u64 memory_params[SIMGPU_PARAMS_MAX];
	u32 configured_mib;
	u32 unused2;
	u64 copy_free[COPY_WAYS];
	struct copies *copies;
	struct failures failures;
	struct power power;
	u64 runs[SESSION_SLOTS_MAX];
	struct struck struck;
	struct session_acted acting;
	struct session_refusal refusal;
	struct session_tenant tenants[SESSION_SLOTS_MAX];
	struct private_run private_runs[SESSION_SLOTS_MAX];
	u64 held_slots;
	u64 sharing_slots;
	u64 snapshot_used;
	struct simgpu_snapshot snapshot;
	struct simgpu_prediction prediction;
	struct simgpu_proposal proposal;
	s64 gauges[SESSION_SLOTS_MAX][SIMGPU_GAUGES_MAX];
	struct session_epoch epoch;
	struct journal journal;
};

PORT_NO_HOLES_END

/* Advance the device, or a private run; the session's owner may bring threads. */
static inline void run_gpu(struct session *session, struct gpu *gpu, u64 until,
			   bool may_pause)
{
	if (session->hooks.run_gpu)
		session->hooks.run_gpu(session->hooks.context, gpu, until,
				       may_pause);
	else
		gpu_run(gpu, until);
}

static inline bool is_member(const struct session *session, u32 slot)
{
	return slot < SESSION_SLOTS_MAX && session->tenants[slot].joined &&
	       !session->tenants[slot].left;
}

/* The launch at the head of a queue that has one. */
static inline const struct launch *present_launch(const struct queue *queue)
{
	return &queue->launch[queue->head];
}

/* The kernel of a queue that runs, is ready or is being launched. */
static inline const struct trace_kernel *
present_kernel(const struct queue *queue)
{
	return &present_launch(queue)->trace->kernels[queue->kernel];
}

/* SIMGPU_NEEDS_* of model and policy together. */
static inline u32 session_needs(const struct session *session)
{
	return session->model->needs | session->policy->needs;
}

/* Queues with a kernel of their first launch, a bit each. */
static inline u32 working_queues(const struct session_tenant *tenant)
{
	return tenant->running | tenant->ready | tenant->launching;
}

/* Queues whose first launch has begun, a bit each. */
static inline u32 begun_queues(const struct session_tenant *tenant)
{
	return working_queues(tenant) | tenant->between;
}

/* Whether a tenant may be given SMs. */
static inline bool has_work(const struct session_tenant *tenant)
{
	return working_queues(tenant);
}

/* Whether the policy keeps the copies of a queue from beginning. */
static inline bool copy_is_held(const struct session *session, u32 slot, u32 queue)
{
	return session->controls.hold_copies[slot] >> queue & 1;
}

/* Whether the policy keeps the kernels of a queue from starting. */
static inline bool is_held(const struct session *session, u32 slot, u32 queue)
{
	const struct simgpu_proposal *controls = &session->controls;

	return controls->hold >> slot & 1 ||
	       controls->hold_queues[slot] >> queue & 1;
}

static inline bool lists(const struct session *session, u32 event)
{
	return session->policy->events & event;
}

/* The lowest SM of an SM's TPC. */
static inline u32 first_of_tpc(const struct gpu_config *config, u32 sm)
{
	return sm / config->sms_per_tpc * config->sms_per_tpc;
}

/* A GPU's memory is aligned to cache lines. */
#define GPU_ALIGNMENT	64

static inline void *align_gpu(void *memory)
{
	uintptr_t end = (uintptr_t)memory + GPU_ALIGNMENT - 1;

	return (void *)(end & ~(uintptr_t)(GPU_ALIGNMENT - 1));
}

#endif /* SESSION_INTERNAL_H */

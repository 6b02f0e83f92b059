/* SPDX-License-Identifier: GPL-2.0 */
/* The inside of the session; only kmod/core includes this. */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "session.h"

#define NEVER	U64_MAX

/* struct launch - a trace that waits or runs */
struct launch {
	const struct trace *trace;
	u64 sequence;
	u64 repeats_left;
	u64 not_before;
};

/*
 * struct session_tenant - who is in a slot
 * @joined: whether anybody ever was; else nothing else is set
 * @left: it is gone; its figures stay
 * @running: a kernel of its first launch is on the device
 * @kernel: which one
 * @launch: a ring of those that have not ended, the present one at @head
 * @started: whether its first run has begun, at @start_cycle
 * @first_run: figures of its first run, once that has ended
 * @np_cycles: cycles of the predicted epochs of its first run
 * @np_sum: their NPs, times their cycles
 * @epoch_base: its counters at the start of the present epoch
 */
struct session_tenant {
	bool joined;
	bool left;
	bool running;
	bool started;
	bool first_run_done;
	u32 kernel;
	u32 head;
	u32 launches;
	u64 next_sequence;
	u64 start_cycle;
	struct session_tenant_options options;
	struct launch launch[SESSION_LAUNCHES_MAX];
	u32 class;
	u64 np_ppm;
	u64 np_cycles;
	u64 np_sum;
	struct session_figures first_run;
	struct simgpu_counters epoch_base;
	struct simgpu_counters last;
};

/*
 * struct oracle - a tenant's private run (oracle.c)
 * @gpu: NULL if there is none
 * @memory: of it, not aligned
 * @epoch_start: its cycle at the start of the present epoch
 * @runs: a kernel is on it
 */
struct oracle {
	struct gpu *gpu;
	void *memory;
	size_t bytes;
	u64 epoch_start;
	bool runs;
};

/*
 * struct session - see session.h
 * @initial: the options of the cold start
 * @policy: in force; as are @model, @tunables, @epoch_cycles
 * @epoch_start: device cycle at which the present epoch began
 * @epochs: that have ended
 * @registers: hardware_counters: of slots x channels, the channels' counters
 *	when the registers were last cleared
 * @proposal: waits for @apply_cycle (NEVER: none does)
 * @gpu_memory: of the device, not aligned
 * @sm_base: thread blocks that each SM had finished at @epoch_start
 * @sm_finished: that it finished in the last epoch
 */
struct session {
	struct session_options initial;
	struct session_hooks hooks;
	struct gpu *gpu;
	void *gpu_memory;
	size_t bytes;
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	struct simgpu_tunables tunables;
	u64 epoch_cycles;
	u64 epoch_start;
	u64 epochs;
	struct gpu_channel_counters *registers;
	u64 apply_cycle;
	bool gang_started;
	bool canceled;
	bool stopped;
	u32 last_slot;
	struct session_tenant tenants[SESSION_SLOTS_MAX];
	struct oracle oracles[SESSION_SLOTS_MAX];
	struct simgpu_snapshot snapshot;
	struct simgpu_prediction prediction;
	struct simgpu_proposal proposal;
	struct session_epoch epoch;
	u64 journal_lost;
	u64 sm_base[SIMGPU_SMS_MAX];
	u64 sm_finished[SIMGPU_SMS_MAX];
	u32 journal_count;
	struct journal_event journal[SESSION_JOURNAL_MAX];
};

/* snapshot.c */
void figures_compute(const struct gpu *gpu, const struct simgpu_counters *counters,
		     u64 cycles, struct session_figures *out);
void counters_subtract(const struct simgpu_counters *from,
		       const struct simgpu_counters *what,
		       struct simgpu_counters *out);
void snapshot_fill(struct session *session);
size_t registers_bytes(const struct gpu_config *config);
void registers_clear(struct session *session, u32 slot);

/* A GPU's arrays begin on cache lines, wherever its memory does. */
#define GPU_ALIGNMENT	64

static inline void *align_gpu(void *memory)
{
	uintptr_t end = (uintptr_t)memory + GPU_ALIGNMENT - 1;

	return (void *)(end & ~(uintptr_t)(GPU_ALIGNMENT - 1));
}

/* oracle.c */
int oracle_join(struct session *session, u32 slot);
void oracle_leave(struct session *session, u32 slot);
void oracle_start(struct session *session, u32 slot, const struct trace *trace,
		  u32 kernel);
void oracle_follow(struct session *session, u64 ended);
u64 oracle_cycles(const struct session *session, u32 slot);
void oracle_epoch_begin(struct session *session, u32 slot);

/* proposal.c */
bool proposal_is_sound(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_proposal *proposal);
u32 proposal_count(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_proposal *proposal, u32 slot);
void proposal_present(const struct simgpu_snapshot *snapshot,
		      struct simgpu_proposal *proposal);
void proposal_limit(struct simgpu_proposal *proposal, u32 sms_most);
void proposal_apply(struct session *session);
u32 sms_assigned(const struct gpu *gpu, u32 slot);

/* journal.c */
struct journal_event *journal_add(struct session *session,
				  enum journal_kind kind, u32 slot);

#endif /* CORE_CORE_H */

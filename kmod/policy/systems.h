/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What policies that follow published GPU-sharing systems have in common
 * (docs/systems.md): who is urgent, how many SMs a kernel needs, which TPCs somebody
 * has, and kernels that run in slices of bounded time.
 */
#ifndef SIMGPU_SYSTEMS_H
#define SIMGPU_SYSTEMS_H

#include <simgpu/fixed.h>
#include <simgpu/proposal.h>

/* --- common/systems.c ----------------------------------------------------------------- */

bool is_urgent(const struct simgpu_snapshot_tenant *tenant);
u64 urgent_slots(const struct simgpu_snapshot *snapshot);
bool kernel_is_present(const struct simgpu_snapshot_queue *queue);
bool kernel_is_running(const struct simgpu_snapshot_queue *queue);
u32 running_queues(const struct simgpu_snapshot_tenant *tenant);
u32 waiting_queues(const struct simgpu_snapshot_tenant *tenant);
u64 slots_with_kernels(const struct simgpu_snapshot *snapshot, u64 slots);
void say_urgent_first(u64 urgent, struct simgpu_proposal *proposal);
u32 kernel_sms(const struct simgpu_snapshot *snapshot,
	       const struct simgpu_snapshot_kernel *kernel, u64 slack_ppm);
u32 tenant_sms(const struct simgpu_snapshot *snapshot,
	       const struct simgpu_snapshot_tenant *tenant, u64 slack_ppm);
u32 kernel_sms_filled(const struct simgpu_snapshot_kernel *kernel);
u64 share_sm(u32 sm, u64 sharers, struct simgpu_proposal *proposal);

/* --- common/parts.c ------------------------------------------------------------------- */

#define PART_WORDS	(SIMGPU_SMS_MAX / 64)
#define NO_TPC		SIMGPU_SMS_MAX

/**
 * struct part - TPCs of a tenant
 * @since: device cycle since which it has had work, or 1 + that since which it has
 *	waited, as the policy has it
 * @tpcs: a bit each
 * @count: how many
 * @reserved: zero
 */
struct part {
	u64 since;
	u64 tpcs[PART_WORDS];
	u32 count;
	u32 reserved;
};

/**
 * struct parts - TPCs of all tenants
 * @of: by slot; without work there are no TPCs
 * @users: by TPC, how many parts it is in
 */
struct parts {
	struct part of[SIMGPU_SLOTS_MAX];
	u8 users[SIMGPU_SMS_MAX];
};

u32 tpc_count(const struct simgpu_snapshot *snapshot);
u32 tpcs_for(const struct simgpu_snapshot *snapshot, u32 sms);
bool has_tpc(const struct part *part, u32 tpc);
void take_tpc(struct parts *parts, struct part *part, u32 tpc);
void leave_tpc(struct parts *parts, struct part *part, u32 tpc);
void leave_all_tpcs(struct parts *parts, struct part *part);
u32 tpc_with_fewest_users(const struct parts *parts, const struct part *part,
			  u32 tpcs);
u32 first_come(const struct parts *parts, u64 slots);
void parts_say(const struct simgpu_snapshot *snapshot, const struct parts *parts,
	       struct simgpu_proposal *proposal);

/*
 * Where something of a kernel is remembered, of @count places: kernels of several queues
 * may have the same index in their traces.
 */
static inline u32 kernel_place(u32 queue, u32 kernel, u32 count)
{
	return (kernel % count + queue * (count / SIMGPU_QUEUES_MAX)) % count;
}

/* --- common/slicing.c ----------------------------------------------------------------- */

/* Kernels of a tenant of which the slices' size is remembered. */
#define SLICING_KERNELS	16

/**
 * struct slicing_kernel - what was found of a kernel
 * @kernel: its index in its trace
 * @blocks: its thread blocks
 * @threads: of one of these
 * @queue: in which it runs
 * @slice: thread blocks of its next slice; 0: it has not run so far
 */
struct slicing_kernel {
	u32 kernel;
	u32 blocks;
	u16 threads;
	u16 queue;
	u32 slice;
};

/**
 * struct slicing_run - the slice of a queue that runs
 * @began: device cycle; 0 with @blocks 0
 * @blocks: thread blocks of it; 0: none runs
 * @kernel: index of its kernel in its trace
 */
struct slicing_run {
	u64 began;
	u32 blocks;
	u32 kernel;
};

/**
 * struct slicing - kernels in slices, each of which takes no longer than a bound
 * @known: by slot and kernel_place()
 * @run: by slot and queue
 */
struct slicing {
	struct slicing_kernel known[SIMGPU_SLOTS_MAX][SLICING_KERNELS];
	struct slicing_run run[SIMGPU_SLOTS_MAX][SIMGPU_QUEUES_MAX];
};

void slicing_note(const struct simgpu_snapshot *snapshot, struct slicing *slicing,
		  u32 slot, u64 bound);
bool slicing_runs(const struct slicing *slicing, u32 slot);
void slicing_give(const struct simgpu_snapshot *snapshot, struct slicing *slicing,
		  u32 slot, struct simgpu_proposal *proposal);
void slicing_end(const struct simgpu_snapshot *snapshot, u32 slot,
		 struct simgpu_proposal *proposal);

/* --- common/durations.c --------------------------------------------------------------- */

/* Kernels of a tenant of which it is remembered how long they took. */
#define DURATIONS_KERNELS	16
#define DURATION_UNKNOWN	U64_MAX

/**
 * struct durations - how long kernels took
 * @began: by slot and queue, 1 + device cycle at which its kernel was let go; 0: it was
 *	not
 * @kernel: likewise, which one, in its trace
 * @cycles: by slot and kernel_place(), what a kernel took last; 0: not known
 */
struct durations {
	u64 began[SIMGPU_SLOTS_MAX][SIMGPU_QUEUES_MAX];
	u32 kernel[SIMGPU_SLOTS_MAX][SIMGPU_QUEUES_MAX];
	u64 cycles[SIMGPU_SLOTS_MAX][DURATIONS_KERNELS];
};

void durations_note(const struct simgpu_snapshot *snapshot,
		    struct durations *durations, u32 slot);
void durations_begin(const struct simgpu_snapshot *snapshot,
		     struct durations *durations, u32 slot, u32 queue);
bool durations_goes_on(const struct simgpu_snapshot *snapshot,
		       const struct durations *durations, u32 slot, u32 queue);
u64 kernel_cycles(const struct simgpu_snapshot *snapshot,
		  const struct durations *durations, u32 slot, u32 queue);

#endif /* SIMGPU_SYSTEMS_H */

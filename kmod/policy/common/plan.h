/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spatial-temporal multitasking (Liang et al., TPDS 2015): from the profiles of
 * kernels, a plan which of them run together, in which phase, on how many SMs each. The
 * same file builds into the kernel and into userspace: it computes on integers, allocates
 * nothing, and keeps what it needs in a workspace of the caller's.
 */
#ifndef POLICY_PLAN_H
#define POLICY_PLAN_H

#include <simgpu/proposal.h>

/* Kernels of a plan. */
#define PLAN_KERNELS_MAX	SIMGPU_SLOTS_MAX
/*
 * Most numbers of SMs for which Algorithm 1 keeps a configuration: on larger GPUs it gives
 * kernels SMs in steps of several.
 */
#define PLAN_STEPS_MAX		128
/* Times within a phase have this many fractional bits of a core cycle. */
#define PLAN_TIME_BITS		10
/* In @cycles of an estimate: impossible, memory does not suffice (Eq. 4). */
#define PLAN_NEVER		U64_MAX

/**
 * struct plan_kernel - a kernel and its profile (STM 3.2)
 * @blocks: thread blocks, TB_i; at least 1
 * @done: thread blocks of @blocks that have ended; fewer than @blocks
 * @profile: index in the set's profiles: R_i[m] and B_i[m] / Pb
 * @reserved: zero
 * @memory_bytes: device memory of the whole kernel, G_i
 */
struct plan_kernel {
	u32 blocks;
	u32 done;
	u32 profile;
	u32 reserved;
	u64 memory_bytes;
};

/* The first parameters of policies that plan; struct plan_set has their values. */
enum {
	PLAN_PARAM_PENALTY,
	PLAN_PARAM_PEAK,
	PLAN_PARAMS,
};

/* How a phase gets longer where bandwidth does not suffice. */
#define PLAN_PENALTY_UNIFORM	0	/* all of it, in proportion (Eq. 3) */
#define PLAN_PENALTY_MEMORY	1	/* to the time that the memory needs */
#define PLAN_PENALTY_NONE	2

/**
 * struct plan_set - kernels that do not depend on each other
 * @kernels: in the order in which Algorithm 1 takes them; the first one is in the
 *	plan's first phase
 * @profiles: profiles that the kernels name, each with points for all SMs of the device
 * @count: kernels, at most PLAN_KERNELS_MAX
 * @sms: SMs of the device, M; at most SIMGPU_SMS_MAX
 * @memory_bytes: memory of the device, Gb; 0: unlimited
 * @peak_ppm: bandwidth that kernels can reach together, of the device's peak, Pb of
 *	Eq. 3; 0: all of the peak
 * @penalty: PLAN_PENALTY_*
 */
struct plan_set {
	const struct plan_kernel *kernels;
	const struct simgpu_snapshot_profile *profiles;
	u32 count;
	u32 sms;
	u64 memory_bytes;
	u64 peak_ppm;
	u32 penalty;
};

/**
 * struct plan_estimate - how long a configuration is expected to take
 * @sequential: core cycles of its kernels one after another on its SMs (Eq. 2)
 * @round_robin: core cycles of the dynamic round robin, DRR()
 * @penalty_ppm: factor for want of bandwidth, at least SIMGPU_PPM (Eq. 3)
 * @cycles: core cycles side by side (Eq. 4), or PLAN_NEVER
 */
struct plan_estimate {
	u64 sequential;
	u64 round_robin;
	u64 penalty_ppm;
	u64 cycles;
};

/**
 * struct plan_choice - one of Config[][] of Algorithm 1
 * @gain: imp() of the configuration, in core cycles, at least 0
 * @work: all its thread blocks, in SM-times; a bound for DRR()
 * @bandwidth_ppm: bandwidth of its kernels together
 * @memory_bytes: memory of its kernels together
 * @count: its kernels
 * @kernel: their indices, ascending
 * @sms: SMs of each kernel
 */
struct plan_choice {
	u64 gain;
	u64 work;
	u64 bandwidth_ppm;
	u64 memory_bytes;
	u32 count;
	u8 kernel[PLAN_KERNELS_MAX];
	u16 sms[PLAN_KERNELS_MAX];
};

/**
 * struct plan_queue - a kernel's thread blocks in the order of the leaky buckets
 * @left: blocks that have not been placed
 * @latency: latency of a block, in times
 * @interval: interval between two blocks, as plan_interval() returns it
 * @next: when its bucket is full next, in the same unit
 */
struct plan_queue {
	u32 left;
	u64 latency;
	u64 interval;
	u64 next;
};

/**
 * struct plan_work - workspace; its contents mean nothing between two calls
 * @row: Config[i - 1][] and Config[i][], by steps of SMs
 * @trial: the configuration that is being estimated
 * @queue: the kernels of that configuration
 * @free_at: when each SM is free, a heap with the earliest first
 */
struct plan_work {
	struct plan_choice row[2][PLAN_STEPS_MAX + 1];
	struct plan_choice trial;
	struct plan_queue queue[PLAN_KERNELS_MAX];
	u64 free_at[SIMGPU_SMS_MAX];
};

/**
 * struct plan - phases, one after another
 * @phases: number of phases
 * @phase: phase of each kernel, from 0
 * @sms: SMs of each kernel in its phase; a kernel alone in its phase has all
 * @bucket: capacity of each kernel's leaky bucket: proportional to the interval between
 *	its blocks, SIMGPU_BUCKET_MAX for the longest of its phase (STM 4.1)
 * @cycles: by phase, the estimate
 * @penalty_ppm: by phase (Eq. 3)
 * @total: sum of @cycles
 * @sequential: core cycles of all kernels one after another on all SMs
 */
struct plan {
	u32 phases;
	u8 phase[PLAN_KERNELS_MAX];
	u16 sms[PLAN_KERNELS_MAX];
	u32 bucket[PLAN_KERNELS_MAX];
	u64 cycles[PLAN_KERNELS_MAX];
	u64 penalty_ppm[PLAN_KERNELS_MAX];
	u64 total;
	u64 sequential;
};

void plan_estimate(const struct plan_set *set, const struct plan_choice *choice,
		   struct plan_work *work, struct plan_estimate *out);
void plan_choice_of(const struct plan_set *set, const struct plan *plan,
		    u32 phase, struct plan_choice *choice);
void plan_clear(const struct plan_set *set, struct plan *plan);
void plan_add_phase(const struct plan_set *set, const struct plan_choice *choice,
		    struct plan_work *work, struct plan *plan);
void plan_make(const struct plan_set *set, struct plan_work *work,
	       struct plan *out);
u32 plan_interleave(const struct plan_set *set, const struct plan_choice *choice,
		    struct plan_work *work, u8 *kernels, u32 most);
u64 plan_interval(const struct plan_set *set, u32 index, u32 sms);
u32 plan_capacity(u64 interval, u64 longest);

#endif /* POLICY_PLAN_H */

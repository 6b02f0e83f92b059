/* SPDX-License-Identifier: GPL-2.0 */
/* The lowest clock at which tenants are slower by no more than a part. */
#ifndef POLICY_SLIP_H
#define POLICY_SLIP_H

#include <simgpu/proposal.h>

/**
 * struct slip_counts - counters of a tenant when a look began
 * @sm_cycles: SM-cycles that it had held
 * @memory_cycles: cycles in which a scheduler could issue nothing, as warps waited for memory
 * @lsu_cycles: and as they waited for the load/store unit
 */
struct slip_counts {
	u64 sm_cycles;
	u64 memory_cycles;
	u64 lsu_cycles;
};

/**
 * struct slip - what is known of tenants and the clock
 * @slots: tenants with work, a bit each; when they change, all begins with the highest clock
 * @since: device cycle at which the present look began
 * @mhz: the clock since then; 0: nothing was said yet
 * @unused: 0
 * @from: by slot
 */
struct slip {
	u64 slots;
	u64 since;
	u32 mhz;
	u32 unused;
	struct slip_counts from[SIMGPU_SLOTS_MAX];
};

/**
 * slip_say() - say the clock
 * @snapshot: what the policy sees; it has to be asked now and then while tenants work
 * @slip: zero at first
 * @most_ppm: by how much a tenant may be slower than at the highest clock; above 0
 * @look_cycles: how long a look takes at least: it ends with the first call after that
 * @proposal: gets the clock
 *
 * Says nothing of a device whose clock is fixed.
 */
void slip_say(const struct simgpu_snapshot *snapshot, struct slip *slip, u64 most_ppm,
	      u64 look_cycles, struct simgpu_proposal *proposal);

#endif /* POLICY_SLIP_H */

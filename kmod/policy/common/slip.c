// SPDX-License-Identifier: GPL-2.0
/*
 * LithOS' rule for the clock (Coppock et al., SOSP 2025, power management), taken down without
 * the paper at hand. The time of a kernel is taken to grow by its sensitivity s times what
 * cycles grow by:
 *
 *	T(f) / T(fmax) - 1 = s (fmax / f - 1),
 *
 * so a slowdown of at most k allows any clock from fmax / (1 + k / s) on.
 *
 * Ours is how s is found. LithOS compares times at several clocks; here schedulers tell in which
 * part of their time they could not issue because warps waited for memory, whose time does not
 * grow. With m this part at the clock f, and c = (1 - m) f / fmax, s = c / (c + m). What they wait
 * for the load/store unit counts as the rest of their time does: it may be full of loads, or be
 * as fast as it can. It is found for each tenant, not for each kernel, and the most sensitive
 * tenant decides.
 */
#include "slip.h"
#include "tenants.h"

/* The lowest clock that is at least @mhz. */
static u32 clock_from(const struct simgpu_snapshot *snapshot, u64 mhz)
{
	u32 i;

	for (i = 0; i < snapshot->clock_count && i < SIMGPU_CLOCKS_MAX; i++)
		if (snapshot->clocks[i].mhz >= mhz)
			return snapshot->clocks[i].mhz;
	return snapshot->core_mhz;
}

static struct slip_counts counts_of(const struct simgpu_snapshot *snapshot, u32 slot)
{
	const struct simgpu_counters *total = &snapshot->tenants[slot].total;

	return (struct slip_counts) {
		.sm_cycles = total->sm_cycles,
		.memory_cycles = total->stall_memory_cycles,
		.lsu_cycles = total->stall_lsu_cycles,
	};
}

static u64 sensitivity_ppm(const struct simgpu_snapshot *snapshot, const struct slip *slip,
			   u32 slot)
{
	const struct slip_counts now = counts_of(snapshot, slot), *from = &slip->from[slot];
	u64 all = fixed_above(now.sm_cycles, from->sm_cycles) * snapshot->schedulers;
	u64 waits = fixed_above(now.memory_cycles, from->memory_cycles);
	u64 waits_ppm, core_ppm;

	/* All without the load/store unit. Who had no SM tells nothing. */
	all = fixed_above(all, fixed_above(now.lsu_cycles, from->lsu_cycles));
	if (!all)
		return 0;
	waits_ppm = min_t(u64, fixed_mul_div(waits, SIMGPU_PPM, all), SIMGPU_PPM);
	core_ppm = fixed_mul_div(SIMGPU_PPM - waits_ppm, slip->mhz, snapshot->core_mhz);
	return fixed_mul_div(core_ppm, SIMGPU_PPM, core_ppm + waits_ppm);
}

static u32 choose(const struct simgpu_snapshot *snapshot, const struct slip *slip,
		  u64 most_ppm)
{
	u64 most_sensitive = 0, rest;

	for (rest = slip->slots; rest; rest &= rest - 1)
		most_sensitive = max(most_sensitive,
				     sensitivity_ppm(snapshot, slip,
						     (u32)__builtin_ctzll(rest)));
	/* fmax / (1 + k / s), rounded up */
	return clock_from(snapshot, fixed_mul_div(snapshot->core_mhz, most_sensitive,
						  most_sensitive + most_ppm) + 1);
}

void slip_say(const struct simgpu_snapshot *snapshot, struct slip *slip, u64 most_ppm,
	      u64 look_cycles, struct simgpu_proposal *proposal)
{
	u64 slots = active_slots(snapshot);
	bool anew = slots != slip->slots || !slip->mhz;
	u32 slot;

	if (!snapshot->clock_count)
		return;
	if (anew || snapshot->cycle >= slip->since + look_cycles) {
		slip->mhz = anew ? snapshot->core_mhz : choose(snapshot, slip, most_ppm);
		slip->slots = slots;
		slip->since = snapshot->cycle;
		for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
			slip->from[slot] = counts_of(snapshot, slot);
	}
	proposal->flags |= SIMGPU_SAYS_CLOCK;
	proposal->clock_mhz = slip->mhz;
}

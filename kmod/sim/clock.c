// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of the SMs, beside device time. Which cycles of device time are cycles of the
 * SMs follows from the clock and the cycle's number alone, so nothing has to be added up, and
 * no result depends on where a run of the device pauses.
 */
#include "clock.h"
#include "sim.h"

/*
 * clock_ticks() - cycles of the SMs that have begun up to a cycle of device time, if the clock
 *	had always been the present one: floor(cycle * mhz / core_mhz)
 */
u64 clock_ticks(const struct gpu *gpu, u64 cycle)
{
	u32 whole = gpu->config.core_mhz, part = gpu->core_mhz;

	return cycle / whole * part + cycle % whole * part / whole;
}

/*
 * clock_span() - see sm_span(), while the clock is lowered
 *
 * Cycle k of the SMs begins at ceil(k * core_mhz / mhz). The pattern repeats after core_mhz
 * cycles, so that small numbers are enough.
 */
u64 clock_span(const struct gpu *gpu, u64 from, u64 cycles)
{
	u32 whole = gpu->config.core_mhz, part = gpu->core_mhz;
	u32 at = from % whole;
	u64 ticks = (u64)at * part / whole + cycles;

	return cycles ? (ticks * whole + part - 1) / part - at : 0;
}

/*
 * clock_seen() - the cycle up to which SMs have seen what came to them, at the end of a cycle of
 *	device time: the one in which the last cycle of theirs began
 */
u64 clock_seen(const struct gpu *gpu, u64 cycle)
{
	u32 whole = gpu->config.core_mhz, part = gpu->core_mhz;
	u32 at = cycle % whole;
	u64 ticks = (u64)at * part / whole;

	return cycle - at + (ticks * whole + part - 1) / part;
}

/*
 * SMs see all that has come, and have a turn in their next cycle. A load/store unit that is held
 * back tries again in it: what it waits for may just have come.
 */
static void look_again(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];

	sm_take_events(gpu, index, gpu->now);
	if (lsu_is_held(sm) && sm->lsu.blocked < LSU_PORT)
		sm->lsu.blocked = LSU_PORT;
	sm_wake(sm, gpu->now + 1);
}

void gpu_set_clock(struct gpu *gpu, u32 mhz)
{
	u32 i;

	port_assert(mhz && mhz <= gpu->config.core_mhz);
	gpu->core_mhz = 0;
	for (i = 0; i < gpu->config.sms; i++)
		look_again(gpu, i);
	if (mhz < gpu->config.core_mhz)
		gpu->core_mhz = mhz;
}

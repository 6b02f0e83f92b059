/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of the SMs. Memory, last-level cache, crossbar and the link to the host have
 * clocks of their own, which stay as they are.
 */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <simgpu/port.h>

struct gpu;

/**
 * gpu_set_clock() - set the clock of the SMs from now on
 * @gpu: the device, between two calls of gpu_run()
 * @mhz: 1 to the configuration's core_mhz, at which the SMs are as without this call
 *
 * Device time stays in cycles of core_mhz, and so do all counters of cycles. At a lower clock
 * an SM acts in the part @mhz / core_mhz of them. What an SM has begun, such as the issue of
 * some instructions, ends at the clock at which it has begun.
 */
void gpu_set_clock(struct gpu *gpu, u32 mhz);

#endif /* SIM_CLOCK_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_THREADS_H
#define SIMGPU_THREADS_H

#include "device.h"

extern const struct simgpu_observer simgpu_threads_observer;
int simgpu_threads_set(struct simgpu_device *device, u32 count);
void simgpu_threads_run(void *context, struct gpu *gpu, u64 until, bool may_pause);

#endif /* SIMGPU_THREADS_H */

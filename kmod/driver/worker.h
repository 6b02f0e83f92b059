/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_WORKER_H
#define SIMGPU_WORKER_H

#include "device.h"

int simgpu_worker_start(struct simgpu_device *device);
void simgpu_worker_stop(struct simgpu_device *device);

#endif /* SIMGPU_WORKER_H */

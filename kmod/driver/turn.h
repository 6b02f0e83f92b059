/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_TURN_H
#define SIMGPU_TURN_H

#include "device.h"

int simgpu_device_admit(struct simgpu_device *device,
			enum simgpu_call_kind kind);
int simgpu_device_lock(struct simgpu_device *device);
int simgpu_device_call(struct simgpu_device *device, int (*function)(void *arg),
		       void *arg);
int simgpu_device_call_closing(struct simgpu_device *device,
			       int (*function)(void *arg), void *arg);
void simgpu_device_lock_closing(struct simgpu_device *device);
void simgpu_device_unlock(struct simgpu_device *device);
int simgpu_turns_start(void);
void simgpu_turns_stop(void);
void simgpu_turn_init(struct simgpu_device *device);
void simgpu_turn_take(struct simgpu_device *device);
void simgpu_turn_end(struct simgpu_device *device, u64 took_ns);
void simgpu_turn_rest(struct simgpu_device *device);

#endif /* SIMGPU_TURN_H */

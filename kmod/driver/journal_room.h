/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_JOURNAL_ROOM_H
#define SIMGPU_JOURNAL_ROOM_H

#include "device.h"

int simgpu_device_lock_to_note(struct simgpu_device *device);
int simgpu_device_call_to_note(struct simgpu_device *device, int (*function)(void *arg),
			       void *arg);
struct journal_chunk *simgpu_journal_chunk(void *context);

#endif /* SIMGPU_JOURNAL_ROOM_H */

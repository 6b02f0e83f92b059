/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_OBSERVE_H
#define SIMGPU_OBSERVE_H

#include "device.h"

int simgpu_device_session_create(struct simgpu_device *device,
				 const struct session_options *options,
				 struct session **session);
void simgpu_device_leave(struct simgpu_device *device);
void simgpu_device_settle(struct simgpu_device *device);
void simgpu_device_settle_one(struct simgpu_device *device);
void simgpu_device_settle_later(struct simgpu_device *device);
void simgpu_device_catch_up(struct simgpu_device *device);
struct simgpu_published simgpu_device_published(struct simgpu_device *device);
void simgpu_device_refused(struct simgpu_device *device,
			   const struct session_refusal *why);
void simgpu_device_publish_start(struct simgpu_device *device);
void simgpu_device_publish(struct simgpu_device *device, bool counters);

#endif /* SIMGPU_OBSERVE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Failures as people meet them: the last ones, a line in the log, an event, a coredump. */
#ifndef SIMGPU_FAILURES_H
#define SIMGPU_FAILURES_H

#include "device.h"
#include "observers.h"

extern const struct simgpu_observer simgpu_failures_observer;

char *simgpu_failures_text(struct simgpu_device *device, size_t *length);

#endif /* SIMGPU_FAILURES_H */

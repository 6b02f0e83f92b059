/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the driver that are told of events on devices. */
#ifndef SIMGPU_OBSERVERS_H
#define SIMGPU_OBSERVERS_H

#include "device.h"

/* The observers' table, which ends with NULL; main.c has it. */
extern const struct simgpu_observer *const *simgpu_observers;

/* Calls a member of each observer that has it. */
#define simgpu_tell(_event, ...) do {					\
	const struct simgpu_observer *const *_at;			\
									\
	for (_at = simgpu_observers; *_at; _at++)			\
		if ((*_at)->_event)					\
			(*_at)->_event(__VA_ARGS__);			\
} while (0)

/* Defined in trace_events.c, whose header only has tracepoints. */
extern const struct simgpu_observer simgpu_trace_observer;

#endif /* SIMGPU_OBSERVERS_H */

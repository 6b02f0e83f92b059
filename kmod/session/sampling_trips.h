/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trips of loops as the unit of sampled time: for kernels whose thread blocks live so long
 * that stretches of whole blocks would take most of the time.
 */
#ifndef SESSION_SAMPLING_TRIPS_H
#define SESSION_SAMPLING_TRIPS_H

#include <simgpu/port.h>

struct queue;
struct session;

u64 sampling_trip(const struct queue *queue);
u64 sampling_trips_left(const struct session *session, u32 slot, u32 queue);

#endif /* SESSION_SAMPLING_TRIPS_H */

// SPDX-License-Identifier: GPL-2.0
/* Work of a queue that is measured, and left out in leaps, in trips of loops. */
#include "../sim/leap.h"
#include "internal.h"
#include "sampling_trips.h"
#include "session.h"

/*
 * sampling_trip() - thread instructions of a trip of a thread block of a queue's kernel
 *
 * Return: 0 if its warps do not spend nearly all of their work in one loop.
 */
u64 sampling_trip(const struct queue *queue)
{
	const struct trace_kernel *kernel = present_kernel(queue);
	struct trace_trips trips;

	trace_trips(present_launch(queue)->trace, kernel, &trips);
	return trips.trips ? trips.thread_instructions * kernel->block_warps : 0;
}

/* sampling_trips_left() - thread instructions of a queue that a leap can leave out in trips */
u64 sampling_trips_left(const struct session *session, u32 slot, u32 queue)
{
	struct gpu_trips trips;

	gpu_queue_trips(session->gpu, slot, queue, &trips);
	return fixed_mul(trips.left, trips.trip_instructions);
}

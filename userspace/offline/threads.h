/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that run a device together. The engine itself has no threads: it offers steps
 * (kmod/sim/gpu.h, gpu_next_step()), which the threads here take.
 */
#ifndef OFFLINE_THREADS_H
#define OFFLINE_THREADS_H

#include "../../kmod/session/session.h"

struct threads;

/**
 * threads_create() - threads for one device, or for others of its size
 * @out: set on success
 * @config: configuration of the device
 * @count: threads, the caller's own included: 1 to the SMs, at most GPU_VIEWS_MAX
 *
 * Return: 0; -EINVAL for another number; -EAGAIN if no further thread can be
 * started; -ENOMEM.
 */
int threads_create(struct threads **out, const struct gpu_config *config,
		   u32 count);

/**
 * threads_run() - gpu_run() by all threads
 * @threads: the threads; no other call may use them meanwhile
 * @gpu: the device; it is left with one view
 * @until: as for gpu_run()
 */
void threads_run(struct threads *threads, struct gpu *gpu, u64 until);

/* Ends the threads; NULL is allowed. */
void threads_destroy(struct threads *threads);

#endif /* OFFLINE_THREADS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that run a device together. The engine itself has none: it offers steps
 * (kmod/sim/gpu.h, gpu_next_step()), and here are those who take them.
 */
#ifndef OFFLINE_THREADS_H
#define OFFLINE_THREADS_H

#include "../../kmod/session/session.h"

struct threads;

/**
 * threads_create() - threads for one device, and others of its size
 * @out: set on success
 * @config: of the device
 * @count: how many, the caller's own included: 1 to the SMs, GPU_VIEWS_MAX at most
 *
 * Return: 0; -EINVAL for such a number; -EAGAIN if no further thread can be
 * started; -ENOMEM.
 */
int threads_create(struct threads **out, const struct gpu_config *config,
		   u32 count);

/**
 * threads_run() - gpu_run(), by all threads
 * @threads: whose caller is the only one now
 * @gpu: the device; one view is left to it
 * @until: as of gpu_run()
 */
void threads_run(struct threads *threads, struct gpu *gpu, u64 until);

/* Ends them; NULL is none. */
void threads_destroy(struct threads *threads);

#endif /* OFFLINE_THREADS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The timeline of a run as a file of trace events in JSON, which Perfetto's page and
 * Chromium's tracing page load. A queue of a tenant is a track, and an SM is one; NP,
 * SMs and bandwidth of tenants are counters. Written as the run goes on, compressed by
 * gzip where the file's name ends in .gz.
 */
#ifndef SIMGPU_TIMELINE_H
#define SIMGPU_TIMELINE_H

#include "../command.h"

struct timeline;

/**
 * timeline_open() - open a file
 * @path: of the file, which is replaced
 *
 * Return: the timeline, or NULL: what was wrong has been said.
 */
struct timeline *timeline_open(const char *path);

/* Before all that happens: the device. */
void timeline_begin(struct timeline *timeline, const struct gpu_config *config);

/* What happens; each may find that it cannot be written, which timeline_close() says. */
void timeline_tenant(struct timeline *timeline, u32 slot, const char *name);
void timeline_kernel(struct timeline *timeline,
		     const struct offline_kernel *kernel);
void timeline_epoch(struct timeline *timeline,
		    const struct session_epoch *epoch);
void timeline_preempt(struct timeline *timeline, u64 cycle, u32 sm, u32 from,
		      u32 to, u32 how);
/* Who has which SM now. */
void timeline_look(struct timeline *timeline, const struct gpu *gpu);

/**
 * timeline_close() - end the file
 * @timeline: or NULL
 * @good: the run came to its end; else the file is removed
 *
 * Return: an exit status: of a file that could not be written, nothing stays.
 */
int timeline_close(struct timeline *timeline, bool good);

#endif /* SIMGPU_TIMELINE_H */

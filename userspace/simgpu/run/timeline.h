/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The timeline of a run as a file of trace events in JSON, which Perfetto's page and
 * Chromium's tracing page load. Each queue of a tenant is a track, and each SM; NP,
 * SMs and bandwidth of tenants are counters, as are the policy's gauges; its notes are a track.
 * In sampled time leaps are a track, too. The file is written as the run goes on, and
 * compressed by gzip if its name ends in .gz.
 */
#ifndef SIMGPU_TIMELINE_H
#define SIMGPU_TIMELINE_H

#include "../command.h"

struct timeline;

/**
 * timeline_open() - open a file
 * @path: path of the file, which is replaced
 *
 * Return: the timeline, or NULL: a message has been printed.
 */
struct timeline *timeline_open(const char *path);

/* Sets the device, before any event. */
void timeline_begin(struct timeline *timeline, const struct gpu_config *config);

/* Add events. If one cannot be written, timeline_close() reports it. */
void timeline_tenant(struct timeline *timeline, u32 slot, const char *name);
void timeline_kernel(struct timeline *timeline,
		     const struct offline_kernel *kernel);
void timeline_epoch(struct timeline *timeline,
		    const struct session_epoch *epoch);
void timeline_preempt(struct timeline *timeline, u64 cycle, u32 sm, u32 from,
		      u32 to, u32 how);
/* In sampled time: the cycles from @from to @until were leapt. */
void timeline_leap(struct timeline *timeline, u64 from, u64 until);
/* A note of the policy, at the cycle of its decision. */
void timeline_note(struct timeline *timeline, const struct session_note *note);
/* Records the owner that each SM has at @cycle. */
void timeline_look(struct timeline *timeline, u64 cycle, const struct gpu *gpu);

/**
 * timeline_close() - end the file
 * @timeline: or NULL
 * @good: whether the run came to its end; else the file is removed
 *
 * Return: an exit status; a file that could not be written is removed.
 */
int timeline_close(struct timeline *timeline, bool good);

#endif /* SIMGPU_TIMELINE_H */

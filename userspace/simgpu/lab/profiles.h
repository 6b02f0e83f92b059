/* SPDX-License-Identifier: GPL-2.0 */
/* Profiles of several traces, measured and written. */
#ifndef SIMGPU_PROFILES_H
#define SIMGPU_PROFILES_H

#include "profile.h"

/**
 * profiles_open() - read workloads and list their kernels
 * @profiles: @config is set; the rest is filled in, without points
 * @names: built-in workloads and files
 * @count: number of names
 *
 * Return: an exit status; a message has been printed on failure. profiles_free() frees
 * what it holds in either case.
 */
int profiles_open(struct profiles *profiles, char **names, u32 count);
void profiles_free(struct profiles *profiles);

/**
 * profiles_measure() - measure all points
 * @profiles: open
 * @workers: most measurements at a time
 * @seed: seed of all random numbers
 * @dummy: measure beside a dummy kernel, too
 *
 * Return: an exit status; a message has been printed on failure.
 */
int profiles_measure(struct profiles *profiles, u64 workers, u64 seed, bool dummy);

/**
 * profiles_write() - write a workload's trace with these profiles
 * @profiles: with points, of that one workload
 * @path: file to write; the trace's profiles for other GPUs are kept
 *
 * Return: an exit status; a message has been printed on failure.
 */
int profiles_write(const struct profiles *profiles, const char *path);

#endif /* SIMGPU_PROFILES_H */

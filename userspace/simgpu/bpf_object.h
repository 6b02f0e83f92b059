/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policies that are BPF programs, as far as libbpf is needed: bpf_object.c, or where
 * the build has found none, bpf_object_none.c.
 */
#ifndef SIMGPU_BPF_OBJECT_H
#define SIMGPU_BPF_OBJECT_H

#include <stdbool.h>

/**
 * bpf_object_load() - load a policy, and keep it in the kernel
 * @path: an object that tools/build-policy --bpf has made
 * @folder: of a BPF file system, where a file by the policy's name keeps it
 * @replace: take the place of the one of that name, if there is one
 *
 * Return: an exit status; what was wrong has been said.
 */
int bpf_object_load(const char *path, const char *folder, bool replace);

/**
 * bpf_object_unload() - take a policy out of the kernel, at once
 * @pin: the file that keeps it, which is removed
 *
 * Return: an exit status; what was wrong has been said.
 */
int bpf_object_unload(const char *pin);

#endif /* SIMGPU_BPF_OBJECT_H */

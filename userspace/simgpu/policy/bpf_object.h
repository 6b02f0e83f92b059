/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policies that are BPF programs, as far as libbpf is needed: bpf_object.c, or where
 * the build has found none, bpf_object_none.c.
 */
#ifndef SIMGPU_BPF_OBJECT_H
#define SIMGPU_BPF_OBJECT_H

#include <stdbool.h>

/**
 * struct bpf_object_map - a map of a policy's own
 * @entries: that it can have
 * @key_bytes: of each
 * @value_bytes: likewise
 */
struct bpf_object_map {
	unsigned int entries;
	unsigned int key_bytes;
	unsigned int value_bytes;
};

/**
 * bpf_object_load() - load a policy, and keep it and its maps in the kernel
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

/**
 * bpf_object_map_about() - what a map is
 * @pin: its file in a BPF file system
 * @about: is filled in
 *
 * Return: whether it could be found out.
 */
bool bpf_object_map_about(const char *pin, struct bpf_object_map *about);

#endif /* SIMGPU_BPF_OBJECT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of loading BPF policies that needs libbpf: bpf_object.c, or if the build has
 * found no libbpf, bpf_object_none.c.
 */
#ifndef SIMGPU_BPF_OBJECT_H
#define SIMGPU_BPF_OBJECT_H

#include <stdbool.h>

/**
 * struct bpf_object_map - a map of a policy
 * @entries: most entries
 * @key_bytes: size of a key
 * @value_bytes: size of a value
 */
struct bpf_object_map {
	unsigned int entries;
	unsigned int key_bytes;
	unsigned int value_bytes;
};

/**
 * bpf_object_load() - load a policy, and keep it and its maps in the kernel
 * @path: path of an object that tools/build-policy --bpf has made
 * @folder: folder of a BPF file system, where a file with the policy's name keeps it
 * @replace: replace the policy of the same name, if there is one
 *
 * Return: an exit status; a message has been printed on failure.
 */
int bpf_object_load(const char *path, const char *folder, bool replace);

/**
 * bpf_object_unload() - unload a policy from the kernel, at once
 * @pin: the file that keeps it, which is removed
 *
 * Return: an exit status; a message has been printed on failure.
 */
int bpf_object_unload(const char *pin);

/**
 * bpf_object_map_about() - sizes of a map
 * @pin: its file in a BPF file system
 * @about: filled in
 *
 * Return: whether the map could be read.
 */
bool bpf_object_map_about(const char *pin, struct bpf_object_map *about);

#endif /* SIMGPU_BPF_OBJECT_H */

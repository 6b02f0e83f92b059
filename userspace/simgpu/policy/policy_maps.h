/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps of a loaded policy. Through files in a BPF file system, MAPS_FOLDER/POLICY/MAP,
 * other programs can read and write them.
 */
#ifndef SIMGPU_POLICY_MAPS_H
#define SIMGPU_POLICY_MAPS_H

#define MAPS_FOLDER	"/sys/fs/bpf/simgpu-maps"

/**
 * policy_maps_folder() - make the folder for a policy's maps, unless it exists
 * @policy: its name
 *
 * Return: 0, or a negative errno.
 */
int policy_maps_folder(const char *policy);

/**
 * policy_maps_path() - the path of a map
 * @policy: name of its policy
 * @map: its name; dots, which such a file system does not take, become '-'
 * @path: filled in
 * @room: bytes there
 */
void policy_maps_path(const char *policy, const char *map, char *path, size_t room);

/**
 * policy_maps_remove() - remove the files of a policy's maps
 * @policy: its name
 */
void policy_maps_remove(const char *policy);

/**
 * policy_maps_each() - visit the file of each of a policy's maps
 * @policy: its name
 * @visit: called with the file's path
 * @context: passed to it
 */
void policy_maps_each(const char *policy,
		      void (*visit)(const char *path, void *context),
		      void *context);

#endif /* SIMGPU_POLICY_MAPS_H */

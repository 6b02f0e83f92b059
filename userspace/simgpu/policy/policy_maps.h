/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps of a loaded policy's own. Files in a BPF file system, MAPS_FOLDER/POLICY/MAP, let
 * other programs read them and write to them.
 */
#ifndef SIMGPU_POLICY_MAPS_H
#define SIMGPU_POLICY_MAPS_H

#include <json-c/json.h>

#define MAPS_FOLDER	"/sys/fs/bpf/simgpu-maps"

/**
 * policy_maps_folder() - make the folder for a policy's maps, unless it is there
 * @policy: its name
 *
 * Return: 0, or a negative errno.
 */
int policy_maps_folder(const char *policy);

/**
 * policy_maps_path() - where a map is found
 * @policy: name of its policy
 * @map: its name; dots, which such a file system does not take, become '-'
 * @path: is filled in
 * @room: bytes there
 */
void policy_maps_path(const char *policy, const char *map, char *path, size_t room);

/**
 * policy_maps_remove() - take the files of a policy's maps away
 * @policy: its name
 */
void policy_maps_remove(const char *policy);

/**
 * policy_maps_json() - which maps a policy has
 * @policy: its name
 *
 * Return: an array of "file", "entries", "key_bytes" and "value_bytes"; the caller's.
 */
struct json_object *policy_maps_json(const char *policy);

#endif /* SIMGPU_POLICY_MAPS_H */

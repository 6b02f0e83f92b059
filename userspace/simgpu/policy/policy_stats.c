// SPDX-License-Identifier: GPL-2.0
/* simgpu policy stats: host time that a device's policy has taken. */
#include "../command.h"
#include "../json.h"
#include "../output.h"
#include "bpf_object.h"
#include "policy_load.h"
#include "policy_maps.h"
#include "policy_stats.h"
#include "../sysfs.h"
#include "../table.h"

/**
 * struct stats - the file "decisions" of debugfs
 * @policy: name of the policy
 * @calls: calls since it is in force
 * @ns: host time of these calls
 * @longest_ns: host time of the longest one
 * @refused: how many policies of the session even has replaced, for what they did
 * @refused_policy: the last of these policies; empty without one
 */
struct stats {
	char policy[SIMGPU_NAME_BYTES];
	u64 calls;
	u64 ns;
	u64 longest_ns;
	u64 refused;
	char refused_policy[SIMGPU_NAME_BYTES];
};

/**
 * struct memory_stats - the file "placements" of debugfs
 * @policy: name of the memory policy
 * @calls: calls of its place() since it is in force
 * @ns: host time of these calls
 * @longest_ns: host time of the longest one
 * @ranks: calls of its rank(), unless it is built in
 * @ranks_ns: host time of these
 * @ranks_longest_ns: host time of the longest one of these
 */
struct memory_stats {
	char policy[SIMGPU_NAME_BYTES];
	u64 calls;
	u64 ns;
	u64 longest_ns;
	u64 ranks;
	u64 ranks_ns;
	u64 ranks_longest_ns;
};

static void add_map(const char *path, void *context)
{
	struct json_object *array = context, *object;
	struct bpf_object_map about;

	if (!bpf_object_map_about(path, &about))
		return;
	object = json_object_new_object();
	json_set_string(object, "file", path);
	json_set(object, "entries", json_u64(about.entries));
	json_set(object, "key_bytes", json_u64(about.key_bytes));
	json_set(object, "value_bytes", json_u64(about.value_bytes));
	json_object_array_add(array, object);
}

/* An array of objects with "file", "entries", "key_bytes" and "value_bytes". */
static struct json_object *maps_json(const char *policy)
{
	struct json_object *array = json_object_new_array();

	policy_maps_each(policy, add_map, array);
	return array;
}

/* Opens a device's file in debugfs, and sets @path to its name; NULL after a message. */
static FILE *open_stats(unsigned int device, const char *name, char path[128])
{
	FILE *file;

	snprintf(path, 128, "/sys/kernel/debug/simgpu/simgpu%u/%s", device, name);
	file = fopen(path, "r");
	if (!file)
		fail("%s: %s", path, strerror(errno));
	return file;
}

static int read_memory_stats(unsigned int device, struct memory_stats *stats)
{
	char path[128];
	FILE *file = open_stats(device, "placements", path);
	int read;

	if (!file)
		return STATUS_FAILED;
	read = fscanf(file, "memory_policy %31s calls %llu ns %llu longest_ns %llu ranks %llu ranks_ns %llu ranks_longest_ns %llu",
		      stats->policy, &stats->calls, &stats->ns, &stats->longest_ns,
		      &stats->ranks, &stats->ranks_ns, &stats->ranks_longest_ns);
	fclose(file);
	return read == 7 ? STATUS_OK : fail("%s: it cannot be understood", path);
}

static int read_stats(unsigned int device, struct stats *stats)
{
	char path[128];
	FILE *file = open_stats(device, "decisions", path);
	int read;

	if (!file)
		return STATUS_FAILED;
	read = fscanf(file, "policy %31s calls %llu ns %llu longest_ns %llu refused %llu %31s",
		      stats->policy, &stats->calls, &stats->ns,
		      &stats->longest_ns, &stats->refused,
		      stats->refused_policy);
	fclose(file);
	return read >= 5 ? STATUS_OK : fail("%s: it cannot be understood", path);
}

static void print_maps(struct json_object *maps)
{
	size_t i;

	for (i = 0; i < json_object_array_length(maps); i++) {
		struct json_object *map = json_object_array_get_idx(maps, i);

		printf("map %s: %s entries, %s and %s bytes\n",
		       json_object_get_string(json_object_object_get(map, "file")),
		       json_object_get_string(json_object_object_get(map, "entries")),
		       json_object_get_string(json_object_object_get(map, "key_bytes")),
		       json_object_get_string(json_object_object_get(map, "value_bytes")));
	}
}

static u64 mean_of(u64 ns, u64 calls)
{
	return calls ? ns / calls : 0;
}

static void print_params(struct json_object *params)
{
	struct table *table;

	if (!json_object_object_length(params))
		return;
	puts("");
	table = table_new("PARAMETER|>VALUE");
	json_object_object_foreach(params, name, value) {
		table_cell(table, "%s", name);
		table_cell(table, "%s", json_object_get_string(value));
	}
	table_print(table);
}

static int print_stats(const struct stats *stats, struct json_object *params,
		       struct json_object *maps)
{
	printf("%s: %llu calls, %llu ns a call, at most %llu ns\n", stats->policy,
	       stats->calls, mean_of(stats->ns, stats->calls), stats->longest_ns);
	if (stats->refused)
		printf("refused and replaced by even in this session: %llu, the last one %s; last_refusal says why\n",
		       stats->refused, stats->refused_policy);
	else
		puts("refused and replaced by even in this session: none");
	print_maps(maps);
	print_params(params);
	return flush_output();
}

/* The memory policy, if it was asked. */
static int print_memory_stats(const struct memory_stats *stats, struct json_object *params,
			      struct json_object *maps)
{
	if (!stats->calls)
		return STATUS_OK;
	printf("\nmemory policy %s: %llu calls for faults and kernels, %llu ns a call, at most %llu ns\n",
	       stats->policy, stats->calls, mean_of(stats->ns, stats->calls),
	       stats->longest_ns);
	if (stats->ranks)
		printf("%llu calls for ranks, %llu ns a call, at most %llu ns\n",
		       stats->ranks, mean_of(stats->ranks_ns, stats->ranks),
		       stats->ranks_longest_ns);
	print_maps(maps);
	print_params(params);
	return flush_output();
}

static struct json_object *memory_stats_json(const struct memory_stats *stats,
					     unsigned int device)
{
	struct json_object *object = json_object_new_object();

	json_set_string(object, "policy", stats->policy);
	json_set(object, "calls", json_u64(stats->calls));
	json_set(object, "ns", json_u64(stats->ns));
	json_set(object, "longest_ns", json_u64(stats->longest_ns));
	json_set(object, "ranks", json_u64(stats->ranks));
	json_set(object, "ranks_ns", json_u64(stats->ranks_ns));
	json_set(object, "ranks_longest_ns", json_u64(stats->ranks_longest_ns));
	json_set(object, "params", sysfs_params(device, "memory_params"));
	json_set(object, "maps", maps_json(stats->policy));
	return object;
}

static int print_all(unsigned int device, const struct stats *stats,
		     const struct memory_stats *memory)
{
	struct json_object *params = sysfs_params(device, "policy_params");
	struct json_object *memory_params = sysfs_params(device, "memory_params");
	struct json_object *maps = maps_json(stats->policy);
	struct json_object *memory_maps = maps_json(memory->policy);
	int ret = print_stats(stats, params, maps);

	ret = ret ? ret : print_memory_stats(memory, memory_params, memory_maps);
	json_object_put(params);
	json_object_put(memory_params);
	json_object_put(maps);
	json_object_put(memory_maps);
	return ret;
}

int policy_stats(unsigned int device, bool json)
{
	struct memory_stats memory = { .calls = 0 };
	struct stats stats = { .calls = 0 };
	struct json_object *object;
	int ret = read_stats(device, &stats);

	ret = ret ? ret : read_memory_stats(device, &memory);
	if (ret)
		return ret;
	if (!json)
		return print_all(device, &stats, &memory);
	object = json_object_new_object();
	json_set_string(object, "policy", stats.policy);
	json_set(object, "calls", json_u64(stats.calls));
	json_set(object, "ns", json_u64(stats.ns));
	json_set(object, "longest_ns", json_u64(stats.longest_ns));
	json_set(object, "refused", json_u64(stats.refused));
	json_set(object, "refused_policy", *stats.refused_policy ?
		 json_object_new_string(stats.refused_policy) : NULL);
	json_set(object, "params", sysfs_params(device, "policy_params"));
	json_set(object, "maps", maps_json(stats.policy));
	json_set(object, "memory", memory_stats_json(&memory, device));
	return json_print(object);
}

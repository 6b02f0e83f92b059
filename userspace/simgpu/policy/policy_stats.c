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

static int read_stats(unsigned int device, struct stats *stats)
{
	char path[128];
	FILE *file;
	int read;

	snprintf(path, sizeof(path), "/sys/kernel/debug/simgpu/simgpu%u/decisions",
		 device);
	file = fopen(path, "r");
	if (!file)
		return fail("%s: %s", path, strerror(errno));
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

static int print_stats(const struct stats *stats, struct json_object *params,
		       struct json_object *maps)
{
	u64 mean = stats->calls ? stats->ns / stats->calls : 0;
	struct table *table;

	printf("%s: %llu calls, %llu ns a call, at most %llu ns\n", stats->policy,
	       stats->calls, mean, stats->longest_ns);
	if (stats->refused)
		printf("refused and replaced by even in this session: %llu, the last one %s; last_refusal says why\n",
		       stats->refused, stats->refused_policy);
	else
		puts("refused and replaced by even in this session: none");
	print_maps(maps);
	if (!json_object_object_length(params))
		return flush_output();
	puts("");
	table = table_new("PARAMETER|>VALUE");
	json_object_object_foreach(params, name, value) {
		table_cell(table, "%s", name);
		table_cell(table, "%s", json_object_get_string(value));
	}
	table_print(table);
	return flush_output();
}

int policy_stats(unsigned int device, bool json)
{
	struct stats stats = { .calls = 0 };
	struct json_object *object, *params, *maps;
	int ret = read_stats(device, &stats);

	if (ret)
		return ret;
	params = sysfs_params(device, "policy_params");
	maps = maps_json(stats.policy);
	if (!json) {
		ret = print_stats(&stats, params, maps);
		json_object_put(params);
		json_object_put(maps);
		return ret;
	}
	object = json_object_new_object();
	json_set_string(object, "policy", stats.policy);
	json_set(object, "calls", json_u64(stats.calls));
	json_set(object, "ns", json_u64(stats.ns));
	json_set(object, "longest_ns", json_u64(stats.longest_ns));
	json_set(object, "refused", json_u64(stats.refused));
	json_set(object, "refused_policy", *stats.refused_policy ?
		 json_object_new_string(stats.refused_policy) : NULL);
	json_set(object, "params", params);
	json_set(object, "maps", maps);
	return json_print(object);
}

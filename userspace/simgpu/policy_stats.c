// SPDX-License-Identifier: GPL-2.0
/* simgpu policy stats: what a device's policy has cost the host. */
#include "command.h"
#include "output.h"
#include "policy_load.h"

/**
 * struct stats - the file "decisions" of debugfs
 * @policy: its name
 * @calls: since it is asked
 * @ns: that these took
 * @longest_ns: the longest
 */
struct stats {
	char policy[SIMGPU_NAME_BYTES];
	u64 calls;
	u64 ns;
	u64 longest_ns;
};

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
	read = fscanf(file, "policy %31s calls %llu ns %llu longest_ns %llu",
		      stats->policy, &stats->calls, &stats->ns,
		      &stats->longest_ns);
	fclose(file);
	return read == 4 ? STATUS_OK : fail("%s: it cannot be understood", path);
}

int policy_stats(unsigned int device, bool json)
{
	struct stats stats = { .calls = 0 };
	struct json_object *object;
	u64 mean;
	int ret = read_stats(device, &stats);

	if (ret)
		return ret;
	mean = stats.calls ? stats.ns / stats.calls : 0;
	if (!json) {
		printf("%s: %llu calls, %llu ns a call, at most %llu ns\n",
		       stats.policy, stats.calls, mean, stats.longest_ns);
		return flush_output();
	}
	object = json_object_new_object();
	json_set_string(object, "policy", stats.policy);
	json_set(object, "calls", json_u64(stats.calls));
	json_set(object, "ns", json_u64(stats.ns));
	json_set(object, "longest_ns", json_u64(stats.longest_ns));
	return json_print(object);
}

// SPDX-License-Identifier: GPL-2.0
/* Reading debugfs' file of policies; see loaded_policy.h. */
#include "loaded_policy.h"

#define POLICIES	"/sys/kernel/debug/simgpu/policies"
#define HELP_BYTES	256

/**
 * struct found - a policy and the arrays that it points to
 * @policy: the policy
 * @params: its parameters, and the end of the table
 * @names: names of the parameters
 * @help: their help
 * @gauges: its gauges, and the end of the table
 * @gauge_names: their names
 * @gauge_help: their help
 */
static struct found {
	struct simgpu_policy policy;
	struct simgpu_param params[SIMGPU_PARAMS_MAX + 1];
	char names[SIMGPU_PARAMS_MAX][SIMGPU_NAME_BYTES];
	char help[SIMGPU_PARAMS_MAX][HELP_BYTES];
	struct simgpu_gauge gauges[SIMGPU_GAUGES_MAX + 1];
	char gauge_names[SIMGPU_GAUGES_MAX][SIMGPU_NAME_BYTES];
	char gauge_help[SIMGPU_GAUGES_MAX][HELP_BYTES];
} found;

/* Whether a line begins a policy of that kind, and the policy has that name. */
static bool take_policy(const char *line, const char *kind, const char *name)
{
	struct simgpu_policy *policy = &found.policy;
	size_t length = strlen(kind);

	return !strncmp(line, kind, length) &&
	       sscanf(line + length, " %31s source %u events %x needs %x state_bytes %u",
		      policy->name, &policy->source, &policy->events,
		      &policy->needs, &policy->state_bytes) == 5 &&
	       !strcmp(policy->name, name);
}

static bool take_param(const char *line, u32 number)
{
	struct simgpu_param *param = &found.params[number];

	param->name = found.names[number];
	param->help = found.help[number];
	return sscanf(line, "param %31s unit %u least %llu most %llu initial %llu help %255[^\n]",
		      found.names[number], &param->unit, &param->least,
		      &param->most, &param->initial, found.help[number]) >= 5;
}

static bool take_gauge(const char *line, u32 number)
{
	struct simgpu_gauge *gauge = &found.gauges[number];

	gauge->name = found.gauge_names[number];
	gauge->help = found.gauge_help[number];
	return sscanf(line, "gauge %31s unit %u help %255[^\n]", found.gauge_names[number],
		      &gauge->unit, found.gauge_help[number]) >= 2 &&
	       gauge->unit <= SIMGPU_UNIT_CYCLES;
}

static bool read_policy(FILE *file, const char *kind, const char *name)
{
	bool there = false;
	char line[512];
	u32 count = 0, gauges = 0;

	while (fgets(line, sizeof(line), file)) {
		if (!there) {
			there = take_policy(line, kind, name);
			continue;
		}
		if (count < SIMGPU_PARAMS_MAX && !gauges && take_param(line, count))
			count++;
		else if (gauges < SIMGPU_GAUGES_MAX && take_gauge(line, gauges))
			gauges++;
		else
			break;
	}
	found.params[count].name = NULL;
	found.gauges[gauges].name = NULL;
	found.policy.gauges = found.gauges;
	found.policy.params = found.params;
	return there;
}

static bool find(const char *kind, const char *name)
{
	FILE *file = fopen(POLICIES, "r");
	bool there;

	if (!file)
		return false;
	memset(&found, 0, sizeof(found));
	there = read_policy(file, kind, name);
	fclose(file);
	errno = ENOENT;
	return there;
}

const struct simgpu_policy *loaded_policy_find(const char *name)
{
	return find("policy", name) ? &found.policy : NULL;
}

const struct simgpu_memory_policy *loaded_memory_policy_find(const char *name)
{
	static struct simgpu_memory_policy memory;

	if (!find("memory_policy", name))
		return NULL;
	memory.source = found.policy.source;
	memory.events = found.policy.events;
	memory.state_bytes = found.policy.state_bytes;
	memory.params = found.policy.params;
	memcpy(memory.name, found.policy.name, sizeof(memory.name));
	return &memory;
}

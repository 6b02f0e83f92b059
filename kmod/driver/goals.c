// SPDX-License-Identifier: GPL-2.0
/* Goals of tenants as text: a word and a number in sysfs. */
#include <linux/string.h>

#include "device.h"
#include "goals.h"
#include "ppm.h"
#include "tenant.h"

static const char *const simgpu_goal_words[] = {
	[SIMGPU_GOAL_NONE] = "none",
	[SIMGPU_GOAL_IPC] = "ipc",
	[SIMGPU_GOAL_KERNEL_TIME] = "kernel_time",
	[SIMGPU_GOAL_RATE] = "rate",
};

static_assert(ARRAY_SIZE(simgpu_goal_words) == SESSION_GOALS, "goals");

/* Parse the number behind a word: a decimal, or nanoseconds. */
static int simgpu_goal_value(const char *text, struct simgpu_goal *goal)
{
	if (goal->kind == SIMGPU_GOAL_KERNEL_TIME)
		return kstrtou64(text, 10, &goal->value) ? -EINVAL : 0;
	return simgpu_parse_ppm(text, &goal->value);
}

/**
 * simgpu_goal_parse() - parse a goal from sysfs
 * @text: "none", "ipc 120.5", "kernel_time 16600000" (ns) or "rate 60", and nothing
 *	else
 * @goal: set to it
 *
 * Return: 0 or -EINVAL.
 */
int simgpu_goal_parse(const char *text, struct simgpu_goal *goal)
{
	u32 kind;

	*goal = (struct simgpu_goal) { .kind = SIMGPU_GOAL_NONE };
	if (sysfs_streq(text, simgpu_goal_words[SIMGPU_GOAL_NONE]))
		return 0;
	for (kind = SIMGPU_GOAL_IPC; kind < SESSION_GOALS; kind++) {
		size_t length = strlen(simgpu_goal_words[kind]);

		if (strncmp(text, simgpu_goal_words[kind], length) ||
		    text[length] != ' ')
			continue;
		goal->kind = kind;
		return simgpu_goal_value(text + length + 1, goal);
	}
	return -EINVAL;
}

/**
 * simgpu_goal_emit() - print a goal for sysfs
 * @buf: a page
 * @options: options of the tenant
 *
 * Return: bytes written.
 */
ssize_t simgpu_goal_emit(char *buf, const struct session_tenant_options *options)
{
	const char *word = simgpu_goal_words[options->goal_kind];
	u64 goal = options->goal;

	switch (options->goal_kind) {
	case SIMGPU_GOAL_NONE:
		return sysfs_emit(buf, "%s\n", word);
	case SIMGPU_GOAL_KERNEL_TIME:
		return sysfs_emit(buf, "%s %llu\n", word, goal);
	default:
		return sysfs_emit(buf, "%s %llu.%06llu\n", word,
				  goal / SIMGPU_PPM, goal % SIMGPU_PPM);
	}
}

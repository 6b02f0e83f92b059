// SPDX-License-Identifier: GPL-2.0
/* Which name was meant; see names.h. */
#include <ctype.h>

#include "../workloads/benchmarks.h"
#include "names.h"

static u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Damerau's distance with swaps of neighbours, computed row by row from the last two. */
u32 names_distance(const char *a, const char *b)
{
	u32 rows[3][SIMGPU_NAME_BYTES + 1] = { { 0 } }, i, j;
	u32 length = (u32)strnlen(b, SIMGPU_NAME_BYTES);

	for (j = 0; j <= length; j++)
		rows[0][j] = j;
	for (i = 1; a[i - 1]; i++) {
		u32 *row = rows[i % 3];
		const u32 *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];

		row[0] = i;
		for (j = 1; j <= length; j++) {
			row[j] = above[j - 1] + !same(a[i - 1], b[j - 1]);
			row[j] = least(row[j], above[j] + 1);
			row[j] = least(row[j], row[j - 1] + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]))
				row[j] = least(row[j], second[j - 2] + 1);
		}
	}
	return rows[(i - 1) % 3][length];
}

/* Up to a third of the letters may be wrong; with more it is another word. */
void names_add(struct names *names, const char *name)
{
	u32 distance = names_distance(names->wanted, name);

	if (distance > (strlen(names->wanted) + 2) / 3 ||
	    (*names->nearest && distance >= names->distance))
		return;
	snprintf(names->nearest, sizeof(names->nearest), "%s", name);
	names->distance = distance;
}

void names_add_policies(struct names *names)
{
	const struct simgpu_policy *policy;
	u32 i;

	for (i = 0; (policy = registry_policy_at(i)); i++)
		names_add(names, policy->name);
}

void names_add_models(struct names *names)
{
	const struct simgpu_model *model;
	u32 i;

	for (i = 0; (model = registry_model_at(i)); i++)
		names_add(names, model->name);
}

void names_add_configs(struct names *names)
{
	const struct gpu_config *config;
	u32 i;

	for (i = 0; (config = gpu_config_at(i)); i++)
		names_add(names, config->name);
}

int names_fail(const struct names *names, const char *what, const char *where)
{
	if (*names->nearest)
		return fail_usage("there is no %s \"%s\"; did you mean \"%s\"? %s lists all",
				  what, names->wanted, names->nearest, where);
	return fail_usage("there is no %s \"%s\"; %s lists all", what,
			  names->wanted, where);
}

int no_policy(const char *name)
{
	struct names names = { .wanted = name };

	names_add_policies(&names);
	return names_fail(&names, "policy", "simgpu policy list");
}

int no_model(const char *name)
{
	struct names names = { .wanted = name };

	names_add_models(&names);
	return names_fail(&names, "model", "simgpu model list");
}

int no_config(const char *name)
{
	struct names names = { .wanted = name };

	names_add_configs(&names);
	return names_fail(&names, "configuration", "simgpu config list");
}

int no_workload(const char *name)
{
	struct names names = { .wanted = name };
	u32 i;

	for (i = 0; i < BENCHMARK_COUNT_ALL; i++)
		names_add(&names, benchmarks[i].name);
	return names_fail(&names, "workload and no trace file",
			  "simgpu workloads");
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What models have learned of each GPU, and the papers' thresholds: what holds
 * until somebody sets something else.
 */
#include "registry.h"

#define FIELD(field) { #field, offsetof(struct simgpu_tunables, field##_ppm) }

const struct tunable tunables_list[] = {
	FIELD(c1), FIELD(c2), FIELD(fair_threshold), FIELD(qos_guard),
	FIELD(qos_margin), { NULL }
};

/* Each GPU's line, as `simgpu train --model hsm` finds it. */
struct trained {
	const char *config;
	u64 c1_ppm;
	u64 c2_ppm;
};

/* The first is HSM's Figure 3, for a GPU that is not here. */
static const struct trained trained[] = {
	{ "", 500000, 360000 },
};

/* HSM section 4.3; its guard band is "slightly above". */
static const struct simgpu_tunables thresholds = {
	.fair_threshold_ppm = 900000,
	.qos_guard_ppm = 50000,
	.qos_margin_ppm = 100000,
};

/**
 * registry_tunables() - constants and thresholds that a GPU begins with
 * @config: its name
 *
 * Return: them; HSM's own line for a GPU that is not known.
 */
struct simgpu_tunables registry_tunables(const char *config)
{
	struct simgpu_tunables tunables = thresholds;
	u32 i;

	tunables.c1_ppm = trained[0].c1_ppm;
	tunables.c2_ppm = trained[0].c2_ppm;
	for (i = 1; i < ARRAY_SIZE(trained); i++) {
		if (strcmp(trained[i].config, config))
			continue;
		tunables.c1_ppm = trained[i].c1_ppm;
		tunables.c2_ppm = trained[i].c2_ppm;
	}
	return tunables;
}

u64 *tunable_of(struct simgpu_tunables *tunables, const struct tunable *tunable)
{
	return (u64 *)((char *)tunables + tunable->offset);
}

// SPDX-License-Identifier: GPL-2.0
/* Shipped profiles in traces; see shipped.h. */
#include <string.h>

#include "shipped.h"

int shipped_is_card(const char *config)
{
	const struct shipped_profile *it;

	for (it = shipped_profiles; it->config; it++)
		if (!strcmp(it->config, config))
			return 1;
	return 0;
}

static void add(struct builder *builder, const struct shipped_profile *it)
{
	__u32 first = builder_points(builder, it->points, it->point_count), i;

	for (i = 0; i < it->kernel_count; i++) {
		struct simgpu_trace_profile profile = {
			.kernel = i,
			.sms = it->sms,
			.first_point = first + it->kernels[i].first,
			.blocks = it->kernels[i].blocks,
			.memory_bytes = it->memory_bytes,
		};

		strncpy(profile.config, it->config, sizeof(profile.config) - 1);
		builder_profile(builder, &profile);
	}
}

void shipped_add(struct builder *builder, const char *config, const char *program)
{
	const struct shipped_profile *it;

	for (it = shipped_profiles; it->config; it++)
		if (!strcmp(it->config, config) && !strcmp(it->program, program))
			add(builder, it);
}

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

static void add_kernel(struct builder *builder, const struct shipped_profile *it,
		       __u32 kernel, __u32 index, __u32 first_point)
{
	struct simgpu_trace_profile profile = {
		.kernel = index,
		.sms = it->sms,
		.first_point = first_point,
		.blocks = it->kernels[kernel].blocks,
		.memory_bytes = it->memory_bytes,
	};

	strncpy(profile.config, it->config, sizeof(profile.config) - 1);
	builder_profile(builder, &profile);
}

static void add(struct builder *builder, const struct shipped_profile *it)
{
	int kept = builder_kept(builder);
	__u32 first, i;

	if (kept >= 0) {
		first = builder_points(builder, it->points + it->kernels[kept].first,
				       it->sms);
		add_kernel(builder, it, kept, 0, first);
		return;
	}
	first = builder_points(builder, it->points, it->point_count);
	for (i = 0; i < it->kernel_count; i++)
		add_kernel(builder, it, i, i, first + it->kernels[i].first);
}

void shipped_add(struct builder *builder, const char *config, const char *program)
{
	const struct shipped_profile *it;

	for (it = shipped_profiles; it->config; it++)
		if (!strcmp(it->config, config) && !strcmp(it->program, program))
			add(builder, it);
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Goals of tenants as text (goals.c). */
#ifndef SIMGPU_GOALS_H
#define SIMGPU_GOALS_H

#include <linux/simgpu.h>

#include "../session/session.h"

/**
 * struct simgpu_goal - a goal from a user
 * @kind: &enum simgpu_goal_kind
 * @value: in the unit of @kind
 */
struct simgpu_goal {
	u32 kind;
	u64 value;
};

int simgpu_goal_parse(const char *text, struct simgpu_goal *goal);
ssize_t simgpu_goal_emit(char *buf,
			 const struct session_tenant_options *options);

#endif /* SIMGPU_GOALS_H */

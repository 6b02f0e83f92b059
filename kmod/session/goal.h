/* SPDX-License-Identifier: GPL-2.0 */
/* Goals of tenants, and their progress. */
#ifndef SESSION_GOAL_H
#define SESSION_GOAL_H

#include "internal.h"

bool goal_is_good(const struct gpu_config *config,
		  const struct session_tenant_options *options);
void goal_account(struct session *session, u32 slot);
void goal_follow(struct session *session, u32 slot);
void goal_figures(const struct session *session, u32 slot,
		  struct session_goal_figures *out);
u64 goal_alpha(const struct session_goal_figures *figures);
u64 goal_ipc_ppm(const struct session *session, u32 slot);

#endif /* SESSION_GOAL_H */

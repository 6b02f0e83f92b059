/* SPDX-License-Identifier: GPL-2.0 */
/* Which kernel of each queue runs, and what follows when one ends. */
#ifndef SESSION_LAUNCH_H
#define SESSION_LAUNCH_H

#include "internal.h"

u32 launch_start_due(struct session *session);
bool launch_brings_work(const struct session *session);
bool launch_departs(const struct session *session, const struct ended *ended,
		    u32 slot);
u32 launch_advance(struct session *session, u32 slot, u32 queue);
void launch_ready(struct session *session);
void launch_decided(struct session *session);
void launch_slice(struct session *session, u32 slot, u32 number, u32 blocks);
void launch_launched(struct session *session);
u64 launch_next_launched(const struct session *session);
bool launch_copies_wait(const struct session *session);
u64 launch_next_start(const struct session *session);
void launch_drop_all(struct session *session, u32 slot, int status);
void launch_end_all(struct session *session, u32 slot, int status);
void launch_push(struct session_tenant *tenant, u32 queue, const struct launch *launch);
void launch_arrive(struct session *session, u32 slot);
void launch_pass(struct session *session, u32 slot, u64 start, u64 end);
u64 launch_rest_blocks(const struct session *session, u32 slot, u32 number);
u64 launch_run_blocks(const struct session *session, u32 slot, u32 number,
		      const struct launch *launch);
bool launch_next_kernel(const struct session *session, u32 slot, u32 number,
			struct launch *launch, u32 *kernel);
bool launch_is_relaunched(const struct session *session, u32 slot, u32 queue);
bool launch_following(const struct session *session, u32 slot, u32 queue,
		      struct launch *out);
u32 launch_queues_at(const struct session *session, u32 slot, u32 number);
bool launch_may_repeat(const struct session *session, u32 slot, u32 number);
u32 launch_leads(const struct session *session, u32 slot);
u32 launch_kill(struct session *session, u32 slot, u32 number, int status, bool again);
u32 launch_kill_all(struct session *session, u32 slot, int status);
u32 launch_go_on(struct session *session, u32 slot);
u32 launch_restart(struct session *session, u32 slot, u32 number);
u32 launch_waiting(struct session *session, u32 slot, u32 queue);
u32 launch_waiting_all(struct session *session, u32 slot);

#endif /* SESSION_LAUNCH_H */

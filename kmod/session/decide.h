/* SPDX-License-Identifier: GPL-2.0 */
/* When the model and the policy are asked, and what happens if they fail. */
#ifndef SESSION_DECIDE_H
#define SESSION_DECIDE_H

#include "internal.h"

u32 decide_events(struct session *session, u32 events);
bool decide_epoch(struct session *session, bool ask);
void decide_kernel_end(struct session *session);
void decide_apply(struct session *session);
void decide_due(struct session *session);
u64 decide_next(const struct session *session);
void split_even_now(struct session *session);
void fall_back(struct session *session, const struct session_refusal *why);
void use_policy(struct session *session, const struct simgpu_policy *policy);
void use_model(struct session *session, const struct simgpu_model *model);

#endif /* SESSION_DECIDE_H */

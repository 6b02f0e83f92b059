/* SPDX-License-Identifier: GPL-2.0 */
/* Applying a sound proposal: owners of SMs, sharers, probes */
#ifndef SESSION_APPLY_H
#define SESSION_APPLY_H

#include "internal.h"

void proposal_begin(struct session *session);
void proposal_present(struct session *session);
u32 proposal_count(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_proposal *proposal, u32 slot);
void proposal_fit(struct session *session);
void proposal_apply(struct session *session);
void controls_clear(struct session *session);
void controls_forget(struct session *session, u32 slot);
void proposal_forget(struct session *session, u32 slot);
void controls_idle_samples(struct session *session);
void shares_set_limits(struct session *session);
void probe_begin(struct session *session);
void probe_end(struct session *session);

#endif /* SESSION_APPLY_H */

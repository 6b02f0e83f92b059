/* SPDX-License-Identifier: GPL-2.0 */
/* The table of controls: what a policy can set beside the owners of SMs */
#ifndef SESSION_CONTROLS_H
#define SESSION_CONTROLS_H

#include "internal.h"

void controls_present(const struct session *session,
		      struct simgpu_proposal *proposal);
bool controls_are_sound(const struct session *session, struct session_refusal *why);
void controls_apply(struct session *session, bool before_sms);
void controls_neutral(struct session *session);
void controls_forget_slot(const struct session *session,
			  struct simgpu_proposal *proposal, u32 slot);
void controls_set_priorities(struct session *session);

#endif /* SESSION_CONTROLS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* What has failed is found, and something is done about it. */
#ifndef SESSION_RECOVERY_H
#define SESSION_RECOVERY_H

#include "internal.h"

u64 recovery_next(const struct session *session);
void recovery_find(struct session *session);
void recovery_act(struct session *session);
void recovery_turn_away(struct session *session);

#endif /* SESSION_RECOVERY_H */

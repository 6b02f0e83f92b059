/* SPDX-License-Identifier: GPL-2.0 */
/* The state hash: one number for all state that decides the future of a session. */
#ifndef SESSION_STATE_HASH_H
#define SESSION_STATE_HASH_H

#include "session.h"

u64 session_state_hash(struct session *session);

#endif /* SESSION_STATE_HASH_H */

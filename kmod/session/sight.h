/* SPDX-License-Identifier: GPL-2.0 */
/* Counters with noise, or of earlier epochs, as settings ask for. */
#ifndef SESSION_SIGHT_H
#define SESSION_SIGHT_H

#include "internal.h"

size_t sight_bytes(const struct session_options *options);
void sight_epoch_end(struct session *session);
void sight_forget(struct session *session, u32 slot);
void sight_time(struct session *session);
void sight_tenant(struct session *session, u32 slot,
		  struct simgpu_snapshot_tenant *out);

#endif /* SESSION_SIGHT_H */

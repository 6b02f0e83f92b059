/* SPDX-License-Identifier: GPL-2.0 */
/* Copies of launches with commands: how long each takes, and what is told of them. */
#ifndef SESSION_COPIES_H
#define SESSION_COPIES_H

#include "internal.h"

/* Copies take turns at what they share, a piece of so many bytes each. */
#define COPY_PIECE_BYTES	(64U << 10)

/* Pieces of a copy that may be on their way. */
#define COPY_FLYING	2

int copies_provide(struct session *session, const struct trace *trace);
void copies_end_session(struct session *session);
void copies_hear(struct session *session);
bool copies_fly(const struct session *session);
void copies_forget(struct session *session, u32 slot, u32 queues);
void copies_hold(struct session *session, u64 cycle);
void copies_come(struct session *session, u32 slot, u32 number);
void copies_begin(struct session *session, u32 slot, u32 number);
void copies_go_on(struct session *session, u32 slot, u32 number);
bool copies_are_done(const struct session *session, u32 slot, u32 number);
u64 copies_end(const struct session *session, u32 slot, u32 number);
void copies_note_end(struct session *session, u32 slot, u32 number);
u64 copies_next(const struct session *session, u32 slot, u32 number);
void copies_fill_snapshot(struct session *session, u32 slot,
			  struct simgpu_snapshot_tenant *out);
void copies_fill_stopped(struct session *session, u32 slot);
void copies_report(struct session *session, u32 slot, struct session_copies *out);
u64 copies_hash_tenant(const struct session_tenant *tenant, u64 hash);
u64 copies_hash(const struct session *session, u64 hash);

#endif /* SESSION_COPIES_H */

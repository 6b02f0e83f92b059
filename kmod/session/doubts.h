/* SPDX-License-Identifier: GPL-2.0 */
/* Where a model's prediction may be wrong, since an epoch was not as the model assumes. */
#ifndef SESSION_DOUBTS_H
#define SESSION_DOUBTS_H

#include <simgpu/model.h>

struct session;

/*
 * Beside SIMGPU_ASSUMES_*, of any model: it said nothing of the epoch, in which the tenant
 * issued nothing, so that the prediction is an earlier epoch's.
 */
#define SESSION_DOUBT_OLD	(1U << SIMGPU_ASSUMES_COUNT)
#define SESSION_DOUBTS		(SIMGPU_ASSUMES_COUNT + 1)

/* What they are called, by their bits. */
extern const char *const session_doubt_names[SESSION_DOUBTS];

void doubts_begin(struct session *session);
void doubts_note(struct session *session);
u32 doubts_of(const struct session *session, u32 slot, bool said);

#endif /* SESSION_DOUBTS_H */

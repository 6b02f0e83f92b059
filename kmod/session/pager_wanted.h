/* SPDX-License-Identifier: GPL-2.0 */
/* Working sets: the pages that kernels at the heads of queues may access. */
#ifndef SESSION_PAGER_WANTED_H
#define SESSION_PAGER_WANTED_H

#include "pager_parts.h"

bool pager_heads_changed(struct pager *pager);
void pager_fill_snapshot(const struct session *session, u32 slot,
			 struct simgpu_snapshot_tenant *out);
void pager_fill_free(const struct session *session, struct simgpu_snapshot *out);
void pager_fill_wanted(const struct pager *pager, u64 slots, struct simgpu_place *place);

#endif /* SESSION_PAGER_WANTED_H */

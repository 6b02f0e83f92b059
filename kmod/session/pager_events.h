/* SPDX-License-Identifier: GPL-2.0 */
/* What the pager tells SM policies: that memory is short, thrashes, or that pages have come. */
#ifndef SESSION_PAGER_EVENTS_H
#define SESSION_PAGER_EVENTS_H

#include "pager_parts.h"

void pager_tell_pressure(struct pager *pager, u32 slot);
void pager_tell_thrashing(struct pager *pager, u32 slot, u64 evicted, u64 cycle);
void pager_await_prefetch(struct pager *pager, u32 slot);
void pager_tell_prefetches(struct pager *pager, u64 fetching);
u32 pager_hear(struct session *session);
void pager_forget_events(struct pager *pager, u32 slot);
u64 pager_hash_events(const struct pager *pager, u64 hash);

#endif /* SESSION_PAGER_EVENTS_H */

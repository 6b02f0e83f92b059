/* SPDX-License-Identifier: GPL-2.0 */
/* Pages that are brought though nobody has faulted on them. */
#ifndef SESSION_PAGER_FETCH_H
#define SESSION_PAGER_FETCH_H

#include "pager_parts.h"

const char *pager_fetch_fault(const struct pager *pager);
void pager_take_fetches(struct pager *pager);
bool pager_prefetch(struct pager *pager, u32 slot, u32 first, u32 count);
void pager_prepare(struct pager *pager, u64 slots);
void pager_drop_prepared(struct pager *pager, u64 slots);
u64 pager_fetching(const struct pager *pager);
bool pager_has_fetches(const struct pager *pager);
bool pager_may_fetch(const struct pager *pager);
void pager_add_fetches(struct pager *pager);
void pager_forget_fetches(struct pager *pager, u32 slot);
u64 pager_hash_fetches(const struct pager *pager, u64 hash);

#endif /* SESSION_PAGER_FETCH_H */

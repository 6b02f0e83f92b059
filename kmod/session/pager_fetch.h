/* SPDX-License-Identifier: GPL-2.0 */
/* Pages that the memory policy brings though nobody has faulted on them. */
#ifndef SESSION_PAGER_FETCH_H
#define SESSION_PAGER_FETCH_H

#include "pager_parts.h"

const char *pager_fetch_fault(const struct pager *pager);
void pager_take_fetches(struct pager *pager);
void pager_add_fetches(struct pager *pager);
void pager_forget_fetches(struct pager *pager, u32 slot);

#endif /* SESSION_PAGER_FETCH_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* How many chunks tenants keep, and who gives up one for whom. */
#ifndef SESSION_PAGER_LIMITS_H
#define SESSION_PAGER_LIMITS_H

#include "pager_parts.h"

u32 pager_most(const struct pager *pager, u32 slot);
bool pager_at_most(const struct pager *pager, u32 slot);
u64 pager_needs(const struct session *session, u32 slot, u64 least);
u64 pager_givers(const struct pager *pager, u32 slot);

#endif /* SESSION_PAGER_LIMITS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* How the pager serves several tenants in turn. */
#ifndef SESSION_PAGER_TURN_H
#define SESSION_PAGER_TURN_H

#include "pager_parts.h"

u32 pager_collect(struct pager *pager, u32 most);
bool pager_is_shared(const struct pager *pager);
u32 pager_turn(const struct pager *pager);
void pager_by_turns(struct pager *pager, u32 first);
u32 pager_collect_late(struct pager *pager, u64 slots, u32 most);
void pager_begin_round(struct pager *pager);
u64 pager_late(const struct pager *pager);
void pager_drop_served(struct pager *pager);
u64 pager_link_from(const struct pager *pager);

#endif /* SESSION_PAGER_TURN_H */

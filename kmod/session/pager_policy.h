/* SPDX-License-Identifier: GPL-2.0 */
/* What the pager asks the memory policy. */
#ifndef SESSION_PAGER_POLICY_H
#define SESSION_PAGER_POLICY_H

#include "pager_parts.h"

void pager_ask(struct pager *pager, u64 cycle);
void pager_tell_kernels(struct pager *pager, u64 cycle);

#endif /* SESSION_PAGER_POLICY_H */

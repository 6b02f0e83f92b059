/* SPDX-License-Identifier: GPL-2.0 */
/* Where an epoch begins and ends. */
#ifndef SESSION_EPOCH_H
#define SESSION_EPOCH_H

#include "internal.h"

u64 epoch_first_run_cycles(const struct session *session, u32 slot);
void epoch_begin(struct session *session);
void epoch_end(struct session *session, bool ask);
void epoch_pass(struct session *session);

#endif /* SESSION_EPOCH_H */

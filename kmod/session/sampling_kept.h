/* SPDX-License-Identifier: GPL-2.0 */
/* What stretches of sampled time have measured, and how sure that is. */
#ifndef SESSION_SAMPLING_KEPT_H
#define SESSION_SAMPLING_KEPT_H

#include <simgpu/port.h>

struct sampling;
struct session;

u64 sampling_variance(const u64 *rates, u64 count);

bool sampling_is_known(const struct session *session, u32 way);
u64 sampling_key(const struct session *session, u32 way);
bool sampling_use_kept(struct sampling *sampling, u64 key);
void sampling_keep(struct session *session, u32 way);

#endif /* SESSION_SAMPLING_KEPT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* What models and policies see, and the figures that are made of counters. */
#ifndef SESSION_SNAPSHOT_H
#define SESSION_SNAPSHOT_H

#include "session.h"

/* Figures of counters over a span of cycles of the session's device. */
void session_figures(const struct session *session,
		     const struct simgpu_counters *counters, u64 cycles,
		     struct session_figures *out);

/* For kmod/session alone. */
void snapshot_predicted(struct session *session, u32 slot);
void figures_compute(const struct gpu *gpu, const struct simgpu_counters *counters,
		     u64 cycles, struct session_figures *out);
void counters_subtract(const struct simgpu_counters *from,
		       const struct simgpu_counters *what,
		       struct simgpu_counters *out);
void snapshot_begin(struct session *session);
void snapshot_fill(struct session *session);

#endif /* SESSION_SNAPSHOT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of userspace/offline share; nobody else includes this. */
#ifndef OFFLINE_INTERNAL_H
#define OFFLINE_INTERNAL_H

#include <time.h>

#include "offline.h"

u64 offline_wall_ns(void);
/* @observer lives as long as the session. */
int offline_session(const struct session_options *options,
		    const struct offline_observer *observer,
		    struct session **session);
/* Until @cycle, or until nothing is left to run. */
void offline_run_until(struct session *session, u64 cycle,
		       const struct offline_observer *observer);
void offline_announce(const struct offline_observer *observer, u32 slot,
		      const struct session_tenant_options *options,
		      const struct trace *trace);

#endif /* OFFLINE_INTERNAL_H */

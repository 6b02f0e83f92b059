/* SPDX-License-Identifier: GPL-2.0 */
/* A saved run as a feed of simgpu top. */
#ifndef SIMGPU_TOP_REPLAY_H
#define SIMGPU_TOP_REPLAY_H

#include "top.h"

/* Opens a feed of a saved run, which shows an epoch each @interval_ms; an exit status. */
int top_replay_open(struct top_feed *feed, const char *path, int interval_ms);

#endif /* SIMGPU_TOP_REPLAY_H */

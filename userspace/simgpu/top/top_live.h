/* SPDX-License-Identifier: GPL-2.0 */
/* Devices as a feed of simgpu top. */
#ifndef SIMGPU_TOP_LIVE_H
#define SIMGPU_TOP_LIVE_H

#include "top.h"

/* Opens a feed of the devices of this machine; an exit status. */
int top_live_open(struct top_feed *feed);

#endif /* SIMGPU_TOP_LIVE_H */

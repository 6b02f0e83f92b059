/* SPDX-License-Identifier: GPL-2.0 */
/* How much longer things take here than in a kernel that checks nothing. */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <unistd.h>

/* A factor: only kernels that check their locks have this file. */
static inline unsigned int patience(void)
{
	return access("/proc/lockdep_stats", F_OK) ? 1 : 6;
}

#endif /* PATIENCE_H */

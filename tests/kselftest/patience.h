/* SPDX-License-Identifier: GPL-2.0 */
/* How much longer things take here than in a kernel that checks nothing. */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdbool.h>
#include <unistd.h>

/* Only kernels that check their locks have this file. */
static inline bool is_debug_kernel(void)
{
	return !access("/proc/lockdep_stats", F_OK);
}

/* A factor. */
static inline unsigned int patience(void)
{
	return is_debug_kernel() ? 6 : 1;
}

#endif /* PATIENCE_H */

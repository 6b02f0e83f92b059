/* SPDX-License-Identifier: GPL-2.0 */
/* Views of simgpu top but for the first. */
#ifndef SIMGPU_TOP_VIEWS_H
#define SIMGPU_TOP_VIEWS_H

#include "top.h"

/* The columns of TOP_LAUNCHES, TOP_SHARING or TOP_MEMORY. */
const struct top_columns *top_columns_of(u32 view);

/* Number of lines of a tenant on the screen. */
u32 top_lines_of(const struct top_tenant *tenant);

/* Draws the queues of an unfolded tenant, below @line, on at most @rows lines. */
void top_draw_queues(const struct top_tenant *tenant, int line, u32 rows);

/* Reads a tenant's report and lists of SMs from sysfs. */
void top_read_report(unsigned int device, struct top_tenant *tenant);

#endif /* SIMGPU_TOP_VIEWS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Conversion of one kernel of Accel-Sim. */
#ifndef ACCELSIM_KERNEL_H
#define ACCELSIM_KERNEL_H

#include "convert.h"

/* kernel.c: convert the kernel in the open source; 0 or -1. */
int convert_kernel(struct conversion *conversion);

#endif /* ACCELSIM_KERNEL_H */

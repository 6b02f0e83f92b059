/* SPDX-License-Identifier: GPL-2.0 */
/* Colours of tenants. */
#ifndef SIMGPU_COLOUR_H
#define SIMGPU_COLOUR_H

#include "output.h"

/* A tenant's colour, 0xRRGGBB, by its index among the tenants of a run. */
u32 tenant_colour(u32 index);

#endif /* SIMGPU_COLOUR_H */

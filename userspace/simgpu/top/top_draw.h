/* SPDX-License-Identifier: GPL-2.0 */
/* The screen of simgpu top. */
#ifndef SIMGPU_TOP_DRAW_H
#define SIMGPU_TOP_DRAW_H

#include "top.h"

/* Draws the state on the whole screen; sets @first so that @tenant is seen. */
void top_draw(struct top_state *state);

#endif /* SIMGPU_TOP_DRAW_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Axes of a sweep: what varies beside policies and mixes. */
#ifndef SIMGPU_SWEEP_AXES_H
#define SIMGPU_SWEEP_AXES_H

#include "sweep.h"

/* A child of a command's argp; its input is a struct sweep_axes. */
const struct argp *sweep_axes_argp(void);
void sweep_axes_free(struct sweep_axes *axes);

/* AXIS_SETS_* of all axes that were given. */
u32 sweep_axes_set(const struct sweep_axes *axes);

/* The number of points of all axes together. */
u32 sweep_axes_points(const struct sweep_axes *axes);

/* The point of an axis at one of these; NULL if that axis was not given. */
const struct axis_point *sweep_axes_at(const struct sweep_axes *axes, u32 axis,
				       u32 point);

/* The index of that point on its axis. */
u32 sweep_axes_index(const struct sweep_axes *axes, u32 axis, u32 point);

/* Changes a mix for a point; an exit status. */
int sweep_axes_apply(const struct sweep_axes *axes, u32 point, u32 sms,
		     struct mix *mix);

/* Whether --split was given: then policies keep that split. */
bool sweep_axes_split(const struct sweep_axes *axes);
bool mix_has_target(const struct mix *mix);

/* Promises an NP to tenants that have a target, or if there is none, to the one in @slot. */
void mix_promise(struct mix *mix, u32 slot, u64 target_ppm);

#endif /* SIMGPU_SWEEP_AXES_H */

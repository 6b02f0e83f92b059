/* SPDX-License-Identifier: GPL-2.0 */
/* What simgpu top shows: devices and tenants. */
#ifndef SIMGPU_TOP_STATE_H
#define SIMGPU_TOP_STATE_H

#include "top.h"

struct top_device *top_find_device(struct top_state *state, unsigned int number);
struct top_device *top_add_device(struct top_state *state, unsigned int number);
void top_remove_device(struct top_state *state, struct top_device *device);
struct top_tenant *top_find_tenant(struct top_device *device, u64 id);
struct top_tenant *top_add_tenant(struct top_device *device, u64 id);
void top_remove_tenant(struct top_device *device, struct top_tenant *tenant);
void top_add_np(struct top_tenant *tenant, u64 np_ppm);
void top_add_gauge(struct top_tenant *tenant, const char *name, const char *value);

/* The device that is shown; NULL: there is none. */
struct top_device *top_shown(struct top_state *state);

/* Milliseconds of a clock that is never set. */
s64 top_now_ms(void);
void top_free(struct top_state *state);

#endif /* SIMGPU_TOP_STATE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of HSM's widths, for configurations with hardware_counters. */
#ifndef SESSION_REGISTERS_H
#define SESSION_REGISTERS_H

#include "internal.h"

size_t registers_bytes(const struct gpu_config *config);
void registers_clear(struct session *session, u32 slot);
void registers_read(struct session *session, u32 slot,
		    struct simgpu_counters *counters);

#endif /* SESSION_REGISTERS_H */

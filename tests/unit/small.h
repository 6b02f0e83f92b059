/* SPDX-License-Identifier: GPL-2.0 */
/* hbm80 made small, for tests that make many devices. */
#ifndef TESTS_SMALL_H
#define TESTS_SMALL_H

#include "../../kmod/sim/gpu.h"

static inline struct gpu_config small_config(void)
{
	struct gpu_config config = *gpu_config_find("hbm80");

	config.sms = 8;
	config.channels = 4;
	config.llc_slices = 8;
	config.llc_sets = 16;
	/* A store of a whole line fetches nothing, so that lines are easy to count. */
	config.llc_write_allocate = GPU_ALLOCATE_FETCH;
	return config;
}

#endif /* TESTS_SMALL_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Themis' weights for GPUs that it was trained on. None so far: `simgpu train --model
 * themis` makes a file of them for any GPU.
 */
#include "../registry.h"

const struct simgpu_constants_built_in themis_weights[] = {
	{ .config = "" }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * HSM's line, c1 * RBH + c2 (Eq. 3): the parameters of all models that read it, and the
 * values that `simgpu train` has found for each GPU.
 */
#include "hsm_line.h"

const struct simgpu_param hsm_params[] = {
	[HSM_C1] = HSM_C1_PARAM,
	[HSM_C2] = HSM_C2_PARAM,
	{ .name = NULL }
};

const struct simgpu_trained hsm_trained[] = {
	{ "hbm80", 2, { 628495, 344727 } },
	{ "themis60", 2, { 274033, 735768 } },
	{ "fg16", 2, { 275981, 721457 } },
	{ "fg56", 2, { 238227, 747598 } },
	{ "gtx480", 2, { 177963, 625726 } },
	{ "c2070", 2, { 155122, 619773 } },
	{ "gtx680", 2, { 81073, 708033 } },
	/* Trained lines would fall with RBH, so these are level. */
	{ "gddr5_40", 2, { 0, 924793 } },
	{ "k20", 2, { 0, 790872 } },
	{ .config = "" }
};

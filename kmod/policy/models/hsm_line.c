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
	{ "hbm80", 2, { 690735, 315347 } },
	{ "themis60", 2, { 418335, 702525 } },
	{ "fg56", 2, { 379362, 710618 } },
	{ "gtx480", 2, { 103496, 652715 } },
	{ "c2070", 2, { 108690, 634317 } },
	{ "fg16", 2, { 87337, 792271 } },
	/* Trained lines would fall with RBH, so these are level. */
	{ "gddr5_40", 2, { 0, 926130 } },
	{ "gtx680", 2, { 0, 740823 } },
	{ "k20", 2, { 0, 789955 } },
	{ .config = "" }
};

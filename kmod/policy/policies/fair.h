/* SPDX-License-Identifier: GPL-2.0 */
/* A parameter that all policies for fairness have. */
#ifndef POLICY_FAIR_H
#define POLICY_FAIR_H

#include <simgpu/policy.h>

/* In HSM's words, with its value. */
#define FAIR_THRESHOLD_PARAM { \
	"fair_threshold", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 900000, \
	"predicted fairness below which SMs move (HSM 4.3)" \
}

#endif /* POLICY_FAIR_H */

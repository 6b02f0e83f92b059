/* SPDX-License-Identifier: GPL-2.0 */
/* What policies for fairness have in common. */
#ifndef POLICY_FAIR_H
#define POLICY_FAIR_H

#include <simgpu/policy.h>

/* With HSM's words and number. */
#define FAIR_THRESHOLD_PARAM { \
	"fair_threshold", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 900000, \
	"predicted fairness below which SMs move (HSM 4.3)" \
}

#endif /* POLICY_FAIR_H */

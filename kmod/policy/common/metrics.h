/* SPDX-License-Identifier: GPL-2.0 */
/* Metrics over normalized progress (NP). */
#ifndef POLICY_METRICS_H
#define POLICY_METRICS_H

#include <simgpu/metrics.h>

/**
 * struct metrics - metrics over the predicted (or actual) NPs of the active tenants
 * @fairness_ppm: smallest NP / largest NP
 * @stp_ppm: sum of the NPs
 * @antt_ppm: mean of 1 / NP; 0 where an NP is 0
 */
struct metrics {
	u64 fairness_ppm;
	u64 stp_ppm;
	u64 antt_ppm;
};

void metrics_compute(const u64 *np_ppm, unsigned int count, struct metrics *out);

#endif /* POLICY_METRICS_H */

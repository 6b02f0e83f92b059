// SPDX-License-Identifier: GPL-2.0
/* System metrics over normalized progress (NP); definitions: HSM section 4. */
#include "metrics.h"

/*
 * metrics_compute() - fairness, STP and ANTT of some tenants
 * @np_ppm: their NPs
 * @count: how many; with none, all metrics are 0
 *
 * fairness = min NP / max NP; STP = sum of NP; ANTT = mean of 1 / NP.
 */
void metrics_compute(const u64 *np_ppm, unsigned int count, struct metrics *out)
{
	struct simgpu_metrics metrics;
	unsigned int i;

	simgpu_metrics_begin(&metrics);
	for (i = 0; i < count; i++)
		simgpu_metrics_add(&metrics, np_ppm[i]);
	simgpu_metrics_end(&metrics);
	out->fairness_ppm = metrics.fairness_ppm;
	out->stp_ppm = metrics.stp_ppm;
	out->antt_ppm = metrics.antt_ppm;
}

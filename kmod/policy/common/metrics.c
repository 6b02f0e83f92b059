// SPDX-License-Identifier: GPL-2.0
/* System metrics over normalized progress (NP); definitions: HSM section 4. */
#include "../registry.h"

/*
 * metrics_compute() - fairness, STP and ANTT of some tenants
 * @np_ppm: their NPs
 * @count: how many; with none, all metrics are 0
 *
 * fairness = min NP / max NP; STP = sum of NP; ANTT = mean of 1 / NP.
 */
void metrics_compute(const u64 *np_ppm, unsigned int count, struct metrics *out)
{
	u64 least = U64_MAX, most = 0, turnaround = 0;
	bool stuck = false;
	unsigned int i;

	memset(out, 0, sizeof(*out));
	if (!count)
		return;
	for (i = 0; i < count; i++) {
		if (np_ppm[i] < least)
			least = np_ppm[i];
		if (np_ppm[i] > most)
			most = np_ppm[i];
		out->stp_ppm = fixed_add(out->stp_ppm, np_ppm[i]);
		stuck |= !np_ppm[i];
		turnaround = fixed_add(turnaround,
				       fixed_ratio_ppm(SIMGPU_PPM, np_ppm[i]));
	}
	out->fairness_ppm = fixed_ratio_ppm(least, most);
	out->antt_ppm = stuck ? 0 : turnaround / count;
}

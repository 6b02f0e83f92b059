/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* System metrics over normalized progress (NP), as HSM section 4 defines them. */
#ifndef SIMGPU_METRICS_H
#define SIMGPU_METRICS_H

#include <simgpu/snapshot.h>

/**
 * struct simgpu_metrics - metrics of several NPs
 * @fairness_ppm: least NP / greatest NP
 * @stp_ppm: system throughput, the sum of NPs
 * @antt_ppm: average normalized turnaround time, the mean of 1 / NP; 0 if an NP is 0
 * @least_ppm: the least NP
 * @most_ppm: the greatest NP
 * @tenants: number of NPs; with none, all members are 0
 */
struct simgpu_metrics {
	u64 fairness_ppm;
	u64 stp_ppm;
	u64 antt_ppm;
	u64 least_ppm;
	u64 most_ppm;
	u64 tenants;
};

/**
 * simgpu_metrics_begin() - prepare for the first NP
 * @metrics: to be filled in
 */
static inline void simgpu_metrics_begin(struct simgpu_metrics *metrics)
{
	metrics->fairness_ppm = 0;
	metrics->stp_ppm = 0;
	metrics->antt_ppm = 0;
	metrics->least_ppm = U64_MAX;
	metrics->most_ppm = 0;
	metrics->tenants = 0;
}

/**
 * simgpu_metrics_add() - add one more NP
 * @metrics: metrics that were begun
 * @np_ppm: NP of a tenant
 */
static inline void simgpu_metrics_add(struct simgpu_metrics *metrics, u64 np_ppm)
{
	if (np_ppm < metrics->least_ppm)
		metrics->least_ppm = np_ppm;
	if (np_ppm > metrics->most_ppm)
		metrics->most_ppm = np_ppm;
	metrics->stp_ppm = fixed_add(metrics->stp_ppm, np_ppm);
	metrics->antt_ppm = fixed_add(metrics->antt_ppm,
				      fixed_ratio_ppm(SIMGPU_PPM, np_ppm));
	metrics->tenants = fixed_add(metrics->tenants, 1);
}

/**
 * simgpu_metrics_end() - compute the metrics after the last NP
 * @metrics: metrics that were begun
 */
static inline void simgpu_metrics_end(struct simgpu_metrics *metrics)
{
	if (!metrics->tenants)
		metrics->least_ppm = 0;
	metrics->fairness_ppm = fixed_ratio_ppm(metrics->least_ppm,
						metrics->most_ppm);
	metrics->antt_ppm = metrics->least_ppm ?
		fixed_mul_div(metrics->antt_ppm, 1, metrics->tenants) : 0;
}

/**
 * simgpu_metrics_of() - metrics of the model's predictions
 * @snapshot: of the device
 * @metrics: to be filled in, over the tenants with work and a prediction
 */
static inline void simgpu_metrics_of(const struct simgpu_snapshot *snapshot,
				     struct simgpu_metrics *metrics)
{
	u32 slot;

	simgpu_metrics_begin(metrics);
	simgpu_each_slot(slot, snapshot) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (tenant->active && tenant->class != SIMGPU_CLASS_UNKNOWN)
			simgpu_metrics_add(metrics, tenant->np_ppm);
	}
	simgpu_metrics_end(metrics);
}

#endif /* SIMGPU_METRICS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Scalability by clusters of curves (GPM, HPCA'15); gpm_clusters.c has the clusters. */
#ifndef MODEL_GPM_H
#define MODEL_GPM_H

#include "themis_net.h"

#define GPM_CLUSTERS		8
/* SM counts at which training programs ran alone; the last one is all SMs. */
#define GPM_COUNTS		6
#define GPM_EVENTS		(THEMIS_OWN - 1)
#define GPM_RATE_MOST		(1ULL << (THEMIS_RATE_BITS + 13))

/**
 * struct gpm_cluster - training programs that scale alike
 * @progress_ppm: mean scalability progress of the programs, by SM count
 * @rates: mean of their events for each cycle of an SM, by SM count, Q32
 */
struct gpm_cluster {
	u32 progress_ppm[GPM_COUNTS];
	u64 rates[GPM_COUNTS][GPM_EVENTS];
};

/**
 * struct gpm_constants - what `simgpu train --model asm-gpm` has found
 * @sms: SM counts, in rising order
 * @clusters: number of clusters
 * @reserved: zero
 * @deviation: deviation of each event over all programs and SM counts, Q32, above 0
 * @cluster: the clusters
 */
struct gpm_constants {
	u32 sms[GPM_COUNTS];
	u32 clusters;
	u32 reserved;
	u64 deviation[GPM_EVENTS];
	struct gpm_cluster cluster[GPM_CLUSTERS];
};

static_assert(sizeof(struct gpm_constants) == 32 + 64 + 8 * 408, "no padding");

extern const struct simgpu_constants_built_in gpm_clusters[];

bool gpm_constants_are_good(const void *constants);
void gpm_rates(const u64 events[THEMIS_OWN], u64 rates[GPM_EVENTS]);
u32 gpm_choose(const struct gpm_constants *gpm, u64 held_milli,
	       const u64 rates[GPM_EVENTS]);
u64 gpm_progress_ppm(const struct gpm_constants *gpm, u32 cluster,
		     u64 held_milli);
u64 gpm_scal_ppm(const struct simgpu_snapshot *snapshot,
		 const void *constants,
		 const struct simgpu_snapshot_tenant *tenant);

#endif /* MODEL_GPM_H */

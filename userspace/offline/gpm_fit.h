/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Training of GPM, the half of asm-gpm that knows scalability (HPCA'15): training
 * programs, each alone on some numbers of SMs, are clustered by how fast they are there
 * beside all SMs. The same seed and programs give the same clusters.
 */
#ifndef OFFLINE_GPM_FIT_H
#define OFFLINE_GPM_FIT_H

#include "../../kmod/policy/models/gpm.h"
#include "offline.h"

/**
 * struct gpm_program - a training program alone
 * @progress: at each SM count, 1 with all SMs
 * @rates: of gpm_rates(), likewise
 * @cluster: filled in
 */
struct gpm_program {
	double progress[GPM_COUNTS];
	u64 rates[GPM_COUNTS][GPM_EVENTS];
	u32 cluster;
};

/**
 * gpm_fit() - find clusters
 * @programs: filled in: which is whose
 * @count: at least 1
 * @seed: of the program that the first cluster begins with
 * @out: filled in, but for its SM counts
 *
 * k-means over progress, with at most GPM_CLUSTERS. Each further cluster begins with the
 * program that is furthest from all before.
 */
void gpm_fit(struct gpm_program *programs, u32 count, u64 seed,
	     struct gpm_constants *out);

/*
 * Mean of |SD_scal said - SD_scal| / SD_scal over programs and SM counts, of the
 * clusters that their own events choose.
 */
double gpm_fit_error(const struct gpm_constants *gpm,
		     const struct gpm_program *programs, u32 count);

#endif /* OFFLINE_GPM_FIT_H */

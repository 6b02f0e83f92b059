/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Training of GPM (HPCA'15), the half of asm-gpm that models scalability. Training
 * programs, each alone on several SM counts, are clustered by their speed there over
 * their speed on all SMs. The same seed and programs give the same clusters.
 */
#ifndef OFFLINE_GPM_FIT_H
#define OFFLINE_GPM_FIT_H

#include "../../kmod/policy/models/gpm.h"
#include "offline.h"

/**
 * struct gpm_program - a training program alone
 * @progress: progress at each SM count, 1 with all SMs
 * @rates: rates of gpm_rates() at each SM count
 * @cluster: filled in
 */
struct gpm_program {
	double progress[GPM_COUNTS];
	u64 rates[GPM_COUNTS][GPM_EVENTS];
	u32 cluster;
};

/**
 * gpm_fit() - find clusters
 * @programs: their @cluster is filled in
 * @count: at least 1
 * @seed: chooses the program with which the first cluster begins
 * @out: filled in, except for its SM counts
 *
 * k-means over progress, with at most GPM_CLUSTERS. Each further cluster begins with the
 * program that is furthest from all earlier centres.
 */
void gpm_fit(struct gpm_program *programs, u32 count, u64 seed,
	     struct gpm_constants *out);

/*
 * The mean of |predicted SD_scal - SD_scal| / SD_scal over programs and SM counts, where
 * each program has the cluster that its events choose.
 */
double gpm_fit_error(const struct gpm_constants *gpm,
		     const struct gpm_program *programs, u32 count);

#endif /* OFFLINE_GPM_FIT_H */

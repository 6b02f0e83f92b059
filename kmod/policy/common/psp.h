/* SPDX-License-Identifier: GPL-2.0 */
/* Themis' proactive slowdown predictor (VII.A). */
#ifndef POLICY_PSP_H
#define POLICY_PSP_H

#include <simgpu/snapshot.h>

#define PSP_POINTS_MAX	7

/**
 * struct psp_curve - the scalability of a kernel as far as epochs have shown it
 * @kernel: index of the kernel in its trace
 * @blocks: its thread blocks
 * @threads: threads of a thread block
 * @count: entries of @points; it goes back to 0 when the kernel changes
 * @points: SM counts that were tried and the scalability progress there, oldest
 *	first; none contradicts a later one
 * @inter_ppm: present slowdown by interference; 0: unknown
 */
struct psp_curve {
	u32 kernel;
	u32 blocks;
	u32 threads;
	u32 count;
	struct simgpu_knot points[PSP_POINTS_MAX];
	u64 inter_ppm;
};

void psp_follow(struct psp_curve *curve,
		const struct simgpu_snapshot_kernel *kernel);
void psp_add_point(struct psp_curve *curve, u32 sms_milli, u32 np_ppm);
bool psp_learn(struct psp_curve *curve, const struct simgpu_snapshot *snapshot,
	       const struct simgpu_snapshot_tenant *tenant);
u64 psp_progress_ppm(const struct psp_curve *curve, u32 all, u32 sms);
u64 psp_slowdown_ppm(const struct psp_curve *curve, u32 all, u32 sms);

#endif /* POLICY_PSP_H */

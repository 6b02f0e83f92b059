// SPDX-License-Identifier: GPL-2.0
/* How long spatial-temporal multitasking plans (STM, Table 1). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_plan.h"
#include "internal.h"
#include "run.h"

/**
 * struct planned - made-up kernels, and room for their plan
 */
struct planned {
	struct plan_kernel kernels[PLAN_KERNELS_MAX];
	struct simgpu_snapshot_profile profiles[PLAN_KERNELS_MAX];
	struct plan_work work;
	struct plan plan;
};

static u32 random_below(u64 *state, u32 bound)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(*state >> 33) % bound;
}

/* Make a kernel that scales up to some number of SMs, and then saturates. */
static void make_kernel(struct planned *it, u32 index, u32 sms, u64 *state)
{
	u32 blocks = 1 + random_below(state, 20000), m;
	u32 latency = 100 + random_below(state, 5000);
	u32 knee = 1 + random_below(state, sms);
	u32 bandwidth = random_below(state, SIMGPU_PPM);

	it->kernels[index] = (struct plan_kernel) {
		.blocks = blocks, .profile = index,
	};
	for (m = 1; m <= sms; m++) {
		u32 used = m < knee ? m : knee;

		it->profiles[index].point[m - 1] = (struct simgpu_profile_point) {
			.cycles = (u32)((u64)blocks * latency / used),
			.bandwidth_ppm = (u32)((u64)bandwidth * used / knee),
		};
	}
}

int offline_measure_plan(u32 count, u32 sms, u64 *ns)
{
	struct planned *it = calloc(1, sizeof(*it));
	struct plan_set set = { .count = count, .sms = sms };
	u64 wall_ns[OFFLINE_RUNS], state = 1;
	u32 i;

	if (!it)
		return -ENOMEM;
	set.kernels = it->kernels;
	set.profiles = it->profiles;
	for (i = 0; i < count; i++)
		make_kernel(it, i, sms, &state);
	for (i = 0; i < OFFLINE_RUNS; i++) {
		u64 began = offline_wall_ns();

		plan_make(&set, &it->work, &it->plan);
		offline_insert_ns(wall_ns, i, offline_wall_ns() - began);
	}
	*ns = offline_median_ns(wall_ns);
	free(it);
	return 0;
}

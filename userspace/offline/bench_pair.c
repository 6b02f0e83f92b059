// SPDX-License-Identifier: GPL-2.0
/*
 * The speed of a pair on the host's clock: side by side, and on shared SMs under
 * quotas, with epochs of the same length.
 */
#include "bench.h"
#include "bench_pair.h"
#include "internal.h"
#include "run.h"

#define PAIR		2
/* Length of quotas' epochs, and of epochs. */
#define PAIR_EPOCH	10000
/* Goal of the first tenant, in thread instructions a cycle for each SM. */
#define PAIR_GOAL_IPC	6

static int run_pair(const struct gpu_config *config,
		    const struct offline_load pair[PAIR], bool shared,
		    u64 wall_ns[OFFLINE_RUNS], u32 run)
{
	const struct offline_observer nobody = { .context = NULL };
	struct offline_experiment *experiment = calloc(1, sizeof(*experiment));
	struct offline_result *result = calloc(1, sizeof(*result));
	int ret = -ENOMEM;
	u32 i;

	if (experiment && result) {
		struct session_options *options = &experiment->options;

		offline_bench_options(config, pair[0].cycles, options);
		options->epoch_cycles = PAIR_EPOCH;
		options->policy = shared ? &policy_quota_rollover : &policy_even;
		session_default_params(options);
		experiment->threads = 1;
		experiment->count = PAIR;
		for (i = 0; i < PAIR; i++) {
			experiment->tenants[i].trace = pair[i].trace;
			experiment->tenants[i].options.weight = 1;
		}
		experiment->tenants[0].options.service = SIMGPU_QOS;
		experiment->tenants[0].options.goal_kind = SESSION_GOAL_IPC;
		experiment->tenants[0].options.goal =
			(u64)config->sms * PAIR_GOAL_IPC * SIMGPU_PPM;
		ret = offline_run(experiment, &nobody, result);
		offline_insert_ns(wall_ns, run, result->wall_ns);
	}
	free(experiment);
	free(result);
	return ret;
}

int offline_measure_pair(const struct gpu_config *config,
			 const struct offline_load pair[PAIR], u64 *shared_ns,
			 u64 *split_ns)
{
	u64 shared[OFFLINE_RUNS], split[OFFLINE_RUNS];
	int ret = 0;
	u32 run;

	for (run = 0; !ret && run < OFFLINE_RUNS; run++) {
		ret = run_pair(config, pair, true, shared, run);
		if (!ret)
			ret = run_pair(config, pair, false, split, run);
	}
	if (ret)
		return ret;
	*shared_ns = offline_median_ns(shared);
	*split_ns = offline_median_ns(split);
	return 0;
}

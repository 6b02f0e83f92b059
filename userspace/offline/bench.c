// SPDX-License-Identifier: GPL-2.0
/*
 * The engine's speed: a trace alone on all SMs, several times, on the host's
 * clock. userspace/simgpu/lab/bench.c chooses the traces and judges the times.
 */
#include "bench.h"
#include "dram_bench.h"
#include "internal.h"
#include "run.h"

void offline_insert_ns(u64 *wall_ns, u32 count, u64 value)
{
	u32 i;

	for (i = count; i > 0 && wall_ns[i - 1] > value; i--)
		wall_ns[i] = wall_ns[i - 1];
	wall_ns[i] = value;
}

u64 offline_median_ns(const u64 wall_ns[OFFLINE_RUNS])
{
	return wall_ns[OFFLINE_RUNS / 2];
}

void offline_bench_options(const struct gpu_config *config, u64 cycles,
			   struct session_options *options)
{
	memset(options, 0, sizeof(*options));
	options->config = *config;
	options->seed = 1;
	options->epoch_cycles = SESSION_EPOCH_CYCLES_DEFAULT;
	options->stop_cycle = cycles;
	options->relaunch = true;
	options->model = &model_hsm;
	options->policy = &policy_even;
	session_default_params(options);
}

static int run_once(const struct gpu_config *config, struct offline_load *load,
		    u32 threads, u32 run)
{
	const struct offline_observer nobody = { .context = NULL };
	const struct offline_tenant tenant = {
		.trace = load->trace, .options.weight = 1,
	};
	struct session_tenant_report report = { 0 };
	struct session_options options;
	u64 wall_ns = 0;
	int ret;

	offline_bench_options(config, load->cycles, &options);
	ret = offline_run_one(&options, &tenant, threads, &nobody, &report,
			      &wall_ns);
	load->counters = report.counters;
	offline_insert_ns(load->wall_ns, run, wall_ns);
	return ret;
}

int offline_measure(const struct gpu_config *config, struct offline_load *loads,
		    u32 count, u32 threads)
{
	u32 run, i;
	int ret;

	for (run = 0; run < OFFLINE_RUNS; run++) {
		for (i = 0; i < count; i++) {
			ret = run_once(config, &loads[i], threads, run);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int offline_measure_channel(const struct gpu_config *config,
			    const struct offline_dram_random *random,
			    u64 wall_ns[OFFLINE_RUNS])
{
	struct offline_dram_result result;
	u32 run;
	int ret;

	for (run = 0; run < OFFLINE_RUNS; run++) {
		struct offline_dram_random requests = *random;
		const struct offline_dram_source source = {
			.context = &requests,
			.read = offline_dram_random,
		};

		ret = offline_dram_run(config, &source, &result);
		if (ret)
			return ret;
		offline_insert_ns(wall_ns, run, result.wall_ns);
	}
	return 0;
}

int offline_device_bytes(const struct gpu_config *config, u64 *bytes)
{
	const struct offline_observer nobody = { .context = NULL };
	struct session_options options;
	struct offline_home home;
	int ret;

	offline_bench_options(config, 0, &options);
	options.relaunch = false;
	ret = offline_open(&home, &options, &nobody, 1);
	if (ret)
		return ret;
	*bytes = session_bytes(home.session);
	offline_close(&home);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/* How long Themis' model takes for one tenant of an epoch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_path.h"
#include "bench_predict.h"
#include "internal.h"

#define TENANTS		2
#define EPOCHS		20000
#define EPOCH_CYCLES	500000

/* Two tenants that share a device. No count is small, as small ones divide faster. */
static void make_snapshot(struct simgpu_snapshot *snapshot,
			  const struct gpu_config *config)
{
	u64 *counter;
	u32 slot, i;

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->sms = config->sms;
	snapshot->channels = config->channels;
	snapshot->schedulers = config->schedulers_per_sm;
	snapshot->events = SIMGPU_ON_EPOCH;
	snapshot->epoch_cycles = EPOCH_CYCLES;
	snapshot->memory_clocks = (u64)EPOCH_CYCLES * config->memory_mhz /
				  config->core_mhz;
	for (slot = 0; slot < TENANTS; slot++) {
		struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

		tenant->active = 1;
		tenant->weight = 1;
		tenant->sms = config->sms / TENANTS;
		tenant->blocks = 4096;
		counter = (u64 *)&tenant->counters;
		for (i = 0; i < sizeof(tenant->counters) / sizeof(u64); i++)
			counter[i] = (u64)EPOCH_CYCLES * (i % 7 + 1) / (slot + 3);
		tenant->counters.sm_cycles = (u64)tenant->sms * EPOCH_CYCLES;
	}
}

static const void *weights_of(const struct gpu_config *config)
{
	const struct simgpu_constants_built_in *at = model_themis.built_in;

	while (at->config[0] && strcmp(at->config, config->name))
		at++;
	return at->payload;
}

int offline_measure_prediction(const struct gpu_config *config, u64 *ns)
{
	const void *constants = weights_of(config);
	struct simgpu_prediction *said = calloc(1, sizeof(*said));
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	void *state = calloc(1, model_themis.state_bytes);
	u64 took_ns[OFFLINE_RUNS];
	u32 run, i;

	int ret = !constants ? -ENOENT :
		  !said || !snapshot || !state ? -ENOMEM : 0;

	if (!ret)
		make_snapshot(snapshot, config);
	for (run = 0; !ret && run < OFFLINE_RUNS; run++) {
		u64 began = offline_processor_ns();

		for (i = 0; i < EPOCHS; i++) {
			snapshot->epoch++;
			model_themis.predict(snapshot, constants, state, said);
		}
		offline_insert_ns(took_ns, run, offline_processor_ns() - began);
	}
	if (!ret)
		*ns = offline_median_ns(took_ns) / EPOCHS / TENANTS;
	free(said);
	free(snapshot);
	free(state);
	return ret;
}

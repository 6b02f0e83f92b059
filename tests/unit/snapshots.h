/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots for tests of models and policies, and random numbers to fill them. */
#ifndef TEST_SNAPSHOTS_H
#define TEST_SNAPSHOTS_H

#include "../../kmod/policy/models/hsm_line.h"
#include "../../kmod/policy/registry.h"
#include "../../kmod/session/session.h"

static u64 random_state;

static inline u64 random_u64(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dULL;
}

static inline u64 random_up_to(u64 greatest)
{
	return random_u64() % (greatest + 1);
}

static inline int restart_random(void **state)
{
	random_state = 0x5eed;
	return 0;
}

/* A device of hbm80's clocks and channels, without tenants. */
static inline void snapshot_init(struct simgpu_snapshot *snapshot, u32 sms,
			  u64 epoch_cycles)
{
	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->version = SIMGPU_SNAPSHOT_VERSION;
	snapshot->bytes = sizeof(*snapshot);
	snapshot->sms = sms;
	snapshot->sms_per_tpc = 1;
	snapshot->schedulers = 2;
	snapshot->issue_lanes = 64;
	snapshot->channels = 32;
	snapshot->llc_slices = 64;
	snapshot->line_bytes = 128;
	snapshot->peak_clocks_per_line = 2;
	snapshot->mirrors = 1;
	snapshot->llc_hit_cycles = 200;
	snapshot->l1_sectors = 1;
	snapshot->llc_sectors = 1;
	snapshot->dram_cycles = 371;
	snapshot->epoch_cycles = epoch_cycles;
	snapshot->memory_clocks = epoch_cycles * 440 / 1400;
	snapshot->model_params[HSM_C1] = hsm_params[HSM_C1].initial;
	snapshot->model_params[HSM_C2] = hsm_params[HSM_C2].initial;
	snapshot->model_params[HSM_WAITING] = 1;
}

/* Set a param of a policy, by its name. */
static inline void set_param(struct simgpu_snapshot *snapshot,
			    const struct simgpu_policy *policy, const char *name,
			    u64 value)
{
	u32 i;

	for (i = 0; policy->params && policy->params[i].name; i++)
		if (!strcmp(policy->params[i].name, name))
			snapshot->policy_params[i] = value;
}

/* The params of a policy as they are at first. */
static inline void set_params(struct simgpu_snapshot *snapshot,
			     const struct simgpu_policy *policy)
{
	u32 i;

	for (i = 0; policy->params && policy->params[i].name; i++)
		snapshot->policy_params[i] = policy->params[i].initial;
}

static inline struct simgpu_snapshot_tenant *
activate(struct simgpu_snapshot *snapshot, u32 slot, u32 sms)
{
	struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

	tenant->active = 1;
	tenant->weight = 1;
	tenant->sms = sms;
	tenant->blocks = tenant->blocks_left = U32_MAX;
	snapshot->tenants_active++;
	if (snapshot->slot_count <= slot)
		snapshot->slot_count = slot + 1;
	return tenant;
}

static inline struct simgpu_snapshot_tenant *
predicted(struct simgpu_snapshot *snapshot, u32 slot, u32 sms, u64 np_ppm)
{
	struct simgpu_snapshot_tenant *tenant = activate(snapshot, slot, sms);

	tenant->class = SIMGPU_CLASS_COMPUTE;
	tenant->np_ppm = np_ppm;
	/* It held all of them, all the time. */
	tenant->counters.sm_cycles = snapshot->epoch_cycles * sms;
	return tenant;
}

/* What a model or a policy keeps, as it is before the first call. */
static inline void *fresh_state(void)
{
	static u64 memory[SIMGPU_STATE_BYTES_MAX / sizeof(u64)];

	memset(memory, 0, sizeof(memory));
	return memory;
}

#endif /* TEST_SNAPSHOTS_H */

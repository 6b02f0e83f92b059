// SPDX-License-Identifier: GPL-2.0
/*
 * No model, policy or metric wraps around, whatever it is given: they are built
 * with the integer sanitizer, which ends this program if one does, and get
 * counters of every size. What is meant to wrap is in tests/unit/integer-ignored.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/models/gpm.h"
#include "../../kmod/policy/common/metrics.h"
#include "snapshots.h"

/* Of each; SIMGPU_FUZZ asks for another number of snapshots. */
#define ROUNDS		5000

static u32 rounds(void)
{
	const char *text = getenv("SIMGPU_FUZZ");

	return text ? (u32)strtoul(text, NULL, 10) : ROUNDS;
}

/* Small, great, as great as it gets; often one that others have, too. */
static u64 random_counter(void)
{
	static const u64 corners[] = {
		0, 1, 999999, 1000000, 500000 * 80, U32_MAX, 1ULL << 32,
		1ULL << 44, 1ULL << 63, U64_MAX,
	};

	if (random_up_to(1))
		return corners[random_up_to(ARRAY_SIZE(corners) - 1)];
	return random_u64() >> random_up_to(63);
}

static u64 random_ratio(void)
{
	return random_up_to(3) ? random_up_to(SIMGPU_PPM) : SIMGPU_PPM;
}

static void random_tenant(struct simgpu_snapshot *snapshot, u32 slot, u32 sms)
{
	struct simgpu_snapshot_tenant *tenant = activate(snapshot, slot, sms);
	u64 *counters = (u64 *)&tenant->counters;
	u32 i;

	for (i = 0; i < sizeof(tenant->counters) / sizeof(*counters); i++)
		counters[i] = random_counter();
	tenant->service = random_up_to(1);
	tenant->target_ppm = tenant->service ? random_ratio() : 0;
	tenant->weight = 1 + random_up_to(999);
	tenant->blocks = random_counter();
	tenant->blocks_left = random_counter();
	tenant->private_cycles = random_counter();
	tenant->class = random_up_to(SIMGPU_CLASS_MEMORY);
	tenant->np_ppm = random_ratio();
	if (random_up_to(1)) {
		tenant->sd_scal_ppm = SIMGPU_PPM + random_ratio() *
				      random_up_to(999);
		tenant->sd_inter_ppm = SIMGPU_PPM + random_ratio() *
				       random_up_to(999);
	}
}

/* A device of any size and tenants that may do what no device can. */
static void random_snapshot(struct simgpu_snapshot *snapshot)
{
	u32 sms = 1 + random_up_to(SIMGPU_SMS_MAX - 1), left = sms, slot;
	u32 i;

	snapshot_init(snapshot, sms, 10000 + random_up_to(49990000));
	snapshot->mirrors = random_up_to(1);
	for (i = 0; i < SIMGPU_PARAMS_MAX; i++) {
		snapshot->model_params[i] = random_ratio();
		snapshot->policy_params[i] = random_ratio();
	}
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u32 some = random_up_to(left < 20 ? left : 20);

		if (!some)
			continue;
		left -= some;
		random_tenant(snapshot, slot, some);
	}
}

static const void *random_clusters(void)
{
	static struct gpm_constants gpm;
	u32 sms = 0, i, k, event;

	gpm.clusters = 1 + random_up_to(GPM_CLUSTERS - 1);
	for (event = 0; event < GPM_EVENTS; event++)
		gpm.deviation[event] = 1 + random_up_to(GPM_RATE_MOST - 1);
	for (i = 0; i < GPM_COUNTS; i++) {
		sms += 1 + random_up_to(SIMGPU_SMS_MAX / GPM_COUNTS - 1);
		gpm.sms[i] = sms;
		for (k = 0; k < GPM_CLUSTERS; k++) {
			gpm.cluster[k].progress_ppm[i] =
				1 + random_up_to(SIMGPU_PPM - 1);
			for (event = 0; event < GPM_EVENTS; event++)
				gpm.cluster[k].rates[i][event] =
					random_up_to(GPM_RATE_MOST);
		}
	}
	return &gpm;
}

static const void *random_net(void)
{
	static struct themis_constants net;
	u32 i;

	for (i = 0; i < THEMIS_INPUTS; i++) {
		net.origin[i] = (s64)random_up_to(2 * THEMIS_RATE_MOST) -
				THEMIS_RATE_MOST;
		net.deviation[i] = 1 + (s64)random_up_to(THEMIS_RATE_MOST - 1);
	}
	for (i = 0; i < THEMIS_WEIGHTS; i++)
		net.weights[i] = (s32)random_up_to(2 * THEMIS_WEIGHT_MOST) -
				 (s32)THEMIS_WEIGHT_MOST;
	return &net;
}

/* Of those that have them; any that their model would accept. */
static const void *random_constants(const struct simgpu_model *model)
{
	const void *constants;

	if (!model->constants_bytes)
		return NULL;
	constants = model == &model_asm_gpm ? random_clusters() : random_net();
	assert_true(model->constants_are_good(constants));
	return constants;
}

/* Whatever was counted, NP is above 0 and at most 1 where a model has no cap of its own. */
static void look_at(const struct simgpu_snapshot *snapshot,
		    const struct simgpu_prediction *prediction)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_prediction_tenant *said =
			&prediction->tenants[slot];

		if (!said->sd_scal_ppm || !snapshot->tenants[slot].active)
			continue;
		assert_in_range(said->np_ppm, 1, SIMGPU_PPM);
		assert_true(said->sd_scal_ppm >= SIMGPU_PPM);
		assert_true(said->sd_inter_ppm >= SIMGPU_PPM);
	}
}

static void models_do_not_wrap(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	void *memory[32] = { NULL };
	struct simgpu_prediction prediction;
	u32 round, count = rounds(), i;

	for (round = 0; round < count; round++) {
		const struct simgpu_model *model;

		random_snapshot(snapshot);
		snapshot->events = random_up_to(SIMGPU_ON_KNOWN);
		snapshot->epoch = random_up_to(2);
		snapshot->cycle = random_u64() >> 8;
		for (i = 0; (model = registry_model_at(i)); i++) {
			if (!memory[i])
				memory[i] = calloc(1, SIMGPU_STATE_BYTES_MAX);
			memset(&prediction, 0, sizeof(prediction));
			assert_int_equal(model->predict(snapshot,
							random_constants(model),
							memory[i],
							&prediction), 0);
			look_at(snapshot, &prediction);
		}
	}
	for (i = 0; i < ARRAY_SIZE(memory); i++)
		free(memory[i]);
	free(snapshot);
}

static u32 proposed(const struct simgpu_proposal *proposal)
{
	u32 slot, sum = 0;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		sum += proposal->sms[slot];
	return sum;
}

/* Each with a state of its own, as a session gives them. */
#define POLICIES_MAX	64

static void policies_do_not_wrap(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	u8 (*memory)[SIMGPU_STATE_BYTES_MAX] = calloc(POLICIES_MAX,
						      sizeof(*memory));
	struct simgpu_proposal proposal;
	u32 round, count = rounds(), slot, i;

	for (round = 0; round < count; round++) {
		const struct simgpu_policy *policy;

		random_snapshot(snapshot);
		for (i = 0; (policy = registry_policy_at(i)); i++) {
			assert_true(i < POLICIES_MAX);
			memset(&proposal, 0, sizeof(proposal));
			for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
				proposal.sms[slot] = snapshot->tenants[slot].sms;
			if (round % 16 == 0)
				memset(memory[i], 0, sizeof(memory[i]));
			assert_int_equal(policy->decide(snapshot, memory[i],
							&proposal), 0);
			assert_true(proposed(&proposal) <= snapshot->sms);
		}
	}
	free(memory);
	free(snapshot);
}

static void metrics_do_not_wrap(void **state)
{
	u64 np[SIMGPU_SLOTS_MAX];
	struct metrics metrics;
	u32 round, count = rounds(), i;

	for (round = 0; round < count; round++) {
		for (i = 0; i < SIMGPU_SLOTS_MAX; i++)
			np[i] = random_counter();
		metrics_compute(np, random_up_to(SIMGPU_SLOTS_MAX), &metrics);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(models_do_not_wrap, restart_random),
		cmocka_unit_test_setup(policies_do_not_wrap, restart_random),
		cmocka_unit_test_setup(metrics_do_not_wrap, restart_random),
	};

	return cmocka_run_group_tests_name("integer", tests, NULL, NULL);
}

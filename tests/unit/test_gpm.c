// SPDX-License-Identifier: GPL-2.0
/*
 * GPM, the half of asm-gpm that knows scalability: which cluster is chosen, what its
 * curve says, what comes of it together with ASM, and how clusters are found.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/models/factors.h"
#include "../../userspace/offline/gpm_fit.h"
#include "snapshots.h"

#define EPOCH	500000ULL
#define ONE	(1ULL << THEMIS_RATE_BITS)

/*
 * On 60 SMs: cluster 0 gains with each SM and computes, cluster 1 has enough with 20 and
 * moves data. With all SMs their events change places, so that the count matters.
 */
static void plain_gpm(struct gpm_constants *gpm)
{
	static const u32 level[GPM_COUNTS] = {
		500000, 1000000, 1000000, 1000000, 1000000, 1000000,
	};
	u32 i, event;

	memset(gpm, 0, sizeof(*gpm));
	gpm->clusters = 2;
	for (event = 0; event < GPM_EVENTS; event++)
		gpm->deviation[event] = ONE;
	for (i = 0; i < GPM_COUNTS; i++) {
		u32 computes = i + 1 == GPM_COUNTS;

		gpm->sms[i] = 10 * (i + 1);
		gpm->cluster[0].progress_ppm[i] = 1000000 * (i + 1) / 6;
		gpm->cluster[1].progress_ppm[i] = level[i];
		gpm->cluster[computes].rates[i][0] = 8 * ONE;
		gpm->cluster[!computes].rates[i][7] = 8 * ONE;
	}
	assert_true(gpm_constants_are_good(gpm));
}

static void nearest_cluster_is_chosen(void **state)
{
	const u64 computing[GPM_EVENTS] = { 7 * ONE };
	const u64 moving[GPM_EVENTS] = { [7] = 5 * ONE };
	struct gpm_constants gpm;

	plain_gpm(&gpm);
	assert_int_equal(gpm_choose(&gpm, 30000, computing), 0);
	assert_int_equal(gpm_choose(&gpm, 30000, moving), 1);
	/* The nearest of the trained counts is 50 up to 55 SMs, and 60 from there. */
	assert_int_equal(gpm_choose(&gpm, 54999, computing), 0);
	assert_int_equal(gpm_choose(&gpm, 55000, computing), 1);
	assert_int_equal(gpm_choose(&gpm, 0, computing), 0);
	assert_int_equal(gpm_choose(&gpm, 128000, moving), 0);
	/* In deviations, not as they are. */
	gpm.deviation[0] = GPM_RATE_MOST;
	assert_int_equal(gpm_choose(&gpm, 30000, moving), 1);
	gpm.deviation[7] = GPM_RATE_MOST;
	gpm.deviation[0] = 1;
	assert_int_equal(gpm_choose(&gpm, 30000, moving), 1);
}

static void curves_are_read(void **state)
{
	struct gpm_constants gpm;

	plain_gpm(&gpm);
	assert_int_equal(gpm_progress_ppm(&gpm, 1, 0), 0);
	assert_int_equal(gpm_progress_ppm(&gpm, 1, 5000), 250000);
	assert_int_equal(gpm_progress_ppm(&gpm, 1, 10000), 500000);
	assert_int_equal(gpm_progress_ppm(&gpm, 1, 15000), 750000);
	assert_int_equal(gpm_progress_ppm(&gpm, 1, 60000), 1000000);
	assert_int_equal(gpm_progress_ppm(&gpm, 0, 60000), 1000000);
}

/* Rates are for each cycle of an SM; a tenant that held none is said nothing of. */
static void scalability_of_a_tenant(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct gpm_constants gpm;
	struct simgpu_counters *counters;

	plain_gpm(&gpm);
	snapshot_init(snapshot, 60, EPOCH);
	activate(snapshot, 0, 15);
	counters = &snapshot->tenants[0].counters;
	counters->sm_cycles = 15 * EPOCH;
	counters->thread_instructions = 7 * counters->sm_cycles;
	/* A quarter of all SMs. */
	assert_in_range(gpm_scal_ppm(snapshot, &gpm, &snapshot->tenants[0]),
			3999000, 4001000);
	counters->thread_instructions = 0;
	counters->bus_busy_clocks = 6 * counters->sm_cycles;
	assert_in_range(gpm_scal_ppm(snapshot, &gpm, &snapshot->tenants[0]),
			1333333, 1333334);
	counters->sm_cycles = 0;
	assert_int_equal(gpm_scal_ppm(snapshot, &gpm, &snapshot->tenants[0]),
			 SIMGPU_PPM);
	free(snapshot);
}

/* Two spans and the end of an epoch, of a tenant with three times the rate in its own. */
static void run_asm(const struct simgpu_model *model, const void *constants,
		    struct simgpu_prediction *said)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	void *memory = calloc(1, model->state_bytes);
	u64 cycle;
	u32 slot;

	snapshot_init(snapshot, 60, 0);
	for (slot = 0; slot < 2; slot++)
		activate(snapshot, slot, 15);
	snapshot->events = SIMGPU_ON_EPOCH;
	snapshot->cycle = snapshot->epoch_cycles = EPOCH;
	memset(said, 0, sizeof(*said));
	model->predict(snapshot, constants, memory, said);
	snapshot->epoch = 1;
	for (cycle = 10000; cycle <= 40000; cycle += 10000) {
		u32 owner = said->probe_slot;

		for (slot = 0; slot < 2; slot++) {
			struct simgpu_counters *counters =
				&snapshot->tenants[slot].counters;

			counters->llc_accesses += slot == owner ? 30000 : 10000;
			counters->sm_cycles += 15 * 10000;
			counters->thread_instructions += 7 * 15 * 10000;
		}
		snapshot->events = cycle == 40000 ? SIMGPU_ON_EPOCH :
						    SIMGPU_ON_WAKE;
		snapshot->epoch_cycles = cycle;
		snapshot->cycle = EPOCH + cycle;
		memset(said, 0, sizeof(*said));
		model->predict(snapshot, constants, memory, said);
	}
	free(memory);
	free(snapshot);
}

static void asm_times_gpm(void **state)
{
	struct simgpu_prediction *said = malloc(sizeof(*said));
	struct gpm_constants gpm;
	u64 inter;

	plain_gpm(&gpm);
	run_asm(&model_asm, NULL, said);
	inter = said->tenants[0].sd_inter_ppm;
	assert_in_range(inter, 1499990, 1500010);
	assert_int_equal(said->tenants[0].sd_scal_ppm, SIMGPU_PPM);
	run_asm(&model_asm_gpm, &gpm, said);
	assert_int_equal(said->tenants[0].sd_inter_ppm, inter);
	assert_in_range(said->tenants[0].sd_scal_ppm, 3999000, 4001000);
	assert_in_range(said->tenants[0].np_ppm, 166600, 166720);
	/* Without clusters it is silent, not ASM under another name. */
	run_asm(&model_asm_gpm, NULL, said);
	assert_int_equal(said->tenants[0].np_ppm, 0);
	free(said);
}

/* Whatever was counted and trained, NP is above 0 and at most 1. */
static void any_counters_give_an_np(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_prediction_tenant said;
	struct gpm_constants gpm;
	u32 i, k;

	plain_gpm(&gpm);
	for (i = 0; i < 20000; i++) {
		u64 *words;

		snapshot_init(snapshot, 60, 1 + (random_u64() >> (1 + i % 63)));
		activate(snapshot, 0, 15);
		words = (u64 *)&snapshot->tenants[0].counters;
		for (k = 0; k < sizeof(struct simgpu_counters) / 8; k++)
			words[k] = random_u64() >> (random_u64() % 64);
		factors_say(gpm_scal_ppm(snapshot, &gpm, &snapshot->tenants[0]),
			    random_u64(), &said);
		assert_in_range(said.np_ppm, 1, SIMGPU_PPM);
	}
	free(snapshot);
}

static void bad_constants_are_refused(void **state)
{
	struct gpm_constants good, gpm;

	plain_gpm(&good);
#define REFUSED(change) do {				\
		gpm = good;				\
		gpm.change;				\
		assert_false(gpm_constants_are_good(&gpm)); \
	} while (0)
	REFUSED(clusters = 0);
	REFUSED(clusters = GPM_CLUSTERS + 1);
	REFUSED(clusters = 3);
	REFUSED(reserved = 1);
	REFUSED(sms[0] = 0);
	REFUSED(sms[3] = 30);
	REFUSED(sms[5] = SIMGPU_SMS_MAX + 1);
	REFUSED(deviation[4] = 0);
	REFUSED(deviation[4] = GPM_RATE_MOST + 1);
	REFUSED(cluster[1].progress_ppm[2] = 0);
	REFUSED(cluster[1].progress_ppm[2] = SIMGPU_PPM + 1);
	REFUSED(cluster[7].rates[5][7] = GPM_RATE_MOST + 1);
#undef REFUSED
}

/* Programs of three kinds, a little apart. */
static void make_programs(struct gpm_program *programs, u32 count)
{
	u32 i, k;

	memset(programs, 0, count * sizeof(*programs));
	for (i = 0; i < count; i++)
		for (k = 0; k < GPM_COUNTS; k++) {
			double linear = (k + 1) / 6.0;

			programs[i].progress[k] = i % 3 == 0 ? linear :
						  i % 3 == 1 ? sqrt(linear) : 1;
			if (k + 1 < GPM_COUNTS)
				programs[i].progress[k] -= i * 1e-4;
			programs[i].rates[k][i % 3] = ONE + i;
		}
}

static void clusters_are_found_again(void **state)
{
	struct gpm_program programs[9], again[9];
	struct gpm_constants gpm, second;
	u32 i, k;

	make_programs(programs, 9);
	memcpy(again, programs, sizeof(again));
	memset(&gpm, 0, sizeof(gpm));
	memset(&second, 0, sizeof(second));
	for (i = 0; i < GPM_COUNTS; i++)
		gpm.sms[i] = second.sms[i] = 10 * (i + 1);
	/* Three programs make three clusters, each of one. */
	gpm_fit(programs, 3, 1, &gpm);
	assert_int_equal(gpm.clusters, 3);
	assert_true(gpm_constants_are_good(&gpm));
	assert_true(gpm_fit_error(&gpm, programs, 3) < 1e-5);
	/* Nine make eight: two of a kind are together, and no two of different kinds. */
	gpm_fit(programs, 9, 1, &gpm);
	gpm_fit(again, 9, 1, &second);
	assert_int_equal(gpm.clusters, GPM_CLUSTERS);
	assert_memory_equal(&gpm, &second, sizeof(gpm));
	for (i = 0; i < 9; i++)
		for (k = 0; k < i; k++)
			assert_true(programs[i].cluster != programs[k].cluster ||
				    i % 3 == k % 3);
	assert_true(gpm_fit_error(&gpm, programs, 9) < 0.01);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearest_cluster_is_chosen),
		cmocka_unit_test(curves_are_read),
		cmocka_unit_test(scalability_of_a_tenant),
		cmocka_unit_test(asm_times_gpm),
		cmocka_unit_test_setup(any_counters_give_an_np, restart_random),
		cmocka_unit_test(bad_constants_are_refused),
		cmocka_unit_test(clusters_are_found_again),
	};

	return cmocka_run_group_tests_name("gpm", tests, NULL, NULL);
}

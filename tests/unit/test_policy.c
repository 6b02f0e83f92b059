// SPDX-License-Identifier: GPL-2.0
/*
 * Models and policies: HSM against its equations in floating point, the moves
 * of hsm-fair, even splits, metrics, and what becomes of proposals that a
 * device cannot do.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/core/session.h"
#include "small.h"
#include "snapshots.h"
#include "traces.h"

#define ROUNDS		200000
#define TOLERANCE	0.001
/* Two of the parts per million that figures are rounded to. */
#define GRANULARITY	2e-6

/* --- the model --- */

/* What a tenant may have counted in an epoch; some are nearly idle. */
static void random_counters(const struct simgpu_snapshot *snapshot,
			    struct simgpu_counters *counters)
{
	u64 clocks = snapshot->memory_clocks * snapshot->channels;
	u64 most = snapshot->epoch_cycles * snapshot->sms *
		   snapshot->issue_lanes;
	u64 requests;

	memset(counters, 0, sizeof(*counters));
	counters->thread_instructions = random_up_to(most >> random_up_to(12));
	counters->bus_busy_clocks = random_up_to(clocks >> random_up_to(8));
	requests = counters->bus_busy_clocks / snapshot->peak_clocks_per_line;
	counters->dram_writebacks = random_up_to(requests);
	counters->dram_fills = requests - counters->dram_writebacks;
	counters->row_activates = random_up_to(requests + requests / 16);
	counters->sm_cycles = random_up_to(snapshot->epoch_cycles *
					   snapshot->sms);
	counters->llc_accesses = random_up_to(most >> 20) + requests;
	counters->llc_misses = random_up_to(counters->llc_accesses);
	counters->load_requests = counters->llc_accesses;
	counters->load_cycles = counters->load_requests *
				random_up_to(4 * snapshot->dram_cycles);
}

/* What a tenant uses of what the memory can deliver at its row buffer hit rate. */
static double load_of(const struct simgpu_snapshot *snapshot,
		      const struct simgpu_counters *counters)
{
	double requests = (double)counters->dram_fills +
			  (double)counters->dram_writebacks;
	double rbh = requests > 0 ?
		     1 - (double)counters->row_activates / requests : 0;
	double supply = (double)snapshot->model_params[HSM_C1] / 1e6 * fmax(rbh, 0) +
			(double)snapshot->model_params[HSM_C2] / 1e6;

	return (double)counters->bus_busy_clocks /
	       ((double)snapshot->memory_clocks * snapshot->channels) / supply;
}

/* Of the time that requests wait, the part that they would wait alone. */
static double own_waiting(const struct simgpu_snapshot *snapshot,
			  const struct simgpu_counters *counters)
{
	double own = load_of(snapshot, counters), all = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		all += load_of(snapshot, &snapshot->tenants[slot].counters);
	/* Sums of many rounded numbers and of exact ones differ a little. */
	if (all <= own * 1.00001)
		return 1;
	return all >= 1 ? 0 : own / all * (1 - all) / (1 - own);
}

/* The least NP of a memory-bound kernel of few thread blocks. */
static double few_blocks_np(const struct simgpu_snapshot *snapshot,
			    const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_counters *counters = &tenant->counters;
	double fit = tenant->queue[0].head.blocks_per_sm;
	double sms = (double)(counters->sm_cycles / snapshot->epoch_cycles);
	double misses = counters->llc_accesses ?
			(double)counters->llc_misses /
			(double)counters->llc_accesses : 0;
	double idle = snapshot->llc_hit_cycles * (1 - misses) +
		      snapshot->dram_cycles * misses;
	double mean = counters->load_requests ?
		      (double)counters->load_cycles /
		      (double)counters->load_requests : 0;

	if (tenant->blocks > 2 * snapshot->sms || fit <= 0)
		return 0;
	idle = mean > idle ? idle / mean : 1;
	idle += (1 - idle) * own_waiting(snapshot, counters);
	return fmin(tenant->blocks, sms * fit) /
	       fmin(tenant->blocks, snapshot->sms * fit) * idle;
}

/**
 * struct reference - HSM's equations in floating point
 */
struct reference {
	double demand;
	double supply;
	double np_memory;
	double np_compute;
};

static struct reference reference(const struct simgpu_snapshot *snapshot,
				  const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_counters *counters = &tenant->counters;
	double cycles = (double)snapshot->epoch_cycles;
	double clocks = (double)snapshot->memory_clocks * snapshot->channels;
	double requests = (double)counters->dram_fills +
			  (double)counters->dram_writebacks;
	double rbh = requests > 0 ?
		     1 - (double)counters->row_activates / requests : 0;
	double most = cycles * snapshot->sms * snapshot->issue_lanes;
	struct reference r;

	if (rbh < 0)
		rbh = 0;
	r.supply = (double)snapshot->model_params[HSM_C1] / 1e6 * rbh +
		   (double)snapshot->model_params[HSM_C2] / 1e6;
	r.demand = most / (double)counters->thread_instructions * requests *
		   snapshot->peak_clocks_per_line / clocks;
	r.np_memory = fmax((double)counters->bus_busy_clocks / clocks / r.supply,
			   few_blocks_np(snapshot, tenant));
	r.np_compute = (double)counters->sm_cycles / cycles /
		       fmin(snapshot->sms, tenant->blocks);
	return r;
}

/* Within a thousandth, or within what parts per million can show. */
static bool close_to(u64 ppm, double expected, double granularity)
{
	double difference = fabs((double)ppm / 1e6 - expected);

	return difference <= fmax(expected * TOLERANCE, granularity);
}

static void hsm_follows_its_equations(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_prediction prediction;
	u32 round, memory = 0, compute = 0, few = 0;

	for (round = 0; round < ROUNDS; round++) {
		struct simgpu_snapshot_tenant *tenant;
		struct simgpu_prediction_tenant *said;
		struct reference r;

		snapshot_init(snapshot, 1 + random_up_to(127),
			      SESSION_EPOCH_CYCLES_MIN +
			      random_up_to(SESSION_EPOCH_CYCLES_MAX -
					   SESSION_EPOCH_CYCLES_MIN));
		snapshot->model_params[HSM_C1] = random_up_to(SIMGPU_PPM);
		snapshot->model_params[HSM_C2] = 50000 + random_up_to(SIMGPU_PPM);
		tenant = activate(snapshot, round % SIMGPU_SLOTS_MAX, 1);
		random_counters(snapshot, &tenant->counters);
		/* Mostly somebody else has requests, too. */
		if (random_up_to(3))
			random_counters(snapshot,
					&activate(snapshot, (round + 1) %
						  SIMGPU_SLOTS_MAX, 1)->counters);
		/* So near saturation rounding decides how long a queue is. */
		if (load_of(snapshot, &tenant->counters) > 0.9)
			continue;
		if (random_up_to(3) == 0) {
			/* It cannot hold more SMs than it has thread blocks. */
			tenant->blocks = 1 + random_up_to(3 * snapshot->sms);
			tenant->queue[0].head.blocks_per_sm = random_up_to(8);
			tenant->counters.sm_cycles =
				random_up_to(snapshot->epoch_cycles *
					     (tenant->blocks < snapshot->sms ?
					      tenant->blocks : snapshot->sms));
			few++;
		}
		if (!tenant->counters.thread_instructions)
			continue;
		memset(&prediction, 0, sizeof(prediction));
		assert_int_equal(model_hsm.predict(snapshot, NULL, fresh_state(), &prediction), 0);
		said = &prediction.tenants[round % SIMGPU_SLOTS_MAX];
		r = reference(snapshot, tenant);
		/* So near the border rounding decides. */
		if (fabs(r.demand - r.supply) <= r.supply * TOLERANCE +
						 GRANULARITY)
			continue;
		if (r.demand > r.supply) {
			assert_int_equal(said->class, SIMGPU_CLASS_MEMORY);
			assert_true(close_to(said->np_ppm, r.np_memory,
					     GRANULARITY));
			memory++;
		} else {
			assert_int_equal(said->class, SIMGPU_CLASS_COMPUTE);
			assert_true(close_to(said->np_ppm, r.np_compute,
					     GRANULARITY));
			compute++;
		}
	}
	assert_true(memory > ROUNDS / 20 && compute > ROUNDS / 20 &&
		    few > ROUNDS / 20);
	free(snapshot);
}

static void hsm_is_silent_about_idlers(void **state)
{
	struct simgpu_prediction prediction = { .tenants[0] = { 0 } };
	struct simgpu_snapshot snapshot;
	struct simgpu_snapshot_tenant *tenant;

	snapshot_init(&snapshot, 80, 500000);
	tenant = activate(&snapshot, 0, 40);
	/* Work that has not issued anything yet. */
	tenant->counters.sm_cycles = 500000 * 40;
	/* No work, and old counters. */
	snapshot.tenants[1].counters.thread_instructions = 1000;
	assert_int_equal(model_hsm.predict(&snapshot, NULL, fresh_state(), &prediction), 0);
	assert_int_equal(prediction.tenants[0].class, SIMGPU_CLASS_UNKNOWN);
	assert_int_equal(prediction.tenants[1].class, SIMGPU_CLASS_UNKNOWN);
}

/* No memory traffic at all, and a line that allows no bandwidth. */
static void hsm_survives_nothing(void **state)
{
	struct simgpu_prediction prediction = { .tenants[0] = { 0 } };
	struct simgpu_snapshot snapshot;
	struct simgpu_snapshot_tenant *tenant;

	snapshot_init(&snapshot, 80, 500000);
	tenant = activate(&snapshot, 0, 40);
	tenant->counters.thread_instructions = 1000;
	tenant->counters.sm_cycles = 500000 * 40;
	assert_int_equal(model_hsm.predict(&snapshot, NULL, fresh_state(), &prediction), 0);
	assert_int_equal(prediction.tenants[0].class, SIMGPU_CLASS_COMPUTE);
	assert_int_equal(prediction.tenants[0].np_ppm, 500000);
	tenant->counters.dram_fills = 1000000;
	tenant->counters.row_activates = 1000000;
	snapshot.model_params[HSM_C1] = 0;
	snapshot.model_params[HSM_C2] = 0;
	assert_int_equal(model_hsm.predict(&snapshot, NULL, fresh_state(), &prediction), 0);
	assert_int_equal(prediction.tenants[0].class, SIMGPU_CLASS_COMPUTE);
	/* Counters that no epoch could reach. */
	memset(&tenant->counters, 0xff, sizeof(tenant->counters));
	assert_int_equal(model_hsm.predict(&snapshot, NULL, fresh_state(), &prediction), 0);
}

/* --- even --- */

static void even_shares_out_all(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_proposal proposal;
	u32 sms, round, slot;

	for (sms = 1; sms <= SIMGPU_SMS_MAX; sms++)
		for (round = 0; round < 16; round++) {
			u32 sum = 0, last = U32_MAX, active;

			snapshot_init(snapshot, sms, 500000);
			for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
				if (random_u64() % (round + 1) == 0)
					activate(snapshot, slot, 0);
			active = snapshot->tenants_active;
			memset(&proposal, 0x5a, sizeof(proposal));
			assert_int_equal(policy_even.decide(snapshot, NULL,
							     &proposal), 0);
			assert_int_equal(proposal.flags, 0);
			for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
				u32 count = proposal.sms[slot];

				if (!snapshot->tenants[slot].active) {
					assert_int_equal(count, 0);
					continue;
				}
				/* Remainders go to the lowest slots. */
				assert_true(count <= last);
				assert_true(count == sms / active ||
					    count == sms / active + 1);
				last = count;
				sum += count;
			}
			assert_int_equal(sum, active ? sms : 0);
		}
	free(snapshot);
}

/* --- hsm-atd --- */

/* A tenant whose misses in company are known, and of how many it is free alone. */
static struct simgpu_snapshot_tenant *
cached(struct simgpu_snapshot *snapshot, u64 accesses, u64 misses, u64 hits_alone)
{
	struct simgpu_snapshot_tenant *tenant = activate(snapshot, 0, 40);
	struct simgpu_counters *counters = &tenant->counters;

	counters->thread_instructions = 1000000;
	counters->sm_cycles = snapshot->epoch_cycles * 40;
	counters->dram_fills = misses;
	counters->row_activates = misses / 2;
	counters->bus_busy_clocks = 2 * misses;
	counters->llc_accesses = accesses;
	counters->llc_misses = misses;
	/* Every eighth set is watched. */
	counters->atd_accesses = accesses / 8;
	counters->atd_hits = hits_alone / 8;
	return tenant;
}

static u64 np_of(const struct simgpu_model *model,
		 const struct simgpu_snapshot *snapshot)
{
	struct simgpu_prediction prediction = { .tenants[0] = { 0 } };

	assert_int_equal(model->predict(snapshot, NULL, fresh_state(), &prediction), 0);
	assert_int_equal(prediction.tenants[0].class, SIMGPU_CLASS_MEMORY);
	return prediction.tenants[0].np_ppm;
}

/* Half of the misses are the co-runner's doing: alone it would be done earlier. */
static void hsm_atd_takes_back_misses(void **state)
{
	struct simgpu_snapshot snapshot;

	snapshot_init(&snapshot, 80, 500000);
	cached(&snapshot, 1600000, 800000, 1200000);
	assert_int_equal(np_of(&model_hsm, &snapshot), 521612);
	assert_int_equal(np_of(&model_hsm_atd, &snapshot), 521612 / 2);
}

/* Without a directory, without misses, and with nonsense, it is hsm. */
static void hsm_atd_without_a_directory_is_hsm(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_counters *counters;

	snapshot_init(&snapshot, 80, 500000);
	counters = &cached(&snapshot, 1600000, 800000, 1200000)->counters;
	counters->atd_accesses = 0;
	assert_int_equal(np_of(&model_hsm_atd, &snapshot), 521612);
	counters->atd_accesses = 10;
	counters->atd_hits = 11;
	assert_int_equal(np_of(&model_hsm_atd, &snapshot), 521612);
	counters->atd_hits = 0;
	counters->llc_misses = 0;
	assert_int_equal(np_of(&model_hsm_atd, &snapshot), 521612);
}

/* --- mirror --- */

/* The model's equations in floating point. */
static double mirror_np(const struct simgpu_snapshot *snapshot,
			const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_counters *c = &tenant->counters;
	double accesses = (double)c->mirror_accesses;
	double channels = (double)c->mirror_clocks / snapshot->channels *
			  (double)c->llc_accesses / accesses /
			  (double)snapshot->memory_clocks;
	double misses = fmin(1, (double)c->mirror_requests / accesses);
	double idle = (double)c->idle_cycles / snapshot->schedulers /
		      (double)c->sm_cycles;
	double least = snapshot->llc_hit_cycles * (1 - misses) +
		       snapshot->dram_cycles * misses;
	double mean = (double)c->load_cycles / (double)c->load_requests;
	double held = (double)c->sm_cycles /
		      fmin(snapshot->sms, tenant->blocks) /
		      (double)snapshot->epoch_cycles;
	double fit = tenant->queue[0].head.blocks_per_sm, waiting = held;

	if (tenant->blocks <= 2 * snapshot->sms)
		waiting = fmin(tenant->blocks, fit *
			       (double)(c->sm_cycles / snapshot->epoch_cycles)) /
			  fmin(tenant->blocks, fit * snapshot->sms);
	least = fmin(1, least / mean);
	/* Nobody else is there: it would wait as long alone. */
	if (tenant->blocks <= 2 * snapshot->sms)
		least = 1;
	return fmax(channels, held * (1 - idle) + waiting * idle * least);
}

static void mirror_follows_its_equations(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	u32 round, memory = 0;

	for (round = 0; round < ROUNDS / 10; round++) {
		struct simgpu_prediction prediction = { .tenants[0] = { 0 } };
		struct simgpu_snapshot_tenant *tenant;
		struct simgpu_counters *c;
		double np;

		snapshot_init(snapshot, 80, 500000);
		tenant = activate(snapshot, 0, 40);
		tenant->queue[0].head.blocks_per_sm = 1 + random_up_to(8);
		if (round % 3 == 0)
			tenant->blocks = 1 + random_up_to(200);
		c = &tenant->counters;
		random_counters(snapshot, c);
		c->sm_cycles = 500000 * (1 + random_up_to(tenant->blocks < 80 ?
							  tenant->blocks - 1 : 79));
		c->idle_cycles = random_up_to(2 * c->sm_cycles);
		c->llc_accesses = 1000 + random_up_to(10000000);
		c->mirror_accesses = 1 + random_up_to(c->llc_accesses / 16);
		c->mirror_requests = random_up_to(2 * c->mirror_accesses);
		c->mirror_clocks = random_up_to(snapshot->memory_clocks);
		c->load_requests = 1 + random_up_to(c->llc_accesses);
		c->load_cycles = c->load_requests * (200 + random_up_to(5000));
		assert_int_equal(model_mirror.predict(snapshot, NULL, fresh_state(), &prediction), 0);
		np = mirror_np(snapshot, tenant);
		assert_true(close_to(prediction.tenants[0].np_ppm, np,
				     1e-3 * np + GRANULARITY));
		memory += prediction.tenants[0].class == SIMGPU_CLASS_MEMORY;
	}
	/* Both terms had their turn. */
	assert_in_range(memory, ROUNDS / 100, ROUNDS / 10 - ROUNDS / 100);
	free(snapshot);
}

/* Without an access there is only Eq. 4. */
static void mirror_without_accesses_is_compute_bound(void **state)
{
	struct simgpu_prediction prediction = { .tenants[0] = { 0 } };
	struct simgpu_snapshot snapshot;
	struct simgpu_counters *c;

	snapshot_init(&snapshot, 80, 500000);
	c = &activate(&snapshot, 0, 40)->counters;
	c->thread_instructions = 1000;
	c->sm_cycles = 40 * 500000;
	c->idle_cycles = c->sm_cycles;
	assert_int_equal(model_mirror.predict(&snapshot, NULL, fresh_state(), &prediction), 0);
	assert_int_equal(prediction.tenants[0].class, SIMGPU_CLASS_COMPUTE);
	assert_int_equal(prediction.tenants[0].np_ppm, 500000);
	/* Without mirrors it is hsm. */
	snapshot.mirrors = 0;
	cached(&snapshot, 1600000, 800000, 1200000);
	assert_int_equal(np_of(&model_mirror, &snapshot), 521612);
	snapshot.mirrors = 1;
	/* Nor does it say anything of a tenant that has not run. */
	c->thread_instructions = 0;
	memset(&prediction, 0, sizeof(prediction));
	assert_int_equal(model_mirror.predict(&snapshot, NULL, fresh_state(), &prediction), 0);
	assert_int_equal(prediction.tenants[0].class, SIMGPU_CLASS_UNKNOWN);
}

/* --- hsm-fair --- */

/* The assignment as it stands, which a policy finds in its proposal. */
static void propose(struct simgpu_snapshot *snapshot,
		    struct simgpu_proposal *proposal)
{
	u32 slot;

	set_knobs(snapshot, &policy_hsm_fair);

	memset(proposal, 0, sizeof(*proposal));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->sms[slot] = snapshot->tenants[slot].sms;
	assert_int_equal(policy_hsm_fair.decide(snapshot, NULL, proposal), 0);
}

static void expect_move(u32 sms_a, u64 np_a, u32 sms_b, u64 np_b, u32 to_a,
			u32 to_b)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, sms_a + sms_b, 500000);
	predicted(&snapshot, 0, sms_a, np_a);
	predicted(&snapshot, 1, sms_b, np_b);
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], to_a);
	assert_int_equal(proposal.sms[1], to_b);
}

static void hsm_fair_moves_sms(void **state)
{
	/* x = (0.8 - 0.4) * 40 * 40 / (0.8 * 40 + 0.4 * 40) = 13.3 */
	expect_move(40, 800000, 40, 400000, 27, 53);
	expect_move(40, 400000, 40, 800000, 53, 27);
	/* x = 0.5 * 60 * 20 / (0.9 * 20 + 0.4 * 60) = 14.3 */
	expect_move(60, 900000, 20, 400000, 46, 34);
	/* To the nearest: 0.2 * 1600 / (40 * 1.4) = 5.7 */
	expect_move(40, 800000, 40, 600000, 34, 46);
	/* A tenant keeps its last SM. */
	expect_move(40, 1000000, 40, 0, 1, 79);
	expect_move(1, 1000000, 79, 100, 1, 79);
}

static void hsm_fair_lets_fair_ones_be(void **state)
{
	expect_move(40, 500000, 40, 500000, 40, 40);
	expect_move(40, 1000000, 40, 900000, 40, 40);
	expect_move(40, 1000000, 40, 899999, 38, 42);
	expect_move(40, 0, 40, 0, 40, 40);
}

/* What counts is what was held: a move under way is not asked for twice. */
static void hsm_fair_waits_for_moves_under_way(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, 80, 500000);
	predicted(&snapshot, 0, 27, 800000)->counters.sm_cycles = 500000 * 40;
	predicted(&snapshot, 1, 53, 400000)->counters.sm_cycles = 500000 * 40;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], 27);
	assert_int_equal(proposal.sms[1], 53);
	/* Held more than both are assigned: a tenant keeps its last SM. */
	snapshot.tenants[0].sms = snapshot.tenants[1].sms = 2;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], 3);
	assert_int_equal(proposal.sms[1], 1);
}

static void hsm_fair_works_on_the_extremes(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, 80, 500000);
	predicted(&snapshot, 3, 20, 500000);
	predicted(&snapshot, 7, 20, 900000);
	predicted(&snapshot, 8, 20, 300000);
	predicted(&snapshot, 60, 20, 600000);
	propose(&snapshot, &proposal);
	/* x = 0.6 * 400 / (20 * 1.2) = 10 */
	assert_int_equal(proposal.sms[3], 20);
	assert_int_equal(proposal.sms[7], 10);
	assert_int_equal(proposal.sms[8], 30);
	assert_int_equal(proposal.sms[60], 20);
}

static void hsm_fair_passes_over_the_unknown(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, 80, 500000);
	predicted(&snapshot, 0, 30, 900000);
	predicted(&snapshot, 1, 30, 100000)->class = SIMGPU_CLASS_UNKNOWN;
	predicted(&snapshot, 2, 20, 800000);
	predicted(&snapshot, 3, 0, 0);
	propose(&snapshot, &proposal);
	/* 0.8 / 0.9 is below the threshold: x = 0.1 * 600 / (18 + 24) = 1.4 */
	assert_int_equal(proposal.sms[0], 29);
	assert_int_equal(proposal.sms[1], 30);
	assert_int_equal(proposal.sms[2], 21);
	assert_int_equal(proposal.sms[3], 0);
}

/* More SMs than thread blocks are useless. */
static void hsm_fair_gives_no_more_than_thread_blocks(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, 80, 500000);
	predicted(&snapshot, 0, 40, 800000);
	predicted(&snapshot, 1, 40, 400000)->blocks = 45;
	snapshot.tenants[1].blocks_left = 45;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], 35);
	assert_int_equal(proposal.sms[1], 45);
	/* What is left of a kernel does not count: the next one is as large. */
	snapshot.tenants[1].blocks_left = 41;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[1], 45);
}

/* Neither the faster nor the slower one: the next kernel begins with what this one had. */
static void hsm_fair_leaves_tails_alone(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;
	u32 slot;

	for (slot = 0; slot < 2; slot++) {
		snapshot_init(&snapshot, 80, 500000);
		predicted(&snapshot, 0, 40, 800000);
		predicted(&snapshot, 1, 40, 400000);
		snapshot.tenants[slot].blocks_left = 40;
		propose(&snapshot, &proposal);
		assert_int_equal(proposal.sms[0], 27);
		snapshot.tenants[slot].blocks_left = 39;
		propose(&snapshot, &proposal);
		assert_int_equal(proposal.sms[0], 40);
		assert_int_equal(proposal.sms[1], 40);
	}
	/* A kernel that has no more thread blocks than that is at its start. */
	snapshot.tenants[1].blocks = 39;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], 41);
	/* Others go on without it. */
	snapshot.tenants[1].blocks = 1000;
	predicted(&snapshot, 2, 20, 500000);
	snapshot.tenants[0].sms = 20;
	snapshot.tenants[0].counters.sm_cycles = 20 * 500000;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[1], 40);
	assert_int_equal(proposal.sms[2], 25);
}

/* On the lines of Figure 9, no other move would bring the two nearer. */
static void hsm_fair_moves_best(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_proposal proposal;
	u32 round;

	for (round = 0; round < ROUNDS / 10; round++) {
		u32 a = 1 + random_up_to(78), b = 80 - a;
		u64 np_a = 1 + random_up_to(SIMGPU_PPM - 1);
		u64 np_b = 1 + random_up_to(SIMGPU_PPM - 1);
		double slope_a = (double)np_a / a, slope_b = (double)np_b / b;
		double best, got;
		u32 to_a;

		snapshot_init(snapshot, 80, 500000);
		predicted(snapshot, 0, a, np_a);
		predicted(snapshot, 1, b, np_b);
		propose(snapshot, &proposal);
		assert_int_equal(proposal.sms[0] + proposal.sms[1], 80);
		assert_true(proposal.sms[0] && proposal.sms[1]);
		if (proposal.sms[0] == a)
			continue;
		got = fabs(slope_a * proposal.sms[0] -
			   slope_b * proposal.sms[1]);
		for (best = got, to_a = 1; to_a < 80; to_a++)
			best = fmin(best, fabs(slope_a * to_a -
					       slope_b * (80 - to_a)));
		/* Held SMs count in thousandths. */
		assert_true(got <= best + 0.002 * (slope_a + slope_b));
	}
	free(snapshot);
}

/* --- metrics --- */

static void expect_metrics(const u64 *np_ppm, u32 count, u64 fairness, u64 stp,
			   u64 antt)
{
	struct metrics metrics;

	metrics_compute(np_ppm, count, &metrics);
	assert_int_equal(metrics.fairness_ppm, fairness);
	assert_int_equal(metrics.stp_ppm, stp);
	assert_int_equal(metrics.antt_ppm, antt);
}

static void metrics_are_as_defined(void **state)
{
	const u64 half[] = { 500000, 500000 };
	const u64 mixed[] = { 800000, 400000, 200000 };
	const u64 stuck[] = { 500000, 0 };
	const u64 none[] = { 0, 0 };
	const u64 tiny[] = { 1, 1000000 };

	expect_metrics(half, 2, 1000000, 1000000, 2000000);
	/* 1 / NP: 1.25, 2.5, 5 */
	expect_metrics(mixed, 3, 250000, 1400000, 2916666);
	expect_metrics(mixed, 1, 1000000, 800000, 1250000);
	expect_metrics(stuck, 2, 0, 500000, 0);
	expect_metrics(none, 2, 0, 0, 0);
	expect_metrics(none, 0, 0, 0, 0);
	expect_metrics(tiny, 2, 1, 1000001, 500000500000ULL);
}

/* --- proposals that cannot be done --- */

/** struct trial - a session of three tenants under a policy of the tests */
struct trial {
	struct session *session;
	struct trace *trace;
	u32 epochs;
	u32 fell_back;
	struct session_epoch last;
};

static void note_epoch(void *context, const struct session_epoch *epoch)
{
	struct trial *trial = context;

	trial->epochs++;
	trial->fell_back += epoch->fell_back;
	trial->last = *epoch;
}

/* Tenants are in slots 0 to 2; the small device has 8 SMs. */
static void trial_run(struct trial *trial,
		      int (*decide)(const struct simgpu_snapshot *snapshot,
				    void *state,
				    struct simgpu_proposal *proposal))
{
	struct simgpu_policy policy = { .name = "trial", .decide = decide };
	struct session_options options = {
		.config = small_config(), .seed = 1, .epoch_cycles = 10000,
		.stop_cycle = 35000, .relaunch = true, .gang_size = 3,
		.kernel_end = SESSION_KERNEL_END_CARRY,
		.model = &model_hsm, .policy = &policy,
	};
	struct session_tenant_options tenant = { .name = "t", .weight = 1 };
	struct session_hooks hooks = { .context = trial, .epoch = note_epoch };
	u64 sequence;
	u32 slot;

	session_default_params(&options);
	memset(trial, 0, sizeof(*trial));
	trial->trace = trace_compute(100000, 4, 20);
	assert_int_equal(session_create(&trial->session, &options, &hooks), 0);
	for (slot = 0; slot < 3; slot++)
		assert_int_equal(session_join(trial->session, slot, &tenant),
				 slot);
	for (slot = 0; slot < 3; slot++)
		assert_int_equal(session_launch(trial->session, slot,
						trial->trace, 1, 0, &sequence),
				 0);
	session_run(trial->session, 35000);
	assert_int_equal(session_state(trial->session), SESSION_STOPPED);
	assert_int_equal(trial->epochs, 4);
	session_destroy(trial->session);
	trace_free(trial->trace);
}

static int propose_error(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	proposal->sms[0] = 6;
	proposal->sms[1] = proposal->sms[2] = 1;
	return -EIO;
}

static int propose_too_many(const struct simgpu_snapshot *snapshot, void *state,
			    struct simgpu_proposal *proposal)
{
	proposal->sms[0] = 7;
	proposal->sms[1] = proposal->sms[2] = 1;
	return 0;
}

static int propose_overflow(const struct simgpu_snapshot *snapshot, void *state,
			    struct simgpu_proposal *proposal)
{
	proposal->sms[0] = proposal->sms[1] = 1U << 31;
	proposal->sms[2] = 8;
	return 0;
}

static int propose_starving(const struct simgpu_snapshot *snapshot, void *state,
			    struct simgpu_proposal *proposal)
{
	proposal->sms[0] = 0;
	return 0;
}

static int propose_for_nobody(const struct simgpu_snapshot *snapshot, void *state,
			      struct simgpu_proposal *proposal)
{
	proposal->sms[0] = proposal->sms[1] = proposal->sms[2] = 1;
	proposal->sms[5] = 1;
	return 0;
}

static int propose_unknown_flag(const struct simgpu_snapshot *snapshot, void *state,
				struct simgpu_proposal *proposal)
{
	proposal->flags = 1U << 20;
	return 0;
}

static int propose_strange_priority(const struct simgpu_snapshot *snapshot, void *state,
				    struct simgpu_proposal *proposal)
{
	proposal->flags = SIMGPU_SAYS_MEMORY_PRIORITY;
	proposal->memory_priority[1] = SIMGPU_MEMORY_PRIORITY_MAX + 1;
	return 0;
}

static int propose_strange_owner(const struct simgpu_snapshot *snapshot, void *state,
				 struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags = SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < snapshot->sms; sm++)
		proposal->owner[sm] = sm % 3;
	proposal->owner[7] = SIMGPU_SLOTS_MAX;
	return 0;
}

static int propose_owner_without_work(const struct simgpu_snapshot *snapshot, void *state,
				      struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags = SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < snapshot->sms; sm++)
		proposal->owner[sm] = sm % 4;
	return 0;
}

static void impossible_proposals_fall_back(void **state)
{
	int (*const bad[])(const struct simgpu_snapshot *snapshot, void *state,
			   struct simgpu_proposal *proposal) = {
		propose_error, propose_too_many, propose_overflow,
		propose_starving, propose_for_nobody, propose_unknown_flag,
		propose_strange_owner, propose_owner_without_work,
		propose_strange_priority,
	};
	struct trial trial;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		trial_run(&trial, bad[i]);
		/* It is asked once: then even takes its place. */
		assert_int_equal(trial.fell_back, 1);
		assert_false(trial.last.fell_back);
		assert_int_equal(trial.last.tenants[0].sms, 3);
		assert_int_equal(trial.last.tenants[1].sms, 3);
		assert_int_equal(trial.last.tenants[2].sms, 2);
	}
}

static int propose_counts(const struct simgpu_snapshot *snapshot, void *state,
			  struct simgpu_proposal *proposal)
{
	/* It finds the present assignment; one SM stays idle. */
	if (snapshot->epoch == 0 && (proposal->sms[0] != 3 ||
				     proposal->sms[2] != 2))
		return -EIO;
	proposal->sms[0] = 5;
	proposal->sms[1] = proposal->sms[2] = 1;
	return 0;
}

static int propose_owners(const struct simgpu_snapshot *snapshot, void *state,
			  struct simgpu_proposal *proposal)
{
	static const u8 owner[] = { 2, 2, 2, 2, 1, 0, SIMGPU_NO_OWNER, 0 };

	proposal->flags = SIMGPU_SAYS_OWNERS;
	memcpy(proposal->owner, owner, sizeof(owner));
	/* The counts are ignored, even absurd ones. */
	proposal->sms[0] = U32_MAX;
	return 0;
}

static void possible_proposals_are_done(void **state)
{
	struct trial trial;

	trial_run(&trial, propose_counts);
	assert_int_equal(trial.fell_back, 0);
	assert_int_equal(trial.last.tenants[0].sms, 5);
	assert_int_equal(trial.last.tenants[1].sms, 1);
	assert_int_equal(trial.last.tenants[2].sms, 1);
	trial_run(&trial, propose_owners);
	assert_int_equal(trial.fell_back, 0);
	assert_int_equal(trial.last.tenants[0].sms, 2);
	assert_int_equal(trial.last.tenants[1].sms, 1);
	assert_int_equal(trial.last.tenants[2].sms, 4);
}

/* --- names --- */

static void everything_is_found_by_name(void **state)
{
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	u32 i;

	for (i = 0; (policy = registry_policy_at(i)); i++)
		assert_ptr_equal(registry_policy_find(policy->name), policy);
	assert_true(i >= 2);
	for (i = 0; (model = registry_model_at(i)); i++)
		assert_ptr_equal(registry_model_find(model->name), model);
	assert_true(i >= 1);
	assert_null(registry_policy_find("nobody"));
	assert_null(registry_policy_find(""));
	assert_null(registry_model_find("hsm-"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(hsm_follows_its_equations,
				       restart_random),
		cmocka_unit_test(hsm_is_silent_about_idlers),
		cmocka_unit_test(hsm_survives_nothing),
		cmocka_unit_test_setup(even_shares_out_all, restart_random),
		cmocka_unit_test(hsm_atd_takes_back_misses),
		cmocka_unit_test(hsm_atd_without_a_directory_is_hsm),
		cmocka_unit_test_setup(mirror_follows_its_equations,
				       restart_random),
		cmocka_unit_test(mirror_without_accesses_is_compute_bound),
		cmocka_unit_test(hsm_fair_moves_sms),
		cmocka_unit_test(hsm_fair_lets_fair_ones_be),
		cmocka_unit_test(hsm_fair_waits_for_moves_under_way),
		cmocka_unit_test(hsm_fair_works_on_the_extremes),
		cmocka_unit_test(hsm_fair_passes_over_the_unknown),
		cmocka_unit_test(hsm_fair_gives_no_more_than_thread_blocks),
		cmocka_unit_test(hsm_fair_leaves_tails_alone),
		cmocka_unit_test_setup(hsm_fair_moves_best, restart_random),
		cmocka_unit_test(metrics_are_as_defined),
		cmocka_unit_test(impossible_proposals_fall_back),
		cmocka_unit_test(possible_proposals_are_done),
		cmocka_unit_test(everything_is_found_by_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}

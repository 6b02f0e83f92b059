// SPDX-License-Identifier: GPL-2.0
/*
 * Models of slowdown: hsm, hsm-waiting and mirror against their equations in floating
 * point, and what hsm-atd takes back of misses.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/models/hsm.h"
#include "../../kmod/session/session.h"
#include "small.h"
#include "snapshots.h"

#define ROUNDS		50000
#define TOLERANCE	0.001
/* Parts per million that figures are rounded to, of up to six terms. */
#define GRANULARITY	6e-6

/* --- hsm --- */

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
	counters->sm_active_cycles = random_up_to(counters->sm_cycles);
	most = counters->sm_cycles * snapshot->schedulers;
	counters->idle_cycles = random_up_to(most);
	counters->stall_empty_cycles = random_up_to(counters->idle_cycles);
	counters->stall_dependence_cycles = random_up_to(counters->idle_cycles);
	counters->noc_request_flits = random_up_to(counters->sm_cycles >>
						   random_up_to(8));
	counters->noc_reply_flits = random_up_to(counters->sm_cycles >>
						 random_up_to(8));
	/* Together no more than a line a cycle. */
	counters->l1_accesses = random_up_to(counters->sm_cycles / 2 >>
					     random_up_to(8));
	counters->l1_stores = random_up_to(counters->sm_cycles / 2 >>
					   random_up_to(8));
	/* Some kernels are short. */
	counters->kernels_finished = random_up_to(6);
	counters->blocks_finished = counters->kernels_finished *
				    (1 + random_up_to(400));
	counters->drain_cycles = random_up_to(snapshot->epoch_cycles >>
					      random_up_to(8));
}

static double requests_of(const struct simgpu_counters *counters)
{
	return (double)counters->dram_fills + (double)counters->dram_writebacks;
}

/* c1 * RBH + c2 */
static double supply_of(const struct simgpu_snapshot *snapshot,
			const struct simgpu_counters *counters)
{
	double requests = requests_of(counters);
	double rbh = requests > 0 ?
		     1 - (double)counters->row_activates / requests : 0;

	return (double)snapshot->model_params[HSM_C1] / 1e6 * fmax(rbh, 0) +
	       (double)snapshot->model_params[HSM_C2] / 1e6;
}

/* What a tenant uses of what the memory can deliver at its row buffer hit rate. */
static double load_of(const struct simgpu_snapshot *snapshot,
		      const struct simgpu_counters *counters)
{
	return (double)counters->bus_busy_clocks /
	       ((double)snapshot->memory_clocks * snapshot->channels) /
	       supply_of(snapshot, counters);
}

/* Of the time that requests wait, the part that they would wait alone. */
static double own_waiting(const struct simgpu_snapshot *snapshot,
			  const struct simgpu_counters *counters)
{
	double own = load_of(snapshot, counters), all = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		all += load_of(snapshot, &snapshot->tenants[slot].counters);
	/* Rounded sums and exact ones differ a little: by a part in a billion. */
	if (all <= own * 1.00001 + 1e-9)
		return 1;
	return all >= 1 ? 0 : own / all * (1 - all) / (1 - own);
}

/* How long a load takes alone over how long it takes here. */
static double alone_latency(const struct simgpu_snapshot *snapshot,
			    const struct simgpu_counters *counters, double misses)
{
	double idle = snapshot->llc_hit_cycles * (1 - misses) +
		      snapshot->dram_cycles * misses;
	double mean = counters->load_requests ?
		      (double)counters->load_cycles /
		      (double)counters->load_requests : 0;

	idle = mean > idle ? idle / mean : 1;
	return idle + (1 - idle) * own_waiting(snapshot, counters);
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* S_k / S, or over the thread blocks, if these are fewer (HSM 2.3.1). */
static double held_part(const struct simgpu_snapshot *snapshot,
			const struct simgpu_snapshot_tenant *tenant)
{
	return fmin(1, (double)tenant->counters.sm_cycles /
		       (double)snapshot->epoch_cycles /
		       fmin(snapshot->sms, tenant->blocks));
}

/* How long the last stores of kernels take alone over how long they take here. */
static double alone_drain(const struct simgpu_snapshot *snapshot,
			  const struct simgpu_counters *counters)
{
	double least = (double)counters->kernels_finished *
		       snapshot->llc_hit_cycles;
	double idle = ratio(least, (double)counters->drain_cycles), busy = 0;
	u32 slot;

	if (least >= (double)counters->drain_cycles)
		return 1;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		busy += load_of(snapshot, &snapshot->tenants[slot].counters);
	return 1 - (1 - idle) * fmin(1, busy) *
		   (1 - own_waiting(snapshot, counters));
}

static double blocks_of(const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_counters *c = &tenant->counters;

	return c->kernels_finished >= 4 ?
	       (double)(c->blocks_finished / c->kernels_finished) :
	       tenant->blocks;
}

/* NP of a kernel that mostly waits; 0 of another one, and without the law for them. */
static double waiting_np(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_snapshot_tenant *tenant,
			 bool memory, double misses)
{
	const struct simgpu_counters *c = &tenant->counters;
	double fit = tenant->queue[0].head.blocks_per_sm;
	double sms = fmax(1, (double)(c->sm_cycles / snapshot->epoch_cycles));
	double blocks = blocks_of(tenant), cycles = (double)snapshot->epoch_cycles;
	double held = (double)c->sm_cycles;
	double used = fmin(held, fmax(blocks * cycles,
				      (double)c->sm_active_cycles));
	double busy, stores, start, own, load, at_once, units;

	if (!snapshot->model_params[HSM_WAITING] ||
	    (c->kernels_finished < 4 &&
	     blocks > snapshot->sms * (memory ? 2 : fit)))
		return 0;
	used *= snapshot->schedulers;
	busy = fmax(0, held * snapshot->schedulers - (double)c->idle_cycles);
	busy = fmin(1, ratio(busy, used));
	stores = fmin(1 - busy, (double)c->drain_cycles / cycles);
	start = ratio((double)c->stall_empty_cycles -
		      (double)c->drain_cycles / cycles * used, used);
	start = c->kernels_finished < 4 ? 0 :
		fmin(1 - busy - stores, fmax(0, start));
	own = fmin(1 - busy - stores - start,
		   ratio((double)c->stall_dependence_cycles, used));
	load = 1 - busy - stores - start - own;
	at_once = ratio(fmin(blocks, sms * fit),
			fmin(blocks, snapshot->sms * fit));
	units = fmax((double)c->noc_reply_flits, (double)c->noc_request_flits);
	units = fmax(units, (double)(c->l1_accesses / snapshot->l1_sectors) +
			    (double)c->l1_stores);
	units = c->kernels_finished ? 0 :
		units / (fmin(snapshot->sms, blocks) * cycles);
	return fmax(units, start + busy * busy * held_part(snapshot, tenant) +
			   at_once * (own + busy * (1 - busy) +
				      load * alone_latency(snapshot, c, misses) +
				      stores * alone_drain(snapshot, c)));
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
	double most = cycles * snapshot->sms * snapshot->issue_lanes;
	double misses = ratio((double)counters->llc_misses,
			      (double)counters->llc_accesses);
	struct reference r;

	r.supply = supply_of(snapshot, counters);
	r.demand = most / (double)counters->thread_instructions *
		   requests_of(counters) *
		   snapshot->peak_clocks_per_line / clocks;
	r.np_memory = fmax((double)counters->bus_busy_clocks / clocks / r.supply,
			   waiting_np(snapshot, tenant, true, misses));
	r.np_compute = waiting_np(snapshot, tenant, false, misses);
	if (r.np_compute <= 0)
		r.np_compute = held_part(snapshot, tenant);
	return r;
}

/* Within a thousandth, or within what parts per million can show. */
static bool close_to(u64 ppm, double expected, double granularity)
{
	double difference = fabs((double)ppm / 1e6 - expected);

	return difference <= fmax(expected * TOLERANCE, granularity);
}

/*
 * hsm has Eq. 2 to 5 alone; hsm-waiting has the law for kernels that mostly wait; and
 * hsm-atd, here without directories, has it if its parameter says so.
 */
static void follows_hsm(const struct simgpu_model *model, bool waits)
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
		snapshot->model_params[HSM_WAITING] = waits;
		tenant = activate(snapshot, round % SIMGPU_SLOTS_MAX, 1);
		snapshot->l1_sectors = random_up_to(1) ? 1 : 4;
		tenant->queue[0].head.blocks_per_sm = 1 + random_up_to(7);
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
			tenant->counters.sm_cycles =
				random_up_to(snapshot->epoch_cycles *
					     (tenant->blocks < snapshot->sms ?
					      tenant->blocks : snapshot->sms));
			tenant->counters.idle_cycles =
				random_up_to(tenant->counters.sm_cycles);
			few++;
		}
		if (!tenant->counters.thread_instructions)
			continue;
		memset(&prediction, 0, sizeof(prediction));
		assert_int_equal(model->predict(snapshot, NULL, fresh_state(), &prediction), 0);
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

static void hsm_follows_its_equations(void **state)
{
	follows_hsm(&model_hsm, false);
}

static void hsm_waiting_adds_its_law(void **state)
{
	follows_hsm(&model_hsm_waiting, true);
}

static void hsm_atd_has_the_law_by_a_knob(void **state)
{
	follows_hsm(&model_hsm_atd, true);
	follows_hsm(&model_hsm_atd, false);
}

/* NP of a short kernel on half of the SMs, which waits for its own results half the time. */
static u64 np_of_short_kernel(const struct simgpu_model *model, u64 waiting)
{
	struct simgpu_prediction prediction = { .tenants[0] = { 0 } };
	struct simgpu_snapshot snapshot;
	struct simgpu_snapshot_tenant *tenant;

	snapshot_init(&snapshot, 80, 500000);
	snapshot.model_params[HSM_WAITING] = waiting;
	snapshot.mirrors = 0;
	tenant = activate(&snapshot, 0, 40);
	tenant->queue[0].head.blocks_per_sm = 8;
	tenant->counters.thread_instructions = 1000;
	tenant->counters.sm_cycles = 500000 * 40;
	tenant->counters.sm_active_cycles = 500000 * 40;
	tenant->counters.idle_cycles = 500000 * 40;
	tenant->counters.stall_dependence_cycles = 500000 * 40;
	tenant->counters.kernels_finished = 8;
	tenant->counters.blocks_finished = 8 * 40;
	assert_int_equal(model->predict(&snapshot, NULL, fresh_state(), &prediction), 0);
	assert_int_equal(prediction.tenants[0].class, SIMGPU_CLASS_COMPUTE);
	return prediction.tenants[0].np_ppm;
}

/*
 * Eq. 4 promises it half of its speed, whatever it waits for. By the law for it half of the
 * time goes as here, and the half in which schedulers issue goes by half of Eq. 4.
 */
static void hsm_knows_nothing_of_waiting(void **state)
{
	assert_int_equal(np_of_short_kernel(&model_hsm, 0), 500000);
	assert_int_equal(np_of_short_kernel(&model_hsm, 1), 500000);
	assert_int_equal(np_of_short_kernel(&model_hsm_waiting, 0), 875000);
	assert_int_equal(np_of_short_kernel(&model_hsm_atd, 0), 500000);
	assert_int_equal(np_of_short_kernel(&model_hsm_atd, 1), 875000);
	assert_int_equal(np_of_short_kernel(&model_mirror, 0), 500000);
	assert_int_equal(np_of_short_kernel(&model_mirror, 1), 875000);
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
	double ports = fmax((double)c->noc_reply_flits,
			    (double)c->noc_request_flits) /
		       snapshot->llc_slices / (double)snapshot->epoch_cycles;
	double held = held_part(snapshot, tenant), waiting, sms;

	waiting = waiting_np(snapshot, tenant, hsm_is_memory_bound(snapshot, c,
								   SIMGPU_PPM),
			     misses);
	if (waiting > 0)
		return fmax(channels, fmax(ports, waiting));
	idle = fmin(1, idle);
	sms = held * sqrt(pow(1 - idle, 2) + (1 - pow(1 - idle, 2)) *
					     pow(fmin(1, least / mean), 2));
	return pow(pow(channels, 4) + pow(ports, 4) + pow(sms, 4), 0.25);
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
		snapshot->model_params[HSM_WAITING] = round & 1;
		tenant = activate(snapshot, 0, 40);
		tenant->queue[0].head.blocks_per_sm = 1 + random_up_to(8);
		if (round % 3 == 0)
			tenant->blocks = 1 + random_up_to(200);
		c = &tenant->counters;
		random_counters(snapshot, c);
		/* So near saturation rounding decides how long a queue is. */
		if (load_of(snapshot, c) > 0.9)
			continue;
		c->sm_cycles = 500000 * (1 + random_up_to(tenant->blocks < 80 ?
							  tenant->blocks - 1 : 79));
		c->idle_cycles = random_up_to(2 * c->sm_cycles);
		c->stall_empty_cycles = random_up_to(c->idle_cycles);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(hsm_follows_its_equations,
				       restart_random),
		cmocka_unit_test_setup(hsm_waiting_adds_its_law,
				       restart_random),
		cmocka_unit_test_setup(hsm_atd_has_the_law_by_a_knob,
				       restart_random),
		cmocka_unit_test(hsm_knows_nothing_of_waiting),
		cmocka_unit_test(hsm_is_silent_about_idlers),
		cmocka_unit_test(hsm_survives_nothing),
		cmocka_unit_test(hsm_atd_takes_back_misses),
		cmocka_unit_test(hsm_atd_without_a_directory_is_hsm),
		cmocka_unit_test_setup(mirror_follows_its_equations,
				       restart_random),
		cmocka_unit_test(mirror_without_accesses_is_compute_bound),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("models", tests, NULL, NULL);
}

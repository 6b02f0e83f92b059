// SPDX-License-Identifier: GPL-2.0
/*
 * Themis' proactive prediction (Eq. 9 and 10) and allocation engine (Algorithm 1, Eq. 11)
 * beside plain implementations in floating point, and what its rivals make of
 * interference: DASE's terms one by one, ASM's spans, Bubble-Flux' stages.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/psp.h"
#include "small.h"
#include "snapshots.h"
#include "traces.h"

#define EPOCH	500000ULL

/* A tenant that held its SMs all the time, with both factors of its slowdown. */
static struct simgpu_snapshot_tenant *
factored(struct simgpu_snapshot *snapshot, u32 slot, u32 sms, double scal,
	 double inter)
{
	struct simgpu_snapshot_tenant *tenant =
		predicted(snapshot, slot, sms, (u64)(1e6 / scal / inter));

	tenant->sd_scal_ppm = (u64)(scal * 1e6);
	tenant->sd_inter_ppm = (u64)(inter * 1e6);
	tenant->counters.thread_instructions = 1;
	return tenant;
}

/* --- Eq. 9 and 10 ------------------------------------------------------------------ */

/* With all SMs N, as the paper has them. */
static double equation_10(double n, double progress, double all, double m)
{
	if (m < n)
		return progress * (m - n) / n + progress;
	return (1 - progress) * (m - n) / (all - n) + progress;
}

static void two_segments_are_equation_10(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	u32 n, m, all = 12;

	for (n = 1; n < all; n++) {
		double scal = 1 + (all - n) * 0.37, inter = 1.5;
		struct psp_curve curve = { .count = 0 };

		snapshot_init(snapshot, all, EPOCH);
		assert_true(psp_learn(&curve, snapshot,
				      factored(snapshot, 0, n, scal, inter)));
		for (m = 1; m <= all; m++) {
			double progress = m == n ? 1 / scal :
					  equation_10(n, 1 / scal, all, m);
			double slowdown = inter / progress;

			assert_true(fabs((double)psp_progress_ppm(&curve, all, m) /
					 1e6 - progress) < 5e-6);
			assert_true(fabs((double)psp_slowdown_ppm(&curve, all, m) /
					 1e6 - slowdown) < 1e-4 * slowdown);
		}
	}
	free(snapshot);
}

static void learn_at(struct simgpu_snapshot *snapshot, struct psp_curve *curve,
		     u32 kernel, u32 sms, double progress)
{
	struct simgpu_snapshot_tenant *tenant;

	snapshot_init(snapshot, 60, EPOCH);
	tenant = factored(snapshot, 0, sms, 1 / progress, 1);
	tenant->queue[0].head.kernel = kernel;
	assert_true(psp_learn(curve, snapshot, tenant));
}

static void segments_are_added_and_forgotten(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct psp_curve curve = { .count = 0 };
	u32 sms;

	learn_at(snapshot, &curve, 0, 30, 0.6);
	learn_at(snapshot, &curve, 0, 20, 0.5);
	assert_int_equal(curve.count, 2);
	assert_in_range(psp_progress_ppm(&curve, 60, 25), 549990, 550010);
	assert_in_range(psp_progress_ppm(&curve, 60, 10), 249990, 250010);
	assert_in_range(psp_progress_ppm(&curve, 60, 45), 799990, 800010);
	/* The newest point counts; an older one that it contradicts goes. */
	learn_at(snapshot, &curve, 0, 25, 0.7);
	assert_int_equal(curve.count, 2);
	assert_in_range(psp_progress_ppm(&curve, 60, 25), 699990, 700010);
	for (sms = 1; sms <= 60; sms++)
		assert_true(psp_progress_ppm(&curve, 60, sms) >=
			    psp_progress_ppm(&curve, 60, sms - 1));
	/* Another kernel: nothing of it remains. */
	learn_at(snapshot, &curve, 1, 40, 0.9);
	assert_int_equal(curve.count, 1);
	assert_in_range(psp_progress_ppm(&curve, 60, 20), 449990, 450010);
	free(snapshot);
}

/* Whatever is learned, more SMs are never worse, and as many points as fit stay. */
static void curves_never_fall(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct psp_curve curve = { .count = 0 };
	u32 round, sms;

	for (round = 0; round < 3000; round++) {
		learn_at(snapshot, &curve, 0, 1 + random_up_to(59),
			 0.01 + 0.99 * random_up_to(1000) / 1000);
		assert_in_range(curve.count, 1, PSP_POINTS_MAX);
		for (sms = 1; sms <= 60; sms++)
			assert_true(psp_progress_ppm(&curve, 60, sms) >=
				    psp_progress_ppm(&curve, 60, sms - 1));
		assert_int_equal(psp_progress_ppm(&curve, 60, 60), SIMGPU_PPM);
	}
	free(snapshot);
}

/* --- Algorithm 1 ------------------------------------------------------------------- */

/**
 * struct plain - the same search in floating point, as the paper writes it
 */
struct plain {
	u32 all;
	u32 count;
	int before[4];
	int sms[4];
	double held[4];
	double scal[4];
	double inter[4];
	double weight[4];
};

static double plain_slowdown(const struct plain *plain, u32 i, int m)
{
	double progress = 1 / plain->scal[i];

	if (m != plain->before[i])
		progress = equation_10(plain->before[i], progress, plain->all, m);
	return plain->inter[i] / progress;
}

static double plain_unfairness(const struct plain *plain, const int *sms)
{
	double least = INFINITY, most = 0;
	u32 i;

	for (i = 0; i < plain->count; i++) {
		double value = plain_slowdown(plain, i, sms[i]) *
			       plain->weight[i];

		least = fmin(least, value);
		most = fmax(most, value);
	}
	return (most - least) / most;
}

static int plain_distance(const struct plain *plain, const int *sms)
{
	int most = 0;
	u32 i;

	for (i = 0; i < plain->count; i++)
		most = abs(sms[i] - plain->before[i]) > most ?
		       abs(sms[i] - plain->before[i]) : most;
	return most;
}

static void plain_search(struct plain *plain, int max_distance, double threshold)
{
	int trial[4];
	bool better = true;
	u32 i, j;

	memcpy(plain->sms, plain->before, sizeof(plain->sms));
	while (better && plain_distance(plain, plain->sms) < max_distance &&
	       plain_unfairness(plain, plain->sms) >= threshold) {
		better = false;
		for (i = 0; i < plain->count; i++)
			for (j = 0; j < plain->count; j++) {
				memcpy(trial, plain->sms, sizeof(trial));
				trial[i]--;
				trial[j]++;
				if (i == j || trial[i] < 1 ||
				    plain_distance(plain, trial) > max_distance ||
				    plain_unfairness(plain, trial) >=
				    plain_unfairness(plain, plain->sms) - 1e-6)
					continue;
				memcpy(plain->sms, trial, sizeof(trial));
				better = true;
			}
	}
}

/* The least unfairness of all splits of all SMs within the distance. */
static double best_split(const struct plain *plain, u32 tenant, int left,
			 int max_distance, int *sms)
{
	double best = INFINITY;
	int m;

	if (tenant + 1 == plain->count) {
		sms[tenant] = left;
		return left < 1 || plain_distance(plain, sms) > max_distance ?
		       INFINITY : plain_unfairness(plain, sms);
	}
	for (m = 1; m < left; m++) {
		int rest[4];

		memcpy(rest, sms, sizeof(rest));
		rest[tenant] = m;
		best = fmin(best, best_split(plain, tenant + 1, left - m,
					     max_distance, rest));
	}
	return best;
}

static void random_plain(struct plain *plain)
{
	int left;
	u32 i;

	memset(plain, 0, sizeof(*plain));
	plain->count = 2 + random_up_to(2);
	plain->all = plain->count + random_up_to(12 - plain->count);
	left = (int)(plain->all - plain->count);
	for (i = 0; i < plain->count; i++) {
		int more = i + 1 == plain->count ? left : (int)random_up_to(left);

		plain->before[i] = plain->sms[i] = 1 + more;
		left -= more;
		plain->scal[i] = 1 + 0.001 * random_up_to(4000);
		plain->inter[i] = 1 + 0.001 * random_up_to(2000);
		plain->weight[i] = 1 + random_up_to(3);
	}
}

static void decide(const struct simgpu_policy *policy, const struct plain *plain,
		   u32 max_distance, struct simgpu_proposal *proposal)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	void *memory = calloc(1, policy->state_bytes);
	u32 i;

	snapshot_init(snapshot, plain->all, EPOCH);
	set_params(snapshot, policy);
	set_param(snapshot, policy, "max_distance", max_distance);
	memset(proposal, 0, sizeof(*proposal));
	for (i = 0; i < plain->count; i++) {
		factored(snapshot, i, plain->before[i], plain->scal[i],
			 plain->inter[i])->weight = (u32)plain->weight[i];
		proposal->sms[i] = plain->before[i];
	}
	assert_int_equal(policy->decide(snapshot, memory, proposal), 0);
	free(memory);
	free(snapshot);
}

static void fair_search_is_algorithm_1(void **state)
{
	struct simgpu_proposal proposal;
	struct plain plain;
	u32 round, i, moved = 0, same = 0;

	for (round = 0; round < 4000; round++) {
		u32 max_distance = 1 + random_up_to(11);
		double after;
		int sms[4] = { 0 };
		u32 sum = 0;

		random_plain(&plain);
		decide(&policy_themis_fair, &plain, max_distance, &proposal);
		plain_search(&plain, (int)max_distance, 0.1);
		for (i = 0; i < plain.count; i++) {
			sms[i] = (int)proposal.sms[i];
			sum += proposal.sms[i];
			assert_true(sms[i] >= 1);
		}
		assert_int_equal(sum, plain.all);
		assert_true(plain_distance(&plain, sms) <= (int)max_distance);
		after = plain_unfairness(&plain, sms);
		/* Never worse than before, never better than the best of all. */
		assert_true(after <= plain_unfairness(&plain, plain.before) + 1e-5);
		assert_true(after >= best_split(&plain, 0, (int)plain.all,
						(int)max_distance,
						(int[4]){ 0 }) - 1e-5);
		same += fabs(after - plain_unfairness(&plain, plain.sms)) < 1e-4;
		moved += memcmp(sms, plain.before, sizeof(sms)) != 0;
	}
	/* Rounding may choose another way where two are worth the same. */
	assert_true(same > 3960 && moved > 2000);
}

/* Of two tenants the search finds the best of all splits, or one that is good enough. */
static void two_tenants_get_the_best_split(void **state)
{
	struct simgpu_proposal proposal;
	struct plain plain;
	u32 round;

	for (round = 0; round < 2000; round++) {
		int sms[4] = { 0 };
		double after;

		do
			random_plain(&plain);
		while (plain.count != 2);
		decide(&policy_themis_fair, &plain, 12, &proposal);
		sms[0] = (int)proposal.sms[0];
		sms[1] = (int)proposal.sms[1];
		after = plain_unfairness(&plain, sms);
		assert_true(after < 0.1 + 1e-5 ||
			    after <= best_split(&plain, 0, (int)plain.all, 12,
						(int[4]){ 0 }) + 1e-5);
	}
}

/* One that misses its target gets SMs; what is left over goes to the others. */
static void qos_meets_targets_first(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	void *memory = calloc(1, policy_themis_qos.state_bytes);
	struct simgpu_proposal proposal = { .sms = { 30, 30 } };
	struct simgpu_snapshot_tenant *tenant;

	snapshot_init(snapshot, 60, EPOCH);
	set_params(snapshot, &policy_themis_qos);
	tenant = factored(snapshot, 0, 30, 2, 1.1);
	tenant->service = SIMGPU_QOS;
	tenant->target_ppm = 499000;
	factored(snapshot, 1, 30, 1.5, 1);
	policy_themis_qos.decide(snapshot, memory, &proposal);
	/* Progress is SMs / 60 / 1.1: 33 SMs reach 0.499. */
	assert_int_equal(proposal.sms[0], 33);
	assert_int_equal(proposal.sms[1], 27);
	/* From 35 SMs all but what 0.499 needs goes back. */
	memset(memory, 0, policy_themis_qos.state_bytes);
	snapshot_init(snapshot, 60, EPOCH);
	set_params(snapshot, &policy_themis_qos);
	tenant = factored(snapshot, 0, 35, 60 / 35.0, 1.1);
	tenant->service = SIMGPU_QOS;
	tenant->target_ppm = 499000;
	factored(snapshot, 1, 25, 60 / 25.0, 1);
	proposal.sms[0] = 35;
	proposal.sms[1] = 25;
	policy_themis_qos.decide(snapshot, memory, &proposal);
	assert_int_equal(proposal.sms[0], 33);
	assert_int_equal(proposal.sms[1], 27);
	free(memory);
	free(snapshot);
}

/* --- DASE --------------------------------------------------------------------------- */

/* Two tenants with half of 80 SMs each, whose SMs wait half of the time. */
static struct simgpu_counters *begin_dase(struct simgpu_snapshot *snapshot)
{
	struct simgpu_counters *counters;
	u32 slot;

	snapshot_init(snapshot, 80, EPOCH);
	snapshot->dram.trp = snapshot->dram.trcd = 10;
	for (slot = 0; slot < SIMGPU_PARAMS_MAX; slot++)
		snapshot->model_params[slot] = SIMGPU_PPM;
	for (slot = 0; slot < 2; slot++) {
		counters = &activate(snapshot, slot, 40)->counters;
		counters->thread_instructions = 1000000;
		counters->sm_cycles = 40 * EPOCH;
		counters->stall_memory_cycles = 40 * EPOCH;
		counters->bank_busy_clocks = 4000;
		counters->bank_active_clocks = 1000;
	}
	return &snapshot->tenants[0].counters;
}

static u64 dase_inter(const struct simgpu_snapshot *snapshot, u32 slot)
{
	struct simgpu_prediction said = { .probe = 0 };

	assert_int_equal(model_dase.predict(snapshot, NULL, NULL, &said), 0);
	assert_in_range(said.tenants[slot].sd_scal_ppm, 1999990, 2000010);
	return said.tenants[slot].sd_inter_ppm;
}

/* SD_inter of a tenant that lost a tenth of the time and waited half of it. */
#define TENTH_LOST	((u64)(1e6 / (1 - 0.5 * 0.1)))

static void each_term_of_dase_counts(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_counters *counters = begin_dase(snapshot);
	/* Of four banks side by side in each channel: a tenth of all clocks. */
	const u64 tenth = snapshot->memory_clocks * snapshot->channels * 4 / 10;

	assert_int_equal(dase_inter(snapshot, 0), SIMGPU_PPM);
	counters->bank_interference_clocks = tenth;
	assert_in_range(dase_inter(snapshot, 0), TENTH_LOST - 20,
			TENTH_LOST + 20);
	assert_int_equal(dase_inter(snapshot, 1), SIMGPU_PPM);
	counters = begin_dase(snapshot);
	counters->bus_wait_clocks = tenth;
	assert_in_range(dase_inter(snapshot, 0), TENTH_LOST - 20,
			TENTH_LOST + 20);
	counters = begin_dase(snapshot);
	counters->row_interference = tenth / 20;
	assert_in_range(dase_inter(snapshot, 0), TENTH_LOST - 20,
			TENTH_LOST + 20);
	counters = begin_dase(snapshot);
	counters->llc_accesses = counters->atd_accesses = 1000000000;
	counters->atd_hits = 900000000;
	counters->llc_misses = 100000000;
	assert_int_equal(dase_inter(snapshot, 0), SIMGPU_PPM);
	/* A miss takes 171 cycles longer: 53.7 memory clocks. */
	counters->llc_misses += (u64)(tenth / (171 * 440 / 1400.0));
	assert_in_range(dase_inter(snapshot, 0), TENTH_LOST - 100,
			TENTH_LOST + 100);
	free(snapshot);
}

static void dase_knows_exhausted_memory(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_counters *counters = begin_dase(snapshot);
	u64 clocks = snapshot->memory_clocks * snapshot->channels;
	struct simgpu_prediction said = { .probe = 0 };

	snapshot->model_params[0] = 600000;
	snapshot->model_params[1] = 400000;
	counters->bus_busy_clocks = clocks / 5;
	snapshot->tenants[1].counters.bus_busy_clocks = clocks * 3 / 5;
	model_dase.predict(snapshot, NULL, NULL, &said);
	/* Four fifths move, and one of these is its own. */
	assert_in_range(said.tenants[0].np_ppm, 249990, 250010);
	assert_in_range(said.tenants[1].np_ppm, 749990, 750010);
	assert_int_equal(said.tenants[0].class, SIMGPU_CLASS_MEMORY);
	model_dase_capped.predict(snapshot, NULL, NULL, &said);
	assert_in_range(said.tenants[0].np_ppm, 499990, 500010);
	assert_in_range(said.tenants[1].np_ppm, 749990, 750010);
	free(snapshot);
}

/* --- stages and spans --------------------------------------------------------------- */

/**
 * struct stages - who owned SMs, and when
 */
struct stages {
	struct session *session;
	u64 cycle[64];
	u32 sms[64][2];
	u32 count;
};

static void note_owners(void *context)
{
	struct stages *stages = context;
	struct gpu_sm_status status;
	u32 sm;

	if (stages->count == 64)
		return;
	stages->cycle[stages->count] = session_now(stages->session);
	for (sm = 0; sm < 8; sm++) {
		gpu_sm_status(session_gpu(stages->session), sm, &status);
		if (status.owner < 2)
			stages->sms[stages->count][status.owner]++;
	}
	stages->count++;
}

static void run_pair(const struct simgpu_model *model, struct stages *stages,
		     u64 cycles, u64 step)
{
	struct session_options options = {
		.config = small_config(), .seed = 1, .epoch_cycles = EPOCH,
		.stop_cycle = cycles, .relaunch = true, .gang_size = 2,
		.preemption = SESSION_PREEMPTION_SWITCH,
		.model = model, .policy = &policy_bubble_flux,
	};
	struct session_tenant_options tenant = { .name = "t", .weight = 1 };
	struct session_hooks hooks = { .context = NULL };
	struct trace *trace = trace_compute(100000, 4, 20);
	u64 sequence;
	u32 slot;

	session_default_params(&options);
	memset(stages, 0, sizeof(*stages));
	assert_int_equal(session_create(&stages->session, &options, &hooks), 0);
	for (slot = 0; slot < 2; slot++)
		assert_int_equal(session_join(stages->session, slot, &tenant),
				 slot);
	for (slot = 0; slot < 2; slot++)
		assert_int_equal(session_launch(stages->session, slot, trace, 1,
						0, &sequence), 0);
	while (session_run(stages->session, step) == SESSION_RUNNING)
		note_owners(stages);
	session_destroy(stages->session);
	trace_free(trace);
}

/*
 * Asked first at 500,000 cycles: shared to 800,000, slot 0 alone to 1,100,000, although an
 * epoch ends meanwhile, shared to 1,400,000, slot 1 alone to 1,700,000.
 */
static void bubble_flux_has_stages(void **state)
{
	struct stages *stages = malloc(sizeof(*stages));
	u32 i, alone[2] = { 0, 0 };

	run_pair(&model_bubble_flux, stages, 2000000, 50000);
	assert_true(stages->count > 30);
	for (i = 0; i < stages->count; i++) {
		u64 at = stages->cycle[i];
		bool first = at > 800000 && at < 1100000;
		bool second = at > 1400000 && at < 1700000;

		/* As a stage begins SMs are on their way. */
		if (at % 100000 == 0 && (at == 800000 || at == 1100000 ||
					 at == 1400000 || at == 1700000))
			continue;
		assert_int_equal(stages->sms[i][0],
				 first ? 8 : second ? 0 : 4);
		assert_int_equal(stages->sms[i][1],
				 second ? 8 : first ? 0 : 4);
		alone[0] += first;
		alone[1] += second;
	}
	assert_true(alone[0] >= 4 && alone[1] >= 4);
	free(stages);
}

/* ASM by calls: spans in turn, and what was counted in them against the epoch. */
static void asm_compares_rates(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	void *memory = calloc(1, model_asm.state_bytes);
	struct simgpu_prediction *said = calloc(1, sizeof(*said));
	u64 cycle;
	u32 slot;

	snapshot_init(snapshot, 80, 0);
	activate(snapshot, 0, 40);
	activate(snapshot, 5, 40);
	snapshot->epoch = 0;
	/* The first call gives slot 5 the first span, as 0 comes after the last. */
	snapshot->events = SIMGPU_ON_EPOCH;
	snapshot->cycle = snapshot->epoch_cycles = EPOCH;
	model_asm.predict(snapshot, NULL, memory, said);
	assert_int_equal(said->probe, SIMGPU_PROBE_PRIORITY);
	assert_int_equal(said->wake_cycle, EPOCH + 10000);
	snapshot->epoch = 1;
	for (cycle = 10000; cycle <= 40000; cycle += 10000) {
		u32 owner = said->probe_slot;

		/* Three accesses a cycle with priority, one without. */
		for (slot = 0; slot < 6; slot += 5)
			snapshot->tenants[slot].counters.llc_accesses +=
				slot == owner ? 30000 : 10000;
		for (slot = 0; slot < 6; slot += 5)
			snapshot->tenants[slot].counters.sm_cycles +=
				40 * 10000;
		snapshot->events = cycle == 40000 ? SIMGPU_ON_EPOCH :
						    SIMGPU_ON_WAKE;
		snapshot->epoch_cycles = cycle;
		snapshot->cycle = EPOCH + cycle;
		memset(said, 0, sizeof(*said));
		model_asm.predict(snapshot, NULL, memory, said);
		assert_int_equal(said->probe_slot, owner ? 0 : 5);
	}
	/* 3 alone over (3 + 1) / 2 in all. */
	for (slot = 0; slot < 6; slot += 5) {
		assert_in_range(said->tenants[slot].np_ppm, 666660, 666670);
		assert_int_equal(said->tenants[slot].sd_scal_ppm, SIMGPU_PPM);
	}
	free(said);
	free(memory);
	free(snapshot);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_segments_are_equation_10),
		cmocka_unit_test(segments_are_added_and_forgotten),
		cmocka_unit_test_setup(curves_never_fall, restart_random),
		cmocka_unit_test_setup(fair_search_is_algorithm_1,
				       restart_random),
		cmocka_unit_test_setup(two_tenants_get_the_best_split,
				       restart_random),
		cmocka_unit_test(qos_meets_targets_first),
		cmocka_unit_test(each_term_of_dase_counts),
		cmocka_unit_test(dase_knows_exhausted_memory),
		cmocka_unit_test(bubble_flux_has_stages),
		cmocka_unit_test(asm_compares_rates),
	};

	return cmocka_run_group_tests_name("allocation", tests, NULL, NULL);
}

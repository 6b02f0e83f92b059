// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of spatial-temporal multitasking: the order of the buckets, the dynamic
 * round robin block by block, Equations 1 to 4 in floating point, and Algorithm 1
 * against its own recurrence, written down without a shortcut.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/plan.h"
#include "snapshots.h"

static struct plan_work work;

/* Kernels whose profiles can be written to. */
struct kernels {
	struct plan_kernel kernel[PLAN_KERNELS_MAX];
	struct simgpu_snapshot_profile profile[PLAN_KERNELS_MAX];
	struct plan_set set;
};

static struct kernels *kernels_new(u32 count, u32 sms)
{
	struct kernels *kernels = calloc(1, sizeof(*kernels));
	u32 i;

	assert_non_null(kernels);
	for (i = 0; i < count; i++)
		kernels->kernel[i].profile = i;
	kernels->set.kernels = kernels->kernel;
	kernels->set.profiles = kernels->profile;
	kernels->set.count = count;
	kernels->set.sms = sms;
	return kernels;
}

/* On @m SMs a block takes @latency cycles, up to @knee SMs; there it saturates. */
static void profile(struct kernels *kernels, u32 index, u32 blocks, u32 latency,
		    u32 knee, u32 bandwidth_ppm)
{
	u32 m;

	kernels->kernel[index].blocks = blocks;
	for (m = 1; m <= kernels->set.sms; m++) {
		u32 used = m < knee ? m : knee;

		kernels->profile[index].point[m - 1].cycles =
			(u32)((u64)blocks * latency / used);
		kernels->profile[index].point[m - 1].bandwidth_ppm =
			(u32)((u64)bandwidth_ppm * used / knee);
	}
}

static void random_profile(struct kernels *kernels, u32 index, u32 most_blocks)
{
	u32 sms = kernels->set.sms;

	profile(kernels, index, 1 + (u32)random_up_to(most_blocks - 1),
		100 + (u32)random_up_to(5000), 1 + (u32)random_up_to(sms - 1),
		(u32)random_up_to(SIMGPU_PPM));
	kernels->kernel[index].memory_bytes = random_up_to(1000);
}

/* --- the order of blocks ------------------------------------------------------------ */

/* STM, Figure 5: A has one SM and four blocks, B has two and six. */
static void buckets_map_kernels_and_blocks_as_figure_5_prints(void **state)
{
	static const u8 map_kernel[] = { 1, 0, 1, 1, 0, 1, 1, 0, 1, 0 };
	static const u8 map_block[] = { 0, 0, 1, 2, 1, 3, 4, 2, 5, 3 };
	struct kernels *kernels = kernels_new(2, 3);
	struct plan_choice choice = { .count = 2, .kernel = { 0, 1 },
				      .sms = { 1, 2 } };
	u8 order[16], placed[2] = { 0 };
	u32 i;

	profile(kernels, 0, 4, 100, 3, 0);
	profile(kernels, 1, 6, 100, 3, 0);
	assert_int_equal(plan_interleave(&kernels->set, &choice, &work, order, 16),
			 10);
	assert_memory_equal(order, map_kernel, sizeof(map_kernel));
	for (i = 0; i < 10; i++)
		assert_int_equal(placed[order[i]]++, map_block[i]);
	assert_int_equal(plan_interleave(&kernels->set, &choice, &work, order, 3), 3);
	free(kernels);
}

/* --- dynamic round robin -------------------------------------------------------------- */

static struct plan_estimate estimate_pair(struct kernels *kernels, u32 a, u32 b)
{
	struct plan_choice choice = { .count = 2, .kernel = { 0, 1 },
				      .sms = { (u8)a, (u8)b } };
	struct plan_estimate estimate;

	plan_estimate(&kernels->set, &choice, &work, &estimate);
	return estimate;
}

/*
 * Figure 4, four SMs (its latencies are in the drawing only): equal blocks make
 * whole waves; where B's take three times as long, the SMs that A leaves first
 * take what is next: AAAB AAA BAA BB end at 600, where 500 would be without gaps.
 */
static void round_robin_follows_figure_4(void **state)
{
	struct kernels *kernels = kernels_new(2, 4);

	profile(kernels, 0, 8, 100, 4, 0);
	profile(kernels, 1, 8, 100, 4, 0);
	assert_int_equal(estimate_pair(kernels, 2, 2).round_robin, 400);
	profile(kernels, 1, 4, 300, 4, 0);
	assert_int_equal(estimate_pair(kernels, 2, 2).round_robin, 600);
	free(kernels);
}

/* All blocks, one by one, on SMs that are looked through for the first free one. */
static double whole_round_robin(const struct plan_set *set,
				const struct plan_choice *choice, double *longest)
{
	double free_at[SIMGPU_SMS_MAX] = { 0 }, last = 0;
	u32 left[PLAN_KERNELS_MAX], sms = 0, i;
	u64 next[PLAN_KERNELS_MAX];

	*longest = 0;
	for (i = 0; i < choice->count; i++) {
		left[i] = set->kernels[choice->kernel[i]].blocks;
		next[i] = plan_interval(set, choice->kernel[i], choice->sms[i]);
		sms += choice->sms[i];
	}
	for (;;) {
		u32 first = choice->count, sm = 0;
		double latency;

		for (i = 0; i < choice->count; i++)
			if (left[i] && (first == choice->count ||
					next[i] < next[first]))
				first = i;
		if (first == choice->count)
			return last;
		i = choice->kernel[first];
		latency = (double)set->profiles[i].point[choice->sms[first] - 1].cycles *
			  choice->sms[first] / set->kernels[i].blocks;
		if (latency > *longest)
			*longest = latency;
		left[first]--;
		next[first] += plan_interval(set, (u32)i, choice->sms[first]);
		for (i = 1; i < sms; i++)
			if (free_at[i] < free_at[sm])
				sm = i;
		free_at[sm] += latency;
		if (free_at[sm] > last)
			last = free_at[sm];
	}
}

/* What is skipped moves the end by less than the longest block. */
static void estimates_are_those_of_equations_2_to_4(void **state)
{
	u32 round, i, m;

	for (round = 0; round < 100; round++) {
		u32 count = 2 + (u32)random_up_to(4);
		u32 sms = count + (u32)random_up_to(40);
		struct kernels *kernels = kernels_new(count, sms);
		struct plan_choice choice = { .count = count };
		struct plan_estimate estimate;
		double sum = 0, memory = 0, sequential = 0, whole, longest, penalty;

		for (i = 0, m = sms; i < count; i++) {
			u32 left = count - i - 1;

			random_profile(kernels, i, 3000);
			choice.kernel[i] = (u8)i;
			choice.sms[i] = (u8)(1 + random_up_to(m - left - 1));
			m -= choice.sms[i];
		}
		m = sms - m;
		for (i = 0; i < count; i++) {
			sum += kernels->profile[i].point[choice.sms[i] - 1].bandwidth_ppm;
			memory += (double)kernels->kernel[i].memory_bytes;
			sequential += kernels->profile[i].point[m - 1].cycles;
		}
		kernels->set.memory_bytes = 400 * count;
		plan_estimate(&kernels->set, &choice, &work, &estimate);
		whole = whole_round_robin(&kernels->set, &choice, &longest);
		penalty = sum > SIMGPU_PPM ? sum / SIMGPU_PPM : 1;
		assert_int_equal(estimate.sequential, (u64)sequential);
		assert_true((double)estimate.round_robin > whole - longest - 2);
		assert_true((double)estimate.round_robin < whole + longest + 2);
		assert_int_equal(estimate.penalty_ppm, (u64)(penalty * SIMGPU_PPM + 0.5));
		if (memory > 400 * count)
			assert_true(estimate.cycles == PLAN_NEVER);
		else
			assert_true(estimate.cycles ==
				    fixed_mul_div(estimate.round_robin,
						  estimate.penalty_ppm, SIMGPU_PPM));
		free(kernels);
	}
}

/*
 * Two kernels that each take 80,000 cycles on 4 of 8 SMs and ask for 0.6 and 0.8 of the
 * bandwidth there: together 1.4 of it.
 */
static void penalties_are_of_three_kinds(void **state)
{
	struct kernels *kernels = kernels_new(2, 8);
	struct plan_choice choice = { .count = 2, .kernel = { 0, 1 }, .sms = { 4, 4 } };
	struct plan_estimate estimate;

	profile(kernels, 0, 3200, 100, 4, 600000);
	profile(kernels, 1, 3200, 100, 4, 800000);
	plan_estimate(&kernels->set, &choice, &work, &estimate);
	assert_in_range(estimate.round_robin, 80000, 80100);
	assert_int_equal(estimate.cycles, estimate.round_robin * 14 / 10);
	kernels->set.peak_ppm = 700000;
	plan_estimate(&kernels->set, &choice, &work, &estimate);
	assert_int_equal(estimate.cycles, estimate.round_robin * 2);
	/* Half of it is enough for the memory, and none costs nothing. */
	kernels->set.penalty = PLAN_PENALTY_MEMORY;
	plan_estimate(&kernels->set, &choice, &work, &estimate);
	assert_int_equal(estimate.cycles, 80000 * 2);
	kernels->kernel[1].done = 1600;
	plan_estimate(&kernels->set, &choice, &work, &estimate);
	assert_int_equal(estimate.cycles, 114285);
	kernels->set.penalty = PLAN_PENALTY_NONE;
	kernels->kernel[1].done = 0;
	plan_estimate(&kernels->set, &choice, &work, &estimate);
	assert_int_equal(estimate.cycles, estimate.round_robin);
	free(kernels);
}

/* Of a kernel half of which has run, half is planned. */
static void what_has_run_is_not_planned(void **state)
{
	struct kernels *kernels = kernels_new(2, 8);
	struct plan plan;

	profile(kernels, 0, 800, 100, 8, 10000);
	profile(kernels, 1, 800, 100, 8, 1000000);
	kernels->kernel[1].done = 400;
	plan_make(&kernels->set, &work, &plan);
	assert_int_equal(plan.sequential, 10000 + 5000);
	assert_true(plan.total <= plan.sequential);
	free(kernels);
}

/* --- Algorithm 1 ------------------------------------------------------------------------- */

/* imp() of Equation 1, below 0 included. */
static double gain_of(const struct plan_set *set, const struct plan_choice *choice)
{
	struct plan_estimate estimate;

	if (choice->count < 2)
		return 0;
	plan_estimate(set, choice, &work, &estimate);
	if (estimate.cycles == PLAN_NEVER)
		return -1;
	return (double)estimate.sequential - (double)estimate.cycles;
}

/* Lines 9 to 26 as they stand there. */
static struct plan_choice select_plainly(const struct plan_set *set, u64 left)
{
	static struct plan_choice config[PLAN_KERNELS_MAX + 1][SIMGPU_SMS_MAX + 1];
	u32 n = 0, i, j, m;

	memset(config, 0, sizeof(config));
	for (i = 0; i < set->count; i++) {
		if (!(left >> i & 1))
			continue;
		n++;
		for (j = 1; j <= set->sms; j++) {
			double best = 0;

			if (n == 1) {
				config[1][j] = (struct plan_choice) {
					.count = 1, .kernel = { (u8)i },
					.sms = { (u8)j },
				};
				continue;
			}
			config[n][j] = config[n - 1][j];
			for (m = 0; m <= j; m++) {
				struct plan_choice next = config[n - 1][j - m];
				double gain;

				if (m) {
					next.kernel[next.count] = (u8)i;
					next.sms[next.count++] = (u8)m;
				}
				gain = gain_of(set, &next);
				if (gain <= best)
					continue;
				best = gain;
				config[n][j] = next;
			}
		}
	}
	return config[n][set->sms];
}

static void phases_are_those_of_algorithm_1(void **state)
{
	u32 round, i;

	for (round = 0; round < 30; round++) {
		u32 count = 1 + (u32)random_up_to(6), sms = 2 + (u32)random_up_to(10);
		struct kernels *kernels = kernels_new(count, sms);
		u64 left = (1ULL << count) - 1, total = 0, sequential = 0;
		struct plan_choice said;
		struct plan plan;
		u32 phase;

		for (i = 0; i < count; i++) {
			random_profile(kernels, i, 200);
			sequential += kernels->profile[i].point[sms - 1].cycles;
		}
		kernels->set.memory_bytes = 1500;
		plan_make(&kernels->set, &work, &plan);
		for (phase = 0; left; phase++) {
			struct plan_choice choice =
				select_plainly(&kernels->set, left);

			plan_choice_of(&kernels->set, &plan, phase, &said);
			assert_int_equal(said.count, choice.count);
			for (i = 0; i < said.count; i++) {
				assert_int_equal(plan.phase[said.kernel[i]], phase);
				assert_int_equal(said.sms[i],
						 plan.sms[said.kernel[i]]);
				assert_true(!i || said.kernel[i - 1] < said.kernel[i]);
			}
			for (i = 0; i < choice.count; i++) {
				assert_int_equal(plan.phase[choice.kernel[i]], phase);
				assert_int_equal(plan.sms[choice.kernel[i]],
						 choice.sms[i]);
				left &= ~(1ULL << choice.kernel[i]);
			}
			total += plan.cycles[phase];
		}
		assert_int_equal(plan.phases, phase);
		assert_int_equal(plan.total, total);
		assert_int_equal(plan.sequential, sequential);
		assert_true(plan.total <= plan.sequential);
		free(kernels);
	}
}

/* A compute-bound kernel fills what one that saturates on two SMs cannot use. */
static void kernels_that_complement_each_other_share_a_phase(void **state)
{
	struct kernels *kernels = kernels_new(2, 8);
	struct plan plan;

	profile(kernels, 0, 800, 100, 8, 10000);
	profile(kernels, 1, 400, 100, 2, 700000);
	plan_make(&kernels->set, &work, &plan);
	assert_int_equal(plan.phases, 1);
	assert_in_range(plan.sms[1], 1, 2);
	assert_true(plan.total < plan.sequential);

	/* Not if their memory does not fit together (Eq. 4). */
	kernels->set.memory_bytes = 10;
	kernels->kernel[0].memory_bytes = 6;
	kernels->kernel[1].memory_bytes = 5;
	plan_make(&kernels->set, &work, &plan);
	assert_int_equal(plan.phases, 2);
	assert_int_equal(plan.total, plan.sequential);
	/* It may all be used. */
	kernels->kernel[1].memory_bytes = 4;
	plan_make(&kernels->set, &work, &plan);
	assert_int_equal(plan.phases, 1);
	free(kernels);
}

static void alike_kernels_run_one_after_another(void **state)
{
	struct kernels *kernels = kernels_new(4, 8);
	struct plan plan;
	u32 i;

	/* All of them scale, and each wants all the bandwidth that there is. */
	for (i = 0; i < 4; i++)
		profile(kernels, i, 800, 100 + i, 8, 1000000);
	plan_make(&kernels->set, &work, &plan);
	assert_int_equal(plan.phases, 4);
	assert_int_equal(plan.total, plan.sequential);
	for (i = 0; i < 4; i++)
		assert_int_equal(plan.sms[i], 8);
	free(kernels);
}

/* The greatest set and device, with the greatest and smallest profiles. */
static void the_greatest_sets_are_planned(void **state)
{
	struct kernels *kernels = kernels_new(PLAN_KERNELS_MAX, SIMGPU_SMS_MAX);
	u32 used[PLAN_KERNELS_MAX] = { 0 }, i, m;
	struct plan plan;

	for (i = 0; i < PLAN_KERNELS_MAX; i++) {
		random_profile(kernels, i, 100000);
		if (i % 16)
			continue;
		kernels->kernel[i].blocks = i ? U32_MAX : 1;
		for (m = 0; m < SIMGPU_SMS_MAX; m++) {
			kernels->profile[i].point[m].cycles = i % 32 ? U32_MAX : 1;
			kernels->profile[i].point[m].bandwidth_ppm = i % 32 ? SIMGPU_PPM : 0;
		}
	}
	plan_make(&kernels->set, &work, &plan);
	for (i = 0; i < PLAN_KERNELS_MAX; i++) {
		assert_true(plan.phase[i] < plan.phases);
		assert_true(plan.sms[i] > 0);
		used[plan.phase[i]] += plan.sms[i];
	}
	for (i = 0; i < plan.phases; i++)
		assert_int_equal(used[i], SIMGPU_SMS_MAX);
	assert_true(plan.total <= plan.sequential);
	free(kernels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_map_kernels_and_blocks_as_figure_5_prints),
		cmocka_unit_test(round_robin_follows_figure_4),
		cmocka_unit_test_setup(estimates_are_those_of_equations_2_to_4,
				       restart_random),
		cmocka_unit_test(penalties_are_of_three_kinds),
		cmocka_unit_test(what_has_run_is_not_planned),
		cmocka_unit_test_setup(phases_are_those_of_algorithm_1,
				       restart_random),
		cmocka_unit_test(kernels_that_complement_each_other_share_a_phase),
		cmocka_unit_test(alike_kernels_run_one_after_another),
		cmocka_unit_test_setup(the_greatest_sets_are_planned, restart_random),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}

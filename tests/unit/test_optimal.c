// SPDX-License-Identifier: GPL-2.0
/*
 * The best schedule of spatial-temporal multitasking (STM, Algorithms 2 and 3): the
 * search against all schedules written down, with made-up measurements; and phases that
 * are really measured.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../userspace/offline/optimal.h"
#include "../../userspace/offline/phase.h"
#include "../../userspace/offline/profile.h"
#include "snapshots.h"
#include "traces.h"

#define SMS	8
/* Phases and splits of five kernels on so many SMs: 5 + 10*7 + 10*21 + 5*35 + 35. */
#define ALL	495

/**
 * struct made_up - measurements that follow from a number
 * @seed: the number
 * @most: cycles of a phase lie between the bound and this much above it
 * @calls: of the function
 * @seen: what was measured, one after another
 * @fails: at this call, if not 0
 */
struct made_up {
	struct plan_kernel kernels[OPTIMAL_KERNELS_MAX];
	struct simgpu_snapshot_profile profiles[OPTIMAL_KERNELS_MAX];
	struct plan_set set;
	u64 seed;
	u64 most;
	u32 calls;
	u64 seen[ALL];
	u32 fails;
	u32 done;
	u32 total;
};

/* Kernels and SMs of a phase as a number. */
static u64 number_of(const struct plan_choice *choice)
{
	u64 number = 0;
	u32 i;

	for (i = 0; i < choice->count; i++)
		number |= (u64)choice->sms[i] << (8 * choice->kernel[i]);
	return number;
}

/* No kernel is faster beside others, and the bus carries what all of them ask for. */
static u64 cycles_of(const struct made_up *it, const struct plan_choice *choice)
{
	u64 mixed = (number_of(choice) ^ it->seed) * 0x9e3779b97f4a7c15ULL;
	u64 longest = 0, memory = 0;
	u32 i;

	for (i = 0; i < choice->count; i++) {
		const struct simgpu_profile_point *point =
			&it->profiles[choice->kernel[i]].point[it->set.sms - 1];

		if (point->cycles > longest)
			longest = point->cycles;
		memory += (u64)point->cycles * point->bandwidth_ppm / SIMGPU_PPM;
	}
	if (choice->count == 1)
		return longest;
	mixed ^= mixed >> 31;
	return (longest > memory ? longest : memory) + mixed % it->most;
}

static int measure(void *context, const struct plan_choice *choice, u64 limit,
		   u64 *cycles)
{
	struct made_up *it = context;
	u32 i;

	assert_in_range(it->calls, 0, ALL - 1);
	for (i = 0; i < it->calls; i++)
		assert_true(it->seen[i] != number_of(choice));
	it->seen[it->calls++] = number_of(choice);
	if (it->calls == it->fails)
		return -ENOMEM;
	*cycles = cycles_of(it, choice);
	if (*cycles > limit)
		*cycles = PLAN_NEVER;
	return 0;
}

static void on_progress(void *context, u32 done, u32 total)
{
	struct made_up *it = context;

	assert_true(done > it->done || done == total);
	it->done = done;
	it->total = total;
}

static struct made_up *made_up_new(u32 count)
{
	struct made_up *it = calloc(1, sizeof(*it));
	u32 i, m;

	assert_non_null(it);
	for (i = 0; i < count; i++) {
		u32 cycles = 1000 + (u32)random_up_to(9000);
		u32 bandwidth = (u32)random_up_to(SIMGPU_PPM);

		it->kernels[i] = (struct plan_kernel) {
			.blocks = 64, .profile = i,
			.memory_bytes = random_up_to(100),
		};
		for (m = 1; m <= SMS; m++)
			it->profiles[i].point[m - 1] =
				(struct simgpu_profile_point) {
					.cycles = cycles * SMS / m,
					.bandwidth_ppm = bandwidth * m / SMS,
				};
	}
	it->set = (struct plan_set) {
		.kernels = it->kernels, .profiles = it->profiles,
		.count = count, .sms = SMS,
	};
	it->seed = random_u64();
	it->most = 1 + random_up_to(30000);
	return it;
}

static int find(struct made_up *it, struct optimal *out)
{
	const struct optimal_search search = {
		.set = &it->set, .context = it,
		.measure = measure, .progress = on_progress,
	};

	return optimal_find(&search, out);
}

/* --- all schedules, written down ----------------------------------------------------- */

/* The best split of kernels of which @from and on are still without SMs. */
static u64 best_split(const struct made_up *it, struct plan_choice *choice,
		      u32 from, u32 sms)
{
	u64 best = PLAN_NEVER;
	u32 m;

	if (from + 1 == choice->count) {
		choice->sms[from] = (u16)sms;
		return cycles_of(it, choice);
	}
	for (m = 1; m + choice->count - from - 1 <= sms; m++) {
		u64 cycles;

		choice->sms[from] = (u8)m;
		cycles = best_split(it, choice, from + 1, sms - m);
		if (cycles < best)
			best = cycles;
	}
	return best;
}

static u64 best_phase(const struct made_up *it, const u32 *phase_of, u32 phase)
{
	struct plan_choice choice = { .count = 0 };
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < it->set.count; i++) {
		if (phase_of[i] != phase)
			continue;
		choice.kernel[choice.count++] = (u8)i;
		bytes += it->kernels[i].memory_bytes;
	}
	if (!choice.count)
		return 0;
	if (choice.count > it->set.sms)
		return PLAN_NEVER;
	if (choice.count > 1 && it->set.memory_bytes &&
	    bytes > it->set.memory_bytes)
		return PLAN_NEVER;
	return best_split(it, &choice, 0, it->set.sms);
}

/* Over all assignments of kernels to phases. */
static u64 best_schedule(const struct made_up *it)
{
	u32 count = it->set.count, ways = 1, way, i;
	u64 best = PLAN_NEVER;

	for (i = 0; i < count; i++)
		ways *= count;
	for (way = 0; way < ways; way++) {
		u32 phase_of[OPTIMAL_KERNELS_MAX], rest = way;
		u64 sum = 0;

		for (i = 0; i < count; i++, rest /= count)
			phase_of[i] = rest % count;
		for (i = 0; i < count && sum != PLAN_NEVER; i++) {
			u64 cycles = best_phase(it, phase_of, i);

			sum = cycles == PLAN_NEVER ? PLAN_NEVER : sum + cycles;
		}
		if (sum < best)
			best = sum;
	}
	return best;
}

/* Each kernel is in one phase, all SMs are given, and sums are right. */
static void expect_schedule(const struct made_up *it, const struct optimal *found)
{
	u32 seen = 0, phase, i;
	u64 sum = 0;

	for (phase = 0; phase < found->phases; phase++) {
		const struct plan_choice *choice = &found->phase[phase];
		u32 sms = 0;

		for (i = 0; i < choice->count; i++) {
			assert_false(seen >> choice->kernel[i] & 1);
			seen |= 1U << choice->kernel[i];
			sms += choice->sms[i];
		}
		assert_int_equal(sms, it->set.sms);
		assert_int_equal(found->phase_cycles[phase],
				 cycles_of(it, choice));
		sum += found->phase_cycles[phase];
	}
	assert_int_equal(seen, (1U << it->set.count) - 1);
	assert_int_equal(sum, found->cycles);
	assert_true(found->cycles <= found->sequential);
}

static void the_best_of_all_schedules_is_found(void **state)
{
	u32 round;

	for (round = 0; round < 200; round++) {
		u32 count = 1 + round % OPTIMAL_KERNELS_MAX;
		struct made_up *it = made_up_new(count);
		struct optimal found;

		it->set.memory_bytes = round % 3 ? 0 : 1 + random_up_to(300);
		if (round % 4 == 3)
			it->set.sms = 3;
		assert_int_equal(find(it, &found), 0);
		if (it->set.sms == SMS)
			assert_int_equal(found.measured + found.skipped, it->total);
		expect_schedule(it, &found);
		assert_int_equal(found.cycles, best_schedule(it));
		assert_int_equal(found.measured, it->calls);
		assert_int_equal(it->done, it->total);
		free(it);
	}
}

static void five_kernels_have_all_their_splits(void **state)
{
	struct made_up *it = made_up_new(OPTIMAL_KERNELS_MAX);
	struct optimal found;
	u32 i, m;

	/* Nothing bounds what a set takes, and nothing is ever better than alone. */
	for (i = 0; i < OPTIMAL_KERNELS_MAX; i++)
		for (m = 0; m < SMS; m++)
			it->profiles[i].point[m].bandwidth_ppm = 0;
	assert_int_equal(find(it, &found), 0);
	assert_int_equal(it->total, ALL);
	assert_int_equal(found.measured + found.skipped, ALL);
	assert_int_equal(found.skipped, 0);
	free(it);
}

static void sets_that_cannot_gain_do_not_run(void **state)
{
	struct made_up *it = made_up_new(3);
	struct optimal found;
	u32 i, m;

	/* Each of them has the memory to itself all the time. */
	for (i = 0; i < 3; i++)
		for (m = 0; m < SMS; m++)
			it->profiles[i].point[m] = (struct simgpu_profile_point) {
				.cycles = 1000, .bandwidth_ppm = SIMGPU_PPM,
			};
	assert_int_equal(find(it, &found), 0);
	assert_int_equal(found.measured, 3);
	assert_int_equal(found.skipped, 3 * 7 + 21);
	assert_int_equal(found.phases, 3);
	assert_int_equal(found.cycles, 3000);
	/* Nor do those that do not fit. */
	it->calls = 0;
	it->set.memory_bytes = 1;
	for (i = 0; i < 3; i++) {
		it->kernels[i].memory_bytes = 1;
		for (m = 0; m < SMS; m++)
			it->profiles[i].point[m].bandwidth_ppm = 0;
	}
	it->done = 0;
	assert_int_equal(find(it, &found), 0);
	assert_int_equal(found.measured, 3);
	free(it);
}

static void a_failure_ends_the_search(void **state)
{
	struct made_up *it = made_up_new(3);
	struct optimal found;

	it->fails = 5;
	it->most = 1;
	assert_int_equal(find(it, &found), -ENOMEM);
	assert_int_equal(it->calls, 5);
	it->set.count = OPTIMAL_KERNELS_MAX + 1;
	assert_int_equal(find(it, &found), -E2BIG);
	assert_int_equal(it->calls, 5);
	free(it);
}

/* --- phases that run -------------------------------------------------------------------- */

static struct gpu_config small_gpu(void)
{
	struct gpu_config config = *gpu_config_find("hbm80");

	config.sms = SMS;
	return config;
}

/* Two kernels that are equal, of 256 threads, with the profile that they have. */
static struct trace *profiled(const struct gpu_config *config, u32 blocks,
			      u32 trips)
{
	struct trace *bare = NULL;
	u32 pass, m;

	for (pass = 0; pass < 2; pass++) {
		struct builder *builder = builder_new("profiled", "test");
		struct simgpu_trace_profile profile = {
			.sms = SMS, .blocks = blocks, .memory_bytes = 1 << 20,
		};
		struct simgpu_profile_point points[SMS];

		strcpy(profile.config, config->name);
		builder_footprint(builder, 1 << 20);
		builder_kernel(builder, "one", blocks, 256, 32, 0);
		builder_loop(builder, trips);
		builder_compute(builder, 400, 32);
		builder_loop_end(builder);
		builder_again(builder, 1, 1);
		for (m = 1; pass && m <= SMS; m++)
			assert_int_equal(offline_profile(config, bare, 0, m, 1,
							 &points[m - 1]), 0);
		if (pass) {
			profile.first_point = builder_points(
				builder, (const void *)points, SMS);
			builder_profile(builder, &profile);
			profile.kernel = 1;
			builder_profile(builder, &profile);
			trace_free(bare);
		}
		bare = trace_of(builder, 1 << 20);
	}
	return bare;
}

static u64 phase_cycles(const struct gpu_config *config, struct trace *a,
			struct trace *b, u32 kernels, u32 sms, u64 limit)
{
	struct offline_program programs[2] = {
		{ .trace = a, .kernels = kernels, .sms = sms },
		{ .trace = b, .kernels = kernels, .sms = SMS - sms },
	};
	u64 cycles = 0;

	assert_int_equal(offline_phase(config, 1, programs, b ? 2 : 1,
				       OFFLINE_BUCKETS, limit, &cycles), 0);
	return cycles;
}

static void a_phase_takes_what_it_takes(void **state)
{
	struct gpu_config config = small_gpu();
	struct trace *a = profiled(&config, 64, 20);
	struct trace *b = profiled(&config, 32, 10);
	u64 r = trace_profile(a, "hbm80", SMS, 0)[SMS - 1].cycles;
	u64 alone = phase_cycles(&config, a, NULL, 1, SMS, PLAN_NEVER);
	u64 both = phase_cycles(&config, a, b, 1, 4, PLAN_NEVER);

	assert_in_range(alone, r * 95 / 100, r * 105 / 100);
	assert_true(both > alone);
	/* The same again, and only as far as somebody wants to know. */
	assert_int_equal(phase_cycles(&config, a, b, 1, 4, both), both);
	assert_true(phase_cycles(&config, a, b, 1, 4, both - 1) == PLAN_NEVER);
	assert_true(phase_cycles(&config, a, b, 1, 4, 1) == PLAN_NEVER);
	/* A program's kernels go one after another. */
	assert_in_range(phase_cycles(&config, a, NULL, 2, SMS, PLAN_NEVER),
			2 * alone - 1, 2 * alone + 200);
	trace_free(a);
	trace_free(b);
}

/* Kernels that only compute, on SMs of their own, take what they take alone. */
static void programs_may_have_sms_of_their_own(void **state)
{
	struct gpu_config config = small_gpu();
	struct trace *a = profiled(&config, 256, 20);
	struct trace *b = profiled(&config, 32, 10);
	u64 apart = trace_profile(a, "hbm80", SMS, 0)[3].cycles;
	u64 all = trace_profile(a, "hbm80", SMS, 0)[SMS - 1].cycles;
	struct offline_program programs[2] = {
		{ .trace = a, .kernels = 1, .sms = 4 },
		{ .trace = b, .kernels = 1, .sms = SMS - 4 },
	};
	u64 cycles = 0;

	assert_int_equal(offline_phase(&config, 1, programs, 2, OFFLINE_PARTITION,
				       PLAN_NEVER, &cycles), 0);
	assert_in_range(cycles, apart - 50, apart + 50);
	/* The shorter one's SMs are idle no longer, and the longer one has all in the end. */
	assert_int_equal(offline_phase(&config, 1, programs, 2, OFFLINE_HANDOVER,
				       PLAN_NEVER, &cycles), 0);
	assert_in_range(cycles, all, apart * 3 / 4);
	/* Where both end together there is nothing to hand over. */
	programs[1].trace = a;
	assert_int_equal(offline_phase(&config, 1, programs, 2, OFFLINE_HANDOVER,
				       PLAN_NEVER, &cycles), 0);
	assert_in_range(cycles, apart - 50, apart + 50);
	trace_free(a);
	trace_free(b);
}

static void a_phase_needs_profiles_and_room(void **state)
{
	struct gpu_config config = small_gpu();
	struct trace *bare = trace_compute(8, 1, 100);
	struct trace *good = profiled(&config, 8, 1);
	struct offline_program programs[2] = {
		{ .trace = good, .kernels = 1, .sms = 4 },
		{ .trace = bare, .kernels = 1, .sms = 4 },
	};
	u64 cycles;

	assert_int_equal(offline_phase(&config, 1, programs, 2, OFFLINE_BUCKETS,
				       PLAN_NEVER, &cycles), -ENODATA);
	config.threads_per_sm = 128;
	assert_int_equal(offline_phase(&config, 1, programs, 1, OFFLINE_BUCKETS,
				       PLAN_NEVER, &cycles), -E2BIG);
	trace_free(bare);
	trace_free(good);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_of_all_schedules_is_found),
		cmocka_unit_test(five_kernels_have_all_their_splits),
		cmocka_unit_test(sets_that_cannot_gain_do_not_run),
		cmocka_unit_test(a_failure_ends_the_search),
		cmocka_unit_test(a_phase_takes_what_it_takes),
		cmocka_unit_test(programs_may_have_sms_of_their_own),
		cmocka_unit_test(a_phase_needs_profiles_and_room),
	};

	return cmocka_run_group_tests(tests, restart_random, NULL);
}

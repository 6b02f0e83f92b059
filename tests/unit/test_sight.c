// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that take their time (decision_cycles), and counters that are wrong or old
 * where models and policies see them (counter_noise, counter_delay).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/journal.h"
#include "looking.h"

/* A session of one tenant's long kernel, with a policy that looks. */
static struct bench *bench_of_sight(u64 decision_cycles, u32 noise, u32 delay)
{
	struct bench *bench = malloc(sizeof(*bench));

	memset(&seen, 0, sizeof(seen));
	bench_options(bench, 0);
	bench->options.policy = &looking;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->options.decision_cycles = decision_cycles;
	bench->options.counter_noise = noise;
	bench->options.counter_delay = delay;
	session_default_params(&bench->options);
	bench_start(bench);
	return bench;
}

static void begin(struct bench *bench, u32 slot, const struct trace *trace, u64 cycle)
{
	join(bench, slot);
	launch(bench, slot, trace, 1, cycle);
}

static bool runs(struct bench *bench, u32 slot)
{
	struct gpu_kernel_status kernel;

	gpu_kernel_status(session_gpu(bench->session), slot, &kernel);
	return kernel.running;
}

/* --- decisions ---------------------------------------------------------------------- */

/* When the first kernel starts, which waits for what the policy says. */
static u64 first_start(u64 decision_cycles)
{
	struct bench *bench = bench_of_sight(decision_cycles, 0, 0);
	u64 start;

	say_even(1);
	begin(bench, 0, computing, 0);
	while (!runs(bench, 0))
		session_run(bench->session, 1);
	start = session_now(bench->session);
	bench_free(bench);
	return start;
}

static void words_take_effect_later(void **state)
{
	const u64 at_once = first_start(0);

	assert_int_equal(first_start(3000), at_once + 3000 - 1);
	assert_int_equal(first_start(7777), at_once + 7777 - 1);
}

/* Asked at once, when it is free again, and at epochs' ends. */
static void who_thinks_is_not_asked(void **state)
{
	static const u64 cycles[] = {
		0, 3000, 6000, 10000, 13181, 16181, 20000, 23181,
	};
	struct bench *bench = bench_of_sight(3000, 0, 0);
	u32 i;

	say_even(1);
	seen.wake_after = 1000;
	begin(bench, 0, computing, 0);
	session_run(bench->session, 24000);
	assert_int_equal(seen.count, ARRAY_SIZE(cycles));
	for (i = 0; i < ARRAY_SIZE(cycles); i++)
		assert_int_equal(seen.call[i].cycle, cycles[i]);
	assert_int_equal(seen.call[3].events, SIMGPU_ON_EPOCH | SIMGPU_ON_WAKE);
	bench_free(bench);
}

/* Longer than an epoch: it is asked at the first end at which it is free. */
static void who_thinks_for_long_misses_epochs(void **state)
{
	struct bench *bench = bench_of_sight(14000, 0, 0);

	say_even(1);
	begin(bench, 0, computing, 0);
	session_run(bench->session, 65000);
	assert_int_equal(bench->epoch_count, 6);
	/* 0 is too late for events; 10000 to 24181, 30000 to 44181, 50000 and on. */
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.call[0].cycle, 10000);
	assert_int_equal(seen.call[0].events & SIMGPU_ON_ARRIVAL,
			 SIMGPU_ON_ARRIVAL);
	assert_int_equal(seen.call[1].cycle, 30000);
	assert_int_equal(seen.call[2].cycle, 50000);
	bench_free(bench);
}

/* A kernel does not start on a word that was said before it came. */
static void kernels_wait_for_their_own_word(void **state)
{
	struct bench *bench = bench_of_sight(3000, 0, 0);

	say_even(1);
	begin(bench, 0, computing, 0);
	begin(bench, 1, brief, 1000);
	session_run(bench->session, 2900);
	say_even(2);
	session_run(bench->session, 2900);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.call[1].events,
			 SIMGPU_ON_ARRIVAL | SIMGPU_ON_KERNEL_READY);
	assert_true(runs(bench, 0));
	assert_false(runs(bench, 1));
	session_run(bench->session, 300);
	assert_true(runs(bench, 1));
	bench_free(bench);
}

/* What waits for somebody who has left is not for who comes after. */
static void words_for_who_left_are_forgotten(void **state)
{
	struct bench *bench = bench_of_sight(3000, 0, 0);

	say_even(2);
	begin(bench, 0, computing, 0);
	begin(bench, 1, computing, 0);
	session_run(bench->session, 1000);
	session_leave(bench->session, 1);
	session_run(bench->session, 2100);
	assert_int_equal(set_of_sms(bench, 1), 0);
	assert_int_not_equal(set_of_sms(bench, 0), 0);
	bench_free(bench);
}

/* --- counters ------------------------------------------------------------------------- */

struct view {
	struct simgpu_counters counters[6];
	struct simgpu_counters total[6];
	struct simgpu_counters exact[6];
	u64 cycles[6];
};

static struct view view;
static struct bench *viewed;

static int note(const struct simgpu_snapshot *snapshot, void *state,
		struct simgpu_proposal *proposal)
{
	u32 i = (u32)snapshot->epoch;

	if (i < ARRAY_SIZE(view.counters)) {
		view.counters[i] = snapshot->tenants[0].counters;
		view.total[i] = snapshot->tenants[0].total;
		view.cycles[i] = snapshot->epoch_cycles;
	}
	return 0;
}

static const struct simgpu_policy noting = { .name = "note", .decide = note };

/* Six epochs of reads, as the policy sees them and as they are. */
static void view_epochs(u64 seed, u32 noise, u32 delay)
{
	u32 i;

	memset(&view, 0, sizeof(view));
	viewed = malloc(sizeof(*viewed));
	bench_options(viewed, 0);
	viewed->options.policy = &noting;
	viewed->options.seed = seed;
	viewed->options.counter_noise = noise;
	viewed->options.counter_delay = delay;
	session_default_params(&viewed->options);
	bench_start(viewed);
	begin(viewed, 0, random_reads, 0);
	session_run(viewed->session, 6 * EPOCH + 300);
	assert_int_equal(viewed->epoch_count, 6);
	for (i = 0; i < 6; i++)
		view.exact[i] = viewed->epochs[i].tenants[0].counters;
	bench_free(viewed);
}

static void exact_counters_are_exact(void **state)
{
	view_epochs(1, 0, 0);
	assert_memory_equal(view.counters, view.exact, sizeof(view.exact));
}

/* By no more than so many percent; a part that is kept below its whole, less. */
static void expect_near(u64 counter, u64 exact, u32 noise)
{
	assert_true(counter <= exact + exact * noise / 100);
	assert_true(counter + 1 >= exact - exact * noise / 100);
}

static void noise_is_as_large_as_it_is_set(void **state)
{
	u64 most = 0, least = U64_MAX;
	u32 i;

	view_epochs(1, 20, 0);
	for (i = 0; i < 6; i++) {
		const struct simgpu_counters *exact = &view.exact[i];
		const struct simgpu_counters *counters = &view.counters[i];
		u64 factor = counters->load_cycles * 1000 / exact->load_cycles;

		expect_near(counters->load_cycles, exact->load_cycles, 20);
		expect_near(counters->dram_fills, exact->dram_fills, 20);
		expect_near(counters->warp_instructions,
			    exact->warp_instructions, 20);
		assert_int_equal(counters->sm_cycles, exact->sm_cycles);
		assert_int_equal(counters->blocks_finished,
				 exact->blocks_finished);
		most = factor > most ? factor : most;
		least = factor < least ? factor : least;
	}
	/* Six draws from 800 to 1200. */
	assert_true(most > least + 50);
}

static u64 stalls_of(const struct simgpu_counters *counters)
{
	return counters->stall_memory_cycles + counters->stall_lsu_cycles +
	       counters->stall_barrier_cycles + counters->stall_empty_cycles +
	       counters->stall_dependence_cycles;
}

static void parts_stay_parts(void **state)
{
	u32 i, held = 0;
	u64 seed;

	for (seed = 1; seed < 6; seed++) {
		view_epochs(seed, 100, 0);
		for (i = 0; i < 6; i++) {
			const struct simgpu_counters *c = &view.counters[i];
			const struct simgpu_counters *exact = &view.exact[i];

			assert_true(c->l1_misses <= c->l1_accesses);
			assert_true(c->llc_misses <= c->llc_accesses);
			assert_true(c->row_activates <= simgpu_dram_requests(c));
			assert_true(c->thread_instructions <=
				    c->warp_instructions * GPU_LANES);
			/* Some that end in an epoch began in the one before. */
			if (stalls_of(exact) <= exact->idle_cycles) {
				assert_true(stalls_of(c) <= c->idle_cycles);
				held++;
			}
			/* Four channels, at most so many clocks. */
			assert_true(c->bus_busy_clocks <= 4 * 2 * EPOCH);
		}
	}
	assert_true(held > 4);
}

/* A counter as the list has it: where it is, where its whole is, and how it is seen. */
enum { EXACT, NOISY, PART, SHARE };

static const struct {
	const char *name;
	u32 seen;
	u32 whole;
} listed[] = {
#define SIMGPU_PLACE_none SIMGPU_COUNTER_PLACES
#define COUNTER(number, name, seen, whole, text)			\
	[number] = { #name, seen, SIMGPU_PLACE_##whole },
#include <simgpu/counter_list.h>
};

static u64 shares_of(const u64 *counters, u32 whole)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(listed); i++)
		if (listed[i].seen == SHARE && listed[i].whole == whole)
			sum += counters[i];
	return sum;
}

/* Returns whether the counter was seen wrong. */
static bool expect_as_listed(u32 i, const u64 *counters, const u64 *exact)
{
	u32 whole = listed[i].whole;

	if (listed[i].seen == EXACT)
		assert_int_equal(counters[i], exact[i]);
	if (listed[i].seen == PART && exact[i] <= exact[whole])
		assert_true(counters[i] <= counters[whole]);
	if (listed[i].seen == SHARE &&
	    shares_of(exact, whole) <= exact[whole])
		assert_true(shares_of(counters, whole) <= counters[whole]);
	return counters[i] != exact[i];
}

static void counters_are_seen_as_the_list_says(void **state)
{
	u32 wrong[ARRAY_SIZE(listed)] = { 0 };
	u32 i, epoch;
	u64 seed;

	for (seed = 1; seed < 6; seed++) {
		view_epochs(seed, 100, 0);
		for (epoch = 0; epoch < 6; epoch++)
			for (i = 0; i < ARRAY_SIZE(listed); i++)
				wrong[i] += expect_as_listed(i,
					(u64 *)&view.counters[epoch],
					(u64 *)&view.exact[epoch]);
	}
	for (i = 0; i < ARRAY_SIZE(listed); i++)
		if (((u64 *)&view.exact[5])[i] > 100 && listed[i].seen != EXACT)
			assert_true(wrong[i] > 20);
}

/* Rows of the list that would make no sense. */
static void wholes_of_the_list_are_counters(void **state)
{
	u32 i;

	assert_int_equal(ARRAY_SIZE(listed), SIMGPU_COUNTER_PLACES);
	for (i = 0; i < ARRAY_SIZE(listed); i++) {
		bool of_one = listed[i].seen == PART || listed[i].seen == SHARE;

		assert_non_null(listed[i].name);
		assert_int_equal(of_one, listed[i].whole < SIMGPU_COUNTER_PLACES);
		assert_int_not_equal(listed[i].whole, i);
		/* What is kept below a whole is so once that is what it will be. */
		assert_true(!of_one || listed[listed[i].whole].seen == NOISY ||
			    listed[i].whole < i);
	}
}

/* The sum of what was seen: it never goes back. */
static void totals_are_sums_of_what_is_seen(void **state)
{
	u64 sum = 0;
	u32 i;

	view_epochs(1, 50, 0);
	for (i = 0; i < 6; i++) {
		sum += view.counters[i].load_cycles;
		assert_int_equal(view.total[i].load_cycles, sum);
	}
}

static void noise_follows_from_the_seed(void **state)
{
	struct view first;

	view_epochs(7, 20, 0);
	first = view;
	view_epochs(7, 20, 0);
	assert_memory_equal(&first, &view, sizeof(view));
	/* Nothing else draws other numbers for it. */
	view_epochs(7, 0, 0);
	assert_memory_equal(first.exact, view.exact, sizeof(view.exact));
	assert_memory_not_equal(first.counters, view.counters,
				sizeof(view.counters));
	view_epochs(8, 20, 0);
	assert_memory_not_equal(first.counters, view.counters,
				sizeof(view.counters));
}

static void old_counters_are_as_old_as_is_set(void **state)
{
	const struct simgpu_counters none = { 0 };
	u32 delay, i;

	for (delay = 1; delay < 4; delay++) {
		u64 sum = 0;

		view_epochs(1, 0, delay);
		for (i = 0; i < delay; i++)
			assert_memory_equal(&view.counters[i], &none,
					    sizeof(none));
		for (; i < 6; i++) {
			assert_memory_equal(&view.counters[i],
					    &view.exact[i - delay],
					    sizeof(none));
			sum += view.exact[i - delay].load_cycles;
			assert_int_equal(view.total[i].load_cycles, sum);
			assert_int_equal(view.cycles[i], EPOCH);
		}
	}
}

/* --- runs repeat ------------------------------------------------------------------------ */

static u64 hash_of(u64 decision_cycles, u32 noise, u32 delay, u64 step)
{
	struct bench *bench = malloc(sizeof(*bench));
	u64 hash;

	bench_options(bench, 3);
	bench->options.decision_cycles = decision_cycles;
	bench->options.counter_noise = noise;
	bench->options.counter_delay = delay;
	bench_start(bench);
	launch_gang(bench);
	while (session_run(bench->session, step) == SESSION_RUNNING)
		;
	hash = session_state_hash(bench->session);
	bench_free(bench);
	return hash;
}

static void runs_repeat_whatever_the_steps(void **state)
{
	const u64 exact = hash_of(0, 0, 0, ALL_AT_ONCE);
	const u64 all = hash_of(2500, 30, 2, ALL_AT_ONCE);

	assert_int_equal(all, hash_of(2500, 30, 2, ALL_AT_ONCE));
	assert_int_equal(all, hash_of(2500, 30, 2, 333));
	assert_int_not_equal(exact, hash_of(2500, 0, 0, ALL_AT_ONCE));
	assert_int_not_equal(exact, hash_of(0, 30, 0, ALL_AT_ONCE));
	assert_int_not_equal(exact, hash_of(0, 0, 2, ALL_AT_ONCE));
}

static const struct simgpu_policy *find_policy(const char *name)
{
	return strcmp(name, policy_hsm_fair.name) ? NULL : &policy_hsm_fair;
}

static const struct simgpu_model *find_model(const char *name)
{
	return strcmp(name, model_hsm.name) ? NULL : &model_hsm;
}

static int parse(const char *text, struct journal_line *line)
{
	const struct journal_names names = {
		.config = gpu_config_find, .policy = find_policy, .model = find_model,
	};
	char reason[128];

	return journal_parse_line(&text, &names, line, reason, sizeof(reason));
}

static void journals_keep_it(void **state)
{
	struct journal_line *line = calloc(1, sizeof(*line));
	char text[JOURNAL_LINE_BYTES], *value;
	static struct bench bench;

	bench_options(&bench, 0);
	bench.options.hold_cycles = SESSION_HOLD_CYCLES_DEFAULT;
	journal_print_start(text, &bench.options, 0);
	assert_null(strstr(text, "decision_cycles"));
	assert_null(strstr(text, "counter_"));
	bench.options.decision_cycles = 2500;
	bench.options.counter_noise = 30;
	bench.options.counter_delay = 2;
	journal_print_start(text, &bench.options, 0);
	assert_int_equal(parse(text, line), 0);
	assert_int_equal(line->start.decision_cycles, 2500);
	assert_int_equal(line->start.counter_noise, 30);
	assert_int_equal(line->start.counter_delay, 2);
	value = strstr(text, "counter_delay=2");
	assert_non_null(value);
	memcpy(value, "counter_delay=0", strlen("counter_delay=0"));
	assert_int_equal(parse(text, line), -EINVAL);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_take_effect_later),
		cmocka_unit_test(who_thinks_is_not_asked),
		cmocka_unit_test(who_thinks_for_long_misses_epochs),
		cmocka_unit_test(kernels_wait_for_their_own_word),
		cmocka_unit_test(words_for_who_left_are_forgotten),
		cmocka_unit_test(exact_counters_are_exact),
		cmocka_unit_test(noise_is_as_large_as_it_is_set),
		cmocka_unit_test(parts_stay_parts),
		cmocka_unit_test(counters_are_seen_as_the_list_says),
		cmocka_unit_test(wholes_of_the_list_are_counters),
		cmocka_unit_test(totals_are_sums_of_what_is_seen),
		cmocka_unit_test(noise_follows_from_the_seed),
		cmocka_unit_test(old_counters_are_as_old_as_is_set),
		cmocka_unit_test(runs_repeat_whatever_the_steps),
		cmocka_unit_test(journals_keep_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sight", tests, make_traces,
					   free_traces);
}

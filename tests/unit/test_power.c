// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of the SMs, energies at lower voltages, the power cap, and who decides the
 * clock: settings, policies, the cap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/session/clocks.h"
#include "../../kmod/session/internal.h"
#include "../../kmod/session/session.h"
#include "../../kmod/session/settings.h"
#include "../../kmod/sim/sim.h"
#include "journal_of.h"
#include "looking.h"

/* A clock of hbm80, of which all devices here are, and how far it is below the highest. */
#define HALF_MHZ	680
#define HALF_BELOW	6
#define TOP_MHZ		1400

static struct bench *prepared(u32 clock_mhz, u32 cap)
{
	struct bench *bench = bench_prepared(&policy_even, 0);

	bench->options.clock_limit = clock_mhz;
	bench->options.power_cap = cap;
	bench->options.power_window = SESSION_POWER_WINDOW_MIN;
	return bench;
}

static struct bench *started(u32 clock_mhz, u32 cap)
{
	struct bench *bench = prepared(clock_mhz, cap);

	bench_start(bench);
	return bench;
}

static struct session_power power_of(const struct bench *bench)
{
	struct session_power power;

	session_power_so_far(bench->session, &power);
	return power;
}

static void run_to(struct bench *bench, u64 cycle)
{
	session_run(bench->session, cycle - session_now(bench->session));
}

/* --- tables ------------------------------------------------------------------------------ */

/* Voltages by the two points that kmod/session/clocks.c names. */
static u32 rule_mv(u32 mhz, u32 top)
{
	u32 knee = top / 2;

	return mhz <= knee ? 700 : (700 * (top - knee) + 300 * (mhz - knee) +
				    (top - knee) / 2) / (top - knee);
}

static void tables_follow_their_rule(void **state)
{
	u32 tables = 0, i, k;

	for (i = 0; gpu_config_at(i); i++) {
		const struct gpu_config *config = gpu_config_at(i);
		const struct clock_table *table = clocks_find(config->name, config->core_mhz);

		if (!table)
			continue;
		tables++;
		assert_non_null(energy_find(config->name));
		assert_true(table->count > 1 && table->count <= SIMGPU_CLOCKS_MAX);
		assert_int_equal(table->clock[table->count - 1].mhz, config->core_mhz);
		for (k = 0; k < table->count; k++) {
			assert_int_equal(table->clock[k].mv,
					 rule_mv(table->clock[k].mhz, config->core_mhz));
			assert_true(!k || table->clock[k].mhz > table->clock[k - 1].mhz);
		}
	}
	assert_int_equal(tables, 7);
	assert_null(clocks_find("mine", TOP_MHZ));
	/* One of the name of a shipped one, with another highest clock. */
	assert_null(clocks_find("hbm80", TOP_MHZ + 100));
}

static void the_greatest_clock_that_is_not_above_is_found(void **state)
{
	const struct clock_table *table = clocks_find("hbm80", TOP_MHZ);

	assert_int_equal(clocks_below(table, 0), 0);
	assert_int_equal(clocks_below(table, 5000), 0);
	assert_int_equal(clocks_below(table, 1400), 0);
	assert_int_equal(clocks_below(table, 1399), 1);
	assert_int_equal(clocks_below(table, 1280), 1);
	assert_int_equal(clocks_below(table, HALF_MHZ), HALF_BELOW);
	assert_int_equal(clocks_below(table, 200), 10);
	assert_int_equal(clocks_below(table, 1), 10);
}

/* --- the clock itself -------------------------------------------------------------------- */

/* Cycle k of the SMs begins at ceil(k * core_mhz / mhz), wherever one asks from. */
static void cycles_of_the_sms_are_spread_evenly(void **state)
{
	static const u32 clocks[] = { 1, 3, 699, 700, 933, 1399 };
	struct gpu_config config = small_config();
	void *memory = aligned_alloc(64, (gpu_bytes(&config) + 63) / 64 * 64);
	struct gpu *gpu = gpu_init(memory, &config, 1);
	u64 cycle, tick;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		u32 mhz = clocks[i];

		gpu_set_clock(gpu, mhz);
		for (cycle = 0; cycle < 3 * TOP_MHZ; cycle++) {
			tick = cycle * mhz / TOP_MHZ;
			assert_int_equal(clock_ticks(gpu, cycle), tick);
			assert_int_equal(sm_span(gpu, cycle, 0), 0);
			assert_int_equal(cycle + sm_span(gpu, cycle, 1),
					 ((tick + 1) * TOP_MHZ + mhz - 1) / mhz);
			assert_int_equal(cycle + sm_span(gpu, cycle, 77),
					 ((tick + 77) * TOP_MHZ + mhz - 1) / mhz);
		}
		/* The same late in device time, where products would not fit in 64 bits. */
		cycle = (1ULL << 61) / TOP_MHZ * TOP_MHZ + 5;
		assert_int_equal(sm_span(gpu, cycle, 9), sm_span(gpu, 5, 9));
	}
	gpu_set_clock(gpu, TOP_MHZ);
	assert_int_equal(sm_span(gpu, 12345, 77), 77);
	free(memory);
}

/* What a tenant alone issues in so many cycles. */
static u64 issued_at(u32 mhz, const struct trace *trace, u64 cycles)
{
	struct bench *bench = started(mhz, 0);
	u64 issued;

	join(bench, 0);
	launch(bench, 0, trace, 10, 0);
	run_to(bench, cycles);
	issued = issued_by(bench, 0);
	bench_free(bench);
	return issued;
}

static void expect_part(u64 part, u64 whole, u32 least_permille, u32 most_permille)
{
	assert_in_range(part * 1000 / whole, least_permille, most_permille);
}

static void what_computes_slows_down_with_the_clock(void **state)
{
	static const u32 clocks[] = { 1280, HALF_MHZ, 200 };
	u64 top = issued_at(0, computing, 50000);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		u32 permille = clocks[i] * 1000 / TOP_MHZ;

		expect_part(issued_at(clocks[i], computing, 50000), top,
			    permille - permille / 50, permille + permille / 50 + 1);
	}
}

static void what_waits_for_memory_hardly_does(void **state)
{
	u64 top = issued_at(0, random_reads, 50000);

	expect_part(issued_at(HALF_MHZ, random_reads, 50000), top, 950, 1050);
}

static void the_highest_clock_changes_nothing(void **state)
{
	struct bench *plain = started(0, 0), *fixed = started(TOP_MHZ, 0);
	struct bench *both[] = { plain, fixed };
	u32 i;

	for (i = 0; i < 2; i++) {
		join(both[i], 0);
		launch(both[i], 0, random_reads, 1, 0);
		run_to(both[i], 40000);
	}
	assert_int_equal(gpu_state_hash(plain->session->gpu),
			 gpu_state_hash(fixed->session->gpu));
	assert_int_equal(report_of(plain, 0).energy_pj, report_of(fixed, 0).energy_pj);
	assert_int_equal(power_of(plain).mean_uw, power_of(fixed).mean_uw);
	assert_false(power_of(plain).used);
	assert_true(power_of(fixed).used);
	bench_free(plain);
	bench_free(fixed);
}

/* --- energy ------------------------------------------------------------------------------ */

/* An energy at the voltage of HALF_MHZ, 700 of 1000 mV. */
static u64 squared(u64 pj)
{
	return pj * 49 / 100;
}

static void expect_near(u64 value, u64 expected)
{
	assert_in_range(value, expected - 2, expected + 2);
}

static void events_in_sms_take_less(void **state)
{
	const struct energy_table *table = energy_find("hbm80");
	struct bench *bench = started(HALF_MHZ, 0);
	struct simgpu_counters counters;
	struct session_power power;
	u64 in_sms, elsewhere, fixed_pj;

	join(bench, 0);
	launch(bench, 0, copying, 10, 0);
	run_to(bench, 30000);
	counters = report_of(bench, 0).counters;
	in_sms = counters.thread_instructions * 30 + 2725 * counters.shared_accesses +
		 2995 * (counters.l1_accesses + counters.l1c_accesses + counters.l1_stores);
	elsewhere = energy_dynamic_pj(table, &counters) - in_sms;
	assert_true(in_sms && elsewhere);
	expect_near(report_of(bench, 0).energy_pj, squared(in_sms) + elsewhere);
	/* 75 W, of which leakage at 0.7 of the voltage leaves 0.7. */
	power = power_of(bench);
	fixed_pj = 75000ULL * 1000 * 30000 / TOP_MHZ;
	expect_near(power.static_saved_pj, fixed_pj * 3 / 10);
	/* pJ over us are uW. */
	expect_near(power.mean_uw / 100,
		    (fixed_pj * 7 / 10 + squared(in_sms) + elsewhere) * TOP_MHZ / 30000 / 100);
	bench_free(bench);
}

/* What was done before the clock changed keeps its energy; so does who has left. */
static void changes_save_from_then_on(void **state)
{
	const struct energy_table *table = energy_find("hbm80");
	struct bench *bench = started(0, 0);
	struct simgpu_counters before, after;
	u64 whole, late, left;

	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	run_to(bench, 20000);
	before = report_of(bench, 0).counters;
	assert_int_equal(session_set_clock(bench->session, HALF_MHZ), 0);
	assert_int_equal(power_of(bench).clock_mhz, HALF_MHZ);
	assert_int_equal(power_of(bench).changes, 1);
	run_to(bench, 50000);
	assert_int_equal(session_set_clock(bench->session, 0), 0);
	after = report_of(bench, 0).counters;
	late = energy_sm_pj(table, &after) - energy_sm_pj(table, &before);
	run_to(bench, 60000);
	after = report_of(bench, 0).counters;
	whole = energy_dynamic_pj(table, &after);
	expect_near(report_of(bench, 0).energy_pj, whole - (late - squared(late)));
	assert_int_equal(power_of(bench).changes, 2);
	/* 20,000 and 10,000 cycles at 1400 MHz, 30,000 at 680 MHz. */
	assert_int_equal(power_of(bench).mean_mhz, 1040);
	session_leave(bench->session, 0);
	left = report_of(bench, 0).energy_pj;
	expect_near(left, whole - (late - squared(late)));
	/* Its slot's next tenant begins with nothing, and the sum keeps what was taken. */
	whole = power_of(bench).mean_uw;
	join(bench, 0);
	assert_int_equal(report_of(bench, 0).energy_pj, 0);
	assert_int_equal(power_of(bench).mean_uw, whole);
	bench_free(bench);
}

/* --- the cap ----------------------------------------------------------------------------- */

/* Mean power of epochs, which here are as long as windows. */
static u64 last_uw(const struct bench *bench)
{
	return bench->epochs[bench->epoch_count - 1].power_uw;
}

static void caps_lower_the_clock_step_by_step(void **state)
{
	struct bench *bench = started(0, 0);
	u32 watts, mhz = TOP_MHZ, steps = 0, i;
	u64 free_uw;

	join(bench, 0);
	launch(bench, 0, computing, 10, 0);
	run_to(bench, 30000);
	free_uw = last_uw(bench);
	/* A third of what its events take, and static power at the lowest voltage. */
	watts = (u32)(75 * 7 / 10 + (free_uw / 1000000 - 75) / 3);
	assert_int_equal(session_set_power_cap(bench->session, watts), 0);
	for (i = 0; i < 15; i++) {
		run_to(bench, session_now(bench->session) + SESSION_POWER_WINDOW_MIN);
		if (power_of(bench).clock_mhz == mhz)
			break;
		/* One step in each window. */
		assert_int_equal(power_of(bench).clock_mhz, mhz - 120);
		mhz -= 120;
		steps++;
	}
	assert_in_range(steps, 2, 10);
	run_to(bench, session_now(bench->session) + 5 * SESSION_POWER_WINDOW_MIN);
	assert_int_equal(power_of(bench).clock_mhz, mhz);
	assert_true(last_uw(bench) <= watts * 1000000ULL);
	/* It rises as fast. */
	assert_int_equal(session_set_power_cap(bench->session, 120), 0);
	for (; mhz < TOP_MHZ; mhz += 120) {
		assert_int_equal(power_of(bench).clock_mhz, mhz);
		run_to(bench, session_now(bench->session) + SESSION_POWER_WINDOW_MIN);
	}
	assert_int_equal(power_of(bench).clock_mhz, TOP_MHZ);
	bench_free(bench);
}

/* The clock rises only if clock times voltage squared leaves power below the cap. */
static void caps_do_not_swing(void **state)
{
	struct bench *bench = started(0, 60);
	u64 changes;

	join(bench, 0);
	launch(bench, 0, computing, 10, 0);
	run_to(bench, 200000);
	changes = power_of(bench).changes;
	assert_true(changes > 0);
	run_to(bench, 900000);
	assert_int_equal(power_of(bench).changes, changes);
	/* Without the cap it is the highest at once. */
	assert_int_equal(session_set_power_cap(bench->session, 0), 0);
	assert_int_equal(power_of(bench).clock_mhz, TOP_MHZ);
	bench_free(bench);
}

static void values_out_of_range_are_refused(void **state)
{
	struct bench *bench = started(0, 0);
	struct session *session = bench->session;

	assert_int_equal(session_set_clock(session, SESSION_CLOCK_MAX + 1), -EINVAL);
	assert_int_equal(session_set_power_cap(session, SESSION_POWER_CAP_MAX + 1), -EINVAL);
	assert_int_equal(session_set_power_window(session, SESSION_POWER_WINDOW_MAX + 1),
			 -EINVAL);
	assert_false(power_of(bench).used);
	bench_free(bench);
}

/* A GPU of one's own has one clock. */
static void gpus_without_a_table_keep_their_clock(void **state)
{
	struct bench *bench = prepared(HALF_MHZ, 1);

	assert_true(session_power_fits(&bench->options));
	strcpy(bench->options.config.name, "mine");
	assert_false(session_power_fits(&bench->options));
	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	run_to(bench, 50000);
	assert_int_equal(power_of(bench).clock_mhz, TOP_MHZ);
	assert_int_equal(power_of(bench).changes, 0);
	assert_false(power_of(bench).known);
	assert_int_equal(session_prepare_clock(bench->session, 1000), -EINVAL);
	assert_int_equal(session_prepare_clock(bench->session, 0), 0);
	bench_free(bench);
}

/* --- policies ---------------------------------------------------------------------------- */

static struct bench *bench_that_says(u64 mhz)
{
	struct bench *bench = bench_prepared(&looking, 0);

	bench->options.power_window = SESSION_POWER_WINDOW_MIN;
	bench_start(bench);
	say_even(1);
	seen.say.flags = SIMGPU_SAYS_CLOCK;
	seen.say.clock_mhz = mhz;
	join(bench, 0);
	launch(bench, 0, computing, 10, 0);
	run_to(bench, 25000);
	return bench;
}

static void policies_choose_a_clock(void **state)
{
	struct bench *bench = bench_that_says(HALF_MHZ);

	assert_int_equal(power_of(bench).clock_mhz, HALF_MHZ);
	assert_int_equal(seen.last.clock_mhz, HALF_MHZ);
	assert_int_equal(seen.last.core_mhz, TOP_MHZ);
	assert_int_equal(seen.last.clock_count, 11);
	assert_int_equal(seen.last.clocks[10].mhz, TOP_MHZ);
	assert_int_equal(seen.last.clocks[10].mv, 1000);
	assert_int_equal(seen.last.clocks[4].mhz, HALF_MHZ);
	assert_int_equal(seen.last.clocks[4].mv, 700);
	assert_int_equal(seen.last.power_cap_mw, 0);
	assert_int_equal(seen.last.power_mw, last_uw(bench) / 1000);
	/* A lower setting wins, and so does a cap. */
	session_set_clock(bench->session, 320);
	assert_int_equal(power_of(bench).clock_mhz, 320);
	session_set_clock(bench->session, 0);
	assert_int_equal(power_of(bench).clock_mhz, HALF_MHZ);
	session_set_power_cap(bench->session, 1);
	run_to(bench, 200000);
	assert_int_equal(power_of(bench).clock_mhz, 200);
	assert_int_equal(seen.last.power_cap_mw, 1000);
	session_set_power_cap(bench->session, 0);
	/* The next policy begins with the highest clock. */
	session_set_policy(bench->session, &policy_even);
	assert_int_equal(power_of(bench).clock_mhz, TOP_MHZ);
	bench_free(bench);
}

static void clocks_that_there_are_not_are_refused(void **state)
{
	static const u64 wrong[] = { 1, HALF_MHZ + 1, TOP_MHZ + 120, U64_MAX };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct bench *bench = bench_that_says(wrong[i]);

		expect_proposal_refused(bench, "clock_mhz", SESSION_NOWHERE);
		assert_int_equal(power_of(bench).clock_mhz, TOP_MHZ);
		bench_free(bench);
	}
}

/* --- determinism ------------------------------------------------------------------------- */

/* Tenants of all kinds, under a cap, with knobs that are written. */
static void live(struct bench *bench, u64 step)
{
	u32 slot;

	for (slot = 0; slot < 3; slot++)
		join(bench, slot);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, random_reads, 1, 7777);
	run_in_steps(bench, 33333, step);
	session_set_clock(bench->session, 1300);
	launch(bench, 2, copying, 20, 60000);
	run_in_steps(bench, 71234, step);
	session_set_power_cap(bench->session, 55);
	run_in_steps(bench, 120001, step);
	session_set_power_window(bench->session, 23456);
	session_leave(bench->session, 0);
	run_in_steps(bench, 222222, step);
	session_set_power_cap(bench->session, 55);
	run_in_steps(bench, 250000, step);
}

static void expect_same_power(const struct bench *a, const struct bench *b)
{
	struct session_power x = power_of(a), y = power_of(b);

	assert_int_equal(x.clock_mhz, y.clock_mhz);
	assert_int_equal(x.changes, y.changes);
	assert_int_equal(x.mean_mhz, y.mean_mhz);
	assert_int_equal(x.epoch_uw, y.epoch_uw);
	assert_int_equal(x.mean_uw, y.mean_uw);
	assert_int_equal(x.static_saved_pj, y.static_saved_pj);
}

static void results_do_not_depend_on_pauses(void **state)
{
	static const u64 steps[] = { 997, 10000, 31 };
	const struct trace *const traces[] = { computing, random_reads, copying };
	struct bench *first = started(0, 0), *replayed = started(0, 0);
	u32 i;

	live(first, ALL_AT_ONCE);
	assert_true(power_of(first).changes > 3);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct bench *cut = started(0, 0);

		live(cut, steps[i]);
		expect_same(first, cut);
		expect_same_power(first, cut);
		bench_free(cut);
	}
	replay_journal(first->session, replayed->session, traces, ARRAY_SIZE(traces));
	expect_same(first, replayed);
	expect_same_power(first, replayed);
	bench_free(replayed);
	bench_free(first);
}

/* A change of the clock ends what was measured: leaps go by measurements of the new one. */
static void sampled_time_follows_the_clock(void **state)
{
	u64 issued[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct bench *bench = prepared(0, 0);
		u64 before;

		bench->options.sampled = i ? 5 : 0;
		bench->options.epoch_cycles = 500000;
		bench_start(bench);
		join(bench, 0);
		launch(bench, 0, computing, 1000, 0);
		run_to(bench, 3000000);
		session_set_clock(bench->session, HALF_MHZ);
		before = issued_by(bench, 0);
		run_to(bench, session_now(bench->session) + 3000000);
		issued[i] = (issued_by(bench, 0) - before) * 1000 /
			    (session_now(bench->session) - 3000000);
		if (i) {
			struct session_sampling sampling;

			session_sampling(bench->session, &sampling);
			assert_true(sampling.leapt_cycles > 1000000);
		}
		bench_free(bench);
	}
	expect_part(issued[1], issued[0], 950, 1050);
}

/* --- the hash ---------------------------------------------------------------------------- */

static void each_byte_shows_once_power_is_used(void **state)
{
	struct bench *bench = started(HALF_MHZ, 0);
	struct session *session = bench->session;
	u8 *bytes = (u8 *)&session->power;
	u64 hash;
	size_t i;

	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	run_to(bench, 20000);
	hash = session_state_hash(session);
	for (i = 0; i < sizeof(session->power); i++) {
		bytes[i]++;
		assert_true(session_state_hash(session) != hash);
		bytes[i]--;
	}
	session->gpu->core_mhz++;
	assert_true(session_state_hash(session) != hash);
	session->gpu->core_mhz--;
	assert_int_equal(session_state_hash(session), hash);
	bench_free(bench);
	/* Elsewhere not even what was measured. */
	bench = started(0, 0);
	hash = session_state_hash(bench->session);
	bench->session->power.epoch_pj++;
	assert_int_equal(session_state_hash(bench->session), hash);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_follow_their_rule),
		cmocka_unit_test(the_greatest_clock_that_is_not_above_is_found),
		cmocka_unit_test(cycles_of_the_sms_are_spread_evenly),
		cmocka_unit_test(what_computes_slows_down_with_the_clock),
		cmocka_unit_test(what_waits_for_memory_hardly_does),
		cmocka_unit_test(the_highest_clock_changes_nothing),
		cmocka_unit_test(events_in_sms_take_less),
		cmocka_unit_test(changes_save_from_then_on),
		cmocka_unit_test(caps_lower_the_clock_step_by_step),
		cmocka_unit_test(caps_do_not_swing),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(gpus_without_a_table_keep_their_clock),
		cmocka_unit_test(policies_choose_a_clock),
		cmocka_unit_test(clocks_that_there_are_not_are_refused),
		cmocka_unit_test(results_do_not_depend_on_pauses),
		cmocka_unit_test(sampled_time_follows_the_clock),
		cmocka_unit_test(each_byte_shows_once_power_is_used),
	};

	return cmocka_run_group_tests_name("power", tests, make_traces, free_traces);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What is said of a service's requests at a run's end: those that have not ended, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../userspace/offline/service.h"

/* At 0, 100, ... 900 before the stop at 1,000; each has 150 cycles. */
#define EVERY		100
#define DEADLINE	150
#define STOP		1000
#define REQUESTS	10

static const struct arrivals_plan plan = {
	.kind = ARRIVALS_EVERY, .launches = 1, .requests = ARRIVALS_REQUESTS_MAX,
	.every_cycles = EVERY, .deadline_cycles = DEADLINE,
};

static struct service_figures judge(const struct arrivals_plan *of,
				    const u64 *ends, u64 ended)
{
	const struct service_run run = {
		.plan = of, .stop = STOP, .ends = ends, .ended = ended,
	};
	struct service_figures figures;

	assert_int_equal(service_judge(&run, &figures), 0);
	return figures;
}

static void deadlines_are_multiples(void **state)
{
	assert_int_equal(service_deadline(5 * SIMGPU_PPM, 25154), 125770);
	assert_int_equal(service_deadline(1500000, 3), 4);
	/* 0 would be none. */
	assert_int_equal(service_deadline(1, 1000), 1);
}

static void all_in_time(void **state)
{
	u64 ends[REQUESTS], i;
	struct service_figures figures;

	for (i = 0; i < REQUESTS; i++)
		ends[i] = i * EVERY + 10 * (i + 1);
	figures = judge(&plan, ends, REQUESTS);
	assert_int_equal(figures.requests, REQUESTS);
	assert_int_equal(figures.unfinished, 0);
	assert_int_equal(figures.judged, REQUESTS);
	assert_int_equal(figures.met, REQUESTS);
	/* Of 10 to 100, by nearest rank. */
	assert_int_equal(figures.p50_cycles, 50);
	assert_int_equal(figures.p99_cycles, 100);
}

/* As a session counts them: at the deadline itself a request is in time. */
static void ended_behind_their_deadline(void **state)
{
	const u64 ends[] = { DEADLINE, EVERY + DEADLINE + 1 };
	struct service_figures figures = judge(&plan, ends, 2);

	assert_int_equal(figures.met, 1);
}

/*
 * Those from 0 to 800 came 200 and more cycles before the end: their deadlines have
 * passed. That of 900 may still be met, and is not counted.
 */
static void never_run(void **state)
{
	struct service_figures figures = judge(&plan, NULL, 0);

	assert_int_equal(figures.requests, REQUESTS);
	assert_int_equal(figures.unfinished, REQUESTS);
	assert_int_equal(figures.late, REQUESTS - 1);
	assert_int_equal(figures.judged, REQUESTS - 1);
	assert_int_equal(figures.met, 0);
	/* 200 to 1,000 cycles old. */
	assert_int_equal(figures.p50_cycles, 600);
	assert_int_equal(figures.p99_cycles, 1000);
}

/* Who ends one at once and then none has no good tail for it. */
static void one_and_none_after_it(void **state)
{
	const u64 end = 10;
	struct service_figures figures = judge(&plan, &end, 1);

	assert_int_equal(figures.unfinished, REQUESTS - 1);
	assert_int_equal(figures.late, REQUESTS - 2);
	assert_int_equal(figures.judged, REQUESTS - 1);
	assert_int_equal(figures.met, 1);
	assert_int_equal(figures.p99_cycles, 900);
}

static void without_deadlines(void **state)
{
	struct arrivals_plan never = plan;
	const u64 end = 700;
	struct service_figures figures;

	never.deadline_cycles = 0;
	figures = judge(&never, &end, 1);
	assert_int_equal(figures.unfinished, REQUESTS - 1);
	assert_int_equal(figures.late, 0);
	assert_int_equal(figures.judged, 1);
	assert_int_equal(figures.met, 1);
}

/* One that comes when the run ends has not come. */
static void the_last_cycle(void **state)
{
	struct arrivals_plan few = plan;

	few.every_cycles = STOP;
	assert_int_equal(judge(&few, NULL, 0).requests, 1);
	few.every_cycles = STOP - 1;
	assert_int_equal(judge(&few, NULL, 0).requests, 2);
	few.requests = 1;
	assert_int_equal(judge(&few, NULL, 0).requests, 1);
}

/* A Poisson tenant's numbers depend on its slot: they do not fit in another one. */
static void of_its_slot(void **state)
{
	const struct arrivals_plan poisson = {
		.kind = ARRIVALS_POISSON, .launches = 1, .seed = 3,
		.requests = ARRIVALS_REQUESTS_MAX, .rate = 10000000000ULL,
	};
	struct arrivals_cursor first, other;
	struct service_run run = {
		.plan = &poisson, .slot = 1, .stop = STOP, .ended = 1,
	};
	struct service_figures figures;

	arrivals_first(&poisson, 0, &other);
	arrivals_first(&poisson, 1, &first);
	assert_true(other.cycle != first.cycle);
	run.ends = &first.cycle;
	assert_int_equal(service_judge(&run, &figures), 0);
	assert_int_equal(figures.p99_cycles, 0);
	run.slot = 0;
	assert_true(service_judge(&run, &figures) || figures.p99_cycles);
}

static void what_cannot_be(void **state)
{
	u64 ends[REQUESTS + 1] = { 0 };
	struct service_run run = {
		.plan = &plan, .stop = STOP, .ends = ends, .ended = REQUESTS + 1,
	};
	struct service_figures figures;

	assert_int_equal(service_judge(&run, &figures), -EINVAL);
	/* The second one before it came. */
	run.ended = 2;
	ends[1] = EVERY - 1;
	assert_int_equal(service_judge(&run, &figures), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deadlines_are_multiples),
		cmocka_unit_test(all_in_time),
		cmocka_unit_test(ended_behind_their_deadline),
		cmocka_unit_test(never_run),
		cmocka_unit_test(one_and_none_after_it),
		cmocka_unit_test(without_deadlines),
		cmocka_unit_test(the_last_cycle),
		cmocka_unit_test(of_its_slot),
		cmocka_unit_test(what_cannot_be),
	};

	return cmocka_run_group_tests_name("service", tests, NULL, NULL);
}

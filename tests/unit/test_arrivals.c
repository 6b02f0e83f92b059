// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that come by themselves: when they come, how long they wait, what is said
 * of that, and that journals, threads and steps repeat them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/journal.h"
#include "../../kmod/session/latency.h"
#include "bench.h"
#include "journal_of.h"

#define REQUESTS	100000

/*
 * One block on one SM: what a request takes does not depend on anybody. It ends just
 * before a decision boundary, so that it takes the same wherever it starts.
 */
static struct trace *one_block;

static int make_one_block(void **state)
{
	one_block = trace_compute(1, 3, 1633);
	return make_traces(state);
}

static int free_one_block(void **state)
{
	trace_free(one_block);
	return free_traces(state);
}

/** struct observed - when requests started and ended, as the session told */
struct observed {
	struct session *session;
	u64 *started;
	u64 *ended;
	u64 starts;
	u64 ends;
};

static void on_start(void *context, u32 slot, u32 queue, u64 sequence,
		     const struct trace *trace, u32 kernel)
{
	struct observed *observed = context;

	assert_int_equal(sequence, observed->starts + 1);
	observed->started[observed->starts++] = session_now(observed->session);
}

static void on_end(void *context, u32 slot, u32 queue, u64 sequence,
		   const struct trace *trace, int status)
{
	struct observed *observed = context;

	assert_int_equal(status, 0);
	assert_int_equal(sequence, observed->ends + 1);
	observed->ended[observed->ends++] = session_now(observed->session);
}

static struct arrivals_plan poisson(u64 rate, u64 requests)
{
	return (struct arrivals_plan) {
		.kind = ARRIVALS_POISSON,
		.launches = 1,
		.requests = requests,
		.seed = 7,
		.rate = rate,
	};
}

static void observe(struct observed *observed, u64 requests)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.epoch_cycles = SESSION_EPOCH_CYCLES_MAX;
	bench->options.policy = &policy_even;
	session_default_params(&bench->options);
	bench->hooks = (struct session_hooks) {
		.context = observed,
		.launch_done = on_end,
		.kernel_start = on_start,
	};
	observed->started = calloc(requests, sizeof(u64));
	observed->ended = calloc(requests, sizeof(u64));
	observed->starts = 0;
	observed->ends = 0;
	bench_start(bench);
	observed->session = bench->session;
	free(bench);
}

static void forget(struct observed *observed)
{
	session_destroy(observed->session);
	free(observed->started);
	free(observed->ended);
}

static struct session_tenant_report run_plan(struct observed *observed,
					     const struct arrivals_plan *plan)
{
	struct session_tenant_options options = plain();
	struct session_tenant_report report;
	u64 last;

	observe(observed, plan->requests);
	assert_int_equal(session_join(observed->session, 0, &options), 0);
	assert_int_equal(session_arrivals(observed->session, 0, one_block, plan,
					  &last), 0);
	assert_int_equal(last, plan->requests);
	session_run(observed->session, ALL_AT_ONCE);
	assert_int_equal(session_state(observed->session), SESSION_IDLE);
	assert_int_equal(observed->ends, plan->requests);
	session_tenant_report(observed->session, 0, &report);
	return report;
}

/* Cycles from one request's start to the next one's, where many wait. */
static u64 back_to_back(void)
{
	struct arrivals_plan plan = poisson(ARRIVALS_RATE_MAX, 50);
	struct observed observed;
	u64 cycles, i;

	run_plan(&observed, &plan);
	cycles = observed.started[49] - observed.started[48];
	for (i = 10; i < 50; i++)
		assert_int_equal(observed.started[i] - observed.started[i - 1],
				 cycles);
	forget(&observed);
	return cycles;
}

static int by_size(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static u64 ns(u64 cycles, const struct session *session)
{
	return cycles * 1000 / session_options(session)->config.core_mhz;
}

/* A percentile as anybody would write it down. */
static u64 sorted_percentile(const u64 *sorted, u64 count, u32 percent)
{
	return sorted[(count * percent + 99) / 100 - 1];
}

static void expect_near(u64 value, u64 other, double part)
{
	double distance = fabs((double)value - (double)other);

	if (distance > part * (double)other)
		fail_msg("%llu is not within %.3f of %llu", value, part, other);
}

/*
 * W(n+1) = max(0, W(n) + S - gap): the waits of one server that takes S for each,
 * from the same arrivals. Against what the session told, and M/D/1's mean at half
 * the rate: rho * S / (2 * (1 - rho)).
 */
static void waits_are_lindleys(void **state)
{
	const u64 service = back_to_back();
	struct arrivals_plan plan = poisson(ARRIVALS_RATE_MAX / (2 * service),
					    REQUESTS);
	u64 *latencies = calloc(REQUESTS, sizeof(u64)), free_at = 0, i;
	struct session_tenant_report report;
	struct arrivals_cursor cursor;
	struct observed observed;
	double waited = 0, lindley = 0;

	report = run_plan(&observed, &plan);
	arrivals_first(&plan, 0, &cursor);
	for (i = 0; i < REQUESTS; i++) {
		u64 start = cursor.cycle > free_at ? cursor.cycle : free_at;

		assert_in_range(observed.started[i] + GPU_BOUNDARY_CYCLES,
				start, start + 2 * GPU_BOUNDARY_CYCLES);
		free_at = start + service;
		waited += (double)(observed.started[i] - cursor.cycle);
		lindley += (double)(start - cursor.cycle);
		latencies[i] = observed.ended[i] - cursor.cycle;
		assert_int_equal(arrivals_next(&plan, 0, &cursor),
				 i + 1 < REQUESTS);
	}
	waited /= REQUESTS;
	lindley /= REQUESTS;
	expect_near((u64)lindley, service / 2, 0.05);
	expect_near((u64)waited, service / 2, 0.05);
	assert_int_equal(report.latency.launches, REQUESTS);
	expect_near(report.latency.wait_mean_ns,
		    ns((u64)waited, observed.session), 0.01);
	qsort(latencies, REQUESTS, sizeof(u64), by_size);
	expect_near(report.latency.latency_p50_ns,
		    ns(sorted_percentile(latencies, REQUESTS, 50),
		       observed.session), 0.1);
	expect_near(report.latency.latency_p99_ns,
		    ns(sorted_percentile(latencies, REQUESTS, 99),
		       observed.session), 0.1);
	free(latencies);
	forget(&observed);
}

/* Gaps are exponential: their mean, their variance, and the part above the mean. */
static void poisson_gaps_are_exponential(void **state)
{
	struct arrivals_plan plan = poisson(ARRIVALS_RATE_MAX / 10000, REQUESTS);
	struct arrivals_cursor cursor;
	double sum = 0, squares = 0;
	u64 before = 0, above = 0;

	arrivals_first(&plan, 3, &cursor);
	do {
		double gap = (double)(cursor.cycle - before);

		before = cursor.cycle;
		sum += gap;
		squares += gap * gap;
		above += gap > 10000;
	} while (arrivals_next(&plan, 3, &cursor));
	sum /= REQUESTS;
	squares /= REQUESTS;
	assert_in_range((u64)sum, 9900, 10100);
	assert_in_range((u64)sqrt(squares - sum * sum), 9850, 10150);
	/* 1/e, with three deviations of such a count. */
	assert_in_range(above, 36330, 37245);
}

/* Journals replay on other builds: a plan's cycles are the same everywhere, for ever. */
static void poisson_cycles_are_those_of_before(void **state)
{
	static const struct {
		u32 slot;
		u64 cycles[8];
	} cases[] = {
		{ 0, { 1287216, 1631225, 1787750, 2870635, 4397277, 7422500,
		       9216613, 10295059 } },
		{ 63, { 707916, 1189147, 1698303, 4116439, 4391082, 4675231,
			6574966, 8311447 } },
	};
	struct arrivals_plan plan = poisson(ARRIVALS_RATE_MAX / 1000000, 8);
	struct arrivals_cursor cursor;
	u32 i, j;

	plan.seed = 1;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		arrivals_first(&plan, cases[i].slot, &cursor);
		for (j = 0; j < 8; j++) {
			assert_int_equal(cursor.cycle, cases[i].cycles[j]);
			assert_int_equal(arrivals_next(&plan, cases[i].slot,
						       &cursor), j < 7);
		}
	}
}

static void slots_and_seeds_differ(void **state)
{
	struct arrivals_plan plan = poisson(ARRIVALS_RATE_MAX / 100000, 10);
	struct arrivals_cursor a, b, c, again;

	arrivals_first(&plan, 0, &a);
	arrivals_first(&plan, 1, &b);
	arrivals_first(&plan, 0, &again);
	plan.seed++;
	arrivals_first(&plan, 0, &c);
	assert_int_equal(a.cycle, again.cycle);
	assert_int_not_equal(a.cycle, b.cycle);
	assert_int_not_equal(a.cycle, c.cycle);
}

static void requests_come_at_listed_cycles(void **state)
{
	static const u64 cycles[] = { 100, 50000, 50000, 900000 };
	struct arrivals_plan plan = {
		.kind = ARRIVALS_LIST,
		.launches = 1,
		.requests = ARRAY_SIZE(cycles),
		.list = cycles,
	};
	struct observed observed;

	run_plan(&observed, &plan);
	assert_int_equal(observed.started[0], 100);
	assert_int_equal(observed.started[1], 50000);
	/* The third waits for the second, that for nobody. */
	assert_true(observed.started[2] >= observed.ended[1]);
	assert_int_equal(observed.started[3], 900000);
	forget(&observed);
	plan.kind = ARRIVALS_EVERY;
	plan.every_cycles = 300000;
	run_plan(&observed, &plan);
	assert_int_equal(observed.started[0], 0);
	assert_int_equal(observed.started[3], 900000);
	forget(&observed);
}

/* Twice the rate at which they complete: they pile up, and are late. */
static void overload_is_told(void **state)
{
	const u64 service = back_to_back();
	struct arrivals_plan plan = poisson(2 * ARRIVALS_RATE_MAX / service,
					    4000);
	struct session_tenant_report report;
	struct bench *bench = malloc(sizeof(*bench));
	u64 last;

	bench_options(bench, 1);
	bench->options.stop_cycle = 1000 * service;
	bench->options.epoch_cycles = 1000000;
	bench->hooks = (struct session_hooks) { .context = bench };
	plan.deadline_cycles = 10 * service;
	bench_start(bench);
	join(bench, 0);
	assert_int_equal(session_arrivals(bench->session, 0, one_block, &plan,
					  &last), 0);
	run_in_steps(bench, ALL_AT_ONCE, 100000);
	report = report_of(bench, 0);
	assert_in_range(report.latency.launches, 990, 1000);
	assert_int_equal(report.waiting, SESSION_WAITING_MAX);
	/* After some 20 of them all are late. */
	assert_in_range(report.latency.deadline_misses, 900, 990);
	assert_true(report.latency.wait_mean_ns > 10 *
		    report.latency.run_mean_ns);
	bench_free(bench);
}

/* How often the cycle of a request was computed. */
static u64 computed;

bool __real_arrivals_next(const struct arrivals_plan *plan, u32 slot,
			  struct arrivals_cursor *cursor);
bool __wrap_arrivals_next(const struct arrivals_plan *plan, u32 slot,
			  struct arrivals_cursor *cursor);

bool __wrap_arrivals_next(const struct arrivals_plan *plan, u32 slot,
			  struct arrivals_cursor *cursor)
{
	computed++;
	return __real_arrivals_next(plan, slot, cursor);
}

/* Each of them takes a logarithm, and a tenant may ask for its report again and again. */
static void a_backlog_is_counted_once(void **state)
{
	const u64 service = back_to_back();
	const struct arrivals_plan plan = poisson(2 * ARRIVALS_RATE_MAX / service, 4000);
	struct bench *bench = malloc(sizeof(*bench));
	u64 last, before;
	u32 i;

	bench_options(bench, 1);
	/* A session that has stopped keeps what it has counted. */
	bench->options.stop_cycle = 2000 * service;
	bench->options.epoch_cycles = 1000000;
	bench->hooks = (struct session_hooks) { .context = bench };
	bench_start(bench);
	join(bench, 0);
	assert_int_equal(session_arrivals(bench->session, 0, one_block, &plan, &last), 0);
	session_run(bench->session, 1000 * service);
	assert_int_equal(report_of(bench, 0).waiting, SESSION_WAITING_MAX);
	before = computed;
	for (i = 0; i < 100; i++)
		assert_int_equal(report_of(bench, 0).waiting, SESSION_WAITING_MAX);
	assert_int_equal(computed, before);
	bench_free(bench);
}

/* A launch with a deadline. */
static int launch_by(struct bench *bench, u64 not_before, u64 deadline)
{
	const struct session_launch_options options = {
		.trace = brief,
		.repeats = 1,
		.not_before = not_before,
		.deadline = deadline,
	};
	u64 sequence;

	return session_launch_with(bench->session, 0, &options, &sequence);
}

static void bad_plans_are_refused(void **state)
{
	static const u64 backward[] = { 5, 4 };
	struct bench *bench = bench_new(0);
	struct arrivals_plan plan = poisson(1000000, 10), bad;
	u64 sequence, hash;

#define REFUSED(change) do {						\
		bad = plan;						\
		change;							\
		assert_non_null(arrivals_check(&bad));			\
		assert_int_equal(session_arrivals(bench->session, 0,	\
						  brief, &bad,		\
						  &sequence), -EINVAL);	\
	} while (0)
	join(bench, 0);
	hash = session_state_hash(bench->session);
	REFUSED(bad.kind = ARRIVALS_KINDS);
	REFUSED(bad.launches = 0);
	REFUSED(bad.launches = ARRIVALS_LAUNCHES_MAX + 1);
	REFUSED(bad.requests = 0);
	REFUSED(bad.requests = 1ULL << 32);
	REFUSED(bad.rate = 0);
	REFUSED(bad.rate = ARRIVALS_RATE_MAX + 1);
	REFUSED(bad.deadline_cycles = ARRIVALS_CYCLES_MAX + 1);
	REFUSED((bad.kind = ARRIVALS_EVERY, bad.every_cycles = 0));
	REFUSED((bad.kind = ARRIVALS_LIST, bad.list = NULL));
	REFUSED((bad.kind = ARRIVALS_LIST, bad.list = backward,
		 bad.requests = 2));
#undef REFUSED
	assert_int_equal(session_state_hash(bench->session), hash);
	assert_int_equal(launch_by(bench, 1000, 999), -EINVAL);
	launch(bench, 0, brief, 1, 0);
	assert_int_equal(session_arrivals(bench->session, 0, brief, &plan,
					  &sequence), -EBUSY);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(launch_by(bench, 0, 1), -EINVAL);
	assert_int_equal(session_arrivals(bench->session, 0, brief, &plan,
					  &sequence), 0);
	assert_int_equal(session_launch(bench->session, 0, brief, 1, 0,
					&sequence), -EBUSY);
	bench_free(bench);
}

/* The last of them ends as all those that have not come. */
static void leaving_ends_what_has_not_come(void **state)
{
	struct arrivals_plan plan = poisson(100000000, 1000);
	struct bench *bench = bench_new(0);
	const struct done *last;
	u64 sequence;

	join(bench, 0);
	assert_int_equal(session_arrivals(bench->session, 0, brief, &plan,
					  &sequence), 0);
	session_run(bench->session, 50000);
	assert_int_equal(session_state(bench->session), SESSION_RUNNING);
	session_leave(bench->session, 0);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	last = &bench->done[bench->done_count - 1];
	assert_int_equal(last->sequence, 1000);
	assert_int_equal(last->status, -ECANCELED);
	assert_ptr_equal(last->trace, brief);
	bench_free(bench);
}

/* --- repeating --- */

static struct bench *busy_bench(void)
{
	struct arrivals_plan plan = poisson(200000000, ARRIVALS_REQUESTS_MAX);
	struct bench *bench = malloc(sizeof(*bench));
	u64 sequence;

	bench_options(bench, 3);
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	join(bench, 2);
	launch(bench, 0, random_reads, 1, 0);
	plan.launches = 2;
	assert_int_equal(session_arrivals(bench->session, 1, brief, &plan,
					  &sequence), 0);
	plan.kind = ARRIVALS_EVERY;
	plan.every_cycles = 4321;
	assert_int_equal(session_arrivals(bench->session, 2, middling, &plan,
					  &sequence), 0);
	return bench;
}

static void expect_same_latency(struct bench *a, struct bench *b)
{
	u32 slot;

	for (slot = 0; slot < 3; slot++) {
		struct session_tenant_report x = report_of(a, slot);
		struct session_tenant_report y = report_of(b, slot);

		assert_memory_equal(&x.latency, &y.latency, sizeof(x.latency));
		assert_int_equal(x.waiting, y.waiting);
	}
}

static void steps_show_in_no_latency(void **state)
{
	static const u64 steps[] = { 2000, 777, 33 };
	struct bench *once = busy_bench();
	u32 i;

	run_in_steps(once, ALL_AT_ONCE, ALL_AT_ONCE);
	assert_true(report_of(once, 1).latency.launches > 2);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct bench *often = busy_bench();

		run_in_steps(often, ALL_AT_ONCE, steps[i]);
		expect_same(once, often);
		expect_same_latency(once, often);
		bench_free(often);
	}
	bench_free(once);
}

static const u64 listed[] = { 0, 900, 20000, 20000, 40000 };

static const u64 *find_list(const void *lists, u64 length, u32 checksum)
{
	if (length != ARRAY_SIZE(listed) ||
	    checksum != port_crc32(0, listed, sizeof(listed)))
		return NULL;
	return lists;
}

static const struct gpu_config *find_config(const char *name)
{
	static struct gpu_config config;

	config = small_config();
	return &config;
}

/* Through the text, as a reader of the journal has it. */
static struct journal_event read_again(const struct journal_event *event)
{
	const struct journal_names names = {
		.config = find_config, .policy = registry_policy_find,
		.model = registry_model_find,
	};
	char text[JOURNAL_LINE_BYTES], reason[200];
	struct journal_line *line = malloc(sizeof(*line));
	const char *at = text;
	struct journal_event out;

	journal_print_event(text, event);
	assert_int_equal(journal_parse_line(&at, &names, line, reason,
					    sizeof(reason)), 0);
	out = line->event;
	free(line);
	return out;
}

static void journals_repeat_arrivals(void **state)
{
	const struct trace *traces[] = { random_reads, brief, middling };
	const struct session_replay given = {
		.policy = registry_policy_find,
		.model = registry_model_find,
		.list = find_list,
		.lists = listed,
	};
	struct bench *lived = busy_bench(), *again = malloc(sizeof(*again));
	const struct journal_event *events;
	u32 count, i, launches = 0;
	u64 lost;

	bench_options(again, 3);
	again->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench_start(again);
	run_in_steps(lived, 30000, 1000);
	events = journal_of(lived->session, &count, &lost);
	for (i = 0; i < count; i++) {
		struct journal_event event = read_again(&events[i]);
		bool launch = event.kind == JOURNAL_LAUNCH ||
			      event.kind == JOURNAL_ARRIVALS;

		assert_int_equal(session_replay_event(again->session, &event,
						      launch ?
						      traces[launches] : NULL,
						      &given), 0);
		launches += launch;
	}
	assert_int_equal(launches, 3);
	run_in_steps(again, 30000, 30000);
	expect_same(lived, again);
	expect_same_latency(lived, again);
	bench_free(lived);
	bench_free(again);
}

/* A list is only named: there it is, or the line is refused. */
static void journals_need_their_lists(void **state)
{
	struct arrivals_plan plan = {
		.kind = ARRIVALS_LIST,
		.launches = 1,
		.requests = ARRAY_SIZE(listed),
		.list = listed,
	};
	struct session_replay given = { .list = find_list, .lists = listed };
	struct bench *lived = bench_new(0), *again = bench_new(0);
	const struct journal_event *events;
	struct journal_event event;
	u64 sequence, lost;
	u32 count;

	join(lived, 0);
	join(again, 0);
	assert_int_equal(session_arrivals(lived->session, 0, brief, &plan,
					  &sequence), 0);
	events = journal_of(lived->session, &count, &lost);
	event = read_again(&events[count - 1]);
	given.lists = NULL;
	assert_int_equal(session_replay_event(again->session, &event, brief,
					      &given), -ENOENT);
	assert_int_equal(session_replay_event(again->session, &event, computing,
					      &given), -EINVAL);
	given.lists = listed;
	assert_int_equal(session_replay_event(again->session, &event, brief,
					      &given), 0);
	session_run(lived->session, ALL_AT_ONCE);
	session_run(again->session, ALL_AT_ONCE);
	assert_int_equal(report_of(lived, 0).latency.launches, 5);
	expect_same(lived, again);
	bench_free(lived);
	bench_free(again);
}

/* --- latencies alone --- */

static void percentiles_are_near(void **state)
{
	struct latency *latency = calloc(1, sizeof(*latency));
	const struct latency_figures *figures;
	u64 i;

	figures = latency_figures(latency, 1000);
	assert_int_equal(figures->launches, 0);
	assert_int_equal(figures->latency_p99_ns, 0);
	/* Latencies of 1 to 100,000 cycles, a tenth of which they waited. */
	for (i = 1; i <= 100000; i++)
		latency_add(latency, i * 1000, i * 1000 + i / 10, i * 1001,
			    i % 4 ? 0 : i * 1000 + 50000);
	figures = latency_figures(latency, 1000);
	expect_near(figures->latency_p50_ns, 50000, 0.016);
	expect_near(figures->latency_p95_ns, 95000, 0.016);
	expect_near(figures->latency_p99_ns, 99000, 0.016);
	expect_near(figures->wait_p99_ns, 9900, 0.016);
	expect_near(figures->wait_mean_ns, 5000, 0.001);
	expect_near(figures->run_mean_ns, 45000, 0.001);
	assert_int_equal(figures->deadline_misses, 12500);
	/* 87,500 in 100,100,000 - 1000 cycles of a nanosecond. */
	expect_near(figures->goodput_ppm, 874134000000ULL, 0.0001);
	free(latency);
}

/* Below 64 cycles to the cycle, from there on the middle of a 32nd of a power of two. */
static void latencies_are_of_32nds(void **state)
{
	static const struct {
		u64 cycles;
		u64 shown;
	} cases[] = {
		{ 0, 0 }, { 1, 1 }, { 63, 63 }, { 64, 65 }, { 65, 65 },
		{ 66, 67 }, { 127, 127 }, { 128, 130 }, { 131, 130 },
		{ 132, 134 }, { 255, 254 }, { 1024, 1040 }, { 1055, 1040 },
		{ 1056, 1072 }, { 2047, 2032 },
		/* All from 2^48 on are in the last one. */
		{ (1ULL << 47) - 1, 63 * (1ULL << 41) + (1ULL << 40) },
		{ 1ULL << 47, (1ULL << 47) + (1ULL << 41) },
		{ (1ULL << 48) - 1, 63 * (1ULL << 42) + (1ULL << 41) },
		{ 1ULL << 48, 63 * (1ULL << 42) + (1ULL << 41) },
		{ U64_MAX, 63 * (1ULL << 42) + (1ULL << 41) },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct latency *latency = calloc(1, sizeof(*latency));
		const struct latency_figures *figures;

		latency_add(latency, 0, cases[i].cycles, cases[i].cycles, 0);
		figures = latency_figures(latency, 1000);
		assert_int_equal(figures->latency_p50_ns, cases[i].shown);
		assert_int_equal(figures->wait_p99_ns, cases[i].shown);
		assert_int_equal(figures->wait_mean_ns, cases[i].cycles);
		assert_int_equal(figures->run_mean_ns, 0);
		free(latency);
	}
}

/* So many of 100 took no longer: the nearest rank, from above. */
static void percentiles_are_of_the_nearest_rank(void **state)
{
	static const struct {
		u32 launches;
		u64 p50;
		u64 p95;
		u64 p99;
	} cases[] = {
		{ 1, 1, 1, 1 }, { 2, 1, 2, 2 }, { 3, 2, 3, 3 },
		{ 20, 10, 19, 20 }, { 21, 11, 20, 21 }, { 50, 25, 48, 50 },
	};
	u32 i;
	u64 k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct latency *latency = calloc(1, sizeof(*latency));
		const struct latency_figures *figures;

		for (k = cases[i].launches; k; k--)
			latency_add(latency, 100, 100, 100 + k, 0);
		figures = latency_figures(latency, 1000);
		assert_int_equal(figures->latency_p50_ns, cases[i].p50);
		assert_int_equal(figures->latency_p95_ns, cases[i].p95);
		assert_int_equal(figures->latency_p99_ns, cases[i].p99);
		assert_int_equal(figures->wait_p99_ns, 0);
		free(latency);
	}
}

/* In time at the deadline itself; goodput has those in time only, by device time. */
static void the_deadline_itself_is_in_time(void **state)
{
	struct latency *latency = calloc(1, sizeof(*latency));
	const struct latency_figures *figures;

	latency_add(latency, 1000, 2000, 10000, 10000);
	latency_add(latency, 2000, 10000, 500000, 499999);
	latency_add(latency, 3000, 500000, 501000, 0);
	/* 500,000 cycles at 500 MHz are a millisecond, of two in time. */
	figures = latency_figures(latency, 500);
	assert_int_equal(figures->launches, 3);
	assert_int_equal(figures->deadline_misses, 1);
	assert_int_equal(figures->goodput_ppm, 2000 * SIMGPU_PPM);
	/* Two nanoseconds a cycle. */
	assert_int_equal(figures->wait_mean_ns, 506000 / 3 * 2);
	assert_int_equal(figures->run_mean_ns, 499000 / 3 * 2);
	free(latency);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_lindleys),
		cmocka_unit_test(poisson_gaps_are_exponential),
		cmocka_unit_test(poisson_cycles_are_those_of_before),
		cmocka_unit_test(slots_and_seeds_differ),
		cmocka_unit_test(requests_come_at_listed_cycles),
		cmocka_unit_test(overload_is_told),
		cmocka_unit_test(a_backlog_is_counted_once),
		cmocka_unit_test(bad_plans_are_refused),
		cmocka_unit_test(leaving_ends_what_has_not_come),
		cmocka_unit_test(steps_show_in_no_latency),
		cmocka_unit_test(journals_repeat_arrivals),
		cmocka_unit_test(journals_need_their_lists),
		cmocka_unit_test(percentiles_are_near),
		cmocka_unit_test(latencies_are_of_32nds),
		cmocka_unit_test(percentiles_are_of_the_nearest_rank),
		cmocka_unit_test(the_deadline_itself_is_in_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("arrivals", tests, make_one_block,
					   free_one_block);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * One memory channel of hbm80 alone: every command against the timing table
 * (dram_checker.c), the row-hit cap, and saturated bandwidth beside public
 * simulators.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dram_checker.h"

#define BANKS	16

/* How a channel's banks are refreshed. */
enum { NO_REFRESH, AT_ONCE, IN_TURN, REFRESHES };

/* Ramulator 2's HBM2: a refresh of a bank to its activate, and to another's. */
#define TRFC_BANK_NS	160
#define TRREFD_NS	8

static u32 clocks_of(const struct gpu_config *config, u32 ns)
{
	return (ns * config->memory_mhz + 999) / 1000;
}

static void hbm80_make(struct lone_channel *bench, u32 refresh)
{
	struct gpu_config config = *gpu_config_find("hbm80");

	if (refresh == NO_REFRESH)
		config.dram.trefi = 0;
	if (refresh == IN_TURN) {
		config.dram.trfc_bank = clocks_of(&config, TRFC_BANK_NS);
		config.dram.trrefd = clocks_of(&config, TRREFD_NS);
	}
	lone_channel_make(bench, &config);
}

static double rbh(const struct lone_channel *bench)
{
	const struct dram_checker *c = &bench->checker;

	return 1 - (double)c->activates / (c->reads + c->writes);
}

static double utilization(const struct lone_channel *bench)
{
	const struct dram_checker *c = &bench->checker;

	return 2.0 * (c->reads + c->writes) / bench->gpu->channels[0].clock;
}

/* --- tests ------------------------------------------------------------------------------ */

/*
 * No constraint is ever violated, and each one is met to the clock somewhere:
 * a command is refused a clock earlier and accepted then.
 */
static void timings_are_kept_and_tight(void **state)
{
	s64 slack[DRAM_RULES];
	u32 hits, writes, refresh, i;

	for (i = 0; i < DRAM_RULES; i++)
		slack[i] = 1000000;
	for (hits = 0; hits <= 100; hits += 20) {
		for (writes = 0; writes <= 100; writes += 25) {
			for (refresh = 0; refresh < REFRESHES; refresh++) {
				struct lone_channel bench;
				static const u32 due[] = {
					0, 60000 / 1716, 60000 / (1716 / BANKS),
				};

				hbm80_make(&bench, refresh);
				lone_channel_saturate(&bench, hits, writes, 60000);
				for (i = 0; i < DRAM_RULES; i++)
					if (bench.checker.slack[i] < slack[i])
						slack[i] = bench.checker.slack[i];
				assert_int_equal(bench.checker.refreshes,
						 due[refresh]);
				lone_channel_free(&bench);
			}
		}
	}
	for (i = 0; i < DRAM_RULES; i++) {
		if (slack[i])
			print_message("# rule %u has slack %lld\n", i, slack[i]);
		assert_int_equal(slack[i], 0);
	}
}

/**
 * struct point - saturated utilization at an achieved RBH
 *
 * DRAMsim3 with a write drain, set to Table 1's timings, reads only; the
 * other public simulators lie within 0.005 of it (0.02 near the corner).
 */
struct point {
	double rbh;
	double utilization;
};

static const struct point without_refresh[] = {
	{ 0.0001, 0.4000 }, { 0.1013, 0.4450 }, { 0.2003, 0.5001 },
	{ 0.2963, 0.5681 }, { 0.4052, 0.6722 }, { 0.5021, 0.8027 },
	{ 0.5996, 0.9737 }, { 0.6985, 1.0000 }, { 0.7967, 0.9999 },
	{ 0.9002, 1.0000 }, { 1.0000, 1.0000 },
};

static const struct point with_refresh[] = {
	{ -0.0030, 0.3681 }, { 0.0974, 0.4089 }, { 0.1964, 0.4593 },
	{ 0.2922, 0.5208 }, { 0.4001, 0.6149 }, { 0.4962, 0.7323 },
	{ 0.5900, 0.8829 }, { 0.6823, 0.9132 }, { 0.7784, 0.9162 },
	{ 0.8811, 0.9163 }, { 0.9796, 0.9162 }, { 1.0000, 0.9162 },
};

static double reference(const struct point *points, u32 count, double at)
{
	u32 i = 0;

	while (i + 2 < count && points[i + 1].rbh < at)
		i++;
	return points[i].utilization +
	       (points[i + 1].utilization - points[i].utilization) *
	       (at - points[i].rbh) / (points[i + 1].rbh - points[i].rbh);
}

/* The tolerances of the device model, on achieved RBH. */
static double tolerance(double at)
{
	return at <= 0.4 ? 0.02 : at <= 0.7 ? 0.05 : 0.01;
}

static void saturated_reads_follow_the_reference(void **state)
{
	u32 hits, refresh;

	for (refresh = 0; refresh <= 1; refresh++) {
		for (hits = 0; hits <= 100; hits += 10) {
			double at, got, want;
			struct lone_channel bench;

			hbm80_make(&bench, refresh);
			lone_channel_saturate(&bench, hits, 0, 200000);
			at = rbh(&bench);
			got = utilization(&bench);
			want = refresh ? reference(with_refresh,
						   ARRAY_SIZE(with_refresh), at) :
					 reference(without_refresh,
						   ARRAY_SIZE(without_refresh),
						   at);
			print_message("# refresh %u offered %3u%%: rbh %.4f utilization %.4f reference %.4f\n",
				      refresh, hits, at, got, want);
			assert_true(got - want < tolerance(at) &&
				    want - got < tolerance(at));
			lone_channel_free(&bench);
		}
	}
}

/*
 * Bank 0 has row 1 open; the oldest request wants row 2 and ten younger ones
 * want row 1. @cap of them are served first (all ten where the cap is 0).
 */
static void hits_past_an_older_request_are_capped(void **state)
{
	static const u32 caps[] = { 5, 3, 1, 0 };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		struct lone_channel bench;
		u64 hits;

		hbm80_make(&bench, false);
		bench.gpu->config.row_hit_cap = caps[i];
		lone_channel_post(&bench, false, 0, 1);
		channel_run(bench.gpu, 0, 50);
		assert_int_equal(bench.checker.reads, 1);
		lone_channel_post(&bench, false, 0, 2);
		for (j = 0; j < 10; j++)
			lone_channel_post(&bench, false, 0, 1);
		while (bench.checker.activates < 2)
			channel_run(bench.gpu, 0,
				    bench.gpu->channels[0].clock + 1);
		hits = bench.checker.reads - 1;
		assert_int_equal(hits, caps[i] ? caps[i] : 10);
		channel_run(bench.gpu, 0, 500);
		assert_int_equal(bench.checker.reads, 12);
		lone_channel_free(&bench);
	}
}

/* Writes wait for their drain, and then all of them go. */
static void writes_drain(void **state)
{
	struct lone_channel bench;
	u32 i;

	hbm80_make(&bench, false);
	for (i = 0; i < 200; i++)
		lone_channel_post(&bench, false, i % BANKS, i);
	for (i = 0; i < 31; i++)
		lone_channel_post(&bench, true, i % BANKS, 1000 + i);
	/* 31 writes do not start a drain while reads wait; 32 do. */
	channel_run(bench.gpu, 0, 300);
	assert_true(bench.checker.reads > 0);
	assert_int_equal(bench.checker.writes, 0);
	lone_channel_post(&bench, true, 0, 2000);
	channel_run(bench.gpu, 0, 500);
	assert_true(bench.checker.writes > 0);
	channel_run(bench.gpu, 0, 5000);
	assert_int_equal(bench.checker.reads, 200);
	assert_int_equal(bench.checker.writes, 32);
	lone_channel_free(&bench);
}

/*
 * Where no request hits, each is opened for once: turning from reads to writes
 * and back wastes no activate.
 */
static void no_row_is_opened_in_vain(void **state)
{
	struct lone_channel bench;

	hbm80_make(&bench, false);
	lone_channel_saturate(&bench, 0, 30, 100000);
	assert_true(bench.checker.writes > 5000);
	/* What was opened for requests that the run did not get to. */
	assert_in_range(bench.checker.activates,
			bench.checker.reads + bench.checker.writes - 20,
			bench.checker.reads + bench.checker.writes + BANKS);
	lone_channel_free(&bench);
}

/* --- bank groups ------------------------------------------------------------------------ */

/* Clocks from the first column access of 64 hits to the last, on two banks. */
static u64 hits_on(u32 first_bank, u32 second_bank, struct lone_channel *bench)
{
	u32 i;

	lone_channel_post(bench, false, first_bank, 1);
	lone_channel_post(bench, false, second_bank, 1);
	channel_run(bench->gpu, 0, 200);
	assert_int_equal(bench->checker.reads, 2);
	for (i = 0; i < 64; i++)
		lone_channel_post(bench, false, i % 2 ? first_bank : second_bank,
				  1);
	channel_run(bench->gpu, 0, 201);
	assert_int_equal(bench->checker.column_command, 200);
	channel_run(bench->gpu, 0, 3000);
	assert_int_equal(bench->checker.reads, 66);
	return bench->checker.column_command - 200;
}

/*
 * Between a line's accesses, tccd_l apart in their group, there is room for
 * those of another group, tccd_s apart: together they fill the bus.
 */
static void accesses_of_groups_interleave(void **state)
{
	const struct gpu_config *config = gpu_config_find("k20");
	const u64 accesses = 64 * config->column_accesses_per_line;
	struct lone_channel bench;

	assert_int_equal(config->dram.tccd_l, 2 * config->dram.tccd_s);
	lone_channel_make(&bench, config);
	assert_int_equal(hits_on(0, 1, &bench),
			 (accesses - 1) * config->dram.tccd_l);
	lone_channel_free(&bench);
	lone_channel_make(&bench, config);
	assert_int_equal(hits_on(0, 4, &bench),
			 (accesses - 1) * config->dram.tccd_s);
	lone_channel_free(&bench);
}

/* Each access is as early as the rules of columns allow, somewhere. */
static void single_accesses_are_tight(void **state)
{
	static const enum dram_rule rules[] = {
		TRTP, TWR, TRCD_READ, TRCD_WRITE, READ_READ, READ_READ_GROUP,
		WRITE_WRITE, WRITE_WRITE_GROUP, READ_WRITE, TWTR_S,
	};
	static const char *const names[] = { "gtx480", "gtx680", "k20" };
	u32 hits, writes, i, name;

	for (name = 0; name < ARRAY_SIZE(names); name++) {
		s64 slack[DRAM_RULES];

		memset(slack, 0x7f, sizeof(slack));
		for (hits = 0; hits <= 100; hits += 20) {
			for (writes = 0; writes <= 100; writes += 25) {
				struct lone_channel bench;

				lone_channel_make(&bench,
						  gpu_config_find(names[name]));
				lone_channel_saturate(&bench, hits, writes,
						      20000);
				for (i = 0; i < DRAM_RULES; i++)
					if (bench.checker.slack[i] < slack[i])
						slack[i] = bench.checker.slack[i];
				lone_channel_free(&bench);
			}
		}
		for (i = 0; i < ARRAY_SIZE(rules); i++) {
			if (slack[rules[i]])
				print_message("# %s: rule %u has slack %lld\n",
					      names[name], rules[i],
					      slack[rules[i]]);
			assert_int_equal(slack[rules[i]], 0);
		}
	}
}

/* --- priorities ------------------------------------------------------------------------- */

#define STREAMS		2
/* Requests that each stream has under way. */
#define DEPTH		64
#define CLOCKS		150000

/**
 * struct streams - tenants that keep DEPTH reads each under way
 * @priority: of each; a stream of -1 does nothing
 * @hits: percent of their requests that ask for their last row in the bank
 * @row: by stream and bank, of its last request
 * @posted: by stream and request, the clock
 * @longest: that a request took
 */
struct streams {
	struct lone_channel bench;
	int priority[STREAMS];
	u32 hits;
	u32 row[STREAMS][BANKS];
	u64 posted[STREAMS][DEPTH];
	u64 served[STREAMS];
	u64 longest[STREAMS];
	u64 random;
};

static u32 draw(struct streams *s, u32 below)
{
	s->random = s->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(s->random >> 33) % below;
}

static void post(struct streams *s, u32 stream, u32 number)
{
	u64 clock = s->bench.gpu->channels[0].clock;
	struct dram_request request = {
		.ready_clock = clock,
		.sectors = TRACE_SECTORS,
		.bank = draw(s, BANKS),
		.priority = s->priority[stream],
		.tag = { .slot = stream, .mshr = number },
	};

	if (draw(s, 100) >= s->hits)
		s->row[stream][request.bank] = stream << 16 | draw(s, 32768);
	request.row = s->row[stream][request.bank];
	s->posted[stream][number] = clock;
	channel_post(s->bench.gpu, 0, false, &request);
}

/* What has been served is followed by a new request. */
static void follow(struct streams *s)
{
	struct slice *slice = &s->bench.gpu->slices[0];
	u32 i;

	for (i = 0; i < slice->done_count; i++) {
		const struct dram_tag *tag = &slice->done[i].tag;
		u64 took = s->bench.gpu->channels[0].clock -
			   s->posted[tag->slot][tag->mshr];

		s->served[tag->slot]++;
		if (took > s->longest[tag->slot])
			s->longest[tag->slot] = took;
		post(s, tag->slot, tag->mshr);
	}
	slice->done_count = 0;
	slice->done_head = 0;
}

/* Run both on a configuration, each with its priority and @hits percent hits. */
static void run_streams(struct streams *s, const char *name, u32 hits,
			int first, int second)
{
	u32 stream, i;

	memset(s, 0, sizeof(*s));
	lone_channel_make(&s->bench, gpu_config_find(name));
	s->hits = hits;
	s->priority[0] = first;
	s->priority[1] = second;
	for (stream = 0; stream < STREAMS; stream++)
		for (i = 0; i < DEPTH && s->priority[stream] >= 0; i++)
			post(s, stream, i);
	while (s->bench.gpu->channels[0].clock < CLOCKS) {
		channel_run(s->bench.gpu, 0,
			    s->bench.gpu->channels[0].clock + 4);
		follow(s);
	}
	lone_channel_free(&s->bench);
}

static void a_prioritised_stream_keeps_its_bandwidth(void **state)
{
	struct streams alone, equal, ranked;
	u32 hits;

	for (hits = 0; hits <= 60; hits += 30) {
		u64 sum, equal_sum;

		run_streams(&alone, "hbm80", hits, -1, 0);
		run_streams(&equal, "hbm80", hits, 0, 0);
		run_streams(&ranked, "hbm80", hits, 0, 3);
		sum = ranked.served[0] + ranked.served[1];
		equal_sum = equal.served[0] + equal.served[1];
		print_message("# hits %u%%: alone %llu, equal %llu + %llu, prioritised %llu + %llu\n",
			      hits, alone.served[1], equal.served[1],
			      equal.served[0], ranked.served[1],
			      ranked.served[0]);
		assert_in_range(equal.served[1] * 100, equal_sum * 49,
				equal_sum * 51);
		assert_true(ranked.served[1] * 100 >= alone.served[1] * 94);
		/* Together not less; more where the one's hits stay together. */
		assert_in_range(sum * 100, equal_sum * 98,
				equal_sum * (103 + hits / 2));
		/* Equal priorities are equal, whichever. */
		run_streams(&ranked, "hbm80", hits, 2, 2);
		assert_memory_equal(ranked.served, equal.served,
				    sizeof(equal.served));
	}
}

/*
 * The rest waits, but not without end: until it is overdue, that is noticed,
 * and what is overdue with it has been served.
 */
static void nobody_starves(void **state)
{
	static const char *const names[] = { "hbm80", "k20" };
	struct streams s;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		run_streams(&s, names[i], 50, 0, 3);
		print_message("# %s: at most %llu clocks, with priority %llu\n",
			      names[i], s.longest[0], s.longest[1]);
		assert_true(s.served[0] > CLOCKS / DRAM_PRIORITY_WAIT * DEPTH / 2);
		assert_in_range(s.longest[0], DRAM_PRIORITY_WAIT,
				DRAM_PRIORITY_WAIT * 3 / 2);
		assert_true(s.longest[1] < DRAM_PRIORITY_WAIT / 2);
	}
}

/* The control's value goes with the requests of its slot, until it is dropped. */
static void priority_travels_with_requests(void **state)
{
	u32 line = 5, other = 1U << LINE_SLOT_SHIFT | line;
	struct lone_channel bench;
	const struct dram_request *inbox;
	u32 per_channel, slice;

	hbm80_make(&bench, false);
	gpu_set_memory_priority(bench.gpu, 1, 2);
	per_channel = bench.gpu->shape.slices_per_channel;
	slice = address_slice(bench.gpu, other);
	inbox = bench.gpu->channels[slice / per_channel].request[DRAM_READS];
	channel_send(bench.gpu, slice, other, DRAM_READS, TRACE_SECTORS, 0,
		     0);
	assert_int_equal(inbox[0].priority, 2);
	gpu_tenant_drop(bench.gpu, 1);
	channel_send(bench.gpu, slice, other, DRAM_READS, TRACE_SECTORS, 0,
		     0);
	assert_int_equal(inbox[1].priority, 0);
	gpu_set_memory_priority(bench.gpu, 1, 3);
	slice = address_slice(bench.gpu, line);
	inbox = bench.gpu->channels[slice / per_channel].request[DRAM_WRITES];
	channel_send(bench.gpu, slice, line, DRAM_WRITES, TRACE_SECTORS, 0, 0);
	assert_int_equal(inbox[0].priority, 0);
	lone_channel_free(&bench);
}

/* Post what arrives in the next @clocks clocks, of any kind and priority. */
static void post_mix(struct streams *s, u32 clocks)
{
	struct channel *channel = &s->bench.gpu->channels[0];
	u64 clock = channel->clock, end = clock + clocks;

	for (; clock < end && channel->pending < 250; clock += draw(s, 12)) {
		struct dram_request request = {
			.ready_clock = clock,
			.priority = draw(s, GPU_PRIORITIES),
			.sectors = TRACE_SECTORS,
			.bank = draw(s, BANKS),
			.row = draw(s, 3),
			.tag = { .mshr = draw(s, 64) },
		};

		channel_post(s->bench.gpu, 0, draw(s, 3) == 0, &request);
	}
}

/* A number that tells what came back and when. */
static u64 run_mix(const char *name, u32 batch)
{
	struct streams s = { .random = 5 };
	u64 came_back = 0;
	u32 window, i;

	lone_channel_make(&s.bench, gpu_config_find(name));
	for (window = 0; window < 200; window++) {
		struct slice *slice = &s.bench.gpu->slices[0];
		u64 end = s.bench.gpu->channels[0].clock + 200;

		post_mix(&s, 200);
		while (s.bench.gpu->channels[0].clock < end) {
			channel_run(s.bench.gpu, 0,
				    s.bench.gpu->channels[0].clock + batch);
			for (i = 0; i < slice->done_count; i++)
				came_back = came_back * 31 +
					    slice->done[i].ready * 64 +
					    slice->done[i].tag.mshr;
			slice->done_count = 0;
			slice->done_head = 0;
		}
	}
	assert_true(s.bench.checker.reads > 1000);
	assert_true(s.bench.checker.writes > 500);
	lone_channel_free(&s.bench);
	return came_back;
}

/* How far the channel runs at a time never shows. */
static void priorities_know_no_batches(void **state)
{
	static const char *const names[] = { "hbm80", "k20" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		u64 single = run_mix(names[i], 1);

		assert_int_equal(run_mix(names[i], 8), single);
		assert_int_equal(run_mix(names[i], 50), single);
	}
}

/* --- interference ----------------------------------------------------------------------- */

/* The @nth line of a slot that lies in bank 0 of channel 0, of another row each. */
static u32 line_in_bank(const struct gpu *gpu, u32 slot, u32 nth, u32 *slice)
{
	u32 line = slot << LINE_SLOT_SHIFT, last = ~0U, row;
	u8 bank;

	for (;; line++) {
		row = address_row(gpu, line, &bank);
		*slice = address_slice(gpu, line);
		if (*slice >= gpu->shape.slices_per_channel || bank ||
		    row == last)
			continue;
		last = row;
		if (!nth--)
			return line;
	}
}

static void write_back(struct gpu *gpu, u32 slot, u32 nth)
{
	u32 slice, line = line_in_bank(gpu, slot, nth, &slice);

	channel_send(gpu, slice, line, DRAM_WRITES, TRACE_SECTORS, NONE, 0);
}

static void expect(struct gpu *gpu, u32 slot, u64 activates, u64 rows, u64 clocks)
{
	struct simgpu_counters c;

	gpu_tenant_counters(gpu, slot, &c);
	assert_int_equal(c.row_activates, activates);
	assert_int_equal(c.row_interference, rows);
	assert_int_equal(c.bank_interference_clocks, clocks);
}

/* An activate, the write, and what it asks for before the precharge. */
#define WRITE_HOLDS	(7 + 2 + 2 + 8)

static void interference_is_counted(void **state)
{
	struct lone_channel bench;
	struct gpu *gpu;

	hbm80_make(&bench, false);
	gpu = bench.gpu;
	/* Both at once: the second waits until the bank is closed. */
	write_back(gpu, 0, 0);
	write_back(gpu, 1, 0);
	gpu_run(gpu, 1000);
	expect(gpu, 0, 1, 0, 0);
	expect(gpu, 1, 1, 0, WRITE_HOLDS);
	/* The first again: but for the second its row would be open. */
	write_back(gpu, 0, 0);
	gpu_run(gpu, 2000);
	expect(gpu, 0, 2, 1, 0);
	/* Another row of its own, and that one again: its own doing. */
	write_back(gpu, 0, 1);
	gpu_run(gpu, 3000);
	write_back(gpu, 0, 0);
	gpu_run(gpu, 4000);
	expect(gpu, 0, 4, 1, 0);
	/* Another row than that which the first closed: no difference. */
	write_back(gpu, 1, 1);
	gpu_run(gpu, 5000);
	expect(gpu, 1, 2, 0, WRITE_HOLDS);
	/* Two of one tenant wait for one of the other: each counts. */
	write_back(gpu, 0, 2);
	write_back(gpu, 1, 2);
	write_back(gpu, 1, 2);
	gpu_run(gpu, 6000);
	expect(gpu, 0, 5, 1, 0);
	expect(gpu, 1, 3, 0, 3 * WRITE_HOLDS);
	lone_channel_free(&bench);
}

/* A refresh between cycles 2000 and @refreshed would have closed the row as well. */
static void expect_no_interference(u32 refresh, u64 first, u64 refreshed)
{
	static const u32 slots[] = { 0, 1, 0, 1, 0 };
	static const u64 until[] = { 1000, 2000, 6500, 7500, 8500 };
	static const u64 activates[] = { 1, 1, 2, 2, 3 };
	static const u64 rows[] = { 0, 0, 0, 0, 1 };
	struct lone_channel bench;
	u32 i;

	hbm80_make(&bench, refresh);
	gpu_run(bench.gpu, first);
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		write_back(bench.gpu, slots[i], 0);
		gpu_run(bench.gpu, until[i]);
		if (i == 1)
			gpu_run(bench.gpu, refreshed);
		expect(bench.gpu, slots[i], activates[i], rows[i], 0);
	}
	assert_int_equal(bench.checker.refreshes,
			 dram_checker_due(&bench.checker, bench.gpu->channels[0].clock));
	lone_channel_free(&bench);
}

/* All banks each 5460 cycles; of those in turn bank 0 at cycles 341 and 5790. */
static void refresh_is_no_interference(void **state)
{
	expect_no_interference(AT_ONCE, 0, 5600);
	expect_no_interference(IN_TURN, 400, 5900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timings_are_kept_and_tight),
		cmocka_unit_test(saturated_reads_follow_the_reference),
		cmocka_unit_test(hits_past_an_older_request_are_capped),
		cmocka_unit_test(writes_drain),
		cmocka_unit_test(no_row_is_opened_in_vain),
		cmocka_unit_test(accesses_of_groups_interleave),
		cmocka_unit_test(single_accesses_are_tight),
		cmocka_unit_test(a_prioritised_stream_keeps_its_bandwidth),
		cmocka_unit_test(nobody_starves),
		cmocka_unit_test(priority_travels_with_requests),
		cmocka_unit_test(priorities_know_no_batches),
		cmocka_unit_test(interference_is_counted),
		cmocka_unit_test(refresh_is_no_interference),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("dram", tests, NULL, NULL);
}

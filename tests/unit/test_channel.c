// SPDX-License-Identifier: GPL-2.0
/*
 * Whose request is next in a memory channel, where priorities differ or rows are open:
 * what gpu_set_memory_priority() says, by a model that knows nothing of queues.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "random.h"
#include "small.h"

#define MOST		200
#define OVERDUE		8192ULL

/* struct asked - a request that has not been served */
struct asked {
	u64 ready;
	u32 row;
	u32 priority;
	u32 number;
};

/*
 * struct bench - a channel of which one bank is used
 * @asked: in order of arrival
 * @took_at: clock at which a place in the queue became free
 * @opened_at: clock of the last activate; @closed_at: of the last precharge
 * @open: a row is
 */
struct bench {
	struct gpu *gpu;
	struct asked asked[MOST];
	u32 count;
	u32 posted;
	u32 served;
	u64 took_at;
	u64 opened_at;
	u32 row;
	bool open;
	u32 overdue;
	void (*on_command)(struct bench *bench, u64 clock,
			   enum dram_command command, u32 row);
};

static void on_command(void *context, u32 channel, u64 clock,
		       enum dram_command command, u32 bank, u32 row)
{
	struct bench *bench = context;

	assert_int_equal(channel | bank, 0);
	bench->on_command(bench, clock, command, row);
}

static void bench_make(struct bench *bench, u32 entries,
		       void (*hears)(struct bench *bench, u64 clock,
				     enum dram_command command, u32 row))
{
	struct gpu_config config = small_config();

	config.dram.trefi = 0;
	config.bank_groups = 1;
	config.row_hit_cap = 0;
	config.queue_entries = entries;
	config.write_drain_start = 1;
	config.write_drain_stop = 0;
	memset(bench, 0, sizeof(*bench));
	bench->gpu = gpu_make(&config);
	bench->on_command = hears;
	gpu_set_command_hook(bench->gpu, on_command, bench);
}

static void ask(struct bench *bench, u64 ready, u32 row, u32 priority)
{
	struct dram_request request = {
		.ready_clock = ready, .row = row, .priority = (u8)priority,
		.sectors = TRACE_SECTORS,
	};

	assert_true(bench->count < MOST);
	bench->asked[bench->count++] = (struct asked) {
		ready, row, priority, bench->posted++,
	};
	channel_post(bench->gpu, 0, false, &request);
}

static void run_to(struct bench *bench, u64 clock)
{
	struct slice *slice = &bench->gpu->slices[0];

	channel_run(bench->gpu, 0, clock);
	slice->done_count = 0;
	slice->done_head = 0;
}

static void take(struct bench *bench, u32 place)
{
	bench->count--;
	bench->served++;
	memmove(&bench->asked[place], &bench->asked[place + 1],
		(bench->count - place) * sizeof(bench->asked[0]));
}

/*
 * Of those that have come by @clock the first of the highest priority, or the first of
 * all if that is overdue. @row: of that row alone, unless it is NONE.
 */
static u32 whose_turn(struct bench *bench, u64 clock, u32 row)
{
	u32 best = NONE, i;

	for (i = 0; i < bench->count; i++) {
		const struct asked *asked = &bench->asked[i];

		if (asked->ready > clock)
			break;
		if (row != NONE && asked->row != row)
			continue;
		if (best == NONE && asked->ready + OVERDUE <= clock) {
			bench->overdue++;
			return i;
		}
		if (best == NONE ||
		    asked->priority > bench->asked[best].priority)
			best = i;
	}
	return best;
}

/* --- a queue of one place ---------------------------------------------------------------- */

/* Its place is free when the one before gets its data. */
static void enters_by_turn(struct bench *bench, u64 clock,
			   enum dram_command command, u32 row)
{
	u32 place;

	if (command != DRAM_READ)
		return;
	place = whose_turn(bench, max(bench->took_at, bench->asked[0].ready),
			   NONE);
	if (bench->asked[place].row != row)
		fail_msg("request %u: row %u is served, not %u", bench->served,
			 row, bench->asked[place].row);
	take(bench, place);
	bench->took_at = clock;
}

/*
 * Many of the highest priority, so that others only come when they are overdue: to the
 * clock, as those that arrive do.
 */
static void a_full_queue_takes_the_first_by_priority(void **state)
{
	u32 round, overdue = 0;

	random_state = 88172645463325252ULL;
	for (round = 0; round < 4; round++) {
		struct bench bench;
		u64 clock = 0;

		bench_make(&bench, 1, enters_by_turn);
		while (clock < 1000000) {
			u64 end = clock + 64;

			/* Some at the same clock, and in half of the rounds gaps. */
			for (; clock < end; clock += random_below(3) ?
			     random_below(round % 2 ? 400 : 60) : 0) {
				u32 low = !random_below(10);

				if (bench.count > 80 + 40 * low)
					continue;
				ask(&bench, clock, bench.posted, low ?
				    random_below(3) : 3 - !random_below(9));
			}
			run_to(&bench, clock);
		}
		assert_true(bench.served > 5000);
		overdue += bench.overdue;
		free(bench.gpu);
	}
	assert_true(overdue > 4000);
}

/* --- one of many places ------------------------------------------------------------------ */

/* Each wants another row: that is opened for the one whose turn it is then. */
static void opens_by_turn(struct bench *bench, u64 clock,
			  enum dram_command command, u32 row)
{
	u32 place;

	if (command != DRAM_ACTIVATE)
		return;
	place = whose_turn(bench, clock, NONE);
	assert_int_equal(bench->asked[place].row, row);
	take(bench, place);
}

static void rows_are_opened_by_priority(void **state)
{
	struct bench bench;
	u64 clock = 0;

	random_state = 4711;
	bench_make(&bench, 64, opens_by_turn);
	while (clock < 400000) {
		u64 end = clock + 50;

		for (; clock < end; clock += 1 + random_below(60))
			if (bench.count < 40)
				ask(&bench, clock, bench.posted,
				    random_below(GPU_PRIORITIES));
		run_to(&bench, clock);
	}
	assert_true(bench.served > 5000);
	assert_int_equal(bench.overdue, 0);
	free(bench.gpu);
}

/* Of one priority: a row stays open while somebody wants it, and is read in turn. */
static void hits_come_first(struct bench *bench, u64 clock,
			    enum dram_command command, u32 row)
{
	u32 place;

	switch (command) {
	case DRAM_ACTIVATE:
		place = whose_turn(bench, clock, NONE);
		assert_int_equal(bench->asked[place].row, row);
		bench->open = true;
		bench->row = row;
		break;
	case DRAM_READ:
		place = whose_turn(bench, clock, row);
		assert_true(bench->open && bench->row == row);
		assert_int_not_equal(place, NONE);
		take(bench, place);
		break;
	case DRAM_PRECHARGE:
		assert_int_equal(whose_turn(bench, clock, bench->row), NONE);
		assert_true(bench->count > 0);
		bench->open = false;
		break;
	default:
		fail();
	}
}

static void rows_stay_open_while_they_are_wanted(void **state)
{
	struct bench bench;
	u64 clock = 0;

	random_state = 4712;
	bench_make(&bench, 64, hits_come_first);
	while (clock < 400000) {
		u64 end = clock + 50;

		for (; clock < end; clock += 1 + random_below(30))
			if (bench.count < 40)
				ask(&bench, clock, random_below(5), 0);
		run_to(&bench, clock);
	}
	assert_true(bench.served > 5000);
	free(bench.gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_queue_takes_the_first_by_priority),
		cmocka_unit_test(rows_are_opened_by_priority),
		cmocka_unit_test(rows_stay_open_while_they_are_wanted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("channel", tests, NULL, NULL);
}

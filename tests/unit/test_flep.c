// SPDX-License-Identifier: GPL-2.0
/*
 * The policy flep: turns that are fair by time, urgent tenants that take the SMs that
 * they fill, the flag's cost, and that no thread block is lost. The device has eight
 * SMs, each with room for eight blocks of the kernels here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "systems.h"

/* Its params. */
enum {
	WORKER_BLOCKS,
	SLICE,
	SPATIAL,
};

#define SLICE_CYCLES	50000ULL
#define TURNS		60

static struct bench *bench_flep(u32 worker_blocks, u32 sms_per_tpc)
{
	struct bench *bench = bench_under(&policy_flep, sms_per_tpc);

	set_param(bench, WORKER_BLOCKS, worker_blocks);
	set_param(bench, SLICE, SLICE_CYCLES);
	return bench;
}

static u64 sm_cycles(struct bench *bench, u32 slot)
{
	return report_of(bench, slot).counters.sm_cycles;
}

/* --- turns ---------------------------------------------------------------------------- */

static void come_with_weight(struct bench *bench, u32 slot, u32 weight)
{
	struct session_tenant_options options = plain();

	options.weight = weight;
	assert_int_equal(session_join(bench->session, slot, &options), slot);
}

/* Part of the time of the first of two tenants, in percent; one's blocks are long. */
static u32 part_of_first(const struct trace *first, const struct trace *second,
			 u32 weight, u32 worker_blocks)
{
	struct bench *bench = bench_flep(worker_blocks, 1);
	u64 had, sum;

	come_with_weight(bench, 0, weight);
	come_with_weight(bench, 1, 1);
	launch(bench, 0, first, 1, 0);
	launch(bench, 1, second, 1, 0);
	session_run(bench->session, TURNS * SLICE_CYCLES);
	had = sm_cycles(bench, 0);
	sum = had + sm_cycles(bench, 1);
	/* Nobody's SM is idle. */
	assert_true(sum > TURNS * SLICE_CYCLES * 8 * 99 / 100);
	end(bench);
	return (u32)(100 * had / sum);
}

/* With turns of a fixed length the one with long blocks would have two thirds. */
static void turns_are_fair_by_time(void **state)
{
	struct trace *long_ones = trace_compute(100000, 1, 2000);

	assert_in_range(part_of_first(computing, computing, 1, 1), 48, 52);
	assert_in_range(part_of_first(computing, long_ones, 1, 1), 47, 53);
	assert_in_range(part_of_first(long_ones, computing, 1, 1), 47, 53);
	/* Workers that stay for longer than a turn, too. */
	assert_in_range(part_of_first(long_ones, computing, 1, 4), 44, 56);
	trace_free(long_ones);
}

static void turns_are_as_long_as_weights_say(void **state)
{
	assert_in_range(part_of_first(computing, computing, 3, 1), 73, 77);
	assert_in_range(part_of_first(computing, computing, 9, 1), 88, 92);
}

/* One tenant at a time has all SMs, and the next one gets them at the turn's end. */
static void a_turn_is_on_all_sms(void **state)
{
	struct bench *bench = bench_flep(1, 1);
	u32 changes = 0, slot;
	u64 before = 0, had;

	for (slot = 0; slot < 3; slot++) {
		come(bench, slot, PLAIN);
		launch(bench, slot, computing, 1, 0);
	}
	session_run(bench->session, MOMENT);
	while (session_now(bench->session) < 30 * SLICE_CYCLES) {
		session_run(bench->session, 50);
		had = set_of_sms(bench, 0);
		assert_true(!had || had == 0xff);
		changes += had != before;
		before = had;
	}
	assert_in_range(changes, 19, 21);
	for (slot = 0; slot < 3; slot++)
		assert_in_range(sm_cycles(bench, slot), 77 * SLICE_CYCLES,
				83 * SLICE_CYCLES);
	end(bench);
}

/* Whose turn it is, of the first two slots. */
static u32 whose_turn(const struct simgpu_snapshot *snapshot, void *memory)
{
	struct simgpu_proposal *proposal = calloc(1, sizeof(*proposal));
	u32 slot;

	assert_non_null(proposal);
	assert_int_equal(policy_flep.decide(snapshot, memory, proposal), 0);
	slot = proposal->sms[1] > 0;
	assert_int_equal(proposal->sms[slot], 8);
	assert_int_equal(proposal->sms[!slot], 0);
	free(proposal);
	return slot;
}

/* A turn goes on while a sixteenth of the slice is left of it, and not with less. */
static void a_turn_has_a_shortest_length(void **state)
{
	struct simgpu_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	u64 shortest = SLICE_CYCLES / 16;
	void *memory;
	u32 slot, more;

	assert_non_null(snapshot);
	for (more = 0; more < 2; more++) {
		memory = calloc(1, policy_flep.state_bytes);
		assert_non_null(memory);
		snapshot->sms = 8;
		snapshot->slot_count = snapshot->tenants_active = 2;
		snapshot->policy_params[SLICE] = SLICE_CYCLES;
		for (slot = 0; slot < 2; slot++) {
			struct simgpu_snapshot_tenant *tenant =
				&snapshot->tenants[slot];

			tenant->active = tenant->weight = 1;
			tenant->service_cycles = 0;
			tenant->queue_count = 1;
			tenant->queue[0].head.flags = SIMGPU_KERNEL_PRESENT;
			tenant->queue[0].head.blocks = 100;
			tenant->queue[0].head.blocks_left = 100;
		}
		snapshot->cycle = 1000;
		assert_int_equal(whose_turn(snapshot, memory), 0);
		snapshot->cycle += SLICE_CYCLES;
		snapshot->tenants[0].service_cycles =
			SLICE_CYCLES - shortest + more;
		assert_int_equal(whose_turn(snapshot, memory), more);
		free(memory);
	}
	free(snapshot);
}

/* --- urgent tenants ------------------------------------------------------------------- */

/*
 * A kernel of 24 blocks that fills three SMs comes beside one that has all of them.
 * Return: those that it is to have.
 */
static u64 taken_by_urgent(u64 spatial, u32 sms_per_tpc)
{
	struct trace *request = trace_compute(24, 1, 5000);
	struct bench *bench = bench_flep(1, sms_per_tpc);
	u64 taken, done;

	set_param(bench, SPATIAL, spatial);
	come(bench, 0, PLAIN);
	come(bench, 1, URGENT);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 20 * MOMENT);
	assert_int_equal(set_of_sms(bench, 0), 0xff);
	launch(bench, 1, request, 1, 0);
	/* Not at the end of the turn, but at once. */
	session_run(bench->session, 400);
	taken = set_of_sms(bench, 1);
	assert_int_equal(set_of_sms(bench, 0), 0xff & ~taken);
	session_run(bench->session, 2 * MOMENT);
	assert_int_equal(busy_sms(bench, 0), 0xff & ~taken);
	done = report_of(bench, 0).counters.blocks_finished;
	run_until_done(bench, 1);
	/* The others go on meanwhile, or not. */
	assert_int_equal(report_of(bench, 0).counters.blocks_finished > done,
			 taken != 0xff);
	session_run(bench->session, 400);
	assert_int_equal(set_of_sms(bench, 0), 0xff);
	end(bench);
	trace_free(request);
	return taken;
}

static void urgent_kernels_take_what_they_fill(void **state)
{
	assert_int_equal(hweight64(taken_by_urgent(1, 1)), 3);
	assert_int_equal(hweight64(taken_by_urgent(1, 4)), 4);
	assert_int_equal(taken_by_urgent(0, 1), 0xff);
}

/*
 * An urgent kernel that fills some SMs, and lasts for longer than workers stay; until
 * when they are free of others' blocks.
 */
static u64 preempt(struct bench *bench, u32 sms, u32 *done)
{
	struct trace *request = trace_compute(8 * sms, 1, 5000);
	u64 came;

	launch(bench, 1, request, 1, 0);
	while (!set_of_sms(bench, 1))
		session_run(bench->session, 50);
	came = session_now(bench->session);
	while (set_of_sms(bench, 1) & busy_sms(bench, 0))
		session_run(bench->session, 50);
	came = session_now(bench->session) - came;
	run_until_done(bench, ++*done);
	trace_free(request);
	return came;
}

/*
 * Cycles until the SMs that a kernel for two SMs was given are free, the mean of several
 * times. Workers of different SMs began at different times, for kernels of all sizes
 * came before.
 */
static u64 preemption_latency(u64 spatial, u32 worker_blocks)
{
	struct bench *bench = bench_flep(worker_blocks, 1);
	u32 done = 0, sms, i;
	u64 cycles = 0;

	come(bench, 0, PLAIN);
	come(bench, 1, URGENT);
	launch(bench, 0, computing, 1, 0);
	for (i = 0; i < 6; i++) {
		set_param(bench, SPATIAL, 1);
		for (sms = 7; sms; sms--) {
			session_run(bench->session, 3000 + 500 * i);
			preempt(bench, sms, &done);
		}
		session_run(bench->session, 60000 + 7000 * i);
		set_param(bench, SPATIAL, spatial);
		cycles += preempt(bench, 2, &done);
	}
	end(bench);
	return cycles / i;
}

/* Two SMs are free sooner than all eight; rarer looks are later ones. */
static void fewer_sms_are_free_sooner(void **state)
{
	u64 some = preemption_latency(1, 16), all = preemption_latency(0, 16);
	u64 often = preemption_latency(1, 1);

	print_message("# two SMs after %u cycles, all after %u; looks at each block: %u\n",
		      (u32)some, (u32)all, (u32)often);
	assert_true(some < all * 9 / 10);
	assert_true(4 * often < some);
}

/* Urgent tenants that both want all of the GPU take turns; others wait for them. */
static void urgent_tenants_take_turns(void **state)
{
	struct bench *bench = bench_flep(1, 1);
	u32 slot;

	for (slot = 0; slot < 3; slot++) {
		come(bench, slot, slot ? URGENT : PLAIN);
		launch(bench, slot, computing, 1, 0);
	}
	session_run(bench->session, TURNS * SLICE_CYCLES);
	assert_true(sm_cycles(bench, 0) < SLICE_CYCLES);
	for (slot = 1; slot < 3; slot++)
		assert_in_range(sm_cycles(bench, slot),
				(TURNS / 2 - 2) * 8 * SLICE_CYCLES,
				(TURNS / 2 + 2) * 8 * SLICE_CYCLES);
	end(bench);
}

/* --- the flag's cost, and blocks ------------------------------------------------------ */

/* One worker an SM: several hide one another's looks. */
static u64 cycles_alone(const struct simgpu_policy *policy, u32 worker_blocks,
			u32 poll_cycles)
{
	struct trace *trace = trace_compute(248, 4, 50);
	struct bench *bench = malloc(sizeof(*bench));
	u64 cycles;

	bench_options(bench, 0);
	bench->options.policy = policy;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->options.config.poll_cycles = poll_cycles;
	bench->options.config.blocks_per_sm = 1;
	bench->hooks.epoch = NULL;
	session_default_params(&bench->options);
	bench_start(bench);
	if (worker_blocks)
		set_param(bench, WORKER_BLOCKS, worker_blocks);
	come(bench, 0, PLAIN);
	launch(bench, 0, trace, 1, 0);
	run_until_done(bench, 1);
	cycles = session_now(bench->session);
	end(bench);
	trace_free(trace);
	return cycles;
}

/* With nobody waiting it costs nothing but the looks, which are as many as L says. */
static void looks_cost_what_the_configuration_says(void **state)
{
	u64 plain = cycles_alone(&policy_slices, 0, 500), before = U64_MAX, cycles;
	static const u32 worker_blocks[] = { 1, 2, 5, 20, 1000 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(worker_blocks); i++) {
		/* A decision boundary more or less. */
		assert_in_range(cycles_alone(&policy_flep, worker_blocks[i], 0),
				plain * 9 / 10, plain + 400);
		cycles = cycles_alone(&policy_flep, worker_blocks[i], 2000);
		print_message("# a look every %u blocks: %u cycles\n",
			      worker_blocks[i], (u32)cycles);
		assert_true(cycles < before);
		before = cycles;
	}
	/* 31 blocks an SM: there is no look. */
	assert_int_equal(before, cycles_alone(&policy_flep, 1000, 0));
}

/* Urgent tenants and others, in several queues, come and go in the midst of turns. */
static void no_block_of_a_worker_is_lost(void **state)
{
	struct trace *many = trace_compute(300, 4, 50);
	struct bench *bench = bench_flep(3, 2);
	u32 slot, i;

	for (slot = 0; slot < 4; slot++)
		come(bench, slot, slot == 3 ? URGENT : PLAIN);
	for (i = 0; i < 12; i++) {
		for (slot = 0; slot < 4; slot++) {
			const struct session_launch_options options = {
				.trace = (i + slot) % 3 ? many : brief,
				.repeats = 1, .queue = slot ? 0 : i % 3,
			};
			u64 sequence;

			assert_int_equal(session_launch_with(bench->session,
							     slot, &options,
							     &sequence), 0);
		}
		set_param(bench, WORKER_BLOCKS, 1 + i % 7);
		set_param(bench, SPATIAL, i & 1);
		session_run(bench->session, 2777 * i);
	}
	session_run(bench->session, ALL_AT_ONCE);
	for (slot = 0; slot < 4; slot++)
		assert_int_equal(report_of(bench, slot).counters.blocks_finished,
				 8 * 300 + 4 * 64);
	end(bench);
	trace_free(many);
}

static void a_worker_runs_something(void **state)
{
	struct bench *bench = bench_flep(1, 1);

	assert_int_equal(session_set_param(bench->session, SESSION_POLICY_PARAMS,
					   "worker_blocks", 0), -EINVAL);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_are_fair_by_time),
		cmocka_unit_test(turns_are_as_long_as_weights_say),
		cmocka_unit_test(a_turn_is_on_all_sms),
		cmocka_unit_test(a_turn_has_a_shortest_length),
		cmocka_unit_test(urgent_kernels_take_what_they_fill),
		cmocka_unit_test(fewer_sms_are_free_sooner),
		cmocka_unit_test(urgent_tenants_take_turns),
		cmocka_unit_test(looks_cost_what_the_configuration_says),
		cmocka_unit_test(no_block_of_a_worker_is_lost),
		cmocka_unit_test(a_worker_runs_something),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("flep", tests, make_all_traces,
					   free_all_traces);
}

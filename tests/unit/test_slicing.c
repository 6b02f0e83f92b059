// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that follow published GPU-sharing systems (docs/systems.md) and run kernels
 * in slices, or on as many SMs as they need: tally, krisp, lithos. The device has eight
 * SMs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/slicing.h"
#include "../../kmod/session/internal.h"
#include "systems.h"

/* A decision boundary before an event is heard of, and one until its word is done. */
#define HEARD	(2 * GPU_BOUNDARY_CYCLES + 50)

/* --- tally ---------------------------------------------------------------------------- */

enum {
	TURNAROUND,
	SLICED,
};

/* Blocks of a slice that were found for the kernel of slot 0. */
static u32 slice_found(const struct bench *bench)
{
	const struct slicing *slicing = bench->session->policy_state;

	return slicing->known[0][0].slice;
}

/*
 * How long a best-effort kernel's thread blocks are still there after a high-priority
 * kernel has come, the longest of several times; and the size of slices that was found.
 */
static u64 stays(u64 bound, bool sliced, u32 *slice)
{
	struct bench *bench = bench_under(&policy_tally, 1);
	u64 longest = 0, came;
	u32 i;

	set_param(bench, TURNAROUND, bound);
	set_param(bench, SLICED, sliced);
	come(bench, 0, PLAIN);
	come(bench, 1, URGENT);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 30 * bound);
	for (i = 0; i < 5; i++) {
		session_run(bench->session, bound * i / 3 + 1);
		launch(bench, 1, three_blocks, 1, 0);
		came = session_now(bench->session);
		while (busy_sms(bench, 0) && bench->done_count <= i)
			session_run(bench->session, 50);
		if (session_now(bench->session) - came > longest)
			longest = session_now(bench->session) - came;
		run_until_done(bench, i + 1);
		session_run(bench->session, 3 * bound);
	}
	*slice = slice_found(bench);
	end(bench);
	return longest;
}

/* Slices are as large as the bound allows; as a whole a kernel stays. */
static void the_bound_chooses_the_slice(void **state)
{
	static const u64 bounds[] = { 4000, 12000, 36000 };
	u32 slice, before = 0, i;

	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		assert_true(stays(bounds[i], true, &slice) <= bounds[i] + HEARD);
		print_message("# %u blocks in %u cycles\n", slice, (u32)bounds[i]);
		if (before)
			assert_in_range(slice, before * 2, before * 4);
		before = slice;
	}
	assert_true(stays(bounds[0], false, &slice) > 2 * bounds[0]);
}

/* A high-priority kernel takes no longer than alone, but for the slice that is out. */
static void high_priority_kernels_begin_at_once(void **state)
{
	struct bench *bench = bench_under(&policy_tally, 1);
	u64 alone, start;

	set_param(bench, TURNAROUND, 4000);
	come(bench, 0, PLAIN);
	come(bench, 1, URGENT);
	launch(bench, 1, middling, 1, 0);
	run_until_done(bench, 1);
	alone = session_now(bench->session);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 100000);
	start = session_now(bench->session);
	launch(bench, 1, middling, 1, 0);
	run_until_done(bench, 2);
	assert_true(session_now(bench->session) - start < alone + 4000 + HEARD);
	end(bench);
}

/* Where a block takes longer than the bound, a slice is a block an SM. */
static void slices_are_no_smaller_than_the_gpu(void **state)
{
	struct bench *bench = bench_under(&policy_tally, 1);

	set_param(bench, TURNAROUND, 1000);
	come(bench, 0, PLAIN);
	launch(bench, 0, slow_blocks, 1, 0);
	run_until_done(bench, 1);
	assert_int_equal(slice_found(bench), 8);
	end(bench);
}

/* All blocks of kernels in slices run, once each. */
static void no_block_of_a_slice_is_lost(void **state)
{
	struct bench *bench = bench_under(&policy_tally, 1);
	u32 slot, i;

	set_param(bench, TURNAROUND, 1000);
	for (slot = 0; slot < 3; slot++)
		come(bench, slot, slot ? PLAIN : URGENT);
	for (i = 0; i < 8; i++) {
		for (slot = 0; slot < 3; slot++)
			launch(bench, slot, slot ? middling : brief, 1, 0);
		session_run(bench->session, 777 * i);
	}
	session_run(bench->session, ALL_AT_ONCE);
	for (slot = 0; slot < 3; slot++)
		assert_int_equal(report_of(bench, slot).counters.blocks_finished,
				 8 * 64);
	end(bench);
}

/* --- krisp ---------------------------------------------------------------------------- */

enum {
	OVERLAP,
	SLACK,
};

static u32 sms_of(const struct bench *bench, u32 slot)
{
	return hweight64(set_of_sms(bench, slot));
}

/* SMs of three tenants whose kernels need five, five and two of the eight. */
static void expect_overlap(u64 overlap_ppm, u64 first, u64 second, u64 third)
{
	struct trace *five = trace_profiled(400, 5, 0), *two = trace_profiled(400, 2, 0);
	struct bench *bench = bench_under(&policy_krisp, 1);
	u32 slot;

	set_param(bench, OVERLAP, overlap_ppm);
	for (slot = 0; slot < 3; slot++)
		come(bench, slot, PLAIN);
	launch(bench, 0, five, 1, 0);
	launch(bench, 1, five, 1, 400);
	launch(bench, 2, two, 1, 800);
	session_run(bench->session, MOMENT);
	assert_int_equal(set_of_sms(bench, 0), first);
	assert_int_equal(set_of_sms(bench, 1), second);
	assert_int_equal(set_of_sms(bench, 2), third);
	/* Who had to wait runs in the end. */
	run_until_done(bench, 3);
	for (slot = 0; slot < 3; slot++)
		assert_int_equal(report_of(bench, slot).counters.blocks_finished,
				 400);
	end(bench);
	trace_free(five);
	trace_free(two);
}

/* Free SMs first; then those of others, as many as the limit lets. */
static void the_overlap_is_limited(void **state)
{
	expect_overlap(0, 0x1f, 0xe0, 0);
	expect_overlap(SIMGPU_PPM / 8, 0x1f, 0xe1, 0x02);
	expect_overlap(SIMGPU_PPM, 0x1f, 0xe3, 0x0c);
}

/* By the profile and the slack, or by thread blocks; in whole TPCs. */
static void kernels_have_their_right_size(void **state)
{
	struct trace *six = trace_profiled(400, 6, 0);
	struct bench *bench = bench_under(&policy_krisp, 1);

	come(bench, 0, PLAIN);
	launch(bench, 0, three_blocks, 1, 0);
	session_run(bench->session, 400);
	assert_int_equal(sms_of(bench, 0), 3);
	run_until_done(bench, 1);
	launch(bench, 0, six, 1, 0);
	session_run(bench->session, MOMENT);
	assert_int_equal(sms_of(bench, 0), 6);
	run_until_done(bench, 2);
	/* With a quarter more time five do. */
	set_param(bench, SLACK, SIMGPU_PPM / 4);
	launch(bench, 0, six, 1, 0);
	session_run(bench->session, MOMENT);
	assert_int_equal(sms_of(bench, 0), 5);
	end(bench);
	bench = bench_under(&policy_krisp, 4);
	come(bench, 0, PLAIN);
	launch(bench, 0, three_blocks, 1, 0);
	session_run(bench->session, 400);
	assert_int_equal(set_of_sms(bench, 0), 0x0f);
	end(bench);
	trace_free(six);
}

/* --- lithos --------------------------------------------------------------------------- */

enum {
	ATOM,
	LITHOS_SLACK,
	STEAL,
};

#define ATOM_CYCLES	20000

/*
 * Two tenants, of which one has no work yet; the other one has run for a while, in two
 * queues, whose atoms do not end together.
 */
static struct bench *bench_lithos(u64 steal)
{
	const struct session_launch_options second = {
		.trace = slower, .repeats = 1, .queue = 1,
	};
	struct bench *bench = bench_under(&policy_lithos, 2);
	u64 sequence;

	set_param(bench, ATOM, ATOM_CYCLES);
	set_param(bench, STEAL, steal);
	come(bench, 0, PLAIN);
	come(bench, 1, PLAIN);
	launch(bench, 1, brief, 1, 0);
	run_until_done(bench, 1);
	launch(bench, 0, computing, 1, 0);
	assert_int_equal(session_launch_with(bench->session, 0, &second,
					     &sequence), 0);
	session_run(bench->session, 30 * ATOM_CYCLES);
	return bench;
}

/* Idle TPCs are stolen, and come back when their owner's kernel has waited for an atom. */
static void stolen_tpcs_return_after_an_atom(void **state)
{
	struct bench *bench = bench_lithos(1);
	u64 came, longest = 0;
	u32 i;

	for (i = 0; i < 5; i++) {
		assert_int_equal(set_of_sms(bench, 0), 0xff);
		launch(bench, 1, middling, 1, 0);
		came = session_now(bench->session);
		while (set_of_sms(bench, 1) != 0xf0)
			session_run(bench->session, 50);
		if (session_now(bench->session) - came > longest)
			longest = session_now(bench->session) - came;
		assert_int_equal(set_of_sms(bench, 0), 0x0f);
		run_until_done(bench, i + 2);
		session_run(bench->session, ATOM_CYCLES * (i + 7) / 3);
	}
	print_message("# back after %u cycles\n", (u32)longest);
	assert_in_range(longest, 1000, ATOM_CYCLES + HEARD);
	end(bench);
}

static void nothing_is_stolen_without_the_param(void **state)
{
	struct bench *bench = bench_lithos(0);

	assert_int_equal(set_of_sms(bench, 0), 0x0f);
	launch(bench, 1, middling, 1, 0);
	session_run(bench->session, 400);
	assert_int_equal(set_of_sms(bench, 1), 0xf0);
	end(bench);
}

/* A kernel that needs little leaves the rest of its quota to others; shares are quotas. */
static void quotas_and_sizes(void **state)
{
	struct bench *bench = bench_under(&policy_lithos, 1);
	struct session_tenant_options options = plain();

	set_param(bench, ATOM, 4000);
	options.share_ppm = 3 * SIMGPU_PPM / 4;
	assert_int_equal(session_join(bench->session, 0, &options), 0);
	come(bench, 1, PLAIN);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, 50000);
	assert_int_equal(set_of_sms(bench, 0), 0x3f);
	assert_int_equal(set_of_sms(bench, 1), 0xc0);
	session_leave(bench->session, 0);
	assert_int_equal(session_join(bench->session, 0, &options), 0);
	launch(bench, 0, long_three, 1, 0);
	session_run(bench->session, 50000);
	assert_int_equal(set_of_sms(bench, 0), 0x07);
	assert_int_equal(set_of_sms(bench, 1), 0xf8);
	end(bench);
}

/* Kernels in several queues, of tenants that steal from one another. */
static void no_block_of_an_atom_is_lost(void **state)
{
	struct bench *bench = bench_under(&policy_lithos, 1);
	u32 slot, i;

	set_param(bench, ATOM, 1000);
	for (slot = 0; slot < 3; slot++)
		come(bench, slot, PLAIN);
	for (i = 0; i < 12; i++) {
		for (slot = 0; slot < 3; slot++) {
			const struct session_launch_options options = {
				.trace = (i + slot) % 3 ? middling : brief,
				.repeats = 1, .queue = i % 3,
			};
			u64 sequence;

			assert_int_equal(session_launch_with(bench->session,
							     slot, &options,
							     &sequence), 0);
		}
		session_run(bench->session, 777 * i);
	}
	session_run(bench->session, ALL_AT_ONCE);
	for (slot = 0; slot < 3; slot++)
		assert_int_equal(report_of(bench, slot).counters.blocks_finished,
				 12 * 64);
	end(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bound_chooses_the_slice),
		cmocka_unit_test(high_priority_kernels_begin_at_once),
		cmocka_unit_test(slices_are_no_smaller_than_the_gpu),
		cmocka_unit_test(no_block_of_a_slice_is_lost),
		cmocka_unit_test(the_overlap_is_limited),
		cmocka_unit_test(kernels_have_their_right_size),
		cmocka_unit_test(stolen_tpcs_return_after_an_atom),
		cmocka_unit_test(nothing_is_stolen_without_the_param),
		cmocka_unit_test(quotas_and_sizes),
		cmocka_unit_test(no_block_of_an_atom_is_lost),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("slicing", tests, make_all_traces,
					   free_all_traces);
}

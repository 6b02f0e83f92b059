// SPDX-License-Identifier: GPL-2.0
/*
 * Masks in a session: tenants' and launches' masks of SMs, channels and ways beside what
 * policies say of these; TPCs; and cumask, which shares by masks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/split.h"
#include "bench.h"

static void run_dry(struct bench *bench)
{
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
}

static struct bench *bench_for_two(const struct simgpu_policy *policy, u32 each)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.policy = policy;
	bench->options.config.sms_per_tpc = each;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	return bench;
}

static int keep_to(struct bench *bench, u32 slot, u64 sms, u64 channels, u64 ways)
{
	const struct session_masks masks = {
		.sms = { sms }, .channels = channels, .llc_ways = ways,
	};

	return session_set_masks(bench->session, slot, &masks);
}

static int launch_on(struct bench *bench, u32 slot, u32 queue, u64 sms)
{
	const struct session_launch_options options = {
		.trace = middling, .repeats = 1, .queue = queue, .sms = { sms },
	};
	u64 sequence;

	return session_launch_with(bench->session, slot, &options, &sequence);
}

/* SMs on which a slot has thread blocks. */
static u64 busy_sms(const struct bench *bench, u32 slot)
{
	const struct gpu *gpu = session_gpu(bench->session);
	u64 sms = 0;
	u32 i;

	for (i = 0; i < gpu_config(gpu)->sms; i++)
		if (gpu_sm_blocks(gpu, i, slot))
			sms |= 1ULL << i;
	return sms;
}

/* Where a policy says how many SMs, they come out of the tenants' masks. */
static void counts_heed_masks(void **state)
{
	struct bench *bench = bench_for_two(&policy_even, 1);

	assert_int_equal(keep_to(bench, 0, 0x66, 0, 0), 0);
	assert_int_equal(keep_to(bench, 1, 0x99, 0, 0), 0);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, 1000);
	assert_int_equal(set_of_sms(bench, 0), 0x66);
	assert_int_equal(set_of_sms(bench, 1), 0x99);
	assert_int_equal(busy_sms(bench, 0), 0x66);
	bench_free(bench);
}

/* A launch's mask is fixed; the tenant's holds for what starts from then on. */
static void masks_of_launches_narrow_the_tenants(void **state)
{
	struct bench *bench = bench_for_two(&policy_even, 1);

	session_leave(bench->session, 1);
	assert_int_equal(keep_to(bench, 0, 0x0f, 0, 0), 0);
	assert_int_equal(launch_on(bench, 0, 0, 0x03), 0);
	assert_int_equal(launch_on(bench, 0, 1, 0x3c), 0);
	session_run(bench->session, 1000);
	assert_int_equal(busy_sms(bench, 0), 0x0f);
	assert_int_equal(keep_to(bench, 0, 0xf0, 0, 0), 0);
	session_run(bench->session, 400);
	assert_int_equal(busy_sms(bench, 0), 0x0f);
	/* In the queues now: of one nothing is left, of the other some. */
	assert_int_equal(keep_to(bench, 0, 0, 0, 0), 0);
	assert_int_equal(launch_on(bench, 0, 0, 0x03), 0);
	assert_int_equal(keep_to(bench, 0, 0xf0, 0, 0), 0);
	run_dry(bench);
	assert_int_equal(launch_on(bench, 0, 0, 0x11), 0);
	session_run(bench->session, 1000);
	assert_int_equal(busy_sms(bench, 0), 0x10);
	bench_free(bench);
}

static void masks_that_cannot_be_are_refused(void **state)
{
	struct bench *bench = bench_for_two(&policy_even, 2);
	u64 hash = session_state_hash(bench->session);
	u32 i;

	assert_int_equal(keep_to(bench, 0, 0x300, 0, 0), -EINVAL);
	assert_int_equal(keep_to(bench, 0, 0x07, 0, 0), -EINVAL);
	assert_int_equal(keep_to(bench, 0, 0x0c, 0x10, 0), -EINVAL);
	assert_int_equal(keep_to(bench, 0, 0x0c, 1, 0x10000), -EINVAL);
	assert_int_equal(keep_to(bench, 9, 0x0c, 1, 1), -EINVAL);
	assert_int_equal(launch_on(bench, 0, 0, 0x100), -EINVAL);
	assert_int_equal(launch_on(bench, 0, 0, 0x01), -EINVAL);
	assert_true(session_state_hash(bench->session) == hash);
	assert_int_equal(keep_to(bench, 0, 0x3f, 0xf, 0xffff), 0);
	assert_int_equal(launch_on(bench, 0, 0, 0xc0), -EINVAL);
	assert_int_equal(keep_to(bench, 0, 0xff, 0xf, 0xffff), 0);
	for (i = 1; i <= SESSION_LAUNCH_MASKS_MAX; i++)
		assert_int_equal(launch_on(bench, 0, i % 2, (i & 1) * 0x03 |
					   (i & 2) * 0x06 | (i & 4) * 0x0c |
					   (i & 8) * 0x18), 0);
	assert_int_equal(launch_on(bench, 0, 2, 0x3c | 0x03 << 6), -EAGAIN);
	/* One that is there already needs no place. */
	assert_int_equal(launch_on(bench, 0, 2, 0x03), 0);
	run_dry(bench);
	assert_int_equal(launch_on(bench, 0, 2, 0x3c | 0x03 << 6), 0);
	bench_free(bench);
}

static u64 said_channels;

/* Slot 0 gets some of the channels and of the ways, the other one what is left. */
static int divide_memory(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	u32 slot;

	policy_split_even(snapshot, proposal);
	proposal->flags = SIMGPU_SAYS_CHANNELS | SIMGPU_SAYS_LLC_WAYS;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		proposal->channels[slot] = slot ? ~said_channels & 0xf :
						  said_channels;
		proposal->llc_ways[slot] = slot ? 0xfff0 : 0x000f;
	}
	return 0;
}

/* What is left of a policy's word counts, or if that is nothing its word alone. */
static void tenants_narrow_what_policies_give(void **state)
{
	static const struct simgpu_policy divide = {
		.name = "divide", .events = SIMGPU_ON_ARRIVAL,
		.needs = SIMGPU_NEEDS_NO_MODEL, .decide = divide_memory,
	};
	struct bench *bench = bench_for_two(&divide, 1);
	const struct gpu *gpu = session_gpu(bench->session);

	said_channels = 0x7;
	keep_to(bench, 0, 0, 0xa, 0x3);
	keep_to(bench, 1, 0, 0x3, 0x3);
	assert_int_equal(gpu_channels(gpu, 0), 0xa);
	launch(bench, 0, copying, 1, 0);
	launch(bench, 1, copying, 1, 0);
	session_run(bench->session, 1000);
	assert_int_equal(gpu_channels(gpu, 0), 0x2);
	assert_int_equal(gpu_llc_ways(gpu, 0), 0x3);
	assert_int_equal(gpu_channels(gpu, 1), 0x8);
	assert_int_equal(gpu_llc_ways(gpu, 1), 0xfff0);
	keep_to(bench, 0, 0, 0, 0);
	assert_int_equal(gpu_channels(gpu, 0), 0x7);
	/* With the policy goes its word, not the tenant's. */
	session_set_policy(bench->session, &policy_even);
	assert_int_equal(gpu_channels(gpu, 0), 0xf);
	assert_int_equal(gpu_channels(gpu, 1), 0x3);
	assert_int_equal(gpu_llc_ways(gpu, 1), 0x3);
	session_leave(bench->session, 1);
	assert_int_equal(gpu_channels(gpu, 1), 0xf);
	bench_free(bench);
}

/* SMs are of those who have them in their masks; who comes later shares. */
static void cumask_shares_by_masks(void **state)
{
	struct bench *bench = bench_for_two(&policy_cumask, 1);

	keep_to(bench, 0, 0x1f, 0, 0);
	keep_to(bench, 1, 0x7c, 0, 0);
	launch(bench, 0, computing, 1, 0);
	assert_int_equal(launch_on(bench, 1, 0, 0), 0);
	assert_int_equal(launch_on(bench, 1, 0, 0x04), 0);
	session_run(bench->session, 1000);
	assert_int_equal(set_of_sms(bench, 0), 0x1f);
	assert_int_equal(set_of_sms(bench, 1), 0x7c);
	assert_int_equal(busy_sms(bench, 0) & ~0x1fULL, 0);
	assert_int_equal(busy_sms(bench, 1) & 0x60, 0x60);
	while (bench->done_count < 1)
		session_run(bench->session, 1000);
	session_run(bench->session, 1000);
	assert_int_equal(set_of_sms(bench, 1), 0x04);
	while (bench->done_count < 2)
		session_run(bench->session, 1000);
	session_run(bench->session, 1000);
	assert_int_equal(set_of_sms(bench, 1), 0);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

/* SMs of a TPC change hands together, whatever counts a policy says. */
static void tpcs_stay_whole(void **state)
{
	struct bench *bench = bench_for_two(&policy_even, 2);
	u32 slot;

	join(bench, 2);
	for (slot = 0; slot < 3; slot++)
		launch(bench, slot, computing, 1, 0);
	session_run(bench->session, 5000);
	/* Four TPCs; 3, 3 and 2 SMs are said. */
	assert_int_equal(report_of(bench, 0).sms, 4);
	assert_int_equal(report_of(bench, 1).sms, 2);
	assert_int_equal(report_of(bench, 2).sms, 2);
	for (slot = 0; slot < 3; slot++) {
		u64 sms = set_of_sms(bench, slot);

		assert_int_equal((sms & 0x55) << 1, sms & 0xaa);
	}
	/* Two more than there are TPCs: nobody is to blame, nobody has half of one. */
	join(bench, 3);
	join(bench, 4);
	launch(bench, 3, computing, 1, 0);
	launch(bench, 4, computing, 1, 0);
	session_run(bench->session, 100000);
	for (slot = 0; slot < 5; slot++)
		assert_int_equal(report_of(bench, slot).sms, slot < 4 ? 2 : 0);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_heed_masks),
		cmocka_unit_test(masks_of_launches_narrow_the_tenants),
		cmocka_unit_test(masks_that_cannot_be_are_refused),
		cmocka_unit_test(tenants_narrow_what_policies_give),
		cmocka_unit_test(cumask_shares_by_masks),
		cmocka_unit_test(tpcs_stay_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("session_masks", tests, make_traces,
					   free_traces);
}

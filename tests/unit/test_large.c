// SPDX-License-Identifier: GPL-2.0
/*
 * GPUs of many SMs, up to 512: configurations, masks, messages and misses of an SM whose
 * number has more than eight bits, what a policy says of it, and profiles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/plan.h"
#include "../../kmod/session/rows.h"
#include "device.h"
#include "looking.h"

static struct gpu_config config_of(u32 sms)
{
	struct gpu_config config = small_config();

	config.sms = sms;
	/* Few of each, so that so many SMs take little memory. */
	config.warps_per_sm = 16;
	config.l1_sets = 4;
	config.l1_mshrs = 16;
	config.sm_stores = 16;
	return config;
}

/* --- configurations -------------------------------------------------------------------- */

static int parse_sms(const char *sms, struct gpu_config *config,
		     struct config_error *error)
{
	char text[80];
	int length = snprintf(text, sizeof(text), "base = hbm80\nsms = %s\n", sms);

	return gpu_config_parse(text, (size_t)length, config, error);
}

static void a_gpu_has_at_most_512_sms(void **state)
{
	struct config_error error;
	struct gpu_config config;

	assert_int_equal(GPU_SMS_MAX, SIMGPU_SMS_MAX);
	assert_int_equal(parse_sms("512", &config, &error), 0);
	assert_int_equal(config.sms, 512);
	assert_int_equal(parse_sms("513", &config, &error), -EINVAL);
	assert_int_equal(error.line, 2);
	assert_string_equal(error.field, "sms");
	assert_string_equal(error.reason, "must be 1 to 512");
}

/* --- the hardware ---------------------------------------------------------------------- */

/* Masks with bits in the first and the last word, and in one between. */
static void kernels_keep_to_masks_of_all_words(void **state)
{
	static const u32 sizes[] = { 128, 132, 256, 304, 512 };
	struct trace *trace = trace_compute(4000, 2, 10);
	u32 i, sm;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct gpu_config config = config_of(sizes[i]);
		u64 sms[GPU_MASK_WORDS] = { 2 };
		struct gpu *gpu = gpu_make(&config);

		sms[(config.sms - 1) / 64] |= 1ULL << (config.sms - 1) % 64;
		sms[(config.sms / 2) / 64] |= 1ULL << (config.sms / 2) % 64;
		own(gpu, 0, config.sms, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_queue_set_mask(gpu, 0, 0, sms);
		gpu_run(gpu, 500);
		for (sm = 0; sm < config.sms; sm++)
			assert_int_equal(!!gpu_sm_blocks(gpu, sm, 0),
					 sms[sm / 64] >> sm % 64 & 1);
		free(gpu);
	}
	trace_free(trace);
}

/* A kernel alone on one SM; to its end. */
static struct simgpu_counters run_on(u32 sm, u32 arbitration, u64 *cycles)
{
	struct gpu_config config = config_of(512);
	struct trace *trace = trace_copy(8, 20, 16);
	struct simgpu_counters counters;
	struct gpu *gpu;

	config.slice_arbitration = arbitration;
	gpu = gpu_make(&config);
	own(gpu, sm, 1, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 0, NULL);
	*cycles = ended(gpu, 0);
	counters = counters_of(gpu, 0);
	free(gpu);
	trace_free(trace);
	return counters;
}

/* A reply to SM 300 that went to SM 44, 256 below it, would never end the kernel. */
static void replies_come_to_the_sm_that_asked(void **state)
{
	u64 cycles[2];
	u32 arbitration;

	for (arbitration = GPU_ARBITRATE_ORDER; arbitration <= GPU_ARBITRATE_SM;
	     arbitration++) {
		struct simgpu_counters low = run_on(44, arbitration, &cycles[0]);
		struct simgpu_counters high = run_on(300, arbitration, &cycles[1]);

		assert_int_equal(cycles[0], cycles[1]);
		assert_memory_equal(&low, &high, sizeof(low));
	}
}

/* Loads of several SMs that wait for one line are in one entry of its slice. */
static void misses_of_several_sms_merge(void **state)
{
	static const u32 sms[] = { 44, 300, 511 };
	struct gpu_config config = config_of(512);
	struct trace *trace = trace_stream(16, 40, 1);
	struct gpu *gpu = gpu_make(&config);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sms); i++)
		gpu_sm_share(gpu, sms[i]);
	/* Tenants do not share lines; the kernels of one do. */
	for (i = 0; i < ARRAY_SIZE(sms); i++) {
		u64 mask[GPU_MASK_WORDS] = { 0 };

		mask[sms[i] / 64] = 1ULL << sms[i] % 64;
		gpu_queue_start(gpu, 0, i, trace, 0);
		gpu_queue_set_mask(gpu, 0, i, mask);
	}
	while (gpu->running) {
		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		gpu_run(gpu, LONG_ENOUGH);
		gpu_take_finished(gpu);
	}
	/* Three SMs have asked for each line, which came once. */
	assert_int_equal(counters_of(gpu, 0).llc_accesses,
			 3 * counters_of(gpu, 0).dram_fills);
	free(gpu);
	trace_free(trace);
}

/* --- sessions -------------------------------------------------------------------------- */

static struct bench *bench_large(const struct simgpu_policy *policy, u32 sms)
{
	struct bench *bench = bench_prepared(policy, 0);

	bench->options.config = config_of(sms);
	snprintf(bench->options.config.name, sizeof(bench->options.config.name),
		 "large");
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	return bench;
}

static void begin_two(struct bench *bench)
{
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, random_reads, 1, 0);
}

/* SM 303 to slot 1, SM 302 shared with a limit for each, the others to slot 0. */
static void say_of_each_sm(void)
{
	say_even(0);
	seen.say.flags = SIMGPU_SAYS_OWNERS | SIMGPU_SAYS_BLOCK_LIMITS;
	memset(seen.say.owner, 0, sizeof(seen.say.owner));
	seen.say.owner[303] = 1;
	seen.say.owner[302] = SIMGPU_SHARED;
	seen.say.sharers[302] = 3;
	seen.say.block_limit[302][0] = 1;
	seen.say.block_limit[302][1] = 1;
}

static void policies_say_who_has_each_of_304_sms(void **state)
{
	struct bench *bench = bench_large(&looking, 304);
	struct simgpu_tenant_report row;
	struct session_tenant_report report;
	u64 words[SESSION_SM_WORDS];
	char text[ROW_SM_LIST_BYTES];

	say_of_each_sm();
	begin_two(bench);
	session_run(bench->session, 5000);
	assert_int_equal(seen.last.sms, 304);
	assert_int_equal(owner_now(bench, 303), 1);
	assert_int_equal(owner_now(bench, 302), GPU_SHARED);
	assert_int_equal(owner_now(bench, 301), 0);
	assert_int_equal(gpu_sm_blocks(session_gpu(bench->session), 302, 0), 1);
	assert_int_equal(gpu_sm_blocks(session_gpu(bench->session), 302, 1), 1);
	assert_true(gpu_sm_blocks(session_gpu(bench->session), 303, 1));
	assert_false(gpu_sm_blocks(session_gpu(bench->session), 303, 0));
	session_tenant_report(bench->session, 0, &report);
	row_report(&report, &row);
	memcpy(words, report.shares.own, sizeof(words));
	row_sm_list(words, text);
	assert_string_equal(text, "0-301");
	assert_int_equal(row.sms, 303);
	assert_int_equal(row.sharing_sms_more[302 / 64 - SIMGPU_SM_WORDS],
			 1ULL << 302 % 64);
	bench_free(bench);
}

static void a_refusal_names_the_sm(void **state)
{
	struct bench *bench = bench_large(&looking, 304);

	say_of_each_sm();
	seen.say.owner[303] = SIMGPU_SLOTS_MAX;
	begin_two(bench);
	session_run(bench->session, 5000);
	expect_proposal_refused(bench, "owner", SESSION_NOWHERE);
	assert_int_equal(session_last_refusal(bench->session)->sm, 303);
	bench_free(bench);
}

/* Owners and limits of SMs that the device does not have are not looked at. */
static void what_is_said_of_other_sms_counts_for_nothing(void **state)
{
	struct bench *bench = bench_large(&looking, 304);

	say_of_each_sm();
	memset(seen.say.owner + 304, SIMGPU_SLOTS_MAX, SIMGPU_SMS_MAX - 304);
	memset(seen.say.block_limit[304], 0, SIMGPU_SLOTS_MAX);
	begin_two(bench);
	session_run(bench->session, 5000);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_int_equal(owner_now(bench, 303), 1);
	bench_free(bench);
}

static void masks_of_tenants_and_launches_reach_the_last_sm(void **state)
{
	struct bench *bench = bench_large(&policy_even, 512);
	struct session_masks masks = { .sms = { [7] = 3ULL << 62, [2] = 1 } };
	struct session_launch_options options = {
		.trace = computing, .repeats = 1, .sms = { [7] = 1ULL << 63 },
	};
	u64 sequence;
	u32 sm;

	assert_int_equal(session_set_masks(bench->session, 0, &masks), 0);
	assert_int_equal(session_launch_with(bench->session, 0, &options, &sequence), 0);
	session_run(bench->session, 1000);
	for (sm = 0; sm < 512; sm++)
		assert_int_equal(!!gpu_sm_blocks(session_gpu(bench->session), sm, 0),
				 sm == 511);
	bench_free(bench);
	bench = bench_large(&policy_even, 510);
	assert_int_equal(session_set_masks(bench->session, 0, &masks), -EINVAL);
	bench_free(bench);
}

/* Each built-in policy finds its way; none is replaced. */
static void each_policy_divides_512_sms(void **state)
{
	static const u32 sizes[] = { 132, 304, 512 };
	const struct simgpu_policy *policy;
	u32 i, k;

	for (i = 0; (policy = registry_policy_at(i)); i++) {
		for (k = 0; k < ARRAY_SIZE(sizes); k++) {
			struct bench *bench = bench_large(policy, sizes[k]);

			begin_two(bench);
			session_run(bench->session, 2 * EPOCH + 1000);
			if (session_last_refusal(bench->session)->kind)
				fail_msg("%s on %u SMs: %s", policy->name, sizes[k],
					 session_last_refusal(bench->session)->reason);
			assert_true(issued_by(bench, 0) + issued_by(bench, 1));
			bench_free(bench);
		}
	}
}

/* --- plans ------------------------------------------------------------------------------ */

/* Kernels that do not profit of more than half of the SMs run side by side on all. */
static void plans_give_away_all_of_304_sms(void **state)
{
	static const struct plan_kernel kernels[2] = { { .blocks = 4000 }, { .blocks = 4000 } };
	struct simgpu_snapshot_profile *profile = calloc(1, sizeof(*profile));
	struct plan_work *work = malloc(sizeof(*work));
	const struct plan_set set = {
		.kernels = kernels, .profiles = profile, .count = 2, .sms = 304,
	};
	struct plan plan;
	u32 i;

	for (i = 0; i < set.sms; i++) {
		profile->point[i].cycles = 10000000 / min(i + 1, 152U);
		profile->point[i].bandwidth_ppm = 1000;
	}
	plan_make(&set, work, &plan);
	assert_int_equal(plan.phases, 1);
	assert_in_range(plan.sms[0], 150, 154);
	assert_int_equal(plan.sms[0] + plan.sms[1], 304);
	free(work);
	free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gpu_has_at_most_512_sms),
		cmocka_unit_test(kernels_keep_to_masks_of_all_words),
		cmocka_unit_test(replies_come_to_the_sm_that_asked),
		cmocka_unit_test(misses_of_several_sms_merge),
		cmocka_unit_test(policies_say_who_has_each_of_304_sms),
		cmocka_unit_test(a_refusal_names_the_sm),
		cmocka_unit_test(what_is_said_of_other_sms_counts_for_nothing),
		cmocka_unit_test(masks_of_tenants_and_launches_reach_the_last_sm),
		cmocka_unit_test(each_policy_divides_512_sms),
		cmocka_unit_test(plans_give_away_all_of_304_sms),
	};

	return cmocka_run_group_tests_name("large", tests, make_traces, free_traces);
}

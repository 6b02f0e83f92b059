// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers that wrap: where the clock of the cores, or that of the memory, or the age of an
 * SM's warps goes over what 31 or 32 bits hold, a GPU does what it did long before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "small.h"
#include "traces.h"

#define TENANTS		4
#define CYCLES		16000
#define BEFORE		5000	/* it begins, and what wraps does */

/* struct outcome - all that is counted, and when kernels ended */
struct outcome {
	struct simgpu_counters tenants[TENANTS];
	struct simgpu_counters sms[8];
	struct gpu_channel_counters channels[4][TENANTS];
	u64 took[TENANTS];
};

static struct trace *traces[TENANTS];

/* Three cycles are two clocks. */
static struct gpu_config odd_config(bool sectors)
{
	struct gpu_config config = small_config();

	config.core_mhz = 1500;
	config.memory_mhz = 1000;
	if (sectors) {
		config.l1_sectors = 4;
		config.llc_sectors = 4;
		config.warp_policy = GPU_WARP_LRR;
		config.slice_arbitration = GPU_ARBITRATE_SM;
	} else {
		config.mirrors = 1;
		config.atd_sampling = 2;
	}
	return config;
}

/* After so many cycles windows, refreshes and clock edges are where they were. */
static u64 period(const struct gpu_config *config)
{
	return 12ULL * gpu_window(config) * config->dram.trefi;
}

static void gather(struct gpu *gpu, struct outcome *out)
{
	u32 i, slot;

	memset(out, 0, sizeof(*out));
	for (slot = 0; slot < TENANTS; slot++)
		gpu_tenant_counters(gpu, slot, &out->tenants[slot]);
	for (i = 0; i < 8; i++)
		gpu_sm_counters(gpu, i, &out->sms[i]);
	for (i = 0; i < 4; i++)
		for (slot = 0; slot < TENANTS; slot++)
			gpu_channel_counters(gpu, i, slot,
					     &out->channels[i][slot]);
}

static void run_to(struct gpu *gpu, u64 begin, u64 until, struct outcome *out)
{
	u64 slots;

	while (gpu_now(gpu) < until) {
		gpu_run(gpu, until);
		for (slots = gpu_take_finished(gpu); slots; slots &= slots - 1) {
			u32 slot = lowest_bit(slots);

			out->took[slot] = ended(gpu, slot) - begin;
			gpu_kernel_start(gpu, slot, traces[slot], 0);
		}
	}
}

/* Four tenants, on SMs of their own and on shared ones, which change hands meanwhile. */
static void run_all(struct gpu *gpu, struct outcome *out)
{
	u64 begin = gpu_now(gpu), took[TENANTS] = { 0 };
	u32 i;

	gpu_set_idle_sampling(gpu, 77);
	for (i = 0; i < TENANTS; i++) {
		own(gpu, i, 1, i);
		/* Else stalls are counted from cycle 0 on. */
		own(gpu, TENANTS + i, 1, i);
		gpu_sm_share(gpu, TENANTS + i);
		gpu_set_memory_priority(gpu, i, i);
		gpu_kernel_start(gpu, i, traces[i], 0);
	}
	memset(out, 0, sizeof(*out));
	run_to(gpu, begin, begin + 3000, out);
	gpu_sm_assign(gpu, 1, 0, GPU_PREEMPT_SWITCH);
	gpu_sm_assign(gpu, 6, 3, GPU_PREEMPT_RESET);
	gpu_sm_set_quota(gpu, 7, 2, 3000, 500);
	run_to(gpu, begin, begin + 8000, out);
	gpu_sm_assign(gpu, 0, 1, GPU_PREEMPT_SWITCH);
	gpu_sm_assign(gpu, 2, 3, GPU_PREEMPT_DRAIN);
	run_to(gpu, begin, begin + CYCLES, out);
	memcpy(took, out->took, sizeof(took));
	gather(gpu, out);
	memcpy(out->took, took, sizeof(took));
}

static void run_at(const struct gpu_config *config, u64 begin,
		   struct outcome *out)
{
	struct gpu *gpu = gpu_make(config);

	gpu_run(gpu, begin);
	run_all(gpu, out);
	free(gpu);
}

static void expect_same(const struct outcome *was, const struct outcome *is)
{
	const u64 *a = (const u64 *)was, *b = (const u64 *)is;
	u32 i;

	for (i = 0; i < sizeof(*was) / sizeof(u64); i++)
		if (a[i] != b[i])
			fail_msg("number %u is %llu, was %llu", i, b[i], a[i]);
}

static void the_clocks_size_does_not_show(void **state)
{
	/* In cycles: the last two are where clocks of the memory wrap. */
	static const u64 wraps[] = {
		1ULL << 31, 1ULL << 32, 1ULL << 33, 3ULL << 30, 3ULL << 31,
	};
	u32 sectors, i;

	for (sectors = 0; sectors < 2; sectors++) {
		struct gpu_config config = odd_config(sectors);

		for (i = 0; i < ARRAY_SIZE(wraps); i++) {
			u64 begin = wraps[i] - BEFORE;
			struct outcome early, late;

			run_at(&config, begin % period(&config), &early);
			run_at(&config, begin, &late);
			assert_true(early.took[3] != 0);
			expect_same(&early, &late);
		}
	}
}

/* Of a GPU on which 2^31 warps, or 2^32, have begun the oldest is still the oldest. */
static void the_warps_age_does_not_show(void **state)
{
	static const u32 ages[] = { 0, U32_MAX / 2 - 40, U32_MAX - 40, U32_MAX };
	struct gpu_config config = odd_config(false);
	struct outcome first, other;
	u32 i, sm;

	for (i = 0; i < ARRAY_SIZE(ages); i++) {
		struct gpu *gpu = gpu_make(&config);

		for (sm = 0; sm < config.sms; sm++)
			gpu->sms[sm].age = ages[i];
		run_all(gpu, i ? &other : &first);
		if (i)
			expect_same(&first, &other);
		free(gpu);
	}
}

static int make_traces(void **state)
{
	traces[0] = trace_copy(40, 6, 12);
	traces[1] = trace_random(60, 10, 5, 1 << 24);
	traces[2] = trace_varied(40, 3, 1 << 18);
	traces[3] = trace_compute(30, 3, 100);
	return 0;
}

static int free_traces(void **state)
{
	u32 i;

	for (i = 0; i < TENANTS; i++)
		trace_free(traces[i]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clocks_size_does_not_show),
		cmocka_unit_test(the_warps_age_does_not_show),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("wraps", tests, make_traces,
					   free_traces);
}

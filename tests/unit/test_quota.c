// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas of tenants on shared SMs, and the warps that could issue but do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "shared_device.h"
#include "small.h"
#include "traces.h"

/* --- quotas ------------------------------------------------------------------------------- */

static u64 issued(struct device *device, u32 sm, u32 slot)
{
	return registers_of_slot(device, sm, slot).thread_instructions;
}

/*
 * Bursts of 30,000 instructions, several schedulers and tenants: no quota is
 * exceeded by a warp instruction of all of them, and none is left over.
 */
static void quotas_are_kept(void **state)
{
	static const s64 quotas[] = { 100000, 64001, 33 };
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(1000, 3, 30000);
	struct simgpu_counters sm;
	struct device device;
	u64 cycle, before[3];
	u32 slot;

	config.sms = 1;
	for (config.schedulers_per_sm = 1; config.schedulers_per_sm <= 4;
	     config.schedulers_per_sm *= 2) {
		u64 issued_before = 0;

		device_make(&device, &config);
		for (slot = 0; slot < 3; slot++) {
			gpu_sm_set_quota(device.gpu, 0, slot, quotas[slot], 0);
			gpu_kernel_start(device.gpu, slot, trace, 0);
		}
		for (cycle = 1; cycle < 6000; cycle += 7) {
			gpu_run(device.gpu, cycle);
			for (slot = 0; slot < 3; slot++) {
				s64 used = issued(&device, 0, slot);

				assert_true(used < quotas[slot] + 32);
				assert_true(gpu_sm_quota_left(device.gpu, 0,
					    slot) == quotas[slot] - used);
			}
		}
		gpu_run(device.gpu, 10000);
		for (slot = 0; slot < 3; slot++) {
			assert_true(issued(&device, 0, slot) >=
				    (u64)quotas[slot]);
			issued_before += issued(&device, 0, slot);
		}
		/* Without a quota, and with a new one in the midst of bursts. */
		for (slot = 0; slot < 3; slot++)
			gpu_sm_set_quota(device.gpu, 0, slot, GPU_NO_QUOTA, 0);
		gpu_run(device.gpu, 10100);
		gpu_sm_counters(device.gpu, 0, &sm);
		for (slot = 0; slot < 3; slot++) {
			before[slot] = issued(&device, 0, slot);
			gpu_sm_set_quota(device.gpu, 0, slot, slot * 1000, 0);
		}
		assert_int_equal(sm.thread_instructions,
				 before[0] + before[1] + before[2]);
		assert_int_equal(before[0] + before[1] + before[2],
				 issued_before + 100 * 32 *
				 config.schedulers_per_sm);
		gpu_run(device.gpu, 20000);
		for (slot = 0; slot < 3; slot++)
			assert_in_range(issued(&device, 0, slot),
					before[slot] + slot * 1000,
					before[slot] + slot * 1000 + 31);
		device_free(&device);
	}
	trace_free(trace);
}

/* A quota is used up as fast as without one: no scheduler waits for another. */
static void quotas_cost_no_time(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(1000, 3, 30000);
	struct device device;

	config.sms = 1;
	device_make(&device, &config);
	gpu_sm_set_quota(device.gpu, 0, 0, 64 * 5000, 0);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, 4900);
	assert_int_equal(issued(&device, 0, 0), 64 * 4900);
	gpu_run(device.gpu, 5010);
	assert_int_equal(issued(&device, 0, 0), 64 * 5000);
	trace_free(trace);
	device_free(&device);
}

/* Bursts that are cut again and again are as long, and wait for data as before. */
static void cutting_bursts_changes_no_time(void **state)
{
	struct gpu_config config = small_config();
	struct builder *b = builder_new("cut", "test");
	u32 line = builder_affine(b, 0, 128, 4, 0, 0, 0), i;
	struct trace *trace;
	struct gpu_kernel_status status;
	u64 end[2], cycle;

	builder_kernel(b, "cut", 1, 32, 32, 0);
	builder_load(b, line, 32, 100);
	builder_compute(b, 300, 32);
	builder_compute(b, 400, 17);
	trace = trace_of(b, 128);
	config.sms = 1;
	for (i = 0; i < 2; i++) {
		struct device device;

		device_make(&device, &config);
		gpu_kernel_start(device.gpu, 0, trace, 0);
		for (cycle = 10; i && cycle < 1500; cycle += 7) {
			gpu_run(device.gpu, cycle);
			gpu_sm_set_quota(device.gpu, 0, 0, GPU_QUOTA_MAX, 0);
		}
		finish(&device, 1);
		gpu_kernel_status(device.gpu, 0, &status);
		end[i] = status.ended_at;
		assert_int_equal(issued(&device, 0, 0),
				 32 + 300 * 32 + 400 * 17);
		device_free(&device);
	}
	assert_true(end[0] > 750);
	assert_int_equal(end[1], end[0]);
	trace_free(trace);
}

/*
 * FGQoS 3.4: in the naive scheme a QoS tenant stops at its quota and the others
 * go on in steps of theirs; in the elastic one all get another epoch's.
 */
static void quotas_are_refilled(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(1000, 3, 30000);
	u32 elastic;

	config.sms = 1;
	for (elastic = 0; elastic < 2; elastic++) {
		struct device device;
		u64 qos, other;

		device_make(&device, &config);
		gpu_sm_set_quota(device.gpu, 0, 0, 60000, elastic ? 60000 : 0);
		gpu_sm_set_quota(device.gpu, 0, 1, 20000, 20000);
		gpu_kernel_start(device.gpu, 0, trace, 0);
		gpu_kernel_start(device.gpu, 1, trace, 0);
		gpu_run(device.gpu, 20000);
		qos = issued(&device, 0, 0);
		other = issued(&device, 0, 1);
		/* Nothing of the SM is lost to it. */
		assert_in_range(qos + other, 20000 * 64 * 99 / 100, 20000 * 64);
		if (elastic)
			assert_in_range(qos, other * 3 - 60000, other * 3 + 60000);
		else
			assert_in_range(qos, 60000, 60031);
		device_free(&device);
	}
	trace_free(trace);
}

/* A debt is paid back first, and who has no blocks there keeps nobody waiting. */
static void refills_pay_debts(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(1000, 3, 30000);
	struct device device;

	config.sms = 1;
	device_make(&device, &config);
	gpu_sm_set_quota(device.gpu, 0, 0, -1000000, 300);
	gpu_sm_set_quota(device.gpu, 0, 1, 5000, 0);
	gpu_sm_set_quota(device.gpu, 0, 2, 5000, 0);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_kernel_start(device.gpu, 1, trace, 0);
	gpu_run(device.gpu, 30000);
	assert_in_range(issued(&device, 0, 1), 5000, 5031);
	assert_in_range(issued(&device, 0, 0), 28000 * 64, 30000 * 64);
	/* Where nobody is refilled, all stand still. */
	gpu_sm_set_quota(device.gpu, 0, 0, -5, 0);
	gpu_run(device.gpu, 30001);
	assert_int_equal(gpu_sm_quota_left(device.gpu, 0, 0), -5);
	gpu_run(device.gpu, 40000);
	assert_int_equal(gpu_sm_quota_left(device.gpu, 0, 0), -5);
	/* But not those without a quota. */
	gpu_sm_set_quota(device.gpu, 0, 1, GPU_NO_QUOTA, 0);
	gpu_run(device.gpu, 50000);
	assert_in_range(issued(&device, 0, 1), 5000 + 9999 * 64, 5031 + 10000 * 64);
	/* And none outlives its tenant. */
	gpu_tenant_drop(device.gpu, 0);
	assert_true(gpu_sm_quota_left(device.gpu, 0, 0) == GPU_NO_QUOTA);
	trace_free(trace);
	device_free(&device);
}

/* --- instructions that are charged when they complete ------------------------------------ */

static void set_late(struct device *device, u32 slot, s64 left, s64 refill)
{
	struct gpu_quota quotas[GPU_SLOTS_MAX] = { [0].left = 0 };

	quotas[slot] = (struct gpu_quota) { left, refill, true };
	gpu_sm_set_quotas(device->gpu, 0, 1ULL << slot, quotas);
}

/* FGQoS 3.4.1: the counter of a load falls when its data has come. */
static void loads_are_charged_when_they_complete(void **state)
{
	struct gpu_config config = small_config();
	struct builder *b = builder_new("late", "test");
	u32 line = builder_affine(b, 0, 128, 4, 0, 0, 0);
	struct trace *trace;
	struct device device;
	u64 cycle, came = 0;

	builder_kernel(b, "late", 1, 32, 32, 0);
	builder_load(b, line, 32, 100);
	builder_compute(b, 90, 32);
	builder_compute(b, 40, 17);
	trace = trace_of(b, 128);
	config.sms = 1;
	device_make(&device, &config);
	set_late(&device, 0, 100000, 0);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	for (cycle = 1; cycle < 1500; cycle++) {
		u64 under_way, begun;

		gpu_run(device.gpu, cycle);
		under_way = gpu_sm_under_way(device.gpu, 0, 0);
		begun = issued(&device, 0, 0);
		assert_true(gpu_sm_quota_left(device.gpu, 0, 0) ==
			    100000 - (s64)(begun - under_way));
		if (begun && !under_way && !came)
			came = cycle;
		/* While its data is on its way, a load is not charged. */
		if (cycle == 200) {
			assert_int_equal(begun, 91 * 32 + 10 * 17);
			assert_int_equal(under_way, 32);
		}
	}
	assert_true(came > 200);
	assert_int_equal(gpu_sm_quota_left(device.gpu, 0, 0),
			 100000 - 32 - 90 * 32 - 40 * 17);
	trace_free(trace);
	device_free(&device);
}

/*
 * What is under way when a quota is used up completes, and is charged. The quota goes
 * further below zero than if instructions were charged when they issue.
 */
static void what_is_under_way_completes(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_random(1000, 200, 8, 1ULL << 26);
	struct gpu_sm_tenant now;
	struct device device;
	s64 left[2];
	u32 late;

	config.sms = 1;
	for (late = 0; late < 2; late++) {
		device_make(&device, &config);
		if (late)
			set_late(&device, 0, 20000, 0);
		else
			gpu_sm_set_quota(device.gpu, 0, 0, 20000, 0);
		gpu_kernel_start(device.gpu, 0, trace, 0);
		gpu_run(device.gpu, 30000);
		now = registers_of_slot(&device, 0, 0);
		left[late] = now.quota_left;
		assert_int_equal(gpu_sm_under_way(device.gpu, 0, 0), 0);
		assert_int_equal(now.thread_instructions, 20000 - left[late]);
		device_free(&device);
	}
	assert_in_range(-left[0], 0, 31);
	assert_in_range(-left[1], 100, 64 * GPU_UNDER_WAY_MOST);
	trace_free(trace);
}

/* Charging is exact and the same, however often the driver looks, and sets quotas. */
static void late_quotas_do_not_depend_on_pauses(void **state)
{
	static const u64 pauses[] = { 5000, 1, 7, 50 };
	struct gpu_config config = small_config();
	struct trace *reads = trace_random(1000, 200, 8, 1ULL << 26);
	struct trace *computes = trace_varied(1000, 20, 1ULL << 26);
	u64 first = 0;
	u32 i, slot;

	config.sms = 1;
	for (i = 0; i < ARRAY_SIZE(pauses); i++) {
		struct gpu_quota quotas[GPU_SLOTS_MAX] = {
			{ 7000, 0, true }, { 9000, 500, true }, { 5000, 300, false },
		};
		struct device device;
		u64 cycle, until;

		device_make(&device, &config);
		gpu_sm_set_quotas(device.gpu, 0, 7, quotas);
		gpu_kernel_start(device.gpu, 0, reads, 0);
		gpu_kernel_start(device.gpu, 1, computes, 0);
		gpu_kernel_start(device.gpu, 2, reads, 0);
		for (until = 5000; until <= 40000; until += 5000) {
			for (cycle = until - 5000; cycle < until; cycle += pauses[i])
				gpu_run(device.gpu, cycle);
			gpu_run(device.gpu, until);
			for (slot = 0; slot < 3; slot++)
				quotas[slot].at_completion = (until / 5000 + slot) % 4;
			gpu_sm_set_block_limit(device.gpu, 0, 0, until % 3 + 1,
					       GPU_PREEMPT_SWITCH);
			gpu_sm_set_quotas(device.gpu, 0, 7, quotas);
		}
		if (!i)
			first = gpu_state_hash(device.gpu);
		assert_int_equal(gpu_state_hash(device.gpu), first);
		device_free(&device);
	}
	trace_free(reads);
	trace_free(computes);
}

/* --- idle warps --------------------------------------------------------------------------- */

static void idle_warps_are_sampled(void **state)
{
	struct gpu_config config = small_config();
	struct trace *computes = trace_compute(1000, 3, 30000);
	struct simgpu_counters a;
	u64 first = 0;
	u32 pause;

	config.sms = 2;
	for (pause = 1; pause <= 10000; pause *= 100) {
		struct device device;
		u64 at;

		device_make(&device, &config);
		gpu_kernel_start(device.gpu, 0, computes, 0);
		gpu_run(device.gpu, 500);
		gpu_set_idle_sampling(device.gpu, 100);
		for (at = 500; at < 5500; at += pause)
			gpu_run(device.gpu, at);
		gpu_run(device.gpu, 5500);
		a = counters_of(&device, 0);
		/* Of 64 ready warps of an SM, 2 issue. */
		assert_int_equal(a.idle_warp_samples, 2 * 50);
		assert_int_equal(a.idle_warps, 2 * 50 * 62);
		gpu_set_idle_sampling(device.gpu, 0);
		gpu_run(device.gpu, 7000);
		assert_int_equal(counters_of(&device, 0).idle_warp_samples, 100);
		if (!first)
			first = gpu_state_hash(device.gpu);
		assert_int_equal(gpu_state_hash(device.gpu), first);
		device_free(&device);
	}
	trace_free(computes);
}

/* Half of the warps each, in turn: those that wait for memory are not idle. */
static void warps_that_wait_are_not_idle(void **state)
{
	struct gpu_config config = small_config();
	struct trace *computes = trace_compute(1000, 3, 30000);
	struct trace *reads = trace_random(1000, 50, 8, 1ULL << 26);
	struct simgpu_counters a, b, sm;
	struct device device;
	u32 i;

	config.sms = 2;
	config.warp_policy = GPU_WARP_LRR;
	device_make(&device, &config);
	gpu_kernel_start(device.gpu, 0, reads, 0);
	gpu_kernel_start(device.gpu, 1, computes, 0);
	gpu_set_idle_sampling(device.gpu, 50);
	gpu_run(device.gpu, 20000);
	a = counters_of(&device, 1);
	b = counters_of(&device, 0);
	assert_int_equal(a.idle_warp_samples, 2 * 400);
	assert_int_equal(b.idle_warp_samples, 2 * 400);
	assert_in_range(a.idle_warps, 2 * 400 * 29, 2 * 400 * 32);
	assert_in_range(b.idle_warps, 1, 2 * 400 * 16);
	for (i = 0; i < 2; i++) {
		u64 sum = registers_of_slot(&device, i, 0).idle_warps +
			  registers_of_slot(&device, i, 1).idle_warps;

		gpu_sm_counters(device.gpu, i, &sm);
		assert_int_equal(sm.idle_warps, sum);
		assert_int_equal(sm.idle_warp_samples, 2 * 400);
		a.idle_warps -= registers_of_slot(&device, i,
						  1).idle_warps;
	}
	assert_int_equal(a.idle_warps, 0);
	device_free(&device);
	trace_free(computes);
	trace_free(reads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotas_are_kept),
		cmocka_unit_test(quotas_cost_no_time),
		cmocka_unit_test(cutting_bursts_changes_no_time),
		cmocka_unit_test(quotas_are_refilled),
		cmocka_unit_test(refills_pay_debts),
		cmocka_unit_test(loads_are_charged_when_they_complete),
		cmocka_unit_test(what_is_under_way_completes),
		cmocka_unit_test(late_quotas_do_not_depend_on_pauses),
		cmocka_unit_test(idle_warps_are_sampled),
		cmocka_unit_test(warps_that_wait_are_not_idle),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("quota", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles in traces, and the policies that run kernels in phases: which of them
 * run together, who waits, and that phases do not overlap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/plan.h"
#include "bench.h"
#include "snapshots.h"

#define SMS	8
#define BLOCKS	64

/* A kernel that scales to @knee SMs, or what its profile says of it. */
static void make_points(struct simgpu_trace_point *points, u32 knee,
			u32 bandwidth_ppm)
{
	u32 m;

	for (m = 1; m <= SMS; m++) {
		u32 used = m < knee ? m : knee;

		points[m - 1].cycles = 80000 / used;
		points[m - 1].bandwidth_ppm = bandwidth_ppm * used / knee;
	}
}

/* Two equal kernels of 64 blocks, each with a profile of 8 SMs. */
static struct builder *build_profiled(const char *config, u32 knee,
				      u32 bandwidth_ppm)
{
	struct builder *builder = builder_new("profiled", "test");
	struct simgpu_trace_point points[SMS];
	struct simgpu_trace_profile profile = {
		.sms = SMS, .blocks = BLOCKS, .memory_bytes = 4096,
	};
	u32 kernel;

	strcpy(profile.config, config);
	make_points(points, knee, bandwidth_ppm);
	builder_footprint(builder, 4096);
	builder_kernel(builder, "one", BLOCKS, 256, 32, 0);
	builder_compute(builder, 2000, 32);
	builder_again(builder, 1, 1);
	profile.first_point = builder_points(builder, points, SMS);
	for (kernel = 0; kernel < 2; kernel++) {
		profile.kernel = kernel;
		builder_profile(builder, &profile);
	}
	return builder;
}

/* Its profile says anything that a profile may. */
static struct trace *trace_of_any_profile(void)
{
	struct builder *builder = builder_new("any", "test");
	struct simgpu_trace_point points[SMS];
	struct simgpu_trace_profile profile = {
		.config = "hbm80", .sms = SMS, .blocks = BLOCKS, .memory_bytes = 4096,
	};
	u32 m;

	for (m = 0; m < SMS; m++) {
		points[m].cycles = 1 + (u32)(random_up_to(1) ?
			random_up_to(30000) : random_up_to(U32_MAX - 1));
		points[m].bandwidth_ppm = (u32)random_up_to(1000000);
	}
	builder_footprint(builder, 4096);
	builder_kernel(builder, "one", BLOCKS, 256, 32, 0);
	builder_compute(builder, 20 + (u32)random_up_to(200), 32);
	profile.first_point = builder_points(builder, points, SMS);
	builder_profile(builder, &profile);
	return trace_of(builder, 4096);
}

static struct trace *trace_profiled(u32 knee, u32 bandwidth_ppm)
{
	return trace_of(build_profiled("hbm80", knee, bandwidth_ppm), 4096);
}

/* --- profiles ---------------------------------------------------------------------- */

static void profiles_are_found_by_gpu_and_kernel(void **state)
{
	struct trace *trace = trace_profiled(4, 200000);
	const struct trace_point *points = trace_profile(trace, "hbm80", SMS, 1);

	assert_non_null(points);
	assert_int_equal(points[0].cycles, 80000);
	assert_int_equal(points[3].cycles, 20000);
	assert_int_equal(points[7].cycles, 20000);
	assert_int_equal(points[1].bandwidth_ppm, 100000);
	assert_ptr_equal(points, trace_profile(trace, "hbm80", SMS, 0));
	assert_null(trace_profile(trace, "hbm80", SMS - 1, 1));
	assert_null(trace_profile(trace, "hbm80", SMS, 2));
	assert_null(trace_profile(trace, "hbm8", SMS, 0));
	assert_null(trace_profile(trace, "k20", SMS, 0));
	trace_free(trace);
}

/* The file, to be spoiled. */
struct spoiled {
	void *file;
	size_t bytes;
	struct simgpu_trace_profile *profiles;
	struct simgpu_trace_point *points;
	struct simgpu_trace_header *header;
};

static void spoil_new(struct spoiled *s)
{
	struct builder *builder = build_profiled("hbm80", 4, 200000);

	s->file = builder_finish(builder, 0, &s->bytes);
	assert_non_null(s->file);
	builder_free(builder);
	s->header = s->file;
	s->profiles = (void *)((char *)s->file +
		s->header->sections[SIMGPU_TRACE_PROFILES].offset);
	s->points = (void *)((char *)s->file +
		s->header->sections[SIMGPU_TRACE_POINTS].offset);
}

static void expect_refused(struct spoiled *s, const char *field, const char *reason)
{
	struct trace_error error;
	u64 memory_bytes;

	builder_seal(s->file, s->bytes);
	assert_int_equal(trace_check(s->file, s->bytes, &memory_bytes, &error),
			 -EINVAL);
	assert_string_equal(error.field, field);
	assert_string_equal(error.reason, reason);
	free(s->file);
}

#define REFUSED(field, reason, ...) do { \
	struct spoiled spoiled, *s = &spoiled; \
	spoil_new(s); \
	__VA_ARGS__; \
	expect_refused(s, field, reason); \
} while (0)

static void profiles_that_contradict_the_trace_are_refused(void **state)
{
	REFUSED("profiles[0].config", "is not a printable name",
		s->profiles[0].config[0] = 0);
	REFUSED("profiles[1].kernel", "is not in the trace",
		s->profiles[1].kernel = 2);
	REFUSED("profiles[1].kernel", "is not in order, or there twice",
		s->profiles[1].kernel = 0);
	REFUSED("profiles[1].kernel", "is not in order, or there twice",
		s->profiles[1].config[0] = 'a');
	REFUSED("profiles[0].sms", "is not 1 to 512", s->profiles[0].sms = 0);
	REFUSED("profiles[0].sms", "is not 1 to 512", s->profiles[0].sms = 513);
	REFUSED("profiles[0].sms", "reaches past the points",
		s->profiles[0].sms = 9);
	REFUSED("profiles[0].reserved", "is not zero",
		s->profiles[0].reserved = 1);
	REFUSED("profiles[0].blocks", "is not what the kernel has",
		s->profiles[0].blocks = 63);
	REFUSED("profiles[1].memory_bytes", "is not the trace's footprint",
		s->profiles[1].memory_bytes = 4095);
	REFUSED("profiles[1].first_point",
		"begins neither new points nor an earlier profile's",
		s->profiles[1].first_point = 1);
	REFUSED("points[7].cycles", "is zero: the profile has a gap",
		s->points[7].cycles = 0);
	REFUSED("points[3].bandwidth_ppm", "is above the peak, 1000000",
		s->points[3].bandwidth_ppm = 1000001);
	REFUSED("sections[12].count", "has points of no profile",
		s->header->sections[SIMGPU_TRACE_PROFILES].count = 0);
}

/* Profiles for another GPU stay when a trace is written anew. */
static void profiles_come_and_go_with_the_rest_unchanged(void **state)
{
	struct spoiled s;
	struct builder *builder;
	size_t bytes;
	void *again;

	spoil_new(&s);
	builder = builder_of(s.file);
	again = builder_finish(builder, 0, &bytes);
	assert_int_equal(bytes, s.bytes);
	assert_memory_equal(again, s.file, bytes);
	builder_free(builder);
	free(again);
	builder = builder_of(s.file);
	builder_no_profiles(builder);
	again = builder_finish(builder, 0, &bytes);
	assert_int_equal(bytes, s.bytes - 2 * sizeof(struct simgpu_trace_profile) -
			 SMS * sizeof(struct simgpu_trace_point));
	builder_free(builder);
	free(again);
	free(s.file);
}

/* --- phases ------------------------------------------------------------------------- */

/* Who runs, and what was seen of it. */
static struct {
	u64 running;
	u64 together;
	u32 starts;
	u32 first[16];
	u64 beside[16];
	u32 most;
} ran;

static void on_start(void *context, u32 slot, u32 queue, u64 sequence,
		     const struct trace *trace, u32 kernel)
{
	if (ran.starts < 16) {
		ran.first[ran.starts] = slot;
		ran.beside[ran.starts] = ran.running;
	}
	ran.running |= 1ULL << slot;
	ran.starts++;
	if (hweight64(ran.running) > ran.most) {
		ran.most = hweight64(ran.running);
		ran.together = ran.running;
	}
}

static void on_finish(void *context, u32 slot, u32 queue, u64 sequence,
		      const struct trace *trace, u32 kernel, u64 ended)
{
	ran.running &= ~(1ULL << slot);
}

/* With a param of the policy; NULL: as they are. */
static struct bench *bench_with(const struct simgpu_policy *policy, const char *param,
				u64 value)
{
	struct bench *bench = malloc(sizeof(*bench));
	u32 i;

	memset(&ran, 0, sizeof(ran));
	bench_options(bench, 0);
	bench->options.policy = policy;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	session_default_params(&bench->options);
	for (i = 0; param && strcmp(policy->params[i].name, param); i++)
		;
	if (param)
		bench->options.policy_params[i] = value;
	bench->hooks.kernel_start = on_start;
	bench->hooks.kernel_finish = on_finish;
	bench_start(bench);
	return bench;
}

static struct bench *bench_under(const struct simgpu_policy *policy)
{
	return bench_with(policy, NULL, 0);
}

static void finish(struct bench *bench, u32 launches)
{
	u32 i;

	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_int_equal(bench->done_count, launches);
	for (i = 0; i < launches; i++)
		assert_int_equal(bench->done[i].status, 0);
	bench_free(bench);
}

static void sequential_runs_one_kernel_at_a_time_as_they_came(void **state)
{
	struct bench *bench = bench_under(&policy_sequential);

	join(bench, 0);
	join(bench, 1);
	join(bench, 2);
	launch(bench, 2, brief, 2, 0);
	session_run(bench->session, 300);
	launch(bench, 0, brief, 1, 0);
	session_run(bench->session, 300);
	launch(bench, 1, brief, 1, 0);
	finish(bench, 3);
	assert_int_equal(ran.most, 1);
	assert_int_equal(ran.starts, 4);
	/* The second run of slot 2 is of a launch that came before the others. */
	assert_int_equal(ran.first[0], 2);
	assert_int_equal(ran.first[1], 2);
	assert_int_equal(ran.first[2], 0);
	assert_int_equal(ran.first[3], 1);
}

/* All run at once, and the older kernel's blocks go first. */
static void concurrent_leaves_over_what_the_older_kernel_does_not_take(void **state)
{
	struct trace *scales = trace_profiled(8, 10000);
	struct bench *bench = bench_under(&policy_concurrent);
	struct simgpu_counters older, younger;

	join(bench, 0);
	join(bench, 1);
	launch(bench, 1, scales, 1, 0);
	session_run(bench->session, 400);
	launch(bench, 0, scales, 1, 0);
	session_run(bench->session, 1000);
	assert_int_equal(ran.running, 3);
	older = report_of(bench, 1).counters;
	younger = report_of(bench, 0).counters;
	/* 64 blocks of 256 threads all fit on 8 SMs, 8 on each: 0 has what is left. */
	assert_true(older.thread_instructions > younger.thread_instructions);
	finish(bench, 2);
	assert_int_equal(ran.most, 2);
	assert_int_equal(ran.first[0], 1);
	trace_free(scales);
}

/*
 * Two applications of two kernels each, 0 before 1. In one hardware queue stand A1, A2,
 * B1, B2: B1, which waits for nothing, is behind A2, which waits for A1 (a false wait).
 */
static void start_applications(struct bench *bench, const struct trace *trace)
{
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, trace, 1, 0);
	launch(bench, 1, trace, 1, 0);
	finish(bench, 2);
	assert_int_equal(ran.starts, 4);
}

static void one_hardware_queue_makes_false_waits(void **state)
{
	struct trace *scales = trace_profiled(8, 10000);

	start_applications(bench_with(&policy_concurrent, "hardware_queues", 1),
			   scales);
	assert_int_equal(ran.first[0], 0);
	assert_int_equal(ran.first[1], 0);
	assert_int_equal(ran.beside[1], 0);
	/* B1 starts as soon as A2 has, and beside it. */
	assert_int_equal(ran.first[2], 1);
	assert_int_equal(ran.beside[2], 1);

	start_applications(bench_with(&policy_concurrent, "hardware_queues", 2),
			   scales);
	assert_int_equal(ran.first[1], 1);
	assert_int_equal(ran.beside[1], 1);
	start_applications(bench_under(&policy_concurrent), scales);
	assert_int_equal(ran.first[1], 1);
	assert_int_equal(ran.beside[1], 1);
	trace_free(scales);
}

/* A kernel alone in its application keeps nobody waiting. */
static void single_kernels_have_no_false_waits(void **state)
{
	struct bench *bench = bench_with(&policy_concurrent, "hardware_queues", 1);
	u32 slot;

	for (slot = 0; slot < 3; slot++)
		join(bench, slot);
	for (slot = 0; slot < 3; slot++)
		launch(bench, slot, brief, 1, 0);
	finish(bench, 3);
	assert_int_equal(ran.most, 3);
}

/* A run that is repeated is handed in when the one before has ended: likewise. */
static void repeated_kernels_have_no_false_waits(void **state)
{
	struct bench *bench = bench_with(&policy_concurrent, "hardware_queues", 1);
	u32 slot;

	for (slot = 0; slot < 3; slot++)
		join(bench, slot);
	for (slot = 0; slot < 3; slot++)
		launch(bench, slot, brief, 3, 0);
	finish(bench, 3);
	/* The first three start together, though each has two more runs behind it. */
	assert_int_equal(ran.beside[1], 1);
	assert_int_equal(ran.beside[2], 3);
	assert_int_equal(ran.starts, 9);
}

/*
 * A hardware queue is in the order in which launches came: of two of one application
 * the second waits for the first, and what came between them does not.
 */
static void hardware_queues_are_in_the_order_of_launches(void **state)
{
	struct bench *bench = bench_with(&policy_concurrent, "hardware_queues", 1);

	join(bench, 0);
	join(bench, 1);
	join(bench, 2);
	launch(bench, 1, middling, 1, 0);
	session_run(bench->session, 300);
	launch(bench, 0, brief, 1, 0);
	session_run(bench->session, 300);
	launch(bench, 1, brief, 1, 0);
	session_run(bench->session, 300);
	launch(bench, 2, brief, 1, 0);
	finish(bench, 4);
	assert_int_equal(ran.first[0], 1);
	assert_int_equal(ran.first[1], 0);
	assert_int_equal(ran.beside[1], 2);
	assert_int_equal(ran.first[2], 1);
	assert_int_equal(ran.first[3], 2);
	assert_int_equal(ran.beside[3] & 2, 2);
}

/* No more kernels at a time than the device has room for, and all come to their turn. */
static void so_many_kernels_run_at_a_time(void **state)
{
	struct bench *bench = bench_with(&policy_concurrent, "kernels", 2);
	u32 slot;

	for (slot = 0; slot < 5; slot++)
		join(bench, slot);
	for (slot = 0; slot < 5; slot++)
		launch(bench, slot, brief, 2, 0);
	finish(bench, 5);
	assert_int_equal(ran.most, 2);
	assert_int_equal(ran.starts, 10);
}

static void complementing_run_together(const struct simgpu_policy *policy)
{
	struct trace *scales = trace_profiled(8, 10000);
	struct trace *saturates = trace_profiled(2, 500000);
	struct bench *bench = bench_under(policy);

	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, scales, 1, 0);
	launch(bench, 1, saturates, 1, 0);
	finish(bench, 2);
	assert_int_equal(ran.most, 2);
	assert_int_equal(ran.starts, 4);
	trace_free(scales);
	trace_free(saturates);
}

static void kernels_that_complement_each_other_run_together(void **state)
{
	complementing_run_together(&policy_stm);
	complementing_run_together(&policy_stm_merged);
	complementing_run_together(&policy_stm_partition);
}

/* Whether the second kernel of who ends first starts beside the other's first. */
static bool goes_on_beside(const struct simgpu_policy *policy, u64 whole)
{
	struct trace *scales = trace_profiled(8, 10000);
	struct trace *saturates = trace_profiled(2, 500000);
	struct bench *bench = bench_with(policy, "whole", whole);

	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, scales, 1, 0);
	launch(bench, 1, saturates, 1, 0);
	finish(bench, 2);
	assert_int_equal(ran.starts, 4);
	assert_int_equal(ran.most, 2);
	trace_free(scales);
	trace_free(saturates);
	return ran.beside[2];
}

/* Whose launch goes on goes on beside what its phase has left, if the plan is of launches. */
static void a_phase_may_be_of_whole_launches(void **state)
{
	assert_true(!goes_on_beside(&policy_stm, 0));
	assert_true(goes_on_beside(&policy_stm, 1));
	assert_true(goes_on_beside(&policy_stm_merged, 1));
	assert_true(goes_on_beside(&policy_stm_partition, 1));
}

/* Alike kernels: who comes waits, or takes the SMs of who runs, who comes back. */
static void who_comes_may_preempt(const struct simgpu_policy *policy, u64 replan,
				  u32 first_done)
{
	struct trace *scales = trace_profiled(8, 900000);
	struct bench *bench = bench_with(policy, "replan", replan);

	join(bench, 0);
	join(bench, 1);
	launch(bench, 1, scales, 1, 0);
	session_run(bench->session, 600);
	assert_int_equal(ran.running, 2);
	launch(bench, 0, scales, 1, 0);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(bench->done[0].slot, first_done);
	assert_int_equal(ran.starts, 4);
	if (replan)
		assert_true(report_of(bench, 1).counters.preempted_blocks > 0);
	else
		assert_int_equal(report_of(bench, 1).counters.preempted_blocks, 0);
	finish(bench, 2);
	trace_free(scales);
}

static void arrivals_may_make_a_new_plan(void **state)
{
	who_comes_may_preempt(&policy_stm, 1, 0);
	who_comes_may_preempt(&policy_stm_partition, 1, 0);
	who_comes_may_preempt(&policy_stm, 0, 1);
}

/*
 * A decision takes 5,000 cycles, and somebody comes in these: it is not in the plan, and
 * has its turn in the next one.
 */
static void who_comes_while_a_plan_is_made_is_in_the_next(void **state)
{
	struct trace *scales = trace_profiled(8, 900000);
	struct bench *bench = malloc(sizeof(*bench));

	memset(&ran, 0, sizeof(ran));
	bench_options(bench, 0);
	bench->options.policy = &policy_stm;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->options.decision_cycles = 5000;
	session_default_params(&bench->options);
	bench->hooks.kernel_start = on_start;
	bench->hooks.kernel_finish = on_finish;
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 1, scales, 1, 0);
	session_run(bench->session, 2000);
	assert_int_equal(ran.starts, 0);
	launch(bench, 0, scales, 1, 0);
	session_run(bench->session, 4000);
	assert_int_equal(ran.running, 2);
	finish(bench, 2);
	assert_int_equal(ran.most, 1);
	assert_int_equal(ran.starts, 4);
	trace_free(scales);
}

/* Kernels that are the same, and end together: one call, one next phase. */
static void kernels_of_a_phase_may_end_together(void **state)
{
	struct trace *saturates = trace_profiled(2, 100000);
	struct bench *bench = bench_under(&policy_stm_partition);
	u32 slot;

	for (slot = 0; slot < 4; slot++) {
		join(bench, slot);
		launch(bench, slot, saturates, 1, 0);
	}
	finish(bench, 4);
	assert_int_equal(ran.most, 4);
	assert_int_equal(ran.starts, 8);
	assert_int_equal(ran.beside[4], 0);
	trace_free(saturates);
}

/*
 * Five tenants with launches of several kernels come and go, with profiles that say
 * anything, under all that stm can be set to: nothing is refused, and all that was
 * launched by those who stay ends, in order.
 */
static void storm_under(const struct simgpu_policy *policy, const char *param, u64 value)
{
	struct bench *bench = bench_with(policy, param, value);
	struct trace *traces[8];
	u32 launched[SIMGPU_SLOTS_MAX] = { 0 }, turn, slot, i;
	u64 last[SIMGPU_SLOTS_MAX] = { 0 };

	for (i = 0; i < ARRAY_SIZE(traces); i++)
		traces[i] = i ? trace_of_any_profile() : trace_profiled(3, 400000);
	for (slot = 0; slot < 5; slot++)
		join(bench, slot);
	for (turn = 0; turn < 30; turn++) {
		slot = (u32)random_up_to(4);
		/* Slot 4 leaves now and then, whatever it has. */
		if (slot == 4 && random_up_to(2) == 0) {
			session_leave(bench->session, slot);
			session_run(bench->session, 400);
			join(bench, slot);
			continue;
		}
		if (launched[slot] < 12)
			launch(bench, slot, traces[random_up_to(7)],
			       1 + random_up_to(1), 0);
		launched[slot] += launched[slot] < 12;
		session_run(bench->session, random_up_to(4000));
	}
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	for (i = 0; i < bench->done_count; i++) {
		const struct done *done = &bench->done[i];

		if (done->slot == 4)
			continue;
		assert_int_equal(done->status, 0);
		assert_int_equal(done->sequence, ++last[done->slot]);
	}
	for (slot = 0; slot < 4; slot++)
		assert_int_equal(last[slot], launched[slot]);
	bench_free(bench);
	for (i = 0; i < ARRAY_SIZE(traces); i++)
		trace_free(traces[i]);
}

static void storms_of_tenants_and_profiles_lose_nothing(void **state)
{
	u32 round;

	for (round = 0; round < 4; round++) {
		storm_under(&policy_stm, NULL, 0);
		storm_under(&policy_stm, "whole", 1);
		storm_under(&policy_stm, "replan", 1);
		storm_under(&policy_stm, "penalty", PLAN_PENALTY_MEMORY);
		storm_under(&policy_stm_merged, "replan", 1);
		storm_under(&policy_stm_partition, "replan", 1);
		storm_under(&policy_sequential, NULL, 0);
		storm_under(&policy_concurrent, "hardware_queues", 1);
		storm_under(&policy_concurrent, "kernels", 2);
	}
}

/* --- profiles in snapshots ----------------------------------------------------------- */

static struct {
	u32 count;
	struct simgpu_snapshot_kernel head, next;
	struct simgpu_profile_point of_head, of_launch, of_next;
} watched;

/* What is seen of slot 0 at the first call with a kernel there; all SMs are its. */
static int watch(const struct simgpu_snapshot *snapshot, void *state,
		 struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_queue *queue = &snapshot->tenants[0].queue[0];

	proposal->sms[0] = snapshot->tenants[0].active ? snapshot->sms : 0;
	if (watched.count || !queue->head.flags)
		return 0;
	watched.count = snapshot->profile_count;
	watched.head = queue->head;
	watched.next = queue->next;
	watched.of_head = snapshot->profiles[queue->head.profile - 1].point[3];
	watched.of_launch =
		snapshot->profiles[queue->head.launch_profile - 1].point[3];
	watched.of_next = snapshot->profiles[queue->next.profile - 1].point[3];
	return 0;
}

static const struct simgpu_policy watching = {
	.name = "watching", .events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_KERNEL_READY,
	.needs = SIMGPU_NEEDS_PROFILES, .decide = watch,
};

/* Of two kernels: the first, both one after the other, and the second. */
static void profiles_of_what_waits_are_seen(void **state)
{
	struct trace *scales = trace_profiled(4, 200000);
	struct bench *bench = bench_under(&watching);

	memset(&watched, 0, sizeof(watched));
	join(bench, 0);
	launch(bench, 0, scales, 1, 0);
	finish(bench, 1);
	assert_int_equal(watched.count, 3);
	assert_int_equal(watched.head.profile, 1);
	assert_int_equal(watched.head.launch_profile, 2);
	assert_int_equal(watched.next.profile, 3);
	assert_int_equal(watched.next.kernel, 1);
	assert_int_equal(watched.of_head.cycles, 20000);
	assert_int_equal(watched.of_next.cycles, 20000);
	assert_int_equal(watched.of_launch.cycles, 40000);
	assert_int_equal(watched.of_launch.bandwidth_ppm, 200000);
	trace_free(scales);
}

/* A snapshot of two kernels that complement each other. */
static void snapshot_pair(struct simgpu_snapshot *snapshot, u32 threads, u32 registers,
			  u32 shared_bytes)
{
	u32 slot;

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->sms = SMS;
	snapshot->sms_per_tpc = 1;
	snapshot->sm_threads = 1536;
	snapshot->sm_blocks = 8;
	snapshot->sm_registers = 32768;
	snapshot->sm_shared_bytes = 49152;
	snapshot->tenants_active = 2;
	snapshot->profile_count = 2;
	for (slot = 0; slot < 2; slot++) {
		struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

		tenant->active = 1;
		tenant->queue[0].head = (struct simgpu_snapshot_kernel) {
			.flags = SIMGPU_KERNEL_PRESENT, .blocks = BLOCKS,
			.threads = slot ? threads : 256,
			.registers = slot ? registers : 16,
			.shared_bytes = slot ? shared_bytes : 0,
			.profile = slot + 1,
		};
		make_points((void *)snapshot->profiles[slot].point,
			    slot ? 2 : 8, slot ? 500000 : 10000);
	}
}

static u32 merged(u32 threads, u32 registers, u32 shared_bytes)
{
	struct simgpu_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	struct simgpu_proposal *proposal = calloc(1, sizeof(*proposal));
	void *memory = calloc(1, policy_stm_merged.state_bytes);
	u32 blocks;

	snapshot_pair(snapshot, threads, registers, shared_bytes);
	assert_int_equal(policy_stm_merged.decide(snapshot, memory, proposal), 0);
	assert_int_equal(proposal->hold, ~3ULL);
	assert_true(proposal->flags & SIMGPU_SAYS_SM_BLOCKS);
	blocks = proposal->sm_blocks;
	free(snapshot);
	free(proposal);
	free(memory);
	return blocks;
}

/*
 * STM 5: A needs 4K registers a thread block and B 8K, so that an SM with 32K holds
 * four blocks of the merged kernel.
 */
static void merged_kernels_take_the_greatest_room(void **state)
{
	assert_int_equal(merged(256, 32, 0), 4);
	/* Nobody has more than A. */
	assert_int_equal(merged(32, 16, 0), 6);
	assert_int_equal(merged(512, 16, 0), 3);
	/* A few threads with many registers make all threads have as many. */
	assert_int_equal(merged(32, 63, 0), 2);
	assert_int_equal(merged(64, 16, 24576), 2);
	assert_int_equal(merged(1024, 63, 49152), 1);
}

/* Alike ones gain nothing, and one without a profile is nobody's companion. */
static void who_gains_nothing_runs_alone(void **state)
{
	struct trace *scales = trace_profiled(8, 10000);
	struct bench *bench = bench_under(&policy_stm);

	join(bench, 0);
	join(bench, 1);
	join(bench, 2);
	launch(bench, 0, scales, 1, 0);
	launch(bench, 1, scales, 1, 0);
	launch(bench, 2, brief, 2, 0);
	finish(bench, 3);
	assert_int_equal(ran.most, 1);
	assert_int_equal(ran.starts, 6);
	trace_free(scales);
}

/*
 * The plan has two phases: {0} and {1, 2}, since 0 and 1 are alike and 0 comes first
 * in slot order. Slot 3 comes while the first runs, and waits for both.
 */
static void who_comes_waits_for_the_next_plan(void **state)
{
	struct trace *scales = trace_profiled(8, 900000);
	struct trace *saturates = trace_profiled(2, 500000);
	struct bench *bench = bench_under(&policy_stm_partition);

	join(bench, 0);
	join(bench, 1);
	join(bench, 3);
	launch(bench, 0, scales, 1, 0);
	launch(bench, 1, scales, 1, 0);
	session_run(bench->session, 400);
	launch(bench, 3, saturates, 1, 0);
	finish(bench, 3);
	assert_int_equal(ran.starts, 6);
	assert_int_equal(ran.first[0], 0);
	assert_int_equal(ran.first[1], 1);
	/* Of the second plan slot 0 is first again, with who complements it. */
	assert_int_not_equal(ran.first[2], 1);
	trace_free(scales);
	trace_free(saturates);
}

/* Who leaves in the middle of its phase stops nobody. */
static void a_tenant_may_leave_its_phase(void **state)
{
	struct trace *scales = trace_profiled(8, 10000);
	struct bench *bench = bench_under(&policy_stm);

	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, scales, 1, 0);
	session_run(bench->session, 2000);
	assert_int_equal(ran.running, 2);
	session_leave(bench->session, 1);
	session_run(bench->session, 2000);
	assert_int_equal(ran.first[1], 0);
	session_leave(bench->session, 0);
	bench_free(bench);
	trace_free(scales);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_are_found_by_gpu_and_kernel),
		cmocka_unit_test(profiles_that_contradict_the_trace_are_refused),
		cmocka_unit_test(profiles_come_and_go_with_the_rest_unchanged),
		cmocka_unit_test(sequential_runs_one_kernel_at_a_time_as_they_came),
		cmocka_unit_test(concurrent_leaves_over_what_the_older_kernel_does_not_take),
		cmocka_unit_test(one_hardware_queue_makes_false_waits),
		cmocka_unit_test(single_kernels_have_no_false_waits),
		cmocka_unit_test(repeated_kernels_have_no_false_waits),
		cmocka_unit_test(hardware_queues_are_in_the_order_of_launches),
		cmocka_unit_test(so_many_kernels_run_at_a_time),
		cmocka_unit_test(kernels_that_complement_each_other_run_together),
		cmocka_unit_test(a_phase_may_be_of_whole_launches),
		cmocka_unit_test(arrivals_may_make_a_new_plan),
		cmocka_unit_test(who_comes_while_a_plan_is_made_is_in_the_next),
		cmocka_unit_test(kernels_of_a_phase_may_end_together),
		cmocka_unit_test(storms_of_tenants_and_profiles_lose_nothing),
		cmocka_unit_test(profiles_of_what_waits_are_seen),
		cmocka_unit_test(merged_kernels_take_the_greatest_room),
		cmocka_unit_test(who_gains_nothing_runs_alone),
		cmocka_unit_test(who_comes_waits_for_the_next_plan),
		cmocka_unit_test(a_tenant_may_leave_its_phase),
	};

	return cmocka_run_group_tests_name("phases", tests, make_traces, free_traces);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Failures: kernels that hang, faults, copies that stall, a device that is lost; timeouts, and
 * what is done about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/internal.h"
#include "bench.h"
#include "journal_of.h"

#define TIMEOUT		50000ULL
#define NEVER_ENDS	20000000ULL
#define ANY		SESSION_INJECT_ANY

static struct trace *spinning, *copies;

/* --- kit -------------------------------------------------------------------------------- */

static struct trace *trace_spinning(void)
{
	struct builder *builder = builder_new("spinning", "test_failures");

	builder_kernel(builder, "spin", 8, 256, 32, 0);
	builder_compute(builder, 100, 32);
	builder_spin(builder, 32);
	return trace_of(builder, 0);
}

/* A copy of 1 MiB to the device, and a kernel. */
static struct trace *trace_copies(void)
{
	struct builder *builder = builder_new("copies", "test_failures");

	builder_kernel(builder, "after", 8, 256, 32, 0);
	builder_compute(builder, 100, 32);
	builder_allocation(builder, "buffer", 0, 1 << 20, SIMGPU_TRACE_DEVICE);
	builder_command(builder, SIMGPU_TRACE_COMMAND_COPY_IN, 0, 0, 1, 1 << 20);
	builder_command(builder, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, 1, 0);
	return trace_of(builder, 1 << 20);
}

static int make_all(void **state)
{
	make_traces(state);
	spinning = trace_spinning();
	copies = trace_copies();
	return 0;
}

static int free_all(void **state)
{
	trace_free(copies);
	trace_free(spinning);
	return free_traces(state);
}

/* What a session without a gang begins with. @timeout: of its kernels, or 0 */
static struct bench *bench_made(const struct simgpu_policy *policy, u64 timeout)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.policy = policy;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->options.timeout_cycles = timeout;
	bench->hooks.epoch = NULL;
	session_default_params(&bench->options);
	return bench;
}

/* A session without a gang, whose kernels time out. */
static struct bench *bench_failing(const struct simgpu_policy *policy, u64 timeout)
{
	struct bench *bench = bench_made(policy, timeout);

	bench_start(bench);
	return bench;
}

static void inject(struct bench *bench, u32 kind, u32 slot, u64 number, u64 after_cycles,
		   u32 survives)
{
	const struct session_injection injection = {
		.kind = kind, .slot = slot, .launch = number,
		.after_cycles = after_cycles, .survives = survives,
	};

	assert_int_equal(session_inject(bench->session, &injection), 0);
}

static u64 launch_repeating(struct bench *bench, u32 slot, u32 queue, const struct trace *trace)
{
	const struct session_launch_options options = {
		.trace = trace, .repeats = 1, .queue = queue, .idempotent = true,
	};
	u64 sequence;

	assert_int_equal(session_launch_with(bench->session, slot, &options, &sequence), 0);
	return sequence;
}

static void run_to(struct bench *bench, u64 cycle)
{
	run_in_steps(bench, cycle, ALL_AT_ONCE);
}

static struct session_failures failures_in(struct bench *bench, u32 slot)
{
	return report_of(bench, slot).failures;
}

static struct session_failure_times times_of(const struct bench *bench)
{
	struct session_failure_times times;

	session_failure_times(bench->session, &times);
	return times;
}

/* Thread blocks of a tenant's kernel, in its first queue, that have begun */
static u32 blocks_begun(const struct bench *bench, u32 slot)
{
	struct gpu_kernel_status status;

	gpu_queue_status(session_gpu(bench->session), slot, 0, &status);
	return status.blocks_issued;
}

/* The status with which a launch has ended; 1: it has not. */
static int status_of(const struct bench *bench, u32 slot, u64 sequence)
{
	u32 i;

	for (i = 0; i < bench->done_count; i++)
		if (bench->done[i].slot == slot && bench->done[i].sequence == sequence)
			return bench->done[i].status;
	return 1;
}

/* --- kinds ---------------------------------------------------------------------------------- */

static void hangs_end_with_their_timeout(void **state)
{
	struct bench *bench = bench_failing(&policy_even, TIMEOUT);

	join(bench, 0);
	join(bench, 1);
	inject(bench, SESSION_FAILURE_HANG, 0, 1, 500, 0);
	launch(bench, 0, brief, 1, 0);
	launch(bench, 0, brief, 1, 0);
	launch(bench, 1, middling, 1, 0);
	run_to(bench, NEVER_ENDS);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	assert_int_equal(status_of(bench, 0, 1), -ETIME);
	assert_int_equal(status_of(bench, 0, 2), 0);
	assert_int_equal(status_of(bench, 1, 1), 0);
	assert_int_equal(failures_in(bench, 0).timeouts, 1);
	assert_int_equal(failures_in(bench, 0).kills, 1);
	assert_int_equal(failures_in(bench, 0).strikes, 1);
	assert_int_equal(failures_in(bench, 1).strikes, 0);
	/* At its cycle exactly. */
	assert_int_equal(times_of(bench).detection_max_cycles, TIMEOUT - 500);
	assert_int_equal(times_of(bench).recovery_max_cycles, SESSION_KILL_CYCLES_DEFAULT);
	bench_free(bench);
}

static void hangs_without_a_timeout_last(void **state)
{
	struct bench *bench = bench_failing(&policy_even, 0);
	u64 issued;

	join(bench, 0);
	inject(bench, SESSION_FAILURE_HANG, ANY, 0, 0, 0);
	launch(bench, 0, brief, 1, 0);
	run_to(bench, 100000);
	issued = issued_by(bench, 0);
	run_to(bench, 200000);
	/* It costs issue slots, as a real one does: 8 SMs with 2 schedulers or more. */
	assert_true(issued_by(bench, 0) - issued > 100000ULL * 8 * 32);
	assert_int_equal(bench->done_count, 0);
	assert_int_equal(times_of(bench).found, 0);
	session_leave(bench->session, 0);
	assert_int_equal(bench->done_count, 1);
	bench_free(bench);
}

/* A trace that says so itself; a queue with a timeout of its own. */
static void traces_spin_until_they_are_killed(void **state)
{
	struct bench *bench = bench_failing(&policy_even, 0);

	join(bench, 0);
	assert_true(spinning->spins);
	assert_true(spinning->kernels[0].instructions == TRACE_NO_END);
	assert_int_equal(session_set_timeout(bench->session, 0, 1, 30000), 0);
	assert_int_equal(session_set_timeout(bench->session, 0, 8, 30000), -EINVAL);
	assert_int_equal(session_set_timeout(bench->session, 1, 0, 30000), -EINVAL);
	assert_int_equal(session_set_timeout(bench->session, 0, 0,
					     SESSION_TIMEOUT_CYCLES_MAX + 1), -EINVAL);
	launch_repeating(bench, 0, 0, spinning);
	launch_repeating(bench, 0, 1, spinning);
	run_to(bench, 100000);
	assert_int_equal(status_of(bench, 0, 2), -ETIME);
	assert_int_equal(times_of(bench).detection_max_cycles, 30000);
	/* The other queue's goes on. */
	assert_int_equal(bench->done_count, 1);
	assert_int_equal(report_of(bench, 0).queue[0].state, SESSION_QUEUE_RUNNING);
	bench_free(bench);
}

static void faults_are_found_at_once(void **state)
{
	struct bench *bench = bench_failing(&policy_even, 0);

	join(bench, 0);
	inject(bench, SESSION_FAILURE_ADDRESS, 0, 1, 700, 0);
	inject(bench, SESSION_FAILURE_MEMORY, 0, 2, 0, 0);
	launch(bench, 0, brief, 1, 0);
	launch(bench, 0, brief, 1, 0);
	launch(bench, 0, brief, 1, 0);
	run_to(bench, NEVER_ENDS);
	assert_int_equal(status_of(bench, 0, 1), -EFAULT);
	assert_int_equal(status_of(bench, 0, 2), -EIO);
	assert_int_equal(status_of(bench, 0, 3), 0);
	assert_int_equal(failures_in(bench, 0).faults, 2);
	/* For the memory the tenant is not to blame. */
	assert_int_equal(failures_in(bench, 0).strikes, 1);
	assert_int_equal(times_of(bench).detection_max_cycles, 0);
	bench_free(bench);
}

static void lost_devices_come_back(void **state)
{
	struct bench *bench = bench_failing(&policy_even, 0);
	u32 slot;
	u64 lost;

	bench->options.reset_device_cycles = 50000;
	session_destroy(bench->session);
	bench_start(bench);
	for (slot = 0; slot < 3; slot++)
		join(bench, slot);
	inject(bench, SESSION_FAILURE_LOST, 1, 1, 3000, 0);
	for (slot = 0; slot < 3; slot++) {
		launch(bench, slot, middling, 1, 0);
		launch(bench, slot, middling, 1, 0);
	}
	run_to(bench, NEVER_ENDS);
	lost = session_now(bench->session);
	for (slot = 0; slot < 3; slot++) {
		assert_int_equal(status_of(bench, slot, 1), -ENODEV);
		assert_int_equal(status_of(bench, slot, 2), -ENODEV);
		assert_int_equal(failures_in(bench, slot).strikes, 0);
		assert_int_equal(failures_in(bench, slot).launches_canceled, 1);
	}
	assert_int_equal(times_of(bench).lost, 1);
	launch(bench, 0, brief, 1, 0);
	run_to(bench, NEVER_ENDS);
	assert_int_equal(status_of(bench, 0, 3), 0);
	assert_true(session_end_cycle(bench->session) > lost + 50000);
	bench_free(bench);
}

static void copies_that_stall_time_out(void **state)
{
	struct bench *bench = bench_failing(&policy_even, 0);

	join(bench, 0);
	/* Longer than a copy of 1 MiB takes. */
	assert_int_equal(session_set_timeout(bench->session, 0, 0, 1000000), 0);
	inject(bench, SESSION_FAILURE_COPY, 0, 2, 0, 0);
	launch(bench, 0, copies, 1, 0);
	launch(bench, 0, copies, 1, 0);
	launch(bench, 0, copies, 1, 0);
	run_to(bench, NEVER_ENDS);
	assert_int_equal(status_of(bench, 0, 1), 0);
	assert_int_equal(status_of(bench, 0, 2), -ETIME);
	assert_int_equal(status_of(bench, 0, 3), 0);
	assert_int_equal(failures_in(bench, 0).timeouts, 1);
	assert_int_equal(times_of(bench).detection_max_cycles, 1000000);
	bench_free(bench);
}

/* Where each tenant runs alone as well, a kernel without an end would never end there. */
static void endless_traces_are_refused_with_private_runs(void **state)
{
	struct bench *bench = bench_failing(&policy_even, TIMEOUT);
	u64 sequence;

	bench->options.model = &model_oracle;
	session_default_params(&bench->options);
	session_destroy(bench->session);
	bench_start(bench);
	join(bench, 0);
	assert_int_equal(session_launch(bench->session, 0, spinning, 1, 0, &sequence),
			 -EOPNOTSUPP);
	/* What hangs on the device alone ends there, and here. */
	inject(bench, SESSION_FAILURE_HANG, 0, 1, 0, 0);
	launch(bench, 0, middling, 1, 0);
	launch(bench, 0, brief, 1, 0);
	run_to(bench, NEVER_ENDS);
	assert_int_equal(status_of(bench, 0, 1), -ETIME);
	assert_int_equal(status_of(bench, 0, 2), 0);
	bench_free(bench);
}

static void time_does_not_leap_over_failures(void **state)
{
	struct bench *bench = bench_failing(&policy_even, TIMEOUT);
	const struct session_injection hang = { .kind = SESSION_FAILURE_HANG };
	struct session *session;

	assert_int_equal(session_set_sampled(bench->session, 5), -EINVAL);
	bench->options.sampled = 5;
	assert_int_equal(session_create(&session, &bench->options, &bench->hooks), -EINVAL);
	session_destroy(bench->session);
	bench->options.timeout_cycles = 0;
	bench_start(bench);
	join(bench, 0);
	assert_int_equal(session_inject(bench->session, &hang), -EINVAL);
	assert_int_equal(session_set_timeout(bench->session, 0, 0, 10), -EINVAL);
	bench_free(bench);
}

/* --- the ladder -------------------------------------------------------------------------- */

/* With a timeout of the first queue of slot 0 alone. */
static struct bench *bench_timed(void)
{
	struct bench *bench = bench_failing(&policy_even, 0);

	join(bench, 0);
	assert_int_equal(session_set_timeout(bench->session, 0, 0, TIMEOUT), 0);
	return bench;
}

/* A kernel that survives a kill loses its SMs, and who shares them begins again or is canceled. */
static void what_survives_a_kill_is_reset(void **state)
{
	const struct session_launch_options once = {
		.trace = long_blocks, .repeats = 1, .queue = 2,
	};
	struct bench *bench = bench_timed();
	u64 sequence;

	join(bench, 1);
	inject(bench, SESSION_FAILURE_HANG, 0, 1, 0, SESSION_SURVIVES_KILL);
	launch_repeating(bench, 0, 0, middling);
	launch_repeating(bench, 0, 1, long_blocks);
	assert_int_equal(session_launch_with(bench->session, 0, &once, &sequence), 0);
	launch(bench, 1, long_blocks, 1, 0);
	run_to(bench, TIMEOUT + SESSION_KILL_CYCLES_DEFAULT - 10);
	assert_int_equal(bench->done_count, 0);
	run_to(bench, TIMEOUT + SESSION_KILL_CYCLES_DEFAULT + 10);
	assert_int_equal(status_of(bench, 0, 1), -ETIME);
	assert_int_equal(status_of(bench, 0, 2), 1);
	assert_int_equal(status_of(bench, 0, 3), -ECANCELED);
	assert_int_equal(failures_in(bench, 0).launches_repeated, 1);
	assert_int_equal(failures_in(bench, 0).launches_canceled, 1);
	assert_int_equal(failures_in(bench, 0).resets, 2);
	assert_int_equal(failures_in(bench, 1).resets, 0);
	assert_in_range(times_of(bench).sm_resets, 1, 4);
	assert_int_equal(times_of(bench).device_resets, 0);
	assert_int_equal(times_of(bench).recovery_max_cycles,
			 SESSION_KILL_CYCLES_DEFAULT + SESSION_RESET_SM_CYCLES_DEFAULT);
	bench_free(bench);
}

static void what_survives_that_resets_the_device(void **state)
{
	struct bench *bench = bench_timed();

	join(bench, 1);
	join(bench, 2);
	inject(bench, SESSION_FAILURE_HANG, 0, 1, 0, SESSION_SURVIVES_SM_RESET);
	launch(bench, 0, brief, 1, 0);
	launch(bench, 1, long_blocks, 1, 0);
	launch_repeating(bench, 2, 0, long_blocks);
	run_to(bench, TIMEOUT + SESSION_KILL_CYCLES_DEFAULT +
		      SESSION_RESET_SM_CYCLES_DEFAULT + 10);
	assert_int_equal(status_of(bench, 0, 1), -ETIME);
	assert_int_equal(status_of(bench, 1, 1), -ECANCELED);
	assert_int_equal(status_of(bench, 2, 1), 1);
	assert_int_equal(times_of(bench).device_resets, 1);
	assert_int_equal(failures_in(bench, 1).launches_canceled, 1);
	assert_int_equal(failures_in(bench, 2).launches_repeated, 1);
	assert_int_equal(failures_in(bench, 2).strikes, 0);
	bench_free(bench);
}

/* How often a launch has ended. */
static u32 ends_of(const struct bench *bench, u32 slot, u64 sequence)
{
	u32 ends = 0, i;

	for (i = 0; i < bench->done_count; i++)
		ends += bench->done[i].slot == slot && bench->done[i].sequence == sequence;
	return ends;
}

/*
 * Four kernels of a tenant hang on the same SMs and survive a kill. The reset of these SMs ends
 * them in turn, and bans the tenant for the third one, with which all of its launches end: each
 * of them once.
 */
static void resets_that_ban_end_each_launch_once(void **state)
{
	struct bench *bench = bench_failing(&policy_even, 0);
	u32 queue;

	join(bench, 0);
	join(bench, 1);
	for (queue = 0; queue < 4; queue++) {
		assert_int_equal(session_set_timeout(bench->session, 0, queue, TIMEOUT), 0);
		inject(bench, SESSION_FAILURE_HANG, 0, queue + 1, 0, SESSION_SURVIVES_KILL);
		launch_repeating(bench, 0, queue, middling);
	}
	launch_repeating(bench, 0, 4, long_blocks);
	launch(bench, 1, long_blocks, 1, 0);
	run_to(bench, TIMEOUT + SESSION_KILL_CYCLES_DEFAULT + 10);
	assert_true(failures_in(bench, 0).banned);
	assert_int_equal(failures_in(bench, 0).strikes, 3);
	assert_int_equal(bench->done_count, 5);
	for (queue = 0; queue < 5; queue++)
		assert_int_equal(ends_of(bench, 0, queue + 1), 1);
	/* The queue whose turn it was is the last one that would be guilty. */
	assert_int_equal(status_of(bench, 0, 1), -EIO);
	for (queue = 1; queue < 4; queue++)
		assert_int_equal(status_of(bench, 0, queue + 1), -ETIME);
	assert_int_equal(status_of(bench, 0, 5), -EIO);
	assert_int_equal(times_of(bench).device_resets, 0);
	bench_free(bench);
}

/*
 * A kernel that begins on SMs which issue nothing after a reset is not to blame for that time,
 * though its timeout is shorter; what hangs there is found as long after it.
 */
static void time_after_a_reset_does_not_count(void **state)
{
	const u64 ready = TIMEOUT + SESSION_KILL_CYCLES_DEFAULT +
			  SESSION_RESET_SM_CYCLES_DEFAULT;
	struct bench *bench = bench_failing(&policy_even, TIMEOUT);

	assert_true(SESSION_RESET_SM_CYCLES_DEFAULT > TIMEOUT);
	join(bench, 0);
	inject(bench, SESSION_FAILURE_HANG, 0, 1, 0, SESSION_SURVIVES_KILL);
	inject(bench, SESSION_FAILURE_HANG, 1, 2, 0, 0);
	launch(bench, 0, brief, 1, 0);
	run_to(bench, ready - SESSION_RESET_SM_CYCLES_DEFAULT + 10);
	assert_int_equal(status_of(bench, 0, 1), -ETIME);
	session_leave(bench->session, 0);
	join(bench, 1);
	launch(bench, 1, brief, 1, 0);
	launch(bench, 1, brief, 1, 0);
	run_to(bench, ready - 10);
	/* It has begun, and has thread blocks on SMs that issue nothing. */
	assert_true(blocks_begun(bench, 1) > 0);
	assert_int_equal(bench->done_count, 1);
	run_to(bench, NEVER_ENDS);
	assert_int_equal(status_of(bench, 1, 1), 0);
	assert_int_equal(status_of(bench, 1, 2), -ETIME);
	assert_int_equal(failures_in(bench, 1).timeouts, 1);
	assert_int_equal(times_of(bench).detection_max_cycles, TIMEOUT);
	bench_free(bench);
}

/* A kernel that waits for an SM when its queue's timeout has been taken back waits on. */
static void timeouts_are_taken_back(void **state)
{
	struct bench *bench = bench_failing(&policy_even, 0);
	const u32 waiting = bench->options.config.sms;
	u32 slot;

	for (slot = 0; slot <= waiting; slot++) {
		join(bench, slot);
		assert_int_equal(session_set_timeout(bench->session, slot, 0,
						     slot == waiting ? TIMEOUT : 0), 0);
		launch(bench, slot, slot == waiting ? brief : long_blocks, 1, 0);
	}
	run_to(bench, 1000);
	assert_int_equal(blocks_begun(bench, waiting), 0);
	assert_int_equal(session_set_timeout(bench->session, waiting, 0, 0), 0);
	run_to(bench, 2 * TIMEOUT);
	assert_int_equal(blocks_begun(bench, waiting), 0);
	for (slot = 0; slot < waiting; slot++)
		session_leave(bench->session, slot);
	run_to(bench, NEVER_ENDS);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	assert_int_equal(status_of(bench, waiting, 1), 0);
	bench_free(bench);
}

/* --- guilt ---------------------------------------------------------------------------------- */

static void three_strikes_ban(void **state)
{
	struct bench *bench = bench_failing(&policy_even, TIMEOUT);
	struct session_tenant_options options = plain();
	u32 i;

	join(bench, 0);
	join(bench, 1);
	inject(bench, SESSION_FAILURE_HANG, 0, 0, 0, 0);
	for (i = 0; i < 6; i++)
		launch(bench, 0, brief, 1, 0);
	launch(bench, 1, middling, 4, 0);
	run_to(bench, NEVER_ENDS);
	for (i = 1; i <= 3; i++)
		assert_int_equal(status_of(bench, 0, i), -ETIME);
	for (; i <= 6; i++)
		assert_int_equal(status_of(bench, 0, i), -EIO);
	assert_true(failures_in(bench, 0).banned);
	assert_int_equal(failures_in(bench, 0).strikes, 3);
	launch(bench, 0, brief, 1, 0);
	run_to(bench, NEVER_ENDS);
	assert_int_equal(status_of(bench, 0, 7), -EIO);
	assert_int_equal(status_of(bench, 1, 1), 0);
	/* The next tenant of the slot begins anew, or with what its cgroup did. */
	session_leave(bench->session, 0);
	options.strikes = 2;
	assert_int_equal(session_join(bench->session, 0, &options), 0);
	assert_int_equal(failures_in(bench, 0).strikes, 2);
	assert_false(failures_in(bench, 0).banned);
	launch(bench, 0, brief, 1, 0);
	run_to(bench, NEVER_ENDS);
	assert_true(failures_in(bench, 0).banned);
	session_leave(bench->session, 0);
	options.strikes = SESSION_STRIKES_MAX;
	assert_int_equal(session_join(bench->session, 0, &options), -EINVAL);
	bench_free(bench);
}

/* --- policies --------------------------------------------------------------------------------- */

static u32 answer, asked_kind, asked_times;

static int answers(const struct simgpu_snapshot *snapshot, void *state_of,
		   struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[0];

	if (!(snapshot->events & SIMGPU_ON_TIMEOUT))
		return 0;
	asked_times++;
	asked_kind = tenant->failure[0];
	if (!(tenant->failed_queues & 1) || !tenant->failure_cycles[0] ||
	    !(tenant->queue[0].events & SIMGPU_ON_TIMEOUT))
		return -EINVAL;
	proposal->flags |= SIMGPU_SAYS_RECOVERY;
	proposal->recovery[0][0] = (u8)answer;
	/* It waits once only. */
	if (asked_times == 1)
		answer = SIMGPU_RECOVER_KILL;
	return 0;
}

static const struct simgpu_policy *listening(void)
{
	static const struct simgpu_policy policy = {
		.name = "listening", .decide = answers, .events = SIMGPU_ON_TIMEOUT,
	};

	asked_times = 0;
	return &policy;
}

static struct bench *bench_asked(u32 said, u32 kind)
{
	struct bench *bench = bench_failing(listening(), 0);

	answer = said;
	join(bench, 0);
	assert_int_equal(session_set_timeout(bench->session, 0, 0, TIMEOUT), 0);
	join(bench, 1);
	inject(bench, kind, 0, 1, 100, 0);
	launch_repeating(bench, 0, 0, middling);
	launch(bench, 0, middling, 1, 0);
	launch(bench, 1, long_blocks, 1, 0);
	run_to(bench, 400000);
	return bench;
}

static void policies_say_what_is_done(void **state)
{
	struct bench *bench = bench_asked(SIMGPU_RECOVER_WAIT, SESSION_FAILURE_HANG);

	assert_int_equal(asked_times, 2);
	assert_int_equal(asked_kind, SIMGPU_FAILED_TIMEOUT);
	assert_int_equal(failures_in(bench, 0).timeouts, 2);
	assert_int_equal(failures_in(bench, 0).kills, 1);
	assert_int_equal(status_of(bench, 0, 2), 0);
	bench_free(bench);
	bench = bench_asked(SIMGPU_RECOVER_KILL_TENANT, SESSION_FAILURE_HANG);
	assert_int_equal(status_of(bench, 0, 1), -ETIME);
	assert_int_equal(status_of(bench, 0, 2), -EIO);
	assert_true(failures_in(bench, 0).banned);
	bench_free(bench);
	bench = bench_asked(SIMGPU_RECOVER_RESET_SMS, SESSION_FAILURE_HANG);
	assert_true(times_of(bench).sm_resets > 0);
	assert_int_equal(status_of(bench, 0, 1), -ETIME);
	bench_free(bench);
	bench = bench_asked(SIMGPU_RECOVER_RESET_DEVICE, SESSION_FAILURE_ADDRESS);
	assert_int_equal(asked_kind, SIMGPU_FAILED_ADDRESS);
	assert_int_equal(status_of(bench, 0, 1), -EFAULT);
	assert_int_equal(status_of(bench, 1, 1), -ECANCELED);
	assert_int_equal(times_of(bench).device_resets, 1);
	bench_free(bench);
	/* Without an answer it is the core's. */
	bench = bench_asked(SIMGPU_RECOVER_AS_USUAL, SESSION_FAILURE_MEMORY);
	assert_int_equal(status_of(bench, 0, 1), -EIO);
	assert_int_equal(failures_in(bench, 0).kills, 1);
	bench_free(bench);
}

static void impossible_answers_are_refused(void **state)
{
	static const struct {
		u32 said, kind;
	} cases[] = {
		{ SIMGPU_RECOVER_RESET_DEVICE + 1, SESSION_FAILURE_HANG },
		{ SIMGPU_RECOVER_WAIT, SESSION_FAILURE_ADDRESS },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_asked(cases[i].said, cases[i].kind);
		const struct session_refusal *why = session_last_refusal(bench->session);

		assert_int_equal(why->kind, SESSION_REFUSED_PROPOSAL);
		assert_string_equal(why->field, "recovery");
		assert_int_equal(why->slot, 0);
		/* Even takes its place, and the core does as usual. */
		assert_int_equal(failures_in(bench, 0).kills, 1);
		bench_free(bench);
	}
}

/* --- lists --------------------------------------------------------------------------------- */

static void bad_injections_are_refused(void **state)
{
	static const struct session_injection bad[] = {
		{ .kind = SESSION_FAILURES },
		{ .kind = SESSION_FAILURE_NONE, .slot = 1 },
		{ .kind = SESSION_FAILURE_HANG, .slot = SESSION_SLOTS_MAX },
		{ .kind = SESSION_FAILURE_HANG, .after_cycles = SESSION_TIMEOUT_CYCLES_MAX + 1 },
		{ .kind = SESSION_FAILURE_HANG, .probability_ppm = 1000001 },
		{ .kind = SESSION_FAILURE_HANG, .survives = SESSION_SURVIVES },
		{ .kind = SESSION_FAILURE_COPY, .survives = 1 },
	};
	const struct session_injection none = { .kind = SESSION_FAILURE_NONE };
	struct bench *bench = bench_failing(&policy_even, 0);
	u64 hash = session_state_hash(bench->session);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(session_inject(bench->session, &bad[i]), -EINVAL);
	for (i = 0; i < SESSION_INJECTIONS_MAX; i++)
		inject(bench, SESSION_FAILURE_HANG, ANY, 0, 0, 0);
	assert_true(session_state_hash(bench->session) != hash);
	assert_int_equal(session_inject(bench->session, &(struct session_injection) {
		.kind = SESSION_FAILURE_HANG }), -ENOSPC);
	assert_int_equal(session_inject(bench->session, &none), 0);
	assert_int_equal(session_state_hash(bench->session), hash);
	/* Runs count where there are injections that count them. */
	bench->session->runs[3]++;
	assert_int_equal(session_state_hash(bench->session), hash);
	inject(bench, SESSION_FAILURE_HANG, ANY, 0, 0, 0);
	hash = session_state_hash(bench->session);
	bench->session->runs[3]--;
	assert_true(session_state_hash(bench->session) != hash);
	bench_free(bench);
}

/* After so many runs, so often, and with a probability. */
static void injections_choose_runs(void **state)
{
	struct session_injection injection = {
		.kind = SESSION_FAILURE_MEMORY, .slot = 0, .after = 2, .times = 3,
	};
	struct bench *bench = bench_failing(&policy_even, 0);
	u32 i;

	join(bench, 0);
	assert_int_equal(session_inject(bench->session, &injection), 0);
	for (i = 0; i < 8; i++)
		launch(bench, 0, brief, 1, 0);
	run_to(bench, NEVER_ENDS);
	for (i = 1; i <= 8; i++)
		assert_int_equal(status_of(bench, 0, i), i > 2 && i <= 5 ? -EIO : 0);
	bench_free(bench);

	bench = bench_failing(&policy_even, 0);
	injection = (struct session_injection) {
		.kind = SESSION_FAILURE_MEMORY, .slot = ANY, .probability_ppm = 250000,
	};
	assert_int_equal(session_inject(bench->session, &injection), 0);
	join(bench, 0);
	for (i = 0; i < 200; i++) {
		launch(bench, 0, brief, 1, 0);
		run_to(bench, NEVER_ENDS);
	}
	/* Of 200 runs 50 are expected; 6.1 is the standard deviation. */
	assert_in_range(failures_in(bench, 0).faults, 30, 70);
	bench_free(bench);
}

/* --- injections as text ------------------------------------------------------------------------ */

static void injections_are_read_and_written(void **state)
{
	static const char *const texts[] = {
		"hang", "address:tenant=0", "memory:launch=7,after=1,times=2,cycles=300",
		"copy:tenant=63,probability=0.250000", "lost:probability=1.000000",
		"hang:launch=18446744073709551615,survives=kill", "hang:survives=sm-reset",
	};
	const struct session_injection all = {
		.kind = SESSION_FAILURE_HANG, .slot = SESSION_SLOTS_MAX - 1,
		.launch = U64_MAX, .after = U64_MAX, .times = U64_MAX,
		.after_cycles = SESSION_TIMEOUT_CYCLES_MAX, .probability_ppm = 999999,
		.survives = SESSION_SURVIVES_SM_RESET,
	};
	char text[SESSION_INJECTION_BYTES], why[SESSION_INJECTION_BYTES];
	struct session_injection injection;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(session_injection_parse(texts[i], &injection, why), 0);
		session_injection_print(&injection, text);
		assert_string_equal(text, texts[i]);
	}
	/* The computing one has room. */
	session_injection_print(&all, text);
	assert_true(strlen(text) < SESSION_INJECTION_BYTES - 1);
	assert_int_equal(session_injection_parse(text, &injection, why), 0);
	assert_memory_equal(&injection, &all, sizeof(all));
	/* Up to the end of the line; a ratio has as many digits as it is given. */
	assert_int_equal(session_injection_parse("lost:probability=0.5\nfire", &injection, why),
			 0);
	assert_int_equal(injection.probability_ppm, 500000);
}

static void bad_texts_are_refused(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} bad[] = {
		{ "", "is hang, address, memory, copy or lost, not \"\"" },
		{ "none", "not \"none\"" },
		{ "hang:when=1", "has no key \"when\"" },
		{ "hang:launch", "\"launch\" has no value" },
		{ "hang:launch=0", "launch= takes a number from 1 to 18446744073709551615" },
		{ "hang:launch=18446744073709551616", "not \"18446744073709551616\"" },
		{ "hang:launch=1x", "not \"1x\"" },
		{ "hang:launch=", "not \"\"" },
		{ "hang:tenant=64", "from 0 to 63" },
		{ "hang:cycles=1000000000001", "from 0 to 1000000000000" },
		{ "hang:probability=0", "a part above 0 up to 1" },
		{ "hang:probability=1.000001", "a part above 0 up to 1" },
		{ "hang:probability=.5", "not \".5\"" },
		{ "hang:probability=0.", "not \"0.\"" },
		{ "hang:probability=0.1234567", "not \"0.1234567\"" },
		{ "hang:survives=nothing", "survives= is kill or sm-reset" },
		{ "copy:survives=kill", "survives= is of a hang alone" },
		{ "hang:launch=00000000000000000000000000000000000000001", "takes a number" },
	};
	struct session_injection injection = { .kind = SESSION_FAILURE_LOST };
	const struct session_injection before = injection;
	char why[SESSION_INJECTION_BYTES];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(session_injection_parse(bad[i].text, &injection, why),
				 -EINVAL);
		if (!strstr(why, bad[i].why))
			fail_msg("%s: %s", bad[i].text, why);
		assert_memory_equal(&injection, &before, sizeof(before));
	}
}

/* --- what the owner is told ---------------------------------------------------------------------- */

#define TOLD_MAX	8

/* struct told - what the owner of a session was told */
struct told {
	u32 found;
	u32 acts;
	u32 bans;
	struct session_failed failed[TOLD_MAX];
	struct session_acted acted[TOLD_MAX];
};

static struct told told;

static void note_failed(void *context, const struct session_failed *failed)
{
	assert_true(told.found < TOLD_MAX);
	told.failed[told.found++] = *failed;
}

static void note_acted(void *context, const struct session_acted *acted)
{
	assert_true(told.acts < TOLD_MAX);
	told.acted[told.acts++] = *acted;
}

static void note_banned(void *context, u32 slot)
{
	told.bans += slot == 0;
}

static struct bench *bench_told(void)
{
	struct bench *bench = bench_made(&policy_even, 0);

	told = (struct told) { };
	bench->hooks.failed = note_failed;
	bench->hooks.acted = note_acted;
	bench->hooks.banned = note_banned;
	bench_start(bench);
	return bench;
}

/* Each step of the ladder, with what it takes from others. */
static void owners_are_told_of_steps(void **state)
{
	static const u32 steps[] = {
		SESSION_RECOVERY_KILLED, SESSION_RECOVERY_RESET_SMS,
		SESSION_RECOVERY_RESET_DEVICE,
	};
	struct bench *bench = bench_told();
	u64 resident;
	u32 i;

	join(bench, 0);
	join(bench, 1);
	join(bench, 2);
	/* The kernels of the others take longer. */
	assert_int_equal(session_set_timeout(bench->session, 0, 0, TIMEOUT), 0);
	inject(bench, SESSION_FAILURE_HANG, 0, 1, 500, SESSION_SURVIVES_SM_RESET);
	launch(bench, 0, brief, 1, 0);
	launch_repeating(bench, 1, 0, computing);
	launch(bench, 2, computing, 1, 0);
	run_to(bench, TIMEOUT + SESSION_KILL_CYCLES_DEFAULT + SESSION_RESET_SM_CYCLES_DEFAULT);
	assert_int_equal(told.found, 1);
	assert_int_equal(told.failed[0].slot, 0);
	assert_int_equal(told.failed[0].kind, SIMGPU_FAILED_TIMEOUT);
	assert_int_equal(told.failed[0].cycles, TIMEOUT);
	assert_false(told.failed[0].copies);
	assert_int_equal(told.failed[0].sm_count,
			 hweight64(told.failed[0].sms[0]) + hweight64(told.failed[0].sms[1]));
	assert_true(told.failed[0].sm_count > 0);
	resident = told.failed[0].blocks_begun - told.failed[0].blocks_ended -
		   told.failed[0].blocks_saved;
	assert_true(resident > 0);
	assert_int_equal(told.acts, ARRAY_SIZE(steps));
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		assert_int_equal(told.acted[i].slot, 0);
		assert_int_equal(told.acted[i].step, steps[i]);
		assert_int_equal(told.acted[i].over, i == 2);
	}
	/* A kill that does not help takes nothing away. */
	assert_int_equal(told.acted[0].blocks, 0);
	assert_int_equal(told.acted[0].cycles, SESSION_KILL_CYCLES_DEFAULT);
	/* The SMs of the first one are its own: the blocks begin again. */
	assert_int_equal(told.acted[1].sms, told.failed[0].sm_count);
	assert_int_equal(told.acted[1].repeated + told.acted[1].canceled, 0);
	assert_true(told.acted[2].blocks > resident);
	assert_int_equal(told.acted[2].repeated, 1);
	assert_int_equal(told.acted[2].canceled, 1);
	assert_int_equal(told.acted[2].strikes, 1);
	assert_int_equal(told.bans, 0);
	bench_free(bench);
}

static void owners_are_told_of_bans(void **state)
{
	struct bench *bench = bench_told();
	u32 i;

	join(bench, 0);
	inject(bench, SESSION_FAILURE_ADDRESS, 0, 0, 0, 0);
	for (i = 0; i < 5; i++)
		launch(bench, 0, brief, 1, 0);
	run_to(bench, NEVER_ENDS);
	assert_int_equal(told.found, 3);
	assert_int_equal(told.acts, 3);
	assert_int_equal(told.bans, 1);
	for (i = 0; i < 3; i++) {
		assert_int_equal(told.acted[i].strikes, i + 1);
		assert_int_equal(told.acted[i].banned, i == 2);
		assert_true(told.acted[i].over);
	}
	bench_free(bench);
}

static void owners_are_told_of_lost_devices(void **state)
{
	struct bench *bench = bench_told();

	join(bench, 0);
	join(bench, 1);
	inject(bench, SESSION_FAILURE_LOST, 1, 1, 100, 0);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, 0);
	run_to(bench, NEVER_ENDS);
	assert_int_equal(told.found, 1);
	assert_int_equal(told.failed[0].slot, SESSION_ANY_SLOT);
	assert_int_equal(told.acts, 1);
	assert_int_equal(told.acted[0].slot, SESSION_ANY_SLOT);
	assert_int_equal(told.acted[0].canceled, 2);
	assert_true(told.acted[0].blocks > 0);
	assert_int_equal(told.acted[0].cycles, SESSION_RESET_DEVICE_CYCLES_DEFAULT);
	bench_free(bench);
}

/* --- the same again -------------------------------------------------------------------------- */

static void live_with_failures(struct bench *bench, u64 step)
{
	const struct session_injection injection = {
		.kind = SESSION_FAILURE_HANG, .slot = ANY, .probability_ppm = 300000,
		.after_cycles = 333,
	};
	u32 slot, i;

	for (slot = 0; slot < 3; slot++)
		join(bench, slot);
	inject(bench, SESSION_FAILURE_HANG, 2, 2, 50, SESSION_SURVIVES_KILL);
	inject(bench, SESSION_FAILURE_LOST, 1, 10, 50, 0);
	assert_int_equal(session_inject(bench->session, &injection), 0);
	for (i = 0; i < 8; i++)
		for (slot = 0; slot < 3; slot++)
			launch_repeating(bench, slot, i % 2, slot ? brief : middling);
	run_in_steps(bench, 100001, step);
	assert_int_equal(session_set_timeout(bench->session, 0, 1, 7777), 0);
	for (i = 0; i < 4; i++)
		launch(bench, 0, brief, 1, 0);
	run_in_steps(bench, 600000, step);
	for (slot = 0; slot < 3; slot++)
		for (i = 0; i < 4; i++)
			launch_repeating(bench, slot, 0, middling);
	run_in_steps(bench, 900000, step);
}

static void failures_repeat_to_the_bit(void **state)
{
	static const u64 steps[] = { ALL_AT_ONCE, 5000, 777 };
	struct bench *first = bench_failing(&policy_even, TIMEOUT);
	const struct trace *const traces[] = { brief, middling };
	u32 i;

	live_with_failures(first, ALL_AT_ONCE);
	assert_true(times_of(first).found > 2);
	assert_true(times_of(first).sm_resets > 0);
	for (i = 1; i < ARRAY_SIZE(steps); i++) {
		struct bench *cut = bench_failing(&policy_even, TIMEOUT);

		live_with_failures(cut, steps[i]);
		expect_same(first, cut);
		assert_int_equal(first->done_count, cut->done_count);
		bench_free(cut);
	}
	for (i = 0; i < 1; i++) {
		struct bench *replayed = bench_failing(&policy_even, TIMEOUT);

		replay_journal(first->session, replayed->session, traces,
			       ARRAY_SIZE(traces));
		expect_same(first, replayed);
		bench_free(replayed);
	}
	bench_free(first);
}

/* A tenant of which something fails, and others; every second one's launches may run twice. */
static void live_with_one(struct bench *bench, const struct session_injection *injection,
			  u32 tenants)
{
	u32 slot, i;

	assert_int_equal(session_inject(bench->session, injection), 0);
	for (slot = 0; slot < tenants; slot++) {
		join(bench, slot);
		for (i = 0; i < 3; i++) {
			if (slot % 2)
				launch_repeating(bench, slot, 0, brief);
			else
				launch(bench, slot, slot ? brief : copies, 1, 0);
		}
	}
	run_to(bench, NEVER_ENDS);
}

/* Each kind of failure beside 0, 7 and 63 others: found in time, and again from the journal. */
static void each_kind_replays(void **state)
{
	static const struct session_injection kinds[] = {
		{ .kind = SESSION_FAILURE_HANG, .launch = 2, .after_cycles = 100 },
		{ .kind = SESSION_FAILURE_HANG, .launch = 2, .survives = SESSION_SURVIVES_KILL },
		{ .kind = SESSION_FAILURE_HANG, .launch = 2,
		  .survives = SESSION_SURVIVES_SM_RESET },
		{ .kind = SESSION_FAILURE_ADDRESS, .launch = 2, .after_cycles = 100 },
		{ .kind = SESSION_FAILURE_MEMORY, .launch = 2 },
		{ .kind = SESSION_FAILURE_COPY, .launch = 2 },
		{ .kind = SESSION_FAILURE_LOST, .launch = 2 },
	};
	static const u32 tenants[] = { 1, 8, SESSION_SLOTS_MAX };
	/* Longer than any of the kernels and copies takes, of 64 tenants on 8 SMs as well */
	const u64 timeout = 2000000;
	const struct trace *const traces[] = { brief, copies };
	u32 kind, i;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		for (i = 0; i < ARRAY_SIZE(tenants); i++) {
			struct bench *bench = bench_failing(&policy_even, timeout);
			struct bench *again = bench_failing(&policy_even, timeout);
			struct session_failure_times times;

			live_with_one(bench, &kinds[kind], tenants[i]);
			times = times_of(bench);
			assert_int_equal(times.found, 1);
			assert_in_range(times.detection_max_cycles, 0, timeout);
			assert_in_range(times.recovery_max_cycles, SESSION_KILL_CYCLES_DEFAULT,
					SESSION_KILL_CYCLES_DEFAULT +
					SESSION_RESET_SM_CYCLES_DEFAULT +
					SESSION_RESET_DEVICE_CYCLES_DEFAULT);
			replay_journal(bench->session, again->session, traces,
				       ARRAY_SIZE(traces));
			/* The last end, in the cycle that it has come to. */
			run_to(again, NEVER_ENDS);
			expect_same(bench, again);
			bench_free(again);
			bench_free(bench);
		}
}

/* Injections, several at once, into a session that has run for a while. */
static void live_with_late_injections(struct bench *bench, u64 step)
{
	const struct session_injection list[] = {
		{ .kind = SESSION_FAILURE_ADDRESS, .slot = 0, .times = 1, .after_cycles = 200 },
		{ .kind = SESSION_FAILURE_HANG, .slot = 1, .probability_ppm = 500000 },
	};
	u32 slot, i;

	for (slot = 0; slot < 2; slot++)
		join(bench, slot);
	for (i = 0; i < 12; i++)
		for (slot = 0; slot < 2; slot++)
			launch_repeating(bench, slot, 0, middling);
	run_in_steps(bench, 23456, step);
	assert_int_equal(times_of(bench).found, 0);
	assert_int_equal(session_inject_all(bench->session, list, ARRAY_SIZE(list)), 0);
	run_in_steps(bench, 900000, step);
}

static void running_sessions_take_injections(void **state)
{
	struct bench *first = bench_failing(&policy_even, TIMEOUT);
	struct bench *cut = bench_failing(&policy_even, TIMEOUT);
	struct bench *replayed = bench_failing(&policy_even, TIMEOUT);
	const struct trace *const traces[] = { middling };
	struct session_injected said[SESSION_INJECTIONS_MAX];

	live_with_late_injections(first, ALL_AT_ONCE);
	assert_int_equal(session_injections(first->session, said), 2);
	assert_int_equal(said[0].struck, 1);
	assert_int_equal(said[0].struck, failures_in(first, 0).faults);
	assert_true(said[1].struck > 0);
	assert_int_equal(said[1].struck, failures_in(first, 1).timeouts);
	live_with_late_injections(cut, 777);
	expect_same(first, cut);
	replay_journal(first->session, replayed->session, traces, ARRAY_SIZE(traces));
	expect_same(first, replayed);
	bench_free(replayed);
	bench_free(cut);
	bench_free(first);
}

static void injections_come_all_or_not_at_all(void **state)
{
	struct bench *bench = bench_failing(&policy_even, TIMEOUT);
	struct session_injected said[SESSION_INJECTIONS_MAX];
	struct session_injection list[SESSION_INJECTIONS_MAX + 1] = { };
	u32 i;

	for (i = 1; i <= SESSION_INJECTIONS_MAX; i++)
		list[i].kind = SESSION_FAILURE_HANG;
	assert_int_equal(session_inject_all(bench->session, &list[1], 2), 0);
	assert_int_equal(session_inject_all(bench->session, &list[1], SESSION_INJECTIONS_MAX),
			 -ENOSPC);
	list[3].kind = SESSION_FAILURES;
	assert_int_equal(session_inject_all(bench->session, list, 4), -EINVAL);
	assert_int_equal(session_injections(bench->session, said), 2);
	/* As the first one forgets those before. */
	list[3].kind = SESSION_FAILURE_HANG;
	assert_int_equal(session_inject_all(bench->session, list, ARRAY_SIZE(list)), 0);
	assert_int_equal(session_injections(bench->session, said), SESSION_INJECTIONS_MAX);
	bench_free(bench);
}

/* What a run is to have stays with it, but counts for no injection that came since. */
static void forgotten_injections_count_no_more(void **state)
{
	const struct session_injection none = { .kind = SESSION_FAILURE_NONE };
	struct bench *bench = bench_failing(&policy_even, TIMEOUT);
	struct session_injected said[SESSION_INJECTIONS_MAX];

	join(bench, 0);
	inject(bench, SESSION_FAILURE_ADDRESS, 0, 1, 500, 0);
	launch(bench, 0, computing, 1, 0);
	run_to(bench, 100);
	assert_int_equal(session_inject(bench->session, &none), 0);
	inject(bench, SESSION_FAILURE_HANG, 0, 9, 0, 0);
	run_to(bench, 1000);
	assert_int_equal(failures_in(bench, 0).faults, 1);
	assert_int_equal(session_injections(bench->session, said), 1);
	assert_int_equal(said[0].struck, 0);
	bench_free(bench);
}

/* --- neighbours -------------------------------------------------------------------------------- */

/*
 * What a neighbour has: nothing that fails, injected hangs, a trace that spins by itself, and
 * one that takes longer than the timeout. Of the last two anybody is capable.
 */
enum beside { BESIDE_INNOCENT, BESIDE_HANGS, BESIDE_SPINS, BESIDE_TOO_LONG };

/* What a neighbour issues in some time beside a tenant whose launches all hang, or do not. */
static u64 work_beside(enum beside what, u64 from, u64 until)
{
	const struct trace *const traces[] = {
		[BESIDE_INNOCENT] = brief, [BESIDE_HANGS] = brief,
		[BESIDE_SPINS] = spinning, [BESIDE_TOO_LONG] = long_blocks,
	};
	struct bench *bench = malloc(sizeof(*bench));
	u64 before;

	bench_options(bench, 2);
	bench->options.policy = &policy_even;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->options.stop_cycle = until;
	bench->options.timeout_cycles = TIMEOUT;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	if (what == BESIDE_HANGS)
		inject(bench, SESSION_FAILURE_HANG, 0, 0, 0, 0);
	launch(bench, 0, traces[what], 1, 0);
	launch(bench, 1, brief, 1, 0);
	run_to(bench, from);
	before = issued_by(bench, 1);
	run_to(bench, until);
	before = issued_by(bench, 1) - before;
	assert_int_equal(failures_in(bench, 0).banned, what != BESIDE_INNOCENT);
	bench_free(bench);
	return before;
}

static void neighbours_keep_working(void **state)
{
	const u64 banned = 3 * (TIMEOUT + SESSION_KILL_CYCLES_DEFAULT), until = 2 * banned;
	u64 first = work_beside(BESIDE_INNOCENT, 0, banned);
	u64 then = work_beside(BESIDE_INNOCENT, banned, until);
	enum beside what;

	for (what = BESIDE_HANGS; what <= BESIDE_TOO_LONG; what++) {
		assert_true(work_beside(what, 0, banned) * 10 >= first * 9);
		assert_true(work_beside(what, banned, until) * 100 >= then * 98);
	}
}

/* --- storms ------------------------------------------------------------------------------------ */

#define STORM_SLOTS	64
#define STORM_RUNS	300

/* struct storm - what came of all launches of a storm, by &enum session_launch_status */
struct storm {
	u32 ended[SESSION_LAUNCH_STATUSES];
};

static void on_storm_end(void *context, u32 slot, u32 queue, u64 sequence,
			 const struct trace *trace, int status)
{
	struct storm *storm = context;

	storm->ended[session_launch_status(status)]++;
}

static struct session *storm_session(struct storm *storm)
{
	const struct session_hooks hooks = { .context = storm, .launch_done = on_storm_end };
	struct session_options options = {
		.config = small_config(),
		.seed = 7,
		.epoch_cycles = SESSION_EPOCH_CYCLES_MAX,
		.model = &model_hsm,
		.policy = &policy_concurrent,
		.timeout_cycles = 3000,
		.kill_cycles = 100,
		.reset_sm_cycles = 200,
		.reset_device_cycles = 500,
	};
	struct session *session;

	session_default_params(&options);
	assert_int_equal(session_create(&session, &options, &hooks), 0);
	return session;
}

static void storm_inject(struct session *session, u32 kind, u32 ppm, u32 survives)
{
	const struct session_injection injection = {
		.kind = kind, .slot = ANY, .probability_ppm = ppm, .survives = survives,
		.after_cycles = 40,
	};

	assert_int_equal(session_inject(session, &injection), 0);
}

/* Small kernels in all slots; who is banned leaves, and another one comes. */
static u32 storm_round(struct session *session, const struct trace *trace)
{
	const struct session_launch_options options = {
		.trace = trace, .repeats = 1, .idempotent = true,
	};
	const struct session_tenant_options joins = plain();
	struct session_tenant_report report;
	u32 launched = 0, slot;
	u64 sequence;

	for (slot = 0; slot < STORM_SLOTS; slot++) {
		session_tenant_report(session, slot, &report);
		if (report.present && !report.left && report.failures.banned)
			session_leave(session, slot);
		if (!report.present || report.left || report.failures.banned)
			assert_int_equal(session_join(session, slot, &joins), slot);
		assert_int_equal(session_launch_with(session, slot, &options, &sequence), 0);
		launched++;
	}
	while (session_run(session, ALL_AT_ONCE) == SESSION_RUNNING)
		;
	return launched;
}

/*
 * Thousands of failures: each launch ends once, an innocent one runs to its end if it may run
 * twice, and the device is as empty as before.
 */
static void storms_lose_nothing(void **state)
{
	struct trace *small = trace_compute(2, 1, 20);
	struct storm storm = { 0 };
	struct session *session = storm_session(&storm);
	const struct gpu *gpu = session_gpu(session);
	u32 launched = 0, round, slot, sm, sum = 0;
	struct session_failure_times times;
	u64 finished = 0;

	storm_inject(session, SESSION_FAILURE_HANG, 1000, SESSION_SURVIVES_SM_RESET);
	storm_inject(session, SESSION_FAILURE_HANG, 20000, SESSION_SURVIVES_KILL);
	storm_inject(session, SESSION_FAILURE_HANG, 200000, 0);
	storm_inject(session, SESSION_FAILURE_ADDRESS, 200000, 0);
	storm_inject(session, SESSION_FAILURE_MEMORY, 200000, 0);
	for (round = 0; round < STORM_RUNS; round++)
		launched += storm_round(session, small);
	for (slot = 0; slot < SESSION_LAUNCH_STATUSES; slot++)
		sum += storm.ended[slot];
	assert_int_equal(sum, launched);
	assert_int_equal(storm.ended[SESSION_LAUNCH_CANCELED], 0);
	assert_int_equal(storm.ended[SESSION_LAUNCH_LOST], 0);
	assert_true(storm.ended[SESSION_LAUNCH_OK] > launched / 4);
	session_failure_times(session, &times);
	print_message("# %u launches, %u ok, %llu failures, %llu SM resets, %llu device resets\n",
		      launched, storm.ended[SESSION_LAUNCH_OK],
		      (unsigned long long)times.found,
		      (unsigned long long)times.sm_resets,
		      (unsigned long long)times.device_resets);
	assert_true(times.found >= 10000);
	assert_true(times.sm_resets > 100 && times.device_resets > 5);
	for (sm = 0; sm < gpu_config(gpu)->sms; sm++) {
		struct gpu_sm_status status;

		gpu_sm_status(gpu, sm, &status);
		assert_int_equal(status.blocks, 0);
	}
	/* Without failures the same launches all run to their ends, on the same device. */
	assert_int_equal(session_inject(session, &(struct session_injection) { }), 0);
	memset(&storm, 0, sizeof(storm));
	for (slot = 0; slot < STORM_SLOTS; slot++) {
		const struct session_tenant_options joins = plain();

		session_leave(session, slot);
		assert_int_equal(session_join(session, slot, &joins), slot);
	}
	launched = storm_round(session, small);
	assert_int_equal(storm.ended[SESSION_LAUNCH_OK], launched);
	for (slot = 0; slot < STORM_SLOTS; slot++) {
		struct session_tenant_report report;

		session_tenant_report(session, slot, &report);
		finished += report.counters.blocks_finished;
	}
	assert_int_equal(finished, 2ULL * launched);
	session_destroy(session);
	trace_free(small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hangs_end_with_their_timeout),
		cmocka_unit_test(hangs_without_a_timeout_last),
		cmocka_unit_test(traces_spin_until_they_are_killed),
		cmocka_unit_test(faults_are_found_at_once),
		cmocka_unit_test(lost_devices_come_back),
		cmocka_unit_test(copies_that_stall_time_out),
		cmocka_unit_test(endless_traces_are_refused_with_private_runs),
		cmocka_unit_test(time_does_not_leap_over_failures),
		cmocka_unit_test(what_survives_a_kill_is_reset),
		cmocka_unit_test(what_survives_that_resets_the_device),
		cmocka_unit_test(resets_that_ban_end_each_launch_once),
		cmocka_unit_test(time_after_a_reset_does_not_count),
		cmocka_unit_test(timeouts_are_taken_back),
		cmocka_unit_test(three_strikes_ban),
		cmocka_unit_test(policies_say_what_is_done),
		cmocka_unit_test(impossible_answers_are_refused),
		cmocka_unit_test(bad_injections_are_refused),
		cmocka_unit_test(injections_choose_runs),
		cmocka_unit_test(injections_are_read_and_written),
		cmocka_unit_test(bad_texts_are_refused),
		cmocka_unit_test(owners_are_told_of_steps),
		cmocka_unit_test(owners_are_told_of_bans),
		cmocka_unit_test(owners_are_told_of_lost_devices),
		cmocka_unit_test(failures_repeat_to_the_bit),
		cmocka_unit_test(each_kind_replays),
		cmocka_unit_test(running_sessions_take_injections),
		cmocka_unit_test(injections_come_all_or_not_at_all),
		cmocka_unit_test(forgotten_injections_count_no_more),
		cmocka_unit_test(neighbours_keep_working),
		cmocka_unit_test(storms_lose_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("failures", tests, make_all, free_all);
}

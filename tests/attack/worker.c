// SPDX-License-Identifier: GPL-2.0
/*
 * The worker of a device: how much of a processor an unprivileged user can make it
 * use, and that what an administrator has said of it stands.
 */
#include "user.h"

#include <sys/resource.h>

#include "../kselftest/harness.h"

/* Of a kernel thread that is not stopped for suspend (PF_NOFREEZE). */
#define NOT_FROZEN	0x8000
#define CALLERS		8
/* A tracer of one's own, of which the kernel frees a part when it ends. */
#define INSTANCE		"/sys/kernel/tracing/instances/simgpu/"

FIXTURE(worker)
{
	struct built_trace trace;
	pid_t pid;
	int fd;
	uint32_t handle;
};

FIXTURE_SETUP(worker)
{
	self->pid = worker_pid();
	ASSERT_LT(0, self->pid);
	build_stream(&self->trace, 4000, 64);
	as_user();
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
}

FIXTURE_TEARDOWN(worker)
{
	close(self->fd);
	as_root();
}

/* Of one processor, what it used in @seconds. */
static double share(pid_t pid, unsigned int seconds)
{
	double start = seconds_now(), used = used_seconds(pid);

	sleep(seconds);
	return (used_seconds(pid) - used) / (seconds_now() - start);
}

TEST_F_TIMEOUT(worker, keeps_to_its_share, 60)
{
	double bounded;
	char set[16];

	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	as_root();
	ASSERT_EQ(0, write_text(SYSFS "cpu_percent", "20"));
	as_user();
	EXPECT_EQ(-EACCES, write_text(SYSFS "cpu_percent", "100"));
	bounded = share(self->pid, 4);
	TH_LOG("20%% asked for, %.1f%% used", 100 * bounded);
	EXPECT_GT(0.26, bounded);
	EXPECT_LT(0.05, bounded);
	as_root();
	EXPECT_EQ(0, read_text(SYSFS "cpu_percent", set, sizeof(set)));
	EXPECT_STREQ("20", set);
	EXPECT_EQ(0, write_text(SYSFS "cpu_percent", "100"));
}

static int launch_at(int fd, uint32_t handle, uint64_t cycle)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = handle, .repeats = 1,
		.not_before_cycle = cycle,
	};

	return call(fd, SIMGPU_IOC_LAUNCH, &cmd);
}

TEST_F(worker, launches_are_not_put_off_for_ever)
{
	uint64_t now = read_number(SYSFS "cycles");

	EXPECT_EQ(-ERANGE, launch_at(self->fd, self->handle, UINT64_MAX));
	/* The device stands still. */
	EXPECT_EQ(-ERANGE, launch_at(self->fd, self->handle,
				     now + SIMGPU_LAUNCH_AHEAD_MAX + 1));
	EXPECT_EQ(0, launch_at(self->fd, self->handle, now + SIMGPU_LAUNCH_AHEAD_MAX));
}

TEST_F(worker, can_be_frozen)
{
	if (access("/sys/power/state", F_OK))
		SKIP(return, "this kernel has no suspend, and freezes nothing");
	EXPECT_EQ(0, stat_field(self->pid, 9) & NOT_FROZEN);
}

/*
 * The end of a tracer waits until every task has gone to sleep or has said that it is
 * not in traced code (RCU-tasks), as freeing a BPF program does.
 */
TEST_F_TIMEOUT(worker, tracers_end_beside_it, 120)
{
	double began;

	as_root();
	if (access("/sys/kernel/tracing/set_ftrace_filter", F_OK))
		SKIP(return, "this kernel cannot trace functions");
	ASSERT_EQ(0, mkdir("/sys/kernel/tracing/instances/simgpu", 0700));
	as_user();
	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	as_root();
	EXPECT_EQ(0, write_text(INSTANCE "set_ftrace_filter", "vfs_fsync"));
	EXPECT_EQ(0, write_text(INSTANCE "current_tracer", "function"));
	began = seconds_now();
	EXPECT_EQ(0, write_text(INSTANCE "current_tracer", "nop"));
	TH_LOG("ended in %.1f s", seconds_now() - began);
	EXPECT_GT(30, seconds_now() - began);
	EXPECT_EQ(0, rmdir("/sys/kernel/tracing/instances/simgpu"));
}

/*
 * A tenth of the most, for it takes a minute in a debug kernel; so often that the ticks in
 * which a processor's time is counted are little beside it.
 */
TEST_F_TIMEOUT(worker, empty_time_passes_and_costs_little, 120)
{
	const uint64_t ahead = SIMGPU_LAUNCH_AHEAD_MAX / 10;
	double used = used_seconds(self->pid), began = seconds_now();
	struct built_trace small;
	uint64_t launches = 0;
	uint32_t handle;

	build_compute(&small, 1, 1);
	ASSERT_EQ(0, upload(self->fd, &small, &handle));
	do {
		uint64_t end = read_number(SYSFS "cycles") + ahead;

		ASSERT_EQ(0, launch_at(self->fd, handle, end));
		ASSERT_EQ(0, wait_launch(self->fd, ++launches, PATIENCE_NS));
		EXPECT_LE(end, read_number(SYSFS "cycles"));
	} while (seconds_now() - began < 1);
	used = used_seconds(self->pid) - used;
	began = seconds_now() - began;
	TH_LOG("%.2f s of a processor in %.2f s", used, began);
	EXPECT_GT(began / 2, used);
}

/*
 * After the test before, too, which leaves the channels 10^8 cycles and more behind: they may
 * not hold up the worker when the first request comes.
 */
TEST_F_TIMEOUT(worker, priority_is_the_administrators, 60)
{
	pid_t callers[CALLERS];
	int i;

	as_root();
	ASSERT_EQ(0, setpriority(PRIO_PROCESS, self->pid, 7));
	as_user();
	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	for (i = 0; i < CALLERS; i++) {
		callers[i] = fork();
		if (callers[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			set_tenant(self->fd, "x", 0, 1 + i, 0);
	}
	sleep(1);
	for (i = 0; i < CALLERS; i++) {
		kill(callers[i], SIGKILL);
		waitpid(callers[i], NULL, 0);
	}
	/* What was lent for the last of them has been given back. */
	sleep_ms(500);
	EXPECT_EQ(7, getpriority(PRIO_PROCESS, self->pid));
	as_root();
	EXPECT_EQ(0, setpriority(PRIO_PROCESS, self->pid, 19));
}

TEST_HARNESS_MAIN

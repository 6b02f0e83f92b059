// SPDX-License-Identifier: GPL-2.0
/*
 * Processors: whose time the worker and its threads take, how often callers may ask
 * beside it, and what becomes of it when its processor goes.
 */
#include "../attack/user.h"

#include <sched.h>

#include "harness.h"

#define CGROUPS		"/sys/fs/cgroup/"
#define GROUP		CGROUPS "simgpu-processors/"
#define NO_SWAP		(-ENODEV)
#define CPU1		"/sys/devices/system/cpu/cpu1/online"

FIXTURE(processors)
{
	int fd;
	uint32_t handle;
	int worker;
};

FIXTURE_SETUP(processors)
{
	struct built_trace trace;

	build_stream(&trace, 4000, 64);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, upload(self->fd, &trace, &self->handle));
	/* Root's: a user reads on in what root has opened. */
	self->worker = open(DEBUGFS "worker", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->worker);
}

FIXTURE_TEARDOWN(processors)
{
	as_root();
	close(self->worker);
	close(self->fd);
}

/* The number behind a word of a file that has one a line; -1. */
static long long number_of(int fd, const char *word)
{
	char text[4096], *line;
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = '\0';
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (starts_with(line, word) && line[strlen(word)] == ' ')
			return strtoll(line + strlen(word), NULL, 10);
	return -1;
}

/* Until so many quanta have ended, from now on. */
static int wait_for_quanta(int worker, int count)
{
	long long end = number_of(worker, "quanta") + count;
	int tries;

	for (tries = 0; tries < 6000; tries++) {
		if (number_of(worker, "quanta") >= end)
			return 0;
		sleep_ms(10);
	}
	return -ETIMEDOUT;
}

/* What is computed for a tenant is nobody's time, so its group's cpu.max holds up nobody. */
TEST_F(processors, time_of_the_worker)
{
	long long used_us, ran_ns;
	int stat;

	rmdir(GROUP);
	if (mkdir(GROUP, 0755))
		SKIP(return, "there is no cgroup v2");
	stat = open(GROUP "cpu.stat", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, stat);
	ASSERT_EQ(0, write_text(GROUP "cgroup.procs", "0"));
	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	used_us = number_of(stat, "usage_usec");
	ran_ns = number_of(self->worker, "ran_ns");
	EXPECT_EQ(0, wait_for_quanta(self->worker, 200));
	used_us = number_of(stat, "usage_usec") - used_us;
	ran_ns = number_of(self->worker, "ran_ns") - ran_ns;
	EXPECT_LE(0, used_us);
	EXPECT_GT(ran_ns / 1000 / 2, used_us);
	close(stat);
	EXPECT_EQ(0, write_text(CGROUPS "cgroup.procs", "0"));
	EXPECT_EQ(0, rmdir(GROUP));
}

#define QUANTA	50

/* Calls that this process makes while so many quanta end. */
static long long count_calls(FIXTURE_DATA(processors) *self)
{
	long long end = number_of(self->worker, "quanta") + QUANTA, calls = 0;
	struct full_report report;
	int i;

	while (number_of(self->worker, "quanta") < end)
		for (i = 0; i < 8; i++)
			calls += !tenant_report(self->fd, &report);
	return calls;
}

static long long count_calls_with(FIXTURE_DATA(processors) *self,
				  unsigned int capability)
{
	long long calls;

	as_user_with(capability);
	calls = count_calls(self);
	as_root();
	return calls;
}

/* Eight calls a quantum are let through, but all of who has CAP_SYS_NICE. */
TEST_F_TIMEOUT(processors, calls_in_a_quantum, 60)
{
	long long plain, nice;

	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	EXPECT_EQ(0, wait_for_quanta(self->worker, 5));
	plain = count_calls_with(self, CAP_SYS_RESOURCE);
	nice = count_calls_with(self, CAP_SYS_NICE);
	TH_LOG("%lld calls in %d quanta, with CAP_SYS_NICE %lld", plain, QUANTA,
	       nice);
	/* Eight in the last quantum that was counted, and eight more in the loop. */
	EXPECT_GE((QUANTA + 2) * 8, plain);
	if (nice < QUANTA * 8 && is_debug_kernel())
		SKIP(return, "a call is too slow in a debug kernel to meet the limit");
	EXPECT_LT(2 * plain, nice);
}

/* On a device without work they sleep: they use none of the time that passes. */
TEST_F(processors, threads_without_work)
{
	struct built_trace small;
	double used, began;
	uint64_t sequence;
	uint32_t handle;
	pid_t pid;

	build_compute(&small, 160, 10);
	ASSERT_EQ(0, upload(self->fd, &small, &handle));
	if (write_text(SYSFS "threads", "2"))
		SKIP(return, "there is one processor only");
	pid = process_named("simgpu0/w1");
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, launch(self->fd, handle, 1, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	used = used_seconds(pid);
	began = seconds_now();
	sleep_ms(500);
	EXPECT_GT((seconds_now() - began) / 4, used_seconds(pid) - used);
	EXPECT_EQ(0, write_text(SYSFS "threads", "1"));
}

/* The worker goes on on another processor. */
TEST_F_TIMEOUT(processors, one_that_goes, 120)
{
	pid_t worker = worker_pid();
	cpu_set_t before, one;

	if (access(CPU1, W_OK))
		SKIP(return, "no processor can go");
	ASSERT_LT(0, worker);
	ASSERT_EQ(0, sched_getaffinity(worker, sizeof(before), &before));
	CPU_ZERO(&one);
	CPU_SET(1, &one);
	ASSERT_EQ(0, sched_setaffinity(worker, sizeof(one), &one));
	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	EXPECT_EQ(0, wait_for_quanta(self->worker, 10));
	EXPECT_EQ(0, write_text(CPU1, "0"));
	EXPECT_EQ(0, wait_for_quanta(self->worker, 10));
	EXPECT_EQ(0, write_text(CPU1, "1"));
	EXPECT_EQ(0, wait_for_quanta(self->worker, 10));
	EXPECT_EQ(0, sched_setaffinity(worker, sizeof(before), &before));
}

/* Whether hibernation would find no place for its image, and so come back at once. */
static bool hibernation_comes_back(void)
{
	char text[512], *line;

	if (read_text("/sys/power/state", text, sizeof(text)) || !strstr(text, "disk"))
		return false;
	if (read_text("/proc/swaps", text, sizeof(text)))
		return true;
	line = strchr(text, '\n');
	return !line || !line[1];
}

/* A caller that never stops asking is frozen in whichever call it is. */
static pid_t start_caller(void)
{
	pid_t child = fork();
	int fd;

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open_device();
	while (!set_tenant(fd, "caller", SIMGPU_SERVICE_BEST_EFFORT, 1, 0))
		;
	_exit(1);
}

/*
 * Hibernation freezes processes and the worker, takes all processors but one away, suspends
 * devices and makes an image; without swap it thaws everything then.
 */
TEST_F_TIMEOUT(processors, a_suspend, 240)
{
	uint64_t sequence;
	pid_t caller;

	if (is_debug_kernel() || !hibernation_comes_back())
		SKIP(return, "an image would take long, or could be kept");
	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	caller = start_caller();
	EXPECT_EQ(0, wait_for_quanta(self->worker, 10));
	/* No swap: the kernel says so after all has been frozen. */
	EXPECT_EQ(NO_SWAP, write_text("/sys/power/state", "disk"));
	EXPECT_EQ(0, wait_for_quanta(self->worker, 10));
	EXPECT_EQ(0, waitpid(caller, NULL, WNOHANG));
	kill(caller, SIGKILL);
	EXPECT_EQ(caller, waitpid(caller, NULL, 0));
	EXPECT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Sampled time of a device without a gang, on a small one of its own: it is a setting of
 * the session that runs, for administrators. And what it has to do with the pace.
 */
#include <sys/wait.h>

#include "made_device.h"
#include "harness.h"

FIXTURE(sampled)
{
	struct made_device device;
	int fd;
	struct built_trace trace;
	uint32_t handle;
};

FIXTURE_SETUP(sampled)
{
	ASSERT_EQ(0, make_device(&self->device, "sampled",
				 "base = hbm80\nname = tiny\nsms = 2\n"));
	self->fd = open_made(&self->device);
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 40, 10);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
}

FIXTURE_TEARDOWN(sampled)
{
	close(self->fd);
	remove_device(&self->device);
}

static int set(FIXTURE_DATA(sampled) *self, const char *file, const char *text)
{
	return write_text(made_path(&self->device, file), text);
}

static long long get(FIXTURE_DATA(sampled) *self, const char *file)
{
	return read_number(made_path(&self->device, file));
}

static int work_for_ever(FIXTURE_DATA(sampled) *self)
{
	return launch(self->fd, self->handle, FOR_EVER, NULL);
}

/* Waits until a number of the device is above @above; whether it came to that. */
static bool grows_above(FIXTURE_DATA(sampled) *self, const char *file,
			long long above)
{
	double until = seconds_now() + PATIENCE_NS / 1e9;

	while (get(self, file) <= above && seconds_now() < until)
		sleep_ms(10);
	return get(self, file) > above;
}

/* In the session that runs, from the write on, and no longer than until another one. */
TEST_F_TIMEOUT(sampled, begins_and_ends_while_it_runs, 200)
{
	long long leapt;

	EXPECT_EQ(0, get(self, "sampled"));
	ASSERT_EQ(0, work_for_ever(self));
	ASSERT_TRUE(grows_above(self, "cycles", 400000));
	EXPECT_EQ(0, get(self, "leaps"));
	ASSERT_EQ(0, set(self, "sampled", "10"));
	EXPECT_EQ(10, get(self, "sampled"));
	EXPECT_TRUE(grows_above(self, "leaps", 2));
	ASSERT_EQ(0, set(self, "sampled", "0"));
	leapt = get(self, "leapt_cycles");
	EXPECT_LT(0, leapt);
	EXPECT_LT(leapt, get(self, "cycles"));
	ASSERT_TRUE(grows_above(self, "cycles", get(self, "cycles") + 400000));
	EXPECT_EQ(leapt, get(self, "leapt_cycles"));
}

/* Written while nothing runs, and where a gang's session was: the next one has it. */
TEST_F_TIMEOUT(sampled, of_later_sessions, 200)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1, .sampled = 20,
	};

	ASSERT_EQ(0, set(self, "sampled", "10"));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &create));
	EXPECT_EQ(20, get(self, "sampled"));
	close(create.fd);
	EXPECT_EQ(10, get(self, "sampled"));
	ASSERT_EQ(0, work_for_ever(self));
	EXPECT_EQ(10, get(self, "sampled"));
	EXPECT_TRUE(grows_above(self, "leaps", 0));
}

/* A gang's file tells it, too, while the gang runs and when it has ended. */
TEST_F_TIMEOUT(sampled, of_a_gang, 200)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1, .sampled = 10,
		.stop_cycle = 2000000, .flags = SIMGPU_GANG_RELAUNCH,
	};
	struct simgpu_gang_status status;
	uint64_t sequence;

	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &create));
	ASSERT_EQ(0, gang_status(create.fd, &status));
	EXPECT_EQ(0, status.leaps);
	ASSERT_EQ(0, gang_join(self->fd, create.fd, 0));
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	ASSERT_EQ(0, gang_status(create.fd, &status));
	EXPECT_EQ(SIMGPU_GANG_DONE, status.state);
	EXPECT_EQ(2000000, status.cycle);
	EXPECT_LT(0, status.leaps);
	EXPECT_LT(0, status.leapt_cycles);
	EXPECT_GT(2000000, status.leapt_cycles);
	EXPECT_EQ(status.leaps, get(self, "leaps"));
	EXPECT_EQ(status.leapt_cycles, get(self, "leapt_cycles"));
	close(create.fd);
}

TEST_F(sampled, for_administrators)
{
	pid_t child = fork();
	int status;

	if (!child) {
		if (setgid(1234) || setuid(1234))
			_exit(1);
		_exit(set(self, "sampled", "5") == -EACCES ? 0 : 2);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, get(self, "sampled"));
	EXPECT_EQ(-EACCES, set(self, "leaps", "0"));
}

/*
 * At this pace a leap is worth many minutes, for which the worker sleeps. Another pace
 * wakes it, and so does another session; and a device that is removed does not wait.
 */
TEST_F_TIMEOUT(sampled, sleeps_for_a_leap, 300)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
	};
	long long cycles;
	double began;

	ASSERT_EQ(0, set(self, "sampled", "10"));
	ASSERT_EQ(0, work_for_ever(self));
	ASSERT_TRUE(grows_above(self, "leaps", 0));
	ASSERT_EQ(0, set(self, "pace", "0.000001"));
	sleep_ms(500);
	cycles = get(self, "cycles");
	sleep_ms(500);
	EXPECT_EQ(cycles, get(self, "cycles"));
	EXPECT_EQ(0, get(self, "pace_behind_ms"));
	ASSERT_EQ(0, set(self, "pace", "0"));
	EXPECT_TRUE(grows_above(self, "cycles", cycles));
	/* Asleep again; a gang's session begins at once. */
	ASSERT_EQ(0, set(self, "pace", "0.000001"));
	sleep_ms(500);
	close(self->fd);
	self->fd = open_made(&self->device);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &create));
	ASSERT_EQ(0, gang_join(self->fd, create.fd, 0));
	ASSERT_EQ(0, work_for_ever(self));
	EXPECT_TRUE(grows_above(self, "cycles", 0));
	close(create.fd);
	sleep_ms(500);
	began = seconds_now();
	EXPECT_EQ(0, write_item(&self->device, "live", "0"));
	EXPECT_GT(10.0 * patience(), seconds_now() - began);
}

/* Longer than any quantum. */
#define IDLE_MS	3000

/* No host simulates a second of this device in a second. */
TEST_F_TIMEOUT(sampled, behind_its_pace, 100)
{
	double began = seconds_now();
	long long behind, after;

	EXPECT_EQ(0, get(self, "pace_behind_ms"));
	ASSERT_EQ(0, set(self, "pace", "1"));
	EXPECT_EQ(0, get(self, "pace_behind_ms"));
	ASSERT_EQ(0, work_for_ever(self));
	/* More than is made up for, so that a part was given up. */
	EXPECT_TRUE(grows_above(self, "pace_behind_ms", 2500));
	behind = get(self, "pace_behind_ms");
	EXPECT_GE((seconds_now() - began) * 1000, behind);
	/* While nobody has work it does not fall behind. */
	close(self->fd);
	self->fd = open_made(&self->device);
	ASSERT_LE(0, self->fd);
	/* The worker may just have begun to count. */
	sleep_ms(100);
	behind = get(self, "pace_behind_ms");
	sleep_ms(IDLE_MS);
	EXPECT_EQ(behind, get(self, "pace_behind_ms"));
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
	began = seconds_now();
	ASSERT_EQ(0, work_for_ever(self));
	EXPECT_TRUE(grows_above(self, "pace_behind_ms", behind));
	after = get(self, "pace_behind_ms");
	/* The last quantum before counts, too. */
	EXPECT_GT(behind + (seconds_now() - began) * 1000 + IDLE_MS / 2, after);
	ASSERT_EQ(0, set(self, "pace", "0"));
	EXPECT_EQ(0, get(self, "pace_behind_ms"));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/* Further devices, made and removed at run time, and the pace of a device. */
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "calls.h"
#include "harness.h"

#define ITEM		CONFIGFS "tested/"

FIXTURE(item)
{
	char name[64];
	char device[80];
};

FIXTURE_SETUP(item)
{
	ASSERT_EQ(0, mkdir(CONFIGFS "tested", 0755));
}

FIXTURE_TEARDOWN(item)
{
	EXPECT_EQ(0, rmdir(CONFIGFS "tested"));
}

/* Makes the item's device and notes its name and file. */
static int make_live(FIXTURE_DATA(item) *self)
{
	int ret = write_text(ITEM "live", "1\n");

	ret = ret ?: read_text(ITEM "device", self->name, 64);
	snprintf(self->device, sizeof(self->device), "/dev/%s", self->name);
	return ret;
}

static bool exists(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/simgpu/%s", name);
	return !access(path, F_OK);
}

TEST_F(item, before_it_is_live)
{
	char text[8192];

	EXPECT_EQ(0, read_number(ITEM "live"));
	EXPECT_EQ(-ENODEV, read_text(ITEM "device", text, sizeof(text)));
	EXPECT_EQ(0, read_text(ITEM "config", text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "sms = 80"));
	EXPECT_EQ(-EINVAL, write_text(ITEM "live", "2"));
	EXPECT_EQ(-EINVAL, write_text(ITEM "config", "base = no-such\n"));
	EXPECT_EQ(-EINVAL, write_text(ITEM "config", "base = hbm80\nsms = 0\n"));
	EXPECT_EQ(-EINVAL, write_text(ITEM "config", "rubbish"));
	EXPECT_EQ(0, read_text(ITEM "config", text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "sms = 80"));
}

TEST_F(item, a_configuration_of_its_own)
{
	struct simgpu_device_info info = { .size = sizeof(info) };
	struct built_trace trace;
	uint64_t sequence;
	uint32_t handle;
	int fd;

	ASSERT_EQ(0, write_text(ITEM "config",
				"base = hbm80\nname = small\nsms = 12\n"));
	ASSERT_EQ(0, make_live(self));
	EXPECT_EQ(1, read_number(ITEM "live"));
	EXPECT_TRUE(exists(self->name));
	EXPECT_EQ(-EBUSY, write_text(ITEM "config", "base = hbm80\n"));
	fd = open(self->device, O_RDWR);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, call(fd, SIMGPU_IOC_DEVICE_INFO, &info));
	EXPECT_EQ(12, info.sms);
	EXPECT_STREQ("small", info.config);
	build_everything(&trace);
	ASSERT_EQ(0, upload(fd, &trace, &handle));
	ASSERT_EQ(0, launch(fd, handle, 1, &sequence));
	EXPECT_EQ(0, wait_launch(fd, sequence, PATIENCE_NS));
	close(fd);
	EXPECT_EQ(0, write_text(ITEM "live", "0"));
	EXPECT_FALSE(exists(self->name));
	EXPECT_EQ(-1, open(self->device, O_RDWR));
}

/* Under a tenant that works: it learns of it, and can still close. */
TEST_F(item, removed_while_open)
{
	struct pollfd pollfd = { .events = POLLIN };
	struct simgpu_completion record;
	struct built_trace trace;
	uint64_t sequence;
	uint32_t handle;
	int fd;

	ASSERT_EQ(0, make_live(self));
	fd = open(self->device, O_RDWR);
	ASSERT_LE(0, fd);
	build_compute(&trace, 800, 1000);
	ASSERT_EQ(0, upload(fd, &trace, &handle));
	ASSERT_EQ(0, launch(fd, handle, UINT64_MAX, &sequence));
	EXPECT_EQ(0, write_text(ITEM "live", "0"));
	EXPECT_FALSE(exists(self->name));
	EXPECT_EQ(-ENODEV, launch(fd, handle, 1, &sequence));
	EXPECT_EQ(-ECANCELED, wait_launch(fd, sequence, -1));
	pollfd.fd = fd;
	EXPECT_EQ(1, poll(&pollfd, 1, 0));
	EXPECT_EQ(POLLIN | POLLHUP, pollfd.revents);
	EXPECT_EQ(sizeof(record), read(fd, &record, sizeof(record)));
	EXPECT_EQ(-ECANCELED, record.status);
	EXPECT_EQ(0, read(fd, &record, sizeof(record)));
	/* The number is free again, whoever holds the old one. */
	EXPECT_EQ(0, make_live(self));
	close(fd);
	EXPECT_TRUE(exists(self->name));
}

TEST_F(item, removed_with_its_folder)
{
	char name[64];

	ASSERT_EQ(0, make_live(self));
	strcpy(name, self->name);
	EXPECT_EQ(0, rmdir(CONFIGFS "tested"));
	EXPECT_FALSE(exists(name));
	EXPECT_EQ(0, mkdir(CONFIGFS "tested", 0755));
}

/* As many as there may be, and one more. */
TEST_F_TIMEOUT(item, limit, 600)
{
	char path[128];
	int made, ret = 0, i;

	for (made = 0; made < 100 && !ret; made++) {
		snprintf(path, sizeof(path), CONFIGFS "many%d", made);
		ASSERT_EQ(0, mkdir(path, 0755));
		snprintf(path, sizeof(path), CONFIGFS "many%d/config", made);
		ASSERT_EQ(0, write_text(path, "base = hbm80\nname = tiny\nsms = 2\n"));
		snprintf(path, sizeof(path), CONFIGFS "many%d/live", made);
		ret = write_text(path, "1");
	}
	/* The module's first device has a number too. */
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_EQ(64, made);
	for (i = 0; i < made; i++) {
		snprintf(path, sizeof(path), CONFIGFS "many%d", i);
		EXPECT_EQ(0, rmdir(path));
	}
}

/* So slow that any machine keeps up; a second of the device's are so many cycles. */
#define PACE		"0.00001"
#define PACE_CYCLES	(1.4e9 * 0.00001)
/* It is watched for so long, and may then be late by so much. */
#define PACE_SECONDS	2.0
#define PACE_LATE	0.5

static bool is_idle(void)
{
	char text[64] = "";
	int tries;

	for (tries = 0; tries < 5000 && strcmp(text, "idle"); tries++) {
		sleep_ms(1);
		read_text(SYSFS "state", text, sizeof(text));
	}
	return !strcmp(text, "idle");
}

/* Waits for the next step of device time; its cycle, or -1 if none came. */
static long long next_step(long long cycle)
{
	double until = seconds_now() + PATIENCE_NS / 1e9;
	long long now;

	do {
		sleep_ms(1);
		now = read_number(SYSFS "cycles");
	} while (now == cycle && seconds_now() < until);
	return now > cycle ? now : -1;
}

/**
 * struct paced - what was seen of a device at its pace
 * @early: by how many seconds a step came before the time of the cycle where it began;
 *	below 0: none did
 * @late: by how many the last one came after that
 */
struct paced {
	double early;
	double late;
};

/*
 * Of an idle device: it takes a step as soon as it has work, and each one further when
 * the time of the cycle where it begins has come. The time is what is tested.
 */
static bool watch_pace(int fd, uint32_t handle, struct paced *out)
{
	long long start = read_number(SYSFS "cycles"), from, to;
	double began = seconds_now(), due, at;

	out->early = -1;
	if (write_text(SYSFS "pace", PACE) ||
	    launch(fd, handle, UINT64_MAX, NULL))
		return false;
	for (from = start; from >= 0; from = to) {
		to = next_step(from);
		at = seconds_now() - began;
		due = (from - start) / PACE_CYCLES;
		if (due - at > out->early)
			out->early = due - at;
		out->late = at - due;
		if (due >= PACE_SECONDS)
			return to >= 0;
	}
	return false;
}

/* At a pace, device time passes as told; without, it does not wait. */
TEST(pace)
{
	struct paced paced = { .late = PACE_LATE };
	struct built_trace trace, small;
	uint32_t handle, small_handle;
	long long start;
	double began;
	char text[64];
	int fd, tries;

	EXPECT_EQ(-EINVAL, write_text(SYSFS "pace", "1001"));
	EXPECT_EQ(-EINVAL, write_text(SYSFS "pace", "-1"));
	ASSERT_EQ(0, write_text(SYSFS "pace", PACE));
	EXPECT_EQ(0, read_text(SYSFS "pace", text, sizeof(text)));
	EXPECT_STREQ("0.000010", text);
	build_compute(&trace, 800, 1000);
	build_compute(&small, 1, 1);
	/* What is behind by a second, on a busy host, is not made up for: once more. */
	for (tries = 0; tries < 5 && paced.late >= PACE_LATE; tries++) {
		/* After this nothing resets the device, or is left of a pace. */
		fd = open_device();
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, write_text(SYSFS "pace", "0"));
		ASSERT_EQ(0, upload(fd, &small, &small_handle));
		ASSERT_EQ(0, upload(fd, &trace, &handle));
		ASSERT_EQ(0, launch(fd, small_handle, 1, NULL));
		ASSERT_EQ(0, wait_launch(fd, 1, PATIENCE_NS));
		ASSERT_TRUE(is_idle());
		ASSERT_TRUE(watch_pace(fd, handle, &paced));
		TH_LOG("early by %.6f s at most, late by %.6f s at the end",
		       paced.early, paced.late);
		EXPECT_GE(0, paced.early);
		close(fd);
	}
	EXPECT_GT(PACE_LATE, paced.late);
	/* At the pace they would take seven seconds. */
	fd = open_device();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload(fd, &trace, &handle));
	ASSERT_EQ(0, launch(fd, handle, UINT64_MAX, NULL));
	ASSERT_EQ(0, write_text(SYSFS "pace", "0"));
	start = read_number(SYSFS "cycles");
	began = seconds_now();
	while (read_number(SYSFS "cycles") < start + 100000 &&
	       seconds_now() < began + PATIENCE_NS / 1e9)
		sleep_ms(10);
	EXPECT_GT(100000 / PACE_CYCLES, seconds_now() - began);
	close(fd);
}

#define BUSY_TENANTS	40
#define BUSY_PROCESSES	32

/* A process that computes. */
static pid_t start_busy(void)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		;
}

/*
 * Beside busy processes the worker, with the lowest priority, and the one who removes the
 * device may wait long for a processor. Half a second is usual; a host may be busy, too.
 */
TEST_F_TIMEOUT(item, is_removed_at_once_under_load, 300)
{
	pid_t busy[BUSY_PROCESSES];
	struct built_trace trace;
	int fds[BUSY_TENANTS], i;
	uint32_t handle;
	double began;

	ASSERT_EQ(0, make_live(self));
	build_stream(&trace, 4000, 64);
	for (i = 0; i < BUSY_TENANTS; i++) {
		fds[i] = open(self->device, O_RDWR);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, upload(fds[i], &trace, &handle));
		ASSERT_EQ(0, launch(fds[i], handle, FOR_EVER, NULL));
	}
	for (i = 0; i < BUSY_PROCESSES; i++)
		busy[i] = start_busy();
	sleep(1);
	began = seconds_now();
	EXPECT_EQ(0, write_text(ITEM "live", "0"));
	began = seconds_now() - began;
	for (i = 0; i < BUSY_PROCESSES; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	TH_LOG("removed in %.2f s beside %d busy processes", began,
	       BUSY_PROCESSES);
	EXPECT_GT(2 * patience(), began);
	for (i = 0; i < BUSY_TENANTS; i++)
		close(fds[i]);
}

TEST_HARNESS_MAIN

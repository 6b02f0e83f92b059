// SPDX-License-Identifier: GPL-2.0
/* How a launch's end is told: eventfd, poll() and read() of the tenant's file. */
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "calls.h"
#include "harness.h"

FIXTURE(completion)
{
	int fd;
	int eventfd;
	uint32_t handle;
	struct built_trace trace;
};

FIXTURE_SETUP(completion)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ASSERT_LE(0, self->eventfd);
	build_compute(&self->trace, 8, 10);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
}

FIXTURE_TEARDOWN(completion)
{
	close(self->eventfd);
	close(self->fd);
}

static int launch_with(int fd, uint32_t handle, uint64_t repeats,
		       uint32_t flags, int eventfd, uint64_t *sequence)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = handle, .repeats = repeats,
		.flags = flags, .eventfd = eventfd,
	};
	int ret = call(fd, SIMGPU_IOC_LAUNCH, &cmd);

	if (!ret && sequence)
		*sequence = cmd.sequence;
	return ret;
}

static int wait_for(int fd, int timeout_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, timeout_ms) == 1 ? pollfd.revents : 0;
}

TEST_F(completion, eventfd_counts)
{
	uint64_t sequence, count, sum = 0;
	int i;

	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, launch_with(self->fd, self->handle, 1,
					 SIMGPU_LAUNCH_EVENTFD, self->eventfd,
					 &sequence));
	while (sum < 5 && wait_for(self->eventfd, 60000) == POLLIN) {
		ASSERT_EQ(8, read(self->eventfd, &count, 8));
		sum += count;
	}
	EXPECT_EQ(5, sum);
	EXPECT_EQ(0, wait_launch(self->fd, sequence, 0));
	EXPECT_EQ(-1, read(self->eventfd, &count, 8));
}

TEST_F(completion, eventfd_of_a_dropped_launch)
{
	uint64_t count;

	ASSERT_EQ(0, launch_with(self->fd, self->handle, UINT64_MAX,
				 SIMGPU_LAUNCH_EVENTFD, self->eventfd, NULL));
	EXPECT_EQ(0, wait_for(self->eventfd, 50));
	close(self->fd);
	EXPECT_EQ(POLLIN, wait_for(self->eventfd, 10000));
	EXPECT_EQ(8, read(self->eventfd, &count, 8));
	EXPECT_EQ(1, count);
	self->fd = open_device();
}

TEST_F(completion, eventfd_refused)
{
	int file = open("/dev/null", O_RDONLY);

	EXPECT_EQ(-EBADF, launch_with(self->fd, self->handle, 1,
				      SIMGPU_LAUNCH_EVENTFD, -1, NULL));
	EXPECT_EQ(-EINVAL, launch_with(self->fd, self->handle, 1,
				       SIMGPU_LAUNCH_EVENTFD, file, NULL));
	EXPECT_EQ(-EINVAL, launch_with(self->fd, self->handle, 1, 0,
				       self->eventfd, NULL));
	EXPECT_EQ(-EINVAL, launch_with(self->fd, self->handle, 1, 1U << 31, 0,
				       NULL));
	close(file);
}

/* A binary from before there were flags. */
TEST_F(completion, short_struct)
{
	struct simgpu_launch cmd = {
		.size = offsetof(struct simgpu_launch, flags),
		.handle = self->handle, .repeats = 1,
		.flags = 0xffffffff, .eventfd = 12345,
	};

	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	EXPECT_EQ(1, cmd.sequence);
	EXPECT_EQ(12345, cmd.eventfd);
	EXPECT_EQ(0, wait_launch(self->fd, 1, PATIENCE_NS));
}

TEST_F(completion, records)
{
	struct simgpu_completion records[8];
	uint64_t sequence;
	int i, got = 0;

	EXPECT_EQ(0, wait_for(self->fd, 0));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
	while (got < 3) {
		ssize_t count;

		ASSERT_EQ(POLLIN, wait_for(self->fd, 60000));
		count = read(self->fd, records + got, sizeof(*records) * 5 + 3);
		ASSERT_LT(0, count);
		ASSERT_EQ(0, count % sizeof(*records));
		got += count / sizeof(*records);
	}
	ASSERT_EQ(3, got);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(i + 1, records[i].sequence);
		EXPECT_EQ(0, records[i].status);
		EXPECT_EQ(0, records[i].lost);
	}
	EXPECT_EQ(0, wait_for(self->fd, 0));
	EXPECT_EQ(-1, read(self->fd, records, sizeof(*records) - 1));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(completion, nonblocking)
{
	struct simgpu_completion record;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-1, read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, NULL));
	ASSERT_EQ(0, wait_launch(self->fd, 1, PATIENCE_NS));
	EXPECT_EQ(sizeof(record), read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(1, record.sequence);
}

TEST_F_TIMEOUT(completion, old_records_are_lost, 600)
{
	struct simgpu_completion record;
	uint64_t sequence = 0;
	int ret;

	while (sequence < 4200) {
		ret = launch(self->fd, self->handle, 1, &sequence);
		if (ret == -EAGAIN)
			ret = wait_launch(self->fd, sequence, PATIENCE_NS);
		ASSERT_EQ(0, ret);
	}
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	ASSERT_EQ(sizeof(record), read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(sequence - 4096, record.lost);
	EXPECT_EQ(record.lost + 1, record.sequence);
}

static void on_alarm(int signal)
{
}

TEST_F(completion, read_is_interrupted)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct simgpu_completion record;

	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	EXPECT_EQ(-1, read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(EINTR, errno);
}

TEST_HARNESS_MAIN

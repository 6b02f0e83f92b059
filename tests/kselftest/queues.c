// SPDX-License-Identifier: GPL-2.0
/*
 * Queues of a tenant: several launches at once, launches that wait for those of other
 * queues, and what is told of them when they end out of order.
 */
#include <poll.h>
#include <sys/eventfd.h>

#include "calls.h"
#include "harness.h"

FIXTURE(queues)
{
	int fd;
	uint32_t brief;
	uint32_t lengthy;
	struct built_trace trace;
};

FIXTURE_SETUP(queues)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 8, 10);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->brief));
	/* Few blocks, so that others find SMs, of many seconds. */
	build_compute(&self->trace, 2, 1000000);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->lengthy));
}

FIXTURE_TEARDOWN(queues)
{
	close(self->fd);
}

static int launch_in(int fd, uint32_t handle, uint32_t queue, uint64_t first,
		     uint64_t second, uint64_t *sequence)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = handle, .repeats = 1,
		.queue = queue, .wait_for = { first, 0, second },
	};
	int ret = call(fd, SIMGPU_IOC_LAUNCH, &cmd);

	if (!ret && sequence)
		*sequence = cmd.sequence;
	return ret;
}

/* What came later in another queue ends first, and is told at once. */
TEST_F(queues, end_out_of_order)
{
	struct simgpu_completion record;
	uint64_t first, second, third;

	ASSERT_EQ(0, launch_in(self->fd, self->lengthy, 0, 0, 0, &first));
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 7, 0, 0, &second));
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 3, second, 0, &third));
	ASSERT_EQ(0, wait_launch(self->fd, third, PATIENCE_NS));
	EXPECT_EQ(0, wait_launch(self->fd, second, 0));
	EXPECT_EQ(-ETIMEDOUT, wait_launch(self->fd, first, 0));
	ASSERT_EQ(sizeof(record), read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(second, record.sequence);
	EXPECT_EQ(7, record.queue);
	EXPECT_EQ(0, record.status);
	ASSERT_EQ(sizeof(record), read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(third, record.sequence);
	EXPECT_EQ(3, record.queue);
	/* Nothing is told twice, and what goes on not at all. */
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-1, read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(EAGAIN, errno);
}

/* The one before it in its queue goes on: it is not even begun. */
TEST_F(queues, run_in_order)
{
	struct simgpu_report report = { .size = sizeof(report) };
	uint64_t first, second, third;

	ASSERT_EQ(0, launch_in(self->fd, self->lengthy, 2, 0, 0, &first));
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 2, 0, 0, &second));
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 1, first, 0, &third));
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 0, 0, 0, &third));
	ASSERT_EQ(0, wait_launch(self->fd, third, PATIENCE_NS));
	EXPECT_EQ(-ETIMEDOUT, wait_launch(self->fd, second, 0));
	EXPECT_EQ(-ETIMEDOUT, wait_launch(self->fd, second + 1, 0));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	EXPECT_EQ(3, report.report.queue_count);
	EXPECT_EQ(SIMGPU_QUEUE_EMPTY, report.report.queue[0].state);
	EXPECT_EQ(SIMGPU_QUEUE_WAITING, report.report.queue[1].state);
	EXPECT_EQ(SIMGPU_QUEUE_RUNNING, report.report.queue[2].state);
	EXPECT_EQ(1, report.report.queue[2].waiting);
	EXPECT_EQ(1, report.report.launches);
}

static int read_queues(char *text, size_t bytes)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "tenants/%lu/queues",
		 newest_tenant());
	return read_text(path, text, bytes);
}

/* A line each, up to the last one that was used. */
TEST_F(queues, are_seen_in_sysfs)
{
	struct simgpu_queue cmd = {
		.size = sizeof(cmd), .queue = 2, .priority = -1,
	};
	char text[1024];
	uint64_t first;
	int tries = 0;

	EXPECT_EQ(-ENODATA, read_queues(text, sizeof(text)));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
	ASSERT_EQ(0, launch_in(self->fd, self->lengthy, 2, 0, 0, &first));
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 2, 0, 0, NULL));
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 0, first, 0, NULL));
	do {
		sleep_ms(10);
		ASSERT_EQ(0, read_queues(text, sizeof(text)));
	} while (!strstr(text, "running") && tries++ < 1000);
	EXPECT_STREQ("0 state=waiting priority=0 waiting=0 kernel=0\n"
		     "1 state=empty priority=0 waiting=0 kernel=0\n"
		     "2 state=running priority=-1 waiting=1 kernel=0", text);
}

TEST_F(queues, eventfds_are_told_out_of_order)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = self->brief, .repeats = 1,
		.flags = SIMGPU_LAUNCH_EVENTFD | SIMGPU_LAUNCH_MORE,
		.queue = 1,
	};
	uint64_t count;

	cmd.eventfd = eventfd(0, EFD_CLOEXEC);
	ASSERT_LE(0, cmd.eventfd);
	ASSERT_EQ(0, launch_in(self->fd, self->lengthy, 0, 0, 0, NULL));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	ASSERT_EQ(sizeof(count), read(cmd.eventfd, &count, sizeof(count)));
	EXPECT_EQ(1, count);
	close(cmd.eventfd);
}

/* A launch may say that its blocks may run twice; it is a launch like any other. */
TEST_F(queues, may_be_idempotent)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = self->brief, .repeats = 2,
		.flags = SIMGPU_LAUNCH_IDEMPOTENT, .queue = 3,
	};

	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	EXPECT_EQ(0, wait_launch(self->fd, cmd.sequence, PATIENCE_NS));
	cmd.flags = SIMGPU_LAUNCH_IDEMPOTENT << 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	EXPECT_EQ(1, cmd.sequence);
}

TEST_F(queues, bad_launches_change_nothing)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = self->brief, .repeats = 1,
		.reserved = 1,
	};
	uint64_t sequence, i;

	/* Before it has a slot, and with one. */
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(-EINVAL, launch_in(self->fd, self->brief, 8, 0, 0,
					     NULL));
		EXPECT_EQ(-EINVAL, launch_in(self->fd, self->brief, 0, i + 1, 0,
					     NULL));
		EXPECT_EQ(-EINVAL, launch_in(self->fd, self->brief, 0, 0,
					     UINT64_MAX, NULL));
		EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
		if (!i)
			ASSERT_EQ(0, launch_in(self->fd, self->lengthy, 4, 0, 0,
					       NULL));
	}
	/* Nobody waits for one in his own queue. */
	EXPECT_EQ(-EINVAL, launch_in(self->fd, self->brief, 4, 1, 0, NULL));
	for (i = 1; i < 16; i++)
		ASSERT_EQ(0, launch_in(self->fd, self->brief, 4, 0, 0,
				       &sequence));
	EXPECT_EQ(16, sequence);
	EXPECT_EQ(-EAGAIN, launch_in(self->fd, self->brief, 4, 0, 0, NULL));
	EXPECT_EQ(0, launch_in(self->fd, self->brief, 5, 0, 0, &sequence));
	EXPECT_EQ(17, sequence);
}

TEST_F(queues, have_priorities)
{
	struct simgpu_queue cmd = {
		.size = sizeof(cmd), .queue = 6, .priority = -3,
	};
	struct simgpu_report report = { .size = sizeof(report) };
	uint64_t sequence;

	/* It is kept until there is a slot. */
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 6, 0, 0, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	cmd.queue = 1;
	cmd.priority = 3;
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 1, 0, 0, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	EXPECT_EQ(7, report.report.queue_count);
	EXPECT_EQ(-3, report.report.queue[6].priority);
	EXPECT_EQ(3, report.report.queue[1].priority);
	EXPECT_EQ(0, report.report.queue[0].priority);
	cmd.priority = 4;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
	cmd.priority = INT32_MIN;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
	cmd.priority = 0;
	cmd.queue = 8;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
	cmd.queue = 0;
	cmd.reserved = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
}

/* Anybody may say when a launch is expected, from the first launch on. */
TEST_F(queues, hints_are_checked)
{
	struct simgpu_hint cmd = { .size = sizeof(cmd), .expected_cycle = 1 };
	uint64_t sequence;

	EXPECT_EQ(-ENXIO, call(self->fd, SIMGPU_IOC_HINT, &cmd));
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 0, 0, 0, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_HINT, &cmd));
	cmd.laxity_cycles = 100000000;
	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_HINT, &cmd));
	cmd.laxity_cycles++;
	EXPECT_EQ(-ERANGE, call(self->fd, SIMGPU_IOC_HINT, &cmd));
	cmd.laxity_cycles = 0;
	cmd.expected_cycle = UINT64_MAX;
	EXPECT_EQ(-ERANGE, call(self->fd, SIMGPU_IOC_HINT, &cmd));
	cmd.expected_cycle = 0;
	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_HINT, &cmd));
	cmd.laxity_cycles = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_HINT, &cmd));
	cmd.laxity_cycles = 0;
	cmd.reserved = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_HINT, &cmd));
	/* It goes on as before. */
	ASSERT_EQ(0, launch_in(self->fd, self->brief, 0, 0, 0, &sequence));
	EXPECT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
}

/*
 * One launch goes on while thousands of another queue end: what became of each is
 * known, until there is no place for more.
 */
TEST_F_TIMEOUT(queues, outcomes_have_an_end, 600)
{
	struct simgpu_completion record;
	uint64_t first, sequence = 0;
	int ret;

	ASSERT_EQ(0, launch_in(self->fd, self->lengthy, 0, 0, 0, &first));
	while (sequence < 4095) {
		ret = launch_in(self->fd, self->brief, 1, 0, 0, &sequence);
		if (ret == -EAGAIN)
			ret = wait_launch(self->fd, sequence, PATIENCE_NS);
		ASSERT_EQ(0, ret);
	}
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	EXPECT_EQ(-EAGAIN, launch_in(self->fd, self->brief, 1, 0, 0, NULL));
	EXPECT_EQ(0, wait_launch(self->fd, first + 1, 0));
	ASSERT_EQ(sizeof(record), read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(first + 1, record.sequence);
	EXPECT_EQ(0, record.lost);
}

TEST_HARNESS_MAIN

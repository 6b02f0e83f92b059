// SPDX-License-Identifier: GPL-2.0
/*
 * SIMGPU_IOC_COPY: what is refused, numbers among those of launches, order, copies beside
 * kernels, and copies under way when a process goes.
 */
#include <sys/eventfd.h>

#include "../../userspace/lib/simgpu.h"
#include "harness.h"
#include "made_device.h"

#define MIB	(1ULL << 20)
/* What the device's link carries in some seconds of device time, so it does not end here. */
#define LONG	(4096 * MIB)

FIXTURE(copies)
{
	int fd;
	uint32_t brief;
	struct built_trace trace;
};

FIXTURE_SETUP(copies)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 8, 10);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->brief));
}

FIXTURE_TEARDOWN(copies)
{
	close(self->fd);
}

static int copy_in(int fd, uint32_t queue, uint64_t bytes, uint64_t behind, uint64_t *sequence)
{
	struct simgpu_copy cmd = {
		.size = sizeof(cmd), .kind = SIMGPU_COPY_IN, .bytes = bytes, .queue = queue,
		.wait_for = { 0, behind },
	};
	int ret = call(fd, SIMGPU_IOC_COPY, &cmd);

	*sequence = cmd.sequence;
	return ret;
}

static int launch_behind(int fd, uint32_t handle, uint32_t queue, uint64_t behind,
			 uint64_t *sequence)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = handle, .repeats = 1, .queue = queue,
		.wait_for = { behind },
	};
	int ret = call(fd, SIMGPU_IOC_LAUNCH, &cmd);

	*sequence = cmd.sequence;
	return ret;
}

static const struct {
	struct simgpu_copy cmd;
	int ret;
} refused[] = {
	{ { .bytes = 1 }, -EINVAL },
	{ { .kind = SIMGPU_COPY_SET + 1, .bytes = 1 }, -EINVAL },
	{ { .kind = 0x80000001, .bytes = 1 }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 1, .offset = 128 }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 1, .queue = 8 }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 1, .reserved = 1 }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 1, .eventfd = 3 }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 1, .flags = SIMGPU_LAUNCH_IDEMPOTENT }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 1, .flags = SIMGPU_LAUNCH_MASKED }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 1, .flags = SIMGPU_LAUNCH_MANAGED }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 1, .flags = 1U << 31 }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 1, .flags = SIMGPU_LAUNCH_EVENTFD,
	    .eventfd = -1 }, -EBADF },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 1, .wait_for = { 0, 0, 0, 1 } }, -EINVAL },
	{ { .kind = SIMGPU_COPY_IN, .bytes = SIMGPU_TRACE_SPACE_BYTES + 1 }, -E2BIG },
	{ { .kind = SIMGPU_COPY_IN, .bytes = 8192, .offset = -4096ULL }, -E2BIG },
	{ { .kind = SIMGPU_COPY_IN, .bytes = UINT64_MAX, .offset = 4096 }, -E2BIG },
};

/* What is refused takes no slot, no number, and nothing that the tenant is charged for. */
TEST_F(copies, are_checked)
{
	struct simgpu_report report = { .size = sizeof(report) };
	uint64_t sequence;
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct simgpu_copy cmd = refused[i].cmd;

		cmd.size = sizeof(cmd);
		EXPECT_EQ(refused[i].ret, call(self->fd, SIMGPU_IOC_COPY, &cmd))
			TH_LOG("of number %zu", i);
	}
	EXPECT_EQ(-ENODATA, call(self->fd, SIMGPU_IOC_REPORT, &report));
	ASSERT_EQ(0, copy_in(self->fd, 0, 1, 0, &sequence));
	EXPECT_EQ(1, sequence);
	EXPECT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
}

/* Numbers, records and eventfds are those of launches; figures are not. */
TEST_F(copies, are_told_as_launches)
{
	struct simgpu_report report = { .size = sizeof(report) };
	struct simgpu_completion records[3];
	struct simgpu_copy cmd = {
		.kind = SIMGPU_COPY_OUT, .offset = 4096, .bytes = 100000, .queue = 3,
		.flags = SIMGPU_LAUNCH_EVENTFD,
	};
	uint64_t sequence, signals;
	int i;

	ASSERT_EQ(0, copy_in(self->fd, 1, MIB, 0, &sequence));
	EXPECT_EQ(1, sequence);
	ASSERT_EQ(0, launch_behind(self->fd, self->brief, 0, 1, &sequence));
	EXPECT_EQ(2, sequence);
	cmd.eventfd = eventfd(0, EFD_CLOEXEC);
	ASSERT_LE(0, cmd.eventfd);
	cmd.wait_for[3] = 2;
	ASSERT_EQ(0, simgpu_launch_copy(self->fd, &cmd));
	EXPECT_EQ(3, cmd.sequence);
	ASSERT_EQ(sizeof(signals), read(cmd.eventfd, &signals, sizeof(signals)));
	EXPECT_EQ(1, signals);
	close(cmd.eventfd);
	ASSERT_EQ(0, wait_launch(self->fd, 3, PATIENCE_NS));
	ASSERT_EQ(sizeof(records), read(self->fd, records, sizeof(records)));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(i + 1, records[i].sequence);
		EXPECT_EQ(0, records[i].status);
	}
	EXPECT_EQ(1, records[0].queue);
	EXPECT_EQ(3, records[2].queue);
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	EXPECT_EQ(1, report.report.launches);
	EXPECT_EQ(2, report.report.copies);
	EXPECT_EQ(0, report.report.copies_waiting + report.report.copies_running);
	EXPECT_EQ(MIB + 100000, report.report.copy_bytes);
	EXPECT_EQ(4, report.report.queue_count);
	/* The launch waited for the copy: a megabyte, at 32 GB/s at most. */
	EXPECT_LT(32000, report.report.wait_mean_ns);
}

/* A kernel runs beside a copy; one that waits for it, or comes behind it, does not begin. */
TEST_F(copies, run_beside_kernels)
{
	struct simgpu_report report = { .size = sizeof(report) };
	uint64_t copy, waits, behind, free_one;

	ASSERT_EQ(0, copy_in(self->fd, 1, LONG, 0, &copy));
	ASSERT_EQ(0, launch_behind(self->fd, self->brief, 2, copy, &waits));
	ASSERT_EQ(0, launch_behind(self->fd, self->brief, 1, 0, &behind));
	ASSERT_EQ(0, launch_behind(self->fd, self->brief, 0, 0, &free_one));
	ASSERT_EQ(0, wait_launch(self->fd, free_one, PATIENCE_NS));
	EXPECT_EQ(-ETIMEDOUT, wait_launch(self->fd, copy, 0));
	EXPECT_EQ(-ETIMEDOUT, wait_launch(self->fd, waits, 0));
	EXPECT_EQ(-ETIMEDOUT, wait_launch(self->fd, behind, 0));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	EXPECT_EQ(1, report.report.launches);
	EXPECT_EQ(1, report.report.copies_running);
	EXPECT_EQ(0, report.report.copies);
	EXPECT_LT(0, report.report.copy_bytes_left);
	EXPECT_EQ(SIMGPU_QUEUE_WAITING, report.report.queue[2].state);
	EXPECT_EQ(1, report.report.queue[1].waiting);
}

/* A queue takes as many as of launches. */
TEST_F(copies, fill_a_queue)
{
	uint64_t sequence;
	int i;

	for (i = 0; i < 16; i++)
		ASSERT_EQ(0, copy_in(self->fd, 5, LONG, 0, &sequence));
	EXPECT_EQ(-EAGAIN, copy_in(self->fd, 5, 1, 0, &sequence));
	EXPECT_EQ(0, copy_in(self->fd, 6, LONG, 3, &sequence));
	EXPECT_EQ(17, sequence);
}

/* A process may go while its copies wait and go on; others find the device as ever. */
TEST_F(copies, end_with_their_file)
{
	uint64_t sequence;
	int other, i;

	for (i = 0; i < 3; i++) {
		other = open_device();
		ASSERT_LE(0, other);
		ASSERT_EQ(0, copy_in(other, 0, LONG, 0, &sequence));
		ASSERT_EQ(0, copy_in(other, 1, LONG, sequence, &sequence));
		EXPECT_EQ(-ETIMEDOUT, wait_launch(other, sequence, 100000000));
		close(other);
	}
	ASSERT_EQ(0, copy_in(self->fd, 0, 4096, 0, &sequence));
	EXPECT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
}

/* Where memory is managed the pager copies, and nobody else. */
TEST(copies_of_managed_memory_are_refused)
{
	struct made_device device;
	struct built_trace trace;
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .repeats = 1, .flags = SIMGPU_LAUNCH_MANAGED,
	};
	uint64_t sequence;
	int fd;

	ASSERT_EQ(0, make_device(&device, "copies",
				 "base = hbm80\nname = paging\nsms = 2\nmanaged_mb = 4\n"));
	fd = open_made(&device);
	ASSERT_LE(0, fd);
	build_stream(&trace, 8, 8);
	EXPECT_EQ(0, upload(fd, &trace, &cmd.handle));
	EXPECT_EQ(0, copy_in(fd, 0, 4096, 0, &sequence));
	EXPECT_EQ(0, wait_launch(fd, sequence, PATIENCE_NS));
	EXPECT_EQ(0, call(fd, SIMGPU_IOC_LAUNCH, &cmd));
	EXPECT_EQ(-EOPNOTSUPP, copy_in(fd, 0, 4096, 0, &sequence));
	EXPECT_EQ(0, wait_launch(fd, cmd.sequence, PATIENCE_NS));
	close(fd);
	remove_device(&device);
}

TEST_HARNESS_MAIN

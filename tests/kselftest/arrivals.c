// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that come by themselves: SIMGPU_IOC_ARRIVALS, and what is told of them; and
 * launches for which the device's memory is too small.
 */
#include <poll.h>

#include "calls.h"
#include "harness.h"

#define REQUESTS	200

FIXTURE(arrivals)
{
	int fd;
	uint32_t handle;
	struct built_trace trace;
	struct simgpu_arrivals cmd;
};

FIXTURE_SETUP(arrivals)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 8, 10);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
	self->cmd = (struct simgpu_arrivals) {
		.size = sizeof(self->cmd),
		.handle = self->handle,
		.kind = SIMGPU_ARRIVALS_POISSON,
		.launches = 1,
		.requests = REQUESTS,
		.seed = 1,
		.rate = 1000000000,
	};
}

FIXTURE_TEARDOWN(arrivals)
{
	close(self->fd);
}

static int start(int fd, struct simgpu_arrivals *cmd)
{
	return call(fd, SIMGPU_IOC_ARRIVALS, cmd);
}

TEST_F(arrivals, come_and_are_counted)
{
	struct simgpu_report report = { .size = sizeof(report) };
	struct simgpu_completion completions[REQUESTS];
	uint32_t i;

	self->cmd.deadline_cycles = 1;
	ASSERT_EQ(0, start(self->fd, &self->cmd));
	EXPECT_EQ(REQUESTS, self->cmd.sequence);
	EXPECT_EQ(-EBUSY, launch(self->fd, self->handle, 1, NULL));
	ASSERT_EQ(0, wait_launch(self->fd, REQUESTS, PATIENCE_NS));
	ASSERT_EQ(sizeof(completions),
		  read(self->fd, completions, sizeof(completions)));
	for (i = 0; i < REQUESTS; i++) {
		EXPECT_EQ(i + 1, completions[i].sequence);
		EXPECT_EQ(0, completions[i].status);
	}
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	EXPECT_EQ(REQUESTS, report.report.launches);
	EXPECT_EQ(0, report.report.launches_waiting);
	EXPECT_EQ(REQUESTS, report.report.deadline_misses);
	EXPECT_EQ(0, report.report.goodput_ppm);
	EXPECT_LT(0, report.report.run_mean_ns);
	EXPECT_LE(report.report.latency_p50_ns, report.report.latency_p99_ns);
	EXPECT_LE(report.report.wait_p99_ns, report.report.latency_p99_ns);
	/* Then it may launch again. */
	EXPECT_EQ(0, launch(self->fd, self->handle, 1, NULL));
}

TEST_F(arrivals, come_at_the_cycles_of_a_list)
{
	uint64_t cycles[] = { 0, 100, 100, 5000000 };

	self->cmd.kind = SIMGPU_ARRIVALS_LIST;
	self->cmd.seed = 0;
	self->cmd.rate = 0;
	self->cmd.requests = 4;
	self->cmd.list = (uintptr_t)cycles;
	ASSERT_EQ(0, start(self->fd, &self->cmd));
	/* A copy was taken. */
	memset(cycles, 0xff, sizeof(cycles));
	ASSERT_EQ(0, wait_launch(self->fd, 4, PATIENCE_NS));
	cycles[0] = 0;
	cycles[1] = 5;
	cycles[2] = 4;
	self->cmd.requests = 3;
	EXPECT_EQ(-EINVAL, start(self->fd, &self->cmd));
	self->cmd.requests = SIMGPU_ARRIVALS_LIST_MAX + 1;
	EXPECT_EQ(-E2BIG, start(self->fd, &self->cmd));
	self->cmd.requests = 3;
	self->cmd.list = 8;
	EXPECT_EQ(-EFAULT, start(self->fd, &self->cmd));
}

/* More than any reader could want, and what waits is dropped when the file goes. */
TEST_F(arrivals, end_with_the_file)
{
	struct simgpu_report report = { .size = sizeof(report) };
	int second = open_device();
	uint32_t handle;
	uint64_t sequence;

	self->cmd.requests = 0xffffffff;
	self->cmd.rate = 1000000000000ULL;
	ASSERT_EQ(0, start(self->fd, &self->cmd));
	EXPECT_EQ(-ETIMEDOUT, wait_launch(self->fd, self->cmd.sequence, 50000000));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	close(self->fd);
	self->fd = -1;
	/* The device is free again. */
	ASSERT_LE(0, second);
	ASSERT_EQ(0, upload(second, &self->trace, &handle));
	ASSERT_EQ(0, launch(second, handle, 1, &sequence));
	EXPECT_EQ(0, wait_launch(second, sequence, PATIENCE_NS));
	close(second);
}

TEST_F(arrivals, bad_plans)
{
	const struct simgpu_arrivals good = self->cmd;
	struct simgpu_arrivals bad;

#define REFUSED(error, change) do {					\
		bad = good;						\
		change;							\
		EXPECT_EQ(error, start(self->fd, &bad));		\
	} while (0)
	REFUSED(-EINVAL, bad.size = offsetof(struct simgpu_arrivals, hint_cycles) - 8);
	REFUSED(-EINVAL, bad.kind = 3);
	REFUSED(-EINVAL, bad.launches = 0);
	REFUSED(-EINVAL, bad.launches = 1001);
	REFUSED(-EINVAL, bad.requests = 0);
	REFUSED(-EINVAL, bad.requests = 1ULL << 32);
	REFUSED(-EINVAL, bad.rate = 0);
	REFUSED(-EINVAL, bad.rate = 1000000000001ULL);
	REFUSED(-EINVAL, bad.every_cycles = 1);
	REFUSED(-EINVAL, bad.deadline_cycles = 1000000001);
	REFUSED(-EINVAL, bad.hint_cycles = 1000000001);
	REFUSED(-EINVAL, bad.batching = 65);
	REFUSED(-EINVAL, bad.batching = 1);	/* The trace has no steps. */
	REFUSED(-EINVAL, bad.batching = 1; bad.launches = 2);
	REFUSED(-EINVAL, bad.reserved = 1);
	REFUSED(-EINVAL, bad.list = (uintptr_t)&bad);
	REFUSED(-EINVAL, bad.kind = SIMGPU_ARRIVALS_EVERY);
	REFUSED(-ENOENT, bad.handle = 99);
#undef REFUSED
	/* None has cost a slot. */
	EXPECT_EQ(-ENODATA, call(self->fd, SIMGPU_IOC_REPORT,
				 &(struct simgpu_report) {
					.size = sizeof(struct simgpu_report) }));
}

TEST_F(arrivals, deadlines_of_launches)
{
	struct simgpu_report report = { .size = sizeof(report) };
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = self->handle, .repeats = 1,
	};

	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	ASSERT_EQ(0, wait_launch(self->fd, cmd.sequence, PATIENCE_NS));
	/* Over already. */
	cmd.deadline_cycle = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	cmd.deadline_cycle = 1ULL << 40;
	cmd.not_before_cycle = cmd.deadline_cycle + 1;
	EXPECT_NE(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	cmd.not_before_cycle = 0;
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	ASSERT_EQ(0, wait_launch(self->fd, cmd.sequence, PATIENCE_NS));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	EXPECT_EQ(2, report.report.launches);
	EXPECT_EQ(0, report.report.deadline_misses);
}

/* A gang on a card of 1536 MiB, in which two footprints of 1 GiB are. */
FIXTURE(memory)
{
	int gang;
	int fds[2];
	struct built_trace trace;
};

FIXTURE_SETUP(memory)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 2, .seed = 1,
		.epoch_cycles = 10000, .stop_cycle = 40000,
		.flags = SIMGPU_GANG_RELAUNCH, .config = "gtx480",
	};
	uint32_t i;

	build_compute(&self->trace, 8, 10);
	for (i = 0; i < 2; i++) {
		self->fds[i] = open_device();
		ASSERT_LE(0, self->fds[i]);
	}
	ASSERT_EQ(0, call(self->fds[0], SIMGPU_IOC_GANG_CREATE, &create));
	self->gang = create.fd;
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, gang_join(self->fds[i], self->gang, i));
}

FIXTURE_TEARDOWN(memory)
{
	close(self->gang);
	close(self->fds[0]);
	close(self->fds[1]);
}

static int upload_footprint(int fd, struct built_trace *trace, uint64_t mib,
			    uint32_t *handle)
{
	trace_header(trace)->footprint_bytes = mib << 20;
	trace_seal(trace);
	return upload(fd, trace, handle);
}

TEST_F(memory, too_small_for_one)
{
	uint32_t handle;

	ASSERT_EQ(0, upload_footprint(self->fds[0], &self->trace, 1537,
				      &handle));
	EXPECT_EQ(-ENOSPC, launch(self->fds[0], handle, 1, NULL));
	ASSERT_EQ(0, upload_footprint(self->fds[0], &self->trace, 1536,
				      &handle));
	EXPECT_EQ(0, launch(self->fds[0], handle, 1, NULL));
}

TEST_F(memory, too_small_for_both)
{
	struct simgpu_report report = { .size = sizeof(report) };
	uint64_t sequence;
	uint32_t handle, i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, upload_footprint(self->fds[i], &self->trace, 1024,
					      &handle));
		ASSERT_EQ(0, launch(self->fds[i], handle, 1, &sequence));
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, wait_launch(self->fds[i], sequence, PATIENCE_NS));
	ASSERT_EQ(0, call(self->fds[0], SIMGPU_IOC_REPORT, &report));
	EXPECT_EQ(0, report.report.flags & SIMGPU_REPORT_WAITS_FOR_MEMORY);
	EXPECT_LT(0, report.report.thread_instructions);
	ASSERT_EQ(0, call(self->fds[1], SIMGPU_IOC_REPORT, &report));
	EXPECT_NE(0, report.report.flags & SIMGPU_REPORT_WAITS_FOR_MEMORY);
	EXPECT_EQ(0, report.report.thread_instructions);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Launches of traces with commands: what is refused, one completion for all queues, marks,
 * and launches that end in the middle of a copy.
 */
#include "calls.h"
#include "harness.h"

#define MIB	(1ULL << 20)

FIXTURE(commands)
{
	int fd;
	struct built_trace trace;
};

FIXTURE_SETUP(commands)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(commands)
{
	close(self->fd);
}

/* A kernel of 8 blocks, an allocation of 1 MiB, and commands */
static void build(struct built_trace *trace, const struct simgpu_trace_command *commands,
		  size_t count)
{
	const struct trace_part part = { .bytes = MIB, .kind = SIMGPU_TRACE_DEVICE };

	build_compute(trace, 8, 10);
	trace_header(trace)->footprint_bytes = MIB;
	trace_section(trace, SIMGPU_TRACE_COMMANDS, commands, sizeof(commands[0]), count);
	trace_allocate(trace, &part, 1);
}

static int launch_in(int fd, uint32_t handle, uint32_t queue, uint64_t *sequence)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = handle, .repeats = 2, .queue = queue,
	};
	int ret = call(fd, SIMGPU_IOC_LAUNCH, &cmd);

	*sequence = cmd.sequence;
	return ret;
}

static const struct simgpu_trace_command job[] = {
	{ .kind = SIMGPU_TRACE_COMMAND_COPY_IN, .queue = 2, .repeat = 1, .amount = 3 * MIB },
	{ .kind = SIMGPU_TRACE_COMMAND_RECORD, .queue = 2, .what = 9, .repeat = 1 },
	{ .kind = SIMGPU_TRACE_COMMAND_WAIT, .what = 9, .repeat = 1 },
	{ .kind = SIMGPU_TRACE_COMMAND_KERNEL, .repeat = 3 },
	{ .kind = SIMGPU_TRACE_COMMAND_MARK, .repeat = 1 },
	{ .kind = SIMGPU_TRACE_COMMAND_DELAY, .repeat = 1, .amount = 1000 },
	{ .kind = SIMGPU_TRACE_COMMAND_COPY_OUT, .repeat = 1, .amount = 4096 },
	{ .kind = SIMGPU_TRACE_COMMAND_MARK, .repeat = 1 },
};

/* The launch has one completion, of its own queue; each mark is a latency. */
TEST_F(commands, run)
{
	struct simgpu_report report = { .size = sizeof(report) };
	struct simgpu_completion record;
	uint64_t sequence;
	uint32_t handle;

	build(&self->trace, job, sizeof(job) / sizeof(job[0]));
	ASSERT_EQ(0, upload(self->fd, &self->trace, &handle));
	EXPECT_EQ(-EINVAL, launch_in(self->fd, handle, 6, &sequence));
	ASSERT_EQ(0, launch_in(self->fd, handle, 4, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	ASSERT_EQ(sizeof(record), read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(sequence, record.sequence);
	EXPECT_EQ(4, record.queue);
	EXPECT_EQ(0, record.status);
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-1, read(self->fd, &record, sizeof(record)));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	EXPECT_EQ(7, report.report.queue_count);
	EXPECT_EQ(4, report.report.launches);
	EXPECT_EQ(SIMGPU_QUEUE_EMPTY, report.report.queue[4].state);
	EXPECT_EQ(SIMGPU_QUEUE_EMPTY, report.report.queue[6].state);
}

/* A trace whose commands are wrong is refused, with the field. */
TEST_F(commands, are_checked)
{
	const struct simgpu_trace_command none = {
		.kind = SIMGPU_TRACE_COMMAND_MARK, .repeat = 1,
	};
	struct simgpu_trace_command bad[8];
	uint32_t handle;

	build(&self->trace, &none, 1);
	EXPECT_EQ(-EINVAL, upload(self->fd, &self->trace, &handle));
	memcpy(bad, job, sizeof(bad));
	bad[2].what = SIMGPU_TRACE_EVENTS_MAX;
	build(&self->trace, bad, 8);
	EXPECT_EQ(-E2BIG, upload(self->fd, &self->trace, &handle));
	memcpy(bad, job, sizeof(bad));
	bad[3].what = 1;
	build(&self->trace, bad, 8);
	EXPECT_EQ(-EINVAL, upload(self->fd, &self->trace, &handle));
}

static const struct simgpu_trace_command steps[] = {
	{ .kind = SIMGPU_TRACE_COMMAND_KERNEL, .repeat = 1 },
	{ .kind = SIMGPU_TRACE_COMMAND_STEP, .repeat = 1, .amount = 100 },
	{ .kind = SIMGPU_TRACE_COMMAND_KERNEL, .repeat = 1 },
	{ .kind = SIMGPU_TRACE_COMMAND_STEP, .what = 4, .repeat = 1, .amount = 100 },
	{ .kind = SIMGPU_TRACE_COMMAND_REQUEST, .what = 90, .repeat = 1, .amount = 20 },
	{ .kind = SIMGPU_TRACE_COMMAND_REQUEST, .what = 10, .repeat = 1, .amount = 2 },
};

/*
 * A service that batches: the second and the fourth of four requests that come at once end first,
 * and are told with the first and the third one.
 */
TEST_F(commands, batch_requests)
{
	static const uint64_t cycles[4];
	struct simgpu_report report = { .size = sizeof(report) };
	struct simgpu_arrivals cmd = {
		.size = sizeof(cmd), .kind = SIMGPU_ARRIVALS_LIST, .launches = 1,
		.requests = 4, .list = (uintptr_t)cycles, .batching = 4,
	};
	struct simgpu_completion records[4];
	uint64_t sequence;
	int i;

	build(&self->trace, steps, sizeof(steps) / sizeof(steps[0]));
	ASSERT_EQ(0, upload(self->fd, &self->trace, &cmd.handle));
	EXPECT_EQ(-EOPNOTSUPP, launch_in(self->fd, cmd.handle, 0, &sequence));
	cmd.batching = 0;
	EXPECT_EQ(-EOPNOTSUPP, call(self->fd, SIMGPU_IOC_ARRIVALS, &cmd));
	cmd.batching = 5;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_ARRIVALS, &cmd));
	cmd.batching = 4;
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_ARRIVALS, &cmd));
	ASSERT_EQ(0, wait_launch(self->fd, cmd.sequence, PATIENCE_NS));
	ASSERT_EQ(sizeof(records), read(self->fd, records, sizeof(records)));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(cmd.sequence - 3 + i, records[i].sequence);
		EXPECT_EQ(0, records[i].status);
	}
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	EXPECT_EQ(4, report.report.launches);
	EXPECT_EQ(4, report.report.first_tokens);
	EXPECT_EQ(2 * 19 + 2, report.report.tokens);
	/* One decode has all four, and eighteen those that have longer. */
	EXPECT_EQ(40 * 1000000ULL / 19, report.report.batch_mean_ppm);
	/* A process may go in the middle of a step. */
	cmd.requests = 1000;
	cmd.kind = SIMGPU_ARRIVALS_EVERY;
	cmd.every_cycles = 1;
	cmd.list = 0;
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_ARRIVALS, &cmd));
}

/* A process may go while its copy, of hours, goes on; others find the device as ever. */
TEST_F(commands, end_in_mid_copy)
{
	const struct simgpu_trace_command copies[] = {
		{ .kind = SIMGPU_TRACE_COMMAND_COPY_IN, .repeat = 1000,
		  .amount = SIMGPU_TRACE_COPY_BYTES_MAX },
		{ .kind = SIMGPU_TRACE_COMMAND_COPY, .queue = 1, .repeat = 1000,
		  .amount = SIMGPU_TRACE_COPY_BYTES_MAX },
	};
	uint64_t sequence;
	uint32_t handle;
	int other, i;

	for (i = 0; i < 3; i++) {
		other = open_device();
		ASSERT_LE(0, other);
		build(&self->trace, copies, 2);
		ASSERT_EQ(0, upload(other, &self->trace, &handle));
		ASSERT_EQ(0, launch_in(other, handle, 0, &sequence));
		EXPECT_EQ(-ETIMEDOUT, wait_launch(other, sequence, 200000000));
		close(other);
	}
	build(&self->trace, job, sizeof(job) / sizeof(job[0]));
	ASSERT_EQ(0, upload(self->fd, &self->trace, &handle));
	ASSERT_EQ(0, launch_in(self->fd, handle, 0, &sequence));
	EXPECT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
}

TEST_HARNESS_MAIN

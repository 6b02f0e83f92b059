// SPDX-License-Identifier: GPL-2.0
/*
 * Masks of a tenant and of its launches: what cannot be is refused and nothing is
 * changed; what can be holds before the tenant has a slot and when it has one.
 */
#include "calls.h"
#include "kselftest_harness.h"

FIXTURE(masks)
{
	int fd;
	uint32_t handle;
	struct built_trace trace;
};

FIXTURE_SETUP(masks)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 400, 20);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
}

FIXTURE_TEARDOWN(masks)
{
	close(self->fd);
}

static int launch_on(int fd, uint32_t handle, uint32_t flags, uint64_t sms,
		     uint64_t more, uint64_t *sequence)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = handle, .repeats = 1,
		.flags = flags, .sm_mask = { sms, 0, more },
	};
	int ret = call(fd, SIMGPU_IOC_LAUNCH, &cmd);

	if (!ret)
		*sequence = cmd.sequence;
	return ret;
}

static int keep_to(int fd, uint32_t flags, uint64_t sms, uint64_t channels,
		   uint64_t ways)
{
	struct simgpu_masks cmd = {
		.size = sizeof(cmd), .flags = flags, .sms = { sms },
		.channels = channels, .llc_ways = ways,
	};

	return call(fd, SIMGPU_IOC_MASKS, &cmd);
}

/* The device cycles that all launches so far have run. */
static uint64_t cycles_of(struct __test_metadata *_metadata, int fd)
{
	struct simgpu_report report = { .size = sizeof(report) };

	EXPECT_EQ(0, call(fd, SIMGPU_IOC_REPORT, &report));
	return report.report.run_mean_ns * report.report.launches;
}

/* A launch on one SM of all takes longer than one on all. */
TEST_F(masks, of_a_launch)
{
	uint64_t sequence, all, one;

	ASSERT_EQ(0, launch_on(self->fd, self->handle, 0, 0, 0, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	all = cycles_of(_metadata, self->fd);
	ASSERT_EQ(0, launch_on(self->fd, self->handle, SIMGPU_LAUNCH_MASKED,
			       1ULL << 7, 0, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	one = cycles_of(_metadata, self->fd) - all;
	EXPECT_LT(10 * all, one);
}

TEST_F(masks, of_a_tenant)
{
	uint64_t sequence, one;

	/* They are kept until there is a slot. */
	ASSERT_EQ(0, keep_to(self->fd, SIMGPU_MASK_SMS, 1ULL << 7, 0, 0));
	ASSERT_EQ(0, keep_to(self->fd, SIMGPU_MASK_CHANNELS |
			     SIMGPU_MASK_LLC_WAYS, 0, 0x0f, 0x03));
	EXPECT_EQ(-EINVAL, launch_on(self->fd, self->handle,
				     SIMGPU_LAUNCH_MASKED, 1, 0, &sequence));
	ASSERT_EQ(0, launch_on(self->fd, self->handle, 0, 0, 0, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	one = cycles_of(_metadata, self->fd);
	/* With CAP_SYS_NICE they may grow. */
	ASSERT_EQ(0, keep_to(self->fd, SIMGPU_MASK_SMS, 0xffffffff, 0, 0));
	ASSERT_EQ(0, launch_on(self->fd, self->handle, 0, 0, 0, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	EXPECT_LT(10 * (cycles_of(_metadata, self->fd) - one), one);
}

TEST_F(masks, that_cannot_be)
{
	const uint32_t all = SIMGPU_MASK_SMS | SIMGPU_MASK_CHANNELS |
			     SIMGPU_MASK_LLC_WAYS;
	struct simgpu_masks cmd = {
		.size = sizeof(cmd), .flags = SIMGPU_MASK_SMS, .sms = { 1 },
	};
	uint64_t sequence;

	EXPECT_EQ(0, keep_to(self->fd, 0, 0, 0, 0));
	EXPECT_EQ(-EINVAL, keep_to(self->fd, all + 1, 1, 1, 1));
	EXPECT_EQ(-EINVAL, keep_to(self->fd, all, 0, 1, 1));
	EXPECT_EQ(-EINVAL, keep_to(self->fd, all, 1, 0, 1));
	EXPECT_EQ(-EINVAL, keep_to(self->fd, all, 1, 1, 0));
	EXPECT_EQ(-EINVAL, keep_to(self->fd, 0, 1, 0, 0));
	EXPECT_EQ(-EINVAL, keep_to(self->fd, 0, 0, 1, 0));
	EXPECT_EQ(-EINVAL, keep_to(self->fd, all, 1, 1ULL << 32, 1));
	EXPECT_EQ(-EINVAL, keep_to(self->fd, all, 1, 1, 1ULL << 16));
	cmd.sms[3] = 1ULL << 63;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_MASKS, &cmd));
	cmd.sms[3] = 0;
	cmd.sms[1] = 1ULL << 16;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_MASKS, &cmd));
	EXPECT_EQ(-EINVAL, launch_on(self->fd, self->handle, 0, 1, 0, &sequence));
	EXPECT_EQ(-EINVAL, launch_on(self->fd, self->handle,
				     SIMGPU_LAUNCH_MASKED, 0, 0, &sequence));
	EXPECT_EQ(-EINVAL, launch_on(self->fd, self->handle,
				     SIMGPU_LAUNCH_MASKED, 1, 1, &sequence));
	EXPECT_EQ(-EINVAL, launch_on(self->fd, self->handle, 1U << 31, 0, 0,
				     &sequence));
	/* None of these took a slot. */
	EXPECT_EQ(-ENODATA, call(self->fd, SIMGPU_IOC_REPORT,
				 &(struct simgpu_report){
					.size = sizeof(struct simgpu_report) }));
	ASSERT_EQ(0, launch_on(self->fd, self->handle, 0, 0, 0, &sequence));
	EXPECT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Masks of a tenant and of its launches: what cannot be is refused and nothing is
 * changed; what can be holds before the tenant has a slot and when it has one.
 */
#include "calls.h"
#include "netlink_calls.h"
#include "harness.h"

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

static int mask_file(unsigned long id, const char *name, char text[64])
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "tenants/%lu/%s", id, name);
	return read_text(path, text, 64);
}

/* Files of sysfs and attributes of netlink have what a tenant keeps to. */
TEST_F(masks, are_shown)
{
	unsigned long id = newest_tenant();
	struct answer answer = { 0 };
	struct nlattr **row = answer.rows[0];
	uint64_t sequence;
	int family;
	struct nl_sock *sock = connect_family(&family);
	char text[64];

	ASSERT_NE(NULL, sock);
	ASSERT_EQ(0, launch_on(self->fd, self->handle, 0, 0, 0, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	EXPECT_EQ(-ENODATA, mask_file(id, "sm_mask", text));
	EXPECT_EQ(-ENODATA, mask_file(id, "channel_mask", text));
	EXPECT_EQ(-ENODATA, mask_file(id, "llc_way_mask", text));
	ASSERT_EQ(0, get_tenant(sock, family, id, &answer));
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_SM_MASK]);
	answer_free(&answer);
	ASSERT_EQ(0, keep_to(self->fd, SIMGPU_MASK_SMS | SIMGPU_MASK_CHANNELS |
			     SIMGPU_MASK_LLC_WAYS, 0x1ff00, 0x13, 0x02));
	ASSERT_EQ(0, launch_on(self->fd, self->handle, 0, 0, 0, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	EXPECT_EQ(0, mask_file(id, "sm_mask", text));
	EXPECT_STREQ("8-16", text);
	EXPECT_EQ(0, mask_file(id, "channel_mask", text));
	EXPECT_STREQ("0-1,4", text);
	EXPECT_EQ(0, mask_file(id, "llc_way_mask", text));
	EXPECT_STREQ("1", text);
	ASSERT_EQ(0, get_tenant(sock, family, id, &answer));
	ASSERT_NE(NULL, row[SIMGPU_A_TENANT_SM_MASK]);
	EXPECT_STREQ("8-16", nla_get_string(row[SIMGPU_A_TENANT_SM_MASK]));
	ASSERT_NE(NULL, row[SIMGPU_A_TENANT_CHANNEL_MASK]);
	EXPECT_STREQ("0-1,4",
		     nla_get_string(row[SIMGPU_A_TENANT_CHANNEL_MASK]));
	ASSERT_NE(NULL, row[SIMGPU_A_TENANT_LLC_WAY_MASK]);
	EXPECT_STREQ("1", nla_get_string(row[SIMGPU_A_TENANT_LLC_WAY_MASK]));
	answer_free(&answer);
	nl_socket_free(sock);
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

/* Launches that go on may have so many masks; one more of these is no new mask. */
TEST_F(masks, that_are_too_many)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = self->handle,
		.repeats = FOR_EVER, .flags = SIMGPU_LAUNCH_MASKED,
	};
	uint64_t sequence;
	int i;

	cmd.sm_mask[0] = 1;
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	for (i = 1; i < SIMGPU_LAUNCH_MASKS_MAX; i++)
		EXPECT_EQ(0, launch_on(self->fd, self->handle,
				       SIMGPU_LAUNCH_MASKED, 1ULL << i, 0,
				       &sequence));
	EXPECT_EQ(-EAGAIN, launch_on(self->fd, self->handle,
				     SIMGPU_LAUNCH_MASKED, 1ULL << i, 0,
				     &sequence));
	EXPECT_EQ(0, launch_on(self->fd, self->handle, SIMGPU_LAUNCH_MASKED,
			       1ULL << (i - 1), 0, &sequence));
}

/* Programs of before the words for SMs from 256 on, and for the report's from 128 on */
#define OLD_SIZE(type, first_new)	offsetof(struct type, first_new)

TEST_F(masks, of_shorter_structs)
{
	struct simgpu_launch launch = {
		.size = OLD_SIZE(simgpu_launch, sm_mask_more), .handle = self->handle,
		.repeats = 1, .flags = SIMGPU_LAUNCH_MASKED, .sm_mask = { 1ULL << 7 },
		.sm_mask_more = { ~0ULL },
	};
	struct simgpu_masks masks = {
		.size = OLD_SIZE(simgpu_masks, sms_more), .flags = SIMGPU_MASK_SMS,
		.sms = { 0xf0 }, .sms_more = { ~0ULL },
	};
	struct simgpu_report report;
	char text[64];

	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_MASKS, &masks));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &launch));
	ASSERT_EQ(0, wait_launch(self->fd, launch.sequence, PATIENCE_NS));
	EXPECT_EQ(0, mask_file(newest_tenant(), "sm_mask", text));
	EXPECT_STREQ("4-7", text);
	memset(&report, 0x5a, sizeof(report));
	report.size = OLD_SIZE(simgpu_report, report.own_sms_more);
	report.counters = (struct simgpu_counter_array) { 0 };
	memset(&report.report, 0, report.size - offsetof(struct simgpu_report, report));
	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	EXPECT_EQ(0xf0, report.report.mask_sms[0]);
	EXPECT_EQ(0x5a5a5a5a5a5a5a5aULL, report.report.mask_sms_more[0]);
	/* Of the new sizes the new words count, and this device has no such SM. */
	launch.size = sizeof(launch);
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_LAUNCH, &launch));
	launch.flags = 0;
	launch.sm_mask[0] = 0;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_LAUNCH, &launch));
	masks.size = sizeof(masks);
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_MASKS, &masks));
}

TEST_HARNESS_MAIN

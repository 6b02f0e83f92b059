// SPDX-License-Identifier: GPL-2.0
/*
 * Claims: a tenant without CAP_SYS_NICE gets no more of the device than others do,
 * whichever way it asks, unless an administrator lets everybody have it.
 */
#include "attack.h"
#include "../kselftest/harness.h"
#include "../kselftest/netlink_calls.h"

FIXTURE(claims)
{
	int fd;
	unsigned long id;
	struct nl_sock *sock;
	int family;
	struct answer answer;
};

FIXTURE_SETUP(claims)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->id = newest_tenant();
	self->sock = connect_family(&self->family);
	ASSERT_NE(NULL, self->sock);
}

FIXTURE_TEARDOWN(claims)
{
	answer_free(&self->answer);
	nl_socket_free(self->sock);
	close(self->fd);
	neighbours_leave();
	root_writes(SYSFS "weight_limit", "1");
	root_writes(SYSFS "target_limit", "0");
}

static int ask(int fd, uint32_t service, uint32_t weight, uint64_t target_ppm)
{
	return set_tenant(fd, "greedy", service, weight, target_ppm);
}

TEST_F(claims, by_ioctl)
{
	EXPECT_EQ(-EPERM, ask(self->fd, SIMGPU_SERVICE_QOS, 1, 1000000));
	EXPECT_EQ(-EPERM, ask(self->fd, SIMGPU_SERVICE_QOS, 1, 1));
	EXPECT_EQ(-EPERM, ask(self->fd, SIMGPU_SERVICE_BEST_EFFORT, 1000, 0));
	EXPECT_EQ(-EPERM, ask(self->fd, SIMGPU_SERVICE_BEST_EFFORT, 2, 0));
	EXPECT_EQ(0, ask(self->fd, SIMGPU_SERVICE_BEST_EFFORT, 1, 0));
	/* What makes no sense is told apart from what is not allowed. */
	EXPECT_EQ(-EINVAL, ask(self->fd, SIMGPU_SERVICE_BEST_EFFORT, 1001, 0));
}

TEST_F(claims, by_queues)
{
	struct simgpu_queue cmd = { .size = sizeof(cmd), .priority = 1 };

	EXPECT_EQ(-EPERM, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
	cmd.priority = -2;
	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
	/* Back to where all begin, and no further. */
	cmd.priority = 0;
	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
	cmd.priority = 3;
	EXPECT_EQ(-EPERM, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
	cmd.priority = 4;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_QUEUE, &cmd));
}

/* A hint needs no right and gives none: without a launch there is nobody to hint for. */
TEST_F(claims, not_by_hints)
{
	struct simgpu_hint cmd = { .size = sizeof(cmd), .expected_cycle = 1 };

	EXPECT_EQ(-ENXIO, call(self->fd, SIMGPU_IOC_HINT, &cmd));
	cmd.reserved = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_HINT, &cmd));
}

/*
 * A copy needs no right and gives none: it waits for no launch but the tenant's own, ends in no
 * space but the tenant's own, and no flag gives it more than that.
 */
TEST_F(claims, not_by_copies)
{
	struct simgpu_copy cmd = {
		.size = sizeof(cmd), .kind = SIMGPU_COPY_OUT, .bytes = 4096,
		.wait_for = { 1 },
	};
	uint32_t flag;
	int other;

	/* There is a launch of that number, of somebody else. */
	other = open_device();
	ASSERT_LE(0, other);
	cmd.wait_for[0] = 0;
	ASSERT_EQ(0, call(other, SIMGPU_IOC_COPY, &cmd));
	cmd.wait_for[0] = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_COPY, &cmd));
	cmd.wait_for[0] = 0;
	for (flag = SIMGPU_LAUNCH_IDEMPOTENT; flag; flag <<= 1) {
		cmd.flags = flag;
		EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_COPY, &cmd));
	}
	cmd.flags = 0;
	cmd.offset = SIMGPU_TRACE_SPACE_BYTES + SIMGPU_TRACE_LINE_BYTES;
	EXPECT_EQ(-E2BIG, call(self->fd, SIMGPU_IOC_COPY, &cmd));
	cmd.offset = 0;
	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_COPY, &cmd));
	EXPECT_EQ(0, wait_launch(self->fd, cmd.sequence, PATIENCE_NS));
	close(other);
}

/* Masks are narrowed, and stay so: who was given the file gets no more than that. */
TEST_F(claims, by_masks)
{
	struct simgpu_masks cmd = {
		.size = sizeof(cmd),
		.flags = SIMGPU_MASK_SMS | SIMGPU_MASK_CHANNELS |
			 SIMGPU_MASK_LLC_WAYS,
		.sms = { 0xff }, .channels = 0x0f, .llc_ways = 0x3,
	};

	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_MASKS, &cmd));
	cmd.sms[0] = 0x1ff;
	EXPECT_EQ(-EPERM, call(self->fd, SIMGPU_IOC_MASKS, &cmd));
	cmd.sms[0] = 0;
	cmd.sms[1] = 1;
	EXPECT_EQ(-EPERM, call(self->fd, SIMGPU_IOC_MASKS, &cmd));
	cmd = (struct simgpu_masks) {
		.size = sizeof(cmd), .flags = SIMGPU_MASK_CHANNELS,
		.channels = 0x10,
	};
	EXPECT_EQ(-EPERM, call(self->fd, SIMGPU_IOC_MASKS, &cmd));
	cmd.channels = 0x06;
	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_MASKS, &cmd));
	cmd.channels = 0x0f;
	EXPECT_EQ(-EPERM, call(self->fd, SIMGPU_IOC_MASKS, &cmd));
	cmd.flags = SIMGPU_MASK_LLC_WAYS;
	cmd.channels = 0;
	cmd.llc_ways = 0xffff;
	EXPECT_EQ(-EPERM, call(self->fd, SIMGPU_IOC_MASKS, &cmd));
	cmd.llc_ways = 0x10000;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_MASKS, &cmd));
}

/* A launch that cannot meet its deadline is refused, and takes no slot from others. */
TEST_F(claims, by_launches_that_fail)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .repeats = 1, .not_before_cycle = 2,
		.deadline_cycle = 1,
	};
	struct built_trace trace;
	char text[64];

	build_stream(&trace, 16, 5);
	ASSERT_EQ(0, upload(self->fd, &trace, &cmd.handle));
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	EXPECT_EQ(-ENODATA, read_text(tenant_file(self->id, "slot"), text, 64));
	cmd.deadline_cycle = 0;
	cmd.not_before_cycle = 0;
	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	EXPECT_EQ(0, read_text(tenant_file(self->id, "slot"), text, 64));
}

TEST_F(claims, by_sysfs)
{
	EXPECT_EQ(-EPERM, write_text(tenant_file(self->id, "weight"), "2"));
	EXPECT_EQ(0, write_text(tenant_file(self->id, "weight"), "1"));
	EXPECT_EQ(-EACCES, write_text(SYSFS "weight_limit", "1000"));
	EXPECT_EQ(-EACCES, write_text(SYSFS "policy", "even"));
}

TEST_F(claims, by_netlink)
{
	struct nl_msg *message;

	EXPECT_EQ(-EPERM, set_weight(self->sock, self->family, self->id, 2));
	EXPECT_EQ(0, set_weight(self->sock, self->family, self->id, 1));
	message = request(self->family, SIMGPU_CMD_DEVICE_SET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	nla_put_string(message, SIMGPU_A_DEVICE_POLICY, "even");
	EXPECT_EQ(-EPERM, transact(self->sock, message, &self->answer));
}

/* What everybody may have is the administrator's choice. */
TEST_F(claims, within_limits)
{
	ASSERT_EQ(0, root_writes(SYSFS "weight_limit", "10"));
	ASSERT_EQ(0, root_writes(SYSFS "target_limit", "0.5"));
	EXPECT_EQ(-EINVAL, root_writes(SYSFS "weight_limit", "0"));
	EXPECT_EQ(-EINVAL, root_writes(SYSFS "weight_limit", "1001"));
	EXPECT_EQ(-EINVAL, root_writes(SYSFS "target_limit", "1.000001"));
	EXPECT_EQ(0, ask(self->fd, SIMGPU_SERVICE_BEST_EFFORT, 10, 0));
	EXPECT_EQ(-EPERM, ask(self->fd, SIMGPU_SERVICE_BEST_EFFORT, 11, 0));
	EXPECT_EQ(0, ask(self->fd, SIMGPU_SERVICE_QOS, 10, 500000));
	EXPECT_EQ(-EPERM, ask(self->fd, SIMGPU_SERVICE_QOS, 10, 500001));
	EXPECT_EQ(-EPERM, ask(self->fd, SIMGPU_SERVICE_QOS, 11, 500000));
	/* A limit that is lowered takes nothing away. */
	ASSERT_EQ(0, root_writes(SYSFS "weight_limit", "1"));
	EXPECT_EQ(0, ask(self->fd, SIMGPU_SERVICE_QOS, 9, 400000));
	EXPECT_EQ(-EPERM, ask(self->fd, SIMGPU_SERVICE_QOS, 10, 400000));
}

/* What was given may be given up, for good, by any of the three ways. */
TEST_F(claims, an_owner_lowers)
{
	const char *weight = tenant_file(self->id, "weight");

	ASSERT_EQ(0, root_writes(weight, "100"));
	EXPECT_EQ(0, ask(self->fd, SIMGPU_SERVICE_BEST_EFFORT, 50, 0));
	EXPECT_EQ(-EPERM, ask(self->fd, SIMGPU_SERVICE_BEST_EFFORT, 60, 0));
	EXPECT_EQ(0, write_text(weight, "40"));
	EXPECT_EQ(-EPERM, write_text(weight, "50"));
	EXPECT_EQ(0, set_weight(self->sock, self->family, self->id, 30));
	EXPECT_EQ(-EPERM,
		  set_weight(self->sock, self->family, self->id, 40));
	EXPECT_EQ(30, read_number(weight));
}

/* Another user's tenant is nobody's to change, not even downwards. */
TEST_F(claims, of_another)
{
	long id = neighbour_opens(NEIGHBOUR);

	ASSERT_LT(0, id);
	EXPECT_EQ(-EPERM, set_weight(self->sock, self->family, id, 1));
	EXPECT_EQ(-EACCES, write_text(tenant_file(id, "weight"), "1"));
}

/*
 * A program of the neighbour that is made to write to the attacker's socket, as
 * one that is set-user-ID would be: the answer would come to the attacker.
 */
TEST_F(claims, a_socket_of_another)
{
	struct attack_request sent = {
		.verb = NEIGHBOUR_SENDS, .uid = NEIGHBOUR,
	};
	long id = neighbour_opens(NEIGHBOUR);
	struct nl_msg *message;
	struct nlmsghdr *header;
	struct nlattr **row = self->answer.rows[0];
	struct nl_cb *cb;

	ASSERT_LT(0, id);
	message = request(self->family, SIMGPU_CMD_TENANT_GET, 0);
	nla_put_u32(message, SIMGPU_A_TENANT_DEVICE, 0);
	nla_put_u64(message, SIMGPU_A_TENANT_ID, id);
	nl_complete_msg(self->sock, message);
	header = nlmsg_hdr(message);
	ASSERT_GE(sizeof(sent.text), header->nlmsg_len);
	memcpy(sent.text, header, header->nlmsg_len);
	sent.count = header->nlmsg_len;
	nlmsg_free(message);
	ASSERT_EQ(0, ask_root(&sent, nl_socket_get_fd(self->sock), NULL));

	cb = nl_cb_alloc(NL_CB_DEFAULT);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, take_message, &self->answer);
	ASSERT_LE(0, nl_recvmsgs(self->sock, cb));
	nl_cb_put(cb);
	ASSERT_EQ(1, self->answer.count);
	EXPECT_NE(NULL, row[SIMGPU_A_TENANT_NAME]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_CLASS]);
}

TEST_HARNESS_MAIN

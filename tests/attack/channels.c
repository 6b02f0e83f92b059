// SPDX-License-Identifier: GPL-2.0
/*
 * Side channels: what a tenant does is for its user and administrators to see, and
 * what is said of all together must not tell of one.
 */
#include "attack.h"
#include "../kselftest/harness.h"
#include "../kselftest/netlink_calls.h"

FIXTURE(channels)
{
	int fd;
	unsigned long id;
	uint32_t handle;
	struct nl_sock *sock;
	int family;
	struct answer answer;
	char epoch_cycles[64];
};

FIXTURE_SETUP(channels)
{
	struct built_trace trace;

	build_stream(&trace, 160, 50);
	ASSERT_EQ(0, read_text(SYSFS "epoch_cycles", self->epoch_cycles, 64));
	ASSERT_EQ(0, root_writes(SYSFS "epoch_cycles", "10000"));
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->id = newest_tenant();
	ASSERT_EQ(0, upload(self->fd, &trace, &self->handle));
	self->sock = connect_family(&self->family);
	ASSERT_NE(NULL, self->sock);
}

FIXTURE_TEARDOWN(channels)
{
	answer_free(&self->answer);
	nl_socket_free(self->sock);
	close(self->fd);
	neighbours_leave();
	root_writes(SYSFS "pace", "0");
	root_writes(SYSFS "epoch_cycles", self->epoch_cycles);
}

/* Until epochs have ended in which all of them worked. */
static long long wait_for_epochs(void)
{
	long long until = read_number(SYSFS "epochs") + 4;
	int tries;

	for (tries = 0; tries < 3000; tries++) {
		if (read_number(SYSFS "epochs") >= until)
			return 0;
		sleep_ms(10);
	}
	return -ETIMEDOUT;
}

static int get_device(FIXTURE_DATA(channels) *self)
{
	struct nl_msg *message = request(self->family, SIMGPU_CMD_DEVICE_GET,
					 NLM_F_ACK);

	answer_free(&self->answer);
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	return transact(self->sock, message, &self->answer);
}

static const char * const aggregates[] = {
	SYSFS "stp", SYSFS "antt", SYSFS "fairness", SYSFS "np_doubts",
};

#define AGGREGATES	(int)(sizeof(aggregates) / sizeof(aggregates[0]))

/* Alone, it reads what is its own. */
TEST_F(channels, aggregates_of_oneself)
{
	char text[64];
	int i;

	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	ASSERT_EQ(0, wait_for_epochs());
	for (i = 0; i < AGGREGATES; i++)
		EXPECT_EQ(0, read_text(aggregates[i], text, sizeof(text)));
	ASSERT_EQ(0, get_device(self));
	EXPECT_NE(NULL, self->answer.rows[0][SIMGPU_A_DEVICE_STP_PPM]);
}

/* The sum minus one's own part would be the neighbour's. */
TEST_F(channels, aggregates_of_two)
{
	char text[256];
	int i;

	ASSERT_LT(0, neighbour_opens(NEIGHBOUR));
	ASSERT_EQ(0, neighbours_launch(FOR_EVER));
	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	ASSERT_EQ(0, wait_for_epochs());
	for (i = 0; i < AGGREGATES; i++) {
		EXPECT_EQ(-EACCES, read_text(aggregates[i], text, 64));
		EXPECT_EQ(0, root_reads(aggregates[i], text));
	}
	ASSERT_EQ(0, get_device(self));
	EXPECT_EQ(NULL, self->answer.rows[0][SIMGPU_A_DEVICE_STP_PPM]);
	EXPECT_EQ(NULL, self->answer.rows[0][SIMGPU_A_DEVICE_ANTT_PPM]);
	EXPECT_EQ(NULL, self->answer.rows[0][SIMGPU_A_DEVICE_FAIRNESS_PPM]);
	EXPECT_EQ(NULL, self->answer.rows[0][SIMGPU_A_DEVICE_NP_DOUBTS]);
}

/*
 * Who they are about is who worked in the epoch that they are of, however soon a neighbour
 * comes or goes. Device time nearly stands still meanwhile, so no other epoch ends.
 */
TEST_F(channels, aggregates_while_another_comes_and_goes)
{
	char text[64];
	int i;

	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	ASSERT_EQ(0, wait_for_epochs());
	ASSERT_EQ(0, root_writes(SYSFS "pace", "0.000001"));
	ASSERT_LT(0, neighbour_opens(NEIGHBOUR));
	ASSERT_EQ(0, neighbours_launch(FOR_EVER));
	EXPECT_EQ(0, read_text(SYSFS "stp", text, sizeof(text)));
	ASSERT_EQ(0, root_writes(SYSFS "pace", "0"));
	ASSERT_EQ(0, wait_for_epochs());
	ASSERT_EQ(0, root_writes(SYSFS "pace", "0.000001"));
	ASSERT_EQ(0, neighbours_leave());
	for (i = 0; i < AGGREGATES; i++)
		EXPECT_EQ(-EACCES, read_text(aggregates[i], text, 64));
	ASSERT_EQ(0, get_device(self));
	EXPECT_EQ(NULL, self->answer.rows[0][SIMGPU_A_DEVICE_STP_PPM]);
	ASSERT_EQ(0, root_writes(SYSFS "pace", "0"));
	ASSERT_EQ(0, wait_for_epochs());
	EXPECT_EQ(0, read_text(SYSFS "stp", text, sizeof(text)));
}

/* What all hold, before and after: it would tell what a neighbour has uploaded. */
TEST_F(channels, memory_of_another)
{
	char text[256];

	EXPECT_EQ(-EACCES, read_text(SYSFS "bytes_held", text, 64));
	EXPECT_EQ(0, root_reads(SYSFS "bytes_held", text));
	ASSERT_EQ(0, get_device(self));
	EXPECT_NE(NULL, self->answer.rows[0][SIMGPU_A_DEVICE_POLICY]);
	EXPECT_EQ(NULL, self->answer.rows[0][SIMGPU_A_DEVICE_BYTES_HELD]);
}

/* Three tenants of one other user are one user's; of three users, a crowd. */
TEST_F(channels, aggregates_of_a_crowd)
{
	char text[64];
	int i;

	for (i = 0; i < 3; i++)
		ASSERT_LT(0, neighbour_opens(NEIGHBOUR));
	ASSERT_EQ(0, neighbours_launch(FOR_EVER));
	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	ASSERT_EQ(0, wait_for_epochs());
	EXPECT_EQ(-EACCES, read_text(SYSFS "stp", text, sizeof(text)));
	ASSERT_EQ(0, neighbours_leave());
	for (i = 0; i < 3; i++)
		ASSERT_LT(0, neighbour_opens(NEIGHBOUR + i));
	ASSERT_EQ(0, neighbours_launch(FOR_EVER));
	ASSERT_EQ(0, wait_for_epochs());
	for (i = 0; i < AGGREGATES; i++)
		EXPECT_EQ(0, read_text(aggregates[i], text, sizeof(text)));
	ASSERT_EQ(0, get_device(self));
	EXPECT_NE(NULL, self->answer.rows[0][SIMGPU_A_DEVICE_STP_PPM]);
}

/* What a policy gives to a tenant follows what that does. */
TEST_F(channels, sms_of_another)
{
	static const char * const files[] = {
		"sms", "shared_sms", "held", "waits_for", "np", "class", "ipc", "rbh",
		"bandwidth", "llc_mpki", "queues", "sm_list", "shared_sm_list",
		"blocks", "energy_joules", "sm_mask", "channel_mask",
		"llc_way_mask",
	};
	struct simgpu_masks masks = {
		.size = sizeof(masks), .channels = 1, .llc_ways = 1,
		.flags = SIMGPU_MASK_SMS | SIMGPU_MASK_CHANNELS |
			 SIMGPU_MASK_LLC_WAYS,
		.sms = { 1 },
	};
	const int count = sizeof(files) / sizeof(*files);
	long id = neighbour_opens(NEIGHBOUR);
	struct nlattr **row = self->answer.rows[0];
	char text[64];
	int i;

	ASSERT_LT(0, id);
	/* What is of masks has something to show. */
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_MASKS, &masks));
	ASSERT_EQ(0, neighbours_launch(FOR_EVER));
	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	ASSERT_EQ(0, wait_for_epochs());
	for (i = 0; i < count; i++) {
		EXPECT_EQ(-EACCES,
			  read_text(tenant_file(id, files[i]), text, 64)) {
			TH_LOG("%s", files[i]);
		}
		EXPECT_EQ(0, read_text(tenant_file(self->id, files[i]), text,
				       64)) {
			TH_LOG("%s", files[i]);
		}
	}
	ASSERT_EQ(0, get_tenant(self->sock, self->family, id, &self->answer));
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_SMS]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_SHARED_SMS]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_HELD]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_CLASS]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_QUEUES]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_SM_LIST]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_SHARED_SM_LIST]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_BLOCKS]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_ENERGY_PJ]);
	EXPECT_NE(NULL, row[SIMGPU_A_TENANT_WEIGHT]);
	answer_free(&self->answer);
	ASSERT_EQ(0, get_tenant(self->sock, self->family, self->id,
				&self->answer));
	EXPECT_NE(NULL, row[SIMGPU_A_TENANT_SMS]);
	EXPECT_NE(NULL, row[SIMGPU_A_TENANT_CLASS]);
	EXPECT_NE(NULL, row[SIMGPU_A_TENANT_QUEUES]);
	EXPECT_NE(NULL, row[SIMGPU_A_TENANT_SM_LIST]);
	EXPECT_NE(NULL, row[SIMGPU_A_TENANT_ENERGY_PJ]);
}

/* Less one's own it is what others have done. */
TEST_F(channels, energy_of_all)
{
	static const char * const files[] = {
		SYSFS "energy_joules", SYSFS "static_joules",
		SYSFS "instructions_per_watt", SYSFS "instructions_per_joule",
	};
	struct nlattr **row = self->answer.rows[0];
	char text[256];
	int i;

	ASSERT_LT(0, neighbour_opens(NEIGHBOUR));
	ASSERT_EQ(0, neighbours_launch(FOR_EVER));
	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	ASSERT_EQ(0, wait_for_epochs());
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-EACCES, read_text(files[i], text, sizeof(text)));
		EXPECT_EQ(0, root_reads(files[i], text));
	}
	ASSERT_EQ(0, get_device(self));
	EXPECT_EQ(NULL, row[SIMGPU_A_DEVICE_ENERGY_PJ]);
	EXPECT_EQ(NULL, row[SIMGPU_A_DEVICE_STATIC_PJ]);
	EXPECT_EQ(NULL, row[SIMGPU_A_DEVICE_INSTRUCTIONS_PER_WATT]);
}

static int any_sequence(struct nl_msg *message, void *context)
{
	return NL_OK;
}

/* Everybody may listen to the group of settings. */
TEST_F(channels, aggregates_of_the_group)
{
	struct nlattr **row = self->answer.rows[0];
	struct nl_cb *cb;
	int group;

	ASSERT_LT(0, neighbour_opens(NEIGHBOUR));
	ASSERT_EQ(0, neighbours_launch(FOR_EVER));
	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	ASSERT_EQ(0, wait_for_epochs());
	group = genl_ctrl_resolve_grp(self->sock, SIMGPU_FAMILY_NAME,
				      SIMGPU_MCGRP_SETTINGS);
	ASSERT_LT(0, group);
	ASSERT_EQ(0, nl_socket_add_membership(self->sock, group));
	ASSERT_EQ(0, root_writes(SYSFS "epoch_cycles", "10000"));
	cb = nl_cb_alloc(NL_CB_DEFAULT);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, any_sequence, NULL);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, take_message, &self->answer);
	ASSERT_LE(0, nl_recvmsgs(self->sock, cb));
	nl_cb_put(cb);
	ASSERT_EQ(1, self->answer.count);
	EXPECT_NE(NULL, row[SIMGPU_A_DEVICE_POLICY]);
	EXPECT_EQ(NULL, row[SIMGPU_A_DEVICE_STP_PPM]);
	EXPECT_EQ(NULL, row[SIMGPU_A_DEVICE_ENERGY_PJ]);
}

TEST_HARNESS_MAIN

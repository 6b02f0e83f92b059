// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: what a get and a dump tell, what a set changes
 * and refuses, who may do so, and that the groups carry every epoch and change.
 * With libnl, as any program would.
 */
#include <poll.h>
#include <sys/wait.h>

#include "harness.h"
#include "netlink_calls.h"

/* A list with one parameter. */
static void put_param(struct nl_msg *message, int list, const char *name,
		      uint64_t value)
{
	struct nlattr *params = nla_nest_start(message, list);
	struct nlattr *param = nla_nest_start(message, SIMGPU_A_PARAMS_PARAM);

	nla_put_string(message, SIMGPU_A_PARAM_NAME, name);
	nla_put_u64(message, SIMGPU_A_PARAM_VALUE, value);
	nla_nest_end(message, param);
	nla_nest_end(message, params);
}

FIXTURE(netlink)
{
	struct nl_sock *sock;
	int family;
	struct answer answer;
	char policy[64];
	char epoch_cycles[64];
};

FIXTURE_SETUP(netlink)
{
	self->sock = connect_family(&self->family);
	ASSERT_NE(NULL, self->sock);
	ASSERT_LT(0, self->family);
	ASSERT_EQ(0, read_text(SYSFS "policy", self->policy, 64));
	ASSERT_EQ(0, read_text(SYSFS "epoch_cycles", self->epoch_cycles, 64));
}

FIXTURE_TEARDOWN(netlink)
{
	answer_free(&self->answer);
	nl_socket_free(self->sock);
	EXPECT_EQ(0, write_text(SYSFS "policy", self->policy));
	EXPECT_EQ(0, write_text(SYSFS "epoch_cycles", self->epoch_cycles));
}

TEST_F(netlink, device_get)
{
	struct nl_msg *message = request(self->family, SIMGPU_CMD_DEVICE_GET,
					 NLM_F_ACK);
	struct nlattr **row = self->answer.rows[0];

	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	ASSERT_EQ(0, transact(self->sock, message, &self->answer));
	ASSERT_EQ(1, self->answer.count);
	EXPECT_EQ(SIMGPU_CMD_DEVICE_GET, self->answer.commands[0]);
	ASSERT_NE(NULL, row[SIMGPU_A_DEVICE_CONFIG]);
	EXPECT_STREQ("hbm80", nla_get_string(row[SIMGPU_A_DEVICE_CONFIG]));
	ASSERT_NE(NULL, row[SIMGPU_A_DEVICE_POLICY]);
	EXPECT_STREQ(self->policy,
		     nla_get_string(row[SIMGPU_A_DEVICE_POLICY]));
	ASSERT_NE(NULL, row[SIMGPU_A_DEVICE_EPOCH_CYCLES]);
	EXPECT_EQ(strtoull(self->epoch_cycles, NULL, 10),
		  nla_get_u64(row[SIMGPU_A_DEVICE_EPOCH_CYCLES]));
	ASSERT_NE(NULL, row[SIMGPU_A_DEVICE_BYTES_HELD]);
	ASSERT_NE(NULL, row[SIMGPU_A_DEVICE_PACE_PPM]);
	EXPECT_EQ(0, nla_get_u64(row[SIMGPU_A_DEVICE_PACE_PPM]));
	ASSERT_NE(NULL, row[SIMGPU_A_DEVICE_SAMPLED]);
	EXPECT_EQ(0, nla_get_u32(row[SIMGPU_A_DEVICE_SAMPLED]));
	ASSERT_NE(NULL, row[SIMGPU_A_DEVICE_LEAPS]);
	EXPECT_EQ(read_number(SYSFS "leaps"),
		  nla_get_u64(row[SIMGPU_A_DEVICE_LEAPS]));
	ASSERT_NE(NULL, row[SIMGPU_A_DEVICE_LEAPT_CYCLES]);
	EXPECT_EQ(read_number(SYSFS "leapt_cycles"),
		  nla_get_u64(row[SIMGPU_A_DEVICE_LEAPT_CYCLES]));
}

TEST_F(netlink, device_dump)
{
	struct nl_msg *message = request(self->family, SIMGPU_CMD_DEVICE_GET,
					 NLM_F_DUMP);
	int i, devices = 0;

	ASSERT_EQ(0, transact(self->sock, message, &self->answer));
	for (i = 0; i < self->answer.count; i++) {
		ASSERT_NE(NULL, self->answer.rows[i][SIMGPU_A_DEVICE_INDEX]);
		if (!nla_get_u32(self->answer.rows[i][SIMGPU_A_DEVICE_INDEX]))
			devices++;
	}
	EXPECT_EQ(1, devices);
}

TEST_F(netlink, device_that_is_none)
{
	struct nl_msg *message = request(self->family, SIMGPU_CMD_DEVICE_GET,
					 NLM_F_ACK);

	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 4000000000U);
	EXPECT_EQ(-ENODEV, transact(self->sock, message, &self->answer));
	message = request(self->family, SIMGPU_CMD_DEVICE_GET, NLM_F_ACK);
	EXPECT_EQ(-EINVAL, transact(self->sock, message, &self->answer));
}

TEST_F(netlink, device_set)
{
	struct nl_msg *message = request(self->family, SIMGPU_CMD_DEVICE_SET,
					 NLM_F_ACK);
	char text[64];

	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	nla_put_string(message, SIMGPU_A_DEVICE_POLICY, "hsm-fair");
	nla_put_u64(message, SIMGPU_A_DEVICE_EPOCH_CYCLES, 20000);
	put_param(message, SIMGPU_A_DEVICE_POLICY_PARAMS, "fair_threshold",
		  770000);
	nla_put_u64(message, SIMGPU_A_DEVICE_PACE_PPM, 2500000);
	nla_put_u32(message, SIMGPU_A_DEVICE_SAMPLED, 7);
	EXPECT_EQ(0, transact(self->sock, message, &self->answer));
	EXPECT_EQ(0, read_text(SYSFS "pace", text, 64));
	EXPECT_STREQ("2.500000", text);
	EXPECT_EQ(0, write_text(SYSFS "pace", "0"));
	EXPECT_EQ(7, read_number(SYSFS "sampled"));
	EXPECT_EQ(0, write_text(SYSFS "sampled", "0"));
	EXPECT_EQ(0, read_text(SYSFS "policy", text, 64));
	EXPECT_STREQ("hsm-fair", text);
	EXPECT_EQ(20000, read_number(SYSFS "epoch_cycles"));
	EXPECT_EQ(0, read_text(SYSFS "policy_params/fair_threshold", text, 64));
	EXPECT_STREQ("0.770000", text);
}

/* The value of a parameter in a message; UINT64_MAX if it is not there. */
static uint64_t param_of(struct nlattr *list, const char *name)
{
	struct nlattr *param, *attrs[SIMGPU_A_PARAM_MAX + 1];
	int left;

	if (!list)
		return UINT64_MAX;
	nla_for_each_nested(param, list, left) {
		nla_parse_nested(attrs, SIMGPU_A_PARAM_MAX, param, NULL);
		if (!strcmp(nla_get_string(attrs[SIMGPU_A_PARAM_NAME]), name))
			return nla_get_u64(attrs[SIMGPU_A_PARAM_VALUE]);
	}
	return UINT64_MAX;
}

static struct nlattr **get_device(struct nl_sock *sock, int family,
				  struct answer *answer)
{
	struct nl_msg *message = request(family, SIMGPU_CMD_DEVICE_GET,
					 NLM_F_ACK);

	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	if (transact(sock, message, answer) || answer->count != 1)
		return NULL;
	return answer->rows[0];
}

/* Parameters are those of the new policy and model; without values the first ones. */
TEST_F(netlink, params)
{
	struct nl_msg *message = request(self->family, SIMGPU_CMD_DEVICE_SET,
					 NLM_F_ACK);
	struct nlattr **row;

	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	nla_put_string(message, SIMGPU_A_DEVICE_POLICY, "hsm-qos");
	nla_put_string(message, SIMGPU_A_DEVICE_MODEL, "hsm");
	put_param(message, SIMGPU_A_DEVICE_POLICY_PARAMS, "qos_margin", 250000);
	put_param(message, SIMGPU_A_DEVICE_MODEL_PARAMS, "c1", 123456);
	ASSERT_EQ(0, transact(self->sock, message, &self->answer));
	row = get_device(self->sock, self->family, &self->answer);
	ASSERT_NE(NULL, row);
	EXPECT_EQ(250000, param_of(row[SIMGPU_A_DEVICE_POLICY_PARAMS],
				   "qos_margin"));
	EXPECT_EQ(0, param_of(row[SIMGPU_A_DEVICE_POLICY_PARAMS],
				   "qos_guard"));
	EXPECT_EQ(123456, param_of(row[SIMGPU_A_DEVICE_MODEL_PARAMS], "c1"));
	answer_free(&self->answer);
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	ASSERT_EQ(0, write_text(SYSFS "model", "hsm"));
	row = get_device(self->sock, self->family, &self->answer);
	ASSERT_NE(NULL, row);
	EXPECT_EQ(UINT64_MAX, param_of(row[SIMGPU_A_DEVICE_POLICY_PARAMS],
				       "qos_margin"));
	EXPECT_NE(123456, param_of(row[SIMGPU_A_DEVICE_MODEL_PARAMS], "c1"));
}

/* A write that was refused, and why. */
TEST_F(netlink, refusal)
{
	struct nlattr *refusal[SIMGPU_A_REFUSAL_MAX + 1], **row;
	struct nl_msg *message = request(self->family, SIMGPU_CMD_DEVICE_SET,
					 NLM_F_ACK);

	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	put_param(message, SIMGPU_A_DEVICE_MODEL_PARAMS, "c2", 1000001);
	EXPECT_EQ(-EINVAL, transact(self->sock, message, &self->answer));
	row = get_device(self->sock, self->family, &self->answer);
	ASSERT_NE(NULL, row);
	ASSERT_NE(NULL, row[SIMGPU_A_DEVICE_REFUSAL]);
	ASSERT_EQ(0, nla_parse_nested(refusal, SIMGPU_A_REFUSAL_MAX,
				      row[SIMGPU_A_DEVICE_REFUSAL], NULL));
	EXPECT_EQ(SIMGPU_REFUSAL_PARAM,
		  nla_get_u32(refusal[SIMGPU_A_REFUSAL_KIND]));
	EXPECT_EQ(-EINVAL, nla_get_s32(refusal[SIMGPU_A_REFUSAL_CODE]));
	EXPECT_EQ(NULL, refusal[SIMGPU_A_REFUSAL_SLOT]);
	EXPECT_STREQ("c2", nla_get_string(refusal[SIMGPU_A_REFUSAL_FIELD]));
	EXPECT_STREQ("the value is out of the parameter's range",
		     nla_get_string(refusal[SIMGPU_A_REFUSAL_REASON]));
}

/* Sets that are refused, and leave what they name well beside it. */
FIXTURE(refused_set)
{
	struct nl_sock *sock;
	int family;
};

FIXTURE_VARIANT(refused_set)
{
	int attribute;
	const char *param;
	bool is_text;
	const char *text;
	uint64_t number;
};

FIXTURE_VARIANT_ADD(refused_set, unknown_policy)
{
	.attribute = SIMGPU_A_DEVICE_POLICY, .is_text = true,
	.text = "no-such",
};

FIXTURE_VARIANT_ADD(refused_set, unknown_model)
{
	.attribute = SIMGPU_A_DEVICE_MODEL, .is_text = true, .text = "",
};

FIXTURE_VARIANT_ADD(refused_set, short_epoch)
{
	.attribute = SIMGPU_A_DEVICE_EPOCH_CYCLES, .number = 9999,
};

FIXTURE_VARIANT_ADD(refused_set, no_epoch)
{
	.attribute = SIMGPU_A_DEVICE_EPOCH_CYCLES, .number = 0,
};

FIXTURE_VARIANT_ADD(refused_set, big_slope)
{
	.param = "c1", .number = 1000001,
};

FIXTURE_VARIANT_ADD(refused_set, unknown_param)
{
	.param = "no-such", .number = 1,
};

FIXTURE_VARIANT_ADD(refused_set, short_hold)
{
	.attribute = SIMGPU_A_DEVICE_HOLD_CYCLES, .number = 9999,
};

FIXTURE_VARIANT_ADD(refused_set, late_decisions)
{
	.attribute = SIMGPU_A_DEVICE_DECISION_CYCLES, .number = 1000000001,
};

FIXTURE_VARIANT_ADD(refused_set, loud_counters)
{
	.attribute = SIMGPU_A_DEVICE_COUNTER_NOISE, .number = 101,
};

FIXTURE_VARIANT_ADD(refused_set, old_counters)
{
	.attribute = SIMGPU_A_DEVICE_COUNTER_DELAY, .number = 17,
};

FIXTURE_VARIANT_ADD(refused_set, rough_samples)
{
	.attribute = SIMGPU_A_DEVICE_SAMPLED, .number = 51,
};

FIXTURE_VARIANT_ADD(refused_set, more_than_a_processor)
{
	.attribute = SIMGPU_A_DEVICE_CPU_PERCENT, .number = 101,
};

FIXTURE_VARIANT_ADD(refused_set, too_fast)
{
	.attribute = SIMGPU_A_DEVICE_PACE_PPM, .number = 1000000001,
};

FIXTURE_VARIANT_ADD(refused_set, read_only)
{
	.attribute = SIMGPU_A_DEVICE_SEED, .number = 1,
};

FIXTURE_VARIANT_ADD(refused_set, unknown_attribute)
{
	.attribute = 60, .number = 1,
};

FIXTURE_SETUP(refused_set)
{
	self->sock = connect_family(&self->family);
	ASSERT_NE(NULL, self->sock);
}

FIXTURE_TEARDOWN(refused_set)
{
	nl_socket_free(self->sock);
}

TEST_F(refused_set, changes_nothing)
{
	struct nl_msg *message = request(self->family, SIMGPU_CMD_DEVICE_SET,
					 NLM_F_ACK);
	char before[64], after[64];
	struct answer answer;

	ASSERT_EQ(0, read_text(SYSFS "epoch_cycles", before, 64));
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	if (variant->attribute != SIMGPU_A_DEVICE_EPOCH_CYCLES)
		nla_put_u64(message, SIMGPU_A_DEVICE_EPOCH_CYCLES, 123456);
	if (variant->param)
		put_param(message, SIMGPU_A_DEVICE_MODEL_PARAMS, variant->param,
			  variant->number);
	else if (variant->is_text)
		nla_put_string(message, variant->attribute, variant->text);
	else if (variant->attribute == SIMGPU_A_DEVICE_CPU_PERCENT ||
		 variant->attribute == SIMGPU_A_DEVICE_SAMPLED)
		nla_put_u32(message, variant->attribute, variant->number);
	else
		nla_put_u64(message, variant->attribute, variant->number);
	EXPECT_EQ(-EINVAL, transact(self->sock, message, &answer));
	answer_free(&answer);
	EXPECT_EQ(0, read_text(SYSFS "epoch_cycles", after, 64));
	EXPECT_STREQ(before, after);
}

TEST_F(netlink, tenant)
{
	int fd = open_device();
	unsigned long id = newest_tenant();
	struct nlattr **row = self->answer.rows[0];

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_tenant(fd, "seen", SIMGPU_SERVICE_QOS, 5, 600000));
	ASSERT_EQ(0, get_tenant(self->sock, self->family, id, &self->answer));
	ASSERT_EQ(1, self->answer.count);
	EXPECT_STREQ("seen", nla_get_string(row[SIMGPU_A_TENANT_NAME]));
	EXPECT_EQ(getpid(), nla_get_u32(row[SIMGPU_A_TENANT_PID]));
	EXPECT_EQ(5, nla_get_u32(row[SIMGPU_A_TENANT_WEIGHT]));
	EXPECT_EQ(SIMGPU_SERVICE_QOS, nla_get_u32(row[SIMGPU_A_TENANT_SERVICE]));
	EXPECT_EQ(600000, nla_get_u64(row[SIMGPU_A_TENANT_TARGET_PPM]));
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_SLOT]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_NP_PPM]);
	answer_free(&self->answer);

	EXPECT_EQ(0, set_weight(self->sock, self->family, id, 77));
	EXPECT_EQ(-EINVAL, set_weight(self->sock, self->family, id, 0));
	EXPECT_EQ(-EINVAL, set_weight(self->sock, self->family, id, 1001));
	ASSERT_EQ(0, get_tenant(self->sock, self->family, id, &self->answer));
	EXPECT_EQ(77, nla_get_u32(row[SIMGPU_A_TENANT_WEIGHT]));
	close(fd);
	answer_free(&self->answer);
	EXPECT_EQ(-ENOENT, get_tenant(self->sock, self->family, id,
				      &self->answer));
}

/* A number of a queue in a message; -1 if it is not there. */
static int queue_word(struct nlattr *queues, int queue, int attribute)
{
	struct nlattr *at, *attrs[SIMGPU_A_QUEUE_MAX + 1];
	int left;

	if (!queues)
		return -1;
	nla_for_each_nested(at, queues, left) {
		nla_parse_nested(attrs, SIMGPU_A_QUEUE_MAX, at, NULL);
		if ((int)nla_get_u32(attrs[SIMGPU_A_QUEUE_NUMBER]) == queue)
			return nla_get_s32(attrs[attribute]);
	}
	return -1;
}

TEST_F(netlink, queues)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .repeats = UINT64_MAX, .queue = 3,
	};
	struct nlattr **row = self->answer.rows[0], *queues;
	int fd = open_device();
	unsigned long id = newest_tenant();
	struct built_trace trace;
	uint32_t handle;
	int tries = 0;

	ASSERT_LE(0, fd);
	build_compute(&trace, 8, 1000);
	ASSERT_EQ(0, upload(fd, &trace, &handle));
	ASSERT_EQ(0, get_tenant(self->sock, self->family, id, &self->answer));
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_QUEUES]);
	answer_free(&self->answer);
	cmd.handle = handle;
	ASSERT_EQ(0, call(fd, SIMGPU_IOC_LAUNCH, &cmd));
	ASSERT_EQ(0, call(fd, SIMGPU_IOC_LAUNCH, &cmd));
	do {
		sleep_ms(10);
		answer_free(&self->answer);
		ASSERT_EQ(0, get_tenant(self->sock, self->family, id,
					&self->answer));
		queues = row[SIMGPU_A_TENANT_QUEUES];
	} while (queue_word(queues, 3, SIMGPU_A_QUEUE_STATE) !=
		 SIMGPU_QUEUE_RUNNING && tries++ < 1000);
	EXPECT_EQ(SIMGPU_QUEUE_EMPTY,
		  queue_word(queues, 0, SIMGPU_A_QUEUE_STATE));
	EXPECT_EQ(SIMGPU_QUEUE_RUNNING,
		  queue_word(queues, 3, SIMGPU_A_QUEUE_STATE));
	EXPECT_EQ(1, queue_word(queues, 3, SIMGPU_A_QUEUE_WAITING));
	EXPECT_EQ(0, queue_word(queues, 3, SIMGPU_A_QUEUE_PRIORITY));
	EXPECT_EQ(-1, queue_word(queues, 4, SIMGPU_A_QUEUE_STATE));
	close(fd);
}

static void put_rule(struct nl_msg *message, uint64_t id, uint32_t weight,
		     uint32_t slots)
{
	struct nlattr *rules = nla_nest_start(message, SIMGPU_A_DEVICE_CGROUPS);
	struct nlattr *rule = nla_nest_start(message, SIMGPU_A_CGROUPS_CGROUP);

	nla_put_u64(message, SIMGPU_A_CGROUP_ID, id);
	nla_put_u32(message, SIMGPU_A_CGROUP_WEIGHT, weight);
	nla_put_u32(message, SIMGPU_A_CGROUP_SLOTS, slots);
	nla_nest_end(message, rule);
	nla_nest_end(message, rules);
}

/* Rules for cgroups by netlink and by sysfs are the same. */
TEST_F(netlink, cgroups)
{
	struct nlattr **row = self->answer.rows[0];
	struct nl_msg *message;
	char text[64];

	message = request(self->family, SIMGPU_CMD_DEVICE_SET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	put_rule(message, 7, 5, 3);
	ASSERT_EQ(0, transact(self->sock, message, &self->answer));
	answer_free(&self->answer);
	ASSERT_EQ(0, read_text(SYSFS "cgroups", text, sizeof(text)));
	EXPECT_STREQ("7 weight=5 slots=3", text);
	message = request(self->family, SIMGPU_CMD_DEVICE_GET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	ASSERT_EQ(0, transact(self->sock, message, &self->answer));
	ASSERT_EQ(1, self->answer.count);
	ASSERT_NE(NULL, row[SIMGPU_A_DEVICE_CGROUPS]);
	EXPECT_LT(0, nla_len(row[SIMGPU_A_DEVICE_CGROUPS]));
	answer_free(&self->answer);

	/* Not together with others, and not beyond what there is. */
	message = request(self->family, SIMGPU_CMD_DEVICE_SET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	nla_put_string(message, SIMGPU_A_DEVICE_POLICY, "even");
	put_rule(message, 7, 6, 3);
	EXPECT_EQ(-EINVAL, transact(self->sock, message, &self->answer));
	message = request(self->family, SIMGPU_CMD_DEVICE_SET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	put_rule(message, 7, 5, 65);
	EXPECT_EQ(-EINVAL, transact(self->sock, message, &self->answer));
	ASSERT_EQ(0, write_text(SYSFS "cgroups", "7"));
	ASSERT_EQ(0, read_text(SYSFS "cgroups", text, sizeof(text)));
	EXPECT_STREQ("", text);
}

/* As many as there may be fit into a message. */
TEST_F(netlink, many_cgroups)
{
	struct nl_msg *message;
	char text[64];
	int i;

	for (i = 0; i < 32; i++) {
		snprintf(text, sizeof(text), "%llu weight=1000 slots=63",
			 ~0ULL - i);
		ASSERT_EQ(0, write_text(SYSFS "cgroups", text));
	}
	EXPECT_EQ(-ENOSPC, write_text(SYSFS "cgroups", "1 weight=1"));
	message = request(self->family, SIMGPU_CMD_DEVICE_GET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	ASSERT_EQ(0, transact(self->sock, message, &self->answer));
	EXPECT_EQ(1, self->answer.count);
	for (i = 0; i < 32; i++) {
		snprintf(text, sizeof(text), "%llu", ~0ULL - i);
		EXPECT_EQ(0, write_text(SYSFS "cgroups", text));
	}
}

TEST_F(netlink, tenant_dump_finds_all)
{
	struct nl_msg *message;
	int fds[50], i, found = 0;
	unsigned long first = 0;

	for (i = 0; i < 50; i++) {
		fds[i] = open_device();
		ASSERT_LE(0, fds[i]);
		if (!i)
			first = newest_tenant();
	}
	message = request(self->family, SIMGPU_CMD_TENANT_GET, NLM_F_DUMP);
	EXPECT_EQ(0, transact(self->sock, message, &self->answer));
	for (i = 0; i < self->answer.count; i++)
		if (nla_get_u64(self->answer.rows[i][SIMGPU_A_TENANT_ID]) ==
		    first + found)
			found++;
	EXPECT_EQ(50, found);
	for (i = 0; i < 50; i++)
		close(fds[i]);
}

/* Joins a group; the sock's messages go to @answer from then on. */
static int join(struct nl_sock *sock, const char *group, struct answer *answer)
{
	int id = genl_ctrl_resolve_grp(sock, SIMGPU_FAMILY_NAME, group);

	memset(answer, 0, sizeof(*answer));
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, take_message,
			    answer);
	return id < 0 ? id : nl_socket_add_membership(sock, id);
}

/* Takes messages until there are @count of them, or none comes for long. */
static void listen_for(struct nl_sock *sock, struct answer *answer, int count)
{
	struct pollfd pollfd = { .fd = nl_socket_get_fd(sock),
				 .events = POLLIN };

	while (answer->count < count && poll(&pollfd, 1, 20000) == 1)
		nl_recvmsgs_default(sock);
}

static void expect_epoch(struct __test_metadata *_metadata,
			 struct nlattr **row, uint64_t index)
{
	struct nlattr *tenant[ATTRIBUTES_MAX], *counters[ATTRIBUTES_MAX];

	ASSERT_NE(NULL, row[SIMGPU_A_EPOCH_INDEX]);
	EXPECT_EQ(index, nla_get_u64(row[SIMGPU_A_EPOCH_INDEX]));
	EXPECT_EQ(10000 * (index + 1),
		  nla_get_u64(row[SIMGPU_A_EPOCH_END_CYCLE]));
	ASSERT_NE(NULL, row[SIMGPU_A_EPOCH_TENANT]);
	nla_parse_nested(tenant, ATTRIBUTES_MAX - 1,
			 row[SIMGPU_A_EPOCH_TENANT], NULL);
	EXPECT_EQ(80, nla_get_u32(tenant[SIMGPU_A_EPOCH_TENANT_SMS]));
	EXPECT_EQ(80, nla_get_u32(tenant[SIMGPU_A_EPOCH_TENANT_SMS_NEXT]));
	ASSERT_NE(NULL, tenant[SIMGPU_A_EPOCH_TENANT_NP_PPM]);
	EXPECT_EQ(1000000, nla_get_u64(tenant[SIMGPU_A_EPOCH_TENANT_NP_PPM]));
	nla_parse_nested(counters, ATTRIBUTES_MAX - 1,
			 tenant[SIMGPU_A_EPOCH_TENANT_COUNTERS], NULL);
	EXPECT_EQ(800000,
		  nla_get_u64(counters[SIMGPU_A_COUNTERS_SM_CYCLES]));
	EXPECT_LT(0, nla_get_u64(counters[SIMGPU_A_COUNTERS_THREAD_INSTRUCTIONS]));
}

/* A gang with one compute-bound member that runs so many cycles. */
static int run_gang(uint64_t cycles)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .epoch_cycles = 10000,
		.stop_cycle = cycles, .flags = SIMGPU_GANG_RELAUNCH,
	};
	struct built_trace trace;
	int fd = open_device(), ret;
	uint64_t sequence;
	uint32_t handle;

	build_compute(&trace, 800, 1000);
	ret = call(fd, SIMGPU_IOC_GANG_CREATE, &create);
	ret = ret ?: gang_join(fd, create.fd, 0);
	ret = ret ?: upload(fd, &trace, &handle);
	ret = ret ?: launch(fd, handle, 1000000, &sequence);
	ret = ret ?: wait_launch(fd, sequence, PATIENCE_NS);
	close(create.fd);
	close(fd);
	return ret;
}

TEST_F(netlink, every_epoch)
{
	struct nlattr **row;
	int i;

	ASSERT_EQ(0, join(self->sock, SIMGPU_MCGRP_EPOCHS, &self->answer));
	ASSERT_EQ(0, run_gang(200000));
	listen_for(self->sock, &self->answer, 20);
	ASSERT_EQ(20, self->answer.count);
	for (i = 0; i < 20; i++) {
		row = self->answer.rows[i];
		EXPECT_EQ(SIMGPU_CMD_EPOCH_NTF, self->answer.commands[i]);
		expect_epoch(_metadata, row, i);
	}
}

TEST_F(netlink, last_epoch)
{
	struct nl_msg *message;

	ASSERT_EQ(0, run_gang(50000));
	message = request(self->family, SIMGPU_CMD_EPOCH_GET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_EPOCH_DEVICE, 0);
	ASSERT_EQ(0, transact(self->sock, message, &self->answer));
	ASSERT_EQ(1, self->answer.count);
	expect_epoch(_metadata, self->answer.rows[0], 4);
}

TEST_F(netlink, changes_are_told)
{
	struct nlattr **row = self->answer.rows[0];
	int fd = open_device();
	char before[64];

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, read_text(SYSFS "policy", before, sizeof(before)));
	ASSERT_EQ(0, join(self->sock, SIMGPU_MCGRP_SETTINGS, &self->answer));
	ASSERT_EQ(0, write_text(SYSFS "policy", "hsm-fair"));
	ASSERT_EQ(0, set_tenant(fd, "renamed", 0, 3, 0));
	listen_for(self->sock, &self->answer, 2);
	ASSERT_EQ(2, self->answer.count);
	EXPECT_EQ(SIMGPU_CMD_DEVICE_NTF, self->answer.commands[0]);
	EXPECT_STREQ("hsm-fair", nla_get_string(row[SIMGPU_A_DEVICE_POLICY]));
	row = self->answer.rows[1];
	EXPECT_EQ(SIMGPU_CMD_TENANT_NTF, self->answer.commands[1]);
	EXPECT_STREQ("renamed", nla_get_string(row[SIMGPU_A_TENANT_NAME]));
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_CLASS]);
	EXPECT_EQ(0, write_text(SYSFS "policy", before));
	close(fd);
}

/* What another user gets: bits of what it was refused. */
#define REFUSED_SET		1
#define REFUSED_WEIGHT		2
#define REFUSED_GROUP		4
#define REFUSED_EPOCH		8
#define REFUSED_COUNTERS	16
#define COULD_NOT_GET		32

static int try_as_another(uint64_t id)
{
	struct answer answer;
	struct nl_msg *message;
	struct nl_sock *sock;
	int family, refused = 0, ret;

	sock = connect_family(&family);
	message = request(family, SIMGPU_CMD_DEVICE_SET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	nla_put_string(message, SIMGPU_A_DEVICE_POLICY, "hsm-fair");
	if (transact(sock, message, &answer) == -EPERM)
		refused |= REFUSED_SET;
	if (set_weight(sock, family, id, 2) == -EPERM)
		refused |= REFUSED_WEIGHT;
	message = request(family, SIMGPU_CMD_EPOCH_GET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_EPOCH_DEVICE, 0);
	ret = transact(sock, message, &answer);
	answer_free(&answer);
	if (ret == -EPERM)
		refused |= REFUSED_EPOCH;
	ret = get_tenant(sock, family, id, &answer);
	if (ret || answer.count != 1)
		refused |= COULD_NOT_GET;
	else if (!answer.rows[0][SIMGPU_A_TENANT_CLASS])
		refused |= REFUSED_COUNTERS;
	if (join(sock, SIMGPU_MCGRP_EPOCHS, &answer))
		refused |= REFUSED_GROUP;
	return refused;
}

TEST_F(netlink, who_may)
{
	int fd = open_device(), status, expected = REFUSED_SET | REFUSED_WEIGHT;
	unsigned long id = newest_tenant();
	char text[8];
	pid_t child;

	ASSERT_EQ(0, read_text("/sys/module/simgpu/parameters/counters_public",
			       text, sizeof(text)));
	if (text[0] != 'Y')
		expected |= REFUSED_GROUP | REFUSED_EPOCH | REFUSED_COUNTERS;
	child = fork();
	if (!child) {
		if (setgid(1234) || setuid(1234))
			_exit(255);
		_exit(try_as_another(id));
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(expected, WEXITSTATUS(status));
	close(fd);
}

/*
 * With the clock held up by a listener that never reads, the device goes on,
 * and the listener learns that it has missed something.
 */
TEST_F(netlink, slow_listener)
{
	ASSERT_EQ(0, join(self->sock, SIMGPU_MCGRP_EPOCHS, &self->answer));
	nl_socket_set_buffer_size(self->sock, 4096, 0);
	ASSERT_EQ(0, run_gang(1000000));
	EXPECT_EQ(-NLE_NOMEM, nl_recvmsgs_default(self->sock));
}

TEST_HARNESS_MAIN

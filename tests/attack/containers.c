// SPDX-License-Identifier: GPL-2.0
/*
 * Containers: cgroups are named, bounded and weighed as a whole, and namespaces
 * neither hide the device nor give rights on it.
 */
#include "attack.h"

#include <sched.h>

#include "../kselftest/harness.h"
#include "../kselftest/netlink_calls.h"

#define CGROUPS		"/sys/fs/cgroup"
#define OUTER		CGROUPS "/simgpu-outer"
#define INNER		OUTER "/inner"
#define FILES		4

FIXTURE(containers)
{
	int fds[FILES];
	unsigned long ids[FILES];
	uint32_t handles[FILES];
	int count;
	unsigned long long outer;
	unsigned long long inner;
	struct built_trace trace;
	char policy[64];
	char epoch_cycles[64];
};

static void remove_rule(unsigned long long id)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", id);
	root_writes(SYSFS "cgroups", text);
}

static void leave_groups(FIXTURE_DATA(containers) *self)
{
	root_group(ROOT_MOVES, CGROUPS, "");
	remove_rule(self->outer);
	remove_rule(self->inner);
	root_group(ROOT_REMOVES_GROUP, INNER, "");
	root_group(ROOT_REMOVES_GROUP, OUTER, "");
}

FIXTURE_SETUP(containers)
{
	struct stat status;

	if (root_group(ROOT_MAKES_GROUP, OUTER, "") ||
	    root_group(ROOT_MAKES_GROUP, INNER, ""))
		SKIP(return, "there is no cgroup v2");
	ASSERT_EQ(0, stat(OUTER, &status));
	self->outer = status.st_ino;
	ASSERT_EQ(0, stat(INNER, &status));
	self->inner = status.st_ino;
	build_stream(&self->trace, 160, 50);
	ASSERT_EQ(0, read_text(SYSFS "policy", self->policy, 64));
	ASSERT_EQ(0, read_text(SYSFS "epoch_cycles", self->epoch_cycles, 64));
	ASSERT_EQ(0, root_writes(SYSFS "policy", "proportional"));
	ASSERT_EQ(0, root_writes(SYSFS "epoch_cycles", "10000"));
}

FIXTURE_TEARDOWN(containers)
{
	while (self->count)
		close(self->fds[--self->count]);
	neighbours_leave();
	leave_groups(self);
	root_writes(SYSFS "policy", self->policy);
	root_writes(SYSFS "epoch_cycles", self->epoch_cycles);
}

/* Another file, opened in a cgroup; 0 or a negative errno. */
static int open_in(FIXTURE_DATA(containers) *self, const char *group)
{
	int i = self->count;
	int ret = root_group(ROOT_MOVES, group, "");

	if (ret)
		return ret;
	self->fds[i] = open_device();
	if (self->fds[i] < 0)
		return -errno;
	self->count++;
	self->ids[i] = newest_tenant();
	return upload(self->fds[i], &self->trace, &self->handles[i]);
}

static int launch_for_ever(FIXTURE_DATA(containers) *self, int i)
{
	return launch(self->fds[i], self->handles[i], FOR_EVER, NULL);
}

static int set_rule(unsigned long long id, const char *what)
{
	char text[64];

	snprintf(text, sizeof(text), "%llu %s", id, what);
	return root_writes(SYSFS "cgroups", text);
}

static unsigned long long inode_of(unsigned long id)
{
	return read_number(tenant_file(id, "cgroup_id"));
}

TEST_F(containers, are_named)
{
	struct answer answer;
	struct nl_sock *sock;
	char text[64];
	int family = 0;

	ASSERT_EQ(0, open_in(self, OUTER));
	ASSERT_EQ(0, open_in(self, INNER));
	EXPECT_EQ(self->outer, inode_of(self->ids[0]));
	EXPECT_EQ(self->inner, inode_of(self->ids[1]));
	ASSERT_EQ(0, read_text(tenant_file(self->ids[1], "cgroup"), text, 64));
	EXPECT_STREQ("/simgpu-outer/inner", text);
	sock = connect_family(&family);
	ASSERT_EQ(0, get_tenant(sock, family, self->ids[1], &answer));
	EXPECT_EQ(self->inner,
		  nla_get_u64(answer.rows[0][SIMGPU_A_TENANT_CGROUP_ID]));
	EXPECT_STREQ("/simgpu-outer/inner",
		     nla_get_string(answer.rows[0][SIMGPU_A_TENANT_CGROUP]));
	answer_free(&answer);
	nl_socket_free(sock);
}

/* So that who reads a gang's epochs knows whose they are. */
TEST_F(containers, are_named_in_epochs)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .epoch_cycles = 10000,
		.stop_cycle = 30000, .flags = SIMGPU_GANG_RELAUNCH,
	};
	struct full_record record;

	ASSERT_EQ(0, open_in(self, INNER));
	let_everybody_make_gangs();
	ASSERT_EQ(0, call(self->fds[0], SIMGPU_IOC_GANG_CREATE, &create));
	root_writes(SYSFS "gang_makers", "privileged");
	ASSERT_EQ(0, gang_join(self->fds[0], create.fd, 0));
	ASSERT_EQ(0, launch_for_ever(self, 0));
	ASSERT_EQ(sizeof(record), read(create.fd, &record, sizeof(record)));
	EXPECT_EQ(self->inner, record.head.cgroup);
	close(create.fd);
}

/* However many files: slots are those of the cgroup and all below it. */
TEST_F(containers, slots)
{
	ASSERT_EQ(0, open_in(self, OUTER));
	ASSERT_EQ(0, open_in(self, INNER));
	ASSERT_EQ(0, open_in(self, INNER));
	EXPECT_EQ(-EACCES, write_text(SYSFS "cgroups", "1 slots=64"));
	EXPECT_EQ(-EINVAL, set_rule(self->outer, "slots=65"));
	EXPECT_EQ(-EINVAL, set_rule(self->outer, "weight=1001"));
	EXPECT_EQ(-EINVAL, set_rule(self->outer, "sms=1"));
	EXPECT_EQ(-EINVAL, set_rule(0, "slots=1"));
	ASSERT_EQ(0, set_rule(self->outer, "slots=2"));
	EXPECT_EQ(0, launch_for_ever(self, 0));
	EXPECT_EQ(0, launch_for_ever(self, 1));
	EXPECT_EQ(-EBUSY, launch_for_ever(self, 2));
	/* Another container is not concerned. */
	ASSERT_EQ(0, open_in(self, CGROUPS));
	EXPECT_EQ(0, launch_for_ever(self, 3));
	close(self->fds[0]);
	self->fds[0] = -1;
	EXPECT_EQ(0, launch_for_ever(self, 2));
}

/* The SMs that a tenant has, once that is so many; or what it had last. */
static long long sms_come_to(unsigned long id, long long sms)
{
	long long now = 0;
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		char text[256];

		if (!root_reads(tenant_file(id, "sms"), text))
			now = strtoll(text, NULL, 10);
		if (now == sms)
			break;
		sleep_ms(10);
	}
	return now;
}

/* A container with four files has one share, as its neighbour with one. */
TEST_F(containers, weight)
{
	long neighbour = neighbour_opens(NEIGHBOUR);
	int i;

	ASSERT_LT(0, neighbour);
	ASSERT_EQ(0, root_writes(tenant_file(neighbour, "weight"), "40"));
	ASSERT_EQ(0, neighbours_launch(FOR_EVER));
	ASSERT_EQ(0, set_rule(self->outer, "weight=40"));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, open_in(self, OUTER));
		ASSERT_EQ(0, launch_for_ever(self, i));
	}
	EXPECT_EQ(40, sms_come_to(neighbour, 40));
	/* Each says of itself what it did before. */
	EXPECT_EQ(1, read_number(tenant_file(self->ids[0], "weight")));
	EXPECT_EQ(10, sms_come_to(self->ids[0], 10));
	/* Who leaves leaves its part to the others of the container. */
	close(self->fds[2]);
	close(self->fds[3]);
	self->count = 2;
	EXPECT_EQ(20, sms_come_to(self->ids[0], 20));
	EXPECT_EQ(40, sms_come_to(neighbour, 40));
	ASSERT_EQ(0, set_rule(self->outer, "weight=0"));
	/* Of 42, and rounded. */
	EXPECT_EQ(76, sms_come_to(neighbour, 76));
}

/* A cgroup in a cgroup shares in what that has. */
TEST_F(containers, nested_weights)
{
	long neighbour = neighbour_opens(NEIGHBOUR);
	static const char *const groups[] = { OUTER, INNER, INNER };
	int i;

	ASSERT_LT(0, neighbour);
	ASSERT_EQ(0, root_writes(tenant_file(neighbour, "weight"), "60"));
	ASSERT_EQ(0, neighbours_launch(FOR_EVER));
	ASSERT_EQ(0, set_rule(self->inner, "weight=1"));
	ASSERT_EQ(0, set_rule(self->outer, "weight=60"));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, open_in(self, groups[i]));
		ASSERT_EQ(0, launch_for_ever(self, i));
	}
	EXPECT_EQ(40, sms_come_to(neighbour, 40));
	EXPECT_EQ(20, sms_come_to(self->ids[0], 20));
	EXPECT_EQ(10, sms_come_to(self->ids[1], 10));
	EXPECT_EQ(10, sms_come_to(self->ids[2], 10));
}

static int set_by_netlink(struct nl_sock *sock, int family,
			  unsigned long long id)
{
	struct nl_msg *message = request(family, SIMGPU_CMD_DEVICE_SET,
					 NLM_F_ACK);
	struct nlattr *rules, *rule;
	struct answer answer;
	int ret;

	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	rules = nla_nest_start(message, SIMGPU_A_DEVICE_CGROUPS);
	rule = nla_nest_start(message, SIMGPU_A_CGROUPS_CGROUP);
	nla_put_u64(message, SIMGPU_A_CGROUP_ID, id);
	nla_put_u32(message, SIMGPU_A_CGROUP_WEIGHT, 1000);
	nla_nest_end(message, rule);
	nla_nest_end(message, rules);
	ret = transact(sock, message, &answer);
	answer_free(&answer);
	return ret;
}

/* Root in namespaces of its own finds the device there, and is nobody on it. */
static int root_of_a_container(unsigned long long id)
{
	struct nl_msg *message;
	struct answer answer;
	struct nl_sock *sock;
	int family = 0;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return errno == EPERM || errno == ENOSPC ? 100 : 1;
	sock = connect_family(&family);
	if (!sock || family <= 0)
		return 2;
	message = request(family, SIMGPU_CMD_DEVICE_GET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	if (transact(sock, message, &answer) || answer.count != 1)
		return 3;
	answer_free(&answer);
	if (set_by_netlink(sock, family, id) != -EPERM)
		return 4;
	if (set_tenant(open_device(), "greedy", SIMGPU_SERVICE_QOS, 1,
		       1000000) != -EPERM)
		return 5;
	return 0;
}

static int in_a_child(int (*run)(unsigned long long id), unsigned long long id)
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(run(id));
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(containers, root_in_one)
{
	int result = in_a_child(root_of_a_container, self->outer);

	if (result == 100)
		SKIP(return, "users make no user namespaces here");
	EXPECT_EQ(0, result);
}

/* The first process of a PID namespace is number 1 there, its parent 0. */
static int first_process(unsigned long long id)
{
	struct answer answer;
	struct nl_sock *sock;
	unsigned long mine;
	int family = 0;

	if (open_device() < 0)
		return 1;
	mine = newest_tenant();
	if (read_number(tenant_file(mine, "pid")) != 1)
		return 2;
	if (read_number(tenant_file(id, "pid")) != 0)
		return 3;
	sock = connect_family(&family);
	if (get_tenant(sock, family, mine, &answer) ||
	    nla_get_u32(answer.rows[0][SIMGPU_A_TENANT_PID]) != 1)
		return 4;
	if (get_tenant(sock, family, id, &answer) ||
	    nla_get_u32(answer.rows[0][SIMGPU_A_TENANT_PID]) != 0)
		return 5;
	return 0;
}

static int pid_namespace(unsigned long long id)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return errno == EPERM || errno == ENOSPC ? 100 : 50;
	return in_a_child(first_process, id);
}

TEST_F(containers, pids)
{
	int result;

	ASSERT_EQ(0, open_in(self, CGROUPS));
	result = in_a_child(pid_namespace, self->ids[0]);
	if (result == 100)
		SKIP(return, "users make no user namespaces here");
	EXPECT_EQ(0, result);
}

/* By netlink it is the administrator's, too, and by nobody's socket. */
TEST_F(containers, rules_by_netlink)
{
	struct nl_sock *sock;
	int family = 0;

	sock = connect_family(&family);
	ASSERT_NE(NULL, sock);
	EXPECT_EQ(-EPERM, set_by_netlink(sock, family, self->outer));
	nl_socket_free(sock);
}

TEST_HARNESS_MAIN

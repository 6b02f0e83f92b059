// SPDX-License-Identifier: GPL-2.0
/*
 * Rights one at a time, as user 1000: a single capability, a file that is passed on, a
 * network namespace of one's own, and what is root's even where its folder is open.
 */
#include "../attack/user.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include "harness.h"
#include "netlink_calls.h"

#define DEBUG_FOLDER	"/sys/kernel/debug"
#define TRACE_FOLDER	"/sys/kernel/tracing"

/* --- capabilities ------------------------------------------------------------------------- */

/* Each capability, and whether it alone is enough by netlink. */
static const struct {
	unsigned int capability;
	bool settings;
	bool tenants;
} enough[] = {
	{ CAP_NET_ADMIN, true, true },
	{ CAP_SYS_ADMIN, true, true },
	{ CAP_SYS_NICE, false, true },
	{ CAP_SYS_RESOURCE, false, false },
	{ CAP_DAC_OVERRIDE, false, false },
};

#define CAPABILITIES	(int)(sizeof(enough) / sizeof(*enough))

TEST(settings_by_one_capability)
{
	int fd = open_device(), family = 0, i;
	unsigned long id = newest_tenant();
	char policy[64];

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, read_text(SYSFS "policy", policy, sizeof(policy)));
	for (i = 0; i < CAPABILITIES; i++) {
		struct nl_sock *sock;

		as_user_with(enough[i].capability);
		sock = connect_family(&family);
		EXPECT_EQ(enough[i].settings ? 0 : -EPERM,
			  set_policy(sock, family, policy)) {
			TH_LOG("capability %u", enough[i].capability);
		}
		EXPECT_EQ(enough[i].tenants ? 0 : -EPERM,
			  set_weight(sock, family, id, 1)) {
			TH_LOG("capability %u", enough[i].capability);
		}
		nl_socket_free(sock);
		as_root();
	}
	close(fd);
}

/* --- a gang's file ------------------------------------------------------------------------ */

static int send_file(int sock, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte = 0;
	struct iovec part = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	return sendmsg(sock, &message, 0) == 1 ? 0 : -errno;
}

static int receive_file(int sock)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte;
	struct iovec part = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(sock, &message, 0) == 1 && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

/* A process that may make no gang; 0, or the number of the step that went wrong. */
static int join_what_comes(int sock)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .stop_cycle = 20000,
	};
	struct built_trace trace;
	uint64_t sequence;
	uint32_t handle;
	int fd, gang;

	as_user();
	fd = open_device();
	build_compute(&trace, 160, 10);
	if (upload(fd, &trace, &handle))
		return 1;
	if (call(fd, SIMGPU_IOC_GANG_CREATE, &create) != -EPERM)
		return 2;
	/* Any other file is no gang's. */
	if (gang_join(fd, sock, 0) != -EBADF || gang_join(fd, fd, 0) != -EBADF)
		return 3;
	gang = receive_file(sock);
	if (gang_join(fd, gang, 0))
		return 4;
	if (launch(fd, handle, 1, &sequence) ||
	    wait_launch(fd, sequence, PATIENCE_NS))
		return 5;
	return 0;
}

TEST(join_by_a_passed_file)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .stop_cycle = 20000,
	};
	struct simgpu_gang_status gang;
	int fd, sockets[2], status = -1;
	pid_t child;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets));
	child = fork();
	if (!child) {
		close(sockets[0]);
		_exit(join_what_comes(sockets[1]));
	}
	fd = open_device();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, call(fd, SIMGPU_IOC_GANG_CREATE, &create));
	ASSERT_EQ(0, send_file(sockets[0], create.fd));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	ASSERT_EQ(0, gang_status(create.fd, &gang));
	EXPECT_EQ(SIMGPU_GANG_DONE, gang.state);
	close(create.fd);
	close(fd);
}

/* What a process of its own returns, the number of the step that failed; -1: it was killed. */
static int in_child(int (*act)(void))
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(act());
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ?
	       WEXITSTATUS(status) : -1;
}

/* --- limits of memory ---------------------------------------------------------------------- */

/* What a user may say of the memory of a tenant: less than before. Else the step that failed. */
static int limit_memory(void)
{
	static const struct {
		uint64_t min, low, max;
		int expected;
	} steps[] = {
		{ 1, 0, 0, -EPERM }, { 0, 1, 0, -EPERM }, { 0, 0, 8192, 0 },
		{ 0, 0, 4096, 0 }, { 0, 0, 8192, -EPERM }, { 0, 0, 0, -EPERM },
		{ 0, 0, 4096, 0 },
	};
	struct simgpu_tenant_config cmd = {
		.size = sizeof(cmd), .weight = 1, .name = "user",
	};
	int fd;
	size_t i;

	as_user();
	fd = open_device();
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		cmd.memory_min = steps[i].min;
		cmd.memory_low = steps[i].low;
		cmd.memory_max = steps[i].max;
		if (call(fd, SIMGPU_IOC_TENANT_CONFIG, &cmd) != steps[i].expected)
			return (int)i + 1;
	}
	return 0;
}

TEST(users_ask_for_no_more_memory)
{
	EXPECT_EQ(0, in_child(limit_memory));
}

/* --- latencies ------------------------------------------------------------------------------ */

/* What a user may ask of latencies where targets are limited: less than before. */
static int ask_for_latency(void)
{
	static const struct {
		uint64_t cycles;
		int expected;
	} steps[] = {
		{ 5000, -EPERM }, { 0, 0 },
	};
	struct simgpu_tenant_config cmd = {
		.size = sizeof(cmd), .weight = 1, .name = "user",
	};
	int fd;
	size_t i;

	as_user();
	fd = open_device();
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		cmd.p99_cycles = steps[i].cycles;
		if (call(fd, SIMGPU_IOC_TENANT_CONFIG, &cmd) != steps[i].expected)
			return (int)i + 1;
	}
	return 0;
}

TEST(users_ask_for_no_lower_latency)
{
	char before[64];

	ASSERT_EQ(0, read_text(SYSFS "target_limit", before, sizeof(before)));
	ASSERT_EQ(0, write_text(SYSFS "target_limit", "0.5"));
	EXPECT_EQ(0, in_child(ask_for_latency));
	EXPECT_EQ(0, write_text(SYSFS "target_limit", before));
}

/* --- what is root's ----------------------------------------------------------------------- */

/* How many files of a folder a user can open, and how many there are. */
static int count_open(const char *folder, int *files)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	char path[512], text[8];
	int opened = 0;

	*files = 0;
	while (directory && (entry = readdir(directory))) {
		if (entry->d_type != DT_REG)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		as_user();
		if (read_text(path, text, sizeof(text)) != -EACCES)
			opened++;
		as_root();
		++*files;
	}
	if (directory)
		closedir(directory);
	return opened;
}

/* An administrator may have opened the folders above; the files stay root's. */
TEST(debugfs_and_tracefs)
{
	int files;

	/* The user's group is the device's, which is not to be root's here. */
	ASSERT_EQ(0, chown(DEVICE, 0, USER));
	ASSERT_EQ(0, chmod(DEBUG_FOLDER, 0755));
	EXPECT_EQ(0, count_open(DEBUGFS, &files));
	EXPECT_LT(4, files);
	EXPECT_EQ(0, count_open(DEBUG_FOLDER "/simgpu", &files));
	EXPECT_EQ(1, files);
	EXPECT_EQ(0, chmod(DEBUG_FOLDER, 0700));
	if (!access(TRACE_FOLDER "/events/simgpu", F_OK)) {
		EXPECT_EQ(0, chmod(TRACE_FOLDER, 0755));
		EXPECT_EQ(0, count_open(TRACE_FOLDER "/events/simgpu", &files));
		EXPECT_EQ(0, chmod(TRACE_FOLDER, 0700));
	}
	EXPECT_EQ(0, chown(DEVICE, 0, 0));
}

/* --- network namespaces ------------------------------------------------------------------- */

static int join_settings(struct nl_sock *sock, struct answer *answer)
{
	int group = genl_ctrl_resolve_grp(sock, SIMGPU_FAMILY_NAME,
					  SIMGPU_MCGRP_SETTINGS);

	memset(answer, 0, sizeof(*answer));
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, take_message,
			    answer);
	return group < 0 ? group : nl_socket_add_membership(sock, group);
}

static bool has_message(struct nl_sock *sock, int timeout_ms)
{
	struct pollfd pollfd = { .fd = nl_socket_get_fd(sock),
				 .events = POLLIN };

	return poll(&pollfd, 1, timeout_ms) == 1;
}

/* In a namespace of its own: asked, the family answers; its groups are silent. */
static int listen_elsewhere(int sock)
{
	struct answer answer, told;
	struct nl_msg *message;
	struct nl_sock *here;
	int family = 0;
	char byte = 0;

	if (unshare(CLONE_NEWNET))
		return 1;
	here = connect_family(&family);
	if (!here || family <= 0)
		return 2;
	message = request(family, SIMGPU_CMD_DEVICE_GET, NLM_F_ACK);
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	if (transact(here, message, &answer) || answer.count != 1)
		return 3;
	if (join_settings(here, &told))
		return 4;
	/* The parent changes a setting, and answers when it has been told. */
	if (write(sock, &byte, 1) != 1 || read(sock, &byte, 1) != 1)
		return 5;
	return has_message(here, 0) ? 6 : 0;
}

TEST(groups_of_the_first_namespace)
{
	int sockets[2], status = -1, family = 0;
	struct answer told;
	struct nl_sock *sock;
	char byte, text[64];
	pid_t child;

	if (access("/proc/self/ns/net", F_OK))
		SKIP(return, "this kernel has no network namespaces");
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets));
	child = fork();
	if (!child) {
		close(sockets[0]);
		_exit(listen_elsewhere(sockets[1]));
	}
	close(sockets[1]);
	sock = connect_family(&family);
	ASSERT_NE(NULL, sock);
	ASSERT_EQ(0, join_settings(sock, &told));
	if (read(sockets[0], &byte, 1) == 1) {
		ASSERT_EQ(0, read_text(SYSFS "epoch_cycles", text, sizeof(text)));
		EXPECT_EQ(0, write_text(SYSFS "epoch_cycles", text));
		EXPECT_TRUE(has_message(sock, 20000));
		EXPECT_EQ(1, write(sockets[0], &byte, 1));
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	nl_socket_free(sock);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Failures as people meet them (docs/failures.md): the files "inject" and "failure" in debugfs,
 * the kernel's log, events, tracepoints and coredumps; and tenants that are banned.
 */
#include <linux/netlink.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "calls.h"
#include "dumps.h"
#include "harness.h"

#define CGROUPS		"/sys/fs/cgroup/"
#define GROUP		CGROUPS "failures-test/"
#define TEXT_BYTES	(64 << 10)
#define USER		1000
#define TIMEOUT		20000
#define TRIES		1000
#define STRIKES		3

FIXTURE(failures)
{
	int fd;
	uint32_t brief;
	struct built_trace trace;
	char text[TEXT_BYTES];
};

static int inject(const char *text)
{
	return write_text(DEBUGFS "inject", text);
}

static int set_timeout(int fd, uint64_t cycles)
{
	struct simgpu_queue cmd = { .size = sizeof(cmd), .timeout_cycles = cycles };

	return call(fd, SIMGPU_IOC_QUEUE, &cmd);
}

FIXTURE_SETUP(failures)
{
	self->fd = -1;
	if (access(DEBUGFS, F_OK))
		SKIP(return, "the kernel has no debugfs");
	ASSERT_EQ(0, inject("none"));
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 8, 10);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->brief));
	ASSERT_EQ(0, set_timeout(self->fd, TIMEOUT));
}

FIXTURE_TEARDOWN(failures)
{
	if (self->fd < 0)
		return;
	inject("none");
	close(self->fd);
	delete_dumps();
}

/* Launch once, and wait for the end. */
static int run_once(int fd, uint32_t handle)
{
	uint64_t sequence;
	int ret = launch(fd, handle, 1, &sequence);

	return ret ? ret : wait_launch(fd, sequence, PATIENCE_NS);
}

/* A tenant's file in sysfs. */
static int read_tenant(unsigned long tenant, const char *file, char *text, size_t bytes)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "tenants/%lu/%s", tenant, file);
	return read_text(path, text, bytes);
}

/* Waits until a file has some words, since people are told a moment after a failure. */
static bool comes_to_have(const char *path, const char *words, char *text)
{
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (!read_text(path, text, TEXT_BYTES) && strstr(text, words))
			return true;
		sleep_ms(10);
	}
	return false;
}

/* --- who is told ------------------------------------------------------------------------ */

static int listen_to_events(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	const struct timeval patient = { .tv_sec = 10 * patience() };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patient, sizeof(patient)) ||
	    bind(fd, (const struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -errno;
	}
	return fd;
}

/* Whether an event has a key with that value. */
static bool event_has(const char *event, ssize_t length, const char *key)
{
	const char *at = event;

	for (; at < event + length; at += strlen(at) + 1)
		if (!strcmp(at, key))
			return true;
	return false;
}

/* The next event of a failure, if one comes. */
static ssize_t next_failure_event(int fd, char *event, size_t bytes)
{
	ssize_t length;

	do {
		length = recv(fd, event, bytes - 1, 0);
		event[length < 0 ? 0 : length] = '\0';
	} while (length >= 0 && !event_has(event, length, "FAILURE=address"));
	return length;
}

TEST_F(failures, an_event_comes)
{
	char event[2048], key[64];
	int fd = listen_to_events();
	ssize_t length;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, inject("address:times=1"));
	EXPECT_EQ(-EFAULT, run_once(self->fd, self->brief));
	length = next_failure_event(fd, event, sizeof(event));
	ASSERT_LT(0, length);
	EXPECT_TRUE(event_has(event, length, "ACTION=change"));
	EXPECT_TRUE(event_has(event, length, "RECOVERY=killed"));
	EXPECT_TRUE(event_has(event, length, "OVER=1"));
	EXPECT_TRUE(event_has(event, length, "LAUNCH=1"));
	EXPECT_TRUE(event_has(event, length, "BANNED=0"));
	snprintf(key, sizeof(key), "TENANT=%lu", newest_tenant());
	EXPECT_TRUE(event_has(event, length, key));
	snprintf(key, sizeof(key), "PID=%d", getpid());
	EXPECT_TRUE(event_has(event, length, key));
	close(fd);
}

/* A record of the kernel's log, one a read. */
static bool log_comes_to_have(int log, const char *words)
{
	char record[1024];
	ssize_t length;
	int tries = 0;

	while (tries < TRIES) {
		length = read(log, record, sizeof(record) - 1);
		if (length < 0 && errno != EAGAIN && errno != EPIPE)
			return false;
		record[length < 0 ? 0 : length] = '\0';
		if (strstr(record, words))
			return true;
		if (length < 0) {
			sleep_ms(10);
			tries++;
		}
	}
	return false;
}

TEST_F(failures, the_log_has_a_sentence)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char words[128];

	ASSERT_LE(0, log);
	lseek(log, 0, SEEK_END);
	ASSERT_EQ(0, inject("address:times=1"));
	EXPECT_EQ(-EFAULT, run_once(self->fd, self->brief));
	snprintf(words, sizeof(words), "simgpu0: address: tenant %lu (pid %d, failures), queue 0, launch 1, kernel 0 (",
		 newest_tenant(), getpid());
	EXPECT_TRUE(log_comes_to_have(log, words));
	close(log);
}

TEST_F(failures, a_coredump_has_the_text)
{
	char dump[TEXT_BYTES], path[300];
	int tries;

	if (!has_dumps())
		SKIP(return, "the kernel has no device coredumps");
	ASSERT_EQ(0, inject("address:times=1"));
	EXPECT_EQ(-EFAULT, run_once(self->fd, self->brief));
	for (tries = 0; tries < TRIES && !find_dump(path, sizeof(path)); tries++)
		sleep_ms(10);
	ASSERT_EQ(0, read_text(path, dump, sizeof(dump)));
	ASSERT_EQ(0, read_text(DEBUGFS "failure", self->text, TEXT_BYTES));
	EXPECT_STREQ(self->text, dump);
	EXPECT_NE(NULL, strstr(dump, "kind address"));
}

TEST_F(failures, tracepoints_fire)
{
	int i;

	if (access(TRACING "events/simgpu/enable", F_OK))
		SKIP(return, "the kernel has no event tracing");
	ASSERT_EQ(0, forget_events());
	ASSERT_EQ(0, write_text(TRACING "events/simgpu/enable", "1"));
	ASSERT_EQ(0, inject("address"));
	for (i = 0; i < STRIKES; i++)
		EXPECT_EQ(-EFAULT, run_once(self->fd, self->brief));
	ASSERT_EQ(0, read_text(TRACING "trace", self->text, TEXT_BYTES));
	ASSERT_EQ(0, write_text(TRACING "events/simgpu/enable", "0"));
	EXPECT_NE(NULL, strstr(self->text, "simgpu_failure: device=0 "));
	EXPECT_NE(NULL, strstr(self->text, " kind=address "));
	EXPECT_NE(NULL, strstr(self->text, "simgpu_recovery: device=0 "));
	EXPECT_NE(NULL, strstr(self->text, " step=killed over=1 "));
	EXPECT_NE(NULL, strstr(self->text, "simgpu_tenant_banned: device=0 "));
}

/* --- who may inject what ------------------------------------------------------------------ */

TEST_F(failures, root_alone_injects)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(USER) || setuid(USER))
			_exit(1);
		_exit(inject("hang") == -EACCES &&
		      access(DEBUGFS "failure", R_OK) ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, read_text(DEBUGFS "inject", self->text, TEXT_BYTES));
	EXPECT_STREQ("", self->text);
}

/* All lines count, or none. */
TEST_F(failures, injections_are_checked)
{
	int i;

	EXPECT_EQ(-EINVAL, inject("fire"));
	EXPECT_EQ(-EINVAL, inject("hang:when=1"));
	EXPECT_EQ(-EINVAL, inject("hang:launch"));
	EXPECT_EQ(-EINVAL, inject("address:survives=kill"));
	EXPECT_EQ(-EINVAL, inject("hang\naddress\nfire"));
	ASSERT_EQ(0, read_text(DEBUGFS "inject", self->text, TEXT_BYTES));
	EXPECT_STREQ("", self->text);
	ASSERT_EQ(0, inject("\nhang:tenant=3,launch=2,survives=kill\nlost:probability=0.5\n"));
	ASSERT_EQ(0, read_text(DEBUGFS "inject", self->text, TEXT_BYTES));
	EXPECT_STREQ("hang:tenant=3,launch=2,survives=kill passed 0 struck 0\n"
		     "lost:probability=0.500000 passed 0 struck 0", self->text);
	for (i = 2; i < 16; i++)
		ASSERT_EQ(0, inject("copy:tenant=63"));
	EXPECT_EQ(-ENOSPC, inject("hang"));
	ASSERT_EQ(0, inject("none\naddress:times=1"));
	EXPECT_EQ(-EFAULT, run_once(self->fd, self->brief));
	ASSERT_EQ(0, read_text(DEBUGFS "inject", self->text, TEXT_BYTES));
	EXPECT_STREQ("address:times=1 passed 0 struck 1", self->text);
}

/* --- what becomes of tenants --------------------------------------------------------------- */

TEST_F(failures, a_hang_is_killed)
{
	unsigned long tenant = newest_tenant();
	int other = open_device();
	char words[128], slot[32];
	uint64_t sequence;
	uint32_t handle;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, upload(other, &self->trace, &handle));
	ASSERT_EQ(0, run_once(self->fd, self->brief));
	ASSERT_EQ(0, read_tenant(tenant, "slot", slot, sizeof(slot)));
	snprintf(words, sizeof(words), "hang:tenant=%s,times=1", slot);
	ASSERT_EQ(0, inject(words));
	ASSERT_EQ(0, launch(other, handle, 20, &sequence));
	EXPECT_EQ(-ETIME, run_once(self->fd, self->brief));
	EXPECT_EQ(0, wait_launch(other, sequence, PATIENCE_NS));
	EXPECT_EQ(0, run_once(self->fd, self->brief));
	ASSERT_EQ(0, read_text(DEBUGFS "failure", self->text, TEXT_BYTES));
	snprintf(words, sizeof(words), "tenant %lu\npid %d\ncommand failures\n", tenant,
		 getpid());
	EXPECT_NE(NULL, strstr(self->text, words)) {
		TH_LOG("%s", self->text);
	}
	snprintf(words, sizeof(words), "queue 0\nlaunch 2 ");
	EXPECT_NE(NULL, strstr(self->text, words));
	EXPECT_TRUE(comes_to_have(DEBUGFS "failure", "launch_ended timed-out", self->text));
	close(other);
}

/* Kills and a reset of SMs do not end it. */
TEST_F(failures, the_device_is_reset)
{
	const char *text;

	ASSERT_EQ(0, inject("hang:times=1,survives=sm-reset"));
	EXPECT_EQ(-ETIME, run_once(self->fd, self->brief));
	EXPECT_EQ(0, run_once(self->fd, self->brief));
	ASSERT_EQ(0, read_text(DEBUGFS "failure", self->text, TEXT_BYTES));
	text = strstr(self->text, "step killed ");
	ASSERT_NE(NULL, text);
	text = strstr(text, "step reset-sms ");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "step reset-device "));
}

static bool is_banned(unsigned long tenant)
{
	char text[32];

	return !read_tenant(tenant, "banned", text, sizeof(text)) && !strcmp(text, "1");
}

/* A tenant that begins: its strikes after a launch, 0 if it has none. */
static int strikes_of_next(struct built_trace *trace)
{
	unsigned long tenant;
	uint32_t handle;
	char text[32];
	int fd = open_device(), strikes = -1;

	tenant = newest_tenant();
	if (!upload(fd, trace, &handle) && !run_once(fd, handle))
		strikes = read_tenant(tenant, "strikes", text, sizeof(text)) ? 0 : atoi(text);
	close(fd);
	return strikes;
}

TEST_F(failures, a_ban_lasts)
{
	unsigned long tenant = newest_tenant();
	int i;

	/* It takes a strike that an earlier test has left. */
	ASSERT_LE(0, strikes_of_next(&self->trace));
	ASSERT_EQ(0, inject("address:times=3"));
	for (i = 0; i < STRIKES; i++)
		EXPECT_EQ(-EFAULT, run_once(self->fd, self->brief));
	for (i = 0; i < STRIKES; i++)
		EXPECT_EQ(-EIO, run_once(self->fd, self->brief));
	for (i = 0; i < TRIES && !is_banned(tenant); i++)
		sleep_ms(10);
	EXPECT_TRUE(is_banned(tenant));
	/* The others go on, and have no strike before it closes its file. */
	EXPECT_EQ(0, strikes_of_next(&self->trace));
	close(self->fd);
	/* One tenant begins with a strike, and no further one. */
	EXPECT_EQ(1, strikes_of_next(&self->trace));
	EXPECT_EQ(0, strikes_of_next(&self->trace));
	self->fd = open_device();
}

/* Others take a tenant's slot, and its strikes are there again in its next one. */
TEST_F_TIMEOUT(failures, strikes_outlast_a_slot, 120)
{
	int others[SIMGPU_TENANTS_MAX], i;
	unsigned long tenant = newest_tenant();
	char slot[32];
	uint32_t handle;

	ASSERT_LE(0, strikes_of_next(&self->trace));
	ASSERT_EQ(0, inject("address:times=2"));
	for (i = 0; i < STRIKES - 1; i++)
		EXPECT_EQ(-EFAULT, run_once(self->fd, self->brief));
	for (i = 0; i < SIMGPU_TENANTS_MAX; i++) {
		others[i] = open_device();
		ASSERT_EQ(0, upload(others[i], &self->trace, &handle));
		ASSERT_EQ(0, run_once(others[i], handle));
	}
	EXPECT_EQ(-ENODATA, read_tenant(tenant, "slot", slot, sizeof(slot)));
	ASSERT_EQ(0, inject("none\naddress:times=1"));
	EXPECT_EQ(-EFAULT, run_once(self->fd, self->brief));
	EXPECT_EQ(-EIO, run_once(self->fd, self->brief));
	for (i = 0; i < SIMGPU_TENANTS_MAX; i++)
		close(others[i]);
	close(self->fd);
	/* It was banned: its cgroup has a strike, which is taken here. */
	EXPECT_EQ(1, strikes_of_next(&self->trace));
	self->fd = open_device();
}

/* The next tenant of another cgroup has no strike. */
TEST_F(failures, strikes_stay_in_the_cgroup)
{
	int i, status;
	pid_t pid;

	if (access(CGROUPS "cgroup.procs", F_OK) || (mkdir(GROUP, 0755) && errno != EEXIST))
		SKIP(return, "there is no cgroup v2");
	ASSERT_LE(0, strikes_of_next(&self->trace));
	pid = fork();
	if (!pid) {
		uint32_t handle;
		int fd, bad;

		bad = write_text(GROUP "cgroup.procs", "0") || inject("address:times=3");
		fd = open_device();
		bad = bad || upload(fd, &self->trace, &handle);
		for (i = 0; i < STRIKES && !bad; i++)
			bad = run_once(fd, handle) != -EFAULT;
		close(fd);
		_exit(bad);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, strikes_of_next(&self->trace));
	pid = fork();
	if (!pid)
		_exit(write_text(GROUP "cgroup.procs", "0") ? 9 :
		      strikes_of_next(&self->trace));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(1, WEXITSTATUS(status));
	EXPECT_EQ(0, rmdir(GROUP));
}

static int tenants_now(void)
{
	DIR *directory = opendir(SYSFS "tenants");
	const struct dirent *entry;
	int count = 0;

	while (directory && (entry = readdir(directory)))
		count += entry->d_name[0] != '.';
	if (directory)
		closedir(directory);
	return count;
}

/* Nothing would end the hang: no timeout is set. */
TEST_F(failures, a_killed_process_is_gone)
{
	long long held = read_number(SYSFS "bytes_held");
	int before = tenants_now(), pipes[2], tries;
	double start;
	pid_t pid;
	char byte;

	ASSERT_EQ(0, inject("hang:times=1"));
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		uint64_t sequence;
		uint32_t handle;
		int fd = open_device();

		if (upload(fd, &self->trace, &handle) || launch(fd, handle, 1, &sequence) ||
		    write(pipes[1], "", 1) != 1)
			_exit(1);
		_exit(wait_launch(fd, sequence, -1));
	}
	ASSERT_EQ(1, read(pipes[0], &byte, 1));
	for (tries = 0; tries < TRIES; tries++) {
		ASSERT_EQ(0, read_text(DEBUGFS "inject", self->text, TEXT_BYTES));
		if (strstr(self->text, "struck 1"))
			break;
		sleep_ms(10);
	}
	EXPECT_NE(NULL, strstr(self->text, "struck 1"));
	start = seconds_now();
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(held, read_bytes_held(held));
	EXPECT_EQ(before, tenants_now());
	EXPECT_GT(5.0 * patience(), seconds_now() - start);
	EXPECT_EQ(0, run_once(self->fd, self->brief));
	close(pipes[0]);
	close(pipes[1]);
}

#define STORM_PROCESSES	4
#define STORM_FILES	2
#define STORM_LAUNCHES	5

/* Whether a launch may end so where kernels hang, use bad addresses, and lose the memory. */
static bool is_an_end(int status)
{
	return !status || status == -ETIME || status == -EFAULT || status == -EIO ||
	       status == -ECANCELED;
}

/* Launches without end, file by file; the status that no launch may have, or 0. */
static int live_in_a_storm(const struct built_trace *trace)
{
	int file, i, fd, ret;
	uint32_t handle;

	for (file = 0; file < STORM_FILES; file++) {
		fd = open_device();
		ret = set_timeout(fd, TIMEOUT);
		ret = ret ? ret : upload(fd, trace, &handle);
		if (ret)
			return ret;
		for (i = 0; i < STORM_LAUNCHES; i++) {
			ret = run_once(fd, handle);
			if (!is_an_end(ret))
				return ret;
		}
		close(fd);
	}
	return 0;
}

/* The device is as empty afterwards as before, and works. */
TEST_F(failures, a_storm_leaves_nothing)
{
	long long held = read_number(SYSFS "bytes_held");
	int before = tenants_now(), status, i;
	pid_t pids[STORM_PROCESSES];

	ASSERT_EQ(0, inject("hang:probability=0.1,survives=sm-reset\nhang:probability=0.2,survives=kill\n"
			    "hang:probability=0.2\naddress:probability=0.3\nmemory:probability=0.2\n"));
	for (i = 0; i < STORM_PROCESSES; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(-live_in_a_storm(&self->trace));
	}
	for (i = 0; i < STORM_PROCESSES; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_LT(0, read_number(SYSFS "failures"));
	EXPECT_EQ(held, read_bytes_held(held));
	EXPECT_EQ(before, tenants_now());
	ASSERT_EQ(0, inject("none"));
	EXPECT_EQ(0, run_once(self->fd, self->brief));
}

TEST_HARNESS_MAIN

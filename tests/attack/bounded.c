// SPDX-License-Identifier: GPL-2.0
/*
 * What an unprivileged user makes the driver do and keep is bounded: uploads end
 * with their process, failed launches and repeated words cost others nothing, gangs
 * and mappings are no larger than what is in use.
 */
#include "user.h"

#include <linux/netlink.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../../userspace/lib/simgpu.h"
#include "../kselftest/harness.h"

#define UPLOAD_BYTES	(120UL << 20)
#define CONFIGURATIONS	20000
#define EPOCHS		300
#define EPOCH_CYCLES	10000ULL
#define DEVICES_MADE	20

/* A trace whose checksum is wrong, which is seen at its end. */
static void *large_trace(void)
{
	struct simgpu_trace_header *header;
	struct built_trace trace;

	build_everything(&trace);
	header = mmap(NULL, UPLOAD_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (header == MAP_FAILED)
		return NULL;
	memcpy(header, trace.bytes, trace.size);
	header->total_bytes = UPLOAD_BYTES;
	return header;
}

/* Processor time, which no other load makes longer. */
TEST(upload_ends_with_its_process)
{
	void *bytes = large_trace();
	struct rusage usage;
	double start, whole;
	pid_t child;
	int fd;

	ASSERT_NE(NULL, bytes);
	as_user();
	fd = open_device();
	ASSERT_LE(0, fd);
	start = used_by_me();
	EXPECT_EQ(-EINVAL, upload_bytes(fd, bytes, UPLOAD_BYTES, NULL, NULL));
	whole = used_by_me() - start;
	child = fork();
	if (!child) {
		upload_bytes(fd, bytes, UPLOAD_BYTES, NULL, NULL);
		_exit(0);
	}
	sleep_ms(whole * 1000 / 5);
	kill(child, SIGKILL);
	wait4(child, NULL, 0, &usage);
	TH_LOG("an upload uses %.0f ms, one that was killed after a fifth %.0f ms",
	       whole * 1000, used_by(&usage) * 1000);
	close(fd);
	if (is_debug_kernel())
		SKIP(return, "memory is given and taken slowly in a debug kernel");
	/* To free what was taken takes some, and a busy host kills late. */
	EXPECT_GT(whole * 3 / 4, used_by(&usage));
}

TEST(failed_launch_takes_no_slot)
{
	struct simgpu_trace_kernel *kernel;
	struct built_trace trace;
	int fds[SIMGPU_TENANTS_MAX], fd, i;
	struct full_report report;
	uint32_t handle, good;

	build_compute(&trace, 1, 1);
	as_user();
	fd = open_device();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload(fd, &trace, &good));
	kernel = trace_find(&trace, SIMGPU_TRACE_KERNELS);
	kernel->shared_bytes = 1 << 20;
	trace_seal(&trace);
	for (i = 0; i < SIMGPU_TENANTS_MAX; i++) {
		fds[i] = open_device();
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, upload(fds[i], &trace, &handle));
		ASSERT_EQ(-E2BIG, launch(fds[i], handle, 1, NULL));
		EXPECT_EQ(-ENODATA, tenant_report(fds[i], &report));
	}
	EXPECT_EQ(0, launch(fd, good, 1, NULL));
	EXPECT_EQ(0, wait_launch(fd, 1, PATIENCE_NS));
	for (i = 0; i < SIMGPU_TENANTS_MAX; i++)
		close(fds[i]);
	close(fd);
}

/* Lines of the journal that are of a kind. */
static int count_lines(const char *journal, const char *kind)
{
	int count = 0;

	while ((journal = strstr(journal, kind))) {
		journal++;
		count++;
	}
	return count;
}

TEST(repeated_words_lose_no_event)
{
	static char journal[1 << 20];
	struct built_trace trace;
	uint32_t handle;
	int before, fd, i;

	build_compute(&trace, 1, 1);
	/* Of the tests before. */
	ASSERT_EQ(0, read_text(DEBUGFS "journal", journal, sizeof(journal)));
	before = count_lines(journal, " tenant slot=");
	as_user();
	fd = open_device();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload(fd, &trace, &handle));
	/* Not while it computes: a call for each quantum would take long. */
	ASSERT_EQ(0, launch(fd, handle, 1, NULL));
	ASSERT_EQ(0, wait_launch(fd, 1, PATIENCE_NS));
	for (i = 0; i < CONFIGURATIONS; i++)
		ASSERT_EQ(0, set_tenant(fd, i % 2 ? "a" : "b", 0, 1, 0));
	as_root();
	ASSERT_EQ(0, read_text(DEBUGFS "journal", journal, sizeof(journal)));
	EXPECT_EQ(0, count_lines(journal, " lost events="));
	EXPECT_GE(before + 2, count_lines(journal, " tenant slot="));
	close(fd);
}

/* Policies see a tenant's cgroup, so a replay has to know it; not in a gang. */
TEST(journal_has_the_cgroup)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
	};
	static char journal[1 << 20];
	struct built_trace trace;
	char path[96], key[40];
	uint32_t handle;
	int fd;

	build_compute(&trace, 1, 1);
	let_users_make_gangs();
	as_user();
	fd = open_device();
	ASSERT_LE(0, fd);
	snprintf(path, sizeof(path), SYSFS "tenants/%lu/cgroup_id",
		 newest_tenant());
	snprintf(key, sizeof(key), " cgroup=%lld\n", read_number(path));
	ASSERT_EQ(0, upload(fd, &trace, &handle));
	ASSERT_EQ(0, launch(fd, handle, 1, NULL));
	ASSERT_EQ(0, wait_launch(fd, 1, PATIENCE_NS));
	as_root();
	ASSERT_EQ(0, read_text(DEBUGFS "journal", journal, sizeof(journal)));
	EXPECT_LT(0, count_lines(journal, key));
	as_user();
	ASSERT_EQ(0, call(fd, SIMGPU_IOC_GANG_CREATE, &create));
	ASSERT_EQ(0, gang_join(fd, create.fd, 0));
	as_root();
	ASSERT_EQ(0, read_text(DEBUGFS "journal", journal, sizeof(journal)));
	EXPECT_EQ(1, count_lines(journal, " join slot="));
	EXPECT_EQ(0, count_lines(journal, " cgroup="));
	close(create.fd);
	close(fd);
}

/* What takes long in a debug kernel. */
FIXTURE(long_run) {
};

FIXTURE_SETUP(long_run)
{
}

FIXTURE_TEARDOWN(long_run)
{
}

/* What all hold is root's to read. */
static long long held_by_all(void)
{
	long long held;

	as_root();
	held = read_number(SYSFS "bytes_held");
	as_user();
	return held;
}

TEST_F_TIMEOUT(long_run, gang_holds_what_it_needs, 300)
{
	static struct full_record records[EPOCHS + 1];
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
		.epoch_cycles = EPOCH_CYCLES,
		.stop_cycle = EPOCHS * EPOCH_CYCLES,
		.flags = SIMGPU_GANG_RELAUNCH,
	};
	long long held, before = read_number(SYSFS "bytes_held");
	struct simgpu_gang_status status;
	struct built_trace trace;
	uint32_t handle;
	ssize_t got;
	int fd, i;

	build_compute(&trace, 8, 20);
	let_users_make_gangs();
	as_user();
	fd = open_device();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload(fd, &trace, &handle));
	ASSERT_EQ(0, call(fd, SIMGPU_IOC_GANG_CREATE, &create));
	held = held_by_all() - before;
	TH_LOG("a gang without records holds %lld bytes", held);
	EXPECT_GT(1 << 20, held);
	ASSERT_EQ(0, gang_join(fd, create.fd, 0));
	ASSERT_EQ(0, launch(fd, handle, 1, NULL));
	ASSERT_EQ(0, wait_launch(fd, 1, PATIENCE_NS));
	/* As many as were not read, and not many more. */
	held = held_by_all() - before - held;
	EXPECT_LE(EPOCHS * (long long)sizeof(records[0]), held);
	EXPECT_GE((EPOCHS + 128) * (long long)sizeof(records[0]), held);
	got = 0;
	while (got < (ssize_t)sizeof(records)) {
		ssize_t count = read(create.fd, (char *)records + got,
				     7 * sizeof(records[0]));

		ASSERT_LE(0, count);
		if (!count)
			break;
		got += count;
	}
	ASSERT_EQ(EPOCHS * (ssize_t)sizeof(records[0]), got);
	for (i = 0; i < EPOCHS; i++)
		ASSERT_EQ(i, records[i].head.epoch);
	EXPECT_EQ(0, gang_status(create.fd, &status));
	EXPECT_EQ(0, status.records_lost);
	close(create.fd);
	close(fd);
	as_root();
	EXPECT_EQ(before, read_bytes_held(before));
	as_root();
}

TEST(live_page_stays_as_it_is)
{
	char maps[65536];
	const char *flags;
	void *page;
	int fd;

	as_user();
	fd = open_device();
	ASSERT_LE(0, fd);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(-1, mprotect(page, 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mremap(page, 4096, 8192, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	as_root();
	ASSERT_EQ(0, read_text("/proc/self/smaps", maps, sizeof(maps)));
	flags = strstr(maps, DEVICE);
	ASSERT_NE(NULL, flags);
	flags = strstr(flags, "VmFlags:");
	ASSERT_NE(NULL, flags);
	EXPECT_EQ(0, !!memmem(flags, strcspn(flags, "\n"), " mw", 3));
	EXPECT_EQ(1, !!memmem(flags, strcspn(flags, "\n"), " de", 3));
	close(fd);
}

TEST(names_have_nothing_behind_them)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
	};
	char *const names[] = { create.config, create.policy, create.model };
	unsigned int i;
	int fd;

	let_users_make_gangs();
	as_user();
	fd = open_device();
	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		names[i][SIMGPU_NAME_MAX - 2] = 'x';
		EXPECT_EQ(-EINVAL, call(fd, SIMGPU_IOC_GANG_CREATE, &create));
		names[i][SIMGPU_NAME_MAX - 2] = '\0';
	}
	close(fd);
}

/* What netlink says when the kernel tells of the new device; 1: it did not. */
static int look_when_told(int events, struct simgpu_netlink *netlink)
{
	char event[4096];
	ssize_t length;
	unsigned int device;

	while ((length = recv(events, event, sizeof(event) - 1, 0)) > 0) {
		const char *name = strstr(event, "/simgpu/simgpu");

		event[length] = '\0';
		if (strncmp(event, "add@", 4) || !name)
			continue;
		device = atoi(name + strlen("/simgpu/simgpu"));
		return simgpu_netlink_set_policy(netlink, device, "even", NULL);
	}
	return 1;
}

/* Whoever hears of it may be faster than who made it: it has to be tried often. */
TEST(netlink_finds_what_is_announced)
{
	const struct sockaddr_nl kernel = {
		.nl_family = AF_NETLINK, .nl_groups = 1,
	};
	const struct timeval patience = { .tv_sec = 10 };
	struct simgpu_netlink *netlink;
	int events, status, i;
	pid_t maker;

	events = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC,
			NETLINK_KOBJECT_UEVENT);
	ASSERT_LE(0, events);
	ASSERT_EQ(0, bind(events, (const struct sockaddr *)&kernel,
			  sizeof(kernel)));
	setsockopt(events, SOL_SOCKET, SO_RCVTIMEO, &patience,
		   sizeof(patience));
	ASSERT_EQ(0, simgpu_netlink_open(&netlink));
	for (i = 0; i < DEVICES_MADE; i++) {
		ASSERT_EQ(0, mkdir(CONFIGFS "announced", 0755));
		maker = fork();
		if (!maker)
			_exit(-write_text(CONFIGFS "announced/live", "1"));
		EXPECT_EQ(0, look_when_told(events, netlink));
		waitpid(maker, &status, 0);
		EXPECT_EQ(0, status);
		ASSERT_EQ(0, rmdir(CONFIGFS "announced"));
	}
	close(events);
}

TEST_HARNESS_MAIN

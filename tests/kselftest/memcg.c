// SPDX-License-Identifier: GPL-2.0
/*
 * What a tenant makes the kernel hold is charged to its memory cgroup, given
 * back on every path, and capped: by the group's memory.max and for each tenant.
 * Needs cgroup v2 with the memory controller; skipped on others.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include "calls.h"
#include "harness.h"

#define ROOT	"/sys/fs/cgroup/"
#define GROUP	ROOT "simgpu-memcg/"
#define MIB	(1LL << 20)
#define PAGE	4096LL
/* What the process itself takes, and what each processor has charged ahead. */
#define SLACK	(4 * MIB)

FIXTURE(memcg)
{
	unsigned char *trace;
	size_t trace_bytes;
	long long held;
};

/*
 * A sound trace of about @lines_bytes, all of whose lines but a few are of no
 * use. Pages that nobody writes cost no memory.
 */
static unsigned char *map_large_trace(size_t lines_bytes, size_t *bytes)
{
	const size_t count = lines_bytes / sizeof(uint32_t);
	struct simgpu_trace_header *header;
	struct built_trace small;

	build_everything(&small);
	*bytes = small.size + count * sizeof(uint32_t);
	header = mmap(NULL, *bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (header == MAP_FAILED)
		return NULL;
	memcpy(header, small.bytes, small.size);
	header->sections[SIMGPU_TRACE_LINES].offset = small.size;
	header->sections[SIMGPU_TRACE_LINES].count = count;
	header->total_bytes = *bytes;
	header->checksum = 0;
	header->checksum = crc32_z(0, (unsigned char *)header, *bytes);
	return (unsigned char *)header;
}

static int upload_large(FIXTURE_DATA(memcg) *self, int fd, uint32_t *handle)
{
	return upload_bytes(fd, self->trace, self->trace_bytes, handle, NULL);
}

static long long charged(void)
{
	return read_number(GROUP "memory.current");
}

/* Freed pages are given back to the group a moment later. */
static long long charged_at_most(long long limit)
{
	long long now = -1;
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		now = charged();
		if (now <= limit)
			break;
		sleep_ms(10);
	}
	return now;
}

/* The number after @key in the group's memory.events. */
static long long events(const char *key)
{
	char text[512], *line;

	if (read_text(GROUP "memory.events", text, sizeof(text)))
		return -1;
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (starts_with(line, key) && line[strlen(key)] == ' ')
			return strtoll(line + strlen(key), NULL, 10);
	return -1;
}

/*
 * A processor charges 64 pages ahead when a group's first page is charged there. Of one
 * processor they are in all measurements, of several only in those after it was used.
 */
static int stay_on_this_processor(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

FIXTURE_SETUP(memcg)
{
	char text[256];

	ASSERT_EQ(0, stay_on_this_processor());
	if (read_text(ROOT "cgroup.controllers", text, sizeof(text)) ||
	    !strstr(text, "memory"))
		SKIP(return, "there is no cgroup v2 with a memory controller");
	ASSERT_EQ(0, write_text(ROOT "cgroup.subtree_control", "+memory"));
	rmdir(GROUP);
	ASSERT_EQ(0, mkdir(GROUP, 0755));
	/* Before the group is entered: it is not what is measured. */
	self->trace = map_large_trace(16 * MIB, &self->trace_bytes);
	ASSERT_NE(NULL, self->trace);
	self->held = read_number(SYSFS "bytes_held");
	ASSERT_EQ(0, write_text(GROUP "cgroup.procs", "0"));
}

FIXTURE_TEARDOWN(memcg)
{
	EXPECT_EQ(self->held, read_bytes_held(self->held));
	EXPECT_EQ(0, write_text(ROOT "cgroup.procs", "0"));
	EXPECT_EQ(0, rmdir(GROUP));
}

TEST_F(memcg, charged_until_closed)
{
	long long before = charged(), held;
	int fd = open_device();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload_large(self, fd, NULL));
	held = read_number(SYSFS "bytes_held") - self->held;
	EXPECT_LE(16 * MIB, held);
	EXPECT_LE(before + held - SLACK, charged());
	/* The copy that was made for the upload is gone. */
	EXPECT_GE(before + held + SLACK,
		  charged_at_most(before + held + SLACK));
	close(fd);
	EXPECT_GE(before + SLACK, charged_at_most(before + SLACK));
}

TEST_F(memcg, charged_until_removed)
{
	long long before = charged();
	uint32_t handle;
	int fd = open_device();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload_large(self, fd, &handle));
	EXPECT_LE(before + 16 * MIB - SLACK, charged());
	EXPECT_EQ(0, trace_remove(fd, handle));
	EXPECT_GE(before + SLACK, charged_at_most(before + SLACK));
	close(fd);
}

TEST_F(memcg, charged_until_killed)
{
	long long before = charged();
	int ready[2];
	pid_t child;
	char byte;

	ASSERT_EQ(0, pipe(ready));
	child = fork();
	if (!child) {
		int fd = open_device();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		byte = upload_large(self, fd, NULL) ? 'n' : 'y';
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	ASSERT_LT(0, child);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	EXPECT_EQ('y', byte);
	EXPECT_LE(before + 16 * MIB - SLACK, charged());
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	EXPECT_GE(before + SLACK, charged_at_most(before + SLACK));
	close(ready[0]);
	close(ready[1]);
}

/* Refused uploads hold nothing. */
TEST_F(memcg, released_when_refused)
{
	struct simgpu_trace_header *header = (void *)self->trace;
	long long before = charged();
	int fd = open_device();

	ASSERT_LE(0, fd);
	header->checksum++;
	EXPECT_EQ(-EINVAL, upload_large(self, fd, NULL));
	EXPECT_EQ(-EFAULT, upload_bytes(fd, self->trace, self->trace_bytes + 1,
					NULL, (void *)1));
	EXPECT_GE(before + SLACK, charged_at_most(before + SLACK));
	close(fd);
}

/* Whoever is beyond the group's limit is told so, and nobody is killed. */
TEST_F(memcg, beyond_memory_max)
{
	struct built_trace small;
	uint64_t sequence = 0;
	uint32_t handle;
	char limit[32];
	int fd, other;

	build_everything(&small);
	other = open_device();
	fd = open_device();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload(other, &small, &handle));
	snprintf(limit, sizeof(limit), "%lld", charged() + 8 * MIB);
	ASSERT_EQ(0, write_text(GROUP "memory.max", limit));
	EXPECT_EQ(-ENOMEM, upload_large(self, fd, NULL));
	EXPECT_LT(0, events("max"));
	EXPECT_EQ(0, events("oom_kill"));
	EXPECT_EQ(0, launch(other, handle, 1, &sequence));
	EXPECT_EQ(0, wait_launch(other, sequence, PATIENCE_NS));
	ASSERT_EQ(0, write_text(GROUP "memory.max", "max"));
	EXPECT_EQ(0, upload_large(self, fd, NULL));
	close(other);
	close(fd);
}

/* Two of these traces are beyond SIMGPU_TENANT_BYTES_MAX while one is made. */
TEST_F_TIMEOUT(memcg, beyond_the_tenants_cap, 120)
{
	int fd = open_device(), other = open_device();

	ASSERT_LE(0, fd);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, munmap(self->trace, self->trace_bytes));
	self->trace = map_large_trace(SIMGPU_TENANT_BYTES_MAX * 2 / 5,
				      &self->trace_bytes);
	ASSERT_NE(NULL, self->trace);
	EXPECT_EQ(0, upload_large(self, fd, NULL));
	EXPECT_EQ(-ENOSPC, upload_large(self, fd, NULL));
	close(fd);
	/* The cap is each tenant's own. */
	EXPECT_EQ(0, upload_large(self, other, NULL));
	close(other);
}

/* What the group is charged for, once no processor has charged anything ahead. */
static long long charged_exactly(void)
{
	long long before, now = -1;
	int tries = 0;

	if (write_text(GROUP "memory.high", "0"))
		return -1;
	do {
		before = now;
		sleep_ms(5);
		now = charged();
	} while (now != before && ++tries < 100);
	return write_text(GROUP "memory.high", "max") ? -1 : now;
}

/*
 * Each thread of a device has some 30 KB, charged to who sets their number. The kernel
 * charges other things to the group at times, or gives them back, such as pages of its
 * caches: then it is measured once more.
 */
TEST_F(memcg, threads)
{
	long long before, taken = LLONG_MAX;
	int tries;

	for (tries = 0; tries < 8 && (taken < 16 << 10 || taken > 64 << 10); tries++) {
		before = charged_exactly();
		if (write_text(SYSFS "threads", "2"))
			SKIP(return, "there is one processor only");
		taken = charged_exactly() - before;
		TH_LOG("%lld bytes for one thread", taken);
		EXPECT_EQ(0, write_text(SYSFS "threads", "1"));
	}
	EXPECT_LE(16 << 10, taken);
	EXPECT_GE(64 << 10, taken);
	for (tries = 0; tries < 20 && charged_exactly() > before + 4 * PAGE; tries++)
		sleep_ms(50);
	EXPECT_GT(20, tries);
}

#define FILES		64
/* An open file's entries in sysfs, which are charged to no group. */
#define SYSFS_BYTES	12288

/* Whether what counts for files and small traces is what they take, within a tenth. */
static bool counts_what_is_taken(struct __test_metadata *_metadata, long long held_before)
{
	long long before = charged_exactly(), held, taken;
	struct built_trace small;
	int fds[FILES], i;

	build_stream(&small, 160, 50);
	for (i = 0; i < FILES; i++) {
		fds[i] = open_device();
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, upload(fds[i], &small, NULL));
	}
	taken = charged_exactly() - before;
	held = read_number(SYSFS "bytes_held") - held_before -
	       FILES * SYSFS_BYTES;
	for (i = 0; i < FILES; i++)
		close(fds[i]);
	TH_LOG("%lld counted, %lld taken", held, taken);
	return taken <= held + held / 10 && taken >= held - held / 10;
}

/* As above, it is measured once more where the kernel has charged something else. */
TEST_F(memcg, counted_is_taken)
{
	bool right = false;
	int tries;

	for (tries = 0; tries < 8 && !right; tries++)
		right = counts_what_is_taken(_metadata, self->held);
	EXPECT_TRUE(right);
}

TEST_HARNESS_MAIN

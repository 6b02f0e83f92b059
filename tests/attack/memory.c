// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: what a user makes the kernel hold is bounded, however many files and
 * processes it has, and what belongs to the device is not a tenant's to pay.
 */
#include "attack.h"

#include <sys/mman.h>

#include "../kselftest/harness.h"

#define MIB		(1LL << 20)
#define GROUP		"/sys/fs/cgroup/simgpu-attack"
#define FILES		400

FIXTURE(memory)
{
	int fds[FILES];
	int count;
	struct built_trace trace;
	char user_mib[64];
	char device_mib[64];
};

FIXTURE_SETUP(memory)
{
	build_everything(&self->trace);
	read_text(PARAMETERS "user_mib", self->user_mib, 64);
	read_text(SYSFS "device_mib", self->device_mib, 64);
	self->count = 0;
}

FIXTURE_TEARDOWN(memory)
{
	while (self->count)
		close(self->fds[--self->count]);
	neighbours_leave();
	root_writes(PARAMETERS "user_mib", self->user_mib);
	root_writes(SYSFS "device_mib", self->device_mib);
	root_writes(SYSFS "gang_makers", "privileged");
}

static int open_one(FIXTURE_DATA(memory) *self)
{
	int fd = self->count < FILES ? open_device() : -1;

	if (fd >= 0)
		self->fds[self->count++] = fd;
	return fd < 0 ? -errno : fd;
}

/* A trace with a large section at its end; its pages are of no cost here. */
static int upload_section(FIXTURE_DATA(memory) *self, int fd, size_t bytes,
			  int section, size_t element)
{
	const size_t size = self->trace.size + bytes;
	struct simgpu_trace_header *header;
	int ret;

	header = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (header == MAP_FAILED)
		return -errno;
	memcpy(header, self->trace.bytes, self->trace.size);
	header->sections[section].offset = self->trace.size;
	header->sections[section].count = bytes / element;
	header->total_bytes = size;
	header->checksum = 0;
	header->checksum = trace_crc32((unsigned char *)header, size);
	ret = upload_bytes(fd, header, size, NULL, NULL);
	munmap(header, size);
	return ret;
}

/* With lines that nothing uses. */
static int upload_large(FIXTURE_DATA(memory) *self, int fd, size_t bytes)
{
	return upload_section(self, fd, bytes, SIMGPU_TRACE_LINES, sizeof(uint32_t));
}

TEST_F(memory, who_may_open)
{
	struct stat status;

	ASSERT_EQ(0, stat(DEVICE, &status));
	EXPECT_EQ(0660, status.st_mode & 07777);
	EXPECT_STREQ("512", self->user_mib);
	EXPECT_EQ(-EACCES, write_text(PARAMETERS "user_mib", "100000"));
	EXPECT_EQ(-EACCES, write_text(SYSFS "device_mib", "100000"));
}

/* Files of one user count together, those of another do not. */
TEST_F(memory, of_a_user)
{
	int first, second;

	/* Memory of more than 2 MiB is taken in huge pages. */
	root_writes(PARAMETERS "user_mib", "10");
	first = open_one(self);
	second = open_one(self);
	ASSERT_LE(0, second);
	/* While it is checked, a copy counts, too. */
	EXPECT_EQ(0, upload_large(self, first, 3 * MIB));
	EXPECT_EQ(-EDQUOT, upload_large(self, second, 3 * MIB));
	ASSERT_LT(0, neighbour_opens(NEIGHBOUR));
	EXPECT_EQ(0, neighbours_launch(1));
	close(self->fds[0]);
	self->fds[0] = open_device();
	EXPECT_EQ(0, upload_large(self, second, 3 * MIB));
}

/* An open file has entries in sysfs, and those are memory, too. */
TEST_F(memory, of_many_files)
{
	int fd = 0;

	root_writes(PARAMETERS "user_mib", "1");
	while (fd >= 0 && self->count < FILES)
		fd = open_one(self);
	EXPECT_EQ(-EDQUOT, fd);
	EXPECT_LT(10, self->count);
	EXPECT_GT(200, self->count);
	close(self->fds[--self->count]);
	EXPECT_LE(0, open_one(self));
}

TEST_F(memory, of_a_device)
{
	int fd = open_one(self);

	ASSERT_LE(0, fd);
	root_writes(SYSFS "device_mib", "10");
	EXPECT_EQ(0, upload_large(self, fd, 3 * MIB));
	EXPECT_EQ(-ENOBUFS, upload_large(self, fd, 3 * MIB));
}

/* What counts is what the kernel takes: of huge pages, whole ones. */
TEST_F(memory, of_a_trace_that_fills_no_page)
{
	int fd = open_one(self);
	char text[256];
	long long held;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, root_reads(SYSFS "bytes_held", text));
	held = atoll(text);
	ASSERT_EQ(0, upload_large(self, fd, 2 * MIB + MIB / 16));
	ASSERT_EQ(0, root_reads(SYSFS "bytes_held", text));
	EXPECT_EQ(4 * MIB, atoll(text) - held);
}

/* A header names programs, for which the check takes memory before it looks at them. */
TEST_F(memory, of_what_a_header_names)
{
	int fd = open_one(self);

	ASSERT_LE(0, fd);
	root_writes(PARAMETERS "user_mib", "64");
	EXPECT_EQ(-EDQUOT, upload_section(self, fd, 14 * MIB, SIMGPU_TRACE_PROGRAMS,
					  sizeof(struct simgpu_trace_program)));
	root_writes(PARAMETERS "user_mib", "512");
	EXPECT_EQ(-EINVAL, upload_section(self, fd, 14 * MIB, SIMGPU_TRACE_PROGRAMS,
					  sizeof(struct simgpu_trace_program)));
}

/* A cgroup too small for a session is large enough for a launch. */
TEST_F(memory, of_the_device_s_session)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .stop_cycle = 10000,
	};
	uint32_t handle;
	int fd = open_one(self), ret;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload(fd, &self->trace, &handle));
	let_everybody_make_gangs();
	ASSERT_EQ(0, call(fd, SIMGPU_IOC_GANG_CREATE, &create));
	close(create.fd);
	ret = root_group(ROOT_MAKES_GROUP, GROUP, "4M");
	if (ret)
		SKIP(return, "there is no cgroup v2 with a memory controller");
	ASSERT_EQ(0, root_group(ROOT_MOVES, GROUP, ""));
	EXPECT_EQ(0, launch(fd, handle, 1, NULL));
	ASSERT_EQ(0, root_group(ROOT_MOVES, "/sys/fs/cgroup", ""));
	EXPECT_EQ(0, root_group(ROOT_REMOVES_GROUP, GROUP, ""));
}

TEST_HARNESS_MAIN

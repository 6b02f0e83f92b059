// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: what a user makes the kernel hold is bounded, however many files and
 * processes it has, and what belongs to the device is not a tenant's to pay.
 */
#include "attack.h"

#include <sys/eventfd.h>
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

/* Finishes and uploads a trace in mapped memory, which is given back. */
static int upload_mapped(int fd, struct simgpu_trace_header *header, size_t size)
{
	int ret;

	header->total_bytes = size;
	header->checksum = 0;
	header->checksum = trace_crc32((unsigned char *)header, size);
	ret = upload_bytes(fd, header, size, NULL, NULL);
	munmap(header, size);
	return ret;
}

/* A trace with a large section at its end; its pages are of no cost here. */
static int upload_section(FIXTURE_DATA(memory) *self, int fd, size_t bytes,
			  int section, size_t element)
{
	const size_t size = self->trace.size + bytes;
	struct simgpu_trace_header *header;

	header = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (header == MAP_FAILED)
		return -errno;
	memcpy(header, self->trace.bytes, self->trace.size);
	header->sections[section].offset = self->trace.size;
	header->sections[section].count = bytes / element;
	return upload_mapped(fd, header, size);
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

/* Of @count programs, which one kernel has, and @ops ops; all of them are zero. */
static int upload_programs(int fd, size_t count, size_t ops)
{
	const size_t op_bytes = ops * sizeof(struct simgpu_trace_op);
	struct simgpu_trace_header *header;
	struct simgpu_trace_kernel *kernel;
	struct built_trace small;
	size_t size;

	build_stream(&small, 160, 50);
	size = small.size + op_bytes + count * sizeof(struct simgpu_trace_program);
	header = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (header == MAP_FAILED)
		return -errno;
	memcpy(header, small.bytes, small.size);
	kernel = (void *)header + header->sections[SIMGPU_TRACE_KERNELS].offset;
	kernel->program_count = count;
	header->sections[SIMGPU_TRACE_PROGRAMS].offset = small.size + op_bytes;
	header->sections[SIMGPU_TRACE_PROGRAMS].count = count;
	if (ops) {
		header->sections[SIMGPU_TRACE_OPS].offset = small.size;
		header->sections[SIMGPU_TRACE_OPS].count = ops;
	}
	return upload_mapped(fd, header, size);
}

/* A header names programs, for which the check takes memory before it looks at them. */
TEST_F(memory, of_what_a_header_names)
{
	const size_t count = 14 * MIB / sizeof(struct simgpu_trace_program);
	int fd = open_one(self);

	ASSERT_LE(0, fd);
	root_writes(PARAMETERS "user_mib", "64");
	EXPECT_EQ(-EDQUOT, upload_programs(fd, count, count));
	root_writes(PARAMETERS "user_mib", "512");
	EXPECT_EQ(-EINVAL, upload_programs(fd, count, count));
}

/* It takes none for programs that the trace cannot have, or that are no kernel's. */
TEST_F(memory, of_what_a_header_only_names)
{
	const size_t count = 14 * MIB / sizeof(struct simgpu_trace_program);
	int fd = open_one(self);

	ASSERT_LE(0, fd);
	root_writes(PARAMETERS "user_mib", "64");
	EXPECT_EQ(-EINVAL, upload_programs(fd, count, 0));
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

/* A trace that has all of a tenant's addresses: its tables of pages take 752 KiB. */
static int launch_widest(FIXTURE_DATA(memory) *self, int fd)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .repeats = 1, .flags = SIMGPU_LAUNCH_MANAGED,
	};
	struct built_trace trace = self->trace;
	int ret;

	trace_header(&trace)->footprint_bytes = SIMGPU_TRACE_SPACE_BYTES;
	trace_seal(&trace);
	ret = upload(fd, &trace, &cmd.handle);
	return ret ?: call(fd, SIMGPU_IOC_LAUNCH, &cmd);
}

/* However often a tenant asks for pages, nothing more is held for it. */
TEST_F(memory, of_pages_that_are_asked_for)
{
	struct simgpu_mem_prefetch cmd = {
		.size = sizeof(cmd), .bytes = SIMGPU_TRACE_SPACE_BYTES,
	};
	int fd = open_one(self), refused = 0, i;
	long long held;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENXIO, call(fd, SIMGPU_IOC_MEM_PREFETCH, &cmd));
	root_writes(SYSFS "managed_mib", "4");
	ASSERT_EQ(0, launch_widest(self, fd));
	held = read_number(SYSFS "bytes_held");
	for (i = 0; i < 200; i++) {
		int ret = call(fd, SIMGPU_IOC_MEM_PREFETCH, &cmd);

		EXPECT_TRUE(!ret || ret == -ENOSPC);
		refused += !!ret;
	}
	EXPECT_LT(0, refused);
	EXPECT_EQ(held, read_number(SYSFS "bytes_held"));
	ASSERT_LT(0, neighbour_opens(NEIGHBOUR));
	EXPECT_EQ(0, neighbours_launch(1));
	close(self->fds[--self->count]);
	root_writes(SYSFS "managed_mib", "0");
}

/* Tables of managed memory count for their user, as traces do. */
TEST_F(memory, of_tables_of_pages)
{
	int ret, count = 0;

	EXPECT_EQ(-EACCES, write_text(SYSFS "managed_mib", "4"));
	EXPECT_EQ(-EACCES, write_text(SYSFS "memory_policy", "all"));
	root_writes(SYSFS "managed_mib", "4");
	root_writes(PARAMETERS "user_mib", "4");
	do {
		int fd = open_one(self);

		ret = fd < 0 ? fd : launch_widest(self, fd);
		count += !ret;
	} while (!ret);
	EXPECT_EQ(-EDQUOT, ret);
	EXPECT_EQ(5, count);
	/* Those of others do not. */
	ASSERT_LT(0, neighbour_opens(NEIGHBOUR));
	EXPECT_EQ(0, neighbours_launch(1));
	/* And they are gone with the file. */
	close(self->fds[0]);
	self->fds[0] = open_device();
	EXPECT_EQ(0, launch_widest(self, self->fds[0]));
	while (self->count)
		close(self->fds[--self->count]);
	root_writes(SYSFS "managed_mib", "0");
}

/* --- gangs at once --- */

#define GANGS		60
/* How often one gang is made to see what the kernel takes for it. */
#define SAMPLES		10

/* What the kernel has taken in pages that need not lie side by side, in KiB. */
static long long kernel_takes(void)
{
	char text[4096];
	const char *at;

	if (read_text("/proc/meminfo", text, sizeof(text)))
		return -1;
	at = strstr(text, "VmallocUsed:");
	return at ? atoll(at + strlen("VmallocUsed:")) : -1;
}

/* Makes a gang as soon as the others are ready, too. */
static void run_maker(int ready)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .stop_cycle = 10000,
	};
	int fd = open_device();
	char byte;

	/* The pipe's other end is closed when all have been started. */
	if (read(ready, &byte, 1))
		_exit(1);
	call(fd, SIMGPU_IOC_GANG_CREATE, &create);
	_exit(0);
}

/* The most, in KiB, that the kernel takes more while so many gangs are made. */
static long long peak_of_gangs(int count)
{
	long long before = 0, peak = 0, now;
	int ready[2], i, running = count;

	if (pipe(ready))
		return -1;
	for (i = 0; i < count; i++) {
		if (fork())
			continue;
		close(ready[1]);
		run_maker(ready[0]);
	}
	close(ready[0]);
	before = kernel_takes();
	close(ready[1]);
	while (running) {
		now = kernel_takes();
		peak = now > peak ? now : peak;
		while (running && waitpid(-1, NULL, WNOHANG) > 0)
			running--;
	}
	return peak - before;
}

/* One gets the device. The others learn that before a session is made for them. */
TEST_F_TIMEOUT(memory, of_gangs_at_once, 120)
{
	long long one = 0, all, now;
	int i;

	let_everybody_make_gangs();
	for (i = 0; i < SAMPLES; i++) {
		now = peak_of_gangs(1);
		one = now > one ? now : one;
	}
	all = peak_of_gangs(GANGS);
	TH_LOG("%lld KiB for one gang, %lld for %d", one, all, GANGS);
	EXPECT_LT(1024, one);
	EXPECT_GT(4 * one, all);
}

/* --- in a cgroup that is full --- */

#define PAGE		4096LL
#define PAGES_MAX	512
/* Files of the kernel's, each a little less than the smallest object that is tried. */
#define SHIFTS		12

/*
 * struct squeezed - a process in a full cgroup, whose memory has been touched before
 * @trace: that it uploads
 * @fd: its tenant
 * @asks: whether it asks for a cgroup with @room bytes of room; in shared memory, as a
 *	message would be charged
 * @room: of the cgroup
 * @result: of making that room
 */
struct squeezed {
	const struct built_trace *trace;
	int fd;
	volatile bool asks;
	volatile long long room;
	volatile long result;
};

static long ask_for_room(struct squeezed *process, long long room)
{
	process->room = room;
	process->asks = true;
	while (process->asks)
		sleep_ms(1);
	return process->result;
}

/* The process's parent, which is not in the cgroup; what became of the process. */
static int make_room_for(struct squeezed *process, pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, WNOHANG) == 0) {
		if (process->asks) {
			process->result = root_fills(GROUP, process->room);
			process->asks = false;
		}
		sleep_ms(1);
	}
	return status;
}

static int squeezed_opens(struct squeezed *process)
{
	int fd = open_device();

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int squeezed_uploads(struct squeezed *process)
{
	uint32_t handle;
	int ret = upload(process->fd, process->trace, &handle);

	return ret ?: trace_remove(process->fd, handle);
}

static int squeezed_makes_a_gang(struct squeezed *process)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .stop_cycle = 10000,
	};
	int ret = call(process->fd, SIMGPU_IOC_GANG_CREATE, &create);

	if (!ret)
		close(create.fd);
	return ret;
}

static int squeezed_queues(struct squeezed *process)
{
	uint64_t sequence;
	int ret = launch(process->fd, 1, 1, &sequence);

	/* Not PATIENCE_NS, which looks into /proc. */
	return ret ?: wait_launch(process->fd, sequence, -1);
}

/*
 * Each is made with more and more room. The least room with which it succeeds is tried
 * again and again, each time with another part of a page free: what is small is
 * charged in whole pages.
 */
static const struct {
	const char *name;
	int (*make)(struct squeezed *process);
	/* The kernel itself allocates a file, which it may kill for. */
	int first_page;
} squeezed_calls[] = {
	{ "open()", squeezed_opens, 1 },
	{ "TRACE_UPLOAD", squeezed_uploads, 0 },
	{ "GANG_CREATE", squeezed_makes_a_gang, 0 },
	{ "LAUNCH", squeezed_queues, 0 },
};

/* More than the process ever has open. */
#define DESCRIPTORS	1000
#define SQUEEZED_CALLS	(int)(sizeof(squeezed_calls) / sizeof(*squeezed_calls))

/* What the call with so much room returns, of which 0 and -ENOMEM are right. */
static int squeeze(int call, struct squeezed *process, int pages)
{
	int ret = ask_for_room(process, pages * PAGE);

	return ret ?: squeezed_calls[call].make(process);
}

static bool squeeze_holds(int call, struct squeezed *process)
{
	const int first = squeezed_calls[call].first_page;
	int pages = first, shift, ret;

	do {
		ret = squeeze(call, process, pages);
	} while (ret == -ENOMEM && ++pages < PAGES_MAX);
	for (shift = 0; shift < SHIFTS && !ret; shift++) {
		if (ask_for_room(process, MIB) || eventfd(0, 0) < 0)
			return false;
		ret = squeeze(call, process, first);
		if (ret == -ENOMEM || !ret)
			ret = squeeze(call, process, pages > first ? pages - 1 : first);
		if (ret == -ENOMEM)
			ret = 0;
	}
	return !ret;
}

/* Opens files until the table of the next one's numbers has to grow. */
static void open_to_a_full_table(void)
{
	while (open_device() >= 0 && newest_tenant() % 64 != 63)
		;
}

/* In the group; ends with the number of the call that went wrong, from 1, or 0. */
static void run_squeezed(struct squeezed *process)
{
	int i;

	process->fd = open_device();
	/* Its table of descriptors has grown: the kernel may kill where it grows. */
	close(fcntl(process->fd, F_DUPFD, DESCRIPTORS));
	for (i = 0; i < SQUEEZED_CALLS; i++)
		squeezed_calls[i].make(process);
	open_to_a_full_table();
	if (root_group(ROOT_MOVES, GROUP, ""))
		_exit(100);
	/* A fork's pages are copied as they are written. */
	for (i = 0; i < SQUEEZED_CALLS; i++)
		squeezed_calls[i].make(process);
	for (i = 0; i < SQUEEZED_CALLS; i++) {
		/* So that there is a trace to launch. */
		if (squeezed_calls[i].make == squeezed_queues &&
		    upload(process->fd, process->trace, NULL))
			_exit(100);
		if (!squeeze_holds(i, process))
			_exit(i + 1);
		if (ask_for_room(process, 64 * MIB))
			_exit(100);
	}
	_exit(0);
}

/* Whoever makes something in a full cgroup gets ENOMEM, and nobody is killed. */
TEST_F_TIMEOUT(memory, of_a_full_cgroup, 240)
{
	struct squeezed *process;
	char text[256];
	int status, ret;
	pid_t child;

	process = mmap(NULL, sizeof(*process), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, process);
	process->trace = &self->trace;
	let_everybody_make_gangs();
	ret = root_group(ROOT_MAKES_GROUP, GROUP, "64M");
	if (ret)
		SKIP(return, "there is no cgroup v2 with a memory controller");
	child = fork();
	if (!child)
		run_squeezed(process);
	ASSERT_LT(0, child);
	status = make_room_for(process, child);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status)) {
		TH_LOG("status %d", WEXITSTATUS(status));
	}
	EXPECT_EQ(0, root_reads(GROUP "/memory.events", text));
	EXPECT_NE(NULL, strstr(text, "oom_kill 0")) {
		TH_LOG("%s", text);
	}
	EXPECT_EQ(0, root_group(ROOT_REMOVES_GROUP, GROUP, ""));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Managed memory on a device of its own with 4 MiB for it: the flag of a launch and its
 * errors, what is told, limits, two processes that want more than there is, kill in the middle
 * of migrations, and a device that is removed then.
 */
#include <signal.h>
#include <sys/wait.h>

#include "made_device.h"
#include "harness.h"

#define MIB		(1ULL << 20)
/* Thread blocks of build_stream() with 8 lines a warp: 8 KiB each. */
#define BLOCKS_OF(mib)	((mib) * 128)

FIXTURE(managed)
{
	struct made_device device;
	int fd;
	struct built_trace trace;
	uint32_t small;		/* 3 MiB */
	uint32_t large;		/* 8 MiB */
};

/* The same trace on another file. */
static int upload_stream(FIXTURE_DATA(managed) *self, int fd, uint32_t mib, uint32_t *handle)
{
	build_stream(&self->trace, BLOCKS_OF(mib), 8);
	return upload(fd, &self->trace, handle);
}

FIXTURE_SETUP(managed)
{
	ASSERT_EQ(0, make_device(&self->device, "managed",
				 "base = hbm80\nname = paging\nsms = 2\nmanaged_mb = 4\n"));
	self->fd = open_made(&self->device);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, upload_stream(self, self->fd, 3, &self->small));
	ASSERT_EQ(0, upload_stream(self, self->fd, 8, &self->large));
}

FIXTURE_TEARDOWN(managed)
{
	close(self->fd);
	remove_device(&self->device);
}

static int set(FIXTURE_DATA(managed) *self, const char *file, const char *text)
{
	return write_text(made_path(&self->device, file), text);
}

static long long get(FIXTURE_DATA(managed) *self, const char *file)
{
	return read_number(made_path(&self->device, file));
}

static int launch_managed(int fd, uint32_t handle, uint64_t repeats, uint32_t queue,
			  uint64_t *sequence)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = handle, .repeats = repeats,
		.flags = SIMGPU_LAUNCH_MANAGED, .queue = queue,
	};
	int ret = call(fd, SIMGPU_IOC_LAUNCH, &cmd);

	if (!ret && sequence)
		*sequence = cmd.sequence;
	return ret;
}

static int prefetch(int fd, uint64_t offset, uint64_t bytes)
{
	struct simgpu_mem_prefetch cmd = {
		.size = sizeof(cmd), .offset = offset, .bytes = bytes,
	};

	return call(fd, SIMGPU_IOC_MEM_PREFETCH, &cmd);
}

static int advise(int fd, uint32_t advice, uint64_t offset, uint64_t bytes)
{
	struct simgpu_mem_advise cmd = {
		.size = sizeof(cmd), .advice = advice, .offset = offset, .bytes = bytes,
	};

	return call(fd, SIMGPU_IOC_MEM_ADVISE, &cmd);
}

/* A launch from its beginning to its end. */
static int run_managed(int fd, uint32_t handle)
{
	uint64_t sequence;
	int ret = launch_managed(fd, handle, 1, 0, &sequence);

	return ret ? ret : wait_launch(fd, sequence, PATIENCE_NS);
}

/* Waits until a tenant has had more than so many faults. */
static bool faults_above(int fd, uint64_t above)
{
	double until = seconds_now() + PATIENCE_NS / 1e9;
	struct full_report report;

	while (seconds_now() < until) {
		if (!tenant_report(fd, &report) && COUNT(report, FAULTS) > above)
			return true;
		sleep_ms(10);
	}
	return false;
}

static unsigned long long copied_in(int fd)
{
	struct full_report report;

	return tenant_report(fd, &report) ? 0 : COUNT(report, COPIED_IN_BYTES);
}

TEST_F(managed, pages_come_and_are_told_of)
{
	struct full_report report;

	ASSERT_EQ(0, run_managed(self->fd, self->small));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_EQ(3 * MIB, report.figures.managed_bytes);
	EXPECT_EQ(3 * MIB, report.figures.resident_bytes);
	EXPECT_LT(0, COUNT(report, FAULTS));
	EXPECT_EQ(3 * MIB, COUNT(report, COPIED_IN_BYTES));
	EXPECT_EQ(0, COUNT(report, PAGES_EVICTED));
	/* More than there is. */
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_EQ(8 * MIB, report.figures.managed_bytes);
	EXPECT_GE(4 * MIB, report.figures.resident_bytes);
	EXPECT_LT(0, report.figures.resident_bytes);
	EXPECT_LT(0, COUNT(report, PAGES_EVICTED));
}

/* A number behind a key of a file's text; -1: it is not there. */
static long long number_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

TEST_F(managed, files_tell_of_it)
{
	char path[160], text[4096];
	long long held;

	EXPECT_EQ(-1, get(self, "memory_bytes"));
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	EXPECT_EQ(4 * MIB, get(self, "memory_bytes"));
	EXPECT_EQ(4 * MIB, get(self, "memory_used_bytes"));
	EXPECT_EQ(8 * MIB, get(self, "tenants/1/managed_bytes"));
	held = get(self, "tenants/1/resident_bytes");
	EXPECT_LT(0, held);
	EXPECT_GE(4 * MIB, held);
	EXPECT_LT(0, get(self, "tenants/1/page_faults"));
	EXPECT_LE(8 * MIB, get(self, "tenants/1/paged_in_bytes"));
	/* It was only read. */
	EXPECT_EQ(0, get(self, "tenants/1/paged_out_bytes"));
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->fd);
	ASSERT_EQ(0, read_text(path, text, sizeof(text)));
	EXPECT_EQ(8192, number_of(text, "drm-total-managed:\t"));
	EXPECT_EQ(held >> 10, number_of(text, "drm-resident-managed:\t"));
	/* Chunks of who leaves are free. */
	close(self->fd);
	EXPECT_EQ(0, get(self, "memory_used_bytes"));
}


/* How often a file of the kernel's has some words. */
static int count_words(const char *path, const char *words)
{
	FILE *file = fopen(path, "r");
	char line[512];
	int count = 0;

	while (file && fgets(line, sizeof(line), file))
		count += !!strstr(line, words);
	if (file)
		fclose(file);
	return count;
}

TEST_F(managed, batches_and_evictions_are_traced)
{
	struct full_report report;

	if (access(TRACING "events/simgpu/enable", F_OK))
		SKIP(return, "the kernel has no event tracing");
	ASSERT_EQ(0, forget_events());
	ASSERT_EQ(0, write_text(TRACING "events/simgpu/simgpu_fault_batch/enable", "1"));
	ASSERT_EQ(0, write_text(TRACING "events/simgpu/simgpu_evicted/enable", "1"));
	EXPECT_EQ(0, run_managed(self->fd, self->large));
	EXPECT_EQ(0, write_text(TRACING "events/simgpu/enable", "0"));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_EQ(COUNT(report, FAULT_BATCHES),
		  count_words(TRACING "trace", "simgpu_fault_batch: device="));
	EXPECT_EQ(COUNT(report, CHUNKS_EVICTED),
		  count_words(TRACING "trace", "simgpu_evicted: device="));
	EXPECT_LT(0, COUNT(report, CHUNKS_EVICTED));
}

TEST_F(managed, errors_of_the_flag)
{
	uint64_t sequence;

	/* Launches under way that it would come too late for. */
	ASSERT_EQ(0, launch(self->fd, self->small, 20, &sequence));
	EXPECT_EQ(-EBUSY, launch_managed(self->fd, self->small, 1, 1, NULL));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	ASSERT_EQ(0, run_managed(self->fd, self->small));
	/* All of its memory is managed now. */
	EXPECT_EQ(-EINVAL, launch(self->fd, self->large, 1, NULL));
	ASSERT_EQ(0, launch(self->fd, self->small, 1, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	EXPECT_EQ(-ENOENT, launch_managed(self->fd, 99, 1, 0, NULL));
	EXPECT_EQ(-EINVAL, launch_managed(self->fd, self->small, 0, 0, NULL));
}

TEST_F(managed, devices_without)
{
	int fd = open_device();
	uint32_t handle;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload_stream(self, fd, 3, &handle));
	EXPECT_EQ(-EOPNOTSUPP, launch_managed(fd, handle, 1, 0, NULL));
	close(fd);
	/* Nor in sampled time. */
	ASSERT_EQ(0, set(self, "sampled", "5"));
	EXPECT_EQ(-EOPNOTSUPP, launch_managed(self->fd, self->small, 1, 0, NULL));
}

/* A stream of which some part is managed, as its trace says. */
static int upload_parts(FIXTURE_DATA(managed) *self, int fd, uint32_t mib,
			const struct trace_part *parts, size_t count, uint32_t *handle)
{
	build_stream(&self->trace, BLOCKS_OF(mib), 8);
	trace_allocate(&self->trace, parts, count);
	return upload(fd, &self->trace, handle);
}

TEST_F(managed, a_part_of_it)
{
	const struct trace_part parts[] = {
		{ 0, 2 * MIB, SIMGPU_TRACE_DEVICE },
		{ 2 * MIB, 4 * MIB, SIMGPU_TRACE_MANAGED },
		{ 6 * MIB, 2 * MIB, SIMGPU_TRACE_DEVICE },
	};
	struct full_report report;
	uint64_t sequence;
	uint32_t handle;

	ASSERT_EQ(0, upload_parts(self, self->fd, 8, parts, 3, &handle));
	ASSERT_EQ(0, launch(self->fd, handle, 1, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_EQ(4 * MIB, report.figures.managed_bytes);
	EXPECT_EQ(4 * MIB, report.figures.resident_bytes);
	EXPECT_EQ(4 * MIB, COUNT(report, COPIED_IN_BYTES));
	EXPECT_LT(0, COUNT(report, FAULTS));
	/* Its tables are counted for the tenant as long as it has its slot. */
	EXPECT_LT(0, get(self, "bytes_held"));
	/* It may ask for all of its memory; what is managed is there. */
	EXPECT_EQ(0, prefetch(self->fd, 0, 8 * MIB));
	EXPECT_EQ(-EINVAL, prefetch(self->fd, 0, 8 * MIB + 1));
	/* The flag manages the rest, once no launch is under way. */
	ASSERT_EQ(0, run_managed(self->fd, handle));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_EQ(8 * MIB, report.figures.managed_bytes);
}

TEST_F(managed, errors_of_parts)
{
	const struct trace_part part = { 0, 2 * MIB, SIMGPU_TRACE_MANAGED };
	const struct trace_part other = { 2 * MIB, 1 * MIB, SIMGPU_TRACE_MANAGED };
	struct simgpu_arrivals arrivals = {
		.size = sizeof(arrivals), .kind = SIMGPU_ARRIVALS_EVERY, .launches = 1,
		.requests = 2, .every_cycles = 1000,
	};
	uint32_t handle, second;
	uint64_t sequence;
	int fd = open_device();

	/* A device without memory for it */
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload_parts(self, fd, 3, &part, 1, &handle));
	EXPECT_EQ(-EOPNOTSUPP, launch(fd, handle, 1, NULL));
	close(fd);
	ASSERT_EQ(0, upload_parts(self, self->fd, 3, &part, 1, &handle));
	ASSERT_EQ(0, upload_parts(self, self->fd, 3, &other, 1, &second));
	/* Requests make nothing managed, but run in what a launch has made so. */
	arrivals.handle = handle;
	EXPECT_EQ(-EOPNOTSUPP, call(self->fd, SIMGPU_IOC_ARRIVALS, &arrivals));
	ASSERT_EQ(0, launch(self->fd, handle, 20, &sequence));
	/* What is on the device for launches under way stays there. */
	EXPECT_EQ(-EBUSY, launch(self->fd, second, 1, NULL));
	EXPECT_EQ(-EINVAL, launch(self->fd, self->large, 1, NULL));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_ARRIVALS, &arrivals));
	ASSERT_EQ(0, wait_launch(self->fd, arrivals.sequence, PATIENCE_NS));
	ASSERT_EQ(0, launch(self->fd, second, 1, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
}

TEST_F(managed, settings)
{
	char text[64];

	EXPECT_EQ(0, get(self, "managed_mib"));
	EXPECT_EQ(-EINVAL, set(self, "managed_mib", "3"));
	EXPECT_EQ(-EINVAL, set(self, "managed_mib", "131074"));
	EXPECT_EQ(0, set(self, "managed_mib", "16"));
	EXPECT_EQ(-EINVAL, set(self, "memory_policy", "none"));
	EXPECT_EQ(0, set(self, "memory_policy", "lfu"));
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	EXPECT_EQ(-EBUSY, set(self, "managed_mib", "4"));
	EXPECT_EQ(16, get(self, "managed_mib"));
	EXPECT_EQ(0, set(self, "memory_policy", "all"));
	ASSERT_EQ(0, read_text(made_path(&self->device, "memory_policy"), text,
			       sizeof(text)));
	EXPECT_STREQ("all", text);
	/* With its last tenant it is free. */
	close(self->fd);
	EXPECT_EQ(0, set(self, "managed_mib", "4"));
	self->fd = open_made(&self->device);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, upload_stream(self, self->fd, 8, &self->large));
	EXPECT_EQ(0, run_managed(self->fd, self->large));
}

/* Tables of pages count for the tenant until its file is closed. */
TEST_F(managed, tables_are_counted)
{
	long long before, small, large;

	before = get(self, "bytes_held");
	ASSERT_EQ(0, run_managed(self->fd, self->small));
	small = get(self, "bytes_held");
	EXPECT_LT(before, small);
	/* Those of a larger launch replace them; the same again costs nothing. */
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	large = get(self, "bytes_held");
	EXPECT_LT(small, large);
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	EXPECT_EQ(large, get(self, "bytes_held"));
	close(self->fd);
	EXPECT_EQ(0, get(self, "bytes_held"));
	self->fd = open_made(&self->device);
	ASSERT_EQ(0, upload_stream(self, self->fd, 3, &self->small));
	ASSERT_EQ(0, upload_stream(self, self->fd, 8, &self->large));
	EXPECT_EQ(before, get(self, "bytes_held"));
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	EXPECT_EQ(large, get(self, "bytes_held"));
}

/* A trace whose tables of pages take two thirds of a MiB. */
static int upload_widest(FIXTURE_DATA(managed) *self, int fd, uint32_t *handle)
{
	build_stream(&self->trace, 16, 8);
	trace_header(&self->trace)->footprint_bytes = SIMGPU_TRACE_SPACE_BYTES;
	trace_seal(&self->trace);
	return upload(fd, &self->trace, handle);
}

/* At the limit of the device a launch is refused, and costs nothing. */
TEST_F(managed, tables_have_a_limit)
{
	int fd = open_made(&self->device);
	uint32_t mine, others;
	long long before;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload_widest(self, self->fd, &mine));
	ASSERT_EQ(0, upload_widest(self, fd, &others));
	ASSERT_EQ(0, set(self, "device_mib", "1"));
	ASSERT_EQ(0, run_managed(fd, others));
	before = get(self, "bytes_held");
	EXPECT_LT(600000, before);
	EXPECT_EQ(-ENOBUFS, launch_managed(self->fd, mine, 1, 0, NULL));
	EXPECT_EQ(before, get(self, "bytes_held"));
	/* Without the flag it needs none. */
	EXPECT_EQ(0, launch(self->fd, mine, 1, NULL));
	close(fd);
}

/* A child that pages without an end; its process, or 0. */
static pid_t start_paging(FIXTURE_DATA(managed) *self, int *fd)
{
	uint32_t handle;
	pid_t child;

	*fd = open_made(&self->device);
	if (*fd < 0 || upload_stream(self, *fd, 8, &handle) ||
	    launch_managed(*fd, handle, FOR_EVER, 0, NULL))
		return 0;
	child = fork();
	if (!child) {
		for (;;)
			pause();
	}
	return child;
}

TEST_F_TIMEOUT(managed, two_share_too_little_memory, 200)
{
	struct full_report one, two;
	uint32_t handle;
	int fd = open_made(&self->device);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload_stream(self, fd, 3, &handle));
	ASSERT_EQ(0, launch_managed(self->fd, self->small, FOR_EVER, 0, NULL));
	ASSERT_EQ(0, launch_managed(fd, handle, FOR_EVER, 0, NULL));
	EXPECT_TRUE(faults_above(self->fd, 100));
	EXPECT_TRUE(faults_above(fd, 100));
	ASSERT_EQ(0, tenant_report(self->fd, &one));
	ASSERT_EQ(0, tenant_report(fd, &two));
	EXPECT_LT(0, COUNT(one, PAGES_AGAIN));
	EXPECT_LT(0, COUNT(two, PAGES_AGAIN));
	EXPECT_GE(4 * MIB, one.figures.resident_bytes);
	EXPECT_GE(4 * MIB, two.figures.resident_bytes);
	close(fd);
	/* The other one goes on, with all of the memory. */
	EXPECT_TRUE(faults_above(self->fd, COUNT(one, FAULTS)));
}

TEST_F_TIMEOUT(managed, kill_in_the_middle, 200)
{
	int fd[2], i;
	pid_t child[2];

	for (i = 0; i < 2; i++) {
		child[i] = start_paging(self, &fd[i]);
		ASSERT_LT(0, child[i]);
	}
	for (i = 0; i < 2; i++)
		EXPECT_TRUE(faults_above(fd[i], 50));
	/* The children alone hold the files. */
	for (i = 0; i < 2; i++)
		close(fd[i]);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, kill(child[i], SIGKILL));
		EXPECT_EQ(child[i], waitpid(child[i], NULL, 0));
	}
	/* All memory is there again. */
	EXPECT_EQ(0, run_managed(self->fd, self->small));
}

TEST_F_TIMEOUT(managed, removal_in_the_middle, 200)
{
	struct full_report report;
	pid_t child;
	int fd;

	child = start_paging(self, &fd);
	ASSERT_LT(0, child);
	EXPECT_TRUE(faults_above(fd, 50));
	EXPECT_EQ(0, remove_device(&self->device));
	EXPECT_EQ(-ENODEV, tenant_report(fd, &report));
	EXPECT_EQ(-ENODEV, launch_managed(self->fd, self->small, 1, 0, NULL));
	EXPECT_EQ(0, kill(child, SIGKILL));
	EXPECT_EQ(child, waitpid(child, NULL, 0));
	close(fd);
}

/* Of a gang: another size, another policy, and what its file tells at the end. */
TEST_F_TIMEOUT(managed, of_a_gang, 200)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1, .managed_mib = 6,
		.memory_policy = 1, .stop_cycle = 3000000, .flags = SIMGPU_GANG_RELAUNCH,
	};
	struct simgpu_gang_status status;
	struct full_report report;
	uint64_t sequence;

	create.reserved5[1] = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_GANG_CREATE, &create));
	create.reserved5[1] = 0;
	create.managed_mib = 5;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_GANG_CREATE, &create));
	create.managed_mib = 6;
	create.memory_policy = 200;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_GANG_CREATE, &create));
	create.memory_policy = 1;
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &create));
	ASSERT_EQ(0, gang_join(self->fd, create.fd, 0));
	ASSERT_EQ(0, launch_managed(self->fd, self->large, 1, 0, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	ASSERT_EQ(0, gang_status(create.fd, &status));
	EXPECT_EQ(SIMGPU_GANG_DONE, status.state);
	EXPECT_EQ(3, status.memory_chunks);
	EXPECT_EQ(3, status.memory_chunks_used);
	EXPECT_STREQ("demand", status.memory_policy);
	EXPECT_STREQ("", status.memory_refusal);
	ASSERT_EQ(0, gang_report(create.fd, 0, &report));
	EXPECT_EQ(8 * MIB, report.figures.managed_bytes);
	EXPECT_EQ(0, COUNT(report, PAGES_PREFETCHED));
	close(create.fd);
}

/* A launch in a gang that starts late enough for its pages to have come. */
TEST_F_TIMEOUT(managed, pages_are_asked_for, 200)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
	};
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = self->small, .repeats = 1,
		.not_before_cycle = 1000000,
		.flags = SIMGPU_LAUNCH_MANAGED | SIMGPU_LAUNCH_MORE,
	};
	struct full_report report;

	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &create));
	ASSERT_EQ(0, gang_join(self->fd, create.fd, 0));
	EXPECT_EQ(-ENXIO, prefetch(self->fd, 0, 3 * MIB));
	/* The gang has not started yet. */
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	ASSERT_EQ(0, prefetch(self->fd, 0, 3 * MIB));
	cmd.flags = SIMGPU_LAUNCH_MANAGED;
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	ASSERT_EQ(0, wait_launch(self->fd, cmd.sequence, PATIENCE_NS));
	ASSERT_EQ(0, gang_report(create.fd, 0, &report));
	EXPECT_EQ(0, COUNT(report, FAULTS));
	EXPECT_EQ(3 * MIB, COUNT(report, COPIED_IN_BYTES));
	EXPECT_EQ(3 * MIB / COUNT(report, PAGES_IN), 65536);
	EXPECT_EQ(COUNT(report, PAGES_IN), COUNT(report, PAGES_PREFETCHED));
	EXPECT_EQ(-ECANCELED, prefetch(self->fd, 0, 3 * MIB));
	close(create.fd);
}

/* A gang of one launch begins with it, so it asks for its own pages. */
TEST_F_TIMEOUT(managed, launches_ask_for_their_pages, 200)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
	};
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = self->small, .repeats = 1,
		.not_before_cycle = 1000000, .flags = SIMGPU_LAUNCH_PREFETCH,
	};
	struct full_report report;

	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &create));
	ASSERT_EQ(0, gang_join(self->fd, create.fd, 0));
	EXPECT_EQ(-ENXIO, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	cmd.flags |= SIMGPU_LAUNCH_MANAGED;
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	ASSERT_EQ(0, wait_launch(self->fd, cmd.sequence, PATIENCE_NS));
	ASSERT_EQ(0, gang_report(create.fd, 0, &report));
	EXPECT_EQ(0, COUNT(report, FAULTS));
	EXPECT_EQ(COUNT(report, PAGES_IN), COUNT(report, PAGES_PREFETCHED));
	close(create.fd);
}

/* Parameters of the memory policy in force are files, which go with it. */
TEST_F(managed, parameters_of_the_memory_policy)
{
	char text[32];

	ASSERT_EQ(0, set(self, "memory_policy", "uvm-thrash"));
	EXPECT_EQ(10, get(self, "memory_params/pin_threshold"));
	ASSERT_EQ(0, set(self, "memory_params/pin_threshold", "5"));
	EXPECT_EQ(5, get(self, "memory_params/pin_threshold"));
	EXPECT_EQ(-EINVAL, set(self, "memory_params/pin_threshold", "1001"));
	EXPECT_EQ(-EINVAL, set(self, "memory_params/pin_threshold", "x"));
	EXPECT_EQ(5, get(self, "memory_params/pin_threshold"));
	/* They hold in later sessions, and in one that runs. */
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	EXPECT_EQ(5, get(self, "memory_params/pin_threshold"));
	ASSERT_EQ(0, set(self, "memory_params/tree_threshold", "0.25"));
	ASSERT_EQ(0, read_text(made_path(&self->device, "memory_params/tree_threshold"),
			       text, sizeof(text)));
	EXPECT_STREQ("0.250000", text);
	ASSERT_EQ(0, set(self, "memory_policy", "stride"));
	EXPECT_EQ(16, get(self, "memory_params/ahead"));
	EXPECT_NE(0, read_text(made_path(&self->device, "memory_params/pin_threshold"),
			       text, sizeof(text)));
	ASSERT_EQ(0, set(self, "memory_policy", "uvm-thrash"));
	EXPECT_EQ(10, get(self, "memory_params/pin_threshold"));
}

/* Limits of a tenant, and of its cgroup: at the lower max it keeps one chunk of two. */
TEST_F_TIMEOUT(managed, limits, 200)
{
	struct simgpu_tenant_config cmd = {
		.size = sizeof(cmd), .weight = 1, .name = "limited",
		.memory_min = 1, .memory_low = 4 * MIB, .memory_max = 3 * MIB,
	};
	struct full_report report;
	char rule[96], text[128];

	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_TENANT_CONFIG, &cmd));
	EXPECT_EQ(1, get(self, "tenants/1/memory_min"));
	EXPECT_EQ(4 * MIB, get(self, "tenants/1/memory_low"));
	EXPECT_EQ(3 * MIB, get(self, "tenants/1/memory_max"));
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_EQ(2 * MIB, report.figures.resident_bytes);
	EXPECT_EQ(-EINVAL, set(self, "tenants/1/memory_min", "3145729"));
	EXPECT_EQ(-EINVAL, set(self, "tenants/1/memory_max", "1x"));
	ASSERT_EQ(0, set(self, "tenants/1/memory_max", "0"));
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_LT(2 * MIB, report.figures.resident_bytes);

	snprintf(rule, sizeof(rule), "%lld memory_low=1 memory_max=2097152",
		 get(self, "tenants/1/cgroup_id"));
	ASSERT_EQ(0, set(self, "cgroups", rule));
	ASSERT_EQ(0, read_text(made_path(&self->device, "cgroups"), text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, " weight=0 slots=64 memory_low=1 memory_max=2097152"));
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_EQ(2 * MIB, report.figures.resident_bytes);
	snprintf(rule, sizeof(rule), "%lld memory_min=2 memory_max=1",
		 get(self, "tenants/1/cgroup_id"));
	EXPECT_EQ(-EINVAL, set(self, "cgroups", rule));
	/* The rule is for others, too, and goes with an id alone. */
	snprintf(rule, sizeof(rule), "%lld", get(self, "tenants/1/cgroup_id"));
	ASSERT_EQ(0, set(self, "cgroups", rule));
	ASSERT_EQ(0, read_text(made_path(&self->device, "cgroups"), text, sizeof(text)));
	EXPECT_STREQ("", text);
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_LT(2 * MIB, report.figures.resident_bytes);
}

TEST_F(managed, errors_of_asking)
{
	struct simgpu_mem_prefetch cmd = {
		.size = sizeof(cmd), .flags = 1, .bytes = 1,
	};
	struct full_report report;
	int i;

	EXPECT_EQ(-ENXIO, prefetch(self->fd, 0, 1));
	EXPECT_EQ(-EINVAL, prefetch(self->fd, 0, 0));
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_MEM_PREFETCH, &cmd));
	ASSERT_EQ(0, run_managed(self->fd, self->small));
	EXPECT_EQ(-EINVAL, prefetch(self->fd, 3 * MIB, 1));
	EXPECT_EQ(-EINVAL, prefetch(self->fd, 1, 3 * MIB));
	EXPECT_EQ(-EINVAL, prefetch(self->fd, UINT64_MAX, 2));
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_MEM_PREFETCH, &cmd));
	/* Nobody has work, so that time stands still and they wait. */
	for (i = 0; i < SIMGPU_PREFETCHES_MAX; i++)
		EXPECT_EQ(0, prefetch(self->fd, i << 16, 1));
	EXPECT_EQ(-ENOSPC, prefetch(self->fd, 0, 1));
	/* All of that is there already. */
	ASSERT_EQ(0, run_managed(self->fd, self->small));
	EXPECT_EQ(0, prefetch(self->fd, 0, 1));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_EQ(3 * MIB, COUNT(report, COPIED_IN_BYTES));
}

/* What is to stay on the host is not copied, and what was freed not back. */
TEST_F(managed, advice)
{
	struct full_report report;

	EXPECT_EQ(-ENXIO, advise(self->fd, SIMGPU_MEM_ON_HOST, 0, 1));
	ASSERT_EQ(0, run_managed(self->fd, self->small));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_EQ(3 * MIB, COUNT(report, COPIED_IN_BYTES));
	ASSERT_EQ(0, advise(self->fd, SIMGPU_MEM_ON_HOST, 4 * MIB - MIB - 1, 1));
	EXPECT_EQ(-EINVAL, advise(self->fd, SIMGPU_MEM_ON_HOST, 3 * MIB, 1));
	EXPECT_EQ(-EINVAL, advise(self->fd, SIMGPU_MEM_ON_HOST, UINT64_MAX, 2));
	EXPECT_EQ(-EINVAL, advise(self->fd, SIMGPU_MEM_ON_HOST, 0, 0));
	EXPECT_EQ(-EINVAL, advise(self->fd, SIMGPU_MEM_FREE + 1, 0, 1));
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	ASSERT_EQ(0, advise(self->fd, SIMGPU_MEM_ON_HOST, 0, 8 * MIB));
	ASSERT_EQ(0, advise(self->fd, SIMGPU_MEM_FREE, 0, 8 * MIB));
	ASSERT_EQ(0, tenant_report(self->fd, &report));
	/* Of 8 MiB no more than 4 are there, and none of the rest comes now. */
	ASSERT_EQ(0, run_managed(self->fd, self->large));
	EXPECT_EQ(COUNT(report, COPIED_IN_BYTES), copied_in(self->fd));
}

/* Only who may take from others can have memory that stays. */
TEST_F(managed, advice_at_the_expense_of_others)
{
	ASSERT_EQ(0, run_managed(self->fd, self->small));
	EXPECT_EQ(0, advise(self->fd, SIMGPU_MEM_ON_DEVICE, 0, MIB));
	ASSERT_EQ(0, seteuid(1000));
	EXPECT_EQ(-EPERM, advise(self->fd, SIMGPU_MEM_ON_DEVICE, 0, MIB));
	EXPECT_EQ(0, advise(self->fd, SIMGPU_MEM_NORMAL, 0, MIB));
	EXPECT_EQ(0, seteuid(0));
}

TEST_HARNESS_MAIN

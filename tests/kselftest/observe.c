// SPDX-License-Identifier: GPL-2.0
/*
 * What can be watched besides sysfs and netlink: tracepoints, fdinfo, debugfs
 * and the live page, each beside what the gang's file says of the same run.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "calls.h"
#include "harness.h"

#define TRACE_BYTES	(4 << 20)

/* The last start of a kernel is cut off by the stop cycle. */
#define STOP_CYCLE	100000

static int run_gang(int fd, int *gang)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .epoch_cycles = 10000,
		.stop_cycle = STOP_CYCLE, .flags = SIMGPU_GANG_RELAUNCH,
	};
	struct built_trace trace;
	uint64_t sequence;
	uint32_t handle;
	int ret;

	build_everything(&trace);
	ret = call(fd, SIMGPU_IOC_GANG_CREATE, &create);
	*gang = create.fd;
	ret = ret ?: gang_join(fd, create.fd, 0);
	ret = ret ?: upload(fd, &trace, &handle);
	ret = ret ?: launch(fd, handle, 1, &sequence);
	return ret ?: wait_launch(fd, sequence, PATIENCE_NS);
}

FIXTURE(trace)
{
	char *text;
	int fd;
	int gang;
};

FIXTURE_SETUP(trace)
{
	self->fd = -1;
	self->gang = -1;
	if (access(TRACING "events/simgpu/enable", F_OK))
		SKIP(return, "the kernel has no event tracing");
	self->text = malloc(TRACE_BYTES);
	ASSERT_NE(NULL, self->text);
	ASSERT_EQ(0, forget_events());
	ASSERT_EQ(0, write_text(TRACING "events/simgpu/enable", "1"));
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(trace)
{
	if (self->fd < 0)
		return;
	write_text(TRACING "events/simgpu/enable", "0");
	if (self->gang >= 0)
		close(self->gang);
	close(self->fd);
	free(self->text);
}

static int read_trace(char *text)
{
	int fd = open(TRACING "trace", O_RDONLY);
	ssize_t count, length = 0;

	if (fd < 0)
		return -errno;
	while ((count = read(fd, text + length, TRACE_BYTES - 1 - length)) > 0)
		length += count;
	close(fd);
	text[length] = '\0';
	return 0;
}

static int count_events(const char *text, const char *event)
{
	int count = 0;

	while ((text = strstr(text, event))) {
		count++;
		text++;
	}
	return count;
}

TEST_F(trace, a_gang)
{
	struct full_record record;
	struct full_report report;
	char line[128];
	int epochs = 0, starts, finishes;

	ASSERT_EQ(0, run_gang(self->fd, &self->gang));
	ASSERT_EQ(0, read_trace(self->text));
	EXPECT_EQ(1, count_events(self->text, "simgpu_launch: "));
	EXPECT_LE(1, count_events(self->text, "simgpu_repartition: "));
	while (read(self->gang, &record, sizeof(record)) == sizeof(record)) {
		snprintf(line, sizeof(line), "simgpu_epoch: device=0 epoch=%llu cycle=%llu ",
			 record.head.epoch, record.head.end_cycle);
		EXPECT_NE(NULL, strstr(self->text, line)) {
			TH_LOG("%s", line);
		}
		epochs++;
	}
	EXPECT_EQ(epochs, count_events(self->text, "simgpu_epoch: "));
	ASSERT_EQ(0, gang_report(self->gang, 0, &report));
	starts = count_events(self->text, "simgpu_kernel_start: ");
	finishes = count_events(self->text, "simgpu_kernel_finish: ");
	EXPECT_EQ(COUNT(report, KERNELS_FINISHED), finishes);
	EXPECT_LE(finishes, starts);
	EXPECT_GE(finishes + 1, starts);
}

/* The launch, the start and the end of its kernel name their queue. */
TEST_F(trace, names_queues)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .repeats = 1, .queue = 5,
	};
	struct simgpu_completion record;
	struct built_trace trace;
	char tenant[64], queue[96];
	uint32_t handle;

	build_compute(&trace, 8, 10);
	ASSERT_EQ(0, upload(self->fd, &trace, &handle));
	cmd.handle = handle;
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_LAUNCH, &cmd));
	ASSERT_EQ(0, wait_launch(self->fd, cmd.sequence, PATIENCE_NS));
	ASSERT_EQ(sizeof(record), read(self->fd, &record, sizeof(record)));
	EXPECT_EQ(5, record.queue);
	ASSERT_EQ(0, read_trace(self->text));
	snprintf(tenant, sizeof(tenant), "tenant=%lu slot=0 queue=",
		 newest_tenant());
	snprintf(queue, sizeof(queue), "%s5 sequence=1 ", tenant);
	EXPECT_EQ(3, count_events(self->text, tenant));
	EXPECT_EQ(3, count_events(self->text, queue));
}

TEST_F(trace, policy_and_preemption)
{
	char before[64];
	struct built_trace trace;
	uint32_t handle;
	long long start;
	int other = open_device(), tries;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, read_text(SYSFS "policy", before, sizeof(before)));
	ASSERT_EQ(0, write_text(SYSFS "policy", "proportional"));
	ASSERT_EQ(0, write_text(SYSFS "policy", before));
	build_compute(&trace, 800, 1000);
	/* The second takes SMs from the first, which has thread blocks on all. */
	ASSERT_EQ(0, upload(self->fd, &trace, &handle));
	ASSERT_EQ(0, launch(self->fd, handle, UINT64_MAX, NULL));
	/* Tests before this one have let time pass. */
	start = read_number(SYSFS "cycles");
	for (tries = 0; tries < 1000; tries++) {
		if (read_number(SYSFS "cycles") > start + 1000)
			break;
		sleep_ms(10);
	}
	ASSERT_EQ(0, upload(other, &trace, &handle));
	ASSERT_EQ(0, launch(other, handle, UINT64_MAX, NULL));
	for (tries = 0; tries < 1000; tries++) {
		ASSERT_EQ(0, read_trace(self->text));
		if (count_events(self->text, "simgpu_preempt: ") >= 40)
			break;
		sleep_ms(10);
	}
	EXPECT_EQ(1, count_events(self->text, "policy=proportional"));
	EXPECT_LE(40, count_events(self->text, "simgpu_preempt: "));
	close(other);
}

static int read_fdinfo(int fd, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return read_text(path, text, size);
}

static unsigned long long key(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

TEST(fdinfo)
{
	struct full_report report;
	unsigned long long first, second;
	int fd = open_device(), other = open_device(), gang;
	char text[1024];

	ASSERT_LE(0, fd);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, run_gang(fd, &gang));
	ASSERT_EQ(0, gang_report(gang, 0, &report));
	ASSERT_EQ(0, read_fdinfo(fd, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "drm-driver:\tsimgpu\n"));
	EXPECT_EQ(COUNT(report, SM_CYCLES), key(text, "drm-cycles-sm:\t"));
	EXPECT_EQ(80, key(text, "drm-engine-capacity-sm:\t"));
	EXPECT_LT(0, key(text, "drm-maxfreq-sm:\t"));
	EXPECT_EQ(COUNT(report, SM_CYCLES) * 1000 /
		  key(text, "drm-maxfreq-sm:\t"),
		  key(text, "drm-engine-sm:\t"));
	EXPECT_LT(0, key(text, "drm-total-traces:\t"));
	first = key(text, "drm-client-id:\t");
	ASSERT_EQ(0, read_fdinfo(other, text, sizeof(text)));
	second = key(text, "drm-client-id:\t");
	EXPECT_NE(0, first);
	EXPECT_NE(first, second);
	EXPECT_EQ(0, key(text, "drm-cycles-sm:\t"));
	close(gang);
	close(fd);
	close(other);
}

TEST(debugfs_tables)
{
	static const char * const files[] = { "ssrt", "ksrt", "queues" };
	static const int least_lines[] = { 81, 1, 9 };
	char path[128], text[8192], *c;
	int i, lines;

	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s", files[i]);
		ASSERT_EQ(0, read_text(path, text, sizeof(text)));
		lines = 1;
		for (c = text; *c; c++)
			lines += *c == '\n';
		EXPECT_LE(least_lines[i], lines) {
			TH_LOG("%s: %d lines", files[i], lines);
		}
	}
}

FIXTURE(live)
{
	int fd;
	size_t page_bytes;
	volatile struct simgpu_live *live;
};

FIXTURE_SETUP(live)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->page_bytes = getpagesize();
	self->live = mmap(NULL, self->page_bytes, PROT_READ, MAP_SHARED,
			  self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->live);
}

FIXTURE_TEARDOWN(live)
{
	munmap((void *)self->live, self->page_bytes);
	if (self->fd >= 0)
		close(self->fd);
}

/* The page as it was at one time. */
struct live_copy {
	struct simgpu_live head;
	uint64_t counters[SIMGPU_COUNTER_COUNT];
};

/* As the header tells to. */
static void take_live(volatile struct simgpu_live *live, struct live_copy *copy)
{
	const char *counters = (const char *)live + live->counter_offset;
	uint32_t before, after;

	do {
		before = __atomic_load_n(&live->sequence, __ATOMIC_ACQUIRE);
		memcpy(&copy->head, (void *)live, sizeof(copy->head));
		memcpy(copy->counters, counters, sizeof(copy->counters));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = __atomic_load_n(&live->sequence, __ATOMIC_RELAXED);
	} while (before & 1 || before != after);
}

TEST_F(live, before_any_work)
{
	struct live_copy copy;

	take_live(self->live, &copy);
	EXPECT_EQ(0, copy.head.flags);
	EXPECT_EQ(0, copy.head.class);
	EXPECT_EQ(0, COUNT(copy, SM_CYCLES));
	EXPECT_EQ(SIMGPU_COUNTER_COUNT, copy.head.counter_count);
	EXPECT_LE(sizeof(copy.head), copy.head.counter_offset);
	EXPECT_EQ(0, copy.head.counter_offset % 8);
	EXPECT_GE(self->page_bytes, copy.head.counter_offset +
		  copy.head.counter_count * sizeof(uint64_t));
}

TEST_F(live, is_what_the_report_says)
{
	struct full_report report;
	struct simgpu_gang_status status;
	struct live_copy copy;
	int gang;

	ASSERT_EQ(0, run_gang(self->fd, &gang));
	ASSERT_EQ(0, gang_report(gang, 0, &report));
	ASSERT_EQ(0, gang_status(gang, &status));
	take_live(self->live, &copy);
	EXPECT_EQ(SIMGPU_LIVE_SEATED, copy.head.flags);
	EXPECT_EQ(status.cycle, copy.head.cycle);
	EXPECT_EQ(report.figures.class, copy.head.class);
	EXPECT_EQ(report.figures.np_ppm, copy.head.np_ppm);
	EXPECT_EQ(0, memcmp(&report.counters, &copy.counters,
			    sizeof(copy.counters)));
	close(gang);
}

/* Device time and counters never go back, and belong together. */
TEST_F(live, while_it_runs)
{
	struct live_copy now, last = {};
	struct built_trace trace;
	unsigned int moves = 0, i;
	uint32_t handle;

	build_compute(&trace, 800, 1000);
	ASSERT_EQ(0, upload(self->fd, &trace, &handle));
	ASSERT_EQ(0, launch(self->fd, handle, UINT64_MAX, NULL));
	for (i = 0; i < 300000 && moves < 20; i++) {
		take_live(self->live, &now);
		EXPECT_LE(last.head.cycle, now.head.cycle);
		EXPECT_LE(COUNT(last, SM_CYCLES), COUNT(now, SM_CYCLES));
		if (COUNT(now, THREAD_INSTRUCTIONS) !=
		    COUNT(last, THREAD_INSTRUCTIONS)) {
			moves++;
			sleep_ms(5);
		}
		last = now;
		if (i > 1000)
			sleep_ms(1);
	}
	EXPECT_EQ(20, moves);
}

TEST_F(live, cannot_be_written)
{
	int fd = open_device();

	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page_bytes,
				   PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page_bytes,
				   PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(-1, mprotect((void *)self->live, self->page_bytes,
			       PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	close(fd);
}

TEST_F(live, one_page_only)
{
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * self->page_bytes, PROT_READ,
				   MAP_SHARED, self->fd, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page_bytes, PROT_READ,
				   MAP_SHARED, self->fd, self->page_bytes));
	EXPECT_EQ(EINVAL, errno);
}

/* The page outlives the descriptor, and a process that maps it may be killed. */
TEST_F(live, holds_the_file)
{
	struct live_copy copy;
	pid_t child;
	int status;

	close(self->fd);
	self->fd = -1;
	take_live(self->live, &copy);
	EXPECT_EQ(0, copy.head.flags);
	child = fork();
	if (!child) {
		take_live(self->live, &copy);
		raise(SIGKILL);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	take_live(self->live, &copy);
}

TEST_HARNESS_MAIN

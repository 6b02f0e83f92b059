// SPDX-License-Identifier: GPL-2.0
/*
 * Work that an unprivileged user chooses, and the driver does for it: what a neighbour
 * keeps of its cycles, and who pays. Cycles are counted for each second of the worker's
 * processor time, and calls by the processor time that they take: other load on the host
 * changes neither much.
 */
#include "user.h"

#include "../kselftest/harness.h"

#define QUEUES		SIMGPU_TENANT_QUEUES_MAX
#define TENANTS		60
#define LAUNCHES	50
#define HANG_CYCLES	50000
#define STRIKES		3
#define PUBLISHED	TRACING "events/kprobes/simgpu_published/"

/* A device of a configuration of its own. */
struct device {
	char name[32];
	char node[64];
	pid_t worker;
};

static int make_device(struct device *device, const char *config)
{
	struct stat other;
	int tries, ret;
	char *end;

	ret = mkdir(CONFIGFS "work", 0755) ? -errno : 0;
	ret = ret ?: write_text(CONFIGFS "work/config", config);
	ret = ret ?: write_text(CONFIGFS "work/live", "1");
	ret = ret ?: read_text(CONFIGFS "work/device", device->name,
			       sizeof(device->name));
	if (ret)
		return ret;
	end = strchr(device->name, '\n');
	if (end)
		*end = '\0';
	snprintf(device->node, sizeof(device->node), "/dev/%s", device->name);
	/* The node of a device that has just been made may come later. */
	for (tries = 0; access(device->node, F_OK) && tries < 100; tries++)
		sleep_ms(50);
	/* An attack that ran before may have changed the group of the other one. */
	if (stat(DEVICE, &other) || chown(device->node, 0, other.st_gid))
		return -errno;
	device->worker = process_named(device->name);
	return device->worker ? 0 : -ESRCH;
}

static void remove_device(void)
{
	write_text(CONFIGFS "work/live", "0");
	rmdir(CONFIGFS "work");
}

static long long device_number(const struct device *device, const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/simgpu/%s/%s", device->name,
		 file);
	return read_number(path);
}

/* Device cycles for each second of the worker's processor time. */
static double speed(const struct device *device, unsigned int seconds)
{
	double used = used_seconds(device->worker);
	long long cycles = device_number(device, "cycles");

	/* The ticks in which processor time is counted are little beside it. */
	do {
		sleep(seconds);
	} while (used_seconds(device->worker) - used < 0.5);
	cycles = device_number(device, "cycles") - cycles;
	return cycles / (used_seconds(device->worker) - used);
}

static int launch_queue(int fd, uint32_t handle, uint32_t queue, uint64_t repeats)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = handle, .repeats = repeats,
		.queue = queue,
	};

	return call(fd, SIMGPU_IOC_LAUNCH, &cmd);
}

/* A trace that is larger than those of trace_builder.h. */
struct large_trace {
	unsigned char *bytes;
	size_t size;
	size_t room;
};

static void large_begin(struct large_trace *trace, size_t room)
{
	static struct built_trace head;

	trace_begin(&head, "large", 0);
	trace->bytes = calloc(1, room);
	trace->room = room;
	trace->size = head.size;
	memcpy(trace->bytes, head.bytes, head.size);
}

static void *large_section(struct large_trace *trace,
			   enum simgpu_trace_section_id id, size_t element_bytes,
			   size_t count)
{
	struct simgpu_trace_header *header = (void *)trace->bytes;
	void *place = trace->bytes + trace->size;

	if (trace->size + count * element_bytes + 8 > trace->room)
		abort();
	header->sections[id].offset = trace->size;
	header->sections[id].count = count;
	trace->size = (trace->size + count * element_bytes + 7) & ~7UL;
	return place;
}

static void large_end(struct large_trace *trace)
{
	struct simgpu_trace_header *header = (void *)trace->bytes;

	header->total_bytes = trace->size;
	header->checksum = trace_crc32(trace->bytes, trace->size);
}

/* As many kernels as there may be, with a profile each for the 80 SMs of hbm80, or none. */
static void build_profiled(struct large_trace *trace, bool profiles)
{
	const struct simgpu_trace_op ops[] = {
		{ .kind = SIMGPU_TRACE_LOOP, .count = 10 },
		{ .kind = SIMGPU_TRACE_COMPUTE, .active_lanes = 32,
		  .issue_cycles = 1, .count = 100 },
		{ .kind = SIMGPU_TRACE_LOOP_END },
	};
	struct simgpu_trace_profile *profile;
	struct simgpu_trace_program *program;
	struct simgpu_trace_kernel *kernels;
	struct simgpu_trace_point *points;
	int i;

	large_begin(trace, 1 << 20);
	kernels = large_section(trace, SIMGPU_TRACE_KERNELS, sizeof(*kernels),
				SIMGPU_TRACE_KERNELS_MAX);
	for (i = 0; i < SIMGPU_TRACE_KERNELS_MAX; i++)
		kernels[i] = trace_kernel_1d("profiled", 80, 64);
	program = large_section(trace, SIMGPU_TRACE_PROGRAMS, sizeof(*program), 1);
	program->op_count = 3;
	memcpy(large_section(trace, SIMGPU_TRACE_OPS, sizeof(ops[0]), 3), ops,
	       sizeof(ops));
	if (!profiles) {
		large_end(trace);
		return;
	}
	profile = large_section(trace, SIMGPU_TRACE_PROFILES, sizeof(*profile),
				SIMGPU_TRACE_KERNELS_MAX);
	for (i = 0; i < SIMGPU_TRACE_KERNELS_MAX; i++)
		profile[i] = (struct simgpu_trace_profile) {
			.config = "hbm80", .kernel = i, .sms = 80, .blocks = 80,
		};
	points = large_section(trace, SIMGPU_TRACE_POINTS, sizeof(*points), 80);
	for (i = 0; i < 80; i++)
		points[i].cycles = 100000 - 1000 * i;
	large_end(trace);
}

/* A trace that takes longest to be timed: ops whose mixes are passed through. */
static void build_timed(struct large_trace *trace)
{
	const uint32_t count = 200000;
	struct simgpu_trace_instruction *instruction;
	struct simgpu_trace_program *program;
	struct simgpu_trace_kernel *kernel;
	struct simgpu_trace_mix *mix;
	struct simgpu_trace_op *ops;
	uint32_t i;

	large_begin(trace, 8 << 20);
	kernel = large_section(trace, SIMGPU_TRACE_KERNELS, sizeof(*kernel), 1);
	*kernel = trace_kernel_1d("timed", 1, 32);
	program = large_section(trace, SIMGPU_TRACE_PROGRAMS, sizeof(*program), 1);
	program->op_count = count;
	ops = large_section(trace, SIMGPU_TRACE_OPS, sizeof(*ops), count);
	for (i = 0; i < count; i++)
		ops[i] = (struct simgpu_trace_op) {
			.kind = SIMGPU_TRACE_COMPUTE, .active_lanes = 32,
			.count = 300, .mix = 1,
		};
	mix = large_section(trace, SIMGPU_TRACE_MIXES, sizeof(*mix), 1);
	mix->instruction_count = 1;
	instruction = large_section(trace, SIMGPU_TRACE_INSTRUCTIONS,
				    sizeof(*instruction), 1);
	instruction->passes = 1;
	large_end(trace);
}

FIXTURE(work)
{
	struct device device;
	int neighbour;
	int fds[TENANTS];
};

FIXTURE_SETUP(work)
{
	ASSERT_EQ(0, make_device(&self->device, "base = hbm80\nmemory_mb = 1024\n"));
	memset(self->fds, -1, sizeof(self->fds));
	self->neighbour = -1;
}

FIXTURE_TEARDOWN(work)
{
	int i;

	close(self->neighbour);
	for (i = 0; i < TENANTS; i++)
		close(self->fds[i]);
	as_root();
	remove_device();
}

/* A neighbour's kernels, which are short: the session goes step by step. */
static int start_neighbour(FIXTURE_DATA(work) *self)
{
	struct built_trace trace;
	uint32_t handle;

	build_compute(&trace, 80, 1);
	self->neighbour = open(self->device.node, O_RDWR | O_CLOEXEC);
	if (self->neighbour < 0)
		return -errno;
	return upload(self->neighbour, &trace, &handle) ?:
	       launch(self->neighbour, handle, FOR_EVER, NULL);
}

/* Open a tenant that fills each of its queues with a launch of a trace. */
static int fill_queues(FIXTURE_DATA(work) *self, int number, const void *bytes,
		       size_t size, uint32_t queues)
{
	int fd = open(self->device.node, O_RDWR | O_CLOEXEC), ret;
	uint32_t handle = 0, i;

	self->fds[number] = fd;
	ret = fd < 0 ? -errno : upload_bytes(fd, bytes, size, &handle, NULL);
	for (i = 0; !ret && i < queues; i++)
		ret = launch_queue(fd, handle, i, FOR_EVER);
	return ret;
}

/* All memory is in use: what waits for it costs those that run nothing. */
TEST_F_TIMEOUT(work, of_launches_that_wait_for_memory, 300)
{
	struct built_trace whole;
	double before, after;
	int i;

	build_compute(&whole, 80, 1);
	trace_header(&whole)->footprint_bytes = 1 << 30;
	trace_seal(&whole);
	as_user();
	ASSERT_EQ(0, start_neighbour(self));
	ASSERT_EQ(0, fill_queues(self, 0, whole.bytes, whole.size, 1));
	before = speed(&self->device, 2);
	for (i = 1; i < TENANTS; i++)
		ASSERT_EQ(0, fill_queues(self, i, whole.bytes, whole.size,
					 QUEUES));
	after = speed(&self->device, 2);
	TH_LOG("%.0f thousand cycles a second, with %d launches that wait %.0f",
	       before / 1e3, (TENANTS - 1) * QUEUES, after / 1e3);
	if (is_debug_kernel())
		SKIP(return, "to look and to simulate cost otherwise in a debug kernel");
	EXPECT_LT(before / 3, after);
}

static double speed_of_profiled(struct __test_metadata *_metadata,
				FIXTURE_DATA(work) *self, bool profiles)
{
	struct large_trace trace;
	double result;
	int i;

	build_profiled(&trace, profiles);
	for (i = 0; i < 16; i++)
		EXPECT_EQ(0, fill_queues(self, i, trace.bytes, trace.size,
					 QUEUES));
	result = speed(&self->device, 2);
	for (i = 0; i < 16; i++) {
		close(self->fds[i]);
		self->fds[i] = -1;
	}
	free(trace.bytes);
	return result;
}

/* Snapshots for a policy that needs profiles. */
TEST_F_TIMEOUT(work, of_profiles, 300)
{
	double without, with;
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/simgpu/%s/policy",
		 self->device.name);
	ASSERT_EQ(0, write_text(path, "krisp"));
	as_user();
	ASSERT_EQ(0, start_neighbour(self));
	without = speed_of_profiled(_metadata, self, false);
	with = speed_of_profiled(_metadata, self, true);
	TH_LOG("%.0f thousand cycles a second without profiles, %.0f with them",
	       without / 1e3, with / 1e3);
	EXPECT_LT(without * 2 / 3, with);
}

/* --- kernels that hang all the time --- */

/* A kernel that never ends; anybody may launch it with a timeout. */
static void build_spinning(struct built_trace *trace)
{
	const struct simgpu_trace_kernel kernel = trace_kernel_1d("spinning", 16, 256);
	const struct simgpu_trace_program program = { .op_count = 1 };
	const struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_SPIN, .active_lanes = 32,
	};

	trace_begin(trace, "spinning", 0);
	trace_section(trace, SIMGPU_TRACE_KERNELS, &kernel, sizeof(kernel), 1);
	trace_section(trace, SIMGPU_TRACE_PROGRAMS, &program, sizeof(program), 1);
	trace_section(trace, SIMGPU_TRACE_OPS, &op, sizeof(op), 1);
	trace_end(trace);
}

/* Open a file, and launch what hangs until the tenant is banned. Return: strikes until then. */
static int hang_until_banned(const struct device *device, const struct built_trace *trace)
{
	struct simgpu_queue queue = { .size = sizeof(queue), .timeout_cycles = HANG_CYCLES };
	int fd = open(device->node, O_RDWR | O_CLOEXEC), strikes = 0, ret;
	uint32_t handle;
	uint64_t sequence;

	ret = fd < 0 ? -errno : call(fd, SIMGPU_IOC_QUEUE, &queue);
	ret = ret ?: upload(fd, trace, &handle);
	while (!ret) {
		ret = launch(fd, handle, 1, &sequence) ?:
		      wait_launch(fd, sequence, PATIENCE_NS);
		if (ret == -ETIME) {
			strikes++;
			ret = 0;
		}
	}
	close(fd);
	return ret == -EIO ? strikes : ret;
}

/* Ends by itself only if a kernel ends otherwise than by its timeout. */
static pid_t start_hanging(const struct device *device)
{
	struct built_trace trace;
	pid_t pid = fork();
	int strikes;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	build_spinning(&trace);
	do {
		strikes = hang_until_banned(device, &trace);
	} while (strikes > 0 && strikes <= STRIKES);
	_exit(1);
}

/* Thread instructions of the neighbour in a device cycle, over the time of some bans. */
static double neighbours_ipc(FIXTURE_DATA(work) *self)
{
	long long begin = device_number(&self->device, "cycles"), cycles;
	struct full_report before, after;
	int tries = 0;

	if (tenant_report(self->neighbour, &before))
		return -1;
	do {
		sleep(1);
		cycles = device_number(&self->device, "cycles") - begin;
	} while (cycles < 40 * HANG_CYCLES && ++tries < 60 * patience());
	if (tenant_report(self->neighbour, &after) || cycles < 40 * HANG_CYCLES)
		return -1;
	return (double)(COUNT(after, THREAD_INSTRUCTIONS) -
			COUNT(before, THREAD_INSTRUCTIONS)) / cycles;
}

/*
 * A user whose kernels all hang, and who opens a new file as soon as one is banned, takes no
 * more from a neighbour than one whose kernels end.
 */
TEST_F_TIMEOUT(work, of_kernels_that_hang, 300)
{
	struct built_trace trace;
	double innocent, hanging;
	int status;
	pid_t pid;

	build_compute(&trace, 80, 10);
	as_user();
	ASSERT_EQ(0, start_neighbour(self));
	ASSERT_EQ(0, fill_queues(self, 0, trace.bytes, trace.size, 1));
	innocent = neighbours_ipc(self);
	close(self->fds[0]);
	self->fds[0] = -1;
	pid = start_hanging(&self->device);
	hanging = neighbours_ipc(self);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	as_root();
	TH_LOG("%.0f instructions a cycle beside an innocent user, %.0f beside one whose kernels hang; %lld failures",
	       innocent, hanging, device_number(&self->device, "failures"));
	EXPECT_LT(0, innocent);
	EXPECT_LE(2 * STRIKES, device_number(&self->device, "failures"));
	EXPECT_LE(innocent * 9 / 10, hanging);
}

/* --- how often tenants are published, but by the worker --- */

/* One event for each tenant that is published. */
static int trace_publications(const struct device *device)
{
	char filter[64];

	snprintf(filter, sizeof(filter), "comm != \"%s\"", device->name);
	return write_text(TRACING "kprobe_events",
			  "p:simgpu_published simgpu_tenant_publish_live") ?:
	       write_text(PUBLISHED "filter", filter) ?:
	       write_text(PUBLISHED "enable", "1");
}

/* Those since the last call. */
static int publications(void)
{
	FILE *trace = fopen(TRACING "trace", "r");
	char line[512];
	int count = 0;

	if (!trace)
		return -1;
	while (fgets(line, sizeof(line), trace))
		count += !!strstr(line, " simgpu_published: ");
	fclose(trace);
	forget_events();
	return count;
}

static void stop_tracing(void)
{
	write_text(PUBLISHED "enable", "0");
	write_text(TRACING "kprobe_events", "-:simgpu_published");
}

/* Open a tenant that launches once, and close it, again and again. */
static void come_and_go(struct __test_metadata *_metadata, FIXTURE_DATA(work) *self)
{
	struct built_trace trace;
	uint32_t handle;
	uint64_t sequence;
	int fd, i;

	build_compute(&trace, 1, 1);
	for (i = 0; i < LAUNCHES; i++) {
		fd = open(self->device.node, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, upload(fd, &trace, &handle));
		ASSERT_EQ(0, launch(fd, handle, 1, &sequence));
		ASSERT_EQ(0, wait_launch(fd, sequence, PATIENCE_NS));
		close(fd);
	}
}

/* LAUNCH publishes the caller's tenant, and close() no other: the worker does. */
TEST_F_TIMEOUT(work, of_publishing, 300)
{
	struct built_trace trace;
	int alone, beside, i;

	build_compute(&trace, 1, 1);
	if (trace_publications(&self->device)) {
		stop_tracing();
		SKIP(return, "this kernel has no events of functions");
	}
	as_user();
	ASSERT_EQ(0, start_neighbour(self));
	as_root();
	publications();
	as_user();
	come_and_go(_metadata, self);
	as_root();
	alone = publications();
	as_user();
	for (i = 0; i < TENANTS; i++)
		ASSERT_EQ(0, fill_queues(self, i, trace.bytes, trace.size, 1));
	as_root();
	publications();
	as_user();
	come_and_go(_metadata, self);
	as_root();
	beside = publications();
	stop_tracing();
	TH_LOG("%d calls publish %d times, beside %d tenants %d times", 2 * LAUNCHES, alone,
	       TENANTS, beside);
	EXPECT_LT(0, alone);
	EXPECT_GT(2 * alone, beside);
}

/* A gang on another GPU: the caller times the trace anew, not the worker. */
TEST_F_TIMEOUT(work, of_timing_a_trace_anew, 300)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
		.config = "a100",
	};
	double upload_used, launch_used;
	struct large_trace trace;
	uint32_t handle;
	int fd;

	build_timed(&trace);
	let_users_make_gangs();
	as_user();
	fd = open_device();
	ASSERT_LE(0, fd);
	upload_used = used_by_me();
	ASSERT_EQ(0, upload_bytes(fd, trace.bytes, trace.size, &handle, NULL));
	upload_used = used_by_me() - upload_used;
	ASSERT_EQ(0, call(fd, SIMGPU_IOC_GANG_CREATE, &create));
	ASSERT_EQ(0, gang_join(fd, create.fd, 0));
	launch_used = used_by_me();
	ASSERT_EQ(0, launch(fd, handle, 1, NULL));
	launch_used = used_by_me() - launch_used;
	TH_LOG("the upload takes %.0f ms, the launch on another GPU %.0f ms",
	       upload_used * 1e3, launch_used * 1e3);
	EXPECT_LT(upload_used / 8, launch_used);
	/* The next session is of the first GPU again. */
	close(create.fd);
	launch_used = used_by_me();
	ASSERT_EQ(0, launch(fd, handle, 1, NULL));
	launch_used = used_by_me() - launch_used;
	EXPECT_LT(upload_used / 8, launch_used);
	close(fd);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * What the driver's own work costs beside the simulation, on /dev/simgpu0: an
 * empty kernel from launch to completion, an epoch with 2, 16 and 64 tenants,
 * one that somebody listens to, and tenants whose files are all read in a loop.
 * Prints a table of medians. Says something only where code runs natively.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../../tests/kselftest/calls.h"
#include "../../userspace/lib/simgpu.h"

#define ROUNDS		7
#define LAUNCHES	1000
#define EPOCH_CYCLES	10000ULL
#define STOP_CYCLE	(400 * EPOCH_CYCLES)
#define READ_STOP_CYCLE	(10 * EPOCH_CYCLES)
#define MEMBERS_MAX	SIMGPU_TENANTS_MAX

/* struct cost - of one gang's run */
struct cost {
	uint64_t wall_ns;	/* from the last launch to the end */
	uint64_t engine_ns;	/* of it, that the engine ran */
	uint64_t state_hash;
};

static struct built_trace empty, computing, streaming;

static void fail(const char *what, int ret)
{
	fprintf(stderr, "costs: %s: %s\n", what, strerror(-ret));
	exit(1);
}

static void check(const char *what, int ret)
{
	if (ret < 0)
		fail(what, ret);
}

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

/* Bursts of so many warp instructions. */
static void build_bursts(struct built_trace *trace, uint32_t blocks,
			 uint32_t trips, uint32_t burst)
{
	struct simgpu_trace_op *ops;

	build_compute(trace, blocks, trips);
	ops = trace_find(trace, SIMGPU_TRACE_OPS);
	ops[1].count = burst;
	trace_seal(trace);
}

static uint64_t time_launch(int fd, uint32_t handle)
{
	uint64_t start_ns = now_ns(), sequence = 0;

	check("launch", launch(fd, handle, 1, &sequence));
	check("wait", wait_launch(fd, sequence, PATIENCE_NS));
	return now_ns() - start_ns;
}

static uint64_t measure_launch(void)
{
	static uint64_t took_ns[LAUNCHES];
	uint32_t handle = 0;
	int fd = open_device();
	unsigned int i;

	check("open", fd);
	check("upload", upload(fd, &empty, &handle));
	for (i = 0; i < LAUNCHES; i++)
		took_ns[i] = time_launch(fd, handle);
	close(fd);
	return median(took_ns, LAUNCHES);
}

static int make_gang(uint32_t members, uint64_t epoch_cycles,
		     uint64_t stop_cycle)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = members, .seed = 1,
		.epoch_cycles = epoch_cycles, .stop_cycle = stop_cycle,
		.flags = SIMGPU_GANG_RELAUNCH, .policy = "even",
	};
	int fd = open_device();

	check("gang", call(fd, SIMGPU_IOC_GANG_CREATE, &create));
	close(fd);
	return create.fd;
}

/* The traces take turns; an only one may stand for both. */
static struct cost run_gang(uint32_t members, uint64_t epoch_cycles,
			    uint64_t stop_cycle,
			    const struct built_trace *even,
			    const struct built_trace *odd)
{
	int gang = make_gang(members, epoch_cycles, stop_cycle);
	struct simgpu_gang_status status;
	uint64_t sequence[MEMBERS_MAX], start_ns = 0;
	uint32_t slot, handle = 0;
	int fds[MEMBERS_MAX];
	struct cost cost;

	for (slot = 0; slot < members; slot++) {
		fds[slot] = open_device();
		check("join", gang_join(fds[slot], gang, slot));
		check("upload", upload(fds[slot], slot % 2 ? odd : even,
				       &handle));
		start_ns = now_ns();
		check("launch", launch(fds[slot], handle, 1, &sequence[slot]));
	}
	check("wait", wait_launch(fds[0], sequence[0], -1));
	cost.wall_ns = now_ns() - start_ns;
	check("status", gang_status(gang, &status));
	cost.engine_ns = status.wall_ns;
	cost.state_hash = status.state_hash;
	for (slot = 0; slot < members; slot++)
		close(fds[slot]);
	close(gang);
	return cost;
}

/* The same run with many epochs and with one, in turn: what an epoch adds. */
static double measure_epoch_us(uint32_t members)
{
	uint64_t many[ROUNDS], one[ROUNDS];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		many[i] = run_gang(members, EPOCH_CYCLES, STOP_CYCLE,
				   &computing, &computing).wall_ns;
		one[i] = run_gang(members, STOP_CYCLE, STOP_CYCLE,
				  &computing, &computing).wall_ns;
	}
	return ((double)median(many, ROUNDS) - (double)median(one, ROUNDS)) /
	       (STOP_CYCLE / EPOCH_CYCLES - 1) / 1000;
}

/* Hears of every epoch until it is killed. */
static void listen_for_ever(void)
{
	static struct simgpu_netlink_epoch epoch;
	struct simgpu_netlink *netlink;

	check("netlink", simgpu_netlink_open(&netlink));
	check("listening", simgpu_netlink_listen(netlink));
	for (;;)
		simgpu_netlink_next_epoch(netlink, -1, &epoch);
}

static void read_files(const char *directory)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	char path[512], text[4096];

	while (entries && (entry = readdir(entries))) {
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (entry->d_type == DT_REG)
			read_text(path, text, sizeof(text));
	}
	if (entries)
		closedir(entries);
}

/* Reads all files of the device and its tenants, and counts how often. */
static void read_for_ever(volatile unsigned long *passes)
{
	uint64_t ids[MEMBERS_MAX];
	char path[128];
	int count, i;

	/* As the device's worker, which else would hardly run beside it. */
	if (nice(19) < 0)
		_exit(1);
	for (;; (*passes)++) {
		read_files(SYSFS);
		count = simgpu_list_tenants(0, ids, MEMBERS_MAX);
		for (i = 0; i < count && i < MEMBERS_MAX; i++) {
			snprintf(path, sizeof(path), SYSFS "tenants/%llu",
				 (unsigned long long)ids[i]);
			read_files(path);
		}
	}
}

static pid_t start(volatile unsigned long *passes)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (passes)
		read_for_ever(passes);
	listen_for_ever();
	_exit(1);
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static double measure_heard_epoch_us(uint32_t members)
{
	pid_t listener = start(NULL);
	double cost_us;

	sleep_ms(200);
	cost_us = measure_epoch_us(members);
	end(listener);
	return cost_us;
}

/* What readers add to the engine's time, in percent. */
static double measure_readers(double *pass_ms)
{
	volatile unsigned long *passes =
		mmap(NULL, sizeof(*passes), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t alone[ROUNDS], watched[ROUNDS], reading_ns = 0;
	struct cost cost, other;
	unsigned int i;
	pid_t reader;

	for (i = 0; i < ROUNDS; i++) {
		cost = run_gang(MEMBERS_MAX, EPOCH_CYCLES, READ_STOP_CYCLE,
				&streaming, &computing);
		reader = start(passes);
		other = run_gang(MEMBERS_MAX, EPOCH_CYCLES, READ_STOP_CYCLE,
				 &streaming, &computing);
		end(reader);
		if (other.state_hash != cost.state_hash)
			fail("readers changed the result", -EINVAL);
		alone[i] = cost.engine_ns;
		watched[i] = other.engine_ns;
		/* One processor: what is not the engine's is the reader's. */
		reading_ns += other.wall_ns - other.engine_ns;
	}
	*pass_ms = *passes ? reading_ns / 1e6 / *passes : 0;
	return 100.0 * median(watched, ROUNDS) / median(alone, ROUNDS) - 100;
}

int main(void)
{
	static const uint32_t members[] = { 2, 16, 64 };
	double percent, pass_ms;
	unsigned int i;

	build_bursts(&empty, 1, 1, 1);
	build_bursts(&computing, 4000, 4000, 10000);
	build_stream(&streaming, 4000, 64);
	printf("%-50s %9.1f us\n", "an empty kernel, from launch to completion",
	       measure_launch() / 1000.0);
	for (i = 0; i < 3; i++)
		printf("an epoch with %2u tenants %36.1f us\n", members[i],
		       measure_epoch_us(members[i]));
	printf("%-50s %9.1f us\n", "the same, one listens by netlink",
	       measure_heard_epoch_us(MEMBERS_MAX));
	percent = measure_readers(&pass_ms);
	printf("%-50s %+9.1f %% of the engine's time\n",
	       "all files of 64 tenants are read in a loop", percent);
	printf("%-50s %9.1f ms\n", "  of which one reading takes", pass_ms);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * All at once: a user has 62 tenants, launches in all of their queues, 10,000 watchers and
 * 500 waiters. Beside it a neighbour keeps its work and its turns. tests/attack/run gives it
 * one processor, by whose clock an instruction takes a nanosecond where it is emulated.
 *
 * The neighbour's work is what its SMs issue for it in a second of the host. The device's
 * clock is printed only: how long a cycle takes to simulate depends on what runs in it, and
 * launches that come and go have the policy move SMs, whoever waits for them.
 */
#include "user.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "../kselftest/harness.h"

#define NEIGHBOUR	2000
#define TENANTS		62
#define QUEUES		SIMGPU_TENANT_QUEUES_MAX
#define LAUNCHES	16
#define WATCHERS	10000
/* Of each tenant, by so many epolls on so many duplicates. */
#define EPOLLS		16
#define DUPLICATES	(WATCHERS / TENANTS / EPOLLS + 1)
#define WAITERS		500
#define LAUNCHERS	8
#define STACK_BYTES	(64 << 10)
#define WINDOW_MS	1500
#define SETTLE_MS	500
#define SAMPLES		200
#define QUANTUM_NS	1000000

FIXTURE(load)
{
	struct built_trace trace;
	struct built_trace stream;
	int worker;
	int fd;
};

FIXTURE_SETUP(load)
{
	struct stat node;
	uint32_t handle;

	self->worker = open(DEBUGFS "worker", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->worker);
	build_compute(&self->trace, 1, 1);
	build_stream(&self->stream, 160, 50);
	ASSERT_EQ(0, stat(DEVICE, &node));
	ASSERT_EQ(0, setgroups(0, NULL));
	ASSERT_EQ(0, setresgid(node.st_gid, node.st_gid, 0));
	ASSERT_EQ(0, setresuid(NEIGHBOUR, NEIGHBOUR, 0));
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, upload(self->fd, &self->stream, &handle));
	ASSERT_EQ(0, launch(self->fd, handle, FOR_EVER, NULL));
}

FIXTURE_TEARDOWN(load)
{
	close(self->fd);
	as_root();
}

static double worker_number(int worker, const char *name)
{
	char text[512];
	const char *at;
	ssize_t length = pread(worker, text, sizeof(text) - 1, 0);

	if (length < 0)
		return 0;
	text[length] = '\0';
	at = strstr(text, name);
	return at ? strtod(at + strlen(name), NULL) : 0;
}

/* --- the attacker, a process of its own --- */

struct attacker {
	int fds[TENANTS];
	uint32_t handles[TENANTS];
	uint64_t last[TENANTS];
};

static struct attacker attacker;

static int launch_in(int tenant, uint32_t queue, uint64_t repeats)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = attacker.handles[tenant],
		.repeats = repeats, .queue = queue,
	};
	int ret = call(attacker.fds[tenant], SIMGPU_IOC_LAUNCH, &cmd);

	if (!ret)
		attacker.last[tenant] = cmd.sequence;
	return ret;
}

static void *launch_for_ever(void *arg)
{
	unsigned int i;

	for (i = (uintptr_t)arg; ; i += LAUNCHERS)
		launch_in(i % TENANTS, i / TENANTS % QUEUES, 1);
	return arg;
}

static void *wait_for_ever(void *arg)
{
	const int tenant = (uintptr_t)arg % TENANTS;

	for (;;)
		wait_launch(attacker.fds[tenant], attacker.last[tenant], -1);
	return arg;
}

static void start_threads(int count, void *(*function)(void *))
{
	pthread_attr_t small;
	pthread_t thread;
	int i;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	for (i = 0; i < count; i++)
		if (pthread_create(&thread, &small, function, (void *)(uintptr_t)i))
			_exit(1);
}

static void watch(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epolls[EPOLLS], i, j, copy;

	for (i = 0; i < EPOLLS; i++)
		epolls[i] = epoll_create1(EPOLL_CLOEXEC);
	for (i = 0; i < DUPLICATES; i++) {
		copy = dup(fd);
		for (j = 0; j < EPOLLS; j++)
			if (epoll_ctl(epolls[j], EPOLL_CTL_ADD, copy, &event))
				_exit(1);
	}
}

/* All tenants have launches in all queues: that go on, or that end and are watched. */
static void attack(const struct built_trace *trace, bool noisy)
{
	struct rlimit files;
	int i, j;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	for (i = 0; i < TENANTS; i++) {
		attacker.fds[i] = open_device();
		if (attacker.fds[i] < 0 ||
		    upload(attacker.fds[i], trace, &attacker.handles[i]))
			_exit(1);
		fcntl(attacker.fds[i], F_SETFL, O_NONBLOCK);
		if (noisy)
			watch(attacker.fds[i]);
		for (j = 0; j < (noisy ? 1 : QUEUES); j++)
			launch_in(i, j, noisy ? 1 : FOR_EVER);
	}
	if (noisy) {
		start_threads(LAUNCHERS, launch_for_ever);
		start_threads(WAITERS, wait_for_ever);
	}
}

/* The attacker, with all that it has made. */
static pid_t start_attack(const struct built_trace *trace, bool noisy)
{
	int ready = eventfd(0, 0);
	uint64_t word = 1;
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setresuid(0, 0, 0) || setresuid(USER, USER, USER))
			_exit(1);
		attack(trace, noisy);
		if (write(ready, &word, sizeof(word)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(ready, &word, sizeof(word)) < 0)
		child = -1;
	close(ready);
	sleep_ms(SETTLE_MS);
	return child;
}

/* The attacker is another user's, so root ends it. */
static int end_attack(pid_t child)
{
	if (setresuid(0, 0, 0) || kill(child, SIGKILL) ||
	    setresuid(NEIGHBOUR, NEIGHBOUR, 0))
		return -errno;
	return waitpid(child, NULL, 0) == child ? 0 : -errno;
}

/* --- the neighbour --- */

/**
 * struct rates - what there was in a second of the host
 * @cycles: cycles that the device simulated
 * @issued: warp instructions of the neighbour
 * @held: of the worker's time, the part in which it held the device's lock
 */
struct rates {
	double cycles;
	double issued;
	double held;
};

static double issued_by(int fd)
{
	struct full_report report;

	return tenant_report(fd, &report) ? 0 : COUNT(report, WARP_INSTRUCTIONS);
}

/* Over a window from now on. */
static struct rates measure(FIXTURE_DATA(load) *self)
{
	const double start = seconds_now();
	struct rates rates = {
		.cycles = -read_number(SYSFS "cycles"),
		.issued = -issued_by(self->fd),
		.held = -worker_number(self->worker, "ran_ns "),
	};
	double took;

	sleep_ms(WINDOW_MS);
	took = seconds_now() - start;
	rates.cycles = (rates.cycles + read_number(SYSFS "cycles")) / took;
	rates.issued = (rates.issued + issued_by(self->fd)) / took;
	rates.held = (rates.held + worker_number(self->worker, "ran_ns ")) / took / 1e9;
	return rates;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double percentile(double *values, int percent)
{
	qsort(values, SAMPLES, sizeof(values[0]), compare);
	return values[(SAMPLES * percent + 99) / 100 - 1];
}

/* Quanta that end during a call, and while the caller sleeps for as long as one takes. */
static void sample(FIXTURE_DATA(load) *self, double *calls, double *asleep, double *us)
{
	const struct timespec quantum = { .tv_nsec = QUANTUM_NS };
	double before, start;
	int i;

	for (i = 0; i < SAMPLES; i++) {
		before = worker_number(self->worker, "quanta ");
		nanosleep(&quantum, NULL);
		asleep[i] = worker_number(self->worker, "quanta ") - before;
		before = worker_number(self->worker, "quanta ");
		start = seconds_now();
		set_tenant(self->fd, i % 2 ? "odd" : "even", 0, 1, 0);
		us[i] = (seconds_now() - start) * 1e6;
		calls[i] = worker_number(self->worker, "quanta ") - before;
	}
}

TEST_F_TIMEOUT(load, of_everything, 300)
{
	static double calls[SAMPLES], asleep[SAMPLES], us[SAMPLES];
	double quanta, mean, longest, before;
	struct rates quiet, loud;
	pid_t child;

	child = start_attack(&self->trace, false);
	ASSERT_LT(0, child);
	quiet = measure(self);
	before = worker_number(self->worker, "longest_ns ");
	ASSERT_EQ(0, end_attack(child));

	child = start_attack(&self->trace, true);
	ASSERT_LT(0, child);
	quanta = worker_number(self->worker, "quanta ");
	mean = worker_number(self->worker, "ran_ns ");
	loud = measure(self);
	sample(self, calls, asleep, us);
	quanta = worker_number(self->worker, "quanta ") - quanta;
	mean = (worker_number(self->worker, "ran_ns ") - mean) / quanta;
	longest = worker_number(self->worker, "longest_ns ");
	ASSERT_EQ(0, end_attack(child));

	TH_LOG("the neighbour issues %.0f instructions/s, %.0f under attack: %.3f",
	       quiet.issued, loud.issued, loud.issued / quiet.issued);
	TH_LOG("%.0f cycles/s, %.0f under attack: %.3f; quanta take %.2f of the time",
	       quiet.cycles, loud.cycles, loud.cycles / quiet.cycles, loud.held);
	TH_LOG("TENANT_CONFIG: p50 %.0f us, p99 %.0f us, longest %.0f us",
	       percentile(us, 50), percentile(us, 99), percentile(us, 100));
	TH_LOG("quanta that end meanwhile: p50 %.0f, p99 %.0f; asleep p99 %.0f",
	       percentile(calls, 50), percentile(calls, 99), percentile(asleep, 99));
	TH_LOG("quanta: mean %.0f us, longest %.0f us, %.0f us before", mean / 1000,
	       longest / 1000, before / 1000);
	EXPECT_LT(quiet.issued * 2 / 3, loud.issued);
	EXPECT_LT(2. / 3, loud.held);
	EXPECT_GE(2, percentile(calls, 99));
	EXPECT_GT(10 * mean, longest);
}

TEST_HARNESS_MAIN

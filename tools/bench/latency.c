// SPDX-License-Identifier: GPL-2.0
/*
 * How long each call waits while the device simulates, and what callers cost the
 * simulation: on /dev/simgpu0, as whoever runs it. Of each call the median and
 * the 99th percentile, in microseconds and as a ratio to the quantum that the
 * device's worker has lately had (debugfs) or is meant to have, and how many
 * quanta ended meanwhile; then how fast the simulation is while eight processes do
 * nothing but one call.
 *
 * What else runs on the host takes processors away from a virtual machine, at any
 * moment and without a word. A test must not see that. So it counts the quanta that
 * end during a call, which stand still while the worker has no processor, and
 * compares them with those that end while this process sleeps for one quantum,
 * which are as many more as it gets its own processor late. Likewise, what a crowd
 * costs is the part of a processor that the worker is left with.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "../../userspace/lib/simgpu.h"
#include "../../tests/attack/user.h"

/* tests/attack/waiting.c says so. */
#ifndef LATENCY_IS_TEST
#define LATENCY_IS_TEST	false
#endif

#define SAMPLES		400
#define CROWD		8
#define WINDOW_MS	1000
/* A crowd comes and goes so often: an odd number, for the median. */
#define PAIRS		3
/* Until a crowd is there. */
#define SETTLE_MS	100
/* What the worker aims at; it may not come below where the host is slow. */
#define QUANTUM_US	1000
#define QUANTUM_NS	(1000ULL * QUANTUM_US)

static struct built_trace streaming, empty;

/* struct place - what a call is made on */
struct place {
	int fd;			/* a tenant that has a slot */
	int gang;		/* the device's, or one that has ended */
	uint32_t handle;	/* of the empty trace */
	uint32_t other;		/* of another one, which comes and goes */
	uint64_t sequence;	/* of the last launch */
	uint64_t tenant;	/* its number */
	struct simgpu_netlink *netlink;	/* of this process; NULL: none yet */
};

/* Of the worker, in debugfs; opened before the process becomes a user. */
static int worker_fd = -1;
static pid_t worker;

static void fail(const char *what, int ret)
{
	fprintf(stderr, "latency: %s: %s\n", what, strerror(-ret));
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

/* The calls; what they return is not looked at but where it must be good. */

static void do_info(struct place *place)
{
	struct simgpu_device_info info = { .size = sizeof(info) };

	check("info", call(place->fd, SIMGPU_IOC_DEVICE_INFO, &info));
}

static void do_config(struct place *place)
{
	static unsigned int turn;

	/* Nothing that a user may not say. */
	check("config", set_tenant(place->fd, turn++ % 2 ? "odd" : "even", 0,
				   1, 0));
}

static void do_upload(struct place *place)
{
	check("upload", upload(place->fd, &empty, &place->other));
}

static void do_remove(struct place *place)
{
	check("remove", trace_remove(place->fd, place->other));
}

static void do_launch(struct place *place)
{
	check("launch", launch(place->fd, place->handle, 1, &place->sequence));
}

static void do_poll_launch(struct place *place)
{
	int ret = wait_launch(place->fd, place->sequence, 0);

	if (ret && ret != -ETIMEDOUT)
		fail("wait", ret);
}

static void do_report(struct place *place)
{
	struct full_report report;

	check("report", tenant_report(place->fd, &report));
}

/* The device is busy: it is refused. */
static void do_gang_create(struct place *place)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
	};

	if (!call(place->fd, SIMGPU_IOC_GANG_CREATE, &create))
		fail("a second gang", -EEXIST);
}

/* The slot is taken: likewise. */
static void do_gang_join(struct place *place)
{
	if (!gang_join(place->fd, place->gang, 0))
		fail("a taken slot", -EEXIST);
}

static void do_gang_status(struct place *place)
{
	struct simgpu_gang_status status;

	check("status", gang_status(place->gang, &status));
}

static void do_gang_report(struct place *place)
{
	struct full_report report;

	check("gang report", gang_report(place->gang, 0, &report));
}

static void do_gang_refusal(struct place *place)
{
	struct simgpu_gang_refusal refusal = { .size = sizeof(refusal) };

	call(place->gang, SIMGPU_IOC_GANG_REFUSAL, &refusal);
}

static void do_open_close(struct place *unused)
{
	int fd = open_device();

	check("open", fd);
	close(fd);
}

static void do_read(struct place *place)
{
	struct simgpu_completion done;

	if (read(place->fd, &done, sizeof(done)) < 0 && errno != EAGAIN)
		fail("read", -errno);
}

static void do_sysfs_read(struct place *unused)
{
	if (read_number(SYSFS "epochs") < 0)
		fail("epochs", -EIO);
}

static void do_sysfs_write(struct place *place)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "tenants/%llu/weight",
		 (unsigned long long)place->tenant);
	check("weight", write_text(path, "1"));
}

static void do_netlink(struct place *place)
{
	const uint32_t weight = 1;

	if (!place->netlink)
		check("netlink", simgpu_netlink_open(&place->netlink));
	check("netlink", simgpu_netlink_set_tenant(place->netlink, 0,
						   place->tenant, &weight,
						   NULL));
}

/* Before and after a measured call, not measured. */

static void wait_for_launch(struct place *place)
{
	check("wait", wait_launch(place->fd, place->sequence, -1));
}

/**
 * struct kind - a call that is measured
 * @name: of it
 * @before: each of them
 * @act: the call
 * @after: each of them
 * @alone: one process at a time; not for a crowd
 */
static const struct kind {
	const char *name;
	void (*before)(struct place *place);
	void (*act)(struct place *place);
	void (*after)(struct place *place);
	bool alone;
} kinds[] = {
	{ "DEVICE_INFO", NULL, do_info, NULL, false },
	{ "TENANT_CONFIG", NULL, do_config, NULL, false },
	{ "TRACE_UPLOAD", NULL, do_upload, do_remove, false },
	{ "TRACE_REMOVE", do_upload, do_remove, NULL, false },
	{ "LAUNCH", NULL, do_launch, wait_for_launch, true },
	{ "WAIT, that asks", NULL, do_poll_launch, NULL, false },
	{ "REPORT", NULL, do_report, NULL, false },
	{ "GANG_CREATE, refused", NULL, do_gang_create, NULL, false },
	{ "GANG_JOIN, refused", NULL, do_gang_join, NULL, false },
	{ "GANG_STATUS", NULL, do_gang_status, NULL, false },
	{ "GANG_REPORT", NULL, do_gang_report, NULL, false },
	{ "GANG_REFUSAL", NULL, do_gang_refusal, NULL, false },
	{ "open() and close()", NULL, do_open_close, NULL, false },
	{ "read()", NULL, do_read, NULL, false },
	{ "sysfs, reading", NULL, do_sysfs_read, NULL, false },
	{ "sysfs, writing", NULL, do_sysfs_write, NULL, false },
	{ "netlink, TENANT_SET", NULL, do_netlink, NULL, false },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/*
 * A gang of two: a stream without an end in slot 0, and @place in slot 1, which is
 * a user's if so asked, as is the process then.
 */
static int begin(struct place *place, bool user)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 2, .seed = 1,
	};
	int fd = open_device();
	uint32_t handle = 0;

	check("open", fd);
	check("gang", call(fd, SIMGPU_IOC_GANG_CREATE, &create));
	place->gang = create.fd;
	check("join", gang_join(fd, place->gang, 0));
	check("upload", upload(fd, &streaming, &handle));
	check("launch", launch(fd, handle, UINT64_MAX, NULL));
	if (user)
		as_user();
	place->fd = open_device();
	check("open", place->fd);
	check("nonblock", fcntl(place->fd, F_SETFL, O_NONBLOCK) ? -errno : 0);
	place->tenant = newest_tenant();
	check("join", gang_join(place->fd, place->gang, 1));
	check("upload", upload(place->fd, &empty, &place->handle));
	check("launch", launch(place->fd, place->handle, 1, &place->sequence));
	wait_for_launch(place);
	return fd;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A number of debugfs' file of the worker; 0 where that cannot be read. */
static uint64_t worker_number(const char *name)
{
	char text[512];
	const char *at;
	ssize_t length = pread(worker_fd, text, sizeof(text) - 1, 0);

	if (length < 0)
		return 0;
	text[length] = 0;
	at = strstr(text, name);
	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static uint64_t quanta_now(void)
{
	return worker_number("quanta ");
}

/* Of the worker since it had finished @quanta and run for @ns; or as it should be. */
static double quantum_since(uint64_t quanta, uint64_t ns)
{
	quanta = quanta_now() - quanta;
	ns = worker_number("ran_ns ") - ns;
	return quanta && ns / quanta > QUANTUM_NS ? (double)ns / quanta :
						    QUANTUM_NS;
}

/**
 * struct waits - of a call
 * @p50: nanoseconds, as what follows
 * @p99: of them
 * @longest: of them
 * @quantum: at that time
 * @quanta_p50: that ended during a call, the median
 * @quanta_p99: likewise, the 99th percentile
 * @asleep_p99: that ended during a quantum's sleep, likewise
 */
struct waits {
	double p50, p99, longest, quantum;
	uint64_t quanta_p50, quanta_p99, asleep_p99;
};

static uint64_t slept_quanta(void)
{
	const struct timespec time = { .tv_nsec = QUANTUM_NS };
	uint64_t before = quanta_now();

	nanosleep(&time, NULL);
	return quanta_now() - before;
}

static uint64_t percentile(uint64_t *values, unsigned int percent)
{
	qsort(values, SAMPLES, sizeof(values[0]), compare);
	return values[(SAMPLES * percent + 99) / 100 - 1];
}

static struct waits sample(const struct kind *kind, struct place *place)
{
	static uint64_t took[SAMPLES], quanta[SAMPLES], asleep[SAMPLES];
	uint64_t first = quanta_now(), ran_ns = worker_number("ran_ns ");
	unsigned int i;

	for (i = 0; i < SAMPLES; i++) {
		uint64_t start;

		/* Whoever calls at once again meets the worker's same moment. */
		usleep(i * 2654435761U % (2 * QUANTUM_US));
		asleep[i] = slept_quanta();
		if (kind->before)
			kind->before(place);
		quanta[i] = quanta_now();
		start = now_ns();
		kind->act(place);
		took[i] = now_ns() - start;
		quanta[i] = quanta_now() - quanta[i];
		if (kind->after)
			kind->after(place);
	}
	return (struct waits) {
		percentile(took, 50), percentile(took, 99),
		percentile(took, 100), quantum_since(first, ran_ns),
		percentile(quanta, 50), percentile(quanta, 99),
		percentile(asleep, 99),
	};
}

/*
 * Of a hundred calls one may be late on a busy host, no later than a sleeper is. A
 * quantum that ends just before or after a call may be counted, too.
 */
static bool is_short(const struct waits *waits)
{
	if (waits->p99 < 2 * waits->quantum)
		return true;
	/* Nothing to count by. */
	if (!quanta_now())
		return false;
	return waits->quanta_p50 <= 2 &&
	       (waits->quanta_p99 <= 2 ||
		waits->quanta_p99 <= waits->asleep_p99 + 1);
}

static bool measure(const struct kind *kind, struct place *place, bool tap)
{
	struct waits waits = sample(kind, place);
	bool good = is_short(&waits);

	if (tap)
		printf("%s - %s waits below two quanta\n# ",
		       good ? "ok" : "not ok", kind->name);
	printf("%-21s %8.1f %9.1f %9.1f %7.3f %7.3f %5.0f %4llu %4llu %6llu\n",
	       kind->name, waits.p50 / 1000, waits.p99 / 1000,
	       waits.longest / 1000, waits.p50 / waits.quantum,
	       waits.p99 / waits.quantum, waits.quantum / 1000,
	       (unsigned long long)waits.quanta_p50,
	       (unsigned long long)waits.quanta_p99,
	       (unsigned long long)waits.asleep_p99);
	fflush(stdout);
	return good;
}

static void call_for_ever(const struct kind *kind, struct place *place)
{
	for (;;) {
		if (kind->before)
			kind->before(place);
		kind->act(place);
		if (kind->after)
			kind->after(place);
	}
}

static void burn_for_ever(void)
{
	for (;;)
		getppid();
}

/**
 * struct pace - of the device, over a while
 * @cycles: a second of the host
 * @share: of a processor, that the worker had
 */
struct pace {
	double cycles, share;
};

static struct pace pace_now(void)
{
	double start = seconds_now(), used = used_seconds(worker), seconds;
	long long cycles = read_number(SYSFS "cycles");

	sleep_ms(WINDOW_MS);
	cycles = read_number(SYSFS "cycles") - cycles;
	used = used_seconds(worker) - used;
	seconds = seconds_now() - start;
	return (struct pace) { cycles / seconds, used / seconds };
}

/* @kind: NULL: they only burn time */
static struct pace crowded(const struct kind *kind, const struct place *place)
{
	pid_t children[CROWD];
	struct pace pace;
	int i;

	for (i = 0; i < CROWD; i++) {
		struct place own = *place;

		own.netlink = NULL;
		children[i] = fork();
		if (children[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (kind)
			call_for_ever(kind, &own);
		burn_for_ever();
	}
	sleep_ms(SETTLE_MS);
	pace = pace_now();
	for (i = 0; i < CROWD; i++)
		kill(children[i], SIGKILL);
	for (i = 0; i < CROWD; i++)
		waitpid(children[i], NULL, 0);
	return pace;
}

static double median(double *values)
{
	unsigned int i, j;

	for (i = 0; i < PAIRS; i++)
		for (j = i; j && values[j - 1] > values[j]; j--) {
			double swapped = values[j];

			values[j] = values[j - 1];
			values[j - 1] = swapped;
		}
	return values[PAIRS / 2];
}

static bool measure_crowd(const struct kind *kind, const struct place *place,
			  bool tap)
{
	double shares[PAIRS], cycles[PAIRS], speed = 0, share;
	int i;

	for (i = 0; i < PAIRS; i++) {
		struct pace alone = pace_now(), with = crowded(kind, place);

		shares[i] = with.share / alone.share;
		cycles[i] = with.cycles / alone.cycles;
		speed = alone.cycles > speed ? alone.cycles : speed;
	}
	share = median(shares);
	if (tap && kind)
		printf("%s - eight in %s cost less than a third\n# ",
		       share > 2.0 / 3 ? "ok" : "not ok", kind->name);
	else if (tap)
		printf("# ");
	printf("%-21s %7.3f of the worker's time, %7.3f of %.0f cycles/s\n",
	       kind ? kind->name : "(no call: getppid())", share,
	       median(cycles), speed);
	fflush(stdout);
	return share > 2.0 / 3;
}

static void usage(void)
{
	fputs("usage: latency [--tap] [--user] [--crowd] [--only CALL]\n",
	      stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	bool tap = LATENCY_IS_TEST, user = LATENCY_IS_TEST;
	bool crowd = LATENCY_IS_TEST, good = true;
	const char *only = "";
	struct place place = {};
	unsigned int i;
	int stream, c;

	for (c = 1; c < argc; c++) {
		if (!strcmp(argv[c], "--tap"))
			tap = true;
		else if (!strcmp(argv[c], "--user"))
			user = true;
		else if (!strcmp(argv[c], "--crowd"))
			crowd = true;
		else if (!strcmp(argv[c], "--only") && argv[c + 1])
			only = argv[++c];
		else
			usage();
	}
	build_stream(&streaming, 4000, 64);
	build_compute(&empty, 1, 1);
	worker_fd = open(DEBUGFS "worker", O_RDONLY | O_CLOEXEC);
	worker = worker_pid();
	stream = begin(&place, user);
	if (tap)
		printf("1..%zu\n", KINDS + (crowd ? KINDS - 1 : 0));
	else
		printf("%-21s %8s %9s %9s %7s %7s %5s %4s %4s %6s\n", "call",
		       "p50, us", "p99, us", "longest", "p50/q", "p99/q",
		       "q, us", "q50", "q99", "asleep");
	for (i = 0; i < KINDS; i++)
		if (strstr(kinds[i].name, only))
			good &= measure(&kinds[i], &place, tap);
	if (crowd)
		measure_crowd(NULL, &place, tap);
	for (i = 0; i < KINDS && crowd; i++)
		if (!kinds[i].alone && strstr(kinds[i].name, only))
			good &= measure_crowd(&kinds[i], &place, tap);
	close(stream);
	return tap && !good;
}

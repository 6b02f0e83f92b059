// SPDX-License-Identifier: GPL-2.0
/*
 * How long each call waits while the device simulates, and what callers cost the
 * simulation: on /dev/simgpu0, as whoever runs it. Of each call the median and
 * the 99th percentile, in microseconds and as a ratio to the quantum that the
 * device's worker has lately had (debugfs) or is meant to have; then how fast the
 * simulation is while eight processes do nothing but one call.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../tests/kselftest/calls.h"

/* tests/attack/waiting.c says so. */
#ifndef LATENCY_IS_TEST
#define LATENCY_IS_TEST	false
#endif

#define SAMPLES		400
/* What else runs on the host only adds: the best of so many counts for a test. */
#define TRIES		3
#define CROWD		8
#define WINDOW_MS	1500
/* What the worker aims at; it may not come below where the host is slow. */
#define QUANTUM_US	1000
#define QUANTUM_NS	(1000ULL * QUANTUM_US)
/* Where a caller who is no administrator is put by --user. */
#define USER		1000

static struct built_trace streaming, empty;

/* struct place - what a call is made on */
struct place {
	int fd;			/* a tenant that has a slot */
	int gang;		/* the device's, or one that has ended */
	uint32_t handle;	/* of the empty trace */
	uint32_t other;		/* of another one, which comes and goes */
	uint64_t sequence;	/* of the last launch */
};

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
	static unsigned int weight;

	check("config", set_tenant(place->fd, "latency", 0,
				   1 + weight++ % 2, 0));
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
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* A gang of two: a stream without an end in slot 0, @place in slot 1. */
static int begin(struct place *place)
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
	place->fd = open_device();
	check("open", place->fd);
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

	if (read_text(DEBUGFS "worker", text, sizeof(text)))
		return 0;
	at = strstr(text, name);
	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static uint64_t quantum_ns(void)
{
	uint64_t quanta = worker_number("quanta "), ns = worker_number("ran_ns ");

	sleep_ms(WINDOW_MS);
	quanta = worker_number("quanta ") - quanta;
	ns = worker_number("ran_ns ") - ns;
	return quanta && ns / quanta > QUANTUM_NS ? ns / quanta : QUANTUM_NS;
}

/* struct waits - of a call, in nanoseconds */
struct waits {
	double p50, p99, longest;
};

static struct waits sample(const struct kind *kind, struct place *place)
{
	static uint64_t took[SAMPLES];
	unsigned int i;

	for (i = 0; i < SAMPLES; i++) {
		uint64_t start;

		/* Whoever calls at once again meets the worker's same moment. */
		usleep(i * 2654435761U % (2 * QUANTUM_US));
		if (kind->before)
			kind->before(place);
		start = now_ns();
		kind->act(place);
		took[i] = now_ns() - start;
		if (kind->after)
			kind->after(place);
	}
	qsort(took, SAMPLES, sizeof(took[0]), compare);
	return (struct waits) {
		took[SAMPLES / 2], took[SAMPLES * 99 / 100], took[SAMPLES - 1]
	};
}

static bool measure(const struct kind *kind, struct place *place,
		    uint64_t quantum, bool tap)
{
	struct waits waits = sample(kind, place), again;
	int tries;

	for (tries = 1; tap && tries < TRIES && waits.p99 >= 2.0 * quantum;
	     tries++) {
		again = sample(kind, place);
		if (again.p99 < waits.p99)
			waits = again;
	}
	if (tap)
		printf("%s - %s waits below two quanta\n# ",
		       waits.p99 < 2.0 * quantum ? "ok" : "not ok",
		       kind->name);
	printf("%-24s %9.1f us %9.1f us %9.1f us %7.3f %7.3f\n", kind->name,
	       waits.p50 / 1000, waits.p99 / 1000, waits.longest / 1000,
	       waits.p50 / quantum, waits.p99 / quantum);
	fflush(stdout);
	return waits.p99 < 2.0 * quantum;
}

static void call_for_ever(const struct kind *kind, struct place *place)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		if (kind->before)
			kind->before(place);
		kind->act(place);
		if (kind->after)
			kind->after(place);
	}
}

static double cycles_a_second(void)
{
	uint64_t start_ns = now_ns();
	long long cycles = read_number(SYSFS "cycles");

	sleep_ms(WINDOW_MS);
	cycles = read_number(SYSFS "cycles") - cycles;
	return cycles * 1e9 / (double)(now_ns() - start_ns);
}

/* @kind: NULL: they only burn time */
static double crowded(const struct kind *kind, const struct place *place)
{
	pid_t children[CROWD];
	double speed;
	int i;

	for (i = 0; i < CROWD; i++) {
		struct place own = *place;

		children[i] = fork();
		if (children[i])
			continue;
		if (kind)
			call_for_ever(kind, &own);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			getppid();
	}
	sleep_ms(300);
	speed = cycles_a_second();
	for (i = 0; i < CROWD; i++)
		kill(children[i], SIGKILL);
	for (i = 0; i < CROWD; i++)
		waitpid(children[i], NULL, 0);
	return speed;
}

static bool measure_crowd(const struct kind *kind, const struct place *place,
			  bool tap)
{
	double ratio = 0, alone = 0;
	int tries;

	for (tries = 0; tries < (tap && kind ? TRIES : 1) && ratio <= 2.0 / 3;
	     tries++) {
		double before = cycles_a_second();
		double during = crowded(kind, place);
		double after = cycles_a_second();

		if (during / (before + after) * 2 < ratio)
			continue;
		alone = (before + after) / 2;
		ratio = during / alone;
	}
	if (tap && kind)
		printf("%s - eight in %s cost less than a third\n# ",
		       ratio > 2.0 / 3 ? "ok" : "not ok", kind->name);
	else if (tap)
		printf("# ");
	printf("%-24s %7.3f of %.0f cycles/s\n",
	       kind ? kind->name : "(no call: getppid())", ratio, alone);
	fflush(stdout);
	return ratio > 2.0 / 3;
}

/* As a user whom the device's node admits. */
static void become_user(void)
{
	struct stat node;

	if (stat(DEVICE, &node) || setgroups(0, NULL) ||
	    setresgid(node.st_gid, node.st_gid, node.st_gid) ||
	    setresuid(USER, USER, USER))
		fail("becoming a user", -errno);
}

static void usage(void)
{
	fputs("usage: latency [--tap] [--user] [--crowd]\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	bool tap = LATENCY_IS_TEST, user = LATENCY_IS_TEST;
	bool crowd = LATENCY_IS_TEST, good = true;
	struct place place;
	uint64_t quantum;
	unsigned int i;
	int stream, c;

	for (c = 1; c < argc; c++) {
		if (!strcmp(argv[c], "--tap"))
			tap = true;
		else if (!strcmp(argv[c], "--user"))
			user = true;
		else if (!strcmp(argv[c], "--crowd"))
			crowd = true;
		else
			usage();
	}
	build_stream(&streaming, 4000, 64);
	build_compute(&empty, 1, 1);
	stream = begin(&place);
	quantum = quantum_ns();
	if (user)
		become_user();
	printf("%sthe quantum is %.1f us\n", tap ? "# " : "", quantum / 1000.0);
	if (tap)
		printf("1..%zu\n", KINDS + (crowd ? KINDS - 1 : 0));
	else
		printf("%-24s %12s %12s %12s %7s %7s\n", "call", "p50", "p99",
		       "longest", "p50/q", "p99/q");
	for (i = 0; i < KINDS; i++)
		good &= measure(&kinds[i], &place, quantum, tap);
	if (crowd)
		measure_crowd(NULL, &place, tap);
	for (i = 0; i < KINDS && crowd; i++)
		if (!kinds[i].alone)
			good &= measure_crowd(&kinds[i], &place, tap);
	close(stream);
	return tap && !good;
}

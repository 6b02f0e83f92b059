// SPDX-License-Identifier: GPL-2.0
/*
 * In a kernel that preempts everywhere a caller whose cgroup has used up its cpu.max is
 * stopped inside the driver. What it holds there, others wait for.
 */
#include "user.h"

#include "../kselftest/harness.h"

#define PREEMPT		"/sys/kernel/debug/sched/preempt"
#define CGROUPS		"/sys/fs/cgroup/"
#define GROUP		CGROUPS "simgpu-throttled/"
/* A millisecond in a quarter of a second. */
#define CPU_MAX		"1000 250000"
#define NEIGHBOUR	2000
#define ATTACKERS	32
#define SECONDS		12
/* A busy host takes some of it. */
#define LONGEST_MS	300

FIXTURE(throttled)
{
	pid_t attackers[ATTACKERS];
	char before[16];
};

/* The mode in brackets, of "none voluntary (full)". */
static void present_mode(char *mode, size_t size)
{
	char text[64], *from;

	read_text(PREEMPT, text, sizeof(text));
	from = strchr(text, '(');
	snprintf(mode, size, "%.*s", from ? (int)strcspn(from + 1, ")") : 0,
		 from ? from + 1 : "");
}

FIXTURE_SETUP(throttled)
{
	memset(self->attackers, 0, sizeof(self->attackers));
	present_mode(self->before, sizeof(self->before));
	if (!self->before[0] || write_text(PREEMPT, "full"))
		SKIP(return, "this kernel does not preempt everywhere");
	rmdir(GROUP);
	if (write_text(CGROUPS "cgroup.subtree_control", "+cpu") || mkdir(GROUP, 0755) ||
	    write_text(GROUP "cpu.max", CPU_MAX))
		SKIP(return, "there is no cpu.max");
}

FIXTURE_TEARDOWN(throttled)
{
	int i;

	/* They end when they may run again. */
	write_text(GROUP "cpu.max", "max");
	for (i = 0; i < ATTACKERS; i++) {
		if (self->attackers[i] <= 0)
			continue;
		kill(self->attackers[i], SIGKILL);
		waitpid(self->attackers[i], NULL, 0);
	}
	rmdir(GROUP);
	if (self->before[0])
		write_text(PREEMPT, self->before);
}

/* A process of user 1000 in the group that does nothing but the call. */
static pid_t start_attacker(void (*forever)(void))
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write_text(GROUP "cgroup.procs", "0"))
		_exit(1);
	as_user();
	forever();
	_exit(1);
}

static void open_and_close(void)
{
	for (;;)
		close(open_device());
}

static double milliseconds_since(double start)
{
	return (seconds_now() - start) * 1000;
}

/* Others open and close the device, and look at files in sysfs, as ever. */
TEST_F_TIMEOUT(throttled, in_open, 60)
{
	double start, end, opening = 0, looking = 0, took;
	struct stat node;
	char text[32];
	int i, fd;

	for (i = 0; i < ATTACKERS; i++)
		self->attackers[i] = start_attacker(open_and_close);
	ASSERT_EQ(0, stat(DEVICE, &node));
	ASSERT_EQ(0, setresgid(node.st_gid, node.st_gid, 0));
	ASSERT_EQ(0, setresuid(NEIGHBOUR, NEIGHBOUR, 0));
	for (end = seconds_now() + SECONDS; seconds_now() < end; sleep_ms(1)) {
		start = seconds_now();
		fd = open_device();
		EXPECT_LE(0, fd);
		close(fd);
		took = milliseconds_since(start);
		opening = took > opening ? took : opening;
		start = seconds_now();
		EXPECT_EQ(0, read_text("/sys/kernel/mm/transparent_hugepage/enabled", text,
				       sizeof(text)));
		took = milliseconds_since(start);
		looking = took > looking ? took : looking;
	}
	as_root();
	TH_LOG("open() and close() took %.0f ms at most, a look at sysfs %.0f ms", opening,
	       looking);
	EXPECT_GT(LONGEST_MS * patience(), opening);
	EXPECT_GT(LONGEST_MS * patience(), looking);
}

TEST_HARNESS_MAIN

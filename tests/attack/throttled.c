// SPDX-License-Identifier: GPL-2.0
/*
 * A caller whose cgroup has used up its cpu.max is stopped inside the driver: anywhere in a
 * kernel that preempts everywhere, and where it sleeps or gives way in others. What it
 * holds there, others wait for.
 */
#include "user.h"

#include <sched.h>
#include <sys/mman.h>

#include "../kselftest/harness.h"
#include "../kselftest/netlink_calls.h"

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

/* A millisecond in a second, for calls that take the device's lock. */
#define LITTLE_CPU_MAX	"1000 1000000"
#define CALLERS		8
#define CALL_SECONDS	4
/* A host that is busy spoils some; a caller that is stopped with the lock spoils each. */
#define TRIES		3
#define CALL_MS		50
/* A timer of an emulated guest may be as late as that. */
#define LATE_MS		10

FIXTURE(throttled)
{
	pid_t attackers[ATTACKERS];
	char before[16];
};

/* mode: how the kernel preempts; NULL: as it does anyway */
FIXTURE_VARIANT(throttled)
{
	const char *mode;
};

FIXTURE_VARIANT_ADD(throttled, full)
{
	.mode = "full",
};

FIXTURE_VARIANT_ADD(throttled, usual)
{
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

/* A file of the group in which a caller of its own is. */
static const char *own_file(int caller, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), GROUP "%d/%s", caller, name);
	return path;
}

static void remove_groups(void)
{
	int i;

	for (i = 0; i < CALLERS; i++)
		rmdir(own_file(i, ""));
	rmdir(GROUP);
}

FIXTURE_SETUP(throttled)
{
	memset(self->attackers, 0, sizeof(self->attackers));
	present_mode(self->before, sizeof(self->before));
	if (variant->mode && (!self->before[0] || write_text(PREEMPT, variant->mode)))
		SKIP(return, "this kernel does not preempt everywhere");
	remove_groups();
	if (write_text(CGROUPS "cgroup.subtree_control", "+cpu") || mkdir(GROUP, 0755) ||
	    write_text(GROUP "cpu.max", "max"))
		SKIP(return, "there is no cpu.max");
	let_users_make_gangs();
}

FIXTURE_TEARDOWN(throttled)
{
	int i;

	/* They end when they may run again. */
	write_text(GROUP "cpu.max", "max");
	for (i = 0; i < CALLERS; i++)
		write_text(own_file(i, "cpu.max"), "max");
	for (i = 0; i < ATTACKERS; i++) {
		if (self->attackers[i] <= 0)
			continue;
		kill(self->attackers[i], SIGKILL);
		waitpid(self->attackers[i], NULL, 0);
	}
	remove_groups();
	if (variant->mode && self->before[0])
		write_text(PREEMPT, self->before);
}

/* A process of user 1000 in a group that does nothing but the call. */
static pid_t start_attacker(const char *members, void (*forever)(void))
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write_text(members, "0"))
		_exit(1);
	as_user();
	forever();
	_exit(1);
}

/*
 * Attackers move into their group and begin. Only then is the group limited: one that is
 * stopped while it moves holds a lock of cgroups, and the next one's fork() waits for it.
 */
static void let_begin(void)
{
	sleep_ms(300);
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
		self->attackers[i] = start_attacker(GROUP "cgroup.procs", open_and_close);
	let_begin();
	ASSERT_EQ(0, write_text(GROUP "cpu.max", CPU_MAX));
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
		EXPECT_EQ(0, read_text("/sys/kernel/uevent_seqnum", text,
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

/* --- what attackers do for ever --- */

static struct built_trace long_trace;

static uint32_t open_with_trace(int *fd)
{
	uint32_t handle = 0;

	*fd = open_device();
	if (*fd < 0 || upload(*fd, &long_trace, &handle))
		_exit(1);
	return handle;
}

static void launch_for_ever(void)
{
	int fd, i;
	uint32_t handle;

	for (;;) {
		handle = open_with_trace(&fd);
		/* Some find their queue full. */
		for (i = 0; i < 64; i++)
			launch(fd, handle, 1 + i, NULL);
		close(fd);
	}
}

static void close_for_ever(void)
{
	uint32_t handle;
	int fd;

	for (;;) {
		handle = open_with_trace(&fd);
		launch(fd, handle, FOR_EVER, NULL);
		close(fd);
	}
}

static void configure_for_ever(void)
{
	struct simgpu_masks masks = {
		.size = sizeof(masks), .flags = SIMGPU_MASK_SMS, .sms = { ~0ULL },
	};
	struct simgpu_queue queue = { .size = sizeof(queue), .priority = -1 };
	struct simgpu_mem_prefetch pages = { .size = sizeof(pages), .bytes = 1 };
	struct simgpu_mem_advise advice = { .size = sizeof(advice), .bytes = 1 };
	uint32_t handle;
	int fd;

	handle = open_with_trace(&fd);
	launch(fd, handle, FOR_EVER, NULL);
	for (;;) {
		set_tenant(fd, "attacker", SIMGPU_SERVICE_BEST_EFFORT, 1, 0);
		call(fd, SIMGPU_IOC_QUEUE, &queue);
		call(fd, SIMGPU_IOC_MASKS, &masks);
		call(fd, SIMGPU_IOC_MEM_PREFETCH, &pages);
		call(fd, SIMGPU_IOC_MEM_ADVISE, &advice);
	}
}

static void arrive_for_ever(void)
{
	struct simgpu_arrivals arrivals = {
		.size = sizeof(arrivals), .kind = SIMGPU_ARRIVALS_EVERY,
		.launches = 1, .requests = 1000, .every_cycles = 1000000000,
	};
	int fd;

	for (;;) {
		arrivals.handle = open_with_trace(&fd);
		call(fd, SIMGPU_IOC_ARRIVALS, &arrivals);
		call(fd, SIMGPU_IOC_ARRIVALS, &arrivals);
		close(fd);
	}
}

/* The device is taken, which is known with its lock only. */
static void gang_for_ever(void)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 2,
	};
	int fd = open_device();

	for (;;)
		call(fd, SIMGPU_IOC_GANG_CREATE, &create);
}

static void weigh_for_ever(void)
{
	unsigned long tenant;
	struct nl_sock *sock;
	int family;

	open_device();
	tenant = newest_tenant();
	sock = connect_family(&family);
	for (;;)
		set_weight(sock, family, tenant, 1);
}

static void look_for_ever(void)
{
	struct simgpu_report report = { .size = sizeof(report) };
	const int names = open(SYSFS "policies_available", O_RDONLY);
	const int metrics = open(SYSFS "stp", O_RDONLY);
	struct answer answer;
	struct nl_sock *sock;
	char text[4096];
	uint32_t handle;
	int fd, family;

	handle = open_with_trace(&fd);
	launch(fd, handle, FOR_EVER, NULL);
	sock = connect_family(&family);
	for (;;) {
		if (pread(names, text, sizeof(text), 0) <= 0)
			_exit(1);
		/* There is none at first. */
		if (pread(metrics, text, sizeof(text), 0) < 0 && errno == EBADF)
			_exit(1);
		wait_launch(fd, 1, 0);
		call(fd, SIMGPU_IOC_REPORT, &report);
		mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
		get_tenant(sock, family, 1, &answer);
		answer_free(&answer);
	}
}

/* --- what a neighbour does meanwhile --- */

/* How long a process of the highest priority has waited for its processor, in ns. */
static uint64_t *stalled_ns;

/*
 * Nothing in the guest keeps such a process waiting for long, but a host that runs
 * something else does: no call is to blame for that.
 */
static pid_t start_watch(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	pid_t child = fork();
	double before, late;

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		_exit(1);
	for (;;) {
		before = milliseconds_since(0);
		sleep_ms(1);
		late = milliseconds_since(0) - before;
		if (late > LATE_MS)
			__atomic_add_fetch(stalled_ns, late * 1e6, __ATOMIC_RELAXED);
	}
}

static uint64_t stalled(void)
{
	return __atomic_load_n(stalled_ns, __ATOMIC_RELAXED);
}

enum { CONFIG, LAUNCH, OPEN, KINDS };

/* The longest of each kind of its calls, in milliseconds. */
static void longest_calls(int fd, uint32_t handle, double longest[KINDS])
{
	double end = seconds_now() + CALL_SECONDS, start, took;
	int i = 0, other;
	uint64_t before;

	for (; seconds_now() < end; sleep_ms(1)) {
		before = stalled();
		start = seconds_now();
		switch (i % KINDS) {
		case CONFIG:
			set_tenant(fd, "neighbour", SIMGPU_SERVICE_BEST_EFFORT, 1, 0);
			break;
		case LAUNCH:
			launch(fd, handle, 1, NULL);
			break;
		default:
			other = open_device();
			close(other);
			break;
		}
		took = milliseconds_since(start);
		/* The watch has looked since. */
		sleep_ms(1);
		took -= (stalled() - before) / 1e6;
		longest[i % KINDS] = took > longest[i % KINDS] ? took : longest[i % KINDS];
		i++;
	}
}

static double longest_of(const double longest[KINDS])
{
	double most = 0;
	int i;

	for (i = 0; i < KINDS; i++)
		most = longest[i] > most ? longest[i] : most;
	return most;
}

/* The longest call of the best try, in milliseconds, beside attackers that do nothing but @forever. */
static double longest_beside(struct __test_metadata *_metadata, pid_t *attackers,
			     void (*forever)(void))
{
	double longest[KINDS], least = 1e9;
	struct stat node;
	pid_t watch;
	uint32_t handle;
	int i, fd;

	build_stream(&long_trace, 160, 50);
	stalled_ns = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)stalled_ns);
	watch = start_watch();
	ASSERT_EQ(0, write_text(GROUP "cgroup.subtree_control", "+cpu"));
	ASSERT_EQ(0, stat(DEVICE, &node));
	ASSERT_EQ(0, setresgid(node.st_gid, node.st_gid, 0));
	ASSERT_EQ(0, setresuid(NEIGHBOUR, NEIGHBOUR, 0));
	handle = open_with_trace(&fd);
	ASSERT_EQ(0, launch(fd, handle, FOR_EVER, NULL));
	as_root();
	for (i = 0; i < CALLERS; i++) {
		ASSERT_EQ(0, mkdir(own_file(i, ""), 0755));
		attackers[i] = start_attacker(own_file(i, "cgroup.procs"), forever);
	}
	let_begin();
	for (i = 0; i < CALLERS; i++)
		ASSERT_EQ(0, write_text(own_file(i, "cpu.max"), LITTLE_CPU_MAX));
	ASSERT_EQ(0, setresgid(node.st_gid, node.st_gid, 0));
	ASSERT_EQ(0, setresuid(NEIGHBOUR, NEIGHBOUR, 0));
	for (i = 0; i < TRIES && least >= CALL_MS * patience(); i++) {
		memset(longest, 0, sizeof(longest));
		longest_calls(fd, handle, longest);
		TH_LOG("the longest calls took %.0f, %.0f and %.0f ms; the host kept %.0f ms for itself",
		       longest[CONFIG], longest[LAUNCH], longest[OPEN],
		       stalled() / 1e6);
		least = least < longest_of(longest) ? least : longest_of(longest);
	}
	as_root();
	for (i = 0; i < CALLERS; i++)
		EXPECT_EQ(0, waitpid(attackers[i], NULL, WNOHANG));
	close(fd);
	EXPECT_EQ(0, kill(watch, SIGKILL));
	waitpid(watch, NULL, 0);
	return least;
}

#define BESIDE(_name)								\
	TEST_F_TIMEOUT(throttled, beside_##_name, 60)				\
	{									\
		EXPECT_GT(CALL_MS * patience(),					\
			  longest_beside(_metadata, self->attackers,		\
					 _name##_for_ever));			\
	}

BESIDE(launch)
BESIDE(close)
BESIDE(configure)
BESIDE(arrive)
BESIDE(gang)
BESIDE(weigh)
BESIDE(look)

TEST_HARNESS_MAIN

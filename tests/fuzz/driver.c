// SPDX-License-Identifier: GPL-2.0
/*
 * Speaks the driver's interface, wrongly as often as rightly: several processes
 * upload (sound and mutated traces), launch, wait, join gangs, map, read and
 * write settings, call with random sizes and fields, have launches fail, and are
 * killed at random, while devices come and go. What matters is that the kernel's log stays clean,
 * that nothing stays held, and that the module unloads; a device that no longer
 * works at the end is the one failure seen from here. Wants the module loaded with
 * devices=2.
 *
 * usage: driver [--seed N] [--seconds N] [--operations N] [--processes N] [--user N]
 */
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <linux/simgpu_netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include <grp.h>

#include "../kselftest/calls.h"
#include "../kselftest/dumps.h"

#define FILES_MAX	6
/* Made when the module is loaded: the first is everybody's, the other one gangs'. */
#define DEVICES		2
/* How often a run tells how far it is. */
#define PROGRESS_SECONDS	30
#define ITEM		CONFIGFS "fuzz"

/* struct tally - of one kind of operation */
struct tally {
	unsigned long tried, taken;
};

#define KINDS_MAX	16

/* struct shared - between all processes, which are of user @user */
struct shared {
	unsigned long operations;
	struct tally tallies[KINDS_MAX];
	uid_t user;
};

/* struct fuzzer - one process */
struct fuzzer {
	uint64_t random;
	struct shared *shared;
	int files[FILES_MAX];
	int gang;
	struct nl_sock *sock;
	int family;
	struct built_trace trace;
};

static uint64_t draw(struct fuzzer *fuzzer)
{
	uint64_t word = fuzzer->random += 0x9e3779b97f4a7c15ULL;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ULL;
	word = (word ^ word >> 27) * 0x94d049bb133111ebULL;
	return word ^ word >> 31;
}

static uint64_t below(struct fuzzer *fuzzer, uint64_t limit)
{
	return draw(fuzzer) % limit;
}

/* A small number, a limit, or anything. */
static uint64_t odd_number(struct fuzzer *fuzzer)
{
	static const uint64_t limits[] = {
		0, 1, 63, 64, 65, 255, 4095, 4096, 10000, 50000000, 1000000,
		1000001, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX,
	};

	switch (below(fuzzer, 3)) {
	case 0:
		return below(fuzzer, 8);
	case 1:
		return limits[below(fuzzer, sizeof(limits) / sizeof(*limits))];
	default:
		return draw(fuzzer);
	}
}

static int *some_file(struct fuzzer *fuzzer)
{
	return &fuzzer->files[below(fuzzer, FILES_MAX)];
}

static bool open_at(int *file, unsigned int device)
{
	char path[32];

	if (*file >= 0)
		close(*file);
	snprintf(path, sizeof(path), "/dev/simgpu%u", device);
	*file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return *file >= 0;
}

/* An operation's result is whether the driver did what it was asked for. */
static bool reopen(struct fuzzer *fuzzer)
{
	static const unsigned char devices[] = {
		0, 0, 0, 0, 0, 0, 0, DEVICES,
	};

	return open_at(some_file(fuzzer), devices[below(fuzzer, 8)]);
}

/* The trace's only allocation is managed. */
static void make_managed(struct built_trace *trace)
{
	struct simgpu_trace_allocation *allocation =
		trace_find(trace, SIMGPU_TRACE_ALLOCATIONS);

	allocation->kind = SIMGPU_TRACE_MANAGED;
	trace_seal(trace);
}

static bool upload_some(struct fuzzer *fuzzer)
{
	struct built_trace copy = fuzzer->trace;
	unsigned int flips = below(fuzzer, 2) ? 0 : 1 + below(fuzzer, 4);

	if (!below(fuzzer, 4))
		make_managed(&copy);
	while (flips--)
		copy.bytes[below(fuzzer, copy.size)] ^= 1 << below(fuzzer, 8);
	return !upload(*some_file(fuzzer), &copy, NULL);
}

/* A timeout of a queue, mostly one that a kernel can reach */
static bool set_timeout(struct fuzzer *fuzzer)
{
	struct simgpu_queue cmd = {
		.size = sizeof(cmd), .queue = below(fuzzer, 9),
		.timeout_cycles = below(fuzzer, 4) ? below(fuzzer, 20000) : odd_number(fuzzer),
	};

	return !call(*some_file(fuzzer), SIMGPU_IOC_QUEUE, &cmd);
}

/* What is to fail from now on, in words that are mostly sound */
static bool inject_some(struct fuzzer *fuzzer)
{
	static const char *const kinds[] = {
		"none", "hang", "address", "memory", "copy", "lost", "fire", "",
	};
	static const char *const keys[] = {
		"tenant", "launch", "after", "times", "cycles", "when",
	};
	unsigned int lines = 1 + below(fuzzer, 3), device = below(fuzzer, DEVICES), i;
	size_t length = 0;
	char path[64], text[512], said[4096];
	int ret;

	for (i = 0; i < lines; i++) {
		length += snprintf(text + length, sizeof(text) - length, "%s:probability=%s%s",
				   kinds[below(fuzzer, 8)], below(fuzzer, 8) ? "0.3" : "7",
				   below(fuzzer, 4) ? "" : ",survives=kill");
		if (below(fuzzer, 2))
			length += snprintf(text + length, sizeof(text) - length, ",%s=%llu",
					   keys[below(fuzzer, 6)],
					   (unsigned long long)(below(fuzzer, 4) ?
						below(fuzzer, 8) : odd_number(fuzzer)));
		length += snprintf(text + length, sizeof(text) - length, "\n");
	}
	snprintf(path, sizeof(path), "/sys/kernel/debug/simgpu/simgpu%u/inject", device);
	ret = write_text(path, below(fuzzer, 4) ? text : "none\n");
	read_text(path, said, sizeof(said));
	snprintf(path, sizeof(path), "/sys/kernel/debug/simgpu/simgpu%u/failure", device);
	read_text(path, said, sizeof(said));
	return !ret;
}

static void prefetch_some(struct fuzzer *fuzzer, int file)
{
	struct simgpu_mem_prefetch cmd = {
		.size = sizeof(cmd),
		.offset = below(fuzzer, 4) ? below(fuzzer, 1 << 16) : odd_number(fuzzer),
		.bytes = below(fuzzer, 4) ? 1 : odd_number(fuzzer),
	};

	call(file, SIMGPU_IOC_MEM_PREFETCH, &cmd);
}

static void advise_some(struct fuzzer *fuzzer, int file)
{
	struct simgpu_mem_advise cmd = {
		.size = sizeof(cmd),
		.advice = below(fuzzer, SIMGPU_MEM_FREE + 2),
		.offset = below(fuzzer, 4) ? below(fuzzer, 1 << 16) : odd_number(fuzzer),
		.bytes = below(fuzzer, 4) ? 1 + below(fuzzer, 1 << 22) : odd_number(fuzzer),
	};

	call(file, SIMGPU_IOC_MEM_ADVISE, &cmd);
}

static bool launch_some(struct fuzzer *fuzzer)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = 1 + below(fuzzer, 3),
		.repeats = below(fuzzer, 4) ? 1 + below(fuzzer, 3) :
			   odd_number(fuzzer),
		.not_before_cycle = below(fuzzer, 4) ? 0 : odd_number(fuzzer),
	};
	int file = *some_file(fuzzer), event = -1, ret;

	if (!below(fuzzer, 3)) {
		event = eventfd(0, EFD_NONBLOCK);
		cmd.flags = SIMGPU_LAUNCH_EVENTFD;
		cmd.eventfd = event;
	}
	if (!below(fuzzer, 3))
		cmd.flags |= SIMGPU_LAUNCH_MANAGED;
	ret = call(file, SIMGPU_IOC_LAUNCH, &cmd);
	if (event >= 0)
		close(event);
	if (!below(fuzzer, 3))
		prefetch_some(fuzzer, file);
	if (!below(fuzzer, 4))
		advise_some(fuzzer, file);
	return !ret;
}

static bool wait_some(struct fuzzer *fuzzer)
{
	struct simgpu_completion completions[4];
	int file = *some_file(fuzzer);

	wait_launch(file, odd_number(fuzzer), below(fuzzer, 3000000));
	return read(file, completions,
		    below(fuzzer, sizeof(completions) + 9)) > 0;
}

static bool create_gang(struct fuzzer *fuzzer, int file, uint32_t members,
			uint64_t epoch_cycles, uint64_t stop_cycle)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = members,
		.epoch_cycles = epoch_cycles, .stop_cycle = stop_cycle,
		.flags = below(fuzzer, 2), .kernel_end = below(fuzzer, 2),
		.preemption = below(fuzzer, 3),
		.managed_mib = below(fuzzer, 3) ? 2 * below(fuzzer, 3) : odd_number(fuzzer),
		.memory_policy = below(fuzzer, 7),
	};
	struct simgpu_param_value params[2] = {
		{ .name = "fair_threshold", .value = odd_number(fuzzer) },
		{ .name = "c1", .value = odd_number(fuzzer) },
	};
	struct simgpu_injection injections[2] = {
		{ .kind = 1 + below(fuzzer, 6), .slot = below(fuzzer, 4),
		  .probability_ppm = 500000 },
		{ .kind = 1, .slot = SIMGPU_INJECT_ANY, .launch = below(fuzzer, 4),
		  .survives = below(fuzzer, 4), .after_cycles = odd_number(fuzzer) },
	};

	/* Refused to who may not. */
	if (!below(fuzzer, 8))
		create.injections = (struct simgpu_injection_array) {
			.count = below(fuzzer, 3), .stride = sizeof(injections[0]),
			.array = (uintptr_t)injections,
		};
	if (!below(fuzzer, 4))
		create.params = (struct simgpu_param_array) {
			.count = below(fuzzer, 3), .stride = sizeof(params[0]),
			.array = (uintptr_t)params,
		};

	if (fuzzer->gang >= 0)
		close(fuzzer->gang);
	fuzzer->gang = -1;
	if (!call(file, SIMGPU_IOC_GANG_CREATE, &create))
		fuzzer->gang = create.fd;
	return fuzzer->gang >= 0;
}

/* Where somebody is seated there is none, so some are on the gangs' device. */
static bool make_gang(struct fuzzer *fuzzer)
{
	int *file = some_file(fuzzer);

	if (!below(fuzzer, 4))
		open_at(file, 1);
	return create_gang(fuzzer, *file, 1 + below(fuzzer, 3),
			   below(fuzzer, 2) ? 10000 : odd_number(fuzzer),
			   below(fuzzer, 100000));
}

static bool use_gang(struct fuzzer *fuzzer)
{
	struct full_record records[3];
	struct full_report report;
	struct simgpu_gang_status status;
	struct pollfd pollfd = { .fd = fuzzer->gang, .events = POLLIN };
	int ret;

	ret = gang_join(*some_file(fuzzer), fuzzer->gang, below(fuzzer, 4));
	gang_status(fuzzer->gang, &status);
	gang_report(fuzzer->gang, below(fuzzer, 4), &report);
	if (poll(&pollfd, 1, 0) == 1 &&
	    read(fuzzer->gang, records, sizeof(records)) < 0)
		return false;
	return !ret;
}

/*
 * A gang from beginning to end, as a sound caller runs one; but others take its
 * device, a step may be left out, and the caller may be killed at any of them.
 */
static bool run_gang(struct fuzzer *fuzzer)
{
	struct simgpu_gang_status status = {};
	unsigned int members = 1 + below(fuzzer, 3), i;
	unsigned int device = 1 + below(fuzzer, DEVICES - 1);
	uint32_t handle = 0;

	for (i = 0; i < members; i++)
		open_at(&fuzzer->files[i], device);
	create_gang(fuzzer, fuzzer->files[0], members, 10000,
		    10000 + below(fuzzer, 20000));
	for (i = 0; i < members; i++) {
		if (!below(fuzzer, 32))
			continue;
		gang_join(fuzzer->files[i], fuzzer->gang, i);
		upload(fuzzer->files[i], &fuzzer->trace, &handle);
		launch(fuzzer->files[i], handle, 1 + below(fuzzer, 4), NULL);
	}
	wait_launch(fuzzer->files[below(fuzzer, members)], 1,
		    below(fuzzer, 20000000));
	gang_status(fuzzer->gang, &status);
	return status.state == SIMGPU_GANG_DONE;
}

/* A call's argument struct of the right size, with a field or two of it set. */
static bool call_nearly(struct fuzzer *fuzzer)
{
	static const struct {
		uint64_t request;
		uint32_t size;
	} calls[] = {
		{ SIMGPU_IOC_DEVICE_INFO, sizeof(struct simgpu_device_info) },
		{ SIMGPU_IOC_TENANT_CONFIG, sizeof(struct simgpu_tenant_config) },
		{ SIMGPU_IOC_TRACE_UPLOAD, sizeof(struct simgpu_trace_upload) },
		{ SIMGPU_IOC_TRACE_REMOVE, sizeof(struct simgpu_trace_remove) },
		{ SIMGPU_IOC_LAUNCH, sizeof(struct simgpu_launch) },
		{ SIMGPU_IOC_QUEUE, sizeof(struct simgpu_queue) },
		{ SIMGPU_IOC_HINT, sizeof(struct simgpu_hint) },
		{ SIMGPU_IOC_MASKS, sizeof(struct simgpu_masks) },
		{ SIMGPU_IOC_MEM_PREFETCH, sizeof(struct simgpu_mem_prefetch) },
		{ SIMGPU_IOC_MEM_ADVISE, sizeof(struct simgpu_mem_advise) },
		{ SIMGPU_IOC_COPY, sizeof(struct simgpu_copy) },
		{ SIMGPU_IOC_REPORT, sizeof(struct simgpu_report) },
		{ SIMGPU_IOC_GANG_CREATE, sizeof(struct simgpu_gang_create) },
		{ SIMGPU_IOC_GANG_JOIN, sizeof(struct simgpu_gang_join) },
		{ SIMGPU_IOC_GANG_STATUS, sizeof(struct simgpu_gang_status) },
		{ SIMGPU_IOC_GANG_REPORT, sizeof(struct simgpu_gang_report) },
		{ SIMGPU_IOC_GANG_REFUSAL, sizeof(struct simgpu_gang_refusal) },
	};
	unsigned int which = below(fuzzer, sizeof(calls) / sizeof(calls[0]));
	unsigned int fields = below(fuzzer, 3);
	uint32_t words[128] = { calls[which].size };
	bool of_gang = calls[which].request >= SIMGPU_IOC_GANG_STATUS;

	while (fields--)
		words[1 + below(fuzzer, words[0] / sizeof(words[0]) - 1)] =
			odd_number(fuzzer);
	return !call(of_gang ? fuzzer->gang : *some_file(fuzzer),
		     calls[which].request, words);
}

/* Any call, any size, any bytes. */
static bool call_anything(struct fuzzer *fuzzer)
{
	uint64_t words[80];
	unsigned int number = 0x3e + below(fuzzer, 0x28), i;
	int file = below(fuzzer, 5) ? *some_file(fuzzer) : fuzzer->gang;
	uint32_t size;

	for (i = 0; i < 80; i++)
		words[i] = below(fuzzer, 3) ? 0 : odd_number(fuzzer);
	size = below(fuzzer, 3) ? 8 * below(fuzzer, 80) : odd_number(fuzzer);
	memcpy(words, &size, sizeof(size));
	/* Waits for ever are no use here. */
	if (number == _IOC_NR(SIMGPU_IOC_WAIT))
		words[2] = below(fuzzer, 1000000);
	return !call(file,
		     _IO(below(fuzzer, 50) ? SIMGPU_IOC_TYPE : 'x', number),
		     below(fuzzer, 20) ? words : (void *)odd_number(fuzzer));
}

static bool map_some(struct fuzzer *fuzzer)
{
	size_t bytes = getpagesize() * (1 + below(fuzzer, 2));
	void *page = mmap(NULL, bytes, 1 + below(fuzzer, 3), 1 + below(fuzzer, 2),
			  *some_file(fuzzer), 0);

	if (page == MAP_FAILED)
		return false;
	if (!below(fuzzer, 2))
		mprotect(page, bytes, PROT_READ | PROT_WRITE);
	fuzzer->random ^= *(volatile uint32_t *)page & 0;
	munmap(page, bytes);
	return true;
}

static bool write_setting(struct fuzzer *fuzzer)
{
	static const char *const files[] = {
		"policy", "model", "epoch_cycles", "model_params/c1",
		"policy_params/fair_threshold", "pace",
		"policy_params/qos_guard", "hold_cycles", "model_constants",
		"config", "decision_cycles", "counter_noise", "counter_delay",
		"sampled", "managed_mib", "memory_policy",
	};
	static const char *const values[] = {
		"even", "hsm-fair", "hsm-qos", "proportional", "bw-app", "hsm",
		"hsm-atd", "10000", "50000", "0.5", "0", "1", "-1", "\n", "x",
		"quota-mixed", "spart", "mig", "reef", "orion", "tally",
		"krisp", "lithos", "flep", "slices", "2", "8", "uvm", "demand",
		"all", "lfu", "fifo",
	};
	char path[96], text[512];
	int ret;

	snprintf(path, sizeof(path), SYSFS "%s",
		 files[below(fuzzer, sizeof(files) / sizeof(*files))]);
	ret = write_text(path, values[below(fuzzer, sizeof(values) /
					sizeof(*values))]);
	read_text(path, text, sizeof(text));
	return !ret;
}

/* A goal of any form and size, by ioctl or by the file in sysfs of any tenant. */
static bool say_goal(struct fuzzer *fuzzer)
{
	static const char *const words[] = {
		"none", "ipc", "kernel_time", "rate", "fps",
	};
	struct simgpu_tenant_config cmd = {
		.size = sizeof(cmd), .service = below(fuzzer, 4) > 0,
		.weight = 1, .name = "goal", .goal_kind = below(fuzzer, 5),
		.goal = odd_number(fuzzer),
	};
	char path[96], text[64];

	if (below(fuzzer, 2))
		return !call(*some_file(fuzzer), SIMGPU_IOC_TENANT_CONFIG,
			     &cmd);
	snprintf(path, sizeof(path), SYSFS "tenants/%llu/goal",
		 (unsigned long long)below(fuzzer, 64));
	snprintf(text, sizeof(text), "%s %llu", words[below(fuzzer, 5)],
		 (unsigned long long)odd_number(fuzzer) % 20000);
	return !write_text(path, text);
}

/* Empties the socket: whether an answer came, and none says an error. */
static bool took_all(struct fuzzer *fuzzer)
{
	union {
		struct nlmsghdr header;
		char bytes[4096];
	} answer;
	bool took = false;
	ssize_t count;

	for (;;) {
		count = recv(nl_socket_get_fd(fuzzer->sock), &answer,
			     sizeof(answer), MSG_DONTWAIT);
		if (count < (ssize_t)sizeof(answer.header))
			return took;
		took = answer.header.nlmsg_type != NLMSG_ERROR ||
		       !((struct nlmsgerr *)NLMSG_DATA(&answer))->error;
	}
}

static bool speak_netlink(struct fuzzer *fuzzer)
{
	struct nl_msg *message = nlmsg_alloc();
	unsigned int attributes = below(fuzzer, 6);

	genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, fuzzer->family, 0,
		    NLM_F_REQUEST | (below(fuzzer, 3) ? NLM_F_ACK : NLM_F_DUMP),
		    below(fuzzer, SIMGPU_CMD_MAX + 2), 1);
	nla_put_u32(message, 2, below(fuzzer, 4) ? 0 : odd_number(fuzzer));
	while (attributes--) {
		unsigned int type = below(fuzzer, 22);

		if (below(fuzzer, 2))
			nla_put_u64(message, type, odd_number(fuzzer));
		else if (below(fuzzer, 2))
			nla_put_u32(message, type, odd_number(fuzzer));
		else
			nla_put_string(message, type, "hsm-fair");
	}
	nl_send_auto(fuzzer->sock, message);
	nlmsg_free(message);
	return took_all(fuzzer);
}

static bool change_devices(struct fuzzer *fuzzer)
{
	switch (below(fuzzer, 4)) {
	case 0:
		return !mkdir(ITEM, 0755);
	case 1:
		return !rmdir(ITEM);
	default:
		write_text(ITEM "/config", "base = hbm80\nname = f\nsms = 4\n");
		return !write_text(ITEM "/live", below(fuzzer, 2) ? "1" : "0");
	}
}

/* struct kind - of operations, how many of 1000 it is, and whether only root's */
static const struct kind {
	const char *name;
	unsigned int weight;
	bool (*operate)(struct fuzzer *fuzzer);
	bool root;
} kinds[] = {
	{ "open", 60, reopen },
	{ "upload", 125, upload_some },
	{ "launch", 190, launch_some },
	{ "wait", 105, wait_some },
	{ "timeout", 20, set_timeout },
	{ "make a gang", 60, make_gang },
	{ "join a gang", 125, use_gang },
	{ "run a gang", 2, run_gang },
	{ "nearly sound ioctl", 65, call_nearly },
	{ "any ioctl", 60, call_anything },
	{ "mmap", 45, map_some },
	{ "goal", 20, say_goal },
	{ "setting", 50, write_setting, true },
	{ "injection", 10, inject_some, true },
	{ "netlink", 60, speak_netlink },
	{ "make or remove a device", 3, change_devices,
	  true },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))
_Static_assert(KINDS <= KINDS_MAX, "a tally for each");

static void operate(struct fuzzer *fuzzer)
{
	unsigned int choice = below(fuzzer, 1000), kind = 0;
	struct tally *tally;

	while (choice >= kinds[kind].weight)
		choice -= kinds[kind++].weight;
	tally = &fuzzer->shared->tallies[kind];
	__atomic_fetch_add(&tally->tried, 1, __ATOMIC_RELAXED);
	if (kinds[kind].operate(fuzzer))
		__atomic_fetch_add(&tally->taken, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&fuzzer->shared->operations, 1, __ATOMIC_RELAXED);
}

static void run_process(struct shared *shared, uint64_t seed)
{
	struct fuzzer fuzzer = { .random = seed, .shared = shared, .gang = -1 };
	int i;

	if (shared->user && (setgroups(0, NULL) || setgid(shared->user) ||
			     setuid(shared->user)))
		_exit(1);
	memset(fuzzer.files, -1, sizeof(fuzzer.files));
	build_everything(&fuzzer.trace);
	fuzzer.sock = nl_socket_alloc();
	if (genl_connect(fuzzer.sock))
		_exit(1);
	fuzzer.family = genl_ctrl_resolve(fuzzer.sock, SIMGPU_FAMILY_NAME);
	for (i = 0; i < FILES_MAX; i++)
		reopen(&fuzzer);
	for (;;)
		operate(&fuzzer);
}

static pid_t start_process(struct shared *shared, uint64_t seed)
{
	pid_t child = fork();

	if (!child)
		run_process(shared, seed);
	return child;
}

/* What is held for the tenants of a device, once that is nothing more. */
static bool holds_nothing(unsigned int device)
{
	char path[64];
	int tries;

	snprintf(path, sizeof(path), "/sys/class/simgpu/simgpu%u/bytes_held",
		 device);
	for (tries = 0; tries < 500; tries++) {
		if (!read_number(path))
			return true;
		sleep_ms(10);
	}
	printf("# device %u holds %lld bytes\n", device, read_number(path));
	return false;
}

static bool works(unsigned int device)
{
	struct built_trace trace;
	uint64_t sequence;
	uint32_t handle;
	char path[32];
	int fd, ret;

	snprintf(path, sizeof(path), "/dev/simgpu%u", device);
	fd = open(path, O_RDWR | O_CLOEXEC);
	build_everything(&trace);
	ret = upload(fd, &trace, &handle);
	ret = ret ?: launch(fd, handle, 1, &sequence);
	ret = ret ?: wait_launch(fd, sequence, PATIENCE_NS);
	close(fd);
	if (ret)
		printf("# device %u: %s\n", device, strerror(-ret));
	return !ret && holds_nothing(device);
}

/* As before anything happened, and the devices do their work. */
static bool is_well(void)
{
	unsigned int device;
	bool well = true;

	write_text(ITEM "/live", "0");
	rmdir(ITEM);
	write_text(SYSFS "policy", "even");
	write_text(SYSFS "model", "hsm");
	write_text(SYSFS "pace", "0");
	for (device = 0; device < DEVICES; device++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/kernel/debug/simgpu/simgpu%u/inject",
			 device);
		write_text(path, "none");
		well = holds_nothing(device) && works(device) && well;
	}
	delete_dumps();
	return well;
}

/* The last one that is given counts. */
static uint64_t option(int argc, char **argv, const char *name, uint64_t value)
{
	int i;

	for (i = 1; i + 1 < argc; i += 2)
		if (!strcmp(argv[i], name))
			value = strtoull(argv[i + 1], NULL, 0);
	return value;
}

/* Kills a process now and then until the time or the operations are over. */
static void let_run(struct fuzzer *choices, const struct shared *shared,
		    pid_t *children, uint64_t count, uint64_t seconds,
		    uint64_t limit)
{
	time_t start = time(NULL), told = start, now;
	unsigned long kills = 0;
	uint64_t i;

	while ((now = time(NULL)) < start + (time_t)seconds &&
	       shared->operations < limit) {
		sleep_ms(20 + below(choices, 200));
		i = below(choices, count);
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
		children[i] = start_process(choices->shared, draw(choices));
		kills++;
		if (now < told + PROGRESS_SECONDS)
			continue;
		told = now;
		printf("# %ld s: %lu operations, %lu kills\n",
		       (long)(now - start), shared->operations, kills);
		fflush(stdout);
	}
	printf("# %lu operations, %lu kills in %ld s\n", shared->operations,
	       kills, (long)(time(NULL) - start));
}

/* What root leaves to another user: the devices themselves, gangs, some claims. */
static void give_to(uid_t user)
{
	static const char *const limits[][2] = {
		{ "gang_makers", "everybody" }, { "weight_limit", "10" },
		{ "target_limit", "0.5" },
	};
	unsigned int device, i;
	char path[96];

	for (device = 0; device < DEVICES; device++) {
		snprintf(path, sizeof(path), "/dev/simgpu%u", device);
		if (chown(path, 0, user))
			perror(path);
		for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
			snprintf(path, sizeof(path),
				 "/sys/class/simgpu/simgpu%u/%s", device,
				 limits[i][0]);
			write_text(path, limits[i][1]);
		}
	}
}

/* So many times one is tried before none that was done says anything: few are sound. */
#define TRIES_ENOUGH	1000

/*
 * Whether the driver took each kind of operation at least once, and of another
 * user than root none that is root's; random bytes need not be a sound call.
 */
static bool took_each(const struct shared *shared)
{
	const struct tally *tally;
	bool each = true;
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		tally = &shared->tallies[i];
		printf("# %s: %lu, of which %lu were done\n", kinds[i].name,
		       tally->tried, tally->taken);
		if (shared->user && kinds[i].root)
			each = each && !tally->taken;
		else if (kinds[i].operate != call_anything)
			each = each && (tally->taken ||
					tally->tried < TRIES_ENOUGH);
	}
	return each;
}

static bool report(unsigned int number, bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", number, name);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t seed = option(argc, argv, "--seed", time(NULL));
	uint64_t seconds = option(argc, argv, "--seconds", 60);
	uint64_t limit = option(argc, argv, "--operations", UINT64_MAX);
	uint64_t count = option(argc, argv, "--processes", 4), i;
	struct fuzzer choices = { .random = seed };
	pid_t children[32];
	bool ok;

	count = count < 1 ? 1 : count > 32 ? 32 : count;
	printf("TAP version 13\n1..2\n# --seed %llu\n",
	       (unsigned long long)seed);
	fflush(stdout);
	choices.shared = mmap(NULL, sizeof(*choices.shared),
			      PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	choices.shared->user = option(argc, argv, "--user", 0);
	if (choices.shared->user)
		give_to(choices.shared->user);
	for (i = 0; i < count; i++)
		children[i] = start_process(choices.shared, draw(&choices));
	let_run(&choices, choices.shared, children, count, seconds, limit);
	for (i = 0; i < count; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	ok = report(1, is_well(), "the device works, and holds nothing");
	ok &= report(2, took_each(choices.shared),
		     "each kind of operation was done at least once, by who may");
	return !ok;
}

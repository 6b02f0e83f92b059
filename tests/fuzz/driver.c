// SPDX-License-Identifier: GPL-2.0
/*
 * Speaks the driver's interface, wrongly as often as rightly: several processes
 * upload (sound and mutated traces), launch, wait, join gangs, map, read and
 * write settings, call with random sizes and fields, and are killed at random,
 * while devices come and go. What matters is that the kernel's log stays clean,
 * that nothing stays held, and that the module unloads; a device that no longer
 * works at the end is the one failure seen from here.
 *
 * usage: driver [--seed N] [--seconds N] [--operations N] [--processes N]
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

#include "../kselftest/calls.h"

#define FILES_MAX	6
#define ITEM		"/sys/kernel/config/simgpu/fuzz"

/* struct shared - between all processes */
struct shared {
	unsigned long operations;
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

static void reopen(struct fuzzer *fuzzer)
{
	char path[32];
	int *file = some_file(fuzzer);

	if (*file >= 0)
		close(*file);
	snprintf(path, sizeof(path), "/dev/simgpu%u",
		 (unsigned int)below(fuzzer, 8) ? 0 : 1);
	*file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

static void upload_some(struct fuzzer *fuzzer)
{
	struct built_trace copy = fuzzer->trace;
	unsigned int flips = below(fuzzer, 2) ? 0 : 1 + below(fuzzer, 4);

	while (flips--)
		copy.bytes[below(fuzzer, copy.size)] ^= 1 << below(fuzzer, 8);
	upload(*some_file(fuzzer), &copy, NULL);
}

static void launch_some(struct fuzzer *fuzzer)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = 1 + below(fuzzer, 3),
		.repeats = below(fuzzer, 4) ? 1 + below(fuzzer, 3) :
			   odd_number(fuzzer),
		.not_before_cycle = below(fuzzer, 4) ? 0 : odd_number(fuzzer),
	};
	int event = -1;

	if (!below(fuzzer, 3)) {
		event = eventfd(0, EFD_NONBLOCK);
		cmd.flags = SIMGPU_LAUNCH_EVENTFD;
		cmd.eventfd = event;
	}
	call(*some_file(fuzzer), SIMGPU_IOC_LAUNCH, &cmd);
	if (event >= 0)
		close(event);
}

static void wait_some(struct fuzzer *fuzzer)
{
	struct simgpu_completion completions[4];
	int file = *some_file(fuzzer);

	wait_launch(file, odd_number(fuzzer), below(fuzzer, 3000000));
	if (read(file, completions, below(fuzzer, sizeof(completions) + 9)) < 0)
		return;
}

static void make_gang(struct fuzzer *fuzzer)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1 + below(fuzzer, 3),
		.epoch_cycles = below(fuzzer, 2) ? 10000 : odd_number(fuzzer),
		.stop_cycle = below(fuzzer, 100000),
		.flags = below(fuzzer, 2), .kernel_end = below(fuzzer, 2),
		.preemption = below(fuzzer, 3),
	};

	if (fuzzer->gang >= 0)
		close(fuzzer->gang);
	fuzzer->gang = -1;
	if (!call(*some_file(fuzzer), SIMGPU_IOC_GANG_CREATE, &create))
		fuzzer->gang = create.fd;
}

static void use_gang(struct fuzzer *fuzzer)
{
	struct simgpu_epoch_record records[3];
	struct simgpu_tenant_report report;
	struct simgpu_gang_status status;
	struct pollfd pollfd = { .fd = fuzzer->gang, .events = POLLIN };

	gang_join(*some_file(fuzzer), fuzzer->gang, below(fuzzer, 4));
	gang_status(fuzzer->gang, &status);
	gang_report(fuzzer->gang, below(fuzzer, 4), &report);
	if (poll(&pollfd, 1, 0) == 1 &&
	    read(fuzzer->gang, records, sizeof(records)) < 0)
		return;
}

/* Any call, any size, any bytes. */
static void call_anything(struct fuzzer *fuzzer)
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
	call(file, _IO(below(fuzzer, 50) ? SIMGPU_IOC_TYPE : 'x', number),
	     below(fuzzer, 20) ? words : (void *)odd_number(fuzzer));
}

static void map_some(struct fuzzer *fuzzer)
{
	size_t bytes = getpagesize() * (1 + below(fuzzer, 2));
	void *page = mmap(NULL, bytes, 1 + below(fuzzer, 3), 1 + below(fuzzer, 2),
			  *some_file(fuzzer), 0);

	if (page == MAP_FAILED)
		return;
	if (!below(fuzzer, 2))
		mprotect(page, bytes, PROT_READ | PROT_WRITE);
	fuzzer->random ^= *(volatile uint32_t *)page & 0;
	munmap(page, bytes);
}

static void write_setting(struct fuzzer *fuzzer)
{
	static const char *const files[] = {
		"policy", "model", "epoch_cycles", "c1", "fair_threshold",
		"pace", "qos_guard", "config",
	};
	static const char *const values[] = {
		"even", "hsm-fair", "hsm-qos", "proportional", "bw-app", "hsm",
		"hsm-atd", "10000", "50000", "0.5", "0", "1", "-1", "\n", "x",
	};
	char path[96], text[512];

	snprintf(path, sizeof(path), SYSFS "%s", files[below(fuzzer, 8)]);
	write_text(path, values[below(fuzzer, 15)]);
	read_text(path, text, sizeof(text));
}

static void speak_netlink(struct fuzzer *fuzzer)
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
	while (recv(nl_socket_get_fd(fuzzer->sock), fuzzer->trace.bytes, 0,
		    MSG_DONTWAIT | MSG_TRUNC) > 0)
		;
}

static void change_devices(struct fuzzer *fuzzer)
{
	switch (below(fuzzer, 4)) {
	case 0:
		mkdir(ITEM, 0755);
		break;
	case 1:
		rmdir(ITEM);
		break;
	default:
		write_text(ITEM "/config", "base = hbm80\nname = f\nsms = 4\n");
		write_text(ITEM "/live", below(fuzzer, 2) ? "1" : "0");
	}
}

static void operate(struct fuzzer *fuzzer)
{
	static void (*const operations[])(struct fuzzer *) = {
		reopen, upload_some, upload_some, launch_some, launch_some,
		launch_some, wait_some, wait_some, make_gang, use_gang,
		use_gang, call_anything, call_anything, map_some,
		write_setting, speak_netlink,
	};
	uint64_t choice = below(fuzzer, 200);

	if (choice < 1)
		change_devices(fuzzer);
	else
		operations[choice % 16](fuzzer);
	__atomic_fetch_add(&fuzzer->shared->operations, 1, __ATOMIC_RELAXED);
}

static void run_process(struct shared *shared, uint64_t seed)
{
	struct fuzzer fuzzer = { .random = seed, .shared = shared, .gang = -1 };
	int i;

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

/* As before anything happened, and the device does its work. */
static bool is_well(long long held)
{
	struct built_trace trace;
	uint64_t sequence;
	uint32_t handle;
	int fd, ret;

	write_text(ITEM "/live", "0");
	rmdir(ITEM);
	write_text(SYSFS "policy", "even");
	write_text(SYSFS "model", "hsm");
	write_text(SYSFS "pace", "0");
	if (read_bytes_held(held) != held)
		return false;
	fd = open_device();
	build_everything(&trace);
	ret = upload(fd, &trace, &handle);
	ret = ret ?: launch(fd, handle, 1, &sequence);
	ret = ret ?: wait_launch(fd, sequence, PATIENCE_NS);
	close(fd);
	return !ret && read_bytes_held(held) == held;
}

static uint64_t option(int argc, char **argv, const char *name, uint64_t value)
{
	int i;

	for (i = 1; i + 1 < argc; i += 2)
		if (!strcmp(argv[i], name))
			value = strtoull(argv[i + 1], NULL, 0);
	return value;
}

int main(int argc, char **argv)
{
	uint64_t seed = option(argc, argv, "--seed", time(NULL));
	uint64_t seconds = option(argc, argv, "--seconds", 60);
	uint64_t limit = option(argc, argv, "--operations", UINT64_MAX);
	uint64_t count = option(argc, argv, "--processes", 4), i, kills = 0;
	struct fuzzer choices = { .random = seed };
	long long held = read_number(SYSFS "bytes_held");
	time_t end = time(NULL) + seconds;
	struct shared *shared;
	pid_t children[32];
	bool well;

	count = count < 1 ? 1 : count > 32 ? 32 : count;
	printf("TAP version 13\n1..1\n# --seed %llu\n",
	       (unsigned long long)seed);
	fflush(stdout);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < count; i++)
		children[i] = start_process(shared, draw(&choices));
	while (time(NULL) < end && shared->operations < limit) {
		sleep_ms(20 + below(&choices, 200));
		i = below(&choices, count);
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
		children[i] = start_process(shared, draw(&choices));
		kills++;
	}
	for (i = 0; i < count; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	well = is_well(held);
	printf("# %lu operations, %llu kills\n%s 1 - the device works, and holds nothing\n",
	       shared->operations, (unsigned long long)kills,
	       well ? "ok" : "not ok");
	return !well;
}

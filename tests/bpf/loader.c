// SPDX-License-Identifier: GPL-2.0
/*
 * Loads the BPF programs of a folder one after the other, and asks the test's module
 * for decisions: what the program says, what the same policy says that is built into
 * the module, and what it says here have to agree to the bit. Prints TAP.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interface.h"
#include "random_snapshot.h"
#include "weighted.h"

#define SNAPSHOTS	200
#define REPEAT		2000
#define LOG_BYTES	(1 << 20)

static struct simgpu_snapshot snapshot;
static struct simgpu_proposal proposal, last;
static struct weighted_state state;
static struct bpf_test_answer answer;
static char verifier_log[LOG_BYTES];

static int device;
static int number, failures;

static void report(int good, const char *format, ...)
{
	va_list arguments;

	printf("%s %d - ", good ? "ok" : "not ok", ++number);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	failures += !good;
}

/* libbpf repeats the verifier's log, which is shown where it matters. */
static int print(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return 0;
}

/* --- a program --- */

/* A loaded program and its link. */
struct loaded {
	struct bpf_object *object;
	struct bpf_program *program;
	struct bpf_link *link;
};

static void unload(struct loaded *loaded)
{
	bpf_link__destroy(loaded->link);
	bpf_object__close(loaded->object);
	memset(loaded, 0, sizeof(*loaded));
}

/* Returns 0, or why it is not loaded and attached. */
static int load(struct loaded *loaded, const char *folder, const char *name)
{
	char path[4096];
	int err;

	memset(loaded, 0, sizeof(*loaded));
	verifier_log[0] = 0;
	snprintf(path, sizeof(path), "%s/%s.bpf.o", folder, name);
	loaded->object = bpf_object__open_file(path, NULL);
	if (!loaded->object)
		return -errno;
	loaded->program = bpf_object__next_program(loaded->object, NULL);
	bpf_program__set_log_buf(loaded->program, verifier_log, sizeof(verifier_log));
	err = bpf_object__load(loaded->object);
	if (!err) {
		loaded->link = bpf_map__attach_struct_ops(bpf_object__next_map(loaded->object, NULL));
		err = loaded->link ? 0 : -errno;
	}
	if (err)
		unload(loaded);
	return err;
}

/* The last lines of the verifier's log say why; figures follow. */
static void show_log(int count)
{
	char *end = strstr(verifier_log, "\nprocessed "), *line;

	if (end)
		*end = 0;
	for (line = verifier_log + strlen(verifier_log); line > verifier_log; line--)
		if (line[-1] == '\n' && !--count)
			break;
	for (line = strtok(line, "\n"); line; line = strtok(NULL, "\n"))
		printf("# | %s\n", line);
}

static void show_size(const struct loaded *loaded)
{
	struct bpf_prog_info info = { 0 };
	u32 bytes = sizeof(info);

	if (!bpf_prog_get_info_by_fd(bpf_program__fd(loaded->program), &info, &bytes))
		printf("# %u bytes of BPF, %u of machine code; %u instructions verified\n",
		       info.xlated_prog_len, info.jited_prog_len, info.verified_insns);
}

/* --- decisions --- */

/* Both homes of the module decide; the answer is in @answer. */
static int ask(u64 seed, u32 restart, u32 repeat)
{
	struct bpf_test_order order = {
		.seed = seed, .restart = restart, .repeat = repeat,
	};

	if (write(device, &order, sizeof(order)) != sizeof(order) ||
	    pread(device, &answer, sizeof(answer), 0) != sizeof(answer)) {
		printf("# the module does not answer: %s\n", strerror(errno));
		return -1;
	}
	return 0;
}

/* Whether home @home of the module agrees with @result, @proposal and @state. */
static int agrees(int home, int result)
{
	return answer.result[home] == result &&
	       !memcmp(&answer.proposal[home], &proposal, sizeof(proposal)) &&
	       !memcmp(answer.state[home], &state, sizeof(state));
}

/* Counts the snapshots for which each home agrees with this one, and changes. */
static void compare(int agreed[BPF_TEST_HOMES], int *changes)
{
	u64 seed;
	int home, result;

	memset(&state, 0, sizeof(state));
	memset(agreed, 0, sizeof(*agreed) * BPF_TEST_HOMES);
	*changes = 0;
	for (seed = 0; seed < SNAPSHOTS; seed++) {
		random_snapshot(seed, &snapshot);
		fresh_proposal(&proposal);
		result = weighted_decide(&snapshot, &state, &proposal);
		if (ask(seed, !seed, 0))
			return;
		for (home = 0; home < BPF_TEST_HOMES; home++)
			agreed[home] += agrees(home, result);
		*changes += !!memcmp(proposal.owner, last.owner, sizeof(last.owner)) &&
			    !!memcmp(proposal.quota, last.quota, sizeof(last.quota));
		last = proposal;
	}
}

/* Of several measurements the least: the guest shares its processors. */
static void show_times(void)
{
	u64 least[BPF_TEST_HOMES] = { U64_MAX, U64_MAX };
	int home, turn;

	for (turn = 0; turn < 5; turn++) {
		if (ask(7, 1, REPEAT))
			return;
		for (home = 0; home < BPF_TEST_HOMES; home++)
			if (answer.ns[home] < least[home])
				least[home] = answer.ns[home];
	}
	printf("# a call: %llu ns in BPF, %llu ns built in: %.1f times\n",
	       least[BPF_TEST_PROGRAM] / REPEAT, least[BPF_TEST_BUILT_IN] / REPEAT,
	       (double)least[BPF_TEST_PROGRAM] / least[BPF_TEST_BUILT_IN]);
}

/* --- the tests --- */

static void same_in_all_homes(const char *folder)
{
	int agreed[BPF_TEST_HOMES] = { 0, 0 }, changes = 0;
	struct loaded loaded;
	int err = load(&loaded, folder, "weighted");

	report(!err, "weighted loads as a BPF program");
	if (err) {
		printf("# %s\n", strerror(-err));
		show_log(12);
		return;
	}
	show_size(&loaded);
	compare(agreed, &changes);
	report(agreed[BPF_TEST_BUILT_IN] == SNAPSHOTS,
	       "built in and here: same bits for %d of %d snapshots",
	       agreed[BPF_TEST_BUILT_IN], SNAPSHOTS);
	report(agreed[BPF_TEST_PROGRAM] == SNAPSHOTS,
	       "in BPF and here: same bits for %d of %d snapshots",
	       agreed[BPF_TEST_PROGRAM], SNAPSHOTS);
	report(changes >= SNAPSHOTS * 9 / 10, "owners and quotas changed with %d of them", changes);
	show_times();
	unload(&loaded);
}

/* A comparison that cannot tell is worth nothing. */
static void another_policy_is_noticed(const char *folder)
{
	int agreed[BPF_TEST_HOMES] = { -1, -1 }, changes;
	struct loaded loaded;
	int err = load(&loaded, folder, "differs");

	if (!err)
		compare(agreed, &changes);
	report(!err && !agreed[BPF_TEST_PROGRAM],
	       "a program that differs in a bit: same bits for %d snapshots",
	       agreed[BPF_TEST_PROGRAM]);
	unload(&loaded);
}

static void state_is_bounded(const char *folder)
{
	struct loaded loaded;
	int err = load(&loaded, folder, "small_state") ?: ask(0, 1, 0);

	report(!err && answer.result[BPF_TEST_PROGRAM] == -ENOMEM,
	       "a program that asks for more state than it names is given none");
	unload(&loaded);
}

static void is_refused(const char *folder, const char *name, const char *what,
		       const char *reason)
{
	struct loaded loaded;
	int err = load(&loaded, folder, name);

	report(err && strstr(verifier_log, reason), "refused: %s", what);
	printf("# %s\n", strerror(-err));
	show_log(1);
	unload(&loaded);
}

int main(int count, char **words)
{
	const char *folder = count == 2 ? words[1] : ".";

	setvbuf(stdout, NULL, _IOLBF, 0);
	libbpf_set_print(print);
	device = open("/dev/" BPF_TEST_DEVICE, O_RDWR);
	if (device < 0) {
		printf("Bail out! /dev/" BPF_TEST_DEVICE ": %s\n", strerror(errno));
		return 1;
	}
	same_in_all_homes(folder);
	another_policy_is_noticed(folder);
	state_is_bounded(folder);
	is_refused(folder, "index", "an index that is not checked", "unbounded memory access");
	is_refused(folder, "writes", "a write to the snapshot", "cannot write into rdonly_mem");
	is_refused(folder, "beyond", "a read behind the state", "outside of the allowed memory range");
	is_refused(folder, "pointer", "a buffer not tested for NULL", "mem_or_null");
	is_refused(folder, "time", "a policy that reads a clock", "cannot use helper bpf_ktime_get_ns");
	is_refused(folder, "plain_loop", "plain loops that decide", "too complex");
	printf("1..%d\n", number);
	return failures ? 1 : 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu stat -- COMMAND: runs a command and adds up the epochs of its tenants and of
 * its descendants' tenants. The process of a tenant is looked up as soon as the
 * tenant sets its name, or an epoch of it ends.
 */
/* For environ. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../offline/run.h"
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "stat.h"
#include "stat_run.h"

/* Exit statuses as shells have them. */
#define STATUS_CANNOT_RUN	126
#define STATUS_NOT_FOUND	127
#define STATUS_SIGNAL		128
/* Generations between a process and the command; a longer chain is a mistake. */
#define ANCESTORS_MAX		1024

/**
 * struct sum - the sum of a tenant's epochs
 * @mine: whether it is a tenant of the command
 * @fell_back: epochs in which even took the place of a policy that failed
 * @cycles: cycles of its epochs
 * @np_cycles: cycles of epochs with a prediction
 * @np: sum of NP x cycles
 * @np_doubts: SIMGPU_DOUBT_*: why it may be wrong in any of them
 * @bandwidth: sum of share of peak x cycles
 */
struct sum {
	unsigned int device;
	u64 id;
	bool mine;
	char name[SIMGPU_NAME_MAX];
	u32 pid;
	u32 class;
	u64 epochs;
	u64 fell_back;
	u64 cycles;
	u64 np_cycles;
	double np;
	u32 np_doubts;
	double bandwidth;
	u64 counters[SIMGPU_COUNTER_COUNT];
};

/**
 * struct run - the running command
 * @strangers: tenants that had left before their process could be looked up
 * @gaps: how often messages were missed
 */
struct run {
	const struct stat_arguments *arguments;
	struct simgpu_netlink *listener;
	struct simgpu_netlink *changes;
	pid_t child;
	struct sum *sums;
	size_t count;
	u64 strangers;
	u64 gaps;
	double seconds;
	int status;
};

/* --- whose a tenant is --- */

/* The parent of a process; 0 if there is no such process. */
static pid_t parent_of(pid_t pid)
{
	char path[32], line[512], *end;
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	/* The line is PID (NAME) STATE PARENT; the name may contain anything. */
	end = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	if (!end || sscanf(end, ") %*c %d", &parent) != 1)
		parent = 0;
	fclose(file);
	return parent;
}

/* Orphans become children of this process, which has no other children. */
static bool is_descendant(pid_t pid)
{
	unsigned int i;

	for (i = 0; pid > 0 && i < ANCESTORS_MAX; i++) {
		pid = parent_of(pid);
		if (pid == getpid())
			return true;
	}
	return false;
}

/* Finds a tenant's process; false if the tenant has left. */
static bool identify(struct sum *sum)
{
	char value[SIMGPU_VALUE_BYTES];
	u64 pid;

	if (simgpu_read_tenant_value(sum->device, sum->id, "name", value,
				     sizeof(value)))
		return false;
	snprintf(sum->name, sizeof(sum->name), "%.*s", SIMGPU_NAME_MAX - 1,
		 value);
	if (simgpu_read_tenant_value(sum->device, sum->id, "pid", value,
				     sizeof(value)) ||
	    !parse_number(value, 0, U32_MAX, &pid))
		return false;
	sum->pid = (u32)pid;
	sum->mine = is_descendant((pid_t)pid);
	return true;
}

static struct sum *find(struct run *run, unsigned int device, u64 id)
{
	struct sum *sum;
	size_t i;

	for (i = 0; i < run->count; i++)
		if (run->sums[i].device == device && run->sums[i].id == id)
			return &run->sums[i];
	run->sums = grow(run->sums, run->count + 1, sizeof(*sum));
	sum = &run->sums[run->count++];
	memset(sum, 0, sizeof(*sum));
	sum->device = device;
	sum->id = id;
	run->strangers += !identify(sum);
	return sum;
}

/* --- epochs --- */

static void add_epoch(struct sum *sum, const struct simgpu_netlink_epoch *epoch,
		      const struct simgpu_netlink_epoch_tenant *tenant)
{
	u64 cycles = epoch->end_cycle - epoch->start_cycle;
	size_t i;

	sum->epochs++;
	sum->fell_back += !!(epoch->flags & SIMGPU_EPOCH_FELL_BACK);
	sum->cycles += cycles;
	sum->bandwidth += (double)tenant->bandwidth_ppm / SIMGPU_PPM *
			  (double)cycles;
	for (i = 0; i < SIMGPU_COUNTER_COUNT; i++)
		sum->counters[i] += tenant->counters[i];
	if (tenant->class == SIMGPU_CLASSIFIED_UNKNOWN)
		return;
	sum->class = tenant->class;
	sum->np_cycles += cycles;
	sum->np += (double)tenant->np_ppm / SIMGPU_PPM * (double)cycles;
	sum->np_doubts |= tenant->np_doubts;
}

static bool is_watched(const struct run *run, unsigned int device)
{
	return !run->arguments->device_given ||
	       run->arguments->device == device;
}

static int take_epochs(struct run *run)
{
	struct simgpu_netlink_epoch epoch;
	int ret;
	u32 i;

	for (;;) {
		ret = simgpu_netlink_next_epoch(run->listener, 0, &epoch);
		if (ret == -ENOBUFS)
			run->gaps++;
		else if (ret)
			break;
		else if (is_watched(run, epoch.device))
			for (i = 0; i < epoch.tenant_count; i++)
				add_epoch(find(run, epoch.device,
					       epoch.tenants[i].id),
					  &epoch, &epoch.tenants[i]);
	}
	if (ret == -ETIMEDOUT || ret == -EINTR)
		return STATUS_OK;
	return fail("listening to epochs: %s", strerror(-ret));
}

static int take_changes(struct run *run)
{
	struct simgpu_netlink_change change;
	int ret;

	do {
		ret = simgpu_netlink_next_change(run->changes, 0, &change);
		if (!ret && change.of_tenant && is_watched(run, change.device))
			find(run, change.device, change.tenant);
	} while (!ret || ret == -ENOBUFS);
	if (ret == -ETIMEDOUT || ret == -EINTR)
		return STATUS_OK;
	return fail("listening to changes: %s", strerror(-ret));
}

/* --- the command --- */

/* Starts the command, which gets the keyboard's signals; this process ignores them. */
static int start(struct run *run)
{
	char **command = run->arguments->command;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int ret;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGQUIT);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	ret = posix_spawnp(&run->child, command[0], NULL, &attributes, command,
			   environ);
	posix_spawnattr_destroy(&attributes);
	if (!ret)
		return STATUS_OK;
	fail("%s: %s", command[0], strerror(ret));
	return ret == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

/* Takes messages until the command has ended, then those that still wait. */
static int watch(struct run *run, int pidfd)
{
	struct pollfd fds[] = {
		{ .fd = pidfd, .events = POLLIN },
		{ .fd = simgpu_netlink_fd(run->changes), .events = POLLIN },
		{ .fd = simgpu_netlink_fd(run->listener), .events = POLLIN },
	};
	bool ended = false;
	int status;

	while (!ended) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			return fail("waiting: %s", strerror(errno));
		ended = fds[0].revents;
		/* Changes of names come before epochs, so take them first. */
		if (take_changes(run) || take_epochs(run))
			return STATUS_FAILED;
	}
	if (waitpid(run->child, &status, 0) != run->child)
		return fail("waiting: %s", strerror(errno));
	run->status = exit_status(status);
	return STATUS_OK;
}

static int run_to_end(struct run *run)
{
	u64 began = offline_wall_ns();
	int ret, pidfd;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ret = start(run);
	if (ret)
		return ret;
	pidfd = pidfd_open(run->child, 0);
	if (pidfd < 0) {
		ret = fail("watching the command: %s", strerror(errno));
	} else {
		ret = watch(run, pidfd);
		close(pidfd);
	}
	/* The failure is this process's, not the command's, which runs to its end. */
	if (ret && !run->status)
		waitpid(run->child, NULL, 0);
	run->seconds = (double)(offline_wall_ns() - began) / 1e9;
	return ret;
}

/* --- figures --- */

#define counter(_sum, _name)	((_sum)->counters[SIMGPU_COUNTER_##_name])

static double per_cycle(double value, u64 cycles)
{
	return cycles ? value / (double)cycles : 0;
}

static double sms_of(const struct sum *sum)
{
	return per_cycle((double)counter(sum, SM_CYCLES), sum->cycles);
}

static double ipc_of(const struct sum *sum)
{
	return per_cycle((double)counter(sum, THREAD_INSTRUCTIONS),
			 sum->cycles);
}

static double rbh_of(const struct sum *sum)
{
	u64 requests = counter(sum, DRAM_FILLS) + counter(sum, DRAM_WRITEBACKS);

	if (!requests || counter(sum, ROW_ACTIVATES) >= requests)
		return 0;
	return 1 - (double)counter(sum, ROW_ACTIVATES) / (double)requests;
}

static double mpki_of(const struct sum *sum)
{
	return per_cycle(1000.0 * (double)counter(sum, LLC_MISSES),
			 counter(sum, THREAD_INSTRUCTIONS));
}

static struct json_object *sum_json(const struct sum *sum)
{
	struct json_object *object = json_object_new_object();

	json_set_string(object, "name", sum->name);
	json_set(object, "pid", json_u64(sum->pid));
	json_set(object, "device", json_u64(sum->device));
	json_set(object, "tenant", json_u64(sum->id));
	json_set_string(object, "class", class_name(sum->class));
	json_set(object, "epochs", json_u64(sum->epochs));
	json_set(object, "fell_back", json_u64(sum->fell_back));
	json_set(object, "instructions",
		 json_u64(counter(sum, THREAD_INSTRUCTIONS)));
	json_set(object, "cycles", json_u64(sum->cycles));
	json_set(object, "kernels",
		 json_u64(counter(sum, KERNELS_FINISHED)));
	json_set(object, "sms", json_object_new_double(sms_of(sum)));
	json_set(object, "np", sum->np_cycles ?
		 json_object_new_double(per_cycle(sum->np, sum->np_cycles)) :
		 NULL);
	json_set(object, "np_doubts", sum->np_cycles ? json_doubts(sum->np_doubts) : NULL);
	json_set(object, "ipc", json_object_new_double(ipc_of(sum)));
	json_set(object, "rbh", json_object_new_double(rbh_of(sum)));
	json_set(object, "bandwidth",
		 json_object_new_double(per_cycle(sum->bandwidth,
						  sum->cycles)));
	json_set(object, "llc_mpki", json_object_new_double(mpki_of(sum)));
	return object;
}

static int write_json(const struct run *run, FILE *out)
{
	struct json_object *object = json_object_new_object();
	struct json_object *words = json_object_new_array();
	struct json_object *tenants = json_object_new_array();
	char **word;
	size_t i;

	for (word = run->arguments->command; *word; word++)
		json_object_array_add(words, json_object_new_string(*word));
	for (i = 0; i < run->count; i++)
		if (run->sums[i].mine)
			json_object_array_add(tenants, sum_json(&run->sums[i]));
	json_set(object, "command", words);
	json_set(object, "status", json_object_new_int(run->status));
	json_set(object, "wall_seconds", json_object_new_double(run->seconds));
	json_set(object, "strangers", json_u64(run->strangers));
	json_set(object, "gaps", json_u64(run->gaps));
	json_set(object, "tenants", tenants);
	return json_write(object, out);
}

static void add_row(struct table *table, const struct sum *sum)
{
	table_row(table, "%s|%u|%u|%s|%llu|%llu|%llu|%.1f", sum->name, sum->pid,
		  sum->device, class_name(sum->class), sum->epochs,
		  (u64)counter(sum, THREAD_INSTRUCTIONS), sum->cycles, sms_of(sum));
	table_np(table, sum->np_cycles,
		 (u64)(per_cycle(sum->np, sum->np_cycles) * SIMGPU_PPM + 0.5), sum->np_doubts);
	table_row(table, "%.1f|%.3f|%.3f|%.2f", ipc_of(sum), rbh_of(sum),
		  per_cycle(sum->bandwidth, sum->cycles), mpki_of(sum));
}

static int write_table(const struct run *run, FILE *out)
{
	struct table *table = table_new(
		"TENANT|>PID|>DEVICE|CLASS|>EPOCHS|>INSTRUCTIONS|>CYCLES|>SMS|>NP|>IPC|>RBH|>BANDWIDTH|>MPKI");
	char reasons[ROW_SM_LIST_BYTES];
	u64 fell_back = 0;
	u32 doubts = 0;
	size_t mine = 0, i;

	for (i = 0; i < run->count; i++) {
		if (!run->sums[i].mine)
			continue;
		add_row(table, &run->sums[i]);
		fell_back = run->sums[i].fell_back > fell_back ?
			    run->sums[i].fell_back : fell_back;
		doubts |= run->sums[i].np_doubts;
		mine++;
	}
	fprintf(out, "\n%s: status %d after %.3f s\n", run->arguments->command[0],
		run->status, run->seconds);
	if (!mine)
		fputs("It was no tenant of a simgpu device.\n", out);
	if (run->strangers)
		fprintf(out, "%llu tenants had gone before it could be told whose they were.\n",
			run->strangers);
	if (fell_back)
		fprintf(out, "In %llu epochs even took the place of a policy that failed: simgpu stat tells why.\n",
			fell_back);
	doubts_text(doubts, reasons);
	if (doubts)
		fprintf(out, "~ predicted NPs that may be wrong: %s\n", reasons);
	if (run->gaps)
		fprintf(out, "Epochs were missed %llu times; the figures lack them.\n",
			run->gaps);
	fputc('\n', out);
	if (mine)
		table_write(table, out);
	else
		table_free(table);
	return STATUS_OK;
}

static int report(const struct run *run)
{
	const char *path = run->arguments->output;
	FILE *out = path ? fopen(path, "w") : stderr;
	int ret, closed;

	if (!out)
		return fail("%s: %s", path, strerror(errno));
	ret = run->arguments->json ? write_json(run, out) :
				     write_table(run, out);
	closed = path ? close_file(out, path) : STATUS_OK;
	return ret ? ret : closed;
}

static int open_listeners(struct run *run)
{
	int ret = simgpu_netlink_open(&run->listener);

	if (!ret)
		ret = simgpu_netlink_open(&run->changes);
	if (!ret)
		ret = simgpu_netlink_listen(run->listener);
	if (!ret)
		ret = simgpu_netlink_listen_changes(run->changes);
	return ret ? explain_listening(ret) : STATUS_OK;
}

int stat_run(const struct stat_arguments *arguments)
{
	struct run run = { .arguments = arguments };
	int ret = open_listeners(&run);

	if (!ret)
		ret = run_to_end(&run);
	if (!ret)
		ret = report(&run);
	if (run.changes)
		simgpu_netlink_close(run.changes);
	if (run.listener)
		simgpu_netlink_close(run.listener);
	free(run.sums);
	return ret ? ret : run.status;
}

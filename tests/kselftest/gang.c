// SPDX-License-Identifier: GPL-2.0
/*
 * Gangs of several processes: the same bits as often as one likes, and what
 * becomes of the others, of memory and of the device when a member dies.
 */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "calls.h"
#include "harness.h"

#define MEMBERS_MAX	4
#define RECORDS_MAX	1024

/**
 * struct outcome - all that a gang tells of a run
 * @status: at its end; host time is set to zero
 * @reports: by slot
 * @record_count: of @records
 * @records: as read
 */
struct outcome {
	struct simgpu_gang_status status;
	struct full_report reports[MEMBERS_MAX];
	unsigned int record_count;
	struct full_record records[RECORDS_MAX];
};

static int create_gang(int fd, const struct simgpu_gang_create *options)
{
	struct simgpu_gang_create cmd = *options;
	int ret = call(fd, SIMGPU_IOC_GANG_CREATE, &cmd);

	return ret ? ret : cmd.fd;
}

/*
 * A member: joins, launches and waits. Returns what the wait does, or the
 * first call that failed does. A negative @gang joins none.
 */
static int run_member(int gang, uint32_t slot, const struct built_trace *trace,
		      uint64_t repeats)
{
	int fd = open_device();
	uint64_t sequence;
	uint32_t handle;
	int ret;

	if (fd < 0)
		return -errno;
	ret = gang < 0 ? 0 : gang_join(fd, gang, slot);
	if (!ret)
		ret = set_tenant(fd, slot % 2 ? "odd" : "even", 0, 1, 0);
	if (!ret)
		ret = upload(fd, trace, &handle);
	if (!ret)
		ret = launch(fd, handle, repeats, &sequence);
	if (!ret)
		ret = wait_launch(fd, sequence, -1);
	close(fd);
	return ret;
}

/* A process of its own; it exits with the errno of run_member(). */
static pid_t fork_member(int gang, uint32_t slot,
			 const struct built_trace *trace, uint64_t repeats)
{
	pid_t child = fork();

	if (!child)
		_exit(-run_member(gang, slot, trace, repeats));
	return child;
}

/* What fork_member()'s process came to: its errno, or minus its signal. */
static int join_member(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		return -1000;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Reads all records until the gang has ended. */
static int collect_records(int gang, struct outcome *outcome)
{
	const size_t size = sizeof(outcome->records[0]);
	ssize_t count;

	for (;;) {
		size_t room = RECORDS_MAX - outcome->record_count;

		count = read(gang, &outcome->records[outcome->record_count],
			     room * size);
		if (count <= 0)
			return count < 0 ? -errno : 0;
		outcome->record_count += count / size;
	}
}

static int collect(int gang, unsigned int members, struct outcome *outcome)
{
	unsigned int slot;
	int ret;

	memset(outcome, 0, sizeof(*outcome));
	ret = collect_records(gang, outcome);
	if (!ret)
		ret = gang_status(gang, &outcome->status);
	outcome->status.wall_ns = 0;
	for (slot = 0; slot < members && !ret; slot++)
		ret = gang_report(gang, slot, &outcome->reports[slot]);
	return ret;
}

static void build_for_slot(struct built_trace *trace, uint32_t slot)
{
	if (slot % 2)
		build_compute(trace, 200, 100);
	else
		build_stream(trace, 200, 70);
}

FIXTURE(repeat)
{
	int fd;
	long long held;
};

FIXTURE_VARIANT(repeat)
{
	struct simgpu_gang_create options;
};

FIXTURE_VARIANT_ADD(repeat, to_the_end)
{
	.options = { .members = 2, .seed = 7, .epoch_cycles = 20000 },
};

FIXTURE_VARIANT_ADD(repeat, stop_and_relaunch)
{
	.options = { .members = 3, .seed = 1, .epoch_cycles = 10000,
		     .stop_cycle = 123457, .flags = SIMGPU_GANG_RELAUNCH },
};

FIXTURE_VARIANT_ADD(repeat, fair_and_carry)
{
	.options = { .members = 4, .seed = 1, .epoch_cycles = 10000,
		     .stop_cycle = 100000, .flags = SIMGPU_GANG_RELAUNCH,
		     .kernel_end = SIMGPU_KERNEL_END_CARRY,
		     .policy = "hsm-fair", .model = "hsm",
		     .config = "hbm80" },
};

FIXTURE_SETUP(repeat)
{
	self->held = read_number(SYSFS "bytes_held");
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(repeat)
{
	close(self->fd);
	EXPECT_EQ(self->held, read_bytes_held(self->held));
}

/* One run by as many processes as members, joining in the order of @turn. */
static int run_gang(int fd, const struct simgpu_gang_create *options, int turn,
		    struct outcome *outcome)
{
	unsigned int members = options->members, i;
	pid_t children[MEMBERS_MAX];
	int gang = create_gang(fd, options);
	int ret;

	if (gang < 0)
		return gang;
	for (i = 0; i < members; i++) {
		uint32_t slot = turn ? members - 1 - i : i;
		struct built_trace trace;

		build_for_slot(&trace, slot);
		children[i] = fork_member(gang, slot, &trace, 2);
		/* So that the order of the tenants' births differs, too. */
		sleep_ms(20);
	}
	ret = collect(gang, members, outcome);
	for (i = 0; i < members; i++) {
		int exited = join_member(children[i]);

		if (!ret)
			ret = -exited;
	}
	close(gang);
	return ret;
}

static int last_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");

	if (!file)
		return -errno;
	line[0] = '\0';
	while (fgets(line, size, file))
		;
	fclose(file);
	return 0;
}

TEST_F_TIMEOUT(repeat, same_bits, 300)
{
	struct outcome *first = calloc(3, sizeof(*first));
	struct outcome *second = first + 1, *other = first + 2;
	struct simgpu_gang_create options = variant->options;
	unsigned long long cycle, state_hash;
	char text[1024];
	unsigned int slot;

	ASSERT_NE(NULL, first);
	options.size = sizeof(options);
	ASSERT_EQ(0, run_gang(self->fd, &options, 0, first));
	ASSERT_EQ(0, run_gang(self->fd, &options, 1, second));

	EXPECT_EQ(SIMGPU_GANG_DONE, first->status.state);
	EXPECT_EQ(0, first->status.records_lost);
	EXPECT_LE(options.members, first->record_count);
	if (options.stop_cycle) {
		EXPECT_EQ(options.stop_cycle, first->status.cycle);
	}
	EXPECT_EQ(first->status.cycle, second->status.cycle);
	EXPECT_EQ(first->status.state_hash, second->status.state_hash);
	EXPECT_EQ(first->record_count, second->record_count);
	EXPECT_EQ(0, memcmp(first, second, sizeof(*first)));
	for (slot = 0; slot < options.members; slot++)
		EXPECT_LT(0, first->reports[slot].figures.thread_instructions);

	/*
	 * The journal ends where the gang did, whoever has left since: without a
	 * stop cycle a little after its last thread block.
	 */
	ASSERT_EQ(0, last_line(DEBUGFS "journal", text, sizeof(text)));
	ASSERT_EQ(2, sscanf(text, "%llu end state_hash=0x%llx", &cycle,
			    &state_hash));
	EXPECT_EQ(second->status.state_hash, state_hash);
	EXPECT_LE(second->status.cycle, cycle);
	if (options.stop_cycle) {
		EXPECT_EQ(options.stop_cycle, cycle);
	}

	/* Another seed is another experiment. */
	options.seed++;
	ASSERT_EQ(0, run_gang(self->fd, &options, 0, other));
	EXPECT_NE(first->status.state_hash, other->status.state_hash);
	free(first);
}

/* Records come in order, and add up to the reports. */
TEST_F_TIMEOUT(repeat, records_in_order, 300)
{
	struct outcome *outcome = calloc(1, sizeof(*outcome));
	struct simgpu_gang_create options = variant->options;
	uint64_t instructions[MEMBERS_MAX] = {};
	unsigned int i;

	ASSERT_NE(NULL, outcome);
	options.size = sizeof(options);
	ASSERT_EQ(0, run_gang(self->fd, &options, 0, outcome));
	for (i = 0; i < outcome->record_count; i++) {
		const struct full_record *full = &outcome->records[i];
		const struct simgpu_epoch_record *record = &full->head;
		const struct simgpu_epoch_record *last = &full[-1].head;

		ASSERT_GT(options.members, record->slot);
		EXPECT_LT(record->start_cycle, record->end_cycle);
		EXPECT_EQ(sizeof(*full), record->size);
		instructions[record->slot] +=
			COUNT(*full, THREAD_INSTRUCTIONS);
		if (!i)
			continue;
		if (record->epoch == last->epoch) {
			EXPECT_LT(last->slot, record->slot);
			EXPECT_EQ(last->end_cycle, record->end_cycle);
		} else {
			EXPECT_LT(last->epoch, record->epoch);
			EXPECT_LE(last->end_cycle, record->start_cycle);
		}
	}
	for (i = 0; i < options.members; i++)
		EXPECT_EQ(COUNT(outcome->reports[i], THREAD_INSTRUCTIONS),
			  instructions[i]);
	free(outcome);
}

FIXTURE(gang)
{
	int fd;
	int gang;
	long long held;
	struct built_trace trace;
};

FIXTURE_SETUP(gang)
{
	const struct simgpu_gang_create options = {
		.size = sizeof(options), .members = 2, .seed = 1,
		.epoch_cycles = 10000,
	};

	self->held = read_number(SYSFS "bytes_held");
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->gang = create_gang(self->fd, &options);
	ASSERT_LE(0, self->gang);
	build_compute(&self->trace, 200, 100);
}

/* Whatever happened: nothing is still held, and the device still works. */
FIXTURE_TEARDOWN(gang)
{
	if (self->gang >= 0)
		close(self->gang);
	close(self->fd);
	EXPECT_EQ(self->held, read_bytes_held(self->held));
	EXPECT_EQ(0, run_member(-1, 0, &self->trace, 1));
	EXPECT_EQ(self->held, read_bytes_held(self->held));
}

/* The state of a gang once it is no longer @state. */
static unsigned int state_after(int gang, unsigned int state)
{
	struct simgpu_gang_status status = {};
	int tries;

	for (tries = 0; tries < 3000; tries++) {
		if (gang_status(gang, &status) || status.state != state)
			break;
		sleep_ms(10);
	}
	return status.state;
}

TEST_F_TIMEOUT(gang, member_killed_while_running, 120)
{
	struct full_report report;
	pid_t killed, other;

	killed = fork_member(self->gang, 1, &self->trace, UINT64_MAX);
	other = fork_member(self->gang, 0, &self->trace, 20);
	ASSERT_LT(0, killed);
	ASSERT_LT(0, other);
	ASSERT_EQ(SIMGPU_GANG_RUNNING,
		  state_after(self->gang, SIMGPU_GANG_WAITING));
	/* Not before it has done something. */
	do {
		ASSERT_EQ(0, gang_report(self->gang, 1, &report));
	} while (!COUNT(report, THREAD_INSTRUCTIONS));
	ASSERT_EQ(0, kill(killed, SIGKILL));
	EXPECT_EQ(-SIGKILL, join_member(killed));
	EXPECT_EQ(0, join_member(other));
	EXPECT_EQ(SIMGPU_GANG_DONE,
		  state_after(self->gang, SIMGPU_GANG_RUNNING));
	/* 200 blocks of 256 threads, 100 x 100 instructions, 20 times. */
	ASSERT_EQ(0, gang_report(self->gang, 0, &report));
	EXPECT_EQ(20ULL * 200 * 256 * 10000,
		  COUNT(report, THREAD_INSTRUCTIONS));
	/* Of the one that left, the last figures are kept. */
	ASSERT_EQ(0, gang_report(self->gang, 1, &report));
	EXPECT_LT(0, COUNT(report, THREAD_INSTRUCTIONS));
}

TEST_F_TIMEOUT(gang, all_killed_while_running, 120)
{
	pid_t children[2];
	int i;

	for (i = 0; i < 2; i++)
		children[i] = fork_member(self->gang, i, &self->trace,
					  UINT64_MAX);
	ASSERT_EQ(SIMGPU_GANG_RUNNING,
		  state_after(self->gang, SIMGPU_GANG_WAITING));
	for (i = 0; i < 2; i++)
		kill(children[i], SIGKILL);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(-SIGKILL, join_member(children[i]));
	EXPECT_EQ(SIMGPU_GANG_DONE,
		  state_after(self->gang, SIMGPU_GANG_RUNNING));
}

TEST_F(gang, member_dies_before_the_start)
{
	struct simgpu_gang_status status;
	struct full_record record;
	pid_t waiting;
	int fd;

	waiting = fork_member(self->gang, 0, &self->trace, 1);
	ASSERT_LT(0, waiting);
	fd = open_device();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, gang_join(fd, self->gang, 1));
	sleep_ms(100);
	EXPECT_EQ(SIMGPU_GANG_WAITING,
		  (gang_status(self->gang, &status), status.state));
	EXPECT_EQ(0, status.cycle);
	close(fd);
	EXPECT_EQ(ECANCELED, join_member(waiting));
	EXPECT_EQ(SIMGPU_GANG_CANCELED,
		  state_after(self->gang, SIMGPU_GANG_WAITING));
	EXPECT_EQ(0, read(self->gang, &record, sizeof(record)));
}

TEST_F(gang, file_closed_before_the_start)
{
	pid_t waiting = fork_member(self->gang, 0, &self->trace, 1);

	ASSERT_LT(0, waiting);
	sleep_ms(100);
	/* The member has its own reference by fork; it lives on. */
	close(self->gang);
	self->gang = -1;
	sleep_ms(100);
	EXPECT_EQ(0, waitpid(waiting, NULL, WNOHANG));
	kill(waiting, SIGKILL);
	EXPECT_EQ(-SIGKILL, join_member(waiting));
}

TEST_F(gang, file_closed_while_running)
{
	int fds[2];
	int i;

	for (i = 0; i < 2; i++) {
		uint32_t handle;

		fds[i] = open_device();
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, gang_join(fds[i], self->gang, i));
		ASSERT_EQ(0, upload(fds[i], &self->trace, &handle));
		ASSERT_EQ(0, launch(fds[i], handle, UINT64_MAX, NULL));
	}
	EXPECT_EQ(SIMGPU_GANG_RUNNING,
		  state_after(self->gang, SIMGPU_GANG_WAITING));
	close(self->gang);
	self->gang = -1;
	for (i = 0; i < 2; i++) {
		/* Its work was dropped; it is a tenant as any other now. */
		EXPECT_EQ(-ECANCELED, wait_launch(fds[i], 1, -1));
		EXPECT_EQ(0, launch(fds[i], 1, 1, NULL));
		EXPECT_EQ(0, wait_launch(fds[i], 2, PATIENCE_NS));
		close(fds[i]);
	}
}

TEST_F(gang, reading_records)
{
	struct pollfd poll_fd = { .fd = self->gang, .events = POLLIN };
	struct full_record record;
	pid_t children[2];
	int i;

	EXPECT_EQ(0, poll(&poll_fd, 1, 0));
	ASSERT_EQ(0, fcntl(self->gang, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-1, read(self->gang, &record, sizeof(record)));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-1, read(self->gang, &record, sizeof(record) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(self->gang, &record, sizeof(record)));

	for (i = 0; i < 2; i++)
		children[i] = fork_member(self->gang, i, &self->trace, 4);
	ASSERT_EQ(1, poll(&poll_fd, 1, 30000));
	EXPECT_EQ(POLLIN, poll_fd.revents);
	/* A record that cannot be delivered is not lost. */
	EXPECT_EQ(-1, read(self->gang, (void *)-4096L, sizeof(record)));
	EXPECT_EQ(EFAULT, errno);
	/* Whole records only. */
	EXPECT_EQ(sizeof(record), read(self->gang, &record,
				       sizeof(record)));
	EXPECT_EQ(0, record.head.slot);
	EXPECT_EQ(0, record.head.start_cycle);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, join_member(children[i]));
}

TEST_F(gang, after_the_end)
{
	struct full_report report, again;
	struct simgpu_gang_status status, later;
	int fds[2];
	int i;

	EXPECT_EQ(-ENODATA, gang_report(self->gang, 0, &report));
	EXPECT_EQ(-EINVAL, gang_report(self->gang, 2, &report));
	for (i = 0; i < 2; i++) {
		uint32_t handle;

		fds[i] = open_device();
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, gang_join(fds[i], self->gang, i));
		ASSERT_EQ(0, upload(fds[i], &self->trace, &handle));
		ASSERT_EQ(0, launch(fds[i], handle, 1, NULL));
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, wait_launch(fds[i], 1, PATIENCE_NS));
	EXPECT_EQ(SIMGPU_GANG_DONE,
		  state_after(self->gang, SIMGPU_GANG_RUNNING));
	ASSERT_EQ(0, gang_status(self->gang, &status));
	ASSERT_EQ(0, gang_report(self->gang, 1, &report));
	EXPECT_EQ(-ECANCELED, launch(fds[0], 1, 1, NULL));
	EXPECT_EQ(-ECANCELED, gang_join(self->fd, self->gang, 0));

	/* Others use the device; the gang's file tells the same as before. */
	EXPECT_EQ(0, run_member(-1, 0, &self->trace, 1));
	ASSERT_EQ(0, gang_status(self->gang, &later));
	EXPECT_EQ(0, memcmp(&status, &later, sizeof(status)));
	ASSERT_EQ(0, gang_report(self->gang, 1, &again));
	EXPECT_EQ(0, memcmp(&report, &again, sizeof(report)));
	EXPECT_EQ(0, launch(fds[0], 1, 1, NULL));
	EXPECT_EQ(0, wait_launch(fds[0], 2, PATIENCE_NS));
	for (i = 0; i < 2; i++)
		close(fds[i]);
}

/* A new gang takes the place of one that has ended, with its file open. */
TEST_F(gang, next_gang)
{
	const struct simgpu_gang_create options = {
		.size = sizeof(options), .members = 1, .seed = 2,
		.stop_cycle = 5000,
	};
	struct simgpu_gang_status status;
	int fd, gang;

	fd = open_device();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, gang_join(fd, self->gang, 0));
	close(fd);
	EXPECT_EQ(SIMGPU_GANG_CANCELED,
		  state_after(self->gang, SIMGPU_GANG_WAITING));

	gang = create_gang(self->fd, &options);
	ASSERT_LE(0, gang);
	EXPECT_EQ(0, run_member(gang, 0, &self->trace, 1));
	ASSERT_EQ(0, gang_status(gang, &status));
	EXPECT_EQ(SIMGPU_GANG_DONE, status.state);
	EXPECT_EQ(5000, status.cycle);
	ASSERT_EQ(0, gang_status(self->gang, &status));
	EXPECT_EQ(SIMGPU_GANG_CANCELED, status.state);
	close(gang);
}

/* Changes during a run are journalled, and take effect. */
TEST_F(gang, policy_change_is_journalled)
{
	char text[64];
	FILE *journal;
	char line[512];
	bool found = false;
	pid_t children[2];
	int i;

	ASSERT_EQ(0, read_text(SYSFS "policy", text, sizeof(text)));
	for (i = 0; i < 2; i++)
		children[i] = fork_member(self->gang, i, &self->trace,
					  UINT64_MAX);
	ASSERT_EQ(SIMGPU_GANG_RUNNING,
		  state_after(self->gang, SIMGPU_GANG_WAITING));
	EXPECT_EQ(0, write_text(SYSFS "policy", "hsm-fair\n"));
	journal = fopen(DEBUGFS "journal", "re");
	ASSERT_NE(NULL, journal);
	ASSERT_NE(NULL, fgets(line, sizeof(line), journal));
	EXPECT_TRUE(starts_with(line, "0 start version=3 config=\"hbm80\" seed=1 epoch_cycles=10000 "));
	while (fgets(line, sizeof(line), journal))
		if (strstr(line, " policy name=\"hsm-fair\" name_source=built-in "))
			found = true;
	fclose(journal);
	EXPECT_TRUE(found);
	EXPECT_EQ(0, write_text(SYSFS "policy", text));
	for (i = 0; i < 2; i++) {
		kill(children[i], SIGKILL);
		join_member(children[i]);
	}
}

/* Writes a setting without a pause until it is killed. */
static pid_t fork_writer(void)
{
	pid_t child = fork();

	if (child)
		return child;
	for (;;)
		write_text(SYSFS "epoch_cycles", "20000");
}

/* Who launches after a gang's end gets a session, however often settings change. */
TEST_F_TIMEOUT(gang, launch_after_it_while_settings_change, 120)
{
	const struct simgpu_gang_create options = {
		.size = sizeof(options), .members = 1, .seed = 1,
	};
	char epoch_cycles[64];
	pid_t writer;
	int i;

	ASSERT_EQ(0, read_text(SYSFS "epoch_cycles", epoch_cycles, 64));
	/* The writer must not have the gang open, too. */
	close(self->gang);
	self->gang = -1;
	writer = fork_writer();
	ASSERT_LT(0, writer);
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(0, run_member(-1, 0, &self->trace, 1));
		self->gang = create_gang(self->fd, &options);
		EXPECT_LE(0, self->gang);
		close(self->gang);
		self->gang = -1;
	}
	EXPECT_EQ(0, run_member(-1, 0, &self->trace, 1));
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	EXPECT_EQ(0, write_text(SYSFS "epoch_cycles", epoch_cycles));
}

TEST_HARNESS_MAIN

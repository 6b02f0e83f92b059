// SPDX-License-Identifier: GPL-2.0
/*
 * Who watches changes nothing: the same gang of 64 tenants comes to the same
 * state hash while others read all files of the device and of its tenants, dump
 * the netlink family, and look at a mapped page, again and again.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../../userspace/lib/simgpu.h"
#include "calls.h"
#include "harness.h"

#define MEMBERS		SIMGPU_TENANTS_MAX
#define READERS		2
/* Behind the first decision, so that SMs change hands and the policy has predicted. */
#define STOP_CYCLE	12000

/* struct outcome - what must not depend on readers */
struct outcome {
	uint64_t state_hash;
	uint64_t cycle;
	uint64_t instructions;
	unsigned int epochs;
};

FIXTURE(readers)
{
	struct built_trace traces[3];
	unsigned long *files_read;
};

FIXTURE_SETUP(readers)
{
	build_compute(&self->traces[0], 200, 20);
	build_stream(&self->traces[1], 100, 4);
	build_everything(&self->traces[2]);
	self->files_read = mmap(NULL, sizeof(*self->files_read),
				PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->files_read);
}

FIXTURE_TEARDOWN(readers)
{
	munmap(self->files_read, sizeof(*self->files_read));
}

static void read_files(const char *directory, unsigned long *files_read)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	char path[512], text[8192];

	if (!entries)
		return;
	while ((entry = readdir(entries))) {
		if (entry->d_type != DT_REG)
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (!read_text(path, text, sizeof(text)))
			__atomic_fetch_add(files_read, 1, __ATOMIC_RELAXED);
	}
	closedir(entries);
	/* Or the device would hardly get on beside readers, where processors are emulated. */
	sleep_ms(10);
}

/* Reads everything until it is killed. */
static void live_as_reader(unsigned long *files_read)
{
	const struct dirent *entry;
	char path[512];
	DIR *tenants;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* As the device's worker, which else would hardly run. */
	if (nice(19) < 0)
		_exit(1);
	for (;;) {
		read_files(SYSFS, files_read);
		read_files(DEBUGFS, files_read);
		tenants = opendir(SYSFS "tenants");
		while (tenants && (entry = readdir(tenants))) {
			snprintf(path, sizeof(path), SYSFS "tenants/%s",
				 entry->d_name);
			if (entry->d_name[0] != '.')
				read_files(path, files_read);
		}
		if (tenants)
			closedir(tenants);
	}
}

/* Hears of every epoch, and keeps none. */
static void live_as_listener(void)
{
	static struct simgpu_netlink_epoch epoch;
	struct simgpu_netlink *netlink;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (simgpu_netlink_open(&netlink) || simgpu_netlink_listen(netlink))
		_exit(1);
	for (;;)
		simgpu_netlink_next_epoch(netlink, -1, &epoch);
}

static int join_and_launch(FIXTURE_DATA(readers) *self, int gang,
			   unsigned int slot, int *fd, uint64_t *sequence)
{
	const struct built_trace *trace = &self->traces[slot % 3];
	uint32_t handle;
	int ret;

	*fd = open_device();
	if (*fd < 0)
		return -errno;
	ret = gang_join(*fd, gang, slot);
	ret = ret ?: upload(*fd, trace, &handle);
	return ret ?: launch(*fd, handle, 1, sequence);
}

static unsigned int count_epochs(int gang)
{
	struct full_record records[64];
	unsigned int count = 0;
	ssize_t bytes;

	while ((bytes = read(gang, records, sizeof(records))) > 0)
		count += bytes / sizeof(records[0]);
	return count;
}

static void run_gang(struct __test_metadata *_metadata,
		     FIXTURE_DATA(readers) *self, struct outcome *outcome)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = MEMBERS, .seed = 3,
		.epoch_cycles = 10000, .stop_cycle = STOP_CYCLE,
		.flags = SIMGPU_GANG_RELAUNCH, .policy = "hsm-fair",
		.preemption = SIMGPU_PREEMPTION_ADAPTIVE,
	};
	struct full_report report;
	struct simgpu_gang_status status;
	uint64_t sequences[MEMBERS];
	int fds[MEMBERS], maker = open_device();
	unsigned int slot;

	ASSERT_EQ(0, call(maker, SIMGPU_IOC_GANG_CREATE, &create));
	for (slot = 0; slot < MEMBERS; slot++)
		ASSERT_EQ(0, join_and_launch(self, create.fd, slot, &fds[slot],
					     &sequences[slot]));
	for (slot = 0; slot < MEMBERS; slot++)
		EXPECT_EQ(0, wait_launch(fds[slot], sequences[slot],
					 5 * PATIENCE_NS));
	ASSERT_EQ(0, gang_status(create.fd, &status));
	EXPECT_EQ(SIMGPU_GANG_DONE, status.state);
	outcome->state_hash = status.state_hash;
	outcome->cycle = status.cycle;
	outcome->instructions = 0;
	for (slot = 0; slot < MEMBERS; slot++) {
		EXPECT_EQ(0, gang_report(create.fd, slot, &report));
		outcome->instructions += COUNT(report, THREAD_INSTRUCTIONS);
		close(fds[slot]);
	}
	outcome->epochs = count_epochs(create.fd);
	close(create.fd);
	close(maker);
}

TEST_F_TIMEOUT(readers, change_nothing, 600)
{
	struct outcome alone = {}, watched = {};
	pid_t children[READERS + 1];
	unsigned long before;
	int i;

	run_gang(_metadata, self, &alone);
	EXPECT_EQ(STOP_CYCLE, alone.cycle);
	EXPECT_LE(2 * MEMBERS, alone.epochs);
	for (i = 0; i <= READERS; i++) {
		children[i] = fork();
		if (!children[i] && i < READERS)
			live_as_reader(self->files_read);
		if (!children[i])
			live_as_listener();
		ASSERT_LT(0, children[i]);
	}
	while (!*(volatile unsigned long *)self->files_read)
		sleep_ms(1);
	before = *self->files_read;
	run_gang(_metadata, self, &watched);
	TH_LOG("%lu files read meanwhile", *self->files_read - before);
	EXPECT_LT(before, *self->files_read);
	for (i = 0; i <= READERS; i++) {
		/* None has ended by itself. */
		EXPECT_EQ(0, waitpid(children[i], NULL, WNOHANG));
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	EXPECT_EQ(0, memcmp(&alone, &watched, sizeof(alone))) {
		TH_LOG("%llx at %llu, watched %llx at %llu",
		       (unsigned long long)alone.state_hash,
		       (unsigned long long)alone.cycle,
		       (unsigned long long)watched.state_hash,
		       (unsigned long long)watched.cycle);
	}
}

TEST_HARNESS_MAIN

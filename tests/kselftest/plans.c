// SPDX-License-Identifier: GPL-2.0
/*
 * Five processes under the policy stm, each with a queue of several kernels, that come
 * and go, one of them by a signal: what is launched ends in order, and nobody's next
 * kernel waits while the others' queues go by.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "calls.h"
#include "harness.h"

#define PROCESSES	5
#define ROUNDS		2
#define LAUNCHES	12
#define TRIES		4

/*
 * A kernel that has become its queue's first waits for the phases that are left of a plan
 * and for those of the next one, in which it stands. Each other queue has one kernel in
 * either at most. The rest is for those that end before this process is told of its own.
 */
#define PASSED_MOST	(2 + 3)

/* struct board - what all processes see: kernels that have ended, by process */
struct board {
	atomic_uint ended[PROCESSES];
	atomic_uint passed_most;
};

FIXTURE(plans)
{
	char policy[64];
	struct board *board;
};

FIXTURE_SETUP(plans)
{
	ASSERT_EQ(0, read_text(SYSFS "policy", self->policy, sizeof(self->policy)));
	ASSERT_EQ(0, write_text(SYSFS "policy", "stm"));
	self->board = mmap(NULL, sizeof(*self->board), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->board);
}

FIXTURE_TEARDOWN(plans)
{
	munmap(self->board, sizeof(*self->board));
	EXPECT_EQ(0, write_text(SYSFS "policy", self->policy));
}

static void look(struct board *board, unsigned int *seen)
{
	unsigned int i;

	for (i = 0; i < PROCESSES; i++)
		seen[i] = atomic_load(&board->ended[i]);
}

/* How many kernels of another process have ended since @before, at most. */
static void count_passed(struct board *board, unsigned int me,
			 const unsigned int *before)
{
	unsigned int i, passed, most = atomic_load(&board->passed_most);

	for (i = 0; i < PROCESSES; i++) {
		passed = atomic_load(&board->ended[i]) - before[i];
		while (i != me && passed > most &&
		       !atomic_compare_exchange_weak(&board->passed_most, &most,
						     passed))
			;
	}
}

/* The status of a process's end: 0 if all that it launched ended, in order. */
static int run(struct board *board, unsigned int me)
{
	unsigned int before[PROCESSES], i;
	struct simgpu_completion record;
	struct built_trace trace;
	uint64_t sequence;
	uint32_t handle;
	int fd = open_device();

	/* Kernels of different sizes, none of which fills the device. */
	build_compute(&trace, 24 + 16 * me, 20);
	if (fd < 0 || upload(fd, &trace, &handle))
		return 1;
	for (i = 0; i < LAUNCHES; i++)
		if (launch(fd, handle, 1, &sequence) || sequence != i + 1)
			return 2;
	for (i = 0; i < LAUNCHES; i++) {
		look(board, before);
		if (read(fd, &record, sizeof(record)) != sizeof(record))
			return 3;
		if (record.sequence != i + 1 || record.status || record.lost)
			return 4;
		atomic_fetch_add(&board->ended[me], 1);
		/* The first waits for an upload, too. */
		if (i)
			count_passed(board, me, before);
	}
	return close(fd) ? 5 : 0;
}

static pid_t start(struct board *board, unsigned int me)
{
	pid_t child = fork();

	if (!child)
		_exit(run(board, me));
	return child;
}

/* A round: five processes, and one that is killed meanwhile. */
static void come_and_go(struct __test_metadata *_metadata, struct board *board)
{
	pid_t children[PROCESSES], doomed;
	unsigned int i;
	int status;

	doomed = start(board, 0);
	ASSERT_LT(0, doomed);
	for (i = 0; i < PROCESSES; i++) {
		children[i] = start(board, i);
		ASSERT_LT(0, children[i]);
		/* Most come while a plan is carried out. */
		sleep_ms(5);
	}
	kill(doomed, SIGKILL);
	ASSERT_EQ(doomed, waitpid(doomed, &status, 0));
	for (i = 0; i < PROCESSES; i++) {
		ASSERT_EQ(children[i], waitpid(children[i], &status, 0));
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_EQ(0, WEXITSTATUS(status));
	}
}

/*
 * On a busy host others may be told of more ends before a process is told of its own: then
 * it is looked at once more. A policy that lets a queue wait does so each time.
 */
TEST_F_TIMEOUT(plans, are_kept_for_processes_that_come_and_go, 600)
{
	unsigned int try, round, i, passed = PASSED_MOST + 1;

	for (try = 0; try < TRIES && passed > PASSED_MOST; try++) {
		memset(self->board, 0, sizeof(*self->board));
		for (round = 0; round < ROUNDS; round++)
			come_and_go(_metadata, self->board);
		for (i = 1; i < PROCESSES; i++)
			EXPECT_EQ(ROUNDS * LAUNCHES, self->board->ended[i]);
		passed = self->board->passed_most;
		TH_LOG("%u kernels of another queue ended while one waited, at most",
		       passed);
	}
	EXPECT_GE(PASSED_MOST, passed);
	EXPECT_EQ(0, newest_tenant());
}

TEST_HARNESS_MAIN

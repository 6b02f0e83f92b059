// SPDX-License-Identifier: GPL-2.0
/*
 * Everything that one user can upload, open and wait for, at the limits that a device
 * begins with: other users' processes go on, and the kernel has nobody killed.
 */
#include "user.h"

#include <sys/epoll.h>
#include <sys/mman.h>
#include <zlib.h>

#include "../kselftest/harness.h"

#define MIB		(1UL << 20)
#define BYSTANDER	2000
/* What the bystander takes and gives back, again and again. */
#define BYSTANDER_BYTES	(16 * MIB)
#define ATTACKERS	3
#define UPLOAD_BYTES	(120 * MIB)
#define KEPT_BYTES	(40 * MIB)
#define FILES		200

/* A trace with a section of zeros at its end; pages that nobody writes cost nothing. */
struct padded {
	struct simgpu_trace_header *header;
	size_t size;
};

static void pad(struct padded *trace, const struct built_trace *small,
		size_t bytes)
{
	trace->size = small->size + bytes;
	trace->header = mmap(NULL, trace->size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (trace->header == MAP_FAILED) {
		perror("a trace");
		exit(1);
	}
	memcpy(trace->header, small->bytes, small->size);
	trace->header->total_bytes = trace->size;
}

static void seal(struct padded *trace)
{
	trace->header->checksum = 0;
	trace->header->checksum = crc32_z(0, (unsigned char *)trace->header,
					  trace->size);
}

static void section(struct padded *trace, int number, size_t offset, size_t count)
{
	trace->header->sections[number].offset = offset;
	trace->header->sections[number].count = count;
}

/* A kernel with so many programs, each with an op or without one. */
static void build_programs(struct padded *trace, size_t bytes, bool with_ops)
{
	const size_t program = sizeof(struct simgpu_trace_program);
	const size_t op = with_ops ? sizeof(struct simgpu_trace_op) : 0;
	const size_t count = bytes / (program + op);
	struct simgpu_trace_kernel *kernel;
	struct built_trace small;

	build_stream(&small, 160, 50);
	pad(trace, &small, count * (program + op));
	kernel = (void *)trace->header +
		 trace->header->sections[SIMGPU_TRACE_KERNELS].offset;
	kernel->program_count = count;
	section(trace, SIMGPU_TRACE_PROGRAMS, small.size, count);
	if (with_ops)
		section(trace, SIMGPU_TRACE_OPS, small.size + count * program,
			count);
	seal(trace);
}

/* A sound trace, with lines that nothing uses. */
static void build_kept(struct padded *trace, size_t bytes)
{
	struct built_trace small;

	build_everything(&small);
	pad(trace, &small, bytes);
	section(trace, SIMGPU_TRACE_LINES, small.size, bytes / sizeof(uint32_t));
	seal(trace);
}

/* --- the bystander ------------------------------------------------------------------------- */

static void run_bystander(const volatile bool *stop)
{
	if (setgid(BYSTANDER) || setuid(BYSTANDER))
		_exit(1);
	while (!*stop) {
		void *memory = mmap(NULL, BYSTANDER_BYTES,
				    PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
				    -1, 0);

		if (memory == MAP_FAILED)
			_exit(2);
		sleep_ms(1);
		munmap(memory, BYSTANDER_BYTES);
	}
	_exit(0);
}

/* --- the attackers ------------------------------------------------------------------------- */

/* Each trace that is not kept is refused, for what it is or what it takes. */
static void upload_all(int fd, const struct padded traces[2])
{
	int i;

	for (i = 0; i < 2; i++)
		upload_bytes(fd, traces[i].header, traces[i].size, NULL, NULL);
}

/* Keeps what it gets, and watches it. */
static void keep_all(int fd, const struct padded *kept)
{
	struct epoll_event event = { .events = EPOLLIN };
	int watch = epoll_create1(0), count, ret = 0;

	for (count = 0; count < FILES && fd >= 0; count++) {
		/* What the user may hold is held then; a file may have less. */
		while (!ret)
			ret = upload_bytes(fd, kept->header, kept->size, NULL, NULL);
		ret = ret == -ENOSPC ? 0 : ret;
		epoll_ctl(watch, EPOLL_CTL_ADD, fd, &event);
		fd = open_device();
	}
}

static void run_attacker(int told, const struct padded traces[2],
			 const struct padded *kept)
{
	char byte = 0;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	as_user();
	fd = open_device();
	upload_all(fd, traces);
	keep_all(fd, kept);
	upload_all(fd, traces);
	if (write(told, &byte, 1) == 1)
		pause();
	_exit(1);
}

/* Processes that the kernel has killed to have memory, since it was started. */
static long long killed(void)
{
	static char text[65536];
	const char *at;

	if (read_text("/proc/vmstat", text, sizeof(text)))
		return -1;
	at = strstr(text, "\noom_kill ");
	return at ? atoll(at + strlen("\noom_kill ")) : -1;
}

FIXTURE(exhaust)
{
	struct padded traces[2];
	struct padded kept;
	volatile bool *stop;
};

FIXTURE_SETUP(exhaust)
{
	build_programs(&self->traces[0], UPLOAD_BYTES, false);
	build_programs(&self->traces[1], UPLOAD_BYTES, true);
	build_kept(&self->kept, KEPT_BYTES);
	self->stop = mmap(NULL, sizeof(*self->stop), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->stop);
}

FIXTURE_TEARDOWN(exhaust)
{
}

TEST_F_TIMEOUT(exhaust, others_go_on, 300)
{
	pid_t bystander, attackers[ATTACKERS];
	long long before = killed();
	int told[2], status = -1, i;
	char bytes[ATTACKERS];

	ASSERT_LE(0, before);
	ASSERT_EQ(0, pipe(told));
	bystander = fork();
	if (!bystander)
		run_bystander(self->stop);
	for (i = 0; i < ATTACKERS; i++) {
		attackers[i] = fork();
		if (!attackers[i])
			run_attacker(told[1], self->traces, &self->kept);
	}
	close(told[1]);
	/* The end of the file comes early if the attackers have died. */
	for (i = 0; i < ATTACKERS; i++)
		EXPECT_EQ(1, read(told[0], &bytes[i], 1));
	/* So that the bystander has lived with all that is kept. */
	sleep_ms(500);
	*self->stop = true;
	ASSERT_EQ(bystander, waitpid(bystander, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	TH_LOG("%lld bytes are held", read_number(SYSFS "bytes_held"));
	for (i = 0; i < ATTACKERS; i++) {
		kill(attackers[i], SIGKILL);
		waitpid(attackers[i], NULL, 0);
	}
	EXPECT_EQ(before, killed());
}

TEST_HARNESS_MAIN

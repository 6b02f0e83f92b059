// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl contract: sizes, pointers, flags, padding, handles, and the errno
 * of each refusal. Traces are tested in trace.c, gangs in gang.c.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "calls.h"
#include "harness.h"

/*
 * Each ioctl with sizes that are not its struct's. @base is what a struct of
 * zeros gets.
 */
FIXTURE(cmd_length)
{
	int fd;
	int gang;
};

FIXTURE_VARIANT(cmd_length)
{
	unsigned long request;
	size_t size;
	size_t least;
	int base;
	bool on_gang;
};

/* @_least: size of the struct's first version, since which it has grown */
#define GROWN_VARIANT(_name, _request, _struct, _least, _base, _on_gang) \
	FIXTURE_VARIANT_ADD(cmd_length, _name)				\
	{								\
		.request = _request,					\
		.size = sizeof(struct _struct),				\
		.least = _least,					\
		.base = _base,						\
		.on_gang = _on_gang,					\
	}
#define LENGTH_VARIANT(_name, _request, _struct, _base, _on_gang)	\
	GROWN_VARIANT(_name, _request, _struct, sizeof(struct _struct),	\
		      _base, _on_gang)

LENGTH_VARIANT(device_info, SIMGPU_IOC_DEVICE_INFO, simgpu_device_info, 0,
	       false);
LENGTH_VARIANT(tenant_config, SIMGPU_IOC_TENANT_CONFIG, simgpu_tenant_config,
	       -EINVAL, false);
LENGTH_VARIANT(trace_upload, SIMGPU_IOC_TRACE_UPLOAD, simgpu_trace_upload,
	       -EINVAL, false);
LENGTH_VARIANT(trace_remove, SIMGPU_IOC_TRACE_REMOVE, simgpu_trace_remove,
	       -ENOENT, false);
GROWN_VARIANT(launch, SIMGPU_IOC_LAUNCH, simgpu_launch,
	      offsetof(struct simgpu_launch, deadline_cycle), -EINVAL, false);
GROWN_VARIANT(arrivals, SIMGPU_IOC_ARRIVALS, simgpu_arrivals,
	      offsetof(struct simgpu_arrivals, hint_cycles), -EINVAL, false);
GROWN_VARIANT(queue, SIMGPU_IOC_QUEUE, simgpu_queue,
	      offsetof(struct simgpu_queue, timeout_cycles), 0, false);
LENGTH_VARIANT(hint, SIMGPU_IOC_HINT, simgpu_hint, -ENXIO, false);
GROWN_VARIANT(masks, SIMGPU_IOC_MASKS, simgpu_masks,
	      offsetof(struct simgpu_masks, sms_more), 0, false);
LENGTH_VARIANT(mem_prefetch, SIMGPU_IOC_MEM_PREFETCH, simgpu_mem_prefetch, -EINVAL,
	       false);
LENGTH_VARIANT(mem_advise, SIMGPU_IOC_MEM_ADVISE, simgpu_mem_advise, -EINVAL, false);
LENGTH_VARIANT(copy, SIMGPU_IOC_COPY, simgpu_copy, -EINVAL, false);
LENGTH_VARIANT(wait, SIMGPU_IOC_WAIT, simgpu_wait, -ENOENT, false);
GROWN_VARIANT(report, SIMGPU_IOC_REPORT, simgpu_report,
	      offsetof(struct simgpu_report, report.launches), -ENODATA, false);
GROWN_VARIANT(gang_create, SIMGPU_IOC_GANG_CREATE, simgpu_gang_create,
	      offsetof(struct simgpu_gang_create, preemption), -EINVAL, false);
LENGTH_VARIANT(gang_join, SIMGPU_IOC_GANG_JOIN, simgpu_gang_join, -EBADF,
	       false);
GROWN_VARIANT(gang_status, SIMGPU_IOC_GANG_STATUS, simgpu_gang_status,
	      offsetof(struct simgpu_gang_status, leaps), 0, true);
GROWN_VARIANT(gang_report, SIMGPU_IOC_GANG_REPORT, simgpu_gang_report,
	      offsetof(struct simgpu_gang_report, report.launches), -ENODATA,
	      true);
LENGTH_VARIANT(gang_refusal, SIMGPU_IOC_GANG_REFUSAL, simgpu_gang_refusal,
	       -ENODATA, true);

FIXTURE_SETUP(cmd_length)
{
	struct simgpu_gang_create gang = {
		.size = sizeof(gang), .members = 1, .seed = 1,
	};

	self->gang = -1;
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	if (variant->on_gang) {
		ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &gang));
		self->gang = gang.fd;
	}
}

FIXTURE_TEARDOWN(cmd_length)
{
	if (self->gang >= 0)
		close(self->gang);
	close(self->fd);
}

/* A struct of zeros but for its first field, the size that is claimed. */
#define CALL_SIZED(_buffer, _size) ({					\
	uint32_t *_words = (uint32_t *)(_buffer);			\
									\
	_words[0] = (_size);						\
	call(variant->on_gang ? self->gang : self->fd,			\
	     variant->request, _words);					\
})

TEST_F(cmd_length, exact)
{
	uint32_t buffer[1024] = {};

	EXPECT_EQ(variant->base, CALL_SIZED(buffer, variant->size));
}

TEST_F(cmd_length, short)
{
	uint32_t buffer[1024] = {};

	EXPECT_EQ(-EINVAL, CALL_SIZED(buffer, 0));
	EXPECT_EQ(-EINVAL, CALL_SIZED(buffer, 3));
	EXPECT_EQ(-EINVAL, CALL_SIZED(buffer, 4));
	EXPECT_EQ(-EINVAL, CALL_SIZED(buffer, variant->least - 1));
}

/* A caller built for the first version of a struct is served. */
TEST_F(cmd_length, first_version)
{
	uint32_t buffer[1024] = {};

	EXPECT_EQ(variant->base, CALL_SIZED(buffer, variant->least));
}

TEST_F(cmd_length, long_zero)
{
	uint32_t buffer[1024] = {};

	EXPECT_EQ(variant->base, CALL_SIZED(buffer, variant->size + 4));
	memset(buffer, 0, sizeof(buffer));
	EXPECT_EQ(variant->base, CALL_SIZED(buffer, sizeof(buffer)));
}

TEST_F(cmd_length, long_nonzero)
{
	unsigned char buffer[4096] __attribute__((aligned(8))) = {};

	buffer[variant->size] = 1;
	EXPECT_EQ(-E2BIG, CALL_SIZED(buffer, variant->size + 1));
	buffer[variant->size] = 0;
	buffer[4095] = 0x80;
	EXPECT_EQ(-E2BIG, CALL_SIZED(buffer, 4096));
	EXPECT_EQ(-E2BIG, CALL_SIZED(buffer, UINT32_MAX));
}

TEST_F(cmd_length, bad_pointers)
{
	int fd = variant->on_gang ? self->gang : self->fd;
	unsigned char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t *edge;

	ASSERT_NE(MAP_FAILED, (void *)pages);
	ASSERT_EQ(0, munmap(pages + 4096, 4096));
	EXPECT_EQ(-EFAULT, call(fd, variant->request, NULL));
	EXPECT_EQ(-EFAULT, call(fd, variant->request, (void *)-1L));
	EXPECT_EQ(-EFAULT, call(fd, variant->request, pages + 4096));
	/* The size can be read, the rest cannot. */
	edge = (uint32_t *)(pages + 4092);
	*edge = variant->size;
	EXPECT_EQ(-EFAULT, call(fd, variant->request, edge));
	munmap(pages, 4096);
}

FIXTURE(tenant)
{
	int fd;
	uint32_t handle;
	struct built_trace trace;
};

FIXTURE_SETUP(tenant)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 8, 10);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
}

FIXTURE_TEARDOWN(tenant)
{
	close(self->fd);
}

TEST_F(tenant, unknown_numbers)
{
	struct simgpu_device_info info = { .size = sizeof(info) };

	EXPECT_EQ(-ENOTTY, call(self->fd, _IO('G', 0x3f), &info));
	EXPECT_EQ(-ENOTTY, call(self->fd, _IO('G', 0x50), &info));
	EXPECT_EQ(-ENOTTY, call(self->fd, _IO('H', 0x40), &info));
	EXPECT_EQ(-ENOTTY, call(self->fd, _IOR('G', 0x40, int), &info));
	EXPECT_EQ(-ENOTTY, call(self->fd, SIMGPU_IOC_GANG_STATUS, &info));
	EXPECT_EQ(-ENOTTY, call(self->fd, 0, NULL));
}

TEST_F(tenant, device_info)
{
	struct simgpu_device_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_DEVICE_INFO, &info));
	EXPECT_STREQ("hbm80", info.config);
	EXPECT_EQ(80, info.sms);
	EXPECT_EQ(1400, info.core_mhz);
	EXPECT_EQ(32, info.channels);
	EXPECT_EQ(SIMGPU_TENANTS_MAX, info.tenants_max);
	EXPECT_LE(10000, info.epoch_cycles);
	info.reserved = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_DEVICE_INFO, &info));
}

/* What cannot be written to is refused before anything happens. */
TEST_F(tenant, read_only_argument)
{
	struct simgpu_launch *cmd = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)cmd);
	cmd->size = sizeof(*cmd);
	cmd->handle = self->handle;
	cmd->repeats = 1;
	ASSERT_EQ(0, mprotect(cmd, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, call(self->fd, SIMGPU_IOC_LAUNCH, cmd));
	EXPECT_EQ(-ENOENT, wait_launch(self->fd, 1, 0));
	munmap(cmd, 4096);
}

TEST_F(tenant, config_values)
{
	struct simgpu_tenant_config cmd = {
		.size = sizeof(cmd), .weight = 1, .name = "fine",
	};

	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_TENANT_CONFIG, &cmd));
	cmd.reserved = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_TENANT_CONFIG, &cmd));

	EXPECT_EQ(0, set_tenant(self->fd, "a", SIMGPU_SERVICE_QOS, 1, 1));
	EXPECT_EQ(0, set_tenant(self->fd, "a", SIMGPU_SERVICE_QOS, 1000,
				1000000));
	EXPECT_EQ(-EINVAL, set_tenant(self->fd, "a", 2, 1, 0));
	EXPECT_EQ(-EINVAL, set_tenant(self->fd, "a", 0, 0, 0));
	EXPECT_EQ(-EINVAL, set_tenant(self->fd, "a", 0, 1001, 0));
	EXPECT_EQ(-EINVAL, set_tenant(self->fd, "a", 0, 1, 1));
	EXPECT_EQ(-EINVAL, set_tenant(self->fd, "a", SIMGPU_SERVICE_QOS, 1, 0));
	EXPECT_EQ(-EINVAL, set_tenant(self->fd, "a", SIMGPU_SERVICE_QOS, 1,
				      1000001));
}

TEST_F(tenant, config_names)
{
	struct simgpu_tenant_config cmd = { .size = sizeof(cmd), .weight = 1 };

	EXPECT_EQ(-EINVAL, set_tenant(self->fd, "", 0, 1, 0));
	EXPECT_EQ(-EINVAL, set_tenant(self->fd, "two\nlines", 0, 1, 0));
	EXPECT_EQ(-EINVAL, set_tenant(self->fd, "\xc3\xa9", 0, 1, 0));
	EXPECT_EQ(0, set_tenant(self->fd, "31 characters are what it takes", 0,
				1, 0));
	memset(cmd.name, 'x', sizeof(cmd.name));
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_TENANT_CONFIG, &cmd));
}

TEST_F(tenant, handles)
{
	EXPECT_EQ(-ENOENT, launch(self->fd, 0, 1, NULL));
	EXPECT_EQ(-ENOENT, launch(self->fd, self->handle + 1, 1, NULL));
	EXPECT_EQ(-ENOENT, launch(self->fd, UINT32_MAX, 1, NULL));
	EXPECT_EQ(-ENOENT, trace_remove(self->fd, 0));
	EXPECT_EQ(-ENOENT, trace_remove(self->fd, self->handle + 1));
	EXPECT_EQ(0, trace_remove(self->fd, self->handle));
	EXPECT_EQ(-ENOENT, trace_remove(self->fd, self->handle));
	EXPECT_EQ(-ENOENT, launch(self->fd, self->handle, 1, NULL));
}

/* Another file's handles mean nothing here. */
TEST_F(tenant, handles_are_private)
{
	int other = open_device();

	ASSERT_LE(0, other);
	EXPECT_EQ(-ENOENT, launch(other, self->handle, 1, NULL));
	EXPECT_EQ(-ENOENT, trace_remove(other, self->handle));
	close(other);
}

TEST_F(tenant, trace_count)
{
	uint32_t handle, last = self->handle;
	int i;

	for (i = 1; i < SIMGPU_TENANT_TRACES_MAX; i++) {
		ASSERT_EQ(0, upload(self->fd, &self->trace, &handle));
		EXPECT_LT(last, handle);
		last = handle;
	}
	EXPECT_EQ(-ENOSPC, upload(self->fd, &self->trace, &handle));
	EXPECT_EQ(0, trace_remove(self->fd, self->handle));
	EXPECT_EQ(0, upload(self->fd, &self->trace, &handle));
}

TEST_F(tenant, launch_runs_to_its_end)
{
	struct full_report report;
	uint64_t first, second;

	EXPECT_EQ(-ENODATA, tenant_report(self->fd, &report));
	EXPECT_EQ(-EINVAL, launch(self->fd, self->handle, 0, NULL));
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, &first));
	ASSERT_EQ(0, launch(self->fd, self->handle, 3, &second));
	EXPECT_EQ(1, first);
	EXPECT_EQ(2, second);
	/* A launch keeps its trace. */
	EXPECT_EQ(0, trace_remove(self->fd, self->handle));
	EXPECT_EQ(0, wait_launch(self->fd, second, PATIENCE_NS));
	EXPECT_EQ(0, wait_launch(self->fd, first, 0));
	EXPECT_EQ(0, wait_launch(self->fd, first, -1));
	EXPECT_EQ(-ENOENT, wait_launch(self->fd, 0, 0));
	EXPECT_EQ(-ENOENT, wait_launch(self->fd, 3, -1));
	EXPECT_EQ(-ENOENT, wait_launch(self->fd, UINT64_MAX, -1));

	ASSERT_EQ(0, tenant_report(self->fd, &report));
	EXPECT_EQ(4, COUNT(report, KERNELS_FINISHED));
	EXPECT_EQ(32, COUNT(report, BLOCKS_FINISHED));
	/* 8 blocks of 256 threads, 10 x 100 instructions each, 4 times. */
	EXPECT_EQ(4ULL * 8 * 256 * 1000,
		  COUNT(report, THREAD_INSTRUCTIONS));
	EXPECT_EQ(0, report.figures.flags & SIMGPU_REPORT_ACTIVE);
}

TEST_F(tenant, launch_too_large_for_an_sm)
{
	struct simgpu_trace_kernel *kernel =
		trace_find(&self->trace, SIMGPU_TRACE_KERNELS);
	uint32_t handle;

	kernel->shared_bytes = 1 << 20;
	trace_seal(&self->trace);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &handle));
	EXPECT_EQ(-E2BIG, launch(self->fd, handle, 1, NULL));
	EXPECT_EQ(0, launch(self->fd, self->handle, 1, NULL));
}

TEST_F(tenant, launches_wait_in_line)
{
	uint64_t sequence = 0;
	int i, ret = 0;

	for (i = 0; i < 1000 && !ret; i++)
		ret = launch(self->fd, self->handle, UINT64_MAX, &sequence);
	EXPECT_EQ(-EAGAIN, ret);
	EXPECT_EQ(16, sequence);
	EXPECT_EQ(-ETIMEDOUT, wait_launch(self->fd, 1, 0));
	EXPECT_EQ(-ETIMEDOUT, wait_launch(self->fd, 16, 20000000));
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void alarm_in_50_ms(int flags)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	struct itimerval timer = { .it_value.tv_usec = 50000 };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

TEST_F(tenant, wait_is_interruptible)
{
	ASSERT_EQ(0, launch(self->fd, self->handle, UINT64_MAX, NULL));
	alarm_in_50_ms(0);
	EXPECT_EQ(-EINTR, wait_launch(self->fd, 1, -1));
	alarm_in_50_ms(SA_RESTART);
	EXPECT_EQ(-EINTR, wait_launch(self->fd, 1, PATIENCE_NS));
}

/* What the second alarm launches, so that the gang starts. */
static struct {
	int alarms;
	int fd;
	uint32_t handle;
	int ret;
} second_member;

static void on_repeated_alarm(int signal)
{
	if (++second_member.alarms == 2)
		second_member.ret = launch(second_member.fd,
					   second_member.handle, 1, NULL);
}

static void alarm_every_50_ms(void)
{
	struct sigaction action = {
		.sa_handler = on_repeated_alarm, .sa_flags = SA_RESTART,
	};
	struct itimerval timer = {
		.it_value.tv_usec = 50000, .it_interval.tv_usec = 50000,
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Without a timeout a wait goes on after a signal's handler. */
TEST_F(tenant, wait_restarts)
{
	struct simgpu_gang_create gang = {
		.size = sizeof(gang), .members = 2, .seed = 1,
	};
	uint64_t sequence;

	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &gang));
	second_member.fd = open_device();
	ASSERT_LE(0, second_member.fd);
	ASSERT_EQ(0, upload(second_member.fd, &self->trace,
			    &second_member.handle));
	ASSERT_EQ(0, gang_join(self->fd, gang.fd, 0));
	ASSERT_EQ(0, gang_join(second_member.fd, gang.fd, 1));
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
	alarm_every_50_ms();
	EXPECT_EQ(0, wait_launch(self->fd, sequence, -1));
	EXPECT_LE(2, second_member.alarms);
	EXPECT_EQ(0, second_member.ret);
	close(second_member.fd);
	close(gang.fd);
}

TEST_F(tenant, wait_padding)
{
	struct simgpu_wait cmd = {
		.size = sizeof(cmd), .reserved = 1, .sequence = 1,
	};

	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_WAIT, &cmd));
}

/* The work of a tenant goes on until the last reference to its file goes. */
TEST_F(tenant, file_is_shared_by_fork)
{
	long long held = read_number(SYSFS "bytes_held");
	int fd = open_device();
	uint32_t handle;
	int status;
	pid_t child;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, upload(fd, &self->trace, &handle));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(launch(fd, handle, 1, NULL) ? 1 : 0);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, wait_launch(fd, 1, PATIENCE_NS));
	EXPECT_LT(held, read_number(SYSFS "bytes_held"));
	close(fd);
	EXPECT_EQ(held, read_bytes_held(held));
}

FIXTURE(gang_create)
{
	int fd;
	struct simgpu_gang_create cmd;
};

FIXTURE_SETUP(gang_create)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->cmd = (struct simgpu_gang_create) {
		.size = sizeof(self->cmd), .members = 2, .seed = 1,
	};
}

FIXTURE_TEARDOWN(gang_create)
{
	close(self->fd);
}

/* One field is set, and the call is refused. */
#define EXPECT_REFUSED(_errno, _field, _value) do {			\
	struct simgpu_gang_create _cmd = self->cmd;			\
									\
	_cmd._field = (_value);						\
	EXPECT_EQ(_errno, call(self->fd, SIMGPU_IOC_GANG_CREATE, &_cmd)); \
} while (0)

TEST_F(gang_create, values)
{
	EXPECT_REFUSED(-EINVAL, members, 0);
	EXPECT_REFUSED(-EINVAL, members, SIMGPU_TENANTS_MAX + 1);
	EXPECT_REFUSED(-EINVAL, epoch_cycles, 9999);
	EXPECT_REFUSED(-EINVAL, epoch_cycles, 50000001);
	EXPECT_REFUSED(-EINVAL, flags, 2);
	EXPECT_REFUSED(-EINVAL, flags, 1U << 31);
	EXPECT_REFUSED(-EINVAL, flags, SIMGPU_GANG_RELAUNCH);
	EXPECT_REFUSED(-EINVAL, kernel_end, 3);
	EXPECT_REFUSED(-EINVAL, reserved, 1);
	EXPECT_REFUSED(-EINVAL, preemption, 3);
	EXPECT_REFUSED(-EINVAL, reserved2, 1);
	EXPECT_REFUSED(-EINVAL, decision_cycles, 1000000001);
	EXPECT_REFUSED(-EINVAL, counter_noise, 101);
	EXPECT_REFUSED(-EINVAL, counter_delay, 17);
	EXPECT_REFUSED(-EINVAL, sampled, 51);
	EXPECT_REFUSED(-EINVAL, reserved4[6], 1);
}

TEST_F(gang_create, first_version)
{
	struct simgpu_gang_create cmd = self->cmd;

	/* What lies behind is not read, or it would be refused. */
	cmd.size = offsetof(struct simgpu_gang_create, preemption);
	cmd.reserved2 = 1;
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
	EXPECT_EQ(1, cmd.reserved2);
	EXPECT_EQ(0, close(cmd.fd));
}

TEST_F(gang_create, names)
{
	struct simgpu_gang_create cmd = self->cmd;

	strcpy(cmd.config, "no-such");
	EXPECT_EQ(-ENOENT, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
	cmd = self->cmd;
	strcpy(cmd.policy, "no-such");
	EXPECT_EQ(-ENOENT, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
	cmd = self->cmd;
	strcpy(cmd.model, "no-such");
	EXPECT_EQ(-ENOENT, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
	cmd = self->cmd;
	memset(cmd.policy, 'x', sizeof(cmd.policy));
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
}

TEST_F(gang_create, read_only_argument)
{
	struct simgpu_gang_create *cmd = mmap(NULL, 4096,
					      PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS,
					      -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)cmd);
	*cmd = self->cmd;
	ASSERT_EQ(0, mprotect(cmd, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, call(self->fd, SIMGPU_IOC_GANG_CREATE, cmd));
	/* The device is not held by a gang that nobody has. */
	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &self->cmd));
	close(self->cmd.fd);
	munmap(cmd, 4096);
}

TEST_F(gang_create, busy_device)
{
	struct simgpu_gang_create second = self->cmd;
	struct built_trace trace;
	uint32_t handle;
	int other;

	build_compute(&trace, 8, 10);
	ASSERT_EQ(0, upload(self->fd, &trace, &handle));
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &self->cmd));
	EXPECT_EQ(-EBUSY, call(self->fd, SIMGPU_IOC_GANG_CREATE, &second));
	/* Who is not in the gang has to wait for its end. */
	EXPECT_EQ(-EBUSY, launch(self->fd, handle, 1, NULL));
	close(self->cmd.fd);

	other = open_device();
	ASSERT_LE(0, other);
	ASSERT_EQ(0, launch(self->fd, handle, UINT64_MAX, NULL));
	EXPECT_EQ(-EBUSY, call(other, SIMGPU_IOC_GANG_CREATE, &second));
	close(other);
}

TEST_F(gang_create, join)
{
	int pipes[2];
	int gang, other;

	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &self->cmd));
	gang = self->cmd.fd;
	EXPECT_NE(0, fcntl(gang, F_GETFD) & FD_CLOEXEC);
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-EBADF, gang_join(self->fd, -1, 0));
	EXPECT_EQ(-EBADF, gang_join(self->fd, pipes[0], 0));
	EXPECT_EQ(-EBADF, gang_join(self->fd, self->fd, 0));
	EXPECT_EQ(-EINVAL, gang_join(self->fd, gang, 2));
	EXPECT_EQ(0, gang_join(self->fd, gang, 1));
	EXPECT_EQ(-EBUSY, gang_join(self->fd, gang, 0));

	other = open_device();
	ASSERT_LE(0, other);
	EXPECT_EQ(-EBUSY, gang_join(other, gang, 1));
	EXPECT_EQ(0, gang_join(other, gang, 0));
	EXPECT_EQ(-ENOTTY, call(gang, SIMGPU_IOC_DEVICE_INFO, &self->cmd));
	close(other);
	EXPECT_EQ(-ECANCELED, gang_join(self->fd, gang, 0));
	close(gang);
}

TEST_HARNESS_MAIN

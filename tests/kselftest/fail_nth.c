// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation and every copy of a tenant's life fails once, the first in
 * the first round, the second in the second. Needs a kernel with fault
 * injection (CONFIG_FAULT_INJECTION, FAILSLAB, FAIL_PAGE_ALLOC); skipped on
 * others.
 */
#include "calls.h"
#include "kselftest_harness.h"

#define INJECTION "/sys/kernel/debug/"

static int set_fail_nth(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	return write_text("/proc/thread-self/fail-nth", text);
}

/* Whether the fault has not come: what is left to count. */
static bool fault_is_left(void)
{
	return read_number("/proc/thread-self/fail-nth") > 0;
}

/* A gang of one, from opening to closing; the first error ends it. */
static int live(int fd, const struct built_trace *trace)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
	};
	struct simgpu_gang_status status;
	uint64_t sequence;
	uint32_t handle;
	int ret;

	ret = call(fd, SIMGPU_IOC_GANG_CREATE, &create);
	if (ret)
		return ret;
	ret = gang_join(fd, create.fd, 0);
	if (!ret)
		ret = upload(fd, trace, &handle);
	if (!ret)
		ret = launch(fd, handle, 1, &sequence);
	if (!ret)
		ret = wait_launch(fd, sequence, PATIENCE_NS);
	if (!ret)
		ret = gang_status(create.fd, &status);
	close(create.fd);
	if (!ret)
		ret = launch(fd, handle, 1, &sequence);
	if (!ret)
		ret = wait_launch(fd, sequence, PATIENCE_NS);
	return ret;
}

static int open_and_live(const struct built_trace *trace)
{
	int fd = open_device();
	int ret;

	if (fd < 0)
		return -errno;
	ret = live(fd, trace);
	close(fd);
	return ret;
}

FIXTURE(fail_nth)
{
	struct built_trace trace;
	long long held;
};

FIXTURE_SETUP(fail_nth)
{
	if (access("/proc/thread-self/fail-nth", F_OK))
		SKIP(return, "the kernel has no fault injection");
	write_text(INJECTION "failslab/ignore-gfp-wait", "N");
	write_text(INJECTION "fail_page_alloc/ignore-gfp-wait", "N");
	write_text(INJECTION "fail_page_alloc/ignore-gfp-highmem", "N");
	build_everything(&self->trace);
	self->held = read_number(SYSFS "bytes_held");
}

FIXTURE_TEARDOWN(fail_nth)
{
}

TEST_F_TIMEOUT(fail_nth, every_allocation, 1200)
{
	unsigned int n, refused = 0;
	bool left = false;
	int ret;

	/* Once with nothing failing, so that what is kept for good is there. */
	ASSERT_EQ(0, open_and_live(&self->trace));
	for (n = 1; n < 20000 && !left; n++) {
		ASSERT_EQ(0, set_fail_nth(n));
		ret = open_and_live(&self->trace);
		left = fault_is_left();
		set_fail_nth(0);
		/* Where the kernel has another way out, nobody sees the fault. */
		EXPECT_TRUE(!ret || ret == -ENOMEM || ret == -EFAULT) {
			TH_LOG("n %u: %d", n, ret);
		}
		if (ret)
			refused++;
		ASSERT_EQ(self->held, read_bytes_held(self->held)) {
			TH_LOG("n %u", n);
		}
	}
	EXPECT_TRUE(left);
	EXPECT_LT(10, refused);
	TH_LOG("%u faults, %u seen", n - 2, refused);
	EXPECT_EQ(0, open_and_live(&self->trace));
}

TEST_HARNESS_MAIN

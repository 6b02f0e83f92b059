// SPDX-License-Identifier: GPL-2.0
/*
 * Policies and models of other modules: registered, used, held while in use,
 * and replaced by even when they fail. The modules lie in the folder "extra"
 * beside simgpu.ko, which SIMGPU_MODULE names.
 */
#include "calls.h"
#include "harness.h"
#include "modules.h"

static bool is_listed(const char *file, const char *name)
{
	char path[128], text[4096];

	snprintf(path, sizeof(path), SYSFS "%s", file);
	return !read_text(path, text, sizeof(text)) && strstr(text, name);
}

FIXTURE(plugin)
{
	int fd;
	struct built_trace trace;
	uint32_t handle;
};

FIXTURE_VARIANT(plugin)
{
	const char *policy;
	uint32_t kind;
	int code;
	const char *reason;
	const char *journal;
};

FIXTURE_VARIANT_ADD(plugin, error)
{
	.policy = "test-error",
	.kind = SIMGPU_REFUSAL_DECIDE,
	.code = -EIO,
	.reason = "the policy returned an error",
	.journal = " fallback kind=decide code=-5 ",
};

FIXTURE_VARIANT_ADD(plugin, impossible)
{
	.policy = "test-impossible",
	.kind = SIMGPU_REFUSAL_PROPOSAL,
	.code = -EINVAL,
	.reason = "the counts are more than there are SMs",
	.journal = " fallback kind=proposal code=-22 field=\"sms\" ",
};

FIXTURE_VARIANT_ADD(plugin, slow)
{
	.policy = "test-slow",
	.kind = SIMGPU_REFUSAL_SLOW,
	.code = -ETIMEDOUT,
	.reason = "the policy took too long",
	.journal = " policy name=\"even\" ",
};

FIXTURE_SETUP(plugin)
{
	ASSERT_EQ(0, load("simgpu_test_policies"));
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	ASSERT_EQ(0, write_text(SYSFS "epoch_cycles", "10000"));
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 800, 1000);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
}

FIXTURE_TEARDOWN(plugin)
{
	write_text(SYSFS "policy", "even");
	write_text(SYSFS "model", "hsm");
	write_text(SYSFS "epoch_cycles", "500000");
	close(self->fd);
	EXPECT_EQ(0, unload("simgpu_test_policies"));
}

FIXTURE(plugin_lock)
{
	int fd;
	struct built_trace trace;
	uint32_t handle;
};

FIXTURE_SETUP(plugin_lock)
{
	ASSERT_EQ(0, load("simgpu_test_policies"));
	ASSERT_EQ(0, write_text(SYSFS "policy", "test-seconds"));
	ASSERT_EQ(0, write_text(SYSFS "epoch_cycles", "10000"));
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 800, 1000);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
}

FIXTURE_TEARDOWN(plugin_lock)
{
	close(self->fd);
	EXPECT_EQ(0, wait_for_policy("even"));
	write_text(SYSFS "epoch_cycles", "500000");
	EXPECT_EQ(0, unload("simgpu_test_policies"));
}

/* One that fails is replaced; nothing holds its module any more. */
TEST_F_TIMEOUT(plugin, falls_back, 300)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .epoch_cycles = 10000,
		.stop_cycle = 50000, .flags = SIMGPU_GANG_RELAUNCH,
	};
	struct simgpu_gang_refusal answer = { .size = sizeof(answer) };
	const struct simgpu_refusal *refusal = &answer.refusal;
	char journal[4096], line[64];
	uint64_t sequence;

	EXPECT_TRUE(is_listed("policies_available", variant->policy));
	strcpy(create.policy, variant->policy);
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &create));
	ASSERT_EQ(0, gang_join(self->fd, create.fd, 0));
	EXPECT_EQ(-ENODATA, call(create.fd, SIMGPU_IOC_GANG_REFUSAL, &answer));
	EXPECT_EQ(-EAGAIN, unload("simgpu_test_policies"));
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	EXPECT_EQ(0, wait_for_policy("even"));
	ASSERT_EQ(0, read_text(DEBUGFS "journal", journal, sizeof(journal)));
	snprintf(line, sizeof(line), "policy=\"%s\"", variant->policy);
	EXPECT_NE(NULL, strstr(journal, line));
	EXPECT_NE(NULL, strstr(journal, variant->journal));
	ASSERT_EQ(0, call(create.fd, SIMGPU_IOC_GANG_REFUSAL, &answer));
	EXPECT_EQ(variant->kind, refusal->kind);
	EXPECT_EQ(variant->code, refusal->code);
	EXPECT_STREQ(variant->reason, refusal->reason);
	EXPECT_EQ(SIMGPU_REFUSAL_ANY, refusal->slot);
	EXPECT_EQ(SIMGPU_REFUSAL_ANY, refusal->sm);
	/* A slow one is replaced after its quantum, the others at an epoch's end. */
	if (refusal->kind != SIMGPU_REFUSAL_SLOW)
		EXPECT_EQ(0, refusal->cycle % 10000);
	EXPECT_LE(10000, refusal->cycle);
	EXPECT_GE(50000, refusal->cycle);
	close(create.fd);
	/* Another session: the gang's held its policy. */
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
}

/*
 * While a policy keeps the device to itself for seconds, who waits for the device and
 * is killed is gone at once.
 */
TEST_F_TIMEOUT(plugin_lock, who_is_killed_waits_no_longer, 120)
{
	double began;
	pid_t waiter;

	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, NULL));
	sleep(1);
	waiter = fork();
	ASSERT_LE(0, waiter);
	if (!waiter)
		_exit(set_tenant(self->fd, "x", 0, 1, 0) ? 1 : 0);
	sleep_ms(500);
	began = seconds_now();
	EXPECT_EQ(0, waitpid(waiter, NULL, WNOHANG));
	EXPECT_EQ(0, kill(waiter, SIGKILL));
	EXPECT_EQ(waiter, waitpid(waiter, NULL, 0));
	TH_LOG("gone after %.2f s", seconds_now() - began);
	EXPECT_GT(1, seconds_now() - began);
	/* The lock was held all the time. */
	EXPECT_EQ(0, set_tenant(self->fd, "x", 0, 1, 0));
	EXPECT_LT(1, seconds_now() - began);
}

/* A policy that is in use keeps its module; the next one lets it go. */
TEST(a_module_is_held_while_in_use)
{
	ASSERT_EQ(0, load("simgpu_all_but_one"));
	EXPECT_EQ(-EEXIST, load("simgpu_all_but_one"));
	ASSERT_EQ(0, write_text(SYSFS "policy", "all-but-one"));
	EXPECT_EQ(-EAGAIN, unload("simgpu_all_but_one"));
	EXPECT_EQ(-EINVAL, write_text(SYSFS "policy", "no-such"));
	EXPECT_EQ(-EAGAIN, unload("simgpu_all_but_one"));
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	EXPECT_EQ(0, unload("simgpu_all_but_one"));
	EXPECT_FALSE(is_listed("policies_available", "all-but-one"));
	EXPECT_EQ(-EINVAL, write_text(SYSFS "policy", "all-but-one"));
}

/* The same of a memory policy, which is for this kind of name alone. */
TEST(a_module_of_a_memory_policy_is_held_while_in_use)
{
	char text[64];

	ASSERT_EQ(0, load("simgpu_mru"));
	EXPECT_TRUE(is_listed("memory_policies_available", " mru"));
	EXPECT_FALSE(is_listed("policies_available", " mru"));
	EXPECT_EQ(-EINVAL, write_text(SYSFS "policy", "mru"));
	ASSERT_EQ(0, write_text(SYSFS "memory_policy", "mru"));
	ASSERT_EQ(0, read_text(SYSFS "memory_policy", text, sizeof(text)));
	EXPECT_STREQ("mru", text);
	EXPECT_EQ(-EAGAIN, unload("simgpu_mru"));
	EXPECT_EQ(-EINVAL, write_text(SYSFS "memory_policy", "no-such"));
	EXPECT_EQ(-EAGAIN, unload("simgpu_mru"));
	/* As before it had others. */
	ASSERT_EQ(0, write_text(SYSFS "memory_policy", "uvm_thrash"));
	EXPECT_EQ(0, unload("simgpu_mru"));
	ASSERT_EQ(0, read_text(SYSFS "memory_policy", text, sizeof(text)));
	EXPECT_STREQ("uvm-thrash", text);
	ASSERT_EQ(0, write_text(SYSFS "memory_policy", "uvm"));
	EXPECT_FALSE(is_listed("memory_policies_available", " mru"));
	EXPECT_EQ(-EINVAL, write_text(SYSFS "memory_policy", "mru"));
}

TEST(a_model)
{
	ASSERT_EQ(0, load("simgpu_test_policies"));
	EXPECT_TRUE(is_listed("models_available", "test-half"));
	EXPECT_FALSE(is_listed("policies_available", "test-half"));
	EXPECT_EQ(-EINVAL, write_text(SYSFS "policy", "test-half"));
	ASSERT_EQ(0, write_text(SYSFS "model", "test-half"));
	EXPECT_EQ(-EAGAIN, unload("simgpu_test_policies"));
	ASSERT_EQ(0, write_text(SYSFS "model", "hsm"));
	EXPECT_EQ(0, unload("simgpu_test_policies"));
}

/* Two tenants under the example: the heavier one has all but one SM. */
TEST(all_but_one)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 2, .epoch_cycles = 10000,
		.stop_cycle = 40000, .flags = SIMGPU_GANG_RELAUNCH,
		.kernel_end = SIMGPU_KERNEL_END_CARRY,
		.policy = "all-but-one",
	};
	struct full_report report;
	struct built_trace trace;
	uint64_t sequence[2];
	uint32_t handle;
	int fds[2], i;

	ASSERT_EQ(0, load("simgpu_all_but_one"));
	build_compute(&trace, 800, 1000);
	for (i = 0; i < 2; i++) {
		fds[i] = open_device();
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, set_tenant(fds[i], "t", 0, i + 1, 0));
		if (!i)
			ASSERT_EQ(0, call(fds[0], SIMGPU_IOC_GANG_CREATE,
					  &create));
		ASSERT_EQ(0, gang_join(fds[i], create.fd, i));
		ASSERT_EQ(0, upload(fds[i], &trace, &handle));
		ASSERT_EQ(0, launch(fds[i], handle, 1, &sequence[i]));
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, wait_launch(fds[i], sequence[i], PATIENCE_NS));
	ASSERT_EQ(0, gang_report(create.fd, 0, &report));
	EXPECT_EQ(1, report.figures.sms);
	ASSERT_EQ(0, gang_report(create.fd, 1, &report));
	EXPECT_EQ(79, report.figures.sms);
	close(create.fd);
	/* The session of the gang is there to be looked at until another is. */
	EXPECT_EQ(-EAGAIN, unload("simgpu_all_but_one"));
	ASSERT_EQ(0, launch(fds[0], handle, 1, &sequence[0]));
	EXPECT_EQ(0, unload("simgpu_all_but_one"));
	close(fds[0]);
	close(fds[1]);
}

TEST_HARNESS_MAIN

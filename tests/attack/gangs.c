// SPDX-License-Identifier: GPL-2.0
/*
 * Gangs: a gang has the device for itself, so who may make one is decided by the
 * administrator, it takes nothing from who is seated, does not wait for ever, and
 * leaves the device's settings as they were.
 */
#include "attack.h"
#include "../kselftest/harness.h"

FIXTURE(gangs)
{
	int fd;
	uint32_t handle;
	struct simgpu_gang_create create;
	char policy[64];
};

FIXTURE_SETUP(gangs)
{
	struct built_trace trace;

	build_compute(&trace, 160, 100);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, upload(self->fd, &trace, &self->handle));
	ASSERT_EQ(0, read_text(SYSFS "policy", self->policy, 64));
	self->create = (struct simgpu_gang_create) {
		.size = sizeof(self->create), .members = 1,
		.epoch_cycles = 10000, .stop_cycle = 30000,
		.flags = SIMGPU_GANG_RELAUNCH,
	};
}

FIXTURE_TEARDOWN(gangs)
{
	close(self->fd);
	neighbours_leave();
	root_writes(SYSFS "gang_makers", "privileged");
	root_writes(SYSFS "gang_wait_seconds", "300");
	root_writes(SYSFS "policy", self->policy);
}

static int make_gang(FIXTURE_DATA(gangs) *self)
{
	return call(self->fd, SIMGPU_IOC_GANG_CREATE, &self->create);
}

/* A gang of one that runs to its stop cycle. */
static int run_gang(FIXTURE_DATA(gangs) *self)
{
	uint64_t sequence;
	int ret = make_gang(self);

	ret = ret ?: gang_join(self->fd, self->create.fd, 0);
	ret = ret ?: launch(self->fd, self->handle, 1, &sequence);
	return ret ?: wait_launch(self->fd, sequence, PATIENCE_NS);
}

TEST_F(gangs, who_may)
{
	char text[64];

	EXPECT_EQ(-EPERM, make_gang(self));
	EXPECT_EQ(-EACCES, write_text(SYSFS "gang_makers", "everybody"));
	EXPECT_EQ(-EINVAL, root_writes(SYSFS "gang_makers", "nobody"));
	ASSERT_EQ(0, root_writes(SYSFS "gang_makers", "everybody"));
	ASSERT_EQ(0, read_text(SYSFS "gang_makers", text, sizeof(text)));
	EXPECT_STREQ("everybody", text);
	ASSERT_EQ(0, make_gang(self));
	close(self->create.fd);
}

/* Idle as it is, a seated tenant is not thrown out. */
TEST_F(gangs, who_is_seated_stays)
{
	long id = neighbour_opens(NEIGHBOUR);
	long long slot, cycles;

	ASSERT_LT(0, id);
	ASSERT_EQ(0, neighbours_launch(1));
	slot = read_number(tenant_file(id, "slot"));
	EXPECT_LE(0, slot);
	let_everybody_make_gangs();
	while (read_number(SYSFS "cycles") == 0)
		sleep_ms(10);
	for (;;) {
		char text[64];

		ASSERT_EQ(0, read_text(SYSFS "state", text, sizeof(text)));
		if (!strcmp(text, "idle"))
			break;
		sleep_ms(10);
	}
	cycles = read_number(SYSFS "cycles");
	EXPECT_EQ(-EBUSY, make_gang(self));
	EXPECT_EQ(slot, read_number(tenant_file(id, "slot")));
	EXPECT_EQ(cycles, read_number(SYSFS "cycles"));
	EXPECT_EQ(0, neighbours_leave());
	ASSERT_EQ(0, make_gang(self));
	close(self->create.fd);
}

/* A gang that nobody joins gives the device back, with its file open. */
TEST_F(gangs, one_that_does_not_start)
{
	struct simgpu_gang_status status;
	int tries;

	let_everybody_make_gangs();
	EXPECT_EQ(-EINVAL, root_writes(SYSFS "gang_wait_seconds", "0"));
	root_writes(SYSFS "gang_wait_seconds", "1");
	ASSERT_LT(0, neighbour_opens(NEIGHBOUR));
	self->create.members = 2;
	ASSERT_EQ(0, make_gang(self));
	ASSERT_EQ(0, gang_join(self->fd, self->create.fd, 0));
	EXPECT_EQ(-EBUSY, neighbours_launch(1));
	for (tries = 0; tries < 1000; tries++) {
		ASSERT_EQ(0, gang_status(self->create.fd, &status));
		if (status.state != SIMGPU_GANG_WAITING)
			break;
		sleep_ms(10);
	}
	EXPECT_EQ(SIMGPU_GANG_CANCELED, status.state);
	EXPECT_EQ(0, neighbours_launch(1));
	close(self->create.fd);
}

/* One that runs has as long as it takes. */
TEST_F(gangs, one_that_has_started)
{
	struct simgpu_gang_status status;
	uint64_t sequence;

	let_everybody_make_gangs();
	root_writes(SYSFS "gang_wait_seconds", "1");
	ASSERT_EQ(0, root_writes(SYSFS "pace", "0.000001"));
	ASSERT_EQ(0, make_gang(self));
	ASSERT_EQ(0, gang_join(self->fd, self->create.fd, 0));
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
	sleep_ms(2500);
	ASSERT_EQ(0, gang_status(self->create.fd, &status));
	EXPECT_EQ(SIMGPU_GANG_RUNNING, status.state);
	EXPECT_EQ(0, root_writes(SYSFS "pace", "0"));
	EXPECT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	close(self->create.fd);
}

/* The administrator's policy fails in a gang: it is the gang's own affair. */
TEST_F(gangs, a_policy_that_fails)
{
	char text[64];

	ASSERT_EQ(0, root_module(ROOT_LOADS, "simgpu_test_policies"));
	ASSERT_EQ(0, root_writes(SYSFS "policy", "test-error"));
	let_everybody_make_gangs();
	EXPECT_EQ(0, run_gang(self));
	ASSERT_EQ(0, read_text(SYSFS "policy", text, sizeof(text)));
	EXPECT_STREQ("even", text);
	close(self->create.fd);
	ASSERT_EQ(0, read_text(SYSFS "policy", text, sizeof(text)));
	EXPECT_STREQ("test-error", text);
	/* A session that began with another policy lets the module go. */
	EXPECT_EQ(0, root_writes(SYSFS "policy", self->policy));
	EXPECT_EQ(0, run_gang(self));
	close(self->create.fd);
	EXPECT_EQ(0, root_module(ROOT_UNLOADS, "simgpu_test_policies"));
}

/* What a gang was made with is gone with it. */
TEST_F(gangs, settings_of_a_gang)
{
	static const char * const files[] = {
		"config", "policy", "model", "epoch_cycles",
		"model_params/c1",
	};
	const struct simgpu_param_value value = { "c1", 123456 };
	struct simgpu_device_info before = { .size = sizeof(before) }, after;
	char texts[5][64], text[64], path[128];
	int i;

	let_everybody_make_gangs();
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_DEVICE_INFO, &before));
	for (i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), SYSFS "%s", files[i]);
		ASSERT_EQ(0, read_text(path, texts[i], sizeof(texts[i])));
	}
	strcpy(self->create.config, "c2070");
	strcpy(self->create.policy, "hsm-fair");
	self->create.params.count = 1;
	self->create.params.stride = sizeof(value);
	self->create.params.array = (uintptr_t)&value;
	ASSERT_EQ(0, run_gang(self));
	ASSERT_EQ(0, read_text(SYSFS "model_params/c1", text, sizeof(text)));
	EXPECT_STREQ("0.123456", text);
	close(self->create.fd);
	/* The files of parameters come and go a moment later. */
	for (i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), SYSFS "%s", files[i]);
		ASSERT_EQ(0, read_text(path, text, sizeof(text)));
		EXPECT_STREQ(texts[i], text);
	}
	after = (struct simgpu_device_info) { .size = sizeof(after) };
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_DEVICE_INFO, &after));
	EXPECT_EQ(before.sms, after.sms);
	EXPECT_EQ(before.core_mhz, after.core_mhz);
	EXPECT_STREQ(before.config, after.config);

	/* A write is for the device's own sessions, and only then in force. */
	EXPECT_EQ(0, root_writes(SYSFS "model_params/c1", "0.25"));
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, NULL));
	ASSERT_EQ(0, read_text(SYSFS "model_params/c1", text, sizeof(text)));
	EXPECT_STREQ("0.250000", text);
	EXPECT_EQ(0, root_writes(SYSFS "model_params/c1", texts[4]));
}

/* A parameter of the same model on another GPU is another parameter. */
TEST_F(gangs, a_parameter_on_another_gpu)
{
	char before[64], text[64];

	ASSERT_EQ(0, read_text(SYSFS "model_params/c1", before, sizeof(before)));
	let_everybody_make_gangs();
	strcpy(self->create.config, "c2070");
	ASSERT_EQ(0, make_gang(self));
	ASSERT_EQ(0, root_writes(SYSFS "model_params/c1", "0.111111"));
	close(self->create.fd);
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, NULL));
	ASSERT_EQ(0, read_text(SYSFS "model_params/c1", text, sizeof(text)));
	EXPECT_STREQ(before, text);
}

static unsigned long long fdinfo(int fd, const char *name)
{
	char path[64], text[1024], *line;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (read_text(path, text, sizeof(text)))
		return 0;
	line = strstr(text, name);
	return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

/* Usage statistics only grow, on whichever GPU the time was spent. */
TEST_F(gangs, usage_only_grows)
{
	unsigned long long cycles, ns, sms, more;
	uint64_t sequence;

	sms = fdinfo(self->fd, "drm-engine-capacity-sm:\t");
	EXPECT_EQ(80, sms);
	ASSERT_EQ(0, launch(self->fd, self->handle, 3, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	cycles = fdinfo(self->fd, "drm-cycles-sm:\t");
	ns = fdinfo(self->fd, "drm-engine-sm:\t");
	EXPECT_LT(0, cycles);
	let_everybody_make_gangs();
	strcpy(self->create.config, "c2070");
	ASSERT_EQ(0, make_gang(self));
	EXPECT_LE(cycles, fdinfo(self->fd, "drm-cycles-sm:\t"));
	EXPECT_LE(ns, fdinfo(self->fd, "drm-engine-sm:\t"));
	ASSERT_EQ(0, gang_join(self->fd, self->create.fd, 0));
	EXPECT_EQ(14, fdinfo(self->fd, "drm-engine-capacity-sm:\t"));
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
	ASSERT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	more = fdinfo(self->fd, "drm-cycles-sm:\t");
	EXPECT_LT(cycles, more);
	EXPECT_LT(ns, fdinfo(self->fd, "drm-engine-sm:\t"));
	close(self->create.fd);
	ASSERT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
	EXPECT_LE(more, fdinfo(self->fd, "drm-cycles-sm:\t"));
	EXPECT_EQ(80, fdinfo(self->fd, "drm-engine-capacity-sm:\t"));
}

#define GROUP		"/sys/fs/cgroup/simgpu-gang"
#define MEMBERS		8
#define EPOCHS		200
#define EPOCH_CYCLES	10000ULL

/*
 * A gang of MEMBERS that nobody reads while it runs: EPOCHS records of each. What its file
 * says of it afterwards.
 */
static int run_long_gang(FIXTURE_DATA(gangs) *self, struct simgpu_gang_status *status)
{
	struct built_trace trace;
	uint64_t sequence = 0;
	int fds[MEMBERS], i, ret;
	uint32_t handle;

	build_compute(&trace, 8, 20);
	self->create.members = MEMBERS;
	self->create.epoch_cycles = EPOCH_CYCLES;
	self->create.stop_cycle = EPOCHS * EPOCH_CYCLES;
	ret = make_gang(self);
	for (i = 0; i < MEMBERS; i++) {
		fds[i] = open_device();
		ret = ret ?: fds[i] < 0 ? -errno : 0;
		ret = ret ?: gang_join(fds[i], self->create.fd, i);
		ret = ret ?: upload(fds[i], &trace, &handle);
		ret = ret ?: launch(fds[i], handle, 1, &sequence);
	}
	ret = ret ?: wait_launch(fds[0], 1, 2 * PATIENCE_NS);
	ret = ret ?: gang_status(self->create.fd, status);
	close(self->create.fd);
	for (i = 0; i < MEMBERS; i++)
		close(fds[i]);
	return ret;
}

/*
 * Whoever is above memory.high sleeps when it takes more memory. A maker of a gang that has
 * said so of itself may sleep, but not the worker: others wait for that.
 */
TEST_F_TIMEOUT(gangs, one_above_memory_high, 180)
{
	struct simgpu_gang_status alone, high;

	let_everybody_make_gangs();
	if (root_group(ROOT_MAKES_GROUP, GROUP, "max"))
		SKIP(return, "there is no cgroup v2 with a memory controller");
	ASSERT_EQ(0, run_long_gang(self, &alone));
	ASSERT_EQ(0, root_group(ROOT_MOVES, GROUP, ""));
	ASSERT_EQ(0, root_writes(GROUP "/memory.high", "100K"));
	EXPECT_EQ(0, run_long_gang(self, &high));
	EXPECT_EQ(0, root_writes(GROUP "/memory.high", "max"));
	TH_LOG("simulated in %.0f ms, above memory.high in %.0f ms", alone.wall_ns / 1e6,
	       high.wall_ns / 1e6);
	EXPECT_EQ(0, alone.records_lost);
	/* On a busy host, too: it sleeps for seconds. */
	EXPECT_GT(3 * alone.wall_ns, high.wall_ns);
	ASSERT_EQ(0, root_group(ROOT_MOVES, "/sys/fs/cgroup", ""));
	EXPECT_EQ(0, root_group(ROOT_REMOVES_GROUP, GROUP, ""));
}

/* Records count for the maker's user, whoever takes the memory for them. */
TEST_F_TIMEOUT(gangs, records_are_the_users_memory, 120)
{
	struct simgpu_gang_status status;
	char before[64];

	let_everybody_make_gangs();
	ASSERT_EQ(0, read_text(PARAMETERS "user_mib", before, sizeof(before)));
	ASSERT_EQ(0, root_writes(PARAMETERS "user_mib", "1"));
	EXPECT_EQ(0, run_long_gang(self, &status));
	root_writes(PARAMETERS "user_mib", before);
	TH_LOG("%llu of %llu records were lost", (unsigned long long)status.records_lost,
	       (unsigned long long)(MEMBERS * EPOCHS));
	EXPECT_LT(0, status.records_lost);
	EXPECT_GT(MEMBERS * EPOCHS, status.records_lost);
}

TEST_HARNESS_MAIN

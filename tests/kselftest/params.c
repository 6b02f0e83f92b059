// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of policies and models: their files, which come and go with the policy and
 * the model, and those of a gang; and what a policy that holds or shares shows.
 */
#include "calls.h"
#include "harness.h"
#include "modules.h"

#define POLICY_PARAMS	SYSFS "policy_params"
#define MODEL_PARAMS	SYSFS "model_params"

/* Names in a directory, in order, with blanks between. */
static void list(const char *path, char *text, size_t size)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort), i;

	text[0] = '\0';
	for (i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.')
			snprintf(text + strlen(text), size - strlen(text),
				 "%s%s", *text ? " " : "", entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

#define EXPECT_LIST(_names, _path) do {					\
	char _text[512];						\
									\
	list(_path, _text, sizeof(_text));				\
	EXPECT_STREQ(_names, _text);					\
} while (0)

#define EXPECT_TEXT(_expected, _path) do {				\
	char _text[512];						\
									\
	EXPECT_EQ(0, read_text(_path, _text, sizeof(_text)));		\
	EXPECT_STREQ(_expected, _text);					\
} while (0)

#define EXPECT_REFUSAL(_start) do {					\
	char _text[512];						\
									\
	EXPECT_EQ(0, read_text(SYSFS "last_refusal", _text,		\
			       sizeof(_text)));				\
	EXPECT_TRUE(starts_with(_text, _start)) {			\
		TH_LOG("last_refusal: %s", _text);			\
	}								\
} while (0)

FIXTURE(params)
{
	int fd;
	struct built_trace trace;
	uint32_t handle;
};

FIXTURE_SETUP(params)
{
	ASSERT_EQ(0, load("simgpu_test_params"));
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	ASSERT_EQ(0, write_text(SYSFS "model", "hsm"));
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 800, 1000);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
}

FIXTURE_TEARDOWN(params)
{
	uint64_t sequence = 0;

	write_text(SYSFS "policy", "even");
	write_text(SYSFS "model", "hsm");
	/* A cold session: a gang's held its policy. */
	EXPECT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
	EXPECT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	close(self->fd);
	EXPECT_EQ(0, unload("simgpu_test_params"));
}

/* A file a parameter, of the policy and the model in force. */
TEST_F(params, files)
{
	EXPECT_LIST("", POLICY_PARAMS);
	EXPECT_LIST("c1 c2", MODEL_PARAMS);
	ASSERT_EQ(0, write_text(SYSFS "policy", "hsm-fair"));
	EXPECT_LIST("fair_threshold", POLICY_PARAMS);
	ASSERT_EQ(0, write_text(SYSFS "policy", "test-params"));
	EXPECT_LIST("count part wait", POLICY_PARAMS);
	EXPECT_LIST("c1 c2", MODEL_PARAMS);
	ASSERT_EQ(0, write_text(SYSFS "model", "test-constants"));
	EXPECT_LIST("part", MODEL_PARAMS);
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	EXPECT_LIST("", POLICY_PARAMS);
}

TEST_F(params, values)
{
	ASSERT_EQ(0, write_text(SYSFS "policy", "test-params"));
	ASSERT_EQ(0, write_text(SYSFS "model", "test-constants"));
	EXPECT_TEXT("0.500000", POLICY_PARAMS "/part");
	EXPECT_TEXT("0.250000", MODEL_PARAMS "/part");
	EXPECT_TEXT("7", POLICY_PARAMS "/count");
	EXPECT_TEXT("2000", POLICY_PARAMS "/wait");
	EXPECT_EQ(0, write_text(POLICY_PARAMS "/part", "0.9\n"));
	EXPECT_TEXT("0.900000", POLICY_PARAMS "/part");
	EXPECT_TEXT("0.250000", MODEL_PARAMS "/part");
	EXPECT_EQ(0, write_text(POLICY_PARAMS "/count",
				"18446744073709551615"));
	EXPECT_TEXT("18446744073709551615", POLICY_PARAMS "/count");
	EXPECT_EQ(0, write_text(POLICY_PARAMS "/wait", "1000"));
	/* Another policy, and this one again: first values. */
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	ASSERT_EQ(0, write_text(SYSFS "policy", "test-params"));
	EXPECT_TEXT("0.500000", POLICY_PARAMS "/part");
	EXPECT_TEXT("2000", POLICY_PARAMS "/wait");
}

TEST_F(params, bad_values)
{
	static const char *const bad[] = {
		"0.099999", "0.900001", "1", "-0.5", "half", " ", "0.5 0.5",
	};
	size_t i;

	ASSERT_EQ(0, write_text(SYSFS "policy", "test-params"));
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		EXPECT_EQ(-EINVAL, write_text(POLICY_PARAMS "/part", bad[i])) {
			TH_LOG("'%s'", bad[i]);
		}
	}
	EXPECT_REFUSAL("param: part: the value is not a number (cycle ");
	EXPECT_EQ(-EINVAL, write_text(POLICY_PARAMS "/wait", "999"));
	EXPECT_REFUSAL("param: wait: the value is out of the parameter's range (cycle ");
	EXPECT_EQ(-EINVAL, write_text(POLICY_PARAMS "/wait", "1000.0"));
	EXPECT_EQ(-EINVAL, write_text(POLICY_PARAMS "/count", "0"));
	EXPECT_EQ(-EINVAL, write_text(POLICY_PARAMS "/count",
				      "18446744073709551616"));
	EXPECT_TEXT("0.500000", POLICY_PARAMS "/part");
	EXPECT_TEXT("2000", POLICY_PARAMS "/wait");
	EXPECT_TEXT("7", POLICY_PARAMS "/count");
}

/* A file that is open when its parameter goes can neither be read nor written. */
TEST_F(params, an_open_file_of_a_parameter_that_goes)
{
	char text[64];
	int fd;

	ASSERT_EQ(0, write_text(SYSFS "policy", "test-params"));
	fd = open(POLICY_PARAMS "/part", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_LT(0, pread(fd, text, sizeof(text), 0));
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	EXPECT_EQ(-1, pread(fd, text, sizeof(text), 0));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_EQ(-1, write(fd, "0.5", 3));
	EXPECT_EQ(ENODEV, errno);
	close(fd);
}

static int create_gang(int fd, struct simgpu_gang_create *create,
		       const struct simgpu_param_value *values, uint32_t count)
{
	create->size = sizeof(*create);
	create->members = create->members ?: 1;
	create->params.count = count;
	create->params.stride = sizeof(*values);
	create->params.array = (uintptr_t)values;
	return call(fd, SIMGPU_IOC_GANG_CREATE, create);
}

/* A name is the policy's, the model's, or both; what others have stays. */
TEST_F(params, of_a_gang)
{
	const struct simgpu_param_value values[] = {
		{ "part", 300000 }, { "wait", 5000 },
	};
	struct simgpu_gang_create create = {
		.policy = "test-params", .model = "test-constants",
	};

	ASSERT_EQ(0, create_gang(self->fd, &create, values, 2));
	EXPECT_TEXT("0.300000", POLICY_PARAMS "/part");
	EXPECT_TEXT("0.300000", MODEL_PARAMS "/part");
	EXPECT_TEXT("5000", POLICY_PARAMS "/wait");
	EXPECT_TEXT("7", POLICY_PARAMS "/count");
	/* A parameter of a policy that is not the device's own is the gang's. */
	EXPECT_EQ(0, write_text(POLICY_PARAMS "/wait", "6000"));
	close(create.fd);
	ASSERT_EQ(0, create_gang(self->fd, &create, NULL, 0));
	EXPECT_TEXT("2000", POLICY_PARAMS "/wait");
	EXPECT_TEXT("0.500000", POLICY_PARAMS "/part");
	EXPECT_TEXT("0.250000", MODEL_PARAMS "/part");
	close(create.fd);
}

/* Of the device's own policy a gang has the values that were set. */
TEST_F(params, of_the_device_in_a_gang)
{
	const struct simgpu_param_value value = { "count", 9 };
	struct simgpu_gang_create create = { .policy = "test-params" };

	ASSERT_EQ(0, write_text(SYSFS "policy", "test-params"));
	ASSERT_EQ(0, write_text(POLICY_PARAMS "/wait", "3000"));
	ASSERT_EQ(0, create_gang(self->fd, &create, &value, 1));
	EXPECT_TEXT("3000", POLICY_PARAMS "/wait");
	EXPECT_TEXT("9", POLICY_PARAMS "/count");
	close(create.fd);
	memset(create.policy, 0, sizeof(create.policy));
	ASSERT_EQ(0, create_gang(self->fd, &create, NULL, 0));
	EXPECT_TEXT("3000", POLICY_PARAMS "/wait");
	EXPECT_TEXT("7", POLICY_PARAMS "/count");
	close(create.fd);
}

TEST_F(params, bad_ones_of_a_gang)
{
	const struct simgpu_param_value unknown = { "no-such", 1 };
	const struct simgpu_param_value small = { "wait", 999 };
	/* Good for the model, bad for the policy. */
	const struct simgpu_param_value half_good = { "part", 50000 };
	struct simgpu_gang_create create = {
		.policy = "test-params", .model = "test-constants",
	};

	EXPECT_EQ(-EINVAL, create_gang(self->fd, &create, &unknown, 1));
	EXPECT_REFUSAL("param: no-such: the policy has no such parameter (cycle ");
	EXPECT_EQ(-EINVAL, create_gang(self->fd, &create, &small, 1));
	EXPECT_REFUSAL("param: wait: the value is out of the parameter's range (cycle ");
	EXPECT_EQ(-EINVAL, create_gang(self->fd, &create, &half_good, 1));
	EXPECT_REFUSAL("param: part: ");
	EXPECT_TEXT("even", SYSFS "policy");
	create.hold_cycles = 9999;
	EXPECT_EQ(-EINVAL, create_gang(self->fd, &create, NULL, 0));
	create.hold_cycles = 0;
	create.reserved3 = 1;
	EXPECT_EQ(-EINVAL, create_gang(self->fd, &create, NULL, 0));
}

/* struct pair - two tenants of a gang that run */
struct pair {
	int fds[2];
	uint64_t sequences[2];
	struct simgpu_gang_create create;
};

static int start_pair(struct pair *pair, const struct built_trace *trace)
{
	uint32_t handle;
	int i, ret;

	pair->create.size = sizeof(pair->create);
	pair->create.members = 2;
	for (i = 0; i < 2; i++) {
		pair->fds[i] = open_device();
		ret = pair->fds[i] < 0 ? pair->fds[i] : 0;
		if (!ret && !i)
			ret = call(pair->fds[0], SIMGPU_IOC_GANG_CREATE,
				   &pair->create);
		ret = ret ?: gang_join(pair->fds[i], pair->create.fd, i);
		ret = ret ?: upload(pair->fds[i], trace, &handle);
		ret = ret ?: launch(pair->fds[i], handle, 1,
				    &pair->sequences[i]);
		if (ret)
			return ret;
	}
	for (i = 0; i < 2; i++) {
		ret = wait_launch(pair->fds[i], pair->sequences[i], PATIENCE_NS);
		if (ret)
			return ret;
	}
	return 0;
}

static void end_pair(struct pair *pair)
{
	close(pair->create.fd);
	close(pair->fds[0]);
	close(pair->fds[1]);
}

/* What a gang says of when and how exactly its policy knows is in its journal. */
TEST_F(params, sight_of_a_gang)
{
	struct pair pair = { .create = {
		.policy = "hsm-fair", .epoch_cycles = 10000,
		.stop_cycle = 100000, .flags = SIMGPU_GANG_RELAUNCH,
		.decision_cycles = 3000, .counter_noise = 5,
		.counter_delay = 2, .sampled = 3,
	} };
	char journal[8192];

	ASSERT_EQ(0, start_pair(&pair, &self->trace));
	ASSERT_EQ(0, read_text(DEBUGFS "journal", journal, sizeof(journal)));
	EXPECT_NE(NULL, strstr(journal, " decision_cycles=3000 counter_noise=5 counter_delay=2 sampled=3 "));
	end_pair(&pair);
}

/* Who is held too long gets even, and that is told everywhere. */
TEST_F(params, hold_that_is_too_long)
{
	struct pair pair = { .create = {
		.policy = "test-hold", .epoch_cycles = 10000,
		.stop_cycle = 100000, .flags = SIMGPU_GANG_RELAUNCH,
		.hold_cycles = 20000,
	} };
	struct simgpu_gang_refusal answer = { .size = sizeof(answer) };
	struct full_report report;
	char journal[8192];

	ASSERT_EQ(0, start_pair(&pair, &self->trace));
	ASSERT_EQ(0, wait_for_policy("even"));
	ASSERT_EQ(0, call(pair.create.fd, SIMGPU_IOC_GANG_REFUSAL, &answer));
	EXPECT_EQ(SIMGPU_REFUSAL_HOLD, answer.refusal.kind);
	EXPECT_EQ(1, answer.refusal.slot);
	EXPECT_LE(20000, answer.refusal.cycle);
	EXPECT_REFUSAL("hold: hold: a tenant with work made no progress for too long (slot 1, cycle ");
	ASSERT_EQ(0, read_text(DEBUGFS "journal", journal, sizeof(journal)));
	EXPECT_NE(NULL, strstr(journal, " hold_cycles=20000 "));
	EXPECT_NE(NULL, strstr(journal, " fallback kind=hold "));
	ASSERT_EQ(0, gang_report(pair.create.fd, 1, &report));
	EXPECT_EQ(0, report.figures.flags & SIMGPU_REPORT_HELD);
	EXPECT_LT(0, COUNT(report, THREAD_INSTRUCTIONS));
	end_pair(&pair);
}

TEST_F(params, held)
{
	struct pair pair = { .create = {
		.policy = "test-hold", .epoch_cycles = 10000,
		.stop_cycle = 60000, .flags = SIMGPU_GANG_RELAUNCH,
	} };
	struct full_report report;
	char path[128];

	ASSERT_EQ(0, start_pair(&pair, &self->trace));
	ASSERT_EQ(0, gang_report(pair.create.fd, 1, &report));
	EXPECT_NE(0, report.figures.flags & SIMGPU_REPORT_HELD);
	EXPECT_EQ(0, report.figures.sms);
	EXPECT_EQ(0, COUNT(report, THREAD_INSTRUCTIONS));
	ASSERT_EQ(0, gang_report(pair.create.fd, 0, &report));
	EXPECT_EQ(0, report.figures.flags & SIMGPU_REPORT_HELD);
	EXPECT_LT(0, COUNT(report, THREAD_INSTRUCTIONS));
	/* The second one of the pair was opened last. */
	snprintf(path, sizeof(path), SYSFS "tenants/%lu/held", newest_tenant());
	EXPECT_EQ(1, read_number(path));
	snprintf(path, sizeof(path), SYSFS "tenants/%lu/held",
		 newest_tenant() - 1);
	EXPECT_EQ(0, read_number(path));
	EXPECT_TEXT("none", SYSFS "last_refusal");
	end_pair(&pair);
}

TEST_F(params, shared)
{
	struct pair pair = { .create = {
		.policy = "test-share", .epoch_cycles = 10000,
		.stop_cycle = 60000, .flags = SIMGPU_GANG_RELAUNCH,
	} };
	struct full_report report;
	char path[128];
	uint32_t slot;

	ASSERT_EQ(0, start_pair(&pair, &self->trace));
	for (slot = 0; slot < 2; slot++) {
		ASSERT_EQ(0, gang_report(pair.create.fd, slot, &report));
		EXPECT_EQ(80, report.figures.shared_sms);
		EXPECT_EQ(80, report.figures.sms);
		/* Both have blocks there; whose warps are older issue first. */
		EXPECT_LT(0, COUNT(report, SM_ACTIVE_CYCLES));
	}
	snprintf(path, sizeof(path), SYSFS "tenants/%lu/shared_sms",
		 newest_tenant());
	EXPECT_EQ(80, read_number(path));
	EXPECT_TEXT("none", SYSFS "last_refusal");
	end_pair(&pair);
}

TEST_HARNESS_MAIN

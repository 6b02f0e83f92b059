// SPDX-License-Identifier: GPL-2.0
/*
 * The files in sysfs: what they hold, what they refuse, who may read them, and
 * that a tenant's come and go with it.
 */
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "calls.h"
#include "harness.h"

/* Files that can be written: the values that are taken and those that are not. */
FIXTURE(values)
{
	char path[128];
	char before[64];
};

FIXTURE_VARIANT(values)
{
	const char *policy;
	const char *file;
	const char *good[4];
	const char *shown[4];
	const char *bad[12];
};

FIXTURE_VARIANT_ADD(values, policy)
{
	.file = "policy",
	.good = { "hsm-fair\n", "even" },
	.shown = { "hsm-fair", "even" },
	.bad = { "", "\n", "no-such", "even even", " even", "EVEN",
		 "a-name-of-more-than-thirty-one-characters" },
};

FIXTURE_VARIANT_ADD(values, model)
{
	.file = "model",
	.good = { "hsm\n", "hsm" },
	.shown = { "hsm", "hsm" },
	.bad = { "", "\n", "no-such", "hsm hsm" },
};

FIXTURE_VARIANT_ADD(values, epoch_cycles)
{
	.file = "epoch_cycles",
	.good = { "10000", "50000000\n" },
	.shown = { "10000", "50000000" },
	.bad = { "", "9999", "50000001", "-10000", "0x10000", "20000 ",
		 "20000.0", "18446744073709551616", "many" },
};

FIXTURE_VARIANT_ADD(values, cpu_percent)
{
	.file = "cpu_percent",
	.good = { "1", "37\n", "100" },
	.shown = { "1", "37", "100" },
	.bad = { "", "0", "101", "-1", "50%", "4294967297" },
};

FIXTURE_VARIANT_ADD(values, hold_cycles)
{
	.file = "hold_cycles",
	.good = { "10000", "1000000000000\n", "50000000" },
	.shown = { "10000", "1000000000000", "50000000" },
	.bad = { "", "0", "9999", "1000000000001", "-10000", "10000.0" },
};

FIXTURE_VARIANT_ADD(values, decision_cycles)
{
	.file = "decision_cycles",
	.good = { "0", "1", "1000000000\n" },
	.shown = { "0", "1", "1000000000" },
	.bad = { "", "1000000001", "-1", "10.0", "18446744073709551616" },
};

FIXTURE_VARIANT_ADD(values, counter_noise)
{
	.file = "counter_noise",
	.good = { "0", "7", "100\n" },
	.shown = { "0", "7", "100" },
	.bad = { "", "101", "-1", "0.5", "50%", "4294967296" },
};

FIXTURE_VARIANT_ADD(values, counter_delay)
{
	.file = "counter_delay",
	.good = { "0", "1", "16\n" },
	.shown = { "0", "1", "16" },
	.bad = { "", "17", "-1", "1.5", "4294967296" },
};

FIXTURE_VARIANT_ADD(values, sampled)
{
	.file = "sampled",
	.good = { "50\n", "1", "0" },
	.shown = { "50", "1", "0" },
	.bad = { "", "51", "-1", "2.5", "5%", "256", "4294967296" },
};

FIXTURE_VARIANT_ADD(values, c1)
{
	.file = "model_params/c1",
	.good = { "0.5", "0.123456\n", "1" },
	.shown = { "0.500000", "0.123456", "1.000000" },
	.bad = { "", ".", "0.", ".5", "-0.5", "+0.5", "0.-5", "0.+5",
		 "0.1234567", "0.5x", "0,5", "99999999999" },
};

FIXTURE_VARIANT_ADD(values, c2)
{
	.file = "model_params/c2",
	.good = { "0.36", "0.4\n" },
	.shown = { "0.360000", "0.400000" },
	.bad = { "", "one", "0x1", "1e-1" },
};

FIXTURE_VARIANT_ADD(values, fair_threshold)
{
	.policy = "hsm-fair",
	.file = "policy_params/fair_threshold",
	.good = { "0.9\n", "1.0", "0.95" },
	.shown = { "0.900000", "1.000000", "0.950000" },
	.bad = { "", "0.9 0.9", "0.9\n\n" },
};

FIXTURE_VARIANT_ADD(values, qos_guard)
{
	.policy = "hsm-qos",
	.file = "policy_params/qos_guard",
	.good = { "0", "0.1\n", "1.0" },
	.shown = { "0.000000", "0.100000", "1.000000" },
	.bad = { "-0.1", "1.000001", "guard" },
};

FIXTURE_VARIANT_ADD(values, qos_margin)
{
	.policy = "hsm-qos",
	.file = "policy_params/qos_margin",
	.good = { "0.2", "0.000001", "1" },
	.shown = { "0.200000", "0.000001", "1.000000" },
	.bad = { "2", "", "0.1 " },
};

FIXTURE_SETUP(values)
{
	snprintf(self->path, sizeof(self->path), SYSFS "%s", variant->file);
	ASSERT_EQ(0, write_text(SYSFS "policy", variant->policy ?: "even"));
	ASSERT_EQ(0, read_text(self->path, self->before,
			       sizeof(self->before)));
}

FIXTURE_TEARDOWN(values)
{
	EXPECT_EQ(0, write_text(self->path, self->before));
	EXPECT_EQ(0, write_text(SYSFS "policy", "even"));
}

TEST_F(values, good)
{
	char text[64];
	int i;

	for (i = 0; i < 4 && variant->good[i]; i++) {
		EXPECT_EQ(0, write_text(self->path, variant->good[i]));
		ASSERT_EQ(0, read_text(self->path, text, sizeof(text)));
		EXPECT_STREQ(variant->shown[i], text);
	}
}

TEST_F(values, bad)
{
	char text[64];
	int i;

	for (i = 0; i < 12 && variant->bad[i]; i++) {
		/* Nothing is written for no bytes at all. */
		if (*variant->bad[i]) {
			EXPECT_EQ(-EINVAL, write_text(self->path,
						      variant->bad[i])) {
				TH_LOG("'%s'", variant->bad[i]);
			}
		}
		ASSERT_EQ(0, read_text(self->path, text, sizeof(text)));
		EXPECT_STREQ(self->before, text);
	}
}

TEST(device_files)
{
	static const char * const read_only[] = {
		"config", "policies_available", "models_available", "cycles",
		"epochs", "bytes_held", "seed", "state",
	};
	char path[128], text[256];
	size_t i;

	for (i = 0; i < sizeof(read_only) / sizeof(read_only[0]); i++) {
		snprintf(path, sizeof(path), SYSFS "%s", read_only[i]);
		EXPECT_EQ(0, read_text(path, text, sizeof(text)));
		EXPECT_NE('\0', text[0]);
		/* Root gets past a file's mode, but not past its absence. */
		EXPECT_NE(0, write_text(path, "1"));
	}
	EXPECT_EQ(0, read_text(SYSFS "config", text, sizeof(text)));
	EXPECT_STREQ("hbm80", text);
	EXPECT_EQ(0, read_text(SYSFS "policies_available", text,
			       sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "even"));
	EXPECT_NE(NULL, strstr(text, "hsm-fair"));
	EXPECT_EQ(0, read_text(SYSFS "models_available", text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "hsm"));
}

TEST(a_group_may_open_the_device)
{
	struct stat status;

	ASSERT_EQ(0, stat(DEVICE, &status));
	EXPECT_TRUE(S_ISCHR(status.st_mode));
	EXPECT_EQ(0660, status.st_mode & 07777);
}

FIXTURE(tenant)
{
	int fd;
	unsigned long id;
	char directory[64];
};

FIXTURE_SETUP(tenant)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->id = newest_tenant();
	ASSERT_LT(0, self->id);
	snprintf(self->directory, sizeof(self->directory), SYSFS "tenants/%lu",
		 self->id);
}

FIXTURE_TEARDOWN(tenant)
{
	if (self->fd >= 0)
		close(self->fd);
	EXPECT_EQ(-1, access(self->directory, F_OK));
}

static int read_tenant(const char *directory, const char *file, char *text,
		       size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	return read_text(path, text, size);
}

static int write_tenant(const char *directory, const char *file,
			const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	return write_text(path, text);
}

#define EXPECT_TENANT(_file, _text) do {				\
	char _read[128];						\
									\
	EXPECT_EQ(0, read_tenant(self->directory, _file, _read,		\
				 sizeof(_read)));			\
	EXPECT_STREQ(_text, _read);					\
} while (0)

#define EXPECT_TENANT_ERROR(_errno, _file) do {				\
	char _read[128];						\
									\
	EXPECT_EQ(_errno, read_tenant(self->directory, _file, _read,	\
				      sizeof(_read)));			\
} while (0)

TEST_F(tenant, before_any_work)
{
	char pid[32];

	snprintf(pid, sizeof(pid), "%d", getpid());
	EXPECT_TENANT("pid", pid);
	EXPECT_TENANT("class", "unknown");
	EXPECT_TENANT("service", "best_effort");
	EXPECT_TENANT("weight", "1");
	EXPECT_TENANT("target", "0.000000");
	EXPECT_TENANT("sms", "0");
	EXPECT_TENANT_ERROR(-ENODATA, "slot");
	EXPECT_TENANT_ERROR(-ENODATA, "np");
	EXPECT_TENANT_ERROR(-ENODATA, "ipc");
	EXPECT_TENANT_ERROR(-ENODATA, "rbh");
	EXPECT_TENANT_ERROR(-ENODATA, "bandwidth");
	EXPECT_TENANT_ERROR(-ENODATA, "llc_mpki");
}

TEST_F(tenant, what_it_says_of_itself)
{
	ASSERT_EQ(0, set_tenant(self->fd, "my \"name\"", SIMGPU_SERVICE_QOS, 7,
				800000));
	EXPECT_TENANT("name", "my \"name\"");
	EXPECT_TENANT("service", "qos");
	EXPECT_TENANT("weight", "7");
	EXPECT_TENANT("target", "0.800000");

	EXPECT_EQ(0, write_tenant(self->directory, "weight", "1000\n"));
	EXPECT_EQ(0, write_tenant(self->directory, "target", "0.75\n"));
	EXPECT_TENANT("weight", "1000");
	EXPECT_TENANT("target", "0.750000");

	EXPECT_EQ(-EINVAL, write_tenant(self->directory, "weight", "0"));
	EXPECT_EQ(-EINVAL, write_tenant(self->directory, "weight", "1001"));
	EXPECT_EQ(-EINVAL, write_tenant(self->directory, "target", "0"));
	EXPECT_EQ(-EINVAL, write_tenant(self->directory, "target", "1.000001"));
	EXPECT_TENANT("weight", "1000");
	EXPECT_TENANT("target", "0.750000");

	ASSERT_EQ(0, set_tenant(self->fd, "plain", 0, 1, 0));
	EXPECT_EQ(-EINVAL, write_tenant(self->directory, "target", "0.5"));
}

TEST_F(tenant, what_share_it_asks_for)
{
	struct simgpu_tenant_config cmd = {
		.size = sizeof(cmd), .weight = 1, .name = "half",
		.share_ppm = 500000,
	};

	EXPECT_TENANT("share", "0.000000");
	EXPECT_EQ(0, write_tenant(self->directory, "share", "0.25\n"));
	EXPECT_TENANT("share", "0.250000");
	EXPECT_EQ(-EINVAL, write_tenant(self->directory, "share", "1.000001"));
	EXPECT_EQ(-EINVAL, write_tenant(self->directory, "share", "-0.5"));
	EXPECT_EQ(-EINVAL, write_tenant(self->directory, "share",
					"18446744073709.551615"));
	EXPECT_TENANT("share", "0.250000");

	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_TENANT_CONFIG, &cmd));
	EXPECT_TENANT("share", "0.500000");
	cmd.share_ppm = 1000001;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_TENANT_CONFIG, &cmd));
	EXPECT_TENANT("share", "0.500000");
	EXPECT_EQ(0, write_tenant(self->directory, "share", "0"));
	EXPECT_TENANT("share", "0.000000");
}

TEST_F(tenant, what_latency_it_asks_for)
{
	struct simgpu_tenant_config cmd = {
		.size = sizeof(cmd), .weight = 1, .name = "soon", .p99_cycles = 5000,
	};

	EXPECT_TENANT("p99_cycles", "0");
	EXPECT_EQ(0, write_tenant(self->directory, "p99_cycles", "1000000000\n"));
	EXPECT_TENANT("p99_cycles", "1000000000");
	EXPECT_EQ(-EINVAL, write_tenant(self->directory, "p99_cycles", "1000000001"));
	EXPECT_EQ(-EINVAL, write_tenant(self->directory, "p99_cycles", "soon"));
	EXPECT_TENANT("p99_cycles", "1000000000");

	EXPECT_EQ(0, call(self->fd, SIMGPU_IOC_TENANT_CONFIG, &cmd));
	EXPECT_TENANT("p99_cycles", "5000");
	cmd.p99_cycles = 1000000001;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_TENANT_CONFIG, &cmd));
	EXPECT_TENANT("p99_cycles", "5000");
	EXPECT_EQ(0, write_tenant(self->directory, "p99_cycles", "0"));
	EXPECT_TENANT("p99_cycles", "0");
}

TEST_F(tenant, while_it_works)
{
	struct built_trace trace;
	char text[64], before[64];
	uint32_t handle;
	int tries;

	ASSERT_EQ(0, read_text(SYSFS "epoch_cycles", before, sizeof(before)));
	ASSERT_EQ(0, write_text(SYSFS "epoch_cycles", "10000"));
	build_compute(&trace, 800, 1000);
	ASSERT_EQ(0, upload(self->fd, &trace, &handle));
	ASSERT_EQ(0, launch(self->fd, handle, UINT64_MAX, NULL));
	ASSERT_EQ(0, read_text(SYSFS "state", text, sizeof(text)));
	EXPECT_STREQ("running", text);
	for (tries = 0; tries < 1000; tries++) {
		if (!read_tenant(self->directory, "np", text, sizeof(text)))
			break;
		sleep_ms(10);
	}
	EXPECT_TENANT("class", "compute");
	/* Alone, it makes all the progress there is. */
	EXPECT_TENANT("np", "1.000000");
	EXPECT_EQ(0, read_tenant(self->directory, "slot", text, sizeof(text)));
	/* None for a moment where one launch has ended and the next begins. */
	for (tries = 0; tries < 1000; tries++) {
		EXPECT_EQ(0, read_tenant(self->directory, "sms", text, sizeof(text)));
		if (strcmp(text, "0"))
			break;
		sleep_ms(10);
	}
	EXPECT_STREQ("80", text);
	EXPECT_TENANT("bandwidth", "0.000000");
	EXPECT_EQ(0, read_tenant(self->directory, "ipc", text, sizeof(text)));
	EXPECT_LT(100, strtod(text, NULL));
	EXPECT_EQ(0, read_text(SYSFS "fairness", text, sizeof(text)));
	EXPECT_STREQ("1.000000", text);
	EXPECT_EQ(0, read_text(SYSFS "stp", text, sizeof(text)));
	EXPECT_EQ(0, read_text(SYSFS "antt", text, sizeof(text)));
	EXPECT_LT(0, read_number(SYSFS "epochs"));
	EXPECT_LE(10000, read_number(SYSFS "cycles"));

	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, read_text(SYSFS "state", text, sizeof(text)));
	EXPECT_STREQ("idle", text);
	EXPECT_EQ(0, write_text(SYSFS "epoch_cycles", before));
}

/* As another user: what can be read, and what cannot. */
static int read_as(uid_t uid, const char *directory, const char *file)
{
	char text[64];
	int status;
	pid_t child = fork();

	if (!child) {
		if (setgid(uid) || setuid(uid))
			_exit(255);
		_exit(-read_tenant(directory, file, text, sizeof(text)));
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST_F(tenant, counters_are_private)
{
	static const char * const counters[] = {
		"np", "class", "ipc", "rbh", "bandwidth", "llc_mpki",
	};
	char text[8];
	size_t i;

	ASSERT_EQ(0, read_text("/sys/module/simgpu/parameters/counters_public",
			       text, sizeof(text)));
	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		int got = read_as(1234, self->directory, counters[i]);

		EXPECT_EQ(text[0] != 'Y', got == EACCES);
	}
	EXPECT_EQ(0, read_as(1234, self->directory, "name"));
	EXPECT_EQ(0, read_as(1234, self->directory, "weight"));
}

/* A file of a user whose group has the device, which root still holds. */
static int open_as(uid_t uid)
{
	int fd;

	if (chown(DEVICE, 0, uid))
		return -1;
	setfsgid(uid);
	setfsuid(uid);
	fd = open_device();
	setfsuid(0);
	setfsgid(0);
	return chown(DEVICE, 0, 0) ? -1 : fd;
}

/* Whoever opened the device reads its own, and lowers its own weight. */
static int work_as(uid_t uid)
{
	char directory[64], text[64];
	int fd, ret;

	fd = open_as(uid);
	if (fd < 0)
		return 2;
	snprintf(directory, sizeof(directory), SYSFS "tenants/%lu",
		 newest_tenant());
	if (write_tenant(directory, "weight", "5"))
		return 1;
	if (setgid(uid) || setuid(uid))
		return 1;
	ret = read_tenant(directory, "class", text, sizeof(text));
	if (ret)
		return 3;
	if (write_tenant(directory, "weight", "3"))
		return 4;
	if (write_tenant(directory, "weight", "4") != -EPERM)
		return 6;
	if (write_text(SYSFS "policy", "even") != -EACCES)
		return 5;
	close(fd);
	return 0;
}

TEST(owner_is_who_opened)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(work_as(1234));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

/* Files that are held open outlive the tenant, and read as gone. */
TEST(file_of_a_gone_tenant)
{
	char path[128], text[64];
	int fd = open_device();
	int file;

	ASSERT_LE(0, fd);
	snprintf(path, sizeof(path), SYSFS "tenants/%lu/name", newest_tenant());
	file = open(path, O_RDONLY);
	ASSERT_LE(0, file);
	close(fd);
	EXPECT_EQ(-1, read(file, text, sizeof(text)));
	EXPECT_EQ(ENODEV, errno);
	close(file);
}

FIXTURE(crowd)
{
};

FIXTURE_SETUP(crowd)
{
}

FIXTURE_TEARDOWN(crowd)
{
}

/* Thousands of tenants: each has its directory, and leaves nothing. */
TEST_F_TIMEOUT(crowd, comes_and_goes, 300)
{
	long long held = read_number(SYSFS "bytes_held");
	unsigned long first = newest_tenant();
	int fds[900];
	int round, i;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 900; i++) {
			fds[i] = open_device();
			ASSERT_LE(0, fds[i]);
		}
		EXPECT_LE(first + 900, newest_tenant());
		for (i = 0; i < 900; i++)
			close(fds[i]);
	}
	EXPECT_EQ(held, read_number(SYSFS "bytes_held"));
}

TEST(debugfs_files)
{
	/* The journal tells of all tests before this one. */
	static char text[1 << 20];

	ASSERT_EQ(0, read_text(DEBUGFS "state_hash", text, sizeof(text)));
	EXPECT_EQ(18, strlen(text));
	ASSERT_EQ(0, read_text(DEBUGFS "ssrt", text, sizeof(text)));
	EXPECT_TRUE(starts_with(text, "sm owner next_owner blocks state sharers\n0 "));
	ASSERT_EQ(0, read_text(DEBUGFS "ksrt", text, sizeof(text)));
	EXPECT_TRUE(starts_with(text, "slot kernel "));
	ASSERT_EQ(0, read_text(DEBUGFS "journal", text, sizeof(text)));
	EXPECT_TRUE(starts_with(text, "0 start version=3 config=\"hbm80\" "));
	EXPECT_NE(NULL, strstr(text, " end state_hash=0x"));
}

TEST_HARNESS_MAIN

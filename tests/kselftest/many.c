// SPDX-License-Identifier: GPL-2.0
/*
 * Many at once: a thousand tenants on one device, of which SIMGPU_TENANTS_MAX
 * have work at a time, and as many devices as there may be, each with tenants.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include "calls.h"
#include "kselftest_harness.h"

#define CONFIGFS	"/sys/kernel/config/simgpu/"
#define TENANTS		1000
#define DEVICES		64
#define TENANTS_EACH	4

/* struct user - an open file with an uploaded trace */
struct user {
	int fd;
	uint32_t handle;
	uint64_t sequence;
};

FIXTURE(many)
{
	struct built_trace trace;
	struct user users[TENANTS];
	long long held;
};

FIXTURE_SETUP(many)
{
	const struct rlimit files = { .rlim_cur = 2048, .rlim_max = 2048 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	build_everything(&self->trace);
	self->held = read_number(SYSFS "bytes_held");
}

FIXTURE_TEARDOWN(many)
{
	EXPECT_EQ(self->held, read_bytes_held(self->held));
}

static int begin(struct user *user, const char *device,
		 const struct built_trace *trace)
{
	user->fd = open(device, O_RDWR | O_CLOEXEC);
	if (user->fd < 0)
		return -errno;
	return upload(user->fd, trace, &user->handle);
}

static unsigned int count_tenants(void)
{
	DIR *directory = opendir(SYSFS "tenants");
	const struct dirent *entry;
	unsigned int count = 0;

	if (!directory)
		return 0;
	while ((entry = readdir(directory)))
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count;
}

/* Launches until the device is full; how many could. */
static unsigned int launch_wave(struct __test_metadata *_metadata,
				struct user *users, unsigned int count)
{
	unsigned int launched;
	int ret = 0;

	for (launched = 0; launched < count; launched++) {
		ret = launch(users[launched].fd, users[launched].handle, 1,
			     &users[launched].sequence);
		if (ret)
			break;
	}
	EXPECT_EQ(launched < count ? -EBUSY : 0, ret);
	return launched;
}

TEST_F_TIMEOUT(many, tenants, 300)
{
	unsigned int first, launched, waves = 0, i;

	for (i = 0; i < TENANTS; i++)
		ASSERT_EQ(0, begin(&self->users[i], DEVICE, &self->trace));
	EXPECT_EQ(TENANTS, count_tenants());
	for (first = 0; first < TENANTS; first += launched, waves++) {
		launched = launch_wave(_metadata, &self->users[first],
				       TENANTS - first);
		ASSERT_EQ(TENANTS - first < SIMGPU_TENANTS_MAX ?
			  TENANTS - first : SIMGPU_TENANTS_MAX, launched);
		for (i = first; i < first + launched; i++)
			EXPECT_EQ(0, wait_launch(self->users[i].fd,
						 self->users[i].sequence,
						 PATIENCE_NS));
		/* A slot is a tenant's until it closes. */
		for (i = first; i < first + launched; i++)
			close(self->users[i].fd);
	}
	EXPECT_EQ((TENANTS + SIMGPU_TENANTS_MAX - 1) / SIMGPU_TENANTS_MAX,
		  waves);
	EXPECT_EQ(0, count_tenants());
}

/* A device by configfs; @device is set to its path. */
static int plug(unsigned int number, char device[80])
{
	char path[128], name[64];
	int ret;

	snprintf(path, sizeof(path), CONFIGFS "many%u", number);
	if (mkdir(path, 0755))
		return -errno;
	snprintf(path, sizeof(path), CONFIGFS "many%u/config", number);
	ret = write_text(path, "base = hbm80\nname = small\nsms = 4\n");
	snprintf(path, sizeof(path), CONFIGFS "many%u/live", number);
	ret = ret ?: write_text(path, "1");
	snprintf(path, sizeof(path), CONFIGFS "many%u/device", number);
	ret = ret ?: read_text(path, name, sizeof(name));
	snprintf(device, 80, "/dev/%s", name);
	return ret;
}

TEST_F_TIMEOUT(many, devices, 300)
{
	const unsigned int count = DEVICES * TENANTS_EACH;
	char devices[DEVICES][80] = { DEVICE }, path[128];
	unsigned int i;

	/* The module made the first. */
	for (i = 1; i < DEVICES; i++)
		ASSERT_EQ(0, plug(i, devices[i]));
	for (i = 0; i < count; i++) {
		struct user *user = &self->users[i];

		ASSERT_EQ(0, begin(user, devices[i % DEVICES], &self->trace));
		ASSERT_EQ(0, launch(user->fd, user->handle, 2,
				    &user->sequence));
	}
	for (i = 0; i < count; i++) {
		EXPECT_EQ(0, wait_launch(self->users[i].fd,
					 self->users[i].sequence, PATIENCE_NS));
		close(self->users[i].fd);
	}
	for (i = 1; i < DEVICES; i++) {
		snprintf(path, sizeof(path), CONFIGFS "many%u", i);
		EXPECT_EQ(0, rmdir(path));
	}
}

TEST_HARNESS_MAIN

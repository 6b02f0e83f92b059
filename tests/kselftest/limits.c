// SPDX-License-Identifier: GPL-2.0
/*
 * Limits that are a user's, not a device's, and who they are not for; user 1000 on two
 * devices.
 */
#include "../attack/user.h"

#include "harness.h"

#define ITEM		CONFIGFS "limits/"
#define USER_MIB	"/sys/module/simgpu/parameters/user_mib"
#define FILES		100

FIXTURE(limits)
{
	char user_mib[64];
	char second[128];
	int fds[FILES];
	int count;
};

FIXTURE_SETUP(limits)
{
	char name[64];

	ASSERT_EQ(0, read_text(USER_MIB, self->user_mib, 64));
	ASSERT_EQ(0, mkdir(ITEM, 0755));
	ASSERT_EQ(0, write_text(ITEM "live", "1"));
	ASSERT_EQ(0, read_text(ITEM "device", name, sizeof(name)));
	snprintf(self->second, sizeof(self->second), "/dev/%s", name);
}

FIXTURE_TEARDOWN(limits)
{
	as_root();
	while (self->count)
		close(self->fds[--self->count]);
	write_text(USER_MIB, self->user_mib);
	EXPECT_EQ(0, rmdir(ITEM));
}

static int open_on(FIXTURE_DATA(limits) *self, const char *device)
{
	int fd;

	if (self->count == FILES)
		return -ENFILE;
	fd = open(device, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	self->fds[self->count++] = fd;
	return 0;
}

/* Each file takes 32 KiB, so a MiB is some 30 of them, on whichever devices. */
TEST_F(limits, user_mib)
{
	int ret, i;

	ASSERT_EQ(0, write_text(USER_MIB, "1"));
	as_user();
	for (i = 0; i < 15; i++)
		EXPECT_EQ(0, open_on(self, DEVICE));
	do {
		ret = open_on(self, self->second);
	} while (!ret);
	EXPECT_EQ(-EDQUOT, ret);
	EXPECT_GE(33, self->count);
	EXPECT_EQ(-EDQUOT, open_on(self, DEVICE));
	as_root();

	/* Neither for this capability, nor does another help. */
	as_user_with(CAP_SYS_NICE);
	EXPECT_EQ(-EDQUOT, open_on(self, DEVICE));
	as_root();
	as_user_with(CAP_SYS_RESOURCE);
	EXPECT_EQ(0, open_on(self, DEVICE));
	EXPECT_EQ(0, open_on(self, self->second));
	as_root();

	/* What it holds then counts. */
	as_user();
	close(self->fds[0]);
	self->fds[0] = self->fds[--self->count];
	EXPECT_EQ(-EDQUOT, open_on(self, DEVICE));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/*
 * Devices of more SMs than the first versions of the ioctls had words for: masks and
 * reports reach the last SM, by the words at the ends of the structs.
 */
#include <sys/stat.h>

#include "calls.h"
#include "netlink_calls.h"
#include "harness.h"

#define ITEM		CONFIGFS "large/"

FIXTURE(large)
{
	int fd;
	char name[64];
	uint32_t handle;
	struct built_trace trace;
};

FIXTURE_VARIANT(large)
{
	const char *config;
	uint32_t sms;
};

FIXTURE_VARIANT_ADD(large, h100)
{
	.config = "base = h100\n", .sms = 132,
};

FIXTURE_VARIANT_ADD(large, of_512)
{
	.config = "base = h100\nname = large\nsms = 512\nsms_per_tpc = 1\n", .sms = 512,
};

FIXTURE_SETUP(large)
{
	struct simgpu_device_info info = { .size = sizeof(info) };
	char path[80];

	ASSERT_EQ(0, mkdir(CONFIGFS "large", 0755));
	ASSERT_EQ(0, write_text(ITEM "config", variant->config));
	ASSERT_EQ(0, write_text(ITEM "live", "1\n"));
	ASSERT_EQ(0, read_text(ITEM "device", self->name, sizeof(self->name)));
	snprintf(path, sizeof(path), "/dev/%s", self->name);
	self->fd = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_DEVICE_INFO, &info));
	ASSERT_EQ(variant->sms, info.sms);
	build_compute(&self->trace, 40, 20);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
}

FIXTURE_TEARDOWN(large)
{
	close(self->fd);
	EXPECT_EQ(0, rmdir(CONFIGFS "large"));
}

static int mask_to(int fd, uint32_t first, uint32_t last)
{
	struct simgpu_masks cmd = {
		.size = sizeof(cmd), .flags = SIMGPU_MASK_SMS,
	};
	uint32_t sm;

	for (sm = first; sm <= last; sm++) {
		if (sm / 64 < SIMGPU_MASK_WORDS)
			cmd.sms[sm / 64] |= 1ULL << sm % 64;
		else
			cmd.sms_more[sm / 64 - SIMGPU_MASK_WORDS] |= 1ULL << sm % 64;
	}
	return call(fd, SIMGPU_IOC_MASKS, &cmd);
}

/* The only tenant's file */
static int tenant_file(FIXTURE_DATA(large) *self, const char *name, char text[64])
{
	char path[512];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "/sys/class/simgpu/%s/tenants", self->name);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)) && entry->d_name[0] == '.')
		;
	if (!folder || !entry)
		return -ENOENT;
	snprintf(path, sizeof(path), "/sys/class/simgpu/%s/tenants/%s/%s",
		 self->name, entry->d_name, name);
	closedir(folder);
	return read_text(path, text, 64);
}

static int run_masked(FIXTURE_DATA(large) *self, uint32_t sm)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = self->handle, .repeats = 1,
		.flags = SIMGPU_LAUNCH_MASKED,
	};
	int ret;

	if (sm / 64 < SIMGPU_MASK_WORDS)
		cmd.sm_mask[sm / 64] = 3ULL << sm % 64;
	else
		cmd.sm_mask_more[sm / 64 - SIMGPU_MASK_WORDS] = 3ULL << sm % 64;
	ret = call(self->fd, SIMGPU_IOC_LAUNCH, &cmd);
	return ret ?: wait_launch(self->fd, cmd.sequence, PATIENCE_NS);
}

TEST_F_TIMEOUT(large, masks_reach_the_last_sm, 120)
{
	char text[64], expected[64];

	EXPECT_EQ(0, mask_to(self->fd, 0, variant->sms - 1));
	/* Files show what was published last. */
	EXPECT_EQ(0, run_masked(self, variant->sms - 2));
	EXPECT_EQ(0, tenant_file(self, "sm_mask", text));
	snprintf(expected, sizeof(expected), "0-%u", variant->sms - 1);
	EXPECT_STREQ(expected, text);
	EXPECT_EQ(0, mask_to(self->fd, variant->sms - 4, variant->sms - 1));
	EXPECT_EQ(0, run_masked(self, variant->sms - 2));
	EXPECT_EQ(0, tenant_file(self, "sm_mask", text));
	snprintf(expected, sizeof(expected), "%u-%u", variant->sms - 4,
		 variant->sms - 1);
	EXPECT_STREQ(expected, text);
	if (variant->sms < 512) {
		EXPECT_EQ(-EINVAL, mask_to(self->fd, variant->sms, variant->sms + 1));
		EXPECT_EQ(-EINVAL, run_masked(self, variant->sms));
	}
	/* None of these is the tenant's. */
	EXPECT_EQ(-EINVAL, run_masked(self, 0));
}

TEST_F_TIMEOUT(large, reports_name_all_sms, 120)
{
	struct simgpu_report report = { .size = sizeof(report) };
	const struct simgpu_tenant_report *figures = &report.report;
	uint32_t last = variant->sms - 1, count = 0, i;
	uint64_t sequence;
	char text[64], expected[64];

	ASSERT_EQ(0, launch(self->fd, self->handle, FOR_EVER, &sequence));
	do {
		ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_REPORT, &report));
	} while (!figures->sms);
	EXPECT_EQ(variant->sms, figures->sms);
	for (i = 0; i < SIMGPU_SM_WORDS; i++)
		count += __builtin_popcountll(figures->own_sms[i]);
	for (i = 0; i < SIMGPU_SM_MORE_WORDS; i++)
		count += __builtin_popcountll(figures->own_sms_more[i]);
	EXPECT_EQ(variant->sms, count);
	EXPECT_EQ(1, figures->own_sms_more[last / 64 - SIMGPU_SM_WORDS] >> last % 64 & 1);
	EXPECT_EQ(0, tenant_file(self, "sm_list", text));
	snprintf(expected, sizeof(expected), "0-%u", last);
	EXPECT_STREQ(expected, text);
}

TEST_HARNESS_MAIN

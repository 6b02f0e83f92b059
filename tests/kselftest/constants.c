// SPDX-License-Identifier: GPL-2.0
/*
 * Constants of a model: written in parts of a page and read back through sysfs, and
 * given to a gang; what is not for the model in force is refused, with a reason,
 * and changes nothing.
 */
#include <sys/stat.h>

#include "calls.h"
#include "harness.h"
#include "modules.h"

#define CONSTANTS	SYSFS "model_constants"
#define MAGIC		0x43474953U
#define PAYLOAD		10000

/* As include/simgpu/model.h has it. */
struct blob {
	uint32_t magic;
	uint32_t version;
	uint32_t length;
	uint32_t checksum;
	char model[32];
	char config[32];
	uint32_t payload[PAYLOAD / 4];
};

static uint32_t crc32_of(const void *bytes, size_t count)
{
	const unsigned char *byte = bytes;
	uint32_t crc = 0xffffffffU;
	int bit;

	while (count--) {
		crc ^= *byte++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return ~crc;
}

static void build_blob(struct blob *blob, uint32_t np_ppm)
{
	size_t i;

	*blob = (struct blob) {
		.magic = MAGIC, .version = 3, .length = sizeof(*blob),
		.model = "test-constants", .config = "hbm80",
	};
	blob->payload[0] = np_ppm;
	for (i = 1; i < PAYLOAD / 4; i++)
		blob->payload[i] = i * 2654435761U;
	blob->checksum = crc32_of(blob->payload, PAYLOAD);
}

/* As cat does: the kernel takes a page at a time. */
static int write_blob(const void *blob, size_t size)
{
	int fd = open(CONSTANTS, O_WRONLY | O_CLOEXEC), ret = 0;
	size_t done = 0;

	if (fd < 0)
		return -errno;
	while (!ret && done < size) {
		ssize_t count = write(fd, (const char *)blob + done,
				      size - done);

		if (count <= 0)
			ret = count ? -errno : -EIO;
		else
			done += count;
	}
	close(fd);
	return ret;
}

static ssize_t read_blob(void *blob, size_t size)
{
	int fd = open(CONSTANTS, O_RDONLY | O_CLOEXEC);
	ssize_t count = 1, done = 0;

	if (fd < 0)
		return -errno;
	while (count > 0) {
		count = read(fd, (char *)blob + done, size - done);
		if (count > 0)
			done += count;
	}
	close(fd);
	return count < 0 ? -errno : done;
}

FIXTURE(constants)
{
	struct blob blob;
	struct blob found;
	int fd;
	struct built_trace trace;
	uint32_t handle;
};

FIXTURE_SETUP(constants)
{
	ASSERT_EQ(0, load("simgpu_test_params"));
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	ASSERT_EQ(0, write_text(SYSFS "model", "test-constants"));
	build_blob(&self->blob, 625000);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	build_compute(&self->trace, 800, 1000);
	ASSERT_EQ(0, upload(self->fd, &self->trace, &self->handle));
}

FIXTURE_TEARDOWN(constants)
{
	uint64_t sequence = 0;

	write_text(SYSFS "model", "hsm");
	/* A cold session: a gang's held its model. */
	EXPECT_EQ(0, launch(self->fd, self->handle, 1, &sequence));
	EXPECT_EQ(0, wait_launch(self->fd, sequence, PATIENCE_NS));
	close(self->fd);
	EXPECT_EQ(0, unload("simgpu_test_params"));
}

TEST_F(constants, written_in_parts)
{
	struct stat status;

	EXPECT_EQ(0, read_blob(&self->found, sizeof(self->found)));
	ASSERT_EQ(0, write_blob(&self->blob, sizeof(self->blob)));
	EXPECT_EQ(sizeof(self->blob),
		  read_blob(&self->found, sizeof(self->found)));
	EXPECT_EQ(0, memcmp(&self->blob, &self->found, sizeof(self->blob)));
	ASSERT_EQ(0, stat(CONSTANTS, &status));
	EXPECT_EQ(0600, status.st_mode & 0777);
	/* Another model has none of its own. */
	ASSERT_EQ(0, write_text(SYSFS "model", "hsm"));
	EXPECT_EQ(0, read_blob(&self->found, sizeof(self->found)));
	ASSERT_EQ(0, write_text(SYSFS "model", "test-constants"));
	EXPECT_EQ(0, read_blob(&self->found, sizeof(self->found)));
}

/* What was begun is forgotten when it begins anew; nothing may be left out. */
TEST_F(constants, begun_anew)
{
	const char *bytes = (const char *)&self->blob;
	int fd = open(CONSTANTS, O_WRONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	EXPECT_EQ(50, pwrite(fd, bytes, 50, 0));
	EXPECT_EQ(4096, pwrite(fd, bytes, 4096, 0));
	EXPECT_EQ(-1, pwrite(fd, bytes + 8192, 1888, 8192));
	EXPECT_EQ(EINVAL, errno);
	/* It has to begin anew after that. */
	EXPECT_EQ(-1, pwrite(fd, bytes + 4096, 4096, 4096));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, read_blob(&self->found, sizeof(self->found)));
	EXPECT_EQ(4096, pwrite(fd, bytes, 4096, 0));
	EXPECT_EQ(4096, pwrite(fd, bytes + 4096, 4096, 4096));
	EXPECT_EQ(0, read_blob(&self->found, sizeof(self->found)));
	EXPECT_EQ(1888, pwrite(fd, bytes + 8192, 1888, 8192));
	close(fd);
	EXPECT_EQ(sizeof(self->blob),
		  read_blob(&self->found, sizeof(self->found)));
}

/* One thing is wrong with each. */
FIXTURE(refused)
{
	struct blob good;
	struct blob bad;
	struct blob found;
};

FIXTURE_VARIANT(refused)
{
	size_t offset;
	uint32_t value;
	const char *text;
	const char *reason;
};

FIXTURE_VARIANT_ADD(refused, magic)
{
	.offset = offsetof(struct blob, magic), .value = 1,
	.reason = "constants: magic: they do not begin as constants do (cycle ",
};

FIXTURE_VARIANT_ADD(refused, version)
{
	.offset = offsetof(struct blob, version), .value = 4,
	.reason = "constants: version: they are of another version than the model's (cycle ",
};

FIXTURE_VARIANT_ADD(refused, too_short)
{
	.offset = offsetof(struct blob, length), .value = 9000,
	.reason = "constants: length: they have another length than their header says (cycle ",
};

FIXTURE_VARIANT_ADD(refused, too_long)
{
	.offset = offsetof(struct blob, length), .value = 61441,
	.reason = "constants: length: they have another length than their header says (cycle ",
};

FIXTURE_VARIANT_ADD(refused, checksum)
{
	.offset = offsetof(struct blob, payload), .value = 1,
	.reason = "constants: checksum: their checksum is wrong (cycle ",
};

FIXTURE_VARIANT_ADD(refused, model)
{
	.offset = offsetof(struct blob, model), .text = "hsm",
	.reason = "constants: model: they are of another model than the one in force (cycle ",
};

FIXTURE_VARIANT_ADD(refused, config)
{
	.offset = offsetof(struct blob, config), .text = "gtx480",
	.reason = "constants: config: they were trained on another configuration (cycle ",
};

FIXTURE_SETUP(refused)
{
	char *field;

	ASSERT_EQ(0, load("simgpu_test_params"));
	ASSERT_EQ(0, write_text(SYSFS "model", "test-constants"));
	build_blob(&self->good, 625000);
	ASSERT_EQ(0, write_blob(&self->good, sizeof(self->good)));
	build_blob(&self->bad, 375000);
	field = (char *)&self->bad + variant->offset;
	if (variant->text)
		strncpy(field, variant->text, 32);
	else
		memcpy(field, &variant->value, sizeof(variant->value));
}

FIXTURE_TEARDOWN(refused)
{
	write_text(SYSFS "model", "hsm");
	EXPECT_EQ(0, unload("simgpu_test_params"));
}

TEST_F(refused, changes_nothing)
{
	char text[512];

	EXPECT_EQ(-EINVAL, write_blob(&self->bad, sizeof(self->bad)));
	ASSERT_EQ(0, read_text(SYSFS "last_refusal", text, sizeof(text)));
	EXPECT_TRUE(starts_with(text, variant->reason)) {
		TH_LOG("last_refusal: %s", text);
	}
	EXPECT_EQ(sizeof(self->good),
		  read_blob(&self->found, sizeof(self->found)));
	EXPECT_EQ(0, memcmp(&self->good, &self->found, sizeof(self->good)));
}

/* Runs a gang of one; returns its predicted NP, or a negative errno. */
static long long run_gang(int fd, uint32_t handle,
			  struct simgpu_gang_create *create)
{
	struct full_report report;
	uint64_t sequence;
	int ret;

	create->size = sizeof(*create);
	create->members = 1;
	create->epoch_cycles = 10000;
	create->stop_cycle = 30000;
	create->flags = SIMGPU_GANG_RELAUNCH;
	ret = call(fd, SIMGPU_IOC_GANG_CREATE, create);
	if (ret)
		return ret;
	ret = gang_join(fd, create->fd, 0);
	ret = ret ?: launch(fd, handle, 1, &sequence);
	ret = ret ?: wait_launch(fd, sequence, PATIENCE_NS);
	ret = ret ?: gang_report(create->fd, 0, &report);
	return ret ?: (long long)report.figures.np_ppm;
}

TEST_F(constants, of_a_gang)
{
	struct simgpu_gang_create create = { .size = 0 };
	char journal[8192], line[64];

	/* None, then the device's, then its own. */
	EXPECT_EQ(250000, run_gang(self->fd, self->handle, &create));
	close(create.fd);
	ASSERT_EQ(0, write_blob(&self->blob, sizeof(self->blob)));
	EXPECT_EQ(625000, run_gang(self->fd, self->handle, &create));
	close(create.fd);
	build_blob(&self->found, 375000);
	create.constants = (uintptr_t)&self->found;
	create.constants_bytes = sizeof(self->found);
	EXPECT_EQ(375000, run_gang(self->fd, self->handle, &create));
	ASSERT_EQ(0, read_text(DEBUGFS "journal", journal, sizeof(journal)));
	snprintf(line, sizeof(line), " constants=0x%08x ",
		 crc32_of(&self->found, sizeof(self->found)));
	EXPECT_NE(NULL, strstr(journal, line)) {
		TH_LOG("%s", line);
	}
	close(create.fd);
	/* The device's own are as they were. */
	create.constants = 0;
	create.constants_bytes = 0;
	EXPECT_EQ(625000, run_gang(self->fd, self->handle, &create));
	close(create.fd);
}

TEST_F(constants, bad_ones_of_a_gang)
{
	struct simgpu_gang_create create = {
		.constants = (uintptr_t)&self->blob,
		.constants_bytes = sizeof(self->blob) - 4,
	};
	char text[512];

	EXPECT_EQ(-EINVAL, run_gang(self->fd, self->handle, &create));
	ASSERT_EQ(0, read_text(SYSFS "last_refusal", text, sizeof(text)));
	EXPECT_TRUE(starts_with(text, "constants: length: "));
	create.constants_bytes = 0;
	EXPECT_EQ(-EINVAL, run_gang(self->fd, self->handle, &create));
	create.constants_bytes = 61441;
	EXPECT_EQ(-EINVAL, run_gang(self->fd, self->handle, &create));
	create.constants = 8;
	create.constants_bytes = sizeof(self->blob);
	EXPECT_EQ(-EFAULT, run_gang(self->fd, self->handle, &create));
	EXPECT_EQ(0, read_blob(&self->found, sizeof(self->found)));
}

TEST_HARNESS_MAIN

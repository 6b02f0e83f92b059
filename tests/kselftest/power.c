// SPDX-License-Identifier: GPL-2.0
/*
 * Clock of the SMs and power cap of a live device: written in sysfs while it runs, seen there,
 * refused where they make no sense; and the same from a gang.
 */
#include "calls.h"
#include "harness.h"
#include "patience.h"
#include "trace_builder.h"

FIXTURE(power)
{
	int fd;
};

static int device_write(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "%s", file);
	return write_text(path, text);
}

static double device_number(const char *file)
{
	char path[128], text[64];

	snprintf(path, sizeof(path), SYSFS "%s", file);
	return read_text(path, text, sizeof(text)) ? -1 : strtod(text, NULL);
}

FIXTURE_SETUP(power)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(power)
{
	close(self->fd);
	EXPECT_EQ(0, device_write("clock_limit", "0"));
	EXPECT_EQ(0, device_write("power_cap", "0"));
	EXPECT_EQ(0, device_write("power_window", "0"));
}

/* Whether a figure of the device comes to a value. */
static int comes_to(const char *file, double value)
{
	int tries;

	for (tries = 0; tries < 1000 * patience(); tries++) {
		if (device_number(file) == value)
			return 1;
		sleep_ms(20);
	}
	return 0;
}

TEST_F(power, ranges)
{
	static const struct {
		const char *file, *most, *above;
	} ranges[] = {
		{ "clock_limit", "10000", "10001" },
		{ "power_cap", "100000", "100001" },
		{ "power_window", "1000000000", "1000000001" },
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, device_number(ranges[i].file));
		EXPECT_EQ(0, device_write(ranges[i].file, ranges[i].most));
		EXPECT_EQ(strtod(ranges[i].most, NULL), device_number(ranges[i].file));
		EXPECT_EQ(-EINVAL, device_write(ranges[i].file, ranges[i].above));
		EXPECT_EQ(-EINVAL, device_write(ranges[i].file, "-1"));
		EXPECT_EQ(0, device_write(ranges[i].file, "0"));
	}
	EXPECT_EQ(1400, device_number("sm_clock_mhz"));
}

TEST_F_TIMEOUT(power, knobs_while_it_runs, 120)
{
	struct built_trace trace;
	double changes, watts;
	uint32_t handle;

	build_compute(&trace, 800, 100);
	ASSERT_EQ(0, upload(self->fd, &trace, &handle));
	ASSERT_EQ(0, launch(self->fd, handle, UINT64_MAX, NULL));
	changes = device_number("clock_changes");
	/* The greatest clock that is not above. */
	ASSERT_EQ(0, device_write("clock_limit", "700"));
	EXPECT_EQ(1, comes_to("sm_clock_mhz", 680));
	EXPECT_EQ(0, device_write("clock_limit", "0"));
	EXPECT_EQ(1, comes_to("sm_clock_mhz", 1400));
	EXPECT_LE(changes + 2, device_number("clock_changes"));
	/* A cap that cannot be kept ends at the lowest clock, window by window. */
	ASSERT_EQ(0, device_write("power_window", "10000"));
	ASSERT_EQ(0, device_write("power_cap", "1"));
	EXPECT_EQ(1, comes_to("sm_clock_mhz", 200));
	/* 75 W of static power at 0.7 of the highest voltage, and some more. */
	watts = device_number("power_watts");
	EXPECT_LT(50, watts);
	EXPECT_EQ(0, device_write("power_cap", "0"));
	EXPECT_EQ(1, comes_to("sm_clock_mhz", 1400));
}

/* A gang names its own; a GPU without clocks to choose from has none. */
TEST_F(power, gangs)
{
	struct simgpu_gang_create cmd = {
		.size = sizeof(cmd), .members = 1, .config = "hbm80",
		.clock_limit = SIMGPU_CLOCK_MAX + 1,
	};

	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
	cmd.clock_limit = 0;
	cmd.power_cap = SIMGPU_POWER_CAP_MAX + 1;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
	cmd.power_cap = 1;
	strcpy(cmd.config, "fg16");
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
	cmd.power_cap = 0;
	cmd.clock_limit = 1000;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
	strcpy(cmd.config, "hbm80");
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
	EXPECT_EQ(920, device_number("sm_clock_mhz"));
	EXPECT_EQ(1000, device_number("clock_limit"));
	close(cmd.fd);
	EXPECT_EQ(0, device_number("clock_limit"));
}

TEST_HARNESS_MAIN

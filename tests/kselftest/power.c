// SPDX-License-Identifier: GPL-2.0
/*
 * Clock of the SMs and power cap of a live device: written in sysfs while it runs, seen there,
 * refused where they make no sense; the same from a gang; and figures and cap as the
 * kernel's sensors (hwmon), where it has them.
 */
#include <sys/stat.h>

#include "calls.h"
#include "harness.h"
#include "made_device.h"
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

/* --- sensors ------------------------------------------------------------------------------ */

#define HWMON		"/sys/class/hwmon"
#define UW_PER_WATT	1000000LL

/* The folder of a device's sensors */
static bool find_sensors(const char *device, char *path, size_t bytes)
{
	const struct dirent *entry;
	char folder[128];
	bool found = false;
	DIR *files;

	snprintf(folder, sizeof(folder), "/sys/class/simgpu/%s", device);
	files = opendir(folder);
	while (files && !found && (entry = readdir(files))) {
		found = starts_with(entry->d_name, "hwmon");
		snprintf(path, bytes, "%s/%s/", folder, entry->d_name);
	}
	if (files)
		closedir(files);
	return found;
}

FIXTURE(sensors)
{
	char folder[400];
	char path[500];
};

FIXTURE_SETUP(sensors)
{
	if (access(HWMON, F_OK))
		SKIP(return, "the kernel has no hwmon");
	ASSERT_TRUE(find_sensors("simgpu0", self->folder, sizeof(self->folder)));
}

FIXTURE_TEARDOWN(sensors)
{
	EXPECT_EQ(0, device_write("power_cap", "0"));
}

static const char *sensor_path(FIXTURE_DATA(sensors) *self, const char *file)
{
	snprintf(self->path, sizeof(self->path), "%s%s", self->folder, file);
	return self->path;
}

static long long sensor(FIXTURE_DATA(sensors) *self, const char *file)
{
	return read_number(sensor_path(self, file));
}

/* A figure of the device in millionths, of which its file has all digits. */
static long long millionths(const char *file)
{
	return (long long)(device_number(file) * 1e6 + 0.5);
}

/* What an idle device says in its own files is the same in other units. */
TEST_F(sensors, figures_are_the_same)
{
	struct built_trace trace;
	char name[64];
	uint32_t handle;
	uint64_t sequence;
	int fd = open_device();

	ASSERT_LE(0, fd);
	build_compute(&trace, 160, 100);
	ASSERT_EQ(0, upload(fd, &trace, &handle));
	ASSERT_EQ(0, launch(fd, handle, 1, &sequence));
	ASSERT_EQ(0, wait_launch(fd, sequence, PATIENCE_NS));
	close(fd);
	ASSERT_EQ(0, read_text(sensor_path(self, "name"), name, sizeof(name)));
	EXPECT_STREQ("simgpu", name);
	EXPECT_LT(0, sensor(self, "energy1_input"));
	EXPECT_EQ(millionths("energy_joules"), sensor(self, "energy1_input"));
	EXPECT_LT(0, sensor(self, "power1_average"));
	EXPECT_EQ(millionths("power_watts"), sensor(self, "power1_average"));
	EXPECT_EQ(1400000000, sensor(self, "freq1_input"));
	EXPECT_EQ(100000 * UW_PER_WATT, sensor(self, "power1_cap_max"));
}

/* Whole watts; 0 is none, which less than a watt is not. */
TEST_F(sensors, the_cap_is_the_device_s)
{
	const char *cap;

	EXPECT_EQ(0, sensor(self, "power1_cap"));
	cap = sensor_path(self, "power1_cap");
	ASSERT_EQ(0, write_text(cap, "250999999"));
	EXPECT_EQ(250, device_number("power_cap"));
	EXPECT_EQ(250 * UW_PER_WATT, sensor(self, "power1_cap"));
	EXPECT_EQ(-EINVAL, write_text(cap, "999999"));
	EXPECT_EQ(-EINVAL, write_text(cap, "-1000000"));
	EXPECT_EQ(-EINVAL, write_text(cap, "100001000000"));
	EXPECT_EQ(-EINVAL, write_text(cap, "a lot"));
	EXPECT_EQ(250, device_number("power_cap"));
	ASSERT_EQ(0, device_write("power_cap", "300"));
	EXPECT_EQ(300 * UW_PER_WATT, sensor(self, "power1_cap"));
	ASSERT_EQ(0, write_text(cap, "0"));
	EXPECT_EQ(0, device_number("power_cap"));
}

/* Like the device's own files of the same. */
TEST_F(sensors, have_the_modes_of_the_device_s_files)
{
	static const char *const pairs[][2] = {
		{ "power1_average", "power_watts" }, { "energy1_input", "energy_joules" },
		{ "freq1_input", "sm_clock_mhz" }, { "power1_cap", "power_cap" },
	};
	struct stat sensor, own;
	unsigned int i;
	char path[128];

	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), SYSFS "%s", pairs[i][1]);
		ASSERT_EQ(0, stat(path, &own));
		ASSERT_EQ(0, stat(sensor_path(self, pairs[i][0]), &sensor));
		EXPECT_EQ(own.st_mode, sensor.st_mode);
	}
}

/* Sensors come and go with their device, also while a file of them is open. */
TEST_F(sensors, go_with_the_device)
{
	struct made_device made;
	char folder[400], byte;
	int fd;

	ASSERT_EQ(0, make_device(&made, "sensors",
				 "base = hbm80\nname = sensors\nsms = 4\n"));
	EXPECT_TRUE(find_sensors(made.name, folder, sizeof(folder)));
	snprintf(self->path, sizeof(self->path), "%sfreq1_input", folder);
	fd = open(self->path, O_RDONLY | O_CLOEXEC);
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, remove_device(&made));
	EXPECT_EQ(-1, read(fd, &byte, 1));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_NE(0, access(folder, F_OK));
	close(fd);
}

TEST_HARNESS_MAIN

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls that the tests make, with 0 or a negative errno as the result, and
 * readers of the device's files. No expectations here.
 */
#ifndef CALLS_H
#define CALLS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/simgpu.h>

#include "patience.h"
#include "trace_builder.h"

#define DEVICE		"/dev/simgpu0"
#define SYSFS		"/sys/class/simgpu/simgpu0/"
#define CONFIGFS	"/sys/kernel/config/simgpu/"
#define DEBUGFS		"/sys/kernel/debug/simgpu/simgpu0/"

/* Longer than any of these tests' launches takes in an emulated guest. */
#define PATIENCE_NS	(60 * 1000000000LL * patience())
/* Repeats of a launch that does not end while a test runs. */
#define FOR_EVER	1000000000ULL

static inline int call(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

static inline int open_device(void)
{
	return open(DEVICE, O_RDWR | O_CLOEXEC);
}

static inline int upload_bytes(int fd, const void *bytes, size_t size,
			       uint32_t *handle,
			       struct simgpu_trace_refusal *refusal)
{
	struct simgpu_trace_upload cmd = {
		.size = sizeof(cmd),
		.data = (uintptr_t)bytes,
		.bytes = size,
		.refusal = (uintptr_t)refusal,
	};
	int ret = call(fd, SIMGPU_IOC_TRACE_UPLOAD, &cmd);

	if (!ret && handle)
		*handle = cmd.handle;
	return ret;
}

static inline int upload(int fd, const struct built_trace *trace,
			 uint32_t *handle)
{
	return upload_bytes(fd, trace->bytes, trace->size, handle, NULL);
}

static inline int trace_remove(int fd, uint32_t handle)
{
	struct simgpu_trace_remove cmd = {
		.size = sizeof(cmd), .handle = handle,
	};

	return call(fd, SIMGPU_IOC_TRACE_REMOVE, &cmd);
}

static inline int launch(int fd, uint32_t handle, uint64_t repeats,
			 uint64_t *sequence)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = handle, .repeats = repeats,
	};
	int ret = call(fd, SIMGPU_IOC_LAUNCH, &cmd);

	if (!ret && sequence)
		*sequence = cmd.sequence;
	return ret;
}

static inline int wait_launch(int fd, uint64_t sequence, int64_t timeout_ns)
{
	struct simgpu_wait cmd = {
		.size = sizeof(cmd), .sequence = sequence,
		.timeout_ns = timeout_ns,
	};

	return call(fd, SIMGPU_IOC_WAIT, &cmd);
}

static inline int set_tenant(int fd, const char *name, uint32_t service,
			     uint32_t weight, uint64_t target_ppm)
{
	struct simgpu_tenant_config cmd = {
		.size = sizeof(cmd), .service = service, .weight = weight,
		.target_ppm = target_ppm,
	};

	snprintf(cmd.name, sizeof(cmd.name), "%s", name);
	return call(fd, SIMGPU_IOC_TENANT_CONFIG, &cmd);
}

static inline int gang_join(int fd, int gang, uint32_t slot)
{
	struct simgpu_gang_join cmd = {
		.size = sizeof(cmd), .gang_fd = gang, .slot = slot,
	};

	return call(fd, SIMGPU_IOC_GANG_JOIN, &cmd);
}

static inline int gang_status(int gang, struct simgpu_gang_status *status)
{
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	return call(gang, SIMGPU_IOC_GANG_STATUS, status);
}

/* A tenant's figures, and its counters as far as they have names. */
struct full_report {
	struct simgpu_tenant_report figures;
	uint64_t counters[SIMGPU_COUNTER_COUNT] __attribute__((aligned(8)));
};

/* A counter by its name, of what has @counters. */
#define COUNT(_full, _name)	((_full).counters[SIMGPU_COUNTER_##_name])

static inline struct simgpu_counter_array all_counters(uint64_t *words)
{
	return (struct simgpu_counter_array) {
		.count = SIMGPU_COUNTER_COUNT,
		.stride = sizeof(*words),
		.array = (uintptr_t)words,
	};
}

static inline int tenant_report(int fd, struct full_report *report)
{
	struct simgpu_report cmd = {
		.size = sizeof(cmd),
		.counters = all_counters(report->counters),
	};
	int ret = call(fd, SIMGPU_IOC_REPORT, &cmd);

	report->figures = cmd.report;
	return ret;
}

static inline int gang_report(int gang, uint32_t slot,
			      struct full_report *report)
{
	struct simgpu_gang_report cmd = {
		.size = sizeof(cmd), .slot = slot,
		.counters = all_counters(report->counters),
	};
	int ret = call(gang, SIMGPU_IOC_GANG_REPORT, &cmd);

	report->figures = cmd.report;
	return ret;
}

/* An epoch record of a kernel that is as old as the tests. */
struct full_record {
	struct simgpu_epoch_record head;
	uint64_t counters[SIMGPU_COUNTER_COUNT];
};

/* A file's text without its newline; a negative errno if it cannot be read. */
static inline int read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count, length = 0;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	/* Long files of debugfs come in pieces. */
	while ((count = read(fd, text + length, size - 1 - length)) > 0)
		length += count;
	if (count < 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	close(fd);
	if (length && text[length - 1] == '\n')
		length--;
	text[length] = '\0';
	return 0;
}

static inline int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

#define TRACING		"/sys/kernel/tracing/"

/* Empty the buffer of events: those of other tests are not ours. */
static inline int forget_events(void)
{
	int fd = open(TRACING "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static inline long long read_number(const char *path)
{
	char text[64];

	if (read_text(path, text, sizeof(text)))
		return -1;
	return strtoll(text, NULL, 10);
}

/*
 * A killed process lets go of its files a moment after it was waited for, so
 * waits a while for the gauge to come to @expected.
 */
static inline long long read_bytes_held(long long expected)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	long long held = -1;
	int tries;

	for (tries = 0; tries < 500; tries++) {
		held = read_number(SYSFS "bytes_held");
		if (held == expected)
			break;
		nanosleep(&moment, NULL);
	}
	return held;
}

static inline bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static inline void sleep_ms(unsigned int milliseconds)
{
	const struct timespec time = {
		.tv_sec = milliseconds / 1000,
		.tv_nsec = milliseconds % 1000 * 1000000L,
	};

	nanosleep(&time, NULL);
}

static inline double seconds_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

/* A kernel thread by its name; 0 if it is not found. */
static inline pid_t process_named(const char *name)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	char path[300], text[64];
	pid_t found = 0;

	while (processes && !found && (entry = readdir(processes))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (!read_text(path, text, sizeof(text)) &&
		    !strcmp(text, name))
			found = atoi(entry->d_name);
	}
	if (processes)
		closedir(processes);
	return found;
}

/* The number in sysfs of the tenant that was opened last; 0 if there is none. */
static inline unsigned long newest_tenant(void)
{
	DIR *directory = opendir(SYSFS "tenants");
	const struct dirent *entry;
	unsigned long newest = 0;

	if (!directory)
		return 0;
	while ((entry = readdir(directory))) {
		unsigned long id = strtoul(entry->d_name, NULL, 10);

		if (id > newest)
			newest = id;
	}
	closedir(directory);
	return newest;
}

#endif /* CALLS_H */

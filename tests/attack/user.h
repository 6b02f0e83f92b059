/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests that are an unprivileged user and the administrator by turns: what is
 * done between as_user() and as_root() is done as user 1000, of the device's group
 * and without any capability.
 */
#ifndef USER_H
#define USER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest/calls.h"

#define USER	1000

static inline void as_user(void)
{
	struct stat node;

	if (stat(DEVICE, &node) || setgroups(0, NULL) ||
	    setresgid(node.st_gid, node.st_gid, 0) ||
	    setresuid(USER, USER, 0)) {
		perror("as user");
		exit(1);
	}
	/* Not so with root's as the saved one, which counts for nothing else. */
	prctl(PR_SET_DUMPABLE, 1);
}

/* As as_user(), but with one capability. */
static inline void as_user_with(unsigned int capability)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	as_user();
	if (syscall(SYS_capget, &header, data)) {
		perror("capabilities");
		exit(1);
	}
	data[0].effective = 0;
	data[1].effective = 0;
	data[capability / 32].effective = 1U << capability % 32;
	if (syscall(SYS_capset, &header, data)) {
		perror("a capability");
		exit(1);
	}
}

static inline void as_root(void)
{
	if (setresuid(0, 0, 0) || setresgid(0, 0, 0)) {
		perror("as root");
		exit(1);
	}
}

/* Where the administrator decides who makes gangs: everybody, for this. */
static inline void let_users_make_gangs(void)
{
	write_text(SYSFS "gang_makers", "everybody");
}

/* The device's worker; 0 if it is not found. */
static inline pid_t worker_pid(void)
{
	return process_named("simgpu0");
}

/* A number of /proc/PID/stat, counted from 3, as proc(5) does; -1. */
static inline long long stat_field(pid_t pid, int field)
{
	char path[64], text[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (read_text(path, text, sizeof(text)))
		return -1;
	at = strrchr(text, ')');
	while (at && field-- > 2)
		at = strchr(at + 1, ' ');
	return at ? strtoll(at, NULL, 10) : -1;
}

/* Processor time that a process has used, in seconds. */
static inline double used_seconds(pid_t pid)
{
	return (stat_field(pid, 14) + stat_field(pid, 15)) /
	       (double)sysconf(_SC_CLK_TCK);
}

/* Processor time that getrusage() has counted, in seconds, to the microsecond. */
static inline double used_by(const struct rusage *usage)
{
	return usage->ru_utime.tv_sec + usage->ru_stime.tv_sec +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static inline double used_by_me(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return used_by(&usage);
}

#endif /* USER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An attacker: a process of user 1000 with no capability, on a module that was
 * loaded as it is by default. Including this makes a test program one before its
 * first test. What an administrator or another user does meanwhile is done by a
 * child of the program that has stayed root and is asked over a socket.
 */
#ifndef ATTACK_H
#define ATTACK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../kselftest/modules.h"

#define ATTACKER	1000
/* Users of other tenants: this one and those after it. */
#define NEIGHBOUR	2000

#define PARAMETERS	"/sys/module/simgpu/parameters/"

/* What root is asked to do. */
enum attack_verb {
	ROOT_WRITES,		/* @text to @path */
	ROOT_READS,		/* @path; the answer's @text */
	ROOT_LOADS,		/* the module @text */
	ROOT_UNLOADS,
	NEIGHBOUR_OPENS,	/* user @uid opens the device; its tenant's number */
	NEIGHBOURS_LAUNCH,	/* all of them, @count repeats */
	NEIGHBOURS_LEAVE,
	NEIGHBOUR_SENDS,	/* @text, @count bytes, as user @uid, on an fd */
	ROOT_MOVES,		/* the process @count to the cgroup @path */
	ROOT_MAKES_GROUP,	/* the cgroup @path, with memory.max @text if that is not "" */
	ROOT_REMOVES_GROUP,
	ROOT_FILLS_GROUP,	/* the cgroup @path has room for @count bytes more */
};

struct attack_request {
	enum attack_verb verb;
	uid_t uid;
	uint64_t count;
	char path[256];
	char text[1024];
};

struct attack_answer {
	long result;
	char text[256];
};

static int attack_socket = -1;

/* --- root's side --- */

#define NEIGHBOURS_MAX	16

struct attack_root {
	int fds[NEIGHBOURS_MAX];
	int count;
	struct built_trace trace;
};

static long root_opens(struct attack_root *root, uid_t uid)
{
	int fd;

	if (root->count == NEIGHBOURS_MAX)
		return -EMFILE;
	/* The device's group is the attacker's, and all users' of it. */
	setfsgid(ATTACKER);
	setfsuid(uid);
	fd = open_device();
	setfsuid(0);
	setfsgid(0);
	if (fd < 0)
		return -errno;
	root->fds[root->count++] = fd;
	return newest_tenant();
}

static long root_launches(struct attack_root *root, uint64_t repeats)
{
	uint32_t handle;
	int i, ret = 0;

	for (i = 0; i < root->count && !ret; i++) {
		ret = upload(root->fds[i], &root->trace, &handle);
		ret = ret ?: launch(root->fds[i], handle, repeats, NULL);
	}
	return ret;
}

/* A program of another user that writes to what it was given as its output. */
static long root_sends(const struct attack_request *request, int fd)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		if (setgid(request->uid) || setuid(request->uid))
			_exit(255);
		if (send(fd, request->text, request->count, 0) < 0)
			_exit(errno);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static long root_makes_group(const struct attack_request *request)
{
	char path[300];

	if (access("/sys/fs/cgroup/cgroup.procs", F_OK))
		return -ENOENT;
	if (mkdir(request->path, 0755) && errno != EEXIST)
		return -errno;
	if (!request->text[0])
		return 0;
	write_text("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	snprintf(path, sizeof(path), "%s/memory.max", request->path);
	return write_text(path, request->text);
}

static int group_writes(const char *group, const char *name, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", group, name);
	return write_text(path, text);
}

/* What a group is charged for, once no processor has charged anything ahead. */
static long long group_takes(const char *group)
{
	long long before, now = -1;
	char path[300];
	int tries = 0;

	/* A limit that is exceeded has that given back, and kills nobody. */
	if (group_writes(group, "memory.high", "0"))
		return -1;
	snprintf(path, sizeof(path), "%s/memory.current", group);
	do {
		before = now;
		sleep_ms(5);
		now = read_number(path);
	} while (now != before && ++tries < 100);
	return now;
}

static long root_fills_group(const struct attack_request *request)
{
	long long now = group_takes(request->path);
	char text[24];

	if (now < 0)
		return -EIO;
	snprintf(text, sizeof(text), "%lld", now + (long long)request->count);
	return group_writes(request->path, "memory.max", text) ?:
	       group_writes(request->path, "memory.high", "max");
}

static long root_moves(const struct attack_request *request)
{
	char path[300], text[24];

	snprintf(path, sizeof(path), "%s/cgroup.procs", request->path);
	snprintf(text, sizeof(text), "%llu",
		 (unsigned long long)request->count);
	return write_text(path, text);
}

static long root_does(struct attack_root *root,
		      const struct attack_request *request, int fd, char *text)
{
	switch (request->verb) {
	case ROOT_WRITES:
		return write_text(request->path, request->text);
	case ROOT_READS:
		return read_text(request->path, text,
				 sizeof(((struct attack_answer *)0)->text));
	case ROOT_LOADS:
		return load(request->text);
	case ROOT_UNLOADS:
		return unload(request->text);
	case NEIGHBOUR_OPENS:
		return root_opens(root, request->uid);
	case NEIGHBOURS_LAUNCH:
		return root_launches(root, request->count);
	case NEIGHBOURS_LEAVE:
		while (root->count)
			close(root->fds[--root->count]);
		return 0;
	case NEIGHBOUR_SENDS:
		return root_sends(request, fd);
	case ROOT_MAKES_GROUP:
		return root_makes_group(request);
	case ROOT_REMOVES_GROUP:
		return rmdir(request->path) ? -errno : 0;
	case ROOT_MOVES:
		return root_moves(request);
	case ROOT_FILLS_GROUP:
		return root_fills_group(request);
	}
	return -EINVAL;
}

/* The file that came with a message, or -1. */
static int received_fd(struct msghdr *message)
{
	const struct cmsghdr *control = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (control && control->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(control), sizeof(fd));
	return fd;
}

static void root_serves(int sock)
{
	static struct attack_root root;
	struct attack_request request;
	char control[CMSG_SPACE(sizeof(int))];

	build_stream(&root.trace, 160, 50);
	for (;;) {
		struct iovec part = { &request, sizeof(request) };
		struct msghdr message = {
			.msg_iov = &part, .msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		struct attack_answer answer = {};
		int fd;

		if (recvmsg(sock, &message, 0) != sizeof(request))
			_exit(0);
		fd = received_fd(&message);
		answer.result = root_does(&root, &request, fd, answer.text);
		if (fd >= 0)
			close(fd);
		send(sock, &answer, sizeof(answer), MSG_NOSIGNAL);
	}
}

/* --- the attacker's side --- */

static void __attribute__((constructor(101))) become_an_attacker(void)
{
	const gid_t group = ATTACKER;
	int sockets[2];

	if (getuid()) {
		fprintf(stderr, "attackers are made by root\n");
		exit(1);
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		exit(1);
	/* As the packages' udev rule does: a group of its own has the device. */
	if (chown(DEVICE, 0, ATTACKER))
		exit(1);
	if (!fork()) {
		close(sockets[0]);
		root_serves(sockets[1]);
	}
	close(sockets[1]);
	attack_socket = sockets[0];
	if (setgroups(1, &group) || setresgid(group, group, group) ||
	    setresuid(ATTACKER, ATTACKER, ATTACKER))
		exit(1);
	/* So that it may read what /proc has of itself. */
	prctl(PR_SET_DUMPABLE, 1);
}

/* Root does it, with @fd if that is one; @text, if not NULL, is what it read. */
static inline long ask_root(struct attack_request *request, int fd, char *text)
{
	char control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec part = { request, sizeof(*request) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct attack_answer answer;
	struct cmsghdr *header;

	if (fd >= 0) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	if (sendmsg(attack_socket, &message, MSG_NOSIGNAL) < 0 ||
	    recv(attack_socket, &answer, sizeof(answer), 0) != sizeof(answer))
		return -EPIPE;
	if (text)
		strcpy(text, answer.text);
	return answer.result;
}

static inline long root_writes(const char *path, const char *text)
{
	struct attack_request request = { .verb = ROOT_WRITES };

	snprintf(request.path, sizeof(request.path), "%s", path);
	snprintf(request.text, sizeof(request.text), "%s", text);
	return ask_root(&request, -1, NULL);
}

/* @text has room for 256 bytes. */
static inline long root_reads(const char *path, char *text)
{
	struct attack_request request = { .verb = ROOT_READS };

	snprintf(request.path, sizeof(request.path), "%s", path);
	return ask_root(&request, -1, text);
}

/* Loads or unloads a module of the tests. */
static inline long root_module(enum attack_verb verb, const char *name)
{
	struct attack_request request = { .verb = verb };

	snprintf(request.text, sizeof(request.text), "%s", name);
	return ask_root(&request, -1, NULL);
}

/* Another user opens the device; its tenant's number. */
static inline long neighbour_opens(uid_t uid)
{
	struct attack_request request = {
		.verb = NEIGHBOUR_OPENS, .uid = uid,
	};

	return ask_root(&request, -1, NULL);
}

static inline long neighbours_launch(uint64_t repeats)
{
	struct attack_request request = {
		.verb = NEIGHBOURS_LAUNCH, .count = repeats,
	};

	return ask_root(&request, -1, NULL);
}

static inline long neighbours_leave(void)
{
	struct attack_request request = { .verb = NEIGHBOURS_LEAVE };

	return ask_root(&request, -1, NULL);
}

static inline long root_group(enum attack_verb verb, const char *path,
			      const char *text)
{
	struct attack_request request = { .verb = verb, .count = getpid() };

	snprintf(request.path, sizeof(request.path), "%s", path);
	snprintf(request.text, sizeof(request.text), "%s", text);
	return ask_root(&request, -1, NULL);
}

static inline long root_fills(const char *group, long long room)
{
	struct attack_request request = {
		.verb = ROOT_FILLS_GROUP, .count = room,
	};

	snprintf(request.path, sizeof(request.path), "%s", group);
	return ask_root(&request, -1, NULL);
}

/* Where it is tried what comes of a gang; if they may not, none comes. */
static inline void let_everybody_make_gangs(void)
{
	root_writes(SYSFS "gang_makers", "everybody");
}

/* A file of a tenant in sysfs. */
static inline const char *tenant_file(unsigned long id, const char *name)
{
	static char path[160];

	snprintf(path, sizeof(path), SYSFS "tenants/%lu/%s", id, name);
	return path;
}

#endif /* ATTACK_H */

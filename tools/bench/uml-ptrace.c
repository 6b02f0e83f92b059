// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into User-mode Linux, which restores the floating-point registers
 * of its processes by ptrace(PTRACE_SETREGSET, NT_X86_XSTATE). On processors
 * with AMX the host refuses a set that is shorter than its own, and Linux 6.12
 * knows only the shorter one; it then panics when its first process starts.
 * This reads the host's whole set, changes the part that was given, and
 * writes all of it back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NT_X86_XSTATE	0x202

/* More than any processor has; User-mode Linux calls from one thread. */
static unsigned char whole_set[65536] __attribute__((aligned(64)));

static long write_registers(pid_t pid, void *type, const struct iovec *part)
{
	struct iovec whole = { whole_set, sizeof(whole_set) };

	if (syscall(SYS_ptrace, PTRACE_GETREGSET, pid, type, &whole) < 0)
		return -1;
	if (whole.iov_len <= part->iov_len)
		return syscall(SYS_ptrace, PTRACE_SETREGSET, pid, type, part);
	memcpy(whole_set, part->iov_base, part->iov_len);
	return syscall(SYS_ptrace, PTRACE_SETREGSET, pid, type, &whole);
}

/* The C library returns the word itself; the system call stores it. */
static long peek(enum __ptrace_request request, pid_t pid, void *address)
{
	long word;

	if (syscall(SYS_ptrace, request, pid, address, &word) < 0)
		return -1;
	errno = 0;
	return word;
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list arguments;
	pid_t pid;
	void *address, *data;

	va_start(arguments, request);
	pid = va_arg(arguments, pid_t);
	address = va_arg(arguments, void *);
	data = va_arg(arguments, void *);
	va_end(arguments);
	switch (request) {
	case PTRACE_PEEKTEXT:
	case PTRACE_PEEKDATA:
	case PTRACE_PEEKUSER:
		return peek(request, pid, address);
	case PTRACE_SETREGSET:
		if ((long)address == NT_X86_XSTATE)
			return write_registers(pid, address, data);
		break;
	default:
		break;
	}
	return syscall(SYS_ptrace, request, pid, address, data);
}

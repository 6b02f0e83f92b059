// SPDX-License-Identifier: LGPL-2.1
/* Gangs: making one, joining it, and reading its status, reports and epochs. */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "simgpu.h"

static int call(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

int simgpu_create_gang(int fd, struct simgpu_gang_create *options)
{
	int ret = call(fd, SIMGPU_IOC_GANG_CREATE, options);

	return ret ? ret : options->fd;
}

int simgpu_join_gang(int fd, int gang, uint32_t slot)
{
	struct simgpu_gang_join join = {
		.size = sizeof(join),
		.gang_fd = gang,
		.slot = slot,
	};

	return call(fd, SIMGPU_IOC_GANG_JOIN, &join);
}

int simgpu_get_gang_status(int gang, struct simgpu_gang_status *status)
{
	return call(gang, SIMGPU_IOC_GANG_STATUS, status);
}

int simgpu_get_gang_report(int gang, struct simgpu_gang_report *report)
{
	return call(gang, SIMGPU_IOC_GANG_REPORT, report);
}

int simgpu_get_gang_refusal(int gang, struct simgpu_gang_refusal *refusal)
{
	return call(gang, SIMGPU_IOC_GANG_REFUSAL, refusal);
}

int simgpu_read_epochs(int gang, void *records, size_t bytes)
{
	ssize_t got = read(gang, records, bytes);

	return got < 0 ? -errno : (int)got;
}

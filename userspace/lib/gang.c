// SPDX-License-Identifier: LGPL-2.1
/* Gangs: making one, joining, and what its file tells. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "simgpu.h"

static int call(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

int simgpu_create_gang(int fd, const struct simgpu_gang_create *options)
{
	struct simgpu_gang_create create = *options;
	int ret;

	create.size = sizeof(create);
	create.fd = 0;
	create.reserved = 0;
	create.reserved2 = 0;
	ret = call(fd, SIMGPU_IOC_GANG_CREATE, &create);
	return ret ? ret : create.fd;
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
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	return call(gang, SIMGPU_IOC_GANG_STATUS, status);
}

int simgpu_get_gang_report(int gang, uint32_t slot,
			   struct simgpu_tenant_report *report)
{
	struct simgpu_gang_report argument = {
		.size = sizeof(argument),
		.slot = slot,
	};
	int ret = call(gang, SIMGPU_IOC_GANG_REPORT, &argument);

	if (!ret)
		*report = argument.report;
	return ret;
}

int simgpu_read_epochs(int gang, struct simgpu_epoch_record *records,
		       size_t count)
{
	ssize_t bytes = read(gang, records, count * sizeof(*records));

	return bytes < 0 ? -errno : (int)(bytes / sizeof(*records));
}

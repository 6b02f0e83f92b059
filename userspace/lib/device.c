// SPDX-License-Identifier: LGPL-2.1
/* The ioctls of a tenant's file. Gangs are in gang.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "simgpu.h"

static int call(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

int simgpu_open(unsigned int device)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/simgpu%u", device);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int simgpu_get_device_info(int fd, struct simgpu_device_info *info)
{
	return call(fd, SIMGPU_IOC_DEVICE_INFO, info);
}

int simgpu_configure_tenant(int fd, const char *name, uint32_t weight,
			    uint64_t target_ppm)
{
	struct simgpu_tenant_config config = {
		.size = sizeof(config),
		.service = target_ppm ? SIMGPU_SERVICE_QOS :
					SIMGPU_SERVICE_BEST_EFFORT,
		.weight = weight,
		.target_ppm = target_ppm,
	};

	if (strlen(name) >= sizeof(config.name))
		return -EINVAL;
	memcpy(config.name, name, strlen(name));
	return call(fd, SIMGPU_IOC_TENANT_CONFIG, &config);
}

int simgpu_configure(int fd, const struct simgpu_tenant_config *config)
{
	struct simgpu_tenant_config copy = *config;

	copy.size = sizeof(copy);
	return call(fd, SIMGPU_IOC_TENANT_CONFIG, &copy);
}

int simgpu_upload_trace(int fd, const void *trace, size_t bytes,
			struct simgpu_trace_refusal *refusal)
{
	struct simgpu_trace_upload upload = {
		.size = sizeof(upload),
		.data = (uintptr_t)trace,
		.bytes = bytes,
		.refusal = (uintptr_t)refusal,
	};
	int ret;

	if (refusal)
		memset(refusal, 0, sizeof(*refusal));
	ret = call(fd, SIMGPU_IOC_TRACE_UPLOAD, &upload);
	return ret ? ret : (int)upload.handle;
}

int simgpu_remove_trace(int fd, int handle)
{
	struct simgpu_trace_remove remove = {
		.size = sizeof(remove),
		.handle = handle,
	};

	return call(fd, SIMGPU_IOC_TRACE_REMOVE, &remove);
}

int simgpu_launch_trace(int fd, int handle, uint64_t repeats,
			uint64_t not_before_cycle, uint64_t *sequence)
{
	struct simgpu_launch launch = {
		.handle = handle,
		.repeats = repeats,
		.not_before_cycle = not_before_cycle,
	};
	int ret = simgpu_launch_with(fd, &launch);

	if (!ret)
		*sequence = launch.sequence;
	return ret;
}

int simgpu_launch_with(int fd, struct simgpu_launch *launch)
{
	launch->size = sizeof(*launch);
	return call(fd, SIMGPU_IOC_LAUNCH, launch);
}

int simgpu_launch_copy(int fd, struct simgpu_copy *copy)
{
	copy->size = sizeof(*copy);
	return call(fd, SIMGPU_IOC_COPY, copy);
}

int simgpu_set_queue(int fd, unsigned int queue, int priority)
{
	struct simgpu_queue request = {
		.size = sizeof(request),
		.queue = queue,
		.priority = priority,
	};

	return call(fd, SIMGPU_IOC_QUEUE, &request);
}

int simgpu_give_hint(int fd, uint64_t expected_cycle, uint64_t laxity_cycles)
{
	struct simgpu_hint request = {
		.size = sizeof(request),
		.expected_cycle = expected_cycle,
		.laxity_cycles = laxity_cycles,
	};

	return call(fd, SIMGPU_IOC_HINT, &request);
}

int simgpu_set_masks(int fd, struct simgpu_masks *masks)
{
	masks->size = sizeof(*masks);
	return call(fd, SIMGPU_IOC_MASKS, masks);
}

int simgpu_prefetch(int fd, uint64_t offset, uint64_t bytes)
{
	struct simgpu_mem_prefetch request = {
		.size = sizeof(request),
		.offset = offset,
		.bytes = bytes,
	};

	return call(fd, SIMGPU_IOC_MEM_PREFETCH, &request);
}

int simgpu_advise(int fd, enum simgpu_mem_advice advice, uint64_t offset, uint64_t bytes)
{
	struct simgpu_mem_advise request = {
		.size = sizeof(request),
		.advice = advice,
		.offset = offset,
		.bytes = bytes,
	};

	return call(fd, SIMGPU_IOC_MEM_ADVISE, &request);
}

int simgpu_start_arrivals(int fd, struct simgpu_arrivals *arrivals)
{
	arrivals->size = sizeof(*arrivals);
	return call(fd, SIMGPU_IOC_ARRIVALS, arrivals);
}

int simgpu_wait_launch(int fd, uint64_t sequence, int64_t timeout_ns)
{
	struct simgpu_wait wait = {
		.size = sizeof(wait),
		.sequence = sequence,
		.timeout_ns = timeout_ns,
	};

	return call(fd, SIMGPU_IOC_WAIT, &wait);
}

int simgpu_get_report(int fd, struct simgpu_report *report)
{
	return call(fd, SIMGPU_IOC_REPORT, report);
}

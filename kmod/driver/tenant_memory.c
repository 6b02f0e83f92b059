// SPDX-License-Identifier: GPL-2.0
/* What a tenant asks for its managed memory, beside launches that make it managed. */
#include "device.h"
#include "journal_room.h"
#include "tenant.h"
#include "tenant_memory.h"

static int simgpu_tenant_prefetch(void *arg)
{
	const struct simgpu_ucmd *ucmd = arg;
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	const struct simgpu_mem_prefetch *cmd = ucmd->cmd;
	struct simgpu_device *device = tenant->device;

	lockdep_assert_held(&device->lock);
	static_assert(SIMGPU_PREFETCHES_MAX == SESSION_PREFETCHES_MAX, "ranges that wait");
	if (tenant->in_gang && device->ending.over)
		return -ECANCELED;
	if (tenant->slot == SIMGPU_NO_SLOT)
		return -ENXIO;
	return session_prefetch(device->session, tenant->slot, cmd->offset, cmd->bytes);
}

/* SIMGPU_IOC_MEM_PREFETCH */
int simgpu_tenant_mem_prefetch(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	const struct simgpu_mem_prefetch *cmd = ucmd->cmd;

	if (cmd->flags || !cmd->bytes)
		return -EINVAL;
	return simgpu_device_call_to_note(tenant->device, simgpu_tenant_prefetch, ucmd);
}

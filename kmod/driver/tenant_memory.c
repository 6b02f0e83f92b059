// SPDX-License-Identifier: GPL-2.0
/* What a tenant asks for its managed memory, beside launches that make it managed. */
#include "device.h"
#include "journal_room.h"
#include "rights.h"
#include "tenant.h"
#include "tenant_memory.h"

/* Whether a tenant has memory of which something can be said. */
static int simgpu_tenant_check_memory(const struct simgpu_tenant *tenant)
{
	lockdep_assert_held(&tenant->device->lock);
	if (tenant->in_gang && tenant->device->ending.over)
		return -ECANCELED;
	return tenant->slot == SIMGPU_NO_SLOT ? -ENXIO : 0;
}

static int simgpu_tenant_prefetch(void *arg)
{
	const struct simgpu_ucmd *ucmd = arg;
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	const struct simgpu_mem_prefetch *cmd = ucmd->cmd;

	static_assert(SIMGPU_PREFETCHES_MAX == SESSION_PREFETCHES_MAX, "ranges that wait");
	return simgpu_tenant_check_memory(tenant) ?:
	       session_prefetch(tenant->device->session, tenant->slot, cmd->offset, cmd->bytes);
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

static int simgpu_tenant_advise(void *arg)
{
	const struct simgpu_ucmd *ucmd = arg;
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	const struct simgpu_mem_advise *cmd = ucmd->cmd;

	static_assert((int)SIMGPU_MEM_ON_DEVICE == (int)SIMGPU_MEMORY_ON_DEVICE &&
		      (int)SIMGPU_MEM_ON_HOST == (int)SIMGPU_MEMORY_ON_HOST &&
		      (int)SIMGPU_MEM_FREE == (int)SESSION_ADVICE_FREE, "the session's numbers");
	return simgpu_tenant_check_memory(tenant) ?:
	       session_advise(tenant->device->session, tenant->slot, cmd->advice, cmd->offset,
			      cmd->bytes);
}

/* SIMGPU_IOC_MEM_ADVISE */
int simgpu_tenant_mem_advise(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	const struct simgpu_mem_advise *cmd = ucmd->cmd;

	if (cmd->advice > SIMGPU_MEM_FREE || !cmd->bytes)
		return -EINVAL;
	/* What stays takes the place of what others have. */
	if (cmd->advice == SIMGPU_MEM_ON_DEVICE && !simgpu_may_claim(NULL))
		return -EPERM;
	return simgpu_device_call_to_note(tenant->device, simgpu_tenant_advise, ucmd);
}

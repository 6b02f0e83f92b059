// SPDX-License-Identifier: GPL-2.0
/* A tenant's figures and counters as in the UAPI, and the call that returns them. */
#include <linux/uaccess.h>

#include "device.h"
#include "ioctl.h"
#include "report.h"
#include "tenant.h"

/**
 * simgpu_counters_check() - check where a caller wants counters
 * @array: the caller's array
 *
 * Return: 0, -EINVAL or -E2BIG.
 */
int simgpu_counters_check(const struct simgpu_counter_array *array)
{
	if (!array->count || !array->array)
		return 0;
	if (array->count > SIMGPU_COUNTERS_ROOM_MAX)
		return -E2BIG;
	if (array->stride < sizeof(u64) || array->stride % sizeof(u64) ||
	    array->stride > SIMGPU_COUNTERS_STRIDE_MAX ||
	    array->array % sizeof(u64))
		return -EINVAL;
	return 0;
}

/**
 * simgpu_counters_answer() - write counters to where a caller wants them
 * @array: the caller's, checked; its @count is set to the number of counters
 * @counters: the engine's counters
 *
 * Touches user memory: no lock of the driver may be held.
 *
 * Return: 0 or -EFAULT.
 */
int simgpu_counters_answer(struct simgpu_counter_array *array,
			   const struct simgpu_counters *counters)
{
	const u64 *words = (const u64 *)counters;
	u32 room = array->array ? array->count : 0;
	u32 i;

	for (i = 0; i < room; i++) {
		u64 word = i < SIMGPU_COUNTER_COUNT ? words[i] : 0;

		if (put_user(word, (u64 __user *)
			     u64_to_user_ptr(array->array +
					     (u64)i * array->stride)))
			return -EFAULT;
	}
	array->count = SIMGPU_COUNTER_COUNT;
	return 0;
}

/* SIMGPU_IOC_REPORT */
int simgpu_tenant_report(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_report *cmd = ucmd->cmd;
	struct simgpu_tenant_published published;
	int ret;

	ret = simgpu_counters_check(&cmd->counters);
	if (ret)
		return ret;
	if (READ_ONCE(tenant->device->gone))
		return -ENODEV;
	simgpu_tenant_published(tenant, &published);
	if (published.slot == SIMGPU_NO_SLOT && !published.had_slot)
		return -ENODATA;
	cmd->slot = published.slot;
	cmd->report = published.report;
	ret = simgpu_counters_answer(&cmd->counters, &published.counters);
	return ret ?: simgpu_ucmd_respond(ucmd);
}

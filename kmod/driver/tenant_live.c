// SPDX-License-Identifier: GPL-2.0
/* The page that processes map by mmap() of a tenant's file: its live figures. */
#include <linux/mm.h>

#include "charge.h"
#include "compat.h"
#include "device.h"
#include "tenant.h"
#include "tenant_live.h"

/* Offset of the counters, at the end of the page. */
#define SIMGPU_LIVE_COUNTERS	(PAGE_SIZE - sizeof(struct simgpu_counters))

/**
 * simgpu_tenant_publish_live() - update the page that processes map
 * @tenant: the tenant, whose @published has changed
 */
void simgpu_tenant_publish_live(struct simgpu_tenant *tenant)
{
	const struct simgpu_tenant_published *published = &tenant->published;
	const struct simgpu_device *device = tenant->device;
	struct simgpu_live *live = tenant->live;
	u32 sequence;

	lockdep_assert_held(&device->publish_lock);
	if (!live)
		return;
	sequence = live->sequence;
	WRITE_ONCE(live->sequence, sequence + 1);
	/* Pairs with the reader's barriers around its copy. */
	smp_wmb();
	live->cycle = device->published.cycle;
	live->epochs = device->published.epochs;
	live->flags = 0;
	live->slot = 0;
	if (published->slot != SIMGPU_NO_SLOT) {
		live->flags = SIMGPU_LIVE_SEATED;
		live->slot = published->slot;
	}
	live->sms = published->sms;
	live->class = published->class;
	live->np_ppm = published->class == SIMGPU_CLASS_UNKNOWN ?
		       0 : published->np_ppm;
	live->ipc_ppm = published->figures.ipc_ppm;
	live->rbh_ppm = published->figures.rbh_ppm;
	live->bandwidth_ppm = published->figures.bandwidth_ppm;
	live->llc_mpki_ppm = published->figures.llc_mpki_ppm;
	memcpy((void *)live + SIMGPU_LIVE_COUNTERS, &published->counters,
	       sizeof(published->counters));
	/* As above. */
	smp_wmb();
	WRITE_ONCE(live->sequence, sequence + 2);
}

/* A mapping only has its first page. */
static vm_fault_t simgpu_live_fault(struct vm_fault *fault)
{
	struct simgpu_tenant *tenant = fault->vma->vm_private_data;

	if (fault->pgoff)
		return VM_FAULT_SIGBUS;
	fault->page = virt_to_page(tenant->live);
	get_page(fault->page);
	return 0;
}

static const struct vm_operations_struct simgpu_live_ops = {
	.fault = simgpu_live_fault,
};

/* Gives the tenant its page. */
static int simgpu_live_provide(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	struct simgpu_live *live;
	int ret;

	BUILD_BUG_ON(sizeof(*live) > SIMGPU_LIVE_COUNTERS);
	ret = simgpu_tenant_charge(tenant, PAGE_SIZE);
	if (ret)
		return ret;
	live = (void *)get_zeroed_page(PORT_GFP);
	if (live) {
		live->counter_offset = SIMGPU_LIVE_COUNTERS;
		live->counter_count = SIMGPU_COUNTER_COUNT;
		spin_lock(&device->publish_lock);
		if (!tenant->live) {
			swap(tenant->live, live);
			simgpu_tenant_publish_live(tenant);
			spin_unlock(&device->publish_lock);
			return 0;
		}
		spin_unlock(&device->publish_lock);
		free_page((unsigned long)live);
	} else {
		ret = -ENOMEM;
	}
	simgpu_tenant_uncharge(tenant, PAGE_SIZE);
	return ret;
}

/**
 * simgpu_tenant_mmap() - mmap() of a tenant's file: the live page
 * @file: the file
 * @vma: the mapping
 *
 * Return: 0, -EINVAL, -EPERM, -ENOSPC, -ENOMEM.
 */
int simgpu_tenant_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct simgpu_tenant *tenant = file->private_data;
	int ret;

	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	ret = simgpu_live_provide(tenant);
	if (ret)
		return ret;
	/* So it is not writable after mprotect(), nor larger after mremap(). */
	compat_vm_flags(vma, VM_DONTEXPAND, VM_MAYWRITE);
	vma->vm_private_data = tenant;
	vma->vm_ops = &simgpu_live_ops;
	return 0;
}

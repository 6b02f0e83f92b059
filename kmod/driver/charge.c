// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that tenants make the kernel hold. It is counted for each tenant, for its
 * user on all devices together, and for the device. Memory cgroups, if there are any,
 * are charged in addition.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "charge.h"
#include "device.h"
#include "tenant.h"

/*
 * The directory of an open file in sysfs: a node and, for users other than root,
 * an owner for it and for each of its files.
 */
#define SIMGPU_TENANT_SYSFS_BYTES	12288
#define SIMGPU_TENANT_FILE_BYTES \
	(simgpu_bytes_taken(sizeof(struct simgpu_tenant)) + SIMGPU_TENANT_SYSFS_BYTES)

static unsigned int simgpu_user_mib = 512;
module_param_named(user_mib, simgpu_user_mib, uint, 0644);
MODULE_PARM_DESC(user_mib,
		 "MiB that a user without CAP_SYS_RESOURCE may make the kernel hold");

/**
 * struct simgpu_user - a user with open files
 * @link: in the list of users
 * @uid: the user
 * @refs: number of its tenants; under the list's lock
 * @bytes_held: bytes that its tenants count for
 * @wakers: wake the callers that wait for its files
 */
struct simgpu_user {
	struct list_head link;
	kuid_t uid;
	unsigned int refs;
	atomic64_t bytes_held;
	struct simgpu_wakers wakers;
};

/*
 * What the kernel takes for port_alloc() of so many bytes: a size of kmalloc(), whole
 * pages, or whole huge pages, to which vmalloc_huge() rounds up what fills one.
 */
static u64 simgpu_bytes_taken(u64 bytes)
{
	if (bytes <= PAGE_SIZE)
		return kmalloc_size_roundup(bytes);
	return bytes < PMD_SIZE ? PAGE_ALIGN(bytes) : ALIGN(bytes, PMD_SIZE);
}

static LIST_HEAD(simgpu_users);
static DEFINE_SPINLOCK(simgpu_users_lock);

static struct simgpu_user *simgpu_user_find(kuid_t uid)
{
	struct simgpu_user *user;

	lockdep_assert_held(&simgpu_users_lock);
	list_for_each_entry(user, &simgpu_users, link)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/* A user with a reference, or NULL if there is no memory. */
static struct simgpu_user *simgpu_user_get(kuid_t uid)
{
	struct simgpu_user *fresh, *user;

	fresh = kzalloc(sizeof(*fresh), PORT_GFP);
	if (!fresh)
		return NULL;
	fresh->uid = uid;
	simgpu_wakers_init(&fresh->wakers);
	spin_lock(&simgpu_users_lock);
	user = simgpu_user_find(uid);
	if (!user) {
		list_add(&fresh->link, &simgpu_users);
		swap(user, fresh);
	}
	user->refs++;
	spin_unlock(&simgpu_users_lock);
	kfree(fresh);
	return user;
}

static void simgpu_user_put(struct simgpu_user *user)
{
	spin_lock(&simgpu_users_lock);
	if (--user->refs)
		user = NULL;
	else
		list_del(&user->link);
	spin_unlock(&simgpu_users_lock);
	if (user)
		simgpu_wakers_end(&user->wakers);
	kfree(user);
}

/**
 * simgpu_user_wakers() - the wakers of a user's files
 * @user: the user, with an open file
 *
 * Return: them.
 */
struct simgpu_wakers *simgpu_user_wakers(struct simgpu_user *user)
{
	return &user->wakers;
}

static int simgpu_user_charge(struct simgpu_user *user,
			      const struct simgpu_device *device, u64 bytes)
{
	u32 mib = READ_ONCE(simgpu_user_mib);

	if (atomic64_add_return(bytes, &user->bytes_held) <= (u64)mib << 20 ||
	    capable(CAP_SYS_RESOURCE))
		return 0;
	atomic64_sub(bytes, &user->bytes_held);
	dev_notice_ratelimited(&device->dev,
			       "user %u is at the limit user_mib, %u MiB\n",
			       from_kuid_munged(&init_user_ns, user->uid),
			       mib);
	return -EDQUOT;
}

static int simgpu_device_try_charge(struct simgpu_device *device, u64 bytes)
{
	u32 mib = READ_ONCE(device->limits.device_mib);

	if (atomic64_add_return(bytes, &device->bytes_held) <= (u64)mib << 20)
		return 0;
	atomic64_sub(bytes, &device->bytes_held);
	dev_notice_ratelimited(&device->dev,
			       "at the limit device_mib, %u MiB\n", mib);
	return -ENOBUFS;
}

static int simgpu_charge(struct simgpu_tenant *tenant, u64 bytes)
{
	int ret;

	ret = simgpu_user_charge(tenant->user, tenant->device, bytes);
	if (ret)
		return ret;
	ret = simgpu_device_try_charge(tenant->device, bytes);
	if (ret)
		atomic64_sub(bytes, &tenant->user->bytes_held);
	return ret;
}

static void simgpu_uncharge(struct simgpu_tenant *tenant, u64 bytes)
{
	atomic64_sub(bytes, &tenant->user->bytes_held);
	atomic64_sub(bytes, &tenant->device->bytes_held);
}

/**
 * simgpu_tenant_charge_file() - count an open file
 * @tenant: the tenant of the file
 *
 * Return: 0, -EDQUOT, -ENOBUFS as simgpu_tenant_charge(), or -ENOMEM.
 */
int simgpu_tenant_charge_file(struct simgpu_tenant *tenant)
{
	int ret;

	tenant->user = simgpu_user_get(tenant->uid);
	if (!tenant->user)
		return -ENOMEM;
	ret = simgpu_charge(tenant, SIMGPU_TENANT_FILE_BYTES);
	if (ret)
		simgpu_user_put(tenant->user);
	return ret;
}

/**
 * simgpu_tenant_uncharge_file() - the file, and all that counted for it, is gone
 * @tenant: the tenant
 */
void simgpu_tenant_uncharge_file(struct simgpu_tenant *tenant)
{
	simgpu_uncharge(tenant, SIMGPU_TENANT_FILE_BYTES);
	simgpu_user_put(tenant->user);
}

/**
 * simgpu_tenant_charge() - count memory that a tenant makes the kernel hold
 * @tenant: the tenant
 * @bytes: how many, of one port_alloc(); what the kernel takes for them counts
 *
 * Return: 0; -ENOSPC beyond SIMGPU_TENANT_BYTES_MAX of the tenant; -EDQUOT beyond
 * user_mib of its user; -ENOBUFS beyond device_mib of the device.
 */
int simgpu_tenant_charge(struct simgpu_tenant *tenant, u64 bytes)
{
	int ret;

	if (bytes > SIMGPU_TENANT_BYTES_MAX)
		return -ENOSPC;
	bytes = simgpu_bytes_taken(bytes);
	if (atomic64_add_return(bytes, &tenant->bytes_held) >
	    SIMGPU_TENANT_BYTES_MAX)
		ret = -ENOSPC;
	else
		ret = simgpu_charge(tenant, bytes);
	if (ret)
		atomic64_sub(bytes, &tenant->bytes_held);
	return ret;
}

/**
 * simgpu_tenant_uncharge() - stop counting memory that is free again
 * @tenant: the tenant
 * @bytes: how many, as they were counted
 */
void simgpu_tenant_uncharge(struct simgpu_tenant *tenant, u64 bytes)
{
	bytes = simgpu_bytes_taken(bytes);
	atomic64_sub(bytes, &tenant->bytes_held);
	simgpu_uncharge(tenant, bytes);
}

/**
 * simgpu_charge_ahead() - look whether the caller's memory cgroup has room for a file
 *
 * The kernel allocates a file in such a way that a full cgroup has a process of it killed.
 * A page that was charged and freed stays charged ahead, for what this processor
 * allocates next for the cgroup.
 *
 * Return: 0 or -ENOMEM.
 */
int simgpu_charge_ahead(void)
{
	void *page = kmalloc(PAGE_SIZE, PORT_GFP);

	kfree(page);
	return page ? 0 : -ENOMEM;
}

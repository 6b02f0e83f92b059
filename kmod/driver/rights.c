// SPDX-License-Identifier: GPL-2.0
/*
 * Rights of users, whichever way they call. A device is one for the whole
 * machine, so capabilities are those of the initial user namespace.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/moduleparam.h>
#include <linux/netlink.h>
#include <net/sock.h>

#include "device.h"
#include "rights.h"

bool simgpu_counters_public;
module_param_named(counters_public, simgpu_counters_public, bool, 0444);
MODULE_PARM_DESC(counters_public,
		 "Let everybody read every tenant's counters, a side channel");

/* For a message, whether both its sender and the opener of the socket are capable. */
static bool simgpu_asker_capable(const struct sk_buff *request, int capability)
{
	return request ? netlink_capable(request, capability) :
			 capable(capability);
}

/* For a message, whether both its sender and the opener of the socket are the user. */
static bool simgpu_asker_is(const struct sk_buff *request, kuid_t user)
{
	const struct socket *socket;

	if (!request)
		return uid_eq(current_fsuid(), user);
	socket = NETLINK_CB(request).sk->sk_socket;
	return uid_eq(NETLINK_CREDS(request)->uid, user) && socket &&
	       socket->file && uid_eq(socket->file->f_cred->fsuid, user);
}

/**
 * simgpu_may_administer() - whether the caller may change settings of devices
 * @request: the asker's message, or NULL
 *
 * Files of sysfs have owners and modes of their own for this.
 *
 * Return: whether it has CAP_SYS_ADMIN, or CAP_NET_ADMIN.
 */
bool simgpu_may_administer(const struct sk_buff *request)
{
	return simgpu_asker_capable(request, CAP_NET_ADMIN) ||
	       simgpu_asker_capable(request, CAP_SYS_ADMIN);
}

/**
 * simgpu_may_claim() - whether the caller may claim more of a device than others,
 *	or all of it
 * @request: the asker's message, or NULL
 *
 * Return: whether it has CAP_SYS_NICE.
 */
bool simgpu_may_claim(const struct sk_buff *request)
{
	return simgpu_asker_capable(request, CAP_SYS_NICE);
}

/**
 * simgpu_may_change() - whether the caller may change a tenant's settings
 * @request: the caller's message, or NULL
 * @user: user of the tenant
 *
 * simgpu_check_claim() says to which values.
 *
 * Return: whether it is that user, or has CAP_SYS_NICE or may administer.
 */
bool simgpu_may_change(const struct sk_buff *request, kuid_t user)
{
	return simgpu_asker_is(request, user) || simgpu_may_claim(request) ||
	       simgpu_may_administer(request);
}

/**
 * simgpu_may_read() - whether the caller may know what a tenant does
 * @request: the caller's message, or NULL
 * @user: user of the tenant
 *
 * Return: whether it is that user or may administer, or all users may.
 */
bool simgpu_may_read(const struct sk_buff *request, kuid_t user)
{
	return simgpu_counters_public || simgpu_asker_is(request, user) ||
	       simgpu_may_administer(request);
}

/* The number of users other than the caller, counted as far as it matters. */
static u32 simgpu_foreign_users(const struct sk_buff *request,
				struct simgpu_device *device)
{
	kuid_t seen[SIMGPU_FOREIGN_USERS_MIN];
	u32 count = 0, i, j;

	lockdep_assert_held(&device->publish_lock);
	for (i = 0; i < device->measured_count; i++) {
		kuid_t user = device->measured[i];

		if (simgpu_asker_is(request, user))
			continue;
		for (j = 0; j < count && !uid_eq(seen[j], user); j++)
			;
		if (j < count)
			continue;
		seen[count++] = user;
		if (count == SIMGPU_FOREIGN_USERS_MIN)
			break;
	}
	return count;
}

/**
 * simgpu_may_read_all() - whether a reader may know what all tenants do
 * @reader: who reads
 *
 * Return: whether it may administer, or everybody may.
 */
bool simgpu_may_read_all(const struct simgpu_reader *reader)
{
	return simgpu_counters_public ||
	       (!reader->group && simgpu_may_administer(reader->request));
}

/**
 * simgpu_may_read_aggregates() - whether a reader may know STP, ANTT and fairness
 * @reader: who reads
 * @device: the device; its publish_lock is held until they are copied, so that the right
 *	is to what is copied
 *
 * Return: whether they are about the reader alone or about
 * SIMGPU_FOREIGN_USERS_MIN others, or it may read all.
 */
bool simgpu_may_read_aggregates(const struct simgpu_reader *reader,
				struct simgpu_device *device)
{
	u32 count;

	lockdep_assert_held(&device->publish_lock);
	if (simgpu_may_read_all(reader))
		return true;
	if (reader->group)
		return false;
	count = simgpu_foreign_users(reader->request, device);
	return !count || count == SIMGPU_FOREIGN_USERS_MIN;
}

/*
 * The part of a GPU that a goal asks for, in ppm. For a goal in time or a rate it depends
 * on the kernel, so it is taken to be all of the GPU.
 */
static u64
simgpu_goal_claimed_ppm(const struct session_tenant_options *options,
			const struct gpu_config *config)
{
	if (options->goal_kind == SIMGPU_GOAL_NONE)
		return 0;
	if (options->goal_kind != SIMGPU_GOAL_IPC)
		return SIMGPU_PPM;
	return fixed_ratio_ppm(options->goal, gpu_peak_ipc(config) * SIMGPU_PPM);
}

static u64 simgpu_claimed_target(const struct session_tenant_options *options)
{
	return options->service == SIMGPU_QOS ? options->target_ppm : 0;
}

/* Whether limits of memory ask for more than those in force; without a max it is all. */
static bool simgpu_limits_grow(const struct session_memory_limits *now,
			       const struct session_memory_limits *wanted)
{
	return wanted->min > now->min || wanted->low > now->low ||
	       (now->max && (!wanted->max || wanted->max > now->max));
}

/* Whether launches are to end sooner than before. What part of the GPU that takes is not known. */
static bool simgpu_p99_grows(u64 now, u64 wanted)
{
	return wanted && (!now || wanted < now);
}

/**
 * simgpu_check_claim() - whether the caller may give a tenant these options
 * @request: the caller's message, or NULL
 * @device: the device
 * @now: the tenant's present options
 * @wanted: its new options
 *
 * All users may go up to the device's limits, and down from where they are.
 *
 * Return: 0 or -EPERM.
 */
int simgpu_check_claim(const struct sk_buff *request,
		       const struct simgpu_device *device,
		       const struct session_tenant_options *now,
		       const struct session_tenant_options *wanted)
{
	const struct simgpu_limits *limits = &device->limits;
	u32 weight = max(now->weight, READ_ONCE(limits->weight));
	u64 target_ppm = max(simgpu_claimed_target(now),
			     READ_ONCE(limits->target_ppm));
	const struct gpu_config *config = &device->defaults.config;
	u64 goal_ppm = max(simgpu_goal_claimed_ppm(now, config),
			   READ_ONCE(limits->target_ppm));

	if (wanted->weight <= weight &&
	    simgpu_claimed_target(wanted) <= target_ppm &&
	    simgpu_goal_claimed_ppm(wanted, config) <= goal_ppm &&
	    (READ_ONCE(limits->target_ppm) == SIMGPU_PPM ||
	     !simgpu_p99_grows(now->p99_cycles, wanted->p99_cycles)) &&
	    !simgpu_limits_grow(&now->memory, &wanted->memory))
		return 0;
	return simgpu_may_claim(request) ? 0 : -EPERM;
}

/* Whether a mask has a bit that it did not have; 0 stands for all bits. */
static bool simgpu_mask_grows(u64 now, u64 wanted)
{
	return now && (!wanted || wanted & ~now);
}

/**
 * simgpu_check_masks() - whether the caller may give a tenant these masks
 * @request: the caller's message, or NULL
 * @now: the tenant's present masks
 * @wanted: its new masks
 *
 * All users may narrow masks. So a process that hands the file on, or starts another one
 * with it, can limit what that one gets.
 *
 * Return: 0 or -EPERM.
 */
int simgpu_check_masks(const struct sk_buff *request,
		       const struct session_masks *now,
		       const struct session_masks *wanted)
{
	bool grows = simgpu_mask_grows(now->channels, wanted->channels) ||
		     simgpu_mask_grows(now->llc_ways, wanted->llc_ways);
	u32 i;

	/* A mask of SMs with all words zero would be no mask. */
	if (memchr_inv(now->sms, 0, sizeof(now->sms)))
		for (i = 0; i < SESSION_MASK_WORDS; i++)
			grows |= !!(wanted->sms[i] & ~now->sms[i]);
	return !grows || simgpu_may_claim(request) ? 0 : -EPERM;
}

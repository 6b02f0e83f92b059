// SPDX-License-Identifier: GPL-2.0
/*
 * Masks of tenants: the parts of a device that a file keeps to, on any GPU where it
 * has a slot. session/affinity.c applies them.
 */
#include "device.h"
#include "journal_room.h"
#include "masks.h"
#include "rights.h"
#include "tenant.h"

/* The GPU on which a tenant has a slot, or would get one. */
static const struct gpu_config *
simgpu_masks_config(const struct simgpu_tenant *tenant)
{
	const struct simgpu_device *device = tenant->device;

	return tenant->slot == SIMGPU_NO_SLOT ? &device->defaults.config :
						&device->start.config;
}

/**
 * simgpu_masks_on() - the part of a tenant's masks that exists on a GPU
 * @tenant: the tenant
 * @config: configuration of the GPU, which may be smaller than the one for which they
 *	were set
 *
 * Return: the masks; a mask of which nothing exists is left out.
 */
struct session_masks simgpu_masks_on(const struct simgpu_tenant *tenant,
				     const struct gpu_config *config)
{
	struct session_masks masks = tenant->masks;
	u32 i;

	for (i = 0; i < SESSION_MASK_WORDS; i++)
		masks.sms[i] &= config->sms <= i * 64 ? 0 :
				first_bits(config->sms - i * 64);
	masks.channels &= first_bits(config->channels);
	masks.llc_ways &= first_bits(config->llc_ways);
	if (!session_sms_are_good(config, masks.sms))
		memset(masks.sms, 0, sizeof(masks.sms));
	return masks;
}

/**
 * simgpu_masks_seat() - tell the session the masks of a tenant with a slot
 * @tenant: the tenant
 */
void simgpu_masks_seat(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	struct session_masks masks;

	lockdep_assert_held(&device->lock);
	masks = simgpu_masks_on(tenant, &device->start.config);
	session_set_masks(device->session, tenant->slot, &masks);
}

/**
 * simgpu_mask_of_sms() - a mask of SMs from a caller
 * @words: SIMGPU_MASK_WORDS words
 * @more: SIMGPU_MASK_MORE_WORDS words, which follow them
 * @sms: set to the mask
 *
 * Return: whether it has an SM.
 */
bool simgpu_mask_of_sms(const __u64 *words, const __u64 *more,
			u64 sms[SESSION_MASK_WORDS])
{
	static_assert(SIMGPU_MASK_WORDS + SIMGPU_MASK_MORE_WORDS == SESSION_MASK_WORDS,
		      "all SMs");
	memcpy(sms, words, SIMGPU_MASK_WORDS * sizeof(*sms));
	memcpy(sms + SIMGPU_MASK_WORDS, more, SIMGPU_MASK_MORE_WORDS * sizeof(*sms));
	return memchr_inv(sms, 0, SESSION_MASK_WORDS * sizeof(*sms));
}

/* Masks that are not named must be zero, others must not; these are stored in @masks. */
static int simgpu_masks_read(const struct simgpu_masks *cmd,
			     struct session_masks *masks)
{
	if (cmd->flags & ~(SIMGPU_MASK_SMS | SIMGPU_MASK_CHANNELS |
			   SIMGPU_MASK_LLC_WAYS) ||
	    !(cmd->flags & SIMGPU_MASK_CHANNELS) != !cmd->channels ||
	    !(cmd->flags & SIMGPU_MASK_LLC_WAYS) != !cmd->llc_ways)
		return -EINVAL;
	masks->channels = cmd->channels;
	masks->llc_ways = cmd->llc_ways;
	if (simgpu_mask_of_sms(cmd->sms, cmd->sms_more, masks->sms) !=
	    !!(cmd->flags & SIMGPU_MASK_SMS))
		return -EINVAL;
	return 0;
}

static int simgpu_masks_set(void *arg)
{
	const struct simgpu_ucmd *ucmd = arg;
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	const struct simgpu_masks *cmd = ucmd->cmd;
	struct session_masks named = { 0 }, wanted = tenant->masks;
	int ret = simgpu_masks_read(cmd, &named);

	lockdep_assert_held(&tenant->device->lock);
	if (ret)
		return ret;
	if (!session_masks_are_good(simgpu_masks_config(tenant), &named))
		return -EINVAL;
	if (cmd->flags & SIMGPU_MASK_SMS)
		memcpy(wanted.sms, named.sms, sizeof(wanted.sms));
	if (named.channels)
		wanted.channels = named.channels;
	if (named.llc_ways)
		wanted.llc_ways = named.llc_ways;
	ret = simgpu_check_masks(NULL, &tenant->masks, &wanted);
	if (ret)
		return ret;
	tenant->masks = wanted;
	if (tenant->slot != SIMGPU_NO_SLOT)
		simgpu_masks_seat(tenant);
	return 0;
}

/* SIMGPU_IOC_MASKS */
int simgpu_tenant_masks(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;

	return simgpu_device_call_to_note(tenant->device, simgpu_masks_set, ucmd);
}

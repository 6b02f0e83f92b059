// SPDX-License-Identifier: GPL-2.0
/*
 * Masks: the channels and ways that a policy gives a tenant are narrowed by the tenant's
 * masks, and the SMs on which its kernels begin by its launches' masks. If nothing would
 * be left, the narrower mask does not count.
 */
#include "affinity.h"
#include "internal.h"

static bool is_empty(const u64 *sms)
{
	u32 i;

	for (i = 0; i < SESSION_MASK_WORDS; i++)
		if (sms[i])
			return false;
	return true;
}

bool session_sms_are_good(const struct gpu_config *config,
			  const u64 sms[SESSION_MASK_WORDS])
{
	u32 i;

	for (i = config->sms; i < SESSION_MASK_WORDS * 64; i++)
		if (simgpu_has_bit(sms, i))
			return false;
	for (i = 0; i < config->sms; i++)
		if (simgpu_has_bit(sms, i) != simgpu_has_bit(sms, first_of_tpc(config, i)))
			return false;
	return true;
}

bool session_masks_are_good(const struct gpu_config *config,
			    const struct session_masks *masks)
{
	return session_sms_are_good(config, masks->sms) &&
	       !(masks->channels & ~first_bits(config->channels)) &&
	       !(masks->llc_ways & ~first_bits(config->llc_ways));
}

bool session_masks_meet(const struct session_masks *masks,
			const u64 sms[SESSION_MASK_WORDS])
{
	u32 i;

	if (is_empty(sms) || is_empty(masks->sms))
		return true;
	for (i = 0; i < SESSION_MASK_WORDS; i++)
		if (masks->sms[i] & sms[i])
			return true;
	return false;
}

const struct session_masks *session_masks(const struct session *session, u32 slot)
{
	return &session->tenants[slot].masks;
}

int session_set_masks(struct session *session, u32 slot,
		      const struct session_masks *masks)
{
	if (!is_member(session, slot) ||
	    !session_masks_are_good(&session->initial.config, masks))
		return -EINVAL;
	if (!memcmp(&session->tenants[slot].masks, masks, sizeof(*masks)))
		return 0;
	journal_add(session, JOURNAL_MASKS, slot)->masks = *masks;
	session->tenants[slot].masks = *masks;
	masks_apply(session, slot);
	return 0;
}

/* --- channels and ways ----------------------------------------------------------------- */

/* The part of what the policy gives that the tenant keeps to. */
static u64 narrow(u64 given, u64 wanted)
{
	return given & wanted ? given & wanted : given;
}

/* masks_apply() - tell the hardware which channels and ways a slot may use */
void masks_apply(struct session *session, u32 slot)
{
	const struct session_masks *masks = &session->tenants[slot].masks;
	const struct simgpu_proposal *controls = &session->controls;

	gpu_set_channels(session->gpu, slot,
			 narrow(controls->channels[slot], masks->channels));
	gpu_set_llc_ways(session->gpu, slot,
			 (u32)narrow(controls->llc_ways[slot], masks->llc_ways));
}

/* --- SMs -------------------------------------------------------------------------------- */

/* masks_have_sm() - whether a tenant's mask has an SM; without a mask it has all */
bool masks_have_sm(const struct session *session, u32 slot, u32 sm)
{
	const u64 *sms = session->tenants[slot].masks.sms;

	return is_empty(sms) || simgpu_has_bit(sms, sm);
}

/*
 * masks_of_launch() - the SMs on which the kernels of a tenant's launch begin
 * @out: set to the mask
 *
 * Return: whether there is a mask.
 */
bool masks_of_launch(const struct session_tenant *tenant,
		     const struct launch *launch, u64 out[SESSION_MASK_WORDS])
{
	const u64 *mine = tenant->masks.sms, *its = out;
	u32 i;

	memcpy(out, mine, sizeof(tenant->masks.sms));
	if (launch->mask)
		its = tenant->launch_masks[launch->mask - 1];
	if (is_empty(mine)) {
		memcpy(out, its, sizeof(tenant->masks.sms));
		return !is_empty(out);
	}
	for (i = 0; i < SESSION_MASK_WORDS; i++)
		out[i] = mine[i] & its[i];
	if (is_empty(out))
		memcpy(out, mine, sizeof(tenant->masks.sms));
	return true;
}

/* Whether some launch under way uses a mask of the tenant's table. */
static bool is_used(const struct session_tenant *tenant, u32 mask)
{
	u32 pending, i;

	for (pending = tenant->pending; pending; pending &= pending - 1) {
		const struct queue *queue =
			&tenant->queue[__builtin_ctz(pending)];

		for (i = 0; i < queue->launches; i++)
			if (queue->launch[(queue->head + i) %
					  SESSION_LAUNCHES_MAX].mask == mask)
				return true;
	}
	return false;
}

/*
 * masks_place() - find a place for a launch's mask
 * @sms: the mask; all zero: it has none
 *
 * Return: its place in the tenant's table, from 1, which may have it already; 0 for none;
 * -EAGAIN: launches under way use other masks in all places.
 */
int masks_place(const struct session_tenant *tenant,
		const u64 sms[SESSION_MASK_WORDS])
{
	int found = -EAGAIN;
	u32 place;

	if (is_empty(sms))
		return 0;
	for (place = SESSION_LAUNCH_MASKS_MAX; place; place--) {
		const u64 *kept = tenant->launch_masks[place - 1];
		bool same = !memcmp(kept, sms, sizeof(tenant->masks.sms));

		if (is_used(tenant, place) && !same)
			continue;
		found = (int)place;
		if (same)
			break;
	}
	return found;
}

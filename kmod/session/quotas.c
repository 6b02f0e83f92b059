// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas of tenants on shared SMs, as a policy says them: divided among the SMs,
 * set, and watched: what was issued is held against what was given.
 */
#include "internal.h"
#include "quotas.h"

/* --- watching ---------------------------------------------------------------------- */

/*
 * Most that may be issued beyond a quota: a warp instruction on each scheduler; and, if
 * instructions are charged when they complete, what may be under way
 */
static s64 slack_of(const struct session *session, const struct quota_watch *watch)
{
	const struct gpu_config *config = &session->initial.config;
	s64 slack = (s64)config->schedulers_per_sm * GPU_LANES;

	if (watch->late)
		slack += (s64)config->warps_per_sm * GPU_UNDER_WAY_MOST;
	return slack;
}

/*
 * Whether the accounts agree: what a slot issued on an SM since its quota was set, the
 * quota with its refills, and what the hardware says is left.
 */
static bool accounts_agree(const struct session *session,
			   const struct quota_watch *watch,
			   const struct gpu_sm_tenant *now, u64 under_way)
{
	s64 issued = (s64)(now->thread_instructions - under_way - watch->issued);
	s64 refilled;

	if (now->quota_left < -slack_of(session, watch) &&
	    now->quota_left < watch->given)
		return false;
	refilled = now->quota_left + issued - watch->given;
	if (!watch->refill)
		return !refilled;
	return refilled >= 0 && !(refilled % watch->refill);
}

/* Check the quota that ends; @quotas: the quotas that begin. */
static void watch_quota(struct session *session, u32 sm, u32 slot,
			const struct gpu_quota *quotas)
{
	struct quota_watch *watch = &session->quota_watch[sm][slot];
	u64 under_way = gpu_sm_under_way(session->gpu, sm, slot);
	struct gpu_sm_tenant now;

	gpu_sm_tenant(session->gpu, sm, slot, &now);
	if (watch->bounded) {
		session->quota_checks++;
		session->quota_overruns +=
			!accounts_agree(session, watch, &now, under_way);
	}
	watch->bounded = quotas[slot].left != GPU_NO_QUOTA;
	watch->given = quotas[slot].left;
	watch->refill = quotas[slot].refill;
	watch->late = quotas[slot].at_completion;
	/* What is under way when this ends will never be charged. */
	watch->issued = now.thread_instructions - (watch->late ? under_way : 0);
}

/*
 * quotas_clear() - let a slot issue without limit on an SM
 */
void quotas_clear(struct session *session, u32 sm, u32 slot)
{
	session->quota_watch[sm][slot].bounded = false;
	gpu_sm_set_quota(session->gpu, sm, slot, GPU_NO_QUOTA, 0);
}

/* --- setting ------------------------------------------------------------------------ */

/*
 * struct holding - a tenant's thread blocks on shared SMs
 * @sms: shared SMs that it may use
 * @blocks: its thread blocks on them
 */
struct holding {
	u32 sms;
	u64 blocks;
};

static struct holding holding_of(const struct session *session, u32 slot)
{
	struct holding holding = { .sms = sms_shared(session, slot) };
	u32 sm;

	for (sm = 0; holding.sms && sm < session->initial.config.sms; sm++)
		if (session->controls.sharers[sm] >> slot & 1)
			holding.blocks += gpu_sm_blocks(session->gpu, sm, slot);
	return holding;
}

/* The part of a quota for one SM, by thread blocks; without thread blocks, an even part */
static s64 part_of(s64 whole, const struct holding *holding, u32 blocks)
{
	if (holding->blocks)
		return (s64)fixed_mul_div((u64)whole, blocks, holding->blocks);
	return (s64)fixed_mul_div((u64)whole, 1, holding->sms);
}

static struct gpu_quota quota_of(const struct session *session, u32 sm, u32 slot,
				 const struct holding *holding)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	struct gpu_quota quota = {
		proposal->quota[slot], proposal->refill[slot],
		proposal->quota_flags[slot] & SIMGPU_QUOTA_AT_COMPLETION
	};
	u32 flags = proposal->quota_flags[slot];
	s64 kept = gpu_sm_quota_left(session->gpu, sm, slot);

	if (quota.left == SIMGPU_NO_QUOTA)
		return (struct gpu_quota) { GPU_NO_QUOTA, 0, false };
	if (flags & SIMGPU_QUOTA_BY_BLOCKS) {
		u32 blocks = gpu_sm_blocks(session->gpu, sm, slot);

		quota.left = part_of(quota.left, holding, blocks);
		quota.refill = part_of(quota.refill, holding, blocks);
	}
	if (flags & SIMGPU_QUOTA_UNUSED && kept < 0)
		kept = 0;
	if (flags & SIMGPU_QUOTA_KEEP && kept != GPU_NO_QUOTA)
		quota.left += kept;
	quota.left = min(quota.left, GPU_QUOTA_MAX);
	if (quota.left < -GPU_QUOTA_MAX)
		quota.left = -GPU_QUOTA_MAX;
	return quota;
}

static void set_quotas(struct session *session, u32 sm,
		       const struct holding *holdings)
{
	u64 sharers = session->controls.sharers[sm], rest;
	struct gpu_quota quotas[SIMGPU_SLOTS_MAX];

	if (!sharers)
		return;
	for (rest = sharers; rest; rest &= rest - 1) {
		u32 slot = (u32)__builtin_ctzll(rest);

		quotas[slot] = quota_of(session, sm, slot, &holdings[slot]);
	}
	for (rest = sharers; rest; rest &= rest - 1)
		watch_quota(session, sm, (u32)__builtin_ctzll(rest), quotas);
	gpu_sm_set_quotas(session->gpu, sm, sharers, quotas);
}

/* Record a tenant's quota, for reports. */
static void note_quota(struct session *session, u32 slot,
		       const struct holding *holding)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	struct session_tenant *tenant = &session->tenants[slot];
	bool bounded = proposal->quota[slot] != SIMGPU_NO_QUOTA;
	const struct queue *queue;

	if (!has_work(tenant))
		return;
	/* With several queues, the first one's kernel stands for all. */
	queue = &tenant->queue[__builtin_ctz(working_queues(tenant))];
	tenant->quota.blocks = holding->blocks;
	tenant->quota.sms = holding->sms;
	tenant->quota.block_warps = present_kernel(queue)->block_warps;
	/* A policy that keeps the rest of a quota has not given a new one. */
	if (proposal->quota_flags[slot] & SIMGPU_QUOTA_KEEP &&
	    !proposal->quota[slot])
		return;
	tenant->quota.last = bounded ? (u64)proposal->quota[slot] : 0;
	tenant->quota.given = fixed_add(tenant->quota.given,
					tenant->quota.last);
}

/* quotas_are_sound() - whether what a policy says of them can be done */
bool quotas_are_sound(const struct session *session, struct session_refusal *why)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		s64 quota = proposal->quota[slot];
		s64 refill = proposal->refill[slot];

		if (quota != SIMGPU_NO_QUOTA &&
		    (quota < 0 || quota > SIMGPU_QUOTA_MAX))
			return refuse_proposal(why, "quota", slot, SESSION_NOWHERE,
					       "a quota is out of its range");
		if (refill < 0 || refill > SIMGPU_QUOTA_MAX)
			return refuse_proposal(why, "refill", slot, SESSION_NOWHERE,
					       "a refill is out of its range");
		if (proposal->quota_flags[slot] & ~SIMGPU_QUOTA_FLAGS)
			return refuse_proposal(why, "quota_flags", slot, SESSION_NOWHERE,
					       "a quota has unknown flags");
	}
	return true;
}

/*
 * quotas_apply() - set the quotas of the session's sound proposal, if it has any
 */
void quotas_apply(struct session *session)
{
	struct holding holdings[SIMGPU_SLOTS_MAX];
	u32 slot, sm;

	if (!(session->proposal.flags & SIMGPU_SAYS_QUOTAS) ||
	    !session->any_shared)
		return;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		holdings[slot] = holding_of(session, slot);
		note_quota(session, slot, &holdings[slot]);
	}
	for (sm = 0; sm < session->initial.config.sms; sm++)
		set_quotas(session, sm, holdings);
}

/* --- figures ------------------------------------------------------------------------ */

u64 session_quota_checks(const struct session *session, u64 *overruns)
{
	*overruns = session->quota_overruns;
	return session->quota_checks;
}

/* quotas_figures() - figures of a tenant, whose counters must be up to date */
void quotas_figures(const struct session_tenant *tenant,
		    struct session_quota_figures *out)
{
	const struct quota_note *note = &tenant->quota;
	const struct simgpu_counters *counters = &tenant->last;

	out->last = note->last;
	out->used_ppm = fixed_ratio_ppm(counters->thread_instructions,
					note->given);
	out->blocks_ppm = fixed_ratio_ppm(note->blocks, note->sms);
	out->idle_blocks_ppm =
		fixed_ratio_ppm(counters->idle_warps,
				fixed_mul(counters->idle_warp_samples,
					  note->block_warps));
}

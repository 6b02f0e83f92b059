/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tenants say of the parts of the device that they want to keep to. A policy
 * gives parts of the device; a tenant's masks narrow them, and a launch's mask those of
 * its tenant. As with cpusets and affinities, the narrower mask does not count where it
 * would leave nothing of the wider one.
 */
#ifndef SESSION_AFFINITY_H
#define SESSION_AFFINITY_H

#include "../sim/gpu.h"

/* Words of a mask of SMs: bit i % 64 of word i / 64 is SM i. */
#define SESSION_MASK_WORDS		GPU_MASK_WORDS
/* Masks of SMs, each unlike the others, of a tenant's launches under way. */
#define SESSION_LAUNCH_MASKS_MAX	8

/**
 * struct session_masks - parts of the device that a tenant keeps to, a bit each
 * @sms: SMs on which its thread blocks begin; all zero: any. Holds for kernels that
 *	start from then on
 * @channels: memory channels that have its lines; 0: all. As gpu_set_channels(), at
 *	once
 * @llc_ways: of the last-level cache, in which its lines are put; 0: all
 */
struct session_masks {
	u64 sms[SESSION_MASK_WORDS];
	u64 channels;
	u64 llc_ways;
};

struct session;

/**
 * session_sms_are_good() - whether a mask of SMs can be
 * @config: of the GPU
 * @sms: the mask; all zero: none
 *
 * Return: whether it has no SM that there is not, and of each TPC all SMs or none.
 */
bool session_sms_are_good(const struct gpu_config *config,
			  const u64 sms[SESSION_MASK_WORDS]);

/**
 * session_masks_are_good() - whether a tenant could have masks
 * @config: of the GPU on which it would have a slot
 * @masks: all three
 *
 * Return: whether they name only what there is, as session_sms_are_good() says of SMs.
 */
bool session_masks_are_good(const struct gpu_config *config,
			    const struct session_masks *masks);

/**
 * session_set_masks() - change what a tenant keeps to
 * @session: the session
 * @slot: the tenant
 * @masks: all three; copied
 *
 * Return: 0 or -EINVAL: then nothing has changed.
 */
int session_set_masks(struct session *session, u32 slot,
		      const struct session_masks *masks);

/**
 * session_masks_meet() - whether a launch's mask leaves some of its tenant's SMs
 * @masks: of the tenant
 * @sms: of the launch; all zero: it has none
 *
 * Return: whether they have an SM in common, or one of them is none.
 */
bool session_masks_meet(const struct session_masks *masks,
			const u64 sms[SESSION_MASK_WORDS]);

/* What a tenant keeps to. */
const struct session_masks *session_masks(const struct session *session, u32 slot);

struct launch;
struct session_tenant;

/* For kmod/session alone. */
void masks_apply(struct session *session, u32 slot);
bool masks_have_sm(const struct session *session, u32 slot, u32 sm);
bool masks_of_launch(const struct session_tenant *tenant,
		     const struct launch *launch, u64 out[SESSION_MASK_WORDS]);
int masks_place(const struct session_tenant *tenant,
		const u64 sms[SESSION_MASK_WORDS]);

#endif /* SESSION_AFFINITY_H */

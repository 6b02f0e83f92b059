/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Masks: the parts of the device that tenants want to keep to. A policy
 * gives parts of the device; a tenant's masks narrow these, and a launch's mask those of
 * its tenant. As with cpusets and affinities, a narrower mask does not count where it
 * would leave nothing of the wider one.
 */
#ifndef SESSION_AFFINITY_H
#define SESSION_AFFINITY_H

#include "../sim/gpu.h"

/* Words of a mask of SMs: bit i % 64 of word i / 64 is SM i. */
#define SESSION_MASK_WORDS		GPU_MASK_WORDS
/* Different masks of SMs that a tenant's launches may have at a time. */
#define SESSION_LAUNCH_MASKS_MAX	8

/**
 * struct session_masks - parts of the device that a tenant keeps to, a bit each
 * @sms: SMs on which its thread blocks begin; all zero: any. A change counts for kernels
 *	that start from then on
 * @channels: memory channels that have its lines; 0: all. A change takes effect at once,
 *	see gpu_set_channels()
 * @llc_ways: ways of the last-level cache in which its lines are put; 0: all
 */
struct session_masks {
	u64 sms[SESSION_MASK_WORDS];
	u64 channels;
	u64 llc_ways;
};

struct session;

/**
 * session_sms_are_good() - whether a mask of SMs is valid
 * @config: configuration of the GPU
 * @sms: the mask; all zero: none
 *
 * Return: whether it has only SMs of the device, and all SMs or none of each TPC.
 */
bool session_sms_are_good(const struct gpu_config *config,
			  const u64 sms[SESSION_MASK_WORDS]);

/**
 * session_masks_are_good() - whether a tenant could have masks
 * @config: configuration of the GPU on which it would have a slot
 * @masks: all three
 *
 * Return: whether they only name parts of the device; SMs as in session_sms_are_good().
 */
bool session_masks_are_good(const struct gpu_config *config,
			    const struct session_masks *masks);

/**
 * session_set_masks() - change the masks of a tenant
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
 * @masks: masks of the tenant
 * @sms: mask of the launch; all zero: it has none
 *
 * Return: whether they have an SM in common, or one of the two is missing.
 */
bool session_masks_meet(const struct session_masks *masks,
			const u64 sms[SESSION_MASK_WORDS]);

/* The masks of a tenant. */
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

// SPDX-License-Identifier: GPL-2.0
/* The built-in slowdown models and policies, by name. */
#include "registry.h"

static const struct simgpu_model *const models[] = {
	&model_hsm,
	&model_hsm_atd,
	&model_mirror,
	&model_oracle,
	&model_themis,
	&model_themis_capped,
	&model_dase,
	&model_dase_capped,
	&model_asm,
	&model_asm_gpm,
	&model_bubble_flux,
};

static const struct simgpu_policy *const policies[] = {
	&policy_even,
	&policy_proportional,
	&policy_hsm_fair,
	&policy_hsm_qos,
	&policy_curve_fair,
	&policy_curve_qos,
	&policy_bw_app,
	&policy_themis_fair,
	&policy_themis_qos,
	&policy_dase_fair,
	&policy_dase_qos,
	&policy_bubble_flux,
	&policy_bubble_psp,
	&policy_sequential,
	&policy_concurrent,
	&policy_stm,
	&policy_stm_merged,
	&policy_stm_partition,
	&policy_quota_naive,
	&policy_quota_history,
	&policy_quota_elastic,
	&policy_quota_rollover,
	&policy_quota_rollover_time,
	&policy_quota_mixed,
	&policy_spart,
	&policy_cumask,
	&policy_mps_share,
	&policy_time_slice,
	&policy_slices,
	&policy_flep,
	&policy_mig,
	&policy_reef,
	&policy_orion,
	&policy_tally,
	&policy_krisp,
	&policy_lithos,
};

const struct simgpu_model *registry_model_at(unsigned int index)
{
	return index < ARRAY_SIZE(models) ? models[index] : NULL;
}

const struct simgpu_policy *registry_policy_at(unsigned int index)
{
	return index < ARRAY_SIZE(policies) ? policies[index] : NULL;
}

const struct simgpu_model *registry_model_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

const struct simgpu_policy *registry_policy_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(policies[i]->name, name))
			return policies[i];
	return NULL;
}

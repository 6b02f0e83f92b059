/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups of tenants: the one in which a tenant's file was opened, and the
 * administrator's rules for a cgroup and all below it: how many slots they take
 * together, and their weight; and who begins with another one's strike. Above tenant.h:
 * cgroups.c knows the tenants.
 */
#ifndef SIMGPU_CGROUPS_H
#define SIMGPU_CGROUPS_H

#include "device.h"
#include "tenant.h"

struct cgroup;

struct cgroup *simgpu_cgroup_get(void);
void simgpu_cgroup_put(struct cgroup *cgroup);
u64 simgpu_cgroup_id(const struct cgroup *cgroup);
int simgpu_cgroup_path(struct cgroup *cgroup, char *path, size_t bytes);

int simgpu_cgroups_set(struct simgpu_device *device,
		       const struct simgpu_cgroup_rule *rules, u32 count);
void simgpu_cgroups_read(struct simgpu_device *device,
			 struct simgpu_cgroup_rules *rules);
struct session_tenant_options
simgpu_tenant_session_options(const struct simgpu_tenant *tenant);
int simgpu_cgroups_admit(const struct simgpu_tenant *tenant);
void simgpu_cgroup_strike(const struct simgpu_tenant *tenant);
u32 simgpu_cgroup_strikes(const struct simgpu_tenant *tenant);
void simgpu_cgroup_forget_strike(const struct simgpu_tenant *tenant);
void simgpu_cgroups_weigh(struct simgpu_device *device);
extern const struct attribute_group simgpu_cgroups_group;

#endif /* SIMGPU_CGROUPS_H */

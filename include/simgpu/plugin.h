/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * One source for both homes of a policy that is not built in: compiled by kbuild it
 * is a kernel module, compiled into a shared object it is what `simgpu run --offline
 * --policy ./FILE.so` loads. docs/write-a-policy.md shows how.
 */
#ifndef SIMGPU_PLUGIN_H
#define SIMGPU_PLUGIN_H

#include <simgpu/policy.h>

#ifdef __KERNEL__

#include <simgpu/register.h>

/**
 * SIMGPU_POLICY_PLUGIN() - make this file a plug-in
 * @policy: a static const struct simgpu_policy
 */
#define SIMGPU_POLICY_PLUGIN(policy)					\
static int __init simgpu_plugin_init(void)				\
{									\
	return simgpu_register_policy(&(policy), THIS_MODULE);		\
}									\
module_init(simgpu_plugin_init);					\
									\
static void __exit simgpu_plugin_exit(void)				\
{									\
	simgpu_unregister_policy(&(policy));				\
}									\
module_exit(simgpu_plugin_exit);					\
									\
MODULE_DESCRIPTION("A policy for simgpu");				\
MODULE_LICENSE("GPL")

#else /* userspace */

/**
 * struct simgpu_plugin - what a shared object offers, as the symbol simgpu_plugin
 * @snapshot_version: SIMGPU_SNAPSHOT_VERSION that it was built with
 * @reserved: zero
 * @policy: its policy
 */
struct simgpu_plugin {
	u32 snapshot_version;
	u32 reserved;
	const struct simgpu_policy *policy;
};

#define SIMGPU_POLICY_PLUGIN(its_policy)				\
extern const struct simgpu_plugin simgpu_plugin;			\
const struct simgpu_plugin simgpu_plugin = {				\
	.snapshot_version = SIMGPU_SNAPSHOT_VERSION,			\
	.policy = &(its_policy),					\
}

#endif

#endif /* SIMGPU_PLUGIN_H */

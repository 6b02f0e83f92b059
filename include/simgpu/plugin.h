/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * One source file makes a policy, a model or a memory policy in both forms: kbuild makes a
 * kernel module of it, and a compiler a shared object, which `simgpu run --offline --policy
 * ./FILE.so` loads. docs/write-a-policy.md shows how.
 */
#ifndef SIMGPU_PLUGIN_H
#define SIMGPU_PLUGIN_H

#include <simgpu/memory_policy.h>
#include <simgpu/policy.h>

/*
 * zlib's crc32() of the source, which tools/build-policy defines; 0: not known. A journal
 * has it, so that a replay can tell whether it has the same source.
 */
#ifndef SIMGPU_PLUGIN_CHECKSUM
#define SIMGPU_PLUGIN_CHECKSUM	0
#endif

#ifdef __KERNEL__

#include <simgpu/register.h>

#define SIMGPU_PLUGIN(kind, its)					\
static struct simgpu_##kind simgpu_plugin_##kind;			\
									\
static int __init simgpu_plugin_init(void)				\
{									\
	simgpu_plugin_##kind = its;					\
	simgpu_plugin_##kind.source = SIMGPU_SOURCE_PLUGIN;		\
	simgpu_plugin_##kind.checksum = SIMGPU_PLUGIN_CHECKSUM;		\
	return simgpu_register_##kind(&simgpu_plugin_##kind,		\
				      THIS_MODULE);			\
}									\
module_init(simgpu_plugin_init);					\
									\
static void __exit simgpu_plugin_exit(void)				\
{									\
	simgpu_unregister_##kind(&simgpu_plugin_##kind);		\
}									\
module_exit(simgpu_plugin_exit);					\
									\
MODULE_DESCRIPTION("A " #kind " for simgpu");				\
MODULE_LICENSE("GPL")

#else /* userspace */

/**
 * struct simgpu_plugin - the symbol simgpu_plugin of a shared object
 * @snapshot_version: SIMGPU_SNAPSHOT_VERSION when it was compiled
 * @checksum: SIMGPU_PLUGIN_CHECKSUM
 * @policy: its policy, or NULL
 * @model: its model, or NULL
 * @memory_policy: its memory policy, or NULL
 */
struct simgpu_plugin {
	u32 snapshot_version;
	u32 checksum;
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	const struct simgpu_memory_policy *memory_policy;
};

#define SIMGPU_PLUGIN(kind, its)					\
extern const struct simgpu_plugin simgpu_plugin;			\
const struct simgpu_plugin simgpu_plugin = {				\
	.snapshot_version = SIMGPU_SNAPSHOT_VERSION,			\
	.checksum = SIMGPU_PLUGIN_CHECKSUM,				\
	.kind = &(its),							\
}

#endif

/**
 * SIMGPU_POLICY_PLUGIN() - make this file a plug-in
 * @its_policy: a static const struct simgpu_policy
 */
#define SIMGPU_POLICY_PLUGIN(its_policy)	SIMGPU_PLUGIN(policy, its_policy)

/**
 * SIMGPU_MODEL_PLUGIN() - make this file a plug-in
 * @its_model: a static const struct simgpu_model
 */
#define SIMGPU_MODEL_PLUGIN(its_model)		SIMGPU_PLUGIN(model, its_model)

/**
 * SIMGPU_MEMORY_POLICY_PLUGIN() - make this file a plug-in
 * @its_policy: a static const struct simgpu_memory_policy
 */
#define SIMGPU_MEMORY_POLICY_PLUGIN(its_policy)	SIMGPU_PLUGIN(memory_policy, its_policy)

#endif /* SIMGPU_PLUGIN_H */

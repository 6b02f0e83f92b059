/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_PLUGINS_H
#define SIMGPU_PLUGINS_H

#include "driver.h"

/**
 * enum simgpu_plugin_kind - what can be registered
 * @SIMGPU_PLUGIN_MODEL: &struct simgpu_model
 * @SIMGPU_PLUGIN_POLICY: &struct simgpu_policy
 * @SIMGPU_PLUGIN_MEMORY_POLICY: &struct simgpu_memory_policy
 */
enum simgpu_plugin_kind {
	SIMGPU_PLUGIN_MODEL,
	SIMGPU_PLUGIN_POLICY,
	SIMGPU_PLUGIN_MEMORY_POLICY
};

const struct simgpu_policy *simgpu_policy_get(const char *name);
const struct simgpu_model *simgpu_model_get(const char *name);
const struct simgpu_memory_policy *simgpu_memory_policy_get(const char *name);
void simgpu_plugin_hold(const void *is);
void simgpu_plugin_put(const void *is);
ssize_t simgpu_plugins_emit(char *buf, enum simgpu_plugin_kind kind);
ssize_t simgpu_plugins_emit_bpf(char *buf);
void simgpu_plugins_describe(struct seq_file *seq);
bool simgpu_plugin_name_valid(const char *name);
bool simgpu_policy_is_gone(const void *is);
int simgpu_bpf_policy_add(const void *is, enum simgpu_plugin_kind kind,
			  void (*release)(const void *is));
int simgpu_bpf_policy_replace(const void *old, const void *new);

#endif /* SIMGPU_PLUGINS_H */

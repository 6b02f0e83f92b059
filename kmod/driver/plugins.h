/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_PLUGINS_H
#define SIMGPU_PLUGINS_H

#include "driver.h"

const struct simgpu_policy *simgpu_policy_get(const char *name);
const struct simgpu_model *simgpu_model_get(const char *name);
void simgpu_plugin_hold(const void *policy_or_model);
void simgpu_plugin_put(const void *policy_or_model);
ssize_t simgpu_plugins_emit(char *buf, bool policies);
ssize_t simgpu_plugins_emit_bpf(char *buf);
void simgpu_plugins_describe(struct seq_file *seq);
bool simgpu_plugin_name_valid(const char *name);
bool simgpu_policy_is_gone(const struct simgpu_policy *policy);
int simgpu_bpf_policy_add(const struct simgpu_policy *policy,
			  void (*release)(const struct simgpu_policy *policy));
int simgpu_bpf_policy_replace(const struct simgpu_policy *old,
			      const struct simgpu_policy *new);

#endif /* SIMGPU_PLUGINS_H */

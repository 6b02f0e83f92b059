/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * How another kernel module registers a slowdown model, a policy or a memory policy of its
 * own with simgpu. docs/examples/policy has such modules.
 */
#ifndef SIMGPU_REGISTER_H
#define SIMGPU_REGISTER_H

#include <linux/module.h>
#include <simgpu/memory_policy.h>
#include <simgpu/model.h>
#include <simgpu/policy.h>

/*
 * These functions take the struct as it is: it has to stay valid and unchanged until it is
 * unregistered. The name is 1 to SIMGPU_NAME_BYTES - 1 printable characters
 * without blanks. A device holds a reference to @owner (THIS_MODULE) while it uses the
 * policy or model, so that the module's exit function can always unregister it.
 *
 * Return: 0; -EEXIST if the name is taken; -EINVAL for a bad name, no callback,
 * events or needs that do not exist, or a size out of its range; -ENOMEM.
 */
int simgpu_register_policy(const struct simgpu_policy *policy,
			   struct module *owner);
int simgpu_register_model(const struct simgpu_model *model,
			  struct module *owner);
int simgpu_register_memory_policy(const struct simgpu_memory_policy *policy,
				  struct module *owner);

/* Unregistering what is not registered does nothing. */
void simgpu_unregister_policy(const struct simgpu_policy *policy);
void simgpu_unregister_model(const struct simgpu_model *model);
void simgpu_unregister_memory_policy(const struct simgpu_memory_policy *policy);

#endif /* SIMGPU_REGISTER_H */

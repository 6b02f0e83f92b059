// SPDX-License-Identifier: GPL-2.0
/* Parameters and constants that a caller of the UAPI gives for a cold start. */
#include <linux/uaccess.h>

#include "driver.h"
#include "param_values.h"

/* The same for a parameter of the memory policy. */
static int simgpu_param_set_memory(const struct simgpu_param_value *param,
				   struct session_options *options,
				   struct session_refusal *why)
{
	u32 index;
	int ret;

	ret = session_check_param(session_first_memory_policy(options)->params,
				  SESSION_MEMORY_PARAMS, param->name, param->value,
				  &index, why);
	if (!ret)
		session_preset_memory_param(options, index, param->value);
	return ret;
}

/* Sets a parameter of the policy, of the model, of the memory policy, or of several. */
static int simgpu_param_set(const struct simgpu_param_value *param,
			    struct session_options *options,
			    struct session_refusal *why)
{
	size_t length = strnlen(param->name, sizeof(param->name));
	int model, policy, memory;
	u32 index;

	if (length == sizeof(param->name) ||
	    memchr_inv(param->name + length, 0, sizeof(param->name) - length))
		return -EINVAL;
	memory = simgpu_param_set_memory(param, options, why);
	if (memory == -EINVAL)
		return memory;
	model = session_check_param(options->model->params,
				    SESSION_MODEL_PARAMS, param->name,
				    param->value, &index, why);
	if (!model)
		options->model_params[index] = param->value;
	if (model == -EINVAL)
		return model;
	policy = session_check_param(options->policy->params,
				     SESSION_POLICY_PARAMS, param->name,
				     param->value, &index, why);
	if (!policy)
		options->policy_params[index] = param->value;
	if (policy == -EINVAL || (policy && model && memory))
		return -EINVAL;
	return 0;
}

/**
 * simgpu_params_apply() - set the parameters that a caller names
 * @array: the caller's array
 * @options: with policy and model; the parameters are set there, and may have changed
 *	after an error
 * @why: set to what is wrong with a parameter
 *
 * Touches user memory: no lock of the driver may be held.
 *
 * Return: 0; -EINVAL no such parameter, or a value out of range; -E2BIG; -EFAULT.
 */
int simgpu_params_apply(const struct simgpu_param_array *array,
			struct session_options *options,
			struct session_refusal *why)
{
	struct simgpu_param_value param;
	int ret = 0;
	u32 i;

	if (!array->count)
		return array->array ? -EINVAL : 0;
	if (array->count > SIMGPU_PARAM_VALUES_MAX || array->stride > PAGE_SIZE)
		return -E2BIG;
	if (array->stride < offsetofend(struct simgpu_param_value, value) ||
	    array->stride % sizeof(u64))
		return -EINVAL;
	for (i = 0; i < array->count && !ret; i++) {
		ret = copy_struct_from_user(&param, sizeof(param),
					    u64_to_user_ptr(array->array +
							    (u64)i * array->stride),
					    array->stride);
		ret = ret ?: simgpu_param_set(&param, options, why);
	}
	/* One that lacks the parameter has said so, though another one has it. */
	if (!ret)
		*why = (struct session_refusal) {};
	return ret;
}

/**
 * simgpu_constants_apply() - set the constants that a caller gives
 * @address: address of header and payload in user memory; 0: none are given
 * @bytes: their size
 * @options: with model and configuration; gets a copy in place of the one before, which
 *	port_free() frees
 * @why: set to what is wrong with them
 *
 * Touches user memory: no lock of the driver may be held.
 *
 * Return: 0; -EINVAL not for this model and configuration; -EFAULT; -ENOMEM.
 */
int simgpu_constants_apply(u64 address, u32 bytes,
			   struct session_options *options,
			   struct session_refusal *why)
{
	void *copy;

	if (!address)
		return 0;
	/* The check would refuse these, too, but they must not be copied before. */
	if (bytes > SIMGPU_CONSTANTS_BYTES_MAX)
		return -EINVAL;
	copy = port_alloc(bytes);
	if (!copy)
		return -ENOMEM;
	port_free(options->constants);
	options->constants = copy;
	options->constants_bytes = bytes;
	if (copy_from_user(copy, u64_to_user_ptr(address), bytes))
		return -EFAULT;
	return session_check_constants(options, why);
}

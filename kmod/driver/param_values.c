// SPDX-License-Identifier: GPL-2.0
/* Parameters, constants and failures that a caller of the UAPI gives for a cold start. */
#include <linux/capability.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "driver.h"
#include "param_values.h"
#include "../session/rows.h"

/* Checks an array of a caller's; elements of the first version have @least bytes. */
static int simgpu_array_check(u32 count, u32 stride, u32 most, size_t least)
{
	if (count > most || stride > PAGE_SIZE)
		return -E2BIG;
	return stride < least || stride % sizeof(u64) ? -EINVAL : 0;
}

/* Copies an element of a caller's array, which has been checked. */
static int simgpu_array_read(void *out, size_t bytes, u64 array, u32 stride, u32 index)
{
	return copy_struct_from_user(out, bytes,
				     u64_to_user_ptr(array + (u64)index * stride), stride);
}

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
	int ret;
	u32 i;

	if (!array->count)
		return array->array ? -EINVAL : 0;
	ret = simgpu_array_check(array->count, array->stride, SIMGPU_PARAM_VALUES_MAX,
				 offsetofend(struct simgpu_param_value, value));
	for (i = 0; i < array->count && !ret; i++) {
		ret = simgpu_array_read(&param, sizeof(param), array->array, array->stride, i);
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

/**
 * simgpu_injections_read() - the failures that a caller asks for
 * @array: the caller's array
 * @injections: set to them, which kfree() frees also after an error; NULL: there are none
 *
 * Others may have made a gang's members, so failures are for administrators alone. Touches
 * user memory: no lock of the driver may be held.
 *
 * Return: 0; -EPERM without CAP_SYS_ADMIN; -EINVAL for a bad one; -E2BIG; -EFAULT; -ENOMEM.
 */
int simgpu_injections_read(const struct simgpu_injection_array *array,
			   struct session_injection **injections)
{
	struct simgpu_injection row;
	int ret;
	u32 i;

	if (!array->count)
		return array->array ? -EINVAL : 0;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	ret = simgpu_array_check(array->count, array->stride, SIMGPU_INJECTIONS_MAX,
				 offsetofend(struct simgpu_injection, survives));
	if (ret)
		return ret;
	*injections = kcalloc(array->count, sizeof(**injections), GFP_KERNEL);
	if (!*injections)
		return -ENOMEM;
	for (i = 0; i < array->count && !ret; i++) {
		ret = simgpu_array_read(&row, sizeof(row), array->array, array->stride, i);
		if (ret)
			break;
		row_injection_read(&row, &(*injections)[i]);
		if (!session_injection_is_good(&(*injections)[i]))
			ret = -EINVAL;
	}
	return ret;
}

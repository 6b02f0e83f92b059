// SPDX-License-Identifier: GPL-2.0
/* Knobs of policies and models as a caller of the UAPI gives them. */
#include <linux/uaccess.h>

#include "driver.h"

static int simgpu_param_set(const struct simgpu_param_value *param,
			    struct simgpu_tunables *tunables)
{
	const struct tunable *tunable;

	if (strnlen(param->name, sizeof(param->name)) == sizeof(param->name))
		return -EINVAL;
	for (tunable = tunables_list; tunable->name; tunable++) {
		if (strcmp(tunable->name, param->name))
			continue;
		if (param->value > SIMGPU_PPM)
			return -EINVAL;
		*tunable_of(tunables, tunable) = param->value;
		return 0;
	}
	return -ENOENT;
}

/**
 * simgpu_params_apply() - set the knobs that a caller names
 * @array: the caller's
 * @tunables: where they are set; may have changed after an error
 *
 * Touches user memory: no lock of the driver may be held.
 *
 * Return: 0; -ENOENT no such knob; -EINVAL a value out of range; -E2BIG; -EFAULT.
 */
int simgpu_params_apply(const struct simgpu_param_array *array,
			struct simgpu_tunables *tunables)
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
		ret = ret ?: simgpu_param_set(&param, tunables);
	}
	return ret;
}

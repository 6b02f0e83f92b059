// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of a device's settings, whether they come by sysfs or by netlink:
 * checked as a whole, then made as a whole or not at all.
 */
#include "device.h"

static bool simgpu_change_possible(const struct simgpu_device_change *change,
				   const struct simgpu_tunables *tunables)
{
	const struct tunable *tunable;
	struct simgpu_tunables copy = *tunables;

	if (change->epoch_cycles &&
	    (change->epoch_cycles < SESSION_EPOCH_CYCLES_MIN ||
	     change->epoch_cycles > SESSION_EPOCH_CYCLES_MAX))
		return false;
	if (change->pace_ppm && *change->pace_ppm > SIMGPU_PACE_MAX_PPM)
		return false;
	for (tunable = tunables_list; tunable->name; tunable++)
		if (*tunable_of(&copy, tunable) > SIMGPU_PPM)
			return false;
	return true;
}

/* @tunables with those that change. */
static struct simgpu_tunables
simgpu_changed_tunables(struct simgpu_tunables tunables,
			const struct simgpu_device_change *change)
{
	const struct tunable *tunable;

	for (tunable = tunables_list; tunable->name; tunable++)
		if (change->tunables_set & SIMGPU_TUNABLE_BIT(tunable->offset))
			*(u64 *)((char *)&tunables + tunable->offset) =
				*(u64 *)((char *)&change->tunables +
					 tunable->offset);
	return tunables;
}

/*
 * Everything has been checked: nothing of this can fail. Takes over the
 * references to @policy and @model.
 */
static void simgpu_device_apply(struct simgpu_device *device,
				const struct simgpu_device_change *change,
				const struct simgpu_policy *policy,
				const struct simgpu_model *model)
{
	struct session_options *defaults = &device->defaults;
	struct simgpu_published *published = &device->published;
	struct simgpu_tunables tunables;

	simgpu_device_use(device, policy ?: device->policy,
			  model ?: device->model);
	if (change->policy) {
		session_set_policy(device->session, policy);
		simgpu_tell(policy, device, policy->name, false);
		simgpu_plugin_put(defaults->policy);
		defaults->policy = policy;
	}
	if (change->model) {
		session_set_model(device->session, model);
		simgpu_plugin_put(defaults->model);
		defaults->model = model;
	}
	/* A gang may have begun with knobs of its own; those it keeps. */
	tunables = simgpu_changed_tunables(published->tunables, change);
	if (change->tunables_set) {
		session_set_tunables(device->session, &tunables);
		defaults->tunables = simgpu_changed_tunables(defaults->tunables,
							     change);
	}
	if (change->epoch_cycles) {
		session_set_epoch_cycles(device->session, change->epoch_cycles);
		defaults->epoch_cycles = change->epoch_cycles;
	}
	if (change->pace_ppm) {
		WRITE_ONCE(device->pace_ppm, *change->pace_ppm);
		wake_up(&device->worker_wait);
	}
	spin_lock(&device->publish_lock);
	if (change->policy)
		strscpy(published->policy, policy->name, SIMGPU_NAME_MAX);
	if (change->model)
		strscpy(published->model, model->name, SIMGPU_NAME_MAX);
	if (change->tunables_set)
		published->tunables = tunables;
	if (change->epoch_cycles)
		published->epoch_cycles = change->epoch_cycles;
	spin_unlock(&device->publish_lock);
	simgpu_device_settle(device);
}

/**
 * simgpu_device_change() - change settings, from the next epoch's end on; the
 *	pace at once
 * @device: the device
 * @change: what to change
 *
 * Return: 0; or with nothing changed -EINVAL for an unknown name or a value out
 * of range, -ENODEV.
 */
int simgpu_device_change(struct simgpu_device *device,
			 const struct simgpu_device_change *change)
{
	const struct simgpu_policy *policy = NULL;
	const struct simgpu_model *model = NULL;
	struct simgpu_tunables tunables;
	int ret = -EINVAL;

	if (change->policy)
		policy = simgpu_policy_get(change->policy);
	if (change->model)
		model = simgpu_model_get(change->model);
	if ((change->policy && !policy) || (change->model && !model))
		goto err_put;
	ret = simgpu_device_lock(device);
	if (ret)
		goto err_put;
	tunables = simgpu_changed_tunables(device->defaults.tunables, change);
	if (!simgpu_change_possible(change, &tunables)) {
		simgpu_device_unlock(device);
		ret = -EINVAL;
		goto err_put;
	}
	simgpu_device_apply(device, change, policy, model);
	simgpu_device_unlock(device);
	simgpu_tell(settings, device);
	return 0;

err_put:
	simgpu_plugin_put(policy);
	simgpu_plugin_put(model);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of a device's settings, by sysfs or by netlink:
 * checked as a whole, then made as a whole or not at all.
 */
#include "change.h"
#include "deciders.h"
#include "device.h"
#include "device_settings.h"
#include "journal_room.h"
#include "observe.h"
#include "observers.h"
#include "plugins.h"
#include "turn.h"

/**
 * struct simgpu_deciders - policy and model after a change
 * @policy: with a reference
 * @model: with a reference
 * @memory_policy: with a reference
 * @constants: a copy of the change's constants, for the device's own sessions, or NULL
 */
struct simgpu_deciders {
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	const struct simgpu_memory_policy *memory_policy;
	void *constants;
};

static const struct simgpu_param *
simgpu_table(const struct simgpu_deciders *now, enum session_param_owner whose)
{
	switch (whose) {
	case SESSION_POLICY_PARAMS:
		return now->policy->params;
	case SESSION_MEMORY_PARAMS:
		return now->memory_policy->params;
	default:
		return now->model->params;
	}
}

static bool simgpu_params_fit(const struct simgpu_device_change *change,
			      const struct simgpu_deciders *now,
			     struct session_refusal *why)
{
	u32 i, index;

	for (i = 0; i < change->param_count; i++) {
		const struct simgpu_param_change *param = &change->params[i];

		if (session_check_param(simgpu_table(now, param->whose),
					param->whose, param->name, param->value,
					&index, why))
			return false;
	}
	return true;
}

static bool simgpu_constants_fit(struct simgpu_device *device,
				 const struct simgpu_device_change *change,
				 const struct simgpu_deciders *now,
				 struct session_refusal *why)
{
	struct session_options options = {
		.config = simgpu_device_shown(device)->config,
		.model = now->model,
		.constants = change->constants,
		.constants_bytes = change->constants_bytes,
	};

	return !change->constants || !session_check_constants(&options, why);
}

/* Whether the whole change can be made; what is wrong with a parameter is recorded. */
static int simgpu_change_check(struct simgpu_device *device,
			       const struct simgpu_device_change *change,
			       const struct simgpu_deciders *now)
{
	struct session_refusal why;

	lockdep_assert_held(&device->lock);
	if (!simgpu_settings_fit(change))
		return -EINVAL;
	if (simgpu_params_fit(change, now, &why) &&
	    simgpu_constants_fit(device, change, now, &why))
		return 0;
	simgpu_device_refused(device, &why);
	return -EINVAL;
}

/* The session asks the new policy and model from now on. */
static void simgpu_apply_asked(struct simgpu_device *device,
			       const struct simgpu_device_change *change,
			       const struct simgpu_deciders *now)
{
	simgpu_device_use(device, now->policy, now->model);
	if (change->policy)
		session_set_policy(device->session, now->policy);
	if (change->model)
		session_set_model(device->session, now->model);
}

/* A new policy or model begins with first values, here and in later sessions. */
static void simgpu_apply_deciders(struct simgpu_device *device,
				  const struct simgpu_device_change *change,
				  const struct simgpu_deciders *now)
{
	struct session_options *defaults = &device->defaults;

	if (!device->left)
		simgpu_apply_asked(device, change, now);
	if (change->policy) {
		simgpu_tell(policy, device, now->policy->name, false);
		simgpu_plugin_hold(now->policy);
		simgpu_plugin_put(defaults->policy);
		defaults->policy = now->policy;
	}
	if (change->model) {
		simgpu_plugin_hold(now->model);
		simgpu_plugin_put(defaults->model);
		defaults->model = now->model;
	}
	simgpu_options_begin(defaults, change->policy, change->model);
}

static void simgpu_apply_memory_policy(struct simgpu_device *device,
				       const struct simgpu_memory_policy *policy)
{
	if (!device->left) {
		session_use_memory_policy(device->session, policy);
		/* One that gives no ranks has been replaced already. */
		simgpu_device_use_memory(device, session_memory_policy(device->session));
	}
	simgpu_device_own_memory(device, policy);
}

/* A gang may run on another GPU, for which a model has other first values. */
static bool simgpu_is_own_gpu(const struct simgpu_device *device)
{
	return !strcmp(device->defaults.config.name,
		       simgpu_device_shown(device)->config.name);
}

/* If a gang's policy or model is not the device's own, the device's keeps its parameters. */
static void simgpu_apply_param(struct simgpu_device *device,
			       const struct simgpu_param_change *param,
			      const struct simgpu_deciders *now)
{
	struct session_options *defaults = &device->defaults;
	struct session_refusal unused;
	u32 index;

	if (!device->left)
		session_set_param(device->session, param->whose, param->name,
				  param->value);
	session_check_param(simgpu_table(now, param->whose), param->whose,
			    param->name, param->value, &index, &unused);
	if (param->whose == SESSION_POLICY_PARAMS &&
	    defaults->policy == now->policy)
		defaults->policy_params[index] = param->value;
	if (param->whose == SESSION_MODEL_PARAMS &&
	    defaults->model == now->model && simgpu_is_own_gpu(device))
		defaults->model_params[index] = param->value;
	if (param->whose == SESSION_MEMORY_PARAMS &&
	    defaults->memory_policy == now->memory_policy)
		session_preset_memory_param(defaults, index, param->value);
}

/* The same for constants, which are for one GPU; takes over the copy. */
static void simgpu_apply_constants(struct simgpu_device *device,
				   const struct simgpu_device_change *change,
				   struct simgpu_deciders *now)
{
	struct session_options *defaults = &device->defaults;

	if (!device->left)
		session_set_constants(device->session, change->constants,
				      change->constants_bytes);
	if (defaults->model != now->model || !simgpu_is_own_gpu(device))
		return;
	port_free(defaults->constants);
	defaults->constants = now->constants;
	defaults->constants_bytes = change->constants_bytes;
	now->constants = NULL;
}

static void simgpu_apply_published(struct simgpu_device *device)
{
	struct simgpu_published *published = &device->published;

	if (device->left) {
		simgpu_device_leave(device);
		return;
	}
	spin_lock(&device->publish_lock);
	strscpy(published->policy, device->policy->name, SIMGPU_NAME_MAX);
	strscpy(published->model, device->model->name, SIMGPU_NAME_MAX);
	spin_unlock(&device->publish_lock);
	simgpu_params_publish(device);
}

/*
 * Everything has been checked, and there is memory for it, so nothing of this can fail. A
 * session that a gang has left is not changed: the change is for the device's own sessions.
 */
static void simgpu_device_apply(struct simgpu_device *device,
				const struct simgpu_device_change *change,
				struct simgpu_deciders *now)
{
	u32 i;

	lockdep_assert_held(&device->lock);
	lockdep_assert_held(&device->renew_lock);
	if (change->policy || change->model)
		simgpu_apply_deciders(device, change, now);
	if (change->memory_policy)
		simgpu_apply_memory_policy(device, now->memory_policy);
	for (i = 0; i < change->param_count; i++)
		simgpu_apply_param(device, &change->params[i], now);
	if (change->constants)
		simgpu_apply_constants(device, change, now);
	simgpu_settings_apply(device, change);
	simgpu_apply_published(device);
	simgpu_device_settle(device);
}

/* Takes references to policy and model; those that the change does not name come later. */
static int simgpu_change_begin(const struct simgpu_device_change *change,
			       struct simgpu_deciders *now)
{
	if (change->policy) {
		now->policy = simgpu_policy_get(change->policy);
		if (!now->policy)
			return -EINVAL;
	}
	if (change->model) {
		now->model = simgpu_model_get(change->model);
		if (!now->model)
			return -EINVAL;
	}
	if (change->memory_policy) {
		now->memory_policy = simgpu_memory_policy_get(change->memory_policy);
		if (!now->memory_policy)
			return -EINVAL;
	}
	if (!change->constants)
		return 0;
	now->constants = simgpu_constants_copy(change->constants,
					       change->constants_bytes);
	return now->constants ? 0 : -ENOMEM;
}

/* With the device's lock held, and with @renew_lock. */
static int simgpu_change_locked(struct simgpu_device *device,
				const struct simgpu_device_change *change,
				struct simgpu_deciders *now)
{
	int ret;

	lockdep_assert_held(&device->lock);
	if (!now->policy) {
		now->policy = device->left ? device->defaults.policy :
					     device->policy;
		simgpu_plugin_hold(now->policy);
	}
	if (!now->model) {
		now->model = device->left ? device->defaults.model :
					    device->model;
		simgpu_plugin_hold(now->model);
	}
	if (!now->memory_policy) {
		now->memory_policy = device->left ? device->defaults.memory_policy :
						    device->memory_policy;
		simgpu_plugin_hold(now->memory_policy);
	}
	/* The policy may have gone since it was looked up. */
	if ((change->policy && simgpu_policy_is_gone(now->policy)) ||
	    (change->memory_policy && simgpu_policy_is_gone(now->memory_policy)))
		return -EINVAL;
	ret = simgpu_change_check(device, change, now);
	ret = ret ?: simgpu_settings_prepare(device, change);
	if (!ret)
		simgpu_device_apply(device, change, now);
	return ret;
}

static int simgpu_change_make(struct simgpu_device *device,
			      const struct simgpu_device_change *change,
			      struct simgpu_deciders *now)
{
	int ret;

	if (mutex_lock_killable(&device->renew_lock))
		return -EINTR;
	ret = simgpu_device_lock_to_note(device);
	if (!ret) {
		ret = simgpu_change_locked(device, change, now);
		simgpu_device_unlock(device);
	}
	mutex_unlock(&device->renew_lock);
	return ret;
}

/**
 * simgpu_device_change() - change settings, from the next epoch's end on; pace,
 *	policy and model at once
 * @device: the device
 * @change: what to change
 *
 * Return: 0; or with nothing changed -EINVAL for an unknown name or a value out
 * of range, -ENOMEM, -ENODEV, -EINTR. last_refusal says what was wrong with a parameter
 * or with constants.
 */
int simgpu_device_change(struct simgpu_device *device,
			 const struct simgpu_device_change *change)
{
	struct simgpu_deciders now = {};
	int ret;

	ret = simgpu_change_begin(change, &now);
	ret = ret ?: simgpu_change_make(device, change, &now);
	simgpu_plugin_put(now.policy);
	simgpu_plugin_put(now.model);
	simgpu_plugin_put(now.memory_policy);
	port_free(now.constants);
	if (ret)
		return ret;
	if (change->policy || change->model || change->memory_policy)
		simgpu_tell(deciders, device);
	simgpu_tell(settings, device);
	return 0;
}

/* The present session, which may still run, must not use the old policy any more. */
static void simgpu_succeed_asked(struct simgpu_device *device,
				 const struct simgpu_policy *old,
				 const struct simgpu_policy *new)
{
	lockdep_assert_held(&device->lock);
	if (device->policy != old || device->left || device->ending.over)
		return;
	if (!new) {
		session_policy_is_gone(device->session);
		simgpu_device_fell_back(device,
					session_last_refusal(device->session));
		return;
	}
	simgpu_device_use(device, new, device->model);
	session_set_policy(device->session, new);
	simgpu_tell(policy, device, new->name, false);
	simgpu_params_publish(device);
}

/* Later sessions must not use the old policy either. */
static void simgpu_succeed_defaults(struct simgpu_device *device,
				    const struct simgpu_policy *old,
				    const struct simgpu_policy *new)
{
	struct session_options *defaults = &device->defaults;

	if (defaults->policy != old)
		return;
	defaults->policy = new ?: &policy_even;
	simgpu_plugin_hold(defaults->policy);
	simgpu_plugin_put(old);
	simgpu_options_begin(defaults, true, false);
	if (device->left)
		simgpu_device_leave(device);
}

static void simgpu_succeed_policy(struct simgpu_device *device,
				  const struct simgpu_policy *old,
				  const struct simgpu_policy *new)
{
	if (device->policy != old && device->defaults.policy != old)
		return;
	simgpu_succeed_asked(device, old, new);
	simgpu_succeed_defaults(device, old, new);
	simgpu_device_settle(device);
}

static void simgpu_succeed_memory_policy(struct simgpu_device *device,
					 const struct simgpu_memory_policy *old,
					 const struct simgpu_memory_policy *new)
{
	const bool asked = device->memory_policy == old && !device->left &&
			   !device->ending.over;

	if (device->memory_policy != old && device->defaults.memory_policy != old)
		return;
	if (asked && new) {
		session_use_memory_policy(device->session, new);
		simgpu_device_use_memory(device, session_memory_policy(device->session));
	} else if (asked) {
		session_memory_policy_is_gone(device->session);
		simgpu_device_memory_fell_back(device,
					       session_last_refusal(device->session));
	}
	if (device->defaults.memory_policy == old)
		simgpu_device_own_memory(device, new ?: registry_memory_policy_at(0));
	if (device->left)
		simgpu_device_leave(device);
	else
		simgpu_params_publish(device);
	simgpu_device_settle(device);
}

static void simgpu_device_succeed(struct simgpu_device *device,
				  enum simgpu_plugin_kind kind, const void *old,
				  const void *new)
{
	const bool memory = kind == SIMGPU_PLUGIN_MEMORY_POLICY;

	mutex_lock(&device->renew_lock);
	simgpu_device_lock_closing(device);
	if (device->session && memory)
		simgpu_succeed_memory_policy(device, old, new);
	else if (device->session)
		simgpu_succeed_policy(device, old, new);
	simgpu_device_unlock(device);
	mutex_unlock(&device->renew_lock);
	simgpu_tell(deciders, device);
	if (memory)
		simgpu_tell(settings, device);
}

/**
 * simgpu_devices_succeed() - a policy or memory policy has gone: another one replaces it on
 *	all devices
 * @kind: which of the two
 * @old: the old one, which is not listed any more
 * @new: begins like one that was set; NULL: even, or uvm, with the reason in last_refusal
 *
 * A gang's session that has ended stays as it ended. When this returns, no device asks
 * the old one any more.
 */
void simgpu_devices_succeed(enum simgpu_plugin_kind kind, const void *old, const void *new)
{
	struct simgpu_device *device;
	u32 i;

	for (i = 0; i < SIMGPU_DEVICES_MAX; i++) {
		device = simgpu_device_find(i);
		if (!device)
			continue;
		simgpu_device_succeed(device, kind, old, new);
		put_device(&device->dev);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The policy and the model that a device's session asks, with their parameters and
 * constants, and the ones with which its next sessions begin.
 */
#include "deciders.h"
#include "device.h"
#include "observers.h"
#include "plugins.h"

/**
 * simgpu_constants_copy() - copy a model's constants
 * @constants: header and payload
 * @bytes: size of both
 *
 * Return: the copy, which port_free() frees, or NULL.
 */
void *simgpu_constants_copy(const void *constants, u32 bytes)
{
	void *copy = port_alloc(bytes);

	if (copy)
		memcpy(copy, constants, bytes);
	return copy;
}

/**
 * simgpu_options_begin() - set first values for a new policy or model
 * @options: with policy, model and configuration; own their constants
 * @policy: whether the policy is new: set its parameters
 * @model: whether the model or its GPU is: set its parameters, and drop constants
 */
void simgpu_options_begin(struct session_options *options, bool policy,
			  bool model)
{
	u64 policy_params[SIMGPU_PARAMS_MAX], model_params[SIMGPU_PARAMS_MAX];

	memcpy(policy_params, options->policy_params, sizeof(policy_params));
	memcpy(model_params, options->model_params, sizeof(model_params));
	session_default_params(options);
	if (!policy)
		memcpy(options->policy_params, policy_params,
		       sizeof(policy_params));
	if (!model) {
		memcpy(options->model_params, model_params,
		       sizeof(model_params));
		return;
	}
	port_free(options->constants);
	options->constants = NULL;
	options->constants_bytes = 0;
}

/**
 * simgpu_device_options() - the options of the device's own sessions
 * @device: the device
 * @options: set to them, with references to policy and model and a copy of constants;
 *	simgpu_options_put() gives these back
 *
 * Return: 0 or -ENOMEM.
 */
int simgpu_device_options(struct simgpu_device *device,
			  struct session_options *options)
{
	const struct session_options *defaults = &device->defaults;

	lockdep_assert_held(&device->lock);
	*options = *defaults;
	if (defaults->constants) {
		options->constants =
			simgpu_constants_copy(defaults->constants,
					      defaults->constants_bytes);
		if (!options->constants)
			return -ENOMEM;
	}
	simgpu_plugin_hold(options->policy);
	simgpu_plugin_hold(options->model);
	simgpu_plugin_hold(options->memory_policy);
	return 0;
}

/**
 * simgpu_options_put() - give back what options hold
 * @options: from simgpu_device_options()
 */
void simgpu_options_put(const struct session_options *options)
{
	simgpu_plugin_put(options->policy);
	simgpu_plugin_put(options->model);
	simgpu_plugin_put(options->memory_policy);
	port_free((void *)options->constants);
}

/**
 * simgpu_device_use() - hold the policy and model that the session asks now
 * @device: the device
 * @policy: the policy; NULL: none, the device is going away
 * @model: the model; NULL: none
 *
 * Gives back the ones before.
 */
void simgpu_device_use(struct simgpu_device *device,
		       const struct simgpu_policy *policy,
		       const struct simgpu_model *model)
{
	const struct simgpu_policy *old_policy = device->policy;
	const struct simgpu_model *old_model = device->model;

	lockdep_assert_held(&device->lock);
	if (policy)
		simgpu_plugin_hold(policy);
	if (model)
		simgpu_plugin_hold(model);
	device->policy = policy;
	device->model = model;
	device->slow = false;
	if (policy != old_policy)
		device->decisions = (struct simgpu_decisions) {};
	if (model != old_model)
		device->predictions = (struct simgpu_decisions) {};
	simgpu_plugin_put(old_policy);
	simgpu_plugin_put(old_model);
}

/**
 * simgpu_device_use_memory() - hold the memory policy that the session asks now
 * @device: the device
 * @policy: the memory policy; NULL: none, the device is going away
 *
 * Gives back the one before.
 */
void simgpu_device_use_memory(struct simgpu_device *device,
			      const struct simgpu_memory_policy *policy)
{
	const struct simgpu_memory_policy *old = device->memory_policy;

	lockdep_assert_held(&device->lock);
	if (policy)
		simgpu_plugin_hold(policy);
	device->memory_policy = policy;
	device->memory_slow = false;
	if (policy != old) {
		device->placements = (struct simgpu_decisions) {};
		device->ranks = (struct simgpu_decisions) {};
	}
	simgpu_plugin_put(old);
}

/**
 * simgpu_device_own_memory() - set the memory policy of the device's later sessions
 * @device: the device
 * @policy: the memory policy
 */
void simgpu_device_own_memory(struct simgpu_device *device,
			      const struct simgpu_memory_policy *policy)
{
	const struct simgpu_memory_policy *old = device->defaults.memory_policy;

	lockdep_assert_held(&device->lock);
	simgpu_plugin_hold(policy);
	device->defaults.memory_policy = policy;
	device->defaults.memory_policy_index = registry_memory_policy_place(policy);
	device->defaults.memory_params_set = 0;
	simgpu_plugin_put(old);
}

/**
 * simgpu_params_read() - the parameters in force
 * @device: the device
 * @whose: the model's or the policy's
 * @params: set to a copy
 *
 * Takes no lock that is held for long.
 */
void simgpu_params_read(struct simgpu_device *device, enum session_param_owner whose,
			struct simgpu_params *params)
{
	spin_lock(&device->publish_lock);
	*params = device->params[whose];
	spin_unlock(&device->publish_lock);
}

/* Returns whether the set of parameters has changed. */
static bool simgpu_params_fill(struct simgpu_params *shown,
			       const struct simgpu_param *params,
			      const u64 *values)
{
	u32 count = 0;
	bool others = false;

	while (params && count < SIMGPU_PARAMS_MAX && params[count].name) {
		const struct simgpu_param *param = &params[count];

		if (count >= shown->count ||
		    strcmp(shown->at[count].name, param->name))
			others = true;
		strscpy(shown->at[count].name, param->name, SIMGPU_NAME_MAX);
		shown->at[count].unit = param->unit;
		shown->at[count].value = values[count];
		count++;
	}
	others |= count != shown->count;
	shown->count = count;
	return others;
}

/* The values with which the device's own memory policy begins */
static void simgpu_own_memory_params(const struct session_options *own, u64 *values)
{
	const struct simgpu_param *params = own->memory_policy->params;
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++)
		values[i] = session_first_memory_param(own, params, i);
}

/**
 * simgpu_params_publish() - publish the parameters of the session's policy, model and memory
 *	policy, or of the device's own if a gang has left the session
 * @device: the device
 */
void simgpu_params_publish(struct simgpu_device *device)
{
	const struct session_options *own = &device->defaults;
	const struct simgpu_param *policy = device->policy->params;
	const struct simgpu_param *model = device->model->params;
	const struct simgpu_param *memory = device->memory_policy->params;
	const u64 *policy_values, *model_values, *memory_values;
	u64 own_memory[SIMGPU_PARAMS_MAX] = {};
	bool others;

	lockdep_assert_held(&device->lock);
	policy_values = session_params(device->session, SESSION_POLICY_PARAMS);
	model_values = session_params(device->session, SESSION_MODEL_PARAMS);
	memory_values = session_params(device->session, SESSION_MEMORY_PARAMS);
	if (device->left) {
		policy = own->policy->params;
		model = own->model->params;
		policy_values = own->policy_params;
		model_values = own->model_params;
		memory = own->memory_policy->params;
		simgpu_own_memory_params(own, own_memory);
		memory_values = own_memory;
	}
	spin_lock(&device->publish_lock);
	others = simgpu_params_fill(&device->params[SESSION_POLICY_PARAMS],
				    policy, policy_values);
	others |= simgpu_params_fill(&device->params[SESSION_MODEL_PARAMS], model,
				    model_values);
	others |= simgpu_params_fill(&device->params[SESSION_MEMORY_PARAMS], memory,
				    memory_values);
	spin_unlock(&device->publish_lock);
	if (others)
		simgpu_tell(params, device);
}

/**
 * simgpu_device_fell_back() - even has replaced the session's policy
 * @device: the device
 * @why: what happened
 */
void simgpu_device_fell_back(struct simgpu_device *device,
			     const struct session_refusal *why)
{
	struct session_options *defaults = &device->defaults;
	char words[ROW_REFUSAL_BYTES];

	lockdep_assert_held(&device->lock);
	row_refusal_words(why, words);
	dev_warn(&device->dev, "policy %s: %s: even takes its place\n",
		 device->policy->name, words);
	device->refusals.count++;
	strscpy(device->refusals.policy, device->policy->name, SIMGPU_NAME_BYTES);
	simgpu_tell(policy, device, policy_even.name, true);
	/* A failure in a gang, with its parameters and GPU, does not concern the device. */
	if (!device->start.gang_size && defaults->policy == device->policy) {
		simgpu_plugin_put(defaults->policy);
		defaults->policy = &policy_even;
		simgpu_options_begin(defaults, true, false);
	}
	simgpu_device_use(device, &policy_even, device->model);
	spin_lock(&device->publish_lock);
	strscpy(device->published.policy, policy_even.name, SIMGPU_NAME_MAX);
	spin_unlock(&device->publish_lock);
	simgpu_params_publish(device);
	simgpu_tell(settings, device);
}

/**
 * simgpu_device_memory_fell_back() - uvm takes the place of the session's memory policy
 * @device: the device
 * @why: what happened
 */
void simgpu_device_memory_fell_back(struct simgpu_device *device,
				    const struct session_refusal *why)
{
	const struct simgpu_memory_policy *uvm = registry_memory_policy_at(0);

	lockdep_assert_held(&device->lock);
	dev_warn(&device->dev, "memory policy %s: uvm takes its place\n", why->reason);
	/* A failure in a gang does not concern the device. */
	if (!device->start.gang_size &&
	    device->defaults.memory_policy == device->memory_policy)
		simgpu_device_own_memory(device, uvm);
	simgpu_device_use_memory(device, uvm);
	spin_lock(&device->publish_lock);
	strscpy(device->published.memory_policy, uvm->name, SIMGPU_NAME_MAX);
	spin_unlock(&device->publish_lock);
	simgpu_params_publish(device);
	simgpu_tell(settings, device);
}

// SPDX-License-Identifier: GPL-2.0
/* Parameters of models and policies on the command line; see param_text.h. */
#include "param_text.h"

void set_params_parse(struct argp_state *state, struct set_params *params,
		      const char *text)
{
	size_t length = strcspn(text, "=");

	if (!length || !text[length] || length >= SIMGPU_NAME_BYTES ||
	    strlen(text + length + 1) >= SIMGPU_NAME_BYTES)
		argp_error(state, "--set takes NAME=VALUE, not \"%s\"", text);
	if (params->count == SET_PARAMS_MAX)
		argp_error(state, "--set can be given %d times", SET_PARAMS_MAX);
	memcpy(params->set[params->count].name, text, length);
	strcpy(params->set[params->count++].value, text + length + 1);
}

void param_print(const struct simgpu_param *param, u64 value, char *text,
		 size_t room)
{
	if (param->unit == SIMGPU_UNIT_RATIO)
		snprintf(text, room, "%llu.%06llu", value / SIMGPU_PPM,
			 value % SIMGPU_PPM);
	else
		snprintf(text, room, "%llu", value);
}

bool param_value(const struct simgpu_param *param, const char *text, u64 *value)
{
	if (param->unit != SIMGPU_UNIT_RATIO)
		return parse_number(text, param->least, param->most, value);
	return parse_ppm(text, value) && *value >= param->least &&
	       *value <= param->most;
}

static const struct simgpu_param *find(const struct simgpu_param *params,
				       const char *name)
{
	for (; params && params->name; params++)
		if (!strcmp(params->name, name))
			return params;
	return NULL;
}

/* Set a parameter, if the table has it; false: its value is out of range. */
static bool set(const struct simgpu_param *params, u64 *values, const char *name,
		const char *text, bool *known)
{
	const struct simgpu_param *param = find(params, name);
	char least[24], most[24];

	if (!param)
		return true;
	*known = true;
	if (param_value(param, text, &values[param - params]))
		return true;
	param_print(param, param->least, least, sizeof(least));
	param_print(param, param->most, most, sizeof(most));
	fail("%s is a number from %s to %s, not \"%s\"", name, least, most,
	     text);
	return false;
}

/* The same for the memory policy, of which the options say what is not a first value. */
static bool set_memory(struct session_options *options, const char *name, const char *text,
		       bool *known)
{
	const struct simgpu_param *params = session_first_memory_policy(options)->params;
	const struct simgpu_param *param = find(params, name);

	if (!set(params, options->memory_params, name, text, known))
		return false;
	if (param)
		options->memory_params_set |= 1U << (param - params);
	return true;
}

int set_params_apply(const struct set_params *params,
		     struct session_options *options, u32 *known)
{
	u32 i;

	for (i = 0; i < params->count; i++) {
		const char *name = params->set[i].name;
		const char *value = params->set[i].value;
		bool found = false;

		if (!set(options->policy->params, options->policy_params, name,
			 value, &found) ||
		    !set(options->model->params, options->model_params, name,
			 value, &found) ||
		    !set_memory(options, name, value, &found))
			return STATUS_USAGE;
		if (known && found)
			*known |= 1U << i;
	}
	return STATUS_OK;
}

static void list(char *text, size_t room, const struct simgpu_param *params)
{
	for (; params && params->name; params++)
		snprintf(text + strlen(text), room - strlen(text), "%s%s",
			 *text ? ", " : "", params->name);
}

int set_params_check(const struct set_params *params, u32 known,
		     const struct session_options *options)
{
	char names[3 * SIMGPU_PARAMS_MAX * (SIMGPU_NAME_BYTES + 2)] = "";
	u32 i;

	for (i = 0; i < params->count; i++) {
		if (known >> i & 1)
			continue;
		list(names, sizeof(names), options->policy->params);
		list(names, sizeof(names), options->model->params);
		if (options->config.managed_mb)
			list(names, sizeof(names),
			     session_first_memory_policy(options)->params);
		fail("neither %s nor %s has a parameter \"%s\"; parameters: %s",
		     options->policy->name, options->model->name,
		     params->set[i].name, *names ? names : "none");
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

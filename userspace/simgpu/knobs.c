// SPDX-License-Identifier: GPL-2.0
/* Parameters of models and policies on the command line; see knobs.h. */
#include "knobs.h"

void knobs_parse(struct argp_state *state, struct knobs *knobs, const char *text)
{
	size_t length = strcspn(text, "=");

	if (!length || !text[length] || length >= SIMGPU_NAME_BYTES ||
	    strlen(text + length + 1) >= SIMGPU_NAME_BYTES)
		argp_error(state, "--set takes NAME=VALUE, not \"%s\"", text);
	if (knobs->count == KNOBS_MAX)
		argp_error(state, "--set can be given %d times", KNOBS_MAX);
	memcpy(knobs->set[knobs->count].name, text, length);
	strcpy(knobs->set[knobs->count++].value, text + length + 1);
}

void knob_print(const struct simgpu_param *param, u64 value, char *text,
		size_t room)
{
	if (param->unit == SIMGPU_UNIT_RATIO)
		snprintf(text, room, "%llu.%06llu", value / SIMGPU_PPM,
			 value % SIMGPU_PPM);
	else
		snprintf(text, room, "%llu", value);
}

bool knob_value(const struct simgpu_param *param, const char *text, u64 *value)
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
	if (knob_value(param, text, &values[param - params]))
		return true;
	knob_print(param, param->least, least, sizeof(least));
	knob_print(param, param->most, most, sizeof(most));
	fail("%s is a number from %s to %s, not \"%s\"", name, least, most,
	     text);
	return false;
}

int knobs_apply(const struct knobs *knobs, struct session_options *options,
		u32 *known)
{
	u32 i;

	for (i = 0; i < knobs->count; i++) {
		const char *name = knobs->set[i].name;
		const char *value = knobs->set[i].value;
		bool found = false;

		if (!set(options->policy->params, options->policy_params, name,
			 value, &found) ||
		    !set(options->model->params, options->model_params, name,
			 value, &found))
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

int knobs_check(const struct knobs *knobs, u32 known,
		const struct session_options *options)
{
	char names[2 * SIMGPU_PARAMS_MAX * (SIMGPU_NAME_BYTES + 2)] = "";
	u32 i;

	for (i = 0; i < knobs->count; i++) {
		if (known >> i & 1)
			continue;
		list(names, sizeof(names), options->policy->params);
		list(names, sizeof(names), options->model->params);
		fail("neither %s nor %s has a knob \"%s\"; knobs: %s",
		     options->policy->name, options->model->name,
		     knobs->set[i].name, *names ? names : "none");
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

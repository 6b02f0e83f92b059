// SPDX-License-Identifier: GPL-2.0
/* What results were made of; see made_by.h. */
/* For asprintf. */
#define _GNU_SOURCE
#include <linux/simgpu_trace.h>

#include "json.h"
#include "made_by.h"
#include "output.h"

/* The build defines the version; the C library prints it for --version. */
const char *argp_program_version = "simgpu " SIMGPU_VERSION;

const char *made_by_version(void)
{
	return strchr(argp_program_version, ' ') + 1;
}

u32 made_by_checksum(const struct workload *workload)
{
	const struct simgpu_trace_header *header = workload->bytes;

	return workload->count < sizeof(*header) ? 0 : header->checksum;
}

void made_by_json(struct json_object *object, const struct workload *workloads,
		  u32 count)
{
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < count; i++) {
		struct json_object *workload = json_object_new_object();

		json_set_string(workload, "name", workloads[i].name);
		json_set_checksum(workload, "trace_checksum",
				  workloads[i].trace->checksum);
		json_object_array_add(array, workload);
	}
	json_set_string(object, "version", made_by_version());
	json_set(object, "workloads", array);
}

void made_by_settings_json(struct json_object *object,
			   const struct settings *settings)
{
	session_for_each_setting(setting) {
		u64 value = session_setting_get(setting, &settings->session);

		if (!(setting->flags & SESSION_SETTING_JSON))
			continue;
		if (setting->words)
			json_set_string(object, setting->name,
					setting->words[value]);
		else
			json_set(object, setting->name, json_u64(value));
	}
}

/* The next name in alphabetical order after another one; NULL: there is none. */
static const struct simgpu_param *next_param(const struct simgpu_param *params,
					     const char *before)
{
	const struct simgpu_param *next = NULL;

	for (; params && params->name; params++)
		if (strcmp(params->name, before) > 0 &&
		    (!next || strcmp(params->name, next->name) < 0))
			next = params;
	return next;
}

/* Parameters in alphabetical order, in which a device's files are listed. */
static struct json_object *params_json(const struct simgpu_param *params,
				       const u64 *values)
{
	struct json_object *object = json_object_new_object();
	const struct simgpu_param *param = next_param(params, "");
	char text[SIMGPU_VALUE_BYTES], *end;
	double number;

	for (; param; param = next_param(params, param->name)) {
		param_print(param, values[param - params], text, sizeof(text));
		number = strtod(text, &end);
		json_set(object, param->name, *end ?
			 json_object_new_string(text) :
			 json_object_new_double_s(number, text));
	}
	return object;
}

static struct json_object *memory_params_json(const struct session_options *options)
{
	const struct simgpu_param *params = session_first_memory_policy(options)->params;
	u64 values[SIMGPU_PARAMS_MAX];
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++)
		values[i] = session_first_memory_param(options, params, i);
	return params_json(params, values);
}

void made_by_params_json(struct json_object *object,
			 const struct settings *settings)
{
	struct session_options options;

	if (settings_options(settings, &options))
		return;
	json_set(object, "policy_params",
		 params_json(options.policy->params, options.policy_params));
	if (options.config.managed_mb)
		json_set(object, "memory_params", memory_params_json(&options));
	json_set(object, "model_params",
		 params_json(options.model->params, options.model_params));
}

char *made_by_params_text(const struct json_object *object)
{
	static const char *const tables[] = { "policy_params", "model_params" };
	struct json_object *params;
	char *text = NULL, *longer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		params = json_object_object_get(object, tables[i]);
		if (!params)
			continue;
		json_object_object_foreach(params, name, value) {
			if (asprintf(&longer, "%s%s%s %s", text ? text : "",
				     text ? ", " : "", name,
				     json_object_get_string(value)) < 0)
				continue;
			free(text);
			text = longer;
		}
	}
	return text;
}

// SPDX-License-Identifier: GPL-2.0
/* Prints the properties of a policy or a model; see policy_show.h. */
#include "../contender.h"
#include "../json.h"
#include "loaded_policy.h"
#include "../names.h"
#include "../output.h"
#include "../plugin.h"
#include "../table.h"
#include "policy_show.h"

/**
 * struct subject - a policy, a model or a memory policy: the properties that they have
 * @event_words: names of its events
 * @params: its parameters, or NULL
 * @values: their first values
 * @gauges: of a policy, or NULL: figures that it tells of itself
 */
struct subject {
	const char *name;
	const char *kind;
	u32 source;
	u32 events;
	const struct word *event_words;
	u32 needs;
	u32 state_bytes;
	const struct simgpu_param *params;
	u64 values[SIMGPU_PARAMS_MAX];
	const struct simgpu_gauge *gauges;
};

/* struct word - the name of a bit */
struct word {
	u32 bit;
	const char *name;
};

/* A line of words: where the first one begins, and how long it may be. */
#define WORDS_BEGIN	10
#define LINE_LETTERS	80

static const struct word events[] = {
	{ SIMGPU_ON_EPOCH, "epoch" },
	{ SIMGPU_ON_ARRIVAL, "arrival" },
	{ SIMGPU_ON_DEPARTURE, "departure" },
	{ SIMGPU_ON_KERNEL_READY, "kernel_ready" },
	{ SIMGPU_ON_KERNEL_END, "kernel_end" },
	{ SIMGPU_ON_WAKE, "wake" },
	{ SIMGPU_ON_SLICE_END, "slice_end" },
	{ SIMGPU_ON_QUOTA_OUT, "quota_out" },
	{ SIMGPU_ON_TIMEOUT, "timeout" },
	{ SIMGPU_ON_HINT, "hint" },
	{ SIMGPU_ON_MEMORY_PRESSURE, "memory_pressure" },
	{ SIMGPU_ON_THRASHING, "thrashing" },
	{ SIMGPU_ON_PREFETCH_END, "prefetch_end" },
	{ SIMGPU_ON_COPY_READY, "copy_ready" },
	{ SIMGPU_ON_COPY_END, "copy_end" },
	{ 0 }
};

static const struct word memory_events[] = {
	{ SIMGPU_RANK_ON_ARRIVAL, "arrival of pages" },
	{ SIMGPU_RANK_ON_USE, "use" },
	{ SIMGPU_PLACE_ON_KERNELS, "kernels" },
	{ 0 }
};

static const struct word needs[] = {
	{ SIMGPU_NEEDS_TAGS, "tags" },
	{ SIMGPU_NEEDS_MIRRORS, "mirrors" },
	{ SIMGPU_NEEDS_PRIVATE_RUNS, "private_runs" },
	{ SIMGPU_NEEDS_IDLE_SAMPLES, "idle_samples" },
	{ SIMGPU_NEEDS_SHARED_ROWS, "shared_rows" },
	{ SIMGPU_NEEDS_CURVES, "curves" },
	{ SIMGPU_NEEDS_CONSTANTS, "constants" },
	{ SIMGPU_NEEDS_ALL_TAGS, "auxiliary tags of all sets" },
	{ SIMGPU_NEEDS_PROFILES, "profiles" },
	{ SIMGPU_NEEDS_DEPARTED, "figures of tenants that depart" },
	{ 0 }
};

/* --- parameters ------------------------------------------------------------- */

/* A plug-in's table may lack its end, so the number of parameters is limited. */
static bool has_param(const struct subject *subject, u32 index)
{
	return subject->params && index < SIMGPU_PARAMS_MAX &&
	       subject->params[index].name;
}

static const char *help_of(const struct simgpu_param *param)
{
	return param->help ? param->help : "";
}

static const char *unit_of(const struct simgpu_param *param)
{
	return session_unit_names[param->unit <= SIMGPU_UNIT_CYCLES ? param->unit : 0];
}

/* --- which one --------------------------------------------------------- */

static void take_policy(struct subject *subject,
			const struct simgpu_policy *policy)
{
	u32 i;

	subject->name = policy->name;
	subject->kind = "policy";
	subject->source = policy->source;
	subject->events = SIMGPU_ON_EPOCH | policy->events;
	subject->event_words = events;
	subject->needs = policy->needs;
	subject->state_bytes = policy->state_bytes;
	subject->params = policy->params;
	for (i = 0; has_param(subject, i); i++)
		subject->values[i] = policy->params[i].initial;
	subject->gauges = policy->gauges;
}

static void take_model(struct subject *subject,
		       const struct simgpu_model *model,
		       const struct gpu_config *config)
{
	struct session_options options = {
		.model = model,
		.policy = plugin_find_policy(settings_default.policy),
	};

	if (config)
		options.config = *config;
	session_default_params(&options);
	subject->name = model->name;
	subject->kind = "model";
	subject->source = model->source;
	subject->events = SIMGPU_ON_EPOCH | model->events;
	subject->event_words = events;
	subject->needs = model->needs;
	subject->state_bytes = model->state_bytes;
	subject->params = model->params;
	memcpy(subject->values, options.model_params, sizeof(subject->values));
}

static void take_memory_policy(struct subject *subject,
			       const struct simgpu_memory_policy *policy)
{
	u32 i;

	subject->name = policy->name;
	subject->kind = "memory policy";
	subject->source = policy->source;
	subject->events = policy->events;
	subject->event_words = memory_events;
	subject->state_bytes = policy->state_bytes;
	subject->params = policy->params;
	for (i = 0; has_param(subject, i); i++)
		subject->values[i] = policy->params[i].initial;
}

static int fail_unknown(const char *name)
{
	struct names names = { .wanted = name };

	if (errno == EACCES)
		warn("policies that were loaded into the kernel are shown to root only");
	names_add_policies(&names);
	names_add_models(&names);
	return names_fail(&names, "policy and no model",
			  "simgpu policy list, simgpu model list");
}

static int find(struct subject *subject, enum shown_first first,
		const char *name, const struct gpu_config *config)
{
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	const struct simgpu_memory_policy *memory_policy;

	errno = 0;
	if (plugin_is_file(name)) {
		if (plugin_load_any(name, &policy, &model, &memory_policy))
			return STATUS_FAILED;
	} else {
		policy = plugin_find_policy(name);
		model = plugin_find_model(name);
		memory_policy = plugin_find_memory_policy(name);
	}
	if (!policy && !model && !memory_policy)
		policy = loaded_policy_find(name);
	if (!policy && !model && !memory_policy)
		memory_policy = loaded_memory_policy_find(name);
	if (!policy && !model && !memory_policy)
		return fail_unknown(name);
	if (!policy && !model)
		take_memory_policy(subject, memory_policy);
	else if (policy && (first == SHOW_POLICY || !model))
		take_policy(subject, policy);
	else
		take_model(subject, model, config);
	return STATUS_OK;
}

/* --- for people -------------------------------------------------------- */

/* In lines of at most LINE_LETTERS. */
static void print_words(const char *what, u32 bits, const struct word *words)
{
	int at = printf("%-*s", WORDS_BEGIN, what);
	bool some = false;

	for (; words->name; words++) {
		if (!(bits & words->bit))
			continue;
		/* With a comma before it, and one behind it. */
		if (some && at + (int)strlen(words->name) + 3 > LINE_LETTERS)
			at = printf(",\n%*s", WORDS_BEGIN, "") - 2;
		else if (some)
			at += printf(", ");
		at += printf("%s", words->name);
		some = true;
	}
	puts(some ? "" : "nothing");
}

static void param_cell(struct table *table, const struct simgpu_param *param,
		      u64 value)
{
	char text[32];

	param_print(param, value, text, sizeof(text));
	table_cell(table, "%s", text);
}

static void print_params(const struct subject *subject)
{
	const struct simgpu_param *param = subject->params;
	struct table *table;
	u32 i;

	if (!has_param(subject, 0)) {
		puts("no parameters");
		return;
	}
	puts("");
	table = table_new("PARAMETER|UNIT|>LEAST|>MOST|>FIRST|WHAT IT IS");
	for (i = 0; has_param(subject, i); i++) {
		table_cell(table, "%s", param[i].name);
		table_cell(table, "%s", unit_of(&param[i]));
		param_cell(table, &param[i], param[i].least);
		param_cell(table, &param[i], param[i].most);
		param_cell(table, &param[i], subject->values[i]);
		table_cell(table, "%s", help_of(&param[i]));
	}
	table_print(table);
}

static void print_gauges(const struct subject *subject)
{
	const struct simgpu_gauge *gauge = subject->gauges;
	struct table *table;

	if (!gauge || !gauge->name)
		return;
	puts("");
	table = table_new("GAUGE|UNIT|WHAT IT IS");
	for (; gauge->name; gauge++)
		table_row(table, "%s|%s|%s", gauge->name, session_unit_names[gauge->unit],
			  gauge->help ? gauge->help : "");
	table_print(table);
}

static int print_text(const struct subject *subject)
{
	printf("%s: a %s %s\n", subject->name, journal_sources[subject->source],
	       subject->kind);
	print_words("asked at", subject->events, subject->event_words);
	print_words("needs", subject->needs, needs);
	printf("%-10s%u bytes\n", "state", subject->state_bytes);
	print_params(subject);
	print_gauges(subject);
	return flush_output();
}

/* --- for programs ------------------------------------------------------ */

static struct json_object *json_words(u32 bits, const struct word *words)
{
	struct json_object *array = json_object_new_array();

	for (; words->name; words++)
		if (bits & words->bit)
			json_object_array_add(array,
				json_object_new_string(words->name));
	return array;
}

static struct json_object *json_param_value(const struct simgpu_param *param, u64 value)
{
	return param->unit == SIMGPU_UNIT_RATIO ? json_ppm(value) :
						  json_u64(value);
}

static struct json_object *json_param(const struct simgpu_param *param,
				      u64 initial)
{
	struct json_object *object = json_object_new_object();

	json_set_string(object, "name", param->name);
	json_set_string(object, "unit", unit_of(param));
	json_set(object, "least", json_param_value(param, param->least));
	json_set(object, "most", json_param_value(param, param->most));
	json_set(object, "initial", json_param_value(param, initial));
	json_set_string(object, "help", help_of(param));
	return object;
}

static struct json_object *json_gauges(const struct simgpu_gauge *gauge)
{
	struct json_object *array = json_object_new_array();

	for (; gauge && gauge->name; gauge++) {
		struct json_object *object = json_object_new_object();

		json_set_string(object, "name", gauge->name);
		json_set_string(object, "unit", session_unit_names[gauge->unit]);
		json_set_string(object, "help", gauge->help ? gauge->help : "");
		json_object_array_add(array, object);
	}
	return array;
}

static int print_json(const struct subject *subject)
{
	const struct simgpu_param *params = subject->params;
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i;

	json_set_string(object, "name", subject->name);
	json_set_string(object, "kind", subject->kind);
	json_set_string(object, "source", journal_sources[subject->source]);
	json_set(object, "events",
		 json_words(subject->events, subject->event_words));
	json_set(object, "needs", json_words(subject->needs, needs));
	json_set(object, "state_bytes", json_u64(subject->state_bytes));
	for (i = 0; has_param(subject, i); i++)
		json_object_array_add(array, json_param(&params[i],
							subject->values[i]));
	json_set(object, "params", array);
	if (subject->gauges && subject->gauges->name)
		json_set(object, "gauges", json_gauges(subject->gauges));
	return json_print(object);
}

/* --- all models -------------------------------------------------------- */

static int list_json(void)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	const struct simgpu_model *model;
	u32 i;

	for (i = 0; (model = registry_model_at(i)); i++) {
		struct json_object *row = json_object_new_object();

		json_set_string(row, "name", model->name);
		json_set(row, "needs", json_words(model->needs, needs));
		json_object_array_add(array, row);
	}
	json_set(object, "models", array);
	return json_print(object);
}

int model_list(bool json)
{
	const struct simgpu_model *model;
	u32 i;

	if (json)
		return list_json();
	for (i = 0; (model = registry_model_at(i)); i++) {
		printf("%-14s", model->name);
		print_words("needs", model->needs, needs);
	}
	return flush_output();
}

int policy_show(enum shown_first first, const char *name, const char *config,
		bool json)
{
	const struct gpu_config *found = NULL;
	struct subject subject = { .name = NULL };
	int ret;

	if (config) {
		found = gpu_config_find(config);
		if (!found)
			return no_config(config);
	}
	ret = find(&subject, first, name, found);
	if (ret)
		return ret;
	return json ? print_json(&subject) : print_text(&subject);
}

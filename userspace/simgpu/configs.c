// SPDX-License-Identifier: GPL-2.0
/* simgpu config: lists the configurations, and shows one. */
#include "dispatch.h"
#include "json.h"
#include "output.h"
#include "table.h"

static const struct argp list_argp = {
	.options = json_options,
	.parser = parse_json_option,
	.doc = "List the configurations that are shipped.\v"
	       "Examples:\n"
	       "  simgpu config list\n"
	       "  simgpu config list --json | jq -r '.configs[].name'\n"
	       "\n"
	       "Exit status: 0; 2 for wrong usage.",
};

/* Peak bandwidth in bytes a second. */
static u64 peak(const struct gpu_config *config)
{
	return (u64)config->channels * config->channel_bytes_per_clock *
	       config->memory_mhz * 1000000;
}

static u64 llc_bytes(const struct gpu_config *config)
{
	return (u64)config->llc_slices * config->llc_sets * config->llc_ways *
	       GPU_LINE_BYTES;
}

static struct json_object *json_config(const struct gpu_config *config)
{
	struct json_object *object = json_object_new_object();

	json_set_string(object, "name", config->name);
	json_set(object, "sms", json_u64(config->sms));
	json_set(object, "core_mhz", json_u64(config->core_mhz));
	json_set(object, "channels", json_u64(config->channels));
	json_set(object, "memory_mhz", json_u64(config->memory_mhz));
	json_set(object, "bytes_per_second", json_u64(peak(config)));
	json_set(object, "llc_bytes", json_u64(llc_bytes(config)));
	return object;
}

static int print_json(void)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	const struct gpu_config *config;
	u32 i;

	for (i = 0; (config = gpu_config_at(i)); i++)
		json_object_array_add(array, json_config(config));
	json_set(object, "configs", array);
	return json_print(object);
}

static int print_table(void)
{
	struct table *table = table_new("CONFIG|>SMS|>MHZ|>CHANNELS|>MHZ|>GB/S|>LLC KIB");
	const struct gpu_config *config;
	u32 i;

	for (i = 0; (config = gpu_config_at(i)); i++) {
		table_row(table, "%s|%u|%u|%u|%u|%llu|%llu", config->name, config->sms,
			  config->core_mhz, config->channels, config->memory_mhz,
			  peak(config) / 1000000000, llc_bytes(config) / 1024);
	}
	table_print(table);
	return flush_output();
}

static int list_configs(int argc, char **argv)
{
	bool json = false;

	parse_arguments(&list_argp, argc, argv, 0, &json);
	return json ? print_json() : print_table();
}

static error_t parse_name(int key, char *text, struct argp_state *state)
{
	const char **name = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num)
			argp_error(state, "\"%s\" is one word too many", text);
		*name = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "show takes the name of a configuration, or a file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp show_argp = {
	.parser = parse_name,
	.args_doc = "NAME|FILE",
	.doc = "Print a configuration, every field of it, as a file that --config takes.\v"
	       "docs/configurations.md says what each field is, docs/configs/NAME.csv "
	       "where its value comes from.\n"
	       "\n"
	       "Examples:\n"
	       "  simgpu config show hbm80\n"
	       "  simgpu config show hbm80 > mine.conf\n"
	       "\n"
	       "Exit status: 0; 1 if a file is no configuration; 2 for wrong usage.",
};

static int show_config(int argc, char **argv)
{
	struct gpu_config config;
	const char *name = NULL;
	size_t length;
	char *text;
	int ret;

	parse_arguments(&show_argp, argc, argv, 0, &name);
	ret = config_load(name, &config);
	if (ret)
		return ret;
	length = gpu_config_print(&config, NULL, 0);
	text = grow(NULL, length + 1, 1);
	gpu_config_print(&config, text, length + 1);
	fputs(text, stdout);
	free(text);
	return flush_output();
}

static const struct command commands[] = {
	{ "list", "list the configurations that are shipped", list_configs },
	{ "show", "print one, as a file", show_config },
	{ 0 }
};

int config_command(int argc, char **argv)
{
	return dispatch(commands, "Look at configurations of the simulated GPU.",
			argc, argv);
}

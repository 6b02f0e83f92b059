// SPDX-License-Identifier: GPL-2.0
/* simgpu model: lists the models, and shows one. */
#include "../options.h"
#include "policy_show.h"
#include "../dispatch.h"

static const struct argp list_argp = {
	.options = json_options,
	.parser = parse_json_option,
	.doc = "List the models that are built in, and what each needs of a device.\v"
	       "Examples:\n"
	       "  simgpu model list\n"
	       "  simgpu run --offline --model mirror --truth PVC DXTC\n"
	       "\n"
	       "Exit status: 0; 2 for wrong usage.",
};

static int list_models(int argc, char **argv)
{
	bool json = false;

	parse_arguments(&list_argp, argc, argv, 0, &json);
	return model_list(json);
}

/** struct arguments - the parsed command line of show */
struct arguments {
	bool json;
	const char *config;
	const char *name;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option show_options[] = {
	{ "json", 'j', NULL, "Print one JSON document", TO_FLAG(json) },
	{ "config", 'c', "NAME", "Parameters as they were trained for this GPU",
	  TO_TEXT(config) },
	{ .name = NULL }
};

static const struct command_line show_line = {
	.options = show_options,
	.words = "NAME|FILE",
	.no_words = "show takes the name of a model, or a plug-in's file",
	.word = AT(name),
	.about = "Show when a model is asked, what it needs and keeps, and its parameters, as "
	       "simgpu policy show does of policies.\v"
	       "Examples:\n"
	       "  simgpu model show hsm --config themis60\n"
	       "\n"
	       "Exit status: 0; 1 if a file has no model; 2 for wrong usage.",
};

static int show_model(int argc, char **argv)
{
	struct arguments arguments = { .name = NULL };

	parse_command_line(&show_line, argc, argv, 0, &arguments);
	return policy_show(SHOW_MODEL, arguments.name, arguments.config,
			   arguments.json);
}

static const struct command commands[] = {
	{ "list", "list the models that are built in", list_models },
	{ "show", "say what one is", show_model },
	{ 0 }
};

int model_command(int argc, char **argv)
{
	return dispatch(commands, "Look at models, which predict how much tenants are slowed down.",
			argc, argv);
}

// SPDX-License-Identifier: GPL-2.0
/* simgpu model: the models that there are, and what one is. */
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

static const struct argp_option show_options[] = {
	{ "json", 'j', 0, 0, "Print one JSON document", 0 },
	{ "config", 'c', "NAME", 0, "Knobs as they were trained for this GPU", 0 },
	{ 0 }
};

/** struct arguments - the parsed command line of show */
struct arguments {
	const char *name;
	const char *config;
	bool json;
};

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'c':
		arguments->config = text;
		return 0;
	case 'j':
		arguments->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			argp_error(state, "\"%s\" is one word too many", text);
		arguments->name = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "show takes the name of a model, or a plug-in's file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp show_argp = {
	.options = show_options,
	.parser = parse_argument,
	.args_doc = "NAME|FILE",
	.doc = "Show when a model is asked, what it needs and keeps, and its knobs, as "
	       "simgpu policy show does of policies.\v"
	       "Examples:\n"
	       "  simgpu model show hsm --config themis60\n"
	       "\n"
	       "Exit status: 0; 1 if a file has no model; 2 for wrong usage.",
};

static int show_model(int argc, char **argv)
{
	struct arguments arguments = { .name = NULL };

	parse_arguments(&show_argp, argc, argv, 0, &arguments);
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

// SPDX-License-Identifier: GPL-2.0
/* The options that every command has that runs experiments; see experiment.h. */
#include "contender.h"
#include "plugin.h"

enum {
	OPTION_CONFIG = 512,
	OPTION_KERNEL_END,
	OPTION_PREEMPTION,
	OPTION_SET,
};

static const struct argp_option options[] = {
	{ "config", OPTION_CONFIG, "NAME|FILE", 0,
	  "The GPU (default hbm80); offline also a file, whose name has a '/' or ends in .conf", 1 },
	{ "model", 'm', "NAME", 0,
	  "The slowdown model of policies that are not given as POLICY@MODEL (default hsm)", 1 },
	{ "cycles", 'c', "N", 0,
	  "Stop exactly there; traces that end are launched again (default 5000000); 0: each runs once", 1 },
	{ "epoch", 'e', "N", 0, "Core cycles of an epoch (default 500000)", 1 },
	{ "seed", 's', "N", 0, "Of everything random (default 1)", 1 },
	{ "kernel-end", OPTION_KERNEL_END, "even|carry", 0,
	  "What a finished kernel does: begin an even split (default), or carry on", 1 },
	{ "preemption", OPTION_PREEMPTION, "drain|switch|adaptive", 0,
	  "How thread blocks leave an SM that changes hands: by their end (default), by a context switch, or as the last epoch suggests", 1 },
	{ "set", OPTION_SET, "NAME=VALUE", 0,
	  "Offline: a knob of the policy or the model (simgpu policy show NAME lists them); may be repeated", 1 },
	{ 0 }
};

void option_name(struct argp_state *state, const char *option, char *to,
		 const char *name)
{
	if (!*name || strlen(name) >= SIMGPU_NAME_MAX)
		argp_error(state, "%s takes a name", option);
	strcpy(to, name);
}

static u32 parse_kernel_end(struct argp_state *state, const char *word)
{
	if (!strcmp(word, "carry"))
		return SIMGPU_KERNEL_END_CARRY;
	if (strcmp(word, "even"))
		argp_error(state, "--kernel-end takes even or carry");
	return SIMGPU_KERNEL_END_EVEN;
}

static u32 parse_preemption(struct argp_state *state, const char *word)
{
	if (!strcmp(word, "switch"))
		return SIMGPU_PREEMPTION_SWITCH;
	if (!strcmp(word, "adaptive"))
		return SIMGPU_PREEMPTION_ADAPTIVE;
	if (strcmp(word, "drain"))
		argp_error(state,
			   "--preemption takes drain, switch or adaptive");
	return SIMGPU_PREEMPTION_DRAIN;
}

static void parse_model(struct argp_state *state, struct settings *settings,
			char *text)
{
	const struct simgpu_model *model;

	if (!plugin_is_file(text)) {
		option_name(state, "--model", settings->model, text);
		return;
	}
	model = plugin_load_model(text);
	if (!model)
		exit(STATUS_FAILED);
	strcpy(settings->model, model->name);
}

static error_t parse_experiment(int key, char *text, struct argp_state *state)
{
	struct experiment *experiment = state->input;
	struct settings *settings = &experiment->settings;

	switch (key) {
	case OPTION_CONFIG:
		experiment->config_file = config_is_file(text) ? text : NULL;
		if (!experiment->config_file)
			option_name(state, "--config", settings->config, text);
		break;
	case 'm':
		parse_model(state, settings, text);
		break;
	case 'c':
		settings->cycles = option_number(state, "--cycles", text, 0,
						 U64_MAX);
		break;
	case 'e':
		settings->epoch_cycles =
			option_number(state, "--epoch", text,
				      SESSION_EPOCH_CYCLES_MIN,
				      SESSION_EPOCH_CYCLES_MAX);
		break;
	case 's':
		settings->seed = option_number(state, "--seed", text, 0,
					       U64_MAX);
		break;
	case OPTION_KERNEL_END:
		settings->kernel_end = parse_kernel_end(state, text);
		break;
	case OPTION_PREEMPTION:
		settings->preemption = parse_preemption(state, text);
		break;
	case OPTION_SET:
		knobs_parse(state, &settings->knobs, text);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	experiment->given = text;
	return 0;
}

const struct argp experiment_argp = {
	.options = options,
	.parser = parse_experiment,
};

const struct settings settings_default = {
	.config = "hbm80",
	.policy = "even",
	.model = "hsm",
	.cycles = 5000000,
	.epoch_cycles = SESSION_EPOCH_CYCLES_DEFAULT,
	.seed = 1,
};

int experiment_load(struct experiment *experiment)
{
	struct settings *settings = &experiment->settings;
	int ret;

	if (!experiment->config_file)
		return STATUS_OK;
	ret = config_load(experiment->config_file, &experiment->custom);
	if (!ret) {
		settings->custom = &experiment->custom;
		strcpy(settings->config, experiment->custom.name);
	}
	return ret;
}

static int find_names(const struct settings *settings,
		      struct session_options *options)
{
	const struct gpu_config *config = settings->custom;

	if (!config)
		config = gpu_config_find(settings->config);
	options->model = contender_find_model(settings->model);
	options->policy = plugin_find_policy(settings->policy);
	if (!config)
		return fail("there is no configuration \"%s\"",
			    settings->config);
	if (!options->model)
		return STATUS_FAILED;
	if (!options->policy)
		return fail("there is no policy \"%s\"", settings->policy);
	options->config = *config;
	return STATUS_OK;
}

int settings_options(const struct settings *settings,
		     struct session_options *options)
{
	int ret;

	memset(options, 0, sizeof(*options));
	options->seed = settings->seed;
	options->epoch_cycles = settings->epoch_cycles;
	options->stop_cycle = settings->cycles;
	options->relaunch = settings->cycles != 0;
	options->kernel_end = settings->kernel_end == SIMGPU_KERNEL_END_CARRY ?
			      SESSION_KERNEL_END_CARRY :
			      SESSION_KERNEL_END_EVEN;
	options->preemption = (enum session_preemption)settings->preemption;
	options->sms_most = settings->sms_most;
	ret = find_names(settings, options);
	if (ret)
		return ret;
	session_default_params(options);
	return knobs_apply(&settings->knobs, options, NULL);
}
